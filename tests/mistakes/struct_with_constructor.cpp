// A struct with a constructor: its members cannot be counted.
// expect: soapsvc: a struct with a table is plain: no constructor, private member, private
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  Greet() = default;
  explicit Greet(std::string text) : name(std::move(text)) {}
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
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
