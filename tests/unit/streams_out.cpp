// Streams that are sent: results of a host, requests of a client. They run over real sockets, with
// peers that read slowly, stop or disconnect, and with sources that fail.
#include <catch2/catch.hpp>
#include <mutex>
#include <regex>

#include "../net.hpp"

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
using net::eventually;
using namespace std::chrono_literals;

struct Span {
  std::int64_t to = 0;
  std::int64_t fails = 0;  // at this item; 0: never
};
struct Line {
  std::int32_t id{};
  std::optional<std::string> text;
};
struct Page {
  std::string title;
  soapsvc::stream<Line> lines;
};
struct Receipt {
  std::string key;
};
struct Upload {
  std::string name;
  soapsvc::stream<Line> lines;
};
struct Few {
  soapsvc::stream<Line> lines;
};
struct Blob {
  std::string name;
  soapsvc::stream<std::byte> content;
};

std::atomic<int> alive{0};  // sources
std::atomic<std::int64_t> made{0};  // items

/// Counts the objects that are not destroyed.
struct life {
  life() { ++alive; }
  life(const life&) { ++alive; }
  life& operator=(const life&) = default;
  ~life() { --alive; }
};

auto lines_of(const Span& asked) {
  return [to = asked.to,
          fails = asked.fails,
          at = std::int64_t{0},
          here = life()]() mutable -> std::optional<Line> {
    if (at == to) return std::nullopt;
    if (++at == fails) throw std::runtime_error("the disk is on fire");
    ++made;
    return Line{static_cast<std::int32_t>(at), at % 3 == 0 ? "a & b" : "some text"};
  };
}

