// A class with a constructor has no adapter.
// expect: soapsvc: this type has no XML form; write a soapsvc::adapter<T> for it
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Money {
  std::int64_t cents = 0;
  explicit Money(std::int64_t c = 0) : cents(c) {}
};

struct Bill {
  Money total;
};
template <>
inline constexpr auto soapsvc::schema<Bill> = record("Bill", field("Total", &Bill::total));

int main() {}
