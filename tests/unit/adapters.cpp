// Types of a program's own on the wire ([forms], [codec]): adapters, those of std::chrono among
// them, std::unique_ptr, and maps.
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "../counted_new.hpp"

using Catch::Matchers::Contains;
using namespace std::chrono_literals;

class Money {
public:
  Money() = default;
  static Money of(std::int64_t cents) {
    if (cents < 0) throw std::invalid_argument("money is not negative: " + std::to_string(cents));
    Money made;
    made.cents_ = cents;
    return made;
  }
  std::int64_t cents() const { return cents_; }
  friend bool operator==(const Money&, const Money&) = default;

private:
  std::int64_t cents_ = 0;
};
template <> struct soapsvc::adapter<Money> {
  using wire = soapsvc::decimal;
  static wire to_wire(const Money& money) { return wire(money.cents(), 2); }
  static Money from_wire(const wire& sent) { return Money::of(sent.units(2).value()); }
};

/// A class with the XML of a struct.
class Spot {
public:
  Spot() = default;
  Spot(std::int32_t x, std::int32_t y) : x_(x), y_(y) {}
  std::int32_t x() const { return x_; }
  std::int32_t y() const { return y_; }
  friend bool operator==(const Spot&, const Spot&) = default;

private:
  std::int32_t x_ = 0, y_ = 0;
};
struct Point {
  std::int32_t x{}, y{};
};
template <>
inline constexpr auto soapsvc::schema<Point> =
    record("Point", field("X", &Point::x), field("Y", &Point::y));
template <> struct soapsvc::adapter<Spot> {
  using wire = Point;
  static wire to_wire(const Spot& spot) { return {spot.x(), spot.y()}; }
  static Spot from_wire(const wire& sent) {
    if (sent.x > 99) throw soapsvc::fault(soapsvc::fault_code::client, "too far east");
    return {sent.x, sent.y};
  }
};

/// Bytes by an adapter cannot become a part of MTOM: they live for a moment only.
struct Blob {
  std::string text;
};
template <> struct soapsvc::adapter<Blob> {
  using wire = soapsvc::binary;
  static wire to_wire(const Blob& blob) { return {{blob.text.begin(), blob.text.end()}}; }
  static Blob from_wire(const wire& sent) {
    return {std::string(sent.bytes.begin(), sent.bytes.end())};
  }
};

struct Bill {
  Money total;
  std::optional<Money> tip;
  std::vector<Money> parts;
  soapsvc::nillable<Money> refund;
  Money tax;
  Spot spot;
  std::unique_ptr<Point> point;
  Money secret;
  std::vector<Spot> spots;
};
template <>
inline constexpr auto soapsvc::schema<Bill> = record(
    "Bill",
    attribute("tax", &Bill::tax, default_value("0.50")),
    field("Total", &Bill::total, max_inclusive("100")),
    field("Tip", &Bill::tip),
    field("Part", &Bill::parts, occurs(0, 2)),
    field("Refund", &Bill::refund),
    field("Spot", &Bill::spot),
    field("Point", &Bill::point),
    field("Secret", &Bill::secret, secret),
    wrapped_list("Spots", "Spot", &Bill::spots));

struct Weight {
  Money kilograms;
  std::string unit;
};
template <>
inline constexpr auto soapsvc::schema<Weight> =
    record("Weight", content(&Weight::kilograms), attribute("unit", &Weight::unit));

struct Times {
  std::chrono::sys_days day{};
  std::chrono::year_month_day date{};
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  std::chrono::seconds length{};
  std::chrono::months term{};
  std::optional<std::chrono::hours> pause;
};
template <>
inline constexpr auto soapsvc::schema<Times> = record(
    "Times",
    field("Day", &Times::day),
    field("Date", &Times::date),
    field("At", &Times::at),
    field("Length", &Times::length),
    field("Term", &Times::term),
    field("Pause", &Times::pause));

/// Since 1970, unsigned: a negative value could wrap to an equal value.
struct Unsigned {
  std::chrono::duration<std::uint64_t> length{};
  std::chrono::sys_time<std::chrono::duration<std::uint64_t>> at{};
  std::chrono::duration<std::int8_t> few{};
};
template <>
inline constexpr auto soapsvc::schema<Unsigned> = record(
    "Unsigned",
    field("Length", &Unsigned::length),
    field("At", &Unsigned::at),
    field("Few", &Unsigned::few));

using seconds_of_32_bits = std::chrono::duration<std::int32_t>;
using decades =
    std::chrono::duration<int, std::ratio_multiply<std::chrono::years::period, std::deca>>;
