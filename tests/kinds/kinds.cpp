// Everything that a table can say, there and back: random values of the service in kinds.hpp, sent
// by the client in both SOAP versions, with and without a socket. The response has the value sent,
// and each message is valid by the service's WSDL.
#include "kinds.hpp"

#include "../support.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <thread>

namespace kinds {

/// Methods that return types other than records and simple types.
class Results {
public:
  soapsvc::polymorphic<Animal> derived() {
    return soapsvc::polymorphic<Animal>(Cat{{"Tom", 1}, 9, {}});
  }
  std::vector<soapsvc::polymorphic<Animal>> many() { return {derived(), derived()}; }
  std::optional<soapsvc::qualified_name> name() { return soapsvc::qualified_name{"urn:a", "b"}; }
  std::vector<soapsvc::qualified_name> names() { return {*name(), {"urn:b", "c"}}; }
  soapsvc::xml anything() { return soapsvc::xml("<a xmlns='urn:a'>b</a>"); }
  soapsvc::list<std::int32_t> list() { return {{1, 2}}; }
  std::variant<std::int32_t, soapsvc::date> either() { return 3; }
};

/// Values that are there when nothing is.
struct Preset {
  std::string empty = "e";
  std::string mode = "m";
  std::string words = "w";
  std::optional<soapsvc::list<std::int32_t>> numbers;
};

class Presets {
public:
  void take(const Preset&) {}
};

}  // namespace kinds

template <>
inline constexpr auto soapsvc::schema<kinds::Results> = service(
    "Results",
    operation("Derived", &kinds::Results::derived),
    operation("Many", &kinds::Results::many),
    operation("Name", &kinds::Results::name),
    operation("Names", &kinds::Results::names),
    operation("Anything", &kinds::Results::anything),
    operation("List", &kinds::Results::list),
    operation("Either", &kinds::Results::either));
template <>
inline constexpr auto soapsvc::schema<kinds::Preset> = record(
    field("Empty", &kinds::Preset::empty, fixed("")),
    field("Mode", &kinds::Preset::mode, default_value("fast")),
    attribute("words", &kinds::Preset::words, default_value("")),
    attribute("numbers", &kinds::Preset::numbers, default_value("1 2")));
template <>
inline constexpr auto soapsvc::schema<kinds::Presets> =
    service("Presets", operation("Take", &kinds::Presets::take));

using namespace support;

namespace {

// --- Random values -------------------------------------------------------------------------------

class maker {
public:
  explicit maker(std::uint32_t seed) : numbers_(seed) {}

  std::size_t below(std::size_t end) { return numbers_() % end; }
  bool coin() { return below(2) == 0; }

  /// With all that must be escaped, or could get lost at the ends and between elements.
  std::string text() {
    static const std::vector<std::string> parts{
        "a",     "Zoë",  "&",       "<",  ">",
        "\"",    "'",    "]]>",     "\r", "\r\n",
        "\n",    "\t",   " ",       "  ", "\xF0\x9F\x98\x80",
        "&amp;", "<!--", "</Name>", "{",  "\xC2\xA0",
        "0"};
    std::string made;
    for (std::size_t left = below(5); left != 0; --left)
      made += parts[below(parts.size())];
    return made;
  }
  std::string one_of(const std::vector<std::string>& values) {
    return values[below(values.size())];
  }
  std::int32_t number() {
    static constexpr std::int32_t edges[] = {
        0,
        -1,
        7,
        std::numeric_limits<std::int32_t>::min(),
        std::numeric_limits<std::int32_t>::max()};
    return coin() ? edges[below(std::size(edges))] : static_cast<std::int32_t>(numbers_());
  }
  double real() { return static_cast<double>(number()) / 7; }
  soapsvc::decimal amount() { return soapsvc::decimal(number(), static_cast<unsigned>(below(4))); }

  std::size_t last_id = 0;

