// SingleSignOn and the checks of credentials, end to end through the dispatcher.
#include "example.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <atomic>
#include <thread>

using namespace example;
using soapsvc::soap_version;

namespace {

std::string get_token(const std::string& user, const std::string& password) {
  return element("Username", user) + element("Password", password);
}

std::string get_token2(const std::string& user, const std::string& token) {
  return element("Username", user) + element("Token", token);
}

/// The same name in both domains, with other secrets.
void add_namesake(Payroll& payroll, const std::string& password, const std::string& api_token) {
  const NewUser user{"globex", "alice", hash_password(password, cheap_cost), digest_of(api_token)};
  REQUIRE(payroll.store.add_user(user) == AdminStore::Outcome::done);
}

constexpr const char* base64url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr const char* invalid = "Invalid Authentication";
constexpr const char* unauthorized = "Unauthorized access";

}  // namespace

TEST_CASE("each sign-on operation gives a token of 43 base64url characters", "[sign_on]") {
  Payroll payroll;
  const auto version = GENERATE(soap_version::v1_1, soap_version::v1_2);
  const auto by_password = get_token("alice", "correct horse");
  const auto with_domain = by_password + "<Domain>acme</Domain>";
  const std::vector<std::pair<std::string, std::string>> requests{
      {"GetToken", by_password},
      {"GetToken2", get_token2("alice", "api-token-alice")},
      {"GetTokenWithDomain", with_domain}};
  for (const auto& [operation, children] : requests) {
    const auto response = payroll.send("SingleSignOn", operation, children, {}, version);
    CHECK(response.status == 200);
    const std::string token = inside(response.body, operation + "Result").value();
    CHECK(token.size() == 43);
    CHECK(token.find_first_not_of(base64url) == std::string::npos);
  }
}

TEST_CASE("two tokens for one user differ and are both valid", "[sign_on]") {
  Payroll payroll(AuthPolicy::token);
  const std::string first = payroll.issue();
  const std::string second = payroll.issue();
  CHECK(first != second);
  CHECK(payroll.list(1, Header{"alice", first, "acme"}).status == 200);
  CHECK(payroll.list(1, Header{"alice", second, "acme"}).status == 200);
}

TEST_CASE("an issued token is valid for 30 seconds from its issue", "[sign_on]") {
  const auto policy = GENERATE(AuthPolicy::domain, AuthPolicy::token);
  Payroll payroll(policy);
  const Header header{"alice", payroll.issue(), "acme"};
  CHECK(payroll.list(1, header).status == 200);
  payroll.clock.advance(29900ms);
  CHECK(payroll.list(1, header).status == 200);
  payroll.clock.advance(100ms - 1ns);
  CHECK(payroll.list(1, header).status == 200);
  payroll.clock.advance(1ns);
  check_refusal(payroll.list(1, header), 1001, invalid, false);
}

TEST_CASE("a jump of the wall clock neither extends nor ends a token", "[sign_on]") {
  Payroll payroll;
  const Header header{"alice", payroll.issue(), "acme"};
  payroll.clock.since_boot += 10s;
  payroll.clock.wall += GENERATE(-1h, +1h);
  CHECK(payroll.list(1, header).status == 200);
  payroll.clock.since_boot += 20s;
  check_refusal(payroll.list(1, header), 1001, invalid, false);
}

TEST_CASE("a token is not valid before its issue, nor after another boot", "[sign_on]") {
  Payroll payroll;
  const Header header{"alice", payroll.issue(), "acme"};
  SECTION("the time since boot is earlier") { payroll.clock.since_boot -= 1ns; }
  SECTION("the machine was started anew") { payroll.clock.boot_id = "boot-b"; }
  check_refusal(payroll.list(1, header), 1001, invalid, false);
}

