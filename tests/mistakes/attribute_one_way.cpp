// An option of operations on an attribute.
// expect: soapsvc: the options of a field are default_if_absent, secret, deprecated
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::int32_t age{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", attribute("age", &Person::age, soapsvc::one_way));

int main() {}
