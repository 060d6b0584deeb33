#include "soapsvc.hpp"

class Hello {
public:
  std::string greet(const std::string& name) { return "Hello, " + name + "!"; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> =
    service("Hello", operation("Greet", &Hello::greet, parameters("Name"), doc("Greets by name.")));

int main() try {
  Hello hello;
  soapsvc::host host{{.ns_base = "http://localhost:8080"}};
  host.add(hello);
  host.listen("127.0.0.1", 8080);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());  // such as: the port is taken
  return 1;
}
