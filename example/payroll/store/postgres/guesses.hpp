// The counts of failed sign-ons in PostgreSQL, shared by all processes.
#pragma once

#include <atomic>

#include "store/postgres/pool.hpp"
#include "store/store.hpp"

namespace postgres {

class SharedGuesses final : public GuessStore {
public:
  /// Both pools must outlive this object. `fail` throws the fault for the caller of a sign-on.
  SharedGuesses(
      Pool& reader,
      Pool& writer,
      std::chrono::milliseconds timeout,
      std::function<void(const Unavailable&)> fail)
      : reader_(reader), writer_(writer), timeout_(timeout), fail_(std::move(fail)) {}

  /// Uses the database's clock. If it was set back by up to 10 seconds, the time stands still until
  /// it reaches the rows. If it was set back further, these rows are invalid. Calls `fail` if the
  /// database does not answer in time.
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
