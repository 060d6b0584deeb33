// Behind a proxy: the caller's address. The host believes only the headers of listed proxies.
// production.md has the configuration of nginx and HAProxy.
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

class Mirror {
public:
  std::string who(const soapsvc::context& context) { return std::string(context.peer); }
};
template <>
inline constexpr auto soapsvc::schema<Mirror> =
    service("Mirror", ns("urn:mirror"), operation("Who", &Mirror::who));

/// Calls like a proxy that passes on a request of 192.0.2.7.
void ask(const std::vector<std::string>& trusted) {
  Mirror mirror;
  soapsvc::host host{
      {.public_url = "https://mirror.example.com",  // the address in the WSDL and the pages
       .trusted_proxies = trusted}};
  host.add(mirror);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });
  soapsvc::client<Mirror> client{
      "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Mirror.asmx",
      {.headers = {
           {"X-Forwarded-For", "6.6.6.6, 192.0.2.7"},  // the caller forged the first one
           {"X-Forwarded-Proto", "https"}}}};
  std::printf("called by %s\n", client.call(&Mirror::who).c_str());
  host.stop();
  serving.join();
}

int main() {
  ask({"127.0.0.1"});
  ask({});
}

// Output:
// called by 192.0.2.7
// called by 127.0.0.1
