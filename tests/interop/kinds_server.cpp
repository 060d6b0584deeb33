// kinds_server: the service of tests/kinds, with all features of tables, for clients of other
// languages. Each feature of features.md has one value, equal in all clients. A request with this
// value is returned, and its feature is printed. Any other request gets a fault. So a client that
// loses something in both directions is detected. Listens on a free port of 127.0.0.1, prints it,
// and serves until it is killed.
#include "../kinds/kinds.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>

namespace {

using namespace kinds;

/// Prints that the value of this feature has arrived, and how: the run counts no feature without
/// this line.
void arrived(const std::string& feature, const soapsvc::context& call) {
  const char* const version = call.version == soapsvc::soap_version::v1_1 ? "1.1" : "1.2";
  std::cout << ("arrived in " + std::string(version) + ": " + feature + "\n") << std::flush;
}

[[noreturn]] void refuse() {
  throw soapsvc::fault(soapsvc::fault_code::client, "this is not the value of any feature");
}

// --- Texts that clients write in their own way ---------------------------------------------------

/// An element reduced to its text: prefixes, declarations and types in xsi:type differ from client
/// to client.
soapsvc::xml plain(const soapsvc::xml& element) {
  if (element.empty()) return element;
  std::string text;
  bool in_tag = false;
  for (const char c : element.text()) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false;
  }
  const auto& [uri, local] = element.name();
  return soapsvc::xml(
      "<" + local + " xmlns=\"" + std::string(uri) + "\">" + text + "</" + local + ">");
}

void make_plain(std::vector<soapsvc::xml>& elements) {
  for (soapsvc::xml& element : elements)
    element = plain(element);
}

/// A value that may be absent or nil, because some clients have one null for both.
template <class T> void absent_for_nil(std::optional<soapsvc::nillable<T>>& value) {
  if (value && !value->has_value()) value.reset();
}

/// The order of attributes has no meaning.
void sort(std::vector<soapsvc::xml_attribute>& attributes) {
  std::sort(attributes.begin(), attributes.end(), [](const auto& a, const auto& b) {
    return a.name.local < b.name.local;
  });
}

Everything plain(Everything all) {
  for (Open& open : all.opens) {
    make_plain(open.others);
    sort(open.attributes);
  }
  for (OpenElsewhere& open : all.elsewhere)
    if (open.other) open.other = plain(*open.other);
  for (OpenGroups& open : all.open_groups)
    for (Note& note : open.notes)
      note.note = plain(note.note);
  for (Anything& anything : all.anything) {
    anything.value = plain(anything.value);
    make_plain(anything.many);
    absent_for_nil(anything.nil);
  }
  for (Zoo& zoo : all.zoos)
    absent_for_nil(zoo.hole);
  for (QualifiedNames& names : all.names)
    absent_for_nil(names.bare);
  return all;
}

// --- The value of each feature -------------------------------------------------------------------

const std::string base = "http://kinds.example";

struct feature_value {
  std::string feature;
  Everything value;
};

template <class Member, class... Values>
Everything with(std::vector<Member> Everything::*member, Values... values) {
  Everything made;
  (made.*member) = {std::move(values)...};
  return made;
}

Animal animal(const std::string& name, std::int32_t id) { return {name, id}; }
Dog dog(const std::string& name, std::int32_t id, bool barks) { return {animal(name, id), barks}; }
Puppy puppy(const std::string& name, std::int32_t id) { return {dog(name, id, false)}; }
Cat cat(const std::string& name, std::int32_t id) { return {animal(name, id), 7, "grey"}; }

template <class Base, class Made> soapsvc::polymorphic<Base> as(Made made) {
  return soapsvc::polymorphic<Base>(std::move(made));
}

Step left(std::int32_t steps) { return {.left = steps, .right = {}, .pay = {}}; }
Step right(std::int32_t steps) { return {.left = {}, .right = steps, .pay = {}}; }

Everything two_prices() {
  Everything made = with(&Everything::prices, Price{soapsvc::decimal("1"), "EUR"});
  made.other_prices = {{100}};
  return made;
}

Everything nils() {
  Nils empty, full;
  empty.may_be_there.emplace();
  full.must_be_there.emplace() = "there";
  full.may_be_there.emplace(5);
  return with(&Everything::nils, empty, full);
}

