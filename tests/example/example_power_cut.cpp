// Checks that every acknowledged insert survives a power failure. Killing a process cannot show a
// missing sync, because the kernel keeps the written data. So the disk of this test loses unsynced
// data.
#include "example.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <atomic>
#include <set>
#include <thread>

#include "power_cut.hpp"

using namespace example;
using power_cut::Disk;
using power_cut::Leftovers;

namespace {

constexpr std::chrono::sys_days march = std::chrono::year(2026) / 3 / 1;
constexpr int writers = 4;
constexpr int employees = 8;  // each has room for a thousand addresses

/// Every field is made from one number, so that an incomplete row is detected.
EmployeeAddress numbered_address(int number) {
  EmployeeAddress made;
  made.street = std::to_string(number) + std::string(300, 'x');
  made.city = std::to_string(number) + "-city";
  made.country_iso_code = std::to_string(number) + "-country";
  made.is_default = true;
  return made;
}

bool is_whole(const EmployeeAddress& address) {
  const EmployeeAddress wanted = numbered_address(std::stoi(address.street.value_or("0")));
  return address.street == wanted.street && address.city == wanted.city &&
         address.country_iso_code == wanted.country_iso_code;
}

/// All rows are complete and unique, and only the last one is the default, because the mark is
/// committed with the insert.
bool are_whole(const std::vector<EmployeeAddress>& listed) {
  std::set<std::string> streets;
  for (const EmployeeAddress& each : listed) {
    const bool is_last = each.id == listed.back().id;
    if (!is_whole(each) || !streets.insert(*each.street).second || each.is_default != is_last)
      return false;
  }
  return true;
}

/// Inserts and reads from several threads until the power fails, and returns the remaining files.
struct Outage {
  std::set<std::int32_t> acknowledged;
  std::map<std::string, std::vector<char>> left;
};

Outage cut_in_the_middle(
    const std::string& synchronous, std::size_t inserts, Leftovers leftovers, unsigned seed) {
  const Folder folder;
  Disk disk("power-cut-" + std::to_string(seed));
  SqliteOptions options = options_for(folder.file("payroll.db"));
  options.vfs = disk.name();
  options.synchronous = synchronous;
  SqliteStore store(options);
  REQUIRE(store.add_domain("acme") == AdminStore::Outcome::done);
  for (std::int32_t employee = 1; employee <= employees; ++employee)
    REQUIRE(store.add_employee("acme", employee) == AdminStore::Outcome::done);
  const DomainId domain = store.find_domain("acme").value();

  std::mutex mutex;
  std::set<std::int32_t> acknowledged;
  std::atomic<bool> over = false;
  std::atomic<int> halves = 0;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!over) {
      halves += are_whole(store.list_current(domain, 1, march).value()) ? 0 : 1;
      std::this_thread::sleep_for(2ms);
    }
  });
  std::atomic<int> number = 0;
  for (int count = 0; count != writers; ++count)
    threads.emplace_back([&] {
      while (!over) {
        const int next = ++number;
        const EmployeeAddress address = numbered_address(next);
        const auto id = store.insert_current(domain, 1 + next % employees, address, march, march);
        const std::lock_guard lock(mutex);
        acknowledged.insert(id.value());
      }
    });
  Outage outage;
  while (outage.acknowledged.size() < inserts) {
    std::this_thread::sleep_for(1ms);
    const std::lock_guard lock(mutex);
    outage.acknowledged = acknowledged;
  }
  outage.left = disk.cut(leftovers, seed);
  over = true;
  for (std::thread& thread : threads)
    thread.join();
  CHECK(halves == 0);
  return outage;
}

/// The number of missing acknowledged inserts; all of them if the database cannot be opened or is
/// damaged.
std::size_t count_lost(const Outage& outage) {
  const Folder folder;
  power_cut::put_back(outage.left, folder.file(""));
  const std::string file = folder.file("payroll.db");
  try {
    SqliteOptions options = options_for(file);
    options.create = false;
    SqliteStore store(options);
    SQLite::Database db(file);
    for (const char* check : {"PRAGMA integrity_check", "PRAGMA quick_check"})
      if (db.execAndGet(check).getString() != "ok") return outage.acknowledged.size();
    const auto domain = store.find_domain("acme");
    if (!domain) return outage.acknowledged.size();
    std::set<std::int32_t> lost = outage.acknowledged;
    for (std::int32_t employee = 1; employee <= employees; ++employee) {
      const auto listed = store.list_current(*domain, employee, march).value();
      if (!are_whole(listed)) return outage.acknowledged.size();
      for (const EmployeeAddress& each : listed)
        lost.erase(each.id);
    }
    return lost.size();
  } catch (const std::exception& error) {
    WARN(error.what());
    return outage.acknowledged.size();
  }
}

}  // namespace

TEST_CASE("an acknowledged insert survives the loss of every unsynced write", "[power]") {
  const auto leftovers = GENERATE(Leftovers::none, Leftovers::some);
  // From the first commits of a new file, and from across several checkpoints.
  const std::size_t inserts = GENERATE(as<std::size_t>{}, 1, 10, 500, 3000);
  const unsigned cuts = inserts == 3000 ? 4 : 16;  // 104 in all
  for (unsigned seed = 1; seed <= cuts; ++seed) {
    const Outage outage = cut_in_the_middle("FULL", inserts, leftovers, seed);
    INFO(outage.acknowledged.size() << " acknowledged, seed " << seed);
    CHECK(count_lost(outage) == 0);
  }
}

TEST_CASE("the same check fails when nothing is synced, so it can fail", "[power]") {
  const Outage off = cut_in_the_middle("OFF", 200, Leftovers::none, 1);
  CHECK(count_lost(off) > 0);
  const Outage normal = cut_in_the_middle("NORMAL", 200, Leftovers::none, 2);
  CHECK(count_lost(normal) > 0);
}

TEST_CASE("writes that wait together are synced once", "[power]") {
  const Folder folder;
  Disk disk("power-cut-count");
  SqliteOptions options = options_for(folder.file("payroll.db"));
  options.vfs = disk.name();
  SqliteStore store(options);
  REQUIRE(store.add_domain("acme") == AdminStore::Outcome::done);
  std::int32_t employee = 1;
  REQUIRE(store.add_employee("acme", employee) == AdminStore::Outcome::done);
  const DomainId domain = store.find_domain("acme").value();
  const std::size_t before = disk.syncs();
  // The writer waits for the lock of another program while all inserts queue.
  SQLite::Database other(options.file, SQLite::OPEN_READWRITE, 0, disk.name());
  other.exec("BEGIN IMMEDIATE");
  std::vector<std::thread> threads;
  for (int count = 0; count != 64; ++count)
    threads.emplace_back([&] { store.insert_current(domain, 1, {}, march, march); });
  std::this_thread::sleep_for(500ms);
  other.exec("ROLLBACK");
  for (std::thread& thread : threads)
    thread.join();
  CHECK(store.list_current(domain, 1, march)->size() == 64);
  CHECK(disk.syncs() - before <= 8);
}
