// No memory: operator new, and SQLite's allocator, fail at the n-th request, or from it on, for
// each n that a call has. The response is complete or a fault, nothing is stored partly, and the
// next call succeeds. The host is tested as well: a process that cannot even write a fault sends a
// fixed text.
#include <openssl/evp.h>
#include <spdlog/sinks/null_sink.h>
#include <sqlite3.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <new>
#include <set>

#include "../net.hpp"

#include "example.hpp"
#include "operate/log.hpp"

// --- The allocator -------------------------------------------------------------------------------

namespace {

/// Which allocation fails. Off while `left` is negative.
std::atomic<long> left{-1};
std::atomic<bool> for_ever{false};
std::atomic<long> failed{0};

bool must_fail() noexcept {
  if (left.load(std::memory_order_relaxed) < 0) return false;
  const long before = left.fetch_sub(1);
  if (before > 0) return false;
  if (for_ever) left.store(0);
  if (before < 0 && !for_ever) return false;
  ++failed;
  return true;
}

void* take(std::size_t size) {
  if (must_fail()) throw std::bad_alloc();
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (!memory) throw std::bad_alloc();
  return memory;
}

sqlite3_mem_methods real_methods;

void* take_for_sqlite(int size) { return must_fail() ? nullptr : real_methods.xMalloc(size); }
void* retake_for_sqlite(void* at, int size) {
  return must_fail() ? nullptr : real_methods.xRealloc(at, size);
}

/// Called before the first use of SQLite, in any test.
void watch_sqlite() {
  static const bool done = [] {
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_methods);
    sqlite3_mem_methods methods = real_methods;
    methods.xMalloc = take_for_sqlite;
    methods.xRealloc = retake_for_sqlite;
    // Memory that is set aside beforehand would hide allocations.
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
           sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK;
  }();
  REQUIRE(done);
}

/// During its lifetime, the n-th allocation fails, counted from 0.
class Shortage {
public:
  Shortage(long nth, bool lasts) { begin(nth, lasts); }
  static void begin(long nth, bool lasts) {
    for_ever = lasts;
    failed = 0;
    left = nth;
  }
  static void end() { left = -1; }
  ~Shortage() { end(); }
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;
};

}  // namespace

