#include "fetch.hpp"

#if defined(IMPORT_FETCH)

// The package says how it was built.
#include <httplib.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "soapsvc.hpp"

namespace importer {

namespace {

using Clock = std::chrono::steady_clock;

/// The reason why this program ended a request early.
enum class Cut : std::uint8_t { none, late, long_body };

/// Ends a connection that takes too long or receives too much. The library bounds neither the total
/// time of a request nor the size of its header; the kernel counts both. It also works while the
/// library connects or negotiates TLS, when the library's own stop() waits.
class Watch {
public:
  Watch(Clock::time_point deadline, std::size_t most)
      : deadline_(deadline), most_(most), thread_([this] { run(); }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ends_.notify_one();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void follow(int socket) { socket_ = socket; }
  void cut(Cut why) { why_ = why; }
  Cut why() const { return why_; }
  bool is_late() const { return Clock::now() > deadline_; }

private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!ends_.wait_for(lock, std::chrono::milliseconds(20), [this] { return has_ended_; })) {
      const int socket = socket_;
      if (socket < 0) continue;
      if (is_late()) cut(Cut::late);
      if (received(socket) > most_) cut(Cut::long_body);
      if (why_ != Cut::none) ::shutdown(socket, SHUT_RDWR);
    }
  }

  /// The bytes received since the socket was opened.
  static std::uint64_t received(int socket) {
    // The C library's structure lacks the members that the kernel has added in version 4.1.
    struct {
      tcp_info known;
      std::uint64_t pacing_rate, max_pacing_rate, bytes_acked, bytes_received;
    } info{};
    socklen_t size = sizeof info;
    const bool told = ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
    return told && size == sizeof info ? info.bytes_received : 0;
  }

  const Clock::time_point deadline_;
  const std::uint64_t most_;
  std::atomic<int> socket_{-1};
  std::atomic<Cut> why_{Cut::none};
  std::mutex mutex_;
  std::condition_variable ends_;
  bool has_ended_ = false;
  std::thread thread_;
};

std::string seconds_text(std::chrono::seconds time) {
  return std::to_string(time.count()) + (time.count() == 1 ? " second" : " seconds");
}

/// The part of a server's response that was read.
struct Answer {
  int status = 0;
  std::string location;
  std::string body;
  bool is_long = false;
};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string printable(std::string text) {
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; });
  return text;
}

/// True for localhost if the system cannot resolve it, as in a container without a hosts file. RFC
/// 6761, 6.3 defines it as this machine.
bool needs_loopback(const Url& to) {
  if (to.authority.substr(0, to.authority.find(':')) != "localhost") return false;
  addrinfo* found = nullptr;
  if (::getaddrinfo("localhost", nullptr, nullptr, &found) != 0) return true;
  ::freeaddrinfo(found);
  return false;
}

std::string failure_text(httplib::Error error, httplib::Client& client) {
  switch (error) {
  case httplib::Error::Connection:
    return "cannot connect: the host does not exist, or does not answer at this port";
  case httplib::Error::ConnectionTimeout: return "cannot connect in time";
  case httplib::Error::SSLConnection: return "the TLS handshake with the server failed";
  case httplib::Error::SSLLoadingCerts:
    return "this machine's certificates of authorities cannot be read";
  case httplib::Error::SSLServerVerification: {
    const long result = client.get_openssl_verify_result();
    return "the server's certificate is not trusted: " +
           std::string(
               result == X509_V_OK ? "it is for another host"
                                   : X509_verify_cert_error_string(result));
  }
  default:
    return "the response ended early, or nothing arrived for " + seconds_text(Fetcher::silent_time);
  }
}

}  // namespace

struct Fetcher::State {
  std::chrono::seconds time;
  Progress& progress;
  Credentials credentials;
  std::optional<Clock::time_point> end{};  ///< for all documents together, from the first request

