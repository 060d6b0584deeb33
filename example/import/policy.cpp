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

/// An assertion that tables can express.
struct Assertion {
  std::string_view ns;
  std::string_view local;
  void (*read)(Demands& made, Node at, bool optional);
};

/// Several policies may assert it differently: the weakest demand counts.
void read_addressing(Demands& made, Node, bool optional) {
  using Addressing = Demands::Addressing;
  if (optional || made.addressing == Addressing::none)
    made.addressing = optional ? Addressing::optional : Addressing::required;
}

/// The WSDL extension of older contracts, with its own attribute.
void read_using_addressing(Demands& made, Node at, bool) {
  const auto required = at.attribute("http://schemas.xmlsoap.org/wsdl/", "required");
  read_addressing(made, at, !is_yes(required.value_or("")));
}

/// Clients may send plain envelopes or MTOM. soapsvc services accept both, and soapsvc clients send
/// the form that each service accepts.
void read_mtom(Demands& made, Node, bool) { made.mtom = true; }

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

const Assertion* assertion_of(Node at) {
  for (const Assertion& each : assertions)
    if (at.is(each.ns, each.local)) return &each;
  return nullptr;
}

bool is_of_policies(Node at) {
  return std::find(policy_ns.begin(), policy_ns.end(), at.ns()) != policy_ns.end();
}

bool is_policy(Node at, std::string_view local) {
  return at.local() == local && is_of_policies(at);
}

// --- WS-SecurityPolicy ----------------------------------------------------------------------------

bool is_security(std::string_view ns) {
  return ns == "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702" ||
         ns == "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802" ||
         ns == "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy";
}

/// Assertions about security that need no option: other options or TLS satisfy them.
constexpr std::array<std::string_view, 34> implied{
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
    "HashPassword",
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

Node find_inside(Node at, std::string_view local) {
  for (Node child = at.first_child(); child; child = child.next_sibling()) {
    if (child.local() == local) return child;
    if (const Node found = find_inside(child, local)) return found;
  }
  return {};
}

bool has_inside(Node at, std::string_view local) {
  return static_cast<bool>(find_inside(at, local));
}

/// True for extensions that are not assertions: they are read elsewhere or demand nothing of
/// messages.
bool is_read_elsewhere(Node at) {
  const std::string_view ns = at.ns();
  if (at.is("http://www.w3.org/2005/08/addressing", "EndpointReference"))
    return !has_inside(at, "ReferenceParameters");
  return ns == "http://schemas.xmlsoap.org/wsdl/" ||
         ns == "http://schemas.xmlsoap.org/wsdl/soap/" ||
         ns == "http://schemas.xmlsoap.org/wsdl/soap12/" || is_of_policies(at);
}

/// The ids and the name by which references name a policy.
std::vector<std::string> ids_of(Node policy) {
  std::vector<std::string> all;
  for (const std::string_view ns : {wsu_ns, xml_ns, std::string_view()})
    for (const std::string_view name : {"Id", "id"})
      if (const auto id = policy.attribute(ns, name)) all.push_back('#' + std::string(*id));
  if (const auto name = policy.attribute("Name")) all.emplace_back(*name);
  return all;
}

/// The maximum depth of references between policies, and the maximum number of assertions.
constexpr std::size_t most_depth = 16;
constexpr std::size_t most_steps = 100'000;

}  // namespace

// --- Demands -------------------------------------------------------------------------------------

void Demands::demand(std::string_view word, bool optional) {
  const auto [known, is_new] = secured.emplace(word, optional);
  if (!is_new) known->second = known->second && optional;
}

void Demands::add(const Demands& said) {
  if (said.addressing != Addressing::none)
    read_addressing(*this, {}, said.addressing == Addressing::optional);
  mtom = mtom || said.mtom;
  for (const auto& [word, is_open] : said.secured)
    demand(word, is_open);
  if (!problem) problem = said.problem;
}

