// How the codecs are measured: time, instructions and allocations of one call, ours and the peers'
// by the same loop.
//
// Every benchmark program writes lines of five fields with tabs between them: section, series,
// case, measure, value. `run` collects them over all rounds, `report` takes medians.
#pragma once

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

inline void row(
    const char* section,
    const std::string& series,
    const std::string& name,
    const char* measure,
    double value) {
    std::printf(
        "%s\t%s\t%s\t%s\t%.17g\n", section, series.c_str(), name.c_str(), measure, value);
    std::fflush(stdout);
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Where a call is split into reading and writing: every handler says when it is entered.
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

template <class Call>
double ns_of(std::size_t times, Call&& call) {
    const auto begun = clock::now();
    for (std::size_t turn = 0; turn != times; ++turn)
        call();
    const std::chrono::duration<double, std::nano> taken = clock::now() - begun;
    return taken.count() / static_cast<double>(times);
}

/// Under callgrind (--collect-atstart=no) a part of its output for the call and one for its
/// reading, named after the case, with the number of calls behind a '*'.
/// The names are kept: callgrind looks at them a little later.
inline void dump_as(const std::string& name) {
    static std::list<std::string> names;
    CALLGRIND_DUMP_STATS_AT(names.emplace_back(name).c_str());
}
template <class Call>
void count_instructions(const std::string& name, std::size_t times, Call&& call) {
    for (int turn = 0; turn != 3; ++turn)
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
    if (RUNNING_ON_VALGRIND)
        return count_instructions(name, name == "insert-10000" ? 2 : 20, call);

    // Warm, and as many turns as fill a round.
    std::size_t times = 1;
    while (ns_of(times, call) * static_cast<double>(times) < static_cast<double>(with.round.count()))
        times *= 2;
    const std::uint64_t before = allocations;
    for (std::size_t turn = 0; turn != times; ++turn)
        call();
    const std::uint64_t made = allocations - before;

    std::vector<double> calls, reads;
    for (int round = 0; round != with.rounds; ++round) {
        calls.push_back(ns_of(times, call));
        splitting = split::timed;
        std::chrono::duration<double, std::nano> reading{};
        for (std::size_t turn = 0; turn != times; ++turn) {
            const auto begun = clock::now();
            call();
            reading += entered - begun;
        }
        splitting = split::none;
        reads.push_back(reading.count() / static_cast<double>(times));
    }
    row(section, series, name, "ns", median(calls));
    row(section, series, name, "read_ns", median(reads));
    row(section, series, name, "allocations",
        static_cast<double>(made) / static_cast<double>(times));
}

}  // namespace bench
