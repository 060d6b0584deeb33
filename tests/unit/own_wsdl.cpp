// A WSDL that a service began with ([description]): read and checked by `add`, served as it is.
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

using Catch::Matchers::Contains;

constexpr const char* file = "own_wsdl_test.wsdl";

struct Quote {
  std::string symbol;
};
template <>
inline constexpr auto soapsvc::schema<Quote> = record("Quote", field("Symbol", &Quote::symbol));
struct Trace {
  std::string id;
};
template <> inline constexpr auto soapsvc::schema<Trace> = record("Trace", field("Id", &Trace::id));

class Quotes {
public:
  std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
  Quote get(const Quote& of, const soapsvc::header_blocks<Trace>&) { return of; }
  void stop() {}
};
template <>
inline constexpr auto soapsvc::schema<Quotes> = service(
    "Quotes",
    ns("urn:quotes"),
    path("/quotes"),
    serve_wsdl(file),
    operation("Add", &Quotes::add, parameters("a", "b"), rpc),
    operation("Get", &Quotes::get, bare, response("Answer", ns("urn:more"))),
    operation("Stop", &Quotes::stop, one_way));

/// The same without a WSDL of its own.
class Plain : public Quotes {
public:
  std::int32_t add(std::int32_t a, std::int32_t b) { return a + b; }
  Quote get(const Quote& of, const soapsvc::header_blocks<Trace>&) { return of; }
  void stop() {}
};
template <>
inline constexpr auto soapsvc::schema<Plain> = service(
    "Quotes",
    ns("urn:quotes"),
    path("/quotes"),
    operation("Add", &Plain::add, parameters("a", "b"), rpc),
    operation("Get", &Plain::get, bare, response("Answer", ns("urn:more"))),
    operation("Stop", &Plain::stop, one_way));

