// The XML reader of soapsvc.hpp, the only part of the header's implementation that the importer
// uses. It checks well-formedness, namespaces and limits in one pass, so untrusted contracts are
// read like untrusted messages.
#ifndef IMPORT_READER_HPP
#define IMPORT_READER_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soapsvc.hpp"

namespace soapsvc::detail {
struct element_record;
}

namespace importer {

/// A lightweight handle of an element, valid as long as its document. A null node may only be
/// tested. Only reader.cpp sees the implementation.
class Node {
public:
  Node() = default;
  explicit Node(const soapsvc::detail::element_record* at) noexcept : at_(at) {}
  explicit operator bool() const noexcept { return at_ != nullptr; }
  friend bool operator==(const Node&, const Node&) = default;

  std::string_view ns() const noexcept;
  std::string_view local() const noexcept;
  bool is(std::string_view ns, std::string_view local) const noexcept;
  std::string_view text() const noexcept;
  Node first_child() const noexcept;
  Node next_sibling() const noexcept;
  /// The value of an attribute in no namespace.
  std::optional<std::string_view> attribute(std::string_view local) const noexcept;
  std::optional<std::string_view> attribute(
      std::string_view ns, std::string_view local) const noexcept;
  /// The names of the attributes in no namespace.
  std::vector<std::string_view> attributes() const;
  /// The namespace of a prefix here; "" is the prefix of names without one.
  std::optional<std::string_view> namespace_of(std::string_view prefix) const noexcept;
  /// The element as it was written.
  std::string_view source() const noexcept;

private:
  const soapsvc::detail::element_record* at_ = nullptr;
};

/// Reads one document. Its nodes are valid as long as the reader exists.
class Reader {
public:
  Reader();
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Reads UTF-8 that outlives the nodes. Throws std::runtime_error that begins with the line and
  /// column.
  Node read(std::string_view text);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The maximum size of a document in bytes, both as received and in UTF-8.
std::size_t most_document_bytes() noexcept;
std::string in_utf8(std::string bytes);

/// The problem of a regular expression of XML Schema; nullopt: none.
std::optional<std::string> pattern_problem(const std::string& expression);

/// True if a text is a value of a C++ type with a fixed XML form: "std::int32_t".
bool is_value_of(std::string_view cpp_type, std::string_view text);

/// The type of a row for the library's checks.
struct CheckedType {
  soapsvc::detail::type_kind kind{};
  std::string key;  ///< types of one key are one type
  std::shared_ptr<const std::vector<std::string>> values{};  ///< of an enumeration
  std::vector<CheckedType> parts{};  ///< type of a list's items, or of a union's members
};
struct CheckedTable;
struct CheckedRow {
  soapsvc::detail::row_kind kind{};
  std::string name;
  CheckedType type;
  soapsvc::detail::occurrence occurs{};
  bool is_nillable = false;
  std::vector<soapsvc::detail::row_extra> extras{};
  const CheckedTable* part = nullptr;  ///< of a group or a base
};
struct CheckedTable {
  std::string name;
  soapsvc::detail::record_options options{};
  std::vector<CheckedRow> rows;
};

/// The reason for which the library would refuse a table at start-up; empty: none.
std::string table_problem(const CheckedTable& table);

/// Whether the facets of a row allow a text. True if its table would be refused, or if the patterns
/// take too long.
bool row_allows(CheckedRow row, std::string text);

/// The kind of a C++ type with a fixed XML form; `none` for all others.
soapsvc::detail::type_kind kind_of_plain(std::string_view cpp_type);

/// The options of a row that xs::token and similar options mean.
std::vector<soapsvc::detail::row_extra> extras_of_builtin(std::string_view option);
/// True if a text has the form of such an option.
bool has_form(std::string_view option, std::string_view text);

/// Removes and returns the first item of a list; nullopt if there is none.
std::optional<std::string_view> take_item(std::string_view& list) noexcept;

}  // namespace importer

#endif
