// Converts rows of the tables to the records of the services, for all databases.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "services/debtor.hpp"
#include "services/employee.hpp"

inline AddressType address_type(std::int32_t stored) {
  if (stored < 0 || stored > static_cast<std::int32_t>(AddressType::work))
    throw std::runtime_error("the database holds an unknown address type");
  return static_cast<AddressType>(stored);
}

/// Converts a row, with its columns in the order of the fields, to an address. Use it in
/// emplace_back() of a vector: moving the address would take half as long as reading it.
template <class Row> class StoredAddress {
public:
  explicit StoredAddress(const Row& row) : row_(row) {}

  operator EmployeeAddress() const {
    return {
        .id = row_.number(0),
        .is_default = row_.flag(1),
        .street = row_.maybe_text(2),
        .house_number = row_.maybe_text(3),
        .house_number_addition = row_.maybe_text(4),
        .postal_code = row_.maybe_text(5),
        .city = row_.maybe_text(6),
        .state_province = row_.maybe_text(7),
        .country_iso_code = row_.maybe_text(8),
        .type = address_type(row_.number(9))};
  }

private:
  const Row& row_;
};

/// The rows of one setting follow each other: one for each event, or one row without an event.
template <class Row> void read_webhook(const Row& row, std::vector<WebhookSetting>& settings) {
  const std::int32_t id = row.number(0);
  if (settings.empty() || settings.back().webhook_setting_id != id)
    settings.push_back({id, row.maybe_text(1), row.maybe_text(2), row.flag(3), {}});
  if (!row.is_null(4))
    settings.back().events.push_back({row.number(4), row.maybe_text(5), row.flag(6)});
}
