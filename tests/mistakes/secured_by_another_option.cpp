// An option of services in secured(...).
// expect: soapsvc: secured(...) lists password_text, password_digest, timestamp
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
    service("Bank", secured(timestamp, addressing), operation("Ask", &Bank::ask));

int main() {}
