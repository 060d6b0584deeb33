// [S12] Client: typed calls over a socket and straight into a dispatcher.
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

/// Every kind of call, whatever carries it.
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
    try {
        desk.call(&Desk::fail, Greet{"x", {}});
        FAIL("no fault was thrown");
    } catch (const soapsvc::fault& refused) {
        CHECK(refused.code() == soapsvc::fault_code::client);
        CHECK(refused.reason() == "no & <never>");
        CHECK(refused.status() == (version == soap_version::v1_1 ? 500 : 400));
        CHECK(refused.subcode() == (version == soap_version::v1_1 ? "" : "Seven"));
        const auto detail = soapsvc::read_detail<Wrong>(refused);
        REQUIRE(detail);
        CHECK(detail->code == 7);
        CHECK(detail->message == "seven");
        CHECK_FALSE(soapsvc::read_detail<Item>(refused));
    }
    try {
        desk.call(&Desk::fail, Greet{"plain", {}});
        FAIL("no fault was thrown");
    } catch (const soapsvc::fault& refused) {
        CHECK(refused.code() == soapsvc::fault_code::server);
        CHECK_THAT(refused.reason(), !Catch::Contains("secret"));
        CHECK_FALSE(soapsvc::read_detail<Wrong>(refused));
    }
    CHECK_THROWS_AS(desk.call(&Desk::unlisted), std::invalid_argument);
}

/// A transport that answers the same to every request, and remembers the last one.
struct canned {
    soapsvc::http_reply reply;
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
            return what->reply;
        },
        options);
}

std::string envelope11(const std::string& body) {
    return "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>" + body +
           "</e:Body></e:Envelope>";
}

}  // namespace

TEST_CASE("a client calls a dispatcher without a socket", "[client]") {
    Desk desk;
    soapsvc::dispatcher services{{.ns_base = "http://example.com"}};
    services.add(desk);
    const auto version = GENERATE(soap_version::v1_1, soap_version::v1_2);
    soapsvc::client<Desk> client(services, {.version = version});
    check_calls(client, version);
}

TEST_CASE("a client calls a host over one kept-alive connection", "[client]") {
    Desk desk;
    soapsvc::host host{{.ns_base = "http://example.com"}};
    host.add(desk);
    const int port = host.bind("127.0.0.1", 0);
    std::thread serving([&] { host.serve(); });
    for (const auto version : {soap_version::v1_1, soap_version::v1_2}) {
        soapsvc::client<Desk> client(
            "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Desk.asmx",
            {.ns_base = "http://example.com", .version = version});
        check_calls(client, version);
    }
#ifndef SOAPSVC_STOCK_HOST  // which has no statistics
    CHECK(host.statistics().accepted == 2);
#endif
    host.stop();
    serving.join();
}

TEST_CASE("methods may be pure virtual, so that a caller links no service", "[client]") {
    Near service;
    soapsvc::dispatcher services{{.ns_base = "urn:x"}};
    services.add<Remote>(service);
    soapsvc::client<Remote> client{services};
    CHECK(client.call(&Remote::greet, Greet{"Ada", {}}) == "Hello, Ada");
    CHECK(client.call(&Remote::leave, Greet{"Ada", {}}) == "Goodbye, Ada");
}

TEST_CASE("a request says its action as its version does", "[client]") {
    const auto wire = std::make_shared<canned>();
    wire->reply.body =
        envelope11("<GreetResponse xmlns='urn:x/Desk'><GreetResult/></GreetResponse>");
    client_of(wire, soap_version::v1_1).call(&Desk::greet, Greet{"a", {}});
    CHECK(
        wire->headers == std::vector<std::pair<std::string, std::string>>{
                             {"Content-Type", "text/xml; charset=utf-8"},
                             {"SOAPAction", "\"urn:x/Desk/Greet\""},
                             {"X-Mine", "yes"}});
    CHECK_THAT(
        wire->body,
        Catch::Contains(
            "<soap:Body><Greet xmlns=\"urn:x/Desk\"><Name>a</Name></Greet></soap:Body>"));
    client_of(wire, soap_version::v1_2).call(&Desk::greet, Greet{"a", {}});
    CHECK(
        wire->headers.front().second ==
        "application/soap+xml; charset=utf-8; action=\"urn:x/Desk/Greet\"");
}

TEST_CASE("what is no SOAP reply is a transport error that says so", "[client]") {
    const auto wire = std::make_shared<canned>();
    wire->reply.status = 502;
    for (const std::string& body :
         {std::string("<html>Bad Gateway</html>"),
          std::string(),
          std::string("no XML"),
          envelope11("<Other xmlns='urn:x/Desk'/>"),
          envelope11("")}) {
        wire->reply.body = body;
        INFO(body);
        CHECK_THROWS_AS(
            client_of(wire, soap_version::v1_1).call(&Desk::numbers), soapsvc::transport_error);
    }
    wire->reply.body = "no XML";
    CHECK_THROWS_WITH(
        client_of(wire, soap_version::v1_1).call(&Desk::numbers), Catch::Contains("HTTP 502"));
}

TEST_CASE("a value that a reply should not hold is an error with its path", "[client]") {
    const auto wire = std::make_shared<canned>();
    wire->reply.body = envelope11(
        "<NumbersResponse xmlns='urn:x/Desk'><NumbersResult><int>1</int><int>x</int>"
        "</NumbersResult></NumbersResponse>");
    CHECK_THROWS_WITH(
        client_of(wire, soap_version::v1_1).call(&Desk::numbers),
        Catch::Contains("NumbersResult/int[2]: 'x' is not"));
}

TEST_CASE("a server that is not there is named", "[client]") {
    soapsvc::client<Desk> client("http://127.0.0.1:1/x", {.ns_base = "urn:x"});
    CHECK_THROWS_WITH(client.call(&Desk::numbers), Catch::Contains("http://127.0.0.1:1"));
    CHECK_THROWS_AS(
        soapsvc::client<Desk>("http://127.0.0.1:1/x", soapsvc::client_options{}),
        std::invalid_argument);
}
