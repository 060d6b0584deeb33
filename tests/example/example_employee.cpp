// EmployeeService end to end through the dispatcher.
#include "example.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <thread>

using namespace example;
using soapsvc::soap_version;

namespace {

constexpr const char* unauthorized = "Unauthorized access";

/// An Address element with these children and a Type.
std::string address(const std::string& children, const std::string& type = "WorkAddress") {
  return "<Address>" + children + "<Type>" + type + "</Type></Address>";
}

std::vector<std::string> ids(const soapsvc::http_response& response) {
  std::vector<std::string> found;
  for (auto at = response.body.find("<Id>"); at != std::string::npos;
       at = response.body.find("<Id>", at)) {
    at += 4;
    found.push_back(response.body.substr(at, response.body.find('<', at) - at));
  }
  return found;
}

/// The text of the EmployeeAddress with that id in the response.
std::string one(const soapsvc::http_response& response, const std::string& id) {
  const auto begin = response.body.find("<EmployeeAddress><Id>" + id + "</Id>");
  REQUIRE(begin != std::string::npos);
  return response.body.substr(begin, response.body.find("</EmployeeAddress>", begin) - begin);
}

std::string inserted(const soapsvc::http_response& response) {
  INFO(response.body);
  REQUIRE(response.status == 200);
  return inside(response.body, "Address_InsertCurrentResult").value();
}

}  // namespace

TEST_CASE("the demo's employees have the addresses that clients rely on", "[employee]") {
  Payroll payroll;
  const auto version = GENERATE(soap_version::v1_1, soap_version::v1_2);
  const auto first = payroll.list(1, acme, version);
  CHECK(first.status == 200);
  CHECK(ids(first) == std::vector<std::string>{"1", "2", "3"});
  CHECK(one(first, "1").find("<Type>HomeAddress</Type>") != std::string::npos);
  CHECK(one(first, "2").find("<Type>PostAddress</Type>") != std::string::npos);
  CHECK(one(first, "3").find("<Type>WorkAddress</Type>") != std::string::npos);
  CHECK(count_of(first.body, "<Default>true</Default>") == 1);
  CHECK(one(first, "1").find("<Default>true</Default>") != std::string::npos);
  CHECK(count_of(first.body, "<HouseNumberAddition>") == 2);
  CHECK(one(first, "2").find("HouseNumberAddition") == std::string::npos);
  CHECK(count_of(first.body, "<StateProvince />") == 1);
  for (const char* name : {"Street", "HouseNumber", "PostalCode", "City", "CountryISOCode"})
    CHECK(count_of(first.body, "</" + std::string(name) + '>') == 3);

  const auto second = payroll.list(2, acme, version);
  CHECK(second.status == 200);
  CHECK(second.body.find("<Address_GetListCurrentResult />") != std::string::npos);
  CHECK(ids(payroll.list(100, acme, version)).size() == 100);
  const auto third = payroll.list(3, globex, version);
  CHECK(ids(third).size() == 1);
  CHECK(third.body.find("<Type>HomeAddress</Type>") != std::string::npos);
}

TEST_CASE(
    "unknown employees and those of another domain are refused alike with 2003", "[employee]") {
  Payroll payroll;
  const std::string home = address("", "HomeAddress");
  for (const int employee : {3, 4711, 0, -1, 2147483647}) {
    check_refusal(payroll.list(employee, acme), 2003, unauthorized);
    check_refusal(payroll.list(employee, acme, soap_version::v1_2), 2003, unauthorized);
    check_refusal(payroll.insert(employee, home, acme), 2003, unauthorized);
  }
  const auto theirs = payroll.list(3, acme);
  CHECK(theirs.body == payroll.list(4711, acme).body);
  CHECK(ids(payroll.list(3, globex)).size() == 1);
}

