// White space at the end of a text, which readers remove.
// expect: soapsvc: an enumeration's text is not empty and has no outer or double spaces
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

enum class Tone { kind, rude };
template <>
inline constexpr auto soapsvc::schema<Tone> =
    enumeration("Tone", value("kind", Tone::kind), value("rude ", Tone::rude));

struct Greet {
  std::string name;
  Tone tone{};
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name), field("Tone", &Greet::tone));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
