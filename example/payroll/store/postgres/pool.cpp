#include "store/postgres/pool.hpp"

#include <algorithm>
#include <thread>

#include "soapsvc.hpp"

namespace postgres {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds first_pause{10};
constexpr milliseconds longest_pause{500};
constexpr int most_conflicts = 5;

/// Independent of the default of the role or server. Each statement must see commits that happened
/// while the statement before it waited for a lock.
constexpr Statement begin_{"begin", "BEGIN ISOLATION LEVEL READ COMMITTED"};
constexpr Statement commit_{"commit", "COMMIT"};
constexpr Statement roll_back_{"roll_back", "ROLLBACK"};

/// The pause grows with each conflict. Its random part separates two calls that met.
void pause_after_conflict(int conflicts) {
  const auto moment = steady_clock::now().time_since_epoch().count();
  std::this_thread::sleep_for(
      std::chrono::microseconds(500 * conflicts + static_cast<int>(moment % 2000)));
}

}  // namespace

Pool::Pool(PoolOptions options) : options_(std::move(options)) {}
Pool::~Pool() = default;

Done Pool::run(Work work, milliseconds timeout) {
  const soapsvc::blocking_section may_block;
  const auto shared = std::make_shared<const Work>(std::move(work));
  const Deadline deadline = steady_clock::now() + timeout;
  bool in_doubt = false;
  for (int conflicts = 0;;) {
    const auto task = std::make_shared<Task>();
    task->work = shared;
    task->in_doubt = in_doubt;
    task->deadline = deadline;
    const Task::State state = submit(task);
    if (state == Task::State::done) return {std::move(task->results), in_doubt};
    try {
      if (state == Task::State::failed) std::rethrow_exception(task->error);
    } catch (const Refused& refused) {
      throw_unless_conflict(refused, in_doubt, ++conflicts);
    }
    in_doubt = in_doubt || (state == Task::State::lost && options_.writes);
    const bool gone = state == Task::State::lost || state == Task::State::unreached;
    if (steady_clock::now() >= deadline || (gone && !options_.insists))
      throw Unavailable(last_problem(), in_doubt);
  }
}

/// Handles the current exception: rethrows it in the form for callers, or returns when the call may
/// try again.
void Pool::throw_unless_conflict(const Refused& refused, bool in_doubt, int conflicts) const {
  using Kind = Unavailable::Kind;
  if (refused.is("57014") || refused.is_read_only()) throw Unavailable(refused.what(), in_doubt);
  if (refused.is_of_resources())
    throw Unavailable(refused.what(), in_doubt, options_.writes ? Kind::full : Kind::silent);
  if (!refused.is_conflict() || conflicts > most_conflicts) throw;
  pause_after_conflict(conflicts);
}

std::string Pool::last_problem() {
  const std::lock_guard lock(mutex_);
  return problem_.empty() ? "the database does not answer in time" : problem_;
}

void Pool::note_problem(const std::string& what) {
  const std::lock_guard lock(mutex_);
  problem_ = what;
  ++preferred_;  // the next attempt begins with another host
}

/// Returns the final state of the task.
Pool::Task::State Pool::submit(const std::shared_ptr<Task>& task) {
  std::unique_lock lock(mutex_);
  if (leaders_ < options_.connections) {
    ++leaders_;
    lock.unlock();
    return lead(task);
  }
  if (queue_.size() >= options_.waiting)
    throw Unavailable("too many calls are waiting for the database", task->in_doubt);
  queue_.push_back(task);
  lock.unlock();
  if (!task->called.wait_until(task->deadline)) {
    lock.lock();
    const auto place = std::find(queue_.begin(), queue_.end(), task);
    if (place != queue_.end()) {
      queue_.erase(place);
      return Task::State::again;
    }
    // The task has become leader just now, or its leader executes it and may still succeed.
    const bool over = task->leads || task->state > Task::State::running;
    if (!over) return Task::State::lost;
    lock.unlock();
  }
  return task->leads ? lead(task) : task->state;
}

