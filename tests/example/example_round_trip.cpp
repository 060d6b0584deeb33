// Random values of all records of the example, and of a record with every type in every occurrence,
// pass through client and dispatcher unchanged, in both versions. The same holds for equivalent
// spellings of the XML. A failure prints the seed of its round, and SOAPSVC_SEED runs that round
// first.
#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>

#include "auth/auth.hpp"
#include "services/debtor.hpp"
#include "services/employee.hpp"
#include "services/sign_on.hpp"
#include "soapsvc.hpp"

namespace detail = soapsvc::detail;
using detail::node;
using detail::occurrence;
using detail::type_kind;

// --- A record with everything --------------------------------------------------------------------

struct Part {
  AddressType type{};
  std::optional<AddressType> maybe;
  std::vector<AddressType> many;
  std::vector<Part> parts;
};
template <>
inline constexpr auto soapsvc::schema<Part> = record(
    "Part",
    field("Type", &Part::type),
    field("Maybe", &Part::maybe),
    field("Many", &Part::many),
    field("Part", &Part::parts));

/// Every simple type once, absent or not, and repeated; records in all three as well.
struct All {
  bool boolean{};
  std::int8_t int8{};
  std::int16_t int16{};
  std::int32_t int32{};
  std::int64_t int64{};
  std::uint8_t uint8{};
  std::uint16_t uint16{};
  std::uint32_t uint32{};
  std::uint64_t uint64{};
  float float32{};
  double float64{};
  std::string string;
  soapsvc::binary binary;
  soapsvc::date date;
  soapsvc::date_time date_time;
  soapsvc::decimal decimal;
  std::optional<bool> boolean_or_none;
  std::optional<std::int64_t> int64_or_none;
  std::optional<std::uint64_t> uint64_or_none;
  std::optional<double> float64_or_none;
  std::optional<std::string> string_or_none;
  std::optional<soapsvc::binary> binary_or_none;
  std::optional<soapsvc::date> date_or_none;
  std::optional<soapsvc::date_time> date_time_or_none;
  std::optional<soapsvc::decimal> decimal_or_none;
  std::vector<std::int8_t> int8s;
  std::vector<std::uint32_t> uint32s;
  std::vector<float> float32s;
  std::vector<std::string> strings;
  std::vector<soapsvc::binary> binaries;
  std::vector<soapsvc::date> dates;
  std::vector<soapsvc::date_time> date_times;
  std::vector<soapsvc::decimal> decimals;
  Part part;
  std::optional<Part> part_or_none;
  std::vector<Part> parts;
  std::vector<All> inner;
};
template <>
inline constexpr auto soapsvc::schema<All> = record(
    "All",
    field("Boolean", &All::boolean),
    field("Int8", &All::int8),
    field("Int16", &All::int16),
    field("Int32", &All::int32, default_if_absent),
    field("Int64", &All::int64),
    field("UInt8", &All::uint8),
    field("UInt16", &All::uint16),
    field("UInt32", &All::uint32),
    field("UInt64", &All::uint64),
    field("Float32", &All::float32),
    field("Float64", &All::float64),
    field("String", &All::string),
    field("Binary", &All::binary),
    field("Date", &All::date),
    field("DateTime", &All::date_time),
    field("Decimal", &All::decimal, secret),
    field("BooleanOrNone", &All::boolean_or_none),
    field("Int64OrNone", &All::int64_or_none),
    field("UInt64OrNone", &All::uint64_or_none),
    field("Float64OrNone", &All::float64_or_none),
    field("StringOrNone", &All::string_or_none),
    field("BinaryOrNone", &All::binary_or_none),
    field("DateOrNone", &All::date_or_none),
    field("DateTimeOrNone", &All::date_time_or_none),
    field("DecimalOrNone", &All::decimal_or_none),
    field("Int8s", &All::int8s),
    field("UInt32s", &All::uint32s),
    field("Float32s", &All::float32s),
    field("Strings", &All::strings),
    field("Binaries", &All::binaries),
    field("Dates", &All::dates),
    field("DateTimes", &All::date_times),
    field("Decimals", &All::decimals),
    field("Part", &All::part),
    field("PartOrNone", &All::part_or_none),
    field("Parts", &All::parts),
    field("Inner", &All::inner));

