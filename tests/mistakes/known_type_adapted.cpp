// A derived struct has a table and an adapter.
// expect: soapsvc: the structs of known_types are derived from its base, and have a table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Animal {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Animal> = record("Animal", field("Name", &Animal::name));
struct Dog : Animal {
  bool barks = false;
};
template <>
inline constexpr auto soapsvc::schema<Dog> =
    record("Dog", extends<Animal>(), field("Barks", &Dog::barks));
template <> struct soapsvc::adapter<Dog> {
  using wire = std::string;
  static wire to_wire(const Dog& dog) { return dog.name; }
  static Dog from_wire(const wire& name) { return {{name}, false}; }
};
template <> inline constexpr auto soapsvc::known_types<Animal> = soapsvc::types<Dog>();

struct Owner {
  soapsvc::polymorphic<Animal> pet;
};
template <>
inline constexpr auto soapsvc::schema<Owner> = record("Owner", field("Pet", &Owner::pet));

int main() {}
