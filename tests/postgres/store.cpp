// The PostgreSQL store: the suite of all stores, and tests of opening, lost connections, tokens by
// the database's clock, and the partitions that a query uses.
//
// tests/postgres/run starts the server and runs this program, once without and once with
// partitions. The environment names the server: PAYROLL_POSTGRES is an address up to the database's
// name, PAYROLL_POSTGRES_LOG the server's log, PAYROLL_PARTITIONS a number.
#include <atomic>
#include <future>
#include <regex>
#include <set>
#include <thread>

#include "../eventually.hpp"
#include "../example/store_suite.hpp"
#include "auth/guesses.hpp"
#include "cutting_proxy.hpp"
#include "store/copy.hpp"
#include "store/postgres/store.hpp"

using namespace example;
using Outcome = AdminStore::Outcome;
using postgres::Connection;
using postgres::Deadline;
using postgres::Rows;
using postgres::Statement;
using postgres::Values;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  INFO(name);
  REQUIRE(value != nullptr);
  return value;
}

int partitions() { return std::stoi(environment("PAYROLL_PARTITIONS")); }

postgres::Deadline soon() { return std::chrono::steady_clock::now() + 20s; }

Connection connection_to(const std::string& db) {
  return Connection(postgres::Address(db).host(0), postgres::ServerKind::any, soon());
}

/// A new database on the server, removed with this object.
class PostgresDatabase final : public Database {
public:
  explicit PostgresDatabase(const std::string& more = "") {
    static int count = 0;
    name_ = "t" + std::to_string(::getpid()) + '_' + std::to_string(++count);
    connection_to(server_ + "postgres").execute("CREATE DATABASE " + name_ + more, soon());
  }
  ~PostgresDatabase() override {
    try {
      connection_to(server_ + "postgres")
          .execute("DROP DATABASE " + name_ + " WITH (FORCE)", soon());
    } catch (const std::exception&) {  // the server is removed at the end
    }
  }

  std::string address() const { return server_ + name_; }
  const std::string& name() const { return name_; }

  PostgresOptions options() const {
    PostgresOptions options;
    options.db = address();
    options.partitions = partitions_;
    return options;
  }

  std::unique_ptr<Store> open() override { return std::make_unique<PostgresStore>(options()); }

  std::vector<std::int32_t> default_addresses() override {
    return numbers("SELECT id FROM address WHERE is_default ORDER BY id");
  }
  void spoil_types() override {
    execute("ALTER TABLE address DROP CONSTRAINT address_type_check");
    execute("UPDATE address SET type = 9");
  }

  void execute(const std::string& sql) const { connection_to(address()).execute(sql, soon()); }

  std::vector<std::int32_t> numbers(const char* sql) const {
    Connection over = connection_to(address());
    const Statement statement{"numbers", sql};
    std::vector<std::int32_t> found;
    for (Rows rows = over.run(statement, Values{}, soon()); rows.next();)
      found.push_back(rows.number(0));
    return found;
  }

private:
  // Read here, because several threads call open(), and Catch is for one thread.
  std::string server_ = environment("PAYROLL_POSTGRES");
  int partitions_ = partitions();
  std::string name_;
};

/// The address of the server for a proxy.
std::string server_socket() {
  const std::string real = environment("PAYROLL_POSTGRES");
  std::smatch parts;
  REQUIRE(std::regex_match(real, parts, std::regex("postgresql://(.*)@(.*):([0-9]+)/")));
  const std::string folder = std::regex_replace(parts[2].str(), std::regex("%2F"), "/");
  return folder + "/.s.PGSQL." + parts[3].str();
}

PostgresOptions options_through(const CuttingProxy& proxy, const PostgresDatabase& database) {
  PostgresOptions options = database.options();
  options.db = "postgresql://postgres@127.0.0.1:" + std::to_string(proxy.port()) + '/' +
               database.name() + "?sslmode=disable";
  return options;
}

std::string refusal_of(const PostgresOptions& options) {
  try {
    PostgresStore store(options);
  } catch (const UnusableDatabase& error) {
    return error.what();
  }
  return "accepted";
}

NewUser alice_user() { return {"acme", "alice", {"salt", "hash", 2, 1, 1}, digest_of("x")}; }

}  // namespace

std::unique_ptr<Database> example::new_database() { return std::make_unique<PostgresDatabase>(); }

// --- Opening -------------------------------------------------------------------------------------

TEST_CASE("addresses of PostgreSQL are recognised", "[postgres]") {
  for (const char* address :
       {"postgresql://",
        "postgresql://a,b/c",
        "postgres://u:p@h:1/d?sslmode=verify-full",
        "host=/tmp dbname=payroll",
        "service=payroll"})
    CHECK(postgres::is_address(address));
  for (const char* file :
       {"payroll.db", "a=b.db", "./host=a", "user=a", "postgresql.db", "host", "file:host=a"})
    CHECK(!postgres::is_address(file));
  CHECK(postgres::printable("postgresql://u:secret@h/d") == "PostgreSQL database 'd' at h");
  for (const char* address :
       {"postgresql://u:secret@h:port:/d",
        "postgresql://u:sec/secret@h/d",
        "postgresql://h/d?password=secret&x=secret",
        "dbname=postgresql://u:secret@h/d",
        "host=h password='secret"})
    CHECK(postgres::printable(address).find("secret") == std::string::npos);
}

