// The base stands behind a field.
// expect: soapsvc: the rows of a record are field(
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
    record("Dog", field("Barks", &Dog::barks), extends<Animal>());

int main() {}
