// Copies a whole PostgreSQL database to another database, and back.
#include "store/postgres/store.hpp"

using postgres::Connection;
using postgres::Deadline;
using postgres::Rows;
using postgres::Statement;
using postgres::Values;

namespace {

/// The statements that read and write one table. The columns are in the order of CopyTable's
/// documentation. Ids are selected as numbers, because a bare `id` would name the selected text.
struct Copied {
  const char* select;
  Statement insert;
};

constexpr std::array<Copied, copy_tables> copied{
    Copied{
        "SELECT id::text, name FROM domain ORDER BY domain.id",
        {"copy_domain", "INSERT INTO domain (id, name) VALUES (($1::text)::bigint, $2)"}},
    Copied{
        R"sql(SELECT id::text, domain_id::text, name, password_salt, password_hash,
                         scrypt_n::text, scrypt_r::text, scrypt_p::text, api_token_digest,
                         disabled::integer::text
                  FROM account ORDER BY account.id)sql",
        {"copy_account",
         R"sql(INSERT INTO account (id, domain_id, name, password_salt, password_hash, scrypt_n,
                                        scrypt_r, scrypt_p, api_token_digest, disabled)
                   VALUES (($1::text)::bigint, ($2::text)::bigint, $3, $4, $5, ($6::text)::bigint,
                           ($7::text)::bigint, ($8::text)::bigint, $9, ($10::text) = '1'))sql"}},
    Copied{
        "SELECT id::text, domain_id::text FROM employee ORDER BY employee.id",
        {"copy_employee",
         R"sql(INSERT INTO employee (id, domain_id)
                   VALUES (($1::text)::integer, ($2::text)::bigint))sql"}},
    Copied{
        R"sql(SELECT id::text, domain_id::text, employee_id::text, is_default::integer::text,
                         street, house_number, house_number_addition, postal_code, city,
                         state_province, country_iso_code, type::text,
                         to_char(first_day, 'YYYY-MM-DD'), to_char(last_day, 'YYYY-MM-DD')
                  FROM address ORDER BY address.id)sql",
        {"copy_address",
         R"sql(INSERT INTO address (id, domain_id, employee_id, is_default, street,
                                        house_number, house_number_addition, postal_code, city,
                                        state_province, country_iso_code, type, first_day, last_day)
                   VALUES (($1::text)::integer, ($2::text)::bigint, ($3::text)::integer,
                           ($4::text) = '1', $5, $6, $7, $8, $9, $10, $11, ($12::text)::integer,
                           ($13::text)::date, ($14::text)::date))sql"}},
    Copied{
        "SELECT id::text, domain_id::text FROM debtor ORDER BY debtor.id",
        {"copy_debtor",
         R"sql(INSERT INTO debtor (id, domain_id)
                   VALUES (($1::text)::integer, ($2::text)::bigint))sql"}},
    Copied{
        R"sql(SELECT id::text, domain_id::text, debtor_id::text, name, endpoint,
                         active::integer::text
                  FROM webhook_setting ORDER BY webhook_setting.id)sql",
        {"copy_webhook_setting",
         R"sql(INSERT INTO webhook_setting (id, domain_id, debtor_id, name, endpoint, active)
                   VALUES (($1::text)::integer, ($2::text)::bigint, ($3::text)::integer, $4, $5,
                           ($6::text) = '1'))sql"}},
    Copied{
        R"sql(SELECT setting_id::text, domain_id::text, debtor_id::text, event_id::text,
                         active::integer::text
                  FROM webhook_event ORDER BY webhook_event.setting_id, webhook_event.event_id)sql",
        {"copy_webhook_event",
         R"sql(INSERT INTO webhook_event (setting_id, domain_id, debtor_id, event_id, active)
                   VALUES (($1::text)::integer, ($2::text)::bigint, ($3::text)::integer,
                           ($4::text)::integer, ($5::text) = '1'))sql"}},
    Copied{
        R"sql(SELECT 'address', CASE WHEN is_called THEN last_value ELSE 0 END::text
                  FROM address_id_seq
                  UNION ALL SELECT 'debtor', CASE WHEN is_called THEN last_value ELSE 0 END::text
                  FROM debtor_id_seq
                  UNION ALL SELECT 'domain', CASE WHEN is_called THEN last_value ELSE 0 END::text
                  FROM domain_id_seq
                  UNION ALL SELECT 'employee', CASE WHEN is_called THEN last_value ELSE 0 END::text
                  FROM employee_id_seq
                  UNION ALL SELECT 'user', CASE WHEN is_called THEN last_value ELSE 0 END::text
                  FROM account_id_seq
                  UNION ALL
                  SELECT 'webhook_setting', CASE WHEN is_called THEN last_value ELSE 0 END::text
                  FROM webhook_setting_id_seq
                  ORDER BY 1)sql",
        {"copy_last_id",
         R"sql(SELECT setval(CASE $1::text WHEN 'user' THEN 'account' ELSE $1::text END
                                     || '_id_seq',
                                 greatest(($2::text)::bigint, 1), ($2::text)::bigint > 0))sql"}}};

constexpr Statement nothing_there{"nothing_there", "SELECT NOT EXISTS (SELECT 1 FROM domain)"};
/// Finds a table of the database that is not in `copied`. Partitions belong to their table.
constexpr const char* others =
    R"sql(SELECT relname::text FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
              AND NOT relispartition
              AND relname NOT IN ('domain', 'account', 'employee', 'address', 'debtor',
                                  'webhook_setting', 'webhook_event', 'event_kind',
                                  'issued_token', 'token_epoch', 'token_clock', 'guess',
                                  'insert_key', 'pulse', 'nonce', 'nonce_forgotten',
                                  'payroll_schema')
          LIMIT 1)sql";
