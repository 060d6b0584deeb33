#include "store/postgres/schema.hpp"

#include <array>

namespace postgres {

namespace {

// --- Tables --------------------------------------------------------------------------------------

/// Script n migrates a database from schema n to n + 1. Released scripts never change. A statement
/// ends with a semicolon at the end of a line.
///
/// In every table of a tenant, the keys begin with the domain, so that the tables can be
/// distributed by domain. Ids are global, from one sequence per table, and never reused. The
/// scripts use only features that compatible databases share with PostgreSQL. `{tenant}` is
/// replaced by the partitioning of a tenant's table.
constexpr std::array migrations{
    R"sql(
CREATE SEQUENCE domain_id_seq;
CREATE SEQUENCE account_id_seq;
CREATE SEQUENCE employee_id_seq MAXVALUE 2147483647;
CREATE SEQUENCE address_id_seq MAXVALUE 2147483647;
CREATE SEQUENCE debtor_id_seq MAXVALUE 2147483647;
CREATE SEQUENCE webhook_setting_id_seq MAXVALUE 2147483647;

CREATE TABLE domain (
    id bigint PRIMARY KEY,
    name text NOT NULL UNIQUE
);

CREATE TABLE account (
    domain_id bigint NOT NULL REFERENCES domain (id),
    id bigint NOT NULL,
    name text NOT NULL,
    password_salt bytea NOT NULL,
    password_hash bytea NOT NULL,
    scrypt_n bigint NOT NULL,
    scrypt_r bigint NOT NULL,
    scrypt_p bigint NOT NULL,
    api_token_digest bytea NOT NULL CHECK (octet_length(api_token_digest) = 32),
    disabled boolean NOT NULL DEFAULT false,
    PRIMARY KEY (domain_id, id),
    UNIQUE (domain_id, name)
){tenant};
CREATE INDEX account_by_api_token ON account (domain_id, api_token_digest);
CREATE INDEX account_anywhere_by_name ON account (name);
CREATE INDEX account_anywhere_by_api_token ON account (api_token_digest);

CREATE TABLE token_epoch (
    id smallint PRIMARY KEY CHECK (id = 1),
    epoch bigint NOT NULL,
    server text NOT NULL,
    opened timestamptz NOT NULL,
    why text NOT NULL
);
INSERT INTO token_epoch (id, epoch, server, opened, why)
VALUES (1, 1, '', clock_timestamp(), 'the first');

CREATE TABLE token_clock (
    boot_id text PRIMARY KEY,
    epoch bigint NOT NULL,
    ahead bigint NOT NULL,
    seen bigint NOT NULL
);

CREATE TABLE issued_token (
    domain_id bigint NOT NULL REFERENCES domain (id),
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    account_id bigint NOT NULL,
    epoch bigint NOT NULL,
    issued bigint NOT NULL,
    PRIMARY KEY (domain_id, digest),
    FOREIGN KEY (domain_id, account_id) REFERENCES account (domain_id, id)
){tenant};
CREATE INDEX issued_token_anywhere ON issued_token (digest);
CREATE INDEX issued_token_by_age ON issued_token (issued);

CREATE TABLE guess (
    kind integer NOT NULL,
    key bytea NOT NULL,
    failures bigint NOT NULL,
    last bigint NOT NULL,
    next_turn bigint NOT NULL,
    PRIMARY KEY (kind, key)
);
CREATE INDEX guess_by_age ON guess (kind, last);

CREATE TABLE employee (
    domain_id bigint NOT NULL REFERENCES domain (id),
    id integer NOT NULL CHECK (id > 0),
    PRIMARY KEY (domain_id, id)
){tenant};
CREATE INDEX employee_anywhere ON employee (id);

CREATE TABLE address (
    domain_id bigint NOT NULL,
    employee_id integer NOT NULL,
    id integer NOT NULL CHECK (id > 0),
    is_default boolean NOT NULL,
    street text,
    house_number text,
    house_number_addition text,
    postal_code text,
    city text,
    state_province text,
    country_iso_code text,
    type integer NOT NULL CHECK (type BETWEEN 0 AND 5),
    first_day date NOT NULL,
    last_day date CHECK (last_day >= first_day),
    PRIMARY KEY (domain_id, employee_id, id),
    FOREIGN KEY (domain_id, employee_id) REFERENCES employee (domain_id, id)
){tenant};

CREATE TABLE insert_key (
    domain_id bigint NOT NULL,
    key bytea NOT NULL CHECK (octet_length(key) = 16),
    address_id integer NOT NULL,
    PRIMARY KEY (domain_id, key)
){tenant};
CREATE INDEX insert_key_by_age ON insert_key (address_id);

CREATE TABLE debtor (
    domain_id bigint NOT NULL REFERENCES domain (id),
    id integer NOT NULL CHECK (id > 0),
    PRIMARY KEY (domain_id, id)
){tenant};
CREATE INDEX debtor_anywhere ON debtor (id);

CREATE TABLE webhook_setting (
    domain_id bigint NOT NULL,
    debtor_id integer NOT NULL,
    id integer NOT NULL CHECK (id > 0),
    name text,
    endpoint text,
    active boolean NOT NULL,
    PRIMARY KEY (domain_id, debtor_id, id),
    FOREIGN KEY (domain_id, debtor_id) REFERENCES debtor (domain_id, id)
){tenant};

CREATE TABLE event_kind (
    id integer PRIMARY KEY,
    name text NOT NULL
);
INSERT INTO event_kind (id, name) VALUES
    (1, 'Run Finish'),
    (2, 'Journals Finish'),
    (3, 'Wage Tax Declaration Created'),
    (4, 'Wage Tax Declaration Sent'),
    (5, 'Pension Export Created'),
    (6, 'Pension Export Sent');

CREATE TABLE webhook_event (
    domain_id bigint NOT NULL,
    debtor_id integer NOT NULL,
    setting_id integer NOT NULL,
    event_id integer NOT NULL REFERENCES event_kind (id),
    active boolean NOT NULL,
    PRIMARY KEY (domain_id, debtor_id, setting_id, event_id),
    FOREIGN KEY (domain_id, debtor_id, setting_id)
        REFERENCES webhook_setting (domain_id, debtor_id, id)
){tenant};

CREATE TABLE pulse (
    id smallint PRIMARY KEY,
    beats bigint NOT NULL
);
INSERT INTO pulse (id, beats) SELECT each, 0 FROM generate_series(0, 15) AS each;
)sql",
    R"sql(
CREATE TABLE nonce (
    key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
    kept_until bigint NOT NULL,
    claim bytea NOT NULL
);
CREATE INDEX nonce_by_age ON nonce (kept_until);

CREATE TABLE nonce_forgotten (
    id smallint PRIMARY KEY CHECK (id = 1),
    kept_until bigint NOT NULL
);
INSERT INTO nonce_forgotten (id, kept_until) VALUES (1, 0);
)sql",
    R"sql(
ALTER TABLE nonce ADD COLUMN caller bytea;
CREATE INDEX nonce_by_caller ON nonce (caller);
)sql"};