  template <class Make> auto maybe(Make make) -> std::optional<decltype(make())> {
    if (coin()) return std::nullopt;
    return make();
  }
  template <class Make>
  auto list(Make make, std::size_t least = 0, std::size_t most = 3)
      -> std::vector<decltype(make())> {
    std::vector<decltype(make())> made;
    for (std::size_t left = least + below(most - least + 1); left != 0; --left)
      made.push_back(make());
    return made;
  }

private:
  std::mt19937 numbers_;
};

using namespace kinds;

Length make_length(maker& m) {
  Length made;
  made.value = m.real();
  made.unit = m.coin() ? Unit::foot : Unit::metre;
  made.digits = m.maybe([&] { return m.number(); });
  if (m.coin()) made.system = m.text();
  made.source = m.maybe([&] { return m.text(); });
  return made;
}

Price make_price(maker& m) { return {m.amount(), m.text()}; }

Point make_point(maker& m) {
  const auto text = [&] { return m.text(); };
  return {m.real(), m.real(), m.maybe(text), m.maybe(text)};
}

Nils make_nils(maker& m) {
  Nils made;
  if (m.coin()) made.must_be_there.emplace() = m.text();
  made.may_be_there = m.maybe([&] {
    return m.coin() ? soapsvc::nillable<std::int32_t>()
                    : soapsvc::nillable<std::int32_t>(m.number());
  });
  made.many = m.list([&] {
    return m.coin() ? soapsvc::nillable<Plain>()
                    : soapsvc::nillable<Plain>(Plain{m.text(), {m.number()}});
  });
  return made;
}

Book make_book(maker& m, int depth);

Author make_author(maker& m, int depth) {
  Author made{m.text(), {}};
  if (depth != 0) made.books = m.list([&] { return make_book(m, depth - 1); });
  return made;
}

Book make_book(maker& m, int depth) {
  Book made;
  made.title = m.text();
  if (depth != 0 && m.coin()) made.author.emplace() = make_author(m, depth - 1);
  if (depth != 0 && m.coin()) made.sequel.emplace() = make_book(m, depth - 1);
  return made;
}

Person make_person(maker& m) {
  Person made;
  made.name = m.text();
  switch (m.below(3)) {
  case 0: made.contact.phone = m.text(); break;
  case 1: made.contact.mail = m.text(); break;
  default: made.contact.aliases = m.list([&] { return m.text(); }, 1);
  }
  return made;
}

Step make_step(maker& m) {
  Step made;
  switch (m.below(3)) {
  case 0: made.left = m.number(); break;
  case 1: made.right = m.number(); break;
  default: made.pay = make_price(m);
  }
  return made;
}

Payment make_payment(maker& m) {
  Payment made;
  made.amount = m.amount();
  if (m.coin()) return made;
  Means& means = made.means.emplace();
  switch (m.below(3)) {
  case 0: means.card = Card{m.text(), m.maybe([&] { return m.number(); })}; break;
  case 1: means.transfer = Transfer{m.text(), m.text()}; break;
  default: means.cash = m.coin();
  }
  return made;
}

Grouped make_grouped(maker& m) {
  Grouped made;
  made.named = {m.text(), m.number()};
  made.range = m.maybe([&] { return Range{m.number(), m.number()}; });
  made.pairs = m.list([&] { return Pair{m.text(), m.maybe([&] { return m.text(); })}; });
  made.last = m.text();
  return made;
}

Dog make_dog(maker& m) {
  Dog made;
  made.name = m.text();
  made.id = m.number();
  made.barks = m.coin();
  return made;
}

Puppy make_puppy(maker& m) {
  Puppy made;
  static_cast<Dog&>(made) = make_dog(m);
  return made;
}

Cat make_cat(maker& m) {
  Cat made;
  made.name = m.text();
  made.id = m.number();
  made.lives = m.number();
  made.colour = m.maybe([&] { return m.text(); });
  return made;
}

// None of these can be read as another type of the union.

Lists make_lists(maker& m) {
  Lists made;
  made.numbers.items = m.list([&] { return m.number(); });
  made.many = m.list([&] { return soapsvc::list<double>{m.list([&] { return m.real(); })}; });
  made.units = m.maybe([&] {
    return soapsvc::list<Unit>{m.list([&] { return m.coin() ? Unit::metre : Unit::foot; })};
  });
  made.words.items = m.list([&] { return m.one_of({"a", "Zoë", "&<>'", "]]>", "\"{}"}); });
  made.mixed.items = m.list([&] {
    return m.coin() ? std::variant<std::int16_t, soapsvc::date>(std::int16_t{-7})
                    : std::variant<std::int16_t, soapsvc::date>(soapsvc::date{2020, 1, 2});
  });
  return made;
}

Unions make_unions(maker& m) {
  Unions made;
  switch (m.below(4)) {
  case 0: made.value = m.number(); break;
  case 1: made.value = soapsvc::date{1999, 12, 31}; break;
  case 2: made.value = m.coin() ? Unit::metre : Unit::foot; break;
  default: made.value = "a" + m.text();
  }
  made.many = m.list([&]() -> std::variant<bool, double> {
    if (m.coin()) return m.coin();
    return m.number() + 0.5;
  });
  if (m.coin()) made.attribute.emplace(soapsvc::list<std::int32_t>{{m.number(), m.number()}});
  if (m.coin()) made.attribute.emplace(Unit::foot);
  return made;
}

soapsvc::qualified_name make_name(maker& m) {
  return {
      m.one_of({"urn:q", base + "/Kinds", "http://www.w3.org/2001/XMLSchema", "urn:a?b&c'd"}),
      m.one_of({"a", "Zoë", "x-1.2_"})};
}

QualifiedNames make_names(maker& m) {
  QualifiedNames made;
  made.element = make_name(m);
  made.many = m.list([&] { return make_name(m); });
  if (m.coin()) made.bare.emplace();
  if (m.coin())
    made.bare.emplace(m.coin() ? make_name(m) : soapsvc::qualified_name{{}, "without-namespace"});
  made.attribute = m.maybe([&] { return make_name(m); });
  return made;
}

/// A foreign element, whose start tag has all declarations that it needs.
soapsvc::xml make_other(maker& m) {
  return soapsvc::xml(m.one_of(
      {"<a xmlns='urn:notes'/>",
       "<a xmlns=\"urn:notes\" b = 'c' ><b xmlns=''/>t<!-- c --><c/></a >",
       "<p:a xmlns:p='urn:more' p:x='p:y'><p:b xmlns:p='urn:p2'>p:c</p:b></p:a>",
       "<p:a xmlns:p='urn:notes'><b/></p:a>",
       "<a xmlns='urn:more'><![CDATA[</a>&amp; ]]>]]&gt; &#x1F600; <b\r\nc='&#10;&lt;'/></a>"}));
}

std::vector<soapsvc::xml_attribute> make_attributes(maker& m, const std::string& ns) {
  std::vector<soapsvc::xml_attribute> made;
  for (const std::string name : {"a", "b", "Zoë"})
    if (m.coin()) made.push_back({{ns, name}, m.text()});
  return made;
}

Open make_open(maker& m) {
  Open made{m.text(), m.list([&] { return make_other(m); }), make_attributes(m, "urn:others")};
  if (m.coin()) made.attributes.push_back({{"", "own"}, m.text()});
  if (m.coin()) made.attributes.push_back({{base + "/Kinds", "own"}, m.text()});
  if (m.coin()) made.attributes.push_back({{"http://www.w3.org/XML/1998/namespace", "lang"}, "en"});
  return made;
}

OpenElsewhere make_open_elsewhere(maker& m) {
  OpenElsewhere made;
  made.other = m.maybe(
      [&] { return m.coin() ? make_other(m) : soapsvc::xml("<Own xmlns='" + base + "/Kinds'/>"); });
  made.attributes = make_attributes(m, "urn:kinds:geo");
  return made;
}

OpenGroups make_open_groups(maker& m) {
  OpenGroups made;
  made.notes =
      m.list([&] { return Note{m.coin() ? make_other(m) : soapsvc::xml("<n xmlns=''>1</n>")}; });
  made.last = m.text();
  return made;
}

/// An element of any content, called as its row is.
soapsvc::xml make_any(maker& m, const std::string& name, const std::string& ns) {
  const std::string content = m.one_of(
      {"", "text", "<b/>t<c xmlns='urn:c'>&lt;</c>", "<![CDATA[<]]>", "<x:d xmlns:x='u'/>"});
  if (m.coin() && !ns.empty())
    return soapsvc::xml("<p:" + name + " xmlns:p='" + ns + "'>" + content + "</p:" + name + ">");
  return soapsvc::xml("<" + name + " a='b' xmlns='" + ns + "'>" + content + "</" + name + ">");
}

Anything make_anything(maker& m) {
  const std::string ns = base + "/Kinds";
  Anything made;
  made.value = make_any(m, "Value", ns);
  made.maybe = m.maybe([&] { return make_any(m, "Maybe", ""); });
  made.many = m.list([&] { return make_any(m, "Many", ns); });
  if (m.coin()) made.nil.emplace();
  if (m.coin()) made.nil.emplace(make_any(m, "Nil", ns));
  return made;
}

soapsvc::polymorphic<Animal> make_animal(maker& m) {
  switch (m.below(3)) {
  case 0: return soapsvc::polymorphic<Animal>(make_dog(m));
  case 1: return soapsvc::polymorphic<Animal>(make_puppy(m));
  default: return soapsvc::polymorphic<Animal>(make_cat(m));
  }
}

soapsvc::polymorphic<Shape> make_shape(maker& m) {
  if (m.coin()) return soapsvc::polymorphic<Shape>(Shape{m.text()});
  return soapsvc::polymorphic<Shape>(Circle{{m.text()}, m.real()});
}

Zoo make_zoo(maker& m) {
  Zoo made;
  made.director = make_animal(m);
  made.star = m.maybe([&] { return make_animal(m); });
  made.animals = m.list([&] { return make_animal(m); });
  made.shapes = m.list([&] { return make_shape(m); });
  if (m.coin()) made.hole.emplace();
  if (m.coin()) made.hole.emplace(make_shape(m));
  return made;
}

Facets make_facets(maker& m) {
  Facets made;
  made.code = m.one_of({"A0", "ZZ123456", "a", "z"});
  made.name = m.one_of({"a", "&<]]>", "Zoëëë", "  b  "});
  made.two =
      m.maybe([&] { return soapsvc::hex_binary{m.list([&] { return std::uint8_t{255}; }, 0, 2)}; });
  made.percent = static_cast<std::int32_t>(m.below(101));
  made.share = soapsvc::decimal(1 + static_cast<std::int64_t>(m.below(99)), 2);
  made.money = soapsvc::decimal(static_cast<std::int64_t>(m.below(199'999)) - 99'999, 2);
  made.size = m.coin() ? 0.5 : 2;
  made.letter = m.one_of({"a", "b c", ""});
  made.day = m.maybe([&] {
    return m.coin() ? soapsvc::date{2020, 1, 31} : soapsvc::date{2024, 2, 29};
  });
  made.span = m.maybe([&] {
    return soapsvc::duration{0, 86'399 - static_cast<std::int64_t>(m.below(99))};
  });
  made.numbers.items = m.list([&] { return m.number(); }, 1, 3);
  made.pairs = m.list([&] { return m.one_of({"ab", "Zë", "&<", "  "}); });
  if (m.coin()) made.even.emplace(static_cast<std::int32_t>(2 * m.below(1000)));
  if (m.coin()) made.even.emplace(soapsvc::date{2020, 1, 2});
  if (m.coin()) made.least.emplace();
  if (m.coin()) made.least.emplace(static_cast<std::uint8_t>(10 + m.below(246)));
  made.level = static_cast<std::int8_t>(static_cast<int>(m.below(133)) - 128);
  made.tag = m.maybe([&] { return m.one_of({"", "a", "ëë"}); });
  return made;
}

NamedTypes make_named(maker& m) {
  const auto code = [&] { return m.one_of({"0000", "1234", "9999"}); };
  const auto share = [&] { return static_cast<double>(m.below(11)) / 10; };
  NamedTypes made;
  made.code = code();
  made.codes = m.list(code);
  made.low_code = m.one_of({"0000", "0123"});
  made.share = share();
  made.few.items = m.list([&] { return std::int16_t{-1}; });
  made.area = m.maybe([&] { return Area{code(), m.maybe(share)}; });
  made.keyword = m.maybe([&] { return m.one_of({"a", "abcdefgh"}); });
  return made;
}

XsTypes make_xs(maker& m) {
  XsTypes made;
  made.normalized = m.one_of({"", "  a  b ", "\xC2\xA0"});
  made.token = m.one_of({"", "a b", "Zoë"});
  made.language = m.one_of({"en", "pt-BR", "de-1996", "x-klingon"});
  made.name = m.one_of({"a", "a:b", "_1.2-3", "Zoë"});
  made.ncname = m.one_of({"a", "_1.2-3", "Zoë"});
  made.nmtoken = m.one_of({"0", "-a:b.c", "Zoë"});
  // Each once, since all payloads together are one document when they are validated.
  if (m.coin()) made.id = "id-" + std::to_string(++m.last_id);
  if (m.last_id != 0 && m.coin()) made.idref = "id-" + std::to_string(1 + m.below(m.last_id));
  made.uri = m.one_of({"", "http://example.com/a?b#c", "a/b%20c", "urn:a", "#x"});
  made.integer = soapsvc::integer(m.number());
  made.non_negative = soapsvc::integer(static_cast<std::int64_t>(m.below(3)));
  made.positive = static_cast<std::uint16_t>(1 + m.below(65'535));
  made.non_positive = -static_cast<std::int64_t>(m.below(3));
  made.negative = soapsvc::integer(-1 - static_cast<std::int64_t>(m.below(3)));
  made.attribute = m.maybe([&] { return m.one_of({"", "a b"}); });
  return made;
}

Everything make_everything(maker& m) {
  Everything made;
  made.lengths = m.list([&] { return make_length(m); });
  made.prices = m.list([&] { return make_price(m); });
  made.points = m.list([&] { return make_point(m); });
  made.other_prices = m.list([&] { return OtherPrice{m.number()}; });
  made.plains = m.list([&] { return Plain{m.text(), m.list([&] { return m.number(); })}; });
  made.counted = m.list([&] {
    const auto number = [&] { return static_cast<std::int16_t>(m.number()); };
    return Counted{m.list(number, 2, 5), m.list([&] { return m.text(); }, 1)};
  });
  made.nils = m.list([&] { return make_nils(m); });
  if (m.coin()) made.author.emplace() = make_author(m, 4);
  made.persons = m.list([&] { return make_person(m); });
  made.walks = m.list([&] { return Walk{m.list([&] { return make_step(m); }, 1, 6)}; });
  made.payments = m.list([&] { return make_payment(m); });
  made.grouped = m.list([&] { return make_grouped(m); });
  made.dogs = m.list([&] { return make_dog(m); });
  made.puppies = m.list([&] { return make_puppy(m); });
  made.lists = m.list([&] { return make_lists(m); });
  made.unions = m.list([&] { return make_unions(m); });
  made.names = m.list([&] { return make_names(m); });
  made.opens = m.list([&] { return make_open(m); });
  made.elsewhere = m.list([&] { return make_open_elsewhere(m); });
  made.open_groups = m.list([&] { return make_open_groups(m); });
  made.texts = m.list([&] { return OpenText{m.text(), make_attributes(m, "urn:others")}; });
  made.anything = m.list([&] { return make_anything(m); });
  made.zoos = m.list([&] { return make_zoo(m); });
  made.facets = m.list([&] { return make_facets(m); });
  made.named = m.list([&] { return make_named(m); });
  made.xs = m.list([&] { return make_xs(m); });
  return made;
}

// --- The way there and back ----------------------------------------------------------------------

struct kinds_world {
  kinds_world() { services.add(kinds); }
  Kinds kinds;
  soapsvc::dispatcher services{{.ns_base = base}};

  soapsvc::http_response get(const std::string& target) const {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = target;
    return services.handle(request);
  }
  std::string wsdl() const { return get("/soap/v3/Kinds.asmx?WSDL").body; }
};

}  // namespace

TEST_CASE("messages of all table features survive a round trip, and are valid", "[kinds]") {
  const kinds_world w;
  const auto version = GENERATE(soapsvc::soap_version::v1_1, soapsvc::soap_version::v1_2);
  std::vector<std::string> requests;
  std::vector<std::string> responses;
  soapsvc::client<Kinds> client(
      [&](const soapsvc::http_request& request) {
        requests.push_back(payload_of(std::string(request.body)));
        std::vector<soapsvc::http_header> plain(request.headers.begin(), request.headers.end());
        std::erase_if(plain, [](const auto& each) { return each.name == "Accept-Encoding"; });
        soapsvc::http_request passed = request;
        passed.headers = plain;
        passed.target = "/soap/v3/Kinds.asmx";
        auto response = w.services.handle(passed);
        responses.push_back(payload_of(response.body));
        return response;
      },
      {.ns_base = base, .version = version});
  maker m(1);
  for (int round = 0; round != 150; ++round) {
    CAPTURE(round);
    const Everything sent = make_everything(m);
    const Everything answer = client.call(&Kinds::echo, sent);
    CHECK((answer == sent));
    if (!(answer == sent)) UNSCOPED_INFO(requests.back());
  }
  CHECK(payload_errors(w.wsdl(), requests) == "");
  CHECK(payload_errors(w.wsdl(), responses) == "");
}

#if !defined(SOAPSVC_NO_HOST)
TEST_CASE("messages of all table features pass through a host", "[kinds]") {
  Kinds kinds;
  soapsvc::host host{{.ns_base = base}};
  host.add(kinds);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&] { host.serve(); });
  for (const auto version : both) {
    soapsvc::client<Kinds> client(
        "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Kinds.asmx",
        {.ns_base = base, .version = version});
    maker m(2);
    for (int round = 0; round != 10; ++round) {
      const Everything sent = make_everything(m);
      CHECK((client.call(&Kinds::echo, sent) == sent));
    }
  }
  host.stop();
  serving.join();
}
#endif

TEST_CASE("both validators refuse elements that the schemas do not have", "[kinds]") {
  const kinds_world w;
  const std::string begin = "<Everything xmlns=\"" + base + "/Kinds\">";
  const auto errors = [&](const std::string& content) {
    return payload_errors(w.wsdl(), {begin + content + "</Everything>"});
  };
  CHECK(errors("<Price currency='EUR'>1</Price>") == "");
  for (const std::string wrong_one :
       {"<Price>1</Price>",
        "<Price currency='EUR'>x</Price>",
        "<Person><Name>x</Name></Person>",
        "<Person><Name>x</Name><Phone>1</Phone><Mail>2</Mail></Person>",
        "<Counted><TwoToFive>1</TwoToFive><Some/></Counted>",
        "<Plain xmlns=''><A/></Plain>",
        "<Length unit='m' version='2.0'><Value>1</Value></Length>"}) {
    INFO(wrong_one);
    const std::string found = errors(wrong_one);
    CHECK_THAT(found, Catch::Contains("Schemas validity error"));
    CHECK_THAT(found, Catch::Contains("Xerces-C++"));
  }
}

TEST_CASE("the samples on the page of an operation are valid, and are served", "[kinds]") {
  const kinds_world w;
  const auto samples = samples_of(w.get("/soap/v3/Kinds.asmx?op=Everything").body);
  REQUIRE(samples.size() >= 4);
  std::vector<std::string> payloads;
  for (const std::string& sample : samples) {
    payloads.push_back(payload_of(sample));
    if (!contains(payloads.back(), "<Everything xmlns")) continue;
    const bool v12 = contains(sample, soap12_ns);
    const std::string media_type = content_type(v12 ? version::v1_2 : version::v1_1);
    const soapsvc::http_header type[] = {{"Content-Type", media_type}};
    soapsvc::http_request request;
    request.target = "/soap/v3/Kinds.asmx";
    request.headers = type;
    request.body = sample;
    const auto response = w.services.handle(request);
    CHECK(response.status == 200);
    payloads.push_back(payload_of(response.body));
  }
  // Each by itself: all of them have an attribute that is an ID of its document.
  for (const std::string& payload : payloads)
    CHECK(payload_errors(w.wsdl(), {payload}) == "");
}

TEST_CASE("methods may return every kind of type", "[kinds]") {
  Results service;
  soapsvc::dispatcher services({.ns_base = base});
  services.add(service);
  std::vector<std::string> payloads;
  soapsvc::client<Results> client(
      [&](const soapsvc::http_request& request) {
        soapsvc::http_request passed = request;
        passed.target = "/soap/v3/Results.asmx";
        auto response = services.handle(passed);
        payloads.push_back(payload_of(response.body));
        return response;
      },
      {.ns_base = base});
  CHECK((client.call(&Results::derived) == service.derived()));
  CHECK((client.call(&Results::many) == service.many()));
  CHECK((client.call(&Results::name) == service.name()));
  CHECK((client.call(&Results::names) == service.names()));
  CHECK(
      client.call(&Results::anything).text() ==
      "<f:AnythingResult xmlns:f=\"" + base + "/Results\" xmlns='urn:a'>b</f:AnythingResult>");
  CHECK((client.call(&Results::list) == service.list()));
  CHECK((client.call(&Results::either) == service.either()));
  soapsvc::http_request request;
  request.method = "GET";
  request.target = "/soap/v3/Results.asmx?WSDL";
  CHECK(payload_errors(services.handle(request).body, payloads) == "");
}

TEST_CASE("the description has default and fixed values, also empty texts", "[kinds]") {
  Presets service;
  soapsvc::dispatcher services({.ns_base = base});
  services.add(service);
  soapsvc::http_request request;
  request.method = "GET";
  request.target = "/soap/v3/Presets.asmx?WSDL";
  const std::string wsdl = services.handle(request).body;
  CHECK_THAT(wsdl, Catch::Contains("name=\"Empty\" type=\"s:string\" fixed=\"\""));
  CHECK_THAT(wsdl, Catch::Contains("name=\"words\" type=\"s:string\" default=\"\""));
  CHECK_THAT(wsdl, Catch::Contains("name=\"numbers\" default=\"1 2\""));
  // An empty element has its default value. An absent element has no value.
  request.target = "/soap/v3/Presets.asmx?op=Take";
  const std::string page = services.handle(request).body;
  CHECK_THAT(page, Catch::Contains("When absent: 1 2."));
  CHECK_THAT(page, Catch::Contains("When empty: fast."));
}
