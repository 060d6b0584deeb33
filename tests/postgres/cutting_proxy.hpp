// A proxy between a store and its server that cuts connections after any byte, or freezes all of
// them.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace example {

/// Listens on loopback and forwards to a Unix socket. One thread for all connections.
class CuttingProxy {
public:
  /// `socket` empty: connections are accepted, and never get a response.
  explicit CuttingProxy(const std::string& socket) : socket_(socket) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener_, any, size) == 0);
    REQUIRE(::listen(listener_, 64) == 0);
    REQUIRE(::getsockname(listener_, any, &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { pass_on(); });
  }
  ~CuttingProxy() {
    over_ = true;
    thread_.join();
    for (const Pair& pair : pairs_)
      close(pair);
    ::close(listener_);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  int port() const { return port_; }

  /// After this number of bytes in that direction, over all connections, cuts the connection of the
  /// last byte. Once.
  void cut_after(std::size_t bytes, bool from_server) {
    const std::lock_guard lock(mutex_);
    left_ = static_cast<std::int64_t>(bytes);
    from_server_ = from_server;
    was_cut_ = false;
  }
  void cut_never() {
    const std::lock_guard lock(mutex_);
    left_ = -1;
  }
  bool was_cut() const {
    const std::lock_guard lock(mutex_);
    return was_cut_;
  }

  /// While frozen, nothing is forwarded, and nothing is closed.
  void freeze(bool on) { frozen_ = on; }

private:
  struct Pair {
    int client = -1;
    int server = -1;
  };

  static void close(const Pair& pair) {
    ::close(pair.client);
    if (pair.server >= 0) ::close(pair.server);
  }

  void accept_one() {
    Pair pair{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), -1};
    if (pair.client < 0) return;
    if (!socket_.empty()) {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::strncpy(address.sun_path, socket_.c_str(), sizeof address.sun_path - 1);
      pair.server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (::connect(pair.server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return close(pair);
    }
    pairs_.push_back(pair);
  }

  /// False: the connection has ended.
  bool pass(const Pair& pair, bool from_server) {
    std::array<char, 8192> bytes{};
    const auto got =
        ::recv(from_server ? pair.server : pair.client, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got <= 0) return false;
    auto some = static_cast<std::size_t>(got);
    bool cut = false;
    {
      const std::lock_guard lock(mutex_);
      if (left_ >= 0 && from_server == from_server_) {
        cut = some > static_cast<std::size_t>(left_);
        if (cut) some = static_cast<std::size_t>(left_);
        left_ = cut ? -1 : left_ - static_cast<std::int64_t>(some);
        was_cut_ = was_cut_ || cut;
      }
    }
    const int to = from_server ? pair.client : pair.server;
    if (some != 0) static_cast<void>(::send(to, bytes.data(), some, MSG_NOSIGNAL));
    return !cut;
  }

  void pass_on() {
    while (!over_) {
      std::vector<pollfd> waiting{{listener_, POLLIN, 0}};
      for (const Pair& pair : pairs_) {
        waiting.push_back({frozen_ ? -1 : pair.client, POLLIN, 0});
        waiting.push_back({frozen_ ? -1 : pair.server, POLLIN, 0});
      }
      if (::poll(waiting.data(), waiting.size(), 5) <= 0) continue;
      for (std::size_t at = (waiting.size() - 1) / 2; at-- != 0;) {
        const Pair pair = pairs_[at];
        bool open = true;
        if (waiting[1 + 2 * at].revents != 0 && pair.server >= 0) open = pass(pair, false);
        if (open && waiting[2 + 2 * at].revents != 0) open = pass(pair, true);
        if (open) continue;
        close(pair);
        pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(at));
      }
      if (waiting[0].revents != 0) accept_one();
    }
  }

  const std::string socket_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<Pair> pairs_;
  mutable std::mutex mutex_;
  std::int64_t left_ = -1;
  bool from_server_ = false;
  bool was_cut_ = false;
  std::atomic<bool> frozen_{false};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace example
