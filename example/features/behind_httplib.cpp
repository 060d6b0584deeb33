// Behind cpp-httplib, for programs that have such a server already, and for systems without epoll.
// host.md lists the differences to soapsvc::host. Build: g++ -std=c++20 behind_httplib.cpp
// $(pkg-config --cflags --libs cpp-httplib openssl zlib) -pthread
#include <httplib.h>

#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name + "!"; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> =
    service("Hello", ns("urn:hello"), operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher services;
  services.add(hello);

  httplib::Server server;  // or SSLServer
  server.Get("/version", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("1.0\n", "text/plain");
  });
  soapsvc::mount(server, services);  // last: it answers all other paths
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread serving([&server] { server.listen_after_bind(); });
  while (!server.is_running())
    std::this_thread::yield();

  soapsvc::client<Hello> client{
      "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Hello.asmx", {}};
  std::printf("%s\n", client.call(&Hello::greet, {"Ada"}).c_str());
  httplib::Client browser("127.0.0.1", port);
  std::printf("%s", browser.Get("/version")->body.c_str());
  std::printf("%d\n", browser.Get("/soap/v3/Hello.asmx?wsdl")->status);
  server.stop();
  serving.join();
}

// Output:
// Hello, Ada!
// 1.0
// 200
