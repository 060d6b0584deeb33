// Where the example keeps its data: small interfaces in its own terms. Behind them stand SQLite
// (sqlite/store.hpp) and the other databases that open_store() knows.
//
// The services know only the interfaces, and do not notice which database it is. Each query for data of
// a tenant names its domain, so that no row that was read must still be checked.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

struct EmployeeAddress;  // employee.hpp
struct WebhookSetting;  // debtor.hpp
struct Seed;  // demo.hpp

namespace soapsvc {
class replay_cache;
}

/// A tenant ("environment"). A type of its own, so that it cannot be swapped with another number.
enum class DomainId : std::int64_t {};

/// A SHA-256. All that is kept of a secret that is random; see PasswordHash for those that are not.
using Digest = std::array<unsigned char, 32>;

/// A scrypt hash (RFC 7914) with what is needed to compute it again, so that the cost can be raised
/// for new passwords while old ones stay valid.
struct PasswordHash {
  std::string salt;
  std::string hash;
  std::uint32_t cost = 0;  ///< N
  std::uint32_t block_size = 0;  ///< r
  std::uint32_t parallelisation = 0;  ///< p
};

/// When a token was issued, on the clock that nobody can set: the time since the machine started,
/// and which start that was.
struct TokenIssue {
  std::string boot_id;
  std::chrono::nanoseconds since_boot{};
};

/// What a user has shown to get a token: the API token, by its digest; or the password, by the salt
/// that came with it. A hash that is computed anew at a higher cost keeps its salt.
using Credential = std::variant<Digest, std::string>;

/// A token to be kept: its digest, never itself.
struct IssuedToken {
  Digest digest{};
  DomainId domain{};  ///< of the user
  std::int64_t user_id = 0;
  Credential shown;
  TokenIssue issue;  ///< of no interest to a store that has a clock of its own
  std::chrono::sys_seconds wall;  ///< for the operator's eyes; nothing is decided by it
};

/// An enabled user who holds a token: an API token, or an issued one, which may have expired.
struct TokenHolder {
  std::int64_t user_id = 0;
  DomainId domain{};
  std::string user;
  Digest digest{};
  std::optional<TokenIssue> issue;  ///< nullopt: it is the user's API token
};

/// An enabled user and the password to compare with.
struct PasswordHolder {
  std::int64_t user_id = 0;
  DomainId domain{};
  PasswordHash password;
};

/// What is known about the domain and the token of one request.
struct TokenFacts {
  std::optional<DomainId> domain;  ///< nullopt: not named, or unknown
  std::vector<TokenHolder> holders;
  /// The time on the clock that tokens are issued by, if the store has one; else it is this
  /// machine's.
  std::optional<TokenIssue> now = {};
};

/// What is known about the domain and the user name of one request.
struct PasswordFacts {
  std::optional<DomainId> domain;  ///< nullopt: not named, or unknown
  std::vector<PasswordHolder> holders;  ///< the user of that domain first
};

/// Users, their credentials and the tokens issued to them.
class UserStore {
public:
  virtual ~UserStore() = default;

  /// The domain of that name.
  virtual std::optional<DomainId> find_domain(const std::string& name) = 0;

  /// The domain, if named, and everyone who holds that token: there, or if there is nobody, in any
  /// domain.
  virtual TokenFacts find_token(const std::optional<std::string>& domain, const Digest& token) = 0;

  /// The domain, if named, and at most `limit` users of that name in any domain.
  virtual PasswordFacts find_passwords(
      const std::optional<std::string>& domain, const std::string& user, std::size_t limit) = 0;

  /// Keeps a new token, and forgets those that are older than `lifetime` or of another boot. False,
  /// and nothing is kept: the user is disabled by now, or of another domain, or the credential that
  /// was shown is not theirs any more. Nobody can change that between this look and the commit.
  virtual bool add_token(const IssuedToken& token, std::chrono::nanoseconds lifetime) = 0;

