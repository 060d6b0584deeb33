// Counts what a thread asks of operator new, for a program of one unit: the operators are replaced.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

inline thread_local std::size_t allocations = 0;

// Not inlined, or GCC takes new and free for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
// The sanitizers want this one replaced along with the others; std::stable_sort calls it.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
