// Counts allocations: linked into a program, this malloc stands before the C
// library's. Everything is counted, also the allocations of C libraries; freeing is not.
#include "allocations.hpp"

#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace bench {

thread_local std::uint64_t allocations = 0;
std::atomic<std::uint64_t>* all_allocations = nullptr;

namespace {
void count() {
  ++allocations;
  if (all_allocations) all_allocations->fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

}  // namespace bench

extern "C" {
void* malloc(std::size_t size) {
  bench::count();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  bench::count();
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  bench::count();
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  bench::count();
  return __libc_memalign(alignment, size);
}
}
