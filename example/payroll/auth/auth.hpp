// Authentication: the header block of EmployeeService and DebtorService, the fault detail of every
// refusal, and the checks that map credentials to the domain in which a caller may act.
//
// Two rules shape this file. The response to wrong credentials, and its delay, do not show whether
// the user or the secret is wrong. Failures of one caller do not lock out another caller: a valid
// token is never delayed, and guesses.hpp bounds the delay of a right password.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/guesses.hpp"
#include "soapsvc.hpp"
#include "store/store.hpp"

/// The header block of the two services. The contract shows Domain; real clients also send Username
/// and Token, in any order.
struct AuthHeaderWithDomain {
  std::optional<std::string> username;
  std::optional<std::string> token;
  std::optional<std::string> domain;
};
template <>
inline constexpr auto soapsvc::schema<AuthHeaderWithDomain> = record(
    "AuthHeaderWithDomain",
    field("Username", &AuthHeaderWithDomain::username, doc("Name of the user."), sample("alice")),
    field("Token", &AuthHeaderWithDomain::token, secret, doc("API token, or an issued token.")),
    field("Domain", &AuthHeaderWithDomain::domain, doc("Environment to work in."), sample("acme")));

/// The fault detail of a refusal.
struct Error {
  std::int32_t code{};
  std::optional<std::string> message;
};
template <>
inline constexpr auto soapsvc::schema<Error> = record(
    "Error",
    field("Code", &Error::code, doc("Number of the error.")),
    field("Message", &Error::message, doc("What was refused.")));

/// The faults that more than one service lists in its table and throws with `refusal`.
inline constexpr auto invalid_authentication = soapsvc::fault_doc(
    1001, "Invalid Authentication", "The credentials are missing, wrong or ambiguous.");
inline constexpr auto wrong_domain = soapsvc::fault_doc(
    1003, "Unauthorized access", "The credentials are right, but not for this Domain.");

/// The fault of a documented refusal. Clients look for `---> CODE:` in its text, so its spelling
/// must not change.
soapsvc::fault refusal(const soapsvc::documented_fault& documented);

/// The fault for an element that is optional in the schema but required by the operation.
soapsvc::fault missing(const std::string& path);

/// One reading of the clocks.
struct Moment {
  std::chrono::sys_time<std::chrono::nanoseconds> wall;  ///< can be set to any time
  std::chrono::nanoseconds since_boot{};  ///< never goes back; also counts while suspended
  std::string_view boot_id;  ///< names the boot that it counts from; valid until the process ends
};

/// The source of the time; a parameter, so that tests can set it.
using Clock = std::function<Moment()>;

/// The clocks of this machine.
Moment system_moment();

/// The day of the wall clock, in UTC.
std::chrono::sys_days today(const Clock& clock);

/// SHA-256. Use it only for secrets of 256 random bits, never for passwords that a person chose.
Digest digest_of(std::string_view secret);

/// 256 random bits in base64url: an API token or an issued token.
std::string random_token();

/// The cost of computing a hash: about 0.3 s and 64 MB. OWASP lists it as equivalent to N = 2^17, p
/// = 1, which takes as long and twice the memory.
struct PasswordCost {
  std::uint32_t cost = 1U << 16U;  ///< N
  std::uint32_t block_size = 8;  ///< r
  std::uint32_t parallelisation = 2;  ///< p
};

/// The number of scrypt's steps.
constexpr std::uint64_t work_of(const auto& cost) {
  return std::uint64_t{cost.cost} * cost.block_size * cost.parallelisation;
}

/// scrypt with a new salt.
PasswordHash hash_password(std::string_view password, const PasswordCost& cost = {});

/// The maximum length of a password, in bytes. A longer one is wrong.
inline constexpr std::size_t longest_password = 1024;

/// The credentials that a header block must have.
enum class AuthPolicy {
  domain,  ///< Domain suffices; Username and Token are checked if they are sent
  token  ///< Username and Token are required
};

