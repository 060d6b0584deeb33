// Hello as a CGI program (RFC 3875), which a web server starts for each request. It shows how to
// use a dispatcher without soapsvc::host. The path of the service at /cgi-bin/hello is
// /cgi-bin/hello/Hello.asmx.
#define SOAPSVC_NO_HOST
#define SOAPSVC_NO_CLIENT
#define SOAPSVC_NO_OPENSSL
#include <charconv>
#include <cstdlib>
#include <iostream>

#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name + "!"; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> =
    service("Hello", operation("Greet", &Hello::greet, doc("Greets by name.")));

/// A variable of the environment; empty when it is not set.
static std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Reads the body. It must have the announced length, within the maximum. Memory grows only with
/// the bytes that arrive. Returns 0, or the HTTP status of a refusal.
static int read_body(std::string& body, std::size_t most) {
  const std::string_view said = variable("CONTENT_LENGTH");
  if (said.empty()) return variable("REQUEST_METHOD") == "POST" ? 411 : 0;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), length);
  if (error == std::errc::result_out_of_range || length > most) return 413;
  if (error != std::errc() || end != said.data() + said.size()) return 400;
  std::array<char, 65'536> piece{};
  while (body.size() < length && std::cin) {
    const std::size_t due = std::min(piece.size(), length - body.size());
    std::cin.read(piece.data(), static_cast<std::streamsize>(due));
    body.append(piece.data(), static_cast<std::size_t>(std::cin.gcount()));
  }
  return body.size() == length ? 0 : 400;
}

/// Standard error is the web server's log.
static void tell(const soapsvc::call_report& call) {
  std::cerr << call.peer << ' ' << call.operation << ' ' << call.http_status << '\n';
}

int main() {
  Hello hello;
  const std::string script(variable("SCRIPT_NAME"));
  soapsvc::dispatcher services{
      {.ns_base = "http://example.com", .base_path = script, .on_call = tell}};
  services.add(hello);

  std::string target = script;
  target.append(variable("PATH_INFO")).append("?").append(variable("QUERY_STRING"));
  std::string here(variable("SERVER_NAME"));
  here.append(":").append(variable("SERVER_PORT"));
  const std::array headers{
      soapsvc::http_header{"Content-Type", variable("CONTENT_TYPE")},
      soapsvc::http_header{"Host", variable("HTTP_HOST")},
      soapsvc::http_header{"SOAPAction", variable("HTTP_SOAPACTION")},
      soapsvc::http_header{"Origin", variable("HTTP_ORIGIN")},
      soapsvc::http_header{"Sec-Fetch-Site", variable("HTTP_SEC_FETCH_SITE")},
      soapsvc::http_header{"X-Request-Id", variable("HTTP_X_REQUEST_ID")}};
  soapsvc::http_request request{variable("REQUEST_METHOD"), target, headers};
  request.peer = variable("REMOTE_ADDR");
  request.scheme = variable("HTTPS") == "on" ? "https" : "http";
  request.local_address = here;

  std::string body;
  soapsvc::http_response response;
  const int refused = read_body(body, services.options().limits.max_body_bytes);
  request.body = body;
  if (refused != 0)
    services.refuse(request, refused, "the body is not what CONTENT_LENGTH says", response);
  else
    services.handle(request, response);

  std::cout << "Status: " << response.status << (response.status < 400 ? " OK" : " Refused")
            << "\r\nContent-Type: " << response.content_type << "\r\n";
  for (const auto& [name, value] : response.headers)
    std::cout << name << ": " << value << "\r\n";
  std::cout << "Content-Length: " << response.body.size() << "\r\n\r\n";
  if (request.method != "HEAD") std::cout << response.body << std::flush;
}
