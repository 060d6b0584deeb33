// gSOAP with its plugin for WS-Addressing: addressed_gsoap URL 1.1|1.2
//
// Uses the code that `wsdl2h` and `soapcpp2 -s` generate from the two WSDLs, whose policy makes
// them import the plugin's header. The stubs whose names end in `_` are for the ports of SOAP 1.2.
// The plugin sends the given values and checks responses by its rules; the content of the response
// is checked here.
#include <iostream>
#include <string>

#include "TakenSoap.nsmap"
#include "soapH.h"
#include "wsaapi.h"

namespace {

const std::string taken = "urn:letters:taken";
const std::string demanded = "http://example.com/letters/demanded";

std::string address;
std::string version;
int passed = 0;
int failed = 0;
struct soap* context = nullptr;

void check(const std::string& name, bool good, const std::string& found = "") {
  ++(good ? passed : failed);
  std::cout << (good ? "ok  " : "FAIL") << " gsoap " << version << ", addressing: " << name
            << (good ? "" : ": " + found) << std::endl;
}

std::string text(const char* of) { return of == nullptr ? "(absent)" : of; }
std::string reason() {
  if (context->error == SOAP_OK) return "(no fault)";
  soap_set_fault(context);
  const char** const string = soap_faultstring(context);
  return text(string == nullptr ? nullptr : *string);
}

/// Sets the target of a request, its message id and a ReplyTo; returns the id.
std::string begin(const std::string& action, const char* reply_to) {
  const char* const id = soap_wsa_rand_uuid(context);
  soap_wsa_request(context, id, address.c_str(), action.c_str());
  soap_wsa_add_ReplyTo(context, reply_to);
  return id;
}

/// Calls by the stub of the version, and checks the addressing headers of the response.
template <class Request, class Response>
int call(
    const std::string& service,
    int (*stub11)(struct soap*, const char*, const char*, Request*, Response&),
    int (*stub12)(struct soap*, const char*, const char*, Request*, Response&),
    Request& request,
    Response& response) {
  const std::string url = address + "/soap/v3/" + service + ".asmx";
  return (version == "1.1" ? stub11 : stub12)(context, url.c_str(), nullptr, &request, response);
}

template <class Say, class SayResponse, class Fail, class FailResponse, class Stubs>
void try_service(const std::string& service, const std::string& ns, const Stubs& stubs) {
  const std::string apart = ns.rfind("urn:", 0) == 0 ? ":" : "/";
  const char* const anonymous = "http://www.w3.org/2005/08/addressing/anonymous";
  std::string hello = "hello";
  Say say;
  say.Text = hello;
  SayResponse said;
  const std::string id = begin(ns + "/Say", anonymous);
  const int done = call(service, stubs.say11, stubs.say12, say, said);
  check(service + ": a call", done == SOAP_OK && said.SayResult == hello, reason());
  check(
      service + ": its response is one by the rules", soap_wsa_check(context) == SOAP_OK, reason());
  const auto* const header = context->header;
  const auto* const relates = header ? header->wsa5__RelatesTo : nullptr;
  check(service + ": what it relates to", relates && text(relates->__item) == id);
  const std::string action = header ? text(header->wsa5__Action) : "(no header)";
  check(
      service + ": what it is for",
      action == ns + apart + service + "Soap" + apart + "SayResponse",
      action);

  Fail fail;
  fail.Text = "no";
  FailResponse nothing;
  begin(ns + "/Fail", anonymous);
  call(service, stubs.fail11, stubs.fail12, fail, nothing);
  check(service + ": a fault", reason() == "no", reason());

  begin(ns + "/Say", "http://127.0.0.1:9/nobody");
  call(service, stubs.say11, stubs.say12, say, said);
  check(
      service + ": a ReplyTo that is an address",
      reason().find("is refused; allowed is") != std::string::npos,
      reason());

  begin(ns + "/Say", "http://www.w3.org/2005/08/addressing/none");
  const int accepted = call(service, stubs.say11, stubs.say12, say, said);
  check(service + ": a ReplyTo that is nobody", accepted == 202 || accepted == SOAP_OK, reason());
}

struct taken_stubs {
  decltype(&soap_call___ns1__Say) say11 = soap_call___ns1__Say, say12 = soap_call___ns1__Say_;
  decltype(&soap_call___ns1__Fail) fail11 = soap_call___ns1__Fail, fail12 = soap_call___ns1__Fail_;
};
struct demanded_stubs {
  decltype(&soap_call___ns2__Say) say11 = soap_call___ns2__Say, say12 = soap_call___ns2__Say_;
  decltype(&soap_call___ns2__Fail) fail11 = soap_call___ns2__Fail, fail12 = soap_call___ns2__Fail_;
};

}  // namespace

int main(int, char** arguments) {
  address = arguments[1];
  version = arguments[2];
  context = soap_new1(SOAP_XML_STRICT);
  soap_register_plugin(context, soap_wsa);
  try_service<_ns1__Say, _ns1__SayResponse, _ns1__Fail, _ns1__FailResponse>(
      "Taken", taken, taken_stubs());
  try_service<_ns2__Say, _ns2__SayResponse, _ns2__Fail, _ns2__FailResponse>(
      "Demanded", demanded, demanded_stubs());
  std::cout << passed << " passed, " << failed << " failed" << std::endl;
  soap_destroy(context);
  soap_end(context);
  soap_free(context);
}
