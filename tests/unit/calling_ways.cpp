// [calling], paths to a server: proxies and Unix sockets, a timeout for one call, a stop by another
// thread, compression, HTTP headers in both directions.
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "scripted.hpp"

// UBSan makes pipes itself, to test whether memory is readable. Without a pipe it reports false
// errors.
#if !defined(__has_feature)
#define SANITIZER_MAKES_PIPES 0
#elif __has_feature(undefined_behavior_sanitizer)
#define SANITIZER_MAKES_PIPES 1
#else
#define SANITIZER_MAKES_PIPES 0
#endif

#if !SANITIZER_MAKES_PIPES
std::atomic<bool> no_pipes{false};
/// Replaces the system's function, so that a test decides whether there are descriptors.
extern "C" int pipe(int* ends) noexcept {
  if (!no_pipes) return static_cast<int>(::syscall(SYS_pipe2, ends, 0));
  errno = EMFILE;
  return -1;
}
#endif

// --- A service that needs the caller's identity --------------------------------------------------

namespace net {

struct Pass {
  std::string key;
};
/// Admits callers with the key, by HTTP headers.
class Door {
public:
  std::string enter(const soapsvc::nothing&, const Pass& pass, const soapsvc::context& call) {
    if (pass.key != "right") {
      call.set_response_header("WWW-Authenticate", "Bearer realm=\"door\"");
      throw soapsvc::fault(soapsvc::fault_code::client, "who is there?").with_status(401);
    }
    call.set_response_header("Set-Cookie", "seen=1");
    call.set_response_header("Set-Cookie", "session=x; HttpOnly");
    call.set_response_header("set-cookie", "seen=2");
    call.set_response_header("X-Room", "one");
    call.set_response_header("x-room", "two");
    return "welcome";
  }
  bool knock(const soapsvc::nothing&, const std::optional<Pass>& pass) { return pass.has_value(); }
  /// Sets a header with a name and value of the caller.
  void carve(const Words& field, const soapsvc::context& call) {
    const std::string said = field.text.value_or("");
    call.set_response_header("X-Before", "x");
    call.set_response_header(said.substr(0, said.find('=')), said.substr(said.find('=') + 1));
  }
};

}  // namespace net

template <>
inline constexpr auto soapsvc::schema<net::Pass> = record("Pass", field("Key", &net::Pass::key));
template <>
inline constexpr auto soapsvc::schema<net::Door> = service(
    "Door",
    operation("Enter", &net::Door::enter),
    operation("Knock", &net::Door::knock),
    operation("Carve", &net::Door::carve));

namespace {

using namespace net;

using fields = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> values_of(
    const soapsvc::http_response& response, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& [known, value] : response.headers)
    if (soapsvc::http_request{.headers = std::array{soapsvc::http_header{known, value}}}.header(
            name))
      found.push_back(value);
  return found;
}

/// A Door without a socket, its client, and the last response.
struct door_in_process {
  explicit door_in_process(net::host_setup served) : services(std::move(served)) {
    services.add(door);
    with.on_response = [this](const soapsvc::http_response& response) { last = response; };
    client.emplace(services, with);
  }
  door_in_process(const door_in_process&) = delete;
  door_in_process& operator=(const door_in_process&) = delete;

  Door door;
  soapsvc::dispatcher services;
  soapsvc::client_options with = options();
  soapsvc::http_response last;
  std::optional<soapsvc::client<Door>> client;
};

/// The error of a call, with a check of its category.
template <class Call> transport_error failure_of(transport_failure why, Call call) {
  try {
    call();
  } catch (const transport_error& error) {
    INFO(error.what());
    CHECK(static_cast<int>(error.why()) == static_cast<int>(why));
    return error;
  }
  FAIL("no error");
  throw std::logic_error("not reached");
}

std::chrono::milliseconds time_of(const std::function<void()>& what) {
  const auto begun = clock::now();
  what();
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begun);
}

