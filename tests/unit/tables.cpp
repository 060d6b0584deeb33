// [tables]. Written from section 3 of the style guide: the options of a table, and that all of them
// arrive in the plain data that the later sections read. Refused options are in mistakes/.
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <catch2/catch.hpp>

using soapsvc::detail::describe_enumeration;
using soapsvc::detail::describe_record;
using soapsvc::detail::describe_service;
using soapsvc::detail::occurrence;
using soapsvc::detail::type_kind;

// --- Records -------------------------------------------------------------------------------------

enum class Mood : std::uint8_t { good = 7, bad = 3 };
template <>
inline constexpr auto soapsvc::schema<Mood> =
    enumeration("Mood", value("good", Mood::good), value("very bad", Mood::bad));

// Enumerations of each size, with numbers that need all of it.
enum class Depth : std::uint16_t { surface = 0, deep = 0xFFFE };
template <>
inline constexpr auto soapsvc::schema<Depth> =
    enumeration("Depth", value("Surface", Depth::surface), value("Deep", Depth::deep));
enum class Size { little = 1, negative = -2 };
template <>
inline constexpr auto soapsvc::schema<Size> =
    enumeration("Size", value("Little", Size::little), value("Negative", Size::negative));
enum class Distance : std::int64_t { near = 1, far = std::int64_t{-1} << 62 };
template <>
inline constexpr auto soapsvc::schema<Distance> =
    enumeration("Distance", value("Near", Distance::near), value("Far", Distance::far));

/// More values than are looked through one by one.
enum class Letter : std::uint8_t {
  alpha,
  bravo,
  charlie,
  delta,
  echo,
  foxtrot,
  golf,
  hotel,
  india,
  juliett,
  kilo,
  lima,
  mike,
  november,
  oscar,
  papa,
  quebec,
  romeo
};
template <>
inline constexpr auto soapsvc::schema<Letter> = enumeration(
    "Letter",
    value("Alpha", Letter::alpha),
    value("Bravo", Letter::bravo),
    value("Charlie", Letter::charlie),
    value("Delta", Letter::delta),
    value("Echo", Letter::echo),
    value("Foxtrot", Letter::foxtrot),
    value("Golf", Letter::golf),
    value("Hotel", Letter::hotel),
    value("India", Letter::india),
    value("Juliett", Letter::juliett),
    value("Kilo", Letter::kilo),
    value("Lima", Letter::lima),
    value("Mike", Letter::mike),
    value("November", Letter::november),
    value("Oscar", Letter::oscar),
    value("Papa", Letter::papa),
    value("Quebec", Letter::quebec),
    value("Romeo", Letter::romeo));

