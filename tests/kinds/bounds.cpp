// The cost of the kinds of rows, with messages that are as expensive as possible, and reports of
// messages with secrets.
#include "soapsvc.hpp"

#include "../counted_new.hpp"
#include "../processor_time.hpp"
#include "../support.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace support;

namespace bounds {

struct Many {
  soapsvc::list<std::int32_t> numbers;
};

// A choice with 300 branches, in three choices.

#define BOUNDS_TEN(of, n) \
  of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) of(n##8) of(n##9)
#define BOUNDS_HUNDRED(of) \
  BOUNDS_TEN(of, 0)        \
  BOUNDS_TEN(of, 1)        \
  BOUNDS_TEN(of, 2)        \
  BOUNDS_TEN(of, 3)        \
  BOUNDS_TEN(of, 4)        \
  BOUNDS_TEN(of, 5)        \
  BOUNDS_TEN(of, 6)        \
  BOUNDS_TEN(of, 7)        \
  BOUNDS_TEN(of, 8)        \
  BOUNDS_TEN(of, 9)
#define BOUNDS_MEMBER(n) std::optional<bool> m##n;
struct First {
  std::optional<bool> first;
  BOUNDS_HUNDRED(BOUNDS_MEMBER)
};
struct Second {
  std::optional<bool> first;
  BOUNDS_HUNDRED(BOUNDS_MEMBER)
};
struct Third {
  std::optional<bool> first;
  BOUNDS_HUNDRED(BOUNDS_MEMBER)
};
struct Branch {
  std::optional<First> first;
  std::optional<Second> second;
  std::optional<Third> third;
};
struct Choices {
  std::vector<Branch> branches;
};

struct Others {
  std::vector<soapsvc::xml> others;
};

// Patterns that a text may have come to thousands of places in.

struct Formed {
  std::vector<std::string> texts;
};
struct FormedStream {
  soapsvc::stream<std::string> texts;
};

// Twenty rows, and bytes with and without a facet.

#define BOUNDS_NUMBER(n) std::optional<std::int32_t> m##n;
struct Rows {
  BOUNDS_TEN(BOUNDS_NUMBER, 0)
  BOUNDS_TEN(BOUNDS_NUMBER, 1)
};
#undef BOUNDS_NUMBER
struct Scans {
  std::optional<soapsvc::binary> bounded;
  std::optional<soapsvc::binary> unbounded;
};

struct Listed {
  std::variant<std::int32_t, std::string> code;
};

// Secrets, in all that is no plain element.

struct Text {
  std::string text;
  std::string open;
  std::optional<std::string> hidden;
  std::vector<soapsvc::xml_attribute> others;
};
struct Base {
  std::string shown;
};
struct Left : Base {
  std::string name;
};
struct Right : Base {  // of the same name as Left, in another namespace
  std::string name;
};
struct Pair {
  std::string key;
  std::string value;
};
struct Secrets {
  Text text;
  soapsvc::polymorphic<Base> left;
  soapsvc::polymorphic<Base> right;
  soapsvc::polymorphic<Base> hidden;
  std::optional<Pair> pair;
  soapsvc::list<std::string> words;
  soapsvc::xml any;
  std::vector<soapsvc::xml> others;
};

// Records that hold the next three times: written out in full they would be half a million.

template <int Depth> struct Level {
  std::optional<Level<Depth - 1>> left;
  Level<Depth - 1> middle;
  std::vector<Level<Depth - 1>> right;
};
template <> struct Level<0> { std::string leaf; };
inline constexpr auto level_names = [] {
  std::array<std::array<char, 3>, 13> names{};
  for (std::size_t depth = 0; depth != names.size(); ++depth)
    names[depth] = {'L', static_cast<char>('a' + depth), '\0'};
  return names;
}();
struct Levels {
  std::optional<Level<12>> top;
};

// A type that contains its derived types, and cannot be sent itself.

struct Part {
  std::optional<soapsvc::polymorphic<Part>> inner;
};
struct Wheel : Part {
  std::string name;
};
struct Machine {
  std::optional<soapsvc::polymorphic<Part>> part;
  std::string id;
  std::string other_id;
};

// More than compilers let fold expressions nest.

inline constexpr std::size_t crowd = 300;
inline constexpr auto crowd_names = [] {
  std::array<std::array<char, 5>, crowd> names{};
  for (std::size_t at = 0; at != crowd; ++at)
    names[at] = {
        'n',
        static_cast<char>('0' + at / 100),
        static_cast<char>('0' + at / 10 % 10),
        static_cast<char>('0' + at % 10),
        '\0'};
  return names;
}();
enum class Crowd : std::uint16_t {};
struct Head {
  std::string name;
};
template <std::size_t> struct Heir : Head { std::int32_t number{}; };
struct Heirs {
  std::vector<soapsvc::polymorphic<Head>> all;
  Crowd crowd{};
};
class Crowded {
public:
  std::int32_t count(const Heirs& heirs) { return static_cast<std::int32_t>(heirs.all.size()); }
};
class Quiet {  // the same types in a tenth of the operations
public:
  std::int32_t count(const Heirs& heirs) { return Crowded().count(heirs); }
};
template <std::size_t... At> constexpr auto crowd_values(std::index_sequence<At...>) {
  return soapsvc::enumeration(
      "Crowd", soapsvc::value(crowd_names[At].data(), static_cast<Crowd>(At))...);
}
template <std::size_t... At> constexpr auto crowd_types(std::index_sequence<At...>) {
  return soapsvc::types<Heir<At>...>();
}
/// Bytes as parts of the message.
class Vault {
public:
  std::int32_t scans(const Scans& all) {
    const auto& sent = all.bounded ? all.bounded : all.unbounded;
    return static_cast<std::int32_t>(sent->bytes.size());
  }
};
class Bounds {
public:
  std::int32_t many(const Many& many) {
    return static_cast<std::int32_t>(many.numbers.items.size());
  }
  std::int32_t choices(const Choices& all) {
    return static_cast<std::int32_t>(all.branches.size());
  }
  Others others(const Others& all) { return all; }
  Secrets secrets(const Secrets& all) { return all; }
  Formed formed(const Formed& all) { return all; }
  std::int32_t streamed(const FormedStream& all) {
    std::int32_t count = 0;
    while (all.texts.next())
      ++count;
    return count;
  }
  void rows(const Rows&) {}
  std::int32_t scans(const Scans& all) { return Vault().scans(all); }
  void levels(const Levels&) {}
  void machine(const Machine&) {}
};

}  // namespace bounds

