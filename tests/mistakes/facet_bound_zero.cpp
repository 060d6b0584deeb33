// A bound is said as a number. Other numbers are no text for the compiler, but 0 is a null pointer.
// expect: soapsvc: bounds and default values are texts
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::int32_t age{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Age", &Person::age, min_inclusive(0)));

int main() {}
