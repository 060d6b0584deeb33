// The pages for operators: /healthz, /readyz and /metrics.
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

/// The clients that may read /metrics on an ordinary listener. On a listener for operators, every
/// client may.
enum class MetricsFrom {
  loopback,  ///< this machine, see soapsvc::is_local
  any
};

/// Tells whether the database takes writes. Only one probe runs at a time, and its result is
/// cached: a thousand calls within a second cost one write. May be called from any number of
/// threads.
class Readiness {
public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  static constexpr std::chrono::seconds kept{1};

  /// The store must outlive this object. `now` is a parameter for tests.
  explicit Readiness(HealthStore& store, Now now = std::chrono::steady_clock::now);

  /// Probes the database, unless the last result is recent enough, and logs the problem. If another
  /// thread's probe runs, waits for its result, but not once that probe has run for longer than
  /// `kept`. A disk that hangs must not block a thread for each call.
  bool is_ready();

  /// From now on is_ready() returns false, because the server will stop: load balancers should send
  /// no more requests.
  void leave() noexcept { leaving_ = true; }
  bool is_leaving() const noexcept { return leaving_; }

private:
  bool probe();

  HealthStore& store_;
  const Now now_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::chrono::steady_clock::time_point since_{};  ///< start of the probe, or time of its result
  bool probing_ = false;
  bool ready_ = false;
  bool asked_ = false;  ///< a result exists
  std::atomic<bool> leaving_ = false;
};

/// The data of the pages; all references must outlive it.
struct StatusSources {
  Readiness& readiness;
  const Metrics& metrics;
  std::function<Gauges()> gauges;
  MetricsFrom from = MetricsFrom::loopback;
  std::vector<std::string> trusted_proxies{};  ///< addresses of proxies
};

/// 200 for as long as the process serves.
soapsvc::http_response healthz(const soapsvc::http_request& request);

/// 200 if the database takes writes and the process will not stop, else 503. Only the log has the
/// reason.
soapsvc::http_response readyz(const StatusSources& sources);

/// The metrics; 403 for clients that may not read them.
soapsvc::http_response metrics_page(
    const StatusSources& sources, const soapsvc::http_request& request);