using namespace bounds;

template <> inline constexpr auto soapsvc::schema<Many> = record(field("Numbers", &Many::numbers));
template <>
inline constexpr auto soapsvc::schema<Listed> = record(
    "Listed",
    field("Code", &Listed::code, enumerated("1", "b", "c", "d", "e", "f", "g", "h", "i", "k")));
#define BOUNDS_ROW(n) , field("A" #n, &First::m##n)
template <>
inline constexpr auto soapsvc::schema<First> = choice(field("A", &First::first)
                                                          BOUNDS_HUNDRED(BOUNDS_ROW));
#undef BOUNDS_ROW
#define BOUNDS_ROW(n) , field("B" #n, &Second::m##n)
template <>
inline constexpr auto soapsvc::schema<Second> = choice(field("B", &Second::first)
                                                           BOUNDS_HUNDRED(BOUNDS_ROW));
#undef BOUNDS_ROW
#define BOUNDS_ROW(n) , field("C" #n, &Third::m##n)
template <>
inline constexpr auto soapsvc::schema<Third> = choice(field("C", &Third::first)
                                                          BOUNDS_HUNDRED(BOUNDS_ROW));
#undef BOUNDS_ROW
template <>
inline constexpr auto soapsvc::schema<Branch> =
    choice(group(&Branch::first), group(&Branch::second), group(&Branch::third));
