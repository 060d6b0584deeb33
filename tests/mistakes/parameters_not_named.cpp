// A method of plain parameters without parameters(...) in its operation.
// expect: soapsvc: request and header of a method, the detail of a fault, and the values of read_xml, write_xml and to_text, are structs with a table; a header may be a std::optional of one; for a method of other parameters, write parameters(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Desk {
public:
  std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
};
template <>
inline constexpr auto soapsvc::schema<Desk> = service("Desk", operation("Add", &Desk::add));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
