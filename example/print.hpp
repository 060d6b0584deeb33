// What the caller's commands print: records as an aligned table for people, and as JSON for
// programs. Both are driven by the tables of the records, so that a new field needs nothing here.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "log.hpp"
#include "soapsvc.hpp"

// --- Tables --------------------------------------------------------------------------------------

/// Text that may go to a terminal: control characters and those that turn the direction of writing
/// become "\x1b" or "\u202e", and bytes that are no UTF-8 "\xff".
std::string terminal_text(std::string_view text);

/// How many columns of a terminal the text takes, which must be as `terminal_text` makes it.
std::size_t columns_of(std::string_view text);

/// Rows of cells under their names.
struct TextTable {
    std::vector<std::string> names;
    std::vector<bool> numeric;  ///< by column: aligned at the right
    std::vector<std::vector<std::string>> rows;
};

/// One line a row, the columns aligned, no space at the end.
void print(std::ostream& to, const TextTable& table);

/// The name of an enumerator on the wire.
template <class Enum>
std::string_view name_of_value(Enum value) {
    for (const auto& row : soapsvc::schema<Enum>.values)
        if (row.value == value) return row.text;
    return {};
}

/// A value for people: absent is `-`, and the empty string `""`, since the two differ.
inline std::string cell(const std::string& text) {
    return text.empty() ? "\"\"" : terminal_text(text);
}
template <class T>
std::string cell(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
        return value ? "yes" : "no";
    else if constexpr (std::is_enum_v<T>)
        return std::string(name_of_value(value));
    else
        return std::to_string(value);
}
template <class T>
std::string cell(const std::optional<T>& value) {
    return value ? cell(*value) : "-";
}

/// A row for each record, a column for each field. A field of a type that `cell` does not know is
/// given one beside its record, found by argument.
template <class Record>
TextTable table_of(const std::vector<Record>& records) {
    TextTable table;
    soapsvc::schema<Record>.rows.for_each([&](const auto& field) {
        using type = std::remove_cvref_t<decltype(std::declval<Record>().*field.member)>;
        table.names.emplace_back(field.name);
        table.numeric.push_back(std::is_integral_v<type> && !std::is_same_v<type, bool>);
    });
    for (const Record& record : records) {
        std::vector<std::string>& row = table.rows.emplace_back();
        soapsvc::schema<Record>.rows.for_each(
            [&](const auto& field) { row.push_back(cell(record.*field.member)); });
    }
    return table;
}

// --- JSON ----------------------------------------------------------------------------------------

/// A value as JSON (RFC 8259): records become objects with the names and the order of the wire,
/// numbers stay numbers, absent is null.
inline std::string json(const std::string& text) { return json_text(text); }
inline std::string json(bool value) { return value ? "true" : "false"; }
template <class T>
std::string json(const T& value);
template <class T>
std::string json(const std::optional<T>& value) {
    return value ? json(*value) : "null";
}
template <class T>
std::string json(const std::vector<T>& values) {
    std::string list = "[";
    for (const T& value : values)
        list.append(list.size() == 1 ? "" : ",").append(json(value));
    return list += ']';
}
template <class T>
std::string json(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        return json_text(name_of_value(value));
    } else if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else {
        std::string object = "{";
        soapsvc::schema<T>.rows.for_each([&](const auto& field) {
            object.append(object.size() == 1 ? "" : ",").append(json_text(field.name));
            object.append(1, ':').append(json(value.*field.member));
        });
        return object += '}';
    }
}
