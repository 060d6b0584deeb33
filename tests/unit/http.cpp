// HTTP, the pure parts of the host: requests from bytes in any pieces, content codings, heads of
// responses. RFC 9110 and 9112. Tests with sockets are in loop.cpp.
#include <catch2/catch.hpp>

#include <sched.h>
#include <filesystem>
#include <fstream>

#include "soapsvc.hpp"

namespace {

using soapsvc::detail::http_bounds;
using soapsvc::detail::http_head;
using soapsvc::detail::http_reader;
using soapsvc::detail::incoming;
using state = http_reader::state;

constexpr http_bounds small{1'024, 20, 256, 4'096};

/// The result of reading a stream: the requests in order, then the reason why it stopped, if it
/// did.
struct outcome {
  std::vector<std::string> requests;  ///< "METHOD target|body"
  std::string fields;  ///< of all of them, "name=value"
  int refused = 0;
  std::string reason;
  bool waits = false;  ///< in the middle of a request
  bool operator==(const outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const outcome& one) {
  for (const std::string& request : one.requests)
    out << '[' << request << "] ";
  return out << one.refused << ' ' << one.reason << (one.waits ? " waits" : "");
}

/// Feeds pieces as the host does: an unfinished request moves to its own memory, with its head.
outcome feed(const std::vector<std::string_view>& pieces, const http_bounds& bounds = small) {
  outcome result;
  incoming fresh;
  std::unique_ptr<incoming> begun;
  for (const std::string_view piece : pieces) {
    if (begun) {
      begun->append(piece);
    } else {
      REQUIRE(piece.size() <= fresh.room().size());
      piece.copy(fresh.room().data(), piece.size());
      fresh.grow(piece.size());
    }
    incoming& request = begun ? *begun : fresh;
    while (!request.empty()) {
      const state now = request.read(bounds);
      if (now == state::refused) {
        result.refused = request.refusal().status;
        result.reason = std::string(request.refusal().reason);
        return result;
      }
      if (now != state::complete) break;
      std::string seen(request.head().method);
      seen.append(" ").append(request.head().target).append("|").append(request.body());
      for (const soapsvc::http_header& field : request.head().fields)
        result.fields.append(field.name).append("=").append(field.value).append("\n");
      result.requests.push_back(std::move(seen));
      request.next();
    }
    if (begun && begun->empty())
      begun.reset();
    else if (begun)
      begun->shrink();
    else if (!fresh.empty())
      begun = fresh.take_out();
  }
  result.waits = begun != nullptr;
  return result;
}

/// The result of a stream, which must be equal in one piece, in single bytes and in any two pieces.
outcome read(const std::string& stream, const http_bounds& bounds = small) {
  const std::string_view all = stream;
  const outcome whole = feed({all}, bounds);
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at != all.size(); ++at)
    bytes.push_back(all.substr(at, 1));
  CHECK(feed(bytes, bounds) == whole);
  for (std::size_t at = 1; at < all.size(); ++at)
    if (!(feed({all.substr(0, at), all.substr(at)}, bounds) == whole))
      FAIL_CHECK("another outcome when split at " << at << " of " << stream);
  return whole;
}

/// The status with which a head without a body is refused; 0: accepted.
int refusal_of(const std::string& stream, const http_bounds& bounds = small) {
  const outcome result = read(stream, bounds);
  CHECK(result.requests.empty() == (result.refused != 0 || result.waits));
  return result.refused;
}

std::string get(const std::string& fields) { return "GET / HTTP/1.1\r\n" + fields + "\r\n"; }
std::string post(const std::string& fields, const std::string& body = "") {
  return "POST /s HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + body;
}
std::string chunked(const std::string& chunks) {
  return post("Transfer-Encoding: chunked\r\n", chunks);
}

/// A head with the text of its views.
struct parsed_head : http_head {
  explicit parsed_head(std::string given) : text(std::move(given)) {
    INFO(text);
    const auto refusal = soapsvc::detail::parse_head(text, *this);
    CHECK(refusal.reason == "");
  }
  parsed_head(const parsed_head&) = delete;
  parsed_head& operator=(const parsed_head&) = delete;
  std::string text;
};

}  // namespace

// --- Requests that are served --------------------------------------------------------------------

TEST_CASE("a request is read in pieces of any size", "[host]") {
  CHECK(read(get("Host: h\r\n")).requests == std::vector<std::string>{"GET /|"});
  CHECK(
      read(post("Content-Length: 5\r\n", "hello")).requests ==
      std::vector<std::string>{"POST /s|hello"});
  CHECK(read(post("Content-Length: 0\r\n")).requests == std::vector<std::string>{"POST /s|"});
  CHECK(
      read(chunked("5\r\nhello\r\n0\r\n\r\n")).requests ==
      std::vector<std::string>{"POST /s|hello"});
}

TEST_CASE("an unfinished request is waited for", "[host]") {
  for (const std::string& begun :
       {std::string("G"),
        get("Host: h\r\n").substr(0, 25),
        post("Content-Length: 5\r\n", "hell"),
        chunked("5\r\nhel"),
        chunked("5\r\nhello\r\n0\r\n"),
        chunked("5\r\nhello\r\n0\r\nX: y\r\n")}) {
    const outcome result = read(begun);
    INFO(begun);
    CHECK(result.waits);
    CHECK(result.requests.empty());
    CHECK(result.refused == 0);
  }
}

