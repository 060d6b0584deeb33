// The values of a map are maps.
// expect: soapsvc: a std::map is a member with a row map(...), which names its items, keys and
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>

struct Team {
  std::map<std::string, std::map<std::string, std::int32_t>> ages;
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
