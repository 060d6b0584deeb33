// What callers and the operator are told while the database takes no writes, or does not answer: the
// same whichever database it is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "auth/auth.hpp"
#include "soapsvc.hpp"

enum class Outage : std::uint8_t {
  silent,  ///< it does not answer
  full  ///< it answers, and takes no writes: its disk is full, for instance
};

/// The fault with status 503 that a call gets.
soapsvc::fault fault_of(Outage outage);

/// Tells the operator of each outage once, and of its end. May be called from any number of threads.
class Outages {
public:
  using Tell = std::function<void(const std::string&)>;

  /// `tell` may be empty.
  Outages(Tell tell, Clock clock) : tell_(std::move(tell)), clock_(std::move(clock)) {}

  /// A call could not be done. That writes are refused is told again after a minute.
  void note(Outage outage, const std::string& why);

  /// A call was done: the silence is over.
  void note_answer();

  /// Whether writes were refused since note_room().
  bool is_full() const { return full_.load() != 0; }

  /// There is room again. Writes that happen to fit do not show that: whoever looks must know.
  void note_room();

private:
  void tell(const std::string& what) const {
    if (tell_) tell_(what);
  }

  Tell tell_;
  Clock clock_;
  std::atomic<bool> silent_{false};
  std::atomic<std::int64_t> full_{0};  // when it was told last, in seconds since boot; 0: not
};
