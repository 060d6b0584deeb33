// Every mistake in a message against its table: the fault's text, with the path, the found and the
// allowed values. And values that cannot be written.
#include "kinds.hpp"

#include "../support.hpp"
#include "corners.hpp"

#include <catch2/catch.hpp>

using namespace support;

namespace {

using unknown = soapsvc::unknown_elements;

/// A service with one operation, whose request is `root`.
template <class Service> struct echo_world {
  echo_world(std::string name, std::string root, unknown policy = unknown::refuse)
      : name_(std::move(name)),
        root_(std::move(root)),
        services_({.ns_base = base, .unknown_elements = policy}) {
    services_.add(service);
  }
  /// 'NS' in the content stands for the service's namespace.
  soapsvc::http_response ask(version v, std::string content) const {
    const std::string in = base + "/" + name_;
    for (std::size_t at = 0; (at = content.find("'NS'", at)) != content.npos;)
      content.replace(at + 1, 2, in);
    const std::string body =
        envelope(v, "<" + root_ + " xmlns='" + in + "'>" + content + "</" + root_ + ">");
    const std::string target = "/soap/v3/" + name_ + ".asmx";
    const std::string media_type = content_type(v);
    const soapsvc::http_header type[] = {{"Content-Type", media_type}};
    soapsvc::http_request request;
    request.target = target;
    request.headers = type;
    request.body = body;
    return services_.handle(request);
  }
  /// The reason of the fault; the response's payload when there is none.
  std::string answer(const std::string& content) const {
    std::string said[2];
    for (const version v : both) {
      const auto response = ask(v, content);
      said[v == version::v1_2] =
          response.status == 200 ? payload_of(response.body) : fault_of(response).reason;
    }
    return said[0] == said[1] ? said[0] : "not the same in both versions: " + said[0] + said[1];
  }

  Service service;

private:
  std::string name_;
  std::string root_;
  soapsvc::dispatcher services_;
};

/// Tables with mistakes that show only when all rows are together.
struct NoNumber {
  std::int32_t number = 0;
};
struct NoUnit {
  kinds::Unit unit{};
};
struct Twice : kinds::Animal {
  bool name = false;
};
struct Beside {
  kinds::Price price;
  std::string note;
};
struct Once {
  std::optional<kinds::Named> named;
};
template <class Record> std::string complaint() {
  try {
    soapsvc::detail::describe_record<Record>();
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "none";
}

struct mistake {
  std::string content;
  std::string reason;
};

void check_kinds(const std::vector<mistake>& mistakes) {
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  for (const auto& [content, reason] : mistakes) {
    INFO(content);
    CHECK(w.answer(content) == "Everything/" + reason);
  }
}

void check_corners(const std::vector<mistake>& mistakes) {
  const echo_world<corners::Corners> w("Corners", "All");
  for (const auto& [content, reason] : mistakes) {
    INFO(content);
    CHECK(w.answer(content) == "All/" + reason);
  }
}

const std::string xsi = "xmlns:i='http://www.w3.org/2001/XMLSchema-instance'";
const std::string geo = "xmlns='urn:kinds:geo'";
const std::string train = "<q:Train xmlns:q='NS' xmlns='urn:corners:trips' number='1' fast='true'>";

}  // namespace

template <>
inline constexpr auto soapsvc::schema<NoNumber> =
    record("NoNumber", attribute("number", &NoNumber::number, default_value("many")));
template <>
inline constexpr auto soapsvc::schema<NoUnit> =
    record("NoUnit", field("Unit", &NoUnit::unit, fixed("km")));
template <>
inline constexpr auto soapsvc::schema<Twice> =
    record("Twice", extends<kinds::Animal>(), field("Name", &Twice::name));
template <>
inline constexpr auto soapsvc::schema<Beside> =
    record("Beside", group(&Beside::price), field("Note", &Beside::note));
template <> inline constexpr auto soapsvc::schema<Once> = record("Once", group(&Once::named));
TEST_CASE("invalid combinations of tables are refused", "[kinds]") {
  CHECK(
      complaint<NoNumber>() ==
      "soapsvc: the value 'many' is no value of its type in the table of NoNumber, row 'number'");
  CHECK(
      complaint<NoUnit>() ==
      "soapsvc: the value 'km' is no value of its type in the table of NoUnit, row 'Unit'");
  CHECK(
      complaint<Twice>() ==
      "soapsvc: two rows are called Name, and have different types, in the table of Twice");
  CHECK(
      complaint<Beside>() ==
      "soapsvc: content occurs twice, or together with elements, in the table of Beside");
  CHECK(
      complaint<Once>() ==
      "soapsvc: a group with attributes or content cannot be a choice, optional or a list: in "
      "the table of Once");
}

namespace {

/// A record with facets, of which one element or attribute has this value.
std::string facets(const std::string& name, const std::string& value) {
  std::string made = "<Facets";
  const auto add = [&](const std::string& each, const std::string& usual) {
    const std::string said = each == name ? value : usual;
    if (each[0] == '@')
      made += " " + each.substr(1) + "='" + said + "'";
    else if (!said.empty() || each == name)
      made += "<" + each + ">" + said + "</" + each + ">";
  };
  add("@level", "0");
  if (name == "@k:tag") made += " k:tag='" + value + "' xmlns:k='urn:kinds:meta'";
  made += ">";
  for (const auto& [each, usual] : std::vector<std::pair<std::string, std::string>>{
           {"Code", "A0"},
           {"Name", "a"},
           {"Three", "AAEC"},
           {"Two", ""},
           {"Percent", "0"},
           {"Share", "0.5"},
           {"Money", ""},
           {"Size", "1"},
           {"Letter", "a"},
           {"Day", ""},
           {"Span", ""},
           {"Even", ""},
           {"Numbers", "1"},
           {"Pair", ""},
           {"Least", ""}})
    add(each, each == "Money" ? "0" : usual);
  return made + "</Facets>";
}

/// The error of a client for this value; empty if it was sent.
std::string not_sent(const kinds::Everything& all) {
  std::size_t sent = 0;
  soapsvc::client<kinds::Kinds> client(
      [&](const soapsvc::http_request&) { return ++sent, soapsvc::http_response{}; },
      {.ns_base = base});
  try {
    client.call(&kinds::Kinds::echo, all);
  } catch (const std::invalid_argument& error) {
    return sent == 0 ? error.what() : "it was sent";
  } catch (const std::exception&) {  // nobody answers
  }
  return sent == 1 ? "" : "it was not sent";
}

}  // namespace

TEST_CASE("values are those that the facets allow, read and sent", "[kinds]") {
  using kinds::Facets;
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  struct outside {
    std::string name;
    std::string text;
    std::string allowed;
    std::function<void(Facets&)> set;
  };
  const std::string form = "of the form [A-Z]{1,2}[0-9]+ or [a-z]";
  const auto code = [](std::string text) { return [text](Facets& to) { to.code = text; }; };
  const auto named = [](std::string text) { return [text](Facets& to) { to.name = text; }; };
  const auto number = [](auto member, auto value) {
    return [member, value](Facets& to) { to.*member = value; };
  };
  for (const outside& each : std::vector<outside>{
           {"Code", "A", form, code("A")},
           {"Code", "ABC1", form, code("ABC1")},
           {"Code", "aa", form, code("aa")},
           {"Code", "A0 ", form, code("A0 ")},
           {"Code", "", form, code("")},
           {"Name", "", "of at least 1 characters", named("")},
           {"Name", "abcdef", "of at most 5 characters", named("abcdef")},
           {"Name", "ëëëëëë", "of at most 5 characters", named("ëëëëëë")},
           {"Three",
            "AAE=",
            "of 3 bytes",
            [](Facets& to) {
              to.three.bytes = {0, 1};
            }},
           {"Three",
            "AAECAw==",
            "of 3 bytes",
            [](Facets& to) {
              to.three.bytes = {0, 1, 2, 3};
            }},
           {"Two",
            "000000",
            "of at most 2 bytes",
            [](Facets& to) {
              to.two.emplace().bytes = {0, 0, 0};
            }},
           {"Percent", "-1", "at least 0", number(&Facets::percent, -1)},
           {"Percent", "101", "at most 100", number(&Facets::percent, 101)},
           {"Share", "0", "more than 0", number(&Facets::share, soapsvc::decimal(0))},
           {"Share", "1", "less than 1", number(&Facets::share, soapsvc::decimal(1))},
           {"Share",
            "0.505",
            "a number of at most 2 digits after the point",
            number(&Facets::share, soapsvc::decimal(505, 3))},
           {"Money",
            "100000",
            "a number of at most 5 digits",
            number(&Facets::money, soapsvc::decimal(100'000))},
           {"Money",
            "1000.01",
            "a number of at most 5 digits",
            number(&Facets::money, soapsvc::decimal(100'001, 2))},
           {"Size", "1.5", "one of 0.5, 1, 2", number(&Facets::size, 1.5)},
           {"Letter", "b", "one of a, b c, ", [](Facets& to) { to.letter = "b"; }},
           {"Day",
            "2020-01-30",
            "at least 2020-01-31",
            [](Facets& to) {
              to.day = soapsvc::date{2020, 1, 30};
            }},
           {"Span",
            "P1D",
            "less than P1D",
            [](Facets& to) {
              to.span = soapsvc::duration{0, 86'400};
            }},
           {"Span",
            "P1M",
            "less than P1D",
            [](Facets& to) {
              to.span = soapsvc::duration{1, 0};
            }},
           {"Numbers", "", "of at least 1 items", [](Facets& to) { to.numbers = {}; }},
           {"Numbers",
            "1 2 3 4",
            "of at most 3 items",
            [](Facets& to) {
              to.numbers.items = {1, 2, 3, 4};
            }},
           {"Pair", "a", "of 2 characters", [](Facets& to) { to.pairs = {"a"}; }},
           {"Pair",
            "\xF0\x9F\x98\x80",
            "of 2 characters",
            [](Facets& to) { to.pairs = {"\xF0\x9F\x98\x80"}; }},
           {"Even", "1", "of the form .*[02468]", [](Facets& to) { to.even.emplace(1); }},
           {"Least", "9", "more than 9", [](Facets& to) { to.least.emplace(std::uint8_t{9}); }},
           {"@level", "5", "less than 5", number(&Facets::level, std::int8_t{5})},
           {"@k:tag", "abc", "of at most 2 characters", [](Facets& to) { to.tag = "abc"; }}}) {
    INFO(each.name << " " << each.text);
    const std::string name = each.name == "@k:tag" ? "@tag" : each.name;
    CHECK(
        w.answer(facets(each.name, each.text)) ==
        "Everything/Facets/" + name + ": '" + each.text + "' is not " + each.allowed);
    kinds::Everything all;
    each.set(all.facets.emplace_back());
    // In the canonical form, in which it would be sent.
    CHECK_THAT(not_sent(all), Catch::StartsWith("soapsvc: '"));
    CHECK_THAT(
        not_sent(all),
        Catch::EndsWith(
            "', to be sent as " + name.substr(name[0] == '@') + ", is not " + each.allowed));
  }
  kinds::Everything all;
  all.facets.emplace_back();
  CHECK(not_sent(all).empty());
}

TEST_CASE("values on the edge of what the facets allow are read", "[kinds]") {
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  for (const auto& [name, text, kept] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"Code", "ZZ0123456789", "ZZ0123456789"},
           {"Name", "\xF0\x9F\x98\x80ëëëë", "\xF0\x9F\x98\x80ëëëë"},
           {"Three", " AA EC ", "AAEC"},
           {"Percent", " 100 ", "100"},
           {"Percent", "+000", "0"},
           {"Share", "0.9900", "0.9900"},
           {"Money", "-999.990", "-999.990"},
           {"Money", "0012345", "12345"},
           {"Size", "2.0E0", "2"},
           {"Letter", "", ""},
           {"Day", "2020-01-31", "2020-01-31"},
           {"Span", "-P1D", "-P1D"},
           {"Numbers", " 1\n2\t3 ", "1 2 3"},
           {"Even", "2020-01-02", "2020-01-02"}}) {
    INFO(name << " " << text);
    CHECK_THAT(
        w.answer(facets(name, text)),
        Catch::Contains(
            kept.empty() ? "<" + name + " />" : "<" + name + ">" + kept + "</" + name + ">"));
  }
}

TEST_CASE("simple types with names keep their facets wherever they are used", "[kinds]") {
  const auto with = [](const std::string& changed, const std::string& attributes = "") {
    std::string content;
    for (const std::string each :
         {"<Code>0000</Code>", "<LowCode>0000</LowCode>", "<Share>0</Share>", "<Few/>"})
      if (!changed.starts_with(each.substr(0, each.find_first_of("/>")))) content += each;
    return "<NamedTypes " + attributes + ">" + content + changed + "</NamedTypes>";
  };
  const std::string code = "' is not of the form [0-9]{4}";
  check_kinds(
      {{with("<Code>000</Code>"), "NamedTypes/Code: '000" + code},
       {with("<Codes>0000</Codes><Codes>x</Codes>"), "NamedTypes/Codes[2]: 'x" + code},
       {with("<LowCode>12345</LowCode>"), "NamedTypes/LowCode: '12345" + code},
       {with("<LowCode>1234</LowCode>"), "NamedTypes/LowCode: '1234' is not of the form 0.*"},
       {with("<Share>1.01</Share>"), "NamedTypes/Share: '1.01' is not at most 1"},
       {with("<Share>NaN</Share>"), "NamedTypes/Share: 'NaN' is not at least 0"},
       {with("<Few>1 2 3 4</Few>"), "NamedTypes/Few: '1 2 3 4' is not of at most 3 items"},
       {with("<Area>1</Area>"), "NamedTypes/Area: '1" + code},
       {with("<Area share='-1'>0000</Area>"), "NamedTypes/Area/@share: '-1' is not at least 0"},
       {with("", "keyword='a:b'"), "NamedTypes/@keyword: 'a:b' is not an XML name without a colon"},
       {with("", "keyword='abcdefghi'"),
        "NamedTypes/@keyword: 'abcdefghi' is not of at most 8 characters"},
       {with("", "keyword='A'"), "NamedTypes/@keyword: 'A' is not of the form [a-z]*"}});
  kinds::Everything all;
  all.named.emplace_back().area.emplace().code = "1";
  CHECK(not_sent(all) == "soapsvc: '1', to be sent as content, is not of the form [0-9]{4}");
}

TEST_CASE("strings and numbers are of the types of XML Schema", "[kinds]") {
  const auto with = [](const std::string& name, const std::string& value) {
    std::string content;
    for (const auto& [each, usual] : std::vector<std::pair<std::string, std::string>>{
             {"NormalizedString", ""},
             {"Token", ""},
             {"Language", "en"},
             {"Name", "n"},
             {"NCName", "n"},
             {"NMTOKEN", "n"},
             {"AnyURI", ""},
             {"Integer", "0"},
             {"NonNegative", "0"},
             {"Positive", "1"},
             {"NonPositive", "0"},
             {"Negative", "-1"}})
      content += "<" + each + ">" + (each == name ? value : usual) + "</" + each + ">";
    if (name == "IDREF") content += "<IDREF>" + value + "</IDREF>";
    return "<XsTypes" + (name[0] == '@' ? " " + name.substr(1) + "='" + value + "'" : "") + ">" +
           content + "</XsTypes>";
  };
  struct form {
    std::string name;
    std::string value;
    std::string allowed;
    std::function<void(kinds::XsTypes&)> set;
  };
  using kinds::XsTypes;
  const std::string ncname = "an XML name without a colon";
  const auto number = [](auto member, auto value) {
    return [member, value](XsTypes& to) { to.*member = value; };
  };
  const auto text = [](auto member, std::string value) {
    return [member, value](XsTypes& to) { to.*member = value; };
  };
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  for (const form& each : std::vector<form>{
           {"Language", "e1", "a language such as en or pt-BR", text(&XsTypes::language, "e1")},
           {"Name", "1", "an XML name", text(&XsTypes::name, "1")},
           {"NCName", "a:b", ncname, text(&XsTypes::ncname, "a:b")},
           {"NMTOKEN",
            "a b",
            "letters, digits, '.', '-', '_' and ':' without a space",
            text(&XsTypes::nmtoken, "a b")},
           {"@id", "1", ncname, text(&XsTypes::id, "1")},
           {"IDREF", "a b", ncname, text(&XsTypes::idref, "a b")},
           {"AnyURI", "%", "a URI such as http://www.example.org/", text(&XsTypes::uri, "%")},
           {"NonNegative",
            "-1",
            "at least 0",
            number(&XsTypes::non_negative, soapsvc::integer(-1))},
           {"Positive", "0", "at least 1", number(&XsTypes::positive, std::uint16_t{0})},
           {"NonPositive", "1", "at most 0", number(&XsTypes::non_positive, std::int64_t{1})},
           {"Negative", "0", "at most -1", number(&XsTypes::negative, soapsvc::integer(0))}}) {
    INFO(each.name);
    CHECK(
        w.answer(with(each.name, each.value)) ==
        "Everything/XsTypes/" + each.name + ": '" + each.value + "' is not " + each.allowed);
    kinds::Everything all;
    each.set(all.xs.emplace_back());
    CHECK(
        not_sent(all) == "soapsvc: '" + each.value + "', to be sent as " +
                             each.name.substr(each.name[0] == '@') + ", is not " + each.allowed);
  }
  // White space is normalized as the type requires.
  CHECK_THAT(
      w.answer(with("NormalizedString", " a\n\tb ")),
      Catch::Contains("<NormalizedString> a  b </NormalizedString>"));
  CHECK_THAT(w.answer(with("Token", " a\n\tb ")), Catch::Contains("<Token>a b</Token>"));
  CHECK_THAT(w.answer(with("@attribute", " a  b ")), Catch::Contains("attribute=\"a b\""));
  kinds::Everything all;
  all.xs.emplace_back().token = "a  b";
  CHECK(
      not_sent(all) ==
      "soapsvc: 'a  b', to be sent as Token, is not text with single spaces, and none around it");
}

TEST_CASE("lists, unions and names are of their types", "[kinds]") {
  const std::string list = "a list with spaces between the items, each ";
  const std::string whole = "a whole number from -2147483648 to 2147483647";
  check_kinds(
      {{"<Lists words=''><Numbers>1 x</Numbers><Mixed/></Lists>",
        "Lists/Numbers: '1 x' is not " + list + whole},
       {"<Lists words=''><Numbers>1</Numbers><Many>1,2</Many><Mixed/></Lists>",
        "Lists/Many: '1,2' is not " + list + "a number such as -1.5, 2e10, INF or NaN"},
       {"<Lists words='' units='m inch'><Numbers/><Mixed/></Lists>",
        "Lists/@units: 'm inch' is not " + list + "one of m, ft"},
       {"<Lists words=''><Numbers><x/></Numbers><Mixed/></Lists>",
        "Lists/Numbers: holds the element 'x'; allowed is " + list + whole},
       {"<Lists words=''><Numbers/><Mixed>1 2020-13-01</Mixed></Lists>",
        "Lists/Mixed: '1 2020-13-01' is not " + list +
            "a whole number from -32768 to 32767, or a date such as 2026-01-31"},
       {"<Lists><Numbers/><Mixed/></Lists>",
        "Lists/@words: is missing; a value is required: " + list + "text"},
       {"<Unions><Value>1</Value><Many>x</Many></Unions>",
        "Unions/Many: 'x' is not a boolean: true, false, 1 or 0, or a number such as -1.5, 2e10, "
        "INF or NaN"},
       {"<Unions attribute='1 x'><Value>1</Value></Unions>",
        "Unions/@attribute: '1 x' is not " + list + whole + ", or one of m, ft"},
       {"<QualifiedNames><Element>p:a</Element></QualifiedNames>",
        "QualifiedNames/Element: 'p:a' is not a name with a declared prefix"},
       {"<QualifiedNames><Element>xmlns:a</Element></QualifiedNames>",
        "QualifiedNames/Element: 'xmlns:a' is not a name with a declared prefix"},
       {"<QualifiedNames><Element xmlns:p='urn:p'>p:a:b</Element></QualifiedNames>",
        "QualifiedNames/Element: 'p:a:b' is not a name with a declared prefix"},
       {"<QualifiedNames><Element xmlns:p='urn:p'>p:</Element></QualifiedNames>",
        "QualifiedNames/Element: 'p:' is not a name with a declared prefix"},
       {"<QualifiedNames><Element>:a</Element></QualifiedNames>",
        "QualifiedNames/Element: ':a' is not a name with a declared prefix"},
       {"<QualifiedNames attribute='a b'><Element>a</Element></QualifiedNames>",
        "QualifiedNames/@attribute: 'a b' is not a name with a declared prefix"}});
  const auto refused = [](auto change) {
    kinds::Everything all;
    change(all);
    return not_sent(all);
  };
  const std::string item = "soapsvc: an item of a list to be sent is empty, or has a space in it";
  CHECK(refused([](auto& all) { all.lists.emplace_back().words.items = {"a b"}; }) == item);
  CHECK(refused([](auto& all) { all.lists.emplace_back().words.items = {""}; }) == item);
  CHECK(refused([](auto& all) {
          all.names.push_back({{"urn:a", "b c"}, {}, {}, {}});
        }) == "soapsvc: a qualified name to be sent is no XML name: b c");
  CHECK(refused([](auto& all) {
          all.names.push_back({{"http://www.w3.org/2000/xmlns/", "b"}, {}, {}, {}});
        }) == "soapsvc: a qualified name to be sent is no XML name: b");
}

TEST_CASE("the prefix of a qualified name is resolved at its position", "[kinds]") {
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  const auto read = [&](const std::string& content) {
    const std::string answer = w.answer("<QualifiedNames>" + content + "</QualifiedNames>");
    const std::size_t at = answer.find("<QualifiedNames");
    return at == answer.npos ? answer : answer.substr(at, answer.find("</Ev", at) - at);
  };
  const auto names = [](const std::string& of, const std::string& local) {
    return "<QualifiedNames><Element xmlns:v=\"" + of + "\">v:" + local +
           "</Element></QualifiedNames>";
  };
  CHECK(read("<Element> a </Element>") == names(base + "/Kinds", "a"));
  CHECK(
      read("<p:Element xmlns:p='" + base + "/Kinds' xmlns='urn:d'>a</p:Element>") ==
      names("urn:d", "a"));
  CHECK(read("<Element xmlns:p='urn:p'>p:a</Element>") == names("urn:p", "a"));
  CHECK(
      read("<Element>xml:lang</Element>") ==
      "<QualifiedNames><Element>xml:lang</Element></QualifiedNames>");
}

TEST_CASE("a derived value has one of the known types", "[kinds]") {
  const std::string type = xsi + " i:type=";
  const std::string director =
      "<Director id='1' " + type + "'Dog'><Name/><Barks>1</Barks></Director>";
  const auto zoo = [&](const std::string& rest) { return "<Zoo>" + director + rest + "</Zoo>"; };
  const std::string whole = "a whole number from -2147483648 to 2147483647";
  check_kinds(
      {{"<Zoo/>", "Zoo/Director: is missing; a value is required: the elements Name"},
       {"<Zoo><Director id='1'><Name/></Director></Zoo>",
        "Zoo/Director: is of the abstract type Animal; xsi:type names one of Dog, Puppy, Cat"},
       {"<Zoo><Director id='1' " + type + "'Animal'><Name/></Director></Zoo>",
        "Zoo/Director: is of the abstract type Animal; xsi:type names one of Dog, Puppy, Cat"},
       {zoo("<Star id='1' " + type + "'Kitten'><Name/></Star>"),
        "Zoo/Star: xsi:type names 'Kitten'; allowed are Dog, Puppy, Cat"},
       // Of the namespace of the type, not of the name alone.
       {zoo("<Star id='1' " + type + "'Cat'><Name/></Star>"),
        "Zoo/Star: xsi:type names 'Cat'; allowed are Dog, Puppy, Cat"},
       {zoo("<Star id='1' xmlns:g='urn:kinds:geo' " + type + "'g:Dog'><Name/></Star>"),
        "Zoo/Star: xsi:type names 'g:Dog'; allowed are Dog, Puppy, Cat"},
       {zoo("<Star id='1' " + type + "'x:Dog'><Name/></Star>"),
        "Zoo/Star: xsi:type names 'x:Dog', whose prefix is not declared; allowed are Dog, Puppy, "
        "Cat"},
       {zoo("<Animal id='1' " + type + "'Dog'><Name/><Barks>1</Barks></Animal><Animal id='1' " +
            type + "'Dog'><Name/><Barks>x</Barks></Animal>"),
        "Zoo/Animal[2]/Barks: 'x' is not a boolean: true, false, 1 or 0"},
       {zoo("<Animal id='x' " + type + "'Dog'><Name/><Barks>1</Barks></Animal>"),
        "Zoo/Animal/@id: 'x' is not " + whole},
       {zoo("<Animal " + type + "'Dog'><Name/><Barks>1</Barks></Animal>"),
        "Zoo/Animal/@id: is missing; a value is required: " + whole},
       {zoo("<Animal id='1' " + type + "'Puppy'><Name/></Animal>"),
        "Zoo/Animal/Barks: is missing; a value is required: a boolean: true, false, 1 or 0"},
       {zoo("<Animal id='1' xmlns:g='urn:kinds:geo' " + type +
            "'g:Cat'><Name/><Lives>1</Lives></Animal>"),
        "Zoo/Animal/Lives: is in the namespace 'http://example.com/soap/Kinds'; allowed is the "
        "namespace 'urn:kinds:geo'"},
       {zoo("<Shape xmlns='urn:kinds:meta'><Label xmlns='NS'/><Radius "
            "xmlns='NS'>1</Radius></Shape>"),
        "Zoo/Shape: the element 'Radius' is not known here; allowed are Label"},
       {zoo("<Shape xmlns='urn:kinds:meta' href='#a'/>"),
        "Zoo/Shape: refers to content elsewhere ('#a'); allowed is literal content"},
       {zoo("<Star " + xsi + " i:nil='1'>x</Star>"),
        "Zoo/Star: is said to be nil, yet holds content"}});

  // Where the unknown is skipped, an unknown type is read as the base, unless that is abstract.
  const echo_world<kinds::Kinds> w("Kinds", "Everything", unknown::ignore);
  CHECK_THAT(
      w.answer(
          zoo("<s:Shape xmlns:s='urn:kinds:meta' " + type +
              "'Square'><Label>a</Label><Side>1</Side></s:Shape>")),
      Catch::Contains("<q:Shape xmlns:q=\"urn:kinds:meta\"><Label>a</Label></q:Shape>"));
  CHECK(
      w.answer(zoo("<Star id='1' " + type + "'Kitten'><Name/></Star>")) ==
      "Everything/Zoo/Star: xsi:type names 'Kitten'; allowed are Dog, Puppy, Cat");

  kinds::Everything all;
  const std::string nothing =
      "soapsvc: a value to be sent as Director is empty, of an abstract type, or of a type that "
      "known_types<> does not list";
  all.zoos.emplace_back();
  CHECK(not_sent(all) == nothing);
  all.zoos[0].director = soapsvc::polymorphic<kinds::Animal>(kinds::Animal{});
  CHECK(not_sent(all) == nothing);
  struct Wolf : kinds::Animal {};
  all.zoos[0].director = soapsvc::polymorphic<kinds::Animal>(Wolf{});
  CHECK(not_sent(all) == nothing);
  all.zoos[0].director = soapsvc::polymorphic<kinds::Animal>(kinds::Dog{});
  CHECK(not_sent(all).empty());
}

TEST_CASE("wildcards accept elements of their namespaces", "[kinds]") {
  const std::string text = "a value is required: text";
  check_kinds(
      {{"<Open><Known/><Other/></Open>",
        "Open: the element 'Other' is not known here; allowed are Known, any of ##other"},
       {"<Open><Known/><Other xmlns=''/></Open>",
        "Open: the element 'Other' is not known here; allowed are Known, any of ##other"},
       {"<Open><Known xmlns=''/></Open>",
        "Open/Known: is in no namespace; allowed is the namespace "
        "'http://example.com/soap/Kinds'"},
       {"<OpenElsewhere><a xmlns='urn:kinds:geo'/></OpenElsewhere>",
        "OpenElsewhere: the element 'a' is not known here; allowed are any of ##other"},
       {"<OpenGroups><Last/><a xmlns='NS'/></OpenGroups>",
        "OpenGroups: the element 'a' is not known here; allowed are any of urn:notes urn:more "
        "##local, Last"},
       {"<OpenElsewhere own='1'/>",
        "OpenElsewhere: the attribute 'own' is not known here; allowed are any of "
        "##targetNamespace"}});

  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  const auto kept = [&](const std::string& sent, const std::string& held) {
    INFO(sent);
    CHECK_THAT(w.answer(sent), Catch::Contains(held));
  };
  kept(
      "<Open><Known/><o:a xmlns:o='urn:o'/></Open>",
      "<o:a xmlns=\"http://example.com/soap/Kinds\" xmlns:o='urn:o'/>");
  // A namespace other than the type's, so the service's own.
  kept("<OpenElsewhere><Own/></OpenElsewhere>", "<Own xmlns=\"http://example.com/soap/Kinds\"/>");
  kept("<OpenElsewhere g:a='1' xmlns:g='urn:kinds:geo'/>", "v:a=\"1\"");
  // Each begins a group of its own.
  kept(
      "<OpenGroups><a xmlns=''/><b xmlns='urn:notes'/><c xmlns='urn:more'/><Last/></OpenGroups>",
      "<a xmlns=''/><b xmlns='urn:notes'/><c xmlns='urn:more'/>");
  kept("<OpenText x:a='1' b='&lt;' xmlns:x='urn:x'>t</OpenText>", " b=\"&lt;\"");
  // An element without room, or that no wildcard accepts, counts as foreign.
  CHECK(
      w.answer("<OpenElsewhere><a xmlns='urn:a'/><b xmlns='urn:b'/></OpenElsewhere>").find("<b") ==
      std::string::npos);

  kinds::Everything all;
  all.open_groups.emplace_back().notes.emplace_back();
  CHECK(not_sent(all) == "soapsvc: a soapsvc::xml to be sent for a wildcard is empty");
  for (const soapsvc::xml_attribute& wrong : std::vector<soapsvc::xml_attribute>{
           {{"", "a b"}, ""},
           {{"", ""}, ""},
           {{"", "xmlns"}, ""},
           {{"http://www.w3.org/2000/xmlns/", "a"}, ""},
           {{"http://www.w3.org/2001/XMLSchema-instance", "nil"}, "true"}}) {
    kinds::Everything with;
    with.opens.emplace_back().attributes = {wrong};
    CHECK(
        not_sent(with) ==
        "soapsvc: an attribute to be sent has no name of its own: " + wrong.name.local);
  }
  kinds::Everything twice;
  twice.opens.emplace_back().attributes = {{{"urn:a", "a"}, "1"}, {{"urn:b", "a"}, "2"}};
  CHECK(not_sent(twice).empty());
  twice.opens[0].attributes.push_back({{"urn:a", "a"}, "3"});
  CHECK(not_sent(twice) == "soapsvc: an attribute to be sent has no name of its own: a");
  auto& many = twice.opens[0].attributes;  // more are looked at in another way
  many.pop_back();
  for (int more = 0; more != 20; ++more)
    many.push_back({{"urn:a", "more" + std::to_string(more)}, ""});
  CHECK(not_sent(twice).empty());
  many.push_back(many[12]);
  CHECK(
      not_sent(twice) ==
      "soapsvc: an attribute to be sent has no name of its own: " + many[12].name.local);
}

TEST_CASE("a fragment has the same meaning alone as in its message", "[kinds]") {
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  const auto kept = [&](const std::string& attributes, const std::string& fragment) {
    const std::string answer =
        w.answer("<Open " + attributes + "><Known>x</Known>" + fragment + "</Open>");
    const std::size_t at = answer.find("</Known>");
    if (at == answer.npos) return answer;
    return answer.substr(at + 8, answer.find("</Open>") - at - 8);
  };
  // Prefixes and the default that are declared further out. The default always: any text may be
  // the name of something in it.
  const std::string by_default = " xmlns=\"http://example.com/soap/Kinds\"";
  CHECK(kept("xmlns:p='urn:p'", "<p:a/>") == "<p:a" + by_default + " xmlns:p=\"urn:p\"/>");
  CHECK(
      kept("xmlns:p='urn:p' xmlns:q='urn:q'", "<p:a q:b='1' c='q:d'>p:x</p:a>") ==
      "<p:a" + by_default + " xmlns:p=\"urn:p\" xmlns:q=\"urn:q\" q:b='1' c='q:d'>p:x</p:a>");
  CHECK(
      kept("xmlns:p='urn:p'", "<p:a><b/></p:a>") ==
      "<p:a" + by_default + " xmlns:p=\"urn:p\"><b/></p:a>");
  CHECK(
      kept("", "<p:a xmlns:p='urn:p'>Known</p:a>") ==
      "<p:a" + by_default + " xmlns:p='urn:p'>Known</p:a>");
  CHECK(
      kept("", "<p:a xmlns:p='urn:p' type='Known'/>") ==
      "<p:a" + by_default + " xmlns:p='urn:p' type='Known'/>");
  CHECK(
      soapsvc::xml("<p:a xmlns:p='urn:p'>b</p:a>").text() ==
      "<p:a xmlns=\"\" xmlns:p='urn:p'>b</p:a>");
  CHECK(
      kept("", "<p:a xmlns:p='urn:p'><b xmlns=''/></p:a>") ==
      "<p:a xmlns=\"http://example.com/soap/Kinds\" xmlns:p='urn:p'><b xmlns=''/></p:a>");
  CHECK(
      kept("", "<p:a xmlns='urn:d' xmlns:p='urn:p'><b/></p:a>") ==
      "<p:a xmlns='urn:d' xmlns:p='urn:p'><b/></p:a>");
  CHECK(
      kept("xmlns:p='urn:&lt;&amp;&quot;'", "<p:a/>") ==
      "<p:a" + by_default + " xmlns:p=\"urn:&lt;&amp;&quot;\"/>");
  // The meaning of a type's name in xsi:type.
  CHECK(
      kept("xmlns:s='urn:s' " + xsi, "<p:a xmlns:p='urn:p' i:type='s:t'/>") ==
      "<p:a" + by_default +
          " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:s=\"urn:s\" "
          "xmlns:p='urn:p' "
          "i:type='s:t'/>");
  CHECK_THAT(
      kept(xsi, "<p:a xmlns:p='urn:p' i:type='t'/>"),
      Catch::Contains("xmlns=\"http://example.com/soap/Kinds\""));
  // An inner declaration overrides an outer one.
  CHECK(
      kept("xmlns:p='urn:p'", "<p:a><p:b xmlns:p='urn:q'><p:c xmlns:p='urn:r'/></p:b></p:a>") ==
      "<p:a" + by_default +
          " xmlns:p=\"urn:p\"><p:b xmlns:p='urn:q'><p:c xmlns:p='urn:r'/></p:b></p:a>");
  // As it was written.
  for (const std::string same :
       {"<a xmlns='urn:a'><![CDATA[</a><x:y> ]]></a>",
        "<a xmlns='urn:a'><!-- </a> <b> &amp; --></a>",
        "<a xmlns='urn:a'>&amp;lt; &#60;b&gt; &#x26;amp;</a>",
        "<a xmlns='urn:a'>]]&gt;</a>",
        "<a xmlns='urn:a'><![CDATA[]]]]><![CDATA[>]]></a>",
        "<a xmlns='urn:a' b='>' c=\"'/>\" ></a >",
        "<a xmlns='urn:a'\n/>"})
    CHECK(kept("", same) == same);

  // The same of a field of any content, under the name of the field.
  const auto as_field = [&](const std::string& value) {
    const std::string answer = w.answer("<Anything>" + value + "</Anything>");
    const std::size_t at = answer.find("<Anything>");
    if (at == answer.npos) return answer;
    return answer.substr(at + 10, answer.find("</Anything>") - at - 10);
  };
  const std::string service = "xmlns=\"http://example.com/soap/Kinds\"";
  CHECK(as_field("<Value/>") == "<Value " + service + "/>");
  CHECK(
      as_field("<Value><![CDATA[</Value>]]></Value>") ==
      "<Value " + service + "><![CDATA[</Value>]]></Value>");
  CHECK(
      as_field("<Value " + xsi + " i:nil='true'/>") ==
      "<Value " + service + " " + xsi + " i:nil='true'/>");
  CHECK(
      as_field("<Value/><Nil " + xsi + " i:nil='true'/>") ==
      "<Value " + service + "/><Nil xsi:nil=\"true\" />");
  CHECK(as_field("") == "Everything/Anything/Value: is missing; a value is required: any element");
}

TEST_CASE("a fragment can be sent under another name", "[kinds]") {
  kinds::Kinds service;
  soapsvc::dispatcher services({.ns_base = base});
  services.add(service);
  soapsvc::client<kinds::Kinds> client(services);
  const auto back = [&](const std::string& value) {
    kinds::Everything all;
    all.anything.emplace_back().value = soapsvc::xml(value);
    return client.call(&kinds::Kinds::echo, all).anything.at(0).value;
  };
  const soapsvc::qualified_name name{base + "/Kinds", "Value"};
  for (const std::string each :
       {"<a/>",
        "<a xmlns='urn:a'><b>1</b></a>",
        "<f:a xmlns:f='urn:a' xmlns:ff='urn:b' f:c='ff:d'/>",
        "<a b='1' ><!-- </a> --></a >"}) {
    INFO(each);
    const soapsvc::xml made = back(each);
    CHECK(made.name() == name);
    CHECK(back(made.text()) == made);
  }
  CHECK(
      back("<a xmlns='urn:a'><b>1</b></a>").text() ==
      "<f:Value xmlns:f=\"http://example.com/soap/Kinds\" xmlns='urn:a'><b>1</b></f:Value>");
  CHECK(soapsvc::xml().empty());
  kinds::Everything all;
  all.anything.emplace_back();
  CHECK(client.call(&kinds::Kinds::echo, all).anything.at(0).value.name() == name);
  all.anything[0].maybe = soapsvc::xml("<a xmlns='urn:a'/>");
  CHECK(
      not_sent(all) ==
      "soapsvc: an element in a namespace cannot be sent as Maybe, which is in no namespace");
  for (const std::string wrong :
       {"", "a", "<a>", "<a/><b/>", "<p:a/>", "<a></b>", "<!DOCTYPE a><a/>"})
    CHECK_THROWS_AS(soapsvc::xml(wrong), std::invalid_argument);
}

TEST_CASE("a choice has one branch", "[kinds]") {
  check_kinds(
      {{"<Person><Name>x</Name></Person>", "Person: one of Phone, Mail, Alias is missing"},
       {"<Person><Name>x</Name><Phone>1</Phone></Person><Person><Name>x</Name><Mail>1</"
        "Mail><Phone>2</Phone></Person>",
        "Person[2]: only one of Phone, Mail, Alias is allowed"},
       {"<Person><Phone>1</Phone><Name>x</Name><Phone>2</Phone></Person>",
        "Person/Phone[2]: may appear only once"},
       {"<Person><Name>x</Name><Alias>1</Alias><Mail/></Person>",
        "Person: only one of Phone, Mail, Alias is allowed"},
       {"<Person><Name>x</Name><Phone " + xsi + " i:nil='true'/></Person>",
        "Person: one of Phone, Mail, Alias is missing"},
       {"<Person><Name>x</Name><Contact><Phone>1</Phone></Contact></Person>",
        "Person: the element 'Contact' is not known here; allowed are Name, Phone, Mail, Alias"},
       {"<Walk/>", "Walk: one of Left, Right, Pay is missing"},
       {"<Walk><Left>1</Left><Left>x</Left></Walk>",
        "Walk/Left[2]: 'x' is not a whole number from -2147483648 to 2147483647"},
       {"<Walk><Left>1</Left><Pay>1</Pay></Walk>",
        "Walk/Pay/@currency: is missing; a value is required: text"},
       {"<Payment><Number>1</Number><Cash>true</Cash><Amount>1</Amount></Payment>",
        "Payment: only one of (Number, Code), (Account, Bank), Cash is allowed"},
       {"<Payment><Code>1</Code><Amount>1</Amount></Payment>",
        "Payment/Number: is missing; a value is required: text"},
       {"<Payment><Account>1</Account><Amount>1</Amount></Payment>",
        "Payment/Bank: is missing; a value is required: text"},
       {"<Payment><Number>1</Number><Account/><Bank>1</Bank><Amount>1</Amount></Payment>",
        "Payment: only one of (Number, Code), (Account, Bank), Cash is allowed"},
       {"<Payment><Number>1</Number><Number>1</Number><Amount>1</Amount></Payment>",
        "Payment/Number[2]: may appear only once"}});
}

TEST_CASE("a group is complete", "[kinds]") {
  check_kinds(
      {{"<Grouped id='1'><Name/><From>1</From><Last/></Grouped>",
        "Grouped/To: is missing; a value is required: a whole number from -2147483648 to "
        "2147483647"},
       {"<Grouped id='1'><Name/><To>1</To><Last/></Grouped>",
        "Grouped/From: is missing; a value is required: a whole number from -2147483648 to "
        "2147483647"},
       {"<Grouped id='1'><Name/><Key/><Value/><Value/><Last/></Grouped>",
        "Grouped/Key: is missing; a value is required: text"},
       {"<Grouped id='1'><Name/><Value/><Key/><Last/></Grouped>",
        "Grouped/Key: is missing; a value is required: text"},
       {"<Grouped id='1'><Name/><From>1</From><To>1</To><From>1</From><Last/></Grouped>",
        "Grouped/From[2]: may appear only once"},
       {"<Grouped id='1'><Last/></Grouped>", "Grouped/Name: is missing; a value is required: text"},
       {"<Grouped id='1'><Name/><Key><b/></Key><Last/></Grouped>",
        "Grouped/Key: holds the element 'b'; allowed is text"},
       {"<Grouped id='1'><Name/><Key/><Key>1</Key><Value><b/></Value><Last/></Grouped>",
        "Grouped/Value: holds the element 'b'; allowed is text"}});
}

TEST_CASE("attributes are those of the table", "[kinds]") {
  check_kinds(
      {{"<Length><Value>1</Value></Length>",
        "Length/@unit: is missing; a value is required: one of m, ft"},
       {"<Length unit='km'><Value>1</Value></Length>", "Length/@unit: 'km' is not one of m, ft"},
       {"<Length unit='m'><Value>1</Value></Length><Length unit='m' "
        "digits='x'><Value>1</Value></Length>",
        "Length[2]/@digits: 'x' is not a whole number from -2147483648 to 2147483647"},
       {"<Length unit='m' digits=''><Value>1</Value></Length>",
        "Length/@digits: '' is not a whole number from -2147483648 to 2147483647"},
       {"<Length unit='m' length='1'><Value>1</Value></Length>",
        "Length: the attribute 'length' is not known here; allowed are unit, digits, system, "
        "version, source"},
       {"<Length unit='m' k:unit='m' xmlns:k='NS'><Value>1</Value></Length>",
        "Length/@unit: is in the namespace 'http://example.com/soap/Kinds'; allowed is no "
        "namespace"},
       {"<Length unit='m' source='x'><Value>1</Value></Length>",
        "Length/@source: is in no namespace; allowed is the namespace 'urn:kinds:meta'"},
       {"<Length unit='m' Value='1'/>",
        "Length: the attribute 'Value' is not known here; allowed are unit, digits, system, "
        "version, source"},
       {"<Length unit='m' version='1'><Value>1</Value></Length>",
        "Length/@version: '1' is not '1.0', which is fixed"},
       {"<Length unit='m' version=''><Value>1</Value></Length>",
        "Length/@version: '' is not '1.0', which is fixed"},
       {"<Price>1</Price>", "Price/@currency: is missing; a value is required: text"},
       {"<Dog><Name>x</Name><Barks>1</Barks></Dog>",
        "Dog/@id: is missing; a value is required: a whole number from -2147483648 to "
        "2147483647"},
       {"<Dog id='x'><Name>x</Name><Barks>1</Barks></Dog>",
        "Dog/@id: 'x' is not a whole number from -2147483648 to 2147483647"},
       {"<Puppy id='1' Id='1'><Name>x</Name><Barks>1</Barks></Puppy>",
        "Puppy: the attribute 'Id' is not known here; allowed are id"},
       {"<Grouped><Name/><Last/></Grouped>",
        "Grouped/@id: is missing; a value is required: a whole number from -2147483648 to "
        "2147483647"},
       {"<Grouped id='a b'><Name/><Last/></Grouped>",
        "Grouped/@id: 'a b' is not a whole number from -2147483648 to 2147483647"}});
}

TEST_CASE("an element with text has no children", "[kinds]") {
  check_kinds(
      {{"<Price currency='EUR'><Amount>1</Amount></Price>",
        "Price: holds the element 'Amount'; allowed is a decimal such as -12.50"},
       {"<Price currency='EUR'>1<b/></Price>",
        "Price: holds the element 'b'; allowed is a decimal such as -12.50"},
       {"<Price currency='EUR'>x</Price>", "Price: 'x' is not a decimal such as -12.50"},
       {"<Price currency='EUR'/>", "Price: '' is not a decimal such as -12.50"},
       {"<Price currency='EUR' " + xsi + " i:nil='true'>1</Price>",
        "Price: is said to be nil, yet holds content"}});
}

TEST_CASE("elements come as often as the table says", "[kinds]") {
  check_kinds(
      {{"<Counted><TwoToFive>1</TwoToFive><Some/></Counted>",
        "Counted: TwoToFive must appear at least 2 times"},
       {"<Counted><Some/></Counted>", "Counted: TwoToFive must appear at least 2 times"},
       {"<Counted><TwoToFive>1</TwoToFive><TwoToFive>1</TwoToFive><TwoToFive>1</"
        "TwoToFive><TwoToFive>1</TwoToFive><TwoToFive>1</TwoToFive><TwoToFive>1</TwoToFive><Some/"
        "></Counted>",
        "Counted/TwoToFive[6]: may appear only 5 times"},
       {"<Counted><TwoToFive>1</TwoToFive><TwoToFive>1</TwoToFive></Counted>",
        "Counted: Some must appear at least once"},
       {"<Counted><TwoToFive>1</TwoToFive><TwoToFive>1</TwoToFive><TwoToFive>x</TwoToFive><Some/"
        "></Counted>",
        "Counted/TwoToFive[3]: 'x' is not a whole number from -32768 to 32767"}});
}

TEST_CASE("nil is accepted only for nillable rows", "[kinds][nil]") {
  check_kinds(
      {{"<Nils/>", "Nils/MustBeThere: is missing; a value is required: text"},
       {"<Nils " + xsi + "><MustBeThere i:nil='true'>x</MustBeThere></Nils>",
        "Nils/MustBeThere: is said to be nil, yet holds content"},
       {"<Nils " + xsi + "><MustBeThere i:nil='yes'/></Nils>",
        "Nils/MustBeThere: xsi:nil is true or false, not 'yes'"},
       {"<Nils " + xsi + "><MustBeThere i:nil='true'/><Many i:nil='true'><A/></Many></Nils>",
        "Nils/Many: is said to be nil, yet holds content"},
       {"<Nils " + xsi + "><MustBeThere i:nil='true'/><Many i:nil='true'/><Many/></Nils>",
        "Nils/Many[2]/A: is missing; a value is required: text"},
       {"<Nils " + xsi + "><MustBeThere i:nil='true'/><MustBeThere/></Nils>",
        "Nils/MustBeThere[2]: may appear only once"},
       {"<Person " + xsi + "><Name i:nil='true'/><Phone>1</Phone></Person>",
        "Person/Name: is nil, but a value is required: text"},
       {"<Grouped id='1' " + xsi + "><Name/><From i:nil='true'/><To>1</To><Last/></Grouped>",
        "Grouped/From: is missing; a value is required: a whole number from -2147483648 to "
        "2147483647"},
       {"<OtherPrice " + xsi + "><Cents " + geo + " i:nil='true'/></OtherPrice>",
        "OtherPrice/Cents: is nil, but a value is required: a whole number from -2147483648 to "
        "2147483647"}});
}

TEST_CASE("xsi:type names the type of the table", "[kinds][xsi:type]") {
  check_kinds(
      {{"<Dog id='1' " + xsi + " i:type='Puppy'><Name>x</Name><Barks>1</Barks></Dog>",
        "Dog: xsi:type names 'Puppy'; allowed is 'Dog'"},
       {"<Point " + xsi + " i:type='Point'><X " + geo + ">1</X><Y " + geo + ">1</Y></Point>",
        "Point: xsi:type names 'Point' in the namespace 'http://example.com/soap/Kinds'; allowed "
        "is 'Point' in the namespace 'urn:kinds:geo'"},
       {"<OtherPrice " + xsi + " i:type='Price'><Cents " + geo + ">1</Cents></OtherPrice>",
        "OtherPrice: xsi:type names 'Price' in the namespace 'http://example.com/soap/Kinds'; "
        "allowed is 'Price' in the namespace 'urn:kinds:geo'"},
       {"<Length unit='m' " + xsi + " i:type='Price'><Value>1</Value></Length>",
        "Length: xsi:type names 'Price'; allowed is 'Length'"},
       {"<Price currency='EUR' " + xsi +
            " xmlns:s='http://www.w3.org/2001/XMLSchema' i:type='s:hexBinary'>1</Price>",
        "Price: xsi:type names 's:hexBinary'; allowed is 'Price'"}});
}

TEST_CASE("elements are in the namespace of the table", "[kinds]") {
  check_kinds(
      {{"<Point><X>1</X><Y>1</Y></Point>",
        "Point/X: is in the namespace 'http://example.com/soap/Kinds'; allowed is the namespace "
        "'urn:kinds:geo'"},
       {"<Point><X " + geo + ">1</X><Y>1</Y></Point>",
        "Point/Y: is in the namespace 'http://example.com/soap/Kinds'; allowed is the namespace "
        "'urn:kinds:geo'"},
       {"<Point " + geo + "><X>1</X><Y>1</Y></Point>",
        "Point: is in the namespace 'urn:kinds:geo'; allowed is the namespace "
        "'http://example.com/soap/Kinds'"},
       {"<q:Point xmlns:q='NS' " + geo + "><X>1</X><Y>1</Y><Note>1</Note></q:Point>",
        "Point/Note: is in the namespace 'urn:kinds:geo'; allowed is no namespace"},
       {"<q:Point xmlns:q='NS' " + geo + "><X>1</X><Y>1</Y><Comment>1</Comment></q:Point>",
        "Point/Comment: is in the namespace 'urn:kinds:geo'; allowed is the namespace "
        "'urn:kinds:meta'"},
       {"<q:Point xmlns:q='NS' " + geo + "><X>1</X><Y>1</Y><Comment xmlns=''>1</Comment></q:Point>",
        "Point/Comment: is in no namespace; allowed is the namespace 'urn:kinds:meta'"},
       {"<q:Point xmlns:q='NS' " + geo + "><X>1</X><Y>1</Y><Z/></q:Point>",
        "Point: the element 'Z' is not known here; allowed are X, Y, Note, Comment"},
       {"<q:Point xmlns:q='NS' " + geo + "><X>1</X><Y>1</Y><q:Z/></q:Point>",
        "Point: the element 'Z' is not known here; allowed are X, Y, Note, Comment"},
       {"<Plain><A/></Plain>",
        "Plain/A: is in the namespace 'http://example.com/soap/Kinds'; allowed is no namespace"},
       {"<q:Plain xmlns:q='NS' xmlns=''><A/><q:B>1</q:B></q:Plain>",
        "Plain/B: is in the namespace 'http://example.com/soap/Kinds'; allowed is no namespace"},
       {"<q:Plain xmlns:q='NS' xmlns=''><A/><C>1</C></q:Plain>",
        "Plain: the element 'C' is not known here; allowed are A, B"},
       {"<Plain xmlns=''><A/></Plain>",
        "Plain: is in no namespace; allowed is the namespace 'http://example.com/soap/Kinds'"}});
}

TEST_CASE("paths name deep elements", "[kinds]") {
  check_kinds(
      {{"<Author><Name>a</Name><Book><Title>t</Title></Book><Book><Title>t</"
        "Title><Sequel><Title>u</Title><Author><Name>b</Name><Book><Titel>v</Titel></Book></"
        "Author></Sequel></Book></Author>",
        "Author/Book[2]/Sequel/Author/Book: the element 'Titel' is not known here; allowed are "
        "Title, Author, Sequel"},
       {"<Author><Name>a</Name><Book><Title>t</Title><Sequel><Sequel/></Sequel></Book></Author>",
        "Author/Book/Sequel/Sequel/Title: is missing; a value is required: text"}});
}

TEST_CASE("groups within groups are complete", "[kinds]") {
  check_corners(
      {{"<Deep><Head/><End/></Deep>", "Deep: the elements Key, (A, B), Note are missing"},
       {"<Deep><Key/><A/><End/></Deep>", "Deep/Head: is missing; a value is required: text"},
       {"<Deep><Head/><Key/><End/></Deep>", "Deep: one of A, B is missing"},
       {"<Deep><Head/><Key/><A/><B>1</B><End/></Deep>",
        "Deep/Key: is missing; a value is required: text"},
       {"<Deep><Head/><Key/><A/><A/><End/></Deep>",
        "Deep/Key: is missing; a value is required: text"},
       {"<Deep><Head/><Key/><A/><Note/><Note/><End/></Deep>", "Deep: one of A, B is missing"},
       {"<Deep><Head/><Key/><A/><Note/><A/><End/></Deep>",
        "Deep/Key: is missing; a value is required: text"},
       {"<Deep><Head/><Key/><A/><Key/><A/><Key/><A/><Key/><A/><End/></Deep>",
        "Deep/Key[4]: begins a group that may appear only 3 times"},
       {"<Deep><Head/><A/><Key/><End/></Deep>", "Deep/Key: is missing; a value is required: text"},
       {"<Deep><Head/><Head/><Key/><A/><End/></Deep>", "Deep/Head[2]: may appear only once"},
       {"<Deep><Head/><Key/><A/></Deep>", "Deep/End: is missing; a value is required: text"},
       {"<Deep><Head/><Key/><B>1</B><B>x</B><End/></Deep>",
        "Deep/B[2]: 'x' is not a whole number from -2147483648 to 2147483647"}});
}

TEST_CASE(
    "an element with the name of several rows belongs to the row that is possible", "[kinds]") {
  const std::string bounds =
      "(Low, (Width, High)), High, (Width, High), (Centre, Width) is allowed";
  check_corners(
      {{"<Interval><Low/><Width>1</Width><High/></Interval>",
        "Interval: only one of Width, High is allowed"},
       {"<Interval><Width>1</Width><High/><Low/></Interval>", "Interval: only one of " + bounds},
       {"<Interval><High/><High/></Interval>", "Interval/High[2]: may appear only once"},
       {"<Interval><High/><Low/></Interval>", "Interval: only one of " + bounds},
       {"<Interval><Centre/><Width>x</Width></Interval>",
        "Interval/Width: 'x' is not a whole number from -2147483648 to 2147483647"},
       {"<Interval><High xmlns='urn:else'/></Interval>",
        "Interval/High: is in the namespace 'urn:else'; allowed is the namespace "
        "'http://example.com/soap/Corners'"},
       {"<Policy><Target/><Value/><End/><Target/></Policy>",
        "Policy/Key: is missing; a value is required: text"},
       {"<Policy><Target/><Remark/><End/><Target/></Policy>",
        "Policy/Value: is missing; a value is required: text"},
       {"<Policy><Target/><Remark/><Value/><Value/><End/><Target/></Policy>",
        "Policy/Remark: is missing; a value is required: text"},
       {"<Policy><Target/><End/></Policy>", "Policy/Target: is missing; a value is required: text"},
       {"<Policy><Target/><End/><Target/><Target/></Policy>",
        "Policy/Target[3]: may appear only once"}});
}

TEST_CASE("qualified names in lists, and listed qualified names, are checked", "[kinds]") {
  const std::string list = "a list with spaces between the items, each ";
  const std::string marks = "<Marks xmlns:a='urn:codes' xmlns:b='urn:b' xmlns:l='urn:levels'";
  const std::string codes = "one of {urn:codes}A, {urn:codes}B, {urn:more}A";
  check_corners(
      {{marks + "><Kinds>b:x</Kinds><Either>1</Either><Code>b:A</Code></Marks>",
        "Marks/Code: 'b:A' is not " + codes},
       {marks + "><Kinds>b:x c:x</Kinds><Either>1</Either><Code>a:A</Code></Marks>",
        "Marks/Kinds: 'b:x c:x' is not " + list + "a name with a declared prefix"},
       {marks + "><Kinds>b:1 b:2 b:3</Kinds><Either>1</Either><Code>a:A</Code></Marks>",
        "Marks/Kinds: 'b:1 b:2 b:3' is not " + list + "a name with a declared prefix"},
       {marks + "><Kinds>b:x b:x b:x b:x b:x</Kinds><Either>1</Either><Code>a:A</Code></Marks>",
        "Marks/Kinds: 'b:x b:x b:x b:x b:x' is not of at most 4 items"},
       {marks + " level='b:low'><Kinds/><Either>b:x</Either><Code>a:A</Code></Marks>",
        "Marks/@level: 'b:low' is not one of {urn:levels}low, {urn:levels}high"},
       {marks + "><Kinds/><Either>c:x</Either><Code>a:A</Code></Marks>",
        "Marks/Either: 'c:x' is not a whole number from -2147483648 to 2147483647, or a name "
        "with a declared prefix"},
       {"<Flags><Answer>2</Answer><Bits/></Flags>",
        "Flags/Answer: '2' is not a boolean: true, false, 1 or 0"},
       {"<Flags><Bits>true maybe</Bits></Flags>",
        "Flags/Bits: 'true maybe' is not " + list + "a boolean: true, false, 1 or 0"}});
}

TEST_CASE("groups of base classes are complete", "[kinds]") {
  check_corners(
      {{train + "<Road/><Place/></q:Train>",
        "Train: the elements Place, Minutes must appear at least 2 times"},
       {train + "<Road/><Rail/><Place/><Place/></q:Train>",
        "Train: only one of Road, Rail is allowed"},
       {train + "<Place/><Place/></q:Train>", "Train: one of Road, Rail is missing"},
       {"<q:Train xmlns:q='NS' xmlns='urn:corners:trips' "
        "fast='true'><Road/><Place/><Place/></q:Train>",
        "Train/@number: is missing; a value is required: a whole number from -2147483648 to "
        "2147483647"},
       {"<q:Train xmlns:q='NS' xmlns='urn:corners:trips' "
        "number='1'><Road/><Place/><Place/></q:Train>",
        "Train/@fast: is missing; a value is required: a boolean: true, false, 1 or 0"},
       {train + "<Road/><Place/><Place/><q:First>1</q:First></q:Train>",
        "Train/Second: is missing; a value is required: a whole number from -2147483648 to "
        "2147483647"},
       {train + "<Road/><Place/><Place/><First>1</First><Second>1</Second></q:Train>",
        "Train/First: is in the namespace 'urn:corners:trips'; allowed is the namespace "
        "'http://example.com/soap/Corners'"}});
}

TEST_CASE("text with attributes keeps the rules of its base", "[kinds]") {
  check_corners(
      {{"<Tax>1</Tax>", "Tax/@currency: is missing; a value is required: text"},
       {"<Tax currency='' percent='x'>1</Tax>",
        "Tax/@percent: 'x' is not a whole number from -2147483648 to 2147483647"},
       {"<Tax currency=''>x</Tax>", "Tax: 'x' is not a decimal such as -12.50"},
       {"<Tax currency=''><a/></Tax>",
        "Tax: holds the element 'a'; allowed is a decimal such as -12.50"},
       {"<Tax currency='' rate='1'>1</Tax>",
        "Tax: the attribute 'rate' is not known here; allowed are currency, percent"}});
}

TEST_CASE("a name in another namespace is another name", "[kinds]") {
  check_corners(
      {{"<Names Id='1'><Id>1</Id></Names>", "Names/Id: is missing; a value is required: text"},
       {"<Names><Id>1</Id><Id xmlns='urn:corners:ids'/></Names>",
        "Names/@Id: is missing; a value is required: a boolean: true, false, 1 or 0"},
       {"<Names Id='1'><Id>1</Id><Id xmlns='urn:corners:ids'/><Id "
        "xmlns='urn:corners:ids'/></Names>",
        "Names/Id[3]: may appear only once"},
       {"<Names Id='1'><Id>1</Id><Id xmlns='urn:corners:ids'/><Id "
        "xmlns='urn:corners:x'/></Names>",
        "Names/Id[3]: is in the namespace 'urn:corners:x'; allowed is the namespace "
        "'http://example.com/soap/Corners' or the namespace 'urn:corners:ids' or no namespace"},
       {"<Names Id='1' c:Id='1' xmlns:c='NS'><Id>1</Id><Id xmlns='urn:corners:ids'/></Names>",
        "Names/@Id: is in the namespace 'http://example.com/soap/Corners'; allowed is no namespace "
        "or the namespace 'urn:corners:ids'"}});
}

TEST_CASE("namespaces change from level to level", "[kinds]") {
  check_corners(
      {{"<Outer><Bare/></Outer>",
        "Outer/Bare: is in the namespace 'http://example.com/soap/Corners'; allowed is no "
        "namespace"},
       {"<Outer><Bare xmlns=''><Inner><X>1</X></Inner></Bare></Outer>",
        "Outer/Bare/Inner/X: is in no namespace; allowed is the namespace 'urn:corners:a'"},
       {"<Outer><Bare xmlns=''/><Bare xmlns=''><Inner><X "
        "xmlns='urn:corners:a'>1</X></Inner><Inner><X "
        "xmlns='urn:corners:a'>x</X></Inner></Bare></Outer>",
        "Outer/Bare[2]/Inner[2]/X: 'x' is not a whole number from -2147483648 to 2147483647"},
       {"<Outer><Their xmlns='urn:corners:b'><Inner/></Their></Outer>",
        "Outer/Their/Inner: is in the namespace 'urn:corners:b'; allowed is no namespace"},
       {"<Outer><Bare xmlns=''><Own><Word/></Own></Bare></Outer>",
        "Outer/Bare/Own/Word: is in no namespace; allowed is the namespace "
        "'http://example.com/soap/Corners'"}});
}

TEST_CASE("values of another namespace keep their rules", "[kinds]") {
  check_corners(
      {{"<Said><Nil/></Said>",
        "Said/Nil: is in the namespace 'http://example.com/soap/Corners'; allowed is the "
        "namespace 'urn:corners:b'"},
       {"<b:Said xmlns:b='NS' xmlns='urn:corners:b'><Nil>1</Nil><Version>1</Version></b:Said>",
        "Said: Nils must appear at least once"},
       {"<b:Said xmlns:b='NS' "
        "xmlns='urn:corners:b'><Nil>1</Nil><Nils/><Version>1.5</Version></b:Said>",
        "Said/Version: '1.5' is not '1.0', which is fixed"}});
}

TEST_CASE("branches and groups come as often as the table says", "[kinds]") {
  check_corners(
      {{"<Often><Name/></Often>", "Often: Name must appear at least 2 times"},
       {"<Often><Name/><Name/><Name/><Name/></Often>", "Often/Name[4]: may appear only 3 times"},
       {"<Often><Name/><Name/><None>1</None></Often>", "Often: only one of Name, None is allowed"},
       {"<Often><Home>1</Home><Away>1</Away><Home>1</Home><Away>1</Away><Home>1</Home><Away>1</"
        "Away></Often>",
        "Often/Home[3]: begins a group that may appear only 2 times"},
       {"<Often " + xsi + "><Two i:nil='1'/><Two i:nil='1'/><Two i:nil='1'/></Often>",
        "Often/Two[3]: may appear only 2 times"},
       {"<Often><Pair/></Often>",
        "Often: the element 'Pair' is not known here; allowed are Name, None, East, West, Calm, "
        "Home, Away, Two"},
       {"<Often><East>1</East><West>1</West></Often>",
        "Often: the elements East, West must appear at least 2 times"}});
}

TEST_CASE("a fixed row has only the fixed value", "[kinds]") {
  check_corners(
      {{"<Fixed version='1.1'/>", "Fixed/@version: '1.1' is not '1.0', which is fixed"},
       {"<Fixed version='1'><Seven>7</Seven><Seven>8</Seven></Fixed>",
        "Fixed/Seven[2]: '8' is not '7', which is fixed"},
       {"<Fixed version='1'><Level scale='1.6'>3</Level></Fixed>",
        "Fixed/Level/@scale: '1.6' is not '1.50', which is fixed"}});
}

TEST_CASE("a choice that holds itself", "[kinds]") {
  check_corners(
      {{"<Term/>", "Term: one of Not, Sum, Number is missing"},
       {"<Term><Sum><Number>1</Number></Sum><Sum/></Term>",
        "Term/Sum[2]: one of Not, Sum, Number is missing"},
       {"<Term><Not><Not><Number>x</Number></Not></Not></Term>",
        "Term/Not/Not/Number: 'x' is not a whole number from -2147483648 to 2147483647"},
       {"<Term><Not><Number>1</Number></Not><Number>1</Number></Term>",
        "Term: only one of Not, Sum, Number is allowed"}});
}

TEST_CASE(
    "unknown elements are skipped if a service says so, invalid ones are refused", "[kinds]") {
  const echo_world<kinds::Kinds> w("Kinds", "Everything", unknown::ignore);
  const auto result = [&](const std::string& content) {
    const std::string said = w.answer(content);
    const std::string begin = "<EverythingResult>";
    const std::size_t at = said.find(begin);
    if (at == said.npos) return said;
    return said.substr(at + begin.size(), said.find("</EverythingResult>") - at - begin.size());
  };
  CHECK(
      result("<Price currency='EUR' rate='2' k:rate='3' xmlns:k='NS'>1</Price>") ==
      "<Price currency=\"EUR\">1</Price>");
  CHECK(
      result("<Person><Fax/><Name>x</Name><Phone>1</Phone></Person>") ==
      "<Person><Name>x</Name><Phone>1</Phone></Person>");
  CHECK(
      result("<Price>1</Price>") ==
      "Everything/Price/@currency: is missing; a value is required: text");
  CHECK(
      result("<Plain><A/></Plain>") ==
      "Everything/Plain/A: is in the namespace '" + base + "/Kinds'; allowed is no namespace");
  CHECK(
      result("<Person><Name>x</Name><Fax/></Person>") ==
      "Everything/Person: one of Phone, Mail, Alias is missing");
}

TEST_CASE("attributes of foreign namespaces are skipped", "[kinds]") {
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  CHECK_THAT(
      w.answer(
          "<Length unit='m' x:unit='ft' x:digits='1' xmlns:x='urn:x'><Value>1</Value></Length>"),
      Catch::Contains(
          "<Length unit=\"m\" system=\"SI\" version=\"1.0\"><Value>1</Value></Length>"));
  CHECK_THAT(
      w.answer("<Length unit='m' x:source='a' xmlns:x='urn:kinds:meta'><Value>1</Value></Length>"),
      Catch::Contains("source=\"a\""));
}

TEST_CASE("fixed and default values may be absent or have another spelling", "[kinds]") {
  const echo_world<corners::Corners> w("Corners", "All");
  const auto answer = [&](const std::string& content) {
    const std::string said = w.answer(content);
    const std::size_t at = said.find("<Fixed");
    return at == said.npos ? said : said.substr(at, said.find("</AllResult>") - at);
  };
  CHECK(answer("<Fixed version='1.00'/>") == "<Fixed version=\"1.0\" />");
  CHECK(answer("<Fixed/>") == "<Fixed version=\"1.0\" />");
  CHECK(
      answer("<Fixed><Seven> 07 </Seven><Seven/><Mode/></Fixed>") ==
      "<Fixed version=\"1.0\"><Seven>7</Seven><Seven>7</Seven><Mode>fast</Mode></Fixed>");
  CHECK(
      answer("<Fixed><Level>3</Level></Fixed>") ==
      "<Fixed version=\"1.0\"><Level scale=\"1.50\">3</Level></Fixed>");
}

TEST_CASE(
    "a nil element of a row that is not nillable is no branch and begins no group",
    "[kinds][nil]") {
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  CHECK_THAT(
      w.answer("<Person><Name>x</Name><Phone " + xsi + " i:nil='true'/><Mail>1</Mail></Person>"),
      Catch::Contains("<Person><Name>x</Name><Mail>1</Mail></Person>"));
  CHECK_THAT(
      w.answer("<Payment><Cash " + xsi + " i:nil='1'/><Amount>1</Amount></Payment>"),
      Catch::Contains("<Payment><Amount>1</Amount></Payment>"));
  CHECK_THAT(
      w.answer("<Grouped id='1'><Name/><Key>1</Key><Key " + xsi + " i:nil='1'/><Last/></Grouped>"),
      Catch::Contains("<Name /><Key>1</Key><Last />"));
}

TEST_CASE(
    "the order of repeated choices and groups is kept, and rows decide where items end",
    "[kinds]") {
  const echo_world<kinds::Kinds> w("Kinds", "Everything");
  const std::string walk =
      "<Walk><Left>1</Left><Right>2</Right><Left>3</Left><Left>4</Left>"
      "<Pay currency=\"a\">5</Pay><Right>6</Right></Walk>";
  CHECK_THAT(w.answer(walk), Catch::Contains(walk));
  const std::string pairs = "<Key>1</Key><Key>2</Key><Value>3</Value><Key>4</Key>";
  CHECK_THAT(
      w.answer("<Grouped id='1'><Name/>" + pairs + "<Last/></Grouped>"), Catch::Contains(pairs));
  const echo_world<corners::Corners> c("Corners", "All");
  const std::string rows =
      "<Key>1</Key><B>1</B><B>2</B><Key>2</Key><A>3</A><Note>4</Note><Key>5</Key><A>6</A>";
  CHECK_THAT(
      c.answer("<Deep><Head/>" + rows + "<End/></Deep>"), Catch::Contains("<Head />" + rows));
  const std::string winds = "<East>1</East><West>2</West><East>3</East><West>4</West>";
  CHECK_THAT(c.answer("<Often>" + winds + "</Often>"), Catch::Contains(winds));
}

TEST_CASE("a choice is sent only if exactly one member is set", "[kinds]") {
  using kinds::Everything;
  std::vector<Everything> wrong_ones(6);
  wrong_ones[0].persons.push_back({"x", {}});
  wrong_ones[1].persons.push_back({"x", {"1", "2", {}}});
  wrong_ones[2].persons.push_back({"x", {"1", {}, {"2"}}});
  wrong_ones[3].walks.push_back({{{1, {}, {}}, {}}});
  wrong_ones[4].payments.push_back({kinds::Means{}, {}});
  wrong_ones[5].payments.push_back({kinds::Means{kinds::Card{}, {}, true}, {}});
  for (std::size_t index = 0; index != wrong_ones.size(); ++index) {
    CAPTURE(index);
    std::size_t sent = 0;
    soapsvc::client<kinds::Kinds> client(
        [&](const soapsvc::http_request&) { return ++sent, soapsvc::http_response{}; },
        {.ns_base = base});
    const std::string set = index % 3 == 0 || index == 4 ? "0" : "2";
    CHECK_THROWS_WITH(
        client.call(&kinds::Kinds::echo, wrong_ones[index]),
        Catch::Contains("soapsvc: a choice to be sent in ") &&
            Catch::Contains(" has " + set + " of its members set, not one"));
    CHECK_THROWS_AS(client.call(&kinds::Kinds::echo, wrong_ones[index]), std::invalid_argument);
    CHECK(sent == 0);
  }
}

TEST_CASE("a row with too few or too many items is never sent", "[kinds]") {
  using corners::All;
  std::size_t sent = 0;
  soapsvc::client<corners::Corners> client(
      [&](const soapsvc::http_request&) { return ++sent, soapsvc::http_response{}; },
      {.ns_base = base});
  const auto refused = [&](const All& all) -> std::string {
    try {
      client.call(&corners::Corners::echo, all);
    } catch (const std::invalid_argument& error) {
      return error.what();
    } catch (const std::exception&) {  // nobody answers
    }
    return {};
  };
  const auto with = [](const corners::Often& often) {
    All all;
    all.often = {often};
    return all;
  };
  using corners::Often, corners::Vote, corners::Weather;
  const std::string end = " are to be sent, but occurs(...) does not allow this number";
  CHECK(refused(with({.vote = Vote{{"a"}, {}}})) == "soapsvc: 1 of Name" + end);
  CHECK(refused(with({.vote = Vote{{"a", "b", "c", "d"}, {}}})) == "soapsvc: 4 of Name" + end);
  CHECK(refused(with({.weather = Weather{{{}}, {}}})) == "soapsvc: 1 groups of East" + end);
  CHECK(refused(with({.scores = {{}, {}, {}}})) == "soapsvc: 3 groups of Home" + end);
  CHECK(refused(with({.two = {{}, {}, {}}})) == "soapsvc: 3 of Two" + end);
  All said;
  said.said = {{}};
  CHECK(refused(said) == "soapsvc: 0 of Nils" + end);
  CHECK(sent == 0);
  // The other branch of a choice may be set.
  CHECK(refused(with({{Vote{{}, true}}, {Weather{{}, "c"}}, {}, {}})).empty());
  CHECK(refused(with({{Vote{{"a", "b"}, {}}}, {Weather{{{}, {}}, {}}}, {{}, {}}, {}})).empty());
  CHECK(sent == 2);
}

TEST_CASE(
    "a response with a choice without exactly one member is an incident", "[kinds][incident]") {
  corners::Corners service;
  std::vector<std::string> told;
  soapsvc::dispatcher_options options;
  options.ns_base = base;
  options.on_error = [&](const soapsvc::error_report& report) { told.emplace_back(report.what); };
  soapsvc::dispatcher services(options);
  services.add(service);
  soapsvc::client<corners::Corners> client(services);
  const corners::Leaf both_set{"a", {1}};
  for (const corners::Leaf& leaf : {corners::Leaf{}, both_set}) {
    service.replaces.emplace().deeps = {{corners::Block{"h", {{"k", leaf, {}}}}, "e"}};
    try {
      client.call(&corners::Corners::echo, corners::All{});
      FAIL("no fault was thrown");
    } catch (const soapsvc::remote_fault& refused) {
      CHECK(refused.code() == soapsvc::fault_code::server);
      CHECK_THAT(refused.reason(), !Catch::Contains("choice"));
    }
  }
  CHECK(
      told == std::vector<std::string>{
                  "soapsvc: a choice to be sent in Deep has 0 of its members set, not one",
                  "soapsvc: a choice to be sent in Deep has 2 of its members set, not one"});
}