bool Demands::demands(std::string_view word) const {
  const auto found = secured.find(word);
  return found != secured.end() && !found->second;
}

/// A table with both forms of a password accepts either.
static bool demands_password(const Demands& of) {
  return of.demands("password_text") || of.demands("password_digest");
}

bool Demands::is_closed() const {
  const std::string said = security();
  return !said.empty() && !said.starts_with("secured(optionally");
}

bool Demands::needs_credentials() const {
  return demands_password(*this) || demands("x509_signature");
}

void Demands::add_one_of(const std::vector<Demands>& all) {
  Demands made;
  for (const Demands& each : all)
    made.add(each);
  for (auto& [word, is_open] : made.secured) {
    const auto has = [&word = word](const Demands& of) {
      return of.demands(word) || (word.starts_with("password_") && demands_password(of));
    };
    is_open = !std::all_of(all.begin(), all.end(), has);
  }
  const auto addresses = [](const Demands& of) { return of.addressing == Addressing::required; };
  if (made.addressing == Addressing::required && !std::all_of(all.begin(), all.end(), addresses))
    made.addressing = Addressing::optional;
  add(made);
}

bool Demands::proves(const Demands& others) const {
  const auto lacks = [&](std::string_view word) { return others.demands(word) && !demands(word); };
  return (demands_password(*this) || !demands_password(others)) && !lacks("timestamp") &&
         !lacks("x509_signature");
}

