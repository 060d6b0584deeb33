// UsernameToken, Timestamp and the replay cache, on both sides: the requests that a `secured`
// service accepts and refuses, by a clock that the test sets. Faults are compared with WS-Security:
// SOAP Message Security 1.1, 12, and UsernameToken Profile 1.1.
#include <catch2/catch.hpp>

#include <openssl/sha.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "soapsvc.hpp"

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

/// Returns the caller. The number distinguishes services with different requirements.
template <int Demand> class Gate {
public:
  std::string who(const soapsvc::context& told) const { return '[' + std::string(told.user) + ']'; }
};
using TextGate = Gate<0>;
using DigestGate = Gate<1>;
using FreshGate = Gate<2>;  // text or digest, and a Timestamp
using OpenGate = Gate<3>;  // everything optional
using ClockGate = Gate<4>;  // only a Timestamp

}  // namespace

template <>
inline constexpr auto soapsvc::schema<TextGate> =
    service("Gate", secured(password_text), operation("Who", &TextGate::who));
template <>
inline constexpr auto soapsvc::schema<DigestGate> =
    service("Gate", secured(password_digest), operation("Who", &DigestGate::who));
template <>
inline constexpr auto soapsvc::schema<FreshGate> = service(
    "Gate", secured(password_text, password_digest, timestamp), operation("Who", &FreshGate::who));
template <>
inline constexpr auto soapsvc::schema<OpenGate> = service(
    "Gate", secured(optionally, password_text, timestamp), operation("Who", &OpenGate::who));
template <>
inline constexpr auto soapsvc::schema<ClockGate> =
    service("Gate", secured(timestamp), operation("Who", &ClockGate::who));

namespace {

const std::string wsse =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const std::string wsu =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const std::string profile =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#";
const std::string failed = "the security token could not be authenticated";

constexpr std::chrono::sys_seconds noon =
    std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h;

std::string time_text(std::chrono::sys_seconds at) { return soapsvc::date_time::from(at).text(); }

/// A dispatcher with one service, and the clock that it sees.
template <class Service> struct Served {
  explicit Served(soapsvc::security_options security = {}) {
    soapsvc::dispatcher_options options;
    options.ns_base = "urn:test";
    security.check_password = [this](auto user, auto password, const soapsvc::context&) {
      ++asked;
      const bool known = (user == "alice" && password == "secret & <word>") ||
                         (user == "bob" && password == "MTIzNA==");
      return known ? std::optional<std::string>(user) : std::nullopt;
    };
    security.find_password = [this](auto user, const soapsvc::context&) {
      ++asked;
      return user == "alice" ? std::optional<std::string>("secret & <word>") : std::nullopt;
    };
    security.clock = [this] { return now.load(); };
    options.security = std::move(security);
    services = std::make_unique<soapsvc::dispatcher>(std::move(options));
    services->add(service);
  }

  /// The response to a request with this Header.
  soapsvc::http_response send(const std::string& header, bool v12 = false) const {
    const std::string ns = v12 ? "http://www.w3.org/2003/05/soap-envelope"
                               : "http://schemas.xmlsoap.org/soap/envelope/";
    const std::string body = "<s:Envelope xmlns:s='" + ns + "' xmlns:o='" + wsse + "' xmlns:u='" +
                             wsu + "'><s:Header>" + header +
                             "</s:Header><s:Body><Who xmlns='urn:test/Gate'/></s:Body>"
                             "</s:Envelope>";
    const soapsvc::http_header fields[] = {
        {"Content-Type", v12 ? "application/soap+xml" : "text/xml"}};
    soapsvc::http_request request;
    request.target = "/soap/v3/Gate.asmx";
    request.headers = fields;
    request.body = body;
    request.scheme = scheme;
    return services->handle(request);
  }
  std::string told(const std::string& header, bool v12 = false) const {
    return send(header, v12).body;
  }

  std::string scheme = "https";
  std::atomic<std::chrono::sys_seconds> now{noon};
  std::atomic<int> asked{0};
  Service service;
  std::unique_ptr<soapsvc::dispatcher> services;
};

std::string block(const std::string& inside) {
  return "<o:Security s:mustUnderstand='1'>" + inside + "</o:Security>";
}
std::string stamp(std::chrono::sys_seconds created, std::chrono::seconds life = 300s) {
  return "<u:Timestamp><u:Created>" + time_text(created) + "</u:Created><u:Expires>" +
         time_text(created + life) + "</u:Expires></u:Timestamp>";
}
std::string text_token(
    const std::string& user = "alice", const std::string& password = "secret &amp; &lt;word&gt;") {
  return "<o:UsernameToken><o:Username>" + user + "</o:Username><o:Password Type='" + profile +
         "PasswordText'>" + password + "</o:Password></o:UsernameToken>";
}

std::string base64(std::string_view bytes) {
  return soapsvc::binary{{bytes.begin(), bytes.end()}}.text();
}

/// The digest of UTP 3.1, by OpenSSL's function, without code of the header.
std::string digest_text(
    const std::string& nonce, const std::string& created, const std::string& secret) {
  const std::string all = nonce + created + secret;
  unsigned char made[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(all.data()), all.size(), made);
  return base64({reinterpret_cast<const char*>(made), sizeof made});
}
struct DigestToken {
  std::string user = "alice", secret = "secret & <word>", nonce = "0123456789abcdef";
  std::string created = time_text(noon);

