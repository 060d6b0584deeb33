// The faults and messages while the database takes no writes or does not answer. They are the same
// for all databases.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "auth/auth.hpp"
#include "soapsvc.hpp"

enum class Outage : std::uint8_t {
  silent,  ///< it does not answer
  full  ///< it answers but takes no writes: a full disk, for example
};

/// The fault with status 503 that a call gets.
soapsvc::fault fault_of(Outage outage);

/// Reports each outage once, and its end, to the operator. May be called from any number of
/// threads.
class Outages {
public:
  using Tell = std::function<void(const std::string&)>;

  /// `tell` may be empty.
  Outages(Tell tell, Clock clock) : tell_(std::move(tell)), clock_(std::move(clock)) {}

  /// A call failed. Refused writes are reported again after a minute.
  void note(Outage outage, const std::string& why);

  /// A call succeeded: the database answers again.
  void note_answer();

  /// True if writes were refused since note_room().
  bool is_full() const { return full_.load() != 0; }

  /// There is room again. Call it only after a check: a small write may succeed on a full disk.
  void note_room();

private:
  void tell(const std::string& what) const {
    if (tell_) tell_(what);
  }

  Tell tell_;
  Clock clock_;
  std::atomic<bool> silent_{false};
  std::atomic<std::int64_t> full_{0};  // last report, in seconds since boot; 0: not full
};
