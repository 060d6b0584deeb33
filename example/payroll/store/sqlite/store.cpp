#include "store/sqlite/store.hpp"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <type_traits>

#include "auth/name.hpp"
#include "operate/process.hpp"
#include "store/demo.hpp"
#include "store/known_domains.hpp"
#include "store/outages.hpp"
#include "store/rows.hpp"

namespace {

using std::chrono::sys_days;

// --- Schema --------------------------------------------------------------------------------------

constexpr std::int32_t our_application_id = 0x50617972;  // "Payr"

/// Script n migrates a database from schema n to n + 1. Released scripts never change.
/// AUTOINCREMENT: ids are never reused.
constexpr std::array migrations{
    R"sql(
CREATE TABLE domain (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE user (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    domain_id INTEGER NOT NULL REFERENCES domain (id),
    name TEXT NOT NULL,
    password_salt BLOB NOT NULL,
    password_hash BLOB NOT NULL,
    scrypt_n INTEGER NOT NULL,
    scrypt_r INTEGER NOT NULL,
    scrypt_p INTEGER NOT NULL,
    api_token_digest BLOB NOT NULL CHECK (length(api_token_digest) = 32),
    disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
    UNIQUE (name, domain_id)
) STRICT;
CREATE INDEX user_by_api_token ON user (api_token_digest);

CREATE TABLE issued_token (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    user_id INTEGER NOT NULL REFERENCES user (id),
    boot_id TEXT NOT NULL,
    since_boot INTEGER NOT NULL, -- nanoseconds
    wall INTEGER NOT NULL        -- seconds since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX issued_token_by_age ON issued_token (boot_id, since_boot);

CREATE TABLE employee (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 2147483647),
    domain_id INTEGER NOT NULL REFERENCES domain (id)
) STRICT;

CREATE TABLE address (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 2147483647),
    employee_id INTEGER NOT NULL REFERENCES employee (id),
    is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    street TEXT,
    house_number TEXT,
    house_number_addition TEXT,
    postal_code TEXT,
    city TEXT,
    state_province TEXT,
    country_iso_code TEXT,
    type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 5),
    first_day TEXT NOT NULL CHECK (first_day IS date(first_day)),
    last_day TEXT CHECK (last_day IS date(last_day) AND last_day >= first_day)
) STRICT;
CREATE INDEX address_by_employee ON address (employee_id);
CREATE INDEX default_address_by_employee ON address (employee_id) WHERE is_default = 1;

CREATE TABLE debtor (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 2147483647),
    domain_id INTEGER NOT NULL REFERENCES domain (id)
) STRICT;

CREATE TABLE webhook_setting (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 2147483647),
    debtor_id INTEGER NOT NULL REFERENCES debtor (id),
    name TEXT,
    endpoint TEXT,
    active INTEGER NOT NULL CHECK (active IN (0, 1))
) STRICT;
CREATE INDEX webhook_setting_by_debtor ON webhook_setting (debtor_id);

CREATE TABLE event_kind (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;
INSERT INTO event_kind (id, name) VALUES
    (1, 'Run Finish'),
    (2, 'Journals Finish'),
    (3, 'Wage Tax Declaration Created'),
    (4, 'Wage Tax Declaration Sent'),
    (5, 'Pension Export Created'),
    (6, 'Pension Export Sent');

CREATE TABLE webhook_event (
    setting_id INTEGER NOT NULL REFERENCES webhook_setting (id),
    event_id INTEGER NOT NULL REFERENCES event_kind (id),
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    PRIMARY KEY (setting_id, event_id)
) STRICT, WITHOUT ROWID;
)sql",
    R"sql(
UPDATE domain SET name = normal_name(name) WHERE name <> normal_name(name);
UPDATE user SET name = normal_name(name) WHERE name <> normal_name(name);
)sql"};

constexpr int newest_schema = static_cast<int>(migrations.size());

// --- Values and statements -----------------------------------------------------------------------

/// The stored form YYYY-MM-DD, which sorts in the order of days and is readable in a shell. Valid
/// for the years 0 to 9999.
std::string text_of(sys_days day) {
  const std::chrono::year_month_day date{day};
  std::string text = "0000-00-00";
  const auto write = [&](std::size_t begin, std::size_t end, unsigned number) {
    for (; end != begin; number /= 10)
      text[--end] = static_cast<char>('0' + number % 10);
  };
  write(0, 4, static_cast<unsigned>(static_cast<int>(date.year())));
  write(5, 7, static_cast<unsigned>(date.month()));
  write(8, 10, static_cast<unsigned>(date.day()));
  return text;
}

/// Marks a string that is stored as a BLOB.
struct Bytes {
  const std::string& of;
};

/// True for a value that holds bytes: they end with it.
template <class T>
struct HoldsBytes
    : std::bool_constant<std::is_same_v<T, std::string> || std::is_same_v<T, Digest>> {};
template <class T> struct HoldsBytes<std::optional<T>> : HoldsBytes<T> {};

/// A prepared statement. SQLiteCpp's class was rejected: each value that it reads is an object that
/// shares the statement, which costs a twentieth of a call.
class Statement {
public:
  Statement(SQLite::Database& db, const std::string& sql) {
    const int size = static_cast<int>(sql.size()) + 1;
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v2(db.getHandle(), sql.c_str(), size, &made, nullptr);
    if (code != SQLITE_OK) throw SQLite::Exception(db.getHandle(), code);
    prepared_.reset(made);
  }

  sqlite3_stmt* get() const { return prepared_.get(); }

private:
  struct Finalize {
    void operator()(sqlite3_stmt* prepared) const { sqlite3_finalize(prepared); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> prepared_;
};

/// One use of a prepared statement. It binds the values in order. At its end, also by an exception,
/// it resets the statement and clears the values. A statement that is not reset would hold its
/// snapshot of the database, so that the log file could not shrink. Values are not copied: they
/// must outlive the use.
class Query {
public:
  template <class... Values>
  explicit Query(const Statement& statement, Values&&... values) : statement_(statement.get()) {
    static_assert(
        !(HoldsBytes<Values>::value || ...), "a temporary value ends before the use does");
    int index = 0;
    (bind(++index, values), ...);
  }
  Query(const Statement& statement, const CopyRow& values) : statement_(statement.get()) {
    int index = 0;
    for (const CopyValue& value : values)
      bind(++index, value);
  }
  ~Query() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /// Moves to the next row; false after the last.
  bool next() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(code);
    return code == SQLITE_ROW;
  }

  /// Runs a statement without result rows; returns the number of rows that it changed.
  int run() {
    next();
    return sqlite3_changes(sqlite3_db_handle(statement_));
  }

