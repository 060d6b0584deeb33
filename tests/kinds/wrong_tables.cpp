// Tables with mistakes that no compiler finds: `add` throws, with the table's name.
#include "soapsvc.hpp"

#include <catch2/catch.hpp>

namespace wrong_tables {

/// A table for a struct with one member; `Number` distinguishes the tables.
template <int Number, class Member> struct one { Member value; };

struct Wide {
  std::vector<std::int32_t> many;
};
struct Base {
  std::string name;
  std::optional<std::string> id;
};
struct Derived : Base {
  std::int32_t again = 0;
};
struct Repeated : Base {
  std::string again;
};
struct Grouped {
  Wide wide;
  std::string many;
};
struct Either {
  std::vector<Wide> left;
  std::optional<Wide> right;
};
struct Mark {
  std::string mark;
};
struct Paired {
  std::vector<Mark> two;
  std::optional<Mark> one;
};
template <class Choice> struct Chosen { Choice choice; };
struct Early {
  std::optional<std::string> early;
};
struct Late : Early {
  std::string late;
};
struct Facets : Base {
  std::string again;
};
struct Apiece {
  std::string left;
  std::string right;
};
struct Lettered : Apiece {
  std::string again;
};
struct Named {
  std::string first;
  std::string second;
};
struct Alike {
  soapsvc::nillable<std::string> nil;
  std::string given = "a";
  std::string attribute = "b";
};
struct Apart {
  std::string first;
  std::string second;
};
struct Elements {
  Apart apart;
  std::string first;
};
struct Both {
  soapsvc::list<std::int32_t> left;
  soapsvc::list<std::int64_t> right;
};
struct Beside {
  std::string text;
  std::string element;
};

struct Shape {
  std::optional<std::string> label;
};
struct Drawing {
  std::optional<Shape> shape;
};
struct Sketches {
  std::vector<Shape> shapes;
};
class Gallery {
public:
  std::vector<Shape> list() { return {}; }
};
class Wall {
public:
  Shape nearest() { return {}; }
};
struct Many {
  std::vector<std::int32_t> many;
};
struct Loose {
  std::string first;
  std::optional<std::string> second;
};
struct Single {
  std::string value;
};
struct Doubled {
  Single single;
  std::string value;
};
struct Tight : Loose {
  std::string third;
};
struct Tied : Base {
  std::string third;
};

template <class Wrong> struct Take { Wrong wrong; };
template <class Wrong> class Serves {
public:
  void take(const Take<Wrong>&) {}
};

/// The error of adding a service with this type in a request; empty: none.
template <class Wrong> std::string refused() {
  static Serves<Wrong> service;
  soapsvc::dispatcher services({.ns_base = "http://example.com/soap"});
  try {
    services.add(service);
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    const std::string place = " (operation Take of Serves)";
    const bool told = what.ends_with(place);
    return told ? what.substr(0, what.size() - place.size()) : what;
  }
  return {};
}

}  // namespace wrong_tables

using namespace wrong_tables;

template <>
inline constexpr auto soapsvc::schema<Wide> = record("Wide", field("Many", &Wide::many));
#define WRONG(number, member, ...)                             \
  template <>                                                  \
  inline constexpr auto soapsvc::schema<one<number, member>> = \
      record("Wrong", field("Value", &one<number, member>::value, __VA_ARGS__));

