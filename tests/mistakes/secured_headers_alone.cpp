// Signed header blocks in a message that is not signed.
// expect: soapsvc: signed_header_blocks and signed_responses go with x509_signature
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
    service("Bank", secured(timestamp, signed_header_blocks), operation("Ask", &Bank::ask));

int main() {}
