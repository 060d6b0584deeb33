// The guarantees of every store. This file is linked into the test program of each kind of
// database, which defines how a new database is made.
#include "store_suite.hpp"

#include <atomic>
#include <thread>

using namespace example;
using Outcome = AdminStore::Outcome;
using std::chrono::sys_days;

TEST_CASE("programs that create the same database at once all succeed", "[store]") {
  for (int round = 0; round != 10; ++round) {
    const auto database = new_database();
    std::atomic<int> accepted = 0;
    std::vector<std::thread> threads;
    for (int count = 0; count != 4; ++count)
      threads.emplace_back([&] { accepted += database->open()->is_empty() ? 1 : 0; });
    for (std::thread& thread : threads)
      thread.join();
    CHECK(accepted == 4);
  }
}

TEST_CASE("a domain does not see the data of other domains", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  fill_small(store);
  const DomainId acme_id = store.find_domain("acme").value();
  const DomainId globex_id = store.find_domain("globex").value();
  CHECK(!store.find_domain("Acme"));
  CHECK(!store.insert_current(globex_id, 1, work_address("A"), march, today_));
  CHECK(!store.list_current(globex_id, 1, today_));
  REQUIRE(store.insert_current(acme_id, 1, work_address("A"), march, today_));
  CHECK(!store.list_current(globex_id, 1, today_));
  CHECK(store.list_current(acme_id, 1, today_)->size() == 1);
  CHECK(store.list_current(acme_id, 2, today_)->empty());
}

TEST_CASE("the default mark is taken from active addresses only", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  Seed seed;
  seed.domains = {"acme"};
  seed.employees = {{"acme", 1}, {"acme", 2}};
  EmployeeAddress marked = work_address("A");
  marked.is_default = true;
  seed.addresses = {
      {1, marked, march - std::chrono::days(90), march},
      {1, marked, march + std::chrono::days(90), std::nullopt},
      {1, marked, march, std::nullopt},
      {1, marked, march - std::chrono::days(90), today_},
      {2, marked, march, std::nullopt}};
  REQUIRE(store.fill(seed));
  const DomainId domain = store.find_domain("acme").value();
  REQUIRE(store.insert_current(domain, 1, marked, march, today_) == 6);
  CHECK(database->default_addresses() == std::vector<std::int32_t>{1, 2, 5, 6});
}

namespace {

/// Employees 1 and 2 of acme and 3 of globex. Employee 1 has `current` addresses, all default ones,
/// and some that ended before March.
void fill_up(Store& store, std::int32_t current) {
  Seed seed;
  seed.domains = {"acme", "globex"};
  seed.employees = {{"acme", 1}, {"acme", 2}, {"globex", 3}};
  EmployeeAddress marked = work_address("A");
  marked.is_default = true;
  for (int count = 0; count != 5; ++count)
    seed.addresses.push_back(
        {1, marked, march - std::chrono::days(9), march - std::chrono::days(1)});
  for (std::int32_t count = 0; count != current; ++count)
    seed.addresses.push_back({1, marked, march, std::nullopt});
  REQUIRE(store.fill(seed));
}

}  // namespace

