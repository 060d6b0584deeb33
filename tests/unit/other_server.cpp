// A dispatcher that is mounted on the program's own server, cpp-httplib's, compared with a host.
#include <catch2/catch.hpp>

#include "mounted.hpp"

using namespace net;

namespace {

struct Count {
  std::int32_t items{};
  bool breaks{};
};

/// A stream that is longer than a piece.
class Counter {
public:
  soapsvc::stream<std::int32_t> count(const Count& asked) {
    return [next = 0, asked]() mutable -> std::optional<std::int32_t> {
      if (next == asked.items && asked.breaks) throw std::runtime_error("no more");
      return next == asked.items ? std::nullopt : std::optional(++next);
    };
  }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Count> =
    record(field("Items", &Count::items), field("Breaks", &Count::breaks));
template <>
inline constexpr auto soapsvc::schema<Counter> =
    service("Counter", operation("Count", &Counter::count));

namespace {

const std::string counter_path = "/soap/v3/Counter.asmx";

std::string count(int items, bool breaks) {
  return "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><Count "
         "xmlns=\"http://example.com/soap/Counter\"><Items>" +
         std::to_string(items) + "</Items><Breaks>" + (breaks ? "true" : "false") +
         "</Breaks></Count></e:Body></e:Envelope>";
}
std::string request_of(
    const std::string& line, const std::string& fields, const std::string& body = "") {
  return line + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n" + body;
}
std::string with_length(const std::string& fields, const std::string& body) {
  return fields + "Content-Length: " + std::to_string(body.size()) + "\r\n";
}
/// A POST of a SOAP 1.1 message to the Desk, with other headers.
std::string post_with(const std::string& fields, const std::string& body) {
  return request_of("POST " + path, with_length("Content-Type: text/xml\r\n" + fields, body), body);
}

/// The end of the connection included. A response in pieces has no length that a client could read.
std::string all_of(int port, const std::string& request) {
  client caller(port);
  caller.send(request);
  return caller.read_to_end();
}
bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

net::host_setup with_origin() {
  net::host_setup options = quick_options();
  options.browsers.allowed_origins = {"https://app.example.com"};
  options.server.gzip_responses =
      false;  // it would add a second Vary, and cpp-httplib compresses itself
  return options;
}

/// The requests to both servers: all methods and paths, pages, calls, faults, and requests of
/// browsers that are allowed or not.
std::vector<std::string> questions() {
  std::vector<std::string> asked;
  for (const char* target : {"/", "/none", "/soap/v3/desk.asmx"})
    asked.push_back(get(target));
  for (const char* query : {"", "?wsdl", "?singleWsdl", "?op=Echo", "?op=None", "?xsd=1"})
    asked.push_back(get(path + query));
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS"})
    asked.push_back(request_of(method + (' ' + path), ""));
  for (const char* method : {"Access-Control-Request-Method: POST\r\n", ""})
    asked.push_back(
        request_of("OPTIONS " + path, std::string("Origin: https://app.example.com\r\n") + method));
  for (const char* fields :
       {"",
        "Origin: https://app.example.com\r\n",
        "Origin: https://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "SOAPAction: \"urn:none\"\r\n",
        "X-Request-Id: r-1\r\n"})
    asked.push_back(post_with(fields, echo("hello")));
  for (const std::string& body : {envelope("None"), std::string("no XML"), std::string()})
    asked.push_back(post_with("", body));
  asked.push_back(
      replaced(post_with("", echo("x")), "text/xml", "application/x-www-form-urlencoded"));
  asked.push_back(replaced(post_with("", echo("x")), "Content-Type", "X-Type"));
  asked.push_back(replaced(get(path + "?wsdl"), "localhost", "other.example"));
  return asked;
}

}  // namespace

TEST_CASE("a mounted dispatcher serves besides the routes of its server", "[other-server]") {
  mounted_server at;
  const std::string base = "http://127.0.0.1:" + std::to_string(at.port);
  for (const auto version : {soapsvc::soap_version::v1_1, soapsvc::soap_version::v1_2}) {
    soapsvc::client<Desk> caller(
        base + path,
        {.ns_base = "http://example.com/soap",
         .version = version,
         .headers = {{"REMOTE_ADDR", "6.6.6.6"}}});
    CHECK(caller.call(&Desk::echo, Words{"behind"}) == "behind");
    CHECK(caller.call(&Desk::about) == "127.0.0.1|");
    CHECK_THROWS_AS(caller.call(&Desk::fail, Words{"x"}), soapsvc::remote_fault);
  }
  CHECK(ask(at.port, get("/other")).body == "mine");
  CHECK(ask(at.port, get(path + "?wsdl")).holds("location=\"http://localhost"));
  CHECK(
      all_of(at.port, "GET " + path + "?wsdl HTTP/1.0\r\n\r\n")
          .find("location=\"" + base + path + "\"") != std::string::npos);
}

TEST_CASE("a mounted dispatcher answers all methods and paths as a host", "[other-server]") {
  server host(with_origin());
  mounted at(with_origin());
  at.serve();
  for (const std::string& request : questions()) {
    INFO(request);
    const response by_host = ask(host.port, request), got = ask(at.port, request);
    CHECK(got.status == by_host.status);
    for (const char* name :
         {"content-type",
          "allow",
          "access-control-allow-origin",
          "access-control-allow-headers",
          "access-control-allow-methods"})
      CHECK(got.field(name) == by_host.field(name));
    CHECK(
        replaced(got.body, std::to_string(at.port), "0") ==
        replaced(by_host.body, std::to_string(host.port), "0"));
  }
  client head(at.port);
  head.send(replaced(get(path + "?wsdl"), "GET", "HEAD"));
  CHECK(
      head.read(false).field("content-length") ==
      ask(at.port, get(path + "?wsdl")).field("content-length"));
}

TEST_CASE("a mounted dispatcher accepts paths of at most 2,100 characters", "[other-server]") {
  mounted_server at;
  const response by_mount = ask(at.port, get('/' + std::string(2'099, 'a')));
  CHECK(by_mount.status == 404);
  CHECK(by_mount.body.find("no service at this path") != std::string::npos);
  const response by_server = ask(at.port, get('/' + std::string(2'100, 'a')));
  CHECK(by_server.status == 404);
  CHECK(by_server.body.find("no service at this path") == std::string::npos);
}

TEST_CASE("a mounted dispatcher serves no caller whose address is unknown", "[other-server]") {
  mounted at;
  at.own->new_task_queue = [] { return new httplib::ThreadPool(1); };
  at.serve();
  {
    client first(at.port);
    first.send(post_with("", envelope("Hold", "")));
    REQUIRE(eventually([&] { return at.desk.held == 1; }));
    client gone(at.port);
    gone.send(post_with("", echo("y")));
    const linger reset{1, 0};
    ::setsockopt(gone.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  }
  client third(at.port);
  at.desk.open();
  third.send(post_with("", echo("z")));
  CHECK(third.read().status == 200);  // the only thread is past the request before
  CHECK(at.desk.calls == 2);
}

TEST_CASE("a Range does not cut what a mounted dispatcher answers", "[other-server]") {
  mounted_server at;
  // No part of an envelope is sent, and the connection ends: the body was not read.
  const std::string refused = all_of(at.port, post_with("Range: bytes=10-20\r\n", echo("hello")));
  CHECK(refused.starts_with("HTTP/1.1 416 "));
  CHECK(holds(refused, "</soap:Envelope>"));
  CHECK(at.desk.calls == 0);
  CHECK(all_of(at.port, request_of("GET " + path + "?wsdl", "Range: bytes=0-1, 3-4\r\n"))
            .starts_with("HTTP/1.1 416 "));
  const std::string whole = all_of(
      at.port, request_of("GET " + path + "?wsdl", "Range: bytes=10-20\r\nConnection: close\r\n"));
  CHECK(whole.starts_with("HTTP/1.1 200 "));
  CHECK(holds(whole, "</wsdl:definitions>"));
  CHECK(holds(
      all_of(at.port, "GET " + path + "?wsdl HTTP/1.0\r\nRange: bytes=10-20\r\n\r\n"),
      "</wsdl:definitions>"));
}

TEST_CASE("a body that is not read to its end is never the next request", "[other-server]") {
  net::host_setup options = quick_options();
  options.limits.max_body_bytes = 10'000;
  mounted at(options);
  at.serve();
  // The bytes after the response are the announced body. They must not be read as a request.
  const std::string body = get("/other"), call = echo("hello");
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  const std::string type = "Content-Type: text/xml\r\n", line = "POST " + path;
  const std::string chunks = "Transfer-Encoding: chunked\r\n";
  struct refusal {
    std::string request;
    int status;  // 500 where it is a fault of SOAP 1.1
  };
  for (const refusal& each : std::vector<refusal>{
           {request_of(line, "Content-Type: multipart/form-data; boundary=x\r\n" + length), 415},
           {request_of(line, type + length + "Content-Encoding: x-none\r\n"), 415},
           {request_of(line, type + length + "Range: bytes=0-1\r\n"), 416},
           {request_of(line, type + "Content-Length: 5\r\n" + length, "<a />"), 500},
           {request_of(line, type + length + chunks, "0\r\n\r\n"), 500},
           {request_of(line, type + "Transfer-Encoding: x\r\n"), 500},
           {request_of(line, type + chunks, "zz\r\n"), 500},
           // Values that cpp-httplib reads as no length, or as another length.
           {request_of(line, type + "Content-Length : " + std::to_string(body.size()) + "\r\n"),
            500},
           {request_of(line, type + "Transfer-Encoding : chunked\r\n"), 500},
           {request_of(line, type + "Content-Length: abc\r\n"), 500},
           {request_of(line, type + "Content-Length: -0\r\n"), 500},
           {request_of(line, type + "Content-Length:\r\n"), 500},
           {request_of(line, type + "Host: b.example\r\n" + length), 500},
           {request_of(
                line, type + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n" + length),
            500},
           {request_of(line, type + chunks, chunk(std::string(21'000, ' '))), 413},
           {request_of("GET /", length), 200},
           {request_of("OPTIONS " + path, length), 405}}) {
    INFO(each.request.substr(0, 300));
    client caller(at.port);
    caller.send(each.request);
    std::string answer = caller.receive();
    caller.try_send(body);
    answer += caller.read_to_end();
    CHECK(answer.find(std::to_string(each.status)) == 9);
    CHECK(answer.find("mine") == answer.npos);
  }
  CHECK(at.desk.calls == 0);
  // A little more than allowed is read, so that the reason arrives.
  const std::string large = all_of(at.port, post_with("", std::string(15'000, ' ')));
  CHECK(large.starts_with("HTTP/1.1 413 "));
  CHECK(holds(large, "the request body is too long"));
  // A body that is read to its end keeps the connection.
  client kept(at.port);
  CHECK(kept.ask(post_with("", call)).status == 200);
  CHECK(kept.ask(post_with("", "no XML")).status == 500);
  const std::string packed = gzipped(call);
  CHECK(kept.ask(post_with("Content-Encoding: gzip\r\n", packed)).status == 200);
  const std::string bomb = gzipped(std::string(30'000, ' '));
  CHECK(all_of(at.port, post_with("Content-Encoding: gzip\r\n", bomb)).starts_with("HTTP/1.1 413"));
  CHECK(at.desk.calls == 2);
}

TEST_CASE("a mounted stream is sent in pieces, and is cut off if it fails", "[other-server]") {
  Counter counter;
  mounted at;
  at.services.add(counter);
  at.serve();
  soapsvc::client<Counter> caller(
      "http://127.0.0.1:" + std::to_string(at.port) + counter_path,
      {.ns_base = "http://example.com/soap"});
  std::int32_t last = 0;
  const auto items = caller.call(&Counter::count, Count{100'000, false});
  while (const auto item = items.next())
    last = *item;
  CHECK(last == 100'000);

  const auto posted = [](const std::string& protocol, const std::string& body) {
    return "POST " + counter_path + ' ' + protocol +
           "\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/xml\r\n"
           "Content-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  const std::string whole = all_of(at.port, posted("HTTP/1.1", count(100'000, false)));
  CHECK(holds(whole, "Transfer-Encoding: chunked\r\n"));
  CHECK(whole.ends_with("\r\n0\r\n\r\n"));
  const std::string broken = all_of(at.port, posted("HTTP/1.1", count(100'000, true)));
  CHECK(broken.size() > 500'000);
  CHECK_FALSE(broken.ends_with("\r\n0\r\n\r\n"));
  // HTTP/1.0 has no chunks, so the whole response is made first, and an error is a fault.
  const std::string old = all_of(at.port, posted("HTTP/1.0", count(100'000, false)));
  CHECK(holds(old, "Content-Length: "));
  CHECK(old.ends_with("</soap:Envelope>"));
  CHECK(holds(all_of(at.port, posted("HTTP/1.0", count(100'000, true))), "<faultcode>"));
}

TEST_CASE("behind TLS a mounted dispatcher knows scheme and certificate", "[other-server][tls]") {
  const scratch_folder folder;
  const identity authority("authority"), own("localhost", &authority), caller("Ada", &authority);
  authority.write(folder.file("ca.pem"));
  own.write(folder.file("own.pem"));
  caller.write(folder.file("ada.pem"));
  const std::string pem = folder.file("own.pem"), ca = folder.file("ca.pem");
  mounted at(
      quick_options(), std::make_unique<httplib::SSLServer>(pem.c_str(), pem.c_str(), ca.c_str()));
  at.serve();
  soapsvc::client<Desk> calls(
      "https://localhost:" + std::to_string(at.port) + path,
      {.ns_base = "http://example.com/soap",
       .ca_file = ca,
       .certificate_file = folder.file("ada.pem")});
  CHECK(calls.call(&Desk::about) == "127.0.0.1|CN=Ada");
  tls_client raw(at.port, &caller);
  CHECK(raw.try_send(get(path + "?wsdl")));
  CHECK(raw.read().holds("location=\"https://localhost"));
}

TEST_CASE("a mounted listener for operators has only the pages", "[other-server]") {
  mounted at(
      quick_options(), std::make_unique<httplib::Server>(), soapsvc::listener_role::operators);
  const auto page = [](const soapsvc::http_request&) {
    return soapsvc::http_response{200, "text/plain", {}, "fine", {}};
  };
  at.services.add_page("/status", page, soapsvc::listener_role::operators);
  at.serve();
  CHECK(ask(at.port, get("/status")).body == "fine");
  CHECK(ask(at.port, post(echo("x"))).status == 404);
  CHECK(at.desk.calls == 0);
}