template <> inline constexpr auto soapsvc::schema<Choices> = record(group(&Choices::branches));
template <>
inline constexpr auto soapsvc::schema<Others> =
    record("Others", any(&Others::others, ns("##other")));

#define BOUNDS_PATTERN "[\\s\\S]*[^\\s][\\s\\S]{0,4000}"
template <>
inline constexpr auto soapsvc::schema<Formed> =
    record("Formed", field("Text", &Formed::texts, pattern(BOUNDS_PATTERN), sample("a")));
template <>
inline constexpr auto soapsvc::schema<FormedStream> =
    record(field("Text", &FormedStream::texts, pattern(BOUNDS_PATTERN), sample("a")));
#define BOUNDS_ROW(n) , field("M" #n, &Rows::m##n)
template <>
inline constexpr auto soapsvc::schema<Rows> = record("Rows" BOUNDS_TEN(BOUNDS_ROW, 0)
                                                         BOUNDS_TEN(BOUNDS_ROW, 1));
#undef BOUNDS_ROW
template <>
inline constexpr auto soapsvc::schema<Scans> = record(
    field("Bounded", &Scans::bounded, max_length(100'000'000)),
    field("Unbounded", &Scans::unbounded));

template <>
inline constexpr auto soapsvc::schema<Text> = record(
    "Text",
    content(&Text::text, soapsvc::secret),
    attribute("open", &Text::open),
    attribute("hidden", &Text::hidden, soapsvc::secret),
    any_attribute(&Text::others));
template <>
inline constexpr auto soapsvc::schema<Base> = record("Base", field("Shown", &Base::shown));
template <>
inline constexpr auto soapsvc::schema<Left> =
    record("Side", extends<Base>(), field("Name", &Left::name));
template <>
inline constexpr auto soapsvc::schema<Right> = record(
    "Side",
    ns("urn:right"),
    extends<Base>(),
    field("Name", &Right::name, ns("http://example.com/soap/Bounds"), soapsvc::secret));
template <> inline constexpr auto soapsvc::known_types<Base> = soapsvc::types<Left, Right>();
template <>
inline constexpr auto soapsvc::schema<Pair> =
    record(field("Key", &Pair::key), field("PairValue", &Pair::value));
template <>
inline constexpr auto soapsvc::schema<Secrets> = record(
    "Secrets",
    field("Text", &Secrets::text),
    field("Left", &Secrets::left),
    field("Right", &Secrets::right),
    field("Hidden", &Secrets::hidden, soapsvc::secret),
    group(&Secrets::pair, soapsvc::secret),
    field("Words", &Secrets::words, soapsvc::secret),
    field("Any", &Secrets::any),
    any(&Secrets::others, ns("##other")));
template <int Depth>
inline constexpr auto soapsvc::schema<Level<Depth>> = record(
    level_names[Depth].data(),
    field("Left", &Level<Depth>::left),
    field("Middle", &Level<Depth>::middle),
    field("Right", &Level<Depth>::right));
template <>
inline constexpr auto soapsvc::schema<Level<0>> = record("La", field("Leaf", &Level<0>::leaf));
template <> inline constexpr auto soapsvc::schema<Levels> = record(field("Top", &Levels::top));
template <>
inline constexpr auto soapsvc::schema<Crowd> = crowd_values(std::make_index_sequence<crowd>());
template <>
inline constexpr auto soapsvc::schema<Head> = record("Head", field("Name", &Head::name));
template <std::size_t At>
inline constexpr auto soapsvc::schema<Heir<At>> =
    record(crowd_names[At].data(), extends<Head>(), field("Number", &Heir<At>::number));
template <>
inline constexpr auto soapsvc::known_types<Head> = crowd_types(std::make_index_sequence<crowd>());
template <>
inline constexpr auto soapsvc::schema<Heirs> =
    record("Heirs", field("All", &Heirs::all), field("Crowd", &Heirs::crowd));
