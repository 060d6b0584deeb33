// An option of header blocks on a field.
// expect: soapsvc: the options of a field are default_if_absent, secret, deprecated
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::int32_t age{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Age", &Person::age, soapsvc::nillable_element));

int main() {}