  int columns() const { return sqlite3_column_count(statement_); }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  bool flag(int column) const { return number(column) != 0; }
  std::int32_t number(int column) const { return sqlite3_column_int(statement_, column); }
  std::int64_t big(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const { return std::string(bytes(column)); }
  std::optional<std::string> maybe_text(int column) const {
    const std::string_view found = bytes(column);
    if (found.empty() && is_null(column)) return std::nullopt;
    return std::optional<std::string>(std::in_place, found);
  }
  DomainId domain(int column) const { return DomainId{big(column)}; }
  Digest digest(int column) const {
    const std::string_view found = bytes(column);
    Digest digest{};
    if (found.size() != digest.size())
      throw std::runtime_error("the database holds a digest of the wrong size");
    std::memcpy(digest.data(), found.data(), digest.size());
    return digest;
  }

private:
  /// Valid until the next row. The unprotected sqlite3_value is safe, because one thread uses the
  /// connection. The size is read first, because that converts other types, such as numbers, to
  /// text.
  std::string_view bytes(int column) const {
    sqlite3_value* const value = sqlite3_column_value(statement_, column);
    const int size = sqlite3_value_bytes(value);
    const auto* data = static_cast<const char*>(sqlite3_value_blob(value));
    return {data, static_cast<std::size_t>(size)};
  }

  void bind(int index, std::int32_t value) { check(sqlite3_bind_int(statement_, index, value)); }
  void bind(int index, std::uint32_t value) { bind(index, std::int64_t{value}); }
  void bind(int index, std::int64_t value) { check(sqlite3_bind_int64(statement_, index, value)); }
  void bind(int index, bool value) { bind(index, value ? 1 : 0); }
  void bind(int index, DomainId value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, AddressType value) { bind(index, static_cast<std::int32_t>(value)); }
  void bind(int index, const std::string& value) { bind_text(index, value, SQLITE_STATIC); }
  void bind(int index, sys_days value) { bind_text(index, text_of(value), SQLITE_TRANSIENT); }
  void bind(int index, const Digest& value) { bind_blob(index, value); }
  void bind(int index, const Bytes& value) { bind_blob(index, value.of); }
  template <class T> void bind(int index, const std::optional<T>& value) {
    value ? bind(index, *value) : check(sqlite3_bind_null(statement_, index));
  }
  void bind_text(int index, const std::string& value, sqlite3_destructor_type kept) {
    const int size = static_cast<int>(value.size());
    check(sqlite3_bind_text(statement_, index, value.data(), size, kept));
  }
  template <class Container> void bind_blob(int index, const Container& value) {
    const int size = static_cast<int>(value.size());
    check(sqlite3_bind_blob(statement_, index, value.data(), size, SQLITE_STATIC));
  }

  void check(int code) const {
    if (code != SQLITE_OK) fail(code);
  }
  [[noreturn]] void fail(int code) const {
    throw SQLite::Exception(sqlite3_db_handle(statement_), code);
  }

  sqlite3_stmt* statement_;
};

/// The extended error code, if SQLite has set it.
int code_of(const SQLite::Exception& error) {
  const int extended = error.getExtendedErrorCode();
  return extended > 0 ? extended : error.getErrorCode();
}

// --- Opening -------------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& file, const std::string& why, const char* what_to_do) {
  throw UnusableDatabase(file + ' ' + why + "; " + what_to_do);
}

/// Turns off SQLite's statistics of allocations, which take a lock that all threads share. Has no
/// effect once the process has used SQLite.
void leave_allocations_uncounted() {
  static const int said = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(said);
}

/// A connection for one thread at a time. Only the first connection may create the file.
SQLite::Database connect(const SqliteOptions& options, bool create) {
  const int flags =
      SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX | (create ? SQLite::OPEN_CREATE : 0);
  const int patience = static_cast<int>(options.patience.count());
  SQLite::Database db(options.file, flags, patience, options.vfs);
  db.exec("PRAGMA foreign_keys = ON");
  return db;
}

int number_of(SQLite::Database& db, const char* query) { return db.execAndGet(query).getInt(); }

void refuse_newer_schema(int schema, const std::string& file) {
  if (schema > newest_schema)
    refuse(
        file,
        "has schema " + std::to_string(schema) + " and this program knows schemas up to " +
            std::to_string(newest_schema),
        "install a newer payroll, or choose another file with --db");
}

/// Refuses a file of another program, before anything in it is changed. An empty file is accepted.
void check_is_ours(SQLite::Database& db, const std::string& file) {
  const SQLite::Transaction one_moment(db);
  const int application = number_of(db, "PRAGMA application_id");
  const int schema = number_of(db, "PRAGMA user_version");
  const int objects = number_of(db, "SELECT count(*) FROM sqlite_schema");
  const bool is_new = application == 0 && schema == 0 && objects == 0;
  if (!is_new && application != our_application_id)
    refuse(file, "is a database of another program", "choose another file with --db");
  refuse_newer_schema(schema, file);
}

/// normal_name() in SQL.
void normal_name_in_sql(sqlite3_context* context, int, sqlite3_value** values) noexcept {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
  if (!text) return sqlite3_result_error_nomem(context);  // names are never NULL
  try {
    const std::string normal = normal_name(std::string_view(text, size));
    const int length = static_cast<int>(normal.size());
    sqlite3_result_text(context, normal.data(), length, SQLITE_TRANSIENT);
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

/// The names of `select`'s rows, with escapes, because the names look alike.
std::string names_in(SQLite::Database& db, const char* select) {
  Statement statement(db, select);
  std::string names;
  for (Query query(statement); query.next();)
    names += (names.empty() ? "" : ", ") + spelled_out(query.text(0)) + " (id " +
             std::to_string(query.big(1)) + ')';
  return names;
}

/// Refuses names that became equal when NFC was introduced. Only the operator knows which of two
/// users is meant. Until a rename, no name is changed, so that no user signs on as another.
void refuse_colliding_names(SQLite::Database& db, const std::string& file) {
  const std::string domains = names_in(db, R"sql(
        SELECT name, id FROM domain
        WHERE normal_name(name) IN
            (SELECT normal_name(name) FROM domain GROUP BY 1 HAVING count(*) > 1)
        ORDER BY normal_name(name), id LIMIT 10)sql");
  const std::string users = names_in(db, R"sql(
        SELECT name, id FROM user
        WHERE (domain_id, normal_name(name)) IN
            (SELECT domain_id, normal_name(name) FROM user GROUP BY 1, 2 HAVING count(*) > 1)
        ORDER BY domain_id, normal_name(name), id LIMIT 10)sql");
  for (const auto& [table, names] : {std::pair("domain", domains), std::pair("user", users)})
    if (!names.empty())
      throw UnusableDatabase(
          file + " has names that differ only in how their letters are composed (Unicode NFC)" +
          ", in table " + table + ": " + names + "; nothing was changed; rename all but one, as" +
          " in: sqlite3 " + file + " \"UPDATE " + table + " SET name = 'another' WHERE id = N\"");
}

void migrate(SQLite::Database& db, const std::string& file) {
  db.createFunction("normal_name", 1, true, nullptr, &normal_name_in_sql, nullptr, nullptr);
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  // Read again: while this process waited for the lock, another one may have migrated the file,
  // even to a newer schema.
  const int found = number_of(db, "PRAGMA user_version");
  refuse_newer_schema(found, file);
  if (found == 1) refuse_colliding_names(db, file);
  for (int schema = found; schema < newest_schema; ++schema)
    db.exec(migrations[static_cast<std::size_t>(schema)]);
  db.exec("PRAGMA application_id = " + std::to_string(our_application_id));
  db.exec("PRAGMA user_version = " + std::to_string(newest_schema));
  transaction.commit();
}

void prepare_file(const SqliteOptions& options) {
  SQLite::Database db = connect(options, options.create);
  if (sqlite3_db_readonly(db.getHandle(), "main") == 1)
    refuse(options.file, "cannot be written", "check its permissions and those of its folder");
  check_is_ours(db, options.file);
  // First switch to the write-ahead log. From then on, no commit relies on a deleted journal that
  // could reappear after a power failure.
  if (db.execAndGet("PRAGMA journal_mode = WAL").getString() != "wal")
    refuse(
        options.file, "is on a file system without shared memory", "choose a local file with --db");
  db.exec("PRAGMA synchronous = " + options.synchronous);
  if (number_of(db, "PRAGMA user_version") < newest_schema) migrate(db, options.file);
}

/// Two programs that create the same file at once can fail with SQLITE_BUSY: SQLite does not wait
/// while the journal mode changes. The later program tries again.
void prepare_file_patiently(const SqliteOptions& options) {
  const auto until = std::chrono::steady_clock::now() + options.patience;
  for (;;) {
    try {
      return prepare_file(options);
    } catch (const SQLite::Exception& error) {
      const bool in_use = error.getErrorCode() == SQLITE_BUSY;
      if (!in_use || std::chrono::steady_clock::now() > until) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Opens the file once. Throws one line with the problem and its remedy.
void open_file(const SqliteOptions& options) {
  try {
    prepare_file_patiently(options);
  } catch (const SQLite::Exception& error) {
    const std::string why = std::string("cannot be used: ") + error.what();
    const int code = error.getErrorCode();
    const bool missing = code == SQLITE_CANTOPEN;
    const bool denied = code == SQLITE_READONLY ||
                        (::access(options.file.c_str(), R_OK | W_OK) != 0 && errno == EACCES);
    const char* what_to_do =
        denied ? "check its permissions and those of its folder"
        : missing && !options.create
            ? "create it with `payroll domain add`, or name another file with --db"
        : missing             ? "check that its folder exists and may be written"
        : code == SQLITE_FULL ? "make room on its disk"
        : code == SQLITE_BUSY ? "stop the other program that holds it, and try again"
                              : "choose another file with --db, or restore a backup";
    refuse(options.file, why, what_to_do);
  }
}

/// Every connection of another process, even an idle one, has a shared lock on the file.
std::unique_ptr<SQLite::Database> hold_alone(const SqliteOptions& options) {
  try {
    auto db = std::make_unique<SQLite::Database>(connect(options, false));
    db->setBusyTimeout(500);  // long enough for a command to end
    db->exec("PRAGMA locking_mode = EXCLUSIVE");
    number_of(*db, "SELECT count(*) FROM sqlite_schema");
    return db;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() != SQLITE_BUSY) throw;
    refuse(
        options.file,
        "is in use by another process, such as `payroll serve`",
        "stop it, so that nothing is written meanwhile");
  }
}

// --- Reading -------------------------------------------------------------------------------------

/// A read connection with its statements. Used by one thread at a time.
struct Reader {
  explicit Reader(const SqliteOptions& options) : db(connect(options, false)) {
    db.exec("PRAGMA query_only = ON");
  }

  SQLite::Database db;
  Statement domain{db, "SELECT id FROM domain WHERE name = ?1"};

  Statement token{db, R"sql(
        SELECT id, domain_id, name, api_token_digest, NULL, NULL
        FROM user
        WHERE api_token_digest = ?1 AND disabled = 0
        UNION ALL
        SELECT u.id, u.domain_id, u.name, t.digest, t.boot_id, t.since_boot
        FROM issued_token t JOIN user u ON u.id = t.user_id
        WHERE t.digest = ?1 AND u.disabled = 0)sql"};

  Statement passwords{db, R"sql(
        SELECT id, domain_id, password_salt, password_hash, scrypt_n, scrypt_r, scrypt_p
        FROM user
        WHERE name = ?1 AND disabled = 0
        ORDER BY domain_id IS ?2 DESC, id
        LIMIT ?3)sql"};

  // No row: no such employee in this domain. One row of NULL: an employee without addresses.
  Statement addresses{db, R"sql(
        SELECT a.id, a.is_default, a.street, a.house_number, a.house_number_addition,
               a.postal_code, a.city, a.state_province, a.country_iso_code, a.type
        FROM employee e
        LEFT JOIN address a ON a.employee_id = e.id
            AND a.first_day <= ?3 AND (a.last_day IS NULL OR a.last_day >= ?3)
        WHERE e.id = ?1 AND e.domain_id = ?2
        ORDER BY a.id)sql"};

  Statement webhooks{db, R"sql(
        SELECT w.id, w.name, w.endpoint, w.active, k.id, k.name, v.active
        FROM debtor d
        LEFT JOIN webhook_setting w ON w.debtor_id = d.id
        LEFT JOIN webhook_event v ON v.setting_id = w.id
        LEFT JOIN event_kind k ON k.id = v.event_id
        WHERE d.id = ?1 AND d.domain_id = ?2
        ORDER BY w.id, k.id)sql"};

  // A row of each table that calls read: of the table itself, not of an index.
  Statement tables{db, R"sql(
        SELECT (SELECT 1 FROM domain NOT INDEXED LIMIT 1),
               (SELECT 1 FROM user NOT INDEXED LIMIT 1),
               (SELECT 1 FROM issued_token NOT INDEXED LIMIT 1),
               (SELECT 1 FROM employee NOT INDEXED LIMIT 1),
               (SELECT 1 FROM address NOT INDEXED LIMIT 1),
               (SELECT 1 FROM debtor NOT INDEXED LIMIT 1),
               (SELECT 1 FROM webhook_setting NOT INDEXED LIMIT 1),
               (SELECT 1 FROM event_kind NOT INDEXED LIMIT 1),
               (SELECT 1 FROM webhook_event NOT INDEXED LIMIT 1))sql"};
};

// --- Writing -------------------------------------------------------------------------------------

/// The write connection, with the statements of the services.
struct Connection {
  explicit Connection(const SqliteOptions& options) : db(connect(options, false)) {
    db.exec("PRAGMA synchronous = " + options.synchronous);
  }

  SQLite::Database db;
  Statement begin{db, "BEGIN IMMEDIATE"};
  Statement commit{db, "COMMIT"};
  Statement savepoint{db, "SAVEPOINT one"};
  Statement release{db, "RELEASE one"};
  Statement roll_back{db, "ROLLBACK TO one"};

  // Inserts no row if the credential is not the user's any more. Either ?7 or ?8 is the credential,
  // the other is NULL.
  Statement add_token{db, R"sql(
        INSERT INTO issued_token (digest, user_id, boot_id, since_boot, wall)
        SELECT ?1, id, ?3, ?4, ?5
        FROM user
        WHERE id = ?2 AND domain_id = ?6 AND disabled = 0
            AND (api_token_digest = ?7 OR password_salt = ?8))sql"};

  // Writes the first page unchanged. It does not write user_version, which a newer program may have
  // raised meanwhile, nor a row, because there may be none.
  Statement touch{db, "PRAGMA application_id = " + std::to_string(our_application_id)};

  // Three ranges of one index; `boot_id <> ?1` would read every token.
  Statement purge_tokens{db, R"sql(
        DELETE FROM issued_token
        WHERE boot_id < ?1 OR boot_id > ?1 OR (boot_id = ?1 AND since_boot <= ?2))sql"};

  Statement add_address{db, R"sql(
        INSERT INTO address (employee_id, is_default, street, house_number, house_number_addition,
                             postal_code, city, state_province, country_iso_code, type,
                             first_day, last_day)
        SELECT id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
        FROM employee
        WHERE id = ?1 AND domain_id = ?2 AND NOT EXISTS (
            SELECT 1 FROM address
            WHERE employee_id = ?1 AND (last_day IS NULL OR last_day >= ?12)
            LIMIT 1 OFFSET ?14))sql"};

  Statement clear_default{db, R"sql(
        UPDATE address
        SET is_default = 0
        WHERE employee_id = (SELECT id FROM employee WHERE id = ?1 AND domain_id = ?2)
            AND is_default = 1 AND id <> ?3
            AND first_day <= ?4 AND (last_day IS NULL OR last_day >= ?4))sql"};

  std::int32_t last_id() const { return static_cast<std::int32_t>(db.getLastInsertRowid()); }
};

/// Equal for all names of one file; {} without a file, as for ":memory:".
struct FileIdentity {
  ::dev_t device{};
  ::ino_t inode{};
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identity_of(const std::string& file) noexcept {
  struct ::stat found {};
  return ::stat(file.c_str(), &found) == 0 ? FileIdentity{found.st_dev, found.st_ino}
                                           : FileIdentity{};
}

/// Throws if the path now leads to another file. Call it before each new connection. In another
/// file, the cached ids of domains mean other domains, and SQLite would write the log of the first
/// file into it.
void check_file(const SqliteOptions& options, const FileIdentity& first) {
  if (identity_of(options.file) == first) return;
  throw SQLite::Exception(
      "the file of the database was removed or replaced; put it back, or restart payroll",
      SQLITE_READONLY_DBMOVED);
}

/// Under load, one extra connection stays in a read transaction. Without it, the first shared lock
/// of the process on SQLite's log, and the last unlock, are system calls under a mutex of all
/// readers. With it, the other readers only change counters. The transaction is renewed often. It
/// ends for each commit, and when the load ends. Otherwise the log could never restart, because the
/// snapshot needs it.
class Anchor {
public:
  Anchor(const SqliteOptions& options, const FileIdentity& file) : options_(options), file_(file) {}

  /// Call it for each read. Returns true if this call began to hold the anchor.
  bool count_read() noexcept {
    if (reads_.fetch_add(1, std::memory_order_relaxed) % reads_between != 0) return false;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - std::exchange(looked_, now) > load_ends_after) return false;
    return !std::exchange(held_, hold()) && held_;
  }

  /// Releases the anchor while the returned lock exists.
  std::unique_lock<std::mutex> lift() noexcept {
    std::unique_lock lock(mutex_);
    let_go();
    return lock;
  }

  /// Releases the anchor if there was no load for `load_ends_after`. Returns false if it is still
  /// held.
  bool lift_if_unused() noexcept {
    const std::lock_guard lock(mutex_);
    if (held_ && std::chrono::steady_clock::now() - looked_ > load_ends_after) let_go();
    return !held_;
  }

  static constexpr std::chrono::milliseconds load_ends_after{100};

private:
  static constexpr unsigned reads_between = 256;

  struct Holder {
    explicit Holder(const SqliteOptions& options) : db(connect(options, false)) {
      db.setBusyTimeout(0);  // the anchor is optional: do not wait for it
    }
    SQLite::Database db;
    Statement look{db, "SELECT 1 FROM sqlite_schema"};
    std::optional<Query> looking;
  };

  /// Begins a read transaction on the newest state. The anchor is optional: after an error, closes
  /// the connection and returns false.
  bool hold() noexcept {
    try {
      if (!holder_) {
        check_file(options_, file_);
        holder_ = std::make_unique<Holder>(options_);
      }
      holder_->looking.emplace(holder_->look);
      return holder_->looking->next();  // the transaction stays open at its first row
    } catch (const std::exception&) {
      holder_.reset();
      return false;
    }
  }
  void let_go() noexcept {
    if (std::exchange(held_, false)) holder_->looking.reset();
  }

  const SqliteOptions& options_;
  const FileIdentity& file_;
  std::atomic<unsigned> reads_{0};
  std::mutex mutex_;
  std::unique_ptr<Holder> holder_;
  std::chrono::steady_clock::time_point looked_{};
  bool held_ = false;
};

/// Runs all writes on one thread. The waiting writes are committed together in one transaction,
/// with a savepoint each, because a commit costs a disk sync, whatever its size. A write that fails
/// is rolled back alone. If the commit fails, all of its writes fail.
///
/// The thread must survive a lack of memory. So it allocates only where a failure becomes an error
/// of a write.
class Writer {
public:
  explicit Writer(const SqliteOptions& options)
      : options_(options),
        anchor_(options, file_),
        connection_(options.alone ? nullptr : std::make_unique<Connection>(options)) {
    group_.reserve(options_.group);
    thread_ = std::thread([this] { work_off(); });
  }

  /// Finishes the waiting writes.
  ~Writer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    arrived_.notify_all();
    thread_.join();
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Runs `work(Connection&)` and returns its result once it is committed. If `work` throws or the
  /// commit fails, throws that error, and nothing has changed.
  template <class Work> auto run(Work work) {
    std::optional<std::invoke_result_t<Work&, Connection&>> result;
    Waiting waiting;
    waiting.work = [&](Connection& connection) { result.emplace(work(connection)); };
    submit(waiting);
    return *std::move(result);
  }

  /// Call it for each read: under load, the anchor is held between commits.
  void count_read() {
    if (!anchor_.count_read()) return;
    const std::lock_guard lock(mutex_);
    arrived_.notify_one();  // the thread now watches for the end of the load
  }

  /// The file that was opened first.
  const FileIdentity& file() const noexcept { return file_; }

private:
  struct Waiting {
    std::function<void(Connection&)> work;
    std::exception_ptr error;
    std::promise<void> done;
  };

  void submit(Waiting& waiting) {
    std::future<void> done = waiting.done.get_future();
    const soapsvc::blocking_section may_block;  // other threads can then wait for the same commit
    {
      const std::lock_guard lock(mutex_);
      if (queue_.size() >= options_.waiting)
        throw SQLite::Exception("too many writes are waiting for the disk", SQLITE_BUSY);
      queue_.push_back(&waiting);
    }
    arrived_.notify_one();
    done.get();
  }

  /// Fills the next group; false when the store closes.
  bool take_group() {
    std::unique_lock lock(mutex_);
    while (!stopping_ && queue_.empty())
      anchor_.lift_if_unused() ? arrived_.wait(lock)
                               : void(arrived_.wait_for(lock, Anchor::load_ends_after));
    const std::size_t size = std::min(queue_.size(), options_.group);
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(size);
    group_.assign(queue_.begin(), end);
    queue_.erase(queue_.begin(), end);
    return size != 0;
  }

  void work_off() {
    while (take_group()) {
      commit();
      for (Waiting* each : group_)
        answer(*each);
      // Under load, the next writes arrive in a moment. This wait saves a third of the commits.
      for (int turn = 0; turn != 2 && group_.size() > 1; ++turn)
        std::this_thread::yield();
    }
  }

  /// After this call `waiting` no longer exists, because its owner has returned.
  static void answer(Waiting& waiting) {
    std::promise<void> done = std::move(waiting.done);
    waiting.error ? done.set_exception(std::move(waiting.error)) : done.set_value();
  }

  void commit() {
    const auto lifted = anchor_.lift();
    try {
      check_file(options_, file_);
      if (!connection_) connection_ = std::make_unique<Connection>(options_);
      Query(connection_->begin).run();
      for (Waiting* each : group_)
        run_alone(*each);
      Query(connection_->commit).run();
    } catch (const SQLite::Exception& error) {
      fail_group(error.what(), code_of(error));
    } catch (const std::exception& error) {
      fail_group(error.what(), SQLITE_ERROR);
    }
  }

  /// Each write gets its own exception, because different threads read them.
  void fail_group(const char* why, int code) noexcept {
    for (Waiting* each : group_)
      each->error = nothing_written(why, code);
    connection_.reset();  // closing rolls back; the next group opens it again
  }

  static std::exception_ptr nothing_written(const char* why, int code) noexcept {
    try {
      return std::make_exception_ptr(
          SQLite::Exception(std::string("nothing was written: ") + why, code));
    } catch (const std::exception&) {  // no memory for the message
      return std::make_exception_ptr(std::bad_alloc());
    }
  }

  void run_alone(Waiting& waiting) {
    Query(connection_->savepoint).run();
    try {
      waiting.work(*connection_);
    } catch (...) {
      waiting.error = std::current_exception();
      // Errors such as a full disk roll back the whole transaction, so the group fails.
      if (sqlite3_get_autocommit(connection_->db.getHandle()) != 0) throw;
      Query(connection_->roll_back).run();
    }
    Query(connection_->release).run();
  }

  const SqliteOptions& options_;
  const FileIdentity file_ = identity_of(options_.file);
  Anchor anchor_;
  std::unique_ptr<Connection> connection_;
  std::vector<Waiting*> group_;  // used by the thread only
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Waiting*> queue_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

/// Lends readers, each to one thread at a time, the most recently used first. A reader in each
/// thread's storage was rejected: threads come and go with the host, and a connection must not
/// outlive its store.
class Readers {
public:
  Readers(const SqliteOptions& options, Writer& writer) : options_(options), writer_(writer) {}

  class Lease {
  public:
    explicit Lease(Readers& pool) : pool_(pool), reader_(pool.take()) {}
    /// After an error the connection is closed; the next lease opens a new one.
    ~Lease() {
      if (std::uncaught_exceptions() == exceptions_ && is_idle())
        pool_.give_back(std::move(reader_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    Reader& operator*() const { return *reader_; }
    Reader* operator->() const { return reader_.get(); }

  private:
    bool is_idle() const { return sqlite3_get_autocommit(reader_->db.getHandle()) != 0; }

    Readers& pool_;
    std::unique_ptr<Reader> reader_;
    int exceptions_ = std::uncaught_exceptions();
  };

private:
  std::unique_ptr<Reader> take() {
    writer_.count_read();
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Reader> reader = std::move(idle_.back());
        idle_.pop_back();
        return reader;
      }
    }
    check_file(options_, writer_.file());
    return std::make_unique<Reader>(options_);
  }

  /// Closes the connection if many are idle, since each keeps 2 MB of pages, or if there is no
  /// memory to keep it.
  void give_back(std::unique_ptr<Reader> reader) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      if (idle_.size() < most_idle) idle_.push_back(std::move(reader));
    } catch (const std::exception&) {
    }
  }

  static constexpr std::size_t most_idle = 32;
  const SqliteOptions& options_;
  Writer& writer_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_;
};

/// nullopt: the domain has no such employee, or the employee has too many addresses.
std::optional<std::int32_t> write_address(
    Connection& to,
    DomainId domain,
    std::int32_t employee_id,
    const EmployeeAddress& address,
    sys_days first_day,
    const std::optional<sys_days>& last_day) {
  const int added = Query(
                        to.add_address,
                        employee_id,
                        domain,
                        address.is_default,
                        address.street,
                        address.house_number,
                        address.house_number_addition,
                        address.postal_code,
                        address.city,
                        address.state_province,
                        address.country_iso_code,
                        address.type,
                        first_day,
                        last_day,
                        most_current(address) - 1)
                        .run();
  return added == 1 ? std::optional(to.last_id()) : std::nullopt;
}

// --- Writing for the operator --------------------------------------------------------------------

using Outcome = AdminStore::Outcome;

std::optional<DomainId> domain_named(Connection& in, const std::string& name) {
  Statement statement(in.db, "SELECT id FROM domain WHERE name = ?1");
  Query query(statement, name);
  return query.next() ? std::optional(query.domain(0)) : std::nullopt;
}

Outcome write_domain(Connection& to, const std::string& name) {
  Statement statement(to.db, "INSERT INTO domain (name) VALUES (?1) ON CONFLICT DO NOTHING");
  return Query(statement, name).run() == 1 ? Outcome::done : Outcome::exists;
}

Outcome write_user(Connection& to, const NewUser& user) {
  const auto domain = domain_named(to, user.domain);
  if (!domain) return Outcome::no_domain;
  Statement exists(to.db, "SELECT 1 FROM user WHERE domain_id = ?1 AND name = ?2");
  if (Query(exists, *domain, user.name).next()) return Outcome::exists;
  Statement namesakes(to.db, "SELECT count(*) FROM user WHERE name = ?1 AND disabled = 0");
  Query count(namesakes, user.name);
  if (count.next() && count.big(0) >= std::int64_t{most_namesakes}) return Outcome::namesakes;
  Statement statement(to.db, R"sql(
        INSERT INTO user (domain_id, name, password_salt, password_hash, scrypt_n, scrypt_r,
                          scrypt_p, api_token_digest)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))sql");
  Query query(
      statement,
      *domain,
      user.name,
      Bytes{user.password.salt},
      Bytes{user.password.hash},
      user.password.cost,
      user.password.block_size,
      user.password.parallelisation,
      user.api_token);
  query.run();
  return Outcome::done;
}

/// `id` 0: the highest id plus one.
Outcome write_owned(
    Connection& to, const char* insert, const std::string& domain, std::int32_t& id) {
  const auto owner = domain_named(to, domain);
  if (!owner) return Outcome::no_domain;
  Statement statement(to.db, insert);
  const auto wanted = id == 0 ? std::nullopt : std::optional(id);
  try {
    if (Query(statement, wanted, *owner).run() != 1) return Outcome::exists;
  } catch (const SQLite::Exception& error) {
    if (code_of(error) == SQLITE_CONSTRAINT_CHECK) return Outcome::no_id;
    throw;
  }
  id = to.last_id();
  return Outcome::done;
}

constexpr const char* insert_employee =
    "INSERT INTO employee (id, domain_id) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING";
constexpr const char* insert_debtor =
    "INSERT INTO debtor (id, domain_id) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING";

bool has_row(Connection& in, const char* select, std::int32_t id) {
  Statement statement(in.db, select);
  return Query(statement, id).next();
}

Outcome write_webhook(Connection& to, const NewWebhook& webhook, std::int32_t& id) {
  if (!has_row(to, "SELECT 1 FROM debtor WHERE id = ?1", webhook.debtor_id))
    return Outcome::no_debtor;
  for (const auto& event : webhook.events)
    if (!has_row(to, "SELECT 1 FROM event_kind WHERE id = ?1", event.first))
      return Outcome::no_event;
  Statement add(to.db, R"sql(
        INSERT INTO webhook_setting (debtor_id, name, endpoint, active)
        VALUES (?1, ?2, ?3, ?4))sql");
  Query(add, webhook.debtor_id, webhook.name, webhook.endpoint, webhook.active).run();
  id = to.last_id();
  Statement subscribe(
      to.db, "INSERT INTO webhook_event (setting_id, event_id, active) VALUES (?1, ?2, ?3)");
  for (const auto& [kind, active] : webhook.events)
    Query(subscribe, id, kind, active).run();
  return Outcome::done;
}

bool holds_nothing(SQLite::Database& db) {
  return number_of(db, "SELECT NOT EXISTS (SELECT 1 FROM domain)") != 0;
}

void expect_done(Outcome outcome) {
  if (outcome != Outcome::done) throw std::logic_error("the seed contradicts itself");
}

DomainId domain_of_employee(Connection& in, std::int32_t id) {
  Statement statement(in.db, "SELECT domain_id FROM employee WHERE id = ?1");
  Query query(statement, id);
  if (!query.next()) throw std::logic_error("the seed has an address of nobody");
  return query.domain(0);
}

void write_seed(Connection& to, const Seed& seed) {
  std::int32_t id = 0;
  for (const std::string& domain : seed.domains)
    expect_done(write_domain(to, domain));
  for (const NewUser& user : seed.users)
    expect_done(write_user(to, user));
  for (const auto& [domain, wanted] : seed.employees)
    expect_done(write_owned(to, insert_employee, domain, id = wanted));
  for (const auto& [domain, wanted] : seed.debtors)
    expect_done(write_owned(to, insert_debtor, domain, id = wanted));
  for (const DatedAddress& each : seed.addresses)
    write_address(
        to,
        domain_of_employee(to, each.employee_id),
        each.employee_id,
        each.address,
        each.first_day,
        each.last_day);
  for (const NewWebhook& webhook : seed.webhooks)
    expect_done(write_webhook(to, webhook, id));
}

// --- Backup --------------------------------------------------------------------------------------

constexpr const char* exists_already = "it exists already; choose another name";

[[noreturn]] void refuse_backup(const std::string& file, const std::string& why) {
  throw std::runtime_error("cannot back up to " + file + ": " + why);
}

/// Syncs the contents of a file, or the entries of a folder, to the disk.
void sync_path(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) refuse_backup(path, std::strerror(error));
}

std::string folder_of(const std::string& file) {
  const auto slash = file.find_last_of('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
}

/// Copies in one pass, from one snapshot, without delaying writers. The copy is opened without
/// locks, because some file systems have none. No other process knows the copy's name.
void copy_database(const SqliteOptions& options, const std::string& to) {
  SQLite::Database source = connect(options, false);
  SQLite::Database copy(to, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 0, "unix-none");
  copy.exec("PRAGMA journal_mode = OFF");  // a copy that is not complete is removed
  const int code = SQLite::Backup(copy, source).executeStep(-1);
  if (code != SQLITE_DONE) throw SQLite::Exception(sqlite3_errstr(code), code);
}

/// A new file beside the backup's final name. Its name is random, so that no other user can put a
/// link there. The file is locked during the backup. It is removed afterwards, also if a signal
/// ends the program.
class PartialFile {
public:
  explicit PartialFile(const std::string& file) {
    do {  // another backup may remove it before it is locked
      close();
      unfinished_ = nullptr;
      name_ = file + mark + "XXXXXX";
      unfinished_ = name_.c_str();  // first: a signal may come as soon as the file is there
      descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
      if (descriptor_ < 0) {
        unfinished_ = nullptr;
        refuse_backup(file, std::strerror(errno));
      }
    } while (::flock(descriptor_, LOCK_EX) == 0 && !has_name());
  }
  ~PartialFile() {
    ::unlink(name_.c_str());
    unfinished_ = nullptr;
    close();
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::string& name() const noexcept { return name_; }

  /// Removes partial files of killed backups to this file, and the journals beside them.
  static void remove_forgotten(const std::string& file) {
    std::error_code ignored;
    const std::string begin = std::filesystem::path(file + mark).filename();
    for (const auto& entry : std::filesystem::directory_iterator(folder_of(file), ignored)) {
      const std::string name = entry.path().filename();
      if (name.size() != begin.size() + 6 || name.compare(0, begin.size(), begin) != 0) continue;
      const int found = ::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
      if (found < 0) continue;
      if (::flock(found, LOCK_EX | LOCK_NB) == 0) {
        ::unlink((entry.path().string() + "-journal").c_str());
        ::unlink(entry.path().c_str());
      }
      ::close(found);
    }
  }

private:
  bool has_name() const noexcept {
    struct ::stat made {};
    return ::fstat(descriptor_, &made) != 0 || made.st_nlink != 0;
  }
  void close() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  static void remove_unfinished() {
    if (const char* const name = unfinished_) ::unlink(name);
  }

  static constexpr const char* mark = ".partial-";
  static inline std::atomic<const char*> unfinished_{
      nullptr};  // the newest one, for a signal handler
  const BeforeEnd removes_{remove_unfinished};
  std::string name_;
  int descriptor_ = -1;
};

/// Gives a complete file its final name, and never replaces an existing file. link() does it in one
/// step; the file may keep its old name as well. Some file systems have no link() (FAT, some
/// network and FUSE file systems). There, an empty file is created exclusively under the final
/// name, and then replaced by rename().
void give_name(const std::string& file, const std::string& name) {
  if (::link(file.c_str(), name.c_str()) == 0) return;
  if (errno == EEXIST) refuse_backup(name, exists_already);
  const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) refuse_backup(name, errno == EEXIST ? exists_already : std::strerror(errno));
  ::close(descriptor);
  if (::rename(file.c_str(), name.c_str()) == 0) return;
  const int error = errno;
  ::unlink(name.c_str());
  refuse_backup(name, std::strerror(error));
}

}  // namespace

// --- SqliteStore ---------------------------------------------------------------------------------

struct SqliteStore::Parts {
  explicit Parts(SqliteOptions given)
      : options(std::move(given)),
        outages(options.tell, system_moment),
        alone(options.alone ? hold_alone(options) : nullptr),
        writer(options),
        readers(options, writer) {}

  /// Runs a write for a caller. Errors of the disk become the same faults as those of other
  /// databases.
  template <class Work> auto write(Work work) {
    try {
      auto result = writer.run(std::move(work));
      outages.note_answer();
      return result;
    } catch (const SQLite::Exception& error) {
      fail(error, Outage::full);
    }
  }
  template <class Work> auto read(Work work) {
    try {
      return work(*Readers::Lease(readers));
    } catch (const SQLite::Exception& error) {
      fail(error, Outage::silent);
    }
  }

  SqliteOptions options;
  Outages outages;
  std::unique_ptr<SQLite::Database> alone;
  KnownDomains domains;
  Writer writer;
  Readers readers;

private:
  /// Throws a fault if the database cannot serve. Rethrows other errors, which become incidents.
  [[noreturn]] void fail(const SQLite::Exception& error, Outage of_disk) {
    const auto end_with = [&](Outage outage) {
      outages.note(outage, error.what());
      throw fault_of(outage);
    };
    const int code = code_of(error);
    if (code == SQLITE_IOERR_NOMEM) throw;
    switch (code & 0xff) {  // without the extended part
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN: end_with(of_disk); break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: end_with(Outage::silent); break;
    default: break;
    }
    if (std::string_view(error.what()).find("no such table") != std::string_view::npos)
      end_with(of_disk);
    throw;
  }
};

SqliteStore::SqliteStore(SqliteOptions options) {
  leave_allocations_uncounted();
  open_file(options);
  parts_ = std::make_unique<Parts>(std::move(options));
}

SqliteStore::~SqliteStore() = default;

std::optional<DomainId> SqliteStore::find_domain(const std::string& name) {
  if (const auto known = parts_->domains.find(name)) return known;
  return parts_->read([&](Reader& reader) -> std::optional<DomainId> {
    Query query(reader.domain, name);
    if (!query.next()) return std::nullopt;
    parts_->domains.add(name, query.domain(0));
    return query.domain(0);
  });
}

std::optional<DomainId> SqliteStore::find_named(const std::optional<std::string>& domain) {
  return domain ? find_domain(*domain) : std::nullopt;
}

TokenFacts SqliteStore::find_token(const std::optional<std::string>& domain, const Digest& token) {
  TokenFacts facts{find_named(domain), {}};
  return parts_->read([&](Reader& reader) {
    Query query(reader.token, token);
    while (query.next()) {
      TokenHolder holder{query.big(0), query.domain(1), query.text(2), query.digest(3), {}};
      if (!query.is_null(4))
        holder.issue = TokenIssue{query.text(4), std::chrono::nanoseconds(query.big(5))};
      facts.holders.push_back(std::move(holder));
    }
    return std::move(facts);
  });
}

PasswordFacts SqliteStore::find_passwords(
    const std::optional<std::string>& domain, const std::string& user, std::size_t limit) {
  PasswordFacts facts{find_named(domain), {}};
  return parts_->read([&](Reader& reader) {
    const auto most = static_cast<std::int64_t>(limit);
    Query query(reader.passwords, user, facts.domain, most);
    while (query.next()) {
      const auto parameter = [&](int column) {
        return static_cast<std::uint32_t>(query.big(column));
      };
      facts.holders.push_back(
          {query.big(0),
           query.domain(1),
           {query.text(2), query.text(3), parameter(4), parameter(5), parameter(6)}});
    }
    return std::move(facts);
  });
}

bool SqliteStore::add_token(const IssuedToken& token, std::chrono::nanoseconds lifetime) {
  const auto* const api_token = std::get_if<Digest>(&token.shown);
  const auto* const salt = std::get_if<std::string>(&token.shown);
  return parts_->write([&](Connection& to) {
    const std::int64_t now = token.issue.since_boot.count();
    const std::int64_t oldest = now - lifetime.count();
    const std::int64_t wall = token.wall.time_since_epoch().count();
    Query(to.purge_tokens, token.issue.boot_id, oldest).run();
    const auto used = api_token ? std::optional(*api_token) : std::nullopt;
    Query query(
        to.add_token,
        token.digest,
        token.user_id,
        token.issue.boot_id,
        now,
        wall,
        token.domain,
        used,
        salt ? std::optional(Bytes{*salt}) : std::nullopt);
    return query.run() == 1;
  });
}

void SqliteStore::renew_password(
    DomainId domain, std::int64_t user_id, const PasswordHash& renewed) {
  parts_->write([&](Connection& to) {
    Statement statement(to.db, R"sql(
            UPDATE user SET password_hash = ?4, scrypt_n = ?5, scrypt_r = ?6, scrypt_p = ?7
            WHERE id = ?1 AND domain_id = ?2 AND password_salt = ?3)sql");
    Query query(
        statement,
        user_id,
        domain,
        Bytes{renewed.salt},
        Bytes{renewed.hash},
        renewed.cost,
        renewed.block_size,
        renewed.parallelisation);
    return query.run();
  });
}

std::optional<std::vector<EmployeeAddress>> SqliteStore::list_current(
    DomainId domain, std::int32_t employee_id, sys_days today) {
  return parts_->read([&](Reader& reader) -> std::optional<std::vector<EmployeeAddress>> {
    Query query(reader.addresses, employee_id, domain, today);
    if (!query.next()) return std::nullopt;
    std::vector<EmployeeAddress> addresses;
    if (query.is_null(0)) return addresses;
    addresses.reserve(4);  // few employees have more; growing one by one would move them twice
    do
      addresses.emplace_back(StoredAddress(query));
    while (query.next());
    return addresses;
  });
}

std::optional<std::int32_t> SqliteStore::insert_current(
    DomainId domain,
    std::int32_t employee_id,
    const EmployeeAddress& address,
    sys_days first_day,
    sys_days today) {
  return parts_->write([&](Connection& to) {
    const auto id = write_address(to, domain, employee_id, address, first_day, std::nullopt);
    if (id && address.is_default) Query(to.clear_default, employee_id, domain, *id, today).run();
    return id;
  });
}

std::optional<std::vector<WebhookSetting>> SqliteStore::list_webhooks(
    DomainId domain, std::int32_t debtor_id) {
  return parts_->read([&](Reader& reader) -> std::optional<std::vector<WebhookSetting>> {
    Query query(reader.webhooks, debtor_id, domain);
    if (!query.next()) return std::nullopt;
    std::vector<WebhookSetting> settings;
    if (query.is_null(0)) return settings;
    do
      read_webhook(query, settings);
    while (query.next());
    return settings;
  });
}

// --- SqliteStore for the operator ----------------------------------------------------------------

Outcome SqliteStore::add_domain(const std::string& name) {
  return parts_->writer.run([&](Connection& to) { return write_domain(to, name); });
}

Outcome SqliteStore::add_user(const NewUser& user) {
  return parts_->writer.run([&](Connection& to) { return write_user(to, user); });
}

Outcome SqliteStore::disable_user(const std::string& domain, const std::string& name) {
  return parts_->writer.run([&](Connection& to) {
    const auto owner = domain_named(to, domain);
    if (!owner) return Outcome::no_domain;
    Statement statement(to.db, "UPDATE user SET disabled = 1 WHERE domain_id = ?1 AND name = ?2");
    return Query(statement, *owner, name).run() == 1 ? Outcome::done : Outcome::no_user;
  });
}

Outcome SqliteStore::rotate_token(
    const std::string& domain, const std::string& name, const Digest& api_token) {
  return parts_->writer.run([&](Connection& to) {
    const auto owner = domain_named(to, domain);
    if (!owner) return Outcome::no_domain;
    Statement rotate(
        to.db, "UPDATE user SET api_token_digest = ?3 WHERE domain_id = ?1 AND name = ?2");
    if (Query(rotate, *owner, name, api_token).run() != 1) return Outcome::no_user;
    Statement revoke(to.db, R"sql(
            DELETE FROM issued_token
            WHERE user_id = (SELECT id FROM user WHERE domain_id = ?1 AND name = ?2))sql");
    Query(revoke, *owner, name).run();
    return Outcome::done;
  });
}

Outcome SqliteStore::add_employee(const std::string& domain, std::int32_t& id) {
  return parts_->writer.run(
      [&](Connection& to) { return write_owned(to, insert_employee, domain, id); });
}

Outcome SqliteStore::add_debtor(const std::string& domain, std::int32_t& id) {
  return parts_->writer.run(
      [&](Connection& to) { return write_owned(to, insert_debtor, domain, id); });
}

Outcome SqliteStore::add_webhook(const NewWebhook& webhook, std::int32_t& id) {
  return parts_->writer.run([&](Connection& to) { return write_webhook(to, webhook, id); });
}

std::vector<std::string> SqliteStore::list_domains() {
  const Readers::Lease reader(parts_->readers);
  Statement statement(reader->db, "SELECT name FROM domain ORDER BY name");
  std::vector<std::string> names;
  for (Query query(statement); query.next();)
    names.push_back(query.text(0));
  return names;
}

std::vector<AdminStore::UserRow> SqliteStore::list_users() {
  const Readers::Lease reader(parts_->readers);
  Statement statement(reader->db, R"sql(
        SELECT d.name, u.name, u.disabled
        FROM user u JOIN domain d ON d.id = u.domain_id
        ORDER BY d.name, u.name)sql");
  std::vector<UserRow> rows;
  for (Query query(statement); query.next();)
    rows.push_back({query.text(0), query.text(1), query.flag(2)});
  return rows;
}

std::vector<AdminStore::CostRow> SqliteStore::list_costs() {
  const Readers::Lease reader(parts_->readers);
  Statement statement(reader->db, R"sql(
        SELECT scrypt_n, scrypt_r, scrypt_p, disabled, count(*)
        FROM user GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4)sql");
  std::vector<CostRow> rows;
  for (Query query(statement); query.next();)
    rows.push_back({query.big(0), query.big(1), query.big(2), query.flag(3), query.big(4)});
  return rows;
}

namespace {

std::vector<AdminStore::OwnedRow> read_owned(Reader& reader, const char* select) {
  Statement statement(reader.db, select);
  std::vector<AdminStore::OwnedRow> rows;
  for (Query query(statement); query.next();)
    rows.push_back({query.text(0), query.number(1)});
  return rows;
}

}  // namespace

std::vector<AdminStore::OwnedRow> SqliteStore::list_employees() {
  const Readers::Lease reader(parts_->readers);
  return read_owned(
      *reader,
      "SELECT d.name, e.id FROM employee e JOIN domain d ON d.id = e.domain_id ORDER BY e.id");
}

std::vector<AdminStore::OwnedRow> SqliteStore::list_debtors() {
  const Readers::Lease reader(parts_->readers);
  return read_owned(
      *reader,
      "SELECT d.name, b.id FROM debtor b JOIN domain d ON d.id = b.domain_id ORDER BY b.id");
}

std::vector<AdminStore::WebhookRow> SqliteStore::list_webhooks() {
  const Readers::Lease reader(parts_->readers);
  Statement statement(reader->db, R"sql(
        SELECT d.name, b.id, w.id, w.name, w.endpoint, w.active,
               (SELECT group_concat(event_id)
                FROM (SELECT event_id FROM webhook_event
                      WHERE setting_id = w.id AND active = 1 ORDER BY event_id))
        FROM webhook_setting w
        JOIN debtor b ON b.id = w.debtor_id
        JOIN domain d ON d.id = b.domain_id
        ORDER BY w.id)sql");
  std::vector<WebhookRow> rows;
  for (Query query(statement); query.next();)
    rows.push_back(
        {query.text(0),
         query.number(1),
         query.number(2),
         query.text(3),
         query.text(4),
         query.flag(5),
         query.text(6)});
  return rows;
}

void SqliteStore::check() {
  // Written first: a reader believes the pages that it remembers until something is written.
  parts_->write([](Connection& to) {
    Query(to.touch).run();
    return Outcome::done;
  });
  parts_->read([](Reader& reader) { return Query(reader.tables).next(); });
  parts_->outages.note_room();
}

bool SqliteStore::is_empty() {
  const Readers::Lease reader(parts_->readers);
  return holds_nothing(reader->db);
}

void SqliteStore::grant(const std::string&) {
  throw std::runtime_error(
      parts_->options.file +
      " is a file, and has no roles; its owner and mode decide who may use it");
}

bool SqliteStore::fill(const Seed& seed) {
  return parts_->writer.run([&](Connection& to) {
    if (!holds_nothing(to.db)) return false;
    write_seed(to, seed);
    return true;
  });
}

namespace {

/// How one table is read and written.
struct Copied {
  const char* select;
  const char* insert;
};

constexpr std::array<Copied, copy_tables> copied{
    Copied{
        "SELECT id, name FROM domain ORDER BY id", "INSERT INTO domain (id, name) VALUES (?1, ?2)"},
    Copied{
        R"sql(SELECT id, domain_id, name, password_salt, password_hash, scrypt_n, scrypt_r,
                     scrypt_p, api_token_digest, disabled
              FROM user ORDER BY id)sql",
        R"sql(INSERT INTO user (id, domain_id, name, password_salt, password_hash, scrypt_n,
                                scrypt_r, scrypt_p, api_token_digest, disabled)
              VALUES (?1, ?2, ?3, CAST(?4 AS BLOB), CAST(?5 AS BLOB), ?6, ?7, ?8,
                      CAST(?9 AS BLOB), ?10))sql"},
    Copied{
        "SELECT id, domain_id FROM employee ORDER BY id",
        "INSERT INTO employee (id, domain_id) VALUES (?1, ?2)"},
    Copied{
        R"sql(SELECT a.id, e.domain_id, a.employee_id, a.is_default, a.street, a.house_number,
                     a.house_number_addition, a.postal_code, a.city, a.state_province,
                     a.country_iso_code, a.type, a.first_day, a.last_day
              FROM address a JOIN employee e ON e.id = a.employee_id ORDER BY a.id)sql",
        R"sql(INSERT INTO address (id, employee_id, is_default, street, house_number,
                                   house_number_addition, postal_code, city, state_province,
                                   country_iso_code, type, first_day, last_day)
              VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14))sql"},
    Copied{
        "SELECT id, domain_id FROM debtor ORDER BY id",
        "INSERT INTO debtor (id, domain_id) VALUES (?1, ?2)"},
    Copied{
        R"sql(SELECT w.id, d.domain_id, w.debtor_id, w.name, w.endpoint, w.active
              FROM webhook_setting w JOIN debtor d ON d.id = w.debtor_id ORDER BY w.id)sql",
        R"sql(INSERT INTO webhook_setting (id, debtor_id, name, endpoint, active)
              VALUES (?1, ?3, ?4, ?5, ?6))sql"},
    Copied{
        R"sql(SELECT v.setting_id, d.domain_id, w.debtor_id, v.event_id, v.active
              FROM webhook_event v
              JOIN webhook_setting w ON w.id = v.setting_id
              JOIN debtor d ON d.id = w.debtor_id
              ORDER BY v.setting_id, v.event_id)sql",
        "INSERT INTO webhook_event (setting_id, event_id, active) VALUES (?1, ?4, ?5)"},
    Copied{
        R"sql(SELECT column1, ifnull(s.seq, 0)
              FROM (VALUES ('address'), ('debtor'), ('domain'), ('employee'), ('user'),
                           ('webhook_setting'))
              LEFT JOIN sqlite_sequence s ON s.name = column1
              ORDER BY column1)sql",
        "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1"}};

