// Members that are not on the wire, and what tables say for people ([rows], [description]).
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <mutex>

using Catch::Matchers::Contains;

enum class Unit { piece, kilogram };
template <>
inline constexpr auto soapsvc::schema<Unit> = enumeration(
    "Unit",
    doc("How it is counted."),
    xs::token,
    value("Piece", Unit::piece, doc("By number.")),
    value("Kilogram", Unit::kilogram));

struct Line {
    std::map<std::string, int> cache{{"kept", 1}};
    std::string article;
    Unit unit{};
    std::unique_ptr<std::mutex> lock;
};
template <>
inline constexpr auto soapsvc::schema<Line> = record(
    "Line",
    doc("What is bought."),
    ignored(&Line::cache),
    field("Article", &Line::article, doc("Its <code>."), max_length(5)),
    attribute("unit", &Line::unit, doc("Its unit.")),
    ignored(&Line::lock));

struct Order {
    std::vector<Line> lines;
    std::vector<soapsvc::xml> more;
    void* owner = nullptr;
};
template <>
inline constexpr auto soapsvc::schema<Order> = record(
    doc("An order."),
    field("Line", &Order::lines, deprecated, doc("At least one.")),
    any(&Order::more, ns("##other"), doc("Remarks.")),
    ignored(&Order::owner));

class Shop {
public:
    std::int32_t order(const Order& order) {
        is_kept = order.owner == nullptr && order.lines.at(0).cache.at("kept") == 1;
        return static_cast<std::int32_t>(order.lines.size());
    }
    bool is_kept = false;
};
template <>
inline constexpr auto soapsvc::schema<Shop> =
    service("Shop", operation("Order", &Shop::order, doc("Orders."), deprecated));

TEST_CASE("an ignored member is not on the wire and keeps its value", "[rows][ignored]") {
    Line line;
    line.article = "A";
    line.cache = {{"other", 2}};
    CHECK(soapsvc::write_xml(line) == "<Line unit=\"Piece\"><Article>A</Article></Line>");
    const auto read = soapsvc::read_xml<Line>("<Line unit='Kilogram'><Article>B</Article></Line>");
    CHECK(read.article == "B");
    CHECK(read.unit == Unit::kilogram);
    CHECK(read.cache.at("kept") == 1);
    CHECK_THROWS_WITH(
        soapsvc::read_xml<Line>("<Line unit='Piece'><Article/><cache/></Line>"),
        Contains("the element 'cache' is not known here; allowed are Article"));
    std::string names;
    soapsvc::for_each_field(line, [&](std::string_view name, const auto& member) {
        static_assert(!std::is_same_v<decltype(member), const std::unique_ptr<std::mutex>&>);
        names.append(name).append(";");
    });
    CHECK(names == "Article;unit;");

    Shop shop;
    soapsvc::dispatcher services({.ns_base = "urn:test"});
    services.add(shop);
    Order order;
    order.lines.emplace_back().article = "C";
    order.owner = &shop;
    CHECK(soapsvc::client<Shop>(services).call(&Shop::order, order) == 1);
    CHECK(shop.is_kept);
}

TEST_CASE("what tables say for people is documentation in the schema", "[description][wsdl]") {
    Shop shop;
    soapsvc::dispatcher services({.ns_base = "urn:test"});
    services.add(shop);
    soapsvc::http_request request;
    request.method = "GET";
    request.target = "/soap/v3/Shop.asmx?wsdl";
    std::string wsdl;
    for (const char c : services.handle(request).body)  // without indentation
        if (c != '\n' && !(c == ' ' && (wsdl.empty() || wsdl.ends_with('>')))) wsdl += c;
    INFO(wsdl);
    const auto noted = [](const std::string& text) {
        return "<s:annotation><s:documentation>" + text + "</s:documentation></s:annotation>";
    };
    for (const std::string& part :
         {"<s:complexType name=\"Line\">" + noted("What is bought."),
          "name=\"Article\">" + noted("Its &lt;code&gt;.") + "<s:simpleType>",
          "<s:attribute name=\"unit\" type=\"tns:Unit\" use=\"required\">" + noted("Its unit.") +
              "</s:attribute>",
          "<s:simpleType name=\"Unit\">" + noted("How it is counted.") + "<s:restriction",
          "<s:enumeration value=\"Piece\">" + noted("By number.") + "</s:enumeration>",
          std::string("<s:enumeration value=\"Kilogram\" />"),
          "<s:element name=\"Order\"><s:complexType>" + noted("An order."),
          "type=\"tns:Line\">" + noted("Deprecated. At least one."),
          "processContents=\"lax\">" + noted("Remarks.") + "</s:any>",
          std::string("name=\"OrderResult\" type=\"s:int\" />"),
          std::string("<wsdl:documentation>Deprecated. Orders.</wsdl:documentation>")})
        CHECK_THAT(wsdl, Contains(part));
    CHECK_THAT(wsdl, !Contains("cache") && !Contains("lock") && !Contains("owner"));
}
