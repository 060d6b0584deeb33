// npm's soap against the payroll demo: client_node.js URL 1.1|1.2 full|token
//
// Reads the three WSDLs, calls all six operations, checks typed values, faults and a round trip.
// The other two clients in this folder make the same checks under the same names.

'use strict';

const soap = require('soap'); // found through NODE_PATH: it is installed outside of this tree
const util = require('util');

const [base, version, mode] = process.argv.slice(2);
const NAMESPACES = 'https://payroll.example.com/soap/v3/';
const AWKWARD = 'Café & <b>Straße</b> "€" \'ü\' ]]> 日本';
const DOMAIN = { Domain: 'acme' };
const INVALID = 'Invalid Authentication';
const UNAUTHORIZED = 'Unauthorized access';
let passed = 0;
let failed = 0;

function check(name, good, found) {
    good ? passed++ : failed++;
    const more = good ? '' : `: ${util.inspect(found, { depth: 6, breakLength: Infinity })}`;
    console.log(`${good ? 'ok  ' : 'FAIL'} node ${version}: ${name}${more}`);
}

// This client types a response by the WSDL only if the envelope declares the prefix `soap`, whatever the
// version: ours does, and numbers and booleans must arrive as such.
const equal = (a, b) => util.isDeepStrictEqual(a, b);
const isNumber = (value) => Number.isInteger(value);

// This client reads an empty element as null or an empty object where it has no value to show.
const list = (value) => (value === null || value === undefined ? [] : [].concat(value));

/** One WSDL, bound to the port of the version under test. */
class Service {
    static async read(name) {
        const service = new Service();
        service.name = name;
        service.client = await soap.createClientAsync(`${base}/soap/v3/${name}.asmx?wsdl`, {
            forceSoap12Headers: version === '1.2',
            disableCache: true,
        });
        service.port = service.client[name][name + (version === '1.1' ? 'Soap' : 'Soap12')];
        return service;
    }

    async call(operation, parameters, header) {
        this.client.clearSoapHeaders();
        if (header) {
            this.client.addSoapHeader({ AuthHeaderWithDomain: header }, '', 'tns', NAMESPACES + this.name);
        }
        const response = await new Promise((resolve, reject) => {
            const done = (error, result, raw) => {
                this.raw = raw;
                error ? reject(error) : resolve(result);
            };
            this.port[operation](parameters, done, { timeout: 10000 });
        });
        return response === null ? undefined : response[operation + 'Result'];
    }

    /** The call must fail with the code in the text, and typed in the detail where there is one. */
    async fault(name, [code, message], operation, parameters, header) {
        let fault;
        try {
            check(name, false, await this.call(operation, parameters, header));
            return;
        } catch (error) {
            fault = error.root?.Envelope?.Body?.Fault;
            if (fault === undefined) {
                check(name, false, error.message);
                return;
            }
        }
        const old = version === '1.1';
        const text = old ? fault.faultstring : (fault.Reason?.Text?.$value ?? fault.Reason?.Text);
        check(name, text === `Unable to process request. ---> ${code}: ${message}`, fault);
        const kind = String(old ? fault.faultcode : fault.Code?.Value).split(':').pop();
        check(`${name}, its code`, kind === (old ? 'Client' : 'Sender'), fault);
        const detail = old ? fault.detail : fault.Detail;
        if (old && (code === 1001 || code === 1003)) {
            // SOAP 1.1, 4.4: an error about a header block carries no detail.
            if (code === 1001 && this.name !== 'SingleSignOn') {
                check(`${name}, no detail`, detail === undefined, detail);
            }
            return;
        }
        const found = [Number(detail?.Error?.Code), detail?.Error?.Message];
        check(`${name}, its detail`, equal(found, [code, message]), detail);
    }

    /** The text of that child of the elements of the raw response: undefined where there is none. */
    texts(element, child) {
        const elements = this.raw.match(new RegExp(`<${element}>.*?</${element}>`, 'gs')) ?? [];
        return elements.map((xml) => {
            const found = xml.match(new RegExp(`<${child}\\s*(?:/>|>(.*?)</${child}>)`, 's'));
            return found ? (found[1] ?? '') : undefined;
        });
    }
}

const column = (rows, name) => rows.map((row) => row[name]);

async function addresses(employees, employee, header) {
    const result = await employees.call('Address_GetListCurrent', { EmployeeId: employee }, header);
    return list(result?.EmployeeAddress);
}