  std::string text() const {
    return "<o:UsernameToken u:Id='t'><o:Username>" + user + "</o:Username><o:Password Type='" +
           profile + "PasswordDigest'>" + digest_text(nonce, created, secret) +
           "</o:Password><o:Nonce>" + base64(nonce) + "</o:Nonce><u:Created>" + created +
           "</u:Created></o:UsernameToken>";
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// True if a response is a fault with this code of WS-Security, in the form of its version.
bool is_fault(const std::string& response, const std::string& code, bool v12 = false) {
  const std::string prefix = code == "MessageExpired" ? "wsu" : "wsse";
  const std::string ns = code == "MessageExpired" ? wsu : wsse;
  const std::string name = " xmlns:" + prefix + "=\"" + ns + "\">" + prefix + ':' + code + "</";
  return has(response, v12 ? "<soap12:Subcode><soap12:Value" + name : "<faultcode" + name);
}

}  // namespace

// --- Passwords as text ---------------------------------------------------------------------------

TEST_CASE(
    "a valid user and password are accepted, and the method gets the user",
    "[security][username-token]") {
  const Served<TextGate> served;
  for (const bool v12 : {false, true}) {
    const auto response = served.send(block(text_token()), v12);
    CHECK(response.status == 200);
    CHECK(has(response.body, "[alice]"));
    CHECK_FALSE(has(response.body, "Security"));  // no Timestamp is declared
  }
}

TEST_CASE(
    "a password without a Type is text, and the children of a token may have any order",
    "[security][username-token]") {
  const Served<TextGate> served;
  CHECK(
      has(served.told(block("<o:UsernameToken><o:Password>secret &amp; &lt;word&gt;</o:Password>"
                            "<o:Username>alice</o:Username></o:UsernameToken>")),
          "[alice]"));
}

TEST_CASE(
    "all wrong credentials get the same fault, and each is checked by the program",
    "[security][username-token]") {
  const Served<FreshGate> served;
  const std::string wrong = served.told(block(stamp(noon) + text_token("alice", "wrong")));
  CHECK(is_fault(wrong, "FailedAuthentication"));
  CHECK(has(wrong, failed));
  CHECK(served.told(block(stamp(noon) + text_token("mallory"))) == wrong);
  CHECK(served.told(block(stamp(noon) + text_token("", ""))) == wrong);
  CHECK(served.asked == 3);
  CHECK(served.told(block(stamp(noon) + DigestToken{.user = "mallory"}.text())) == wrong);
  CHECK(served.told(block(stamp(noon) + DigestToken{.secret = "wrong"}.text())) == wrong);
  CHECK(served.asked == 5);
  // The placeholder for the secret of an unknown user is not valid.
  const DigestToken known_to_all{.user = "mallory", .secret = "no user has this"};
  CHECK(served.told(block(stamp(noon) + known_to_all.text())) == wrong);
  CHECK(served.asked == 6);
}

TEST_CASE(
    "a wrong credential is a Sender fault in 1.2, with the subcode", "[security][username-token]") {
  const Served<TextGate> served;
  const auto response = served.send(block(text_token("alice", "wrong")), true);
  CHECK(response.status == 400);
  CHECK(is_fault(response.body, "FailedAuthentication", true));
}

TEST_CASE(
    "a password as text is accepted over TLS only, unless an option allows it",
    "[security][username-token]") {
  Served<TextGate> served;
  served.scheme = "http";
  CHECK(is_fault(served.told(block(text_token())), "InvalidSecurity"));
  CHECK(served.asked == 0);
  Served<TextGate> open({.allow_password_text_without_tls = true});
  open.scheme = "http";
  CHECK(has(open.told(block(text_token())), "[alice]"));
}

TEST_CASE(
    "a form of password that is not declared is refused by name", "[security][username-token]") {
  const Served<TextGate> text;
  const std::string refused = text.told(block(DigestToken{}.text()));
  CHECK(is_fault(refused, "UnsupportedSecurityToken"));
  CHECK(has(refused, "PasswordDigest is not accepted"));
  const Served<DigestGate> digest;
  CHECK(is_fault(digest.told(block(text_token())), "UnsupportedSecurityToken"));
  CHECK(digest.asked == 0);
  const Served<ClockGate> none;
  CHECK(has(none.told(block(stamp(noon) + text_token())), "UsernameToken: is not accepted"));
}

// --- Digests -------------------------------------------------------------------------------------

TEST_CASE(
    "the password digest uses the nonce's bytes and Created as sent",
    "[security][nonce][username-token]") {
  const Served<DigestGate> served;
  CHECK(has(served.told(block(DigestToken{}.text())), "[alice]"));
  for (const std::string created :
       {"2026-03-01T12:00:00.000Z", "2026-03-01T13:00:00+01:00", "2026-03-01T12:00:00.1234567Z"})
    CHECK(
        has(served.told(block(DigestToken{.nonce = "n " + created, .created = created}.text())),
            "[alice]"));
}

TEST_CASE(
    "white space around Created is in the password digest, as in UTP 3.1",
    "[security][username-token]") {
  const Served<DigestGate> served;
  DigestToken token{.created = " " + time_text(noon) + "\n"};
  CHECK(has(served.told(block(token.text())), "[alice]"));
  std::string text = DigestToken{.nonce = "another"}.text();
  text.insert(text.find("</u:Created>"), " ");
  CHECK(is_fault(served.told(block(text)), "FailedAuthentication"));
}

TEST_CASE("a digest is accepted without TLS, if it has the right length", "[security]") {
  Served<DigestGate> served;
  served.scheme = "http";
  const std::string token = DigestToken{}.text();
  const std::size_t end = token.find("=</o:Password>");  // 20 bytes are 27 characters, and this
  REQUIRE(end != token.npos);
  for (const char* other : {"A</o:Password>", "AAAAA</o:Password>", "</o:Password>"}) {
    std::string changed = token;
    changed.replace(end, 14, other);
    CHECK(is_fault(served.told(block(changed)), "FailedAuthentication"));
  }
  CHECK(has(served.told(block(token)), "[alice]"));
}

TEST_CASE(
    "a digest of SOAP's UsernameToken Profile is read, byte for byte",
    "[security][username-token]") {
  // Computed with `openssl dgst -sha1 -binary | base64`, of 16 zero bytes, the time and the secret.
  const Served<DigestGate> served;
  const std::string zeros(16, '\0');
  CHECK(has(served.told(block(DigestToken{.nonce = zeros}.text())), "[alice]"));
}

TEST_CASE("a digest without nonce or time is refused", "[security][nonce]") {
  const Served<FreshGate> served;
  const auto without = [&](std::string token, const std::string& begin, const std::string& end) {
    const std::size_t at = token.find(begin);
    token.erase(at, token.find(end, at) + end.size() - at);
    return served.told(block(stamp(noon) + token));
  };
  const std::string token = DigestToken{}.text();
  CHECK(is_fault(without(token, "<o:Nonce>", "</o:Nonce>"), "InvalidSecurityToken"));
  CHECK(is_fault(without(token, "<u:Created>", "</u:Created>"), "InvalidSecurityToken"));
  CHECK(has(without(token, "<u:Created>", "</u:Created>"), "needs Nonce and Created"));
  CHECK(served.asked == 0);
}

// --- Replay --------------------------------------------------------------------------------------

TEST_CASE(
    "a nonce is accepted once, and a repetition is a failed credential",
    "[security][replay][nonce][username-token]") {
  const Served<FreshGate> served;
  const std::string message = block(stamp(noon) + DigestToken{}.text());
  CHECK(has(served.told(message), "[alice]"));
  const std::string again = served.told(message);
  CHECK(is_fault(again, "FailedAuthentication"));
  CHECK(has(again, failed));
}

TEST_CASE(
    "a nonce with a password as text is accepted once for each user",
    "[security][replay][nonce][username-token]") {
  const Served<TextGate> served;
  const auto told = [&](const std::string& nonce) {
    std::string token = text_token("bob", "MTIzNA==");  // might be a digest, by its characters
    token.insert(
        token.find("</o:UsernameToken>"),
        "<o:Nonce>" + base64(nonce) + "</o:Nonce><u:Created>" + time_text(noon) + "</u:Created>");
    return served.told(block(token));
  };
  CHECK(has(told("1"), "[bob]"));
  CHECK(has(told("2"), "[bob]"));
  CHECK(is_fault(told("1"), "FailedAuthentication"));
}

TEST_CASE(
    "a nonce with a password as text needs no Created, and is kept for max_message_age",
    "[security][nonce][username-token]") {
  Served<TextGate> served;
  std::string token = text_token();
  token.insert(token.find("</o:UsernameToken>"), "<o:Nonce>MDEy</o:Nonce>");
  CHECK(has(served.told(block(token)), "[alice]"));
  CHECK(is_fault(served.told(block(token)), "FailedAuthentication"));
  served.now = noon + 300s;
  CHECK(is_fault(served.told(block(token)), "FailedAuthentication"));
  served.now = noon + 301s;
  CHECK(has(served.told(block(token)), "[alice]"));
}

TEST_CASE("of many concurrent copies of a message, exactly one is served", "[security][replay]") {
  const Served<DigestGate> served;
  std::atomic<int> passed{0};
  for (int round = 0; round != 20; ++round) {
    const std::string message = block(DigestToken{.nonce = std::to_string(round)}.text());
    std::vector<std::thread> senders;
    for (int sender = 0; sender != 4; ++sender)
      senders.emplace_back([&] { passed += has(served.told(message), "[alice]") ? 1 : 0; });
    for (std::thread& sender : senders)
      sender.join();
  }
  CHECK(passed == 20);
}

TEST_CASE("two dispatchers that share a cache accept a nonce once", "[security][replay][nonce]") {
  const Served<DigestGate> first({.max_replay_entries = 10});
  const auto store = first.services->options().security.replay_cache;
  REQUIRE(store);
  const Served<DigestGate> second({.replay_cache = store});
  CHECK(has(first.told(block(DigestToken{}.text())), "[alice]"));
  CHECK(is_fault(second.told(block(DigestToken{}.text())), "FailedAuthentication"));
  CHECK(has(second.told(block(DigestToken{.nonce = "another"}.text())), "[alice]"));
  CHECK(
      is_fault(first.told(block(DigestToken{.nonce = "another"}.text())), "FailedAuthentication"));
}

TEST_CASE(
    "in a full cache a caller loses its own oldest entries, and no message is served twice",
    "[security][replay]") {
  Served<DigestGate> served({.max_replay_entries = 2});
  const auto message = [&](const std::string& nonce) {
    return block(DigestToken{.nonce = nonce, .created = time_text(served.now)}.text());
  };
  const std::string first = message("1"), second = message("2"), third = message("3");
  CHECK(has(served.told(first), "[alice]"));
  CHECK(has(served.told(second), "[alice]"));
  const auto full = served.send(third, true);
  CHECK(full.status == 503);
  CHECK(has(full.body, "soap12:Receiver"));
  CHECK(is_fault(served.told(first), "FailedAuthentication"));
  served.now = noon + 1s;
  CHECK(has(served.told(message("4")), "[alice]"));  // replaces the first or the second entry
  for (const std::string& old : {first, second, third})
    CHECK(served.send(old).status != 200);
  served.now = noon + 360s;  // the last second of their validity
  for (const std::string& old : {first, second, third})
    CHECK(served.send(old).status != 200);
  served.now = noon + 361s;
  CHECK(has(served.told(message("5")), "[alice]"));
}

TEST_CASE("a caller that fills the cache does not block other callers", "[security][replay]") {
  Served<TextGate> served({.max_replay_entries = 10});
  const auto send = [&](const std::string& user, int nonce) {
    std::string token = user == "bob" ? text_token("bob", "MTIzNA==") : text_token();
    token.insert(
        token.find("</o:UsernameToken>"),
        "<o:Nonce>" + base64(std::to_string(nonce)) + "</o:Nonce><u:Created>" + time_text(noon) +
            "</u:Created>");
    return served.send(block(token)).status;
  };
  for (int each = 0; each != 10; ++each)
    CHECK(send("alice", each) == 200);
  CHECK(send("alice", 10) == 503);
  for (int each = 0; each != 5; ++each)
    CHECK(send("bob", each) == 200);
  CHECK(send("bob", 5) == 503);  // it has half of the cache
  CHECK(send("alice", 11) == 503);
  for (int each = 0; each != 10; ++each)
    CHECK(send("alice", each) != 200);
  for (int each = 0; each != 5; ++each)
    CHECK(send("bob", each) == 500);
}

TEST_CASE(
    "callers without valid credentials use no room of the cache",
    "[security][replay][username-token]") {
  const Served<DigestGate> served({.max_replay_entries = 1});
  for (int each = 0; each != 5; ++each)
    CHECK(is_fault(
        served.told(block(DigestToken{.secret = "no", .nonce = std::to_string(each)}.text())),
        "FailedAuthentication"));
  CHECK(has(served.told(block(DigestToken{}.text())), "[alice]"));
}

TEST_CASE("a clock that steps back makes no old message valid", "[security][replay]") {
  Served<DigestGate> served;
  const auto message = [](std::chrono::sys_seconds at, const std::string& nonce) {
    return block(DigestToken{.nonce = nonce, .created = time_text(at)}.text());
  };
  CHECK(has(served.told(message(noon, "1")), "[alice]"));
  served.now = noon + 1h;
  CHECK(has(served.told(message(noon + 1h, "2")), "[alice]"));  // the first entry is deleted
  served.now = noon + 1s;
  CHECK(is_fault(served.told(message(noon, "1")), "FailedAuthentication"));
  CHECK(is_fault(served.told(message(noon, "3")), "FailedAuthentication"));  // perhaps a copy
  CHECK(has(served.told(message(noon + 1s, "4")), "[alice]"));
  CHECK(is_fault(served.told(message(noon + 1h, "2")), "MessageExpired"));
  served.now = noon + 1h;
  CHECK(is_fault(served.told(message(noon + 1h, "2")), "FailedAuthentication"));
}

// --- Timestamp -----------------------------------------------------------------------------------

TEST_CASE(
    "a Timestamp is accepted within its age and the clock difference, to the second",
    "[security][timestamp]") {
  const Served<ClockGate> served;
  const auto at = [&](std::chrono::seconds ahead, std::chrono::seconds life) {
    return served.told(block(stamp(noon + ahead, life)));
  };
  CHECK(has(at(0s, 300s), "[]"));
  CHECK(has(at(60s, 300s), "[]"));
  CHECK(is_fault(at(61s, 300s), "MessageExpired"));
  CHECK(has(at(-360s, 9000s), "[]"));
  CHECK(is_fault(at(-361s, 9000s), "MessageExpired"));
  CHECK(has(at(-100s, 41s), "[]"));  // expired 59 s ago
  CHECK(is_fault(at(-100s, 40s), "MessageExpired"));
}

TEST_CASE("a time is in UTC, also far from today", "[security]") {
  const Served<ClockGate> served;
  const auto with = [&](const std::string& created, const std::string& expires) {
    return served.told(block(
        "<u:Timestamp><u:Created>" + created + "</u:Created><u:Expires>" + expires +
        "</u:Expires></u:Timestamp>"));
  };
  CHECK(has(with(" 2026-03-01T12:00:00Z\n", "9999-12-31T23:59:59Z"), "[]"));
  CHECK(has(with("2026-03-01T07:00:00.25-05:00", "2026-03-01T12:05:00Z"), "[]"));
  CHECK(is_fault(with("2026-03-01T12:00:00", "2026-03-01T12:05:00Z"), "InvalidSecurity"));
  CHECK(is_fault(with("noon", "2026-03-01T12:05:00Z"), "InvalidSecurity"));
  CHECK(is_fault(with("2026-03-01T12:00:00Z", "2026-03-01T11:59:59Z"), "InvalidSecurity"));
  CHECK(
      is_fault(with("2147483647-01-01T00:00:00Z", "2147483647-01-01T00:00:00Z"), "MessageExpired"));
  CHECK(is_fault(with("-2147483647-01-01T00:00:00Z", "2026-03-01T12:05:00Z"), "MessageExpired"));
}

TEST_CASE(
    "a Timestamp has one Created, perhaps one Expires, and nothing else", "[security][timestamp]") {
  const Served<ClockGate> served;
  const std::string created = "<u:Created>2026-03-01T12:00:00Z</u:Created>";
  const std::string expires = "<u:Expires>2026-03-01T12:00:10Z</u:Expires>";
  const auto with = [&](const std::string& inside) {
    return served.told(block("<u:Timestamp>" + inside + "</u:Timestamp>"));
  };
  CHECK(has(with(created), "[]"));
  CHECK(is_fault(with(expires), "InvalidSecurity"));
  CHECK(is_fault(with(created + created), "InvalidSecurity"));
  CHECK(is_fault(with(created + expires + expires), "InvalidSecurity"));
  CHECK(
      is_fault(with(created + "<u:Received>2026-03-01T12:00:00Z</u:Received>"), "InvalidSecurity"));
  CHECK(is_fault(with("<u:Created><x/></u:Created>"), "InvalidSecurity"));
  CHECK(has(with("<u:Created>2026-03-01T12:00:00Z<x/></u:Created>"), "allowed is text"));
}

TEST_CASE(
    "a response of a service that demands a Timestamp has one, a fault too",
    "[security][timestamp]") {
  Served<FreshGate> served;
  for (const bool v12 : {false, true}) {
    served.now = noon;
    const std::string soap = v12 ? "soap12" : "soap";
    const std::string expected =
        '<' + soap + ":Header><wsse:Security xmlns:wsse=\"" + wsse + "\" xmlns:wsu=\"" + wsu +
        "\" " + soap +
        ":mustUnderstand=\"1\"><wsu:Timestamp wsu:Id=\"Timestamp\"><wsu:Created>"
        "2026-03-01T12:00:00Z</wsu:Created><wsu:Expires>2026-03-01T12:05:00Z</wsu:Expires>"
        "</wsu:Timestamp></wsse:Security></" +
        soap + ":Header>";
    CHECK(has(served.told(block(stamp(noon) + text_token()), v12), expected));
    CHECK(has(served.told(block(stamp(noon) + text_token("nobody")), v12), expected));
  }
}

// --- The block -----------------------------------------------------------------------------------

TEST_CASE("the fault names a missing required part", "[security]") {
  const Served<FreshGate> served;
  CHECK(is_fault(served.told(""), "InvalidSecurity"));
  const std::string no_token = served.told(block(stamp(noon)));
  CHECK(is_fault(no_token, "InvalidSecurity"));
  CHECK(has(no_token, "UsernameToken is missing"));
  const std::string no_time = served.told(block(text_token()));
  CHECK(is_fault(no_time, "InvalidSecurity"));
  CHECK(has(no_time, "Timestamp is missing"));
  CHECK(served.asked == 0);
}

TEST_CASE("there is one Security block for this node, with each element once", "[security]") {
  const Served<FreshGate> served;
  const std::string good = block(stamp(noon) + text_token());
  CHECK(is_fault(served.told(good + good), "InvalidSecurity"));
  const std::string next = "<o:Security s:actor='http://schemas.xmlsoap.org/soap/actor/next'/>";
  CHECK(is_fault(served.told(good + next), "InvalidSecurity"));
  const std::string other = "<o:Security s:actor='urn:other'><bad/></o:Security>";
  CHECK(has(served.told(other + good), "[alice]"));
  CHECK(is_fault(served.told(other), "InvalidSecurity"));
  CHECK(is_fault(served.told(block(stamp(noon) + stamp(noon) + text_token())), "InvalidSecurity"));
  CHECK(is_fault(served.told(block(stamp(noon) + text_token() + text_token())), "InvalidSecurity"));
  CHECK(is_fault(served.told(block("words" + stamp(noon) + text_token())), "InvalidSecurity"));
}

TEST_CASE("a block with only the local name Security is not understood", "[security]") {
  const Served<TextGate> served;
  for (const std::string other :
       {"<Security xmlns='urn:x' s:mustUnderstand='1'/>", "<o:Safety s:mustUnderstand='1'/>"})
    CHECK(has(served.told(block(text_token()) + other), "MustUnderstand"));
}

TEST_CASE("an unknown element in a Security block is refused by name", "[security]") {
  const Served<FreshGate> served;
  const auto with = [&](const std::string& part) {
    return served.told(block(stamp(noon) + text_token() + part));
  };
  const std::string encrypted = "<EncryptedKey xmlns='http://www.w3.org/2001/04/xmlenc#'/>";
  CHECK(is_fault(with(encrypted), "UnsupportedSecurityToken"));
  CHECK(has(with(encrypted), "EncryptedKey"));
  CHECK(is_fault(
      with("<EncryptedData xmlns='http://www.w3.org/2001/04/xmlenc#'/>"),
      "UnsupportedSecurityToken"));
  CHECK(is_fault(
      with("<Assertion xmlns='urn:oasis:names:tc:SAML:2.0:assertion'/>"),
      "UnsupportedSecurityToken"));
  const std::string header =
      "<EncryptedHeader "
      "xmlns='http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd'/>";
  CHECK(has(with(header), "is encryption"));
  CHECK(is_fault(with("<o:Other/>"), "UnsupportedSecurityToken"));
  // Parts of signatures, in a service that verifies none.
  CHECK(is_fault(with("<o:BinarySecurityToken/>"), "UnsupportedSecurityToken"));
  CHECK(
      is_fault(with("<Signature xmlns='http://www.w3.org/2000/09/xmldsig#'/>"), "InvalidSecurity"));
  CHECK(is_fault(with("<OtherToken xmlns='urn:x'/>"), "UnsupportedSecurityToken"));
  CHECK(is_fault(with("<x xmlns='urn:x'/>"), "InvalidSecurity"));
  CHECK(served.asked == 0);
}

TEST_CASE(
    "the elements of a token are known, occur once, and have bounded lengths",
    "[security][limits]") {
  const Served<TextGate> served;
  const auto with = [&](const std::string& inside) {
    return served.told(block("<o:UsernameToken>" + inside + "</o:UsernameToken>"));
  };
  const std::string user = "<o:Username>alice</o:Username>", word = "<o:Password>x</o:Password>";
  CHECK(is_fault(with(user), "InvalidSecurityToken"));
  CHECK(is_fault(with(word), "InvalidSecurityToken"));
  CHECK(is_fault(with(user + user + word), "InvalidSecurityToken"));
  CHECK(is_fault(with(user + word + word), "InvalidSecurityToken"));
  CHECK(is_fault(with(user + "<o:Password><x/></o:Password>"), "InvalidSecurityToken"));
  CHECK(is_fault(with(user + word + "<o:Salt>AAAA</o:Salt>"), "UnsupportedSecurityToken"));
  CHECK(
      is_fault(with(user + "<o:Password Type='urn:x'>x</o:Password>"), "UnsupportedSecurityToken"));
  for (const std::string& type : {"#PasswordText"s, "#PasswordDigest"s, profile + "Other"})
    CHECK(
        has(with(user + "<o:Password Type='" + type + "'>x</o:Password>"),
            "neither PasswordText nor PasswordDigest"));
  const std::string created = "<u:Created>2026-03-01T12:00:00Z</u:Created>";
  const auto nonce = [&](const std::string& text) {
    return with(user + word + created + "<o:Nonce>" + text + "</o:Nonce>");
  };
  CHECK(is_fault(nonce(""), "InvalidSecurityToken"));
  CHECK(is_fault(nonce("?"), "InvalidSecurityToken"));
  CHECK(is_fault(nonce("AAAA<x/>"), "InvalidSecurityToken"));
  const std::string hex = "<o:Nonce EncodingType='" + wsse + "#HexBinary'>AAAA</o:Nonce>";
  CHECK(has(with(user + word + created + hex), "the EncodingType is not base64"));
  CHECK(is_fault(nonce(base64(std::string(257, 'n'))), "InvalidSecurityToken"));
  CHECK(is_fault(nonce(base64(std::string(100'000, 'n'))), "InvalidSecurityToken"));
  CHECK(served.asked == 0);
  CHECK(is_fault(nonce(base64(std::string(256, 'n'))), "FailedAuthentication"));
  CHECK(is_fault(
      with(user + "<o:Password>" + std::string(4097, 'p') + "</o:Password>"),
      "InvalidSecurityToken"));
  CHECK(served.asked == 1);
}

TEST_CASE("no fault repeats a password, a digest or a nonce", "[security][nonce][username-token]") {
  const Served<FreshGate> served;
  const std::string nonce = base64("marked nonce");
  for (const std::string inside :
       {"<o:Password>marked</o:Password>",
        "<o:Password Type='marked'>marked</o:Password>",
        "<o:Nonce>marked?</o:Nonce>",
        "<o:Password>marked<x/></o:Password>",
        "<o:Nonce EncodingType='marked'>marked</o:Nonce>",
        "marked"})
    CHECK_FALSE(
        has(served.told(block(
                stamp(noon) + "<o:UsernameToken><o:Username>alice</o:Username>" + inside +
                "</o:UsernameToken>")),
            "marked"));
  CHECK_FALSE(has(
      served.told(block(stamp(noon) + DigestToken{.secret = "no", .nonce = "marked nonce"}.text())),
      nonce));
}

TEST_CASE("optional security is checked if it is sent", "[security]") {
  const Served<OpenGate> served;
  CHECK(has(served.told(""), "[]"));
  CHECK_FALSE(has(served.told(""), "Timestamp"));
  const Served<TextGate> undeclared;
  CHECK(has(undeclared.told(block(stamp(noon) + text_token())), "wsu:Timestamp"));
  const std::string known = served.told(block(stamp(noon) + text_token()));
  CHECK(has(known, "[alice]"));
  CHECK(has(known, "wsu:Timestamp"));
  CHECK(is_fault(served.told(block(stamp(noon) + text_token("x"))), "FailedAuthentication"));
  CHECK(is_fault(served.told(block(stamp(noon))), "InvalidSecurity"));
}

TEST_CASE(
    "a host without users serves optional security as unsecured, and refuses other secured "
    "services",
    "[security]") {
  soapsvc::dispatcher services({.ns_base = "urn:test"});
  OpenGate open;
  CHECK_NOTHROW(services.add(open));
  TextGate text;
  CHECK_THROWS_WITH(services.add(text, "/text"), Catch::Contains("check_password"));
  DigestGate digest;
  CHECK_THROWS_WITH(services.add(digest, "/digest"), Catch::Contains("find_password"));
}

TEST_CASE("a fault of check_password is sent unchanged", "[security][username-token]") {
  soapsvc::dispatcher_options options;
  options.ns_base = "urn:test";
  options.security.check_password = [](auto, auto, auto&) -> std::optional<std::string> {
    throw soapsvc::fault(soapsvc::fault_code::server, "too many tries").with_status(429);
  };
  soapsvc::dispatcher services(options);
  TextGate gate;
  services.add(gate);
  soapsvc::client_options calling;
  calling.security.user = "alice";
  CHECK_THROWS_WITH(
      soapsvc::client<TextGate>(
          [&](soapsvc::http_request request) {
            request.scheme = "https";
            request.target = "/soap/v3/Gate.asmx";
            return services.handle(request);
          },
          [&] {
            calling.ns_base = "urn:test";
            return calling;
          }())
          .call(&TextGate::who),
      Catch::Contains("too many tries"));
}

TEST_CASE("on_message shows nothing of a Security block", "[security]") {
  std::string logged;
  soapsvc::dispatcher_options options;
  options.ns_base = "urn:test";
  options.security.check_password = [](auto user, auto, auto&) {
    return std::optional<std::string>(user);
  };
  options.security.clock = [] { return noon; };
  options.on_message = [&](const soapsvc::message_report& told) {
    logged.append(told.request).append(told.response);
  };
  soapsvc::dispatcher services(options);
  OpenGate gate;
  services.add(gate);
  const std::string body =
      "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/' xmlns:o='" + wsse +
      "' xmlns:u='" + wsu + "'><s:Header>" + block(stamp(noon) + text_token("alice", "marked")) +
      "</s:Header><s:Body><Who xmlns='urn:test/Gate'/></s:Body></s:Envelope>";
  const soapsvc::http_header fields[] = {{"Content-Type", "text/xml"}};
  soapsvc::http_request request;
  request.target = "/soap/v3/Gate.asmx";
  request.headers = fields;
  request.body = body;
  request.scheme = "https";
  CHECK(services.handle(request).status == 200);
  CHECK(has(logged, "Security"));
  CHECK_FALSE(has(logged, "marked"));
  CHECK_FALSE(has(logged, "UsernameToken"));
}

// --- The description -----------------------------------------------------------------------------

namespace {

/// The assertions of the WSDL, without white space between elements.
template <class Service> std::string policy(const std::string& scheme) {
  const Served<Service> served;
  soapsvc::http_request request;
  request.method = "GET";
  request.target = "/soap/v3/Gate.asmx?wsdl";
  request.scheme = scheme;
  std::string wsdl = served.services->handle(request).body;
  const std::string id = "<wsp:Policy wsu:Id=\"GatePolicy\">";
  const std::size_t begin = wsdl.find(id), end = wsdl.find("<wsdl:types>");
  REQUIRE(end != wsdl.npos);
  if (begin == wsdl.npos) return {};
  CHECK(has(wsdl, "<wsp:PolicyReference URI=\"#GatePolicy\""));
  std::string made = wsdl.substr(begin + id.size(), end - begin - id.size());
  for (std::size_t at = 0; (at = made.find_first_of("\n", at)) != made.npos;)
    made.erase(at, made.find_first_not_of(" \n", at) - at);
  for (std::size_t at = 0; (at = made.find(" xmlns:sp=\"", at)) != made.npos;)
    made.erase(at, made.find('"', at + 11) + 1 - at);
  return made;
}

const std::string tls =
    "<sp:TransportToken><wsp:Policy><sp:HttpsToken><wsp:Policy></wsp:Policy>"
    "</sp:HttpsToken></wsp:Policy></sp:TransportToken>";

}  // namespace

TEST_CASE("the policy in the WSDL is what is enforced", "[security][wsdl]") {
  const std::string text = policy<TextGate>("https");
  CHECK(has(text, tls));
  CHECK(has(text, "<sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken"));
  CHECK_FALSE(has(text, "IncludeTimestamp"));
  CHECK_FALSE(has(text, "HashPassword"));
  CHECK_FALSE(has(text, "ExactlyOne"));
  const std::string both = policy<FreshGate>("https");
  CHECK(has(both, "<sp:IncludeTimestamp />"));
  CHECK(has(both, "<wsp:ExactlyOne><wsp:All><sp:TransportBinding>"));
  CHECK(has(both, "<sp:HashPassword /><sp:WssUsernameToken10 />"));
  const std::string optional = policy<OpenGate>("https");
  CHECK(has(optional, "<wsp:All /></wsp:ExactlyOne></wsp:Policy>"));
  const std::string stamped = policy<ClockGate>("https");
  CHECK(has(stamped, "<sp:IncludeTimestamp />"));
  CHECK_FALSE(has(stamped, "UsernameToken"));
  const std::string digest = policy<DigestGate>("http");
  CHECK_FALSE(has(digest, "TransportBinding"));
  CHECK(has(digest, "<sp:SupportingTokens><wsp:Policy><sp:UsernameToken"));
  CHECK(has(digest, "HashPassword"));
}

TEST_CASE("a help page lists the required security, and its form has fields for it", "[security]") {
  const auto page = [](const auto& served) {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = "/soap/v3/Gate.asmx?op=Who";
    return served.services->handle(request).body;
  };
  const std::string either = page(Served<FreshGate>());
  CHECK(has(either, "UsernameToken with the password as text or digest, and Timestamp"));
  CHECK(has(either, "data-security=\"text digest timestamp\""));
  CHECK(has(either, "<input type=\"password\""));
  CHECK(has(either, "&lt;wsse:Username&gt;user&lt;"));
  const std::string digest = page(Served<DigestGate>());
  CHECK(has(digest, digest_text("soapsvc-sample-n", "2026-01-02T03:04:05Z", "secret")));
  const std::string optional = page(Served<OpenGate>());
  CHECK(has(optional, "may be left out"));
  CHECK(has(optional, "data-security=\"text timestamp optional\""));
  CHECK_FALSE(has(optional, "&lt;wsse:"));
  const std::string stamped = page(Served<ClockGate>());
  CHECK(has(stamped, "&lt;wsu:Created&gt;"));
  CHECK_FALSE(has(stamped, "<input type=\"password\""));
}

// --- The client ----------------------------------------------------------------------------------

namespace {

/// A client of a served gate, over TLS or its substitute, and its last request.
template <class Service> struct Calling {
  explicit Calling(Served<Service>& served, soapsvc::client_security security = {}) {
    soapsvc::client_options options;
    options.ns_base = "urn:test";
    if (security.user.empty()) security.user = "alice";
    if (security.password.empty()) security.password = "secret & <word>";
    security.clock = [&served] { return served.now.load(); };
    options.security = std::move(security);
    client = std::make_unique<soapsvc::client<Service>>(
        [this, &served](soapsvc::http_request request) {
          request.scheme = served.scheme;
          request.target = "/soap/v3/Gate.asmx";
          sent = request.body;
          auto response = served.services->handle(request);
          if (change) change(response.body);
          return response;
        },
        options);
  }
  std::string who() { return client->call(&Service::who); }

  std::string sent;
  std::function<void(std::string&)> change;
  std::unique_ptr<soapsvc::client<Service>> client;
};

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a client sends the required parts, each time with a new nonce", "[security][nonce]") {
  Served<FreshGate> served;
  Calling<FreshGate> text(served);
  CHECK(text.who() == "[alice]");
  CHECK(text.who() == "[alice]");
  CHECK(has(text.sent, "#PasswordText\">secret &amp; &lt;word&gt;<"));
  CHECK(has(text.sent, "<wsse:Nonce EncodingType=\""));
  Calling<FreshGate> digest(served, {.password_type = soapsvc::password_type::digest});
  CHECK(digest.who() == "[alice]");
  CHECK(digest.who() == "[alice]");
  CHECK(has(digest.sent, "#PasswordDigest"));
  CHECK_FALSE(has(digest.sent, "secret"));
  Served<DigestGate> only;
  CHECK(Calling<DigestGate>(only).who() == "[alice]");
  Served<ClockGate> clock;  // it accepts no token
  CHECK(Calling<ClockGate>(clock).who() == "[]");
}

TEST_CASE("a client without a user calls where security is optional", "[security]") {
  Served<OpenGate> served;
  soapsvc::client_options options;
  options.ns_base = "urn:test";
  soapsvc::client<OpenGate> client(*served.services, options);
  CHECK(client.call(&OpenGate::who) == "[]");
}

TEST_CASE(
    "a client refuses a response whose Timestamp is old, early, or no Timestamp",
    "[security][timestamp]") {
  Served<FreshGate> served;
  Calling<FreshGate> calling(served);
  const auto changed = [&](const std::string& from, const std::string& to) {
    calling.change = [=](std::string& body) { replace(body, from, to); };
    try {
      calling.who();
    } catch (const soapsvc::transport_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string created = "<wsu:Created>2026-03-01T12:00:00Z", tag = "<wsu:Created>";
  CHECK(has(changed(created, tag + "2026-03-01T11:53:59Z"), "Created: lies"));
  CHECK(has(changed(created, tag + "2026-03-01T12:01:01Z"), "Created: lies"));
  CHECK(has(changed("12:05:00Z</wsu:Expires>", "11:00:00Z</wsu:Expires>"), "Expires"));
  CHECK(has(changed("</wsu:Timestamp>", "</wsu:Timestamp><x xmlns='urn:x'/>"), "not known"));
  // Parts that this client does not verify.
  const std::string signature = "<Signature xmlns='http://www.w3.org/2000/09/xmldsig#'/>";
  CHECK(has(changed("</wsu:Timestamp>", "</wsu:Timestamp>" + signature), "not known"));
  CHECK(changed(created, tag + "2026-03-01T11:54:00Z").empty());
}

TEST_CASE(
    "a client without a signature takes a SignatureConfirmation without a Value", "[security]") {
  Served<FreshGate> served;
  Calling<FreshGate> calling(served);
  std::string value, more;
  calling.change = [&](std::string& body) {
    const std::string block =
        "<c:SignatureConfirmation xmlns:c='http://docs.oasis-open.org/wss/"
        "oasis-wss-wssecurity-secext-1.1.xsd'" +
        value + "/>";
    replace(body, "</wsu:Timestamp>", "</wsu:Timestamp>" + block + (more.empty() ? "" : block));
  };
  CHECK(calling.who() == "[alice]");
  more = "two";
  CHECK_THROWS_WITH(calling.who(), Catch::Contains("may appear only once"));
  more = "";
  value = " Value='AAAA'";
  CHECK_THROWS_WITH(calling.who(), Catch::Contains("belongs to another request"));
}

TEST_CASE(
    "the default options of WS-Security are the documented ones", "[security][timestamp][limits]") {
  using namespace std::chrono_literals;
  const soapsvc::security_options options;
  CHECK(options.max_clock_skew == 60s);
  CHECK(options.max_message_age == 300s);
  CHECK(options.max_replay_entries == 100'000);
  CHECK(options.max_spool_bytes == 32ULL << 30);
  CHECK(options.signatures.min_rsa_bits == 2'048);
  CHECK_FALSE(options.allow_password_text_without_tls);
  CHECK_FALSE(options.allow_replayed_signatures);
}

TEST_CASE("a client needs no Timestamp in a response that is not signed", "[security][timestamp]") {
  Served<FreshGate> served;
  Calling<FreshGate> calling(served), wrong(served, {.password = "other"});
  for (const std::string tag : {"wsu:Timestamp", "wsse:Security", "soap:Header"}) {
    calling.change = wrong.change = [&](std::string& body) {
      const std::size_t begin = body.find('<' + tag);
      if (begin == body.npos) return;
      body.erase(begin, body.find("</" + tag + ">") + tag.size() + 3 - begin);
    };
    CHECK(calling.who() == "[alice]");
    CHECK_THROWS_AS(wrong.who(), soapsvc::remote_fault);
  }
}

TEST_CASE(
    "a client sends no password as text without TLS, unless an option allows it",
    "[security][username-token]") {
  soapsvc::client_options options;
  options.ns_base = "urn:test";
  options.security.user = "alice";
  const std::string url = "http://127.0.0.1:1/soap/v3/Gate.asmx";
  CHECK_THROWS_WITH(
      soapsvc::client<TextGate>(url, options), Catch::Contains("allow_password_text_without_tls"));
  options.security.allow_password_text_without_tls = true;
  CHECK_NOTHROW(soapsvc::client<TextGate>(url, options));
  options.security.allow_password_text_without_tls = false;
  CHECK_NOTHROW(soapsvc::client<DigestGate>(url, options));
  options.security.password_type = soapsvc::password_type::text;
  CHECK_THROWS_WITH(soapsvc::client<DigestGate>(url, options), Catch::Contains("does not accept"));
  options.security = {};
  CHECK_THROWS_WITH(soapsvc::client<DigestGate>(url, options), Catch::Contains("user"));
  CHECK_NOTHROW(soapsvc::client<OpenGate>(url, options));  // sets no password
  options.security.user = "alice";
  options.security.password_type = soapsvc::password_type::text;
  CHECK_NOTHROW(soapsvc::client<ClockGate>(url, options));  // neither
}
