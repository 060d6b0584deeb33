// A service of streams: bytes and items, which are made as they are sent and counted as they come.
#pragma once

#include <algorithm>

#include "soapsvc.hpp"

namespace bench {

struct Wanted {
  std::int64_t bytes = 0;
};
struct Item {
  std::int32_t id{};
  std::string text;
};
struct Content {
  soapsvc::stream<std::byte> bytes;
};
struct Items {
  soapsvc::stream<Item> items;
};

inline auto made_bytes(std::int64_t size) {
  return [left = static_cast<std::size_t>(size)](std::span<std::byte> to) mutable {
    const std::size_t filled = std::min(to.size(), left);
    std::fill_n(to.begin(), filled, std::byte{0x5A});
    left -= filled;
    return filled;
  };
}
/// Each is 100 bytes as it is sent.
inline auto made_items(std::int64_t bytes) {
  return [left = bytes / 100]() mutable -> std::optional<Item> {
    if (left == 0) return std::nullopt;
    return Item{static_cast<std::int32_t>(100'000'000 + left--), std::string(54, 'x')};
  };
}
inline std::int64_t count_bytes(const soapsvc::stream<std::byte>& from) {
  std::vector<std::byte> piece(65'536);
  std::int64_t all = 0;
  while (const std::size_t got = from.read(piece))
    all += static_cast<std::int64_t>(got);
  return all;
}
inline std::int64_t count_items(const soapsvc::stream<Item>& from) {
  std::int64_t all = 0;
  while (from.next())
    ++all;
  return all;
}

/// With parts, bytes are sent by MTOM.
template <bool HasParts> class Streams {
public:
  std::int64_t put(const Content& sent) { return count_bytes(sent.bytes); }
  std::int64_t put_items(const Items& sent) { return count_items(sent.items); }
  soapsvc::stream<std::byte> get(const Wanted& wanted) { return made_bytes(wanted.bytes); }
  soapsvc::stream<Item> get_items(const Wanted& wanted) { return made_items(wanted.bytes); }
};

}  // namespace bench

template <>
inline constexpr auto soapsvc::schema<bench::Wanted> =
    record(field("Bytes", &bench::Wanted::bytes));
template <>
inline constexpr auto soapsvc::schema<bench::Item> =
    record("Item", field("Id", &bench::Item::id), field("Text", &bench::Item::text));
template <>
inline constexpr auto soapsvc::schema<bench::Content> =
    record(field("Bytes", &bench::Content::bytes));
template <>
inline constexpr auto soapsvc::schema<bench::Items> = record(field("Item", &bench::Items::items));
template <>
inline constexpr auto soapsvc::schema<bench::Streams<false>> = service(
    "Streams",
    operation("Put", &bench::Streams<false>::put),
    operation("PutItems", &bench::Streams<false>::put_items),
    operation("Get", &bench::Streams<false>::get),
    operation("GetItems", &bench::Streams<false>::get_items));
template <>
inline constexpr auto soapsvc::schema<bench::Streams<true>> = service(
    "Streams",
    mtom,
    operation("Put", &bench::Streams<true>::put),
    operation("PutItems", &bench::Streams<true>::put_items),
    operation("Get", &bench::Streams<true>::get),
    operation("GetItems", &bench::Streams<true>::get_items));
