// Combinations of the features of kinds.hpp: groups within groups, in bases and in choices,
// namespaces that change from level to level, elements of one name, and a record of more fields
// than one table may have.
#ifndef SOAPSVC_TESTS_CORNERS_HPP
#define SOAPSVC_TESTS_CORNERS_HPP

#include "soapsvc.hpp"

#include <map>
#include <unordered_map>

namespace corners {

// --- A choice in a repeated sequence in an optional group ----------------------------------------

struct Leaf {
  std::optional<std::string> a;
  std::vector<std::int32_t> b;
  bool operator==(const Leaf&) const = default;
};
struct Row {
  std::string key;
  Leaf leaf;
  std::optional<std::string> note;
  bool operator==(const Row&) const = default;
};
struct Block {
  std::string head;
  std::vector<Row> rows;
  bool operator==(const Block&) const = default;
};
struct Deep {
  std::optional<Block> block;
  std::string end;
  bool operator==(const Deep&) const = default;
};

// --- Groups in base classes, attributes at each level, another namespace for the base ------------

struct Way {
  std::optional<std::string> road;
  std::optional<std::string> rail;
  bool operator==(const Way&) const = default;
};
struct Stop {
  std::string place;
  std::optional<std::int32_t> minutes;
  bool operator==(const Stop&) const = default;
};
struct Trip {
  Way way;
  std::vector<Stop> stops;
  std::int32_t number = 0;
  bool operator==(const Trip&) const = default;
};
struct Seats {
  std::int32_t first = 0;
  std::int32_t second = 0;
  bool operator==(const Seats&) const = default;
};
struct Train : Trip {
  std::optional<Seats> seats;
  std::optional<std::string> line;
  bool operator==(const Train&) const = default;
};
struct Express : Train {
  std::vector<Way> ways;
  bool fast = false;
  bool operator==(const Express&) const = default;
};

// A type without rows besides its base, and an empty type, both in other namespaces.
struct Sleeper : Express {
  bool operator==(const Sleeper&) const = default;
};
struct Nothing {
  bool operator==(const Nothing&) const = default;
};

// --- Text with attributes, extended by more attributes -------------------------------------------

struct Amount {
  soapsvc::decimal amount;
  std::string currency;
  bool operator==(const Amount&) const = default;
};
struct Tax : Amount {
  std::optional<std::int32_t> percent;
  bool operator==(const Tax&) const = default;
};

// --- One name in several namespaces --------------------------------------------------------------

struct Names {
  std::int32_t ours = 0;
  std::string theirs;
  std::optional<std::string> nobodys;
  bool attribute = false;
  std::optional<std::string> language;
  std::optional<std::string> their_attribute;
  bool operator==(const Names&) const = default;
};

// --- Namespaces from level to level --------------------------------------------------------------

struct Inner {
  std::int32_t x = 0;
  std::optional<std::string> bare;
  bool operator==(const Inner&) const = default;
};
struct Own {
  std::vector<std::string> words;
  bool operator==(const Own&) const = default;
};
struct Middle {
  std::vector<Inner> inners;
  std::optional<Own> own;
  bool operator==(const Middle&) const = default;
};
struct Outer {
  std::vector<Middle> bare;
  std::vector<Middle> theirs;
  std::vector<Inner> bare_inners;
  bool operator==(const Outer&) const = default;
};

// --- Elements that say more, in a namespace of their own -----------------------------------------

struct Said {
  soapsvc::nillable<std::int32_t> nil{};
  std::vector<soapsvc::nillable<std::string>> nils{};
  double version = 1;
  std::optional<std::int32_t> digits{};
  bool operator==(const Said&) const = default;
};

// --- How often, in choices and groups ------------------------------------------------------------

struct Vote {
  std::vector<std::string> names;
  std::optional<bool> none;
  bool operator==(const Vote&) const = default;
};
struct Score {
  std::int32_t home = 0;
  std::int32_t away = 0;
  bool operator==(const Score&) const = default;
};
struct Wind {
  std::int32_t east = 0;
  std::int32_t west = 0;
  bool operator==(const Wind&) const = default;
};
struct Weather {
  std::vector<Wind> winds;
  std::optional<std::string> calm;
  bool operator==(const Weather&) const = default;
};
struct Often {
  std::optional<Vote> vote{};
  std::optional<Weather> weather{};
  std::vector<Score> scores{};
  std::vector<soapsvc::nillable<std::int32_t>> two{};
  bool operator==(const Often&) const = default;
};

// --- Values that are fixed -----------------------------------------------------------------------

struct Level {
  std::int32_t level = 3;
  double scale = 1.5;
  bool operator==(const Level&) const = default;
};
struct Fixed {
  double version = 1;
  std::vector<std::int32_t> sevens;
  std::optional<Level> level;
  std::optional<std::string> mode;
  bool operator==(const Fixed&) const = default;
};

// --- Elements of one name, told apart by their order ---------------------------------------------

struct End {
  std::optional<std::int32_t> width;
  std::optional<std::string> high;
  bool operator==(const End&) const = default;
};
struct From {
  std::string low;
  std::optional<End> end;
  bool operator==(const From&) const = default;
};
struct Length {
  std::int32_t width = 0;
  std::optional<std::string> high;
  bool operator==(const Length&) const = default;
};
struct Around {
  std::string centre;
  std::optional<std::int32_t> width;
  bool operator==(const Around&) const = default;
};
struct Closed {
  std::optional<std::string> high;
  std::string reason;
  bool operator==(const Closed&) const = default;
};
struct Bounds {
  std::optional<From> from;
  std::optional<std::string> high;
  std::optional<Length> length;
  std::optional<Around> around;
  bool operator==(const Bounds&) const = default;
};
struct Interval {
  std::optional<Bounds> bounds;
  bool operator==(const Interval&) const = default;
};
struct Assigned {
  std::string key;
  std::optional<std::string> value;
  bool operator==(const Assigned&) const = default;
};
struct Remark {
  std::string remark;
  std::string value;
  bool operator==(const Remark&) const = default;
};
struct Part {
  std::optional<std::string> settings;
  std::optional<Assigned> assigned;
  std::optional<Remark> remark;
  bool operator==(const Part&) const = default;
};
struct Policy {
  std::optional<std::string> settings;
  std::string target;
  std::vector<Part> parts;
  bool operator==(const Policy&) const = default;
};
struct Amended : Policy {
  std::string end;
  std::string target_again;
  bool operator==(const Amended&) const = default;
};

// After a choice with another branch that could begin in the same way.
struct Opening {
  std::optional<std::string> low;
  std::optional<Around> around;
  std::optional<Closed> closed;
  bool operator==(const Opening&) const = default;
};
struct Gap {
  Opening opening;
  std::string high;
  bool operator==(const Gap&) const = default;
};

// --- Booleans and qualified names, several at a time ---------------------------------------------

struct Flags {
  std::vector<soapsvc::boolean> answers;
  soapsvc::list<soapsvc::boolean> bits;
  std::optional<soapsvc::list<soapsvc::boolean>> more;
  bool operator==(const Flags&) const = default;
};
struct Marks {
  soapsvc::list<soapsvc::qualified_name> kinds;
  std::variant<std::int32_t, soapsvc::qualified_name> either;
  soapsvc::qualified_name code{"urn:codes", "A"};
  std::optional<soapsvc::list<soapsvc::qualified_name>> more;
  std::optional<soapsvc::qualified_name> level;
  bool operator==(const Marks&) const = default;
};
struct Badge {
  soapsvc::list<soapsvc::qualified_name> tags;
  std::optional<std::variant<soapsvc::list<soapsvc::qualified_name>, std::int32_t>> others;
  bool operator==(const Badge&) const = default;
};

// --- A choice that contains itself ---------------------------------------------------------------

struct Term;
struct Form {
  soapsvc::box<Term> negated;
  std::vector<Term> sum;
  std::optional<std::int32_t> number;
  bool operator==(const Form&) const = default;
};
struct Term {
  Form form;
  bool operator==(const Term&) const = default;
};

// --- More fields than fit into one table ---------------------------------------------------------

#define CORNERS_TEN(of, n) \
  of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) of(n##8) of(n##9)
#define CORNERS_HUNDRED(of) \
  CORNERS_TEN(of, 0)        \
  CORNERS_TEN(of, 1)        \
  CORNERS_TEN(of, 2)        \
  CORNERS_TEN(of, 3)        \
  CORNERS_TEN(of, 4)        \
  CORNERS_TEN(of, 5)        \
  CORNERS_TEN(of, 6)        \
  CORNERS_TEN(of, 7)        \
  CORNERS_TEN(of, 8)        \
  CORNERS_TEN(of, 9)
#define CORNERS_MEMBER(n) std::int32_t m##n = 0;
struct Hundred {
  CORNERS_HUNDRED(CORNERS_MEMBER)
  bool operator==(const Hundred&) const = default;
};
struct OtherHundred {
  CORNERS_HUNDRED(CORNERS_MEMBER)
  bool operator==(const OtherHundred&) const = default;
};
struct Wide : Hundred {
  std::optional<OtherHundred> other;
  CORNERS_HUNDRED(CORNERS_MEMBER)
  bool operator==(const Wide&) const = default;
};
#undef CORNERS_MEMBER

// --- Lists in elements of their own --------------------------------------------------------------
// Present or absent, nil or not, of each kind of item, recursive, and in other namespaces.

struct Lists {
  std::vector<Outer> outers;
  std::optional<std::vector<std::string>> words;
  soapsvc::nillable<std::vector<std::int32_t>> numbers;
  std::optional<soapsvc::nillable<std::vector<soapsvc::decimal>>> prices;
  std::vector<soapsvc::nillable<Term>> terms;
  std::vector<soapsvc::xml> others;
  std::vector<soapsvc::binary> blobs;
  std::vector<Lists> inner;
  bool operator==(const Lists&) const = default;
};
struct ListsElsewhere {
  std::vector<Outer> outers;
  std::optional<std::vector<Outer>> more;
  std::vector<soapsvc::boolean> flags;
  bool operator==(const ListsElsewhere&) const = default;
};

// --- Types of a program's own --------------------------------------------------------------------
// Maps, an adapter of a class, and those of std::chrono.

class Percent {
public:
  Percent() = default;
  explicit Percent(std::int32_t value) : value_(value) {
    if (value < 0 || value > 100) throw std::invalid_argument("a share is 0 to 100 percent");
  }
  std::int32_t value() const { return value_; }
  bool operator==(const Percent&) const = default;

private:
  std::int32_t value_ = 0;
};
struct Adapted {
  std::map<std::string, std::int32_t> counts;
  std::optional<std::map<std::int32_t, Outer>> outers;
  soapsvc::nillable<std::unordered_map<std::string, std::string>> words;
  std::map<std::string, std::vector<Percent>> shares;
  std::chrono::year_month_day day{
      std::chrono::year(2024), std::chrono::month(2), std::chrono::day(29)};
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  std::optional<std::chrono::seconds> length;
  std::chrono::months term{};
  Percent share;
  Percent part;
  bool operator==(const Adapted&) const = default;
};

// --- All of them ---------------------------------------------------------------------------------

struct All {
  std::vector<Deep> deeps;
  std::vector<Express> trains;
  std::vector<Sleeper> sleepers;
  std::vector<Nothing> nothings;
  std::vector<Tax> taxes;
  std::vector<Names> names;
  std::vector<Outer> outers;
  std::vector<Said> said;
  std::vector<Often> often;
  std::vector<Fixed> fixed;
  std::vector<Interval> intervals;
  std::vector<Amended> policies;
  std::vector<Gap> gaps;
  std::vector<Flags> flags;
  std::vector<Marks> marks;
  std::vector<Badge> badges;
  std::vector<Term> terms;
  std::vector<Wide> wides;
  std::vector<Lists> lists;
  std::vector<ListsElsewhere> lists_elsewhere;
  std::vector<Adapted> adapted;
  bool operator==(const All&) const = default;
};

class Corners {
public:
  All echo(const All& all) { return replaces ? *replaces : all; }
  std::optional<All> replaces;
  std::vector<Outer> outers() { return {}; }
  std::unique_ptr<Outer> find(
      std::int32_t at, const std::optional<Percent>& share, const std::vector<Outer>& among) {
    if (share == Percent(0) || at >= static_cast<std::int32_t>(among.size())) return nullptr;
    return std::make_unique<Outer>(among[static_cast<std::size_t>(at)]);
  }
};

}  // namespace corners

