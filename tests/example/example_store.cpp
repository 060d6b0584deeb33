// The SQLite store: the suite of all stores, and tests of opening, locks, the log and backups.
#include "../eventually.hpp"
#include "store/copy.hpp"
#include "store_suite.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

std::atomic<bool> links_fail{false};
std::atomic<bool> names_are_taken{false};  // just before a file gets its name
std::atomic<bool> terminal_is_gone{false};  // at that moment
std::atomic<bool> terminal_goes_early{false};  // when a temporary file was made

std::atomic<int> opened{0}, closed{0};  // connections that count_connection was called for

/// Called by SQLite for each new connection: waits until 40 are opened at once.
int count_connection(sqlite3* db, const char**, const sqlite3_api_routines*) {
  ++opened;
  const auto nothing = [](sqlite3_context*, int, sqlite3_value**) {};
  const auto at_close = [](void*) { ++closed; };
  sqlite3_create_function_v2(
      db, "counted", 0, SQLITE_UTF8, nullptr, nothing, nullptr, nullptr, at_close);
  net::eventually([] { return opened == 40; });
  return SQLITE_OK;
}

/// During its lifetime, the file system has no hard links, like FAT; or has them.
class NoLinks {
public:
  explicit NoLinks(bool fail) { links_fail = fail; }
  ~NoLinks() { links_fail = false; }
  NoLinks(const NoLinks&) = delete;
  NoLinks& operator=(const NoLinks&) = delete;
};

}  // namespace

// Replaces the system's function.
extern "C" int link(const char* from, const char* to) noexcept {
  if (names_are_taken) std::ofstream(to) << "another's";
  if (terminal_is_gone) ::raise(SIGHUP);
  if (!links_fail) return ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  errno = EPERM;
  return -1;
}

// Replaces the system's function.
extern "C" int mkostemp(char* name, int flags) {
  const int made = ::mkostemps(name, 0, flags);
  if (terminal_goes_early) ::raise(SIGHUP);
  return made;
}

using namespace example;
using Outcome = AdminStore::Outcome;
using std::chrono::sys_days;