constexpr std::size_t rows_at_once = 500;
constexpr std::chrono::hours patience{24};

/// Removes the timeouts of the transaction, because each end of a copy waits for the other.
void take_time(Connection& session, Deadline deadline) {
  session.execute("SET LOCAL statement_timeout = 0", deadline);
  session.execute("SET LOCAL idle_in_transaction_session_timeout = 0", deadline);
}

void send_table(Connection& from, CopyTable table, const CopySink& take, Deadline deadline) {
  const Copied& how = copied[static_cast<std::size_t>(table)];
  from.execute(std::string("DECLARE rows NO SCROLL CURSOR FOR ") + how.select, deadline);
  for (;;) {
    Rows rows = from.execute("FETCH " + std::to_string(rows_at_once) + " FROM rows", deadline);
    if (rows.size() == 0) break;
    while (rows.next()) {
      CopyRow row;
      for (int column = 0; column != rows.columns(); ++column)
        row.push_back(rows.maybe_text(column));
      take(table, row);
    }
  }
  from.execute("CLOSE rows", deadline);
}

/// Sends rows, a few hundred in each round trip.
class Receiver {
public:
  Receiver(Connection& to, Deadline deadline) : to_(to), deadline_(deadline) {}

  void take(CopyTable table, const CopyRow& row) {
    const Copied& how = copied[static_cast<std::size_t>(table)];
    Values values;
    for (const CopyValue& value : row)
      values.add(value);
    to_.send(how.insert, values);
    if (++waiting_ == rows_at_once) flush();
  }
  void flush() {
    to_.sync();
    for (; waiting_ != 0; --waiting_)
      to_.receive(deadline_);
    to_.receive_sync(deadline_);
  }

private:
  Connection& to_;
  Deadline deadline_;
  std::size_t waiting_ = 0;
};

}  // namespace

void PostgresStore::send_all(const CopySink& take) {
  const auto read = [&](Connection& from, Deadline) {
    const Deadline deadline = std::chrono::steady_clock::now() + patience;
    from.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", deadline);
    take_time(from, deadline);
    if (Rows rows = from.execute(others, deadline); rows.next()) throw UncopiedTable(rows.text(0));
    for (std::size_t table = 0; table != copy_tables; ++table)
      send_table(from, static_cast<CopyTable>(table), take, deadline);
    from.execute("COMMIT", deadline);
  };
  primary_->borrow(read, options_.timeout);
  if (alone_ && !alone_->is_alive())
    throw std::runtime_error(
        schema_.shown +
        " closed the connection during the copy, and others may have written meanwhile; "
        "nothing was copied");
}

bool PostgresStore::receive_all(const std::function<void(const CopySink&)>& give) {
  bool empty = false;
  const auto write = [&](Connection& to, Deadline) {
    const Deadline deadline = std::chrono::steady_clock::now() + patience;
    take_time(to, deadline);
    Rows rows = to.run(nothing_there, Values{}, deadline);
    empty = rows.next() && rows.flag(0);
    if (!empty) return;
    Receiver receiver(to, deadline);
    give([&](CopyTable table, const CopyRow& row) { receiver.take(table, row); });
    receiver.flush();
  };
  write_alone(write, patience);
  return empty;
}
