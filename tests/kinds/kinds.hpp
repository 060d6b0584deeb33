// Every feature of tables, each in its own section: for the tests that send them in both
// directions, and as examples.
#ifndef SOAPSVC_TESTS_KINDS_HPP
#define SOAPSVC_TESTS_KINDS_HPP

#include "soapsvc.hpp"

namespace kinds {

// --- Attributes ----------------------------------------------------------------------------------
// A required attribute, an optional one, one with a default value, one with a fixed value, and one
// of another namespace.

enum class Unit { metre, foot };

struct Length {
  double value = 0;  // an element: a record with attributes may also have children
  Unit unit = Unit::metre;
  std::optional<std::int32_t> digits;
  std::string system = "SI";
  std::string version = "1.0";
  std::optional<std::string> source;
  bool operator==(const Length&) const = default;
};

// --- Text with attributes (simpleContent) --------------------------------------------------------

struct Price {
  soapsvc::decimal amount;
  std::string currency;
  bool operator==(const Price&) const = default;
};

// --- Namespaces ----------------------------------------------------------------------------------
// A type of another namespace, with one element in no namespace and one in a third namespace.

struct Point {
  double x = 0;
  double y = 0;
  std::optional<std::string> note;
  std::optional<std::string> comment;
  bool operator==(const Point&) const = default;
};

// A type with the name of another type, in another namespace.
struct OtherPrice {
  std::int32_t cents = 0;
  bool operator==(const OtherPrice&) const = default;
};

// Without a namespace inside, as in rpc/literal and many old contracts.
struct Plain {
  std::string a;
  std::vector<std::int32_t> b;
  bool operator==(const Plain&) const = default;
};

// --- How often -----------------------------------------------------------------------------------

struct Counted {
  std::vector<std::int16_t> two_to_five;
  std::vector<std::string> some;
  bool operator==(const Counted&) const = default;
};

// --- Nil -----------------------------------------------------------------------------------------

struct Nils {
  soapsvc::nillable<std::string> must_be_there;
  std::optional<soapsvc::nillable<std::int32_t>> may_be_there;
  std::vector<soapsvc::nillable<Plain>> many;
  bool operator==(const Nils&) const = default;
};

// --- Recursion -----------------------------------------------------------------------------------
// Recursive through the type itself, and through another type.

struct Book;
struct Author {
  std::string name;
  std::vector<Book> books;
  bool operator==(const Author&) const = default;
};
struct Book {
  std::string title;
  soapsvc::box<Author> author;
  soapsvc::box<Book> sequel;
  bool operator==(const Book&) const = default;
};

// --- Choices -------------------------------------------------------------------------------------

struct Contact {
  std::optional<std::string> phone;
  std::optional<std::string> mail;
  std::vector<std::string> aliases;
  bool operator==(const Contact&) const = default;
};

struct Person {
  std::string name;
  Contact contact;
  bool operator==(const Person&) const = default;
};

// Repeated choices: the order is kept.
struct Step {
  std::optional<std::int32_t> left;
  std::optional<std::int32_t> right;
  std::optional<Price> pay;
  bool operator==(const Step&) const = default;
};
struct Walk {
  std::vector<Step> steps;
  bool operator==(const Walk&) const = default;
};

// Choices of groups of several elements, optional as a whole.
struct Card {
  std::string number;
  std::optional<std::int32_t> code;
  bool operator==(const Card&) const = default;
};
struct Transfer {
  std::string account;
  std::string bank;
  bool operator==(const Transfer&) const = default;
};
struct Means {
  std::optional<Card> card;
  std::optional<Transfer> transfer;
  std::optional<bool> cash;
  bool operator==(const Means&) const = default;
};
struct Payment {
  std::optional<Means> means;
  soapsvc::decimal amount;
  bool operator==(const Payment&) const = default;
};

// --- Groups --------------------------------------------------------------------------------------
// Groups that are optional, that repeat, and that only add their rows.

struct Pair {
  std::string key;
  std::optional<std::string> value;
  bool operator==(const Pair&) const = default;
};
struct Range {
  std::int32_t from = 0;
  std::int32_t to = 0;
  bool operator==(const Range&) const = default;
};
struct Named {
  std::string name;
  std::int32_t id = 0;
  bool operator==(const Named&) const = default;
};
struct Grouped {
  std::string last;  // rows may stand in another order than members
  Named named;
  std::optional<Range> range;
  std::vector<Pair> pairs;
  bool operator==(const Grouped&) const = default;
};

// --- Types that extend others --------------------------------------------------------------------

struct Animal {
  std::string name;
  std::int32_t id = 0;
  bool operator==(const Animal&) const = default;
};
struct Dog : Animal {
  bool barks = false;
  bool operator==(const Dog&) const = default;
};
struct Puppy : Dog {
  bool operator==(const Puppy&) const = default;
};

struct Cat : Animal {
  std::int32_t lives = 9;
  std::optional<std::string> colour;
  bool operator==(const Cat&) const = default;
};

// --- Lists, unions and qualified names -----------------------------------------------------------

struct Lists {
  soapsvc::list<std::int32_t> numbers;
  std::vector<soapsvc::list<double>> many;
  std::optional<soapsvc::list<Unit>> units;
  soapsvc::list<std::string> words;
  soapsvc::list<std::variant<std::int16_t, soapsvc::date>> mixed;
  bool operator==(const Lists&) const = default;
};

struct Unions {
  std::variant<std::int32_t, soapsvc::date, Unit, std::string> value;
  std::vector<std::variant<bool, double>> many;
  std::optional<std::variant<soapsvc::list<std::int32_t>, Unit>> attribute;
  bool operator==(const Unions&) const = default;
};

struct QualifiedNames {
  soapsvc::qualified_name element;
  std::vector<soapsvc::qualified_name> many;
  std::optional<soapsvc::nillable<soapsvc::qualified_name>> bare;
  std::optional<soapsvc::qualified_name> attribute;
  bool operator==(const QualifiedNames&) const = default;
};

// --- Wildcards -----------------------------------------------------------------------------------
// Wildcards for elements and attributes of other contracts; in a type of another namespace, where
// ##other means other than the type's; for a list of namespaces; in a group that repeats; and
// beside text.

struct Open {
  std::string known;
  std::vector<soapsvc::xml> others;
  std::vector<soapsvc::xml_attribute> attributes;
  bool operator==(const Open&) const = default;
};
struct OpenElsewhere {
  std::optional<soapsvc::xml> other;
  std::vector<soapsvc::xml_attribute> attributes;
  bool operator==(const OpenElsewhere&) const = default;
};
struct Note {
  soapsvc::xml note;
  bool operator==(const Note&) const = default;
};
struct OpenGroups {
  std::vector<Note> notes;
  std::string last;
  bool operator==(const OpenGroups&) const = default;
};
struct OpenText {
  std::string text;
  std::vector<soapsvc::xml_attribute> attributes;
  bool operator==(const OpenText&) const = default;
};

// --- Anything ------------------------------------------------------------------------------------

struct Anything {
  soapsvc::xml value;
  std::optional<soapsvc::xml> maybe;
  std::vector<soapsvc::xml> many;
  std::optional<soapsvc::nillable<soapsvc::xml>> nil;
  bool operator==(const Anything&) const = default;
};

// --- Values of derived types ---------------------------------------------------------------------
// Types with an abstract base with an attribute, and with a base that is a value itself.

struct Shape {
  std::string label;
  bool operator==(const Shape&) const = default;
};
struct Circle : Shape {
  double radius = 0;
  bool operator==(const Circle&) const = default;
};
struct Zoo {
  soapsvc::polymorphic<Animal> director;
  std::optional<soapsvc::polymorphic<Animal>> star;
  std::vector<soapsvc::polymorphic<Animal>> animals;
  std::vector<soapsvc::polymorphic<Shape>> shapes;
  std::optional<soapsvc::nillable<soapsvc::polymorphic<Shape>>> hole;
  bool operator==(const Zoo&) const = default;
};

// --- Facets --------------------------------------------------------------------------------------

struct Facets {
  std::string code = "A0";
  std::string name = "a";
  soapsvc::binary three{{0, 1, 2}};
  std::optional<soapsvc::hex_binary> two;
  std::int32_t percent = 0;
  soapsvc::decimal share{5, 1};
  soapsvc::decimal money;
  double size = 1;
  std::string letter = "a";
  std::optional<soapsvc::date> day;
  std::optional<soapsvc::duration> span;
  soapsvc::list<std::int32_t> numbers{{1}};
  std::vector<std::string> pairs;
  std::optional<std::variant<std::int32_t, soapsvc::date>> even;
  std::optional<soapsvc::nillable<std::uint8_t>> least;
  std::int8_t level = 0;
  std::optional<std::string> tag;
  bool operator==(const Facets&) const = default;
};

// --- Simple types with names ---------------------------------------------------------------------

inline constexpr auto postal_code =
    soapsvc::simple_type("PostalCode", soapsvc::pattern("[0-9]{4}"));
inline constexpr auto ratio = soapsvc::simple_type(
    "Ratio",
    soapsvc::ns("urn:kinds:geo"),
    soapsvc::min_inclusive("0"),
    soapsvc::max_inclusive("1"));
inline constexpr auto few = soapsvc::simple_type("Few", soapsvc::max_length(3));
inline constexpr auto keyword = soapsvc::simple_type(
    "Keyword", soapsvc::xs::ncname, soapsvc::max_length(8), soapsvc::pattern("[a-z]*"));

struct Area {
  std::string code = "0000";
  std::optional<double> share;
  bool operator==(const Area&) const = default;
};
struct NamedTypes {
  std::string code = "0000";
  std::vector<std::string> codes;
  std::string low_code = "0000";
  double share = 0;
  soapsvc::list<std::int16_t> few;
  std::optional<Area> area;
  std::optional<std::string> keyword;
  bool operator==(const NamedTypes&) const = default;
};

// --- Types of XML Schema that C++ lacks ----------------------------------------------------------

struct XsTypes {
  std::string normalized;
  std::string token;
  std::string language = "en";
  std::string name = "n";
  std::string ncname = "n";
  std::string nmtoken = "0";
  std::optional<std::string> id;
  std::optional<std::string> idref;
  std::string uri;
  soapsvc::integer integer;
  soapsvc::integer non_negative;
  std::uint16_t positive = 1;
  std::int64_t non_positive = 0;
  soapsvc::integer negative{-1};
  std::optional<std::string> attribute;
  bool operator==(const XsTypes&) const = default;
};

// --- All of them ---------------------------------------------------------------------------------

struct Everything {
  std::vector<Length> lengths;
  std::vector<Price> prices;
  std::vector<Point> points;
  std::vector<OtherPrice> other_prices;
  std::vector<Plain> plains;
  std::vector<Counted> counted;
  std::vector<Nils> nils;
  soapsvc::box<Author> author;
  std::vector<Person> persons;
  std::vector<Walk> walks;
  std::vector<Payment> payments;
  std::vector<Grouped> grouped;
  std::vector<Dog> dogs;
  std::vector<Puppy> puppies;
  std::vector<Lists> lists;
  std::vector<Unions> unions;
  std::vector<QualifiedNames> names;
  std::vector<Open> opens;
  std::vector<OpenElsewhere> elsewhere;
  std::vector<OpenGroups> open_groups;
  std::vector<OpenText> texts;
  std::vector<Anything> anything;
  std::vector<Zoo> zoos;
  std::vector<Facets> facets;
  std::vector<NamedTypes> named;
  std::vector<XsTypes> xs;
  bool operator==(const Everything&) const = default;
};

class Kinds {
public:
  Everything echo(const Everything& all) { return all; }
};

}  // namespace kinds

