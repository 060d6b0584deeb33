// Replies that say which signature they answer, and are not signed.
// expect: soapsvc: confirmed_replies goes with signed_replies
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
    service("Bank", secured(x509_signature, confirmed_replies), operation("Ask", &Bank::ask));

int main() {}
