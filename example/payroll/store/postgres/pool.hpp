// Connections that many threads share. Whoever finds a connection free leads: it sends its own
// statements and those that wait, in one pipeline, and hands out the results. So a call alone costs
// no switch of threads, and under load round trips, and commits, are shared.
//
// Rejected: a connection for each waiting call. On the machine of the benchmarks the server's own
// work for a read is a fifth of what it spends on waking up for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "store/postgres/connection.hpp"

namespace postgres {

/// The database did not do it before the deadline.
class Unavailable : public std::runtime_error {
public:
  enum class Kind {
    silent,  ///< it does not answer
    full  ///< it answers, and takes no writes: its disk is full, for instance
  };

  Unavailable(const std::string& why, bool in_doubt, Kind kind = Kind::silent)
      : std::runtime_error(why), in_doubt_(in_doubt), kind_(kind) {}
  /// Whether it may have been done all the same.
  bool is_in_doubt() const { return in_doubt_; }
  bool is_full() const { return kind_ == Kind::full; }

private:
  bool in_doubt_;
  Kind kind_;
};

/// A statement with its values.
struct Step {
  const Statement* statement;
  Values values;
};
using Steps = std::vector<Step>;

/// A read, or a write that may be done again without harm.
struct Work {
  Steps steps;
  /// What to do instead once it is not known whether `steps` were committed: the same, in a form
  /// that does nothing where they were, followed by a write. Empty: `steps` are such a form.
  Steps in_doubt = {};
  /// Writes that lock the same rows have the same; those of a group are done in its order, so that
  /// two groups seldom wait for each other in a circle.
  std::int64_t order = 0;
};

/// An event that one thread waits for and another thread gives. It has its own mutex. With the mutex of
/// the pool, all threads that one round trip has served would wait for that mutex when they wake.
class Signal {
public:
  void give() {
    {
      const std::lock_guard lock(mutex_);
      given_ = true;
    }
    changed_.notify_one();
  }
  /// False: it was not given before the deadline.
  bool wait_until(Deadline deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline, [this] { return given_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool given_ = false;
};

/// What came of it, a result for each step.
struct Done {
  std::vector<Rows> results;
  bool was_in_doubt = false;  ///< the results are those of `in_doubt`
};

struct PoolOptions {
  Address address;
  ServerKind kind = ServerKind::primary;
  bool writes = false;  ///< a group is one transaction
  std::size_t connections = 4;
  std::size_t group = 16;  ///< that share a round trip, at most
  std::size_t waiting = 4096;  ///< that may wait; more are refused
  std::chrono::milliseconds timeout{5000};  ///< how long a call may take
  bool insists =
      true;  ///< lost connections are made again until the deadline; else callers are told
  /// Called before a connection is made: all others are in use, or were lost.
  std::function<void()> disconnected = {};
  /// Makes a new connection fit for use.
  std::function<void(Connection&, Deadline)> prepare = {};
};

class Pool {
public:
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Does the work before the pool's timeout. Conflicts with others are tried again, a few times;
  /// so are lost connections. Throws Unavailable, or what the server refused.
  Done run(Work work) { return run(std::move(work), options_.timeout); }
  Done run(Work work, std::chrono::milliseconds timeout);

  /// A transaction with a connection for itself, tried again like the above; `body` may run more
  /// than once. For operators: nobody else's statements get in between. The commit may take
  /// `commit_timeout`, also when the body has used up `timeout`.
  void transaction(
      const std::function<void(Connection&, Deadline)>& body,
      std::chrono::milliseconds timeout,
      std::chrono::milliseconds commit_timeout = {});

  /// A connection for a moment, outside any transaction.
  void borrow(
      const std::function<void(Connection&, Deadline)>& use, std::chrono::milliseconds timeout);

private:
  struct Task {
    enum class State {
      waiting,
      running,  ///< its leader's; else whoever holds the mutex, or was called, may look at it
      done,
      failed,  ///< refused, by itself
      again,  ///< not done, for a reason that is not its own
      lost,  ///< done or not: the connection went away
      unreached  ///< not done: there was no connection
    };

    std::shared_ptr<const Work> work;  // its owner may go before the end
    bool in_doubt = false;
    Deadline deadline{};
    State state = State::waiting;
    bool leads = false;
    std::vector<Rows> results;
    std::exception_ptr error;
    Signal called;  ///< to lead, or because it is over

    const Steps& steps() const {
      return in_doubt && !work->in_doubt.empty() ? work->in_doubt : work->steps;
    }
  };
  using Tasks = std::vector<std::shared_ptr<Task>>;

  void enter(Deadline deadline);
  void throw_unless_conflict(const Refused& refused, bool in_doubt, int conflicts) const;
  std::string last_problem();
  void note_problem(const std::string& what);
  Task::State submit(const std::shared_ptr<Task>& task);
  Task::State lead(const std::shared_ptr<Task>& task);
  std::shared_ptr<Task> pass_on();
  Tasks gather(const std::shared_ptr<Task>& first);
  void exchange(Connection& over, const Tasks& tasks, Deadline deadline);
  static bool collect(Connection& over, Task& task, Deadline deadline);
  void settle(const Tasks& tasks, bool undone, const std::exception_ptr& refused_group);
  std::unique_ptr<Connection> take_idle();
  void give_back(std::unique_ptr<Connection> connection) noexcept;
  void wait_for_turn(Deadline deadline);
  std::unique_ptr<Connection> obtain(Deadline deadline);

  PoolOptions options_;
  std::mutex mutex_;
  struct Borrower {
    std::condition_variable changed;
    bool granted = false;
  };
  std::deque<Borrower*> borrowers_;  // who wait for a connection for themselves
  bool borrower_is_next_ = false;  // they and the queue take turns
  std::deque<std::shared_ptr<Task>> queue_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t leaders_ = 0;
  std::size_t preferred_ = 0;  // the host that served last
  std::string problem_;  // what kept the last one from success
  std::chrono::milliseconds pause_{0};  // before the next attempt to connect
  Deadline next_attempt_{};
};

}  // namespace postgres