template <>
inline constexpr auto soapsvc::schema<kinds::Unit> = enumeration(
    "Unit", ns("urn:kinds:units"), value("m", kinds::Unit::metre), value("ft", kinds::Unit::foot));
template <>
inline constexpr auto soapsvc::schema<kinds::Length> = record(
    "Length",
    field("Value", &kinds::Length::value),
    attribute("unit", &kinds::Length::unit),
    attribute("digits", &kinds::Length::digits),
    attribute("system", &kinds::Length::system, default_value("SI")),
    attribute("version", &kinds::Length::version, fixed("1.0")),
    attribute("source", &kinds::Length::source, ns("urn:kinds:meta")));
template <>
inline constexpr auto soapsvc::schema<kinds::Price> =
    record("Price", content(&kinds::Price::amount), attribute("currency", &kinds::Price::currency));
template <>
inline constexpr auto soapsvc::schema<kinds::Point> = record(
    "Point",
    ns("urn:kinds:geo"),
    field("X", &kinds::Point::x),
    field("Y", &kinds::Point::y),
    field("Note", &kinds::Point::note, unqualified),
    field("Comment", &kinds::Point::comment, ns("urn:kinds:meta")));
template <>
inline constexpr auto soapsvc::schema<kinds::OtherPrice> =
    record("Price", ns("urn:kinds:geo"), field("Cents", &kinds::OtherPrice::cents));
