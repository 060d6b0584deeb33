// Shared by the fuzz targets. A target is one function of bytes that ends the process when a
// promise is broken: the fuzzer then keeps the bytes, and the replay names the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The entry that libFuzzer and replay.cpp call. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process, because `promise` is broken. A part of the text that broke it is shown.
[[noreturn]] inline void broken(std::string_view promise, std::string_view with = {}) {
  std::fprintf(
      stderr,
      "broken: %.*s\n%.*s\n",
      static_cast<int>(promise.size()),
      promise.data(),
      static_cast<int>(std::min<std::size_t>(with.size(), 4'096)),
      with.data());
  std::abort();
}

/// Checks in every build, unlike assert().
inline void require(bool holds, std::string_view promise, std::string_view with = {}) {
  if (!holds) broken(promise, with);
}

/// True if `part` is a piece of `whole`: the same bytes in memory, not equal ones.
inline bool is_within(std::string_view part, std::string_view whole) {
  const auto begin = reinterpret_cast<std::uintptr_t>(whole.data());
  const auto at = reinterpret_cast<std::uintptr_t>(part.data());
  return at >= begin && at + part.size() <= begin + whole.size();
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

/// Removes the first line of `rest` and returns it without its line feed.
inline std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// A request as readable text: `METHOD TARGET`, then `name: value` lines, an empty line and the
/// body. It is not HTTP: any text between two line feeds is a value. The views are those of the
/// text.
struct request_text {
  std::string_view method, target, body;
  std::vector<std::pair<std::string_view, std::string_view>> fields;
};

inline request_text parse_request_text(std::string_view text) {
  request_text parsed;
  const std::string_view first = take_line(text);
  const std::size_t space = std::min(first.find(' '), first.size());
  parsed.method = first.substr(0, space);
  parsed.target = first.substr(std::min(space + 1, first.size()));
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    parsed.fields.emplace_back(line.substr(0, colon), value);
  }
  parsed.body = text;
  return parsed;
}

// Messages are written with a few marks, so that a change of one byte keeps lengths, chunks and
// compressed bodies valid: 1D, a letter, content, 1C.
inline constexpr char open_mark = '\x1d';
inline constexpr char close_mark = '\x1c';

/// Removes the text before the next closing mark from `text`, and returns at most the given number
/// of bytes of it, with `write(letter, content)` in place of each mark.
template <class Write>
std::string expand(std::string_view& text, std::size_t most, Write write, int depth = 0) {
  constexpr int deepest = 6;
  std::string out;
  while (!text.empty() && out.size() < most) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == close_mark && depth != 0) break;
    if (c != open_mark || text.empty() || depth == deepest) {
      out += c;
      continue;
    }
    const char letter = text.front();
    text.remove_prefix(1);
    out += write(letter, expand(text, most, write, depth + 1));
  }
  if (out.size() > most) out.resize(most);
  return out;
}

/// The size of the next piece of `rest`, by six bits: 1 to 32 bytes, up to 1,024, to or through a
/// line end, some thousands, or half.
inline std::size_t piece_size(unsigned code, std::string_view rest) {
  const std::size_t line = std::min(rest.find('\n'), rest.size());
  std::size_t size = 0;
  if (code < 32)
    size = 1 + code;
  else if (code < 48)
    size = 64 * std::size_t{code - 31};
  else if (code < 54)
    size = line;
  else if (code < 60)
    size = line + 1;
  else
    size = code == 60 ? 16'384 : code == 61 ? 33'000 : rest.size() / 2;
  return std::min(size, rest.size());
}

}  // namespace fuzz
