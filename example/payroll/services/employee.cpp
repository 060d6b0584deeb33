#include "services/employee.hpp"

#include "store/store.hpp"

namespace {

std::chrono::sys_days first_of_month(std::chrono::sys_days day) {
  const std::chrono::year_month_day date{day};
  return date.year() / date.month() / 1;
}

/// Bounds the size of a list of addresses.
void check_lengths(const EmployeeAddress& address) {
  constexpr std::size_t most_bytes = 1'000;
  soapsvc::for_each_field(address, [](std::string_view name, const auto& member) {
    if constexpr (std::is_same_v<decltype(member), const std::optional<std::string>&>)
      if (member && member->size() > most_bytes)
        throw soapsvc::fault(
            soapsvc::fault_code::client,
            "Address_InsertCurrent/Address/" + std::string(name) + ": is longer than " +
                std::to_string(most_bytes) + " bytes");
  });
}

}  // namespace

std::vector<EmployeeAddress> EmployeeService::get_list_current(
    const GetListCurrent& request,
    const std::optional<AuthHeaderWithDomain>& header,
    const soapsvc::context& context) {
  const DomainId domain = callers_.domain_of(header, context);
  auto addresses = store_.list_current(domain, request.employee_id, today(clock_));
  if (!addresses) throw refusal(no_such_employee);
  return *std::move(addresses);
}

std::int32_t EmployeeService::insert_current(
    const InsertCurrent& request,
    const std::optional<AuthHeaderWithDomain>& header,
    const soapsvc::context& context) {
  const DomainId domain = callers_.domain_of(header, context);
  if (!request.address) throw missing("Address_InsertCurrent/Address");
  check_lengths(*request.address);
  const std::chrono::sys_days day = today(clock_);
  const auto id = store_.insert_current(
      domain, request.employee_id, *request.address, first_of_month(day), day);
  if (id) return *id;
  // No address began so early: the list is empty and only shows whether the employee exists.
  const std::chrono::sys_days early{};
  if (!store_.list_current(domain, request.employee_id, early)) throw refusal(no_such_employee);
  throw soapsvc::fault(
      soapsvc::fault_code::client,
      "Address_InsertCurrent/EmployeeId: has too many current addresses; the maximum is " +
          std::to_string(most_current_addresses) + ", or " + std::to_string(most_beside_long_text) +
          " to add one with more than " + std::to_string(most_short_text) + " bytes of text");
}
