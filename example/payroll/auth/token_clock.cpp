#include "auth/token_clock.hpp"

#include <algorithm>

namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

/// Systems slew a clock by at most 500 millionths.
constexpr std::int64_t drift_divisor = 2000;
constexpr std::chrono::milliseconds worth_telling{50};
constexpr std::chrono::minutes told_again_after{10};

microseconds distance(microseconds one, microseconds other) {
  return one > other ? one - other : other - one;
}

}  // namespace

TokenClock::Verdict TokenClock::judge(const ClockReading& reading) {
  const std::lock_guard lock(mutex_);
  if (reading.after - reading.before > longest_look) return Verdict::unclear;
  const auto least = reading.theirs - std::chrono::ceil<microseconds>(reading.after);
  const auto most = reading.theirs - std::chrono::floor<microseconds>(reading.before);
  // This reading began after the newer epoch was seen, so the database was restored from an older
  // backup.
  if (known_ && known_->epoch > reading.epoch && reading.before >= known_->at) known_.reset();
  if (!known_) return Verdict::unknown;
  if (known_->epoch > reading.epoch) return Verdict::unclear;  // read before the newer epoch began
  if (known_->epoch < reading.epoch) {
    known_ = Reference{reading.epoch, least + (most - least) / 2, reading.after};
    return Verdict::steady;
  }
  const auto nearest = std::clamp(known_->ahead, least, most);
  const auto elapsed =
      std::chrono::floor<microseconds>(std::max(reading.after - known_->at, nanoseconds(0)));
  const auto drift = elapsed / drift_divisor;
  if (distance(nearest, known_->ahead) > largest_step + drift) return Verdict::stepped;
  known_->ahead = std::clamp(nearest, known_->ahead - drift, known_->ahead + drift);
  known_->at = std::max(known_->at, reading.after);
  return Verdict::steady;
}

void TokenClock::remember(const Reference& reference) {
  const std::lock_guard lock(mutex_);
  if (!known_) known_ = reference;
}

std::optional<TokenClock::Reference> TokenClock::news() {
  const std::lock_guard lock(mutex_);
  if (!known_) return std::nullopt;
  if (told_ && told_->epoch == known_->epoch &&
      distance(known_->ahead, told_->ahead) < worth_telling &&
      known_->at - told_->at < told_again_after)
    return std::nullopt;
  told_ = known_;
  return known_;
}
