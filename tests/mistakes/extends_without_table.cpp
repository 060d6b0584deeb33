// A base class that has no table.
// expect: soapsvc: this struct has no table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Animal {
  std::string name;
};
struct Dog : Animal {
  bool barks{};
};
template <>
inline constexpr auto soapsvc::schema<Dog> =
    record("Dog", extends<Animal>(), field("Barks", &Dog::barks));

int main() {}
