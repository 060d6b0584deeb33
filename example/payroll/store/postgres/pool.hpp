// Connections that many threads share. A thread that finds a free connection becomes its leader. It
// sends its own statements and the waiting ones in one pipeline, and distributes the results. So a
// single call needs no thread switch, and under load calls share round trips and commits.
//
// A connection for each waiting call was rejected. On the machine of the benchmarks, waking up for
// a read costs the server five times as much as the read itself.
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

/// The database did not complete the call before the deadline.
class Unavailable : public std::runtime_error {
public:
  enum class Kind {
    silent,  ///< it does not answer
    full  ///< it answers but takes no writes: a full disk, for example
  };

  Unavailable(const std::string& why, bool in_doubt, Kind kind = Kind::silent)
      : std::runtime_error(why), in_doubt_(in_doubt), kind_(kind) {}
  /// True if the call may have been executed.
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

/// A read, or a write that is safe to repeat.
struct Work {
  Steps steps;
  /// Sent in place of `steps` when it is unknown whether `steps` were committed. It has no effect
  /// if they were, and ends with a write. Empty: `steps` itself is safe to repeat.
  Steps in_doubt = {};
  /// Writes that lock the same rows have the same `order`. A group is executed in this order, so
  /// that deadlocks between two groups are rare.
  std::int64_t order = 0;
};

/// An event: one thread waits, another one signals. It has its own mutex. With the mutex of the
/// pool, all threads of one round trip would wait for that mutex when they wake.
class Signal {
public:
  void give() {
    {
      const std::lock_guard lock(mutex_);
      given_ = true;
    }
    changed_.notify_one();
  }
  /// False: the deadline has passed first.
  bool wait_until(Deadline deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline, [this] { return given_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool given_ = false;
};

/// The results, one for each step.
struct Done {
  std::vector<Rows> results;
  bool was_in_doubt = false;  ///< the results are those of `in_doubt`
};

struct PoolOptions {
  Address address;
  ServerKind kind = ServerKind::primary;
  bool writes = false;  ///< a group is one transaction
  std::size_t connections = 4;
  std::size_t group = 16;  ///< maximum number of calls in a round trip
  std::size_t waiting = 4096;  ///< maximum number of waiting calls; more are refused
  std::chrono::milliseconds timeout{5000};  ///< how long a call may take
  bool insists = true;  ///< reconnect until the deadline; false: fail at once
  /// Called before a new connection is opened, because the others are in use or lost.
  std::function<void()> disconnected = {};
  /// Prepares a new connection for use.
  std::function<void(Connection&, Deadline)> prepare = {};
};

class Pool {
public:
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Executes the work within the pool's timeout. After conflicts it tries again a few times, and
  /// also after lost connections. Throws Unavailable, or the server's refusal.
  Done run(Work work) { return run(std::move(work), options_.timeout); }
  Done run(Work work, std::chrono::milliseconds timeout);

  /// A transaction on a connection that no other call uses meanwhile, for operators. It is tried
  /// again like the above, so `body` may run more than once. The commit may take `commit_timeout`,
  /// even if the body has used up `timeout`.
  void transaction(
      const std::function<void(Connection&, Deadline)>& body,
      std::chrono::milliseconds timeout,
      std::chrono::milliseconds commit_timeout = {});

  /// Lends a connection for one use, outside any transaction.
  void borrow(
      const std::function<void(Connection&, Deadline)>& use, std::chrono::milliseconds timeout);

private:
  struct Task {
    enum class State {
      waiting,
      running,  ///< only the leader may access the task; otherwise hold the mutex
      done,
      failed,  ///< the task itself was refused
      again,  ///< not executed, because of another task
      lost,  ///< unknown: the connection was lost
      unreached  ///< not executed: no connection
    };

    std::shared_ptr<const Work> work;  // shared, because its owner may return first
    bool in_doubt = false;
    Deadline deadline{};
    State state = State::waiting;
    bool leads = false;
    std::vector<Rows> results;
    std::exception_ptr error;
    Signal called;  ///< the task becomes leader, or has ended

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
  std::deque<Borrower*> borrowers_;  // calls of borrow() that wait
  bool borrower_is_next_ = false;  // borrowers and the queue take turns
  std::deque<std::shared_ptr<Task>> queue_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t leaders_ = 0;
  std::size_t preferred_ = 0;  // the host of the last connection
  std::string problem_;  // the last error
  std::chrono::milliseconds pause_{0};  // before the next attempt to connect
  Deadline next_attempt_{};
};

}  // namespace postgres
