// [signatures]: which signatures hold, whose, and which are refused, with which fault.

#include <catch2/catch.hpp>

#include "signing.hpp"

using namespace std::string_literals;
using namespace std::string_view_literals;
using namespace signing;
using soapsvc::fault;
using soapsvc::signature_trust;

namespace {

constexpr std::string_view soap11 = "http://schemas.xmlsoap.org/soap/envelope/";

const certificate& authority() {
    static const certificate made = make("Authority", nullptr, {.authority = true});
    return made;
}
const certificate& caller() {
    static const certificate made = make("caller", &authority());
    return made;
}

/// An envelope around what Security and Body hold.
std::string envelope(
    const std::string& security, std::string_view body = "<m:Pay xmlns:m='urn:m'/>") {
    std::string made = "<s:Envelope xmlns:s='";
    made.append(soap11).append("' xmlns:wsse='").append(impl::wsse_ns);
    made.append("' xmlns:wsu='").append(impl::wsu_ns).append("'><s:Header><wsse:Security>");
    made.append(security).append("</wsse:Security></s:Header><s:Body wsu:Id='body'>");
    return made.append(body).append("</s:Body></s:Envelope>");
}

signature_trust by_authority() { return {.authorities_file = authority().certificate_file}; }
signature_trust pinned() { return {.certificates_file = caller().certificate_file}; }

/// A side that verifies, and remembers certificates for as long as it lives.
struct verifier {
    explicit verifier(const signature_trust& from) : options(from), trust(options) {}
    signature_trust options;
    impl::certificate_trust trust;
};

/// What a message is found to have signed, as the names of the elements and the subject.
std::string verified(const std::string& text, const verifier& by, std::time_t now = time(nullptr)) {
    impl::xml_document document;
    soapsvc::soap_version version{};
    const impl::envelope message = impl::open_envelope(document.parse(text, "utf-8", {}), version);
    impl::signature_check check(by.options, by.trust, message, message.header.first_child());
    const impl::verified_signature found = check.verify(now);
    std::string made;
    for (const impl::signed_part& each : found.parts)
        made.append(each.apex.local()).append(" ");
    return made + "by " + found.subject;
}
std::string verified(const std::string& text, const signature_trust& trust) {
    return verified(text, verifier(trust));
}

/// The subcode and the reason of the fault that refuses it.
std::string refusal(const std::string& text, const verifier& by, std::time_t now = time(nullptr)) {
    try {
        return "taken: " + verified(text, by, now);
    } catch (const fault& refused) {
        CHECK(refused.code() == soapsvc::fault_code::client);
        CHECK(refused.is_about_header());
        CHECK(refused.subcodes().at(0).ns == impl::wsse_ns);
        return refused.subcode() + ": " + refused.reason();
    }
}
std::string refusal(
    const std::string& text, const signature_trust& trust, std::time_t now = time(nullptr)) {
    return refusal(text, verifier(trust), now);
}

const std::string by_caller = "Body by CN=caller,O=Test\\, Inc.,C=NL";
const std::string bad_token = "InvalidSecurityToken: Security: the security token is not valid";
const std::string bad_check = "FailedCheck: Security: the signature does not hold";

/// A message whose Body is signed, with the token in it.
std::string signed_body(
    const certificate& by,
    std::string_view algorithm = ecdsa_sha256,
    std::string_view digest = sha256) {
    return filled(
        envelope(
            token_element(by) + signature(reference("body", digest), token_reference(), algorithm)),
        by.key);
}
/// The same, the token named in another way.
std::string signed_with(const std::string& token) {
    return filled(envelope(signature(reference("body"), token)), caller().key);
}
std::string key_identifier(std::string_view kind, const std::string& value) {
    std::string made = "<wsse:KeyIdentifier ValueType='";
    return made.append(kind).append("'>").append(value).append("</wsse:KeyIdentifier>");
}
std::string issuer_serial(const std::string& issuer, const std::string& serial) {
    return "<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>" + issuer +
           "</ds:X509IssuerName><ds:X509SerialNumber>" + serial +
           "</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>";
}

}  // namespace