void read_table(SQLite::Database& db, CopyTable table, const CopySink& take) {
  Statement statement(db, copied[static_cast<std::size_t>(table)].select);
  for (Query query(statement); query.next();) {
    CopyRow row;
    for (int column = 0; column != query.columns(); ++column)
      row.push_back(query.maybe_text(column));
    take(table, row);
  }
}

/// Throws UncopiedTable if the database has a table that is not in `copied`.
void check_tables(SQLite::Database& db) {
  Statement others(db, R"sql(
        SELECT name FROM sqlite_master
        WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
            AND name NOT IN ('domain', 'user', 'employee', 'address', 'debtor', 'webhook_setting',
                             'webhook_event', 'event_kind', 'issued_token'))sql");
  if (Query other(others); other.next()) throw UncopiedTable(other.text(0));
}

void send_tables(SQLite::Database& db, const CopySink& take) {
  const SQLite::Transaction one_moment(db);
  check_tables(db);
  for (std::size_t table = 0; table != copy_tables; ++table)
    read_table(db, static_cast<CopyTable>(table), take);
}

/// A table that has not used an id has no row there. If the copied last id is 0, no row is made.
void make_sequence(SQLite::Database& db, const CopyRow& row) {
  Statement make(db, R"sql(
        INSERT INTO sqlite_sequence (name, seq)
        SELECT ?1, 0 WHERE ?2 <> '0'
            AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1))sql");
  Query(make, row).run();
}

