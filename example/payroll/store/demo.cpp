#include "store/demo.hpp"

#include "auth/auth.hpp"

namespace {

using std::chrono::sys_days;
using namespace std::chrono_literals;

constexpr sys_days long_ago = 2020y / 1 / 1;

NewUser user(
    const char* domain,
    const char* name,
    const char* password,
    const char* api_token,
    const PasswordCost& cost) {
  return {domain, name, hash_password(password, cost), digest_of(api_token)};
}

EmployeeAddress home() {
  EmployeeAddress address;
  address.is_default = true;
  address.street = "Keizersgracht";
  address.house_number = "12";
  address.house_number_addition = "A";
  address.postal_code = "1015 CJ";
  address.city = "Amsterdam";
  address.state_province = "Noord-Holland";
  address.country_iso_code = "NL";
  address.type = AddressType::home;
  return address;
}

EmployeeAddress post() {
  EmployeeAddress address = home();
  address.is_default = false;
  address.street = "Postbus";
  address.house_number = "345";
  address.house_number_addition = std::nullopt;
  address.postal_code = "1000 AH";
  address.type = AddressType::post;
  return address;
}

EmployeeAddress work() {
  EmployeeAddress address;
  address.street = "Königsallee";
  address.house_number = "60";
  address.house_number_addition = "3. Etage";
  address.postal_code = "40212";
  address.city = "Düsseldorf";
  address.state_province = "";
  address.country_iso_code = "DE";
  address.type = AddressType::work;
  return address;
}

EmployeeAddress former() {
  EmployeeAddress address = home();
  address.is_default = false;
  address.street = "Prinsengracht";
  address.house_number = "263";
  address.postal_code = "1016 GV";
  return address;
}

EmployeeAddress numbered(int number) {
  EmployeeAddress address = home();
  address.is_default = number == 1;
  address.house_number = std::to_string(number);
  address.type = static_cast<AddressType>((number - 1) % 6);
  return address;
}

}  // namespace

Seed demo_data(sys_days today, const PasswordCost& cost) {
  const std::chrono::year_month_day date{today};
  const sys_days end_of_last_year = (date.year() - std::chrono::years(1)) / 12 / 31;
  Seed seed;
  seed.domains = {"acme", "globex"};
  seed.users = {
      user("acme", "alice", "correct horse", "api-token-alice", cost),
      user("globex", "bob", "battery staple", "api-token-bob", cost)};
  seed.employees = {{"acme", 1}, {"acme", 2}, {"globex", 3}, {"acme", 100}};
  seed.debtors = {{"acme", 1}, {"acme", 2}, {"globex", 3}};
  seed.addresses = {
      {1, home(), long_ago, std::nullopt},
      {1, post(), long_ago, std::nullopt},
      {1, work(), long_ago, std::nullopt},
      {1, former(), sys_days{2015y / 1 / 1}, end_of_last_year},
      {3, home(), long_ago, std::nullopt}};
  for (int number = 1; number <= 100; ++number)
    seed.addresses.push_back({100, numbered(number), long_ago, std::nullopt});
  seed.webhooks = {
      {1, "Payroll runs", "https://hooks.example.com/acme/runs", true, {{1, true}, {2, false}}},
      {1, "Archive", "https://hooks.example.com/acme/archive", false, {}},
      {3, "Pension exports", "https://hooks.example.com/globex/pension", true, {{5, true}}}};
  return seed;
}
