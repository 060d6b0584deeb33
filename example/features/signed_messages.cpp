// Messages that are signed with X.509 certificates, in both directions. tls.md has the commands
// that make the files.
#include <cstdio>
#include <thread>

#include "soapsvc.hpp"

struct Payment {
  std::string to;
  soapsvc::decimal amount;
};
template <>
inline constexpr auto soapsvc::schema<Payment> =
    record(field("To", &Payment::to), field("Amount", &Payment::amount));

class Bank {
public:
  std::string pay(const Payment& payment, const soapsvc::context& context) {
    return std::string(payment.amount.text()) + " to " + payment.to + ", signed by " +
           std::string(context.signer);
  }
};
template <>
inline constexpr auto soapsvc::schema<Bank> = service(
    "Bank",
    ns("urn:bank"),
    secured(x509_signature, timestamp, signed_responses),
    operation("Pay", &Bank::pay));

int main() {
  soapsvc::dispatcher_options options;
  options.security.signatures.ca_file = "authority.pem";  // issues trusted certificates
  options.security.identity.certificate_file = "server.pem";  // signs the responses
  Bank bank;
  soapsvc::host host{options};
  host.add(bank);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&host] { host.serve(); });

  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Bank.asmx";
  soapsvc::client_options signing;
  signing.security.identity.certificate_file = "client.pem";
  signing.security.signatures.ca_file = "authority.pem";
  signing.security.server_subject = "CN=server";  // client.pem has the same authority
  const Payment payment{"Grace", *soapsvc::decimal::parse("12.50")};
  std::printf("%s\n", soapsvc::client<Bank>{url, signing}.call(&Bank::pay, payment).c_str());

  signing.security.identity.certificate_file = "stranger.pem";  // not issued by this authority
  try {
    soapsvc::client<Bank>{url, signing}.call(&Bank::pay, payment);
  } catch (const soapsvc::remote_fault& fault) {
    std::printf("a stranger: %s\n", fault.subcode().c_str());
  }
  host.stop();
  serving.join();
}

// Output:
// 12.50 to Grace, signed by CN=client
// a stranger: InvalidSecurityToken
