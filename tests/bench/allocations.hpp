// What allocations.cpp counts, for programs that are linked with it.
#pragma once

#include <atomic>
#include <cstdint>

namespace bench {

/// Calls of malloc and its kin in this thread so far.
extern thread_local std::uint64_t allocations;

/// Where those of all threads are added up; null, as it begins, where nobody asks.
extern std::atomic<std::uint64_t>* all_allocations;

}  // namespace bench