namespace {

void execute(const std::string& file, const char* sql) {
  SQLite::Database db(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  db.exec(sql);
}

std::string plan_of(SQLite::Database& db, const std::string& sql) {
  SQLite::Statement statement(db, "EXPLAIN QUERY PLAN " + sql);
  std::string plan;
  while (statement.executeStep())
    plan += statement.getColumn(3).getString() + '\n';
  return plan;
}

}  // namespace

namespace example {

namespace {

class SqliteDatabase final : public Database {
public:
  std::unique_ptr<Store> open() override {
    return std::make_unique<SqliteStore>(options_for(file_));
  }
  std::vector<std::int32_t> default_addresses() override {
    SQLite::Database db(file_);
    SQLite::Statement statement(db, "SELECT id FROM address WHERE is_default = 1 ORDER BY id");
    std::vector<std::int32_t> ids;
    while (statement.executeStep())
      ids.push_back(statement.getColumn(0).getInt());
    return ids;
  }
  void spoil_types() override {
    execute(file_, "PRAGMA ignore_check_constraints = 1; UPDATE address SET type = 9");
  }

private:
  const Folder folder_;
  const std::string file_ = folder_.file("a.db");
};

}  // namespace

std::unique_ptr<Database> new_database() { return std::make_unique<SqliteDatabase>(); }

}  // namespace example

TEST_CASE("a new file gets the schema, in WAL mode, and is accepted again", "[store]") {
  const Folder folder;
  const SqliteOptions options = options_for(folder.file("a.db"));
  { SqliteStore store(options); }
  SQLite::Database db(options.file);
  CHECK(db.execAndGet("PRAGMA journal_mode").getString() == "wal");
  CHECK(db.execAndGet("PRAGMA user_version").getInt() == 2);
  CHECK(db.execAndGet("PRAGMA application_id").getInt() == 0x50617972);
  CHECK(db.execAndGet("PRAGMA integrity_check").getString() == "ok");
  CHECK(
      db.execAndGet("SELECT min(strict) FROM pragma_table_list WHERE schema = 'main' AND name "
                    "NOT LIKE 'sqlite_%'")
          .getInt() == 1);
  CHECK(refusal_of(options) == "accepted");
}

TEST_CASE("an empty file is a new database", "[store]") {
  const Folder folder;
  std::ofstream(folder.file("a.db")).flush();
  CHECK(refusal_of(options_for(folder.file("a.db"))) == "accepted");
}

TEST_CASE("files that are not usable are refused in one line that says what to do", "[store]") {
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  std::string expected;
  SECTION("not a database") {
    std::ofstream(options.file) << std::string(5000, 'x');
    expected = "choose another file";
  }
  SECTION("of another program, by its id") {
    execute(options.file, "PRAGMA application_id = 7; CREATE TABLE t (a)");
    expected = "another program";
  }
  SECTION("of another program, without an id") {
    execute(options.file, "CREATE TABLE t (a)");
    expected = "another program";
  }
  SECTION("of a newer schema") {
    { SqliteStore store(options); }
    execute(options.file, "PRAGMA user_version = 99");
    expected = "install a newer payroll";
  }
  SECTION("in a folder that is not there") {
    options.file = folder.file("no/such/a.db");
    expected = "check that its folder exists";
  }
  SECTION("a folder") {
    options.file = folder.file("");
    expected = "check that its folder exists";
  }
  SECTION("not there, and not to be made") {
    options.create = false;
    expected = "payroll domain add";
  }
  SECTION("in memory") {
    options.file = ":memory:";
    expected = "choose a local file";
  }
  const std::string refused = refusal_of(options);
  INFO(refused);
  CHECK(refused.find(expected) != std::string::npos);
  CHECK(refused.find('\n') == std::string::npos);
  CHECK(refused.find(options.file) != std::string::npos);
}

TEST_CASE("a table that a copy would lose is named", "[store]") {
  const Folder folder;
  SqliteStore from(options_for(folder.file("a.db")));
  REQUIRE(from.fill(demo_data(march, cheap_cost)));
  SqliteStore to(options_for(folder.file("b.db")));
  execute(folder.file("a.db"), "CREATE TABLE cost_center (id INTEGER PRIMARY KEY)");
  CHECK_THROWS_WITH(copy_business(from, to), Catch::Contains("the table cost_center"));
  CHECK(to.is_empty());
  execute(folder.file("a.db"), "DROP TABLE cost_center");
  copy_business(from, to);
  CHECK(!to.is_empty());
}

TEST_CASE("a foreign database is not touched", "[store]") {
  const Folder folder;
  execute(folder.file("a.db"), "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  const std::string before = read_file(folder.file("a.db"));
  refusal_of(options_for(folder.file("a.db")));
  CHECK(read_file(folder.file("a.db")) == before);
}

TEST_CASE(
    "expired tokens and tokens of another boot are deleted when new ones are issued", "[store]") {
  const Folder folder;
  SqliteStore store(options_for(folder.file("a.db")));
  fill_small(store);
  REQUIRE(
      store.add_user({"acme", "alice", {"salt", "hash", 2, 1, 1}, digest_of("x")}) ==
      Outcome::done);
  const auto add = [&](const char* token, const char* boot, std::chrono::nanoseconds since_boot) {
    const Digest shown = digest_of("x");
    store.add_token({digest_of(token), DomainId{1}, 1, shown, {boot, since_boot}, {}}, 30s);
  };
  const auto known = [&](const char* token) {
    return store.find_token({}, digest_of(token)).holders.size() == 1;
  };
  add("a", "boot-b", 100s);
  add("b", "boot-b", 100s + 1ns);
  CHECK(known("a"));
  add("c", "boot-b", 130s);
  CHECK(!known("a"));
  CHECK(known("b"));
  add("d", GENERATE("boot-a", "boot-c"), 1s);
  CHECK(!known("b"));
  CHECK(!known("c"));
  CHECK(known("d"));
}

TEST_CASE("a locked database fails the write, and the next one succeeds", "[store]") {
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  options.patience = 50ms;
  std::vector<std::string> told;
  options.tell = [&](const std::string& what) { told.push_back(what); };
  SqliteStore store(options);
  fill_small(store);
  const DomainId domain = store.find_domain("acme").value();
  {
    SQLite::Database other(options.file, SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");
    CHECK_THROWS_WITH(
        store.insert_current(domain, 1, work_address("A"), march, today_),
        Catch::Contains("does not answer"));
    CHECK(store.list_current(domain, 1, today_)->empty());
  }
  CHECK(store.insert_current(domain, 1, work_address("A"), march, today_));
  CHECK(store.list_current(domain, 1, today_)->size() == 1);
  REQUIRE(told.size() == 2);
  CHECK(told[0].find("locked") != std::string::npos);
  CHECK(told[1] == "the database answers again");
}

TEST_CASE("a file that replaces the database is not read", "[store]") {
  const Folder folder;
  const std::string file = folder.file("a.db"), away = folder.file("away.db");
  { SqliteStore(options_for(folder.file("b.db"))).add_domain("globex"); }
  SqliteStore store(options_for(file));
  store.add_domain("acme");
  std::filesystem::rename(file, away);
  std::filesystem::rename(folder.file("b.db"), file);
  for (int turn = 0; turn != 2; ++turn)
    CHECK_THROWS_AS(store.find_domain("globex"), soapsvc::fault);
  std::filesystem::rename(away, file);
  CHECK(store.find_domain("acme").has_value());
  CHECK_FALSE(store.find_domain("globex").has_value());
}

TEST_CASE("writes beyond the maximum that may wait get a fault that says to try again", "[store]") {
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  options.waiting = 1;
  options.group = 1;
  options.patience = 60s;
  SqliteStore store(options);
  fill_small(store);
  const DomainId domain = store.find_domain("acme").value();
  std::atomic<int> refused = 0;
  std::atomic<int> written = 0;
  std::vector<std::thread> threads;
  {
    SQLite::Database other(options.file, SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");
    for (int count = 0; count != 6; ++count)
      threads.emplace_back([&] {
        try {
          written += store.insert_current(domain, 1, work_address("A"), march, today_) ? 1 : 0;
        } catch (const soapsvc::fault& fault) {
          refused += fault.status() == 503 ? 1 : 0;
        }
      });
    CHECK(net::eventually([&] { return refused >= 4; }));
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK(refused + written == 6);
  CHECK(written >= 1);  // one waits, and one more where the first is being written by then
  CHECK(written <= 2);
}

TEST_CASE("a copy locks the file exclusively, or is refused", "[store]") {
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  options.patience = 50ms;
  SqliteOptions alone = options;
  alone.alone = true;
  {
    const SqliteStore idle(options);
    CHECK(refusal_of(alone).find("payroll serve") != std::string::npos);
  }
  SqliteStore copied(alone);
  CHECK(refusal_of(options).find("stop the other program") != std::string::npos);
  CHECK(refusal_of(alone).find("stop the other program") != std::string::npos);
  copied.send_all([](CopyTable, const CopyRow&) {});
  CHECK(refusal_of(options).find("stop the other program") != std::string::npos);
}

TEST_CASE(
    "an older program does not change a database that a newer one has just migrated", "[store]") {
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  { SqliteStore store(options); }
  execute(options.file, "PRAGMA user_version = 1");
  SQLite::Database newer(options.file, SQLite::OPEN_READWRITE);
  newer.exec("BEGIN IMMEDIATE");
  newer.exec("PRAGMA user_version = 99");
  std::string refused;
  std::thread older([&] { refused = refusal_of(options); });
  std::this_thread::sleep_for(200ms);  // long enough to have looked at the version
  newer.exec("COMMIT");
  older.join();
  CHECK(refused.find("install a newer payroll") != std::string::npos);
  CHECK(newer.execAndGet("PRAGMA user_version").getInt() == 99);
}

namespace {

/// Enough fast reads to count as load.
void read_much(SqliteStore& store, DomainId domain) {
  for (int count = 0; count != 600; ++count)
    store.list_current(domain, 2, today_);
}

/// True if all of the log could be copied, so that the log can restart.
bool clears_log(const std::string& file) {
  SQLite::Database db(file, SQLite::OPEN_READWRITE);
  return db.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)").getInt() == 0;
}

}  // namespace

TEST_CASE("the anchor of readers is released when the load ends", "[store]") {
  const Folder folder;
  SqliteStore store(options_for(folder.file("a.db")));
  fill_small(store);
  const DomainId domain = store.find_domain("acme").value();
  CHECK(clears_log(folder.file("a.db")));
  for (int load = 0; load != 2; ++load) {
    REQUIRE(store.insert_current(domain, 1, work_address("A"), march, today_));
    CHECK(net::eventually([&] {
      read_much(store, domain);
      return !clears_log(folder.file("a.db"));
    }));
    CHECK(net::eventually([&] { return clears_log(folder.file("a.db")); }));
  }
  // The next read sees a commit of another process, even while the anchor is held.
  read_much(store, domain);
  execute(folder.file("a.db"), "UPDATE address SET street = 'B'");
  CHECK(store.list_current(domain, 1, today_)->at(0).street == "B");
}

TEST_CASE("the write-ahead log restarts under endless load", "[store]") {
  const Folder folder;
  SqliteStore store(options_for(folder.file("a.db")));
  fill_small(store);
  const DomainId domain = store.find_domain("acme").value();
  const std::string long_street(100'000, 'x');  // 25 pages: some 40 of them fill the log
  for (int count = 0; count != 200; ++count) {
    read_much(store, domain);
    REQUIRE(store.insert_current(domain, 1, work_address(long_street), march, today_));
  }
  struct ::stat log {};
  REQUIRE(::stat(folder.file("a.db-wal").c_str(), &log) == 0);
  CHECK(log.st_size < 8'000'000);  // of some 20 MB that were written
}

TEST_CASE("a backup is complete, and replaces no file", "[store]") {
  const Folder folder;
  const NoLinks without(GENERATE(true, false));
  SqliteStore store(options_for(folder.file("a.db")));
  REQUIRE(store.fill(demo_data(today_, cheap_cost)));
  store.backup(folder.file("b.db"));
  const std::string before = read_file(folder.file("b.db"));
  CHECK_THROWS_WITH(store.backup(folder.file("b.db")), Catch::Contains("it exists"));
  CHECK_THROWS(store.backup(folder.file("no/such/c.db")));
  CHECK(read_file(folder.file("b.db")) == before);
  SqliteStore copy(options_for(folder.file("b.db")));
  const DomainId domain = copy.find_domain("acme").value();
  CHECK(copy.list_current(domain, 100, today_)->size() == 100);
  std::size_t partial = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("")))
    partial += entry.path().string().find("partial") != std::string::npos ? 1 : 0;
  CHECK(partial == 0);
}

TEST_CASE("a backup does not replace a file that took its name meanwhile", "[store]") {
  const Folder folder;
  const NoLinks without(GENERATE(true, false));
  SqliteStore store(options_for(folder.file("a.db")));
  names_are_taken = true;
  CHECK_THROWS_WITH(store.backup(folder.file("b.db")), Catch::Contains("it exists"));
  names_are_taken = false;
  CHECK(read_file(folder.file("b.db")) == "another's");
}

TEST_CASE("a backup removes the partial files of killed backups", "[store]") {
  const Folder folder;
  SqliteStore store(options_for(folder.file("a.db")));
  const auto plant = [&](const std::string& name) { std::ofstream(folder.file(name)) << "x"; };
  const auto is_there = [&](const std::string& name) {
    return std::filesystem::exists(folder.file(name));
  };
  for (const bool finishes : {true, false}) {  // false: a backup of this name exists by then
    plant("b.db.partial-abcdef");
    plant("b.db.partial-abcdef-journal");
    plant("b.db.partial-others");  // a backup in progress
    plant("b.db.partial-my-notes");
    plant("c.db.partial-abcdef");
    const int held = ::open(folder.file("b.db.partial-others").c_str(), O_RDONLY);
    REQUIRE(::flock(held, LOCK_EX) == 0);
    if (finishes)
      store.backup(folder.file("b.db"));
    else
      CHECK_THROWS_WITH(store.backup(folder.file("b.db")), Catch::Contains("it exists"));
    CHECK_FALSE(is_there("b.db.partial-abcdef"));
    CHECK_FALSE(is_there("b.db.partial-abcdef-journal"));
    CHECK(is_there("b.db.partial-others"));
    CHECK(is_there("b.db.partial-my-notes"));
    CHECK(is_there("c.db.partial-abcdef"));
    CHECK(is_there("b.db"));
    ::close(held);
  }
}

TEST_CASE("a backup that a signal ends leaves no copy", "[store][backup]") {
  const Folder folder;
  std::atomic<bool>* const moment = GENERATE(&terminal_is_gone, &terminal_goes_early);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGHUP, SIG_DFL);  // ignored under nohup
    SqliteStore store(options_for(folder.file("a.db")));
    *moment = true;
    store.backup(folder.file("b.db"));
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP));
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("")))
    CHECK(entry.path().filename().string().rfind("a.db", 0) == 0);
}

