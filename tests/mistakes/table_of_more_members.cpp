// table_of<> of a derived struct that adds a member.
// expect: soapsvc: table_of<Derived>() is for a member whose struct has no adapter and is a base of Derived
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Line {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Line> = record("Line", field("Id", &Line::id));
struct Other : Line {
  std::int32_t more{};
};
template <>
inline constexpr auto soapsvc::schema<Other> =
    record("Line", extends<Line>(), field("More", &Other::more));
struct Team {
  std::vector<Line> lines;
};
template <>
inline constexpr auto soapsvc::schema<Team> =
    record("Team", wrapped_list("Lines", &Team::lines, table_of<Other>()));

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
