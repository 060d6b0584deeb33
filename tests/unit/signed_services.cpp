// A service that requires signatures, and messages with valid signatures: each is served once,
// unsigned content is distinguished, and a response is for its caller.

#include <openssl/bn.h>

#include <catch2/catch.hpp>

#include <deque>
#include <random>
#include <set>

#include "signing.hpp"

using namespace std::chrono_literals;

struct Say {
  std::string text;
};
template <> inline constexpr auto soapsvc::schema<Say> = record(field("Text", &Say::text));
struct Badge {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Badge> = record("Badge", field("Name", &Badge::name));
struct Pass {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Pass> =
    record("Pass", ns("urn:pass"), field("Name", &Pass::name));
struct Closed {
  std::string until;
};
template <>
inline constexpr auto soapsvc::schema<Closed> = record("Closed", field("Until", &Closed::until));

namespace {

/// Returns the text that it gets, and counts. Another service for each number.
template <int> class Speaker {
public:
  std::string say(const Say& asked, const soapsvc::context& told) {
    ++calls;
    blocks.clear();
    for (const soapsvc::header_block& each : told.header_blocks)
      blocks += std::string(each.local) + (each.is_signed ? "! " : "? ");
    if (asked.text == "no") throw soapsvc::fault(soapsvc::fault_code::client, "not that");
    return asked.text;
  }
  int calls = 0;
  std::string blocks;  ///< of the last call, and which of them are signed
};
using Vault = Speaker<0>;  // with a Timestamp
using Attic = Speaker<1>;  // without
using Porch = Speaker<2>;  // for everybody
using Post = Speaker<3>;  // with addressing
using Court = Speaker<4>;  // with confirmed responses
using Lodge = Speaker<5>;  // for everybody, or with a signature and a password

/// Takes and returns header blocks, and has a fault of its own.
class Gate {
public:
  std::string enter(const Say& asked, const std::optional<Badge>&) const { return asked.text; }
  std::string leave(const Say& asked, const std::optional<Badge>&) const { return asked.text; }
  soapsvc::with_header_blocks<std::string, Pass> renew(const Say& asked) const {
    return {asked.text, Pass{"new"}};
  }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Vault> = service(
    "Vault", secured(x509_signature, timestamp, signed_responses), operation("Say", &Vault::say));
template <>
inline constexpr auto soapsvc::schema<Attic> =
    service("Attic", secured(x509_signature, signed_header_blocks), operation("Say", &Attic::say));
template <>
inline constexpr auto soapsvc::schema<Porch> = service(
    "Porch", secured(optionally, x509_signature, signed_responses), operation("Say", &Porch::say));
template <>
inline constexpr auto soapsvc::schema<Post> = service(
    "Post",
    addressing,
    secured(x509_signature, timestamp, signed_responses),
    operation("Say", &Post::say));
template <>
inline constexpr auto soapsvc::schema<Court> = service(
    "Court",
    secured(x509_signature, timestamp, signed_responses, confirmed_responses),
    operation("Say", &Court::say));
template <>
inline constexpr auto soapsvc::schema<Lodge> = service(
    "Lodge", secured(optionally, x509_signature, password_text), operation("Say", &Lodge::say));
template <>
inline constexpr auto soapsvc::schema<Gate> = service(
    "Gate",
    secured(x509_signature, timestamp, signed_responses, signed_header_blocks),
    operation("Enter", &Gate::enter, fault_detail<Closed>()),
    operation("Leave", &Gate::leave),
    operation("Renew", &Gate::renew));

namespace {

using namespace signing;

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

const certificate& other() {
  static const certificate made = make("other");
  return made;
}
const certificate& stranger() {
  static const certificate made = make("stranger");
  return made;
}
const certificate& itself() {
  static const certificate made = make("itself");
  return made;
}

std::string believed() {
  static const std::string file = [] {
    const std::string made = (folder() / "believed").string();
    std::ofstream out(made);
    for (const certificate* each : {&caller(), &other()})
      out << std::ifstream(each->certificate_file).rdbuf();
    return made;
  }();
  return file;
}

const auto start = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());

/// One of the services above, with its own clock.
template <class Service> struct served {
  explicit served(
      soapsvc::security_options security = {}, soapsvc::dispatcher_options options = {}) {
    options.ns_base = "urn:test";
    security.signatures.trusted_certificates_file = believed();
    security.identity.certificate_file = itself().file;
    security.clock = [this] { return now; };
    options.security = std::move(security);
    services = std::make_unique<soapsvc::dispatcher>(std::move(options));
    services->add(service);
  }
  soapsvc::http_response send(const std::string& text) {
    static const soapsvc::http_header fields[] = {{"Content-Type", "text/xml"}};
    const std::string target = "/soap/v3/" + name() + ".asmx";
    soapsvc::http_request request;
    request.target = target;
    request.headers = fields;
    request.body = text;
    return services->handle(request);
  }
  bool is_served(const std::string& text) {
    const int before = service.calls;
    last = send(text).body;
    return service.calls == before + 1;
  }
  /// Refused as a copy of a served message.
  bool is_again(const std::string& text) {
    const bool again = !is_served(text) && has(last, "this message was served before");
    return again && has(last, "FailedAuthentication");
  }
  static std::string name() { return std::string(impl::describe_service<Service>().name); }

  std::chrono::sys_seconds now = start;
  Service service;
  std::unique_ptr<soapsvc::dispatcher> services;
  std::string last;  ///< response
};

/// A message with freely chosen parts; the library's signer chooses ids at random.
struct message {
  std::string id = "body";
  std::string text = "hi";
  std::optional<std::chrono::sys_seconds> created = start;
  std::chrono::seconds expires = 300s;
  std::string header{};  ///< signed, if it has the id `block`
  const certificate* by = &caller();
  std::string service = "Vault";

