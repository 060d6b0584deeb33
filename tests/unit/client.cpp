// [client]: typed calls over a socket and directly to a dispatcher.
#include <catch2/catch.hpp>
#include <thread>

#include "soapsvc.hpp"

namespace {

struct Greet {
  std::string name;
  std::optional<std::string> title;
};
struct Key {
  std::optional<std::string> domain;
};
struct Wrong {
  std::int32_t code{};
  std::string message;
};
struct Item {
  std::int32_t id{};
  std::vector<std::string> tags;
};

/// Convertible to a Key, which is at another place in memory.
struct Signed {
  std::string domain;
  operator Key() const { return {domain}; }
};

class Desk {
public:
  std::string greet(const Greet& asked) {
    return "Hello, " + asked.title.value_or("(none)") + ' ' + asked.name;
  }
  std::vector<Item> list(const Greet& asked, const Key& key) {
    if (asked.name.empty()) return {};
    return {{1, {}}, {2, {asked.name, key.domain.value_or("nowhere")}}};
  }
  std::vector<std::int32_t> numbers() { return {3, -4}; }
  std::optional<std::string> maybe(const Greet& asked, const std::optional<Key>& key) {
    return key ? std::optional(asked.name) : std::nullopt;
  }
  void fail(const Greet& asked) {
    if (asked.name == "plain") throw std::runtime_error("a secret of the server");
    if (asked.name == "codes")
      throw soapsvc::fault(soapsvc::fault_code::client, "of others")
          .with_subcode(soapsvc::qualified_name{"urn:outer", "Outer"})
          .with_subcode(soapsvc::qualified_name{"urn:inner", "Inner"});
    throw soapsvc::fault(soapsvc::fault_code::client, "no & <never>")
        .with(Wrong{7, "seven"})
        .with_subcode("Seven");
  }
  void unlisted() {}
};

/// Only declared, as in a program that links no service.
class Remote {
public:
  virtual std::string greet(const Greet& asked) = 0;
  virtual std::string leave(const Greet& asked) = 0;

protected:
  ~Remote() = default;
};
class Near final : public Remote {
public:
  std::string greet(const Greet& asked) override { return "Hello, " + asked.name; }
  std::string leave(const Greet& asked) override { return "Goodbye, " + asked.name; }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name), field("Title", &Greet::title));
template <>
inline constexpr auto soapsvc::schema<Key> = record("Key", field("Domain", &Key::domain));
template <>
inline constexpr auto soapsvc::schema<Wrong> =
    record("Wrong", field("Code", &Wrong::code), field("Message", &Wrong::message));
template <>
inline constexpr auto soapsvc::schema<Item> =
    record("Item", field("Id", &Item::id), field("Tag", &Item::tags));
template <>
inline constexpr auto soapsvc::schema<Desk> = service(
    "Desk",
    operation("Greet", &Desk::greet),
    operation("List", &Desk::list),
    operation("Numbers", &Desk::numbers),
    operation("Maybe", &Desk::maybe),
    operation("Fail", &Desk::fail));
template <>
inline constexpr auto soapsvc::schema<Remote> =
    service("Remote", operation("Greet", &Remote::greet), operation("Leave", &Remote::leave));

