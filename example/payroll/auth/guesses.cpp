#include "auth/guesses.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "auth/auth.hpp"

namespace {

using std::chrono::nanoseconds;

GuessRow& row_of(GuessRows& rows, GuessKind kind) { return rows[static_cast<std::size_t>(kind)]; }

/// The kind is part of the key, so that one table can hold all kinds. The domain is part of two
/// keys, because a success in one domain must not count for a user of that name in another.
GuessKeys keys_of(const std::string& user, const std::string& network, const std::string& domain) {
  const auto key = [](GuessKind kind, const std::string& whose, const std::string& where) {
    const std::string which = std::to_string(static_cast<int>(kind)) + ':';
    return digest_of(which + std::to_string(whose.size()) + ':' + whose + where);
  };
  const std::string account = std::to_string(user.size()) + ':' + user + domain;
  return {
      key(GuessKind::known, account, network),
      key(GuessKind::pair, account, network),
      key(GuessKind::user, user, ""),
      key(GuessKind::newcomers, user, ""),
      key(GuessKind::network, "", network),
      key(GuessKind::guesser, user, network)};
}

/// True if the row is still valid. If the clock went back, the machine has restarted, and no row is
/// valid.
bool is_kept(GuessKind kind, const GuessRow& row, nanoseconds now) {
  return now >= row.last && now - row.last < guesses_kept(kind);
}

unsigned failures_in(GuessRows& rows, GuessKind kind, nanoseconds now) {
  const GuessRow& row = row_of(rows, kind);
  return is_kept(kind, row, now) ? row.failures : 0;
}

void count_in(GuessRows& rows, GuessKind kind, nanoseconds now) {
  GuessRow& row = row_of(rows, kind);
  const unsigned failures = failures_in(rows, kind, now);
  row.failures = std::min(failures, 1'000'000U) + 1;
  row.last = now;
}

}  // namespace

// --- Turns ---------------------------------------------------------------------------------------

nanoseconds Guesses::interval(unsigned failures, unsigned free) const {
  if (failures < free) return nanoseconds(0);
  const unsigned doublings = std::min(failures - free, 16U);
  return std::min(limits_.first_interval * (1 << doublings), limits_.longest_interval);
}

/// Reserves the next turn of each lane, and returns the longest wait.
nanoseconds Guesses::reserve(GuessRows& rows, nanoseconds now) const {
  nanoseconds wait{0};
  const auto queue = [&](GuessKind lane, nanoseconds interval) {
    if (interval.count() == 0) return;
    GuessRow& row = row_of(rows, lane);
    const nanoseconds turn = is_kept(lane, row, now) ? std::max(now, row.next_turn) : now;
    row = {failures_in(rows, lane, now), now, turn + interval};
    wait = std::max(wait, turn - now);
  };
  const unsigned of_pair = failures_in(rows, GuessKind::pair, now);
  queue(GuessKind::pair, interval(of_pair, limits_.free_of_pair));
  if (failures_in(rows, GuessKind::known, now) != 0) return wait;
  const unsigned of_guesser = failures_in(rows, GuessKind::guesser, now);
  const bool is_new = of_guesser < limits_.newcomer;
  const unsigned of_user = failures_in(rows, GuessKind::user, now);
  const unsigned of_network = failures_in(rows, GuessKind::network, now);
  queue(is_new ? GuessKind::newcomers : GuessKind::user, interval(of_user, limits_.free_of_many));
  queue(GuessKind::network, interval(of_network, limits_.free_of_many));
  return wait;
}

std::optional<Turn> Guesses::reserve(
    const std::string& user,
    const std::string& network,
    nanoseconds patience,
    const std::string& domain) {
  Turn turn;
  store_.change(keys_of(user, network, domain), [&](GuessRows& rows, nanoseconds now) {
    turn = {reserve(rows, now), failures_in(rows, GuessKind::known, now) != 0};
    const bool in_a_lane = std::any_of(
        rows.begin(), rows.end(), [&](const GuessRow& row) { return row.next_turn > now; });
    return in_a_lane && turn.wait <= patience;
  });
  return turn.wait <= patience ? std::optional(turn) : std::nullopt;
}

