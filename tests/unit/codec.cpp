// [codec]: structs to and from elements. Written from rules 4, 5, 7 and 10 of tests/README.md and
// from XML Schema parts 1 and 2. The tests use the dispatcher, so they check the messages that
// clients see.
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using version = soapsvc::soap_version;

// --- Every type, once, optional and repeated -----------------------------------------------------

enum class Colour { red, dark_blue };
template <>
inline constexpr auto soapsvc::schema<Colour> =
    enumeration("Colour", value("Red", Colour::red), value("Dark Blue", Colour::dark_blue));

struct Point {
  std::int32_t x{};
  std::optional<std::int32_t> y;
  friend bool operator==(const Point&, const Point&) = default;
};
template <>
inline constexpr auto soapsvc::schema<Point> =
    record("Point", field("X", &Point::x), field("Y", &Point::y));

/// One type in all three occurrences.
template <class T> struct Three {
  T once{};
  std::optional<T> maybe;
  std::vector<T> many;
};
/// In two occurrences: a std::vector<bool> is not supported, and a vector of bytes is
/// soapsvc::binary.
template <class T>
requires(std::same_as<T, bool> || std::same_as<T, std::uint8_t>) struct Three<T> {
  T once{};
  std::optional<T> maybe;
};

template <class T> constexpr const char* three_name = "";
template <> constexpr const char* three_name<bool> = "ThreeBool";
template <> constexpr const char* three_name<std::int8_t> = "ThreeByte";
template <> constexpr const char* three_name<std::int16_t> = "ThreeShort";
template <> constexpr const char* three_name<std::int32_t> = "ThreeInt";
template <> constexpr const char* three_name<std::int64_t> = "ThreeLong";
template <> constexpr const char* three_name<std::uint8_t> = "ThreeUnsignedByte";
template <> constexpr const char* three_name<std::uint16_t> = "ThreeUnsignedShort";
template <> constexpr const char* three_name<std::uint32_t> = "ThreeUnsignedInt";
template <> constexpr const char* three_name<std::uint64_t> = "ThreeUnsignedLong";
template <> constexpr const char* three_name<float> = "ThreeFloat";
template <> constexpr const char* three_name<double> = "ThreeDouble";
template <> constexpr const char* three_name<std::string> = "ThreeString";
template <> constexpr const char* three_name<soapsvc::binary> = "ThreeBinary";
template <> constexpr const char* three_name<soapsvc::date> = "ThreeDate";
template <> constexpr const char* three_name<soapsvc::date_time> = "ThreeDateTime";
template <> constexpr const char* three_name<soapsvc::decimal> = "ThreeDecimal";
template <> constexpr const char* three_name<soapsvc::integer> = "ThreeInteger";
template <> constexpr const char* three_name<soapsvc::time> = "ThreeTime";
template <> constexpr const char* three_name<soapsvc::duration> = "ThreeDuration";
template <> constexpr const char* three_name<soapsvc::g_year> = "ThreeYear";
template <> constexpr const char* three_name<soapsvc::g_year_month> = "ThreeYearMonth";
template <> constexpr const char* three_name<soapsvc::g_month> = "ThreeMonth";
template <> constexpr const char* three_name<soapsvc::g_month_day> = "ThreeMonthDay";
template <> constexpr const char* three_name<soapsvc::g_day> = "ThreeDay";
template <> constexpr const char* three_name<soapsvc::hex_binary> = "ThreeHexBinary";
template <> constexpr const char* three_name<Colour> = "ThreeColour";
template <> constexpr const char* three_name<Point> = "ThreePoint";

template <class T>
inline constexpr auto soapsvc::schema<Three<T>> = record(
    three_name<T>,
    field("Once", &Three<T>::once),
    field("Maybe", &Three<T>::maybe),
    field("Many", &Three<T>::many));
template <class T>
requires(!requires(const Three<T>& three) {
  three.many;
}) inline constexpr auto soapsvc::schema<Three<T>> =
    record(three_name<T>, field("Once", &Three<T>::once), field("Maybe", &Three<T>::maybe));

/// A record with every type, which also contains itself.
struct Everything {
  Three<bool> booleans;
  Three<std::int8_t> bytes;
  Three<std::int16_t> shorts;
  Three<std::int32_t> ints;
  Three<std::int64_t> longs;
  Three<std::uint8_t> unsigned_bytes;
  Three<std::uint16_t> unsigned_shorts;
  Three<std::uint32_t> unsigned_ints;
  Three<std::uint64_t> unsigned_longs;
  Three<float> floats;
  Three<double> doubles;
  Three<std::string> strings;
  Three<soapsvc::binary> binaries;
  Three<soapsvc::date> dates;
  Three<soapsvc::date_time> date_times;
  Three<soapsvc::decimal> decimals;
  Three<Colour> colours;
  Three<Point> points;
  std::vector<Everything> inner;
};
template <>
inline constexpr auto soapsvc::schema<Everything> = record(
    "Everything",
    field("Booleans", &Everything::booleans),
    field("Bytes", &Everything::bytes),
    field("Shorts", &Everything::shorts),
    field("Ints", &Everything::ints),
    field("Longs", &Everything::longs),
    field("UnsignedBytes", &Everything::unsigned_bytes),
    field("UnsignedShorts", &Everything::unsigned_shorts),
    field("UnsignedInts", &Everything::unsigned_ints),
    field("UnsignedLongs", &Everything::unsigned_longs),
    field("Floats", &Everything::floats),
    field("Doubles", &Everything::doubles),
    field("Strings", &Everything::strings),
    field("Binaries", &Everything::binaries),
    field("Dates", &Everything::dates),
    field("DateTimes", &Everything::date_times),
    field("Decimals", &Everything::decimals),
    field("Colours", &Everything::colours),
    field("Points", &Everything::points),
    field("Inner", &Everything::inner));

// --- Shapes of requests and results --------------------------------------------------------------

struct Event {
  std::int32_t id{};
  bool active{};
};
template <>
inline constexpr auto soapsvc::schema<Event> =
    record("Event", field("Id", &Event::id), field("Active", &Event::active));

struct Setting {
  std::int32_t id{};
  std::optional<std::string> name;
  std::vector<Event> events;
};
template <>
inline constexpr auto soapsvc::schema<Setting> = record(
    "Setting",
    field("Id", &Setting::id, default_if_absent),
    field("Name", &Setting::name),
    field("Event", &Setting::events));

struct Secrets {
  std::optional<std::int32_t> pin;
  std::optional<Point> place;
  std::vector<Colour> colours;
};
template <>
inline constexpr auto soapsvc::schema<Secrets> = record(
    "Secrets",
    field("Pin", &Secrets::pin, secret),
    field("Place", &Secrets::place, secret),
    field("Colour", &Secrets::colours, secret));

/// A request with one child of each form.
struct Put {
  std::int32_t number{};
  bool sure{};
  std::optional<std::string> text;
  Colour colour{};
  std::optional<Setting> main;
  std::vector<Setting> settings;
  std::optional<Secrets> secrets;
};
template <>
inline constexpr auto soapsvc::schema<Put> = record(
    field("Number", &Put::number),
    field("Sure", &Put::sure, default_if_absent),
    field("Text", &Put::text),
    field("Colour", &Put::colour, default_if_absent),
    field("Main", &Put::main),
    field("Setting", &Put::settings),
    field("Secrets", &Put::secrets));

struct Key {
  std::int32_t number{};
  std::optional<std::string> word;
};
template <>
inline constexpr auto soapsvc::schema<Key> =
    record("Key", field("Number", &Key::number, secret), field("Word", &Key::word));

struct Problem {
  std::int32_t code{};
  std::vector<Point> points;
};
template <>
inline constexpr auto soapsvc::schema<Problem> =
    record("Problem", field("Code", &Problem::code), field("Point", &Problem::points));

