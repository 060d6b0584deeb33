// The comparison of two clocks: which changes count as a step.
#include <catch2/catch.hpp>

#include "auth/token_clock.hpp"

using namespace std::chrono_literals;
using Verdict = TokenClock::Verdict;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

namespace {

/// The database's clock and this machine's; a reading takes a millisecond.
struct Clocks {
  nanoseconds ours = 1'000'000s;
  microseconds theirs = 1'800'000'000s;
  std::int64_t epoch = 1;

  void advance(nanoseconds time) {
    ours += time;
    theirs += std::chrono::floor<microseconds>(time);
  }
  ClockReading look(nanoseconds taking = 1ms) {
    const nanoseconds before = ours;
    advance(taking);
    return {epoch, theirs - std::chrono::floor<microseconds>(taking / 2), before, ours};
  }
};

void begin(TokenClock& clock, Clocks& clocks) {
  CHECK(clock.judge(clocks.look()) == Verdict::unknown);
  const ClockReading reading = clocks.look();
  clock.remember(
      {clocks.epoch,
       reading.theirs - std::chrono::floor<microseconds>(reading.after),
       reading.after});
  CHECK(clock.judge(clocks.look()) == Verdict::steady);
}

}  // namespace

TEST_CASE(
    "a clock with the same rate is steady, however long the pause between readings",
    "[token-clock]") {
  Clocks clocks;
  TokenClock clock;
  begin(clock, clocks);
  for (const nanoseconds pause : {nanoseconds(1ms), nanoseconds(10min), nanoseconds(240h)}) {
    clocks.advance(pause);
    CHECK(clock.judge(clocks.look()) == Verdict::steady);
  }
}

TEST_CASE("a clock that is set by more than a second has stepped, either way", "[token-clock]") {
  Clocks clocks;
  TokenClock clock;
  begin(clock, clocks);
  clocks.theirs += GENERATE(1100ms, -1100ms, 3'600'000ms, -3'600'000ms);
  CHECK(clock.judge(clocks.look()) == Verdict::stepped);
  CHECK(clock.judge(clocks.look()) == Verdict::stepped);  // until there is a new epoch
  ++clocks.epoch;
  CHECK(clock.judge(clocks.look()) == Verdict::steady);
  CHECK(clock.judge(clocks.look()) == Verdict::steady);
}

TEST_CASE("small steps add up", "[token-clock]") {
  Clocks clocks;
  TokenClock clock;
  begin(clock, clocks);
  clocks.theirs += 600ms;
  CHECK(clock.judge(clocks.look()) == Verdict::steady);
  clocks.advance(10s);
  clocks.theirs += 600ms;
  CHECK(clock.judge(clocks.look()) == Verdict::stepped);
}

TEST_CASE("a clock that is slewed is followed", "[token-clock]") {
  Clocks clocks;
  TokenClock clock;
  begin(clock, clocks);
  for (int minute = 0; minute != 24 * 60; ++minute) {
    clocks.advance(1min);
    clocks.theirs -= 20ms;  // a third of a thousandth
    REQUIRE(clock.judge(clocks.look()) == Verdict::steady);
  }
}

TEST_CASE("a reading that takes too long is unclear", "[token-clock]") {
  Clocks clocks;
  TokenClock clock;
  begin(clock, clocks);
  CHECK(clock.judge(clocks.look(2s)) == Verdict::unclear);
  CHECK(clock.judge(clocks.look()) == Verdict::steady);
}

TEST_CASE("a reading from before a new epoch is unclear", "[token-clock]") {
  Clocks clocks;
  TokenClock clock;
  begin(clock, clocks);
  const ClockReading old = clocks.look();
  ++clocks.epoch;
  CHECK(clock.judge(clocks.look()) == Verdict::steady);
  CHECK(clock.judge(old) == Verdict::unclear);
}

TEST_CASE("a database that was restored from a backup has no reference", "[token-clock]") {
  Clocks clocks;
  TokenClock clock;
  begin(clock, clocks);
  clocks.epoch = 5;
  CHECK(clock.judge(clocks.look()) == Verdict::steady);
  clocks.epoch = 3;
  clocks.theirs -= 1h;
  begin(clock, clocks);
  clocks.theirs -= 2s;
  CHECK(clock.judge(clocks.look()) == Verdict::stepped);
}

TEST_CASE("other processes of the machine get changes of the reference, rarely", "[token-clock]") {
  Clocks clocks;
  TokenClock clock;
  CHECK(!clock.news());
  begin(clock, clocks);
  CHECK(clock.news());
  CHECK(!clock.news());
  clocks.advance(1s);
  clock.judge(clocks.look());
  CHECK(!clock.news());
  ++clocks.epoch;
  clock.judge(clocks.look());
  REQUIRE(clock.news());
  clocks.advance(11min);
  clock.judge(clocks.look());
  CHECK(clock.news());
}
