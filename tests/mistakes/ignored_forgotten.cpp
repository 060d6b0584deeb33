// A member is neither a field nor ignored.
// expect: soapsvc: this table does not list every member; add a field for each
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Point {
  std::int32_t x{}, y{}, cache{};
};
template <>
inline constexpr auto soapsvc::schema<Point> =
    record("Point", field("X", &Point::x), ignored(&Point::cache));

int main() {}
