// The order in which declarations are written: each after what it names, and those that name each
// other together.
#ifndef IMPORT_ORDER_HPP
#define IMPORT_ORDER_HPP

#include <map>
#include <set>
#include <vector>

#include "tables.hpp"

namespace importer {

/// Declarations that name each other, in the order of their structs; most often it is one.
using Together = std::vector<Declaration*>;

/// Puts into boxes and vectors what would hold itself, and blames what would without end.
void break_cycles(Tables& tables);

/// Why methods cannot be written: their own reason, or that of something that they need.
class Problems {
public:
  explicit Problems(Tables& tables);
  const Problem* of(const Method& method) const;  ///< nullptr: there is none

private:
  std::map<const Declaration*, const Problem*> of_;
};

/// All that the methods need.
std::set<const Declaration*> reached(const std::vector<const Method*>& methods);

/// All that the methods need, in the order in which it is written. Says of rows whether their
/// tables stand below.
std::vector<Together> in_order(const std::vector<const Method*>& methods);

/// The same, each where its document has it as far as that is possible: neighbours belong together
/// most often, and what is shared by all comes first. In the order of the methods it would be
/// spread over all, which stays that of a single header: it is what a service's own WSDL gives.
std::vector<Together> as_documented(const std::vector<Together>& all);

}  // namespace importer

#endif