TEST_CASE("of the connections on which threads read at once, 32 stay", "[store][limits]") {
  const Folder folder;
  SqliteStore store(options_for(folder.file("a.db")));
  auto* const counts = reinterpret_cast<void (*)()>(count_connection);
  REQUIRE(sqlite3_auto_extension(counts) == SQLITE_OK);
  std::vector<std::thread> threads;
  for (int count = 0; count != 40; ++count)
    threads.emplace_back([&] { store.find_domain("nobody"); });
  for (std::thread& thread : threads)
    thread.join();
  sqlite3_cancel_auto_extension(counts);
  CHECK(opened == 40);
  CHECK(closed == 8);
}

TEST_CASE("of concurrent backups with one name, one succeeds", "[store]") {
  const Folder folder;
  const NoLinks without(GENERATE(true, false));
  SqliteStore store(options_for(folder.file("a.db")));
  REQUIRE(store.fill(demo_data(today_, cheap_cost)));
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int count = 0; count != 4; ++count)
    threads.emplace_back([&] {
      try {
        store.backup(folder.file("b.db"));
        ++made;
      } catch (const std::runtime_error&) {
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(made == 1);
  SqliteStore copy(options_for(folder.file("b.db")));
  CHECK(copy.list_domains().size() == 2);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) <= 6);
}

