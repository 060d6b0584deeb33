// The service of the target streams: it accepts and returns streams as it is told, and there is the
// same service without streams.
#pragma once

#include "fuzz.hpp"
#include "soapsvc.hpp"

namespace fuzz {

// --- Instructions to a method, and its arguments -------------------------------------------------

struct Row {
  std::int32_t id{};
  std::optional<std::string> text;
  std::vector<std::string> notes;
  friend bool operator==(const Row&, const Row&) = default;
};

inline constexpr std::size_t no_end = std::numeric_limits<std::size_t>::max();

/// How the reader of a stream ends.
enum class ending : std::uint8_t {
  result,  ///< regularly
  fault,  ///< by a fault of its own
  incident  ///< by another exception
};

struct wish {
  std::size_t most = no_end;  ///< items, or blocks of so many bytes as `room` says
  std::size_t room = 1'000;
  ending end = ending::result;
};

struct taken {
  bool begun = false;
  bool ended = false;  ///< it got the end of the stream
  std::string name;
  std::size_t count = 0;
  std::vector<Row> rows;
  std::string bytes;
};

/// Calls `next` as often as wanted.
template <class Next> void take_items(Next next, const wish& asked, taken& got) {
  got.begun = true;
  try {
    while (got.count != asked.most && next())
      ++got.count;
    got.ended = got.count != asked.most;
    require(!got.ended || !next(), "an end stays an end");
  } catch (const std::exception& first) {
    const std::string why = first.what();
    try {
      next();
    } catch (const std::exception& again) {
      require(again.what() == why, "what is refused stays refused, and for that", why);
      throw;
    }
    broken("what is refused stays refused", why);
  }
}

inline void take(const soapsvc::stream<Row>& from, const wish& asked, taken& got) {
  const auto next = [&] {
    std::optional<Row> row = from.next();
    if (row) got.rows.push_back(*std::move(row));
    return row.has_value();
  };
  take_items(next, asked, got);
}
inline void take(const std::vector<Row>& from, const wish& asked, taken& got) {
  const auto next = [&] {
    if (got.rows.size() == from.size()) return false;
    got.rows.push_back(from[got.rows.size()]);
    return true;
  };
  take_items(next, asked, got);
}

/// In blocks of the same size, for pieces of any size.
template <class Read> void take_blocks(Read read, const wish& asked, taken& got) {
  std::vector<std::byte> room(asked.room);
  const auto next = [&] {
    std::size_t filled = 0;
    while (filled != room.size()) {
      const std::size_t size = read(std::span(room).subspan(filled));
      require(size <= room.size() - filled, "no more bytes than there is room for");
      if (size == 0) break;
      got.bytes.append(reinterpret_cast<const char*>(room.data()) + filled, size);
      filled += size;
    }
    return filled != 0;
  };
  take_items(next, asked, got);
}
inline void take(const soapsvc::stream<std::byte>& from, const wish& asked, taken& got) {
  take_blocks([&](std::span<std::byte> to) { return from.read(to); }, asked, got);
}
inline void take(const soapsvc::binary& from, const wish& asked, taken& got) {
  const auto read = [&](std::span<std::byte> to) {
    const std::size_t at = got.bytes.size();
    const std::size_t size = std::min(to.size(), from.bytes.size() - at);
    if (size != 0) std::memcpy(to.data(), from.bytes.data() + at, size);
    return size;
  };
  take_blocks(read, asked, got);
}

// --- Messages without a request ------------------------------------------------------------------

struct Wanted {
  std::int32_t count{};
  std::int32_t size{};  // of each
  std::int32_t fails{};  // the source fails in place of this item; 0: never
};

inline std::atomic<int> alive{0};  // sources

/// Counts the sources that are not destroyed.
struct life {
  life() { ++alive; }
  life(const life&) { ++alive; }
  life& operator=(const life&) = default;
  ~life() { --alive; }
};

inline Wanted bounded(const Wanted& asked) {
  return {std::clamp(asked.count, 0, 800), std::clamp(asked.size, 0, 1'100), asked.fails};
}

/// The number of the next item; 0: there is none.
inline int next_of(const Wanted& asked, int& at) {
  if (at >= asked.count) return 0;
  if (at + 1 == asked.fails) throw std::runtime_error("the source fails");
  return ++at;
}

inline auto rows_of(const Wanted& asked) {
  return [asked, at = 0, here = life()]() mutable -> std::optional<Row> {
    const int number = next_of(asked, at);
    if (number == 0) return std::nullopt;
    const auto letter = static_cast<char>('a' + number % 26);
    Row row{number, std::string(static_cast<std::size_t>(asked.size), letter), {}};
    *row.text += "<&\r\n\xC3\xA9";
    row.notes.resize(static_cast<std::size_t>(number % 3), "n");
    return row;
  };
}
inline auto bytes_of(const Wanted& asked) {
  return [asked, at = 0, here = life()](std::span<std::byte> to) mutable {
    const int number = next_of(asked, at);
    const std::size_t size = number == 0 ? 0 : static_cast<std::size_t>(asked.size) + 1;
    require(size <= to.size(), "a source is asked for some thousand bytes at once");
    std::fill_n(to.begin(), size, static_cast<std::byte>(number));
    return size;
  };
}

/// The items before the source fails or ends.
inline taken rows_wanted(const Wanted& asked) {
  taken got;
  try {
    take(soapsvc::stream<Row>(rows_of(asked)), {}, got);
  } catch (const std::runtime_error&) {
    require(!got.ended, "what fails has no end");
  }
  return got;
}
inline taken bytes_wanted(const Wanted& asked) {
  taken got;
  const auto size = static_cast<std::size_t>(asked.size) + 1;
  try {
    int at = 0;
    while (const int number = next_of(asked, at))
      got.bytes.append(size, static_cast<char>(number));
    got.ended = true;
  } catch (const std::runtime_error&) {
  }
  return got;
}

// --- The service, with streams and without -------------------------------------------------------

struct streamed {
  using rows = soapsvc::stream<Row>;
  using content = soapsvc::stream<std::byte>;
  static constexpr auto form = soapsvc::mtom;
  static constexpr const char* url = "http://localhost/Vault.asmx";
};
struct streamed_plain {
  using rows = streamed::rows;
  using content = streamed::content;
  static constexpr auto form = soapsvc::path("/Plain.asmx");
  static constexpr const char* url = "http://localhost/Plain.asmx";
};
struct held {
  using rows = std::vector<Row>;
  using content = soapsvc::binary;
  static constexpr auto form = soapsvc::mtom;
  static constexpr const char* url = streamed::url;
};

template <class Kind> struct Rows {
  std::string name;
  typename Kind::rows rows;
};
template <class Kind> struct Bytes {
  std::string name;
  typename Kind::content content;
};
template <class Kind> struct Page {
  std::string title;
  typename Kind::rows rows;
};

template <class Kind> class Vault {
public:
  using rows = typename Kind::rows;
  using content = typename Kind::content;

  std::int64_t put_rows(const Rows<Kind>& given) {
    return static_cast<std::int64_t>(take_from(given.name, given.rows).rows.size());
  }
  std::int64_t put_bytes(const Bytes<Kind>& given) {
    return static_cast<std::int64_t>(take_from(given.name, given.content).bytes.size());
  }
  /// Returns the items that it read.
  rows turn(const Rows<Kind>& given) {
    std::vector<Row> all = take_from(given.name, given.rows).rows;
    if constexpr (std::is_same_v<rows, std::vector<Row>>)
      return all;
    else
      return [all = std::move(all), at = std::size_t{0}]() mutable {
        return at == all.size() ? std::nullopt : std::optional<Row>(std::move(all[at++]));
      };
  }
  rows get_rows(const Wanted& asked) {
    if constexpr (std::is_same_v<rows, std::vector<Row>>)
      return whole(rows_wanted(bounded(asked))).rows;
    else
      return rows_of(bounded(asked));
  }
  Page<Kind> get_page(const Wanted& asked) { return {"all", get_rows(asked)}; }
  content get_bytes(const Wanted& asked) {
    if constexpr (std::is_same_v<content, soapsvc::binary>) {
      const std::string all = whole(bytes_wanted(bounded(asked))).bytes;
      return {{all.begin(), all.end()}};
    } else {
      return bytes_of(bounded(asked));
    }
  }

  /// Before a call, and after it.
  void begin(const wish& asked) {
    const std::lock_guard lock(mutex_);
    asked_ = asked;
    got_ = {};
  }
  taken finish() {
    const std::lock_guard lock(mutex_);
    return std::exchange(got_, {});
  }

private:
  static taken whole(taken all) {
    if (!all.ended) throw std::runtime_error("the source fails");
    return all;
  }
  taken take_from(const std::string& name, const auto& from) {
    taken got;
    got.name = name;
    const wish asked = [this] {
      const std::lock_guard lock(mutex_);
      return asked_;
    }();
    try {
      take(from, asked, got);
    } catch (...) {
      keep(got);
      throw;
    }
    keep(got);
    if (asked.end == ending::fault)
      throw soapsvc::fault(soapsvc::fault_code::client, "that is enough");
    if (asked.end == ending::incident) throw std::runtime_error("that is enough");
    return got;
  }
  void keep(const taken& got) {
    const std::lock_guard lock(mutex_);
    require(!got_.begun, "a method is called once");
    got_ = got;
  }

  std::mutex mutex_;
  wish asked_;
  taken got_;
};

}  // namespace fuzz

template <>
inline constexpr auto soapsvc::schema<fuzz::Row> = record(
    "Row",
    field("Id", &fuzz::Row::id),
    field("Text", &fuzz::Row::text),
    field("Note", &fuzz::Row::notes));
template <>
inline constexpr auto soapsvc::schema<fuzz::Wanted> = record(
    field("Count", &fuzz::Wanted::count),
    field("Size", &fuzz::Wanted::size),
    field("Fails", &fuzz::Wanted::fails));
template <class Kind>
inline constexpr auto soapsvc::schema<fuzz::Rows<Kind>> = record(
    field("Name", &fuzz::Rows<Kind>::name),
    field("Row", &fuzz::Rows<Kind>::rows, occurs(0, 2'000)));
template <class Kind>
inline constexpr auto soapsvc::schema<fuzz::Bytes<Kind>> =
    record(field("Name", &fuzz::Bytes<Kind>::name), field("Content", &fuzz::Bytes<Kind>::content));
template <class Kind>
inline constexpr auto soapsvc::schema<fuzz::Page<Kind>> =
    record(field("Title", &fuzz::Page<Kind>::title), field("Row", &fuzz::Page<Kind>::rows));
template <class Kind>
inline constexpr auto soapsvc::schema<fuzz::Vault<Kind>> = service(
    "Vault",
    Kind::form,
    operation("PutRows", &fuzz::Vault<Kind>::put_rows),
    operation("PutBytes", &fuzz::Vault<Kind>::put_bytes),
    operation("Turn", &fuzz::Vault<Kind>::turn),
    operation("GetRows", &fuzz::Vault<Kind>::get_rows),
    operation("GetPage", &fuzz::Vault<Kind>::get_page),
    operation("GetBytes", &fuzz::Vault<Kind>::get_bytes));