  httplib::Headers fields_for(const Url& from) const {
    httplib::Headers fields{
        {"Accept", "text/xml, application/xml, */*;q=0.8"},
        {"User-Agent", "soapsvc-import/" SOAPSVC_VERSION}};
    if (credentials.origins.contains(from.origin())) {
      if (!credentials.user.empty())
        fields.insert(
            httplib::make_basic_authentication_header(credentials.user, credentials.password));
      fields.insert(credentials.fields.begin(), credentials.fields.end());
    }
    return fields;
  }

  Answer ask(const Url& from, std::size_t most, Clock::time_point deadline) const {
    Answer made;
    httplib::Client client(from.origin());
    if (needs_loopback(from)) client.set_hostname_addr_map({{"localhost", "127.0.0.1"}});
    client.set_connection_timeout(connect_time);
    client.set_read_timeout(std::min(silent_time, time));
    client.set_write_timeout(std::min(silent_time, time));
    client.set_url_encode(false);
    client.set_follow_location(false);
    // Header and TLS have a megabyte more.
    Watch watch(deadline, most + 1024 * 1024);
    client.set_socket_options([&](socket_t socket) { watch.follow(socket); });
    const auto result = client.Get(
        from.target,
        fields_for(from),
        [&](const httplib::Response& response) {
          made.status = response.status;
          made.location = response.get_header_value("Location");
          return response.status == 200;
        },
        [&](const char* data, std::size_t size) {
          if (made.body.size() + size > most) watch.cut(Cut::long_body);
          if (watch.is_late()) watch.cut(Cut::late);
          if (watch.why() != Cut::none) return false;
          made.body.append(data, size);
          return true;
        });
    if (watch.why() == Cut::late) throw FetchError("it took longer than " + seconds_text(time));
    if (watch.why() == Cut::long_body)
      throw FetchError("it is longer than " + std::to_string(most) + " bytes");
    const bool refused = made.status != 0 && made.status != 200;
    if (!result && !refused) throw FetchError(failure_text(result.error(), client));
    return made;
  }
};

bool Fetcher::is_there() noexcept { return true; }

Fetcher::Fetcher(std::chrono::seconds time, Progress& progress, Credentials credentials)
    : state_(std::make_unique<State>(State{time, progress, std::move(credentials)})) {}
Fetcher::~Fetcher() = default;

Fetched Fetcher::get(const Url& from, std::size_t most) {
  const Clock::time_point now = Clock::now();
  if (!state_->end) state_->end = now + whole_time;
  if (now > *state_->end)
    throw FetchError("all documents together took longer than " + seconds_text(whole_time));
  const Clock::time_point deadline = std::min(now + state_->time, *state_->end);
  Url at = from;
  for (int redirects = 0; redirects <= most_redirects; ++redirects) {
    state_->progress.doing("fetching " + at.text());
    Answer answer = state_->ask(at, most, deadline);
    if (answer.status == 200) return {at, std::move(answer.body)};
    if (!is_redirect(answer.status) || answer.location.empty())
      throw FetchError("the server answers with status " + std::to_string(answer.status));
    const auto next = resolved(at.text(), answer.location);
    if (!next)
      throw FetchError(
          "it leads to '" + without_credentials(printable(answer.location)) +
          "', which is not an http or https address" +
          (has_credentials(answer.location) ? " without a user name or a password" : ""));
    if (at.is_https && !next->is_https)
      throw FetchError("it leads from https to " + next->text() + ", which anybody could change");
    at = *next;
  }
  throw FetchError("more than " + std::to_string(most_redirects) + " redirects");
}

}  // namespace importer

#else

namespace importer {

struct Fetcher::State {};
bool Fetcher::is_there() noexcept { return false; }
Fetcher::Fetcher(std::chrono::seconds, Progress&, Credentials) {}
Fetcher::~Fetcher() = default;
Fetched Fetcher::get(const Url&, std::size_t) {
  throw FetchError("soapsvc-import was built without cpp-httplib");
}

}  // namespace importer

#endif
