// gSOAP with its plugin for WS-Security: secured_gsoap URL 1.1|1.2 KEYS, and secured_gsoap serve
// KEYS
//
// Uses the code that `wsdl2h` and `soapcpp2 -s` generate from the WSDLs, whose policy makes them
// import the plugin's header. The plugin sends the given values and verifies a response; the signed
// parts of the response are checked here. The stubs do not determine the version: the table of
// namespaces does. The server serves the soapsvc client of secured_client.cpp, in the version of
// the request; its faults are not signed.
#include <openssl/pem.h>

#include <array>
#include <iostream>
#include <string>
#include <utility>

#include "SignedSoap.nsmap"
#include "soapH.h"
#include "wsseapi.h"

#include "serve_gsoap.hpp"

namespace {

const std::string user = "alice";
const std::string word = "secret & <word>";
const std::string wsse =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
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

/// One call: its own context, prepared by the case.
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

  /// The caller in the service's response, or the fault's code and text.
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
  std::string with_both() {
    _ns3__Who request;
    _ns3__WhoResponse response;
    const std::string url = address + "/soap/v3/Both.asmx";
    const int done = soap_call___ns3__Who(context, url.c_str(), nullptr, &request, response);
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
    const std::string code = text(is_old ? soap_faultcode(context) : soap_faultsubcode(context));
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
  refused(form + ": another password", call_with(add, user, "wrong"), "wsse:FailedAuthentication");
  refused(form + ": another user", call_with(add, "bob", word), "wsse:FailedAuthentication");
  conversation bare;
  add(bare.context, nullptr, user.c_str(), word.c_str());
  refused(form + ": no Timestamp", bare.tokens(), "wsse:InvalidSecurity");
}

// --- X.509 ---------------------------------------------------------------------------------------

/// Reads the first object of a kind from a PEM file.
template <class Read> auto from_file(const std::string& file, Read read) {
  BIO* const in = BIO_new_file((keys + "/" + file).c_str(), "r");
  auto* const made = read(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  return made;
}

/// The differences from a message that is served.
struct difference {
  std::string name = "caller";
  std::string certificate = "";  ///< empty: that of the name
  std::string authority = "authority";  ///< the authority of the service's certificate
  int algorithm = SOAP_SMD_SIGN_RSA_SHA256;
  bool has_timestamp = true;
  const char* timestamp_id = "Time";  ///< elements with an id are signed
  add_token token = nullptr;
  std::string said = word;
  const char* token_id = "User";
};

/// Signs a message, and verifies its response.
void prepare(conversation& with, const difference& how) {
  static std::string trusted;
  trusted = keys + "/" + how.authority + ".pem";
  with.context->cafile = trusted.c_str();
  const std::string certificate = how.certificate.empty() ? how.name : how.certificate;
  EVP_PKEY* const key = from_file(how.name + ".key", PEM_read_bio_PrivateKey);
  X509* const x509 = from_file(certificate + ".pem", PEM_read_bio_X509);
  // The plugin's ids are equal in all messages, and its times are whole seconds. Two equal messages
  // in a second would count as a copy, and the service accepts each once.
  static long lifetime = 300;
  if (how.has_timestamp) soap_wsse_add_Timestamp(with.context, how.timestamp_id, ++lifetime);
  if (how.token) how.token(with.context, how.token_id, user.c_str(), how.said.c_str());
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
  check(name + ": served, and the response's signature holds", got == "CN=" + name, got);
  check(name + ": the response's Body is signed", soap_wsse_verify_body(with.context) == SOAP_OK);
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
      "by SHA-1", call_signed({.algorithm = SOAP_SMD_SIGN_RSA_SHA1}), "wsse:UnsupportedAlgorithm");
  refused("a stranger", call_signed({.name = "stranger"}), "wsse:InvalidSecurityToken");
  refused("another's certificate", call_signed({.certificate = "pinned"}), "wsse:FailedCheck");
  refused("no Timestamp", call_signed({.has_timestamp = false}), "wsse:InvalidSecurity");
  refused("one not signed", call_signed({.timestamp_id = nullptr}), "wsse:InvalidSecurity");
  refused(
      "a response of an untrusted signer",
      call_signed({.authority = "stranger"}),
      "wsse:SecurityTokenUnavailable");
  conversation bare;
  soap_wsse_add_Timestamp(bare.context, "Time", 300);
  refused("no signature", bare.with_signature(), "wsse:InvalidSecurity");
}

// --- Both ----------------------------------------------------------------------------------------

std::string call_both(const difference& how) {
  conversation with;
  prepare(with, how);
  return with.with_both();
}

void try_both(const std::string& form, add_token add) {
  const std::string name = form + " and a signature";
  conversation with;
  prepare(with, {.token = add});
  const std::string got = with.with_both();
  check(name + ": served, and the response's holds", got == user + " by CN=caller", got);
  check(name + ": the response's Body is signed", soap_wsse_verify_body(with.context) == SOAP_OK);
  refused(
      name + ": another password",
      call_both({.token = add, .said = "wrong"}),
      "wsse:FailedAuthentication");
  refused(
      name + ", which does not cover the token",
      call_both({.token = add, .token_id = nullptr}),
      "wsse:InvalidSecurity");
}

// --- The server ----------------------------------------------------------------------------------

int refuse(struct soap* context, const char* code) {
  return soap_wsse_sender_fault_subcode(context, code, "not authenticated", nullptr);
}

/// True if the user's password is right and the message is fresh; else sets the fault.
bool is_user(struct soap* context) {
  const char* const name = soap_wsse_get_Username(context);
  if (!name || soap_wsse_verify_Timestamp(context) != SOAP_OK) return false;
  if (name == user) return soap_wsse_verify_Password(context, word.c_str()) == SOAP_OK;
  refuse(context, "wsse:FailedAuthentication");
  return false;
}

/// The signer of Body, Timestamp and UsernameToken, if present; empty: the fault is set. The
/// signatures were verified before. A server's tree has SOAP 1.2's name also for 1.1, but
/// soap_wsse_verify_body searches for that of 1.1.
std::string signer(struct soap* context, std::size_t tokens) {
  const char* const soap = context->local_namespaces[0].ns;
  X509* const x509 = soap_wsse_get_KeyInfo_SecurityTokenReferenceX509(context);
  const bool covers = x509 && soap_wsse_verify_element(context, soap, "Body") == 1 &&
                      soap_wsse_verify_Timestamp(context) == SOAP_OK &&
                      soap_wsse_verify_element(context, wsu.c_str(), "Timestamp") == 1 &&
                      soap_wsse_verify_element(context, wsse.c_str(), "UsernameToken") == tokens;
  if (!covers) refuse(context, "wsse:FailedCheck");
  std::string name;
  if (covers) {
    BIO* const out = BIO_new(BIO_s_mem());
    X509_NAME_print_ex(out, X509_get_subject_name(x509), 0, XN_FLAG_RFC2253);
    char* begin = nullptr;
    const long size = BIO_get_mem_data(out, &begin);
    name.assign(begin, static_cast<std::size_t>(size));
    BIO_free(out);
  }
  X509_free(x509);
  return name;
}

/// The Security block of a response.
void answer(struct soap* context, bool is_signed) {
  static EVP_PKEY* const key = from_file("service.key", PEM_read_bio_PrivateKey);
  static X509* const x509 = from_file("service.pem", PEM_read_bio_X509);
  soap_wsse_delete_Security(context);
  soap_wsse_add_Timestamp(context, "Time", 300);
  if (!is_signed) return;
  soap_wsse_add_BinarySecurityTokenX509(context, "Token", x509);
  soap_wsse_add_KeyInfo_SecurityTokenReferenceX509(context, "#Token");
  soap_wsse_sign_body(context, SOAP_SMD_SIGN_RSA_SHA256, key, 0);
}

int (*parse_header)(struct soap*, const char*, const char*) = nullptr;

/// With this plugin, a verified message must be signed. So messages to Tokens, which the action
/// identifies, are not verified.
int choose(struct soap* context, const char* name, const char* value) {
  if (std::string(value).find("urn:guarded:tokens") != std::string::npos)
    soap_wsse_verify_done(context);
  return parse_header(context, name, value);
}

int serve() {
  static const std::string trusted = keys + "/authority.pem";
  struct soap* const context = soap_new1(SOAP_XML_STRICT | SOAP_XML_CANONICAL);
  soap_register_plugin(context, soap_wsse);
  context->cafile = trusted.c_str();
  parse_header = std::exchange(context->fparsehdr, choose);
  return serve_gsoap(context, [&] { soap_wsse_verify_auto(context, SOAP_SMD_NONE, nullptr, 0); });
}

}  // namespace