TEST_CASE("an inserted address is read back equal, with the id that was returned", "[employee]") {
  Payroll payroll;
  const std::string strings =
      "<Street>Rue de l\xE2\x80\x99\xC3\x89glise &amp; Fils "
      "&lt;3&gt;</Street><HouseNumber>7</HouseNumber>"
      "<HouseNumberAddition></HouseNumberAddition><PostalCode> 1000 </PostalCode>"
      "<City>\xF0\x9F\x8F\xA0</City><CountryISOCode>BE</CountryISOCode>";
  const std::string id = inserted(payroll.insert(2, address("<Id>1</Id>" + strings)));
  const auto response = payroll.list(2);
  CHECK(ids(response) == std::vector{id});
  CHECK(id != "1");
  const std::string read = one(response, id);
  CHECK(inside(read, "Street") == "Rue de l\xE2\x80\x99\xC3\x89glise &amp; Fils &lt;3&gt;");
  CHECK(inside(read, "PostalCode") == " 1000 ");
  CHECK(inside(read, "City") == "\xF0\x9F\x8F\xA0");
  CHECK(read.find("<HouseNumberAddition />") != std::string::npos);
  CHECK(read.find("StateProvince") == std::string::npos);
  CHECK(inside(read, "Default") == "false");
  CHECK(inside(read, "Type") == "WorkAddress");
  CHECK(ids(payroll.list(1)).size() == 3);
}

TEST_CASE("every address type survives a round trip", "[employee]") {
  Payroll payroll;
  const std::string type = GENERATE(
      as<std::string>{},
      "HomeAddress",
      "PostAddress",
      "AbsenceAddress",
      "HolidaysAddress",
      "WeekendAddress",
      "WorkAddress");
  const std::string id = inserted(payroll.insert(2, address("", type)));
  CHECK(inside(one(payroll.list(2), id), "Type") == type);
}

TEST_CASE("a default address takes the mark from the employee's other active ones", "[employee]") {
  Payroll payroll;
  const std::string id = inserted(payroll.insert(1, address("<Default>true</Default>")));
  const auto response = payroll.list(1);
  CHECK(count_of(response.body, "<Default>true</Default>") == 1);
  CHECK(inside(one(response, id), "Default") == "true");
  CHECK(count_of(payroll.list(100).body, "<Default>true</Default>") == 1);
  CHECK(count_of(payroll.list(3, globex).body, "<Default>true</Default>") == 1);
  inserted(payroll.insert(1, address("<Default>false</Default>")));
  CHECK(inside(one(payroll.list(1), id), "Default") == "true");
}

TEST_CASE("an address begins on the first day of the month of insertion", "[employee]") {
  Payroll payroll;
  const std::string id = inserted(payroll.insert(2, address("")));
  CHECK(ids(payroll.list(2)) == std::vector{id});
  payroll.clock.wall = std::chrono::sys_days{std::chrono::year(2026) / 3 / 1};
  CHECK(ids(payroll.list(2)) == std::vector{id});
  payroll.clock.wall -= 1ns;
  CHECK(ids(payroll.list(2)).empty());
  payroll.clock.wall = std::chrono::sys_days{std::chrono::year(2200) / 12 / 31};
  CHECK(ids(payroll.list(2)) == std::vector{id});
}

TEST_CASE("an address is valid on its last day, and not on the next day", "[employee]") {
  Payroll payroll;
  payroll.clock.wall = std::chrono::sys_days{std::chrono::year(2025) / 12 / 31} + 23h + 59min;
  CHECK(ids(payroll.list(1)) == std::vector<std::string>{"1", "2", "3", "4"});
  payroll.clock.wall += 1min;
  CHECK(ids(payroll.list(1)) == std::vector<std::string>{"1", "2", "3"});
}

TEST_CASE("an absent Id counts as 0 and an absent Default as false", "[employee]") {
  Payroll payroll;
  const std::string id = inserted(payroll.insert(2, address("")));
  CHECK(inside(one(payroll.list(2), id), "Default") == "false");
}

