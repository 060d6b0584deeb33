// An adapter that converts one way only.
// expect: soapsvc: an adapter<T> has static functions `wire to_wire(const T&)` and `T from_wire(const wire&)`
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Money {
  std::int64_t cents = 0;
  explicit Money(std::int64_t c = 0) : cents(c) {}
};
template <> struct soapsvc::adapter<Money> {
  using wire = soapsvc::decimal;
  static wire to_wire(const Money&) { return {}; }
};

struct Bill {
  Money total;
};
template <>
inline constexpr auto soapsvc::schema<Bill> = record("Bill", field("Total", &Bill::total));

int main() {}
