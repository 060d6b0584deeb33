#include "auth.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <ctime>
#include <fstream>
#include <list>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>

// --- Faults --------------------------------------------------------------------------------------

soapsvc::fault refusal(const soapsvc::documented_fault& documented) {
    const std::string message(documented.text);
    return soapsvc::fault(
               soapsvc::fault_code::client,
               "Unable to process request. ---> " + std::to_string(documented.code) + ": " +
                   message)
        .with(Error{documented.code, message});
}

soapsvc::fault missing(const std::string& path) {
    return {soapsvc::fault_code::client, path + ": is missing; a value is required"};
}

namespace {

soapsvc::fault busy() {
    return soapsvc::fault(
               soapsvc::fault_code::server,
               "Too many sign-ons by password at once; try again later")
        .with_status(503);
}

// --- Clocks --------------------------------------------------------------------------------------

/// The time since boot counts while the machine is suspended: a token must not sleep with it.
#ifdef CLOCK_BOOTTIME
constexpr clockid_t boot_clock = CLOCK_BOOTTIME;
#else
constexpr clockid_t boot_clock = CLOCK_MONOTONIC;
#endif

/// Where the system does not say which boot this is, each process is its own: its tokens then die
/// with it, which is safe.
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

constexpr std::uint32_t scrypt_cost = 1U << 15U;
constexpr std::uint32_t scrypt_block_size = 8;
constexpr std::uint32_t scrypt_parallelisation = 1;
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

/// OpenSSL refuses more than 32 MB unless told, and these parameters take a little more.
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
    if (done != 1)
        throw std::runtime_error("scrypt failed: not enough memory, or wrong parameters");
    return hash;
}

bool is_password(std::string_view password, const PasswordHash& stored) {
    const bool too_long = password.size() > longest_password;
    const std::string hash = scrypt(too_long ? std::string_view() : password, stored);
    return stored.hash.size() == hash.size() &&
           same_bytes(stored.hash.data(), hash.data(), hash.size()) && !too_long;
}

}  // namespace

Digest digest_of(std::string_view secret) {
    Digest digest{};
    SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest.data());
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

PasswordHash hash_password(std::string_view password) {
    PasswordHash made;
    made.salt = random_bytes(salt_bytes);
    made.cost = scrypt_cost;
    made.block_size = scrypt_block_size;
    made.parallelisation = scrypt_parallelisation;
    made.hash = scrypt(password, made);
    return made;
}

// --- Pacing --------------------------------------------------------------------------------------

/// Lets a few scrypt computations run at a time, first come, first served. Callers who have failed
/// before share all places but one: however many they are, one stays for everybody else.
class Authenticator::PasswordGate {
public:
    explicit PasswordGate(const AuthLimits& limits) : limits_(limits) {}

    /// Holds a place until it is destroyed.
    class Pass {
    public:
        Pass(PasswordGate& gate, bool suspect) : gate_(gate), suspect_(suspect) {
            gate_.enter(suspect_);
        }
        ~Pass() { gate_.leave(suspect_); }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

    private:
        PasswordGate& gate_;
        bool suspect_;
    };

private:
    struct Lane {
        std::size_t running = 0;
        std::list<int> waiting;  // one element a caller; only its position matters
    };

    bool has_room(bool suspect) const {
        const std::size_t all = suspects_.running + others_.running;
        const std::size_t kept_free = limits_.passwords_at_once > 1 ? 1 : 0;
        return all < limits_.passwords_at_once &&
               (!suspect || suspects_.running + kept_free < limits_.passwords_at_once);
    }

    void enter(bool suspect) {
        std::unique_lock lock(mutex_);
        Lane& lane = suspect ? suspects_ : others_;
        const bool must_wait = !lane.waiting.empty() || !has_room(suspect);
        if (must_wait && lane.waiting.size() >= limits_.passwords_waiting) throw busy();
        const auto place = lane.waiting.insert(lane.waiting.end(), 0);
        const bool came_first = changed_.wait_for(lock, limits_.longest_wait, [&] {
            return place == lane.waiting.begin() && has_room(suspect);
        });
        lane.waiting.erase(place);
        if (came_first) ++lane.running;
        changed_.notify_all();
        if (!came_first) throw busy();
    }

    void leave(bool suspect) {
        const std::lock_guard lock(mutex_);
        --(suspect ? suspects_ : others_).running;
        changed_.notify_all();
    }

    const AuthLimits& limits_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Lane suspects_;
    Lane others_;
};

/// Remembers who failed with which user name, and holds the answers to further failures back. Only
/// few answers at a time, so that those who wait for them cannot use up the workers; the others go
/// out at once, and what they cost is bounded by the gate above.
class Authenticator::Failures {
public:
    Failures(const AuthLimits& limits, const Clock& clock) : limits_(limits), clock_(clock) {}

