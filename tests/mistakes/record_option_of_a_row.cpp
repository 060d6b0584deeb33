// An option that rows have, and records do not.
// expect: soapsvc: the options of a record are ns(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", default_value("x"), field("Name", &Person::name));

int main() {}
