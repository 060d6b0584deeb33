// Services that are `secured`, for the target kinds: one for each option of `secured(...)`, one for
// each two, and some more, some with WS-Addressing, with a request of names and wildcards. The
// first line of an input is `Door VERSION UNKNOWN WORDS ACTION`, such as `Door 1.2 refuse timestamp
// x`. Further words: `addressed`; `pieces` for a request in pieces; `spooled` with a folder for
// streams before their verification.
//
// Promised, in addition to the promises for all messages: no method is called by a message without
// a required part, nor by a second copy of a message that may be served once. Signed content is
// content that the owner of the key has signed: the fuzzer does not have the key, so each signature
// that it sends is one of the corpus, over `signed_ticket` and `signed_block`. A fault has a code
// of SOAP, WS-Security or WS-Addressing. Memory is bounded. A message that was read can be sent by
// a client that fulfils all requirements of `secured(...)`.
//
// Keys, clock and random bytes are equal in each run, so a response depends only on the input.
#pragma once

#include <openssl/rand.h>

#include <array>
#include <bit>
#include <fstream>
#include <map>
#include <memory>

#include "fuzz.hpp"
#include "soapsvc.hpp"
#include "tests/counted_new.hpp"
#include "tests/secured_sets.hpp"
#include "tests/support.hpp"

namespace fuzz {

namespace impl = soapsvc::detail;
using impl::security_part;
using secured_sets::has_word;

// --- Keys, clock and random bytes ----------------------------------------------------------------

/// The certificate and key of client and service, valid for a hundred years. For this test alone.
inline constexpr const char* identity_pem =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBdTCCARugAwIBAgIUOCycSn65HCLQP6uMxEXVlPwilnMwCgYIKoZIzj0EAwIw\n"
    "DzENMAsGA1UEAwwEZnV6ejAgFw0yNjExMjcxMDAwMDBaGA8yMTI2MTEwMzEwMDAw\n"
    "MFowDzENMAsGA1UEAwwEZnV6ejBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABELp\n"
    "CQz/c02rEFusIaOj1ZVvfNw5FX+CyRqkuQAjv9OACGCU2MQM015wMkdKCBIQM4mv\n"
    "sjl8oAK/jPibEws7QjWjUzBRMB0GA1UdDgQWBBQE9sFqR7+btdaPCJLFVocAOish\n"
    "mTAfBgNVHSMEGDAWgBQE9sFqR7+btdaPCJLFVocAOishmTAPBgNVHRMBAf8EBTAD\n"
    "AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCB7Psk1pZnV6tB4GVNb8vIX/IEdX/Ut6Ge\n"
    "2+F9IX+V9gIgXRqFIIiSiIhrJLsyDRbk66/kXaDjZDjV36gTT6nQfPg=\n"
    "-----END CERTIFICATE-----\n"
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdgQGb+12qqVN2Cej\n"
    "JfPk/5H0V7xiPAQCO3r6sPDewUqhRANCAARC6QkM/3NNqxBbrCGjo9WVb3zcORV/\n"
    "gskapLkAI7/TgAhglNjEDNNecDJHSggSEDOJr7I5fKACv4z4mxMLO0I1\n"
    "-----END PRIVATE KEY-----\n";

inline const support::scratch_folder& door_folder() {
  static const support::scratch_folder made;
  return made;
}
inline const std::string& identity_file() {
  static const std::string made = [] {
    const std::string path = (door_folder().path() / "identity.pem").string();
    std::ofstream(path) << identity_pem;
    return path;
  }();
  return made;
}

inline std::chrono::sys_seconds door_clock() {
  return std::chrono::sys_days(std::chrono::year(2027) / 3 / 17) + std::chrono::hours(12);
}

/// OpenSSL's random bytes become those of splitmix64, from the same seed for each input.
inline std::uint64_t random_state = 0;
inline int fixed_random(unsigned char* to, int size) {
  for (int at = 0; at != size; ++at) {
    std::uint64_t bits = random_state += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    to[at] = static_cast<unsigned char>(bits >> 56);
  }
  return 1;
}
inline void fix_random() {
  // Deprecated in favour of providers, which are a hundred lines.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  static const RAND_METHOD method{
      nullptr, &fixed_random, nullptr, nullptr, &fixed_random, [] { return 1; }};
  static const int set = RAND_set_rand_method(&method);
#pragma GCC diagnostic pop
  require(set == 1, "random bytes can be fixed");
  random_state = 0;
}