// --- What holds ----------------------------------------------------------------------------------

TEST_CASE(
    "a signature holds for the element it was made of, and says whose it is", "[signatures]") {
    CHECK(verified(signed_body(caller()), by_authority()) == by_caller);
    CHECK(verified(signed_body(caller()), pinned()) == by_caller);
}

TEST_CASE("keys of RSA and ECDSA sign by SHA-256 and longer", "[signatures]") {
    const certificate rsa = make("rsa", &authority(), {.key = "2048"});
    for (const impl::signature_algorithm& each : impl::signature_algorithms) {
        if (each.digest == "SHA1"sv) continue;
        const certificate& by = each.key == EVP_PKEY_RSA ? rsa : caller();
        INFO(each.name);
        CHECK(
            refusal(signed_body(by, each.name), by_authority()).starts_with("taken: Body by CN="));
    }
    for (const char* curve : {"P-384", "P-521"}) {
        const certificate by = make("curve", &authority(), {.key = curve});
        CHECK(
            refusal(signed_body(by), by_authority()) ==
            "taken: Body by CN=curve,O=Test\\, Inc.,C=NL");
    }
    for (const impl::digest_algorithm& each : impl::digest_algorithms)
        if (each.digest != "SHA1"sv)
            CHECK(
                refusal(signed_body(caller(), ecdsa_sha256, each.name), pinned()) ==
                "taken: " + by_caller);
}

TEST_CASE("SHA-1 is for those who say so, for digests and signatures apart", "[signatures]") {
    const std::string sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";
    const std::string ecdsa_sha1 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1";
    const std::string digest = signed_body(caller(), ecdsa_sha256, sha1);
    const std::string signature = signed_body(caller(), ecdsa_sha1);
    signature_trust trust = pinned();
    const std::string no_digest =
        "UnsupportedAlgorithm: Security: DigestMethod '" + sha1 + "' is not served";
    const std::string no_signature =
        "UnsupportedAlgorithm: Security: SignatureMethod '" + ecdsa_sha1 + "' is not served";
    CHECK(refusal(digest, trust) == no_digest);
    CHECK(refusal(signature, trust) == no_signature);
    trust.sha1_digests = true;
    CHECK(refusal(digest, trust) == "taken: " + by_caller);
    CHECK(refusal(signature, trust) == no_signature);
    trust.sha1_digests = false;
    trust.sha1_signatures = true;
    CHECK(refusal(digest, trust) == no_digest);
    CHECK(refusal(signature, trust) == "taken: " + by_caller);
}

TEST_CASE("prefixes of a PrefixList are part of what is signed", "[signatures]") {
    const std::string kept =
        "<e:InclusiveNamespaces xmlns:e='http://www.w3.org/2001/10/xml-exc-c14n#' "
        "PrefixList='p #default'/>";
    const std::string text = filled(
        replaced(
            envelope(
                token_element(caller()) +
                signature(reference("body", sha256, kept), token_reference(), ecdsa_sha256, kept)),
            "<s:Envelope",
            "<s:Envelope xmlns:p='urn:p'"),
        caller().key);
    CHECK(refusal(text, pinned()) == "taken: " + by_caller);
    CHECK(refusal(replaced(text, "urn:p", "urn:q"), pinned()) == bad_check);
}

TEST_CASE("a certificate that is known is named in four ways", "[signatures]") {
    const certificate& by = caller();
    const std::string taken = "taken: " + by_caller;
    CHECK(refusal(signed_with(issuer_serial(by.issuer(), by.serial())), pinned()) == taken);
    CHECK(
        refusal(
            signed_with(issuer_serial("C = NL, O = Test\\, Inc., CN=Authority", by.serial())),
            pinned()) == taken);
    CHECK(
        refusal(
            signed_with(key_identifier(impl::x509_key_identifier, by.key_identifier())),
            pinned()) == taken);
    CHECK(
        refusal(signed_with(key_identifier(impl::thumbprint_sha1, by.thumbprint())), pinned()) ==
        taken);
    CHECK(refusal(signed_with(key_identifier(impl::x509_v3, by.base64())), pinned()) == taken);
}

