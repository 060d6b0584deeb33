// [calling] Names and addresses: this file replaces the resolver, which returns addresses, hangs,
// or fails. The time until a first response is reported and not checked.
#include <dlfcn.h>

#include <catch2/catch.hpp>

#include "scripted.hpp"

namespace {

/// The resolver's result for one name.
struct resolver {
  std::mutex mutex;
  std::vector<std::string> addresses;  // of "two.example"
  std::function<void()> before;  // called before the result
  std::map<std::string, int> asked;  // of a port: look-ups
} names;

using look_up_function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

look_up_function system_resolver() {
  static const auto found = reinterpret_cast<look_up_function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return found;
}

}  // namespace

/// Replaces the system's function, which still resolves names other than "two.example".
extern "C" int getaddrinfo(
    const char* host, const char* port, const addrinfo* hints, addrinfo** found) {
  const bool numeric = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
  if (numeric || host == nullptr || std::string_view(host) != "two.example")
    return system_resolver()(host, port, hints, found);
  std::function<void()> before;
  std::vector<std::string> addresses;
  {
    const std::lock_guard lock(names.mutex);
    ++names.asked[port];
    before = names.before;
    addresses = names.addresses;
  }
  if (before) before();
  addrinfo** end = found;
  *found = nullptr;
  for (const std::string& each : addresses) {
    if (const int error = system_resolver()(each.c_str(), port, hints, end)) return error;
    end = &(*end)->ai_next;
  }
  return addresses.empty() ? EAI_AGAIN : 0;
}

namespace {

using namespace net;

/// Listens at 127.0.0.x. `full`: no connection is accepted, and the kernel does not answer.
class listener {
public:
  listener(const std::string& address, int wanted, bool full)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(wanted));
    ::inet_pton(AF_INET, address.c_str(), &at.sin_addr);
    socklen_t size = sizeof at;
    auto* const any = reinterpret_cast<sockaddr*>(&at);
    const int on = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(fd_, any, size) != 0 || ::listen(fd_, full ? 0 : 16) != 0)
      throw std::runtime_error("no port");
    for (int turn = 0; full && turn != 3; ++turn) {
      waiting_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      ::connect(waiting_.back(), any, size);
    }
  }
  ~listener() {
    for (const int each : waiting_)
      ::close(each);
    ::close(fd_);
  }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  /// True if a connection waits to be accepted.
  bool is_called() const {
    pollfd at{fd_, POLLIN, 0};
    return ::poll(&at, 1, 0) > 0;
  }

private:
  int fd_;
  std::vector<int> waiting_;
};

void set_names(std::vector<std::string> addresses, std::function<void()> before = nullptr) {
  const std::lock_guard lock(names.mutex);
  names.addresses = std::move(addresses);
  names.before = std::move(before);
}

/// Counts the look-ups for a port. A look-up of another case may begin late, but has another port.
int asked_of(int port) {
  const std::lock_guard lock(names.mutex);
  return names.asked[std::to_string(port)];
}

soapsvc::client<Desk> client_of_name(int port, const soapsvc::client_options& with = options()) {
  return {"http://two.example:" + std::to_string(port) + path, with};
}

/// Answers each request on its own connection.
void answer_once(connection& to) {
  to.read();
  to.send(http("200 OK", "text/xml", echoed("x"), "Connection: close\r\n"));
}

std::vector<std::string> order_of(std::vector<std::string> addresses) {
  set_names(std::move(addresses));
  const auto found =
      soapsvc::detail::look_up(soapsvc::detail::parse_address("http://two.example/"), 0);
  std::vector<std::string> order;
  for (const auto& each : found.all)
    order.push_back(soapsvc::detail::read_address(each.at).address);
  return order;
}

}  // namespace

TEST_CASE("IPv6 and IPv4 are tried in turn", "[client][addresses]") {
  using list = std::vector<std::string>;
  CHECK(
      order_of({"::1", "::2", "::3", "127.0.0.1", "127.0.0.2"}) ==
      list{"::1", "127.0.0.1", "::2", "127.0.0.2", "::3"});
  CHECK(order_of({"127.0.0.1", "127.0.0.2", "::1"}) == list{"127.0.0.1", "::1", "127.0.0.2"});
  CHECK(order_of({"::1"}) == list{"::1"});
}

