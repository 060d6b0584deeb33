// The service for benchmarks of the host: three addresses in memory, a slow handler, and a handler
// for large requests.
#pragma once

#include <thread>

#include "soapsvc.hpp"
#include "stop_on_sigterm.hpp"

namespace bench {

/// Like the example's EmployeeService.
struct Address {
  std::int32_t id{};
  bool is_default{};
  std::optional<std::string> street, number, addition, zip, city, state, country;
};
struct Employee {
  std::int32_t id{};
};
struct Pause {
  std::int32_t milliseconds{};
};
struct Upload {
  soapsvc::binary bytes;
};

class Addresses {
public:
  const std::vector<Address>& list(const Employee&) const { return ready_; }
  std::int32_t wait(const Pause& pause) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause.milliseconds));
    return pause.milliseconds;
  }
  std::int32_t put(const Upload& sent) const {
    return static_cast<std::int32_t>(sent.bytes.bytes.size());
  }

private:
  std::vector<Address> ready_ = std::vector<Address>(
      3, {1, true, "Keizersgracht", "12", std::nullopt, "1015 CN", "Amsterdam", "", "Netherlands"});
};

}  // namespace bench

template <>
inline constexpr auto soapsvc::schema<bench::Address> = record(
    "Address",
    field("Id", &bench::Address::id),
    field("Default", &bench::Address::is_default),
    field("Street", &bench::Address::street),
    field("HouseNumber", &bench::Address::number),
    field("HouseNumberAddition", &bench::Address::addition),
    field("ZipCode", &bench::Address::zip),
    field("City", &bench::Address::city),
    field("StateProvince", &bench::Address::state),
    field("Country", &bench::Address::country));
template <>
inline constexpr auto soapsvc::schema<bench::Employee> =
    record(field("EmployeeId", &bench::Employee::id));
template <>
inline constexpr auto soapsvc::schema<bench::Pause> =
    record(field("Milliseconds", &bench::Pause::milliseconds));
template <>
inline constexpr auto soapsvc::schema<bench::Upload> =
    record(field("Bytes", &bench::Upload::bytes));
template <>
inline constexpr auto soapsvc::schema<bench::Addresses> = service(
    "Addresses",
    operation("List", &bench::Addresses::list),
    operation("Wait", &bench::Addresses::wait, blocking),
    operation("Put", &bench::Addresses::put));

namespace bench {

inline const std::string path = "/soap/v3/Addresses.asmx";

inline std::string envelope(const std::string& content) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope "
         "xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>" +
         content + "</soap:Body></soap:Envelope>";
}
inline std::string list_envelope() {
  return envelope(
      "<List xmlns=\"http://bench.example/Addresses\"><EmployeeId>1</EmployeeId></List>");
}
inline std::string wait_envelope(int milliseconds) {
  return envelope(
      "<Wait xmlns=\"http://bench.example/Addresses\"><Milliseconds>" +
      std::to_string(milliseconds) + "</Milliseconds></Wait>");
}
inline std::string post(const std::string& body) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/xml; charset=utf-8\r\nSOAPAction: "
         "\"\"\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Serves on a free port of 127.0.0.1, which is printed first.
inline void serve(soapsvc::host_options options) {
  Addresses addresses;
  soapsvc::host host("http://bench.example", std::move(options));
  host.add(addresses);
  const int port = host.bind({"127.0.0.1", 0});
  const stop_on_sigterm stop(host);
  std::printf("%d\n", port);
  std::fflush(stdout);
  host.serve();
}

}  // namespace bench
