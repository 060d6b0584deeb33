// [curl] The transport over libcurl, for features that the client's own HTTP does not have: proxies
// of all kinds, Digest, NTLM and Negotiate, HTTP/2. Its guarantees: a request is sent at most once,
// only subjectAltName counts, and all received bytes are bounded.
#include <catch2/catch.hpp>
#include <mutex>

#include "digest.hpp"
#include "scripted.hpp"

namespace {

using namespace net;

// --- Sockets -------------------------------------------------------------------------------------

/// The received bytes, after a wait; empty: the connection was closed, or nothing arrived for ten
/// seconds.
std::string some(int fd, std::size_t most = 65'536) {
  std::string bytes(most, '\0');
  pollfd wait{fd, POLLIN, 0};
  if (::poll(&wait, 1, 10'000) <= 0) return {};
  const ssize_t count = ::recv(fd, bytes.data(), most, 0);
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}
/// This number of bytes, or fewer if the connection was closed.
std::string exactly(int fd, std::size_t size) {
  std::string bytes;
  for (std::string next; bytes.size() != size; bytes += next)
    if (next = some(fd, size - bytes.size()); next.empty()) break;
  return bytes;
}
bool put(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}
std::string head(int fd) {
  std::string bytes;
  while (!bytes.ends_with("\r\n\r\n")) {
    const std::string next = some(fd, 1);
    if (next.empty()) return {};
    bytes += next;
  }
  return bytes;
}

/// Passes bytes in both directions until one side closes.
void relay(int one, int other) {
  for (;;) {
    pollfd both[] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
    if (::poll(both, 2, 20'000) <= 0) return;
    for (const int from : {0, 1}) {
      if (both[from].revents == 0) continue;
      const std::string bytes = some(both[from].fd);
      if (bytes.empty() || !put(both[1 - from].fd, bytes)) return;
    }
  }
}

// --- Proxies -------------------------------------------------------------------------------------

/// Serves requests for an HTTP proxy, plain and CONNECT, and for SOCKS5. All are passed to one port
/// of this machine, whatever their target.
class proxy {
public:
  explicit proxy(int port, std::string refusal = "")
      : port_(port), refusal_(std::move(refusal)), server_([this](connection& to) { talk(to); }) {}

  std::string http() const { return "http://127.0.0.1:" + std::to_string(server_.port); }
  std::string socks(const std::string& scheme) const {
    return scheme + "://127.0.0.1:" + std::to_string(server_.port);
  }
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

private:
  void note(const std::string& what) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(what);
  }
  void talk(connection& to) {
    char first = 0;
    pollfd wait{to.fd(), POLLIN, 0};
    if (::poll(&wait, 1, 10'000) <= 0 || ::recv(to.fd(), &first, 1, MSG_PEEK) != 1) return;
    if (first == 5) return talk_socks(to.fd());
    if (first == 'C') return talk_connect(to.fd());
    std::string request = to.read();
    note(request.substr(0, request.find(" HTTP/")));
    if (!refusal_.empty()) return static_cast<void>(to.send(refusal_));
    const std::size_t target =
        request.find("http://");  // the whole address; the service's is a path
    request.erase(target, request.find('/', target + 7) - target);
    const net::client origin(port_);
    put(origin.fd(), request);
    relay(to.fd(), origin.fd());
  }
  void talk_connect(int fd) {
    const std::string request = head(fd);
    note(request.substr(0, request.find(" HTTP/")));
    put(fd, refusal_.empty() ? "HTTP/1.1 200 Connection established\r\n\r\n" : refusal_);
    if (!refusal_.empty()) return;
    const net::client origin(port_);
    relay(fd, origin.fd());
  }
  /// RFC 1928, without a password.
  void talk_socks(int fd) {
    const std::string greeting = exactly(fd, 2);
    exactly(fd, static_cast<unsigned char>(greeting[1]));
    put(fd, std::string("\5\0", 2));
    const std::string request = exactly(fd, 4);
    const bool is_name = request[3] == 3;
    const std::size_t size = is_name ? static_cast<unsigned char>(exactly(fd, 1)[0]) : 4;
    const std::string host = exactly(fd, size);
    exactly(fd, 2);
    note("SOCKS5 " + (is_name ? host : "an address"));
    put(fd, refusal_.empty() ? std::string("\5\0\0\1\0\0\0\0\0\0", 10) : refusal_);
    if (!refusal_.empty()) return;
    const net::client origin(port_);
    relay(fd, origin.fd());
  }

  const int port_;
  const std::string refusal_;
  std::mutex mutex_;
  std::vector<std::string> asked_;
  scripted server_;
};

soapsvc::client<Desk> over_curl(interop::curl_settings settings) {
  const soapsvc::client_options with = settings.options;
  return {interop::curl_transport(std::move(settings)), with};
}

std::string address_of(const std::string& scheme, const std::string& host, int port) {
  return scheme + "://" + host + ':' + std::to_string(port) + path;
}

}  // namespace

TEST_CASE("libcurl's calls go through proxies", "[curl][proxy]") {
  const std::string scheme = GENERATE("http", "https");
  secure_host secure("www.example.com");
  server plain;
  server& at = scheme == "http" ? plain : *secure.served;
  proxy by(at.port);
  const std::string name = "www.example.com:" + std::to_string(at.port);
  const std::string target = scheme == "http" ? "POST http://" + name + path : "CONNECT " + name;
  const bool speaks_http = GENERATE(true, false);
  interop::curl_settings settings{.url = address_of(scheme, "www.example.com", at.port)};
  settings.options = scheme == "http" ? options() : secure.trusting;
  settings.options.proxy = speaks_http ? by.http() : by.socks("socks5h");
  const std::string seen = speaks_http ? target : "SOCKS5 www.example.com";
  auto client = over_curl(settings);
  CHECK(echo_by(client) == "hi");
  CHECK(client.call(&Desk::big, Number{300'000}).size() == 300'000);
  CHECK_THROWS_AS(client.call(&Desk::fail, Words{"x"}), soapsvc::remote_fault);
  CHECK(by.asked() == std::vector<std::string>(3, seen));
  CHECK(at.desk.calls == 2);
  if (scheme == "http") return;
  // The server is verified through a proxy, too.
  settings.options.ca_file.clear();
  client = over_curl(settings);
  error_of(client, transport_failure::tls);
  CHECK(at.desk.calls == 2);
}

TEST_CASE("nothing was sent through a proxy that refuses", "[curl][proxy]") {
  server at;
  const std::string page = http("407 Proxy Authentication Required", "text/html", "<p>who?</p>");
  struct refusing {
    const char* what;
    const char* scheme;
    bool speaks_http;
    std::string says;
  };
  const std::string many(100'000, 'a');
  const std::string a_socks_error("\5\5\0\1\0\0\0\0\0\0", 10);
  for (const refusing& each : std::vector<refusing>{
           {"407", "https", true, page},
           {"502", "https", true, http("502 Bad Gateway", "text/plain", "no")},
           {"the end", "https", true, "HTTP/1.1 200"},
           {"no HTTP", "https", true, "\1\2\3\r\n\r\n"},
           {"a long header", "https", true, "HTTP/1.1 200 OK\r\nX: " + many},
           {"a long page",
            "https",
            true,
            "HTTP/1.1 403 No\r\nContent-Length: 900000\r\n\r\n" + many},
           {"SOCKS says no", "http", false, a_socks_error},
           {"half of SOCKS", "http", false, "\5"},
           {"no SOCKS", "http", false, "HTTP/1.1 400 Bad Request\r\n\r\n"}}) {
    INFO(each.what);
    proxy by(at.port, each.says);
    interop::curl_settings settings{.url = address_of(each.scheme, "www.example.com", at.port)};
    settings.options = options();
    settings.options.connect_timeout = 1s;
    settings.options.proxy = each.speaks_http ? by.http() : by.socks("socks5h");
    auto client = over_curl(settings);
    error_of(client, transport_failure::connect);
    CHECK(by.asked().size() == 1);
  }
  // A request without TLS is sent to the proxy, so its result is unknown.
  proxy by(at.port, page);
  interop::curl_settings settings{.url = address_of("http", "www.example.com", at.port)};
  settings.options = options();
  settings.options.proxy = by.http();
  auto client = over_curl(settings);
  CHECK(error_of(client, transport_failure::response).http_status() == 407);
  settings.options.proxy = "socks5h://127.0.0.1:1";
  client = over_curl(settings);
  error_of(client, transport_failure::connect);
  CHECK(at.desk.calls == 0);
}

// --- Names ---------------------------------------------------------------------------------------

TEST_CASE(
    "over libcurl, only subjectAltName is compared with the host", "[curl][tls][certificate]") {
  const identity authority("authority");
  const scratch_folder folder;
  authority.write(folder.file("authority.pem"));
  std::atomic<int> requests{0};
  const auto is = [&](const identity& shown, const std::string& host) {
    const scripted server(
        [&](connection& to) {
          if (to.read().empty()) return;
          ++requests;
          to.send(good("hi"));
        },
        &shown);
    proxy by(server.port);
    interop::curl_settings settings{.url = address_of("https", host, 443)};
    settings.options = options();
    settings.options.ca_file = folder.file("authority.pem");
    settings.options.proxy = by.http();
    const int before = requests;
    auto client = over_curl(settings);
    try {
      return echo_by(client) == "hi";
    } catch (const transport_error& error) {
      CHECK(error.why() == transport_failure::tls);
      CHECK(requests == before);
      return false;
    }
  };
  const auto shows = [&](const std::string& subject, const std::string& alt_names) {
    return identity(subject, &authority, {alt_names});
  };
  const identity plain = shows("x", "DNS:www.example.com");
  CHECK(is(plain, "www.example.com"));
  CHECK(is(plain, "www.example.com."));
  CHECK_FALSE(is(plain, "example.com"));
  CHECK_FALSE(is(shows("www.example.com", ""), "www.example.com"));
  CHECK_FALSE(is(shows("www.example.com", "DNS:other.example.com"), "www.example.com"));
  CHECK_FALSE(is(shows("www.example.com", "email:a@www.example.com"), "www.example.com"));
  CHECK(is(shows("x", "DNS:*.example.com"), "www.example.com"));
  CHECK_FALSE(is(shows("x", "DNS:*.example.com"), "a.www.example.com"));
  CHECK_FALSE(is(shows("x", "DNS:w*.example.com"), "www.example.com"));
  CHECK(is(shows("x", "IP:127.0.0.1"), "127.0.0.1"));
  CHECK_FALSE(is(shows("127.0.0.1", ""), "127.0.0.1"));
  CHECK_FALSE(is(shows("x", "DNS:127.0.0.1"), "127.0.0.1"));
  CHECK_FALSE(is(identity("x", &authority, {"DNS:www.example.com", -60}), "www.example.com"));
  CHECK_FALSE(is(identity("x", nullptr, {"DNS:www.example.com"}), "www.example.com"));
}

// --- Authentication ------------------------------------------------------------------------------

namespace {

/// The value of the header Authorization; empty for none.
std::string given_by(const std::string& request) {
  const std::size_t at = request.find("\r\nAuthorization: ");
  if (at == request.npos) return {};
  return request.substr(at + 17, request.find("\r\n", at + 17) - at - 17);
}

std::string refused(const std::string& challenge, const std::string& more = "") {
  return http(
      "401 Unauthorized", "text/plain", "who?", "WWW-Authenticate: " + challenge + "\r\n" + more);
}

/// A server that serves requests in turn, and counts those with an envelope.
class asking {
public:
  /// The response to a request; empty: the connection is closed.
  using answer = std::function<std::string(const std::string& given)>;

  explicit asking(answer make)
      : make_(std::move(make)), server_([this](connection& to) {
          for (std::string request = to.read(); !request.empty(); request = to.read()) {
            ++requests;
            bodies += request.find("Envelope") != request.npos;
            const std::string says = make_(given_by(request));
            if (says.empty()) return;
            to.send(says);
          }
        }) {}

  std::atomic<int> requests{0}, bodies{0};
  int connections() const { return server_.accepted; }
  soapsvc::client<Desk> client(long authentication, const std::string& secret = "secret") const {
    interop::curl_settings settings{.url = address_of("http", "127.0.0.1", server_.port)};
    settings.options = options();
    settings.authentication = authentication;
    settings.user = "ada";
    settings.password = secret;
    return over_curl(settings);
  }

private:
  const answer make_;
  scripted server_;
};

/// A Digest server; `late` responds to correct credentials.
asking::answer digest_server(bool is_sha256, std::string late) {
  return [is_sha256, late = std::move(late)](const std::string& given) {
    const EVP_MD* const kind = is_sha256 ? ::EVP_sha256() : ::EVP_md5();
    if (given.starts_with("Digest ") && parameter_of(given, "nonce") == "n1" &&
        parameter_of(given, "response") == answer_of(kind, "POST", "ada:desk:secret", given))
      return late;
    return refused(
        std::string("Digest realm=\"desk\", qop=\"auth\", nonce=\"n1\", algorithm=") +
        (is_sha256 ? "SHA-256" : "MD5"));
  };
}

std::string base64(const std::string& bytes) {
  std::string made(4 * bytes.size() / 3 + 4, '\0');
  made.resize(static_cast<std::size_t>(::EVP_EncodeBlock(
      reinterpret_cast<unsigned char*>(made.data()),
      reinterpret_cast<const unsigned char*>(bytes.data()),
      static_cast<int>(bytes.size()))));
  return made;
}
/// The kind of a message of NTLM: 1 begins, 3 authenticates; 0: it is none.
int kind_of_ntlm(const std::string& given) {
  for (const char kind : {'\1', '\3'}) {
    const std::string begin = base64(std::string("NTLMSSP\0", 8) + kind);
    if (given.starts_with("NTLM " + begin)) return kind;
  }
  return 0;
}
/// MS-NLMP 2.2.1.2: the server's challenge, without a target.
std::string ntlm_challenge() {
  std::string bytes("NTLMSSP\0\2\0\0\0", 12);
  bytes += std::string("\0\0\0\0\x30\0\0\0", 8);  // no target's name
  bytes += std::string("\x01\x82\x08\0", 4);  // Unicode, NTLM, extended security
  bytes += "12345678" + std::string(8, '\0');  // the nonce
  bytes += std::string("\0\0\0\0\x30\0\0\0", 8);  // nothing about the target
  return "NTLM " + base64(bytes);
}
asking::answer ntlm_server(std::string late) {
  return [late = std::move(late)](const std::string& given) {
    const int kind = kind_of_ntlm(given);
    return kind == 3 ? late : refused(kind == 1 ? ntlm_challenge() : "NTLM");
  };
}

}  // namespace

TEST_CASE("Digest over libcurl sends an envelope once", "[curl][authorization]") {
  const bool is_sha256 = GENERATE(false, true);
  {
    asking at(digest_server(is_sha256, good("in")));
    auto client = at.client(CURLAUTH_DIGEST);
    CHECK(echo_by(client) == "in");
    CHECK(at.requests == 2);
    CHECK(at.bodies == 1);
    auto other = at.client(CURLAUTH_DIGEST, "another");
    CHECK(error_of(other, transport_failure::response).http_status() == 401);
    CHECK(at.bodies == 2);  // once, with the wrong credentials
    auto nobody = at.client(CURLAUTH_NONE);
    CHECK(error_of(nobody, transport_failure::response).http_status() == 401);
    CHECK(at.bodies == 3);
  }
  // The server has read the request, and closes the connection, or sends half of a response.
  {
    asking at(digest_server(is_sha256, ""));
    auto client = at.client(CURLAUTH_DIGEST);
    error_of(client, transport_failure::lost);
    CHECK(at.bodies == 1);
  }
  {
    asking at(digest_server(is_sha256, "HTTP/1.1 200 OK\r\n"));
    auto client = at.client(CURLAUTH_DIGEST).with({.timeout = 300ms});
    error_of(client, transport_failure::timeout);
    CHECK(at.bodies == 1);
  }
  // A server that closes the connection after its challenge differs from one that closes it in the
  // middle.
  asking at([](const std::string& given) {
    return given.empty() ? refused("Digest realm=\"desk\", nonce=\"n1\"", "Connection: close\r\n")
                         : good("in");
  });
  auto client = at.client(CURLAUTH_DIGEST);
  CHECK(echo_by(client) == "in");
  CHECK(at.connections() == 2);
  CHECK(at.bodies == 1);
}

TEST_CASE("NTLM over libcurl sends an envelope once", "[curl][authorization]") {
  {
    asking at(ntlm_server(good("in")));
    auto client = at.client(CURLAUTH_NTLM);
    CHECK(echo_by(client) == "in");
    CHECK(at.connections() == 1);  // it is the connection that is authenticated
    CHECK(at.requests == 2);
    CHECK(at.bodies == 1);
    // Each call authenticates again: the connection of another caller is not used.
    auto other = at.client(CURLAUTH_NTLM, "another");
    CHECK(echo_by(other) == "in");
    CHECK(at.connections() == 2);
  }
  {
    // After a response on a connection, libcurl takes its end for the end of a kept connection.
    asking at(ntlm_server(""));
    auto client = at.client(CURLAUTH_NTLM);
    error_of(client, transport_failure::lost);
    CHECK(at.bodies == 1);
  }
  for (const std::string& challenge :
       {std::string("NTLM"),
        std::string("NTLM AAAA"),
        std::string("NTLM " + std::string(9'000, 'A'))}) {
    asking at([&](const std::string&) { return refused(challenge); });
    auto client = at.client(CURLAUTH_NTLM);
    error_of(client, transport_failure::response);
    CHECK(at.bodies <= 1);
  }
}

TEST_CASE("Negotiate without a ticket is refused, and sent once", "[curl][authorization]") {
  asking at([](const std::string&) { return refused("Negotiate"); });
  auto client = at.client(CURLAUTH_NEGOTIATE);
  CHECK(error_of(client, transport_failure::response).http_status() == 401);
  CHECK(at.bodies <= 1);
}

// --- HTTP/2 --------------------------------------------------------------------------------------

namespace {

std::string frame(char type, char flags, const std::string& content, char stream = 1) {
  const auto size = content.size();
  const std::string head{
      static_cast<char>(size >> 16),
      static_cast<char>(size >> 8),
      static_cast<char>(size),
      type,
      flags,
      '\0',
      '\0',
      '\0',
      stream};
  return head + content;
}
/// RFC 7541, 6.2.2: a field that no table keeps.
std::string field(const std::string& name, const std::string& value) {
  return std::string(1, '\0') + static_cast<char>(name.size()) + name +
         static_cast<char>(value.size()) + value;
}
const std::string settings_frame = frame(4, 0, "", 0);
/// 200, in XML.
const std::string headers_frame = frame(1, 4, '\x88' + field("content-type", "text/xml"));

/// Reads one complete HTTP/2 request on each connection, and sends the given frames.
class server_of_http2 {
public:
  explicit server_of_http2(std::vector<std::string> says)
      : says_(std::move(says)), server_([this](connection& to) { talk(to.fd()); }) {}
  std::atomic<int> requests{0};
  soapsvc::client<Desk> client(const soapsvc::client_options& with) const {
    interop::curl_settings settings{.url = address_of("http", "127.0.0.1", server_.port)};
    settings.options = with;
    settings.http_version = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    return over_curl(settings);
  }

private:
  void talk(int fd) {
    exactly(fd, 24);  // PRI * HTTP/2.0
    put(fd, settings_frame);
    for (bool is_over = false; !is_over;) {
      const std::string head = exactly(fd, 9);
      if (head.size() != 9) return;
      const auto byte = [&](std::size_t at) {
        return static_cast<std::size_t>(static_cast<unsigned char>(head[at]));
      };
      exactly(fd, byte(0) << 16 | byte(1) << 8 | byte(2));
      if (head[3] == 4 && head[4] == 0) put(fd, frame(4, 1, "", 0));
      is_over = (head[3] == 0 || head[3] == 1) && (head[4] & 1) != 0;
    }
    ++requests;
    for (const std::string& each : says_)
      if (!put(fd, each)) return;
    if (!says_.empty())
      while (!some(fd).empty()) {
      }
  }
  const std::vector<std::string> says_;
  scripted server_;
};

std::string data(const std::string& bytes, bool ends = true) {
  std::string made;
  for (std::size_t at = 0; at < bytes.size(); at += 16'000)
    made += frame(0, ends && at + 16'000 >= bytes.size() ? 1 : 0, bytes.substr(at, 16'000));
  return made;
}

}  // namespace

TEST_CASE("a request in HTTP/2 is sent at most once", "[curl][http2]") {
  {
    server_of_http2 at({headers_frame, data(echoed("in"))});
    auto client = at.client(options());
    CHECK(echo_by(client) == "in");
    CHECK(at.requests == 1);
  }
  const std::string eight(8, '\0');
  for (const std::vector<std::string>& says : std::vector<std::vector<std::string>>{
           {},  // the end
           {frame(3, 0, std::string("\0\0\0\7", 4))},  // REFUSED_STREAM
           {frame(3, 0, std::string("\0\0\0\1", 4))},  // PROTOCOL_ERROR
           {frame(7, 0, eight, 0)},  // GOAWAY: of no stream
           {headers_frame, frame(3, 0, std::string("\0\0\0\7", 4))},
           {headers_frame, data("<e", false), frame(3, 0, std::string("\0\0\0\2", 4))}}) {
    server_of_http2 at(says);
    soapsvc::client_options with = options();
    with.read_timeout = 1s;
    auto client = at.client(with);
    try {
      const std::string got = echo_by(client);
      FAIL("no error, but " + got);
    } catch (const transport_error& error) {
      INFO(error.what());
      CHECK(error.may_have_arrived());
    }
    CHECK(at.requests == 1);
  }
}

TEST_CASE("a response in HTTP/2 has the same bounds", "[curl][http2][limits]") {
  soapsvc::client_options with = options();
  with.limits.max_body_bytes = 2'000;
  with.max_header_bytes = 4'000;
  const auto refused_of = [&](std::vector<std::string> says) {
    server_of_http2 at(std::move(says));
    auto client = at.client(with);
    const transport_error error = error_of(client, transport_failure::response);
    CHECK(at.requests == 1);
    return std::string(error.what());
  };
  CHECK_THAT(
      refused_of({headers_frame, data(std::string(100'000, ' '))}),
      Catch::Contains("more than 2000 bytes"));
  std::string many;
  for (int i = 0; i != 100; ++i)
    many += field("x-a", std::string(100, 'a'));
  CHECK_THAT(
      refused_of({frame(1, 5, '\x88' + many)}),
      Catch::Contains("a header of more than 4000 bytes"));
  // Trailers count as well.
  CHECK_THAT(
      refused_of({headers_frame, data(echoed("x"), false), frame(1, 5, many)}),
      Catch::Contains("a header of more than 4000 bytes"));
  // Frames without data.
  std::string nothing;
  for (int i = 0; i != 200'000; ++i)
    nothing += frame(0, 0, "");
  with.call_timeout = 2s;
  server_of_http2 at({headers_frame, nothing});
  auto client = at.client(with);
  CHECK_THROWS_AS(echo_by(client), transport_error);
  CHECK(at.requests == 1);
}
