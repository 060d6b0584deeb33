// The operator's commands in PostgreSQL. Each write locks the row of the schema, so that only one
// runs at a time. Otherwise an id that the operator chose could collide with an id of the sequence.
#include "store/demo.hpp"
#include "store/postgres/store.hpp"

using postgres::Connection;
using postgres::Deadline;
using postgres::Rows;
using postgres::Statement;
using postgres::Values;

namespace {

using Outcome = AdminStore::Outcome;

// --- Statements ----------------------------------------------------------------------------------

constexpr Statement one_at_a_time{
    "one_at_a_time", "SELECT id FROM payroll_schema WHERE id = 1 FOR UPDATE"};

constexpr Statement domain_named{"domain_named", "SELECT id FROM domain WHERE name = $1"};

constexpr Statement add_domain_row{"add_domain_row", R"sql(
    INSERT INTO domain (id, name) SELECT nextval('domain_id_seq'), $1::text
    WHERE NOT EXISTS (SELECT 1 FROM domain WHERE name = $1))sql"};

constexpr Statement add_account{"add_account", R"sql(
    INSERT INTO account (id, domain_id, name, password_salt, password_hash, scrypt_n, scrypt_r,
                         scrypt_p, api_token_digest)
    VALUES (nextval('account_id_seq'), $1, $2, $3, $4, $5, $6, $7, $8))sql"};

constexpr Statement count_namesakes{
    "count_namesakes", "SELECT count(*) FROM account WHERE name = $1 AND NOT disabled"};

constexpr Statement account_exists{
    "account_exists", "SELECT 1 FROM account WHERE domain_id = $1 AND name = $2"};

constexpr Statement disable_account{
    "disable_account", "UPDATE account SET disabled = true WHERE domain_id = $1 AND name = $2"};

constexpr Statement replace_api_token{"replace_api_token", R"sql(
    UPDATE account SET api_token_digest = $3 WHERE domain_id = $1 AND name = $2)sql"};

constexpr Statement revoke_issued_tokens{"revoke_issued_tokens", R"sql(
    DELETE FROM issued_token
    WHERE domain_id = $1
        AND account_id = (SELECT id FROM account WHERE domain_id = $1 AND name = $2))sql"};

/// The statements for employees and for debtors. Ids are global, so `is_taken` searches all
/// domains.
struct Owned {
  Statement next_id;
  Statement is_taken;
  Statement reserve;
  Statement add;
  Statement owner;
};

constexpr Owned employees{
    {"next_employee", R"sql(
        SELECT nextval('employee_id_seq')::integer
        FROM employee_id_seq WHERE last_value < 2147483647)sql"},
    {"employee_is_taken", "SELECT 1 FROM employee WHERE id = $1"},
    {"reserve_employee", R"sql(
        SELECT setval('employee_id_seq', $1::integer)
        WHERE $1 >= (SELECT last_value FROM employee_id_seq))sql"},
    {"add_employee", "INSERT INTO employee (domain_id, id) VALUES ($1, $2)"},
    {"owner_of_employee", "SELECT domain_id FROM employee WHERE id = $1"}};

constexpr Owned debtors{
    {"next_debtor", R"sql(
        SELECT nextval('debtor_id_seq')::integer
        FROM debtor_id_seq WHERE last_value < 2147483647)sql"},
    {"debtor_is_taken", "SELECT 1 FROM debtor WHERE id = $1"},
    {"reserve_debtor", R"sql(
        SELECT setval('debtor_id_seq', $1::integer)
        WHERE $1 >= (SELECT last_value FROM debtor_id_seq))sql"},
    {"add_debtor", "INSERT INTO debtor (domain_id, id) VALUES ($1, $2)"},
    {"owner_of_debtor", "SELECT domain_id FROM debtor WHERE id = $1"}};

constexpr Statement has_event{"has_event", "SELECT 1 FROM event_kind WHERE id = $1"};

constexpr Statement add_setting{"add_setting", R"sql(
    INSERT INTO webhook_setting (domain_id, debtor_id, id, name, endpoint, active)
    VALUES ($1, $2, nextval('webhook_setting_id_seq')::integer, $3, $4, $5)
    RETURNING id)sql"};

constexpr Statement add_event{"add_event", R"sql(
    INSERT INTO webhook_event (domain_id, debtor_id, setting_id, event_id, active)
    VALUES ($1, $2, $3, $4, $5))sql"};

constexpr Statement add_dated_address{"add_dated_address", R"sql(
    INSERT INTO address (domain_id, employee_id, id, is_default, street, house_number,
                         house_number_addition, postal_code, city, state_province,
                         country_iso_code, type, first_day, last_day)
    VALUES ($1, $2, nextval('address_id_seq')::integer, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
            $13))sql"};

constexpr Statement domain_names{"domain_names", "SELECT name FROM domain ORDER BY name"};

constexpr Statement all_accounts{"all_accounts", R"sql(
    SELECT d.name, a.name, a.disabled
    FROM account a JOIN domain d ON d.id = a.domain_id
    ORDER BY d.name, a.name)sql"};

constexpr Statement all_costs{"all_costs", R"sql(
    SELECT scrypt_n, scrypt_r, scrypt_p, disabled, count(*)
    FROM account GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4)sql"};

constexpr Statement all_employees{"all_employees", R"sql(
    SELECT d.name, e.id FROM employee e JOIN domain d ON d.id = e.domain_id ORDER BY e.id)sql"};

constexpr Statement all_debtors{"all_debtors", R"sql(
    SELECT d.name, b.id FROM debtor b JOIN domain d ON d.id = b.domain_id ORDER BY b.id)sql"};

constexpr Statement all_webhooks{"all_webhooks", R"sql(
    SELECT d.name, w.debtor_id, w.id, coalesce(w.name, ''), coalesce(w.endpoint, ''), w.active,
           coalesce((SELECT string_agg(v.event_id::text, ',' ORDER BY v.event_id)
                     FROM webhook_event v
                     WHERE v.domain_id = w.domain_id AND v.debtor_id = w.debtor_id
                         AND v.setting_id = w.id AND v.active), '')
    FROM webhook_setting w JOIN domain d ON d.id = w.domain_id
    ORDER BY w.id)sql"};

constexpr Statement has_no_domain{"has_no_domain", "SELECT NOT EXISTS (SELECT 1 FROM domain)"};

constexpr Statement may_use_schema{
    "may_use_schema", "SELECT has_schema_privilege($1::name, current_schema()::text, 'USAGE')"};

// --- Writing -------------------------------------------------------------------------------------

/// The connection of one transaction, with its deadline.
struct Writing {
  Connection& over;
  Deadline deadline;

