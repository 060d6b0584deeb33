// The unit in which the header's implementation is compiled: see meson.build.
#include "reader.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace importer {

namespace detail = soapsvc::detail;

/// Far above the largest known contracts (a file of 2 MB, with a schema of 700 KB).
static const soapsvc::message_limits bounds{
    .max_body_bytes = 64 * 1024 * 1024,
    .max_depth = 128,
    .max_elements = 2'000'000,
    .max_attributes = 256,
    .max_namespaces = 1'024,
    .max_name_bytes = 1'024,
    .max_text_bytes = 16 * 1024 * 1024,
};

static detail::node as_node(const detail::element_record* at) noexcept { return detail::node(at); }

static Node from_node(detail::node at) noexcept {
  static_assert(sizeof(detail::node) == sizeof(const detail::element_record*));
  return Node(std::bit_cast<const detail::element_record*>(at));
}

std::string_view Node::ns() const noexcept { return as_node(at_).ns(); }
std::string_view Node::local() const noexcept { return as_node(at_).local(); }
bool Node::is(std::string_view ns, std::string_view local) const noexcept {
  return as_node(at_).is(ns, local);
}
std::string_view Node::text() const noexcept { return as_node(at_).text(); }
Node Node::first_child() const noexcept { return from_node(as_node(at_).first_child()); }
Node Node::next_sibling() const noexcept { return from_node(as_node(at_).next_sibling()); }
std::optional<std::string_view> Node::attribute(std::string_view local) const noexcept {
  return as_node(at_).attribute({}, local);
}
std::optional<std::string_view> Node::attribute(
    std::string_view ns, std::string_view local) const noexcept {
  return soapsvc::detail::node(at_).attribute(ns, local);
}
std::vector<std::string_view> Node::attributes() const {
  std::vector<std::string_view> names;
  for (const detail::attribute each : as_node(at_).attributes())
    if (each.ns().empty()) names.push_back(each.local());
  return names;
}
std::optional<std::string_view> Node::namespace_of(std::string_view prefix) const noexcept {
  return as_node(at_).namespace_of(prefix);
}
std::string_view Node::source() const noexcept { return as_node(at_).source(); }

struct Reader::State {
  detail::xml_document document;
};

Reader::Reader() : state_(std::make_unique<State>()) {}
Reader::~Reader() = default;
Node Reader::read(std::string_view text) {
  return from_node(state_->document.parse(text, "utf-8", bounds));
}

std::size_t most_document_bytes() noexcept { return bounds.max_body_bytes; }

std::string in_utf8(std::string bytes) {
  const detail::encoding_choice choice = detail::choose_encoding(bytes, {});
  bytes.erase(0, choice.mark);
  detail::encoding used = choice.used;
  std::string name;
  if (!choice.known && bytes.starts_with("<?xml")) {
    const std::string_view head = std::string_view(bytes).substr(0, bytes.find("?>"));
    const std::size_t said = head.find("encoding");
    const std::size_t open =
        said == std::string_view::npos ? said : head.find_first_of("\"'", said);
    if (open != std::string_view::npos) {
      const std::size_t close = head.find(head[open], open + 1);
      const std::string_view label = head.substr(open + 1, close - open - 1);
      const detail::encoding_label* const known = detail::find_encoding(label);
      if (!known) detail::refuse_encoding(label);
      used = known->meant;
      name = label;
    }
  }
  if (used == detail::encoding::utf_8 || used == detail::encoding::us_ascii) return bytes;
  std::string made;
  if (used == detail::encoding::single_byte) {
    const auto read = detail::single_bytes_to_utf8(bytes, name, 3 * bytes.size(), made);
    if (!read) detail::refuse_encoding(name);
    if (*read != bytes.size())
      throw std::runtime_error("line 1, column 1: bytes that are not " + name);
    return made;
  }
  if (!detail::to_utf8(bytes, used, made))
    throw std::runtime_error("line 1, column 1: bytes that are not UTF-16");
  return made;
}

std::optional<std::string> pattern_problem(const std::string& expression) {
  try {
    static_cast<void>(detail::pattern(expression));
    return std::nullopt;
  } catch (const std::exception& error) {
    return error.what();
  }
}

