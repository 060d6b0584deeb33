// table_of<> for a class with an adapter, whose wire type is another.
// expect: soapsvc: table_of<Derived>() is for a member whose struct has no adapter and is a base of Derived
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Wire {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Wire> = record("Wire", field("Id", &Wire::id));
struct Line {
  std::int32_t id{};
};
template <> struct soapsvc::adapter<Line> {
  using wire = Wire;
  static wire to_wire(const Line& line) { return {line.id}; }
  static Line from_wire(const wire& read) { return {read.id}; }
};
struct Other : Line {};
template <> inline constexpr auto soapsvc::schema<Other> = record("Line", field("No", &Line::id));
struct Team {
  Line line;
};
template <>
inline constexpr auto soapsvc::schema<Team> =
    record("Team", field("Line", &Team::line, table_of<Other>()));

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