TEST_CASE("a bad insert is a client fault that names the path, and changes nothing", "[employee]") {
  Payroll payroll;
  const std::vector<std::pair<std::string, std::string>> requests{
      {"", "Address_InsertCurrent/Address"},
      {"<Address><Street>A</Street></Address>", "Address_InsertCurrent/Address/Type"},
      {address("", "Home"), "Address_InsertCurrent/Address/Type"},
      {address("<Default>maybe</Default>"), "Address_InsertCurrent/Address/Default"},
      {address("<Id>x</Id>"), "Address_InsertCurrent/Address/Id"},
      {address("<Streeet>A</Streeet>"), "Streeet"},
      {address("<City>" + std::string(1'001, 'x') + "</City>"),
       "Address_InsertCurrent/Address/City: is longer than 1000 bytes"},
      {address("<City>A</City><City>B</City>"), "Address_InsertCurrent/Address/City"},
      {address("") + address(""), "Address_InsertCurrent/Address"},
      {address("") + "<EmployeeId>2</EmployeeId>", "Address_InsertCurrent/EmployeeId"}};
  for (const auto& [children, path] : requests) {
    const auto response = payroll.insert(2, children);
    INFO(children << "\n" << response.body);
    CHECK(response.status == 500);
    CHECK(response.body.find("soap:Client") != std::string::npos);
    CHECK(response.body.find(path) != std::string::npos);
  }
  CHECK(ids(payroll.list(2)).empty());
  CHECK(payroll.incidents.empty());
}

TEST_CASE("an address beyond ten thousand is a client fault", "[employee][limits]") {
  Payroll payroll;
  REQUIRE(payroll.insert(2, address("")).status == 200);
  SQLite::Database(payroll.folder.file("payroll.db"), SQLite::OPEN_READWRITE).exec(R"sql(
        INSERT INTO address (employee_id, is_default, street, house_number, postal_code, city,
                             country_iso_code, type, first_day)
        WITH RECURSIVE number(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
        SELECT employee_id, is_default, street, house_number, postal_code, city,
               country_iso_code, type, first_day
        FROM address JOIN number WHERE employee_id = 2)sql");
  for (const char* mark : {"", "<Default>true</Default>"}) {
    const auto response = payroll.insert(2, address(mark));
    CHECK(response.status == 500);
    CHECK(inside(response.body, "faultcode") == "soap:Client");
    CHECK(
        inside(response.body, "faultstring") ==
        "Address_InsertCurrent/EmployeeId: has too many current addresses; the maximum is 10000, "
        "or 500 to add one with more than 250 bytes of text");
  }
  CHECK(ids(payroll.list(2)).size() == 10'000);
  check_refusal(payroll.insert(2, address(""), globex), 2003, unauthorized);
  inserted(payroll.insert(1, address("")));
  CHECK(payroll.incidents.empty());
}

TEST_CASE("a caller without valid credentials learns nothing about employees", "[employee]") {
  Payroll payroll;
  const auto missing = payroll.list(1, std::nullopt);
  check_refusal(missing, 1001, "Invalid Authentication", false);
  CHECK(payroll.list(4711, std::nullopt).body == missing.body);
  CHECK(payroll.insert(1, "", std::nullopt).body == missing.body);
}

TEST_CASE("inserts from many threads are all stored, each with its own id", "[employee]") {
  Payroll payroll;
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 8; ++thread)
    threads.emplace_back([&payroll] {
      for (int count = 0; count != 25; ++count) {
        payroll.insert(2, address("<Default>true</Default>"));
        payroll.list(2);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  const auto response = payroll.list(2);
  CHECK(ids(response).size() == 200);
  CHECK(count_of(response.body, "<Default>true</Default>") == 1);
  CHECK(payroll.incidents.empty());
}

TEST_CASE(
    "an error of the store is an incident without its text, and later calls succeed",
    "[employee]") {
  Payroll payroll;
  {
    SQLite::Database db(payroll.folder.file("payroll.db"), SQLite::OPEN_READWRITE);
    db.exec("PRAGMA ignore_check_constraints = 1");
    db.exec("UPDATE address SET type = 9 WHERE employee_id = 1");
  }
  const auto response = payroll.list(1);
  CHECK(response.status == 500);
  CHECK(response.body.find("soap:Server") != std::string::npos);
  REQUIRE(payroll.incidents.size() == 1);
  CHECK(payroll.incidents[0].find("unknown address type") != std::string::npos);
  CHECK(response.body.find("unknown address type") == std::string::npos);
  CHECK(ids(payroll.list(100)).size() == 100);
}
