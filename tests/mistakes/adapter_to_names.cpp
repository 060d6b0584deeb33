// The wire of an adapter is a list of qualified names.
// expect: soapsvc: the wire of an adapter is no type with an adapter of its own, no qualified_name, no list
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Names {
  std::string all;
};
template <> struct soapsvc::adapter<Names> {
  using wire = soapsvc::list<soapsvc::qualified_name>;
  static wire to_wire(const Names&) { return {}; }
  static Names from_wire(const wire&) { return {}; }
};

struct Bill {
  Names codes;
};
template <>
inline constexpr auto soapsvc::schema<Bill> = record("Bill", attribute("codes", &Bill::codes));

int main() {}
