// table_of<> of a struct without a table.
// expect: soapsvc: this struct has no table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Line {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Line> = record("Line", field("Id", &Line::id));
struct Other : Line {};
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
