// A client that repeats calls by a policy, and reports each attempt. Without `idempotent` in the
// table, only a request that cannot have arrived is sent again.
#include <cstdio>

#include "soapsvc.hpp"

class Stock {
public:
  std::int32_t level(const std::string& article) {
    if (++asked < 3) throw soapsvc::fault(soapsvc::fault_code::server, "busy").with_status(503);
    return static_cast<std::int32_t>(article.size());
  }
  std::int32_t take(const std::string&) {
    throw soapsvc::fault(soapsvc::fault_code::server, "busy").with_status(503);
  }
  int asked = 0;
};
template <>
inline constexpr auto soapsvc::schema<Stock> = service(
    "Stock",
    ns("urn:stock"),
    operation("Level", &Stock::level, parameters("Article"), idempotent),
    operation("Take", &Stock::take, parameters("Article")));

int main() {
  using namespace std::chrono_literals;
  Stock stock;
  soapsvc::dispatcher services;
  services.add(stock);
  soapsvc::client_options options;
  options.retry = {.max_attempts = 4, .first_wait = 10ms};
  options.on_call = [](const soapsvc::call_report& report) {
    std::printf("%s: HTTP %d\n", std::string(report.operation).c_str(), report.http_status);
  };
  soapsvc::client<Stock> client{services, options};
  std::printf("level: %d\n", client.call(&Stock::level, std::string("tea")));
  try {
    client.call(&Stock::take, std::string("tea"));
  } catch (const soapsvc::remote_fault& fault) {
    std::printf("taken once: %s\n", fault.reason().c_str());
  }
}

// Output:
// Level: HTTP 503
// Level: HTTP 503
// Level: HTTP 200
// level: 3
// Take: HTTP 503
// taken once: busy