Everything nil_records() {
  Nils made;
  made.must_be_there.emplace() = "there";
  made.many = {soapsvc::nillable(Plain{"a", {}}), {}};
  return with(&Everything::nils, made);
}

Everything authors() {
  Book first{.title = "One", .author = {}, .sequel = {}};
  first.author.emplace() = {"Bob", {}};
  first.sequel.emplace() = {.title = "Two", .author = {}, .sequel = {}};
  Everything made;
  made.author.emplace() = {"Ann", {first}};
  return made;
}

Everything payments() {
  Means card, transfer;
  card.card = Card{"4111", 7};
  transfer.transfer = Transfer{"DE1", "bank"};
  return with(
      &Everything::payments,
      Payment{card, soapsvc::decimal("1")},
      Payment{transfer, soapsvc::decimal("2")},
      Payment{{}, soapsvc::decimal("3")});
}

Everything extensions() {
  Everything made = with(&Everything::dogs, dog("Rex", 1, true));
  made.puppies = {puppy("Bo", 2)};
  return made;
}

Everything zoo() {
  Zoo made;
  made.director = as<Animal>(dog("Rex", 1, true));
  made.star = as<Animal>(cat("Tom", 2));
  made.animals = {as<Animal>(puppy("Bo", 3)), as<Animal>(cat("Kit", 4))};
  return with(&Everything::zoos, made);
}

Everything shapes() {
  Zoo made;
  made.director = as<Animal>(dog("Rex", 9, false));
  made.shapes = {as<Shape>(Shape{"plain"}), as<Shape>(Circle{{"round"}, 1.5})};
  return with(&Everything::zoos, made);
}

Everything unions() {
  Unions number, day, unit, text;
  number.value = 7;
  number.many = {true, 1.5};
  day.value = soapsvc::date{2020, 1, 2};
  unit.value = Unit::foot;
  text.value = "Zoë";
  return with(&Everything::unions, number, day, unit, text);
}

Everything union_attribute() {
  Unions made;
  made.value = 8;
  made.attribute.emplace(soapsvc::list<std::int32_t>{{1, 2}});
  return with(&Everything::unions, made);
}

Everything facets() {
  Facets made;
  made.code = "ZZ12";
  made.name = "Zoë";
  made.two = soapsvc::hex_binary{{0, 255}};
  made.percent = 100;
  made.money = soapsvc::decimal("-999.99");
  made.size = 0.5;
  made.letter = "b c";
  made.day = soapsvc::date{2024, 2, 29};
  made.span = soapsvc::duration{0, 3600};
  made.numbers = {{1, 2, 3}};
  made.pairs = {"ab", "cd"};
  made.level = -3;
  return with(&Everything::facets, made);
}

Everything named_types() {
  NamedTypes made;
  made.code = "1234";
  made.codes = {"0001", "9999"};
  made.low_code = "0123";
  made.share = 0.5;
  made.few = {{1, 2}};
  made.area = Area{"4321", 0.25};
  made.keyword = "word";
  return with(&Everything::named, made);
}

XsTypes text_types() {
  XsTypes made;
  made.normalized = "a  b";
  made.token = "a b";
  made.language = "pt-BR";
  made.name = "a:b";
  made.ncname = "_1.2-3";
  made.nmtoken = "-a:b.c";
  made.id = "id-1";
  made.idref = "id-1";
  made.uri = "http://example.com/a?b#c";
  made.attribute = "a b";
  return made;
}

Everything integers() {
  XsTypes made = text_types();
  made.integer = soapsvc::integer("123456789012345678901234567890");
  made.non_negative = soapsvc::integer("18446744073709551616");
  made.positive = 65535;
  made.non_positive = -5;
  made.negative = soapsvc::integer("-123456789012345678901234567890");
  return with(&Everything::xs, made);
}

