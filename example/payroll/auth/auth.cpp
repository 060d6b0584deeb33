#include "auth/auth.hpp"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <condition_variable>
#include <ctime>
#include <fstream>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>

#include "auth/name.hpp"

// --- Faults --------------------------------------------------------------------------------------

soapsvc::fault refusal(const soapsvc::documented_fault& documented) {
  const std::string message(documented.text);
  return soapsvc::fault(
             soapsvc::fault_code::client,
             "Unable to process request. ---> " + std::to_string(documented.code) + ": " + message)
      .with(Error{documented.code, message});
}

soapsvc::fault missing(const std::string& path) {
  return {soapsvc::fault_code::client, path + ": is missing; a value is required"};
}

namespace {

soapsvc::fault busy() {
  return soapsvc::fault(
             soapsvc::fault_code::server, "Too many sign-ons by password at once; try again later")
      .with_status(503);
}

// --- Clocks --------------------------------------------------------------------------------------

/// CLOCK_BOOTTIME also counts while the machine is suspended, so tokens expire then, too.
#ifdef CLOCK_BOOTTIME
constexpr clockid_t boot_clock = CLOCK_BOOTTIME;
#else
constexpr clockid_t boot_clock = CLOCK_MONOTONIC;
#endif

/// If the system has no boot id, each process makes its own. Its tokens then end with the process,
/// which is safe.
std::string read_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (std::getline(file, id) && !id.empty()) return id;
  return random_token();
}

}  // namespace

Moment system_moment() {
  static const std::string boot_id = read_boot_id();
  timespec reading{};
  if (clock_gettime(boot_clock, &reading) != 0) throw std::runtime_error("no boot-time clock");
  return {
      std::chrono::system_clock::now(),
      std::chrono::seconds(reading.tv_sec) + std::chrono::nanoseconds(reading.tv_nsec),
      boot_id};
}

std::chrono::sys_days today(const Clock& clock) {
  return std::chrono::floor<std::chrono::days>(clock().wall);
}

// --- Secrets -------------------------------------------------------------------------------------

namespace {

constexpr std::size_t salt_bytes = 16;
constexpr std::size_t hash_bytes = 32;

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  auto* at = reinterpret_cast<unsigned char*>(bytes.data());
  if (RAND_bytes(at, static_cast<int>(count)) != 1)
    throw std::runtime_error("the system gives no random numbers");
  return bytes;
}

bool same_bytes(const void* left, const void* right, std::size_t count) {
  return CRYPTO_memcmp(left, right, count) == 0;
}

/// OpenSSL's default maximum is 32 MB; these parameters need 64 MB.
std::string scrypt(std::string_view password, const PasswordHash& with) {
  const std::uint64_t blocks = std::uint64_t{with.cost} + with.parallelisation + 32;
  const std::uint64_t memory = 128 * blocks * with.block_size;
  std::string hash(hash_bytes, '\0');
  const int done = EVP_PBE_scrypt(
      password.data(),
      password.size(),
      reinterpret_cast<const unsigned char*>(with.salt.data()),
      with.salt.size(),
      with.cost,
      with.block_size,
      with.parallelisation,
      memory,
      reinterpret_cast<unsigned char*>(hash.data()),
      hash.size());
  if (done != 1) throw std::runtime_error("scrypt failed: not enough memory, or wrong parameters");
  return hash;
}

/// The hash of the same password at another cost, with its old salt: see Credential.
PasswordHash renewed(std::string_view password, PasswordHash old, const PasswordCost& cost) {
  old.cost = cost.cost;
  old.block_size = cost.block_size;
  old.parallelisation = cost.parallelisation;
  old.hash = scrypt(password, old);
  return old;
}

