// Shared by the tests of signatures: keys and certificates, which each run makes, and a signer of
// messages that can sign in ways which the library cannot.
#pragma once

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "soapsvc.hpp"

namespace signing {

namespace impl = soapsvc::detail;
using impl::node;

inline constexpr std::string_view rsa_sha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
inline constexpr std::string_view ecdsa_sha256 =
    "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256";
inline constexpr std::string_view sha256 = "http://www.w3.org/2001/04/xmlenc#sha256";

// --- Certificates --------------------------------------------------------------------------------

/// A folder for PEM files, removed at the end of the program.
inline const std::filesystem::path& folder() {
  struct temporary {
    temporary() {
      std::string name = (std::filesystem::temp_directory_path() / "soapsvc-XXXXXX").string();
      path = mkdtemp(name.data());
    }
    ~temporary() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
  };
  static const temporary made;
  return made.path;
}

/// The properties of a certificate that differ from the default.
struct kind {
  const char* key = "P-256";  ///< a curve, the bits of RSA, ED25519, RSA-PSS, PSS-384
  bool authority = false;
  const char* usage = nullptr;  ///< of the key
  long from_day = -1;  ///< from now
  long to_day = 30;
  bool has_key_identifier = true;
  std::size_t names = 0;  ///< in its subjectAltName, of 5 bytes each
};

/// A certificate with its key, also as files.
struct certificate {
  EVP_PKEY* key = nullptr;
  X509* x509 = nullptr;
  std::string file;  ///< both
  std::string certificate_file;