struct Widest {
  std::optional<std::chrono::sys_seconds> at = {};
  std::optional<std::chrono::sys_time<seconds_of_32_bits>> at_32 = {};
  std::optional<std::chrono::sys_time<std::chrono::milliseconds>> at_ms = {};
  std::optional<std::chrono::sys_time<std::chrono::months>> at_month = {};
  std::optional<std::chrono::sys_days> day = {};
  std::optional<std::chrono::seconds> length = {};
  std::optional<std::chrono::hours> hours = {};
  std::optional<decades> age = {};
};
template <>
inline constexpr auto soapsvc::schema<Widest> = record(
    "Widest",
    field("At", &Widest::at),
    field("At32", &Widest::at_32),
    field("AtMs", &Widest::at_ms),
    field("AtMonth", &Widest::at_month),
    field("Day", &Widest::day),
    field("Length", &Widest::length),
    field("Hours", &Widest::hours),
    field("Age", &Widest::age));

constexpr const char* arrays = "http://schemas.microsoft.com/2003/10/Serialization/Arrays";

struct Team {
  std::map<std::string, std::int32_t> ages;
  std::optional<std::unordered_map<std::int32_t, Point>> places;
  soapsvc::nillable<std::map<std::string, std::int32_t>> sent;
  std::map<std::int64_t, std::vector<std::string>> names;
  std::map<std::string, Money> pay;
  std::map<std::string, Team> teams;
  std::vector<std::string> words;
};
template <>
inline constexpr auto soapsvc::schema<Team> = record(
    "Team",
    map("Ages", "Age", "Name", "Years", &Team::ages, doc("Ages by name.")),
    map("Places", "Place", "Id", "At", &Team::places),
    map("Sent", "KeyValueOfstringint", "Key", "Value", &Team::sent, item_ns(arrays)),
    map("Names", "Name", "Id", "Text", &Team::names, deprecated),
    map("Pay", "Paid", "Name", "Money", &Team::pay, secret),
    map("Teams", "Under", "Name", "Team", &Team::teams),
    wrapped_list("Words", "string", &Team::words, item_ns(arrays)));

/// Its lists hold their own record.
struct Branch {
  std::int32_t id{};
  std::vector<Branch> here;
  std::vector<Branch> named;
  std::vector<Branch> below;
  std::optional<std::vector<Branch>> beside;
  std::map<std::string, std::vector<Branch>> by_name;
};
template <>
inline constexpr auto soapsvc::schema<Branch> = record(
    "Branch",
    field("Id", &Branch::id),
    wrapped_list("Here", &Branch::here),
    wrapped_list("Named", "Twig", &Branch::named),
    wrapped_list("Below", &Branch::below, item_ns("urn:items")),
    wrapped_list("Beside", "Branch", &Branch::beside, item_ns("urn:items")),
    map("ByName", "One", "Name", "Of", &Branch::by_name, item_ns("urn:items")));

struct Scores {
  std::unordered_map<std::int64_t, std::int32_t> each;
};
template <>
inline constexpr auto soapsvc::schema<Scores> =
    record("Scores", map("Each", "One", "Key", "Value", &Scores::each));

/// The same as a sorted map, and as a list of structs.
struct Sorted {
  std::map<std::int64_t, std::int32_t> each;
};
template <>
inline constexpr auto soapsvc::schema<Sorted> =
    record("Scores", map("Each", "One", "Key", "Value", &Sorted::each));
struct One {
  std::int64_t key{};
  std::int32_t value{};
};
template <>
inline constexpr auto soapsvc::schema<One> =
    record("One", field("Key", &One::key), field("Value", &One::value));
struct Pairs {
  std::vector<One> each;
};
template <>
inline constexpr auto soapsvc::schema<Pairs> =
    record("Scores", wrapped_list("Each", "One", &Pairs::each));

class Desk {
public:
  Branch branch(const Branch& branch) { return branch; }
  Team team(const Team& team) { return team; }
  Money add(const Money& a, const std::optional<Money>& b) {
    return Money::of(a.cents() + b.value_or(Money()).cents());
  }
  std::vector<Spot> spots(const std::vector<Spot>& spots) { return spots; }
  Spot spot(const Bill& bill) { return bill.spot; }
  std::unique_ptr<Point> point(std::int32_t x) {
    return x == 0 ? nullptr : std::make_unique<Point>(Point{x, x});
  }
  Blob blob(const Blob& blob) { return blob; }
  soapsvc::stream<Money> stream(std::int32_t count) {
    return [at = 0, count]() mutable -> std::optional<Money> {
      if (at == count) return std::nullopt;
      return Money::of(++at);
    };
  }
};
template <>
inline constexpr auto soapsvc::schema<Desk> = service(
    "Desk",
    mtom,
    operation("Team", &Desk::team, bare, response("Answer")),
    operation("Branch", &Desk::branch, bare, response("Grown")),
    operation("Add", &Desk::add, parameters("a", "b")),
    operation("Spots", &Desk::spots, parameters("Spot")),
    operation("Spot", &Desk::spot, request("Bill"), bare),
    operation("Point", &Desk::point, parameters("x")),
    operation("Blob", &Desk::blob, parameters("Blob")),
    operation("Stream", &Desk::stream, parameters("Count")));

