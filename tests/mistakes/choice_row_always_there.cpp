// A branch of a choice is always set.
// expect: soapsvc: the rows of a choice are elements, groups and wildcards, each a
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Contact {
  std::optional<std::string> phone;
  std::string mail;
};
template <>
inline constexpr auto soapsvc::schema<Contact> =
    choice(field("Phone", &Contact::phone), field("Mail", &Contact::mail));

int main() {}