/// Limits of the work that sign-ons may cause. At any time, they block at most passwords_at_once +
/// 2 * passwords_waiting + turns_waiting + delayed_at_once workers.
struct AuthLimits {
  std::chrono::nanoseconds token_lifetime = std::chrono::seconds(30);
  PasswordCost password_cost;  ///< of new hashes; cheaper old hashes are renewed
  std::size_t passwords_at_once = 2;  ///< scrypt computations; each takes 64 MB and a core
  /// Maximum number of waiting passwords: once for suspect callers, and once for all others. A
  /// caller is suspect if it failed before, or if it alone would take more than half of the others'
  /// places. Among the others, users of a known network go first. If the queue is full, they
  /// replace the newest entry of an unknown network.
  std::size_t passwords_waiting = 24;
  std::chrono::milliseconds longest_wait{10'000};
  std::size_t namesakes = most_namesakes;  ///< users with one name that are tried without a domain
  unsigned free_failures = 5;  ///< of one caller and user, before responses are delayed
  std::chrono::milliseconds first_delay{50};  ///< doubled with each further failure
  std::chrono::milliseconds longest_delay{500};
  std::size_t delayed_at_once = 2;  ///< delayed responses; each blocks a worker
  std::size_t turns_waiting = 100;  ///< passwords that wait for their turn; each blocks a worker
  std::chrono::seconds failures_forgotten{300};
  std::size_t failures_remembered = 4096;  ///< for callers, and for pairs of caller and user
  GuessLimits guesses;
  std::function<void(std::chrono::milliseconds)> sleep;  ///< for tests; empty: the real sleep
};

/// The limits for a server with `threads` executor threads. Sign-ons never block a fifth of the
/// threads, or at least one thread. With a single thread, none can stay free.
AuthLimits limits_for(std::size_t threads);

/// Maps credentials to a domain, and issues tokens. May be called from any number of threads.
class Authenticator {
public:
  /// `guesses` stores the counts of failed passwords; null: in the memory of this process.
  Authenticator(
      UserStore& store,
      Clock clock,
      AuthPolicy policy,
      AuthLimits limits = {},
      GuessStore* guesses = nullptr);
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  /// Calls that wait to try a password, now or later, get the fault that says to try again. So they
  /// do not delay a process that stops. May be called from any thread.
  void stop_waiting();

  /// The domain in which the caller may act. The credentials are in this header block, in the
  /// UsernameToken of the context, or in both. Both must then belong to the same domain. Throws the
  /// fault 1001, or 1003 if the credentials are right but do not belong to the named Domain.
  DomainId domain_of(
      const std::optional<AuthHeaderWithDomain>& header, const soapsvc::context& context);

  /// The sender of a UsernameToken, in the form that domain_of reads from the context; nullopt:
  /// wrong credentials. The password of the UsernameToken is a token, as in the header block:
  /// checking a real password would cost 0.3 s per call. `user` is a name, or name@domain.
  std::optional<std::string> sender_of(
      std::string_view user, std::string_view token, const soapsvc::context& context);

  /// A new token for the user with that name and API token. Exactly one user of all domains must
  /// have both. Throws the fault 1001.
  std::string token_by_api_token(
      const std::optional<std::string>& user,
      const std::optional<std::string>& api_token,
      const soapsvc::context& context);

  /// A new token for the user of that domain with that name and password. Without a domain, exactly
  /// one user of all domains must have both. Throws the fault 1001, or 1003 as above.
  std::string token_by_password(
      const std::optional<std::string>& user,
      const std::optional<std::string>& password,
      const std::optional<std::string>& domain,
      const soapsvc::context& context);

private:
  class PasswordGate;
  class Pause;
  class Failures;
  class Turns;
  enum class Standing : std::uint8_t { known, other, suspect };

  /// The domain of a token's holder; or `elsewhere`, if the holder belongs to another domain.
  struct Holder {
    std::optional<DomainId> domain;
    bool elsewhere = false;
  };
  Holder find_holder(const AuthHeaderWithDomain& header, const soapsvc::context& context);
  DomainId domain_by_token(const AuthHeaderWithDomain& header, const soapsvc::context& context);
  DomainId domain_by_name(const AuthHeaderWithDomain& header);
  bool is_live(const TokenIssue& issue, const std::optional<TokenIssue>& now) const;
  std::vector<TokenHolder> true_holders(
      const TokenFacts& facts, const Digest& digest, const std::optional<std::string>& user) const;
  std::vector<PasswordHolder> true_holders(
      const PasswordFacts& facts, const std::string& password, Standing standing);
  std::optional<std::string> issue_token(DomainId domain, std::int64_t user_id, Credential shown);

  UserStore& store_;
  Clock clock_;
  AuthPolicy policy_;
  AuthLimits limits_;
  PasswordHash nobody_;  ///< compared with the password of an unknown user
  std::unique_ptr<PasswordGate> gate_;
  std::unique_ptr<Pause> pause_;
  std::unique_ptr<Failures> failures_;
  std::unique_ptr<Turns> turns_;
};
