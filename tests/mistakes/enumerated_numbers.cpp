// Enumerated values must be text.
// expect: soapsvc: enumerated lists values as texts
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::int32_t level{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Level", &Person::level, enumerated(1, 2)));

int main() {}