TEST_CASE("a certificate that is not known cannot be found", "[signatures]") {
    const certificate& by = caller();
    const std::string missing =
        "SecurityTokenUnavailable: Security: the security token cannot be found";
    CHECK(refusal(signed_with(issuer_serial(by.issuer(), "1")), pinned()) == missing);
    CHECK(refusal(signed_with(issuer_serial("CN=Other", by.serial())), pinned()) == missing);
    CHECK(
        refusal(signed_with(key_identifier(impl::x509_key_identifier, "AAAA")), pinned()) ==
        missing);
    CHECK(refusal(signed_with(key_identifier(impl::thumbprint_sha1, "AAAA")), pinned()) == missing);
    CHECK(
        refusal(
            signed_with(key_identifier(impl::thumbprint_sha1, by.thumbprint())), by_authority()) ==
        missing);
}

// --- Whom nobody believes ------------------------------------------------------------------------

TEST_CASE("a certificate that was believed before is asked for again", "[signatures]") {
    const verifier by(by_authority());
    const std::string text = signed_body(caller());
    const std::time_t now = time(nullptr);
    const std::time_t late = now + 60L * 86'400;
    for (int turn = 0; turn != 2; ++turn) {
        CHECK(refusal(text, by, now) == "taken: " + by_caller);
        CHECK(refusal(text, by, late) == bad_token);
        CHECK(refusal(replaced(text, "urn:m", "urn:n"), by, now) == bad_check);
    }
}

TEST_CASE("of many certificates each is its own", "[signatures]") {
    const verifier by(by_authority());
    std::vector<std::string> texts{signed_body(caller())};
    std::vector<std::string> names{"caller"};
    for (int count = 0; count != 40; ++count) {  // more than are remembered
        names.push_back("caller" + std::to_string(count));
        texts.push_back(signed_body(make(names.back().c_str(), &authority())));
    }
    const certificate strange = make("caller");
    for (int turn = 0; turn != 2; ++turn) {
        for (std::size_t each = 0; each != texts.size(); ++each)
            CHECK(
                refusal(texts[each], by) ==
                "taken: Body by CN=" + names[each] + ",O=Test\\, Inc.,C=NL");
        CHECK(refusal(signed_body(strange), by) == bad_token);
    }
}

TEST_CASE("of a certificate that is not good nobody hears why", "[signatures]") {
    const certificate stranger = make("caller");
    const certificate late = make("late", &authority(), {.from_day = -9, .to_day = -1});
    const certificate early = make("early", &authority(), {.from_day = 1});
    const certificate other_use = make("other", &authority(), {.usage = "keyEncipherment"});
    const certificate by_caller_itself = make("below", &caller());
    const certificate short_one = make("short", &authority(), {.key = "1024"});
    for (const certificate* each : {&stranger, &late, &early, &other_use, &by_caller_itself})
        CHECK(refusal(signed_body(*each), by_authority()) == bad_token);
    CHECK(refusal(signed_body(short_one, rsa_sha256), by_authority()) == bad_token);
    CHECK(
        refusal(signed_body(make("key", &authority(), {.key = "secp224r1"})), by_authority()) ==
        bad_token);
    CHECK(refusal(signed_body(late), {.certificates_file = late.certificate_file}) == bad_token);
    CHECK(refusal(signed_body(early), {.certificates_file = early.certificate_file}) == bad_token);
    CHECK(refusal(signed_body(stranger), pinned()) == bad_token);
    CHECK(refusal(signed_body(by_caller_itself), pinned()) == bad_token);
    const std::string text = signed_body(caller());
    CHECK(refusal(replaced(text, caller().base64(), "AAAA"), pinned()) == bad_token);
    CHECK(refusal(replaced(text, caller().base64(), ""), pinned()) == bad_token);
}

