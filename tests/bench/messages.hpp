// The requests and responses of the benchmarks, as plain data for our programs and the peers'.
//
// The values are those of the example's demo data. So a response from SQLite equals one from
// memory, and both are compared before the measurements.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

inline const std::string ns_base = "https://payroll.example.com/soap/v3";

/// One address. The strings are absent or not, as on the wire.
struct address_row {
  int id = 0;
  bool is_default = false;
  std::optional<std::string> street, house_number, addition, postal_code, city, state, country;
  int type = 0;  ///< index of `address_types`
};
inline constexpr const char* address_types[] = {
    "HomeAddress",
    "PostAddress",
    "AbsenceAddress",
    "HolidaysAddress",
    "WeekendAddress",
    "WorkAddress"};

/// Employee 1 of the demo data.
inline std::vector<address_row> three_addresses() {
  return {
      {1, true, "Keizersgracht", "12", "A", "1015 CJ", "Amsterdam", "Noord-Holland", "NL", 0},
      {2, false, "Postbus", "345", std::nullopt, "1000 AH", "Amsterdam", "Noord-Holland", "NL", 1},
      {3, false, "Königsallee", "60", "3. Etage", "40212", "Düsseldorf", "", "DE", 5}};
}

/// Like employee 100 of the demo data, with many addresses.
inline std::vector<address_row> many_addresses(int count) {
  std::vector<address_row> rows;
  rows.reserve(static_cast<std::size_t>(count));
  for (int number = 1; number <= count; ++number)
    rows.push_back(
        {number,
         number == 1,
         "Keizersgracht",
         std::to_string(number),
         "A",
         "1015 CJ",
         "Amsterdam",
         "Noord-Holland",
         "NL",
         (number - 1) % 6});
  return rows;
}

/// A webhook setting with its events.
struct event_row {
  int id = 0;
  std::string name;
  bool active = false;
};
struct webhook_row {
  int id = 0;
  std::string name, endpoint;
  bool active = false;
  std::vector<event_row> events;
};

/// Four settings of five events each.
inline std::vector<webhook_row> webhooks() {
  const std::vector<event_row> events = {
      {1, "Run Finish", true},
      {2, "Journals Finish", false},
      {3, "Wage Tax Declaration Created", true},
      {4, "Wage Tax Declaration Sent", true},
      {5, "Pension Export Created", false}};
  return {
      {1, "Payroll runs", "https://hooks.example.com/acme/runs", true, events},
      {2, "Archive", "https://hooks.example.com/acme/archive", false, events},
      {3, "Pension exports", "https://hooks.example.com/acme/pension", true, events},
      {4, "Journals & ledgers", "https://hooks.example.com/acme/journals", true, events}};
}

// --- Requests ------------------------------------------------------------------------------------

/// SOAP 1.1 with the header block of the services, in the form of generated clients.
inline std::string request(
    std::string_view service, std::string_view operation, std::string_view content) {
  const std::string space = " xmlns=\"" + ns_base + "/" + std::string(service) + "\">";
  std::string text =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope "
      "xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"><soap:Header><AuthHeaderWithDomain" +
      space +
      "<Username>alice</Username><Token>api-token-alice</Token><Domain>acme</Domain>"
      "</AuthHeaderWithDomain></soap:Header><soap:Body><";
  text.append(operation).append(space).append(content).append("</").append(operation);
  return text + "></soap:Body></soap:Envelope>";
}

inline std::string element(std::string_view name, const std::string& text) {
  std::string xml = "<";
  return xml.append(name).append(">").append(text).append("</").append(name).append(">");
}
inline std::string element(std::string_view name, const std::optional<std::string>& text) {
  return text ? element(name, *text) : std::string();
}

/// The address as an element `Address`. Its values need no escaping.
inline std::string address_xml(const address_row& row) {
  std::string xml = "<Address>" + element("Id", std::to_string(row.id));
  xml += element("Default", std::string(row.is_default ? "true" : "false"));
  xml += element("Street", row.street) + element("HouseNumber", row.house_number);
  xml += element("HouseNumberAddition", row.addition) + element("PostalCode", row.postal_code);
  xml += element("City", row.city) + element("StateProvince", row.state);
  xml += element("CountryISOCode", row.country);
  return xml + element("Type", std::string(address_types[row.type])) + "</Address>";
}

/// Employee 1 has three addresses; employee N > 1 has N addresses (in memory only).
inline std::string list_request(int employee_id) {
  return request(
      "EmployeeService",
      "Address_GetListCurrent",
      element("EmployeeId", std::to_string(employee_id)));
}
inline std::string insert_request(int employee_id) {
  return request(
      "EmployeeService",
      "Address_InsertCurrent",
      element("EmployeeId", std::to_string(employee_id)) + address_xml(three_addresses()[0]));
}
/// Not an operation of the example: a repeated Address, to measure how long lists are read.
inline std::string insert_many_request(int count) {
  std::string content = element("EmployeeId", std::string("1"));
  for (const address_row& row : many_addresses(count))
    content += address_xml(row);
  return request("EmployeeService", "Address_InsertMany", content);
}
inline std::string webhooks_request() {
  return request("DebtorService", "WebhookSettings_Get", element("DebtorId", std::string("1")));
}

/// A request, and the name of its case. list-N asks for a list of N addresses.
struct codec_case {
  const char* name;
  std::string request;
  const char* path = "/soap/v3/EmployeeService.asmx";
};
inline std::vector<codec_case> codec_cases() {
  return {
      {"list-3", list_request(1)},
      {"insert", insert_request(1)},
      {"webhooks", webhooks_request(), "/soap/v3/DebtorService.asmx"},
      {"list-100", list_request(100)},
      {"list-1000", list_request(1'000)},
      {"insert-10000", insert_many_request(10'000)}};
}

/// One for each step of growth, 10^0 to 10^4 addresses out and in.
inline std::vector<codec_case> growth_cases() {
  return {
      {"list-10", list_request(10)},
      {"list-100", list_request(100)},
      {"list-1000", list_request(1'000)},
      {"list-10000", list_request(10'000)},
      {"insert-10", insert_many_request(10)},
      {"insert-100", insert_many_request(100)},
      {"insert-1000", insert_many_request(1'000)},
      {"insert-10000", insert_many_request(10'000)}};
}

}  // namespace bench
