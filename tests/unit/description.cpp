// [description]: WSDL 1.1 and pages from the tables. Written from rule 9 of tests/README.md, the
// WSDL 1.1 note and its binding for SOAP 1.2. golden.cpp compares the example's WSDLs with the
// original ones.
#include "../support.hpp"

#if __has_include(<openssl/sha.h>)  // not where there is no host
#include <openssl/sha.h>
#endif
#include <catch2/catch.hpp>

// --- Services that show one thing each -----------------------------------------------------------

/// One member of every type.
struct Everything {
  bool flag{};
  std::int8_t i8{};
  std::int16_t i16{};
  std::int32_t i32{};
  std::int64_t i64{};
  std::uint8_t u8{};
  std::uint16_t u16{};
  std::uint32_t u32{};
  std::uint64_t u64{};
  float single{};
  double twice{};
  std::string text;
  soapsvc::binary bytes;
  soapsvc::date day{};
  soapsvc::date_time moment{};
  soapsvc::decimal amount{};
  soapsvc::integer count;
  soapsvc::time at;
  soapsvc::duration length;
  soapsvc::g_year year;
  soapsvc::g_year_month period;
  soapsvc::g_month month;
  soapsvc::g_month_day birthday;
  soapsvc::g_day payday;
  soapsvc::hex_binary digest;
  Colour colour{};
  std::optional<double> maybe;
  std::vector<std::string> words;
};
template <>
inline constexpr auto soapsvc::schema<Everything> = record(
    "Everything",
    field("Flag", &Everything::flag),
    field("I8", &Everything::i8),
    field("I16", &Everything::i16),
    field("I32", &Everything::i32, default_if_absent),
    field("I64", &Everything::i64),
    field("U8", &Everything::u8),
    field("U16", &Everything::u16),
    field("U32", &Everything::u32),
    field("U64", &Everything::u64),
    field("Single", &Everything::single),
    field("Twice", &Everything::twice),
    field("Text", &Everything::text),
    field("Bytes", &Everything::bytes),
    field("Day", &Everything::day),
    field("Moment", &Everything::moment),
    field("Amount", &Everything::amount),
    field("Count", &Everything::count),
    field("At", &Everything::at),
    field("Length", &Everything::length),
    field("Year", &Everything::year),
    field("Period", &Everything::period),
    field("Month", &Everything::month),
    field("Birthday", &Everything::birthday),
    field("Payday", &Everything::payday),
    field("Digest", &Everything::digest),
    field("Colour", &Everything::colour),
    field("Maybe", &Everything::maybe),
    field("Words", &Everything::words));

/// A struct that contains itself.
struct Folder {
  std::string name;
  std::vector<Folder> folders;
};
template <>
inline constexpr auto soapsvc::schema<Folder> =
    record("Folder", field("Name", &Folder::name), field("Folder", &Folder::folders));

/// A request with a child that is a header block elsewhere.
struct Sessions {
  Session session;
};
template <>
inline constexpr auto soapsvc::schema<Sessions> = record(field("Session", &Sessions::session));

class Types {
public:
  Everything everything(const soapsvc::context&) { return {}; }
  std::vector<Everything> all() { return {}; }
  std::vector<std::string> strings() { return {"a", ""}; }
  std::vector<Colour> colours() { return {Colour::red}; }
  std::vector<soapsvc::binary> blobs() { return {}; }
  std::optional<std::int32_t> maybe() { return std::nullopt; }
  std::optional<Folder> tree() { return Folder{"a", {Folder{"b", {}}}}; }
  void log_in(const Sessions&) {}
  void stay(const soapsvc::nothing&, const Session&) {}
};
template <>
inline constexpr auto soapsvc::schema<Types> = service(
    "Types",
    operation("Everything_Get", &Types::everything),
    operation("All", &Types::all),
    operation("Strings", &Types::strings),
    operation("Colours", &Types::colours),
    operation("Blobs", &Types::blobs),
    operation("Maybe", &Types::maybe),
    operation("Tree", &Types::tree),
    operation("LogIn", &Types::log_in),
    operation("Stay", &Types::stay));

/// Has the name of another type.
struct OtherSize {
  std::int32_t litres{};
};
template <>
inline constexpr auto soapsvc::schema<OtherSize> =
    record("Size", field("Litres", &OtherSize::litres));

class TwoSizes {
public:
  Size one() { return {}; }
  OtherSize other() { return {}; }
};
template <>
inline constexpr auto soapsvc::schema<TwoSizes> =
    service("TwoSizes", operation("One", &TwoSizes::one), operation("Other", &TwoSizes::other));

