// Services with WS-Security, by a token, a signature or both, which return their caller: for
// addressed_server, which serves them, and secured_client, which calls other servers of them.
#pragma once

#include "soapsvc.hpp"

struct GuardedText {
  std::string text;
};
struct Refused {
  std::int32_t code{};
};

enum class guard { token, signature, both };

template <guard By> class Guarded {
public:
  std::string say(const GuardedText& request) { return request.text; }
  std::string who(const soapsvc::context& told) {
    std::string caller(By == guard::signature ? told.signer : told.user);
    if (By == guard::both) caller.append(" by ").append(told.signer);
    return caller;
  }
  void fail(const GuardedText& request) {
    throw soapsvc::fault(soapsvc::fault_code::client, request.text).with(Refused{7});
  }
};
using Tokens = Guarded<guard::token>;
using Signed = Guarded<guard::signature>;
using Both = Guarded<guard::both>;

template <>
inline constexpr auto soapsvc::schema<GuardedText> = record(field("Text", &GuardedText::text));
template <>
inline constexpr auto soapsvc::schema<Refused> = record("Refused", field("Code", &Refused::code));
template <>
inline constexpr auto soapsvc::schema<Tokens> = service(
    "Tokens",
    ns("urn:guarded:tokens"),
    secured(password_text, password_digest, timestamp),
    operation("Say", &Tokens::say),
    operation("Who", &Tokens::who),
    operation("Fail", &Tokens::fail, fault_detail<Refused>()));
template <>
inline constexpr auto soapsvc::schema<Signed> = service(
    "Signed",
    ns("urn:guarded:signed"),
    secured(x509_signature, timestamp, signed_responses),
    operation("Say", &Signed::say),
    operation("Who", &Signed::who),
    operation("Fail", &Signed::fail, fault_detail<Refused>()));
template <>
inline constexpr auto soapsvc::schema<Both> = service(
    "Both",
    ns("urn:guarded:both"),
    secured(password_text, password_digest, x509_signature, timestamp, signed_responses),
    operation("Say", &Both::say),
    operation("Who", &Both::who),
    operation("Fail", &Both::fail, fault_detail<Refused>()));

/// The users of the services with a token.
inline constexpr std::string_view guarded_user = "alice";
inline constexpr std::string_view guarded_word = "secret & <word>";

/// The options of a host for them, with a folder of keys from `make_keys` of tests/tools/common.sh:
/// they trust authority.pem and pinned.pem, and sign as service.pem.
inline soapsvc::security_options guarded_security(
    const std::string& folder, std::string_view word = guarded_word) {
  soapsvc::security_options made;
  made.check_password = [word = std::string(word)](
                            auto user, auto password, const soapsvc::context&) {
    const bool known = user == guarded_user && password == word;
    return known ? std::optional<std::string>(user) : std::nullopt;
  };
  made.find_password = [word = std::string(word)](auto user, const soapsvc::context&) {
    return user == guarded_user ? std::optional<std::string>(word) : std::nullopt;
  };
  made.allow_password_text_without_tls = true;
  made.signatures.ca_file = folder + "/authority.pem";
  made.signatures.trusted_certificates_file = folder + "/pinned.pem";
  made.identity = {folder + "/service.pem", folder + "/service.key"};
  return made;
}
