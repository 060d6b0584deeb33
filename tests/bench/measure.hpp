// Measures the codecs: time, instructions and allocations of one call, of our code and of the
// peers' by the same loop.
//
// Every benchmark program writes lines of five fields with tabs between them: section, series,
// case, measure, value. `run` collects them over all rounds, `report` takes medians.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <list>
#include <string>
#include <vector>

#include "allocations.hpp"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else  // `run` installs it; without, there are no instruction counts
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#endif

namespace bench {

using clock = std::chrono::steady_clock;

/// Processor time of this thread, so that other work of the machine is not counted. Reading it is a
/// system call: use it for loops, not for single calls.
struct thread_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<thread_clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

inline void row(
    const char* section,
    const std::string& series,
    const std::string& name,
    const char* measure,
    double value) {
  std::printf("%s\t%s\t%s\t%s\t%.17g\n", section, series.c_str(), name.c_str(), measure, value);
  std::fflush(stdout);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The point between reading and writing of a call: every handler reports its begin.
enum class split { none, timed, collected };
inline split splitting = split::none;
inline clock::time_point entered;

inline void handler_entered() {
  if (splitting == split::timed) [[unlikely]]
    entered = clock::now();
  else if (splitting == split::collected) [[unlikely]]
    CALLGRIND_TOGGLE_COLLECT;
}

/// How long to measure.
struct effort {
  int rounds = 15;
  std::chrono::nanoseconds round = std::chrono::milliseconds(20);
};

template <class Clock, class Call> double ns_of(std::size_t times, Call&& call) {
  const auto begun = Clock::now();
  for (std::size_t turn = 0; turn != times; ++turn)
    call();
  const std::chrono::duration<double, std::nano> taken = Clock::now() - begun;
  return taken.count() / static_cast<double>(times);
}

/// The names are kept, because callgrind reads them later.
inline void dump_as(const std::string& name) {
  static std::list<std::string> names;
  CALLGRIND_DUMP_STATS_AT(names.emplace_back(name).c_str());
}
template <class Call>
void count_instructions(const std::string& name, std::size_t times, Call&& call) {
  call();  // warm
  call();
  CALLGRIND_ZERO_STATS;
  CALLGRIND_TOGGLE_COLLECT;
  for (std::size_t turn = 0; turn != times; ++turn)
    call();
  CALLGRIND_TOGGLE_COLLECT;
  dump_as(name + " call *" + std::to_string(times));
  splitting = split::collected;
  for (std::size_t turn = 0; turn != times; ++turn) {
    CALLGRIND_TOGGLE_COLLECT;
    call();
  }
  splitting = split::none;
  dump_as(name + " read *" + std::to_string(times));
}

/// Measures `call`, which must call handler_entered() once, and writes its rows.
template <class Call>
void measure(
    const char* section,
    const std::string& series,
    const std::string& name,
    const effort& with,
    Call&& call) {
  // Valgrind is slow: the cases of a thousand and more are counted twice only.
  if (RUNNING_ON_VALGRIND) return count_instructions(name, name.size() > 8 ? 2 : 20, call);

  // Warm, and as many turns as fill a round.
  std::size_t times = 1;
  while (ns_of<clock>(times, call) * static_cast<double>(times) <
         static_cast<double>(with.round.count()))
    times *= 2;
  const std::uint64_t before = allocations;
  for (std::size_t turn = 0; turn != times; ++turn)
    call();
  const std::uint64_t made = allocations - before;

  std::vector<double> calls, shares;
  for (int round = 0; round != with.rounds; ++round) {
    calls.push_back(ns_of<thread_clock>(times, call));
    splitting = split::timed;
    std::chrono::duration<double> reading{}, all{};
    for (std::size_t turn = 0; turn != times; ++turn) {
      const auto begun = clock::now();
      call();
      reading += entered - begun;
      all += clock::now() - begun;
    }
    splitting = split::none;
    shares.push_back(reading / all);
  }
  row(section, series, name, "ns", median(calls));
  row(section, series, name, "read_ns", median(calls) * median(shares));
  row(section, series, name, "allocations", static_cast<double>(made) / static_cast<double>(times));
}

}  // namespace bench
