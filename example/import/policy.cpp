#include "policy.hpp"

#include <algorithm>
#include <array>

namespace importer {

namespace {

constexpr std::array<std::string_view, 3> policy_ns{
    "http://www.w3.org/ns/ws-policy",
    "http://schemas.xmlsoap.org/ws/2004/09/policy",
    "http://schemas.xmlsoap.org/ws/2002/12/policy"};
constexpr std::string_view wsu_ns =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
constexpr std::string_view xml_ns = "http://www.w3.org/XML/1998/namespace";

bool is_yes(std::string_view text) { return text == "true" || text == "1"; }

/// Several bindings of one interface may say it, each differently: what demands less holds.
void read_addressing(Interface& made, Node, bool optional) {
  std::string& said = made.declared["addressing"];
  if (optional || said.empty()) said = optional ? "addressing" : "addressing(required)";
}

/// That of older contracts, an extension of WSDL with an attribute of its own.
void read_using_addressing(Interface& made, Node at, bool) {
  const auto required = at.attribute("http://schemas.xmlsoap.org/wsdl/", "required");
  read_addressing(made, at, !is_yes(required.value_or("")));
}

/// Who reads it may send plain envelopes or not: a service of ours takes both, and a client sends
/// what each takes.
void read_mtom(Interface& made, Node, bool) { made.declared["mtom"] = "mtom"; }

/// An assertion that tables can say.
struct Assertion {
  std::string_view ns;
  std::string_view local;
  void (*read)(Interface& made, Node at, bool optional);
};
constexpr Assertion assertions[]{
    {"http://www.w3.org/2007/05/addressing/metadata", "Addressing", read_addressing},
    {"http://www.w3.org/2007/02/addressing/metadata", "Addressing", read_addressing},
    {"http://www.w3.org/2006/05/addressing/wsdl", "UsingAddressing", read_using_addressing},
    {"http://www.w3.org/2005/08/addressing/wsdl", "UsingAddressing", read_using_addressing},
    {"http://schemas.xmlsoap.org/ws/2004/08/addressing", "UsingAddressing", read_using_addressing},
    {"http://schemas.xmlsoap.org/ws/2004/08/addressing/policy",
     "UsingAddressing",
     read_using_addressing},
    {"http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization",
     "OptimizedMimeSerialization",
     read_mtom},
    {"http://www.w3.org/2007/08/soap12-mtom-policy", "MTOM", read_mtom},
};

// --- WS-SecurityPolicy ----------------------------------------------------------------------------

bool is_security(std::string_view ns) {
  return ns == "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702" ||
         ns == "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802" ||
         ns == "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy";
}

/// What of a policy about security is done by whoever does the rest, or by TLS itself.
constexpr std::array<std::string_view, 33> implied{
    "AsymmetricBinding",
    "InitiatorToken",
    "InitiatorSignatureToken",
    "RecipientToken",
    "RecipientSignatureToken",
    "X509Token",
    "WssX509V3Token10",
    "WssX509V3Token11",
    "OnlySignEntireHeadersAndBody",
    "SignedParts",
    "Body",
    "Header",
    "TransportBinding",
    "TransportToken",
    "HttpsToken",
    "AlgorithmSuite",
    "Layout",
    "SupportingTokens",
    "SignedSupportingTokens",
    "SignedEncryptedSupportingTokens",
    "EncryptedSupportingTokens",
    "WssUsernameToken10",
    "WssUsernameToken11",
    "Created",
    "Nonce",
    "Wss10",
    "Wss11",
    "MustSupportRefKeyIdentifier",
    "MustSupportRefIssuerSerial",
    "MustSupportRefThumbprint",
    "MustSupportRefEncryptedKey",
    "MustSupportRefExternalURI",
    "MustSupportRefEmbeddedToken"};

/// Adds a word to secured(...), in its place. What goes with a signature waits for that: policies
/// stand in any order.
void demand(Interface& made, std::string_view word, bool optional) {
  made.secured.emplace(word);
  if (optional) made.secured.emplace("optionally");
  const auto said = [&](std::string_view what) { return made.secured.contains(what); };
  // A binding names the token of the service even where only requests are signed.
  const auto says = [&](std::string_view what) {
    const bool requests_alone = said("parts of requests") && !said("parts of responses");
    return said(what) && (what != "signed_responses" || !requests_alone);
  };
  const auto waits = [&](std::string_view what) {
    if (what == "confirmed_responses") return !says("x509_signature") || !says("signed_responses");
    return what.starts_with("signed_") && !says("x509_signature");
  };
  std::string words;
  for (const std::string_view each :
       {"password_text",
        "password_digest",
        "timestamp",
        "x509_signature",
        "signed_header_blocks",
        "signed_responses",
        "confirmed_responses"}) {
    if (!says(each) || waits(each)) continue;
    words.append(words.empty() ? "" : ", ").append(each);
  }
  if (words.empty()) return;
  const std::string_view first = says("optionally") ? "optionally, " : "";
  made.declared["security"] = "secured(" + std::string(first) + words + ')';
}

bool has_inside(Node at, std::string_view local) {
  for (Node child = at.first_child(); child; child = child.next_sibling())
    if (child.local() == local || has_inside(child, local)) return true;
  return false;
}

/// An X509Token signs what its owner says: requests, or responses. False: neither.
bool read_x509(Interface& made, std::string_view owner, bool optional) {
  if (owner.starts_with("Initiator")) return demand(made, "x509_signature", optional), true;
  if (owner.starts_with("Recipient")) return demand(made, "signed_responses", optional), true;
  return false;
}

/// What signs by SHA-1 in a suite with which messages are signed: ours are of SHA-256.
void read_suite(const Place& at, std::string_view owner, std::vector<std::string>& notes) {
  const Node policy = at.at.first_child();
  const Node suite = policy ? policy.first_child() : Node();
  if (owner != "AsymmetricBinding" || !suite) return;
  if (suite.local().find("Sha256") != std::string_view::npos) return;
  notes.push_back(
      at.text() + ": the policy asserts " +
      shown({std::string(suite.ns()), std::string(suite.local())}) +
      ", which uses SHA-1; soapsvc signs with SHA-256; set allow_sha1_digests and "
      "allow_sha1_signatures of "
      "soapsvc::signature_trust to accept SHA-1");
}

/// An assertion about security and those within it: UsernameToken, Timestamp and signatures are
/// options of the table, TLS is the host's, and what else is demanded is named. `owner` is the
/// assertion that it belongs to, the policies between them left out.
void read_security(
    Interface& made,
    Subject subject,
    const Place& at,
    bool optional,
    std::vector<std::string>& notes,
    std::string_view owner = {}) {
  const std::string_view name = at.at.local();
  if (is_security(at.at.ns())) {
    if (name == "IncludeTimestamp") return demand(made, "timestamp", optional);
    const bool is_token = name == "UsernameToken" && !has_inside(at.at, "NoPassword");
    if (is_token) {
      const bool digest = has_inside(at.at, "HashPassword");
      return demand(made, digest ? "password_digest" : "password_text", optional);
    }
    if (name == "RequireSignatureConfirmation")
      return demand(made, "confirmed_responses", optional);
    if (name == "SignedParts" && subject != Subject::responses)
      demand(made, "parts of requests", optional);
    if (name == "SignedParts" && subject != Subject::requests)
      demand(made, "parts of responses", optional);
    const bool is_header = name == "Header" && owner == "SignedParts";
    if (is_header) return demand(made, "signed_header_blocks", optional);
    const bool is_odd = name == "X509Token" && !read_x509(made, owner, optional);
    if (is_odd || std::find(implied.begin(), implied.end(), name) == implied.end())
      return notes.push_back(
          at.text() + ": the policy asserts " +
          shown({std::string(at.at.ns()), std::string(name)}) +
          ", which tables cannot express; left out");
    if (name == "AlgorithmSuite") return read_suite(at, owner, notes);
    if (name == "Layout" || name == "HttpsToken") return;
    owner = name;
  }
  for (Node child = at.at.first_child(); child; child = child.next_sibling())
    read_security(made, subject, {at.in, child}, optional, notes, owner);
}

/// Whether some alternative of a policy asserts nothing of security.
bool may_be_insecure(Node choice) {
  for (Node each = choice.first_child(); each; each = each.next_sibling()) {
    bool found = false;
    for (Node child = each.first_child(); child; child = child.next_sibling())
      found = found || is_security(child.ns());
    if (!found) return true;
  }
  return false;
}

/// The extensions of bindings that are no assertions, and read elsewhere.
bool is_binding(Node at) {
  return at.ns() == "http://schemas.xmlsoap.org/wsdl/soap/" ||
         at.ns() == "http://schemas.xmlsoap.org/wsdl/soap12/";
}

}  // namespace

bool is_policy(Node at, std::string_view local) {
  return at.local() == local &&
         std::find(policy_ns.begin(), policy_ns.end(), at.ns()) != policy_ns.end();
}

std::string policy_id(Node policy) {
  for (const std::string_view ns : {wsu_ns, xml_ns, std::string_view()})
    for (const std::string_view name : {"Id", "id"})
      if (const auto id = policy.attribute(ns, name)) return std::string(*id);
  return {};
}

void read_assertion(
    Interface& made,
    Subject subject,
    const Place& at,
    bool optional,
    std::vector<std::string>& notes) {
  const bool chooses = is_policy(at.at, "ExactlyOne");
  if (chooses || is_policy(at.at, "Policy") || is_policy(at.at, "All")) {
    const Node first = at.at.first_child();
    const bool several = chooses && first && first.next_sibling();
    const bool secure = several && !may_be_insecure(at.at);
    for (Node child = first; child; child = child.next_sibling())
      read_assertion(made, subject, {at.in, child}, optional || (several && !secure), notes);
    return;
  }
  if (is_binding(at.at)) return;
  for (const std::string_view ns : policy_ns)
    optional = optional || is_yes(at.at.attribute(ns, "Optional").value_or(""));
  if (is_security(at.at.ns())) return read_security(made, subject, at, optional, notes);
  for (const Assertion& each : assertions)
    if (at.at.is(each.ns, each.local)) return each.read(made, at.at, optional);
  notes.push_back(
      at.text() + ": the policy asserts " +
      shown({std::string(at.at.ns()), std::string(at.at.local())}) +
      ", which tables cannot express; left out");
}

void add_policy(Interface& made, const Interface& said) {
  const auto addressing = said.declared.find("addressing");
  if (addressing != said.declared.end())
    read_addressing(made, {}, addressing->second == "addressing");
  if (said.declared.contains("mtom")) read_mtom(made, {}, false);
  for (const std::string& word : said.secured)
    demand(made, word, false);
}

std::string said_action(Node message) {
  for (const std::string_view ns :
       {"http://www.w3.org/2007/05/addressing/metadata",
        "http://www.w3.org/2007/02/addressing/metadata",
        "http://www.w3.org/2006/05/addressing/wsdl",
        "http://www.w3.org/2005/08/addressing/wsdl",
        "http://schemas.xmlsoap.org/ws/2004/08/addressing"})
    if (const auto said = message.attribute(ns, "Action")) return std::string(*said);
  return {};
}

std::string default_action(
    const std::string& ns, const std::string& port_type, const std::string& name) {
  const std::string delimiter = ns.starts_with("urn:") ? ":" : "/";
  std::string action = ns + (ns.ends_with(delimiter) ? "" : delimiter);
  return action.append(port_type).append(delimiter).append(name);
}

}  // namespace importer
