// Regular expressions of XML Schema ([patterns]). The first line is the pattern, the rest is the
// text. An accepted one must be the same pattern in parentheses, once, and as a branch beside
// itself; with another branch it must match that as well. A refused one is refused in one sentence
// that shows where.
#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include <optional>

#include "fuzz.hpp"
#include "soapsvc.hpp"

namespace {

using soapsvc::detail::pattern;

/// The pattern, or the text of its refusal.
std::optional<pattern> compiled(const std::string& expression, std::string& said) {
  try {
    return pattern(expression);
  } catch (const std::invalid_argument& error) {
    said = error.what();
    return std::nullopt;
  }
}

/// Whether a pattern takes a text, in as many steps as that needs.
bool takes(const pattern& by, std::string_view text) {
  soapsvc::detail::step_budget steps;
  return by.matches(text, steps);
}

/// Patterns that are made of a good one, and their required results; but a bound may be in the
/// way, of states, depth or bytes, and then there is none.
void check_variants(const std::string& good, const std::string& text, bool is_match) {
  const bool is_xml = soapsvc::detail::find_bad_char(text) == text.npos;
  std::string said;
  for (const std::string& same :
       {"(" + good + ")",
        "(" + good + "){1}",
        "(" + good + "){1,1}|[^\\s\\S]",
        good + "|" + good,
        "[\\s\\S]{0}(" + good + ")()"})
    if (const auto other = compiled(same, said))
      fuzz::require(takes(*other, text) == is_match, "a variant says the same", same);
  if (const auto all = compiled(good + "|[\\s\\S]*", said))
    fuzz::require(takes(*all, text) == is_xml, "another branch takes all texts", good);
  if (const auto maybe = compiled("(" + good + "){0,1}", said))
    fuzz::require(takes(*maybe, text) == (is_match || text.empty()), "once or not at all", good);
  if (const auto more = compiled("(" + good + ")*", said); more && is_match)
    fuzz::require(takes(*more, text) && takes(*more, ""), "once is any number of times", good);
  if (const auto twice = compiled("(" + good + "){2}", said); twice && is_match)
    fuzz::require(takes(*twice, text + text), "twice is two times", good);
}

/// A text with its special characters escaped matches itself, and nothing that is longer.
void check_literal(const std::string& text) {
  std::string expression;
  for (const char c : text)
    expression
        .append(std::string_view("\\|.?*+(){}[]").find(c) == std::string_view::npos ? "" : "\\")
        .push_back(c);
  std::string said;
  const std::optional<pattern> literal = compiled(expression, said);
  if (!literal) return;
  fuzz::require(takes(*literal, text), "a text matches itself", expression);
  fuzz::require(!takes(*literal, text + "a"), "a text matches nothing longer", expression);
}

void check_refusal(const std::string& expression, const std::string& said) {
  const std::string begin =
      "soapsvc: the pattern " + soapsvc::detail::quoted(expression) + " is wrong at character ";
  fuzz::require(said.starts_with(begin), "a refusal says where", said);
  fuzz::require(soapsvc::detail::find_bad_char(said) == said.npos, "a refusal can be sent", said);
  const auto character = std::strtoull(said.c_str() + begin.size(), nullptr, 10);
  fuzz::require(character >= 1 && character <= expression.size() + 1, "a place in it", said);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = fuzz::text_of(data, size);
  const std::string expression(fuzz::take_line(rest));
  const std::string text(rest);
  std::string said;
  const std::optional<pattern> made = compiled(expression, said);
  if (!made) {
    check_refusal(expression, said);
  } else {
    const bool is_match = takes(*made, text);
    if (is_match)
      fuzz::require(soapsvc::detail::find_bad_char(text) == text.npos, "what matches is XML");
    check_variants(expression, text, is_match);
  }
  check_literal(text);
  return 0;
}