constexpr int newest_schema = static_cast<int>(migrations.size());

constexpr std::array tenant_tables{
    "account",
    "issued_token",
    "employee",
    "address",
    "insert_key",
    "debtor",
    "webhook_setting",
    "webhook_event"};

/// The rights that `payroll serve` needs on each table. Locking a row needs an UPDATE right on a
/// column. This also holds for rows that are only read, such as employees, or deleted, such as keys
/// of inserts. In users, it changes only the hash of a password and its cost.
struct Right {
  const char* table;
  const char* what;
};
constexpr std::array service_rights{
    Right{"payroll_schema", "SELECT"},  Right{"domain", "SELECT"},
    Right{"account", "SELECT"},         Right{"token_epoch", "SELECT"},
    Right{"token_epoch", "UPDATE"},     Right{"token_clock", "SELECT"},
    Right{"token_clock", "INSERT"},     Right{"token_clock", "UPDATE"},
    Right{"issued_token", "SELECT"},    Right{"issued_token", "INSERT"},
    Right{"issued_token", "UPDATE"},    Right{"issued_token", "DELETE"},
    Right{"guess", "SELECT"},           Right{"guess", "INSERT"},
    Right{"guess", "UPDATE"},           Right{"guess", "DELETE"},
    Right{"employee", "SELECT"},        Right{"address", "SELECT"},
    Right{"address", "INSERT"},         Right{"address", "UPDATE"},
    Right{"insert_key", "SELECT"},      Right{"insert_key", "INSERT"},
    Right{"insert_key", "UPDATE"},      Right{"insert_key", "DELETE"},
    Right{"debtor", "SELECT"},          Right{"webhook_setting", "SELECT"},
    Right{"webhook_event", "SELECT"},   Right{"event_kind", "SELECT"},
    Right{"pulse", "SELECT"},           Right{"pulse", "UPDATE"},
    Right{"nonce", "SELECT"},           Right{"nonce", "INSERT"},
    Right{"nonce", "UPDATE"},           Right{"nonce", "DELETE"},
    Right{"nonce_forgotten", "SELECT"}, Right{"nonce_forgotten", "UPDATE"}};

