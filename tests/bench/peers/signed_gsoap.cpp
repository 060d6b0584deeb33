// gSOAP's plugin for WS-Security on messages that are signed: signed_gsoap run KEYS FOLDER ROUNDS
// MILLISECONDS | write KEYS TO
//
// Around the code that wsdl2h -s and soapcpp2 generate from our WSDL. One context with bytes in
// memory in place of a socket, and no HTTP around them. A message is verified as its manual says:
// the plugin checks the signature while it parses, and the method asks whether Body and Timestamp
// are signed.
#include <openssl/pem.h>

#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "PaymentsSoap.nsmap"
#include "signed.hpp"
#include "soapH.h"
#include "wsseapi.h"

namespace {

const char* const wsu =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";

template <class Read> auto from_file(const std::string& file, Read read) {
  BIO* const in = BIO_new_file(file.c_str(), "r");
  auto* const made = read(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  if (!made) bench::give_up("cannot read " + file);
  return made;
}

/// The table that was generated, with SOAP 1.1 at its beginning.
const Namespace* names() {
  static std::vector<Namespace> made;
  for (const Namespace* each = namespaces; made.empty() || made.back().id != nullptr; ++each)
    made.push_back(*each);
  for (const std::size_t soap_row : {0, 1})
    std::swap(made[soap_row].ns, made[soap_row].in);
  return made.data();
}

class Context {
public:
  explicit Context(const std::string& keys)
      : authority_(keys + "/authority.pem"),
        key_(from_file(keys + "/caller.key", PEM_read_bio_PrivateKey)),
        certificate_(from_file(keys + "/caller.pem", PEM_read_bio_X509)),
        soap_(soap_new1(SOAP_ENC_PLAIN | SOAP_C_UTFSTRING | SOAP_XML_CANONICAL)) {
    soap_->user = this;
    soap_->frecv = [](soap* soap, char* bytes, std::size_t most) {
      std::string_view& rest = static_cast<Context*>(soap->user)->rest_;
      const std::size_t length = std::min(most, rest.size());
      std::memcpy(bytes, rest.data(), length);
      rest.remove_prefix(length);
      return length;
    };
    soap_->fsend = [](soap* soap, const char* bytes, std::size_t length) {
      static_cast<Context*>(soap->user)->written_.append(bytes, length);
      return SOAP_OK;
    };
    soap_register_plugin(soap_, soap_wsse);
    soap_set_namespaces(soap_, names());
    soap_->cafile = authority_.c_str();
    for (const bench::signed_case& one : bench::signed_cases())
      fill(requests_[one.name], one.records);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    forget();
    soap_free(soap_);
  }

  /// The steps of the stub that is generated, without a connection.
  const std::string& sign(const bench::signed_case& one) {
    const Request& request = requests_.at(one.name);
    written_.clear();
    soap_begin(soap_);
    soap_->encodingStyle = nullptr;
    soap_wsse_verify_done(soap_);
    soap_wsse_add_Timestamp(soap_, "Time", 86'400);
    soap_wsse_add_BinarySecurityTokenX509(soap_, "Token", certificate_);
    soap_wsse_add_KeyInfo_SecurityTokenReferenceX509(soap_, "#Token");
    soap_wsse_sign_body(soap_, SOAP_SMD_SIGN_RSA_SHA256, key_, 0);
    soap_serializeheader(soap_);
    request.call.soap_serialize(soap_);
    if (soap_begin_count(soap_)) refuse();
    if ((soap_->mode & SOAP_IO_LENGTH) && put(request)) refuse();
    if (soap_end_count(soap_) || soap_begin_send(soap_) || put(request) || soap_end_send(soap_))
      refuse();
    forget();
    return written_;
  }

  void verify(const std::string& message) {
    rest_ = message;
    written_.clear();
    soap_wsse_verify_auto(soap_, SOAP_SMD_NONE, nullptr, 0);
    if (soap_begin_serve(soap_) != SOAP_OK || soap_serve_request(soap_) != SOAP_OK) refuse();
    forget();
  }

private:
  struct Request {
    std::vector<ns1__Payment> rows;
    std::vector<ns1__Payment*> pointers;
    mutable _ns1__Pay call;
  };

  static void fill(Request& request, int count) {
    for (int number = 1; number <= count; ++number) {
      const bench::payment_row row = bench::payment_of(number);
      ns1__Payment made{};
      made.Id = row.id;
      made.Name = const_cast<char*>(row.name);
      made.Amount = const_cast<char*>(row.amount);
      made.Urgent = row.urgent;
      request.rows.push_back(made);
    }
    for (ns1__Payment& row : request.rows)
      request.pointers.push_back(&row);
    request.call.__sizePayment = count;
    request.call.Payment = request.pointers.data();
  }

  int put(const Request& request) {
    return soap_envelope_begin_out(soap_) || soap_putheader(soap_) || soap_body_begin_out(soap_) ||
           request.call.soap_put(soap_, "ns1:Pay", "") || soap_body_end_out(soap_) ||
           soap_envelope_end_out(soap_);
  }
  void refuse() {
    soap_print_fault(soap_, stderr);
    bench::give_up("gSOAP refuses");
  }
  void forget() {
    soap_destroy(soap_);
    soap_end(soap_);
  }

  std::string authority_;
  EVP_PKEY* key_;
  X509* certificate_;
  soap* soap_;
  std::string_view rest_;
  std::string written_;
  std::map<std::string, Request> requests_;
};

}  // namespace

/// The method: serves signed requests.
int __ns1__Pay(soap* soap, _ns1__Pay* request, _ns1__PayResponse& response) {
  if (soap_wsse_verify_Timestamp(soap) != SOAP_OK || soap_wsse_verify_body(soap) != SOAP_OK ||
      soap_wsse_verify_element(soap, wsu, "Timestamp") != 1)
    return soap->error ? soap->error : SOAP_USER_ERROR;
  response.PayResult = request->__sizePayment;
  soap_wsse_delete_Security(soap);
  return SOAP_OK;
}

/// The same by SOAP 1.2.
int __ns1__Pay_(soap* soap, _ns1__Pay* request, _ns1__PayResponse& response) {
  return __ns1__Pay(soap, request, response);
}

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if ((count != 6 || what != "run") && (count != 4 || what != "write")) return 2;
  Context all(arguments[2]);
  if (what == "write") {
    for (const bench::signed_case& one : bench::signed_cases())
      bench::write_file(std::string(arguments[3]) + "/" + one.name + ".xml", all.sign(one));
    return 0;
  }
  const bench::effort with{
      std::max(1, std::atoi(arguments[4])), std::chrono::milliseconds(std::atoi(arguments[5]))};
  bench::measure_signatures(
      "gSOAP",
      arguments[3],
      with,
      [&](const bench::signed_case& one) { all.sign(one); },
      [&](const bench::signed_case&, const std::string& message) { all.verify(message); });
}
