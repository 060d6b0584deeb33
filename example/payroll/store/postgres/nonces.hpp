// The nonces of UsernameTokens in PostgreSQL, seen by all processes: see soapsvc::replay_cache.
#pragma once

#include <atomic>
#include <mutex>

#include "soapsvc.hpp"
#include "store/postgres/pool.hpp"
#include "store/store.hpp"

namespace postgres {

class SharedNonces final : public soapsvc::replay_cache {
public:
  /// The number of nonces that are kept. It may be exceeded a little: they are counted now and
  /// then, and callers that have fewer than a hundredth of the room are served when it is full.
  static constexpr std::int64_t usual_room = 1'000'000;

  /// The pool outlives it. `fail` throws what the caller is told.
  SharedNonces(
      Pool& writer, std::function<void(const Unavailable&)> fail, std::int64_t room = usual_room)
      : writer_(writer), fail_(std::move(fail)), room_(room) {}

  /// A message is served when its nonce is on disk. Those whose time is over are forgotten an hour
  /// later, by when processes whose clocks differ agree that it is; and nothing of a time is fresh
  /// that nonces were forgotten of, if a clock is set back.
  /// Throws what `fail` throws when the database does not do it in time.
  soapsvc::replay_result remember(
      std::string_view caller,
      std::string_view key,
      std::chrono::sys_seconds until,
      std::chrono::sys_seconds now) override;

private:
  bool is_full(std::chrono::sys_seconds now);
  bool has_its_share(std::string_view caller);
  bool keep(std::string_view caller, std::string_view key, std::chrono::sys_seconds until);
  void forget(std::chrono::sys_seconds now);

  Pool& writer_;
  std::function<void(const Unavailable&)> fail_;
  std::int64_t room_;
  std::atomic<unsigned> kept_{0};
  std::atomic<bool> full_{false};
  std::mutex counting_;
};

}  // namespace postgres