    /// Whether this caller has failed often: with this user name, or with any.
    bool is_suspect(const soapsvc::context& context, const std::string& user) {
        const auto now = clock_().since_boot;
        const std::lock_guard lock(mutex_);
        return count_of(key(context, user), now) >= limits_.free_failures ||
               count_of(key(context), now) >= limits_.free_failures * 4;
    }

    /// After a success. What the caller did with other user names is not forgotten.
    void forget(const soapsvc::context& context, const std::string& user) {
        const std::lock_guard lock(mutex_);
        if (!entries_.empty()) entries_.erase(key(context, user));
    }

    /// Counts a failure, and returns when it may be answered.
    void count(const soapsvc::context& context, const std::string& user) {
        const auto now = clock_().since_boot;
        std::unique_lock lock(mutex_);
        add_one(key(context), now);
        const auto delay = delay_of(add_one(key(context, user), now));
        if (delay.count() == 0 || delayed_ >= limits_.delayed_at_once) return;
        ++delayed_;
        lock.unlock();
        const soapsvc::blocking_section a_spare_worker_may_run;
        limits_.sleep ? limits_.sleep(delay) : std::this_thread::sleep_for(delay);
        lock.lock();
        --delayed_;
    }

private:
    struct Entry {
        unsigned count = 0;
        std::chrono::nanoseconds last{};
    };
    struct KeyHash {
        std::size_t operator()(const Digest& key) const noexcept {
            std::size_t start = 0;
            std::copy_n(key.begin(), sizeof start, reinterpret_cast<unsigned char*>(&start));
            return start;
        }
    };

    /// A caller, and one with a user name, at a fixed length.
    static Digest key(const soapsvc::context& context) { return digest_of(context.peer); }
    static Digest key(const soapsvc::context& context, const std::string& user) {
        return digest_of(std::string(context.peer) + '\n' + user);
    }

    bool is_remembered(const Entry& entry, std::chrono::nanoseconds now) const {
        return now - entry.last < limits_.failures_forgotten;
    }

    unsigned count_of(const Digest& key, std::chrono::nanoseconds now) const {
        const auto found = entries_.find(key);
        const bool counts = found != entries_.end() && is_remembered(found->second, now);
        return counts ? found->second.count : 0;
    }

    /// A full table loses what is forgotten, or else its oldest entry.
    unsigned add_one(const Digest& key, std::chrono::nanoseconds now) {
        if (!entries_.contains(key) && entries_.size() >= limits_.failures_remembered) {
            std::erase_if(
                entries_, [&](const auto& each) { return !is_remembered(each.second, now); });
            if (entries_.size() >= limits_.failures_remembered) entries_.erase(oldest());
        }
        const unsigned count = count_of(key, now) + 1;
        entries_[key] = {count, now};
        return count;
    }

    std::unordered_map<Digest, Entry, KeyHash>::iterator oldest() {
        return std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
            return a.second.last < b.second.last;
        });
    }

    std::chrono::milliseconds delay_of(unsigned failures) const {
        if (failures <= limits_.free_failures) return std::chrono::milliseconds(0);
        const unsigned doublings = std::min(failures - limits_.free_failures - 1, 16U);
        return std::min(limits_.first_delay * (1 << doublings), limits_.longest_delay);
    }

    const AuthLimits& limits_;
    const Clock& clock_;
    std::mutex mutex_;
    std::unordered_map<Digest, Entry, KeyHash> entries_;
    std::size_t delayed_ = 0;
};

// --- Checks --------------------------------------------------------------------------------------

Authenticator::Authenticator(UserStore& store, Clock clock, AuthPolicy policy, AuthLimits limits)
    : store_(store),
      clock_(std::move(clock)),
      policy_(policy),
      limits_(std::move(limits)),
      nobody_(hash_password(random_token())),
      gate_(std::make_unique<PasswordGate>(limits_)),
      failures_(std::make_unique<Failures>(limits_, clock_)) {}

Authenticator::~Authenticator() = default;

AuthLimits limits_for(std::size_t threads) {
    const auto all = static_cast<int>(std::min<std::size_t>(threads, 1000));
    const int held = std::max(1, all - std::max(1, all / 5));
    const int at_once = held >= 6 ? 2 : 1;
    const int waiting = std::clamp((held - at_once - 2) / 2, held >= 3 ? 1 : 0, 24);
    AuthLimits limits;
    limits.passwords_at_once = static_cast<std::size_t>(at_once);
    limits.passwords_waiting = static_cast<std::size_t>(waiting);
    const int delayed = std::clamp(held - at_once - 2 * waiting, 0, 2);
    limits.delayed_at_once = static_cast<std::size_t>(delayed);
    return limits;
}

namespace {

/// The one domain of all holders; nullopt if there are none, or of several.
std::optional<DomainId> shared_domain(const std::vector<TokenHolder>& holders) {
    if (holders.empty()) return std::nullopt;
    const DomainId first = holders.front().domain;
    const bool all = std::all_of(holders.begin(), holders.end(), [&](const TokenHolder& holder) {
        return holder.domain == first;
    });
    return all ? std::optional(first) : std::nullopt;
}

}  // namespace

