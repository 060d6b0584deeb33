// DebtorService end to end through the dispatcher.
#include "example.hpp"

using namespace example;
using soapsvc::soap_version;

namespace {

constexpr const char* unauthorized = "Unauthorized access";

}  // namespace

TEST_CASE("the demo's debtors have the webhook settings that clients rely on", "[debtor]") {
  Payroll payroll;
  const auto first = payroll.webhooks(1);
  CHECK(first.status == 200);
  const std::string expected =
      "<WebhookSettings_GetResult>"
      "<WebhookSetting><WebhookSettingId>1</WebhookSettingId><Name>Payroll runs</Name>"
      "<Endpoint>https://hooks.example.com/acme/runs</Endpoint><Active>true</Active>"
      "<Event><EventId>1</EventId><EventName>Run Finish</EventName><Active>true</Active></Event>"
      "<Event><EventId>2</EventId><EventName>Journals "
      "Finish</EventName><Active>false</Active></Event>"
      "</WebhookSetting>"
      "<WebhookSetting><WebhookSettingId>2</WebhookSettingId><Name>Archive</Name>"
      "<Endpoint>https://hooks.example.com/acme/archive</Endpoint><Active>false</Active>"
      "</WebhookSetting>"
      "</WebhookSettings_GetResult>";
  CHECK(first.body.find(expected) != std::string::npos);

  const auto second = payroll.webhooks(2);
  CHECK(second.status == 200);
  CHECK(second.body.find("<WebhookSettings_GetResult />") != std::string::npos);
  const auto third = payroll.webhooks(3, globex);
  CHECK(third.status == 200);
  CHECK(count_of(third.body, "<WebhookSettingId>") == 1);
}

TEST_CASE("unknown debtors and those of another domain are refused alike with 2009", "[debtor]") {
  Payroll payroll;
  for (const int debtor : {3, 4711, 0, -1, 2147483647})
    check_refusal(payroll.webhooks(debtor, acme), 2009, unauthorized);
  CHECK(payroll.webhooks(3, acme).body == payroll.webhooks(4711, acme).body);
  const auto response = payroll.send(
      "DebtorService",
      "WebhookSettings_Get",
      "<DebtorId>4711</DebtorId>",
      acme,
      soap_version::v1_2);
  check_refusal(response, 2009, unauthorized);
}

TEST_CASE("the header block is checked before the debtor", "[debtor]") {
  Payroll payroll;
  const auto missing = payroll.webhooks(1, std::nullopt);
  check_refusal(missing, 1001, "Invalid Authentication", false);
  CHECK(payroll.webhooks(4711, std::nullopt).body == missing.body);
  const Header elsewhere{"alice", "api-token-alice", "globex"};
  check_refusal(payroll.webhooks(3, elsewhere), 1003, unauthorized);
  CHECK(payroll.webhooks(1, alice).status == 200);
}

TEST_CASE("new settings appear with their events in the order of kinds", "[debtor]") {
  Payroll payroll;
  std::int32_t id = 0;
  const NewWebhook webhook{
      2, "All <kinds>", "https://x.example/?a=1&b=2", true, {{6, true}, {3, false}}};
  REQUIRE(payroll.store.add_webhook(webhook, id) == AdminStore::Outcome::done);
  const auto response = payroll.webhooks(2);
  CHECK(inside(response.body, "WebhookSettingId") == std::to_string(id));
  CHECK(inside(response.body, "Name") == "All &lt;kinds&gt;");
  CHECK(inside(response.body, "Endpoint") == "https://x.example/?a=1&amp;b=2");
  const auto third = response.body.find("<EventName>Wage Tax Declaration Created</EventName>");
  const auto sixth = response.body.find("<EventName>Pension Export Sent</EventName>");
  CHECK(third < sixth);
  CHECK(sixth != std::string::npos);
}