detail::type_kind kind_of_plain(std::string_view cpp_type) {
  // In the order of the kinds.
  static constexpr std::string_view names[] = {
      "bool",
      "std::int8_t",
      "std::int16_t",
      "std::int32_t",
      "std::int64_t",
      "std::uint8_t",
      "std::uint16_t",
      "std::uint32_t",
      "std::uint64_t",
      "float",
      "double",
      "std::string",
      "soapsvc::binary",
      "soapsvc::date",
      "soapsvc::date_time",
      "soapsvc::decimal",
      "soapsvc::integer",
      "soapsvc::time",
      "soapsvc::duration",
      "soapsvc::g_year",
      "soapsvc::g_year_month",
      "soapsvc::g_month",
      "soapsvc::g_month_day",
      "soapsvc::g_day",
      "soapsvc::hex_binary"};
  if (cpp_type == "soapsvc::boolean") return detail::type_kind::boolean;
  if (cpp_type == "soapsvc::qualified_name") return detail::type_kind::name;
  if (cpp_type == "soapsvc::xml") return detail::type_kind::fragment;
  if (cpp_type == "soapsvc::xml_attribute") return detail::type_kind::attribute;
  const auto known = std::find(std::begin(names), std::end(names), cpp_type);
  if (known == std::end(names)) return detail::type_kind::none;
  return static_cast<detail::type_kind>(known - std::begin(names) + 1);
}

/// Adds the operations of a simple type, which the library finds by the C++ type.
static detail::element_type type_of_kind(detail::type_kind kind) {
  detail::element_type made{kind};
  if (kind >= detail::type_kind::boolean && kind < detail::type_kind::enumeration)
    made.simple = detail::library_operations<detail::simple_types>::all
        [static_cast<std::size_t>(kind) - static_cast<std::size_t>(detail::type_kind::boolean)];
  return made;
}

bool is_value_of(std::string_view cpp_type, std::string_view text) {
  const detail::type_kind kind = kind_of_plain(cpp_type);
  if (kind == detail::type_kind::none || kind >= detail::type_kind::enumeration) return false;
  return detail::is_value(text, type_of_kind(kind));
}

// --- The library's own checks of tables ----------------------------------------------------------

std::vector<detail::row_extra> extras_of_builtin(std::string_view option) {
  const auto list = [](const auto& of) {
    return std::vector<detail::row_extra>(of.items.begin(), of.items.end());
  };
  namespace xs = soapsvc::xs;
  if (option == "xs::normalized_string") return list(xs::normalized_string);
  if (option == "xs::token") return list(xs::token);
  if (option == "xs::language") return list(xs::language);
  if (option == "xs::name") return list(xs::name);
  if (option == "xs::ncname") return list(xs::ncname);
  if (option == "xs::nmtoken") return list(xs::nmtoken);
  if (option == "xs::id") return list(xs::id);
  if (option == "xs::idref") return list(xs::idref);
  if (option == "xs::entity") return list(xs::entity);
  if (option == "xs::any_uri") return list(xs::any_uri);
  if (option == "xs::non_negative_integer") return list(xs::non_negative_integer);
  if (option == "xs::positive_integer") return list(xs::positive_integer);
  if (option == "xs::non_positive_integer") return list(xs::non_positive_integer);
  if (option == "xs::negative_integer") return list(xs::negative_integer);
  return {};
}

bool has_form(std::string_view option, std::string_view text) {
  const auto said = extras_of_builtin(option);
  return said.empty() || detail::has_form(static_cast<detail::string_form>(said[0].number), text);
}