int __ns1__Who(struct soap* context, _ns1__Who*, _ns1__WhoResponse& response) {
  if (!is_user(context)) return context->error;
  response.WhoResult = user;
  answer(context, false);
  return SOAP_OK;
}
int __ns2__Who(struct soap* context, _ns2__Who*, _ns2__WhoResponse& response) {
  response.WhoResult = signer(context, 0);
  if (response.WhoResult.empty()) return context->error;
  answer(context, true);
  return SOAP_OK;
}
int __ns3__Who(struct soap* context, _ns3__Who*, _ns3__WhoResponse& response) {
  const std::string by = signer(context, 1);
  if (by.empty() || !is_user(context)) return context->error;
  response.WhoResult = user + " by " + by;
  answer(context, true);
  return SOAP_OK;
}

// Unused operations, and the same names for the ports of SOAP 1.2.
#define ANSWERS(ns)                                                                      \
  int __##ns##__Who_(struct soap* s, _##ns##__Who* q, _##ns##__WhoResponse& r) {         \
    return __##ns##__Who(s, q, r);                                                       \
  }                                                                                      \
  int __##ns##__Say(struct soap*, _##ns##__Say*, _##ns##__SayResponse&) { return 0; }    \
  int __##ns##__Say_(struct soap*, _##ns##__Say*, _##ns##__SayResponse&) { return 0; }   \
  int __##ns##__Fail(struct soap*, _##ns##__Fail*, _##ns##__FailResponse&) { return 0; } \
  int __##ns##__Fail_(struct soap*, _##ns##__Fail*, _##ns##__FailResponse&) { return 0; }
ANSWERS(ns1)
ANSWERS(ns2)
ANSWERS(ns3)

int main(int, char** arguments) {
  address = arguments[1];
  if (address == "serve") {
    keys = arguments[2];
    return serve();
  }
  version = arguments[2];
  keys = arguments[3];
  try_tokens("text", soap_wsse_add_UsernameTokenText);
  try_tokens("digest", soap_wsse_add_UsernameTokenDigest);
  refused("no token", call_with(nullptr, "", ""), "wsse:InvalidSecurity");
  try_signatures();
  try_both("text", soap_wsse_add_UsernameTokenText);
  try_both("digest", soap_wsse_add_UsernameTokenDigest);
  refused("a signature and no token", call_both({}), "wsse:InvalidSecurity");
  std::cout << passed << " passed, " << failed << " failed" << std::endl;
}
