// The keys and the values of a map have one name.
// expect: soapsvc: map(...) gives keys and values one name
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>

struct Team {
  std::map<std::string, std::int32_t> ages;
};
template <>
inline constexpr auto soapsvc::schema<Team> =
    record("Team", map("Ages", "Age", "Name", "Name", &Team::ages));

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
