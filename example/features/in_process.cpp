// A test of a service without a socket: the client calls a dispatcher. Requests and responses are
// encoded and decoded as over HTTP. Use it with any test framework.
#define SOAPSVC_NO_HOST
#define SOAPSVC_NO_OPENSSL
#include "soapsvc.hpp"

#include <cstdio>

struct Divide {
  std::int32_t a{}, b{};
};
template <>
inline constexpr auto soapsvc::schema<Divide> =
    record(field("A", &Divide::a), field("B", &Divide::b));

class Sums {
public:
  std::int32_t divide(const Divide& by) {
    if (by.b == 0) throw soapsvc::fault(soapsvc::fault_code::client, "division by zero");
    return by.a / by.b;
  }
};
template <>
inline constexpr auto soapsvc::schema<Sums> =
    service("Sums", ns("urn:sums"), operation("Divide", &Sums::divide));

int failures = 0;
void check(bool good, const char* what) {
  std::printf("%s: %s\n", good ? "ok" : "FAILED", what);
  failures += !good;
}

int main() {
  Sums sums;
  soapsvc::dispatcher services;
  services.add(sums);
  for (const auto version : {soapsvc::soap_version::v1_1, soapsvc::soap_version::v1_2}) {
    soapsvc::client<Sums> client{services, {.version = version}};
    check(client.call(&Sums::divide, {6, 2}) == 3, "six by two is three");
    try {
      client.call(&Sums::divide, {1, 0});
      check(false, "one by zero is refused");
    } catch (const soapsvc::remote_fault& fault) {
      check(fault.reason() == "division by zero", "one by zero is refused");
    }
  }
  // Compares exact bytes, if a contract prescribes them.
  const soapsvc::http_header headers[] = {{"Content-Type", "text/xml"}};
  soapsvc::http_request request{.target = "/soap/v3/Sums.asmx", .headers = headers};
  request.body = "<Envelope xmlns='http://schemas.xmlsoap.org/soap/envelope/'/>";
  check(services.handle(request).status == 500, "an envelope without a Body is refused");
  return failures;
}

// Output:
// ok: six by two is three
// ok: one by zero is refused
// ok: six by two is three
// ok: one by zero is refused
// ok: an envelope without a Body is refused
