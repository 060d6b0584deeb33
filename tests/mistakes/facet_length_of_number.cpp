// A number has no length.
// expect: soapsvc: the type of this member cannot have this facet
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::int32_t id{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Id", &Person::id, max_length(3)));

int main() {}
