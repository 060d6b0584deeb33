// Failed sign-ons in PostgreSQL, counted over all processes.
#pragma once

#include <atomic>

#include "store/postgres/pool.hpp"
#include "store/store.hpp"

namespace postgres {

class SharedGuesses final : public GuessStore {
public:
  /// Both outlive it. `fail` throws what the caller of a sign-on is told.
  SharedGuesses(
      Pool& reader,
      Pool& writer,
      std::chrono::milliseconds timeout,
      std::function<void(const Unavailable&)> fail)
      : reader_(reader), writer_(writer), timeout_(timeout), fail_(std::move(fail)) {}

  /// By the database's clock. If it was set back by a few seconds, it stands still for rows that are
  /// ahead of it; if by more, these rows are void.
  /// Throws what `fail` throws when the database does not do it in time.
  void change(
      const GuessKeys& keys,
      const std::function<bool(GuessRows& rows, std::chrono::nanoseconds now)>& change) override;

private:
  void change_locked(
      const GuessKeys& keys,
      const std::function<bool(GuessRows& rows, std::chrono::nanoseconds now)>& change);
  bool would_change(
      const GuessKeys& keys,
      const std::function<bool(GuessRows& rows, std::chrono::nanoseconds now)>& change);

  Pool& reader_;
  Pool& writer_;
  std::chrono::milliseconds timeout_;
  std::function<void(const Unavailable&)> fail_;
  std::atomic<unsigned> changes_{0};
};

}  // namespace postgres
