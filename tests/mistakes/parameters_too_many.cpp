// A name too many; the context has none.
// expect: soapsvc: parameters(...) names each parameter of the method before its soapsvc::header_blocks and soapsvc::context
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Desk {
public:
  std::int32_t add(std::int32_t a, std::int32_t b, const soapsvc::context&) { return a + b; }
};
template <>
inline constexpr auto soapsvc::schema<Desk> =
    service("Desk", operation("Add", &Desk::add, parameters("a", "b", "call")));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