template <> struct soapsvc::adapter<corners::Percent> {
  using wire = std::int32_t;
  static wire to_wire(const corners::Percent& percent) { return percent.value(); }
  static corners::Percent from_wire(wire sent) { return corners::Percent(sent); }
};

template <>
inline constexpr auto soapsvc::schema<corners::Leaf> =
    choice(field("A", &corners::Leaf::a), field("B", &corners::Leaf::b));
template <>
inline constexpr auto soapsvc::schema<corners::Row> = record(
    field("Key", &corners::Row::key),
    group(&corners::Row::leaf),
    field("Note", &corners::Row::note));
template <>
inline constexpr auto soapsvc::schema<corners::Block> =
    record(field("Head", &corners::Block::head), group(&corners::Block::rows, occurs(1, 3)));
template <>
inline constexpr auto soapsvc::schema<corners::Deep> =
    record("Deep", group(&corners::Deep::block), field("End", &corners::Deep::end));

template <>
inline constexpr auto soapsvc::schema<corners::Way> =
    choice(field("Road", &corners::Way::road), field("Rail", &corners::Way::rail));
template <>
inline constexpr auto soapsvc::schema<corners::Stop> =
    record(field("Place", &corners::Stop::place), field("Minutes", &corners::Stop::minutes));
template <>
inline constexpr auto soapsvc::schema<corners::Trip> = record(
    "Trip",
    ns("urn:corners:trips"),
    group(&corners::Trip::way),
    group(&corners::Trip::stops, occurs(2)),
    attribute("number", &corners::Trip::number));
