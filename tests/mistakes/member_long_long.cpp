// A member is an integer type whose size C++ does not fix.
// expect: soapsvc: for a whole number write std::int8_t to std::int64_t or std::uint8_t to
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  long long number;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Number", &Greet::number));

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
