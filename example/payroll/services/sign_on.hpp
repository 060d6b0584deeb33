// SingleSignOn: tokens that are valid for 30 seconds. This file has the messages, tables and class.
#pragma once

#include "auth/auth.hpp"

/// Request of GetToken.
struct GetToken {
  std::optional<std::string> username;
  std::optional<std::string> password;
};
template <>
inline constexpr auto soapsvc::schema<GetToken> = record(
    field("Username", &GetToken::username, doc("Name of the user."), sample("alice")),
    field("Password", &GetToken::password, secret, doc("Password of the user.")));

/// Request of GetToken2.
struct GetToken2 {
  std::optional<std::string> username;
  std::optional<std::string> token;
};
template <>
inline constexpr auto soapsvc::schema<GetToken2> = record(
    field("Username", &GetToken2::username, doc("Name of the user."), sample("alice")),
    field("Token", &GetToken2::token, secret, doc("API token of the user.")));

/// Request of GetTokenWithDomain.
struct GetTokenWithDomain {
  std::optional<std::string> username;
  std::optional<std::string> password;
  std::optional<std::string> domain;
};
template <>
inline constexpr auto soapsvc::schema<GetTokenWithDomain> = record(
    field("Username", &GetTokenWithDomain::username, doc("Name of the user."), sample("alice")),
    field("Password", &GetTokenWithDomain::password, secret, doc("Password of the user.")),
    field("Domain", &GetTokenWithDomain::domain, doc("Environment of the user."), sample("acme")));

/// Exchanges long-lived credentials for a token that is valid for 30 seconds.
class SingleSignOn {
public:
  explicit SingleSignOn(Authenticator& callers) : callers_(callers) {}

  /// By password, for a user name that is unique in all domains.
  std::optional<std::string> get_token(const GetToken& request, const soapsvc::context& context);

  /// By API token.
  std::optional<std::string> get_token2(const GetToken2& request, const soapsvc::context& context);

  /// By password, for a user of the given domain.
  std::optional<std::string> get_token_with_domain(
      const GetTokenWithDomain& request, const soapsvc::context& context);

private:
  Authenticator& callers_;
};
template <>
inline constexpr auto soapsvc::schema<SingleSignOn> = service(
    "SingleSignOn",
    doc("Single sign-on: short-lived tokens."),
    operation(
        "GetToken",
        &SingleSignOn::get_token,
        blocking,
        deprecated("GetToken2"),
        secret,
        doc("Token valid 30 seconds."),
        invalid_authentication),
    operation(
        "GetToken2",
        &SingleSignOn::get_token2,
        blocking,
        secret,
        doc("Gets a token for a user by API token. Valid 30 seconds."),
        invalid_authentication),
    operation(
        "GetTokenWithDomain",
        &SingleSignOn::get_token_with_domain,
        blocking,
        deprecated("GetToken2"),
        secret,
        doc("Token for a user of an environment. Valid 30 seconds."),
        invalid_authentication,
        wrong_domain));
