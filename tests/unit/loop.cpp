// The host's loop, over loopback, with clients that send exact bytes: HTTP of real clients, slow
// and greedy peers, overload, TLS, and the stop. Every response that is read here must have Date
// and Content-Length.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <malloc.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <csignal>
#include <deque>
#include <random>
#include <set>

#include "../net.hpp"

using namespace net;

namespace {

bool is_ok(const response& got) { return got.status == 200; }

/// A host whose timeouts are longer than any test: a result did not wait for a timeout.
net::host_setup patient_options() {
  auto options = quick_options();
  options.server.timeouts.header = 600s;
  options.server.timeouts.read = 600s;
  options.server.timeouts.request = 600s;
  options.server.timeouts.idle = 600s;
  options.server.timeouts.stop = 600s;
  return options;
}

net::host_setup with_threads(std::size_t workers, std::size_t blocking) {
  auto options = quick_options();
  options.server.threads = workers;
  options.server.limits.max_executor_threads = blocking;
  return options;
}

const bool is_set =
    (net::is_worker = [] {
      const auto* const thread = soapsvc::detail::this_host_thread;
      return thread && static_cast<const soapsvc::detail::pool_thread*>(thread)->is_worker();
    }) != nullptr;

std::string note(const std::string& text) { return envelope("Note", "<Text>" + text + "</Text>"); }

std::atomic<int> accept_error{0};  // the error of accept
std::atomic<int> accepts{0};  // the number of these errors
std::atomic<std::size_t> most_on_stack{0};  // bytes that the host received into its stack at once

struct Load {
  soapsvc::stream<std::byte> bytes;
};
/// Waits for a while, before and after it reads all bytes; notes whether the call was stopped.
class Depot {
public:
  void take([[maybe_unused]] const Load& load, [[maybe_unused]] const soapsvc::context& context) {
#if defined(__cpp_lib_jthread)
    const std::stop_token token = context.stop_token();
    ++calls;
    std::this_thread::sleep_for(900ms);
    is_stopped = token.stop_requested();
    std::array<std::byte, 4'096> some{};
    while (load.bytes.read(some) != 0)
      continue;
    std::this_thread::sleep_for(300ms);
    is_stopped = is_stopped || token.stop_requested();
#endif
  }
  /// Takes long to compress, and no time to make.
  std::string give() {
    static const std::string text = [] {
      std::string made(1'000'000, ' ');
      std::minstd_rand random;
      for (char& each : made)
        each = static_cast<char>('a' + random() % 26);
      return made;
    }();
    ++calls;
    return text;
  }
  /// Waits until it is open, says so, and returns much.
  std::string fetch() {
    const soapsvc::blocking_section waits;
    ++calls;
    eventually([this] { return is_open.load(); });
    return std::string(1'500'000, 'x');
  }
  /// Has no end; its source is still destroyed.
  soapsvc::stream<std::byte> pour() {
    const std::shared_ptr<Depot> source(this, [](Depot* of) { of->at_end(); });
    return [source](std::span<std::byte> to) {
      std::fill(to.begin(), to.end(), std::byte{});
      return to.size();
    };
  }
  std::atomic<int> calls{0};
  std::atomic<bool> is_stopped{false}, is_open{false};
  std::function<void()> at_end = [] {};  // called by the destructor of the source
};

/// Calls a desk in process; its calls are stopped after 50 ms.
class Front {
public:
  Front() { inside_.add(desk, {.call_timeout = 50ms}); }
  void ask([[maybe_unused]] const soapsvc::context& context) {
#if defined(__cpp_lib_jthread)
    const std::stop_token token = context.stop_token();
    soapsvc::client<net::Desk>(inside_).call(&net::Desk::wait_for_stop);
    is_stopped = token.stop_requested() || context.stop_token().stop_requested();
#endif
  }
  net::Desk desk;
  std::atomic<bool> is_stopped{false};

private:
  soapsvc::dispatcher inside_{{.ns_base = "urn:inside"}};
};

/// A request for an operation without parameters, of another service than Desk.
std::string post_to(
    const std::string& service, const std::string& operation, const std::string& fields = {}) {
  const std::string body =
      "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><" + operation +
      " xmlns=\"http://example.com/soap/" + service + "\"/></e:Body></e:Envelope>";
  return "POST /soap/v3/" + service +
         ".asmx HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// True if the memory is on the calling thread's stack.
bool is_on_stack(const void* memory) {
  pthread_attr_t of_thread{};
  void* begin = nullptr;
  std::size_t size = 0;
  if (::pthread_getattr_np(::pthread_self(), &of_thread) != 0) return false;
  ::pthread_attr_getstack(&of_thread, &begin, &size);
  ::pthread_attr_destroy(&of_thread);
  return reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(begin) < size;
}

}  // namespace

template <> inline constexpr auto soapsvc::schema<Load> = record(field("Bytes", &Load::bytes));
template <>
inline constexpr auto soapsvc::schema<Depot> = service(
    "Depot",
    operation("Take", &Depot::take),
    operation("Give", &Depot::give),
    operation("Fetch", &Depot::fetch),
    operation("Pour", &Depot::pour));
template <>
inline constexpr auto soapsvc::schema<Front> =
    service("Front", operation("Ask", &Front::ask, blocking));

/// Replaces the system's function, so that a test decides the result of accept.
extern "C" int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  if (accept_error == 0) return static_cast<int>(::syscall(SYS_accept4, fd, address, size, flags));
  ++accepts;
  errno = accept_error;
  return -1;
}

/// The same for recv, which also checks whether the memory is on the stack.
extern "C" ssize_t recv(int fd, void* buffer, std::size_t size, int flags) {
  const bool is_of_test = ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid));
  if (!is_of_test && is_on_stack(buffer) && size > most_on_stack) most_on_stack = size;
  return ::syscall(SYS_recvfrom, fd, buffer, size, flags, nullptr, nullptr);
}

// --- Weaknesses of cpp-httplib 0.11.4 ------------------------------------------------------------

