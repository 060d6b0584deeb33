// Whole responses of the example, byte for byte, and its WSDLs compared with the original ones. The
// requests in tests/golden are the samples of the description. The clock of the test stands at
// 2026-03-17. An issued token is random: the response files have {token} in its place.
#include "../support.hpp"
#include "example.hpp"

#include <catch2/catch.hpp>

namespace {

struct golden_case {
  const char* service;
  const char* operation;
};
constexpr golden_case cases[] = {
    {"SingleSignOn", "GetToken"},
    {"SingleSignOn", "GetToken2"},
    {"SingleSignOn", "GetTokenWithDomain"},
    {"EmployeeService", "Address_GetListCurrent"},
    {"EmployeeService", "Address_InsertCurrent"},
    {"DebtorService", "WebhookSettings_Get"}};

std::string golden_file(const golden_case& which, support::version v, const std::string& kind) {
  return std::string("tests/golden/") + which.service + '/' + which.operation +
         (v == support::version::v1_1 ? ".soap11." : ".soap12.") + kind + ".xml";
}

/// The response to a golden request that is sent once to a new database, so that ids do not depend
/// on earlier requests.
const soapsvc::http_response& send_golden(const golden_case& which, support::version v) {
  static std::map<std::string, soapsvc::http_response> responses;
  const std::string file = golden_file(which, v, "request");
  if (responses.count(file) == 0) {
    example::Payroll payroll;
    const char* type = v == support::version::v1_1 ? "text/xml" : "application/soap+xml";
    responses[file] = payroll.send_bytes(which.service, support::read_file(file), type);
  }
  return responses[file];
}

/// 43 characters of base64url: 256 bits.
std::string without_token(std::string response) {
  const std::size_t close = response.find("</GetToken");
  const std::size_t open =
      close == response.npos ? response.npos : response.rfind("Result>", close);
  if (open == response.npos) return response;
  const std::size_t from = open + 7;
  const std::string token = response.substr(from, close - from);
  const bool is_token =
      token.size() == 43 && token.find_first_not_of(
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-_") == token.npos;
  return is_token ? response.replace(from, token.size(), "{token}") : response;
}

std::map<std::string, std::string> wsdls() { return example::Payroll().descriptions("wsdl"); }

/// The reference with our additions: Username and Token before Domain in AuthHeaderWithDomain.
std::string with_additions(std::string reference) {
  const std::string s = "{http://www.w3.org/2001/XMLSchema}";
  const std::size_t type = reference.find(s + "complexType name='AuthHeaderWithDomain'");
  if (type == reference.npos) return reference;
  const std::size_t domain = reference.find("          " + s + "element", type);
  std::string added;
  for (const char* name : {"Username", "Token"})
    added += "          " + s + "element maxOccurs='1' minOccurs='0' name='" + name + "' type='" +
             s + "string'\n";
  return reference.insert(domain, added);
}

/// Our WSDL without the documentation of types and elements, which the reference does not have. An
/// element that contained only documentation is then empty.
std::string without_documentation(std::string wsdl) {
  const std::string begins = "<s:annotation>", ends = "</s:annotation>";
  for (auto at = wsdl.find(begins); at != wsdl.npos; at = wsdl.find(begins, at)) {
    const std::size_t past = wsdl.find('<', wsdl.find(ends, at) + ends.size());
    at = wsdl.rfind('>', at) + 1;
    wsdl.erase(at, past - at);
  }
  return wsdl;
}

}  // namespace

TEST_CASE("golden requests get golden responses in both versions", "[golden][rule-1][rule-2]") {
  for (const golden_case& which : cases) {
    for (const support::version v : support::both) {
      INFO(golden_file(which, v, "request"));
      const auto& response = send_golden(which, v);
      CHECK(response.status == 200);
      CHECK(response.content_type == support::content_type(v));
      CHECK(without_token(response.body) == support::read_file(golden_file(which, v, "response")));
    }
  }
}

TEST_CASE(
    "golden messages are valid against the envelope's schema and the service's own",
    "[golden][description]") {
  const auto described = wsdls();
  const support::scratch_folder folder;
  std::map<std::string, std::vector<std::string>> payloads;
  std::vector<std::string> messages[2];
  for (const golden_case& which : cases) {
    for (const support::version v : support::both) {
      for (const std::string& message :
           {support::read_file(golden_file(which, v, "request")), send_golden(which, v).body}) {
        messages[v == support::version::v1_1 ? 0 : 1].push_back(message);
        payloads[which.service].push_back(support::payload_of(message));
      }
    }
  }
  CHECK(support::schema_errors("tests/schemas/soap11-envelope.xsd", messages[0]) == "");
  CHECK(support::schema_errors("tests/schemas/soap12-envelope.xsd", messages[1]) == "");
  for (const auto& [service, bodies] : payloads) {
    const auto schema = folder.path() / (service + ".xsd");
    support::write_file(schema, support::schema_of_wsdl(described.at(service)));
    CHECK(support::schema_errors(schema, bodies) == "");
  }
}

TEST_CASE(
    "except for documentation, the WSDLs are those from which clients were generated, with "
    "Username and Token added",
    "[golden][description][rule-9]") {
  for (const auto& [service, text] : wsdls()) {
    INFO(service);
    const std::string reference = support::read_file("tests/golden/wsdl/" + service + ".wsdl");
    CHECK_THAT(text, Catch::Contains("<s:documentation>"));
    CHECK(
        support::canonical(without_documentation(text)) ==
        with_additions(support::canonical(reference)));
  }
}

TEST_CASE("the WSDLs are valid against the schemas of WSDL 1.1", "[golden][description][rule-9]") {
  std::vector<std::string> texts;
  for (const auto& [service, text] : wsdls())
    texts.push_back(text);
  CHECK(support::schema_errors("tests/schemas/wsdl-all.xsd", texts) == "");
}
