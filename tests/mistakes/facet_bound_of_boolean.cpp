// True is not more than false.
// expect: soapsvc: the type of this member cannot have this facet
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  bool active{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Active", &Person::active, min_inclusive("0")));

int main() {}
