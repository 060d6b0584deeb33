// A map row whose member is not a map.
// expect: soapsvc: a map is a std::map or std::unordered_map, or a std::optional or nillable of one
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Team {
  std::vector<std::int32_t> ages;
};
template <>
inline constexpr auto soapsvc::schema<Team> =
    record("Team", map("Ages", "Age", "Name", "Years", &Team::ages));

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
