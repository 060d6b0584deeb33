// Text to value and back ([text]). The first byte selects the type; the rest is the text. If it
// parses, the text that is written for the value must parse to an equal value, be written unchanged
// again, and need no escapes. Any text, as a string, must survive an element and an attribute.
//
// The built-in types are followed by rows of a record ([codec]): lists, unions, qualified names,
// types of strings and integers without a C++ type, and facets. A value that such a row accepts can
// be sent, and is accepted again. Other texts are refused by a fault.
#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include "fuzz.hpp"
#include "soapsvc.hpp"

namespace rows {

enum class Colour { red, green };

template <class T> struct of { std::optional<T> value; };
struct strings {
  std::optional<std::string> normalized, token, language, name, ncname, nmtoken, id, uri;
};
struct numbers {
  std::optional<soapsvc::integer> integer, non_negative, positive, non_positive, negative;
};
struct bounds {
  std::optional<soapsvc::date> day;
  std::optional<soapsvc::date_time> moment;
  std::optional<soapsvc::time> hour;
  std::optional<soapsvc::duration> span;
  std::optional<soapsvc::g_year> year;
  std::optional<soapsvc::g_year_month> year_month;
  std::optional<soapsvc::g_month> month;
  std::optional<soapsvc::g_month_day> month_day;
  std::optional<soapsvc::g_day> day_of_month;
  std::optional<float> single;
  std::optional<double> real;
  std::optional<std::int8_t> small;
};
struct counts {
  std::optional<soapsvc::decimal> digits;
  std::optional<std::int64_t> whole;
  std::optional<std::string> text;
  std::optional<soapsvc::binary> bytes;
  std::optional<soapsvc::hex_binary> hex;
  std::optional<soapsvc::list<soapsvc::decimal>> items;
};
struct values {
  std::optional<soapsvc::decimal> decimal;
  std::optional<soapsvc::date_time> moment;
  std::optional<soapsvc::duration> span;
  std::optional<double> real;
  std::optional<std::string> text;
};

}  // namespace rows

template <class T>
inline constexpr auto soapsvc::schema<rows::of<T>> =
    record("Of", field("Value", &rows::of<T>::value));
template <>
inline constexpr auto soapsvc::schema<rows::Colour> =
    enumeration("Colour", value("r", rows::Colour::red), value("g", rows::Colour::green));
template <>
inline constexpr auto soapsvc::schema<rows::strings> = record(
    "Strings",
    field("Normalized", &rows::strings::normalized, xs::normalized_string),
    field("Token", &rows::strings::token, xs::token),
    field("Language", &rows::strings::language, xs::language),
    field("Name", &rows::strings::name, xs::name),
    field("NCName", &rows::strings::ncname, xs::ncname),
    field("NMTOKEN", &rows::strings::nmtoken, xs::nmtoken),
    field("ID", &rows::strings::id, xs::id),
    field("URI", &rows::strings::uri, xs::any_uri));
template <>
inline constexpr auto soapsvc::schema<rows::numbers> = record(
    "Numbers",
    field("Integer", &rows::numbers::integer, xs::integer),
    field("NonNegative", &rows::numbers::non_negative, xs::non_negative_integer),
    field("Positive", &rows::numbers::positive, xs::positive_integer),
    field("NonPositive", &rows::numbers::non_positive, xs::non_positive_integer),
    field("Negative", &rows::numbers::negative, xs::negative_integer));
template <>
inline constexpr auto soapsvc::schema<rows::bounds> = record(
    "Bounds",
    field("Day", &rows::bounds::day, min_inclusive("2020-02-29"), max_exclusive("9999-12-31Z")),
    field("Moment", &rows::bounds::moment, min_exclusive("2020-01-01T00:00:00")),
    field("Hour", &rows::bounds::hour, max_inclusive("12:00:00Z")),
    field("Span", &rows::bounds::span, min_exclusive("P1M"), max_inclusive("P1Y1D")),
    field("Year", &rows::bounds::year, min_inclusive("1999")),
    field("YearMonth", &rows::bounds::year_month, max_inclusive("1999-12+01:00")),
    field("Month", &rows::bounds::month, max_exclusive("--10")),
    field("MonthDay", &rows::bounds::month_day, min_exclusive("--02-29")),
    field("DayOfMonth", &rows::bounds::day_of_month, max_inclusive("---30Z")),
    field("Single", &rows::bounds::single, max_exclusive("INF")),
    field("Real", &rows::bounds::real, min_inclusive("-0"), max_inclusive("1e300")),
    field("Small", &rows::bounds::small, min_exclusive("-128"), max_exclusive("127")));
