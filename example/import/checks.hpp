// Runs the library's own checks on tables before they are written, so that the program starts.
#ifndef IMPORT_CHECKS_HPP
#define IMPORT_CHECKS_HPP

#include "tables.hpp"

namespace importer {

/// Marks each table that a program would refuse at start-up as a problem.
void check_tables(Tables& tables);

/// True if a program would refuse a row of the type with these two facets. `is_of_type`: `above` is
/// a facet of the row's simple type, and `own` is a facet of the row.
bool contradict(const CppType& type, const Option& above, bool is_of_type, const Option& own);

/// True if the facets of a row allow a text, which is a value of its C++ type.
bool allows(const Row& row, const std::string& text);

}  // namespace importer

#endif