  /// Replaces the hash of a user's password by one of the same password at another cost, if the
  /// salt is still the same: a password that was changed meanwhile has another one.
  virtual void renew_password(
      DomainId domain, std::int64_t user_id, const PasswordHash& renewed) = 0;
};

/// The maximum of an employee's addresses that have not ended. It bounds the list of them.
inline constexpr std::int32_t most_current_addresses = 10'000;

/// An address with more bytes of text is added only beside fewer others, else a list of them would take
/// hundreds of megabytes.
inline constexpr std::size_t most_short_text = 250;
inline constexpr std::int32_t most_beside_long_text = 500;

/// With how many addresses that have not ended an employee gets no further one like this.
std::int32_t most_current(const EmployeeAddress& address);

/// The addresses of employees.
class AddressStore {
public:
  virtual ~AddressStore() = default;

  /// The addresses that have begun and not ended on `today`, ordered by id. nullopt: the domain
  /// has no such employee.
  virtual std::optional<std::vector<EmployeeAddress>> list_current(
      DomainId domain, std::int32_t employee_id, std::chrono::sys_days today) = 0;

  /// Adds an address that begins on `first_day` and has no end; its id is ignored. A default
  /// address takes that mark from the employee's others that are active on `today`. Returns once
  /// the new row, whose id it gives, is on disk. nullopt: the domain has no such employee, or the
  /// employee has most_current(address); nothing has changed.
  virtual std::optional<std::int32_t> insert_current(
      DomainId domain,
      std::int32_t employee_id,
      const EmployeeAddress& address,
      std::chrono::sys_days first_day,
      std::chrono::sys_days today) = 0;
};

/// The webhook settings of debtors.
class WebhookStore {
public:
  virtual ~WebhookStore() = default;

  /// The settings with their events, ordered by id. nullopt: the domain has no such debtor.
  virtual std::optional<std::vector<WebhookSetting>> list_webhooks(
      DomainId domain, std::int32_t debtor_id) = 0;
};

/// Whether the data can be reached and changed.
class HealthStore {
public:
  virtual ~HealthStore() = default;

  /// Commits a write that changes nothing, as all other writes are committed: a full disk, a file
  /// that may not be written and a lock that somebody keeps show themselves here. With SQLite, also
  /// reads a row of each table, to find damage. Returns once the write is on disk. Throws the reason
  /// for which the database cannot serve.
  virtual void check() = 0;
};

/// What failed sign-ons by password are counted by. See guesses.hpp for what follows from them.
enum class GuessKind : std::uint8_t {
  known,  ///< user, domain and network, of those who signed on: `failures` is 1
  pair,  ///< user, domain and network
  user,  ///< all domains and networks together
  newcomers,  ///< of a user, networks that have not failed often
  network,  ///< all users together
  guesser  ///< user and network, all domains together; a success forgets nothing here
};
inline constexpr std::size_t guess_kinds = 6;

/// One count. Before its first change it is all zero.
struct GuessRow {
  std::uint32_t failures = 0;
  std::chrono::nanoseconds last{};  ///< when it was last changed
  std::chrono::nanoseconds next_turn{};  ///< when the next attempt may be looked at
};

/// A key and a row of each kind, in their order. Keys are digests, so that strangers' made-up names
/// take no more room than others.
using GuessKeys = std::array<Digest, guess_kinds>;
using GuessRows = std::array<GuessRow, guess_kinds>;

/// What is remembered of attempts to sign on by password: of one process, or, where the store is
/// shared by several, of all of them. May be called from any number of threads.
class GuessStore {
public:
  virtual ~GuessStore() = default;

