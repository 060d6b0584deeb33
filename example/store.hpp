// Where the example keeps its data: small interfaces in its own terms, and SQLite behind them.
//
// The services know the interfaces only, so that another database can stand beside SQLite without
// their noticing. Whatever belongs to a tenant is asked for together with its domain: the check is
// part of the query, so there is no row in hand that must still be checked.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct EmployeeAddress;  // employee.hpp
struct WebhookSetting;  // debtor.hpp
struct Seed;  // demo.hpp

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

/// A token to be kept: its digest, never itself.
struct IssuedToken {
    Digest digest{};
    std::int64_t user_id = 0;
    TokenIssue issue;
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

    /// The domain, if named, and everyone in any domain who holds that token.
    virtual TokenFacts find_token(
        const std::optional<std::string>& domain, const Digest& token) = 0;

    /// The domain, if named, and at most `limit` users of that name in any domain.
    virtual PasswordFacts find_passwords(
        const std::optional<std::string>& domain, const std::string& user, std::size_t limit) = 0;

    /// Keeps a new token, and forgets those that are older than `lifetime` or of another boot.
    virtual void add_token(const IssuedToken& token, std::chrono::nanoseconds lifetime) = 0;
};

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
    /// the new row, whose id it gives, is on disk. nullopt: the domain has no such employee.
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

/// Whether the data can be reached.
class HealthStore {
public:
    virtual ~HealthStore() = default;

    /// Reads something small. Throws what keeps the database from answering.
    virtual void check() = 0;
};

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
    enum class Outcome { done, exists, no_domain, no_user, no_debtor, no_event };

    virtual ~AdminStore() = default;

    virtual Outcome add_domain(const std::string& name) = 0;
    virtual Outcome add_user(const NewUser& user) = 0;
    virtual Outcome disable_user(const std::string& domain, const std::string& name) = 0;

    /// Replaces the API token; tokens issued to the user so far are void from now on.
    virtual Outcome rotate_token(
        const std::string& domain, const std::string& name, const Digest& api_token) = 0;

    /// `id` is the wanted one, or 0 for the next free one, and the given one afterwards.
    virtual Outcome add_employee(const std::string& domain, std::int32_t& id) = 0;
    /// The same for a debtor.
    virtual Outcome add_debtor(const std::string& domain, std::int32_t& id) = 0;
    /// `id` is the new one afterwards.
    virtual Outcome add_webhook(const NewWebhook& webhook, std::int32_t& id) = 0;

    virtual std::vector<std::string> list_domains() = 0;
    virtual std::vector<UserRow> list_users() = 0;
    virtual std::vector<OwnedRow> list_employees() = 0;
    virtual std::vector<OwnedRow> list_debtors() = 0;
    virtual std::vector<WebhookRow> list_webhooks() = 0;

    /// Whether nobody has put anything into this database yet.
    virtual bool is_empty() = 0;

    /// Puts in all of `seed`, or nothing if the database is not empty any more; says which.
    virtual bool fill(const Seed& seed) = 0;

    /// Copies the database as it is now into `file`, which must not exist, and syncs it.
    virtual void backup(const std::string& file) = 0;
};

/// The database cannot be used. what() is one line for the operator that says what to do.
class UnusableDatabase : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Where the database is and how it is opened.
struct SqliteOptions {
    std::string file;
    bool create = true;  ///< make the file if there is none
    std::string vfs;  ///< SQLite's file system layer; empty: the usual one
    std::string synchronous = "FULL";  ///< anything less loses acknowledged writes
    std::chrono::milliseconds patience{5000};  ///< how long another process may hold the lock
    std::size_t group = 256;  ///< writes that share a transaction, at most
    std::size_t waiting = 4096;  ///< writes that may wait; more are refused
};

/// All stores in one SQLite file. May be called from any number of threads: each reads on a
/// connection of its own while it is inside a call; one thread of the store writes for all.
class SqliteStore final : public UserStore,
                          public AddressStore,
                          public WebhookStore,
                          public HealthStore,
                          public AdminStore {
public:
    /// Opens the file, makes it if need be, and brings its schema up to date.
    /// Throws UnusableDatabase.
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
    void add_token(const IssuedToken& token, std::chrono::nanoseconds lifetime) override;

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
    std::vector<OwnedRow> list_employees() override;
    std::vector<OwnedRow> list_debtors() override;
    std::vector<WebhookRow> list_webhooks() override;
    bool is_empty() override;
    bool fill(const Seed& seed) override;
    void backup(const std::string& file) override;

private:
    std::optional<DomainId> find_named(const std::optional<std::string>& domain);

    struct Parts;  // the connections and the writer; SQLite's headers stay out of here
    std::unique_ptr<Parts> parts_;
};