TEST_CASE("an address that does not answer costs a quarter of a second", "[client][addresses]") {
  const scripted server(answer_once);
  soapsvc::client_options patient = options();
  patient.connect_timeout = 0ms;  // so that only the other address can help
  patient.call_timeout = 10s;
  const auto client = client_of_name(server.port, patient);
  set_names({"127.0.0.2", "127.0.0.1"});
  {
    const listener silent("127.0.0.2", server.port, true);
    const auto begun = net::clock::now();
    CHECK(echo_by(client) == "x");
    WARN(
        "first answer beside a silent address: "
        << std::chrono::duration_cast<std::chrono::milliseconds>(net::clock::now() - begun).count()
        << " ms");
  }
  // The address that answered is tried first from now on, whatever the other does.
  const listener other("127.0.0.2", server.port, false);
  CHECK(echo_by(client) == "x");
  CHECK(server.accepted == 2);
  CHECK_FALSE(other.is_called());
  // A new client does not know this.
  soapsvc::client_options with = options();
  with.read_timeout = 100ms;
  auto fresh = client_of_name(server.port, with);
  error_of(fresh, transport_failure::timeout);
  CHECK(other.is_called());
}

TEST_CASE("an address that refuses is skipped at once", "[client][addresses]") {
  const scripted server(answer_once);
  set_names({"::1", "127.0.0.2", "127.0.0.3", "127.0.0.1"});
  const auto client = client_of_name(server.port);
  CHECK(echo_by(client) == "x");
  set_names({"127.0.0.2", "127.0.0.3"});
  auto lost = client;
  CHECK_THAT(
      error_of(lost, transport_failure::connect).what(),
      Catch::Contains("no server listens there"));
}

// "Network is unreachable" was the reason of a dual-stack host, wherever there was no IPv6.
TEST_CASE("an address without a network hides no other address's error", "[client][addresses]") {
  const scripted taken([](connection&) {});  // whose port is free at other addresses
  for (const bool is_last : {true, false}) {
    set_names({is_last ? "127.0.0.2" : "224.0.0.1", is_last ? "224.0.0.1" : "127.0.0.2"});
    auto client = client_of_name(taken.port);
    CHECK_THAT(
        error_of(client, transport_failure::connect).what(),
        Catch::Contains("no server listens there"));
  }
  set_names({"224.0.0.1"});
  auto client = client_of_name(taken.port);
  CHECK_THAT(
      error_of(client, transport_failure::connect).what(),
      Catch::Contains(std::generic_category().message(ENETUNREACH)));
}

TEST_CASE("attempts at many silent addresses end with the call", "[client][addresses][timeout]") {
  std::list<listener> silent;
  const scripted taken([](connection&) {});  // its port is free at other addresses
  std::vector<std::string> addresses;
  for (int number = 2; number != 66; ++number) {
    addresses.push_back("127.0.0." + std::to_string(number));
    silent.emplace_back(addresses.back(), taken.port, true);
  }
  set_names(addresses);
  const auto client = client_of_name(taken.port);
  auto hasty = client.with({.timeout = 600ms});
  CHECK_THAT(
      error_of(hasty, transport_failure::connect).what(), Catch::Contains("within call_timeout"));
  soapsvc::client_options with = options();
  with.connect_timeout = 1ms;
  auto quick = client_of_name(taken.port, with);
  CHECK_THAT(
      error_of(quick, transport_failure::connect).what(),
      Catch::Contains("within connect_timeout"));
}

TEST_CASE("a lookup that hangs does not extend a call", "[client][addresses][timeout]") {
  const scripted server(answer_once);
  const auto gate = std::make_shared<Gate>();
  set_names({"127.0.0.1"}, [gate] { gate->wait(); });
  {
    const auto client = client_of_name(server.port);
    auto hasty = client.with({.timeout = 50ms});
    for (int turn = 0; turn != 3; ++turn)
      CHECK_THAT(
          error_of(hasty, transport_failure::connect).what(),
          Catch::Contains("its name was not looked up within call_timeout"));
    soapsvc::client_options with = options();
    with.connect_timeout = 50ms;
    auto other = client_of_name(server.port, with);
    CHECK_THAT(
        error_of(other, transport_failure::connect).what(),
        Catch::Contains("within connect_timeout"));
    // The three calls of one client waited for the same lookup.
    CHECK(eventually([&] { return asked_of(server.port) == 2; }));
#if defined(__cpp_lib_jthread)
    std::stop_source source;
    std::thread stopper([&] { source.request_stop(); });
    auto stopped = client.with({.stop = source.get_token()});
    CHECK(error_of(stopped, transport_failure::cancelled).may_have_arrived());
    stopper.join();
#endif
    gate->open();
    CHECK(echo_by(client) == "x");
  }
  set_names({});
  auto unknown = client_of_name(server.port);
  CHECK_THAT(
      error_of(unknown, transport_failure::connect).what(),
      Catch::Contains("its name cannot be looked up"));
}