/// Computes the work that a cheaper old hash lacks, so that both take the same time. It uses the
/// same N, for the same cache behavior, and more rounds.
void make_up_for(const PasswordHash& old, const PasswordCost& today) {
  if (work_of(old) >= work_of(today)) return;
  PasswordCost rest{old.cost, today.block_size, 1};
  rest.parallelisation =
      static_cast<std::uint32_t>((work_of(today) - work_of(old)) / work_of(rest));
  if (rest.parallelisation != 0) renewed({}, old, rest);
}

/// A wrong password takes as long as an unknown user does, whatever the cost of the stored hash.
bool is_password(std::string_view password, const PasswordHash& stored, const PasswordCost& today) {
  const bool too_long = password.size() > longest_password;
  const std::string hash = scrypt(too_long ? std::string_view() : password, stored);
  const bool same = stored.hash.size() == hash.size() &&
                    same_bytes(stored.hash.data(), hash.data(), hash.size()) && !too_long;
  if (!same) make_up_for(stored, today);
  return same;
}

[[noreturn]] void throw_no_sha256() {
  throw std::runtime_error("SHA-256 failed: not enough memory");
}

const EVP_MD* fetch_sha256() {
  const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (!fetched) throw_no_sha256();
  return fetched;
}

}  // namespace

Digest digest_of(std::string_view secret) {
  // Fetched once, because a lookup takes longer than a digest. It is never freed. If the fetch
  // throws, the next call tries again.
  static const EVP_MD* const sha256 = fetch_sha256();
  Digest digest{};
  if (EVP_Digest(secret.data(), secret.size(), digest.data(), nullptr, sha256, nullptr) != 1)
    throw_no_sha256();
  return digest;
}

std::string random_token() {
  std::string bytes = random_bytes(32);
  std::array<unsigned char, 45> text{};  // base64 of 32 bytes: 43 characters, '=' and NUL
  EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(bytes.data()), 32);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  std::string token(text.begin(), text.begin() + 43);
  OPENSSL_cleanse(text.data(), text.size());
  std::replace(token.begin(), token.end(), '+', '-');  // RFC 4648, 5
  std::replace(token.begin(), token.end(), '/', '_');
  return token;
}

PasswordHash hash_password(std::string_view password, const PasswordCost& cost) {
  PasswordHash empty;
  empty.salt = random_bytes(salt_bytes);
  return renewed(password, std::move(empty), cost);
}

namespace {

/// A random hash, which no password matches.
PasswordHash nobodys_hash(const PasswordCost& cost) {
  return {
      random_bytes(salt_bytes),
      random_bytes(hash_bytes),
      cost.cost,
      cost.block_size,
      cost.parallelisation};
}

}  // namespace

// --- Pacing --------------------------------------------------------------------------------------

/// Lets a few scrypt computations run at a time, in order of arrival. Suspect callers share all
/// places but one, so that one place stays for other callers. Among the others, known users go
/// first, and evict unknown ones from a full queue. Otherwise an attacker with many networks,
/// suspect in none of them, could keep the queue full.
class Authenticator::PasswordGate {
  struct Lane;

public:
  explicit PasswordGate(const AuthLimits& limits) : limits_(limits) {}

  /// From now on no call waits. A call without a place gets the fault that says to try again.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  /// Holds a place until it is destroyed.
  class Pass {
  public:
    Pass(PasswordGate& gate, Standing standing)
        : gate_(gate), lane_(standing == Standing::suspect ? gate.suspects_ : gate.others_) {
      gate_.enter(lane_, standing == Standing::known);
    }
    ~Pass() { gate_.leave(lane_); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

  private:
    PasswordGate& gate_;
    Lane& lane_;
  };

private:
  struct Waiting {
    bool is_known = false;
    bool is_evicted = false;
  };
  struct Lane {
    std::size_t running = 0;
    std::list<Waiting> waiting;  // known users before all others
  };
  using Place = std::list<Waiting>::iterator;

  bool has_room(const Lane& lane) const {
    const std::size_t all = suspects_.running + others_.running;
    const std::size_t kept_free = limits_.passwords_at_once > 1 ? 1 : 0;
    return all < limits_.passwords_at_once &&
           (&lane == &others_ || lane.running + kept_free < limits_.passwords_at_once);
  }

