#include "services/debtor.hpp"

#include "store/store.hpp"

std::vector<WebhookSetting> DebtorService::get_webhook_settings(
    const GetWebhookSettings& request,
    const std::optional<AuthHeaderWithDomain>& header,
    const soapsvc::context& context) {
  const DomainId domain = callers_.domain_of(header, context);
  auto settings = store_.list_webhooks(domain, request.debtor_id);
  if (!settings) throw refusal(no_such_debtor);
  return *std::move(settings);
}
