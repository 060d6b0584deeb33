// The struct is not derived from the struct in extends<>.
// expect: soapsvc: extends<Base>() must name a base class of the struct of this table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Animal {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Animal> = record("Animal", field("Name", &Animal::name));
struct Dog {
  bool barks{};
};
template <>
inline constexpr auto soapsvc::schema<Dog> =
    record("Dog", extends<Animal>(), field("Barks", &Dog::barks));

int main() {}