struct Part {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Part> = record("Part", field("Id", &Part::id));

/// Every type, once, optional and repeated; the order differs from that of the table.
struct Whole {
  bool a{};
  std::int8_t b{};
  std::int16_t c{};
  std::int32_t d{};
  std::int64_t e{};
  std::uint8_t f{};
  std::uint16_t g{};
  std::uint32_t h{};
  std::uint64_t i{};
  float j{};
  double k{};
  std::string l;
  soapsvc::binary m;
  soapsvc::date n;
  soapsvc::date_time o;
  soapsvc::decimal p;
  Mood q{};
  Part r;
  std::optional<bool> oa;
  std::optional<std::int64_t> oe;
  std::optional<double> ok;
  std::optional<std::string> ol;
  std::optional<soapsvc::binary> om;
  std::optional<soapsvc::date> on;
  std::optional<soapsvc::date_time> oo;
  std::optional<soapsvc::decimal> op;
  std::optional<Mood> oq;
  std::optional<Part> part;
  std::vector<std::uint16_t> vg;
  std::vector<std::string> vl;
  std::vector<soapsvc::binary> vm;
  std::vector<soapsvc::date> vn;
  std::vector<soapsvc::date_time> vo;
  std::vector<soapsvc::decimal> vp;
  std::vector<Mood> vq;
  soapsvc::integer s;
  soapsvc::time t;
  soapsvc::duration u;
  soapsvc::g_year v;
  soapsvc::g_year_month w;
  soapsvc::g_month x;
  soapsvc::g_month_day y;
  soapsvc::g_day z;
  soapsvc::hex_binary za;
  std::optional<soapsvc::duration> ou;
  std::vector<soapsvc::hex_binary> vza;
  std::vector<Part> parts;
  std::vector<Whole> wholes;
};
template <>
inline constexpr auto soapsvc::schema<Whole> = record(
    "Whole",
    field("Wholes", &Whole::wholes),
    field("A", &Whole::a),
    field("B", &Whole::b),
    field("C", &Whole::c),
    field("D", &Whole::d),
    field("E", &Whole::e),
    field("F", &Whole::f),
    field("G", &Whole::g),
    field("H", &Whole::h),
    field("I", &Whole::i),
    field("J", &Whole::j),
    field("K", &Whole::k),
    field("L", &Whole::l),
    field("M", &Whole::m),
    field("N", &Whole::n),
    field("O", &Whole::o),
    field("P", &Whole::p),
    field("Q", &Whole::q),
    field("R", &Whole::r),
    field("Oa", &Whole::oa),
    field("Oe", &Whole::oe),
    field("Ok", &Whole::ok),
    field("Ol", &Whole::ol),
    field("Om", &Whole::om),
    field("On", &Whole::on),
    field("Oo", &Whole::oo),
    field("Op", &Whole::op),
    field("Oq", &Whole::oq),
    field("Part", &Whole::part),
    field("Vg", &Whole::vg),
    field("Vl", &Whole::vl),
    field("Vm", &Whole::vm),
    field("Vn", &Whole::vn),
    field("Vo", &Whole::vo),
    field("Vp", &Whole::vp),
    field("Vq", &Whole::vq),
    field("S", &Whole::s),
    field("T", &Whole::t),
    field("U", &Whole::u),
    field("V", &Whole::v),
    field("W", &Whole::w),
    field("X", &Whole::x),
    field("Y", &Whole::y),
    field("Z", &Whole::z),
    field("Za", &Whole::za),
    field("Ou", &Whole::ou),
    field("Vza", &Whole::vza),
    field("Parts", &Whole::parts));

/// All row options, in any order.
struct Options {
  std::int32_t plain{};
  std::int32_t lenient{};
  std::optional<std::string> hidden;
  std::optional<std::string> old;
  std::optional<std::string> older;
  Part part;
};
template <>
inline constexpr auto soapsvc::schema<Options> = record(
    "Options",
    field("Plain", &Options::plain),
    field("Lenient", &Options::lenient, doc("Zero when left out."), default_if_absent),
    field("Hidden", &Options::hidden, secret, doc("Never shown.")),
    field("Old", &Options::old, deprecated),
    field("Older", &Options::older, deprecated("Old"), secret),
    field("Part", &Options::part, default_if_absent));

/// Names that XML allows and that are easily forbidden by mistake.
struct Names {
  std::int32_t first{};
  std::int32_t second{};
  std::int32_t third{};
  std::int32_t fourth{};
};
template <>
inline constexpr auto soapsvc::schema<Names> = record(
    "_names.of-2",
    field("é", &Names::first),
    field("x", &Names::second),
    field("X", &Names::third),
    field("日本", &Names::fourth));

struct Nameless {
  std::int32_t id{};
};
template <>
inline constexpr auto soapsvc::schema<Nameless> =
    record(field("Id", &Nameless::id, default_if_absent));

struct Hollow {};
template <> inline constexpr auto soapsvc::schema<Hollow> = record<Hollow>("Hollow");

struct Header {
  std::optional<std::int32_t> id;
};
template <>
inline constexpr auto soapsvc::schema<Header> = record("Header", field("Id", &Header::id));

// --- A method of every signature -----------------------------------------------------------------

class Signatures {
public:
  std::string called;

