// [client] Failed calls that are repeated, or not: a server closes, resets and stalls at random
// points, and both sides count the requests.
#include <catch2/catch.hpp>
#include <functional>
#include <mutex>
#include <random>
#include <set>

#include "digest.hpp"
#include "scripted.hpp"

namespace {

using namespace net;

/// The Desk for clients, with an operation that may be repeated.
class Shop {
public:
  virtual std::optional<std::string> buy(const Words&) = 0;
  virtual std::optional<std::string> look(const Words&) = 0;

protected:
  ~Shop() = default;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Shop> =
    service("Desk", operation("Echo", &Shop::buy), operation("Look", &Shop::look, idempotent));

namespace {

struct Login {
  std::string name, password;
};
struct Refusal {
  std::string hint;
  std::int32_t code{};
};
struct Other {
  std::string text;
};
class Door {
public:
  std::string open(const Login& login) {
    if (login.name == "declared")
      throw soapsvc::fault(soapsvc::fault_code::client, "no").with(Refusal{"hidden 2", 5});
    if (login.name == "other")
      throw soapsvc::fault(soapsvc::fault_code::client, "no").with(Other{"hidden 3"});
    return "hidden 4";
  }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Login> =
    record(field("Name", &Login::name), field("Password", &Login::password, secret));
template <>
inline constexpr auto soapsvc::schema<Refusal> =
    record("Refusal", field("Hint", &Refusal::hint, secret), field("Code", &Refusal::code));
template <>
inline constexpr auto soapsvc::schema<Other> = record("Other", field("Text", &Other::text));
template <>
inline constexpr auto soapsvc::schema<Door> =
    service("Door", operation("Open", &Door::open, fault_detail<Refusal>(), secret));

namespace {

soapsvc::client<Shop> shop_of(int port, const soapsvc::client_options& with) {
  return client_at<Shop>("http://127.0.0.1:" + std::to_string(port) + path, with);
}

soapsvc::client_options with_attempts(int most) {
  soapsvc::client_options with = options();
  with.retry.max_attempts = most;
  with.retry.first_wait = 1ms;
  with.retry.max_wait = 2ms;
  return with;
}

/// The response to a request of either operation.
std::string answer_to(const std::string& request) {
  const bool looks = request.find("<Look") != request.npos;
  const std::string name = looks ? "Look" : "Echo";
  return http(
      "200 OK",
      "text/xml",
      soap(
          "<e:Body><" + name + "Response xmlns=\"" + ns + "\"><" + name + "Result>x</" + name +
          "Result></" + name + "Response></e:Body>"));
}

/// Counts each request by the number in its text, and answers most requests.
class moody_server {
public:
  explicit moody_server(std::size_t numbers) : arrived(numbers) {}

