// The typed detail of a fault has no table.
// expect: soapsvc: this struct has no table; write soapsvc::schema<...> = record(...) after it,
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Problem {
  std::string text;
};

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) {
    if (request.name.empty())
      throw soapsvc::fault(soapsvc::fault_code::client, "no name").with(Problem{"empty"});
    return "Hello, " + request.name;
  }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
