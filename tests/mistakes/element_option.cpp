// An element is given more than a namespace.
// expect: soapsvc: after a name, write ns(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> =
    service("Hello", operation("Greet", &Hello::greet, request("Hi", bare)));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