async function signOnChecks(signOn) {
    const tokens = {
        GetToken2: await signOn.call('GetToken2', { Username: 'alice', Token: 'api-token-alice' }),
        GetToken: await signOn.call('GetToken', { Username: 'alice', Password: 'correct horse' }),
        GetTokenWithDomain: await signOn.call('GetTokenWithDomain', {
            Username: 'alice',
            Password: 'correct horse',
            Domain: 'acme',
        }),
    };
    for (const [name, token] of Object.entries(tokens)) {
        check(`${name} answers a token`, /^[A-Za-z0-9_-]{43}$/.test(token), token);
    }
    check('every token is a new one', new Set(Object.values(tokens)).size === 3, tokens);
    const envelope =
        version === '1.1' ? 'http://schemas.xmlsoap.org/soap/envelope/' : 'http://www.w3.org/2003/05/soap-envelope';
    check('the response speaks the version', signOn.raw.includes(`="${envelope}"`), signOn.raw);
    const wrong = [1001, INVALID];
    await signOn.fault('GetToken2, wrong API token', wrong, 'GetToken2', { Username: 'alice', Token: 'wrong' });
    await signOn.fault('GetToken, wrong password', wrong, 'GetToken', { Username: 'alice', Password: 'wrong' });
    await signOn.fault('GetTokenWithDomain, unknown domain', wrong, 'GetTokenWithDomain', {
        Username: 'alice',
        Password: 'correct horse',
        Domain: 'nowhere',
    });
    return tokens.GetToken2;
}

async function listChecks(employees) {
    const found = await addresses(employees, 1, DOMAIN);
    check('employee 1 has three addresses', found.length === 3, found);
    check('types', equal(column(found, 'Type'), ['HomeAddress', 'PostAddress', 'WorkAddress']), found);
    check('one default, the first', equal(column(found, 'Default'), [true, false, false]), found);
    const ids = column(found, 'Id');
    const sorted = [...new Set(ids)].sort((a, b) => a - b);
    check('ids are numbers in order', ids.every(isNumber) && equal(ids, sorted), ids);
    const names = ['Street', 'HouseNumber', 'PostalCode', 'City', 'CountryISOCode'];
    check('the other fields are filled', found.every((a) => names.every((n) => a[n])), found);
    const additions = employees.texts('EmployeeAddress', 'HouseNumberAddition');
    const states = employees.texts('EmployeeAddress', 'StateProvince');
    const count = (values, value) => values.filter((v) => v === value).length;
    check(
        'one HouseNumberAddition is absent',
        count(additions, undefined) === 1 && count(additions, '') === 0,
        additions,
    );
    check('one StateProvince is empty', count(states, '') === 1 && count(states, undefined) === 0, states);
    check('employee 2 has none', equal(await addresses(employees, 2, DOMAIN), []));
    const many = await addresses(employees, 100, DOMAIN);
    check('employee 100 has a hundred', many.length === 100 && new Set(column(many, 'Id')).size === 100, many.length);
    check('employee 3 of the other domain', (await addresses(employees, 3, { Domain: 'globex' })).length === 1);
}

async function headerChecks(employees, token) {
    const served = async (header) => (await addresses(employees, 1, header)).length === 3;
    const full = { Username: 'alice', Token: token, Domain: 'acme' };
    check('header with an issued token', await served(full));
    check('header with the API token', await served({ ...full, Token: 'api-token-alice' }));
    check('header without Domain', await served({ Username: 'alice', Token: token }));

    const refused = (name, expected, header, employee = 1) =>
        employees.fault(name, expected, 'Address_GetListCurrent', { EmployeeId: employee }, header);
    await refused('wrong token', [1001, INVALID], { ...full, Token: 'wrong' });
    await refused('missing header', [1001, INVALID], null);
    await refused('unknown domain', [1001, INVALID], { Domain: 'nowhere' });
    await refused('the domain of others', [1003, UNAUTHORIZED], { ...full, Domain: 'globex' });
    await refused('unknown employee', [2003, UNAUTHORIZED], DOMAIN, 4711);
    await refused('employee of another domain', [2003, UNAUTHORIZED], DOMAIN, 3);
}

