// gSOAP with its plugin for WS-Security: secured_gsoap URL 1.1|1.2 KEYS
//
// Around what `wsdl2h` and `soapcpp2 -s` generate from the two WSDLs, whose policy has the plugin's
// header imported. The plugin sends what it is told; it verifies a reply, and what the reply has
// signed is asked here. The stubs do not say the version: the table of namespaces does.
#include <openssl/pem.h>

#include <array>
#include <iostream>
#include <string>
#include <utility>

#include "SignedSoap.nsmap"
#include "soapH.h"
#include "wsseapi.h"

namespace {

const std::string user = "alice";
const std::string word = "secret & <word>";
const std::string wsu =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";

std::string address;
std::string version;
std::string keys;
int passed = 0;
int failed = 0;

void check(const std::string& name, bool good, const std::string& found = "") {
    ++(good ? passed : failed);
    std::cout << (good ? "ok  " : "FAIL") << " gsoap " << version << ", security: " << name
              << (good ? "" : ": " + found) << std::endl;
}

std::string text(const char* const* of) { return of && *of ? *of : "(absent)"; }

/// The table that was generated, with the two of SOAP 1.1 at its beginning.
const Namespace* names_of_version() {
    if (version == "1.2") return namespaces;
    static std::array<Namespace, 64> made{};
    for (std::size_t i = 0; namespaces[i].id != nullptr && i + 1 < made.size(); ++i)
        made[i] = namespaces[i];
    for (std::size_t i : {0, 1})
        std::swap(made[i].ns, made[i].in);
    return made.data();
}

/// One call: a context of its own, prepared by what the case says of itself.
class conversation {
public:
    conversation() {
        soap_register_plugin(context, soap_wsse);
        soap_set_namespaces(context, names_of_version());
    }
    conversation(const conversation&) = delete;
    conversation& operator=(const conversation&) = delete;
    ~conversation() {
        soap_destroy(context);
        soap_end(context);
        soap_free(context);
    }

    /// Who the service says has called, or the fault's code and text.
    std::string tokens() {
        _ns1__Who request;
        _ns1__WhoResponse response;
        const std::string url = address + "/soap/v3/Tokens.asmx";
        const int done = soap_call___ns1__Who(context, url.c_str(), nullptr, &request, response);
        return done == SOAP_OK ? response.WhoResult : fault();
    }
    std::string with_signature() {
        _ns2__Who request;
        _ns2__WhoResponse response;
        const std::string url = address + "/soap/v3/Signed.asmx";
        const int done = soap_call___ns2__Who(context, url.c_str(), nullptr, &request, response);
        return done == SOAP_OK ? response.WhoResult : fault();
    }
    /// The fault of a method.
    std::string fail_with_signature() {
        std::string reason = "no";
        _ns2__Fail request;
        request.Text = reason;
        _ns2__FailResponse response;
        const std::string url = address + "/soap/v3/Signed.asmx";
        const int done = soap_call___ns2__Fail(context, url.c_str(), nullptr, &request, response);
        return done == SOAP_OK ? "(no fault)" : fault();
    }

