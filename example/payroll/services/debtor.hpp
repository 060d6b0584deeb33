// DebtorService: the webhook settings of a debtor. This file has the messages, tables and class.
#pragma once

#include "auth/auth.hpp"

/// One event kind within a webhook setting.
struct Event {
  std::int32_t event_id{};
  std::optional<std::string> event_name;
  bool active{};
};
template <>
inline constexpr auto soapsvc::schema<Event> = record(
    "Event",
    field("EventId", &Event::event_id, doc("Identifier of the event kind.")),
    field("EventName", &Event::event_name, doc("Name of the event kind.")),
    field("Active", &Event::active, doc("Whether the subscription to this event is active.")));

/// The address to which events of a debtor are sent, and the kinds of these events.
struct WebhookSetting {
  std::int32_t webhook_setting_id{};
  std::optional<std::string> name;
  std::optional<std::string> endpoint;
  bool active{};
  std::vector<Event> events;
};
template <>
inline constexpr auto soapsvc::schema<WebhookSetting> = record(
    "WebhookSetting",
    field(
        "WebhookSettingId", &WebhookSetting::webhook_setting_id, doc("Identifier of the setting.")),
    field("Name", &WebhookSetting::name, doc("Name of the setting.")),
    field("Endpoint", &WebhookSetting::endpoint, doc("Target of the webhook.")),
    field("Active", &WebhookSetting::active, doc("Whether the setting is active.")),
    field("Event", &WebhookSetting::events, doc("Subscriptions; none or more.")));

/// The caller gets the same fault for an unknown debtor and for a debtor of another domain.
inline constexpr auto no_such_debtor = soapsvc::fault_doc(
    2009, "Unauthorized access", "There is no such debtor in the caller's Domain.");

/// Request of WebhookSettings_Get.
struct GetWebhookSettings {
  std::int32_t debtor_id{};
};
template <>
inline constexpr auto soapsvc::schema<GetWebhookSettings> =
    record(field("DebtorId", &GetWebhookSettings::debtor_id, doc("Identifier of the debtor.")));

/// Reads the webhook settings of the debtors of the caller's domain.
class DebtorService {
public:
  DebtorService(Authenticator& callers, WebhookStore& store) : callers_(callers), store_(store) {}

  /// All webhook settings of the debtor, with their events.
  std::vector<WebhookSetting> get_webhook_settings(
      const GetWebhookSettings& request,
      const std::optional<AuthHeaderWithDomain>& header,
      const soapsvc::context& context);

private:
  Authenticator& callers_;
  WebhookStore& store_;
};
template <>
inline constexpr auto soapsvc::schema<DebtorService> = service(
    "DebtorService",
    doc("Debtor webhook settings."),
    secured(optionally, password_text),
    operation(
        "WebhookSettings_Get",
        &DebtorService::get_webhook_settings,
        doc("Returns the webhook settings of the debtor."),
        invalid_authentication,
        wrong_domain,
        no_such_debtor));