// --- Statements ----------------------------------------------------------------------------------

/// Enables warnings, because they show a commit that did not wait for its standby.
constexpr Statement settings{"settings", R"sql(
    SELECT set_config('client_min_messages', 'warning', false),
           set_config('statement_timeout', $1, false),
           set_config('lock_timeout', $1, false),
           set_config('idle_in_transaction_session_timeout', $2, false))sql"};

/// Plans are made once, because no statement needs another plan for other values.
constexpr Statement plan_once{"plan_once", R"sql(
    SELECT set_config(name, 'force_generic_plan', false)
    FROM pg_settings WHERE name = 'plan_cache_mode')sql"};

/// A response promises that the data is on disk, here and on the required standbys. So weaker
/// settings of a role or server are raised.
constexpr Statement commit_safely{"commit_safely", R"sql(
    SELECT set_config(name, 'on', false)
    FROM pg_settings WHERE name = 'synchronous_commit' AND setting IN ('off', 'local'))sql"};

/// Counts all tables in pg_tables: information_schema omits tables without rights for this role.
constexpr Statement look_around{"look_around", R"sql(
    SELECT current_schema()::text,
           to_regclass('payroll_schema') IS NOT NULL,
           (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()))sql"};

constexpr Statement read_version{
    "read_version", "SELECT version, application FROM payroll_schema WHERE id = 1"};
constexpr Statement lock_version{
    "lock_version", "SELECT version, application FROM payroll_schema WHERE id = 1 FOR UPDATE"};
constexpr Statement write_version{
    "write_version", "UPDATE payroll_schema SET version = $1 WHERE id = 1"};

/// One lock for each database and schema. On databases without advisory locks, the lock on the row
/// suffices.
constexpr Statement lock_migration{
    "lock_migration",
    "SELECT pg_advisory_xact_lock(hashtext('payroll ' || current_schema()))::text"};

constexpr const char* make_version_table = R"sql(
CREATE TABLE IF NOT EXISTS payroll_schema (
    id smallint PRIMARY KEY CHECK (id = 1),
    application text NOT NULL,
    version integer NOT NULL
))sql";
constexpr const char* make_version_row = R"sql(
INSERT INTO payroll_schema (id, application, version) VALUES (1, 'soapsvc payroll', 0)
ON CONFLICT DO NOTHING)sql";

constexpr Statement server_identity{"server_identity", R"sql(
    SELECT (SELECT system_identifier FROM pg_control_system())::text || ' ' ||
           substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))sql"};

constexpr Statement count_parts{
    "count_parts", "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass('address')"};

constexpr Statement quoted_names{
    "quoted_names", "SELECT quote_ident($1::text), quote_ident(current_schema()::text)"};

constexpr Statement may_do{"may_do", "SELECT has_table_privilege($1, $2)"};
constexpr Statement may_count{
    "may_count", "SELECT has_sequence_privilege('address_id_seq', 'USAGE')"};
constexpr Statement may_lock{"may_lock", "SELECT has_any_column_privilege('employee', 'UPDATE')"};
constexpr const char* renewed_columns = "password_hash, scrypt_n, scrypt_r, scrypt_p";
constexpr Statement may_renew{"may_renew", R"sql(
    SELECT bool_and(has_column_privilege('account', name, 'UPDATE'))
    FROM unnest(string_to_array($1, ', ')) AS name)sql"};

// --- Migration -----------------------------------------------------------------------------------

