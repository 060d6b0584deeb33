// How the processor time of something grows with its size. A test asks for a ratio of two sizes:
// sanitizers and a busy machine slow both, so that no bound in seconds holds everywhere.
#pragma once

#include <algorithm>
#include <ctime>

/// The least processor time, in seconds, of three calls of `run`.
template <typename Run>
double processor_seconds(Run run) {
    double least = 1e9;
    for (int round = 0; round != 3; ++round) {
        const std::clock_t begin = std::clock();
        run();
        least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return least;
}

/// Whether `run(8 * size)` takes about eight times as long as `run(size)`, and not the 64 times of
/// what is quadratic. What is added is for page faults, which only the larger one may have.
template <typename Run>
bool is_linear(std::size_t size, Run run) {
    const double once = processor_seconds([&] { run(size); });
    return processor_seconds([&] { run(8 * size); }) < once * 24 + 0.05;
}
