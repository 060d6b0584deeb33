// npm's soap against the service of all kinds: kinds_node.js URL 1.1|1.2
//
// Sends the value of each feature in features.md, as plain objects, and compares what comes back.

'use strict';

const soap = require('soap'); // found through NODE_PATH: it is installed outside of this tree

const [base, version] = process.argv.slice(2);
const KINDS = 'http://kinds.example/Kinds';
const GEO = 'urn:kinds:geo';
const NIL = { attributes: { 'xsi:nil': 'true' } };
const PRESET = { Length: ['system', 'SI'] };
const LENGTH = { unit: 'm', version: '1.0' };
const NOTE = '<a xmlns="urn:notes">one</a>';
const MORE = '<b xmlns="urn:more">two</b>';
const XS = {
    NormalizedString: 'a  b', Token: 'a b', Language: 'pt-BR', Name: 'a:b', NCName: '_1.2-3',
    NMTOKEN: '-a:b.c', IDREF: 'id-1', AnyURI: 'http://example.com/a?b#c',
};
let kinds, calls, mirrors, sums;

async function client(name) {
    const made = await soap.createClientAsync(`${base}/soap/v3/${name}.asmx?wsdl`, {
        forceSoap12Headers: version === '1.2',
        disableCache: true,
        preserveWhitespace: true,
    });
    const port = made[name][name + (version === '1.1' ? 'Soap' : 'Soap12')];
    return { made, port };
}

/** [what the call answered, the headers of the response] */
function call({ port }, operation, parameters) {
    return new Promise((resolve, reject) => {
        const done = (error, result, raw, header) => (error ? reject(error) : resolve([result, header]));
        port[operation](parameters, done, { timeout: 10000 });
    });
}

/** The step answers what is wrong, if anything. */
async function feature(name, step) {
    let wrong;
    try {
        wrong = await step();
    } catch (error) {
        const fault = error.root?.Envelope?.Body?.Fault;
        wrong = fault ? `fault: ${told(fault)}` : String(error);
    }
    const line = wrong === undefined ? `ok   node ${version}: ${name}` : `FAIL node ${version}: ${name}: ${wrong}`;
    console.log(line.replace(/\s*\n\s*/g, ' '));
}

const told = (fault) => fault.faultstring ?? fault.Reason?.Text?.$value ?? fault.Reason?.Text;

/** What was sent or came back, in one order: values as text, no declarations of prefixes. */
function plain(value) {
    if (value instanceof Date) return value.toISOString();
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== 'object') return value === null ? undefined : String(value);
    const made = {};
    const local = (key) => key.split(':').pop();
    for (const key of Object.keys(value).sort((a, b) => (local(a) < local(b) ? -1 : 1))) {
        if (key.startsWith('xmlns')) continue;
        if (key === 'xsi_type' || key === 'xsi:type') {
            made.type = (value[key].type ?? value[key]).split(':').pop();
            continue;
        }
        const each = plain(value[key]);
        const name = key.startsWith('xsi:') ? key : local(key);
        if (each !== undefined && JSON.stringify(each) !== '{}') made[name] = each;
    }
    return made;
}

function same(sent, found) {
    const [one, two] = [JSON.stringify(plain(sent)), JSON.stringify(plain(found))];
    return one === two ? undefined : `sent ${one}, got ${two}`;
}

/** The response may have more, by default values: preset is what was not sent of them. */
function echo(fields, preset = {}, expected = fields) {
    return async () => {
        const found = plain((await call(kinds, 'Everything', fields))[0].EverythingResult);
        for (const [record, [name, value]] of Object.entries(preset)) {
            for (const { attributes } of found[record]) {
                if (attributes[name] !== value) return `${name} is not ${value}`;
                delete attributes[name];
            }
        }
        return same(expected, found);
    };
}

const typed = (type, id, fields, uri = KINDS, more = {}) => ({
    attributes: { xsi_type: { type, xmlns: uri, prefix: 't' }, ...(id === null ? {} : { id }), ...more },
    ...fields,
});

