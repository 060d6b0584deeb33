// A map has a facet.
// expect: soapsvc: facets and occurs(...) are not for a wrapped_list or a map
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>

struct Team {
  std::map<std::string, std::int32_t> ages;
};
template <>
inline constexpr auto soapsvc::schema<Team> =
    record("Team", map("Ages", "Age", "Name", "Years", &Team::ages, soapsvc::min_inclusive("0")));

class Desk {
public:
  void put(const Team&) {}
};
template <>
inline constexpr auto soapsvc::schema<Desk> = service("Desk", operation("Put", &Desk::put));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
