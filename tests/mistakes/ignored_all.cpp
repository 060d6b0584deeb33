// All members are ignored.
// expect: soapsvc: this record has no field, because all members are ignored
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Point {
  std::int32_t x{}, y{};
  std::int32_t sum() const { return x + y; }
};
template <>
inline constexpr auto soapsvc::schema<Point> =
    record("Point", ignored(&Point::x), ignored(&Point::y));

int main() {}