namespace {

/// The results of the functions of an element_type. The library has a function for each C++ type.
/// Tables that are not compiled yet use these slots, which are filled again for each table.
constexpr std::size_t slot_count = 1'024;
struct Slots {
  std::array<const detail::record_info*, slot_count> records{};
  std::array<const detail::enumeration_info*, slot_count> enumerations{};
  std::array<const detail::value_parts*, slot_count> parts{};
};
Slots slots;

template <std::size_t At> const detail::record_info& record_in() { return *slots.records[At]; }
template <std::size_t At> const detail::enumeration_info& enumeration_in() {
  return *slots.enumerations[At];
}
template <std::size_t At> const detail::value_parts& parts_in() { return *slots.parts[At]; }
struct SlotFunctions {
  const detail::record_info& (*record)();
  const detail::enumeration_info& (*enumeration)();
  const detail::value_parts& (*parts)();
};
template <std::size_t... At>
constexpr std::array<SlotFunctions, sizeof...(At)> slot_functions(std::index_sequence<At...>) {
  return {SlotFunctions{&record_in<At>, &enumeration_in<At>, &parts_in<At>}...};
}
constexpr auto functions = slot_functions(std::make_index_sequence<slot_count>());

struct TooManyTypes {};

class TableCheck {
public:
  detail::record_info make(const CheckedTable& table) {
    detail::record_options options = table.options;
    std::vector<detail::field_row> rows;
    std::vector<detail::row_extra> extras;
    std::vector<const void*> places;
    static const char object[slot_count]{};
    for (const CheckedRow& each : table.rows) {
      detail::member_type& member = members_.emplace_back();
      member.occurs = each.occurs;
      if (each.is_nillable) member.emplace_nil = [](void* at) { return at; };
      member.type = each.part ? type_of(make(*each.part)) : type_of(each.type);
      rows.push_back({each.name, {}, &member, each.kind});
      if (rows.size() == slot_count) throw TooManyTypes();
      places.push_back(object + rows.size());
      for (detail::row_extra said : each.extras) {
        said.row = static_cast<std::uint16_t>(rows.size() - 1);
        if (said.kind == detail::extra::pattern) said.compile = &detail::compile_pattern;
        extras.push_back(said);
      }
    }
    detail::record_info made;
    detail::record_describer(table.name, extras, options, made).add(rows, object, places.data());
    return made;
  }

private:
  std::size_t slot(const std::string& key) {
    const auto [known, is_new] = slots_.emplace(key, slots_.size());
    if (known->second == slot_count) throw TooManyTypes();
    return known->second;
  }
  detail::element_type type_of(detail::record_info made) {
    const std::size_t at = slot("part " + std::to_string(records_.size()));
    records_.push_back(std::move(made));
    slots.records[at] = &records_.back();
    return {detail::type_kind::record, functions[at].record};
  }
  detail::element_type type_of(const CheckedType& from) {
    detail::element_type made = type_of_kind(from.kind);
    if (from.kind == detail::type_kind::record) {
      static const detail::record_info any;
      const std::size_t at = slot(from.key);
      slots.records[at] = &any;
      made.table = functions[at].record;
    } else if (from.kind == detail::type_kind::enumeration) {
      const bool is_new = !slots_.contains(from.key);
      const std::size_t at = slot(from.key);
      if (is_new) {
        auto& values = values_.emplace_back();
        for (const std::string& each : *from.values)
          values.push_back({each, values.size()});
        slots.enumerations[at] =
            &enumerations_.emplace_back(detail::enumeration_info{from.key, values});
      }
      made.enumeration = functions[at].enumeration;
    } else if (detail::has_parts(from.kind)) {
      auto& types = types_.emplace_back();
      for (const CheckedType& each : from.parts)
        types.push_back(type_of(each));
      const std::size_t at = slot(from.key);
      slots.parts[at] = &parts_.emplace_back(detail::value_parts{types});
      made.parts = functions[at].parts;
    }
    return made;
  }

  std::map<std::string, std::size_t> slots_;
  std::deque<detail::member_type> members_;
  std::deque<detail::record_info> records_;
  std::deque<detail::enumeration_info> enumerations_;
  std::deque<std::vector<detail::value_row>> values_;
  std::deque<std::vector<detail::element_type>> types_;
  std::deque<detail::value_parts> parts_;
};

}  // namespace

std::string table_problem(const CheckedTable& table) {
  try {
    static_cast<void>(TableCheck().make(table));
  } catch (const std::invalid_argument& error) {
    const std::string_view text = error.what();
    return std::string(text.substr(text.starts_with("soapsvc: ") ? 9 : 0));
  } catch (const TooManyTypes&) {
    return {};  // the compiler checks such a table's number of rows
  }
  return {};
}

bool row_allows(CheckedRow row, std::string text) try {
  CheckedTable table;
  table.rows.push_back(std::move(row));
  TableCheck check;
  const detail::record_info made = check.make(table);
  const detail::field_info& field = made.fields.front();
  const detail::facet_set* const facets = field.extras->facets;
  if (!facets) return true;
  return !detail::is_value(text, field.type) || detail::allows_default(*facets, field.type, text);
} catch (const std::invalid_argument&) {
  return true;
} catch (const TooManyTypes&) {
  return true;
}

std::optional<std::string_view> take_item(std::string_view& list) noexcept {
  return detail::take_item(list);
}

}  // namespace importer