// --- Services with the example's messages that keep their arguments ------------------------------

/// Records the request and the header block, and returns or throws the prepared result.
template <class Request, class Result> class Mirror {
public:
  Result call(const Request& request, const std::optional<AuthHeaderWithDomain>& header) {
    seen_request = request;
    seen_header = header;
    if (error) throw soapsvc::fault(soapsvc::fault_code::client, "told to").with(*error);
    return result;
  }
  Request seen_request;
  std::optional<AuthHeaderWithDomain> seen_header;
  Result result{};
  std::optional<Error> error;
};
template <class Request> constexpr const char* operation_name = "";
template <> constexpr const char* operation_name<GetToken> = "GetToken";
template <> constexpr const char* operation_name<GetToken2> = "GetToken2";
template <> constexpr const char* operation_name<GetTokenWithDomain> = "GetTokenWithDomain";
template <> constexpr const char* operation_name<GetListCurrent> = "Address_GetListCurrent";
template <> constexpr const char* operation_name<InsertCurrent> = "Address_InsertCurrent";
template <> constexpr const char* operation_name<GetWebhookSettings> = "WebhookSettings_Get";
template <> constexpr const char* operation_name<All> = "All";
template <class Request, class Result>
inline constexpr auto soapsvc::schema<Mirror<Request, Result>> =
    service("Mirror", operation(operation_name<Request>, &Mirror<Request, Result>::call));

