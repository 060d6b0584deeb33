// Attributes cannot be chosen.
// expect: soapsvc: the rows of a choice are elements, groups and wildcards, each a
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Contact {
  std::optional<std::string> phone;
  std::optional<std::string> mail;
};
template <>
inline constexpr auto soapsvc::schema<Contact> =
    choice(field("Phone", &Contact::phone), attribute("mail", &Contact::mail));

int main() {}
