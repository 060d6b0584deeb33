// The key of a map is a struct.
// expect: soapsvc: the key of a map is a simple type, such as std::string, an integer or an enum
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <map>

struct Name {
  std::string text;
  auto operator<=>(const Name&) const = default;
};
template <>
inline constexpr auto soapsvc::schema<Name> = record("Name", field("Text", &Name::text));
struct Team {
  std::map<Name, std::int32_t> ages;
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
