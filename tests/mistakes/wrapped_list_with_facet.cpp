// A wrapped list has a facet of its items.
// expect: soapsvc: facets and occurs(...) are not for a wrapped_list
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::vector<std::string> names;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(wrapped_list("Names", &Greet::names, max_length(3)));

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
