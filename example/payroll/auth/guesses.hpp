// Bounds how often passwords are tried: for one user, and from one network.
//
// Attempts to sign on wait for turns in lanes. The turns of a lane come at intervals that grow with
// its failures. An attacker must not delay the real user, so there are several lanes:
//
// - A user, a domain and a network together have a lane.
//
// - All unknown networks that try one user name share two lanes: one for networks with few
// failures, and one for the others. So a user at a new place does not wait behind attackers.
//
// - A network that tries many users has a lane.
//
// An attempt from a network that is known to the user waits in the first lane only, so other
// networks cannot delay it. A user of the same name in another domain does not make the network
// known.
//
// So a right password is always checked. It is checked at once if the user signed on from this
// network in the last 30 days, and no attacks come from there. With attacks from there, it is
// checked within half a second for each waiting attempt. From a new network, it is checked within a
// second for each network that attacks.
//
// A turn is reserved before the password is checked, whether the user exists or not. Two other
// designs are worse. Locking a user after some failures lets any caller lock out any user. Delaying
// only the responses to wrong passwords leaves guesses on concurrent connections unbounded.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "store/store.hpp"

/// When turns are given.
struct GuessLimits {
  unsigned free_of_pair = 5;  ///< failures of a user, domain and network without any waiting
  unsigned newcomer = 2;  ///< with fewer failures of user and network, it is a newcomer
  unsigned free_of_many = 20;  ///< of one user from all networks, or of one network for all users
  std::chrono::milliseconds first_interval{50};  ///< doubled with each further failure
  std::chrono::milliseconds longest_interval{500};
  std::chrono::milliseconds patience{30'000};  ///< maximum wait for a turn
};

/// When a password may be checked.
struct Turn {
  std::chrono::nanoseconds wait{};
  bool is_known = false;  ///< the user signed on from this network before
};

/// Gives turns, and counts their results. `domain` is the domain that the attempt names; "": none.
class Guesses {
public:
  /// Both arguments must outlive this object.
  Guesses(GuessStore& store, const GuessLimits& limits) : store_(store), limits_(limits) {}

  /// Reserves a turn for an attempt with this user name from this network. nullopt: the wait would
  /// be longer than `patience`. No turn is reserved then, and the caller should try again later.
  std::optional<Turn> reserve(
      const std::string& user,
      const std::string& network,
      std::chrono::nanoseconds patience,
      const std::string& domain = {});

  /// The password was right: the network is known to the user of this domain from now on. Do not
  /// call it for a sign-on without a domain if several users have the name.
  void succeeded(
      const std::string& user, const std::string& network, const std::string& domain = {});

  /// The password was wrong, or there is no such user.
  void failed(const std::string& user, const std::string& network, const std::string& domain = {});

private:
  std::chrono::nanoseconds reserve(GuessRows& rows, std::chrono::nanoseconds now) const;
  std::chrono::nanoseconds interval(unsigned failures, unsigned free) const;

  GuessStore& store_;
  const GuessLimits& limits_;
};

/// Keeps the latest rows of each kind in the memory of this process.
class GuessMemory final : public GuessStore {
public:
  /// `clock` is monotonic. At most `rows` rows are kept of each kind.
  GuessMemory(std::function<std::chrono::nanoseconds()> clock, std::size_t rows);

  void change(
      const GuessKeys& keys,
      const std::function<bool(GuessRows& rows, std::chrono::nanoseconds now)>& change) override;

private:
  struct Kept {
    Digest key{};
    GuessRow row;
  };
  /// The salt prevents names that are chosen to fall into one bucket.
  struct Hash {
    std::size_t salt;
    std::size_t operator()(const Digest& key) const noexcept;
  };
  struct Table {
    explicit Table(std::size_t salt) : index(0, Hash{salt}) {}
    std::list<Kept> rows;  // the row that was changed longest ago comes first
    std::unordered_map<Digest, std::list<Kept>::iterator, Hash> index;
  };

  static GuessRow find(const Table& table, const Digest& key);
  void keep(Table& table, GuessKind kind, const Kept& kept);
  static void drop(Table& table, std::list<Kept>::iterator kept);

  std::function<std::chrono::nanoseconds()> clock_;
  std::size_t most_;
  std::mutex mutex_;
  std::array<Table, guess_kinds> tables_;
};