/// Records its arguments, and returns results of every form.
class Codec {
public:
  Put put;
  Everything everything;
  std::optional<Key> key;
  std::optional<std::string> text;
  std::optional<Point> point;
  std::vector<Point> points;
  std::vector<std::int32_t> numbers;
  std::vector<std::string> words;
  std::vector<Colour> colours;
  Colour colour{};

  void take(const Put& request) { put = request; }
  Everything echo(const Everything& request) { return everything = request; }
  Everything make() const { return everything; }
  void open(const soapsvc::nothing&, const Key& header) { key = header; }
  std::int32_t get_number() { return 42; }
  std::optional<std::string> get_text() const { return text; }
  std::optional<Point> get_point() const { return point; }
  Point get_origin() const noexcept { return {}; }
  const std::vector<Point>& get_points() const { return points; }
  std::vector<std::int32_t> get_numbers() const { return numbers; }
  std::vector<std::string> get_words() const { return words; }
  std::vector<Colour> get_colours() const { return colours; }
  Colour get_colour() const { return colour; }
  void fail() {
    throw soapsvc::fault(soapsvc::fault_code::client, "no").with(Problem{7, {{1, 2}, {3, {}}}});
  }
};
template <>
inline constexpr auto soapsvc::schema<Codec> = service(
    "Codec",
    operation("Put", &Codec::take),
    operation("Everything", &Codec::echo),
    operation("Make", &Codec::make),
    operation("Open", &Codec::open),
    operation("Number", &Codec::get_number),
    operation("Text", &Codec::get_text),
    operation("Point", &Codec::get_point),
    operation("Origin", &Codec::get_origin),
    operation("Points", &Codec::get_points),
    operation("Numbers", &Codec::get_numbers),
    operation("Words", &Codec::get_words),
    operation("Colours", &Codec::get_colours),
    operation("Colour", &Codec::get_colour),
    operation("Fail", &Codec::fail));

/// Echoes one type: its operation has the name of its record.
template <class T> class Echo {
public:
  Three<T> echo(const Three<T>& request) { return request; }
};
template <class T>
inline constexpr auto soapsvc::schema<Echo<T>> =
    service("Codec", operation(three_name<T>, &Echo<T>::echo));

namespace {

constexpr version both[] = {version::v1_1, version::v1_2};
const std::string ns = "http://example.com/soap/Codec";
const std::string xsi = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";

std::string envelope(version v, const std::string& body, const std::string& header) {
  const std::string uri = v == version::v1_1 ? "http://schemas.xmlsoap.org/soap/envelope/"
                                             : "http://www.w3.org/2003/05/soap-envelope";
  return "<s:Envelope xmlns:s=\"" + uri + "\">" +
         (header.empty() ? "" : "<s:Header>" + header + "</s:Header>") + "<s:Body>" + body +
         "</s:Body></s:Envelope>";
}

std::string element(
    const std::string& name, const std::string& content, const std::string& attributes = "") {
  return "<" + name + attributes + ">" + content + "</" + name + ">";
}

/// An element that declares the service's namespace.
std::string top(
    const std::string& name, const std::string& content = "", const std::string& attributes = "") {
  return element(name, content, " xmlns=\"" + ns + "\"" + attributes);
}

/// The text between the first `begin` and the last `end`; "(none)" if they are missing.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  const std::size_t to = text.rfind(end);
  if (from == text.npos || to == text.npos || to < from + begin.size()) return "(none)";
  return text.substr(from + begin.size(), to - from - begin.size());
}

std::string unescaped(std::string text) {
  const std::pair<const char*, const char*> forms[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}};
  for (const auto& [from, to] : forms)
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; ++at)
      text.replace(at, std::string(from).size(), to);
  return text;
}

/// The reason of a client fault in this version; "(none)" for anything else.
std::string reason_in(const soapsvc::http_response& response, version v) {
  if (response.status != (v == version::v1_1 ? 500 : 400)) return "(none)";
  if (v == version::v1_1) {
    if (response.body.find("<faultcode>soap:Client</faultcode>") == std::string::npos)
      return "(none)";
    return unescaped(between(response.body, "<faultstring>", "</faultstring>"));
  }
  if (response.body.find("<soap12:Value>soap12:Sender</soap12:Value>") == std::string::npos)
    return "(none)";
  return unescaped(between(response.body, "<soap12:Text xml:lang=\"en\">", "</soap12:Text>"));
}

/// A service behind a dispatcher.
template <class Service> struct served {
  Service service;
  soapsvc::dispatcher dispatcher;
  explicit served(soapsvc::unknown_elements unknown = soapsvc::unknown_elements::refuse)
      : dispatcher({.ns_base = "http://example.com/soap", .unknown_elements = unknown}) {
    dispatcher.add(service);
  }

  soapsvc::http_response ask(
      version v, const std::string& body, const std::string& header = "") const {
    const std::string message = envelope(v, body, header);
    const soapsvc::http_header type[] = {
        {"Content-Type", v == version::v1_1 ? "text/xml" : "application/soap+xml"}};
    return dispatcher.handle({.target = "/soap/v3/Codec.asmx", .headers = type, .body = message});
  }

  /// The content of the response in both versions; reports differences between them.
  std::string answer(
      const std::string& operation,
      const std::string& content = "",
      const std::string& attributes = "",
      const std::string& header = "") const {
    std::string answers[2];
    for (const version v : both) {
      const auto response = ask(v, top(operation, content, attributes), header);
      std::string& said = answers[v == version::v1_1 ? 0 : 1];
      const std::string start = "<" + operation + "Response xmlns=\"" + ns + "\"";
      if (response.status != 200)
        said = "fault: " + reason_in(response, v);
      else if (response.body.find(start + " />") != std::string::npos)
        said = "";
      else
        said = between(response.body, start + ">", "</" + operation + "Response>");
    }
    return answers[0] == answers[1] ? answers[0] : answers[0] + " BUT " + answers[1];
  }

  /// The reason for which a request is refused in both versions.
  std::string refusal(
      const std::string& operation,
      const std::string& content = "",
      const std::string& attributes = "",
      const std::string& header = "") const {
    const std::string said = answer(operation, content, attributes, header);
    return said.rfind("fault: ", 0) == 0 ? said.substr(7) : "(accepted) " + said;
  }
};

using codec = served<Codec>;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct text_pair {
  std::string sent;
  std::string answered;
};

/// Sends each text in all occurrences, and compares the returned values.
template <class T> void check_accepted(const std::vector<text_pair>& texts) {
  const served<Echo<T>> echo;
  const bool repeats = requires(const Three<T>& three) { three.many; };
  for (const auto& [sent, answered] : texts) {
    INFO(three_name<T> << ": " << sent);
    const std::string result = std::string(three_name<T>) + "Result";
    const auto all = [&](const std::string& text) {
      const std::string many = element("Many", text) + element("Many", text);
      return element("Once", text) + element("Maybe", text) + (repeats ? many : "");
    };
    std::string expected = all(answered);
    const auto shorten = [&](const std::string& name) {
      const std::string empty = element(name, "");
      for (std::size_t at = 0; (at = expected.find(empty)) != expected.npos;)
        expected.replace(at, empty.size(), "<" + name + " />");
    };
    for (const char* name : {"Once", "Maybe", "Many"})
      shorten(name);
    CHECK(echo.answer(three_name<T>, all(sent)) == element(result, expected));
    CHECK(
        echo.answer(three_name<T>, element("Once", sent)) ==
        element(result, expected.substr(0, expected.find("<Maybe"))));
  }
}