/// Executes a group that contains the task, then passes the lead on.
Pool::Task::State Pool::lead(const std::shared_ptr<Task>& task) {
  Tasks tasks{task};
  const auto step_down = [&] {
    std::shared_ptr<Task> next;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& each : tasks)
        if (each->state == Task::State::running) each->state = Task::State::lost;
      next = pass_on();
    }
    if (next) next->called.give();
    for (const auto& each : tasks)
      if (each != task) each->called.give();
  };
  try {
    auto connection = obtain(task->deadline);
    tasks = gather(task);
    exchange(*connection, tasks, task->deadline);
    give_back(std::move(connection));
  } catch (const ConnectionLost& lost) {
    note_problem(lost.what());
  } catch (const Refused&) {  // the setup of a session, or a rollback
    task->error = std::current_exception();
  } catch (...) {
    step_down();
    throw;
  }
  step_down();
  if (task->error) return Task::State::failed;
  return task->state == Task::State::waiting ? Task::State::unreached : task->state;
}

/// Makes the newest task the leader, because it has the most time left. Call it under the mutex,
/// and signal the returned task without the mutex.
std::shared_ptr<Pool::Task> Pool::pass_on() {
  borrower_is_next_ = !borrower_is_next_;
  if (!borrowers_.empty() && (borrower_is_next_ || queue_.empty())) {
    borrowers_.front()->granted = true;
    borrowers_.front()->changed.notify_one();
    borrowers_.pop_front();
    return nullptr;
  }
  if (queue_.empty()) {
    --leaders_;
    return nullptr;
  }
  std::shared_ptr<Task> next = std::move(queue_.back());
  queue_.pop_back();
  next->leads = true;
  return next;
}

/// The leader's own task and the oldest waiting tasks.
Pool::Tasks Pool::gather(const std::shared_ptr<Task>& first) {
  Tasks tasks{first};
  {
    const std::lock_guard lock(mutex_);
    first->state = Task::State::running;
    while (!queue_.empty() && tasks.size() < options_.group) {
      tasks.push_back(std::move(queue_.front()));
      queue_.pop_front();
      tasks.back()->state = Task::State::running;
    }
  }
  if (options_.writes)
    std::stable_sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) {
      return a->work->order < b->work->order;
    });
  return tasks;
}

/// Sends the statements of the tasks, and stores each task's results or error.
void Pool::exchange(Connection& over, const Tasks& tasks, Deadline deadline) {
  if (options_.writes) over.send(begin_);
  for (const auto& task : tasks)
    for (const Step& step : task->steps())
      over.send(*step.statement, step.values);
  if (options_.writes) over.send(commit_);
  over.sync();
  bool failed = false;
  std::exception_ptr refused_group;  // at BEGIN or COMMIT
  const auto receive_frame = [&] {
    try {
      if (options_.writes) over.receive(deadline);
    } catch (const Refused&) {
      if (!failed) refused_group = std::current_exception();
      failed = true;
    }
  };
  receive_frame();
  for (const auto& task : tasks)
    failed = !collect(over, *task, deadline) || failed;
  over.was_warned();  // ignore warnings of statements
  receive_frame();
  over.receive_sync(deadline);
  // A commit that stopped waiting for its standby succeeds with a warning.
  if (options_.writes && over.was_warned())
    throw ConnectionLost("the database has warned that a commit may not be safe");
  if (failed && options_.writes) over.run(roll_back_, Values{}, deadline);
  settle(tasks, failed && options_.writes, refused_group);
}

/// Receives the results of one task. False: it was refused.
bool Pool::collect(Connection& over, Task& task, Deadline deadline) {
  bool complete = true;
  for (std::size_t count = task.steps().size(); count != 0; --count) {
    try {
      task.results.push_back(over.receive(deadline));
    } catch (const Refused& refused) {
      if (refused.is_read_only()) throw ConnectionLost(refused.what());
      if (!refused.is(Connection::skipped)) task.error = std::current_exception();
      complete = false;
    }
  }
  return complete;
}

