// EmployeeService: the addresses of an employee. This file has the messages, tables and class.
#pragma once

#include "auth/auth.hpp"

/// The use of an address. The numbers are stored, so add new values at the end.
enum class AddressType { home, post, absence, holidays, weekend, work };
template <>
inline constexpr auto soapsvc::schema<AddressType> = enumeration(
    "AddressType",
    value("HomeAddress", AddressType::home),
    value("PostAddress", AddressType::post),
    value("AbsenceAddress", AddressType::absence),
    value("HolidaysAddress", AddressType::holidays),
    value("WeekendAddress", AddressType::weekend),
    value("WorkAddress", AddressType::work));

/// One address. Absent and empty strings differ, here and in the store.
struct EmployeeAddress {
  std::int32_t id{};
  bool is_default{};
  std::optional<std::string> street;
  std::optional<std::string> house_number;
  std::optional<std::string> house_number_addition;
  std::optional<std::string> postal_code;
  std::optional<std::string> city;
  std::optional<std::string> state_province;
  std::optional<std::string> country_iso_code;
  AddressType type{};
};
template <>
inline constexpr auto soapsvc::schema<EmployeeAddress> = record(
    "EmployeeAddress",
    field(
        "Id",
        &EmployeeAddress::id,
        default_if_absent,
        doc("Identifier of the address; ignored on insert.")),
    field(
        "Default",
        &EmployeeAddress::is_default,
        default_if_absent,
        doc("Whether this is the default address.")),
    field("Street", &EmployeeAddress::street, sample("Keizersgracht")),
    field("HouseNumber", &EmployeeAddress::house_number, sample("112")),
    field("HouseNumberAddition", &EmployeeAddress::house_number_addition, sample("B")),
    field("PostalCode", &EmployeeAddress::postal_code, sample("1015 CW")),
    field("City", &EmployeeAddress::city, sample("Amsterdam")),
    field("StateProvince", &EmployeeAddress::state_province, sample("Noord-Holland")),
    field("CountryISOCode", &EmployeeAddress::country_iso_code, doc("Country code."), sample("NL")),
    field("Type", &EmployeeAddress::type, doc("What the address is for.")));

/// The caller gets the same fault for an unknown employee and for an employee of another domain.
inline constexpr auto no_such_employee = soapsvc::fault_doc(
    2003, "Unauthorized access", "There is no such employee in the caller's Domain.");

/// Request of Address_GetListCurrent.
struct GetListCurrent {
  std::int32_t employee_id{};
};
template <>
inline constexpr auto soapsvc::schema<GetListCurrent> =
    record(field("EmployeeId", &GetListCurrent::employee_id, doc("Identifier of the employee.")));

/// Request of Address_InsertCurrent. The schema allows a request without an address, because
/// clients know it so, but the handler refuses a request without an address.
struct InsertCurrent {
  std::int32_t employee_id{};
  std::optional<EmployeeAddress> address;
};
template <>
inline constexpr auto soapsvc::schema<InsertCurrent> = record(
    field("EmployeeId", &InsertCurrent::employee_id, doc("Identifier of the employee.")),
    field("Address", &InsertCurrent::address, doc("The address to insert.")));

/// Reads and inserts addresses of the employees of the caller's domain.
class EmployeeService {
public:
  EmployeeService(Authenticator& callers, AddressStore& store, Clock clock)
      : callers_(callers), store_(store), clock_(std::move(clock)) {}

  /// All addresses of the employee that are active today.
  std::vector<EmployeeAddress> get_list_current(
      const GetListCurrent& request,
      const std::optional<AuthHeaderWithDomain>& header,
      const soapsvc::context& context);

  /// Inserts an address that begins on the first day of this month, and returns its id.
  std::int32_t insert_current(
      const InsertCurrent& request,
      const std::optional<AuthHeaderWithDomain>& header,
      const soapsvc::context& context);

private:
  Authenticator& callers_;
  AddressStore& store_;
  Clock clock_;
};
template <>
inline constexpr auto soapsvc::schema<EmployeeService> = service(
    "EmployeeService",
    doc("Employee addresses."),
    secured(optionally, password_text),
    operation(
        "Address_GetListCurrent",
        &EmployeeService::get_list_current,
        doc("Returns all currently active addresses of the employee."),
        invalid_authentication,
        wrong_domain,
        no_such_employee),
    operation(
        "Address_InsertCurrent",
        &EmployeeService::insert_current,
        blocking,  // waits for the commit
        doc("Inserts the given address into the current period."),
        invalid_authentication,
        wrong_domain,
        no_such_employee));