/// Each text is refused in all occurrences, and the fault has its path, the text and the allowed
/// values.
template <class T>
void check_refused(
    const std::string& good, const std::string& allowed, const std::vector<std::string>& texts) {
  const served<Echo<T>> echo;
  const std::string name = three_name<T>;
  for (const std::string& text : texts) {
    INFO(name << ": " << text);
    const std::string said = ": '" + unescaped(text) + "' is not " + allowed;
    const std::string once = element("Once", good);
    CHECK(echo.refusal(name, element("Once", text)) == name + "/Once" + said);
    CHECK(echo.refusal(name, once + element("Maybe", text)) == name + "/Maybe" + said);
    if (std::is_same_v<T, bool> || std::is_same_v<T, std::uint8_t>) continue;
    CHECK(
        echo.refusal(name, once + element("Many", good) + element("Many", text)) ==
        name + "/Many[2]" + said);
  }
}

template <class Integer> void check_integer() {
  const std::string least = std::to_string(std::numeric_limits<Integer>::min());
  const std::string most = std::to_string(std::numeric_limits<Integer>::max());
  std::string over = most;
  over.back() = static_cast<char>(over.back() + 1);  // none ends in 9
  check_accepted<Integer>(
      {{least, least}, {most, most}, {"+5", "5"}, {"007", "7"}, {" \t\r\n7 ", "7"}, {"-0", "0"}});
  check_refused<Integer>(
      "1",
      "a whole number from " + least + " to " + most,
      {"", " ", over, "1.0", "1e2", "0x1", "1 2", "five", "+", "-", "--1", "99999999999999999999"});
}

}  // namespace

// --- Values: rule 5 and XML Schema part 2 --------------------------------------------------------

TEST_CASE(
    "whole numbers are read and written in all occurrences, within their range",
    "[codec][rule-5]") {
  check_integer<std::int8_t>();
  check_integer<std::int16_t>();
  check_integer<std::int32_t>();
  check_integer<std::int64_t>();
  check_integer<std::uint8_t>();
  check_integer<std::uint16_t>();
  check_integer<std::uint32_t>();
  check_integer<std::uint64_t>();
  check_refused<std::uint8_t>("1", "a whole number from 0 to 255", {"-1", "256"});
  check_refused<std::int8_t>("1", "a whole number from -128 to 127", {"-129", "128"});
}

TEST_CASE("booleans are true, false, 1 and 0", "[codec][rule-5]") {
  check_accepted<bool>({{"true", "true"}, {"1", "true"}, {"false", "false"}, {" 0\n", "false"}});
  check_refused<bool>(
      "true", "a boolean: true, false, 1 or 0", {"", "TRUE", "True", "yes", "2", "-1", "01"});
}

TEST_CASE("floating point numbers include INF and NaN", "[codec][rule-5]") {
  check_accepted<double>(
      {{"INF", "INF"}, {"-INF", "-INF"}, {"NaN", "NaN"}, {" 1.5 ", "1.5"}, {"-2", "-2"}});
  check_accepted<float>({{"INF", "INF"}, {"NaN", "NaN"}, {"+0.5", "0.5"}});
  const std::string allowed = "a number such as -1.5, 2e10, INF or NaN";
  check_refused<double>("1", allowed, {"", "inf", "nan", "infinity", "0x1p3", "1,5", "1e", "e1"});
  check_refused<float>("1", allowed, {"", "+INF", "1.5f", "one"});
}

TEST_CASE("strings keep their white space and characters that need escapes", "[codec][rule-5]") {
  check_accepted<std::string>(
      {{"", ""},
       {" ", " "},
       {" two  words ", " two  words "},
       {"a&amp;b &lt;c> ]]&gt;", "a&amp;b &lt;c&gt; ]]&gt;"},
       {"<![CDATA[<b>&amp;]]>", "&lt;b&gt;&amp;amp;"},
       {"one<!-- not this -->two", "onetwo"},
       {"line\r\nend", "line\nend"},
       {"kept&#13;", "kept&#13;"},
       {"\xC3\xA9 \xF0\x9F\x98\x80 &#x20AC;", "\xC3\xA9 \xF0\x9F\x98\x80 \xE2\x82\xAC"},
       {"\"quoted\" 'text'", "\"quoted\" 'text'"}});
}

TEST_CASE("enumerations are read by their texts, white space collapsed", "[codec][rule-5]") {
  check_accepted<Colour>(
      {{"Red", "Red"},
       {" Red\n", "Red"},
       {"Dark Blue", "Dark Blue"},
       {"\tDark \n Blue ", "Dark Blue"}});
  check_refused<Colour>(
      "Red", "one of Red, Dark Blue", {"", "red", "RED", "Red Dark", "DarkBlue", "0", "Redd"});
}

TEST_CASE("bytes, dates, moments and decimals are read and written exactly", "[codec][rule-5]") {
  check_accepted<soapsvc::binary>({{"", ""}, {"AAEC", "AAEC"}, {" A A E = ", "AAE="}});
  check_refused<soapsvc::binary>("AAEC", "base64Binary", {"A", "AAE", "AAEC=", "A-_C", "AAF="});
  check_accepted<soapsvc::date>(
      {{"2024-02-29", "2024-02-29"},
       {" 2024-02-29Z ", "2024-02-29Z"},
       {"2024-01-01+01:00", "2024-01-01+01:00"}});
  check_refused<soapsvc::date>(
      "2024-01-01",
      "a date such as 2026-01-31",
      {"", "2023-02-29", "24-01-01", "2024-1-1", "01.02.2024", "2024-01-01T00:00:00"});
  check_accepted<soapsvc::date_time>(
      {{"2024-02-29T12:30:00", "2024-02-29T12:30:00"},
       {"2024-02-29T12:30:00.5Z", "2024-02-29T12:30:00.5Z"},
       {"2024-02-29T12:30:00-05:00", "2024-02-29T12:30:00-05:00"}});
  check_refused<soapsvc::date_time>(
      "2024-01-01T00:00:00",
      "a dateTime such as 2026-01-31T09:30:00Z, to the nanosecond",
      {"", "2024-01-01", "2024-01-01 00:00:00", "2024-01-01T25:00:00", "2024-01-01T00:00"});
  check_accepted<soapsvc::decimal>(
      {{"12.50", "12.50"},
       {"-007.0", "-7.0"},
       {"+.5", "0.5"},
       {"123456789012345678901234567890.1", "123456789012345678901234567890.1"}});
  check_refused<soapsvc::decimal>(
      "1", "a decimal such as -12.50", {"", ".", "1e2", "1,5", "NaN", "- 1"});
}

TEST_CASE(
    "whole numbers, times, lengths and parts of dates are read and written", "[codec][rule-5]") {
  check_accepted<soapsvc::integer>(
      {{" -007 ", "-7"}, {"123456789012345678901234567890", "123456789012345678901234567890"}});
  check_refused<soapsvc::integer>("1", "a whole number such as -12", {"", "1.0", "1e2", "- 1"});
  check_accepted<soapsvc::time>({{"12:30:00.50Z", "12:30:00.5Z"}, {" 24:00:00 ", "00:00:00"}});
  check_refused<soapsvc::time>(
      "00:00:00",
      "a time such as 09:30:00Z, to the nanosecond",
      {"", "12:30", "25:00:00", "12:00:60", "2024-01-01T12:30:00"});
  check_accepted<soapsvc::duration>({{"P14M", "P1Y2M"}, {" -PT90.50S ", "-PT1M30.5S"}});
  check_refused<soapsvc::duration>(
      "PT0S",
      "a duration such as P1Y2M or PT1H30M, to the nanosecond",
      {"", "P", "PT", "1D", "P1W", "P-1D", "PT1.5M"});
  check_accepted<soapsvc::g_year>({{"2024Z", "2024Z"}});
  check_refused<soapsvc::g_year>("2024", "a year such as 2026", {"", "24", "0000", "2024-01"});
  check_accepted<soapsvc::g_year_month>({{"2024-02", "2024-02"}});
  check_refused<soapsvc::g_year_month>(
      "2024-01", "a month of a year such as 2026-01", {"", "2024", "2024-13", "--02"});
  check_accepted<soapsvc::g_month>({{"--02", "--02"}});
  check_refused<soapsvc::g_month>("--01", "a month such as --01", {"", "02", "--13", "--02--"});
  check_accepted<soapsvc::g_month_day>({{"--02-29", "--02-29"}});
  check_refused<soapsvc::g_month_day>(
      "--01-01", "a day of a month such as --01-31", {"", "02-29", "--02-30"});
  check_accepted<soapsvc::g_day>({{"---31", "---31"}});
  check_refused<soapsvc::g_day>("---01", "a day such as ---31", {"", "31", "--31", "---32"});
  check_accepted<soapsvc::hex_binary>({{"", ""}, {" 0aFf ", "0AFF"}});
  check_refused<soapsvc::hex_binary>("AAFF", "hexBinary", {"A", "A A", "0x0A", "AG"});
}

