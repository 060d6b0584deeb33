// The table of an enum stands below the table that uses it.
// expect: soapsvc: this enum has no table; write soapsvc::schema<...> = enumeration(...) after it,
// lines: 53, since clang++ also tells of every name in the table that comes too late
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

enum class Tone { warm, cold };
struct Greet {
  Tone tone{};
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Tone", &Greet::tone));
template <>
inline constexpr auto soapsvc::schema<Tone> =
    enumeration("Tone", value("Warm", Tone::warm), value("Cold", Tone::cold));

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
