// A record has more fields than the maximum.
// expect: soapsvc: a record has at most 512 fields; put some into a struct of their own
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <std::size_t... Indices> constexpr auto many_fields(std::index_sequence<Indices...>) {
  return soapsvc::record((static_cast<void>(Indices), soapsvc::field("Name", &Greet::name))...);
}
template <>
inline constexpr auto soapsvc::schema<Greet> = many_fields(std::make_index_sequence<513>{});

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