  std::string base64() const { return soapsvc::binary{impl::der_of(x509)}.text(); }
  std::string issuer() const { return impl::name_text(X509_get_issuer_name(x509)); }
  std::string subject() const { return impl::name_text(X509_get_subject_name(x509)); }
  std::string serial() const {
    return std::to_string(ASN1_INTEGER_get(X509_get0_serialNumber(x509)));
  }
  std::string key_identifier() const {
    const ASN1_OCTET_STRING* const has = X509_get0_subject_key_id(x509);
    const unsigned char* const at = ASN1_STRING_get0_data(has);
    return soapsvc::binary{{at, at + ASN1_STRING_length(has)}}.text();
  }
  std::string thumbprint() const {
    unsigned char made[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    X509_digest(x509, EVP_sha1(), made, &size);
    return soapsvc::binary{{made, made + size}}.text();
  }
};

inline void add_extension(X509* to, X509* issuer, int which, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, &context, which, value);
  X509_add_ext(to, made, -1);
  X509_EXTENSION_free(made);
}

/// A key of id-RSASSA-PSS; with a hash, for this one alone.
inline EVP_PKEY* make_pss_key(const char* hash = nullptr) {
  EVP_PKEY_CTX* const by = EVP_PKEY_CTX_new_from_name(nullptr, "RSA-PSS", nullptr);
  EVP_PKEY* key = nullptr;
  EVP_PKEY_keygen_init(by);
  EVP_PKEY_CTX_set_rsa_keygen_bits(by, 2'048);
  if (hash) {
    const EVP_MD* const only = EVP_get_digestbyname(hash);
    EVP_PKEY_CTX_set_rsa_pss_keygen_md(by, only);
    EVP_PKEY_CTX_set_rsa_pss_keygen_mgf1_md(by, only);
    EVP_PKEY_CTX_set_rsa_pss_keygen_saltlen(by, EVP_MD_get_size(only));
  }
  EVP_PKEY_keygen(by, &key);
  EVP_PKEY_CTX_free(by);
  return key;
}

/// Makes a certificate; without an issuer it is self-signed. Kept until the end of the program,
/// because there are few.
inline certificate make(const char* name, const certificate* issuer = nullptr, kind how = {}) {
  static long serial = 1000;
  certificate made;
  const long bits = std::atol(how.key);
  const std::string_view key = how.key;
  made.key = bits != 0          ? EVP_RSA_gen(static_cast<unsigned>(bits))
             : key == "ED25519" ? EVP_PKEY_Q_keygen(nullptr, nullptr, how.key)
             : key == "RSA-PSS" ? make_pss_key()
             : key == "PSS-384" ? make_pss_key("SHA384")
                                : EVP_EC_gen(how.key);
  made.x509 = X509_new();
  X509_set_version(made.x509, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.x509), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made.x509), how.from_day * 86'400);
  X509_gmtime_adj(X509_getm_notAfter(made.x509), how.to_day * 86'400);
  X509_set_pubkey(made.x509, made.key);
  X509_NAME* const subject = X509_get_subject_name(made.x509);
  const auto add = [&](const char* field, const char* value) {
    X509_NAME_add_entry_by_txt(
        subject, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value), -1, -1, 0);
  };
  add("C", "NL");
  add("O", "Test, Inc.");
  add("CN", name);
  const certificate& by = issuer ? *issuer : made;
  X509_set_issuer_name(made.x509, X509_get_subject_name(by.x509));
  add_extension(
      made.x509, by.x509, NID_basic_constraints, how.authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (how.has_key_identifier) add_extension(made.x509, by.x509, NID_subject_key_identifier, "hash");
  if (how.usage) add_extension(made.x509, by.x509, NID_key_usage, how.usage);
  if (how.names != 0) {
    std::string names = "DNS:a.b";
    for (std::size_t more = 1; more != how.names; ++more)
      names += ",DNS:a.b";
    add_extension(made.x509, by.x509, NID_subject_alt_name, names.c_str());
  }
  X509_sign(made.x509, by.key, EVP_sha256());
  static auto& kept = *new std::vector<certificate>;  // reachable for a leak checker
  kept.push_back(made);
  made.file = (folder() / (std::to_string(serial) + ".pem")).string();
  made.certificate_file = made.file + ".crt";
  for (const std::string* file : {&made.file, &made.certificate_file}) {
    BIO* const out = BIO_new_file(file->c_str(), "w");
    PEM_write_bio_X509(out, made.x509);
    if (file == &made.file)
      PEM_write_bio_PrivateKey(out, made.key, nullptr, nullptr, 0, nullptr, nullptr);
    BIO_free(out);
  }
  return made;
}

/// The revocation list of an authority, as a file.
inline std::string revoke(
    const certificate& by, std::initializer_list<const certificate*> revoked) {
  static int count = 0;
  X509_CRL* const list = X509_CRL_new();
  X509_CRL_set_version(list, 1);
  X509_CRL_set_issuer_name(list, X509_get_subject_name(by.x509));
  ASN1_TIME* const time = X509_gmtime_adj(nullptr, -3'600);
  X509_CRL_set1_lastUpdate(list, time);
  for (const certificate* each : revoked) {
    X509_REVOKED* const entry = X509_REVOKED_new();
    X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(each->x509));
    X509_REVOKED_set_revocationDate(entry, time);
    X509_CRL_add0_revoked(list, entry);
  }
  X509_gmtime_adj(time, 86'400);
  X509_CRL_set1_nextUpdate(list, time);
  ASN1_TIME_free(time);
  X509_CRL_sign(list, by.key, EVP_sha256());
  const std::string file = (folder() / ("list" + std::to_string(++count))).string();
  BIO* const out = BIO_new_file(file.c_str(), "w");
  PEM_write_bio_X509_CRL(out, list);
  BIO_free(out);
  X509_CRL_free(list);
  return file;
}

/// The trusted authority.
inline const certificate& authority() {
  static const certificate made = make("Authority", nullptr, {.authority = true});
  return made;
}
/// The certificate of a caller.
inline const certificate& caller() {
  static const certificate made = make("caller", &authority());
  return made;
}

// --- Messages ------------------------------------------------------------------------------------

inline constexpr std::string_view soap11 = "http://schemas.xmlsoap.org/soap/envelope/";
inline constexpr std::string_view soap12 = "http://www.w3.org/2003/05/soap-envelope";

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == text.npos) throw std::logic_error("test: no " + std::string(from));
  return text.replace(at, from.size(), to);
}

/// A reference in a SignedInfo, without its digest.
inline std::string reference(
    std::string_view id,
    std::string_view digest = sha256,
    std::string_view in_transform = {},
    std::string_view before = {}) {
  std::string made = "<ds:Reference URI=\"#" + std::string(id) + "\"><ds:Transforms>";
  made.append(before);
  made.append("<ds:Transform Algorithm=\"").append(impl::exclusive_c14n_ns).append("\">");
  made.append(in_transform).append("</ds:Transform></ds:Transforms>");
  made.append("<ds:DigestMethod Algorithm=\"").append(digest);
  return made.append("\"/><ds:DigestValue/></ds:Reference>");
}

/// A ds:Signature without its values; `token` is the content of SecurityTokenReference.
inline std::string signature(
    const std::string& references,
    const std::string& token,
    std::string_view algorithm = ecdsa_sha256,
    std::string_view in_method = {}) {
  std::string made = "<ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">";
  made.append("<ds:SignedInfo><ds:CanonicalizationMethod Algorithm=\"");
  made.append(impl::exclusive_c14n_ns).append("\">").append(in_method);
  made.append("</ds:CanonicalizationMethod><ds:SignatureMethod Algorithm=\"").append(algorithm);
  made.append("\"/>").append(references).append("</ds:SignedInfo><ds:SignatureValue/>");
  made.append("<ds:KeyInfo><wsse:SecurityTokenReference>").append(token);
  return made.append("</wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>");
}

inline std::string token_element(const certificate& of, std::string_view id = "token") {
  std::string made = "<wsse:BinarySecurityToken wsu:Id=\"" + std::string(id) + "\" ValueType=\"";
  made.append(impl::x509_v3).append("\" EncodingType=\"").append(impl::base64_encoding);
  return made.append("\">").append(of.base64()).append("</wsse:BinarySecurityToken>");
}
inline std::string token_reference(std::string_view id = "token") {
  std::string made = "<wsse:Reference URI=\"#" + std::string(id) + "\" ValueType=\"";
  return made.append(impl::x509_v3).append("\"/>");
}

namespace parts {

inline node named(node apex, std::string_view ns, std::string_view local) {
  for (node at = apex; at; at = impl::behind(at, apex))
    if (at.is(ns, local)) return at;
  return {};
}
inline node with_id(node apex, std::string_view id) {
  for (node at = apex; at; at = impl::behind(at, apex))
    for (const impl::attribute each : at.attributes())
      if (impl::is_id(each) && each.value() == id) return at;
  return {};
}
inline std::vector<std::string_view> kept_by(node method) {
  std::vector<std::string_view> kept;
  const node list = method.first_child();
  if (!list) return kept;
  std::string_view left = *list.attribute("", "PrefixList");
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(' '), left.size());
    kept.push_back(left.substr(0, end) == "#default" ? "" : left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return kept;
}
inline const char* hash_of(std::string_view algorithm) {
  for (const impl::digest_algorithm& each : impl::digest_algorithms)
    if (each.name == algorithm) return each.digest;
  return "SHA256";
}

inline std::string digest_of(std::string_view form, const char* hash) {
  unsigned char made[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(form.data(), form.size(), made, &size, EVP_get_digestbyname(hash), nullptr);
  return soapsvc::binary{{made, made + size}}.text();
}

inline std::string value_over(
    std::string_view form, EVP_PKEY* key, const impl::signature_algorithm& how) {
  EVP_MD_CTX* const digest = EVP_MD_CTX_new();
  EVP_PKEY_CTX* of_key = nullptr;
  EVP_DigestSignInit(digest, &of_key, EVP_get_digestbyname(how.digest), nullptr, key);
  if (how.pss) {
    EVP_PKEY_CTX_set_rsa_padding(of_key, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(of_key, RSA_PSS_SALTLEN_DIGEST);
  }
  std::vector<std::uint8_t> value(1'024);
  std::size_t size = value.size();
  EVP_DigestSign(
      digest,
      value.data(),
      &size,
      reinterpret_cast<const unsigned char*>(form.data()),
      form.size());
  EVP_MD_CTX_free(digest);
  value.resize(size);
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC) {
    const unsigned char* at = value.data();
    ECDSA_SIG* const pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size));
    const int half = (EVP_PKEY_get_bits(key) + 7) / 8;
    value.resize(static_cast<std::size_t>(2 * half));
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), value.data(), half);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), value.data() + half, half);
    ECDSA_SIG_free(pair);
  }
  return soapsvc::binary{std::move(value)}.text();
}

}  // namespace parts