async function structures() {
    await feature('attribute', echo({ Length: [{ attributes: { ...LENGTH, digits: 2 }, Value: 1.5 }] }, PRESET));
    const foreign = { ...LENGTH, 'xmlns:m': 'urn:kinds:meta', 'm:source': 'Zoë & <Ada>' };
    await feature('attribute of another namespace', async () => {
        const [found] = await call(kinds, 'Everything', { Length: [{ attributes: foreign, Value: 2.5 }] });
        const { attributes } = found.EverythingResult.Length[0];
        const name = Object.keys(attributes).find((each) => each.endsWith('source'));
        return same('Zoë & <Ada>', attributes[name]);
    });
    await feature('enumeration', echo({ Length: [{ attributes: { ...LENGTH, unit: 'ft' }, Value: 3.5 }] }, PRESET));
    const imperial = { ...LENGTH, system: 'imperial' };
    await feature('default and fixed', echo({ Length: [{ attributes: imperial, Value: 4.5 }] }));
    const price = ($value, currency) => ({ $value, attributes: { currency } });
    await feature('text with attributes', echo({ Price: [price('10.5', 'EUR'), price('-1', '"Zoë" & <Ada>')] }));
    await feature('type of another namespace', echo({ Point: [{ X: 1.5, Y: -2 }] }));
    await feature('unqualified element', echo({ Point: [{ X: 1, Y: 2, Note: 'Zoë' }] }));
    await feature('element of a third namespace', echo({ Point: [{ X: 3, Y: 4, Comment: 'Zoë' }] }));
    await feature('two types of one name', echo({ Price: [price('1', 'EUR')], OtherPrice: [{ Cents: 100 }] }));
    await feature('unqualified record', echo({ Plain: [{ A: 'a', B: [1, 2] }] }));
    await feature('occurrence', echo({ Counted: [{ TwoToFive: [1, 2, 3], Some: ['a', ''] }] }));
    const nils = [{ MustBeThere: NIL, MayBeThere: NIL }, { MustBeThere: 'there', MayBeThere: 5 }];
    await feature('nillable', echo({ Nils: nils }));
    await feature('nillable record', echo({ Nils: [{ MustBeThere: 'there', Many: [{ A: 'a' }, NIL] }] }));
    const books = [{ Title: 'One', Author: { Name: 'Bob' }, Sequel: { Title: 'Two' } }];
    await feature('recursion', echo({ Author: { Name: 'Ann', Book: books } }));
    const persons = [{ Name: 'Ann', Phone: '1' }, { Name: 'Bob', Mail: 'b@c' }, { Name: 'Cy', Alias: ['c', 'd'] }];
    await feature('choice', echo({ Person: persons }));
    await feature('repeated choice', echo({ Walk: [{ Left: [1, 3], Right: 2 }] }));
    const payments = [
        { Number: '4111', Code: 7, Amount: '1' },
        { Account: 'DE1', Bank: 'bank', Amount: '2' },
        { Amount: '3' },
    ];
    await feature('choice of groups', echo({ Payment: payments }));
    const grouped = { attributes: { id: 1 }, Name: 'n' };
    await feature('optional group', echo({ Grouped: [{ ...grouped, From: 1, To: 2, Last: 'z' }, { ...grouped, Last: 'z' }] }));
    const pairs = { Key: ['a', 'c', 'd'], Value: ['b', 'e'] };
    await feature('repeated group', echo({ Grouped: [{ ...grouped, ...pairs, Last: 'z' }] }));
    const dog = (name, id, barks) => ({ attributes: { id }, Name: name, Barks: barks });
    await feature('extension', echo({ Dog: [dog('Rex', 1, true)], Puppy: [dog('Bo', 2, false)] }));
    const rex = typed('Dog', 1, { Name: 'Rex', Barks: true });
    const cat = (name, id) => typed('Cat', id, { Name: name, Lives: 7 }, GEO, { colour: 'grey' });
    const animals = [typed('Puppy', 3, { Name: 'Bo', Barks: false }), cat('Kit', 4)];
    await feature('derived type', echo({ Zoo: [{ Director: rex, Star: cat('Tom', 2), Animal: animals }] }));
    const shapes = [typed('Shape', null, { Label: 'plain' }), typed('Circle', null, { Label: 'round', Radius: 1.5 })];
    const director = typed('Dog', 9, { Name: 'Rex', Barks: false });
    await feature('derived type in another namespace', echo({ Zoo: [{ Director: director, Shape: shapes }] }));
}

