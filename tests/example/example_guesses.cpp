// The rate of attempts for one user, and the wait of a right password meanwhile. Time is simulated:
// attackers repeat attempts at once for minutes, without real waits.
#include "auth/guesses.hpp"

#include <malloc.h>

#include <catch2/catch.hpp>
#include <functional>
#include <queue>

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

namespace {

/// Attackers, each a connection of a network, that try one user without a pause.
class Attack {
public:
  void join(int connections, const std::function<std::string(int)>& network) {
    for (int each = 0; each != connections; ++each)
      events_.push({now, network(each), false});
  }

  /// Advances the time. A guess takes 0.1 s after its turn has come. A refused attempt is repeated
  /// after 0.1 s.
  void pass(nanoseconds time) {
    const nanoseconds until = now + time;
    while (!events_.empty() && events_.top().at <= until) {
      const Event event = events_.top();
      events_.pop();
      now = std::max(now, event.at);
      if (event.is_answer) {
        ++guesses;
        paced.failed(user, event.network);
      }
      const auto wait = paced.reserve(user, event.network, limits.patience);
      const nanoseconds until_then = wait ? wait->wait + 100ms : 100ms;
      events_.push({now + until_then, event.network, wait.has_value()});
    }
    now = until;
  }

  std::optional<nanoseconds> alice_from(const std::string& network) {
    const auto turn = paced.reserve(user, network, limits.patience);
    return turn ? std::optional(turn->wait) : std::nullopt;
  }

  /// The time until an attempt of alice gets its turn. She repeats a refused attempt every second.
  nanoseconds alice_tries_from(const std::string& network) {
    const nanoseconds begun = now;
    for (int tries = 0; tries != 1000; ++tries) {
      if (const auto wait = alice_from(network)) return now - begun + *wait;
      pass(1s);
    }
    return nanoseconds::max();
  }

  std::string user = "alice";
  nanoseconds now = 1000s;
  int guesses = 0;
  GuessLimits limits;
  GuessMemory memory{[this] { return now; }, 4096};
  Guesses paced{memory, limits};

private:
  struct Event {
    nanoseconds at;
    std::string network;
    bool is_answer;
    bool operator<(const Event& other) const { return at > other.at; }  // the earliest on top
  };
  std::priority_queue<Event> events_;
};

std::string one_network(int) { return "evil"; }
std::string many_networks(int number) { return "evil-" + std::to_string(number); }

}  // namespace

TEST_CASE("forty connections of one network make two guesses a second", "[guesses]") {
  Attack attack;
  attack.join(40, one_network);
  attack.pass(10s);
  CHECK(attack.guesses <= 40 + 10 + 20);  // the first forty arrive before any has failed
  const int before = attack.guesses;
  attack.pass(100s);
  CHECK(attack.guesses - before <= 201);
  CHECK(attack.guesses - before >= 190);  // slowed down, not locked out
}

TEST_CASE(
    "connections from many networks have a common limit of guesses for one user", "[guesses]") {
  Attack attack;
  attack.join(100, many_networks);
  attack.pass(120s);  // as newcomers, a few each
  const int before = attack.guesses;
  attack.pass(100s);
  CHECK(attack.guesses - before <= 201);
  CHECK(attack.guesses - before >= 190);
}

TEST_CASE("other networks do not delay a user on a known network", "[guesses]") {
  Attack attack;
  attack.paced.succeeded("alice", "office");
  attack.now += 24h * 29;
  attack.join(40, one_network);
  attack.join(100, many_networks);
  for (int round = 0; round != 10; ++round) {
    attack.pass(20s);
    CHECK(attack.alice_from("office") == nanoseconds(0));
    attack.paced.failed("alice", "office");  // a slip
    CHECK(attack.alice_from("office") == nanoseconds(0));
    attack.paced.succeeded("alice", "office");
  }
  attack.now += 24h * 31;
  attack.pass(100s);
  attack.alice_from("office");
  CHECK(attack.alice_from("office") > nanoseconds(0));
}

TEST_CASE("the right password gets its turn even from a network that attacks", "[guesses]") {
  Attack attack;
  attack.paced.succeeded("alice", "evil");
  attack.join(40, one_network);
  for (int round = 0; round != 10; ++round) {
    attack.pass(20s);
    CHECK(attack.alice_tries_from("evil") <= 43 * 500ms);
    const int before = attack.guesses;
    attack.paced.succeeded("alice", "evil");
    attack.pass(20s);
    CHECK(attack.guesses - before <= 41 + 10);  // the success allows a few more, but no second lane
  }
}