TEST_CASE("records are read and written in all occurrences", "[codec]") {
  check_accepted<Point>(
      {{"<X>1</X>", "<X>1</X>"},
       {"<Y>2</Y><X>1</X>", "<X>1</X><Y>2</Y>"},
       {" <X>1</X>\n <!-- y --> <Y> 2 </Y> ", "<X>1</X><Y>2</Y>"}});
}

TEST_CASE("a simple element with child elements is refused", "[codec][rule-5]") {
  const codec c;
  CHECK(
      c.refusal("Put", "<Number>1<b>2</b></Number>") ==
      "Put/Number: holds the element 'b'; allowed is a whole number from -2147483648 to "
      "2147483647");
  CHECK(
      c.refusal("Put", "<Number>1</Number><Text>a<b/></Text>") ==
      "Put/Text: holds the element 'b'; allowed is text");
}

// --- Absent, empty, nil: rule 5 ------------------------------------------------------------------

TEST_CASE("an absent and an empty string differ and survive a round trip", "[codec][rule-5]") {
  codec c;
  REQUIRE(c.answer("Put", "<Number>1</Number>") == "");
  CHECK(c.service.put.text == std::nullopt);
  REQUIRE(c.answer("Put", "<Number>1</Number><Text/>") == "");
  CHECK(c.service.put.text == "");
  REQUIRE(c.answer("Put", "<Number>1</Number><Text></Text>") == "");
  CHECK(c.service.put.text == "");

  c.service.text = std::nullopt;
  CHECK(c.answer("Text") == "");
  c.service.text = "";
  CHECK(c.answer("Text") == "<TextResult />");
  c.service.text = "a";
  CHECK(c.answer("Text") == "<TextResult>a</TextResult>");
}

TEST_CASE("an absent optional element reads as nullopt", "[codec][rule-5]") {
  codec c;
  c.service.put.main = Setting{};
  c.service.put.secrets = Secrets{};
  REQUIRE(c.answer("Put", "<Number>1</Number>") == "");
  CHECK(c.service.put.main == std::nullopt);
  CHECK(c.service.put.secrets == std::nullopt);
  CHECK(c.service.put.settings.empty());
}

TEST_CASE(
    "a default_if_absent element that is absent or nil is value-initialised",
    "[codec][rule-5][nil]") {
  codec c;
  c.service.put.sure = true;
  c.service.put.colour = Colour::dark_blue;
  REQUIRE(c.answer("Put", "<Number>1</Number>") == "");
  CHECK_FALSE(c.service.put.sure);
  CHECK(c.service.put.colour == Colour::red);
  REQUIRE(c.answer("Put", "<Number>1</Number><Sure>1</Sure>") == "");
  CHECK(c.service.put.sure);
  REQUIRE(c.answer("Put", "<Number>1</Number><Sure xsi:nil='true'/>", xsi) == "");
  CHECK_FALSE(c.service.put.sure);
  CHECK(contains(c.refusal("Put", "<Number>1</Number><Sure/>"), "Put/Sure: '' is not a boolean"));
}

TEST_CASE("a required element that is missing is refused with its path", "[codec][rule-5]") {
  const codec c;
  CHECK(
      c.refusal("Put") ==
      "Put/Number: is missing; a value is required: a whole number from "
      "-2147483648 to 2147483647");
  CHECK(
      c.refusal("Put", "<Number>1</Number><Main><Event><Id>1</Id></Event></Main>") ==
      "Put/Main/Event/Active: is missing; a value is required: a boolean: true, false, 1 or 0");
  CHECK(
      c.refusal("Everything") ==
      "Everything/Booleans: is missing; a value is required: the elements Once, Maybe");
}

TEST_CASE("xsi:nil means absent", "[codec][rule-5][nil]") {
  codec c;
  for (const std::string yes : {"true", "1", " true "}) {
    REQUIRE(c.answer("Put", "<Number>1</Number><Text xsi:nil='" + yes + "'/>", xsi) == "");
    CHECK(c.service.put.text == std::nullopt);
    CHECK(
        c.refusal("Put", "<Number xsi:nil='" + yes + "'/>", xsi) ==
        "Put/Number: is nil, but a value is required: a whole number from -2147483648 to "
        "2147483647");
  }
  for (const std::string no : {"false", "0"}) {
    REQUIRE(c.answer("Put", "<Number>1</Number><Text xsi:nil='" + no + "'/>", xsi) == "");
    CHECK(c.service.put.text == "");
  }
  REQUIRE(c.answer("Put", "<Number>1</Number><Main xsi:nil='1'></Main>", xsi) == "");
  CHECK(c.service.put.main == std::nullopt);
  REQUIRE(
      c.answer("Put", "<Number>1</Number><Setting/><Setting xsi:nil='1'/><Setting/>", xsi) == "");
  CHECK(c.service.put.settings.size() == 2);
}

TEST_CASE("xsi:nil with content, or of no boolean, is refused", "[codec][rule-5][nil]") {
  const codec c;
  const std::string number = "<Number>1</Number>";
  CHECK(
      c.refusal("Put", number + "<Text xsi:nil='true'>a</Text>", xsi) ==
      "Put/Text: is said to be nil, yet holds content");
  CHECK(
      c.refusal("Put", number + "<Main xsi:nil='true'><Id>1</Id></Main>", xsi) ==
      "Put/Main: is said to be nil, yet holds content");
  CHECK(
      c.refusal("Put", number + "<Text xsi:nil='yes'/>", xsi) ==
      "Put/Text: xsi:nil is true or false, not 'yes'");
  CHECK(
      c.refusal("Put", number + "<Text nil='true'/>") ==  // not XML Schema's
      "Put/Text: the attribute 'nil' is not known here; allowed is none");
  const std::string nil = xsi + " xsi:nil='true'";
  CHECK(c.refusal("Put", number, nil) == "Put: is said to be nil, yet holds content");
  CHECK(c.refusal("Put", "a", nil) == "Put: is said to be nil, yet holds content");
  CHECK(
      c.refusal("Put", " ", nil) ==
      "Put/Number: is missing; a value is required: a whole number from -2147483648 to "
      "2147483647");
}

// --- Children: rule 4 ----------------------------------------------------------------------------

TEST_CASE("children are accepted in any order", "[codec][rule-4]") {
  codec c;
  REQUIRE(
      c.answer(
          "Put",
          "<Setting><Id>1</Id></Setting><Text>t</Text><Setting><Name>n</Name>"
          "<Id>2</Id></Setting><Number>5</Number><Setting/>") == "");
  CHECK(c.service.put.number == 5);
  CHECK(c.service.put.text == "t");
  REQUIRE(c.service.put.settings.size() == 3);
  CHECK(c.service.put.settings[0].id == 1);
  CHECK(c.service.put.settings[1].id == 2);
  CHECK(c.service.put.settings[1].name == "n");
  CHECK(c.service.put.settings[2].id == 0);
}