template <>
inline constexpr auto soapsvc::schema<corners::Seats> =
    record(field("First", &corners::Seats::first), field("Second", &corners::Seats::second));
template <>
inline constexpr auto soapsvc::schema<corners::Train> = record(
    "Train",
    extends<corners::Trip>(),
    group(&corners::Train::seats),
    attribute("line", &corners::Train::line));
template <>
inline constexpr auto soapsvc::schema<corners::Express> = record(
    "Express",
    extends<corners::Train>(),
    group(&corners::Express::ways),
    attribute("fast", &corners::Express::fast));

template <>
inline constexpr auto soapsvc::schema<corners::Sleeper> =
    record<corners::Sleeper>("Sleeper", ns("urn:corners:a"), extends<corners::Express>());
template <>
inline constexpr auto soapsvc::schema<corners::Nothing> =
    record<corners::Nothing>("Nothing", ns("urn:corners:a"));

template <>
inline constexpr auto soapsvc::schema<corners::Amount> = record(
    "Amount", content(&corners::Amount::amount), attribute("currency", &corners::Amount::currency));
template <>
inline constexpr auto soapsvc::schema<corners::Tax> =
    record("Tax", extends<corners::Amount>(), attribute("percent", &corners::Tax::percent));

template <>
inline constexpr auto soapsvc::schema<corners::Names> = record(
    "Names",
    field("Id", &corners::Names::ours),
    field("Id", &corners::Names::theirs, ns("urn:corners:ids")),
    field("Id", &corners::Names::nobodys, unqualified),
    attribute("Id", &corners::Names::attribute),
    attribute("lang", &corners::Names::language, ns("http://www.w3.org/XML/1998/namespace")),
    attribute("Id", &corners::Names::their_attribute, ns("urn:corners:ids")));