TEST_CASE("no query of the services scans a whole table", "[store]") {
  const Folder folder;
  { SqliteStore store(options_for(folder.file("a.db"))); }
  SQLite::Database db(folder.file("a.db"));
  const std::string list =
      "SELECT a.id FROM employee e LEFT JOIN address a ON a.employee_id = e.id "
      "AND a.first_day <= ?3 AND (a.last_day IS NULL OR a.last_day >= ?3) "
      "WHERE e.id = ?1 AND e.domain_id = ?2 ORDER BY a.id";
  const std::string plan = plan_of(db, list);
  INFO(plan);
  CHECK(plan.find("SCAN") == std::string::npos);
  CHECK(plan.find("TEMP B-TREE") == std::string::npos);
  const std::string clear = plan_of(
      db,
      "UPDATE address SET is_default = 0 WHERE employee_id = (SELECT id FROM employee WHERE "
      "id = ?1 AND domain_id = ?2) AND is_default = 1 AND id <> ?3");
  INFO(clear);
  CHECK(clear.find("default_address_by_employee") != std::string::npos);
  const std::string purge = plan_of(
      db,
      "DELETE FROM issued_token WHERE boot_id < ?1 OR boot_id > ?1 OR (boot_id = ?1 AND "
      "since_boot <= ?2)");
  INFO(purge);
  CHECK(purge.find("SCAN") == std::string::npos);
}
