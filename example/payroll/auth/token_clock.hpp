// Whether the clock of a database can still be trusted to measure thirty seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

/// One look at the database's clock, and at this machine's clock that nobody can set, before and
/// after it.
struct ClockReading {
  std::int64_t epoch = 0;  ///< of tokens, as the database has it
  std::chrono::microseconds theirs{};  ///< since 1970
  std::chrono::nanoseconds before{};  ///< since this machine started
  std::chrono::nanoseconds after{};
};

/// Compares two clocks, and remembers how they stood to each other. A clock that is corrected little
/// by little is followed; one that is set shows a step. Steps that follow each other count together.
class TokenClock {
public:
  enum class Verdict {
    steady,
    unclear,  ///< the look took too long to tell
    stepped,  ///< by more than a second: tokens of this epoch must end
    unknown  ///< there is nothing to compare with
  };

  /// How far their clock is ahead of the time since this machine started.
  struct Reference {
    std::int64_t epoch = 0;
    std::chrono::microseconds ahead{};
    std::chrono::nanoseconds at{};  ///< when it was so, since this machine started
  };

  /// What the reading says. In an epoch that was not seen before, the clocks stand as they stand.
  Verdict judge(const ClockReading& reading);

  /// What another process of this machine has seen. Kept if this one has seen nothing yet.
  void remember(const Reference& reference);

  /// What is remembered, if it has changed so much since this was asked last that other processes
  /// of this machine should know.
  std::optional<Reference> news();

  static constexpr std::chrono::seconds largest_step{1};
  /// Longer looks leave too much room for a step to hide in.
  static constexpr std::chrono::milliseconds longest_look{400};

private:
  std::mutex mutex_;
  std::optional<Reference> known_;
  std::optional<Reference> told_;
};