  /// Hands the rows of these keys to `change`, with the time on the store's clock, which nobody can
  /// set back and all processes that share the rows agree on. Nobody else sees or changes them
  /// meanwhile. If `change` returns true, keeps those whose `last` is `now`; it may be called again
  /// if the store must try again. Rows may be forgotten `guesses_kept(kind)` after their `last`; or earlier when
  /// there are too many of one kind, the longest unchanged first.
  virtual void change(
      const GuessKeys& keys,
      const std::function<bool(GuessRows& rows, std::chrono::nanoseconds now)>& change) = 0;
};

/// How long a row of this kind means something.
constexpr std::chrono::seconds guesses_kept(GuessKind kind) {
  return kind == GuessKind::known ? std::chrono::hours(24 * 30) : std::chrono::minutes(5);
}

/// Enabled users of one name, in all domains: whoever signs on by password without a domain is looked
/// for among so many, since each of them costs a scrypt computation.
inline constexpr std::size_t most_namesakes = 4;

/// A user to be made.
struct NewUser {
  std::string domain;
  std::string name;
  PasswordHash password;
  Digest api_token{};
};

/// A webhook setting to be made. Its events are given by kind; their names are known already.
struct NewWebhook {
  std::int32_t debtor_id = 0;
  std::string name;
  std::string endpoint;
  bool active = true;
  std::vector<std::pair<std::int32_t, bool>> events;  ///< kind and whether it is subscribed
};

/// What an operator does on the command line. Writes return once they are on disk.
class AdminStore {
public:
  struct UserRow {
    std::string domain;
    std::string name;
    bool disabled = false;
  };
  /// The users whose passwords' hashes have the same cost.
  struct CostRow {
    std::int64_t cost = 0;  ///< N
    std::int64_t block_size = 0;  ///< r
    std::int64_t parallelisation = 0;  ///< p
    bool disabled = false;
    std::int64_t users = 0;
  };
  struct OwnedRow {
    std::string domain;
    std::int32_t id = 0;
  };
  struct WebhookRow {
    std::string domain;
    std::int32_t debtor_id = 0;
    std::int32_t id = 0;
    std::string name;
    std::string endpoint;
    bool active = false;
    std::string events;  ///< the subscribed kinds, with commas between them
  };
  /// What became of a write; what is not `done` has changed nothing.
  enum class Outcome { done, exists, no_domain, no_user, no_debtor, no_event, no_id, namesakes };

  virtual ~AdminStore() = default;

  virtual Outcome add_domain(const std::string& name) = 0;
  /// `namesakes`: there are `most_namesakes` enabled users of that name already.
  virtual Outcome add_user(const NewUser& user) = 0;
  virtual Outcome disable_user(const std::string& domain, const std::string& name) = 0;

  /// Replaces the API token; tokens issued to the user so far are void from now on.
  virtual Outcome rotate_token(
      const std::string& domain, const std::string& name, const Digest& api_token) = 0;

  /// `id` is the wanted one, or 0 for the one after the highest, and the given one afterwards.
  /// `no_id`: none is after the highest.
  virtual Outcome add_employee(const std::string& domain, std::int32_t& id) = 0;
  /// The same for a debtor.
  virtual Outcome add_debtor(const std::string& domain, std::int32_t& id) = 0;
  /// `id` is the new one afterwards.
  virtual Outcome add_webhook(const NewWebhook& webhook, std::int32_t& id) = 0;

  virtual std::vector<std::string> list_domains() = 0;
  virtual std::vector<UserRow> list_users() = 0;
  virtual std::vector<CostRow> list_costs() = 0;
  virtual std::vector<OwnedRow> list_employees() = 0;
  virtual std::vector<OwnedRow> list_debtors() = 0;
  virtual std::vector<WebhookRow> list_webhooks() = 0;

  /// Whether nobody has put anything into this database yet.
  virtual bool is_empty() = 0;

  /// Puts in all of `seed`, or nothing if the database is not empty any more; says which.
  virtual bool fill(const Seed& seed) = 0;

  /// Lets a role of the database do what `payroll serve` does, and no more.
  virtual void grant(const std::string& role) = 0;