// --- The services --------------------------------------------------------------------------------

struct ticket {
  soapsvc::list<soapsvc::qualified_name> names;
  std::vector<soapsvc::qualified_name> roles;
  std::vector<soapsvc::xml> others;
  std::vector<soapsvc::xml_attribute> marks;
  bool operator==(const ticket&) const = default;
};
struct tickets {
  soapsvc::stream<ticket> items;
};
using other_blocks = soapsvc::header_blocks<std::vector<soapsvc::xml>>;
using answered = soapsvc::with_header_blocks<ticket, std::vector<soapsvc::xml>>;

/// The content that the owner of the key has signed: each request of the corpus, and of a stream
/// each item.
inline ticket signed_ticket() {
  return {
      {{{"urn:a", "x"}, {"urn:b", "y"}}},
      {{"urn:a", "z"}},
      {soapsvc::xml("<o:a xmlns=\"\" xmlns:o=\"urn:o\" o:k=\"v\">text</o:a>")},
      {{{"urn:m", "k"}, "v"}}};
}
inline soapsvc::xml signed_block() { return soapsvc::xml("<b:b xmlns:b=\"urn:b\">word</b:b>"); }
/// With the id that the signer sets.
inline bool is_signed_block(const soapsvc::xml& block) {
  return block.name() == signed_block().name() && block.text().ends_with(">word</b:b>");
}

/// The header blocks that a method takes, and may return unchanged.
inline const std::vector<soapsvc::xml>& others_of(const other_blocks& sent) {
  const auto& found = sent.get<std::vector<soapsvc::xml>>();
  for (const soapsvc::xml& each : found)
    require(
        each.name().ns.text() != impl::wsse_ns || each.name().local != "Security",
        "a Security block is the library's alone");
  return found;
}

/// A call of a method, and its arguments.
struct visit {
  std::string user, signer;
  std::vector<ticket> sent;
  std::vector<soapsvc::xml> others;
};

/// The interface of a service for the target, independent of its options.
struct door {
  door() = default;
  door(const door&) = delete;
  door& operator=(const door&) = delete;
  virtual ~door() = default;
  virtual void add_to(soapsvc::dispatcher& services) = 0;
  virtual answered call(
      soapsvc::transport to,
      soapsvc::client_options options,
      const ticket& asked,
      const other_blocks& sent) const = 0;

  answered open_for(const ticket& asked, const other_blocks& sent, const soapsvc::context& told) {
    visit& made = enter(sent, told);
    made.sent.push_back(asked);
    return {asked, other_blocks(made.others)};
  }
  std::int32_t fill_for(
      const tickets& asked, const other_blocks& sent, const soapsvc::context& told) {
    visit& made = enter(sent, told);
    while (std::optional<ticket> item = asked.items.next())
      made.sent.push_back(*std::move(item));
    return static_cast<std::int32_t>(made.sent.size());
  }
  std::vector<visit> visits;

private:
  visit& enter(const other_blocks& sent, const soapsvc::context& told) {
    return visits.emplace_back(
        visit{std::string(told.user), std::string(told.signer), {}, others_of(sent)});
  }
};

template <std::size_t Set, bool Addressed> class Door final : public door {
public:
  answered open(const ticket& asked, const other_blocks& sent, const soapsvc::context& told) {
    return open_for(asked, sent, told);
  }
  std::int32_t fill(const tickets& asked, const other_blocks& sent, const soapsvc::context& told) {
    return fill_for(asked, sent, told);
  }
  void add_to(soapsvc::dispatcher& services) override { services.add(*this); }
  answered call(
      soapsvc::transport to,
      soapsvc::client_options options,
      const ticket& asked,
      const other_blocks& sent) const override {
    soapsvc::client<Door> client(std::move(to), std::move(options));
    return client.call(&Door::open, asked, sent);
  }
};

}  // namespace fuzz

