// [signatures]: valid signatures and their signers, refused signatures and their faults.

#include <catch2/catch.hpp>

#include "../processor_time.hpp"
#include "signing.hpp"

using namespace std::string_literals;
using namespace std::string_view_literals;
using namespace signing;
using soapsvc::fault;
using soapsvc::signature_trust;

namespace {

/// An envelope with this content of Security and Body.
std::string envelope(
    const std::string& security, std::string_view body = "<m:Pay xmlns:m='urn:m'/>") {
  std::string made = "<s:Envelope xmlns:s='";
  made.append(soap11).append("' xmlns:wsse='").append(impl::wsse_ns);
  made.append("' xmlns:wsu='").append(impl::wsu_ns).append("'><s:Header><wsse:Security>");
  made.append(security).append("</wsse:Security></s:Header><s:Body wsu:Id='body'>");
  return made.append(body).append("</s:Body></s:Envelope>");
}

signature_trust by_authority() { return {.ca_file = authority().certificate_file}; }
signature_trust pinned() { return {.trusted_certificates_file = caller().certificate_file}; }

/// A verifier, which caches certificates during its lifetime.
struct verifier {
  explicit verifier(const signature_trust& from) : options(from), trust(options) {}
  signature_trust options;
  impl::certificate_trust trust;
};

/// The signed elements of a message, and the subject of the signer.
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
    CHECK(refused.is_about_header_block());
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
const std::string bad_check = "FailedCheck: Security: the signature is invalid";

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
/// The same, with another reference to the token.
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

/// A certificate as a token, with an unknown kind of key.
std::string with_unknown_key(const certificate& of) {
  std::vector<std::uint8_t> der = impl::der_of(of.x509);
  static constexpr std::uint8_t ec_key[] = {6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1};
  const auto at = std::search(der.begin(), der.end(), std::begin(ec_key), std::end(ec_key));
  *(at + 8) = 0x7F;
  return soapsvc::binary{std::move(der)}.text();
}

/// A certificate as a token, with an RSA key so long that its use is expensive.
std::string with_long_key() {
  const certificate made = make("long", &authority());
  std::vector<unsigned char> modulus(1'025, 1);  // as OSSL_PARAM has it, in the machine's order
  unsigned exponent = 65'537;
  OSSL_PARAM numbers[] = {
      OSSL_PARAM_BN("n", modulus.data(), modulus.size()),
      OSSL_PARAM_uint("e", &exponent),
      OSSL_PARAM_END};
  EVP_PKEY_CTX* const from = EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr);
  EVP_PKEY* key = nullptr;
  EVP_PKEY_fromdata_init(from);
  EVP_PKEY_fromdata(from, &key, EVP_PKEY_PUBLIC_KEY, numbers);
  X509_set_pubkey(made.x509, key);
  X509_sign(made.x509, authority().key, EVP_sha256());
  EVP_PKEY_free(key);
  EVP_PKEY_CTX_free(from);
  return made.base64();
}

/// The message with its signature's value changed.
template <class Change> std::string with_value(std::string text, Change change) {
  const std::size_t at = text.find("<ds:SignatureValue>") + 19;
  const std::size_t size = text.find("</ds:SignatureValue>") - at;
  soapsvc::binary value;
  REQUIRE(impl::from_text(text.substr(at, size), value));
  change(value.bytes);
  return text.replace(at, size, value.text());
}

/// ECDSA's value in the form of OpenSSL, which XML signatures do not use.
void make_der(std::vector<std::uint8_t>& value) {
  const int half = static_cast<int>(value.size() / 2);
  ECDSA_SIG* const pair = ECDSA_SIG_new();
  ECDSA_SIG_set0(
      pair, BN_bin2bn(value.data(), half, nullptr), BN_bin2bn(value.data() + half, half, nullptr));
  value.assign(static_cast<std::size_t>(i2d_ECDSA_SIG(pair, nullptr)), 0);
  unsigned char* to = value.data();
  i2d_ECDSA_SIG(pair, &to);
  ECDSA_SIG_free(pair);
}

}  // namespace

// --- Signatures that hold ------------------------------------------------------------------------

TEST_CASE("a signature is valid for its element, and names its signer", "[signatures]") {
  CHECK(verified(signed_body(caller()), by_authority()) == by_caller);
  CHECK(verified(signed_body(caller()), pinned()) == by_caller);
}

