// How the cost of a request grows with each thing that its sender chooses: the program of
// tests/tools/growth. Prints a table in Markdown: time and peak memory of handling it at one,
// two, four and eight times a size, limits lifted, and the default limit that stops it. Fails when
// memory more than doubles with the size, when eight times the size takes 24 times as long (which
// quadratic behaviour does, and noise does not), when a byte of it takes a hundred times as long as
// a byte of most others, and when the stack grows where it must not.
#include <linux/perf_event.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <iostream>
#include <limits>
#include <regex>
#include <thread>

#include "../support.hpp"

// --- Memory: every allocation of C++ and every mapping counts -------------------------------------

namespace {

std::atomic<std::size_t> live_bytes = 0;
std::atomic<std::size_t> peak_bytes = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = live_bytes += malloc_usable_size(memory);
  if (now > peak_bytes) peak_bytes = now;
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  live_bytes -= memory == nullptr ? 0 : malloc_usable_size(memory);
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
extern "C" void* mmap(
    void* at, std::size_t size, int access, int how, int file, off_t from) noexcept {
  const long made = ::syscall(SYS_mmap, at, size, access, how, file, from);
  const std::size_t now = live_bytes += made == -1 ? 0 : size;
  if (now > peak_bytes) peak_bytes = now;
  return reinterpret_cast<void*>(made);
}
extern "C" int munmap(void* at, std::size_t size) noexcept {
  live_bytes -= size;
  return static_cast<int>(::syscall(SYS_munmap, at, size));
}

// --- The service ---------------------------------------------------------------------------------

enum class Shade { light, dark };
template <>
inline constexpr auto soapsvc::schema<Shade> =
    enumeration("Shade", value("Light", Shade::light), value("Dark", Shade::dark));

struct Pair {
  std::int32_t key{};
  std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<Pair> =
    record("Pair", field("Key", &Pair::key), field("Text", &Pair::text));

/// Contains itself.
struct Tree {
  std::optional<std::int32_t> leaf;
  std::vector<Tree> branches;
};
template <>
inline constexpr auto soapsvc::schema<Tree> =
    record("Tree", field("Leaf", &Tree::leaf), field("Branch", &Tree::branches));

struct Load {
  std::optional<std::string> text;
  std::optional<std::int32_t> number;
  std::optional<double> real;
  std::optional<soapsvc::decimal> decimal;
  std::optional<soapsvc::date_time> moment;
  std::optional<soapsvc::binary> scan;
  std::optional<Shade> shade;
  std::vector<std::int32_t> numbers;
  std::vector<std::string> words;
  std::vector<Shade> shades;
  std::vector<Pair> pairs;
  std::optional<Tree> tree;
};
template <>
inline constexpr auto soapsvc::schema<Load> = record(
    field("Text", &Load::text),
    field("Number", &Load::number),
    field("Real", &Load::real),
    field("Decimal", &Load::decimal),
    field("Moment", &Load::moment),
    field("Scan", &Load::scan),
    field("Shade", &Load::shade),
    field("Numbers", &Load::numbers),
    field("Words", &Load::words),
    field("Shades", &Load::shades),
    field("Pair", &Load::pairs),
    field("Tree", &Load::tree));

/// The result of Repeat, and its number.
struct Times {
  std::string text;
  std::vector<Pair> pairs;
};
template <>
inline constexpr auto soapsvc::schema<Times> =
    record("Times", field("Text", &Times::text), field("Pair", &Times::pairs));

// --- Tables with more than elements --------------------------------------------------------------

#define GROWTH_TEN(of, n) \
  of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) of(n##8) of(n##9)
#define GROWTH_HUNDRED(of) \
  GROWTH_TEN(of, 0)        \
  GROWTH_TEN(of, 1)        \
  GROWTH_TEN(of, 2)        \
  GROWTH_TEN(of, 3)        \
  GROWTH_TEN(of, 4)        \
  GROWTH_TEN(of, 5)        \
  GROWTH_TEN(of, 6)        \
  GROWTH_TEN(of, 7)        \
  GROWTH_TEN(of, 8)        \
  GROWTH_TEN(of, 9)

// A choice of 300 branches and more, in three choices.

#define GROWTH_MEMBER(n) std::optional<bool> m##n;
struct FirstBranches {
  std::optional<bool> first;
  GROWTH_HUNDRED(GROWTH_MEMBER)
};
struct SecondBranches {
  std::optional<bool> first;
  GROWTH_HUNDRED(GROWTH_MEMBER)
};
struct ThirdBranches {
  std::optional<bool> first;
  GROWTH_HUNDRED(GROWTH_MEMBER)
};
#undef GROWTH_MEMBER
#define GROWTH_ROW(n) , field("A" #n, &FirstBranches::m##n)
template <>
inline constexpr auto soapsvc::schema<FirstBranches> = choice(field("A", &FirstBranches::first)
                                                                  GROWTH_HUNDRED(GROWTH_ROW));
#undef GROWTH_ROW
#define GROWTH_ROW(n) , field("B" #n, &SecondBranches::m##n)
template <>
inline constexpr auto soapsvc::schema<SecondBranches> = choice(field("B", &SecondBranches::first)
                                                                   GROWTH_HUNDRED(GROWTH_ROW));
#undef GROWTH_ROW
#define GROWTH_ROW(n) , field("C" #n, &ThirdBranches::m##n)
template <>
inline constexpr auto soapsvc::schema<ThirdBranches> = choice(field("C", &ThirdBranches::first)
                                                                  GROWTH_HUNDRED(GROWTH_ROW));
#undef GROWTH_ROW
struct Branch {
  std::optional<FirstBranches> first;
  std::optional<SecondBranches> second;
  std::optional<ThirdBranches> third;
};
template <>
inline constexpr auto soapsvc::schema<Branch> =
    choice(group(&Branch::first), group(&Branch::second), group(&Branch::third));

// With few branches.
struct Step {
  std::optional<std::int32_t> left;
  std::optional<std::string> right;
};
template <>
inline constexpr auto soapsvc::schema<Step> =
    choice(field("Left", &Step::left), field("Right", &Step::right));
struct Part {
  std::string from;
  std::optional<std::string> to;
};
template <>
inline constexpr auto soapsvc::schema<Part> =
    record(field("From", &Part::from), field("To", &Part::to));

// 300 types derived from one.
struct Base {
  std::string name;
};
template <std::size_t Number> struct Derived : Base { std::optional<bool> own; };
template <std::size_t Number>
inline constexpr char derived_name[] = {
    'D', '0' + Number / 100, '0' + Number / 10 % 10, '0' + Number % 10, '\0'};
template <>
inline constexpr auto soapsvc::schema<Base> = record("Base", field("Name", &Base::name));
template <std::size_t Number>
inline constexpr auto soapsvc::schema<Derived<Number>> =
    record(derived_name<Number>, extends<Base>(), field("Own", &Derived<Number>::own));
template <class Numbers> struct all_derived;
template <std::size_t... Numbers> struct all_derived<std::index_sequence<Numbers...>> {
  static constexpr auto types() { return soapsvc::types<Derived<Numbers>...>(); }
};
template <>
inline constexpr auto soapsvc::known_types<Base> =
    all_derived<std::make_index_sequence<300>>::types();

// With a hundred values.
enum class Code {};
#define GROWTH_VALUE(n) , value("V" #n, static_cast<Code>(1##n))
template <>
inline constexpr auto soapsvc::schema<Code> =
    enumeration("Code", value("V", static_cast<Code>(0)) GROWTH_HUNDRED(GROWTH_VALUE));
#undef GROWTH_VALUE

struct Chain {
  std::optional<std::string> name;
  soapsvc::box<Chain> next;
};
template <>
inline constexpr auto soapsvc::schema<Chain> =
    record("Chain", field("Name", &Chain::name), field("Next", &Chain::next));

struct Wide {
  std::vector<Branch> branches;
  std::vector<Step> steps;
  std::vector<Part> parts;
  std::vector<soapsvc::polymorphic<Base>> bases;
  std::vector<Code> codes;
  soapsvc::box<Chain> chain;
  soapsvc::list<std::int32_t> numbers;
  soapsvc::list<std::variant<std::int16_t, soapsvc::date, std::string>> mixed;
  std::vector<std::variant<std::int16_t, soapsvc::date, std::string>> unions;
  std::vector<soapsvc::nillable<std::string>> nils;
  std::vector<soapsvc::qualified_name> names;
  std::optional<std::string> pattern;
  std::optional<std::string> nested_pattern;
  std::optional<std::string> tail;
  std::optional<soapsvc::binary> scan;
  std::optional<std::string> length;
  std::vector<std::string> listed;
  std::optional<std::string> token;
  std::optional<soapsvc::integer> integer;
  std::optional<soapsvc::duration> duration;
  std::optional<soapsvc::hex_binary> hex;
  std::optional<soapsvc::xml> anything;
  std::vector<soapsvc::xml> others;
  std::vector<soapsvc::xml_attribute> attributes;
};
#define GROWTH_WORD(n) , "w" #n
template <>
inline constexpr auto soapsvc::schema<Wide> = record(
    "Wide",
    group(&Wide::branches),
    group(&Wide::steps),
    group(&Wide::parts),
    field("Base", &Wide::bases),
    field("Code", &Wide::codes),
    field("Chain", &Wide::chain),
    attribute("numbers", &Wide::numbers),
    attribute("mixed", &Wide::mixed),
    field("Union", &Wide::unions),
    field("Nil", &Wide::nils),
    field("Name", &Wide::names),
    field("Pattern", &Wide::pattern, pattern("[\\p{L} ]*[a-z]+[0-9]?"), sample("a")),
    field("NestedPattern", &Wide::nested_pattern, pattern("((a*)*b?)*(a|aa)*"), sample("a")),
    field("Tail", &Wide::tail, pattern("[\\s\\S]*[^\\s][\\s\\S]{0,4000}"), sample("a")),
    field("Scan", &Wide::scan, max_length(100'000'000)),
    field("Length", &Wide::length, max_length(1'000'000)),
    field("Listed", &Wide::listed, enumerated("w" GROWTH_HUNDRED(GROWTH_WORD))),
    field("Token", &Wide::token, xs::token),
    field("Integer", &Wide::integer, total_digits(2'000'000)),
    field("Duration", &Wide::duration),
    field("Hex", &Wide::hex),
    field("Anything", &Wide::anything),
    any(&Wide::others, ns("##other")),
    any_attribute(&Wide::attributes, ns("##other")));
#undef GROWTH_WORD
#undef GROWTH_HUNDRED
#undef GROWTH_TEN

class Bearer {
public:
  std::int32_t load(const Load&) { return ++calls; }
  Times echo(const Times& request) { return request; }
  Wide wide(const Wide& request) { return request; }
  void take(const soapsvc::nothing&, const std::optional<Pair>&) { ++calls; }
  std::int32_t calls = 0;
};
template <>
inline constexpr auto soapsvc::schema<Bearer> = service(
    "Bearer",
    operation("Load", &Bearer::load),
    operation("Times", &Bearer::echo),
    operation("Wide", &Bearer::wide),
    operation("Take", &Bearer::take));

using namespace support;

namespace {

// --- Requests ------------------------------------------------------------------------------------

struct message {
  std::string body;
  headers with;
  std::string target = "/soap/v3/Bearer.asmx";
  std::string method = "POST";

  std::size_t size() const {
    std::size_t all = target.size() + body.size();
    for (const auto& [name, value] : with)
      all += name.size() + value.size();
    return all;
  }
};

const std::string bearer_ns = base + "/Bearer";

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

std::string numbered(std::string_view before, std::size_t count, std::string_view after) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i)
    all.append(before).append(std::to_string(i)).append(after);
  return all;
}

std::string operation(
    const std::string& name, const std::string& content, const std::string& attributes = "") {
  return "<" + name + " xmlns=\"" + bearer_ns + "\"" + attributes + ">" + content + "</" + name +
         ">";
}

message load(const std::string& content, const std::string& attributes = "") {
  return {envelope(version::v1_2, operation("Load", content, attributes)), {}};
}

/// Around a foreign element, which is skipped.
message skipped(const std::string& content) {
  return load("<f:x xmlns:f='urn:f'>" + content + "</f:x>");
}

message with_header(const std::string& blocks, version v = version::v1_2) {
  return {envelope(v, operation("Take", ""), blocks), {}};
}

message with_fields(headers fields) {
  return {envelope(version::v1_1, operation("Load", "")), std::move(fields)};
}

/// Read and returned. `numbers` and `mixed` are required attributes.
message widen(const std::string& content, const std::string& attributes = " numbers='' mixed=''") {
  return {
      envelope(
          version::v1_2,
          operation(
              "Wide",
              content,
              attributes + " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' xmlns:b='" +
                  bearer_ns + "' xmlns:f='urn:f'")),
      {}};
}

/// One thing that a sender chooses, `count` of it.
struct dimension {
  const char* name;
  std::size_t size;  // at 1x
  message (*make)(std::size_t count);
  int status = 200;
  const char* bound = "";  // its bound, if that is not in `limits`
};

using std::size_t;

const dimension dimensions[] = {
    {"depth, skipped",
     5'000,
     [](size_t n) { return skipped(repeat("<a>", n) + repeat("</a>", n)); }},
    {"depth, unknown prefix at the end",
     5'000,
     [](size_t n) { return skipped(repeat("<a>", n) + "<q:b/>" + repeat("</a>", n)); },
     500},
    {"depth, a record that holds itself",
     1'000,
     [](size_t n) {
       return load("<Tree>" + repeat("<Branch>", n) + repeat("</Branch>", n) + "</Tree>");
     }},
    {"elements, skipped", 10'000, [](size_t n) { return skipped(repeat("<a/>", n)); }},
    {"children, foreign",
     2'000,
     [](size_t n) { return load(repeat("<f:x xmlns:f='urn:f'/>", n)); }},
    {"children, foreign, of one namespace",
     10'000,
     [](size_t n) { return load(repeat("<f:x/>", n), " xmlns:f='urn:f'"); }},
    {"children, foreign, with known names",
     5'000,
     [](size_t n) { return widen(repeat("<f:Code>V1</f:Code>", n)); }},
    {"children, each with attributes of others",
     5'000,
     [](size_t n) {
       return load(repeat("<Numbers f:a='1' f:b='2'>1</Numbers>", n), " xmlns:f='urn:f'");
     }},
    {"children, unknown", 10'000, [](size_t n) { return load(repeat("<Unknown/>", n)); }, 400},
    {"children, unknown, the last",
     10'000,
     [](size_t n) { return load(repeat("<Numbers>1</Numbers>", n) + "<Unknown/>"); },
     400},
    {"children, numbers", 10'000, [](size_t n) { return load(repeat("<Numbers>1</Numbers>", n)); }},
    {"children, strings",
     5'000,
     [](size_t n) { return load(repeat("<Words>some words that are long</Words>", n)); }},
    {"children, enumerators",
     5'000,
     [](size_t n) { return load(repeat("<Shades>Light</Shades>", n)); }},
    {"children, records",
     5'000,
     [](size_t n) { return load(repeat("<Pair><Key>1</Key><Text>a</Text></Pair>", n)); }},
    {"children, records, a bad value at the end",
     5'000,
     [](size_t n) {
       return load(repeat("<Pair><Key>1</Key></Pair>", n) + "<Pair><Key>x</Key></Pair>");
     },
     400},
    {"children, two kinds in turn",
     5'000,
     [](size_t n) { return load(repeat("<Numbers>1</Numbers><Words>a</Words>", n)); }},
    {"children, last row first",
     5'000,
     [](size_t n) { return load(repeat("<Pair><Text>a</Text><Key>1</Key></Pair>", n)); }},
    {"branches of a tree",
     5'000,
     [](size_t n) { return load("<Tree>" + repeat("<Branch/>", n) + "</Tree>"); }},
    {"xsi:nil items",
     2'000,
     [](size_t n) {
       return load(
           repeat("<Numbers i:nil='1'/>", n),
           " xmlns:i='http://www.w3.org/2001/XMLSchema-instance'");
     }},
    // Sixteen prefixes, because the length of a search depends on the hash's seed.
    {"xsi:type items, prefixes far out",
     1'000,
     [](size_t n) {
       std::string items;
       for (size_t i = 0; i != n; ++i)
         items += "<Numbers i:type='x" + std::to_string(i % 16) + ":int'>1</Numbers>";
       return load(
           items,
           " xmlns:i='http://www.w3.org/2001/XMLSchema-instance'" +
               numbered(" xmlns:x", 16, "='http://www.w3.org/2001/XMLSchema'") +
               numbered(" xmlns:p", 500, "='u'"));
     }},
    {"attributes of one element",
     5'000,
     [](size_t n) { return skipped("<a" + numbered(" a", n, "=''") + "/>"); }},
    {"attributes of the operation",
     5'000,
     [](size_t n) { return load("", " xmlns:o='urn:o'" + numbered(" o:a", n, "=''")); }},
    {"declarations on one element",
     4'000,
     [](size_t n) { return skipped("<a" + numbered(" xmlns:p", n, "='u'") + "/>"); }},
    // Each is looked up at a random place in memory: all sizes must fit into a core's cache.
    {"declarations of as many namespaces",
     1'000,
     [](size_t n) {
       std::string names;
       for (size_t i = 0; i != n; ++i)
         names += " xmlns:p" + std::to_string(i) + "='u" + std::to_string(i) + "'";
       return skipped("<a" + names + "/>");
     }},
    {"prefix redeclared at each level",
     3'000,
     [](size_t n) { return skipped(repeat("<p:a xmlns:p='u'>", n) + repeat("</p:a>", n)); }},
    {"default namespace at each level",
     3'000,
     [](size_t n) {
       return skipped(repeat("<a xmlns='u'><b xmlns='v'>", n) + repeat("</b></a>", n));
     }},
    {"prefixes, each used once",
     2'000,
     [](size_t n) {
       return skipped(
           "<a" + numbered(" xmlns:p", n, "='u'") + ">" + numbered("<p", n, ":b/>") + "</a>");
     }},
    {"long namespaces, each used once",
     100,
     [](size_t n) {
       return skipped("<a xmlns:p='" + repeat("u", 50 * n) + "'>" + repeat("<p:b/>", n) + "</a>");
     }},
    {"qualified names of a long namespace",
     100,
     [](size_t n) {
       return widen(
           repeat("<Name>l:a</Name>", n),
           " numbers='' mixed='' xmlns:l='" + repeat("u", 50 * n) + "'");
     }},
    {"attributes of a long namespace",
     100,
     [](size_t n) {
       return widen(
           "",
           numbered(" l:a", n, "=''") + " numbers='' mixed='' xmlns:l='" + repeat("u", 50 * n) +
               "'");
     }},
    {"name length", 50'000, [](size_t n) { return skipped("<" + repeat("n", n) + "/>"); }},
    {"name length, beyond ASCII",
     50'000,
     [](size_t n) { return skipped("<" + repeat("\xc3\xa9", n) + "/>"); }},
    {"name length, an unknown child",
     50'000,
     [](size_t n) { return load("<" + repeat("n", n) + "/>"); },
     400},
    {"attribute value length",
     100'000,
     [](size_t n) { return skipped("<a b='" + repeat("v", n) + "'/>"); }},
    {"attribute value, references",
     20'000,
     [](size_t n) { return skipped("<a b='" + repeat("&#65;\n", n) + "'/>"); }},
    {"text length", 100'000, [](size_t n) { return load("<Text>" + repeat("t", n) + "</Text>"); }},
    {"text length, beyond ASCII",
     50'000,
     [](size_t n) { return load("<Text>" + repeat("\xe2\x82\xac", n) + "</Text>"); }},
    {"text length, no number",
     100'000,
     [](size_t n) { return load("<Number>" + repeat("t", n) + "</Number>"); },
     400},
    {"text in pieces, comments",
     10'000,
     [](size_t n) { return load("<Text>" + repeat("t<!-- -->", n) + "</Text>"); }},
    {"text in pieces, CDATA",
     10'000,
     [](size_t n) { return load("<Text>" + repeat("t<![CDATA[<]]>", n) + "</Text>"); }},
    {"text between children", 10'000, [](size_t n) { return skipped(repeat("t<a/>", n)); }},
    {"character references",
     20'000,
     [](size_t n) { return load("<Text>" + repeat("&#x20AC;", n) + "</Text>"); }},
    {"digits of one reference",
     100'000,
     [](size_t n) { return load("<Text>&#" + repeat("0", n) + "65;</Text>"); }},
    {"carriage returns",
     50'000,
     [](size_t n) { return load("<Text>" + repeat("\r\n", n) + "</Text>"); }},
    {"ISO-8859-1 length",
     100'000,
     [](size_t n) {
       message made = load("<Text>" + repeat("t\xe9", n) + "</Text>");
       made.with = {{"Content-Type", "application/soap+xml; charset=iso-8859-1"}};
       return made;
     }},
    {"brackets", 50'000, [](size_t n) { return load("<Text>" + repeat("]]", n) + "</Text>"); }},
    {"comments", 10'000, [](size_t n) { return skipped(repeat("<!-- -->", n)); }},
    {"comment length", 50'000, [](size_t n) { return skipped("<!--" + repeat("- ", n) + "-->"); }},
    {"a comment without an end",
     50'000,
     [](size_t n) { return skipped("<!--" + repeat("- ", n)); },
     500},
    {"line ends before an error",
     50'000,
     [](size_t n) { return skipped(repeat("\r\n", n) + "&"); },
     500},
    {"UTF-16 length",
     20'000,
     [](size_t n) {
       message made = load("<Text>" + repeat("t", n) + "</Text>");
       std::string wide = "\xff\xfe";
       for (const char c : made.body)
         wide += {c, '\0'};
       made.body = wide;
       return made;
     }},
    {"header blocks",
     2'000,
     [](size_t n) { return with_header(repeat("<f:x xmlns:f='urn:f'/>", n)); }},
    {"header blocks, not understood",
     1'000,
     [](size_t n) {
       return with_header(
           "<f:x xmlns:f='urn:f'/>" +
           numbered("<f:b", n, " xmlns:f='urn:f' e:mustUnderstand='1'/>"));
     },
     500},
    {"header blocks, one not understood many times",
     1'000,
     [](size_t n) {
       return with_header(repeat("<f:b xmlns:f='urn:f' e:mustUnderstand='1'/>", n), version::v1_1);
     },
     500},
    {"header blocks for others",
     1'000,
     [](size_t n) {
       return with_header(repeat("<f:b xmlns:f='urn:f' e:mustUnderstand='1' e:role='urn:r'/>", n));
     }},
    {"a role's length",
     50'000,
     [](size_t n) {
       return with_header("<f:b xmlns:f='urn:f' e:role='" + repeat("r", n) + "'/>");
     }},
    {"children of the Body",
     10'000,
     [](size_t n) {
       return message{envelope(version::v1_2, repeat(operation("Load", ""), n)), {}};
     },
     400},
    {"enumerator length",
     100'000,
     [](size_t n) { return load("<Shade>" + repeat("L", n) + "</Shade>"); },
     400},
    {"enumerator, white space",
     100'000,
     [](size_t n) { return load("<Shade>" + repeat(" \n", n) + "Light</Shade>"); }},
    {"integer digits",
     100'000,
     [](size_t n) { return load("<Number>" + repeat("0", n) + "7</Number>"); }},
    {"double digits",
     50'000,
     [](size_t n) { return load("<Real>0." + repeat("7", n) + "</Real>"); }},
    {"double, exponent digits",
     50'000,
     [](size_t n) { return load("<Real>1e" + repeat("0", n) + "1</Real>"); }},
    {"decimal digits",
     100'000,
     [](size_t n) {
       return load("<Decimal>" + repeat("7", n) + "." + repeat("7", n) + "</Decimal>");
     }},
    {"dateTime, fraction digits",
     100'000,
     [](size_t n) { return load("<Moment>2024-02-29T00:00:00." + repeat("0", n) + "</Moment>"); }},
    {"dateTime, year digits",
     100'000,
     [](size_t n) { return load("<Moment>" + repeat("7", n) + "-02-28T00:00:00</Moment>"); },
     400},
    {"base64 length",
     50'000,
     [](size_t n) { return load("<Scan>" + repeat("AQID", n) + "</Scan>"); }},
    {"base64, white space",
     50'000,
     [](size_t n) { return load("<Scan>" + repeat("A Q\nID", n) + "</Scan>"); }},
    {"base64, padding",
     50'000,
     [](size_t n) { return load("<Scan>AQ" + repeat("=", n) + "</Scan>"); },
     400},
    {"echoed text",
     50'000,
     [](size_t n) {
       return message{
           envelope(version::v1_1, operation("Times", "<Text>" + repeat("&lt;", n) + "</Text>")),
           {}};
     }},
    {"echoed records",
     5'000,
     [](size_t n) {
       return message{
           envelope(
               version::v1_1,
               operation(
                   "Times", "<Text/>" + repeat("<Pair><Key>1</Key><Text>a</Text></Pair>", n))),
           {}};
     }},
    {"wildcard, elements of one",
     5'000,
     [](size_t n) { return widen("<f:x>" + repeat("<f:a>t</f:a>", n) + "</f:x>"); }},
    {"wildcard, depth of one",
     3'000,
     [](size_t n) { return widen("<f:x>" + repeat("<f:a>", n) + repeat("</f:a>", n) + "</f:x>"); }},
    {"wildcard, text of one",
     100'000,
     [](size_t n) { return widen("<f:x>" + repeat("t&lt;", n) + "</f:x>"); }},
    {"wildcards", 3'000, [](size_t n) { return widen(repeat("<f:x><f:a>t</f:a></f:x>", n)); }},
    {"wildcards with namespaces of their own",
     3'000,
     [](size_t n) { return widen(repeat("<p:x xmlns:p='urn:p'><p:a/></p:x>", n)); }},
    {"wildcard, a namespace at each level",
     2'000,
     [](size_t n) {
       return widen("<f:x>" + repeat("<p:a xmlns:p='urn:p'>", n) + repeat("</p:a>", n) + "</f:x>");
     }},
    {"wildcard, default namespaces in turn, nested",
     1'000,
     [](size_t n) {
       return widen(
           "<f:x>" + repeat("<a xmlns='urn:p'><b xmlns='urn:q'>", n) + repeat("</b></a>", n) +
           "</f:x>");
     }},
    {"wildcard, prefixes from outside, in one",
     1'000,
     [](size_t n) {
       return widen(
           "<f:x>" + numbered("<p", n, ":a/>") + "</f:x>",
           " numbers='' mixed=''" + numbered(" xmlns:p", n, "='urn:p'"));
     }},
    {"wildcards, each with one of 200 prefixes from outside",
     1'000,
     [](size_t n) {
       std::string all;
       for (size_t i = 0; i != n; ++i)
         all += "<p" + std::to_string(i % 200) + ":a/>";
       return widen(all, " numbers='' mixed=''" + numbered(" xmlns:p", 200, "='urn:p'"));
     }},
    {"wildcard, attributes with prefixes from outside",
     1'000,
     [](size_t n) {
       std::string names;
       for (size_t i = 0; i != n; ++i)
         names += " xmlns:p" + std::to_string(i) + "='urn:" + std::to_string(i) + "'";
       return widen("<f:x" + numbered(" p", n, ":a=''") + "/>", " numbers='' mixed=''" + names);
     }},
    {"anything, text and elements in turn",
     5'000,
     [](size_t n) { return widen("<Anything>" + repeat("t<f:a/>", n) + "</Anything>"); }},
    {"attributes that a wildcard takes",
     2'000,
     [](size_t n) { return widen("", " numbers='' mixed=''" + numbered(" f:a", n, "='v'")); }},
    {"attributes that a wildcard takes, each of a namespace",
     1'000,
     [](size_t n) {
       std::string all = " numbers='' mixed=''";
       for (size_t i = 0; i != n; ++i) {
         const std::string number = std::to_string(i);
         all += " xmlns:p" + number + "='urn:" + number + "' p" + number + ":a='v'";
       }
       return widen("", all);
     }},
    {"choices of 300, one branch", 300, [](size_t n) { return widen(repeat("<C99>1</C99>", n)); }},
    {"choices of 300, branches in turn",
     100,
     [](size_t n) { return widen(repeat("<A>1</A><C99>1</C99><B50>1</B50>", n)); }},
    {"choices", 5'000, [](size_t n) { return widen(repeat("<Left>1</Left>", n)); }},
    {"choices, branches in turn",
     3'000,
     [](size_t n) { return widen(repeat("<Left>1</Left><Right>a</Right>", n)); }},
    {"choices, among others",
     3'000,
     [](size_t n) { return widen(repeat("<Left>1</Left><Code>V99</Code>", n)); }},
    {"groups", 3'000, [](size_t n) { return widen(repeat("<From>a</From><To>b</To>", n)); }},
    {"groups, half of each", 3'000, [](size_t n) { return widen(repeat("<From>a</From>", n)); }},
    {"groups, half of the last",
     3'000,
     [](size_t n) { return widen(repeat("<From>a</From><To>b</To>", n) + "<To>b</To>"); },
     400},
    {"derived, the first of 300",
     2'000,
     [](size_t n) { return widen(repeat("<Base i:type='b:D000'><Name>a</Name></Base>", n)); }},
    {"derived, the last of 300",
     2'000,
     [](size_t n) {
       return widen(repeat("<Base i:type='b:D299'><Name>a</Name><Own>1</Own></Base>", n));
     }},
    {"derived, none of 300",
     2'000,
     [](size_t n) {
       return widen(
           repeat("<Base><Name>a</Name></Base>", n) + "<Base i:type='b:D300'><Name/></Base>");
     },
     400},
    {"enumerators, the last of a hundred",
     5'000,
     [](size_t n) { return widen(repeat("<Code>V99</Code>", n)); }},
    {"enumerated strings, the last of a hundred",
     2'000,
     [](size_t n) { return widen(repeat("<Listed>w99</Listed>", n)); }},
    {"enumerated string, length of another",
     50'000,
     [](size_t n) { return widen("<Listed>" + repeat("w", n) + "</Listed>"); },
     400},
    {"pattern, text length",
     50'000,
     [](size_t n) { return widen("<Pattern>" + repeat("a ", n) + "a</Pattern>"); }},
    {"pattern, text length, beyond ASCII",
     50'000,
     [](size_t n) { return widen("<Pattern>" + repeat("\xc3\xa9", n) + "a</Pattern>"); }},
    {"pattern, text that does not fit",
     50'000,
     [](size_t n) { return widen("<Pattern>" + repeat("a", n) + "!</Pattern>"); },
     400},
    {"pattern of repetitions in repetitions, fits",
     50'000,
     [](size_t n) { return widen("<NestedPattern>" + repeat("ab", n) + "</NestedPattern>"); }},
    {"pattern of repetitions in repetitions, does not fit",
     50'000,
     [](size_t n) { return widen("<NestedPattern>" + repeat("a", n) + "c</NestedPattern>"); },
     400},
    {"pattern with an unbounded head and a counted tail",
     50'000,
     [](size_t n) { return widen("<Tail>" + repeat("a", n) + "</Tail>"); },
     400},
    {"base64 length, with a facet",
     50'000,
     [](size_t n) { return widen("<Scan>" + repeat("AQ ID", n) + "</Scan>"); }},
    {"length in characters",
     100'000,
     [](size_t n) { return widen("<Length>" + repeat("\xc3\xa9", n) + "</Length>"); }},
    {"token, white space",
     100'000,
     [](size_t n) { return widen("<Token>" + repeat("a \n", n) + "</Token>"); }},
    {"integer of any length, digits",
     100'000,
     [](size_t n) { return widen("<Integer>" + repeat("7", n) + "</Integer>"); }},
    {"duration, digits",
     100'000,
     [](size_t n) { return widen("<Duration>P" + repeat("7", n) + "D</Duration>"); },
     400},
    {"hexadecimal length",
     50'000,
     [](size_t n) { return widen("<Hex>" + repeat("0A", n) + "</Hex>"); }},
    {"list, numbers",
     125'000,
     [](size_t n) { return widen("", " mixed='' numbers='" + repeat("7 ", n) + "'"); }},
    {"list, a bad number at the end",
     125'000,
     [](size_t n) { return widen("", " mixed='' numbers='" + repeat("7 ", n) + "x'"); },
     400},
    {"list of a union",
     50'000,
     [](size_t n) {
       return widen("", " numbers='' mixed='" + repeat("7 2024-02-29 word ", n) + "'");
     }},
    {"unions, the last kind",
     5'000,
     [](size_t n) { return widen(repeat("<Union>word</Union>", n)); }},
    {"union, text length",
     100'000,
     [](size_t n) { return widen("<Union>" + repeat("7", n) + "</Union>"); }},
    {"nil items", 2'000, [](size_t n) { return widen(repeat("<Nil i:nil='1'/>", n)); }},
    {"qualified names, a prefix far out",
     2'000,
     [](size_t n) { return widen(repeat("<Name>f:n</Name>", n)); }},
    {"qualified names, among hundreds of declarations",
     2'000,
     [](size_t n) {
       return widen(
           repeat("<Name>f:n</Name><Name>p7:n</Name>", n),
           " numbers='' mixed=''" + numbered(" xmlns:p", 500, "='urn:p'"));
     }},
    {"qualified names, each of a namespace",
     1'000,
     [](size_t n) {
       std::string all;
       for (size_t i = 0; i != n; ++i) {
         const std::string number = std::to_string(i);
         all += "<Name xmlns:p='urn:" + number + "'>p:n</Name>";
       }
       return widen(all);
     }},
    {"depth, a record that holds itself in a box",
     1'000,
     [](size_t n) {
       return widen("<Chain>" + repeat("<Next>", n) + repeat("</Next>", n) + "</Chain>");
     }},
    {"HTTP fields",
     2'000,
     [](size_t n) {
       return with_fields(headers(n, {"X-Any", "value"}));
     },
     200,
     "header_fields (host)"},
    {"SOAPAction fields",
     2'000,
     [](size_t n) {
       return with_fields(headers(n, {"SOAPAction", "Load"}));
     },
     200,
     "header_fields (host)"},
    {"SOAPAction length",
     100'000,
     [](size_t n) {
       return with_fields({{"SOAPAction", repeat("a", n)}});
     },
     500,
     "header_bytes (host)"},
    {"SOAPAction, separators",
     100'000,
     [](size_t n) {
       return with_fields({{"SOAPAction", repeat("/", n) + "Load"}});
     },
     200,
     "header_bytes (host)"},
    {"Content-Type parameters",
     20'000,
     [](size_t n) {
       return with_fields({{"Content-Type", "text/xml" + repeat(";a=b", n)}});
     },
     200,
     "header_bytes (host)"},
    {"Content-Type, an open quote",
     20'000,
     [](size_t n) {
       return with_fields({{"Content-Type", "text/xml;" + repeat("a=\"", n)}});
     },
     415,
     "header_bytes (host)"},
    {"charset length",
     100'000,
     [](size_t n) {
       return with_fields({{"Content-Type", "text/xml;charset=" + repeat("a", n)}});
     },
     415,
     "header_bytes (host)"},
    {"X-Request-Id length",
     100'000,
     [](size_t n) {
       return with_fields({{"X-Request-Id", repeat("a", n)}});
     },
     200,
     "header_bytes (host)"},
    {"Host length, WSDL",
     100'000,
     [](size_t n) {
       return message{"", {{"Host", repeat("a", n)}}, "/soap/v3/Bearer.asmx?wsdl", "GET"};
     },
     0,
     "header_bytes (host)"},
    {"path length",
     100'000,
     [](size_t n) {
       message made = load("");
       made.target = "/" + repeat("a/", n);
       return made;
     },
     404,
     "target_bytes (host)"},
    {"query length",
     100'000,
     [](size_t n) {
       message made = load("");
       made.target += "?" + repeat("a&", n);
       return made;
     },
     200,
     "target_bytes (host)"},
    {"query length, GET",
     100'000,
     [](size_t n) {
       return message{"", {}, "/soap/v3/Bearer.asmx?" + repeat("a&", n) + "wsdl", "GET"};
     },
     0,
     "target_bytes (host)"},
};

// --- Measuring -----------------------------------------------------------------------------------

soapsvc::message_limits lifted() {
  soapsvc::message_limits bounds;
  using limits = soapsvc::message_limits;
  for (size_t limits::*each :
       {&limits::max_body_bytes,
        &limits::max_depth,
        &limits::max_elements,
        &limits::max_attributes,
        &limits::max_namespaces,
        &limits::max_name_bytes,
        &limits::max_text_bytes,
        &limits::max_namespace_bytes,
        &limits::max_header_blocks})
    bounds.*each = 1'000'000'000;
  bounds.max_pattern_steps = 20'000'000;  // requests that would take long without it are far above
  return bounds;
}

/// A service with these limits, and its responses.
struct place {
  explicit place(soapsvc::message_limits bounds)
      : dispatcher(
            {.ns_base = base,
             .limits = bounds,
             .browsers = {.accept_missing_content_type = true}}) {
    dispatcher.add(service);
  }
  soapsvc::http_response answer(const message& sent) const {
    std::vector<soapsvc::http_header> fields;
    for (const auto& [name, value] : sent.with)
      fields.push_back({name, value});
    soapsvc::http_request request;
    request.method = sent.method;
    request.target = sent.target;
    request.headers = fields;
    request.body = sent.body;
    return dispatcher.handle(request);
  }
  Bearer service;
  soapsvc::dispatcher dispatcher;
};

/// User-mode instructions of this thread, where the kernel counts them; else nothing.
class instruction_counter {
public:
  instruction_counter() {
    perf_event_attr about{};
    about.type = PERF_TYPE_HARDWARE;
    about.size = sizeof about;
    about.config = PERF_COUNT_HW_INSTRUCTIONS;
    about.exclude_kernel = 1;
    about.exclude_hv = 1;
    file_ = static_cast<int>(::syscall(SYS_perf_event_open, &about, 0, -1, -1, 0));
  }
  ~instruction_counter() {
    if (file_ >= 0) ::close(file_);
  }
  instruction_counter(const instruction_counter&) = delete;
  instruction_counter& operator=(const instruction_counter&) = delete;
  bool works() const { return file_ >= 0; }
  double read() const {
    std::uint64_t count = 0;
    return ::read(file_, &count, sizeof count) == sizeof count ? static_cast<double>(count) : 0;
  }

private:
  int file_ = -1;
};

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct cost {
  double time = 0;  ///< instructions, or seconds of this thread's processor time
  size_t memory = 0;  ///< the peak, without the memory before
  int status = 0;
};

/// Runs on its own thread, because the header keeps memory per thread.
cost measure(const place& where, const message& sent, bool count_instructions) {
  cost least{1e30, 0, 0};
  std::thread([&] {
    const instruction_counter counter;
    const int rounds = count_instructions ? 2 : 6;
    for (int round = 0; round != rounds; ++round) {
      const size_t before = live_bytes;
      peak_bytes = before;
      const double begin = count_instructions ? counter.read() : thread_seconds();
      const soapsvc::http_response response = where.answer(sent);
      const double end = count_instructions ? counter.read() : thread_seconds();
      least.time = std::min(least.time, end - begin);
      if (round == 0) least.memory = peak_bytes - before;
      least.status = response.status;
    }
  }).join();
  return least;
}

/// The limit that stops this dimension by default, and where; "none" up to the body's bound.
std::string stopped_by(const place& by_default, const dimension& what) {
  if (*what.bound != '\0') return what.bound;
  for (size_t size = what.size;; size *= 2) {
    const message sent = what.make(size);
    const soapsvc::http_response response = by_default.answer(sent);
    std::smatch found;
    if (std::regex_search(response.body, found, std::regex("\\(limit ([a-z_]+)\\)")))
      return found[1].str() + " at " + std::to_string(size);
    if (sent.body.size() > 40'000'000) return "none";
  }
}

std::string shortly(double number) {
  char text[32];
  const char* unit = "";
  for (const char* next : {"k", "M", "G"}) {
    if (number < 10'000) break;
    number /= 1'000;
    unit = next;
  }
  std::snprintf(text, sizeof text, "%.4g%s", number, unit);
  return text;
}

struct verdicts {
  int passed = 0;
  int failed = 0;
  void add(bool good, const std::string& what) {
    ++(good ? passed : failed);
    if (!good) std::cout << "FAIL " << what << '\n';
  }
};

void check_growth(verdicts& found) {
  const bool instructions = instruction_counter().works();
  const place free_place(lifted()), strict_place({});
  std::cout << "| What grows | 1x | bytes at 8x | "
            << (instructions ? "instructions" : "CPU time, us")
            << " 1x | 2x | 4x | 8x | 8x / 1x | peak memory 1x | 2x | 4x | 8x | 8x / 1x | bound by "
               "default |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
  std::vector<std::string> complaints;
  std::vector<std::pair<double, std::string>> by_byte;
  for (const dimension& what : dimensions) {
    std::array<cost, 4> costs;
    size_t bytes = 0;
    bool as_expected = true, memory_good = true;
    for (size_t i = 0; i != costs.size(); ++i) {
      const message sent = what.make(what.size << i);
      bytes = sent.size();
      costs[i] = measure(free_place, sent, instructions);
      as_expected = as_expected && (what.status == 0 || costs[i].status == what.status);
      // The constant: the pool's blocks, and the memory of a small response.
      if (i != 0)
        memory_good = memory_good && static_cast<double>(costs[i].memory) <=
                                         static_cast<double>(costs[i - 1].memory) * 2.2 + 300'000;
    }
    const double constant = instructions ? 100'000 : 0.000'2;
    const auto time_is_good = [&] { return costs[3].time < costs[0].time * 24 + constant; };
    // Other programs disturb processor time, but real growth shows each time.
    for (int again = 0; again != 4 && !instructions && !time_is_good(); ++again)
      for (const std::size_t i : {std::size_t{0}, std::size_t{3}})
        costs[i].time = std::min(
            costs[i].time, measure(free_place, what.make(what.size << i), instructions).time);
    const bool time_good = time_is_good();
    const double scale = instructions ? 1 : 1e6;
    std::cout << "| " << what.name << " | " << what.size << " | "
              << shortly(static_cast<double>(bytes));
    for (const cost& each : costs)
      std::cout << " | " << shortly(each.time * scale);
    std::cout << " | " << shortly(costs[3].time / costs[0].time);
    for (const cost& each : costs)
      std::cout << " | " << shortly(static_cast<double>(each.memory));
    std::cout << " | "
              << shortly(
                     static_cast<double>(costs[3].memory) / static_cast<double>(costs[0].memory))
              << " | " << stopped_by(strict_place, what) << " |" << std::endl;
    const std::string name = what.name;
    by_byte.emplace_back(costs[3].time / static_cast<double>(bytes), name);
    if (!as_expected) complaints.push_back(name + ": status " + std::to_string(costs[0].status));
    if (!memory_good) complaints.push_back(name + ": memory grows faster than the message");
    if (!time_good) complaints.push_back(name + ": time grows faster than the message");
    found.passed += as_expected + memory_good + time_good;
  }
  std::sort(by_byte.begin(), by_byte.end());
  const double usual = by_byte[by_byte.size() / 2].first;
  std::cout << "\nThe most for a byte, as a multiple of the median:\n\n";
  for (size_t last = 1; last <= 10; ++last) {
    const auto& [time, name] = by_byte[by_byte.size() - last];
    std::cout << "- " << shortly(time / usual) << ": " << name << '\n';
    const bool is_usual = time < usual * 100;
    if (!is_usual) complaints.push_back(name + ": a byte takes far longer than others");
    found.passed += is_usual;
  }
  for (const std::string& each : complaints)
    found.add(false, each);
}

// --- The stack -----------------------------------------------------------------------------------

/// How many bytes of its stack a thread used to answer.
size_t stack_used(const place& where, const message& sent, int& status) {
  struct task {
    const place& where;
    const message& sent;
    int& status;
  } given{where, sent, status};
  constexpr unsigned char untouched = 0xA5;
  constexpr size_t size = 64 * 1024 * 1024;  // more than any may use: there is no guard page
  std::vector<unsigned char> stack(size + 4096, untouched);
  unsigned char* const begin =
      stack.data() + (4096 - reinterpret_cast<std::uintptr_t>(stack.data()) % 4096) % 4096;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, begin, size);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    const task& asked = *static_cast<const task*>(argument);
    asked.status = asked.where.answer(asked.sent).status;
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, run, &given) != 0) std::abort();
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const unsigned char* low = begin;
  while (low != begin + size && *low == untouched)
    ++low;
  return static_cast<size_t>(begin + size - low);
}

/// Dimensions in which the sender could choose the depth of recursion.
void check_stack(verdicts& found) {
  const auto nested = [](const char* open, const char* close, size_t n) {
    return repeat(open, n) + repeat(close, n);
  };
  const auto tree = [&](size_t n) {
    return load("<Tree>" + nested("<Branch>", "</Branch>", n) + "</Tree>");
  };
  const auto foreign = [&](size_t n) { return skipped(nested("<a>", "</a>", n)); };
  const auto block = [&](size_t n) {
    return with_header("<f:x xmlns:f='urn:f'>" + nested("<a>", "</a>", n) + "</f:x>");
  };
  const auto wildcard = [&](size_t n) {
    return widen("<f:x>" + nested("<f:a>", "</f:a>", n) + "</f:x>");
  };
  const auto broken = [&](size_t n) { return skipped(repeat("<a>", n) + "&"); };
  const place strict_place({}), free_place(lifted());
  constexpr size_t small = 64 * 1024, large = 32 * 1024 * 1024;
#ifdef __OPTIMIZE__
  constexpr size_t for_records = 2 * small;
#else
  constexpr size_t for_records = large;  // a level takes a kilobyte then
#endif
  std::cout << "\n| Stack | levels | bytes |\n|---|--:|--:|\n";
  const auto row = [&](const char* name,
                       const place& where,
                       const message& sent,
                       size_t levels,
                       size_t allowed,
                       int wanted) {
    int status = 0;
    const size_t used = stack_used(where, sent, status);
    std::cout << "| " << name << " | " << levels << " | " << used << " |" << std::endl;
    found.add(
        status == wanted && used < allowed,
        std::string(name) + ": status " + std::to_string(status) + ", stack " +
            std::to_string(used));
    return used;
  };
  // Envelope, Body, Load and x, or Tree, are levels as well.
  row("skipped, by default", strict_place, foreign(124), 128, small, 200);
  row("a header block, by default", strict_place, block(125), 128, small, 200);
  row("a record that holds itself, by default", strict_place, tree(124), 128, for_records, 200);
  row("one level more than allowed", strict_place, tree(125), 129, for_records, 500);
  const size_t flat = row("skipped, limits lifted", free_place, foreign(10), 14, small, 200);
  const size_t deep =
      row("skipped, limits lifted", free_place, foreign(500'000), 500'004, small, 200);
  found.add(deep < flat + 1'024, "skipping recurses");
  row("a header block, limits lifted", free_place, block(500'000), 500'003, small, 200);
  row("a wildcard, by default", strict_place, wildcard(124), 128, small, 200);
  row("a wildcard, limits lifted", free_place, wildcard(500'000), 500'004, small, 200);
  row("not closed, limits lifted", free_place, broken(500'000), 500'004, small, 500);
  const size_t few = row("a record that holds itself", free_place, tree(1'000), 1'004, large, 200);
  const size_t many = row("a record that holds itself", free_place, tree(2'000), 2'004, large, 200);
  std::cout << "\nA record that holds itself takes " << (many - few) / 1'000
            << " bytes of stack a level.\n";
}

}  // namespace

int main(int count, char** arguments) {
  // The process keeps its memory, because the time of the kernel to provide new pages must not
  // count.
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_ARENA_MAX, 1);
  verdicts found;
  if (count < 2 || std::string_view(arguments[1]) != "--stack") check_growth(found);
  check_stack(found);
  std::cout << found.passed << " passed, " << found.failed << " failed\n";
  return found.failed == 0 ? 0 : 1;
}
