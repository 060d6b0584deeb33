// Confirmed responses that are not signed.
// expect: soapsvc: confirmed_responses goes with signed_responses
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
    service("Bank", secured(x509_signature, confirmed_responses), operation("Ask", &Bank::ask));

int main() {}
