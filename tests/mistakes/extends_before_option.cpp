// The base stands before another option of the record.
// expect: and ignored, after its own options, of which extends<Base>() is the last
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
    record("Dog", extends<Animal>(), unqualified, field("Barks", &Dog::barks));

int main() {}
