// A type with an adapter as a request needs a name for it.
// expect: soapsvc: request and header of a method
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Money {
public:
  Money() = default;
  std::int64_t cents() const { return cents_; }

private:
  std::int64_t cents_ = 0;
};
template <> struct soapsvc::adapter<Money> {
  using wire = std::int64_t;
  static wire to_wire(const Money& value) { return value.cents(); }
  static Money from_wire(wire) { return {}; }
};

struct Bank {
  void pay(const Money&) {}
};
template <>
inline constexpr auto soapsvc::schema<Bank> = service("Bank", operation("Pay", &Bank::pay));

int main() {}
