// [dispatch], [call]: options of one service and of one operation, the deadline of a call, and the
// headers of a trace.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "../../soapsvc.hpp"

namespace {

using namespace std::chrono_literals;
using soapsvc::context;
using soapsvc::dispatcher;
using soapsvc::dispatcher_options;
using soapsvc::intercepted_call;
using steady = std::chrono::steady_clock;

struct Text {
  std::string text;
};

/// Records the facts of its calls.
class Desk {
public:
  std::int32_t put(const Text& sent) { return static_cast<std::int32_t>(sent.text.size()); }
  std::int32_t store(const Text& sent) { return put(sent); }
  std::string tell(const context& call) {
    deadline = call.deadline;
#if defined(__cpp_lib_jthread)
    is_stoppable = call.stop_token().stop_possible();
#endif
    within = soapsvc::from_context(call);
    return std::string(call.traceparent);
  }

  steady::time_point deadline{};
  bool is_stoppable = true;
  soapsvc::call_options within;
};

}  // namespace

template <> inline constexpr auto soapsvc::schema<Text> = record(field("Text", &Text::text));
template <>
inline constexpr auto soapsvc::schema<Desk> = service(
    "Desk",
    ns("urn:desk"),
    operation("Put", &Desk::put),
    operation("Store", &Desk::store),
    operation("Tell", &Desk::tell));

struct Load {
  soapsvc::binary bytes;
};
class Depot {
public:
  std::int32_t upload(const Load& load) {
    return static_cast<std::int32_t>(load.bytes.bytes.size());
  }
  std::int32_t check(const Load& load) { return upload(load); }
};
template <> inline constexpr auto soapsvc::schema<Load> = record(field("Bytes", &Load::bytes));
template <>
inline constexpr auto soapsvc::schema<Depot> = service(
    "Depot",
    ns("urn:depot"),
    mtom,
    operation("Upload", &Depot::upload),
    operation("Check", &Depot::check));

