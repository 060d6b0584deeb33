// npm's soap with MTOM: mtom_node.js URL 1.1|1.2 ATTACH_BYTES
//
// It writes parts and reads them, but knows of none what element they belong to: the xop:Include is
// written by hand, as XML, and the part that one of a response refers to is looked up by hand. It says
// text/xml of the envelope in SOAP 1.2 as well (start-info, and `type` of the root), which is wrong:
// taken, since the envelope says itself which version it is. Its server has no MTOM: it takes the body
// of a request for XML, whatever its Content-Type, and answers with that type; it is not called here.

'use strict';

const soap = require('soap'); // found through NODE_PATH: it is installed outside of this tree

const [base, version, least] = process.argv.slice(2);
const TEXT = 'Straße <&>';
const XOP = 'http://www.w3.org/2004/08/xop/include';
let passed = 0;
let failed = 0;

function check(name, good, found) {
    good ? passed++ : failed++;
    console.log(`${good ? 'ok  ' : 'FAIL'} node ${version}, MTOM: ${name}${good ? '' : `: ${found}`}`);
}

/** All bytes that there are, line ends and beginnings of boundaries among them. */
function bytes(size) {
    const made = Buffer.alloc(size);
    for (let at = 0; at < size; at++) made[at] = at * 7 + Math.floor(at / 256);
    return made;
}

async function connect(options) {
    const made = await soap.createClientAsync(`${base}/soap/v3/Parcels.asmx?wsdl`, {
        forceSoap12Headers: version === '1.2',
        disableCache: true,
        ...options,
    });
    return made.Parcels[version === '1.1' ? 'ParcelsSoap' : 'ParcelsSoap12'];
}

/** The result, the bytes that its content stands for, and whether those were a part. */
function call(port, operation, parameters, options) {
    return new Promise((resolve, reject) => {
        port[operation](
            parameters,
            (error, result, raw, header, sent, parts) => {
                if (error) return reject(error);
                const { Text, Content: content } = result.CarryResult ?? result;
                const href = content?.Include?.attributes?.href;
                if (href === undefined)
                    return resolve([Text, Buffer.from(content ?? '', 'base64'), false, parts]);
                const id = `<${decodeURIComponent(href.replace(/^cid:/, ''))}>`;
                const found = parts.parts.filter((part) => part.headers['content-id'] === id);
                resolve([Text, found.length === 1 ? found[0].body : undefined, true, parts]);
            },
            { timeout: 10000, ...options },
        );
    });
}

async function inParts(port, operation, size) {
    const contentId = `a${size}@node`;
    const attachment = { mimetype: 'application/octet-stream', contentId, name: 'a', body: bytes(size) };
    const $xml = `<xop:Include xmlns:xop="${XOP}" href="cid:${contentId}"/>`;
    const options = { attachments: [attachment] };
    const [text, content, isPart, parts] = await call(port, operation, { Text: TEXT, Content: { $xml } }, options);
    const what = `${operation}, ${size} bytes`;
    check(what, text === TEXT && content?.equals(bytes(size)), `${text}, ${content?.length} bytes`);
    const wanted = operation === 'Pour' || size >= Number(least); // a stream is a part, however short
    check(`${what}, answered in parts`, parts !== undefined && isPart === wanted, isPart);
}

async function inline(port, operation, size) {
    const parameters = { Text: TEXT, Content: bytes(size).toString('base64') };
    const [text, content, isPart, parts] = await call(port, operation, parameters);
    const what = `${operation}, ${size} bytes, base64`;
    check(what, text === TEXT && content.equals(bytes(size)), `${text}, ${content.length} bytes`);
    check(`${what}, answered so`, parts === undefined && !isPart, isPart);
}

async function fault(port) {
    const attachment = { mimetype: 'text/plain', contentId: 'unused@node', name: 'a', body: Buffer.from('x') };
    const parameters = { Text: 'refused', Content: 'AAAA' };
    const options = { attachments: [attachment] };
    const refused = await call(port, 'Carry', parameters, options).catch((error) => error.root?.Envelope?.Body?.Fault);
    const reason = refused?.faultstring ?? refused?.Reason?.Text?.$value ?? refused?.Reason?.Text;
    check('a fault', reason === 'refused', JSON.stringify(refused));
}

(async () => {
    const port = await connect({ parseReponseAttachments: true });
    const plain = await connect({});
    for (const operation of ['Carry', 'Pour'])
        for (const size of [0, 10, 1024, 1000000]) {
            await inParts(port, operation, size);
            await inline(plain, operation, size);
        }
    await fault(port);
    console.log(`${passed} passed, ${failed} failed`);
})();