    struct soap* context = soap_new1(SOAP_XML_STRICT | SOAP_XML_CANONICAL);

private:
    std::string fault() {
        if (context->fault == nullptr) soap_set_fault(context);
        const bool is_old = version == "1.1";
        const std::string code =
            text(is_old ? soap_faultcode(context) : soap_faultsubcode(context));
        return code + ": " + text(soap_faultstring(context));
    }
};

void refused(const std::string& name, const std::string& got, const std::string& code) {
    check(name, got.rfind(code + ": ", 0) == 0, got);
}

// --- UsernameToken -------------------------------------------------------------------------------

using add_token = int (*)(struct soap*, const char*, const char*, const char*);

std::string call_with(add_token add, const std::string& who, const std::string& said) {
    conversation with;
    soap_wsse_add_Timestamp(with.context, nullptr, 300);
    if (add) add(with.context, nullptr, who.c_str(), said.c_str());
    return with.tokens();
}

void try_tokens(const std::string& form, add_token add) {
    const std::string got = call_with(add, user, word);
    check(form + ": served", got == user, got);
    refused(
        form + ": another password", call_with(add, user, "wrong"), "wsse:FailedAuthentication");
    refused(form + ": another user", call_with(add, "bob", word), "wsse:FailedAuthentication");
    conversation bare;
    add(bare.context, nullptr, user.c_str(), word.c_str());
    refused(form + ": no Timestamp", bare.tokens(), "wsse:InvalidSecurity");
}

// --- X.509 ---------------------------------------------------------------------------------------

/// Reads the first object of a kind from a PEM file.
template <class Read>
auto from_file(const std::string& file, Read read) {
    BIO* const in = BIO_new_file((keys + "/" + file).c_str(), "r");
    auto* const made = read(in, nullptr, nullptr, nullptr);
    BIO_free(in);
    return made;
}

/// What differs from a message that is served.
struct difference {
    std::string name = "caller";
    std::string certificate = "";  ///< empty: that of the name
    std::string authority = "authority";  ///< who must vouch for the service
    int algorithm = SOAP_SMD_SIGN_RSA_SHA256;
    bool has_timestamp = true;
    const char* timestamp_id = "Time";  ///< what has one is signed
};

/// Has a message signed, and its reply verified.
void prepare(conversation& with, const difference& how) {
    static std::string trusted;
    trusted = keys + "/" + how.authority + ".pem";
    with.context->cafile = trusted.c_str();
    const std::string certificate = how.certificate.empty() ? how.name : how.certificate;
    EVP_PKEY* const key = from_file(how.name + ".key", PEM_read_bio_PrivateKey);
    X509* const x509 = from_file(certificate + ".pem", PEM_read_bio_X509);
    // Its ids are the same in all messages, and its times whole seconds: two of one content in a
    // second would be one that was copied, and the service takes each once.
    static long lifetime = 300;
    if (how.has_timestamp) soap_wsse_add_Timestamp(with.context, how.timestamp_id, ++lifetime);
    soap_wsse_add_BinarySecurityTokenX509(with.context, "Token", x509);
    soap_wsse_add_KeyInfo_SecurityTokenReferenceX509(with.context, "#Token");
    soap_wsse_sign_body(with.context, how.algorithm, key, 0);
    soap_wsse_verify_auto(with.context, SOAP_SMD_NONE, nullptr, 0);
}

std::string call_signed(const difference& how) {
    conversation with;
    prepare(with, how);
    return with.with_signature();
}

void try_signer(const std::string& name) {
    conversation with;
    prepare(with, {.name = name});
    const std::string got = with.with_signature();
    check(name + ": served, and the reply's signature holds", got == "CN=" + name, got);
    check(name + ": the reply's Body is signed", soap_wsse_verify_body(with.context) == SOAP_OK);
    check(name + ": its Timestamp", soap_wsse_verify_Timestamp(with.context) == SOAP_OK);
    const auto stamps = soap_wsse_verify_element(with.context, wsu.c_str(), "Timestamp");
    check(name + ": which is signed", stamps == 1, std::to_string(stamps));

    conversation failing;
    prepare(failing, {.name = name});
    const std::string fault = failing.fail_with_signature();
    check(name + ": a fault of the method", fault.find(": no") != fault.npos, fault);
    check(name + ": which is signed", soap_wsse_verify_body(failing.context) == SOAP_OK);
}

void try_signatures() {
    try_signer("caller");
    try_signer("pinned");
    const std::string got = call_signed({.algorithm = SOAP_SMD_SIGN_RSA_SHA512});
    check("by SHA-512: served", got == "CN=caller", got);
    refused(
        "by SHA-1",
        call_signed({.algorithm = SOAP_SMD_SIGN_RSA_SHA1}),
        "wsse:UnsupportedAlgorithm");
    refused("a stranger", call_signed({.name = "stranger"}), "wsse:InvalidSecurityToken");
    refused("another's certificate", call_signed({.certificate = "pinned"}), "wsse:FailedCheck");
    refused("no Timestamp", call_signed({.has_timestamp = false}), "wsse:InvalidSecurity");
    refused("one not signed", call_signed({.timestamp_id = nullptr}), "wsse:InvalidSecurity");
    refused(
        "a reply of whom nobody vouches for",
        call_signed({.authority = "stranger"}),
        "wsse:SecurityTokenUnavailable");
    conversation bare;
    soap_wsse_add_Timestamp(bare.context, "Time", 300);
    refused("no signature", bare.with_signature(), "wsse:InvalidSecurity");
}

}  // namespace

int main(int, char** arguments) {
    address = arguments[1];
    version = arguments[2];
    keys = arguments[3];
    try_tokens("text", soap_wsse_add_UsernameTokenText);
    try_tokens("digest", soap_wsse_add_UsernameTokenDigest);
    refused("no token", call_with(nullptr, "", ""), "wsse:InvalidSecurity");
    try_signatures();
    std::cout << passed << " passed, " << failed << " failed" << std::endl;
}