DomainId Authenticator::domain_of(
    const std::optional<AuthHeaderWithDomain>& header, const soapsvc::context& context) {
    if (!header) throw refusal(invalid_authentication).about_header();
    if (header->username || header->token) return domain_by_token(*header, context);
    if (policy_ == AuthPolicy::domain && header->domain) {
        if (const auto domain = store_.find_domain(*header->domain)) return *domain;
    }
    throw refusal(invalid_authentication).about_header();
}

DomainId Authenticator::domain_by_token(
    const AuthHeaderWithDomain& header, const soapsvc::context& context) {
    const bool user_required = policy_ == AuthPolicy::token || !header.domain;
    if (!header.token || (user_required && !header.username))
        throw refusal(invalid_authentication).about_header();
    const Digest digest = digest_of(*header.token);
    const TokenFacts facts = store_.find_token(header.domain, digest);
    const std::vector<TokenHolder> holders = true_holders(facts, digest, header.username);
    const std::string user = header.username.value_or("");
    // "Right credentials" means a holder anywhere; "theirs" means one in the domain.
    const std::optional<DomainId> domain = header.domain ? facts.domain : shared_domain(holders);
    const bool theirs = std::any_of(holders.begin(), holders.end(), [&](const TokenHolder& holder) {
        return holder.domain == domain;
    });
    if (theirs) {
        failures_->forget(context, user);
        return *domain;
    }
    if (domain && !holders.empty()) throw refusal(wrong_domain);
    failures_->count(context, user);
    throw refusal(invalid_authentication).about_header();
}

std::string Authenticator::token_by_api_token(
    const std::optional<std::string>& user,
    const std::optional<std::string>& api_token,
    const soapsvc::context& context) {
    if (!user || !api_token) throw refusal(invalid_authentication);
    const Digest digest = digest_of(*api_token);
    auto holders = true_holders(store_.find_token(std::nullopt, digest), digest, user);
    std::erase_if(holders, [](const TokenHolder& holder) { return holder.issue.has_value(); });
    if (holders.size() != 1) {
        failures_->count(context, *user);
        throw refusal(invalid_authentication);
    }
    failures_->forget(context, *user);
    return issue_token(holders.front().user_id);
}

std::string Authenticator::token_by_password(
    const std::optional<std::string>& user,
    const std::optional<std::string>& password,
    const std::optional<std::string>& domain,
    const soapsvc::context& context) {
    if (!user || !password) throw refusal(invalid_authentication);
    // With a domain, one password is compared, known user or not. Without, one for each namesake:
    // that a name is used in several domains can be told from the time, and nothing else.
    const PasswordFacts facts =
        store_.find_passwords(domain, *user, domain ? 1 : limits_.namesakes);
    const auto holders = true_holders(facts, *password, failures_->is_suspect(context, *user));
    if (holders.size() != 1 || facts.domain.has_value() != domain.has_value()) {
        failures_->count(context, *user);
        throw refusal(invalid_authentication);
    }
    failures_->forget(context, *user);
    if (domain && holders.front().domain != *facts.domain) throw refusal(wrong_domain);
    return issue_token(holders.front().user_id);
}

/// The wall clock has no say: set back, it would let a token live on, set forward, it would end one
/// early. A token of another boot is over: nobody knows for certain how long the machine was off.
bool Authenticator::is_live(const TokenIssue& issue) const {
    const Moment now = clock_();
    const auto age = now.since_boot - issue.since_boot;
    return issue.boot_id == now.boot_id && age.count() >= 0 && age < limits_.token_lifetime;
}

std::vector<TokenHolder> Authenticator::true_holders(
    const TokenFacts& facts, const Digest& digest, const std::optional<std::string>& user) const {
    std::vector<TokenHolder> holders = facts.holders;
    std::erase_if(holders, [&](const TokenHolder& holder) {
        const bool same = same_bytes(holder.digest.data(), digest.data(), digest.size());
        const bool live = !holder.issue || is_live(*holder.issue);
        return !same || !live || (user && *user != holder.user);
    });
    return holders;
}

std::vector<PasswordHolder> Authenticator::true_holders(
    const PasswordFacts& facts, const std::string& password, bool suspect) {
    const soapsvc::blocking_section a_spare_worker_may_run;
    const PasswordGate::Pass pass(*gate_, suspect);
    std::vector<PasswordHolder> holders = facts.holders;
    if (holders.empty()) is_password(password, nobody_);
    std::erase_if(holders, [&](const PasswordHolder& holder) {
        return !is_password(password, holder.password);
    });
    return holders;
}

std::string Authenticator::issue_token(std::int64_t user_id) {
    std::string token = random_token();
    const Moment now = clock_();
    const auto wall = std::chrono::floor<std::chrono::seconds>(now.wall);
    const IssuedToken issued{
        digest_of(token), user_id, {std::string(now.boot_id), now.since_boot}, wall};
    store_.add_token(issued, limits_.token_lifetime);
    return token;
}