TEST_CASE("any prefix is accepted, and two may stand for one namespace", "[codec][rule-4]") {
  codec c;
  const std::string body = "<a:Put xmlns:a='" + ns + "' xmlns:b='" + ns +
                           "'><b:Number>3</b:Number><Text xmlns='" + ns + "'>t</Text></a:Put>";
  for (const version v : both) {
    c.service.put = {};
    CHECK(c.ask(v, body).status == 200);
    CHECK(c.service.put.number == 3);
    CHECK(c.service.put.text == "t");
  }
}

TEST_CASE(
    "an unknown child is refused, and the fault lists the allowed elements", "[codec][rule-4]") {
  const codec c;
  const std::string number = "<Number>1</Number>";
  CHECK(
      c.refusal("Put", number + "<number>1</number>") ==
      "Put: the element 'number' is not known here; allowed are Number, Sure, Text, Colour, "
      "Main, Setting, Secrets");
  CHECK(
      c.refusal(
          "Put", number + "<Main><Event><Id>1</Id><Active>1</Active><Name/></Event></Main>") ==
      "Put/Main/Event: the element 'Name' is not known here; allowed are Id, Active");
  CHECK(
      c.refusal("Put", number + "<Other xmlns=''/>") ==
      "Put: the element 'Other' is not known here; allowed are Number, Sure, Text, Colour, "
      "Main, Setting, Secrets");
  CHECK(
      c.refusal("Number", number) ==
      "Number: the element 'Number' is not known here; allowed is no element");
}

TEST_CASE("a known name in no namespace or a wrong one is refused", "[codec][rule-4]") {
  const codec c;
  const std::string allowed = "; allowed is the namespace '" + ns + "'";
  CHECK(
      c.refusal("Put", "<Number xmlns=''>1</Number>") ==
      "Put/Number: is in no namespace" + allowed);
  CHECK(
      c.refusal("Put", "<x:Number xmlns:x='urn:x'>1</x:Number>") ==
      "Put/Number: is in the namespace 'urn:x'" + allowed);
  CHECK(
      c.refusal("Put", "<Number>1</Number><Number xmlns='urn:x'>1</Number>") ==
      "Put/Number[2]: is in the namespace 'urn:x'" + allowed);
  CHECK(
      c.refusal("Put", "<Number>1</Number><Main><Id xmlns='" + ns + "/'>1</Id></Main>") ==
      "Put/Main/Id: is in the namespace '" + ns + "/'" + allowed);
}

TEST_CASE("elements of foreign namespaces are skipped, whatever they hold", "[codec][rule-4]") {
  codec c;
  REQUIRE(
      c.answer(
          "Put",
          "<x:First xmlns:x='urn:x'><Number>7</Number>text</x:First>"
          "<Number>1</Number><Last xmlns='urn:y' a='b'/>") == "");
  CHECK(c.service.put.number == 1);
}

TEST_CASE("a second copy of a single element is refused", "[codec][rule-4]") {
  const codec c;
  const std::string number = "<Number>1</Number>";
  CHECK(c.refusal("Put", number + number) == "Put/Number[2]: may appear only once");
  CHECK(c.refusal("Put", number + "<Text>a</Text><Text/>") == "Put/Text[2]: may appear only once");
  CHECK(
      c.refusal("Put", number + "<Text xsi:nil='1'/><Text>a</Text>", xsi) ==
      "Put/Text[2]: may appear only once");
  CHECK(
      c.refusal("Put", number + "<Sure>1</Sure><Text/><Sure>1</Sure>") ==
      "Put/Sure[2]: may appear only once");
  CHECK(c.refusal("Put", number + "<Main/><Main/>") == "Put/Main[2]: may appear only once");
}

TEST_CASE("text among child elements is refused", "[codec][rule-5]") {
  const codec c;
  const std::string said = ": holds text where only elements are allowed";
  CHECK(c.refusal("Put", "1") == "Put" + said);
  CHECK(c.refusal("Put", "<Number>1</Number>x") == "Put" + said);
  CHECK(c.refusal("Put", "<Number>1</Number><Main>x<Id>1</Id></Main>") == "Put/Main" + said);
  CHECK(c.refusal("Put", "<Number>1</Number><Main>&#160;</Main>") == "Put/Main" + said);
  CHECK(c.refusal("Put", "<Number>1</Number><Main><![CDATA[x]]></Main>") == "Put/Main" + said);
  CHECK(c.refusal("Number", "x") == "Number" + said);
  CHECK(c.answer("Put", " \n<Number>1</Number>\t<!-- x --> <Main> </Main> ") == "");
}

TEST_CASE("paths say which of several elements is meant", "[codec][rule-5]") {
  const codec c;
  const std::string event = "<Event><Id>1</Id><Active>1</Active></Event>";
  const std::string bad = "<Event><Id>1</Id><Active>si</Active></Event>";
  const std::string setting = "<Setting>" + event + "</Setting>";
  CHECK(contains(
      c.refusal(
          "Put",
          "<Number>1</Number>" + setting + "<Setting>" + event + event + bad + event +
              "</Setting>" + setting),
      "Put/Setting[2]/Event[3]/Active: 'si' is not a boolean"));
  CHECK(contains(
      c.refusal("Put", "<Number>1</Number><Setting>" + bad + "</Setting>"),
      "Put/Setting/Event/Active: 'si'"));
}

TEST_CASE("unknown_elements::ignore skips only unknown elements", "[codec][rule-5]") {
  codec c(soapsvc::unknown_elements::ignore);
  const std::string number = "<Number>1</Number>";
  REQUIRE(c.answer("Put", number + "<More><Number>2</Number></More><Main><Old/></Main>") == "");
  CHECK(c.service.put.number == 1);
  CHECK(c.answer("Put", number + "<More xmlns=''/>") == "");
  CHECK(c.answer("Put", number + "<More/><More/>") == "");
  CHECK(c.answer("Open", "<More/>", "", top("Key", "<Number>1</Number><More/>")) == "");
  CHECK(c.refusal("Put", number + number) == "Put/Number[2]: may appear only once");
  CHECK(contains(c.refusal("Put", "<Number xmlns=''>1</Number>"), "is in no namespace"));
  CHECK(contains(c.refusal("Put", "<More/>"), "Put/Number: is missing"));
  CHECK(contains(c.refusal("Put", "<Number>x</Number>"), "Put/Number: 'x' is not"));
  CHECK(contains(c.refusal("Put", number + "text"), "holds text"));
}

// --- Attributes ----------------------------------------------------------------------------------

TEST_CASE(
    "xsi:type may name the declared type, or any built-in type on a simple element",
    "[codec][rule-6][xsi:type]") {
  const codec c;
  const std::string names = xsi + " xmlns:xsd='http://www.w3.org/2001/XMLSchema' xmlns:tns='" + ns +
                            "' xmlns:e='http://schemas.xmlsoap.org/soap/encoding/'";
  const auto put = [&](const std::string& type) {
    return c.answer("Put", "<Number xsi:type='" + type + "'>1</Number>", names);
  };
  for (const char* type : {"xsd:int", "xsd:string", "xsd:anyType", "e:int", " xsd:double "})
    CHECK(put(type) == "");
  const std::string number = "<Number>1</Number>";
  CHECK(c.answer("Put", number + "<Colour xsi:type='tns:Colour'>Red</Colour>", names) == "");
  CHECK(c.answer("Put", number + "<Colour xsi:type='xsd:string'>Red</Colour>", names) == "");
  CHECK(c.answer("Put", number + "<Main xsi:type='Setting'/>", names) == "");
  CHECK(c.answer("Put", number + "<Main xsi:type='tns:Setting'/>", names) == "");
  CHECK(c.answer("Put", number, names + " xsi:type='tns:Put'") == "");

  CHECK(
      c.refusal("Put", number + "<Main xsi:type='tns:Event'/>", names) ==
      "Put/Main: xsi:type names 'tns:Event'; allowed is 'Setting'");
  CHECK(contains(put("xsd:Setting"), "Put/Number: xsi:type names 'xsd:Setting'; allowed is 'int'"));
  for (const char* type : {"tns:int", "nobody:int", "int", ":int", "xsd:", "xsd:int short", ""})
    CHECK(contains(put(type), "Put/Number: xsi:type names '" + std::string(type) + "'"));
  CHECK(contains(c.refusal("Put", number + "<Main xsi:type='xsd:anyType'/>", names), "Put/Main"));
  // A colon with nothing before it is no prefix (Namespaces in XML 1.0, [7]).
  CHECK(contains(c.refusal("Put", number + "<Main xsi:type=':Setting'/>", names), "Put/Main"));
  CHECK(contains(c.refusal("Put", number, names + " xsi:type='tns:Get'"), "Put: xsi:type names"));
}

