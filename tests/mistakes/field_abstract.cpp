// An option of records on a field. It has the type of a facet.
// expect: soapsvc: the options of a field are default_if_absent, secret, deprecated
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::int32_t age{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Age", &Person::age, soapsvc::abstract));

int main() {}