namespace {

class dice {
public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  std::uint64_t below(std::uint64_t end) { return engine_() % end; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  std::int32_t from(std::int32_t first, std::int32_t last) {
    return first + static_cast<std::int32_t>(below(static_cast<std::uint64_t>(last - first + 1)));
  }

private:
  std::mt19937_64 engine_;
};

// --- Random values, made by the tables -----------------------------------------------------------

void make(dice& roll, bool& out) { out = roll.one_in(2); }
template <std::integral Integer> void make(dice& roll, Integer& out) {
  using limits = std::numeric_limits<Integer>;
  const Integer edges[] = {0, 1, limits::min(), limits::max()};
  out = roll.one_in(3) ? edges[roll.below(4)] : static_cast<Integer>(roll.bits() >> roll.below(64));
}
template <std::floating_point Float> void make(dice& roll, Float& out) {
  using limits = std::numeric_limits<Float>;
  const Float edges[] = {
      0,
      -Float{0},
      limits::max(),
      limits::lowest(),
      limits::min(),
      limits::denorm_min(),
      limits::infinity(),
      -limits::infinity(),
      limits::quiet_NaN(),
      Float{1} / 3};
  using bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  out = roll.one_in(3) ? edges[roll.below(std::size(edges))]
                       : std::bit_cast<Float>(static_cast<bits>(roll.bits()));
}
void make(dice& roll, std::string& out) {
  static const char* const pieces[] = {
      "a",
      " ",
      "  ",
      "<",
      ">",
      "&",
      "&amp;",
      "\"",
      "'",
      "\r",
      "\n",
      "\r\n",
      "\t",
      "]]>",
      "é",
      "€",
      "😀",
      "<!--",
      "-->",
      "<![CDATA[",
      "\xC2\x85",
      "\xEF\xBF\xBD",
      "word",
      "0",
      "]]",
      "--",
      "&#65;",
      "&lt;",
      "<?x?>",
      "ÿ",
      "\xEE\x80\x80",
      "%41"};
  out.clear();
  for (std::uint64_t count = roll.below(9); count != 0; --count)
    out += pieces[roll.below(std::size(pieces))];
}
void make(dice& roll, soapsvc::binary& out) {
  out.bytes.clear();
  for (std::uint64_t count = roll.below(20); count != 0; --count)
    out.bytes.push_back(static_cast<std::uint8_t>(roll.bits()));
}
template <class Day> void make_day(dice& roll, Day& out) {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t edges[] = {1, -1, 9999, 10000, -9999, -10000, least, most};
  out.year = roll.one_in(4) ? edges[roll.below(std::size(edges))] : roll.from(1, 3000);
  out.month = roll.from(1, 12);
  out.day = roll.from(1, detail::days_in_month(out.year, out.month));
  if (roll.one_in(2)) out.offset_minutes = roll.from(-840, 840);
}
void make(dice& roll, soapsvc::date& out) { make_day(roll, out); }
void make(dice& roll, soapsvc::date_time& out) {
  make_day(roll, out);
  out.hour = roll.from(0, 23);
  out.minute = roll.from(0, 59);
  out.second = roll.from(0, 59);
  if (roll.one_in(2)) out.nanosecond = roll.from(0, 999'999'999);
}
void make(dice& roll, soapsvc::decimal& out) {
  std::string digits = roll.one_in(2) ? "-" : "";
  for (std::uint64_t count = roll.below(40) + 1; count != 0; --count)
    digits += static_cast<char>('0' + roll.below(10));
  if (roll.one_in(2)) digits += '.';
  for (std::uint64_t count = digits.back() == '.' ? roll.below(10) + 1 : 0; count != 0; --count)
    digits += static_cast<char>('0' + roll.below(10));
  out = soapsvc::decimal(digits);
}

/// The example has no value of another type.
template <class T> void make(dice&, T&) {
  throw std::logic_error("no way to make a value of this type");
}

/// Calls `function(std::type_identity<T>{})` with the C++ type of a simple kind.
template <class Function> void with_simple_type(detail::type_kind kind, Function function) {
  int at = static_cast<int>(detail::type_kind::boolean);
  [&]<class... Types>(detail::type_list<Types...>) {
    const auto call_if_it_is = [&](auto type) {
      if (static_cast<int>(kind) == at++) function(type);
    };
    (call_if_it_is(std::type_identity<Types>{}), ...);
  }(detail::simple_types{});
}

void fill(dice& roll, const detail::record_info& record, void* object, int depth);

void fill(dice& roll, const detail::element_type& type, void* value, int depth) {
  if (type.kind == type_kind::record) return fill(roll, type.record(), value, depth - 1);
  if (type.kind == type_kind::enumeration)
    return set_enumerator(
        type.enumeration(),
        value,
        type.enumeration().values[roll.below(type.enumeration().values.size())]);
  with_simple_type(
      type.kind, [&]<class T>(std::type_identity<T>) { make(roll, *static_cast<T*>(value)); });
}

void fill(dice& roll, const detail::record_info& record, void* object, int depth) {
  for (const detail::field_info& field : record.fields) {
    std::uint64_t count = 1;
    if (field.occurs == occurrence::optional) count = roll.below(2);
    if (field.occurs == occurrence::many)
      count = field.type.kind == type_kind::record && (depth <= 0 || roll.one_in(2))
                  ? 0
                  : roll.below(4);
    for (; count != 0; --count)
      fill(roll, field.type, field.emplace(static_cast<char*>(object) + field.offset), depth);
  }
}

template <class Record> Record random_record(dice& roll, int depth = 3) {
  Record record{};
  fill(roll, detail::describe_record<Record>(), &record, depth);
  return record;
}

// --- Equality, by the tables; told apart where XML Schema's does not look ------------------------

template <class T> bool same(const T& left, const T& right) {
  if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(left) && std::isnan(right)) ||
           (left == right && std::signbit(left) == std::signbit(right));
  else if constexpr (requires { left.offset_minutes, left.day, left.year; })
    return left == right && left.offset_minutes == right.offset_minutes && left.day == right.day &&
           left.year == right.year;
  else if constexpr (std::is_same_v<T, soapsvc::decimal>)
    return left.text() == right.text();
  else
    return left == right;
}

/// The path of the first difference; empty when there is none.
std::string difference(const detail::record_info& record, const void* left, const void* right) {
  for (const detail::field_info& field : record.fields) {
    const void* a_member = static_cast<const char*>(left) + field.offset;
    const void* b_member = static_cast<const char*>(right) + field.offset;
    for (std::size_t index = 0;; ++index) {
      const bool past = index != 0 && field.occurs != occurrence::many;
      const void* a = past ? nullptr : field.item(a_member, index);
      const void* b = past ? nullptr : field.item(b_member, index);
      const std::string here = "/" + std::string(field.name) + "[" + std::to_string(index) + "]";
      if (!a != !b) return here;
      if (!a) break;
      bool equal = true;
      if (field.type.kind == type_kind::record) {
        const std::string inner = difference(field.type.record(), a, b);
        if (!inner.empty()) return here + inner;
      } else if (field.type.kind == type_kind::enumeration) {
        const auto& table = field.type.enumeration();
        equal = find_enumerator(table, a) == find_enumerator(table, b);
      } else {
        with_simple_type(field.type.kind, [&]<class T>(std::type_identity<T>) {
          equal = same(*static_cast<const T*>(a), *static_cast<const T*>(b));
        });
      }
      if (!equal) return here;
    }
  }
  return "";
}
template <class Record>
requires requires { detail::describe_record<Record>(); }
std::string difference(const Record& left, const Record& right) {
  return difference(detail::describe_record<Record>(), &left, &right);
}
template <class Record>
std::string difference(const std::optional<Record>& left, const std::optional<Record>& right) {
  if (!left || !right) return left.has_value() == right.has_value() ? "" : "absent";
  return difference(*left, *right);
}
template <class Record>
std::string difference(const std::vector<Record>& left, const std::vector<Record>& right) {
  if (left.size() != right.size()) return "size";
  for (std::size_t i = 0; i != left.size(); ++i)
    if (auto found = difference(left[i], right[i]); !found.empty()) return found;
  return "";
}
std::string difference(
    const std::optional<std::string>& left, const std::optional<std::string>& right) {
  return left == right ? "" : "text";
}
std::string difference(std::int32_t left, std::int32_t right) { return left == right ? "" : "int"; }

void make_result(dice& roll, std::int32_t& out) { make(roll, out); }
void make_result(dice& roll, std::optional<std::string>& out) {
  out.reset();
  if (!roll.one_in(3)) make(roll, out.emplace());
}
template <class Record> void make_result(dice& roll, std::vector<Record>& out) {
  out.clear();
  for (std::uint64_t count = roll.below(4); count != 0; --count)
    out.push_back(random_record<Record>(roll));
}
void make_result(dice& roll, All& out) { out = random_record<All>(roll); }

// --- Other spellings of the same message ---------------------------------------------------------

enum class coding { utf_8, utf_8_mark, utf_16_le, utf_16_be, latin };

/// Rewrites a message: other prefixes, declarations elsewhere, children in another order,
/// references, CDATA, comments, white space, foreign elements and attributes.
class respeller {
public:
  respeller(dice& roll, coding used) : roll_(roll), is_latin_(used == coding::latin) {}