template <>
inline constexpr auto soapsvc::schema<rows::counts> = record(
    "Counts",
    field("Digits", &rows::counts::digits, total_digits(5), fraction_digits(2)),
    field("Whole", &rows::counts::whole, total_digits(3)),
    field("Text", &rows::counts::text, length(2)),
    field("Bytes", &rows::counts::bytes, min_length(1), max_length(3)),
    field("Hex", &rows::counts::hex, length(2)),
    field("Items", &rows::counts::items, min_length(1), max_length(3)));
template <>
inline constexpr auto soapsvc::schema<rows::values> = record(
    "Values",
    field("Decimal", &rows::values::decimal, enumerated("1.50", "-0", "100")),
    field("Moment", &rows::values::moment, enumerated("2000-01-01T24:00:00Z")),
    field("Span", &rows::values::span, enumerated("P1Y", "PT60S")),
    field("Real", &rows::values::real, enumerated("NaN", "1e1", "-INF")),
    field("Text", &rows::values::text, enumerated("a", " b ", "")));

namespace {

using soapsvc::detail::from_text;
using soapsvc::detail::to_text;

template <class T> std::string written(const T& value) {
  std::string text;
  to_text(text, value);
  return text;
}

/// Equal by XML Schema part 2, except that NaN equals itself here (3.2.4 and 3.2.5), and that the
/// bits count, so that the sign of zero is kept.
template <class T> bool same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
  else
    return a == b;
}

