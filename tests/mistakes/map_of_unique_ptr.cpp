// The values of a map cannot be copied.
// expect: soapsvc: the values of a map can be copied; a std::unique_ptr or a stream cannot
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>
#include <memory>

struct Team {
  std::map<std::string, std::unique_ptr<std::int32_t>> ages;
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
