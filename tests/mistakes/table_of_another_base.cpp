// table_of<> of a struct that is not derived from the struct of the member.
// expect: soapsvc: table_of<Derived>() is for a member whose struct has no adapter and is a base of Derived
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Line {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Line> = record("Line", field("Id", &Line::id));
struct Other {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Other> = record("Line", field("Id", &Other::id));
struct Team {
  std::vector<Line> lines;
};
template <>
inline constexpr auto soapsvc::schema<Team> =
    record("Team", field("Line", &Team::lines, table_of<Other>()));

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