namespace {

using call_type = soapsvc::client<Desk>;

std::string envelope(const std::string& operation, const std::string& content = "") {
  return "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><" + operation +
         " xmlns='urn:desk'>" + content + "</" + operation + "></e:Body></e:Envelope>";
}
std::string with_text(const std::string& operation, std::size_t size) {
  return envelope(operation, "<Text>" + std::string(size, 'x') + "</Text>");
}

/// Status and body of the response to a POST.
std::pair<int, std::string> post(
    const dispatcher& services,
    const std::string& path,
    const std::string& body,
    std::vector<soapsvc::http_header> headers = {}) {
  headers.push_back({"Content-Type", "text/xml"});
  soapsvc::http_request request;
  request.target = path;
  request.body = body;
  request.headers = headers;
  const soapsvc::http_response response = services.handle(request);
  return {response.status, response.body};
}

soapsvc::interceptor noting(std::string& notes, char name) {
  return [&notes, name](intercepted_call& call) {
    notes.push_back(name);
    call.proceed();
  };
}

/// The error of `add` with these options.
std::string refusal(soapsvc::service_options options) {
  Desk desk;
  dispatcher services;
  try {
    services.add(desk, std::move(options));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

std::string traceparent_for(const std::string& sent) {
  Desk desk;
  dispatcher services;
  services.add(desk, "/desk");
  const auto [status, body] = post(services, "/desk", envelope("Tell"), {{"traceparent", sent}});
  const std::size_t at = body.find("<TellResult>");
  return at == body.npos ? "" : body.substr(at + 12, body.find('<', at + 12) - at - 12);
}

}  // namespace

TEST_CASE("interceptors of a service and of an operation run inside the others", "[interceptors]") {
  std::string notes;
  dispatcher_options options;
  options.interceptors = {noting(notes, 'a'), noting(notes, 'b')};
  Desk desk, plain;
  dispatcher services(options);
  const soapsvc::service_options own{
      .path = "/desk",
      .interceptors = {noting(notes, 'c')},
      .operations = {{.name = "Put", .interceptors = {noting(notes, 'd'), noting(notes, 'e')}}}};
  services.add(desk, own);
  services.add(plain, "/plain");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/desk Put", "abcde"}, {"/desk Store", "abc"}, {"/plain Put", "ab"}};
  for (const auto& [name, expected] : cases) {
    CAPTURE(name);
    notes.clear();
    const std::size_t space = name.find(' ');
    CHECK(post(services, name.substr(0, space), with_text(name.substr(space + 1), 1)).first == 200);
    CHECK(notes == expected);
  }
}

TEST_CASE("an interceptor of one operation may refuse its calls", "[interceptors]") {
  Desk desk;
  dispatcher services;
  const auto refuse = [](intercepted_call&) {
    throw soapsvc::fault(soapsvc::fault_code::client, "closed").with_status(403);
  };
  services.add(desk, {.path = "/desk", .operations = {{.name = "Put", .interceptors = {refuse}}}});
  CHECK(post(services, "/desk", with_text("Put", 1)).first == 403);
  CHECK(post(services, "/desk", with_text("Store", 1)).first == 200);
}

TEST_CASE("a service can have its own limits", "[limits]") {
  dispatcher_options options;
  options.limits.max_body_bytes = 1'000;
  Desk small, usual, large;
  dispatcher services(options);
  services.add(small, {.path = "/small", .limits = soapsvc::message_limits{.max_body_bytes = 500}});
  services.add(usual, "/usual");
  services.add(
      large, {.path = "/large", .limits = soapsvc::message_limits{.max_body_bytes = 5'000}});
  const auto status = [&](const std::string& path, std::size_t size) {
    return post(services, path, with_text("Put", size)).first;
  };
  CHECK(status("/small", 200) == 200);
  CHECK(status("/small", 600) == 413);
  CHECK(status("/usual", 600) == 200);
  CHECK(status("/usual", 1'000) == 413);
  CHECK(status("/large", 4'000) == 200);
  CHECK(status("/large", 5'000) == 413);
  const auto [code, body] = post(services, "/small", with_text("Put", 600));
  CHECK(body.find("allowed are 500 (limit max_body_bytes)") != body.npos);
}

TEST_CASE("limits of a service also apply to elements", "[limits]") {
  Desk desk;
  dispatcher services;
  services.add(desk, {.path = "/desk", .limits = soapsvc::message_limits{.max_elements = 4}});
  CHECK(post(services, "/desk", envelope("Tell")).first == 200);
  const auto [status, body] =
      post(services, "/desk", envelope("Tell", "<A/><B/><C/><D/><E/><F/><G/>"));
  CHECK(status == 500);
  CHECK(body.find("max_elements") != body.npos);
}

TEST_CASE("an operation accepts larger or smaller requests than its service", "[limits]") {
  dispatcher_options options;
  options.limits.max_body_bytes = 1'000;
  Desk desk;
  dispatcher services(options);
  services.add(
      desk,
      {.path = "/desk",
       .operations = {
           {.name = "Put", .max_body_bytes = 4'000}, {.name = "Tell", .max_body_bytes = 200}}});
  const auto status = [&](const std::string& operation, std::size_t size) {
    return post(services, "/desk", with_text(operation, size)).first;
  };
  CHECK(status("Put", 3'000) == 200);
  CHECK(status("Put", 4'000) == 413);
  CHECK(status("Store", 700) == 200);
  CHECK(status("Store", 1'000) == 413);
  CHECK(status("None", 3'000) == 500);  // no operation: refused as such
  CHECK(post(services, "/desk", envelope("Tell")).first == 200);
  CHECK(
      post(services, "/desk", envelope("Tell", "<!--" + std::string(200, 'x') + "-->")).first ==
      413);
  const auto [code, body] = post(services, "/desk", with_text("Store", 1'000));
  CHECK(body.find("allowed are 1000 (limit max_body_bytes)") != body.npos);
}

// The limits are those of the guide's example: example/features/host.md.
TEST_CASE("an operation takes a value of over 16 MB, as text and by MTOM", "[limits]") {
  const soapsvc::message_limits limits{
      .max_body_bytes = 1'000'000, .max_text_bytes = 100'000'000, .max_part_bytes = 100'000'000};
  Desk desk;
  Depot depot;
  dispatcher services;
  services.add(
      desk,
      {.path = "/desk",
       .limits = limits,
       .operations = {{.name = "Put", .max_body_bytes = 100'000'000}}});
  services.add(
      depot,
      {.path = "/depot",
       .limits = limits,
       .operations = {{.name = "Upload", .max_body_bytes = 100'000'000}}});
  CHECK(post(services, "/desk", with_text("Put", 17'000'000)).first == 200);
  CHECK(post(services, "/desk", with_text("Store", 17'000'000)).first == 413);
  const soapsvc::client<Depot> client(services);
  const Load load{{std::vector<std::uint8_t>(17'000'000)}};
  CHECK(client.call(&Depot::upload, load) == 17'000'000);
  CHECK_THROWS_WITH(client.call(&Depot::check, load), Catch::Contains("(limit max_body_bytes)"));
}

TEST_CASE("invalid options of a service are reported when it is added", "[configuration]") {
  CHECK(refusal({}).find("the service Desk is in no namespace") == std::string::npos);
  CHECK(
      refusal({.operations = {{.name = "Pot"}}}) ==
      "soapsvc: options for the operation Pot, which the service Desk does not have");
  CHECK(refusal({.interceptors = {{}}}) == "soapsvc: an interceptor is an empty function");
  CHECK(
      refusal({.operations = {{.name = "Put", .interceptors = {{}}}}}) ==
      "soapsvc: an interceptor is an empty function");
  CHECK(
      refusal({.operations = {{.name = "Put"}, {.name = "Put", .call_timeout = 1s}}}) ==
      "soapsvc: two options for the operation Put of Desk");
  const std::string not_positive = "soapsvc: call_timeout is 0; it must be more than 0";
  CHECK(refusal({.call_timeout = 0ms}) == not_positive);
  CHECK(refusal({.operations = {{.name = "Put", .call_timeout = 0ms}}}) == not_positive);
  dispatcher_options options;
  options.call_timeout = 0ms;
  CHECK_THROWS_WITH(dispatcher(options), not_positive);
}

TEST_CASE("a call has the deadline of its operation, service or dispatcher", "[timeout][context]") {
  dispatcher_options options;
  Desk none, usual, own, of_operation;
  dispatcher without(options);
  without.add(none);
  call_type{without}.call(&Desk::tell);
  CHECK(none.deadline == steady::time_point::max());
  CHECK(none.within.deadline == steady::time_point::max());
  options.call_timeout = 1h;
  dispatcher services(options);
  services.add(usual, "/usual");
  services.add(own, {.path = "/own", .call_timeout = 2h});
  const soapsvc::service_options with{
      .path = "/operation",
      .call_timeout = 2h,
      .operations = {{.name = "Tell", .call_timeout = 3h}}};
  services.add(of_operation, with);
  const auto hours = [&](Desk& desk, const std::string& path) {
    const auto before = steady::now();
    CHECK(post(services, path, envelope("Tell")).first == 200);
    const auto least = desk.deadline - steady::now(), most = desk.deadline - before;
    const auto whole = std::chrono::round<std::chrono::hours>(most);
    CHECK((least <= whole && whole <= most));
    CHECK(desk.within.deadline == desk.deadline);
    return whole.count();
  };
  CHECK(hours(usual, "/usual") == 1);
  CHECK(hours(own, "/own") == 2);
  CHECK(hours(of_operation, "/operation") == 3);
}

TEST_CASE("without a host no stop token is triggered", "[context]") {
  Desk desk;
  dispatcher services;
  services.add(desk);
  call_type{services}.call(&Desk::tell);
#if defined(__cpp_lib_jthread)
  CHECK_FALSE(desk.is_stoppable);
  CHECK_FALSE(context{}.stop_token().stop_possible());
#endif
  CHECK(soapsvc::from_context(context{}).deadline == steady::time_point::max());
  CHECK(soapsvc::from_context(context{}).headers.empty());
}

TEST_CASE("calls within a call are not made after its deadline", "[timeout][context]") {
  context late;
  late.deadline = steady::now() - 1h;
  Desk desk;
  dispatcher services;
  services.add(desk);
  CHECK_THROWS_AS(
      call_type{services}.with(soapsvc::from_context(late)).call(&Desk::tell),
      soapsvc::transport_error);
}

TEST_CASE("a method knows the traceparent of its call", "[context][trace]") {
  const std::string good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  CHECK(traceparent_for(good) == good);
  CHECK(traceparent_for("cc" + good.substr(2)) == "cc" + good.substr(2));
  CHECK(traceparent_for("cc" + good.substr(2) + "-later") == "cc" + good.substr(2) + "-later");
  const std::string zeros(32, '0');
  const std::vector<std::string> wrong = {
      "",
      "00",
      good + "-later",
      good + "0",
      "cc" + good.substr(2) + "later",
      "cc" + good.substr(2) + "-later\r\nX: y",
      good.substr(0, good.size() - 1),
      "ff" + good.substr(2),
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
      "00-" + zeros + "-00f067aa0ba902b7-01",
      good.substr(0, 36) + zeros.substr(16) + "-01",
      "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01"};
  for (const std::string& each : wrong) {
    CAPTURE(each);
    CHECK(traceparent_for(each).empty());
  }
}

TEST_CASE("the report of a call has its traceparent", "[trace]") {
  std::vector<std::string> told;
  dispatcher_options options;
  options.on_call = [&](const soapsvc::call_report& report) {
    told.emplace_back(report.traceparent);
  };
  Desk desk;
  dispatcher services(options);
  services.add(desk, "/desk");
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  post(services, "/desk", envelope("Tell"), {{"traceparent", trace}});
  post(services, "/desk", envelope("None"), {{"TraceParent", trace}});
  post(services, "/desk", envelope("Tell"), {{"traceparent", "none"}});
  CHECK(told == std::vector<std::string>{trace, trace, ""});
}

TEST_CASE("calls within a call carry its trace and its request id", "[trace]") {
  Desk desk;
  dispatcher services;
  services.add(desk, "/desk");
  using headers = std::vector<std::pair<std::string, std::string>>;
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  post(services, "/desk", envelope("Tell"), {{"X-Request-Id", "id-1"}});
  CHECK(desk.within.headers == headers{{"X-Request-Id", "id-1"}});
  post(
      services,
      "/desk",
      envelope("Tell"),
      {{"X-Request-Id", "id-1"}, {"traceparent", trace}, {"tracestate", "a=b"}});
  CHECK(
      desk.within.headers ==
      headers{{"X-Request-Id", "id-1"}, {"traceparent", trace}, {"tracestate", "a=b"}});
  // Several headers form one list (W3C Trace Context, 3.3). Another HTTP server may accept a line
  // end.
  post(
      services,
      "/desk",
      envelope("Tell"),
      {{"traceparent", trace},
       {"tracestate", "a=b"},
       {"TraceState", "c=d"},
       {"tracestate", "e\r\nX: f"}});
  CHECK(desk.within.headers.back() == std::pair<std::string, std::string>("tracestate", "a=b,c=d"));
  post(services, "/desk", envelope("Tell"), {{"X-Request-Id", "id-1"}, {"tracestate", "a=b"}});
  CHECK(desk.within.headers == headers{{"X-Request-Id", "id-1"}});
  const call_type next{services};
  CHECK(next.with({.headers = {{"traceparent", trace}}}).call(&Desk::tell) == trace);
}
