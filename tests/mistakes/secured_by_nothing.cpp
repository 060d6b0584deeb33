// secured(...) with only `optionally`.
// expect: soapsvc: secured(...) lists at least one of password_text
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Ask {
  std::string text;
};
template <> inline constexpr auto soapsvc::schema<Ask> = record("Ask", field("Text", &Ask::text));

struct Bank {
  std::string ask(const Ask& request);
};
template <>
inline constexpr auto soapsvc::schema<Bank> =
    service("Bank", secured(optionally), operation("Ask", &Bank::ask));

int main() {}
