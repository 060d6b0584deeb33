// `payroll copy`: a business moves from one database to another.
#pragma once

#include "store/store.hpp"

/// Copies everything into an empty database, in one transaction, and reads it there again: the
/// number of rows and a digest of each table must be those of the original. Throws
/// std::runtime_error, one line that says what to do.
void copy_business(CopyStore& from, CopyStore& to);
