// XML without a message: read_xml, write_xml, to_text, xml::as and xml::from ([call]), and what
// for_each_field tells of a row.
#include "soapsvc.hpp"

#include <catch2/catch.hpp>

#include <map>

using Catch::Matchers::Contains;

enum class Unit { piece, kilogram };
template <>
inline constexpr auto soapsvc::schema<Unit> =
    enumeration("Unit", value("Piece", Unit::piece), value("Kilogram", Unit::kilogram));

struct Line {
  std::string article;
  Unit unit{};
  soapsvc::nillable<std::int32_t> count;
  friend bool operator==(const Line&, const Line&) = default;
};
template <>
inline constexpr auto soapsvc::schema<Line> = record(
    "Line",
    field("Article", &Line::article, max_length(5)),
    field("Unit", &Line::unit),
    field("Count", &Line::count));

struct Order {
  std::int64_t id{};
  std::string card;
  std::vector<Line> lines;
  std::vector<soapsvc::xml> more;
  friend bool operator==(const Order&, const Order&) = default;
};
template <>
inline constexpr auto soapsvc::schema<Order> = record(
    "Order",
    attribute("id", &Order::id),
    field("Card", &Order::card, secret),
    field("Line", &Order::lines),
    any(&Order::more, ns("##other")));

struct Stamp {
  std::string by;
  Line line;
};
template <>
inline constexpr auto soapsvc::schema<Stamp> = record(
    "Stamp",
    ns("urn:stamps"),
    field("By", &Stamp::by),
    field("Line", &Stamp::line, ns("urn:shop")));

struct Login {
  std::string user;
  std::string password;
};
/// A struct and a list in rows that are secret.
struct Vault {
  Line line;
  std::vector<Line> lines;
  std::optional<Line> open;
};
template <>
inline constexpr auto soapsvc::schema<Vault> = record(
    "Vault",
    field("Line", &Vault::line, secret),
    wrapped_list("Lines", &Vault::lines, secret),
    field("Open", &Vault::open));
template <>
inline constexpr auto soapsvc::schema<Login> =
    record(field("User", &Login::user), field("Password", &Login::password, secret));

// -- Values that take memory outside of the struct --

struct Wide {
  std::array<std::int32_t, 250> years{};
  std::optional<std::string> name;
};
struct Branch {
  soapsvc::box<Branch> left;
  std::unique_ptr<Wide> right;
  std::optional<Wide> inside;
};
struct Shape {
  std::optional<std::string> name;
};
struct WideShape : Shape {
  std::optional<Wide> wide;
};
struct Packed {
  std::array<char, 1'000> room{};
};
template <> struct soapsvc::adapter<Packed> {
  using wire = std::int32_t;
  static wire to_wire(const Packed& value) {
    if (value.room[0] == 'x') throw std::invalid_argument("soapsvc: it is x");
    return value.room[0];
  }
  static Packed from_wire(wire) { return {}; }
};
struct Hoard {
  std::vector<Wide> items;
  std::vector<soapsvc::nillable<Wide>> nils;
  std::optional<std::vector<Wide>> wrapped;
  std::vector<Packed> adapted;
  std::vector<soapsvc::polymorphic<Shape>> shapes;
  std::optional<std::map<std::int32_t, Wide>> named;
  std::optional<soapsvc::list<std::string>> words;
};
struct Run {
  std::optional<std::string> first;
  std::optional<Wide> wide;
};
struct Runs {
  std::vector<Run> runs;
};
template <>
inline constexpr auto soapsvc::schema<Wide> =
    record("Wide", field("Name", &Wide::name), ignored(&Wide::years));
template <>
inline constexpr auto soapsvc::schema<Branch> = record(
    "Branch",
    field("Left", &Branch::left),
    field("Right", &Branch::right),
    field("Inside", &Branch::inside));
template <>
inline constexpr auto soapsvc::schema<Shape> = record("Shape", field("Name", &Shape::name));
template <>
inline constexpr auto soapsvc::schema<WideShape> =
    record("WideShape", extends<Shape>(), field("Wide", &WideShape::wide));
