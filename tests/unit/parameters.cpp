// Operations with methods that take the children of the request as parameters ([methods], [codec]).
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <catch2/catch.hpp>
#include <future>

struct Place {
  std::int32_t x{};
  friend bool operator==(const Place&, const Place&) = default;
};
template <> inline constexpr auto soapsvc::schema<Place> = record("Place", field("X", &Place::x));
struct Session {
  std::string id;
};
template <>
inline constexpr auto soapsvc::schema<Session> = record("Session", field("Id", &Session::id));

class Desk {
public:
  std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
  std::string join(
      const std::string& first,
      std::optional<std::string> then,
      const std::vector<Place>& places,
      const soapsvc::context& call) const {
    return first + then.value_or("-") + std::to_string(places.size()) + std::string(call.operation);
  }
  Place between(const Place& a, const Place& b, const soapsvc::header_blocks<Session>& blocks) {
    user = blocks.get<Session>().id;
    return {(a.x + b.x) / 2};
  }
  double half(double of) noexcept { return of / 2; }
  void note(const std::string& text) { noted = text; }
  std::int32_t less(std::int32_t a, std::int32_t b) { return a - b; }

  std::string user, noted;
};
template <>
inline constexpr auto soapsvc::schema<Desk> = service(
    "Desk",
    operation("Add", &Desk::add, parameters("a", "b"), doc("Adds.")),
    operation("Join", &Desk::join, parameters("First", "Then", "Place")),
    operation("Between", &Desk::between, parameters("A", "B")),
    operation("Half", &Desk::half, rpc, parameters("of")),
    operation(
        "Note", &Desk::note, one_way, parameters("Text"), request("Remark", ns("urn:remarks"))),
    operation("Less", &Desk::less, parameters("from", "less")));

/// The same request, as a struct.
struct Sum {
  std::int32_t a{}, b{};
};
template <>
inline constexpr auto soapsvc::schema<Sum> = record(field("a", &Sum::a), field("b", &Sum::b));
class SumDesk {
public:
  std::int32_t add(const Sum& sum) { return sum.a + sum.b; }
};
template <>
inline constexpr auto soapsvc::schema<SumDesk> =
    service("Desk", operation("Add", &SumDesk::add, doc("Adds.")));
class PlainDesk : Desk {
public:
  std::int32_t add(std::int32_t a, std::int32_t b) { return Desk::add(a, b); }
};
template <>
inline constexpr auto soapsvc::schema<PlainDesk> =
    service("Desk", operation("Add", &PlainDesk::add, parameters("a", "b"), doc("Adds.")));

namespace {

template <class Service> struct served {
  served() : services({.ns_base = "urn:test"}) { services.add(service); }
  std::string get(const std::string& query) const {
    soapsvc::http_request request;
    request.method = "GET";
    const std::string target = "/soap/v3/Desk.asmx" + query;
    request.target = target;
    return services.handle(request).body;
  }
  std::string post(const std::string& body) const {
    const soapsvc::http_header headers[]{{"Content-Type", "text/xml"}};
    const std::string message =
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>" + body +
        "</e:Body></e:Envelope>";
    soapsvc::http_request request;
    request.target = "/soap/v3/Desk.asmx";
    request.headers = headers;
    request.body = message;
    return services.handle(request).body;
  }
  Service service;
  soapsvc::dispatcher services;
};

}  // namespace

TEST_CASE("a client calls a method of plain parameters by its values", "[methods][parameters]") {
  served<Desk> desk;
  const soapsvc::client<Desk> client(desk.services);
  CHECK(client.call(&Desk::add, 1, 2) == 3);
  CHECK(client.call(&Desk::less, 1, 2) == -1);  // of the same type
  CHECK(client.call(&Desk::join, "a", std::nullopt, std::vector<Place>{{1}, {2}}) == "a-2Join");
  CHECK(client.call(&Desk::join, "a", "b", std::vector<Place>{}) == "ab0Join");
  CHECK(client.call(&Desk::half, 3.0) == 1.5);
  client.call(&Desk::note, "hear");
  CHECK(desk.service.noted == "hear");
}

TEST_CASE("an asynchronous call copies the text behind a pointer", "[client][async][parameters]") {
  served<Desk> desk;
  std::promise<void> opened;
  const std::shared_future<void> open = opened.get_future().share();
  const soapsvc::client<Desk> client(
      soapsvc::transport([&](soapsvc::http_request request) {
        open.wait();
        request.target = "/soap/v3/Desk.asmx";
        return desk.services.handle(request);
      }),
      {.ns_base = "urn:test", .max_async_threads = 1});
  const auto first = client.call_async(&Desk::half, 3.0);  // takes the thread
  std::string text = "kept";
  const auto then =
      client.call_async(&Desk::join, text.c_str(), std::nullopt, std::vector<Place>{});
  text = "lost";
  opened.set_value();
  CHECK(first.get() == 1.5);
  CHECK(then.get() == "kept-0Join");
}

TEST_CASE("header blocks come after the parameters", "[methods][parameters][header]") {
  served<Desk> desk;
  const soapsvc::client<Desk> client(desk.services);
  const soapsvc::header_blocks<Session> blocks(Session{"ann"});
  CHECK(client.call(&Desk::between, Place{2}, Place{4}, blocks) == Place{3});
  CHECK(desk.service.user == "ann");
  CHECK(client.call(&Desk::between, Place{2}, Place{6}, Session{"bob"}) == Place{4});
  CHECK(desk.service.user == "bob");
}

TEST_CASE("parameters have the same XML as fields of a struct", "[methods][parameters]") {
  const served<PlainDesk> plain;
  const served<SumDesk> of_struct;
  for (const char* query : {"?wsdl", "", "?op=Add"}) {
    INFO(query);
    CHECK(plain.get(query) == of_struct.get(query));
  }
  for (const char* body :
       {"<Add xmlns='urn:test/Desk'><b>2</b><a>1</a></Add>",
        "<Add xmlns='urn:test/Desk'><a>1</a></Add>",
        "<Add xmlns='urn:test/Desk'><a>1</a><b>x</b></Add>",
        "<Add xmlns='urn:test/Desk'><a>1</a><b>1</b><c/></Add>"}) {
    INFO(body);
    CHECK(plain.post(body) == of_struct.post(body));
  }
  CHECK_THAT(
      plain.post("<Add xmlns='urn:test/Desk'><a>1</a></Add>"),
      Catch::Contains("Add/b: is missing; a value is required"));
}

TEST_CASE("parameters are in the namespace of the request's element", "[methods][parameters]") {
  served<Desk> desk;
  desk.post("<Remark xmlns='urn:remarks'><Text>here</Text></Remark>");
  CHECK(desk.service.noted == "here");
  CHECK_THAT(desk.get("?wsdl"), Catch::Contains("<wsdl:part name=\"of\" type=\"s:double\" />"));
}
