// A member is a std::map.
// expect: soapsvc: a std::map is a member with a row map(...), which names its items, keys and
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>

struct Greet {
  std::map<std::string, std::string> names;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Names", &Greet::names));

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