TEST_CASE("an employee has at most ten thousand current addresses", "[store][limits]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  fill_up(store, most_current_addresses - 1);
  const DomainId acme_id = store.find_domain("acme").value();
  const DomainId globex_id = store.find_domain("globex").value();
  const auto marked = [&] { return database->default_addresses().size(); };
  CHECK(!store.insert_current(globex_id, 1, work_address("A"), march, today_));
  CHECK(store.insert_current(acme_id, 1, work_address("A"), march, today_));
  const auto before = marked();
  EmployeeAddress another = work_address("A");
  for (another.is_default = false;; another.is_default = true) {
    CHECK(!store.insert_current(acme_id, 1, another, march, today_));
    CHECK(marked() == before);
    if (another.is_default) break;
  }
  CHECK(store.list_current(acme_id, 1, today_)->size() == 10'000);
  CHECK(store.insert_current(acme_id, 2, another, march, today_));
  CHECK(store.insert_current(globex_id, 3, another, march, today_));
}

/// Else 10,000 addresses with texts of 1,000 bytes make a response of up to 350 MB.
TEST_CASE("an employee with many addresses gets no more with long texts", "[store][limits]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  fill_up(store, most_beside_long_text - 1);
  const DomainId domain = store.find_domain("acme").value();
  EmployeeAddress large = work_address(std::string(most_short_text, 'x'));
  large.country_iso_code = "N";
  CHECK(store.insert_current(domain, 1, large, march, today_));
  CHECK(!store.insert_current(domain, 1, large, march, today_));
  large.country_iso_code = "";
  CHECK(store.insert_current(domain, 1, large, march, today_));
  CHECK(store.list_current(domain, 1, today_)->size() == 501);
}

/// PostgreSQL counts committed rows, so each of the concurrent inserts may exceed the maximum by
/// one.
TEST_CASE("concurrent inserts respect the bound", "[store][limits]") {
  const auto database = new_database();
  const auto one = database->open();
  const auto other = database->open();
  fill_up(*one, most_current_addresses - 10);
  const DomainId domain = one->find_domain("acme").value();
  std::atomic<int> written = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 8; ++thread)
    threads.emplace_back([&, thread] {
      Store& store = thread % 2 == 0 ? *one : *other;
      for (int count = 0; count != 5; ++count)
        written += store.insert_current(domain, 1, work_address("A"), march, today_) ? 1 : 0;
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(written >= 10);
  CHECK(written < 10 + 8);
  CHECK(!one->insert_current(domain, 1, work_address("A"), march, today_));
}

TEST_CASE("a seed is inserted only into an empty database, completely or not at all", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  CHECK(store.is_empty());
  Seed broken;
  broken.domains = {"acme"};
  broken.employees = {{"acme", 1}, {"acme", 1}};
  CHECK_THROWS(store.fill(broken));
  CHECK(store.is_empty());
  CHECK(store.fill(demo_data(today_, cheap_cost)));
  CHECK(!store.is_empty());
  CHECK(!store.fill(demo_data(today_, cheap_cost)));
  CHECK(store.list_users().size() == 2);
}

TEST_CASE("the operator's writes report why they fail", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  fill_small(store);
  std::int32_t id = 0;
  const NewUser alice_user{"acme", "alice", {"salt", "hash", 2, 1, 1}, digest_of("x")};
  NewUser stray = alice_user;
  stray.domain = "nowhere";
  CHECK(store.add_domain("acme") == Outcome::exists);
  CHECK(store.add_user(alice_user) == Outcome::done);
  CHECK(store.add_user(alice_user) == Outcome::exists);
  CHECK(store.add_user(stray) == Outcome::no_domain);
  CHECK(store.disable_user("acme", "nobody") == Outcome::no_user);
  CHECK(store.disable_user("nowhere", "alice") == Outcome::no_domain);
  CHECK(store.rotate_token("acme", "nobody", digest_of("y")) == Outcome::no_user);
  CHECK(store.rotate_token("nowhere", "alice", digest_of("y")) == Outcome::no_domain);
  CHECK(store.add_employee("nowhere", id) == Outcome::no_domain);
  CHECK(store.add_employee("acme", id) == Outcome::done);
  CHECK(id == 4);
  CHECK(store.add_employee("globex", id) == Outcome::exists);
  id = 0;
  CHECK(store.add_debtor("globex", id) == Outcome::done);
  CHECK(id == 1);
  CHECK(store.add_webhook({7, "A", "B", true, {}}, id) == Outcome::no_debtor);
  CHECK(store.add_webhook({1, "A", "B", true, {{7, true}}}, id) == Outcome::no_event);
  CHECK(store.list_webhooks().empty());
  CHECK(
      store.add_webhook({1, "A", "B", false, {{2, true}, {1, false}, {4, true}}}, id) ==
      Outcome::done);
  const auto rows = store.list_webhooks();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].domain == "globex");
  CHECK(rows[0].events == "2,4");
  CHECK(!rows[0].active);
  CHECK(store.list_domains() == std::vector<std::string>{"acme", "globex"});
  CHECK(store.list_employees().size() == 4);
  CHECK(store.list_debtors().size() == 1);
  REQUIRE(store.disable_user("acme", "alice") == Outcome::done);
  CHECK(store.list_users().at(0).disabled);
}