TEST_CASE("a token survives a restart of the program, but not its 30 seconds", "[sign_on]") {
  Payroll payroll;
  const std::string token = payroll.issue();
  const SqliteOptions options = options_for(payroll.folder.file("payroll.db"));
  SqliteStore reopened(options);
  Authenticator callers(reopened, payroll.clock_function(), AuthPolicy::token);
  const AuthHeaderWithDomain header{"alice", token, "acme"};
  CHECK_NOTHROW(callers.domain_of(header, {}));
  payroll.clock.advance(30s);
  CHECK_THROWS_AS(callers.domain_of(header, {}), soapsvc::fault);
}

TEST_CASE("the clocks of the machine move forward and know their boot", "[sign_on]") {
  const Moment first = system_moment();
  const Moment second = system_moment();
  CHECK(first.since_boot.count() > 0);
  CHECK(second.since_boot >= first.since_boot);
  CHECK(!first.boot_id.empty());
  CHECK(second.boot_id == first.boot_id);
}

TEST_CASE("wrong, unknown, empty and missing credentials get the same refusal", "[sign_on]") {
  Payroll payroll;
  const auto version = GENERATE(soap_version::v1_1, soap_version::v1_2);
  const std::vector<std::pair<std::string, std::string>> requests{
      {"GetToken", get_token("alice", "wrong")},
      {"GetToken", get_token("nobody", "correct horse")},
      {"GetToken", get_token("Alice", "correct horse")},
      {"GetToken", get_token("alice", "correct horse ")},
      {"GetToken", get_token("alice", "")},
      {"GetToken", get_token("", "correct horse")},
      {"GetToken", "<Username>alice</Username>"},
      {"GetToken", "<Password>correct horse</Password>"},
      {"GetToken", ""},
      {"GetToken", get_token("alice", std::string(100'000, 'x'))},
      {"GetToken2", get_token2("alice", "api-token-bob")},
      {"GetToken2", get_token2("nobody", "api-token-alice")},
      {"GetToken2", get_token2("alice", "")},
      {"GetToken2", "<Username>alice</Username>"},
      {"GetToken2", "<Token>api-token-alice</Token>"},
      {"GetTokenWithDomain", get_token("alice", "correct horse")},
      {"GetTokenWithDomain", get_token("alice", "wrong") + "<Domain>acme</Domain>"},
      {"GetTokenWithDomain", get_token("alice", "correct horse") + "<Domain>nowhere</Domain>"},
      {"GetTokenWithDomain", get_token("alice", "correct horse") + "<Domain></Domain>"},
      {"GetTokenWithDomain", get_token("alice", "wrong") + "<Domain>globex</Domain>"}};
  for (const auto& [operation, children] : requests) {
    INFO(operation << ' ' << children.substr(0, 200));
    check_refusal(payroll.send("SingleSignOn", operation, children, {}, version), 1001, invalid);
  }
}

TEST_CASE("right credentials in another domain get 1003", "[sign_on]") {
  Payroll payroll;
  const std::string body = get_token("alice", "correct horse") + "<Domain>globex</Domain>";
  check_refusal(payroll.send("SingleSignOn", "GetTokenWithDomain", body), 1003, unauthorized);
  check_refusal(payroll.list(1, Header{"alice", "api-token-alice", "globex"}), 1003, unauthorized);
  const std::string issued = payroll.issue();
  check_refusal(payroll.list(3, Header{"alice", issued, "globex"}), 1003, unauthorized);
}

TEST_CASE("an issued token is not an API token", "[sign_on]") {
  Payroll payroll;
  const std::string issued = payroll.issue();
  const auto response = payroll.send("SingleSignOn", "GetToken2", get_token2("alice", issued));
  check_refusal(response, 1001, invalid);
}

TEST_CASE(
    "for a name in two domains, the secret selects the user, or the name is ambiguous",
    "[sign_on]") {
  Payroll payroll;
  SECTION("the secrets differ") {
    add_namesake(payroll, "other", "api-token-other");
    const auto by_password = payroll.send("SingleSignOn", "GetToken", get_token("alice", "other"));
    CHECK(by_password.status == 200);
    const std::string token = inside(by_password.body, "GetTokenResult").value();
    CHECK(payroll.list(3, Header{"alice", token, "globex"}).status == 200);
    CHECK(payroll.list(3, Header{"alice", "api-token-other", {}}).status == 200);
    check_refusal(payroll.list(1, Header{"alice", token, "acme"}), 1003, unauthorized);
  }
  SECTION("the secrets are the same") {
    add_namesake(payroll, "correct horse", "api-token-alice");
    const auto password = get_token("alice", "correct horse");
    const auto token = get_token2("alice", "api-token-alice");
    check_refusal(payroll.send("SingleSignOn", "GetToken", password), 1001, invalid);
    check_refusal(payroll.send("SingleSignOn", "GetToken2", token), 1001, invalid);
    check_refusal(payroll.list(1, Header{"alice", "api-token-alice", {}}), 1001, invalid, false);
    const auto with_domain = password + "<Domain>globex</Domain>";
    CHECK(payroll.send("SingleSignOn", "GetTokenWithDomain", with_domain).status == 200);
    CHECK(payroll.list(1, alice).status == 200);
  }
}

TEST_CASE(
    "with policy domain a Domain suffices, and other credentials are checked if sent", "[auth]") {
  Payroll payroll(AuthPolicy::domain);
  const std::string issued = payroll.issue();
  CHECK(payroll.list(1, acme).status == 200);
  CHECK(payroll.list(1, alice).status == 200);
  CHECK(payroll.list(1, Header{"alice", issued, "acme"}).status == 200);
  CHECK(payroll.list(1, Header{{}, "api-token-alice", "acme"}).status == 200);
  CHECK(payroll.list(1, Header{"alice", "api-token-alice", {}}).status == 200);
  CHECK(payroll.list(1, Header{"alice", issued, {}}).status == 200);
  const std::vector<std::optional<Header>> refused{
      std::nullopt,
      Header{},
      Header{{}, {}, "nowhere"},
      Header{{}, {}, ""},
      Header{"alice", "wrong", "acme"},
      Header{"nobody", "api-token-alice", "acme"},
      Header{"bob", "api-token-alice", "acme"},
      Header{"alice", "", "acme"},
      Header{"", "api-token-alice", "acme"},
      Header{"", "", "acme"},
      Header{"alice", {}, "acme"},
      Header{{}, "wrong", "acme"},
      Header{{}, "api-token-alice", {}},
      Header{"alice", {}, {}},
      Header{"alice", "api-token-alice", "nowhere"},
      Header{"alice", "wrong", {}}};
  for (const auto& header : refused)
    check_refusal(payroll.list(1, header), 1001, invalid, false);
}

TEST_CASE("with policy token Username and Token are required", "[auth]") {
  Payroll payroll(AuthPolicy::token);
  CHECK(payroll.list(1, alice).status == 200);
  CHECK(payroll.list(1, Header{"alice", payroll.issue(), "acme"}).status == 200);
  CHECK(payroll.list(1, Header{"alice", "api-token-alice", {}}).status == 200);
  const std::vector<std::optional<Header>> refused{
      std::nullopt,
      Header{},
      acme,
      Header{{}, "api-token-alice", "acme"},
      Header{"alice", {}, "acme"},
      Header{"alice", "wrong", "acme"}};
  for (const auto& header : refused)
    check_refusal(payroll.list(1, header), 1001, invalid, false);
}

TEST_CASE("header faults carry the typed detail in SOAP 1.2, and none in SOAP 1.1", "[auth]") {
  Payroll payroll;
  check_refusal(payroll.list(1, std::nullopt, soap_version::v1_1), 1001, invalid, false);
  check_refusal(payroll.list(1, std::nullopt, soap_version::v1_2), 1001, invalid, true);
}

TEST_CASE("a disabled user is locked out at once, whatever the credentials", "[auth]") {
  Payroll payroll;
  const std::string issued = payroll.issue();
  REQUIRE(payroll.store.disable_user("acme", "alice") == AdminStore::Outcome::done);
  const auto password = get_token("alice", "correct horse");
  const auto token = get_token2("alice", "api-token-alice");
  check_refusal(payroll.send("SingleSignOn", "GetToken", password), 1001, invalid);
  check_refusal(payroll.send("SingleSignOn", "GetToken2", token), 1001, invalid);
  check_refusal(payroll.list(1, alice), 1001, invalid, false);
  check_refusal(payroll.list(1, Header{"alice", issued, "acme"}), 1001, invalid, false);
}

TEST_CASE("a new API token ends the old one and the tokens issued for it", "[auth]") {
  Payroll payroll;
  const std::string issued = payroll.issue();
  const auto outcome = payroll.store.rotate_token("acme", "alice", digest_of("new-one"));
  REQUIRE(outcome == AdminStore::Outcome::done);
  check_refusal(payroll.list(1, alice), 1001, invalid, false);
  check_refusal(payroll.list(1, Header{"alice", issued, "acme"}), 1001, invalid, false);
  CHECK(payroll.list(1, Header{"alice", "new-one", "acme"}).status == 200);
}

TEST_CASE("the database holds no password, API token or issued token", "[auth]") {
  Payroll payroll;
  const std::string issued = payroll.issue();
  std::string bytes;
  for (const char* end : {"", "-wal", "-shm"})
    bytes += read_file(payroll.folder.file("payroll.db") + end);
  REQUIRE(bytes.find("alice") != std::string::npos);
  for (const std::string& secret :
       {issued, std::string("correct horse"), std::string("battery"), std::string("api-token")})
    CHECK(bytes.find(secret) == std::string::npos);
}

TEST_CASE("deprecated operations can be switched off, and say what to use", "[sign_on]") {
  Payroll payroll(AuthPolicy::domain, false);
  for (const char* operation : {"GetToken", "GetTokenWithDomain"}) {
    const auto body = get_token("alice", "correct horse");
    const auto response = payroll.send("SingleSignOn", operation, body);
    INFO(response.body);
    CHECK(response.status == 500);
    CHECK(response.body.find("GetToken2") != std::string::npos);
  }
  CHECK(payroll.issue().size() == 43);
}

TEST_CASE("responses to repeated failures are delayed more and more, up to a bound", "[pacing]") {
  Payroll payroll;
  const std::string user = GENERATE(as<std::string>{}, "alice", "nobody");
  for (int count = 0; count != 12; ++count)
    payroll.send("SingleSignOn", "GetToken2", get_token2(user, "wrong"));
  CHECK(payroll.delays == std::vector{50ms, 100ms, 200ms, 400ms, 500ms, 500ms, 500ms});
}

TEST_CASE("a right secret is never delayed, and ends the delays", "[pacing]") {
  Payroll payroll;
  for (int count = 0; count != 7; ++count)
    payroll.send("SingleSignOn", "GetToken2", get_token2("alice", "wrong"));
  CHECK(payroll.delays.size() == 2);
  CHECK(payroll.issue().size() == 43);
  CHECK(payroll.delays.size() == 2);
  payroll.send("SingleSignOn", "GetToken2", get_token2("alice", "wrong"));
  CHECK(payroll.delays.size() == 2);
}

TEST_CASE("failures of one caller do not delay another, and expire", "[pacing]") {
  Payroll payroll;
  const auto fail = [&](const char* peer) {
    payroll.send(
        "SingleSignOn", "GetToken2", get_token2("alice", "wrong"), {}, soap_version::v1_1, peer);
  };
  for (int count = 0; count != 6; ++count)
    fail("192.0.2.1");
  CHECK(payroll.delays.size() == 1);
  fail("192.0.2.2");
  CHECK(payroll.delays.size() == 1);
  payroll.clock.advance(300s);
  fail("192.0.2.1");
  CHECK(payroll.delays.size() == 1);
}

TEST_CASE("failed tokens in the header block are delayed like failed sign-ons", "[pacing]") {
  Payroll payroll;
  for (int count = 0; count != 6; ++count)
    payroll.list(1, Header{"alice", "wrong", "acme"});
  CHECK(payroll.delays.size() == 1);
  CHECK(payroll.list(1, alice).status == 200);
}

TEST_CASE("a flood of wrong passwords does not block the right one", "[pacing]") {
  Payroll payroll;
  std::atomic<bool> over = false;
  const auto flood = [&] {
    while (!over) {
      payroll.send(
          "SingleSignOn",
          "GetToken",
          get_token("alice", "wrong"),
          {},
          soap_version::v1_1,
          "192.0.2.66");
      // The hash is cheap here, and the clock stands still, so there would be more turns than in
      // real time, beyond the maximum wait.
      std::this_thread::sleep_for(250ms);
    }
  };
  std::vector<std::thread> attackers;
  for (int count = 0; count != 8; ++count)
    attackers.emplace_back(flood);
  std::this_thread::sleep_for(1s);
  const auto body = get_token("alice", "correct horse");
  const auto start = std::chrono::steady_clock::now();
  const auto elsewhere = payroll.send("SingleSignOn", "GetToken", body);
  const auto same_peer =
      payroll.send("SingleSignOn", "GetToken", body, {}, soap_version::v1_1, "192.0.2.66");
  const auto took = std::chrono::steady_clock::now() - start;
  over = true;
  for (std::thread& attacker : attackers)
    attacker.join();
  CHECK(elsewhere.status == 200);
  CHECK(same_peer.status == 200);
  CHECK(took < 20s);  // with sanitizers; about one second without
}

TEST_CASE("passwords beyond the bound of waiting calls get the busy fault", "[pacing]") {
  Payroll payroll;
  AuthLimits limits;
  limits.passwords_at_once = 1;
  limits.passwords_waiting = 0;
  Authenticator narrow(payroll.store, system_moment, AuthPolicy::domain, limits);
  std::atomic<int> busy = 0;
  std::atomic<int> served = 0;
  std::vector<std::thread> callers;
  for (int count = 0; count != 6; ++count)
    callers.emplace_back([&] {
      try {
        narrow.token_by_password("alice", "correct horse", std::nullopt, {});
        ++served;
      } catch (const soapsvc::fault& fault) {
        busy += fault.status() == 503 && fault.code() == soapsvc::fault_code::server ? 1 : 0;
      }
    });
  for (std::thread& caller : callers)
    caller.join();
  CHECK(served >= 1);
  CHECK(served + busy == 6);
}

TEST_CASE("a password's hash has its own salt and its parameters", "[auth]") {
  const PasswordHash first = hash_password("correct horse");
  const PasswordHash second = hash_password("correct horse");
  CHECK(first.cost == 65536);
  CHECK(first.block_size == 8);
  CHECK(first.parallelisation == 2);
  CHECK(first.salt != second.salt);
  CHECK(first.hash != second.hash);
  CHECK(first.hash.size() == 32);
}

namespace {

/// The user changes between the check of the credential and the issue of the token.
class Meanwhile final : public UserStore {
public:
  explicit Meanwhile(UserStore& real) : real_(real) {}
  std::optional<DomainId> find_domain(const std::string& name) override {
    return real_.find_domain(name);
  }
  TokenFacts find_token(const std::optional<std::string>& domain, const Digest& token) override {
    return real_.find_token(domain, token);
  }
  PasswordFacts find_passwords(
      const std::optional<std::string>& domain,
      const std::string& user,
      std::size_t limit) override {
    return real_.find_passwords(domain, user, limit);
  }
  bool add_token(const IssuedToken& token, std::chrono::nanoseconds lifetime) override {
    happens();
    return real_.add_token(token, lifetime);
  }
  void renew_password(DomainId domain, std::int64_t user_id, const PasswordHash& renewed) override {
    happens();
    real_.renew_password(domain, user_id, renewed);
  }

  std::function<void()> happens = [] {};

private:
  UserStore& real_;
};

}  // namespace

TEST_CASE("no token is issued for an outdated credential", "[auth]") {
  const bool by_password = GENERATE(true, false);
  Payroll payroll;
  Meanwhile store(payroll.store);
  AuthLimits limits;
  limits.password_cost = cheap_cost;
  Authenticator callers(store, payroll.clock_function(), AuthPolicy::token, limits);
  const std::string file = payroll.folder.file("payroll.db");
  const auto execute = [&](const std::string& sql) {
    return [=] { SQLite::Database(file, SQLite::OPEN_READWRITE).exec(sql); };
  };
  const std::string of_alice = " WHERE name = 'alice'";
  bool password_stays = false;
  bool api_token_stays = false;
  SECTION("the API token was replaced") {
    store.happens = [&] { payroll.store.rotate_token("acme", "alice", digest_of("new")); };
    password_stays = true;
  }
  SECTION("the password was replaced") {
    const std::string other = "zeroblob(16), password_hash = zeroblob(32)";
    store.happens = execute("UPDATE user SET password_salt = " + other + of_alice);
    api_token_stays = true;
  }
  SECTION("the user was disabled") {
    store.happens = [&] { payroll.store.disable_user("acme", "alice"); };
  }
  SECTION("the user was moved to another domain") {
    store.happens = execute("UPDATE user SET domain_id = 2" + of_alice);
  }
  SECTION("the user was removed") { store.happens = execute("DELETE FROM user" + of_alice); }
  std::string token;
  try {
    token = by_password ? callers.token_by_password("alice", "correct horse", "acme", {})
                        : callers.token_by_api_token("alice", "api-token-alice", {});
  } catch (const soapsvc::fault& fault) {
    CHECK(fault.reason().find("1001") != std::string::npos);
  }
  CHECK(token.empty() == !(by_password ? password_stays : api_token_stays));
  SQLite::Database db(file);
  const int kept = db.execAndGet("SELECT count(*) FROM issued_token").getInt();
  CHECK(kept == (token.empty() ? 0 : 1));
}

TEST_CASE("a hash of a lower cost is renewed at the next sign-on", "[auth]") {
  Payroll payroll;
  Meanwhile store(payroll.store);
  AuthLimits limits;
  limits.password_cost = {128, 8, 2};
  Authenticator callers(store, payroll.clock_function(), AuthPolicy::token, limits);
  const auto costs = [&] {
    std::string text;
    for (const auto& row : payroll.store.list_costs())
      text += std::to_string(row.cost) + ':' + std::to_string(row.users) + ' ';
    return text;
  };
  CHECK(costs() == "64:2 ");
  CHECK_THROWS(callers.token_by_password("alice", "wrong", "acme", {}));
  callers.token_by_api_token("alice", "api-token-alice", {});
  CHECK(costs() == "64:2 ");
  SECTION("the password stays") {
    for (int count = 0; count != 2; ++count) {
      CHECK(callers.token_by_password("alice", "correct horse", "acme", {}).size() == 43);
      CHECK(costs() == "64:1 128:1 ");
    }
    CHECK_THROWS(callers.token_by_password("alice", "wrong", "acme", {}));
    limits.password_cost = cheap_cost;  // the cost is not lowered again
    Authenticator others(payroll.store, payroll.clock_function(), AuthPolicy::token, limits);
    CHECK(others.token_by_password("alice", "correct horse", "acme", {}).size() == 43);
    CHECK(costs() == "64:1 128:1 ");
  }
  SECTION("the password is changed meanwhile") {
    store.happens = [&] {
      SQLite::Database(payroll.folder.file("payroll.db"), SQLite::OPEN_READWRITE)
          .exec("UPDATE user SET password_salt = zeroblob(16) WHERE name = 'alice'");
    };
    CHECK_THROWS(callers.token_by_password("alice", "correct horse", "acme", {}));
    CHECK(costs() == "64:2 ");
  }
}