  void plain() { called = "plain"; }
  void constant() const {}
  void no_throw() noexcept { called = "no_throw"; }
  void constant_no_throw() const noexcept {}
  void request(const Nameless& r) { called = "request " + std::to_string(r.id); }
  void copy(Nameless r) { called = "copy " + std::to_string(r.id); }
  void header(const Nameless& r, const Header& h) {
    called = "header " + std::to_string(r.id) + ' ' + std::to_string(h.id.value_or(-1));
  }
  void header_copy(Nameless, Header h) { called = "header_copy " + std::to_string(*h.id); }
  void maybe(const Nameless&, const std::optional<Header>& h) {
    called = h ? "maybe there" : "maybe not";
  }
  void nothing(const soapsvc::nothing&, const Header& h) {
    called = "nothing " + std::to_string(h.id.value_or(-1));
  }
  void hollow(const Hollow&) { called = "hollow"; }
  void about(const soapsvc::context& c) { called = "about " + std::string(c.operation); }
  void request_about(const Nameless& r, const soapsvc::context& c) {
    called = "request_about " + std::to_string(r.id) + ' ' + std::string(c.operation);
  }
  void all(const Nameless& r, const Header& h, const soapsvc::context& c) {
    called = "all " + std::to_string(r.id) + ' ' + std::to_string(h.id.value_or(-1)) + ' ' +
             std::string(c.operation);
  }
};
template <>
inline constexpr auto soapsvc::schema<Signatures> = service(
    "Signatures",
    operation("Plain", &Signatures::plain),
    operation("Constant", &Signatures::constant, secret),
    doc("A method of every signature."),
    operation("NoThrow", &Signatures::no_throw, deprecated),
    operation("ConstantNoThrow", &Signatures::constant_no_throw, deprecated("Plain")),
    operation("Request", &Signatures::request, doc("Takes a request.")),
    operation("Copy", &Signatures::copy),
    operation("TakeHeader", &Signatures::header),
    operation("HeaderCopy", &Signatures::header_copy),
    operation("Maybe", &Signatures::maybe),
    operation("Nothing", &Signatures::nothing),
    operation("Hollow", &Signatures::hollow),
    operation("About", &Signatures::about),
    operation("RequestAbout", &Signatures::request_about),
    operation("All", &Signatures::all));

/// A result of every shape.
class Results {
public:
  std::int32_t simple() const { return 1; }
  const std::int32_t& reference() const { return kept_; }
  std::optional<std::string> maybe() const { return {}; }
  std::vector<std::int32_t> list() const { return {1}; }
  Part part() const { return {}; }
  std::vector<Part> parts() const { return {}; }
  const std::vector<Mood>& moods() const { return moods_; }

private:
  std::int32_t kept_ = 2;
  std::vector<Mood> moods_;
};
template <>
inline constexpr auto soapsvc::schema<Results> = service(
    "Results",
    operation("Simple", &Results::simple),
    operation("Reference", &Results::reference),
    operation("Maybe", &Results::maybe),
    operation("List", &Results::list),
    operation("Part", &Results::part),
    operation("Parts", &Results::parts),
    operation("Moods", &Results::moods));

// Tables are constants, so they can be checked while compiling.
static_assert(soapsvc::schema<Whole>.name == "Whole");
static_assert(soapsvc::schema<Nameless>.name.empty());
static_assert(soapsvc::schema<Mood>.values[1].text == "very bad");
static_assert(soapsvc::schema<Signatures>.name == "Signatures");

namespace {

const soapsvc::detail::field_info& field_of(
    const soapsvc::detail::record_info& record, std::string_view name) {
  for (const auto& field : record.fields)
    if (field.name == name) return field;
  throw std::out_of_range(std::string(name));
}

/// The XML Schema name and the occurrence of each child: "A boolean, Oa boolean?, Vf byte*".
std::string summary(const soapsvc::detail::record_info& record) {
  std::string all;
  for (const auto& field : record.fields) {
    all += all.empty() ? "" : ", ";
    all += std::string(field.name) + ' ';
    if (field.type.kind == type_kind::record)
      all += field.type.record().name;
    else if (field.type.kind == type_kind::enumeration)
      all += field.type.enumeration().name;
    else
      all += soapsvc::detail::simple_type_of(field.type.kind).name;
    all += field.occurs == occurrence::once ? "" : field.occurs == occurrence::optional ? "?" : "*";
  }
  return all;
}

/// Calls an operation of Signatures and returns the called method and its arguments.
std::string call(
    const std::string& operation, const std::string& content = "", const std::string& header = "") {
  Signatures service;
  soapsvc::dispatcher dispatcher(
      {.ns_base = "urn:test", .browsers = {.accept_missing_content_type = true}});
  dispatcher.add(service);
  const std::string body =
      "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Header>" + header +
      "</s:Header><s:Body><" + operation + " xmlns='urn:test/Signatures'>" + content + "</" +
      operation + "></s:Body></s:Envelope>";
  const auto response = dispatcher.handle({.target = "/soap/v3/Signatures.asmx", .body = body});
  return response.status == 200 ? service.called : response.body;
}

}  // namespace

TEST_CASE("each member type has its XML Schema type and occurrence", "[tables][rule-9]") {
  CHECK(
      summary(describe_record<Whole>()) ==
      "Wholes Whole*, A boolean, B byte, C short, D int, E long, F unsignedByte, G "
      "unsignedShort, "
      "H unsignedInt, I unsignedLong, J float, K double, L string, M base64Binary, N date, "
      "O dateTime, P decimal, Q Mood, R Part, Oa boolean?, Oe long?, Ok double?, Ol string?, "
      "Om base64Binary?, On date?, Oo dateTime?, Op decimal?, Oq Mood?, Part Part?, "
      "Vg unsignedShort*, Vl string*, Vm base64Binary*, Vn date*, Vo dateTime*, Vp decimal*, "
      "Vq Mood*, S integer, T time, U duration, V gYear, W gYearMonth, X gMonth, Y gMonthDay, "
      "Z gDay, Za hexBinary, Ou duration?, Vza hexBinary*, Parts Part*");
}

TEST_CASE("a record's fields reach the members that they name", "[tables]") {
  const auto& record = describe_record<Whole>();
  Whole whole;
  const auto at = [&](std::string_view name) {
    return static_cast<void*>(reinterpret_cast<char*>(&whole) + field_of(record, name).offset);
  };
  CHECK(at("A") == &whole.a);
  CHECK(at("E") == &whole.e);
  CHECK(at("L") == &whole.l);
  CHECK(at("Part") == &whole.part);
  CHECK(at("Wholes") == &whole.wholes);
}

TEST_CASE("a member is filled and walked through by its occurrence", "[tables]") {
  const auto& record = describe_record<Whole>();
  Whole whole;
  const auto& once = field_of(record, "D");
  CHECK(once.emplace(&whole.d) == &whole.d);
  CHECK(once.item(&whole.d, 0) == &whole.d);
  CHECK(once.item(&whole.d, 1) == nullptr);

  const auto& maybe = field_of(record, "Ol");
  CHECK(maybe.item(&whole.ol, 0) == nullptr);
  CHECK(maybe.emplace(&whole.ol) == &*whole.ol);
  CHECK(maybe.item(&whole.ol, 0) == &*whole.ol);
  CHECK(maybe.item(&whole.ol, 1) == nullptr);

  const auto& many = field_of(record, "Parts");
  CHECK(many.item(&whole.parts, 0) == nullptr);
  many.emplace(&whole.parts);
  const void* const second = many.emplace(&whole.parts);
  CHECK(second == &whole.parts[1]);
  CHECK(many.item(&whole.parts, 0) == &whole.parts[0]);
  CHECK(many.item(&whole.parts, 1) == &whole.parts[1]);
  CHECK(many.item(&whole.parts, 2) == nullptr);
}

TEST_CASE("a box is used as a std::optional, and owns what it holds", "[tables]") {
  using boxed = soapsvc::box<std::vector<std::string>>;
  const auto made = []() -> boxed { return std::vector<std::string>{"a"}; };
  boxed one = made();
  REQUIRE(one);
  boxed two = one;
  two->push_back("b");
  CHECK(one->size() == 1);
  CHECK_FALSE(one == two);
  one = *two;  // the assigned value may be a part of this one
  CHECK(one == two);
  CHECK(one.emplace().empty());
  one.reset();
  CHECK_FALSE(one);
  CHECK_FALSE(one.has_value());
  CHECK(one == boxed());
  const boxed last = std::move(two);
  REQUIRE(last.has_value());
  CHECK((*last).back() == "b");
  CHECK(made()->front() == "a");
}

TEST_CASE("row options arrive in any order", "[tables]") {
  const auto& record = describe_record<Options>();
  const auto& plain = field_of(record, "Plain").options;
  CHECK_FALSE((plain.default_if_absent || plain.secret || plain.deprecated));
  CHECK((plain.doc.empty() && plain.instead.empty()));
  CHECK(field_of(record, "Lenient").options.default_if_absent);
  CHECK(field_of(record, "Lenient").options.doc == "Zero when left out.");
  CHECK(field_of(record, "Hidden").options.secret);
  CHECK(field_of(record, "Hidden").options.doc == "Never shown.");
  CHECK(field_of(record, "Old").options.deprecated);
  CHECK(field_of(record, "Old").options.instead.empty());
  CHECK(field_of(record, "Older").options.deprecated);
  CHECK(field_of(record, "Older").options.instead == "Old");
  CHECK(field_of(record, "Older").options.secret);
  CHECK(field_of(record, "Part").options.default_if_absent);
}

TEST_CASE("XML names are valid, and kept unchanged", "[tables]") {
  const auto& record = describe_record<Names>();
  CHECK(record.name == "_names.of-2");
  CHECK(record.fields[0].name == "é");
  CHECK(record.fields[1].name == "x");
  CHECK(record.fields[2].name == "X");
  CHECK(record.fields[3].name == "日本");
}

TEST_CASE("a request's table may have no name, a record's no fields", "[tables]") {
  CHECK(describe_record<Nameless>().name.empty());
  CHECK(describe_record<Nameless>().fields.size() == 1);
  CHECK(describe_record<Hollow>().name == "Hollow");
  CHECK(describe_record<Hollow>().fields.empty());
  CHECK(describe_record<soapsvc::nothing>().fields.empty());
}

TEST_CASE("a table is described once", "[tables]") {
  CHECK(&describe_record<Part>() == &describe_record<Part>());
  CHECK(&field_of(describe_record<Whole>(), "Parts").type.record() == &describe_record<Part>());
  CHECK(&describe_record<Whole>().fields[0].type.record() == &describe_record<Whole>());
}

TEST_CASE("an enumeration maps texts to values, whatever their numbers", "[tables]") {
  const auto& info = describe_enumeration<Mood>();
  CHECK(info.name == "Mood");
  REQUIRE(info.values.size() == 2);
  CHECK(info.values[0].text == "good");
  CHECK(info.values[1].text == "very bad");
  Mood mood{};
  set_enumerator(info, &mood, info.values[1]);
  CHECK(mood == Mood::bad);
  CHECK(find_enumerator(info, &mood) == &info.values[1]);
  mood = Mood::good;
  CHECK(find_enumerator(info, &mood) == &info.values[0]);
  mood = static_cast<Mood>(0);
  CHECK(find_enumerator(info, &mood) == nullptr);
}

TEST_CASE("a long enumeration finds each text by its hash", "[tables]") {
  CHECK(describe_enumeration<Mood>().places.empty());
  const auto& info = describe_enumeration<Letter>();
  REQUIRE(info.places.size() == 2 * info.values.size() + 1);
  for (const auto& row : info.values)
    CHECK(find_value(info, row.text) == &row);
  for (const auto other : {"", "alpha", "Alph", "Alphaa", "Sierra", "Zulu"})
    CHECK(find_value(info, other) == nullptr);
}

TEST_CASE(
    "an enumeration keeps numbers of every size and sign, and nothing beside them", "[tables]") {
  const auto check = []<class Enum>(std::initializer_list<Enum> all) {
    const auto& info = describe_enumeration<Enum>();
    std::size_t index = 0;
    for (const Enum each : all) {
      Enum around[3] = {each, {}, each};
      set_enumerator(info, &around[1], info.values[index]);
      CHECK(around[0] == each);
      CHECK(around[1] == each);
      CHECK(around[2] == each);
      CHECK(find_enumerator(info, &each) == &info.values[index++]);
    }
    soapsvc::for_each_value<Enum>([&](std::string_view text, Enum value) {
      CHECK(find_enumerator(info, &value)->text == text);
      CHECK(soapsvc::text_of(value) == text);
      CHECK(soapsvc::parse_enum<Enum>(text) == value);
    });
    CHECK_THROWS_AS(soapsvc::text_of(static_cast<Enum>(99)), std::invalid_argument);
    for (const auto other : {"", " ", "GOOD", "good ", " good", "99"})
      CHECK(soapsvc::parse_enum<Enum>(other) == std::nullopt);
  };
  check({Mood::good, Mood::bad});
  check({Letter::alpha, Letter::bravo, Letter::charlie});
  check({Depth::surface, Depth::deep});
  check({Size::little, Size::negative});
  check({Distance::near, Distance::far});
  STATIC_REQUIRE(soapsvc::text_of(Mood::bad) == "very bad");
  STATIC_REQUIRE(soapsvc::parse_enum<Mood>("good") == Mood::good);
}

TEST_CASE("a service lists its operations in the order of its table", "[tables][rule-9]") {
  const auto& info = describe_service<Signatures>();
  CHECK(info.name == "Signatures");
  CHECK(info.options.doc == "A method of every signature.");
  std::string names;
  for (const auto& operation : info.operations)
    names += std::string(operation.name) + ' ';
  CHECK(
      names ==
      "Plain Constant NoThrow ConstantNoThrow Request Copy TakeHeader HeaderCopy Maybe "
      "Nothing Hollow About RequestAbout All ");
  CHECK(info.operations[1].options.secret);
  CHECK(info.operations[2].options.deprecated);
  CHECK(info.operations[2].options.instead.empty());
  CHECK(info.operations[3].options.instead == "Plain");
  CHECK(info.operations[4].options.doc == "Takes a request.");
}

TEST_CASE("request and header come from the method's signature", "[tables]") {
  const auto& all = describe_service<Signatures>().operations;
  const auto find = [&](std::string_view name) -> const soapsvc::detail::operation_info& {
    return *std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.name == name; });
  };
  CHECK_FALSE(find("Plain").takes_request());
  CHECK(find("Plain").headers.empty());
  CHECK_FALSE(find("About").takes_request());
  CHECK(find("Copy").request == &describe_record<Nameless>());
  CHECK(&find("All").headers[0].record() == &describe_record<Header>());
  CHECK_FALSE(find("All").headers[0].may_be_absent);
  CHECK(&find("Maybe").headers[0].record() == &describe_record<Header>());
  CHECK(find("Maybe").headers[0].may_be_absent);
  CHECK(find("All").response == soapsvc::detail::response_form::empty);
}

