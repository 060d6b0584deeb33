#include "operate/status.hpp"

#include <spdlog/spdlog.h>

#include <exception>
#include <string>
#include <utility>

#include "operate/process.hpp"

namespace {

soapsvc::http_response text_page(int status, std::string text) {
  soapsvc::http_response response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = std::move(text);
  return response;
}

/// False for other names, because a page in a browser may point its own name at this machine (DNS
/// rebinding).
bool names_this_machine(const soapsvc::http_request& request) {
  std::string host(request.header("Host").value_or("localhost"));
  if (const std::size_t port = host.rfind(':');
      port != host.npos && host.find(']', port) == host.npos)
    host.resize(port);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  return is_loopback(host) || (!host.empty() && name_of_process().starts_with(host + ':'));
}

}  // namespace

soapsvc::http_response healthz(const soapsvc::http_request&) { return text_page(200, "ok\n"); }

Readiness::Readiness(HealthStore& store, Now now) : store_(store), now_(std::move(now)) {}

bool Readiness::is_ready() {
  if (is_leaving()) return false;
  std::unique_lock lock(mutex_);
  if (probing_) {
    const soapsvc::blocking_section waits;
    const auto left = kept - (now_() - since_);
    answered_.wait_for(lock, left, [this] { return !probing_; });
    return !probing_ && ready_;
  }
  if (asked_ && now_() - since_ < kept) return ready_;
  probing_ = true;
  since_ = now_();
  lock.unlock();
  const bool ready = probe();
  lock.lock();
  ready_ = ready;
  since_ = now_();
  asked_ = true;
  probing_ = false;
  answered_.notify_all();
  return ready;
}

bool Readiness::probe() {
  try {
    store_.check();
    return true;
  } catch (const std::exception& error) {
    spdlog::warn("not ready: {}", error.what());
    return false;
  }
}

namespace {

/// False also if the call would have to wait for a probe, but the maximum number of calls already
/// waits.
bool is_ready(Readiness& readiness) {
  try {
    return readiness.is_ready();
  } catch (const soapsvc::fault&) {
    return false;
  }
}

}  // namespace

soapsvc::http_response readyz(const StatusSources& sources) {
  if (is_ready(sources.readiness)) return text_page(200, "ready\n");
  return text_page(
      503,
      sources.readiness.is_leaving() ? "not ready: about to stop\n"
                                     : "not ready: the database cannot be used\n");
}

soapsvc::http_response metrics_page(
    const StatusSources& sources, const soapsvc::http_request& request) {
  const bool allowed =
      sources.from == MetricsFrom::any || request.listener == soapsvc::listener_role::operators ||
      (soapsvc::is_local(request, sources.trusted_proxies) && names_this_machine(request));
  if (!allowed)
    return text_page(
        403,
        "403 Forbidden: metrics are for this machine only, by its own name, and not through a Unix "
        "socket or a proxy; --metrics-from any or --operator-listen shows them\n");
  soapsvc::http_response response = text_page(200, sources.metrics.text(sources.gauges()));
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}
