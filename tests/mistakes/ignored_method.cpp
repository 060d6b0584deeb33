// A method is not on the wire in any case.
// expect: soapsvc: ignored(&Struct::member) is for a data member
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Point {
  std::int32_t x{}, y{};
  std::int32_t sum() const { return x + y; }
};
template <>
inline constexpr auto soapsvc::schema<Point> =
    record("Point", field("X", &Point::x), field("Y", &Point::y), ignored(&Point::sum));

int main() {}
