// For the script `secrets`: services with WS-Security with all reports of a host, and a client of
// them that prints its exceptions.
//
//     secrets serve KEYS       the services of tests/interop/guarded.hpp
//     secrets call URL KEYS    calls them rightly and wrongly
//
// The user's password is in the variable WORD. KEYS also has an invalid key: broken.key.
#include <cstdlib>
#include <iostream>

#include "../interop/guarded.hpp"

namespace {

std::string word() {
  const char* const set = std::getenv("WORD");
  return set ? set : "";
}

// --- The services --------------------------------------------------------------------------------

void tell_all(soapsvc::dispatcher_options& options) {
  options.on_call = [](const soapsvc::call_report& told) {
    std::cerr << "call " << told.service << ' ' << told.operation << ' ' << told.http_status << ' '
              << told.fault_reason << ' ' << told.peer << ' ' << told.request_id << std::endl;
  };
  options.on_error = [](const soapsvc::error_report& told) {
    std::cerr << "error " << told.incident << ' ' << told.service << ' ' << told.operation << ' '
              << told.what << ' ' << told.request_id << std::endl;
  };
  options.on_message = [](const soapsvc::message_report& told) {
    std::cerr << "message " << told.request << " was answered " << told.response << std::endl;
  };
}

void serve(const std::string& keys) {
  Tokens tokens;
  Signed with_signature;
  Both both;
  soapsvc::dispatcher_options options{.ns_base = "urn:guarded"};
  options.security = guarded_security(keys, word());
  tell_all(options);
  soapsvc::host_options server;
  server.on_notice = [](std::string_view told) { std::cerr << "notice " << told << std::endl; };
  soapsvc::host host{std::move(options), std::move(server)};
  host.add(tokens);
  host.add(with_signature);
  host.add(both);
  std::cout << "listening on http://127.0.0.1:" << host.bind({"127.0.0.1", 0}) << std::endl;
  host.serve();
}

// --- The client ----------------------------------------------------------------------------------

std::string address;
std::string keys;

template <class Service>
void tell(const std::string& path, const soapsvc::client_security& security) {
  soapsvc::client_options options;
  options.security = security;
  try {
    const std::string who =
        soapsvc::client<Service>(address + "/soap/v3" + path, options).call(&Service::who);
    std::cout << path << ": served " << who << std::endl;
  } catch (const soapsvc::remote_fault& fault) {
    std::cout << path << ": fault " << fault.subcode() << ' ' << fault.reason() << std::endl;
  } catch (const std::exception& error) {
    std::cout << path << ": " << error.what() << std::endl;
  }
}
void tell_each(const soapsvc::client_security& security) {
  tell<Tokens>("/Tokens.asmx", security);
  tell<Signed>("/Signed.asmx", security);
  tell<Both>("/Both.asmx", security);
}

soapsvc::client_security good() {
  soapsvc::client_security made;
  made.user = guarded_user;
  made.password = word();
  made.allow_password_text_without_tls = true;
  made.identity = {keys + "/caller.pem", keys + "/caller.key"};
  made.signatures.ca_file = keys + "/authority.pem";
  made.server_subject = "CN=service";
  return made;
}

void call() {
  for (const auto form : {soapsvc::password_type::text, soapsvc::password_type::digest}) {
    soapsvc::client_security security = good();
    security.password_type = form;
    tell_each(security);
    security.user = "bob";
    tell_each(security);
    security = good();
    security.password_type = form;
    security.password += " and more";
    tell_each(security);
    security.clock = [] {
      return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) +
             std::chrono::hours(1);
    };
    tell_each(security);
  }
  soapsvc::client_security security = good();
  security.allow_password_text_without_tls = false;
  tell_each(security);
  security = good();
  security.signatures.ca_file = keys + "/stranger.pem";
  tell_each(security);
  for (const char* key : {"broken", "stranger", "missing"}) {
    security = good();
    security.identity.key_file = keys + "/" + key + ".key";
    tell_each(security);
  }
  security = good();
  security.identity = {keys + "/caller.key", keys + "/caller.key"};
  tell_each(security);
  address = "http://127.0.0.1:1";
  tell_each(good());
}

}  // namespace

int main(int, char** arguments) {
  if (std::string_view(arguments[1]) == "serve") {
    serve(arguments[2]);
    return 0;
  }
  address = arguments[2];
  keys = arguments[3];
  call();
}