  template <class... Each> Rows run(const Statement& statement, const Each&... values) const {
    return over.run(statement, Values{values...}, deadline);
  }
};

std::optional<DomainId> find(const Writing& in, const std::string& domain) {
  Rows rows = in.run(domain_named, domain);
  return rows.next() ? std::optional(rows.domain(0)) : std::nullopt;
}

Outcome write_domain(const Writing& to, const std::string& name) {
  return to.run(add_domain_row, name).changed() == 1 ? Outcome::done : Outcome::exists;
}

Outcome write_user(const Writing& to, const NewUser& user) {
  const auto domain = find(to, user.domain);
  if (!domain) return Outcome::no_domain;
  if (to.run(account_exists, *domain, user.name).next()) return Outcome::exists;
  Rows namesakes = to.run(count_namesakes, user.name);
  if (namesakes.next() && namesakes.big(0) >= std::int64_t{most_namesakes})
    return Outcome::namesakes;
  const auto big = [](std::uint32_t number) { return static_cast<std::int64_t>(number); };
  to.run(
      add_account,
      *domain,
      user.name,
      postgres::Bytes{user.password.salt},
      postgres::Bytes{user.password.hash},
      big(user.password.cost),
      big(user.password.block_size),
      big(user.password.parallelisation),
      user.api_token);
  return Outcome::done;
}

/// `id` 0: the highest id plus one.
Outcome write_owned(
    const Writing& to, const Owned& owned, const std::string& domain, std::int32_t& id) {
  const auto owner = find(to, domain);
  if (!owner) return Outcome::no_domain;
  std::int32_t given = id;
  if (given == 0) {
    Rows next = to.run(owned.next_id);
    if (!next.next()) return Outcome::no_id;
    given = next.number(0);
  } else {
    if (to.run(owned.is_taken, given).next()) return Outcome::exists;
    to.run(owned.reserve, given);
  }
  to.run(owned.add, *owner, given);
  id = given;
  return Outcome::done;
}

Outcome write_webhook(const Writing& to, const NewWebhook& webhook, std::int32_t& id) {
  Rows owner = to.run(debtors.owner, webhook.debtor_id);
  if (!owner.next()) return Outcome::no_debtor;
  for (const auto& event : webhook.events)
    if (!to.run(has_event, event.first).next()) return Outcome::no_event;
  const DomainId domain = owner.domain(0);
  Rows added = to.run(
      add_setting, domain, webhook.debtor_id, webhook.name, webhook.endpoint, webhook.active);
  added.next();
  id = added.number(0);
  for (const auto& [kind, active] : webhook.events)
    to.run(add_event, domain, webhook.debtor_id, id, kind, active);
  return Outcome::done;
}

void expect_done(Outcome outcome) {
  if (outcome != Outcome::done) throw std::logic_error("the seed contradicts itself");
}

void write_seed_address(const Writing& to, const DatedAddress& each) {
  Rows owner = to.run(employees.owner, each.employee_id);
  if (!owner.next()) throw std::logic_error("the seed has an address of nobody");
  to.run(
      add_dated_address,
      owner.domain(0),
      each.employee_id,
      each.address.is_default,
      each.address.street,
      each.address.house_number,
      each.address.house_number_addition,
      each.address.postal_code,
      each.address.city,
      each.address.state_province,
      each.address.country_iso_code,
      static_cast<std::int32_t>(each.address.type),
      each.first_day,
      each.last_day);
}

void write_seed(const Writing& to, const Seed& seed) {
  std::int32_t id = 0;
  for (const std::string& domain : seed.domains)
    expect_done(write_domain(to, domain));
  for (const NewUser& user : seed.users)
    expect_done(write_user(to, user));
  for (const auto& [domain, wanted] : seed.employees)
    expect_done(write_owned(to, employees, domain, id = wanted));
  for (const auto& [domain, wanted] : seed.debtors)
    expect_done(write_owned(to, debtors, domain, id = wanted));
  for (const DatedAddress& each : seed.addresses)
    write_seed_address(to, each);
  for (const NewWebhook& webhook : seed.webhooks)
    expect_done(write_webhook(to, webhook, id));
}

bool holds_nothing(const Writing& in) {
  Rows rows = in.run(has_no_domain);
  return rows.next() && rows.flag(0);
}

/// Throws the error message for the operator.
[[noreturn]] void complain(const std::string& shown, const postgres::Unavailable& error) {
  throw std::runtime_error(
      shown + (error.is_full() ? " takes no writes: " : " did not answer: ") + error.what() +
      (error.is_in_doubt() ? "; check whether the change was made before you try again"
                           : "; nothing was changed"));
}

}  // namespace

