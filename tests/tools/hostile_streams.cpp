// A host with streams in both directions for tests/tools/hostile.py, and the list for its ordinary
// clients. Started like payroll; of the options it reads --stop-timeout, --certificate and --key.
#include <cstdio>
#include <string>

#include "../bench/services.hpp"
#include "../bench/stop_on_sigterm.hpp"
#include "soapsvc.hpp"

namespace {

struct Load {
  soapsvc::stream<std::byte> bytes;
};
struct Wanted {
  std::int64_t bytes{};
};
struct Items {
  soapsvc::stream<std::string> items;
};

class Vault {
public:
  std::int64_t put(const Load& given) {
    std::array<std::byte, 16'384> piece{};
    std::int64_t sum = 0;
    while (const std::size_t got = given.bytes.read(piece))
      sum += static_cast<std::int64_t>(got);
    return sum;
  }
  std::int64_t put_items(const Items& given) {
    std::int64_t count = 0;
    while (given.items.next())
      ++count;
    return count;
  }
  /// Reads nothing of the stream.
  bool ignore(const Load&) { return true; }
  /// Stops reading within the stream.
  bool drop(const Load& given) {
    std::array<std::byte, 1'000> piece{};
    given.bytes.read(piece);
    throw soapsvc::fault(soapsvc::fault_code::client, "this is not wanted");
  }
  soapsvc::stream<std::byte> get(const Wanted& wanted) {
    return [left = wanted.bytes](std::span<std::byte> to) mutable {
      const auto most = static_cast<std::int64_t>(to.size());
      const auto size = static_cast<std::size_t>(std::min(left, most));
      left -= static_cast<std::int64_t>(size);
      return size;
    };
  }
  /// Fails within the stream.
  soapsvc::stream<std::byte> lose(const Wanted& wanted) {
    return [left = wanted.bytes](std::span<std::byte> to) mutable {
      if (left <= 0) throw std::runtime_error("lost");
      left -= static_cast<std::int64_t>(to.size());
      return to.size();
    };
  }
};

void unseen() {}

}  // namespace

template <> inline constexpr auto soapsvc::schema<Load> = record(field("Bytes", &Load::bytes));
template <> inline constexpr auto soapsvc::schema<Wanted> = record(field("Size", &Wanted::bytes));
template <> inline constexpr auto soapsvc::schema<Items> = record(field("Item", &Items::items));
template <>
inline constexpr auto soapsvc::schema<Vault> = service(
    "Vault",
    operation("Put", &Vault::put),
    operation("PutItems", &Vault::put_items),
    operation("Ignore", &Vault::ignore),
    operation("Drop", &Vault::drop),
    operation("Get", &Vault::get),
    operation("Lose", &Vault::lose));

int main(int count, char** words) {
  soapsvc::dispatcher_options options;
  soapsvc::host_options server;
  options.ns_base = bench::ns_base;
  options.on_error = [](const soapsvc::error_report&) {};  // for streams that are lost
  server.timeouts.read = server.timeouts.write = std::chrono::seconds(2);
  for (int at = 1; at + 1 < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--stop-timeout")
      server.timeouts.stop = std::chrono::seconds(std::atoi(words[at + 1]));
    if (option == "--certificate") server.tls.certificate_file = words[at + 1];
    if (option == "--key") server.tls.key_file = words[at + 1];
  }
  bench::Employees<unseen> employees;
  Vault vault;
  soapsvc::host host(options, server);
  host.add(employees);
  host.add(vault);
  const int port = host.bind({"127.0.0.1", 0});
  const bench::stop_on_sigterm stop(host);
  const char* const scheme = server.tls.certificate_file.empty() ? "http" : "https";
  std::printf("listening on %s://127.0.0.1:%d\n", scheme, port);
  std::fflush(stdout);
  host.serve();
}
