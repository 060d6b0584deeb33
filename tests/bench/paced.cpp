// paced http|https PORT PATH BODY_FILE CONNECTIONS RATE SECONDS
//
// Sends RATE requests a second, evenly in time and to the connections in turn, whatever the server
// does, and says how long each took from the moment at which it was to be sent: one that waits for
// the response before it on its connection counts that wait (no "coordinated omission"). wrk sends
// the next request when it has the last response, so a server that is slow for a while is asked
// less just then. The first half second is not counted. Prints lines `BENCH name value`, times in
// microseconds.
//
// One thread that sleeps until something is due: with two cores, the server has one to itself.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto warm_up = 500ms;
constexpr auto patience = 3s;  // for responses that are missing when all was sent

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "paced: %s: %s\n", why.c_str(), std::strerror(errno));
  std::exit(2);
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) give_up(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The end of the first response in `text`; npos when it is not complete.
std::size_t end_of_response(std::string_view text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == text.npos) return head;
  const std::string_view fields = text.substr(0, head + 2);
  for (const std::string_view name : {"\r\nContent-Length: ", "\r\nContent-length: "}) {
    const std::size_t at = fields.find(name);
    if (at == fields.npos) continue;
    const std::size_t body = std::strtoul(fields.data() + at + name.size(), nullptr, 10);
    return text.size() >= head + 4 + body ? head + 4 + body : text.npos;
  }
  const std::size_t last = text.find("\r\n0\r\n\r\n", head + 2);  // chunked
  return last == text.npos ? last : last + 7;
}

struct connection {
  int fd = -1;
  SSL* tls = nullptr;
  std::deque<clock::time_point> due;  // the first is under way, if `sent` is not empty
  bool is_busy = false;
  std::string in;
};

class load {
public:
  load(char** arguments)
      : is_tls_(std::string_view(arguments[1]) == "https"),
        port_(std::atoi(arguments[2])),
        connections_(std::strtoul(arguments[5], nullptr, 10)),
        rate_(std::atof(arguments[6])),
        length_(std::chrono::duration_cast<clock::duration>(
            std::chrono::duration<double>(std::atof(arguments[7])))) {
    const std::string body = read_file(arguments[4]);
    request_ = "POST " + std::string(arguments[3]) +
               " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/xml; charset=utf-8\r\n"
               "SOAPAction: \"\"\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body;
    if (connections_.empty() || rate_ <= 0) give_up("the number of connections and the rate");
  }

  void run() {
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    set_ = ::epoll_create1(EPOLL_CLOEXEC);
    for (connection& each : connections_)
      open(each);
    const auto interval =
        std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(1 / rate_));
    began_ = clock::now() + 10ms;
    const auto end = began_ + warm_up + length_;
    auto next = began_;
    for (std::size_t turn = 0; next < end; next += interval, ++turn) {
      while (clock::now() < next)
        wait(next);
      connection& chosen = connections_[turn % connections_.size()];
      chosen.due.push_back(next);
      ++open_;
      if (!chosen.is_busy) send(chosen);
      if (turn % 16 == 0) wait(clock::now());  // when it lags, responses are still read
    }
    while (open_ != 0 && clock::now() < end + patience)
      wait(end + patience);
    report();
  }

private:
  void open(connection& made) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    made.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(made.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      give_up("connect");
    const int on = 1;
    ::setsockopt(made.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (is_tls_) {  // the handshake, which is no part of this, waits, but not for ever
      const timeval most{10, 0};
      ::setsockopt(made.fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
      static SSL_CTX* const context = ::SSL_CTX_new(::TLS_client_method());
      made.tls = ::SSL_new(context);
      if (::SSL_set_fd(made.tls, made.fd) != 1 || ::SSL_connect(made.tls) != 1)
        give_up("the TLS handshake");
      ::fcntl(made.fd, F_SETFL, O_NONBLOCK);  // a record may hold no part of a response
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &made;
    ::epoll_ctl(set_, EPOLL_CTL_ADD, made.fd, &event);
  }

  /// Small enough for any socket's buffer, which is empty.
  void send(connection& to) {
    to.is_busy = true;
    const auto size = static_cast<int>(request_.size());
    const bool good = to.tls
                          ? ::SSL_write(to.tls, request_.data(), size) == size
                          : ::send(to.fd, request_.data(), request_.size(), MSG_NOSIGNAL) == size;
    if (!good) give_up("send");
  }

  /// Until something came, or that moment.
  void wait(clock::time_point until) {
    const auto left = std::max<clock::duration>(until - clock::now(), 0ns).count();
    const timespec most{left / 1'000'000'000, left % 1'000'000'000};
    epoll_event events[64];
    const int count = ::epoll_pwait2(set_, events, 64, &most, nullptr);
    for (int index = 0; index < count; ++index)
      read(*static_cast<connection*>(events[index].data.ptr));
  }

  void read(connection& from) {
    char piece[65'536];
    do {
      const auto got = from.tls ? ::SSL_read(from.tls, piece, sizeof piece)
                                : static_cast<int>(::recv(from.fd, piece, sizeof piece, 0));
      if (got <= 0 && from.tls && ::SSL_get_error(from.tls, got) == SSL_ERROR_WANT_READ) return;
      if (got <= 0) give_up("the server closed a connection");
      from.in.append(piece, static_cast<std::size_t>(got));
    } while (from.tls && ::SSL_pending(from.tls) != 0);
    const std::size_t end = end_of_response(from.in);
    if (end == from.in.npos) return;
    finish(from, end);
  }

  void finish(connection& done, std::size_t end) {
    const auto now = clock::now();
    if (done.in.compare(0, 12, "HTTP/1.1 200") != 0 || done.in.size() != end) ++errors_;
    done.in.clear();
    const auto due = done.due.front();
    done.due.pop_front();
    --open_;
    if (due >= began_ + warm_up) taken_.push_back(now - due);
    done.is_busy = false;
    if (!done.due.empty()) send(done);
  }

  void report() {
    std::sort(taken_.begin(), taken_.end());
    const auto at = [&](double share) {
      if (taken_.empty()) return 0.0;
      const auto index = static_cast<std::size_t>(share * static_cast<double>(taken_.size()));
      const auto found = taken_[std::min(index, taken_.size() - 1)];
      return std::chrono::duration<double, std::micro>(found).count();
    };
    std::printf("BENCH requests %zu\n", taken_.size());
    std::printf(
        "BENCH rps %.1f\n",
        static_cast<double>(taken_.size()) / std::chrono::duration<double>(length_).count());
    std::printf("BENCH p50 %.1f\nBENCH p99 %.1f\nBENCH p999 %.1f\n", at(0.5), at(0.99), at(0.999));
    std::printf("BENCH errors %zu\n", errors_ + open_);
  }

  const bool is_tls_;
  const int port_;
  std::vector<connection> connections_;
  const double rate_;
  const clock::duration length_;
  std::string request_;
  int set_ = -1;
  clock::time_point began_;
  std::size_t open_ = 0;  // requests that are not answered
  std::size_t errors_ = 0;
  std::vector<clock::duration> taken_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 8) {
    std::fprintf(stderr, "paced http|https PORT PATH BODY_FILE CONNECTIONS RATE SECONDS\n");
    return 2;
  }
  load(arguments).run();
}