TEST_CASE("a reference to content elsewhere in the message is refused", "[codec][rule-6]") {
  const codec c;
  CHECK(
      c.refusal("Put", "<Number href='#id1'/>") ==
      "Put/Number: refers to content elsewhere ('#id1'); allowed is literal content");
  CHECK(contains(c.refusal("Put", "<Number>1</Number><Main href='#id1'/>"), "Put/Main: refers"));
  CHECK(contains(
      c.refusal(
          "Put",
          "<Number>1</Number><Main e:ref='id1'/>",
          " xmlns:e='http://www.w3.org/2003/05/soap-encoding'"),
      "Put/Main: refers"));
  CHECK(contains(c.refusal("Put", "", " href='#id1'"), "Put: refers"));
  CHECK(c.answer("Put", "<Number id='id1'>1</Number>", " id='o0'") == "");
}

TEST_CASE("an unknown attribute is refused like an unknown element", "[codec][rule-4]") {
  const codec c;
  const codec ignoring(soapsvc::unknown_elements::ignore);
  const std::string number = "<Number>1</Number>";
  // On a simple value, on records without attributes, on the message part, in a header block.
  const auto said = [&](const codec& by, const std::string& attribute) {
    const std::string each = ' ' + attribute + ' ';
    return std::vector<std::string>{
        by.answer("Put", "<Number" + each + ">1</Number>"),
        by.answer("Put", number + "<Colour" + each + ">Red</Colour>"),
        by.answer("Put", number + "<Main" + each + "/>"),
        by.answer(
            "Put",
            number + "<Setting><Event" + each + "><Id>1</Id><Active>1</Active></Event></Setting>"),
        by.answer("Put", number, each),
        by.answer("Open", "", "", top("Key", number, each))};
  };
  const char* const places[] = {
      "Put/Number", "Put/Colour", "Put/Main", "Put/Setting/Event", "Put", "Key"};
  for (const std::string unknown : {"a", "Number2", "x:a"}) {
    INFO(unknown);
    const std::string attribute =
        unknown + "='b' xmlns:x='" + ns + "'";  // x:a is in the service's namespace
    const auto refused = said(c, attribute);
    for (std::size_t at = 0; at != refused.size(); ++at)
      CHECK(
          refused[at] == "fault: " + std::string(places[at]) + ": the attribute '" +
                             unknown.substr(unknown.find(':') + 1) +
                             "' is not known here; allowed is none");
    for (const std::string& each : said(ignoring, attribute))
      CHECK(each == "");
  }
  // Attributes of other contracts or of the message, which clients send.
  for (const char* const skipped :
       {"x:a='b' xmlns:x='urn:x'",
        "xml:lang='en'",
        "xml:space='preserve'",
        "xmlns:x='urn:x'",
        "xsi:schemaLocation='urn:a b' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'",
        "xsi:nil='0' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'",
        "s:encodingStyle='' xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'",
        "e:root='1' xmlns:e='http://schemas.xmlsoap.org/soap/encoding/'",
        "w:Id='a' xmlns:w='http://docs.oasis-open.org/wss/2004/01/"
        "oasis-200401-wss-wssecurity-utility-1.0.xsd'",
        "encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'"}) {
    INFO(skipped);
    for (const codec* const by : {&c, &ignoring})
      for (const std::string& each : said(*by, skipped))
        CHECK(each == "");
  }
  for (const char* const id : {"id='_1'", "Id='_1'", "ID='_1'"}) {  // of a signature, or rpc
    CHECK(
        c.answer("Put", "<Number " + std::string(id) + ">1</Number>", ' ' + std::string(id)) == "");
    CHECK(c.answer("Open", "", "", top("Key", number, ' ' + std::string(id))) == "");
  }
  CHECK(
      c.refusal("Put", number + "<Main Id='1'/>") ==
      "Put/Main: Id is an attribute; allowed is an element");
  for (const char* const own : {" mustUnderstand='0'", " actor=''", " role=''"}) {
    CHECK(c.answer("Open", "", "", top("Key", number, own)) == "");
    CHECK(contains(c.refusal("Put", number, own), "is not known here"));
  }
}

TEST_CASE(
    "encodingStyle is tolerated in 1.1; in 1.2 an unknown one is refused",
    "[codec][rule-6][encodingStyle]") {
  const codec c;
  const auto put = [&](version v, const std::string& style) {
    const std::string uri = v == version::v1_1 ? "http://schemas.xmlsoap.org/soap/envelope/"
                                               : "http://www.w3.org/2003/05/soap-envelope";
    return c.ask(
        v,
        top("Put", "<Number s:encodingStyle='" + style + "'>1</Number>", " xmlns:s='" + uri + "'"));
  };
  const std::string none = "http://www.w3.org/2003/05/soap-envelope/encoding/none";
  CHECK(put(version::v1_1, "http://schemas.xmlsoap.org/soap/encoding/").status == 200);
  CHECK(put(version::v1_1, "urn:x").status == 200);
  CHECK(put(version::v1_2, none).status == 200);
  CHECK(put(version::v1_2, " " + none + "\n").status == 200);
  const auto response = put(version::v1_2, "http://www.w3.org/2003/05/soap-encoding");
  CHECK(response.status == 500);
  CHECK(contains(response.body, "<soap12:Value>soap12:DataEncodingUnknown</soap12:Value>"));
  CHECK(contains(
      response.body, "Put/Number: the encoding 'http://www.w3.org/2003/05/soap-encoding'"));
}

// --- Values that a fault does not show: rule 10 --------------------------------------------------

TEST_CASE("a secret value is never quoted", "[codec][rule-10][secret]") {
  const codec c;
  const auto put = [&](const std::string& content) {
    return c.refusal("Put", "<Number>1</Number><Secrets>" + content + "</Secrets>", xsi);
  };
  CHECK(contains(put("<Pin>hunter2</Pin>"), "Put/Secrets/Pin: this value is not a whole number"));
  CHECK(
      put("<Colour>hunter2</Colour>") ==
      "Put/Secrets/Colour: this value is not one of Red, Dark Blue");
  CHECK(contains(
      put("<Place><X>hunter2</X></Place>"),
      "Put/Secrets/Place/X: this value is not a whole number"));
  for (const char* bad :
       {"<Pin>hunter2</Pin>",
        "<Place><X>1</X><Y>hunter2</Y></Place>",
        "<Colour>hunter2</Colour>",
        "<Place>hunter2</Place>",
        "<Place>hunter2<X>1</X></Place>",
        "<Pin>hunter2<a/></Pin>",
        "<Pin><hunter2/></Pin>",
        "<Pin xsi:nil='1'>hunter2</Pin>",
        "<Pin>1</Pin><Pin>hunter2</Pin>",
        "<Pin>hunter2&</Pin>",
        "<Pin>hunter2]]></Pin>",
        "<Pin>hunter2</Pib>",
        "<Pin>a&hunter2;b</Pin>",
        "<Pin>a<hunter2></Pin>",
        "<Pin>a<hunter2:b/></Pin>",
        "<Pin>a<b hunter2='' hunter2=''/></Pin>",
        "<Pin>&#xhunter2;</Pin>"}) {
    INFO(bad);
    CHECK_FALSE(contains(put(bad), "(accepted)"));
    CHECK_FALSE(contains(put(bad), "hunter2"));
  }
  const std::string header = c.refusal("Open", "", "", top("Key", "<Number>hunter2</Number>"));
  CHECK(contains(header, "Key/Number: this value is not a whole number"));
}

