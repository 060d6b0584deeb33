// Failures of the machine: a full or failing disk, a database that is locked, read-only or damaged.
// In each case, a caller gets a fault with only the id of a line in the log. All acknowledged data
// is stored, no write is stored partly, and the same process works again when the cause is gone.
#include "example.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "faulty_disk.hpp"

using namespace example;
using faulty_disk::Disk;
using faulty_disk::Failure;
using faulty_disk::Step;
using soapsvc::soap_version;

namespace {

/// The whole response of an incident with this id.
std::string incident_response(soap_version version, const std::string& id) {
  const std::string text = "The server could not process the request. Incident " + id + ".";
  const bool old = version == soap_version::v1_1;
  const std::string soap = old ? "soap" : "soap12";
  const std::string start =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><" + soap + ":Envelope xmlns:" + soap + "=\"" +
      (old ? Payroll::soap11
           : std::string(Payroll::soap12) + "\" xmlns:soap=\"" + Payroll::soap12) +
      "\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">";
  if (old)
    return start + "<soap:Body><soap:Fault><faultcode>soap:Server</faultcode><faultstring>" + text +
           "</faultstring><detail /></soap:Fault></soap:Body></soap:Envelope>";
  return start +
         "<soap12:Body><soap12:Fault><soap12:Code><soap12:Value>soap12:Receiver</soap12:Value>"
         "</soap12:Code><soap12:Reason><soap12:Text xml:lang=\"en\">" +
         text + "</soap12:Text></soap12:Reason></soap12:Fault></soap12:Body></soap12:Envelope>";
}

/// True for the fault of an outage, which is the same for all databases and is no incident.
bool is_outage(const soapsvc::http_response& response) {
  const bool says =
      response.body.find("The database takes no writes now. Try again later.") !=
          std::string::npos ||
      response.body.find("The database does not answer. Try again later.") != std::string::npos;
  return response.status == 503 && says;
}

/// True for a result. Otherwise, the response must be an outage, or the fault of the last reported
/// incident.
bool is_result(
    const Payroll& payroll,
    const soapsvc::http_response& response,
    soap_version version = soap_version::v1_1) {
  if (response.status == 200) return true;
  if (is_outage(response)) return false;
  CHECK(response.status == 500);
  if (payroll.incident_ids.empty())
    FAIL_CHECK("a refusal without an incident: " << response.body);
  else
    CHECK(response.body == incident_response(version, payroll.incident_ids.back()));
  return false;
}

std::string new_address(const std::string& street) {
  return "<Address><Default>true</Default><Street>" + street +
         "</Street><Type>WorkAddress</Type></Address>";
}

/// Inserts default addresses of employee 2, and records which were acknowledged.
class Inserter {
public:
  explicit Inserter(Payroll& payroll) : payroll_(payroll) {}

  bool insert() {
    const std::string street = "street-" + std::to_string(number_++);
    const auto response = payroll_.insert(2, new_address(street));
    if (!is_result(payroll_, response)) return false;
    acknowledged_.insert(street);
    return true;
  }

