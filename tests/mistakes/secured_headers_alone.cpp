// Signed header blocks in a message that is not signed.
// expect: soapsvc: signed_headers and signed_replies go with x509_signature
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Ask {
    std::string text;
};
template <>
inline constexpr auto soapsvc::schema<Ask> = record("Ask", field("Text", &Ask::text));

struct Bank {
    std::string ask(const Ask& request);
};
template <>
inline constexpr auto soapsvc::schema<Bank> =
    service("Bank", secured(timestamp, signed_headers), operation("Ask", &Bank::ask));

int main() {}
