// A list holds lists, as a part of a union.
// expect: soapsvc: the items of a soapsvc::list are simple values without spaces
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  soapsvc::list<std::variant<std::int32_t, soapsvc::list<std::int32_t>>> value;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Value", &Greet::value));

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