  /// A place in the queue. Throws the fault that says to try again later.
  Place line_up(Lane& lane, bool is_known) {
    const Place next = std::find_if(lane.waiting.begin(), lane.waiting.end(), [&](auto& each) {
      return is_known && !each.is_known;
    });
    const bool must_wait = next != lane.waiting.begin() || !has_room(lane);
    const bool is_full = lane.waiting.size() >= limits_.passwords_waiting;
    if (must_wait && (closed_ || (is_full && next == lane.waiting.end()))) throw busy();
    const Place place = lane.waiting.insert(next, {is_known, false});
    if (must_wait && is_full) evict(lane);
    return place;
  }

  /// Evicts the newest entry: its call gets the fault that says to try again.
  void evict(Lane& lane) {
    lane.waiting.back().is_evicted = true;
    evicted_.splice(evicted_.end(), lane.waiting, std::prev(lane.waiting.end()));
    changed_.notify_all();
  }

  void enter(Lane& lane, bool is_known) {
    std::unique_lock lock(mutex_);
    const Place place = line_up(lane, is_known);
    const auto is_first = [&] {
      return !place->is_evicted && place == lane.waiting.begin() && has_room(lane);
    };
    changed_.wait_for(
        lock, limits_.longest_wait, [&] { return closed_ || place->is_evicted || is_first(); });
    const bool came_first = is_first();
    (place->is_evicted ? evicted_ : lane.waiting).erase(place);
    if (came_first) ++lane.running;
    changed_.notify_all();
    if (!came_first) throw busy();
  }

  void leave(Lane& lane) {
    const std::lock_guard lock(mutex_);
    --lane.running;
    changed_.notify_all();
  }

  const AuthLimits& limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Lane suspects_;
  Lane others_;
  std::list<Waiting> evicted_;  // until their threads have removed them
  bool closed_ = false;
};

/// A delay that ends early when the process stops.
class Authenticator::Pause {
public:
  explicit Pause(const AuthLimits& limits) : limits_(limits) {}

  /// True if the whole delay has passed.
  bool take(std::chrono::milliseconds delay) {
    if (limits_.sleep) {
      limits_.sleep(delay);
      delay = {};
    }
    std::unique_lock lock(mutex_);
    return !ended_.wait_for(lock, delay, [this] { return over_; });
  }
  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    ended_.notify_all();
  }

private:
  const AuthLimits& limits_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
};