TEST_CASE(
    "from a new network, the wait is at most a second for each attacking network", "[guesses]") {
  const int networks = GENERATE(1, 10, 100);
  CAPTURE(networks);
  Attack attack;
  attack.join(networks, many_networks);
  attack.pass(10s);
  CHECK(attack.alice_tries_from("new-0") <= networks * 1s + 1s);
  attack.pass(networks * 1s);
  for (int number = 1; number != 10; ++number) {
    attack.pass(10s);
    const std::string network = "new-" + std::to_string(number);
    CHECK(attack.alice_tries_from(network) <= 500ms);
    attack.paced.failed("alice", network);  // a slip
    CHECK(attack.alice_tries_from(network) <= 1s);
  }
}

TEST_CASE("a network that tries many users is slowed down, and others are not", "[guesses]") {
  Attack attack;
  int admitted = 0;
  for (int number = 0; number != 6000; ++number) {  // a minute, 100 users a second
    const std::string user = "user-" + std::to_string(number);
    attack.now += 10ms;
    if (!attack.paced.reserve(user, "evil", 0ms)) continue;
    attack.paced.failed(user, "evil");
    ++admitted;
  }
  CHECK(admitted <= 20 + 5 + 121);
  CHECK(admitted >= 100);
  CHECK(attack.paced.reserve("user-7", "elsewhere", 0ms));
}

TEST_CASE(
    "a sign-on by a user of the same name in another domain does not lift limits", "[guesses]") {
  Attack attack;
  for (int count = 0; count != 30; ++count) {
    attack.paced.succeeded("alice", "evil", "theirs");
    attack.paced.failed("alice", "evil", "acme");
  }
  CHECK(attack.paced.reserve("alice", "evil", 0ms, "acme"));
  CHECK(!attack.paced.reserve("alice", "evil", 0ms, "acme"));
  CHECK(attack.alice_from("new-1") == nanoseconds(0));
  CHECK(attack.alice_from("new-2") > nanoseconds(0));  // the failures count for the name
  CHECK(attack.paced.reserve("alice", "evil", 0ms, "theirs"));
  CHECK(attack.paced.reserve("alice", "evil", 0ms, "theirs"));
}

TEST_CASE("a network with failures in many domains is not a newcomer", "[guesses]") {
  Attack attack;
  for (int number = 0; number != 100; ++number) {
    const std::string domain = "domain-" + std::to_string(number);
    if (attack.paced.reserve("alice", "evil", 30s, domain))
      attack.paced.failed("alice", "evil", domain);
  }
  CHECK(attack.alice_from("new").value() <= 1s);
}

TEST_CASE("waits grow with the failures, expire, and end with a success", "[guesses]") {
  Attack attack;
  const auto waits = [&] {
    std::vector<nanoseconds> all;
    for (int count = 0; count != 12; ++count) {
      all.push_back(attack.alice_from("home").value());
      attack.now += all.back();
      attack.paced.failed("alice", "home");
    }
    return all;
  };
  // An interval is between two turns, so the first two attempts are not delayed.
  const std::vector<nanoseconds> expected{
      0s, 0s, 0s, 0s, 0s, 0s, 50ms, 100ms, 200ms, 400ms, 500ms, 500ms};
  CHECK(waits() == expected);
  attack.now += 500ms;
  attack.paced.succeeded("alice", "home");
  CHECK(attack.alice_from("home") == nanoseconds(0));
  CHECK(attack.alice_from("home") == nanoseconds(0));
  CHECK(waits() == expected);
  attack.now += 300s;
  CHECK(waits() == expected);
}

TEST_CASE("after a restart of the clock, attempts do not wait", "[guesses]") {
  Attack attack;
  attack.join(40, one_network);
  attack.pass(60s);
  attack.now = 1s;
  CHECK(attack.alice_from("evil") == nanoseconds(0));
}

TEST_CASE("made-up names and networks take bounded memory in the counts", "[guesses]") {
  nanoseconds now = 1000s;
  GuessMemory memory([&] { return now; }, 1000);
  const GuessLimits limits;
  Guesses paced(memory, limits);
  int number = 0;
  const auto flood = [&](int failures) {
    for (int count = 0; count != failures; ++count) {
      const std::string name = "user-" + std::to_string(++number);
      now += 1ms;
      paced.reserve(name, name, 1s);
      paced.failed(name, name);
    }
  };
  flood(5'000);
  const std::size_t before = ::mallinfo2().uordblks;
  flood(20'000);
  CHECK(::mallinfo2().uordblks < before + 100'000);
}
