// Bounds how often passwords are tried: for one user, and from one network.
//
// A password can be looked at only so often, and whoever waits for that must not be kept waiting by a
// stranger. So attempts wait in lanes, a turn each, and the turns of a lane come at intervals that grow
// with its failures. A user, a domain and a network have a lane of their own. What all networks together
// try on one user name shares two more: one for networks that have hardly failed, so that somebody who
// signs on from a new place is not behind those who attack; and one for the others. A network that tries
// many users has one as well. Who signed on from a network before is in the first lane only: no other
// network can slow them down. A user of the same name in another domain has no part in this trust.
//
// So the right password is looked at, whatever others do: at once, from a network that the user has
// signed on from in the last 30 days and that does not attack; within half a second for each attempt
// that waits, from one that does; and from a new one, within a second for each network that attacks.
//
// A turn is reserved before the password is looked at, whether such a user exists or not. Rejected: to
// lock a user after so many failures, which lets anybody lock anybody out; and to slow down only the
// answers to wrong passwords, which leaves the guesses of many connections at once unbounded.
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
  unsigned newcomer = 2;  ///< with fewer failures of a user and network, an attempt is a newcomer's
  unsigned free_of_many = 20;  ///< of one user from all networks, or of one network for all users
  std::chrono::milliseconds first_interval{50};  ///< doubled with each further failure
  std::chrono::milliseconds longest_interval{500};
  std::chrono::milliseconds patience{30'000};  ///< how far away a turn may be
};

/// When a password may be looked at.
struct Turn {
  std::chrono::nanoseconds wait{};
  bool is_known = false;  ///< the user signed on from this network before
};

/// Gives turns, and counts what became of them. The attempt names `domain`; "": none.
class Guesses {
public:
  /// Both outlive it.
  Guesses(GuessStore& store, const GuessLimits& limits) : store_(store), limits_(limits) {}

  /// How long an attempt with this user name from this network must wait before its password may be
  /// looked at. nullopt: longer than `patience`; it has no turn then, and should be told to try
  /// again later.
  std::optional<Turn> reserve(
      const std::string& user,
      const std::string& network,
      std::chrono::nanoseconds patience,
      const std::string& domain = {});

  /// The password was right: the network is known to the user of this domain from now on. Do not call
  /// it for a sign-on without a domain if several users have the name.
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

/// Keeps the latest rows of each kind in memory: of this process, until it ends.
class GuessMemory final : public GuessStore {
public:
  /// `clock` gives a time that nobody sets; at most `rows` are kept of each kind.
  GuessMemory(std::function<std::chrono::nanoseconds()> clock, std::size_t rows);

  void change(
      const GuessKeys& keys,
      const std::function<bool(GuessRows& rows, std::chrono::nanoseconds now)>& change) override;

private:
  struct Kept {
    Digest key{};
    GuessRow row;
  };
  /// Salted: nobody can choose names that fall into one bucket.
  struct Hash {
    std::size_t salt;
    std::size_t operator()(const Digest& key) const noexcept;
  };
  struct Table {
    explicit Table(std::size_t salt) : index(0, Hash{salt}) {}
    std::list<Kept> rows;  // the longest unchanged first
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
