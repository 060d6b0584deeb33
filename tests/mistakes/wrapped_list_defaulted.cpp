// A wrapped list has an option that it cannot have.
// expect: soapsvc: the options of a wrapped_list and a map are doc
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::vector<std::string> names;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(wrapped_list("Names", &Greet::names, default_if_absent));

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
