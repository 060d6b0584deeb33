#include "store/postgres/store.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <thread>

#include "store/rows.hpp"

using postgres::Connection;
using postgres::Deadline;
using postgres::Done;
using postgres::Key;
using postgres::Pool;
using postgres::Rows;
using postgres::Statement;
using postgres::Step;
using postgres::Steps;
using postgres::Unavailable;
using postgres::Values;
using postgres::Work;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::sys_days;

namespace {

// --- Statements ----------------------------------------------------------------------------------
// Each statement names the domain, so it uses one part of a table that is distributed by domain.
// Statements for all domains say so.

constexpr Statement domain_by_name{"domain_by_name", "SELECT id FROM domain WHERE name = $1"};

// For an issued token, also selects its epoch and time, and the current ones.
constexpr Statement token_in_domain{"token_in_domain", R"sql(
    SELECT id, domain_id, name, api_token_digest,
           NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
    FROM account
    WHERE domain_id = $1 AND api_token_digest = $2 AND NOT disabled
    UNION ALL
    SELECT a.id, a.domain_id, a.name, t.digest, t.epoch, t.issued, e.epoch,
           (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    FROM issued_token t JOIN account a ON a.domain_id = t.domain_id AND a.id = t.account_id
         LEFT JOIN token_epoch e ON e.id = 1
    WHERE t.domain_id = $1 AND a.domain_id = $1 AND t.digest = $2 AND NOT a.disabled)sql"};

constexpr Statement token_anywhere{"token_anywhere", R"sql(
    SELECT id, domain_id, name, api_token_digest,
           NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
    FROM account
    WHERE api_token_digest = $1 AND NOT disabled
    UNION ALL
    SELECT a.id, a.domain_id, a.name, t.digest, t.epoch, t.issued, e.epoch,
           (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    FROM issued_token t JOIN account a ON a.domain_id = t.domain_id AND a.id = t.account_id
         LEFT JOIN token_epoch e ON e.id = 1
    WHERE t.digest = $1 AND NOT a.disabled)sql"};

constexpr Statement next_epoch{"next_epoch", R"sql(
    UPDATE token_epoch
    SET epoch = epoch + 1, opened = clock_timestamp(), why = $2
    WHERE id = 1 AND epoch = $1)sql"};

constexpr Statement epoch_of_server{"epoch_of_server", R"sql(
    UPDATE token_epoch
    SET epoch = epoch + 1, opened = clock_timestamp(), why = 'another server', server = $1
    WHERE id = 1 AND server <> $1)sql"};

constexpr Statement look_at_clock{"look_at_clock", R"sql(
    SELECT epoch, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    FROM token_epoch WHERE id = 1)sql"};

constexpr Statement seen_clock{
    "seen_clock", "SELECT epoch, ahead, seen FROM token_clock WHERE boot_id = $1"};

constexpr Statement keep_clock{"keep_clock", R"sql(
    INSERT INTO token_clock (boot_id, epoch, ahead, seen) VALUES ($1, $2, $3, $4)
    ON CONFLICT (boot_id) DO UPDATE
    SET epoch = excluded.epoch, ahead = excluded.ahead, seen = excluded.seen)sql"};

constexpr Statement password_in_domain{"password_in_domain", R"sql(
    SELECT id, domain_id, password_salt, password_hash, scrypt_n, scrypt_r, scrypt_p
    FROM account
    WHERE domain_id = $1 AND name = $2 AND NOT disabled)sql"};

constexpr Statement passwords_anywhere{"passwords_anywhere", R"sql(
    SELECT id, domain_id, password_salt, password_hash, scrypt_n, scrypt_r, scrypt_p
    FROM account
    WHERE name = $1 AND NOT disabled
    ORDER BY id
    LIMIT $2)sql"};

/// Issues a token by the database's clock. A repetition with the same digest issues it anew. No
/// row: the credential is not the user's any more. FOR SHARE orders this transaction and a change
/// of the account: the later one sees the result of the earlier one.
constexpr Statement add_issued_token{"add_issued_token", R"sql(
    WITH holder AS (
        SELECT domain_id, id FROM account
        WHERE domain_id = $1 AND id = $3 AND NOT disabled
            AND (api_token_digest = $4 OR password_salt = $5)
        FOR SHARE
    )
    INSERT INTO issued_token (domain_id, digest, account_id, epoch, issued)
    SELECT holder.domain_id, $2::bytea, holder.id, e.epoch,
           (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    FROM holder LEFT JOIN token_epoch e ON e.id = 1
    ON CONFLICT (domain_id, digest) DO UPDATE SET epoch = excluded.epoch, issued = excluded.issued
    RETURNING epoch, issued)sql"};

constexpr Statement renew_hash{"renew_hash", R"sql(
    UPDATE account SET password_hash = $4, scrypt_n = $5, scrypt_r = $6, scrypt_p = $7
    WHERE domain_id = $1 AND id = $2 AND password_salt = $3)sql"};

/// For all domains. Deletes tokens of twice their lifetime; other statements decide when a token
/// expires.
constexpr Statement purge_issued_tokens{"purge_issued_tokens", R"sql(
    DELETE FROM issued_token
    WHERE issued < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $1
        OR epoch < (SELECT epoch FROM token_epoch WHERE id = 1))sql"};

// No row: no such employee in this domain. One row of NULL: an employee without addresses.
constexpr Statement current_addresses{"current_addresses", R"sql(
    SELECT a.id, a.is_default, a.street, a.house_number, a.house_number_addition,
           a.postal_code, a.city, a.state_province, a.country_iso_code, a.type
    FROM employee e
    LEFT JOIN address a ON a.domain_id = $1 AND a.employee_id = $2
        AND a.first_day <= $3 AND (a.last_day IS NULL OR a.last_day >= $3)
    WHERE e.domain_id = $1 AND e.id = $2
    ORDER BY a.id)sql"};

/// Until the end of the transaction, no other transaction changes which address of an employee is
/// the default. It is a separate statement, so that the next statement sees commits that happened
/// during the wait for the lock.
constexpr Statement lock_employee{"lock_employee", R"sql(
    SELECT id FROM employee WHERE domain_id = $1 AND id = $2 FOR NO KEY UPDATE)sql"};

/// No row: no such employee, too many addresses, or the key exists.
constexpr Statement insert_address{"insert_address", R"sql(
    WITH keyed AS (
        INSERT INTO insert_key (domain_id, key, address_id)
        SELECT domain_id, $3::bytea, nextval('address_id_seq')::integer
        FROM employee
        WHERE domain_id = $1 AND id = $2 AND NOT EXISTS (
            SELECT 1 FROM address
            WHERE domain_id = $1 AND employee_id = $2 AND (last_day IS NULL OR last_day >= $13::date)
            LIMIT 1 OFFSET $14::integer)
        ON CONFLICT (domain_id, key) DO NOTHING
        RETURNING address_id
    )
    INSERT INTO address (domain_id, employee_id, id, is_default, street, house_number,
                         house_number_addition, postal_code, city, state_province,
                         country_iso_code, type, first_day, last_day)
    SELECT $1::bigint, $2::integer, address_id, $4::boolean, $5::text, $6::text, $7::text, $8::text,
           $9::text, $10::text, $11::text, $12::integer, $13::date, NULL
    FROM keyed
    RETURNING id)sql"};

/// Changes nothing if the new address is not the default, or not any more. A repeated insert must
/// not take the mark from a newer address.
constexpr Statement clear_default{"clear_default", R"sql(
    UPDATE address
    SET is_default = false
    WHERE domain_id = $1 AND employee_id = $2 AND is_default
        AND first_day <= $4 AND (last_day IS NULL OR last_day >= $4)
        AND id <> (
            SELECT mine.id
            FROM insert_key k JOIN address mine ON mine.domain_id = $1 AND mine.employee_id = $2
                AND mine.id = k.address_id AND mine.is_default
            WHERE k.domain_id = $1 AND k.key = $3))sql"};

constexpr Statement inserted_under{
    "inserted_under", "SELECT address_id FROM insert_key WHERE domain_id = $1 AND key = $2"};

/// For all domains, at most 1,000 at a time.
constexpr Statement forget_keys{"forget_keys", R"sql(
    DELETE FROM insert_key
    WHERE (domain_id, key) IN (
        SELECT domain_id, key FROM insert_key WHERE address_id <= $1
        ORDER BY address_id LIMIT 1000 FOR UPDATE SKIP LOCKED))sql"};

/// A write without effect. It uses one of several rows, so that concurrent probes rarely wait for
/// each other.
constexpr Statement beat{"beat", "UPDATE pulse SET beats = beats + 1 WHERE id = $1::integer"};

/// Writes about a megabyte to a temporary file beside the tables, which is then deleted. A row
/// would prove less: it may fit into a page of the table although the disk is full.
constexpr Statement spill_early{"spill_early", R"sql(
    SELECT set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true))sql"};
constexpr Statement spill{"spill", "SELECT count(*) FROM generate_series(1, 80000)"};

constexpr Statement webhooks_of_debtor{"webhooks_of_debtor", R"sql(
    SELECT w.id, w.name, w.endpoint, w.active, k.id, k.name, v.active
    FROM debtor d
    LEFT JOIN webhook_setting w ON w.domain_id = $1 AND w.debtor_id = $2
    LEFT JOIN webhook_event v
        ON v.domain_id = $1 AND v.debtor_id = $2 AND v.setting_id = w.id
    LEFT JOIN event_kind k ON k.id = v.event_id
    WHERE d.domain_id = $1 AND d.id = $2
    ORDER BY w.id, k.id)sql"};

constexpr Statement standby_names{
    "standby_names", "SELECT current_setting('synchronous_standby_names')"};

/// Each commit waits until the standbys show it, because calls read from them.
constexpr Statement commit_visibly{
    "commit_visibly", "SELECT set_config('synchronous_commit', 'remote_apply', false)"};

/// `payroll copy` holds this lock exclusively. All other commands and servers share it on each
/// connection, because a copy would lack their writes. There is one lock for each database and
/// schema.
constexpr Statement lock_to_use{"lock_to_use", R"sql(
    SELECT pg_try_advisory_lock_shared(hashtext('payroll serve ' || coalesce(current_schema(), ''))))sql"};
constexpr Statement lock_to_copy{"lock_to_copy", R"sql(
    SELECT pg_try_advisory_lock(hashtext('payroll serve ' || coalesce(current_schema(), ''))))sql"};

constexpr const char* copied_now = "`payroll copy` has it locked";

/// Also true on databases without advisory locks.
bool take_lock(Connection& session, const Statement& lock, Deadline deadline) {
  try {
    Rows rows = session.run(lock, Values{}, deadline);
    return rows.next() && rows.flag(0);
  } catch (const postgres::Refused& refused) {
    if (!refused.is("42883")) throw;  // undefined_function
    return true;
  }
}

// --- Values --------------------------------------------------------------------------------------

constexpr const char* address_in_doubt =
    "The database did not answer in time. It is not known whether the address was added.";
constexpr std::chrono::minutes keys_kept{10};

Key random_key() {
  Key key{};
  if (RAND_bytes(key.data(), static_cast<int>(key.size())) != 1)
    throw std::runtime_error("no random numbers");
  return key;
}

std::int32_t some_pulse() { return random_key()[0] % 16; }

/// Also reads the clock, if there is an issued token.
std::vector<TokenHolder> read_holders(Rows& rows, ClockReading& clock) {
  std::vector<TokenHolder> holders;
  while (rows.next()) {
    TokenHolder holder{rows.big(0), rows.domain(1), rows.text(2), rows.digest(3), {}};
    if (!rows.is_null(4)) {
      if (rows.is_null(6)) throw std::runtime_error("the database has no epoch of tokens");
      holder.issue =
          TokenIssue{std::to_string(rows.big(4)), std::chrono::microseconds(rows.big(5))};
      clock.epoch = rows.big(6);
      clock.theirs = std::chrono::microseconds(rows.big(7));
    }
    holders.push_back(std::move(holder));
  }
  return holders;
}

void read_passwords(Rows& rows, std::vector<PasswordHolder>& holders) {
  const auto parameter = [&](int column) { return static_cast<std::uint32_t>(rows.big(column)); };
  while (rows.next())
    holders.push_back(
        {rows.big(0),
         rows.domain(1),
         {rows.text(2), rows.text(3), parameter(4), parameter(5), parameter(6)}});
}

std::int64_t order_of(DomainId domain, std::int32_t employee_id) {
  return (static_cast<std::int64_t>(domain) << 32) + employee_id;
}

/// Accounts come before employees, so that all transactions lock in the same order.
std::int64_t order_of_account(DomainId domain, std::int64_t user_id) {
  return -(static_cast<std::int64_t>(domain) << 32) - user_id;
}

}  // namespace

// --- Opening -------------------------------------------------------------------------------------

PostgresStore::PostgresStore(PostgresOptions options) : options_(std::move(options)) {
  schema_ = {postgres::printable(options_.db), options_.create, options_.partitions};
  const std::size_t writers = std::max<std::size_t>(1, options_.connections / 3);
  const std::size_t readers = std::max<std::size_t>(2, options_.connections) - writers;
  // The first connection checks and creates the tables, which prepare() needs.
  auto bare = pool_options(true, 1);
  bare.prepare = [this](Connection& session, Deadline deadline) {
    tell_of_weak_tls(session, "--db");
    postgres::prepare_session(session, options_.timeout, deadline);
    share(session, deadline);
  };
  writer_ = std::make_unique<Pool>(std::move(bare));
  open();
  writer_ = std::make_unique<Pool>(pool_options(true, writers));
  primary_ = std::make_unique<Pool>(pool_options(false, readers));
  guesses_ = std::make_unique<postgres::SharedGuesses>(
      *primary_, *writer_, options_.timeout, [this](const Unavailable& error) {
        fail(error, nullptr);
      });
  nonces_ = std::make_shared<postgres::SharedNonces>(
      *writer_, [this](const Unavailable& error) { fail(error, nullptr); });
  if (options_.alone) hold_alone();
  // Keeps one connection open. Its lock shows that a server runs.
  if (options_.serves) writer_->borrow([](Connection&, Deadline) {}, options_.timeout);
  if (options_.read_from.empty()) return;
  standby_ = std::make_unique<Pool>(standby_options(readers));
  tell_of_standbys();
}

PostgresStore::~PostgresStore() = default;

/// The next connection may lead to a server that was restored from a backup, where newer ids belong
/// to other domains. So each new connection clears the cached ids.
postgres::PoolOptions PostgresStore::pool_options(bool writes, std::size_t connections) {
  postgres::PoolOptions made{postgres::Address(options_.db)};
  made.writes = writes;
  made.connections = connections;
  made.group = writes ? 64 : 16;
  made.timeout = options_.timeout;
  made.disconnected = [this] { domains_.forget(); };
  made.prepare = [this](Connection& session, Deadline deadline) { prepare(session, deadline); };
  return made;
}

/// Standbys only, even if --read-from also names the primary. It does not retry, because the
/// primary can answer at once.
postgres::PoolOptions PostgresStore::standby_options(std::size_t connections) {
  postgres::PoolOptions made{postgres::Address(options_.read_from, "--read-from")};
  made.kind = postgres::ServerKind::standby;
  made.connections = connections;
  made.timeout = options_.timeout;
  made.insists = false;
  made.disconnected = [this] { domains_.forget(); };
  made.prepare = [this](Connection& session, Deadline deadline) {
    tell_of_weak_tls(session, "--read-from");
    postgres::prepare_session(session, options_.timeout, deadline);
  };
  return made;
}

void PostgresStore::share(Connection& session, Deadline deadline) const {
  if (!options_.alone && !take_lock(session, lock_to_use, deadline))
    throw postgres::ConnectionLost(copied_now);
}

void PostgresStore::hold_alone() {
  std::size_t preferred = 0;
  const Deadline deadline = std::chrono::steady_clock::now() + options_.timeout;
  alone_ = postgres::connect(
      postgres::Address(options_.db),
      postgres::ServerKind::primary,
      preferred,
      deadline,
      [this](Connection& session, Deadline until) {
        postgres::prepare_session(session, options_.timeout, until);
      });
  // Waits for other commands, which end soon, but not for a server.
  for (int attempt = 0; !take_lock(*alone_, lock_to_copy, deadline); ++attempt) {
    if (attempt == 10)
      throw UnusableDatabase(
          schema_.shown +
          " is in use by `payroll serve`, or by another `payroll` command; stop it, so that "
          "nothing is written meanwhile");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

/// Prepares a connection to a primary. A promoted server has another clock, so earlier tokens end.
void PostgresStore::prepare(Connection& session, Deadline deadline) {
  tell_of_weak_tls(session, "--db");
  postgres::prepare_session(session, options_.timeout, deadline);
  share(session, deadline);
  if (!options_.read_from.empty()) session.run(commit_visibly, Values{}, deadline);
  const std::string identity = postgres::identity_of(session, deadline);
  if (!identity.empty()) session.run(epoch_of_server, Values{identity}, deadline);
}

namespace {

/// True if libpq reports that TLS failed.
bool is_of_tls(std::string_view why) {
  constexpr std::array signs{"certificate", "SSL error", "does not support SSL"};
  return std::any_of(
      signs.begin(), signs.end(), [why](const char* sign) { return why.find(sign) != why.npos; });
}

}  // namespace

/// Checks the database. Throws one line with the reason why it cannot be used.
void PostgresStore::open() {
  const auto refuse = [&](const std::string& why, const char* what_to_do) {
    throw UnusableDatabase(schema_.shown + " cannot be used: " + why + "; " + what_to_do);
  };
  try {
    const auto look_over = [&](Connection& session, Deadline) {
      const Deadline patience = std::chrono::steady_clock::now() + std::chrono::minutes(10);
      postgres::bring_up_to_date(session, schema_, patience);
      if (options_.serves) postgres::check_rights(session, schema_, patience);
    };
    writer_->borrow(look_over, options_.timeout);
  } catch (const postgres::Refused& refused) {
    const bool rights = refused.is("42501");
    refuse(
        refused.what(),
        rights ? "ask its owner for the rights that example/README.md lists"
               : "name another database with --db");
  } catch (const postgres::TooLate& late) {
    refuse(late.what(), "check the host and port of --db, and that the server runs");
  } catch (const postgres::ConnectionLost& lost) {
    refuse(
        lost.what(),
        std::string_view(lost.what()).find(copied_now) != std::string_view::npos
            ? "start again when the copy is done"
        : is_of_tls(lost.what())
            ? "check that the server has TLS and a certificate for the host that --db names, "
              "and that sslrootcert names the file with the certificate's authority"
            : "check --db, that the server runs, and that it accepts this user");
  } catch (const Unavailable& late) {
    refuse(late.what(), "check that the server is not overloaded");
  }
}

/// Reports each message once, whatever the number of connections.
void PostgresStore::tell(const std::string& what) {
  const std::lock_guard lock(told_mutex_);
  if (!options_.tell || std::find(told_.begin(), told_.end(), what) != told_.end()) return;
  told_.push_back(what);
  options_.tell(what);
}

void PostgresStore::tell_of_weak_tls(const Connection& session, const char* option) {
  if (!session.is_remote() || session.option("sslmode") == "verify-full") return;
  tell(
      "the connection to the database at " + session.host() +
      " does not verify the server's certificate; add sslmode=verify-full to " + option);
}

void PostgresStore::tell_of_standbys() {
  const auto look = [&](Connection& session, Deadline deadline) {
    Rows rows = session.run(standby_names, Values{}, deadline);
    if (rows.next() && rows.text(0).empty())
      tell(
          "--read-from: no commit waits for a standby (synchronous_standby_names is "
          "empty), so a standby may not show the latest changes");
  };
  try {
    writer_->borrow(look, options_.timeout);
    standby_->borrow([](Connection&, Deadline) {}, options_.timeout);
  } catch (const std::exception& error) {
    rest_standby(error.what());
  }
}

// --- Calls ---------------------------------------------------------------------------------------

Done PostgresStore::run(Pool& pool, Work work, const char* in_doubt) {
  try {
    Done done = pool.run(std::move(work));
    outages_.note_answer();
    return done;
  } catch (const Unavailable& error) {
    fail(error, in_doubt);
  }
}

void PostgresStore::fail(const Unavailable& error, const char* in_doubt) {
  const Outage outage = error.is_full() ? Outage::full : Outage::silent;
  outages_.note(outage, error.what());
  const bool doubtful = error.is_in_doubt() && in_doubt != nullptr;
  if (doubtful) throw soapsvc::fault(soapsvc::fault_code::server, in_doubt);
  throw fault_of(outage);
}

/// Reads from a standby, if there is one and it answers; else from the primary.
Done PostgresStore::read(Work work) {
  if (!standby_ || !standby_is_due()) return run(*primary_, std::move(work));
  try {
    Done done = standby_->run(work, options_.timeout / 4);
    trust_standby();
    return done;
  } catch (const Unavailable& error) {
    rest_standby(error.what());
  } catch (const postgres::Refused& refused) {
    if (!refused.is_conflict()) throw;
  }
  return run(*primary_, std::move(work));
}

namespace {

constexpr std::int64_t standby_rest = 1000;

std::int64_t steady_milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::ceil<milliseconds>(now).count();
}

}  // namespace

/// While no standby answers, one call per second tries a standby. The other calls use the primary
/// and do not wait.
bool PostgresStore::standby_is_due() {
  std::int64_t until = standby_rests_.load(std::memory_order_relaxed);
  if (until == 0) return true;
  const std::int64_t now = steady_milliseconds();
  return now >= until && standby_rests_.compare_exchange_strong(until, now + standby_rest);
}

/// Reports the start of an outage of the standbys once.
void PostgresStore::rest_standby(const std::string& why) {
  const bool news = standby_rests_.exchange(steady_milliseconds() + standby_rest) == 0;
  if (news && options_.tell)
    options_.tell(
        "--read-from: no standby answers: " + why + "; the primary serves the reads meanwhile");
}

void PostgresStore::trust_standby() {
  if (standby_rests_.load(std::memory_order_relaxed) == 0) return;
  if (standby_rests_.exchange(0) != 0 && options_.tell)
    options_.tell("--read-from: a standby answers again, and serves the reads");
}

/// A beat may fit into the last page of a table although the disk is full. So after a write was
/// refused for lack of space, `check` needs a temporary file, too. It does not do this at each
/// check, because operators monitor temporary files.
void PostgresStore::check() {
  const Step write{&beat, Values{some_pulse()}};
  if (!outages_.is_full()) {
    run(*writer_, Work{{write}});
    return;
  }
  try {
    run(*writer_, Work{{{&spill_early, Values{}}, {&spill, Values{}}, write}});
  } catch (const postgres::Refused& refused) {
    if (!refused.is("53400")) throw;  // temp_file_limit: check with a beat only
    run(*writer_, Work{{write}});
  }
  outages_.note_room();
}

std::optional<std::vector<EmployeeAddress>> PostgresStore::list_current(
    DomainId domain, std::int32_t employee_id, sys_days today) {
  Done done = read(Work{{{&current_addresses, Values{domain, employee_id, today}}}});
  Rows& rows = done.results.front();
  if (!rows.next()) return std::nullopt;
  std::vector<EmployeeAddress> addresses;
  if (rows.is_null(0)) return addresses;
  addresses.reserve(rows.size());
  do
    addresses.emplace_back(StoredAddress(rows));
  while (rows.next());
  return addresses;
}

std::optional<std::int32_t> PostgresStore::insert_current(
    DomainId domain,
    std::int32_t employee_id,
    const EmployeeAddress& address,
    sys_days first_day,
    sys_days today) {
  const Key key = random_key();
  Work work;
  work.order = order_of(domain, employee_id);
  Steps& steps = work.steps;
  if (address.is_default) steps.push_back({&lock_employee, Values{domain, employee_id}});
  const std::size_t inserted = steps.size();
  steps.push_back(
      {&insert_address,
       Values{
           domain,
           employee_id,
           key,
           address.is_default,
           address.street,
           address.house_number,
           address.house_number_addition,
           address.postal_code,
           address.city,
           address.state_province,
           address.country_iso_code,
           static_cast<std::int32_t>(address.type),
           first_day,
           most_current(address) - 1}});
  if (address.is_default)
    steps.push_back({&clear_default, Values{domain, employee_id, key, today}});
  work.in_doubt = steps;
  work.in_doubt.push_back({&beat, Values{some_pulse()}});
  work.in_doubt.push_back({&inserted_under, Values{domain, key}});
  if (const auto oldest = ids_to_forget()) steps.push_back({&forget_keys, Values{*oldest}});
  Done done = run(*writer_, std::move(work), address_in_doubt);
  Rows& rows = done.was_in_doubt ? done.results.back() : done.results[inserted];
  if (!rows.next()) return std::nullopt;
  note_id(rows.number(0));
  return rows.number(0);
}

/// A key is needed only while its call may run. This machine's monotonic clock measures the age of
/// the ids that this process has made.
void PostgresStore::note_id(std::int32_t id) {
  const nanoseconds now = options_.clock().since_boot;
  const std::lock_guard lock(keys_mutex_);
  if (!ids_made_.empty() && now - ids_made_.back().first < std::chrono::minutes(1)) return;
  ids_made_.emplace_back(now, id);
}

/// At every 256th insert: the newest id with a key that can be deleted.
std::optional<std::int32_t> PostgresStore::ids_to_forget() {
  const std::lock_guard lock(keys_mutex_);
  if (++inserts_ % 256 != 0) return std::nullopt;
  const nanoseconds now = options_.clock().since_boot;
  std::optional<std::int32_t> newest;
  while (ids_made_.size() > 1 && now - ids_made_[1].first > keys_kept)
    ids_made_.pop_front();
  if (!ids_made_.empty() && now - ids_made_.front().first > keys_kept)
    newest = ids_made_.front().second;
  return newest;
}

std::optional<std::vector<WebhookSetting>> PostgresStore::list_webhooks(
    DomainId domain, std::int32_t debtor_id) {
  Done done = read(Work{{{&webhooks_of_debtor, Values{domain, debtor_id}}}});
  Rows& rows = done.results.front();
  if (!rows.next()) return std::nullopt;
  std::vector<WebhookSetting> settings;
  if (rows.is_null(0)) return settings;
  do
    read_webhook(rows, settings);
  while (rows.next());
  return settings;
}

// --- Users and tokens ----------------------------------------------------------------------------

std::optional<DomainId> PostgresStore::find_domain(const std::string& name) {
  if (const auto known = domains_.find(name)) return known;
  Done done = run(*primary_, Work{{{&domain_by_name, Values{name}}}});
  Rows& rows = done.results.front();
  if (!rows.next()) return std::nullopt;
  domains_.add(name, rows.domain(0));
  return rows.domain(0);
}

TokenFacts PostgresStore::find_token(
    const std::optional<std::string>& domain, const Digest& token) {
  TokenFacts facts;
  if (domain) facts.domain = find_domain(*domain);
  bool anywhere = !facts.domain;
  for (int attempt = 0; attempt != 8; ++attempt) {
    ClockReading reading;
    reading.before = options_.clock().since_boot;
    Step step = anywhere ? Step{&token_anywhere, Values{token}}
                         : Step{&token_in_domain, Values{*facts.domain, token}};
    Done done = run(*primary_, Work{{std::move(step)}});
    reading.after = options_.clock().since_boot;
    facts.holders = read_holders(done.results.front(), reading);
    if (facts.holders.empty() && !anywhere) {
      anywhere = true;
      continue;
    }
    const bool issued =
        std::any_of(facts.holders.begin(), facts.holders.end(), [](const TokenHolder& holder) {
          return holder.issue.has_value();
        });
    if (!issued) return facts;
    reading = short_look(reading);
    facts.now = TokenIssue{std::to_string(reading.epoch), reading.theirs};
    if (is_steady(reading)) return facts;
  }
  fail(Unavailable("the clock of the database cannot be read", false), nullptr);
}

PasswordFacts PostgresStore::find_passwords(
    const std::optional<std::string>& domain, const std::string& user, std::size_t limit) {
  PasswordFacts facts;
  if (domain) facts.domain = find_domain(*domain);
  if (facts.domain) {
    Done done = run(*primary_, Work{{{&password_in_domain, Values{*facts.domain, user}}}});
    read_passwords(done.results.front(), facts.holders);
    if (facts.holders.size() >= limit) return facts;
  }
  Done done = run(
      *primary_, Work{{{&passwords_anywhere, Values{user, static_cast<std::int64_t>(limit + 1)}}}});
  std::vector<PasswordHolder> others;
  read_passwords(done.results.front(), others);
  for (PasswordHolder& other : others)
    if (facts.holders.size() < limit && (!facts.domain || other.domain != *facts.domain))
      facts.holders.push_back(std::move(other));
  return facts;
}

bool PostgresStore::add_token(const IssuedToken& token, nanoseconds lifetime) {
  const auto* const api_token = std::get_if<Digest>(&token.shown);
  const auto* const salt = std::get_if<std::string>(&token.shown);
  Work work;
  work.order = order_of_account(token.domain, token.user_id);
  work.steps.push_back(
      {&add_issued_token,
       Values{
           token.domain,
           token.digest,
           token.user_id,
           api_token ? std::optional(*api_token) : std::nullopt,
           salt ? std::optional(postgres::Bytes{*salt}) : std::nullopt}});
  purge_tokens(lifetime);
  for (int attempt = 0; attempt != 8; ++attempt) {
    const nanoseconds before = options_.clock().since_boot;
    Done done = run(*writer_, work);
    const nanoseconds after = options_.clock().since_boot;
    Rows& rows = done.results.front();
    if (!rows.next()) return false;
    const std::int64_t epoch = rows.big(0);
    const auto reading = short_look({epoch, std::chrono::microseconds(rows.big(1)), before, after});
    if (is_steady(reading) && reading.epoch == epoch) return true;
  }
  fail(Unavailable("the clock of the database cannot be read", false), nullptr);
}

void PostgresStore::renew_password(
    DomainId domain, std::int64_t user_id, const PasswordHash& renewed) {
  const auto big = [](std::uint32_t number) { return static_cast<std::int64_t>(number); };
  Work work;
  work.order = order_of_account(domain, user_id);
  work.steps.push_back(
      {&renew_hash,
       Values{
           domain,
           user_id,
           postgres::Bytes{renewed.salt},
           postgres::Bytes{renewed.hash},
           big(renewed.cost),
           big(renewed.block_size),
           big(renewed.parallelisation)}});
  run(*writer_, std::move(work));
}

void PostgresStore::purge_tokens(nanoseconds lifetime) {
  const auto now = std::chrono::floor<std::chrono::seconds>(options_.clock().since_boot).count();
  std::int64_t last = tokens_purged_.load();
  if (last != 0 && now - last < 10) return;
  if (!tokens_purged_.compare_exchange_strong(last, std::max<std::int64_t>(now, 1))) return;
  const auto age = std::chrono::floor<std::chrono::microseconds>(lifetime * 2);
  run(*writer_, Work{{{&purge_issued_tokens, Values{std::int64_t{age.count()}}}}});
}

/// Returns the reading if it was short enough. If a commit or the pool's queue made it too long,
/// reads again without them.
ClockReading PostgresStore::short_look(ClockReading reading) {
  const auto is_short = [&] { return reading.after - reading.before <= TokenClock::longest_look; };
  const auto look = [&](Connection& session, Deadline deadline) {
    do {
      reading.before = options_.clock().since_boot;
      Rows rows = session.run(look_at_clock, Values{}, deadline);
      reading.after = options_.clock().since_boot;
      if (!rows.next()) throw std::runtime_error("the database has no epoch of tokens");
      reading.epoch = rows.big(0);
      reading.theirs = std::chrono::microseconds(rows.big(1));
    } while (!is_short());
  };
  try {
    if (!is_short()) primary_->transaction(look, options_.timeout);
  } catch (const Unavailable& error) {
    fail(error, nullptr);
  }
  return reading;
}

/// False: read again. A clock that was set ends the epoch, and so all tokens.
bool PostgresStore::is_steady(const ClockReading& reading) {
  using Verdict = TokenClock::Verdict;
  switch (clock_.judge(reading)) {
  case Verdict::steady: tell_clock(); return true;
  case Verdict::unclear: return false;
  case Verdict::unknown: learn_clock(reading); return false;
  case Verdict::stepped:
    if (open_epoch(reading.epoch, "the clock was set") && options_.tell)
      options_.tell(
          "the clock of the database was changed: tokens that were issued before are invalid");
    return false;
  }
  return false;
}

/// False: another call or process has opened the next epoch.
bool PostgresStore::open_epoch(std::int64_t after, const std::string& why) {
  return run(*writer_, Work{{{&next_epoch, Values{after, why}}}}).results.front().changed() == 1;
}

/// Loads the reference that any process of this machine has stored for the database's clock. A
/// machine without a reference cannot trust the existing tokens, so it begins a new epoch.
void PostgresStore::learn_clock(const ClockReading& reading) {
  const std::string boot(options_.clock().boot_id);
  Done done = run(*primary_, Work{{{&seen_clock, Values{boot}}}});
  Rows& rows = done.results.front();
  if (rows.next()) {
    const nanoseconds seen(rows.big(2));
    if (seen <= reading.after && rows.big(0) <= reading.epoch) {
      clock_.remember({rows.big(0), std::chrono::microseconds(rows.big(1)), seen});
      return;
    }
  }
  const auto ahead = reading.theirs - std::chrono::floor<std::chrono::microseconds>(reading.after);
  open_epoch(reading.epoch, "a machine that had not seen the clock");
  clock_.remember({reading.epoch, ahead, reading.after});
}

void PostgresStore::tell_clock() {
  const auto news = clock_.news();
  if (!news) return;
  const std::string boot(options_.clock().boot_id);
  const std::int64_t ahead = news->ahead.count();
  const std::int64_t seen = news->at.count();
  run(*writer_, Work{{{&keep_clock, Values{boot, news->epoch, ahead, seen}}}});
}