/// A header block with the name of an operation.
struct Ping {
  std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<Ping> = record("Ping", field("Text", &Ping::text));

/// A type with the name of a response element.
struct PingResponse {
  std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<PingResponse> =
    record("PingResponse", field("Text", &PingResponse::text));

struct Auth {
  std::optional<std::string> token;
};
template <>
inline constexpr auto soapsvc::schema<Auth> = record("Auth", field("Token", &Auth::token));

struct OtherAuth {
  std::optional<std::int32_t> number;
};
template <>
inline constexpr auto soapsvc::schema<OtherAuth> =
    record("Auth", field("Number", &OtherAuth::number));

struct UserAuth {
  std::optional<std::string> token;
};
template <>
inline constexpr auto soapsvc::schema<UserAuth> =
    record("UserAuth", field("Token", &UserAuth::token));

struct SoapIn {
  std::optional<std::string> token;
};
template <>
inline constexpr auto soapsvc::schema<SoapIn> = record("SoapIn", field("Token", &SoapIn::token));

class HeaderLikeOperation {
public:
  void ping() {}
  void pong(const soapsvc::nothing&, const Ping&) {}
};
template <>
inline constexpr auto soapsvc::schema<HeaderLikeOperation> = service(
    "HeaderLikeOperation",
    operation("Pong", &HeaderLikeOperation::pong),
    operation("Ping", &HeaderLikeOperation::ping));

class HeaderLikeResponse {
public:
  void ping(const soapsvc::nothing&, const PingResponse&) {}
};
template <>
inline constexpr auto soapsvc::schema<HeaderLikeResponse> =
    service("HeaderLikeResponse", operation("Ping", &HeaderLikeResponse::ping));

class TwoHeaders {
public:
  void one(const soapsvc::nothing&, const Auth&) {}
  void other(const soapsvc::nothing&, const OtherAuth&) {}
};
template <>
inline constexpr auto soapsvc::schema<TwoHeaders> = service(
    "TwoHeaders", operation("One", &TwoHeaders::one), operation("Other", &TwoHeaders::other));

/// Similar names of different kinds of components.
class Alike {
public:
  void get(const soapsvc::nothing&, const UserAuth&) {}
  void get_user(const soapsvc::nothing&, const Auth&) {}
  void again(const soapsvc::nothing&, const std::optional<Auth>&) {}
  void get_soap(const soapsvc::nothing&, const SoapIn&) {}
  std::optional<PingResponse> ping() { return std::nullopt; }
  std::optional<Ping> pings() { return std::nullopt; }
};
template <>
inline constexpr auto soapsvc::schema<Alike> = service(
    "Alike",
    operation("Get", &Alike::get),
    operation("GetUser", &Alike::get_user),
    operation("Again", &Alike::again),
    operation("GetUserAuth", &Alike::get_soap),
    operation("Ping", &Alike::ping),
    operation("Pings", &Alike::pings));

class Undocumented {
public:
  void ping() {}
};
template <>
inline constexpr auto soapsvc::schema<Undocumented> =
    service("Undocumented", operation("Ping", &Undocumented::ping));

class Misdocumented {
public:
  void ping() {}
};
template <>
inline constexpr auto soapsvc::schema<Misdocumented> =
    service("Misdocumented", operation("Ping", &Misdocumented::ping, doc("bell: \x07")));

using namespace support;

namespace {

const std::string wsdl = "{http://schemas.xmlsoap.org/wsdl/}";
const std::string soap = "{http://schemas.xmlsoap.org/wsdl/soap/}";
const std::string soap12 = "{http://schemas.xmlsoap.org/wsdl/soap12/}";
const std::string s = "{http://www.w3.org/2001/XMLSchema}";

template <class Service>
std::string wsdl_of(Service& served, soapsvc::dispatcher_options options = {}) {
  options.ns_base = base;
  soapsvc::dispatcher dispatcher(std::move(options));
  dispatcher.add(served, "/x");
  soapsvc::http_request request;
  request.method = "GET";
  request.target = "/x?wsdl";
  return dispatcher.handle(request).body;
}

std::string shop_wsdl() {
  Shop shop;
  return wsdl_of(shop);
}

/// The canonical form of one of the WSDL's elements, from its start to before `end`.
std::string part_of(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "(none)";
  return text.substr(from, text.find(end, from + begin.size()) - from);
}

/// A line of a schema: an element of a sequence.
std::string element(
    const std::string& name,
    const std::string& type,
    const std::string& least,
    const std::string& most,
    const std::string& more = "") {
  return s + "element maxOccurs='" + most + "' minOccurs='" + least + "' name='" + name + "'" +
         more + " type='" + type + "'\n";
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE(
    "the WSDL is valid against the schemas of WSDL 1.1 and its SOAP bindings",
    "[description][rule-9][wsdl]") {
  Shop shop;
  Types types;
  Undocumented undocumented;
  soapsvc::dispatcher_options options;
  options.public_url = "https://example.com/a&b<c>'d\"";
  const std::vector<std::string> all = {
      wsdl_of(shop), wsdl_of(types), wsdl_of(undocumented), wsdl_of(shop, options)};
  CHECK(schema_errors("tests/schemas/wsdl-all.xsd", all).empty());
  CHECK_FALSE(schema_errors("tests/schemas/wsdl-all.xsd", {"<definitions/>"}).empty());
}

TEST_CASE(
    "the WSDL has two ports at one address, and a binding for each",
    "[description][rule-9][wsdl]") {
  const std::string text = canonical(shop_wsdl());
  const std::string tns = "{" + ns + "}";
  CHECK(
      part_of(text, "  " + wsdl + "service", "nothing") ==
      "  " + wsdl +
          "service name='Shop'\n"
          "    " +
          wsdl +
          "documentation \"Sells <things> & more.\"\n"
          "    " +
          wsdl + "port binding='" + tns +
          "ShopSoap' name='ShopSoap'\n"
          "      " +
          soap +
          "address location='http://localhost/x'\n"
          "    " +
          wsdl + "port binding='" + tns +
          "ShopSoap12' name='ShopSoap12'\n"
          "      " +
          soap12 + "address location='http://localhost/x'\n");
  for (const auto& [extension, suffix] : {std::pair(soap, "Soap"), std::pair(soap12, "Soap12")}) {
    const std::string binding =
        part_of(text, "  " + wsdl + "binding name='Shop" + suffix + "'", "\n  {");
    CHECK(contains(binding, "type='" + tns + "ShopSoap'"));
    CHECK(
        contains(binding, extension + "binding transport='http://schemas.xmlsoap.org/soap/http'"));
    CHECK(count_of(binding, extension + "operation soapAction='" + ns + "/") == 12);
    CHECK(count_of(binding, "style='document'") == 12);
    CHECK(count_of(binding, extension + "body use='literal'") == 24);
    CHECK(count_of(binding, extension + "header message=") == 2);
    CHECK(contains(
        binding,
        extension + "header message='" + tns +
            "PutSession' part='Session' "
            "use='literal'"));
    CHECK(contains(binding, extension + "operation soapAction='" + ns + "/Add' style='document'"));
  }
}

TEST_CASE(
    "messages have one part called parameters, header messages one called as the header",
    "[description][rule-9]") {
  const std::string text = canonical(shop_wsdl());
  const std::string tns = "{" + ns + "}";
  CHECK(
      part_of(text, "  " + wsdl + "message name='Put", "  " + wsdl + "message name='Who") ==
      "  " + wsdl +
          "message name='PutSoapIn'\n"
          "    " +
          wsdl + "part element='" + tns +
          "Put' name='parameters'\n"
          "  " +
          wsdl +
          "message name='PutSoapOut'\n"
          "    " +
          wsdl + "part element='" + tns +
          "PutResponse' name='parameters'\n"
          "  " +
          wsdl +
          "message name='PutSession'\n"
          "    " +
          wsdl + "part element='" + tns + "Session' name='Session'\n");
  CHECK(count_of(text, wsdl + "message name=") == 12 * 2 + 2);
}

TEST_CASE(
    "operations are documented, and deprecated operations begin with that",
    "[description][rule-9]") {
  const std::string text = canonical(shop_wsdl());
  const std::string tns = "{" + ns + "}";
  CHECK(contains(
      text,
      "operation name='Add'\n      " + wsdl +
          "documentation \"Adds two numbers.\"\n"
          "      " +
          wsdl + "input message='" + tns +
          "AddSoapIn'\n"
          "      " +
          wsdl + "output message='" + tns + "AddSoapOut'\n"));
  CHECK(contains(text, wsdl + "documentation \"Deprecated. As Add.\""));
  CHECK(contains(text, "operation name='Echo'\n      " + wsdl + "input"));
  Undocumented undocumented;
  CHECK_FALSE(contains(wsdl_of(undocumented), "documentation"));
}

TEST_CASE("the schema of a service is qualified and in its namespace", "[description][rule-9]") {
  const std::string text = canonical(shop_wsdl());
  CHECK(contains(text, s + "schema elementFormDefault='qualified' targetNamespace='" + ns + "'\n"));
  CHECK(contains(text, wsdl + "definitions targetNamespace='" + ns + "'\n"));
}

TEST_CASE(
    "requests, results, lists and headers have the shape that clients know",
    "[description][rule-9]") {
  const std::string text = canonical(shop_wsdl());
  const std::string tns = "{" + ns + "}";
  const std::string sequence = "        " + s + "complexType\n          " + s + "sequence\n";
  const std::string deep = "            ";
  const auto operation = [&](const std::string& name) {
    return part_of(text, "      " + s + "element name='" + name + "'", "\n      {") + '\n';
  };
  CHECK(
      operation("Add") == "      " + s + "element name='Add'\n" + sequence + deep +
                              element("A", s + "int", "1", "1") + deep +
                              element("B", s + "int", "1", "1"));
  CHECK(
      operation("EchoResponse") == "      " + s + "element name='EchoResponse'\n" + sequence +
                                       deep + element("EchoResult", s + "string", "0", "1"));
  CHECK(operation("Ping") == "      " + s + "element name='Ping'\n        " + s + "complexType\n");
  CHECK(
      operation("PingResponse") ==
      "      " + s + "element name='PingResponse'\n        " + s + "complexType\n");
  CHECK(
      operation("ListResponse") == "      " + s + "element name='ListResponse'\n" + sequence +
                                       deep + element("ListResult", tns + "ArrayOfItem", "0", "1"));
  CHECK(
      part_of(text, "      " + s + "complexType name='ArrayOfItem'", "\n      " + s + "element") ==
      "      " + s + "complexType name='ArrayOfItem'\n        " + s + "sequence\n          " + s +
          "element maxOccurs='unbounded' minOccurs='0' name='Item' nillable='true' type='" + tns +
          "Item'");
  CHECK(contains(
      text,
      s + "complexType name='ArrayOfInt'\n        " + s + "sequence\n          " +
          element("int", s + "int", "0", "unbounded")));
}

TEST_CASE("types are in the order of their first use, each once", "[description][rule-9]") {
  const std::string text = canonical(shop_wsdl());
  std::vector<std::string> named;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string begin = "      " + s;
    if (line.rfind(begin, 0) == 0) named.push_back(line.substr(begin.size()));
  }
  const std::string tns = "{" + ns + "}";
  const std::vector<std::string> expected = {
      "element name='Add'",
      "element name='AddResponse'",
      "element name='OldAdd'",
      "element name='OldAddResponse'",
      "element name='Echo'",
      "element name='EchoResponse'",
      "element name='Put'",
      "element name='PutResponse'",
      "complexType name='Item'",
      "simpleType name='Colour'",
      "complexType name='Size'",
      "element name='Session' type='" + tns + "Session'",
      "complexType name='Session'",
      "element name='Who'",
      "element name='WhoResponse'",
      "element name='List'",
      "element name='ListResponse'",
      "complexType name='ArrayOfItem'",
      "element name='Numbers'",
      "element name='NumbersResponse'",
      "complexType name='ArrayOfInt'",
      "element name='Ping'",
      "element name='PingResponse'",
      "element name='Find'",
      "element name='FindResponse'",
      "element name='About'",
      "element name='AboutResponse'",
      "element name='Fail'",
      "element name='FailResponse'",
      "element name='Nest'",
      "element name='NestResponse'"};
  std::vector<std::string> top;
  for (const std::string& line : named)
    if (line.rfind("  ", 0) != 0) top.push_back(line);
  CHECK(top == expected);
}

TEST_CASE("every type has its XML Schema type", "[description][rule-9]") {
  Types types;
  const std::string text = canonical(wsdl_of(types));
  const std::string tns = "{" + base + "/Types}";
  const std::string in = "          ";
  CHECK(contains(
      text,
      "complexType name='Everything'\n        " + s + "sequence\n" + in +
          element("Flag", s + "boolean", "1", "1") + in + element("I8", s + "byte", "1", "1") + in +
          element("I16", s + "short", "1", "1") + in + element("I32", s + "int", "1", "1") + in +
          element("I64", s + "long", "1", "1") + in + element("U8", s + "unsignedByte", "1", "1") +
          in + element("U16", s + "unsignedShort", "1", "1") + in +
          element("U32", s + "unsignedInt", "1", "1") + in +
          element("U64", s + "unsignedLong", "1", "1") + in +
          element("Single", s + "float", "1", "1") + in + element("Twice", s + "double", "1", "1") +
          in + element("Text", s + "string", "1", "1") + in +
          element("Bytes", s + "base64Binary", "1", "1") + in +
          element("Day", s + "date", "1", "1") + in + element("Moment", s + "dateTime", "1", "1") +
          in + element("Amount", s + "decimal", "1", "1") + in +
          element("Count", s + "integer", "1", "1") + in + element("At", s + "time", "1", "1") +
          in + element("Length", s + "duration", "1", "1") + in +
          element("Year", s + "gYear", "1", "1") + in +
          element("Period", s + "gYearMonth", "1", "1") + in +
          element("Month", s + "gMonth", "1", "1") + in +
          element("Birthday", s + "gMonthDay", "1", "1") + in +
          element("Payday", s + "gDay", "1", "1") + in +
          element("Digest", s + "hexBinary", "1", "1") + in +
          element("Colour", tns + "Colour", "1", "1") + in +
          element("Maybe", s + "double", "0", "1") + in +
          element("Words", s + "string", "0", "unbounded")));
  CHECK(contains(
      text,
      "simpleType name='Colour'\n        " + s + "restriction base='" + s + "string'\n          " +
          s + "enumeration value='Red'\n          " + s + "enumeration value='DarkBlue'\n"));
  CHECK(contains(text, "name='string' nillable='true' type='" + s + "string'"));
  CHECK(contains(text, "name='base64Binary' nillable='true' type='" + s + "base64Binary'"));
  CHECK(contains(text, "complexType name='ArrayOfBase64Binary'"));
  CHECK(contains(text, element("Colour", tns + "Colour", "0", "unbounded")));
  CHECK(contains(text, element("MaybeResult", s + "int", "0", "1")));
  CHECK(contains(text, element("TreeResult", tns + "Folder", "0", "1")));
  CHECK(contains(text, element("Folder", tns + "Folder", "0", "unbounded")));
  CHECK(contains(text, element("Everything_GetResult", tns + "Everything", "1", "1")));
}

TEST_CASE(
    "a header's type takes any attribute, once and wherever else it is used",
    "[description][rule-9]") {
  Types types;
  const std::string text = canonical(wsdl_of(types));
  const std::string tns = "{" + base + "/Types}";
  CHECK(count_of(text, s + "anyAttribute") == 1);
  CHECK(count_of(text, s + "element name='Session' type='" + tns + "Session'") == 1);
  CHECK(count_of(text, s + "complexType name='Session'") == 1);
  CHECK(contains(text, element("Session", tns + "Session", "1", "1")));
  CHECK(count_of(canonical(shop_wsdl()), s + "anyAttribute") == 1);
}

TEST_CASE("what cannot be described is refused when it is added", "[description]") {
  TwoSizes sizes;
  CHECK_THROWS_WITH(
      wsdl_of(sizes),
      Catch::Contains("TwoSizes") &&
          Catch::Contains("called Size: of the operation One and of Other"));
  Misdocumented bell;
  CHECK_THROWS_AS(wsdl_of(bell), std::invalid_argument);
}

TEST_CASE("two elements of one name are refused, and both are named", "[description][rule-9]") {
  const auto refusal = [](auto served) -> std::string {
    try {
      wsdl_of(served);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "(accepted)";
  };
  const std::string advice = "; give the header's record, or the operation, another name";
  CHECK(
      refusal(HeaderLikeOperation()) ==
      "soapsvc: two elements of the service HeaderLikeOperation are called Ping: the header of "
      "the operation Pong and the request of the operation Ping" +
          advice);
  CHECK(
      refusal(HeaderLikeResponse()) ==
      "soapsvc: two elements of the service HeaderLikeResponse are called PingResponse: the "
      "response of the operation Ping and the header of the operation Ping" +
          advice);
  CHECK(
      refusal(TwoHeaders()) ==
      "soapsvc: two elements of the service TwoHeaders are called Auth: the header of the "
      "operation One and the header of the operation Other" +
          advice);
}

TEST_CASE(
    "names that are equal only after concatenation make a valid WSDL",
    "[description][rule-9][wsdl]") {
  Alike alike;
  const std::string text = wsdl_of(alike);
  CHECK(schema_errors("tests/schemas/wsdl-all.xsd", {text}) == "");
  const std::string shown = canonical(text);
  std::vector<std::string> names;
  const std::string begin = "\n  " + wsdl + "message name='";
  for (std::size_t at = shown.find(begin); at != shown.npos; at = shown.find(begin, at + 1)) {
    const std::size_t from = at + begin.size();
    names.push_back(shown.substr(from, shown.find('\'', from) - from));
  }
  const std::vector<std::string> expected = {
      "GetSoapIn",
      "GetSoapOut",
      "GetUserAuth",
      "GetUserSoapIn",
      "GetUserSoapOut",
      "GetUserAuthHeader",
      "AgainSoapIn",
      "AgainSoapOut",
      "AgainAuth",
      "GetUserAuthSoapIn",
      "GetUserAuthSoapOut",
      "GetUserAuthSoapInHeader",
      "PingSoapIn",
      "PingSoapOut",
      "PingsSoapIn",
      "PingsSoapOut"};
  CHECK(names == expected);
  const std::string tns = "{" + base + "/Alike}";
  for (const char* message : {"GetUserAuth' part='UserAuth", "GetUserAuthHeader' part='Auth"})
    CHECK(count_of(shown, "header message='" + tns + message + "' use='literal'") == 2);
}

TEST_CASE("messages are valid against the schema in the WSDL", "[description][rule-9][wsdl]") {
  const world w;
  const scratch_folder folder;
  const auto schema = folder.path() / "shop.xsd";
  write_file(schema, schema_of_wsdl(w.send("GET", path + "?wsdl").body));
  std::vector<std::string> payloads;
  for (const version v : both) {
    const std::string session = "<Session xmlns='" + ns + "'><Key>1</Key></Session>";
    for (const std::string& body :
         {call("Add", "<A>1</A><B>2</B>"),
          call("Echo"),
          call("Echo", "<Text/>"),
          call("Ping"),
          call("Put", "<Item><Id>1</Id><Colour>Red</Colour><Size><Width>1</Width></Size></Item>"),
          call("List", "<Count>0</Count>"),
          call("List", "<Count>2</Count>"),
          call("Numbers", "<Count>2</Count>"),
          call("Find", "<Count>1</Count>"),
          call("Who"),
          call("About"),
          call("Fail", "<How>a</How>")}) {
      const auto response = w.ask(v, body, session);
      CHECK(response.status == 200);
      payloads.push_back(body);
      payloads.push_back(payload_of(response.body));
    }
  }
  CHECK(schema_errors(schema, payloads) == "");
  CHECK_FALSE(schema_errors(schema, {call("Add", "<B>1</B>")}).empty());
}

TEST_CASE(
    "values of every type are valid against the schema in the WSDL",
    "[description][rule-9][wsdl]") {
  Types types;
  soapsvc::dispatcher_options options;
  options.ns_base = base;
  soapsvc::dispatcher dispatcher(options);
  dispatcher.add(types);
  const std::string target = "/soap/v3/Types.asmx";
  const scratch_folder folder;
  const auto schema = folder.path() / "types.xsd";
  write_file(schema, schema_of_wsdl(wsdl_of(types)));
  std::vector<std::string> payloads;
  for (const char* name :
       {"Everything_Get", "All", "Strings", "Colours", "Blobs", "Maybe", "Tree"}) {
    const std::string body =
        envelope(version::v1_2, "<" + std::string(name) + " xmlns='" + base + "/Types'/>");
    soapsvc::http_request request;
    request.target = target;
    request.headers = as_xml;
    request.body = body;
    const auto response = dispatcher.handle(request);
    CHECK(response.status == 200);
    payloads.push_back(payload_of(response.body));
  }
  CHECK(schema_errors(schema, payloads) == "");
}

// --- Pages for people ----------------------------------------------------------------------------

namespace {

/// The text of a page as a browser decodes it.
std::string unescaped(std::string text) {
  for (const auto& [entity, plain] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&#13;", "\r"}, {"&amp;", "&"}})
    for (std::size_t at = text.find(entity); at != text.npos; at = text.find(entity, at + 1))
      text.replace(at, std::string(entity).size(), plain);
  return text;
}

/// The code on a page with this label.
std::string code_of(const std::string& page, const std::string& label) {
  const std::string begin = "aria-label=\"" + label + "\">";
  const std::string found = part_of(page, begin, "</pre>");
  return found == "(none)" ? found : unescaped(found.substr(begin.size()));
}

soapsvc::http_response ask(
    const soapsvc::dispatcher& dispatcher,
    const std::string& method,
    const std::string& target,
    const headers& with = {{"Host", "example.com:81"}},
    const std::string& peer = "192.0.2.1") {
  std::vector<soapsvc::http_header> fields;
  for (const auto& [name, value] : with)
    fields.push_back({name, value});
  soapsvc::http_request request;
  request.method = method;
  request.target = target;
  request.headers = fields;
  request.peer = peer;
  return dispatcher.handle(request);
}
soapsvc::http_response get(
    const soapsvc::dispatcher& dispatcher,
    const std::string& target,
    const headers& with = {{"Host", "example.com:81"}},
    const std::string& peer = "192.0.2.1") {
  return ask(dispatcher, "GET", target, with, peer);
}

std::string header_of(const soapsvc::http_response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return "(none)";
}

/// Sends a sample as its page shows it: request line, header fields and body.
soapsvc::http_response send_sample(
    const soapsvc::dispatcher& dispatcher, const std::string& head, const std::string& body) {
  std::istringstream lines(head);
  std::string method;
  std::string target;
  std::string line;
  lines >> method >> target;
  std::getline(lines, line);
  std::vector<std::pair<std::string, std::string>> fields;
  while (std::getline(lines, line))
    fields.emplace_back(line.substr(0, line.find(':')), line.substr(line.find(':') + 2));
  std::vector<soapsvc::http_header> views;
  for (const auto& [name, value] : fields)
    views.push_back({name, value});
  soapsvc::http_request request;
  request.method = method;
  request.target = target;
  request.headers = views;
  request.body = body;
  return dispatcher.handle(request);
}

/// Accepts every type, lists of them, and markup in text.
struct AllIn {
  Everything everything;
  std::optional<Folder> folder;
  std::vector<Everything> more;
  std::string text;
};

/// A required header block.
struct Ticket {
  std::string number;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<AllIn> = record(
    field("Everything", &AllIn::everything, doc("</dd><script>alert(1)</script>")),
    field("Folder", &AllIn::folder),
    field("More", &AllIn::more),
    field("Text", &AllIn::text, sample("</pre><script>'\"&")));
template <>
inline constexpr auto soapsvc::schema<Ticket> =
    record("Ticket", field("Number", &Ticket::number, secret, sample("\"><script>")));

namespace {

class Hostile {
public:
  std::vector<Folder> take(const AllIn&, const Ticket&) { return {Folder{"a", {Folder{"b", {}}}}}; }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Hostile> = service(
    "Hostile",
    doc("<script>alert(2)</script>"),
    operation(
        "Take",
        &Hostile::take,
        deprecated("<script>"),
        doc("<script>alert(3)</script>"),
        fault_doc(7, "<script>4</script>", "<script>5</script>"),
        fault_doc(8, "Other")));

namespace {

struct BadSample {
  std::int32_t number{};
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<BadSample> =
    record(field("Number", &BadSample::number, sample("many")));

namespace {

class Misled {
public:
  void take(const BadSample&) {}
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Misled> = service("Misled", operation("Take", &Misled::take));

TEST_CASE("pages escape the text that they show", "[description][rule-11]") {
  const world w;
  Hostile hostile;
  soapsvc::dispatcher dispatcher({.ns_base = "http://e/<script>'\"&"});
  dispatcher.add(hostile, "/<script>'\"");
  for (const char* target : {"/", "/<script>'\"", "/<script>'\"?op=Take"}) {
    const auto response = get(dispatcher, target);
    INFO(target);
    CHECK(response.status == 200);
    CHECK(contains(response.body, "<!DOCTYPE html>"));
    CHECK(count_of(response.body, "<script>") == 1);  // the page's own
    CHECK(contains(response.body, "&lt;script&gt;"));
    CHECK_FALSE(contains(response.body, "\"><script>"));
  }
  CHECK_FALSE(contains(get(w.dispatcher, path).body, "<things>"));
  CHECK_FALSE(contains(get(w.dispatcher, "/").body, "<things>"));
  const std::string unknown = get(dispatcher, "/<script>'\"?op=<script>%3Cscript%3E%ff").body;
  CHECK(count_of(unknown, "<script>") == 1);
}

TEST_CASE("pages link to each other by relative addresses", "[description][rule-11]") {
  const world w;
  const std::string index = get(w.dispatcher, "/").body;
  CHECK(contains(index, "href=\"." + path + "\""));
  CHECK(contains(index, "href=\"." + path + "?op=Add\""));
  const std::string service = get(w.dispatcher, path).body;
  CHECK(contains(service, "href=\"./../../\">Services"));
  CHECK(contains(service, "href=\"?wsdl\""));
  CHECK(contains(service, "href=\"?op=OldAdd\""));
  CHECK(contains(service, "deprecated</span>"));
  CHECK(contains(service, "<code>http://example.com:81" + path + "</code>"));
  const std::string operation = get(w.dispatcher, path + "?op=OldAdd").body;
  CHECK(contains(operation, "href=\"./Shop.asmx\">Shop"));
  CHECK(contains(operation, "Use <a href=\"?op=Add\">Add</a> instead."));
  CHECK_FALSE(contains(operation, "disabled on this server"));
  for (const std::string& page : {index, service, operation}) {
    CHECK_FALSE(contains(page, "href=\"http"));
    CHECK_FALSE(contains(page, "src="));
    CHECK_FALSE(contains(page, " style="));
    CHECK_FALSE(contains(page, " onclick="));
  }
  const world strict({.serve_deprecated = false});
  CHECK(contains(get(strict.dispatcher, path + "?op=OldAdd").body, "disabled on this server"));
}

TEST_CASE("a path without a service leads to the list of services", "[description][rule-11]") {
  const world w;
  CHECK(contains(get(w.dispatcher, "/elsewhere").body, "the path / lists the services"));
  const world silent({.pages = {.help = false}});
  CHECK(get(silent.dispatcher, "/elsewhere").body == "404 Not Found: no service at this path\n");
}

TEST_CASE("a sample request of 1.2 declares one prefix for the envelope", "[description]") {
  const world w;
  const std::string page = get(w.dispatcher, path + "?op=Add").body;
  const auto sample = [&](const std::string& label) {
    const std::size_t begin = page.find("aria-label=\"SOAP 1.2 " + label + "\">");
    REQUIRE(begin != std::string::npos);
    return page.substr(begin, page.find("</pre>", begin) - begin);
  };
  CHECK(contains(sample("request"), "xmlns:soap12="));
  CHECK_FALSE(contains(sample("request"), " xmlns:soap="));
  CHECK(contains(sample("response"), " xmlns:soap="));
}

class Quiet {
public:
  void ring() {}
};
template <>
inline constexpr auto soapsvc::schema<Quiet> =
    service("Quiet", soap11_only, operation("Ring", &Quiet::ring));

TEST_CASE("a sample is available without its page", "[description][rule-11]") {
  const world w;
  const std::string page = get(w.dispatcher, path + "?op=Add").body;
  const auto sample = [&](const char* of, const char* operation, version spoken) {
    return w.dispatcher.sample(of, operation, spoken);
  };
  CHECK(sample("Shop", "Add", version::v1_1) == code_of(page, "SOAP 1.1 request"));
  CHECK(sample("Shop", "Add", version::v1_2) == code_of(page, "SOAP 1.2 request"));
  CHECK_THROWS_WITH(
      sample("Shop", "add", version::v1_1), "soapsvc: no sample in SOAP 1.1 of Shop.add");
  CHECK_THROWS_WITH(
      sample("shop", "Add", version::v1_2), "soapsvc: no sample in SOAP 1.2 of shop.Add");
  Quiet quiet;
  soapsvc::dispatcher other({.ns_base = base});
  other.add(quiet);
  CHECK_THROWS_AS(other.sample("Quiet", "Ring", version::v1_2), std::invalid_argument);
  CHECK(contains(other.sample("Quiet", "Ring", version::v1_1), "<Ring"));
}

TEST_CASE("?op= chooses an operation by its exact name", "[description][rule-11]") {
  const world w;
  for (const char* query : {"?op=Add", "?OP=Add", "?x=1&Op=Add", "?op=%41d%64", "?op=Add&y"}) {
    INFO(query);
    const auto response = get(w.dispatcher, path + query);
    CHECK(response.status == 200);
    CHECK(contains(response.body, "<h1 class=\"name\">Add"));
  }
  for (const char* query : {"?op=add", "?op=", "?op", "?op=Add%20", "?op=Ad%6", "?op=%FF%00"}) {
    INFO(query);
    const auto response = get(w.dispatcher, path + query);
    CHECK(response.status == 404);
    CHECK(response.content_type == "text/html; charset=utf-8");
    CHECK(contains(response.body, "no operation of that name"));
    CHECK(contains(response.body, "href=\"?op=Add\""));
  }
  CHECK(get(w.dispatcher, path + "?opx=Add").status == 200);
  CHECK_FALSE(contains(get(w.dispatcher, path + "?opx=Add").body, "<h1 class=\"name\">"));
}

TEST_CASE("the page of an operation shows everything in its tables", "[description][rule-11]") {
  Hostile hostile;
  soapsvc::dispatcher dispatcher({.ns_base = base});
  dispatcher.add(hostile, "/h");
  const std::string page = get(dispatcher, "/h?op=Take").body;
  const auto row = [&](const std::string& name) {
    return part_of(page, "<div><dt><code>" + name + "</code>", "</dt>");
  };
  CHECK(contains(row("Flag"), "boolean</span> <span class=\"badge must\">required"));
  CHECK(contains(row("I32"), "int</span> <span class=\"badge\">optional"));
  CHECK(contains(row("Maybe"), "double</span> <span class=\"badge\">optional"));
  CHECK(contains(row("Words"), "list of string</span>"));
  CHECK_FALSE(contains(row("Words"), "badge"));
  CHECK(contains(row("Number"), "secret</span>"));
  CHECK(contains(page, "One of <code>Red</code>, <code>DarkBlue</code>"));
  CHECK(contains(page, "SOAP header <code>Ticket</code> <span class=\"badge must\">required"));
  CHECK(contains(page, "<code>TakeResult</code> <span class=\"type\">list of Folder</span>"));
  CHECK(contains(page, "The fields of Folder, as above."));
  CHECK(contains(page, "<code>7</code> &lt;script&gt;4&lt;/script&gt;</dt><dd>&lt;script&gt;5"));
  CHECK(contains(page, "<code>8</code> Other</dt><dd></dd>"));
}

TEST_CASE("every sample works when it is sent as it is shown", "[description][rule-11]") {
  world w;
  Types types;
  Hostile hostile;
  soapsvc::dispatcher dispatcher({.ns_base = base});
  Shop shop;
  shop.inner = &w.dispatcher;
  dispatcher.add(shop);
  dispatcher.add(types);
  dispatcher.add(hostile);
  const scratch_folder folder;
  std::size_t sent = 0;
  for (const char* name : {"Shop", "Types", "Hostile"}) {
    const std::string at = "/soap/v3/" + std::string(name) + ".asmx";

    const auto schema = folder.path() / (std::string(name) + ".xsd");
    write_file(schema, schema_of_wsdl(get(dispatcher, at + "?wsdl").body));
    std::vector<std::string> payloads;
    const std::string service = get(dispatcher, at).body;
    const std::string link = "<code><a href=\"?op=";
    for (std::size_t from = service.find(link); from != service.npos;
         from = service.find(link, from + 1)) {
      const std::size_t begin = from + link.size();
      const std::string operation = service.substr(begin, service.find('"', begin) - begin);
      const std::string page = get(dispatcher, at + "?op=" + operation).body;
      for (const std::string version : {"SOAP 1.1", "SOAP 1.2"}) {
        const std::string body = code_of(page, version + " request");
        const std::string head = code_of(page, version + " request, HTTP");
        INFO(operation << '\n' << head << "\n\n" << body);
        CHECK(head.rfind("POST " + at + " HTTP/1.1\nHost: example.com:81\n", 0) == 0);
        const std::string action = "\nSOAPAction: \"" + base + '/' + name + '/' + operation + '"';
        CHECK(contains(head, action) == (version == "SOAP 1.1"));
        const auto response = send_sample(dispatcher, head, body);
        INFO(response.body);
        CHECK(response.status == 200);
        const std::string answer = code_of(page, version + " response");
        CHECK(
            code_of(page, version + " response, HTTP") ==
            "HTTP/1.1 200 OK\nContent-Type: " + response.content_type);
        CHECK(payload_of(answer).rfind("<" + operation + "Response", 0) == 0);
        payloads.push_back(payload_of(body));
        payloads.push_back(payload_of(answer));
        ++sent;
      }
      const std::string curl = code_of(page, "curl command");
      const std::string body = code_of(page, "SOAP 1.1 request");
      CHECK(contains(curl, " --data-binary @- <<'XML'\n" + body + "\nXML\n"));
      CHECK(curl.rfind("curl 'http://example.com:81" + at + "' \\\n", 0) == 0);
      CHECK(contains(curl, "-H 'SOAPAction: \"" + base + '/' + name + '/' + operation));
    }
    CHECK(schema_errors(schema, payloads) == "");
  }
  CHECK(sent == 2 * (12 + 9 + 1));
}

TEST_CASE("samples have one element per line", "[description]") {
  const world w;
  const std::string request =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<soap:Envelope\n"
      "    xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"\n"
      "    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
      "    xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">\n"
      "  <soap:Header>\n"
      "    <Session xmlns=\"http://example.com/soap/Shop\">\n"
      "      <User>text</User>\n"
      "      <Key>1</Key>\n"
      "    </Session>\n"
      "  </soap:Header>\n"
      "  <soap:Body>\n"
      "    <Who xmlns=\"http://example.com/soap/Shop\" />\n"
      "  </soap:Body>\n"
      "</soap:Envelope>";
  CHECK(code_of(get(w.dispatcher, path + "?op=Who").body, "SOAP 1.1 request") == request);
  CHECK(
      soapsvc::detail::indented("<a b=\">\"><c></c><d /><e> x\ny </e></a>") ==
      "<a b=\">\">\n  <c></c>\n  <d />\n  <e> x\ny </e>\n</a>");
}

TEST_CASE("a curl line survives any address", "[description]") {
  Undocumented undocumented;
  soapsvc::dispatcher dispatcher(
      {.ns_base = "urn:it's",
       .public_url = "http://h/it's$(x)`y`",
       .browsers = {.host_names = {"example.com"}}});
  dispatcher.add(undocumented);
  const std::string curl =
      code_of(get(dispatcher, "/soap/v3/Undocumented.asmx?op=Ping").body, "curl command");
  CHECK(curl.rfind("curl 'http://h/it'\\''s$(x)`y`/soap/v3/Undocumented.asmx' ", 0) == 0);
  CHECK(contains(curl, "-H 'SOAPAction: \"urn:it'\\''s/Undocumented/Ping\"'"));
}

TEST_CASE("a sample that is no value of its field is refused when added", "[description]") {
  Misled misled;
  soapsvc::dispatcher dispatcher({.ns_base = base});
  CHECK_THROWS_WITH(
      dispatcher.add(misled),
      Catch::Contains("'many' is not a valid sample of Number") &&
          Catch::Contains("of the type int"));
}

#if __has_include(<openssl/sha.h>)
TEST_CASE("the policy of a page names the two texts that it holds", "[description]") {
  const world w;
  for (const std::string& target : {std::string("/"), path, path + "?op=Add", path + "?op=no"}) {
    const auto response = get(w.dispatcher, target);
    INFO(target);
    const std::string policy = header_of(response, "Content-Security-Policy");
    const auto hash_of = [&](const std::string& name) {
      const std::string text = part_of(response.body, "<" + name + ">", "</" + name + ">");
      std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
      const std::string content = text.substr(name.size() + 2);
      SHA256(reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest.data());
      std::string base64;
      soapsvc::detail::to_text(base64, soapsvc::binary{{digest.begin(), digest.end()}});
      return "'sha256-" + base64 + "'";
    };
    CHECK(contains(policy, "default-src 'none'; "));
    CHECK(contains(policy, "; script-src " + hash_of("script") + ";"));
    CHECK(contains(policy, "; style-src " + hash_of("style") + ";"));
    CHECK(contains(policy, "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"));
    CHECK(contains(policy, "connect-src 'self'") == contains(target, "op=Add"));
    CHECK_FALSE(contains(policy, "unsafe"));
    CHECK(header_of(response, "X-Content-Type-Options") == "nosniff");
    CHECK(header_of(response, "Referrer-Policy") == "no-referrer");
    CHECK(header_of(response, "Cache-Control") == "private, no-cache");
  }
  const auto described = get(w.dispatcher, path + "?wsdl");
  CHECK(header_of(described, "Content-Security-Policy") == "(none)");
  CHECK(header_of(described, "X-Content-Type-Options") == "nosniff");
  CHECK(header_of(described, "Cache-Control") == "private, no-cache");
}
#endif

TEST_CASE("the form is for everyone, for this machine, or for no caller", "[description]") {
  const std::string target = path + "?op=Add";
  const auto seen = [&](const world& w, const std::string& peer, headers with = {}) {
    const auto response = get(w.dispatcher, target, with, peer);
    const bool form = contains(response.body, "<form");
    CHECK(form == contains(header_of(response, "Content-Security-Policy"), "connect-src 'self'"));
    return form;
  };
  const world everyone;
  CHECK(seen(everyone, "192.0.2.1"));
  const world nobody({.pages = {.test_form = soapsvc::test_form::nobody}});
  CHECK_FALSE(seen(nobody, "127.0.0.1"));
  CHECK_FALSE(contains(get(nobody.dispatcher, target, {}, "127.0.0.1").body, "Try it"));

  const world here({.pages = {.test_form = soapsvc::test_form::loopback}});
  for (const char* peer : {"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"})
    CHECK(seen(here, peer));
  for (const char* peer : {"192.0.2.1", "::2", "", "unix", "12.7.0.1", "::ffff:192.0.2.1"})
    CHECK_FALSE(seen(here, peer));
  CHECK(contains(get(here.dispatcher, target, {}, "192.0.2.1").body, "own machine only"));
  // An untrusted proxy on this machine may forward calls of any client.
  for (const char* field :
       {"X-Forwarded-For",
        "x-forwarded-host",
        "X-Forwarded-Proto",
        "X-Forwarded-Port",
        "X-FORWARDED-PREFIX",
        "Forwarded",
        "Via",
        "X-Real-IP"})
    CHECK_FALSE(seen(here, "127.0.0.1", {{field, "127.0.0.1"}}));
  CHECK(seen(here, "127.0.0.1", {{"X-Forward", "1"}, {"Host", "h"}}));

  const world behind(
      {.trusted_proxies = {"127.0.0.1", "unix"},
       .pages = {.test_form = soapsvc::test_form::loopback}});
  for (const char* peer : {"127.0.0.1", "unix"}) {
    CHECK_FALSE(seen(behind, peer));
    CHECK_FALSE(seen(behind, peer, {{"X-Forwarded-For", "203.0.113.9"}}));
    CHECK_FALSE(seen(behind, peer, {{"X-Forwarded-For", "127.0.0.1, 203.0.113.9"}}));
    CHECK_FALSE(seen(behind, peer, {{"X-Forwarded-For", "unknown"}}));
    CHECK_FALSE(seen(behind, peer, {{"X-Forwarded-For", "127.0.0.1"}}));
    CHECK_FALSE(seen(behind, peer, {{"X-Forwarded-For", "203.0.113.9, 127.0.0.2"}}));
  }
  CHECK(seen(behind, "127.0.0.2"));
}

namespace {

void admit(const soapsvc::http_request& request, soapsvc::http_response& response) {
  const auto given = request.header("Authorization");
  if (given == "Bearer forbidden") throw soapsvc::fault(soapsvc::fault_code::client, "not for you");
  if (given == "Bearer broken") throw std::runtime_error("the store of users is away");
  if (given == "Bearer split") response.headers.emplace_back("X-User", "Ann\r\nX-Other: 1");
  if (given == "Bearer thrown") throw 7;
  if (given) return response.headers.emplace_back("X-User", "Ann"), void();
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  throw soapsvc::fault(soapsvc::fault_code::client, "who are you?").with_status(401);
}

}  // namespace

TEST_CASE(
    "WSDL and pages are for callers that pages.authorize admits", "[description][authorize]") {
  soapsvc::dispatcher_options options;
  options.pages.authorize = admit;
  const world open;
  const world guarded(options);
  const headers known{{"Host", "example.com:81"}, {"Authorization", "Bearer let-me-in"}};
  for (const char* const query :
       {"?wsdl", "?WSDL", "?singleWsdl", "?wsdl=1", "", "?op=Add", "?op=None", "?disco"}) {
    const std::string target = path + query;
    for (const char* const method : {"GET", "HEAD"}) {
      INFO(method << ' ' << target);
      const auto refused = ask(guarded.dispatcher, method, target);
      CHECK(refused.status == 401);
      CHECK(header_of(refused, "WWW-Authenticate") == "Bearer");
      CHECK(header_of(refused, "Cache-Control") == "no-store");
      CHECK(refused.body == "401 who are you?\n");
      const auto shown = ask(guarded.dispatcher, method, target, known);
      const auto before = ask(open.dispatcher, method, target);
      CHECK(shown.status == before.status);
      CHECK(shown.body == before.body);
      CHECK(shown.content_type == before.content_type);
      CHECK(header_of(shown, "X-User") == "Ann");
    }
  }
  // A fault does not list the operations either.
  for (const world* at : {&open, &guarded}) {
    const soapsvc::http_header type{"Content-Type", "text/xml"};
    soapsvc::http_request wrong;
    wrong.target = path;
    wrong.headers = {&type, 1};
    wrong.body =
        "<Envelope xmlns=\"http://schemas.xmlsoap.org/soap/envelope/\"><Body><None/></Body>"
        "</Envelope>";
    const std::string told = at->dispatcher.handle(wrong).body;
    CHECK(contains(told, "is not an operation of this service"));
    CHECK(contains(told, "allowed are") == (at == &open));
  }
  CHECK(ask(guarded.dispatcher, "GET", "/").status == 401);
  CHECK(ask(guarded.dispatcher, "GET", "/", known).status == 200);
  REQUIRE(guarded.calls.size() == 18);
  CHECK(guarded.calls[0].report.kind == soapsvc::report_kind::refused_request);
  CHECK(guarded.calls[0].report.http_status == 401);
  CHECK(guarded.calls[0].reason == "who are you?");
  const auto as = [&](const char* token) {
    return ask(
        guarded.dispatcher, "GET", path + "?wsdl", {{"Host", "h"}, {"Authorization", token}});
  };
  CHECK(as("Bearer forbidden").status == 403);
  CHECK(as("Bearer forbidden").body == "403 not for you\n");
  for (const char* const token : {"Bearer broken", "Bearer split", "Bearer thrown"}) {
    const auto response = as(token);
    CHECK(response.status == 500);
    CHECK_FALSE(contains(response.body, "store"));
    CHECK(header_of(response, "X-User") == "(none)");
  }
  REQUIRE(guarded.errors.size() == 3);
  CHECK(guarded.errors[0].what == "the store of users is away");
  CHECK(contains(guarded.errors[1].what, "control character"));
}

TEST_CASE(
    "pages.authorize is not called for calls, other methods and pages of a program",
    "[description][authorize]") {
  soapsvc::dispatcher_options options;
  options.pages.authorize = [](const soapsvc::http_request&, soapsvc::http_response&) {
    FAIL("it was asked");
  };
  world w(options);
  w.dispatcher.add_page(
      "/health", [](const soapsvc::http_request&) { return soapsvc::http_response{}; });
  CHECK(ask(w.dispatcher, "GET", "/health").status == 200);
  CHECK(ask(w.dispatcher, "DELETE", path).status == 405);
  CHECK(ask(w.dispatcher, "OPTIONS", "*").status == 200);
  CHECK(ask(w.dispatcher, "GET", "/none").status == 404);
  CHECK(ask(w.dispatcher, "POST", path).status != 401);
}

TEST_CASE("the form has a field for every parameter and header field", "[description]") {
  Hostile hostile;
  soapsvc::dispatcher dispatcher({.ns_base = base});
  dispatcher.add(hostile, "/h");
  const std::string page = get(dispatcher, "/h?op=Take").body;
  const std::string form = part_of(page, "<form", "</form>");
  const auto input = [&](const std::string& name) {
    const std::string field = part_of(form, "class=\"field\" data-name=\"" + name + "\"", "</div>");
    return field.substr(std::min(field.find("</span></span>"), field.size()));
  };
  CHECK(contains(input("Flag"), "<input type=\"checkbox\">"));
  CHECK(contains(input("I8"), "type=\"number\" min=\"-128\" max=\"127\" step=\"1\""));
  CHECK(contains(input("U64"), "min=\"0\" max=\"18446744073709551615\""));
  CHECK(contains(input("I64"), " required>"));
  CHECK_FALSE(contains(input("I32"), " required>"));  // default_if_absent
  CHECK(contains(input("Day"), "type=\"date\""));
  CHECK(contains(input("Moment"), "type=\"datetime-local\""));
  CHECK(contains(input("Amount"), "inputmode=\"decimal\""));
  CHECK(contains(input("Count"), "inputmode=\"numeric\" pattern=\"[+\\-]?\\d+\""));
  CHECK(contains(input("At"), "type=\"time\" step=\"1\""));
  CHECK(contains(input("Length"), "type=\"text\" pattern=\"-?P(?=.)"));
  CHECK(contains(input("Birthday"), "pattern=\"--\\d\\d-\\d\\d(Z|"));
  CHECK(contains(input("Digest"), "pattern=\"([0-9A-Fa-f]{2})*\""));
  CHECK(contains(input("Digest"), " required></label><label class=\"tick blank\">"));
  CHECK(contains(input("Colour"), "<select><option>Red</option><option>DarkBlue</option>"));
  CHECK(contains(input("Digest"), "aria-label=\"Send Digest empty\""));
  CHECK_FALSE(contains(input("Maybe"), "empty"));  // a number is never empty
  CHECK(contains(form, "<code>I64</code> <span class=\"badge must\">required</span>"));
  CHECK_FALSE(contains(form, "<code>I32</code> <span class=\"badge must\">"));
  CHECK(contains(input("Length"), "<span class=\"wants\">Wanted: a duration, as in P1Y2M3D"));
  CHECK(contains(form, "data-part=\"http\"><legend>HTTP fields</legend>"));
  CHECK(contains(input("Number"), "type=\"password\" autocomplete=\"off\""));
  CHECK(contains(form, "data-name=\"Words\" data-many=\"\""));
  CHECK(contains(form, "data-name=\"More\" data-many=\"item"));
  CHECK(contains(form, "data-part=\"header\" data-block=\"Ticket\""));
  CHECK(contains(form, "<input type=\"checkbox\" class=\"include\" checked> Send Folder"));
  CHECK(count_of(page, "<template id=\"item") == 2);  // Folder, which holds itself, and Everything
}

TEST_CASE("short patterns are explained in words", "[description]") {
  using soapsvc::detail::pattern_words;
  CHECK(pattern_words::of("[0-9]{4}[A-Z]{2}") == "4 digits, then 2 capital letters");
  CHECK(pattern_words::of("\\d") == "a digit");
  CHECK(pattern_words::of("\\d{1}x") == "1 digit, then \"x\"");
  CHECK(
      pattern_words::of("NL-[a-z]+\\.[A-Za-z]*") ==
      "\"NL-\", then one or more small letters, then \".\", then any number of letters");
  CHECK(
      pattern_words::of("[A-Z0-9]{3,}[0-9A-Fa-f]?") ==
      "3 or more capital letters or digits, then perhaps a hexadecimal digit");
  CHECK(pattern_words::of(".{0,8}[0-9]{2,3}") == "up to 8 characters, then 2 to 3 digits");
  for (const char* other :
       {"",
        "a|b",
        "(ab)?",
        "ab?",
        "\\d{2}-?",
        "[^a]",
        "[A-Z-[O]]{2}",
        "\\p{Lu}",
        "\\s",
        "[abc]",
        "x{2}",
        "\\",
        "[0-9",
        "a)"}) {
    INFO(other);
    CHECK(pattern_words::of(other) == "");
  }
  CHECK(pattern_words::of("[0-9]{2") != "4 digits");  // and ends; add checks patterns
}

TEST_CASE("a page of the program at / replaces the index", "[description][rule-11]") {
  world w;
  w.dispatcher.add_page("/", [](const auto&) {
    return soapsvc::http_response{200, "text/plain", {}, "mine"};
  });
  CHECK(get(w.dispatcher, "/").body == "mine");
}

TEST_CASE("no help pages: no index, no operations, no form", "[description][rule-11]") {
  const world w({.pages = {.help = false}});
  CHECK(get(w.dispatcher, "/").status == 404);
  CHECK(contains(get(w.dispatcher, path + "?op=Add").body, "<wsdl:definitions"));
}

// --- Pages: their cost and their restrictions ----------------------------------------------------

// Records that contain each other twice, all required.
template <std::size_t Depth> struct Level { std::vector<Level<Depth - 1>> left, right; };
template <> struct Level<0> { std::string leaf; };
template <std::size_t Depth> inline constexpr char level_name[] = {'L', char('a' + Depth), '\0'};
template <std::size_t Depth>
inline constexpr auto soapsvc::schema<Level<Depth>> = record(
    level_name<Depth>,
    field("Left", &Level<Depth>::left, occurs(1)),
    field("Right", &Level<Depth>::right, occurs(1)));
template <>
inline constexpr auto soapsvc::schema<Level<0>> = record("L", field("Leaf", &Level<0>::leaf));
class Doubling {
public:
  void take(const Level<24>&) {}
};
template <>
inline constexpr auto soapsvc::schema<Doubling> =
    service("Doubling", operation("Take", &Doubling::take, request("Take")));

// Details of one local name in two namespaces.
struct ProblemHere {
  std::string text;
};
struct ProblemThere {
  std::string text;
};
template <>
inline constexpr auto soapsvc::schema<ProblemHere> =
    record("Problem", ns("urn:here"), field("Text", &ProblemHere::text));
template <>
inline constexpr auto soapsvc::schema<ProblemThere> =
    record("Problem", ns("urn:there"), field("Text", &ProblemThere::text));
class TwoProblems {
public:
  void take() {}
};
template <>
inline constexpr auto soapsvc::schema<TwoProblems> = service(
    "TwoProblems",
    addressing,
    operation(
        "Take", &TwoProblems::take, fault_detail<ProblemHere>(), fault_detail<ProblemThere>()));

// Mistakes that only a page would show: one in a detail, which has no sample, and one in a text.
struct BadDetail {
  std::int32_t number{};
};
template <>
inline constexpr auto soapsvc::schema<BadDetail> =
    record("BadDetail", field("Number", &BadDetail::number, sample("several")));
class MisledByDetail {
public:
  void take() {}
};
template <>
inline constexpr auto soapsvc::schema<MisledByDetail> =
    service("MisledByDetail", operation("Take", &MisledByDetail::take, fault_detail<BadDetail>()));
struct Bell {
  std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<Bell> =
    record("Bell", field("Text", &Bell::text, doc("bell: \x07")));
struct Tower {
  std::optional<Bell> bell;
};
template <> inline constexpr auto soapsvc::schema<Tower> = record(field("Bell", &Tower::bell));
class Ringing {
public:
  void take(const Tower&) {}
};
template <>
inline constexpr auto soapsvc::schema<Ringing> =
    service("Ringing", operation("Take", &Ringing::take));

// A text that ends a here-document, with a command after it.
struct Ending {
  std::string text;
};
template <>
inline constexpr auto soapsvc::schema<Ending> =
    record(field("Text", &Ending::text, sample("a\nXML\ntouch harm\nXMLX\n")));
class Escaping {
public:
  void take(const Ending&) {}
};
template <>
inline constexpr auto soapsvc::schema<Escaping> =
    service("Escaping", operation("Take", &Escaping::take));

TEST_CASE("faults of one local name in two namespaces have two names", "[description][rule-9]") {
  TwoProblems problems;
  const std::string text = canonical(wsdl_of(problems));
  CHECK(count_of(text, wsdl + "fault name='Problem'") == 2);  // in both bindings
  CHECK(count_of(text, wsdl + "fault name='Problem2'") == 2);
  CHECK(count_of(text, "fault name='Problem' use='literal'") == 2);
  CHECK(count_of(text, "fault name='Problem2' use='literal'") == 2);
  CHECK(contains(text, "/Fault/Problem'"));
  CHECK(contains(text, "/Fault/Problem2'"));
}

TEST_CASE("the sample of records that double with each level has a maximum", "[description]") {
  Doubling doubling;
  soapsvc::dispatcher dispatcher({.ns_base = base});
  dispatcher.add(doubling, "/d");
  const std::string page = get(dispatcher, "/d?op=Take").body;
  CHECK(page.size() < 4'000'000);
  const std::string sample = code_of(page, "SOAP 1.1 request");
  const std::string comment = "<!-- The rest is left out: the sample is too long. -->";
  CHECK(sample.size() > 64 * 1024);
  CHECK(count_of(sample, comment) == 1);
  CHECK(contains(sample, "\n  </soap:Body>\n</soap:Envelope>"));
  CHECK_NOTHROW(canonical(sample));
}

TEST_CASE("mistakes that only a page would show are refused by add", "[description]") {
  MisledByDetail misled;
  CHECK_THROWS_WITH(wsdl_of(misled), Catch::Contains("'several' is not a valid sample of Number"));
  Ringing ringing;
  CHECK_THROWS_AS(wsdl_of(ringing), std::invalid_argument);
}

TEST_CASE("no line of a message ends the curl line's here-document", "[description]") {
  Escaping escaping;
  soapsvc::dispatcher dispatcher({.ns_base = base});
  dispatcher.add(escaping, "/e");
  const std::string curl = code_of(get(dispatcher, "/e?op=Take").body, "curl command");
  CHECK(contains(curl, "<<'XMLXX'\n"));
  CHECK(curl.ends_with("</soap:Envelope>\nXMLXX\n"));
}

TEST_CASE("patterns are written as the browser's regular expressions", "[description]") {
  using soapsvc::detail::pattern;
  const auto script_of = [](std::string_view text) {
    return soapsvc::detail::pattern_compiler(text).script;
  };
  CHECK(script_of("[A-Z(]+") == "[A-Z\\(]+");
  CHECK(script_of("\\d{3}\\-\\d{4}") == "\\p{Nd}{3}-\\p{Nd}{4}");
  CHECK(script_of("^a$/") == "\\^a\\$\\/");
  CHECK(script_of("[a-z-[aeiou]]") == "[[a-z]--[aeiou]]");
  CHECK(script_of("a.b") == "a[^\\n\\r]b");
  // Compares a browser engine, if there is one, with the results that this test expects.
  if (std::system("node -e 'new RegExp(\".\", \"v\")' 2>/dev/null") != 0) {
    WARN("not compared with a browser's engine: there is no node that knows the flag v");
    return;
  }
  const char* const patterns[] = {
      "[A-Z(]+",
      "\\d{3}\\-\\d{4}",
      "^a$",
      "a/b",
      "[a-z-[aeiou]]+",
      "[^a-z-[0-9-[5]]]+",
      ".*",
      "[&&!!]+",
      "[#%,:;<=>@`~]+",
      "[\\w\\-.]+",
      "\\i\\c*",
      "[\\i-[:]][\\c-[:]]*",
      "\\p{L}+",
      "\\P{Lu}+",
      "\\p{IsBasicLatin}+",
      "\\P{IsGreek}+",
      "[\\p{IsCyrillic}x]+",
      "\\s\\S\\w\\W",
      "\\D+",
      "[-a]+",
      "[a-]+",
      "[a\\-z]+",
      "[\\^\\]\\[]+",
      "[a^]+",
      "[+\\-]?(\\d+|\\.\\d+)",
      "(a|b){2,3}",
      "(NL|BE)[0-9]{2}( [0-9]{4}){3}",
      "a{0}b?",
      "()",
      "|a",
      "[\\n\\t]*",
      "\\{\\}\\(\\)\\*\\+\\?\\.\\\\\\|",
      "[*+.?$^|(){}/]+",
      "\"'_ <>&",
      "[\"'_ ]+",
      "\xC3\xA9[\xC3\xA0-\xC3\xBF]*",
      "\\I\\C",
      "[\\I]+",
      "[\\C\\d]+",
      "[!-/:-@]+"};
  const char* const texts[] = {
      "",
      "A",
      "a",
      "AB(",
      "123-4567",
      "^a$",
      "a/b",
      "bcd",
      "e",
      "a.b",
      "5",
      "4",
      "&&",
      "!",
      "#%,:",
      "~",
      "x-y.z",
      "_a1",
      "a:b",
      ":a",
      "1a",
      "\xC3\xA9",
      "\xCE\xB1",
      "\xD0\xB6x",
      "\t",
      " a_.",
      " a. ",
      " x.",
      "-a",
      "a-",
      "z",
      "]^[",
      "+12",
      "-.5",
      "aba",
      "NL12 3456 7890 1234",
      "b",
      "{}()*+?.\\|",
      "*+.?$^|(){}/",
      "\"'_ <>&",
      "\"'_ ",
      "\xC3\xA9\xC3\xA0",
      "\xD9\xA3",
      "( ",
      "--",
      "!/:@",
      "a b",
      "AbC",
      "\xF0\x9D\x92\xB3"};
  const scratch_folder folder;
  const auto quoted = [](std::string_view text) {
    std::string made = "\"";
    for (const char c : text)
      c == '"' || c == '\\' ? made.append(1, '\\').append(1, c)
      : c == '\t'           ? made.append("\\t")
                            : made.append(1, c);
    return made + '"';
  };
  std::string cases = "let wrong = 0;\nfor (const [source, script, text, good] of [\n";
  for (const char* each : patterns) {
    const pattern own{std::string(each)};
    soapsvc::detail::step_budget steps;
    for (const char* text : texts)
      cases += '[' + quoted(each) + ',' + quoted(script_of(each)) + ',' + quoted(text) + ',' +
               (own.matches(text, steps) ? "true" : "false") + "],\n";
  }
  cases +=
      "]) {\n let found;\n try { found = new RegExp(`^(?:${script})$`, 'v').test(text); }\n"
      " catch (error) { found = error.message; }\n"
      " if (found !== good) { ++wrong; console.log(source, script, text, found, good); }\n}\n"
      "process.exit(wrong ? 1 : 0);\n";
  const auto program = folder.path() / "patterns.js";
  write_file(program, cases);
  CHECK(std::system(("node '" + program.string() + "' >&2").c_str()) == 0);
}

TEST_CASE("the latest pages are cached, within bounds", "[description][limits]") {
  using soapsvc::detail::form_state;
  soapsvc::detail::kept_pages pages;
  std::string page;
  int made = 0;
  const auto get_page = [&](const std::string& url, std::size_t size = 100) {
    const int before = made;
    pages.get({nullptr, false, form_state::off, url}, page, [&] {
      ++made;
      return url + std::string(size, 'x');
    });
    CHECK(page == url + std::string(size, 'x'));
    return made == before;
  };
  CHECK_FALSE(get_page("a"));
  CHECK(get_page("a"));
  for (std::size_t other = 1; other != pages.max_pages; ++other)
    CHECK_FALSE(get_page(std::to_string(other)));
  CHECK(get_page("a"));
  CHECK_FALSE(get_page("one more"));
  CHECK(get_page("a"));  // used later than the evicted page
  CHECK_FALSE(get_page("1"));
  const std::size_t large = pages.max_bytes / 3;
  for (const char* each : {"l1", "l2", "l3"})
    CHECK_FALSE(get_page(each, large));
  CHECK(get_page("l3", large));
  CHECK_FALSE(get_page("l1", large));
  CHECK_FALSE(get_page("huge", pages.max_bytes));
  CHECK_FALSE(get_page("huge", pages.max_bytes));
  CHECK(get_page("l1", large));
  pages.clear();
  CHECK_FALSE(get_page("l1", large));
}

TEST_CASE("a cached page is served only to the callers for which it was made", "[description]") {
  Shop shop;
  Escaping escaping;
  soapsvc::dispatcher_options options;
  options.ns_base = base;
  options.pages.test_form = soapsvc::test_form::loopback;
  soapsvc::dispatcher dispatcher(options);
  dispatcher.add(shop);
  const auto ask = [&](const std::string& target, const std::string& host, bool here) {
    const std::string peer = here ? "127.0.0.1" : "10.0.0.9";
    const std::vector<soapsvc::http_header> fields{{"Host", host}};
    soapsvc::http_request request;
    request.method = "GET";
    request.target = target;
    request.headers = fields;
    request.peer = peer;
    return dispatcher.handle(request).body;
  };
  for (int round = 0; round != 2; ++round) {
    for (const std::string host : {"one.example", "two.example"}) {
      CHECK(contains(ask(path + "?wsdl", host, false), "location=\"http://" + host + '/'));
      CHECK(contains(ask(path, host, false), "http://" + host + path));
      CHECK(contains(ask(path + "?op=Who", host, false), "http://" + host + path));
    }
    CHECK_FALSE(contains(ask(path + "?op=Who", "localhost", false), "<form"));
    CHECK(contains(ask(path + "?op=Who", "localhost", true), "<form"));
    CHECK_FALSE(contains(ask(path + "?op=Add", "localhost", true), ">Who</h1>"));
  }
  CHECK_FALSE(contains(ask("/", "one.example", false), "Escaping"));
  dispatcher.add(escaping);
  CHECK(contains(ask("/", "one.example", false), "Escaping"));
}
