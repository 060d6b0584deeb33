// A header is listed twice.
// expect: soapsvc: header_blocks<...> lists a header block twice
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record("Greet", field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const soapsvc::header_blocks<Greet, std::optional<Greet>>&) { return {}; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
