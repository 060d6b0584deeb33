// The data of `payroll serve --demo`, and the struct that fills an empty database at once.
#pragma once

#include "auth/auth.hpp"
#include "services/employee.hpp"
#include "store/store.hpp"

/// An address with its period. The service itself adds only addresses that begin this month.
struct DatedAddress {
  std::int32_t employee_id = 0;
  EmployeeAddress address;
  std::chrono::sys_days first_day;
  std::optional<std::chrono::sys_days> last_day;
};

/// All data to insert into an empty database at once. Ids that are not given are 1, 2, 3 and so on,
/// in the order of the list.
struct Seed {
  std::vector<std::string> domains;
  std::vector<NewUser> users;
  std::vector<std::pair<std::string, std::int32_t>> employees;  ///< domain and id
  std::vector<std::pair<std::string, std::int32_t>> debtors;  ///< domain and id
  std::vector<DatedAddress> addresses;
  std::vector<NewWebhook> webhooks;
};

/// Two domains with users, employees and debtors. Tests and payroll/requests rely on every value.
/// `today` sets which year is last year. `cost` is the cost of the password hashes.
Seed demo_data(std::chrono::sys_days today, const PasswordCost& cost = {});
