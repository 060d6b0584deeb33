// The interfaces of the example's data. SQLite (sqlite/store.hpp) and PostgreSQL
// (postgres/store.hpp) implement them; see open_store().
//
// The services know only the interfaces, not the database. Each query for data of a tenant names
// its domain, so the services need not check the rows again.
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

/// A tenant ("environment"). Its own type prevents a mix-up with other numbers.
enum class DomainId : std::int64_t {};

/// A SHA-256 digest, stored in place of a random secret. For passwords see PasswordHash.
using Digest = std::array<unsigned char, 32>;

/// A scrypt hash (RFC 7914) with its parameters, so that new passwords can have a higher cost while
/// old hashes stay valid.
struct PasswordHash {
  std::string salt;
  std::string hash;
  std::uint32_t cost = 0;  ///< N
  std::uint32_t block_size = 0;  ///< r
  std::uint32_t parallelisation = 0;  ///< p
};

/// When a token was issued, by a clock that cannot be set: the time since the machine started, and
/// the id of that start.
struct TokenIssue {
  std::string boot_id;
  std::chrono::nanoseconds since_boot{};
};

/// The credential that a user has shown to get a token: the digest of the API token, or the salt of
/// the password's hash. A hash that is renewed at a higher cost keeps its salt.
using Credential = std::variant<Digest, std::string>;

/// A token to store: its digest, never the token itself.
struct IssuedToken {
  Digest digest{};
  DomainId domain{};  ///< of the user
  std::int64_t user_id = 0;
  Credential shown;
  TokenIssue issue;  ///< unused by a store with its own clock
  std::chrono::sys_seconds wall;  ///< shown to operators only
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

/// The stored facts about the domain and the token of one request.
struct TokenFacts {
  std::optional<DomainId> domain;  ///< nullopt: not named, or unknown
  std::vector<TokenHolder> holders;
  /// The current time of the store's clock for tokens. nullopt: the store uses the clock of this
  /// machine.
  std::optional<TokenIssue> now = {};
};

/// The stored facts about the domain and the user name of one request.
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

  /// The domain, if named, and the holders of that token: those in the domain, or if there are
  /// none, those in any domain.
  virtual TokenFacts find_token(const std::optional<std::string>& domain, const Digest& token) = 0;

  /// The domain, if named, and at most `limit` users of that name in any domain.
  virtual PasswordFacts find_passwords(
      const std::optional<std::string>& domain, const std::string& user, std::size_t limit) = 0;

  /// Stores a new token, and deletes tokens that are older than `lifetime` or of another boot.
  /// Returns false and stores nothing if the user is disabled or belongs to another domain, or if
  /// the credential is not the user's any more. The user cannot change between this check and the
  /// commit.
  virtual bool add_token(const IssuedToken& token, std::chrono::nanoseconds lifetime) = 0;

  /// Replaces the hash of a user's password by a hash of the same password at another cost. It does
  /// so only if the salt is unchanged: a new password has a new salt.
  virtual void renew_password(
      DomainId domain, std::int64_t user_id, const PasswordHash& renewed) = 0;
};

/// The maximum number of an employee's addresses that have not ended. It bounds the response of the
/// list operation.
inline constexpr std::int32_t most_current_addresses = 10'000;

/// An address with more bytes of text than `most_short_text` is added only if the employee has fewer
/// than `most_beside_long_text`. Else a list of them would take hundreds of megabytes.
inline constexpr std::size_t most_short_text = 250;
inline constexpr std::int32_t most_beside_long_text = 500;

/// The number of addresses that have not ended with which an employee gets no further one like this.
std::int32_t most_current(const EmployeeAddress& address);

/// The addresses of employees.
class AddressStore {
public:
  virtual ~AddressStore() = default;

  /// The addresses that are valid on `today`, ordered by id. nullopt: the domain has no such
  /// employee.
  virtual std::optional<std::vector<EmployeeAddress>> list_current(
      DomainId domain, std::int32_t employee_id, std::chrono::sys_days today) = 0;

  /// Adds an address that begins on `first_day` and has no end; its id is ignored. If it is a
  /// default address, the employee's other addresses that are valid on `today` lose that mark.
  /// Returns the id of the new row once the row is on disk. Returns nullopt and changes nothing if
  /// the domain has no such employee, or the employee has most_current(address) addresses.
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

/// Checks that the data can be read and changed.
class HealthStore {
public:
  virtual ~HealthStore() = default;

