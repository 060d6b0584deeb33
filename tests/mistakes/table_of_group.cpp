// A group has a second table.
// expect: soapsvc: table_of<Derived>() is for field and wrapped_list
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Line {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Line> = record("Line", field("Id", &Line::id));
struct Other : Line {};
template <> inline constexpr auto soapsvc::schema<Other> = record("Line", field("No", &Line::id));
struct Team {
  Line line;
};
template <>
inline constexpr auto soapsvc::schema<Team> = record("Team", group(&Team::line, table_of<Other>()));

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
