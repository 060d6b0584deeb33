// A service as it runs in production: production PORT OPERATORS_PORT. production.md explains it.
#include <signal.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

struct Session {  // a header block
  std::string id;
};
template <>
inline constexpr auto soapsvc::schema<Session> = record("Session", field("Id", &Session::id));

struct Order {
  std::string article;
};
template <>
inline constexpr auto soapsvc::schema<Order> =
    record(field("Article", &Order::article, doc("Its number in the catalogue.")));

class Orders {
public:
  std::string place(
      const Order& order, const std::optional<Session>& session, const soapsvc::context& call) {
    return std::to_string(order.article.size()) + " letters for " + std::string(call.peer) +
           " in session " + (session ? session->id : "none");
  }
};
template <>
inline constexpr auto soapsvc::schema<Orders> =
    service("Orders", ns("urn:orders"), operation("Place", &Orders::place, doc("Places it.")));

std::atomic<bool> ready{true};
std::atomic<long> calls{0}, failures{0};

/// Writes a line for each call and each refusal, on any thread. The library drops its exceptions.
void log(const soapsvc::call_report& report) {
  ++calls;
  failures += report.http_status >= 500;
  std::printf(
      "%.*s %d\n", int(report.operation.size()), report.operation.data(), report.http_status);
  std::fflush(stdout);
}

soapsvc::http_response text(int status, const std::string& body) {
  soapsvc::http_response page;
  page.status = status;
  page.content_type = "text/plain; charset=utf-8";
  page.body = body;
  return page;
}

soapsvc::dispatcher_options options() {
  soapsvc::dispatcher_options made;
  made.trusted_proxies = {"127.0.0.1", "unix"};
  made.browsers.host_names = {"orders.example.com"};
  made.pages.test_form = soapsvc::test_form::nobody;
  made.on_call = log;
  return made;
}

void add_pages(soapsvc::host& host) {
  host.add_page("/healthz", [](const auto&) { return text(200, "alive\n"); });
  host.add_page("/readyz", [](const auto&) {
    return ready ? text(200, "ready\n") : text(503, "stopping\n");
  });
  const auto metrics = [&host](const soapsvc::http_request&) {
    std::string lines = "orders_calls_total " + std::to_string(calls);
    lines += "\norders_failures_total " + std::to_string(failures);
    lines += "\norders_connections " + std::to_string(host.statistics().connections);
    return text(200, lines + '\n');
  };
  host.add_page("/metrics", metrics, soapsvc::listener_role::operators);
}

/// Call it before the first thread starts, so that all threads leave these signals to sigwait.
sigset_t block_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int each : {SIGTERM, SIGINT, SIGHUP})
    ::sigaddset(&signals, each);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: production PORT OPERATORS_PORT\n"), 2;
  const sigset_t signals = block_signals();
  Orders orders;
  soapsvc::host host{options(), {.sd_notify = true}};
  host.add(orders);
  add_pages(host);
  host.bind({"127.0.0.1", std::stoi(arguments[1])});
  host.bind({.port = std::stoi(arguments[2]), .role = soapsvc::listener_role::operators});
  std::thread serving([&host] { host.serve(); });

  for (int signal = 0; ::sigwait(&signals, &signal) == 0 && signal == SIGHUP;)
    host.reload_certificates();
  ready = false;  // a proxy that asks /readyz sends nothing new from now on
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  host.stop();  // answers the requests that have begun, within host_options::timeouts.stop
  serving.join();
}
