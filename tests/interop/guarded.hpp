// Two services that are secured by WS-Security, and tell who calls: for addressed_server, which
// serves them, and secured_client, which calls others that do.
#pragma once

#include "soapsvc.hpp"

struct GuardedText {
    std::string text;
};
struct Refused {
    std::int32_t code{};
};

template <bool IsSigned>
class Guarded {
public:
    std::string say(const GuardedText& request) { return request.text; }
    std::string who(const soapsvc::context& told) {
        return std::string(IsSigned ? told.signer : told.user);
    }
    void fail(const GuardedText& request) {
        throw soapsvc::fault(soapsvc::fault_code::client, request.text).with(Refused{7});
    }
};
using Tokens = Guarded<false>;
using Signed = Guarded<true>;

template <>
inline constexpr auto soapsvc::schema<GuardedText> = record(field("Text", &GuardedText::text));
template <>
inline constexpr auto soapsvc::schema<Refused> = record("Refused", field("Code", &Refused::code));
template <>
inline constexpr auto soapsvc::schema<Tokens> = service(
    "Tokens",
    in("urn:guarded:tokens"),
    secured(password_text, password_digest, timestamp),
    operation("Say", &Tokens::say),
    operation("Who", &Tokens::who),
    operation("Fail", &Tokens::fail, fault_detail<Refused>()));
template <>
inline constexpr auto soapsvc::schema<Signed> = service(
    "Signed",
    in("urn:guarded:signed"),
    secured(x509_signature, timestamp, signed_replies),
    operation("Say", &Signed::say),
    operation("Who", &Signed::who),
    operation("Fail", &Signed::fail, fault_detail<Refused>()));

/// Who may call Tokens.
inline constexpr std::string_view guarded_user = "alice";
inline constexpr std::string_view guarded_word = "secret & <word>";
