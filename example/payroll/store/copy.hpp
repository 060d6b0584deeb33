// `payroll copy`: copies all data from one database to another.
#pragma once

#include "store/store.hpp"

/// Copies everything into an empty database, in one transaction, and then reads the copy: row
/// counts and digests of every table must equal those of the original. Throws std::runtime_error
/// with one line on the remedy.
void copy_business(CopyStore& from, CopyStore& to);
