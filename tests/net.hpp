// Shared by the tests of the host over sockets: a small service, a server in a thread, and a client
// that sends exact bytes and reads responses strictly. All waits are bounded.
#pragma once

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <future>
#include <list>
#include <map>
#include <sstream>

#include "eventually.hpp"
#include "soapsvc.hpp"

namespace net {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// --- The service ---------------------------------------------------------------------------------

struct Words {
  std::optional<std::string> text;
};
struct Number {
  std::int32_t value{};
};
struct Pattern {
  std::string text;
};

/// Blocks all waiting threads until it is opened.
class Gate {
public:
  void open() {
    if (!opened_.exchange(true)) promise_.set_value();
  }
  void wait() const { opening_.wait(); }

private:
  std::promise<void> promise_;
  std::atomic<bool> opened_{false};
  std::shared_future<void> opening_{promise_.get_future()};
};

/// True on a worker thread of a host; set by tests of the implementation.
inline bool (*is_worker)() = [] { return false; };

/// Operations that echo, sleep, wait, and return the caller.
class Desk {
public:
  std::optional<std::string> echo(const Words& words) {
    ++calls;
    on_worker = is_worker();
    return words.text;
  }
  std::int32_t slow(const Number& milliseconds) {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds.value));
    return milliseconds.value;
  }
  std::string big(const Number& bytes) {
    ++calls;
    return std::string(static_cast<std::size_t>(bytes.value), 'x');
  }
  /// Returns when `open` is opened.
  void hold() {
    ++calls;
    ++held;
    gate_.wait();
  }
  /// Records the order of its calls.
  void note(const Words& words) {
    const std::lock_guard lock(mutex_);
    noted_.push_back(words.text.value_or(""));
  }
  std::vector<std::string> noted() {
    const std::lock_guard lock(mutex_);
    return noted_;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    noted_.clear();
  }
  /// Computes for a long time if the text fits its pattern.
  void match(const Pattern&) {}
  /// Waits in a blocking section.
  void hold_and_say_so() {
    const soapsvc::blocking_section outer;
    const soapsvc::blocking_section inner;  // counts only once
    hold();
  }
  /// Opens a blocking section without waiting; with 0 it opens none.
  void pause(const Number& often) {
    ++calls;
    if (often.value != 0) const soapsvc::blocking_section waits;
  }
  std::string about(const soapsvc::context& context) {
    ++calls;
    return std::string(context.peer) + '|' + std::string(context.certificate_subject);
  }
  /// Waits until the call is stopped, for at most a minute, and records the result.
  void wait_for_stop([[maybe_unused]] const soapsvc::context& context) {
#if defined(__cpp_lib_jthread)  // which libc++ 14 has not
    const std::stop_token token = context.stop_token();
    ++calls;
    const bool is_stopped = eventually([&] { return token.stop_requested(); });
    note({is_stopped ? "stopped" : "waited"});
#endif
  }
  void say_so_and_wait_for_stop(const soapsvc::context& context) {
    const soapsvc::blocking_section waits;
    wait_for_stop(context);
  }
  /// Gets its stop token, and does not use it.
  void work(
      [[maybe_unused]] const Number& milliseconds,
      [[maybe_unused]] const soapsvc::context& context) {
#if defined(__cpp_lib_jthread)
    static_cast<void>(context.stop_token());
#endif
    slow(milliseconds);
  }
  std::string fail(const Words& words) { throw std::runtime_error(words.text.value_or("")); }

  void open() { gate_.open(); }
  ~Desk() { open(); }

  std::atomic<int> calls{0};
  std::atomic<int> held{0};
  std::atomic<bool> on_worker{false};  ///< the last echo

private:
  Gate gate_;
  std::mutex mutex_;
  std::vector<std::string> noted_;
};

}  // namespace net

template <>
inline constexpr auto soapsvc::schema<net::Words> = record(field("Text", &net::Words::text));
template <>
inline constexpr auto soapsvc::schema<net::Number> = record(field("Value", &net::Number::value));
template <>
inline constexpr auto soapsvc::schema<net::Pattern> =
    record(field("Text", &net::Pattern::text, pattern("([ab]*a[ab]{60}){2}c?")));
template <>
inline constexpr auto soapsvc::schema<net::Desk> = service(
    "Desk",
    operation("Echo", &net::Desk::echo),
    operation("Slow", &net::Desk::slow),
    operation("Big", &net::Desk::big),
    operation("Hold", &net::Desk::hold),
    operation("HoldAndSaySo", &net::Desk::hold_and_say_so),
    operation("HoldBlocking", &net::Desk::hold, blocking),
    operation("Note", &net::Desk::note, blocking),
    operation("Match", &net::Desk::match),
    operation("Pause", &net::Desk::pause),
    operation("About", &net::Desk::about),
    operation("WaitForStop", &net::Desk::wait_for_stop, blocking),
    operation("SaySoAndWaitForStop", &net::Desk::say_so_and_wait_for_stop),
    operation("Work", &net::Desk::work, blocking),
    operation("Fail", &net::Desk::fail));