[[noreturn]] void refuse(
    const std::string& which, const std::string& why, const std::string& what) {
  throw UnusableDatabase(which + ' ' + why + "; " + what);
}

[[noreturn]] void refuse_foreign(const SchemaOptions& options) {
  refuse(
      options.shown,
      "holds tables of another program",
      "name another database with --db, or another schema with ?options=-csearch_path%3Dpayroll");
}

void refuse_newer_schema(int version, const SchemaOptions& options) {
  if (version > newest_schema)
    refuse(
        options.shown,
        "has schema " + std::to_string(version) + " and this program knows schemas up to " +
            std::to_string(newest_schema),
        "install a newer payroll, or name another database with --db");
}

/// The schema version of the database; 0: no tables of payroll.
int version_of(Connection& session, const SchemaOptions& options, Deadline deadline) {
  Rows found = session.run(look_around, Values{}, deadline);
  if (!found.next() || found.is_null(0))
    refuse(
        options.shown,
        "has no schema for the tables, or this role may not use it",
        "create it, as in: CREATE SCHEMA public; or run `payroll migrate --grant ROLE` as the "
        "owner of the schema");
  if (!found.flag(1)) {
    if (found.big(2) != 0) refuse_foreign(options);
    return 0;
  }
  Rows row = session.run(read_version, Values{}, deadline);
  if (!row.next() || row.text(1) != "soapsvc payroll") refuse_foreign(options);
  const int version = row.number(0);
  refuse_newer_schema(version, options);
  return version;
}

/// Splits a script into statements.
std::vector<std::string> statements_of(const std::string& script, int partitions) {
  std::vector<std::string> statements;
  for (std::size_t begin = 0;;) {
    const std::size_t end = script.find(";\n", begin);
    if (end == std::string::npos) break;
    std::string statement = script.substr(begin, end - begin);
    const std::size_t mark = statement.find("{tenant}");
    if (mark != std::string::npos)
      statement.replace(mark, 8, partitions == 0 ? "" : " PARTITION BY HASH (domain_id)");
    statements.push_back(std::move(statement));
    begin = end + 2;
  }
  return statements;
}

/// The statements that create the partitions of all tables of tenants.
std::vector<std::string> parts_of(int partitions) {
  std::vector<std::string> statements;
  for (const char* table : tenant_tables)
    for (int part = 0; part != partitions; ++part)
      statements.push_back(
          std::string("CREATE TABLE ") + table + '_' + std::to_string(part) + " PARTITION OF " +
          table + " FOR VALUES WITH (MODULUS " + std::to_string(partitions) + ", REMAINDER " +
          std::to_string(part) + ')');
  return statements;
}

/// Existing tables keep their partitions.
void check_parts(Connection& session, const SchemaOptions& options, Deadline deadline) {
  if (options.partitions == 0) return;
  Rows rows = session.run(count_parts, Values{}, deadline);
  const std::int64_t parts = rows.next() ? rows.big(0) : 0;
  if (parts == options.partitions) return;
  refuse(
      options.shown,
      "has its tables already, " +
          (parts == 0 ? "without partitions" : "in " + std::to_string(parts) + " parts"),
      "leave out --partitions, or create the tables in an empty database and fill it with "
      "`payroll copy`");
}

void migrate_locked(Connection& session, const SchemaOptions& options, Deadline deadline) {
  session.execute("SET LOCAL statement_timeout = 0", deadline);
  session.execute("SET LOCAL lock_timeout = 0", deadline);
  session.run(lock_migration, Values{}, deadline);
  session.execute(make_version_table, deadline);
  session.execute(make_version_row, deadline);
  // Read under the lock: meanwhile another process may have migrated the database, even to a newer
  // schema.
  Rows row = session.run(lock_version, Values{}, deadline);
  if (!row.next()) refuse_foreign(options);
  const int version = row.number(0);
  refuse_newer_schema(version, options);
  if (version != 0) check_parts(session, options, deadline);
  for (int schema = version; schema < newest_schema; ++schema)
    for (const std::string& each :
         statements_of(migrations[static_cast<std::size_t>(schema)], options.partitions))
      session.execute(each, deadline);
  if (version == 0)
    for (const std::string& each : parts_of(options.partitions))
      session.execute(each, deadline);
  session.run(write_version, Values{newest_schema}, deadline);
}

