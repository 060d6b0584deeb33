// [client] from many threads: idle connections, their number and age, and TLS for all of them.
#include <catch2/catch.hpp>
#include <mutex>
#include <set>

#include "scripted.hpp"

namespace {

using namespace net;

/// Runs `work(number)` in a number of threads, and waits for all of them.
template <class Work> void in_threads(int count, Work work) {
  std::vector<std::thread> all;
  for (int number = 0; number != count; ++number)
    all.emplace_back([&work, number] { work(number); });
  for (std::thread& each : all)
    each.join();
}

}  // namespace

TEST_CASE("many threads call over one client", "[client][sockets][threads]") {
  server at;
  soapsvc::client_options with = options();
  with.max_idle_connections = 3;
  std::atomic<int> responses{0}, wrong{0};
  with.on_response = [&](const soapsvc::http_response& each) { responses += each.status == 200; };
  const auto client = client_of(at.port, with);
  in_threads(64, [&](int number) {
    for (int turn = 0; turn != 10; ++turn) {
      const std::string text = std::to_string(number) + ' ' + std::to_string(turn);
      const auto own = client.with({.headers = {{"X-Call", text}}});
      if (echo_by(own, text) != text) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(responses == 640);
  CHECK(at.desk.calls == 640);
  // The number of idle connections at the end is within the maximum.
  CHECK(eventually([&] { return at.host.statistics().connections == 3; }));
}

TEST_CASE("threads that call in turn share a connection", "[client][keep-alive]") {
  server at;
  const auto client = client_of(at.port);
  for (int turn = 0; turn != 5; ++turn)
    in_threads(1, [&](int) { echo_by(client); });
  CHECK(at.host.statistics().accepted == 1);
}

TEST_CASE("no idle connection is kept for a client that keeps none", "[client][keep-alive]") {
  server at;
  soapsvc::client_options with = options();
  with.max_idle_connections = 0;
  const auto client = client_of(at.port, with);
  for (int turn = 0; turn != 3; ++turn)
    CHECK(echo_by(client) == "hi");
  CHECK(at.host.statistics().accepted == 3);
}

TEST_CASE("a connection that was idle for too long is not used", "[client][keep-alive]") {
  server at;
  soapsvc::client_options with = options();
  with.max_idle_age = 10ms;
  const auto client = client_of(at.port, with);
  for (int turn = 0; turn != 3; ++turn) {
    CHECK(echo_by(client) == "hi");
    std::this_thread::sleep_for(20ms);
  }
  CHECK(at.host.statistics().accepted == 3);
  with.max_idle_age = -1ms;
  CHECK_THROWS_WITH(client_of(at.port, with), Catch::Contains("max_idle_age is -1"));
}

TEST_CASE("idle connections that the server has closed are skipped", "[client][keep-alive]") {
  net::host_setup closing = quick_options();
  closing.server.timeouts.idle = 50ms;
  server at(closing);
  const auto client = client_of(at.port);
  for (int turn = 0; turn != 2; ++turn) {
    in_threads(8, [&](int) { client.call(&Desk::slow, {20}); });
    CHECK(eventually([&] { return at.host.statistics().connections == 0; }));
  }
  CHECK(at.desk.calls == 16);
}

TEST_CASE("a short handshake follows a long one", "[client][tls]") {
  const int newest = GENERATE(TLS1_3_VERSION, TLS1_2_VERSION);
  const identity self("127.0.0.1");
  const scratch_folder folder;
  self.write(folder.file("self.pem"));
  std::atomic<int> resumed{0};
  const scripted server(
      [&](connection& to) {
        resumed += ::SSL_session_reused(to.tls());
        to.read();
        to.send(http("200 OK", "text/xml", echoed("x"), "Connection: close\r\n"));
      },
      &self,
      newest);
  soapsvc::client_options with = options();
  with.ca_file = folder.file("self.pem");
  const auto client = client_of(server.port, with, "https");
  for (int turn = 0; turn != 4; ++turn)
    CHECK(echo_by(client) == "x");
  CHECK(server.accepted == 4);
  CHECK(resumed == 3);
  client.reload_certificates();  // and does not trust servers of the old authorities
  CHECK(echo_by(client) == "x");
  CHECK(resumed == 3);
}

TEST_CASE("a client ends TLS with close_notify", "[client][tls]") {
  const identity self("127.0.0.1");
  const scratch_folder folder;
  self.write(folder.file("self.pem"));
  std::atomic<int> ended{0};
  {
    const scripted server(
        [&](connection& to) {
          to.read();
          to.send(good("x"));
          to.wait_for_end();
          ended += (::SSL_get_shutdown(to.tls()) & SSL_RECEIVED_SHUTDOWN) != 0;
        },
        &self);
    soapsvc::client_options with = options();
    with.ca_file = folder.file("self.pem");
    CHECK(echo_by(client_of(server.port, with, "https")) == "x");
  }  // the script has ended
  CHECK(ended == 1);
}

TEST_CASE(
    "certificates are read once, and again by reload_certificates", "[client][tls][certificate]") {
  secure_host at("127.0.0.1");
  const identity other("127.0.0.1");
  const std::string file = at.folder.file("authorities.pem");
  at.self.write(file);
  at.trusting.ca_file = file;
  const auto client = client_of(at.served->port, at.trusting, "https");
  CHECK(echo_by(client) == "hi");
  CHECK(echo_by(client) == "hi");
  CHECK(at.served->host.statistics().accepted == 1);

  other.write(file);
  in_threads(
      4, [&](int) { client.call(&Desk::slow, {10}); });  // new connections, the old authorities
  client.reload_certificates();
  auto wary = client;
  CHECK_THAT(error_of(wary, transport_failure::tls).what(), Catch::Contains("cannot be trusted"));

  std::filesystem::remove(file);
  try {
    client.reload_certificates();
    FAIL("read without a file");
  } catch (const transport_error& missing) {
    CHECK(missing.why() == transport_failure::address);
    CHECK_THAT(missing.what(), Catch::Contains(file));
  }
  error_of(wary, transport_failure::tls);
  at.self.write(file);
  client.reload_certificates();
  CHECK(echo_by(client) == "hi");
}

// --- Calls that nobody waits for yet -------------------------------------------------------------

namespace {

soapsvc::client_options with_threads(std::size_t most) {
  soapsvc::client_options with = options();
  with.max_async_threads = most;
  return with;
}

/// True if a call has ended with this failure.
template <class Result>
bool failed(const soapsvc::async_call<Result>& call, transport_failure why) {
  try {
    call.get();
  } catch (const transport_error& error) {
    UNSCOPED_INFO(error.what());
    return error.why() == why;
  }
  return false;
}

}  // namespace

TEST_CASE("a thousand asynchronous calls use a bounded number of threads", "[client][async]") {
  server at;
  soapsvc::client_options with = with_threads(4);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  with.on_response = [&](const soapsvc::http_response&) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  };
  const auto client = client_of(at.port, with);
  std::vector<soapsvc::async_call<std::optional<std::string>>> calls;
  for (int number = 0; number != 1'000; ++number)
    calls.push_back(client.call_async(&Desk::echo, {std::to_string(number)}));
  int right = 0;
  for (int number = 0; number != 1'000; ++number)
    right += calls[static_cast<std::size_t>(number)].get() == std::to_string(number);
  CHECK(right == 1'000);
  CHECK(threads.size() <= 4);
  CHECK(threads.count(std::this_thread::get_id()) == 0);
  CHECK(at.host.statistics().accepted <= 4);
}

TEST_CASE("an asynchronous call has the result of a call", "[client][async]") {
  server at;
  const auto client = client_of(at.port);
  CHECK(client.call_async(&Desk::slow, {1}).get() == 1);
  CHECK_THAT(client.call_async(&Desk::about).get(), Catch::StartsWith("127.0.0.1"));
  client.call_async(&Desk::pause, {1}).get();
  CHECK_THROWS_AS(client.call_async(&Desk::fail, {"x"}).get(), soapsvc::remote_fault);
  CHECK_THROWS_AS(client.call_async(&Desk::open).get(), std::invalid_argument);

  const auto held = client.call_async(&Desk::hold);
  CHECK_FALSE(held.wait_for(1ms));
  CHECK_FALSE(held.wait_for(-1ms));
  at.desk.open();
  CHECK(held.wait_for(std::chrono::milliseconds::max()));
  held.get();
  // Also a large negative time, which would overflow as nanoseconds.
  const auto busy = client.call_async(&Desk::slow, {2'000});
  CHECK_FALSE(busy.wait_for(std::chrono::milliseconds::min()));
  CHECK_FALSE(busy.wait_for(std::chrono::milliseconds(-10'000'000'000'000)));

  soapsvc::dispatcher services(quick_options());
  services.add(at.desk);
  const soapsvc::client<Desk> direct(services, options());
  CHECK(direct.call_async(&Desk::echo, {"in process"}).get() == "in process");
}

TEST_CASE("on_complete is called once, on a thread of the client", "[client][async]") {
  server at;
  const auto client = client_of(at.port);
  std::atomic<int> told{0};
  std::promise<std::thread::id> by;
  const auto held = client.call_async(&Desk::hold);
  held.on_complete([&](const soapsvc::async_call<void>& ended) {
    ended.get();
    ++told;
    by.set_value(std::this_thread::get_id());
    throw std::runtime_error("nobody takes this");
  });
  at.desk.open();
  CHECK(by.get_future().get() != std::this_thread::get_id());
  held.get();
  // For a call that has ended, the callback runs at once, here.
  std::thread::id at_once;
  held.on_complete([&](const auto&) { at_once = std::this_thread::get_id(); });
  CHECK(at_once == std::this_thread::get_id());
  CHECK(told == 1);
  CHECK(echo_by(client) == "hi");
}

TEST_CASE("a call without a handle goes on", "[client][async]") {
  server at;
  const auto client = client_of(at.port);
  client.call_async(&Desk::echo, {"dropped"});
  CHECK(eventually([&] { return at.desk.calls == 1; }));
}

TEST_CASE("a call that waits for a thread ends by cancel or timeout", "[client][async]") {
  server at;
  const auto client = client_of(at.port, with_threads(1));
  const auto held = client.call_async(&Desk::hold);
  const auto next = client.call_async(&Desk::echo, {"never"});
  const auto late = client.with({.timeout = 1ms}).call_async(&Desk::echo, {"never"});
  CHECK(eventually([&] { return at.desk.held == 1; }));
  next.cancel();
  next.cancel();
  CHECK(next.wait_for(0ms));
  CHECK(failed(next, transport_failure::cancelled));
  CHECK_FALSE(held.wait_for(0ms));
  at.desk.open();
  held.get();
  CHECK(failed(late, transport_failure::connect));
  CHECK(echo_by(client) == "hi");
  CHECK(at.desk.calls == 2);
}

TEST_CASE("a call that waits for a thread ends at its timeout", "[client][async]") {
  server at;
  const auto client = client_of(at.port, with_threads(1));
  const auto held = client.call_async(&Desk::hold);
  CHECK(eventually([&] { return at.desk.held == 1; }));
  std::atomic<int> told{0};
  const auto hasty = client.with({.timeout = 50ms});
  const auto late = hasty.call_async(&Desk::echo, {"never"});
  late.on_complete([&](const auto&) { ++told; });
  late.on_complete([&](const auto&) { told += 10; });
  CHECK(failed(late, transport_failure::connect));
  CHECK(hasty.call_async(&Desk::echo, {"never"}).wait_for(100s));
#if defined(__cpp_lib_jthread)
  std::stop_source source;
  const auto stopped = client.with({.stop = source.get_token()}).call_async(&Desk::echo, {"never"});
  CHECK_FALSE(stopped.wait_for(1ms));
  source.request_stop();
  CHECK(stopped.wait_for(0ms));
  CHECK(failed(stopped, transport_failure::cancelled));
  const auto at_once = client.with({.stop = source.get_token()}).call_async(&Desk::echo, {"never"});
  CHECK(failed(at_once, transport_failure::cancelled));
#endif
  CHECK(eventually([&] { return told == 11; }));
  CHECK_FALSE(held.wait_for(0ms));
  at.desk.open();
  held.get();
  const auto past = client.with({.deadline = std::chrono::steady_clock::now()});
  CHECK_THROWS_WITH(
      past.call_async(&Desk::echo, {"never"}).get(),
      Catch::EndsWith("was not called: its time had passed before a thread was free"));
  CHECK(echo_by(client) == "hi");
  CHECK(at.desk.calls == 2);
}

TEST_CASE("an empty handle, and a second get, are errors", "[client][async]") {
  const soapsvc::async_call<std::string> none;
  CHECK_THROWS_AS(none.get(), std::logic_error);
  CHECK_THROWS_AS(none.wait_for(1ms), std::logic_error);
  CHECK_THROWS_AS(none.cancel(), std::logic_error);
  CHECK_THROWS_AS(none.on_complete([](const auto&) {}), std::logic_error);
  server at;
  const auto client = client_of(at.port);
  const auto once = client.call_async(&Desk::echo, {"x"});
  CHECK(once.get() == "x");
  CHECK_THROWS_AS(once.get(), std::logic_error);
}

TEST_CASE("of two threads that get one result, one gets it", "[client][async]") {
  server at;
  const auto client = client_of(at.port);
  const std::string text(1'000, 'x');
  for (int round = 0; round != 200; ++round) {
    const auto call = client.call_async(&Desk::echo, {text});
    call.wait_for(10s);
    std::atomic<int> got = 0, late = 0;
    const auto ask = [&, copy = call] {
      try {
        got += copy.get() == text;
      } catch (const std::logic_error&) {
        ++late;
      }
    };
    std::thread other(ask);
    ask();
    other.join();
    REQUIRE((got == 1 && late == 1));
  }
}

#if defined(__cpp_lib_jthread)
TEST_CASE("calls that callbacks make while a client ends are cancelled", "[client][async]") {
  const auto is_cancelled = [](const auto& call) {  // on threads without Catch
    try {
      call.get();
    } catch (const transport_error& error) {
      return error.why() == transport_failure::cancelled;
    }
    return false;
  };
  for (int turn = 0; turn != 20; ++turn) {
    server at;
    std::atomic<int> cancelled{0};
    {
      const auto client = client_of(at.port, with_threads(4));
      const auto again = [&](const auto& ended) {
        if (!is_cancelled(ended)) return;
        const auto own = client.with({.timeout = 10s});
        cancelled += is_cancelled(own.call_async(&Desk::hold));
      };
      for (int number = 0; number != 16; ++number)
        client.call_async(&Desk::hold).on_complete(again);
      CHECK(eventually([&] { return at.desk.held == 4; }));
    }
    CHECK(cancelled == 16);
    CHECK(at.desk.held == 4);
  }
}

TEST_CASE("an asynchronous call is cancelled by its handle and by its token", "[client][async]") {
  server at;
  const auto client = client_of(at.port);
  const auto held = client.call_async(&Desk::hold);
  CHECK(eventually([&] { return at.desk.held == 1; }));
  held.cancel();
  CHECK(failed(held, transport_failure::cancelled));
  std::stop_source source;
  const auto second = client.with({.stop = source.get_token()}).call_async(&Desk::hold);
  CHECK(eventually([&] { return at.desk.held == 2; }));
  source.request_stop();
  CHECK(failed(second, transport_failure::cancelled));
  CHECK(echo_by(client) == "hi");
  held.cancel();  // too late, without effect
}

TEST_CASE("the end of a client cancels its calls", "[client][async]") {
  server at;
  std::vector<soapsvc::async_call<void>> calls;
  std::atomic<int> told{0};
  {
    const auto client = client_of(at.port, with_threads(2));
    for (int number = 0; number != 5; ++number) {
      calls.push_back(client.call_async(&Desk::hold));
      calls.back().on_complete([&](const auto&) { ++told; });
    }
    const auto copy = client.with({.timeout = 100s});
    CHECK(eventually([&] { return at.desk.held == 2; }));
  }
  CHECK(told == 5);
  for (const auto& each : calls)
    CHECK(failed(each, transport_failure::cancelled));
  CHECK(at.desk.held == 2);
}
#endif

TEST_CASE("a client may be destroyed in a callback of its call", "[client][async]") {
  server at;
  auto client = std::make_unique<soapsvc::client<Desk>>(client_of(at.port));
  std::promise<void> ended;
  const auto held = client->call_async(&Desk::hold);
  held.on_complete([&](const auto&) {
    client.reset();
    ended.set_value();
  });
  at.desk.open();
  ended.get_future().wait();
  held.get();
}

TEST_CASE("a client may be destroyed with the exception of its call", "[client][async]") {
  struct owner {
    std::shared_ptr<const soapsvc::client<Desk>> client;
  };
  std::shared_ptr<const soapsvc::client<Desk>> client;
  std::promise<void> dropped, moved;
  auto lives = std::make_shared<int>();
  const std::weak_ptr<int> of_options = lives;
  {
    soapsvc::client_options with = with_threads(1);
    with.interceptors = {[&client, &dropped, &moved, lives](soapsvc::outgoing_call&) {
      dropped.get_future().wait();
      const owner last{std::exchange(client, nullptr)};
      moved.set_value();
      throw last;
    }};
    lives.reset();
    client = std::make_shared<const soapsvc::client<Desk>>(client_of(1, with));
  }
  client->call_async(&Desk::hold);  // without a handle, so the call owns its exception
  dropped.set_value();
  moved.get_future().wait();
  CHECK(eventually([&] { return of_options.expired(); }));
}