/// This number of bytes, with different pieces.
auto bytes_of(std::int64_t size) {
  return [left = static_cast<std::size_t>(size), at = std::uint8_t{0}, here = life()](
             std::span<std::byte> to) mutable {
    const std::size_t filled = std::min({to.size(), left, std::size_t{1'000}});
    for (std::size_t index = 0; index != filled; ++index)
      to[index] = std::byte{at++};
    left -= filled;
    return filled;
  };
}

class Store {
public:
  soapsvc::stream<Line> lines(const Span& asked) { return lines_of(asked); }
  Page page(const Span& asked) { return {"all", lines_of(asked)}; }
  soapsvc::with_header_blocks<soapsvc::stream<Line>, Receipt> told(const Span& asked) {
    return {lines_of(asked), {Receipt{"k"}}};
  }
  soapsvc::stream<std::byte> bytes(const Span& asked) { return bytes_of(asked.to); }
  soapsvc::stream<std::byte> bare_bytes(const Span& asked) { return bytes_of(asked.to); }
  std::vector<Line> vector(const Span& asked) {
    std::vector<Line> all;
    for (auto next = lines_of(asked); auto line = next();)
      all.push_back(*std::move(line));
    return all;
  }
  std::int64_t put(const Upload& sent) {
    std::int64_t sum = 0;
    while (const auto line = sent.lines.next())
      sum += line->id;
    return sum;
  }
  std::int64_t put_few(const Few& sent) {
    std::int64_t sum = 0;
    while (const auto line = sent.lines.next())
      sum += line->id;
    return sum;
  }
  std::int64_t put_bytes(const Blob& sent) {
    std::int64_t sum = 0;
    std::byte piece[999];
    while (const std::size_t got = sent.content.read(piece))
      for (std::size_t at = 0; at != got; ++at)
        sum += std::to_integer<int>(piece[at]);
    return sum;
  }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Span> =
    record(field("To", &Span::to), field("Fails", &Span::fails, default_if_absent));
template <>
inline constexpr auto soapsvc::schema<Line> =
    record("Line", field("Id", &Line::id), field("Text", &Line::text));
template <>
inline constexpr auto soapsvc::schema<Page> =
    record(field("Title", &Page::title), field("Line", &Page::lines));
template <>
inline constexpr auto soapsvc::schema<Receipt> = record("Receipt", field("Key", &Receipt::key));
template <>
inline constexpr auto soapsvc::schema<Upload> =
    record(field("Name", &Upload::name), field("Line", &Upload::lines));
template <>
inline constexpr auto soapsvc::schema<Few> = record(field("Line", &Few::lines, occurs(0, 2)));
template <>
inline constexpr auto soapsvc::schema<Blob> =
    record(field("Name", &Blob::name), field("Content", &Blob::content, ns("urn:blob")));
template <>
inline constexpr auto soapsvc::schema<Store> = service(
    "Store",
    operation("Lines", &Store::lines),
    operation("Page", &Store::page),
    operation("Told", &Store::told),
    operation("Bytes", &Store::bytes),
    operation("BareBytes", &Store::bare_bytes, bare),
    operation("Vector", &Store::vector),
    operation("Put", &Store::put),
    operation("PutFew", &Store::put_few),
    operation("PutBytes", &Store::put_bytes));

namespace {

const std::string path = "/soap/v3/Store.asmx";
constexpr std::int64_t many = 100'000;  // lines: some megabytes

std::string ask_for(const std::string& operation, std::int64_t to, std::int64_t fails = 0) {
  return "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><" + operation +
         " xmlns=\"http://example.com/soap/Store\"><To>" + std::to_string(to) + "</To><Fails>" +
         std::to_string(fails) + "</Fails></" + operation + "></e:Body></e:Envelope>";
}
std::string post(
    const std::string& body, const std::string& fields = "", const std::string& version = "1.1") {
  return "POST " + path + " HTTP/" + version + "\r\nHost: localhost\r\nContent-Type: text/xml\r\n" +
         fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// The reports of the observers.
struct told {
  std::mutex mutex;
  std::vector<std::string> calls;  // operation, status and reason
  std::vector<std::size_t> sizes;
  std::vector<std::string> errors, requests, responses;

  void watch(net::host_setup& options) {
    options.on_call = [this](const soapsvc::call_report& report) {
      const std::lock_guard lock(mutex);
      calls.push_back(
          std::string(report.operation) + ' ' + std::to_string(report.http_status) + ' ' +
          std::string(report.fault_reason));
      sizes.push_back(report.bytes_out);
    };
    options.on_error = [this](const soapsvc::error_report& report) {
      const std::lock_guard lock(mutex);
      errors.emplace_back(report.what);
    };
  }
  void watch_messages(net::host_setup& options) {
    options.on_message = [this](const soapsvc::message_report& report) {
      const std::lock_guard lock(mutex);
      requests.emplace_back(report.request);
      responses.emplace_back(report.response);
    };
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return calls.size();
  }
};

/// A host with a Store, serving until the end of its scope.
class server {
public:
  explicit server(net::host_setup options = net::quick_options()) : host_(options, options.server) {
    host_.add(store_);
    port = host_.bind({"127.0.0.1", 0});
    thread_ = std::thread([this] { host_.serve(); });
  }
  ~server() { stop(); }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  void stop() {
    host_.stop();
    if (thread_.joinable()) thread_.join();
  }
  int port = 0;

private:
  Store store_;
  soapsvc::host host_;
  std::thread thread_;
};

/// Everything up to the end of the connection, and its cause: 0 for a regular end, else errno.
std::pair<std::string, int> read_all(net::client& from) {
  std::pair<std::string, int> all;
  const timeval limit{20, 0};
  ::setsockopt(from.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  std::string piece(65'536, '\0');
  for (;;) {
    const ssize_t got = ::recv(from.fd(), piece.data(), piece.size(), 0);
    if (got <= 0) {
      all.second = got < 0 ? errno : 0;
      return all;
    }
    all.first.append(piece.data(), static_cast<std::size_t>(got));
  }
}

/// Head and body of a response in chunks, and the bytes after it.
struct chunked_response {
  std::string head, body, left;
  bool whole = false;
};
chunked_response unchunk(const std::string& text) {
  chunked_response read;
  std::size_t at = text.find("\r\n\r\n");
  if (at == text.npos) return read;
  read.head = text.substr(0, at + 4);
  at += 4;
  for (;;) {
    const std::size_t end = text.find("\r\n", at);
    if (end == text.npos) return read;
    const std::size_t size = std::stoul(text.substr(at, end - at), nullptr, 16);
    at = end + 2;
    if (size == 0) break;
    if (text.size() < at + size + 2) return read;
    read.body.append(text, at, size);
    at += size + 2;
  }
  read.whole = text.compare(at, 2, "\r\n") == 0;
  read.left = text.substr(std::min(at + 2, text.size()));
  return read;
}

std::string unzipped(const std::string& packed) {
  z_stream stream{};
  inflateInit2(&stream, 16 + MAX_WBITS);
  std::string text, piece(65'536, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  for (int state = Z_OK; state == Z_OK;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(piece, 0, piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return text;
}

/// The response for a caller that does not accept chunks.
std::string whole_response(const std::string& request) {
  Store store;
  soapsvc::dispatcher services({.ns_base = "http://example.com/soap"});
  services.add(store);
  const soapsvc::http_header type[] = {{"Content-Type", "text/xml"}};
  soapsvc::http_request asked;
  asked.target = path;
  asked.headers = type;
  asked.body = request;
  return services.handle(asked).body;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

}  // namespace

TEST_CASE("a stream that fits into a piece is an ordinary response, with its length", "[streams]") {
  server host;
  for (const char* operation : {"Lines", "Page", "Told", "Bytes", "BareBytes"}) {
    for (const int size : {0, 1, 2, 3, 4, 200}) {
      const auto response = net::ask(host.port, post(ask_for(operation, size)));
      INFO(operation << ' ' << size);
      CHECK(response.status == 200);
      CHECK(response.field("transfer-encoding").empty());
      // An empty element is written as two tags, because the first tag was written before the
      // stream.
      const std::string whole = whole_response(ask_for(operation, size));
      const std::string empty = std::regex_replace(
          response.body,
          std::regex("<([A-Za-z]+Result|BareBytesResponse[^>]*)></[A-Za-z]+>"),
          "<$1 />");
      CHECK(empty == whole);
    }
  }
}

TEST_CASE(
    "a stream is on the wire what a std::vector is",
    "[streams][x1-bindfw-streaming][x2-bindformdesc-stream]") {
  server host;
  const std::string lines = whole_response(ask_for("Lines", 1'000));
  CHECK(replaced(whole_response(ask_for("Vector", 1'000)), "Vector", "Lines") == lines);
  CHECK(contains(whole_response(ask_for("Lines", 0)), "<LinesResult />"));
}

TEST_CASE("a long stream is sent in chunks, and equals the whole message", "[streams][chunked]") {
  server host;
  for (const char* operation : {"Lines", "Page", "Told", "Bytes", "BareBytes"}) {
    net::client caller(host.port);
    caller.send(post(ask_for(operation, many), "Connection: close\r\n"));
    const auto [text, error] = read_all(caller);
    const chunked_response response = unchunk(text);
    INFO(operation);
    CHECK(error == 0);
    CHECK(response.whole);
    CHECK(response.left.empty());
    CHECK(contains(response.head, "Transfer-Encoding: chunked\r\n"));
    CHECK_FALSE(contains(response.head, "Content-Length"));
    CHECK((response.body == whole_response(ask_for(operation, many))));
  }
  CHECK(alive == 0);
}

TEST_CASE("in HTTP/1.0 a stream ends with the connection", "[streams][keep-alive]") {
  server host;
  net::client caller(host.port);
  caller.send(post(ask_for("Bytes", 300'000), "Connection: keep-alive\r\n", "1.0"));
  const auto [text, error] = read_all(caller);
  CHECK(error == 0);
  CHECK(contains(text, "Connection: close\r\n"));
  CHECK_FALSE(contains(text, "Transfer-Encoding"));
  const std::string body = text.substr(text.find("\r\n\r\n") + 4);
  CHECK((body == whole_response(ask_for("Bytes", 300'000))));
}

TEST_CASE("a stream is compressed in pieces for callers that accept it", "[streams][gzip]") {
  server host;
  net::client caller(host.port);
  caller.send(post(ask_for("Lines", many), "Accept-Encoding: gzip\r\nConnection: close\r\n"));
  const auto [text, error] = read_all(caller);
  const chunked_response response = unchunk(text);
  CHECK(error == 0);
  CHECK(response.whole);
  CHECK(contains(response.head, "Content-Encoding: gzip\r\n"));
  CHECK(contains(response.head, "Vary: Accept-Encoding\r\n"));
  CHECK((unzipped(response.body) == whole_response(ask_for("Lines", many))));
}

TEST_CASE(
    "the connection continues after a stream, and requests are answered in order",
    "[streams][keep-alive][pipelining]") {
  server host;
  net::client caller(host.port);
  caller.send(post(ask_for("Lines", many)) + post(ask_for("Lines", many)));
  caller.send(post(ask_for("Lines", 1), "Connection: close\r\n"));
  const auto [text, error] = read_all(caller);
  CHECK(error == 0);
  const std::string expected = whole_response(ask_for("Lines", many));
  const chunked_response first = unchunk(text);
  const chunked_response second = unchunk(first.left);
  CHECK((first.whole && first.body == expected));
  CHECK((second.whole && second.body == expected));
  CHECK(contains(second.left, "Content-Length: "));
  CHECK(contains(second.left, "<Id>1</Id>"));
}

TEST_CASE("items are made only as the caller reads them", "[streams]") {
  server host;
  made = 0;
  net::client caller(host.port, 4'096);
  caller.send(post(ask_for("Lines", 4 * many), "Connection: close\r\n"));
  std::int64_t before = -1;
  // The kernel's buffers hold at most a few megabytes.
  CHECK(eventually([&] {
    std::this_thread::sleep_for(50ms);
    return made != 0 && std::exchange(before, made.load()) == made;
  }));
  CHECK(made < 3 * many);
  std::size_t size = 0;
  for (std::string piece = caller.receive(); !piece.empty(); piece = caller.receive())
    size += piece.size();
  CHECK(made == 4 * many);
  CHECK(size > 16'000'000);
}

TEST_CASE("a slow reader holds no thread, and streams continue side by side", "[streams]") {
  net::host_setup options = net::quick_options();
  options.server.threads = 1;
  options.server.limits.max_executor_threads = 0;
  server host(std::move(options));
  net::client slow(host.port, 4'096);
  slow.send(post(ask_for("Lines", 50 * many)));
  slow.receive();
  const auto response = net::ask(host.port, post(ask_for("Lines", 1)));
  CHECK(response.status == 200);
  std::vector<std::thread> callers;
  std::atomic<int> whole{0};
  for (int index = 0; index != 4; ++index)
    callers.emplace_back([&] {
      net::client caller(host.port);
      caller.send(post(ask_for("Bytes", 3'000'000), "Connection: close\r\n"));
      const chunked_response got = unchunk(read_all(caller).first);
      if (got.whole && got.body.size() > 4'000'000) ++whole;
    });
  for (std::thread& each : callers)
    each.join();
  CHECK(whole == 4);
}

TEST_CASE("an error before anything was sent is a fault, a later error a reset", "[streams]") {
  told heard;
  net::host_setup options = net::quick_options();
  heard.watch(options);
  server host(std::move(options));
  const auto early = net::ask(host.port, post(ask_for("Lines", many, 3)));
  CHECK(early.status == 500);
  CHECK(early.holds("Incident "));
  CHECK_FALSE(early.holds("fire"));
  for (const char* version : {"1.1", "1.0"}) {
    net::client caller(host.port);
    caller.send(post(ask_for("Lines", many, many / 2), "", version));
    const auto [text, error] = read_all(caller);
    CHECK(error == ECONNRESET);
    CHECK_FALSE(unchunk(text).whole);
    CHECK_FALSE(contains(text, "fire"));
  }
  CHECK(eventually([&] { return heard.count() == 3; }));
  CHECK(heard.errors == std::vector<std::string>(3, "the disk is on fire"));
  CHECK(contains(heard.calls[0], "Lines 500 The server could not"));
  CHECK(contains(heard.calls[1], "Lines 200 The server could not"));
  CHECK(heard.sizes[1] > 1'000'000);
  CHECK(eventually([] { return alive == 0; }));
}

TEST_CASE("over TLS a stream that fails is not closed as if it had ended", "[streams]") {
  const net::scratch_folder folder;
  net::identity("localhost").write(folder.file("own.pem"));
  net::host_setup options = net::quick_options();
  options.server.tls.certificate_file = folder.file("own.pem");
  options.on_error = [](const soapsvc::error_report&) {};
  server host(std::move(options));
  net::tls_client good(host.port);
  good.send(post(ask_for("Lines", many), "Connection: close\r\n"));
  std::string text;
  for (std::string piece = good.receive(); !piece.empty(); piece = good.receive())
    text += piece;
  CHECK(unchunk(text).whole);
  CHECK(good.was_closed_properly());
  net::tls_client bad(host.port);
  bad.send(post(ask_for("Lines", many, many / 2)));
  text.clear();
  for (std::string piece = bad.receive(); !piece.empty(); piece = bad.receive())
    text += piece;
  CHECK_FALSE(unchunk(text).whole);
  CHECK_FALSE(bad.was_closed_properly());
}

TEST_CASE("a caller that disconnects ends its stream, and the log says so", "[streams]") {
  told heard;
  net::host_setup options = net::quick_options();
  heard.watch(options);
  server host(std::move(options));
  {
    net::client caller(host.port, 4'096);
    caller.send(post(ask_for("Lines", 50 * many)));
    caller.receive();
  }
  CHECK(eventually([] { return alive == 0; }));
  CHECK(eventually([&] { return heard.count() == 1; }));
  CHECK(heard.calls.at(0) == "Lines 200 the response was not read to its end");
  CHECK(heard.errors.empty());
}

TEST_CASE("a caller that reads nothing is cut off after timeouts.write", "[streams][timeout]") {
  net::host_setup options = net::quick_options();
  options.server.timeouts.write = 300ms;
  server host(std::move(options));
  net::client caller(host.port, 4'096);
  caller.send(post(ask_for("Lines", 50 * many)));
  CHECK(eventually([] { return alive == 1; }));
  CHECK(eventually([] { return alive == 0; }));
  CHECK(read_all(caller).second == ECONNRESET);
}

TEST_CASE("a stream that keeps its rate is not bound by timeouts.response", "[streams][timeout]") {
  net::host_setup options = net::quick_options();
  options.server.timeouts.write = 1s;
  options.server.timeouts.response = 500ms;
  server host(std::move(options));
  net::client caller(host.port, 4'096);
  caller.send(post(ask_for("Lines", 3 * many), "Connection: close\r\n"));
  std::string text;
  for (int turn = 0; turn != 30; ++turn) {
    text += caller.receive();
    std::this_thread::sleep_for(50ms);
  }
  const auto [rest, error] = read_all(caller);
  CHECK(error == 0);
  CHECK(unchunk(text + rest).whole);
}

TEST_CASE(
    "a host that stops cuts off streams that do not end in time", "[streams][timeout][shutdown]") {
  net::host_setup options = net::quick_options();
  options.server.timeouts.stop = 200ms;
  auto host = std::make_unique<server>(std::move(options));
  net::client caller(host->port, 4'096);
  caller.send(post(ask_for("Lines", 50 * many)));
  CHECK(eventually([] { return alive == 1; }));
  host.reset();
  CHECK(alive == 0);
  CHECK(read_all(caller).second == ECONNRESET);
}

TEST_CASE("a dispatcher sends pieces only if accepts_chunks is set", "[streams]") {
  told heard;
  Store store;
  net::host_setup options;
  options.ns_base = "http://example.com/soap";
  heard.watch(options);
  heard.watch_messages(options);
  soapsvc::dispatcher services(options);
  services.add(store);
  const soapsvc::http_header type[] = {{"Content-Type", "text/xml"}};
  const std::string body = ask_for("Page", many);
  soapsvc::http_request asked;
  asked.target = path;
  asked.headers = type;
  asked.body = body;
  asked.accepts_chunks = true;
  soapsvc::http_response response = services.handle(asked);
  REQUIRE(response.next_chunk);
  CHECK(response.body.size() < 70'000);
  CHECK(heard.count() == 0);
  std::string whole = response.body;
  for (bool goes_on = true; goes_on;) {
    std::string piece;
    goes_on = response.next_chunk(piece);
    CHECK(piece.size() < 70'000);
    whole += piece;
  }
  CHECK((whole == whole_response(body)));
  CHECK(heard.calls.at(0) == "Page 200 ");
  CHECK(heard.sizes.at(0) == whole.size());
  CHECK(contains(heard.requests.at(0), "<To>100000</To>"));
  CHECK(heard.responses.at(0) == "(" + std::to_string(whole.size()) + " bytes)");
  response.next_chunk = nullptr;
  CHECK(heard.count() == 1);
  CHECK(alive == 0);
}

// --- Requests ------------------------------------------------------------------------------------

namespace {

soapsvc::client_options caller_options() {
  soapsvc::client_options options;
  options.ns_base = "http://example.com/soap";
  options.verify_certificate = false;
  return options;
}
std::string url_of(const server& host, const std::string& scheme) {
  return scheme + "://127.0.0.1:" + std::to_string(host.port) + path;
}

}  // namespace

TEST_CASE(
    "a client sends a stream in pieces, and calls again on the same connection",
    "[streams][keep-alive]") {
  const net::scratch_folder folder;
  net::identity("localhost").write(folder.file("own.pem"));
  for (const std::string scheme : {"http", "https"}) {
    net::host_setup options = net::quick_options();
    options.limits.max_body_bytes = 200'000'000;
    options.limits.max_elements = 10'000'000;
    options.limits.max_text_bytes = 200'000'000;
    if (scheme == "https") options.server.tls.certificate_file = folder.file("own.pem");
    server host(std::move(options));
    soapsvc::client<Store> calls(url_of(host, scheme), caller_options());
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{3}, many}) {
      INFO(scheme << ' ' << size);
      CHECK(calls.call(&Store::put, Upload{"n", lines_of({size, 0})}) == size * (size + 1) / 2);
    }
    std::int64_t sum = 0;
    for (int at = 0; at != 1'000'000; ++at)
      sum += at % 256;
    CHECK(calls.call(&Store::put_bytes, Blob{"n", bytes_of(1'000'000)}) == sum);
    CHECK(calls.call(&Store::put_bytes, Blob{"n", {}}) == 0);
  }
  CHECK(alive == 0);
}

TEST_CASE(
    "an exception of a client's source is thrown by call, and no method was called", "[streams]") {
  server host;
  soapsvc::client<Store> calls(url_of(host, "http"), caller_options());
  for (const std::int64_t at : {std::int64_t{2}, many / 2})
    CHECK_THROWS_WITH(
        calls.call(&Store::put, Upload{"n", lines_of({many, at})}), "the disk is on fire");
  CHECK(calls.call(&Store::put, Upload{"n", lines_of({3, 0})}) == 6);
}

TEST_CASE("a client reads a fault that arrives before it has sent everything", "[streams]") {
  const net::scratch_folder folder;
  net::identity("localhost").write(folder.file("own.pem"));
  for (const std::string scheme : {"http", "https"}) {
    net::host_setup options = net::quick_options();
    options.limits.max_stream_bytes = 100'000;
    if (scheme == "https") options.server.tls.certificate_file = folder.file("own.pem");
    server host(std::move(options));
    soapsvc::client<Store> calls(url_of(host, scheme), caller_options());
    INFO(scheme);
    made = 0;
    try {
      calls.call(&Store::put, Upload{"n", lines_of({1'900'000, 0})});
      FAIL("it was taken");
    } catch (const soapsvc::remote_fault& refused) {
      INFO(refused.what());
      CHECK(refused.http_status() >= 400);
    }
    CHECK(made < 1'900'000);
    CHECK(calls.call(&Store::put, Upload{"n", lines_of({3, 0})}) == 6);
  }
}

namespace {

/// Accepts one connection, and passes it to `serve`.
class raw_server {
public:
  explicit raw_server(std::function<void(int)> serve)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener_, 1) == 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + path;
    thread_ = std::thread([this, serve = std::move(serve)] {
      const int caller = ::accept(listener_, nullptr, nullptr);
      serve(caller);
      ::close(caller);
    });
  }
  ~raw_server() {
    thread_.join();
    ::close(listener_);
  }

  std::string url;

private:
  int listener_;
  std::thread thread_;
};

void send_to(int caller, const std::string& bytes) {
  ::send(caller, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}
/// Reads everything, because a close with unread bytes resets the connection.
void take_request(int caller) {
  std::string got;
  char bytes[10'000];
  while (got.find("Envelope>", got.find("Body>")) == got.npos) {
    const ssize_t size = ::recv(caller, bytes, sizeof bytes, 0);
    if (size <= 0) return;
    got.append(bytes, static_cast<std::size_t>(size));
  }
}
std::string response_of(const std::string& status, const std::string& inside) {
  const std::string body =
      "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>" + inside +
      "</e:Body></e:Envelope>";
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: text/xml\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}
const std::string refusal =
    "<e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring></e:Fault>";

}  // namespace

TEST_CASE(
    "a client reads the response of a server that has stopped reading",
    "[streams][x2-bindformdesc-dlock][x2-http-reqsoapnode-dlock]") {
  std::promise<void> heard;
  raw_server deaf([&](int caller) {
    char bytes[100];
    ::recv(caller, bytes, sizeof bytes, 0);
    send_to(caller, response_of("500 No", refusal));
    heard.get_future().wait_for(20s);
  });
  soapsvc::client_options options = caller_options();
  options.read_timeout = 5s;
  soapsvc::client<Store> calls(deaf.url, options);
  CHECK_THROWS_AS(
      calls.call(&Store::put, Upload{"n", lines_of({2'000'000, 0})}), soapsvc::remote_fault);
  heard.set_value();
}

/// True if a test of times passes, if necessary with longer times: `test` gets the factor. On a
/// busy machine, calls can time out that are in time elsewhere.
template <class Test> bool holds_at_some_pace(Test test) {
  for (const int pace : {1, 4, 16}) {
    try {
      if (test(pace)) return true;
    } catch (const soapsvc::transport_error&) {
      continue;
    }
  }
  return false;
}

namespace {

const std::string before_lines =
    "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\n\r\n"
    "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>"
    "<LinesResponse xmlns=\"http://example.com/soap/Store\"><LinesResult>";
const std::string one_line = "<Line><Id>1</Id><Text>x</Text></Line>";
const std::string after_lines = "</LinesResult></LinesResponse></e:Body></e:Envelope>";

}  // namespace

TEST_CASE("a slow stream has call_timeout for each max_body_bytes", "[streams][timeout]") {
  const auto count = [&](const std::string& piece, int pieces, int pace) {
    raw_server slow([&](int caller) {
      take_request(caller);
      send_to(caller, before_lines + one_line);
      for (int turn = 0; turn != pieces; ++turn) {
        std::this_thread::sleep_for(pace * 50ms);
        if (::send(caller, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) return;
      }
      send_to(caller, after_lines);
    });
    soapsvc::client_options options = caller_options();
    options.limits.max_body_bytes = 50'000;
    options.call_timeout = pace * 1s;
    soapsvc::client<Store> calls(slow.url, options);
    const soapsvc::stream<Line> lines = calls.call(&Store::lines, Span{1, 0});
    int found = 0;
    while (lines.next())
      ++found;
    return found;
  };
  // A stream that is about as fast as the required rate may last forever.
  CHECK(holds_at_some_pace(
      [&](int pace) { return count(std::string(49'900, ' ') + one_line, 30, pace) == 31; }));
  try {
    count(" ", 100, 1);
    FAIL("no error");
  } catch (const soapsvc::transport_error& error) {
    CHECK(error.why() == soapsvc::transport_failure::timeout);
  }
}

TEST_CASE(
    "a stream has the whole call_timeout again, even if it begins late", "[streams][timeout]") {
  const std::string padded = std::string(49'900, ' ') + one_line;
  CHECK(holds_at_some_pace([&](int pace) {
    raw_server slow([&](int caller) {
      take_request(caller);
      send_to(caller, before_lines + one_line + padded + padded);
      for (int turn = 0; turn != 3; ++turn) {
        std::this_thread::sleep_for(pace * 500ms);
        send_to(caller, padded + padded);
      }
      send_to(caller, after_lines);
    });
    soapsvc::client_options options = caller_options();
    options.limits.max_body_bytes = 50'000;
    options.call_timeout = pace * 1s;
    options.interceptors = {[pace](soapsvc::outgoing_call& call) {
      std::this_thread::sleep_for(pace * 700ms);
      call.proceed();
    }};
    soapsvc::client<Store> calls(slow.url, options);
    const soapsvc::stream<Line> lines = calls.call(&Store::lines, Span{1, 0});
    int found = 0;
    while (lines.next())
      ++found;
    return found == 9;
  }));
}

TEST_CASE("before its stream begins, a response has the usual bounds", "[streams][timeout][gzip]") {
  struct outcome {
    soapsvc::transport_failure why{};
    std::string what;
    std::chrono::steady_clock::duration time{};
  };
  // Compressed pieces without content.
  const auto outcome_of = [](const std::string& head, int size, std::chrono::milliseconds wait) {
    raw_server empty([&](int caller) {
      take_request(caller);
      send_to(
          caller, "HTTP/1.1 " + head + "\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n");
      send_to(caller, std::string("\x1f\x8b\x08\0\0\0\0\0\0\3", 10));
      std::string piece;
      for (int blocks = 0; blocks != size / 5; ++blocks)
        piece.append("\0\0\0\xff\xff", 5);
      for (int turn = 0; turn != 200; ++turn) {
        std::this_thread::sleep_for(wait);
        if (::send(caller, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) return;
      }
    });
    soapsvc::client_options options = caller_options();
    options.limits.max_body_bytes = 5'000;
    options.call_timeout = 1s;
    soapsvc::client<Store> calls(empty.url, options);
    const auto begun = std::chrono::steady_clock::now();
    try {
      calls.call(&Store::lines, Span{1, 0});
    } catch (const soapsvc::transport_error& error) {
      UNSCOPED_INFO(error.what());
      return outcome{error.why(), error.what(), std::chrono::steady_clock::now() - begun};
    }
    return outcome{};
  };
  const outcome slow = outcome_of("200 OK\r\nContent-Type: text/xml", 5'000, 50ms);
  CHECK(slow.why == soapsvc::transport_failure::timeout);
  CHECK(slow.time < 8s);
  const outcome large = outcome_of("200 OK\r\nContent-Type: text/xml", 50'000, 0ms);
  CHECK_THAT(large.what, Catch::Contains("sent more bytes than the maximum of a response"));
  const outcome refused = outcome_of("500 No\r\nContent-Type: text/xml", 5'000, 50ms);
  CHECK_THAT(refused.what, Catch::Contains("answered with more than 5000 bytes"));
  CHECK(refused.time < 8s);
}

// The client kept them all, so a packed megabyte took a gigabyte.
TEST_CASE(
    "bytes behind the last part have a bound where a stream is expected",
    "[streams][attachments][limits]") {
  raw_server endless([](int caller) {
    take_request(caller);
    const std::size_t begin = before_lines.find("<e:Envelope");
    send_to(
        caller,
        "HTTP/1.1 200 OK\r\nContent-Type: multipart/related; type=\"application/xop+xml\"; "
        "boundary=B; start-info=\"text/xml\"\r\nConnection: close\r\n\r\n"
        "--B\r\nContent-Type: application/xop+xml; type=\"text/xml\"\r\n\r\n" +
            before_lines.substr(begin, before_lines.find("<LinesResponse") - begin) + refusal +
            "</e:Body></e:Envelope>\r\n--B--\r\n" + std::string(200'000, ' '));
  });
  soapsvc::client<Store> calls(endless.url, caller_options());
  CHECK_THROWS_WITH(
      calls.call(&Store::lines, Span{1, 0}), Catch::Contains("(limit max_part_header_bytes)"));
}

TEST_CASE("a stream with a Content-Length may exceed max_body_bytes", "[streams][limits]") {
  const std::size_t begin = before_lines.find("<e:Envelope");
  std::string body = before_lines.substr(begin);
  for (int line = 0; line != 2'000; ++line)
    body += one_line;
  body += after_lines;
  raw_server known([&](int caller) {
    take_request(caller);
    send_to(
        caller,
        before_lines.substr(0, begin - 2) + "Content-Length: " + std::to_string(body.size()) +
            "\r\n\r\n" + body);
  });
  soapsvc::client_options options = caller_options();
  options.limits.max_body_bytes = 50'000;
  soapsvc::client<Store> calls(known.url, options);
  const soapsvc::stream<Line> lines = calls.call(&Store::lines, Span{1, 0});
  int found = 0;
  while (lines.next())
    ++found;
  CHECK(found == 2'000);
}

TEST_CASE(
    "the program's time between two items does not count for the stream", "[streams][timeout]") {
  server host;
  CHECK(holds_at_some_pace([&](int pace) {
    soapsvc::client_options options = caller_options();
    options.call_timeout = pace * 1s;
    soapsvc::client<Store> calls(url_of(host, "http"), options);
    const soapsvc::stream<Line> lines = calls.call(&Store::lines, Span{many, 0});
    int found = 0;
    for (; lines.next(); ++found)
      if (found % (many / 5) == 0) std::this_thread::sleep_for(pace * 300ms);
    return found == many;
  }));
}

TEST_CASE("an unrequested interim response does not stop a stream", "[streams][expect-continue]") {
  const std::string interim =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
  for (const bool is_refused : {false, true}) {
    INFO(is_refused);
    raw_server eager([&](int caller) {
      std::string got;
      char bytes[65'536];
      for (const char byte : interim)
        send_to(caller, std::string(1, byte));
      while (!is_refused && !got.ends_with("0\r\n\r\n")) {
        const ssize_t size = ::recv(caller, bytes, sizeof bytes, 0);
        if (size <= 0) return;
        got.append(bytes, static_cast<std::size_t>(size));
      }
      const std::string answer =
          "<PutResponse "
          "xmlns=\"http://example.com/soap/Store\"><PutResult>7</PutResult></PutResponse>";
      send_to(caller, is_refused ? response_of("500 No", refusal) : response_of("200 OK", answer));
      ::shutdown(caller, SHUT_WR);
      while (::recv(caller, bytes, sizeof bytes, 0) > 0)
        continue;
    });
    soapsvc::client_options options = caller_options();
    options.read_timeout = 5s;
    soapsvc::client<Store> calls(eager.url, options);
    const auto put = [&] { return calls.call(&Store::put, Upload{"n", lines_of({many, 0})}); };
    if (is_refused)
      CHECK_THROWS_AS(put(), soapsvc::remote_fault);
    else
      CHECK(put() == 7);
  }
}

TEST_CASE("a client sends no more items than occurs(...) says", "[streams]") {
  Store store;
  soapsvc::dispatcher services({.ns_base = "http://example.com/soap"});
  services.add(store);
  server host;
  soapsvc::client<Store> far(url_of(host, "http"), caller_options());
  CHECK_THROWS_AS(far.call(&Store::put_few, Few{lines_of({many, 0})}), std::invalid_argument);
  soapsvc::client<Store> near(services);
  CHECK_THROWS_AS(near.call(&Store::put_few, Few{lines_of({many, 0})}), std::invalid_argument);
  CHECK(far.call(&Store::put_few, Few{lines_of({2, 0})}) == 3);
}

// --- Files ---------------------------------------------------------------------------------------

TEST_CASE("a file is read and written as a stream", "[streams]") {
  const net::scratch_folder folder;
  const std::string from = folder.file("from"), to = folder.file("to");
  const soapsvc::stream<std::byte> made_of = bytes_of(300'001);
  CHECK(soapsvc::write_file(made_of, from) == 300'001);
  CHECK(soapsvc::write_file(soapsvc::read_file(from), to) == 300'001);
  const auto content = [](const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  CHECK(content(from).size() == 300'001);
  CHECK((content(from) == content(to)));
  const soapsvc::stream<std::byte> broken = [left = 3](std::span<std::byte> piece) mutable {
    if (left-- == 0) throw std::runtime_error("lost");
    return piece.size();
  };
  CHECK_THROWS_WITH(soapsvc::write_file(broken, to), "lost");
  CHECK((content(from) == content(to)));
  const std::filesystem::directory_iterator files(std::filesystem::path(to).parent_path());
  CHECK(std::distance(begin(files), end(files)) == 2);
  std::byte piece[1];
  CHECK_THROWS_AS(soapsvc::read_file(folder.file("none")), std::system_error);
  CHECK_THROWS_AS(soapsvc::read_file("/").read(piece), std::system_error);
}