template <>
inline constexpr auto soapsvc::schema<fuzz::ticket> = record(
    "Ticket",
    field("Names", &fuzz::ticket::names),
    field("Role", &fuzz::ticket::roles),
    any(&fuzz::ticket::others, ns("##other")),
    any_attribute(&fuzz::ticket::marks));
template <>
inline constexpr auto soapsvc::schema<fuzz::tickets> =
    record(field("Ticket", &fuzz::tickets::items));
template <std::size_t Set>
inline constexpr auto soapsvc::schema<fuzz::Door<Set, false>> = service(
    "Door",
    secured_sets::secured_by<Set>(),
    operation("Open", &fuzz::Door<Set, false>::open, request("Ticket")),
    operation("Fill", &fuzz::Door<Set, false>::fill));
template <std::size_t Set>
inline constexpr auto soapsvc::schema<fuzz::Door<Set, true>> = service(
    "Door",
    addressing,
    secured_sets::secured_by<Set>(),
    operation("Open", &fuzz::Door<Set, true>::open, request("Ticket")),
    operation("Fill", &fuzz::Door<Set, true>::fill));

namespace fuzz {

constexpr std::size_t set_of(auto... words) { return (static_cast<std::size_t>(words) | ...); }

/// All options except `optionally`.
inline constexpr std::size_t all_demands =
    secured_sets::set_count - 1 - set_of(security_part::optionally);

/// Each option, each two, and useful combinations; tests/unit/secured_words.cpp has all 110 sets.
constexpr bool is_offered(std::size_t set) {
  using part = security_part;
  constexpr std::size_t larger[] = {
      set_of(part::password_text, part::timestamp, part::x509_signature),
      set_of(part::timestamp, part::x509_signature, part::signed_responses),
      set_of(part::x509_signature, part::signed_header_blocks, part::signed_responses),
      set_of(part::x509_signature, part::signed_responses, part::confirmed_responses),
      set_of(part::x509_signature, part::signed_responses, part::optionally),
      all_demands,
      secured_sets::set_count - 1};
  const bool is_larger = std::find(std::begin(larger), std::end(larger), set) != std::end(larger);
  return secured_sets::is_valid(set) && (std::popcount(set) <= 2 || is_larger);
}
constexpr bool is_addressed(std::size_t set) {
  using part = security_part;
  return set == set_of(part::password_text) || set == set_of(part::x509_signature) ||
         set == set_of(part::x509_signature, part::signed_header_blocks) ||
         set == set_of(part::x509_signature, part::signed_responses, part::optionally) ||
         set == all_demands;
}

using make_door = std::unique_ptr<door> (*)();
template <std::size_t Set, bool Addressed> constexpr make_door door_of() {
  if constexpr (Addressed ? is_addressed(Set) : is_offered(Set))
    return [] { return std::unique_ptr<door>(std::make_unique<Door<Set, Addressed>>()); };
  else
    return nullptr;
}
inline constexpr auto doors = []<std::size_t... Set>(std::index_sequence<Set...>) {
  return std::array<std::array<make_door, 2>, sizeof...(Set)>{
      {{door_of<Set, false>(), door_of<Set, true>()}...}};
}
(std::make_index_sequence<secured_sets::set_count>());

/// The selection by the words of a first line.
struct door_choice {
  std::size_t set = 0;
  bool addressed = false, spooled = false, ignores = false, pieces = false;
  auto operator<=>(const door_choice&) const = default;

  bool has(security_part word) const { return has_word(set, word); }
  make_door maker() const { return doors[set][addressed ? 1 : 0]; }
};

inline door_choice choose_door(std::string_view words, bool ignores) {
  door_choice made;
  made.ignores = ignores;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('+'), words.size());
    const std::string_view name = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    for (const secured_sets::word& each : secured_sets::words)
      if (name == each.name) made.set |= static_cast<std::size_t>(each.option.part);
    if (name == "addressed") made.addressed = true;
    if (name == "spooled") made.spooled = true;
    if (name == "pieces") made.pieces = true;
  }
  return made;
}