/// The words of secured(...) in their order, for which `is_said` is true. Options of signatures
/// need a signature, which may be asserted later: policies stand in any order.
template <class Is> static std::string words_of(Is is_said) {
  // A binding names the service's token even if only requests are signed.
  const auto says = [&](std::string_view what) {
    const bool requests_alone = is_said("parts of requests") && !is_said("parts of responses");
    return is_said(what) && (what != "signed_responses" || !requests_alone);
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
  return words;
}

/// Optional options leave a service open only if there are no others.
std::string Demands::security() const {
  if (const std::string words = words_of([&](std::string_view word) { return demands(word); });
      !words.empty())
    return "secured(" + words + ')';
  const std::string words = words_of([&](std::string_view word) { return secured.contains(word); });
  return words.empty() ? words : "secured(optionally, " + words + ')';
}

std::string Demands::left_open() const {
  std::string words;
  for (const auto& [word, is_open] : secured)
    if (is_open && word.find(' ') == word.npos)
      words.append(words.empty() ? "" : ", ").append(word);
  return is_closed() ? words : std::string();
}

std::map<std::string, std::string> Demands::options() const {
  std::map<std::string, std::string> all;
  if (addressing != Addressing::none)
    all["addressing"] = addressing == Addressing::required ? "addressing(required)" : "addressing";
  if (mtom) all["mtom"] = "mtom";
  if (std::string text = security(); !text.empty()) all["security"] = std::move(text);
  return all;
}

// --- Policies ------------------------------------------------------------------------------------

void Policies::add(const Place& at) {
  if (!is_policy(at.at, "Policy")) return;
  for (const std::string& id : ids_of(at.at)) {
    in_documents_.emplace(std::pair{at.in, id}, at);
    anywhere_.emplace(id, at);
  }
}

Demands Policies::attached(const Place& to, Subject subject) {
  const auto [said, is_new] = read_.try_emplace({subject, to.at.source().data()});
  Demands& made = said->second;
  if (!is_new) return made;
  for (const std::string_view ns : policy_ns) {
    std::string_view list = to.at.attribute(ns, "PolicyURIs").value_or("");
    while (const auto uri = take_item(list))
      read_reference(made, subject, to, *uri);
  }
  for (Node child = to.at.first_child(); child; child = child.next_sibling()) {
    const Place at{to.in, child};
    if (is_policy(child, "Policy")) read({made, subject}, at);
    if (is_policy(child, "PolicyReference"))
      read_reference(made, subject, at, child.attribute("URI").value_or(""));
  }
  return made;
}

Demands Policies::extensions(const Place& in) {
  Demands made;
  for (Node child = in.at.first_child(); child; child = child.next_sibling()) {
    if (is_read_elsewhere(child)) continue;
    const Place at{in.in, child};
    if (assertion_of(child) || is_security(child.ns()))
      read({made, Subject::all}, at);
    else
      notes_.push_back(
          at.text() + ": the extension " +
          shown({std::string(child.ns()), std::string(child.local())}) +
          " is no policy, and tables cannot express it; left out");
  }
  return made;
}

/// The policy that a reference names. Policies of the same document come first. Null: a note says
/// so.
const Place* Policies::find(const Place& asked_by, std::string_view uri) {
  const std::string id(uri);
  const auto here = in_documents_.find({asked_by.in, id});
  if (here != in_documents_.end()) return &here->second;
  const auto found = anywhere_.find(id);
  if (found != anywhere_.end()) return &found->second;
  notes_.push_back(asked_by.text() + ": the policy " + id + " is not in the contract");
  return nullptr;
}

void Policies::read_reference(
    Demands& made, Subject subject, const Place& at, std::string_view uri) {
  const Place* const policy = find(at, uri);
  if (!policy) return;
  const auto [said, is_new] = read_.try_emplace({subject, policy->at.source().data()});
  if (is_new) read({said->second, subject}, *policy);
  made.add(said->second);
}

/// A reference within a policy stands for the policy (WS-Policy 1.5, 4.3.4).
void Policies::read_referred(Reading with, const Place& at) {
  const Place* const policy = find(at, at.at.attribute("URI").value_or(""));
  if (!policy) return;
  if (++with.depth > most_depth)
    refuse_all(
        at,
        "policies refer to each other more than " + std::to_string(most_depth) +
            " deep; none may refer to itself (WS-Policy 1.5, 4.3.4)");
  read(with, *policy);
}

void Policies::note_inexpressible(const Place& at, std::string_view attribute) {
  notes_.push_back(
      at.text() + ": the policy asserts " + std::string(attribute) +
      (attribute.empty() ? "" : " of ") +
      shown({std::string(at.at.ns()), std::string(at.at.local())}) +
      ", which tables cannot express; left out");
}

void Policies::read_within(Reading with, const Place& at) {
  for (Node child = at.at.first_child(); child; child = child.next_sibling())
    read(with, {at.in, child});
}

void Policies::count_step(const Place& at, std::size_t depth) {
  if (depth > 0 && ++steps_ > most_steps)
    refuse_all(
        at, "policies refer to more than " + std::to_string(most_steps) + " assertions in all");
}

/// True if all alternatives of an assertion are about security.
bool Policies::asserts_security(const Place& at, std::size_t depth) {
  count_step(at, depth);
  if (is_security(at.at.ns())) return true;
  if (is_policy(at.at, "PolicyReference")) {
    const auto id = at.at.attribute("URI").value_or("");
    const auto found = anywhere_.find(id);
    return found != anywhere_.end() && depth < most_depth &&
           asserts_security(*find(at, id), depth + 1);
  }
  if (!is_of_policies(at.at)) return false;
  const bool chooses = is_policy(at.at, "ExactlyOne");
  for (Node child = at.at.first_child(); child; child = child.next_sibling())
    if (asserts_security({at.in, child}, depth) != chooses) return !chooses;
  return chooses;
}

/// Of several alternatives, each is optional. If all are about security, a message satisfies one of
/// them (WS-Policy 1.5, 4.3.3). An alternative that tables cannot express is dropped: it must not
/// open the service to messages without security.
void Policies::read_choice(Reading with, const Place& at) {
  const Node first = at.at.first_child();
  const bool several = first && first.next_sibling();
  if (!several || with.optional || !asserts_security(at)) {
    with.optional = with.optional || several;
    return read_within(with, at);
  }
  std::vector<Demands> all;
  for (Node child = first; child; child = child.next_sibling())
    read({all.emplace_back(), with.subject, false, with.owner, with.depth}, {at.in, child});
  const auto says_nothing = [](const Demands& each) { return each.secured.empty(); };
  const auto empty = std::remove_if(all.begin(), all.end(), says_nothing);
  if (empty != all.begin() && empty != all.end()) {
    notes_.push_back(
        at.text() +
        ": the policy has an alternative that demands nothing tables can express; "
        "messages must satisfy another one");
    all.erase(empty, all.end());
  }
  Demands common;
  common.add_one_of(all);
  const auto is_closed = [](const Demands& each) { return each.is_closed(); };
  if (std::all_of(all.begin(), all.end(), is_closed) && !common.is_closed())
    common.problem = Problem{
        at.text(),
        "the alternatives of the policy have no demand in common (WS-Policy 1.5, 4.3.3); a table "
        "cannot express that messages satisfy one of them"};
  with.made.add(common);
}

void Policies::read(Reading with, const Place& at) {
  count_step(at, with.depth);
  if (is_policy(at.at, "PolicyReference")) return read_referred(with, at);
  if (is_policy(at.at, "ExactlyOne")) return read_choice(with, at);
  if (is_of_policies(at.at)) return read_within(with, at);
  for (const std::string_view ns : policy_ns)
    with.optional = with.optional || is_yes(at.at.attribute(ns, "Optional").value_or(""));
  if (is_security(at.at.ns())) return read_security(with, at);
  if (!with.owner.empty()) return read_within(with, at);
  const Assertion* const known = assertion_of(at.at);
  if (!known) return note_inexpressible(at);
  known->read(with.made, at.at, with.optional);
  if (const Node limit = find_inside(at.at, "NonAnonymousResponses"))
    note_inexpressible({at.in, limit});
}

// --- Security ------------------------------------------------------------------------------------

/// The assertion around an X509Token shows whether the token signs requests or responses. False:
/// neither.
static bool read_x509(Demands& made, std::string_view owner, bool optional) {
  if (owner.starts_with("Initiator")) return made.demand("x509_signature", optional), true;
  if (owner.starts_with("Recipient")) return made.demand("signed_responses", optional), true;
  return false;
}

/// Suites that sign by SHA-1. The library signs by SHA-256.
static void read_suite(const Place& at, std::string_view owner, std::vector<std::string>& notes) {
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

/// An assertion about security, with the assertions within it. UsernameToken, Timestamp and
/// signatures are options of the table, and TLS is the host's. A note names other demands.
void Policies::read_security(Reading with, const Place& at) {
  const std::string_view name = at.at.local();
  const auto demand = [&](std::string_view word) { with.made.demand(word, with.optional); };
  if (name == "IncludeTimestamp") return demand("timestamp");
  const bool is_token = name == "UsernameToken" && !has_inside(at.at, "NoPassword");
  if (is_token) demand(has_inside(at.at, "HashPassword") ? "password_digest" : "password_text");
  if (name == "RequireSignatureConfirmation") return demand("confirmed_responses");
  if (name == "SignedParts" && with.subject != Subject::responses) demand("parts of requests");
  if (name == "SignedParts" && with.subject != Subject::requests) demand("parts of responses");
  if (name == "Header" && with.owner == "SignedParts") return demand("signed_header_blocks");
  const bool is_odd = name == "X509Token" && !read_x509(with.made, with.owner, with.optional);
  if (is_odd || (!is_token && std::find(implied.begin(), implied.end(), name) == implied.end()))
    return note_inexpressible(at);
  if (name == "AlgorithmSuite") return read_suite(at, with.owner, notes_);
  if (name == "Layout") return;
  constexpr std::string_view certificate = "RequireClientCertificate";  // of 2005; later an element
  if (name == "HttpsToken" && is_yes(at.at.attribute(certificate).value_or("")))
    note_inexpressible(at, certificate);
  with.owner = name;
  read_within(with, at);
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