namespace {

using soapsvc::soap_version;

/// Every kind of call, over any transport.
void check_calls(soapsvc::client<Desk>& desk, soap_version version) {
  CHECK(desk.call(&Desk::greet, Greet{"W & <o>", {}}) == "Hello, (none) W & <o>");
  CHECK(desk.call(&Desk::greet, Greet{"x", ""}) == "Hello,  x");
  const auto list = desk.call(&Desk::list, Greet{"\xC3\xA9", {}}, Key{"acme"});
  REQUIRE(list.size() == 2);
  CHECK(list[0].tags.empty());
  CHECK(list[1].id == 2);
  CHECK(list[1].tags == std::vector<std::string>{"\xC3\xA9", "acme"});
  CHECK(desk.call(&Desk::list, Greet{}, Key{}).empty());
  CHECK(desk.call(&Desk::numbers) == std::vector<std::int32_t>{3, -4});
  CHECK(desk.call(&Desk::maybe, Greet{"x", {}}, std::optional<Key>(Key{})) == "x");
  CHECK(desk.call(&Desk::maybe, Greet{"x", {}}, std::optional<Key>()) == std::nullopt);
  CHECK(desk.call(&Desk::maybe, {"x", {}}, std::nullopt) == std::nullopt);
  CHECK(desk.call(&Desk::maybe, {"x", {}}, Key{"acme"}) == "x");
  CHECK(desk.call(&Desk::maybe, {"x", {}}, {}) == std::nullopt);
  CHECK(desk.call(&Desk::list, {"y", {}}, {"acme"}).at(1).tags.at(1) == "acme");
  CHECK(desk.call(&Desk::list, {"y", {}}, Signed{"globex"}).at(1).tags.at(1) == "globex");
  try {
    desk.call(&Desk::fail, Greet{"x", {}});
    FAIL("no fault was thrown");
  } catch (const soapsvc::remote_fault& refused) {
    CHECK(refused.code() == soapsvc::fault_code::client);
    CHECK(refused.reason() == "no & <never>");
    CHECK(refused.http_status() == (version == soap_version::v1_1 ? 500 : 400));
    CHECK(refused.subcode() == (version == soap_version::v1_1 ? "" : "Seven"));
    const auto detail = soapsvc::read_detail<Wrong>(refused);
    REQUIRE(detail);
    CHECK(detail->code == 7);
    CHECK(detail->message == "seven");
    CHECK_FALSE(soapsvc::read_detail<Item>(refused));
    CHECK_THAT(refused.what(), Catch::Contains("answered with the fault 'no & <never>'"));
  }
  try {
    desk.call(&Desk::fail, Greet{"codes", {}});
    FAIL("no fault was thrown");
  } catch (const soapsvc::remote_fault& refused) {
    // 1.1 has one code, the innermost; the other codes are not sent.
    std::vector<soapsvc::qualified_name> expected{{"urn:inner", "Inner"}};
    if (version == soap_version::v1_2) expected.insert(expected.begin(), {"urn:outer", "Outer"});
    CHECK(refused.subcodes() == expected);
    CHECK(refused.subcode() == expected.front().local);
  }
  try {
    desk.call(&Desk::fail, Greet{"plain", {}});
    FAIL("no fault was thrown");
  } catch (const soapsvc::remote_fault& refused) {
    CHECK(refused.code() == soapsvc::fault_code::server);
    CHECK_THAT(refused.reason(), !Catch::Contains("secret"));
    CHECK_FALSE(soapsvc::read_detail<Wrong>(refused));
  }
  CHECK_THROWS_AS(desk.call(&Desk::unlisted), std::invalid_argument);
}

/// A transport with a fixed response, which records the last request.
struct canned {
  soapsvc::http_response response;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

soapsvc::client<Desk> client_of(const std::shared_ptr<canned>& what, soap_version version) {
  soapsvc::client_options options;
  options.ns_base = "urn:x";
  options.version = version;
  options.headers = {{"X-Mine", "yes"}};
  return soapsvc::client<Desk>(
      [what](const soapsvc::http_request& request) {
        what->body = request.body;
        what->headers.clear();
        for (const auto& [name, value] : request.headers)
          what->headers.emplace_back(name, value);
        return what->response;
      },
      options);
}

std::string envelope11(const std::string& body) {
  return "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>" + body +
         "</e:Body></e:Envelope>";
}

}  // namespace

TEST_CASE("the default options of a client are the documented ones", "[client][limits][timeout]") {
  using namespace std::chrono_literals;
  const soapsvc::client_options options;
  CHECK(options.connect_timeout == 10s);
  CHECK(options.read_timeout == 60s);
  CHECK(options.call_timeout == 120s);
  CHECK(options.max_header_bytes == 65'536);
  CHECK(options.limits.max_body_bytes == 16 * 1024 * 1024);
  CHECK(options.max_idle_connections == 64);
  CHECK(options.max_idle_age == 4s);
  CHECK(options.max_async_threads == 32);
  CHECK(options.retry.max_attempts == 1);
  CHECK(options.verify_certificate);
  CHECK_FALSE(options.security.allow_password_text_without_tls);
}

TEST_CASE("a client calls a dispatcher without a socket", "[client]") {
  Desk desk;
  soapsvc::dispatcher services{{.ns_base = "http://example.com"}};
  services.add(desk);
  const auto version = GENERATE(soap_version::v1_1, soap_version::v1_2);
  soapsvc::client<Desk> client(services, {.version = version});
  check_calls(client, version);
}

#ifndef SOAPSVC_NO_HOST
TEST_CASE("a client calls a host over one kept-alive connection", "[client][keep-alive]") {
  Desk desk;
  soapsvc::host host{{.ns_base = "http://example.com"}};
  host.add(desk);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&] { host.serve(); });
  for (const auto version : {soap_version::v1_1, soap_version::v1_2}) {
    soapsvc::client<Desk> client(
        "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Desk.asmx",
        {.ns_base = "http://example.com", .version = version});
    check_calls(client, version);
  }
  CHECK(host.statistics().accepted == 2);
  host.stop();
  serving.join();
}
#endif

