// Many calls at once over one client: call_async makes them on threads of the client, and get()
// returns or throws as call would. A stop of one call leaves the others alone.
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

class Rates {
public:
  std::int32_t rate(std::int32_t days) {
    if (days < 0) throw soapsvc::fault(soapsvc::fault_code::client, "days are not negative");
    const soapsvc::blocking_section waits;  // as for a query of a database
    std::this_thread::sleep_for(std::chrono::milliseconds(days > 1'000 ? 2'000 : 5));
    return 2 * days;
  }
};
template <>
inline constexpr auto soapsvc::schema<Rates> =
    service("Rates", ns("urn:rates"), operation("Rate", &Rates::rate, parameters("Days")));

int main() {
  using namespace std::chrono_literals;
  Rates rates;
  soapsvc::host host;
  host.add(rates);
  const std::string port = std::to_string(host.bind({"127.0.0.1", 0}));
  std::thread serving([&] { host.serve(); });
  {
    soapsvc::client<Rates> client{
        "http://127.0.0.1:" + port + "/soap/v3/Rates.asmx",
        {.call_timeout = 10s, .max_async_threads = 8}};
    std::vector<soapsvc::async_call<std::int32_t>> calls;
    for (std::int32_t days = 0; days != 100; ++days)
      calls.push_back(client.call_async(&Rates::rate, days));
    std::int32_t sum = 0;
    for (const auto& call : calls)
      sum += call.get();
    std::printf("the sum of 100 calls is %d\n", sum);

    const auto refused = client.call_async(&Rates::rate, -1);
    const auto slow = client.call_async(&Rates::rate, 2'000);
    try {
      refused.get();
    } catch (const soapsvc::remote_fault& fault) {
      std::printf("refused: %s\n", fault.reason().c_str());
    }
    if (!slow.wait_for(50ms)) slow.cancel();
    try {
      slow.get();
    } catch (const soapsvc::transport_error& error) {
      std::printf("cancelled: %d\n", error.why() == soapsvc::transport_failure::cancelled);
    }
  }
  host.stop();
  serving.join();
}

// Output:
// the sum of 100 calls is 9900
// refused: days are not negative
// cancelled: 1