/// Independent of earlier inputs.
class replays_of_one_input final : public soapsvc::replay_cache {
public:
  void forget() { store_.emplace(100); }
  soapsvc::replay_result remember(
      std::string_view caller,
      std::string_view key,
      std::chrono::sys_seconds until,
      std::chrono::sys_seconds now) override {
    return store_->remember(caller, key, until, now);
  }

private:
  std::optional<impl::memory_replay_store> store_;
};

/// A request, whole or in pieces.
inline soapsvc::http_response post_to(
    const soapsvc::dispatcher& services,
    const std::string& target,
    support::version v,
    const std::string& action,
    const std::string& message,
    bool in_pieces = false) {
  std::string type = support::content_type(v);
  const bool is_new = v == support::version::v1_2;
  if (is_new && !action.empty()) type += "; action=\"" + action + '"';
  std::vector<soapsvc::http_header> fields{{"Content-Type", type}};
  const std::string said = '"' + action + '"';
  if (!is_new) fields.push_back({"SOAPAction", said});
  soapsvc::http_request request;
  request.target = target;
  request.headers = fields;
  request.scheme = "https";  // a password as text needs TLS
  std::string_view left = message;
  const soapsvc::byte_source rest = [&left](std::span<char> room) {
    const std::size_t size = left.copy(room.data(), std::min<std::size_t>(room.size(), 37));
    left.remove_prefix(size);
    return size;
  };
  if (in_pieces) request.rest_of_body = &rest;
  if (!in_pieces) request.body = message;
  return services.handle(request);
}

/// A host for one door, and its reports.
struct served_door {
  explicit served_door(const door_choice& chosen) : at(chosen.maker()()) {
    soapsvc::dispatcher_options options;
    options.ns_base = support::base;
    options.base_path = "";
    if (chosen.ignores) options.unknown_elements = soapsvc::unknown_elements::ignore;
    options.limits.max_body_bytes = 65'536;
    options.security.clock = &door_clock;
    options.security.replay_cache = replays;
    options.security.check_password =
        [this](auto user, auto password, auto&) -> std::optional<std::string> {
      const bool good = user == "alice" && password == "word";
      if (!good) return std::nullopt;
      ++passwords;
      return "alice";
    };
    options.security.find_password = [this](auto user, auto&) -> std::optional<std::string> {
      if (user != "alice") return std::nullopt;
      ++passwords;
      return "word";
    };
    options.security.signatures.trusted_certificates_file = identity_file();
    options.security.identity.certificate_file = identity_file();
    if (chosen.spooled) options.security.spool_directory = door_folder().path().string();
    options.on_error = [](const soapsvc::error_report& told) { broken("no incidents", told.what); };
    services = std::make_unique<soapsvc::dispatcher>(std::move(options));
    at->add_to(*services);
  }
  soapsvc::http_response send(
      support::version v, const std::string& action, const std::string& text, bool pieces) {
    at->visits.clear();
    passwords = 0;
    return post_to(*services, "/Door.asmx", v, action, text, pieces);
  }

  std::unique_ptr<door> at;
  std::shared_ptr<replays_of_one_input> replays = std::make_shared<replays_of_one_input>();
  int passwords = 0;  ///< of alice, asked for or found right
  std::unique_ptr<soapsvc::dispatcher> services;
};

inline served_door& door_for(door_choice chosen) {
  static std::map<door_choice, served_door> made;
  chosen.pieces = false;
  return made.try_emplace(chosen, chosen).first->second;
}

// --- Checks --------------------------------------------------------------------------------------

/// The code of a fault, the more exact one if there are two; empty: no fault.
inline std::string door_code(const soapsvc::http_response& response) {
  const support::document parsed(response.body);
  soapsvc::soap_version version{};
  const impl::envelope message = impl::open_envelope(parsed.root(), version);
  const impl::node payload = impl::only_child(message.body);
  if (!payload.is(parsed.root().ns(), "Fault")) return {};
  support::fault_facts facts;
  version == soapsvc::soap_version::v1_1 ? support::read_fault11(payload, facts)
                                         : support::read_fault12(payload, facts);
  return facts.subcode.empty() ? facts.code : facts.subcode;
}

