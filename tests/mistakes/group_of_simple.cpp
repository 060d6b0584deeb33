// A group has rows; a number has none.
// expect: soapsvc: a group is a struct with a table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Price {
  double amount{};
};
template <> inline constexpr auto soapsvc::schema<Price> = record("Price", group(&Price::amount));

int main() {}