namespace {

/// The part of an address that a caller cannot change freely: all of IPv4, or the /48 of IPv6. RFC
/// 6177 gives a site many networks of 64 bits, up to a /48. Counted by /64, a caller with one /48
/// would be 65,536 networks. A port, which some proxies add, is dropped. A text that is no address
/// stays as it is.
std::string network_of(std::string_view peer) {
  const bool bracket = !peer.empty() && peer.front() == '[';
  const std::size_t colon = peer.find(':');
  std::string address(peer);
  if (bracket)
    address = peer.substr(1, peer.find(']') - 1);
  else if (colon != peer.npos && peer.find(':', colon + 1) == peer.npos)
    address = peer.substr(0, colon);
  std::array<char, 16> bytes{};
  if (::inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return address;
  constexpr std::array<char, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\xFF', '\xFF'};
  const bool is_mapped = std::equal(mapped.begin(), mapped.end(), bytes.begin());
  return is_mapped ? std::string{bytes.data() + 12, 4} : std::string{bytes.data(), 6};
}

/// Keys are digests: any part of them is a hash.
struct KeyHash {
  std::size_t operator()(const Digest& key) const noexcept {
    std::size_t start = 0;
    std::copy_n(key.begin(), sizeof start, reinterpret_cast<unsigned char*>(&start));
    return start;
  }
};

/// Failures by key. Only the latest keys are kept, because strangers can use any number of them.
/// Each step takes constant time.
class FailureTable {
public:
  using Time = std::chrono::nanoseconds;

  explicit FailureTable(const AuthLimits& limits) : limits_(limits) {}

  unsigned count_of(const Digest& key, Time now) const {
    const auto found = index_.find(key);
    return found != index_.end() && is_remembered(*found->second, now) ? found->second->count : 0;
  }

  /// Returns the new number of failures.
  unsigned add_one(const Digest& key, Time now) {
    const unsigned count = count_of(key, now) + 1;
    forget(key);
    while (!entries_.empty() && (entries_.size() >= limits_.failures_remembered ||
                                 !is_remembered(entries_.front(), now)))
      forget(Digest(entries_.front().key));
    entries_.push_back({key, count, now});
    try {
      index_.emplace(key, std::prev(entries_.end()));
    } catch (...) {
      entries_.pop_back();
      throw;
    }
    return count;
  }

  void forget(const Digest& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    entries_.erase(found->second);
    index_.erase(found);
  }

  std::size_t size() const { return entries_.size(); }

private:
  struct Entry {
    Digest key{};
    unsigned count = 0;
    Time last{};
  };

  bool is_remembered(const Entry& entry, Time now) const {
    return now - entry.last < limits_.failures_forgotten;
  }

  const AuthLimits& limits_;
  std::list<Entry> entries_;  // the oldest first: each failure moves its key to the end
  std::unordered_map<Digest, std::list<Entry>::iterator, KeyHash> index_;
};

}  // namespace

/// Counts the failures of each caller and user name, and delays the responses to further failures.
/// At most `delayed_at_once` responses wait, so that they cannot use up the workers. The others are
/// sent at once; PasswordGate bounds their cost.
class Authenticator::Failures {
public:
  Failures(const AuthLimits& limits, const Clock& clock, Pause& pause)
      : limits_(limits), clock_(clock), pause_(pause), callers_(limits), users_(limits) {}

  /// An attempt by password, from its wait to its response. A caller is suspect if it has failed
  /// often, with this user name or with any. It is also suspect if it makes many attempts at once,
  /// which have not had the time to fail.
  class Attempt {
  public:
    Attempt(Failures& failures, const soapsvc::context& context, const std::string& user)
        : failures_(failures), caller_(failures.key(context)), user_(failures.key(context, user)) {
      const AuthLimits& limits = failures.limits_;
      const auto now = failures.clock_().since_boot;
      const std::lock_guard lock(failures.mutex_);
      std::size_t& of_caller = failures.attempts_[caller_];
      std::size_t& of_user = failures.attempts_[user_];
      suspect_ = failures.users_.count_of(user_, now) + of_user >= limits.free_failures ||
                 failures.callers_.count_of(caller_, now) + of_caller >= limits.free_failures * 4 ||
                 of_caller > limits.passwords_waiting / 2;
      ++of_caller;
      ++of_user;
    }
    ~Attempt() {
      const std::lock_guard lock(failures_.mutex_);
      for (const Digest& key : {caller_, user_}) {
        const auto found = failures_.attempts_.find(key);
        if (--found->second == 0) failures_.attempts_.erase(found);
      }
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    bool is_suspect() const { return suspect_; }

  private:
    Failures& failures_;
    Digest caller_;
    Digest user_;
    bool suspect_ = false;
  };

  /// Call it after a success. The caller's failures with other user names stay.
  void forget(const soapsvc::context& context, const std::string& user) {
    const std::lock_guard lock(mutex_);
    if (users_.size() != 0) users_.forget(key(context, user));
  }