namespace net {

inline const std::string path = "/soap/v3/Desk.asmx";

inline std::string envelope(const std::string& operation, const std::string& content = "") {
  return "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><" + operation +
         " xmlns=\"http://example.com/soap/Desk\">" + content + "</" + operation +
         "></e:Body></e:Envelope>";
}
inline std::string echo(const std::string& text) {
  return envelope("Echo", "<Text>" + text + "</Text>");
}
/// The same message, large enough for the executor.
inline std::string large(const std::string& message) { return message + std::string(200'000, ' '); }
inline std::string with_number(const std::string& operation, int value) {
  return envelope(operation, "<Value>" + std::to_string(value) + "</Value>");
}

/// A whole request. `fields` are lines that end in CR LF.
inline std::string post(const std::string& body, const std::string& fields = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
/// A chunked request up to the chunks.
inline std::string chunked_head(const std::string& fields = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n" + fields +
         "Transfer-Encoding: chunked\r\n\r\n";
}
inline std::string get(const std::string& target, const std::string& fields = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}
inline std::string chunk(const std::string& data) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", data.size());
  return size + data + "\r\n";
}
inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// --- Server --------------------------------------------------------------------------------------

/// The options of a host in one struct.
struct host_setup : soapsvc::dispatcher_options {
  soapsvc::host_options server{};
};

inline host_setup quick_options() {
  host_setup options;
  options.ns_base = "http://example.com/soap";
  options.server.threads = 4;
  options.browsers.host_names = {"h", "www.example.com", "real.example"};  // the names in requests
  return options;
}

/// True if the kernel holds nothing for the server at this port of 127.0.0.1: no connection that is
/// not accepted, and no byte that is not read. A client at 127.0.0.2 may have the same port.
inline bool is_read_up(int port) {
  char server[16];  // in the kernel's notation and byte order
  std::snprintf(
      server, sizeof server, "%08X:%04X", htonl(INADDR_LOOPBACK), static_cast<unsigned>(port));
  std::ifstream table("/proc/self/net/tcp");
  std::string line, number, own, other, state, queues;  // bytes to send, a colon, received bytes
  for (std::getline(table, line); std::getline(table, line);) {
    std::istringstream(line) >> number >> own >> other >> state >> queues;
    if (own == server && !queues.ends_with(":00000000")) return false;
    if (other == server && !queues.starts_with("00000000:")) return false;
  }
  return true;
}

/// A host with a Desk on a free port of 127.0.0.1, serving in a thread until its end.
class server {
public:
  explicit server(host_setup options = quick_options(), bool begin = true)
      : host(options, options.server) {
    host.add(desk);
    port = host.bind({"127.0.0.1", 0});
    if (begin) serve();
  }
  ~server() { stop(); }
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  void serve() {
    thread_ = std::thread([this] { host.serve(); });
  }
  /// Returns the time that it took.
  std::chrono::milliseconds stop() {
    const auto begun = clock::now();
    desk.open();
    host.stop();
    join();
    return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begun);
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  /// Waits until all sent bytes are read and no thread works on them. False: this did not happen.
  bool comes_to_rest() const {
    return eventually([this] {
      if (!is_read_up(port)) return false;
      const soapsvc::host_statistics now = host.statistics();
      return now.parked == now.connections;
    });
  }

  Desk desk;
  soapsvc::host host;
  int port = 0;

private:
  std::thread thread_;
};

// --- Client --------------------------------------------------------------------------------------

struct response {
  int status = 0;  ///< 0: the connection ended before the response was complete
  std::map<std::string, std::string> fields;  ///< names in lower case
  std::string body;
  std::string head;

  std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  }
  bool closes() const { return field("connection") == "close"; }
  bool holds(const std::string& text) const { return body.find(text) != body.npos; }
};

/// A connection that sends given bytes. Throws std::runtime_error when nothing happens in time.
class client {
public:
  /// `from`: the last part of 127.0.0.x to call from.
  explicit client(int port, int receive_buffer = 0, int from = 1) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer != 0)
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + static_cast<in_addr_t>(from));
    if (from != 1) ::bind(fd_, reinterpret_cast<const sockaddr*>(&own), sizeof own);
    join(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  explicit client(const std::string& unix_path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    unix_path.copy(address.sun_path, sizeof address.sun_path - 1);
    fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    join(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  client(client&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), left_(std::move(other.left_)) {}
  client& operator=(client&&) = delete;
  ~client() {
    if (fd_ >= 0) ::close(fd_);
  }

  int fd() const { return fd_; }
  /// False: the other end has closed the connection.
  bool try_send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  client& send(std::string_view bytes) {
    if (!try_send(bytes)) throw std::runtime_error("the server takes no more");
    return *this;
  }
  void half_close() { ::shutdown(fd_, SHUT_WR); }

  /// One recv; empty: the end.
  std::string receive(std::chrono::milliseconds limit = 60s) {
    pollfd wait{fd_, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(limit.count())) <= 0)
      throw std::runtime_error("nothing came in time");
    std::string bytes(65'536, '\0');
    const ssize_t count = ::recv(fd_, bytes.data(), bytes.size(), 0);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }
  bool is_quiet(std::chrono::milliseconds limit) {
    pollfd wait{fd_, POLLIN, 0};
    return left_.empty() && ::poll(&wait, 1, static_cast<int>(limit.count())) == 0;
  }
  /// All bytes until the end.
  std::string read_to_end() {
    std::string all = std::move(left_);
    for (std::string more = receive(); !more.empty(); more = receive())
      all += more;
    return all;
  }
  bool is_closed() { return read_to_end().empty(); }

  response read(bool has_body = true) {
    return read_from([this] { return receive(); }, has_body);
  }

  /// Reads the next response from the bytes of `more`; it must have Date and Content-Length.
  template <class More> response read_from(More more, bool has_body) {
    response got;
    std::size_t end = std::string::npos;
    while ((end = left_.find("\r\n\r\n")) == left_.npos) {
      const std::string bytes = more();
      if (bytes.empty()) return got;
      left_ += bytes;
    }
    got.head = left_.substr(0, end + 2);
    left_.erase(0, end + 4);
    parse_head(got);
    if (std::stoi(got.head.substr(9, 3)) == 100) {
      got.status = 100;
      return got;
    }
    if (got.field("date").size() != 29) throw std::runtime_error("no Date in " + got.head);
    const std::size_t length = has_body ? std::stoul(got.fields.at("content-length")) : 0;
    while (left_.size() < length) {
      const std::string bytes = more();
      if (bytes.empty()) return got;
      left_ += bytes;
    }
    got.body = left_.substr(0, length);
    left_.erase(0, length);
    got.status = std::stoi(got.head.substr(9, 3));
    return got;
  }
  response ask(const std::string& bytes) { return send(bytes).read(); }
  const std::string& left() const { return left_; }

private:
  void join(const sockaddr* address, socklen_t size) {
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fd_ < 0 || ::connect(fd_, address, size) != 0) {
      const int error = errno;
      if (fd_ >= 0) ::close(std::exchange(fd_, -1));
      throw std::runtime_error(std::generic_category().message(error));
    }
  }
  static void parse_head(response& got) {
    if (got.head.substr(0, 9) != "HTTP/1.1 ") throw std::runtime_error("no response: " + got.head);
    for (std::size_t at = got.head.find("\r\n") + 2; at < got.head.size();) {
      const std::size_t end = got.head.find("\r\n", at);
      const std::string line = got.head.substr(at, end - at);
      const std::size_t colon = line.find(": ");
      std::string name = line.substr(0, colon);
      for (char& c : name)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (colon == line.npos || !got.fields.emplace(name, line.substr(colon + 2)).second)
        throw std::runtime_error("a bad or repeated line: " + line);
      at = end + 2;
    }
  }

  int fd_ = -1;
  std::string left_;
};

/// A request on a connection of its own.
inline response ask(int port, const std::string& bytes) { return client(port).ask(bytes); }

// --- TLS -----------------------------------------------------------------------------------------

/// A folder that is removed at the end of its scope.
class scratch_folder {
public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "soapsvc-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

/// The properties of a certificate besides its subject.
struct certificate_facts {
  std::optional<std::string> alt_names;  ///< such as "DNS:x,IP:127.0.0.1"; absent: the subject's
  long seconds_left = 3'600;
};

/// A key and its certificate, signed by `issuer` or by itself.
class identity {
public:
  explicit identity(
      const std::string& name,
      const identity* issuer = nullptr,
      const certificate_facts& facts = {})
      : key_(::EVP_EC_gen("P-256"), ::EVP_PKEY_free), certificate_(::X509_new(), ::X509_free) {
    X509* const made = certificate_.get();
    ::X509_set_version(made, 2);
    static std::atomic<long> serial{1};
    ::ASN1_INTEGER_set(::X509_get_serialNumber(made), ++serial);
    ::X509_gmtime_adj(::X509_getm_notBefore(made), -3'600);
    ::X509_gmtime_adj(::X509_getm_notAfter(made), facts.seconds_left);
    ::X509_set_pubkey(made, key_.get());
    const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
    X509_NAME* const subject = ::X509_get_subject_name(made);
    ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0);
    const identity& by = issuer != nullptr ? *issuer : *this;
    ::X509_set_issuer_name(made, ::X509_get_subject_name(by.certificate_.get()));
    if (issuer == nullptr) add(NID_basic_constraints, "critical,CA:TRUE");
    in_addr ignored{};
    const bool is_address = ::inet_pton(AF_INET, name.c_str(), &ignored) == 1;
    const std::string names = facts.alt_names.value_or((is_address ? "IP:" : "DNS:") + name);
    if (!names.empty()) add(NID_subject_alt_name, names);
    ::X509_sign(made, by.key_.get(), ::EVP_sha256());
  }
  /// Certificate and key in one PEM file.
  void write(const std::string& file) const {
    const std::unique_ptr<BIO, int (*)(BIO*)> out(::BIO_new_file(file.c_str(), "w"), ::BIO_free);
    ::PEM_write_bio_X509(out.get(), certificate_.get());
    ::PEM_write_bio_PrivateKey(out.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  }
  X509* certificate() const { return certificate_.get(); }
  EVP_PKEY* key() const { return key_.get(); }
  long serial() const { return ::ASN1_INTEGER_get(::X509_get0_serialNumber(certificate_.get())); }

private:
  void add(int kind, const std::string& value) {
    X509_EXTENSION* const made = ::X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    if (made == nullptr) throw std::runtime_error("no extension: " + value);
    ::X509_add_ext(certificate_.get(), made, -1);
    ::X509_EXTENSION_free(made);
  }
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
  std::unique_ptr<X509, void (*)(X509*)> certificate_;
};

/// TLS over a client; throws std::runtime_error when the handshake fails.
class tls_client {
public:
  explicit tls_client(int port, const identity* shown = nullptr, int version = 0)
      : tls_client(client(port), shown, version) {}
  explicit tls_client(client plain, const identity* shown = nullptr, int version = 0)
      : plain_(std::move(plain)), context_(::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free) {
    const timeval limit{10, 0};
    ::setsockopt(plain_.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::SSL_CTX_set_min_proto_version(context_.get(), version);
    ::SSL_CTX_set_max_proto_version(context_.get(), version);
    ::SSL_CTX_set_cipher_list(context_.get(), "DEFAULT@SECLEVEL=0");
    if (shown != nullptr) {
      ::SSL_CTX_use_certificate(context_.get(), shown->certificate());
      ::SSL_CTX_use_PrivateKey(context_.get(), shown->key());
    }
    tls_.reset(::SSL_new(context_.get()));
    ::SSL_set_fd(tls_.get(), plain_.fd());
    if (::SSL_connect(tls_.get()) == 1) return;
    const unsigned long error = ::ERR_get_error();
    ::ERR_clear_error();
    const char* reason = ::ERR_reason_error_string(error);
    throw std::runtime_error(reason != nullptr ? reason : "the server has gone");
  }
  std::string version() const { return ::SSL_get_version(tls_.get()); }
  long serial() const {
    const std::unique_ptr<X509, void (*)(X509*)> shown(
        ::SSL_get1_peer_certificate(tls_.get()), ::X509_free);
    return ::ASN1_INTEGER_get(::X509_get0_serialNumber(shown.get()));
  }
  /// False: the other end has closed the connection.
  bool try_send(std::string_view bytes) {
    std::size_t sent = 0;
    return ::SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &sent) == 1;
  }
  tls_client& send(std::string_view bytes) {
    if (!try_send(bytes)) throw std::runtime_error("the server takes no more");
    return *this;
  }
  void half_close() { ::SSL_shutdown(tls_.get()); }
  std::string receive() {
    std::string bytes(65'536, '\0');
    std::size_t count = 0;
    if (::SSL_read_ex(tls_.get(), bytes.data(), bytes.size(), &count) != 1) count = 0;
    bytes.resize(count);
    return bytes;
  }
  /// True if the server sent close_notify before it closed the connection.
  bool was_closed_properly() {
    return receive().empty() && (::SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }
  response read(bool has_body = true) {
    return plain_.read_from([this] { return receive(); }, has_body);
  }
  response ask(const std::string& bytes) { return send(bytes).read(); }
  /// A record without data (RFC 8446, 4.6.3). False: the server has closed the connection.
  bool update_key() {
    return ::SSL_key_update(tls_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1 &&
           ::SSL_do_handshake(tls_.get()) == 1;
  }
  client& plain() { return plain_; }

private:
  client plain_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_{nullptr, ::SSL_free};
};

}  // namespace net
