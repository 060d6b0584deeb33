// inserts FILE GROUP: EmployeeService on an SQLite file that survives a power failure, for `run`.
//
// As `payroll serve` runs it, but that writes which share a transaction are at most GROUP (256 is
// payroll's, 1 is a commit for each request), and that a page /syncs tells how often a file was
// synced so far: this program's fsync and fdatasync stand before the C library's. Employee 1 is for
// the readers; the ten thousand from 1001 on have no address yet. Prints the port.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"
#include "stop_on_sigterm.hpp"
#include "store/demo.hpp"
#include "store/sqlite/store.hpp"

namespace {

std::atomic<std::uint64_t> syncs = 0;

Seed seed() {
  Seed data = demo_data(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  for (std::int32_t id = 1'001; id <= 11'000; ++id)
    data.employees.emplace_back("acme", id);
  return data;
}

/// As payroll's.
soapsvc::host_options host_options() {
  soapsvc::host_options options;
  options.threads = std::max(4U, 2 * std::thread::hardware_concurrency());
  options.limits.max_executor_threads = 256;
  return options;
}

}  // namespace

extern "C" int fsync(int file) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fsync, file));
}
extern "C" int fdatasync(int file) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "inserts FILE GROUP\n"), 2;
  SqliteOptions options;
  options.file = arguments[1];
  options.group = std::strtoul(arguments[2], nullptr, 10);
  SqliteStore store(options);
  store.fill(seed());
  soapsvc::host_options serving = host_options();
  Authenticator callers(
      store, system_moment, AuthPolicy::domain, limits_for(serving.limits.max_executor_threads));
  EmployeeService employees(callers, store, system_moment);
  soapsvc::host host("https://payroll.example.com/soap/v3", std::move(serving));
  host.add(employees);
  host.add_page("/syncs", [](const soapsvc::http_request&) {
    soapsvc::http_response response;
    response.content_type = "text/plain";
    response.body = std::to_string(syncs.load());
    return response;
  });
  const int port = host.bind({"127.0.0.1", 0});
  const bench::stop_on_sigterm stop(host);
  std::printf("%d\n", port);
  std::fflush(stdout);
  host.serve();
}
