#include "store/postgres/guesses.hpp"

#include <algorithm>

namespace postgres {

namespace {

using std::chrono::nanoseconds;

constexpr Statement read_guesses{"read_guesses", R"sql(
    SELECT v.kind, coalesce(g.failures, 0), coalesce(g.last, 0), coalesce(g.next_turn, 0),
           (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000
    FROM (VALUES (0, $1::bytea), (1, $2::bytea), (2, $3::bytea), (3, $4::bytea), (4, $5::bytea),
                 (5, $6::bytea)) AS v (kind, key)
    LEFT JOIN guess g ON g.kind = v.kind AND g.key = v.key
    ORDER BY v.kind)sql"};

/// Inserts the missing rows, so that all can be locked. All transactions use this order.
constexpr Statement make_guesses{"make_guesses", R"sql(
    INSERT INTO guess (kind, key, failures, last, next_turn)
    VALUES (0, $1, 0, 0, 0), (1, $2, 0, 0, 0), (2, $3, 0, 0, 0), (3, $4, 0, 0, 0), (4, $5, 0, 0, 0),
           (5, $6, 0, 0, 0)
    ON CONFLICT (kind, key) DO NOTHING)sql"};

constexpr Statement lock_guesses{"lock_guesses", R"sql(
    SELECT kind FROM guess
    WHERE (kind = 0 AND key = $1) OR (kind = 1 AND key = $2) OR (kind = 2 AND key = $3)
        OR (kind = 3 AND key = $4) OR (kind = 4 AND key = $5) OR (kind = 5 AND key = $6)
    ORDER BY kind FOR UPDATE)sql"};

constexpr Statement write_guess{"write_guess", R"sql(
    INSERT INTO guess (kind, key, failures, last, next_turn)
    VALUES ($1::integer, $2, $3, $4, $5)
    ON CONFLICT (kind, key) DO UPDATE
    SET failures = excluded.failures, last = excluded.last, next_turn = excluded.next_turn)sql"};

constexpr Statement forget_guesses{"forget_guesses", R"sql(
    DELETE FROM guess WHERE kind = $1::integer AND key IN (
        SELECT key FROM guess
        WHERE kind = $1::integer
            AND (last < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000 - $2
                OR last > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000 + $3)
        LIMIT 1000 FOR UPDATE SKIP LOCKED))sql"};

constexpr unsigned changes_between_purges = 64;
/// Rows further ahead of the clock are invalid: the clock was set back.
constexpr std::chrono::seconds most_ahead{10};

Values values_of(const GuessKeys& keys) {
  return Values{keys[0], keys[1], keys[2], keys[3], keys[4], keys[5]};
}

/// Reads the rows and returns the time.
nanoseconds read(Rows& rows, GuessRows& found) {
  nanoseconds now{0};
  for (GuessRow& row : found) {
    if (!rows.next()) throw std::runtime_error("the database leaves a count out");
    row = {
        static_cast<std::uint32_t>(rows.big(1)),
        nanoseconds(rows.big(2)),
        nanoseconds(rows.big(3))};
    const nanoseconds clock(rows.big(4));
    if (row.last > clock + most_ahead) row = {};
    now = std::max({now, clock, row.last});
  }
  return now;
}

}  // namespace

/// Most sign-ons change nothing, so the rows are first read without a lock.
bool SharedGuesses::would_change(
    const GuessKeys& keys, const std::function<bool(GuessRows& rows, nanoseconds now)>& change) {
  Done done = reader_.run(Work{{{&read_guesses, values_of(keys)}}});
  GuessRows rows{};
  const nanoseconds now = read(done.results.front(), rows);
  return change(rows, now);
}

void SharedGuesses::change(
    const GuessKeys& keys, const std::function<bool(GuessRows& rows, nanoseconds now)>& change) {
  try {
    if (would_change(keys, change)) change_locked(keys, change);
  } catch (const Unavailable& error) {
    fail_(error);
    throw;
  }
}

void SharedGuesses::change_locked(
    const GuessKeys& keys, const std::function<bool(GuessRows& rows, nanoseconds now)>& change) {
  const auto body = [&](Connection& over, Deadline deadline) {
    over.run(make_guesses, values_of(keys), deadline);
    over.run(lock_guesses, values_of(keys), deadline);
    Rows found = over.run(read_guesses, values_of(keys), deadline);
    GuessRows rows{};
    const nanoseconds now = read(found, rows);
    if (!change(rows, now)) return;
    for (std::size_t kind = 0; kind != guess_kinds; ++kind) {
      const GuessRow& row = rows[kind];
      if (row.last != now) continue;
      const Values values{
          static_cast<std::int32_t>(kind),
          keys[kind],
          static_cast<std::int64_t>(row.failures),
          std::int64_t{row.last.count()},
          std::int64_t{row.next_turn.count()}};
      over.run(write_guess, values, deadline);
    }
  };
  writer_.transaction(body, timeout_);
  if (++changes_ % changes_between_purges != 0) return;
  for (std::size_t kind = 0; kind != guess_kinds; ++kind) {
    const nanoseconds kept = guesses_kept(static_cast<GuessKind>(kind));
    const Values values{
        static_cast<std::int32_t>(kind),
        std::int64_t{kept.count()},
        std::int64_t{nanoseconds(most_ahead).count()}};
    writer_.run(Work{{{&forget_guesses, values}}});
  }
}

}  // namespace postgres
