// TLS, and callers that present a certificate. tls.md has the commands that make the three files.
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

class Door {
public:
  /// The subject of the caller's certificate, which an authority of ca_file has signed.
  std::string enter(const soapsvc::context& context) {
    return "welcome, " + std::string(context.certificate_subject);
  }
};
template <>
inline constexpr auto soapsvc::schema<Door> =
    service("Door", ns("urn:door"), operation("Enter", &Door::enter));

int main() {
  Door door;
  soapsvc::host host{
      "urn:door", {.tls = {.certificate_file = "server.pem", .ca_file = "authority.pem"}}};
  host.add(door);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });

  const std::string url = "https://localhost:" + std::to_string(port) + "/soap/v3/Door.asmx";
  soapsvc::client<Door> known{url, {.ca_file = "authority.pem", .certificate_file = "client.pem"}};
  std::printf("%s\n", known.call(&Door::enter).c_str());

  const auto fails = [](const char* who, const std::string& at, soapsvc::client_options options) {
    try {
      soapsvc::client<Door>{at, std::move(options)}.call(&Door::enter);
    } catch (const soapsvc::transport_error&) {
      std::printf("%s: refused\n", who);
    }
  };
  fails("a client without a certificate", url, {.ca_file = "authority.pem"});
  fails("a server of an unknown authority", url, {.certificate_file = "client.pem"});
  fails(
      "a server of another name",
      "https://127.0.0.1:" + std::to_string(port) + "/soap/v3/Door.asmx",
      {.ca_file = "authority.pem", .certificate_file = "client.pem"});

  host.reload_certificates();  // after a renewal; open connections keep the old certificates
  std::printf("%s\n", soapsvc::client<Door>{known}.call(&Door::enter).c_str());
  host.stop();
  serving.join();
}

// Output:
// welcome, CN=client
// a client without a certificate: refused
// a server of an unknown authority: refused
// a server of another name: refused
// welcome, CN=client
