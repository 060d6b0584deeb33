// The stores in one SQLite file, for one machine.
#pragma once

#include "store/store.hpp"

/// The file of the database, and how it is opened.
struct SqliteOptions {
  std::string file;
  bool create = true;  ///< create the file if it does not exist
  std::string vfs;  ///< SQLite's file system layer; empty: the default
  std::string synchronous = "FULL";  ///< lower levels can lose acknowledged writes
  std::chrono::milliseconds patience{5000};  ///< how long another process may hold the lock
  std::size_t group = 256;  ///< maximum number of writes in one transaction
  std::size_t waiting = 4096;  ///< maximum number of waiting writes; more are refused
  /// For send_all() only: fails while another process uses the file, and locks out other processes.
  bool alone = false;
  std::function<void(const std::string&)> tell;  ///< receives messages for the operator
};

/// All stores in one SQLite file. May be called from any number of threads. A call reads on a
/// connection of its own; one thread of the store does all writes.
class SqliteStore final : public Store {
public:
  /// Opens or creates the file, and migrates its schema. Throws UnusableDatabase.
  explicit SqliteStore(SqliteOptions options);
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

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
  std::optional<std::int32_t> insert_current(
      DomainId domain,
      std::int32_t employee_id,
      const EmployeeAddress& address,
      std::chrono::sys_days first_day,
      std::chrono::sys_days today) override;

  std::optional<std::vector<WebhookSetting>> list_webhooks(
      DomainId domain, std::int32_t debtor_id) override;

  void check() override;

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
  std::optional<DomainId> find_named(const std::optional<std::string>& domain);

  struct Parts;  // hides SQLite's headers
  std::unique_ptr<Parts> parts_;
};