template <>
inline constexpr auto soapsvc::schema<corners::Inner> = record(
    "Inner",
    ns("urn:corners:a"),
    field("X", &corners::Inner::x),
    field("Bare", &corners::Inner::bare, unqualified));
template <>
inline constexpr auto soapsvc::schema<corners::Own> =
    record("Own", field("Word", &corners::Own::words));
template <>
inline constexpr auto soapsvc::schema<corners::Middle> = record(
    "Middle",
    unqualified,
    field("Inner", &corners::Middle::inners),
    field("Own", &corners::Middle::own));
template <>
inline constexpr auto soapsvc::schema<corners::Outer> = record(
    "Outer",
    field("Bare", &corners::Outer::bare, unqualified),
    field("Their", &corners::Outer::theirs, ns("urn:corners:b")),
    field("BareInner", &corners::Outer::bare_inners, unqualified));

template <>
inline constexpr auto soapsvc::schema<corners::Said> = record(
    "Said",
    field("Nil", &corners::Said::nil, ns("urn:corners:b")),
    field("Nils", &corners::Said::nils, ns("urn:corners:b"), occurs(1)),
    field("Version", &corners::Said::version, ns("urn:corners:b"), fixed("1.0")),
    field("Digits", &corners::Said::digits, ns("urn:corners:b"), default_value("2")));

template <>
inline constexpr auto soapsvc::schema<corners::Vote> =
    choice(field("Name", &corners::Vote::names, occurs(2, 3)), field("None", &corners::Vote::none));
template <>
inline constexpr auto soapsvc::schema<corners::Score> =
    record(field("Home", &corners::Score::home), field("Away", &corners::Score::away));
template <>
inline constexpr auto soapsvc::schema<corners::Wind> =
    record(field("East", &corners::Wind::east), field("West", &corners::Wind::west));
template <>
inline constexpr auto soapsvc::schema<corners::Weather> =
    choice(group(&corners::Weather::winds, occurs(2)), field("Calm", &corners::Weather::calm));
