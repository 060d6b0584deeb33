// [call]: interceptors. Their order, refusals, facts before and after a call, repetition, and
// interceptors that break the rules.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../support.hpp"

using namespace support;

/// Counts the allocations of the whole program. These are not inline; otherwise g++ reports free()
/// for memory of new.
static std::atomic<std::size_t> allocations{0};

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* made = std::malloc(size)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* old) noexcept { std::free(old); }
[[gnu::noinline]] void operator delete(void* old, std::size_t) noexcept { std::free(old); }

namespace {

using soapsvc::fault;
using soapsvc::fault_code;
using soapsvc::intercepted_call;

const std::string add = call("Add", "<A>1</A><B>2</B>");

soapsvc::dispatcher_options around(std::vector<soapsvc::interceptor> interceptors) {
  soapsvc::dispatcher_options options;
  options.interceptors = std::move(interceptors);
  return options;
}

/// Records its name before and after.
soapsvc::interceptor noting(std::vector<std::string>& notes, const std::string& name) {
  return [&notes, name](intercepted_call& call) {
    notes.push_back(name);
    call.proceed();
    notes.push_back(name + " after");
  };
}

struct Tenant {
  std::string name;
};
struct Visits {
  int count = 0;
};

struct Digits {
  std::vector<std::int64_t> all;
};

/// Returns the values that an interceptor passed.
class Desk {
public:
  std::int64_t count(const Digits& digits) { return static_cast<std::int64_t>(digits.all.size()); }
  std::string tell(const soapsvc::context& call) {
    const auto* tenant = call.get<Tenant>();
    const auto* visits = call.get<Visits>();
    return std::string(call.user) + " of " + (tenant ? tenant->name : "none") + ", " +
           std::to_string(visits ? visits->count : -1) + ", " + std::string(call.http().method);
  }
  soapsvc::stream<std::string> list(const soapsvc::context& call) {
    return [call, left = 3]() mutable -> std::optional<std::string> {
      if (left-- == 0) return std::nullopt;
      return call.get<Tenant>()->name;
    };
  }
};

}  // namespace

template <> inline constexpr auto soapsvc::schema<Digits> = record(field("Digit", &Digits::all));
template <>
inline constexpr auto soapsvc::schema<Desk> = service(
    "Desk",
    ns("urn:desk"),
    operation("Tell", &Desk::tell),
    operation("List", &Desk::list),
    operation("Count", &Desk::count));

namespace {

/// The response of the Desk.
std::string told_by_desk(std::vector<soapsvc::interceptor> interceptors) {
  Desk desk;
  soapsvc::dispatcher services(around(std::move(interceptors)));
  services.add(desk);
  return soapsvc::client<Desk>{services}.call(&Desk::tell);
}

}  // namespace

TEST_CASE("a method reads what interceptors set, by type", "[interceptors][context]") {
  const auto set_all = [](intercepted_call& call) {
    CHECK(call.context().get<Tenant>() == nullptr);
    call.set(Tenant{"first"});
    call.set(Visits{1});
    call.set(Tenant{"ACME"});
    call.set_user(std::string(40, 'u'));
    call.proceed();
  };
  const auto count = [](intercepted_call& call) {
    call.set(Visits{call.context().get<Visits>()->count + 1});
    call.proceed();
  };
  CHECK(told_by_desk({}) == " of none, -1, POST");
  CHECK(told_by_desk({set_all, count}) == std::string(40, 'u') + " of ACME, 2, POST");
}

TEST_CASE("the source of a stream keeps the values of its call", "[interceptors][context]") {
  Desk desk;
  const auto tenant = std::make_shared<int>(0);  // its use count counts the references
  soapsvc::dispatcher services(around({[&](intercepted_call& call) {
    call.set(Tenant{"a name that is too long to lie in the string itself"});
    call.set(tenant);
    call.proceed();
  }}));
  services.add(desk);
  {
    soapsvc::client<Desk> client{services};
    auto names = client.call(&Desk::list);
    int count = 0;
    while (const auto name = names.next()) {
      CHECK(*name == "a name that is too long to lie in the string itself");
      ++count;
    }
    CHECK(count == 3);
  }
  CHECK(tenant.use_count() == 1);
}

TEST_CASE(
    "a context made by a program has no request, and stores values", "[interceptors][context]") {
  soapsvc::context own;
  CHECK(own.http().method == soapsvc::http_request{}.method);
  CHECK_FALSE(own.http().header("Authorization"));
  own.set(Tenant{"test"});
  CHECK(Desk().tell(own) == " of test, -1, POST");
}

