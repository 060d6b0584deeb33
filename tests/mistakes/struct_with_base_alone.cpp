// A message inherits members: the table lists these alone.
// expect: soapsvc: the rows of this type's table are those of its base class; write extends<Base>() and the
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string first;
};
struct Greet : Person {
  std::string title;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("First", &Greet::first));

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
