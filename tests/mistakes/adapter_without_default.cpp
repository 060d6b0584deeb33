// A type that cannot be made before its value is read.
// expect: soapsvc: a type with an adapter has a default constructor and can be assigned
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Money {
  std::int64_t cents = 0;
  explicit Money(std::int64_t c) : cents(c) {}
};
template <> struct soapsvc::adapter<Money> {
  using wire = soapsvc::decimal;
  static wire to_wire(const Money&) { return {}; }
  static Money from_wire(const wire&) { return Money(1); }
};

struct Bill {
  Money total;
};
template <>
inline constexpr auto soapsvc::schema<Bill> = record("Bill", field("Total", &Bill::total));

int main() {}