/// Sets these environment variables, and restores them afterwards.
class environment {
public:
  explicit environment(const fields& with) {
    for (const char* const name : names)
      if (const char* const value = std::getenv(name)) before_.emplace_back(name, value);
    clear();
    for (const auto& [name, value] : with)
      ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~environment() {
    clear();
    for (const auto& [name, value] : before_)
      ::setenv(name.c_str(), value.c_str(), 1);
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

private:
  static constexpr const char* names[] = {
      "http_proxy",
      "HTTP_PROXY",
      "https_proxy",
      "HTTPS_PROXY",
      "all_proxy",
      "ALL_PROXY",
      "no_proxy",
      "NO_PROXY"};
  static void clear() {
    for (const char* const name : names)
      ::unsetenv(name);
  }
  fields before_;
};

/// Up to the empty line.
std::string read_head(int fd) {
  std::string head;
  char byte = 0;
  while (head.find("\r\n\r\n") == head.npos && ::recv(fd, &byte, 1, 0) == 1)
    head += byte;
  return head;
}

/// Passes bytes in both directions until either side closes.
void splice(int one, int other) {
  pollfd both[2] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
  while (::poll(both, 2, 20'000) > 0)
    for (int at = 0; at != 2; ++at) {
      if (both[at].revents == 0) continue;
      char bytes[16'384];
      const ssize_t got = ::recv(both[at].fd, bytes, sizeof bytes, 0);
      if (got <= 0 ||
          ::send(both[1 - at].fd, bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL) != got)
        return;
    }
}

}  // namespace

// --- Fields of HTTP ------------------------------------------------------------------------------

TEST_CASE(
    "a method sets HTTP headers of the response, and a client shows them", "[client][responses]") {
  net::host_setup served = quick_options();
  Door door;
  soapsvc::host host(served, served.server);
  host.add(door);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&] { host.serve(); });
  soapsvc::client_options with = options();
  std::vector<soapsvc::http_response> responses;
  with.on_response = [&](const soapsvc::http_response& response) { responses.push_back(response); };
  soapsvc::client<Door> over_http(
      "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Door.asmx", with);
  soapsvc::dispatcher services(served);
  services.add(door);
  soapsvc::client<Door> in_process(services, with);
  for (soapsvc::client<Door>* const client : {&over_http, &in_process}) {
    responses.clear();
    CHECK(client->call(&Door::enter, soapsvc::nothing{}, Pass{"right"}) == "welcome");
    REQUIRE(responses.size() == 1);
    CHECK(responses[0].status == 200);
    CHECK(values_of(responses[0], "X-Room") == std::vector<std::string>{"two"});
    CHECK(
        values_of(responses[0], "Set-Cookie") ==
        std::vector<std::string>{"seen=2", "session=x; HttpOnly"});
    CHECK_THROWS_AS(client->call(&Door::enter, Pass{"wrong"}), soapsvc::remote_fault);
    REQUIRE(responses.size() == 2);
    CHECK(responses[1].status == 401);
    CHECK(
        values_of(responses[1], "www-authenticate") ==
        std::vector<std::string>{"Bearer realm=\"door\""});
    CHECK(values_of(responses[1], "Set-Cookie").empty());
    with.on_response = {};
  }
  soapsvc::client_options angry = options();
  angry.on_response = [](const soapsvc::http_response&) { throw std::out_of_range("seen enough"); };
  CHECK_THROWS_AS(
      soapsvc::client<Door>(services, angry).call(&Door::enter, Pass{"right"}), std::out_of_range);
  host.stop();
  serving.join();
}

TEST_CASE("an interceptor sets HTTP headers of the response", "[client][responses]") {
  net::host_setup served = quick_options();
  served.interceptors.push_back([](soapsvc::intercepted_call& call) {
    call.context().set_response_header("X-Room", "of the interceptor");
    call.context().set_response_header("Server-Timing", "db;dur=1");
    call.proceed();
    call.proceed();  // again: nothing is sent twice
  });
  door_in_process at(std::move(served));
  soapsvc::client<Door>& client = *at.client;
  const soapsvc::http_response& last = at.last;
  client.call(&Door::enter, Pass{"right"});
  CHECK(values_of(last, "Server-Timing").size() == 1);
  CHECK(values_of(last, "X-Room") == std::vector<std::string>{"two"});
  CHECK(values_of(last, "Set-Cookie").size() == 2);
  CHECK(values_of(last, "X-Request-Id").size() == 1);
}

TEST_CASE("no HTTP header of a program can begin another one", "[client][responses][hostile]") {
  std::vector<std::string> incidents;
  net::host_setup served = quick_options();
  served.on_error = [&](const soapsvc::error_report& told) { incidents.emplace_back(told.what); };
  door_in_process at(std::move(served));
  soapsvc::client<Door>& client = *at.client;
  const soapsvc::http_response& last = at.last;
  client.call(&Door::carve, Words{"X-After=y"});
  CHECK(values_of(last, "X-After") == std::vector<std::string>{"y"});
  std::vector<std::string> wrong{
      "X-A=b\r\nX-C: d", "X-A=b\nc", "X-A=b\x7f", "X A=b", "X-A:=b", "=b", "X-A\nX-B=c"};
  for (const char* const own :
       {"connection",
        "Content-Encoding",
        "Content-Length",
        "Content-Type",
        "Date",
        "Keep-Alive",
        "Proxy-Connection",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "X-Request-Id",
        "Access-Control-Allow-Origin"})
    wrong.push_back(std::string(own) + "=x");
  for (const std::string& said : wrong) {
    INFO(said);
    incidents.clear();
    CHECK_THROWS_AS(client.call(&Door::carve, Words{said}), soapsvc::remote_fault);
    CHECK(last.status == 500);
    CHECK(incidents.size() == 1);
    CHECK(values_of(last, "X-A").empty());
    CHECK(values_of(last, "X-Before").empty());
  }
  const soapsvc::context alone{};  // as in a test of a method
  alone.set_response_header("X-A", "b");
  CHECK_THROWS_AS(alone.set_response_header("X-A", "b\n"), std::invalid_argument);
}

TEST_CASE("a header alone is enough where the request has no content", "[client]") {
  Door door;
  soapsvc::dispatcher services(quick_options());
  services.add(door);
  soapsvc::client<Door> client(services, options());
  CHECK(client.call(&Door::enter, Pass{"right"}) == "welcome");
  CHECK(client.call(&Door::enter, {"right"}) == "welcome");
  CHECK(client.call(&Door::knock, Pass{"any"}));
  CHECK_FALSE(client.call(&Door::knock, std::nullopt));
}

TEST_CASE("headers for some calls are added to those for all", "[client]") {
  std::vector<std::string> seen;
  soapsvc::client_options with = options();
  with.headers = {{"Authorization", "Bearer all"}, {"X-All", "1"}};
  soapsvc::client<Desk> client(
      [&](const soapsvc::http_request& request) {
        std::string told;
        for (const auto& [name, value] : request.headers)
          if (name != "Content-Type" && name != "SOAPAction")
            told.append(name).append("=").append(value).append(";");
        seen.push_back(told);
        soapsvc::http_response response;
        response.content_type = "text/xml";
        response.body = echoed("x");
        return response;
      },
      with);
  auto one = client.with({.headers = {{"authorization", "Bearer one"}, {"X-One", "2"}}});
  CHECK(echo_by(one) == "x");
  CHECK(echo_by(client) == "x");
  CHECK(
      seen ==
      std::vector<std::string>{
          "authorization=Bearer one;X-One=2;X-All=1;", "Authorization=Bearer all;X-All=1;"});
  CHECK_THROWS_AS(client.with({.headers = {{"Host", "x"}}}), std::invalid_argument);
  // Through a tunnel it would be sent to the server.
  CHECK_THROWS_AS(client.with({.headers = {{"Proxy-Authorization", "x"}}}), std::invalid_argument);
  CHECK_THROWS_AS(client.with({.headers = {{"X", "a\r\nb"}}}), std::invalid_argument);
}

// --- The time of one call, and its end by another thread -----------------------------------------

TEST_CASE("one call can have its own timeout", "[client][sockets][timeout]") {
  server at;
  auto client = client_of(at.port);
  auto hasty = client.with({.timeout = 100ms});
  const auto late = failure_of(transport_failure::timeout, [&] { hasty.call(&Desk::hold); });
  CHECK_THAT(late.what(), Catch::Contains("call_timeout"));
  at.desk.open();
  CHECK(client.call(&Desk::slow, {200}) == 200);
  CHECK(client.with({.timeout = 0ms}).call(&Desk::slow, {10}) == 10);
}

#if defined(__cpp_lib_jthread)  // which libc++ 14 has not
TEST_CASE("a call is cancelled by another thread", "[client][sockets]") {
  server at;
  soapsvc::client_options with = options();
  with.read_timeout = with.call_timeout = 100s;
  auto client = client_of(at.port, with);
  const auto cancelled = [&](auto call) {
    std::stop_source source;
    auto stoppable = client.with({.stop = source.get_token()});
    std::thread other([&] {
      std::this_thread::sleep_for(100ms);
      source.request_stop();
    });
    const auto time = time_of([&] {
      const auto error = failure_of(transport_failure::cancelled, [&] { call(stoppable); });
      CHECK(error.may_have_arrived());
      CHECK_THAT(error.what(), Catch::Contains("cancelled"));
    });
    other.join();
    CHECK(time < 50s);
    // A cancelled call stays cancelled, and other calls are not.
    failure_of(transport_failure::cancelled, [&] { echo_by(stoppable); });
    CHECK(echo_by(client) == "hi");
  };
  cancelled([](soapsvc::client<Desk>& by) { by.call(&Desk::hold); });
  std::stop_source never;
  CHECK(echo_by(client.with({.stop = never.get_token()})) == "hi");

  // While the server does not read the request, and during the TLS handshake.
  std::atomic<bool> over{false};
  const scripted silent([&](connection&) {
    while (!over)
      std::this_thread::sleep_for(1ms);
  });
  for (const std::string scheme : {"http", "https"}) {
    auto to_nobody = client_of(silent.port, with, scheme);
    std::stop_source source;
    std::thread other([&] {
      std::this_thread::sleep_for(100ms);
      source.request_stop();
    });
    failure_of(transport_failure::cancelled, [&] {
      echo_by(to_nobody.with({.stop = source.get_token()}), std::string(20'000'000, 'x'));
    });
    other.join();
  }
  over = true;
}

#if !SANITIZER_MAKES_PIPES
TEST_CASE("without descriptors a call that can be cancelled does not begin", "[client][sockets]") {
  server at;
  soapsvc::client_options with = options();
  std::vector<std::string> told;
  with.on_call = [&](const soapsvc::call_report& report) {
    told.emplace_back(report.fault_reason);
    no_pipes = false;
  };
  std::stop_source source;
  const auto once = client_of(at.port, with).with({.stop = source.get_token()});
  no_pipes = true;
  const auto failed = failure_of(transport_failure::connect, [&] { echo_by(once); });
  no_pipes = false;
  CHECK_FALSE(failed.may_have_arrived());
  CHECK_THAT(failed.what(), Catch::Contains(std::to_string(at.port) + " was not called: "));
  REQUIRE(told.size() == 1);
  CHECK(told[0] == failed.what());

  with.retry.max_attempts = 2;
  const auto again = client_of(at.port, with).with({.stop = source.get_token()});
  no_pipes = true;
  CHECK_NOTHROW(echo_by(again));
  no_pipes = false;
  const auto ready = again.call_async(&Desk::echo, {"x"});  // its thread has begun
  CHECK(ready.get() == "x");
  told.clear();
  const auto other = client_of(at.port, with);
  CHECK(other.call_async(&Desk::echo, {"x"}).get() == "x");
  no_pipes = true;
  const auto late = other.call_async(&Desk::echo, {"x"});
  late.wait_for(20s);
  no_pipes = false;
  CHECK(late.get() == "x");
  CHECK(told.size() == 3);
}
#endif

TEST_CASE("an earlier stop request also ends a call in process", "[client]") {
  Desk desk;
  soapsvc::dispatcher services(quick_options());
  services.add(desk);
  soapsvc::client<Desk> client(services, options());
  std::stop_source source;
  auto stoppable = client.with({.stop = source.get_token()});
  CHECK(echo_by(stoppable) == "hi");
  source.request_stop();
  failure_of(transport_failure::cancelled, [&] { echo_by(stoppable); });
  CHECK(desk.calls == 1);
}
#endif

// --- Unix sockets --------------------------------------------------------------------------------

TEST_CASE("a client calls over a Unix socket", "[client][sockets]") {
  scratch_folder folder;
  const std::string file = folder.file("desk.socket");
  server at(quick_options(), false);
  at.host.bind({.unix_path = file});
  at.serve();
  soapsvc::client_options with = options();
  with.unix_path = file;
  soapsvc::client<Desk> client("http://desk.example.com" + path, with);
  CHECK(client.call(&Desk::about) == "unix|");
  for (int turn = 0; turn != 3; ++turn)
    CHECK(echo_by(client) == "hi");
  CHECK(at.host.statistics().accepted == 1);

  with.unix_path = folder.file("none.socket");
  soapsvc::client<Desk> nowhere("http://desk.example.com" + path, with);
  CHECK_THAT(error_of(nowhere, transport_failure::connect).what(), Catch::Contains(with.unix_path));
  with.unix_path = std::string(108, 'x');
  CHECK_THROWS_WITH(soapsvc::client<Desk>("http://x/", with), Catch::Contains("107 bytes"));
  with.unix_path = file;
  with.proxy = "http://127.0.0.1:1";
  CHECK_THROWS_WITH(
      soapsvc::client<Desk>("http://x/", with), Catch::Contains("set only one of them"));
}

// --- Proxies -------------------------------------------------------------------------------------

TEST_CASE("a proxy passes requests on", "[client][sockets]") {
  std::string head;
  const scripted proxy([&](connection& to) {
    head = to.read();
    to.send(good("passed on"));
    to.wait_for_end();
  });
  soapsvc::client_options with = options();
  for (const auto& [said, sent] :
       fields{{"us%65r:p%40ss", "user:p@ss"}, {"us%65r", "user:"}}) {  // RFC 7617, 2
    with.proxy = "http://" + said + "@127.0.0.1:" + std::to_string(proxy.port);
    soapsvc::client<Desk> client("http://desk.example.com:81" + path + "?a", with);
    CHECK(echo_by(client) == "passed on");
    CHECK_THAT(
        head,
        Catch::StartsWith(
            "POST http://desk.example.com:81" + path +
            "?a HTTP/1.1\r\nHost: desk.example.com:81\r\nProxy-Authorization: Basic " +
            soapsvc::binary{{sent.begin(), sent.end()}}.text() + "\r\n"));
  }
}

TEST_CASE("a proxy opens a tunnel for TLS", "[client][tls]") {
  secure_host good("127.0.0.1");
  std::vector<std::string> heads;
  const scripted proxy([&](connection& to) {
    heads.push_back(read_head(to.fd()));
    const client there(good.served->port);
    to.send(
        "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 Connection established\r\nVia: x\r\n"
        "Content-Length: 5\r\n\r\n");  // which is ignored here (RFC 9110, 9.3.6)
    splice(to.fd(), there.fd());
  });
  soapsvc::client_options with = good.trusting;
  with.proxy = "127.0.0.1:" + std::to_string(proxy.port);
  CHECK_THROWS_WITH(
      client_of(good.served->port, with, "https"), Catch::EndsWith("write http://host:port"));
  with.proxy = "http://user:pass@" + with.proxy;
  {
    auto client = client_of(good.served->port, with, "https");
    for (int turn = 0; turn != 3; ++turn)
      CHECK(echo_by(client) == "hi");
  }
  REQUIRE(heads.size() == 1);  // the tunnel is kept
  const std::string target = "127.0.0.1:" + std::to_string(good.served->port);
  CHECK(
      heads[0] ==
      "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\nProxy-Authorization: Basic " +
          soapsvc::binary{{'u', 's', 'e', 'r', ':', 'p', 'a', 's', 's'}}.text() + "\r\n\r\n");
  soapsvc::client_options strict = with;
  strict.ca_file.clear();  // also through a tunnel, the server must be trusted
  auto stranger = client_of(good.served->port, strict, "https");
  error_of(stranger, transport_failure::tls);
}

TEST_CASE(
    "a proxy that refuses a tunnel is reported, and nothing was sent", "[client][tls][hostile]") {
  for (const auto& [answer, told] : fields{
           {"HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic\r\n\r\n", "requires authentication"},
           {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nbad", "answered HTTP 502"},
           {"HTTP/1.1 302 Elsewhere\r\nLocation: http://x/\r\n\r\n", "answered HTTP 302"},
           {"HTTP/1.1 200 OK\r\n\r\nand more", "it sent more than its header"},
           {"SSH-2.0-x\r\n\r\n", "answered without HTTP/1.1"},
           {"HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n", "header of more"},
           {"HTTP/1.1 200", "ended the connection"},
           {"", "ended the connection"}}) {
    INFO(answer.substr(0, 100));
    const scripted proxy([&said = answer](connection& to) {
      read_head(to.fd());
      to.send(said);
    });
    soapsvc::client_options with = options();
    with.proxy = "http://127.0.0.1:" + std::to_string(proxy.port);
    soapsvc::client<Desk> client("https://desk.example.com" + path, with);
    CHECK_THAT(
        error_of(client, transport_failure::connect).what(),
        Catch::StartsWith(
            "https://desk.example.com cannot be reached through the proxy 127.0.0.1:" +
            std::to_string(proxy.port) + ": it ") &&
            Catch::Contains(told));
  }
  const scripted silent([&](connection& to) { to.wait_for_end(); });
  soapsvc::client_options with = options();
  with.proxy = "http://user:secret@127.0.0.1:" + std::to_string(silent.port);
  with.connect_timeout = 500ms;
  soapsvc::client<Desk> client("https://desk.example.com" + path, with);
  CHECK_THAT(
      error_of(client, transport_failure::connect).what(),
      Catch::Contains("it did not answer in time") && !Catch::Contains("secret"));
}

TEST_CASE("a proxy is an http URL with only a host", "[client]") {
  const auto make = [](const std::string& proxy) {
    soapsvc::client_options with = options();
    with.proxy = proxy;
    soapsvc::client<Desk>("http://desk.example.com/", with);
  };
  for (const std::string proxy :
       {"https://h",
        "socks5://h:1080",
        "http://",
        "http://h/path",
        "http://h:x",
        "http://h#f",
        "h:8080",
        "h",
        "",
        "http://u:secret@",
        "http://a/p@h",
        "http://u:secret@h/path",
        "http://u:/secret@h",
        "http://u:x?secret@h:1",
        "http://u:x#secret@h:1",
        "u:x/secret@h"}) {
    if (proxy.empty()) continue;
    INFO(proxy);
    CHECK_THROWS_WITH(
        make(proxy), Catch::EndsWith("write http://host:port") && !Catch::Contains("secret"));
  }
  make("http://h");
  make("HTTP://u@[::1]:3128/");
}

TEST_CASE("the environment names a proxy", "[client]") {
  const auto of = [](const std::string& url, const fields& with) {
    const environment now(with);
    return soapsvc::proxy_from_environment(url);
  };
  CHECK(of("http://h/", {}).empty());
  CHECK(of("http://h/", {{"http_proxy", "http://p:1"}}) == "http://p:1");
  CHECK(of("http://h/", {{"http_proxy", "p:1"}}) == "http://p:1");
  CHECK(of("http://h/", {{"HTTP_PROXY", "http://p:1"}}).empty());  // a CGI program's caller set it
  CHECK(of("https://h/", {{"http_proxy", "p"}}).empty());
  CHECK(of("https://h/", {{"HTTPS_PROXY", "p"}}) == "http://p");
  CHECK(of("https://h/", {{"https_proxy", "p"}, {"HTTPS_PROXY", "q"}}) == "http://p");
  CHECK(of("https://h/", {{"https_proxy", ""}, {"ALL_PROXY", "q"}}) == "http://q");
  for (const std::string direct :
       {"*",
        "h.example.com",
        "example.com",
        ".example.com",
        "a, EXAMPLE.com ,b",
        "h.example.com:81",
        "H.example.com:81"}) {
    INFO(direct);
    CHECK(of("http://h.example.com:81/", {{"http_proxy", "p"}, {"no_proxy", direct}}).empty());
    CHECK(of("http://h.example.com:81/", {{"http_proxy", "p"}, {"NO_PROXY", direct}}).empty());
  }
  for (const std::string other : {"", ",", "ample.com", "x.h.example.com", "h", "com.", "."}) {
    INFO(other);
    CHECK(of("http://h.example.com/", {{"http_proxy", "p"}, {"no_proxy", other}}) == "http://p");
  }
  for (const std::string other : {",", ".", "a,,b"})
    CHECK(of("http://h.", {{"http_proxy", "p"}, {"no_proxy", other}}) == "http://p");
  for (const std::string direct : {"h.example.com", ".example.com", "h.example.com.", "com."})
    CHECK(of("http://h.example.com./", {{"http_proxy", "p"}, {"no_proxy", direct}}).empty());
  for (const std::string direct : {"::1", "[::1]", "[::1]:81"})
    CHECK(of("http://[::1]:81/", {{"http_proxy", "p"}, {"no_proxy", direct}}).empty());
  CHECK(of("https://h/", {{"https_proxy", "p"}, {"no_proxy", "h:443"}}).empty());
  CHECK(of("https://h/", {{"https_proxy", "p"}, {"no_proxy", "h:80"}}) == "http://p");
  CHECK_THROWS_AS(of("no address", {{"http_proxy", "p"}}), transport_error);
}

// --- Packed --------------------------------------------------------------------------------------

TEST_CASE(
    "requests are compressed for a server that decompresses them", "[client][sockets][gzip]") {
  std::vector<std::string> requests;
  const scripted recorder([&](connection& to) {
    for (std::string got = to.read(); !got.empty(); got = to.read()) {
      requests.push_back(got);
      to.send(good("x"));
    }
  });
  soapsvc::client_options with = options();
  with.gzip_requests = true;
  auto client = client_of(recorder.port, with);
  const std::string even(100'000, 'x');
  CHECK(echo_by(client, even) == "x");
  CHECK(echo_by(client, "short") == "x");
  REQUIRE(requests.size() == 2);
  CHECK_THAT(requests[0], Catch::Contains("\r\nContent-Encoding: gzip\r\n"));
  CHECK(requests[0].size() < 2'000);
  CHECK_THAT(requests[1], !Catch::Contains("Content-Encoding"));

  server at;
  auto packing = client_of(at.port, with);
  CHECK(echo_by(packing, even) == even);
  CHECK(echo_by(packing, "short") == "short");
}