template <>
inline constexpr auto soapsvc::schema<kinds::Plain> =
    record("Plain", unqualified, field("A", &kinds::Plain::a), field("B", &kinds::Plain::b));
template <>
inline constexpr auto soapsvc::schema<kinds::Counted> = record(
    "Counted",
    field("TwoToFive", &kinds::Counted::two_to_five, occurs(2, 5)),
    field("Some", &kinds::Counted::some, occurs(1)));
template <>
inline constexpr auto soapsvc::schema<kinds::Nils> = record(
    "Nils",
    field("MustBeThere", &kinds::Nils::must_be_there),
    field("MayBeThere", &kinds::Nils::may_be_there),
    field("Many", &kinds::Nils::many));
template <>
inline constexpr auto soapsvc::schema<kinds::Author> = record(
    "Author",
    field("Name", &kinds::Author::name),
    field("Book", &kinds::Author::books, forward_declared));
template <>
inline constexpr auto soapsvc::schema<kinds::Book> = record(
    "Book",
    field("Title", &kinds::Book::title),
    field("Author", &kinds::Book::author),
    field("Sequel", &kinds::Book::sequel));
template <>
inline constexpr auto soapsvc::schema<kinds::Contact> = choice(
    field("Phone", &kinds::Contact::phone),
    field("Mail", &kinds::Contact::mail),
    field("Alias", &kinds::Contact::aliases));
