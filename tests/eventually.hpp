// Bounded waits for results of other threads.
#pragma once

#include <chrono>
#include <thread>

namespace net {

/// Waits until a condition is true; false: it did not become true.
template <class Condition>
bool eventually(Condition holds, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace net
