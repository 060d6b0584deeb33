// A struct that is its own base.
// expect: soapsvc: extends<Base>() must name a base class of the struct of this table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Dog {
  bool barks{};
};
template <>
inline constexpr auto soapsvc::schema<Dog> =
    record("Dog", extends<Dog>(), field("Barks", &Dog::barks));

int main() {}