TEST_CASE("interceptors run in their order, the first outermost", "[interceptors]") {
  std::vector<std::string> notes;
  const world w(around({noting(notes, "a"), noting(notes, "b"), noting(notes, "c")}));
  for (const version v : both) {
    notes.clear();
    CHECK(result_of(w.ask(v, add), "Add") == "3");
    CHECK(notes == std::vector<std::string>{"a", "b", "c", "c after", "b after", "a after"});
  }
}

TEST_CASE("an interceptor that throws a fault refuses the call", "[interceptors]") {
  std::vector<std::string> notes;
  world w(around(
      {noting(notes, "outer"),
       [](intercepted_call&) {
         throw fault(fault_code::server, "too many calls")
             .with(Problem{9, "slow down"})
             .with_status(429);
       },
       noting(notes, "inner")}));
  for (const version v : both) {
    notes.clear();
    const auto response = w.ask(v, add);
    CHECK(response.status == 429);
    CHECK(contains(response.body, v == version::v1_1 ? ":Server<" : ":Receiver<"));
    CHECK(contains(response.body, ">too many calls<"));
    CHECK(response.body.find("<Code>9</Code>") != std::string::npos);
    CHECK(notes == std::vector<std::string>{"outer"});
    CHECK(w.calls.back().operation == "Add");
    CHECK(w.calls.back().reason == "too many calls");
    CHECK(w.calls.back().report.handler_time.count() == 0);
  }
  CHECK(w.errors.empty());
}

TEST_CASE("an interceptor sees who calls what, and how", "[interceptors]") {
  std::string seen;
  const world w(around({[&](intercepted_call& call) {
    const soapsvc::context& told = call.context();
    seen = std::string(call.service()) + '.' + std::string(call.operation()) +
           (call.deprecated() ? " deprecated " : " ") + std::string(told.peer) + ' ' +
           std::string(told.request_id) + ' ' +
           std::string(call.http().header("authorization").value_or("nobody"));
    for (const soapsvc::header_block& block : told.header_blocks)
      seen.append(" ").append(block.xml);
    call.proceed();
  }}));
  const headers with{{"X-Request-Id", "id-1"}, {"Authorization", "Bearer x"}};
  w.ask(version::v1_1, add, "<x:T xmlns:x='urn:x'/>", with);
  CHECK(seen == "Shop.Add 192.0.2.1 id-1 Bearer x <x:T xmlns:x='urn:x'/>");
  w.ask(version::v1_2, call("OldAdd", "<A>1</A><B>2</B>"), "", {{"X-Request-Id", "id-2"}});
  CHECK(seen == "Shop.OldAdd deprecated 192.0.2.1 id-2 nobody");
}

TEST_CASE("an interceptor runs before the request is read", "[interceptors]") {
  int seen = 0;
  bool refuse = true;
  const world w(around({[&](intercepted_call& call) {
    ++seen;
    if (refuse) throw fault(fault_code::client, "not now");
    call.proceed();
  }}));
  const std::string bad = call("Add", "<A>x</A>");
  CHECK(fault_of(w.ask(version::v1_1, bad)).reason == "not now");
  refuse = false;
  CHECK_THAT(fault_of(w.ask(version::v1_1, bad)).reason, Catch::StartsWith("Add/A: 'x'"));
  CHECK(seen == 2);
}

TEST_CASE("requests that are not calls of an operation are not intercepted", "[interceptors]") {
  int seen = 0;
  soapsvc::dispatcher_options options = around({[&](intercepted_call& call) {
    ++seen;
    call.proceed();
  }});
  options.serve_deprecated = false;
  world w(options);
  w.send("GET", path);
  w.send("GET", path + "?wsdl");
  w.post("nonsense", {{"Content-Type", "text/xml"}});
  w.ask(version::v1_1, call("Unknown"));
  w.ask(version::v1_1, add, "", {{"SOAPAction", "\"" + ns + "/Echo\""}});
  w.ask(version::v1_1, add, "<x:T xmlns:x='urn:x' e:mustUnderstand='1'/>");
  w.ask(version::v1_1, call("OldAdd", "<A>1</A><B>2</B>"));
  CHECK(seen == 0);
  CHECK(w.calls.size() == 5);  // they are still reported
}