// --- PostgresStore for the operator --------------------------------------------------------------

void PostgresStore::write_alone(const Body& body, std::chrono::milliseconds commit_timeout) {
  try {
    writer_->transaction(
        [&](Connection& over, Deadline deadline) {
          over.run(one_at_a_time, Values{}, deadline);
          body(over, deadline);
        },
        options_.timeout * 4,
        commit_timeout);
  } catch (const postgres::Unavailable& error) {
    complain(schema_.shown, error);
  }
}

Rows PostgresStore::read_alone(const Statement& statement) {
  try {
    return std::move(primary_->run({{{&statement, Values{}}}}).results.front());
  } catch (const postgres::Unavailable& error) {
    complain(schema_.shown, error);
  }
}

Outcome PostgresStore::add_domain(const std::string& name) {
  Outcome outcome{};
  write_alone([&](Connection& over, Deadline deadline) {
    outcome = write_domain({over, deadline}, name);
  });
  return outcome;
}

Outcome PostgresStore::add_user(const NewUser& user) {
  Outcome outcome{};
  write_alone([&](Connection& over, Deadline deadline) {
    outcome = write_user({over, deadline}, user);
  });
  return outcome;
}

Outcome PostgresStore::disable_user(const std::string& domain, const std::string& name) {
  Outcome outcome{};
  write_alone([&](Connection& over, Deadline deadline) {
    const Writing to{over, deadline};
    const auto owner = find(to, domain);
    outcome = !owner                                                 ? Outcome::no_domain
              : to.run(disable_account, *owner, name).changed() == 1 ? Outcome::done
                                                                     : Outcome::no_user;
  });
  return outcome;
}

Outcome PostgresStore::rotate_token(
    const std::string& domain, const std::string& name, const Digest& api_token) {
  Outcome outcome{};
  write_alone([&](Connection& over, Deadline deadline) {
    const Writing to{over, deadline};
    const auto owner = find(to, domain);
    outcome = owner ? Outcome::no_user : Outcome::no_domain;
    if (!owner || to.run(replace_api_token, *owner, name, api_token).changed() != 1) return;
    to.run(revoke_issued_tokens, *owner, name);
    outcome = Outcome::done;
  });
  return outcome;
}