  void talk(connection& to) {
    if (random_() % 50 == 0) return;  // before anything is read
    if (random_() % 50 == 0) return to.reset();
    for (;;) {
      const std::string request = to.read();
      if (request.empty()) return;
      const std::size_t at = request.find("<Text>") + 6;
      ++arrived.at(std::stoul(request.substr(at)));
      const std::string answer = answer_to(request);
      switch (random_() % 40) {
      case 0: return;
      case 1: return to.reset();
      case 2: to.send(answer.substr(0, answer.size() / 2)); return;
      case 3: to.send(answer); return;  // while the client may be sending the next one
      case 4: to.send(answer); return to.reset();
      case 5:
        if (random_() % 20 == 0) return to.wait_for_end();
        break;
      default: break;
      }
      to.send(answer);
    }
  }
  std::vector<std::atomic<int>> arrived;

private:
  std::minstd_rand random_{7};
};

struct outcome {
  int good = 0, failed = 0, attempts = 0, sent_twice = 0, lost_in_silence = 0, arrived = 0;
};

/// Makes this number of calls in turn, and compares the counts of both sides.
template <class Method> outcome call_often(int calls, Method method, soapsvc::client_options with) {
  outcome all;
  moody_server moods(static_cast<std::size_t>(calls));
  const scripted server([&](connection& to) { moods.talk(to); });
  with.read_timeout = 50ms;
  with.on_call = [&](const soapsvc::call_report&) { ++all.attempts; };
  const auto client = shop_of(server.port, with);
  for (int number = 0; number != calls; ++number) {
    auto& arrived = moods.arrived[static_cast<std::size_t>(number)];
    try {
      client.call(method, Words{std::to_string(number)});
      ++all.good;
      all.lost_in_silence += arrived == 0;
    } catch (const transport_error& error) {
      ++all.failed;
      all.lost_in_silence += arrived != 0 && !error.may_have_arrived();
    }
    all.sent_twice += arrived > 1;
    all.arrived += arrived;
  }
  return all;
}

}  // namespace

TEST_CASE("a call is sent twice only if a policy allows it", "[client][retry]") {
  const outcome plain = call_often(10'000, &Shop::buy, options());
  CHECK(plain.good + plain.failed == 10'000);
  CHECK(plain.failed > 100);
  CHECK(plain.attempts == 10'000);
  CHECK(plain.sent_twice == 0);
  CHECK(plain.lost_in_silence == 0);

  // The same holds for an operation that is not idempotent, with a policy.
  const outcome careful = call_often(2'000, &Shop::buy, with_attempts(5));
  CHECK(careful.failed > 20);
  CHECK(careful.sent_twice == 0);
  CHECK(careful.lost_in_silence == 0);

  const outcome eager = call_often(2'000, &Shop::look, with_attempts(8));
  CHECK(eager.failed == 0);
  CHECK(eager.sent_twice > 20);
  CHECK(eager.attempts > 2'000);
  CHECK(eager.arrived <= eager.attempts);
  WARN(
      "10,000 calls without a policy: " << plain.failed << " failed, " << plain.arrived
                                        << " arrived; 2,000 of an idempotent operation: "
                                        << eager.attempts << " attempts, " << eager.arrived
                                        << " arrived, none failed");
}

TEST_CASE("a call that has not arrived is repeated for every operation", "[client][retry]") {
  const scratch_folder folder;
  const std::string file = folder.file("desk.socket");
  server at(quick_options(), false);
  soapsvc::client_options with = with_attempts(3);
  with.unix_path = file;
  std::vector<std::string> told;
  with.on_call = [&](const soapsvc::call_report& report) {
    told.emplace_back(report.fault_reason);
    CHECK(report.service == "Desk");
    CHECK(report.operation == "Echo");
    CHECK(report.peer == "http://127.0.0.1:1" + path);
    CHECK(report.http_status == (told.size() == 3 ? 200 : 0));
    if (told.size() == 2) {
      at.host.bind({.unix_path = file});
      at.serve();
    }
    throw std::runtime_error("nobody takes this");
  };
  CHECK(shop_of(1, with).call(&Shop::buy, {"x"}) == "x");
  REQUIRE(told.size() == 3);
  CHECK_THAT(told[0], Catch::Contains("cannot be reached"));
  CHECK(told[2].empty());
  CHECK(at.desk.calls == 1);
}

TEST_CASE("each wait for another attempt is longer, up to a maximum", "[client][retry]") {
  std::vector<net::clock::time_point> ended;
  soapsvc::client_options with = with_attempts(4);
  with.on_call = [&](const soapsvc::call_report&) { ended.push_back(net::clock::now()); };
  with.retry.first_wait = 40ms;
  with.retry.max_wait = 100ms;
  CHECK_THROWS_AS(shop_of(1, with).call(&Shop::buy, {"x"}), transport_error);  // no server listens
  REQUIRE(ended.size() == 4);
  CHECK(ended[1] - ended[0] >= 20ms);  // each wait has at least half of its length
  CHECK(ended[2] - ended[1] >= 40ms);
  CHECK(ended[3] - ended[2] >= 50ms);
  // The maximum applies to the first wait, too. Otherwise it would end after the call's timeout.
  ended.clear();
  with.retry.first_wait = 50s;
  with.retry.max_wait = 1ms;
  with.call_timeout = 20s;
  CHECK_THROWS_AS(shop_of(1, with).call(&Shop::buy, {"x"}), transport_error);
  CHECK(ended.size() == 4);
}

TEST_CASE("Retry-After of a server is respected", "[client][retry]") {
  std::atomic<int> wait{0}, requests{0};
  std::string more;
  const scripted server([&](connection& to) {
    for (std::string request = to.read(); !request.empty(); request = to.read()) {
      if (++requests % 2 == 0)
        to.send(answer_to(request));
      else
        to.send(http(
            "503 Service Unavailable",
            "text/plain",
            "later",
            "Retry-After: " + std::to_string(wait) + "\r\n" + more));
    }
  });
  const auto client = shop_of(server.port, with_attempts(2));
  CHECK(client.call(&Shop::look, {"x"}) == "x");
  CHECK(requests == 2);
  wait = 1;
  const auto begun = net::clock::now();
  CHECK(client.call(&Shop::look, {"x"}) == "x");
  CHECK(net::clock::now() - begun >= 1s);
  // Later than the call's timeout: the caller gets the response.
  wait = 1'000;
  const auto status_of = [&](auto method, const auto& by) {
    try {
      by.call(method, Words{"x"});
    } catch (const transport_error& error) {
      return error.http_status();
    }
    return 0;
  };
  CHECK(status_of(&Shop::look, client.with({.timeout = 10s})) == 503);
  CHECK(requests == 5);
  // A value beyond 32 bits is later still, and the longer of two counts.
  more = "Retry-After: 99999999999\r\nRetry-After: 0\r\n";
  wait = 0;
  requests = 0;
  CHECK(status_of(&Shop::look, client.with({.timeout = 10s})) == 503);
  CHECK(requests == 1);
  // A header without a number is ignored.
  more = "Retry-After:\r\n";
  requests = 0;
  CHECK(client.call(&Shop::look, {"x"}) == "x");
  CHECK(requests == 2);
  more.clear();
  wait = 1'000;
  requests = 0;
  wait = 0;
  CHECK(status_of(&Shop::buy, client) == 503);  // the call may have been carried out
  CHECK(requests == 1);
}

TEST_CASE("an exception of on_response repeats no call", "[client][retry]") {
  std::atomic<int> requests{0};
  const scripted server([&](connection& to) {
    for (std::string request = to.read(); !request.empty(); request = to.read()) {
      ++requests;
      to.send(answer_to(request));
    }
  });
  soapsvc::client_options with = with_attempts(3);
  with.on_response = [](const soapsvc::http_response&) {
    throw transport_error("another server is away", transport_failure::connect);
  };
  CHECK_THROWS_WITH(shop_of(server.port, with).call(&Shop::buy, {"x"}), "another server is away");
  CHECK(requests == 1);
}

TEST_CASE("on_call reports an attempt that the program's exception ends", "[client][retry]") {
  Door door;
  soapsvc::dispatcher services({.ns_base = "urn:x"});
  services.add(door);
  soapsvc::client_options with = with_attempts(3);
  std::vector<std::string> told;
  with.on_call = [&](const soapsvc::call_report& report) {
    CHECK(report.http_status == 200);
    told.emplace_back(report.fault_reason);
  };
  with.on_response = [](const soapsvc::http_response&) { throw std::runtime_error("not today"); };
  const soapsvc::client<Door> client(services, with);
  CHECK_THROWS_WITH(client.call(&Door::open, {"x", "y"}), "not today");
  CHECK(told == std::vector<std::string>{"not today"});
  with.on_response = [](const soapsvc::http_response&) { throw 5; };
  const soapsvc::client<Door> other(services, with);
  CHECK_THROWS_AS(other.call(&Door::open, {"x", "y"}), int);
  CHECK(told == std::vector<std::string>{"not today", "an exception that is not a std::exception"});

  // Without a token nothing was sent, so the third attempt does not hide an earlier one.
  soapsvc::client_options later = options();
  later.bearer = [asked = 0]() mutable -> soapsvc::bearer_token {
    if (++asked == 1) throw std::runtime_error("later");
    if (asked == 2) throw 5;
    return {"token"};
  };
  later.interceptors = {[](soapsvc::outgoing_call& call) {
    CHECK_THROWS_WITH(call.proceed(), "later");
    CHECK_THROWS_AS(call.proceed(), int);
    call.proceed();
  }};
  try {
    shop_of(1, later).call(&Shop::buy, {"x"});
    FAIL("nobody listens");
  } catch (const transport_error& failed) {
    CHECK(failed.why() == transport_failure::connect);
    CHECK_FALSE(failed.may_have_arrived());
  }
}

TEST_CASE("errors that another attempt cannot fix are not retried", "[client][retry]") {
  std::atomic<int> requests{0};
  const scripted server([&](connection& to) {
    while (!to.read().empty()) {
      ++requests;
      to.send(http("500 Internal Server Error", "text/plain", "never"));
    }
  });
  soapsvc::client_options with = with_attempts(5);
  int attempts = 0;
  with.on_call = [&](const soapsvc::call_report& report) {
    ++attempts;
    CHECK(report.http_status == 500);
    CHECK(report.bytes_out > 100);
  };
  const auto client = shop_of(server.port, with);
  CHECK_THROWS_AS(client.call(&Shop::look, {"x"}), transport_error);
  CHECK(requests == 1);
  CHECK(attempts == 1);
  with.retry.first_wait = -1ms;
  CHECK_THROWS_WITH(shop_of(1, with), Catch::Contains("first_wait is -1"));
}

namespace {

/// The error of a call to a server that accepts one request, sends `answer`, and refuses
/// connections.
template <class Method>
transport_error error_after_first(
    Method method, const soapsvc::client_options& with, const std::string& answer = {}) {
  std::atomic<int> requests{0};
  scripted server([&](connection& to) {
    requests += !to.read().empty();
    server.stop_listening();
    to.send(answer);
  });
  try {
    shop_of(server.port, with).call(method, Words{"x"});
  } catch (const transport_error& error) {
    UNSCOPED_INFO(error.what());
    CHECK(requests == 1);
    CHECK(error.may_have_arrived());
    return error;
  }
  throw std::logic_error("nobody listens");
}

}  // namespace

TEST_CASE(
    "a failure to connect does not hide an attempt that may have arrived", "[client][retry]") {
  soapsvc::client_options with = with_attempts(3);
  std::vector<std::string> told;
  with.on_call = [&](const soapsvc::call_report& report) {
    told.emplace_back(report.fault_reason);
  };
  const transport_error again = error_after_first(&Shop::look, with);
  CHECK(again.why() == transport_failure::lost);
  CHECK_THAT(again.what(), Catch::Contains("an earlier attempt of this call may have arrived"));
  REQUIRE(told.size() == 3);
  CHECK_THAT(again.what(), Catch::StartsWith(told[2]));  // the reason of the last attempt
  CHECK_THAT(told[2], !Catch::Contains("earlier"));

  // An interceptor gets the same error, and decides.
  with = options();
  bool waits = false;
  with.interceptors = {[&](soapsvc::outgoing_call& call) {
    try {
      call.proceed();
    } catch (const transport_error& failed) {
      CHECK(failed.may_have_arrived());
      if (waits) std::this_thread::sleep_for(2s);
      call.proceed();
    }
  }};
  CHECK(error_after_first(&Shop::buy, with).why() == transport_failure::lost);
  CHECK(
      error_after_first(&Shop::buy, with, http("503 Later", "text/plain", "later")).why() ==
      transport_failure::lost);
  waits = true;
  with.call_timeout = 2s;
  const transport_error late = error_after_first(&Shop::buy, with);
  CHECK(late.why() == transport_failure::timeout);
  CHECK_THAT(late.what(), Catch::Contains("its time had passed"));
}

#if !defined(OVER_CURL)
TEST_CASE(
    "an attempt that ends in its handshake does not hide an earlier one", "[client][retry][tls]") {
  const identity self("localhost");
  std::atomic<bool> over{false};
  const scripted server(
      [&](connection& to) {
        to.read();
        to.close();
        while (!over)  // the next connection gets no response
          std::this_thread::sleep_for(1ms);
      },
      &self);
  soapsvc::client_options with = with_attempts(2);
  with.verify_certificate = false;
  with.call_timeout = 2s;
  const soapsvc::client<Shop> client(
      "https://127.0.0.1:" + std::to_string(server.port) + path, with);
  try {
    client.call(&Shop::look, {"x"});
    FAIL("somebody answered");
  } catch (const transport_error& error) {
    CHECK(error.why() == transport_failure::timeout);
    CHECK_THAT(error.what(), Catch::Contains("did not complete TLS"));
  }
  over = true;
}
#endif

#if defined(__cpp_lib_jthread)
TEST_CASE("a stop ends the wait before another attempt", "[client][retry]") {
  soapsvc::client_options with = with_attempts(5);
  with.retry.first_wait = with.retry.max_wait = 50s;
  std::stop_source source;
  with.on_call = [&](const soapsvc::call_report&) { source.request_stop(); };
  int port = 0;
  {
    const scripted gone([](connection&) {});
    port = gone.port;
  }
  const auto client = shop_of(port, with).with({.stop = source.get_token()});
  try {
    client.call(&Shop::look, {"x"});
    FAIL("somebody listens");
  } catch (const transport_error& error) {
    CHECK(error.why() == transport_failure::cancelled);
  }
}
#endif

// --- Reports of a call ---------------------------------------------------------------------------

TEST_CASE("on_message of a client gets no secrets", "[client][secret]") {
  Door door;
  soapsvc::dispatcher services({.ns_base = "urn:x"});
  services.add(door);
  std::vector<std::pair<std::string, std::string>> told;
  soapsvc::client_options with;
  with.on_message = [&](const soapsvc::message_report& report) {
    CHECK(report.operation == "Open");
    told.emplace_back(report.request, report.response);
    throw std::runtime_error("nobody takes this");
  };
  const soapsvc::client<Door> client(services, with);
  CHECK(client.call(&Door::open, {"plain", "hidden 1"}) == "hidden 4");
  CHECK_THROWS_AS(client.call(&Door::open, {"declared", "hidden 1"}), soapsvc::remote_fault);
  CHECK_THROWS_AS(client.call(&Door::open, {"other", "hidden 1"}), soapsvc::remote_fault);
  REQUIRE(told.size() == 3);
  for (const auto& [request, response] : told) {
    CHECK_THAT(request, Catch::Contains("<Password>***</Password>"));
    CHECK_THAT(request + response, !Catch::Contains("hidden"));
  }
  CHECK_THAT(told[0].first, Catch::Contains("<Name>plain</Name>"));
  CHECK_THAT(told[0].second, Catch::Contains("OpenResult>***</"));
  CHECK_THAT(told[1].second, Catch::Contains("<Code>5</Code>"));
  CHECK_THAT(told[2].second, Catch::Contains("<faultstring>no</faultstring>"));

  with.ns_base = "urn:x";
  const soapsvc::client<Door> of_a_page(
      [](const soapsvc::http_request&) {
        soapsvc::http_response page;
        page.body = "hidden & no XML";
        return page;
      },
      with);
  CHECK_THROWS_AS(of_a_page.call(&Door::open, {"x", "hidden 1"}), transport_error);
  CHECK(told.back().second == "(15 bytes)");
}

// --- Credentials ---------------------------------------------------------------------------------

namespace {

/// Records the Authorization of each request, and refuses those in `refused`.
struct doorman {
  std::string talk(const std::string& request) {
    const std::size_t at = request.find("\r\nAuthorization: ");
    const std::string from = at == request.npos ? "" : request.substr(at + 17);
    const std::lock_guard lock(mutex);
    seen.push_back(from.substr(0, from.find('\r')));
    return seen.back() == refused ? http("401 Unauthorized", "text/plain", "who?")
                                  : answer_to(request);
  }
  /// The values until now, which are refused from now on.
  std::vector<std::string> refuse(const std::string& next) {
    const std::lock_guard lock(mutex);
    refused = next;
    return std::exchange(seen, {});
  }
  std::mutex mutex;
  std::vector<std::string> seen;
  std::string refused;
};

}  // namespace

TEST_CASE("a bearer token is requested when it is needed", "[client][authorization]") {
  doorman at;
  const scripted server([&](connection& to) {
    for (std::string request = to.read(); !request.empty(); request = to.read())
      to.send(at.talk(request));
  });
  int asked = 0;
  std::chrono::hours valid{1};
  soapsvc::client_options with = options();
  with.max_idle_connections = 0;  // the server serves one connection at a time
  with.bearer = [&] {
    return soapsvc::bearer_token{
        "token-" + std::to_string(++asked), std::chrono::system_clock::now() + valid};
  };
  using list = std::vector<std::string>;
  const auto client = shop_of(server.port, with);
  client.call(&Shop::buy, {"x"});
  client.call(&Shop::buy, {"x"});
  // A refused token is not sent again; without a policy the caller gets the error.
  CHECK(at.refuse("Bearer token-1") == list{"Bearer token-1", "Bearer token-1"});
  try {
    client.call(&Shop::buy, {"x"});
    FAIL("let in");
  } catch (const transport_error& error) {
    CHECK(error.http_status() == 401);
    CHECK_THAT(error.what(), !Catch::Contains("token-1"));
  }
  valid = std::chrono::hours(-1);
  client.call(&Shop::buy, {"x"});
  client.call(&Shop::buy, {"x"});  // the last token had expired
  CHECK(at.refuse("Bearer token-4") == list{"Bearer token-1", "Bearer token-2", "Bearer token-3"});

  // With a policy, another attempt has another token, for every operation.
  valid = std::chrono::hours(1);
  with.retry = with_attempts(3).retry;
  shop_of(server.port, with).call(&Shop::buy, {"x"});
  CHECK(at.refuse("Basic eDp5") == list{"Bearer token-4", "Bearer token-5"});
  // A call with its own Authorization has no other one to try.
  CHECK_THROWS_AS(
      shop_of(server.port, with)
          .with({.headers = {{"Authorization", "Basic eDp5"}}})
          .call(&Shop::buy, {"x"}),
      transport_error);
  CHECK(at.refuse("") == list{"Basic eDp5"});
  with.bearer = [] { return soapsvc::bearer_token{"two\r\nlines"}; };
  CHECK_THROWS_WITH(
      shop_of(server.port, with).call(&Shop::buy, {"x"}), Catch::Contains("returned no token"));
  CHECK_THROWS_WITH(
      soapsvc::client<Shop>("http://example.com/", with), Catch::Contains("needs an https://"));
  with.proxy = "http://proxy.example:3128";  // it would read the token
  CHECK_THROWS_WITH(
      soapsvc::client<Shop>("http://127.0.0.1/", with), Catch::Contains("needs an https://"));
}

TEST_CASE(
    "calls that wait for a token fail with it, and within their time", "[client][authorization]") {
  soapsvc::client_options with = options();
  std::atomic<int> asked{0}, begun{0};
  std::atomic<bool> over{false};
  with.bearer = [&]() -> soapsvc::bearer_token {
    ++asked;
    net::eventually([&] { return over.load(); }, 20s);
    throw std::runtime_error("no token today");
  };
  const auto client = shop_of(1, with);
  std::atomic<int> failed{0}, late{0};
  const auto ask = [&](const auto& by) {
    ++begun;
    try {
      by.call(&Shop::buy, {"x"});
    } catch (const transport_error& error) {
      late += error.why() == transport_failure::connect;
    } catch (const std::runtime_error& error) {
      failed += std::string_view(error.what()) == "no token today";
    }
  };
  std::vector<std::thread> all;
  all.emplace_back([&] { ask(client); });
  CHECK(net::eventually([&] { return asked == 1; }));
  for (int number = 0; number != 5; ++number)
    all.emplace_back([&] { ask(client); });
  CHECK(net::eventually([&] { return begun == 6; }));
  ask(client.with({.timeout = 50ms}));  // returns while the token is still being made
  CHECK(late == 1);
  std::this_thread::sleep_for(300ms);  // there is no sign that the others wait for the same token
  over = true;
  for (std::thread& each : all)
    each.join();
  CHECK(failed == 6);
  CHECK(late == 1);
  CHECK(asked == 1);
}

TEST_CASE("a call without a token was not sent", "[client][authorization][retry]") {
  doorman at;
  const scripted server([&](connection& to) {
    for (std::string request = to.read(); !request.empty(); request = to.read())
      to.send(at.talk(request));
  });
  int asked = 0;
  soapsvc::client_options with = with_attempts(2);
  with.bearer = [&]() -> soapsvc::bearer_token {
    if (++asked == 1) throw transport_error("no token in time", transport_failure::timeout);
    return {"token"};
  };
  shop_of(server.port, with).call(&Shop::buy, {"x"});
  CHECK(asked == 2);
  CHECK(at.refuse("") == std::vector<std::string>{"Bearer token"});

  // So the second run of the call does not hide a request, either.
  with.retry.max_attempts = 1;
  with.interceptors = {[](soapsvc::outgoing_call& call) {
    CHECK_THROWS_WITH(call.proceed(), "no token in time");
    call.proceed();
  }};
  asked = 0;
  try {
    shop_of(1, with).call(&Shop::buy, {"x"});
    FAIL("nobody listens");
  } catch (const transport_error& failed) {
    CHECK(failed.why() == transport_failure::connect);
    CHECK_FALSE(failed.may_have_arrived());
  }
}

TEST_CASE("a token that a transport's error refuses is replaced", "[client][authorization]") {
  int asked = 0;
  soapsvc::client_options with = with_attempts(2);
  with.bearer = [&] { return soapsvc::bearer_token{"token-" + std::to_string(++asked)}; };
  std::vector<std::string> seen;
  const soapsvc::transport send = [&](const soapsvc::http_request& request) {
    seen.emplace_back(request.header("Authorization").value_or(""));
    if (seen.size() == 1) throw transport_error("who?", transport_failure::response, 401);
    soapsvc::http_response response;
    response.content_type = "text/xml";
    response.body = echoed("x");
    return response;
  };
  CHECK(soapsvc::client<Shop>(send, with).call(&Shop::buy, {"x"}).value_or("") == "x");
  CHECK(seen == std::vector<std::string>{"Bearer token-1", "Bearer token-2"});
}

TEST_CASE("a request has one Authorization", "[client][authorization]") {
  doorman at;
  const scripted server([&](connection& to) {
    for (std::string request = to.read(); !request.empty(); request = to.read())
      to.send(at.talk(request));
  });
  soapsvc::client_options with = options();
  with.max_idle_connections = 0;
  with.bearer = [] { return soapsvc::bearer_token{"mine"}; };
  const auto client = shop_of(server.port, with);
  client.with({.headers = {{"Authorization", "Bearer other"}}}).call(&Shop::buy, {"x"});
  client.call(&Shop::buy, {"x"});
  CHECK(at.refuse("") == std::vector<std::string>{"Bearer other", "Bearer mine"});
  with.headers = {{"Authorization", "Bearer third"}};
  CHECK_THROWS_WITH(shop_of(1, with), Catch::Contains("more than one of bearer, digest"));
  with.headers.clear();
#if !defined(SOAPSVC_NO_OPENSSL)
  with.digest = {"ada", "secret"};
  CHECK_THROWS_WITH(shop_of(1, with), Catch::Contains("more than one of bearer, digest"));
#endif
}

TEST_CASE("a user and a password are one header", "[client][authorization]") {
  // RFC 7617, 2 and 2.1
  CHECK(
      soapsvc::basic_authorization("Aladdin", "open sesame") ==
      "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  CHECK(soapsvc::basic_authorization("test", "123\xC2\xA3") == "Basic dGVzdDoxMjPCow==");
  CHECK_THROWS_AS(soapsvc::basic_authorization("a:b", "c"), std::invalid_argument);
}

// --- Interceptors --------------------------------------------------------------------------------

namespace {

struct Tenant {
  std::string name;
};
/// The client's headers as an interceptor of the server has seen them.
struct seen_by_server {
  std::vector<std::string> traces, tenants;
  soapsvc::dispatcher_options options() {
    soapsvc::dispatcher_options made{.ns_base = "urn:x"};
    made.interceptors = {[this](soapsvc::intercepted_call& call) {
      const auto tenant = call.header_block<Tenant>();
      const std::lock_guard lock(mutex);
      traces.emplace_back(call.http().header("X-Trace").value_or("none"));
      tenants.push_back(tenant ? tenant->name : "none");
      call.proceed();
    }};
    return made;
  }
  std::mutex mutex;
};

class List {
public:
  std::vector<std::string> all(const Words& from) {
    return {from.text.value_or("none"), std::to_string(++calls)};
  }
  int calls = 0;
};
struct Halves {
  std::optional<std::string> first, second;
};
class Pair {
public:
  Halves halves() const { return {}; }
};
struct Lines {
  soapsvc::stream<std::string> lines;
};
class Uploads {
public:
  std::string upload(const Lines& from) { return from.lines.next().value_or("none"); }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Tenant> =
    record("Tenant", ns("urn:tenants"), field("Name", &Tenant::name, min_length(1)));
template <> inline constexpr auto soapsvc::schema<Lines> = record(field("Line", &Lines::lines));
template <>
inline constexpr auto soapsvc::schema<Uploads> =
    service("Uploads", operation("Upload", &Uploads::upload));
template <>
inline constexpr auto soapsvc::schema<List> = service("List", operation("All", &List::all));
template <>
inline constexpr auto soapsvc::schema<Halves> =
    record("Halves", field("First", &Halves::first), field("Second", &Halves::second));
template <>
inline constexpr auto soapsvc::schema<Pair> = service("Pair", operation("Halves", &Pair::halves));

TEST_CASE("interceptors of a client add headers and header blocks", "[client][interceptors]") {
  seen_by_server seen;
  Door door;
  soapsvc::dispatcher services(seen.options());
  services.add(door);
  std::vector<std::string> notes;
  soapsvc::client_options with;
  with.headers = {{"X-Trace", "of all"}};
  with.interceptors = {
      [&](soapsvc::outgoing_call& call) {
        notes.push_back(std::string(call.service()) + '.' + std::string(call.operation()));
        CHECK_FALSE(call.deprecated());
        CHECK_FALSE(call.idempotent());
        call.set_request_header("x-trace", "outer");
        call.proceed();
        notes.emplace_back("after");
      },
      [&](soapsvc::outgoing_call& call) {
        notes.emplace_back("inner");
        call.set_request_header("X-TRACE", "inner");
        call.add_header_block(Tenant{"a<b"});
        call.proceed();
      }};
  const soapsvc::client<Door> client(services, with);
  CHECK(client.call(&Door::open, {"x", "y"}) == "hidden 4");
  CHECK(notes == std::vector<std::string>{"Door.Open", "inner", "after"});
  const auto of_one = client.with({.headers = {{"X-Trace", "of one"}}});
  CHECK(of_one.call(&Door::open, {"x", "y"}) == "hidden 4");
  // Another client of the same dispatcher.
  CHECK(soapsvc::client<Door>(services).call(&Door::open, {"x", "y"}) == "hidden 4");
  CHECK(seen.traces == std::vector<std::string>{"inner", "inner", "none"});
  CHECK(seen.tenants == std::vector<std::string>{"a<b", "a<b", "none"});
}

TEST_CASE("a refused header block leaves nothing behind", "[client][interceptors]") {
  seen_by_server seen;
  Door door;
  soapsvc::dispatcher services(seen.options());
  services.add(door);
  soapsvc::client_options with;
  with.interceptors = {[](soapsvc::outgoing_call& call) {
    CHECK_THROWS_AS(call.add_header_block(Tenant{}), std::invalid_argument);
    call.add_header_block(Tenant{"acme"});
    for (int time = 0; time != 20; ++time)  // a longer text is at another place in memory
      CHECK_THROWS_AS(call.add_header_block(Tenant{}), std::invalid_argument);
    call.proceed();
  }};
  CHECK(soapsvc::client<Door>(services, with).call(&Door::open, {"x", "y"}) == "hidden 4");
  CHECK(seen.tenants == std::vector<std::string>{"acme"});
}

TEST_CASE("an interceptor that runs again adds its header block once", "[client][interceptors]") {
  Door door;
  soapsvc::dispatcher services({.ns_base = "urn:x"});
  services.add(door);
  std::vector<std::string> bodies;
  soapsvc::client_options with{.ns_base = "urn:x"};
  with.interceptors = {
      [](soapsvc::outgoing_call& call) {
        call.add_header_block(Tenant{"outer"});
        call.proceed();
        call.proceed();
      },
      [](soapsvc::outgoing_call& call) {
        call.add_header_block(Tenant{"inner"});
        call.proceed();
      }};
  const soapsvc::client<Door> client(
      [&](soapsvc::http_request request) {
        bodies.emplace_back(request.body);
        request.target = "/soap/v3/Door.asmx";
        return services.handle(request);
      },
      with);
  CHECK(client.call(&Door::open, {"x", "y"}) == "hidden 4");
  REQUIRE(bodies.size() == 2);
  CHECK(bodies[0] == bodies[1]);
  const std::size_t outer = bodies[0].find(">outer<");
  const std::size_t inner = bodies[0].find(">inner<");
  CHECK(outer < inner);
  CHECK(inner < bodies[0].find("Body"));
}

TEST_CASE(
    "interceptors run concurrently for calls of several threads",
    "[client][interceptors][threads]") {
  seen_by_server seen;
  Door door;
  soapsvc::dispatcher services(seen.options());
  services.add(door);
  std::atomic<int> next{0};
  soapsvc::client_options with;
  with.interceptors = {[&](soapsvc::outgoing_call& call) {
    const std::string name = std::to_string(next++);
    call.add_header_block(Tenant{name});
    call.set_request_header("X-Trace", name);
    call.proceed();
  }};
  const soapsvc::client<Door> client(services, with);
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([&] {
      for (int call = 0; call != 50; ++call)
        client.call(&Door::open, {"x", "y"});
    });
  for (std::thread& each : threads)
    each.join();
  CHECK(seen.traces == seen.tenants);
  CHECK(std::set<std::string>(seen.traces.begin(), seen.traces.end()).size() == 200);
}

TEST_CASE(
    "a repeated call keeps nothing of a response that was refused", "[client][interceptors]") {
  const auto respond = [](const std::string& halves) {
    return http(
        "200 OK",
        "text/xml",
        soap(
            "<e:Body><HalvesResponse xmlns=\"http://example.com/soap/Pair\"><HalvesResult>" +
            halves + "</HalvesResult></HalvesResponse></e:Body>"));
  };
  int requests = 0;
  const scripted server([&](connection& to) {
    while (!to.read().empty())
      to.send(respond(++requests == 1 ? "<First>old</First><bad/>" : "<Second>new</Second>"));
  });
  soapsvc::client_options with = options();
  with.unknown_elements = soapsvc::unknown_elements::refuse;
  with.interceptors = {[](soapsvc::outgoing_call& call) {
    CHECK_THROWS_AS(call.proceed(), transport_error);
    call.proceed();
  }};
  const soapsvc::client<Pair> client("http://127.0.0.1:" + std::to_string(server.port) + "/", with);
  const Halves halves = client.call(&Pair::halves);
  CHECK(halves.first == std::nullopt);
  CHECK(halves.second == "new");
}

TEST_CASE("an interceptor of a client can repeat a call", "[client][interceptors][retry]") {
  std::atomic<int> requests{0};
  const scripted server([&](connection& to) {
    while (!to.read().empty()) {
      // First a list that is invalid after its first item.
      const std::string items =
          ++requests == 1 ? "<string>old</string><bad/>" : "<string>new</string>";
      to.send(http(
          "200 OK",
          "text/xml",
          soap(
              "<e:Body><AllResponse xmlns=\"http://example.com/soap/List\"><AllResult>" + items +
              "</AllResult></AllResponse></e:Body>")));
    }
  });
  soapsvc::client_options with = options();
  with.unknown_elements = soapsvc::unknown_elements::refuse;
  int reports = 0;
  with.on_call = [&](const soapsvc::call_report&) { ++reports; };
  with.interceptors = {[](soapsvc::outgoing_call& call) {
    try {
      call.proceed();
    } catch (const transport_error& failed) {
      CHECK(failed.why() == transport_failure::response);
      call.proceed();
    }
  }};
  const soapsvc::client<List> client("http://127.0.0.1:" + std::to_string(server.port) + "/", with);
  CHECK(client.call(&List::all, {"x"}) == std::vector<std::string>{"new"});
  CHECK(requests == 2);
  CHECK(reports == 2);

  // After a result as well: the last result counts.
  List list;
  soapsvc::dispatcher services({.ns_base = "urn:x"});
  services.add(list);
  with.interceptors = {[](soapsvc::outgoing_call& call) {
    call.proceed();
    call.proceed();
  }};
  CHECK(
      soapsvc::client<List>(services, with).call(&List::all, {"x"}) ==
      std::vector<std::string>{"x", "2"});

  Uploads uploads;
  services.add(uploads);
  CHECK_THROWS_WITH(
      soapsvc::client<Uploads>(services, with).call(&Uploads::upload, {[] {
        return std::optional<std::string>();
      }}),
      Catch::Contains("called proceed() again"));
}

TEST_CASE("mistakes of a client's interceptor are reported", "[client][interceptors]") {
  seen_by_server seen;
  Door door;
  soapsvc::dispatcher services(seen.options());
  services.add(door);
  soapsvc::client_options with;
  const auto call_by = [&](soapsvc::client_interceptor by) {
    with.interceptors = {std::move(by)};
    soapsvc::client<Door>(services, with).call(&Door::open, {"x", "y"});
  };
  using call = soapsvc::outgoing_call;
  CHECK_THROWS_WITH(
      call_by([](call& to) { to.set_request_header("X-A", "1\r\nX-B: 2"); }),
      Catch::Contains("set_request_header: 'X-A' is no field's name"));
  CHECK_THROWS_WITH(
      call_by([](call& to) { to.set_request_header("Content-Length", "0"); }),
      Catch::Contains("the library writes Content-Length itself"));
  CHECK_THROWS_AS(call_by([](call& to) { to.add_header_block(Tenant{}); }), std::invalid_argument);
  CHECK_THROWS_WITH(call_by([](call&) {}), Catch::Contains("returned without a result"));
  CHECK_THROWS_WITH(call_by([](call&) { throw std::runtime_error("not today"); }), "not today");
  CHECK_THROWS_WITH(call_by({}), Catch::Contains("an interceptor is an empty function"));
  CHECK_THROWS_AS(
      call_by([](call& to) {
        try {
          to.proceed();
          throw std::runtime_error("never thrown twice");
        } catch (const std::runtime_error&) {
        }
        throw soapsvc::fault(soapsvc::fault_code::client, "mine");
      }),
      soapsvc::fault);
  CHECK(seen.traces.size() == 1);  // the others sent nothing
}

// --- A transport of the program's ----------------------------------------------------------------

namespace {

class Flow {
public:
  std::int32_t send(const Lines& from) {
    std::int32_t count = 0;
    while (from.lines.next())
      ++count;
    return count;
  }
  soapsvc::stream<std::string> receive(const Words&) { return lines(10'000); }
  static soapsvc::stream<std::string> lines(int count) {
    return [left = count]() mutable {
      return left-- > 0 ? std::optional(std::string(100, 'x')) : std::nullopt;
    };
  }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Flow> =
    service("Flow", operation("Send", &Flow::send), operation("Receive", &Flow::receive));

namespace {

/// Sends to a dispatcher, and records the arguments of the transport.
struct carrier_in_pieces {
  soapsvc::http_response operator()(
      const soapsvc::http_request& request, const soapsvc::transport_call& call) {
    timeout = call.timeout;
    std::string body(request.body);
    sent = 0;
    for (bool goes_on = static_cast<bool>(call.next_chunk); goes_on; ++sent)
      goes_on = call.next_chunk(body);
    soapsvc::http_request whole = request;
    whole.target = "/soap/v3/Flow.asmx";
    whole.body = body;
    whole.accepts_chunks = call.accepts_chunks;
    if (before) before(call);
    soapsvc::http_response response = services.handle(whole);
    if (!response.next_chunk) return response;
    response.next_chunk = [this, next = std::move(response.next_chunk)](std::string& to) {
      if (++received == breaks_at) throw transport_error("broken", transport_failure::lost);
      return next(to);
    };
    return response;
  }
  Flow flow;
  soapsvc::dispatcher services{{.ns_base = "urn:x"}};
  std::function<void(const soapsvc::transport_call&)> before;
  std::chrono::milliseconds timeout{};
  int sent = 0, received = 0, breaks_at = -1;
};

}  // namespace

TEST_CASE("a transport sends and receives streams in pieces", "[client][transport][streams]") {
  carrier_in_pieces carrier;
  carrier.services.add(carrier.flow);
  const soapsvc::client_options with{.ns_base = "urn:x"};
  const soapsvc::client<Flow> client(soapsvc::piece_transport(std::ref(carrier)), with);
  CHECK(client.call(&Flow::send, {Flow::lines(10'000)}) == 10'000);
  CHECK(carrier.sent > 5);
  CHECK(client.call(&Flow::send, {Flow::lines(1)}) == 1);
  const auto lines = client.call(&Flow::receive, {"x"});
  CHECK(lines.next());
  const int received = carrier.received;
  int count = 1;
  while (lines.next())
    ++count;
  CHECK(count == 10'000);
  CHECK(carrier.received > received + 5);

  // A broken stream is not taken for its end.
  carrier.received = 0;
  carrier.breaks_at = 8;
  const auto broken = client.call(&Flow::receive, {"x"});
  CHECK_THROWS_WITH(
      [&] {
        while (broken.next()) {
        }
      }(),
      "broken");
  const auto fail = []() -> std::optional<std::string> {
    throw std::runtime_error("no more lines");
  };
  CHECK_THROWS_WITH(client.call(&Flow::send, {fail}), "no more lines");

  // A transport without pieces has whole messages.
  const soapsvc::client<Flow> whole(
      [&](soapsvc::http_request request) {
        request.target = "/soap/v3/Flow.asmx";
        CHECK_FALSE(request.accepts_chunks);
        return carrier.services.handle(request);
      },
      with);
  CHECK(whole.call(&Flow::send, {Flow::lines(10'000)}) == 10'000);
  CHECK_THROWS_WITH(
      soapsvc::client<Flow>(soapsvc::piece_transport(), with), Catch::Contains("empty function"));
}

TEST_CASE(
    "a client skips what follows the list in a response that it reads in pieces",
    "[client][streams][transport]") {
  const soapsvc::client_options with{.ns_base = "urn:x"};
  for (const std::string soap_ns :
       {"http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"})
    for (const std::string more : {"<More>1</More>", "<More xmlns=''>1</More>"}) {
      INFO(soap_ns << ' ' << more);
      const soapsvc::piece_transport answers = [&](const soapsvc::http_request&,
                                                   const soapsvc::transport_call&) {
        soapsvc::http_response response;
        response.next_chunk = [&](std::string& to) {
          to += "<e:Envelope xmlns:e='" + soap_ns +
                "'><e:Body><ReceiveResponse xmlns='urn:x/Flow'>"
                "<ReceiveResult><string>a</string></ReceiveResult>" +
                more + "</ReceiveResponse></e:Body></e:Envelope>";
          return false;
        };
        return response;
      };
      const soapsvc::client<Flow> client(answers, with);
      const auto lines = client.call(&Flow::receive, {"x"});
      CHECK(lines.next() == "a");
      CHECK_FALSE(lines.next());
    }
}

TEST_CASE("a client can refuse unknown elements beside a list", "[client][streams]") {
  soapsvc::client_options with{.ns_base = "urn:x"};
  with.unknown_elements = soapsvc::unknown_elements::refuse;
  const auto response = [](const std::string& name, const std::string& inside) {
    return "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><" + name +
           inside + "</e:Body></e:Envelope>";
  };
  const std::string more = "<More>1</More>", other = "<o:More xmlns:o='urn:o'>1</o:More>";
  const auto streamed = [&](const std::string& before, const std::string& behind) {
    const soapsvc::piece_transport answers = [&](const soapsvc::http_request&,
                                                 const soapsvc::transport_call&) {
      soapsvc::http_response made;
      made.next_chunk = [&](std::string& to) {
        to += response(
            "ReceiveResponse xmlns='urn:x/Flow'>",
            before + "<ReceiveResult><string>a</string></ReceiveResult>" + behind +
                "</ReceiveResponse>");
        return false;
      };
      return made;
    };
    const soapsvc::client<Flow> client(answers, with);
    const auto lines = client.call(&Flow::receive, {"x"});
    int count = 0;
    while (lines.next())
      ++count;
    return count;
  };
  const auto whole = [&](const std::string& before, const std::string& behind) {
    const soapsvc::transport answers = [&](const soapsvc::http_request&) {
      soapsvc::http_response made;
      made.content_type = "text/xml";
      made.body = response(
          "AllResponse xmlns='urn:x/List'>",
          before + "<AllResult><string>a</string></AllResult>" + behind + "</AllResponse>");
      return made;
    };
    return soapsvc::client<List>(answers, with).call(&List::all, {"x"}).size();
  };
  CHECK(streamed(other, other) == 1);
  CHECK_THROWS_AS(streamed(more, ""), transport_error);
  CHECK_THROWS_AS(streamed("", more), transport_error);
  CHECK_THROWS_AS(streamed("", "<ReceiveResult/>"), transport_error);
  CHECK(whole(other, other) == 1);
  CHECK_THROWS_AS(whole(more, ""), transport_error);
  CHECK_THROWS_AS(whole("", more), transport_error);
  CHECK_THROWS_AS(whole("", "<AllResult/>"), transport_error);
}

TEST_CASE("on_message gets the size of a streamed response, a fault as text", "[client][streams]") {
  std::string told;
  std::size_t bytes = 0;
  soapsvc::client_options with{.ns_base = "urn:x"};
  with.on_message = [&](const soapsvc::message_report& report) { told = report.response; };
  with.on_call = [&](const soapsvc::call_report& report) { bytes = report.bytes_in; };
  const std::string refusal = soap(
      "<e:Body><e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring>"
      "</e:Fault></e:Body>");
  const soapsvc::piece_transport refuses = [&](const soapsvc::http_request&,
                                               const soapsvc::transport_call& call) {
    CHECK(call.accepts_chunks);
    soapsvc::http_response response;
    response.status = 500;
    response.next_chunk = [&](std::string& to) {
      to += refusal;
      return false;
    };
    return response;
  };
  CHECK_THROWS_AS(
      soapsvc::client<Flow>(refuses, with).call(&Flow::receive, {"x"}), soapsvc::remote_fault);
  CHECK_THAT(told, Catch::Contains("<faultstring>no</faultstring>"));
  CHECK(bytes == refusal.size());

  carrier_in_pieces carrier;
  carrier.services.add(carrier.flow);
  const soapsvc::client<Flow> client(soapsvc::piece_transport(std::ref(carrier)), with);
  CHECK(client.call(&Flow::receive, {"x"}).next());
  CHECK_THAT(told, Catch::EndsWith(" bytes)"));
  CHECK(bytes > 0);
}

TEST_CASE("a transport gets the time of a call and its stop", "[client][transport][timeout]") {
  carrier_in_pieces carrier;
  carrier.services.add(carrier.flow);
  soapsvc::client_options with{.ns_base = "urn:x"};
  with.retry.first_wait = 30ms;
  with.retry.max_wait = 30ms;
  with.retry.max_attempts = 2;
  const soapsvc::client<Flow> client(soapsvc::piece_transport(std::ref(carrier)), with);
  const auto is_nearly = [&](std::chrono::milliseconds most) {
    return carrier.timeout <= most && carrier.timeout > most / 2;
  };
  client.call(&Flow::send, {});
  CHECK(is_nearly(120s));
  client.with({.timeout = 50s}).call(&Flow::send, {});
  CHECK(is_nearly(50s));
  const auto now = std::chrono::steady_clock::now();
  client.with({.timeout = 50s, .deadline = now + 1h}).call(&Flow::send, {});
  CHECK(is_nearly(50s));
  const auto until = client.with({.deadline = now + 60s});
  until.call(&Flow::send, {});
  const auto first = carrier.timeout;
  CHECK(first <= 60s);
  std::this_thread::sleep_for(5ms);
  until.call_async(&Flow::send, {}).get();
  CHECK(carrier.timeout < first);
  for (const auto past : {now, std::chrono::steady_clock::time_point::min()}) {
    const auto late = client.with({.deadline = past});
    CHECK_THROWS_WITH(
        late.call(&Flow::send, {}), Catch::Contains("was not called: its time had passed before"));
    CHECK_THROWS_WITH(
        late.call_async(&Flow::send, {}).get(),
        Catch::Contains("was not called: its time had passed"));
  }
  // The time of an attempt, and of the wait after it, is subtracted from the next timeout.
  int attempts = 0;
  carrier.before = [&](const soapsvc::transport_call&) {
    if (++attempts == 1) throw transport_error("not now", transport_failure::connect);
  };
  client.with({.timeout = 10s}).call(&Flow::receive, {"x"});
  CHECK(attempts == 2);
  CHECK(carrier.timeout < 9'990ms);
#if defined(__cpp_lib_jthread)
  std::stop_source source;
  carrier.before = [&](const soapsvc::transport_call& call) {
    CHECK_FALSE(call.stop.stop_requested());
    source.request_stop();
    CHECK(call.stop.stop_requested());
    throw transport_error("stopped", transport_failure::cancelled);
  };
  CHECK_THROWS_WITH(
      client.with({.stop = source.get_token()}).call(&Flow::receive, {"x"}), "stopped");
#endif
}

// --- Digest --------------------------------------------------------------------------------------

#if !defined(OVER_CURL)
namespace {

/// A server that challenges, and records the responses.
struct challenger {
  std::string challenges =
      "WWW-Authenticate: Digest realm=\"desk\", qop=\"auth\", nonce=\"n1\"\r\n";
  const EVP_MD* kind = ::EVP_md5();
  std::string secret = "ada:desk:secret";
  std::string nonce = "n1";

  void talk(connection& to) {
    for (std::string request = to.read(); !request.empty(); request = to.read()) {
      const std::lock_guard lock(mutex);
      const std::size_t at = request.find("\r\nAuthorization: ");
      std::string given = at == request.npos ? "" : request.substr(at + 17);
      given = given.substr(0, given.find('\r'));
      seen.push_back(given);
      const bool good = given.starts_with("Digest ") && parameter_of(given, "nonce") == nonce &&
                        parameter_of(given, "response") == answer_of(kind, "POST", secret, given) &&
                        used.insert(nonce + parameter_of(given, "nc")).second;
      to.send(
          good ? answer_to(request) : http("401 Unauthorized", "text/plain", "who?", challenges));
    }
  }
  std::vector<std::string> seen;
  std::set<std::string> used;
  std::mutex mutex;
};

soapsvc::client_options as_ada() {
  soapsvc::client_options with = options();
  with.digest = {"ada", "secret"};
  with.max_idle_connections = 0;  // the server serves one connection at a time
  return with;
}

int status_of_call(const soapsvc::client<Shop>& client) {
  try {
    client.call(&Shop::buy, {"x"});
  } catch (const transport_error& error) {
    CHECK_THAT(error.what(), !Catch::Contains("secret"));
    return error.http_status();
  }
  return 200;
}

}  // namespace

TEST_CASE("the response to a Digest challenge is that of the RFC", "[client][authorization]") {
  // RFC 7616, 3.9.1
  const std::string given =
      "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", uri=\"/dir/index.html\", "
      "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", nc=00000001, "
      "cnonce=\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\", qop=auth";
  const std::string secret = "Mufasa:http-auth@example.org:Circle of Life";
  CHECK(answer_of(::EVP_md5(), "GET", secret, given) == "8ca523f5e9506fed4657c9700eebdbec");
  CHECK(
      answer_of(::EVP_sha256(), "GET", secret, given) ==
      "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1");

  const bool is_sha256 = GENERATE(false, true);
  challenger at;
  const std::string digest =
      "Digest realm=\"desk\", nonce=\"n1\", qop=\"auth-int,auth\", opaque=\"o\"";
  if (is_sha256) at.kind = ::EVP_sha256();
  // The first supported challenge is used, in one header or in several, among unknown schemes.
  at.challenges = is_sha256 ? "WWW-Authenticate: Negotiate, Basic realm=\"a, Digest b\", " +
                                  digest + ", algorithm=SHA-256, " + digest + ", algorithm=MD5\r\n"
                            : "WWW-Authenticate: NTLM abc==\r\nwww-authenticate: " + digest +
                                  ",algorithm=SHA-512-256\r\nWWW-Authenticate: " + digest + "\r\n";
  const scripted server([&](connection& to) { at.talk(to); });
  const auto client = shop_of(server.port, as_ada());
  for (int call = 0; call != 3; ++call)
    CHECK(client.call(&Shop::buy, {"x"}) == "x");
  REQUIRE(at.seen.size() == 4);
  CHECK(at.seen[0].empty());
  CHECK(parameter_of(at.seen[1], "nc") == "00000001");
  CHECK(parameter_of(at.seen[1], "opaque") == "o");
  CHECK(parameter_of(at.seen[1], "qop") == "auth");
  CHECK(parameter_of(at.seen[1], "uri") == path);
  CHECK(parameter_of(at.seen[3], "nc") == "00000003");
  CHECK(parameter_of(at.seen[1], "cnonce") != parameter_of(at.seen[3], "cnonce"));
}

TEST_CASE(
    "a stale nonce is replaced, and a wrong password is reported", "[client][authorization]") {
  challenger at;
  const scripted server([&](connection& to) { at.talk(to); });
  const auto client = shop_of(server.port, as_ada());
  CHECK(status_of_call(client) == 200);
  {
    const std::lock_guard lock(at.mutex);
    at.nonce = "n2";
    at.challenges = "WWW-Authenticate: Digest realm=\"desk\",qop=auth,nonce=n2,stale=TRUE\r\n";
  }
  CHECK(status_of_call(client) == 200);
  CHECK(at.seen.size() == 4);
  {
    const std::lock_guard lock(at.mutex);
    at.secret = "ada:desk:another";
    at.challenges = "WWW-Authenticate: Digest realm=\"desk\", qop=\"auth\", nonce=\"n3\"\r\n";
    at.seen.clear();
  }
  CHECK(status_of_call(client) == 401);
  CHECK(at.seen.size() == 1);  // with n2
  CHECK(status_of_call(client) == 401);
  CHECK(at.seen.size() == 3);  // without, and with n3
  // Every nonce is stale: no call is sent more than twice.
  at.challenges = "WWW-Authenticate: Digest realm=\"desk\",qop=auth,nonce=n4,stale=true\r\n";
  CHECK(status_of_call(client) == 401);
  CHECK(status_of_call(client) == 401);
  CHECK(at.seen.size() == 7);
  // The first attempt, and a client without a user.
  at.seen.clear();
  soapsvc::client_options nobody = options();
  CHECK(status_of_call(shop_of(server.port, nobody)) == 401);
  CHECK(at.seen.size() == 1);
  nobody.digest = {"a:b", "c"};
  CHECK_THROWS_WITH(shop_of(1, nobody), Catch::Contains("digest.name holds a colon"));
}

TEST_CASE("an unsupported challenge is not answered", "[client][authorization][hostile]") {
  challenger at;
  const scripted server([&](connection& to) { at.talk(to); });
  const std::string good = "Digest realm=\"desk\", qop=\"auth\", nonce=\"n1\"";
  for (const std::string& challenge : std::vector<std::string>{
           "",
           "Digest",
           "Digest realm",
           "Digest ,,,===\"\"\"",
           "Basic realm=\"desk\", qop=auth, nonce=n1",
           "Digest qop=auth, nonce=n1",
           "Digest realm=desk, nonce=n1",
           "Digest realm=desk, qop=auth",
           "Digest realm=desk, qop=auth, nonce=\"\"",
           "Digest realm=desk, qop=auth-int, nonce=n1",
           "Digest realm=desk, qop=authentic, nonce=n1",
           good + ", algorithm=MD5-sess",
           good + ", algorithm=SHA-512-256",
           good + ", algorithm=md4",
           good + ", nonce=\"n2\"",
           good + ", realm=\"desk\"",
           good + ", algorithm=MD5, algorithm=SHA-256",
           "Digest realm=\"desk, qop=\"auth\", nonce=\"n1\"",
           "Digest realm=desk, qop=auth, nonce=\"" + std::string(5'000, 'n') + "\"",
           std::string(20'000, ',') + std::string(20'000, '='),
           std::string(30'000, '"')}) {
    INFO(challenge.substr(0, 100));
    at.challenges = "WWW-Authenticate: " + challenge + "\r\n";
    at.seen.clear();
    CHECK(status_of_call(shop_of(server.port, as_ada())) == 401);
    CHECK(at.seen.size() == 1);
  }
  // The server's values are returned in quotes, and cannot begin another parameter.
  at.challenges = "WWW-Authenticate: Digest realm=\"a\\\"b\\\\\", qop=auth, nonce=\"n1\"\r\n";
  at.secret = "ada:a\"b\\:secret";
  at.seen.clear();
  CHECK(status_of_call(shop_of(server.port, as_ada())) == 200);
  CHECK_THAT(at.seen.back(), Catch::Contains("realm=\"a\\\"b\\\\\", uri"));
}

TEST_CASE("a challenged request has left the program", "[client][authorization][retry]") {
  const std::string refusal = http(
      "401 Unauthorized",
      "text/plain",
      "who?",
      "WWW-Authenticate: Digest realm=\"desk\", qop=\"auth\", nonce=\"n1\"\r\n");
  CHECK(error_after_first(&Shop::buy, as_ada(), refusal).why() == transport_failure::lost);
}

TEST_CASE(
    "a challenge of a request with a stream is used by the next call", "[client][authorization]") {
  std::vector<std::string> seen;
  {
    const scripted server([&](connection& to) {
      std::string got;
      char bytes[65'536];
      while (!got.ends_with("0\r\n\r\n")) {
        const ssize_t size = ::recv(to.fd(), bytes, sizeof bytes, 0);
        if (size <= 0) return;
        got.append(bytes, static_cast<std::size_t>(size));
      }
      const std::size_t at = got.find("\r\nAuthorization: ");
      seen.push_back(at == got.npos ? "" : got.substr(at + 17, got.find('\r', at + 17) - at - 17));
      to.send(
          seen.back().empty()
              ? http("401 Unauthorized", "text/plain", "who?", challenger().challenges)
              : http(
                    "200 OK",
                    "text/xml",
                    soap("<e:Body><SendResponse xmlns=\"http://example.com/soap/Flow\">"
                         "<SendResult>7</SendResult></SendResponse></e:Body>")));
    });
    const soapsvc::client<Flow> client(
        "http://127.0.0.1:" + std::to_string(server.port) + "/", as_ada());
    CHECK_THROWS_AS(client.call(&Flow::send, {Flow::lines(10'000)}), transport_error);
    CHECK(client.call(&Flow::send, {Flow::lines(10'000)}) == 7);
  }
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].empty());
  CHECK(parameter_of(seen[1], "nc") == "00000001");
}

TEST_CASE("threads that are challenged at once count their requests", "[client][authorization]") {
  challenger at;
  const scripted server([&](connection& to) { at.talk(to); });
  const auto client = shop_of(server.port, as_ada());
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([&] {
      for (int call = 0; call != 10; ++call)
        good += client.call(&Shop::buy, {"x"}) == "x";
    });
  for (std::thread& each : threads)
    each.join();
  CHECK(good == 40);
}
#endif
