// The stores in PostgreSQL, for any number of processes on any number of machines.
//
// Acknowledged data is committed, also if the connection was lost during the commit; see
// insert_current(). Tokens use the database's clock; see token_clock.hpp.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "auth/auth.hpp"
#include "auth/token_clock.hpp"
#include "store/known_domains.hpp"
#include "store/outages.hpp"
#include "store/postgres/guesses.hpp"
#include "store/postgres/nonces.hpp"
#include "store/postgres/pool.hpp"
#include "store/postgres/schema.hpp"
#include "store/store.hpp"

/// The address of the database and its use.
struct PostgresOptions {
  std::string db;  ///< in every form that libpq accepts
  std::string read_from;  ///< standbys for reads of addresses and webhooks; "": the primary
  bool create = true;  ///< create the tables if they do not exist
  bool serves = false;  ///< for `payroll serve`: checks rights and settings
  bool alone = false;  ///< no other process may use the database meanwhile
  int partitions = 0;  ///< of a tenant's tables, if they are created
  std::size_t connections = 6;  ///< maximum; a third of them writes
  std::chrono::milliseconds timeout{5000};  ///< how long a call may take
  std::function<void(const std::string&)> tell;  ///< receives messages for the operator
  Clock clock = system_moment;
};

class PostgresStore final : public Store {
public:
  /// Connects, and migrates the schema if the role may. Throws UnusableDatabase.
  explicit PostgresStore(PostgresOptions options);
  ~PostgresStore() override;
  PostgresStore(const PostgresStore&) = delete;
  PostgresStore& operator=(const PostgresStore&) = delete;

  std::optional<DomainId> find_domain(const std::string& name) override;
  TokenFacts find_token(const std::optional<std::string>& domain, const Digest& token) override;
  PasswordFacts find_passwords(
      const std::optional<std::string>& domain,
      const std::string& user,
      std::size_t limit) override;
  bool add_token(const IssuedToken& token, std::chrono::nanoseconds lifetime) override;
  void renew_password(DomainId domain, std::int64_t user_id, const PasswordHash& renewed) override;

  std::optional<std::vector<EmployeeAddress>> list_current(
      DomainId domain, std::int32_t employee_id, std::chrono::sys_days today) override;

  /// Stores a random key beside the row. If the response to the commit is lost, the insert is
  /// repeated with the same key. The repetition waits for a commit in progress, and adds nothing if
  /// the key exists. A row that was found is acknowledged after one more commit. A standby that
  /// confirms this commit has the row too.
  std::optional<std::int32_t> insert_current(
      DomainId domain,
      std::int32_t employee_id,
      const EmployeeAddress& address,
      std::chrono::sys_days first_day,
      std::chrono::sys_days today) override;

  std::optional<std::vector<WebhookSetting>> list_webhooks(
      DomainId domain, std::int32_t debtor_id) override;

  void check() override;
  GuessStore* guesses() override { return guesses_.get(); }
  std::shared_ptr<soapsvc::replay_cache> replays() override { return nonces_; }

  Outcome add_domain(const std::string& name) override;
  Outcome add_user(const NewUser& user) override;
  Outcome disable_user(const std::string& domain, const std::string& name) override;
  Outcome rotate_token(
      const std::string& domain, const std::string& name, const Digest& api_token) override;
  Outcome add_employee(const std::string& domain, std::int32_t& id) override;
  Outcome add_debtor(const std::string& domain, std::int32_t& id) override;
  Outcome add_webhook(const NewWebhook& webhook, std::int32_t& id) override;
  std::vector<std::string> list_domains() override;
  std::vector<UserRow> list_users() override;
  std::vector<CostRow> list_costs() override;
  std::vector<OwnedRow> list_employees() override;
  std::vector<OwnedRow> list_debtors() override;
  std::vector<WebhookRow> list_webhooks() override;
  bool is_empty() override;
  bool fill(const Seed& seed) override;
  void grant(const std::string& role) override;
  void backup(const std::string& file) override;
  void send_all(const CopySink& take) override;
  bool receive_all(const std::function<void(const CopySink&)>& give) override;

private:
  postgres::PoolOptions pool_options(bool writes, std::size_t connections);
  postgres::PoolOptions standby_options(std::size_t connections);
  void prepare(postgres::Connection& session, postgres::Deadline deadline);
  void open();
  void hold_alone();
  void share(postgres::Connection& session, postgres::Deadline deadline) const;
  void tell(const std::string& what);
  void tell_of_weak_tls(const postgres::Connection& session, const char* option);
  void tell_of_standbys();
  postgres::Done run(postgres::Pool& pool, postgres::Work work, const char* in_doubt = nullptr);
  postgres::Done read(postgres::Work work);
  bool standby_is_due();
  void rest_standby(const std::string& why);
  void trust_standby();
  [[noreturn]] void fail(const postgres::Unavailable& error, const char* in_doubt);

  ClockReading short_look(ClockReading reading);
  bool is_steady(const ClockReading& reading);
  bool open_epoch(std::int64_t after, const std::string& why);
  void learn_clock(const ClockReading& reading);
  void tell_clock();
  void purge_tokens(std::chrono::nanoseconds lifetime);
  void note_id(std::int32_t id);
  std::optional<std::int32_t> ids_to_forget();

  /// A transaction of an operator's command, on its own connection.
  using Body = std::function<void(postgres::Connection&, postgres::Deadline)>;
  void write_alone(const Body& body, std::chrono::milliseconds commit_timeout = {});
  postgres::Rows read_alone(const postgres::Statement& statement);

  PostgresOptions options_;
  postgres::SchemaOptions schema_;
  KnownDomains domains_;
  TokenClock clock_;
  std::mutex told_mutex_;
  std::vector<std::string> told_;
  Outages outages_{options_.tell, options_.clock};
  std::atomic<std::int64_t> tokens_purged_{0};  // time in seconds since boot
  std::mutex keys_mutex_;
  /// The newest id at a time since boot: one entry per minute, the oldest first.
  std::deque<std::pair<std::chrono::nanoseconds, std::int32_t>> ids_made_;
  unsigned inserts_ = 0;
  std::unique_ptr<postgres::Connection> alone_;  // its lock excludes other processes
  std::unique_ptr<postgres::Pool> primary_;
  std::unique_ptr<postgres::Pool> writer_;
  std::unique_ptr<postgres::SharedGuesses> guesses_;
  std::shared_ptr<postgres::SharedNonces> nonces_;
  std::unique_ptr<postgres::Pool> standby_;  // null: read from the primary
  /// Reads use the primary until this time, in milliseconds of the steady clock. 0: the last read
  /// from a standby succeeded.
  std::atomic<std::int64_t> standby_rests_{0};
};
