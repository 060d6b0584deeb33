// Runs the library's own checks on tables before they are written, so that the program starts.
#ifndef IMPORT_CHECKS_HPP
#define IMPORT_CHECKS_HPP

#include "tables.hpp"

namespace importer {

/// Blames each table that a program would refuse when it starts.
void check_tables(Tables& tables);

}  // namespace importer

#endif