  /// Counts a failure, and returns once the response may be sent.
  void count(const soapsvc::context& context, const std::string& user) {
    const auto now = clock_().since_boot;
    std::unique_lock lock(mutex_);
    callers_.add_one(key(context), now);
    const auto delay = delay_of(users_.add_one(key(context, user), now));
    if (delay.count() == 0 || delayed_ >= limits_.delayed_at_once) return;
    const soapsvc::blocking_section may_block;
    ++delayed_;
    lock.unlock();
    pause_.take(delay);
    lock.lock();
    --delayed_;
  }

private:
  /// The key of a caller, and of a caller with a user name; both have a fixed length. The salt
  /// prevents names that are chosen to fall into one bucket of a table.
  Digest key(const soapsvc::context& context) const {
    return digest_of(salt_ + network_of(context.peer));
  }
  Digest key(const soapsvc::context& context, const std::string& user) const {
    return digest_of(salt_ + network_of(context.peer) + '\n' + user);
  }

  std::chrono::milliseconds delay_of(unsigned failures) const {
    if (failures <= limits_.free_failures) return std::chrono::milliseconds(0);
    const unsigned doublings = std::min(failures - limits_.free_failures - 1, 16U);
    return std::min(limits_.first_delay * (1 << doublings), limits_.longest_delay);
  }

  const AuthLimits& limits_;
  const Clock& clock_;
  Pause& pause_;
  const std::string salt_ = random_bytes(salt_bytes);
  std::mutex mutex_;
  // Two tables, so that one caller with a thousand names evicts no other caller.
  FailureTable callers_;
  FailureTable users_;
  std::unordered_map<Digest, std::size_t, KeyHash> attempts_;  // at most one per worker
  std::size_t delayed_ = 0;
};

/// Makes attempts by password wait for their turn. At most `turns_waiting` attempts wait, and at
/// most half of them come from one network. The others get the fault that says to try again.
class Authenticator::Turns {
  using Counts = std::map<std::string, std::size_t>;

public:
  Turns(const AuthLimits& limits, const Clock& clock, Pause& pause, GuessStore* shared)
      : limits_(limits),
        pause_(pause),
        own_([&clock] { return clock().since_boot; }, limits.failures_remembered),
        guesses_(shared ? *shared : own_, limits.guesses) {}

  /// Returns once the password may be checked. True if this network is known to the user. Throws
  /// the fault that says to try again later.
  bool wait(const soapsvc::context& context, const std::string& user, const std::string& domain) {
    const std::string network = network_of(context.peer);
    const Place place(*this, network);
    const auto patience = place.is_free() ? limits_.guesses.patience : no_patience;
    const auto turn = guesses_.reserve(user, network, patience, domain);
    if (!turn) throw busy();
    if (turn->wait.count() == 0) return turn->is_known;
    const auto delay = std::chrono::ceil<std::chrono::milliseconds>(turn->wait);
    const soapsvc::blocking_section may_block;
    if (!pause_.take(delay)) throw busy();
    return turn->is_known;
  }

  void succeeded(
      const soapsvc::context& context, const std::string& user, const std::string& domain) {
    guesses_.succeeded(user, network_of(context.peer), domain);
  }
  void failed(const soapsvc::context& context, const std::string& user, const std::string& domain) {
    guesses_.failed(user, network_of(context.peer), domain);
  }

private:
  static constexpr std::chrono::milliseconds no_patience{0};

  /// Holds one of the places for waiting attempts, if one is free.
  class Place {
  public:
    Place(Turns& turns, const std::string& network) : turns_(turns) {
      const std::lock_guard lock(turns.mutex_);
      const std::size_t all = turns.limits_.turns_waiting;
      const auto of_network = turns.waiting_of_.find(network);
      const bool has_most = of_network != turns.waiting_of_.end() && of_network->second * 2 >= all;
      if (turns.waiting_ >= all || has_most) return;
      held_ = turns.waiting_of_.try_emplace(network, 0).first;
      ++held_->second;
      ++turns.waiting_;
    }
    ~Place() {
      const std::lock_guard lock(turns_.mutex_);
      if (!is_free()) return;
      --turns_.waiting_;
      if (--held_->second == 0) turns_.waiting_of_.erase(held_);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    bool is_free() const { return held_ != Counts::iterator(); }

  private:
    Turns& turns_;
    Counts::iterator held_;
  };