template <> inline constexpr auto soapsvc::known_types<Shape> = soapsvc::types<WideShape>();
template <>
inline constexpr auto soapsvc::schema<Hoard> = record(
    "Hoard",
    field("Item", &Hoard::items),
    field("Nil", &Hoard::nils),
    wrapped_list("Wrapped", "Item", &Hoard::wrapped),
    field("Adapted", &Hoard::adapted),
    field("Shape", &Hoard::shapes),
    map("Named", "Entry", "Key", "Value", &Hoard::named),
    field("Words", &Hoard::words));
template <>
inline constexpr auto soapsvc::schema<Run> =
    record("Run", field("First", &Run::first), field("Wide", &Run::wide));
template <> inline constexpr auto soapsvc::schema<Runs> = record("Runs", group(&Runs::runs));

// -- Lists with initial items --

struct Cell {
  std::string key;
  std::int32_t value{};
};
struct Columns {
  std::vector<std::string> names{"Id", "Name"};
  std::vector<std::int32_t> ids{1, 2};
  std::vector<Cell> cells{{"x", 1}};
  std::int32_t width = 80;
};
struct Needed {
  std::vector<std::int32_t> ids{1};
};
struct Unlisted {
  std::vector<soapsvc::xml> elements{soapsvc::xml("<Old/>")};
  std::vector<soapsvc::xml_attribute> attributes{soapsvc::xml_attribute{{"", "old"}, "1"}};
};
template <>
inline constexpr auto soapsvc::schema<Needed> =
    record("Needed", field("Id", &Needed::ids, occurs(1)));
template <>
inline constexpr auto soapsvc::schema<Unlisted> =
    record("Unlisted", any(&Unlisted::elements), any_attribute(&Unlisted::attributes));
template <>
inline constexpr auto soapsvc::schema<Cell> =
    record("Cell", field("Key", &Cell::key), field("Value", &Cell::value));
template <>
inline constexpr auto soapsvc::schema<Columns> = record(
    "Columns",
    field("Name", &Columns::names),
    wrapped_list("Ids", "Id", &Columns::ids),
    group(&Columns::cells),
    field("Width", &Columns::width, default_if_absent));

namespace {

template <class T>
std::string refusal(std::string_view text, const soapsvc::message_limits& limits = {}) {
  try {
    soapsvc::read_xml<T>(text, limits);
    return "read";
  } catch (const soapsvc::fault& refused) {
    CHECK(refused.code() == soapsvc::fault_code::client);
    return refused.reason();
  }
}

}  // namespace

TEST_CASE("a struct that is written and read back is equal", "[call][xml]") {
  const Order order{7, "4111", {{"A<1", Unit::kilogram, 2}, {"B", Unit::piece, {}}}, {}};
  for (const std::string ns : {"", "urn:shop"}) {
    const std::string text = soapsvc::write_xml(order, ns);
    INFO(text);
    CHECK(soapsvc::read_xml<Order>(text) == order);
    const auto element = soapsvc::xml::from(order, ns);
    CHECK(element.name() == soapsvc::qualified_name{ns, "Order"});
    CHECK(element.as<Order>() == order);
    CHECK(soapsvc::read_xml<Order>(element) == order);
  }
  CHECK(
      soapsvc::write_xml(order.lines[0], "urn:shop") ==
      "<Line xmlns=\"urn:shop\"><Article>A&lt;1</Article><Unit>Kilogram</Unit>"
      "<Count>2</Count></Line>");
  CHECK(
      soapsvc::write_xml(order.lines[1]) ==
      "<Line xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><Article>B</Article>"
      "<Unit>Piece</Unit><Count xsi:nil=\"true\" /></Line>");
}

