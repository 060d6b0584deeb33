// The original WSDL of a service ([description]): read and checked by `add`, and served unchanged.
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

// A request with content of each kind.
struct Item {
  std::string code;
  std::int32_t count = 0;
};
template <>
inline constexpr auto soapsvc::schema<Item> =
    record("Item", ns("urn:orders"), field("Code", &Item::code), field("Count", &Item::count));
struct Gift : Item {
  std::string card;
};
template <>
inline constexpr auto soapsvc::schema<Gift> =
    record("Gift", ns("urn:orders"), extends<Item>(), field("Card", &Gift::card));
template <> inline constexpr auto soapsvc::known_types<Item> = soapsvc::types<Gift>();
struct Payment {
  std::optional<std::string> card, account;
};
template <>
inline constexpr auto soapsvc::schema<Payment> =
    choice(field("PayCard", &Payment::card), field("Account", &Payment::account));
struct Part {
  std::string name;
  std::vector<Part> parts, spares;
};
template <>
inline constexpr auto soapsvc::schema<Part> = record(
    "Part",
    ns("urn:orders"),
    field("Name", &Part::name),
    field("Part", &Part::parts),
    field("Spare", &Part::spares));
struct Order {
  std::string id;
  soapsvc::date_time when;
  std::optional<std::string> note;
  std::vector<soapsvc::polymorphic<Item>> items;
  Payment payment;
  Part part;
  soapsvc::nillable<Item> spare;
  std::vector<soapsvc::xml> others;
};
template <>
inline constexpr auto soapsvc::schema<Order> = record(
    "Order",
    ns("urn:orders"),
    attribute("id", &Order::id),
    field("When", &Order::when),
    field("Note", &Order::note),
    field("Items", &Order::items),
    group(&Order::payment),
    field("Whole", &Order::part),
    field("Spare", &Order::spare),
    any(&Order::others));

struct Weight {
  std::int32_t grams = 0;
};
template <>
inline constexpr auto soapsvc::schema<Weight> =
    record("Weight", ns("urn:orders"), field("Grams", &Weight::grams));

template <bool has_file> class Orders {
public:
  void place(const Order&) {}
  void weigh(const Weight&) {}
};
template <>
inline constexpr auto soapsvc::schema<Orders<true>> = service(
    "Orders",
    ns("urn:orders"),
    path("/quotes"),
    serve_wsdl(file),
    operation("Place", &Orders<true>::place, bare),
    operation("Weigh", &Orders<true>::weigh, parameters("weight"), rpc));
template <>
inline constexpr auto soapsvc::schema<Orders<false>> = service(
    "Orders",
    ns("urn:orders"),
    path("/quotes"),
    operation("Place", &Orders<false>::place, bare),
    operation("Weigh", &Orders<false>::weigh, parameters("weight"), rpc));

/// The same without its own WSDL.
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

/// The error of `add` for the text; "added" without an error.
template <class Service = Quotes> std::string refusal(const std::string& text) {
  put(text);
  Service service;
  soapsvc::dispatcher services;
  try {
    services.add(service);
  } catch (const std::invalid_argument& error) {
    CHECK_THAT(error.what(), Catch::StartsWith("soapsvc: own_wsdl_test.wsdl, the WSDL of "));
    return error.what();
  }
  return "added";
}

struct removed_at_end {
  ~removed_at_end() { std::remove(file); }
};

}  // namespace