TEST_CASE("a field sent as an attribute is refused, other attributes are not", "[codec][rule-4]") {
  const codec c;
  CHECK(
      c.refusal("Put", "<Number>1</Number>", " Text='x'") ==
      "Put: Text is an attribute; allowed is an element");
  CHECK(contains(
      c.refusal("Put", "<Number>1</Number><Secrets Pin='7'/>"),
      "Put/Secrets: Pin is an attribute"));
  CHECK(contains(c.refusal("Put", "<Number>1</Number>", " id='x'"), "(accepted)"));
  CHECK(contains(
      c.refusal("Put", "<Number>1</Number>", " xmlns:o='urn:o' o:Text='x'"), "(accepted)"));
}

TEST_CASE("a fault quotes at most 64 characters of a refused value", "[codec][rule-10]") {
  const codec c;
  const std::string names = xsi + " xmlns:tns='" + ns + "'";
  for (const std::string letter : {"x", "\xC3\xA9", "\xF0\x9F\x98\x80"}) {
    std::string sixty_four;
    for (int count = 0; count != 64; ++count)
      sixty_four += letter;
    const std::string longer = sixty_four + letter;
    const std::string exact = c.refusal("Put", "<Number>" + sixty_four + "</Number>");
    CHECK(contains(exact, "Put/Number: '" + sixty_four + "' is not"));
    const std::string cut = c.refusal("Put", "<Number>" + longer + "</Number>");
    CHECK(contains(cut, sixty_four));
    CHECK_FALSE(contains(cut, longer));
  }
  const std::string much(2000, 'x');
  const std::string number = "<Number>1</Number>";
  const std::string name(900, 'x');
  for (const std::string& content :
       {"<" + name + "/>",
        number + "<Text><" + name + "/></Text>",
        "<Number xmlns='" + much + "'/>",
        "<Number xsi:type='" + much + "'/>",
        "<Number xsi:nil='" + much + "'/>",
        "<Number href='" + much + "'/>",
        number + "<Colour>" + much + "</Colour>"}) {
    const std::string said = c.refusal("Put", content, names);
    CHECK_FALSE(contains(said, "(accepted)"));
    CHECK(contains(said, std::string(64, 'x')));
    CHECK_FALSE(contains(said, std::string(65, 'x')));
  }
}

TEST_CASE("a fault quotes text without control characters", "[codec][rule-10]") {
  const codec c;
  const std::string said = c.refusal("Put", "<Number>1\n2\t&#13;3</Number>");
  CHECK(contains(said, "Put/Number: '1"));
  CHECK(said.find_first_of("\n\r\t") == std::string::npos);
  CHECK(contains(c.refusal("Put", "<Number>a&lt;b>&amp;</Number>"), "'a<b>&' is not"));
}

// --- Headers -------------------------------------------------------------------------------------

TEST_CASE("a header is read by the same rules, its path begins with its name", "[codec][rule-6]") {
  codec c;
  REQUIRE(
      c.answer("Open", "", "", top("Key", "<Word>w</Word><Number>7</Number>", " id='b'")) == "");
  REQUIRE(c.service.key);
  CHECK(c.service.key->number == 7);
  CHECK(c.service.key->word == "w");
  CHECK(contains(c.refusal("Open", "", "", top("Key")), "Key/Number: is missing"));
  CHECK(contains(
      c.refusal("Open", "", "", top("Key", "<Number>1</Number><Other/>")),
      "Key: the element 'Other' is not known here; allowed are Number, Word"));
  CHECK(contains(
      c.refusal("Open", "", "", top("Key", "<Number>1</Number><Word/><Word/>")),
      "Key/Word[2]: may appear only once"));
}

// --- Results -------------------------------------------------------------------------------------

TEST_CASE("results have the shape of their type", "[codec]") {
  codec c;
  CHECK(c.answer("Put", "<Number>1</Number>") == "");
  CHECK(c.answer("Number") == "<NumberResult>42</NumberResult>");
  CHECK(c.answer("Origin") == "<OriginResult><X>0</X></OriginResult>");
  CHECK(c.answer("Point") == "");
  c.service.point = Point{1, 2};
  CHECK(c.answer("Point") == "<PointResult><X>1</X><Y>2</Y></PointResult>");
  c.service.colour = Colour::dark_blue;
  CHECK(c.answer("Colour") == "<ColourResult>Dark Blue</ColourResult>");
}

TEST_CASE("lists wrap their items, which are named by their type", "[codec]") {
  codec c;
  CHECK(c.answer("Points") == "<PointsResult />");
  CHECK(c.answer("Numbers") == "<NumbersResult />");
  c.service.points = {{1, {}}, {2, 3}};
  CHECK(
      c.answer("Points") ==
      "<PointsResult><Point><X>1</X></Point>"
      "<Point><X>2</X><Y>3</Y></Point></PointsResult>");
  c.service.numbers = {1, -2};
  CHECK(c.answer("Numbers") == "<NumbersResult><int>1</int><int>-2</int></NumbersResult>");
  c.service.words = {"a&b", ""};
  CHECK(c.answer("Words") == "<WordsResult><string>a&amp;b</string><string /></WordsResult>");
  c.service.colours = {Colour::dark_blue, Colour::red};
  CHECK(
      c.answer("Colours") ==
      "<ColoursResult><Colour>Dark Blue</Colour><Colour>Red</Colour></ColoursResult>");
}

TEST_CASE(
    "text that XML cannot contain is an incident, not a malformed response",
    "[codec][rule-7][incident]") {
  codec c;
  for (const std::string& bad :
       {std::string("a\x01"),
        std::string("a\0b", 3),
        std::string("\xFF"),
        std::string("\xED\xA0\x80"),
        std::string("\xEF\xBF\xBF")}) {
    c.service.words = {"fine", bad};
    for (const version v : both) {
      const auto response = c.ask(v, top("Words"));
      CHECK(response.status == 500);
      CHECK_FALSE(contains(response.body, "fine"));
      CHECK(contains(response.body, "Incident"));
    }
  }
}

TEST_CASE("an enumerator without a text is an incident", "[codec][rule-7][incident]") {
  codec c;
  c.service.colour = static_cast<Colour>(7);
  for (const version v : both) {
    const auto response = c.ask(v, top("Colour"));
    CHECK(response.status == 500);
    CHECK(contains(response.body, "Incident"));
    CHECK_FALSE(contains(response.body, "ColourResult"));
  }
}

TEST_CASE("a fault's typed detail is its record in the service's namespace", "[codec][rule-7]") {
  const codec c;
  const std::string problem = "<Problem xmlns=\"" + ns +
                              "\"><Code>7</Code><Point><X>1</X><Y>2</Y></Point>"
                              "<Point><X>3</X></Point></Problem>";
  CHECK(contains(c.ask(version::v1_1, top("Fail")).body, "<detail>" + problem + "</detail>"));
  CHECK(contains(
      c.ask(version::v1_2, top("Fail")).body, "<soap12:Detail>" + problem + "</soap12:Detail>"));
}

