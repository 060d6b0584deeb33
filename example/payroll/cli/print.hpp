// The output of the commands that call services: records as an aligned table for people, and as
// JSON for programs. Both use the tables of the records, so that a new field needs no change here.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "operate/log.hpp"
#include "soapsvc.hpp"

// --- Tables --------------------------------------------------------------------------------------

/// Escapes text for a terminal: control characters and those that change the direction of writing
/// become "\x1b" or "\u202e", and invalid UTF-8 bytes "\xff".
std::string terminal_text(std::string_view text);

/// The width of the text in columns of a terminal. The text must come from `terminal_text`.
std::size_t columns_of(std::string_view text);

/// A table with column names and rows of cells.
struct TextTable {
  std::vector<std::string> names;
  std::vector<bool> numeric;  ///< by column: right-aligned
  std::vector<std::vector<std::string>> rows;
};

/// Prints one line per row, with aligned columns and no trailing spaces.
void print(std::ostream& to, const TextTable& table);

/// The name of an enumerator on the wire.
template <class Enum> std::string_view name_of_value(Enum value) {
  std::string_view name;
  soapsvc::for_each_value<Enum>([&](std::string_view text, Enum each) {
    if (each == value) name = text;
  });
  return name;
}

/// A value in a table: absent is `-`, and the empty string is `""`, because the two differ.
inline std::string cell(const std::string& text) {
  return text.empty() ? "\"\"" : terminal_text(text);
}
template <class T> std::string cell(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "yes" : "no";
  else if constexpr (std::is_enum_v<T>)
    return std::string(name_of_value(value));
  else
    return std::to_string(value);
}
template <class T> std::string cell(const std::optional<T>& value) {
  return value ? cell(*value) : "-";
}

/// A row for each record, a column for each field. For a type that `cell` does not know, declare an
/// overload beside its record; argument-dependent lookup finds it.
template <class Record> TextTable table_of(const std::vector<Record>& records) {
  TextTable table;
  const Record none{};
  soapsvc::for_each_field(none, [&](std::string_view name, const auto& value) {
    using type = std::remove_cvref_t<decltype(value)>;
    table.names.emplace_back(name);
    table.numeric.push_back(std::is_integral_v<type> && !std::is_same_v<type, bool>);
  });
  for (const Record& record : records) {
    std::vector<std::string>& row = table.rows.emplace_back();
    soapsvc::for_each_field(
        record, [&](std::string_view, const auto& value) { row.push_back(cell(value)); });
  }
  return table;
}

// --- JSON ----------------------------------------------------------------------------------------

/// A value as JSON (RFC 8259). Records become objects with the names and the order of the XML.
/// Numbers stay numbers, and absent values become null.
inline std::string json(const std::string& text) { return json_text(text); }
inline std::string json(bool value) { return value ? "true" : "false"; }
template <class T> std::string json(const T& value);
template <class T> std::string json(const std::optional<T>& value) {
  return value ? json(*value) : "null";
}
template <class T> std::string json(const std::vector<T>& values) {
  std::string list = "[";
  for (const T& value : values)
    list.append(list.size() == 1 ? "" : ",").append(json(value));
  return list += ']';
}
template <class T> std::string json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return json_text(name_of_value(value));
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    std::string object = "{";
    soapsvc::for_each_field(value, [&](std::string_view name, const auto& member) {
      object.append(object.size() == 1 ? "" : ",").append(json_text(name));
      object.append(1, ':').append(json(member));
    });
    return object += '}';
  }
}