TEST_CASE("methods may be pure virtual, so that a caller links no service", "[client]") {
  Near service;
  soapsvc::dispatcher services{{.ns_base = "urn:x"}};
  services.add<Remote>(service);
  soapsvc::client<Remote> client{services};
  CHECK(client.call(&Remote::greet, Greet{"Ada", {}}) == "Hello, Ada");
  CHECK(client.call(&Remote::leave, Greet{"Ada", {}}) == "Goodbye, Ada");
}

TEST_CASE("a request has its action in the form of its version", "[client][SOAPAction]") {
  const auto wire = std::make_shared<canned>();
  wire->response.body =
      envelope11("<GreetResponse xmlns='urn:x/Desk'><GreetResult/></GreetResponse>");
  client_of(wire, soap_version::v1_1).call(&Desk::greet, Greet{"a", {}});
  CHECK(
      wire->headers == std::vector<std::pair<std::string, std::string>>{
                           {"Content-Type", "text/xml; charset=utf-8"},
                           {"SOAPAction", "\"urn:x/Desk/Greet\""},
                           {"X-Mine", "yes"}});
  CHECK_THAT(
      wire->body,
      Catch::Contains("<soap:Body><Greet xmlns=\"urn:x/Desk\"><Name>a</Name></Greet></soap:Body>"));
  client_of(wire, soap_version::v1_2).call(&Desk::greet, Greet{"a", {}});
  CHECK(
      wire->headers.front().second ==
      "application/soap+xml; charset=utf-8; action=\"urn:x/Desk/Greet\"");
}

TEST_CASE("a response that is not SOAP is a transport error that says so", "[client]") {
  const auto wire = std::make_shared<canned>();
  wire->response.status = 502;
  for (const std::string& body :
       {std::string("<html>Bad Gateway</html>"),
        std::string(),
        std::string("no XML"),
        envelope11("<Other xmlns='urn:x/Desk'/>"),
        envelope11("")}) {
    wire->response.body = body;
    INFO(body);
    CHECK_THROWS_AS(
        client_of(wire, soap_version::v1_1).call(&Desk::numbers), soapsvc::transport_error);
  }
  wire->response.body = "no XML";
  CHECK_THROWS_WITH(
      client_of(wire, soap_version::v1_1).call(&Desk::numbers), Catch::Contains("HTTP 502"));
}

TEST_CASE("a value that a response should not hold is an error with its path", "[client]") {
  const auto wire = std::make_shared<canned>();
  wire->response.body = envelope11(
      "<NumbersResponse xmlns='urn:x/Desk'><NumbersResult><int>1</int><int>x</int>"
      "</NumbersResult></NumbersResponse>");
  CHECK_THROWS_WITH(
      client_of(wire, soap_version::v1_1).call(&Desk::numbers),
      Catch::Contains("NumbersResult/int[2]: 'x' is not"));
}

