// An optional member needs no default_if_absent.
// expect: soapsvc: default_if_absent is for a member that always has a value; leave it out: a
// std::optional
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::optional<std::string> name;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name, default_if_absent));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name.value_or("you"); }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