const std::vector<feature_value>& feature_values() {
  using soapsvc::decimal;
  using soapsvc::xml;
  using E = Everything;
  const Grouped grouped{"z", {"n", 1}, {}, {}};
  Grouped ranged = grouped, paired = grouped;
  ranged.range = Range{1, 2};
  paired.pairs = {{"a", "b"}, {"c", {}}, {"d", "e"}};
  const QualifiedNames names{{"urn:q", "a"}, {{"urn:q", "b"}, {"urn:r", "c"}}, {}, {}};
  QualifiedNames named_attribute = names;
  named_attribute.attribute = soapsvc::qualified_name{"urn:q", "d"};
  const Lists lists{{{1, -2, 3}}, {{{0.5, 1.5}}, {{2}}}, {}, {{"a", "b"}}, {}};
  Lists units = lists, mixed = lists;
  units.units.emplace().items = {Unit::metre, Unit::foot};
  mixed.mixed.items = {std::int16_t{-7}, soapsvc::date{2020, 1, 2}};
  const xml note("<a xmlns='urn:notes'>one</a>");
  const xml more("<b xmlns='urn:more'>two</b>");
  Anything anything;
  anything.value = xml("<Value xmlns='" + base + "/Kinds'>Zoë</Value>");
  anything.many = {
      xml("<Many xmlns='" + base + "/Kinds'>one</Many>"),
      xml("<Many xmlns='" + base + "/Kinds'>two</Many>")};
  static const std::vector<feature_value> made{
      {"attribute", with(&E::lengths, Length{1.5, Unit::metre, 2, "SI", "1.0", {}})},
      {"attribute of another namespace",
       with(&E::lengths, Length{2.5, Unit::metre, {}, "SI", "1.0", "Zoë & <Ada>"})},
      {"enumeration", with(&E::lengths, Length{3.5, Unit::foot, {}, "SI", "1.0", {}})},
      {"default and fixed", with(&E::lengths, Length{4.5, Unit::metre, {}, "imperial", "1.0", {}})},
      {"text with attributes",
       with(&E::prices, Price{decimal("10.50"), "EUR"}, Price{decimal("-1"), "\"Zoë\" & <Ada>"})},
      {"type of another namespace", with(&E::points, Point{1.5, -2, {}, {}})},
      {"unqualified element", with(&E::points, Point{1, 2, "Zoë", {}})},
      {"element of a third namespace", with(&E::points, Point{3, 4, {}, "Zoë"})},
      {"two types of one name", two_prices()},
      {"unqualified record", with(&E::plains, Plain{"a", {1, 2}})},
      {"occurrence", with(&E::counted, Counted{{1, 2, 3}, {"a", ""}})},
      {"nillable", nils()},
      {"nillable record", nil_records()},
      {"recursion", authors()},
      {"choice",
       with(
           &E::persons,
           Person{"Ann", {"1", {}, {}}},
           Person{"Bob", {{}, "b@c", {}}},
           Person{"Cy", {{}, {}, {"c", "d"}}})},
      {"repeated choice", with(&E::walks, Walk{{left(1), right(2), left(3)}})},
      {"choice of groups", payments()},
      {"optional group", with(&E::grouped, ranged, grouped)},
      {"repeated group", with(&E::grouped, paired)},
      {"extension", extensions()},
      {"derived type", zoo()},
      {"derived type in another namespace", shapes()},
      {"any", with(&E::opens, Open{"k", {note, more}, {}})},
      {"anyAttribute",
       with(&E::opens, Open{"k", {}, {{{"urn:others", "a"}, "v"}, {{"", "own"}, "w"}}})},
      {"any in another namespace",
       with(&E::elsewhere, OpenElsewhere{note, {{{"urn:kinds:geo", "a"}, "1"}}})},
      {"any in a repeated group", with(&E::open_groups, OpenGroups{{{note}, {more}}, "z"})},
      {"anyAttribute beside text", with(&E::texts, OpenText{"Zoë", {{{"urn:others", "a"}, "v"}}})},
      {"anyType", with(&E::anything, anything)},
      {"list", with(&E::lists, lists)},
      {"list of an enumeration", with(&E::lists, units)},
      {"list of a union", with(&E::lists, mixed)},
      {"union", unions()},
      {"union in an attribute", union_attribute()},
      {"QName", with(&E::names, names)},
      {"QName in an attribute", with(&E::names, named_attribute)},
      {"facets", facets()},
      {"named simple types", named_types()},
      {"kinds of text", with(&E::xs, text_types())},
      {"integers of any length", integers()}};
  return made;
}

