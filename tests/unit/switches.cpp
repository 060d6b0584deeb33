// [configuration]: the parts that SOAPSVC_NO_HOST, SOAPSVC_NO_CLIENT and SOAPSVC_NO_OPENSSL leave;
// an error of one sentence for each use of a removed part. tests/tools/forms compiles this file with
// each of them and with all.
#include <catch2/catch.hpp>

#include "soapsvc.hpp"

#if defined(SOAPSVC_NO_HOST) && !defined(SOAPSVC_NO_OPENSSL)
#include <openssl/evp.h>
#include <openssl/pem.h>
#endif
#if defined(SOAPSVC_NO_HOST) && defined(__unix__)
#include <netinet/in.h>
#include <sys/socket.h>
#endif
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

class Sums {
public:
  std::int32_t twice(const std::int32_t& number) { return 2 * number; }
};
class Signed {
public:
  std::int32_t twice(const std::int32_t& number) { return 2 * number; }
};

#if defined(SOAPSVC_NO_OPENSSL)
class Chosen {
public:
  std::int32_t twice(const std::int32_t& number) { return 2 * number; }
};
#endif
#if defined(SOAPSVC_NO_HOST) && !defined(SOAPSVC_NO_OPENSSL)
class Sealed {
public:
  std::int32_t twice(const std::int32_t& number) { return 2 * number; }
};
#endif

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Sums> =
    service("Sums", ns("urn:sums"), operation("Twice", &Sums::twice, parameters("Number")));
#if defined(SOAPSVC_NO_OPENSSL)
template <>
inline constexpr auto soapsvc::schema<Chosen> = service(
    "Chosen",
    ns("urn:sums"),
    secured(x509_signature, optionally),
    operation("Twice", &Chosen::twice, parameters("Number")));
#endif
template <>
inline constexpr auto soapsvc::schema<Signed> = service(
    "Signed",
    ns("urn:sums"),
    secured(password_text),
    operation("Twice", &Signed::twice, parameters("Number")));

#if defined(SOAPSVC_NO_HOST) && !defined(SOAPSVC_NO_OPENSSL)
template <>
inline constexpr auto soapsvc::schema<Sealed> = service(
    "Sealed",
    ns("urn:sums"),
    secured(x509_signature),
    operation("Twice", &Sealed::twice, parameters("Number")));
#endif

namespace {

soapsvc::dispatcher_options with_users() {
  soapsvc::dispatcher_options options;
  options.security.check_password =
      [](std::string_view, std::string_view, const soapsvc::context&) {
        return std::optional<std::string>("ada");
      };
  return options;
}

#if defined(SOAPSVC_NO_OPENSSL)
const std::string wanted = "needs OpenSSL";
#endif

}  // namespace

TEST_CASE("a dispatcher works with any parts left out", "[switches]") {
  Sums sums;
  soapsvc::dispatcher services;
  services.add(sums);
  const soapsvc::http_header type{"Content-Type", "text/xml"};
  const std::string body = services.sample("Sums", "Twice", soapsvc::soap_version::v1_1);
  const soapsvc::http_response response =
      services.handle({.target = "/soap/v3/Sums.asmx", .headers = {&type, 1}, .body = body});
  CHECK(response.status == 200);
  CHECK_THAT(response.body, Catch::Contains("<TwiceResult>2</TwiceResult>"));
}

TEST_CASE("a service that is secured needs OpenSSL", "[switches]") {
  Signed service;
  soapsvc::dispatcher services(with_users());
#if defined(SOAPSVC_NO_OPENSSL)
  CHECK_THROWS_WITH(
      services.add(service),
      "soapsvc: the service Signed is secured, which needs OpenSSL: compile without "
      "SOAPSVC_NO_OPENSSL");
  Chosen chosen;
  soapsvc::dispatcher_options trusting;
  trusting.security.signatures.trusted_certificates_file = "callers.pem";
  CHECK_THROWS_WITH(
      soapsvc::dispatcher(trusting).add(chosen),
      Catch::Contains("Chosen is secured, which " + wanted));
  soapsvc::dispatcher without_users;
  without_users.add(chosen);
  CHECK(without_users.path_of("Chosen") == "/soap/v3/Chosen.asmx");
#else
  services.add(service);
  CHECK(services.path_of("Signed") == "/soap/v3/Signed.asmx");
#endif
}

#if !defined(SOAPSVC_NO_CLIENT)
TEST_CASE("a client calls a dispatcher with any other parts left out", "[switches]") {
  Sums sums;
  soapsvc::dispatcher services;
  services.add(sums);
  const soapsvc::client<Sums> client(services);
  CHECK(client.call(&Sums::twice, 21) == 42);
  CHECK(client.call_async(&Sums::twice, 4).get() == 8);
  const auto of_secured = [] {
    soapsvc::client_options options;
    options.security.user = "ada";
    return soapsvc::client<Signed>(
        [](const soapsvc::http_request&) { return soapsvc::http_response(); }, options);
  };
#if defined(SOAPSVC_NO_OPENSSL)
  CHECK_THROWS_WITH(of_secured(), Catch::Contains("Signed is secured, which " + wanted));
  soapsvc::client_options with_digest;
  with_digest.digest.name = "ada";
  CHECK_THROWS_WITH(
      soapsvc::client<Sums>(services, with_digest),
      "soapsvc: client_options::digest " + wanted + ": compile without SOAPSVC_NO_OPENSSL");
#if defined(__unix__)
  try {
    const soapsvc::client<Sums> secret("https://127.0.0.1:1/", {});
    FAIL("a client without OpenSSL for https");
  } catch (const soapsvc::transport_error& error) {
    CHECK_THAT(error.what(), Catch::Contains("https:// " + wanted));
    CHECK(error.why() == soapsvc::transport_failure::address);
  }
#endif
#else
  of_secured();
  const soapsvc::client<Sums> secret("https://127.0.0.1:1/", {});
  CHECK_THROWS_AS(secret.call(&Sums::twice, 1), soapsvc::transport_error);
#endif
}

