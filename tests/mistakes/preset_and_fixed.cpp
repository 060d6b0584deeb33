// One value when it is absent, and another always.
// expect: soapsvc: a value is either preset or fixed
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct List {
    std::optional<std::string> words;
};
template <>
inline constexpr auto soapsvc::schema<List> =
    record("List", attribute("words", &List::words, preset("x"), fixed("y")));

int main() {}