/// The service of kinds.hpp, which checks its requests.
class CheckedKinds {
public:
  Everything echo(const Everything& all, const soapsvc::context& call) {
    const Everything sent = plain(all);
    for (const auto& [feature, value] : feature_values())
      if (plain(value) == sent) {
        arrived(feature, call);
        return all;
      }
    refuse();
  }
};

// --- Built-in types and operations ---------------------------------------------------------------

struct Values {
  std::optional<soapsvc::time> time;
  std::optional<soapsvc::date_time> date_time;
  std::optional<soapsvc::date> date;
  std::optional<soapsvc::duration> duration;
  std::optional<soapsvc::g_year> year;
  std::optional<soapsvc::g_year_month> year_month;
  std::optional<soapsvc::g_month> month;
  std::optional<soapsvc::g_month_day> month_day;
  std::optional<soapsvc::g_day> day;
  std::optional<soapsvc::hex_binary> hex;
  std::optional<soapsvc::binary> base64;
  std::optional<soapsvc::decimal> decimal;
  std::optional<std::uint64_t> most;
  std::optional<std::int64_t> least;
  std::optional<double> endless;
  bool operator==(const Values&) const = default;
};

std::vector<std::pair<std::string, Values>> built_in_values() {
  std::vector<std::pair<std::string, Values>> made;
  const auto add = [&](const std::string& feature) -> Values& {
    return made.emplace_back(feature, Values{}).second;
  };
  add("time").time = soapsvc::time{13, 20, 5, 0, 0};
  Values& moment = add("date and dateTime");
  moment.date = soapsvc::date{2024, 2, 29};
  moment.date_time = soapsvc::date_time{2024, 2, 29, 23, 59, 58, 125'000'000, 120};
  add("duration").duration = soapsvc::duration{14, 93'784};
  Values& parts = add("gYear, gMonthDay ...");
  parts.year = soapsvc::g_year{1999};
  parts.year_month = soapsvc::g_year_month{1999, 5};
  parts.month = soapsvc::g_month{5};
  parts.month_day = soapsvc::g_month_day{2, 29};
  parts.day = soapsvc::g_day{31};
  Values& bytes = add("hexBinary and base64Binary");
  bytes.hex = soapsvc::hex_binary{{0, 1, 255}};
  bytes.base64 = soapsvc::binary{{0, 1, 255, 254}};
  add("decimal").decimal = soapsvc::decimal("12345678901234567.12345");
  Values& edges = add("long and unsignedLong");
  edges.most = std::numeric_limits<std::uint64_t>::max();
  edges.least = std::numeric_limits<std::int64_t>::min();
  add("INF").endless = -std::numeric_limits<double>::infinity();
  return made;
}

struct Tagged {
  std::string text;
  std::string language;
};
struct Ask {
  std::string text;
};
struct Found {
  std::int32_t count = 0;
  std::vector<std::string> words;
};
struct Login {
  std::string key;
};
struct Trace {
  std::string id;
};
struct Receipt {
  std::int32_t number = 0;
};
struct Problem {
  std::int32_t code = 0;
  std::string text;
};

class Calls {
public:
  Values values(const Values& sent, const soapsvc::context& call) {
    for (const auto& [feature, value] : built_in_values())
      if (value == sent) {
        arrived(feature, call);
        return sent;
      }
    refuse();
  }
  Found find(const Ask& sent, const soapsvc::context& call) {
    if (sent.text != "find") refuse();
    arrived("several response elements", call);
    return {2, {"one", "two"}};
  }
  std::string enter(
      const Ask& sent,
      const soapsvc::header_blocks<Login, std::optional<Trace>>& blocks,
      const soapsvc::context& call) {
    const std::optional<Trace>& trace = blocks.get<Trace>();
    if (blocks.get<Login>().key != "Zoë" || !trace || trace->id != "t1") refuse();
    arrived("header blocks in requests", call);
    return sent.text;
  }
  soapsvc::with_header_blocks<std::string, Receipt, Trace> pay(
      const Ask& sent, const soapsvc::context& call) {
    if (sent.text != "pay") refuse();
    arrived("header blocks in responses", call);
    return {"paid", {Receipt{7}, Trace{"t2"}}};
  }
  std::string fail(const Ask& sent, const soapsvc::context& call) {
    if (sent.text != "fail") refuse();
    arrived("declared fault", call);
    throw soapsvc::fault(soapsvc::fault_code::client, "it failed").with(Problem{7, "Zoë"});
  }
  void forget(const Ask& sent, const soapsvc::context& call) {
    if (sent.text != "forget") refuse();
    arrived("one-way operation", call);
  }
};

/// A separate service, for toolkits that cannot read a service with a bare operation.
class Mirrors {
public:
  Tagged mirror(const Tagged& sent, const soapsvc::context& call) {
    if (sent.text != "Zoë" || sent.language != "en") refuse();
    arrived("bare operation", call);
    return sent;
  }
};

struct Summands {
  std::int32_t a = 0;
  std::int32_t b = 0;
  Tagged note;
};

class Sums {
public:
  std::int32_t add(const Summands& sent, const soapsvc::context& call) {
    if (sent.note.text != "Zoë" || sent.note.language != "en") refuse();
    arrived("rpc/literal", call);
    return sent.a + sent.b;
  }
};

// --- Lists, maps and types of a program's own ----------------------------------------------------

/// A class without a table.
class Amount {
public:
  Amount() = default;
  explicit Amount(std::int64_t cents) : cents_(cents) {}
  std::int64_t cents() const { return cents_; }
  bool operator==(const Amount&) const = default;

private:
  std::int64_t cents_ = 0;
};

struct Line {
  std::string article;
  std::int32_t count = 0;
  bool operator==(const Line&) const = default;
};
struct Order {
  std::vector<Line> lines;
  std::optional<std::vector<std::string>> words;
  soapsvc::nillable<std::vector<std::int32_t>> numbers;
  bool operator==(const Order&) const = default;
};
struct Scores {
  std::map<std::string, std::int32_t> scores;
  std::map<std::int32_t, Line> lines;
  bool operator==(const Scores&) const = default;
};
struct Event {
  std::chrono::year_month_day day{};
  std::chrono::sys_seconds at{};
  std::chrono::seconds length{};
  Amount price;
  std::unique_ptr<Line> line;
  std::unique_ptr<Line> none;
};

Order order_value() { return {{{"Zoë", 1}, {"<b>", -2}}, {{"one", "two"}}, {}}; }
Scores scores_value() { return {{{"Ann", 1}, {"Zoë", 2}}, {{7, {"a", 1}}}}; }
Event event_value() {
  using namespace std::chrono;
  const year_month_day day{year(2024), month(2), std::chrono::day(29)};
  const auto at = sys_days{day} + hours{13} + minutes{5};
  return {day, at, minutes{90}, Amount(1050), std::make_unique<Line>(Line{"a", 1}), nullptr};
}

class Rows {
public:
  Order order(const Order& sent, const soapsvc::context& call) {
    if (sent != order_value()) refuse();
    arrived("wrapped list", call);
    return sent;
  }
  Scores scores(const Scores& sent, const soapsvc::context& call) {
    if (sent != scores_value()) refuse();
    arrived("map", call);
    return sent;
  }
  Event event(const Event& sent, const soapsvc::context& call) {
    Event known = event_value();
    if (sent.day != known.day || sent.at != known.at || sent.length != known.length ||
        sent.price != known.price || !sent.line || *sent.line != *known.line || sent.none)
      refuse();
    arrived("types by adapters", call);
    return known;
  }
  std::int32_t add(std::int32_t a, std::int32_t b, const soapsvc::context& call) {
    if (a != 2 || b != 3) refuse();
    arrived("parameters", call);
    return a + b;
  }
};

}  // namespace

