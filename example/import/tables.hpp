// The declarations of a header: structs, enumerations, simple types and classes, each with the rows
// of its table. They are the step between the components of a contract and the text of the header.
#ifndef IMPORT_TABLES_HPP
#define IMPORT_TABLES_HPP

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "wsdl.hpp"

namespace importer {

struct Declaration;

/// An option of a row, a table or an operation, such as max_length(5). Only the writer makes it
/// text.
struct Option {
  using Kind = soapsvc::detail::extra;
  Kind kind{};
  std::vector<std::string> texts{};  ///< literals, or the name of a built-in type, "xs::token"
  std::uint64_t number = 0;  ///< a count, or the minimum ...
  std::uint64_t most = 0;  ///< ... and the maximum, `unbounded` if there is none
  bool operator==(const Option&) const = default;

  /// The option as C++ code.
  std::string code() const;
  bool is_facet() const { return kind >= Kind::length && kind <= Kind::enumerated; }

  static Option flag(Kind kind) { return {kind, {}}; }
  static Option text(Kind kind, std::string text) { return {kind, {std::move(text)}}; }
  static Option count(Kind kind, std::uint64_t number) { return {kind, {}, number}; }
  static Option occurs(std::uint64_t least, std::uint64_t most) {
    return {Kind::least, {}, least, most};
  }
  /// request("Name"), with the namespace if it is not the service's.
  static Option name(Kind kind, const QName& name, bool elsewhere);
  static Option builtin(std::string name) { return {Kind::builtin, {std::move(name)}}; }
};

/// The option of a kind; nullptr when there is none.
inline const Option* find_option(const std::vector<Option>& all, Option::Kind kind) {
  for (const Option& each : all)
    if (each.kind == kind) return &each;
  return nullptr;
}

/// A C++ type without the holder for its number of occurrences.
struct CppType {
  enum class Kind { plain, declared, derived, list, of_union };
  Kind kind = Kind::plain;
  std::string plain;  ///< "std::int32_t"
  Declaration* declared = nullptr;
  std::vector<CppType> parts;  ///< type of a list's items, or of a union's members
  bool operator==(const CppType&) const = default;

  static CppType of(Declaration& declared) { return {Kind::declared, {}, &declared, {}}; }
};

/// How a member holds its values.
enum class Holder { value, optional, vector, box };

/// A member of a struct, and its row.
struct Row {
  enum class Kind { field, attribute, content, group, any, any_attribute };
  Kind kind = Kind::field;
  QName name{};  ///< of the element or attribute
  std::string member{};
  CppType type{};
  Holder holder = Holder::value;
  bool is_nillable = false;
  /// For a `wrapped_list` or a `map`: the element around the items. The other members describe the
  /// items or values.
  struct Around {
    bool is_optional = false;
    bool is_nillable = false;
    std::vector<std::string> names{};  ///< for a map: the names of an item, its key and its value
    CppType key{};
  };
  std::optional<Around> around{};
  bool is_forward_declared = false;  ///< its table comes after this one
  const Type* of = nullptr;  ///< the type of an element or attribute
  Declaration* simple = nullptr;  ///< a simple type with a name, given as an option
  std::vector<Option> facets{};  ///< the facets of an anonymous type
  std::vector<Option> options{};  ///< all other options
  std::string initial{};  ///< the member's initial value
  std::string doc{};
  Place at{};

  /// The declarations that its type names.
  std::vector<Declaration*> needs() const;
};

struct EnumValue {
  std::string text;
  std::string name;
  std::string doc;
};

/// A declaration of the header, with its table.
struct Declaration {
  /// `known_types` represents all types that extend `base`. Rows that hold any of these types name
  /// it, so that there is one edge for each row and each type, not one for each pair.
  enum class Kind { record, choice, enumeration, simple, known_types };
  Kind kind = Kind::record;
  QName xml;  ///< of its type; local is empty for a table without a name
  std::string wish;  ///< the wanted name
  std::string cpp;
  std::string doc;
  Place at;
  const Declaration* owner = nullptr;  ///< for a group: the struct that contains it
  std::optional<QName> head{};  ///< for a choice that is a substitution group
  bool is_message = false;  ///< without a name, for the content of a message's element
  bool is_anonymous = false;  ///< the table's name is only that of an element
  bool is_element_nillable = false;  ///< for a header block or a detail
  bool is_abstract = false;
  bool is_dictionary = false;  ///< as .NET marks it
  bool is_all = false;
  bool is_unqualified = false;  ///< its elements, if they have no other option
  Declaration* base = nullptr;
  std::vector<Row> rows;
  std::vector<EnumValue> values;
  std::vector<Option> facets;  ///< of a simple type or an enumeration
  std::vector<Declaration*> extended_by;  ///< all of them, if a `polymorphic` row has this ...
  Declaration* known_types = nullptr;  ///< ... and the declaration that represents them; null: none
  std::optional<Problem> problem;

  /// The declarations that its text names, in the order of its rows.
  std::vector<Declaration*> needs() const;
};

/// A method of a class, and its row.
struct Method {
  const Operation* operation = nullptr;
  std::string name;
  bool has_request = false;
  Row request;  ///< its type, and whether it may be nil
  std::vector<Declaration*> headers;
  std::vector<Declaration*> told;
  bool has_result = false;
  Row result;  ///< its type and holder
  std::vector<Declaration*> faults;
  std::vector<Option> options;
  std::string action;  ///< SOAPAction, with or without an option
  std::optional<Problem> problem;
  std::vector<Declaration*> needs() const;
};

struct Class {
  const Interface* from = nullptr;
  std::string cpp;
  bool is_rpc = false;
  bool is_bare = false;  ///< all operations are
  std::vector<Method> methods;
};

/// All parts of a contract that are written.
struct Tables {
  std::deque<Declaration> declarations;
  std::vector<Class> classes;
  std::string common_ns;  ///< the namespace of tables without ns(...); empty: all have the option
  std::vector<std::string> notes;  ///< for the user
};

/// A C++ string literal. The writer splits long literals.
std::string literal(std::string_view text);

}  // namespace importer

#endif
