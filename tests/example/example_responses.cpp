// All responses of the example are valid: each operation in both versions, with empty lists, absent
// and empty optionals, and faults with typed detail. They are validated against the published
// schema of the envelope and the schema in the service's WSDL. Then the WSDLs are validated.
#include "../support.hpp"
#include "example.hpp"

#include <catch2/catch.hpp>

using example::Header;
using example::Payroll;
using support::both;
using support::version;

namespace {

const std::string ns_base = "https://payroll.example.com/soap/v3/";

std::map<std::string, std::string> descriptions() {
  return Payroll().descriptions("WSDL", "localhost:8080");
}

std::string child(const std::string& name, const std::string& text) {
  return "<" + name + ">" + text + "</" + name + ">";
}
std::string employee(int id) { return child("EmployeeId", std::to_string(id)); }
std::string debtor(int id) { return child("DebtorId", std::to_string(id)); }

/// An address with all fields, and one with only its type.
std::string full_address() {
  std::string inside = child("Id", "0") + child("Default", "true");
  for (const char* name :
       {"Street",
        "HouseNumber",
        "HouseNumberAddition",
        "PostalCode",
        "City",
        "StateProvince",
        "CountryISOCode"})
    inside += child(name, "&lt;caf\xc3\xa9&gt; &amp; more");
  return child("Address", inside + child("Type", "HolidaysAddress"));
}
const std::string bare_address = child("Address", child("Type", "WorkAddress"));

struct exchange {
  const char* service;
  const char* operation;
  std::string children;
  std::optional<Header> header;
  int refused = 0;  ///< the error code; 0: it succeeds
  bool in_schema = true;  ///< the request is valid, too
};

std::vector<exchange> exchanges() {
  const std::string name = child("Username", "alice");
  const std::string password = name + child("Password", "correct horse");
  const std::string token = name + child("Token", "api-token-alice");
  const auto acme = example::acme;
  const auto globex = example::globex;
  return {
      {"SingleSignOn", "GetToken", password, {}},
      {"SingleSignOn", "GetToken", name, {}, 1001},
      {"SingleSignOn", "GetToken", "", {}, 1001},
      {"SingleSignOn", "GetToken2", token, {}},
      {"SingleSignOn", "GetToken2", name + child("Token", ""), {}, 1001},
      {"SingleSignOn", "GetTokenWithDomain", password + child("Domain", "acme"), {}},
      {"SingleSignOn", "GetTokenWithDomain", password + child("Domain", "globex"), {}, 1003},
      {"EmployeeService", "Address_GetListCurrent", employee(1), acme},
      {"EmployeeService", "Address_GetListCurrent", employee(1), example::alice},
      {"EmployeeService", "Address_GetListCurrent", employee(2), acme},  // an empty list
      {"EmployeeService", "Address_GetListCurrent", employee(100), acme},
      {"EmployeeService", "Address_GetListCurrent", employee(4), acme, 2003},
      {"EmployeeService", "Address_GetListCurrent", employee(1), globex, 2003},
      {"EmployeeService", "Address_GetListCurrent", employee(1), {}, 1001},
      {"EmployeeService", "Address_GetListCurrent", employee(1), Header{}, 1001},
      // Real clients leave these out, though the schema has them: they count as 0 and false.
      {"EmployeeService", "Address_InsertCurrent", employee(2) + bare_address, acme, 0, false},
      {"EmployeeService", "Address_InsertCurrent", employee(2) + full_address(), acme},
      {"EmployeeService", "Address_GetListCurrent", employee(2), acme},  // both
      {"EmployeeService", "Address_InsertCurrent", employee(9) + full_address(), acme, 2003},
      {"DebtorService", "WebhookSettings_Get", debtor(1), acme},  // one without events
      {"DebtorService", "WebhookSettings_Get", debtor(2), acme},  // an empty list
      {"DebtorService", "WebhookSettings_Get", debtor(3), globex},
      {"DebtorService", "WebhookSettings_Get", debtor(3), acme, 2009},
      {"DebtorService", "WebhookSettings_Get", debtor(1), Header{{}, {}, "nowhere"}, 1001},
  };
}

}  // namespace

