// [dispatch]: reports to observers contain no secrets. Secrets with a mark are sent on every path
// of a message, and the output of every hook is searched for the mark. Pages that a program adds
// beside its services are tested here as well.
#define SOAPSVC_NO_HOST
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "soapsvc.hpp"

namespace vault {

/// A part of every secret; no table, name or namespace contains it.
const std::string mark = "HUSH";

/// Completely secret if a table says so.
struct Card {
  std::optional<std::string> number;
  std::optional<std::int32_t> pin;
};
struct Person {
  std::optional<std::string> name;
  std::optional<Card> card;  ///< secret
  std::vector<std::string> answers;  ///< secret
  std::vector<Card> shown;  ///< the pin is secret
};
struct Badge {
  std::optional<std::string> user;
  std::optional<std::string> token;  ///< secret
};
struct Enter {
  std::optional<std::string> how;
  std::optional<std::string> password;  ///< secret
  std::optional<std::int32_t> code;  ///< secret
  std::optional<Person> person;
};
struct Leak {
  std::int32_t number{};
  std::optional<std::string> text;  ///< secret
};

class Vault {
public:
  std::string enter(const Enter& request, const std::optional<Badge>&);
  std::optional<Person> person(const Enter& request) { return request.person; }
  std::vector<std::string> tokens(const Enter& request) {
    return {2, request.password.value_or("")};
  }
  std::vector<Person> people(const Enter& request) {
    return std::vector<Person>(2, request.person.value_or(Person{}));
  }
  void nothing() {}
};

}  // namespace vault

template <>
inline constexpr auto soapsvc::schema<vault::Card> =
    record("Card", field("Number", &vault::Card::number), field("Pin", &vault::Card::pin, secret));
template <>
inline constexpr auto soapsvc::schema<vault::Person> = record(
    "Person",
    field("Name", &vault::Person::name),
    field("Card", &vault::Person::card, secret),
    field("Answer", &vault::Person::answers, secret),
    field("Shown", &vault::Person::shown));
template <>
inline constexpr auto soapsvc::schema<vault::Badge> = record(
    "Badge", field("User", &vault::Badge::user), field("Token", &vault::Badge::token, secret));
template <>
inline constexpr auto soapsvc::schema<vault::Enter> = record(
    field("How", &vault::Enter::how),
    field("Password", &vault::Enter::password, secret),
    field("Code", &vault::Enter::code, secret),
    field("Person", &vault::Enter::person));
template <>
inline constexpr auto soapsvc::schema<vault::Leak> = record(
    "Leak", field("Number", &vault::Leak::number), field("Text", &vault::Leak::text, secret));
template <>
inline constexpr auto soapsvc::schema<vault::Vault> = service(
    "Vault",
    operation("Enter", &vault::Vault::enter, secret),
    operation("Person", &vault::Vault::person),
    operation("Tokens", &vault::Vault::tokens, secret),
    operation("People", &vault::Vault::people),
    operation("Nothing", &vault::Vault::nothing));

namespace vault {

std::string Vault::enter(const Enter& request, const std::optional<Badge>&) {
  const std::string how = request.how.value_or("");
  if (how == "fault") throw soapsvc::fault(soapsvc::fault_code::client, "closed today");
  if (how == "detail")
    throw soapsvc::fault(soapsvc::fault_code::client, "closed today")
        .with(Leak{7, request.password});
  if (how == "throw") throw std::runtime_error("the store is gone");
  return "token " + request.password.value_or("");
}

using version = soapsvc::soap_version;
constexpr version both[] = {version::v1_1, version::v1_2};
const std::string ns = "http://example.com/soap/Vault";

std::string envelope_ns(version v) {
  return v == version::v1_1 ? "http://schemas.xmlsoap.org/soap/envelope/"
                            : "http://www.w3.org/2003/05/soap-envelope";
}

std::string envelope(version v, const std::string& body, const std::string& header = "") {
  return "<e:Envelope xmlns:e=\"" + envelope_ns(v) + "\">" +
         (header.empty() ? "" : "<e:Header>" + header + "</e:Header>") + "<e:Body>" + body +
         "</e:Body></e:Envelope>";
}

std::string call(const std::string& operation, const std::string& content) {
  return "<" + operation + " xmlns=\"" + ns + "\">" + content + "</" + operation + ">";
}

std::string badge(const std::string& content) {
  return "<Badge xmlns=\"" + ns + "\">" + content + "</Badge>";
}

/// A dispatcher with a Vault, and all reports of its hooks.
class World {
public:
  explicit World(soapsvc::dispatcher_options options = {})
      : dispatcher(observed(std::move(options))) {
    dispatcher.add(service_);
  }

