// The nonces of UsernameTokens in PostgreSQL, shared by all processes: see soapsvc::replay_cache.
#pragma once

#include <atomic>
#include <mutex>

#include "soapsvc.hpp"
#include "store/postgres/pool.hpp"
#include "store/store.hpp"

namespace postgres {

class SharedNonces final : public soapsvc::replay_cache {
public:
  /// The maximum number of nonces. It may be exceeded a little, because they are counted only at
  /// some calls, and because callers with less than a hundredth of it are served even then.
  static constexpr std::int64_t usual_room = 1'000'000;

  /// The pool must outlive this object. `fail` throws the fault for the caller.
  SharedNonces(
      Pool& writer, std::function<void(const Unavailable&)> fail, std::int64_t room = usual_room)
      : writer_(writer), fail_(std::move(fail)), room_(room) {}

  /// Returns once the nonce is on disk. Expired nonces are deleted an hour later, when all
  /// processes agree that they are expired, although their clocks differ. If a clock is set back,
  /// messages of a time with deleted nonces are never fresh. Calls `fail` if the database does not
  /// answer in time.
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