TEST_CASE(
    "the type of a derived struct without a namespace has no prefix", "[call][xml][polymorphic]") {
  Hoard hoard;
  hoard.shapes.emplace_back().emplace<WideShape>().name = "w";
  const std::string text = soapsvc::write_xml(hoard);
  CHECK(
      text ==
      "<Hoard xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
      "<Shape xsi:type=\"WideShape\"><Name>w</Name></Shape></Hoard>");
  CHECK(soapsvc::read_xml<Hoard>(text).shapes.at(0).get_if<WideShape>() != nullptr);
  CHECK_THAT(
      soapsvc::write_xml(hoard, "urn:x"), Contains("xmlns:t=\"urn:x\" xsi:type=\"t:WideShape\""));
  CHECK_THAT(soapsvc::to_text(hoard), Contains("WideShape"));
}

TEST_CASE("an element of a wildcard is read and written by a table", "[call][xml][wildcard]") {
  auto order = soapsvc::read_xml<Order>(
      "<s:Order xmlns:s='urn:shop' xmlns:o='urn:other' id='1'><s:Card/>"
      "<o:Line><o:Article>X</o:Article><o:Unit>Piece</o:Unit><o:Count>1</o:Count></o:Line>"
      "</s:Order>");
  REQUIRE(order.more.size() == 1);
  CHECK(order.more[0].as<Line>() == Line{"X", Unit::piece, 1});
  CHECK(order.more[0].as<Line>("urn:other").article == "X");
  order.more.push_back(soapsvc::xml::from(Line{"Y", Unit::piece, {}}, "urn:other"));
  const auto again = soapsvc::read_xml<Order>(soapsvc::write_xml(order, "urn:shop"));
  REQUIRE(again.more.size() == 2);
  CHECK(again.more[1].as<Line>().article == "Y");
}

TEST_CASE("the table's namespace is that of its element", "[call][xml][namespace]") {
  const Stamp stamp{"ann", {"A", Unit::piece, 1}};
  const std::string text = soapsvc::write_xml(stamp, "urn:shop");
  CHECK_THAT(text, Contains("<Stamp xmlns=\"urn:stamps\">"));
  CHECK(soapsvc::read_xml<Stamp>(text, {}, "urn:shop").line == stamp.line);
  CHECK_THAT(refusal<Stamp>(text), Contains("Stamp/Line/Article: is in the namespace 'urn:shop'"));
  CHECK(
      refusal<Stamp>("<Stamp/>") ==
      "Stamp: is in no namespace; allowed is the element 'Stamp' in the namespace 'urn:stamps'");
}

TEST_CASE("an element of another struct gets the faults of a request", "[call][xml][rule-5]") {
  CHECK(
      refusal<Line>("<Lin xmlns='urn:a'/>") ==
      "Lin: is in the namespace 'urn:a'; allowed is the element 'Line' in the namespace 'urn:a'");
  CHECK(
      refusal<Order>("<Order id='1'><Card/><Line><Article>ABCDEF</Article></Line></Order>") ==
      "Order/Line/Article: 'ABCDEF' is not of at most 5 characters");
  CHECK(
      refusal<Order>("<Order id='x'/>") ==
      "Order/@id: 'x' is not a whole number from "
      "-9223372036854775808 to 9223372036854775807");
  const std::string xsi = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'";
  CHECK(
      refusal<Line>("<Line " + xsi + " xsi:nil='true'/>") ==
      "Line: is nil, but a value is required");
  CHECK_THAT(refusal<Line>("<Line"), Contains("the element is not well-formed XML: line 1"));
  CHECK_THAT(refusal<Line>(""), Contains("has no root element"));
  CHECK_THAT(refusal<Line>("<!DOCTYPE a><Line/>"), Contains("DTD"));
  CHECK_THROWS_AS(soapsvc::xml().as<Line>(), soapsvc::fault);
}

TEST_CASE("an element is read within the limits that are given", "[call][xml][limits]") {
  const std::string text = "<Order id='1'><Card>4111</Card></Order>";
  soapsvc::message_limits limits;
  limits.max_depth = 1;
  CHECK_THAT(refusal<Order>(text, limits), Contains("max_depth"));
  limits = {};
  limits.max_text_bytes = 3;
  CHECK_THAT(refusal<Order>(text, limits), Contains("max_text_bytes"));
  CHECK(soapsvc::read_xml<Order>(text).card == "4111");
}

