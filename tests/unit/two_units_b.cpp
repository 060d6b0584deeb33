// The second of the two units: the same tables, word for word as two_units_a.cpp has them, and
// those that are elsewhere for it.
#include "elsewhere.hpp"

#include <catch2/catch.hpp>

#include "soapsvc.hpp"

template <> soapsvc::table<Stop> soapsvc::define_schema<Stop>() {
  static constexpr auto made =
      record("Stop", field("Name", &Stop::name, max_length(10)), field("Next", &Stop::next));
  return made;
}
template <> soapsvc::table<Journey> soapsvc::define_schema<Journey>() {
  static constexpr auto made = record(field("From", &Journey::from), field("By", &Journey::by));
  return made;
}
template <> soapsvc::table<Misnamed> soapsvc::define_schema<Misnamed>() {
  static constexpr auto made = record("Named", field("Number", &Misnamed::number));
  return made;
}

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

const void* table_in_b() { return &soapsvc::schema<TwoUnits>; }
const void* record_in_b() { return &soapsvc::detail::describe_record<TwoUnits>(); }
const void* service_in_b() { return &soapsvc::detail::describe_service<TwoUnitsService>(); }

std::string answer_in_b(const std::string& request) {
  TwoUnitsService service;
  soapsvc::dispatcher dispatcher(
      {.ns_base = "urn:test", .browsers = {.accept_missing_content_type = true}});
  dispatcher.add(service);
  return dispatcher.handle({.target = "/soap/v3/TwoUnitsService.asmx", .body = request}).body;
}

TEST_CASE("a unit without the host's use dispatches by itself", "[two-units]") {
  CHECK(answer_in_b("<x/>").find("VersionMismatch") != std::string::npos);
}
