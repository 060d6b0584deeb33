// C++ names from XML names. The rules use the names only: the order of the documents changes
// nothing, and a new type renames no other type.
#ifndef IMPORT_NAMES_HPP
#define IMPORT_NAMES_HPP

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tables.hpp"

namespace importer {

/// With its first letter in upper case.
std::string capitalised(std::string_view name);

/// For structs, enumerations and classes: the XML name with a capital first letter. Characters that
/// a C++ name cannot have are left out, and a capital follows: "order-item" is OrderItem.
std::string type_name(std::string_view xml);

/// For members, methods, constants and enumerators: lower case, words with '_' between them, and
/// '_' behind a keyword: "CustomerID" is customer_id.
std::string value_name(std::string_view xml, std::string_view when_empty = "value");

/// True if C declares the name in the global namespace, so that no namespace there can have it:
/// `read`, `system`, `tm`. Also true for some free names, such as all that end in `_t`.
bool is_global(std::string_view name);

/// The namespace, inside the contract's namespace, of classes that forward calls.
inline constexpr const char* client_calls = "client_calls";

/// The used names of a scope in which names must differ.
class Scope {
public:
  bool has(const std::string& name) const { return names_.contains(name); }
  void take(const std::string& name) { names_.insert(name); }
  /// Returns and reserves `name`, or `name` with the first free number from 2 on.
  std::string unused(const std::string& name);

private:
  std::set<std::string> names_;
  std::map<std::string, std::size_t> tried_;  ///< last number tried; thousands may want one name
};

/// Gives used declarations their names in C++, and a name in XML to each without one.
void give_names(Tables& tables, const std::set<const Declaration*>& used);

}  // namespace importer

#endif
