#include "store/store.hpp"

#include <utility>

#include "store/sqlite/store.hpp"

#ifdef PAYROLL_POSTGRES
#include "store/postgres/store.hpp"
#endif

namespace {

std::unique_ptr<Store> open_sqlite(const StoreOptions& given) {
  SqliteOptions options;
  options.file = given.db;
  options.create = given.create;
  options.patience = given.timeout;
  options.alone = given.alone;
  options.tell = given.tell;
  return std::make_unique<SqliteStore>(std::move(options));
}

}  // namespace

#ifdef PAYROLL_POSTGRES

std::unique_ptr<Store> open_store(const StoreOptions& given) {
  if (!postgres::is_address(given.db)) {
    if (!given.read_from.empty())
      throw UnusableDatabase("--read-from needs PostgreSQL; name its primary with --db");
    if (given.partitions != 0)
      throw UnusableDatabase(
          "--partitions needs PostgreSQL; name a database of PostgreSQL with --db");
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
  return postgres::is_address(db) ? postgres::printable(db) : db;
}

#else

std::unique_ptr<Store> open_store(const StoreOptions& given) {
  // Without libpq nobody can tell more of an address; as a file name it would hold a password.
  if (given.db.rfind("postgres", 0) == 0 && given.db.find("://") != std::string::npos)
    throw UnusableDatabase(
        "this payroll was built without PostgreSQL; install libpq-dev and build it again with "
        "-Dpostgres=enabled");
  return open_sqlite(given);
}

bool is_database_server(const std::string&) { return false; }

std::string shown_database(const std::string& db) {
  return db.find("://") == std::string::npos ? db : "the database";
}

#endif