TEST_CASE("the bytes of items and pointers are bounded", "[codec][limits][memory]") {
  // 200 elements may come, and 25,600 bytes: 25 of each of these, whose types take 1 to 1.1 kB; the
  // 39 words take 1.2 kB, and 0.9 kB where a std::string has 24 bytes.
  struct shape {
    std::string before, each, after;
  };
  const std::string root = "<Hoard xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>";
  const shape shapes[] = {
      {root, "<Item/>", "</Hoard>"},
      {root, "<Nil/>", "</Hoard>"},
      {root, "<Nil i:nil='1'/>", "</Hoard>"},
      {root + "<Wrapped>", "<Item/>", "</Wrapped></Hoard>"},
      {root, "<Adapted>1</Adapted>", "</Hoard>"},
      {root, "<Shape i:type='WideShape'/>", "</Hoard>"},
      {root + "<Named>", "<Entry><Key>#</Key><Value/></Entry>", "</Named></Hoard>"},
      {root + "<Words>",
       "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m ",
       "</Words></Hoard>"},
      {"<Runs>", "<First/>", "</Runs>"},
      {"<Runs>", "<First/><Wide/>", "</Runs>"}};
  soapsvc::message_limits limits;
  limits.max_elements = 200;
  const auto read = [&](const shape& of, int count) {
    std::string text = of.before;
    for (int number = 0; number != count; ++number) {
      text += of.each;
      if (const std::size_t key = text.find('#'); key != text.npos)
        text.replace(key, 1, std::to_string(number));
    }
    text += of.after;
    return of.before == "<Runs>" ? refusal<Runs>(text, limits) : refusal<Hoard>(text, limits);
  };
  for (const shape& each : shapes) {
    INFO(each.each);
    CHECK(read(each, 20) == "read");
    CHECK_THAT(read(each, 28), Contains("128 for each of limit max_elements"));
  }

  const auto tree = [&](int levels, const std::string& beside) {
    std::string text;
    for (int level = 0; level != levels; ++level)
      text = "<Left>" + text + beside + "</Left>";
    return refusal<Branch>("<Branch>" + text + "</Branch>", limits);
  };
  CHECK(tree(20, "<Inside/>") == "read");
  CHECK_THAT(tree(28, "<Inside/>"), Contains("128 for each of limit max_elements"));
  CHECK(tree(10, "<Right/>") == "read");
  CHECK_THAT(tree(14, "<Right/>"), Contains("128 for each of limit max_elements"));
}

TEST_CASE("xsi:type on a list without a name may name a type of XML Schema", "[codec][xml]") {
  const auto typed = [](const std::string& type) {
    return refusal<Hoard>(
        "<Hoard xmlns:i='http://www.w3.org/2001/XMLSchema-instance' "
        "xmlns:s='http://www.w3.org/2001/XMLSchema'><Words i:type='" +
        type + "'>a b</Words></Hoard>");
  };
  CHECK(typed("s:NMTOKENS") == "read");
  CHECK(typed("Foo") == "Hoard/Words: xsi:type names 'Foo'; allowed is a type of XML Schema");
}

TEST_CASE("a received list replaces the initial items of its member", "[codec][xml]") {
  const auto none = soapsvc::read_xml<Columns>("<Columns><Ids/></Columns>");
  CHECK(none.names == std::vector<std::string>{"Id", "Name"});
  CHECK(none.ids.empty());
  CHECK(none.cells.size() == 1);
  CHECK(none.width == 80);  // as default_if_absent says
  const auto all = soapsvc::read_xml<Columns>(
      "<Columns><Name>A</Name><Ids><Id>7</Id></Ids><Key>k</Key><Value>2</Value><Name>B</Name>"
      "<Key>l</Key><Value>3</Value></Columns>");
  CHECK(all.names == std::vector<std::string>{"A", "B"});
  CHECK(all.ids == std::vector<std::int32_t>{7});
  REQUIRE(all.cells.size() == 2);
  CHECK(all.cells[0].key == "k");
  CHECK(all.cells[1].value == 3);

  // Initial items are no items of a message that lacks the required ones.
  CHECK(refusal<Needed>("<Needed/>") == "Needed: Id must appear at least once");
  CHECK(refusal<Needed>("<Needed><Id>7</Id></Needed>") == "read");
}

