// A server that sends exact bytes over real sockets, with TLS if it has an identity; and its
// clients.
#pragma once

#include <signal.h>

#include <catch2/catch.hpp>

#include "../net.hpp"
#if defined(OVER_CURL)
#include "../interop/curl_transport.hpp"
#endif

namespace net {

using soapsvc::transport_error;
using soapsvc::transport_failure;

// --- The server ----------------------------------------------------------------------------------

/// A connection on the server's side, in TLS if there is a context.
class connection {
public:
  explicit connection(int fd, SSL_CTX* context = nullptr) : fd_(fd) {
    if (context == nullptr) return;
    const timeval limit{20, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    tls_.reset(::SSL_new(context));
    ::SSL_set_fd(tls_.get(), fd);
    ::SSL_accept(tls_.get());
  }
  ~connection() { close(); }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// A whole request, by its Content-Length; empty: the client has closed the connection.
  std::string read() {
    std::size_t end = 0;
    while ((end = left_.find("\r\n\r\n")) == left_.npos)
      if (!more()) return {};
    const std::size_t at = left_.find("Content-Length: ");
    const std::size_t whole = end + 4 + std::stoul(left_.substr(at + 16));
    while (left_.size() < whole)
      if (!more()) return {};
    return std::exchange(left_, left_.substr(whole)).substr(0, whole);
  }
  /// False: the client has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      std::size_t sent = 0;
      if (tls_) {
        if (::SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &sent) != 1) sent = 0;
      } else {
        const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        sent = count > 0 ? static_cast<std::size_t>(count) : 0;
      }
      if (sent == 0) return false;
      bytes.remove_prefix(sent);
    }
    return true;
  }
  SSL* tls() const { return tls_.get(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  /// Ends it at once, with a RST.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  /// Reads and ignores everything until the client closes the connection.
  void wait_for_end() {
    while (more())
      left_.clear();
  }
  int fd() const { return fd_; }

private:
  bool more() {
    char bytes[65'536];
    if (tls_) {
      const int got = ::SSL_read(tls_.get(), bytes, sizeof bytes);
      if (got > 0) left_.append(bytes, static_cast<std::size_t>(got));
      return got > 0;
    }
    pollfd wait{fd_, POLLIN, 0};
    if (::poll(&wait, 1, 20'000) <= 0) return false;
    const ssize_t count = ::recv(fd_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    left_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  int fd_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_{nullptr, ::SSL_free};
  std::string left_;
};

/// Serves one connection after the other, with TLS if it has an identity: up to the version
/// `newest`; 0: any.
class scripted {
public:
  using talk = std::function<void(connection&)>;

  explicit scripted(talk script, const identity* self = nullptr, int newest = 0)
      : script_(std::move(script)) {
    if (self != nullptr) {
      context_.reset(::SSL_CTX_new(::TLS_server_method()));
      ::SSL_CTX_set_max_proto_version(context_.get(), newest);
      ::SSL_CTX_use_certificate(context_.get(), self->certificate());
      ::SSL_CTX_use_PrivateKey(context_.get(), self->key());
    }
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd_, any, size) != 0 || ::listen(fd_, 16) != 0) throw std::runtime_error("no port");
    ::getsockname(fd_, any, &size);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~scripted() {
    over_ = true;
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  scripted(const scripted&) = delete;
  /// Further connections are refused. The script may call it.
  void stop_listening() {
    over_ = true;
    ::shutdown(fd_, SHUT_RDWR);
  }
  scripted& operator=(const scripted&) = delete;

  int port = 0;
  std::atomic<int> accepted{0};

private:
  void run() {
    sigset_t pipe;  // OpenSSL writes without MSG_NOSIGNAL to a closed connection
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    while (!over_) {
      const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      ++accepted;
      connection with(fd, context_.get());
      script_(with);
    }
  }
  talk script_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_{nullptr, ::SSL_CTX_free};
  int fd_ = -1;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

inline const std::string ns = "http://example.com/soap/Desk";

inline std::string soap(const std::string& body) {
  return "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\">" + body +
         "</e:Envelope>";
}
inline std::string echoed(const std::string& text, const std::string& header = "") {
  return soap(
      header + "<e:Body><EchoResponse xmlns=\"" + ns + "\"><EchoResult>" + text +
      "</EchoResult></EchoResponse></e:Body>");
}
inline std::string http(
    const std::string& status,
    const std::string& type,
    const std::string& body,
    const std::string& fields = "") {
  return "HTTP/1.1 " + status + "\r\n" + (type.empty() ? "" : "Content-Type: " + type + "\r\n") +
         fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
inline std::string good(const std::string& text) {
  return http("200 OK", "text/xml", echoed(text));
}

// --- The client ----------------------------------------------------------------------------------

inline soapsvc::client_options options() {
  soapsvc::client_options made;
  made.ns_base = "http://example.com/soap";
  made.connect_timeout = 5s;
  made.read_timeout = 5s;
  made.max_idle_age = 100s;
  return made;
}

/// Over the client's own HTTP, or over libcurl.
template <class Service>
soapsvc::client<Service> client_at(const std::string& url, const soapsvc::client_options& with) {
#if defined(OVER_CURL)
  return {interop::curl_transport({.url = url, .options = with}), with};
#else
  return {url, with};
#endif
}

inline soapsvc::client<Desk> client_of(
    int port, const soapsvc::client_options& with = options(), const std::string& scheme = "http") {
  return client_at<Desk>(scheme + "://127.0.0.1:" + std::to_string(port) + path, with);
}

inline std::string echo_by(soapsvc::client<Desk> client, const std::string& text = "hi") {
  return client.call(&Desk::echo, Words{text}).value_or("(none)");
}

/// The error of a call that must fail, with a check of its category.
inline transport_error error_of(
    soapsvc::client<Desk>& client, transport_failure why, const std::string& text = "hi") {
  try {
    const std::string got = echo_by(client, text);
    FAIL("no error, but " + got);
  } catch (const transport_error& error) {
    INFO(error.what());
    CHECK(static_cast<int>(error.why()) == static_cast<int>(why));
    CHECK(error.may_have_arrived() == (why > transport_failure::tls));
    return error;
  } catch (const soapsvc::remote_fault& refused) {
    FAIL("a fault: " + refused.reason());
  }
  throw std::logic_error("not reached");
}

/// A host that speaks TLS with this certificate, and the client's options to trust it.
struct secure_host {
  explicit secure_host(const std::string& name) : self(name) {
    self.write(folder.file("server.pem"));
    net::host_setup with = quick_options();
    with.server.tls.certificate_file = folder.file("server.pem");
    served.emplace(with);
    trusting.ca_file = folder.file("server.pem");
  }
  scratch_folder folder;
  identity self;
  std::optional<server> served;
  soapsvc::client_options trusting = options();
};

}  // namespace net
