// The items of a wrapped list are bytes.
// expect: soapsvc: for bytes write soapsvc::binary
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::vector<std::uint8_t> names;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(wrapped_list("Names", &Greet::names));

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
