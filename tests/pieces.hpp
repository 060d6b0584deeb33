// Messages that arrive in pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

/// A soapsvc::byte_source that returns the text in pieces of a maximum size. The text must outlive
/// it.
inline std::function<std::size_t(std::span<char>)> in_pieces(
    std::string_view text, std::size_t piece = std::string_view::npos) {
  return [text, piece](std::span<char> to) mutable {
    const std::size_t size = text.copy(to.data(), std::min(piece, to.size()));
    text.remove_prefix(size);
    return size;
  };
}
