// A choice lists all members of its struct, as a record does.
// expect: soapsvc: this table does not list every member
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Contact {
  std::optional<std::string> phone;
  std::optional<std::string> mail;
};
template <>
inline constexpr auto soapsvc::schema<Contact> = choice(field("Phone", &Contact::phone));

int main() {}
