// Three plain parameters without names.
// expect: soapsvc: a method's parameters are the request, the header and soapsvc::context, in this order; each may be left out; for other parameters, write parameters(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Desk {
public:
  std::int32_t add(std::int32_t a, std::int32_t b, std::int32_t c) { return a + b + c; }
};
template <>
inline constexpr auto soapsvc::schema<Desk> = service("Desk", operation("Add", &Desk::add));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
