// An integer has no digits after the point.
// expect: soapsvc: the type of this member cannot have this facet
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::int64_t cents{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Cents", &Person::cents, fraction_digits(2)));

int main() {}
