// A group has a table and an adapter. The rows of the table are not those of the wire.
// expect: soapsvc: a group is a struct with a table and without an adapter
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Both {
  std::int32_t x{};
};
template <> inline constexpr auto soapsvc::schema<Both> = record("Both", field("X", &Both::x));
template <> struct soapsvc::adapter<Both> {
  using wire = std::string;
  static wire to_wire(const Both&) { return {}; }
  static Both from_wire(const wire&) { return {}; }
};

struct Line {
  Both both;
};
template <> inline constexpr auto soapsvc::schema<Line> = record("Line", group(&Line::both));

int main() {}
