// The doc of a record must stand before its rows.
// expect: after its own options
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Point {
  std::int32_t x{}, y{};
  std::int32_t sum() const { return x + y; }
};
template <>
inline constexpr auto soapsvc::schema<Point> =
    record("Point", field("X", &Point::x), field("Y", &Point::y), doc("A point."));

int main() {}