TEST_CASE("keys of RSA and ECDSA sign by SHA-256 and longer", "[signatures]") {
  const certificate rsa = make("rsa", &authority(), {.key = "2048"});
  for (const impl::signature_algorithm& each : impl::signature_algorithms) {
    if (each.digest == "SHA1"sv) continue;
    const certificate& by = each.key == EVP_PKEY_RSA ? rsa : caller();
    INFO(each.name);
    CHECK(refusal(signed_body(by, each.name), by_authority()).starts_with("taken: Body by CN="));
  }
  for (const char* curve : {"P-384", "P-521"}) {
    const certificate by = make("curve", &authority(), {.key = curve});
    CHECK(
        refusal(signed_body(by), by_authority()) == "taken: Body by CN=curve,O=Test\\, Inc.,C=NL");
  }
  for (const impl::digest_algorithm& each : impl::digest_algorithms)
    if (each.digest != "SHA1"sv)
      CHECK(
          refusal(signed_body(caller(), ecdsa_sha256, each.name), pinned()) ==
          "taken: " + by_caller);
}

TEST_CASE("a key for RSA-PSS only makes and verifies signatures of PSS", "[signatures]") {
  const std::string text =
      "<s:Envelope xmlns:s='" + std::string(soap11) + "'><s:Body/></s:Envelope>";
  for (const auto& [kind, hash] : {std::pair("RSA-PSS", "SHA256"sv), {"PSS-384", "SHA384"sv}}) {
    const certificate by = make("pss", &authority(), {.key = kind});
    for (const impl::signature_algorithm& each : impl::signature_algorithms) {
      if (each.key != EVP_PKEY_RSA || each.digest == "SHA1"sv) continue;
      INFO(kind << ' ' << each.name);
      const bool is_only = kind == "PSS-384"sv && each.digest != hash;
      if (is_only) continue;  // the key cannot make this signature
      const std::string found = refusal(signed_body(by, each.name), by_authority());
      CHECK(found.starts_with(each.pss ? "taken: Body by CN=pss," : bad_check));
    }
    std::string made = text;
    impl::xml_document document;
    impl::message_signer({by.file}).sign(made, document);
    CHECK(made.find(hash == "SHA256"sv ? "#sha256-rsa-MGF1" : "#sha384-rsa-MGF1") != made.npos);
    CHECK(refusal(made, by_authority()).starts_with("taken: Body by CN=pss,"));
  }
}

