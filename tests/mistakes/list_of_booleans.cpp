// A list holds booleans.
// expect: soapsvc: for a list of booleans write soapsvc::list<soapsvc::boolean>, because the
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  soapsvc::list<bool> value;
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