TEST_CASE("an interceptor sees how a call ended, and how long it took", "[interceptors]") {
  std::string outcome;
  const world w(around({[&](intercepted_call& call) {
    const auto begun = std::chrono::steady_clock::now();
    try {
      call.proceed();
      outcome = "good";
    } catch (const fault& refused) {
      outcome = "fault " + refused.reason();
      throw;
    } catch (const std::exception& error) {
      outcome = std::string("incident ") + error.what();
      throw;
    }
    CHECK(std::chrono::steady_clock::now() >= begun);
  }}));
  const auto fail = [&](const char* how) {
    return w.ask(version::v1_1, call("Fail", "<How>" + std::string(how) + "</How>"));
  };
  CHECK(fail("fine").status == 200);
  CHECK(outcome == "good");
  CHECK(fault_of(fail("client")).reason == "Not <today> & not tomorrow.");
  CHECK(outcome == "fault Not <today> & not tomorrow.");
  CHECK(fail("exception").status == 500);
  CHECK(outcome == "incident marked secret of the store");
  CHECK(fail("bad utf-8").status == 500);  // found when the result is written
  CHECK(outcome.rfind("incident ", 0) == 0);
  w.ask(version::v1_1, call("Fail"));
  CHECK(outcome.rfind("fault Fail/How", 0) == 0);
}

TEST_CASE("an interceptor turns the program's exceptions into faults", "[interceptors]") {
  world w(around({[](intercepted_call& call) {
    try {
      call.proceed();
    } catch (const std::runtime_error&) {
      throw fault(fault_code::client, "no such thing");
    }
  }}));
  const auto response = w.ask(version::v1_2, call("Fail", "<How>exception</How>"));
  CHECK(response.status == 400);
  CHECK(fault_of(response).reason == "no such thing");
  CHECK(w.errors.empty());
}

TEST_CASE("an interceptor may refuse after the call", "[interceptors]") {
  world w(around({[](intercepted_call& call) {
    call.proceed();
    throw fault(fault_code::server, "the audit log is full");
  }}));
  for (const version v : both) {
    const auto response = w.ask(v, add);
    CHECK(fault_of(response).reason == "the audit log is full");
    CHECK(response.body.find("AddResult") == std::string::npos);
  }
}

TEST_CASE("a call may be tried again, and the last result counts", "[interceptors]") {
  int tries = 0;
  int inner = 0;
  world w(around(
      {[&](intercepted_call& call) {
         for (tries = 1;; ++tries) {
           try {
             call.proceed();
             call.proceed();
             return;
           } catch (const std::runtime_error&) {
             if (tries == 3) throw;
           }
         }
       },
       [&](intercepted_call& call) {
         if (++inner < 2) throw std::runtime_error("busy");
         call.proceed();
       }}));
  for (const version v : both) {
    inner = 0;
    CHECK(result_of(w.ask(v, add), "Add") == "3");
    CHECK(tries == 2);
    CHECK(inner == 3);
    const auto header = "<Session xmlns='" + ns + "'><Key>7</Key></Session>";
    CHECK(result_of(w.ask(v, call("Put"), header), "Put") == "7");
    CHECK(w.ask(v, call("Fail", "<How>exception</How>")).status == 500);
    CHECK(tries == 3);
    for (const auto& seen : w.calls) {
      CHECK(seen.report.decode_time.count() >= 0);
      CHECK(seen.report.handler_time.count() >= 0);
      CHECK(seen.report.encode_time.count() >= 0);
    }
  }
}

// All tries shared the limit: the eighteenth was refused with "limit max_elements".
TEST_CASE("each try of a call has the limits of a message", "[interceptors][regression]") {
  soapsvc::dispatcher_options options = around({[](intercepted_call& call) {
    for (int tries = 0; tries != 30; ++tries)
      call.proceed();
  }});
  options.limits.max_elements = 100;
  Desk desk;
  soapsvc::dispatcher services(std::move(options));
  services.add(desk);
  const Digits digits{std::vector<std::int64_t>(90, 1)};
  CHECK(soapsvc::client<Desk>{services}.call(&Desk::count, digits) == 90);
}