  std::string document(node root) {
    std::string out = misc();
    element(out, root, "");
    return out + misc();
  }

private:
  bool is_soap(node at) const {
    return at.ns() == detail::soap11_ns || at.ns() == detail::soap12_ns;
  }
  std::string space() {
    static const char* const kinds[] = {"", " ", "\n", "\t", "\r\n", "\r", "  "};
    return kinds[roll_.below(std::size(kinds))];
  }
  std::string misc() {
    std::string out = space();
    if (roll_.one_in(6)) out += "<!-- <a> & ]]> -->" + space();
    return out;
  }
  void reference(std::string& out, char32_t c) {
    char text[16];
    std::snprintf(
        text, sizeof text, roll_.one_in(2) ? "&#%u;" : "&#x%X;", static_cast<unsigned>(c));
    out += text;
  }
  void text(std::string& out, std::string_view value) {
    const bool plain = roll_.one_in(2);
    while (!value.empty()) {
      const auto c = detail::decode_utf8(value);
      const std::string_view bytes = value.substr(0, c.length);
      value.remove_prefix(c.length);
      const bool must = c.value == '&' || c.value == '<' || c.value == '>' || c.value == '\r';
      if (!plain && roll_.one_in(12)) out += "<!---->";
      if (must || (is_latin_ && c.value > 0xFF) || (!plain && roll_.one_in(8)))
        reference(out, c.value);
      else if (!plain && roll_.one_in(8))
        out.append("<![CDATA[").append(bytes).append("]]>");
      else if (c.value == '\n' && roll_.one_in(3))
        out += roll_.one_in(2) ? "\r\n" : "&#10;";
      else
        out += bytes;
    }
  }
  /// `outer` is the declaration that a parent made: a prefix and its namespace, or nothing.
  void element(std::string& out, node at, const std::string& outer_prefix) {
    static const char* const prefixes[] = {"", "a", "soap", "x-1", "_", "ns0"};
    std::string prefix = outer_prefix;
    const bool inherits = at.parent() && at.parent().ns() == at.ns() && !roll_.one_in(5);
    if (!inherits) prefix = prefixes[roll_.below(std::size(prefixes))];
    const std::string name = (prefix.empty() ? "" : prefix + ":") + std::string(at.local());
    out += "<" + name;
    const auto attribute = [&](const std::string& attribute_name, std::string_view value) {
      const char quote = roll_.one_in(2) ? '"' : '\'';
      out += (space() + " " + attribute_name + space() + "=" + space()) + quote;
      out.append(value) += quote;
    };
    if (!is_soap(at) && roll_.one_in(10)) {
      attribute("xmlns:other", "urn:other");
      attribute("other:a", "1");
    }
    if (!inherits) attribute(prefix.empty() ? "xmlns" : "xmlns:" + prefix, at.ns());
    out += space();
    if (!at.has_children() && at.text().empty() && roll_.one_in(2)) {
      out += "/>";
      return;
    }
    out += ">";
    if (at.has_children())
      children(out, at, prefix);
    else
      text(out, at.text());
    out += "</" + name + space() + ">";
  }
  void children(std::string& out, node at, const std::string& prefix) {
    std::vector<node> items;
    for (node child = at.first_child(); child; child = child.next_sibling())
      items.push_back(child);
    // Any order, but equal names keep theirs; Header comes before Body.
    if (!is_soap(at) && roll_.one_in(2))
      for (std::size_t i = 1; i < items.size(); ++i) {
        const std::size_t other = roll_.below(i);
        const auto among = [&](std::size_t from, std::size_t to) {
          for (std::size_t k = from; k <= to; ++k)
            if (k != from && items[k].local() == items[from].local()) return true;
          for (std::size_t k = from; k < to; ++k)
            if (items[k].local() == items[to].local()) return true;
          return false;
        };
        if (!among(other, i)) std::swap(items[other], items[i]);
      }
    for (const node child : items) {
      out += misc();
      if (!is_soap(at) && roll_.one_in(15))
        out += "<f:x xmlns:f='urn:foreign'>any<f:y/>thing</f:x>";
      element(out, child, prefix);
    }
    out += misc();
  }

