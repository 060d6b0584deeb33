// The example's services with their own records and tables, and responses from memory, for
// measurements without the store.
#pragma once

#include "messages.hpp"
#include "services/debtor.hpp"
#include "services/employee.hpp"
#include "soapsvc.hpp"

namespace bench {

/// Not in the example: many addresses in one request.
struct InsertMany {
  std::int32_t employee_id{};
  std::vector<EmployeeAddress> addresses;
};

inline EmployeeAddress address_of(const address_row& row) {
  EmployeeAddress address;
  address.id = row.id;
  address.is_default = row.is_default;
  address.street = row.street;
  address.house_number = row.house_number;
  address.house_number_addition = row.addition;
  address.postal_code = row.postal_code;
  address.city = row.city;
  address.state_province = row.state;
  address.country_iso_code = row.country;
  address.type = static_cast<AddressType>(row.type);
  return address;
}

/// `Seen` is called at the beginning of each handler.
template <void (*Seen)()> class Employees {
public:
  using Header = std::optional<AuthHeaderWithDomain>;

  /// Employee 1 has three addresses. Each other employee has the number of addresses of its id, if
  /// `keep` was called for it.
  Employees() { keep(1, three_addresses()); }
  void keep(std::int32_t employee_id, const std::vector<address_row>& rows) {
    std::vector<EmployeeAddress> addresses;
    for (const address_row& row : rows)
      addresses.push_back(address_of(row));
    ready_.emplace_back(employee_id, std::move(addresses));
  }

  const std::vector<EmployeeAddress>& list(const GetListCurrent& request, const Header&) const {
    Seen();
    for (const auto& [id, addresses] : ready_)
      if (id == request.employee_id) return addresses;
    throw soapsvc::fault(soapsvc::fault_code::client, "no such employee");
  }
  std::int32_t insert(const InsertCurrent& request, const Header&) const {
    Seen();
    return request.address ? 4 : 0;
  }
  std::int32_t insert_many(const InsertMany& request, const Header&) const {
    Seen();
    return static_cast<std::int32_t>(request.addresses.size());
  }

private:
  std::vector<std::pair<std::int32_t, std::vector<EmployeeAddress>>> ready_;
};

template <void (*Seen)()> class Debtors {
public:
  Debtors() {
    for (const webhook_row& row : webhooks()) {
      WebhookSetting& setting = ready_.emplace_back();
      setting.webhook_setting_id = row.id;
      setting.name = row.name;
      setting.endpoint = row.endpoint;
      setting.active = row.active;
      for (const event_row& event : row.events)
        setting.events.push_back({event.id, event.name, event.active});
    }
  }
  const std::vector<WebhookSetting>& list(
      const GetWebhookSettings&, const std::optional<AuthHeaderWithDomain>&) const {
    Seen();
    return ready_;
  }

private:
  std::vector<WebhookSetting> ready_;
};

}  // namespace bench

template <>
inline constexpr auto soapsvc::schema<bench::InsertMany> = record(
    field("EmployeeId", &bench::InsertMany::employee_id),
    field("Address", &bench::InsertMany::addresses));
template <void (*Seen)()>
inline constexpr auto soapsvc::schema<bench::Employees<Seen>> = service(
    "EmployeeService",
    operation("Address_GetListCurrent", &bench::Employees<Seen>::list),
    operation("Address_InsertCurrent", &bench::Employees<Seen>::insert),
    operation("Address_InsertMany", &bench::Employees<Seen>::insert_many));
template <void (*Seen)()>
inline constexpr auto soapsvc::schema<bench::Debtors<Seen>> =
    service("DebtorService", operation("WebhookSettings_Get", &bench::Debtors<Seen>::list));
