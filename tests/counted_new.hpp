// Counts the memory that a thread requests from operator new, for a program of one unit: it
// replaces the operators. Mapped memory counts too, on this processor and without sanitizers, which
// map memory themselves.
#pragma once

#include <malloc.h>
#if defined(__linux__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define COUNTS_MAPPED
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

inline thread_local std::size_t allocations = 0;
inline thread_local std::size_t allocated_bytes = 0;
/// The bytes in use now, and their maximum. Memory that another thread frees is not counted.
inline thread_local std::size_t held_bytes = 0;
inline thread_local std::size_t most_held_bytes = 0;

/// The size of the block from malloc, which may be larger than requested; 0 for a null pointer.
inline std::size_t usable_bytes(void* memory) noexcept {
#ifdef _WIN32
  return memory ? ::_msize(memory) : 0;
#else
  return ::malloc_usable_size(memory);
#endif
}

inline void* counted(void* memory) noexcept {
  ++allocations;
  held_bytes += usable_bytes(memory);
  most_held_bytes = std::max(most_held_bytes, held_bytes);
  return memory;
}

// Not inlined; otherwise GCC reports new and free as a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return counted(memory);
  throw std::bad_alloc();
}
// The sanitizers require that this operator is replaced, too; std::stable_sort calls it.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(std::malloc(size == 0 ? 1 : size));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  held_bytes -= usable_bytes(memory);
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

#if defined(COUNTS_MAPPED)
extern "C" void* mmap(
    void* at, std::size_t size, int access, int how, int file, off_t from) noexcept {
  const long made = ::syscall(SYS_mmap, at, size, access, how, file, from);
  if (made != -1) held_bytes += size;
  most_held_bytes = std::max(most_held_bytes, held_bytes);
  return reinterpret_cast<void*>(made);
}
extern "C" int munmap(void* at, std::size_t size) noexcept {
  held_bytes -= size;
  return static_cast<int>(::syscall(SYS_munmap, at, size));
}
#endif