  /// Copies the database as it is now into `file`, which must not exist, and syncs it.
  virtual void backup(const std::string& file) = 0;
};

/// The database cannot be used. what() is one line for the operator that says what to do.
class UnusableDatabase : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The options are no address of a database, or contradict it: no later attempt succeeds.
class WrongOptions : public UnusableDatabase {
public:
  using UnusableDatabase::UnusableDatabase;
};

/// The tables that move from one database to another, in an order in which each refers to earlier
/// ones only, with their columns. Tokens do not move: they live for seconds, by another clock.
enum class CopyTable : std::uint8_t {
  domain,  ///< id, name
  user,  ///< id, domain, name, salt, hash, N, r, p, digest of the API token, disabled
  employee,  ///< id, domain
  address,  ///< id, domain, employee, default, seven texts, type, first day, last day
  debtor,  ///< id, domain
  webhook_setting,  ///< id, domain, debtor, name, endpoint, active
  webhook_event,  ///< setting, domain, debtor, event, active
  last_id  ///< table, the last id that was given out there
};
inline constexpr std::size_t copy_tables = 8;

/// A value as text: numbers decimal, flags 0 or 1, days YYYY-MM-DD, bytes as they are. nullopt: NULL.
using CopyValue = std::optional<std::string>;
using CopyRow = std::vector<CopyValue>;
using CopySink = std::function<void(CopyTable, const CopyRow&)>;

/// The database has a table that is no CopyTable, so that a copy would lose its rows.
class UncopiedTable : public std::runtime_error {
public:
  explicit UncopiedTable(const std::string& name)
      : std::runtime_error(
            "payroll copy does not know the table " + name +
            ", and would lose its rows; nothing was copied; add it to CopyTable") {}
};

/// A whole database on its way to another one.
class CopyStore {
public:
  virtual ~CopyStore() = default;

  /// Hands out every row of every table, ordered by id, as of one moment. For a store that was opened
  /// with StoreOptions::alone nobody writes from when it was opened until it is closed.
  virtual void send_all(const CopySink& take) = 0;

  /// Puts in all that `give` hands to its sink, in one transaction, if the database is empty; says
  /// whether it was.
  virtual bool receive_all(const std::function<void(const CopySink&)>& give) = 0;
};

/// All of it, in one database. May be called from any number of threads.
class Store : public UserStore,
              public AddressStore,
              public WebhookStore,
              public HealthStore,
              public AdminStore,
              public CopyStore {
public:
  using AdminStore::list_webhooks;
  using WebhookStore::list_webhooks;

  /// The counts that all processes on this database share; null: each process keeps its own.
  virtual GuessStore* guesses() { return nullptr; }

  /// The nonces that all processes on this database share; null: each process keeps its own.
  virtual std::shared_ptr<soapsvc::replay_cache> replays() { return nullptr; }
};

/// Which database, and how it is used.
struct StoreOptions {
  std::string db;  ///< a file, or an address of PostgreSQL in any form that libpq takes
  bool create = true;  ///< make the file, or the tables, if there are none
  int partitions = 0;  ///< into which PostgreSQL's tables are made, by domain; 0: whole ones
  bool serves = false;  ///< for `payroll serve`: what stands in its way is told at once
  bool alone = false;  ///< refused while another process uses it, and keeps others out
  std::string read_from;  ///< PostgreSQL's standbys to read from; "": none
  std::size_t connections = 6;  ///< to PostgreSQL, at most
  std::chrono::milliseconds timeout{5000};  ///< how long a call may wait for the database
  std::function<void(const std::string&)> tell;  ///< what the operator should know
};

/// Opens what `db` names. Throws UnusableDatabase, WrongOptions among them.
std::unique_ptr<Store> open_store(const StoreOptions& options);

/// Whether `db` is a server, so that each query waits for another process.
bool is_database_server(const std::string& db);

/// What may be shown of `db`: never a password.
std::string shown_database(const std::string& db);
