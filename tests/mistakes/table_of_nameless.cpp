// table_of<> of a table without a name, which the type in the WSDL needs.
// expect: soapsvc: the table of this struct needs a name, because a field, a parameter or a result holds it
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Line {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Line> = record("Line", field("Id", &Line::id));
struct Other : Line {};
template <> inline constexpr auto soapsvc::schema<Other> = record(field("No", &Line::id));
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
