// C++ names from XML names, by rules that look at the names alone: the order in which documents
// were read changes nothing, and a new type in a contract renames no other.
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

/// For structs, enumerations and classes: the XML name with a capital first letter. Characters that a
/// C++ name cannot have are left out, and a capital follows: "order-item" is OrderItem.
std::string type_name(std::string_view xml);

/// For members, methods, constants and enumerators: lower case, words with '_' between them, and
/// '_' behind a keyword: "CustomerID" is customer_id.
std::string value_name(std::string_view xml, std::string_view when_empty = "value");

/// Whether C declares the name outside of all namespaces, so that no namespace there can have it:
/// `read`, `system`, `tm`. Says yes of some that are free, such as all that end in `_t`.
bool is_global(std::string_view name);

/// The namespace, within the contract's, of classes that hand calls on.
inline constexpr const char* client_calls = "client_calls";

/// The names that are taken where they must differ.
class Scope {
public:
  bool has(const std::string& name) const { return names_.contains(name); }
  void take(const std::string& name) { names_.insert(name); }
  /// `name`, or that and the first number from 2 on which makes it new; takes it.
  std::string unused(const std::string& name);

private:
  std::set<std::string> names_;
  std::map<std::string, std::size_t> tried_;  ///< up to which number: thousands may wish one name
};

/// Gives used declarations their names in C++, and a name in XML to each without one.
void give_names(Tables& tables, const std::set<const Declaration*>& used);

}  // namespace importer

#endif
