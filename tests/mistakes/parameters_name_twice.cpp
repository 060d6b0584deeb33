// Both parameters have one name.
// expect: soapsvc: parameters(...) lists a name twice
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Desk {
public:
  std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
};
template <>
inline constexpr auto soapsvc::schema<Desk> =
    service("Desk", operation("Add", &Desk::add, parameters("a", "a")));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
