// A member is a std::array; repeated elements are a std::vector.
// expect: std::optional or std::vector of one of these
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::array<std::string, 3> names;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Names", &Greet::names));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.names[0]; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
