// Two operations have one name.
// expect: soapsvc: two operations of this service have the same name
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name; }
  std::string part(const Greet& request) { return "Goodbye, " + request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> =
    service("Hello", operation("Greet", &Hello::greet), operation("Greet", &Hello::part));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
