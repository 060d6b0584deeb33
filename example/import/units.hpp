// A large contract in pieces that a compiler takes one after the other.
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
  std::set<std::size_t> needs;  ///< the units before it whose structs these have
};
using Units = std::vector<Unit>;

/// How many units are well for these: one, until a compiler would take more than a minute or a
/// gigabyte for it.
std::size_t good_count(const std::vector<Together>& all);

/// Cuts them into at most `count` units of about the same work; more than one have the order of the
/// documents.
Units in_units(const std::vector<Together>& given, std::size_t count);

}  // namespace importer

#endif
