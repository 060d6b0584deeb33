// The wire type of an adapter is a std::optional.
// expect: soapsvc: the wire of an adapter is no type with an adapter of its own, no qualified_name, no list or std::variant with one, and no std::optional
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Money {
  std::int64_t cents = 0;
  explicit Money(std::int64_t c = 0) : cents(c) {}
};
template <> struct soapsvc::adapter<Money> {
  using wire = std::optional<std::int32_t>;
  static wire to_wire(const Money&) { return {}; }
  static Money from_wire(const wire&) { return Money(1); }
};

struct Bill {
  Money total;
};
template <>
inline constexpr auto soapsvc::schema<Bill> = record("Bill", field("Total", &Bill::total));

int main() {}
