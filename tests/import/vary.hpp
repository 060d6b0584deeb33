// Random changes to structs with tables of the importer, based only on their types: values are
// added and removed, lists grow and shrink, texts and numbers change. A message that a client sends
// with these values must be valid by the contract, and must arrive unchanged: see verify.hpp.
#pragma once

#include "soapsvc.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace vary {

/// Walks through a value and records all of it for comparison; or changes it at one place, which
/// may be any member or item, or the presence of one.
class walker {
public:
  /// Records the value, and learns the texts of each member for later variants.
  walker() = default;
  /// Changes the place with this number, in the order of recording.
  walker(std::size_t place, std::uint32_t seed) : place_(place), numbers_(seed), changes_(true) {}

  std::string told;  ///< of each member a line separator, its name, another one, and its value
  std::size_t places = 0;
  std::string_view name;  ///< of the member, on the wire

  void member(std::string_view is);

  bool changes() const { return changes_; }
  /// True if this is the place to change, or inside a new value.
  bool is_here() { return places++ == place_ || making_ != 0; }
  std::size_t below(std::size_t end) { return numbers_() % end; }
  /// The new content of an optional place: nothing, the old value, or a new one.
  enum class become { empty, same, made };
  become presence(bool is_there);
  /// How a list changes.
  enum class edit { none, drop, clear, twice, add };
  edit edit_of(std::size_t size);
  /// Another text for a value that is written as `text`; unchanged if this is not the place.
  std::string leaf(std::string text);
  std::int64_t whole(std::int64_t number);
  /// The index of a new alternative; `at` is the current one.
  std::size_t one_of(std::size_t at, std::size_t end);

  /// Inside a new value, every place is new, up to a maximum depth.
  struct making {
    explicit making(walker& of) : of_(of) { ++of_.making_; }
    ~making() { --of_.making_; }
    making(const making&) = delete;
    making& operator=(const making&) = delete;
    walker& of_;
  };

private:
  std::size_t place_ = static_cast<std::size_t>(-1);
  std::mt19937 numbers_;
  bool changes_ = false;
  std::size_t making_ = 0;
};

template <class T> void walk(walker& by, T& value);

/// A new value with new content.
template <class T> void make(walker& by, T& value) {
  const walker::making all(by);
  walk(by, value);
}

template <class T> void walk_maybe(walker& by, bool is_there, T& value) {
  switch (by.presence(is_there)) {
  case walker::become::empty: return value.reset();
  case walker::become::same: return walk(by, *value);
  case walker::become::made: return make(by, value.emplace());
  }
}
template <class T> void walk_as(walker& by, std::optional<T>& value) {
  walk_maybe(by, value.has_value(), value);
}
template <class T> void walk_as(walker& by, soapsvc::box<T>& value) {
  walk_maybe(by, value.has_value(), value);
}
template <class T> void walk_as(walker& by, soapsvc::nillable<T>& value) {
  walk_maybe(by, value.has_value(), value);
}

template <class T> void walk_as(walker& by, std::vector<T>& items) {
  const walker::edit edit = by.edit_of(items.size());
  if (edit == walker::edit::drop) items.erase(items.begin() + by.below(items.size()));
  if (edit == walker::edit::clear) items.clear();
  if (edit == walker::edit::twice)
    for (std::size_t more = by.below(6) + 1; more != 0; --more)
      items.push_back(items[by.below(items.size())]);
  for (T& each : items)
    walk(by, each);
  if (edit == walker::edit::add) make(by, items.emplace_back());
}
/// If two keys become equal, the later value stays.
template <class Key, class T> void walk_as(walker& by, std::map<Key, T>& values) {
  const walker::edit edit = by.edit_of(values.size());
  if (edit == walker::edit::drop)
    values.erase(std::next(values.begin(), static_cast<std::ptrdiff_t>(by.below(values.size()))));
  if (edit == walker::edit::clear) values.clear();
  std::map<Key, T> made;
  for (auto& [key, value] : values) {
    Key other = key;
    walk(by, other);
    walk(by, value);
    made.insert_or_assign(std::move(other), std::move(value));
  }
  if (edit == walker::edit::add || edit == walker::edit::twice) {
    Key key{};
    make(by, key);
    make(by, made[std::move(key)]);
  }
  values = std::move(made);
}
template <class T> void walk_as(walker& by, soapsvc::list<T>& value) { walk_as(by, value.items); }

template <class T, class... Others>
void walk_derived(walker& by, soapsvc::polymorphic<T>& value, const soapsvc::types<Others...>&) {
  using become = void (*)(soapsvc::polymorphic<T> & value);
  static constexpr become all[] = {
      [](soapsvc::polymorphic<T>& to) { to.template emplace<Others>(); }...,
      [](soapsvc::polymorphic<T>& to) { to.template emplace<T>(); }};
  const std::size_t none = sizeof...(Others) + 1;
  const std::size_t now = by.one_of(none, none);
  if (now != none) all[now](value);
  std::optional<walker::making> made;
  if (now != none) made.emplace(by);
  std::size_t at = 0;
  const auto walked = [&](auto* is) {
    ++at;
    if (!is) return;
    by.told += '#' + std::to_string(at);
    walk(by, *is);
  };
  (walked(value.template get_if<Others>()), ..., walked(value.template get_if<T>()));
}
template <class T> void walk_as(walker& by, soapsvc::polymorphic<T>& value) {
  walk_derived(by, value, soapsvc::known_types<T>);
}

