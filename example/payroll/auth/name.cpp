#include "auth/name.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "operate/process.hpp"

namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(
      text.begin(), text.end(), [](char each) { return static_cast<unsigned char>(each) < 0x80; });
}

/// Removes and returns the first character; negative if it is invalid.
utf8proc_int32_t take_character(std::string_view& text) {
  utf8proc_int32_t character = -1;
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = utf8proc_iterate(at, static_cast<utf8proc_ssize_t>(text.size()), &character);
  text.remove_prefix(size > 0 ? static_cast<std::size_t>(size) : text.size());
  return size > 0 ? character : -1;
}

bool is_mark(utf8proc_int32_t character) {
  const auto category = utf8proc_category(character);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME;
}

/// False for default ignorable characters too: screens omit them, although some have the category
/// of a letter or a mark.
bool can_be_seen(utf8proc_int32_t character) {
  switch (utf8proc_category(character)) {
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP: return false;
  case UTF8PROC_CATEGORY_ZS: return character == ' ';
  default: return !utf8proc_get_property(character)->ignorable;
  }
}

/// A compatibility form of another character (UAX 44, Decomposition_Type).
bool is_compatibility_form(utf8proc_int32_t character) {
  return utf8proc_get_property(character)->decomp_type != 0;
}

std::string escaped(utf8proc_int32_t character) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string hex;
  for (auto rest = static_cast<unsigned>(character); rest != 0 || hex.size() < 4; rest /= 16)
    hex.insert(hex.begin(), digits[rest % 16]);
  return "\\u{" + hex + '}';
}

}  // namespace

std::string normal_name(std::string_view name) {
  if (name.size() > longest_name || is_ascii(name)) return std::string(name);
  utf8proc_uint8_t* made = nullptr;
  const auto size = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
      static_cast<utf8proc_ssize_t>(name.size()),
      &made,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  if (size == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  if (size < 0) return std::string(name);
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)};
}

std::string name_problem(const std::string& name) {
  std::string problem = text_problem(name);
  if (!problem.empty()) return problem;
  const std::string normal = normal_name(name);
  if (std::max(name.size(), normal.size()) > longest_name)
    return "must not be longer than " + std::to_string(longest_name) + " bytes";
  if (normal.find("  ") != std::string::npos) return "must not hold two spaces in a row";
  utf8proc_int32_t before = ' ';
  for (std::string_view rest = normal; !rest.empty();) {
    const utf8proc_int32_t character = take_character(rest);
    if (!can_be_seen(character))
      return "must not hold " + escaped(character) + ", which is invisible";
    if (is_compatibility_form(character))
      return "must not hold " + escaped(character) + "; write its usual form";
    if (before == ' ' && is_mark(character))
      return "must not hold the mark " + escaped(character) + " without a letter";
    before = character;
  }
  return {};
}

std::string spelled_out(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const utf8proc_int32_t character = take_character(name);
    if (character > ' ' && character < 0x7F)
      text += static_cast<char>(character);
    else
      text += character < 0 ? "\\u{FFFD}" : escaped(character);
  }
  return text;
}
