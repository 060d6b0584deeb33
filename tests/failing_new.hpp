// Lets a thread run out of memory, for a program of one unit: it replaces the operators.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

// The thread sanitizer keeps its own operators: there, no allocation fails.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool allocations_fail = false;
#else
inline constexpr bool allocations_fail = true;
#endif
#else
inline constexpr bool allocations_fail = true;
#endif

/// From now on, all allocations of this thread fail.
inline thread_local bool memory_is_gone = false;
/// This number of allocations of this thread succeeds, then one fails.
inline thread_local std::size_t good_allocations = std::numeric_limits<std::size_t>::max();

// Not inlined; otherwise g++ reports new and free as a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (memory_is_gone || good_allocations-- == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return memory_is_gone ? nullptr : std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
