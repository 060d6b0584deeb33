// [text], and the value types of [vocabulary]: lexical and value spaces of XML Schema part 2,
// characters and names of XML 1.0, escaping, encodings. Where a rule has a grammar, the oracle is
// that grammar, written down again as a regular expression or a table, tried with every short text.
#if defined(__GNUC__) && !defined(__clang__)
// With sanitizers, GCC 12 takes a part of std::regex for uninitialized.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <catch2/catch.hpp>

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <new>
#include <random>
#include <regex>
#include <sstream>

#include "../counted_new.hpp"
#include "soapsvc.hpp"

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using soapsvc::binary;
using soapsvc::date;
using soapsvc::date_time;
using soapsvc::decimal;
using soapsvc::duration;
using soapsvc::g_day;
using soapsvc::g_month;
using soapsvc::g_month_day;
using soapsvc::g_year;
using soapsvc::g_year_month;
using soapsvc::hex_binary;
using soapsvc::integer;
namespace detail = soapsvc::detail;

// -- Helpers -----------------------------------------------------------------------------------

const std::string refused = "(refused)";

/// The text that is written after `text` was read as a T.
template <class T> std::string reread(std::string_view text) {
  T value{};
  if (!detail::from_text(text, value)) return refused;
  std::string written;
  detail::to_text(written, value);
  return written;
}

template <class T> std::string written(const T& value) {
  std::string text;
  detail::to_text(text, value);
  return text;
}

template <class T> T read(std::string_view text) {
  T value{};
  INFO(text);
  REQUIRE(detail::from_text(text, value));
  return value;
}

struct example {
  std::string_view text;
  std::string_view written;  // "(refused)" when it must not be read
};

template <class T> void check_examples(std::initializer_list<example> examples) {
  for (const auto& [text, expected] : examples) {
    CAPTURE(text);
    CHECK(reread<T>(text) == expected);
  }
}

/// Calls `check` with every text of at most `longest` characters of `alphabet`.
template <class Check>
void for_each_text(std::string_view alphabet, std::size_t longest, const Check& check) {
  std::vector<std::size_t> digits;
  std::string text;
  for (;;) {
    check(text);
    std::size_t i = 0;
    while (i < digits.size() && digits[i] + 1 == alphabet.size()) {
      digits[i] = 0;
      text[i++] = alphabet[0];
    }
    if (i == digits.size()) {
      if (digits.size() == longest) return;
      digits.push_back(0);
      text.push_back(alphabet[0]);
    } else {
      text[i] = alphabet[++digits[i]];
    }
  }
}

/// A first difference between the texts that are read as T and those that `grammar` matches, or
/// nothing.
template <class T>
std::string difference(std::string_view alphabet, std::size_t longest, const std::regex& grammar) {
  std::string found;
  for_each_text(alphabet, longest, [&](const std::string& text) {
    T value{};
    if (detail::from_text(text, value) != std::regex_match(text, grammar) && found.empty())
      found = "'" + text + "'";
  });
  return found;
}

/// UTF-8 by its definition, one case per length; without a check of validity.
std::string utf8(char32_t c) {
  const auto byte = [](char32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 + c / 64), byte(0x80 + c % 64)};
  if (c < 0x10000) return {byte(0xE0 + c / 4096), byte(0x80 + c / 64 % 64), byte(0x80 + c % 64)};
  return {
      byte(0xF0 + c / 262144),
      byte(0x80 + c / 4096 % 64),
      byte(0x80 + c / 64 % 64),
      byte(0x80 + c % 64)};
}

struct one_byte_range {
  unsigned char from, to;
};
/// Well-formed UTF-8 (Unicode, table 3-7), a row a line.
const std::vector<std::vector<one_byte_range>> well_formed_utf8 = {
    {{0x00, 0x7F}},
    {{0xC2, 0xDF}, {0x80, 0xBF}},
    {{0xE0, 0xE0}, {0xA0, 0xBF}, {0x80, 0xBF}},
    {{0xE1, 0xEC}, {0x80, 0xBF}, {0x80, 0xBF}},
    {{0xED, 0xED}, {0x80, 0x9F}, {0x80, 0xBF}},
    {{0xEE, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}},
    {{0xF0, 0xF0}, {0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}},
    {{0xF1, 0xF3}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}},
    {{0xF4, 0xF4}, {0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}},
};

unsigned table_length(std::string_view text) {
  for (const auto& row : well_formed_utf8) {
    bool fits = text.size() >= row.size();
    for (std::size_t i = 0; fits && i < row.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      fits = byte >= row[i].from && byte <= row[i].to;
    }
    if (fits) return static_cast<unsigned>(row.size());
  }
  return 0;
}

/// Byte sequences that are no UTF-8, a class each.
const std::vector<std::string_view> bad_utf8 = {
    "\x80"sv,  // continuation without a lead, lowest and highest
    "\xBF"sv,  //
    "\xC0\x80"sv,  // overlong NUL
    "\xC0\xAF"sv,  // overlong '/'
    "\xC1\xBF"sv,  // overlong 7F
    "\xE0\x80\x80"sv,  // overlong NUL in three
    "\xE0\x9F\xBF"sv,  // overlong 7FF
    "\xF0\x80\x80\x80"sv,  // overlong NUL in four
    "\xF0\x8F\xBF\xBF"sv,  // overlong FFFF
    "\xED\xA0\x80"sv,  // surrogates: D800, DBFF, DC00, DFFF
    "\xED\xAF\xBF"sv,
    "\xED\xB0\x80"sv,
    "\xED\xBF\xBF"sv,
    "\xED\xA0\x81\xED\xB0\x80"sv,  // a pair of them
    "\xF4\x90\x80\x80"sv,  // 110000
    "\xF5\x80\x80\x80"sv,
    "\xF7\xBF\xBF\xBF"sv,
    "\xF8\x88\x80\x80\x80"sv,  // five and six bytes
    "\xFC\x84\x80\x80\x80\x80"sv,
    "\xFE"sv,
    "\xFF"sv,
    "\xC3"sv,  // truncated
    "\xE2\x82"sv,
    "\xE2"sv,
    "\xF0\x9F\x98"sv,
    "\xF0\x9F"sv,
    "\xF0"sv,
    "\xC3\x28"sv,  // interrupted at each place
    "\xE2\x28\xA1"sv,
    "\xE2\x82\x28"sv,
    "\xF0\x28\x8C\xBC"sv,
    "\xF0\x90\x28\xBC"sv,
    "\xF0\x90\x8C\x28"sv,
    "\xC3\xC3"sv,  // a lead where a continuation should be
};

/// Characters that XML 1.0 forbids though they are Unicode.
const std::vector<std::string_view> bad_chars = {
    "\0"sv,
    "\x01"sv,
    "\x08"sv,
    "\x0B"sv,
    "\x0C"sv,
    "\x0E"sv,
    "\x1F"sv,
    "\xEF\xBF\xBE"sv,  // FFFE
    "\xEF\xBF\xBF"sv,  // FFFF
};

std::string escaped(std::string_view text) {
  std::string out;
  detail::append_escaped(out, text);
  return out;
}

std::string escaped_attribute(std::string_view text) {
  std::string out;
  detail::append_escaped_attribute(out, text);
  return out;
}

}  // namespace

// -- Characters --------------------------------------------------------------------------------

TEST_CASE(
    "UTF-8 is decoded exactly where Unicode's table of well-formed sequences says", "[text]") {
  const std::string edges =
      "\x00\x01\x28\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xED\xEF\xF0\xF4\xFF"s;
  std::size_t wrong = 0;
  for (int lead = 0; lead < 256; ++lead)
    for_each_text(edges, 3, [&](const std::string& rest) {
      const std::string text = static_cast<char>(lead) + rest;
      wrong += detail::decode_utf8(text).length != table_length(text);
    });
  CHECK(wrong == 0);
  CHECK(detail::decode_utf8("").length == 0);
  for (const auto bad : bad_utf8) {
    INFO(detail::quoted(bad));
    CHECK(detail::decode_utf8(bad).length == 0);
  }
}

TEST_CASE("every character that can be written in UTF-8 is decoded to itself", "[text]") {
  std::size_t wrong = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string expected = utf8(c);
    std::string appended;
    detail::append_utf8(appended, c);
    const detail::decoded_char back = detail::decode_utf8(expected + "\x80");
    wrong += appended != expected || back.value != c || back.length != expected.size();
  }
  CHECK(wrong == 0);
}