Outcome PostgresStore::add_employee(const std::string& domain, std::int32_t& id) {
  Outcome outcome{};
  const std::int32_t wanted = id;
  write_alone([&](Connection& over, Deadline deadline) {
    outcome = write_owned({over, deadline}, employees, domain, id = wanted);
  });
  return outcome;
}

Outcome PostgresStore::add_debtor(const std::string& domain, std::int32_t& id) {
  Outcome outcome{};
  const std::int32_t wanted = id;
  write_alone([&](Connection& over, Deadline deadline) {
    outcome = write_owned({over, deadline}, debtors, domain, id = wanted);
  });
  return outcome;
}

Outcome PostgresStore::add_webhook(const NewWebhook& webhook, std::int32_t& id) {
  Outcome outcome{};
  write_alone([&](Connection& over, Deadline deadline) {
    outcome = write_webhook({over, deadline}, webhook, id);
  });
  return outcome;
}

std::vector<std::string> PostgresStore::list_domains() {
  std::vector<std::string> names;
  for (Rows rows = read_alone(domain_names); rows.next();)
    names.push_back(rows.text(0));
  return names;
}

std::vector<AdminStore::UserRow> PostgresStore::list_users() {
  std::vector<UserRow> found;
  for (Rows rows = read_alone(all_accounts); rows.next();)
    found.push_back({rows.text(0), rows.text(1), rows.flag(2)});
  return found;
}

std::vector<AdminStore::CostRow> PostgresStore::list_costs() {
  std::vector<CostRow> found;
  for (Rows rows = read_alone(all_costs); rows.next();)
    found.push_back({rows.big(0), rows.big(1), rows.big(2), rows.flag(3), rows.big(4)});
  return found;
}

namespace {

std::vector<AdminStore::OwnedRow> read_owned(Rows rows) {
  std::vector<AdminStore::OwnedRow> found;
  while (rows.next())
    found.push_back({rows.text(0), rows.number(1)});
  return found;
}

}  // namespace

std::vector<AdminStore::OwnedRow> PostgresStore::list_employees() {
  return read_owned(read_alone(all_employees));
}

std::vector<AdminStore::OwnedRow> PostgresStore::list_debtors() {
  return read_owned(read_alone(all_debtors));
}

std::vector<AdminStore::WebhookRow> PostgresStore::list_webhooks() {
  std::vector<WebhookRow> found;
  for (Rows rows = read_alone(all_webhooks); rows.next();)
    found.push_back(
        {rows.text(0),
         rows.number(1),
         rows.number(2),
         rows.text(3),
         rows.text(4),
         rows.flag(5),
         rows.text(6)});
  return found;
}

bool PostgresStore::is_empty() {
  Rows rows = read_alone(has_no_domain);
  return rows.next() && rows.flag(0);
}

bool PostgresStore::fill(const Seed& seed) {
  bool filled = false;
  write_alone([&](Connection& over, Deadline deadline) {
    const Writing to{over, deadline};
    filled = holds_nothing(to);
    if (filled) write_seed(to, seed);
  });
  return filled;
}

void PostgresStore::backup(const std::string&) {
  throw std::runtime_error(
      schema_.shown +
      " is not copied by payroll; use pg_dump, or pg_basebackup as in example/README.md");
}

void PostgresStore::grant(const std::string& role) {
  try {
    write_alone([&](Connection& over, Deadline deadline) {
      const std::vector<std::string> grants = postgres::grants_for(role, over, deadline);
      for (const std::string& each : grants)
        over.execute(each, deadline);
      // GRANT by a role without grant rights can succeed with a warning and change nothing.
      Rows rows = over.run(may_use_schema, Values{role}, deadline);
      if (rows.next() && !rows.flag(0))
        throw std::runtime_error(
            "nothing was granted to '" + role +
            "', because this role may not grant USAGE on the schema; run `" + grants.front() +
            "` as the owner of the schema, and then this command again");
    });
  } catch (const postgres::Refused& refused) {
    const bool unknown = refused.is("42704");
    throw std::runtime_error(
        "nothing was granted to '" + role + "': " + refused.what() + "; " +
        (unknown ? "create the role first, as in: CREATE ROLE payroll LOGIN"
                 : "run `payroll migrate` as the owner of the tables"));
  }
}