template <>
inline constexpr auto soapsvc::schema<corners::Often> = record(
    "Often",
    group(&corners::Often::vote),
    group(&corners::Often::weather),
    group(&corners::Often::scores, occurs(0, 2)),
    field("Two", &corners::Often::two, occurs(0, 2)));

template <>
inline constexpr auto soapsvc::schema<corners::Level> = record(
    "Level",
    content(&corners::Level::level),
    attribute("scale", &corners::Level::scale, fixed("1.50")));
template <>
inline constexpr auto soapsvc::schema<corners::Fixed> = record(
    "Fixed",
    attribute("version", &corners::Fixed::version, fixed("1.0")),
    field("Seven", &corners::Fixed::sevens, fixed("7")),
    field("Level", &corners::Fixed::level),
    field("Mode", &corners::Fixed::mode, default_value("fast")));

template <>
inline constexpr auto soapsvc::schema<corners::End> =
    choice(field("Width", &corners::End::width), field("High", &corners::End::high));
template <>
inline constexpr auto soapsvc::schema<corners::From> =
    record(field("Low", &corners::From::low), group(&corners::From::end));
template <>
inline constexpr auto soapsvc::schema<corners::Length> =
    record(field("Width", &corners::Length::width), field("High", &corners::Length::high));
template <>
inline constexpr auto soapsvc::schema<corners::Around> =
    record(field("Centre", &corners::Around::centre), field("Width", &corners::Around::width));
template <>
inline constexpr auto soapsvc::schema<corners::Bounds> = choice(
    group(&corners::Bounds::from),
    field("High", &corners::Bounds::high),
    group(&corners::Bounds::length),
    group(&corners::Bounds::around));
template <>
inline constexpr auto soapsvc::schema<corners::Interval> =
    record("Interval", group(&corners::Interval::bounds));
template <>
inline constexpr auto soapsvc::schema<corners::Assigned> =
    record(field("Key", &corners::Assigned::key), field("Value", &corners::Assigned::value));
template <>
inline constexpr auto soapsvc::schema<corners::Remark> =
    record(field("Remark", &corners::Remark::remark), field("Value", &corners::Remark::value));
template <>
inline constexpr auto soapsvc::schema<corners::Part> = choice(
    field("Settings", &corners::Part::settings),
    group(&corners::Part::assigned),
    group(&corners::Part::remark));
template <>
inline constexpr auto soapsvc::schema<corners::Policy> = record(
    "Policy",
    field("Settings", &corners::Policy::settings),
    field("Target", &corners::Policy::target),
    group(&corners::Policy::parts));
template <>
inline constexpr auto soapsvc::schema<corners::Amended> = record(
    "Amended",
    extends<corners::Policy>(),
    field("End", &corners::Amended::end),
    field("Target", &corners::Amended::target_again));

template <>
inline constexpr auto soapsvc::schema<corners::Closed> =
    record(field("High", &corners::Closed::high), field("Reason", &corners::Closed::reason));
template <>
inline constexpr auto soapsvc::schema<corners::Opening> = choice(
    field("Low", &corners::Opening::low),
    group(&corners::Opening::around),
    group(&corners::Opening::closed));
template <>
inline constexpr auto soapsvc::schema<corners::Gap> =
    record("Gap", group(&corners::Gap::opening), field("High", &corners::Gap::high));

template <>
inline constexpr auto soapsvc::schema<corners::Flags> = record(
    "Flags",
    field("Answer", &corners::Flags::answers),
    field("Bits", &corners::Flags::bits),
    attribute("more", &corners::Flags::more, max_length(3)));
template <>
inline constexpr auto soapsvc::schema<corners::Marks> = record(
    "Marks",
    field("Kinds", &corners::Marks::kinds, max_length(4)),
    field("Either", &corners::Marks::either),
    field(
        "Code",
        &corners::Marks::code,
        simple_type("Code", enumerated("{urn:codes}A", "{urn:codes}B", "{urn:more}A"))),
    attribute("more", &corners::Marks::more),
    attribute("level", &corners::Marks::level, enumerated("{urn:levels}low", "{urn:levels}high")));
template <>
inline constexpr auto soapsvc::schema<corners::Badge> = record(
    "Badge",
    content(&corners::Badge::tags, simple_type("Tags", max_length(3))),
    attribute("others", &corners::Badge::others));

