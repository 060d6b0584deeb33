// The base has a table and an adapter.
// expect: soapsvc: extends<Base>() must name a base class of the struct of this table, with a table and without an adapter
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

struct Line : Both {
  std::string text;
};
template <>
inline constexpr auto soapsvc::schema<Line> =
    record("Line", extends<Both>(), field("Text", &Line::text));

int main() {}
