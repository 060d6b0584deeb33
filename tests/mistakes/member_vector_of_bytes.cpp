// Bytes are a vector of numbers.
// expect: soapsvc: for bytes write soapsvc::binary, which is base64Binary in XML; for a list of
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::vector<std::uint8_t> picture;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(field("Picture", &Greet::picture));

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