  std::string made() const {
    const auto moment = [](std::chrono::sys_seconds at) {
      return soapsvc::date_time::from(at).text();
    };
    std::string out = "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"";
    out.append(" xmlns:wsse=\"").append(impl::wsse_ns).append("\" xmlns:wsu=\"");
    out.append(impl::wsu_ns).append("\"><s:Header><wsse:Security>").append(token_element(*by));
    if (created)
      out += "<wsu:Timestamp wsu:Id=\"time\"><wsu:Created>" + moment(*created) +
             "</wsu:Created><wsu:Expires>" + moment(*created + expires) +
             "</wsu:Expires></wsu:Timestamp>";
    const std::string more = has(header, "\"block\"") ? reference("block") : "";
    out += signature(reference(id) + (created ? reference("time") : "") + more, token_reference());
    out += "</wsse:Security>" + header + "</s:Header><s:Body wsu:Id=\"" + id +
           "\"><Say xmlns=\"urn:test/" + service + "\"><Text>" + text +
           "</Text></Say></s:Body></s:Envelope>";
    return filled(out, by->key);
  }
};

/// The other valid ECDSA signature value: the group's order minus the second number.
std::string with_other_value(const std::string& text) {
  const std::size_t begin = text.find("<ds:SignatureValue>") + 19;
  const std::size_t end = text.find("</ds:SignatureValue>");
  soapsvc::binary value;
  impl::from_text(std::string_view(text).substr(begin, end - begin), value);
  REQUIRE(value.bytes.size() == 64);
  BIGNUM* order = nullptr;
  BN_hex2bn(&order, "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551");
  BIGNUM* const second = BN_bin2bn(value.bytes.data() + 32, 32, nullptr);
  BN_sub(second, order, second);
  BN_bn2binpad(second, value.bytes.data() + 32, 32);
  BN_free(second);
  BN_free(order);
  return text.substr(0, begin) + value.text() + text.substr(end);
}

}  // namespace

// --- Once ----------------------------------------------------------------------------------------

TEST_CASE("a signed message is served once", "[signed_services][replay]") {
  served<Vault> vault;
  const std::string text = message{}.made();
  CHECK(vault.is_served(text));
  CHECK(vault.is_again(text));
  CHECK(vault.is_again(replaced(text, "<s:Header>", "<s:Header><x xmlns=\"urn:x\"/>")));
  CHECK(vault.is_again(replaced(text, "<ds:SignatureValue>", "<ds:SignatureValue>\n ")));
  CHECK(vault.is_again(replaced(text, "<ds:SignedInfo>", "<ds:SignedInfo ><!-- x -->")));
  CHECK(vault.is_again(with_other_value(text)));
  CHECK(vault.is_again(message{}.made()));  // signed again, and equal to the last byte
  vault.now += 359s;
  CHECK(vault.is_again(text));
  CHECK(vault.service.calls == 1);
}

TEST_CASE("different messages are served, for every signer", "[signed_services]") {
  served<Vault> vault;
  CHECK(vault.is_served(message{}.made()));
  CHECK(vault.is_served(message{.id = "another"}.made()));
  CHECK(vault.is_served(message{.created = start + 1s}.made()));
  CHECK(vault.is_served(message{.by = &other()}.made()));  // the second signer is another caller
}

TEST_CASE("a report says why a signature is refused, and the fault does not", "[signed_services]") {
  std::string told;
  soapsvc::dispatcher_options options;
  options.on_call = [&](const soapsvc::call_report& call) { told = call.fault_reason; };
  served<Vault> vault({}, std::move(options));
  const auto refused = [&](const std::string& text, const std::string& sent, const char* cause) {
    CHECK(!vault.is_served(text));
    CHECK(has(vault.last, ">Security: " + sent + "<"));
    CHECK(told.starts_with("Security: " + sent + ": "));
    CHECK_THAT(told, Catch::Contains(cause));
  };
  const std::string bad_token = "the security token is not valid";
  const std::string bad_check = "the signature is invalid";
  refused(message{.by = &stranger()}.made(), bad_token, "'CN=stranger,O=Test\\, Inc.,C=NL': ");
  const std::string text = message{}.made();
  refused(replaced(text, "<Text>hi", "<Text>ho"), bad_check, "content of 'Body'");
  refused(replaced(text, caller().base64(), other().base64()), bad_check, "key of 'CN=other,");
  refused(replaced(text, caller().base64(), "AAAA"), bad_token, "no certificate");
  vault.now += std::chrono::days{40};  // after the end of their certificates
  refused(message{.created = vault.now}.made(), bad_token, "expired");
}

TEST_CASE(
    "two dispatchers that share a cache accept a signature once", "[signed_services][replay]") {
  served<Vault> first;
  const auto store = first.services->options().security.replay_cache;
  REQUIRE(store);
  served<Vault> second({.replay_cache = store});
  CHECK(first.is_served(message{}.made()));
  CHECK(second.is_again(message{}.made()));
  CHECK(second.is_served(message{.id = "another"}.made()));
  CHECK(first.is_again(message{.id = "another"}.made()));
}

TEST_CASE("a cache full of signatures refuses until they expire", "[signed_services][replay]") {
  served<Vault> vault({.max_replay_entries = 2});
  const auto numbered = [&](const char* id) {
    return message{.id = id, .created = vault.now, .expires = 100s}.made();
  };
  const std::string first = numbered("one");
  CHECK(vault.is_served(first));
  CHECK(vault.is_served(numbered("two")));
  const std::string third = numbered("three");
  CHECK(vault.send(third).status == 503);
  CHECK(vault.is_again(first));
  vault.now = start + 159s;  // expired, except for the clock difference
  CHECK(vault.send(third).status == 503);
  CHECK(vault.is_served(numbered("four")));  // an old entry is evicted, and stays refused
  CHECK(!vault.is_served(first));
  vault.now = start + 161s;
  CHECK(vault.is_served(numbered("five")));
}

TEST_CASE(
    "a signer that fills the cache does not block other signers", "[signed_services][replay]") {
  served<Vault> vault({.max_replay_entries = 4});
  for (const char* id : {"one", "two", "three", "four"})
    CHECK(vault.is_served(message{.id = id}.made()));
  CHECK(vault.send(message{.id = "five"}.made()).status == 503);
  CHECK(vault.is_served(message{.id = "one", .by = &other()}.made()));
  CHECK(vault.is_again(message{.id = "one", .by = &other()}.made()));
  CHECK(vault.is_served(message{.id = "two", .by = &other()}.made()));
  CHECK(vault.send(message{.id = "three", .by = &other()}.made()).status == 503);
  for (const char* id : {"one", "two", "three", "four"})
    CHECK(!vault.is_served(message{.id = id}.made()));
}

TEST_CASE(
    "a cache accepts each message once, whatever the load of its callers",
    "[signed_services][replay]") {
  // Two callers send as much as possible, three others little, with different clocks.
  impl::memory_replay_store store(40);
  std::mt19937 random(1);
  struct sent {
    std::string caller, key;
    std::chrono::sys_seconds until;
  };
  std::vector<sent> all;
  std::set<std::string> taken;
  std::chrono::sys_seconds now = start;
  int refused_of_few = 0, refused_of_many = 0, again = 0;
  for (int step = 0; step != 20'000; ++step) {
    if (step % 10 == 0) now += 1s;
    const auto who = static_cast<unsigned>(random() % 20);
    const bool is_few = who < 3 && step % 40 < 3;
    const std::string caller =
        is_few ? "few" + std::to_string(who) : "many" + std::to_string(who % 2);
    const bool is_copy = !all.empty() && random() % 3 == 0;
    const std::chrono::seconds skew(static_cast<int>(random() % 60));
    const sent next = is_copy
                          ? all[all.size() - 1 - random() % std::min<std::size_t>(all.size(), 500)]
                          : sent{caller, std::to_string(step), now + 300s + skew};
    if (next.until < now) continue;  // is refused before the cache is used
    const auto answer = store.remember(next.caller, next.key, next.until, now);
    if (is_copy && taken.contains(next.key)) {
      CHECK(answer != soapsvc::replay_result::fresh);
      ++again;
      continue;
    }
    if (!is_copy) all.push_back(next);
    if (answer == soapsvc::replay_result::fresh) taken.insert(next.key);
    if (answer == soapsvc::replay_result::full && !is_copy)
      ++(next.caller[0] == 'f' ? refused_of_few : refused_of_many);
  }
  CHECK(refused_of_few == 0);
  CHECK(refused_of_many > 1'000);
  CHECK(again > 1'000);
}

TEST_CASE("untrusted signers use no room of the cache", "[signed_services][replay]") {
  served<Vault> vault({.max_replay_entries = 1});
  CHECK(!vault.is_served(message{.by = &stranger()}.made()));
  CHECK(!vault.is_served(replaced(message{}.made(), ">hi<", ">ho<")));
  CHECK(!vault.is_served(message{.created = start - 1h}.made()));
  CHECK(vault.is_served(message{}.made()));
}

TEST_CASE(
    "a clock that steps back makes no old signed message valid", "[signed_services][replay]") {
  served<Vault> vault;
  CHECK(vault.is_served(message{.id = "one"}.made()));
  vault.now = start + 1h;
  CHECK(vault.is_served(message{.id = "two", .created = start + 1h}.made()));
  vault.now = start + 1s;
  CHECK(vault.is_again(message{.id = "one"}.made()));
  CHECK(vault.is_again(message{.id = "three"}.made()));  // perhaps a copy
  CHECK(vault.is_served(message{.id = "four", .created = start + 1s}.made()));
}

TEST_CASE(
    "signatures are accepted again if an option allows it, or without a Timestamp",
    "[signed_services][replay]") {
  served<Vault> vault({.max_replay_entries = 1, .allow_replayed_signatures = true});
  for (int each = 0; each != 3; ++each)
    CHECK(vault.is_served(message{}.made()));
  served<Attic> attic({.max_replay_entries = 1});
  for (int each = 0; each != 3; ++each)
    CHECK(attic.is_served(message{.created = std::nullopt, .service = "Attic"}.made()));
  CHECK(attic.is_served(message{.service = "Attic"}.made()));
  CHECK(attic.is_again(message{.service = "Attic"}.made()));  // has an unrequired Timestamp
}

TEST_CASE(
    "a signed Timestamp outside Security does not let a copy be served",
    "[signed_services][replay][wrapping]") {
  served<Attic> attic;  // needs no Timestamp
  const std::string text = message{.service = "Attic"}.made();
  const std::size_t begin = text.find("<wsu:Timestamp");
  const std::string end = "</wsu:Timestamp>";
  const std::string time = text.substr(begin, text.find(end) + end.size() - begin);
  const std::string others = replaced(text, time, "");
  const std::string as_block = replaced(others, "</s:Header>", time + "</s:Header>");
  CHECK(!attic.is_served(as_block));
  CHECK(has(attic.last, "a reference leads to 'Timestamp' outside Security"));
  CHECK(attic.is_served(text));
  attic.now += 1h;
  CHECK(!attic.is_served(text));
  CHECK(!attic.is_served(as_block));
}

// --- Our client ----------------------------------------------------------------------------------

namespace {

/// A soapsvc client of a service, with the messages between them.
template <class Service> struct remote {
  explicit remote(served<Service>& at, const certificate* by = &caller()) : to(at) {
    soapsvc::client_options options;
    options.ns_base = "urn:test";
    if (by) options.security.identity.certificate_file = by->file;
    options.security.signatures.trusted_certificates_file = itself().certificate_file;
    options.security.clock = [this] { return to.now; };
    client.emplace(
        [this](const soapsvc::http_request& request) {
          asked = request.body;
          soapsvc::http_response response = to.send(asked);
          responses.push_back(response.body);
          if (change) response.body = change(response.body);
          return response;
        },
        std::move(options));
  }
  std::string say(const std::string& text) { return client->call(&Service::say, Say{text}); }

  served<Service>& to;
  std::string asked;
  std::deque<std::string> responses;
  std::function<std::string(std::string)> change;
  std::optional<soapsvc::client<Service>> client;
};

/// Without the element of this tag.
std::string without(std::string text, const std::string& tag) {
  const std::size_t begin = text.find("<" + tag);
  const std::string end = "</" + tag + ">";
  REQUIRE(begin != text.npos);
  return text.erase(begin, text.find(end, begin) + end.size() - begin);
}

}  // namespace

TEST_CASE(
    "the soapsvc client can send equal requests twice in a second", "[signed_services][replay]") {
  served<Vault> vault;
  remote<Vault> client(vault);
  CHECK(client.say("hi") == "hi");
  CHECK(client.say("hi") == "hi");
  CHECK(vault.service.calls == 2);
  CHECK(vault.is_again(client.asked));
}

TEST_CASE("a client of optional security has all credentials or none", "[signed_services]") {
  const auto send = [](const soapsvc::http_request&) { return soapsvc::http_response(); };
  const auto make = [&](const char* user, const std::string& identity) {
    soapsvc::client_options options;
    options.ns_base = "urn:test";
    options.security.user = user;
    options.security.allow_password_text_without_tls = true;
    options.security.identity.certificate_file = identity;
    const soapsvc::client<Lodge> made(send, options);
  };
  CHECK_NOTHROW(make("", ""));
  CHECK_NOTHROW(make("alice", caller().file));
  CHECK_THROWS_WITH(
      make("alice", ""), "soapsvc: Lodge needs a signature; set client_options::security.identity");
  CHECK_THROWS_WITH(
      make("", caller().file),
      "soapsvc: Lodge needs a UsernameToken; set client_options::security.user");
}

TEST_CASE("an expired certificate is refused at the start", "[signed_services]") {
  const certificate late = make("late", nullptr, {.from_day = -9, .to_day = -1});
  soapsvc::dispatcher_options options;
  options.ns_base = "urn:test";
  options.security.signatures.trusted_certificates_file = believed();
  options.security.identity.certificate_file = late.file;
  Vault vault;
  soapsvc::dispatcher services(options);
  CHECK_THROWS_WITH(services.add(vault), Catch::EndsWith(" has expired; it cannot sign"));
  soapsvc::client_options by;
  by.ns_base = "urn:test";
  by.security.identity.certificate_file = late.file;
  by.security.signatures.trusted_certificates_file = itself().certificate_file;
  using client = soapsvc::client<Vault>;
  const auto send = [](const soapsvc::http_request&) { return soapsvc::http_response(); };
  CHECK_THROWS_WITH(client(send, by), Catch::EndsWith(" has expired; it cannot sign"));
}

TEST_CASE("a signed response is for callers that signed", "[signed_services]") {
  served<Porch> porch;
  remote<Porch> stranger(porch, nullptr);
  CHECK(stranger.say("hi") == "hi");
  CHECK(!has(stranger.responses.back(), "Signature"));
  CHECK_THROWS_AS(stranger.say("no"), soapsvc::remote_fault);
  remote<Porch> known(porch);
  CHECK(known.say("hi") == "hi");
  CHECK(has(known.responses.back(), "<ds:SignatureValue>"));
  CHECK_THROWS_AS(known.say("no"), soapsvc::remote_fault);
  CHECK(has(known.responses.back(), "<ds:SignatureValue>"));
  known.change = [&](const std::string&) { return stranger.responses[0]; };
  CHECK_THROWS_WITH(known.say("hi"), Catch::Contains("responses must be signed"));
}

TEST_CASE(
    "a fault before the check of signatures is also signed for callers that signed",
    "[signed_services]") {
  served<Porch> porch;
  const std::string text = replaced(message{.service = "Porch"}.made(), "<Say ", "<Nay ");
  const auto nay = [&](const std::string& sent) {
    const std::string body = porch.send(replaced(sent, "</Say>", "</Nay>")).body;
    CHECK(has(body, "is not an operation of this service"));
    return body;
  };
  CHECK(has(nay(text), "<ds:SignatureValue>"));
  CHECK(has(nay(text), "<wsu:Timestamp"));
  const std::string plain = nay(without(text, "wsse:Security"));
  CHECK(!has(plain, "Signature"));
  CHECK(!has(plain, "Timestamp"));
  const std::string for_others =
      nay(replaced(text, "<wsse:Security>", "<wsse:Security s:actor=\"urn:other\">"));
  CHECK(!has(for_others, "Signature"));
  CHECK(!has(for_others, "Timestamp"));
  const std::string unsigned_one = nay(without(text, "ds:Signature"));
  CHECK(!has(unsigned_one, "Signature"));
  CHECK(has(unsigned_one, "<wsu:Timestamp"));
}

namespace {

/// The server's key. `mallory` is a caller with a certificate of the same authority.
const certificate& bank() {
  static const certificate made = make("bank", &authority());
  return made;
}
const certificate& mallory() {
  static const certificate made = make("mallory", &authority());
  return made;
}

/// The result if `by` signs the response.
std::string answered_by(
    const certificate& by, soapsvc::client_security security, const std::string& text = "hi") {
  Vault vault;
  soapsvc::dispatcher_options options;
  options.ns_base = "urn:test";
  options.security.signatures.ca_file = authority().certificate_file;
  options.security.identity.certificate_file = by.file;
  soapsvc::dispatcher services(std::move(options));
  services.add(vault);
  soapsvc::client_options calling;
  calling.ns_base = "urn:test";
  security.identity.certificate_file = mallory().file;
  calling.security = std::move(security);
  return soapsvc::client<Vault>(services, calling).call(&Vault::say, Say{text});
}

}  // namespace

TEST_CASE(
    "only the named certificate of an authority signs responses",
    "[signed_services][server-subject]") {
  soapsvc::client_security security;
  security.signatures.ca_file = authority().certificate_file;
  security.server_subject = bank().subject();
  CHECK(answered_by(bank(), security) == "hi");
  CHECK_THROWS_AS(answered_by(bank(), security, "no"), soapsvc::remote_fault);
  CHECK_THROWS_AS(answered_by(mallory(), security), soapsvc::transport_error);
  CHECK_THROWS_WITH(
      answered_by(mallory(), security),
      Catch::Contains("Security: is signed by 'CN=mallory,") &&
          Catch::Contains("; server_subject is 'CN=bank,"));
  CHECK_THROWS_AS(answered_by(mallory(), security, "no"), soapsvc::transport_error);
  for (const char* part : {"CN=bank", "bank", "CN=BANK,O=Test\\, Inc.,C=NL"}) {
    security.server_subject = part;
    CHECK_THROWS_WITH(answered_by(bank(), security), Catch::Contains("server_subject is"));
  }
}

TEST_CASE(
    "a client that trusts an authority needs the server's subject",
    "[signed_services][server-subject]") {
  const auto needs = Catch::Contains("set client_options::security.server_subject");
  soapsvc::client_security security;
  security.signatures.ca_file = authority().certificate_file;
  CHECK_THROWS_AS(answered_by(bank(), security), std::invalid_argument);
  CHECK_THROWS_WITH(answered_by(bank(), security), needs);
  security.signatures.trusted_certificates_file = bank().certificate_file;
  CHECK_THROWS_WITH(answered_by(bank(), security), needs);
  security.signatures.ca_file.clear();
  CHECK(answered_by(bank(), security) == "hi");
  CHECK_THROWS_WITH(answered_by(mallory(), security), Catch::Contains("token is not valid"));
  security.server_subject = mallory().subject();
  CHECK_THROWS_WITH(answered_by(bank(), security), Catch::Contains("is signed by 'CN=bank"));
  // No signed responses, and no signature at all.
  soapsvc::client_options options;
  options.ns_base = "urn:test";
  options.security.signatures.ca_file = authority().certificate_file;
  const std::string url = "http://127.0.0.1:1/";
  CHECK_NOTHROW(soapsvc::client<Porch>(url, options));
  options.security.identity.certificate_file = mallory().file;
  CHECK_NOTHROW(soapsvc::client<Attic>(url, options));
  CHECK_THROWS_WITH(soapsvc::client<Porch>(url, options), needs);
}

TEST_CASE("a signed response relates to its request if addressing is used", "[signed_services]") {
  served<Post> post;
  remote<Post> client(post);
  CHECK(client.say("first") == "first");
  const std::string first = client.responses.back();
  CHECK(has(first, "RelatesTo"));
  client.change = [&](const std::string&) { return first; };
  CHECK_THROWS_WITH(client.say("second"), Catch::Contains("does not name the request"));
  client.change = [](const std::string& response) { return without(response, "wsa:RelatesTo"); };
  CHECK_THROWS_AS(client.say("second"), soapsvc::transport_error);
  client.change = [](const std::string& response) {  // the right response beside the signed one
    const std::size_t begin = response.find("<wsa:RelatesTo");
    const std::size_t end = response.find("</wsa:RelatesTo>") + 16;
    const std::string whole = response.substr(begin, end - begin);
    const std::size_t id = whole.find(" wsu:Id=");
    std::string copy = whole;
    copy.erase(id, copy.find('"', id + 9) + 1 - id);
    return response.substr(0, end) + copy + response.substr(end);
  };
  CHECK_THROWS_WITH(client.say("second"), Catch::Contains("'RelatesTo' is not signed"));
}

TEST_CASE(
    "a signed response without addressing is not accepted by clients with addressing",
    "[signed_services]") {
  served<Post> post;
  served<Vault> at;
  remote<Post> client(post);
  std::string plain = message{.text = "second", .service = "Post"}.made();
  plain = post.send(plain).body;
  CHECK(has(plain, "<ds:SignatureValue>"));
  CHECK(!has(plain, "RelatesTo"));
  client.change = [&](const std::string&) { return plain; };
  CHECK_THROWS_AS(client.say("second"), soapsvc::transport_error);
  const std::string refused = post.send(message{.text = "no", .service = "Post"}.made()).body;
  CHECK(has(refused, "<ds:SignatureValue>"));
  client.change = [&](const std::string&) { return refused; };
  CHECK_THROWS_WITH(client.say("second"), Catch::Contains("for another request"));
}

TEST_CASE("a confirmed response has the signature of its request", "[signed_services]") {
  served<Court> court;
  remote<Court> client(court);
  CHECK(client.say("first") == "first");
  CHECK_THROWS_AS(client.say("no"), soapsvc::remote_fault);
  const std::string first = client.responses[0], refused = client.responses[1];
  const std::string value = client.asked.substr(client.asked.find("<ds:SignatureValue>") + 19);
  CHECK(has(refused, "Value=\"" + value.substr(0, value.find('<')) + "\""));
  client.change = [&](const std::string&) { return first; };
  CHECK_THROWS_WITH(client.say("first"), Catch::Contains("belongs to another request"));
  client.change = [&](const std::string&) { return refused; };
  CHECK_THROWS_WITH(client.say("no"), Catch::Contains("belongs to another request"));
  served<Vault> vault;
  client.change = [&](const std::string&) { return vault.send(message{}.made()).body; };
  CHECK_THROWS_WITH(client.say("first"), Catch::Contains("SignatureConfirmation is missing"));
  client.change = [](const std::string& response) {
    const std::size_t begin = response.find("<wsse11:SignatureConfirmation");
    return response.substr(0, begin) + response.substr(response.find('>', begin) + 1);
  };
  CHECK_THROWS_AS(client.say("first"), soapsvc::transport_error);
  client.change = [](const std::string& response) {
    return replaced(response, " Value=\"", " Value=\"A");
  };
  CHECK_THROWS_WITH(client.say("first"), Catch::Contains("is invalid"));
  client.change = [&](const std::string&) {  // faults for unknown callers confirm nothing
    return court.send(message{.by = &stranger(), .service = "Court"}.made()).body;
  };
  CHECK_THROWS_WITH(
      client.say("first"),
      Catch::Contains("cannot be believed, 'Security: the security token is not valid'"));
}

TEST_CASE("a client reads the fault of a replayed request", "[signed_services][replay]") {
  served<Court> court;
  remote<Court> client(court);
  client.change = [&](const std::string&) { return court.send(client.asked).body; };  // twice
  CHECK_THROWS_AS(client.say("hi"), soapsvc::remote_fault);
  CHECK_THROWS_WITH(client.say("hi"), Catch::Contains("this message was served before"));
  CHECK(court.service.calls == 2);
  // Before the signature is verified, a fault is like one for an unknown caller.
  client.change = [&](const std::string&) {
    return court.send(replaced(replaced(client.asked, "<Say ", "<Nay "), "</Say>", "</Nay>")).body;
  };
  CHECK_THROWS_AS(client.say("hi"), soapsvc::transport_error);
  CHECK_THROWS_WITH(client.say("hi"), Catch::Contains("is not an operation of this service"));
}

TEST_CASE("the policy lists each header block that is signed", "[signed_services][wsdl]") {
  const served<Gate> gate;
  soapsvc::http_request request;
  request.method = "GET";
  request.target = "/soap/v3/Gate.asmx?wsdl";
  const std::string wsdl = gate.services->handle(request).body;
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = wsdl.find(text); at != wsdl.npos; at = wsdl.find(text, at + 1))
      ++found;
    return found;
  };
  CHECK(count("<sp:Header Name=\"Badge\" Namespace=\"urn:test/Gate\" />") == 1);
  CHECK(count("<sp:Header Name=\"Pass\" Namespace=\"urn:pass\" />") == 1);
  // Faults are signed as responses are: input and output of three operations, and one fault.
  CHECK(count("<wsp:PolicyReference URI=\"#GateSignedParts\" />") == 2 * 7);
  const served<Vault> vault;
  request.target = "/soap/v3/Vault.asmx?wsdl";
  CHECK(!has(vault.services->handle(request).body, "<sp:Header "));
}

TEST_CASE("the policy says that responses are confirmed", "[signed_services]") {
  const served<Court> court;
  soapsvc::http_request request;
  request.method = "GET";
  request.target = "/soap/v3/Court.asmx?wsdl";
  CHECK(has(court.services->handle(request).body, "<sp:RequireSignatureConfirmation />"));
}

// --- Header blocks -------------------------------------------------------------------------------

TEST_CASE(
    "a help page lists the parts to sign, and says that the form signs nothing",
    "[signed_services]") {
  const auto page = [](auto&& served) {
    soapsvc::http_request request;
    request.method = "GET";
    const std::string target = "/soap/v3/" + served.name() + ".asmx?op=Say";
    request.target = target;
    return served.services->handle(request).body;
  };
  const std::string body_and_time = page(served<Vault>());
  CHECK(
      has(body_and_time,
          "Timestamp, and a signature by X.509 of Body and Security block (samples and form have "
          "none); responses are signed<"));
  CHECK(has(body_and_time, "data-security=\"timestamp\""));
  CHECK(has(body_and_time, "&lt;wsu:Created&gt;"));
  const std::string blocks = page(served<Attic>());
  CHECK(has(blocks, "Security block, and of header blocks (samples and form have none)<"));
  CHECK_FALSE(has(blocks, "&lt;wsse:"));
  CHECK(has(page(served<Porch>()), "may be left out; responses are signed<"));
}

TEST_CASE("context::header_blocks tells which are signed", "[signed_services]") {
  served<Attic> attic;
  const std::string block =
      "<Badge xmlns=\"urn:test/Attic\" wsu:Id=\"block\"><Name>a</Name></Badge>";
  const std::string plain = "<Other xmlns=\"urn:x\"/>";
  CHECK(attic.is_served(message{.header = block + plain, .service = "Attic"}.made()));
  CHECK(attic.service.blocks == "Security? Badge! Other? ");
}

TEST_CASE("an interceptor reads only signed header blocks", "[signed_services]") {
  soapsvc::dispatcher_options options;
  std::string seen;
  options.interceptors.push_back([&](soapsvc::intercepted_call& call) {
    const auto badge = call.header_block<Badge>();
    seen = badge ? badge->name : "none";
    call.proceed();
  });
  const std::string block =
      "<Badge xmlns=\"urn:test/Attic\" wsu:Id=\"block\"><Name>a</Name></Badge>";
  const std::string plain = "<Badge xmlns=\"urn:test/Attic\"><Name>eve</Name></Badge>";
  served<Attic> attic({}, options);
  CHECK(attic.is_served(message{.id = "one", .header = block, .service = "Attic"}.made()));
  CHECK(seen == "a");
  CHECK(attic.is_served(message{.id = "two", .service = "Attic"}.made()));
  CHECK(seen == "none");
  CHECK(!attic.is_served(message{.id = "three", .header = plain, .service = "Attic"}.made()));
  CHECK(has(attic.last, "'Badge' is not signed; this service needs it"));
}

// --- Names in values -----------------------------------------------------------------------------

struct Shape {
  std::string colour;
};
struct Disc : Shape {
  std::optional<std::int32_t> radius;
};
struct Plate : Shape {  // is a Disc, too, in another namespace
  std::optional<std::int32_t> depth;
};
struct Ring : Shape {
  std::optional<std::int32_t> carats;
};
template <>
inline constexpr auto soapsvc::schema<Shape> = record("Shape", field("Colour", &Shape::colour));
template <>
inline constexpr auto soapsvc::schema<Disc> =
    record("Disc", extends<Shape>(), field("Radius", &Disc::radius));
template <>
inline constexpr auto soapsvc::schema<Plate> =
    record("Disc", ns("urn:plates"), extends<Shape>(), field("Depth", &Plate::depth));
template <>
inline constexpr auto soapsvc::schema<Ring> =
    record("Ring", extends<Shape>(), field("Carats", &Ring::carats));
template <> inline constexpr auto soapsvc::known_types<Shape> = soapsvc::types<Disc, Plate, Ring>();
struct Drawn {
  std::optional<soapsvc::qualified_name> name;
  std::optional<soapsvc::polymorphic<Shape>> shape;
};
template <>
inline constexpr auto soapsvc::schema<Drawn> =
    record(field("Name", &Drawn::name), field("Shape", &Drawn::shape));

namespace {
class Studio {
public:
  Drawn draw(const Drawn& asked) {
    ++calls;
    seen = asked.name ? '{' + std::string(asked.name->ns) + '}' + asked.name->local : "";
    if (asked.shape)
      seen += asked.shape->get_if<Disc>()    ? "disc"
              : asked.shape->get_if<Plate>() ? "plate"
              : asked.shape->get_if<Ring>()  ? "ring"
                                             : "shape";
    return asked;
  }
  int calls = 0;
  std::string seen;
};
}  // namespace
template <>
inline constexpr auto soapsvc::schema<Studio> = service(
    "Studio",
    secured(x509_signature, timestamp, signed_responses),
    operation("Draw", &Studio::draw));

namespace {

/// The method's view of a signed Draw; `outside` is in the Envelope.
std::string drawn(
    const std::string& inside,
    const std::string& outside,
    const std::string& list = "",
    const std::function<std::string(std::string)>& change = {},
    served<Studio>* by = nullptr) {
  static int count = 0;
  const std::string id = "body" + std::to_string(++count);
  std::string out = "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"" + outside;
  out.append(" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\"");
  out.append(" xmlns:wsse=\"").append(impl::wsse_ns).append("\" xmlns:wsu=\"");
  out.append(impl::wsu_ns).append("\"><s:Header><wsse:Security>");
  out += token_element(caller()) + "<wsu:Timestamp wsu:Id=\"time\"><wsu:Created>" +
         soapsvc::date_time::from(start).text() + "</wsu:Created></wsu:Timestamp>";
  const std::string kept = list.empty() ? ""
                                        : "<c:InclusiveNamespaces xmlns:c=\"" +
                                              std::string(impl::exclusive_c14n_ns) +
                                              "\" PrefixList=\"" + list + "\"/>";
  out += signature(reference(id, sha256, kept) + reference("time"), token_reference());
  out += "</wsse:Security></s:Header><s:Body wsu:Id=\"" + id + "\"><d:Draw xmlns:d=\"" +
         "urn:test/Studio\">" + inside + "</d:Draw></s:Body></s:Envelope>";
  std::string text = filled(out, caller().key);
  if (change) text = change(text);
  static served<Studio> usual;
  served<Studio>& studio = by ? *by : usual;
  return studio.is_served(text) ? studio.service.seen : studio.last;
}

std::string named(const std::string& name, const std::string& attributes = "") {
  return "<d:Name" + attributes + ">" + name + "</d:Name>";
}
std::string shaped(const std::string& type, const std::string& attributes = "") {
  return "<d:Shape i:type=\"" + type + "\"" + attributes + "><d:Colour>red</d:Colour></d:Shape>";
}
constexpr const char* uncovered = "has a prefix that the signature does not cover";

}  // namespace

TEST_CASE("a qualified name in a value needs a signed prefix", "[signed_services]") {
  const std::string p = " xmlns:p=\"urn:p\"";
  CHECK(drawn(named("d:x"), "") == "{urn:test/Studio}x");
  CHECK(drawn(named("p:x"), p, "p") == "{urn:p}x");
  CHECK(drawn(named("p:x", p), "", "p") == "{urn:p}x");
  CHECK(drawn(named("p:x", p + " p:a=\"\""), "") == "{urn:p}x");
  CHECK(drawn(named("x"), "", "#default") == "{}x");
  CHECK(drawn(named("xml:x"), "") == "{http://www.w3.org/XML/1998/namespace}x");
  CHECK_THAT(drawn(named("p:x"), p), Catch::Contains(uncovered));
  CHECK_THAT(drawn(named("p:x", p), ""), Catch::Contains(uncovered));
  CHECK_THAT(drawn(named("x"), ""), Catch::Contains(uncovered));
  // Signed is the prefix of s:Body, which has another meaning.
  CHECK_THAT(drawn(named("s:x", " xmlns:s=\"urn:p\""), ""), Catch::Contains(uncovered));
  const auto redeclared = [](const std::string& text) {
    return replaced(text, "<d:Name>", "<d:Name xmlns:d=\"urn:test/Studio\">");
  };
  CHECK(drawn(named("d:x"), "", "", redeclared) == "{urn:test/Studio}x");
  const auto rebound = [](const std::string& text) {
    return replaced(text, "<d:Colour>", "<d:Colour xmlns:e=\"urn:plates\">");
  };
  CHECK(drawn(shaped("d:Ring"), "", "", rebound) == "ring");
}

TEST_CASE(
    "a declaration that is added to signed content does not change names", "[signed_services]") {
  const std::string p = " xmlns:p=\"urn:p\"";
  const auto inside = [](const std::string& text) {
    return replaced(text, ">p:x<", " xmlns:p=\"urn:evil\">p:x<");
  };
  CHECK_THAT(drawn(named("p:x"), p, "p", inside), Catch::Contains("is invalid"));
  CHECK_THAT(drawn(named("p:x"), p, "", inside), Catch::Contains(uncovered));
  const auto outside = [](const std::string& text) {
    return replaced(text, "xmlns:p=\"urn:p\"", "xmlns:p=\"urn:evil\"");
  };
  CHECK_THAT(drawn(named("p:x"), p, "p", outside), Catch::Contains("is invalid"));
  CHECK_THAT(drawn(named("p:x"), p, "", outside), Catch::Contains(uncovered));
  const auto bare = [](const std::string& text) {
    return replaced(text, ">x<", " xmlns=\"urn:evil\">x<");
  };
  CHECK_THAT(drawn(named("x"), "", "#default", bare), Catch::Contains("is invalid"));
  CHECK_THAT(drawn(named("x"), "", "", bare), Catch::Contains(uncovered));
}

TEST_CASE("the search for a signed prefix has a bound", "[signed_services][limits]") {
  soapsvc::dispatcher_options options;
  options.limits.max_pattern_steps = 100;
  served<Studio> few({}, std::move(options));
  const auto drawn_with = [&](int attributes) {
    std::string others = " xmlns:o=\"urn:o\"";
    for (int number = 0; number != attributes; ++number)
      others += " o:a" + std::to_string(number) + "=\"\"";
    return drawn(named("p:x", others), " xmlns:p=\"urn:p\"", "p", {}, &few);
  };
  CHECK(drawn_with(20) == "{urn:p}x");
  CHECK_THAT(drawn_with(150), Catch::Contains("Name: takes more than 100 steps"));
}

TEST_CASE("an xsi:type is accepted if it can mean only one type", "[signed_services][xsi:type]") {
  const std::string p = " xmlns:p=\"urn:test/Studio\"", q = " xmlns:p=\"urn:plates\"";
  CHECK(drawn(shaped("d:Disc"), "") == "disc");
  CHECK(drawn(shaped("p:Disc"), p, "p") == "disc");
  CHECK(drawn(shaped("p:Disc"), q, "p") == "plate");
  CHECK(drawn(shaped("p:Ring"), p) == "ring");  // as old callers send it
  CHECK_THAT(drawn(shaped("p:Disc"), p), Catch::Contains(uncovered));
  CHECK_THAT(drawn(shaped("p:Disc"), q), Catch::Contains(uncovered));
  CHECK_THAT(drawn(shaped("p:Ring"), " xmlns:p=\"urn:x\""), Catch::Contains(uncovered));
}

TEST_CASE("signed messages of soapsvc sign the prefixes of their values", "[signed_services]") {
  served<Studio> studio;
  soapsvc::client_options options;
  options.ns_base = "urn:test";
  options.security.identity.certificate_file = caller().file;
  options.security.signatures.trusted_certificates_file = itself().certificate_file;
  std::string sent;
  soapsvc::client<Studio> client(
      [&](const soapsvc::http_request& request) {
        sent = request.body;
        soapsvc::http_response response = studio.send(sent);
        sent += response.body;
        return response;
      },
      std::move(options));
  for (const soapsvc::qualified_name& name :
       {soapsvc::qualified_name{"urn:p", "x"},
        soapsvc::qualified_name{"", "y"},
        soapsvc::qualified_name{"urn:" + std::string(5'000, 'p'), "z"}}) {
    const Drawn back = client.call(&Studio::draw, Drawn{name, Plate{{"blue"}, std::nullopt}});
    CHECK(studio.service.seen == '{' + std::string(name.ns) + '}' + name.local + "plate");
    CHECK(back.name == name);
    CHECK((back.shape && back.shape->get_if<Plate>()));
    CHECK(has(sent, "PrefixList="));
  }
  client.call(&Studio::draw, Drawn{});
  CHECK(!has(sent, "PrefixList="));
}
