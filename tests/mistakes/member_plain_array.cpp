// A member is an array of C.
// expect: soapsvc: an array has no XML form; write a std::vector, or a member for each element
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::int32_t values[3];
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Values", &Greet::values));

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
