// Content is always there, if only as an empty text.
// expect: soapsvc: an attribute, or the content of an element, is a simple type
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Price {
  std::optional<double> amount;
  std::string currency;
};
template <>
inline constexpr auto soapsvc::schema<Price> =
    record("Price", content(&Price::amount), attribute("currency", &Price::currency));

int main() {}