async function insertChecks(employees) {
    const insert = (address) =>
        employees.call(
            'Address_InsertCurrent',
            { EmployeeId: 2, Address: { Id: 0, Default: false, ...address } },
            DOMAIN,
        );
    const sent = {
        Street: AWKWARD,
        HouseNumber: '12',
        PostalCode: '1011 AB',
        City: ' é ',
        StateProvince: '',
        CountryISOCode: 'NL',
        Type: 'HolidaysAddress',
    };
    const newId = await insert(sent);
    check('insert answers a number', isNumber(newId) && Number(newId) > 0, newId);
    const found = await addresses(employees, 2, DOMAIN);
    check('the inserted address is listed alone', equal(column(found, 'Id'), [newId]), found);
    // This client trims text and reads an empty element as null, so these two come from the response.
    const raw = (name) => employees.texts('EmployeeAddress', name)[0];
    const back = { ...found[0], City: raw('City'), StateProvince: raw('StateProvince') };
    check('it reads back as it was sent', equal(back, { ...sent, Id: newId, Default: false }), back);
    const escaped = AWKWARD.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    check('in the raw response as well', raw('Street') === escaped, raw('Street'));
    check('the absent string stays absent', raw('HouseNumberAddition') === undefined);
    const bare = await insert({ Default: true, Type: 'WeekendAddress' });
    const last = await insert({ Default: true, Type: 'WorkAddress' });
    check('ids rise', Number(newId) < Number(bare) && Number(bare) < Number(last), [newId, bare, last]);
    const all = await addresses(employees, 2, DOMAIN);
    check('a new default replaces the old', equal(column(all, 'Default'), [false, false, true]), all);
    check('all strings absent', equal(Object.keys(all[1]), ['Id', 'Default', 'Type']), all[1]);
    const nobody = { EmployeeId: 4711, Address: { Id: 0, Default: false, Type: 'HomeAddress' } };
    await employees.fault(
        'insert for an unknown employee',
        [2003, UNAUTHORIZED],
        'Address_InsertCurrent',
        nobody,
        DOMAIN,
    );
}

async function debtorChecks(debtors, token) {
    const settings = async (debtor, header) =>
        list((await debtors.call('WebhookSettings_Get', { DebtorId: debtor }, header))?.WebhookSetting);
    const found = await settings(1, DOMAIN);
    const described = found.map((s) => [s.WebhookSettingId, s.Name, s.Active]);
    const wanted = [
        [1, 'Payroll runs', true],
        [2, 'Archive', false],
    ];
    check('debtor 1 has its settings', equal(described, wanted), found);
    check('with an endpoint each', found.every((s) => s.Endpoint), found);
    const events = list(found[0]?.Event).map((e) => [e.EventId, e.EventName, e.Active]);
    const wantedEvents = [
        [1, 'Run Finish', true],
        [2, 'Journals Finish', false],
    ];
    check('with events', equal(events, wantedEvents), events);
    check('or without', list(found[1]?.Event).length === 0, found[1]);
    check('debtor 2 has none', equal(await settings(2, DOMAIN), []));
    check('debtor 3 of the other domain', (await settings(3, { Domain: 'globex' })).length === 1);
    const full = { Username: 'alice', Token: token, Domain: 'acme' };
    check('with an issued token', (await settings(1, full)).length === 2);
    const refused = (name, expected, debtor, header) =>
        debtors.fault(name, expected, 'WebhookSettings_Get', { DebtorId: debtor }, header);
    await refused('unknown debtor', [2009, UNAUTHORIZED], 4711, DOMAIN);
    await refused('debtor of another domain', [2009, UNAUTHORIZED], 3, DOMAIN);
    await refused('debtor, missing header', [1001, INVALID], 1, null);
}

/** Against a server that was started with --auth token --no-deprecated. */
async function tokenChecks(signOn, employees, debtors, token) {
    const password = { Username: 'alice', Password: 'correct horse' };
    const told = (error) => JSON.stringify(error.root ?? error.message);
    const text = await signOn.call('GetToken', password).catch(told);
    check('--no-deprecated: GetToken', text.includes('use GetToken2 instead'), text);
    const full = { Username: 'alice', Token: token, Domain: 'acme' };
    check('--auth token: with a token', (await addresses(employees, 1, full)).length === 3);
    const wrong = [1001, INVALID];
    const name = '--auth token: Domain alone';
    await employees.fault(name, wrong, 'Address_GetListCurrent', { EmployeeId: 1 }, DOMAIN);
    await debtors.fault(`${name}, debtor`, wrong, 'WebhookSettings_Get', { DebtorId: 1 }, DOMAIN);
}

async function main() {
    const names = ['SingleSignOn', 'EmployeeService', 'DebtorService'];
    const [signOn, employees, debtors] = await Promise.all(names.map(Service.read));
    check('the WSDLs are read', true);
    if (mode === 'token') {
        const token = await signOn.call('GetToken2', { Username: 'alice', Token: 'api-token-alice' });
        await tokenChecks(signOn, employees, debtors, token);
        return;
    }
    const token = await signOnChecks(signOn);
    await listChecks(employees);
    await headerChecks(employees, token);
    await insertChecks(employees);
    await debtorChecks(debtors, token);
}

main()
    // a client that gives up is a failed check, not a missing one
    .catch((error) => check("no error of the client's own", false, error.message))
    .finally(() => {
        console.log(`${passed} passed, ${failed} failed`);
        process.exit(failed === 0 ? 0 : 1);
    });