TEST_CASE("a received wildcard replaces the initial items of its member", "[codec][xml]") {
  const auto none = soapsvc::read_xml<Unlisted>("<Unlisted/>");
  CHECK(none.elements.size() == 1);
  CHECK(none.attributes.size() == 1);
  const auto all = soapsvc::read_xml<Unlisted>("<Unlisted a='2' b='3'><A/><B/></Unlisted>");
  REQUIRE(all.elements.size() == 2);
  CHECK(all.elements[0].name().local == "A");
  CHECK(all.elements[1].name().local == "B");
  REQUIRE(all.attributes.size() == 2);
  CHECK(all.attributes[0].value == "2");
  CHECK(all.attributes[1].value == "3");
}

TEST_CASE("a value that cannot be sent is not written", "[call][xml]") {
  CHECK_THROWS_WITH(
      soapsvc::write_xml(Line{"ABCDEF", Unit::piece, 1}), Contains("to be sent as Article"));
  CHECK_THROWS_AS(soapsvc::write_xml(Line{"\x01", Unit::piece, 1}), std::invalid_argument);
  CHECK_THROWS_AS(soapsvc::xml::from(Line{"A", Unit{9}, 1}), std::logic_error);
}

TEST_CASE("errors hide the values within a secret element that cannot be sent", "[xml][secret]") {
  const Line good{"A", Unit::piece, 1}, wrong{"ABCDEF", Unit::piece, 1};
  const std::string hidden =
      "soapsvc: this value, to be sent as Article, is not of at most 5 characters";
  CHECK_THROWS_WITH(soapsvc::write_xml(Vault{wrong, {}, {}}), hidden);
  CHECK_THROWS_WITH(soapsvc::write_xml(Vault{good, {good, wrong}, {}}), hidden);
  CHECK_THROWS_WITH(soapsvc::write_xml(Vault{good, {good}, wrong}), Contains("'ABCDEF', to be"));
  CHECK(
      soapsvc::write_xml(soapsvc::read_xml<Vault>(soapsvc::write_xml(Vault{good, {good}, good}))) ==
      soapsvc::write_xml(Vault{good, {good}, good}));
}

TEST_CASE("an element for a wildcard that would be read as another row is not sent", "[xml]") {
  const auto order = [](const char* text) {
    Order made;
    made.more.emplace_back(soapsvc::xml(text));
    return made;
  };
  CHECK_THAT(soapsvc::write_xml(order("<o:Note xmlns:o='urn:o'/>")), Contains("<o:Note"));
  for (const char* text :
       {"<Note/>",
        "<Line xmlns='urn:shop'/>",
        "<Card xmlns='urn:shop'>1</Card>",
        "<Note xmlns='urn:shop'/>"})
    CHECK_THROWS_AS(soapsvc::write_xml(order(text), "urn:shop"), std::invalid_argument);
  CHECK_THROWS_WITH(
      soapsvc::write_xml(order("<Card/>")),
      "soapsvc: the element 'Card' in no namespace, to be sent for a wildcard, is outside of its "
      "namespaces, or belongs to another row");
}