void migrate(Connection& session, const SchemaOptions& options, Deadline deadline) {
  session.execute("BEGIN", deadline);
  try {
    migrate_locked(session, options, deadline);
    session.execute("COMMIT", deadline);
  } catch (const Refused& refused) {
    session.execute("ROLLBACK", deadline);
    if (!refused.is("42501") && !refused.is("25006")) throw;
    refuse(
        options.shown,
        "is not up to date, and this role may not change its tables",
        "run `payroll migrate` as the owner of the tables");
  }
}

}  // namespace

void prepare_session(Connection& session, std::chrono::milliseconds timeout, Deadline deadline) {
  const std::string limit = std::to_string(timeout.count());
  const std::string idle = std::to_string(timeout.count() * 2);
  session.send(settings, Values{limit, idle});
  session.send(plan_once);
  session.send(commit_safely);
  session.sync();
  session.receive(deadline);
  session.receive_sync(deadline);
}

void bring_up_to_date(Connection& session, const SchemaOptions& options, Deadline deadline) {
  const std::string encoding = session.server_setting("server_encoding");
  if (encoding != "UTF8")
    refuse(
        options.shown,
        "has " + (encoding.empty() ? "an unknown encoding" : "the encoding " + encoding),
        "create a database with: CREATE DATABASE payroll ENCODING 'UTF8' TEMPLATE template0");
  for (int attempt = 0;; ++attempt) {
    const int version = version_of(session, options, deadline);
    if (version != 0) check_parts(session, options, deadline);
    if (version == newest_schema) return;
    if (version == 0 && !options.create)
      refuse(
          options.shown,
          "has no tables of payroll",
          "create them with `payroll migrate`, or name another database with --db");
    try {
      return migrate(session, options, deadline);
    } catch (const Refused& refused) {
      // If two processes create the first table at once, the later one tries again.
      const bool met = refused.is("23505") || refused.is("42P07") || refused.is_conflict();
      if (!met || attempt == 5) throw;
    }
  }
}

std::vector<std::string> grants_for(
    const std::string& role, Connection& session, Deadline deadline) {
  Rows rows = session.run(quoted_names, Values{role}, deadline);
  rows.next();
  const std::string quoted = rows.text(0);
  std::vector<std::string> grants;
  grants.reserve(std::size(service_rights) + 4);
  grants.push_back("GRANT USAGE ON SCHEMA " + rows.text(1) + " TO " + quoted);
  for (const Right& right : service_rights)
    grants.push_back(std::string("GRANT ") + right.what + " ON " + right.table + " TO " + quoted);
  grants.push_back("GRANT UPDATE (id) ON employee TO " + quoted);
  grants.push_back(std::string("GRANT UPDATE (") + renewed_columns + ") ON account TO " + quoted);
  grants.push_back("GRANT USAGE ON SEQUENCE address_id_seq TO " + quoted);
  return grants;
}

void check_rights(Connection& session, const SchemaOptions& options, Deadline deadline) {
  std::string missing;
  const auto want = [&](Rows rows, const std::string& what) {
    if (!rows.next() || rows.flag(0)) return;
    missing += (missing.empty() ? "" : ", ") + what;
  };
  for (const Right& right : service_rights)
    want(
        session.run(may_do, Values{std::string(right.table), std::string(right.what)}, deadline),
        std::string(right.what) + " on " + right.table);
  want(session.run(may_lock, Values{}, deadline), "UPDATE (id) on employee");
  want(
      session.run(may_renew, Values{std::string(renewed_columns)}, deadline),
      std::string("UPDATE (") + renewed_columns + ") on account");
  want(session.run(may_count, Values{}, deadline), "USAGE on address_id_seq");
  if (!missing.empty())
    refuse(
        options.shown,
        "does not grant this role all rights that it needs; missing: " + missing,
        "run `payroll migrate --grant ROLE` as the owner of the tables");
}

std::string identity_of(Connection& session, Deadline deadline) {
  try {
    Rows rows = session.run(server_identity, Values{}, deadline);
    return rows.next() && !rows.is_null(0) ? rows.text(0) : "";
  } catch (const Refused&) {  // the database has no such function
    return "";
  }
}

}  // namespace postgres
