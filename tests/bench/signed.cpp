// signed wsdl KEYS FILE | messages KEYS FOLDER | check KEYS FILE | run KEYS FOLDER ROUNDS MS
//
// Messages whose Body and Timestamp are signed by RSA and SHA-256, in process: what a client takes
// to encode and sign one, and a server to parse, verify and decode it. `wsdl` is what gSOAP's peer
// is generated from, `messages` writes what all verify, `check` says whether a message is one that
// we serve. KEYS has authority.pem, caller.pem and caller.key. RSA itself is measured by its own
// rows.
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <map>
#include <string>
#include <vector>

#include "signed.hpp"
#include "soapsvc.hpp"

namespace {

struct Payment {
  std::int32_t id{};
  std::string name;
  std::string amount;
  bool urgent{};
};
struct Pay {
  std::vector<Payment> payments;
};
class Payments {
public:
  std::int32_t pay(const Pay& request) {
    return static_cast<std::int32_t>(request.payments.size());
  }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Payment> = record(
    "Payment",
    field("Id", &Payment::id),
    field("Name", &Payment::name),
    field("Amount", &Payment::amount),
    field("Urgent", &Payment::urgent));
template <> inline constexpr auto soapsvc::schema<Pay> = record(field("Payment", &Pay::payments));
template <>
inline constexpr auto soapsvc::schema<Payments> = service(
    "Payments",
    ns("urn:payments"),
    secured(x509_signature, timestamp),
    operation("Pay", &Payments::pay));

namespace {

constexpr const char* path = "/soap/v3/Payments.asmx";
constexpr const char* wsdl_path = "/soap/v3/Payments.asmx?wsdl";
constexpr std::chrono::hours a_day{24};  // messages are written once, and verified for long

/// The service, and a client of it whose requests go nowhere.
class Signed {
public:
  explicit Signed(const std::string& keys)
      : services_(server_options(keys)),
        calls_(
            [this](const soapsvc::http_request& request) {
              sent_ = request.body;
              soapsvc::http_response response;
              response.content_type = "text/xml; charset=utf-8";
              response.body = answer_;
              return response;
            },
            client_options(keys)) {
    services_.add(service_);
    for (const bench::signed_case& one : bench::signed_cases())
      for (int number = 1; number <= one.records; ++number) {
        const bench::payment_row row = bench::payment_of(number);
        requests_[one.name].payments.push_back({row.id, row.name, row.amount, row.urgent});
      }
  }

  const std::string& sign(const bench::signed_case& one) {
    answer_ =
        "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>"
        "<PayResponse xmlns=\"urn:payments\"><PayResult>1</PayResult></PayResponse>"
        "</soap:Body></soap:Envelope>";
    calls_.call(&Payments::pay, requests_.at(one.name));
    return sent_;
  }

  void verify(const std::string& message) {
    static constexpr soapsvc::http_header type{"Content-Type", "text/xml; charset=utf-8"};
    soapsvc::http_request request;
    request.target = path;
    request.headers = std::span(&type, 1);
    request.body = message;
    services_.handle(request, response_);
    if (response_.status != 200) bench::give_up(response_.body);
  }

  std::string wsdl() {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = wsdl_path;
    services_.handle(request, response_);
    return response_.body;
  }

private:
  static soapsvc::dispatcher_options server_options(const std::string& keys) {
    soapsvc::dispatcher_options options;
    options.security.signatures.ca_file = keys + "/authority.pem";
    options.security.max_message_age = a_day;
    options.security.allow_replayed_signatures = true;  // each message is verified many times
    return options;
  }
  static soapsvc::client_options client_options(const std::string& keys) {
    soapsvc::client_options options;
    options.security.identity = {keys + "/caller.pem", keys + "/caller.key"};
    options.security.max_message_age = a_day;
    return options;
  }

  Payments service_;
  soapsvc::dispatcher services_;
  soapsvc::http_response response_;
  std::string sent_, answer_;
  std::map<std::string, Pay> requests_;
  soapsvc::client<Payments> calls_;
};

/// The time of RSA on each side.
void measure_rsa(const std::string& keys, const bench::effort& with) {
  std::FILE* const file = std::fopen((keys + "/caller.key").c_str(), "r");
  EVP_PKEY* const key = file ? PEM_read_PrivateKey(file, nullptr, nullptr, nullptr) : nullptr;
  if (!key) bench::give_up("no key");
  std::fclose(file);
  const auto begun = [&](int (*begin)(EVP_PKEY_CTX*)) {
    EVP_PKEY_CTX* const made = EVP_PKEY_CTX_new(key, nullptr);
    begin(made);
    EVP_PKEY_CTX_set_rsa_padding(made, RSA_PKCS1_PADDING);
    EVP_PKEY_CTX_set_signature_md(made, EVP_sha256());
    return made;
  };
  EVP_PKEY_CTX* const signing = begun(EVP_PKEY_sign_init);
  EVP_PKEY_CTX* const verifying = begun(EVP_PKEY_verify_init);
  const unsigned char digest[32] = {1, 2, 3};
  unsigned char value[512];
  std::size_t size = sizeof value;
  bench::measure_signed("RSA", "sign", with, [&] {
    size = sizeof value;
    if (EVP_PKEY_sign(signing, value, &size, digest, sizeof digest) != 1)
      bench::give_up("RSA does not sign");
  });
  bench::measure_signed("RSA", "verify", with, [&] {
    if (EVP_PKEY_verify(verifying, value, size, digest, sizeof digest) != 1)
      bench::give_up("RSA does not verify");
  });
  EVP_PKEY_CTX_free(signing);
  EVP_PKEY_CTX_free(verifying);
  EVP_PKEY_free(key);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 2 ? arguments[1] : "";
  if (count == 4 && what == "wsdl") {
    bench::write_file(arguments[3], Signed(arguments[2]).wsdl());
  } else if (count == 4 && what == "messages") {
    Signed both(arguments[2]);
    for (const bench::signed_case& one : bench::signed_cases())
      bench::write_file(std::string(arguments[3]) + "/" + one.name + ".xml", both.sign(one));
  } else if (count == 4 && what == "check") {
    Signed(arguments[2]).verify(bench::read_file(arguments[3]));
  } else if (count == 6 && what == "run") {
    const bench::effort with{
        std::max(1, std::atoi(arguments[4])), std::chrono::milliseconds(std::atoi(arguments[5]))};
    Signed both(arguments[2]);
    bench::measure_signatures(
        "ours",
        arguments[3],
        with,
        [&](const bench::signed_case& one) { both.sign(one); },
        [&](const bench::signed_case&, const std::string& message) { both.verify(message); });
    measure_rsa(arguments[2], with);
  } else {
    return std::fprintf(
               stderr,
               "signed wsdl|messages|check KEYS PATH | run KEYS FOLDER ROUNDS MILLISECONDS\n"),
           2;
  }
}