namespace {

/// A row in a namespace that its wildcard also takes.
struct Letter {
  std::optional<std::string> stamp;
  std::vector<soapsvc::xml> more;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Letter> = record(
    "Letter", field("Stamp", &Letter::stamp, ns("urn:post")), any(&Letter::more, ns("##other")));

TEST_CASE("an element in a wildcard's namespace that has the name of a row is not sent", "[xml]") {
  const auto letter = [](const char* text) {
    Letter made;
    made.more.emplace_back(soapsvc::xml(text));
    return made;
  };
  for (const char* text : {"<Seal xmlns='urn:post'/>", "<Stamp xmlns='urn:bank'/>"})
    CHECK_NOTHROW(soapsvc::write_xml(letter(text), "urn:shop"));
  CHECK_THROWS_WITH(
      soapsvc::write_xml(letter("<Stamp xmlns='urn:post'/>"), "urn:shop"),
      Contains("belongs to another row"));
}

namespace {

struct Link {
  std::int32_t from{}, to{};
};
/// A node, or both ends of a link.
struct Joint {
  std::optional<std::int32_t> node;
  std::optional<Link> link;
};
struct Graph {
  std::vector<Joint> joints;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Link> =
    soapsvc::record("Link", soapsvc::field("From", &Link::from), soapsvc::field("To", &Link::to));
template <>
inline constexpr auto soapsvc::schema<Joint> =
    soapsvc::choice(soapsvc::field("Node", &Joint::node), soapsvc::group(&Joint::link));
template <>
inline constexpr auto soapsvc::schema<Graph> =
    soapsvc::record("Graph", soapsvc::group(&Graph::joints));

TEST_CASE("a repeated choice between a row and a group begins a new item for each", "[rows]") {
  const std::string link = "<From>1</From><To>2</To>", node = "<Node>3</Node>";
  const auto graph =
      soapsvc::read_xml<Graph>("<Graph>" + node + link + link + node + node + "</Graph>");
  REQUIRE(graph.joints.size() == 5);
  for (const std::size_t at : {0U, 3U, 4U}) {
    CHECK(graph.joints[at].node == 3);
    CHECK_FALSE(graph.joints[at].link);
  }
  for (const std::size_t at : {1U, 2U}) {
    CHECK_FALSE(graph.joints[at].node);
    REQUIRE(graph.joints[at].link);
    CHECK(graph.joints[at].link->to == 2);
  }
}

TEST_CASE("to_text of a record hides secrets", "[call][xml][secret]") {
  CHECK(
      soapsvc::to_text(Login{"ann & bob", "hunter2"}) ==
      "<Value><User>ann &amp; bob</User><Password>***</Password></Value>");
  const Order order{7, "4111", {{"long enough", Unit::piece, 2}}, {soapsvc::xml("<a>4111</a>")}};
  CHECK(
      soapsvc::to_text(order) ==
      "<Order id=\"7\"><Card>***</Card><Line><Article>long enough</Article><Unit>Piece</Unit>"
      "<Count>2</Count></Line><a xmlns=\"\">***</a></Order>");
  const std::string large = soapsvc::to_text(Login{std::string(20'000'000, 'a'), "hunter2"});
  CHECK(large == "(20000056 bytes)");
  CHECK(soapsvc::to_text(Line{"A", Unit{9}, 1}) == "Line: a value cannot be written");
}

TEST_CASE("to_text does not throw for a value that its adapter refuses", "[call][xml][adapter]") {
  Hoard hoard;
  hoard.adapted.emplace_back().room[0] = 'x';
  CHECK_THROWS_AS(soapsvc::write_xml(hoard), std::invalid_argument);
  CHECK(soapsvc::to_text(hoard) == "Hoard: a value cannot be written");
}

TEST_CASE("for_each_field tells which rows are secret", "[rows][secret]") {
  std::string seen;
  Login login{"ann", "hunter2"};
  soapsvc::for_each_field(login, [&](std::string_view name, const std::string& text, bool secret) {
    seen.append(name).append("=").append(secret ? "***" : text).append(";");
  });
  CHECK(seen == "User=ann;Password=***;");
  seen.clear();
  soapsvc::for_each_field(
      std::as_const(login), [&](std::string_view name, const std::string&) { seen.append(name); });
  CHECK(seen == "UserPassword");
}