TEST_CASE("a fault returns its typed detail only as its own type", "[codec]") {
  const auto plain = soapsvc::fault(soapsvc::fault_code::client, "no");
  CHECK(plain.detail_as<Problem>() == nullptr);
  const auto detailed = plain.with(Point{1, 2}).with(Problem{7, {}});
  REQUIRE(detailed.detail_as<Problem>());
  CHECK(detailed.detail_as<Problem>()->code == 7);
  CHECK(detailed.detail_as<Point>() == nullptr);
  CHECK(plain.detail_as<Problem>() == nullptr);
}

// --- Any value encodes and decodes to itself -----------------------------------------------------

namespace {

/// Equal as values, and also equal in details that XML Schema's equality ignores: NaN, -0, offsets.
template <class T> bool same(const T& left, const T& right) {
  if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(left) && std::isnan(right)) ||
           (left == right && std::signbit(left) == std::signbit(right));
  else if constexpr (requires { left.offset_minutes; })
    return left == right && left.offset_minutes == right.offset_minutes && left.day == right.day;
  else if constexpr (std::is_same_v<T, soapsvc::decimal>)
    return left.text() == right.text();
  else
    return left == right;
}
template <class T> bool same(const Three<T>& left, const Three<T>& right) {
  if (!same(left.once, right.once) || left.maybe.has_value() != right.maybe.has_value())
    return false;
  if (left.maybe && !same(*left.maybe, *right.maybe)) return false;
  if constexpr (requires { left.many; })
    return std::equal(
        left.many.begin(),
        left.many.end(),
        right.many.begin(),
        right.many.end(),
        [](const T& a, const T& b) { return same(a, b); });
  return true;
}
bool same(const Everything& left, const Everything& right) {
  return same(left.booleans, right.booleans) && same(left.bytes, right.bytes) &&
         same(left.shorts, right.shorts) && same(left.ints, right.ints) &&
         same(left.longs, right.longs) && same(left.unsigned_bytes, right.unsigned_bytes) &&
         same(left.unsigned_shorts, right.unsigned_shorts) &&
         same(left.unsigned_ints, right.unsigned_ints) &&
         same(left.unsigned_longs, right.unsigned_longs) && same(left.floats, right.floats) &&
         same(left.doubles, right.doubles) && same(left.strings, right.strings) &&
         same(left.binaries, right.binaries) && same(left.dates, right.dates) &&
         same(left.date_times, right.date_times) && same(left.decimals, right.decimals) &&
         same(left.colours, right.colours) && same(left.points, right.points) &&
         std::equal(
             left.inner.begin(),
             left.inner.end(),
             right.inner.begin(),
             right.inner.end(),
             [](const Everything& a, const Everything& b) { return same(a, b); });
}

/// Values that are equal in every run.
class maker {
public:
  explicit maker(std::uint64_t seed) : engine_(seed) {}

  Everything everything(int depth) {
    Everything made;
    fill(made.booleans), fill(made.bytes), fill(made.shorts), fill(made.ints), fill(made.longs);
    fill(made.unsigned_bytes), fill(made.unsigned_shorts), fill(made.unsigned_ints);
    fill(made.unsigned_longs), fill(made.floats), fill(made.doubles), fill(made.strings);
    fill(made.binaries), fill(made.dates), fill(made.date_times), fill(made.decimals);
    fill(made.colours), fill(made.points);
    while (depth != 0 && below(3) == 0)
      made.inner.push_back(everything(depth - 1));
    return made;
  }

private:
  std::uint64_t below(std::uint64_t end) { return engine_() % end; }
  std::int32_t from(std::int32_t first, std::int32_t last) {
    return first + static_cast<std::int32_t>(below(static_cast<std::uint64_t>(last - first + 1)));
  }

  template <class T> void fill(Three<T>& three) {
    make(three.once);
    if (below(2) == 0) make(three.maybe.emplace());
    if constexpr (requires { three.many; })
      while (below(3) != 0)
        make(three.many.emplace_back());
  }

  void make(bool& out) { out = below(2) == 0; }
  template <std::integral Integer> void make(Integer& out) {
    const Integer edges[] = {
        0, 1, std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()};
    out = below(4) == 0 ? edges[below(4)] : static_cast<Integer>(engine_());
  }
  void make(float& out) { out = std::bit_cast<float>(static_cast<std::uint32_t>(engine_())); }
  void make(double& out) {
    const double edges[] = {0.0, -0.0, 1.0 / 3, INFINITY, -INFINITY, NAN, 5e-324};
    out = below(3) == 0 ? edges[below(7)] : std::bit_cast<double>(engine_());
  }
  void make(std::string& out) {
    static const char* const pieces[] = {
        "a",         " ",        "  ",           "<",    ">",   "&", "&amp;", "\"", "'",
        "\r",        "\n",       "\r\n",         "\t",   "]]>", "é", "€",     "😀",  "<!--",
        "<![CDATA[", "\xC2\x85", "\xEF\xBF\xBD", "word", "0"};
    for (std::uint64_t count = below(8); count != 0; --count)
      out += pieces[below(std::size(pieces))];
  }
  void make(soapsvc::binary& out) {
    for (std::uint64_t count = below(20); count != 0; --count)
      out.bytes.push_back(static_cast<std::uint8_t>(engine_()));
  }
  template <class Day> void make_day(Day& out) {
    out.year = below(4) == 0 ? from(-99999, -1) : from(1, 99999);
    out.month = from(1, 12);
    out.day = from(1, 28);
    if (below(2) == 0) out.offset_minutes = from(-840, 840);
  }
  void make(soapsvc::date& out) { make_day(out); }
  void make(soapsvc::date_time& out) {
    make_day(out);
    out.hour = from(0, 23);
    out.minute = from(0, 59);
    out.second = from(0, 59);
    if (below(2) == 0) out.nanosecond = from(0, 999'999'999);
  }
  void make(soapsvc::decimal& out) {
    std::string digits = below(2) == 0 ? "-" : "";
    digits += static_cast<char>('1' + below(9));
    for (std::uint64_t count = below(40); count != 0; --count)
      digits += static_cast<char>('0' + below(10));
    digits += ".";
    for (std::uint64_t count = below(10) + 1; count != 0; --count)
      digits += static_cast<char>('0' + below(10));
    out = soapsvc::decimal(digits);
  }
  void make(Colour& out) { out = below(2) == 0 ? Colour::red : Colour::dark_blue; }
  void make(Point& out) {
    make(out.x);
    if (below(2) == 0) make(out.y.emplace());
  }

  std::mt19937_64 engine_;
};

}  // namespace

TEST_CASE(
    "any value of a record with every type encodes and decodes to itself", "[codec][rule-5]") {
  maker make(20240229);
  codec c;
  for (int round = 0; round != 150; ++round) {
    INFO("round " << round);
    const Everything sent = make.everything(3);
    for (const version v : both) {
      c.service.everything = sent;
      const std::string written = c.ask(v, top("Make")).body;
      const std::string content = between(written, "<MakeResult>", "</MakeResult>");
      c.service.everything = {};
      const std::string echoed = c.ask(v, top("Everything", content)).body;
      CHECK(between(echoed, "<EverythingResult>", "</EverythingResult>") == content);
      CHECK(same(sent, c.service.everything));
    }
  }
}

TEST_CASE(
    "a record that contains itself is read up to the limit of depth", "[codec][rule-10][limits]") {
  maker make(1);
  codec c;
  c.service.everything = make.everything(0);
  const std::string flat =
      between(c.ask(version::v1_1, top("Make")).body, "<MakeResult>", "</MakeResult>");
  const auto nested = [&](int depth) {
    std::string text = flat;
    for (int count = 0; count != depth; ++count)
      text = flat + element("Inner", text);
    return text;
  };
  CHECK(c.ask(version::v1_2, top("Everything", nested(20))).status == 200);
  const Everything* at = &c.service.everything;
  int depth = 0;
  for (; !at->inner.empty(); at = &at->inner.front())
    ++depth;
  CHECK(depth == 20);
  CHECK(contains(c.refusal("Everything", nested(200)), "128"));
}
