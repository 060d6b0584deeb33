// The name comes first.
// expect: soapsvc: write field(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> = record("Person", field(&Person::name, "Name"));

int main() {}
