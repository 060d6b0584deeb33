// npm's soap and WS-Security: secured_node.js URL 1.1|1.2 KEYS, and secured_node.js serve WSDL
//
// It writes what it is told and nothing that the WSDL's policy says, and looks at nothing of Security
// in a response: there the library that it signs with is asked. WSSecurityCert signs Body by an Id in no
// namespace, in both versions.
//
// Its server (1.6.0, lib/server.js) gives Security to the program as an object that was made of the
// header, without the XML: a program compares tokens with it, which is tried with our client, but can
// verify no signature. It neither signs what it answers (a Timestamp is all that it knows to add) nor
// takes Security classes, as the client does. So there is no server of Signed and Both here.
'use strict';

const fs = require('fs');
const http = require('http');
const soap = require('soap'); // found through NODE_PATH: it is installed outside of this tree
const util = require('util');
const { SignedXml } = require('xml-crypto'); // comes with soap

const [base, version, keys] = process.argv.slice(2); // or `serve` and a file
const USER = 'alice';
const WORD = 'secret & <word>';
const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const RSA = 'http://www.w3.org/2001/04/xmldsig-more#';
const XMLDSIG = 'http://www.w3.org/2000/09/xmldsig#';
const SHA512 = 'http://www.w3.org/2001/04/xmlenc#sha512';
const AWKWARD = 'Café & <b>Straße</b> "€" \'ü\' ]]> 日本';
let passed = 0;
let failed = 0;

function check(name, good, found) {
    good ? passed++ : failed++;
    const more = good ? '' : `: ${util.inspect(found, { depth: 6, breakLength: Infinity })}`;
    console.log(`${good ? 'ok  ' : 'FAIL'} node ${version}, security: ${name}${more}`);
}

/** The port of the version under test, and how it was called last. */
async function open(service, security) {
    const client = await soap.createClientAsync(`${base}/soap/v3/${service}.asmx?wsdl`, {
        forceSoap12Headers: version === '1.2',
        disableCache: true,
    });
    if (security) client.setSecurity(security);
    return { client, port: client[service][service + (version === '1.1' ? 'Soap' : 'Soap12')] };
}

/** What a call gets: its result, or the fault's code and text. */
async function told(service, security, operation = 'Who', parameters = {}) {
    const { client, port } = await open(service, security);
    return new Promise((resolve) => {
        const done = (error, result) => {
            told.request = client.lastRequest;
            told.response = client.lastResponse;
            if (!error) return resolve(result[`${operation}Result`]);
            const fault = error.root?.Envelope?.Body?.Fault;
            if (!fault) return resolve(error.message);
            const code = version === '1.1' ? fault.faultcode : (fault.Code.Subcode ?? fault.Code).Value;
            const text = fault.faultstring ?? fault.Reason.Text.$value ?? fault.Reason.Text;
            resolve(`${String(code.$value ?? code).split(':').pop()}: ${text}`);
        };
        port[operation](parameters, done, { timeout: 10000 });
    });
}

async function refused(name, service, security, code) {
    const got = await told(service, security);
    check(name, String(got).startsWith(`${code}: `), got);
}

async function tokens() {
    for (const passwordType of ['PasswordText', 'PasswordDigest']) {
        const token = (word, more) =>
            new soap.WSSecurity(more?.user ?? USER, word, { passwordType, mustUnderstand: true, ...more });
        let got = await told('Tokens', token(WORD));
        check(`${passwordType}: served`, got === USER, got);
        got = await told('Tokens', token(WORD), 'Fail', { Text: 'no' });
        check(`${passwordType}: a fault of the method`, String(got).endsWith(': no'), got);
        await refused(`${passwordType}: another password`, 'Tokens', token('wrong'), 'FailedAuthentication');
        await refused(`${passwordType}: another user`, 'Tokens', token(WORD, { user: 'bob' }), 'FailedAuthentication');
        const bare = token(WORD, { hasTimeStamp: false });
        await refused(`${passwordType}: no Timestamp`, 'Tokens', bare, 'InvalidSecurity');
    }
    const text = new soap.WSSecurity(USER, WORD, { passwordType: 'PasswordText', hasNonce: true });
    const got = await told('Tokens', text);
    check('PasswordText with a nonce: served', got === USER, got);
    await refused('no token', 'Tokens', null, 'InvalidSecurity');
}

const read = (file) => fs.readFileSync(`${keys}/${file}`, 'utf8');
const signer = (name, options) => new soap.WSSecurityCert(read(`${name}.key`), read(`${name}.pem`), '', options);
/** Options by which its signatures are served. */
const plain = { signatureTransformations: [C14N] };

/** Whether a response's signature is of this certificate. */
function verifies(response, name) {
    const signature = new SignedXml({ publicCert: read(`${name}.pem`), idMode: 'wssecurity' });
    signature.loadSignature(response.match(/<ds:Signature .*<\/ds:Signature>/s)[0]);
    try {
        return signature.checkSignature(response) && signature.getSignedReferences().length === 2;
    } catch {
        return false;
    }
}