async function wildcards() {
    /** What wildcards took is read by its names alone. */
    const taken = (record, fields, expected) => async () => {
        const [found] = await call(kinds, 'Everything', { [record]: [fields] });
        return same(expected, found.EverythingResult[record][0]);
    };
    await feature('any', taken('Open', { Known: 'k', $xml: NOTE + MORE }, { Known: 'k', a: 'one', b: 'two' }));
    const attributes = { 'xmlns:o': 'urn:others', 'o:a': 'v', own: 'w' };
    await feature('anyAttribute', taken('Open', { attributes, Known: 'k' }, { attributes, Known: 'k' }));
    const geo = { 'xmlns:g': GEO, 'g:a': '1' };
    const elsewhere = { attributes: geo, $xml: NOTE };
    await feature('any in another namespace', taken('OpenElsewhere', elsewhere, { attributes: geo, a: 'one' }));
    const groups = { $xml: NOTE + MORE, Last: 'z' };
    await feature('any in a repeated group', taken('OpenGroups', groups, { a: 'one', b: 'two', Last: 'z' }));
    const beside = { attributes: { 'xmlns:o': 'urn:others', 'o:a': 'v' }, $value: 'Zoë' };
    await feature('anyAttribute beside text', taken('OpenText', beside, beside));
    await feature('anyType', echo({ Anything: [{ Value: 'Zoë', Many: ['one', 'two'] }] }));
}

async function simpleTypes() {
    const lists = { attributes: { words: 'a b' }, Numbers: '1 -2 3', Many: ['0.5 1.5', '2'] };
    // An empty element without attributes is read as if it were not there.
    await feature('list', echo({ Lists: [{ ...lists, Mixed: '' }] }, {}, { Lists: [lists] }));
    const units = { words: 'a b', units: 'm ft' };
    const all = { ...lists, attributes: units };
    await feature('list of an enumeration', echo({ Lists: [{ ...all, Mixed: '' }] }, {}, { Lists: [all] }));
    await feature('list of a union', echo({ Lists: [{ ...lists, Mixed: '-7 2020-01-02' }] }));
    const unions = [{ Value: '7', Many: ['true', '1.5'] }, { Value: '2020-01-02' }, { Value: 'ft' }, { Value: 'Zoë' }];
    await feature('union', echo({ Unions: unions }));
    await feature('union in an attribute', echo({ Unions: [{ attributes: { attribute: '1 2' }, Value: '8' }] }));
    await names();
    const facets = {
        attributes: { level: -3 }, Code: 'ZZ12', Name: 'Zoë', Three: 'AAEC', Two: '00FF', Percent: 100,
        Share: '0.5', Money: '-999.99', Size: 0.5, Letter: 'b c', Day: '2024-02-29', Span: 'PT1H',
        Numbers: '1 2 3', Pair: ['ab', 'cd'],
    };
    await feature('facets', echo({ Facets: [facets] }, {}, { Facets: [{ ...facets, Day: new Date(facets.Day) }] }));
    const named = {
        attributes: { keyword: 'word' }, Code: '1234', Codes: ['0001', '9999'], LowCode: '0123', Share: 0.5,
        Few: '1 2', Area: { $value: '4321', attributes: { share: 0.25 } },
    };
    await feature('named simple types', echo({ NamedTypes: [named] }));
    const xs = { attributes: { id: 'id-1', attribute: 'a b' }, ...XS };
    const small = { Integer: 0, NonNegative: 0, Positive: 1, NonPositive: 0, Negative: -1 };
    await feature('kinds of text', echo({ XsTypes: [{ ...xs, ...small }] }));
    const large = {
        Integer: '123456789012345678901234567890', NonNegative: '18446744073709551616', Positive: 65535,
        NonPositive: -5, Negative: '-123456789012345678901234567890',
    };
    await feature('integers of any length', echo({ XsTypes: [{ ...xs, ...large }] }));
}

