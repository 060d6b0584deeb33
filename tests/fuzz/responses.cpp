// Responses in pieces over the connections that a client keeps ([calling]). One byte, the number of
// calls, and for each request that arrives a response, with 1E between them:
//
//   1D   ends a piece, which is sent by itself
//   01   stands for the text of the request that is answered, which no other request has
//   02   is a whole response, of status 200, with the text in it
//   the last byte of a response is the event after it: 'c' the server closes, 'r' it resets,
//   others: it waits for the next request on the same connection; without a response left it closes
//
// Promised: each call ends. No request is sent twice. A result that holds the text of a request is
// that of the call that sent it, or, since a server may answer twice, of an earlier one on the same
// connection: never of another connection, nor half of one.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "fuzz.hpp"
#include "soapsvc.hpp"

#if __has_include(<sanitizer/lsan_interface.h>) && defined(__SANITIZE_ADDRESS__)
#define RESPONSES_LSAN 1
#elif __has_include(<sanitizer/lsan_interface.h>) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RESPONSES_LSAN 1
#endif
#endif
#if defined(RESPONSES_LSAN)
#include <sanitizer/lsan_interface.h>
#endif

namespace {

using namespace std::chrono_literals;
using fuzz::require;

struct Words {
  std::string text;
};
class Parrot {
public:
  virtual std::string say(const Words& words) = 0;

protected:
  ~Parrot() = default;
};

}  // namespace

template <> inline constexpr auto soapsvc::schema<Words> = record(field("Text", &Words::text));
template <>
inline constexpr auto soapsvc::schema<Parrot> =
    service("Parrot", ns("urn:parrot"), operation("Say", &Parrot::say));

namespace {

/// No input holds it.
const std::string secret = "from-" + std::to_string(::getpid()) + "-of-";

std::string whole_response(const std::string& text) {
  const std::string body =
      "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>"
      "<SayResponse xmlns=\"urn:parrot\"><SayResult>" +
      text + "</SayResult></SayResponse></e:Body></e:Envelope>";
  return "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Answers requests with the input's responses, one connection after the other.
class server {
public:
  server() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const any = reinterpret_cast<sockaddr*>(&at);
    require(::bind(fd_, any, size) == 0 && ::listen(fd_, 64) == 0, "a server can listen");
    ::getsockname(fd_, any, &size);
    port = ntohs(at.sin_port);
    std::thread([this] { run(); }).detach();
  }
  void begin(std::vector<std::string> responses) {
    const std::lock_guard lock(mutex_);
    responses_ = std::move(responses);
    next_ = 0;
    arrived_.clear();
  }
  std::map<std::string, std::vector<int>> arrived() {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }
  int port = 0;

private:
  void run() {
    ignore_leaks();
    for (int number = 0;; ++number) {
      const int to = ::accept(fd_, nullptr, nullptr);
      if (to < 0) continue;
      std::thread([this, to, number] { talk(to, number); }).detach();
    }
  }
  void talk(int to, int number) {
    ignore_leaks();
    for (std::string left; answer(to, number, left);) {
    }
    ::close(to);
  }
  /// Of this thread: leaks are looked for after each input, while it may be between two pointers.
  static void ignore_leaks() {
#if defined(RESPONSES_LSAN)
    __lsan_disable();
#endif
  }
  /// False: the connection ends.
  bool answer(int to, int number, std::string& left) {
    const std::string text = read(to, left);
    std::string response;
    {
      const std::lock_guard lock(mutex_);
      if (!text.empty()) arrived_[text].push_back(number);
      if (text.empty() || next_ == responses_.size()) return false;
      response = responses_[next_++];
    }
    const char then = response.empty() ? 'c' : response.back();
    std::string piece;
    for (const char each : response.substr(0, response.size() - !response.empty())) {
      if (each == '\x01')
        piece += text;
      else if (each == '\x02')
        piece += whole_response(text);
      else if (each != '\x1d')
        piece += each;
      else if (!send(to, piece))
        return false;
    }
    if (!send(to, piece)) return false;
    const linger at_once{1, 0};
    if (then == 'r') ::setsockopt(to, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return then != 'c' && then != 'r';
  }
  static bool send(int to, std::string& piece) {
    const bool sent = piece.empty() || ::send(to, piece.data(), piece.size(), MSG_NOSIGNAL) ==
                                           static_cast<ssize_t>(piece.size());
    piece.clear();
    std::this_thread::yield();
    return sent;
  }
  /// The text of the next request; empty: the client has gone.
  static std::string read(int from, std::string& left) {
    std::size_t end = 0;
    while ((end = left.find("</Text>")) == left.npos || left.find("Envelope>", end) == left.npos) {
      char bytes[4'096];
      const ssize_t got = ::recv(from, bytes, sizeof bytes, 0);
      if (got <= 0) return {};
      left.append(bytes, static_cast<std::size_t>(got));
    }
    const std::size_t begin = left.find("<Text>") + 6;
    const std::string text = left.substr(begin, end - begin);
    left.erase(0, left.find("Envelope>", end) + 9);
    return text;
  }

  const int fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::mutex mutex_;
  std::vector<std::string> responses_;
  std::map<std::string, std::vector<int>> arrived_;  // the connections of each text
  std::size_t next_ = 0;
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

using connections = std::map<std::string, std::vector<int>>;

void check_result(const std::string& result, const std::string& sent, const connections& arrived) {
  for (std::size_t at = result.find(secret); at != result.npos; at = result.find(secret, at + 1)) {
    const std::size_t end = result.find('.', at);
    require(end != result.npos, "a result is whole", result);
    const std::string text = result.substr(at, end - at + 1);
    require(
        arrived.count(sent) == 0 ||  // it is on its way yet, and the answer came before
            (arrived.count(text) != 0 && arrived.at(sent) == arrived.at(text)),
        "a result is of its own connection",
        result);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static server& peer = *new server;  // whose threads outlive main()
  static std::atomic<std::uint64_t> number{0};
  const std::string_view input = fuzz::text_of(data, size);
  if (input.size() < 2) return 0;
  peer.begin(split(input.substr(1), '\x1e'));
  soapsvc::client_options options;
  options.connect_timeout = options.call_timeout = 5s;
  options.read_timeout = 20ms;
  options.max_header_bytes = 4'096;
  options.limits.max_body_bytes = 65'536;
  const soapsvc::client<Parrot> client(
      "http://127.0.0.1:" + std::to_string(peer.port) + "/", options);
  for (int call = 0; call != static_cast<unsigned char>(input[0]) % 8 + 1; ++call) {
    const std::string sent = secret + std::to_string(++number) + '.';
    try {
      const std::string result = client.call(&Parrot::say, {sent});
      check_result(result, sent, peer.arrived());
    } catch (const soapsvc::remote_fault&) {
    } catch (const soapsvc::transport_error&) {
    }
  }
  for (const auto& [text, on] : peer.arrived())
    require(on.size() == 1, "no request is sent twice", text);
  return 0;
}
