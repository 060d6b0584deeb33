// A negative length would become a very large number.
// expect: soapsvc: a length, or a number of digits, is not negative
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Name", &Person::name, min_length(-1)));

int main() {}