WRONG(1, std::int32_t, min_inclusive("abc"))
WRONG(2, std::int32_t, enumerated("1", "2", "x"))
WRONG(3, soapsvc::date, max_exclusive("2020-02-30"))
WRONG(4, std::string, pattern("[a"))
WRONG(5, std::string, pattern("((a{100}){100}){100}"))
WRONG(6, std::int32_t, xs::token)
WRONG(13, Wide, pattern("a"))
WRONG(14, soapsvc::qualified_name, max_length(3))
WRONG(15, soapsvc::xml, pattern("a"))
WRONG(16, std::int32_t, fixed("x"))
WRONG(17, soapsvc::list<std::int32_t>, default_value("1 x"))
WRONG(18, soapsvc::qualified_name, fixed("a"))
WRONG(19, soapsvc::list<std::int32_t>, min_inclusive("1"))
WRONG(20, soapsvc::list<std::int32_t>, enumerated("1", "1 x"))
WRONG(21, std::string, soapsvc::simple_type("Code", pattern("*")))
WRONG(22, double, xs::integer)
using either = std::variant<std::int32_t, soapsvc::date>;
WRONG(23, either, max_length(2))
WRONG(24, either, default_value("x"))
WRONG(25, soapsvc::qualified_name, enumerated("{urn:a}b", "{urn:a"))
WRONG(26, soapsvc::list<soapsvc::qualified_name>, pattern("a"))
WRONG(27, soapsvc::list<soapsvc::qualified_name>, enumerated("{urn:a}b"))
using named_or_not = std::variant<soapsvc::qualified_name, std::string>;
WRONG(28, named_or_not, enumerated("a"))
WRONG(30, std::string, min_length(5), max_length(3))
WRONG(31, std::string, simple_type("Code", max_length(3)), max_length(5))
WRONG(32, std::string, simple_type("Code", length(3)), max_length(5))
WRONG(33, soapsvc::decimal, total_digits(3), fraction_digits(4))
WRONG(34, std::int32_t, min_inclusive("5"), max_exclusive("5"))
WRONG(35, std::int32_t, simple_type("Code", min_exclusive("5")), min_inclusive("5"))
WRONG(36, std::int32_t, simple_type("Code", max_inclusive("5")), enumerated("4", "6"))
WRONG(37, std::string, simple_type("Code", min_length(2), max_length(5)), max_length(1))
WRONG(
    38,
    std::int32_t,
    simple_type("Code", min_exclusive("5"), max_inclusive("9")),
    min_exclusive("5"),
    max_exclusive("9"))
WRONG(39, std::string, simple_type("Code", min_length(2), max_length(5)), length(4))
WRONG(40, soapsvc::decimal, simple_type("Code", fraction_digits(2)), total_digits(5))
WRONG(41, soapsvc::integer, simple_type("Code", xs::positive_integer, min_inclusive("5")))
WRONG(42, soapsvc::integer, simple_type("Code", xs::non_negative_integer, min_exclusive("0")))
WRONG(43, soapsvc::integer, simple_type("Code", xs::positive_integer, min_inclusive("0")))
WRONG(44, std::int32_t, simple_type("Code", enumerated("1", "2")), enumerated("2", "3"))
WRONG(45, std::string, simple_type("Code", pattern("[a-z]+")), enumerated("a", "B"))
WRONG(46, std::string, simple_type("Code", max_length(3)), enumerated("abc", "abcd"))
WRONG(47, std::string, xs::ncname, enumerated("a", "b c"))
WRONG(48, std::string, simple_type("Code", xs::token, max_length(3)), enumerated(" abc "))
WRONG(49, std::string, xs::language, enumerated("en", "e_n"))
WRONG(50, std::string, simple_type("Code", xs::ncname, enumerated("1a")))
WRONG(51, soapsvc::list<std::int32_t>, simple_type("Code", max_length(1)), enumerated("1 2"))
WRONG(52, std::string, simple_type("Code", max_length(3)), max_length(2), enumerated("abc"))
#undef WRONG

template <>
inline constexpr auto soapsvc::schema<Base> =
    record("Base", field("Name", &Base::name), attribute("id", &Base::id));
template <>
inline constexpr auto soapsvc::schema<Derived> =
    record("Derived", extends<Base>(), field("Name", &Derived::again));
template <>
inline constexpr auto soapsvc::schema<Grouped> =
    record("Grouped", group(&Grouped::wide), field("Many", &Grouped::many));
template <>
inline constexpr auto soapsvc::schema<Repeated> =
    record("Repeated", extends<Base>(), field("Name", &Repeated::again));
template <>
inline constexpr auto soapsvc::schema<Either> =
    choice(group(&Either::left, occurs(2)), group(&Either::right));
template <>
inline constexpr auto soapsvc::schema<Mark> = record("Mark", field("Mark", &Mark::mark));
template <>
inline constexpr auto soapsvc::schema<Paired> =
    choice(group(&Paired::two, occurs(2, 2)), group(&Paired::one));
template <class Choice>
inline constexpr auto soapsvc::schema<Chosen<Choice>> =
    record("Chosen", group(&Chosen<Choice>::choice));
template <>
inline constexpr auto soapsvc::schema<Early> = record("Early", field("Time", &Early::early));
template <>
inline constexpr auto soapsvc::schema<Late> =
    record("Late", extends<Early>(), field("Time", &Late::late));
