// A service for each set of options of `secured(...)`, and its response to requests without a
// required part: a fault of WS-Security, or, with `optionally`, the result.

#include <catch2/catch.hpp>

#include <array>
#include <set>

#include "secured_sets.hpp"
#include "signing.hpp"

namespace {

namespace impl = soapsvc::detail;
using impl::security_part;
using namespace secured_sets;

/// The interface of a service for the tests, independent of its options, so that the tests are
/// compiled once.
struct door {
  door() = default;
  door(const door&) = delete;
  door& operator=(const door&) = delete;
  virtual ~door() = default;
  virtual void add_to(soapsvc::dispatcher& services) = 0;
  virtual std::string call(soapsvc::transport to, soapsvc::client_options options) const = 0;

  std::string open_for(const soapsvc::context& told) {
    ++opened;
    return '[' + std::string(told.user) + '|' + (told.signer.empty() ? "" : "signed") + ']';
  }
  int opened = 0;
};

template <std::size_t Set> class Door final : public door {
public:
  std::string open(const soapsvc::context& told) { return open_for(told); }
  void add_to(soapsvc::dispatcher& services) override { services.add(*this); }
  std::string call(soapsvc::transport to, soapsvc::client_options options) const override {
    return soapsvc::client<Door>(std::move(to), std::move(options)).call(&Door::open);
  }
};

}  // namespace

template <std::size_t Set>
inline constexpr auto soapsvc::schema<Door<Set>> =
    service("Door", secured_sets::secured_by<Set>(), operation("Open", &Door<Set>::open));

namespace {

std::string describe(std::size_t set) {
  std::string made = "secured(";
  for (const word& each : words)
    if (has_word(set, each.option.part))
      made.append(made.back() == '(' ? "" : ", ").append(each.name);
  return made + ")";
}

using make_door = std::unique_ptr<door> (*)();

/// A host for one door, and its reports.
struct served {
  explicit served(make_door make) : door(make()) {
    soapsvc::dispatcher_options options;
    options.ns_base = "urn:test";
    options.base_path = "";
    options.security.check_password = [](auto user, auto, auto&) {
      return std::optional<std::string>(user);
    };
    options.security.find_password = [](auto, auto&) { return std::optional<std::string>("word"); };
    options.security.signatures.trusted_certificates_file = signing::caller().certificate_file;
    options.security.identity.certificate_file = signing::caller().file;
    options.on_error = [this](const soapsvc::error_report& told) { incident = told.what; };
    services = std::make_unique<soapsvc::dispatcher>(std::move(options));
    door->add_to(*services);
  }
  std::string description(const std::string& scheme) const {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = "/Door.asmx?wsdl";
    request.scheme = scheme;
    return services->handle(request).body;
  }
  soapsvc::http_response send(const std::string& body, bool v12) const {
    const soapsvc::http_header fields[] = {
        {"Content-Type", v12 ? "application/soap+xml" : "text/xml"}};
    soapsvc::http_request request;
    request.target = "/Door.asmx";
    request.scheme = "https";
    request.headers = fields;
    request.body = body;
    return services->handle(request);
  }