#ifndef SOAPSVC_NO_HOST
TEST_CASE("the error for an unreachable server names it", "[client]") {
  soapsvc::client<Desk> client("http://127.0.0.1:1/x", {.ns_base = "urn:x"});
  CHECK_THROWS_WITH(client.call(&Desk::numbers), Catch::Contains("http://127.0.0.1:1"));
  CHECK_THROWS_AS(
      soapsvc::client<Desk>("http://127.0.0.1:1/x", soapsvc::client_options{}),
      std::invalid_argument);
}
#endif

// It would be called after its end.
static_assert(std::is_constructible_v<soapsvc::client<Desk>, const soapsvc::dispatcher&>);
static_assert(!std::is_constructible_v<soapsvc::client<Desk>, soapsvc::dispatcher>);
static_assert(
    !std::is_constructible_v<soapsvc::client<Desk>, soapsvc::dispatcher, soapsvc::client_options>);

TEST_CASE("a client finds a service at a path of its own", "[client]") {
  Desk desk;
  soapsvc::dispatcher services{{.ns_base = "urn:x"}};
  services.add(desk, "/of/its/own");
  soapsvc::client<Desk> client(services);
  CHECK(client.call(&Desk::greet, {"Ada", {}}) == "Hello, (none) Ada");
  CHECK_THROWS_WITH(
      soapsvc::client<Remote>(services), Catch::Contains("no service with this name was added"));
}

TEST_CASE("values that would change the structure of a request are refused", "[client]") {
  const auto make = [](const soapsvc::client_options& options) {
    soapsvc::client<Desk>(
        [](const soapsvc::http_request&) { return soapsvc::http_response(); }, options);
  };
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"X-A", "b\r\nX-C: d"},
           {"X-A", "b\nc"},
           {"X-A", std::string("b\0c", 3)},
           {"X-A", "b\x7f"},
           {"X-A\r\nX-B", "c"},
           {"X A", "b"},
           {"X-A:", "b"},
           {"", "b"},
           {"\xC3\xA9", "b"},
           {"content-length", "5"},
           {"Content-Type", "text/xml"},
           {"Connection", "close"},
           {"soapaction", "x"},
           {"Transfer-Encoding", "chunked"},
           {"Host", "elsewhere"}}) {
    INFO(name << ": " << value);
    CHECK_THROWS_AS(make({.ns_base = "urn:x", .headers = {{name, value}}}), std::invalid_argument);
  }
  make({.ns_base = "urn:x", .headers = {{"X-A", "b\tc \xC3\xA9"}, {"Authorization", ""}}});
  for (const std::string own :
       {"Accept-Encoding",
        "Connection",
        "Content-Encoding",
        "Content-Length",
        "Content-Type",
        "Expect",
        "Host",
        "SOAPAction",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade"}) {
    std::string small = own;
    for (char& c : small)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const std::string& name : {own, small})
      CHECK_THROWS_WITH(
          make({.ns_base = "urn:x", .headers = {{name, "x"}}}),
          "soapsvc: client_options::headers: the library writes " + name + " itself");
    make({.ns_base = "urn:x", .headers = {{own + "-Mine", "x"}}});
  }
  for (const std::string ns : {"", "urn:x\r\nX-A: b", "urn:\"x", "urn:\\x", "urn:\xff"}) {
    INFO(ns);
    CHECK_THROWS_AS(make({.ns_base = ns}), std::invalid_argument);
  }
}

TEST_CASE("a slash at the end of ns_base is ignored", "[client]") {
  Desk desk;
  soapsvc::dispatcher services{{.ns_base = "urn:x/"}};
  services.add(desk);
  soapsvc::client<Desk> client(
      [&](const soapsvc::http_request& request) {
        soapsvc::http_request asked = request;
        asked.target = "/soap/v3/Desk.asmx";
        return services.handle(asked);
      },
      {.ns_base = "urn:x/"});
  CHECK(client.call(&Desk::numbers).size() == 2);
}

// --- Faults of others ----------------------------------------------------------------------------