/// Inserts the digests and the signature value of a message with a signature(), by this key.
inline std::string filled(std::string text, EVP_PKEY* key) {
  impl::xml_document document;
  const auto read = [&] { return document.parse(text, "utf-8", {}); };
  static constexpr std::string_view no_digest = "<ds:DigestValue/>";
  while (text.find(no_digest) != text.npos) {
    const node root = read();
    node missing = root;
    while (!missing.is(impl::ds_ns, "DigestValue") || !missing.text().empty())
      missing = impl::behind(missing, root);
    const node each = missing.parent();
    const node target = parts::with_id(root, each.attribute("", "URI")->substr(1));
    node transform = each.first_child().first_child();
    while (transform.next_sibling())
      transform = transform.next_sibling();
    const node method = each.first_child().next_sibling();
    const std::string form =
        target ? impl::canonical_form(target, parts::kept_by(transform), 100'000'000) : "";
    const std::string digest =
        parts::digest_of(form, parts::hash_of(*method.attribute("", "Algorithm")));
    text = replaced(text, no_digest, "<ds:DigestValue>" + digest + "</ds:DigestValue>");
  }
  const node info = parts::named(read(), impl::ds_ns, "SignedInfo");
  const node method = info.first_child();
  impl::signature_algorithm how = impl::signature_algorithms[0];
  for (const impl::signature_algorithm& each : impl::signature_algorithms)
    if (each.name == method.next_sibling().attribute("", "Algorithm")) how = each;
  const std::string form = impl::canonical_form(info, parts::kept_by(method), 100'000'000);
  return replaced(
      text,
      "<ds:SignatureValue/>",
      "<ds:SignatureValue>" + parts::value_over(form, key, how) + "</ds:SignatureValue>");
}

}  // namespace signing
