#include "store/postgres/nonces.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace postgres {

namespace {

/// Does nothing if the key exists. The claim shows which call inserted the row. If the response to
/// a commit is lost and the call is repeated, it must find its own row, not that of another call.
constexpr Statement keep_nonce{"keep_nonce", R"sql(
    INSERT INTO nonce (key, kept_until, claim, caller)
    SELECT $1, $2, $3, $4 FROM nonce_forgotten f WHERE f.id = 1 AND f.kept_until < $2
    ON CONFLICT (key) DO NOTHING)sql"};

/// True if this call stored the nonce, and no nonces of its time were deleted. This is checked
/// after the insert, which may have waited for a transaction that deleted the same nonce.
constexpr Statement look_at_nonce{"look_at_nonce", R"sql(
    SELECT n.claim = $2 AND n.kept_until > f.kept_until
    FROM nonce n, nonce_forgotten f WHERE n.key = $1 AND f.id = 1)sql"};

constexpr Statement forget_nonces{"forget_nonces", R"sql(
    WITH gone AS (
        DELETE FROM nonce WHERE key IN (
            SELECT key FROM nonce WHERE kept_until < $1
            ORDER BY kept_until LIMIT 1000 FOR UPDATE SKIP LOCKED)
        RETURNING kept_until)
    UPDATE nonce_forgotten SET kept_until = (SELECT max(kept_until) FROM gone)
    WHERE id = 1 AND kept_until < (SELECT max(kept_until) FROM gone))sql"};

constexpr Statement count_nonces{"count_nonces", R"sql(
    SELECT count(*) FROM (SELECT 1 FROM nonce LIMIT $1) AS counted)sql"};

constexpr Statement count_share{"count_share", R"sql(
    SELECT count(*) FROM (SELECT 1 FROM nonce WHERE caller = $1 LIMIT $2) AS counted)sql"};

constexpr unsigned kept_between_purges = 64;
constexpr std::chrono::hours kept_longer{1};

/// The count that a statement returns for these values.
std::int64_t count_by(const Statement& statement, Values values, Pool& pool) {
  Done done = pool.run(Work{{{&statement, std::move(values)}}});
  Rows& found = done.results.front();
  return found.next() ? found.big(0) : 0;
}

}  // namespace

soapsvc::replay_result SharedNonces::remember(
    std::string_view caller,
    std::string_view key,
    std::chrono::sys_seconds until,
    std::chrono::sys_seconds now) {
  try {
    if (is_full(now) && has_its_share(caller)) return soapsvc::replay_result::full;
    return keep(caller, key, until) ? soapsvc::replay_result::fresh : soapsvc::replay_result::seen;
  } catch (const Unavailable& error) {
    fail_(error);
    throw;
  }
}

bool SharedNonces::keep(
    std::string_view caller, std::string_view key, std::chrono::sys_seconds until) {
  Key claim{};
  if (RAND_bytes(claim.data(), static_cast<int>(claim.size())) != 1)
    throw std::runtime_error("the system gives no random numbers");
  const std::string bytes(key);
  const auto kept_until = static_cast<std::int64_t>(until.time_since_epoch().count());
  Done done = writer_.run(Work{
      {{&keep_nonce, Values{bytes, kept_until, claim, std::string(caller)}},
       {&look_at_nonce, Values{bytes, claim}}}});
  Rows& found = done.results.back();
  return found.next() && found.flag(0);
}

/// Counts the nonces at one of `kept_between_purges` calls, or at each call while the store is
/// full. Only one thread counts at a time; the others use the last result.
bool SharedNonces::is_full(std::chrono::sys_seconds now) {
  if (!full_ && kept_++ % kept_between_purges != 0) return false;
  const std::unique_lock lock(counting_, std::try_to_lock);
  if (!lock) return full_;
  forget(now);
  full_ = count_by(count_nonces, Values{room_}, writer_) >= room_;
  return full_;
}

bool SharedNonces::has_its_share(std::string_view caller) {
  const std::int64_t share = std::max<std::int64_t>(1, room_ / 100);
  return count_by(count_share, Values{std::string(caller), share}, writer_) >= share;
}

void SharedNonces::forget(std::chrono::sys_seconds now) {
  const auto before = (now - kept_longer).time_since_epoch();
  writer_.run(Work{{{&forget_nonces, Values{static_cast<std::int64_t>(before.count())}}}});
}

}  // namespace postgres
