// The pages for those who operate the service: /healthz, /readyz and /metrics.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "operate/log.hpp"
#include "operate/metrics.hpp"
#include "soapsvc.hpp"
#include "store/store.hpp"

/// Who may read /metrics on a listener for everyone; on one for operators, whoever gets there.
enum class MetricsFrom {
  loopback,  ///< this machine, see soapsvc::is_local
  any
};

/// Whether the database takes writes, from one probe at a time, whose answer is kept: a thousand who
/// ask within a second cost one write. May be asked from any number of threads.
class Readiness {
public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  static constexpr std::chrono::seconds kept{1};

  /// The store is borrowed. `now` is another clock for tests.
  explicit Readiness(HealthStore& store, Now now = std::chrono::steady_clock::now);

  /// Probes, unless the last answer is young enough; tells the log what is wrong. While somebody
  /// else's probe runs, its answer is waited for; but not once it has run for longer than answers
  /// are kept: a disk that hangs must not take a thread from each who asks.
  bool is_ready();

  /// From now on it is not ready, since it will stop: whoever distributes calls should send no more.
  void leave() noexcept { leaving_ = true; }
  bool is_leaving() const noexcept { return leaving_; }

private:
  bool probe();

  HealthStore& store_;
  const Now now_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::chrono::steady_clock::time_point since_{};  ///< when the probe began, or its answer came
  bool probing_ = false;
  bool ready_ = false;
  bool asked_ = false;  ///< there is an answer
  std::atomic<bool> leaving_ = false;
};

/// What the pages are made from; all is borrowed.
struct StatusSources {
  Readiness& readiness;
  const Metrics& metrics;
  std::function<Gauges()> gauges;
  MetricsFrom from = MetricsFrom::loopback;
  std::vector<std::string> trusted_proxies{};  ///< addresses that call for others
};

/// 200 for as long as the process serves.
soapsvc::http_response healthz(const soapsvc::http_request& request);

/// 200 if the database takes writes and the process will not stop, else 503. Its own words go to the log, not to strangers.
soapsvc::http_response readyz(const StatusSources& sources);

/// What was counted; 403 for those who may not read it.
soapsvc::http_response metrics_page(
    const StatusSources& sources, const soapsvc::http_request& request);
