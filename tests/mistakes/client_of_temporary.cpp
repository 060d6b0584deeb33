// A client of a temporary dispatcher.
// expect: ends_at_once
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  soapsvc::client<Hello> client(soapsvc::dispatcher({.ns_base = "http://localhost"}));
  client.call(&Hello::greet, {"Ada"});
}
