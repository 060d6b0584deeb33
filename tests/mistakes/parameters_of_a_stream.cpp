// A stream is the last member of a struct.
// expect: soapsvc: a stream cannot be one of parameters(...)
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Desk {
public:
  std::int32_t add(const soapsvc::stream<std::int32_t>& all) { return all.next().value_or(0); }
};
template <>
inline constexpr auto soapsvc::schema<Desk> =
    service("Desk", operation("Add", &Desk::add, parameters("all")));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