template <class Service, std::size_t... At>
constexpr auto crowd_service(const char* name, std::index_sequence<At...>) {
  return soapsvc::service(
      name,
      soapsvc::operation(
          crowd_names[At].data(), &Service::count, soapsvc::request(crowd_names[At].data()))...);
}
template <>
inline constexpr auto soapsvc::schema<Crowded> =
    crowd_service<Crowded>("Crowded", std::make_index_sequence<crowd>());
template <>
inline constexpr auto soapsvc::schema<Quiet> =
    crowd_service<Quiet>("Quiet", std::make_index_sequence<crowd / 10>());
template <>
inline constexpr auto soapsvc::schema<Part> =
    record("Part", abstract, field("Inner", &Part::inner, forward_declared));
template <>
inline constexpr auto soapsvc::schema<Wheel> =
    record("Wheel", extends<Part>(), field("Name", &Wheel::name));
template <> inline constexpr auto soapsvc::known_types<Part> = soapsvc::types<Wheel>();
template <>
inline constexpr auto soapsvc::schema<Machine> = record(
    field("Part", &Machine::part),
    field("Id", &Machine::id, xs::id),
    field("OtherId", &Machine::other_id, xs::id));
template <>
inline constexpr auto soapsvc::schema<Vault> =
    service("Vault", mtom, operation("Scans", &Vault::scans));
template <>
inline constexpr auto soapsvc::schema<Bounds> = service(
    "Bounds",
    operation("Many", &Bounds::many),
    operation("Choices", &Bounds::choices),
    operation("Others", &Bounds::others),
    operation("Secrets", &Bounds::secrets),
    operation("Formed", &Bounds::formed),
    operation("Streamed", &Bounds::streamed),
    operation("Rows", &Bounds::rows),
    operation("Scans", &Bounds::scans),
    operation("Levels", &Bounds::levels),
    operation("Machine", &Bounds::machine));

namespace {

const std::string bounds_ns = base + "/Bounds";

struct bounds_world {
  explicit bounds_world(soapsvc::dispatcher_options options = {}) : services(named(options)) {
    services.add(service);
  }
  soapsvc::http_response ask(const std::string& root, const std::string& content) const {
    const std::string body = envelope(
        version::v1_1, "<" + root + " xmlns='" + bounds_ns + "'" + content + "</" + root + ">");
    soapsvc::http_request request;
    request.target = "/soap/v3/Bounds.asmx";
    request.headers = as_xml;
    request.body = body;
    return services.handle(request);
  }
  std::string page(const std::string& operation) const {
    soapsvc::http_request request;
    request.method = "GET";
    const std::string target = "/soap/v3/Bounds.asmx?op=" + operation;
    request.target = target;
    return services.handle(request).body;
  }
  static soapsvc::dispatcher_options named(soapsvc::dispatcher_options options) {
    options.ns_base = base;
    return options;
  }
  Bounds service;
  soapsvc::dispatcher services;
};

std::string repeated(const std::string& text, std::size_t count) {
  std::string made;
  made.reserve(text.size() * count);
  while (count-- != 0)
    made += text;
  return made;
}

}  // namespace

