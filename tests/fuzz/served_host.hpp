// Shared by the targets host, http and streams: a host on a Unix domain socket, with a check that
// it has read a piece, and its responses, read by the strict rules of RFC 9112.
#pragma once

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <filesystem>

#include "fuzz.hpp"
#include "soapsvc.hpp"

namespace fuzz {

struct words {
  std::optional<std::string> text;
};
struct number {
  std::int32_t value{};
};

/// Repeats its text, as often as requested.
class parrot {
public:
  std::optional<std::string> say(const words& heard) {
    const std::lock_guard lock(mutex_);
    said_.push_back(heard.text.value_or("nothing"));
    return heard.text;
  }
  std::string screech(const number& bytes) {
    return std::string(static_cast<std::size_t>(std::clamp(bytes.value, 0, 300'000)), 'x');
  }
  std::vector<std::string> take_said() {
    const std::lock_guard lock(mutex_);
    return std::exchange(said_, {});
  }

private:
  std::mutex mutex_;
  std::vector<std::string> said_;
};

}  // namespace fuzz

template <>
inline constexpr auto soapsvc::schema<fuzz::words> = record(field("Text", &fuzz::words::text));
template <>
inline constexpr auto soapsvc::schema<fuzz::number> = record(field("Value", &fuzz::number::value));
template <>
inline constexpr auto soapsvc::schema<fuzz::parrot> = service(
    "Parrot", operation("Say", &fuzz::parrot::say), operation("Screech", &fuzz::parrot::screech));

namespace fuzz {

/// Small limits, so that every one is reached, and deadlines that no input meets.
/// The options of a host in one struct.
struct host_setup : soapsvc::dispatcher_options {
  soapsvc::host_options server{};
};

inline host_setup small_options() {
  host_setup made;
  made.ns_base = "urn:x";
  made.base_path = "/";
  made.server.threads = 1;
  made.server.limits.max_executor_threads = 0;
  made.limits.max_body_bytes = 1'024;
  made.server.limits.max_header_bytes = 2'048;
  made.server.limits.max_header_fields = 12;
  made.server.limits.max_target_bytes = 256;
  made.server.limits.max_buffered_bytes = 1'048'576;
  made.server.timeouts.header = made.server.timeouts.read = made.server.timeouts.idle =
      made.server.timeouts.request = made.server.timeouts.write = std::chrono::minutes(5);
  made.on_error = [](const soapsvc::error_report& report) { broken("no incidents", report.what); };
  return made;
}

/// A host that serves in a thread: an echo service, and `more` services.
class served_host {
public:
  template <class... More>
  explicit served_host(const host_setup& options, More&... more) : host_(options, options.server) {
    char name[] = "/tmp/soapsvc-fuzz-XXXXXX";
    require(::mkdtemp(name) != nullptr, "a folder for the socket");
    folder_ = name;
    path_ = folder_ + "/s";
    host_.add(service);
    (host_.add(more), ...);
    host_.bind({.unix_path = path_});
    thread_ = std::thread([this] { host_.serve(); });
  }
  ~served_host() {
    host_.stop();
    thread_.join();
    std::filesystem::remove_all(folder_);
  }
  served_host(const served_host&) = delete;
  served_host& operator=(const served_host&) = delete;

  soapsvc::detail::descriptor connect() const {
    soapsvc::detail::descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, path_.size());
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    require(::connect(fd.get(), generic, sizeof address) == 0, "the host takes a connection");
    return fd;
  }
  const std::string& path() const { return path_; }
  soapsvc::host_statistics statistics() const { return host_.statistics(); }

  /// Waits for a minute, which is no question of speed: a wake-up was lost then, as the host's
  /// own deadlines are longer. The fuzzer's timer interrupts it.
  void wait_for_bytes(int fd, std::string_view received) const {
    for (int turn = 0; turn != 60; ++turn) {
      pollfd ready{fd, POLLIN, 0};
      if (::poll(&ready, 1, 1'000) > 0) return;
    }
    stuck(fd, received);
  }

  parrot service;

private:
  [[noreturn]] void stuck(int fd, std::string_view received) const {
    int unread = 0;
    ::ioctl(fd, SIOCOUTQ, &unread);
    const soapsvc::host_statistics now = host_.statistics();
    broken(
        "the host answers, or closes",
        std::to_string(now.accepted) + " accepted, " + std::to_string(now.connections) + " open, " +
            std::to_string(now.parked) + " parked, " + std::to_string(now.queued) + " queued, " +
            std::to_string(unread) + " bytes not taken; received:\n" + std::string(received));
  }

  soapsvc::host host_;
  std::string folder_, path_;
  std::thread thread_;
};

/// Waits until the host has read everything that was sent: at most a tenth of a second.
inline void wait_until_taken(int fd) {
  for (int turn = 0; turn != 1'000; ++turn) {
    int waiting = 0;
    if (::ioctl(fd, SIOCOUTQ, &waiting) != 0 || waiting == 0) return;
    turn < 100 ? std::this_thread::yield()
               : std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

/// Waits until every connection is closed at both ends, and its thread is done.
inline void wait_for_the_end(const served_host& host) {
  for (int turn = 0; host.statistics().connections != 0; ++turn) {
    turn < 1'000 ? std::this_thread::yield()
                 : std::this_thread::sleep_for(std::chrono::milliseconds(1));
    require(turn < 61'000, "every connection ends");
  }
}

/// One response of a connection, removed from the front of `rest`.
struct read_response {
  int status = 0;
  std::string head, body;
  bool closes = false;
};

/// The host's own responses need no tolerance.
template <class HasBody> read_response take_response(std::string_view& rest, HasBody has_body) {
  using soapsvc::detail::is_field_value;
  using soapsvc::detail::is_token;
  read_response taken;
  const std::size_t end = rest.find("\r\n\r\n");
  require(end != rest.npos, "a response has a head", rest);
  std::string_view head = rest.substr(0, end + 2);
  rest.remove_prefix(end + 4);
  require(head.starts_with("HTTP/1.1 "), "a status line", head);
  const auto parsed = std::from_chars(head.data() + 9, head.data() + 12, taken.status);
  require(parsed.ptr == head.data() + 12 && head[12] == ' ', "a status", head);
  std::size_t length = 0;
  std::size_t lengths = 0;
  head.remove_prefix(head.find("\r\n") + 2);
  taken.head = std::to_string(taken.status);
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(line.size() + 2);
    const std::size_t colon = line.find(": ");
    require(colon != line.npos && is_token(line.substr(0, colon)), "a field", line);
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = line.substr(colon + 2);
    require(is_field_value(value), "a field's value", line);
    if (name == "Content-Length") {
      ++lengths;
      std::from_chars(value.data(), value.data() + value.size(), length);
    }
    taken.closes |= name == "Connection" && value == "close";
    // Made anew each time.
    const bool varies = name == "Date" || name == "X-Request-Id";
    taken.head.append("\n").append(name).append(varies ? "" : value);
  }
  require(lengths == (taken.status == 100 ? 0U : 1U), "one Content-Length", taken.head);
  if (!has_body(rest)) length = 0;
  require(length <= rest.size(), "a body of its length", rest);
  taken.body = rest.substr(0, length);
  rest.remove_prefix(length);
  return taken;
}

}  // namespace fuzz
