// The counts of allocations.cpp, for programs that link it.
#pragma once

#include <atomic>
#include <cstdint>

namespace bench {

/// Calls of malloc and similar functions in this thread so far.
extern thread_local std::uint64_t allocations;

/// The sum for all threads; null, the initial value, if it is not needed.
extern std::atomic<std::uint64_t>* all_allocations;

}  // namespace bench
