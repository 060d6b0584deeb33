// A default value and a fixed value in one row.
// expect: soapsvc: a row has default_value or fixed, but not both
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct List {
  std::optional<std::string> words;
};
template <>
inline constexpr auto soapsvc::schema<List> =
    record("List", attribute("words", &List::words, default_value("x"), fixed("y")));

int main() {}
