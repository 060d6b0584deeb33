// The table of an enum was forgotten.
// expect: soapsvc: this enum has no table; write soapsvc::schema<...> = enumeration(...) after
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

enum class Tone { kind, rude };

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
