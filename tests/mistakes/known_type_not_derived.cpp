// A known type is a struct without the base.
// expect: soapsvc: the structs of known_types are derived from its base
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Animal {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Animal> = record("Animal", field("Name", &Animal::name));
struct Dog {
  bool barks = false;
};
template <> inline constexpr auto soapsvc::schema<Dog> = record("Dog", field("Barks", &Dog::barks));
template <> inline constexpr auto soapsvc::known_types<Animal> = soapsvc::types<Dog>();

struct Owner {
  soapsvc::polymorphic<Animal> pet;
};
template <>
inline constexpr auto soapsvc::schema<Owner> = record("Owner", field("Pet", &Owner::pet));

int main() {}