template <>
inline constexpr auto soapsvc::schema<Facets> =
    record("Facets", extends<Base>(), field("Name", &Facets::again, max_length(3)));
template <>
inline constexpr auto soapsvc::schema<Apiece> =
    record("Apiece", attribute("left", &Apiece::left), attribute("right", &Apiece::right));
template <>
inline constexpr auto soapsvc::schema<Lettered> =
    record("Lettered", extends<Apiece>(), attribute("left", &Lettered::again));
template <>
inline constexpr auto soapsvc::schema<Named> = record(
    "Named",
    field("First", &Named::first, simple_type("Code", max_length(3))),
    field("Second", &Named::second, simple_type("Code", max_length(4))));
template <>
inline constexpr auto soapsvc::schema<Alike> = record(
    "Alike",
    field("Nil", &Alike::nil, simple_type("Code", max_length(3))),
    field("Given", &Alike::given, simple_type("Code", max_length(3)), default_value("a")),
    attribute("attribute", &Alike::attribute, simple_type("Code", max_length(3)), max_length(2)));
template <>
inline constexpr auto soapsvc::schema<Apart> = record(
    "Apart",
    field("First", &Apart::first, ns("urn:a"), max_length(3)),
    field("Second", &Apart::second, ns("urn:a")));
template <>
inline constexpr auto soapsvc::schema<Elements> = record(
    "Elements",
    field("Apart", &Elements::apart),
    field("First", &Elements::first, ns("urn:a"), max_length(4)));
template <>
inline constexpr auto soapsvc::schema<Both> = record(
    "Both",
    field("Left", &Both::left, simple_type("Few", max_length(3))),
    field("Right", &Both::right, simple_type("Few", max_length(3))));
template <>
inline constexpr auto soapsvc::schema<Beside> =
    record("Beside", content(&Beside::text), field("Element", &Beside::element));
template <>
inline constexpr auto soapsvc::schema<one<100, soapsvc::list<std::int32_t>>> =
    record("Wrong", content(&one<100, soapsvc::list<std::int32_t>>::value));
template <>
inline constexpr auto soapsvc::schema<one<101, std::string>> =
    record("Wrong", content(&one<101, std::string>::value, max_length(3)));
template <>
inline constexpr auto soapsvc::schema<one<103, std::string>> =
    record("Fine", field("Value", &one<103, std::string>::value, pattern("[a-c]+"), sample("d")));

template <>
inline constexpr auto soapsvc::schema<Shape> =
    record("Shape", abstract, field("Label", &Shape::label));
template <>
inline constexpr auto soapsvc::schema<Drawing> = record("Drawing", field("Shape", &Drawing::shape));
template <>
inline constexpr auto soapsvc::schema<Sketches> =
    record("Sketches", wrapped_list("Shapes", &Sketches::shapes));
template <>
inline constexpr auto soapsvc::schema<Gallery> =
    service("Gallery", operation("List", &Gallery::list));
template <>
inline constexpr auto soapsvc::schema<Wall> =
    service("Wall", bare, operation("Nearest", &Wall::nearest));
template <>
inline constexpr auto soapsvc::schema<Many> = record("Many", all, field("Many", &Many::many));
template <>
inline constexpr auto soapsvc::schema<Loose> =
    record("Loose", all, field("First", &Loose::first), field("Second", &Loose::second));
template <>
inline constexpr auto soapsvc::schema<Single> = record("Single", field("Value", &Single::value));
template <>
inline constexpr auto soapsvc::schema<Doubled> =
    record("Doubled", all, group(&Doubled::single), field("Value", &Doubled::value));
template <>
inline constexpr auto soapsvc::schema<Tight> =
    record("Tight", extends<Loose>(), field("Third", &Tight::third));
template <>
inline constexpr auto soapsvc::schema<Tied> =
    record("Tied", all, extends<Base>(), field("Third", &Tied::third));

template <class Wrong>
inline constexpr auto soapsvc::schema<Take<Wrong>> = record(field("Wrong", &Take<Wrong>::wrong));
template <class Wrong>
inline constexpr auto soapsvc::schema<Serves<Wrong>> =
    service("Serves", operation("Take", &Serves<Wrong>::take));