#if defined(SOAPSVC_NO_HOST) && defined(__unix__)
namespace {

/// A server of one connection at a time, which has the same answer to each request.
class one_answer {
public:
  one_answer() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const any = reinterpret_cast<sockaddr*>(&at);
    REQUIRE(::bind(fd_, any, size) == 0);
    REQUIRE(::listen(fd_, 4) == 0);
    REQUIRE(::getsockname(fd_, any, &size) == 0);
    port = ntohs(at.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~one_answer() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  one_answer(const one_answer&) = delete;
  one_answer& operator=(const one_answer&) = delete;
  int port = 0;
  std::atomic<int> connections{0};

private:
  /// Until the listener is shut down.
  void run() {
    for (int to = 0; (to = ::accept(fd_, nullptr, nullptr)) >= 0;)
      answer(to);
  }
  void answer(int to) {
    ++connections;
    const std::string body =
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>"
        "<TwiceResponse xmlns='urn:sums'><TwiceResult>6</TwiceResult></TwiceResponse>"
        "</e:Body></e:Envelope>";
    const std::string response = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: " +
                                 std::to_string(body.size()) + "\r\n\r\n" + body;
    std::string request;
    char bytes[4'096];
    ssize_t got = 0;
    while ((got = ::recv(to, bytes, sizeof bytes, 0)) > 0) {
      request.append(bytes, static_cast<std::size_t>(got));
      if (!request.ends_with("Envelope>")) continue;  // a request may come in pieces
      request.clear();
      if (::send(to, response.data(), response.size(), 0) < 0) break;
    }
    ::close(to);
  }
  int fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
  std::thread thread_;
};

}  // namespace

TEST_CASE("a client calls over HTTP without a host", "[switches]") {
  const one_answer server;
  const soapsvc::client<Sums> client("http://127.0.0.1:" + std::to_string(server.port) + "/", {});
  CHECK(client.call(&Sums::twice, 3) == 6);
  CHECK(client.call(&Sums::twice, 3) == 6);
  CHECK(server.connections == 1);
}
#endif
#endif

#if !defined(SOAPSVC_NO_HOST)
TEST_CASE("a host serves without the parts that were left out", "[switches]") {
  Sums sums;
  soapsvc::host host;
  host.add(sums);
  const int port = host.bind({});
  std::thread serving([&] { host.serve(); });
#if !defined(SOAPSVC_NO_CLIENT)
  const soapsvc::client<Sums> client(
      "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Sums.asmx", {});
  CHECK(client.call(&Sums::twice, 21) == 42);
#endif
  host.stop();
  serving.join();
  CHECK(port > 0);
#if defined(SOAPSVC_NO_OPENSSL)
  CHECK_THROWS_WITH(
      soapsvc::host({}, {.tls = {.certificate_file = "host.pem"}}),
      "soapsvc: tls_options need OpenSSL: compile without SOAPSVC_NO_OPENSSL");
#endif
}
#elif !defined(SOAPSVC_NO_OPENSSL)
namespace {

/// A certificate that nothing else knows, in a file.
struct certificate_file {
  certificate_file() {
    EVP_PKEY* const key = ::EVP_EC_gen("P-256");
    X509* const made = ::X509_new();
    ::X509_gmtime_adj(::X509_getm_notBefore(made), 0);
    ::X509_gmtime_adj(::X509_getm_notAfter(made), 3'600);
    ::X509_set_pubkey(made, key);
    ::X509_sign(made, key, ::EVP_sha256());
    std::FILE* const to = std::fopen(path.c_str(), "w");
    ::PEM_write_X509(to, made);
    std::fclose(to);
    ::X509_free(made);
    ::EVP_PKEY_free(key);
  }
  ~certificate_file() { std::remove(path.c_str()); }
  certificate_file(const certificate_file&) = delete;
  certificate_file& operator=(const certificate_file&) = delete;
  const std::string path = "/tmp/soapsvc-switches-" + std::to_string(::getpid()) + ".pem";
};

}  // namespace

TEST_CASE("files of signed requests need Linux", "[switches]") {
  const certificate_file authority;
  Sealed service;
  soapsvc::dispatcher_options options;
  options.security.signatures.ca_file = authority.path;
  soapsvc::dispatcher(options).add(service);
  options.security.spool_directory = "/tmp";
  CHECK_THROWS_WITH(
      soapsvc::dispatcher(options).add(service),
      "soapsvc: spool_directory is for Linux; compile without SOAPSVC_NO_HOST");
}
#endif