TEST_CASE("what was revoked is not believed any more", "[signatures]") {
    const certificate gone = make("gone", &authority());
    signature_trust trust = by_authority();
    CHECK(refusal(signed_body(gone), trust).starts_with("taken"));
    trust.revocations_file = revoke(authority(), {&gone});
    CHECK(refusal(signed_body(gone), trust) == bad_token);
    CHECK(refusal(signed_body(caller()), trust) == "taken: " + by_caller);
    CHECK(
        refusal(signed_body(caller()), trust, time(nullptr) + 10 * 86'400) ==
        bad_token);  // the list is old
    const certificate another = make("Another", nullptr, {.authority = true});
    trust.revocations_file = revoke(another, {});
    CHECK(refusal(signed_body(caller()), trust) == bad_token);
}

TEST_CASE("who trusts nobody, or cannot read whom, hears it at once", "[signatures]") {
    CHECK_THROWS_WITH(impl::certificate_trust({}), Catch::Contains("neither is set"));
    CHECK_THROWS_WITH(
        impl::certificate_trust({.authorities_file = "/nowhere"}),
        "soapsvc: cannot read /nowhere: No such file or directory");
    CHECK_THROWS_WITH(
        impl::certificate_trust({.certificates_file = "/dev/null"}),
        "soapsvc: cannot read /dev/null: nothing of the kind is in it as PEM");
    CHECK_THROWS_AS(
        impl::message_signer({caller().certificate_file, authority().file}), std::invalid_argument);
    CHECK_THROWS_AS(impl::message_signer({caller().certificate_file}), std::invalid_argument);
}

// --- What does not hold --------------------------------------------------------------------------

TEST_CASE("a signature is good for nothing but what it was made of", "[signatures]") {
    const std::string text = signed_body(caller());
    CHECK(refusal(replaced(text, "m:Pay", "m:Pbz"), pinned()) == bad_check);
    CHECK(refusal(replaced(text, "urn:m", "urn:n"), pinned()) == bad_check);
    const certificate other = make("other", &authority());
    CHECK(refusal(replaced(text, caller().base64(), other.base64()), by_authority()) == bad_check);
    const certificate rsa = make("rsa", &authority(), {.key = "2048"});
    CHECK(refusal(replaced(text, caller().base64(), rsa.base64()), by_authority()) == bad_check);
    const std::size_t at = text.find("<ds:SignatureValue>") + 19;
    for (const char* value :
         {"",
          "AAAA",
          "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
          "="}) {
        std::string changed = text;
        changed.replace(at, text.find("</ds:SignatureValue>") - at, value);
        CHECK(refusal(changed, pinned()) == bad_check);
    }
}

TEST_CASE("an id that two elements have names neither", "[signatures]") {
    const std::string text = signed_body(caller());
    for (const char* attribute : {"wsu:Id", "Id", "ID", "id", "xml:id"})
        CHECK(
            refusal(
                replaced(text, "<ds:Signature ", "<x "s + attribute + "='body'/><ds:Signature "),
                pinned()) == "InvalidSecurity: Security: two elements have the id 'body'");
}

TEST_CASE("comments and other spellings of the same change nothing", "[signatures]") {
    std::string text = signed_body(caller());
    text =
        replaced(text, "<m:Pay xmlns:m='urn:m'/>", "<m:Pay  xmlns:m=\"urn:m\"><!-- x --></m:Pay >");
    CHECK(refusal(text, pinned()) == "taken: " + by_caller);
}

TEST_CASE("algorithms and ways to a key that are not served are named", "[signatures]") {
    const std::string good = signed_body(caller());
    const auto refused = [](const std::string& said) {
        return "UnsupportedAlgorithm: Security: " + said + " is not served";
    };
    const std::string c14n(impl::exclusive_c14n_ns);
    const auto with = [&](std::string_view from, std::string_view to) {
        return refusal(replaced(good, from, to), pinned());
    };
    CHECK(
        with("Method Algorithm=\"" + c14n, "Method Algorithm=\"" + c14n + "WithComments") ==
        refused("CanonicalizationMethod '" + c14n + "WithComments'"));
    const std::string inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
    CHECK(
        with("Transform Algorithm=\"" + c14n, "Transform Algorithm=\"" + inclusive) ==
        refused("Transform '" + inclusive + "'"));
    const std::string str =
        "http://docs.oasis-open.org/wss/2004/01/"
        "oasis-200401-wss-soap-message-security-1.0#STR-Transform";
    CHECK(
        with("Transform Algorithm=\"" + c14n, "Transform Algorithm=\"" + str) ==
        refused("Transform '" + str + "'"));
    const std::string hmac = "http://www.w3.org/2000/09/xmldsig#hmac-sha1";
    CHECK(with(ecdsa_sha256, hmac) == refused("SignatureMethod '" + hmac + "'"));
    CHECK(with("\"#body\"", "\"\"") == refused("a reference to ''"));
    CHECK(with("\"#body\"", "\"http://x/y\"") == refused("a reference to 'http://x/y'"));
    CHECK(with("\"#body\"", "\"#xpointer(/)\"") == refused("a reference to '#xpointer(/)'"));
    CHECK(with(" URI=\"#body\"", "") == refused("a reference to ''"));
    CHECK(with("\"#token\"", "\"cid:1\"") == refused("a reference to 'cid:1'"));
    CHECK(with("<ds:KeyInfo>", "<ds:KeyInfo><ds:KeyValue/>") == refused("KeyInfo by 'KeyValue'"));
    CHECK(
        with("#X509v3\"/>", "#X509PKIPathv1\"/>") ==
        refused("a token of '" + replaced(std::string(impl::x509_v3), "v3", "PKIPathv1") + "'"));
    CHECK(
        with("#X509v3\" E", "#X509PKIPathv1\" E") ==
        refused("a token of '" + replaced(std::string(impl::x509_v3), "v3", "PKIPathv1") + "'"));
    CHECK(with("#Base64Binary", "#HexBinary").starts_with("UnsupportedAlgorithm"));
    CHECK(
        with(
            "<ds:Signature ",
            "<x:EncryptedKey xmlns:x='http://www.w3.org/2001/04/xmlenc#'/><ds:Signature ") ==
        refused("the encryption of 'EncryptedKey'"));
    CHECK(
        refusal(signed_with(key_identifier("urn:x", "AAAA")), pinned()) ==
        refused("KeyIdentifier of 'urn:x'"));
}

TEST_CASE("a transform that takes out a signature is taken where none is", "[signatures]") {
    const std::string before =
        "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>";
    const std::string text = filled(
        envelope(
            token_element(caller()) +
            signature(reference("body", sha256, {}, before), token_reference())),
        caller().key);
    CHECK(refusal(text, pinned()) == "taken: " + by_caller);
    std::string security = envelope(
        token_element(caller()) +
        signature(reference("block", sha256, {}, before), token_reference()));
    security = replaced(security, "<wsse:Security>", "<wsse:Security wsu:Id='block'>");
    CHECK(
        refusal(filled(security, caller().key), pinned()) ==
        "InvalidSecurity: Security: a reference leads to what the signature is part of");
}

TEST_CASE("a signature has one form, with nothing else in it", "[signatures]") {
    const std::string good = signed_body(caller());
    const auto with = [&](std::string_view from, std::string_view to) {
        return refusal(replaced(good, from, to), pinned());
    };
    const auto form = [](const std::string& said) { return "InvalidSecurity: Security: " + said; };
    CHECK(with("<ds:SignatureValue>", "x<ds:SignatureValue>") == form("Signature holds text"));
    CHECK(
        with("</ds:KeyInfo>", "</ds:KeyInfo><ds:Object/>") ==
        form("Signature holds 'Object', which is not allowed there"));
    CHECK(
        with("<ds:SignedInfo>", "<ds:SignedInfo/><ds:SignedInfo>") ==
        form("Signature lacks SignatureValue where it holds 'SignedInfo'"));
    CHECK(
        with("</ds:SignedInfo>", "</ds:SignedInfo><ds:SignedInfo/>") ==
        form("Signature lacks SignatureValue where it holds 'SignedInfo'"));
    CHECK(
        with("</ds:DigestValue>", "</ds:DigestValue><ds:DigestValue/>") ==
        form("Reference holds 'DigestValue', which is not allowed there"));
    CHECK(with("<ds:DigestValue>", "<ds:DigestValue><a/>") == form("DigestValue holds elements"));
    CHECK(with("<ds:DigestValue>", "<ds:DigestValue>!") == form("DigestValue holds no base64"));
    CHECK(
        with(" Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"", "") ==
        form("DigestMethod has no Algorithm"));
    const std::size_t begin = good.find("<ds:Signature "), end = good.find("</wsse:Security>");
    CHECK(
        refusal(std::string(good).insert(end, good, begin, end - begin), pinned()) ==
        form("there are two signatures; one is allowed"));
    CHECK(
        refusal(std::string(good).erase(begin, end - begin), pinned()) ==
        form("there is no signature"));
}

TEST_CASE("references are counted, and what they lead to has a bound together", "[signatures]") {
    std::string all;
    for (int i = 0; i < 32; ++i)
        all += reference("body");
    const auto message = [](const std::string& references) {
        return filled(
            envelope(
                token_element(caller()) + signature(references, token_reference()),
                "<m:Pay xmlns:m='urn:m'>" + std::string(1'000, 'x') + "</m:Pay>"),
            caller().key);
    };
    signature_trust trust = pinned();
    CHECK(refusal(message(all), trust).starts_with("taken: Body Body "));
    CHECK(
        refusal(message(all + reference("body")), trust) ==
        "InvalidSecurity: Security: more than 32 references in a signature (limit references)");
    trust.canonical_bytes = 20'000;
    CHECK(refusal(message(reference("body")), trust).starts_with("taken"));
    CHECK(
        refusal(message(all), trust) ==
        "InvalidSecurity: Security: what is signed has too long a canonical form");
}

// --- Making --------------------------------------------------------------------------------------

namespace {

std::string self_signed(std::string text, const certificate& by) {
    impl::xml_document document;
    impl::message_signer({by.file}).sign(text, document);
    return text;
}
std::string plain_message(std::string_view header, const std::string& s = "s") {
    std::string made = "<" + s + ":Envelope xmlns:" + s + "='";
    made.append(soap11).append("'>").append(header);
    return made + "<" + s + ":Body><m:Pay xmlns:m='urn:m'>5</m:Pay></" + s + ":Body></" + s +
           ":Envelope>";
}

}  // namespace

TEST_CASE("what this library signs, it verifies", "[signatures]") {
    const certificate rsa = make("caller", &authority(), {.key = "2048"});
    const certificate p384 = make("caller", &authority(), {.key = "P-384"});
    const certificate p521 = make("caller", &authority(), {.key = "P-521"});
    for (const certificate* each : {&rsa, &caller(), &p384, &p521}) {
        CHECK(
            refusal(self_signed(plain_message(""), *each), by_authority()) ==
            "taken: " + by_caller);
        CHECK(
            refusal(self_signed(plain_message("<s:Header></s:Header>"), *each), by_authority()) ==
            "taken: " + by_caller);
    }
}

TEST_CASE("the Timestamp and header blocks are signed with the Body", "[signatures]") {
    std::string header = "<s:Header><wsse:Security xmlns:wsse='";
    header.append(impl::wsse_ns).append("' xmlns:wsu='").append(impl::wsu_ns);
    header.append(
        "'><wsu:Timestamp wsu:Id='mine'><wsu:Created>2026-01-01T00:00:00Z</wsu:Created>"
        "</wsu:Timestamp></wsse:Security><a:To xmlns:a='urn:addressing'>x</a:To>"
        "<b:Other xmlns:b='urn:b'/></s:Header>");
    const std::string text = self_signed(plain_message(header), caller());
    CHECK(refusal(text, pinned()) == "taken: Body To Other Timestamp by" + by_caller.substr(7));
    CHECK(refusal(replaced(text, "2026", "2027"), pinned()) == bad_check);
    CHECK(refusal(replaced(text, ">x<", ">y<"), pinned()) == bad_check);
    CHECK(refusal(replaced(text, ">5<", ">6<"), pinned()) == bad_check);
}
