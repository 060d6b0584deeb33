// Splits a large contract into units that are compiled separately.
#ifndef IMPORT_UNITS_HPP
#define IMPORT_UNITS_HPP

#include <cstddef>
#include <set>
#include <vector>

#include "order.hpp"

namespace importer {

/// Declarations whose tables are compiled together.
struct Unit {
  std::vector<Together> declarations;
  std::set<std::size_t> needs;  ///< the earlier units whose structs these declarations use
};
using Units = std::vector<Unit>;

/// The number of units to write: one, unless a compiler would need more than a minute or a
/// gigabyte.
std::size_t good_count(const std::vector<Together>& all);

/// Splits the declarations into at most `count` units of about the same work. Several units have
/// the order of the documents.
Units in_units(const std::vector<Together>& given, std::size_t count);

}  // namespace importer

#endif