TEST_CASE("every response of the example is valid in both versions", "[responses][rule-9]") {
  const auto described = descriptions();
  std::vector<std::string> envelopes[2];
  std::map<std::string, std::vector<std::string>> payloads;
  std::size_t refusals = 0;
  for (const version v : both) {
    Payroll payroll;  // new: the lists are the same for both
    for (const exchange& each : exchanges()) {
      INFO(each.operation << ": " << each.children);
      const auto response =
          payroll.send(each.service, each.operation, each.children, each.header, v);
      INFO(response.body);
      CHECK(response.content_type == support::content_type(v));
      envelopes[v == version::v1_1 ? 0 : 1].push_back(response.body);
      if (each.in_schema)
        payloads[each.service].push_back(
            "<" + std::string(each.operation) + " xmlns='" + ns_base + each.service + "'>" +
            each.children + "</" + each.operation + ">");
      if (each.refused == 0) {
        CHECK(response.status == 200);
        payloads[each.service].push_back(support::payload_of(response.body));
        continue;
      }
      ++refusals;
      const auto fault = support::fault_of(response);
      CHECK(fault.code == (v == version::v1_1 ? "Client" : "Sender"));
      const std::string number = std::to_string(each.refused);
      CHECK_THAT(fault.reason, Catch::Contains("---> " + number + ": "));
      // In 1.1 a fault about a header block has no detail.
      const bool header_in_11 = v == version::v1_1 && each.header.has_value();
      if (!fault.detail.empty()) {
        const support::document detail(fault.detail);
        CHECK(detail.root().is(ns_base + each.service, "Error"));
        const auto parts =
            support::children(detail.root(), ns_base + each.service, {"Code", "Message"});
        CHECK(parts[0].text() == number);
      } else {
        CHECK((header_in_11 || (v == version::v1_1 && each.refused == 1001)));
      }
    }
  }
  CHECK(refusals == 22);
  CHECK(support::schema_errors("tests/schemas/soap11-envelope.xsd", envelopes[0]) == "");
  CHECK(support::schema_errors("tests/schemas/soap12-envelope.xsd", envelopes[1]) == "");
  const support::scratch_folder folder;
  for (const auto& [service, bodies] : payloads) {
    const auto schema = folder.path() / (service + ".xsd");
    support::write_file(schema, support::schema_of_wsdl(described.at(service)));
    CHECK(support::schema_errors(schema, bodies) == "");
    std::string broken = bodies.back();
    broken.insert(broken.find('>') + 1, "<Stranger/>");
    CHECK_FALSE(support::schema_errors(schema, {broken}).empty());
  }
  CHECK(payloads.size() == 3);
}

TEST_CASE(
    "the header blocks of real clients are served: mandatory, with an actor, without a Domain",
    "[responses][rule-6]") {
  Payroll payroll;
  const std::string ns = ns_base + "EmployeeService";
  const auto ask = [&](version v, const std::string& attributes, const std::string& inside) {
    const std::string message = support::envelope(
        v,
        "<a:Address_GetListCurrent xmlns:a='" + ns +
            "'><a:EmployeeId>1</a:EmployeeId></a:" + "Address_GetListCurrent>",
        "<AuthHeaderWithDomain xmlns='" + ns + "'" + attributes + ">" + inside +
            "</AuthHeaderWithDomain>");
    const std::string type = support::content_type(v);
    return payroll.send_bytes("EmployeeService", message, type.substr(0, type.find(';')));
  };
  const std::string domain = child("Domain", "acme");
  const std::string caller = child("Username", "alice") + child("Token", "api-token-alice");
  for (const version v : both) {
    const std::string role = v == version::v1_1
                                 ? " e:actor='http://schemas.xmlsoap.org/soap/actor/next'"
                                 : " e:role='" + support::soap12_ns + "/role/ultimateReceiver'";
    for (const std::string& said :
         {std::string(),
          std::string(" e:mustUnderstand='1'"),
          std::string(" e:mustUnderstand='0'"),
          " e:mustUnderstand='1'" + role}) {
      CHECK(ask(v, said, domain).status == 200);
      CHECK(ask(v, said, caller + domain).status == 200);
      CHECK(ask(v, said, domain + caller).status == 200);
      CHECK(ask(v, said, caller).status == 200);  // alice is of one domain only
      CHECK(support::contains(ask(v, said, "").body, "1001"));
    }
  }
}

TEST_CASE(
    "the example's WSDLs are valid as WSDL 1.1, and their types as XML Schema",
    "[responses][description][rule-9]") {
  std::vector<std::string> texts;
  std::vector<std::string> schemas;
  for (const auto& [service, text] : descriptions()) {
    texts.push_back(text);
    schemas.push_back(support::schema_of_wsdl(text));
    CHECK(
        support::contains(text, "location=\"http://localhost:8080/soap/v3/" + service + ".asmx\""));
  }
  CHECK(support::schema_errors("tests/schemas/wsdl-all.xsd", texts) == "");
  CHECK(support::schema_errors("tests/schemas/XMLSchema.xsd", schemas) == "");
  std::string misspelt = schemas.front();
  misspelt.replace(misspelt.find("minOccurs"), 9, "minoccurs");
  CHECK_FALSE(support::schema_errors("tests/schemas/XMLSchema.xsd", {misspelt}).empty());
}