/// Details of a value that its comparison ignores.
std::string facts(const soapsvc::date& value) {
  return std::to_string(value.year) + ' ' + std::to_string(value.month) + ' ' +
         std::to_string(value.day) + ' ' + std::to_string(value.offset_minutes.value_or(9'999));
}
std::string facts(const soapsvc::date_time& value) {
  const soapsvc::date day{value.year, value.month, value.day, value.offset_minutes};
  return facts(day) + ' ' + std::to_string(value.hour) + ' ' + std::to_string(value.minute) + ' ' +
         std::to_string(value.second) + ' ' + std::to_string(value.nanosecond);
}
std::string facts(const soapsvc::time& value) { return facts(value.on({})); }
std::string facts(const soapsvc::duration& value) {
  return std::to_string(value.months) + ' ' + std::to_string(value.seconds) + ' ' +
         std::to_string(value.nanoseconds);
}
template <soapsvc::detail::part_of_date Part> std::string facts(const Part& value) {
  return facts(value.first_day());
}
template <class T> std::string facts(const T&) { return {}; }

/// The other conversions of a value, which must agree with its text.
void check_conversions(const soapsvc::date& value) {
  fuzz::require(value.ok(), "a date that was read is ok()");
  if (const auto day = value.to_year_month_day())
    fuzz::require(
        facts(soapsvc::date::from(*day)) ==
            facts(soapsvc::date{value.year, value.month, value.day}),
        "a date survives std::chrono");
}
void check_conversions(const soapsvc::date_time& value) {
  fuzz::require(value.ok(), "a date_time that was read is ok()");
  if (const auto moment = value.to_sys_time())
    fuzz::require(
        facts(soapsvc::date_time::from(*moment, value.offset_minutes.value_or(0))) == facts(value),
        "a date_time survives std::chrono");
  const auto seconds = value.to_sys_seconds();
  fuzz::require(seconds.has_value() == value.offset_minutes.has_value(), "to_sys_seconds");
}
void check_conversions(const soapsvc::decimal& value) {
  const auto scale = static_cast<unsigned>(std::min<std::size_t>(value.scale(), 40));
  if (const auto units = value.units(scale))
    fuzz::require(soapsvc::decimal(*units, scale) == value, "a decimal survives its units");
}
void check_conversions(const soapsvc::integer& value) {
  if (const auto number = value.to_int64())
    fuzz::require(soapsvc::integer(*number) == value, "an integer survives 64 bits");
  if (const auto number = value.to_uint64())
    fuzz::require(soapsvc::integer(*number) == value, "an integer survives 64 bits");
  const auto type = soapsvc::detail::element_type_of<soapsvc::integer>();
  const auto digits = soapsvc::detail::digits_of(type, &value);
  fuzz::require(digits.total >= 1 && digits.fraction == 0, "an integer has digits");
}
void check_conversions(const soapsvc::duration& value) {
  fuzz::require(value.ok(), "a duration that was read is ok()");
  if (const auto length = value.to_nanoseconds())
    fuzz::require(
        facts(soapsvc::duration::from(*length)) == facts(value), "a duration survives std::chrono");
  const soapsvc::duration most{.months = std::numeric_limits<std::int64_t>::max()};
  fuzz::require(value <= most || value.seconds > 0, "no duration has more months");
}
template <class T> void check_conversions(const T&) {}

template <class T> void check(std::string_view text) {
  T value{};
  if (!from_text(text, value)) return;
  const std::string canonical = written(value);
  fuzz::require(canonical.find_first_of("<>&\r\n\t") == canonical.npos, "needs no escaping");
  T again{};
  fuzz::require(from_text(canonical, again), "what is written can be read", canonical);
  fuzz::require(same(value, again), "what is written is equal", canonical);
  fuzz::require(facts(value) == facts(again), "what is written says the same", canonical);
  fuzz::require(written(again) == canonical, "what is written is written again", canonical);
  T spaced{};
  fuzz::require(from_text(" \t\r\n" + canonical + " \n", spaced), "space collapses", canonical);
  fuzz::require(same(value, spaced), "space means nothing", canonical);
  check_conversions(value);
}

/// Escaped text is read back unchanged (XML 1.0, 2.11 and 3.3.3), and invalid XML text is refused.
void check_string(std::string_view text) {
  std::string markup = "<a b=\"";
  bool refused = false;
  try {
    soapsvc::detail::append_escaped_attribute(markup, text);
    markup += "\">";
    soapsvc::detail::append_escaped(markup, text);
    markup += "</a>";
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  const bool bad = soapsvc::detail::find_bad_char(text) != text.npos;
  fuzz::require(refused == bad, "text is refused when it is no XML text, and only then");
  if (refused) return;
  static soapsvc::detail::xml_document document;
  const auto root = document.parse(markup, "utf-8", soapsvc::message_limits{});
  fuzz::require(root.text() == text, "text survives", markup);
  fuzz::require(root.attribute("", "b") == text, "an attribute survives", markup);
  std::string value;
  fuzz::require(from_text(root.text(), value) && value == text, "a string is its text");
}

/// UTF-8 by table 3-7 of Unicode, for comparison with decode_utf8.
bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) -> unsigned {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
  };
  const auto in = [](unsigned value, unsigned low, unsigned high) {
    return value >= low && value <= high;
  };
  for (std::size_t at = 0; at < text.size();) {
    const unsigned a = byte(at);
    const unsigned b = byte(at + 1);
    const bool c = in(byte(at + 2), 0x80, 0xBF);
    const bool d = in(byte(at + 3), 0x80, 0xBF);
    if (a < 0x80)
      at += 1;
    else if (in(a, 0xC2, 0xDF) && in(b, 0x80, 0xBF))
      at += 2;
    else if (in(a, 0xE0, 0xEF) && c && in(b, a == 0xE0 ? 0xA0 : 0x80, a == 0xED ? 0x9F : 0xBF))
      at += 3;
    else if (in(a, 0xF0, 0xF4) && c && d && in(b, a == 0xF0 ? 0x90 : 0x80, a == 0xF4 ? 0x8F : 0xBF))
      at += 4;
    else
      return false;
  }
  return true;
}

void check_characters(std::string_view text) {
  bool good = true;
  for (std::string_view rest = text; !rest.empty() && good;) {
    const auto next = soapsvc::detail::decode_utf8(rest);
    good = next.length != 0;
    std::string again;
    if (good) soapsvc::detail::append_utf8(again, next.value);
    fuzz::require(again == rest.substr(0, next.length), "a character is written as it was");
    rest.remove_prefix(next.length);
  }
  fuzz::require(good == is_utf8(text), "UTF-8 is what Unicode says");
}

// --- Rows of records -----------------------------------------------------------------------------

/// Reads a message of one element. nullopt: it is refused, by a fault.
template <class Record> std::optional<Record> read_row(const std::string& message) {
  using namespace soapsvc::detail;
  static xml_document document;
  const node root = document.parse(message, "utf-8", soapsvc::message_limits{});
  Record made{};
  try {
    const decoder reading(
        root, "urn:r", soapsvc::unknown_elements::refuse, soapsvc::soap_version::v1_1, false);
    reading.read_record(root, describe_record<Record>(), &made);
  } catch (const soapsvc::fault& refused) {
    const std::string& said = refused.reason();
    fuzz::require(find_bad_char(said) == said.npos, "a reason can be sent", said);
    return std::nullopt;
  }
  return made;
}

/// The client's message for the value, with a check of facets.
template <class Record> std::string write_row(const Record& value) {
  using namespace soapsvc::detail;
  std::string text;
  writer out(text);
  write_record_in(out, "urn:r", {"R", "urn:r"}, describe_record<Record>(), &value, true);
  return text;
}

template <class Record> void check_row(std::string_view text, std::size_t index) {
  const auto& fields = soapsvc::detail::describe_record<Record>().fields;
  const std::string name(fields[index % fields.size()].name);
  if (soapsvc::detail::find_bad_char(text) != text.npos) return;
  std::string message =
      "<R xmlns='urn:r' xmlns:a='urn:a' xmlns:b=\"urn:b?a&amp;c'd\"><" + name + ">";
  soapsvc::detail::append_escaped(message, text);
  message.append("</" + name + "></R>");
  const auto read = read_row<Record>(message);
  if (!read) return;
  std::string sent;
  try {
    sent = write_row(*read);
  } catch (const std::invalid_argument& error) {
    fuzz::broken("what was read can be sent", message + error.what());
  }
  const auto again = read_row<Record>(sent);
  fuzz::require(again.has_value(), "what is sent can be read", message + sent);
  fuzz::require(write_row(*again) == sent, "what is sent is sent again", message + sent);
}

using check_function = void (*)(std::string_view);

template <class... Types>
constexpr auto checks_of(std::type_identity<soapsvc::detail::type_list<Types...>>) {
  return std::array<check_function, sizeof...(Types)>{[](std::string_view text) {
    if constexpr (std::is_same_v<Types, std::string>)
      check_string(text);
    else
      check<Types>(text);
  }...};
}

using list_of_unions = soapsvc::list<std::variant<std::int16_t, soapsvc::date, rows::Colour>>;
using union_of_lists = std::variant<soapsvc::list<std::int32_t>, soapsvc::list<rows::Colour>>;

/// Each row by itself: those of one field first.
void check_rows(std::string_view text, std::size_t index) {
  switch (index) {
  case 0: return check_row<rows::of<soapsvc::list<std::int32_t>>>(text, 0);
  case 1: return check_row<rows::of<soapsvc::list<double>>>(text, 0);
  case 2: return check_row<rows::of<soapsvc::list<std::string>>>(text, 0);
  case 3: return check_row<rows::of<soapsvc::list<soapsvc::duration>>>(text, 0);
  case 4: return check_row<rows::of<list_of_unions>>(text, 0);
  case 5: return check_row<rows::of<union_of_lists>>(text, 0);
  case 6:
    return check_row<rows::of<std::variant<std::int32_t, soapsvc::date_time, std::string>>>(
        text, 0);
  case 7: return check_row<rows::of<std::variant<bool, soapsvc::decimal, double>>>(text, 0);
  case 8: return check_row<rows::of<std::variant<soapsvc::g_year, soapsvc::integer>>>(text, 0);
  case 9: return check_row<rows::of<soapsvc::qualified_name>>(text, 0);
  default: break;
  }
  index -= 10;
  if (index < 8) return check_row<rows::strings>(text, index);
  if (index < 16) return check_row<rows::numbers>(text, index - 8);
  if (index < 32) return check_row<rows::bounds>(text, index - 16);
  if (index < 40) return check_row<rows::counts>(text, index - 32);
  check_row<rows::values>(text, index - 40);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr auto checks = checks_of(std::type_identity<soapsvc::detail::simple_types>{});
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  check_characters(text);
  // Where the letters end, rows begin.
  const auto chosen = static_cast<std::uint8_t>(data[0] - 'a');
  if (chosen >= 128)
    check_rows(text, chosen % 64U);
  else
    checks[chosen % checks.size()](text);
  return 0;
}
