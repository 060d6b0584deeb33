// Members that are not sent, and documentation in tables ([rows], [description]).
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

struct KeptLine : Line {
  int row = 7;
};
template <>
inline constexpr auto soapsvc::schema<KeptLine> =
    record("KeptLine", extends<Line>(), ignored(&KeptLine::row));

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

TEST_CASE("all members that a struct adds to its base may be ignored", "[rows][ignored]") {
  const auto read =
      soapsvc::read_xml<KeptLine>("<KeptLine unit='Piece'><Article>a</Article></KeptLine>");
  CHECK(read.article == "a");
  CHECK(read.row == 7);
}

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

TEST_CASE("doc in tables is documentation in the schema", "[description][wsdl]") {
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

// --- A second table for one struct ---------------------------------------------------------------

struct Item {
  std::string article;
  std::int32_t count{};
};
struct Basket {
  std::int32_t id{};
  std::vector<Item> items;
  std::vector<Item> more;
  std::optional<Item> best;
};
struct ItemV1 : Item {};
struct ItemV0 : Item {};
struct BasketV1 : Basket {};
struct BasketV0 : Basket {};
template <>
inline constexpr auto soapsvc::schema<Item> =
    record("Item", field("Article", &Item::article), field("Count", &Item::count));
template <>
inline constexpr auto soapsvc::schema<Basket> = record(
    "Basket",
    field("Id", &Basket::id),
    wrapped_list("Items", &Basket::items),
    field("More", &Basket::more),
    field("Best", &Basket::best));
template <>
inline constexpr auto soapsvc::schema<ItemV1> =
    record("Item", field("Name", &ItemV1::article), ignored(&ItemV1::count));
template <>
inline constexpr auto soapsvc::schema<ItemV0> =
    record("Item", ns("urn:old"), attribute("n", &Item::count), ignored(&Item::article));
template <>
inline constexpr auto soapsvc::schema<BasketV1> = record(
    "Basket",
    field("Number", &Basket::id),
    wrapped_list("Items", "One", &Basket::items, table_of<ItemV1>()),
    field("More", &Basket::more, table_of<ItemV1>()),
    field("Best", &Basket::best, table_of<ItemV1>()));
template <>
inline constexpr auto soapsvc::schema<BasketV0> = record(
    "Basket",
    ignored(&Basket::id),
    wrapped_list("Items", &Basket::items, table_of<ItemV0>()),
    wrapped_list("More", "One", &Basket::more, table_of<ItemV0>()),
    field("Best", &Basket::best));

class Orders {
public:
  Basket get(std::int32_t id) { return {id, {{"a", 1}}, {{"b", 2}}, Item{"c", 3}}; }
  Basket put(const Basket& order) { return order; }
};
class OrdersV1 {
public:
  explicit OrdersV1(Orders& orders) : orders_(orders) {}
  BasketV1 get(std::int32_t id) { return {orders_.get(id)}; }
  BasketV1 put(const BasketV1& order) { return {orders_.put(order)}; }

private:
  Orders& orders_;
};
template <>
inline constexpr auto soapsvc::schema<Orders> = service(
    "Orders",
    ns("urn:orders:2"),
    operation("Get", &Orders::get, parameters("Id")),
    operation("Put", &Orders::put, bare));
template <>
inline constexpr auto soapsvc::schema<OrdersV1> = service(
    "OrdersV1",
    ns("urn:orders:1"),
    path("/orders/1"),
    operation("Get", &OrdersV1::get, parameters("Id")),
    operation("Put", &OrdersV1::put, bare));

// -- A table without a name that comes after the row --

struct Leaf {
  std::string text;
};
struct Tree {
  std::vector<Leaf> leaves;
};
template <>
inline constexpr auto soapsvc::schema<Tree> =
    record("Tree", field("Leaf", &Tree::leaves, forward_declared));
template <> inline constexpr auto soapsvc::schema<Leaf> = record(field("Text", &Leaf::text));
class Forest {
public:
  void plant(const Tree&) {}
};
template <>
inline constexpr auto soapsvc::schema<Forest> =
    service("Forest", ns("urn:forest"), operation("Plant", &Forest::plant, bare));

TEST_CASE("adding a service reports a later table that has no name", "[wsdl]") {
  Forest forest;
  CHECK_THROWS_WITH(
      soapsvc::dispatcher().add(forest),
      "soapsvc: the table of a struct in the operation Plant needs a name, because a field holds "
      "it");
}

TEST_CASE("a struct has a table for each version of a contract", "[codec][table_of]") {
  const Basket order = Orders().get(7);
  CHECK(
      soapsvc::write_xml(order) ==
      "<Basket><Id>7</Id><Items><Item><Article>a</Article><Count>1</Count></Item></Items>"
      "<More><Article>b</Article><Count>2</Count></More>"
      "<Best><Article>c</Article><Count>3</Count></Best></Basket>");
  const std::string v1 = soapsvc::write_xml(BasketV1{order});
  CHECK(
      v1 ==
      "<Basket><Number>7</Number><Items><One><Name>a</Name></One></Items>"
      "<More><Name>b</Name></More><Best><Name>c</Name></Best></Basket>");
  const std::string v0 = soapsvc::write_xml(BasketV0{order});
  CHECK(
      v0 ==
      "<Basket><Items><Item n=\"1\" /></Items><More><One n=\"2\" /></More>"
      "<Best><Article>c</Article><Count>3</Count></Best></Basket>");
  const BasketV1 read = soapsvc::read_xml<BasketV1>(v1);
  CHECK(soapsvc::write_xml(read) == v1);
  CHECK(read.items.at(0).article == "a");
  CHECK(read.items.at(0).count == 0);
  CHECK(soapsvc::read_xml<BasketV0>(v0).more.at(0).count == 2);
  CHECK_THROWS_WITH(
      soapsvc::read_xml<BasketV1>(soapsvc::write_xml(order)),
      Catch::Contains("Basket") && Catch::Contains("'Id'"));
}

TEST_CASE("two versions of a service are served side by side", "[codec][table_of][wsdl]") {
  Orders orders;
  OrdersV1 old(orders);
  soapsvc::dispatcher services;
  services.add(orders);
  services.add(old);
  const soapsvc::client<Orders> client(services);
  const soapsvc::client<OrdersV1> old_client(services);
  CHECK(client.call(&Orders::get, 3).items.at(0).count == 1);
  const BasketV1 got = old_client.call(&OrdersV1::get, 3);
  CHECK(got.id == 3);
  CHECK(got.items.at(0).article == "a");
  CHECK(got.items.at(0).count == 0);
  CHECK(old_client.call(&OrdersV1::put, got).more.at(0).article == "b");
  soapsvc::http_request request;
  request.method = "GET";
  request.target = "/orders/1?wsdl";
  const std::string wsdl = services.handle(request).body;
  for (const char* part :
       {"targetNamespace=\"urn:orders:1\"",
        "name=\"Number\"",
        "name=\"Items\" type=\"tns:ArrayOfOne\"",
        "name=\"One\" type=\"tns:Item\"",
        "name=\"More\" type=\"tns:Item\"",
        "name=\"Name\""})
    CHECK_THAT(wsdl, Catch::Contains(part));
  CHECK_THAT(wsdl, !Catch::Contains("Article") && !Catch::Contains("Count"));
}
