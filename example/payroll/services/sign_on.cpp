#include "services/sign_on.hpp"

std::optional<std::string> SingleSignOn::get_token(
    const GetToken& request, const soapsvc::context& context) {
  return callers_.token_by_password(request.username, request.password, std::nullopt, context);
}

std::optional<std::string> SingleSignOn::get_token2(
    const GetToken2& request, const soapsvc::context& context) {
  return callers_.token_by_api_token(request.username, request.token, context);
}

std::optional<std::string> SingleSignOn::get_token_with_domain(
    const GetTokenWithDomain& request, const soapsvc::context& context) {
  if (!request.domain) throw refusal(invalid_authentication);
  return callers_.token_by_password(request.username, request.password, request.domain, context);
}
