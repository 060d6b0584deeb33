// A message inherits members: the table leaves these out.
// expect: soapsvc: this struct has a base class; write extends<Base>() before its fields, and give the base a
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string first;
};
struct Greet : Person {
  std::string title;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Title", &Greet::title));

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