  /// Every acknowledged address is stored once, and exactly one stored address is the default,
  /// because the mark and the row are committed together.
  void check() const {
    const auto response = payroll_.list(2);
    REQUIRE(response.status == 200);
    for (const std::string& street : acknowledged_)
      if (count_of(response.body, "<Street>" + street + "</Street>") != 1)
        FAIL_CHECK(street << " was acknowledged, and is not there once");
    const std::size_t rows = count_of(response.body, "<EmployeeAddress>");
    CHECK(rows >= acknowledged_.size());
    CHECK(count_of(response.body, "<Default>true</Default>") == (rows == 0 ? 0 : 1));
  }

private:
  Payroll& payroll_;
  std::set<std::string> acknowledged_;
  int number_ = 0;
};

std::string check_of(const std::string& file, const char* pragma) {
  SQLite::Database db(file);
  return db.execAndGet(pragma).getString();
}

/// Makes one call of each kind; returns the number of results.
int call_everything(Payroll& payroll, Inserter& inserter) {
  int results = inserter.insert() ? 1 : 0;
  results += is_result(payroll, payroll.list(1)) ? 1 : 0;
  const auto newer = payroll.list(100, acme, soap_version::v1_2);
  results += is_result(payroll, newer, soap_version::v1_2) ? 1 : 0;
  results += is_result(payroll, payroll.webhooks(1)) ? 1 : 0;
  const std::string credentials =
      element("Username", "alice") + element("Token", "api-token-alice");
  const auto token = payroll.send("SingleSignOn", "GetToken2", credentials);
  return results + (is_result(payroll, token) ? 1 : 0);
}
constexpr int everything = 5;

/// The texts of exceptions must not reach a caller; is_result() compares whole responses.
void check_recovery(Payroll& payroll, Inserter& inserter) {
  CHECK(call_everything(payroll, inserter) == everything);
  inserter.check();
  const std::string file = payroll.folder.file("payroll.db");
  CHECK(check_of(file, "PRAGMA integrity_check") == "ok");
  CHECK(check_of(file, "SELECT count(*) FROM pragma_foreign_key_check") == "0");
}

/// Runs `work` in another process, which ends with this object. Waits for the end of `work`.
class OtherProcess {
public:
  template <class Work> explicit OtherProcess(Work work) {
    int ready[2] = {-1, -1};
    REQUIRE(::pipe(ready) == 0);
    REQUIRE(::pipe(over_) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(over_[1]);
      work([&] {
        char byte = 1;
        (void)!::write(ready[1], &byte, 1);
        (void)!::read(over_[0], &byte, 1);  // returns when the test closes its end
      });
      ::_exit(0);
    }
    ::close(ready[1]);
    ::close(over_[0]);
    char byte = 0;
    const bool is_ready = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
    if (!is_ready) FAIL("the other process did not get ready");
  }
  ~OtherProcess() {
    ::close(over_[1]);
    ::waitpid(pid_, nullptr, 0);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

private:
  int over_[2] = {-1, -1};
  pid_t pid_ = -1;
};

/// Opens the database in another process and holds it with `sql` until the object goes.
auto holding(const std::string& file, const char* sql) {
  return [file, sql](const auto& hold) {
    sqlite3* db = nullptr;
    if (sqlite3_open(file.c_str(), &db) != SQLITE_OK) ::_exit(1);
    if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) ::_exit(1);
    hold();
  };
}

/// Overwrites pages of the file in place, and restores them.
class Damage {
public:
  Damage(std::string file, std::size_t from_page, std::size_t pages, char with)
      : file_(std::move(file)), offset_(from_page * page_size) {
    before_ = read_file(file_).substr(offset_, pages * page_size);
    put(std::string(before_.size(), with));
  }
  void repair() { put(before_); }

  static constexpr std::size_t page_size = 4096;
  static constexpr std::size_t all = 1000;

private:
  void put(const std::string& bytes) const {
    const int descriptor = ::open(file_.c_str(), O_WRONLY);
    const auto offset = static_cast<off_t>(offset_);
    const ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
    ::close(descriptor);
    REQUIRE(count == static_cast<ssize_t>(bytes.size()));
  }

  std::string file_;
  std::size_t offset_;
  std::string before_;
};

}  // namespace

// --- Disk ----------------------------------------------------------------------------------------

TEST_CASE(
    "on a full disk, writes get status 503, and they succeed again when there is room",
    "[faults]") {
  Disk disk("full");
  Payroll payroll(AuthPolicy::domain, true, [](SqliteOptions& options) { options.vfs = "full"; });
  Inserter inserter(payroll);
  REQUIRE(inserter.insert());
  disk.fail({Step::write, SQLITE_FULL});
  for (int count = 0; count != 2; ++count) {
    const auto response = payroll.insert(2, new_address("A"));
    CHECK(response.status == 503);
    CHECK(response.body.find("The database takes no writes now.") != std::string::npos);
  }
  CHECK_THROWS_AS(
      payroll.callers.token_by_api_token("alice", "api-token-alice", {}), soapsvc::fault);
  CHECK(payroll.incidents.empty());
  REQUIRE(payroll.told.size() == 1);
  CHECK(payroll.told[0].find("full") != std::string::npos);
  CHECK(payroll.list(1).status == 200);
  CHECK(payroll.webhooks(1).status == 200);
  inserter.check();
  disk.be_well();
  payroll.store.check();
  CHECK(payroll.told.back() == "the database takes writes again");
  check_recovery(payroll, inserter);
}

