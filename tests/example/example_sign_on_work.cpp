// The cost of a sign-on, counted instead of measured: scrypt computations, comparisons and queries
// are the same for every refused caller. The cost per caller is bounded: a flood of attackers does
// not block a right secret, use unbounded memory or delay cheap calls.
#include <dlfcn.h>
#include <malloc.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "../net.hpp"

#include "example.hpp"

// --- OpenSSL, watched ----------------------------------------------------------------------------

namespace {

std::atomic<int> hashes{0};
std::atomic<std::uint64_t> steps{0};  ///< steps of scrypt, which determine its time
std::atomic<int> hashing{0};  ///< now
std::atomic<int> most_hashing{0};
std::atomic<int> comparisons{0};
std::atomic<int> short_comparisons{0};  ///< not of 32 bytes

std::atomic<std::chrono::milliseconds> hash_time{std::chrono::milliseconds(0)};

std::mutex gate_mutex;
std::condition_variable gate_opened;
bool gate_closed = false;

/// During its lifetime, no scrypt computation ends.
class ClosedGate {
public:
  ClosedGate() {
    const std::lock_guard lock(gate_mutex);
    gate_closed = true;
  }
  ~ClosedGate() { open(); }
  static void open() {
    const std::lock_guard lock(gate_mutex);
    gate_closed = false;
    gate_opened.notify_all();
  }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;
};

template <class Function> Function* next_named(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// These functions replace the library's, and call them. The hash is cheap: computations are counted
// here, and a test decides how long one takes.
extern "C" int EVP_PBE_scrypt(
    const char* password,
    size_t password_size,
    const unsigned char* salt,
    size_t salt_size,
    uint64_t n,
    uint64_t r,
    uint64_t p,
    uint64_t memory,
    unsigned char* key,
    size_t key_size) {
  ++hashes;
  steps += n * r * p;
  const int now = ++hashing;
  for (int most = most_hashing; now > most && !most_hashing.compare_exchange_weak(most, now);)
    continue;
  {
    std::unique_lock lock(gate_mutex);
    gate_opened.wait(lock, [] { return !gate_closed; });
  }
  static const auto real = next_named<decltype(EVP_PBE_scrypt)>("EVP_PBE_scrypt");
  std::this_thread::sleep_for(hash_time.load());
  const int done = real(password, password_size, salt, salt_size, 16, r, p, memory, key, key_size);
  --hashing;
  return done;
}

extern "C" int CRYPTO_memcmp(const void* left, const void* right, size_t size) {
  ++comparisons;
  if (size != 32) ++short_comparisons;
  static const auto real = next_named<decltype(CRYPTO_memcmp)>("CRYPTO_memcmp");
  return real(left, right, size);
}

using namespace example;

namespace {

/// Counts the queries of a store.
class CountingStore : public UserStore {
public:
  explicit CountingStore(UserStore& real) : real_(real) {}
  std::optional<DomainId> find_domain(const std::string& name) override {
    ++questions;
    return real_.find_domain(name);
  }
  TokenFacts find_token(const std::optional<std::string>& domain, const Digest& token) override {
    ++questions;
    return real_.find_token(domain, token);
  }
  PasswordFacts find_passwords(
      const std::optional<std::string>& domain,
      const std::string& user,
      std::size_t limit) override {
    ++questions;
    return real_.find_passwords(domain, user, limit);
  }
  bool add_token(const IssuedToken& token, std::chrono::nanoseconds lifetime) override {
    ++writes;
    return real_.add_token(token, lifetime);
  }
  void renew_password(DomainId domain, std::int64_t user_id, const PasswordHash& renewed) override {
    ++writes;
    real_.renew_password(domain, user_id, renewed);
  }

  int questions = 0;
  int writes = 0;

private:
  UserStore& real_;
};

/// The cost of a refused call.
struct Cost {
  double hashes = 0;  ///< of today's cost
  int questions = 0;
  int writes = 0;
  std::string refusal;
  bool operator==(const Cost&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Cost& cost) {
  return out << cost.hashes << " hashes, " << cost.questions << " questions, " << cost.writes
             << " writes: " << cost.refusal;
}

template <class Call> Cost cost_of(CountingStore& store, Call call) {
  store.questions = store.writes = 0;
  steps = 0;
  std::string refusal = "none";
  try {
    call();
  } catch (const soapsvc::fault& fault) {
    refusal = fault.reason() + ' ' + std::to_string(fault.status());
  }
  const double today = static_cast<double>(work_of(cheap_cost));
  return {static_cast<double>(steps) / today, store.questions, store.writes, refusal};
}

soapsvc::context caller_at(std::string_view peer) {
  soapsvc::context context;
  context.peer = peer;
  return context;
}

AuthLimits without_sleep() {
  AuthLimits limits;
  limits.password_cost = cheap_cost;
  limits.sleep = [](std::chrono::milliseconds) {};
  return limits;
}

}  // namespace

// --- Refusals ------------------------------------------------------------------------------------

TEST_CASE(
    "an unknown user and a wrong secret cost the same work and get the same response", "[work]") {
  Payroll payroll;
  REQUIRE(payroll.store.add_domain("empty") == AdminStore::Outcome::done);
  const NewUser gone{
      "acme", "gone", hash_password("password", cheap_cost), digest_of("gone-token")};
  const NewUser older{
      "acme", "older", hash_password("password", {32, 8, 1}), digest_of("older-token")};
  REQUIRE(payroll.store.add_user(older) == AdminStore::Outcome::done);
  REQUIRE(payroll.store.add_user(gone) == AdminStore::Outcome::done);
  REQUIRE(payroll.store.disable_user("acme", "gone") == AdminStore::Outcome::done);
  CountingStore store(payroll.store);
  Authenticator callers(store, system_moment, AuthPolicy::token, without_sleep());
  const soapsvc::context context = caller_at("192.0.2.1");
  const std::string invalid = "Unable to process request. ---> 1001: Invalid Authentication 0";

  const auto password = [&](const char* user,
                            const std::string& secret,
                            const std::optional<std::string>& domain = std::nullopt) {
    return cost_of(store, [&] { callers.token_by_password(user, secret, domain, context); });
  };
  for (const std::string& secret : {std::string("wrong"), std::string(5'000, 'x')})
    for (const char* user : {"alice", "bob", "nobody", "", "gone", "ALICE", "older"}) {
      INFO(user);
      CHECK(password(user, secret) == Cost{1, 1, 0, invalid});
      CHECK(password(user, secret, "acme") == Cost{1, 1, 0, invalid});
      CHECK(password(user, secret, "globex") == Cost{1, 1, 0, invalid});
      CHECK(password(user, secret, "empty") == Cost{1, 1, 0, invalid});
      CHECK(password(user, secret, "nowhere") == Cost{1, 1, 0, invalid});
    }
  CHECK(password("gone", "password") == Cost{1, 1, 0, invalid});
  CHECK(password("nobody", "correct horse") == Cost{1, 1, 0, invalid});
  CHECK(password("alice", "correct horse") == Cost{1, 1, 1, "none"});
  CHECK(password("older", "password") == Cost{1.25, 1, 2, "none"});
  CHECK(password("older", "password") == Cost{1, 1, 1, "none"});

  const auto token = [&](const char* user, const char* secret) {
    return cost_of(store, [&] { callers.token_by_api_token(user, secret, context); });
  };
  for (const char* user : {"alice", "nobody", "gone"})
    for (const char* secret : {"wrong", "api-token-bob", "gone-token", ""})
      CHECK(token(user, secret) == Cost{0, 1, 0, invalid});
  CHECK(token("nobody", "api-token-alice") == Cost{0, 1, 0, invalid});

  const auto header = [&](const char* user, const char* secret, const char* domain) {
    return cost_of(store, [&] {
      callers.domain_of(AuthHeaderWithDomain{user, secret, domain}, context);
    });
  };
  for (const char* user : {"alice", "nobody"})
    for (const char* domain : {"acme", "globex", "nowhere"})
      CHECK(header(user, "wrong", domain) == Cost{0, 1, 0, invalid});
  CHECK(header("nobody", "api-token-alice", "acme") == Cost{0, 1, 0, invalid});
}

TEST_CASE("secrets are compared by their hashes, whole, in constant time", "[work]") {
  Payroll payroll;
  comparisons = short_comparisons = 0;
  const auto compared = [&](const std::string& operation, const std::string& children) {
    const int before = comparisons;
    payroll.send("SingleSignOn", operation, children);
    return comparisons - before;
  };
  const std::string alice_named = element("Username", "alice");
  CHECK(compared("GetToken", alice_named + element("Password", "wrong")) >= 1);
  CHECK(compared("GetToken", alice_named + element("Password", "correct horse")) >= 1);
  CHECK(compared("GetToken2", alice_named + element("Token", "api-token-alice")) >= 1);
  CHECK(compared("GetToken2", alice_named + element("Token", "api-token-bob")) >= 1);
  CHECK(short_comparisons == 0);
}

// --- Limits of work for each address -------------------------------------------------------------

TEST_CASE("failures count for all addresses that one caller can have", "[pacing]") {
  const auto [first, second, same] = GENERATE(table<const char*, const char*, bool>(
      {{"2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", true},
       {"2001:db8:0:1::1", "2001:DB8::1:0:0:0:2", true},
       {"2001:db8:0:1::1", "2001:db8:0:2::1", true},
       {"2001:db8:0:1::1", "2001:db8:0:ffff::1", true},
       {"2001:db8:0:1::1", "2001:db8:1:1::1", false},
       {"[2001:db8:0:1::1]:4711", "2001:db8:0:1::9", true},
       {"192.0.2.1:1000", "192.0.2.1:1001", true},
       {"192.0.2.1", "::ffff:192.0.2.1", true},
       {"192.0.2.1", "192.0.2.2", false},
       {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
       {"unix", "unix", true},
       {"unix", "", false},
       {"[", "]", false}}));
  CAPTURE(first, second);
  Payroll payroll;
  std::vector<std::chrono::milliseconds> delays;
  AuthLimits limits;
  limits.sleep = [&](std::chrono::milliseconds delay) { delays.push_back(delay); };
  Authenticator callers(payroll.store, system_moment, AuthPolicy::token, limits);
  const auto fail = [&](const char* peer) {
    CHECK_THROWS(callers.token_by_api_token("alice", "wrong", caller_at(peer)));
  };
  for (int count = 0; count != 5; ++count)
    fail(first);
  CHECK(delays.empty());
  fail(second);
  CHECK(delays.size() == (same ? 1 : 0));
}

TEST_CASE("the wall clock does not change how long failures count", "[pacing]") {
  Payroll payroll;
  const std::string wrong = element("Username", "alice") + element("Token", "wrong");
  const auto jump = GENERATE(-1h, +1h);
  for (int count = 0; count != 6; ++count)
    payroll.send("SingleSignOn", "GetToken2", wrong);
  CHECK(payroll.delays == std::vector{50ms});
  payroll.clock.wall += jump;
  payroll.send("SingleSignOn", "GetToken2", wrong);
  CHECK(payroll.delays == std::vector{50ms, 100ms});
  CHECK(payroll.issue().size() == 43);
  for (int count = 0; count != 6; ++count)
    payroll.send("SingleSignOn", "GetToken2", wrong);
  CHECK(payroll.delays.size() == 3);
  payroll.clock.wall -= 2 * jump;
  payroll.clock.since_boot += 300s;
  payroll.send("SingleSignOn", "GetToken2", wrong);
  CHECK(payroll.delays.size() == 3);
}

TEST_CASE("made-up users take bounded memory", "[pacing]") {
  Payroll payroll;
  AuthLimits limits = without_sleep();
  limits.failures_remembered = 1000;
  Authenticator callers(payroll.store, system_moment, AuthPolicy::token, limits);
  int number = 0;
  const auto flood = [&](int failures) {
    for (int count = 0; count != failures; ++count) {
      const std::string name = std::to_string(++number);
      const std::string peer = "2001:db8:" + std::to_string(number % 9973) + "::1";
      CHECK_THROWS_AS(
          callers.token_by_api_token("user-" + name, "wrong", caller_at(peer)), soapsvc::fault);
    }
  };
  flood(3'000);
  const std::size_t before = ::mallinfo2().uordblks;
  flood(20'000);
  const std::size_t after = ::mallinfo2().uordblks;
  CHECK(after < before + 100'000);
}

TEST_CASE(
    "a caller with a thousand names does not evict the failures of other callers", "[pacing]") {
  Payroll payroll;
  AuthLimits limits = without_sleep();
  limits.failures_remembered = 100;
  limits.passwords_at_once = 2;
  limits.passwords_waiting = 0;
  Authenticator callers(payroll.store, system_moment, AuthPolicy::token, limits);
  const auto fail = [&](const std::string& user, const char* peer) {
    CHECK_THROWS(callers.token_by_api_token(user, "wrong", caller_at(peer)));
  };
  for (int count = 0; count != 20; ++count)
    fail("u" + std::to_string(count), "192.0.2.66");
  for (int count = 0; count != 1000; ++count)
    fail("v" + std::to_string(count), "192.0.2.67");
  // Both are suspect, so they share one place, and the other place is for all other callers.
  std::atomic<int> busy = 0;
  std::atomic<int> right = 0;
  std::thread holder, other, stranger;
  {
    const ClosedGate closed;
    const auto sign_on = [&](const char* peer, const char* user, const char* password) {
      try {
        callers.token_by_password(user, password, std::nullopt, caller_at(peer));
        ++right;
      } catch (const soapsvc::fault& fault) {
        busy += fault.status() == 503 ? 1 : 0;
      }
    };
    hashing = 0;
    holder = std::thread(sign_on, "192.0.2.67", "w", "wrong");
    CHECK(net::eventually([] { return hashing == 1; }));
    other = std::thread(sign_on, "192.0.2.66", "w", "wrong");
    CHECK(net::eventually([&] { return busy == 1; }));
    stranger = std::thread(sign_on, "192.0.2.1", "alice", "correct horse");
    CHECK(net::eventually([] { return hashing == 2; }));
  }
  holder.join();
  other.join();
  stranger.join();
  CHECK(right == 1);
}

TEST_CASE("an attacker with alice's name cannot lock her out", "[pacing]") {
  Payroll payroll;
  AuthLimits limits = without_sleep();
  limits.passwords_waiting = 4;
  Authenticator callers(payroll.store, system_moment, AuthPolicy::token, limits);
  std::atomic<bool> over = false;
  std::vector<std::thread> attackers;
  most_hashing = 0;
  hashes = 0;
  hash_time = 20ms;
  for (int count = 0; count != 12; ++count)
    attackers.emplace_back([&, count] {
      const std::string peer = "2001:db8:66::" + std::to_string(count + 1);  // one network
      while (!over) {
        try {
          callers.token_by_password("alice", "wrong", "acme", caller_at(peer));
        } catch (const soapsvc::fault&) {
        }
      }
    });
  // From the first attempt on, before any failure.
  REQUIRE(net::eventually([] { return hashes != 0; }, 30s));
  std::this_thread::sleep_for(20ms);
  for (const char* peer : {"192.0.2.1", "2001:db8:1::1"})
    for (int count = 0; count != 3; ++count) {
      INFO(peer);
      CHECK_NOTHROW(callers.token_by_password("alice", "correct horse", "acme", caller_at(peer)));
      CHECK_NOTHROW(callers.token_by_api_token("alice", "api-token-alice", caller_at(peer)));
    }
  // Tokens need no scrypt, and so no place: the attacker does not delay them.
  CHECK_NOTHROW(
      callers.token_by_api_token("alice", "api-token-alice", caller_at("2001:db8:66::1")));
  over = true;
  for (std::thread& attacker : attackers)
    attacker.join();
  hash_time = 0ms;
  CHECK(most_hashing <= 2);
}

TEST_CASE("attackers from many networks do not lock out a user on a known network", "[pacing]") {
  Payroll payroll;
  AuthLimits limits = without_sleep();
  limits.passwords_at_once = 1;
  limits.passwords_waiting = 2;
  Authenticator callers(payroll.store, system_moment, AuthPolicy::token, limits);
  callers.token_by_password("alice", "correct horse", "acme", caller_at("192.0.2.1"));
  std::mutex mutex;
  std::vector<std::string> ended;
  std::atomic<int> busy = 0;
  std::vector<std::thread> threads;
  const auto sign_on = [&](const std::string& user, const std::string& peer) {
    threads.emplace_back([&, user, peer] {
      try {
        callers.token_by_password(user, "correct horse", "acme", caller_at(peer));
      } catch (const soapsvc::fault& fault) {
        if (fault.status() == 503) {
          ++busy;
          return;
        }
      }
      const std::lock_guard lock(mutex);
      ended.push_back(user);
    });
  };
  {
    const ClosedGate closed;
    hashing = 0;
    sign_on("first", "2001:db8:1::1");
    CHECK(net::eventually([] { return hashing == 1; }));
    for (int count = 0; count != 4; ++count)
      sign_on("stranger", "2001:db8:" + std::to_string(count + 2) + "::1");
    CHECK(net::eventually([&] { return busy == 2; }));
    sign_on("alice", "192.0.2.1");
    CHECK(net::eventually([&] { return busy == 3; }));  // the newest of the waiting calls
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK(busy == 3);
  std::sort(ended.begin(), ended.end());
  CHECK(ended == std::vector<std::string>{"alice", "first", "stranger"});
}

TEST_CASE("the wait for a password's turn is bounded, and the fault says so", "[pacing]") {
  Payroll payroll;
  AuthLimits limits = without_sleep();
  limits.passwords_at_once = 1;
  limits.passwords_waiting = 2;
  limits.longest_wait = 100ms;
  Authenticator callers(payroll.store, system_moment, AuthPolicy::token, limits);
  std::thread holder;
  {
    const ClosedGate closed;
    hashing = 0;
    holder = std::thread(
        [&] { callers.token_by_password("alice", "correct horse", "acme", caller_at("a")); });
    CHECK(net::eventually([] { return hashing == 1; }));
    try {
      callers.token_by_password("bob", "battery staple", "globex", caller_at("b"));
      FAIL("it did not wait");
    } catch (const soapsvc::fault& fault) {
      CHECK(fault.status() == 503);
      CHECK(fault.code() == soapsvc::fault_code::server);
      CHECK(fault.reason() == "Too many sign-ons by password at once; try again later");
    }
  }
  holder.join();
}

TEST_CASE("calls that wait to try a password do not delay a stop", "[pacing]") {
  Payroll payroll;
  AuthLimits limits;
  limits.delayed_at_once = 0;
  limits.passwords_at_once = 1;
  limits.longest_wait = 20s;
  limits.guesses.free_of_pair = 1;
  limits.guesses.first_interval = limits.guesses.longest_interval = 20s;
  Authenticator callers(payroll.store, system_moment, AuthPolicy::token, limits);
  const auto status_of = [&](const std::string& user, const std::string& peer) {
    try {
      callers.token_by_password(user, "wrong", "acme", caller_at(peer));
    } catch (const soapsvc::fault& fault) {
      return fault.status();
    }
    return 200;
  };
  for (int turn = 0; turn != 2; ++turn)
    CHECK(status_of("nobody", "192.0.2.1") != 503);
  std::thread hashed;
  std::vector<std::thread> waiting;
  std::atomic<int> refused = 0;
  {
    const ClosedGate closed;
    hashing = 0;
    hashed = std::thread([&] { CHECK(status_of("alice", "192.0.2.2") != 503); });
    CHECK(net::eventually([] { return hashing == 1; }));
    for (const char* peer : {"192.0.2.1", "192.0.2.3"})  // for a turn, and for scrypt
      waiting.emplace_back([&, peer] { refused += status_of("nobody", peer) == 503; });
    std::this_thread::sleep_for(100ms);
    CHECK(refused == 0);
    callers.stop_waiting();
    CHECK(net::eventually([&] { return refused == 2; }));
  }
  hashed.join();
  for (std::thread& each : waiting)
    each.join();
  CHECK(status_of("nobody", "192.0.2.1") == 503);
}

TEST_CASE("hashing passwords does not delay cheap calls of the host", "[pacing]") {
  Payroll payroll;
  Authenticator callers(payroll.store, system_moment, AuthPolicy::domain, limits_for(4));
  SingleSignOn sign_on(callers);
  EmployeeService employees(callers, payroll.store, system_moment);
  net::host_setup options;
  options.ns_base = "https://payroll.example.com/soap/v3";
  options.server.threads = 4;
  options.server.limits.max_executor_threads = 0;
  soapsvc::host host(options, options.server);
  host.add(sign_on);
  host.add(employees);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&] { host.serve(); });
  const auto request = [](const std::string& service, const std::string& file) {
    const std::string body = read_file("example/payroll/requests/" + file + ".soap11.xml");
    return "POST /soap/v3/" + service +
           ".asmx HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  std::vector<net::client> flood;
  {
    const ClosedGate closed;
    hashing = 0;
    for (int count = 0; count != 20; ++count)
      flood.emplace_back(port).send(request("SingleSignOn", "GetToken"));
    CHECK(net::eventually([] { return hashing == 1; }));
    for (int count = 0; count != 20; ++count)
      CHECK(net::ask(port, request("EmployeeService", "Address_GetListCurrent")).status == 200);
  }
  int served = 0;
  for (net::client& each : flood) {
    const net::response response = each.read();
    CHECK((response.status == 200 || response.status == 503));
    served += response.status == 200 ? 1 : 0;
  }
  CHECK(served >= 1);
  host.stop();
  serving.join();
}

// --- Turns of passwords ---------------------------------------------------------------------------

TEST_CASE("wrong passwords wait for their turn, known user or not, and tokens do not", "[pacing]") {
  Payroll payroll;
  const std::string user = GENERATE("alice", "nobody");
  std::vector<std::chrono::milliseconds> waits;
  AuthLimits limits;
  limits.delayed_at_once = 0;  // only the turns
  limits.sleep = [&](std::chrono::milliseconds wait) {
    waits.push_back(wait);
    payroll.clock.advance(wait);
  };
  Authenticator callers(payroll.store, payroll.clock_function(), AuthPolicy::token, limits);
  const auto fail = [&](const std::string& peer) {
    CHECK_THROWS(callers.token_by_password(user, "wrong", "acme", caller_at(peer)));
  };
  for (int count = 0; count != 12; ++count)
    fail("192.0.2.1");
  CHECK(waits == std::vector{50ms, 100ms, 200ms, 400ms, 500ms, 500ms});
  waits.clear();
  for (int count = 0; count != 20; ++count)  // of other networks, one each
    fail("198.51.100." + std::to_string(count));
  CHECK(waits.size() == 11);
  waits.clear();
  const AuthHeaderWithDomain header{"alice", "api-token-alice", "acme"};
  for (int count = 0; count != 20; ++count) {
    callers.token_by_api_token("alice", "api-token-alice", caller_at("192.0.2.1"));
    callers.domain_of(header, caller_at("192.0.2.1"));
  }
  CHECK(waits.empty());
  callers.token_by_password("alice", "correct horse", "acme", caller_at("203.0.113.1"));
  waits.clear();
  callers.token_by_password("alice", "correct horse", "acme", caller_at("203.0.113.1"));
  CHECK(waits.empty());
}

TEST_CASE("sign-ons by a user of the same name do not lift the limits of guesses", "[pacing]") {
  const bool with_domain = GENERATE(true, false);
  const auto named = [&](const char* domain) {
    return with_domain ? std::optional<std::string>(domain) : std::nullopt;
  };
  Payroll payroll;
  const NewUser namesake{
      "globex", "alice", hash_password("another", cheap_cost), digest_of("another-token")};
  REQUIRE(payroll.store.add_user(namesake) == AdminStore::Outcome::done);
  int waits = 0;
  AuthLimits limits = without_sleep();
  limits.delayed_at_once = 0;  // only the turns
  limits.sleep = [&](std::chrono::milliseconds wait) {
    ++waits;
    payroll.clock.advance(wait);
  };
  Authenticator callers(payroll.store, payroll.clock_function(), AuthPolicy::token, limits);
  const soapsvc::context context = caller_at("192.0.2.1");
  for (int count = 0; count != 30; ++count) {
    CHECK(callers.token_by_password("alice", "another", named("globex"), context).size() == 43);
    CHECK_THROWS(callers.token_by_password("alice", "wrong", named("acme"), context));
  }
  CHECK(waits >= 24);
}

TEST_CASE(
    "a bounded number of calls waits for a turn, and at most half of them from one network",
    "[pacing]") {
  Payroll payroll;
  std::atomic<int> waiting = 0;
  std::atomic<bool> over = false;
  AuthLimits limits;
  limits.delayed_at_once = 0;
  limits.turns_waiting = 4;
  limits.guesses.free_of_pair = 1;
  limits.guesses.first_interval = 10s;
  limits.guesses.longest_interval = 10s;
  limits.sleep = [&](std::chrono::milliseconds) {
    ++waiting;
    net::eventually([&] { return over.load(); }, 30s);
    --waiting;
  };
  Authenticator callers(payroll.store, system_moment, AuthPolicy::token, limits);
  const auto status_of = [&](const std::string& peer) {
    try {
      callers.token_by_password("nobody", "wrong", "acme", caller_at(peer));
    } catch (const soapsvc::fault& fault) {
      return fault.status();
    }
    return 200;
  };
  const std::vector<std::string> peers{"192.0.2.1", "192.0.2.2", "192.0.2.3"};
  for (const std::string& peer : peers) {
    CHECK(status_of(peer) != 503);
    CHECK(status_of(peer) != 503);  // the first turn of its lane, at once
  }
  std::vector<std::thread> threads;
  std::atomic<int> refused = 0;
  for (const std::string& peer : {peers[0], peers[0], peers[1], peers[1]}) {
    const int before = waiting;
    threads.emplace_back([&, peer] { refused += status_of(peer) == 503 ? 1 : 0; });
    CHECK(net::eventually([&] { return waiting == before + 1; }, 30s));
    if (before == 1) CHECK(status_of(peers[0]) == 503);
  }
  CHECK(status_of(peers[2]) == 503);
  over = true;
  for (std::thread& each : threads)
    each.join();
  CHECK(refused == 0);
  CHECK(waiting == 0);
}
