// Multipart messages over sockets, from clients that stop, flood, or send a byte at a time: each
// call has a clear end, and the host continues.
#include <catch2/catch.hpp>

#include "../net.hpp"

namespace {

struct Book {
  std::string name;
  soapsvc::binary content;
};
struct Roll {
  std::string name;
  soapsvc::stream<std::byte> content;
};

/// Counts bytes: of a part in memory, or of a streamed part.
class Shelf {
public:
  std::int64_t keep(const Book& book) {
    ++kept;
    return static_cast<std::int64_t>(book.content.bytes.size());
  }
  std::int64_t load(const Roll& roll) {
    std::vector<std::byte> room(1'000);
    std::int64_t count = 0;
    while (const std::size_t got = roll.content.read(room))
      count += static_cast<std::int64_t>(got);
    ++kept;
    return count;
  }
  std::atomic<int> kept{0};
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Book> =
    record(field("Name", &Book::name), field("Content", &Book::content));
template <>
inline constexpr auto soapsvc::schema<Roll> =
    record(field("Name", &Roll::name), field("Content", &Roll::content));
template <>
inline constexpr auto soapsvc::schema<Shelf> =
    service("Shelf", mtom, operation("Keep", &Shelf::keep), operation("Load", &Shelf::load));

namespace {

using namespace std::chrono_literals;

const std::string operations[] = {"Keep", "Load"};

/// The root part, with a reference to the part a@x.
std::string root(const std::string& operation) {
  return "--B\r\nContent-Type: application/xop+xml; type=\"text/xml\"\r\n"
         "Content-ID: <root@x>\r\n\r\n"
         "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><" +
         operation +
         " xmlns=\"http://example.com/soap/Shelf\"><Name>n</Name><Content>"
         "<i:Include xmlns:i=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:a@x\"/>"
         "</Content></" +
         operation + "></e:Body></e:Envelope>\r\n";
}
std::string part(const std::string& id, const std::string& content) {
  return "--B\r\nContent-ID: <" + id + ">\r\n\r\n" + content + "\r\n";
}
const std::string last = "--B--\r\n";

std::string head(const std::string& length) {
  return "POST /soap/v3/Shelf.asmx HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
         "multipart/related; type=\"application/xop+xml\"; start=\"<root@x>\"; "
         "start-info=\"text/xml\"; boundary=B\r\n" +
         length + "\r\n\r\n";
}
std::string whole(const std::string& body) {
  return head("Content-Length: " + std::to_string(body.size())) + body;
}
std::string in_chunks(const std::string& body, std::size_t size) {
  std::string made = head("Transfer-Encoding: chunked");
  for (std::size_t at = 0; at < body.size(); at += size)
    made += net::chunk(body.substr(at, size));
  return made + "0\r\n\r\n";
}

struct shelf_fixture {
  explicit shelf_fixture(net::host_setup options = net::quick_options())
      : server(std::move(options), false) {
    server.host.add(shelf);
    server.serve();
  }
  net::response ask(const std::string& request) {
    net::client caller(server.port);
    caller.try_send(request);  // it may be refused before it is complete
    return caller.read();
  }
  /// True if the host serves an ordinary client.
  bool goes_on() {
    const int before = shelf.kept;
    for (const std::string& each : operations)
      if (!ask(whole(root(each) + part("a@x", "bytes") + last)).holds("Result>5<")) return false;
    return shelf.kept == before + 2;
  }

  Shelf shelf;
  net::server server;
};

/// Positions at which a message stops before its end: in an element of the root, in a part's
/// header, in its bytes, in a boundary, and at other positions.
std::vector<std::string> beginnings(const std::string& operation) {
  const std::string all = root(operation) + part("a@x", std::string(5'000, 'a')) + last;
  const std::string other = root(operation) + "--B\r\nContent-ID: <a@x>\r\n";
  return {
      all.substr(0, 3),
      all.substr(0, all.find("<Name>")),
      all.substr(0, all.find("<a@x>")),
      other,
      all.substr(0, all.size() - 2'000),
      all.substr(0, all.size() - 5),
      std::string(5'000, 'x')};
}

}  // namespace

TEST_CASE(
    "a caller that stops within a multipart message gets a response, and the connection is closed",
    "[attachments]") {
  net::host_setup options = net::quick_options();
  options.server.timeouts.read = 100ms;
  shelf_fixture at(std::move(options));
  for (const std::string& operation : operations)
    for (const std::string& begun : beginnings(operation)) {
      INFO(begun.substr(begun.size() - std::min<std::size_t>(begun.size(), 60)));
      for (const char* length : {"Content-Length: 900000", "Transfer-Encoding: chunked"}) {
        const bool chunked = *length == 'T';
        const std::string sent = head(length) + (chunked ? net::chunk(begun) : begun);
        net::client silent(at.server.port);
        silent.send(sent);
        const net::response late = silent.read();
        CHECK(late.status == 408);
        CHECK(late.closes());
        net::client gone(at.server.port);
        gone.send(sent).half_close();
        const net::response ended = gone.read();
        CHECK(ended.status == 400);
        CHECK(ended.closes());
      }
    }
  CHECK(at.shelf.kept == 0);
  CHECK(at.goes_on());
  CHECK(at.server.comes_to_rest());
}

TEST_CASE("a message of parts that ends too early is refused", "[attachments]") {
  shelf_fixture at;
  for (const std::string& operation : operations)
    for (const std::string& begun : beginnings(operation))
      for (const std::string& request : {whole(begun), in_chunks(begun, 100)}) {
        INFO(begun.substr(begun.size() - std::min<std::size_t>(begun.size(), 60)));
        CHECK(at.ask(request).status >= 400);
      }
  CHECK(at.shelf.kept == 0);
  CHECK(at.goes_on());
}

TEST_CASE("a fault for a multipart message has the version of the message", "[attachments]") {
  net::host_setup options = net::quick_options();
  options.limits.max_body_bytes = options.limits.max_stream_bytes = 2'000;
  shelf_fixture at(std::move(options));
  const std::string soap12 = "application/soap+xml";
  const auto type_of = [&](const std::string& head, int status) {
    const net::response got = at.ask(head);
    CHECK(got.status == status);
    const std::string type(got.field("content-type"));
    return type.substr(0, type.find(';'));
  };
  const auto with = [](const std::string& request, const std::string& info) {
    const std::string from = "start-info=\"text/xml\"";
    return std::string(request).replace(request.find(from), from.size(), info);
  };
  const std::string large = head("Content-Length: 99999"), wrong = whole("--B\r\n");
  for (const char* info :
       {"application/soap+xml", "Application/SOAP+XML", "application/soap+xml; action=\\\"a\\\""})
    for (const std::string* each : {&large, &wrong}) {
      const std::string said = "start-info=\"" + std::string(info) + '"';
      CHECK(type_of(with(*each, said), each == &large ? 413 : 400) == soap12);
    }
  for (const char* info :
       {"start-info=\"text/xml\"",
        "start-info=\"text/xml\"; about=\"application/soap+xml\"",
        "x=y"})
    for (const std::string* each : {&large, &wrong})
      CHECK(type_of(with(*each, info), each == &large ? 413 : 500) == "text/xml");
}

TEST_CASE("floods of parts and of part headers are bounded", "[attachments]") {
  shelf_fixture at;
  std::string many;
  for (int i = 0; i != 100'000; ++i)
    many += "--B\r\n\r\nx\r\n";
  for (const std::string& operation : operations)
    for (const std::string& body :
         {root(operation) + many + part("a@x", "x") + last,
          root(operation) + part("a@x", "x") + many + last,
          many + root(operation) + part("a@x", "x") + last})
      CHECK_THAT(at.ask(whole(body)).body, Catch::Contains("(limit max_parts)"));
  const std::string fields = "--B\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n\r\n";
  for (const std::string& operation : operations)
    CHECK_THAT(
        at.ask(whole(root(operation) + fields + part("a@x", "x") + last)).body,
        Catch::Contains("(limit max_part_header_bytes)"));
  CHECK(at.goes_on());
}

TEST_CASE("a multipart message may arrive byte by byte", "[attachments]") {
  shelf_fixture at;
  for (const std::string& operation : operations) {
    const std::string body =
        root(operation) + part("a@x", std::string(3'000, '\n')) + part("b@x", "x--B") + last;
    CHECK(at.ask(in_chunks(body, 1)).holds("Result>3000<"));
  }
}
