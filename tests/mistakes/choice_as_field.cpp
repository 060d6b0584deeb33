// A choice that is used like a record.
// expect: soapsvc: a choice cannot be a type by itself; write group(&Struct::member) among the rows of a record
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Contact {
  std::optional<std::string> phone;
  std::optional<std::string> mail;
};
template <>
inline constexpr auto soapsvc::schema<Contact> =
    choice(field("Phone", &Contact::phone), field("Mail", &Contact::mail));
struct Person {
  Contact contact;
};
template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Contact", &Person::contact));

int main() {}
