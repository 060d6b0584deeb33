// The fast peers of tests/tools/hostile.py: hostile peers that keep a server's processor busy, each
// over one connection, which they reopen when it is closed; a peer that only computes, for
// comparison; and the ordinary client, with timed calls. Not linked with the header, so that the
// tests do not depend on it. The script passes the arguments.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

volatile std::sig_atomic_t ended = 0;

/// The addresses of server and client: all are 127.x.
struct route {
  std::string from;
  std::uint16_t port = 0;
};

/// A connected socket; -1 on failure. It is closed with a reset, so that floods leave no waiting
/// ports behind.
class line {
public:
  explicit line(const route& to, bool blocking) {
    const int on = 1;
    const linger reset{1, 0};
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::setsockopt(fd_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!blocking) ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    const timeval patience{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const sockaddr_in here = address(to.from, 0);
    const sockaddr_in there = address("127.0.0.1", to.port);
    if (::bind(fd_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 ||
        ::connect(fd_, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) {
      ::close(fd_);
      fd_ = -1;
    } else if (!blocking) {
      ::fcntl(fd_, F_SETFL, O_NONBLOCK);
    }
  }
  ~line() {
    if (fd_ >= 0) ::close(fd_);
  }
  line(const line&) = delete;
  line& operator=(const line&) = delete;
  int fd() const noexcept { return fd_; }

private:
  static sockaddr_in address(const std::string& text, std::uint16_t port) {
    sockaddr_in made{};
    made.sin_family = AF_INET;
    made.sin_port = htons(port);
    if (::inet_pton(AF_INET, text.c_str(), &made.sin_addr) != 1)
      throw std::invalid_argument("not an address: " + text);
    return made;
  }
  int fd_ = -1;
};

struct free_tls {
  void operator()(SSL* tls) const noexcept { ::SSL_free(tls); }
  void operator()(SSL_CTX* context) const noexcept { ::SSL_CTX_free(context); }
};
using tls_context = std::unique_ptr<SSL_CTX, free_tls>;
using tls_session = std::unique_ptr<SSL, free_tls>;

tls_context make_context() {
  tls_context made(::SSL_CTX_new(::TLS_client_method()));
  if (!made) throw std::runtime_error("no TLS");
  return made;
}

// --- Floods --------------------------------------------------------------------------------------
// Each kind has `begin` for a new connection, `produce` to append the next bytes to send, `consume`
// for received bytes, and `is_over` when the connection is to be closed. `count` is the size of its
// attack.

/// Sends one text, then another without end.
class repetition {
public:
  repetition(std::string head, std::string piece)
      : head_(std::move(head)), piece_(std::move(piece)) {
    if (piece_.empty()) throw std::invalid_argument("nothing to repeat");
  }
  void begin() { started_ = false; }
  void produce(std::string& out) {
    if (!std::exchange(started_, true)) out += head_;
    do {
      out += piece_;
      ++count;
    } while (out.size() < 65'536);
  }
  void consume(std::string_view) {}
  bool is_over() const { return false; }
  std::uint64_t count = 0;

private:
  std::string head_, piece_;
  bool started_ = false;
};

/// Over TLS, with `act` for the bytes after the handshake. Records are collected, so that few
/// system calls send many.
class tls_flood {
public:
  /// Returns true if it acted; `done` is the number of times on this connection.
  using action = bool (*)(SSL* tls, std::uint64_t done);
  tls_flood(action act, bool reads) : act_(act), reads_(reads) {}
  void begin() {
    tls_.reset(::SSL_new(context_.get()));
    ::SSL_set_connect_state(tls_.get());
    ::SSL_set_bio(tls_.get(), ::BIO_new(::BIO_s_mem()), ::BIO_new(::BIO_s_mem()));
    done_ = 0;
  }
  void produce(std::string& out) {
    if (!::SSL_is_init_finished(tls_.get())) {
      ::SSL_do_handshake(tls_.get());
    } else {
      for (int turn = 0; turn != 500 && act_(tls_.get(), done_); ++turn) {
        ++done_;
        ++count;
      }
    }
    char* data = nullptr;
    const long size = ::BIO_get_mem_data(::SSL_get_wbio(tls_.get()), &data);
    if (size > 0) out.append(data, static_cast<std::size_t>(size));
    static_cast<void>(BIO_reset(::SSL_get_wbio(tls_.get())));
  }
  void consume(std::string_view in) {
    const bool greeted = ::SSL_is_init_finished(tls_.get());
    if (greeted && !reads_) return;
    ::BIO_write(::SSL_get_rbio(tls_.get()), in.data(), static_cast<int>(in.size()));
    char scratch[4'096];
    while (greeted && ::SSL_read(tls_.get(), scratch, sizeof scratch) > 0)
      continue;
  }
  bool is_over() const { return false; }
  std::uint64_t count = 0;

private:
  tls_context context_ = make_context();
  tls_session tls_;
  action act_;
  std::uint64_t done_ = 0;
  bool reads_;
};

/// Makes the server sign, and begins again: one prepared greeting serves for all.
class greetings {
public:
  greetings() {
    tls_context context = make_context();
    const tls_session tls(::SSL_new(context.get()));
    ::SSL_set_connect_state(tls.get());
    ::SSL_set_bio(tls.get(), ::BIO_new(::BIO_s_mem()), ::BIO_new(::BIO_s_mem()));
    ::SSL_do_handshake(tls.get());
    char* data = nullptr;
    const long size = ::BIO_get_mem_data(::SSL_get_wbio(tls.get()), &data);
    greeting_.assign(data, static_cast<std::size_t>(size));
  }
  void begin() { said_ = over_ = false; }
  void produce(std::string& out) {
    if (!std::exchange(said_, true)) out += greeting_;
  }
  void consume(std::string_view) {
    if (!std::exchange(over_, true)) ++count;
  }
  bool is_over() const { return over_; }
  std::uint64_t count = 0;

private:
  std::string greeting_;
  bool said_ = false, over_ = false;
};

/// Connects, sends nothing and disconnects.
class visits {
public:
  void begin() { ++count; }
  void produce(std::string&) {}
  void consume(std::string_view) {}
  bool is_over() const { return true; }
  std::uint64_t count = 0;
};

/// One connection, until either side ends it; `most` bytes in a system call.
template <class Flood> void flood_once(Flood& flood, int fd, std::size_t most) {
  std::string out;
  std::size_t sent = 0;
  std::vector<char> in(65'536);
  while (!ended && !flood.is_over()) {
    if (sent == out.size()) {
      out.clear();
      sent = 0;
      flood.produce(out);
    }
    const bool more = sent != out.size();
    pollfd ready{fd, static_cast<short>(more ? POLLIN | POLLOUT : POLLIN), 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
    if ((ready.revents & ~POLLOUT) != 0) {
      const ssize_t got = ::recv(fd, in.data(), in.size(), 0);
      if (got <= 0) return;
      flood.consume({in.data(), static_cast<std::size_t>(got)});
    }
    if ((ready.revents & POLLOUT) != 0) {
      const std::size_t size = std::min(most, out.size() - sent);
      const ssize_t taken = ::send(fd, out.data() + sent, size, MSG_NOSIGNAL);
      if (taken < 0) return;
      sent += static_cast<std::size_t>(taken);
    }
  }
}

template <class Flood>
int flood_until_ended(Flood flood, const route& to, std::size_t most = 1'000'000) {
  std::cout << "ready" << std::endl;
  while (!ended) {
    const line connection(to, false);
    if (connection.fd() < 0) {
      std::this_thread::sleep_for(20ms);
      continue;
    }
    flood.begin();
    flood_once(flood, connection.fd(), most);
  }
  std::cout << flood.count << std::endl;
  return 0;
}

bool update_key(SSL* tls, int kind) {
  return ::SSL_key_update(tls, kind) == 1 && ::SSL_do_handshake(tls) == 1;
}

/// Looks like an ordinary request until the last byte of its body.
bool write_a_byte(SSL* tls, std::uint64_t done) {
  static const std::string head =
      "POST /soap/v3/EmployeeService.asmx HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      "Content-Type: text/xml\r\nContent-Length: 16000000\r\n\r\n";
  const char byte = done < head.size() ? head[done] : ' ';
  return ::SSL_write(tls, &byte, 1) == 1;
}

/// Like `repetition`, but reads nothing.
int burn() {
  std::cout << "ready" << std::endl;
  volatile std::uint64_t count = 0;
  while (!ended)
    count = count + 1;
  std::cout << count << std::endl;
  return 0;
}

// --- The ordinary client -------------------------------------------------------------------------

/// The common settings of all clients of one run.
struct answers {
  std::mutex mutex;
  std::vector<double> milliseconds;
  std::size_t failed = 0;
  std::string first;  // of the failures

  void add(double took, const std::string& problem) {
    const std::lock_guard lock(mutex);
    milliseconds.push_back(took);
    failed += problem.empty() ? 0 : 1;
    if (first.empty()) first = problem;
  }
};

/// One connection of an ordinary client; each call throws the error of its response.
class caller {
public:
  caller(const route& to, SSL_CTX* context) : line_(to, true) {
    if (line_.fd() < 0) throw std::runtime_error("no connection");
    if (!context) return;
    tls_.reset(::SSL_new(context));
    ::SSL_set_fd(tls_.get(), line_.fd());
    if (::SSL_connect(tls_.get()) != 1) throw std::runtime_error("no TLS handshake");
  }

  /// In one packet, or with head and body in two packets.
  void call(std::string_view head, std::string_view body, bool two_packets) {
    if (two_packets) {
      send(head);
      std::this_thread::sleep_for(1ms);
      send(body);
    } else {
      send(std::string(head).append(body));
    }
    const std::string response = receive();
    if (response.substr(0, 15) != "HTTP/1.1 200 OK")
      throw std::runtime_error(response.substr(0, response.find('\r')));
    if (response.find("Keizersgracht") == response.npos)
      throw std::runtime_error("another response");
  }

private:
  /// A request that is refused while it is sent is not sent to its end; its response has arrived.
  void send(std::string_view text) {
    if (tls_)
      ::SSL_write(tls_.get(), text.data(), static_cast<int>(text.size()));
    else
      static_cast<void>(!::send(line_.fd(), text.data(), text.size(), MSG_NOSIGNAL));
  }

  /// A whole response: all responses have a length.
  std::string receive() {
    std::string response;
    std::size_t whole = std::string::npos;
    while (response.size() < whole) {
      char buffer[16'384];
      const long got = tls_ ? ::SSL_read(tls_.get(), buffer, sizeof buffer)
                            : ::recv(line_.fd(), buffer, sizeof buffer, 0);
      if (got <= 0 && response.empty()) throw std::runtime_error("no response");
      if (got <= 0) throw std::runtime_error("half a response: " + response.substr(0, 40));
      response.append(buffer, static_cast<std::size_t>(got));
      const std::size_t head = response.find("\r\n\r\n");
      const std::size_t length = response.find("Content-Length: ");
      if (head != response.npos && length < head)
        whole = head + 4 + std::stoul(response.substr(length + 16, 12));
    }
    return response;
  }

  line line_;
  tls_session tls_;
};

struct habit {
  bool kept_alive;
  bool two_packets;
};

constexpr std::string_view ordinary_body =
    R"(<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Header>)"
    R"(<AuthHeaderWithDomain xmlns="https://payroll.example.com/soap/v3/EmployeeService">)"
    R"(<Domain>acme</Domain></AuthHeaderWithDomain></e:Header><e:Body>)"
    R"(<Address_GetListCurrent xmlns="https://payroll.example.com/soap/v3/EmployeeService">)"
    R"(<EmployeeId>1</EmployeeId></Address_GetListCurrent></e:Body></e:Envelope>)";

void call_until(
    clock_type::time_point end, const route& to, SSL_CTX* context, habit how, answers& all) {
  const std::string body(ordinary_body);
  const std::string head =
      "POST /soap/v3/EmployeeService.asmx HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(to.port) +
      "\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: " +
      std::to_string(body.size()) + (how.kept_alive ? "" : "\r\nConnection: close") + "\r\n\r\n";
  std::optional<caller> connection;
  while (clock_type::now() < end && !ended) {
    const auto begun = clock_type::now();
    std::string problem;
    try {
      if (!connection || !how.kept_alive) connection.emplace(to, context);
      connection->call(head, body, how.two_packets);
    } catch (const std::exception& error) {
      problem = std::string(error.what()) + (how.kept_alive ? ", kept alive" : ", new connection") +
                (how.two_packets ? ", two packets" : ", one packet");
      connection.reset();
    }
    const std::chrono::duration<double, std::milli> took = clock_type::now() - begun;
    all.add(took.count(), problem);
    std::this_thread::sleep_for(20ms);
  }
}

int call(const route& to, double seconds, bool tls) {
  answers all;
  const tls_context context = tls ? make_context() : nullptr;
  const auto end = clock_type::now() + std::chrono::microseconds(std::int64_t(seconds * 1e6));
  std::vector<std::thread> clients;
  for (const habit how : {habit{false, false}, {false, true}, {true, false}, {true, true}})
    clients.emplace_back([&, how] { call_until(end, to, context.get(), how, all); });
  for (std::thread& client : clients)
    client.join();
  std::sort(all.milliseconds.begin(), all.milliseconds.end());
  const auto share = [&](double part) {
    const auto last = static_cast<double>(all.milliseconds.size() - 1);
    return all.milliseconds[static_cast<std::size_t>(part * last)];
  };
  std::cout << all.milliseconds.size() << ' ' << all.failed << ' ' << share(0.5) << ' '
            << share(0.99) << ' ' << share(1) << ' ' << all.first << std::endl;
  return 0;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int run(const std::vector<std::string>& words) {
  const std::string& what = words.at(0);
  if (what == "burn") return burn();
  const route to{words.at(1), static_cast<std::uint16_t>(std::stoi(words.at(2)))};
  if (what == "call") return call(to, std::stod(words.at(3)), words.at(4) == "tls");
  if (what == "repeat" || what == "drip") {
    repetition made(read_file(words.at(3)), read_file(words.at(4)));
    return flood_until_ended(std::move(made), to, what == "drip" ? 1 : 1'000'000);
  }
  if (what == "visits") return flood_until_ended(visits(), to);
  if (what == "greetings") return flood_until_ended(greetings(), to);
  if (what == "records") return flood_until_ended(tls_flood(write_a_byte, true), to);
  if (what == "key-updates") {
    const auto act = [](SSL* tls, std::uint64_t) {
      return update_key(tls, SSL_KEY_UPDATE_NOT_REQUESTED);
    };
    return flood_until_ended(tls_flood(act, true), to);
  }
  if (what == "key-updates-asked") {
    const auto act = [](SSL* tls, std::uint64_t) {
      return update_key(tls, SSL_KEY_UPDATE_REQUESTED);
    };
    return flood_until_ended(tls_flood(act, false), to);
  }
  throw std::invalid_argument("no such peer: " + what);
}

}  // namespace

int main(int count, char** words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTERM, [](int) { ended = 1; });
  try {
    return run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