/// A statement need not use every value: an address gets its domain from the employee.
void write_row(SQLite::Database& db, CopyTable table, const CopyRow& row) {
  if (table == CopyTable::last_id) make_sequence(db, row);
  Statement insert(db, copied[static_cast<std::size_t>(table)].insert);
  Query(insert, row).run();
}

}  // namespace

void SqliteStore::send_all(const CopySink& take) {
  if (!parts_->alone) {
    SQLite::Database db = connect(parts_->options, false);
    return send_tables(db, take);
  }
  send_tables(*parts_->alone, take);
}

bool SqliteStore::receive_all(const std::function<void(const CopySink&)>& give) {
  return parts_->writer.run([&](Connection& to) {
    if (!holds_nothing(to.db)) return false;
    give([&](CopyTable table, const CopyRow& row) { write_row(to.db, table, row); });
    return true;
  });
}

void SqliteStore::backup(const std::string& file) {
  // The copy gets the final name only when it is complete and on disk. So a file with that name is
  // always a complete backup.
  PartialFile::remove_forgotten(file);
  if (::access(file.c_str(), F_OK) == 0) refuse_backup(file, exists_already);
  const PartialFile partial(file);
  try {
    copy_database(parts_->options, partial.name());
    sync_path(partial.name());
    give_name(partial.name(), file);
    sync_path(folder_of(file));
  } catch (const SQLite::Exception& error) {
    refuse_backup(file, error.what());
  }
}
