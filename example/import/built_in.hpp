// Built-in parts: the names of XML Schema's own types, and schemas that contracts import without a
// copy of them.
#ifndef IMPORT_BUILT_IN_HPP
#define IMPORT_BUILT_IN_HPP

#include <string>
#include <string_view>

namespace importer {

/// Whether XML Schema 1.0 has a type of this name (part 2, 3; anyType and anySimpleType as well).
bool is_built_in_type(std::string_view local) noexcept;

/// "; there is base64Binary" when a name differs from such a type in letter case alone; else empty.
std::string similar_type(std::string_view local);

/// The schema of a well-known namespace; empty for all others.
std::string_view built_in_schema(std::string_view ns) noexcept;

}  // namespace importer

#endif