TEST_CASE("the character classes are those of the XML grammar", "[text]") {
  // Counted and summed from the text of the Recommendation, not from this implementation.
  std::uint64_t starts = 0, start_sum = 0, names = 0, name_sum = 0, chars = 0, char_sum = 0;
  for (char32_t c = 0; c <= 0x110000; ++c) {
    starts += detail::is_ncname_start(c);
    start_sum += detail::is_ncname_start(c) ? c : 0;
    names += detail::is_ncname_char(c);
    name_sum += detail::is_ncname_char(c) ? c : 0;
    chars += detail::is_xml_char(c);
    char_sum += detail::is_xml_char(c) ? c : 0;
  }
  // NameStartChar and NameChar less the colon (Namespaces in XML, 4).
  CHECK(starts == 971'506 - 1);
  CHECK(start_sum == 482'650'548'487 - U':');
  CHECK(names == 971'633 - 1);
  CHECK(name_sum == 482'650'658'029 - U':');
  CHECK(chars == 1'112'033);
  CHECK(char_sum == 620'506'743'347);
}

TEST_CASE("name characters begin and end where the XML grammar says", "[text]") {
  struct range {
    char32_t first, last;
    bool is_start;
  };
  // Ranges of XML 1.0, [4] and [4a], neighbours of the same kind joined.
  const range ranges[] = {
      {'-', '.', false},      {'0', '9', false},      {':', ':', true},
      {'A', 'Z', true},       {'_', '_', true},       {'a', 'z', true},
      {0xB7, 0xB7, false},    {0xC0, 0xD6, true},     {0xD8, 0xF6, true},
      {0xF8, 0x2FF, true},    {0x300, 0x36F, false},  {0x370, 0x37D, true},
      {0x37F, 0x1FFF, true},  {0x200C, 0x200D, true}, {0x203F, 0x2040, false},
      {0x2070, 0x218F, true}, {0x2C00, 0x2FEF, true}, {0x3001, 0xD7FF, true},
      {0xF900, 0xFDCF, true}, {0xFDF0, 0xFFFD, true}, {0x10000, 0xEFFFF, true},
  };
  const auto kind = [&](char32_t c) {
    for (const range& r : ranges)
      if (c >= r.first && c <= r.last) return r.is_start ? 2 : 1;
    return 0;
  };
  for (const range& r : ranges)
    for (const std::uint32_t code : {r.first - 1U, r.first + 0U, r.last + 0U, r.last + 1U}) {
      const char32_t c = code;
      CAPTURE(static_cast<std::uint32_t>(c));
      CHECK(detail::is_ncname_start(c) == (kind(c) == 2 && c != ':'));
      CHECK(detail::is_ncname_char(c) == (kind(c) != 0 && c != ':'));
      if (c < 0xD800 || c > 0xDFFF) {
        CHECK(detail::is_ncname(utf8(c)) == (kind(c) == 2 && c != ':'));
        CHECK(detail::is_ncname("a" + utf8(c)) == (kind(c) != 0 && c != ':'));
      }
    }
}

TEST_CASE("a name is an NCName, whole, or it is refused", "[text]") {
  for (const auto name : {"a", "_", "Z9", "a.b-c_d", "Address_GetListCurrent", "Größe", "漢字"}) {
    CAPTURE(name);
    CHECK(detail::is_ncname(name));
  }
  for (const auto name :
       {""sv,
        "9a"sv,
        "-a"sv,
        ".a"sv,
        "a:b"sv,
        ":a"sv,
        "a "sv,
        " a"sv,
        "a b"sv,
        "a\n"sv,
        "a\0"sv,
        "a\0b"sv,
        "a/b"sv,
        "a\xC3"sv,
        "\xC3\xB7"sv,
        "a\xC3\x97"sv,
        "a\xED\xA0\x80"sv,
        "a<"sv}) {
    CAPTURE(name);
    CHECK_FALSE(detail::is_ncname(name));
  }
  for (const auto bad : bad_utf8)
    CHECK_FALSE(detail::is_ncname("a" + std::string(bad)));
  static_assert(detail::is_ncname("GetToken2") && !detail::is_ncname("2GetToken"));
}

TEST_CASE("a collapsed token has no white space that collapsing would change", "[text]") {
  for (const auto token : {"a"sv, "a b"sv, "a b c"sv, "Größe 1"sv, "<&>"sv, "\xC2\xA0"sv, "0"sv}) {
    CAPTURE(token);
    CHECK(detail::is_collapsed_token(token));
  }
  for (const auto token :
       {""sv,
        " "sv,
        " a"sv,
        "a "sv,
        "a  b"sv,
        "a\tb"sv,
        "a\nb"sv,
        "a\rb"sv,
        "\ta"sv,
        "a\n"sv,
        "a \tb"sv,
        "a\x01"sv,
        "\0"sv}) {
    CAPTURE(token);
    CHECK_FALSE(detail::is_collapsed_token(token));
  }
  for (const auto bad : bad_utf8)
    CHECK_FALSE(detail::is_collapsed_token("a" + std::string(bad)));
  for (const auto bad : bad_chars)
    CHECK_FALSE(detail::is_collapsed_token("a" + std::string(bad)));
  static_assert(detail::is_collapsed_token("HomeAddress") && !detail::is_collapsed_token("a "));
}

TEST_CASE("only space, TAB, LF and CR are white space around a value", "[text]") {
  CHECK(detail::collapse_ends(" \t\r\na b\n\r\t ") == "a b");
  CHECK(detail::collapse_ends("a") == "a");
  CHECK(detail::collapse_ends("").empty());
  CHECK(detail::collapse_ends(" \n ").empty());
  for (int byte = 0; byte < 256; ++byte) {
    const std::string c(1, static_cast<char>(byte));
    const bool is_space = " \t\n\r"s.find(c) != std::string::npos;
    CAPTURE(byte);
    CHECK(detail::collapse_ends(c + "x" + c) == (is_space ? "x" : c + "x" + c));
    CHECK(
        reread<std::int32_t>(c + "5" + c) == (is_space ? "5"
                                              : byte >= '0' && byte <= '9'
                                                  ? written(std::stoi(c + "5" + c))
                                                  : refused));
  }
  for (const auto& space : {"\xC2\xA0"s, "\xE2\x80\x83"s, "\xEF\xBB\xBF"s, "\xC2\x85"s}) {
    CHECK(reread<bool>("true" + space) == refused);
    CHECK(reread<std::int32_t>(space + "5") == refused);
    CHECK(reread<date>("2024-01-01" + space) == refused);
  }
}

// -- Scanning and escaping ---------------------------------------------------------------------

TEST_CASE("an invalid byte is found at every position", "[text]") {
  std::vector<std::string_view> all(bad_utf8);
  all.insert(all.end(), bad_chars.begin(), bad_chars.end());
  const std::vector<std::string> fillers = {
      "a", "\t", "\x7F", "é", "漢", "😀", "<", "\xF4\x8F\xBF\xBF"};
  for (const std::string& filler : fillers)
    for (std::size_t before = 0; before < 40; ++before) {
      std::string good;
      for (std::size_t i = 0; i < before; ++i)
        good += filler;
      CHECK(detail::find_bad_char(good) == std::string_view::npos);
      for (const auto bad : all) {
        INFO(detail::quoted(good + std::string(bad)));
        // With ASCII after it, and at the end, where a sequence is cut off.
        CHECK(
            detail::find_bad_char(good + std::string(bad) + "0123456789abcdefghi") == good.size());
        CHECK(detail::find_bad_char(good + std::string(bad)) == good.size());
      }
    }
}

TEST_CASE("escaping agrees with a byte by byte translation", "[text]") {
  const auto translate = [](std::string_view text, bool is_attribute) {
    std::string out;
    for (const char c : text)
      switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '\r': out += "&#13;"; break;
      case '"': out += is_attribute ? "&quot;" : "\""; break;
      case '\t': out += is_attribute ? "&#9;" : "\t"; break;
      case '\n': out += is_attribute ? "&#10;" : "\n"; break;
      default: out += c;
      }
    return out;
  };
  // Every byte that is a character, in every place of a word and of a block.
  for (int byte = 1; byte < 128; ++byte) {
    if (!detail::is_xml_char(static_cast<char32_t>(byte))) continue;
    for (std::size_t before = 0; before < 36; ++before) {
      const std::string text =
          std::string(before, 'x') + static_cast<char>(byte) + std::string(20, 'y');
      CHECK(escaped(text) == translate(text, false));
      CHECK(escaped_attribute(text) == translate(text, true));
    }
  }
  std::mt19937_64 random(4);
  const std::vector<std::string> pieces = {
      "&",
      "<",
      ">",
      "\"",
      "'",
      "\r",
      "\n",
      "\t",
      "é",
      "漢",
      "😀",
      "abcdefgh",
      "0123456789abcdefg",
      " ",
      "]]>",
      "\x7F"};
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (std::uint64_t left = random() % 20; left > 0; --left)
      text += pieces[random() % pieces.size()];
    CHECK(escaped(text) == translate(text, false));
    CHECK(escaped_attribute(text) == translate(text, true));
  }
  CHECK(escaped("").empty());
  CHECK(escaped({}).empty());
  CHECK(escaped("]]>") == "]]&gt;");
}

TEST_CASE("text that XML cannot contain is not written", "[text]") {
  std::vector<std::string_view> all(bad_utf8);
  all.insert(all.end(), bad_chars.begin(), bad_chars.end());
  for (const auto bad : all)
    for (const auto& before : {""s, "a&b"s, std::string(33, 'x'), "é"s}) {
      INFO(detail::quoted(bad));
      std::string out = "kept";
      CHECK_THROWS_AS(
          detail::append_escaped(out, before + std::string(bad)), std::invalid_argument);
      CHECK_THROWS_AS(
          detail::append_escaped_attribute(out, before + std::string(bad)), std::invalid_argument);
      CHECK(out == "kept");
    }
  std::string out;
  CHECK_THROWS_WITH(detail::append_escaped(out, "abc\x01"), Catch::Contains("at byte 3"));
}

TEST_CASE("a quoted value is short, harmless and valid UTF-8", "[text]") {
  CHECK(detail::quoted("") == "''");
  CHECK(detail::quoted("Home") == "'Home'");
  CHECK(detail::quoted("é漢😀") == "'é漢😀'");
  CHECK(detail::quoted("a\tb\n\x7F") == "'a\\u{9}b\\u{a}\\u{7f}'");
  CHECK(detail::quoted("\0"sv) == "'\\u{0}'");
  CHECK(detail::quoted("\xC2\x85") == "'\\u{85}'");
  CHECK(detail::quoted("\xE2\x80\xAE") == "'\\u{202e}'");  // would turn the line round
  CHECK(detail::quoted("\xE2\x80\xA8") == "'\\u{2028}'");  // would break it
  CHECK(detail::quoted("\xEF\xBF\xBF") == "'\\u{ffff}'");  // XML forbids it
  CHECK(detail::quoted("a\xFFz") == "'a\\x{ff}z'");
  CHECK(detail::quoted("\xE2\x82") == "'\\x{e2}\\x{82}'");
  const std::string full(64, 'x');
  CHECK(detail::quoted(full) == "'" + full + "'");
  CHECK(detail::quoted(full + "y") == "'" + full + "…'");
  std::string wide;
  for (int i = 0; i < 64; ++i)
    wide += "😀";
  CHECK(detail::quoted(wide) == "'" + wide + "'");
  CHECK(detail::quoted(wide + "y") == "'" + wide + "…'");
  for (const auto bad : bad_utf8) {
    const std::string text = detail::quoted(std::string(63, 'x') + std::string(bad));
    CHECK(detail::find_bad_char(text) == std::string_view::npos);
    CHECK_NOTHROW(escaped(text));
  }
}

// -- Other encodings ---------------------------------------------------------------------------

namespace {

std::string utf16(std::u16string_view units, bool is_little_endian) {
  std::string bytes;
  for (const char16_t unit : units) {
    const char low = static_cast<char>(unit & 0xFF);
    const char high = static_cast<char>(unit >> 8);
    bytes += is_little_endian ? low : high;
    bytes += is_little_endian ? high : low;
  }
  return bytes;
}

/// Converts `bytes` to UTF-8 in a buffer with earlier content.
std::string converted(std::string_view bytes, detail::encoding from) {
  std::string out = "was here";
  return detail::to_utf8(bytes, from, out) ? out : refused;
}

}  // namespace

TEST_CASE("UTF-16 is converted in both byte orders", "[text][encoding]") {
  for (const bool is_little : {true, false}) {
    const auto from = is_little ? detail::encoding::utf_16le : detail::encoding::utf_16be;
    const auto check = [&](std::u16string_view units, const std::string& expected) {
      CAPTURE(is_little, expected);
      CHECK(converted(utf16(units, is_little), from) == expected);
    };
    check(u"", "");
    check(u"<a>é漢</a>", "<a>é漢</a>");
    check(
        u"\x00\x7F\x80\x7FF\x800\xD7FF\xE000\xFFFF"sv,
        utf8(0) + utf8(0x7F) + utf8(0x80) + utf8(0x7FF) + utf8(0x800) + utf8(0xD7FF) +
            utf8(0xE000) + utf8(0xFFFF));
    check(u"\xFEFFx", "\xEF\xBB\xBFx");
    const std::pair<std::u16string, char32_t> pairs[] = {
        {{0xD800, 0xDC00}, 0x10000},
        {{0xD800, 0xDFFF}, 0x103FF},
        {{0xD83D, 0xDE00}, 0x1F600},
        {{0xDBFF, 0xDC00}, 0x10FC00},
        {{0xDBFF, 0xDFFF}, 0x10FFFF}};
    for (const auto& [units, character] : pairs)
      check(units + u"x", utf8(character) + "x");
    const std::u16string broken[] = {
        {0xD800},
        {0xDBFF},
        {0xDC00},
        {0xDFFF},
        {0xD800, 'a'},
        {0xDC00, 0xD800},
        {0xD800, 0xD800},
        {'a', 0xD800},
        {0xD800, 0xE000},
        {0xD800, 0xDBFF},
        {0xDC00, 0xDC00},
        {0xD800, 0xD7FF}};
    for (const std::u16string& units : broken)
      check(units, refused);
    CHECK(converted(utf16(u"ab", is_little) + "c", from) == refused);
    CHECK(converted("a", from) == refused);
  }
}

TEST_CASE("ISO-8859-1 has all bytes", "[text][encoding]") {
  std::string all, expected;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    expected += utf8(static_cast<char32_t>(byte));
  }
  CHECK(converted(all, detail::encoding::iso_8859_1) == expected);
}

// -- Strings and booleans ----------------------------------------------------------------------

TEST_CASE("a string keeps its white space", "[text]") {
  for (const auto text : {""sv, " "sv, " a\t\n b "sv, "é"sv})
    CHECK(read<std::string>(text) == text);
}

TEST_CASE("a boolean is true, false, 1 or 0", "[text]") {
  check_examples<bool>(
      {{"true", "true"},       {"false", "false"},     {"1", "true"},      {"0", "false"},
       {" true ", "true"},     {"\t\r\n0\n", "false"}, {"", refused},      {" ", refused},
       {"True", refused},      {"TRUE", refused},      {"FALSE", refused}, {"yes", refused},
       {"01", refused},        {"00", refused},        {"+1", refused},    {"-0", refused},
       {"2", refused},         {"t", refused},         {"true1", refused}, {"tru e", refused},
       {"truefalse", refused}, {"true\0"sv, refused}});
}

// -- Integers ----------------------------------------------------------------------------------

TEMPLATE_TEST_CASE(
    "an integer is read up to its bounds and not beyond",
    "[text]",
    std::int8_t,
    std::uint8_t,
    std::int16_t,
    std::uint16_t,
    std::int32_t,
    std::uint32_t,
    std::int64_t,
    std::uint64_t,
    long long,
    unsigned long long) {
  using limits = std::numeric_limits<TestType>;
  const std::string highest = std::to_string(limits::max());
  const std::string lowest = std::to_string(limits::min());
  // The next number beyond, by hand: the last digit of no bound is 9.
  const auto beyond = [](std::string bound) {
    ++bound.back();
    return bound;
  };
  CHECK(reread<TestType>(highest) == highest);
  CHECK(reread<TestType>(lowest) == lowest);
  CHECK(read<TestType>(highest) == limits::max());
  CHECK(read<TestType>(lowest) == limits::min());
  CHECK(reread<TestType>("+" + highest) == highest);
  CHECK(reread<TestType>("0000000000000000000000000" + highest) == highest);
  CHECK(reread<TestType>(beyond(highest)) == refused);
  CHECK(reread<TestType>("+" + beyond(highest)) == refused);
  CHECK(reread<TestType>(highest + "0") == refused);
  CHECK(reread<TestType>(limits::is_signed ? beyond(lowest) : "-1") == refused);
  CHECK(reread<TestType>("-" + highest) == (limits::is_signed ? "-" + highest : refused));
  CHECK(reread<TestType>(limits::is_signed ? lowest + "0" : "-0000001") == refused);
  check_examples<TestType>(
      {{"0", "0"},
       {"-0", "0"},
       {"+0", "0"},
       {"-000", "0"},
       {"007", "7"},
       {"+5", "5"},
       {" 12\n", "12"},
       {"\t\r12", "12"},
       {"", refused},
       {" ", refused},
       {"+", refused},
       {"-", refused},
       {"+-5", refused},
       {"--5", refused},
       {"++5", refused},
       {"- 5", refused},
       {"+ 5", refused},
       {"1 2", refused},
       {"5.", refused},
       {"5.0", refused},
       {"1e1", refused},
       {"0x1", refused},
       {"1,0", refused},
       {"1'0", refused},
       {"5-", refused},
       {"a", refused},
       {"1a", refused},
       {"5\0"sv, refused},
       {"٣", refused},
       {"18446744073709551616", refused},
       {"340282366920938463463374607431768211461", refused},
       {"99999999999999999999", refused}});
}

TEST_CASE("every number near the bounds of the small integers is judged correctly", "[text]") {
  std::size_t wrong = 0;
  const auto check = [&]<class T>(std::type_identity<T>, std::int32_t number) {
    const std::string text = std::to_string(number);
    const bool fits =
        number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
    wrong += reread<T>(text) != (fits ? text : refused);
  };
  for (std::int32_t number = -66'000; number <= 66'000; ++number) {
    check(std::type_identity<std::int8_t>{}, number);
    check(std::type_identity<std::uint8_t>{}, number);
    check(std::type_identity<std::int16_t>{}, number);
    check(std::type_identity<std::uint16_t>{}, number);
  }
  CHECK(wrong == 0);
}

TEST_CASE("any 64 bit integer survives being written and read", "[text]") {
  std::mt19937_64 random(64);
  std::size_t wrong = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t number = random() >> (random() % 64);
    const auto as_signed = static_cast<std::int64_t>(random() % 2 == 0 ? number : 0 - number);
    wrong += written(number) != std::to_string(number);
    wrong += written(as_signed) != std::to_string(as_signed);
    wrong += read<std::uint64_t>(written(number)) != number;
    wrong += read<std::int64_t>(written(as_signed)) != as_signed;
  }
  CHECK(wrong == 0);
}

TEST_CASE("short texts are integers where the grammar says so", "[text]") {
  const std::regex grammar("[ \n]*[+-]?[0-9]+[ \n]*");
  CHECK(difference<std::int64_t>("+-09 .e\n", 6, grammar) == "");
  CHECK(difference<std::uint64_t>("+-09 ", 6, std::regex("[ ]*(\\+?[0-9]+|-0+)[ ]*")) == "");
}

TEST_CASE("integers and booleans are read and written without allocating", "[text]") {
  std::string out;
  out.reserve(200);
  std::int64_t number = 0;
  std::uint8_t small = 0;
  bool flag = false;
  double real = 0;
  date_time moment;
  const std::size_t before = allocations;
  bool ok = detail::from_text(" -9223372036854775808 ", number) &&
            detail::from_text("000255", small) && detail::from_text("true", flag) &&
            detail::from_text("1e300", real) &&
            detail::from_text("2024-02-29T01:02:03.5+01:00", moment);
  ok = ok && !detail::from_text("99999999999999999999", number);
  detail::to_text(out, number);
  detail::to_text(out, small);
  detail::to_text(out, flag);
  detail::to_text(out, real);
  detail::to_text(out, moment);
  detail::append_escaped(out, "a < b");
  const std::size_t after = allocations;
  CHECK(ok);
  CHECK(after == before);
  CHECK(out.size() > 50);
}

// -- Floating point ----------------------------------------------------------------------------

TEST_CASE("a double has the spellings of XML Schema and no other", "[text]") {
  check_examples<double>(
      {{"0", "0"},
       {"-0", "-0"},
       {"+0", "0"},
       {"-0.0e5", "-0"},
       {"1", "1"},
       {"-1E4", "-10000"},
       {"1267.43233E12", "1.26743233e+15"},
       {"12.78e-2", "0.1278"},
       {"12", "12"},
       {".5", "0.5"},
       {"5.", "5"},
       {"-.5e+1", "-5"},
       {"+5.e01", "50"},
       {"1e0000000000000000000000001", "10"},
       {"00000000000000000000000000001", "1"},
       {" 1.5\n", "1.5"},
       {"INF", "INF"},
       {"-INF", "-INF"},
       {"NaN", "NaN"},
       {"\tNaN ", "NaN"},
       {"0e99999999999999999999", "0"},
       {"-0e-99999999999999999999", "-0"}});
  for (const auto text :
       {"",       " ",    "+INF",   "inf",     "Inf",  "INFINITY", "-inf", "nan",   "NAN",
        "-NaN",   "+NaN", "NaN(1)", "1e",      "1E+",  "e5",       ".",    "-.",    "+",
        "-",      ".e1",  "1e1.5",  "1e 1",    "1 e1", "1.2.3",    "0x10", "0x1p3", "1p3",
        "1f",     "1d",   "1,5",    "1_0",     "--1",  "1e--1",    "1ee1", "- 1",   "1#INF",
        "1.0E5a", "I NF", "−1",     "INF INF", "1e1e1"}) {
    CAPTURE(text);
    CHECK(reread<double>(text) == refused);
    CHECK(reread<float>(text) == refused);
  }
}

TEST_CASE("values too large for a float are refused, and values too small are rounded", "[text]") {
  check_examples<double>(
      {{"1.7976931348623157e308", "1.7976931348623157e+308"},
       {"1.7976931348623158e308",
        "1.7976931348623157e+308"},  // nearer to the largest than half way
       {"1.7976931348623159e308", refused},
       {"-1.7976931348623159e308", refused},
       {"1e309", refused},
       {"1e400", refused},
       {"1e401", refused},
       {"1e99999999999999999999", refused},
       {"-1e18446744073709551616", refused},
       {"2.2250738585072014e-308", "2.2250738585072014e-308"},
       {"2.2250738585072011e-308", "2.225073858507201e-308"},
       {"4.9406564584124654e-324", "5e-324"},
       {"2.4703282292062328e-324", "5e-324"},
       {"2.4703282292062327e-324", "0"},
       {"-2.4703282292062327e-324", "-0"},
       {"1e-400", "0"},
       {"1e-401", "0"},
       {"-1e-99999999999999999999", "-0"}});
  check_examples<float>(
      {{"3.4028235e38", "3.4028235e+38"},
       {"3.40282356e38", "3.4028235e+38"},
       {"3.4028236e38", refused},
       {"-3.4028236e38", refused},
       {"1e39", refused},
       {"1.1754944e-38", "1.1754944e-38"},
       {"1.4e-45", "1e-45"},
       {"7.1e-46", "1e-45"},
       {"7.0e-46", "0"},
       {"1e-60", "0"},
       {"-1e-400", "-0"},
       // 1 + 2^-24 + a little: a double in between would round it down
       {"1.000000059604644775390626", "1.0000001"},
       {"1.000000059604644775390625", "1"}});
  CHECK(std::signbit(read<double>("-1e-500")));
  CHECK(std::isnan(read<float>("NaN")));
  CHECK(read<float>("-INF") == -std::numeric_limits<float>::infinity());
}

TEST_CASE("short texts are floating point numbers where the grammar says so", "[text]") {
  const std::regex grammar("[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([Ee][+-]?[0-9]+)?");
  CHECK(
      difference<double>(
          "+-1.eE x",
          6,
          std::regex(" *([+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)"
                     "([Ee][+-]?[0-9]{1,3})?) *")) == "");
  CHECK(difference<float>("+-0.E", 7, grammar) == "");
  CHECK(difference<double>("INF-+a", 5, std::regex("-?INF|NaN")) == "");
}

TEST_CASE("any double and any float survives being written and read", "[text]") {
  std::mt19937_64 random(53);
  std::size_t wrong = 0;
  for (int round = 0; round < 50'000; ++round) {
    const auto number = std::bit_cast<double>(random());
    const auto small = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const std::string text = written(number);
    if (std::isfinite(number)) {
      wrong +=
          std::bit_cast<std::uint64_t>(read<double>(text)) != std::bit_cast<std::uint64_t>(number);
      wrong += std::strtod(text.c_str(), nullptr) != number;
    }
    if (std::isfinite(small)) {
      wrong += std::bit_cast<std::uint32_t>(read<float>(written(small))) !=
               std::bit_cast<std::uint32_t>(small);
      wrong += std::strtof(written(small).c_str(), nullptr) != small;
    }
  }
  CHECK(wrong == 0);
  CHECK(written(0.1) == "0.1");
  CHECK(written(0.1F) == "0.1");
  CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(written(-std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(written(std::numeric_limits<float>::infinity()) == "INF");
  CHECK(written(-std::numeric_limits<double>::infinity()) == "-INF");
}

TEST_CASE("numbers of any length are rounded as strtod rounds them", "[text]") {
  std::mt19937_64 random(1'000);
  const auto digits = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += static_cast<char>('0' + random() % 10);
    return text;
  };
  std::size_t wrong = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string text = digits(random() % 30);
    text += "." + digits(1 + random() % (round % 10 == 0 ? 3'000 : 30));
    text += "e" + std::to_string(static_cast<int>(random() % 700) - 350);
    const double expected = std::strtod(text.c_str(), nullptr);
    double number = 1;
    const bool fits = detail::from_text(text, number);
    wrong += fits != std::isfinite(expected) || (fits && number != expected);
  }
  CHECK(wrong == 0);
  // Huge exponents that as many digits make up for.
  const std::string zeros(1'000'000, '0');
  CHECK(read<double>("0." + zeros + "1e1000001") == 1);
  CHECK(read<double>("-25" + zeros + "E-1000000") == -25);
  CHECK(read<double>("0." + zeros + "1e999000") == 0);
  CHECK(reread<double>("1" + zeros + "E-999000") == refused);
  CHECK(read<double>("1" + zeros + "." + zeros + "e-1000000") == 1);
}

TEST_CASE("half way between two doubles the even one is chosen, however long the text", "[text]") {
  std::mt19937_64 random(1074);
  for (int round = 0; round < 300; ++round) {
    const double low = std::bit_cast<double>(random() >> (round % 3 == 0 ? 12 : 2));
    const double high = std::nextafter(low, std::numeric_limits<double>::infinity());
    if (!std::isfinite(high)) continue;
    // A long double holds the middle exactly, and its decimal form ends.
    const long double middle = (static_cast<long double>(low) + static_cast<long double>(high)) / 2;
    std::array<char, 1'500> exact{};
    const int size = std::snprintf(exact.data(), exact.size(), "%.1200Le", middle);
    REQUIRE(size > 1'200);
    const std::string text(exact.data());
    const std::string mantissa = text.substr(0, text.find('e'));
    const std::string exponent = text.substr(text.find('e'));
    const double even = (std::bit_cast<std::uint64_t>(low) & 1) == 0 ? low : high;
    CAPTURE(low);
    CHECK(read<double>(mantissa + exponent) == even);
    CHECK(read<double>(mantissa + "1" + exponent) == high);
    CHECK(read<double>(mantissa + std::string(2'000, '0') + "1" + exponent) == high);
    CHECK(read<double>("0000" + mantissa + std::string(2'000, '0') + exponent) == even);
    // One less in the last place that is not zero.
    std::string below = mantissa;
    std::size_t last = below.find_last_not_of('0');
    REQUIRE(below[last] == '5');
    below[last] = '4';
    CHECK(read<double>(below + "9" + exponent) == low);
  }
}

/// As where the library has no std::from_chars for it.
template <typename Float> Float read_without_point(const std::string& text) {
  detail::floating_text number;
  INFO(text);
  REQUIRE(detail::read_floating_text(text, number));
  const auto place = number.place();
  const Float size = place ? detail::size_without_point<Float>(number, *place) : Float{0};
  return number.is_negative ? -size : size;
}

TEST_CASE("libraries that cannot read floating point numbers read the same", "[text]") {
  std::mt19937_64 random(77);
  std::size_t wrong = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string text = round % 2 == 0 ? "-" : "";
    for (std::uint64_t count = 1 + random() % 40; count != 0; --count) {
      text += static_cast<char>('0' + random() % 10);
      if (random() % 20 == 0 && text.find('.') == std::string::npos) text += '.';
    }
    const std::string small = text + "e-" + std::to_string(5 + random() % 40);
    text += 'E' + std::to_string(static_cast<int>(random() % 590) - 330);
    wrong += read_without_point<double>(text) != read<double>(text);
    wrong += read_without_point<float>(small) != read<float>(small);
  }
  CHECK(wrong == 0);
  // Half way between two numbers, and a little more, in the last of many digits.
  const std::string half = "9007199254740993." + std::string(900, '0');
  CHECK(read_without_point<double>(half) == 9007199254740992.0);
  CHECK(read_without_point<double>(half + '1') == 9007199254740994.0);
  CHECK(read_without_point<double>("0.000") == 0);
  CHECK(read_without_point<double>("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(read_without_point<double>("1e309") == std::numeric_limits<double>::infinity());
  CHECK(read_without_point<float>("1e39") == std::numeric_limits<float>::infinity());
}

TEST_CASE("no locale changes how numbers are read and written", "[text]") {
  struct comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new comma));
  for (const auto name : {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"})
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  const std::string real = reread<double>("1234567.5");
  const std::string broken = reread<double>("1,5");
  const std::string whole = reread<std::int32_t>("1234567");
  const std::string moment = reread<date_time>("12024-01-01T00:00:00.5");
  const std::string length = reread<duration>("P12345DT0.5S");
  const std::string long_whole = reread<integer>("12345678901234567890123");
  const std::string other_break = reread<duration>("PT1,5S");
  std::ostringstream streamed;
  streamed.imbue(std::locale());
  streamed << g_year{12'345} << ' ' << integer(1'234'567) << ' ' << decimal("1234.5");
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  CHECK(real == "1234567.5");
  CHECK(broken == refused);
  CHECK(whole == "1234567");
  CHECK(moment == "12024-01-01T00:00:00.5");
  CHECK(length == "P12345DT0.5S");
  CHECK(long_whole == "12345678901234567890123");
  CHECK(other_break == refused);
  CHECK(streamed.str() == "12345 1234567 1234.5");
}

// -- Decimal -----------------------------------------------------------------------------------

TEST_CASE("a decimal keeps its digits, without a plus sign and leading zeros", "[text][values]") {
  check_examples<decimal>(
      {{"0", "0"},
       {"10.50", "10.50"},
       {"-10.50", "-10.50"},
       {"+1.5", "1.5"},
       {"-1.23", "-1.23"},
       {"12678967.543233", "12678967.543233"},
       {"+100000.00", "100000.00"},
       {"210", "210"},
       {".5", "0.5"},
       {"-.5", "-0.5"},
       {"5.", "5"},
       {"+5.", "5"},
       {"007.10", "7.10"},
       {"000", "0"},
       {"-0", "0"},
       {"-0.00", "0.00"},
       {"-.0", "0.0"},
       {"00.", "0"},
       {" \n1.0\t", "1.0"},
       {"-0.001", "-0.001"},
       {"123456789012345678901234567890.123456789012345678901234567890",
        "123456789012345678901234567890.123456789012345678901234567890"},
       {"", refused},
       {" ", refused},
       {".", refused},
       {"-.", refused},
       {"+", refused},
       {"-", refused},
       {"1.2.3", refused},
       {"1..2", refused},
       {"1,2", refused},
       {"1e5", refused},
       {"1E0", refused},
       {"INF", refused},
       {"NaN", refused},
       {"--1", refused},
       {"+-1", refused},
       {"1-", refused},
       {"1.-2", refused},
       {"1 2", refused},
       {"1. 2", refused},
       {"- 1", refused},
       {"0x1", refused},
       {"1.5\0"sv, refused},
       {"٣.٤", refused}});
  CHECK(
      difference<decimal>("+-01. e", 6, std::regex(" *[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+) *")) ==
      "");
}

TEST_CASE("decimals are compared by value", "[values]") {
  // In ascending order; equal ones in one row.
  const std::vector<std::vector<const char*>> rows = {
      {"-100000000000000000000.5"},
      {"-100000000000000000000", "-100000000000000000000.00"},
      {"-10.5", "-10.50", "-010.500"},
      {"-10.49"},
      {"-9"},
      {"-0.5", "-.5"},
      {"-0.05"},
      {"0", "-0", "+0", "0.00", "-0.00", ".0", "000."},
      {"0.000000000000000000000000001"},
      {"0.05"},
      {"0.49"},
      {"0.5", ".50"},
      {"1", "1.0", "1.00", "+01"},
      {"1.000000000000000000000000001"},
      {"9"},
      {"10"},
      {"99999999999999999999999999999"},
      {"100000000000000000000000000000"},
  };
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      for (const char* a : rows[i])
        for (const char* b : rows[j]) {
          CAPTURE(a, b);
          CHECK((decimal(a) <=> decimal(b)) == (i <=> j));
          CHECK((decimal(a) == decimal(b)) == (i == j));
          CHECK((decimal(a) < decimal(b)) == (i < j));
        }
  std::mt19937_64 random(18);
  std::size_t wrong = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto number = [&] { return static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000; };
    const std::int64_t a = number(), b = number() / 100;
    const auto scale_a = static_cast<unsigned>(random() % 7),
               scale_b = static_cast<unsigned>(random() % 7);
    const auto scaled = [](std::int64_t units, unsigned scale) {
      for (; scale < 7; ++scale)
        units *= 10;
      return units;
    };
    wrong += (decimal(a, scale_a) <=> decimal(b, scale_b)) !=
             (scaled(a, scale_a) <=> scaled(b, scale_b));
  }
  CHECK(wrong == 0);
}

TEST_CASE("a decimal is made from units and a scale, and returns them", "[values]") {
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  CHECK(decimal(1050, 2).text() == "10.50");
  CHECK(decimal(-5, 3).text() == "-0.005");
  CHECK(decimal(5, 0).text() == "5");
  CHECK(decimal(0).text() == "0");  // was a null pointer to text
  CHECK(decimal(-12).text() == "-12");
  CHECK(decimal(0, 2).text() == "0.00");
  CHECK(decimal(-7, 1).text() == "-0.7");
  CHECK(decimal(lowest, 0).text() == "-9223372036854775808");
  CHECK(decimal(lowest, 19).text() == "-0.9223372036854775808");
  CHECK(decimal(lowest, 20).text() == "-0.09223372036854775808");
  CHECK(decimal(std::numeric_limits<std::uint64_t>::max()).text() == "18446744073709551615");
  CHECK(decimal(std::uint64_t{1} << 63U, 19).text() == "0.9223372036854775808");
  CHECK(decimal().text() == "0");
  CHECK(decimal("10.50").scale() == 2);
  CHECK(decimal("10").scale() == 0);
  CHECK(decimal("10.50").units(2) == 1050);
  CHECK(decimal("10.50").units(1) == 105);
  CHECK(decimal("10.50").units(4) == 105'000);
  CHECK(decimal("10.50").units(0) == std::nullopt);
  CHECK(decimal("10.00").units(0) == 10);
  CHECK(decimal("-0.05").units(2) == -5);
  CHECK(decimal("-0.05").units(1) == std::nullopt);
  CHECK(decimal("0.000").units(0) == 0);
  CHECK(decimal().units(4'000'000'000) == 0);
  CHECK(decimal("1").units(4'000'000'000) == std::nullopt);
  CHECK(decimal("92233720368547758.07").units(2) == highest);
  CHECK(decimal("92233720368547758.08").units(2) == std::nullopt);
  CHECK(decimal("-92233720368547758.08").units(2) == lowest);
  CHECK(decimal("-92233720368547758.09").units(2) == std::nullopt);
  CHECK(decimal("9223372036854775807").units(1) == std::nullopt);
  CHECK(decimal("922337203685477580").units(1) == highest - 7);
  CHECK(decimal("922337203685477581").units(1) == std::nullopt);
  CHECK(decimal("18446744073709551617").units(0) == std::nullopt);
  CHECK(decimal("184467440737095516150000000000").units(0) == std::nullopt);
  std::mt19937_64 random(19);
  for (int round = 0; round < 5'000; ++round) {
    const auto units = static_cast<std::int64_t>(random() >> (random() % 64));
    const auto scale = static_cast<unsigned>(random() % 30);
    const decimal number(units, scale);
    CHECK(number.units(scale) == units);
    CHECK(number.scale() == scale);
    CHECK(reread<decimal>(number.text()) == number.text());
    CHECK(decimal(number.text()) == number);
  }
}

TEST_CASE("a decimal is made only from a valid text", "[values]") {
  for (const auto text : {"", " ", "1 ", " 1", "1e5", "ten", "1,5", "."}) {
    CAPTURE(text);
    CHECK_THROWS_AS(decimal(text), std::invalid_argument);
    CHECK_FALSE(decimal::parse(text));
  }
  CHECK(decimal::parse("1.50").value().text() == "1.50");
  static_assert(!std::is_constructible_v<decimal, double, unsigned>);
  static_assert(!std::is_constructible_v<decimal, float>);
  static_assert(!std::is_constructible_v<decimal, std::nullptr_t>);
  static_assert(!std::is_constructible_v<decimal, char>);
  static_assert(!std::is_constructible_v<decimal, bool, unsigned>);
  static_assert(!std::is_convertible_v<const char*, decimal>);
  static_assert(!std::is_convertible_v<std::int64_t, decimal>);
  decimal from("12345678901234567890.5");
  const decimal to = std::move(from);
  CHECK(to.text() == "12345678901234567890.5");
  CHECK(from == decimal());  // NOLINT(bugprone-use-after-move): it stays a number
  CHECK(from.text() == "0");
}

TEST_CASE("text that can be sent is UTF-8 of the characters of XML", "[text][encoding]") {
  for (const std::string_view good :
       {"",
        "a\t\n\r ",
        "\x7f",
        "\xc3\xa9",
        "\xed\x9f\xbf",
        "\xee\x80\x80",
        "\xef\xbf\xbd",
        "\xf4\x8f\xbf\xbf"})
    CHECK(soapsvc::is_xml_text(good));
  for (const std::string_view bad :
       {std::string_view("a\0", 2),
        std::string_view("\x01"),
        std::string_view("\x1f"),
        std::string_view("\xef\xbf\xbe"),  // U+FFFE
        std::string_view("\xed\xa0\x80"),  // half of a surrogate pair
        std::string_view("\xc0\x80"),  // longer than it needs to be
        std::string_view("\xf4\x90\x80\x80"),  // beyond U+10FFFF
        std::string_view("\xc3"),
        std::string_view("\xff")})
    CHECK_FALSE(soapsvc::is_xml_text(bad));
}

// -- Dates -------------------------------------------------------------------------------------

TEST_CASE("a date has the lexical form of XML Schema 1.0", "[text][values][rule-14]") {
  check_examples<date>(
      {{"2024-02-29", "2024-02-29"},
       {"2023-02-28", "2023-02-28"},
       {"0001-01-01", "0001-01-01"},
       {"9999-12-31", "9999-12-31"},
       {"10000-01-01", "10000-01-01"},
       {"-0001-12-31", "-0001-12-31"},
       {"-12345-06-30", "-12345-06-30"},
       {"2147483647-12-31", "2147483647-12-31"},
       {"-2147483648-01-01", "-2147483648-01-01"},
       {"2024-02-29Z", "2024-02-29Z"},
       {"2024-02-29+00:00", "2024-02-29Z"},
       {"2024-02-29-00:00", "2024-02-29Z"},
       {"2024-02-29+14:00", "2024-02-29+14:00"},
       {"2024-02-29-14:00", "2024-02-29-14:00"},
       {"2024-02-29+13:59", "2024-02-29+13:59"},
       {"2024-02-29-00:30", "2024-02-29-00:30"},
       {" \t2024-02-29\r\n", "2024-02-29"}});
  for (const auto text :
       {"",
        "2024",
        "2024-02",
        "2024-02-",
        "2024-2-29",
        "2024-02-9",
        "2024-02-029",
        "24-02-29",
        "024-02-29",
        "02024-02-29",
        "00001-01-01",
        "0000-01-01",
        "-0000-01-01",
        "+2024-02-29",
        "--2024-02-29",
        "- 2024-02-29",
        "2147483648-01-01",
        "-2147483649-01-01",
        "99999999999999999999-01-01",
        "2024-00-01",
        "2024-13-01",
        "2024-01-00",
        "2024-01-32",
        "2023-02-29",
        "1900-02-29",
        "2024-02-30",
        "2024-04-31",
        "2024-06-31",
        "2024-09-31",
        "2024-11-31",
        "2024-99-99",
        "2024/02/29",
        "20240229",
        "2024-W09-4",
        "2024-060",
        "2024-02-29z",
        "2024-02-29 Z",
        "2024-02-29ZZ",
        "2024-02-29+14:01",
        "2024-02-29-14:01",
        "2024-02-29+15:00",
        "2024-02-29+1:00",
        "2024-02-29+01",
        "2024-02-29+0100",
        "2024-02-29+01:60",
        "2024-02-29+01:0",
        "2024-02-29+01:000",
        "2024-02-29+-1:00",
        "2024-02-29+",
        "2024-02-29-",
        "2024-02-2901:00",
        "2024-02-29T00:00:00",
        "2024 -02-29",
        "2024-02-29\xC2\xA0",
        "２０２４-02-29"}) {
    CAPTURE(text);
    CHECK(reread<date>(text) == refused);
  }
  CHECK(reread<date>("2024-02-29\0"sv) == refused);
}

TEST_CASE("the days of every month of 800 years are those of the calendar", "[text][values]") {
  using namespace std::chrono;
  std::size_t wrong = 0;
  for (int y = 1599; y <= 2401; ++y)
    for (unsigned m = 0; m <= 13; ++m)
      for (unsigned d = 27; d <= 32; ++d) {
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", y, m, d);
        const year_month_day day{year{y}, month{m}, std::chrono::day{d}};
        date value;
        const bool is_day = detail::from_text(text.data(), value);
        wrong += is_day != day.ok() || (is_day && value.to_year_month_day() != day);
      }
  CHECK(wrong == 0);
}

TEST_CASE("leap years before our era count from 1 BCE, which is one", "[text][values]") {
  // XML Schema part 2, 3.2.7: there is no year 0, -0001 is 1 BCE.
  for (const int y : {-1, -5, -9, -97, -401, -801, -400'001}) {
    CAPTURE(y);
    CHECK(date{y, 2, 29}.ok());
  }
  for (const int y : {-2, -3, -4, -8, -101, -201, -301, -400, -501, 1, 100, 2023}) {
    CAPTURE(y);
    CHECK_FALSE(date{y, 2, 29}.ok());
  }
  CHECK(reread<date>("-0001-02-29") == "-0001-02-29");
  CHECK(reread<date>("-0004-02-29") == refused);
  CHECK(reread<date>("-0005-02-29") == "-0005-02-29");
  CHECK(reread<date>("-0101-02-29") == refused);
  CHECK(reread<date>("-0401-02-29") == "-0401-02-29");
}

TEST_CASE("dates go to std::chrono and back", "[values]") {
  using namespace std::chrono;
  std::size_t wrong = 0;
  // From year -32767 to 32767, in steps that meet every month and weekday.
  for (sys_days day = sys_days{std::chrono::year::min() / 1 / 1};
       day <= sys_days{std::chrono::year::max() / 12 / 31};
       day += days{997}) {
    const year_month_day ymd{day};
    const date value = date::from(ymd);
    wrong += !value.ok() || value.year == 0 || value.to_year_month_day() != ymd;
    wrong += read<date>(written(value)) != value;
  }
  CHECK(wrong == 0);
  CHECK(date::from(2024y / 2 / 29) == date{2024, 2, 29});
  CHECK(date::from(sys_days{2024y / 2 / 28} + days{1}) == date{2024, 2, 29});
  CHECK(date::from(std::chrono::year{0} / 12 / 31).year == -1);
  CHECK(date{1, 1, 1}.to_year_month_day() == std::chrono::year{1} / 1 / 1);
  CHECK(date{-32'768, 1, 1}.to_year_month_day() == std::chrono::year{-32'767} / 1 / 1);
  CHECK(date{-32'769, 1, 1}.to_year_month_day() == std::nullopt);
  CHECK(date{32'768, 1, 1}.to_year_month_day() == std::nullopt);
  CHECK(date{2023, 2, 29}.to_year_month_day() == std::nullopt);
  CHECK(date{2023, 2, 29}.to_sys_days() == std::nullopt);
  CHECK(date{32'768, 1, 1}.to_sys_days() == std::nullopt);
  using std::chrono::days;
  CHECK(date{1970, 1, 1}.to_sys_days() == std::chrono::sys_days{days{0}});
  CHECK(date{1970, 1, 2, 840}.to_sys_days() == std::chrono::sys_days{days{1}});
  constexpr date leap = date::from(date{2024, 2, 28}.to_sys_days().value() + days{1});
  CHECK(leap.text() == "2024-02-29");
  CHECK(date::from(leap.to_sys_days().value() + days{366}).text() == "2025-03-01");
  CHECK(date::from(date{1, 1, 1}.to_sys_days().value() - days{1}).text() == "-0001-12-31");
  // A year_month_day has years up to 32767, and a later one would become another day in silence.
  CHECK(date::from(sys_days{days{20'000'000}}) == date{56'728, 2, 22});
  CHECK(date::from(sys_days{days{-20'000'000}}) == date{-52'790, 11, 11});
  CHECK(*leap.to_sys_days() - *date{2023, 12, 31}.to_sys_days() == days{60});
  CHECK_THROWS_AS(date::from(2023y / 2 / 29), std::invalid_argument);
  CHECK(written(date{}) == "0001-01-01");
}

TEST_CASE("days are counted without a gap through all years", "[values]") {
  // The day after each of these, across leap days, centuries and the missing year 0.
  const std::pair<date, date> neighbours[] = {
      {{2024, 2, 28}, {2024, 2, 29}},
      {{2024, 2, 29}, {2024, 3, 1}},
      {{1900, 2, 28}, {1900, 3, 1}},
      {{2000, 2, 29}, {2000, 3, 1}},
      {{-1, 12, 31}, {1, 1, 1}},
      {{-1, 2, 29}, {-1, 3, 1}},
      {{-2, 12, 31}, {-1, 1, 1}},
      {{-401, 12, 31}, {-400, 1, 1}},
      {{400'000, 2, 29}, {400'000, 3, 1}},
      {{2'147'483'646, 12, 31}, {2'147'483'647, 1, 1}},
      {{-2'147'483'648, 12, 31}, {-2'147'483'647, 1, 1}}};
  for (const auto& [first, second] : neighbours) {
    CAPTURE(written(first));
    CHECK(
        detail::days_since_epoch(second.year, second.month, second.day) ==
        detail::days_since_epoch(first.year, first.month, first.day) + 1);
    CHECK(first < second);
  }
  CHECK(detail::days_since_epoch(1970, 1, 1) == 0);
  CHECK(detail::days_since_epoch(1, 1, 1) == -719'162);
  CHECK(detail::days_since_epoch(2'147'483'647, 12, 31) == 784'351'576'776);
}

TEST_CASE("a date-time has the lexical form of XML Schema 1.0", "[text][values]") {
  check_examples<date_time>({
      {"2002-10-10T12:00:00-05:00", "2002-10-10T12:00:00-05:00"},
      {"2002-10-10T17:00:00Z", "2002-10-10T17:00:00Z"},
      {"2002-10-10T12:00:00", "2002-10-10T12:00:00"},
      {"2002-10-10T12:00:00+00:00", "2002-10-10T12:00:00Z"},
      {"2002-10-10T12:00:00-00:00", "2002-10-10T12:00:00Z"},
      {"2002-10-10T23:59:59", "2002-10-10T23:59:59"},
      {"2002-10-10T00:00:00.0", "2002-10-10T00:00:00"},
      {"2002-10-10T00:00:00.1", "2002-10-10T00:00:00.1"},
      {"2002-10-10T00:00:00.100", "2002-10-10T00:00:00.1"},
      {"2002-10-10T00:00:00.000000001Z", "2002-10-10T00:00:00.000000001Z"},
      {"2002-10-10T00:00:00.999999999+14:00", "2002-10-10T00:00:00.999999999+14:00"},
      {"2002-10-10T00:00:00.1234567", "2002-10-10T00:00:00.1234567"},
      {"2002-10-10T00:00:00.1234567890000000000000", "2002-10-10T00:00:00.123456789"},
      {"2002-10-10T00:00:00.1234567891", refused},
      {"2002-10-10T00:00:00.0000000000000000000001", refused},
      {"2002-10-10T00:00:00.12345678900001", refused},
      {"-0044-03-15T12:00:00", "-0044-03-15T12:00:00"},
      {" 2002-10-10T12:00:00\n", "2002-10-10T12:00:00"},
      // 24:00:00 is the first moment of the next day.
      {"2002-10-10T24:00:00", "2002-10-11T00:00:00"},
      {"2002-10-31T24:00:00.000Z", "2002-11-01T00:00:00Z"},
      {"2002-12-31T24:00:00+01:00", "2003-01-01T00:00:00+01:00"},
      {"2004-02-28T24:00:00", "2004-02-29T00:00:00"},
      {"2003-02-28T24:00:00", "2003-03-01T00:00:00"},
      {"-0001-12-31T24:00:00", "0001-01-01T00:00:00"},
      {"-0002-12-31T24:00:00", "-0001-01-01T00:00:00"},
      {"9999-12-31T24:00:00", "10000-01-01T00:00:00"},
      {"-2147483648-12-31T24:00:00", "-2147483647-01-01T00:00:00"},
      {"2147483647-12-30T24:00:00", "2147483647-12-31T00:00:00"},
      {"2147483647-12-31T24:00:00", refused},
      {"2002-10-10T24:00:01", refused},
      {"2002-10-10T24:01:00", refused},
      {"2002-10-10T24:00:00.1", refused},
      {"2002-10-10T25:00:00", refused},
  });
  for (const auto text :
       {"2002-10-10",
        "2002-10-10T",
        "2002-10-10 12:00:00",
        "2002-10-10t12:00:00",
        "2002-10-10T12:00",
        "2002-10-10T12",
        "2002-10-10T1:00:00",
        "2002-10-10T12:0:00",
        "2002-10-10T12:00:0",
        "2002-10-10T12:60:00",
        "2002-10-10T12:00:60",
        "2016-12-31T23:59:60Z",
        "2002-10-10T12:00:61",
        "2002-10-10T12:00:00.",
        "2002-10-10T12:00:00.Z",
        "2002-10-10T12:00:00,5",
        "2002-10-10T12:00:00.5.5",
        "2002-10-10T12:00:00.-5",
        "2002-10-10T12:00:00z",
        "2002-10-10T12:00:00 Z",
        "2002-10-10T12:00:00+14:01",
        "2002-10-10T12:00:00-24:00",
        "2002-10-10T12:00:00+1400",
        "2002-10-10T12:00:00+14",
        "2002-10-10T-1:00:00",
        "2002-10-10T12:00:00ZZ",
        "T12:00:00",
        "12:00:00",
        "2002-10-10T120000",
        "0000-10-10T12:00:00",
        "2002-02-29T12:00:00",
        "2002-10-10TT12:00:00",
        "2002-10-10T12-00-00",
        "02002-10-10T12:00:00",
        "+2002-10-10T12:00:00",
        ""}) {
    CAPTURE(text);
    CHECK(reread<date_time>(text) == refused);
  }
}

TEST_CASE("every offset of up to 14 hours is read and written, none beyond", "[text][values]") {
  std::size_t wrong = 0;
  for (int hours = 0; hours <= 99; ++hours)
    for (int minutes = 0; minutes <= 99; ++minutes)
      for (const char sign : {'+', '-'}) {
        std::array<char, 80> offset{};
        std::snprintf(offset.data(), offset.size(), "%c%02d:%02d", sign, hours, minutes);
        const std::string text = "2024-06-01T12:00:00"s + offset.data();
        const int total = hours * 60 + minutes;
        const bool is_offset = minutes < 60 && total <= 840;
        date_time value;
        const bool is_read = detail::from_text(text, value);
        wrong += is_read != is_offset;
        if (!is_read) continue;
        wrong += value.offset_minutes != (sign == '-' ? -total : total);
        wrong += written(value) != (total == 0 ? "2024-06-01T12:00:00Z" : text);
      }
  CHECK(wrong == 0);
  CHECK(read<date_time>("2024-06-01T12:00:00").offset_minutes == std::nullopt);
  CHECK(read<date>("2024-06-01Z").offset_minutes == 0);
}

TEST_CASE("any date and moment survives being written and read", "[text][values]") {
  std::mt19937_64 random(366);
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int32_t>(random() % bound);
  };
  std::size_t wrong = 0;
  for (int round = 0; round < 20'000; ++round) {
    date_time value;
    value.year = static_cast<std::int32_t>(random()) >> (random() % 28);
    value.year += value.year == 0 ? 1 : 0;
    value.month = 1 + below(12);
    value.day =
        1 + below(static_cast<std::uint64_t>(detail::days_in_month(value.year, value.month)));
    value.hour = below(24);
    value.minute = below(60);
    value.second = below(60);
    if (round % 2 == 0) value.nanosecond = below(1'000) * 1'000'000 + below(2) * below(1'000'000);
    if (round % 3 != 0) value.offset_minutes = below(1'681) - 840;
    date_time back;
    wrong += !value.ok() || !detail::from_text(written(value), back);
    // Member by member: comparing would not tell an offset from another.
    wrong += back.year != value.year || back.month != value.month || back.day != value.day ||
             back.hour != value.hour || back.minute != value.minute ||
             back.second != value.second || back.nanosecond != value.nanosecond ||
             back.offset_minutes != value.offset_minutes;
    const date day{value.year, value.month, value.day, value.offset_minutes};
    date day_back;
    wrong += !detail::from_text(written(day), day_back) || day_back.year != day.year ||
             day_back.month != day.month || day_back.day != day.day ||
             day_back.offset_minutes != day.offset_minutes;
  }
  CHECK(wrong == 0);
}

TEST_CASE("an invalid date is not written", "[text][values]") {
  std::string out = "kept";
  for (const date& day :
       {date{0, 1, 1},
        date{2024, 0, 1},
        date{2024, 13, 1},
        date{2024, 1, 0},
        date{2023, 2, 29},
        date{2024, 1, 1, 841},
        date{2024, 1, 1, -841},
        date{2024, -1, 1},
        date{2024, 1, -1}}) {
    CHECK_FALSE(day.ok());
    CHECK_THROWS_AS(detail::to_text(out, day), std::invalid_argument);
  }
  for (const date_time& moment :
       {date_time{0, 1, 1},
        date_time{2023, 2, 29},
        date_time{2024, 1, 1, 24},
        date_time{2024, 1, 1, -1},
        date_time{2024, 1, 1, 0, 60},
        date_time{2024, 1, 1, 0, -1},
        date_time{2024, 1, 1, 0, 0, 60},
        date_time{2024, 1, 1, 0, 0, -1},
        date_time{2024, 1, 1, 0, 0, 0, 1'000'000'000},
        date_time{2024, 1, 1, 0, 0, 0, -1},
        date_time{2024, 1, 1, 0, 0, 0, 0, 841}}) {
    CHECK_FALSE(moment.ok());
    CHECK_THROWS_AS(detail::to_text(out, moment), std::invalid_argument);
    CHECK(moment.to_sys_time() == std::nullopt);
    CHECK(moment.to_sys_seconds() == std::nullopt);
  }
  CHECK(out == "kept");
  CHECK(written(date_time{}) == "0001-01-01T00:00:00");
}

TEST_CASE("moments go to the system clock and back", "[values]") {
  using namespace std::chrono;
  using point = sys_time<nanoseconds>;
  CHECK(date_time{1970, 1, 1, 0, 0, 0, 0, 0}.to_sys_time() == point{});
  CHECK(date_time{1970, 1, 1, 1, 0, 0, 5, 60}.to_sys_time() == point{nanoseconds{5}});
  CHECK(
      date_time{2002, 10, 10, 12, 0, 0, 0, -300}.to_sys_time() ==
      point{sys_days{2002y / 10 / 10} + hours{17}});
  CHECK(date_time{2002, 10, 10, 12}.to_sys_time() == std::nullopt);
  CHECK(date_time{2002, 10, 10, 12}.to_sys_seconds() == std::nullopt);
  CHECK(date_time{9999, 12, 31, 23, 59, 59, 5, 0}.to_sys_time() == std::nullopt);
  CHECK(
      date_time{9999, 12, 31, 23, 59, 59, 5, 0}.to_sys_seconds() ==
      sys_days{9999y / 12 / 31} + seconds{86'399});
  CHECK(
      date_time{1969, 12, 31, 23, 59, 59, 999'999'999, 0}.to_sys_seconds() ==
      sys_seconds{seconds{-1}});
  CHECK(written(date_time::from(point{nanoseconds{-1}})) == "1969-12-31T23:59:59.999999999Z");
  CHECK(written(date_time::from(sys_days{2024y / 2 / 29}, -60)) == "2024-02-28T23:00:00-01:00");
  CHECK(written(date_time::from(point{}, 840)) == "1970-01-01T14:00:00+14:00");
  CHECK_THROWS_AS(date_time::from(point{}, 841), std::invalid_argument);
  CHECK_THROWS_AS(date_time::from(point{}, -841), std::invalid_argument);
  const auto now = system_clock::now();
  CHECK(date_time::from(now).to_sys_time() == now);
}

TEST_CASE("every second that a year of 32 bits has is reached, and none beyond", "[values]") {
  using namespace std::chrono;
  constexpr date_time first{INT32_MIN, 1, 1, 0, 0, 0, 0, 0};
  constexpr date_time latest{INT32_MAX, 12, 31, 23, 59, 59, 0, 0};
  for (const date_time& edge : {first, latest}) {
    const sys_seconds moment = edge.to_sys_seconds().value();
    const seconds outwards{edge == first ? -1 : 1};
    CHECK(written(date_time::from(moment)) == written(edge));
    CHECK(date_time::from(moment - outwards).to_sys_seconds() == moment - outwards);
    CHECK_THROWS_AS(date_time::from(moment + outwards), std::invalid_argument);
  }
  // As constants, so that the compiler refuses an overflow.
  using small = sys_time<std::chrono::duration<std::int8_t, std::ratio<86'400>>>;
  static_assert(date_time::from(small{small::duration{-128}}).month == 8);
  static_assert(date_time::from(sys_time<months>{months{1}}).hour == 10);
  static_assert(date_time::from(sys_time<years>{years{30}}).hour == 6);
  // Half a second under the lowest number of seconds.
  using odd = std::chrono::duration<std::int64_t, std::ratio<274'177, 2>>;
  constexpr odd lowest{-67'280'421'310'721};
  static_assert(soapsvc::duration::from(lowest).nanoseconds == -500'000'000);
  CHECK_THROWS_AS(date_time::from(sys_time<odd>{lowest}), std::invalid_argument);
  std::mt19937_64 random(7);
  std::size_t wrong = 0;
  for (int round = 0; round < 20'000; ++round) {
    const sys_seconds moment{seconds{static_cast<std::int64_t>(random()) / 256}};
    const auto offset = static_cast<std::int32_t>(random() % 1'681) - 840;
    const date_time value = date_time::from(moment, offset);
    wrong += !value.ok() || value.to_sys_seconds() != moment || value.offset_minutes != offset;
  }
  CHECK(wrong == 0);
}

TEST_CASE("every nanosecond that the clock can say is reached, and none beyond", "[values]") {
  using namespace std::chrono;
  using point = sys_time<nanoseconds>;
  for (const std::int32_t offset : {-840, -1, 0, 1, 840})
    for (const point edge : {point::min(), point::max()}) {
      const date_time value = date_time::from(edge, offset);
      CAPTURE(written(value));
      CHECK(value.to_sys_time() == edge);
      date_time beyond = value;
      beyond.nanosecond += edge == point::min() ? -1 : 1;
      CHECK(beyond.ok());
      CHECK(beyond.to_sys_time() == std::nullopt);
      beyond = value;
      beyond.second += edge == point::min() ? -1 : 1;
      CHECK(beyond.to_sys_time() == std::nullopt);
      beyond = value;
      beyond.year += edge == point::min() ? -1 : 1;
      CHECK(beyond.to_sys_time() == std::nullopt);
    }
  std::mt19937_64 random(9);
  std::size_t wrong = 0;
  for (int round = 0; round < 20'000; ++round) {
    const point moment{nanoseconds{static_cast<std::int64_t>(random())}};
    const auto offset = static_cast<std::int32_t>(random() % 1'681) - 840;
    const date_time value = date_time::from(moment, offset);
    wrong += !value.ok() || value.to_sys_time() != moment || value.offset_minutes != offset;
  }
  CHECK(wrong == 0);
}

TEST_CASE("dates and moments are compared as XML Schema orders them", "[values]") {
  const auto moment = [](std::string_view text) { return read<date_time>(text); };
  // The examples of part 2, 3.2.7.3 and 3.2.7.4.
  CHECK(moment("2002-10-10T12:00:00+05:00") == moment("2002-10-10T07:00:00Z"));
  CHECK(moment("2002-10-10T00:00:00+05:00") == moment("2002-10-09T19:00:00Z"));
  CHECK(moment("2000-01-15T00:00:00") < moment("2000-02-15T00:00:00"));
  CHECK(moment("2000-01-15T12:00:00") < moment("2000-01-16T12:00:00Z"));
  CHECK(moment("2000-01-16T12:00:00Z") > moment("2000-01-15T12:00:00"));
  const auto unordered = std::partial_ordering::unordered;
  CHECK((moment("2000-01-01T12:00:00") <=> moment("1999-12-31T23:00:00Z")) == unordered);
  CHECK((moment("2000-01-16T12:00:00") <=> moment("2000-01-16T12:00:00Z")) == unordered);
  CHECK((moment("2000-01-16T00:00:00") <=> moment("2000-01-16T12:00:00Z")) == unordered);
  CHECK(moment("2000-01-16T12:00:00") != moment("2000-01-16T12:00:00Z"));
  // 14 hours exactly are not enough, a nanosecond more is.
  CHECK((moment("2000-01-01T00:00:00") <=> moment("2000-01-01T14:00:00Z")) == unordered);
  CHECK(moment("2000-01-01T00:00:00") < moment("2000-01-01T14:00:00.000000001Z"));
  CHECK((moment("2000-01-01T14:00:00") <=> moment("2000-01-01T00:00:00Z")) == unordered);
  CHECK(moment("2000-01-01T14:00:00.000000001") > moment("2000-01-01T00:00:00Z"));
  CHECK(moment("2000-01-01T00:00:00.1Z") < moment("2000-01-01T00:00:00.2Z"));
  CHECK(moment("2000-01-01T00:00:00.10Z") == moment("2000-01-01T00:00:00.1Z"));
  CHECK(moment("-0001-12-31T23:59:59Z") < moment("0001-01-01T00:00:00Z"));
  // A date is the day that begins then (3.2.9).
  CHECK(read<date>("2002-10-10+13:00") == read<date>("2002-10-09-11:00"));
  CHECK(read<date>("2002-10-10+01:00") < read<date>("2002-10-10Z"));
  CHECK(read<date>("2002-10-10") < read<date>("2002-10-11"));
  CHECK(read<date>("2002-10-10") < read<date>("2002-10-11Z"));
  CHECK((read<date>("2002-10-10") <=> read<date>("2002-10-10Z")) == unordered);
}

// -- Integers of any size ----------------------------------------------------------------------

TEST_CASE("an integer keeps all its digits", "[text][values]") {
  check_examples<integer>({
      {"0", "0"},
      {"-0", "0"},
      {"+0", "0"},
      {"000", "0"},
      {"+1", "1"},
      {"007", "7"},
      {"-007", "-7"},
      {" 12\n", "12"},
      {"18446744073709551616", "18446744073709551616"},
      {"-340282366920938463463374607431768211456", "-340282366920938463463374607431768211456"},
      {"", refused},
      {" ", refused},
      {"+", refused},
      {"-", refused},
      {"+-1", refused},
      {"1.0", refused},
      {"1.", refused},
      {".", refused},
      {"1e3", refused},
      {"0x1", refused},
      {"1 2", refused},
      {"- 1", refused},
      {"1,000", refused},
      {"\xC2\xA0"
       "1",
       refused},
      {"INF", refused},
  });
  CHECK(difference<integer>("+-01. e", 6, std::regex(" *[+-]?[0-9]+ *")) == "");
  const std::string digits(100'000, '9');
  CHECK(read<integer>("00" + digits).text() == digits);
}

TEST_CASE("integers are made from numbers and text, compared, and returned", "[values]") {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  CHECK(integer().text() == "0");
  CHECK(integer(0).text() == "0");
  CHECK(integer(-1).text() == "-1");
  CHECK(integer(std::int8_t{-128}).text() == "-128");
  CHECK(integer(std::uint8_t{255}).text() == "255");
  CHECK(integer(lowest).text() == "-9223372036854775808");
  CHECK(integer(highest).text() == "9223372036854775807");
  CHECK(integer(most).text() == "18446744073709551615");
  CHECK(integer("-9223372036854775808").to_int64() == lowest);
  CHECK(integer("-9223372036854775809").to_int64() == std::nullopt);
  CHECK(integer("9223372036854775807").to_int64() == highest);
  CHECK(integer("9223372036854775808").to_int64() == std::nullopt);
  CHECK(integer("9223372036854775808").to_uint64() == std::uint64_t{highest} + 1);
  CHECK(integer(most).to_uint64() == most);
  CHECK(integer("18446744073709551616").to_uint64() == std::nullopt);
  CHECK(integer(-1).to_uint64() == std::nullopt);
  CHECK(integer("-0").to_uint64() == 0U);
  // In their order.
  const std::string_view ordered[] = {
      "-100000000000000000000",
      "-99999999999999999999",
      "-10",
      "-9",
      "-1",
      "0",
      "1",
      "9",
      "10",
      "18446744073709551615",
      "18446744073709551616",
      "100000000000000000000"};
  for (std::size_t i = 0; i != std::size(ordered); ++i)
    for (std::size_t j = 0; j != std::size(ordered); ++j) {
      CHECK((integer(ordered[i]) <=> integer(ordered[j])) == (i <=> j));
      CHECK((integer(ordered[i]) == integer(ordered[j])) == (i == j));
    }
  for (const auto text : {"", " 1", "1 ", "1.0", "x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(integer(text), std::invalid_argument);
    CHECK_FALSE(integer::parse(text));
  }
  static_assert(!std::is_constructible_v<integer, double>);
  static_assert(!std::is_constructible_v<integer, bool>);
  static_assert(!std::is_constructible_v<integer, char>);
  static_assert(!std::is_constructible_v<integer, char32_t>);
  static_assert(!std::is_constructible_v<integer, std::nullptr_t>);
  static_assert(!std::is_convertible_v<int, integer>);
  static_assert(!std::is_convertible_v<const char*, integer>);
  integer from("12345678901234567890");
  const integer to = std::move(from);
  CHECK(to.text() == "12345678901234567890");
  CHECK(from == integer());  // NOLINT(bugprone-use-after-move): it stays a number
}

// -- Times of day, parts of dates --------------------------------------------------------------

TEST_CASE("a time has the lexical form of XML Schema 1.0", "[text][values]") {
  check_examples<soapsvc::time>({
      {"13:20:00-05:00", "13:20:00-05:00"},
      {"00:00:00", "00:00:00"},
      {"24:00:00", "00:00:00"},
      {"24:00:00.000Z", "00:00:00Z"},
      {"23:59:59.999999999+14:00", "23:59:59.999999999+14:00"},
      {"12:00:00.120", "12:00:00.12"},
      {"12:00:00-00:00", "12:00:00Z"},
      {" 12:00:00\t", "12:00:00"},
      {"24:00:01", refused},
      {"24:01:00", refused},
      {"24:00:00.1", refused},
      {"25:00:00", refused},
      {"12:60:00", refused},
      {"23:59:60", refused},  // no leap seconds
      {"12:00", refused},
      {"12:00:00.", refused},
      {"12:00:00.0000000001", refused},
      {"1:00:00", refused},
      {"12:00:00+14:01", refused},
      {"12:00:00z", refused},
      {"12:00:00 Z", refused},
      {"T12:00:00", refused},
      {"2024-01-01T12:00:00", refused},
      {"-12:00:00", refused},
      {"", refused},
  });
}

TEST_CASE("the parts of a date have the lexical forms of XML Schema 1.0", "[text][values]") {
  check_examples<g_year>({
      {"1999", "1999"},
      {"0001Z", "0001Z"},
      {"-0001", "-0001"},
      {"-12345+05:30", "-12345+05:30"},
      {"2147483647", "2147483647"},
      {"-2147483648", "-2147483648"},
      {"\n1999 ", "1999"},
      {"0000", refused},
      {"-0000", refused},
      {"2147483648", refused},
      {"999", refused},
      {"01999", refused},
      {"+1999", refused},
      {"1999-", refused},
      {"1999-01", refused},
      {"1999+14:01", refused},
      {"", refused},
  });
  check_examples<g_year_month>({
      {"1999-05", "1999-05"},
      {"-0001-12Z", "-0001-12Z"},
      {"1999-05-05:00", "1999-05-05:00"},
      {"1999-05-05", refused},
      {"1999-13", refused},
      {"1999-00", refused},
      {"0000-01", refused},
      {"1999-5", refused},
      {"1999", refused},
  });
  check_examples<g_month>({
      {"--01", "--01"},
      {"--12Z", "--12Z"},
      {"--05-05:00", "--05-05:00"},
      {"--00", refused},
      {"--13", refused},
      {"--05--", refused},  // as it was before the second edition
      {"-05", refused},
      {"---05", refused},
      {"05", refused},
      {"--5", refused},
  });
  check_examples<g_month_day>({
      {"--02-29", "--02-29"},
      {"--12-31+14:00", "--12-31+14:00"},
      {"--04-30", "--04-30"},
      {"--02-30", refused},
      {"--04-31", refused},
      {"--00-01", refused},
      {"--01-00", refused},
      {"--13-01", refused},
      {"--1-1", refused},
      {"-02-28", refused},
      {"02-28", refused},
      {"--02-28-01", refused},
  });
  check_examples<g_day>({
      {"---01", "---01"},
      {"---31Z", "---31Z"},
      {"---31-14:00", "---31-14:00"},
      {"---00", refused},
      {"---32", refused},
      {"---1", refused},
      {"--01", refused},
      {"----01", refused},
      {"01", refused},
  });
}

TEST_CASE("parts of dates are compared by when they begin", "[values]") {
  const auto unordered = std::partial_ordering::unordered;
  CHECK(g_year{1999} < g_year{2000});
  CHECK(g_year{-1} < g_year{1});
  CHECK(g_year{2000, 60} < g_year{2000, 0});
  CHECK(g_year{2000, 0} == g_year{2000, 0});
  CHECK((g_year{2000} <=> g_year{2000, 0}) == unordered);
  CHECK(g_year{2000} != g_year{2000, 0});
  CHECK(g_year{1999} < g_year{2000, 0});
  CHECK(g_year_month{1999, 12} < g_year_month{2000, 1});
  CHECK((g_year_month{1999, 12, 0} <=> g_year_month{1999, 12}) == unordered);
  CHECK(g_month{1} < g_month{12});
  CHECK(g_month{2} < g_month{3, 0});
  CHECK(g_month_day{2, 28} < g_month_day{2, 29});
  CHECK(g_month_day{2, 29} < g_month_day{3, 1});
  // Time zones reach into the neighbouring day.
  CHECK(g_month_day{3, 1, 840} == g_month_day{2, 29, -600});
  CHECK(g_day{10, 780} == g_day{9, -660});
  CHECK(g_day{10, 840} < g_day{9, -840});
  CHECK((g_day{10} <=> g_day{10, -840}) == unordered);
  CHECK(g_day{9} < g_day{10, -840});
  CHECK(g_day{30} < g_day{31});

  using soapsvc::time;
  CHECK(time{12} < time{12, 0, 0, 1});
  CHECK(time{13, 0, 0, 0, 60} == time{12, 0, 0, 0, 0});
  CHECK(time{0, 30, 0, 0, 60} < time{23, 0, 0, 0, 0});
  CHECK(time{0, 30, 0, 0, 60} == time{0, 0, 0, 0, 30});
  CHECK((time{12} <=> time{12, 0, 0, 0, 0}) == unordered);
  CHECK(time{1} < time{15, 0, 0, 1, 0});
  CHECK((time{1} <=> time{15, 0, 0, 0, 0}) == unordered);
  const date_time whole = time{1, 2, 3, 4, 5}.on({2024, 2, 29, 600});
  CHECK(written(whole) == "2024-02-29T01:02:03.000000004+00:05");
}

TEST_CASE("parts of dates go to std::chrono and back", "[values]") {
  using namespace std::chrono;
  for (int y = -32'767; y <= 32'767; ++y) {
    const g_year made = g_year::from(std::chrono::year{y});
    if (made.to_year() != std::chrono::year{y} || made.year == 0 || !made.ok()) FAIL(y);
  }
  CHECK(g_year{32'768}.to_year() == std::nullopt);
  CHECK(g_year{0}.to_year() == std::nullopt);
  CHECK(g_year{2024, 841}.to_year() == std::nullopt);
  CHECK(g_year_month::from(2024y / 2) == g_year_month{2024, 2});
  CHECK(g_year_month::from(std::chrono::year{0} / 2) == g_year_month{-1, 2});
  CHECK(g_year_month{2024, 12, 60}.to_year_month() == 2024y / 12);
  CHECK(g_year_month{2024, 13}.to_year_month() == std::nullopt);
  CHECK_THROWS_AS(g_year_month::from(2024y / 13), std::invalid_argument);
  for (unsigned m = 1; m <= 12; ++m)
    CHECK(g_month::from(std::chrono::month{m}).to_month() == std::chrono::month{m});
  CHECK_THROWS_AS(g_month::from(std::chrono::month{13}), std::invalid_argument);
  CHECK_THROWS_AS(g_month::from(std::chrono::month{0}), std::invalid_argument);
  CHECK(g_month{0}.to_month() == std::nullopt);
  CHECK(g_month_day::from(February / 29).to_month_day() == February / 29);
  CHECK_THROWS_AS(g_month_day::from(February / 30), std::invalid_argument);
  CHECK(g_month_day{2, 30}.to_month_day() == std::nullopt);
  for (unsigned d = 1; d <= 31; ++d)
    CHECK(g_day::from(std::chrono::day{d}).to_day() == std::chrono::day{d});
  CHECK_THROWS_AS(g_day::from(std::chrono::day{32}), std::invalid_argument);
  CHECK_THROWS_AS(g_day::from(std::chrono::day{0}), std::invalid_argument);
  CHECK(g_day{32}.to_day() == std::nullopt);
}

// -- Durations ---------------------------------------------------------------------------------

TEST_CASE("a duration has the lexical form of XML Schema 1.0", "[text][values]") {
  check_examples<duration>({
      // The examples of part 2, 3.2.6.1.
      {"P1Y2M3DT10H30M", "P1Y2M3DT10H30M"},
      {"-P120D", "-P120D"},
      {"P1347Y", "P1347Y"},
      {"P1347M", "P112Y3M"},
      {"P1Y2MT2H", "P1Y2MT2H"},
      {"P0Y1347M", "P112Y3M"},
      {"P0Y1347M0D", "P112Y3M"},
      {"P-1347M", refused},
      {"-P1347M", "-P112Y3M"},
      {"P1Y2MT", refused},
      // Every unit, carried over, and nothing.
      {"P0D", "PT0S"},
      {"-P0D", "PT0S"},
      {"PT0.000S", "PT0S"},
      {"P0Y0M0DT0H0M0S", "PT0S"},
      {"PT60S", "PT1M"},
      {"PT90M", "PT1H30M"},
      {"PT36H", "P1DT12H"},
      {"PT86400S", "P1D"},
      {"P31D", "P31D"},
      {"P12M", "P1Y"},
      {"PT3600.5S", "PT1H0.5S"},
      {"PT0.000000001S", "PT0.000000001S"},
      {"-PT0.1S", "-PT0.1S"},
      {"P1M1D", "P1M1D"},
      {"P1DT1M", "P1DT1M"},
      {"P0001Y", "P1Y"},
      {" PT1S\n", "PT1S"},
      {"PT1.1000000000000S", "PT1.1S"},
      // As far as 64 bits go.
      {"PT9223372036854775807.999999999S", "P106751991167300DT15H30M7.999999999S"},
      {"-PT9223372036854775808.999999999S", "-P106751991167300DT15H30M8.999999999S"},
      {"-P106751991167300DT15H30M8.999999999S", "-P106751991167300DT15H30M8.999999999S"},
      {"P9223372036854775807M", "P768614336404564650Y7M"},
      {"-P9223372036854775808M", "-P768614336404564650Y8M"},
      {"PT9223372036854775808S", refused},
      {"-PT9223372036854775809S", refused},
      {"P768614336404564650Y8M", refused},
      {"P768614336404564651Y", refused},
      {"P106751991167300DT15H30M8S", refused},
      {"P106751991167301D", refused},
      {"PT18446744073709551616S", refused},
      {"PT2562047788015216H", refused},
      {"P99999999999999999999999999Y", refused},
      {"PT1.0000000001S", refused},
      // Order, letters and digits.
      {"", refused},
      {"P", refused},
      {"-P", refused},
      {"PT", refused},
      {"P1", refused},
      {"PY", refused},
      {"P1YM", refused},
      {"+P1Y", refused},
      {"--P1Y", refused},
      {"P+1Y", refused},
      {"1Y", refused},
      {"P1M1Y", refused},
      {"P1D1M", refused},
      {"P1Y1Y", refused},
      {"P1H", refused},
      {"P1S", refused},
      {"PT1Y", refused},
      {"PT1D", refused},
      {"PT1S1M", refused},
      {"PT1M1H", refused},
      {"PTT1S", refused},
      {"PT1ST", refused},
      {"P1W", refused},
      {"P1.5Y", refused},
      {"P1.5D", refused},
      {"PT1.5H", refused},
      {"PT1.5M", refused},
      {"PT.5S", refused},
      {"PT5.S", refused},
      {"PT1,5S", refused},
      {"p1y", refused},
      {"P1y", refused},
      {"P 1Y", refused},
      {"P1Y 1M", refused},
      {"P1Y2MT2H ZZ", refused},
      {"P0001-02-03T04:05:06", refused},
  });
  const std::regex grammar(
      "-?P(?!$)([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?!$)([0-9]+H)?([0-9]+M)?([0-9]+(\\.[0-9]+)?S)?)"
      "?");
  CHECK(difference<duration>("-PT1YMDHS.", 6, grammar) == "");
}

TEST_CASE("any duration survives being written and read", "[text][values]") {
  std::mt19937_64 random(20'261);
  const auto any = [&](std::uint64_t most) {
    return static_cast<std::int64_t>(random() >> random() % 64 & most);
  };
  for (int i = 0; i != 20'000; ++i) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    duration value{any(most), any(most), static_cast<std::int32_t>(any(0x1FFFFFFF))};
    if (i % 2 == 0) value = {-value.months, -value.seconds, -value.nanoseconds};
    const auto again = read<duration>(written(value));
    CHECK((again.months == value.months && again.seconds == value.seconds));
    CHECK(again.nanoseconds == value.nanoseconds);
    CHECK(again == value);
  }
}

TEST_CASE("durations are compared as far as the lengths of months allow", "[values]") {
  const auto order = [](std::string_view a, std::string_view b) {
    return read<duration>(a) <=> read<duration>(b);
  };
  const auto less = std::partial_ordering::less;
  const auto greater = std::partial_ordering::greater;
  const auto unordered = std::partial_ordering::unordered;
  // The first table of part 2, 3.2.6.2.
  CHECK(order("P1Y", "P364D") == greater);
  CHECK(order("P1Y", "P365D") == unordered);
  CHECK(order("P1Y", "P366D") == unordered);
  CHECK(order("P1Y", "P367D") == less);
  CHECK(order("P1M", "P27D") == greater);
  for (const auto days : {"P28D", "P29D", "P30D", "P31D"})
    CHECK(order("P1M", days) == unordered);
  CHECK(order("P1M", "P32D") == less);
  CHECK(order("P5M", "P149D") == greater);
  for (const auto days : {"P150D", "P151D", "P152D", "P153D"})
    CHECK(order("P5M", days) == unordered);
  CHECK(order("P5M", "P154D") == less);
  // The second: the fewest and the most days of so many months.
  const int days_in[][2] = {
      {28, 31},
      {59, 62},
      {89, 92},
      {120, 123},
      {150, 153},
      {181, 184},
      {212, 215},
      {242, 245},
      {273, 275},  // the table says 276, as from May on; none of the four moments is in May
      {303, 306},
      {334, 337},
      {365, 366},
      {393, 397}};
  std::int64_t months = 0;
  for (const auto& [fewest, most] : days_in) {
    const duration some{.months = ++months};
    const duration owed{.months = -months};
    CAPTURE(months);
    CHECK(some > duration{.seconds = (fewest - 1) * 86'400});
    CHECK((some <=> duration{.seconds = fewest * 86'400}) == unordered);
    CHECK((some <=> duration{.seconds = most * 86'400}) == unordered);
    CHECK(some < duration{.seconds = (most + 1) * 86'400});
    CHECK(some > owed);
    CHECK(owed < duration{});
  }
  // Seconds among themselves, months among themselves, and signs.
  CHECK(order("PT60S", "PT1M") == std::partial_ordering::equivalent);
  CHECK(order("P12M", "P1Y") == std::partial_ordering::equivalent);
  CHECK(order("PT1S", "PT1.000000001S") == less);
  CHECK(order("-PT1S", "-PT1.000000001S") == greater);
  CHECK(order("-PT0.000000001S", "PT0S") == less);
  CHECK(order("-P1M", "-P27D") == less);
  CHECK(order("-P1M", "-P30D") == unordered);
  CHECK(order("-P1M", "-P32D") == greater);
  CHECK(order("P1M", "P1MT0.000000001S") == less);
  CHECK(order("P1M1D", "P1M") == greater);
  // 400 years have the same number of days wherever they begin.
  CHECK(order("P400Y", "P146097D") == std::partial_ordering::equivalent);
  CHECK(order("P400Y", "P146096DT23H59M59.999999999S") == greater);
  CHECK(order("P4000000Y", "P1460970000D") == std::partial_ordering::equivalent);
  // At the ends of the range nothing overflows.
  CHECK(order("P9223372036854775807M", "PT9223372036854775807.999999999S") == greater);
  CHECK(order("-P9223372036854775808M", "P9223372036854775807M") == less);
  CHECK(order("-PT9223372036854775808.9S", "PT9223372036854775807.9S") == less);
  CHECK(order("-PT9223372036854775808.9S", "-PT9223372036854775808.8S") == less);
  CHECK(order("P9223372036854775807M", "P9223372036854775806M") == greater);
  CHECK(order("P9223372036854775806MT9223372036854775807S", "P9223372036854775807M") == greater);
}

TEST_CASE("any two small durations are ordered as adding them to four moments says", "[values]") {
  using namespace std::chrono_literals;
  using std::chrono::year_month;
  // Appendix E of part 2, by the calendar of std::chrono.
  const year_month starts[] = {1696y / 9, 1697y / 2, 1903y / 3, 1903y / 7};
  const auto reach = [](year_month start, const duration& by) {
    const auto months = std::chrono::months{static_cast<int>(by.months)};
    return std::chrono::sys_seconds{std::chrono::sys_days{(start + months) / 1}} +
           std::chrono::seconds{by.seconds};
  };
  std::mt19937 random(20'262);
  std::size_t wrong = 0, unknown = 0;
  for (int i = 0; i != 100'000; ++i) {
    const auto any = [&] {
      const int sign = random() % 2 == 0 ? 1 : -1;
      const auto months = static_cast<int>(random() % 60);
      return duration{sign * months, sign * static_cast<int>(random() % 1'800) * 86'400};
    };
    const duration a = any(), b = any();
    std::size_t less = 0, more = 0;
    for (const year_month start : starts) {
      less += reach(start, a) < reach(start, b);
      more += reach(start, a) > reach(start, b);
    }
    const auto right = less == 4          ? std::partial_ordering::less
                       : more == 4        ? std::partial_ordering::greater
                       : less + more == 0 ? std::partial_ordering::equivalent
                                          : std::partial_ordering::unordered;
    wrong += (a <=> b) != right;
    wrong += (a == b) != std::is_eq(right);
    unknown += right == std::partial_ordering::unordered;
  }
  CHECK(wrong == 0);
  CHECK(unknown > 50);
}

TEST_CASE("durations go to std::chrono and back", "[values]") {
  using namespace std::chrono_literals;
  namespace chrono = std::chrono;
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  const auto made = [](auto from) { return written(duration::from(from)); };
  CHECK(made(90min) == "PT1H30M");
  CHECK(made(36h) == "P1DT12H");
  CHECK(made(-1'500ms) == "-PT1.5S");
  CHECK(made(1ns) == "PT0.000000001S");
  CHECK(made(-1'000'000'001ns) == "-PT1.000000001S");
  CHECK(made(chrono::days{1}) == "P1D");
  CHECK(made(chrono::weeks{-1}) == "-P7D");
  CHECK(made(chrono::months{14}) == "P1Y2M");
  CHECK(made(chrono::years{-2}) == "-P2Y");
  CHECK(made(chrono::duration<int, std::ratio<3, 2>>{3}) == "PT4.5S");
  CHECK(made(chrono::duration<unsigned char>{200}) == "PT3M20S");
  CHECK(made(chrono::nanoseconds::max()) == "P106751DT23H47M16.854775807S");
  CHECK(made(chrono::nanoseconds::min()) == "-P106751DT23H47M16.854775808S");
  CHECK(duration::from(chrono::duration<std::int64_t>{highest}).seconds == highest);
  CHECK(duration::from(chrono::duration<std::int64_t>{lowest}).seconds == lowest);
  using huge_days = chrono::duration<std::int64_t, chrono::days::period>;
  using huge_years = chrono::duration<std::int64_t, chrono::years::period>;
  using huge_seconds = chrono::duration<std::uint64_t>;
  using odd = chrono::duration<std::int64_t, std::ratio<3, 2>>;
  CHECK(duration::from(huge_days{highest / 86'400}).seconds == highest / 86'400 * 86'400);
  CHECK_THROWS_AS(duration::from(huge_days{highest / 86'400 + 1}), std::invalid_argument);
  CHECK(duration::from(huge_days{lowest / 86'400}).seconds == lowest / 86'400 * 86'400);
  CHECK_THROWS_AS(duration::from(huge_days{lowest}), std::invalid_argument);
  CHECK(duration::from(huge_years{highest / 12}).months == highest / 12 * 12);
  CHECK_THROWS_AS(duration::from(huge_years{highest / 12 + 1}), std::invalid_argument);
  CHECK_THROWS_AS(duration::from(huge_seconds{std::uint64_t{highest} + 1}), std::invalid_argument);
  CHECK_THROWS_AS(duration::from(odd{highest}), std::invalid_argument);
  CHECK_THROWS_AS(duration::from(odd{lowest}), std::invalid_argument);
  const auto can_be_from = []<class From>(From from) {
    return requires { duration::from(from); };
  };
  static_assert(can_be_from(1s));
  static_assert(!can_be_from(1.5s));
  static_assert(!can_be_from(chrono::duration<int, std::pico>{1}));
  static_assert(!can_be_from(chrono::duration<int, std::ratio<1, 3>>{1}));

  CHECK(duration{.months = 14}.to_months() == chrono::months{14});
  CHECK(duration{}.to_months() == chrono::months{0});
  CHECK(duration{.months = 14, .seconds = 1}.to_months() == std::nullopt);
  CHECK(duration{.nanoseconds = 1}.to_months() == std::nullopt);
  CHECK(duration{.seconds = 1, .nanoseconds = 5}.to_nanoseconds() == 1'000'000'005ns);
  CHECK(duration{.nanoseconds = -7}.to_nanoseconds() == -7ns);
  CHECK(duration{.months = 1}.to_nanoseconds() == std::nullopt);
  CHECK(duration{.seconds = 1, .nanoseconds = -5}.to_nanoseconds() == std::nullopt);
  CHECK(duration::from(chrono::nanoseconds::max()).to_nanoseconds() == chrono::nanoseconds::max());
  CHECK(duration::from(chrono::nanoseconds::min()).to_nanoseconds() == chrono::nanoseconds::min());
  CHECK(
      duration{.seconds = 9'223'372'036, .nanoseconds = 854'775'808}.to_nanoseconds() ==
      std::nullopt);
  CHECK(
      duration{.seconds = -9'223'372'036, .nanoseconds = -854'775'809}.to_nanoseconds() ==
      std::nullopt);
  CHECK(duration{.seconds = highest}.to_nanoseconds() == std::nullopt);
  CHECK(duration{.seconds = lowest}.to_nanoseconds() == std::nullopt);
  // The product would be small after it passes 2 to the 64th.
  CHECK(duration{.seconds = 18'446'744'074}.to_nanoseconds() == std::nullopt);
}

TEST_CASE("invalid values are not written, and compared safely", "[text][values]") {
  const auto check = [](const auto& value) {
    CHECK_FALSE(value.ok());
    std::string out = "before";
    CHECK_THROWS_AS(detail::to_text(out, value), std::invalid_argument);
    CHECK(out == "before");
    CHECK_THROWS_AS(value.text(), std::invalid_argument);
  };
  check(duration{.months = 1, .seconds = -1});
  check(duration{.seconds = 1, .nanoseconds = -1});
  check(duration{.nanoseconds = 1'000'000'000});
  check(duration{.nanoseconds = std::numeric_limits<std::int32_t>::min()});
  check(soapsvc::time{24});
  check(soapsvc::time{-1});
  check(soapsvc::time{12, 60});
  check(soapsvc::time{12, 0, 60});
  check(soapsvc::time{12, 0, 0, 1'000'000'000});
  check(soapsvc::time{12, 0, 0, 0, 841});
  check(g_year{0});
  check(g_year{2024, -841});
  check(g_year_month{2024, 0});
  check(g_month{13});
  check(g_month_day{2, 30});
  check(g_month_day{4, 31});
  check(g_day{0});
  check(g_day{32});
  check(date{2024, 2, 30});
  check(date_time{2024, 1, 1, 24});
  CHECK(duration{1, -86'400 * 40} < duration{});
  CHECK(
      duration{.nanoseconds = std::numeric_limits<std::int32_t>::min()} < duration{.seconds = -2});
  CHECK(duration{.seconds = 1, .nanoseconds = -1} < duration{.seconds = 1});
}

// -- Binary ------------------------------------------------------------------------------------

namespace {

/// Base64 bit by bit, as RFC 2045 tells it.
std::string slow_base64(const std::vector<std::uint8_t>& bytes) {
  std::string bits, text;
  for (const std::uint8_t byte : bytes)
    for (int i = 7; i >= 0; --i)
      bits += (byte >> i & 1) != 0 ? '1' : '0';
  while (bits.size() % 6 != 0)
    bits += '0';
  for (std::size_t i = 0; i < bits.size(); i += 6) {
    const auto digit = static_cast<char>(std::stoi(bits.substr(i, 6), nullptr, 2));
    text += static_cast<char>(
        digit < 26   ? 'A' + digit
        : digit < 52 ? 'a' + digit - 26
        : digit < 62 ? '0' + digit - 52
        : digit < 63 ? '+'
                     : '/');
  }
  while (text.size() % 4 != 0)
    text += '=';
  return text;
}

}  // namespace

TEST_CASE("base64 is written canonically and read back", "[text][values]") {
  check_examples<binary>(
      {{"", ""},
       {" \n ", ""},
       {"Zg==", "Zg=="},
       {"Zm8=", "Zm8="},
       {"Zm9v", "Zm9v"},
       {"Zm9vYg==", "Zm9vYg=="},
       {"Zm9vYmE=", "Zm9vYmE="},
       {"Zm9vYmFy", "Zm9vYmFy"},
       {"+/+/", "+/+/"},
       {"////", "////"},
       {"AAAA", "AAAA"},
       {" Zm9v\r\n  YmFy\t", "Zm9vYmFy"},
       {"Z m 9 v", "Zm9v"},
       {"Zg = =", "Zg=="},
       {"Zg=\n=", "Zg=="},
       {"Zm8 =", "Zm8="},
       {"Z\tg\n=\r= ", "Zg=="},
       {"Zm9v\nZg==", "Zm9vZg=="}});
  for (const auto text :
       {"Z",     "Zg",       "Zg=",          "Zm8",      "Zm9vY",    "Zm9vYg",   "Zm9vYg=",
        "Zg===", "Zm8==",    "Zm9v=",        "Zm9v==",   "Zm9v====", "=",        "==",
        "===",   "====",     "=Zm9",         "Z=m9",     "Zg==Zg==", "Zm8=Zm8=", "Zg=a",
        "Zh==",  "Zn==",     "Zv==",         "Zm9=",     "Zm+=",     "Zm/=",     "Zm8-",
        "Zm8_",  "Zm9v.",    "Zm9\xC2\xA0v", "Zm9v\x0B", "Zm9v\x0C", "Zm9vé===", "Z!m9v",
        "!!!!",  "Zm9v,Zm9v"}) {
    CAPTURE(text);
    CHECK(reread<binary>(text) == refused);
  }
  CHECK(reread<binary>("Zm9v\0"sv) == refused);
  CHECK(reread<binary>("\0\0\0\0"sv) == refused);
  CHECK(read<binary>("AP8Q").bytes == std::vector<std::uint8_t>{0x00, 0xFF, 0x10});
}

TEST_CASE("short texts are base64 where the grammar of XML Schema says so", "[text]") {
  // 3.2.16, written again; the texts hold single spaces only, and are collapsed for it.
  const std::regex grammar(
      "(([A-Za-z0-9+/] ?){4})*"
      "(([A-Za-z0-9+/] ?){3}[A-Za-z0-9+/]|([A-Za-z0-9+/] ?){2}[AEIMQUYcgkosw048] ?=|"
      "([A-Za-z0-9+/] ?)[AQgw] ?= ?=)?");
  std::size_t wrong = 0;
  for_each_text("AEB= ", 6, [&](const std::string& text) {
    if (text.find("  ") != std::string::npos) return;
    binary value;
    const std::string collapsed(detail::collapse_ends(text));
    wrong += detail::from_text(text, value) != std::regex_match(collapsed, grammar);
  });
  CHECK(wrong == 0);
  // Every byte in every place of a four, and of the last one.
  for (int byte = 0; byte < 256; ++byte)
    for (std::size_t place = 0; place < 4; ++place)
      for (const std::string_view base : {"AAAA"sv, "AAA="sv, "AA=="sv}) {
        std::string text(base);
        text[place] = static_cast<char>(byte);
        // White space in a four makes it too short, but for the ends: no four is left.
        binary value;
        std::string bare = text;
        std::erase_if(bare, [](char c) { return detail::is_xml_space(c); });
        CAPTURE(byte, place, base);
        CHECK(detail::from_text(text, value) == std::regex_match(bare, grammar));
      }
}

TEST_CASE("any bytes survive being written and read, with white space between", "[text][values]") {
  std::mt19937_64 random(64);
  for (std::size_t size = 0; size < 200; ++size) {
    binary value;
    for (std::size_t i = 0; i < size; ++i)
      value.bytes.push_back(static_cast<std::uint8_t>(random()));
    const std::string text = written(value);
    CHECK(text == slow_base64(value.bytes));
    CHECK(read<binary>(text) == value);
    std::string spaced;
    for (const char c : text) {
      spaced += c;
      for (std::uint64_t n = random() % 8 < 2 ? random() % 3 + 1 : 0; n > 0; --n)
        spaced += " \t\r\n"[random() % 4];
    }
    CHECK(read<binary>(spaced) == value);
    CHECK(read<binary>(" \n" + spaced) == value);
  }
  CHECK(binary{{1, 2}} < binary{{1, 3}});
  CHECK(binary{{1}} != binary{{1, 0}});
}

TEST_CASE("hexBinary is written in upper case and read in both", "[text][values]") {
  check_examples<hex_binary>({
      {"", ""},
      {"0FB7", "0FB7"},
      {"0fb7", "0FB7"},
      {" aAbB\n", "AABB"},
      {"0", refused},
      {"0FB", refused},
      {"0F B7", refused},
      {"0G", refused},
      {"@0", refused},
      {"`0", refused},
      {"/0", refused},
      {":0", refused},
      {"g0", refused},
      {"0x0F", refused},
      {"\xC3\xA9", refused},
      {"-1", refused},
  });
  CHECK(difference<hex_binary>("0 aFg", 6, std::regex(" *([0aF]{2})* *")) == "");
  hex_binary all;
  std::string right;
  for (int i = 0; i != 256; ++i) {
    all.bytes.push_back(static_cast<std::uint8_t>(i));
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned>(i));
    right += digits;
  }
  CHECK(written(all) == right);
  CHECK(read<hex_binary>(right) == all);
  CHECK(hex_binary{{1, 2}} < hex_binary{{1, 3}});
  CHECK(hex_binary{{1}} != hex_binary{{1, 0}});
}

TEST_CASE("each value type has its text, reads it, and goes into a stream", "[text][values]") {
  const auto check = []<class T>(std::type_identity<T>, std::string text) {
    CAPTURE(text);
    const std::optional<T> value = T::parse(text);
    REQUIRE(value);
    CHECK(value->text() == text);
    std::ostringstream out;
    out.width(40);
    out << std::left << *value << '|';
    CHECK(out.str() == text + std::string(40 - text.size(), ' ') + '|');
    for (const auto& spaced : {' ' + text, text + '\n', text + '\t', '\r' + text})
      CHECK_FALSE(T::parse(spaced));
    CHECK_FALSE(T::parse(text + "\xC2\xA0"));
    CHECK_FALSE(T::parse("?"));
  };
  check(std::type_identity<date>{}, "2024-02-29+01:00");
  check(std::type_identity<date_time>{}, "2024-02-29T01:02:03.4Z");
  check(std::type_identity<soapsvc::time>{}, "01:02:03.4-05:00");
  check(std::type_identity<duration>{}, "P1Y2M3DT4H5M6.7S");
  check(std::type_identity<g_year>{}, "-0044");
  check(std::type_identity<g_year_month>{}, "2024-02Z");
  check(std::type_identity<g_month>{}, "--02");
  check(std::type_identity<g_month_day>{}, "--02-29");
  check(std::type_identity<g_day>{}, "---31");
  check(std::type_identity<decimal>{}, "-12.50");
  check(std::type_identity<integer>{}, "-123456789012345678901234567890");
  check(std::type_identity<binary>{}, "Zm9vYg==");
  check(std::type_identity<hex_binary>{}, "00FF");
}

// -- Any simple type ---------------------------------------------------------------------------

namespace {

using detail::type_kind;

/// The order of two values of one type, by the kind alone.
template <class T> std::partial_ordering order_of(const T& a, const T& b) {
  return detail::operations_on<T>().compare(&a, &b);
}

template <class T> detail::digit_counts digits(const T& value) {
  return detail::digits_of(detail::element_type_of<T>(), &value);
}

}  // namespace

TEST_CASE("two values of a simple type are compared by its kind", "[text][values]") {
  const auto less = std::partial_ordering::less;
  const auto equal = std::partial_ordering::equivalent;
  const auto greater = std::partial_ordering::greater;
  const auto unordered = std::partial_ordering::unordered;
  const auto check_order = [&](const auto& smaller, const auto& larger) {
    CHECK(order_of(smaller, larger) == less);
    CHECK(order_of(larger, smaller) == greater);
    CHECK(order_of(larger, larger) == equal);
  };
  check_order(std::int8_t{-1}, std::int8_t{1});
  check_order(std::int16_t{-1}, std::int16_t{1});
  check_order(std::int32_t{-1}, std::int32_t{1});
  check_order(std::int64_t{-1}, std::int64_t{1});
  check_order(std::uint8_t{1}, std::uint8_t{255});
  check_order(std::uint16_t{1}, std::uint16_t{65'535});
  check_order(std::uint32_t{1}, std::uint32_t{4'000'000'000});
  check_order(std::uint64_t{1}, std::uint64_t{18'000'000'000'000'000'000U});
  check_order(-1.5F, 1.5F);
  check_order(-1.5, std::numeric_limits<double>::infinity());
  check_order(decimal("1.49"), decimal("1.5"));
  check_order(integer("9"), integer("18446744073709551616"));
  check_order(date{2024, 1, 1}, date{2024, 1, 2});
  check_order(date_time{2024, 1, 1, 1}, date_time{2024, 1, 1, 2});
  check_order(soapsvc::time{1}, soapsvc::time{2});
  check_order(duration{.months = 1}, duration{.months = 2});
  check_order(g_year{-1}, g_year{1});
  check_order(g_year_month{2024, 1}, g_year_month{2024, 2});
  check_order(g_month{1}, g_month{2});
  check_order(g_month_day{2, 29}, g_month_day{3, 1});
  check_order(g_day{1}, g_day{2});
  CHECK(order_of(decimal("1.50"), decimal("1.5")) == equal);
  CHECK(order_of(duration{.months = 1}, duration{.seconds = 30 * 86'400}) == unordered);
  CHECK(order_of(g_day{1}, g_day{1, 0}) == unordered);
  // Part 2, 3.2.4: NaN equals itself.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(order_of(nan, -nan) == equal);
  CHECK(order_of(nan, 1.0) == unordered);
  CHECK(order_of(1.0, nan) == unordered);
  CHECK(order_of(static_cast<float>(nan), static_cast<float>(nan)) == equal);
  // No order, but equality.
  const auto check_equality = [&](const auto& one, const auto& other) {
    CHECK(order_of(one, one) == equal);
    CHECK(order_of(one, other) == unordered);
    CHECK(order_of(other, one) == unordered);
  };
  check_equality(true, false);
  check_equality("a"s, "b"s);
  check_equality(binary{{1}}, binary{{2}});
  check_equality(hex_binary{{1}}, hex_binary{{2}});
}

TEST_CASE("a number is written with the digits that it needs", "[text][values]") {
  using counts = detail::digit_counts;
  CHECK(digits(decimal("0")) == counts{1, 0});
  CHECK(digits(decimal("0.00")) == counts{1, 0});
  CHECK(digits(decimal("-12.50")) == counts{3, 1});
  CHECK(digits(decimal("0012.500")) == counts{3, 1});
  CHECK(digits(decimal("0.001")) == counts{3, 3});
  CHECK(digits(decimal(".10")) == counts{1, 1});
  CHECK(digits(decimal("100")) == counts{3, 0});
  CHECK(digits(decimal("100.0")) == counts{3, 0});
  CHECK(
      digits(decimal(std::string(1'000, '9') + "." + std::string(500, '9'))) == counts{1'500, 500});
  CHECK(digits(integer("-0012345678901234567890")) == counts{20, 0});
  CHECK(digits(integer()) == counts{1, 0});
  CHECK(digits(std::int8_t{-128}) == counts{3, 0});
  CHECK(digits(std::uint8_t{0}) == counts{1, 0});
  CHECK(digits(std::int16_t{-1}) == counts{1, 0});
  CHECK(digits(std::int32_t{1'000}) == counts{4, 0});
  CHECK(digits(std::numeric_limits<std::int64_t>::min()) == counts{19, 0});
  CHECK(digits(std::numeric_limits<std::uint64_t>::max()) == counts{20, 0});
  CHECK(digits(1.5) == counts{});
  CHECK(digits("12"s) == counts{});
  CHECK(digits(true) == counts{});
  CHECK(digits(g_year{2024}) == counts{});
}

// -- Strings that XML Schema has a type of -----------------------------------------------------

namespace {

using detail::string_form;

/// The value of a received text, or "(refused)".
std::string fitted(string_form form, std::string text) {
  detail::fit_space_of(form, text);
  return detail::has_form(form, text) ? text : refused;
}

/// A first difference between the values of the type and the texts that `grammar` matches, or
/// nothing.
std::string difference(
    string_form form, std::string_view alphabet, std::size_t longest, const char* grammar) {
  const std::regex right(grammar);
  std::string found;
  for_each_text(alphabet, longest, [&](const std::string& text) {
    if (detail::has_form(form, text) != std::regex_match(text, right) && found.empty())
      found = "'" + text + "'";
  });
  return found;
}

}  // namespace

TEST_CASE("each type of string is as XML Schema and XML define it", "[text]") {
  CHECK(difference(string_form::normalized, "a \t\n\r", 5, "[a ]*") == "");
  CHECK(difference(string_form::token, "ab \t\n", 5, "([ab]+( [ab]+)*)?") == "");
  const char* const language = "[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*";
  CHECK(difference(string_form::language, "aZ1- _", 6, language) == "");
  CHECK(difference(string_form::language, "a-", 14, language) == "");
  CHECK(difference(string_form::name, "a1:.-_ ", 5, "[a_:][a1:._\\-]*") == "");
  CHECK(difference(string_form::nmtoken, "a1:.-_ ", 5, "[a1:._\\-]+") == "");
  for (const auto form :
       {string_form::ncname, string_form::id, string_form::idref, string_form::entity})
    CHECK(difference(form, "a1:.-_ ", 5, "[a_][a1._\\-]*") == "");
  const std::string e_acute = "\xC3\xA9", middle_dot = "\xC2\xB7", broken = "\xC3";
  for (const auto form : {string_form::name, string_form::ncname, string_form::nmtoken}) {
    CHECK(detail::has_form(form, e_acute));
    CHECK(detail::has_form(form, "a" + middle_dot));
    CHECK(detail::has_form(form, middle_dot) == (form == string_form::nmtoken));
    CHECK_FALSE(detail::has_form(form, "a" + broken));
    CHECK_FALSE(detail::has_form(form, broken));
    CHECK_FALSE(detail::has_form(form, "a\xC2\xA0"));
  }
  CHECK_FALSE(detail::has_form(string_form::language, e_acute));
  CHECK(detail::has_form(string_form::string, "\t any \n"));
}

TEST_CASE("white space of a string's type is replaced or collapsed before all else", "[text]") {
  const std::string text = " \ta  b\r\n c\n";
  CHECK(fitted(string_form::string, text) == text);
  CHECK(fitted(string_form::normalized, text) == "  a  b   c ");
  CHECK(fitted(string_form::token, text) == "a b c");
  CHECK(fitted(string_form::token, " \n ") == "");
  CHECK(fitted(string_form::token, "") == "");
  CHECK(fitted(string_form::token, "\xC2\xA0 a") == "\xC2\xA0 a");
  CHECK(fitted(string_form::language, "\n en-US ") == "en-US");
  CHECK(fitted(string_form::language, "en US") == refused);
  CHECK(fitted(string_form::language, "") == refused);
  CHECK(fitted(string_form::name, " x:y ") == "x:y");
  CHECK(fitted(string_form::ncname, " x:y ") == refused);
  CHECK(fitted(string_form::nmtoken, " 12 ") == "12");
  CHECK(fitted(string_form::id, "\ta1\t") == "a1");
  CHECK(fitted(string_form::id, "1a") == refused);
  CHECK(fitted(string_form::any_uri, " http://a/ \n") == "http://a/");
}

TEST_CASE("a URI is refused for errors that escapes cannot fix", "[text]") {
  for (const auto good :
       {"",
        "http://a/b?c=d&e#f",
        "HTTP://[::1]:8080/",
        "urn:isbn:0-395-36341-1",
        "mailto:a@b.example",
        "x+y-z.1:a",
        "../a/b",
        "#",
        "?a:b",
        "a/b:c",
        "//host/path",
        "a b",
        "%41%e9%E9",
        "{x}|\\^`<>\"",
        "\xC3\xA9",
        "http://"}) {
    CAPTURE(good);
    CHECK(detail::has_form(string_form::any_uri, good));
  }
  for (const auto bad :
       {"%",
        "%4",
        "%zz",
        "%g0",
        "a%2",
        "a#b#c",
        "##",
        ":a",
        "1:2",
        "::",
        "a b:c",
        "\xC3\xA9:c",
        "a  b",
        " a",
        "\ta",
        "\xC3"}) {
    CAPTURE(bad);
    CHECK_FALSE(detail::has_form(string_form::any_uri, bad));
  }
}

TEST_CASE("every type of string has a valid sample", "[text]") {
  for (int i = 0; i <= static_cast<int>(string_form::any_uri); ++i) {
    const auto form = static_cast<string_form>(i);
    const detail::string_form_info& info = detail::string_form_of(form);
    CAPTURE(info.name);
    CHECK(detail::has_form(form, info.sample));
    CHECK_FALSE(info.allowed.empty());
  }
  CHECK(detail::string_form_of(string_form::normalized).name == "normalizedString");
  CHECK(detail::string_form_of(string_form::any_uri).name == "anyURI");
  const std::string spaces(4'000'000, ' '), letters(4'000'000, 'a');
  CHECK((fitted(string_form::token, spaces + letters + spaces) == letters));
  CHECK(fitted(string_form::any_uri, letters + "%" + spaces) == refused);
  CHECK((fitted(string_form::name, letters) == letters));
}

TEST_CASE("the earlier content of a value is replaced", "[text]") {
  binary bytes{{1, 2, 3, 4, 5, 6, 7}};
  REQUIRE(detail::from_text("Zg==", bytes));
  CHECK(bytes.bytes == std::vector<std::uint8_t>{'f'});
  date_time moment{1, 2, 3, 4, 5, 6, 7, 8};
  REQUIRE(detail::from_text("2024-01-01T00:00:00", moment));
  CHECK(written(moment) == "2024-01-01T00:00:00");
  decimal number("-123.456");
  REQUIRE(detail::from_text("7", number));
  CHECK(number.text() == "7");
  duration length{1, 2, 3};
  REQUIRE(detail::from_text("P1D", length));
  CHECK(written(length) == "P1D");
  soapsvc::time at{1, 2, 3, 4, 5};
  REQUIRE(detail::from_text("12:00:00", at));
  CHECK(written(at) == "12:00:00");
  g_day payday{1, 2};
  REQUIRE(detail::from_text("---25", payday));
  CHECK(written(payday) == "---25");
  hex_binary digest{{1, 2, 3}};
  REQUIRE(detail::from_text("FF", digest));
  CHECK(digest.bytes == std::vector<std::uint8_t>{255});
  std::string text = "long before";
  REQUIRE(detail::from_text("", text));
  CHECK(text.empty());
}

TEST_CASE("megabytes of input are read in linear time", "[text]") {
  const std::size_t size = 4'000'000;
  const std::string zeros(size, '0'), spaces(size, ' '), ones(size, '1'), amps(size, '&');
  CHECK(read<std::int32_t>(spaces + zeros + "7" + spaces) == 7);
  CHECK(reread<std::int32_t>(ones) == refused);
  CHECK(reread<bool>(spaces + "t" + spaces + "rue") == refused);
  CHECK(read<double>("0." + ones) == Approx(1.0 / 9));
  CHECK(read<double>("1e" + zeros + "1") == 10);
  CHECK(read<decimal>(zeros + "." + ones) == read<decimal>("." + ones + zeros));
  CHECK(read<date_time>("2024-01-01T00:00:00." + zeros) == date_time{2024, 1, 1});
  CHECK(reread<date>(ones + "-01-01") == refused);
  CHECK(reread<date>("2024" + spaces) == refused);
  CHECK(escaped(amps).size() == size * 5);
  CHECK(detail::find_bad_char(ones + "\xFF") == size);
  CHECK(detail::quoted(ones).size() == 64 + 5);
  CHECK_FALSE(detail::is_collapsed_token(spaces));
  CHECK(detail::is_ncname("a" + ones));
  std::string base64;
  for (std::size_t i = 0; i < size / 4; ++i)
    base64 += i % 2 == 0 ? "AQ\nID" : "A Q I D";
  CHECK(read<binary>(base64).bytes.size() == size / 4 * 3);
  CHECK(reread<binary>(base64 + "=") == refused);
  CHECK(read<hex_binary>(zeros).bytes.size() == size / 2);
  CHECK(read<integer>(zeros + ones).text().size() == size);
  CHECK(read<duration>("PT" + zeros + "1." + zeros + "S") == duration{.seconds = 1});
  CHECK(reread<duration>("P" + ones) == refused);
  CHECK(reread<duration>("P" + ones + "Y") == refused);
  CHECK(reread<g_year>(ones) == refused);
}

// -- The value types in messages ---------------------------------------------------------------

namespace {

struct probe {
  template <class T> operator T() const;
};
struct message {
  date day;
  date_time moment;
  decimal amount;
  binary scan;
  bool last;
};
struct later_message {
  soapsvc::time at;
  duration length;
  g_year year;
  g_month_day day;
  integer count;
  hex_binary digest;
  bool last;
};
template <class Message, class... Members>
concept can_be_made_of = requires {
  Message{Members{}...};
};

}  // namespace

TEST_CASE("the value types are simple members of messages", "[values]") {
  // Counting a struct's members by its initialisers needs exactly five here.
  STATIC_REQUIRE(can_be_made_of<message, probe, probe, probe, probe, probe>);
  STATIC_REQUIRE_FALSE(can_be_made_of<message, probe, probe, probe, probe, probe, probe>);
  STATIC_REQUIRE(can_be_made_of<later_message, probe, probe, probe, probe, probe, probe, probe>);
  STATIC_REQUIRE_FALSE(
      can_be_made_of<later_message, probe, probe, probe, probe, probe, probe, probe, probe>);
  STATIC_REQUIRE(std::is_aggregate_v<date>);
  STATIC_REQUIRE(std::is_aggregate_v<date_time>);
  STATIC_REQUIRE(std::is_aggregate_v<binary>);
  STATIC_REQUIRE(std::regular<date>);
  STATIC_REQUIRE(std::regular<date_time>);
  STATIC_REQUIRE(std::regular<binary>);
  STATIC_REQUIRE(std::regular<decimal>);
  STATIC_REQUIRE(std::totally_ordered<decimal>);
  STATIC_REQUIRE(std::regular<integer>);
  STATIC_REQUIRE(std::totally_ordered<integer>);
  STATIC_REQUIRE(std::regular<soapsvc::time>);
  STATIC_REQUIRE(std::regular<duration>);
  STATIC_REQUIRE(std::regular<g_year>);
  STATIC_REQUIRE(std::regular<g_year_month>);
  STATIC_REQUIRE(std::regular<g_month>);
  STATIC_REQUIRE(std::regular<g_month_day>);
  STATIC_REQUIRE(std::regular<g_day>);
  STATIC_REQUIRE(std::regular<hex_binary>);
  STATIC_REQUIRE(std::three_way_comparable<g_day, std::partial_ordering>);
  STATIC_REQUIRE(std::three_way_comparable<duration, std::partial_ordering>);
  const message empty{};
  CHECK(empty.day.ok());
  CHECK(empty.moment.ok());
  CHECK(empty.amount == decimal());
  CHECK(empty.scan.bytes.empty());
}