  dice& roll_;
  bool is_latin_;
};

/// The message in bytes of the coding, and its charset parameter.
std::string encode(std::string_view utf8, coding used, std::string& charset, dice& roll) {
  charset = roll.one_in(2) ? "; charset=utf-8" : "";  // a byte order mark decides
  std::string out = used == coding::utf_8_mark ? "\xEF\xBB\xBF" : "";
  if (used == coding::utf_8 || used == coding::utf_8_mark) return out.append(utf8);
  if (used == coding::latin) charset = "; charset=ISO-8859-1";
  const auto unit = [&](char32_t value) {
    const char low = static_cast<char>(value & 0xFF), high = static_cast<char>(value >> 8 & 0xFF);
    out += used == coding::utf_16_le ? low : high;
    out += used == coding::utf_16_le ? high : low;
  };
  if (used != coding::latin) unit(0xFEFF);
  while (!utf8.empty()) {
    const auto c = detail::decode_utf8(utf8);
    utf8.remove_prefix(c.length);
    if (used == coding::latin) {
      out += static_cast<char>(c.value);
    } else if (c.value < 0x10000) {
      unit(c.value);
    } else {
      unit(0xD800 + ((c.value - 0x10000) >> 10));
      unit(0xDC00 + (c.value & 0x3FF));
    }
  }
  return out;
}

/// Another spelling of the message, and of its media type's charset.
std::string respell(dice& roll, std::string_view message, std::string& media_type) {
  const auto used = static_cast<coding>(roll.below(5));
  detail::xml_document document;
  const std::string utf8 =
      respeller(roll, used).document(document.parse(message, "utf-8", soapsvc::message_limits{}));
  std::string charset;
  std::string bytes = encode(utf8, used, charset, roll);
  media_type = media_type.substr(0, media_type.find(';')) + charset;
  return bytes;
}

// --- The round trip ------------------------------------------------------------------------------

std::uint64_t first_seed() {
  const char* given = std::getenv("SOAPSVC_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 20260117;
}

/// One call with random request, header and result, or fault.
template <class Request, class Result>
void call_once(std::uint64_t seed, soapsvc::soap_version version, bool respelled) {
  using mirror = Mirror<Request, Result>;
  dice roll(seed);
  mirror service;
  make_result(roll, service.result);
  if (roll.one_in(8)) service.error = random_record<Error>(roll);
  soapsvc::dispatcher dispatcher({.ns_base = "http://example.com/soap"});
  dispatcher.add(service);
  std::string last_sent, last_response;
  const soapsvc::transport transport = [&](const soapsvc::http_request& asked) {
    soapsvc::http_request request = asked;
    std::string media_type(asked.header("Content-Type").value());
    last_sent = respelled ? respell(roll, asked.body, media_type) : std::string(asked.body);
    const soapsvc::http_header headers[] = {{"Content-Type", media_type}};
    request.target = "/soap/v3/Mirror.asmx";
    request.headers = headers;
    request.body = last_sent;
    soapsvc::http_response response = dispatcher.handle(request);
    // A fault's code is a qualified name in text, which would need its prefix.
    if (respelled && response.status == 200)
      response.body = respell(roll, response.body, response.content_type);
    last_response = response.body;
    return response;
  };
  soapsvc::client<mirror> client(
      transport, {.ns_base = "http://example.com/soap", .version = version});
  const auto request = random_record<Request>(roll);
  std::optional<AuthHeaderWithDomain> header;
  if (!roll.one_in(3)) header = random_record<AuthHeaderWithDomain>(roll);
  INFO(
      "SOAPSVC_SEED="
      << seed << (respelled ? ", respelled, " : ", ")
      << operation_name<Request> << (version == soapsvc::soap_version::v1_1 ? ", 1.1" : ", 1.2"));
  std::string found;
  try {
    const Result result = client.call(&mirror::call, request, header);
    found = service.error ? "no fault" : difference(result, service.result);
  } catch (const soapsvc::remote_fault& fault) {
    const auto detail = soapsvc::read_detail<Error>(fault);
    found = !service.error ? "fault: " + fault.reason()
                           : difference(detail, std::optional<Error>(*service.error));
  }
  INFO("sent " << last_sent << "\nanswered " << last_response);
  CHECK(found == "");
  CHECK(difference(request, service.seen_request) == "");
  CHECK(difference(header, service.seen_header) == "");
}

template <class Request, class Result> void call_often(int rounds) {
  const std::uint64_t first = first_seed();
  for (int round = 0; round != rounds; ++round)
    for (const auto version : {soapsvc::soap_version::v1_1, soapsvc::soap_version::v1_2})
      for (const bool respelled : {false, true})
        call_once<Request, Result>(first + static_cast<std::uint64_t>(round), version, respelled);
}

}  // namespace

TEST_CASE("any message of the example survives a round trip", "[round-trip]") {
  call_often<GetToken, std::optional<std::string>>(60);
  call_often<GetToken2, std::optional<std::string>>(60);
  call_often<GetTokenWithDomain, std::optional<std::string>>(60);
  call_often<GetListCurrent, std::vector<EmployeeAddress>>(100);
  call_often<InsertCurrent, std::int32_t>(100);
  call_often<GetWebhookSettings, std::vector<WebhookSetting>>(100);
}

TEST_CASE("any value of every type survives a round trip", "[round-trip]") {
  call_often<All, All>(120);
}
