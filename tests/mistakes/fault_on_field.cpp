// A fault on a field.
// expect: soapsvc: the options of a field are default_if_absent, secret, deprecated, doc(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name, fault_doc(1, "Gone")));

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
