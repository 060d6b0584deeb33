// Compares the processor time of two steps on this thread. Other programs slow both down, because
// they use the same caches. So no test depends on seconds, and the shortest of several calls
// counts.
#pragma once

#include <malloc.h>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <thread>

/// Lets the allocator keep freed memory. On a busy machine the kernel takes up to a second to hand
/// out 100 MB, and only the larger of two sizes would pay that at each call.
inline void keep_freed_memory() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the maximum of glibc
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

/// The processor time of this thread, in seconds.
inline double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The same of one call of `run`. Several are timed where the clock counts none (10 ms on Windows).
template <typename Run> double processor_seconds(Run run) {
  for (int calls = 1;; calls *= 4) {
    const double begin = thread_seconds();
    for (int call = 0; call != calls; ++call)
      run();
    const double spent = thread_seconds() - begin;
    if (spent > 0 || calls > 10'000) return spent / calls;
  }
}

/// True if `run` takes less than `times` the processor time of `other`, plus `more` seconds. Each
/// is called three times. While it takes more, it is called up to sixty times, with pauses after
/// the tenth call, because the machine may be busy for a while.
template <typename Run, typename Other>
bool takes_less(Run run, double times, Other other, double more) {
  keep_freed_memory();
  double least = 1e9, least_of_other = 1e9;
  for (int round = 1; round <= 60; ++round) {
    if (round > 10) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    least = std::min(least, processor_seconds(run));
    least_of_other = std::min(least_of_other, processor_seconds(other));
    if (round >= 3 && least < least_of_other * times + more) return true;
  }
  std::cerr << least << " s, and " << least_of_other << " s for the other\n";
  return false;
}

/// True if `run(8 * size)` takes about eight times as long as `run(size)`, not the 64 times of
/// quadratic work. The data of the larger size should fit in a cache: 100 MB take 20 times as long.
/// The 0.05 seconds are for page faults, which only the larger size may have.
template <typename Run> bool is_linear(std::size_t size, Run run) {
  return takes_less([&] { run(8 * size); }, 24, [&] { run(size); }, 0.05);
}
