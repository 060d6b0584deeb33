// A table that lists the base's members as well as extending it.
// expect: soapsvc: the table of a derived struct lists only its own members; extends<Base>()
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Animal {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Animal> = record("Animal", field("Name", &Animal::name));
struct Dog : Animal {
  bool barks{};
};
template <>
inline constexpr auto soapsvc::schema<Dog> =
    record("Dog", extends<Animal>(), field("Name", &Animal::name), field("Barks", &Dog::barks));

int main() {}