/// Variants are unions of simple types: choices are structs.
template <class... Ts> void walk_as(walker& by, std::variant<Ts...>& value) {
  using become = void (*)(std::variant<Ts...> & value);
  static constexpr become all[] = {[](std::variant<Ts...>& to) { to = Ts{}; }...};
  const std::size_t now = by.one_of(value.index(), sizeof...(Ts));
  if (now != value.index()) all[now](value);
  by.told += '#' + std::to_string(value.index()) + ':';
  std::visit([&](auto& is) { walk(by, is); }, value);
}

/// The type of a header block in the list of `headers`.
template <class T> struct block { using type = T; };
template <class T> struct block<std::optional<T>> : block<T> {};
template <class T> struct block<std::vector<T>> : block<T> {};

template <class... Blocks> void walk_as(walker& by, soapsvc::header_blocks<Blocks...>& value) {
  (walk(by, value.template get<typename block<Blocks>::type>()), ...);
}
template <class Result, class... Blocks>
void walk_as(walker& by, soapsvc::with_header_blocks<Result, Blocks...>& value) {
  if constexpr (!std::is_void_v<Result>) walk(by, value.result);
  walk(by, value.header_blocks);
}

// Functions that are not templates are in vary.cpp.
void walk_as(walker& by, std::string& value);
void walk_as(walker& by, bool& value);
void walk_as(walker& by, soapsvc::boolean& value);
void walk_as(walker& by, double& value);
void walk_as(walker& by, float& value);
void walk_as(walker& by, soapsvc::xml& value);
void walk_as(walker& by, soapsvc::xml_attribute& value);
void walk_as(walker& by, soapsvc::qualified_name& value);

/// The types of the header that are written as a text.
template <class T>
concept has_text = requires(const T& value) {
  value.text();
  T::parse(std::string_view());
};

/// Not a lambda in `walk`; otherwise each struct would have its own for each type of member.
struct member_walker {
  walker& by;
  template <class Member> void operator()(std::string_view name, Member& member) const {
    by.member(name);
    walk(by, member);
  }
};

template <class T> void walk(walker& by, T& value) {
  if constexpr (requires { walk_as(by, value); }) {
    walk_as(by, value);
  } else if constexpr (std::is_enum_v<T>) {
    const std::string_view text = soapsvc::text_of(value);
    std::vector<T> all;
    std::size_t at = 0;
    by.told += text;
    soapsvc::for_each_value<T>([&](std::string_view, T each) {
      if (each == value) at = all.size();
      all.push_back(each);
    });
    value = all[by.one_of(at, all.size())];
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(by.whole(static_cast<std::int64_t>(value)));
  } else if constexpr (has_text<T>) {
    if (const auto other = T::parse(by.leaf(std::string(value.text())))) value = *other;
  } else {
    soapsvc::for_each_field(value, member_walker{by});
  }
}

/// A value without its type: the original, and the changed copy.
struct handle {
  void* value;
  const void* original;
  void (*walk)(walker& by, void* value);
  void (*restore)(void* value, const void* original);
};
template <class T> handle handle_of(T& value, const T& original) {
  return {
      &value,
      &original,
      [](walker& by, void* at) { walk(by, *static_cast<T*>(at)); },
      [](void* at, const void* from) { *static_cast<T*>(at) = *static_cast<const T*>(from); }};
}

/// The members that differ in two recorded values: the name of each, its old and new value,
/// separated by tabs. If the members themselves differ, the whole records, as a member called
/// "members".
std::string differences(const std::string& one, const std::string& other);

/// Makes calls with changed values: `call` calls through `to_itself`, and adds the received value
/// to the walker. The results are written to FILE.variants.
void try_all(
    std::span<const handle> sent,
    std::span<const handle> answer,
    const std::function<void(walker& got)>& call);

/// Selects the services of this contract, the service at `path`, and the message FILE; nullptr: no
/// more calls.
void begin(const soapsvc::dispatcher* services, const std::string& path, const std::string& file);
bool is_begun();
/// Forgets the texts of another contract's members.
void forget();

/// The transport of such calls, which records both messages.
soapsvc::http_response to_itself(const soapsvc::http_request& request);
/// Receives the dispatcher's report of an incident.
void told(std::string_view error);

/// True if such a call runs the method; it then returns the prepared value, and its argument is
/// recorded.
bool is_second();
void arrived(std::span<const handle> got);
const void* answer();

}  // namespace vary