TEST_CASE("unusable databases are refused with one line that says what to do", "[postgres]") {
  PostgresDatabase database;
  PostgresOptions options = database.options();
  options.timeout = 2s;
  std::optional<PostgresDatabase> latin;
  std::string expected;  // no section may return: Catch would not see those behind it
  SECTION("text that is not UTF-8") {
    latin.emplace(" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    options.db = latin->address();
    expected = "ENCODING 'UTF8'";
  }
  SECTION("of another program") {
    database.execute("CREATE TABLE theirs (a integer)");
    expected = "another program";
  }
  SECTION("of another program, whose tables this role may not touch") {
    database.execute("CREATE TABLE theirs (a integer)");
    database.execute("GRANT ALL ON SCHEMA public TO stranger");
    options.db = std::regex_replace(options.db, std::regex("postgres@"), "stranger@");
    expected = "another program";
  }
  SECTION("of another program that has a table like ours") {
    database.execute(
        "CREATE TABLE payroll_schema AS SELECT 1::smallint AS id, 1 AS version, 'x'::text AS "
        "application");
    expected = "another program";
  }
  SECTION("of a newer schema") {
    { PostgresStore store(options); }
    database.execute("UPDATE payroll_schema SET version = 99");
    expected = "install a newer payroll";
  }
  SECTION("nothing there, and not to be made") {
    options.create = false;
    expected = "payroll migrate";
  }
  SECTION("nothing there, and no right to make it") {
    options.db = std::regex_replace(options.db, std::regex("postgres@"), "stranger@");
    expected = "payroll migrate";
  }
  SECTION("made by somebody else, without rights for us") {
    { PostgresStore store(options); }
    options.db = std::regex_replace(options.db, std::regex("postgres@"), "stranger@");
    expected = "ask its owner";
  }
  SECTION("with a few of the rights") {
    { PostgresStore(options).grant("stranger"); }
    database.execute("REVOKE INSERT ON address FROM stranger");
    database.execute("REVOKE UPDATE (id) ON employee FROM stranger");
    options.db = std::regex_replace(options.db, std::regex("postgres@"), "stranger@");
    options.serves = true;
    expected = "INSERT on address, UPDATE (id) on employee";
  }
  SECTION("in other parts than asked for") {
    { PostgresStore store(options); }
    options.partitions = partitions() + 2;
    expected = "leave out --partitions";
  }
  SECTION("no such database") {
    options.db = environment("PAYROLL_POSTGRES") + "no_such_database";
    expected = "does not exist";
  }
  SECTION("no server") {
    options.db = "postgresql://u:secret@127.0.0.1:1/d";
    expected = "check --db";
  }
  SECTION("a wrong password") {
    options.db = std::regex_replace(options.db, std::regex("postgres@"), "locked:wrong-secret@");
    expected = "password authentication failed";
  }
  SECTION("an address that cannot be read") {
    options.db = "postgresql://u:secret@h:port/d?secret";
    expected = "%-codes";
  }
  SECTION("more ports than hosts") {
    options.db = "postgresql:///d?host=a,b,c&port=1,2";
    expected = "give each host one";
  }
  const std::string refused = refusal_of(options);
  INFO(refused);
  CHECK(refused.find(expected) != std::string::npos);
  CHECK(refused.find('\n') == std::string::npos);
  CHECK(refused.find("secret") == std::string::npos);
}

TEST_CASE(
    "a connection attempt to a server that does not answer ends at the deadline", "[postgres]") {
  const CuttingProxy silent("");  // accepts connections, and sends nothing
  PostgresOptions options;
  options.db = "postgresql://u@127.0.0.1:" + std::to_string(silent.port()) + "/d";
  options.timeout = 300ms;
  const auto begun = std::chrono::steady_clock::now();
  CHECK(refusal_of(options).find("does not answer in time") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begun < 5s);
}

TEST_CASE("the host that answers is found among several, however the others fail", "[postgres]") {
  PostgresDatabase database;
  const CuttingProxy silent("");
  PostgresOptions options = database.options();
  const std::string real = environment("PAYROLL_POSTGRES");
  const std::smatch parts = [&] {
    static std::smatch found;
    REQUIRE(std::regex_match(real, found, std::regex("postgresql://(.*)@(.*):([0-9]+)/")));
    return found;
  }();
  options.db = "postgresql://postgres@127.0.0.1:1,127.0.0.1:" + std::to_string(silent.port()) +
               ',' + parts[2].str() + ':' + parts[3].str() + '/' + database.name();
  CHECK(refusal_of(options) == "accepted");
}

TEST_CASE("a role with the granted rights can serve, but cannot create tables", "[postgres]") {
  PostgresDatabase database;
  database.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC");
  {
    PostgresStore owner(database.options());
    owner.grant("stranger");
    fill_small(owner);
    REQUIRE(owner.add_user(alice_user()) == Outcome::done);
  }
  PostgresOptions options = database.options();
  options.db = std::regex_replace(options.db, std::regex("postgres@"), "stranger@");
  options.serves = true;
  std::atomic<std::int64_t> passed{0};  // minutes
  options.clock = [&passed] {
    Moment now = system_moment();
    now.since_boot += std::chrono::minutes(passed.load());
    return now;
  };
  PostgresStore store(options);
  const DomainId domain = store.find_domain("acme").value();
  EmployeeAddress marked = work_address("A");
  marked.is_default = true;
  CHECK(store.insert_current(domain, 1, marked, march, today_));
  passed = 11;
  for (int turn = 0; turn != 256; ++turn)
    REQUIRE(store.insert_current(domain, 1, work_address("B"), march, today_));
  CHECK(database.numbers("SELECT count(*)::integer FROM insert_key").at(0) == 256);
  store.add_token({digest_of("t"), domain, 1, digest_of("x"), {}, {}}, 30s);
  CHECK(store.find_token("acme", digest_of("t")).holders.size() == 1);
  store.check();
  store.renew_password(domain, 1, {"salt", "longer", 4, 8, 2});
  CHECK(store.find_passwords("acme", "alice", 1).holders.at(0).password.hash == "longer");
  CHECK_THROWS(store.add_domain("third"));
  Connection over = connection_to(options.db);
  CHECK_THROWS(over.execute("UPDATE account SET disabled = true", soon()));
  CHECK_THROWS(over.execute("CREATE TABLE mine (a integer)", soon()));
  CHECK_THROWS(over.execute("DELETE FROM address", soon()));
}

TEST_CASE(
    "a database that is served is not copied, and a database that is copied is not served",
    "[postgres]") {
  PostgresDatabase database;
  PostgresOptions served = database.options();
  served.serves = true;
  served.timeout = 1s;
  PostgresOptions alone = database.options();
  alone.alone = true;
  {
    const PostgresStore one(served);  // without a call
    const PostgresStore two(served);
    CHECK(refusal_of(alone).find("payroll serve") != std::string::npos);
    CHECK(refusal_of(database.options()) == "accepted");
  }
  {
    PostgresStore command(database.options());
    command.add_domain("acme");
    CHECK(refusal_of(alone).find("another `payroll` command") != std::string::npos);
  }
  REQUIRE(net::eventually([&] { return refusal_of(alone) == "accepted"; }, 10s));
  PostgresStore copied(alone);
  for (const char* hosts : {":$1/", ":$1,127.0.0.1:1/"}) {  // the last host has another error
    served.db = std::regex_replace(database.address(), std::regex(":([0-9]+)/"), hosts);
    const std::string refused = refusal_of(served);
    INFO(refused);
    CHECK(refused.find("payroll copy") != std::string::npos);
    CHECK(refused.find("start again when the copy is done") != std::string::npos);
  }
  CHECK(refusal_of(alone).find("another `payroll` command") != std::string::npos);
  // The copy would lack later writes to the original.
  CHECK(refusal_of(database.options()).find("payroll copy") != std::string::npos);
  copied.send_all([](CopyTable, const CopyRow&) {});
}

TEST_CASE(
    "of two processes that create tables with different partitions at once, one is refused",
    "[postgres]") {
  PostgresDatabase database;
  Connection holds = connection_to(database.address());
  holds.execute("SELECT pg_advisory_lock(hashtext('payroll ' || current_schema()))", soon());
  const auto made = [&](int partitions) {
    PostgresOptions options = database.options();
    options.partitions = partitions;
    return refusal_of(options);
  };
  auto two = std::async(std::launch::async, made, 2);
  auto three = std::async(std::launch::async, made, 3);
  const bool both_wait = net::eventually([&] {
    return database
               .numbers(
                   "SELECT count(*)::integer FROM pg_locks WHERE NOT granted "
                   "AND locktype = 'advisory' AND database = (SELECT oid FROM pg_database "
                   "WHERE datname = current_database())")
               .at(0) == 2;
  });
  holds.execute("SELECT pg_advisory_unlock(hashtext('payroll ' || current_schema()))", soon());
  CHECK(both_wait);
  const std::string answers[] = {two.get(), three.get()};
  CAPTURE(answers[0], answers[1]);
  CHECK((answers[0] == "accepted") != (answers[1] == "accepted"));
  CHECK((answers[0] + answers[1]).find("leave out --partitions") != std::string::npos);
}

TEST_CASE(
    "an older program does not change a database that a newer one has just migrated",
    "[postgres]") {
  PostgresDatabase database;
  { PostgresStore store(database.options()); }
  database.execute("UPDATE payroll_schema SET version = 1");
  Connection newer = connection_to(database.address());
  newer.execute("BEGIN", soon());
  newer.execute("UPDATE payroll_schema SET version = 99", soon());
  std::string refused;
  std::thread older([&] { refused = refusal_of(database.options()); });
  std::this_thread::sleep_for(300ms);
  newer.execute("COMMIT", soon());
  older.join();
  CHECK(refused.find("install a newer payroll") != std::string::npos);
  CHECK(database.numbers("SELECT version FROM payroll_schema") == std::vector<std::int32_t>{99});
}

// --- Tokens --------------------------------------------------------------------------------------

TEST_CASE("a token that is issued while the API token is replaced is invalid", "[postgres]") {
  PostgresDatabase database;
  PostgresStore store(database.options());
  fill_small(store);
  REQUIRE(store.add_user(alice_user()) == Outcome::done);
  const DomainId domain = store.find_domain("acme").value();
  REQUIRE(store.add_token({digest_of("a"), domain, 1, digest_of("x"), {}, {}}, 30s));
  Connection operators = connection_to(database.address());
  operators.execute("BEGIN", soon());
  operators.execute(
      "UPDATE account SET api_token_digest = decode(repeat('00', 32), 'hex')", soon());
  std::atomic<bool> kept = true;
  std::thread issuing([&] {
    kept = store.add_token({digest_of("b"), domain, 1, digest_of("x"), {}, {}}, 30s);
  });
  std::this_thread::sleep_for(300ms);
  operators.execute("DELETE FROM issued_token", soon());
  operators.execute("COMMIT", soon());
  issuing.join();
  CHECK_FALSE(kept);
  CHECK(database.numbers("SELECT 1 FROM issued_token").empty());
}

namespace {

/// A process on its own machine: its wall clock is arbitrary, its time since boot is real, and can
/// jump, as if the database's clock had jumped.
struct Machine {
  explicit Machine(const PostgresDatabase& database, std::chrono::hours wrong = 0h)
      : wall_error(wrong) {
    PostgresOptions options = database.options();
    options.clock = [this] { return moment(); };
    options.tell = [this](const std::string& what) { told += what + '\n'; };
    store = std::make_unique<PostgresStore>(options);
    AuthLimits limits;
    limits.token_lifetime = 1500ms;
    callers = std::make_unique<Authenticator>(
        *store, [this] { return moment(); }, AuthPolicy::token, limits);
  }
  Moment moment() const {
    Moment now = system_moment();
    now.wall += wall_error;
    now.since_boot += std::chrono::nanoseconds(jumped.load());
    return now;
  }
  std::string issue() { return callers->token_by_api_token("alice", "api-token-alice", context); }
  bool accepts(const std::string& token) {
    try {
      callers->domain_of(AuthHeaderWithDomain{"alice", token, "acme"}, context);
      return true;
    } catch (const soapsvc::fault&) {
      return false;
    }
  }

  std::chrono::hours wall_error;
  std::atomic<std::int64_t> jumped{0};
  std::string told;
  soapsvc::context context;
  std::unique_ptr<PostgresStore> store;
  std::unique_ptr<Authenticator> callers;
};

}  // namespace

TEST_CASE("a token of one process is valid in another until it expires", "[postgres]") {
  PostgresDatabase database;
  Machine early(database, -1h);
  REQUIRE(early.store->fill(demo_data(today_, cheap_cost)));
  Machine late(database, 1h);
  const std::string first = early.issue();
  CHECK(late.accepts(first));
  const std::string token = early.issue();
  const auto issued = std::chrono::steady_clock::now();
  CHECK(late.accepts(token));
  CHECK(early.accepts(token));
  while (std::chrono::steady_clock::now() - issued < 1100ms)
    std::this_thread::sleep_for(10ms);
  CHECK(late.accepts(token));
  while (std::chrono::steady_clock::now() - issued < 1500ms)
    std::this_thread::sleep_for(10ms);
  CHECK(!late.accepts(token));
  CHECK(!early.accepts(token));
}

TEST_CASE("a database's clock that is set ends the tokens issued by it", "[postgres]") {
  PostgresDatabase database;
  Machine machine(database);
  REQUIRE(machine.store->fill(demo_data(today_, cheap_cost)));
  const std::string before = machine.issue();
  CHECK(machine.accepts(before));
  machine.jumped = GENERATE(as<std::int64_t>(), 1'300'000'000, -1'300'000'000, 3'600'000'000'000);
  CHECK(!machine.accepts(before));
  const std::string after = machine.issue();
  CHECK(machine.accepts(after));
  CHECK(!machine.accepts(before));
  machine.jumped += 3'600'000'000'000;
  CHECK(!machine.accepts(after));
  CHECK(count_of(machine.told, "the clock of the database was changed") == 2);
}

TEST_CASE("small deviations of a clock are followed", "[postgres]") {
  PostgresDatabase database;
  Machine machine(database);
  REQUIRE(machine.store->fill(demo_data(today_, cheap_cost)));
  const std::string before = machine.issue();
  machine.jumped = 700'000'000;
  CHECK(machine.accepts(before));
  machine.jumped = 1'400'000'000;  // successive steps add up
  CHECK(!machine.accepts(before));
}

TEST_CASE("a token with a slow commit is issued once", "[postgres]") {
  PostgresDatabase database;
  Machine machine(database);
  REQUIRE(machine.store->fill(demo_data(today_, cheap_cost)));
  machine.issue();  // the clock is known now
  database.execute("CREATE SEQUENCE commits");
  database.execute(
      "CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
      "PERFORM nextval('commits'), pg_sleep(0.5); RETURN NULL; END$$");
  database.execute(
      "CREATE CONSTRAINT TRIGGER take_time AFTER INSERT OR UPDATE ON issued_token DEFERRABLE "
      "INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION take_time()");
  const std::string token = machine.issue();
  CHECK(machine.accepts(token));
  CHECK(
      database.numbers("SELECT last_value::integer FROM commits WHERE is_called") ==
      std::vector<std::int32_t>{1});
  machine.jumped = 3'600'000'000'000;  // the reading still sees a step
  CHECK(machine.accepts(machine.issue()));
  CHECK(!machine.accepts(token));
}

TEST_CASE("a promoted server ends the tokens of the one before", "[postgres]") {
  PostgresDatabase database;
  Machine machine(database);
  REQUIRE(machine.store->fill(demo_data(today_, cheap_cost)));
  const std::string before = machine.issue();
  CHECK(machine.accepts(before));
  database.execute("UPDATE token_epoch SET server = 'as if it had been another'");
  Machine second(database);
  REQUIRE(second.store->is_empty() == false);
  CHECK(!second.accepts(before));
  CHECK(!machine.accepts(before));
  CHECK(second.accepts(machine.issue()));
}

TEST_CASE("a database that was restored from a backup issues tokens", "[postgres]") {
  PostgresDatabase database;
  Machine machine(database);
  REQUIRE(machine.store->fill(demo_data(today_, cheap_cost)));
  const std::string before = machine.issue();
  CHECK(machine.accepts(before));
  database.execute("UPDATE token_epoch SET epoch = 1");
  const std::string after = machine.issue();
  CHECK(machine.accepts(after));
  CHECK(!machine.accepts(before));
}

TEST_CASE("no secret is in the database or its log", "[postgres]") {
  PostgresDatabase database;
  const std::string log = environment("PAYROLL_POSTGRES_LOG");
  const std::size_t begin = read_file(log).size();
  Machine machine(database);
  REQUIRE(machine.store->fill(demo_data(today_, cheap_cost)));
  database.execute("ALTER DATABASE " + database.name() + " SET log_statement = 'all'");
  Machine logged(database);
  const std::string token = logged.issue();
  CHECK(logged.accepts(token));
  const std::string said = read_file(log).substr(begin);
  CHECK(said.find("issued_token") != std::string::npos);  // it logs statements
  for (const std::string& secret : {token, std::string("api-token-alice")})
    CHECK(said.find(secret) == std::string::npos);
}

// --- Lost connections ----------------------------------------------------------------------------

TEST_CASE(
    "an insert whose connection is cut anywhere is executed once and reported correctly",
    "[postgres]") {
  PostgresDatabase database;
  {
    const auto store = database.options();
    PostgresStore filler(store);
    fill_small(filler);
  }
  CuttingProxy proxy(server_socket());
  PostgresOptions options = options_through(proxy, database);
  options.connections = 2;
  PostgresStore store(options);
  const DomainId domain = store.find_domain("acme").value();
  EmployeeAddress address = work_address("");
  std::size_t inserts = 0;
  std::size_t cuts = 0;
  for (const bool from_server : {false, true}) {
    for (std::size_t bytes = 0; bytes < (from_server ? 240U : 420U); bytes += 3) {
      address.street = std::to_string(bytes) + (from_server ? " in" : " out");
      address.is_default = bytes % 2 == 0;
      store.check();  // on the connection that is cut next
      proxy.cut_after(bytes, from_server);
      CHECK(store.insert_current(domain, 1, address, march, today_));
      ++inserts;
      cuts += proxy.was_cut() ? 1 : 0;
      proxy.cut_never();
    }
  }
  INFO(cuts);
  CHECK(cuts > 100);
  const auto found = store.list_current(domain, 1, today_).value();
  CHECK(found.size() == inserts);
  std::set<std::string> streets;
  for (const EmployeeAddress& each : found)
    streets.insert(each.street.value());
  CHECK(streets.size() == found.size());
  CHECK(database.default_addresses().size() == 1);
}

TEST_CASE(
    "while the database is silent, calls end at their deadline, and later calls succeed",
    "[postgres]") {
  PostgresDatabase database;
  {
    PostgresStore filler(database.options());
    fill_small(filler);
  }
  CuttingProxy proxy(server_socket());
  PostgresOptions options = options_through(proxy, database);
  options.timeout = 500ms;
  std::vector<std::string> told;
  options.tell = [&](const std::string& what) { told.push_back(what); };
  PostgresStore store(options);
  const DomainId domain = store.find_domain("acme").value();
  CHECK(store.list_current(domain, 1, today_));
  proxy.freeze(true);
  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  std::atomic<int> faults = 0;
  for (int thread = 0; thread != 12; ++thread)
    threads.emplace_back([&, thread] {
      try {
        thread % 2 == 0 ? void(store.list_current(domain, 1, today_))
                        : void(store.insert_current(domain, 1, work_address("A"), march, today_));
      } catch (const soapsvc::fault& fault) {
        faults += fault.reason().rfind("The database did", 0) == 0 ||
                          fault.reason().rfind("The database does", 0) == 0
                      ? 1
                      : 0;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(std::chrono::steady_clock::now() - begun < 4s);  // one after another: 6 s
  CHECK(faults == 12);
  proxy.freeze(false);
  const auto back = std::chrono::steady_clock::now();
  CHECK(net::eventually([&] {
    try {
      return store.list_current(domain, 1, today_).has_value();
    } catch (const soapsvc::fault&) {
      return false;
    }
  }));
  CHECK(std::chrono::steady_clock::now() - back < 5s);
  CHECK(told.size() == 2);  // that it is silent, and that it is back
}

TEST_CASE(
    "a connection that the server ends when a transaction begins is opened again", "[postgres]") {
  PostgresDatabase database;
  {
    PostgresStore filler(database.options());
    fill_small(filler);
  }
  CuttingProxy proxy(server_socket());
  PostgresOptions options = options_through(proxy, database);
  PostgresStore store(options);
  const DomainId domain = store.find_domain("acme").value();
  store.check();
  // The server's end of the session is delayed until the transaction has begun.
  proxy.freeze(true);
  std::this_thread::sleep_for(50ms);
  database.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  std::thread thaws([&] {
    std::this_thread::sleep_for(200ms);
    proxy.freeze(false);
  });
  CHECK_NOTHROW(store.insert_current(domain, 1, work_address("A"), march, today_));
  thaws.join();
  CHECK(store.list_current(domain, 1, today_).value().size() == 1);
  // And a connection whose end is announced but not received yet.
  database.execute("CREATE SEQUENCE tries");
  database.execute(
      "CREATE FUNCTION leave_once() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
      "IF nextval('tries') = 1 THEN RAISE EXCEPTION 'bye' USING ERRCODE = '57P01'; END IF; "
      "RETURN NULL; END$$");
  database.execute(
      "CREATE TRIGGER leave_once BEFORE INSERT ON address "
      "FOR EACH STATEMENT EXECUTE FUNCTION leave_once()");
  CHECK_NOTHROW(store.insert_current(domain, 1, work_address("B"), march, today_));
  CHECK(store.list_current(domain, 1, today_).value().size() == 2);
}

TEST_CASE(
    "a commit with a warning is repeated, whatever messages a role has enabled", "[postgres]") {
  PostgresDatabase database;
  database.execute("ALTER DATABASE " + database.name() + " SET client_min_messages = 'error'");
  PostgresStore store(database.options());
  fill_small(store);
  const DomainId domain = store.find_domain("acme").value();
  // Like the warning of a commit that stopped waiting for its standby.
  database.execute(
      "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS "
      "$$BEGIN RAISE WARNING 'canceling wait'; RETURN NULL; END$$");
  database.execute(
      "CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON address DEFERRABLE INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION warn()");
  CHECK(store.insert_current(domain, 1, work_address("A"), march, today_));
  CHECK(store.list_current(domain, 1, today_).value().size() == 1);
  // The repetition contains a beat.
  CHECK(database.numbers("SELECT sum(beats)::integer FROM pulse") == std::vector<std::int32_t>{1});
}

TEST_CASE("a write with a warning before its commit is executed once", "[postgres]") {
  PostgresDatabase database;
  PostgresStore store(database.options());
  fill_small(store);
  const DomainId domain = store.find_domain("acme").value();
  // Like the warning of a database that needs a vacuum.
  database.execute(
      "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS "
      "$$BEGIN RAISE WARNING 'must be vacuumed'; RETURN NULL; END$$");
  database.execute(
      "CREATE TRIGGER warn AFTER INSERT ON address FOR EACH STATEMENT EXECUTE FUNCTION warn()");
  CHECK(store.insert_current(domain, 1, work_address("A"), march, today_));
  CHECK(database.numbers("SELECT sum(beats)::integer FROM pulse") == std::vector<std::int32_t>{0});
}

TEST_CASE("ids of domains are read again after connections were lost", "[postgres]") {
  PostgresDatabase database;
  PostgresOptions options = database.options();
  options.timeout = 1s;
  PostgresStore store(options);
  REQUIRE(store.add_domain("acme") == Outcome::done);
  const auto before = static_cast<std::int64_t>(store.find_domain("acme").value());
  // As after a restore from a backup without acme: its id now belongs to another domain.
  database.execute("UPDATE domain SET id = " + std::to_string(before + 1) + " WHERE name = 'acme'");
  database.execute(
      "INSERT INTO domain (id, name) VALUES (" + std::to_string(before) + ", 'another')");
  Connection outside = connection_to(environment("PAYROLL_POSTGRES") + "postgres");
  const std::string alter = "ALTER DATABASE " + database.name() + " ALLOW_CONNECTIONS ";
  outside.execute(alter + "false", soon());
  outside.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + database.name() +
          "'",
      soon());
  CHECK_THROWS_AS(store.check(), soapsvc::fault);
  CHECK_THROWS_AS(store.find_domain("acme"), soapsvc::fault);  // the domain is unknown now
  outside.execute(alter + "true", soon());
  CHECK(net::eventually([&] {
    try {
      return store.find_domain("acme") == DomainId{before + 1};
    } catch (const soapsvc::fault&) {
      return false;
    }
  }));
}

TEST_CASE("with a full disk the database takes no writes and is not ready", "[postgres]") {
  PostgresDatabase database;
  {
    PostgresStore filler(database.options());
    fill_small(filler);
  }
  database.execute(
      "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS "
      "$$BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END$$");
  const auto fill = [&](const std::string& table) {
    database.execute(
        "CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON " + table +
        " FOR EACH STATEMENT EXECUTE FUNCTION no_room()");
  };
  database.execute("ALTER DATABASE " + database.name() + " SET log_temp_files = 0");
  const bool limited = GENERATE(false, true);
  if (limited)  // so that only a row can be checked
    database.execute("ALTER DATABASE " + database.name() + " SET temp_file_limit = '64kB'");
  PostgresOptions options = database.options();
  std::vector<std::string> told;
  options.tell = [&](const std::string& what) { told.push_back(what); };
  PostgresStore store(options);
  const DomainId domain = store.find_domain("acme").value();
  const std::string log = environment("PAYROLL_POSTGRES_LOG");
  const std::size_t begin = read_file(log).size();
  const auto spilled = [&] {
    return read_file(log).substr(begin).find("temporary file") != std::string::npos;
  };
  store.check();
  CHECK(!spilled());
  fill("address");
  for (int count = 0; count != 3; ++count) {
    try {
      store.insert_current(domain, 1, work_address("A"), march, today_);
      FAIL_CHECK("there was room");
    } catch (const soapsvc::fault& fault) {
      CHECK(fault.status() == 503);
      CHECK(fault.reason() == "The database takes no writes now. Try again later.");
    }
  }
  CHECK(store.list_current(domain, 1, today_).value().empty());
  CHECK(told == std::vector<std::string>{"the database takes no writes: no space left on device"});
  fill("pulse");
  CHECK_THROWS_AS(store.check(), soapsvc::fault);
  database.execute("DROP TRIGGER no_room ON pulse");
  database.execute("DROP TRIGGER no_room ON address");
  CHECK_NOTHROW(store.check());
  CHECK(net::eventually(spilled));
  CHECK(told.size() == 2);
  CHECK(told.back() == "the database takes writes again");
  CHECK(store.insert_current(domain, 1, work_address("A"), march, today_));
}

TEST_CASE("transactions in conflict are repeated", "[postgres]") {
  PostgresDatabase database;
  PostgresStore one(database.options());
  PostgresStore other(database.options());
  fill_small(one);
  const DomainId domain = one.find_domain("acme").value();
  std::vector<std::thread> threads;
  std::atomic<int> written = 0;
  for (int thread = 0; thread != 16; ++thread)
    threads.emplace_back([&, thread] {
      EmployeeAddress marked = work_address("A");
      marked.is_default = true;
      for (int count = 0; count != 20; ++count) {
        PostgresStore& store = thread % 2 == 0 ? one : other;
        const int employee = 1 + (thread / 2 + count) % 2;
        written += store.insert_current(domain, employee, marked, march, today_) ? 1 : 0;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(written == 320);
  CHECK(database.default_addresses().size() == 2);
}

TEST_CASE(
    "a change of the default address waits for another process with the same change",
    "[postgres]") {
  const bool is_lost = GENERATE(false, true);  // the response to the commit of the first one
  CAPTURE(is_lost);
  PostgresDatabase database;
  database.execute(
      "ALTER DATABASE " + database.name() +
      " SET default_transaction_isolation = 'repeatable read'");
  CuttingProxy proxy(server_socket());
  PostgresStore one(options_through(proxy, database));
  PostgresStore other(database.options());
  fill_small(one);
  const DomainId domain = one.find_domain("acme").value();
  // The first transaction waits at its commit, after all of its statements.
  database.execute(
      "CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
      "PERFORM pg_advisory_xact_lock(1); RETURN NULL; END$$");
  database.execute(
      "CREATE CONSTRAINT TRIGGER stand_still AFTER INSERT ON address DEFERRABLE INITIALLY "
      "DEFERRED FOR EACH ROW WHEN (NEW.street = 'A') EXECUTE FUNCTION stand_still()");
  Connection holds = connection_to(database.address());
  holds.execute("SELECT pg_advisory_lock(1)", soon());
  const auto waiting = [&] {
    return database
        .numbers(
            "SELECT count(*)::integer FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'")
        .at(0);
  };
  const auto mark = [&](PostgresStore& store, const char* street) {
    EmployeeAddress marked = work_address(street);
    marked.is_default = true;
    store.insert_current(domain, 1, marked, march, today_);
  };
  std::thread first([&] { mark(one, "A"); });
  CHECK(net::eventually([&] { return waiting() == 1; }));
  std::atomic<bool> done = false;
  std::thread second([&] {
    mark(other, "B");
    done = true;
  });
  CHECK(net::eventually([&] { return waiting() == 2 || done; }));
  CHECK_FALSE(done);
  if (is_lost) proxy.cut_after(0, true);
  holds.execute("SELECT pg_advisory_unlock(1)", soon());
  first.join();
  second.join();
  CHECK(proxy.was_cut() == is_lost);
  CHECK(database.numbers("SELECT id FROM address").size() == 2);
  // Also when the first insert is repeated: the second one came later.
  CHECK(
      database.numbers("SELECT id FROM address WHERE is_default AND street = 'B'") ==
      database.default_addresses());
  CHECK(database.default_addresses().size() == 1);
}

// --- Sign-ons and moving -------------------------------------------------------------------------

TEST_CASE("a nonce is fresh once in all processes together", "[postgres]") {
  using soapsvc::replay_result;
  PostgresDatabase database;
  PostgresStore one(database.options());
  PostgresStore other(database.options());
  const auto here = one.replays(), there = other.replays();
  const std::chrono::sys_seconds now{1'800'000'000s};
  std::array<std::atomic<int>, 20> passed{};
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread)
    threads.emplace_back([&, thread] {
      for (std::size_t each = 0; each != passed.size(); ++each) {
        const std::string key(32, static_cast<char>(each));
        const auto got = (thread % 2 == 0 ? here : there)->remember("a", key, now + 360s, now);
        passed[each] += got == replay_result::fresh ? 1 : 0;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const std::atomic<int>& each : passed)
    CHECK(each == 1);
  CHECK(database.numbers("SELECT count(*)::integer FROM nonce").at(0) == 20);
}

TEST_CASE("a full store of nonces refuses callers until nonces expire", "[postgres]") {
  using soapsvc::replay_result;
  PostgresDatabase database;
  PostgresStore store(database.options());
  postgres::PoolOptions options{postgres::Address(database.options().db)};
  options.writes = true;
  options.prepare = [](Connection& session, Deadline deadline) {
    postgres::prepare_session(session, 5s, deadline);
  };
  postgres::Pool pool(options);
  postgres::SharedNonces nonces(
      pool, [](const postgres::Unavailable&) {}, 3);
  const std::chrono::sys_seconds now{1'800'000'000s};
  const auto key = [](std::size_t number) { return std::string(32, static_cast<char>(number)); };
  const auto keep = [&](std::size_t number, std::chrono::sys_seconds at) {
    return nonces.remember("a", key(number), at + 360s, at);
  };
  std::size_t kept = 0;
  while (keep(kept, now) == replay_result::fresh && kept != 200)
    ++kept;
  CHECK(kept == 64);  // they are counted with each 64th
  CHECK(keep(0, now) == replay_result::full);
  // Another caller has its own share: a hundredth of the room, and at least one.
  CHECK(nonces.remember("b", key(150), now + 360s, now) == replay_result::fresh);
  CHECK(nonces.remember("b", key(151), now + 360s, now) == replay_result::full);
  CHECK(keep(100, now + 3600s) == replay_result::full);  // kept an hour longer, for clock skew
  CHECK(keep(100, now + 2h) == replay_result::fresh);
  // After a clock is set back, deleted nonces are not fresh again.
  CHECK(keep(0, now) == replay_result::seen);
  CHECK(keep(101, now) == replay_result::seen);
  CHECK(keep(101, now + 1s) == replay_result::fresh);
  CHECK(keep(101, now + 1s) == replay_result::seen);
}

TEST_CASE("older tables get the tables of nonces", "[postgres]") {
  PostgresDatabase database;
  { const PostgresStore made(database.options()); }
  database.execute("DROP TABLE nonce");
  database.execute("DROP TABLE nonce_forgotten");
  database.execute("UPDATE payroll_schema SET version = 1");
  PostgresStore store(database.options());
  const std::chrono::sys_seconds now{1'800'000'000s};
  CHECK(
      store.replays()->remember("a", std::string(32, 'k'), now, now) ==
      soapsvc::replay_result::fresh);
}

TEST_CASE("older nonces without callers are kept", "[postgres]") {
  using soapsvc::replay_result;
  PostgresDatabase database;
  const std::chrono::sys_seconds now{1'800'000'000s};
  const auto keep = [&](PostgresStore& store, char key) {
    return store.replays()->remember("a", std::string(32, key), now + 360s, now);
  };
  {
    PostgresStore made(database.options());
    CHECK(keep(made, 'k') == replay_result::fresh);
  }
  database.execute("ALTER TABLE nonce DROP COLUMN caller");
  database.execute("UPDATE payroll_schema SET version = 2");
  PostgresStore store(database.options());
  CHECK(keep(store, 'k') == replay_result::seen);
  CHECK(keep(store, 'l') == replay_result::fresh);
}

TEST_CASE("failed sign-ons are counted over all processes", "[postgres]") {
  PostgresDatabase database;
  const GuessLimits limits;
  PostgresStore one(database.options());
  PostgresStore other(database.options());
  Guesses here(*one.guesses(), limits);
  Guesses there(*other.guesses(), limits);
  const auto wait = [](Guesses& at, const char* user, const char* network) {
    return at.reserve(user, network, 30s).value().wait;
  };
  CHECK(wait(there, "alice", "192.0.2.1") == 0ns);
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int count = 0; count != 5; ++count)
        (thread % 2 == 0 ? here : there).failed("alice", "192.0.2.1");
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(database.numbers("SELECT failures::integer FROM guess WHERE kind = 1").at(0) == 20);
  CHECK(wait(here, "alice", "192.0.2.1") >= 0ns);
  CHECK(wait(there, "alice", "192.0.2.1") > 0ns);  // after the earlier attempt
  CHECK(wait(there, "bob", "192.0.2.99") == 0ns);
  here.succeeded("alice", "192.0.2.1");
  CHECK(wait(there, "alice", "192.0.2.1") == 0ns);
  here.failed("alice", "192.0.2.1", "acme");  // separate, except for the counts of user and network
  CHECK(
      database.numbers("SELECT failures::integer FROM guess WHERE kind = 1 ORDER BY failures") ==
      std::vector<std::int32_t>{0, 1});
  CHECK(database.numbers("SELECT failures::integer FROM guess WHERE kind = 5").at(0) == 21);
}

TEST_CASE("counts from before the database's clock was set back are invalid", "[postgres]") {
  PostgresDatabase database;
  const GuessLimits limits;
  PostgresStore store(database.options());
  Guesses guesses(*store.guesses(), limits);
  const auto wait = [&] { return guesses.reserve("alice", "192.0.2.1", 0s).value().wait; };
  for (int count = 0; count != 10; ++count)
    guesses.failed("alice", "192.0.2.1");
  const auto set_clock_back = [&] {  // as far as the rows can tell
    database.execute(
        "UPDATE guess SET last = last + 3600000000000, next_turn = last + 3630200000000");
  };
  set_clock_back();
  CHECK(wait() == 0ns);
  guesses.failed("alice", "192.0.2.1");
  CHECK(database.numbers("SELECT failures::integer FROM guess WHERE kind = 1").at(0) == 1);
  set_clock_back();
  for (int count = 0; count != 64; ++count)  // rows are purged with each 64th change
    guesses.failed("bob", "192.0.2.2");
  CHECK(database.numbers("SELECT 1 FROM guess WHERE failures = 1").empty());
}

namespace {

/// All data of a store, as text.
std::string all_of(CopyStore& store) {
  std::string all;
  store.send_all([&](CopyTable table, const CopyRow& row) {
    all += std::to_string(static_cast<int>(table));
    for (const CopyValue& value : row)
      all += '|' + value.value_or("NULL");
    all += '\n';
  });
  return all;
}

}  // namespace

TEST_CASE("all data is copied from one database to another and back", "[postgres]") {
  const Folder folder;
  SqliteStore file(options_for(folder.file("a.db")));
  REQUIRE(file.fill(demo_data(today_, cheap_cost)));
  std::int32_t id = 2'000'000'000;
  REQUIRE(file.add_employee("globex", id) == Outcome::done);
  REQUIRE(file.disable_user("globex", "bob") == Outcome::done);
  EmployeeAddress odd = work_address("naïve \"' | \\ 'x'\n");
  odd.city = "";
  const DomainId acme_id = file.find_domain("acme").value();
  const std::int32_t last = file.insert_current(acme_id, 2, odd, march, today_).value();

  PostgresDatabase database;
  PostgresStore server(database.options());
  copy_business(file, server);
  CHECK(all_of(server) == all_of(file));
  CHECK(server.insert_current(acme_id, 2, odd, march, today_) == last + 1);
  id = 0;
  CHECK(server.add_employee("acme", id) == Outcome::done);
  CHECK(id == 2'000'000'001);
  CHECK_THROWS_WITH(copy_business(file, server), Catch::Contains("name an empty database"));

  SqliteStore back(options_for(folder.file("b.db")));
  copy_business(server, back);
  CHECK(all_of(back) == all_of(server));
  CHECK(back.insert_current(acme_id, 2, odd, march, today_) == last + 2);
  PostgresDatabase second;
  PostgresStore third(second.options());
  copy_business(back, third);
  CHECK(all_of(third) == all_of(back));
}

TEST_CASE("a copy may take longer than a call, at both ends", "[postgres]") {
  PostgresDatabase database;
  PostgresOptions options = database.options();
  options.timeout = 500ms;  // a transaction 2 s, and 1 s without a statement
  PostgresStore server(options);
  const auto give = [](const CopySink& take) {
    std::this_thread::sleep_for(2100ms);
    take(CopyTable::domain, {"1", "acme"});
  };
  CHECK(server.receive_all(give));
  std::size_t rows = 0;
  server.send_all([&](CopyTable table, const CopyRow&) {
    if (table != CopyTable::domain) return;
    ++rows;
    std::this_thread::sleep_for(1100ms);
  });
  CHECK(rows == 1);
}

TEST_CASE("a copy that fails on the way leaves the database empty", "[postgres]") {
  PostgresDatabase database;
  PostgresStore server(database.options());
  const auto broken = [](const CopySink& take) {
    take(CopyTable::domain, {"1", "acme"});
    take(CopyTable::employee, {"1", "7"});  // of a domain that is not there
  };
  CHECK_THROWS(server.receive_all(broken));
  CHECK(server.is_empty());
}

// --- Parts ---------------------------------------------------------------------------------------

namespace {

/// The partitions that plans in the server's log scan, without the table's name. The head of an
/// update lists all partitions of its plan; it changes only the rows of its scans.
std::set<std::string> parts_in(const std::string& log) {
  static const std::regex part(
      "Scan (?:using [a-z0-9_]+ )?on (?:account|issued_token|employee|address|insert_key|debtor|"
      "webhook_setting|webhook_event)_([0-9]+)");
  std::set<std::string> parts;
  for (std::sregex_iterator at(log.begin(), log.end(), part); at != std::sregex_iterator(); ++at)
    parts.insert((*at)[1].str());
  return parts;
}

}  // namespace

TEST_CASE("each request uses one partition of the tables", "[postgres]") {
  if (partitions() == 0) {
    SUCCEED("the tables are whole");
    return;
  }
  PostgresDatabase database;
  for (const char* setting :
       {"session_preload_libraries = 'auto_explain'",
        "auto_explain.log_min_duration = 0",
        "auto_explain.log_analyze = on"})
    database.execute("ALTER DATABASE " + database.name() + " SET " + setting);
  Machine machine(database);
  PostgresStore& store = *machine.store;
  REQUIRE(store.fill(demo_data(today_, cheap_cost)));
  const std::string token = machine.issue();
  machine.accepts(token);
  const DomainId domain = store.find_domain("acme").value();
  const std::string log = environment("PAYROLL_POSTGRES_LOG");
  EmployeeAddress marked = work_address("A");
  marked.is_default = true;
  const std::vector<std::pair<const char*, std::function<void()>>> requests{
      {"token", [&] { CHECK(machine.accepts(token)); }},  // while it lives
      {"list", [&] { CHECK(store.list_current(domain, 1, today_)); }},
      {"insert", [&] { CHECK(store.insert_current(domain, 1, work_address("B"), march, today_)); }},
      {"insert default", [&] { CHECK(store.insert_current(domain, 1, marked, march, today_)); }},
      {"webhooks", [&] { CHECK(store.list_webhooks(domain, 1)); }},
      {"password", [&] { CHECK(store.find_passwords("acme", "alice", 1).holders.size() == 1); }}};
  for (const auto& [name, request] : requests) {
    const std::size_t begin = read_file(log).size();
    request();
    std::set<std::string> parts;
    REQUIRE(net::eventually([&] {
      parts = parts_in(read_file(log).substr(begin));
      return !parts.empty();
    }));
    INFO(name << read_file(log).substr(begin));
    CHECK(parts.size() == 1);
  }
}
