// The header in two translation units that are linked together: each is given the same tables, and
// this one uses the host, if there is one. Everything that must be unique (an address, a state) is
// compared.
#include "soapsvc.hpp"

#include <catch2/catch.hpp>

#include "elsewhere.hpp"

struct TwoUnits {
  std::int32_t number{};
  std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<TwoUnits> =
    record(field("Number", &TwoUnits::number), field("Text", &TwoUnits::text));

class TwoUnitsService {
public:
  std::int32_t twice(const TwoUnits& request) { return 2 * request.number; }
};
template <>
inline constexpr auto soapsvc::schema<TwoUnitsService> =
    service("TwoUnitsService", operation("Twice", &TwoUnitsService::twice));

// In two_units_b.cpp.
const void* table_in_b();
const void* record_in_b();
const void* service_in_b();
std::string answer_in_b(const std::string& request);

TEST_CASE("two units share one table and one description of it", "[two-units]") {
  CHECK(table_in_b() == &soapsvc::schema<TwoUnits>);
  CHECK(record_in_b() == &soapsvc::detail::describe_record<TwoUnits>());
  CHECK(service_in_b() == &soapsvc::detail::describe_service<TwoUnitsService>());
}

TEST_CASE("two units serve alike", "[two-units]") {
  TwoUnitsService service;
  soapsvc::dispatcher dispatcher(
      {.ns_base = "urn:test", .browsers = {.accept_missing_content_type = true}});
  dispatcher.add(service);
  const std::string request =
      "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><e:Body>"
      "<Twice xmlns='urn:test/TwoUnitsService'><Number>21</Number></Twice></e:Body></e:Envelope>";
  const auto response =
      dispatcher.handle({.target = "/soap/v3/TwoUnitsService.asmx", .body = request});
  CHECK(response.status == 200);
  CHECK(response.body.find("<TwiceResult>42</TwiceResult>") != std::string::npos);
  CHECK(answer_in_b(request) == response.body);
}

class Travel {
public:
  std::vector<Stop> ends(const Journey& request) {
    if (request.by.empty()) return {};
    return {request.from.value_or(Stop{}), request.by.back()};
  }
};
template <>
inline constexpr auto soapsvc::schema<Travel> = service("Travel", operation("Ends", &Travel::ends));

TEST_CASE("a table in another unit is used like a local one", "[two-units]") {
  Travel service;
  soapsvc::dispatcher dispatcher({.ns_base = "urn:test"});
  dispatcher.add(service);
  soapsvc::client<Travel> client(dispatcher);
  const Journey journey{Stop{"A", {{"B", {}}}}, {{"C", {}}, {"D", {{"E", {}}, {"F", {}}}}}};
  const std::vector<Stop> ends = client.call(&Travel::ends, journey);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].name == "A");
  REQUIRE(ends[0].next.size() == 1);
  CHECK(ends[0].next[0].name == "B");
  REQUIRE(ends[1].next.size() == 2);
  CHECK(ends[1].next[1].name == "F");
  const soapsvc::http_header host{"Host", "localhost"};
  const std::string wsdl =
      dispatcher
          .handle({.method = "GET", .target = "/soap/v3/Travel.asmx?wsdl", .headers = {&host, 1}})
          .body;
  CHECK(wsdl.find("complexType name=\"Stop\"") != std::string::npos);
  CHECK(wsdl.find("element name=\"Ends\"") != std::string::npos);
  // Its facets hold, too.
  const Journey wrong{{}, {{"longer than ten", {}}}};
  CHECK_THROWS_AS(client.call(&Travel::ends, wrong), std::invalid_argument);
}

class Misled {
public:
  Misnamed count() { return {}; }
};
template <>
inline constexpr auto soapsvc::schema<Misled> =
    service("Misled", operation("Count", &Misled::count));

TEST_CASE("a table with different names in two units is refused", "[two-units]") {
  Misled service;
  soapsvc::dispatcher dispatcher({.ns_base = "urn:test"});
  CHECK_THROWS_WITH(
      dispatcher.add(service),
      "soapsvc: extern_schema(\"Misnamed\") has a table called \"Named\" (operation Count of "
      "Misled)");
}

#ifndef SOAPSVC_NO_HOST
TEST_CASE("a unit with the host links with one that has the same header", "[two-units]") {
  TwoUnitsService service;
  soapsvc::host host({.ns_base = "urn:test"});
  host.add(service);
  CHECK(host.bind({"127.0.0.1", 0}) > 0);
}
#endif