TEST_CASE("the result comes from the method's signature", "[tables]") {
  const auto& all = describe_service<Results>().operations;
  for (const auto& operation : all)
    CHECK(operation.response == soapsvc::detail::response_form::child);
  CHECK(all[0].result.type.kind == type_kind::int32);
  CHECK(all[0].result.occurs == occurrence::once);
  CHECK(all[1].result.type.kind == type_kind::int32);
  CHECK(all[2].result.type.kind == type_kind::string);
  CHECK(all[2].result.occurs == occurrence::optional);
  CHECK(all[3].result.type.kind == type_kind::int32);
  CHECK(all[3].result.occurs == occurrence::many);
  CHECK(&all[4].result.type.record() == &describe_record<Part>());
  CHECK(all[5].result.occurs == occurrence::many);
  CHECK(&all[6].result.type.enumeration() == &describe_enumeration<Mood>());
}

TEST_CASE("a method of every signature is called with its parameters", "[tables]") {
  const std::string id = "<Id>5</Id>";
  const std::string header = "<Header xmlns='urn:test/Signatures'><Id>7</Id></Header>";
  CHECK(call("Plain") == "plain");
  CHECK(call("Constant") == "");
  CHECK(call("NoThrow") == "no_throw");
  CHECK(call("ConstantNoThrow") == "");
  CHECK(call("Request", id) == "request 5");
  CHECK(call("Request") == "request 0");
  CHECK(call("Copy", id) == "copy 5");
  CHECK(call("TakeHeader", id, header) == "header 5 7");
  CHECK(call("HeaderCopy", id, header) == "header_copy 7");
  CHECK(call("Maybe", id, header) == "maybe there");
  CHECK(call("Maybe", id) == "maybe not");
  CHECK(call("Nothing", "", header) == "nothing 7");
  CHECK(call("Hollow") == "hollow");
  CHECK(call("About") == "about About");
  CHECK(call("RequestAbout", id) == "request_about 5 RequestAbout");
  CHECK(call("All", id, header) == "all 5 7 All");
}

TEST_CASE("a missing header block that the method requires is refused", "[tables][rule-6]") {
  CHECK(
      call("TakeHeader", "<Id>5</Id>").find("<faultcode>soap:Client</faultcode>") !=
      std::string::npos);
  CHECK(call("Nothing").find("Header is missing") != std::string::npos);
}

TEST_CASE("members are counted whatever their types", "[tables]") {
  using soapsvc::detail::count_members;
  CHECK(count_members<Whole>() == 48);
  CHECK(count_members<Options>() == 6);
  CHECK(count_members<Part>() == 1);
  CHECK(count_members<Hollow>() == 0);
  CHECK(count_members<soapsvc::date_time>() == 8);
}
