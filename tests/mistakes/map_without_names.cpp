// A map row does not name its items.
// expect: soapsvc: map names its items, their keys and their values
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>

struct Team {
  std::map<std::string, std::int32_t> ages;
};
template <> inline constexpr auto soapsvc::schema<Team> = record("Team", map("Ages", &Team::ages));

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
