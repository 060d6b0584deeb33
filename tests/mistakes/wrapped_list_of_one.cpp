// A wrapped list whose member is not a list.
// expect: soapsvc: a wrapped_list is a std::vector, or a std::optional or nillable of one
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string names;
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