namespace {

template <class Service>
std::string wsdl_of(
    const std::string& method = "GET",
    const std::string& host = "h.example",
    soapsvc::dispatcher_options options = {}) {
  Service service;
  soapsvc::dispatcher services(std::move(options));
  services.add(service);
  const std::vector<soapsvc::http_header> headers{{"Host", host}};
  soapsvc::http_request request;
  request.method = method;
  request.target = "/quotes?wsdl";
  request.headers = headers;
  return services.handle(request).body;
}

void put(const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

/// Why `add` refuses the text; "added" if not.
std::string refusal(const std::string& text) {
  put(text);
  Quotes quotes;
  soapsvc::dispatcher services;
  try {
    services.add(quotes);
  } catch (const std::invalid_argument& error) {
    CHECK_THAT(
        error.what(), Catch::StartsWith("soapsvc: own_wsdl_test.wsdl, the WSDL of Quotes, "));
    return error.what();
  }
  return "added";
}

struct removed_at_end {
  ~removed_at_end() { std::remove(file); }
};

}  // namespace

TEST_CASE("a service serves the WSDL that it began with", "[wsdl][serve_wsdl]") {
  const removed_at_end end;
  const std::string made = wsdl_of<Plain>();
  put(made);
  CHECK(wsdl_of<Quotes>() == made);
  CHECK_THAT(wsdl_of<Quotes>("GET", "other:81"), Contains("location=\"http://other:81/quotes\""));
  CHECK_THAT(
      wsdl_of<Quotes>("GET", "q.example", {.public_url = "https://q.example/a&b"}),
      Contains("location=\"https://q.example/a&amp;b/quotes\"") && !Contains("\"http://q"));
  // What no table says stays: comments, documentation, line ends, other attributes.
  const std::string written = replaced(
      replaced(
          replaced(made, "<wsdl:types>", "<!-- \xC3\xA9 --><wsdl:types>\r\n"),
          "<wsdl:definitions ",
          "<!-- ours -->\r\n<wsdl:definitions "),
      "<soap:address location=\"http://h.example/quotes\" />",
      "<so:address xmlns:so='http://schemas.xmlsoap.org/wsdl/soap/' location = 'http://old/' "
      "wsdl:required='true'></so:address>");
  put(written);
  CHECK(
      wsdl_of<Quotes>() ==
      replaced(
          written,
          "xmlns:so='http://schemas.xmlsoap.org/wsdl/soap/' location = 'http://old/' "
          "wsdl:required='true'></so:address>",
          "xmlns:so=\"http://schemas.xmlsoap.org/wsdl/soap/\" wsdl:required=\"true\" "
          "location=\"http://h.example/quotes\" />"));
}

TEST_CASE("a WSDL that is not the table's is refused by add", "[wsdl][serve_wsdl]") {
  const removed_at_end end;
  std::remove(file);
  {
    Quotes quotes;
    soapsvc::dispatcher services;
    CHECK_THROWS_WITH(
        services.add(quotes), "soapsvc: own_wsdl_test.wsdl, the WSDL of Quotes, cannot be opened");
  }
  const std::string made = wsdl_of<Plain>();
  const auto change = [&](const std::string& from, const std::string& to) {
    return refusal(replaced(made, from, to));
  };
  CHECK(change("<wsdl:types>", "<wsdl:types>\n") == "added");
  // In another order it says the same, also of the operation that has no response.
  const std::size_t first = made.find("  <wsdl:message "),
                    next = made.find("  <wsdl:message ", first + 1);
  const std::string message = made.substr(first, next - first);
  std::string moved = replaced(made, message, "");
  moved.insert(moved.find("  <wsdl:portType "), message);
  CHECK(refusal(moved) == "added");
  CHECK_THAT(
      change("soapAction=\"urn:quotes/Get\"", "soapAction=\"urn:get\""),
      Contains("has an operation that is not in the table: Get with action 'urn:get', request "
               "{urn:quotes}Get, response {urn:more}Answer"));
  CHECK_THAT(
      change("element=\"q1:Answer\"", "element=\"tns:Answer\""),
      Contains("response {urn:quotes}Answer, an element that no schema of the file declares; the "
               "table has Get with action 'urn:quotes/Get', request {urn:quotes}Get, response "
               "{urn:more}Answer"));
  CHECK_THAT(
      change("<s:element name=\"Get\"", "<s:element name=\"Got\""),
      Contains("request {urn:quotes}Get, an element that no schema of the file declares, response "
               "{urn:more}Answer; the table has Get with"));
  CHECK_THAT(change("name=\"a\" type=\"s:int\"", "name=\"A\" type=\"s:int\""), Contains("rpc in"));
  CHECK_THAT(
      change("<wsdl:types>", "<wsdl:import namespace='urn:x' location='x.wsdl' /><wsdl:types>"),
      Contains("imports x.wsdl, which is not served; put all into one file"));
  for (const char* row : {"include", "import namespace='urn:x'", "redefine"})
    CHECK_THAT(
        change("<s:element", "<s:" + std::string(row) + " schemaLocation='x.xsd' /><s:element"),
        Contains("imports x.xsd, which is not served"));
  CHECK(
      change(
          "<s:element",
          "<s:import namespace='urn:x' schemaLocation='http://example.com/x.xsd' /><s:element") ==
      "added");
  CHECK_THAT(refusal("<a xmlns='urn:x'/>"), Contains("Quotes, has no wsdl:definitions"));
  CHECK_THAT(refusal(""), Contains("is not read: "));
  CHECK_THAT(refusal("<!DOCTYPE a><a/>"), Contains("is not read: "));
  CHECK_THAT(
      refusal("<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'/>"),
      Contains("has no soap:address"));
  CHECK_THAT(
      refusal("<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'>"
              "<address xmlns='http://schemas.xmlsoap.org/wsdl/soap/'/></definitions>"),
      Contains("lacks an operation of the table: Add with action 'urn:quotes/Add', request rpc "
               "in urn:quotes a {http://www.w3.org/2001/XMLSchema}int b "));
}
