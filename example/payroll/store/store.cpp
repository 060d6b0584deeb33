#include "store/store.hpp"

#include <type_traits>
#include <utility>

#include "services/employee.hpp"
#include "store/sqlite/store.hpp"

#ifdef PAYROLL_POSTGRES
#include "store/postgres/store.hpp"
#endif

namespace {

std::unique_ptr<Store> open_sqlite(const StoreOptions& given) {
  if (!given.read_from.empty())
    throw WrongOptions("--read-from needs PostgreSQL; name its primary with --db");
  if (given.partitions != 0)
    throw WrongOptions("--partitions needs PostgreSQL; name a database of PostgreSQL with --db");
  SqliteOptions options;
  options.file = given.db;
  options.create = given.create;
  // SQLite polls for its lock. While a server is busy, a command may miss its turn for seconds.
  options.patience = given.serves ? given.timeout : std::chrono::seconds(30);
  options.alone = given.alone;
  options.tell = given.tell;
  return std::make_unique<SqliteStore>(std::move(options));
}

/// True for a file name that may be an address of PostgreSQL with a mistake. Such an address can
/// hold a password, and messages show file names. Paths and options of the command line are no
/// addresses.
bool looks_like_address(const std::string& db) {
  const bool is_other = db.find_first_of("/.-") == 0;
  return !is_other && (db.find_first_of("=@") != db.npos || db.find("://") != db.npos);
}

}  // namespace

std::int32_t most_current(const EmployeeAddress& address) {
  std::size_t bytes = 0;
  soapsvc::for_each_field(address, [&bytes](std::string_view, const auto& member) {
    if constexpr (std::is_same_v<decltype(member), const std::optional<std::string>&>)
      if (member) bytes += member->size();
  });
  return bytes > most_short_text ? most_beside_long_text : most_current_addresses;
}

#ifdef PAYROLL_POSTGRES

std::unique_ptr<Store> open_store(const StoreOptions& given) {
  if (!postgres::is_address(given.db)) {
    if (looks_like_address(given.db))
      throw WrongOptions(
          "the value of --db looks like an address of PostgreSQL with a mistake; correct it, or "
          "begin the name of a file with ./");
    return open_sqlite(given);
  }
  PostgresOptions options;
  options.db = given.db;
  options.read_from = given.read_from;
  options.create = given.create;
  options.serves = given.serves;
  options.alone = given.alone;
  options.partitions = given.partitions;
  options.connections = given.connections;
  options.timeout = given.timeout;
  options.tell = given.tell;
  return std::make_unique<PostgresStore>(std::move(options));
}

bool is_database_server(const std::string& db) { return postgres::is_address(db); }

std::string shown_database(const std::string& db) {
  if (postgres::is_address(db)) return postgres::printable(db);
  return looks_like_address(db) ? "***" : db;
}

#else

std::unique_ptr<Store> open_store(const StoreOptions& given) {
  if (looks_like_address(given.db))
    throw WrongOptions(
        "this payroll was built without PostgreSQL; install libpq-dev and build it again with "
        "-Dpostgres=enabled, or begin the name of a file with ./");
  return open_sqlite(given);
}

bool is_database_server(const std::string&) { return false; }

std::string shown_database(const std::string& db) { return looks_like_address(db) ? "***" : db; }

#endif
