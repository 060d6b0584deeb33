// The structure of schema documents: the allowed children of each element, and the allowed words of
// each attribute (XML Schema part 1, schema for schemas).
#ifndef IMPORT_SCHEMA_RULES_HPP
#define IMPORT_SCHEMA_RULES_HPP

#include <optional>
#include <string>
#include <string_view>

#include "schema.hpp"

namespace importer {

/// An element of a schema at a position that XML Schema 1.0 does not allow.
struct Misplaced {
  std::string reason;
  bool is_lost = false;  ///< a component would miss its content; else nothing is misread
};

/// The reason why `child` is not allowed in `parent`, which is a child of an element `around`;
/// nullopt: it is allowed.
std::optional<Misplaced> misplaced(std::string_view around, Node parent, Node child);

/// True if the reader reads `child`. It also reads particles that are not allowed there.
bool is_read(std::string_view around, Node parent, Node child);

/// The second of two children if only one of them is allowed; null if there is none.
Node second_definition(Node parent);

/// The words of an attribute such as use; the first is the default. Empty: any text is allowed.
std::string_view words_of(std::string_view attribute) noexcept;
/// The word that an attribute means. An empty text, and the default in other letters, mean the
/// default; nullopt: the word is unknown.
std::optional<std::string> meant_word(std::string_view attribute, std::string_view said);

/// A note on attributes that contradict each other or their position but do not change messages;
/// else empty.
std::string attribute_note(Node parent, Node at);

/// The intersection of two wildcards, with the processContents of `one`; nullopt: no single
/// wildcard expresses it (XML Schema part 1, 3.10.6: Attribute Wildcard Intersection).
std::optional<Wildcard> intersection(const Wildcard& one, const Wildcard& other);

}  // namespace importer

#endif
