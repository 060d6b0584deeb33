// Decides whether the clock of a database can be trusted to measure thirty seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

/// One reading of the database's clock, and of this machine's monotonic clock before and after it.
struct ClockReading {
  std::int64_t epoch = 0;  ///< of tokens, from the database
  std::chrono::microseconds theirs{};  ///< since 1970
  std::chrono::nanoseconds before{};  ///< since this machine started
  std::chrono::nanoseconds after{};
};

/// Compares two clocks, and remembers their difference. It follows a clock that is slewed. A clock
/// that is set shows a step. Successive steps add up.
class TokenClock {
public:
  enum class Verdict {
    steady,
    unclear,  ///< the reading took too long to decide
    stepped,  ///< by more than a second: tokens of this epoch must end
    unknown  ///< no earlier reading exists
  };

  /// How far the database's clock is ahead of the time since this machine started.
  struct Reference {
    std::int64_t epoch = 0;
    std::chrono::microseconds ahead{};
    std::chrono::nanoseconds at{};  ///< when this was measured, since this machine started
  };

  /// Judges a reading. The first reading of a new epoch is taken as the reference.
  Verdict judge(const ClockReading& reading);

  /// The reference of another process of this machine. Used if this process has none yet.
  void remember(const Reference& reference);

  /// The reference, if it has changed enough since the last call that other processes of this
  /// machine should know it.
  std::optional<Reference> news();

  static constexpr std::chrono::seconds largest_step{1};
  /// A longer reading could hide a step.
  static constexpr std::chrono::milliseconds longest_look{400};

private:
  std::mutex mutex_;
  std::optional<Reference> known_;
  std::optional<Reference> told_;
};
