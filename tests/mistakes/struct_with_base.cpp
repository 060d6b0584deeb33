// A message inherits members from another one: the table lists both.
// expect: soapsvc: the table of a derived struct lists only its own members; extends<Base>()
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string first;
};
struct Greet : Person {
  std::string title;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("First", &Greet::first), field("Title", &Greet::title));

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
