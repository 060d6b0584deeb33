// C++ text in lines of at most 100 characters, as the project's formatter would break them.
#ifndef IMPORT_LAYOUT_HPP
#define IMPORT_LAYOUT_HPP

#include <string>
#include <string_view>

namespace importer {

inline constexpr std::size_t line_width = 100;

/// `head`, the expression `code`, which is a call or a name, and `tail`. Lines that are too long
/// are broken at commas, long literals between words.
std::string laid_out(
    std::string_view head, std::string_view code, std::string_view tail, std::size_t indent);

/// A text as lines that begin with `mark`.
std::string comment(std::string_view text, std::size_t indent, std::string_view mark = "/// ");

/// Breaks lines that are still too long, since `laid_out` keeps nested names of types whole.
std::string within_width(const std::string& text);

}  // namespace importer

#endif