template <> struct soapsvc::adapter<Amount> {
  using wire = soapsvc::decimal;
  static wire to_wire(const Amount& amount) { return wire(amount.cents(), 2); }
  static Amount from_wire(const wire& sent) { return Amount(sent.units(2).value()); }
};
template <>
inline constexpr auto soapsvc::schema<Line> =
    record("Line", field("Article", &Line::article), field("Count", &Line::count));
template <>
inline constexpr auto soapsvc::schema<Order> = record(
    "Order",
    wrapped_list("Lines", "Item", &Order::lines),
    wrapped_list("Words", &Order::words),
    wrapped_list("Numbers", &Order::numbers));
template <>
inline constexpr auto soapsvc::schema<Scores> = record(
    "Scores",
    map("Scores",
        "KeyValueOfstringint",
        "Key",
        "Value",
        &Scores::scores,
        item_ns("http://schemas.microsoft.com/2003/10/Serialization/Arrays")),
    map("Lines", "Numbered", "Number", "Line", &Scores::lines));
template <>
inline constexpr auto soapsvc::schema<Event> = record(
    "Event",
    field("Day", &Event::day),
    field("At", &Event::at),
    field("Length", &Event::length),
    field("Price", &Event::price),
    field("Line", &Event::line),
    field("None", &Event::none));
