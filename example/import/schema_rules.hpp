// The form of a schema document: which elements may stand in which, and which words an attribute takes
// (XML Schema part 1, schema for schemas).
#ifndef IMPORT_SCHEMA_RULES_HPP
#define IMPORT_SCHEMA_RULES_HPP

#include <optional>
#include <string>
#include <string_view>

#include "schema.hpp"

namespace importer {

/// An element of a schema that stands where XML Schema 1.0 has no place for it.
struct Misplaced {
  std::string reason;
  bool is_lost = false;  ///< a component would miss its content; else nothing is misread
};

/// Why `child` may not stand in `parent`, which is a child of an element `around`; nullopt: it may.
std::optional<Misplaced> misplaced(std::string_view around, Node parent, Node child);

/// Whether the reader looks into `child`. It also reads particles that may not stand there.
bool is_read(std::string_view around, Node parent, Node child);

/// The second of two children of which an element holds only one; null if there is none.
Node second_definition(Node parent);

/// The words of an attribute such as use; the first is the default. Empty: it takes any text.
std::string_view words_of(std::string_view attribute) noexcept;
/// The word that an attribute means. An empty text, and the default in other letters, mean the default;
/// nullopt: the word is unknown.
std::optional<std::string> meant_word(std::string_view attribute, std::string_view said);

/// A note on attributes that contradict each other or their place, and change no message; else empty.
std::string attribute_note(Node parent, Node at);

/// The intersection of two wildcards, with the processContents of `one`; nullopt: no single wildcard
/// expresses it (XML Schema part 1, 3.10.6: Attribute Wildcard Intersection).
std::optional<Wildcard> intersection(const Wildcard& one, const Wildcard& other);

}  // namespace importer

#endif
