// The table of a service was forgotten.
// expect: soapsvc: this class has no table of operations; write soapsvc::schema<...> =
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name; }
};

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