inline bool is_of(std::string_view code, std::string_view ns) {
  return code.starts_with("{" + std::string(ns) + "}");
}

/// SOAP 1.1, 4.4.1; SOAP 1.2 part 1, 5.4.6; WSS 12; WS-Addressing 1.0 SOAP binding, 6.4.
inline bool is_code(std::string_view code) {
  if (is_of(code, impl::wsa10_ns) || is_of(code, impl::wsa04_ns)) return true;
  if (code == "{" + std::string(impl::wsu_ns) + "}MessageExpired") return true;
  const bool secure = is_of(code, impl::wsse_ns);
  if (secure) code.remove_prefix(code.find('}') + 1);
  static constexpr std::string_view soap[] = {
      "Client", "Server", "Sender", "Receiver", "VersionMismatch", "MustUnderstand"};
  static constexpr std::string_view security[] = {
      "UnsupportedSecurityToken",
      "UnsupportedAlgorithm",
      "InvalidSecurity",
      "InvalidSecurityToken",
      "FailedAuthentication",
      "FailedCheck",
      "SecurityTokenUnavailable"};
  const auto holds = [&](const auto& all) {
    return std::find(std::begin(all), std::end(all), code) != std::end(all);
  };
  return secure ? holds(security) : holds(soap);
}

/// The content of the Security blocks of a message, found without reading the rest.
inline bool brings(const std::string& message, const door_choice& chosen) {
  impl::xml_document parser;
  impl::node header;
  try {
    header = parser.parse(message, "utf-8", soapsvc::message_limits{}).first_child();
  } catch (const impl::xml_error&) {
    // Without a signature, the method gets a stream before its end has arrived.
    return !chosen.has(security_part::x509_signature);
  }
  const auto has = [&](std::string_view ns, std::string_view local) {
    for (impl::node at = header.first_child(); at; at = at.next_sibling())
      for (impl::node in = at.first_child(); in; in = in.next_sibling())
        if (at.is(impl::wsse_ns, "Security") && in.is(ns, local)) return true;
    return false;
  };
  const bool named =
      chosen.has(security_part::password_text) || chosen.has(security_part::password_digest);
  return (!named || has(impl::wsse_ns, "UsernameToken")) &&
         (!chosen.has(security_part::timestamp) || has(impl::wsu_ns, "Timestamp")) &&
         (!chosen.has(security_part::x509_signature) || has(impl::ds_ns, "Signature"));
}

inline void check_visit(
    const visit& seen, const door_choice& chosen, const served_door& at, const std::string& text) {
  const bool named =
      chosen.has(security_part::password_text) || chosen.has(security_part::password_digest);
  const bool is_signed = chosen.has(security_part::x509_signature);
  if (chosen.has(security_part::optionally) && seen.user.empty() && seen.signer.empty()) return;
  require(brings(text, chosen), "nobody is served without what is demanded", text);
  require(seen.user == (named ? "alice" : ""), "a user is the one with the password", text);
  require(!named || at.passwords != 0, "a password is looked at", text);
  require(seen.signer == (is_signed ? "CN=fuzz" : ""), "a signer is the one with the key", text);
  if (!is_signed) return;
  for (const ticket& each : seen.sent)
    require(each == signed_ticket(), "what is signed is what was signed", text);
  if (!chosen.has(security_part::signed_header_blocks)) return;
  for (const soapsvc::xml& each : seen.others)
    require(is_signed_block(each), "a signed block is what was signed", text);
}