  /// Commits a write without effect, in the same way as other writes. So it detects a full disk, a
  /// read-only file, and a lock that is not released. With SQLite, it also reads a row of each
  /// table, to find damage. Returns once the write is on disk. Throws the reason why the database
  /// cannot serve.
  virtual void check() = 0;
};

/// The keys by which failed sign-ons by password are counted. guesses.hpp has the consequences.
enum class GuessKind : std::uint8_t {
  known,  ///< user, domain and network, after a sign-on: `failures` is 1
  pair,  ///< user, domain and network
  user,  ///< all domains and networks together
  newcomers,  ///< user, for networks with few failures
  network,  ///< all users together
  guesser  ///< user and network, all domains together; a success forgets nothing here
};
inline constexpr std::size_t guess_kinds = 6;

/// One count. A new row is all zero.
struct GuessRow {
  std::uint32_t failures = 0;
  std::chrono::nanoseconds last{};  ///< when it was last changed
  std::chrono::nanoseconds next_turn{};  ///< when the next attempt may be checked
};

/// A key and a row of each kind, in the order of GuessKind. Keys are digests, so that their size
/// does not depend on the names that callers choose.
using GuessKeys = std::array<Digest, guess_kinds>;
using GuessRows = std::array<GuessRow, guess_kinds>;

/// The counts of failed sign-ons by password: of one process, or of all processes that share the
/// store. May be called from any number of threads.
class GuessStore {
public:
  virtual ~GuessStore() = default;

  /// Calls `change` with the rows of these keys and the time of the store's clock. This clock never
  /// goes back, and all processes that share the rows use it. During the call, no other caller
  /// reads or changes the rows. If `change` returns true, the rows with `last` equal to `now` are
  /// stored. `change` may be called again if the store must try again. Rows may be deleted
  /// `guesses_kept(kind)` after their `last`. If there are too many rows of a kind, the rows with
  /// the oldest `last` are deleted earlier.
  virtual void change(
      const GuessKeys& keys,
      const std::function<bool(GuessRows& rows, std::chrono::nanoseconds now)>& change) = 0;
};

/// How long a row of this kind is valid.
constexpr std::chrono::seconds guesses_kept(GuessKind kind) {
  return kind == GuessKind::known ? std::chrono::hours(24 * 30) : std::chrono::minutes(5);
}

/// The maximum number of enabled users with one name, in all domains. A sign-on by password without
/// a domain computes a scrypt hash for each of them.
inline constexpr std::size_t most_namesakes = 4;

/// A user to add.
struct NewUser {
  std::string domain;
  std::string name;
  PasswordHash password;
  Digest api_token{};
};

/// A webhook setting to add. Its events are given by kind; the database has their names.
struct NewWebhook {
  std::int32_t debtor_id = 0;
  std::string name;
  std::string endpoint;
  bool active = true;
  std::vector<std::pair<std::int32_t, bool>> events;  ///< kind and whether it is subscribed
};

/// The operations of the operator's commands. Writes return once they are on disk.
class AdminStore {
public:
  struct UserRow {
    std::string domain;
    std::string name;
    bool disabled = false;
  };
  /// The number of users whose password hashes have the same cost.
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
    std::string events;  ///< the subscribed kinds, separated by commas
  };
  /// The result of a write. Only `done` has changed the database.
  enum class Outcome { done, exists, no_domain, no_user, no_debtor, no_event, no_id, namesakes };

  virtual ~AdminStore() = default;

  virtual Outcome add_domain(const std::string& name) = 0;
  /// `namesakes`: there are `most_namesakes` enabled users of that name already.
  virtual Outcome add_user(const NewUser& user) = 0;
  virtual Outcome disable_user(const std::string& domain, const std::string& name) = 0;

  /// Replaces the API token; all tokens that were issued to the user before are invalid.
  virtual Outcome rotate_token(
      const std::string& domain, const std::string& name, const Digest& api_token) = 0;

  /// `id` is the id to use, or 0 for the highest id plus one. The new id is stored there. `no_id`:
  /// no higher id exists.
  virtual Outcome add_employee(const std::string& domain, std::int32_t& id) = 0;
  /// The same for a debtor.
  virtual Outcome add_debtor(const std::string& domain, std::int32_t& id) = 0;
  /// Stores the new id in `id`.
  virtual Outcome add_webhook(const NewWebhook& webhook, std::int32_t& id) = 0;

