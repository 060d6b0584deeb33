// An adapter has no `wire`.
// expect: soapsvc: the soapsvc::adapter<T> of this type lacks `using wire = ...;`
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Money {
  std::int64_t cents = 0;
  explicit Money(std::int64_t c = 0) : cents(c) {}
};

template <> struct soapsvc::adapter<Money> {
  static std::int64_t to_wire(const Money& value) { return value.cents; }
  static Money from_wire(std::int64_t sent) { return Money(sent); }
};

struct Bill {
  Money total;
};
template <>
inline constexpr auto soapsvc::schema<Bill> = record("Bill", field("Total", &Bill::total));

int main() {}