TEST_CASE(
    "weakness: the payload limit is ignored for chunked bodies (CVE-2025-46728)",
    "[http][weakness][chunked][limits]") {
  auto options = quick_options();
  options.limits.max_body_bytes = 10'000;
  server at(std::move(options));
  client caller(at.port);
  caller.send(chunked_head());
  bool taken = true;
  for (int turn = 0; turn != 200 && taken; ++turn)
    taken = caller.try_send(chunk(std::string(1'000, 'x')));
  const response got = caller.read();
  CHECK(got.status == 413);
  CHECK(got.closes());
  CHECK(got.holds("Client"));  // a fault, so that the caller's program can report the reason
  CHECK(ask(at.port, post(std::string(10'001, 'x'))).status == 413);
  CHECK(at.desk.calls == 0);
}

TEST_CASE("weakness: any number of header fields is read (CVE-2025-52887)", "[http][weakness]") {
  server at;
  client caller(at.port);
  caller.send("GET / HTTP/1.1\r\nHost: h\r\n");
  for (int turn = 0; turn != 500; ++turn)
    if (!caller.try_send("X-" + std::to_string(turn) + ": y\r\n")) break;
  const response got = caller.read();
  CHECK(got.status == 431);
  CHECK(got.closes());
}

TEST_CASE("weakness: a line may have any length (CVE-2025-53628)", "[http][weakness]") {
  server at;
  for (const char* begin : {"GET / HTTP/1.1\r\nHost: h\r\nX: ", "GET /"}) {
    client caller(at.port);
    caller.send(begin);
    for (int turn = 0; turn != 100; ++turn)
      if (!caller.try_send(std::string(1'000, 'x'))) break;
    const int status = caller.read().status;
    CHECK((status == 431 || status == 414));
  }
}

TEST_CASE(
    "weakness: chunked bodies take memory without bound (CVE-2025-53629)",
    "[http][weakness][chunked][limits]") {
  auto options = quick_options();
  options.limits.max_body_bytes = 1'000'000;
  options.server.limits.max_buffered_bytes = 3'000'000;  // of all callers together
  server at(std::move(options));
  std::vector<client> callers;
  const std::string part = chunk(std::string(900'000, 'x'));
  int refused = 0;
  for (int turn = 0; turn != 8; ++turn) {
    callers.emplace_back(at.port);
    callers.back().try_send(chunked_head() + part);
  }
  REQUIRE(at.comes_to_rest());
  for (client& caller : callers)
    if (!caller.is_quiet(0ms)) refused += caller.read().status == 503 ? 1 : 0;
  CHECK(refused >= 4);
  CHECK(refused < 8);
  callers.clear();
  CHECK(is_ok(ask(at.port, post(echo("later")))));
}

TEST_CASE(
    "weakness: a field REMOTE_ADDR hides the caller's address (CVE-2025-66570)",
    "[http][weakness]") {
  server at;
  const std::string forged = "REMOTE_ADDR: 6.6.6.6\r\nX-Forwarded-For: 6.6.6.6\r\n";
  const response got = ask(at.port, post(envelope("About"), forged));
  CHECK(got.holds(">127.0.0.1|<"));
}

TEST_CASE(
    "weakness: a compressed body has no limit (CVE-2026-22776, CVE-2026-28435)",
    "[http][weakness][gzip][limits]") {
  auto options = quick_options();
  options.limits.max_body_bytes = 100'000;
  server at(std::move(options));
  const std::string bomb = gzipped(echo(std::string(50'000'000, ' ')));
  REQUIRE(bomb.size() < 100'000);
  CHECK(ask(at.port, post(bomb, "Content-Encoding: gzip\r\n")).status == 413);
  const std::string cut = gzipped(echo("cut")).substr(0, 40);
  CHECK(ask(at.port, post(cut, "Content-Encoding: gzip\r\n")).status == 500);
  client caller(at.port);
  caller.send(
      chunked_head("Content-Encoding: gzip\r\n") + chunk(gzipped(echo("good"))) + "0\r\n\r\n");
  CHECK(caller.read().holds("good"));
  CHECK(ask(at.port, post("x", "Content-Encoding: br\r\n")).status == 415);
}

TEST_CASE(
    "weakness: an exception's text goes out in a header (CVE-2026-28434)", "[http][weakness]") {
  server at;
  const response got = ask(at.port, post(envelope("Fail", "<Text>marked secret</Text>")));
  CHECK(got.status == 500);
  CHECK_FALSE(got.holds("secret"));
  CHECK(got.head.find("secret") == got.head.npos);
}

TEST_CASE(
    "weakness: an unread body is taken as the next request (CVE-2026-34441)", "[http][weakness]") {
  server at;
  const std::string inner = post(echo("smuggled"));
  for (const char* line : {"POST /nowhere", "GET /", "PUT /", "BREW /pot"}) {
    client caller(at.port);
    caller.send(
        std::string(line) + (" HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nContent-Length: ") +
        std::to_string(inner.size()) + "\r\n\r\n" + inner + get("/nowhere"));
    CHECK(caller.read().status != 0);
    const response second = caller.read();
    CHECK(second.status == 404);
  }
  client caller(at.port);  // a refused request ends the connection
  caller.send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" +
      inner);
  CHECK(caller.read().status == 400);
  CHECK(caller.is_closed());
  CHECK(at.desk.calls == 0);
}

TEST_CASE(
    "weakness: a chunk's size may be negative (CVE-2026-45352)", "[http][weakness][chunked]") {
  server at;
  for (const char* size :
       {"-1", "-8000000000000000", "ffffffffffffffff", "fffffffffffffffff", "+5", "0x5"}) {
    client caller(at.port);
    caller.send(chunked_head() + size + "\r\nhello\r\n0\r\n\r\n");
    const response got = caller.read();
    INFO(size);
    CHECK((got.status == 400 || got.status == 413));
    CHECK(got.closes());
    CHECK(caller.is_closed());
  }
}

TEST_CASE("weakness: %0d%0a in a field is decoded (CVE-2026-45372)", "[http][weakness]") {
  server at;
  const std::string id = "X-Request-Id: a%0d%0aSet-Cookie:b\r\n";
  const response got = ask(at.port, post(echo("x"), id));
  CHECK(got.field("x-request-id") == "a%0d%0aSet-Cookie:b");
  CHECK(got.fields.count("set-cookie") == 0);
}

TEST_CASE("weakness: Content-Length may be there twice", "[http][weakness]") {
  server at;
  for (const char* second : {"1", "5"}) {
    client caller(at.port);
    caller.send(
        "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: " + second +
        "\r\n\r\nhello");
    CHECK(caller.read().status == 400);
    CHECK(caller.is_closed());
  }
}

TEST_CASE("weakness: pipelined bytes are lost", "[http][weakness][pipelining]") {
  server at;
  std::string stream;
  for (int turn = 0; turn != 200; ++turn)
    stream += post(echo("n" + std::to_string(turn) + "."));
  client caller(at.port);
  caller.send(stream);
  for (int turn = 0; turn != 200; ++turn)
    REQUIRE(caller.read().holds(">n" + std::to_string(turn) + ".<"));
  CHECK(caller.is_quiet(20ms));
}

TEST_CASE("weakness: Range on a POST yields half an envelope", "[http][weakness]") {
  server at;
  const response got = ask(at.port, post(echo("whole"), "Range: bytes=0-10\r\n"));
  CHECK(got.status == 200);
  CHECK(got.holds("</soap:Envelope>"));
}

TEST_CASE("weakness: a POST without a length waits five seconds", "[http][weakness][timeout]") {
  server at(patient_options());
  const response got =
      ask(at.port, "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n\r\n");
  CHECK(got.status == 411);
}

TEST_CASE("weakness: keep-alive ends after five requests", "[http][weakness][keep-alive]") {
  server at;
  client caller(at.port);
  for (int turn = 0; turn != 100; ++turn) {
    const response got = caller.ask(post(echo("x")));
    REQUIRE(is_ok(got));
    REQUIRE_FALSE(got.closes());
  }
  CHECK(at.host.statistics().accepted == 1);
}

TEST_CASE("weakness: the kernel keeps five callers waiting, not more", "[http][weakness]") {
  server at(quick_options(), false);
  std::vector<client> callers;
  for (int turn = 0; turn != 100; ++turn)
    callers.emplace_back(at.port).send(post(echo("x")));
  at.serve();
  for (client& caller : callers)
    CHECK(is_ok(caller.read()));
}

TEST_CASE("weakness: a response goes out in two writes, which stall", "[http][weakness]") {
  server at;
  client caller(at.port);
  clock::duration quickest = 1h;
  for (int turn = 0; turn != 200; ++turn) {
    const auto begun = clock::now();
    caller.send(post(echo("x")));
    const std::string once = caller.receive();
    REQUIRE(once.substr(once.size() - 16) == "</soap:Envelope>");
    quickest = std::min(quickest, clock::now() - begun);
  }
  CHECK(quickest < 40ms);  // the time of a stall
}

TEST_CASE("weakness: routes are regular expressions", "[http][weakness]") {
  server at;
  CHECK(ask(at.port, get("/soap/v3/DeskXasmx")).status == 404);
  CHECK(ask(at.port, get("/soap/v3/.*")).status == 404);
  CHECK(ask(at.port, get("/" + std::string(8'000, '('))).status == 404);
  CHECK(is_ok(ask(at.port, get(path))));
}

TEST_CASE(
    "weakness: stop waits for kept-alive connections", "[http][weakness][keep-alive][shutdown]") {
  server at(patient_options());
  client used(at.port);
  CHECK(is_ok(used.ask(post(echo("x")))));
  client mute(at.port);
  REQUIRE(eventually([&] { return at.host.statistics().parked == 2; }));
  CHECK(at.stop() < 60s);
  CHECK(used.is_closed());
  CHECK(mute.is_closed());
}

// --- HTTP as it is met ---------------------------------------------------------------------------

TEST_CASE("a request that arrives byte by byte is served, and so is the next", "[http]") {
  server at;
  client caller(at.port);
  for (const std::string& request :
       {post(echo("first")), chunked_head() + chunk(echo("second")) + "0\r\nTrailer: x\r\n\r\n"})
    for (const char c : request)
      caller.send(std::string_view(&c, 1));
  CHECK(caller.read().holds("first"));
  CHECK(caller.read().holds("second"));
}

TEST_CASE("a body of many small pieces and a large body are served", "[http]") {
  server at;
  client caller(at.port);
  const std::string text(5'000'000, 'y');
  const response large = caller.ask(post(echo(text)));
  CHECK(is_ok(large));
  CHECK(large.holds(text));
  std::string stream = chunked_head();
  for (const char c : echo(std::string(3'000, 'z')))
    stream += chunk(std::string(1, c));
  CHECK(caller.ask(stream + "0\r\n\r\n").holds(std::string(3'000, 'z')));
  CHECK(is_ok(caller.ask(post(echo("small again")))));
}

TEST_CASE(
    "Expect: 100-continue gets a response before the body arrives",
    "[http][rule-15][expect-continue]") {
  server at;
  client caller(at.port);
  for (int turn = 0; turn != 2; ++turn) {
    const std::string body = echo("expected");
    const std::string request = post(body, "Expect: 100-continue\r\n");
    caller.send(request.substr(0, request.size() - body.size()));
    CHECK(caller.read().status == 100);
    CHECK(caller.is_quiet(20ms));
    CHECK(caller.ask(body).holds("expected"));
    CHECK(is_ok(caller.ask(request)));  // all at once: no interim response is needed
    CHECK(caller.left().empty());
  }
  client greedy(at.port);
  greedy.send(
      "POST " + path +
      " HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
  CHECK(greedy.read().status == 413);  // instead of 100 Continue
}

TEST_CASE("HEAD is answered like GET, without the body", "[http]") {
  server at;
  client caller(at.port);
  caller.send("HEAD " + path + "?wsdl HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const response head = caller.read(false);
  const response full = caller.ask(get(path + "?wsdl"));
  CHECK(head.status == 200);
  CHECK(head.field("content-length") == full.field("content-length"));
  CHECK(head.field("content-type") == full.field("content-type"));
  CHECK(full.holds("definitions"));
}

TEST_CASE("a refusal of HEAD has no body either", "[http]") {
  auto options = quick_options();
  options.server.timeouts.header = 300ms;
  server at(options);
  const std::string line = "HEAD " + path + " HTTP/1.1\r\n";
  for (const auto& [request, status] : std::vector<std::pair<std::string, int>>{
           {line + "\r\n", 400},  // no Host
           {line + "Host: h\r\nbad line\r\n\r\n", 400},
           {"\r\n" + line + "\r\n", 400},
           {"HEAD / HTTP/3.0\r\n\r\n", 505},
           {line + "Host: localhost\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n", 431},
           {"HEAD /" + std::string(10'000, 'x') + " HTTP/1.1\r\n\r\n", 414},
           {line + "Host: localhost\r\nContent-Length: 99999999\r\n\r\n", 413},
           {line + "Host: localhost\r\n", 408},  // and then silence
           {"HEAD /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404}}) {
    INFO(request.substr(0, 60));
    client caller(at.port);
    const response got = caller.send(request).read(false);
    CHECK(got.status == status);
    CHECK(got.field("content-length") != "0");
    CHECK(got.field("x-content-type-options") == "nosniff");
    CHECK(caller.is_closed());
  }
  client other(at.port);
  const response told = other.ask("BAD " + path + " HTTP/1.1\r\n\r\n");
  CHECK(told.status == 400);
  CHECK(told.holds("Host field"));
  CHECK(told.field("x-content-type-options") == "nosniff");
}

TEST_CASE("a page without content leaves the connection in order", "[http][keep-alive]") {
  server at(quick_options(), false);
  for (const int status : {204, 304})
    at.host.add_page("/" + std::to_string(status), [status](const auto&) {
      return soapsvc::http_response{status, "", {{"ETag", "\"x\""}}, std::string(5'000, 'b')};
    });
  at.host.add_page("/packed", [](const auto&) {
    return soapsvc::http_response{
        200,
        "text/plain",
        {{"Content-Encoding", "gzip"}},
        gzipped(std::string(90'000, 'x')) + std::string(9'000, '\0')};
  });
  at.serve();
  client caller(at.port);
  for (const std::string status : {"204", "304"}) {
    caller.send(get("/" + status, "Accept-Encoding: gzip\r\n"));
    const response got = caller.read(false);
    CHECK(got.status == std::stoi(status));
    CHECK(got.field("content-length").empty());
    CHECK(got.field("transfer-encoding").empty());
    CHECK(got.field("etag") == "\"x\"");
    CHECK(is_ok(caller.ask(post(echo("next")))));
  }
  const response packed = caller.ask(get("/packed", "Accept-Encoding: gzip\r\n"));
  CHECK(packed.head.find("Content-Encoding") == packed.head.rfind("Content-Encoding"));
}

TEST_CASE("OPTIONS for the whole server leaves the connection in order", "[http][keep-alive]") {
  server at;
  client caller(at.port);
  const response got = caller.ask("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(got.status == 200);
  CHECK(got.field("allow") == "GET, HEAD, POST, OPTIONS");
  CHECK(got.field("content-length") == "0");
  CHECK(is_ok(caller.ask(post(echo("x")))));
}

TEST_CASE(
    "the default limits and timeouts of a host are the documented ones",
    "[http][rule-10][limits][timeout]") {
  const soapsvc::server_limits limits;
  CHECK(limits.max_connections == 20'000);
  CHECK(limits.max_queued_requests == 1'024);
  CHECK(limits.max_header_bytes == 32 * 1024);
  CHECK(limits.max_header_fields == 100);
  CHECK(limits.max_target_bytes == 8 * 1024);
  CHECK(limits.max_buffered_bytes == 256 * 1024 * 1024);
  CHECK(limits.max_executor_threads == 60);
  const soapsvc::server_timeouts timeouts;
  CHECK(timeouts.header == 10s);
  CHECK(timeouts.read == 20s);
  CHECK(timeouts.request == 120s);
  CHECK(timeouts.write == 30s);
  CHECK(timeouts.response == 15min);
  CHECK(timeouts.idle == 60s);
  CHECK(timeouts.queue == 10s);
  CHECK(timeouts.stop == 15s);
  CHECK(timeouts.min_bytes_per_second == 200);
  CHECK(soapsvc::host_options().gzip_min_bytes == 4 * 1024);
}

TEST_CASE("a timeout without a bound never ends a connection", "[http][timeout]") {
  auto options = quick_options();
  options.server.timeouts.header = options.server.timeouts.read = options.server.timeouts.request =
      options.server.timeouts.write = options.server.timeouts.response =
          options.server.timeouts.idle = options.server.timeouts.stop =
              std::chrono::milliseconds::max();
  server at(options);
  client caller(at.port, 4'096), begun(at.port);
  const std::string request = post(echo("x"));
  caller.send(request.substr(0, 40));
  begun.send(request.substr(0, request.size() - 1));
  std::this_thread::sleep_for(600ms);  // the sweeper runs
  CHECK(is_ok(caller.ask(request.substr(40))));
  CHECK(is_ok(begun.ask(request.substr(request.size() - 1))));
  caller.send(post(with_number("Big", 3'000'000)));
  std::this_thread::sleep_for(600ms);
  CHECK(is_ok(caller.read()));
}

TEST_CASE("HTTP/1.0 callers are served, and kept when they ask for it", "[http][keep-alive]") {
  server at;
  const std::string body = echo("old");
  const auto request = [&](const std::string& fields) {
    return "POST " + path + " HTTP/1.0\r\n" + fields +
           "Content-Type: text/xml\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
  };
  client once(at.port);
  const response got = once.ask(request(""));
  CHECK(got.holds("old"));
  CHECK(got.closes());
  CHECK(once.is_closed());
  client kept(at.port);
  for (int turn = 0; turn != 3; ++turn)
    CHECK(kept.ask(request("Connection: keep-alive\r\n")).field("connection") == "keep-alive");
}

TEST_CASE("without a Host in the request, the WSDL has the address of the listener", "[http]") {
  server at;
  for (const char* end : {" HTTP/1.0\r\n\r\n", " HTTP/1.1\r\nHost:\r\n\r\n"})
    CHECK(ask(at.port, "GET " + path + "?wsdl" + end)
              .holds("http://127.0.0.1:" + std::to_string(at.port) + path));
}

TEST_CASE("Connection: close is announced and obeyed", "[http][rule-15][keep-alive]") {
  server at;
  client caller(at.port);
  caller.send(post(echo("last"), "Connection: close\r\n") + post(echo("after the end")));
  const response got = caller.read();
  CHECK(got.holds("last"));
  CHECK(got.closes());
  CHECK(caller.is_closed());
  CHECK(at.desk.calls == 1);
}

TEST_CASE("a caller that closes its sending half still gets its response", "[http]") {
  server at;
  client caller(at.port);
  caller.send(
      post(echo("one")) + post(with_number("Slow", 50)) + post(with_number("Big", 2'000'000)));
  caller.half_close();
  CHECK(caller.read().holds("one"));
  CHECK(is_ok(caller.read()));
  CHECK(caller.read().body.size() > 2'000'000);
  CHECK(caller.is_closed());
  client cut(at.port);
  cut.send(post(echo("x")).substr(0, 100));
  cut.half_close();
  CHECK(cut.read().status == 400);
  CHECK(cut.is_closed());
}

TEST_CASE("an absolute target overrides Host", "[http][host-header]") {
  server at;
  const response got = ask(
      at.port, "GET http://real.example:8080" + path + "?wsdl HTTP/1.1\r\nHost: forged\r\n\r\n");
  CHECK(got.holds("http://real.example:8080/soap"));
  CHECK_FALSE(got.holds("forged"));
}

TEST_CASE("bytes that are not HTTP get 400, and the connection is closed", "[http]") {
  server at;
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", 12),
        std::string("hello\r\n\r\n"),
        std::string(5, '\0') + "\n",
        std::string("GET / HTTP/1.1\nHost: h\n\n")}) {
    client caller(at.port);
    CHECK(caller.ask(bytes).status == 400);
    CHECK(caller.is_closed());
  }
}

TEST_CASE("large responses are compressed for callers that accept it", "[http][gzip]") {
  server at;
  const std::string request =
      post(with_number("Big", 100'000), "Accept-Encoding: gzip, deflate\r\n");
  const response packed = ask(at.port, request);
  CHECK(packed.field("content-encoding") == "gzip");
  CHECK(packed.field("vary") == "Accept-Encoding");
  CHECK(packed.body.size() < 10'000);
  std::string text;
  CHECK_FALSE(soapsvc::detail::unpack("gzip", packed.body, 1'000'000, text));
  CHECK(text.find(std::string(100'000, 'x')) != text.npos);
  CHECK(ask(at.port, post(with_number("Big", 100'000))).field("content-encoding").empty());
  CHECK(
      ask(at.port, post(echo("x"), "Accept-Encoding: gzip\r\n")).field("content-encoding").empty());
}

TEST_CASE("a compressed request over a limit of 64 KB is refused", "[http][gzip][limits]") {
  auto options = with_threads(1, 4);
  options.limits.max_body_bytes = 65'536;
  server at(std::move(options));
  const std::string packed = gzipped(echo(std::string(100'000, 'x')));
  const response refused = ask(at.port, post(packed, "Content-Encoding: gzip\r\n"));
  CHECK(refused.status == 413);
  CHECK(refused.holds("decompressed request body is too long"));
  CHECK(at.desk.calls == 0);
}

TEST_CASE("a request without a body is served, whatever coding it says", "[http][gzip]") {
  server at;
  client caller(at.port);
  for (const char* coding : {"gzip", "br"})
    CHECK(is_ok(
        caller.ask(get(path + "?wsdl", "Content-Encoding: " + std::string(coding) + "\r\n"))));
  const response empty = caller.ask(post("", "Content-Encoding: gzip\r\n"));
  CHECK(empty.status == 500);
  CHECK(empty.holds("not well-formed XML"));
}

/// Requests a compressed response of the depot.
const std::string give_packed = post_to("Depot", "Give", "Accept-Encoding: gzip\r\n");

TEST_CASE("threads that wait to compress stop with the host", "[http][gzip][shutdown]") {
  auto options = with_threads(1, 16);  // one thread may compute
  options.server.timeouts.stop = 0ms;
  Depot depot;
  server at(std::move(options), false);
  at.host.add(depot);
  at.serve();
  std::vector<client> callers;
  for (int turn = 0; turn != 8; ++turn)
    callers.emplace_back(at.port).send(give_packed);
  REQUIRE(eventually([&] { return depot.calls >= 4; }));
  CHECK(at.stop() < 5s);
}

TEST_CASE("large requests get their turn beside compressed responses", "[http][gzip][overload]") {
  auto options = with_threads(1, 16);
  options.server.timeouts.queue = 15s;  // a call may take seconds under the thread sanitizer
  Depot depot;
  server at(std::move(options), false);
  at.host.add(depot);
  at.serve();
  std::atomic<bool> enough{false};
  std::vector<std::thread> readers;
  for (int turn = 0; turn != 8; ++turn)  // so that some always wait to compress
    readers.emplace_back([&] {
      for (client caller(at.port); !enough && caller.try_send(give_packed);)
        caller.read();
    });
  CHECK(eventually([&] { return depot.calls >= 20; }));
  for (int turn = 0; turn != 3; ++turn)
    CHECK(is_ok(ask(at.port, post(large(echo("x"))))));
  enough = true;
  for (std::thread& each : readers)
    each.join();
}

TEST_CASE("a connection ends after as many requests as are allowed", "[http][keep-alive]") {
  auto options = quick_options();
  options.server.limits.max_requests_per_connection = 3;
  server at(std::move(options));
  client caller(at.port);
  CHECK_FALSE(caller.ask(post(echo("1"))).closes());
  CHECK_FALSE(caller.ask(post(echo("2"))).closes());
  CHECK(caller.ask(post(echo("3"))).closes());
  CHECK(caller.is_closed());
}

TEST_CASE("only trusted proxies are believed", "[http][trusted-proxy]") {
  const std::string fields =
      "X-Forwarded-Proto: https\r\nX-Forwarded-Host: pay.example\r\nX-Forwarded-For: 9.9.9.9\r\n";
  {
    server at;
    CHECK(ask(at.port, get(path + "?wsdl", fields)).holds("\"http://localhost/soap/"));
    CHECK(ask(at.port, post(envelope("About"), fields)).holds(">127.0.0.1|<"));
  }
  auto options = quick_options();
  options.trusted_proxies = {"127.0.0.1"};
  server at(std::move(options));
  CHECK(ask(at.port, get(path + "?wsdl", fields)).holds("\"https://pay.example/soap/"));
  CHECK(ask(at.port, post(envelope("About"), fields)).holds(">9.9.9.9|<"));
}

TEST_CASE("a listener on loopback answers to its own names only", "[http][rule-12][host-header]") {
  server at;
  const auto under = [&](const std::string& host, const std::string& version = "1.1") {
    const std::string field = host.empty() ? "" : "Host: " + host + "\r\n";
    return ask(at.port, "GET " + path + "?wsdl HTTP/" + version + "\r\n" + field + "\r\n");
  };
  const std::string port = ":" + std::to_string(at.port);
  for (const char* own : {"localhost", "127.0.0.1", "a.localhost", "[::1]"})
    CHECK(under(own + port).status == 200);
  CHECK(under("", "1.0").status == 200);
  const response refused = under("rebound.example" + port);
  CHECK(refused.head.starts_with("HTTP/1.1 421 Misdirected Request\r\n"));
  CHECK(refused.holds("host_names"));
  CHECK(under("127.0.0.1.example" + port, "1.0").status == 421);
}

// --- Slow and greedy peers -----------------------------------------------------------------------

namespace {

net::host_setup impatient_options() {
  auto options = quick_options();
  options.server.timeouts.header = 600ms;
  options.server.timeouts.read = 600ms;
  options.server.timeouts.request = 1'200ms;
  options.server.timeouts.idle = 800ms;
  options.server.timeouts.write = 600ms;
  return options;
}

/// Eighty callers with requests that are never complete.
struct slow_crowd {
  explicit slow_crowd(int port) {
    for (int turn = 0; turn != 20; ++turn) {
      mute.emplace_back(port);
      half.emplace_back(port).send(whole.substr(0, turn % 2 == 0 ? 50 : whole.size() - 20));
      slow_head.emplace_back(port);
      slow_body.emplace_back(port).send(whole.substr(0, whole.size() - 300));
    }
  }
  void send_byte(std::size_t turn) {
    for (client& one : slow_head)
      one.try_send(whole.substr(turn, 1));
    for (client& one : slow_body)
      one.try_send(whole.substr(whole.size() - 300 + turn, 1));
  }
  const std::string whole = post(echo(std::string(200, 'x')));
  std::vector<client> mute, half, slow_head, slow_body;
};

}  // namespace

TEST_CASE("slow, silent and half-sent requests hold no thread", "[http][timeout]") {
  server at(patient_options());
  slow_crowd crowd(at.port);
  client ordinary(at.port);
  for (std::size_t turn = 0; turn != 40; ++turn) {
    crowd.send_byte(turn);
    REQUIRE(is_ok(ordinary.ask(post(echo("x")))));
  }
  CHECK(eventually([&] { return at.host.statistics().connections == 81; }));  // none is cut off
}

TEST_CASE("slow, silent and half-sent requests are cut off", "[http][timeout]") {
  server at(impatient_options());
  slow_crowd crowd(at.port);
  const auto begun = clock::now();
  for (std::size_t turn = 0; clock::now() - begun < 2s; ++turn) {
    crowd.send_byte(turn);
    std::this_thread::sleep_for(50ms);
  }
  for (client& one : crowd.mute)
    CHECK(one.is_closed());
  for (auto* group : {&crowd.half, &crowd.slow_head, &crowd.slow_body})
    for (client& one : *group)
      CHECK(one.read().status == 408);
  CHECK(eventually([&] { return at.host.statistics().connections == 0; }));
}
TEST_CASE(
    "idle connections end after their timeout, and each use restarts it",
    "[http][timeout][keep-alive]") {
  server at(impatient_options());
  client idle(at.port);
  client used(at.port);
  for (int turn = 0; turn != 12; ++turn) {  // longer than the timeout, with far shorter pauses
    CHECK(is_ok(used.ask(post(echo("x")))));
    std::this_thread::sleep_for(100ms);
  }
  CHECK(idle.is_closed());
  CHECK(is_ok(used.ask(post(echo("x")))));
  CHECK(used.is_closed());
}

TEST_CASE(
    "a response that is not read holds no worker, and ends in time", "[http][timeout][overload]") {
  auto options = impatient_options();
  options.server.threads = 1;
  server at(std::move(options));
  std::vector<client> deaf;
  for (int turn = 0; turn != 5; ++turn) {
    client& one = deaf.emplace_back(at.port, 4'096).send(post(with_number("Big", 10'000'000)));
    CHECK_FALSE(one.is_quiet(10s));
  }
  client slow(at.port, 4'096);
  slow.send(post(with_number("Big", 8'000'000)) + post(echo("behind it")));
  for (int turn = 0; turn != 20; ++turn)
    CHECK(is_ok(ask(at.port, post(echo("x")))));
  CHECK(slow.read().body.size() > 8'000'000);
  CHECK(slow.read().holds("behind it"));
  // The kernel's buffers grow for a while, so it accepts bytes that the caller has not read.
  CHECK(eventually([&] { return at.host.statistics().connections == 0; }));
  for (client& one : deaf)
    CHECK(one.read_to_end().size() < 10'000'000);
}

TEST_CASE(
    "a caller that reads a response or sends a body too slowly is cut off", "[http][timeout]") {
  auto options = quick_options();
  options.server.timeouts.request = 60s;
  options.server.timeouts.read = 5s;
  options.server.timeouts.write = 600ms;
  options.server.timeouts.min_bytes_per_second = 2'000;
  server at(std::move(options));
  client taking(at.port, 4'096);
  taking.send(post(with_number("Big", 20'000'000)));
  REQUIRE_FALSE(taking.is_quiet(60s));
  client sending(at.port);
  const std::string whole = post(echo(std::string(1'000'000, 'x')));
  sending.send(whole.substr(0, 1'000));
  client quick(at.port);
  quick.send(whole.substr(0, 1'000));
  std::size_t sent = 1'000;
  // The slow callers move a byte at a time, so they are never silent. The quick one sends at 20
  // times the rate until the last of them is cut off, which is longer than any single timeout.
  for (int turn = 0; turn != 450 && sending.is_quiet(0ms); ++turn) {
    char byte = 0;
    static_cast<void>(::recv(taking.fd(), &byte, 1, MSG_DONTWAIT));
    static_cast<void>(sending.try_send("x"));
    quick.send(whole.substr(sent, 2'000));
    sent += 2'000;
    std::this_thread::sleep_for(50ms);
  }
  CHECK_FALSE(sending.is_quiet(0ms));  // the loop did not end by its count
  CHECK(is_ok(quick.ask(whole.substr(sent))));
  CHECK(sending.read().status == 408);
  CHECK(taking.read_to_end().size() < 20'000'000);
}

TEST_CASE("a whole response has a timeout", "[http][timeout]") {
  auto options = quick_options();
  options.server.timeouts.write = 300ms;
  options.server.timeouts.response = 1s;
  server at(std::move(options));
  client steady(at.port, 4'096);
  steady.send(post(with_number("Big", 60'000'000)));
  std::size_t taken = 0;
  for (int turn = 0; turn != 60; ++turn) {
    taken += steady.receive().size();
    std::this_thread::sleep_for(50ms);
  }
  CHECK(taken + steady.read_to_end().size() < 60'000'000);
}

TEST_CASE("unread responses have a common bound", "[http][overload][limits]") {
  auto options = quick_options();
  options.server.limits.max_buffered_bytes = 30'000'000;
  server at(std::move(options));
  std::vector<client> deaf;
  for (int turn = 0; turn != 6; ++turn)
    deaf.emplace_back(at.port, 4'096).send(post(with_number("Big", 15'000'000)));
  CHECK(eventually([&] { return at.desk.calls == 6 && at.host.statistics().connections <= 2; }));
  deaf.clear();
  CHECK(is_ok(ask(at.port, post(with_number("Big", 15'000'000)))));
}

// A Unix socket accepts a part of the response. After some sizes there is no room for the next
// request beside the rest.
TEST_CASE("a refusal never replaces the rest of a response", "[http][overload][limits]") {
  const scratch_folder folder;
  const std::string file = folder.file("socket");
  const std::string next = post(echo(std::string(100'000, 'x'))).substr(0, 55'000);
  for (std::size_t size = 300'000; size != 700'000; size += 50'000) {
    auto options = patient_options();
    options.server.limits.max_buffered_bytes = 300'000;
    std::atomic<int> asked{0};
    server at(std::move(options), false);
    at.host.add_page("/long", [&asked, size](const auto&) {
      ++asked;
      return soapsvc::http_response{200, "text/plain", {}, std::string(size, 'x')};
    });
    at.host.bind({.unix_path = file});
    client caller(file);
    caller.send(get("/long") + next);  // so that all has arrived when the host begins to read
    at.serve();
    REQUIRE(eventually([&] {
      const soapsvc::host_statistics now = at.host.statistics();
      return asked == 1 && now.parked == now.connections;
    }));
    caller.half_close();
    CHECK(caller.read_to_end().find("HTTP/1.1 503") == std::string::npos);
  }
}

TEST_CASE("requests with running methods have a common bound", "[http][overload][limits]") {
  auto options = with_threads(2, 8);
  options.server.limits.max_buffered_bytes = 7'000'000;
  server at(std::move(options));
  // Such a request counts 4 MB: its text, and the same for its values.
  const std::string request = post(envelope("HoldBlocking") + std::string(2'000'000, ' '));
  client first(at.port);
  first.send(request);
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  const response refused = ask(at.port, request);
  CHECK(refused.status == 503);
  CHECK(refused.holds("take too much memory"));
  CHECK(is_ok(ask(at.port, post(echo("meanwhile")))));
  at.desk.open();
  CHECK(is_ok(first.read()));
  CHECK(is_ok(ask(at.port, request)));
}

// --- Overload ------------------------------------------------------------------------------------

TEST_CASE(
    "when all blocking threads are busy and the queue is full, callers get 503",
    "[http][overload]") {
  auto options = with_threads(1, 2);
  options.server.limits.max_queued_requests = 3;
  server at(std::move(options));
  std::vector<client> holding, queued, refused;
  for (int turn = 0; turn != 2; ++turn)
    holding.emplace_back(at.port).send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 2; }));
  for (int turn = 0; turn != 3; ++turn)
    queued.emplace_back(at.port).send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.host.statistics().queued == 3; }));
  for (int turn = 0; turn != 3; ++turn) {
    client& caller = refused.emplace_back(at.port).send(post(envelope("HoldBlocking")));
    const response got = caller.read();
    CHECK(got.status == 503);
    CHECK(std::stoi(got.field("retry-after")) > 0);
    CHECK(got.closes());
  }
  CHECK(is_ok(ask(at.port, post(echo("meanwhile")))));
  at.desk.open();
  for (client& caller : holding)
    CHECK(is_ok(caller.read()));
  for (client& caller : queued)
    CHECK(is_ok(caller.read()));
  CHECK(at.desk.held == 5);
  for (int turn = 0; turn != 2; ++turn)
    for (client& caller : queued)
      CHECK(is_ok(caller.ask(post(echo("and on")))));
  CHECK(at.host.statistics().queued == 0);
}

TEST_CASE(
    "long pipelined requests are not served in a row before those of others",
    "[http][pipelining]") {
  auto options = quick_options();
  options.server.threads = 1;
  options.server.limits.max_executor_threads = 0;
  server at(std::move(options));
  client greedy(at.port), other(at.port);
  std::string many;
  for (int turn = 0; turn != 40; ++turn)
    many += post(with_number("Slow", 20));
  greedy.send(many);
  REQUIRE(eventually([&] { return at.desk.calls > 0; }));
  CHECK(is_ok(other.ask(post(echo("meanwhile")))));
  CHECK(at.desk.calls < 40);
  for (int turn = 0; turn != 40; ++turn)
    CHECK(is_ok(greedy.read()));
}

TEST_CASE(
    "a connection that waited long in the queue is not idle after its response",
    "[http][timeout][overload]") {
  auto options = impatient_options();
  options.server.threads = 1;
  options.server.limits.max_executor_threads = 1;
  server at(std::move(options));
  client holding(at.port);
  holding.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  client caller(at.port);
  caller.send(post(envelope("HoldBlocking")));
  std::this_thread::sleep_for(1'500ms);  // longer than any deadline
  at.desk.open();
  CHECK(is_ok(caller.read()));
  std::this_thread::sleep_for(400ms);
  CHECK(is_ok(caller.ask(post(echo("again")))));
  CHECK(is_ok(holding.read()));
}

TEST_CASE("a caller that sends without end leaves room for others", "[http][overload]") {
  auto options = quick_options();
  options.server.threads = 1;
  server at(std::move(options));
  std::atomic<bool> done{false};
  std::thread greedy([&] {
    client caller(at.port);
    std::string many;
    for (int turn = 0; turn != 100; ++turn)
      many += post(echo("x"));
    std::thread reader([&] {
      try {
        while (!caller.receive().empty())
          continue;
      } catch (const std::exception&) {
      }
    });
    while (!done && caller.try_send(many))
      continue;
    caller.half_close();
    reader.join();
  });
  for (int turn = 0; turn != 20; ++turn) {
    CHECK(is_ok(ask(at.port, post(echo("y")))));
  }
  done = true;
  greedy.join();
}

TEST_CASE("open connections do not exceed the maximum", "[http][overload]") {
  auto options = quick_options();
  options.server.threads = 2;
  options.server.limits.max_connections = 2;
  std::atomic<int> notices{0};
  options.server.on_notice = [&](std::string_view) { ++notices; };
  server at(std::move(options));
  std::vector<client> open;  // none is idle
  for (int turn = 0; turn != 2; ++turn)
    open.emplace_back(at.port).send(post(envelope("Hold")));
  REQUIRE(eventually([&] { return at.desk.held == 2; }));
  const auto begun = clock::now();
  for (int turn = 0; turn != 50; ++turn) {
    client refused(at.port);
    const response got = refused.read();
    CHECK(got.status == 503);
    CHECK(got.field("retry-after") == "1");
  }
  const int told = notices;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(clock::now() - begun).count();
  CHECK(told >= 1);
  CHECK(told <= seconds + 1);
  at.desk.open();
  for (client& one : open)
    CHECK(is_ok(one.read()));
  open.pop_back();
  CHECK(eventually([&] { return ask(at.port, post(echo("x"))).status == 200; }));
}

namespace {

/// A request without its last byte.
std::string half_post(std::size_t bytes, const std::string& fields) {
  std::string whole = post(std::string(bytes, 'x'), fields);
  whole.pop_back();
  return whole;
}

}  // namespace

TEST_CASE(
    "the address with most connections loses the one that is idle longest", "[http][overload]") {
  auto options = quick_options();
  options.server.limits.max_connections = 10;
  server at(std::move(options));
  // A connection is idle from the time at which a worker leaves it, in milliseconds.
  const auto pass_a_moment = [&] {
    REQUIRE(at.comes_to_rest());
    std::this_thread::sleep_for(2ms);
  };
  client first(at.port);
  CHECK(is_ok(first.ask(post(echo("idle before all others")))));
  std::vector<client> greedy;
  for (int turn = 0; turn != 9; ++turn) {
    CHECK(is_ok(greedy.emplace_back(at.port, 0, 2).ask(post(echo("x")))));
    pass_a_moment();
  }
  CHECK(is_ok(greedy[0].ask(post(echo("not idle any more")))));
  pass_a_moment();
  std::vector<client> others;
  for (int turn = 0; turn != 3; ++turn)
    CHECK(is_ok(others.emplace_back(at.port, 0, 3 + turn).ask(post(echo("new")))));
  for (std::size_t turn = 1; turn != 4; ++turn)
    CHECK(greedy[turn].is_closed());
  for (std::size_t turn : {0U, 4U, 5U, 6U, 7U, 8U}) {
    CHECK(is_ok(greedy[turn].ask(post(echo("stays")))));
    pass_a_moment();
  }
  CHECK(is_ok(first.ask(post(echo("stays")))));
  CHECK(is_ok(others[0].ask(post(echo("stays")))));
  client one_more(at.port, 0, 2);  // also a new connection of the greedy address
  CHECK(is_ok(one_more.ask(post(echo("new")))));
  CHECK(greedy[0].is_closed());
  CHECK(at.host.statistics().connections == 10);
}

TEST_CASE("the address with most unfinished bytes loses its largest request", "[http][overload]") {
  auto options = quick_options();
  options.server.limits.max_buffered_bytes = 1'000'000;
  server at(std::move(options));
  const auto part = [](std::size_t bytes) { return half_post(bytes, ""); };
  std::vector<client> greedy;
  for (const std::size_t size : {200'000U, 300'000U, 250'000U, 200'000U})
    greedy.emplace_back(at.port, 0, 2).send(part(size));
  REQUIRE(at.comes_to_rest());
  for (client& one : greedy)
    REQUIRE(one.is_quiet(0ms));
  std::vector<client> small;
  for (int turn = 0; turn != 5; ++turn) {  // requests in two packets
    const std::string whole = post(echo(std::string(30'000, 'y')));
    client& one = small.emplace_back(at.port, 0, 3).send(whole.substr(0, 29'000));
    REQUIRE(at.comes_to_rest());
    CHECK(is_ok(one.ask(whole.substr(29'000))));
    if (turn < 4) small.emplace_back(at.port, 0, 4 + turn).send(whole.substr(0, 29'000));
    REQUIRE(at.comes_to_rest());
  }
  CHECK(greedy[1].read().status == 503);
  for (std::size_t turn : {0U, 2U, 3U})
    CHECK(greedy[turn].is_quiet(0ms));
  greedy.emplace_back(at.port, 0, 2).send(part(400'000));  // its requests are the largest
  CHECK(greedy.back().read().status == 503);
}

TEST_CASE("a busy address does not protect the idle bytes of others", "[http][overload]") {
  auto options = quick_options();
  options.server.limits.max_buffered_bytes = 1'700'000;
  server at(std::move(options));
  const auto comes_to_rest = [&] {
    return eventually([&] {
      const soapsvc::host_statistics now = at.host.statistics();
      return is_read_up(at.port) && now.parked + 1 == now.connections;
    });
  };
  client busy(at.port, 0, 2), idle(at.port, 0, 3), small(at.port, 0, 4);
  busy.send(post(envelope("HoldBlocking") + std::string(600'000, ' ')));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  idle.send(half_post(450'000, ""));
  REQUIRE(comes_to_rest());
  CHECK(idle.is_quiet(0ms));  // nothing can be evicted, so a little more is allowed
  const std::string whole = post(echo(std::string(250'000, 'y')));
  small.send(whole.substr(0, 250'000));
  REQUIRE(comes_to_rest());
  CHECK(idle.read().status == 503);
  CHECK(is_ok(small.ask(whole.substr(250'000))));
  at.desk.open();
  CHECK(is_ok(busy.read()));
}

TEST_CASE("behind a trusted proxy, shares count by caller", "[http][overload][trusted-proxy]") {
  auto options = quick_options();
  options.server.limits.max_buffered_bytes = 1'000'000;
  options.trusted_proxies = {"127.0.0.1"};
  server at(std::move(options));
  const auto part = [](const std::string& caller, std::size_t bytes) {
    return half_post(bytes, "X-Forwarded-For: " + caller + "\r\n");
  };
  client modest(at.port);
  modest.send(part("192.0.2.1", 300'000));  // the largest of all
  std::vector<client> greedy;
  for (int turn = 0; turn != 4; ++turn)
    greedy.emplace_back(at.port).send(part("2001:db8:0:1::" + std::to_string(turn), 120'000));
  REQUIRE(at.comes_to_rest());
  client late(at.port);
  late.send(part("192.0.2.2", 250'000));
  REQUIRE(at.comes_to_rest());
  int refused = 0;
  for (client& one : greedy)
    if (!one.is_quiet(0ms)) refused += one.read().status == 503 ? 1 : 0;
  CHECK(refused >= 1);
  CHECK(modest.is_quiet(0ms));
  CHECK(late.is_quiet(0ms));
}

TEST_CASE("the address with most requests in a full queue loses its last one", "[http][overload]") {
  auto options = quick_options();
  options.server.threads = 1;
  options.server.limits.max_executor_threads = 1;
  options.server.limits.max_queued_requests = 3;
  server at(std::move(options));
  client holding(at.port);
  holding.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  std::vector<client> greedy;
  for (std::size_t turn = 0; turn != 3; ++turn) {
    greedy.emplace_back(at.port, 0, 2).send(post(note("greedy")));
    REQUIRE(eventually([&] { return at.host.statistics().queued == turn + 1; }));
  }
  client modest(at.port, 0, 3);
  modest.send(post(note("modest")));
  CHECK(greedy[2].read().status == 503);
  client more(at.port, 0, 2);
  CHECK(more.ask(post(note("more"))).status == 503);
  CHECK(at.host.statistics().queued == 3);
  at.desk.open();
  CHECK(is_ok(holding.read()));
  CHECK(is_ok(modest.read()));
  for (std::size_t turn : {0U, 1U})
    CHECK(is_ok(greedy[turn].read()));
  CHECK(at.desk.noted() == std::vector<std::string>{"greedy", "modest", "greedy"});
}

namespace {

/// In its own process with few file descriptors: serves, writes its port and later its notices to
/// the pipe, and ends with the pipe.
[[noreturn]] void serve_with_few_descriptors(int pipe, std::size_t wasted) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // so that a failed test leaves no process
  const rlimit few{256, 256};
  ::setrlimit(RLIMIT_NOFILE, &few);
  for (std::size_t turn = 0; turn != wasted; ++turn)
    static_cast<void>(::open("/dev/null", O_RDONLY));
  auto options = quick_options();
  options.server.on_notice = [pipe](std::string_view what) {
    const std::string line = std::string(what) + '\n';
    static_cast<void>(!::write(pipe, line.data(), line.size()));
  };
  server at(std::move(options));
  const std::string line = std::to_string(at.port) + '\n';
  static_cast<void>(!::write(pipe, line.data(), line.size()));
  at.join();
  ::_exit(0);
}

/// Opens connections with a call each, which get 200 or a refusal; returns the number of calls with
/// 200.
int count_served(int port, int count, std::vector<client>& callers) {
  int served = 0;
  for (int turn = 0; turn != count; ++turn) {
    client& caller = callers.emplace_back(port);
    if (!caller.try_send(post(echo("x")))) continue;
    const int status = caller.read().status;
    CHECK((status == 200 || status == 503 || status == 0));
    served += status == 200 ? 1 : 0;
  }
  return served;
}

}  // namespace

TEST_CASE(
    "when file descriptors run out, callers are refused, and later served again",
    "[http][overload]") {
  for (const std::size_t wasted : {0U, 150U}) {  // the host's own bound, the kernel's
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) serve_with_few_descriptors(ends[1], wasted);
    ::close(ends[1]);
    FILE* const told = ::fdopen(ends[0], "r");
    char line[256];
    REQUIRE(std::fgets(line, sizeof line, told) != nullptr);
    const int port = std::atoi(line);
    const auto begun = clock::now();
    {
      std::vector<client> callers;
      const int served = count_served(port, 500, callers);
      CHECK(served > 50);
      CHECK((wasted == 0 ? served == 500 : served < 256));  // with some, idle ones end
    }
    CHECK(eventually([&] { return ask(port, post(echo("x"))).status == 200; }));
    std::vector<client> again;
    for (int turn = 0; turn != 50; ++turn)
      CHECK(is_ok(again.emplace_back(port).ask(post(echo("x")))));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(clock::now() - begun).count();
    int notices = 0;
    while (std::fgets(line, sizeof line, told) != nullptr)
      ++notices;
    std::fclose(told);
    CHECK(notices >= 1);
    CHECK(notices <= seconds + 1);
  }
}

// --- Unix domain sockets -------------------------------------------------------------------------

TEST_CASE("repeated errors of accept do not spin, and are reported", "[http]") {
  auto options = quick_options();
  std::atomic<int> told{0};
  options.server.on_notice = [&](std::string_view what) {
    told += what.find("no connection can be accepted: Operation not permitted") == 0 ? 1 : 0;
  };
  server at(options);
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  accepts = 0;
  accept_error = EPERM;
  client waiting(at.port);
  waiting.send(post(echo("y")));
  CHECK(eventually([&] { return accepts >= 20; }));
  CHECK(told == 1);
  const int before = accepts;
  const auto begun = clock::now();
  std::this_thread::sleep_for(200ms);
  const int tries = accepts - before;
  CHECK(tries < 2 * (clock::now() - begun) / 5ms);  // 20, not tens of thousands
  accept_error = EMFILE;  // no connection waits, so none is refused
  const int full = accepts;
  CHECK(eventually([&] { return accepts - full >= 10; }));
  CHECK(at.host.statistics().refused == 0);
  accept_error = ECONNABORTED;  // of one caller; the next one waits
  const int aborted = accepts;
  CHECK(eventually([&] { return accepts - aborted >= 1'000; }));
  accept_error = 0;
  CHECK(is_ok(waiting.read()));
}

TEST_CASE("bytes after a refusal take little stack", "[http][limits]") {
  auto options = quick_options();
  options.limits.max_body_bytes = 10'000;
  server at(std::move(options));
  client caller(at.port);
  caller.send(chunked_head() + "2711\r\n");
  caller.try_send(std::string(300'000, 'x'));
  CHECK(caller.read().status == 413);
  caller.try_send(std::string(300'000, 'x'));
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  CHECK(most_on_stack <= 16'384);
}

TEST_CASE("no file is inherited by a program that is started", "[http]") {
  const auto open_now = [] {
    std::set<int> all;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
      all.insert(std::stoi(each.path().filename().string()));
    return all;
  };
  const std::set<int> before = open_now();  // inherited from the parent process
  const scratch_folder folder;
  identity("localhost").write(folder.file("own.pem"));
  auto options = quick_options();
  options.server.tls.certificate_file = folder.file("own.pem");
  server at(std::move(options), false);
  at.host.bind({.unix_path = folder.file("socket")});
  at.serve();
  soapsvc::client_options with;
  with.ns_base = "http://example.com/soap";
  with.ca_file = folder.file("own.pem");
  soapsvc::client<Desk> caller("https://localhost:" + std::to_string(at.port) + path, with);
  CHECK(caller.call(&Desk::echo, Words{"x"}) == "x");
  with.unix_path = folder.file("socket");
  soapsvc::client<Desk> near("https://localhost" + path, with);
  CHECK(near.call(&Desk::echo, Words{"x"}) == "x");
  const auto bytes = soapsvc::read_file(folder.file("own.pem"));
  int seen = 0;
  for (const int fd : open_now()) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags < 0 || before.contains(fd)) continue;  // the folder that was read is closed
    ++seen;
    INFO(fd);
    CHECK((flags & FD_CLOEXEC) != 0);
  }
  CHECK(seen >= 11);
}

namespace {
/// bind in its own thread, for a test that observes it meanwhile.
class binding_thread {
public:
  binding_thread(soapsvc::host& host, const std::string& path)
      : thread_([this, &host, path] {
          try {
            host.bind({.unix_path = path});
          } catch (const std::runtime_error& error) {
            error_ = error.what();
          }
          over = true;
        }) {}
  ~binding_thread() {
    if (thread_.joinable()) thread_.join();
  }
  binding_thread(const binding_thread&) = delete;
  binding_thread& operator=(const binding_thread&) = delete;

  /// Waits for the end; returns the text of the exception, or "".
  const std::string& error() {
    if (thread_.joinable()) thread_.join();
    return error_;
  }
  std::atomic<bool> over = false;

private:
  std::string error_;
  std::thread thread_;
};
}  // namespace

TEST_CASE("a server that is bound and does not listen yet keeps its socket", "[http]") {
  const scratch_folder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  folder.file("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  // Like a socket of another server that will listen soon.
  const soapsvc::detail::descriptor lock(
      ::open(folder.file(".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::flock(lock.get(), LOCK_EX) == 0);
  const soapsvc::detail::descriptor other(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(other.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  server at(quick_options(), false);
  binding_thread binding(at.host, folder.file("socket"));
  CHECK_FALSE(eventually([&] { return binding.over.load(); }, 300ms));
  CHECK(std::filesystem::exists(folder.file("socket")));
  REQUIRE(::listen(other.get(), 4) == 0);
  ::flock(lock.get(), LOCK_UN);
  CHECK(
      binding.error() ==
      "cannot listen on " + folder.file("socket") + ": another server listens there");
  const client caller(folder.file("socket"));  // which the other server still has
}

TEST_CASE("a Unix domain socket serves; what an earlier server left is replaced", "[http]") {
  const scratch_folder folder;
  const std::string file = folder.file("socket");
  for (int turn = 0; turn != 2; ++turn) {
    server at(quick_options(), false);
    at.host.bind({.unix_path = file});
    at.serve();
    client caller(file);
    CHECK(caller.ask(post(envelope("About"))).holds(">unix|<"));
    CHECK(is_ok(ask(at.port, post(echo("and by TCP")))));
    server other(quick_options(), false);
    CHECK_THROWS_WITH(other.host.bind({.unix_path = file}), Catch::Contains("another server"));
  }
  const std::string plain = folder.file("plain");
  ::close(::open(plain.c_str(), O_CREAT | O_WRONLY, 0600));
  server at(quick_options(), false);
  CHECK_THROWS_AS(
      at.host.bind({.unix_path = plain}), std::runtime_error);  // no socket: it is not removed
  CHECK(std::filesystem::exists(plain));
  CHECK_THROWS_WITH(
      at.host.bind({.unix_path = "/" + std::string(200, 'x')}),
      Catch::Contains("a path has 1 to 107 bytes"));
}

TEST_CASE("a busy server at the same Unix socket is detected without a wait", "[http]") {
  const scratch_folder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  folder.file("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const auto make = [] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); };
  soapsvc::detail::descriptor other(make());
  REQUIRE(::bind(other.get(), generic, sizeof address) == 0);
  REQUIRE(::listen(other.get(), 0) == 0);
  std::vector<soapsvc::detail::descriptor> waiting;
  do
    waiting.emplace_back(make());
  while (::connect(waiting.back().get(), generic, sizeof address) == 0);
  REQUIRE(errno == EAGAIN);
  server at(quick_options(), false);
  binding_thread binding(at.host, folder.file("socket"));
  CHECK(eventually([&] { return binding.over.load(); }, 2s));
  other.reset();  // closes one that waits
  CHECK(
      binding.error() ==
      "cannot listen on " + folder.file("socket") + ": another server listens there");
}

TEST_CASE("a listener for operators has the pages and no services", "[http]") {
  server at(quick_options(), false);
  const auto answer = [](const auto&) {
    return soapsvc::http_response{200, "text/plain", {}, "x"};
  };
  at.host.add_page("/status", answer, soapsvc::listener_role::operators);
  const int own = at.host.bind({.role = soapsvc::listener_role::operators});
  const int second = at.host.bind({"127.0.0.1", 0});
  at.serve();
  CHECK(ask(own, get("/status")).status == 200);
  CHECK(ask(own, post(echo("x"))).status == 404);
  for (const int port : {at.port, second}) {
    CHECK(ask(port, get("/status")).status == 404);
    CHECK(is_ok(ask(port, post(echo("x")))));
  }
  CHECK(at.desk.calls == 2);
}

TEST_CASE("a port that is in use is an error in one line", "[http]") {
  server at;
  server other(quick_options(), false);
  CHECK_THROWS_WITH(
      other.host.bind({"127.0.0.1", at.port}),
      "cannot listen on 127.0.0.1:" + std::to_string(at.port) + ": Address already in use");
  CHECK_THROWS_AS(other.host.bind({"127.0.0.1", 70'000}), std::runtime_error);
  CHECK_THROWS_AS(other.host.bind({"no such host", 0}), std::runtime_error);
}

namespace {

/// A request whose method reads the bytes while they arrive, up to its end.
const std::string end_of_take = "</Bytes></Take></e:Body></e:Envelope>";
const std::string begin_of_take = [] {
  const std::string begin =
      "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><Take "
      "xmlns=\"http://example.com/soap/Depot\"><Bytes>" +
      std::string(80'000, 'A');
  return "POST /soap/v3/Depot.asmx HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n"
         "Content-Length: " +
         std::to_string(begin.size() + end_of_take.size()) + "\r\n\r\n" + begin;
}();

std::vector<client> callers_of(const server& at, int count, const char* operation) {
  std::vector<client> callers;
  for (int turn = 0; turn != count; ++turn)
    callers.emplace_back(at.port).send(post(envelope(operation)));
  return callers;
}

std::size_t memory_in_use() {
  const auto now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

}  // namespace

TEST_CASE("a blocking section lets another thread become a worker", "[http]") {
  server at(with_threads(1, 7));
  std::vector<client> callers = callers_of(at, 7, "HoldAndSaySo");
  CHECK(eventually([&] { return at.desk.held == 7; }));
  for (int turn = 0; turn != 20; ++turn) {
    CHECK(is_ok(ask(at.port, post(echo("x")))));
    CHECK(at.desk.on_worker);
  }
  at.desk.open();
  for (client& caller : callers)
    CHECK(is_ok(caller.read()));
  for (int turn = 0; turn != 50; ++turn)
    CHECK(is_ok(ask(at.port, post(echo("x")))));
}

TEST_CASE("only large requests are handled by the executor", "[http]") {
  server at(with_threads(1, 1));
  for (int turn = 0; turn != 3; ++turn) {
    CHECK(is_ok(ask(at.port, post(echo("x")))));
    CHECK(at.desk.on_worker);
    CHECK(is_ok(ask(at.port, post(large(echo("x"))))));
    CHECK_FALSE(at.desk.on_worker);
    CHECK(is_ok(ask(at.port, post(gzipped(large(echo("x"))), "Content-Encoding: gzip\r\n"))));
    CHECK_FALSE(at.desk.on_worker);
  }
}

TEST_CASE("a thread keeps little memory after several large requests", "[http][memory]") {
  std::string blocks;
  for (int turn = 0; turn != 200'000; ++turn)
    blocks += "<a/>";
  std::string request = echo("x");
  request.insert(
      request.find("<e:Body>"), "<e:Header><b xmlns='urn:b'>" + blocks + "</b></e:Header>");
  server at(with_threads(1, 1));
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  const std::size_t before = memory_in_use();
  for (int turn = 0; turn != 6; ++turn)
    CHECK(is_ok(ask(at.port, post(request))));
  CHECK(eventually([&] { return memory_in_use() < before + 8'000'000; }));
}

TEST_CASE("threads that served large requests keep no memory of them", "[http][memory]") {
  std::string blocks;
  for (int turn = 0; turn != 5'000; ++turn)
    blocks += "<a/>";
  blocks += "<a>&amp;" + std::string(900'000, 'x') + "</a>";
  std::string request = envelope("Hold");
  request.insert(
      request.find("<e:Body>"), "<e:Header><b xmlns='urn:b'>" + blocks + "</b></e:Header>");
  request = post(request);
  server at(with_threads(1, 8));
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  const std::size_t before = memory_in_use();
  std::vector<client> callers;
  for (int turn = 0; turn != 7; ++turn)
    callers.emplace_back(at.port).send(request);
  REQUIRE(eventually([&] { return at.desk.held == 7; }));  // each by its own thread
  at.desk.open();
  for (client& caller : callers)
    CHECK(is_ok(caller.read()));
  CHECK(eventually([&] { return memory_in_use() < before + 5'000'000; }));
}

TEST_CASE("workers that were replaced keep nothing of a large response", "[http][memory]") {
  Depot depot;
  server at(with_threads(1, 7), false);
  at.host.add(depot);
  at.serve();
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  const std::size_t before = memory_in_use();
  std::vector<client> callers;
  for (int turn = 0; turn != 7; ++turn)
    callers.emplace_back(at.port).send(post_to("Depot", "Fetch"));
  CHECK(eventually([&] { return depot.calls == 7; }));  // each by a thread of its own
  depot.is_open = true;
  for (client& caller : callers)
    CHECK(caller.read().body.size() > 1'500'000);
  callers.clear();
  CHECK(eventually([&] { return memory_in_use() < before + 5'000'000; }));
}

TEST_CASE("executor threads that packed a response keep no state of it", "[http][gzip][memory]") {
  auto options = with_threads(1, 8);
  options.server.gzip_min_bytes = 1;
  server at(std::move(options));
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  const std::size_t before = memory_in_use();
  std::vector<client> callers;
  for (int turn = 0; turn != 6; ++turn)
    callers.emplace_back(at.port).send(post(envelope("HoldBlocking"), "Accept-Encoding: gzip\r\n"));
  CHECK(eventually([&] { return at.desk.held == 6; }));  // each by a thread of its own
  at.desk.open();
  for (client& caller : callers)
    CHECK(caller.read().field("vary") == "Accept-Encoding");
  callers.clear();
  CHECK(eventually([&] { return memory_in_use() < before + 1'000'000; }));  // not 256 KB each
}

TEST_CASE("after a long computation, a connection is served once more by the executor", "[http]") {
  server at(with_threads(1, 1));
  const std::string slow = envelope("Match", "<Text>" + std::string(30'000, 'a') + "</Text>");
  client caller(at.port), other(at.port);
  for (int turn = 0; turn != 3; ++turn) {
    CHECK(is_ok(caller.ask(post(slow))));
    CHECK(is_ok(other.ask(post(echo("x")))));
    CHECK(at.desk.on_worker);
    for (const bool on_worker : {false, true}) {
      CHECK(at.comes_to_rest());  // otherwise its thread would continue with it
      CHECK(is_ok(caller.ask(post(echo("x")))));
      CHECK(at.desk.on_worker == on_worker);
    }
  }
}

TEST_CASE("a method that holds a large request does not block threads of others", "[http]") {
  server at(with_threads(1, 2));
  client holding(at.port);
  holding.send(post(large(envelope("Hold"))));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  for (int turn = 0; turn != 20; ++turn) {
    CHECK(is_ok(ask(at.port, post(echo("x")))));
    CHECK(is_ok(ask(at.port, post(large(echo("x"))))));
  }
  at.desk.open();
  CHECK(is_ok(holding.read()));
}

TEST_CASE(
    "a connection without a waiting request stays with the workers after a long call", "[http]") {
  const scratch_folder folder;
  identity("localhost").write(folder.file("own.pem"));
  for (const bool secure : {false, true}) {
    INFO((secure ? "in TLS" : "plain"));
    auto options = with_threads(1, 1);
    if (secure) options.server.tls.certificate_file = folder.file("own.pem");
    server at(options);
    const auto run = [&](auto caller) {
      CHECK(is_ok(caller.ask(post(with_number("Slow", 20)))));
      std::this_thread::sleep_for(100ms);  // the worker finds no further request
      CHECK(is_ok(caller.ask(post(echo("x")))));
      CHECK(at.desk.on_worker);
    };
    if (secure)
      run(tls_client(at.port));
    else
      run(client(at.port));
  }
}

TEST_CASE("the executor serves a request that waits behind a long call", "[http]") {
  server at(with_threads(1, 1));
  client caller(at.port);
  caller.send(post(with_number("Slow", 20)) + post(echo("x")));
  CHECK(is_ok(caller.read()));
  CHECK(is_ok(caller.read()));
  CHECK_FALSE(at.desk.on_worker);
}

TEST_CASE(
    "a turn that ends with its last request leaves the connection with the workers", "[http]") {
  server at(with_threads(1, 1));
  client blocking(at.port), computing(at.port), caller(at.port);
  blocking.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  computing.send(post(large(envelope("Hold"))));  // keeps its place: no thread is free to block
  REQUIRE(eventually([&] { return at.desk.held == 2; }));
  CHECK(is_ok(caller.ask(post(with_number("Slow", 20)))));  // longer than a turn
  std::this_thread::sleep_for(50ms);  // the worker finds no further request
  caller.send(post(echo("x")));
  CHECK_FALSE(caller.is_quiet(10s));
  at.desk.open();
  for (client* const each : {&caller, &blocking, &computing})
    CHECK(is_ok(each->read()));
}

TEST_CASE("blocking operations do not occupy workers, and are queued", "[http]") {
  server at(with_threads(1, 8));
  std::vector<client> callers = callers_of(at, 28, "HoldBlocking");
  CHECK(eventually([&] { return at.desk.held == 7 && at.host.statistics().queued == 21; }));
  for (int turn = 0; turn != 20; ++turn)
    CHECK(is_ok(ask(at.port, post(echo("x")))));
  CHECK(at.desk.held == 7);
  // One thread is reserved for a worker that opens a blocking section in its call.
  client late(at.port);
  late.send(post(envelope("HoldAndSaySo")));
  CHECK(eventually([&] { return at.desk.held == 8; }));
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  at.desk.open();
  CHECK(is_ok(late.read()));
  for (client& caller : callers)
    CHECK(is_ok(caller.read()));
  CHECK(at.desk.held == 29);
  CHECK(at.host.statistics().queued == 0);
}

TEST_CASE("all operations of a dispatcher may be blocking", "[http]") {
  auto options = with_threads(1, 1);
  options.blocking = true;
  server at(std::move(options));
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  CHECK_FALSE(at.desk.on_worker);
}

TEST_CASE(
    "a blocking operation that is called within a call of the same program returns", "[http]") {
  server at(with_threads(1, 1), false);
  soapsvc::dispatcher inner(quick_options());
  inner.add(at.desk);
  at.host.add_page("/nested", [&](const soapsvc::http_request&) {
    static const std::string body = note("nested");
    static const soapsvc::http_header type{"Content-Type", "text/xml"};
    soapsvc::http_request request;
    request.method = "POST";
    request.target = path;
    request.headers = std::span(&type, 1);
    request.body = body;
    return inner.handle(request);
  });
  at.serve();
  CHECK(ask(at.port, get("/nested")).holds("NoteResponse"));
  CHECK(at.desk.noted() == std::vector<std::string>{"nested"});
  at.stop();  // before the inner call ends
}

TEST_CASE("a blocking section without a free thread is refused", "[http][overload]") {
  server at(with_threads(1, 7));
  std::vector<client> callers = callers_of(at, 7, "HoldAndSaySo");
  REQUIRE(eventually([&] { return at.desk.held == 7; }));
  for (int turn = 0; turn != 4; ++turn) {
    const response refused = ask(at.port, post(with_number("Pause", 1)));
    CHECK(refused.status == 503);
    CHECK(refused.holds("no thread is free for a call that blocks"));
    CHECK(is_ok(ask(at.port, post(with_number("Pause", 0)))));
  }
  at.desk.open();
  for (client& caller : callers)
    CHECK(is_ok(caller.read()));
  CHECK(is_ok(ask(at.port, post(with_number("Pause", 1)))));
}

TEST_CASE("the queue serves addresses in turn", "[http][overload]") {
  server at(with_threads(1, 1));
  client holding(at.port);
  holding.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  std::vector<client> callers;
  for (int turn = 0; turn != 4; ++turn)
    callers.emplace_back(at.port, 0, 2).send(post(note("greedy")));
  REQUIRE(eventually([&] { return at.host.statistics().queued == 4; }));
  for (int turn = 0; turn != 2; ++turn)
    callers.emplace_back(at.port, 0, 3).send(post(note("modest")));
  REQUIRE(eventually([&] { return at.host.statistics().queued == 6; }));
  at.desk.open();
  for (client& caller : callers)
    CHECK(is_ok(caller.read()));
  CHECK(
      at.desk.noted() ==
      std::vector<std::string>{"greedy", "modest", "greedy", "modest", "greedy", "greedy"});
}

TEST_CASE("no call begins for a caller that hung up in the queue", "[http][overload]") {
  server at(with_threads(1, 1));
  client holding(at.port);
  holding.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  client patient(at.port);
  patient.send(post(note("patient")));
  {
    std::deque<client> gone;
    for (int turn = 0; turn != 3; ++turn) {
      gone.emplace_back(at.port).send(post(note("gone")));
      REQUIRE(eventually([&] { return at.host.statistics().queued == gone.size() + 1; }));
    }
    std::this_thread::sleep_for(400ms);  // earlier, the close may be of the sending half
  }
  std::this_thread::sleep_for(100ms);  // no sign shows that the worker has noticed it
  at.desk.open();
  CHECK(is_ok(patient.read()));
  CHECK(eventually([&] { return at.host.statistics().connections <= 2; }));
  CHECK(at.desk.noted() == std::vector<std::string>{"patient"});
}

TEST_CASE(
    "a caller that closed its sending half before it was queued gets its response", "[http]") {
  server at(with_threads(1, 1), false);
  client caller(at.port);
  caller.send(post(note("half")));
  caller.half_close();
  at.serve();
  CHECK(is_ok(caller.read()));
}

TEST_CASE("a caller that closes its sending half when it was queued gets its response", "[http]") {
  server at(with_threads(1, 1));
  client holding(at.port), caller(at.port);
  holding.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  caller.send(post(note("half")));
  REQUIRE(eventually([&] { return at.host.statistics().queued == 1; }));
  caller.half_close();
  std::this_thread::sleep_for(50ms);  // no sign shows that the worker has noticed it
  at.desk.open();
  CHECK(is_ok(caller.read()));
}

TEST_CASE("a call that is too old is refused without being run", "[http][timeout][overload]") {
  auto options = with_threads(1, 1);
  options.server.timeouts.queue = 100ms;
  server at(std::move(options));
  client holding(at.port), late(at.port);
  holding.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  late.send(post(note("late")));
  const response refused = late.read();
  CHECK(refused.status == 503);
  CHECK(refused.holds("waited too long"));
  CHECK(refused.field("retry-after") == "1");
  CHECK(at.host.statistics().queued == 0);
  at.desk.open();
  CHECK(is_ok(holding.read()));
  CHECK(at.desk.noted().empty());
}

TEST_CASE(
    "a call behind a stream in the queue is refused in time, and at the stop the stream",
    "[http][timeout][overload][shutdown]") {
  auto options = with_threads(1, 1);
  options.server.timeouts.queue = 100ms;
  options.server.timeouts.stop = 0ms;
  Depot depot;
  server at(std::move(options), false);
  at.host.add(depot);
  at.serve();
  client holding(at.port), stream(at.port), late(at.port);
  holding.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  stream.send(begin_of_take);
  REQUIRE(eventually([&] {
    return is_read_up(at.port) &&
           at.host.statistics().parked == 1;  // the connection that sends nothing
  }));
  std::this_thread::sleep_for(50ms);  // there is no sign that it is queued
  late.send(post(note("late")));
  const response refused = late.read();
  CHECK(refused.status == 503);
  CHECK(refused.holds("waited too long"));
  CHECK(stream.is_quiet(0ms));
  at.host.stop();
  const response stopped = stream.read();
  CHECK(stopped.status == 503);
  CHECK(stopped.holds("the server is stopping"));
  at.stop();
  CHECK(is_ok(holding.read()));
  CHECK(depot.calls == 0);
  CHECK(at.desk.noted().empty());
}

#if defined(__cpp_lib_jthread)  // missing in libc++ 14
TEST_CASE("a call is stopped when its caller closes the connection", "[http][stop-token]") {
  server at(with_threads(2, 8));
  for (const char* operation : {"WaitForStop", "SaySoAndWaitForStop"}) {
    CAPTURE(operation);
    const int before = at.desk.calls;
    {
      client gone(at.port);
      gone.send(post(envelope(operation)));
      REQUIRE(eventually([&] { return at.desk.calls == before + 1; }));
      std::this_thread::sleep_for(400ms);  // earlier, the close may be of the sending half
      CHECK(is_ok(ask(at.port, post(echo("meanwhile")))));
    }
    CHECK(eventually([&] { return at.desk.noted().size() == 1; }));
    CHECK(at.desk.noted() == std::vector<std::string>{"stopped"});
    at.desk.forget();
  }
}

TEST_CASE(
    "a call continues for a caller that closed its sending half with its request",
    "[http][stop-token]") {
  auto options = with_threads(2, 8);
  options.call_timeout = 700ms;
  server at(std::move(options));
  client caller(at.port);
  const auto begun = clock::now();
  caller.send(post(envelope("WaitForStop")));
  caller.half_close();
  CHECK(is_ok(caller.read()));
  CHECK(clock::now() - begun >= 700ms);
  CHECK(at.desk.noted() == std::vector<std::string>{"stopped"});
}

TEST_CASE(
    "a caller may close its sending half with a request that is read in pieces",
    "[http][stop-token]") {
  Depot depot;
  server at(with_threads(2, 8), false);
  at.host.add(depot);
  at.serve();
  client caller(at.port);
  caller.send(begin_of_take);
  REQUIRE(eventually([&] { return depot.calls == 1; }));
  std::this_thread::sleep_for(400ms);  // longer than for a request that arrived at once
  caller.send(end_of_take);
  caller.half_close();
  CHECK(is_ok(caller.read()));
  CHECK_FALSE(depot.is_stopped);
}

TEST_CASE(
    "a call is stopped at its deadline, and still gets its response",
    "[http][timeout][stop-token]") {
  auto options = with_threads(2, 8);
  options.call_timeout = 100ms;
  server at(std::move(options));
  client caller(at.port);
  for (int turn = 0; turn != 12; ++turn) {  // also on threads whose last call was stopped
    const auto begun = clock::now();
    caller.send(post(envelope("WaitForStop")));
    CHECK(is_ok(caller.read()));
    CHECK(clock::now() - begun >= 100ms);
    CHECK(clock::now() - begun < 5s);
  }
  caller.send(post(echo("next")));
  CHECK(is_ok(caller.read()));
}

TEST_CASE("a call within a call does not stop the outer one", "[http][timeout][stop-token]") {
  Front front;
  server at(with_threads(2, 8), false);
  at.host.add(front);
  at.serve();
  CHECK(is_ok(ask(at.port, post_to("Front", "Ask"))));
  CHECK(front.desk.noted() == std::vector<std::string>{"stopped"});
  CHECK_FALSE(front.is_stopped);
}

TEST_CASE("calls are stopped when the host stops", "[http][shutdown][stop-token]") {
  server at(with_threads(2, 8));
  client first(at.port), second(at.port);
  first.send(post(envelope("WaitForStop")));
  second.send(post(envelope("SaySoAndWaitForStop")));
  REQUIRE(eventually([&] { return at.desk.calls == 2; }));
  CHECK(at.stop() < 5s);
  CHECK(at.desk.noted() == std::vector<std::string>{"stopped", "stopped"});
  CHECK(is_ok(first.read()));
  CHECK(is_ok(second.read()));
}

// The thread sanitizer detects an error that a plain build shows once in a million calls.
TEST_CASE(
    "a call ends while the host checks whether to stop it", "[http][stop-token][pipelining]") {
  server at(with_threads(2, 8));
  std::vector<client> callers;
  for (int turn = 0; turn != 3; ++turn)
    callers.emplace_back(at.port).send(
        post(with_number("Work", 120)) + post(with_number("Work", 0)) +
        post(with_number("Work", 120)));  // longer than the host's interval of checks
  for (client& caller : callers)
    for (int turn = 0; turn != 3; ++turn)
      CHECK(is_ok(caller.read()));
  CHECK(at.desk.calls == 9);
}
#endif

TEST_CASE("a host reads as much as the service and its operations allow", "[http][limits]") {
  auto options = quick_options();
  options.limits.max_body_bytes = 10'000;
  const std::string usual = post(echo(std::string(5'000, 'x')));
  const std::string more = post(echo(std::string(50'000, 'x')));
  server other(options);
  CHECK(is_ok(ask(other.port, usual)));
  CHECK(ask(other.port, more).status == 413);
  Desk desk;
  soapsvc::host host(options, options.server);
  host.add(desk, {.operations = {{.name = "Echo", .max_body_bytes = 100'000}}});
  const int port = host.bind({"127.0.0.1", 0});
  std::thread serving([&] { host.serve(); });
  CHECK(is_ok(ask(port, more)));
  CHECK(is_ok(
      ask(port, post(gzipped(echo(std::string(90'000, 'x'))), "Content-Encoding: gzip\r\n"))));
  CHECK(ask(port, post(echo(std::string(100'000, 'x')))).status == 413);
  CHECK(ask(port, post(note(std::string(50'000, 'x')))).status == 413);
  client pieces(port);
  pieces.send(chunked_head() + chunk(echo(std::string(60'000, 'x'))) + "0\r\n\r\n");
  CHECK(is_ok(pieces.read()));
  CHECK(is_ok(ask(port, post(note("short")))));
  host.stop();
  serving.join();
}

TEST_CASE("a blocked worker is replaced, and its operation is reported once", "[http]") {
  auto options = with_threads(1, 7);
  std::mutex mutex;
  std::vector<std::string> told;
  options.server.on_notice = [&](std::string_view what) {
    const std::lock_guard lock(mutex);
    told.emplace_back(what);
  };
  server at(std::move(options));
  std::vector<client> callers = callers_of(at, 3, "Hold");
  CHECK(eventually([&] { return at.desk.held == 3; }));
  for (int turn = 0; turn != 20; ++turn)
    CHECK(is_ok(ask(at.port, post(echo("x")))));
  std::this_thread::sleep_for(100ms);
  at.desk.open();
  for (client& caller : callers)
    CHECK(is_ok(caller.read()));
  at.stop();
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("the operation Desk Hold kept a worker for ") == 0);
  CHECK(told[0].find(" ms; declare it blocking") != std::string::npos);
}

TEST_CASE("stop answers queued calls, and ends at its deadline", "[http][shutdown]") {
  auto options = with_threads(1, 1);
  options.server.timeouts.stop = 300ms;
  server at(std::move(options));
  client holding(at.port), queued(at.port);
  holding.send(post(envelope("HoldBlocking")));
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  queued.send(post(note("queued")));
  REQUIRE(eventually([&] { return at.host.statistics().queued == 1; }));
  SECTION("in time") {
    at.stop();  // which opens the gate
    CHECK(is_ok(holding.read()));
    CHECK(is_ok(queued.read()));
  }
  SECTION("late") {
    at.host.stop();
    const response refused = queued.read();  // before the running call ends
    CHECK(refused.status == 503);
    CHECK(refused.holds("the server is stopping"));
    CHECK(refused.field("retry-after") == "1");
    at.stop();
    CHECK(at.desk.noted().empty());
  }
}

TEST_CASE("stop wakes the threads that are idle", "[http][shutdown]") {
  auto options = patient_options();
  options.server.threads = 1;
  options.server.limits.max_executor_threads = 50;
  server at(std::move(options));
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  CHECK(at.stop() < 60s);
}

TEST_CASE("the end of a stream that is cut off delays no other call", "[http][streams][timeout]") {
  auto options = with_threads(1, 8);
  options.server.timeouts.write = 200ms;
  Depot depot;
  std::atomic<bool> may_block{false};
  server at(std::move(options), false);
  at.host.add(depot);
  depot.at_end = [&] {
    const auto* const thread = soapsvc::detail::this_host_thread;
    may_block = thread && static_cast<const soapsvc::detail::pool_thread*>(thread)->now() ==
                              soapsvc::detail::role::blocking;
    at.desk.hold();
  };
  at.serve();
  client caller(at.port, 4'096), other(at.port);
  const std::string body =
      "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><Pour "
      "xmlns=\"http://example.com/soap/Depot\"/></e:Body></e:Envelope>";
  caller.send(
      "POST /soap/v3/Depot.asmx HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  REQUIRE(eventually([&] { return at.desk.held == 1; }));
  CHECK(may_block);
  CHECK(is_ok(other.ask(post(echo("x")))));
  client late(at.port);
  late.send(post(echo("x")));
  CHECK_FALSE(late.is_quiet(5s));
  at.desk.open();
  CHECK(is_ok(late.read()));
}

TEST_CASE("the source of a stream ends with its last piece", "[http][streams]") {
  for (const bool packed : {false, true}) {
    const auto source = std::make_shared<int>(2);
    soapsvc::detail::body_rest rest(
        [source](std::string& to) {
          to += "x";
          return --*source != 0;
        },
        true,
        packed);
    std::string out;
    rest.append(out);
    CHECK(source.use_count() == 2);
    rest.append(out);
    CHECK(rest.ended());
    CHECK(source.use_count() == 1);
  }
}

// --- Messages to operators -----------------------------------------------------------------------

namespace {

/// The reports of on_call, as "kind status".
class heard {
public:
  net::host_setup options(net::host_setup from = quick_options()) {
    from.on_call = [this](const soapsvc::call_report& told) {
      static constexpr const char* names[] = {"call", "request", "connection", "handshake"};
      const std::lock_guard lock(mutex_);
      told_.push_back(
          std::string(names[static_cast<std::size_t>(told.kind)]) + ' ' +
          std::to_string(told.http_status));
      if (told.peer != "127.0.0.1" && told.peer != "192.0.2.7") strange_ += told.peer;
      const bool call = told.kind == soapsvc::report_kind::call;
      if (call == told.service.empty() || (!call && told.fault_reason.empty()))
        strange_ += told_.back();
    };
    return from;
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(told_, {});
  }
  /// The next report; empty: none.
  std::string next() {
    std::vector<std::string> all;
    eventually([&] { return !(all = take()).empty(); }, 3s);
    return all.empty() ? "" : all.size() == 1 ? all[0] : "several";
  }
  std::string strange() {
    const std::lock_guard lock(mutex_);
    return strange_;
  }

private:
  std::mutex mutex_;
  std::vector<std::string> told_;
  std::string strange_;
};

}  // namespace

TEST_CASE("on_call gets every refusal of the host", "[http]") {
  heard hears;
  auto options = hears.options();
  options.limits.max_body_bytes = 10'000;
  options.server.limits.max_target_bytes = 300;
  options.server.timeouts.header = 300ms;
  options.server.timeouts.stop = 600s;
  options.trusted_proxies = {"127.0.0.1"};
  server at(std::move(options));
  const std::string body = echo("x");
  const std::string head = "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n";
  const std::string gzip = "Content-Encoding: gzip\r\n";
  std::string many;
  for (int field = 0; field != 200; ++field)
    many += "X-" + std::to_string(field) + ": 1\r\n";
  const std::vector<std::pair<std::string, std::string>> rows{
      {post(body), "call 200"},
      {post("<x"), "call 500"},
      {"rubbish\r\n\r\n", "request 400"},
      {get("/", "Host: second\r\n"), "request 400"},
      {get("/nowhere"), "request 404"},
      {"DELETE / HTTP/1.1\r\nHost: h\r\n\r\n", "request 405"},
      {"GET / HTTP/1.1\r\n", "request 408"},
      {head + "\r\n", "request 411"},
      {post(std::string(10'001, 'x')), "request 413"},
      {chunked_head() + "2711\r\n", "request 413"},
      {get("/" + std::string(400, 'x')), "request 414"},
      {post(body, "Content-Encoding: br\r\n"), "request 415"},
      {post(body, "Expect: x\r\n"), "request 417"},
      {get("/", many), "request 431"},
      {get("/", "Transfer-Encoding: gzip\r\n"), "request 501"},
      {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", "request 505"},
      {post("no gzip", gzip), "request 500"},
      {post(gzipped(std::string(20'000, 'x')), gzip), "request 413"},
      {get("/nowhere", "X-Forwarded-For: 192.0.2.7\r\n"), "request 404"}};
  for (const auto& [bytes, expected] : rows) {
    INFO(bytes.substr(0, 200));
    client caller(at.port);
    caller.send(bytes);
    CHECK(caller.read().status == std::stoi(expected.substr(expected.find(' '))));
    CHECK(hears.next() == expected);
  }
  CHECK(is_ok(ask(at.port, get("/"))));
  client(at.port).half_close();
  CHECK(at.stop() < 60s);
  CHECK(hears.take().empty());  // no reports of pages and of silent connections
  CHECK(hears.strange().empty());
}

TEST_CASE("on_call gets refused connections and failed handshakes", "[http]") {
  heard hears;
  auto options = hears.options();
  options.server.limits.max_connections = 1;
  {
    server at(options);
    client first(at.port);
    first.send(post(envelope("Hold")));  // otherwise it would be closed in favour of the next
    REQUIRE(eventually([&] { return at.desk.held == 1; }));
    CHECK(client(at.port).read().status == 503);
    CHECK(hears.next() == "connection 503");
    at.desk.open();
    CHECK(is_ok(first.read()));
    CHECK(hears.next() == "call 200");
  }
  const scratch_folder folder;
  options.server.limits.max_connections = 100;
  options.server.tls.certificate_file = folder.file("cert.pem");
  options.server.timeouts.header = 300ms;
  identity("h").write(options.server.tls.certificate_file);
  server at(options);
  CHECK_THROWS(tls_client(at.port, nullptr, TLS1_1_VERSION));
  CHECK(hears.next() == "handshake 0");
  client plain(at.port);
  plain.send(get("/"));
  CHECK(hears.next() == "handshake 400");
  client silent(at.port);
  CHECK(hears.next() == "handshake 0");  // in the end
  { const client looks_only(at.port); }
  CHECK(is_ok(tls_client(at.port).ask(post(echo("x")))));
  CHECK(hears.next() == "call 200");
  at.stop();
  CHECK(hears.strange().empty());
}

TEST_CASE("on_call gets requests that are refused for lack of room", "[http][overload]") {
  heard hears;
  auto options = hears.options();
  options.limits.max_body_bytes = 1'000'000;
  options.server.limits.max_buffered_bytes = 100'000;
  server at(std::move(options));
  client caller(at.port);
  caller.try_send(post(std::string(300'000, ' ')));  // it may be refused before all is sent
  CHECK(caller.read().status == 503);
  CHECK(hears.next() == "request 503");
  CHECK(is_ok(ask(at.port, post(echo("x")))));
  CHECK(hears.next() == "call 200");
  at.stop();
  CHECK(hears.strange().empty());
}

// --- The end -------------------------------------------------------------------------------------

TEST_CASE("stop may be called before serve, twice, and in a signal handler", "[http][shutdown]") {
  {
    server at(quick_options(), false);
    at.host.stop();
    at.host.stop();
    at.serve();
    at.join();
  }
  for (int turn = 0; turn != 20; ++turn)
    server at;  // at any time during the start
  static soapsvc::host* target = nullptr;
  server at;
  target = &at.host;
  const auto before = std::signal(SIGUSR1, [](int) { target->stop(); });
  std::raise(SIGUSR1);
  at.join();
  std::signal(SIGUSR1, before);
}

TEST_CASE(
    "a write that cannot succeed is no signal, unless the program handles it", "[http][signals]") {
  for (const int number : {SIGPIPE, SIGXFSZ}) {  // a closed connection, a file that must not grow
    CAPTURE(number);
    const auto usual = std::signal(number, SIG_DFL);
    { const soapsvc::host made(quick_options()); }
    CHECK(std::signal(number, [](int) {}) == SIG_IGN);
    { const soapsvc::host made(quick_options()); }
    const auto own = std::signal(number, usual);
    CHECK(own != SIG_IGN);
    CHECK(own != SIG_DFL);
  }
}

namespace {

bool refuses_callers(int port) {
  try {
    return client(port).is_closed();
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

TEST_CASE(
    "stop finishes every request that was read, and says that it closes", "[http][shutdown]") {
  server at(patient_options());
  std::vector<client> callers;
  for (int turn = 0; turn != 300; ++turn)
    callers.emplace_back(at.port).send(post(with_number("Slow", 10)));
  client half(at.port);
  const std::string late = post(echo("begun before the end"));
  half.send(late.substr(0, 200));
  client several(at.port);
  several.send(post(with_number("Slow", 100)) + post(echo("pipelined")) + post(echo("last")));
  REQUIRE(eventually([&] { return at.host.statistics().connections == 302 && at.desk.calls > 8; }));
  at.host.stop();
  REQUIRE(eventually([&] { return refuses_callers(at.port); }));
  half.send(late.substr(200));
  const response begun = half.read();
  CHECK(begun.holds("begun before"));
  CHECK(begun.closes());
  int closing = 0;
  for (client& caller : callers) {
    const response got = caller.read();
    CHECK(is_ok(got));
    closing += got.closes() ? 1 : 0;
    CHECK(caller.is_closed());
  }
  CHECK(closing > 100);
  CHECK(is_ok(several.read()));
  CHECK(several.read().holds("pipelined"));
  const response last = several.read();
  CHECK(last.holds("last"));
  CHECK(last.closes());
  CHECK(several.is_closed());
  at.join();
  CHECK(at.desk.calls == 304);
}

TEST_CASE("stop serves connections that the kernel has already accepted", "[http][shutdown]") {
  server at(quick_options(), false);
  std::vector<client> callers;
  for (int turn = 0; turn != 50; ++turn)
    callers.emplace_back(at.port).send(post(echo("x")));
  at.host.stop();
  at.serve();
  for (client& caller : callers) {
    CHECK(is_ok(caller.read()));
    CHECK(caller.is_closed());
  }
  at.join();
}

TEST_CASE(
    "stop ends at its deadline, even with unfinished connections", "[http][timeout][shutdown]") {
  auto options = patient_options();
  options.server.timeouts.stop = 300ms;
  server at(std::move(options));
  client half(at.port);
  half.send(post(echo("x")).substr(0, 100));
  client deaf(at.port, 4'096);
  deaf.send(post(with_number("Big", 20'000'000)));
  REQUIRE(eventually([&] { return at.desk.calls == 1; }));
  const auto took = at.stop();
  CHECK(took >= 250ms);
  CHECK(took < 60s);
}

TEST_CASE("connections come and go on many threads while the host stops", "[http][shutdown]") {
  for (int round = 0; round != 5; ++round) {
    auto options = impatient_options();
    options.server.timeouts.idle = 20ms;  // the sweeper runs beside workers
    options.server.timeouts.header = 20ms;
    server at(std::move(options));
    std::atomic<bool> done{false};
    std::atomic<int> served{0};
    std::vector<std::thread> threads;
    for (int number = 0; number != 4; ++number)
      threads.emplace_back([&, number] {
        for (int turn = 0; !done; ++turn)
          try {
            client caller(at.port);
            const std::string request = post(echo("x"));
            if (turn % 5 == 0) caller.send(request.substr(0, 60));
            if (turn % 5 == 1) caller.send(request + request);
            if (turn % 5 == 2) std::this_thread::sleep_for(std::chrono::milliseconds(turn % 40));
            if (turn % 5 != 0 && is_ok(caller.ask(request))) ++served;
            if (number == 0) static_cast<void>(at.host.statistics());
          } catch (const std::exception&) {  // refused or cut off, as intended
          }
      });
    std::this_thread::sleep_for(400ms);
    at.stop();
    done = true;
    for (std::thread& thread : threads)
      thread.join();
    CHECK(served > 0);
  }
}

// --- TLS -----------------------------------------------------------------------------------------

namespace {

struct tls_world {
  explicit tls_world(net::host_setup options = quick_options(), bool clients = false)
      : at(prepared(std::move(options), clients)) {}

  net::host_setup prepared(net::host_setup options, bool clients) {
    own.write(folder.file("server.pem"));
    authority.write(folder.file("authority.pem"));
    options.server.tls.certificate_file = folder.file("server.pem");
    if (clients) options.server.tls.ca_file = folder.file("authority.pem");
    return options;
  }

  scratch_folder folder;
  identity authority{"authority"};
  identity own{"localhost"};
  server at;
};

}  // namespace

TEST_CASE("TLS 1.2 and 1.3 are spoken, and nothing older", "[http][tls]") {
  tls_world world;
  for (const auto& [version, name] :
       {std::pair{TLS1_2_VERSION, "TLSv1.2"}, {TLS1_3_VERSION, "TLSv1.3"}}) {
    tls_client caller(world.at.port, nullptr, version);
    CHECK(caller.version() == name);
    for (int turn = 0; turn != 5; ++turn)
      CHECK(caller.ask(post(echo("safe"))).holds("safe"));
    CHECK(caller.ask(get(path + "?wsdl")).holds("\"https://localhost/soap/"));
    const response big = caller.ask(post(with_number("Big", 3'000'000)));
    CHECK(big.body.size() > 3'000'000);
    CHECK(caller.ask(post(echo("x"), "Connection: close\r\n")).closes());
    CHECK(caller.was_closed_properly());
  }
  CHECK_THROWS_WITH(tls_client(world.at.port, nullptr, TLS1_1_VERSION), Catch::Contains("version"));
  client plain(world.at.port);
  plain.try_send(get("/"));
  CHECK(plain.read().status == 400);
  CHECK(plain.is_closed());
  CHECK(is_ok(tls_client(world.at.port).ask(post(echo("on")))));
}

TEST_CASE("requests in pieces, large and pipelined pass through TLS", "[http][tls][pipelining]") {
  tls_world world;
  tls_client caller(world.at.port);
  for (const char c : post(echo("in bytes")))
    caller.send(std::string_view(&c, 1));
  CHECK(caller.read().holds("in bytes"));
  const std::string text(2'000'000, 'y');
  CHECK(caller.ask(post(echo(text))).holds(text));
  std::string many;
  for (int turn = 0; turn != 150; ++turn)
    many += post(echo("n" + std::to_string(turn) + "."));
  caller.send(many);
  for (int turn = 0; turn != 150; ++turn)
    CHECK(caller.read().holds(">n" + std::to_string(turn) + ".<"));
}

TEST_CASE(
    "a client's certificate is requested, verified and shown to the service",
    "[http][tls][certificate]") {
  tls_world world(quick_options(), true);
  const identity known("alice", &world.authority);
  const identity stranger("mallory");
  CHECK(tls_client(world.at.port, &known).ask(post(envelope("About"))).holds("|CN=alice<"));
  for (const identity* bad : {&stranger, static_cast<const identity*>(nullptr)})
    CHECK_FALSE([&] {
      try {
        return is_ok(tls_client(world.at.port, bad).ask(post(envelope("About"))));
      } catch (const std::exception&) {
        return false;
      }
    }());
  CHECK(world.at.desk.calls == 1);
}

TEST_CASE("few sessions of TLS 1.2 are kept in memory", "[http][tls][memory]") {
  const scratch_folder folder;
  soapsvc::tls_options options;
  options.certificate_file = folder.file("cert.pem");
  identity("h").write(options.certificate_file);
  const auto made = soapsvc::detail::make_tls_context(options);
  CHECK(::SSL_CTX_sess_get_cache_size(made.get()) <= 256);
}

TEST_CASE("plain HTTP on a TLS listener gets a readable response", "[http][tls]") {
  const scratch_folder folder;
  auto options = quick_options();
  options.server.tls.certificate_file = folder.file("cert.pem");
  identity("h").write(options.server.tls.certificate_file);
  server at(options);
  for (const std::string& request : {get("/"), post(echo(std::string(100'000, 'x')))}) {
    client plain(at.port);
    plain.send(request);
    const response said = plain.read();
    CHECK(said.status == 400);
    CHECK(said.body.size() == 78);
    CHECK_THAT(said.body, Catch::Contains("begin with https://"));
    CHECK(plain.is_closed());
  }
  CHECK(is_ok(tls_client(at.port).ask(post(echo("x")))));
  CHECK(at.desk.calls == 1);
  at.stop();
}

TEST_CASE("certificates are reloaded without dropping connections", "[http][tls][certificate]") {
  tls_world world;
  tls_client old(world.at.port);
  CHECK(old.serial() == world.own.serial());
  const identity renewed("localhost");
  renewed.write(world.folder.file("server.pem"));
  world.at.host.reload_certificates();
  CHECK(tls_client(world.at.port).serial() == renewed.serial());
  CHECK(is_ok(old.ask(post(echo("x")))));
  std::ofstream(world.folder.file("server.pem")) << "no certificate";
  CHECK_THROWS_WITH(world.at.host.reload_certificates(), Catch::Contains("server.pem"));
  CHECK(tls_client(world.at.port).serial() == renewed.serial());
  CHECK(is_ok(old.ask(post(echo("x")))));
}

TEST_CASE(
    "a certificate or key that cannot be used is an error at the start",
    "[http][tls][certificate]") {
  const scratch_folder folder;
  identity("a").write(folder.file("a.pem"));
  identity("b").write(folder.file("b.pem"));
  auto options = quick_options();
  options.server.tls.certificate_file = folder.file("none.pem");
  CHECK_THROWS_WITH(soapsvc::host(options, options.server), Catch::Contains("none.pem"));
  options.server.tls.certificate_file = folder.file("a.pem");
  options.server.tls.key_file = folder.file("b.pem");
  CHECK_THROWS_WITH(soapsvc::host(options, options.server), Catch::Contains("b.pem"));
  options.server.tls.key_file.clear();
  options.server.tls.ca_file = folder.file("none.pem");
  CHECK_THROWS_WITH(soapsvc::host(options, options.server), Catch::Contains("none.pem"));
}

TEST_CASE("handshakes that stall delay no other call, and end in time", "[http][tls][timeout]") {
  tls_world world(impatient_options());
  std::vector<client> stalled;
  for (int turn = 0; turn != 30; ++turn) {
    client& one = stalled.emplace_back(world.at.port);
    if (turn % 3 != 0) one.send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8));
  }
  for (int turn = 0; turn != 5; ++turn)
    CHECK(is_ok(tls_client(world.at.port).ask(post(echo("x")))));
  for (client& one : stalled)
    CHECK(one.is_closed());
  CHECK(world.at.host.statistics().connections <= 5);
}

TEST_CASE("handshakes count for the common bound of memory", "[http][tls]") {
  auto options = quick_options();
  options.server.limits.max_buffered_bytes = 20 * 65'536;
  options.server.limits.max_connections = 1'000;
  options.server.timeouts.header = 10min;  // only the bound closes a connection here
  options.server.on_notice = [](std::string_view) {};
  tls_world world(options);
  std::vector<client> stalled;
  for (int turn = 0; turn != 60; ++turn)
    stalled.emplace_back(world.at.port, 0, 2);
  CHECK(eventually([&] { return world.at.host.statistics().accepted == 60; }));
  CHECK(world.at.host.statistics().connections <= 23);
  // A ClientHello of 128 KB, of which only the first record has arrived, may use much more.
  stalled.clear();
  REQUIRE(eventually([&] { return world.at.host.statistics().connections == 0; }));
  const std::string first_record("\x16\x03\x01\x00\x06\x01\x02\x00\x00\x03\x03", 11);
  for (int turn = 0; turn != 20; ++turn)
    stalled.emplace_back(world.at.port, 0, 2).try_send(first_record);
  CHECK(eventually([&] { return world.at.host.statistics().accepted == 80; }));
  CHECK(eventually([&] { return world.at.host.statistics().connections <= 8; }));
  // The address with most memory loses a connection, not the newcomer.
  for (int turn = 0; turn != 5; ++turn) {
    tls_client caller(world.at.port);
    CHECK(is_ok(caller.ask(post(echo("x")))));
    CHECK(is_ok(caller.ask(post(echo("y")))));
  }
}

namespace {

/// The memory that the program has allocated, in all arenas.
std::size_t allocated_bytes() {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const out = ::open_memstream(&text, &size);
  ::malloc_info(0, out);
  std::fclose(out);
  const std::string all(text, size);
  std::free(text);
  const auto last = [&](const std::string& what) {
    const std::size_t at = all.rfind("<" + what);
    const std::size_t number = all.find("size=\"", at) + 6;
    return at == all.npos ? std::size_t{0} : std::stoul(all.substr(number));
  };
  return last("system type=\"current\"") - last("total type=\"fast\"") -
         last("total type=\"rest\"") + last("total type=\"mmap\"");
}

}  // namespace

TEST_CASE("the counted memory of a handshake is its real memory", "[http][tls]") {
  tls_world world;
  const auto held_by = [&](const std::string& begin) {
    REQUIRE(eventually([&] { return world.at.host.statistics().connections == 0; }));
    std::vector<client> stalled;
    const std::size_t before = allocated_bytes();
    for (int turn = 0; turn != 32; ++turn)
      stalled.emplace_back(world.at.port).send(begin);
    REQUIRE(world.at.comes_to_rest());
    return (allocated_bytes() - before) / 32;
  };
  held_by("");
  const std::size_t none = held_by(""), begun = held_by({"\x16\x03\x01\x02\x00\x01\x00\x01", 8});
  std::string most = std::string("\x16\x03\x01\x40\x00\x01\x02\x00\x00", 9) + "\x03\x03";
  most.resize(5 + 0x4000, 'x');
  const std::size_t large = held_by(most);
  INFO(
      none << " bytes without a word, " << begun << " of a message that begins, " << large
           << " of the largest");
  CHECK(none <= 65'536);
  CHECK(begun <= 81'920);
  CHECK(large <= 229'376);
  std::string whole = most;
  for (int turn = 0; turn != 7; ++turn)
    whole += std::string("\x16\x03\x01\x40\x00", 5) + std::string(0x4000, 'x');
  const std::size_t largest = held_by(whole);
  INFO(largest << " bytes of 128 KB");
  CHECK(largest <= 229'376);
}

TEST_CASE("a response over TLS that is read slowly arrives complete", "[http][tls]") {
  tls_world world(patient_options());
  tls_client slow(world.at.port);
  slow.send(post(with_number("Big", 12'000'000)) + post(echo("behind it")));
  std::this_thread::sleep_for(100ms);
  CHECK(slow.read().body.size() > 12'000'000);
  CHECK(slow.read().holds("behind it"));
  CHECK(world.at.stop() < 60s);
  CHECK(slow.was_closed_properly());
}

// --- Peers that never stop -----------------------------------------------------------------------

namespace {

/// Connections that repeat something endlessly, each in a thread, until the host closes them.
class flood {
public:
  /// `send` returns or throws when the host has closed the connection.
  flood(int count, int port, bool (*send)(tls_client&), const std::string& first = "") {
    for (int turn = 0; turn != count; ++turn)
      threads_.emplace_back([this, send, port, first] {
        try {
          tls_client caller(port);
          if (!first.empty()) caller.send(first);
          ++running_;
          const auto end = clock::now() + 60s;  // a bound, not a measure
          while (send(caller) && clock::now() < end)
            ++sent_;
        } catch (const std::exception&) {
        }
        ++ended_;
      });
    REQUIRE(eventually([&] { return running_ == count && sent_ > 1'000; }));
  }
  ~flood() {
    for (std::thread& one : threads_)
      one.join();
  }
  flood(const flood&) = delete;
  flood& operator=(const flood&) = delete;
  int ended() const { return ended_; }

private:
  std::atomic<int> running_{0};
  std::atomic<int> ended_{0};
  std::atomic<long> sent_{0};
  std::vector<std::thread> threads_;
};

bool send_key_update(tls_client& caller) { return caller.update_key(); }
bool send_byte(tls_client& caller) {
  caller.send("x");
  return true;
}
const std::string long_body = "POST " + path +
                              " HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n"
                              "Content-Length: 16000000\r\n\r\n";

/// A host with one worker, which a single flood could occupy.
net::host_setup one_worker() {
  auto options = quick_options();
  options.server.threads = 1;
  options.server.limits.max_executor_threads = 0;
  options.server.timeouts.stop = 2s;
  return options;
}

}  // namespace

TEST_CASE("key updates without end hold no thread, and end as idle", "[http][tls][timeout]") {
  auto options = one_worker();
  options.server.timeouts.idle = 3s;
  tls_world world(std::move(options));
  const flood floods(3, world.at.port, send_key_update);
  for (int turn = 0; turn != 10; ++turn)
    CHECK(is_ok(tls_client(world.at.port).ask(post(echo("x")))));
  CHECK(eventually([&] { return floods.ended() == 3; }));
}

TEST_CASE(
    "records of one byte without end hold no thread, and end in time", "[http][tls][timeout]") {
  auto options = one_worker();
  options.server.timeouts.request = 3s;
  tls_world world(std::move(options));
  const flood floods(3, world.at.port, send_byte, long_body);
  for (int turn = 0; turn != 10; ++turn)
    CHECK(is_ok(tls_client(world.at.port).ask(post(echo("x")))));
  CHECK(eventually([&] { return floods.ended() == 3; }));
}

TEST_CASE("a host that is flooded ends at its deadline", "[http][tls][timeout][shutdown]") {
  tls_world world(one_worker());
  const flood updates(2, world.at.port, send_key_update);
  const flood bytes(2, world.at.port, send_byte, long_body);
  CHECK(world.at.stop() < 20s);  // of 2 s; the floods themselves last 60
  CHECK(eventually([&] { return updates.ended() + bytes.ended() == 4; }));
}

TEST_CASE(
    "streams leave a quarter of the threads to other calls that block", "[executor][streams]") {
  soapsvc::detail::executor threads(16, 2, 60);  // 15 are kept for workers that block
  std::list<soapsvc::detail::share> addresses;
  while (threads.begin_stream(addresses.emplace_back()))
    REQUIRE(addresses.size() < 60);
  CHECK(addresses.size() - 1 == 30);
}

TEST_CASE("a worker that fetches its next event keeps its role", "[executor]") {
  soapsvc::detail::executor roles(1, 1, 8);
  soapsvc::detail::pool_thread worker(roles);
  std::thread([&] { worker.next(); }).join();
  REQUIRE(worker.is_worker());
  REQUIRE(worker.begin_to_fetch());
  CHECK_FALSE(worker.hand_over());  // by the thread of run(), in the same moment
  worker.begin_turn();
  REQUIRE(worker.is_worker());
  CHECK(worker.hand_over());
  CHECK(worker.now() == soapsvc::detail::role::blocking);
  CHECK_FALSE(worker.begin_to_fetch());
}

TEST_CASE("a timeout of a host is positive, without a maximum", "[host][timeout]") {
  std::chrono::milliseconds soapsvc::server_timeouts::*const timeouts[] = {
      &soapsvc::server_timeouts::header,
      &soapsvc::server_timeouts::read,
      &soapsvc::server_timeouts::request,
      &soapsvc::server_timeouts::write,
      &soapsvc::server_timeouts::response,
      &soapsvc::server_timeouts::idle};
  using std::chrono::milliseconds;
  soapsvc::host_options options;
  for (const auto timeout : timeouts) {
    for (const milliseconds bad : {milliseconds(0), milliseconds(-1), milliseconds::min()}) {
      options.timeouts.*timeout = bad;
      CHECK_THROWS_WITH(soapsvc::host("urn:x", options), Catch::EndsWith("it must be more than 0"));
    }
    options.timeouts.*timeout = milliseconds::max();
    const auto settled = soapsvc::detail::checked(options).timeouts.*timeout;
    CHECK(settled > std::chrono::hours(24 * 365));
    CHECK(std::chrono::steady_clock::now() + settled > std::chrono::steady_clock::now());
    options.timeouts.*timeout = milliseconds(1);
    CHECK(soapsvc::detail::checked(options).timeouts.*timeout == milliseconds(1));
  }
  options.timeouts.stop = milliseconds(-1);
  CHECK_THROWS_WITH(
      soapsvc::host("urn:x", options), "soapsvc: timeouts.stop is -1; a time is not negative");
  options.timeouts.stop = milliseconds(0);
  CHECK(soapsvc::detail::checked(options).timeouts.stop == milliseconds(0));
}