TEST_CASE("a list takes time in proportion to its items", "[kinds]") {
  const bounds_world w;
  const auto run = [&](std::size_t size) {
    const auto response = w.ask("Many", "><Numbers>" + repeated("-7 ", size) + "</Numbers>");
    CHECK(contains(response.body, "<ManyResult>" + std::to_string(size) + "</ManyResult>"));
  };
  CHECK(is_linear(125'000, run));
}

TEST_CASE("the patterns of one message have a budget, which the fault names", "[kinds]") {
  const auto text = [](std::size_t size) { return "<Text>" + std::string(size, 'a') + "</Text>"; };
  const auto refusal = [](const bounds_world& w, const std::string& operation, auto... texts) {
    return fault_of(w.ask(operation, '>' + (texts + ...))).reason;
  };
  const std::string over =
      ": takes more than 100000000 steps, with the values before it, to be compared with "
      "patterns (limit max_pattern_steps)";
  const bounds_world by_default;
  CHECK(by_default.ask("Formed", '>' + text(4'000)).status == 200);
  CHECK(refusal(by_default, "Formed", text(127'000)) == "Formed/Text" + over);

  // All values share it, and each message has its own.
  soapsvc::dispatcher_options options;
  options.limits.max_pattern_steps = 60'000'000;  // a text of 4,000 takes 16 to 25 million
  const std::string third = ": takes more than 60000000 steps";
  const bounds_world w(options);
  for (int round = 0; round != 3; ++round)
    CHECK(w.ask("Formed", '>' + text(4'000) + text(4'000)).status == 200);
  CHECK_THAT(
      refusal(w, "Formed", text(4'000), text(4'000), text(4'000), text(4'000), text(1)),
      Catch::StartsWith("Formed/Text[4]" + third) || Catch::StartsWith("Formed/Text[3]" + third));
  // A stream does not get all steps back at once: received bytes earn steps.
  CHECK_THAT(
      refusal(w, "Streamed", text(4'000), text(4'000), text(4'000), text(4'000)),
      Catch::Contains(third));

  // A client reads responses with its own limits.
  soapsvc::client_options caller;
  caller.limits.max_pattern_steps = 1'000'000;
  soapsvc::client<Bounds> client(by_default.services, caller);
  CHECK(client.call(&Bounds::formed, {{"a"}}).texts.size() == 1);
  CHECK_THROWS_WITH(
      client.call(&Bounds::formed, {{std::string(4'000, 'a')}}),
      Catch::Contains("takes more than 1000000 steps") && Catch::Contains("pattern_steps"));
}

TEST_CASE("children that are skipped take no memory, however many rows there are", "[kinds]") {
  const bounds_world w;
  const auto taken = [&](std::size_t count) {
    std::string content = " xmlns:f='urn:f'>";
    for (std::size_t at = 0; at != count; ++at)
      content += "<f:x/>";
    w.ask("Rows", content);
    const std::size_t before = allocations;
    CHECK(w.ask("Rows", content).status == 200);
    return allocations - before;
  };
  CHECK(taken(20'000) < taken(10'000) + 1'000);  // the tree's own blocks
}

TEMPLATE_TEST_CASE(
    "bytes with a facet take no more memory than bytes without", "[kinds]", Bounds, Vault) {
  TestType service;
  soapsvc::dispatcher services(bounds_world::named({}));
  services.add(service);
  soapsvc::client<TestType> client(services, {});
  constexpr std::size_t size = 3'000'000;
  Scans bounded, unbounded;
  bounded.bounded.emplace().bytes.resize(size, 7);
  unbounded.unbounded = bounded.bounded;
  const auto taken = [&](const Scans& scans) {
    client.call(&TestType::scans, scans);
    const std::size_t before = allocated_bytes;
    CHECK(client.call(&TestType::scans, scans) == static_cast<std::int32_t>(size));
    return allocated_bytes - before;
  };
  CHECK(taken(bounded) < taken(unbounded) + size / 2);
}

TEST_CASE("a text of a union is not copied for each listed value", "[kinds]") {
  const std::size_t size = 1'000'000;
  const std::string text = "<Listed><Code>" + std::string(size, 'x') + "</Code></Listed>";
  const std::size_t before = allocated_bytes;
  CHECK_THROWS_AS(soapsvc::read_xml<Listed>(text), soapsvc::fault);
  CHECK(allocated_bytes - before < 6 * size);
  const auto one = soapsvc::read_xml<Listed>("<Listed><Code>k</Code></Listed>");
  CHECK(std::get<std::string>(one.code) == "k");
}

TEST_CASE("a repeated choice takes time in proportion to its items", "[kinds]") {
  const bounds_world w;
  const std::string items = "<A00>1</A00><C99>1</C99><B50>1</B50><A>1</A><B50>1</B50>";
  const auto run = [&](std::size_t size) {
    const auto response = w.ask("Choices", ">" + repeated(items, size / 5));
    CHECK(contains(response.body, "<ChoicesResult>" + std::to_string(size) + "</ChoicesResult>"));
  };
  CHECK(is_linear(2'500, run));
}

TEST_CASE("fragments keep what they need of other declarations, up to a bound", "[kinds][limits]") {
  const bounds_world w;
  const auto ask = [&](std::size_t name, std::size_t count) {
    return w.ask(
        "Others", " xmlns:p='urn:" + std::string(name, 'n') + "'>" + repeated("<p:a/>", count));
  };
  const auto few = ask(950, 1'000);  // not quite a megabyte, with the default namespace
  CHECK(few.status == 200);
  CHECK(few.body.size() > 980'000);
  for (const auto& [name, count] : {std::pair(1'000, 1'100), std::pair(2'000'000, 1)}) {
    const auto many = ask(static_cast<std::size_t>(name), static_cast<std::size_t>(count));
    CHECK_THAT(
        fault_of(many).reason,
        Catch::EndsWith("needs, together with everything before it, more than 1048576 bytes of "
                        "namespaces (limit max_namespace_bytes)"));
    CHECK(many.body.size() < 1'000);
  }
  // Their own declarations do not count, whatever their length.
  const std::string own = "<p:a xmlns:p='urn:" + std::string(10'000, 'n') + "'/>";
  CHECK(w.ask("Others", ">" + repeated(own, 200)).status == 200);
  // The bound is one for a message, and the next has one of its own.
  CHECK(ask(950, 1'000).status == 200);
}

TEST_CASE("looking for prefixes takes time in proportion to a fragment", "[kinds]") {
  const bounds_world w;
  std::string scope;
  for (int prefix = 0; prefix != 200; ++prefix)
    scope += " xmlns:p" + std::to_string(prefix) + "='urn:p'";
  const auto run_with = [&](const std::string& each) {
    return [&w, &scope, each](std::size_t size) {
      std::string text;
      for (std::size_t place = 0; place != size; ++place)
        text += each.empty() ? "n" + std::to_string(place) + ':' : each;
      const auto response = w.ask("Others", scope + "><o:o xmlns:o='urn:o'>" + text + "</o:o>");
      CHECK(response.status == 200);
    };
  };
  CHECK(is_linear(50'000, run_with("p1:p2:")));
  CHECK(is_linear(50'000, run_with("")));
}

TEST_CASE("looking for prefixes of many elements has a bound for the message", "[kinds][limits]") {
  soapsvc::dispatcher_options options;
  options.limits.max_pattern_steps = 100'000;
  const bounds_world w(options);
  std::string scope, names;
  for (int prefix = 0; prefix != 200; ++prefix)
    scope += " xmlns:p" + std::to_string(prefix) + "='urn:p'";
  for (int name = 0; name != 20; ++name)
    names += "n" + std::to_string(name) + ':';
  const auto ask = [&](std::size_t count) {
    return w.ask("Others", scope + '>' + repeated("<o xmlns='x'>" + names + "</o>", count));
  };
  CHECK(ask(50).status == 200);
  CHECK_THAT(
      fault_of(ask(600)).reason,
      Catch::EndsWith("takes more than 100000 steps, with the elements before it, to look up "
                      "prefixes (limit max_pattern_steps)"));
}

TEST_CASE("on_message shows no secrets, wherever they are", "[kinds][secret]") {
  std::vector<std::string> told;
  soapsvc::dispatcher_options options;
  options.on_message = [&](const soapsvc::message_report& report) {
    told.emplace_back(report.request);
    told.emplace_back(report.response);
  };
  const bounds_world w(options);
  const std::string side =
      " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' xmlns:r='urn:right' ";
  const auto response = w.ask(
      "Secrets",
      "><Text open='shown-1' hidden='HUSH' other='HUSH' o:a='HUSH' xmlns:o='urn:o'>HUSH</Text>"
      "<Left" +
          side +
          "i:type='Side'><Shown>shown-2</Shown><Name>shown-3</Name></Left>"
          "<Right" +
          side +
          "i:type=' r:Side '><Shown>shown-4</Shown><Name>HUSH</Name></Right>"
          "<Hidden" +
          side +
          "i:type='Side'><Shown>HUSH</Shown><Name>HUSH</Name></Hidden>"
          "<Key>HUSH</Key><PairValue>HUSH</PairValue><Words>HUSH HUSH</Words>"
          "<Any a='HUSH'>HUSH<b>HUSH</b></Any><o:a xmlns:o='urn:o' a='HUSH'><b>HUSH</b></o:a>");
  CHECK(response.status == 200);
  REQUIRE(told.size() == 2);
  for (const std::string& text : told) {
    INFO(text);
    CHECK_FALSE(contains(text, "HUSH"));
    for (const std::string shown : {"shown-1", "shown-2", "shown-3", "shown-4"})
      CHECK(contains(text, shown));
  }
  // Nor does a fault.
  for (const std::string content :
       {"<Key>1</Key><Key>HUSH</Key>", "<Words><HUSH/></Words>", "<Hidden HUSH='1'/>"}) {
    const std::string reason = fault_of(w.ask("Secrets", ">" + content)).reason;
    INFO(reason);
    CHECK_FALSE(contains(reason, "HUSH"));
  }
}

TEST_CASE("a page is finite, however deep types contain each other", "[kinds]") {
  const bounds_world w;
  const std::string page = w.page("Levels");
  CHECK(page.size() < 2'000'000);
  CHECK(contains(page, "The fields of Ll, as above."));
  CHECK(contains(page, "Add Middle</button>"));
  CHECK(contains(page, "</html>"));
  // A shortened sample is still valid: required elements are present.
  const std::size_t sample = page.find("aria-label=\"SOAP 1.1 request\">");
  REQUIRE(sample != page.npos);
  const std::size_t size = page.find("</pre>", sample) - sample;
  CHECK(size > 64 * 1024);
  CHECK(size < 800'000);
}

TEST_CASE("the page of a choice with hundreds of branches says their number", "[kinds]") {
  const bounds_world w;
  const std::string page = w.page("Choices");
  CHECK(contains(page, "One of 101 elements, beginning with A."));
  CHECK(page.size() < 500'000);
}

TEST_CASE("an abstract type that contains its derived types has a page", "[kinds]") {
  const bounds_world w;
  const std::string page = w.page("Machine");
  CHECK(page.size() < 64 * 1024);  // it is not written until it is long
  CHECK(contains(page, "xsi:type"));
  CHECK(contains(page, "Add Inner</button>"));
  // Ids are those of one element each.
  CHECK(contains(page, "Id&gt;id&lt;"));
  CHECK(contains(page, "OtherId&gt;id2&lt;"));
}

TEST_CASE("hundreds of values, of derived types and of operations have a table", "[kinds]") {
  Crowded service;
  soapsvc::dispatcher services({.ns_base = base});
  services.add(service);
  soapsvc::client<Crowded> client{services, {}};
  Heirs heirs;
  heirs.all.emplace_back(Heir<299>{{"last"}, 1});
  heirs.all.emplace_back(Head{"first"});
  heirs.crowd = static_cast<Crowd>(299);
  CHECK(client.call(&Crowded::count, heirs) == 2);
}

TEST_CASE("adding a service checks each type once, whatever its operations", "[kinds]") {
  const auto taken = [](auto service) {
    soapsvc::dispatcher services({.ns_base = base});
    const std::size_t before = allocations;
    services.add(service);
    return allocations - before;
  };
  const std::size_t few = taken(Quiet()), many = taken(Crowded());
  INFO(few << " allocations for 30 operations, " << many << " for 300");
  CHECK(many < few * 4);
}