TEST_CASE(
    "wherever the disk begins to fail, nothing is lost, half written or disclosed", "[faults]") {
  const Failure failure = GENERATE(
      Failure{Step::write, SQLITE_FULL},
      Failure{Step::write, SQLITE_IOERR_WRITE},
      Failure{Step::write, SQLITE_READONLY},
      Failure{Step::sync, SQLITE_IOERR_FSYNC},
      Failure{Step::read, SQLITE_IOERR_READ},
      Failure{Step::truncate, SQLITE_IOERR_TRUNCATE},
      Failure{Step::lock, SQLITE_IOERR_LOCK},
      Failure{Step::map, SQLITE_IOERR_SHMMAP},
      Failure{Step::map, SQLITE_READONLY},
      Failure{Step::open, SQLITE_CANTOPEN});
  const bool once = GENERATE(false, true);
  CAPTURE(static_cast<int>(failure.step), failure.code, once);
  Disk disk("failing");
  Payroll payroll(AuthPolicy::domain, true, [](SqliteOptions& options) {
    options.vfs = "failing";
    options.patience = 20ms;
  });
  Inserter inserter(payroll);
  REQUIRE(call_everything(payroll, inserter) == everything);
  long failed = 0;
  for (long after = 0; after != 25; ++after) {
    CAPTURE(after);
    // Earlier connections cache pages; only new ones read, map and open again.
    disk.fail({Step::read, SQLITE_IOERR_READ});
    call_everything(payroll, inserter);
    disk.fail({failure.step, failure.code, after, once});
    call_everything(payroll, inserter);
    call_everything(payroll, inserter);
    failed += disk.hits();
    disk.be_well();
    CHECK(call_everything(payroll, inserter) == everything);
    inserter.check();
  }
  INFO("failed " << failed << " times");
  if (failure.step != Step::truncate) CHECK(failed > 0);
  check_recovery(payroll, inserter);
}

TEST_CASE("a disk that fails under many threads loses nothing that was acknowledged", "[faults]") {
  Disk disk("many");
  Payroll payroll(AuthPolicy::domain, true, [](SqliteOptions& options) {
    options.vfs = "many";
    options.patience = 20ms;
  });
  std::atomic<bool> over = false;
  std::mutex mutex;
  std::set<std::string> acknowledged;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int number = 0; !over; ++number) {
        const std::string street = std::to_string(thread) + '-' + std::to_string(number);
        const auto response = payroll.insert(2, new_address(street));
        const std::lock_guard lock(mutex);
        if (response.status == 200)
          acknowledged.insert(street);
        else
          ++refused;
      }
    });
  const std::array failures{
      Failure{Step::write, SQLITE_FULL, 3},
      Failure{Step::sync, SQLITE_IOERR_FSYNC, 2, true},
      Failure{Step::write, SQLITE_IOERR_WRITE, 5, true},
      Failure{Step::read, SQLITE_IOERR_READ, 1},
      Failure{Step::lock, SQLITE_IOERR_LOCK, 4}};
  for (int round = 0; round != 4; ++round)
    for (const Failure& failure : failures) {
      disk.fail(failure);
      std::this_thread::sleep_for(10ms);
      disk.be_well();
      std::this_thread::sleep_for(10ms);
    }
  over = true;
  for (std::thread& thread : threads)
    thread.join();
  CHECK(refused > 0);
  CHECK(!acknowledged.empty());
  const auto response = payroll.list(2);
  REQUIRE(response.status == 200);
  std::size_t lost = 0;
  for (const std::string& street : acknowledged)
    lost += count_of(response.body, "<Street>" + street + "</Street>") == 1 ? 0 : 1;
  CHECK(lost == 0);
  CHECK(count_of(response.body, "<Default>true</Default>") == 1);
  CHECK(check_of(payroll.folder.file("payroll.db"), "PRAGMA integrity_check") == "ok");
}

// --- Read-only, locked ---------------------------------------------------------------------------

TEST_CASE("a database or folder without access rights is refused at the start", "[faults]") {
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  { SqliteStore store(options); }
  options.create = GENERATE(true, false);
  const auto modes = GENERATE(
      std::pair(0777U, 0444U), std::pair(0555U, 0666U), std::pair(0777U, 0U), std::pair(0U, 0666U));
  const std::string path = folder.file("");
  ::chmod(options.file.c_str(), modes.second);
  ::chmod(path.c_str(), modes.first);
  // Root may write everywhere, so this process uses another user.
  const OtherProcess other([&](const auto& hold) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    const std::string refused = refusal_of(options);
    const bool good = refused.find("check its permissions") != std::string::npos &&
                      refused.find('\n') == std::string::npos;
    if (!good) ::dprintf(2, "%s\n", refused.c_str());
    if (!good) ::_exit(1);
    hold();
  });
  ::chmod(path.c_str(), 0700);
  ::chmod(options.file.c_str(), 0600);
  CHECK(refusal_of(options) == "accepted");
}