namespace {

/// The body of the response to GET.
std::string got(const soapsvc::dispatcher& services, const std::string& target) {
  soapsvc::http_request request;
  request.method = "GET";
  request.target = target;
  return services.handle(request).body;
}

template <class T> std::string refusal(const std::string& text) {
  try {
    soapsvc::read_xml<T>(text);
    return "read";
  } catch (const soapsvc::fault& refused) {
    CHECK(refused.code() == soapsvc::fault_code::client);
    return refused.reason();
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

Bill bill() {
  Bill made;
  made.total = Money::of(99);
  made.tip = Money::of(5);
  made.parts = {Money::of(1), Money::of(2)};
  made.spot = {3, 4};
  made.point = std::make_unique<Point>(Point{5, 6});
  made.secret = Money::of(7);
  made.spots = {{7, 8}, {9, 10}};
  return made;
}

}  // namespace

TEST_CASE("an adapter defines the XML form of a class", "[codec][adapter]") {
  const std::string text = soapsvc::write_xml(bill());
  CHECK_THAT(
      text,
      Contains("tax=\"0.00\"><Total>0.99</Total><Tip>0.05</Tip><Part>0.01</Part>"
               "<Part>0.02</Part><Refund xsi:nil=\"true\" /><Spot><X>3</X><Y>4</Y></Spot>"
               "<Point><X>5</X><Y>6</Y></Point><Secret>0.07</Secret>"
               "<Spots><Spot><X>7</X>"));
  const Bill read = soapsvc::read_xml<Bill>(text);
  CHECK(soapsvc::write_xml(read) == text);
  CHECK(read.total == Money::of(99));
  CHECK(read.parts.size() == 2);
  CHECK_FALSE(read.refund.has_value());
  CHECK(read.spot == Spot(3, 4));
  REQUIRE(read.point);
  CHECK(read.point->y == 6);
  CHECK(read.spots.back() == Spot(9, 10));
  const Bill preset = soapsvc::read_xml<Bill>(replaced(text, " tax=\"0.00\"", ""));
  CHECK(preset.tax == Money::of(50));
  const Bill without =
      soapsvc::read_xml<Bill>(replaced(text, "<Point><X>5</X><Y>6</Y></Point>", ""));
  CHECK(without.point == nullptr);
  CHECK(soapsvc::write_xml(Weight{Money::of(250), "kg"}) == "<Weight unit=\"kg\">2.50</Weight>");
  CHECK(soapsvc::read_xml<Weight>("<Weight unit='kg'>1.5</Weight>").kilograms == Money::of(150));
}

TEST_CASE("an exception of an adapter is a fault with the path", "[codec][adapter][rule-5]") {
  const std::string text = soapsvc::write_xml(bill());
  CHECK(
      refusal<Bill>(replaced(text, "<Tip>0.05", "<Tip>-1")) ==
      "Bill/Tip: is not allowed: money is not negative: -100");
  CHECK(
      refusal<Bill>(replaced(text, "tax=\"0.00\"", "tax='-1'")) ==
      "Bill/@tax: is not allowed: money is not negative: -100");
  CHECK(
      refusal<Weight>("<Weight unit='kg'>-2</Weight>") ==
      "Weight: is not allowed: money is not negative: -200");
  CHECK(
      refusal<Bill>(replaced(text, "<X>9</X>", "<X>100</X>")) ==
      "Bill/Spots/Spot[2]: is not allowed: too far east");
  CHECK(refusal<Bill>(replaced(text, "0.07", "-7")) == "Bill/Secret: is not allowed");
  CHECK_THAT(refusal<Bill>(replaced(text, "0.99", "x")), Contains("Bill/Total: 'x' is not a dec"));
  CHECK(refusal<Bill>(replaced(text, "0.99", "101")) == "Bill/Total: '101' is not at most 100");
  CHECK_THAT(
      refusal<Bill>(replaced(text, "<Part>", "<Part>0</Part><Part>")),
      Contains("Bill/Part[3]: may appear only 2 times"));
  CHECK_THAT(refusal<Bill>(replaced(text, "<Y>4</Y>", "")), Contains("Bill/Spot/Y: is missing"));
  Bill wrong = bill();
  wrong.total = Money::of(10'001);
  CHECK_THROWS_WITH(soapsvc::write_xml(wrong), Contains("to be sent as Total"));
}

TEST_CASE("parameters, results and streams have adapters", "[codec][adapter][parameters]") {
  Desk desk;
  soapsvc::dispatcher services({.ns_base = "urn:test"});
  services.add(desk);
  const soapsvc::client<Desk> client(services);
  CHECK(client.call(&Desk::add, Money::of(1), Money::of(2)) == Money::of(3));
  CHECK(client.call(&Desk::add, Money::of(1), std::nullopt) == Money::of(1));
  const std::vector<Spot> spots{{1, 2}, {3, 4}};
  CHECK(client.call(&Desk::spots, spots) == spots);
  CHECK(client.call(&Desk::spot, bill()) == Spot(3, 4));
  CHECK(client.call(&Desk::point, 0) == nullptr);
  CHECK(client.call(&Desk::point, 7)->x == 7);
  const std::string large(5'000, 'a');
  CHECK(client.call(&Desk::blob, Blob{large}).text == large);
  const auto stream = client.call(&Desk::stream, 3);
  std::int64_t sum = 0;
  while (const auto money = stream.next())
    sum += money->cents();
  CHECK(sum == 6);
  CHECK_THROWS_WITH(
      client.call(&Desk::spots, std::vector<Spot>{{100, 1}}),
      Contains("Spots/Spot: is not allowed: too far east"));
}

TEST_CASE("std::chrono has adapters that lose nothing", "[codec][adapter][chrono]") {
  using namespace std::chrono;
  Times times;
  times.day = sys_days{2024y / 2 / 29};
  times.date = 2024y / 12 / 31;
  times.at = sys_days{2024y / 1 / 2} + 3h + 4ms;
  times.length = 90min;
  times.term = months{14};
  const std::string text = soapsvc::write_xml(times);
  CHECK(
      text ==
      "<Times><Day>2024-02-29</Day><Date>2024-12-31</Date><At>2024-01-02T03:00:00.004Z</At>"
      "<Length>PT1H30M</Length><Term>P1Y2M</Term></Times>");
  const Times read = soapsvc::read_xml<Times>(text);
  CHECK(read.day == times.day);
  CHECK(read.date == times.date);
  CHECK(read.at == times.at);
  CHECK(read.length == times.length);
  CHECK(read.term == times.term);
  CHECK_FALSE(read.pause);
  CHECK(
      soapsvc::read_xml<Times>(replaced(text, "03:00:00.004Z", "04:00:00.004+01:00")).at ==
      times.at);
  CHECK_THAT(
      refusal<Times>(replaced(text, ".004Z", ".0041Z")), Contains("Times/At: is not allowed"));
  CHECK_THAT(refusal<Times>(replaced(text, ".004Z", "")), Contains("Times/At: is not allowed"));
  CHECK_THAT(
      refusal<Times>(replaced(text, "PT1H30M", "PT0.5S")),
      Contains("Times/Length: is not allowed"));
  CHECK_THAT(
      refusal<Times>(replaced(text, "PT1H30M", "P1M")), Contains("Times/Length: is not allowed"));
  CHECK_THAT(
      refusal<Times>(replaced(text, "2024-02-29", "40000-01-01")), Contains("Times/Day: is not"));
}

TEST_CASE("a length that a type cannot hold is refused", "[codec][adapter]") {
  const auto text = [](const std::string& length, const std::string& at, const std::string& few) {
    return "<Unsigned><Length>" + length + "</Length><At>" + at + "</At><Few>" + few +
           "</Few></Unsigned>";
  };
  const std::string second = "1970-01-01T00:00:01Z";
  const auto good = soapsvc::read_xml<Unsigned>(text("PT2S", second, "PT127S"));
  CHECK(good.length.count() == 2);
  CHECK(good.at.time_since_epoch().count() == 1);
  CHECK(good.few.count() == 127);
  // 2 to the 64th nanoseconds less this much are whole seconds.
  const std::string wraps = "-PT0.709551616S", before = "1969-12-31T23:59:59.290448384Z";
  CHECK_THAT(
      refusal<Unsigned>(text(wraps, second, "PT1S")),
      Catch::Contains("Length") && Catch::Contains("within range"));
  CHECK_THAT(
      refusal<Unsigned>(text("PT1S", before, "PT1S")),
      Catch::Contains("At") && Catch::Contains("within range"));
  for (const char* few : {"PT128S", "PT256S", "-PT129S"})
    CHECK_THAT(
        refusal<Unsigned>(text("PT1S", second, few)),
        Catch::Contains("Few") && Catch::Contains("within range"));
}

TEST_CASE("moments and lengths far from now are sent and read back", "[codec][adapter][chrono]") {
  using namespace std::chrono;
  const auto check = [](const Widest& value, const std::string& text) {
    const std::string written = soapsvc::write_xml(value);
    CHECK(written == "<Widest>" + text + "</Widest>");
    const Widest read = soapsvc::read_xml<Widest>(written);
    CHECK(soapsvc::write_xml(read) == written);
    CHECK(read.at == value.at);
    CHECK(read.at_32 == value.at_32);
    CHECK(read.at_ms == value.at_ms);
    CHECK(read.at_month == value.at_month);
    CHECK(read.day == value.day);
    CHECK(read.length == value.length);
    CHECK(read.hours == value.hours);
    CHECK(read.age == value.age);
  };
  check({.at = sys_days{9999y / 12 / 31} + 86'399s}, "<At>9999-12-31T23:59:59Z</At>");
  check({.at = sys_days{1y / 1 / 1}}, "<At>0001-01-01T00:00:00Z</At>");
  check({.at = sys_days{0y / 12 / 31} + 1s}, "<At>-0001-12-31T00:00:01Z</At>");
  check({.at = sys_days{2000y / 1 / 1} + days{146'097} * 100}, "<At>42000-01-01T00:00:00Z</At>");
  for (const std::int32_t edge : {INT32_MAX, INT32_MIN}) {
    const std::string year = edge < 0 ? "1901-12-13T20:45:52Z" : "2038-01-19T03:14:07Z";
    check(
        {.at_32 = sys_time<seconds_of_32_bits>{seconds_of_32_bits{edge}}},
        "<At32>" + year + "</At32>");
  }
  check(
      {.at_ms = sys_days{9999y / 12 / 31} + 86'399'999ms}, "<AtMs>9999-12-31T23:59:59.999Z</AtMs>");
  check({.at_ms = sys_days{1600y / 1 / 1} - 1ms}, "<AtMs>1599-12-31T23:59:59.999Z</AtMs>");
  check({.at_month = sys_time<months>{months{-1}}}, "<AtMonth>1969-12-01T13:30:54Z</AtMonth>");
  check({.day = sys_days{32767y / 12 / 31}}, "<Day>32767-12-31</Day>");
  check({.length = seconds::max()}, "<Length>P106751991167300DT15H30M7S</Length>");
  check({.length = seconds::min()}, "<Length>-P106751991167300DT15H30M8S</Length>");
  check({.hours = hours{24} * 365 * 5'000}, "<Hours>P1825000D</Hours>");
  check({.age = decades{2}}, "<Age>P7304DT20H24M</Age>");
}

TEST_CASE(
    "a moment that XML or std::chrono cannot express is not sent", "[codec][adapter][chrono]") {
  using namespace std::chrono;
  for (const Widest& value :
       {Widest{.at = sys_seconds::max()},
        Widest{.at = sys_seconds::min()},
        Widest{.day = sys_days::max()},
        Widest{.day = sys_days::min()},
        Widest{.day = sys_days{32767y / 12 / 31} + days{1}}})
    CHECK_THROWS_AS(soapsvc::write_xml(value), std::invalid_argument);
  const auto refused = [](const std::string& text) {
    return refusal<Widest>("<Widest>" + text + "</Widest>");
  };
  CHECK_THAT(refused("<At32>2038-01-19T03:14:08Z</At32>"), Contains("At32: is not allowed"));
  CHECK_THAT(refused("<At32>1901-12-13T20:45:51Z</At32>"), Contains("At32: is not allowed"));
  CHECK_THAT(refused("<At>1969-12-31T23:59:59.5Z</At>"), Contains("At: is not allowed"));
  CHECK_THAT(refused("<At>1970-01-01T00:00:00</At>"), Contains("At: is not allowed"));
  CHECK_THAT(refused("<Hours>PT1M</Hours>"), Contains("Hours: is not allowed"));
  CHECK_THAT(refused("<Age>P1Y</Age>"), Contains("Age: is not allowed"));
}

namespace {

Team team() {
  Team made;
  made.ages = {{"Bob", 3}, {"Ann", 40}};
  made.places = {{7, {1, 2}}};
  made.sent.emplace()["k"] = 1;
  made.names = {{5, {"x", "y"}}, {6, {}}};
  made.pay = {{"Ann", Money::of(700)}};
  made.teams["low"].ages = {{"Cy", 1}};
  made.words = {"w"};
  return made;
}

}  // namespace

TEST_CASE("a map is a list of keys and values", "[codec][map]") {
  const std::string text = soapsvc::write_xml(team());
  for (const char* part :
       {"<Ages><Age><Name>Ann</Name><Years>40</Years></Age><Age><Name>Bob</Name>",
        "<Places><Place><Id>7</Id><At><X>1</X><Y>2</Y></At></Place></Places>",
        "/Arrays\"><Key>k</Key><Value>1</Value></KeyValueOfstringint></Sent>",
        "<Names><Name><Id>5</Id><Text>x</Text><Text>y</Text></Name><Name><Id>6</Id></Name></"
        "Names>",
        "<Pay><Paid><Name>Ann</Name><Money>7.00</Money></Paid></Pay>",
        "<Teams><Under><Name>low</Name><Team><Ages><Age><Name>Cy</Name>",
        "<Sent xsi:nil"})
    CHECK_THAT(text, Contains(part));
  const Team read = soapsvc::read_xml<Team>(text);
  CHECK(soapsvc::write_xml(read) == text);
  CHECK(read.ages.at("Bob") == 3);
  CHECK(read.places->at(7).y == 2);
  CHECK(read.names.at(5).back() == "y");
  CHECK(read.teams.at("low").ages.at("Cy") == 1);
  CHECK_FALSE(read.teams.at("low").sent.has_value());
  const std::string typed = "<Words xmlns:a=\"" + std::string(arrays) + "\" xsi:type=\"a:ArrayOf";
  CHECK(refusal<Team>(replaced(text, "<Words>", typed + "string\">")) == "read");
  CHECK_THAT(
      refusal<Team>(replaced(text, "<Words>", typed + "String\">")),
      Contains("Team/Words: xsi:type names 'a:ArrayOfString'; allowed is 'ArrayOfstring'"));
  const Team empty = soapsvc::read_xml<Team>(soapsvc::write_xml(Team()));
  CHECK(empty.ages.empty());
  CHECK_FALSE(empty.places);
  CHECK_THAT(soapsvc::to_text(team()), Contains("<Pay>***</Pay>") && !Contains("7.00"));
  std::size_t pairs = 0;
  const Team whole = team();
  soapsvc::for_each_field(whole, [&](std::string_view, const auto& member) {
    if constexpr (requires { member.size(); }) pairs += member.size();
  });
  CHECK(pairs == 7);
}

TEST_CASE("a key that occurs twice is a fault with the path", "[codec][map][rule-5]") {
  const std::string text = soapsvc::write_xml(team());
  CHECK(
      refusal<Team>(replaced(text, "Bob", "Ann")) ==
      "Team/Ages: is not allowed: item 2 has the key of an earlier item");
  const std::string bob = "<Age><Name>Bob</Name><Years>3</Years></Age>";
  CHECK(
      refusal<Team>(replaced(text, bob, bob + bob + replaced(bob, "Bob", "Cy"))) ==
      "Team/Ages: is not allowed: item 3 has the key of an earlier item");
  CHECK(
      refusal<Team>(replaced(text, "<Id>6</Id>", "<Id>05</Id>")) ==
      "Team/Names: is not allowed: item 2 has the key of an earlier item");
  const std::string paid = "<Paid><Name>Ann</Name><Money>7.00</Money></Paid>";
  CHECK(refusal<Team>(replaced(text, paid, paid + paid)) == "Team/Pay: is not allowed");
  CHECK_THAT(
      refusal<Team>(replaced(text, "<Years>3</Years>", "")),
      Contains("Team/Ages/Age[2]/Years: is missing"));
  CHECK_THAT(
      refusal<Team>(replaced(text, "<Id>7<", "<Id>x<")), Contains("Team/Places/Place/Id: 'x' is"));
  CHECK_THAT(
      refusal<Team>(replaced(text, "<Name>Bob</Name>", "<Name>Bob</Name><Name>Bob</Name>")),
      Contains("Team/Ages/Age[2]/Name[2]: may appear only once"));
  CHECK_THAT(
      refusal<Team>(replaced(text, "<Ages>", "<Ages><Key/>")),
      Contains("Team/Ages: the element 'Key' is not known here; allowed are Age"));
  CHECK_THAT(refusal<Team>(replaced(text, "<Ages>", "<Ages/><Ages>")), Contains("only once"));
}

TEST_CASE("keys that are chosen to have one hash are refused", "[codec][map][limits]") {
  const auto read = [](std::int64_t step) {
    std::string text = "<Scores><Each>";
    for (std::int64_t i = 0; i != 300; ++i)
      text += "<One><Key>" + std::to_string(i * step) + "</Key><Value>1</Value></One>";
    return refusal<Scores>(text + "</Each></Scores>");
  };
  CHECK(read(1) == "read");
  // In the table for 300 keys, and in those that a growing table has before its last key and after.
  std::unordered_map<std::int64_t, std::int32_t> whole, growing;
  whole.reserve(300);
  std::set<std::size_t> counts{whole.bucket_count()};
  for (std::int64_t i = 0; i != 300; ++i) {
    growing[i] = 1;
    if (i > 150) counts.insert(growing.bucket_count());
  }
  for (const std::size_t count : counts) {
    const std::string got = read(static_cast<std::int64_t>(count));
    if (count == whole.bucket_count())
      CHECK(got == "Scores/Each: is not allowed: over 100 keys have one hash");
    else
      CHECK(got == "read");
  }
}

TEST_CASE("elements between the entries of a map do not hide one hash", "[codec][map][limits]") {
  // In a table that grows, all keys but the last share a bucket after it.
  std::unordered_map<std::int64_t, std::int32_t> grown;
  for (std::size_t before = 0; grown.size() < 300 || grown.bucket_count() == before;) {
    before = grown.bucket_count();
    grown[static_cast<std::int64_t>(grown.size())] = 1;
  }
  const std::size_t step = grown.bucket_count();
  std::string text = "<Scores><Each>";
  for (std::size_t i = 0; i != grown.size(); ++i)
    text += "<One><Key>" + std::to_string(i * step + (i + 1 == grown.size() ? 1 : 0)) +
            "</Key><Value>1</Value></One><x xmlns='urn:x'/>";
  Scores made;
  try {
    made = soapsvc::read_xml<Scores>(text + "</Each></Scores>");
  } catch (const soapsvc::fault& refused) {
    CHECK_THAT(refused.reason(), Contains("over 100 keys have one hash"));
  }
  for (std::size_t bucket = 0; bucket != made.each.bucket_count(); ++bucket)
    CHECK(made.each.bucket_size(bucket) <= 100);
}

TEST_CASE("a map is written and read without an intermediate list", "[codec][map][memory]") {
  Pairs list;
  Scores hashed;
  for (std::int32_t i = 0; i != 1'000; ++i) {
    list.each.push_back({i, i});
    hashed.each[i] = i;
  }
  Sorted sorted{{hashed.each.begin(), hashed.each.end()}};
  const auto counted = [](const std::size_t& of, auto run) {
    run();  // the first call describes the tables
    const std::size_t before = of;
    run();
    return static_cast<double>(of - before);
  };
  // Writing a list allocates for the text alone, and so does writing a map.
  const auto written = [&](const auto& value) {
    return counted(allocations, [&] { static_cast<void>(soapsvc::write_xml(value)); });
  };
  CHECK(written(list) < 20);
  CHECK(written(sorted) == written(list));
  CHECK(written(hashed) == written(list));
  // Reading allocates the entries of the map in place of the items of the list.
  const std::string text = soapsvc::write_xml(sorted);
  const auto read_beside_value = [&]<class T>(const T& value) {
    CHECK(soapsvc::read_xml<T>(text).each.size() == 1'000);
    return counted(allocated_bytes, [&] { static_cast<void>(soapsvc::read_xml<T>(text)); }) -
           counted(allocated_bytes, [&] { const T copy(value); });
  };
  CHECK(read_beside_value(sorted) < read_beside_value(list) + 1'000);
  CHECK(read_beside_value(hashed) < read_beside_value(list) + 1'000);
}

TEST_CASE("maps are in calls, in the WSDL and on pages", "[codec][map][wsdl]") {
  Desk desk;
  soapsvc::dispatcher services({.ns_base = "urn:test", .base_path = "/soap/v3"});
  services.add(desk);
  const soapsvc::client<Desk> client(services);
  const Team answer = client.call(&Desk::team, team());
  CHECK(soapsvc::write_xml(answer) == soapsvc::write_xml(team()));
  const std::string wsdl = got(services, "/soap/v3/Desk.asmx?wsdl");
  for (const char* part :
       {"name=\"Ages\" type=\"tns:ArrayOfAge\"",
        "Ages by name.",
        "maxOccurs=\"unbounded\" name=\"Age\" type=\"tns:Age\"",
        "minOccurs=\"0\" maxOccurs=\"1\" name=\"Places\" type=\"tns:ArrayOfPlace\"",
        "name=\"Sent\" nillable=\"true\" type=\"q1:ArrayOfKeyValueOfstringint\"",
        "<s:complexType name=\"KeyValueOfstringint\">",
        "minOccurs=\"0\" maxOccurs=\"unbounded\" name=\"Text\" type=\"s:string\"",
        "name=\"Words\" type=\"q1:ArrayOfstring\""})
    CHECK_THAT(wsdl, Contains(part));
  const std::string page = got(services, "/soap/v3/Desk.asmx?op=Team");
  CHECK_THAT(page, Contains("&lt;Years&gt;") && Contains("KeyValueOfstringint"));
}

struct Basket {
  std::vector<std::int32_t> ids;
  std::vector<std::string> names;
  std::map<std::string, std::int32_t> counts;
  std::map<std::string, std::string> texts;
};
struct Shelf {
  Basket basket(const Basket& request) { return request; }
};
template <>
inline constexpr auto soapsvc::schema<Basket> = record(
    "Basket",
    wrapped_list("Ids", "item", &Basket::ids),
    wrapped_list("Names", "item", &Basket::names),
    map("Counts", "entry", "key", "value", &Basket::counts),
    map("Texts", "entry", "key", "value", &Basket::texts));
template <>
inline constexpr auto soapsvc::schema<Shelf> =
    service("Shelf", operation("Basket", &Shelf::basket));

TEST_CASE("lists and maps of different types may have items with one name", "[codec][map][wsdl]") {
  const Basket basket{{1, 2}, {"a"}, {{"one", 1}}, {{"two", "b"}}};
  Shelf shelf;
  soapsvc::dispatcher services({.ns_base = "urn:test", .base_path = "/soap/v3"});
  services.add(shelf);
  const soapsvc::client<Shelf> client(services);
  CHECK(soapsvc::write_xml(client.call(&Shelf::basket, basket)) == soapsvc::write_xml(basket));
  const std::string wsdl = got(services, "/soap/v3/Shelf.asmx?wsdl");
  for (const char* part :
       {"name=\"Ids\" type=\"tns:ArrayOfItem\"",
        "name=\"Names\" type=\"tns:ArrayOfItem1\"",
        "<s:complexType name=\"ArrayOfItem1\">",
        "name=\"Counts\" type=\"tns:ArrayOfEntry\"",
        "name=\"entry\" type=\"tns:entry\"",
        "name=\"Texts\" type=\"tns:ArrayOfEntry1\"",
        "name=\"entry\" type=\"tns:entry1\"",
        "<s:complexType name=\"entry1\">"})
    CHECK_THAT(wsdl, Contains(part));
  const auto names = [](const std::string& type) {
    return "<Basket xmlns:x=\"http://www.w3.org/2001/XMLSchema-instance\"><Ids/><Counts/><Texts/>"
           "<Names x:type=\"" +
           type + "\"><item>a</item></Names></Basket>";
  };
  for (const char* type : {"ArrayOfItem", "ArrayOfItem1", "ArrayOfItem12"})
    CHECK(soapsvc::read_xml<Basket>(names(type)).names == std::vector<std::string>{"a"});
  for (const char* type : {"ArrayOfItems", "ArrayOfItem1x", "ArrayOf"})
    CHECK_THAT(
        refusal<Basket>(names(type)),
        Catch::EndsWith("xsi:type names '" + std::string(type) + "'; allowed is 'ArrayOfItem'"));
}

TEST_CASE("items of a list may contain the same list", "[codec][item_ns][recursive]") {
  Branch leaf;
  leaf.id = 7;
  Branch whole;
  whole.here = whole.named = whole.below = {leaf};
  whole.below[0].below = {leaf};
  whole.beside = {leaf, leaf};
  whole.by_name["a"] = {leaf};
  const std::string text = soapsvc::write_xml(whole);
  for (const char* part :
       {"<Here><Branch><Id>7</Id>",
        "<Named><Twig><Id>7</Id>",
        "<Below><q:Branch xmlns:q=\"urn:items\"><Id>7</Id><Here /><Named /><Below><q:Branch "})
    CHECK_THAT(text, Contains(part));
  CHECK(soapsvc::write_xml(soapsvc::read_xml<Branch>(text)) == text);
  CHECK(
      refusal<Branch>("<Branch><Id>1</Id><Here/><Named/><Below><Branch/></Below></Branch>") ==
      "Branch/Below/Branch: is in no namespace; allowed is the namespace 'urn:items'");
  Desk desk;
  soapsvc::dispatcher services({.ns_base = "urn:test", .base_path = "/soap/v3"});
  services.add(desk);
  CHECK(soapsvc::write_xml(soapsvc::client<Desk>(services).call(&Desk::branch, whole)) == text);
  const std::string wsdl = got(services, "/soap/v3/Desk.asmx?wsdl");
  for (const char* part :
       {"name=\"Here\" type=\"tns:ArrayOfBranch\"",
        "name=\"Named\" type=\"tns:ArrayOfTwig\"",
        "name=\"Below\" type=\"q2:ArrayOfBranch\"",
        "name=\"Beside\" type=\"q2:ArrayOfBranch\""})
    CHECK_THAT(wsdl, Contains(part));
}
