// Runs the library's own checks on tables before they are written, so that the program starts.
#ifndef IMPORT_CHECKS_HPP
#define IMPORT_CHECKS_HPP

#include "tables.hpp"

namespace importer {

/// Blames each table that a program would refuse when it starts.
void check_tables(Tables& tables);

/// Whether a program would refuse a row of the type with these two facets. `is_of_type`: that `above`
/// is a facet of the row's simple type, and `own` one of the row.
bool contradict(const CppType& type, const Option& above, bool is_of_type, const Option& own);

/// Whether the facets of a row allow a text, which is a value of its C++ type.
bool allows(const Row& row, const std::string& text);

}  // namespace importer

#endif
