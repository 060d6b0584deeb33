// Who is calling: the header of EmployeeService and DebtorService, the typed detail of every
// refusal, and the checks that turn credentials into the domain in which a caller may act.
//
// Two rules shape this file. A refusal says the same, and takes the same time, whether a user is
// unknown or a secret is wrong. And nobody can be kept out by the failures of others: a right token is
// never delayed, a right password no longer than guesses.hpp says.
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

/// The header of the two services. Domain is what the description shows; Username and Token are
/// what real clients also send, in any order.
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

/// The typed detail of a refusal.
struct Error {
  std::int32_t code{};
  std::optional<std::string> message;
};
template <>
inline constexpr auto soapsvc::schema<Error> = record(
    "Error",
    field("Code", &Error::code, doc("Number of the error.")),
    field("Message", &Error::message, doc("What was refused.")));

/// The refusals of more than one service, as the tables list them and `refusal` throws them.
inline constexpr auto invalid_authentication = soapsvc::fault_doc(
    1001, "Invalid Authentication", "The credentials are missing, wrong or ambiguous.");
inline constexpr auto wrong_domain = soapsvc::fault_doc(
    1003, "Unauthorized access", "The credentials are right, but not for this Domain.");

/// The fault of a documented refusal. Clients look for `---> CODE:` in its text: nothing stands
/// between.
soapsvc::fault refusal(const soapsvc::documented_fault& documented);

/// The fault of an element that its schema leaves out and the operation needs.
soapsvc::fault missing(const std::string& path);

/// One reading of the clocks.
struct Moment {
  std::chrono::sys_time<std::chrono::nanoseconds> wall;  ///< can be set, and jump, at any time
  std::chrono::nanoseconds since_boot{};  ///< only ever grows, also while suspended
  std::string_view boot_id;  ///< names the boot that it counts from; never goes away
};

/// Where the time comes from; a parameter, so that tests can set it.
using Clock = std::function<Moment()>;

/// The clocks of this machine.
Moment system_moment();

/// The day of the wall clock, in UTC.
std::chrono::sys_days today(const Clock& clock);

/// SHA-256. Fit for secrets of 256 random bits, and for nothing that a person made up.
Digest digest_of(std::string_view secret);

/// 256 random bits in base64url: an API token or an issued token.
std::string random_token();

/// What computing a hash costs. OWASP names these numbers as equals of N = 2^17, p = 1, which takes as
/// long and twice the memory: about 0.3 s and 64 MB.
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

/// The longest password that is looked at, in bytes.
inline constexpr std::size_t longest_password = 1024;

/// What a header must hold.
enum class AuthPolicy {
  domain,  ///< Domain suffices; a Username and Token that are sent are checked
  token  ///< Username and Token are required
};

/// How much work strangers may cause. At most passwords_at_once + 2 * passwords_waiting +
/// turns_waiting + delayed_at_once workers are held by them at a time.
struct AuthLimits {
  std::chrono::nanoseconds token_lifetime = std::chrono::seconds(30);
  PasswordCost password_cost;  ///< of new hashes; older ones that cost less are computed anew
  std::size_t passwords_at_once = 2;  ///< scrypt computations; each takes 64 MB and a core
  /// Maximum of waiting passwords: so many of suspect callers, and so many of all others. A caller is
  /// suspect if it failed before, or if it alone would take more than half of the others' places.
  /// Among the others, users of a known network go first. For them, the newest stranger gives way.
  std::size_t passwords_waiting = 24;
  std::chrono::milliseconds longest_wait{10'000};
  std::size_t namesakes = most_namesakes;  ///< users of one name tried when no domain is given
  unsigned free_failures = 5;  ///< of one caller and user, before answers are delayed
  std::chrono::milliseconds first_delay{50};  ///< doubled with each further failure
  std::chrono::milliseconds longest_delay{500};
  std::size_t delayed_at_once = 2;  ///< answers held back; each holds a worker
  std::size_t turns_waiting = 100;  ///< passwords whose turn has not come; each holds a worker
  std::chrono::seconds failures_forgotten{300};
  std::size_t failures_remembered = 4096;  ///< the latest, of callers and of users of a caller
  GuessLimits guesses;
  std::function<void(std::chrono::milliseconds)> sleep;  ///< empty: really sleep
};

/// The limits for a server with so many executor threads: a fifth of them, and at least one, is
/// never held by those who sign on. Of a single one nothing can be kept free.
AuthLimits limits_for(std::size_t threads);

/// Turns credentials into a domain, and into tokens. May be called from any number of threads.
class Authenticator {
public:
  /// `guesses` is where failed passwords are counted; null: in this process alone.
  Authenticator(
      UserStore& store,
      Clock clock,
      AuthPolicy policy,
      AuthLimits limits = {},
      GuessStore* guesses = nullptr);
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  /// Those who wait for their turn to try a password, now or later, are told to try again instead:
  /// a process that stops must not be kept by them. From any thread.
  void stop_waiting();

  /// The domain in which the sender of this header may act; of a UsernameToken, if the context has
  /// one, with or without a header. What both say must agree.
  /// Throws the fault 1001 or 1003: right credentials, but a Domain that is not theirs.
  DomainId domain_of(
      const std::optional<AuthHeaderWithDomain>& header, const soapsvc::context& context);

  /// Who has sent a UsernameToken, as domain_of finds it in the context; nullopt: nobody. Its
  /// password is what Token is in the header: a password would cost 0.3 s with each call. Its user
  /// is a name, or name@domain.
  std::optional<std::string> sender_of(
      std::string_view user, std::string_view token, const soapsvc::context& context);

  /// A new token for the only user in any domain with that name and API token.
  /// Throws the fault 1001.
  std::string token_by_api_token(
      const std::optional<std::string>& user,
      const std::optional<std::string>& api_token,
      const soapsvc::context& context);

  /// A new token for the user with that name and password: of that domain, or, without one, the
  /// only such user in any. Throws the fault 1001, or 1003 as above.
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

  /// Whose a token is: where its holder may act; or that it has one, but elsewhere.
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
  PasswordHash nobody_;  ///< what an unknown user's password is compared with
  std::unique_ptr<PasswordGate> gate_;
  std::unique_ptr<Pause> pause_;
  std::unique_ptr<Failures> failures_;
  std::unique_ptr<Turns> turns_;
};
