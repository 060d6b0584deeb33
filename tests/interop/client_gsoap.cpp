// gSOAP against the payroll demo: client_gsoap URL 1.1|1.2 full|token
//
// Uses the code that `wsdl2h` and `soapcpp2 -s` generate from the three WSDLs, once with -1 and
// once with -2; the stubs whose names end in `_` are for the ports of SOAP 1.2. Calls all six
// operations with strict validation of responses, and checks typed values, faults and a round trip.
// gSOAP sends mustUnderstand on the header block. The other clients in this folder make the same
// checks under the same names.
#include <cstdlib>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "EmployeeServiceSoap.nsmap"
#include "soapH.h"

namespace {

const std::string namespaces = "https://payroll.example.com/soap/v3/";
const std::string awkward = "Café & <b>Straße</b> \"€\" 'ü' ]]> 日本";
const std::string invalid = "Invalid Authentication";
const std::string unauthorized = "Unauthorized access";

std::string address;
std::string version;
int passed = 0;
int failed = 0;

void check(const std::string& name, bool good, const std::string& found = "") {
  ++(good ? passed : failed);
  std::cout << (good ? "ok  " : "FAIL") << " gsoap " << version << ": " << name
            << (good ? "" : ": " + found) << std::endl;
}

bool is_11() { return version == "1.1"; }

// --- gSOAP's context -----------------------------------------------------------------------------

struct soap* context = nullptr;

/// A string that lives until the next call; null for none.
using Text = const char*;
std::string* kept(Text text) {
  if (text == nullptr) return nullptr;
  std::string* copy = soap_new_std__string(context);
  *copy = text;
  return copy;
}

std::string shown(const std::string* text) { return text == nullptr ? "(absent)" : *text; }
std::string shown(const char* text) { return text == nullptr ? "(absent)" : text; }

/// AuthHeaderWithDomain; `sent` is false for no header at all.
struct Header {
  Text domain = nullptr;
  Text user = nullptr;
  Text token = nullptr;
  bool sent = true;
};
const Header acme{"acme"};
const Header none{nullptr, nullptr, nullptr, false};

template <class Block> Block* block_of(const Header& header, Block* block) {
  block->Username = kept(header.user);
  block->Token = kept(header.token);
  block->Domain = kept(header.domain);
  return block;
}

std::string endpoint(const std::string& service) {
  return address + "/soap/v3/" + service + ".asmx";
}

void employee_header(const Header& header) {
  context->header = soap_new_SOAP_ENV__Header(context);
  if (header.sent)
    context->header->ns2__AuthHeaderWithDomain_ =
        block_of(header, soap_new_ns2__AuthHeaderWithDomain(context));
}

void debtor_header(const Header& header) {
  context->header = soap_new_SOAP_ENV__Header(context);
  if (header.sent)
    context->header->ns3__AuthHeaderWithDomain_ =
        block_of(header, soap_new_ns3__AuthHeaderWithDomain(context));
}

/// One call by the stub of the port of the version under test; false for a fault.
template <class Stub, class Request, class Response>
bool call(
    const std::string& service, Stub stub11, Stub stub12, Request* request, Response* response) {
  return (is_11() ? stub11 : stub12)(
             context, endpoint(service).c_str(), nullptr, request, *response) == SOAP_OK;
}

std::string reason() { return shown(soap_fault_string(context)); }

struct Failure {
  std::string what;
};

/// The result of a call that must succeed.
[[noreturn]] void fail(const std::string& operation) {
  throw Failure{operation + ": error " + std::to_string(context->error) + ", " + reason()};
}

/// The call must have failed with the code in the text, and typed in the detail where there is one.
void fault(
    const std::string& name,
    const std::string& service,
    int code,
    const std::string& message,
    bool served) {
  if (served) {
    check(name, false, "it was served");
    return;
  }
  const std::string number = std::to_string(code);
  const std::string expected = "Unable to process request. ---> " + number + ": " + message;
  check(name, reason() == expected, reason());
  const std::string kind = shown(*soap_faultcode(context));
  check(name + ", its code", kind == (is_11() ? "SOAP-ENV:Client" : "SOAP-ENV:Sender"), kind);
  const char* detail = soap_fault_detail(context);
  if (is_11() && code == 1001 && service != "SingleSignOn") {
    // SOAP 1.1, 4.4: an error about a header block carries no detail.
    check(name + ", no detail", detail == nullptr, shown(detail));
    return;
  }
  const std::string error = "<Error xmlns=\"" + namespaces + service + "\"><Code>" + number +
                            "</Code><Message>" + message + "</Message></Error>";
  check(name + ", its detail", shown(detail).find(error) != std::string::npos, shown(detail));
}

// --- Operations ----------------------------------------------------------------------------------

bool get_token2(Text user, Text token, std::string* result) {
  _ns1__GetToken2* request = soap_new__ns1__GetToken2(context);
  request->Username = kept(user);
  request->Token = kept(token);
  _ns1__GetToken2Response* response = soap_new__ns1__GetToken2Response(context);
  const bool good = call(
      "SingleSignOn", soap_call___ns1__GetToken2, soap_call___ns1__GetToken2_, request, response);
  if (good) *result = shown(response->GetToken2Result);
  return good;
}

bool get_token(Text user, Text password, std::string* result) {
  _ns1__GetToken* request = soap_new__ns1__GetToken(context);
  request->Username = kept(user);
  request->Password = kept(password);
  _ns1__GetTokenResponse* response = soap_new__ns1__GetTokenResponse(context);
  const bool good = call(
      "SingleSignOn", soap_call___ns1__GetToken, soap_call___ns1__GetToken_, request, response);
  if (good) *result = shown(response->GetTokenResult);
  return good;
}

bool get_token_with_domain(Text user, Text password, Text domain, std::string* result) {
  _ns1__GetTokenWithDomain* request = soap_new__ns1__GetTokenWithDomain(context);
  request->Username = kept(user);
  request->Password = kept(password);
  request->Domain = kept(domain);
  auto* response = soap_new__ns1__GetTokenWithDomainResponse(context);
  const bool good = call(
      "SingleSignOn",
      soap_call___ns1__GetTokenWithDomain,
      soap_call___ns1__GetTokenWithDomain_,
      request,
      response);
  if (good) *result = shown(response->GetTokenWithDomainResult);
  return good;
}

using Addresses = std::vector<ns2__EmployeeAddress*>;

bool list_served(int employee, const Header& header, Addresses* result) {
  employee_header(header);
  auto* request = soap_new__ns2__Address_USCOREGetListCurrent(context);
  request->EmployeeId = employee;
  auto* response = soap_new__ns2__Address_USCOREGetListCurrentResponse(context);
  const bool good = call(
      "EmployeeService",
      soap_call___ns2__Address_USCOREGetListCurrent,
      soap_call___ns2__Address_USCOREGetListCurrent_,
      request,
      response);
  const ns2__ArrayOfEmployeeAddress* list = response->Address_USCOREGetListCurrentResult;
  if (good && list != nullptr) *result = list->EmployeeAddress;
  return good;
}

Addresses addresses(int employee, const Header& header) {
  Addresses list;
  if (!list_served(employee, header, &list)) fail("Address_GetListCurrent");
  return list;
}

bool insert_served(int employee, ns2__EmployeeAddress* sent, int* id) {
  employee_header(acme);
  auto* request = soap_new__ns2__Address_USCOREInsertCurrent(context);
  request->EmployeeId = employee;
  request->Address = sent;
  auto* response = soap_new__ns2__Address_USCOREInsertCurrentResponse(context);
  const bool good = call(
      "EmployeeService",
      soap_call___ns2__Address_USCOREInsertCurrent,
      soap_call___ns2__Address_USCOREInsertCurrent_,
      request,
      response);
  *id = response->Address_USCOREInsertCurrentResult;
  return good;
}

int insert(ns2__EmployeeAddress* sent) {
  int id = 0;
  if (!insert_served(2, sent, &id)) fail("Address_InsertCurrent");
  return id;
}

using Settings = std::vector<ns3__WebhookSetting*>;

bool settings_served(int debtor, const Header& header, Settings* result) {
  debtor_header(header);
  auto* request = soap_new__ns3__WebhookSettings_USCOREGet(context);
  request->DebtorId = debtor;
  auto* response = soap_new__ns3__WebhookSettings_USCOREGetResponse(context);
  const bool good = call(
      "DebtorService",
      soap_call___ns3__WebhookSettings_USCOREGet,
      soap_call___ns3__WebhookSettings_USCOREGet_,
      request,
      response);
  const ns3__ArrayOfWebhookSetting* list = response->WebhookSettings_USCOREGetResult;
  if (good && list != nullptr) *result = list->WebhookSetting;
  return good;
}

Settings settings(int debtor, const Header& header) {
  Settings list;
  if (!settings_served(debtor, header, &list)) fail("WebhookSettings_Get");
  return list;
}

// --- The checks ----------------------------------------------------------------------------------

std::string sign_on_checks() {
  std::string tokens[3];
  if (!get_token2("alice", "api-token-alice", &tokens[0])) fail("GetToken2");
  if (!get_token("alice", "correct horse", &tokens[1])) fail("GetToken");
  if (!get_token_with_domain("alice", "correct horse", "acme", &tokens[2]))
    fail("GetTokenWithDomain");
  check("the response speaks the version", context->version == (is_11() ? 1 : 2));
  const char* names[] = {"GetToken2", "GetToken", "GetTokenWithDomain"};
  for (int i = 0; i < 3; ++i)
    check(std::string(names[i]) + " answers a token", tokens[i].size() == 43, tokens[i]);
  check("every token is a new one", std::set<std::string>(tokens, tokens + 3).size() == 3);
  std::string ignored;
  const auto refused = [](const std::string& name, bool served) {
    fault(name, "SingleSignOn", 1001, invalid, served);
  };
  refused("GetToken2, wrong API token", get_token2("alice", "wrong", &ignored));
  refused("GetToken, wrong password", get_token("alice", "wrong", &ignored));
  refused(
      "GetTokenWithDomain, unknown domain",
      get_token_with_domain("alice", "correct horse", "nowhere", &ignored));
  refused("GetToken2, all absent", get_token2(nullptr, nullptr, &ignored));
  return tokens[0];
}

void list_checks() {
  const Addresses list = addresses(1, acme);
  check("employee 1 has three addresses", list.size() == 3, std::to_string(list.size()));
  check(
      "types",
      list.at(0)->Type == ns2__AddressType__HomeAddress &&
          list.at(1)->Type == ns2__AddressType__PostAddress &&
          list.at(2)->Type == ns2__AddressType__WorkAddress);
  check("one default, the first", list[0]->Default && !list[1]->Default && !list[2]->Default);
  check("ids are numbers in order", list[0]->Id < list[1]->Id && list[1]->Id < list[2]->Id);
  bool filled = true;
  for (const ns2__EmployeeAddress* a : list)
    for (const std::string* text :
         {a->Street, a->HouseNumber, a->PostalCode, a->City, a->CountryISOCode})
      filled = filled && text != nullptr && !text->empty();
  check("the other fields are filled", filled);
  check("umlauts", shown(list[2]->Street) == "Königsallee", shown(list[2]->Street));
  check(
      "one HouseNumberAddition is absent",
      list[0]->HouseNumberAddition != nullptr && list[1]->HouseNumberAddition == nullptr &&
          list[2]->HouseNumberAddition != nullptr);
  check(
      "one StateProvince is empty",
      list[0]->StateProvince != nullptr && list[1]->StateProvince != nullptr &&
          shown(list[2]->StateProvince).empty());
  check("employee 2 has none", addresses(2, acme).empty());
  std::set<int> ids;
  for (const ns2__EmployeeAddress* a : addresses(100, acme))
    ids.insert(a->Id);
  check("employee 100 has a hundred", ids.size() == 100, std::to_string(ids.size()));
  check("employee 3 of the other domain", addresses(3, Header{"globex"}).size() == 1);
}

void header_checks(const std::string& token) {
  const char* issued = token.c_str();
  check("header with an issued token", addresses(1, {"acme", "alice", issued}).size() == 3);
  check(
      "header with the API token", addresses(1, {"acme", "alice", "api-token-alice"}).size() == 3);
  check("header without Domain", addresses(1, {nullptr, "alice", issued}).size() == 3);
  const auto refused = [](const std::string& name,
                          int code,
                          const std::string& message,
                          const Header& header,
                          int employee = 1) {
    Addresses ignored;
    fault(name, "EmployeeService", code, message, list_served(employee, header, &ignored));
  };
  refused("wrong token", 1001, invalid, {"acme", "alice", "wrong"});
  refused("missing header", 1001, invalid, none);
  refused("empty header", 1001, invalid, Header{});
  refused("unknown domain", 1001, invalid, Header{"nowhere"});
  refused("the domain of others", 1003, unauthorized, {"globex", "alice", issued});
  refused("unknown employee", 2003, unauthorized, acme, 4711);
  refused("employee of another domain", 2003, unauthorized, acme, 3);
}

std::vector<std::string> strings(const ns2__EmployeeAddress* a) {
  return {
      shown(a->Street),
      shown(a->HouseNumber),
      shown(a->HouseNumberAddition),
      shown(a->PostalCode),
      shown(a->City),
      shown(a->StateProvince),
      shown(a->CountryISOCode)};
}

ns2__EmployeeAddress* filled(
    ns2__AddressType type, bool is_default, const std::vector<Text>& texts) {
  ns2__EmployeeAddress* made = soap_new_ns2__EmployeeAddress(context);
  made->Default = is_default;
  made->Type = type;
  std::string** const members[] = {
      &made->Street,
      &made->HouseNumber,
      &made->HouseNumberAddition,
      &made->PostalCode,
      &made->City,
      &made->StateProvince,
      &made->CountryISOCode};
  for (std::size_t i = 0; i < texts.size(); ++i)
    *members[i] = kept(texts[i]);
  return made;
}

void insert_checks() {
  auto* sent = filled(
      ns2__AddressType__HolidaysAddress,
      false,
      {awkward.c_str(), "12", nullptr, "1011 AB", " é ", "", "NL"});
  const int new_id = insert(sent);
  check("insert answers a number", new_id > 0, std::to_string(new_id));
  Addresses list = addresses(2, acme);
  check("the inserted address is listed alone", list.size() == 1 && list[0]->Id == new_id);
  check(
      "it reads back as it was sent", strings(list.at(0)) == strings(sent), shown(list[0]->Street));
  check("its type and default", list[0]->Type == sent->Type && !list[0]->Default);
  check("the absent string stays absent", list[0]->HouseNumberAddition == nullptr);
  const int bare = insert(filled(ns2__AddressType__WeekendAddress, true, {}));
  const int last = insert(filled(ns2__AddressType__WorkAddress, true, {}));
  check("ids rise", new_id < bare && bare < last);
  auto* full = filled(
      ns2__AddressType__AbsenceAddress, false, {"a ü", "b\tb", "c", "d", "e\n\ne", "f", " g"});
  auto* empty = filled(ns2__AddressType__PostAddress, false, {"", "", "", "", "", "", ""});
  insert(full);
  insert(empty);
  list = addresses(2, acme);
  std::string defaults;
  for (const ns2__EmployeeAddress* a : list)
    defaults += a->Default ? '1' : '0';
  check("a new default replaces the old", defaults == "00100", defaults);
  check("all strings absent", strings(list.at(1)) == std::vector<std::string>(7, "(absent)"));
  check("all strings filled", strings(list.at(3)) == strings(full), shown(list[3]->City));
  check("all strings empty", strings(list.at(4)) == std::vector<std::string>(7));
  int ignored = 0;
  fault(
      "insert for an unknown employee",
      "EmployeeService",
      2003,
      unauthorized,
      insert_served(4711, empty, &ignored));
  check(
      "insert of no address",
      !insert_served(2, nullptr, &ignored) && reason().find("Address_InsertCurrent/Address") == 0,
      reason());
}

void debtor_checks(const std::string& token) {
  const Settings found = settings(1, acme);
  check(
      "debtor 1 has its settings",
      found.size() == 2 && found[0]->WebhookSettingId == 1 && found[0]->Active &&
          shown(found[0]->Name) == "Payroll runs" && found[1]->WebhookSettingId == 2 &&
          !found[1]->Active && shown(found[1]->Name) == "Archive");
  check(
      "with an endpoint each",
      found.at(0)->Endpoint != nullptr && found.at(1)->Endpoint != nullptr);
  const std::vector<ns3__Event*>& events = found[0]->Event;
  check(
      "with events",
      events.size() == 2 && events[0]->EventId == 1 && events[0]->Active &&
          shown(events[0]->EventName) == "Run Finish" && events[1]->EventId == 2 &&
          !events[1]->Active && shown(events[1]->EventName) == "Journals Finish");
  check("or without", found[1]->Event.empty());
  check("debtor 2 has none", settings(2, acme).empty());
  check("debtor 3 of the other domain", settings(3, Header{"globex"}).size() == 1);
  check("with an issued token", settings(1, {"acme", "alice", token.c_str()}).size() == 2);
  Settings ignored;
  fault(
      "unknown debtor", "DebtorService", 2009, unauthorized, settings_served(4711, acme, &ignored));
  fault(
      "debtor of another domain",
      "DebtorService",
      2009,
      unauthorized,
      settings_served(3, acme, &ignored));
  fault(
      "debtor, missing header", "DebtorService", 1001, invalid, settings_served(1, none, &ignored));
}

/// For a server that was started with --auth token --no-deprecated.
void token_checks() {
  std::string token;
  const bool served = get_token("alice", "correct horse", &token);
  const std::string advice = "use GetToken2 instead";
  const std::string told = served ? "it was served" : reason();
  check("--no-deprecated: GetToken", told.find(advice) != std::string::npos, told);
  if (!get_token2("alice", "api-token-alice", &token)) fail("GetToken2");
  check("--auth token: with a token", addresses(1, {"acme", "alice", token.c_str()}).size() == 3);
  Addresses no_addresses;
  fault(
      "--auth token: Domain alone",
      "EmployeeService",
      1001,
      invalid,
      list_served(1, acme, &no_addresses));
  Settings no_settings;
  fault(
      "--auth token: Domain alone, debtor",
      "DebtorService",
      1001,
      invalid,
      settings_served(1, acme, &no_settings));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  address = arguments[1];
  version = arguments[2];
  context = soap_new1(SOAP_XML_STRICT | SOAP_C_UTFSTRING | SOAP_IO_KEEPALIVE);
  context->connect_timeout = context->send_timeout = context->recv_timeout = 20;
  if (const char* file = std::getenv("SSL_CERT_FILE")) {
    soap_ssl_init();
    if (soap_ssl_client_context(
            context, SOAP_SSL_DEFAULT, nullptr, nullptr, file, nullptr, nullptr))
      check("the certificate is read", false, reason());
  }
  try {
    if (std::string(arguments[3]) == "token") {
      token_checks();
    } else {
      const std::string token = sign_on_checks();
      list_checks();
      header_checks(token);
      insert_checks();
      debtor_checks(token);
    }
  } catch (const Failure& failure) {  // a client that gives up is a failed check
    check("no error of the client's own", false, failure.what);
  } catch (const std::exception& error) {
    check("no error of the client's own", false, error.what());
  }
  soap_destroy(context);
  soap_end(context);
  soap_free(context);
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}