void Pool::settle(const Tasks& tasks, bool undone, const std::exception_ptr& refused_group) {
  const std::lock_guard lock(mutex_);
  for (const auto& task : tasks) {
    if (refused_group) task->error = refused_group;
    const bool complete = task->results.size() == task->steps().size();
    task->state = task->error           ? Task::State::failed
                  : undone || !complete ? Task::State::again
                                        : Task::State::done;
  }
  problem_.clear();
}

// --- Connections ---------------------------------------------------------------------------------

std::unique_ptr<Connection> Pool::take_idle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Connection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void Pool::give_back(std::unique_ptr<Connection> connection) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  } catch (const std::exception&) {  // closed if there is no memory to keep it
  }
}

/// Attempts to connect have pauses between them, however many threads try.
void Pool::wait_for_turn(Deadline deadline) {
  Deadline turn;
  {
    const std::lock_guard lock(mutex_);
    turn = next_attempt_;
  }
  if (turn > deadline) {
    std::this_thread::sleep_until(deadline);
    throw TooLate(last_problem());
  }
  std::this_thread::sleep_until(turn);
}

/// An idle connection, or a new one.
std::unique_ptr<Connection> Pool::obtain(Deadline deadline) {
  while (auto connection = take_idle())
    if (connection->is_alive()) return connection;
  if (options_.disconnected) options_.disconnected();
  wait_for_turn(deadline);
  std::size_t preferred = 0;
  {
    const std::lock_guard lock(mutex_);
    preferred = preferred_;
  }
  try {
    auto made = connect(options_.address, options_.kind, preferred, deadline, options_.prepare);
    const std::lock_guard lock(mutex_);
    preferred_ = preferred;
    pause_ = milliseconds(0);
    next_attempt_ = {};
    return made;
  } catch (const ConnectionLost&) {
    const std::lock_guard lock(mutex_);
    pause_ = std::clamp(pause_ * 2, first_pause, longest_pause);
    next_attempt_ = steady_clock::now() + pause_;
    throw;
  }
}

// --- For operators -------------------------------------------------------------------------------

/// Waits until a connection may be taken.
void Pool::enter(Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (leaders_ < options_.connections) {
    ++leaders_;
    return;
  }
  Borrower waiting;
  borrowers_.push_back(&waiting);
  if (waiting.changed.wait_until(lock, deadline, [&] { return waiting.granted; })) return;
  borrowers_.erase(std::find(borrowers_.begin(), borrowers_.end(), &waiting));
  throw Unavailable("the database does not answer in time", false);
}

void Pool::borrow(const std::function<void(Connection&, Deadline)>& use, milliseconds timeout) {
  const soapsvc::blocking_section may_block;
  const Deadline deadline = steady_clock::now() + timeout;
  enter(deadline);
  const auto leave = [&] {
    std::unique_lock lock(mutex_);
    const auto next = pass_on();
    lock.unlock();
    if (next) next->called.give();
  };
  try {
    auto connection = obtain(deadline);
    use(*connection, deadline);
    give_back(std::move(connection));
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

void Pool::transaction(
    const std::function<void(Connection&, Deadline)>& body,
    milliseconds timeout,
    milliseconds commit_timeout) {
  const Deadline until = steady_clock::now() + timeout;
  for (int conflicts = 0;;) {
    bool committing = false;
    const auto attempt = [&](Connection& over, Deadline deadline) {
      over.run(begin_, Values{}, deadline);
      body(over, deadline);
      over.was_warned();
      committing = true;
      over.run(commit_, Values{}, std::max(deadline, steady_clock::now() + commit_timeout));
      if (over.was_warned()) throw ConnectionLost("a commit may not be safe");
    };
    try {
      return borrow(attempt, std::chrono::ceil<milliseconds>(until - steady_clock::now()));
    } catch (const Refused& refused) {  // its connection was closed, which rolls back
      throw_unless_conflict(refused, false, ++conflicts);
    } catch (const ConnectionLost& lost) {
      if (committing || steady_clock::now() >= until) throw Unavailable(lost.what(), committing);
    }
  }
}

}  // namespace postgres
