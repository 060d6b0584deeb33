// How rows of the tables become what the services speak of, whatever database they come from.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "debtor.hpp"
#include "employee.hpp"

inline AddressType address_type(std::int32_t stored) {
    if (stored < 0 || stored > static_cast<std::int32_t>(AddressType::work))
        throw std::runtime_error("the database holds an unknown address type");
    return static_cast<AddressType>(stored);
}

/// The columns in the order of the fields.
template <class Row>
EmployeeAddress read_address(const Row& row) {
    return {
        .id = row.number(0),
        .is_default = row.flag(1),
        .street = row.maybe_text(2),
        .house_number = row.maybe_text(3),
        .house_number_addition = row.maybe_text(4),
        .postal_code = row.maybe_text(5),
        .city = row.maybe_text(6),
        .state_province = row.maybe_text(7),
        .country_iso_code = row.maybe_text(8),
        .type = address_type(row.number(9))};
}

/// Rows of one setting follow each other, one for each event, or one without.
template <class Row>
void read_webhook(const Row& row, std::vector<WebhookSetting>& settings) {
    const std::int32_t id = row.number(0);
    if (settings.empty() || settings.back().webhook_setting_id != id)
        settings.push_back({id, row.maybe_text(1), row.maybe_text(2), row.flag(3), {}});
    if (!row.is_null(4))
        settings.back().events.push_back({row.number(4), row.maybe_text(5), row.flag(6)});
}
