// The number of occurrences belongs to the use of a record.
// expect: soapsvc: the rows of a record are field(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", occurs(1, 2), field("Name", &Person::name));

int main() {}
