// A string has no digits that count.
// expect: soapsvc: the type of this member cannot have this facet
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string id;
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", attribute("id", &Person::id, total_digits(3)));

int main() {}