template <>
inline constexpr auto soapsvc::schema<Rows> = service(
    "Rows",
    ns("urn:kinds:rows"),
    operation("PutOrder", &Rows::order, parameters("order")),
    operation("PutScores", &Rows::scores, parameters("scores")),
    operation("PutEvent", &Rows::event, parameters("event")),
    operation("Add", &Rows::add, parameters("a", "b")));

template <>
inline constexpr auto soapsvc::schema<CheckedKinds> =
    service("Kinds", operation("Everything", &CheckedKinds::echo));

template <>
inline constexpr auto soapsvc::schema<Values> = record(
    "Values",
    field("Time", &Values::time),
    field("DateTime", &Values::date_time),
    field("Date", &Values::date),
    field("Duration", &Values::duration),
    field("Year", &Values::year),
    field("YearMonth", &Values::year_month),
    field("Month", &Values::month),
    field("MonthDay", &Values::month_day),
    field("Day", &Values::day),
    field("Hex", &Values::hex),
    field("Base64", &Values::base64),
    field("Decimal", &Values::decimal),
    field("Most", &Values::most),
    field("Least", &Values::least),
    field("Endless", &Values::endless));
template <>
inline constexpr auto soapsvc::schema<Tagged> =
    record("Tagged", content(&Tagged::text), attribute("lang", &Tagged::language));
template <> inline constexpr auto soapsvc::schema<Ask> = record(field("Text", &Ask::text));
template <>
inline constexpr auto soapsvc::schema<Found> =
    record(field("Count", &Found::count), field("Word", &Found::words));
template <>
inline constexpr auto soapsvc::schema<Login> = record("Login", field("Key", &Login::key));
template <>
inline constexpr auto soapsvc::schema<Trace> =
    record("Trace", ns("urn:trace"), field("Id", &Trace::id));
template <>
inline constexpr auto soapsvc::schema<Receipt> =
    record("Receipt", field("Number", &Receipt::number));
template <>
inline constexpr auto soapsvc::schema<Problem> =
    record("Problem", field("Code", &Problem::code), field("Text", &Problem::text));
template <>
inline constexpr auto soapsvc::schema<Calls> = service(
    "Calls",
    ns("urn:kinds:calls"),
    operation("Values", &Calls::values),
    operation("Find", &Calls::find),
    operation("Enter", &Calls::enter),
    operation("Pay", &Calls::pay),
    operation("Fail", &Calls::fail, fault_detail<Problem>()),
    operation("Forget", &Calls::forget, one_way));

template <>
inline constexpr auto soapsvc::schema<Mirrors> = service(
    "Mirrors",
    ns("urn:kinds:mirrors"),
    operation("Mirror", &Mirrors::mirror, bare, response("Mirrored")));

template <>
inline constexpr auto soapsvc::schema<Summands> =
    record(field("a", &Summands::a), field("b", &Summands::b), field("note", &Summands::note));
template <>
inline constexpr auto soapsvc::schema<Sums> =
    service("Sums", ns("urn:kinds:sums"), rpc, operation("Add", &Sums::add, result("sum")));

int main() {
  CheckedKinds kinds;
  Calls calls;
  Mirrors mirrors;
  Sums sums;
  Rows rows;
  soapsvc::host host{{.ns_base = base}};
  host.add(kinds);
  host.add(calls);
  host.add(mirrors);
  host.add(sums);
  host.add(rows);
  std::cout << "listening on http://127.0.0.1:" << host.bind({"127.0.0.1", 0}) << std::endl;
  host.serve();
}