template <>
inline constexpr auto soapsvc::schema<corners::Form> = choice(
    field("Not", &corners::Form::negated, forward_declared),
    field("Sum", &corners::Form::sum, forward_declared),
    field("Number", &corners::Form::number));
template <>
inline constexpr auto soapsvc::schema<corners::Term> = record("Term", group(&corners::Term::form));

#define CORNERS_ROW(n) , field("A" #n, &corners::Hundred::m##n)
template <>
inline constexpr auto soapsvc::schema<corners::Hundred> =
    record("Hundred", ns("urn:corners:a") CORNERS_HUNDRED(CORNERS_ROW));
#undef CORNERS_ROW
#define CORNERS_ROW(n) , field("B" #n, &corners::OtherHundred::m##n)
template <>
inline constexpr auto soapsvc::schema<corners::OtherHundred> =
    record("OtherHundred" CORNERS_HUNDRED(CORNERS_ROW));
#undef CORNERS_ROW
#define CORNERS_ROW(n) , field("C" #n, &corners::Wide::m##n)
template <>
inline constexpr auto soapsvc::schema<corners::Wide> = record(
    "Wide", extends<corners::Hundred>(), group(&corners::Wide::other) CORNERS_HUNDRED(CORNERS_ROW));
#undef CORNERS_ROW

template <>
inline constexpr auto soapsvc::schema<corners::Lists> = record(
    "WrappedLists",
    wrapped_list("Outers", &corners::Lists::outers, doc("Those without.")),
    wrapped_list("Words", &corners::Lists::words, secret),
    wrapped_list("Numbers", &corners::Lists::numbers),
    wrapped_list("Prices", "Price", &corners::Lists::prices, deprecated),
    wrapped_list("Terms", &corners::Lists::terms),
    wrapped_list("Others", &corners::Lists::others),
    wrapped_list("Blobs", &corners::Lists::blobs),
    wrapped_list("Inner", &corners::Lists::inner));
template <>
inline constexpr auto soapsvc::schema<corners::ListsElsewhere> = record(
    "ListsElsewhere",
    ns("urn:corners:lists"),
    wrapped_list("Outers", "One", &corners::ListsElsewhere::outers),
    wrapped_list("More", &corners::ListsElsewhere::more, ns("urn:corners:more")),
    wrapped_list("Flags", &corners::ListsElsewhere::flags, unqualified));

template <>
inline constexpr auto soapsvc::schema<corners::Adapted> = record(
    "Adapted",
    map("Counts",
        "KeyValueOfstringint",
        "Key",
        "Value",
        &corners::Adapted::counts,
        item_ns("urn:maps")),
    map("Outers", "Numbered", "Number", "Outer", &corners::Adapted::outers),
    map("Words", "Entry", "Key", "Value", &corners::Adapted::words, doc("Words by language.")),
    map("Shares", "Sharers", "Name", "Percent", &corners::Adapted::shares, ns("urn:maps")),
    field("Day", &corners::Adapted::day),
    field("At", &corners::Adapted::at),
    field("Length", &corners::Adapted::length),
    field("Term", &corners::Adapted::term),
    field("Share", &corners::Adapted::share, max_inclusive("100")),
    attribute("part", &corners::Adapted::part, default_value("50")));

template <>
inline constexpr auto soapsvc::schema<corners::All> = record(
    "All",
    field("Deep", &corners::All::deeps),
    field("Train", &corners::All::trains),
    field("Sleeper", &corners::All::sleepers),
    field("Nothing", &corners::All::nothings),
    field("Tax", &corners::All::taxes),
    field("Names", &corners::All::names),
    field("Outer", &corners::All::outers),
    field("Said", &corners::All::said),
    field("Often", &corners::All::often),
    field("Fixed", &corners::All::fixed),
    field("Interval", &corners::All::intervals),
    field("Policy", &corners::All::policies),
    field("Gap", &corners::All::gaps),
    field("Flags", &corners::All::flags),
    field("Marks", &corners::All::marks),
    field("Badge", &corners::All::badges),
    field("Term", &corners::All::terms),
    field("Wide", &corners::All::wides),
    field("Lists", &corners::All::lists),
    field("ListsElsewhere", &corners::All::lists_elsewhere),
    field("Adapted", &corners::All::adapted));
template <>
inline constexpr auto soapsvc::schema<corners::Corners> = service(
    "Corners",
    operation("All", &corners::Corners::echo),
    operation("Outers", &corners::Corners::outers),
    operation("Find", &corners::Corners::find, parameters("At", "Share", "Among")));

#endif
