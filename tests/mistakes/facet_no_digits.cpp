// A number without digits.
// expect: soapsvc: a number has at least one digit; write total_digits(1) or more
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::int64_t cents{};
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Cents", &Person::cents, total_digits(0)));

int main() {}
