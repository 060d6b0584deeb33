// [patterns]: every construct of XML Schema part 2, appendix F; refusals and their places; Unicode;
// the cost of hostile patterns and texts. The oracle is the tables of the appendix that say
// which texts a regular expression denotes, evaluated as they stand, for random expressions and all
// short texts.

#include <catch2/catch.hpp>

#include <cstdlib>
#include <new>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "../counted_new.hpp"
#include "../processor_time.hpp"
#include "soapsvc.hpp"

namespace {

using namespace std::string_literals;
using soapsvc::detail::pattern;
namespace detail = soapsvc::detail;

/// With all the steps that it takes.
bool matches(const pattern& made, std::string_view text) {
  detail::step_budget steps;
  return made.matches(text, steps);
}
bool matches(std::string_view expression, std::string_view text) {
  return matches(pattern(expression), text);
}

/// The error of a refused pattern; empty if it is accepted.
std::string refusal(std::string_view expression) {
  try {
    (void)pattern(expression);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string in_utf8(char32_t character) {
  std::string text;
  detail::append_utf8(text, character);
  return text;
}

std::string times(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i != count; ++i)
    all += text;
  return all;
}

}  // namespace

// -- Constructs --------------------------------------------------------------------------------

TEST_CASE("each construct of a regular expression matches what appendix F says", "[patterns]") {
  struct row {
    std::string expression;
    std::vector<std::string> good, bad;
  };
  const row rows[] = {
      {"", {""}, {"a", " "}},
      {"a", {"a"}, {"", "b", "aa", "A", "a\n"}},
      {"abc", {"abc"}, {"ab", "abcd", "xabc"}},
      {"a|b|cd", {"a", "b", "cd"}, {"", "c", "ab", "bd"}},
      {"|a", {"", "a"}, {"|", "aa"}},
      {"a||b", {"", "a", "b"}, {"ab"}},
      {"(a|b)c", {"ac", "bc"}, {"c", "a", "abc"}},
      {"()", {""}, {"a"}},
      {"a?", {"", "a"}, {"aa", "b"}},
      {"a*", {"", "a", "aaaa"}, {"b", "aab"}},
      {"a+", {"a", "aaaa"}, {"", "ab"}},
      {"a{3}", {"aaa"}, {"", "aa", "aaaa"}},
      {"a{0}", {""}, {"a"}},
      {"a{0,0}b", {"b"}, {"ab"}},
      {"a{2,}", {"aa", "aaaaa"}, {"", "a"}},
      {"a{0,}", {"", "aaa"}, {"b"}},
      {"a{1,}", {"a", "aaa"}, {""}},
      {"a{2,3}", {"aa", "aaa"}, {"a", "aaaa"}},
      {"a{0,2}", {"", "a", "aa"}, {"aaa"}},
      {"a{007}", {"aaaaaaa"}, {"aaaaaa"}},
      {"(ab|c){2}", {"abab", "abc", "cab", "cc"}, {"ab", "c", "ababab"}},
      {"(a*)*", {"", "aaa"}, {"b"}},
      {"(a*)+b", {"b", "aab"}, {"a"}},
      {"(a?){3}", {"", "a", "aaa"}, {"aaaa"}},
      {"(a{2}){3}", {"aaaaaa"}, {"aaaaa", "aaaaaaa"}},
      {"(){3,5}a", {"a"}, {""}},
      {"(|a)+", {"", "aaa"}, {"b"}},
      // Whole texts, and no anchors.
      {"^a$", {"^a$"}, {"a"}},
      {"a-b,c", {"a-b,c"}, {"abc"}},
      {" a ", {" a "}, {"a"}},
      // 37a
      {".", {"a", " ", "\t", "\xC3\xA9", "\xF0\x9F\x99\x82", "\xC2\x85"}, {"", "\n", "\r", "ab"}},
      {"é", {"é"}, {"e", "\xC3"}},
      {"\xF0\x9F\x99\x82{2}", {"\xF0\x9F\x99\x82\xF0\x9F\x99\x82"}, {"\xF0\x9F\x99\x82"}},
      // Classes
      {"[abc]", {"a", "b", "c"}, {"", "d", "ab", "A"}},
      {"[a-c]", {"a", "b", "c"}, {"d", "-", "`"}},
      {"[a-cx-z0]", {"b", "x", "z", "0"}, {"d", "1"}},
      {"[^a-c]", {"d", "^", "\n", "é"}, {"a", "b", "c", ""}},
      {"[a^]", {"a", "^"}, {"b"}},
      {"[^^]", {"a"}, {"^"}},
      {"[-a]", {"a", "-"}, {"b"}},
      {"[a-]", {"a", "-"}, {"b"}},
      {"[-]", {"-"}, {"a"}},
      {"[--]", {"-"}, {"a"}},
      {"[^-]", {"a"}, {"-"}},
      {"[^-z]", {"a"}, {"-", "z"}},
      {"[-a-c-]", {"-", "b"}, {"d"}},
      {"[=->]", {"=", ">"}, {"-"}},
      {"[+-\\-]", {"+", ",", "-"}, {"."}},
      {"[\\--/]", {"-", ".", "/"}, {"+", "0"}},
      {"[.]", {"."}, {"a"}},
      {"[?*+(){}|$]", {"?", "*", "+", "(", ")", "{", "}", "|", "$"}, {"a"}},
      {"[\\[\\]\\\\]", {"[", "]", "\\"}, {"a"}},
      {"[a-\\}]", {"z", "}"}, {"~"}},
      {"[!-\\]]", {"A", "]"}, {"^"}},
      {"[à-ü]", {"é"}, {"e", "ÿ"}},
      {"[\\d\\s]", {"7", " "}, {"a"}},
      {"[^\\d\\s]", {"a"}, {"7", " "}},
      {"[\\D\\d]", {"7", "a", "é"}, {""}},
      {"[^\\D\\d]", {}, {"7", "a", ""}},
      {"[\\p{Lu}_]+", {"_ÄA"}, {"a"}},
      // Subtraction
      {"[a-z-[aeiou]]", {"b", "z"}, {"a", "u", "-"}},
      {"[a-z-[aeiou-[e]]]", {"b", "e"}, {"a", "u"}},
      {"[a-z-[b-y-[c-x-[d-w]]]]", {"a", "c", "x", "z"}, {"b", "d", "m", "w", "y"}},
      {"[^a-c-[x]]", {"d", "y"}, {"a", "x"}},
      {"[a-z-[^aeiou]]", {"a", "e"}, {"b"}},
      {"[a-[a-f]]", {}, {"a", "b", "-"}},
      {"[a-z--[b-z]]", {"a", "-"}, {"b", "z"}},
      {"[--[a]]", {"-"}, {"a"}},
      {"[\\w-[\\d_]]+", {"aé"}, {"a1", "_"}},
      {"[\\i-[:]][\\c-[:]]*", {"a", "_b.c-1"}, {"a:b", "1a", ":"}},
      {"[\\d-[9]]{2}", {"12"}, {"19"}},
  };
  for (const row& each : rows) {
    INFO(each.expression);
    const pattern made(each.expression);
    for (const std::string& text : each.good) {
      INFO("'" << text << "'");
      CHECK(matches(made, text));
    }
    for (const std::string& text : each.bad) {
      INFO("'" << text << "'");
      CHECK(!matches(made, text));
    }
  }
}

TEST_CASE("a single character escape is that character, inside a class and outside", "[patterns]") {
  const std::string letters = "nrt\\|.?*+(){}-[]^";
  const std::string characters = "\n\r\t\\|.?*+(){}-[]^";
  for (std::size_t i = 0; i != letters.size(); ++i) {
    const std::string escape = "\\"s + letters[i];
    INFO(escape);
    for (const std::string& expression :
         {escape,
          "[" + escape + "]",
          "[x" + escape + "]",
          "[" + escape + "-" + escape + "]",
          "[^\\s\\S-[^" + escape + "]]|" + escape}) {
      INFO(expression);
      const pattern made(expression);
      for (char c = 1; c != 127; ++c)
        if (detail::is_xml_char(static_cast<char32_t>(c)) && c != 'x')
          CHECK(matches(made, std::string_view(&c, 1)) == (c == characters[i]));
    }
  }
  for (char c = 1; c != 127; ++c)
    if ((letters + "sSiIcCdDwWpP").find(c) == std::string::npos) {
      INFO(c);
      CHECK(refusal("\\"s + c).find("character") != std::string::npos);
      CHECK(refusal("[\\"s + c + "]").find("character") != std::string::npos);
    }
}

TEST_CASE("a multi-character escape is the class that appendix F says it is", "[patterns]") {
  struct row {
    const char *expression, *good, *bad;
  };
  const row rows[] = {
      {"\\s", " \t\n\r", "a\xC2\xA0"},
      {"\\S", "a0é\xC2\xA0", " \t\n\r"},
      {"\\i", "aZ_:é", "0-. \xC2\xB7"},
      {"\\I", "0-. \xC2\xB7", "aZ_:é"},
      {"\\c", "aZ_:é09-.\xC2\xB7", " /+\xC3\x97"},
      {"\\C", " /+\xC3\x97", "aZ_:é09-.\xC2\xB7"},
      {"\\d", "0189\xD9\xA0\xF0\x9D\x9F\x8E", "aé²½"},
      {"\\D", "aé²½", "0189\xD9\xA0\xF0\x9D\x9F\x8E"},
      {"\\w", "aZ09é²½+<$`\xCC\x80", "_-.(){}!\"« \t\n\xC2\xAD\xE2\x80\xA8\xEE\x80\x80"},
      {"\\W", "_-.(){}!\"« \t\n\xC2\xAD\xE2\x80\xA8\xEE\x80\x80", "aZ09é²½+<$`\xCC\x80"},
  };
  for (const row& each : rows)
    for (const std::string& expression : {each.expression + ""s, "["s + each.expression + "]"}) {
      INFO(expression);
      CHECK(matches(expression + "*", each.good));
      CHECK(matches("[^"s + each.expression + "]*", each.bad));
      for (std::string_view rest = each.bad; !rest.empty();) {
        const std::size_t length = detail::decode_utf8(rest).length;
        CHECK(!matches(expression, rest.substr(0, length)));
        rest.remove_prefix(length);
      }
    }
}

// -- Refusals ----------------------------------------------------------------------------------

TEST_CASE("an invalid pattern is refused with the error and its position", "[patterns]") {
  struct row {
    std::string expression;
    std::size_t character;
    std::string why;
  };
  const row rows[] = {
      {"a)", 2, "closes nothing"},
      {"(a", 1, "not closed"},
      {"a(b(c)", 2, "not closed"},
      {"a]", 2, "closes nothing"},
      {"a}", 2, "closes nothing"},
      {"*a", 1, "nothing before this to repeat"},
      {"a|+", 3, "nothing before this to repeat"},
      {"(?a)", 2, "nothing before this to repeat"},
      {"{2}", 1, "nothing before this to repeat"},
      {"a**", 3, "nothing before this to repeat"},
      {"a+?", 3, "nothing before this to repeat"},
      {"a{2}{3}", 5, "nothing before this to repeat"},
      {"a{", 3, "a number is missing"},
      {"a{}", 3, "a number is missing"},
      {"a{,3}", 3, "a number is missing"},
      {"a{x}", 3, "a number is missing"},
      {"a{-1}", 3, "a number is missing"},
      {"a{1", 2, "does not begin {n}"},
      {"a{1 }", 2, "does not begin {n}"},
      {"a{1,2", 2, "does not begin {n}"},
      {"a{1,2,3}", 2, "does not begin {n}"},
      {"a{1,", 5, "a number is missing"},
      {"a{1,x}", 5, "a number is missing"},
      {"a{3,2}", 2, "is above the second"},
      {"a{10001}", 3, "above 10000"},
      {"a{0,99999999999999999999999999}", 5, "above 10000"},
      {"(){4294967296}", 4, "above 10000"},
      {"\\", 1, "nothing follows"},
      {"a\\q", 2, "no such escape"},
      {"\\1", 1, "no such escape"},
      {"\\é", 1, "no such escape"},
      {"\\p", 3, "in braces"},
      {"\\pL", 3, "in braces"},
      {"\\p{L", 3, "not closed"},
      {"\\p{}", 3, "no category or block ''"},
      {"\\p{Lx}", 3, "no category or block 'Lx'"},
      {"\\p{lu}", 3, "no category or block 'lu'"},
      {"\\p{LuLl}", 3, "no category or block"},
      {"\\p{uL}", 3, "no category or block"},
      {"\\p{Cs}", 3, "no category or block"},
      {"\\p{^L}", 3, "no category or block"},
      {"\\p{Is}", 3, "no category or block"},
      {"\\p{IsNowhere}", 3, "no category or block 'IsNowhere'"},
      {"\\p{IsBasic Latin}", 3, "no category or block"},
      {"\\p{BasicLatin}", 3, "no category or block"},
      {"[", 1, "not closed"},
      {"[a", 1, "not closed"},
      {"[a-", 1, "not closed"},
      {"[^", 1, "not closed"},
      {"[-", 1, "not closed"},
      {"[a-b", 1, "not closed"},
      {"[]", 1, "at least one character"},
      {"[^]", 1, "at least one character"},
      {"[]a]", 1, "at least one character"},
      {"[-[a]]", 1, "at least one character"},
      {"[^-[a]]", 1, "at least one character"},
      {"[a-z-[]]", 6, "at least one character"},
      {"[a[b]", 3, "a [ needs"},
      {"[[a]]", 2, "a [ needs"},
      {"[a-c-e]", 5, "a - needs"},
      {"[\\w-.]", 4, "a - needs"},
      {"[\\d-a-z]", 4, "a - needs"},
      {"[--a]", 3, "a - needs"},
      {"[a--b]", 4, "a - needs"},
      {"[+--]", 4, "a - needs"},
      {"[b-a]", 2, "wrong way round"},
      {"[a-\\n]", 2, "wrong way round"},
      {"[a-\\d]", 4, "ends in one character"},
      {"[a-z-[b]c]", 9, "must be the end of a class"},
      {"[a-z-[b]-[c]]", 9, "must be the end of a class"},
      {"[a-z-[b]", 1, "not closed"},
      {"[a-z-[b", 6, "not closed"},
      {"é[b-a]", 3, "wrong way round"},
      {"a\xFF", 2, "not UTF-8"},
      {"\xC3", 1, "not UTF-8"},
      {"\xED\xA0\x80", 1, "not UTF-8"},
      {"\x80", 1, "not UTF-8"},
      {"[\xC0\x80]", 2, "not UTF-8"},
      {"ab\x01", 3, "no such character"},
      {"a\0b"s, 2, "no such character"},
      {"[\x01-z]", 2, "no such character"},
      {"\xEF\xBF\xBE", 1, "no such character"},
  };
  for (const row& each : rows) {
    const std::string said = refusal(each.expression);
    INFO(each.expression << ": " << said);
    const std::string place = " is wrong at character " + std::to_string(each.character) + ": ";
    CHECK(said.starts_with("soapsvc: the pattern '"));
    CHECK(said.find(place) != std::string::npos);
    CHECK(said.find(each.why) != std::string::npos);
    CHECK(detail::find_bad_char(said) == std::string::npos);
  }
}

TEST_CASE("every prefix of a pattern is accepted or refused", "[patterns]") {
  const std::string expression =
      "(ab|[^\\d\\p{IsGreek}-[a-e\\-x-[c]]]{2,3}|\\p{Lu}*(\\i\\c+){1,}|é\\.){0,2}["
      "\xF0\x9F\x99\x82-"
      "\xF0\x9F\x99\x84]?x|";
  std::size_t taken = 0;
  for (std::size_t size = 0; size <= expression.size(); ++size)
    for (const char* const begin : {"", "(", "[", "[^", "a{", "a{1,", "\\", "\\p{", "[a-"}) {
      const std::string part = begin + expression.substr(0, size);
      const std::string said = refusal(part);
      taken += said.empty() ? 1 : 0;
      if (said.empty()) (void)matches(part, "aé.b");
    }
  CHECK(taken > 5);
  CHECK(refusal(expression).empty());
}

TEST_CASE("a text that is not UTF-8, or not of XML, matches nothing", "[patterns]") {
  for (const char* const expression : {"[\\s\\S]*", ".*", "[^a]*", "\\C*", "\\P{L}*", "\\p{C}*"}) {
    INFO(expression);
    const pattern made(expression);
    CHECK(matches(made, ""));
    for (const std::string& text :
         {"\xFF"s,
          "\xC3"s,
          "\xC0\x80"s,
          "\xED\xA0\x80"s,
          "\xF4\x90\x80\x80"s,
          "\x80"s,
          "\0"s,
          "\x01"s,
          "\x1F"s,
          "\xEF\xBF\xBE"s,
          "\xEF\xBF\xBF"s}) {
      CHECK(!matches(made, text));
      CHECK(!matches(made, "\xC2\x9F" + text));
      CHECK(!matches(made, text + "\xC2\x9F"));
    }
  }
  CHECK(!matches("a", "a\xFF"));
  CHECK(matches("[\\s\\S]", "\xF4\x8F\xBF\xBF"));
}

// -- Unicode -----------------------------------------------------------------------------------

namespace {

std::size_t size_of(detail::char_set set) {
  std::size_t size = 0;
  set.settle();
  for (const auto& range : set.ranges())
    size += range.last - range.first + 1;
  return size;
}

}  // namespace

TEST_CASE("the categories are those of Unicode 15", "[patterns]") {
  // As the Unicode Character Database counts them.
  const std::pair<std::string_view, std::size_t> counts[] = {
      {"Lu", 1'831}, {"Ll", 2'233}, {"Lt", 31},  {"Lm", 397},     {"Lo", 131'612}, {"Mn", 1'985},
      {"Mc", 452},   {"Me", 13},    {"Nd", 680}, {"Nl", 236},     {"No", 915},     {"Pc", 10},
      {"Pd", 26},    {"Ps", 79},    {"Pe", 77},  {"Pi", 12},      {"Pf", 10},      {"Po", 628},
      {"Sm", 948},   {"Sc", 63},    {"Sk", 125}, {"So", 6'634},   {"Zs", 17},      {"Zl", 1},
      {"Zp", 1},     {"Cc", 65},    {"Cf", 170}, {"Co", 137'468}, {"Cn", 825'345}};
  std::size_t all = 0;
  detail::char_set together;
  for (const auto& [name, count] : counts) {
    INFO(name);
    const detail::char_set of = detail::characters_of(detail::categories_named(name));
    CHECK(size_of(of) == count);
    all += count;
    together.add(of);
  }
  CHECK(all == 0x110000 - 2'048);  // all but the surrogates, and
  CHECK(size_of(together) == all);  // none twice
  for (const char* const major : {"L", "M", "N", "P", "S", "Z", "C"}) {
    detail::char_set parts;
    for (const auto& [name, count] : counts)
      if (name.starts_with(major)) parts.add(detail::characters_of(detail::categories_named(name)));
    parts.settle();
    CHECK(parts.ranges() == [&] {
      detail::char_set whole = detail::characters_of(detail::categories_named(major));
      whole.settle();
      return whole.ranges();
    }());
  }
}

TEST_CASE("a character is in its category, and in no other", "[patterns]") {
  const std::pair<const char*, const char*> samples[] = {
      {"Lu", "AZÀĀĂŽΑЖ\xF0\x9D\x9A\xA8"},
      {"Ll", "azàāăžαж"},
      {"Lt", "ǅǈ"},
      {"Lm", "ʰˁ"},
      {"Lo", "ªאの漢"},
      {"Mn", "\xCC\x80"},
      {"Mc", "\xE0\xA4\x83"},
      {"Me", "\xE2\x83\x9D"},
      {"Nd", "09٠"},
      {"Nl", "Ⅷ〇"},
      {"No", "²¼"},
      {"Pc", "_‿"},
      {"Pd", "-–—"},
      {"Ps", "([{"},
      {"Pe", ")]}"},
      {"Pi", "«“"},
      {"Pf", "»”"},
      {"Po", "!\"#%&'*,./"},
      {"Sm", "+<=>|~¬±"},
      {"Sc", "$¢£€"},
      {"Sk", "^`¨"},
      {"So", "©®°"},
      {"Zs", " \xC2\xA0"},
      {"Zl", "\xE2\x80\xA8"},
      {"Zp", "\xE2\x80\xA9"},
      {"Cc", "\t\n\r\xC2\x85"},
      {"Cf", "\xC2\xAD\xE2\x80\x8B"},
      {"Co", "\xEE\x80\x80"},
      {"Cn", "\xCD\xB8"}};
  for (const auto& [name, text] : samples)
    for (const auto& [other, unused] : samples) {
      INFO(name << ' ' << other);
      const bool is_same = name == other;
      CHECK(matches("\\p{"s + other + "}+", text) == is_same);
      CHECK(matches("[^\\P{"s + other + "}]+", text) == is_same);
      CHECK(matches("\\P{"s + other + "}+", text) == !is_same);
      CHECK(matches("\\p{"s + other[0] + "}+", text) == (name[0] == other[0]));
    }
}

TEST_CASE("the blocks are those of appendix F and of Unicode 15", "[patterns]") {
  struct row {
    const char* name;
    char32_t first, last;
  };
  // Appendix F.1.1, except for later changes of Unicode: 4DB5, D7A3, FEFE and FEFF.
  const row rows[] = {
      {"BasicLatin", 0x9, 0x7F},
      {"Latin-1Supplement", 0x80, 0xFF},
      {"LatinExtended-A", 0x100, 0x17F},
      {"LatinExtended-B", 0x180, 0x24F},
      {"IPAExtensions", 0x250, 0x2AF},
      {"SpacingModifierLetters", 0x2B0, 0x2FF},
      {"CombiningDiacriticalMarks", 0x300, 0x36F},
      {"Greek", 0x370, 0x3FF},
      {"GreekandCoptic", 0x370, 0x3FF},
      {"Cyrillic", 0x400, 0x4FF},
      {"Armenian", 0x530, 0x58F},
      {"Hebrew", 0x590, 0x5FF},
      {"Arabic", 0x600, 0x6FF},
      {"Syriac", 0x700, 0x74F},
      {"Thaana", 0x780, 0x7BF},
      {"Devanagari", 0x900, 0x97F},
      {"Bengali", 0x980, 0x9FF},
      {"Gurmukhi", 0xA00, 0xA7F},
      {"Gujarati", 0xA80, 0xAFF},
      {"Oriya", 0xB00, 0xB7F},
      {"Tamil", 0xB80, 0xBFF},
      {"Telugu", 0xC00, 0xC7F},
      {"Kannada", 0xC80, 0xCFF},
      {"Malayalam", 0xD00, 0xD7F},
      {"Sinhala", 0xD80, 0xDFF},
      {"Thai", 0xE00, 0xE7F},
      {"Lao", 0xE80, 0xEFF},
      {"Tibetan", 0xF00, 0xFFF},
      {"Myanmar", 0x1000, 0x109F},
      {"Georgian", 0x10A0, 0x10FF},
      {"HangulJamo", 0x1100, 0x11FF},
      {"Ethiopic", 0x1200, 0x137F},
      {"Cherokee", 0x13A0, 0x13FF},
      {"UnifiedCanadianAboriginalSyllabics", 0x1400, 0x167F},
      {"Ogham", 0x1680, 0x169F},
      {"Runic", 0x16A0, 0x16FF},
      {"Khmer", 0x1780, 0x17FF},
      {"Mongolian", 0x1800, 0x18AF},
      {"LatinExtendedAdditional", 0x1E00, 0x1EFF},
      {"GreekExtended", 0x1F00, 0x1FFF},
      {"GeneralPunctuation", 0x2000, 0x206F},
      {"SuperscriptsandSubscripts", 0x2070, 0x209F},
      {"CurrencySymbols", 0x20A0, 0x20CF},
      {"CombiningMarksforSymbols", 0x20D0, 0x20FF},
      {"CombiningDiacriticalMarksforSymbols", 0x20D0, 0x20FF},
      {"LetterlikeSymbols", 0x2100, 0x214F},
      {"NumberForms", 0x2150, 0x218F},
      {"Arrows", 0x2190, 0x21FF},
      {"MathematicalOperators", 0x2200, 0x22FF},
      {"MiscellaneousTechnical", 0x2300, 0x23FF},
      {"ControlPictures", 0x2400, 0x243F},
      {"OpticalCharacterRecognition", 0x2440, 0x245F},
      {"EnclosedAlphanumerics", 0x2460, 0x24FF},
      {"BoxDrawing", 0x2500, 0x257F},
      {"BlockElements", 0x2580, 0x259F},
      {"GeometricShapes", 0x25A0, 0x25FF},
      {"MiscellaneousSymbols", 0x2600, 0x26FF},
      {"Dingbats", 0x2700, 0x27BF},
      {"BraillePatterns", 0x2800, 0x28FF},
      {"CJKRadicalsSupplement", 0x2E80, 0x2EFF},
      {"KangxiRadicals", 0x2F00, 0x2FDF},
      {"IdeographicDescriptionCharacters", 0x2FF0, 0x2FFF},
      {"CJKSymbolsandPunctuation", 0x3000, 0x303F},
      {"Hiragana", 0x3040, 0x309F},
      {"Katakana", 0x30A0, 0x30FF},
      {"Bopomofo", 0x3100, 0x312F},
      {"HangulCompatibilityJamo", 0x3130, 0x318F},
      {"Kanbun", 0x3190, 0x319F},
      {"BopomofoExtended", 0x31A0, 0x31BF},
      {"EnclosedCJKLettersandMonths", 0x3200, 0x32FF},
      {"CJKCompatibility", 0x3300, 0x33FF},
      {"CJKUnifiedIdeographsExtensionA", 0x3400, 0x4DBF},
      {"CJKUnifiedIdeographs", 0x4E00, 0x9FFF},
      {"YiSyllables", 0xA000, 0xA48F},
      {"YiRadicals", 0xA490, 0xA4CF},
      {"HangulSyllables", 0xAC00, 0xD7AF},
      {"PrivateUse", 0xE000, 0xF8FF},
      {"PrivateUseArea", 0xE000, 0xF8FF},
      {"CJKCompatibilityIdeographs", 0xF900, 0xFAFF},
      {"AlphabeticPresentationForms", 0xFB00, 0xFB4F},
      {"ArabicPresentationForms-A", 0xFB50, 0xFDFF},
      {"CombiningHalfMarks", 0xFE20, 0xFE2F},
      {"CJKCompatibilityForms", 0xFE30, 0xFE4F},
      {"SmallFormVariants", 0xFE50, 0xFE6F},
      {"ArabicPresentationForms-B", 0xFE70, 0xFEFF},
      {"HalfwidthandFullwidthForms", 0xFF00, 0xFFEF},
      {"Specials", 0xFFF0, 0xFFFD},
      // Newer ones, and the last.
      {"OldItalic", 0x10300, 0x1032F},
      {"MathematicalAlphanumericSymbols", 0x1D400, 0x1D7FF},
      {"Emoticons", 0x1F600, 0x1F64F},
      {"CJKUnifiedIdeographsExtensionH", 0x31350, 0x323AF},
      {"Tags", 0xE0000, 0xE007F},
      {"SupplementaryPrivateUseArea-B", 0x100000, 0x10FFFF},
  };
  for (const row& each : rows) {
    INFO(each.name);
    const pattern in("\\p{Is"s + each.name + "}");
    const pattern out("\\P{Is"s + each.name + "}");
    const char32_t middle = (each.first + each.last) / 2;
    for (const char32_t c : {each.first, middle, each.last}) {
      CHECK(matches(in, in_utf8(c)));
      CHECK(!matches(out, in_utf8(c)));
    }
    for (const char32_t c : {char32_t{each.first - 1}, char32_t{each.last + 1}}) {
      CHECK(!matches(in, in_utf8(c)));
      if (detail::is_xml_char(c)) CHECK(matches(out, in_utf8(c)));
    }
  }
  // Surrogates are no characters (F.1.1), but their blocks have names that schemas may use.
  for (const char* const name : {"HighSurrogates", "HighPrivateUseSurrogates", "LowSurrogates"}) {
    CHECK(!matches("\\p{Is"s + name + "}", "a"));
    CHECK(matches("\\P{Is"s + name + "}", "a"));
  }
}

TEST_CASE("name characters are the same in patterns and in XML", "[patterns]") {
  const auto in_names = [](bool is_inside) {
    detail::char_set set = detail::name_characters(is_inside);
    set.settle();
    return detail::character_class(set);
  };
  const detail::character_class starts = in_names(false), insides = in_names(true);
  std::size_t wrong = 0;
  for (char32_t c = 0; c != 0x110000; ++c) {
    if (c == ':') continue;
    const bool is_right = starts.contains(c) == detail::is_ncname_start(c) &&
                          insides.contains(c) == detail::is_ncname_char(c);
    wrong += is_right ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(starts.contains(':'));
  CHECK(insides.contains(':'));
}

TEST_CASE("a set of characters contains the added ones, or all others of XML", "[patterns]") {
  std::mt19937 random(1);
  const auto below = [&](char32_t end) { return static_cast<char32_t>(random() % end); };
  for (int round = 0; round != 300; ++round) {
    detail::char_set set;
    std::vector<bool> in(0x110000);
    const char32_t end = round % 2 == 0 ? 200 : 0x3000;
    for (char32_t count = below(6); count != 0; --count) {
      const char32_t first = below(end);
      const char32_t last = std::min<char32_t>(end - 1, first + below(20));
      set.add(first, last);
      std::fill(in.begin() + first, in.begin() + last + 1, true);
    }
    const detail::character_class rest(detail::char_set::all_but(set));
    set.settle();
    const detail::character_class made(set);
    std::size_t wrong = 0;
    for (char32_t c = 0; c != end + 30; ++c) {
      wrong += made.contains(c) == in[c] ? 0 : 1;
      wrong += rest.contains(c) == (!in[c] && detail::is_xml_char(c)) ? 0 : 1;
    }
    CHECK(wrong == 0);
    for (const auto& range : rest.ranges())
      CHECK(range.first <= range.last);
  }
}

// -- The oracle --------------------------------------------------------------------------------

namespace {

/// A random regular expression with its text and the strings that it denotes by the appendix.
struct expression {
  enum class kind { branches, pieces, repeated, one_of } what{};
  std::vector<expression> parts;
  unsigned least = 0, most = 0;  // of repeated; most 99: unbounded
  std::string members;  // of one_of: of `alphabet`
  std::string written;

  using ends = std::set<std::size_t>;

  /// The positions in `text` at which it may end if it begins at one of `from`.
  ends from(const std::string& text, const ends& begins) const {
    ends found;
    switch (what) {
    case kind::branches:
      for (const expression& part : parts)
        found.merge(part.from(text, begins));
      return found;
    case kind::pieces:
      found = begins;
      for (const expression& part : parts)
        found = part.from(text, found);
      return found;
    case kind::repeated: return repeated(text, begins);
    case kind::one_of:
      for (const std::size_t at : begins)
        if (at < text.size() && members.find(text[at]) != members.npos) found.insert(at + 1);
    }
    return found;
  }
  ends repeated(const std::string& text, ends at) const {
    ends found;
    for (unsigned round = 0;; ++round) {
      if (round >= least) found.insert(at.begin(), at.end());
      // A text has no more parts that are not empty than it has characters.
      if (round == (most == 99 ? least + text.size() : most)) return found;
      at = parts.front().from(text, at);
    }
  }
};

class generator {
public:
  explicit generator(unsigned seed) : random_(seed) {}
  static constexpr std::string_view alphabet = "ab-^";

  expression branches(int depth) {
    expression made{expression::kind::branches, {}, 0, 0, {}, {}};
    for (unsigned i = 0, count = 1 + below(3) / 2; i != count; ++i) {
      made.parts.push_back(pieces(depth));
      made.written += (i == 0 ? "" : "|") + made.parts.back().written;
    }
    return made;
  }

private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_()) % end; }

  expression pieces(int depth) {
    expression made{expression::kind::pieces, {}, 0, 0, {}, {}};
    for (unsigned i = 0, count = below(4); i != count; ++i) {
      made.parts.push_back(below(2) == 0 ? atom(depth) : repeated(depth));
      made.written += made.parts.back().written;
    }
    return made;
  }
  expression repeated(int depth) {
    const struct {
      const char* written;
      unsigned least, most;
    } forms[] = {
        {"?", 0, 1},
        {"*", 0, 99},
        {"+", 1, 99},
        {"{0}", 0, 0},
        {"{2}", 2, 2},
        {"{0,2}", 0, 2},
        {"{1,3}", 1, 3},
        {"{2,}", 2, 99},
        {"{0,}", 0, 99}};
    const auto& form = forms[below(std::size(forms))];
    expression of = atom(depth);
    const std::string written = of.written + form.written;
    return {expression::kind::repeated, {std::move(of)}, form.least, form.most, {}, written};
  }
  expression atom(int depth) {
    if (depth > 0 && below(3) == 0) {
      expression inner = branches(depth - 1);
      inner.written = "(" + inner.written + ")";
      return inner;
    }
    std::string written, members;
    if (below(3) == 0)
      members = read_class(2, written);
    else if (below(8) == 0)
      written = ".", members = alphabet;
    else
      written = members = alphabet[below(4)];
    return {expression::kind::one_of, {}, 0, 0, members, written};
  }
  /// The members of a class, which is appended to `written`.
  std::string read_class(int depth, std::string& written) {
    const bool is_negative = below(3) == 0;
    written += is_negative ? "[^" : "[";
    std::string in;
    for (unsigned i = 0, count = 1 + below(3); i != count; ++i)
      in += read_range(written);
    std::string members;
    for (const char c : alphabet)
      if ((in.find(c) != in.npos) != is_negative) members += c;
    if (depth > 0 && below(3) == 0) {
      written += '-';
      for (const char c : read_class(depth - 1, written))
        std::erase(members, c);
    }
    written += "]";
    return members;
  }
  std::string read_range(std::string& written) {
    const struct {
      const char *written, *members;
    } forms[] = {
        {"a", "a"},
        {"b", "b"},
        {"a-b", "ab"},
        {"\\-", "-"},
        {"\\^", "^"},
        {"\\--\\^", "-^"},
        {"\\^-b", "^ab"},
        {"\\--b", "-^ab"},
        {"\\w", "ab^"},
        {"\\W", "-"},
        {"\\p{Pd}", "-"},
        {"\\P{L}", "-^"},
        {"\\i", "ab"},
        {"\\c", "ab-"}};
    const auto& form = forms[below(std::size(forms))];
    written += form.written;
    return form.members;
  }

  std::mt19937 random_;
};

/// All texts of the alphabet that have at most so many characters.
std::vector<std::string> short_texts(std::size_t longest) {
  std::vector<std::string> texts{""};
  for (std::size_t at = 0; at != texts.size(); ++at)
    if (texts[at].size() < longest)
      for (const char c : generator::alphabet)
        texts.push_back(texts[at] + c);
  return texts;
}

}  // namespace

TEST_CASE("random expressions match the texts that the appendix says they denote", "[patterns]") {
  const std::vector<std::string> texts = short_texts(4);
  CHECK(texts.size() == 341);
  std::size_t good = 0, bad = 0;
  for (unsigned seed = 0; seed != 400; ++seed) {
    const expression expected = generator(seed).branches(3);
    INFO(expected.written);
    const pattern made(expected.written);
    // Too long for a table, because of texts with other letters.
    const pattern by_sets("(" + expected.written + ")|X{200}");
    for (const std::string& text : texts) {
      const bool denotes = expected.from(text, {0}).contains(text.size());
      ++(denotes ? good : bad);
      if (matches(made, text) == denotes && matches(by_sets, text) == denotes) continue;
      FAIL_CHECK("'" << text << "' is " << (denotes ? "" : "not ") << "one of its texts");
    }
  }
  CHECK(good > 5'000);
  CHECK(bad > 50'000);
}

TEST_CASE("a pattern with too many states for a table is still matched", "[patterns]") {
  // A test of the tenth character from the end takes 1,024 rows; of the ninth, 256.
  for (const std::size_t behind : {6U, 7U, 8U, 9U}) {
    const pattern made("[ab]*a[ab]{" + std::to_string(behind) + "}");
    for (unsigned bits = 0; bits != 4096; ++bits) {
      std::string text;
      for (unsigned bit = 0; bit != 12; ++bit)
        text += (bits >> bit & 1U) != 0 ? 'a' : 'b';
      if (matches(made, text) != (text[11 - behind] == 'a')) FAIL_CHECK(text);
    }
    CHECK_FALSE(matches(made, std::string(behind, 'a')));
    CHECK(matches(made, "a" + std::string(behind, 'b')));
  }
  const pattern made("[\\i-[:]][\\c-[:]]*");  // of ASCII by a table, of all others by sets
  CHECK(matches(made, "abc-1"));
  CHECK(matches(made, "abcé-1"));
  CHECK_FALSE(matches(made, "abc:é"));
  CHECK_FALSE(matches(made, "abcé:"));
  CHECK_FALSE(matches(made, "abc\xC3"));
  CHECK_FALSE(matches(made, ":\xC3"));
}

// -- Bounds and costs --------------------------------------------------------------------------

TEST_CASE(
    "a pattern has a bounded number of states, in every way to create them", "[patterns][limits]") {
  CHECK(matches("a{10000}", times(10'000, "a")));
  CHECK(!matches("a{10000}", times(9'999, "a")));
  CHECK(matches("a{0,5000}", times(5'000, "a")));
  CHECK(!matches("a{0,5000}", times(5'001, "a")));
  CHECK(matches("a{9999,}", times(10'020, "a")));
  CHECK(matches("(ab){5000}", times(5'000, "ab")));
  CHECK(matches(times(10'000, "é"), times(10'000, "é")));
  for (const std::string& expression :
       {"a{0,5001}"s,
        "a{10000,}"s,
        "a{10000}b"s,
        "(a{10000})*"s,
        "(ab){5001}"s,
        "((a{1000}){1000}){1000}"s,
        "((a{0,1000}){0,1000}){0,1000}"s,
        "((a{1000,}){1000,}){1000,}"s,
        "(a{9000}|b){2}"s,
        times(10'001, "a"),
        times(10'001, "[ab]"),
        times(5'001, "a|"),
        times(5'001, "a?")}) {
    INFO(expression.substr(0, 40));
    CHECK(refusal(expression).find("10000 states") != std::string::npos);
  }
  // None of them is written out before it is refused.
  const auto written_out = [] { refusal("a{9999}"); };
  for (const std::string& expression :
       {"((((a{5000}){10000}){10000}){10000}){10000}"s,
        "(a{10000}){10000}"s,
        "a{" + times(60'000, "9") + "}"}) {
    INFO(expression.substr(0, 40));
    CHECK(takes_less([&] { refusal(expression); }, 20, written_out, 0.05));
  }
  CHECK(refusal(times(70'000, "a")).find("65536 bytes") != std::string::npos);
}

TEST_CASE("a pattern has a bounded number of ranges", "[patterns][limits]") {
  std::string expression;
  for (char32_t c = 0xE000; c != 0xE000 + 300; ++c)  // of private use, and therefore no letters
    expression += "[\\p{L}" + in_utf8(c) + "]";
  const std::string said = refusal(expression);
  INFO(said);
  CHECK(said.find("ranges") != std::string::npos);
  CHECK(refusal(times(300, "[\\p{L}\\-]")).empty());  // the same one, once
  CHECK(refusal("[" + times(300, "\\p{L}\\P{Lu}a") + "]").empty());
}

TEST_CASE("a pattern is nested a hundred levels deep, and no deeper", "[patterns]") {
  CHECK(matches(times(100, "(") + "a" + times(100, ")"), "a"));
  CHECK(refusal(times(101, "(") + "a" + times(101, ")")).find("deep") != std::string::npos);
  CHECK(refusal(times(60'000, "(")).find("deep") != std::string::npos);
  CHECK(refusal(times(100, "[a-") + "]").find("deep") == std::string::npos);
  CHECK(refusal(times(101, "[a-") + "]").find("deep") != std::string::npos);
  CHECK(refusal(times(20'000, "[a-")).find("deep") != std::string::npos);
  CHECK(matches(times(99, "[ab-") + "[b]" + times(99, "]"), "a"));
}

TEST_CASE("matching takes time in proportion to the text, whatever the pattern", "[patterns]") {
  for (const char* const expression :
       {"((a*)*)*b",
        "(a|a)*b",
        "(a|aa)+b",
        "(a?){50}a{50}.*b",
        "((a+)+)+b",
        "(a*a*a*a*a*)*b",
        "(.*a){20}b",
        "([a-z]+)*[0-9]",
        "(a{1,20}){1,50}b|[\\s\\S]*c",
        "[^b]*"}) {
    INFO(expression);
    const pattern made(expression);
    CHECK(is_linear(4'000, [&](std::size_t size) { (void)matches(made, times(size, "a")); }));
  }
}

TEST_CASE("matching stops at the bound of steps, and steps are counted", "[patterns]") {
  const auto taken = [](const pattern& made, std::string_view text) {
    detail::step_budget steps;
    const std::size_t all = steps.left;
    (void)made.matches(text, steps);
    return all - steps.left;
  };
  const pattern tail("[\\s\\S]*[^\\s][\\s\\S]{0,4000}");
  const std::size_t once = taken(tail, times(4'000, "a")), twice = taken(tail, times(8'000, "a"));
  CHECK(once > 4'000 * 2'000);  // on average, half of the tail may have begun anywhere
  CHECK(twice > 2 * once);
  CHECK(taken(pattern("[a-z]+"), times(4'000, "a")) == 0);  // a table of ASCII
  CHECK(taken(pattern("[a-zé]+"), times(4'000, "é")) >= 4'000);
  CHECK(taken(pattern("a{1000}"), "") >= 100);  // the memory of the sets
  std::string words = "x";
  for (int number = 0; number != 1'000; ++number)
    words += "|a" + std::to_string(number);
  CHECK(taken(pattern(words), "") >= 2'000);  // a text of no character looks at each word too

  for (const std::size_t most : {std::size_t{0}, once / 2, once - 1}) {
    detail::step_budget steps{most, most};
    CHECK(!tail.matches(times(4'000, "a"), steps));
    CHECK(steps.is_spent);
    CHECK(!tail.matches("a", steps));  // and stays so
  }
  detail::step_budget enough{2 * once, 2 * once};
  CHECK(tail.matches(times(4'000, "a"), enough));
  CHECK(tail.matches(times(4'000, "a"), enough));
  CHECK(!enough.is_spent);
  CHECK(enough.left == 0);  // one budget for all
}

TEST_CASE("bytes of a stream earn steps, up to the budget", "[patterns]") {
  detail::step_budget steps{1'000, 0};
  steps.earn(10, 100);
  CHECK(steps.left == 110);  // 11 for each byte
  steps.earn(1'000'000, 100);
  CHECK(steps.left == 1'000);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  detail::step_budget large{most - 1, 0};
  large.earn(most, 0);
  CHECK(large.left == most - 1);
}

TEST_CASE("a small pattern is matched without an allocation", "[patterns]") {
  const pattern made("(\\p{Lu}[a-zé]{1,20}( |-))*\\d{4}|[\\i-[:]][\\c-[:]]*");
  const std::size_t before = allocations;
  const bool is_match = matches(made, "Émile Zola-1898") && !matches(made, "Émile Zola:1898");
  CHECK(allocations == before);
  CHECK(is_match);
}

TEST_CASE("threads match the same pattern concurrently", "[patterns]") {
  const pattern made("([a-z]+,)*[a-z]{1,200}");
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([&, i] {
      for (std::size_t size = 1; size != 100; ++size) {
        const std::string text = times(size, i % 2 == 0 ? "ab," : "ab,1") + "c";
        right += matches(made, text) == (i % 2 == 0) ? 1 : 0;
      }
    });
  for (std::thread& each : threads)
    each.join();
  CHECK(right == 4 * 99);
}
