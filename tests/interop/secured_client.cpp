// The soapsvc client and another server of WS-Security: secured_client URL KEYS SERVER
//
// The server has services at /Tokens, /Signed and /Both like those of guarded.hpp. SERVER is java
// (WSS4J), gsoap, or node (npm's soap), which has only the first one.
#include <iostream>

#include "guarded.hpp"

namespace {

std::string address;
std::string keys;
std::string server;
soapsvc::soap_version version;
int passed = 0;
int failed = 0;

void check(const std::string& name, bool good, const std::string& found) {
  ++(good ? passed : failed);
  std::cout << (good ? "ok  " : "FAIL") << " our client "
            << (version == soapsvc::soap_version::v1_1 ? "1.1" : "1.2") << " to " << server
            << ", security: " << name << (good ? "" : ": " + found) << std::endl;
}

/// The result of a call: the caller's name, the fault's subcode, or the reason why there is no
/// response.
template <class Service>
std::string who(const std::string& path, const soapsvc::client_security& security) {
  soapsvc::client_options options;
  options.version = version;
  options.security = security;
  try {
    return soapsvc::client<Service>(address + path, options).call(&Service::who);
  } catch (const soapsvc::remote_fault& fault) {
    return "refused: " + fault.subcode() + ": " + fault.reason();
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// npm's soap cannot send a code with a namespace, so its fault is another one.
void refused(const std::string& name, const std::string& found) {
  const bool has_code = server != "node";
  check(name, found.starts_with(has_code ? "refused: FailedAuthentication: " : "refused: "), found);
}
void not_believed(const std::string& name, const std::string& found, std::string_view why) {
  check(name, found.find(why) != found.npos, found);
}

soapsvc::client_security as_user() {
  soapsvc::client_security security;
  security.user = guarded_user;
  security.password = guarded_word;
  security.allow_password_text_without_tls = true;
  return security;
}
void sign_as(soapsvc::client_security& security, const std::string& name) {
  security.identity = {keys + "/" + name + ".pem", keys + "/" + name + ".key"};
}

void try_tokens() {
  soapsvc::client_security security = as_user();
  for (const auto form : {soapsvc::password_type::text, soapsvc::password_type::digest}) {
    const std::string name = form == soapsvc::password_type::text ? "text" : "digest";
    security.password_type = form;
    security.password = guarded_word;
    const std::string found = who<Tokens>("/Tokens", security);
    check(name + ": served", found == guarded_user, found);
    security.password = "wrong";
    refused(name + ": another password", who<Tokens>("/Tokens", security));
  }
}

void try_signatures() {
  soapsvc::client_security security;
  sign_as(security, "caller");
  security.signatures.ca_file = keys + "/authority.pem";
  security.server_subject = "CN=service";
  std::string found = who<Signed>("/Signed", security);
  check("served, and the response's signature holds", found == "CN=caller", found);
  security.server_subject = "CN=caller";
  not_believed(
      "a response of another caller", who<Signed>("/Signed", security), "server_subject is");
  security.server_subject = "CN=service";
  security.signatures.ca_file = keys + "/stranger.pem";
  not_believed(
      "a response of an untrusted signer",
      who<Signed>("/Signed", security),
      "the security token is not valid");
  security.signatures = {.trusted_certificates_file = keys + "/service.pem"};
  found = who<Signed>("/Signed", security);
  check("the same by the certificate itself", found == "CN=caller", found);
  sign_as(security, "stranger");
  not_believed("a stranger's fault", who<Signed>("/Signed", security), "must be signed");
}

/// The server does not report these errors: the client accepts only signed faults, and a server
/// that does not know the caller signs none.
void try_both() {
  for (const auto form : {soapsvc::password_type::text, soapsvc::password_type::digest}) {
    const std::string name = form == soapsvc::password_type::text ? "text" : "digest";
    soapsvc::client_security security = as_user();
    security.password_type = form;
    sign_as(security, "caller");
    security.signatures.ca_file = keys + "/authority.pem";
    security.server_subject = "CN=service";
    const std::string found = who<Both>("/Both", security);
    check(name + " and a signature: served", found == "alice by CN=caller", found);
    security.password = "wrong";
    not_believed(
        name + " and a signature: another password",
        who<Both>("/Both", security),
        "must be signed");
    security.password = guarded_word;
    sign_as(security, "stranger");
    not_believed(
        name + " and a signature: a stranger", who<Both>("/Both", security), "must be signed");
  }
}

}  // namespace

int main(int, char** arguments) {
  address = arguments[1];
  keys = arguments[2];
  server = arguments[3];
  for (const auto each : {soapsvc::soap_version::v1_1, soapsvc::soap_version::v1_2}) {
    version = each;
    try_tokens();
    if (server == "node") continue;
    try_signatures();
    try_both();
  }
  std::cout << passed << " passed, " << failed << " failed" << std::endl;
}