TEST_CASE("a body of any length is not copied for each of its pieces", "[host]") {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  http_bounds none = small;
  none.max_body_bytes = most;
  incoming request;
  request.append(post("Content-Length: " + std::to_string(most) + "\r\n"));
  const std::string piece(65'536, 'x');
  std::size_t grown = 0;
  for (int turn = 0; turn != 64; ++turn) {
    CHECK(request.read(none) == state::body);
    const std::size_t before = request.memory();
    request.append(piece);
    grown += request.memory() != before;
  }
  CHECK(grown < 16);
}

TEST_CASE("pipelined requests are read in order", "[host][pipelining]") {
  const std::string stream = post("Content-Length: 3\r\n", "one") +
                             chunked("1\r\nt\r\n2;x=y\r\nwo\r\n0\r\nT: 1\r\n\r\n") +
                             get("Host: h\r\n") + post("Content-Length: 4\r\n", "four");
  CHECK(
      read(stream).requests ==
      std::vector<std::string>{"POST /s|one", "POST /s|two", "GET /|", "POST /s|four"});
}

TEST_CASE("chunks of one byte, with extensions and trailers, make one body", "[host][chunked]") {
  std::string chunks;
  std::string body;
  for (int turn = 0; turn != 60; ++turn) {
    const char letter = static_cast<char>('a' + turn % 26);
    chunks += (turn % 3 == 0 ? "1\r\n" : turn % 3 == 1 ? "01;a=\"b;c\"\r\n" : "0001 ;x\r\n");
    chunks += letter;
    chunks += "\r\n";
    body += letter;
  }
  chunks += "000;last\r\nChecksum: 17\r\nMore: \r\n\r\n";
  CHECK(read(chunked(chunks)).requests == std::vector<std::string>{"POST /s|" + body});
  CHECK(read(chunked("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n")).requests.size() == 1);
}

TEST_CASE("a body may hold what looks like a request", "[host]") {
  const std::string inner = "GET /inner HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string length = "Content-Length: " + std::to_string(inner.size()) + "\r\n";
  CHECK(read(post(length, inner)).requests == std::vector<std::string>{"POST /s|" + inner});
}

TEST_CASE("one empty line before a request line is let through", "[host]") {
  CHECK(read("\r\n" + get("Host: h\r\n")).requests.size() == 1);
  CHECK(refusal_of("\r\n\r\n" + get("Host: h\r\n")) == 400);
}

TEST_CASE("white space around a field's value does not count", "[host]") {
  const parsed_head head(get("Host:h\r\nA: \t b c \t\r\nEmpty:\r\n"));
  REQUIRE(head.fields.size() == 3);
  CHECK(head.fields[0].value == "h");
  CHECK(head.fields[1].value == "b c");
  CHECK(head.fields[2].value == "");
}

TEST_CASE(
    "connections are kept or closed as the version and Connection say", "[host][keep-alive]") {
  CHECK(parsed_head(get("Host: h\r\n")).keep_alive);
  CHECK_FALSE(parsed_head(get("Host: h\r\nConnection: close\r\n")).keep_alive);
  CHECK_FALSE(parsed_head(get("Host: h\r\nConnection: x, CLOSE , y\r\n")).keep_alive);
  CHECK_FALSE(
      parsed_head(get("Host: h\r\nConnection: keep-alive\r\nConnection: close\r\n")).keep_alive);
  CHECK_FALSE(parsed_head("GET / HTTP/1.0\r\n\r\n").keep_alive);
  CHECK(parsed_head("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
  CHECK_FALSE(parsed_head("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n").keep_alive);
}

TEST_CASE("100 Continue is wanted only if a body is still missing", "[host][expect-continue]") {
  const auto wants = [](std::string text) {
    http_reader reader;
    http_head head;
    std::size_t size = text.size();
    reader.read(text.data(), size, small, head);
    return reader.now() == state::body && reader.continue_is_due();
  };
  CHECK(wants(post("Content-Length: 5\r\nExpect: 100-Continue\r\n")));
  CHECK(wants(post("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n")));
  CHECK_FALSE(wants(post("Content-Length: 5\r\n")));
  CHECK_FALSE(wants(post("Content-Length: 0\r\nExpect: 100-continue\r\n")));
  CHECK_FALSE(wants("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
  CHECK(refusal_of(post("Content-Length: 5\r\nExpect: miracles\r\n")) == 417);
  CHECK(refusal_of(post("Content-Length: 99999\r\nExpect: 100-continue\r\n")) == 413);
}

// --- Targets and Host ----------------------------------------------------------------------------

TEST_CASE("the authority of an absolute target takes the place of Host", "[host][host-header]") {
  const parsed_head head("GET HTTP://other.example:81/p?q HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n");
  CHECK(head.target == "HTTP://other.example:81/p?q");
  REQUIRE(head.fields.size() == 2);
  CHECK(head.fields[0].value == "other.example:81");
  CHECK(head.fields[1].value == "y");
  CHECK(refusal_of("GET http://o/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n") == 400);
  CHECK(refusal_of("GET http://o/ HTTP/1.1\r\n\r\n") == 400);  // Host is still required
  CHECK(refusal_of("GET http://o/ HTTP/1.0\r\n\r\n") == 0);
}

TEST_CASE("a target is a path or an address", "[host]") {
  const auto status = [](const std::string& target, const std::string& method = "GET") {
    return refusal_of(method + ' ' + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
  };
  for (const char* good :
       {"/", "/a?b=c&d", "//x", "/%0d%0a", "http://o", "https://o/p", "http://[::1]:8/p"})
    CHECK(status(good) == 0);
  CHECK(status("*", "OPTIONS") == 0);
  for (const char* bad :
       {"*",
        "a",
        "o:80",
        "ftp://o/",
        "http://",
        "http:///p",
        "http://u@o/",
        "http://o:x/",
        "/a?b#c",
        "http://o#c",
        "http:/o",
        "http://o/\x7f",
        "/\xc3\xa4",
        "/a\tb",
        "/\x01"})
    CHECK(status(bad) == 400);
  CHECK(status("o:443", "CONNECT") == 400);
}

TEST_CASE("HTTP/1.1 asks for exactly one Host that is an address", "[host][host-header]") {
  CHECK(refusal_of(get("")) == 400);
  CHECK(refusal_of(get("Host: a\r\nHost: a\r\n")) == 400);
  CHECK(refusal_of(get("Host: a\r\nhOST: a\r\n")) == 400);
  for (const char* good : {"", "a", "a:1", "1.2.3.4:65535", "[::1]", "[::1]:80", "a_b.c-d"})
    CHECK(refusal_of(get("Host: " + std::string(good) + "\r\n")) == 0);
  for (const char* bad :
       {"a b", "a/b", "a@b", "a:b", "a:", "a:1:2", "<a>", "a,b", "[::1", "a\"", "%61"})
    CHECK(refusal_of(get("Host: " + std::string(bad) + "\r\n")) == 400);
  CHECK(refusal_of("GET / HTTP/1.0\r\n\r\n") == 0);
  CHECK(refusal_of("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n") == 400);
}

// --- Requests that are refused -------------------------------------------------------------------

TEST_CASE("a request line has method, target and version, and one space between", "[host]") {
  const auto status = [](const std::string& line) {
    return refusal_of(line + "\r\nHost: h\r\n\r\n");
  };
  for (const char* bad :
       {"GET",
        "GET /",
        "GET  / HTTP/1.1",
        "GET /  HTTP/1.1",
        "GET / HTTP/1.1 ",
        " GET / HTTP/1.1",
        "GET / / HTTP/1.1",
        "G(T / HTTP/1.1",
        "GET\t/ HTTP/1.1",
        "GET / HTTP/1",
        "GET / HTTP/1.10",
        "GET / http/1.1",
        "GET / HTTP/a.b",
        "GET / HTTP/1,1",
        "GET / XTTP/1.1",
        "G\xc3T / HTTP/1.1"})
    CHECK(status(bad) == 400);
  CHECK(status("GET / HTTP/2.0") == 505);
  CHECK(status("GET / HTTP/0.9") == 505);
  CHECK(status("PRI * HTTP/2.0") == 505);
  CHECK(status("GET / HTTP/1.2") == 0);  // read as 1.1 (RFC 9110, 2.5)
}

TEST_CASE("header lines are name, colon, value", "[host]") {
  for (const char* bad :
       {"X : y",
        "X\t: y",
        " X: y",
        "X",
        ": y",
        "",
        "X y: z",
        "X\x01: y",
        "X: a\x01",
        "X: a\x7f",
        "X: a\rb",
        "X: a\r\n folded",
        "X: a\r\n\tfolded",
        "\xc3\xa4: y",
        "X(): y"}) {
    const std::string line = bad;
    if (line.empty()) continue;
    INFO(line);
    CHECK(refusal_of(get("Host: h\r\n" + line + "\r\n")) == 400);
    CHECK(refusal_of(get(line + "\r\nHost: h\r\n")) == 400);
  }
  CHECK(refusal_of(get("Host: h\r\nX: a" + std::string(1, '\0') + "b\r\n")) == 400);
  CHECK(refusal_of(get("Host: h\r\nX: \xc3\xa4\r\n")) == 0);  // obs-text (RFC 9110, 5.5)
}

TEST_CASE("a line feed alone does not end a line", "[host]") {
  CHECK(refusal_of("GET / HTTP/1.1\nHost: h\r\n\r\n") == 400);
  CHECK(refusal_of("GET / HTTP/1.1\r\nHost: h\n\r\n") == 400);
  CHECK(refusal_of("GET / HTTP/1.1\r\nHost: h\r\n\n") == 400);
  CHECK(refusal_of("\nGET / HTTP/1.1\r\nHost: h\r\n\r\n") == 400);
  CHECK(refusal_of(chunked("1\nx\r\n0\r\n\r\n")) == 400);
  CHECK(refusal_of(chunked("1\r\nx\n0\r\n\r\n")) == 400);
  CHECK(refusal_of(chunked("1\r\nx\r\n0\n\r\n")) == 400);
  CHECK(refusal_of(chunked("1\r\nx\r\n0\r\n\n")) == 400);
  CHECK(refusal_of(chunked("1\r\nx\r\n0\r\nT: 1\n\r\n")) == 400);
}

TEST_CASE("what makes a request's length ambiguous is refused", "[host]") {
  const std::string both = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n";
  CHECK(refusal_of(post(both, "0\r\n\r\n")) == 400);
  CHECK(
      refusal_of(post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")) == 400);
  for (const char* bad : {"", "-1", "+5", "5,5", "5, 5", "0x5", "5 5", "5.0", "5a", "\t", "\"5\""})
    CHECK(refusal_of(post("Content-Length: " + std::string(bad) + "\r\n", "hello")) == 400);
  CHECK(refusal_of(post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello")) == 400);
  CHECK(refusal_of(post("Content-Length: 5\r\ncontent-length: 6\r\n", "hello")) == 400);
  CHECK(refusal_of(get("Host: h\r\nContent-Length: 5\r\nContent-Length: 5\r\n")) == 400);
  CHECK(refusal_of(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")) == 400);
  for (const char* bad :
       {"gzip, chunked", "chunked, gzip", "identity", "chunked;q=1", "xchunked", ""})
    CHECK(refusal_of(post("Transfer-Encoding: " + std::string(bad) + "\r\n")) == 501);
  CHECK(refusal_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == 400);
  CHECK(refusal_of(post("")) == 411);
  CHECK(refusal_of("PUT / HTTP/1.1\r\nHost: h\r\n\r\n") == 0);
}

TEST_CASE("leading zeros do not change a length", "[host]") {
  CHECK(read(post("Content-Length: 00005\r\n", "hello")).requests.size() == 1);
  CHECK(read(chunked("000000000000000000000005\r\nhello\r\n0\r\n\r\n")).requests.size() == 1);
}

TEST_CASE("a body with a length over the limit is refused before it arrives", "[host]") {
  CHECK(refusal_of(post("Content-Length: 4097\r\n")) == 413);
  CHECK(refusal_of(post("Content-Length: 18446744073709551615\r\n")) == 413);
  CHECK(refusal_of(post("Content-Length: 18446744073709551621\r\n", "hello")) == 413);
  CHECK(refusal_of(post("Content-Length: " + std::string(400, '9') + "\r\n")) == 413);
  CHECK(read(post("Content-Length: 4096\r\n", std::string(4'096, 'x'))).requests.size() == 1);
}

TEST_CASE("chunk sizes that are negative, too large or no number are refused", "[host][chunked]") {
  for (const char* bad :
       {"-1",
        "-0",
        "+1",
        "0x1",
        " 1",
        "",
        "g",
        "1 1",
        "1 ",
        "1\t",
        "1,1",
        ";x",
        "1\tx",
        "ffffffffffffffffff",
        "10000000000000000",
        "8000000000000000x"})
    CHECK(refusal_of(chunked(std::string(bad) + "\r\nx\r\n0\r\n\r\n")) == 400);
  CHECK(refusal_of(chunked("ffffffffffffffff\r\nx\r\n0\r\n\r\n")) == 413);
  CHECK(refusal_of(chunked("1001\r\n")) == 413);
  CHECK(refusal_of(chunked("fff\r\n" + std::string(4'095, 'x') + "\r\n2\r\n")) == 413);
}

TEST_CASE("a chunk's data ends where its size says", "[host][chunked]") {
  CHECK(refusal_of(chunked("1\r\nxy\r\n0\r\n\r\n")) == 400);
  CHECK(refusal_of(chunked("2\r\nx\r\n0\r\n\r\n")) == 400);
  CHECK(refusal_of(chunked("1\r\nx0\r\n\r\n")) == 400);
}

TEST_CASE("trailers are fields, and bounded", "[host][limits]") {
  CHECK(refusal_of(chunked("0\r\nno field\r\n\r\n")) == 400);
  CHECK(refusal_of(chunked("0\r\nX: \x01\r\n\r\n")) == 400);
  CHECK(refusal_of(chunked("0\r\nX: " + std::string(1'100, 'x'))) == 431);
  std::string many;
  for (int turn = 0; turn != 30; ++turn)
    many += "X: y\r\n";
  CHECK(refusal_of(chunked("0\r\n" + many)) == 431);
}

TEST_CASE("chunk extensions are bounded, one by one and together", "[host][chunked][limits]") {
  CHECK(refusal_of(chunked("1;" + std::string(1'100, 'x'))) == 431);
  std::string many;
  for (int turn = 0; turn != 12; ++turn)
    many += "1;" + std::string(100, 'x') + "\r\ny\r\n";
  CHECK(refusal_of(chunked(many)) == 431);
  CHECK(refusal_of(chunked("1;a\x01\r\nx\r\n0\r\n\r\n")) == 400);
}

TEST_CASE("endless headers are refused before they end", "[host]") {
  CHECK(refusal_of(std::string(400, 'G')) == 414);
  CHECK(refusal_of("GET /" + std::string(400, 'x')) == 414);
  CHECK(refusal_of("GET /" + std::string(257, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n") == 414);
  CHECK(refusal_of("GET / HTTP/1.1\r\nX: " + std::string(1'100, 'x')) == 431);
  CHECK(refusal_of("GET / HTTP/1.1\r\n" + std::string(1'100, 'x')) == 431);
  std::string many = "GET / HTTP/1.1\r\n";
  for (int turn = 0; turn != 30; ++turn)
    many += "X: y\r\n";
  CHECK(refusal_of(many) == 431);
  CHECK(refusal_of(std::string(200, ' ')) == 0);  // so far
}

TEST_CASE("a refused request is dropped with its bytes", "[host]") {
  for (const std::string& refused :
       {std::string(1'000, 'x'), "GET /" + std::string(1'000, 'x'), get(""), chunked("x\r\n")}) {
    incoming request;
    request.append(refused);
    CHECK(request.read(small) == state::refused);
    request.clear();
    request.append(post("Content-Length: 5\r\n", "hello"));
    CHECK(request.read(small) == state::complete);
    CHECK(request.body() == "hello");
  }
}

TEST_CASE("exactly as many fields as are allowed are served", "[host]") {
  std::string fields = "Host: h\r\n";
  for (int turn = 0; turn != 19; ++turn)
    fields += "X: y\r\n";
  CHECK(refusal_of(get(fields)) == 0);
  CHECK(refusal_of(get(fields + "X: y\r\n")) == 431);
  // Trailers count like headers, and the empty line after them does not.
  const auto with = [](std::size_t headers, std::size_t trailers) {
    std::string before = "Transfer-Encoding: chunked\r\n", behind = "0\r\n";
    for (std::size_t count = 2; count < headers; ++count)  // Host is one, too
      before += "X: y\r\n";
    for (; trailers != 0; --trailers)
      behind += "X: y\r\n";
    return refusal_of(post(before, behind + "\r\n"));
  };
  CHECK(with(20, 0) == 0);
  CHECK(with(15, 5) == 0);
  CHECK(with(20, 1) == 431);
  CHECK(with(15, 6) == 431);
}

TEST_CASE("the largest number is no bound", "[host][limits]") {
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  const http_bounds none{any, any, any, any};
  CHECK(refusal_of(get("Host: h\r\n"), none) == 0);
  CHECK(refusal_of(chunked("5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n"), none) == 0);
}

TEST_CASE("damaged requests are read alike in pieces of any size", "[host]") {
  const std::string good = post("Content-Length: 12\r\nExpect: 100-continue\r\n", "hello, world") +
                           chunked("5;a=b\r\nhello\r\n00\r\nT: x\r\n\r\n") +
                           get("Host: h\r\nConnection: close\r\n");
  const std::string_view bytes = "\r\n :;,0159afx-+\t\0\x7f\xff";
  std::mt19937 random{17};
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  for (int turn = 0; turn != 3'000; ++turn) {
    std::string stream = good;
    for (std::size_t count = 1 + below(3); count != 0; --count) {
      const std::size_t at = below(stream.size());
      const std::size_t way = below(3);
      if (way == 0) stream.erase(at, 1 + below(3));
      if (way == 1) stream.insert(at, 1, bytes[below(bytes.size())]);
      if (way == 2) stream[at] = bytes[below(bytes.size())];
    }
    const std::string_view all = stream;
    const std::size_t first = below(stream.size());
    const std::size_t second = first + below(stream.size() - first);
    const outcome whole = feed({all});
    const outcome parts =
        feed({all.substr(0, first), all.substr(first, second - first), all.substr(second)});
    INFO(stream);
    REQUIRE(parts == whole);
  }
}

// --- Content coding ------------------------------------------------------------------------------

namespace {

std::string packed(const std::string& text) {
  std::string out;
  soapsvc::detail::packer().pack(text, out);
  return out;
}

int unpack_status(
    const std::string& coding,
    const std::string& body,
    std::size_t most,
    std::string* out = nullptr) {
  std::string text;
  const auto refusal = soapsvc::detail::unpack(coding, body, most, text);
  CHECK(text.size() <= most);
  if (out) *out = text;
  return refusal.status;
}

/// zlib's form of text in one stored block (RFC 1950, RFC 1951, 3.2.4).
std::string zlib_stored(const std::string& text) {
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const char c : text) {
    low = (low + static_cast<unsigned char>(c)) % 65'521;
    high = (high + low) % 65'521;
  }
  const auto byte = [](std::size_t value) { return static_cast<char>(value & 0xFF); };
  std::string out = "\x78\x01\x01";
  for (const std::size_t size : {text.size(), ~text.size()}) {
    out += byte(size);
    out += byte(size >> 8);
  }
  out += text;
  for (const std::uint32_t part : {high >> 8, high, low >> 8, low})
    out += byte(part);
  return out;
}

}  // namespace

TEST_CASE("gzip and deflate bodies are unpacked", "[host][gzip]") {
  std::string text;
  for (int turn = 0; turn != 3'000; ++turn)
    text += "line " + std::to_string(turn) + '\n';
  std::string out;
  CHECK(unpack_status("gzip", packed(text), 1 << 20, &out) == 0);
  CHECK(out == text);
  CHECK(unpack_status("X-GZIP", packed(text), 1 << 20) == 0);
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{5'551}, std::size_t{5'553}, text.size()}) {
    const std::string part = text.substr(0, size);
    CHECK(unpack_status("deflate", zlib_stored(part), 1 << 20, &out) == 0);
    CHECK(out == part);
  }
}

// It was refused as damaged.
TEST_CASE("a deflate body may lack the header of zlib", "[host][gzip][regression]") {
  std::string text;
  for (int turn = 0; turn != 3'000; ++turn)
    text += "line " + std::to_string(turn) + '\n';
  const std::string whole = packed(text), stored = zlib_stored("text");
  const std::string raw = whole.substr(10, whole.size() - 18);  // without gzip's header and trailer
  std::string out;
  CHECK(unpack_status("deflate", raw, 1 << 20, &out) == 0);
  CHECK(out == text);
  CHECK(unpack_status("deflate", stored.substr(2, stored.size() - 6), 99, &out) == 0);
  CHECK(out == "text");
  CHECK(unpack_status("deflate", raw.substr(0, raw.size() - 1), 1 << 20) == 400);
  CHECK(unpack_status("deflate", raw + "x", 1 << 20) == 400);
  CHECK(unpack_status("gzip", raw, 1 << 20) == 400);
  std::size_t at = 0;
  soapsvc::detail::unpacker slowly("deflate", {}, [&](std::span<char> to) -> std::size_t {
    if (at == raw.size()) return 0;
    to[0] = raw[at++];
    return 1;
  });
  char piece[4'096];
  out.clear();
  while (const std::size_t size = slowly.read(piece))
    out.append(piece, size);
  CHECK(out == text);
  CHECK_FALSE(slowly.refusal());
}

TEST_CASE("members of gzip follow each other", "[host][gzip]") {
  const std::string one = packed("one "), two = packed("two"), none = packed("");
  std::string out;
  for (const std::string& whole : {one + two, none + one + none + none + two + none}) {
    CHECK(unpack_status("x-gzip", whole, 7, &out) == 0);
    CHECK(out == "one two");
    CHECK(unpack_status("gzip", whole, 6) == 413);
    CHECK(unpack_status("gzip", whole + "x", 99) == 400);
    // Cut off data is a shorter list of members, or damaged.
    for (std::size_t size = 0; size != whole.size(); ++size) {
      std::size_t at = 0;
      for (const std::string& member : {none, one, none, none, two, none})
        if (whole.substr(at, member.size()) == member && at + member.size() <= size)
          at += member.size();
      INFO(size);
      CHECK(unpack_status("gzip", whole.substr(0, size), 99) == (at == size && at != 0 ? 0 : 400));
    }
    CHECK(unpack_status("deflate", whole, 99) == 400);
  }
  CHECK(unpack_status("deflate", zlib_stored("one") + two, 99) == 400);
  CHECK(unpack_status("gzip", one + zlib_stored("two"), 99) == 400);
  std::string bomb;  // each member alone is within the ratio
  for (int turn = 0; turn != 30; ++turn)
    bomb += packed(std::string(1'000'000, ' '));
  CHECK(unpack_status("gzip", bomb, 100'000'000) == 413);
}

TEST_CASE(
    "a compressed body that is cut off, damaged or followed by more is refused", "[host][gzip]") {
  std::string text;
  for (int turn = 0; turn != 300; ++turn)
    text += "line " + std::to_string(turn * 7919) + '\n';
  for (const std::string& whole : {packed(text), zlib_stored(text)}) {
    for (std::size_t size = 0; size != whole.size(); ++size) {
      INFO(size);
      CHECK(unpack_status("gzip", whole.substr(0, size), 1 << 20) == 400);
    }
    std::string damaged = whole;
    damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x20);
    CHECK(unpack_status("gzip", damaged, 1 << 20) == 400);
    CHECK(unpack_status("gzip", whole + "more", 1 << 20) == 400);
    CHECK(unpack_status("gzip", whole + whole + "x", 1 << 20) == 400);
  }
  CHECK(unpack_status("gzip", "no gzip at all", 1 << 20) == 400);
  CHECK(unpack_status("br", "x", 1 << 20) == 415);
  CHECK(unpack_status("gzip, gzip", packed(text), 1 << 20) == 415);
}

TEST_CASE("a small body that unpacks to a huge one is stopped on the way", "[host][gzip]") {
  const std::string bomb = packed(std::string(30'000'000, ' '));
  REQUIRE(bomb.size() < 40'000);
  CHECK(unpack_status("gzip", bomb, 1'000'000) == 413);
  CHECK(unpack_status("gzip", bomb, 100'000'000) == 413);  // a ratio above that of any message
  CHECK(unpack_status("gzip", packed(std::string(1'000'000, ' ')), 1'000'000) == 0);
  CHECK(unpack_status("gzip", packed(std::string(1'000'001, ' ')), 1'000'000) == 413);
}

TEST_CASE("compression that saves nothing is not used", "[host][gzip]") {
  std::string out;
  CHECK_FALSE(soapsvc::detail::packer().pack("ab", out));
  CHECK(soapsvc::detail::packer().pack(std::string(1'000, 'a'), out));
}

TEST_CASE("earlier compression leaves no trace", "[host][gzip]") {
  soapsvc::detail::packer by;
  const std::string text(1'000, 'a');
  std::string noise, out;
  for (std::uint32_t number = 1; noise.size() != 100'000;
       number = number * 1'664'525 + 1'013'904'223)
    noise.push_back(static_cast<char>(number >> 24));
  by.append(noise, true, out, 1);  // ends before everything was read
  for (int turn = 0; turn != 2; ++turn) {
    CHECK(by.pack(text, out));
    CHECK(out == packed(text));
    CHECK_FALSE(by.pack(noise, out));  // ends before everything was compressed
  }
}

TEST_CASE("gzip is used only for callers that accept it", "[host][gzip]") {
  using soapsvc::detail::allows_gzip;
  for (const char* yes :
       {"gzip",
        "GZip",
        "deflate, gzip",
        "gzip;q=0.5",
        "br;q=1.0,gzip;q=0.001",
        "gzip ; q=1",
        " gzip ,"})
    CHECK(allows_gzip(yes));
  for (const char* no :
       {"",
        "br",
        "gzip;q=0",
        "gzip;q=0.0",
        "gzip; q=0.000",
        "gzip;Q=0",
        "gzipx",
        "identity, x-gzip2",
        "*;q=0"})
    CHECK_FALSE(allows_gzip(no));
  CHECK(
      parsed_head(get("Host: h\r\nAccept-Encoding: gzip\r\nAccept-Encoding: br\r\n")).accepts_gzip);
}

// --- Shares --------------------------------------------------------------------------------------

TEST_CASE("callers of one IPv4 address or of one IPv6 network count as one", "[host]") {
  using soapsvc::detail::share_key;
  CHECK(share_key("192.0.2.1") == share_key("::ffff:192.0.2.1"));
  CHECK(share_key("192.0.2.1") != share_key("192.0.2.2"));
  CHECK(share_key("2001:db8:0:1::1") == share_key("2001:db8:0:1:ffff:ffff:ffff:ffff"));
  CHECK(share_key("2001:db8:0:1::1") == share_key("[2001:db8:0:1::2]"));
  CHECK(share_key("2001:db8:0:1::1") != share_key("2001:db8:0:2::1"));
  CHECK(share_key("::1") != share_key("0.0.0.1"));
  for (const char* other : {"", "unix", "[", "[]", "192.0.2", "1.2.3.4.5", "host.example"})
    CHECK(share_key(other) == share_key("unix"));
  CHECK(share_key(std::string(200, '1')) == share_key("unix"));
  CHECK(share_key("255.255.255.255") != share_key("unix"));
}

TEST_CASE("a share ends with its last user, and the heaviest address is found", "[host]") {
  using soapsvc::detail::share;
  soapsvc::detail::share_table table;
  CHECK(table.most_connected().first == nullptr);
  share& one = table.join(1);
  share& two = table.join(2);
  CHECK(&table.join(1) == &one);
  one.connections = 3;
  two.connections = 4;
  CHECK(table.most_connected() == std::pair<const share*, std::size_t>(&two, 4));
  table.leave(two);
  table.leave(one);
  CHECK(table.most_connected().first == &one);
  table.leave(one);
  CHECK(table.most_connected().first == nullptr);
}

// --- Heads of responses --------------------------------------------------------------------------

TEST_CASE("the header of a response has date, type, length and connection", "[host]") {
  soapsvc::http_response response;
  response.status = 404;
  response.content_type = "text/plain";
  response.headers = {{"X-Request-Id", "17"}};
  std::string out;
  soapsvc::detail::write_head(out, response, 12, true, false);
  const std::string date(soapsvc::detail::http_date());
  CHECK(
      out == "HTTP/1.1 404 Not Found\r\nDate: " + date +
                 "\r\nContent-Type: text/plain\r\nContent-Length: 12\r\nX-Request-Id: 17\r\n\r\n");
  out.clear();
  soapsvc::detail::write_head(out, response, 0, false, false);
  CHECK(out.find("Connection: close\r\n\r\n") != out.npos);
  out.clear();
  soapsvc::detail::write_head(out, response, 0, true, true);
  CHECK(out.find("Connection: keep-alive\r\n\r\n") != out.npos);
}

TEST_CASE("a response without a body has no length", "[host]") {
  for (const int status : {101, 204, 304}) {
    soapsvc::http_response response;
    response.status = status;
    for (const std::size_t length : {std::size_t{0}, std::size_t{5}, soapsvc::detail::no_length}) {
      std::string out;
      soapsvc::detail::write_head(out, response, length, true, false);
      INFO(out);
      CHECK(out.find("Content-Length") == out.npos);
      CHECK(out.find("Transfer-Encoding") == out.npos);
    }
  }
}

TEST_CASE("a chunk may have any size that memory has", "[host][chunked]") {
  for (const std::uint64_t size :
       {std::uint64_t{1},
        std::uint64_t{0xFFFF'FFFF},
        std::uint64_t{0x1'0000'0000},
        std::uint64_t{0xFEDC'BA98'7654}}) {
    if (size > SIZE_MAX) continue;  // a system of 32 bits
    std::string text(soapsvc::detail::chunk_digits + 2, '#');
    soapsvc::detail::write_chunk_size(&text[1], static_cast<std::size_t>(size));
    CHECK(text.front() == '#');
    CHECK(text.back() == '#');
    CHECK(std::stoull(text.substr(1, text.size() - 2), nullptr, 16) == size);
  }
  std::string body(1'000, 'b'), out;
  soapsvc::detail::body_rest rest([](std::string&) { return false; }, true, false);
  rest.frame(body, true, out);
  const std::string digits = "0000000003e8";  // the HTTP server of the JDK accepts at most 14
  CHECK(out == digits + "\r\n" + body + "\r\n0\r\n\r\n");
  http_reader reader;
  http_head head;
  std::string request = chunked(out);
  std::size_t size = request.size();
  CHECK(reader.read(request.data(), size, small, head) == state::complete);
  CHECK(reader.body(request.data()) == body);
}

TEST_CASE("the number of cores follows affinity and control groups", "[host]") {
  using soapsvc::detail::cores_of_quota;
  CHECK(cores_of_quota("max 100000", 8) == 8);
  CHECK(cores_of_quota("200000 100000", 8) == 2);
  CHECK(cores_of_quota("150000 100000", 8) == 2);
  CHECK(cores_of_quota("50000 100000\n", 8) == 1);
  CHECK(cores_of_quota("1 1000000", 8) == 1);
  CHECK(cores_of_quota("1600000 100000", 8) == 8);
  CHECK(cores_of_quota("-1 100000", 8) == 8);
  for (const char* odd : {"", "max", "100000", "x y", "0 100000", "100000 0", "-5 -5", "nan nan"})
    CHECK(cores_of_quota(odd, 8) == 8);
  CHECK(cores_of_quota("99999999999999999999999 1", 8) == 8);

  const auto in_tree = [](const std::vector<std::pair<std::string, std::string>>& files) {
    std::string root = (std::filesystem::temp_directory_path() / "soapsvc-XXXXXX").string();
    REQUIRE(::mkdtemp(root.data()) != nullptr);
    for (const auto& [name, text] : files) {
      const std::filesystem::path file = root + '/' + name;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << text;
    }
    const std::size_t cores = soapsvc::detail::usable_cores(root);
    std::filesystem::remove_all(root);
    return cores;
  };
  const std::size_t all = in_tree({});
  CHECK(all >= 1);
  CHECK(all <= std::thread::hardware_concurrency());
  const std::string v2 = "sys/fs/cgroup/", v1 = "sys/fs/cgroup/cpu/";
  const std::string half = "50000 100000\n", none = "max 100000\n";
  CHECK(in_tree({{"proc/self/cgroup", "0::/\n"}, {v2 + "cpu.max", half}}) == 1);
  CHECK(in_tree({{"proc/self/cgroup", "0::/\n"}, {v2 + "cpu.max", none}}) == all);
  CHECK(in_tree({{"proc/self/cgroup", "0::/a/b\n"}, {v2 + "a/b/cpu.max", half}}) == 1);
  CHECK(
      in_tree(
          {{"proc/self/cgroup", "0::/a/b\n"},
           {v2 + "a/b/cpu.max", none},
           {v2 + "a/cpu.max", half}}) == 1);
  CHECK(in_tree({{"proc/self/cgroup", "0::/not/here\n"}, {v2 + "cpu.max", half}}) == 1);
  CHECK(
      in_tree(
          {{"proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/a\n"},
           {v1 + "a/cpu.cfs_quota_us", "50000\n"},
           {v1 + "a/cpu.cfs_period_us", "100000\n"}}) == 1);
  CHECK(
      in_tree(
          {{"proc/self/cgroup", "4:cpuset:/a\n"},
           {v1 + "a/cpu.cfs_quota_us", "50000\n"},
           {v1 + "a/cpu.cfs_period_us", "100000\n"}}) == all);
  cpu_set_t before, one;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ::sched_setaffinity(0, sizeof one, &one);
  CHECK(in_tree({}) == 1);
  ::sched_setaffinity(0, sizeof before, &before);
}

TEST_CASE("no header value can begin a new line", "[host]") {
  soapsvc::http_response response;
  response.content_type = "text/xml\r\nSet-Cookie: a";
  response.headers = {
      {"X-Good", "%0d%0aSet-Cookie: b"},
      {"X-Bad", "x\r\nSet-Cookie: c"},
      {"X-Bad", "x\nSet-Cookie: d"},
      {"X-Bad", "x\rSet-Cookie: e"},
      {"Bad name", "x"},
      {"X:Bad", "x"},
      {"X-Bad", std::string(1, '\0')}};
  std::string out;
  soapsvc::detail::write_head(out, response, 0, true, false);
  CHECK(out.find("\nSet-Cookie") == out.npos);
  CHECK(out.find("Bad") == out.npos);
  CHECK(out.find("text/xml") == out.npos);
  CHECK(out.find("X-Good: %0d%0aSet-Cookie: b\r\n") != out.npos);
  CHECK(out.find('\0') == out.npos);
}

TEST_CASE("the date has the one form that HTTP sends", "[host]") {
  const std::time_t before = std::time(nullptr);
  const std::string date(soapsvc::detail::http_date());
  const std::time_t after = std::time(nullptr);
  std::tm parts{};
  REQUIRE(strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) != nullptr);
  CHECK(date.size() == 29);
  // std::time may lag by a tick of the kernel.
  CHECK(timegm(&parts) >= before - 1);
  CHECK(timegm(&parts) <= after + 1);
}

TEST_CASE("every status that the host sends has its phrase", "[host]") {
  for (const int status :
       {200, 204, 304, 400, 404, 405, 408, 411, 413, 414, 415, 417, 431, 500, 501, 503, 505})
    CHECK(soapsvc::detail::reason_phrase(status) != "Unknown");
}