TEST_CASE(
    "an interceptor that returns without a result is an incident", "[interceptors][incident]") {
  for (const bool swallow : {false, true}) {
    world w(around({[&](intercepted_call& call) {
      try {
        if (swallow) call.proceed();
      } catch (const fault&) {
      }
    }}));
    const auto response = w.ask(version::v1_1, call("Fail", "<How>client</How>"));
    CHECK(response.status == 500);
    CHECK_THAT(fault_of(response).reason, Catch::Contains("Incident"));
    REQUIRE(w.errors.size() == 1);
    CHECK_THAT(w.errors[0].what, Catch::Contains("without a result of proceed()"));
  }
  // The result of an earlier attempt is not sent either.
  world w(around(
      {[](intercepted_call& call) {
         call.proceed();
         try {
           call.proceed();
         } catch (const fault&) {
         }
       },
       [turn = 0](intercepted_call& call) mutable {
         if (++turn % 2 == 0) throw fault(fault_code::client, "second");
         call.proceed();
       }}));
  CHECK(w.ask(version::v1_1, add).status == 500);
  CHECK(w.errors.size() == 1);
}

TEST_CASE(
    "an exception of an interceptor is an incident, and its text is not sent",
    "[interceptors][incident]") {
  world w(around({[](intercepted_call&) { throw std::runtime_error("marked secret"); }}));
  const auto response = w.ask(version::v1_2, add);
  CHECK(response.status == 500);
  CHECK(response.body.find("marked secret") == std::string::npos);
  REQUIRE(w.errors.size() == 1);
  CHECK(w.errors[0].what == "marked secret");
  CHECK(w.errors[0].operation == "Add");
}

TEST_CASE("an interceptor reads the header by its table", "[interceptors]") {
  std::optional<Session> session;
  const world w(around({[&](intercepted_call& call) {
    session = call.header_block<Session>();
    if (session && session->key == 13) throw fault(fault_code::client, "not with this key");
    call.proceed();
  }}));
  const auto header = [](const std::string& content, const std::string& more = "") {
    return "<Session xmlns='" + ns + "'" + more + ">" + content + "</Session>";
  };
  for (const version v : both) {
    CHECK(result_of(w.ask(v, call("Put"), header("<Key>7</Key>")), "Put") == "7");
    REQUIRE(session);
    CHECK(session->key == 7);
    CHECK_FALSE(session->user);
    CHECK(fault_of(w.ask(v, call("Put"), header("<Key>13</Key>"))).reason == "not with this key");
    CHECK(result_of(w.ask(v, call("Who")), "Who") == "no session");
    CHECK_FALSE(session);
    const std::string nil = " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='true'";
    CHECK(result_of(w.ask(v, call("Who"), header("", nil)), "Who") == "no session");
    CHECK_FALSE(session);
    const auto refused = fault_of(w.ask(v, call("Who"), header("<Key>x</Key>")));
    CHECK_THAT(refused.reason, Catch::Contains("Session/Key") && !Catch::Contains("'x'"));
    const auto twice = header("<User>a</User>") + header("<User>b</User>");
    CHECK_THAT(fault_of(w.ask(v, call("Who"), twice)).reason, Catch::Contains("only once"));
  }
}

TEST_CASE("a method runs on the thread of its interceptors, inside them", "[interceptors]") {
  static thread_local int depth = 0;
  std::atomic<int> wrong{0};
  const world w(around({[&](intercepted_call& call) {
    ++depth;
    try {
      call.proceed();
    } catch (...) {
      --depth;
      throw;
    }
    if (--depth != 0) ++wrong;
  }}));
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread)
    threads.emplace_back([&] {
      for (int turn = 0; turn != 50; ++turn)
        if (result_of(w.ask(both[turn % 2], add), "Add") != "3") ++wrong;
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("an interceptor that is no function is refused at once", "[interceptors]") {
  soapsvc::dispatcher_options options = around({soapsvc::interceptor()});
  options.ns_base = base;
  CHECK_THROWS_AS(soapsvc::dispatcher(options), std::invalid_argument);
}

TEST_CASE("interceptors cost no allocation", "[interceptors]") {
  soapsvc::dispatcher_options options = around({});
  options.ns_base = base;
  Shop shop;
  soapsvc::dispatcher bare(options);
  bare.add(shop);
  const soapsvc::interceptor go_on = [](intercepted_call& call) { call.proceed(); };
  options.interceptors = {go_on, go_on, go_on};
  soapsvc::dispatcher wrapped(options);
  wrapped.add(shop);
  const std::string target = path;
  const std::string body = envelope(version::v1_1, add);
  const auto count = [&](const soapsvc::dispatcher& dispatcher) {
    soapsvc::http_request request;
    request.target = target;
    request.headers = as_xml;
    request.body = body;
    soapsvc::http_response response;
    std::size_t before = 0;
    for (int turn = 0; turn != 20; ++turn) {
      before = allocations;
      dispatcher.handle(request, response);
    }
    return allocations - before;
  };
  CHECK(count(wrapped) == count(bare));
}
