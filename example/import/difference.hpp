// What changed between two versions of a contract, and for whom.
#ifndef IMPORT_DIFFERENCE_HPP
#define IMPORT_DIFFERENCE_HPP

#include <string>

#include "tables.hpp"

namespace importer {

/// A line for each change, in the order of operations and names: what it is, and whether clients or
/// servers of the old version break by it. Empty when the versions say the same.
///
/// A change breaks what goes from old to new when something that was valid is not any more, and
/// what goes from new to old when something is valid that was not. Requests go from clients to
/// servers, responses the other way.
std::string difference(const Tables& before, const Tables& after);

}  // namespace importer

#endif