template <>
inline constexpr auto soapsvc::schema<kinds::Person> =
    record("Person", field("Name", &kinds::Person::name), group(&kinds::Person::contact));
template <>
inline constexpr auto soapsvc::schema<kinds::Step> = choice(
    field("Left", &kinds::Step::left),
    field("Right", &kinds::Step::right),
    field("Pay", &kinds::Step::pay));
template <>
inline constexpr auto soapsvc::schema<kinds::Walk> =
    record("Walk", group(&kinds::Walk::steps, occurs(1)));
template <>
inline constexpr auto soapsvc::schema<kinds::Card> =
    record(field("Number", &kinds::Card::number), field("Code", &kinds::Card::code));
template <>
inline constexpr auto soapsvc::schema<kinds::Transfer> =
    record(field("Account", &kinds::Transfer::account), field("Bank", &kinds::Transfer::bank));
template <>
inline constexpr auto soapsvc::schema<kinds::Means> = choice(
    group(&kinds::Means::card), group(&kinds::Means::transfer), field("Cash", &kinds::Means::cash));
template <>
inline constexpr auto soapsvc::schema<kinds::Payment> =
    record("Payment", group(&kinds::Payment::means), field("Amount", &kinds::Payment::amount));
template <>
inline constexpr auto soapsvc::schema<kinds::Pair> =
    record(field("Key", &kinds::Pair::key), field("Value", &kinds::Pair::value));
template <>
inline constexpr auto soapsvc::schema<kinds::Range> =
    record(field("From", &kinds::Range::from), field("To", &kinds::Range::to));
template <>
inline constexpr auto soapsvc::schema<kinds::Named> =
    record(field("Name", &kinds::Named::name), attribute("id", &kinds::Named::id));
template <>
inline constexpr auto soapsvc::schema<kinds::Grouped> = record(
    "Grouped",
    group(&kinds::Grouped::named),
    group(&kinds::Grouped::range),
    group(&kinds::Grouped::pairs),
    field("Last", &kinds::Grouped::last));
template <>
inline constexpr auto soapsvc::schema<kinds::Animal> = record(
    "Animal", abstract, field("Name", &kinds::Animal::name), attribute("id", &kinds::Animal::id));
template <>
inline constexpr auto soapsvc::schema<kinds::Dog> =
    record("Dog", extends<kinds::Animal>(), field("Barks", &kinds::Dog::barks));
template <>
inline constexpr auto soapsvc::schema<kinds::Puppy> =
    record<kinds::Puppy>("Puppy", extends<kinds::Dog>());
template <>
inline constexpr auto soapsvc::schema<kinds::Cat> = record(
    "Cat",
    ns("urn:kinds:geo"),
    extends<kinds::Animal>(),
    field("Lives", &kinds::Cat::lives),
    attribute("colour", &kinds::Cat::colour));
template <>
inline constexpr auto soapsvc::known_types<kinds::Animal> =
    soapsvc::types<kinds::Dog, kinds::Puppy, kinds::Cat>();