TEST_CASE("SHA-1 needs options, separately for digests and signatures", "[signatures]") {
  const std::string sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";
  const std::string ecdsa_sha1 = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1";
  const std::string digest = signed_body(caller(), ecdsa_sha256, sha1);
  const std::string signature = signed_body(caller(), ecdsa_sha1);
  signature_trust trust = pinned();
  const std::string no_digest =
      "UnsupportedAlgorithm: Security: DigestMethod '" + sha1 + "' is not supported";
  const std::string no_signature =
      "UnsupportedAlgorithm: Security: SignatureMethod '" + ecdsa_sha1 + "' is not supported";
  CHECK(refusal(digest, trust) == no_digest);
  CHECK(refusal(signature, trust) == no_signature);
  trust.allow_sha1_digests = true;
  CHECK(refusal(digest, trust) == "taken: " + by_caller);
  CHECK(refusal(signature, trust) == no_signature);
  trust.allow_sha1_digests = false;
  trust.allow_sha1_signatures = true;
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

TEST_CASE("a PrefixList has 64 prefixes at most", "[signatures]") {
  const auto with = [](int count) {
    std::string kept =
        "<e:InclusiveNamespaces xmlns:e='http://www.w3.org/2001/10/xml-exc-c14n#' "
        "PrefixList='";
    for (int i = 0; i < count; ++i)
      kept += "p ";
    return envelope(
        token_element(caller()) +
        signature(reference("body", sha256, kept + "'/>"), token_reference()));
  };
  CHECK(refusal(filled(with(64), caller().key), pinned()) == "taken: " + by_caller);
  CHECK(
      refusal(filled(with(65), caller().key), pinned()) ==
      "InvalidSecurity: Security: a PrefixList has more than 64 prefixes");
}

TEST_CASE("a known certificate can be named in four ways", "[signatures][certificate]") {
  const certificate& by = caller();
  const std::string taken = "taken: " + by_caller;
  CHECK(refusal(signed_with(issuer_serial(by.issuer(), by.serial())), pinned()) == taken);
  CHECK(
      refusal(
          signed_with(issuer_serial("C = NL, O = Test\\, Inc., CN=Authority", by.serial())),
          pinned()) == taken);
  CHECK(
      refusal(
          signed_with(key_identifier(impl::x509_key_identifier, by.key_identifier())), pinned()) ==
      taken);
  CHECK(
      refusal(signed_with(key_identifier(impl::thumbprint_sha1, by.thumbprint())), pinned()) ==
      taken);
  CHECK(refusal(signed_with(key_identifier(impl::x509_v3, by.base64())), pinned()) == taken);
}

TEST_CASE("an issuer is found by every form of its name", "[signatures][certificate]") {
  const certificate root = make("Zo\xC3\xAB \"A\"", nullptr, {.authority = true});
  const certificate by = make("caller", &root);
  const auto named = [&](const std::string& issuer) {
    return refusal(
        filled(envelope(signature(reference("body"), issuer_serial(issuer, by.serial()))), by.key),
        {.trusted_certificates_file = by.certificate_file});
  };
  const std::string in_der = "2.5.4.3=#0c085a6fc3ab20224122,O=Test\\, Inc.,C=NL";
  for (const std::string& issuer :
       {by.issuer(),  // OpenSSL
        "CN=Zo\xC3\xAB \\\"A\\\",O=Test\\, Inc.,C=NL"s,  // Java, RFC 2253
        "CN=\"Zo\xC3\xAB \\\"A\\\"\", O=\"Test, Inc.\", C=NL"s,  // Java, RFC 1779
        "CN=\"Zo\xC3\xAB \"\"A\"\"\", O=\"Test, Inc.\", C=NL"s,  // .NET
        in_der})
    CHECK(named(issuer) == "taken: " + by_caller);
  const std::string missing =
      "SecurityTokenUnavailable: Security: the security token cannot be found";
  for (const std::string& issuer :
       {replaced(by.issuer(), "\\AB", "\\A"),
        replaced(in_der, "#0c08", "#0c07"),
        replaced(in_der, "4122", "4123"),
        "CN=\"Zo\xC3\xAB \"\"A\"\", O=Test, Inc., C=NL"s})
    CHECK(named(issuer) == missing);
  const auto types = impl::name_parts("emailAddress=a@b.c,ST=N,organizationIdentifier=1,SN=s");
  for (const char* each :
       {"E=a@b.c, S=N, OID.2.5.4.97=1, SN=s",
        "1.2.840.113549.1.9.1=#16056140622e63,ST=N,2.5.4.97=#0c0131,2.5.4.4=s",
        "EMAILADDRESS=a@b.c, ST=N, OID.2.5.4.97=1, SURNAME=s"})
    CHECK(impl::name_parts(each) == types);
  CHECK(impl::name_parts("9=x,=#,a=\\").size() == 3);
  const auto named_by_digits = [](std::size_t zeros) {
    return impl::name_parts("2.5.4." + std::string(zeros, '0') + "3=x");
  };
  CHECK(named_by_digits(25) == impl::name_parts("CN=x"));
  CHECK(named_by_digits(26) != impl::name_parts("CN=x"));
}

TEST_CASE("a certificate is embedded in the reference to it", "[signatures][certificate]") {
  const auto embedded = [](const std::string& inside) {
    return signed_with("<wsse:Embedded>" + inside + "</wsse:Embedded>");
  };
  const std::string token = token_element(caller());
  CHECK(refusal(embedded(token), pinned()) == "taken: " + by_caller);
  CHECK(refusal(embedded(token), by_authority()) == "taken: " + by_caller);
  CHECK(refusal(embedded(token_element(make("caller"))), by_authority()) == bad_token);
  CHECK(refusal(embedded(token_element(authority())), by_authority()) != "taken: " + by_caller);
  const std::string form = "InvalidSecurity: Security: ";
  CHECK(refusal(embedded(""), pinned()) == form + "Embedded lacks BinarySecurityToken");
  CHECK(
      refusal(embedded(token + token_element(caller(), "two")), pinned()) ==
      form + "Embedded holds 'BinarySecurityToken', which is not allowed there");
  CHECK(
      refusal(embedded("<wsse:UsernameToken/>"), pinned()) ==
      form + "Embedded lacks BinarySecurityToken where it holds 'UsernameToken'");
  CHECK(
      refusal(embedded(replaced(token, "#X509v3\" E", "#X509PKIPathv1\" E")), pinned()) ==
      "UnsupportedAlgorithm: Security: a token of '" +
          replaced(std::string(impl::x509_v3), "v3", "PKIPathv1") + "' is not supported");
}

TEST_CASE("an unknown certificate is not found", "[signatures][certificate]") {
  const certificate& by = caller();
  const std::string missing =
      "SecurityTokenUnavailable: Security: the security token cannot be found";
  CHECK(refusal(signed_with(issuer_serial(by.issuer(), "1")), pinned()) == missing);
  // The name is split before anything is verified, so its size has a bound.
  const auto padded = [&](std::size_t size) {
    return replaced(by.issuer(), ",", "," + std::string(size - by.issuer().size(), ' '));
  };
  CHECK(refusal(signed_with(issuer_serial(padded(4'096), by.serial())), pinned())
            .starts_with("taken"));
  CHECK(refusal(signed_with(issuer_serial(padded(4'097), by.serial())), pinned()) == missing);
  CHECK(refusal(signed_with(issuer_serial("CN=Other", by.serial())), pinned()) == missing);
  CHECK(
      refusal(
          signed_with(issuer_serial("C=NL, O=Test\\, Inc., CN=Other", by.serial())), pinned()) ==
      missing);
  CHECK(
      refusal(signed_with(key_identifier(impl::x509_key_identifier, "AAAA")), pinned()) == missing);
  CHECK(refusal(signed_with(key_identifier(impl::thumbprint_sha1, "AAAA")), pinned()) == missing);
  CHECK(
      refusal(
          signed_with(key_identifier(impl::thumbprint_sha1, by.thumbprint())), by_authority()) ==
      missing);
  const certificate unmarked = make("unmarked", &authority(), {.has_key_identifier = false});
  CHECK(
      refusal(
          signed_with(key_identifier(impl::x509_key_identifier, by.key_identifier())),
          {.trusted_certificates_file = unmarked.certificate_file}) == missing);
}

// --- Whom nobody believes ------------------------------------------------------------------------

TEST_CASE("a certificate that was trusted before is verified again", "[signatures][certificate]") {
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

TEST_CASE("a renewed certificate of one key is found by the identifier", "[signatures]") {
  const certificate old = make("caller", &authority(), {.from_day = -9, .to_day = -1});
  X509* const renewed = X509_dup(old.x509);
  ASN1_INTEGER_set(X509_get_serialNumber(renewed), 7);
  X509_gmtime_adj(X509_getm_notAfter(renewed), 30L * 86'400);
  X509_sign(renewed, authority().key, EVP_sha256());
  const std::string both = (folder() / "both").string();
  BIO* const out = BIO_new_file(both.c_str(), "w");
  PEM_write_bio_X509(out, old.x509);
  PEM_write_bio_X509(out, renewed);
  BIO_free(out);
  X509_free(renewed);
  const std::string token = key_identifier(impl::x509_key_identifier, old.key_identifier());
  const std::string text = filled(envelope(signature(reference("body"), token)), old.key);
  CHECK(refusal(text, {.trusted_certificates_file = both}) == "taken: " + by_caller);
  CHECK(
      refusal(text, {.trusted_certificates_file = old.certificate_file}) ==
      "SecurityTokenUnavailable: Security: the security token cannot be found");
}

TEST_CASE("each of many certificates is found", "[signatures][certificate]") {
  const verifier by(by_authority());
  std::vector<std::string> texts{signed_body(caller())};
  std::vector<std::string> names{"caller"};
  for (int count = 0; count != 40; ++count) {  // more than are cached
    names.push_back("caller" + std::to_string(count));
    texts.push_back(signed_body(make(names.back().c_str(), &authority())));
  }
  const certificate strange = make("caller");
  for (int turn = 0; turn != 2; ++turn) {
    for (std::size_t each = 0; each != texts.size(); ++each)
      CHECK(
          refusal(texts[each], by) == "taken: Body by CN=" + names[each] + ",O=Test\\, Inc.,C=NL");
    CHECK(refusal(signed_body(strange), by) == bad_token);
  }
}

TEST_CASE("an authority below another is trusted with the root", "[signatures][certificate]") {
  const certificate below = make("Below", &authority(), {.authority = true});
  const std::string text = signed_body(make("caller", &below));
  const std::string both = (folder() / "authorities").string();
  std::ofstream(both) << std::ifstream(below.certificate_file).rdbuf()
                      << std::ifstream(authority().certificate_file).rdbuf();
  CHECK(refusal(text, {.ca_file = both}) == "taken: " + by_caller);
  for (const certificate* each : {&below, &authority()})
    CHECK(refusal(text, {.ca_file = each->certificate_file}) == bad_token);
}

TEST_CASE("a key for digital signature or non-repudiation may sign", "[signatures][certificate]") {
  for (const char* usage : {"digitalSignature", "nonRepudiation", "keyEncipherment,nonRepudiation"})
    CHECK(
        refusal(signed_body(make("caller", &authority(), {.usage = usage})), by_authority()) ==
        "taken: " + by_caller);
}

TEST_CASE("the fault for an invalid certificate does not say why", "[signatures][certificate]") {
  const certificate stranger = make("caller");
  const certificate late = make("late", &authority(), {.from_day = -9, .to_day = -1});
  const certificate early = make("early", &authority(), {.from_day = 1});
  const certificate other_use = make("other", &authority(), {.usage = "keyEncipherment"});
  const certificate by_caller_itself = make("below", &caller());
  const certificate short_one = make("short", &authority(), {.key = "1024"});
  for (const certificate* each : {&stranger, &late, &early, &other_use, &by_caller_itself})
    CHECK(refusal(signed_body(*each), by_authority()) == bad_token);
  CHECK(refusal(signed_body(short_one, rsa_sha256), by_authority()) == bad_token);
  for (const char* curve : {"secp224r1", "sect571r1"})
    CHECK(
        refusal(signed_body(make("key", &authority(), {.key = curve})), by_authority()) ==
        bad_token);
  CHECK(
      refusal(signed_body(late), {.trusted_certificates_file = late.certificate_file}) ==
      bad_token);
  CHECK(
      refusal(signed_body(early), {.trusted_certificates_file = early.certificate_file}) ==
      bad_token);
  CHECK(refusal(signed_body(stranger), pinned()) == bad_token);
  CHECK(refusal(signed_body(by_caller_itself), pinned()) == bad_token);
  const std::string text = signed_body(caller());
  std::vector<std::uint8_t> longer = impl::der_of(caller().x509);
  longer.push_back(0);
  for (const std::string& token :
       {"AAAA"s,
        ""s,
        soapsvc::binary{longer}.text(),
        with_unknown_key(caller()),
        with_long_key(),
        make("key", &authority(), {.key = "ED25519"}).base64()})
    CHECK(refusal(replaced(text, caller().base64(), token), by_authority()) == bad_token);
}

TEST_CASE("a certificate of over 24 KB is not read", "[signatures][certificate][limits]") {
  // Reading a certificate costs up to 55 times its size, before its sender is known.
  const certificate long_one = make("long", &authority(), {.names = 4'500});
  CHECK(refusal(signed_body(long_one), by_authority()).starts_with("taken"));
  const certificate longer = make("longer", &authority(), {.names = 5'000});
  CHECK(refusal(signed_body(longer), by_authority()) == bad_token);
  const certificate pinned_one = make("pinned", nullptr, {.names = 5'000});
  CHECK(
      refusal(
          signed_body(pinned_one), {.trusted_certificates_file = pinned_one.certificate_file}) ==
      bad_token);
}

TEST_CASE("a revoked certificate is not trusted", "[signatures]") {
  const certificate gone = make("gone", &authority());
  signature_trust trust = by_authority();
  CHECK(refusal(signed_body(gone), trust).starts_with("taken"));
  trust.crl_file = revoke(authority(), {&gone});
  CHECK(refusal(signed_body(gone), trust) == bad_token);
  CHECK(refusal(signed_body(caller()), trust) == "taken: " + by_caller);
  CHECK(
      refusal(signed_body(caller()), trust, time(nullptr) + 10 * 86'400) ==
      bad_token);  // the list is old
  const certificate another = make("Another", nullptr, {.authority = true});
  trust.crl_file = revoke(another, {});
  CHECK(refusal(signed_body(caller()), trust) == bad_token);
}

TEST_CASE("missing or unreadable trusted certificates are reported at once", "[signatures]") {
  CHECK_THROWS_WITH(impl::certificate_trust({}), Catch::Contains("to verify signatures, set"));
  CHECK_THROWS_WITH(
      impl::certificate_trust({.ca_file = "/nowhere"}),
      "soapsvc: cannot read /nowhere: No such file or directory");
  CHECK_THROWS_WITH(
      impl::certificate_trust({.trusted_certificates_file = "/dev/null"}),
      "soapsvc: cannot read /dev/null: the file contains no such PEM block");
  CHECK_THROWS_WITH(
      impl::certificate_trust(
          {.trusted_certificates_file = caller().certificate_file,
           .crl_file = revoke(authority(), {&caller()})}),
      "soapsvc: crl_file is for ca_file; trusted_certificates_file is trusted without a list");
  const std::string damaged = (folder() / "damaged").string();
  std::ofstream(damaged) << std::ifstream(caller().certificate_file).rdbuf()
                         << "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n";
  CHECK_THROWS_WITH(
      impl::certificate_trust({.trusted_certificates_file = damaged}),
      Catch::StartsWith("soapsvc: cannot read " + damaged));
  CHECK_THROWS_WITH(
      impl::message_signer({caller().certificate_file, authority().file}),
      "soapsvc: cannot read " + authority().file + ": it is not the key of the certificate");
  CHECK_THROWS_WITH(
      impl::message_signer({caller().certificate_file}),
      Catch::StartsWith("soapsvc: cannot read " + caller().certificate_file));
  CHECK_THROWS_WITH(
      impl::message_signer({make("other", &authority(), {.key = "ED25519"}).file}),
      Catch::Contains("holds no key of RSA or ECDSA"));
  const certificate late = make("late", nullptr, {.from_day = -9, .to_day = -1});
  CHECK_THROWS_WITH(
      impl::message_signer({late.file}),
      "soapsvc: the certificate in " + late.file + " has expired; it cannot sign");
  CHECK_NOTHROW(impl::message_signer({late.file}, time(nullptr) - 5L * 86'400));
  CHECK_THROWS_WITH(
      impl::message_signer({make("early", nullptr, {.from_day = 1}).file}),
      Catch::EndsWith(" is not valid yet; it cannot sign"));
}

// --- Signatures that do not hold -----------------------------------------------------------------

TEST_CASE("a signature is valid only for its own content", "[signatures]") {
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
  const auto longer = [](std::vector<std::uint8_t>& value) { value.push_back(0); };
  CHECK(refusal(with_value(text, longer), pinned()) == bad_check);
  CHECK(refusal(with_value(text, make_der), pinned()) == bad_check);
}

TEST_CASE("a signature of one algorithm is not valid as another", "[signatures]") {
  const std::string text = signed_body(caller(), rsa_sha256);  // by a key of ECDSA
  CHECK(refusal(text, pinned()) == bad_check);
  CHECK(refusal(with_value(text, make_der), pinned()) == bad_check);
}

TEST_CASE("an id of two elements is refused", "[signatures]") {
  const std::string text = signed_body(caller());
  for (const char* attribute : {"wsu:Id", "Id", "ID", "id", "xml:id"})
    CHECK(
        refusal(
            replaced(text, "<ds:Signature ", "<x "s + attribute + "='body'/><ds:Signature "),
            pinned()) == "InvalidSecurity: Security: two elements have the id 'body'");
}

TEST_CASE("an element may have its id twice", "[signatures]") {
  const std::string text = replaced(
      envelope(token_element(caller()) + signature(reference("body"), token_reference())),
      "wsu:Id='body'",
      "wsu:Id='body' Id='body'");
  CHECK(refusal(filled(text, caller().key), pinned()) == "taken: " + by_caller);
}

TEST_CASE("an attribute of another namespace is no id", "[signatures]") {
  const std::string text = signed_body(caller());
  const std::string other =
      "<x xmlns:x='urn:x' x:Id='body' x:ID='body' x:id='body' xml:Id='body'/>";
  CHECK(
      refusal(replaced(text, "<ds:Signature ", other + "<ds:Signature "), pinned()) ==
      "taken: " + by_caller);
  CHECK(
      refusal(replaced(text, "wsu:Id='body'", "xmlns:x='urn:x' x:Id='body'"), pinned()) ==
      "InvalidSecurity: Security: no element has the id 'body'");
}

TEST_CASE(
    "a reference leads only to the Body, a header block or a child of Security", "[signatures]") {
  const std::string text = envelope(
      token_element(caller()) +
      signature(reference("body") + reference("other"), token_reference()));
  const auto named = [&](const std::string& tag) {
    const std::string changed = replaced(text, tag, tag + " wsu:Id='other'");
    return refusal(filled(changed, caller().key), pinned());
  };
  for (const char* each : {"Pay", "Header", "Envelope", "SignedInfo", "Reference", "KeyInfo"}) {
    const std::string prefix = each == "Pay"sv                              ? "<m:"
                               : each == "Header"sv || each == "Envelope"sv ? "<s:"
                                                                            : "<ds:";
    CHECK(
        named(prefix + each) == "InvalidSecurity: Security: a reference leads to '" +
                                    std::string(each) +
                                    "', which is neither Body nor header block nor child of "
                                    "Security");
  }
  for (const char* tag : {"<wsse:Security", "<ds:Signature"})
    CHECK(
        named(tag) ==
        "InvalidSecurity: Security: a reference leads to an element that contains the "
        "signature");
}

TEST_CASE("comments and equivalent spellings do not change a signature", "[signatures]") {
  std::string text = signed_body(caller());
  text =
      replaced(text, "<m:Pay xmlns:m='urn:m'/>", "<m:Pay  xmlns:m=\"urn:m\"><!-- x --></m:Pay >");
  CHECK(refusal(text, pinned()) == "taken: " + by_caller);
}

TEST_CASE("the fault names unsupported algorithms and key references", "[signatures]") {
  const std::string good = signed_body(caller());
  const auto refused = [](const std::string& said) {
    return "UnsupportedAlgorithm: Security: " + said + " is not supported";
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
  const std::string by_thumbprint =
      signed_with(key_identifier(impl::thumbprint_sha1, caller().thumbprint()));
  CHECK(
      refusal(
          replaced(by_thumbprint, " ValueType", " EncodingType='urn:hex' ValueType"), pinned()) ==
      refused("EncodingType 'urn:hex'"));
}

TEST_CASE(
    "the transform enveloped-signature is accepted if there is no signature inside",
    "[signatures]") {
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
      "InvalidSecurity: Security: a reference leads to an element that contains the signature");
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
  CHECK(with("<ds:DigestValue>", "<ds:DigestValue>!") == form("DigestValue is not base64"));
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

TEST_CASE("every element of a signature must be completely known", "[signatures]") {
  const std::string enveloped(impl::enveloped_transform);
  const std::string named_by_token = envelope(
      token_element(caller()) +
      signature(
          reference(
              "body", sha256, {}, "<ds:Transform Algorithm=\"" + enveloped + "\"></ds:Transform>"),
          token_reference() + "</wsse:Reference>"));
  const std::string list =
      "<e:InclusiveNamespaces xmlns:e='http://www.w3.org/2001/10/xml-exc-c14n#'>"
      "</e:InclusiveNamespaces>";
  const auto with = [](std::string text, std::string_view before, std::string_view put) {
    const std::size_t at = text.find(before);
    REQUIRE(at != text.npos);
    return refusal(text.insert(at, put), pinned());
  };
  const std::string text = replaced(named_by_token, "X509v3\"/></wsse:Ref", "X509v3\"></wsse:Ref");
  const auto holds = [](const std::string& name, const std::string& what = "x") {
    return "InvalidSecurity: Security: " + name + " holds '" + what +
           "', which is not allowed there";
  };
  const std::string good = filled(text, caller().key);
  REQUIRE(refusal(good, pinned()) == "taken: " + by_caller);
  for (const char* name :
       {"ds:CanonicalizationMethod",
        "ds:SignedInfo",
        "ds:Transforms",
        "ds:Transform",
        "ds:Reference",
        "wsse:Reference",
        "wsse:SecurityTokenReference",
        "ds:KeyInfo",
        "ds:Signature"}) {
    const std::string tag(name);
    CHECK(with(good, "</" + tag + ">", "<x/>") == holds(tag.substr(tag.find(':') + 1)));
  }
  const std::string both = "<ds:Transform Algorithm=\"" + std::string(impl::exclusive_c14n_ns);
  CHECK(with(good, "</ds:Transform></ds:Transforms>", "<x/>") == holds("Transform"));
  CHECK(with(good, "</ds:Transforms>", both + "\"/>") == holds("Transforms", "Transform"));
  CHECK(
      refusal(
          replaced(good, "</ds:CanonicalizationMethod>", list + "</ds:CanonicalizationMethod>"),
          pinned()) == bad_check);
  CHECK(
      refusal(
          replaced(
              good,
              "</ds:CanonicalizationMethod>",
              replaced(list, "></e", "><x/></e") + "</ds:CanonicalizationMethod>"),
          pinned()) == holds("InclusiveNamespaces"));
  const auto method = [&](const std::string& name, std::string_view algorithm) {
    const std::string tag = "<ds:" + name + " Algorithm=\"" + std::string(algorithm) + "\"";
    return refusal(replaced(good, tag + "/>", tag + "><x/></ds:" + name + ">"), pinned());
  };
  CHECK(method("SignatureMethod", ecdsa_sha256) == holds("SignatureMethod"));
  CHECK(method("DigestMethod", sha256) == holds("DigestMethod"));
  const std::string by_serial = signed_with(issuer_serial(caller().issuer(), caller().serial()));
  CHECK(with(by_serial, "</ds:X509Data>", "<x/>") == holds("X509Data"));
  CHECK(with(by_serial, "</ds:X509IssuerSerial>", "<x/>") == holds("X509IssuerSerial"));
  CHECK(
      with(by_serial, "</ds:X509SerialNumber>", "<x/>") ==
      "InvalidSecurity: Security: X509SerialNumber holds elements");
}

TEST_CASE("a token reference must lead to a token", "[signatures]") {
  const std::string other = replaced(token_element(caller(), "other"), "BinarySecurityT", "T");
  const std::string end = replaced(other, "</wsse:BinarySecurityT", "</wsse:T");
  CHECK(
      refusal(
          filled(
              envelope(end + signature(reference("body"), token_reference("other"))), caller().key),
          pinned()) ==
      "InvalidSecurity: Security: a token reference does not lead to a token beside the "
      "signature");
}

TEST_CASE("references are counted, and their content has a common bound", "[signatures][limits]") {
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
      "InvalidSecurity: Security: more than 32 references in a signature (limit max_references)");
  // A namespace that is declared once is written with each element of SignedInfo that uses it.
  const auto declared = [&](std::size_t size) {
    return replaced(
        replaced(
            message(all),
            "<ds:SignedInfo",
            "<ds:SignedInfo xmlns:p='" + std::string(size, '"') + "'"),
        "<ds:DigestValue",
        "<ds:DigestValue p:a=''");
  };
  CHECK(refusal(declared(100), trust) == bad_check);
  CHECK(
      refusal(declared(70'000 / 6), trust) ==
      "InvalidSecurity: Security: the canonical form of the signed elements is too long");
  trust.max_canonical_bytes = 20'000;
  CHECK(refusal(message(reference("body")), trust).starts_with("taken"));
  CHECK(
      refusal(message(all), trust) ==
      "InvalidSecurity: Security: the canonical form of the signed elements is too long");
}

TEST_CASE("a signature has as many references as max_references allows", "[signatures][limits]") {
  std::string all;
  for (int i = 0; i < 250; ++i)
    all += reference("body");
  signature_trust trust = pinned();
  trust.max_references = 250;
  const std::string text =
      filled(envelope(token_element(caller()) + signature(all, token_reference())), caller().key);
  CHECK(refusal(text, trust).starts_with("taken: Body Body "));
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

TEST_CASE("the library verifies its own signatures", "[signatures]") {
  const certificate rsa = make("caller", &authority(), {.key = "2048"});
  const certificate p384 = make("caller", &authority(), {.key = "P-384"});
  const certificate p521 = make("caller", &authority(), {.key = "P-521"});
  for (const certificate* each : {&rsa, &caller(), &p384, &p521}) {
    CHECK(refusal(self_signed(plain_message(""), *each), by_authority()) == "taken: " + by_caller);
    CHECK(
        refusal(self_signed(plain_message("<s:Header></s:Header>"), *each), by_authority()) ==
        "taken: " + by_caller);
  }
}

TEST_CASE("the Timestamp and header blocks are signed with the Body", "[signatures][timestamp]") {
  std::string header = "<s:Header><wsse:Security xmlns:wsse='";
  header.append(impl::wsse_ns).append("' xmlns:wsu='").append(impl::wsu_ns);
  header.append(
      "'><wsu:Timestamp wsu:Id='mine'><wsu:Created>2026-01-01T00:00:00Z</wsu:Created>"
      "</wsu:Timestamp></wsse:Security><a:To xmlns:a='urn:addressing'>x</a:To>"
      "<b:Other xmlns:b='urn:b'/></s:Header>");
  const std::string text = self_signed(plain_message(header), caller());
  CHECK(refusal(text, pinned()) == "taken: Body To Other Timestamp by" + by_caller.substr(7));
  CHECK(refusal(replaced(text, "2026-", "2027-"), pinned()) == bad_check);
  CHECK(refusal(replaced(text, ">x<", ">y<"), pinned()) == bad_check);
  CHECK(refusal(replaced(text, ">5<", ">6<"), pinned()) == bad_check);
}

TEST_CASE("a prefix with another meaning keeps it", "[signatures]") {
  // Declared by the block or around it, and used inside it.
  for (const char* declares :
       {"<s:Header><b:Other xmlns:b='urn:b' xmlns:wsu='urn:w'>",
        "<s:Header xmlns:wsu='urn:w'><b:Other xmlns:b='urn:b'>",
        "<s:Header xmlns:wsu='urn:w'><b:Other xmlns:b='urn:b' xmlns:f='urn:f'>"}) {
    const std::string header =
        std::string(declares) + "<wsu:in wsu:name='x'/></b:Other></s:Header>";
    const std::string text = self_signed(plain_message(header), caller());
    INFO(text);
    CHECK(refusal(text, pinned()) == "taken: Body Other by" + by_caller.substr(7));
    impl::xml_document document;
    const node in = parts::named(document.parse(text, "utf-8", {}), "urn:w", "in");
    REQUIRE(in);
    CHECK(in.attribute("urn:w", "name") == "x");
  }
}

TEST_CASE("a signed block gets its own id, whatever id it has", "[signatures]") {
  for (const std::string id :
       {"wsu:Id='a b'",
        "wsu:Id=''",
        "wsu:Id = \n\"&lt;'&quot;\"",
        "wsu:Id='twice'",
        "b:x=\"'\" wsu:Id='x'"}) {
    std::string header = "<s:Header xmlns:wsu='";
    header.append(impl::wsu_ns).append("' xmlns:b='urn:b'><b:Other ");
    header.append(id).append("/><b:Another wsu:Id='twice'><in wsu:Id='x'/></b:Another></s:Header>");
    const std::string text = self_signed(plain_message(header), caller());
    INFO(text);
    CHECK(refusal(text, pinned()) == "taken: Body Other Another by" + by_caller.substr(7));
  }
}

TEST_CASE("declarations beside a long text are signed in time by their bytes", "[signatures]") {
  const impl::message_signer signer({caller().file});
  const auto sign = [&](int declarations) {
    std::string element = "<v";
    for (int number = 0; number != declarations; ++number)
      element += " xmlns:p" + std::to_string(number) + "='urn:p'";
    element += '>' + std::string(100'000, 'p') + "</v>";
    std::string text = replaced(plain_message(""), ">5<", '>' + element + '<');
    impl::xml_document document;
    signer.sign(text, document);
  };
  CHECK(takes_less([&] { sign(1'000); }, 20, [&] { sign(1); }, 0.05));
}