TEST_CASE(
    "a lock that another process holds too long only fails writes, until it is released",
    "[faults]") {
  Payroll payroll(
      AuthPolicy::domain, true, [](SqliteOptions& options) { options.patience = 100ms; });
  Inserter inserter(payroll);
  REQUIRE(inserter.insert());
  {
    const OtherProcess other(holding(payroll.folder.file("payroll.db"), "BEGIN EXCLUSIVE"));
    const auto response = payroll.insert(2, new_address("A"));
    CHECK(response.status == 503);
    CHECK(response.body.find("The database does not answer.") != std::string::npos);
    CHECK(payroll.incidents.empty());
    REQUIRE(payroll.told.size() == 1);
    CHECK(payroll.told[0].find("locked") != std::string::npos);
    CHECK(payroll.list(1).status == 200);
    CHECK(payroll.webhooks(1).status == 200);
    inserter.check();
  }
  check_recovery(payroll, inserter);
}

TEST_CASE(
    "a database that another process has locked exclusively is refused at the start", "[faults]") {
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  options.patience = 100ms;
  { SqliteStore store(options); }
  {
    const OtherProcess other(
        holding(options.file, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"));
    const std::string refused = refusal_of(options);
    INFO(refused);
    CHECK(refused.find("stop the other program that holds it") != std::string::npos);
  }
  CHECK(refusal_of(options) == "accepted");
}

TEST_CASE("a backup of a locked database is refused, and leaves no file", "[faults][backup]") {
  Disk disk("locked");
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  options.vfs = "locked";
  options.patience = 20ms;
  SqliteStore store(options);
  disk.fail({Step::lock, SQLITE_BUSY});
  CHECK_THROWS_WITH(store.backup(folder.file("b.db")), Catch::Contains("locked"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("")))
    CHECK(entry.path().filename().string().rfind("b.db", 0) != 0);
}

TEST_CASE("a backup goes to a file system without locks", "[faults][backup]") {
  Disk disk("lockless");
  const Folder folder;
  SqliteOptions options = options_for(folder.file("a.db"));
  options.vfs = "unix";
  SqliteStore store(options);
  REQUIRE(store.add_domain("acme") == AdminStore::Outcome::done);
  REQUIRE(sqlite3_vfs_register(sqlite3_vfs_find("lockless"), 1) == SQLITE_OK);  // the default now
  disk.fail({Step::lock, SQLITE_BUSY});
  CHECK_NOTHROW(store.backup(folder.file("b.db")));
  disk.be_well();
  CHECK(check_of(folder.file("b.db"), "PRAGMA integrity_check") == "ok");
  CHECK(check_of(folder.file("b.db"), "SELECT name FROM domain") == "acme");
}

TEST_CASE("a probe of the database fails while writes fail, and changes nothing", "[faults]") {
  Disk disk("probed");
  Payroll payroll(AuthPolicy::domain, true, [](SqliteOptions& options) { options.vfs = "probed"; });
  const std::string file = payroll.folder.file("payroll.db");
  const auto content = [&] {
    SQLite::Database db(file);
    SQLite::Statement each(
        db,
        "SELECT (SELECT group_concat(name || seq) FROM sqlite_sequence) || "
        "(SELECT group_concat(sql) FROM sqlite_schema) || (SELECT count(*) FROM address) || "
        "(SELECT user_version FROM pragma_user_version) || "
        "(SELECT application_id FROM pragma_application_id)");
    REQUIRE(each.executeStep());
    return each.getColumn(0).getString();
  };
  const std::string before = content();
  payroll.store.check();
  const Failure failure = GENERATE(
      Failure{Step::write, SQLITE_FULL},
      Failure{Step::write, SQLITE_IOERR_WRITE},
      Failure{Step::sync, SQLITE_IOERR_FSYNC});
  disk.fail(failure);
  CHECK_THROWS(payroll.store.check());
  CHECK(payroll.list(1).status == 200);
  disk.be_well();
  payroll.store.check();
  CHECK(content() == before);
}

TEST_CASE("a probe of the database fails while reads fail", "[faults]") {
  Disk disk("unread");
  Payroll payroll(AuthPolicy::domain, true, [](SqliteOptions& options) { options.vfs = "unread"; });
  payroll.store.check();
  disk.fail({Step::read, SQLITE_IOERR_READ});
  CHECK_THROWS_AS(payroll.store.check(), soapsvc::fault);
  CHECK(is_outage(payroll.list(1)));
  CHECK(payroll.incidents.empty());
  disk.be_well();
  payroll.store.check();
  CHECK(payroll.list(1).status == 200);
}

TEST_CASE("a probe of the database detects each missing table", "[faults]") {
  Payroll payroll;
  SQLite::Database db(payroll.folder.file("payroll.db"), SQLite::OPEN_READWRITE);
  for (const std::string table :
       {"domain",
        "user",
        "issued_token",
        "employee",
        "address",
        "debtor",
        "webhook_setting",
        "event_kind",
        "webhook_event"}) {
    CAPTURE(table);
    payroll.store.check();
    db.exec("ALTER TABLE " + table + " RENAME TO other");
    CHECK_THROWS_AS(payroll.store.check(), soapsvc::fault);
    CHECK(is_outage(payroll.webhooks(1)));
    CHECK(payroll.told.back() == "the database does not answer: no such table: " + table);
    db.exec("ALTER TABLE other RENAME TO " + table);
    payroll.store.check();
    CHECK(payroll.told.back() == "the database answers again");
  }
  CHECK(payroll.webhooks(1).status == 200);
  CHECK(payroll.incidents.empty());
}

// --- Damage --------------------------------------------------------------------------------------

TEST_CASE("a probe of the database finds damage, and calls get status 503", "[faults]") {
  Payroll payroll;
  const std::string file = payroll.folder.file("payroll.db");
  const char with = GENERATE('\0', '\xFF', 'x');
  payroll.store.check();
  {
    SQLite::Database db(file, SQLite::OPEN_READWRITE);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  Damage damage(file, 1, Damage::all, with);
  CHECK_THROWS_AS(payroll.store.check(), soapsvc::fault);
  CHECK(is_outage(payroll.list(1)));
  CHECK(is_outage(payroll.insert(2, new_address("A"))));
  CHECK(payroll.incidents.empty());
  damage.repair();
  payroll.store.check();
  Inserter inserter(payroll);
  check_recovery(payroll, inserter);
}

TEST_CASE("damaged pages are outages, and repaired ones are read again", "[faults]") {
  Disk disk("damaged");
  Payroll payroll(
      AuthPolicy::domain, true, [](SqliteOptions& options) { options.vfs = "damaged"; });
  Inserter inserter(payroll);
  REQUIRE(call_everything(payroll, inserter) == everything);
  const std::string file = payroll.folder.file("payroll.db");
  const char with = GENERATE('\0', '\xFF', 'x');
  const auto damage_and_repair = [&](std::size_t from_page, std::size_t pages) {
    {
      SQLite::Database db(file, SQLite::OPEN_READWRITE);
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");  // from now on all pages are in the file
    }
    Damage damage(file, from_page, pages, with);
    disk.fail({Step::read, SQLITE_IOERR_READ});  // clears the caches of all connections
    call_everything(payroll, inserter);
    call_everything(payroll, inserter);
    disk.be_well();
    int results = 0;
    for (int count = 0; count != 3; ++count)
      results += call_everything(payroll, inserter);
    damage.repair();
    CHECK(call_everything(payroll, inserter) == everything);
    inserter.check();
    return results;
  };
  SECTION("all") { CHECK(damage_and_repair(0, Damage::all) == 0); }
  SECTION("all but the first, which holds the schema") {
    CHECK(damage_and_repair(1, Damage::all) == 0);
  }
  SECTION("each alone") {
    const std::size_t pages = std::filesystem::file_size(file) / Damage::page_size;
    std::size_t noticed = 0;
    for (std::size_t page = 1; page != pages; ++page) {
      CAPTURE(page);
      noticed += damage_and_repair(page, 1) != 3 * everything ? 1 : 0;
    }
    CHECK(noticed >= pages / 2);
  }
  check_recovery(payroll, inserter);
}

TEST_CASE("a database that is damaged before the start is refused, or takes no calls", "[faults]") {
  const Folder folder;
  const SqliteOptions options = options_for(folder.file("a.db"));
  const std::chrono::sys_days day = std::chrono::year(2026) / 3 / 17;
  {
    SqliteStore store(options);
    REQUIRE(store.fill(demo_data(day, cheap_cost)));
  }
  const char with = GENERATE('\0', '\xFF', 'x');
  SECTION("its first page") {
    Damage damage(options.file, 0, 1, with);
    const std::string refused = refusal_of(options);
    INFO(refused);
    CHECK(refused.find("another file") != std::string::npos);
    CHECK(refused.find('\n') == std::string::npos);
    damage.repair();
    CHECK(refusal_of(options) == "accepted");
  }
  SECTION("all others") {
    Damage damage(options.file, 1, Damage::all, with);
    SqliteStore store(options);
    CHECK_THROWS(store.list_current(DomainId{1}, 1, day));
    CHECK_THROWS(store.find_domain("acme"));
    CHECK_THROWS(store.insert_current(DomainId{1}, 1, {}, day, day));
    damage.repair();
    CHECK(store.list_current(store.find_domain("acme").value(), 1, day)->size() == 3);
    CHECK(store.insert_current(DomainId{1}, 1, {}, day, day));
  }
}