  std::unique_ptr<::door> door;
  std::string incident;
  std::unique_ptr<soapsvc::dispatcher> services;
};

enum class outcome { nothing, block, two_blocks };  // the Security blocks for this receiver

struct header {
  const char* name;
  outcome holds;
  std::string text;
};

std::vector<header> headers(bool v12) {
  const std::string role = v12 ? "role" : "actor";
  const std::string next = v12 ? "http://www.w3.org/2003/05/soap-envelope/role/next"
                               : "http://schemas.xmlsoap.org/soap/actor/next";
  const std::string none = "http://www.w3.org/2003/05/soap-envelope/role/none";
  const auto block = [&](const std::string& attributes) {
    return "<o:Security xmlns:o='" + std::string(impl::wsse_ns) + "' " + attributes + "/>";
  };
  const std::string other = "<x xmlns='urn:x'>text</x>", must = "s:mustUnderstand='1'";
  std::vector<header> made{
      {"no Header", outcome::nothing, ""},
      {"an empty Header", outcome::nothing, "<s:Header/>"},
      {"another block", outcome::nothing, "<s:Header>" + other + "</s:Header>"},
      {"Security for another", outcome::nothing, block("s:" + role + "='urn:other'")},
      {"Security for another, to be understood",
       outcome::nothing,
       block(must + " s:" + role + "='urn:other'")},
      {"Security for none", outcome::nothing, block("s:" + role + "='" + none + "'")},
      {"empty Security", outcome::block, block("")},
      {"empty Security, to be understood", outcome::block, block(must)},
      {"empty Security for the next", outcome::block, block("s:" + role + "='" + next + "'")},
      {"Security for another and for us",
       outcome::block,
       block("s:" + role + "='urn:other'") + other + block("")},
      {"two Security blocks", outcome::two_blocks, block("") + block("")},
      {"two, one for the next",
       outcome::two_blocks,
       block("s:" + role + "='" + next + "'") + block(must)}};
  for (header& each : made)
    if (each.text.starts_with("<o:")) each.text = "<s:Header>" + each.text + "</s:Header>";
  return made;
}

/// A fault's WS-Security code, or the result in its place.
std::string answer(const soapsvc::http_response& response, bool v12) {
  impl::xml_document document;
  soapsvc::soap_version version{};
  const impl::node root = document.parse(response.body, "utf-8", {});
  const impl::envelope message = impl::open_envelope(root, version);
  if ((version == soapsvc::soap_version::v1_2) != v12) return "the other version";
  const impl::node payload = impl::only_child(message.body);
  if (response.status == 200) return std::string(payload.first_child().text());
  impl::node code = payload.first_child();
  if (!payload.is(root.ns(), "Fault") || response.status != (v12 ? 400 : 500)) return "no fault";
  if (v12) {
    if (code.first_child().text() != "soap12:Sender") return "no fault of the sender";
    code = code.first_child().next_sibling().first_child();
  }
  const std::string_view name = code.text();
  const std::size_t colon = name.find(':');
  if (colon == name.npos || code.namespace_of(name.substr(0, colon)) != impl::wsse_ns)
    return "another code: " + std::string(name);
  return std::string(name.substr(colon + 1));
}

/// The expected response to a request without a required part.
void check_unsecured(std::size_t set, make_door make) {
  const bool optional = has_word(set, security_part::optionally);
  served host(make);
  for (const bool v12 : {false, true})
    for (const header& each : headers(v12)) {
      INFO(describe(set) << ": " << each.name << (v12 ? ", 1.2" : ", 1.1"));
      const int before = host.door->opened;
      const std::string text =
          "<s:Envelope xmlns:s='" + std::string(v12 ? signing::soap12 : signing::soap11) + "'>" +
          each.text + "<s:Body><Open xmlns='urn:test/Door'/></s:Body></s:Envelope>";
      const soapsvc::http_response response = host.send(text, v12);
      const bool is_served = optional && each.holds == outcome::nothing;
      CHECK(answer(response, v12) == (is_served ? "[|]" : "InvalidSecurity"));
      CHECK(host.door->opened == before + (is_served ? 1 : 0));
      CHECK(host.incident == "");
      const bool is_missing = !is_served && each.holds != outcome::two_blocks;
      CHECK(
          (response.body.find(" is missing; this service needs it") != response.body.npos) ==
          is_missing);
      // The parts of responses also follow from the options.
      const auto said = [&](const char* part) {
        return response.body.find(part) != response.body.npos;
      };
      const bool is_signed = has_word(set, security_part::signed_responses);
      CHECK(said("<ds:SignatureValue>") == (!optional && is_signed));
      const bool is_stamped = has_word(set, security_part::timestamp);
      CHECK(said("<wsu:Timestamp") == (!optional && is_stamped));
      CHECK_FALSE(said("SignatureConfirmation"));
    }
  const std::string encrypted =
      "<s:Envelope xmlns:s='" + std::string(signing::soap11) +
      "'><s:Body><EncryptedData xmlns='http://www.w3.org/2001/04/xmlenc#'/></s:Body>"
      "</s:Envelope>";
  INFO(describe(set));
  CHECK(answer(host.send(encrypted, false), false) == "UnsupportedSecurityToken");
}

/// Checks that the service above can be called.
void check_secured(std::size_t set, make_door make) {
  const bool is_signed = has_word(set, security_part::x509_signature);
  const bool is_named =
      has_word(set, security_part::password_text) || has_word(set, security_part::password_digest);
  served host(make);
  for (const bool v12 : {false, true}) {
    INFO(describe(set) << (v12 ? ", 1.2" : ", 1.1"));
    soapsvc::client_options options;
    options.ns_base = "urn:test";
    options.version = v12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
    options.security.user = "alice";
    options.security.password = "word";
    options.security.identity.certificate_file = signing::caller().file;
    options.security.signatures.trusted_certificates_file = signing::caller().certificate_file;
    const auto to_host = [&](const soapsvc::http_request& request) {
      return host.send(std::string(request.body), v12);
    };
    const std::string expected =
        std::string("[") + (is_named ? "alice" : "") + '|' + (is_signed ? "signed" : "") + ']';
    CHECK(host.door->call(to_host, options) == expected);
  }
  CHECK(host.door->opened == 2);
}

// --- Policies ------------------------------------------------------------------------------------

constexpr std::string_view wsp_ns = "http://www.w3.org/ns/ws-policy";

using impl::node;

std::vector<node> children(node of) {
  std::vector<node> all;
  for (node child = of ? of.first_child() : node(); child; child = child.next_sibling())
    all.push_back(child);
  return all;
}
std::vector<node> named_within(node apex, std::string_view ns, std::string_view local) {
  std::vector<node> all;
  for (node at = apex; at; at = impl::behind(at, apex))
    if (at.is(ns, local)) all.push_back(at);
  return all;
}
std::size_t count(node apex, std::string_view local) {
  return named_within(apex, impl::wssp_ns, local).size();
}

/// The errors in the children of an assertion's policy: each of `once` must occur once, each of
/// `perhaps` at most once, and no others.
std::string wrong_inside(
    node assertion, std::set<std::string_view> once, std::set<std::string_view> perhaps) {
  const std::vector<node> inside = children(assertion);
  if (inside.size() != 1 || !inside[0].is(wsp_ns, "Policy")) return "no policy of its own";
  for (const node each : children(inside[0])) {
    if (each.ns() != impl::wssp_ns) return "an assertion of another kind";
    if (once.erase(each.local()) + perhaps.erase(each.local()) == 0)
      return "unexpected " + std::string(each.local());
  }
  return once.empty() ? "" : "missing " + std::string(*once.begin());
}

/// The policies that a part of the binding refers to; each must be in the document.
std::vector<node> attached(node root, node subject) {
  std::vector<node> all;
  for (const node each : children(subject)) {
    if (!each.is(wsp_ns, "PolicyReference")) continue;
    const std::string uri(each.attribute("", "URI").value_or(""));
    const std::size_t before = all.size();
    for (const node policy : named_within(root, wsp_ns, "Policy"))
      if (policy.parent() == root &&
          '#' + std::string(*policy.attribute(impl::wsu_ns, "Id")) == uri)
        all.push_back(policy);
    CHECK(all.size() == before + 1);
  }
  return all;
}

/// The rules of WS-SecurityPolicy 1.2 for the policy of a binding: its subject is an endpoint (A.1,
/// A.2), so it applies to requests and responses.
void check_endpoint_policy(node policy, std::size_t set, bool is_tls) {
  using part = security_part;
  const auto has = [&](part word) { return has_word(set, word); };
  const bool is_signed = has(part::x509_signature);
  const bool both = has(part::password_text) && has(part::password_digest);
  const std::size_t alternatives = both ? 2 : 1;
  // 4.1.1: signed parts are asserted for messages.
  CHECK(count(policy, "SignedParts") == 0);
  // One binding in each alternative (6), and none for a message without protection.
  CHECK(count(policy, "AsymmetricBinding") == (is_signed ? alternatives : 0));
  CHECK(count(policy, "TransportBinding") == (!is_signed && is_tls ? alternatives : 0));
  for (const node each : named_within(policy, impl::wssp_ns, "TransportBinding"))
    CHECK(
        wrong_inside(each, {"TransportToken", "AlgorithmSuite"}, {"Layout", "IncludeTimestamp"}) ==
        "");
  for (const node each : named_within(policy, impl::wssp_ns, "AsymmetricBinding"))  // 7.5
    CHECK(
        wrong_inside(
            each,
            {"InitiatorToken", "RecipientToken", "AlgorithmSuite"},
            {"Layout", "IncludeTimestamp", "OnlySignEntireHeadersAndBody"}) == "");
  for (const char* name : {"InitiatorToken", "RecipientToken"})
    for (const node each : named_within(policy, impl::wssp_ns, name)) {
      CHECK(wrong_inside(each, {"X509Token"}, {}) == "");
      const node token = each.first_child().first_child();
      CHECK(wrong_inside(token, {"WssX509V3Token10"}, {}) == "");
      const std::string_view where =  // 5.1.1
          each.local() == "InitiatorToken" ? "AlwaysToRecipient"
          : has(part::signed_responses)    ? "AlwaysToInitiator"
                                           : "Never";
      CHECK(
          token.attribute(impl::wssp_ns, "IncludeToken") ==
          std::string(impl::wssp_ns) + "/IncludeToken/" + std::string(where));
    }
  // 6.2: a Timestamp is a property of bindings.
  const bool is_bound = is_signed || is_tls;
  CHECK(count(policy, "IncludeTimestamp") == (is_bound && has(part::timestamp) ? alternatives : 0));
  // 8.2: the binding decides how a token is signed.
  const bool is_named = has(part::password_text) || has(part::password_digest);
  CHECK(count(policy, "SignedSupportingTokens") == (is_named && is_bound ? alternatives : 0));
  CHECK(count(policy, "SupportingTokens") == (is_named && !is_bound ? 1u : 0) * alternatives);
  CHECK(count(policy, "HashPassword") == (has(part::password_digest) ? 1 : 0));
  // 9.2
  CHECK(
      count(policy, "RequireSignatureConfirmation") ==
      (has(part::confirmed_responses) ? alternatives : 0));
  for (const node each : named_within(policy, impl::wssp_ns, "Wss11"))
    CHECK(wrong_inside(each, {"RequireSignatureConfirmation"}, {}) == "");
}

/// The assertions of a message: its Body and the header blocks are signed (4.1.1).
void check_message_policies(const std::vector<node>& policies, bool is_signed, std::size_t set) {
  REQUIRE(policies.size() == (is_signed ? 1 : 0));
  if (!is_signed) return;
  const std::vector<node> parts = named_within(policies[0], impl::wssp_ns, "SignedParts");
  REQUIRE(parts.size() == 1);
  CHECK(count(parts[0], "Body") == 1);
  CHECK((count(parts[0], "Header") != 0) == has_word(set, security_part::signed_header_blocks));
  // It has nothing else, except an empty alternative.
  const bool optional = has_word(set, security_part::optionally);
  CHECK(named_within(policies[0], wsp_ns, "All").size() == (optional ? 2 : 0));
  for (node at = policies[0]; at; at = impl::behind(at, policies[0]))
    CHECK((at.ns() == wsp_ns || at == parts[0] || at.parent() == parts[0]));
}

void check_policies(std::size_t set, make_door make) {
  const served host(make);
  for (const bool is_tls : {false, true}) {
    INFO(describe(set) << (is_tls ? ", https" : ", http"));
    const std::string text = host.description(is_tls ? "https" : "http");
    impl::xml_document document;
    const node root = document.parse(text, "utf-8", {});
    const std::string_view wsdl_ns = root.ns();
    const std::vector<node> bindings = named_within(root, wsdl_ns, "binding");
    CHECK(bindings.size() == 2);
    for (const node binding : bindings) {
      const std::vector<node> policies = attached(root, binding);
      REQUIRE(policies.size() == 1);
      check_endpoint_policy(policies[0], set, is_tls);
      const std::vector<node> inputs = named_within(binding, wsdl_ns, "input");
      const std::vector<node> outputs = named_within(binding, wsdl_ns, "output");
      REQUIRE(inputs.size() == 1);
      REQUIRE(outputs.size() == 1);
      check_message_policies(
          attached(root, inputs[0]), has_word(set, security_part::x509_signature), set);
      check_message_policies(
          attached(root, outputs[0]), has_word(set, security_part::signed_responses), set);
    }
  }
}

template <std::size_t Set> constexpr make_door door_of() {
  if constexpr (is_valid(Set))
    return [] { return std::unique_ptr<door>(std::make_unique<Door<Set>>()); };
  else
    return nullptr;
}
constexpr auto doors = []<std::size_t... Set>(std::index_sequence<Set...>) {
  return std::array<make_door, set_count>{door_of<Set>()...};
}
(std::make_index_sequence<set_count>());

}  // namespace

TEST_CASE(
    "a request without a required part gets a fault, for every combination of secured",
    "[secured_words]") {
  int sets = 0;
  for (std::size_t set = 0; set != set_count; ++set) {
    if (!doors[set]) continue;
    check_unsecured(set, doors[set]);
    ++sets;
  }
  CHECK(sets == 110);  // 7 x 2 without signatures, 8 x 2 x 3 x 2 with them
}

TEST_CASE("the soapsvc client is served, for every combination of secured", "[secured_words]") {
  for (std::size_t set = 0; set != set_count; ++set)
    if (doors[set]) check_secured(set, doors[set]);
}

TEST_CASE(
    "policies follow WS-SecurityPolicy, for every combination of secured", "[secured_words]") {
  for (std::size_t set = 0; set != set_count; ++set)
    if (doors[set]) check_policies(set, doors[set]);
}