  virtual std::vector<std::string> list_domains() = 0;
  virtual std::vector<UserRow> list_users() = 0;
  virtual std::vector<CostRow> list_costs() = 0;
  virtual std::vector<OwnedRow> list_employees() = 0;
  virtual std::vector<OwnedRow> list_debtors() = 0;
  virtual std::vector<WebhookRow> list_webhooks() = 0;

  /// True if the database has no data yet.
  virtual bool is_empty() = 0;

  /// Inserts all of `seed`. Returns false and inserts nothing if the database is not empty.
  virtual bool fill(const Seed& seed) = 0;

  /// Grants a role the rights that `payroll serve` needs, and no others.
  virtual void grant(const std::string& role) = 0;

  /// Copies the current state of the database into `file`, which must not exist, and syncs it.
  virtual void backup(const std::string& file) = 0;
};

/// The database cannot be used. what() is one line for the operator that says what to do.
class UnusableDatabase : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The options do not name a database, or contradict its address: later attempts also fail.
class WrongOptions : public UnusableDatabase {
public:
  using UnusableDatabase::UnusableDatabase;
};

/// The tables that are copied to another database, with their columns. Each table refers only to
/// earlier tables. Tokens are not copied: they live for seconds, by the clock of one database.
enum class CopyTable : std::uint8_t {
  domain,  ///< id, name
  user,  ///< id, domain, name, salt, hash, N, r, p, digest of the API token, disabled
  employee,  ///< id, domain
  address,  ///< id, domain, employee, default, seven texts, type, first day, last day
  debtor,  ///< id, domain
  webhook_setting,  ///< id, domain, debtor, name, endpoint, active
  webhook_event,  ///< setting, domain, debtor, event, active
  last_id  ///< table, the last id that it used
};
inline constexpr std::size_t copy_tables = 8;

/// A value as text: numbers decimal, flags 0 or 1, days YYYY-MM-DD, bytes as they are. nullopt:
/// NULL.
using CopyValue = std::optional<std::string>;
using CopyRow = std::vector<CopyValue>;
using CopySink = std::function<void(CopyTable, const CopyRow&)>;

/// The database has a table that CopyTable does not list: a copy would lose its rows.
class UncopiedTable : public std::runtime_error {
public:
  explicit UncopiedTable(const std::string& name)
      : std::runtime_error(
            "payroll copy does not know the table " + name +
            ", and would lose its rows; nothing was copied; add it to CopyTable") {}
};

/// Copies a whole database to another.
class CopyStore {
public:
  virtual ~CopyStore() = default;

  /// Sends every row of every table to `take`, ordered by id, from one snapshot. If the store was
  /// opened with StoreOptions::alone, no other process writes while it is open.
  virtual void send_all(const CopySink& take) = 0;

  /// Inserts all rows that `give` sends to its sink, in one transaction. Returns false and inserts
  /// nothing if the database is not empty.
  virtual bool receive_all(const std::function<void(const CopySink&)>& give) = 0;
};

/// All interfaces of one database. May be called from any number of threads.
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

/// Selects the database and its use.
struct StoreOptions {
  std::string db;  ///< a file, or an address of PostgreSQL in any form that libpq takes
  bool create = true;  ///< create the file or the tables if they do not exist
  int partitions = 0;  ///< partitions of PostgreSQL's tables, by domain; 0: none
  bool serves = false;  ///< for `payroll serve`: problems are reported at start
  bool alone = false;  ///< no other process may use the database meanwhile
  std::string read_from;  ///< PostgreSQL's standbys to read from; "": none
  std::size_t connections = 6;  ///< maximum number of connections to PostgreSQL
  std::chrono::milliseconds timeout{5000};  ///< how long a call may wait for the database
  std::function<void(const std::string&)> tell;  ///< receives messages for the operator
};

/// Opens the database that `db` names. Throws UnusableDatabase or WrongOptions.
std::unique_ptr<Store> open_store(const StoreOptions& options);

/// True if `db` is a database server, so that each query waits for another process.
bool is_database_server(const std::string& db);

/// `db` without its password, for messages.
std::string shown_database(const std::string& db);
