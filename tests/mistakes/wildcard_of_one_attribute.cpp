// A wildcard for attributes with a member for one attribute.
// expect: soapsvc: a wildcard is a soapsvc::xml, or a std::optional or std::vector of it; a
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::optional<soapsvc::xml_attribute> value;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(any_attribute(&Greet::value));

class Hello {
public:
  std::string greet(const Greet&) { return "Hello"; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