TEST_CASE("writes that wait together share a commit, and fail separately", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  fill_small(store);
  const DomainId domain = store.find_domain("acme").value();
  EmployeeAddress bad = work_address("bad");
  bad.type = static_cast<AddressType>(17);  // the table's CHECK refuses it
  std::atomic<int> written = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 16; ++thread)
    threads.emplace_back([&, thread] {
      for (int count = 0; count != 20; ++count) {
        try {
          const bool good = thread % 4 != 0;
          const auto address = good ? work_address(std::to_string(thread)) : bad;
          written += store.insert_current(domain, 1, address, march, today_) ? 1 : 0;
        } catch (const std::exception&) {
          ++refused;
        }
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(written == 240);
  CHECK(refused == 80);
  CHECK(store.list_current(domain, 1, today_)->size() == 240);
}

TEST_CASE("a stored value that makes no sense is an error, not a wrong answer", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  fill_small(store);
  const DomainId domain = store.find_domain("acme").value();
  REQUIRE(store.insert_current(domain, 1, work_address("A"), march, today_));
  database->spoil_types();
  CHECK_THROWS(store.list_current(domain, 1, today_));
  CHECK(store.list_current(domain, 2, today_)->empty());
}

TEST_CASE("a user beyond the maximum of one name is refused when it is added", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  const auto add = [&](int domain) {
    const std::string name = "d" + std::to_string(domain);
    store.add_domain(name);
    return store.add_user({name, "alice", {"salt", "hash", 2, 1, 1}, digest_of(name)});
  };
  for (int domain = 0; domain != int{most_namesakes}; ++domain)
    CHECK(add(domain) == Outcome::done);
  CHECK(add(0) == Outcome::exists);
  CHECK(add(4) == Outcome::namesakes);
  CHECK(store.list_users().size() == most_namesakes);
  CHECK(store.find_passwords({}, "alice", most_namesakes).holders.size() == most_namesakes);
  REQUIRE(store.disable_user("d1", "alice") == Outcome::done);
  CHECK(add(4) == Outcome::done);
  CHECK(add(5) == Outcome::namesakes);
}

TEST_CASE("after the highest id only explicit ids are possible", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  fill_small(store);
  using Add = Outcome (AdminStore::*)(const std::string&, std::int32_t&);
  for (const Add add : {Add(&AdminStore::add_employee), Add(&AdminStore::add_debtor)}) {
    std::int32_t highest = 2147483647;
    REQUIRE((store.*add)("acme", highest) == Outcome::done);
    for (int count = 0; count != 2; ++count) {
      std::int32_t next = 0;
      CHECK((store.*add)("acme", next) == Outcome::no_id);
    }
    std::int32_t free = 10;
    CHECK((store.*add)("acme", free) == Outcome::done);
    CHECK(free == 10);
  }
}

TEST_CASE("a token is stored only if the credential is still the user's", "[store]") {
  const auto database = new_database();
  const auto opened = database->open();
  Store& store = *opened;
  fill_small(store);
  const Digest api_token = digest_of("api token");
  REQUIRE(store.add_user({"acme", "alice", {"salt", "hash", 2, 1, 1}, api_token}) == Outcome::done);
  const DomainId acme_id = store.find_domain("acme").value();
  const DomainId globex_id = store.find_domain("globex").value();
  const std::int64_t alice_id = store.find_token({}, api_token).holders.at(0).user_id;
  int number = 0;
  const auto is_kept = [&](DomainId domain, std::int64_t user_id, const Credential& shown) {
    const Digest digest = digest_of(std::to_string(++number));
    const bool kept = store.add_token({digest, domain, user_id, shown, {"boot", 1s}, {}}, 30s);
    CHECK((store.find_token({}, digest).holders.size() == 1) == kept);
    return kept;
  };
  const Credential salt = std::string("salt");
  CHECK(is_kept(acme_id, alice_id, api_token));
  CHECK(is_kept(acme_id, alice_id, salt));
  CHECK_FALSE(is_kept(acme_id, alice_id, digest_of("another")));
  CHECK_FALSE(is_kept(acme_id, alice_id, std::string("pepper")));
  CHECK_FALSE(is_kept(globex_id, alice_id, api_token));
  CHECK_FALSE(is_kept(acme_id, alice_id + 1, api_token));
  store.renew_password(acme_id, alice_id, {"salt", "longer", 4, 8, 2});
  store.renew_password(acme_id, alice_id, {"pepper", "other", 8, 8, 2});
  store.renew_password(globex_id, alice_id, {"salt", "other", 8, 8, 2});
  const PasswordHash now = store.find_passwords("acme", "alice", 1).holders.at(0).password;
  CHECK(now.hash == "longer");
  CHECK(now.cost == 4);
  CHECK(now.block_size == 8);
  CHECK(now.parallelisation == 2);
  CHECK(is_kept(acme_id, alice_id, salt));
  REQUIRE(store.rotate_token("acme", "alice", digest_of("new")) == Outcome::done);
  CHECK_FALSE(is_kept(acme_id, alice_id, api_token));
  CHECK(is_kept(acme_id, alice_id, salt));
  REQUIRE(store.disable_user("acme", "alice") == Outcome::done);
  CHECK_FALSE(is_kept(acme_id, alice_id, salt));
  CHECK_FALSE(is_kept(acme_id, alice_id, digest_of("new")));
  const auto costs = store.list_costs();
  REQUIRE(costs.size() == 1);
  CHECK(costs[0].cost == 4);
  CHECK(costs[0].disabled);
  CHECK(costs[0].users == 1);
}
