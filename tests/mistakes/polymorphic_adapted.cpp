// The base of derived values has a table and an adapter.
// expect: soapsvc: a soapsvc::polymorphic holds structs with a table and without an adapter
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
  soapsvc::polymorphic<Both> both;
};
template <>
inline constexpr auto soapsvc::schema<Line> = record("Line", field("Both", &Line::both));

int main() {}
