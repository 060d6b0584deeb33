// The table of an enum has no name for its type.
// expect: soapsvc: an enumeration begins with its type's name: enumeration(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

enum class Tone { warm, cold };
template <>
inline constexpr auto soapsvc::schema<Tone> =
    enumeration(value("Warm", Tone::warm), value("Cold", Tone::cold));

struct Greet {
  Tone tone{};
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Tone", &Greet::tone));

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
