// C++ text in lines of at most 100 characters, as the project's formatter would break them.
#ifndef IMPORT_LAYOUT_HPP
#define IMPORT_LAYOUT_HPP

#include <string>
#include <string_view>

namespace importer {

inline constexpr std::size_t line_width = 100;

/// `head` and the expression `code`, which is a call or a name, with `tail` behind it. What is too
/// long for a line is broken at the commas; long literals between words.
std::string laid_out(
    std::string_view head, std::string_view code, std::string_view tail, std::size_t indent);

/// A text as lines that begin with `mark`.
std::string comment(std::string_view text, std::size_t indent, std::string_view mark = "/// ");

/// Breaks lines that are still too long: those with nested names of types, which `laid_out` keeps whole.
std::string within_width(const std::string& text);

}  // namespace importer

#endif