/// The counts of the user and of the network stay, because other callers share them.
void Guesses::succeeded(
    const std::string& user, const std::string& network, const std::string& domain) {
  store_.change(keys_of(user, network, domain), [](GuessRows& rows, nanoseconds now) {
    GuessRow& known = row_of(rows, GuessKind::known);
    GuessRow& pair = row_of(rows, GuessKind::pair);
    // The row is renewed once a day, so that most sign-ons write nothing.
    const bool fresh =
        failures_in(rows, GuessKind::known, now) != 0 && now - known.last < std::chrono::hours(24);
    if (fresh && pair.failures == 0) return false;
    known = {1, now, {}};
    pair = {0, now, pair.next_turn};  // turns that were already given stay reserved
    return true;
  });
}

void Guesses::failed(
    const std::string& user, const std::string& network, const std::string& domain) {
  store_.change(keys_of(user, network, domain), [](GuessRows& rows, nanoseconds now) {
    count_in(rows, GuessKind::pair, now);
    count_in(rows, GuessKind::guesser, now);
    count_in(rows, GuessKind::network, now);
    // A known network is most likely the user's own, so its failures do not delay other networks.
    if (failures_in(rows, GuessKind::known, now) == 0) count_in(rows, GuessKind::user, now);
    return true;
  });
}

// --- GuessMemory ---------------------------------------------------------------------------------

namespace {

std::size_t random_salt() {
  std::size_t salt = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&salt), sizeof salt) != 1)
    throw std::runtime_error("the system gives no random numbers");
  return salt;
}

}  // namespace

GuessMemory::GuessMemory(std::function<nanoseconds()> clock, std::size_t rows)
    : clock_(std::move(clock)),
      most_(rows),
      tables_{
          Table(random_salt()),
          Table(random_salt()),
          Table(random_salt()),
          Table(random_salt()),
          Table(random_salt()),
          Table(random_salt())} {}

std::size_t GuessMemory::Hash::operator()(const Digest& key) const noexcept {
  std::array<char, sizeof salt + std::tuple_size_v<Digest>> bytes{};
  std::memcpy(bytes.data(), &salt, sizeof salt);
  std::memcpy(bytes.data() + sizeof salt, key.data(), key.size());
  return std::hash<std::string_view>()({bytes.data(), bytes.size()});
}

GuessRow GuessMemory::find(const Table& table, const Digest& key) {
  const auto found = table.index.find(key);
  return found == table.index.end() ? GuessRow{} : found->second->row;
}

void GuessMemory::drop(Table& table, std::list<Kept>::iterator kept) {
  table.index.erase(kept->key);
  table.rows.erase(kept);
}

void GuessMemory::keep(Table& table, GuessKind kind, const Kept& kept) {
  if (const auto old = table.index.find(kept.key); old != table.index.end())
    drop(table, old->second);
  while (!table.rows.empty() &&
         (table.rows.size() >= most_ || !is_kept(kind, table.rows.front().row, kept.row.last)))
    drop(table, table.rows.begin());
  table.rows.push_back(kept);
  try {
    table.index.emplace(kept.key, std::prev(table.rows.end()));
  } catch (...) {
    table.rows.pop_back();
    throw;
  }
}

void GuessMemory::change(
    const GuessKeys& keys, const std::function<bool(GuessRows& rows, nanoseconds now)>& change) {
  const std::lock_guard lock(mutex_);
  const nanoseconds now = clock_();
  GuessRows rows;
  for (std::size_t each = 0; each != guess_kinds; ++each)
    rows[each] = find(tables_[each], keys[each]);
  if (!change(rows, now)) return;
  for (std::size_t each = 0; each != guess_kinds; ++each)
    if (rows[each].last == now)
      keep(tables_[each], static_cast<GuessKind>(each), {keys[each], rows[each]});
}
