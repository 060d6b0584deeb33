// A table of a choice that stands at the wrong struct.
// expect: soapsvc: the table of this type lists members of another type; list its own members
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Other {
  std::optional<std::string> phone;
  std::optional<std::string> mail;
};
struct Contact {
  std::optional<std::string> phone;
};
template <>
inline constexpr auto soapsvc::schema<Contact> =
    choice(field("Phone", &Other::phone), field("Mail", &Other::mail));
struct Person {
  Contact contact;
};
template <>
inline constexpr auto soapsvc::schema<Person> = record("Person", group(&Person::contact));

int main() {}
