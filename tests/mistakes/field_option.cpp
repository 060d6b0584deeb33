// An option that fields do not have.
// expect: soapsvc: the options of a field are default_if_absent, secret, deprecated, doc(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name, "the name of a person"));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
