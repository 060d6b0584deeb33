// A parameter has a type of fields.
// expect: soapsvc: a std::map is a member with a row map(...)
// lines: 33, from the operation to the type of a parameter
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>

class Desk {
public:
  std::int32_t add(const std::map<std::string, std::int32_t>& all) {
    return static_cast<std::int32_t>(all.size());
  }
};
template <>
inline constexpr auto soapsvc::schema<Desk> =
    service("Desk", operation("Add", &Desk::add, parameters("all")));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
