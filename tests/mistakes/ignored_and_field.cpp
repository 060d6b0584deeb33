// A member is a field and ignored.
// expect: soapsvc: this table lists a member twice
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Point {
  std::int32_t x{}, y{};
  std::int32_t sum() const { return x + y; }
};
template <>
inline constexpr auto soapsvc::schema<Point> =
    record("Point", field("X", &Point::x), ignored(&Point::x));

int main() {}
