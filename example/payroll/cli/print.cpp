#include "cli/print.hpp"

#include <clocale>
#include <cstdio>
#include <cwchar>
#include <ostream>

namespace {

/// Lets the C library read UTF-8 on this thread, whatever locale the user has.
class Utf8 {
public:
  Utf8() : before_(::uselocale(utf8())) {}
  ~Utf8() { ::uselocale(before_); }
  Utf8(const Utf8&) = delete;
  Utf8& operator=(const Utf8&) = delete;

private:
  static locale_t utf8() {
    static const locale_t made = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return made != nullptr ? made : LC_GLOBAL_LOCALE;
  }
  locale_t before_;
};

/// The first character: its number of bytes, 0 if it is invalid, and its width.
struct Character {
  wchar_t code = 0;
  std::size_t bytes = 0;
  int width = -1;  ///< -1: not printable
};

/// Marks and overrides that make a terminal write from right to left (Unicode, UAX #9).
bool turns_direction(wchar_t code) {
  return code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

Character first_of(std::string_view text) {
  Character read;
  std::mbstate_t state{};
  const std::size_t bytes = std::mbrtowc(&read.code, text.data(), text.size(), &state);
  if (bytes == 0) return {0, 1, -1};
  if (bytes > text.size()) return read;  // invalid or cut off
  read.bytes = bytes;
  read.width = turns_direction(read.code) ? -1 : ::wcwidth(read.code);
  return read;
}

void append_padding(std::string& line, std::size_t count) { line.append(count, ' '); }

}  // namespace

std::string terminal_text(std::string_view text) {
  const Utf8 utf8;
  std::string shown;
  while (!text.empty()) {
    const Character next = first_of(text);
    const std::size_t bytes = next.bytes == 0 ? 1 : next.bytes;
    if (next.width >= 0) {
      shown.append(text.substr(0, bytes));
    } else {
      const bool byte = next.bytes == 0;
      const auto code =
          byte ? static_cast<unsigned char>(text.front()) : static_cast<unsigned>(next.code);
      char escape[16];
      std::snprintf(escape, sizeof escape, byte || code < 0x80 ? "\\x%02x" : "\\u%04x", code);
      shown += escape;
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::size_t columns_of(std::string_view text) {
  const Utf8 utf8;
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character next = first_of(text);
    columns += next.width > 0 ? static_cast<std::size_t>(next.width) : 0;
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return columns;
}

void print(std::ostream& to, const TextTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& name : table.names)
    widths.push_back(columns_of(name));
  for (const auto& row : table.rows)
    for (std::size_t at = 0; at != row.size(); ++at)
      widths[at] = std::max(widths[at], columns_of(row[at]));
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    std::size_t due = 0;  // trailing spaces are not printed
    for (std::size_t at = 0; at != row.size(); ++at) {
      const std::size_t free = widths[at] - columns_of(row[at]);
      append_padding(line, due + (table.numeric[at] ? free : 0));
      line += row[at];
      due = 2 + (table.numeric[at] ? 0 : free);
    }
    to << line << '\n';
  };
  print_row(table.names);
  for (const auto& row : table.rows)
    print_row(row);
}
