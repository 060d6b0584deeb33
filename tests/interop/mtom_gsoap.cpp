// gSOAP with MTOM: mtom_gsoap URL 1.1|1.2, or mtom_gsoap alone: a server
//
// Uses the code that `wsdl2h` and `soapcpp2` generate from the WSDL. A value with its own type is
// sent as a part if SOAP_ENC_MTOM is set. The namespaces determine the version.
#include <iostream>
#include <string>
#include <vector>

#include "ParcelsSoap.nsmap"
#include "soapH.h"

#include "serve_gsoap.hpp"

namespace {

const std::string text =
    "Stra\xC3\x9F"
    "e <&>";
std::string version;
int passed = 0;
int failed = 0;

void check(const std::string& name, bool good, const std::string& found = "") {
  ++(good ? passed : failed);
  std::cout << (good ? "ok  " : "FAIL") << " gsoap " << version << ", MTOM: " << name
            << (good ? "" : ": " + found) << std::endl;
}

std::string reason(struct soap* context) {
  if (context->error == SOAP_OK) return "(no fault)";
  soap_set_fault(context);
  const char** const string = soap_faultstring(context);
  return string == nullptr || *string == nullptr ? "(no reason)" : *string;
}

/// All byte values, including line ends and beginnings of boundaries.
std::string bytes(std::size_t size) {
  std::string made;
  for (std::size_t at = 0; at != size; ++at)
    made += static_cast<char>(at * 7 + at / 256);
  return made;
}

/// As a part if it has a type. An empty value needs an address; without one it is absent.
xsd__base64Binary binary_of(struct soap* context, const std::string& bytes, bool is_part) {
  xsd__base64Binary made;
  made.__ptr = static_cast<unsigned char*>(soap_malloc(context, bytes.size() + 1));
  made.__size = static_cast<int>(bytes.size());
  bytes.copy(reinterpret_cast<char*>(made.__ptr), bytes.size());
  made.id = made.options = nullptr;
  made.type = is_part ? soap_strdup(context, "application/octet-stream") : nullptr;
  return made;
}

std::string text_of(const xsd__base64Binary& of) {
  return {reinterpret_cast<const char*>(of.__ptr), static_cast<std::size_t>(of.__size)};
}

/// True if a body has the size of parts, not of base64.
bool is_raw(std::size_t body) { return body < 1'100'000; }

/// The namespaces that were generated, with the first two of the version.
std::vector<Namespace> namespaces_of_version() {
  std::vector<Namespace> made;
  for (const Namespace* each = namespaces; each->id != nullptr; ++each)
    made.push_back(*each);
  const bool v12 = version == "1.2";
  made[0].ns =
      v12 ? "http://www.w3.org/2003/05/soap-envelope" : "http://schemas.xmlsoap.org/soap/envelope/";
  made[1].ns =
      v12 ? "http://www.w3.org/2003/05/soap-encoding" : "http://schemas.xmlsoap.org/soap/encoding/";
  made[0].in = made[1].in = nullptr;
  made.push_back({nullptr, nullptr, nullptr, nullptr});
  return made;
}

/// Calls by the stub of the version.
template <class Request, class Response>
int call(
    struct soap* context,
    const std::string& url,
    int (*stub11)(struct soap*, const char*, const char*, Request*, Response&),
    int (*stub12)(struct soap*, const char*, const char*, Request*, Response&),
    Request& request,
    Response& response) {
  return (version == "1.2" ? stub12 : stub11)(context, url.c_str(), nullptr, &request, response);
}

void carry(struct soap* context, const std::string& url, const std::string& how, std::size_t size) {
  _ns1__Carry request;
  request.Text = text;
  request.Content = binary_of(context, bytes(size), how.empty());
  _ns1__CarryResponse response;
  const int done =
      call(context, url, soap_call___ns1__Carry, soap_call___ns1__Carry_, request, response);
  const auto* const back = response.CarryResult;
  check(
      std::to_string(size) + " bytes" + how,
      done == SOAP_OK && back && back->Text == text && text_of(back->Content) == bytes(size),
      reason(context));
}

void pour(struct soap* context, const std::string& url, const std::string& how, std::size_t size) {
  _ns1__Pour request;
  request.Text = text;
  request.Content = binary_of(context, bytes(size), how.empty());
  _ns1__PourResponse back;
  const int done = call(context, url, soap_call___ns1__Pour, soap_call___ns1__Pour_, request, back);
  check(
      std::to_string(size) + " bytes, streams" + how,
      done == SOAP_OK && back.Text == text && text_of(back.Content) == bytes(size),
      reason(context));
}

void look(struct soap* context, const std::string& url, const std::string& how) {
  _ns1__Last nothing;
  _ns1__LastResponse sizes;
  const int done =
      call(context, url, soap_call___ns1__Last, soap_call___ns1__Last_, nothing, sizes);
  const bool good = done == SOAP_OK && sizes.LastResult != nullptr;
  const bool is_part = how.empty();
  check("sent so" + how, good && is_raw(sizes.LastResult->In) == is_part, reason(context));
  check("answered so" + how, good && is_raw(sizes.LastResult->Out) == is_part, reason(context));
}

void refuse(struct soap* context, const std::string& url, const std::string& how) {
  _ns1__Carry request;
  request.Text = "refused";
  request.Content = binary_of(context, bytes(1'024), how.empty());
  _ns1__CarryResponse response;
  call(context, url, soap_call___ns1__Carry, soap_call___ns1__Carry_, request, response);
  check("a fault" + how, reason(context) == "refused", reason(context));
}

int call(const std::string& url) {
  const std::vector<Namespace> names = namespaces_of_version();
  const std::string address = url + "/soap/v3/Parcels.asmx";
  for (const bool is_part : {true, false}) {
    struct soap* const context = soap_new1(SOAP_XML_STRICT | (is_part ? SOAP_ENC_MTOM : 0));
    soap_set_namespaces(context, names.data());
    const std::string how = is_part ? "" : ", base64";
    for (const std::size_t size : {0U, 10U, 1'024U, 1'000'000U}) {
      carry(context, address, how, size);
      pour(context, address, how, size);
    }
    look(context, address, how);
    refuse(context, address, how);
    soap_destroy(context);
    soap_end(context);
    soap_free(context);
  }
  std::cout << passed << " passed, " << failed << " failed" << std::endl;
  return failed == 0 ? 0 : 1;
}

// --- The server ----------------------------------------------------------------------------------

std::string came_as;  // the Content-Type of the request, without its parameters
int (*parse_header)(struct soap*, const char*, const char*) = nullptr;

int keep_type(struct soap* context, const char* name, const char* value) {
  if (soap_tag_cmp(name, "Content-Type") == 0)
    came_as = std::string(value).substr(0, std::string(value).find(';'));
  return parse_header(context, name, value);
}

int serve() {
  struct soap* const context = soap_new1(SOAP_XML_STRICT | SOAP_ENC_MTOM);
  parse_header = context->fparsehdr;
  context->fparsehdr = keep_type;
  return serve_gsoap(context, [] {});
}

}  // namespace

int __ns1__Carry(struct soap* context, _ns1__Carry* request, _ns1__CarryResponse& response) {
  if (request->Text == "refused") return soap_sender_fault(context, "refused", nullptr);
  response.CarryResult = soap_new_ns1__Parcel(context);
  response.CarryResult->Text = came_as + " " + request->Text;
  response.CarryResult->Content = binary_of(context, text_of(request->Content), true);
  return SOAP_OK;
}
int __ns1__Carry_(struct soap* context, _ns1__Carry* request, _ns1__CarryResponse& response) {
  return __ns1__Carry(context, request, response);
}
int __ns1__Pour(struct soap* context, _ns1__Pour* request, _ns1__PourResponse& response) {
  response.Text = came_as + " " + request->Text;
  response.Content = binary_of(context, text_of(request->Content), true);
  return SOAP_OK;
}
int __ns1__Pour_(struct soap* context, _ns1__Pour* request, _ns1__PourResponse& response) {
  return __ns1__Pour(context, request, response);
}
int __ns1__Last(struct soap*, _ns1__Last*, _ns1__LastResponse&) { return SOAP_OK; }
int __ns1__Last_(struct soap*, _ns1__Last*, _ns1__LastResponse&) { return SOAP_OK; }

int main(int count, char** arguments) {
  if (count == 1) return serve();
  version = arguments[2];
  return call(arguments[1]);
}