  soapsvc::http_response send(
      const std::string& method,
      const std::string& target,
      const std::string& body = "",
      const std::string& type = "text/xml",
      const std::string& action = "") {
    const std::vector<soapsvc::http_header> headers{
        {"Content-Type", type}, {"SOAPAction", action}, {"X-Request-Id", "id-1"}};
    soapsvc::http_request request;
    request.method = method;
    request.target = target;
    request.headers = headers;
    request.body = body;
    request.peer = "192.0.2.1";
    return dispatcher.handle(request);
  }
  soapsvc::http_response post(const std::string& body) {
    return send("POST", "/soap/v3/Vault.asmx", body);
  }

  std::vector<std::string> told;  ///< every text that a hook has received
  std::vector<std::map<std::string, std::string>> messages;
  soapsvc::dispatcher dispatcher;

private:
  soapsvc::dispatcher_options observed(soapsvc::dispatcher_options options) {
    options.ns_base = "http://example.com/soap";
    options.on_call = [this](const soapsvc::call_report& call) {
      for (const auto text : {call.service, call.operation, call.fault_reason, call.peer})
        told.emplace_back(text);
    };
    options.on_error = [this](const soapsvc::error_report& error) {
      for (const auto text : {error.service, error.operation, error.what, error.incident})
        told.emplace_back(text);
    };
    options.on_message = [this](const soapsvc::message_report& message) {
      messages.push_back(
          {{"service", std::string(message.service)},
           {"operation", std::string(message.operation)},
           {"peer", std::string(message.peer)},
           {"request_id", std::string(message.request_id)},
           {"request", std::string(message.request)},
           {"response", std::string(message.response)}});
      for (const auto& [name, text] : messages.back())
        told.push_back(text);
    };
    return options;
  }