// Not inline; otherwise g++ reports free() for memory of new.
[[gnu::noinline]] void* operator new(std::size_t size) { return take(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return take(size); }
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return must_fail() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t& mark) noexcept {
  return operator new(size, mark);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace example;
using soapsvc::soap_version;

namespace {

/// The allowed responses while memory is short.
enum class Kind { result, incident, last_resort };

Kind kind_of(const soapsvc::http_response& response) {
  if (response.status == 200) return Kind::result;
  if (response.status == 503 && response.body == "Out of memory\n" &&
      response.content_type == "text/plain")
    return Kind::last_resort;
  if (response.status != 500 ||
      response.body.find("The server could not process the request. Incident ") ==
          std::string::npos ||
      count_of(response.body, "Envelope>") != 1 ||
      response.body.find("alloc") != std::string::npos ||
      response.body.find("memory") != std::string::npos)
    FAIL("neither a result nor an incident: " << response.status << ' ' << response.body);
  return Kind::incident;
}

/// A request with its own street: reading, storing and answering it need memory.
std::string large_address(const std::string& street) {
  return "<Address><Default>true</Default><Street>" + street + "</Street><HouseNumber>&#65;&amp;" +
         std::string(990, 'h') + "</HouseNumber><City>" + std::string(1'000, 'c') + "</City>" +
         std::string(60'000, ' ') + "<Type>WorkAddress</Type></Address>";
}

/// Sends with the n-th allocation failing, for n from 1 until none fails any more.
template <class Send, class Check>
void for_each_allocation(Payroll& payroll, bool lasts, Send send, Check check) {
  std::map<Kind, int> kinds;
  bool all_succeeded = false;
  for (long nth = 0; nth != 20'000 && !all_succeeded; ++nth) {
    CAPTURE(nth, lasts);
    payroll.before_dispatch = [&] { Shortage::begin(nth, lasts); };
    const soapsvc::http_response response = send(nth);
    Shortage::end();
    payroll.before_dispatch = nullptr;
    all_succeeded = failed == 0;
    const Kind kind = kind_of(response);
    ++kinds[kind];
    check(kind, nth);
  }
  CHECK(all_succeeded);
  CHECK(kinds[Kind::result] > 0);
  CHECK(kinds[Kind::incident] + kinds[Kind::last_resort] > 0);
  if (lasts) CHECK(kinds[Kind::last_resort] > 0);
  if (!lasts) CHECK(kinds[Kind::incident] > 0);
}

}  // namespace

// --- Dispatch and store --------------------------------------------------------------------------

// The first case: the digest that is fetched once must not be fetched yet.
TEST_CASE("a digest that failed for lack of memory succeeds the next time", "[memory]") {
  REQUIRE(EVP_set_default_properties(nullptr, "provider=none") == 1);
  CHECK_THROWS_WITH(digest_of("x"), Catch::Contains("SHA-256"));
  REQUIRE(EVP_set_default_properties(nullptr, "") == 1);
  CHECK(digest_of("x") == digest_of("x"));
}

TEST_CASE("an insert that runs out of memory anywhere is complete or refused", "[memory]") {
  watch_sqlite();
  const bool lasts = GENERATE(false, true);
  Payroll payroll;
  std::set<std::string> acknowledged;
  const auto street = [](long nth) { return "street-" + std::to_string(nth) + '-'; };
  for_each_allocation(
      payroll,
      lasts,
      [&](long nth) { return payroll.insert(2, large_address(street(nth))); },
      [&](Kind kind, long nth) {
        if (kind == Kind::result) acknowledged.insert(street(nth));
        if (nth % 50 != 0) return;
        const auto response = payroll.list(2);
        REQUIRE(response.status == 200);
        for (const std::string& each : acknowledged)
          CHECK(count_of(response.body, '>' + each + '<') == 1);
        const bool any = response.body.find("<EmployeeAddress>") != std::string::npos;
        CHECK(count_of(response.body, "<Default>true</Default>") == (any ? 1 : 0));
      });
  CHECK(payroll.insert(2, large_address("last")).status == 200);
}

TEST_CASE("a large list that runs out of memory anywhere is complete or refused", "[memory]") {
  watch_sqlite();
  const bool lasts = GENERATE(false, true);
  const auto version = GENERATE(soap_version::v1_1, soap_version::v1_2);
  Payroll payroll;
  const std::string whole = payroll.list(100, acme, version).body;
  for_each_allocation(
      payroll, lasts, [&](long) { return payroll.list(100, acme, version); }, [&](Kind, long) {});
  CHECK(payroll.list(100, acme, version).body == whole);
}

TEST_CASE("a sign-on that runs out of memory anywhere gives a token or none", "[memory]") {
  watch_sqlite();
  const bool lasts = GENERATE(false, true);
  Payroll payroll;
  const std::string body = element("Username", "alice") + element("Token", "api-token-alice");
  for_each_allocation(
      payroll,
      lasts,
      [&](long) { return payroll.send("SingleSignOn", "GetToken2", body); },
      [&](Kind, long) {});
  CHECK(payroll.list(1, Header{"alice", payroll.issue(), "acme"}).status == 200);
}

TEST_CASE("an incident for lack of memory has the same id in the log", "[memory]") {
  watch_sqlite();
  Payroll payroll;
  for (long nth = 0; nth != 60; ++nth) {
    payroll.incident_ids.clear();
    payroll.incident_ids.reserve(4);
    payroll.incidents.reserve(100);
    payroll.before_dispatch = [nth] { Shortage::begin(nth, false); };
    const auto response = payroll.insert(2, large_address("x"));
    Shortage::end();
    if (kind_of(response) != Kind::incident) continue;
    REQUIRE(payroll.incident_ids.size() == 1);
    CHECK(response.body.find("Incident " + payroll.incident_ids[0] + '.') != std::string::npos);
  }
}

// --- Observers -----------------------------------------------------------------------------------

TEST_CASE("a log without memory does not prevent the response", "[memory]") {
  const auto sink = std::make_shared<spdlog::sinks::null_sink_mt>();
  LogOptions log_options;
  log_options.sink = sink;
  Log log(log_options);
  soapsvc::dispatcher_options options;
  options.ns_base = "http://example.com/soap";
  options.on_call = [&](const soapsvc::call_report& call) {
    const Shortage shortage(0, true);
    log.call(call);
  };
  options.on_error = [&](const soapsvc::error_report& error) {
    const Shortage shortage(0, true);
    log.error(error);
  };
  options.on_message = [&](const soapsvc::message_report& message) {
    const Shortage shortage(0, true);
    log.message(message);
  };
  net::Desk desk;
  soapsvc::dispatcher services(options);
  services.add(desk);
  soapsvc::http_request request;
  request.method = "POST";
  const soapsvc::http_header type{"Content-Type", "text/xml"};
  request.headers = std::span(&type, 1);
  request.target = net::path;
  const std::string good = net::echo("good");
  request.body = good;
  CHECK(services.handle(request).body.find("good") != std::string::npos);
  const std::string bad = net::envelope("Fail");
  request.body = bad;
  const auto response = services.handle(request);
  CHECK(response.status == 500);
  CHECK(response.body.find("Incident") != std::string::npos);
}

// --- Host ----------------------------------------------------------------------------------------

TEST_CASE("a host without memory responds with a fault or a fixed text, and survives", "[memory]") {
  net::server server;
  const bool lasts = GENERATE(false, true);
  const std::string large = net::post(net::echo(std::string(200'000, 'x')));
  const std::string small = net::post(net::echo("small"));
  std::map<int, int> statuses;
  for (long nth = 0; nth != 60; ++nth) {
    CAPTURE(nth, lasts);
    net::client caller(server.port);
    REQUIRE(caller.ask(small).status == 200);  // from now on the host must respond
    {
      const Shortage shortage(nth, lasts);
      REQUIRE(caller.try_send(large));
      REQUIRE_FALSE(caller.is_quiet(10s));  // takes no memory itself
    }
    const net::response response = caller.read();
    ++statuses[response.status];
    CHECK((response.status == 200 || response.status == 500 || response.status == 503));
    CHECK(!response.body.empty());
    if (response.status == 503) CHECK(response.holds("emory"));
  }
  CHECK(statuses[200] + statuses[500] > 0);
  CHECK(statuses[503] > 0);
  CHECK(net::ask(server.port, small).status == 200);
}