async function signatures() {
    for (const name of ['caller', 'pinned']) {
        let got = await told('Signed', signer(name, plain));
        check(`${name}: served`, got === `CN=${name}`, [got, told.request]);
        const id = /<soap:Body[^>]* Id="/.test(told.request);
        check(`${name}: by an Id in no namespace`, id, told.request);
        got = await told('Signed', signer(name, plain), 'Fail', { Text: 'no' });
        check(`${name}: a fault of the method`, String(got).endsWith(': no'), got);
        got = await told('Signed', signer(name, plain), 'Say', { Text: AWKWARD });
        check(`${name}: text that is escaped`, got === AWKWARD, got);
        check(`${name}: the response's signature holds`, verifies(told.response, 'service'), told.response);
        check(`${name}: and is no other's`, !verifies(told.response, 'stranger'), told.response);
    }
    const sha512 = { signatureAlgorithm: `${RSA}rsa-sha512`, digestAlgorithm: SHA512 };
    for (const [name, options] of [
        // Its defaults say a transform that takes an enveloped signature out, of which there is none.
        ['as it signs by default', {}],
        ['with a name of the algorithm', { signatureAlgorithm: `${RSA}rsa-sha256` }],
        ['by SHA-512', { ...plain, ...sha512 }],
        ['by wsu:Id', { ...plain, signerOptions: { idMode: 'wssecurity' } }],
        ['with a prefix', { ...plain, signerOptions: { prefix: 'dsig' } }],
    ]) {
        // The same content in the same second would be a copy: its ids are always the same.
        const got = await told('Signed', signer('caller', options), 'Say', { Text: name });
        check(`${name}: served`, got === name, got);
    }
    for (const [name, code, options] of [
        ['no Timestamp', 'InvalidSecurity', { hasTimeStamp: false }],
        ['Timestamp not signed', 'InvalidSecurity', { excludeReferencesFromSigning: ['Timestamp'] }],
        ['Body not signed', 'InvalidSecurity', { excludeReferencesFromSigning: ['Body'] }],
        ['signed by SHA-1', 'UnsupportedAlgorithm', { signatureAlgorithm: `${XMLDSIG}rsa-sha1` }],
        ['digests by SHA-1', 'UnsupportedAlgorithm', { digestAlgorithm: `${XMLDSIG}sha1` }],
    ])
        await refused(name, 'Signed', signer('caller', { ...plain, ...options }), code);
    await refused('a stranger', 'Signed', signer('stranger', plain), 'InvalidSecurityToken');
    const mixed = new soap.WSSecurityCert(read('caller.key'), read('pinned.pem'), '', plain);
    await refused("another's certificate", 'Signed', mixed, 'FailedCheck');
    await refused('no signature', 'Signed', null, 'InvalidSecurity');
    const both = new soap.WSSecurityPlusCert(new soap.WSSecurity(USER, WORD), signer('caller', plain));
    await refused('a token that is not wanted', 'Signed', both, 'InvalidSecurity');
}

/** A UsernameToken and a signature in one message. */
async function both() {
    for (const passwordType of ['PasswordText', 'PasswordDigest']) {
        const name = `${passwordType} and a signature`;
        const says = (word, options) =>
            new soap.WSSecurityPlusCert(
                new soap.WSSecurity(USER, word, { passwordType, hasTimeStamp: false }),
                signer('caller', { ...plain, ...options }),
            );
        const covering = { additionalReferences: ['wsse:UsernameToken'] };
        const got = await told('Both', says(WORD, covering));
        check(`${name}: served`, got === `${USER} by CN=caller`, [got, told.request]);
        check(`${name}: the response's signature holds`, verifies(told.response, 'service'), told.response);
        await refused(`${name}: another password`, 'Both', says('wrong', covering), 'FailedAuthentication');
        await refused(`${name}, which does not cover the token`, 'Both', says(WORD), 'InvalidSecurity');
    }
    await refused('a signature and no token', 'Both', signer('caller', plain), 'InvalidSecurity');
}

// --- The server -----------------------------------------------------------------------------------

/** The sender of a request; throws the fault for an invalid sender. Nonces are not cached. */
function caller(headers) {
    const token = headers?.Security?.UsernameToken ?? {};
    const isDigest = token.Password?.attributes?.Type?.endsWith('#PasswordDigest');
    const nonce = token.Nonce?.$value ?? token.Nonce;
    const wanted = isDigest ? soap.passwordDigest(nonce, token.Created, WORD) : WORD;
    const said = token.Password?.$value ?? token.Password;
    if (token.Username === USER && said === wanted && headers.Security.Timestamp) return USER;
    // Without a prefix: those that it declares are not the program's to choose.
    const text = 'not authenticated';
    throw isTwelve
        ? { Fault: { statusCode: 500, Code: { Value: 'soap:Sender' }, Reason: { Text: text } } }
        : { Fault: { statusCode: 500, faultcode: 'soap:Client', faultstring: text } };
}
let isTwelve = false;

/** A server of theirs answers in one version: there are two behind one, chosen by the request's type. */
function serve(wsdl) {
    const who = (_parameters, _done, headers) => ({ WhoResult: caller(headers) });
    const services = { Tokens: { TokensSoap: { Who: who }, TokensSoap12: { Who: who } } };
    const xml = fs.readFileSync(wsdl, 'utf8');
    const [eleven, twelve] = [false, true].map((forceSoap12Headers) => {
        const inner = http.createServer();
        soap.listen(inner, { path: '/Tokens', services, xml, forceSoap12Headers });
        return inner;
    });
    const outer = http.createServer((request, response) => {
        isTwelve = request.headers['content-type'].startsWith('application/soap+xml');
        (isTwelve ? twelve : eleven).emit('request', request, response);
    });
    outer.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${outer.address().port}`));
}

async function call() {
    await tokens();
    await signatures();
    await both();
    console.log(`${passed} passed, ${failed} failed`);
}

base === 'serve' ? serve(version) : call();
