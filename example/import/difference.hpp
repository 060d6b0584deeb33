// The changes between two versions of a contract, and the programs that they break.
#ifndef IMPORT_DIFFERENCE_HPP
#define IMPORT_DIFFERENCE_HPP

#include <string>

#include "tables.hpp"

namespace importer {

/// A line for each change, in the order of operations and names. It says whether the change breaks
/// clients or servers of the old version. Empty if the versions are equal.
///
/// A change breaks messages from the old to the new version if a message is no longer valid. It
/// breaks messages from the new to the old version if a message was not valid before. Requests go
/// from clients to servers, responses from servers to clients.
std::string difference(const Tables& before, const Tables& after);

}  // namespace importer

#endif
