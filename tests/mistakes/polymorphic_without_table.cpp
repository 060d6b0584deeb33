// The base of derived values has no table.
// expect: soapsvc: this struct has no table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Animal {
  std::string name;
};

struct Greet {
  soapsvc::polymorphic<Animal> value;
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