TEST_CASE("facets and their values must fit the type of their row", "[kinds]") {
  const std::string end = " in the table of Wrong, row 'Value'";
  const std::string facet = "soapsvc: the facet '";
  CHECK(refused<one<1, std::int32_t>>() == facet + "abc' is no value of its type" + end);
  CHECK(refused<one<2, std::int32_t>>() == facet + "x' is no value of its type" + end);
  CHECK(
      refused<one<20, soapsvc::list<std::int32_t>>>() ==
      facet + "1 x' is no value of its type" + end);
  CHECK(refused<one<3, soapsvc::date>>() == facet + "2020-02-30' is no value of its type" + end);
  const std::string none =
      "soapsvc: a row has a facet or a type that does not apply to its member," + end;
  CHECK(refused<one<13, Wide>>() == none);
  CHECK(refused<one<14, soapsvc::qualified_name>>() == none);
  CHECK(refused<one<15, soapsvc::xml>>() == none);
  CHECK(refused<one<19, soapsvc::list<std::int32_t>>>() == none);
  CHECK(
      refused<one<25, soapsvc::qualified_name>>() ==
      facet + "{urn:a' is no value of its type" + end);
  CHECK(refused<one<26, soapsvc::list<soapsvc::qualified_name>>>() == none);
  CHECK(refused<one<27, soapsvc::list<soapsvc::qualified_name>>>() == none);
  CHECK(refused<one<28, named_or_not>>() == none);
  CHECK(refused<one<23, either>>() == none);
  const auto type = [&](const std::string& name) {
    return "soapsvc: a row is " + name + ", which the type of its member cannot hold," + end;
  };
  CHECK(refused<one<6, std::int32_t>>() == type("token"));
  CHECK(refused<one<22, double>>() == type("integer"));
}

TEST_CASE("facets must allow some values, and only values of their type", "[kinds]") {
  const auto facet = [](const std::string& text) {
    return "soapsvc: the facet '" + text +
           "' contradicts another facet, or a facet of its type, in the table of Wrong, row "
           "'Value'";
  };
  CHECK(refused<one<30, std::string>>() == facet("5"));
  CHECK(refused<one<31, std::string>>() == facet("5"));
  CHECK(refused<one<32, std::string>>() == facet("5"));
  CHECK(refused<one<33, soapsvc::decimal>>() == facet("4"));
  CHECK(refused<one<34, std::int32_t>>() == facet("5"));
  CHECK(refused<one<35, std::int32_t>>() == facet("5"));
  CHECK(refused<one<36, std::int32_t>>() == facet("6"));
  CHECK(refused<one<37, std::string>>() == facet("1"));
  CHECK(refused<one<38, std::int32_t>>().empty());
  CHECK(refused<one<39, std::string>>().empty());
  CHECK(refused<one<40, soapsvc::decimal>>().empty());
  // A named type may tighten the bound of a built-in type, but not widen it.
  CHECK(refused<one<41, soapsvc::integer>>().empty());
  CHECK(refused<one<42, soapsvc::integer>>().empty());
  CHECK(refused<one<43, soapsvc::integer>>() == facet("0"));
  // The values of a row are values of its type.
  CHECK(refused<one<44, std::int32_t>>() == facet("3"));
  CHECK(refused<one<45, std::string>>() == facet("B"));
  CHECK(refused<one<46, std::string>>() == facet("abcd"));
  CHECK(refused<one<47, std::string>>() == facet("b c"));
  CHECK(refused<one<48, std::string>>().empty());
  CHECK(refused<one<49, std::string>>() == facet("e_n"));
  CHECK(refused<one<50, std::string>>() == facet("1a"));
  CHECK(refused<one<51, soapsvc::list<std::int32_t>>>() == facet("1 2"));
  CHECK(refused<one<52, std::string>>().empty());
}

TEST_CASE("the error of an invalid sample names the service and the operation", "[kinds]") {
  Serves<one<103, std::string>> sample;
  soapsvc::dispatcher services({.ns_base = "http://example.com/soap"});
  CHECK_THROWS_WITH(services.add(sample), Catch::EndsWith(" (operation Take of Serves)"));
}

TEST_CASE("patterns are regular expressions, and not too large", "[kinds]") {
  const std::string end = ", in the table of Wrong, row 'Value'";
  for (const std::string& said :
       {refused<one<4, std::string>>(),
        refused<one<5, std::string>>(),
        refused<one<21, std::string>>()}) {
    CHECK_THAT(said, Catch::StartsWith("soapsvc: the pattern '") && Catch::EndsWith(end));
    CHECK_THAT(said, Catch::Contains(" is wrong at character "));
  }
}

