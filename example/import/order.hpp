// The order in which declarations are written: each after the declarations that it names.
// Declarations that name each other are together.
#ifndef IMPORT_ORDER_HPP
#define IMPORT_ORDER_HPP

#include <map>
#include <set>
#include <vector>

#include "tables.hpp"

namespace importer {

/// Declarations that name each other, in the order of their structs; most often it is one.
using Together = std::vector<Declaration*>;

/// Puts structs that contain themselves into boxes and vectors. Marks structs without an end as
/// problems.
void break_cycles(Tables& tables);

/// The problems of methods: their own, or those of declarations that they need.
class Problems {
public:
  explicit Problems(Tables& tables);
  const Problem* of(const Method& method) const;  ///< nullptr: there is none

private:
  std::map<const Declaration*, const Problem*> of_;
};

/// All declarations that the methods need.
std::set<const Declaration*> reached(const std::vector<const Method*>& methods);

/// All declarations that the methods need, in the order of the output. Marks the rows whose tables
/// come later.
std::vector<Together> in_order(const std::vector<const Method*>& methods);

/// The same, in the order of the documents where possible: neighbours usually belong together, and
/// shared declarations come first. The order of the methods would spread shared declarations. A
/// single header keeps that order, since a service's own WSDL has it.
std::vector<Together> as_documented(const std::vector<Together>& all);

}  // namespace importer

#endif