  const AuthLimits& limits_;
  Pause& pause_;
  GuessMemory own_;
  Guesses guesses_;
  std::mutex mutex_;
  std::size_t waiting_ = 0;
  Counts waiting_of_;
};

// --- Checks --------------------------------------------------------------------------------------

Authenticator::Authenticator(
    UserStore& store, Clock clock, AuthPolicy policy, AuthLimits limits, GuessStore* guesses)
    : store_(store),
      clock_(std::move(clock)),
      policy_(policy),
      limits_(std::move(limits)),
      nobody_(nobodys_hash(limits_.password_cost)),
      gate_(std::make_unique<PasswordGate>(limits_)),
      pause_(std::make_unique<Pause>(limits_)),
      failures_(std::make_unique<Failures>(limits_, clock_, *pause_)),
      turns_(std::make_unique<Turns>(limits_, clock_, *pause_, guesses)) {}

Authenticator::~Authenticator() = default;

void Authenticator::stop_waiting() {
  gate_->close();
  pause_->end();
}

AuthLimits limits_for(std::size_t threads) {
  const auto all = static_cast<int>(std::min<std::size_t>(threads, 1000));
  const int held = std::max(1, all - std::max(1, all / 5));
  const int at_once = held >= 6 ? 2 : 1;
  const int waiting = std::clamp((held - at_once - 2) / 3, held >= 3 ? 1 : 0, 24);
  AuthLimits limits;
  limits.passwords_at_once = static_cast<std::size_t>(at_once);
  limits.passwords_waiting = static_cast<std::size_t>(waiting);
  const int delayed = std::clamp(held - at_once - 2 * waiting, 0, 2);
  limits.delayed_at_once = static_cast<std::size_t>(delayed);
  const int turns = std::clamp(held - at_once - 2 * waiting - delayed, 0, 100);
  limits.turns_waiting = static_cast<std::size_t>(turns);
  return limits;
}

namespace {

/// The domain of all holders; nullopt if there is no holder, or if they have several domains.
std::optional<DomainId> shared_domain(const std::vector<TokenHolder>& holders) {
  if (holders.empty()) return std::nullopt;
  const DomainId first = holders.front().domain;
  const bool all = std::all_of(holders.begin(), holders.end(), [&](const TokenHolder& holder) {
    return holder.domain == first;
  });
  return all ? std::optional(first) : std::nullopt;
}

/// The sender of a UsernameToken in the context: the user's name, '@' and the number of the domain.
/// The number is constant when the domain is renamed.
std::string sender_in(const std::string& user, DomainId domain) {
  return user + '@' + std::to_string(static_cast<std::int64_t>(domain));
}

/// The domain of a sender; nullopt: there is none.
std::optional<DomainId> domain_in(std::string_view sender) {
  if (sender.empty()) return std::nullopt;
  std::int64_t id = 0;
  const char* const end = sender.data() + sender.size();
  const auto [rest, error] = std::from_chars(sender.data() + sender.rfind('@') + 1, end, id);
  if (error != std::errc() || rest != end) throw std::logic_error("a sender without a domain");
  return DomainId{id};
}

/// The stored form of a name: composed and decomposed letters are equal.
std::optional<std::string> normal(const std::optional<std::string>& name) {
  return name ? std::optional(normal_name(*name)) : std::nullopt;
}

}  // namespace

DomainId Authenticator::domain_of(
    const std::optional<AuthHeaderWithDomain>& header, const soapsvc::context& context) {
  const std::optional<DomainId> sender = domain_in(context.user);
  if (!header && sender) return *sender;
  if (!header) throw refusal(invalid_authentication).about_header_block();
  const bool has_token = header->username || header->token;
  if (!has_token && policy_ == AuthPolicy::token && !sender)
    throw refusal(invalid_authentication).about_header_block();
  if (!has_token && !header->domain && sender) return *sender;
  const DomainId named = has_token ? domain_by_token(*header, context) : domain_by_name(*header);
  if (sender && *sender != named) throw refusal(wrong_domain);
  return named;
}

DomainId Authenticator::domain_by_name(const AuthHeaderWithDomain& header) {
  if (header.domain)
    if (const auto domain = store_.find_domain(normal_name(*header.domain))) return *domain;
  throw refusal(invalid_authentication).about_header_block();
}

DomainId Authenticator::domain_by_token(
    const AuthHeaderWithDomain& header, const soapsvc::context& context) {
  const bool user_required = policy_ == AuthPolicy::token || !header.domain;
  if (!header.token || (user_required && !header.username))
    throw refusal(invalid_authentication).about_header_block();
  const Holder holder = find_holder(header, context);
  if (holder.domain) return *holder.domain;
  if (holder.elsewhere) throw refusal(wrong_domain);
  throw refusal(invalid_authentication).about_header_block();
}

/// A name can contain '@'. The text after the last '@' is a domain only if a domain has that name.
std::optional<std::string> Authenticator::sender_of(
    std::string_view user, std::string_view token, const soapsvc::context& context) {
  AuthHeaderWithDomain shown{std::string(user), std::string(token), std::nullopt};
  const std::size_t at = user.rfind('@');
  if (at != user.npos) {
    std::string domain(user.substr(at + 1));
    if (store_.find_domain(normal_name(domain))) {
      shown.domain = std::move(domain);
      shown.username = std::string(user.substr(0, at));
    }
  }
  const Holder holder = find_holder(shown, context);
  if (!holder.domain) return std::nullopt;
  return sender_in(normal_name(*shown.username), *holder.domain);
}

Authenticator::Holder Authenticator::find_holder(
    const AuthHeaderWithDomain& header, const soapsvc::context& context) {
  const Digest digest = digest_of(*header.token);
  const auto named = normal(header.username);
  const TokenFacts facts = store_.find_token(normal(header.domain), digest);
  const std::vector<TokenHolder> holders = true_holders(facts, digest, named);
  const std::string user = named.value_or("");
  // 1003 needs right credentials: a holder in another domain than the named one.
  const std::optional<DomainId> domain = header.domain ? facts.domain : shared_domain(holders);
  const bool theirs = std::any_of(holders.begin(), holders.end(), [&](const TokenHolder& holder) {
    return holder.domain == domain;
  });
  if (theirs) {
    failures_->forget(context, user);
    return {domain};
  }
  if (domain && !holders.empty()) return {std::nullopt, true};
  failures_->count(context, user);
  return {};
}

std::string Authenticator::token_by_api_token(
    const std::optional<std::string>& given_user,
    const std::optional<std::string>& api_token,
    const soapsvc::context& context) {
  const auto user = normal(given_user);
  if (!user || !api_token) throw refusal(invalid_authentication);
  const Digest digest = digest_of(*api_token);
  const auto holders = true_holders(store_.find_token(std::nullopt, digest), digest, user);
  // The store refuses an issued token here: it is not the user's API token.
  const auto token = holders.size() == 1
                         ? issue_token(holders.front().domain, holders.front().user_id, digest)
                         : std::nullopt;
  if (!token) {
    failures_->count(context, *user);
    throw refusal(invalid_authentication);
  }
  failures_->forget(context, *user);
  return *token;
}

std::string Authenticator::token_by_password(
    const std::optional<std::string>& given_user,
    const std::optional<std::string>& password,
    const std::optional<std::string>& given_domain,
    const soapsvc::context& context) {
  const auto user = normal(given_user);
  const auto domain = normal(given_domain);
  if (!user || !password) throw refusal(invalid_authentication);
  const std::string named = domain.value_or("");
  const bool is_known = turns_->wait(context, *user, named);
  // With a domain, one password is compared, whether the user exists or not. Without a domain, one
  // password is compared for each user of that name. Only the number of such users shows in the
  // time.
  const PasswordFacts facts = store_.find_passwords(domain, *user, domain ? 1 : limits_.namesakes);
  const Failures::Attempt attempt(*failures_, context, *user);
  const Standing standing = attempt.is_suspect() ? Standing::suspect
                            : is_known           ? Standing::known
                                                 : Standing::other;
  const auto holders = true_holders(facts, *password, standing);
  const bool is_right = holders.size() == 1 && facts.domain.has_value() == domain.has_value();
  const bool elsewhere = is_right && domain && holders.front().domain != *facts.domain;
  std::optional<std::string> token;
  if (is_right && !elsewhere) {
    const PasswordHolder& holder = holders.front();
    token = issue_token(holder.domain, holder.user_id, holder.password.salt);
  }
  if (!token && !elsewhere) {
    turns_->failed(context, *user, named);
    failures_->count(context, *user);
    throw refusal(invalid_authentication);
  }
  if (elsewhere) throw refusal(wrong_domain);
  // Without a domain, the password of one user proves nothing about others of the same name.
  if (domain || facts.holders.size() == 1) {
    turns_->succeeded(context, *user, named);
    failures_->forget(context, *user);
  }
  return *token;
}

/// The wall clock is not used: if it were set, a token would live longer or end early. A token of
/// an earlier boot is expired, because the time that the machine was off is unknown.
bool Authenticator::is_live(const TokenIssue& issue, const std::optional<TokenIssue>& now) const {
  const Moment here = clock_();
  const TokenIssue moment = now ? *now : TokenIssue{std::string(here.boot_id), here.since_boot};
  const auto age = moment.since_boot - issue.since_boot;
  return issue.boot_id == moment.boot_id && age.count() >= 0 && age < limits_.token_lifetime;
}

std::vector<TokenHolder> Authenticator::true_holders(
    const TokenFacts& facts, const Digest& digest, const std::optional<std::string>& user) const {
  std::vector<TokenHolder> holders = facts.holders;
  std::erase_if(holders, [&](const TokenHolder& holder) {
    const bool same = same_bytes(holder.digest.data(), digest.data(), digest.size());
    const bool live = !holder.issue || is_live(*holder.issue, facts.now);
    return !same || !live || (user && *user != holder.user);
  });
  return holders;
}

std::vector<PasswordHolder> Authenticator::true_holders(
    const PasswordFacts& facts, const std::string& password, Standing standing) {
  const soapsvc::blocking_section may_block;
  const PasswordGate::Pass pass(*gate_, standing);
  std::vector<PasswordHolder> holders = facts.holders;
  const PasswordCost& today = limits_.password_cost;
  if (holders.empty()) is_password(password, nobody_, today);
  std::erase_if(holders, [&](const PasswordHolder& holder) {
    return !is_password(password, holder.password, today);
  });
  // Renewed here, because the password is known and the gate bounds concurrent computations.
  for (const PasswordHolder& holder : holders)
    if (work_of(holder.password) < work_of(today))
      store_.renew_password(
          holder.domain, holder.user_id, renewed(password, holder.password, today));
  return holders;
}

/// nullopt: the credential is not the user's any more.
std::optional<std::string> Authenticator::issue_token(
    DomainId domain, std::int64_t user_id, Credential shown) {
  std::string token = random_token();
  const Moment now = clock_();
  const auto wall = std::chrono::floor<std::chrono::seconds>(now.wall);
  const IssuedToken issued{
      digest_of(token),
      domain,
      user_id,
      std::move(shown),
      {std::string(now.boot_id), now.since_boot},
      wall};
  return store_.add_token(issued, limits_.token_lifetime) ? std::optional(std::move(token))
                                                          : std::nullopt;
}
