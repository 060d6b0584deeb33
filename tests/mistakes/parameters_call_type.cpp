// A call with a value of another type.
// expect: soapsvc: call(&Service::method, value, ...) takes a value of the right type for each name in the parameters(...) of the operation
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Desk {
public:
  std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
};
template <>
inline constexpr auto soapsvc::schema<Desk> =
    service("Desk", operation("Add", &Desk::add, parameters("a", "b")));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
  soapsvc::client<Desk>(dispatcher).call(&Desk::add, 1, "2");
}