namespace {

/// Calls another service for its own callers.
class Broker {
public:
  explicit Broker(soapsvc::client<Desk> other) : other_(std::move(other)) {}
  void careless() { other_.call(&Desk::fail, {"x", {}}); }
  void passing() {
    try {
      careless();
    } catch (const soapsvc::remote_fault& refused) {
      throw refused.as_fault();
    }
  }

private:
  soapsvc::client<Desk> other_;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Broker> = service(
    "Broker", operation("Careless", &Broker::careless), operation("Passing", &Broker::passing));

namespace {

/// A Broker whose other service returns this Code, status and a confidential reason.
struct brokered {
  explicit brokered(const std::string& code, int status = 500) {
    wire->response.status = status;
    wire->response.content_type = "application/soap+xml";
    wire->response.body =
        "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><e:Body><e:Fault>"
        "<e:Code><e:Value>e:" +
        code +
        "</e:Value><e:Subcode><e:Value>e:Theirs</e:Value>"
        "</e:Subcode></e:Code><e:Reason><e:Text xml:lang='en'>their word</e:Text></e:Reason>"
        "</e:Fault></e:Body></e:Envelope>";
    soapsvc::dispatcher_options options{.ns_base = "urn:x"};
    options.on_error = [this](const soapsvc::error_report& report) {
      told.emplace_back(report.what);
    };
    services.emplace(options);
    services->add(broker);
  }
  /// The fault that the Broker's own caller gets.
  soapsvc::remote_fault call(void (Broker::*method)()) {
    try {
      soapsvc::client<Broker>(*services, {.version = soap_version::v1_2}).call(method);
    } catch (const soapsvc::remote_fault& refused) {
      return refused;
    }
    throw std::logic_error("no fault");
  }
  const std::shared_ptr<canned> wire = std::make_shared<canned>();
  Broker broker{client_of(wire, soap_version::v1_2)};
  std::optional<soapsvc::dispatcher> services;
  std::vector<std::string> told;
};

}  // namespace

static_assert(!std::is_base_of_v<soapsvc::fault, soapsvc::remote_fault>);

TEST_CASE(
    "another service's fault that escapes a handler is an incident", "[client][rule-7][incident]") {
  const std::string code = GENERATE(
      "Sender", "Receiver", "VersionMismatch", "MustUnderstand", "DataEncodingUnknown", "Odd");
  for (const int status : {200, 204, 400, 500, 999}) {
    brokered world(code, status);
    const soapsvc::remote_fault told = world.call(&Broker::careless);
    CHECK(told.code() == soapsvc::fault_code::server);
    CHECK(told.http_status() == 500);
    CHECK(told.subcode().empty());
    CHECK_THAT(told.reason(), Catch::StartsWith("The server could not process the request."));
    REQUIRE(world.told.size() == 1);
    CHECK(world.told[0] == "the transport answered with the fault 'their word'");
  }
}

TEST_CASE("another service's fault can be passed on explicitly", "[client][rule-7]") {
  const auto [code, version_of_it] = GENERATE(table<std::string, soapsvc::fault_code>(
      {{"Sender", soapsvc::fault_code::client},
       {"Receiver", soapsvc::fault_code::server},
       {"VersionMismatch", soapsvc::fault_code::server},
       {"MustUnderstand", soapsvc::fault_code::server},
       {"DataEncodingUnknown", soapsvc::fault_code::server}}));
  brokered world(code, 204);
  const soapsvc::remote_fault told = world.call(&Broker::passing);
  CHECK(told.code() == version_of_it);
  CHECK(told.reason() == "their word");
  CHECK(told.subcode().empty());
  CHECK(told.http_status() == (version_of_it == soapsvc::fault_code::client ? 400 : 500));
  CHECK(world.told.empty());
}

TEST_CASE("a faultcode that SOAP 1.1 does not define is a subcode", "[client][rule-7]") {
  const auto wire = std::make_shared<canned>();
  const auto codes_of = [&](const std::string& code) {
    wire->response.status = 500;
    wire->response.body = envelope11(
        "<e:Fault><faultcode xmlns:x='urn:x'>" + code +
        "</faultcode><faultstring>no</faultstring></e:Fault>");
    try {
      client_of(wire, soap_version::v1_1).call(&Desk::numbers);
    } catch (const soapsvc::remote_fault& refused) {
      return refused.subcodes();
    }
    throw std::logic_error("no fault");
  };
  using codes = std::vector<soapsvc::qualified_name>;
  const std::string soap11 = "http://schemas.xmlsoap.org/soap/envelope/";
  for (const std::string name : {"Client", "Server", "VersionMismatch", "MustUnderstand"}) {
    CHECK(codes_of("e:" + name).empty());
    CHECK(codes_of(name).empty());  // as PHP sends it
    CHECK(codes_of("undeclared:" + name).empty());
    CHECK(codes_of("x:" + name) == codes{{"urn:x", name}});
  }
  for (const std::string none : {"", "500", "not a name", "undeclared:"})
    CHECK(codes_of(none).empty());
  CHECK(codes_of("x:Late") == codes{{"urn:x", "Late"}});
  CHECK(codes_of(" E1001\n") == codes{{"", "E1001"}});
  CHECK(codes_of("e:Client.Late") == codes{{soap11, "Client.Late"}});
}

TEST_CASE("a fault's status must be an error status", "[client][rule-7]") {
  const soapsvc::fault refused(soapsvc::fault_code::client, "no");
  for (const int status : {400, 429, 503, 599})
    CHECK(refused.with_status(status).status() == status);
  for (const int status : {-1, 0, 101, 200, 204, 399, 600, 999})
    CHECK_THROWS_AS(refused.with_status(status), std::invalid_argument);
}

TEST_CASE("a detail is read with the limits of the response", "[client]") {
  const auto wire = std::make_shared<canned>();
  const auto detail_of = [&](const std::string& content, const soapsvc::client_options& with) {
    wire->response.body = envelope11(
        "<e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring><detail>" + content +
        "</detail></e:Fault>");
    try {
      soapsvc::client<Desk>([&](const soapsvc::http_request&) { return wire->response; }, with)
          .call(&Desk::numbers);
    } catch (const soapsvc::remote_fault& refused) {
      return soapsvc::read_detail<Wrong>(refused);
    }
    throw std::logic_error("no fault");
  };
  const auto wrong = [](const std::string& message, const std::string& more = "") {
    return "<Wrong xmlns='urn:x/Desk'><Code>7</Code><Message>" + message + "</Message>" + more +
           "</Wrong>";
  };
  soapsvc::client_options with{.ns_base = "urn:x"};
  // Other entries may stand first: SOAP 1.1, 4.4 allows several.
  wire->response.content_type = "text/xml";
  const auto second = detail_of("<h xmlns='urn:h'>host</h>" + wrong("no"), with);
  REQUIRE(second);
  CHECK(second->code == 7);
  CHECK_FALSE(detail_of("<h xmlns='urn:h'>host</h>", with));
  wire->response.content_type = "text/xml; charset=iso-8859-1";
  const auto latin = detail_of(wrong("\xE9"), with);
  REQUIRE(latin);
  CHECK(latin->message == "\xC3\xA9");
  wire->response.content_type = "text/xml; charset=windows-1251";
  const auto cyrillic = detail_of(wrong("\xCF"), with);
  REQUIRE(cyrillic);
  CHECK(cyrillic->message == "\u041F");
  wire->response.content_type = "text/xml";
  std::string deep;
  for (int level = 0; level != 200; ++level)
    deep = "<x:a xmlns:x='urn:y'>" + deep + "</x:a>";
  with.limits.max_depth = 300;
  CHECK(detail_of(wrong("m", deep), with)->message == "m");
  CHECK(detail_of(wrong("m", "<More/>"), with)->message == "m");
  with.unknown_elements = soapsvc::unknown_elements::refuse;
  CHECK_THROWS_AS(detail_of(wrong("m", "<More/>"), with), soapsvc::transport_error);
  CHECK_FALSE(detail_of("<Wrong xmlns='urn:other'/>", with));
  CHECK_FALSE(detail_of("", with));
  try {
    detail_of("<Wrong xmlns='urn:x/Desk'><Code>x</Code></Wrong>", with);
    FAIL("no error");
  } catch (const soapsvc::transport_error& error) {
    CHECK(error.why() == soapsvc::transport_failure::response);
    CHECK(error.http_status() == 200);
    CHECK_THAT(error.what(), Catch::Contains("a detail that cannot be read: Wrong/Code: 'x'"));
  }
}