template <>
inline constexpr auto soapsvc::schema<kinds::Lists> = record(
    "Lists",
    field("Numbers", &kinds::Lists::numbers),
    field("Many", &kinds::Lists::many),
    attribute("units", &kinds::Lists::units),
    attribute("words", &kinds::Lists::words),
    field("Mixed", &kinds::Lists::mixed));
template <>
inline constexpr auto soapsvc::schema<kinds::Unions> = record(
    "Unions",
    field("Value", &kinds::Unions::value),
    field("Many", &kinds::Unions::many),
    attribute("attribute", &kinds::Unions::attribute));
template <>
inline constexpr auto soapsvc::schema<kinds::QualifiedNames> = record(
    "QualifiedNames",
    field("Element", &kinds::QualifiedNames::element),
    field("Many", &kinds::QualifiedNames::many, ns("urn:kinds:meta")),
    field("Bare", &kinds::QualifiedNames::bare, unqualified),
    attribute("attribute", &kinds::QualifiedNames::attribute));

template <>
inline constexpr auto soapsvc::schema<kinds::Open> = record(
    "Open",
    field("Known", &kinds::Open::known),
    any(&kinds::Open::others, ns("##other")),
    any_attribute(&kinds::Open::attributes));
template <>
inline constexpr auto soapsvc::schema<kinds::OpenElsewhere> = record(
    "OpenElsewhere",
    ns("urn:kinds:geo"),
    any(&kinds::OpenElsewhere::other, ns("##other")),
    any_attribute(&kinds::OpenElsewhere::attributes, ns("##targetNamespace")));
template <>
inline constexpr auto soapsvc::schema<kinds::Note> =
    record(any(&kinds::Note::note, ns("urn:notes urn:more ##local")));
template <>
inline constexpr auto soapsvc::schema<kinds::OpenGroups> =
    record("OpenGroups", group(&kinds::OpenGroups::notes), field("Last", &kinds::OpenGroups::last));
template <>
inline constexpr auto soapsvc::schema<kinds::OpenText> = record(
    "OpenText", content(&kinds::OpenText::text), any_attribute(&kinds::OpenText::attributes));

template <>
inline constexpr auto soapsvc::schema<kinds::Anything> = record(
    "Anything",
    field("Value", &kinds::Anything::value),
    field("Maybe", &kinds::Anything::maybe, unqualified),
    field("Many", &kinds::Anything::many),
    field("Nil", &kinds::Anything::nil));

template <>
inline constexpr auto soapsvc::schema<kinds::Shape> =
    record("Shape", field("Label", &kinds::Shape::label));
template <>
inline constexpr auto soapsvc::schema<kinds::Circle> =
    record("Circle", extends<kinds::Shape>(), field("Radius", &kinds::Circle::radius));
template <>
inline constexpr auto soapsvc::known_types<kinds::Shape> = soapsvc::types<kinds::Circle>();
template <>
inline constexpr auto soapsvc::schema<kinds::Zoo> = record(
    "Zoo",
    field("Director", &kinds::Zoo::director),
    field("Star", &kinds::Zoo::star),
    field("Animal", &kinds::Zoo::animals),
    field("Shape", &kinds::Zoo::shapes, ns("urn:kinds:meta")),
    field("Hole", &kinds::Zoo::hole));

template <>
inline constexpr auto soapsvc::schema<kinds::Facets> = record(
    "Facets",
    field(
        "Code", &kinds::Facets::code, pattern("[A-Z]{1,2}[0-9]+"), pattern("[a-z]"), sample("A1")),
    field("Name", &kinds::Facets::name, min_length(1), max_length(5)),
    field("Three", &kinds::Facets::three, length(3), sample("AAEC")),
    field("Two", &kinds::Facets::two, max_length(2), sample("00FF")),
    field("Percent", &kinds::Facets::percent, min_inclusive("0"), max_inclusive("100")),
    field(
        "Share",
        &kinds::Facets::share,
        min_exclusive("0"),
        max_exclusive("1"),
        fraction_digits(2),
        sample("0.5")),
    field("Money", &kinds::Facets::money, total_digits(5), fraction_digits(2)),
    field("Size", &kinds::Facets::size, enumerated("0.5", "1", "2")),
    field("Letter", &kinds::Facets::letter, enumerated("a", "b c", "")),
    field("Day", &kinds::Facets::day, min_inclusive("2020-01-31")),
    field("Span", &kinds::Facets::span, max_exclusive("P1D"), sample("PT1H")),
    field("Numbers", &kinds::Facets::numbers, min_length(1), max_length(3)),
    field("Pair", &kinds::Facets::pairs, length(2), occurs(0, 3), sample("ab")),
    field("Even", &kinds::Facets::even, pattern(".*[02468]"), sample("2")),
    field("Least", &kinds::Facets::least, min_exclusive("9"), sample("10")),
    attribute("level", &kinds::Facets::level, max_exclusive("5"), sample("1")),
    attribute("tag", &kinds::Facets::tag, ns("urn:kinds:meta"), max_length(2), sample("ab")));

