// Options of a record stand before its fields.
// expect: soapsvc: the rows of a record are field(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Name", &Person::name), unqualified);

int main() {}