  Vault service_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_hushed(const World& world) {
  for (const std::string& text : world.told) {
    INFO(text);
    CHECK_FALSE(contains(text, mark));
    CHECK_FALSE(contains(text, "4711"));  // every secret number
  }
}

/// Every way to write the same secret text.
const std::vector<std::string> secrets = {
    "HUSH",
    "a HUSH &amp; b",
    "<![CDATA[HUSH]]>",
    "a<!-- HUSH -->b",
    "<!-- x -->HUSH<!-- y -->",
    "&#72;USH HUSH",
    "]]&gt;HUSH<![CDATA[<x>HUSH</x>]]>",
    " \n HUSH \n ",
};

}  // namespace vault

using namespace vault;

TEST_CASE("on_message gets whole messages, with *** for every secret", "[messages][secret]") {
  World world;
  world.post(envelope(
      version::v1_1,
      call("Enter", "<How>walk &lt;in&gt;</How><Password>HUSH</Password>"),
      badge("<User>ann</User><Token>HUSH</Token>")));
  REQUIRE(world.messages.size() == 1);
  auto message = world.messages[0];
  CHECK(message["service"] == "Vault");
  CHECK(message["operation"] == "Enter");
  CHECK(message["peer"] == "192.0.2.1");
  CHECK(message["request_id"] == "id-1");
  CHECK(
      message["request"] == envelope(
                                version::v1_1,
                                call("Enter", "<How>walk &lt;in&gt;</How><Password>***</Password>"),
                                badge("<User>ann</User><Token>***</Token>")));
  CHECK(contains(
      message["response"],
      "<soap:Body><EnterResponse xmlns=\"" + ns +
          "\"><EnterResult>***</EnterResult></EnterResponse></soap:Body>"));
  check_hushed(world);
}

TEST_CASE("secrets are masked however they are written, in both versions", "[messages][secret]") {
  World world;
  for (const version v : both) {
    for (const std::string& secret : secrets) {
      const std::string card = "<Number>" + secret + "</Number><Pin>4711</Pin>";
      const std::string person = "<Name>ann</Name><Card>" + card + "</Card><Answer>" + secret +
                                 "</Answer><Answer>" + secret +
                                 "</Answer><Shown><Number>12</Number><Pin>4711</Pin></Shown>";
      const std::string content = "<Password>" + secret + "</Password><Code>4711</Code>" +
                                  "<Person>" + person + "</Person>";
      for (const char* operation : {"Enter", "Person", "Tokens", "People"}) {
        const auto response = world.post(envelope(
            v, call(operation, content), badge("<User>bob</User><Token>" + secret + "</Token>")));
        INFO(response.body);
        CHECK(response.status == 200);
        auto& message = world.messages.back();
        CHECK(contains(message["request"], "<Password>***</Password><Code>***</Code>"));
        CHECK(contains(message["request"], "<Name>ann</Name><Card>***</Card>"));
        CHECK(contains(message["request"], "<Number>12</Number><Pin>***</Pin>"));
      }
      CHECK(contains(world.messages.back()["response"], "<Name>ann</Name><Card>***</Card>"));
    }
  }
  CHECK(world.messages.size() == 2 * 4 * secrets.size());
  check_hushed(world);
}

TEST_CASE("secrets are masked whatever their prefixes", "[messages][secret]") {
  World world;
  for (const version v : both) {
    const std::string body = "<a:Enter xmlns:a='" + ns + "' xmlns:b='" + ns +
                             "'><b:How>x</b:How><b:Password>HUSH</b:Password>"
                             "<Code xmlns='" +
                             ns + "' c:y='HUSH' xmlns:c='urn:c'>4711</Code></a:Enter>";
    const std::string header =
        "<b:Badge xmlns:b='" + ns + "' e:mustUnderstand='1'><b:Token>HUSH</b:Token></b:Badge>";
    CHECK(world.post(envelope(v, body, header)).status == 200);
    auto& request = world.messages.back()["request"];
    CHECK(contains(request, "<b:How>x</b:How><b:Password>***</b:Password>"));
    CHECK(contains(request, "e:mustUnderstand=\"1\"><b:Token>***</b:Token>"));
  }
  check_hushed(world);
}

TEST_CASE("elements that no table lists are not shown", "[messages]") {
  soapsvc::dispatcher_options options;
  options.unknown_elements = soapsvc::unknown_elements::ignore;
  World world(options);
  for (const version v : both) {
    const std::string body = call(
        "Enter",
        "<!-- HUSH --><Pasword>HUSH</Pasword><x:T xmlns:x='urn:x' y='HUSH'>HUSH</x:T>"
        "<How z='HUSH' xmlns:q='urn:q' q:z='HUSH'>in</How><Person Card='HUSH'/>"
        "<Password xmlns:q='HUSH' q:r='HUSH'>HUSH</Password>");
    const std::string header =
        "<w:Security xmlns:w='urn:w' w:p='HUSH'><w:Password>HUSH</w:Password></w:Security>" +
        badge("<Tokn>HUSH</Tokn>");
    CHECK(world.post(envelope(v, body, header)).status == 200);
    auto& request = world.messages.back()["request"];
    CHECK(contains(request, "<Pasword>***</Pasword>"));
    CHECK(contains(request, "<w:Security xmlns:w=\"urn:w\">***</w:Security>"));
    world.post(envelope(v, call("Nothing", "<x xmlns='urn:x'>HUSH</x>")));
    CHECK(contains(world.messages.back()["request"], ">***</Nothing>"));
  }
  world.post(
      "<e:Envelope xmlns:e='" + envelope_ns(version::v1_1) + "'><e:Body>" + call("Enter", "") +
      "</e:Body><t:Trailer xmlns:t='urn:t'>HUSH</t:Trailer></e:Envelope>");
  CHECK(contains(world.messages.back()["request"], "<t:Trailer xmlns:t=\"urn:t\">***<"));
  check_hushed(world);
}

TEST_CASE("faults and incidents show no secrets", "[messages][incident][secret]") {
  World world;
  for (const version v : both) {
    for (const char* how : {"fault", "detail", "throw"}) {
      const auto response = world.post(envelope(
          v, call("Enter", "<How>" + std::string(how) + "</How><Password>HUSH</Password>")));
      CHECK(response.status >= 400);
      auto& message = world.messages.back();
      CHECK(contains(message["request"], "<Password>***</Password>"));
      CHECK(contains(message["response"], "Fault>"));
    }
    world.post(envelope(v, call("Enter", "<How>detail</How><Password>HUSH</Password>")));
    CHECK(contains(world.messages.back()["response"], "<Number>7</Number><Text>***</Text></Leak>"));
  }
  check_hushed(world);
}

TEST_CASE("refused requests show no secrets", "[messages][secret]") {
  World world;
  const std::string xsi = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'";
  const std::vector<std::string> contents = {
      "<Code>HUSH</Code>",
      "<Code>4711 HUSH</Code>",
      "<Password>a<HUSH/>b</Password>",
      "<Password><HUSH/></Password>",
      "<Password " + xsi + " xsi:nil='HUSH'/>",
      "<Password " + xsi + " xsi:nil='true'>HUSH</Password>",
      "<Password " + xsi + " xsi:type='HUSH'>x</Password>",
      "<Password href='HUSH'/>",
      "<Password>HUSH</Password><Password>HUSH</Password>",
      "<Password xmlns=''>HUSH</Password>",
      "<Person><Card>HUSH</Card></Person>",
      "<Person><Card><HUSH/></Card></Person>",
      "<Person><Card><Number>x</Number><HUSH>HUSH</HUSH></Card></Person>",
      "<Person><Card><Pin>HUSH</Pin></Card></Person>",
      "<Person><Card><Number xmlns='urn:HUSH'>x</Number></Card></Person>",
      "<Person><Card Number='HUSH'/></Person>",
      "<Person><Answer><a>HUSH</a></Answer></Person>",
      "<Person><Shown><Pin>HUSH</Pin></Shown></Person>",
      "HUSH<Password>x</Password>",
      "<Pasword>HUSH</Pasword>",
      "<How><a>HUSH</a></How>",
  };
  for (const version v : both) {
    for (const std::string& content : contents) {
      INFO(content);
      CHECK(world.post(envelope(v, call("Enter", content))).status >= 400);
    }
    for (const char* content : {"<Token><HUSH/></Token>", "HUSH", "<Tokn>HUSH</Tokn>"})
      CHECK(world.post(envelope(v, call("Enter", ""), badge(content))).status >= 400);
    CHECK(
        world.post(envelope(v, call("Enter", ""), badge("<Token>HUSH</Token>") + badge("")))
            .status >= 400);
  }
  check_hushed(world);
}

TEST_CASE("on_message gets only the size of an unknown request", "[messages]") {
  World world;
  for (const version v : both) {
    const std::string password = "<Password>HUSH</Password>";
    const std::vector<std::string> bodies = {
        "",
        "HUSH",
        envelope(v, call("Entr", password)),
        envelope(v, "<Enter>" + password + "</Enter>"),
        envelope(v, "HUSH" + call("Enter", password)).substr(0, 150),
        envelope(v, call("Enter", password)) + "HUSH",
        envelope(v, call("Enter", "<Password>HUSH</Passwort>")),
        envelope(v, call("Enter", "<Password>HUSH&HUSH;</Password>")),
        envelope(v, call("Enter", "<Password>HUSH & HUSH</Password>")),
        envelope(v, call("Enter", "<Password>HUSH<HUSH</Password>")),
        envelope(v, call("Enter", "<Password>HUSH\x01</Password>")),
        envelope(v, call("Enter", "<Password>HUSH\xff</Password>")),
        envelope(v, call("Enter", "<Password x=HUSH>HUSH</Password>")),
        envelope(v, call("Enter", "<HUSH:Password>x</HUSH:Password>")),
        "<!DOCTYPE HUSH [<!ENTITY HUSH 'HUSH'>]>" + envelope(v, call("Enter", password)),
        "<?HUSH HUSH?>" + envelope(v, call("Enter", password)),
        envelope(v, call("Enter", password), "HUSH"),
    };
    for (const std::string& body : bodies) {
      INFO(body);
      CHECK(world.post(body).status >= 400);
      auto& message = world.messages.back();
      CHECK(message["request"] == "(" + std::to_string(body.size()) + " bytes)");
      CHECK(message["response"].find_first_not_of("(0123456789 bytes)") == std::string::npos);
    }
  }
  check_hushed(world);
}

TEST_CASE("nothing is masked without on_message", "[messages]") {
  soapsvc::dispatcher quiet({.ns_base = "http://example.com/soap"});
  Vault service;
  quiet.add(service);
  const std::string body = envelope(version::v1_1, call("Enter", "<Password>x</Password>"));
  soapsvc::http_request request;
  request.target = "/soap/v3/Vault.asmx";
  const soapsvc::http_header type{"Content-Type", "text/xml"};
  request.headers = std::span(&type, 1);
  request.body = body;
  CHECK(contains(quiet.handle(request).body, "<EnterResult>token x</EnterResult>"));
}

// --- Pages ---------------------------------------------------------------------------------------

namespace {

soapsvc::http_response page(const std::string& text) {
  return {200, "text/plain", {{"X-Page", "1"}}, text};
}

}  // namespace

TEST_CASE("a page is served beside the services, to GET and HEAD", "[messages]") {
  World world;
  world.dispatcher.add_page("/status", [](const soapsvc::http_request& request) {
    return page(std::string(request.method) + " " + std::string(request.target));
  });
  world.dispatcher.add_page("deep/er", [](const auto&) { return page("deep"); });
  CHECK(world.send("GET", "/status?x=1").body == "GET /status?x=1");
  for (const char* other : {"/Status", "/STATUS", "/%73tatus", "//status", "/./status"})
    CHECK(world.send("GET", other).status == 404);
  CHECK(world.send("GET", "http://h/status").status == 200);
  CHECK(world.send("HEAD", "/status").headers.at(0).first == "X-Page");
  CHECK(world.send("GET", "/deep/er").body == "deep");
  CHECK(world.send("GET", "/status/").status == 404);
  const auto refused = world.send("POST", "/status");
  CHECK(refused.status == 405);
  CHECK(refused.headers.at(0) == std::pair<std::string, std::string>("Allow", "GET, HEAD"));
  CHECK(world.messages.empty());
}

TEST_CASE("a page for operators is there on their listener only, and no service", "[messages]") {
  World world;
  world.dispatcher.add_page(
      "/status", [](const auto&) { return page("mine"); }, soapsvc::listener_role::operators);
  world.dispatcher.add_page("/open", [](const auto&) { return page("yours"); });
  const auto status = [&](const char* target, soapsvc::listener_role listener) {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = target;
    request.listener = listener;
    return world.dispatcher.handle(request).status;
  };
  for (const char* target : {"/open", "/", "/soap/v3/Vault.asmx", "/soap/v3/Vault.asmx?wsdl"})
    CHECK(status(target, soapsvc::listener_role::everyone) == 200);
  CHECK(status("/status", soapsvc::listener_role::everyone) == 404);
  CHECK(status("/status", soapsvc::listener_role::operators) == 200);
  CHECK(status("/open", soapsvc::listener_role::operators) == 200);
  for (const char* target : {"/", "/soap/v3/Vault.asmx", "/soap/v3/Vault.asmx?wsdl"})
    CHECK(status(target, soapsvc::listener_role::operators) == 404);
  const std::string body = envelope(version::v1_1, call("Enter", "<Password>x</Password>"));
  soapsvc::http_request request;
  request.target = "/soap/v3/Vault.asmx";
  request.body = body;
  request.listener = soapsvc::listener_role::operators;
  CHECK(world.dispatcher.handle(request).status == 404);
  CHECK(world.messages.empty());
}

TEST_CASE("a page that throws is an incident", "[messages][incident]") {
  World world;
  world.dispatcher.add_page("/bad", [](const auto&) -> soapsvc::http_response {
    throw std::runtime_error("the disk is gone");
  });
  world.dispatcher.add_page("/odd", [](const auto&) -> soapsvc::http_response { throw 42; });
  for (const char* target : {"/bad", "/odd"}) {
    world.told.clear();
    const auto response = world.send("GET", target);
    CHECK(response.status == 500);
    CHECK_FALSE(contains(response.body, "disk"));
    REQUIRE(world.told.size() == 4);
    CHECK(world.told[1] == target);
    CHECK(contains(response.body, world.told[3]));  // the incident
  }
  CHECK(world.told[2] == "an exception that is not a std::exception");
}

TEST_CASE("a page cannot set the host's headers or begin another header", "[http][pages]") {
  std::string told;
  soapsvc::dispatcher_options options;
  options.on_error = [&](const soapsvc::error_report& what) { told = what.what; };
  soapsvc::dispatcher pages(options);
  soapsvc::http_response given;
  pages.add_page("/page", [&](const auto&) { return given; });
  const auto ask = [&](const soapsvc::http_response& answer) {
    given = answer;
    told.clear();
    soapsvc::http_request request;
    request.method = "GET";
    request.target = "/page";
    return pages.handle(request);
  };
  using fields = std::vector<std::pair<std::string, std::string>>;
  for (const auto& field : fields{
           {"Content-Length", "5"},
           {"content-length", "5"},
           {"Transfer-Encoding", "chunked"},
           {"TRANSFER-ENCODING", "identity"},
           {"Connection", "close"},
           {"Keep-Alive", "timeout=5"},
           {"Proxy-Connection", "close"},
           {"Content-Type", "text/html"},
           {"Trailer", "X"},
           {"Upgrade", "h2c"},
           {"Date", "today"},
           {"", "x"},
           {"X Y", "z"},
           {"X:", "z"},
           {"X\r\nY", "z"},
           {"X", "a\r\nContent-Length: 0"},
           {"X", "a\nY: b"},
           {"X", "a\r\n folded"},
           {"X", std::string(1, '\0')}}) {
    INFO(field.first << ": " << field.second);
    const auto response = ask({200, "text/plain", {field}, "x"});
    CHECK(response.status == 500);
    CHECK(response.headers == fields{{"X-Content-Type-Options", "nosniff"}});
    CHECK_THAT(told, Catch::StartsWith("soapsvc: a page: "));
  }
  for (const int status : {-1, 0, 99, 100, 101, 199, 600, 2000}) {
    INFO(status);
    CHECK(ask({status, "text/plain", {}, "x"}).status == 500);
    CHECK_THAT(told, Catch::Contains("the invalid status " + std::to_string(status)));
  }
  CHECK(ask({200, "text/plain\r\nX: y", {}, "x"}).status == 500);
  CHECK_THAT(told, Catch::Contains("content_type"));
  const fields own{
      {"Cache-Control", "no-store"},
      {"Content-Encoding", "gzip"},
      {"X-Request-Id", "7"},
      {"Access-Control-Allow-Origin", "*"},
      {"X-Content-Type-Options", "nosniff"},
      {"Set-Cookie", "a=b"}};
  const auto good = ask({204, "", own, ""});
  CHECK(good.status == 204);
  CHECK(good.headers == own);
  CHECK(told.empty());
}

TEST_CASE("a page's path is valid and unique", "[messages]") {
  World world;
  const auto answer = [](const auto&) { return page(""); };
  world.dispatcher.add_page("/status", answer);
  for (const char* taken : {"/status", "/STATUS", "status", "/soap/v3/vault.asmx", "/a?b", "/a b"})
    CHECK_THROWS_AS(world.dispatcher.add_page(taken, answer), std::invalid_argument);
  CHECK_THROWS_AS(world.dispatcher.add_page("/none", nullptr), std::invalid_argument);
  Vault other;
  CHECK_THROWS_AS(world.dispatcher.add(other, "/Status"), std::invalid_argument);
}