template <>
inline constexpr auto soapsvc::schema<kinds::Area> = record(
    "Area",
    content(&kinds::Area::code, kinds::postal_code, sample("1234")),
    attribute("share", &kinds::Area::share, kinds::ratio, sample("0.5")));
template <>
inline constexpr auto soapsvc::schema<kinds::NamedTypes> = record(
    "NamedTypes",
    field("Code", &kinds::NamedTypes::code, kinds::postal_code, sample("1234")),
    field("Codes", &kinds::NamedTypes::codes, kinds::postal_code, sample("1234")),
    field(
        "LowCode",
        &kinds::NamedTypes::low_code,
        kinds::postal_code,
        pattern("0.*"),
        sample("0123")),
    field("Share", &kinds::NamedTypes::share, kinds::ratio, sample("0.5")),
    field("Few", &kinds::NamedTypes::few, kinds::few),
    field("Area", &kinds::NamedTypes::area),
    attribute("keyword", &kinds::NamedTypes::keyword, kinds::keyword));

template <>
inline constexpr auto soapsvc::schema<kinds::XsTypes> = record(
    "XsTypes",
    field("NormalizedString", &kinds::XsTypes::normalized, xs::normalized_string),
    field("Token", &kinds::XsTypes::token, xs::token),
    field("Language", &kinds::XsTypes::language, xs::language),
    field("Name", &kinds::XsTypes::name, xs::name),
    field("NCName", &kinds::XsTypes::ncname, xs::ncname),
    field("NMTOKEN", &kinds::XsTypes::nmtoken, xs::nmtoken),
    attribute("id", &kinds::XsTypes::id, xs::id),
    field("IDREF", &kinds::XsTypes::idref, xs::idref),
    field("AnyURI", &kinds::XsTypes::uri, xs::any_uri),
    field("Integer", &kinds::XsTypes::integer, xs::integer),
    field("NonNegative", &kinds::XsTypes::non_negative, xs::non_negative_integer),
    field("Positive", &kinds::XsTypes::positive, xs::positive_integer),
    field("NonPositive", &kinds::XsTypes::non_positive, xs::non_positive_integer),
    field("Negative", &kinds::XsTypes::negative, xs::negative_integer),
    attribute("attribute", &kinds::XsTypes::attribute, xs::token));
template <>
inline constexpr auto soapsvc::schema<kinds::Everything> = record(
    "Everything",
    field("Length", &kinds::Everything::lengths),
    field("Price", &kinds::Everything::prices),
    field("Point", &kinds::Everything::points),
    field("OtherPrice", &kinds::Everything::other_prices),
    field("Plain", &kinds::Everything::plains),
    field("Counted", &kinds::Everything::counted),
    field("Nils", &kinds::Everything::nils),
    field("Author", &kinds::Everything::author),
    field("Person", &kinds::Everything::persons),
    field("Walk", &kinds::Everything::walks),
    field("Payment", &kinds::Everything::payments),
    field("Grouped", &kinds::Everything::grouped),
    field("Dog", &kinds::Everything::dogs),
    field("Puppy", &kinds::Everything::puppies),
    field("Lists", &kinds::Everything::lists),
    field("Unions", &kinds::Everything::unions),
    field("QualifiedNames", &kinds::Everything::names),
    field("Open", &kinds::Everything::opens),
    field("OpenElsewhere", &kinds::Everything::elsewhere),
    field("OpenGroups", &kinds::Everything::open_groups),
    field("OpenText", &kinds::Everything::texts),
    field("Anything", &kinds::Everything::anything),
    field("Zoo", &kinds::Everything::zoos),
    field("Facets", &kinds::Everything::facets),
    field("NamedTypes", &kinds::Everything::named),
    field("XsTypes", &kinds::Everything::xs));
template <>
inline constexpr auto soapsvc::schema<kinds::Kinds> =
    service("Kinds", operation("Everything", &kinds::Kinds::echo));

#endif