/** Names are text here: the prefix of one that was read must be declared beside it. */
async function names() {
    const q = { 'xmlns:q': 'urn:q', 'xmlns:r': 'urn:r' };
    const name = (text) => ({ attributes: q, $value: text });
    const resolved = (text, attributes) => {
        const [prefix, local] = text.split(':');
        return `{${attributes['xmlns:' + prefix]}}${local}`;
    };
    const sent = { Element: name('q:a'), Many: [name('q:b'), name('r:c')] };
    const expected = ['{urn:q}a', '{urn:q}b', '{urn:r}c'];
    const read = (found) => [found.Element, ...found.Many].map((each) => resolved(each.$value ?? each, each.attributes ?? {}));
    await feature('QName', async () => {
        const [found] = await call(kinds, 'Everything', { QualifiedNames: [sent] });
        return same(expected, read(found.EverythingResult.QualifiedNames[0]));
    });
    await feature('QName in an attribute', async () => {
        const all = { attributes: { ...q, attribute: 'q:d' }, ...sent };
        const [{ EverythingResult }] = await call(kinds, 'Everything', { QualifiedNames: [all] });
        const { attributes } = EverythingResult.QualifiedNames[0];
        return same('{urn:q}d', resolved(attributes.attribute, attributes));
    });
}

async function builtIn() {
    const values = (sent, expected = sent) => async () => {
        return same(expected, (await call(calls, 'Values', sent))[0].ValuesResult);
    };
    await feature('time', values({ Time: '13:20:05Z' }));
    const moment = '2024-02-29T23:59:58.125+02:00';
    const dates = { Date: new Date('2024-02-29'), DateTime: new Date(moment) };
    await feature('date and dateTime', values({ Date: '2024-02-29', DateTime: moment }, dates));
    await feature('duration', values({ Duration: 'P1Y2M1DT2H3M4S' }));
    const parts = { Year: '1999', YearMonth: '1999-05', Month: '--05', MonthDay: '--02-29', Day: '---31' };
    await feature('gYear, gMonthDay ...', values(parts));
    await feature('hexBinary and base64Binary', values({ Hex: '0001FF', Base64: 'AAH//g==' }));
    await feature('decimal', values({ Decimal: '12345678901234567.12345' }));
    await feature('long and unsignedLong', values({ Most: '18446744073709551615', Least: '-9223372036854775808' }));
    await feature('INF', values({ Endless: '-INF' }, { Endless: -Infinity }));
}

async function operations() {
    const tagged = { attributes: { lang: 'en' }, $value: 'Zoë' };
    await feature('bare operation', async () => same(tagged, (await call(mirrors, 'Mirror', tagged))[0]));
    const found = { Count: 2, Word: ['one', 'two'] };
    await feature('several response elements', async () => same(found, (await call(calls, 'Find', { Text: 'find' }))[0]));
    await feature('header blocks in requests', async () => {
        calls.made.addSoapHeader({ Login: { Key: 'Zoë' } }, '', 'tns', 'urn:kinds:calls');
        calls.made.addSoapHeader({ 'h:Trace': { 'h:Id': 't1' } }, '', 'h', 'urn:trace');
        try {
            return same('in', (await call(calls, 'Enter', { Text: 'in' }))[0].EnterResult);
        } finally {
            calls.made.clearSoapHeaders();
        }
    });
    await feature('header blocks in responses', async () => {
        const [result, header] = await call(calls, 'Pay', { Text: 'pay' });
        return same(['paid', { Receipt: { Number: 7 }, Trace: { Id: 't2' } }], [result.PayResult, header]);
    });
    await feature('declared fault', async () => {
        try {
            return `no fault, but ${JSON.stringify(await call(calls, 'Fail', { Text: 'fail' }))}`;
        } catch (error) {
            const fault = error.root?.Envelope?.Body?.Fault;
            const detail = (version === '1.1' ? fault?.detail : fault?.Detail) ?? {};
            return same([{ Code: 7, Text: 'Zoë' }, 'it failed'], [detail.Problem, told(fault ?? {})]);
        }
    });
    await feature('one-way operation', async () => {
        const [result] = await call(calls, 'Forget', { Text: 'forget' });
        return result ? `a response: ${JSON.stringify(result)}` : undefined;
    });
    await feature('rpc/literal', async () => same(5, (await call(sums, 'Add', { a: 2, b: 3, note: tagged }))[0].sum));
}

async function main() {
    [kinds, calls, mirrors, sums] = await Promise.all(['Kinds', 'Calls', 'Mirrors', 'Sums'].map(client));
    await structures();
    await wildcards();
    await simpleTypes();
    await builtIn();
    await operations();
}

main().catch((error) => console.log(`the client gave up: ${error.stack}`));
