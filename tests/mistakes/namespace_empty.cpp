// No namespace is no name of one.
// expect: soapsvc: ns(...) names a namespace; what is in none is said to be unqualified
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
    std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", ns(""), field("Name", &Person::name));

int main() {}
