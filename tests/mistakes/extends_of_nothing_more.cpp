// A struct adds nothing to its base, and its table does not name the base.
// expect: soapsvc: for a struct that adds nothing to its base write record<Struct>(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Animal {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Animal> = record("Animal", field("Name", &Animal::name));
struct Dog : Animal {};
template <> inline constexpr auto soapsvc::schema<Dog> = record("Dog", extends<Animal>());

int main() {}