TEST_CASE("a default or fixed value must be valid", "[kinds]") {
  const std::string end = "' is no value of its type in the table of Wrong, row 'Value'";
  CHECK(refused<one<16, std::int32_t>>() == "soapsvc: the value 'x" + end);
  CHECK(refused<one<17, soapsvc::list<std::int32_t>>>() == "soapsvc: the value '1 x" + end);
  CHECK(refused<one<18, soapsvc::qualified_name>>() == "soapsvc: the value 'a" + end);
  CHECK(refused<one<24, either>>() == "soapsvc: the value 'x" + end);
}

TEST_CASE("content needs a named type, and occurs once and without elements", "[kinds]") {
  const std::string nameless =
      "soapsvc: content has a type without a name; write simple_type(...) for it; in the table "
      "of Wrong";
  CHECK(refused<one<100, soapsvc::list<std::int32_t>>>() == nameless);
  CHECK(refused<one<101, std::string>>() == nameless);
  CHECK(
      refused<Beside>() ==
      "soapsvc: content occurs twice, or together with elements, in the table of Beside");
}

TEST_CASE("rows with one name have one type, and the order distinguishes them", "[kinds]") {
  const std::string types = ", and have different types, in the table of ";
  CHECK(refused<Derived>() == "soapsvc: two rows are called Name" + types + "Derived");
  CHECK(refused<Facets>() == "soapsvc: two rows are called Name" + types + "Facets");
  CHECK(refused<Grouped>() == "soapsvc: two rows are called Many" + types + "Grouped");
  const std::string order = ", and the order does not tell them apart, in the table of ";
  CHECK(
      refused<Chosen<Either>>() ==
      "soapsvc: two rows are called Many" + order + "a request, a choice or a group");
  CHECK(
      refused<Chosen<Paired>>() ==
      "soapsvc: two rows are called Mark" + order + "a request, a choice or a group");
  CHECK(refused<Late>() == "soapsvc: two rows are called Time" + order + "Late");
  CHECK(refused<Doubled>() == "soapsvc: two rows are called Value" + order + "Doubled");
  CHECK(refused<Repeated>().empty());  // the second that comes is the second
  CHECK(refused<Lettered>() == "soapsvc: two attributes are called left in the table of Lettered");
}

TEST_CASE("simple types of one name are the same", "[kinds]") {
  const std::string begin = "soapsvc: two different types of the service Serves are called ";
  CHECK_THAT(refused<Named>(), Catch::StartsWith(begin + "Code"));
  CHECK_THAT(refused<Both>(), Catch::StartsWith(begin + "Few"));
  CHECK(refused<Alike>().empty());  // the additions of a row do not belong to the type
  CHECK_THAT(refused<Elements>(), Catch::StartsWith(begin + "First"));
}

TEST_CASE("a sample must be allowed by the facets", "[kinds]") {
  CHECK(
      refused<one<103, std::string>>() ==
      "soapsvc: 'd' is not a valid sample of Value, whose facets do not allow it");
}

TEST_CASE("an abstract type has no values", "[kinds]") {
  const std::string end =
      " is of the abstract type Shape, which has no values; hold it in soapsvc::polymorphic<...>";
  CHECK(refused<Drawing>() == "soapsvc: Shape" + end);
  CHECK(refused<Sketches>() == "soapsvc: Shape" + end);
  soapsvc::dispatcher services({.ns_base = "http://example.com/soap"});
  Gallery gallery;
  Wall wall;
  CHECK_THROWS_WITH(services.add(gallery), "soapsvc: Shape" + end);
  CHECK_THROWS_WITH(services.add(wall), "soapsvc: NearestResponse" + end);
}

TEST_CASE("all excludes groups, wildcards, lists and elements of a base", "[kinds]") {
  const std::string begin =
      "soapsvc: all excludes elements of a base, groups, wildcards and lists, in the "
      "table of ";
  CHECK(refused<Loose>().empty());
  CHECK(refused<Many>() == begin + "Many");
  CHECK(refused<Tight>() == begin + "Tight");
  CHECK(refused<Tied>() == begin + "Tied");
}