inline void check_door_response(
    const soapsvc::http_response& response, const door_choice& chosen, const served_door& at) {
  const std::string code = door_code(response);
  const bool served = code.empty();
  require(at.at->visits.size() <= 1, "one message is one call");
  require(!served || at.at->visits.size() == 1, "only a method has a result", response.body);
  require(served || is_code(code), "a code that is known", code);
  const bool insecure = is_of(code, impl::wsse_ns) || is_of(code, impl::wsu_ns);
  require(!insecure || at.at->visits.empty(), "refused before a method is called", response.body);
  const bool answers = chosen.has(security_part::signed_responses) && served &&
                       !at.at->visits.front().signer.empty();
  require(!answers || contains(response.body, "<ds:SignatureValue>"), "signed", response.body);
}

/// True if a second copy of a message is refused.
inline bool is_served_once(const visit& seen, const door_choice& chosen) {
  const bool digest =
      chosen.has(security_part::password_digest) && !chosen.has(security_part::password_text);
  const bool stamped =
      chosen.has(security_part::x509_signature) && chosen.has(security_part::timestamp);
  return (digest && !seen.user.empty()) || (stamped && !seen.signer.empty());
}

/// Elements with ids to which a signature refers. Two ids may be equal, and then the message cannot
/// be verified.
inline bool has_ids(const visit& seen) {
  const auto has = [](const soapsvc::xml& each) {
    return contains(each.text(), "Id") || contains(each.text(), "id") ||
           contains(each.text(), "ID");
  };
  for (const soapsvc::xml_attribute& each : seen.sent[0].marks)
    if (contains(each.name.local, "d") || contains(each.name.local, "D")) return true;
  return std::any_of(seen.others.begin(), seen.others.end(), has) ||
         std::any_of(seen.sent[0].others.begin(), seen.sent[0].others.end(), has);
}

/// Sends a message that was read, by a client.
inline void send_again(const visit& seen, const door_choice& chosen, support::version v) {
  served_door& at = door_for(chosen);
  at.at->visits.clear();
  soapsvc::client_options options;
  options.ns_base = support::base;
  options.version = v;
  options.security.user = "alice";
  options.security.password = "word";
  options.security.clock = &door_clock;
  options.security.identity.certificate_file = identity_file();
  options.security.signatures.trusted_certificates_file = identity_file();
  std::string text;
  const auto to_door = [&](const soapsvc::http_request& request) {
    soapsvc::http_request passed = request;
    passed.target = "/Door.asmx";
    passed.scheme = "https";
    text = std::string(request.body);
    return at.services->handle(passed);
  };
  try {
    const ticket& asked = seen.sent[0];
    const answered told = at.at->call(to_door, options, asked, other_blocks(seen.others));
    const ticket& got = told.result;
    require(
        got.names == asked.names && got.roles == asked.roles && got.marks == asked.marks &&
            got.others.size() == asked.others.size() &&
            others_of(told.header_blocks).size() == seen.others.size(),
        "what was read is the same again",
        text);
  } catch (const std::exception& error) {
    broken("what was read can be sent", error.what() + ('\n' + text));
  }
}

/// A request to a door. `check` looks at each response.
template <class Check>
void check_door(
    const door_choice& chosen,
    support::version v,
    const std::string& action,
    const std::string& message,
    Check check) {
  if (!chosen.maker()) return;
  served_door& at = door_for(chosen);
  fix_random();
  at.replays->forget();
  const std::size_t before = held_bytes;
  most_held_bytes = before;
  const soapsvc::http_response response = at.send(v, action, message, chosen.pieces);
  // tests/kinds/memory.cpp
  require(most_held_bytes - before <= 500'000 + 160 * message.size(), "memory is bounded");
  check(response);
  check_door_response(response, chosen, at);
  if (at.at->visits.empty()) return;
  const visit seen = at.at->visits.front();
  check_visit(seen, chosen, at, message);
  check(at.send(v, action, message, chosen.pieces));
  require(!is_served_once(seen, chosen) || at.at->visits.empty(), "served once", message);
  if (seen.sent.empty() || has_ids(seen)) return;
  door_choice strictest;
  strictest.set = all_demands;
  for (const support::version each : support::both) {
    at.replays->forget();
    send_again(seen, chosen, each);
    door_for(strictest).replays->forget();
    send_again(seen, strictest, each);
  }
}

}  // namespace fuzz
