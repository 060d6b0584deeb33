// S10: WSDL 1.1 and pages from the tables. Written from rule 9 of the design, the WSDL 1.1 note and
// its binding for SOAP 1.2. The example's WSDLs are compared with those of the original in
// golden.cpp.
#include "support.hpp"

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
    field("I32", &Everything::i32, defaulted),
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
    field("Colour", &Everything::colour),
    field("Maybe", &Everything::maybe),
    field("Words", &Everything::words));

/// A struct that holds itself.
struct Folder {
    std::string name;
    std::vector<Folder> folders;
};
template <>
inline constexpr auto soapsvc::schema<Folder> =
    record("Folder", field("Name", &Folder::name), field("Folder", &Folder::folders));

/// A request that holds what is a header elsewhere.
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
std::string wsdl_of(Service& served, soapsvc::host_options options = {}) {
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

/// What one of the WSDL's elements looks like when canonical, from its start to before `end`.
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
    "[description][rule-9]") {
    Shop shop;
    Types types;
    Undocumented undocumented;
    soapsvc::host_options options;
    options.public_url = "https://example.com/a&b<c>'d\"";
    const std::vector<std::string> all = {
        wsdl_of(shop), wsdl_of(types), wsdl_of(undocumented), wsdl_of(shop, options)};
    CHECK(schema_errors("tests/schemas/wsdl-all.xsd", all).empty());
    CHECK_FALSE(schema_errors("tests/schemas/wsdl-all.xsd", {"<definitions/>"}).empty());
}

TEST_CASE(
    "the WSDL has two ports at one address, and a binding for each", "[description][rule-9]") {
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
        CHECK(contains(
            binding, extension + "binding transport='http://schemas.xmlsoap.org/soap/http'"));
        CHECK(count_of(binding, extension + "operation soapAction='" + ns + "/") == 12);
        CHECK(count_of(binding, "style='document'") == 12);
        CHECK(count_of(binding, extension + "body use='literal'") == 24);
        CHECK(count_of(binding, extension + "header message=") == 2);
        CHECK(contains(
            binding,
            extension + "header message='" + tns +
                "PutSession' part='Session' "
                "use='literal'"));
        CHECK(contains(
            binding, extension + "operation soapAction='" + ns + "/Add' style='document'"));
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

TEST_CASE("operations are documented, deprecated ones say so first", "[description][rule-9]") {
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
    CHECK(
        contains(text, s + "schema elementFormDefault='qualified' targetNamespace='" + ns + "'\n"));
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
    CHECK(
        operation("Ping") == "      " + s + "element name='Ping'\n        " + s + "complexType\n");
    CHECK(
        operation("PingResponse") ==
        "      " + s + "element name='PingResponse'\n        " + s + "complexType\n");
    CHECK(
        operation("ListResponse") == "      " + s + "element name='ListResponse'\n" + sequence +
                                         deep +
                                         element("ListResult", tns + "ArrayOfItem", "0", "1"));
    CHECK(
        part_of(
            text, "      " + s + "complexType name='ArrayOfItem'", "\n      " + s + "element") ==
        "      " + s + "complexType name='ArrayOfItem'\n        " + s + "sequence\n          " + s +
            "element maxOccurs='unbounded' minOccurs='0' name='Item' nillable='true' type='" + tns +
            "Item'");
    CHECK(contains(
        text,
        s + "complexType name='ArrayOfInt'\n        " + s + "sequence\n          " +
            element("int", s + "int", "0", "unbounded")));
}

TEST_CASE("types stand in the order in which they are met, each once", "[description][rule-9]") {
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
            element("Flag", s + "boolean", "1", "1") + in + element("I8", s + "byte", "1", "1") +
            in + element("I16", s + "short", "1", "1") + in + element("I32", s + "int", "1", "1") +
            in + element("I64", s + "long", "1", "1") + in +
            element("U8", s + "unsignedByte", "1", "1") + in +
            element("U16", s + "unsignedShort", "1", "1") + in +
            element("U32", s + "unsignedInt", "1", "1") + in +
            element("U64", s + "unsignedLong", "1", "1") + in +
            element("Single", s + "float", "1", "1") + in +
            element("Twice", s + "double", "1", "1") + in +
            element("Text", s + "string", "1", "1") + in +
            element("Bytes", s + "base64Binary", "1", "1") + in +
            element("Day", s + "date", "1", "1") + in +
            element("Moment", s + "dateTime", "1", "1") + in +
            element("Amount", s + "decimal", "1", "1") + in +
            element("Colour", tns + "Colour", "1", "1") + in +
            element("Maybe", s + "double", "0", "1") + in +
            element("Words", s + "string", "0", "unbounded")));
    CHECK(contains(
        text,
        "simpleType name='Colour'\n        " + s + "restriction base='" + s +
            "string'\n          " + s + "enumeration value='Red'\n          " + s +
            "enumeration value='DarkBlue'\n"));
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
        wsdl_of(sizes), Catch::Contains("TwoSizes") && Catch::Contains("called Size"));
    Misdocumented bell;
    CHECK_THROWS_AS(wsdl_of(bell), std::invalid_argument);
}

TEST_CASE("messages are valid against the schema in the WSDL", "[description][rule-9]") {
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
              call(
                  "Put",
                  "<Item><Id>1</Id><Colour>Red</Colour><Size><Width>1</Width></Size></Item>"),
              call("List", "<Count>0</Count>"),
              call("List", "<Count>2</Count>"),
              call("Numbers", "<Count>2</Count>"),
              call("Find", "<Count>1</Count>"),
              call("Who"),
              call("About"),
              call("Fail", "<How>a</How>")}) {
            const auto reply = w.ask(v, body, session);
            CHECK(reply.status == 200);
            payloads.push_back(body);
            payloads.push_back(payload_of(reply.body));
        }
    }
    CHECK(schema_errors(schema, payloads) == "");
    CHECK_FALSE(schema_errors(schema, {call("Add", "<B>1</B>")}).empty());
}

TEST_CASE(
    "values of every type are valid against the schema in the WSDL", "[description][rule-9]") {
    Types types;
    soapsvc::host_options options;
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
        request.body = body;
        const auto reply = dispatcher.handle(request);
        CHECK(reply.status == 200);
        payloads.push_back(payload_of(reply.body));
    }
    CHECK(schema_errors(schema, payloads) == "");
}

TEST_CASE("pages for people escape what they show", "[description][rule-11]") {
    const world w;
    const std::string page = w.send("GET", path, {{"Host", "example.com"}}).body;
    CHECK(contains(page, "<!DOCTYPE html>"));
    CHECK(contains(page, "href=\"http://example.com" + path + "?wsdl\""));
    CHECK_FALSE(contains(page, "<things>"));
    CHECK(contains(page, "OldAdd (deprecated)"));
    CHECK_FALSE(contains(w.send("GET", "/").body, "<things>"));
}
