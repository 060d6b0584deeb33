// An empty namespace is not a namespace name.
// expect: soapsvc: ns(...) needs the name of a namespace; for no namespace write unqualified
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", ns(""), field("Name", &Person::name));

int main() {}