TEST_CASE("a service serves its original WSDL", "[wsdl][serve_wsdl]") {
  const removed_at_end end;
  const std::string made = wsdl_of<Plain>();
  put(made);
  CHECK(wsdl_of<Quotes>() == made);
  CHECK_THAT(wsdl_of<Quotes>("GET", "other:81"), Contains("location=\"http://other:81/quotes\""));
  CHECK_THAT(
      wsdl_of<Quotes>("GET", "q.example", {.public_url = "https://q.example/a&b"}),
      Contains("location=\"https://q.example/a&amp;b/quotes\"") && !Contains("\"http://q"));
  // Content beyond the table stays: comments, documentation, line ends, other attributes.
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

TEST_CASE("an address with a quote leaves the served WSDL well-formed", "[wsdl][serve_wsdl]") {
  const removed_at_end end;
  put(wsdl_of<Plain>());
  soapsvc::dispatcher_options options;
  options.public_url = "http://h.example/a\"b";
  const std::string served = wsdl_of<Quotes>("GET", "h.example", options);
  CHECK(served == wsdl_of<Plain>("GET", "h.example", options));
  CHECK_THAT(served, Contains(R"( location="http://h.example/a&quot;b/quotes" />)"));
}

TEST_CASE("a WSDL that differs from the table is refused by add", "[wsdl][serve_wsdl]") {
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
  // Another order is equivalent, also for the operation without a response.
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
      change("<soap:body use=\"literal\" />", "<soap:body parts=\"\" use=\"literal\" />"),
      Contains("Get with action 'urn:quotes/Get', request none, response {urn:more}Answer"));
  CHECK_THAT(
      change("<s:element name=\"Get\"", "<s:element name=\"Got\""),
      Contains("request {urn:quotes}Get, an element that no schema of the file declares, response "
               "{urn:more}Answer; the table has Get with"));
  CHECK_THAT(
      change("name=\"Id\"", "name=\"No\""),
      Contains(
          "has required {urn:quotes}No in Trace, where the table has required {urn:quotes}Id"));
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

namespace {

/// The WSDL of Orders with some of its text replaced.
std::string orders_with(std::initializer_list<std::pair<std::string, std::string>> changes) {
  std::string text = wsdl_of<Orders<false>>();
  for (const auto& [from, to] : changes)
    text = replaced(std::move(text), from, to);
  return text;
}
std::string refused(const std::string& from, const std::string& to) {
  return refusal<Orders<true>>(orders_with({{from, to}}));
}

const std::string end_of_types = "</s:schema>";
const std::string note = R"(<s:element minOccurs="0" maxOccurs="1" name="Note" type="s:string" />)";
const std::string when =
    R"(<s:element minOccurs="1" maxOccurs="1" name="When" type="s:dateTime" />)";
const std::string whole =
    R"(<s:element minOccurs="1" maxOccurs="1" name="Whole" type="tns:Part" />)";

}  // namespace

TEST_CASE("a WSDL with other content than the table's is refused", "[wsdl][serve_wsdl]") {
  const removed_at_end end;
  struct difference {
    std::string from, to, told;
  };
  const difference all[] = {
      {"name=\"When\"",
       "name=\"Time\"",
       "has required {urn:orders}Time in Place, where the table has required {urn:orders}When"},
      {when,
       when + "<s:sequence>" + note + "</s:sequence>",
       "has optional {urn:orders}Note in Place, where the table has optional repeated {urn:orde"},
      {when,
       "",
       "has optional {urn:orders}Note in Place, where the table has required {urn:orders}When"},
      {"name=\"Card\"", "name=\"Text\"", "has required {urn:orders}Text in Gift, where the"},
      {note,
       "",
       "has optional repeated {urn:orders}Items in Place, where the table has optional {urn:ord"},
      {"</s:sequence>\n        <s:attribute",
       note + "</s:sequence><s:attribute",
       "has optional {urn:orders}Note in Place, where the table has required @{}id"},
      {"minOccurs=\"0\" maxOccurs=\"1\" name=\"Note\"",
       "name=\"Note\"",
       "has required {urn:orders}Note in Place, where the table has optional {urn:orders}Note"},
      {"maxOccurs=\"unbounded\" name=\"Part\"",
       "maxOccurs=\"1\" name=\"Part\"",
       "has optional {urn:orders}Part in Place/Whole, where the table has optional repeated {urn"},
      {"name=\"When\" type=\"s:dateTime\"",
       "name=\"When\" type=\"s:string\"",
       "has a value such as text in Place/When, where the table has a value such as 2026-01-31T"},
      {"name=\"Count\" type=\"s:int\"",
       "name=\"Count\" type=\"s:decimal\"",
       "has a value such as 12.50 in Place/Items/Count, where the table has a value such as 1"},
      {"name=\"Whole\" type=\"tns:Part\"",
       "name=\"Whole\" type=\"s:string\"",
       "has a value such as text in Place/Whole, where the table has required {urn:orders}Name"},
      {"name=\"Spare\" nillable=\"true\"",
       "name=\"Spare\"",
       "has required {urn:orders}Spare in Place, where the table has required nillable "
       "{urn:orders}S"},
      {"name=\"Note\"", "form=\"unqualified\" name=\"Note\"", "has optional {}Note in Place"},
      {"elementFormDefault=\"qualified\"",
       "",
       "has required {}Grams in weight, where the table has required {urn:orders}Grams"},
      {"<s:attribute name=\"id\"",
       "<s:attribute form=\"qualified\" name=\"id\"",
       "@{urn:orders}id"},
      {"use=\"required\"", "", "has optional @{}id in Place, where the table has required @{}id"},
      {"<s:attribute ",
       "<s:attribute name='a'/><s:attribute ",
       "has optional @{}a in Place, where"},
      {"name=\"id\" type=\"s:string\"",
       "name=\"id\" type=\"s:int\"",
       "has a value such as 1 in Place/id"},
      {"<s:any minOccurs=\"0\" maxOccurs=\"unbounded\" processContents=\"lax\" />",
       "",
       "has required @{}id in Place, where the table has optional repeated any element"},
      {"<s:complexType />",
       "<s:complexType><s:all><s:element name='a' type='s:int'/></s:all></s:complexType>",
       "has required {urn:orders}a in PlaceResponse, where the table has nothing more"},
      {"name=\"Grams\"",
       "name=\"Tons\"",
       "has required {urn:orders}Tons in weight, where the table"},
  };
  for (const difference& each : all) {
    INFO(each.from << " -> " << each.to);
    CHECK_THAT(refused(each.from, each.to), Contains(each.told));
  }
  // Another order, and other models of groups.
  CHECK_THAT(
      refusal<Orders<true>>(orders_with({{when, ""}, {note, note + when}})),
      Contains("has optional {urn:orders}Note in Place, where"));
  CHECK_THAT(
      refusal<Orders<true>>(
          orders_with({{"<s:choice ", "<s:sequence "}, {"</s:choice", "</s:sequence"}})),
      Contains("has required {urn:orders}PayCard in Place, where the table has optional "
               "{urn:orders}Account"));
  CHECK_THAT(
      refused(
          "<s:complexType name=\"Part\">\n        <s:sequence>",
          "<s:complexType name=\"Part\"><s:sequence maxOccurs=\"unbounded\">"),
      Contains("has required repeated {urn:orders}Name in Place/Whole"));
  // In a type that contains itself.
  CHECK_THAT(
      refusal<Orders<true>>(orders_with(
          {{"name=\"Part\" type=\"tns:Part\"", "name=\"Part\" type=\"tns:Inner\""},
           {end_of_types,
            "<s:complexType name=\"Inner\"><s:sequence><s:element name=\"Name\" type=\"s:date\"/>"
            "<s:element minOccurs=\"0\" maxOccurs=\"unbounded\" name=\"Part\" type=\"tns:Inner\"/>"
            "<s:element minOccurs=\"0\" maxOccurs=\"unbounded\" name=\"Spare\" type=\"tns:Inner\"/>"
            "</s:sequence></s:complexType></s:schema>"}})),
      Contains("has a value such as 2026-01-31 in Place/Whole/Part/Name, where the table has a "));
}

TEST_CASE("a WSDL with equivalent content is served", "[wsdl][serve_wsdl]") {
  const removed_at_end end;
  const std::string order = "<s:complexType name=\"Order\">\n        <s:sequence>";
  const std::string choice = "<s:choice minOccurs=\"1\" maxOccurs=\"1\">";
  const std::string id = "<s:attribute name=\"id\" type=\"s:string\" use=\"required\" />";
  const std::string rest_of_order = id + "\n      </s:complexType>";
  const std::string account =
      R"(<s:element minOccurs="1" maxOccurs="1" name="Account" type="s:string" />)";
  const std::string items =
      R"(<s:element minOccurs="0" maxOccurs="unbounded" name="Items" type="tns:Item" />)";
  const auto typed = [&](const std::string& type) {
    return std::pair(
        note,
        "<s:element minOccurs=\"0\" name=\"Note\"><s:simpleType>" + type +
            "</s:simpleType></s:element>");
  };
  const auto declared = [&](const std::string& what) {
    return std::pair(end_of_types, what + end_of_types);
  };
  const std::initializer_list<std::pair<std::string, std::string>> all[] = {
      {},
      {{when, "<s:element name=\"When\" type=\"s:dateTime\"><s:annotation/></s:element>"},
       {"<s:complexType />",
        "<s:complexType><s:sequence><!-- none --></s:sequence></s:complexType>"}},
      // Named and unnamed types, and parts that are declared elsewhere.
      {{whole,
        "<s:element name=\"Whole\"><s:complexType><s:complexContent><s:extension "
        "base=\"tns:Part\"/>"
        "</s:complexContent></s:complexType></s:element>"}},
      {{when, "<s:element ref=\"tns:When\"/>"},
       declared("<s:element name=\"When\" type=\"s:dateTime\"/>")},
      {{when + "\n          " + note, "<s:group ref=\"tns:G\"/>"},
       declared("<s:group name=\"G\"><s:sequence>" + when + note + "</s:sequence></s:group>")},
      {{id, "<s:attributeGroup ref=\"tns:A\"/>"},
       declared("<s:attributeGroup name=\"A\">" + id + "</s:attributeGroup>")},
      {{order,
        "<s:complexType name=\"Order\"><s:complexContent><s:extension base=\"tns:O\"><s:sequence>"},
       {when, ""},
       {rest_of_order, id + "</s:extension></s:complexContent></s:complexType>"},
       declared("<s:complexType name=\"O\"><s:sequence>" + when + "</s:sequence></s:complexType>")},
      {{order,
        "<s:complexType name=\"Order\"><s:complexContent><s:restriction base=\"tns:O\">"
        "<s:sequence>"},
       {rest_of_order,
        "<s:attribute name=\"no\" use=\"prohibited\"/></s:restriction></s:complexContent>"
        "</s:complexType>"},
       declared(
           "<s:complexType name=\"O\"><s:sequence><s:element name=\"More\" minOccurs=\"0\"/>"
           "</s:sequence>" +
           id + "<s:attribute name=\"no\"/></s:complexType>")},
      // Groups in groups.
      {{when, "<s:sequence><s:sequence>" + when},
       {note, "</s:sequence><s:choice>" + note + "</s:choice></s:sequence>"}},
      {{items,
        "<s:sequence minOccurs=\"0\" maxOccurs=\"unbounded\"><s:element name=\"Items\" "
        "type=\"tns:Item\"/></s:sequence>"}},
      {{choice, choice + account}, {account + "\n          </s:choice>", "</s:choice>"}},
      {{choice, "<s:element name='Gone' maxOccurs='0' minOccurs='0'/><s:choice>"}},
      {{when + "\n          " + note,
        "<s:choice><s:sequence><s:element name='When' type='s:dateTime'/>" + note +
            "</s:sequence><s:element name='Gone' maxOccurs='0' minOccurs='0'/></s:choice>"}},
      {{note, "<s:element minOccurs=' 0 ' name=' Note ' type=' s:string '/>"}},
      // Namespaces of names and of the schema language.
      {{"elementFormDefault=\"qualified\" targetNamespace",
        "attributeFormDefault=\"qualified\" elementFormDefault=\"qualified\" targetNamespace"},
       {id, "<s:attribute form=\"unqualified\" name=\"id\" type=\"s:string\" use=\"required\"/>"}},
      {{note,
        "<element xmlns='http://www.w3.org/2001/XMLSchema' xmlns:o='urn:orders' minOccurs='0' "
        "name='Note' type='string' form='qualified'/>"}},
      {{"<s:complexType name=\"Item\">",
        "</s:schema><s:schema elementFormDefault='qualified' targetNamespace='urn:orders'>"
        "<s:complexType name=\"Item\">"}},
      // Simple types: facets, lists, unions, forms and sizes.
      {typed("<s:restriction base=\"s:token\"><s:maxLength value=\"5\"/></s:restriction>")},
      {typed("<s:restriction base=\"tns:S\"><s:enumeration value=\"a\"/></s:restriction>"),
       declared("<s:simpleType name=\"S\"><s:restriction base=\"s:NMTOKEN\"/></s:simpleType>")},
      {typed("<s:union memberTypes=\"s:int s:string\"/>")},
      {typed("<s:list itemType=\"s:int\"/>")},
      {{"name=\"Count\" type=\"s:int\"", "name=\"Count\" type=\"s:unsignedShort\""}},
      {{"name=\"Count\" type=\"s:int\"",
        "name=\"Count\" type=\"s:positiveInteger\" default=\"1\""}},
      // Any content, and types and elements that the file does not contain.
      {{"<s:complexType name=\"Item\">", "<s:complexType mixed=\"true\" name=\"Item\">"}},
      {{whole, "<s:element name=\"Whole\"/>"}},
      {{whole, "<s:element name=\"Whole\" type=\"tns:NotHere\"/>"}},
      {{note, "<s:element ref=\"tns:Head\"/>"},
       declared(
           "<s:element name=\"Head\"/><s:element name=\"Note\" substitutionGroup=\"tns:Head\"/>")},
      {{id, id + "<s:anyAttribute namespace=\"##other\"/>"}},
      // A type that no message uses, and a type of the table, Gift, that the file does not contain.
      {declared("<s:complexType name=\"Alone\"><s:group ref=\"tns:Nowhere\"/></s:complexType>")},
      {{"<s:complexType name=\"Gift\">", "<s:complexType name=\"Present\">"}},
  };
  for (const auto& each : all) {
    const std::string text = orders_with(each);
    INFO(text);
    CHECK(refusal<Orders<true>>(text) == "added");
  }
}

TEST_CASE("cyclic content in a WSDL is not compared", "[wsdl][serve_wsdl]") {
  const removed_at_end end;
  const std::string part_head = "<s:complexType name=\"Part\">\n        <s:sequence>";
  const auto with = [&](const std::string& in_part, const std::string& declared) {
    return refusal<Orders<true>>(orders_with(
        {{part_head, "<s:complexType name=\"Part\"><s:sequence>" + in_part},
         {end_of_types, declared + end_of_types}}));
  };
  const std::string cyclic = "<s:group ref=\"tns:G\"/>";
  CHECK(
      with(cyclic, "<s:group name=\"G\"><s:sequence>" + cyclic + "</s:sequence></s:group>") ==
      "added");
  CHECK(
      refused(
          "<s:complexType name=\"Part\">",
          "<s:complexType name=\"Part\"><s:complexContent><s:extension base=\"tns:Part\"/>"
          "</s:complexContent></s:complexType><s:complexType name=\"Unused\">") == "added");
  CHECK(
      refused(
          "<s:attribute ",
          "<s:attributeGroup ref=\"tns:A\"/></s:complexType><s:attributeGroup name=\"A\">"
          "<s:attributeGroup ref=\"tns:A\"/></s:attributeGroup><s:complexType name=\"B\">"
          "<s:attribute ") == "added");
  std::string groups;
  for (int level = 0; level != 30; ++level) {
    const std::string next = "<s:group ref=\"tns:G" + std::to_string(level + 1) + "\"/>";
    groups += "<s:group name=\"G" + std::to_string(level) + "\"><s:sequence>" + next + next +
              "</s:sequence></s:group>";
  }
  CHECK(with("<s:group ref=\"tns:G0\"/>", groups + "<s:group name=\"G30\"/>") == "added");
  // The file unrolls a type that contains itself into many types. Each of them is compared once.
  const auto unrolled = [&](int count, const std::string& name_type) {
    std::string made;
    for (int level = 0; level != count; ++level) {
      const std::string next = " type=\"tns:P" + std::to_string(std::min(level + 1, count - 1)) +
                               "\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>";
      made += "<s:complexType name=\"P" + std::to_string(level) +
              "\"><s:sequence><s:element name=\"Name\" type=\"" +
              (level + 1 == count ? name_type : "s:string") + "\"/><s:element name=\"Part\"" +
              next + "<s:element name=\"Spare\"" + next + "</s:sequence></s:complexType>";
    }
    return refusal<Orders<true>>(orders_with(
        {{"name=\"Whole\" type=\"tns:Part\"", "name=\"Whole\" type=\"tns:P0\""},
         {end_of_types, made + end_of_types}}));
  };
  CHECK(unrolled(2000, "s:string") == "added");
  CHECK_THAT(
      unrolled(30, "s:int"), Contains("Part/Part/Name, where the table has a value such as text"));
  CHECK(unrolled(2000, "s:int") == "added");
  std::string nested;
  for (int level = 0; level != 10'000; ++level)
    nested += "<s:sequence>";
  for (int level = 0; level != 10'000; ++level)
    nested += "</s:sequence>";
  CHECK_THAT(with(nested, ""), Contains("is not read: "));
}
