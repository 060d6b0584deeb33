// The header in two translation units that are linked together: each is given the same tables, and
// this one uses the host, if there is one. What must be there once (an address, a state) is compared.
#include "soapsvc.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("two units answer alike", "[two-units]") {
    TwoUnitsService service;
    soapsvc::dispatcher dispatcher({.ns_base = "urn:test", .accept_missing_content_type = true});
    dispatcher.add(service);
    const std::string request =
        "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><e:Body>"
        "<Twice xmlns='urn:test/TwoUnitsService'><Number>21</Number></Twice></e:Body></e:Envelope>";
    const auto reply =
        dispatcher.handle({.target = "/soap/v3/TwoUnitsService.asmx", .body = request});
    CHECK(reply.status == 200);
    CHECK(reply.body.find("<TwiceResult>42</TwiceResult>") != std::string::npos);
    CHECK(answer_in_b(request) == reply.body);
}

#ifndef SOAPSVC_NO_HOST
TEST_CASE("a unit with the host links with one that has the same header", "[two-units]") {
    TwoUnitsService service;
    soapsvc::host host({.ns_base = "urn:test"});
    host.add(service);
    CHECK(host.bind("127.0.0.1", 0) > 0);
}
#endif
