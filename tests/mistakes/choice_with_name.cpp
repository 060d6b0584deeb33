// A choice is no type, and has no name.
// expect: soapsvc: the rows of a record are field(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Contact {
  std::optional<std::string> phone;
  std::optional<std::string> mail;
};
template <>
inline constexpr auto soapsvc::schema<Contact> =
    choice("Contact", field("Phone", &Contact::phone), field("Mail", &Contact::mail));

int main() {}
