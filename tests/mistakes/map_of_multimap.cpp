// A map row with a multimap, which may have one key several times.
// expect: soapsvc: a map is a std::map or std::unordered_map
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>

struct Team {
  std::multimap<std::string, std::int32_t> ages;
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
