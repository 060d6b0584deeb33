// Every refusal of the host's loop: for every form of the body, in all pieces, and with another
// request after it. Promised are the status, a complete response, and the rules of RFC 9112. After
// a request that was read to its end, the next one is answered (9.3). After any other, the
// connection closes, and no byte is taken for a request (9.6, 11.2). The host is a black box here.
// Under the address sanitizer, these tests find views that outlive their bytes.
#include <catch2/catch.hpp>

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <random>

#include "../net.hpp"

using namespace net;

namespace {

// --- Requests ------------------------------------------------------------------------------------

/// How a body is sent.
struct form {
  std::string name;
  bool in_chunks;
  bool is_packed;
  bool asks_first;  ///< Expect: 100-continue
};
const form forms[] = {
    {"with a length", false, false, false},
    {"in chunks", true, false, false},
    {"packed", false, true, false},
    {"packed, in chunks", true, true, false},
    {"with a length, asking first", false, false, true},
    {"packed, in chunks, asking first", true, true, true},
};

/// A message, and its expected response.
struct message {
  std::string name;
  int status;
  bool goes_on;  ///< the request was read to its end, so the connection stays open
  std::string bytes;
  bool is_head = false;  ///< a HEAD: the response has no body
  int before = 0;  ///< valid requests before it in `bytes`
};

const std::string post_line = "POST " + path + " HTTP/1.1";
const std::string good_content = echo("first");
/// Follows each message.
const std::string next = "POST " + path +
                         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n"
                         "Content-Length: " +
                         std::to_string(echo("next").size()) + "\r\n\r\n" + echo("next");

std::string head(const form& how, const std::string& line, const std::string& fields) {
  return line + "\r\nHost: localhost\r\n" + fields +
         (how.asks_first ? "Expect: 100-continue\r\n" : "") +
         (how.is_packed ? "Content-Encoding: gzip\r\n" : "");
}

/// Two chunks, the first with an extension, and a trailer; without content, no chunk.
std::string in_chunks(const std::string& content) {
  const std::string end = "0\r\nX-Sum: 1\r\n\r\n";
  if (content.empty()) return end;
  const std::size_t middle = content.size() / 2;
  std::string first = chunk(content.substr(0, middle));
  first.insert(first.find("\r\n"), ";a=\"b c\"");
  return first + chunk(content.substr(middle)) + end;
}

/// From the headers of the length to the end of the body. `content` is compressed if required.
std::string body(const form& how, const std::string& content) {
  if (how.in_chunks) return "Transfer-Encoding: chunked\r\n\r\n" + in_chunks(content);
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
}

const std::string xml = "Content-Type: text/xml\r\n";
const std::string xml12 = "Content-Type: application/soap+xml\r\n";

std::string request(
    const form& how,
    const std::string& line = post_line,
    const std::string& fields = xml,
    const std::string& content = good_content) {
  return head(how, line, fields) + body(how, how.is_packed ? gzipped(content) : content);
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int turn = 0; turn != count; ++turn)
    all += text;
  return all;
}

/// Bytes that do not compress.
std::string noise(std::size_t size) {
  std::mt19937 random(size);
  std::string bytes(size, '\0');
  for (char& c : bytes)
    c = static_cast<char>(random());
  return bytes;
}

// --- Pieces --------------------------------------------------------------------------------------

/// The ends of pieces, except the last.
using cuts = std::vector<std::size_t>;

cuts at_every_byte(const std::string& bytes) {
  cuts all;
  for (std::size_t at = 1; at < bytes.size(); ++at)
    all.push_back(at);
  return all;
}

cuts every(std::size_t piece, std::size_t size) {
  cuts all;
  for (std::size_t at = piece; at < size; at += piece)
    all.push_back(at);
  return all;
}

/// The relevant boundaries: in the request line, around the line ends, within chunk sizes, in the
/// last bytes, which are the tail of the compressed data, and after the last byte.
cuts boundaries(const std::string& bytes) {
  cuts all;
  const auto is_end = [&](std::size_t at) { return bytes[at] == '\r' || bytes[at] == '\n'; };
  for (std::size_t at = 1; at < bytes.size(); ++at) {
    const bool is_tail = at + 22 > bytes.size();
    const bool has_lines = at < 2'000 || at + 100 > bytes.size();
    if (at < 6 || is_tail || (has_lines && (is_end(at - 1) || is_end(at)))) all.push_back(at);
  }
  all.push_back(bytes.size());
  return all;
}

// --- The host and its callers --------------------------------------------------------------------

enum class wire : std::uint8_t { local, local_tls, tcp, tcp_tls };
constexpr wire all_wires[] = {wire::local, wire::local_tls, wire::tcp, wire::tcp_tls};
constexpr std::string_view wire_names[] = {"Unix", "Unix with TLS", "TCP", "TCP with TLS"};

net::host_setup small_options() {
  auto options = quick_options();
  options.server.threads = 2;
  options.server.limits.max_executor_threads = 0;
  options.server.limits.max_header_bytes = 1'024;
  options.server.limits.max_header_fields = 12;
  options.server.limits.max_target_bytes = 128;
  options.limits.max_body_bytes = 2'000;
  options.server.timeouts.header = options.server.timeouts.read = options.server.timeouts.idle =
      60s;
  return options;
}

/// Two hosts with the same options, one with TLS, each on a port and a Unix socket. On the Unix
/// socket, the test knows when the host has read a piece, so that the next piece is another read.
class place {
public:
  explicit place(const net::host_setup& options = small_options())
      : plain_(options, false), safe_(with_certificate(options), false) {
    begin(plain_, false);
    begin(safe_, true);
  }
  server& at(wire over) { return is_tls(over) ? safe_ : plain_; }
  static bool is_tls(wire over) { return over == wire::local_tls || over == wire::tcp_tls; }
  static bool is_local(wire over) { return over == wire::local || over == wire::local_tls; }
  client connect(wire over) {
    return is_local(over) ? client(file(is_tls(over))) : client(at(over).port);
  }

private:
  net::host_setup with_certificate(net::host_setup options) const {
    options.server.tls.certificate_file = folder_.file("server.pem");
    identity("localhost").write(options.server.tls.certificate_file);
    return options;
  }
  std::string file(bool tls) const { return folder_.file(tls ? "tls" : "plain"); }
  void begin(server& each, bool tls) const {
    each.host.bind({.unix_path = file(tls)});
    each.serve();
  }

  scratch_folder folder_;
  server plain_, safe_;
};

/// A connection of any kind.
class caller {
public:
  caller(place& to, wire over) : waits_(place::is_local(over)) {
    if (place::is_tls(over))
      tls_.emplace(to.connect(over));
    else
      plain_.emplace(to.connect(over));
  }
  /// False: the host has closed the connection before it had everything.
  bool send(std::string_view bytes, const cuts& where) {
    std::size_t at = 0;
    for (const std::size_t cut : where) {
      if (!send_piece(bytes.substr(at, cut - at))) return false;
      if (waits_) wait_until_taken();
      at = cut;
    }
    return send_piece(bytes.substr(at));
  }
  response read(bool has_body = true) {
    for (;;) {
      response got = tls_ ? tls_->read(has_body) : plain_->read(has_body);
      if (got.status != 100) return got;
      ++invitations;
    }
  }
  void half_close() { tls_ ? tls_->half_close() : plain_->half_close(); }
  /// The bytes after the response; empty: none, and TLS ended with close_notify.
  std::string after_the_last() {
    const std::string left = wire_of().left();
    if (!left.empty()) return left;
    if (tls_) return tls_->was_closed_properly() ? "" : "more, or no close_notify";
    return plain_->receive();
  }

  int invitations = 0;  ///< 100 Continue

private:
  client& wire_of() { return tls_ ? tls_->plain() : *plain_; }
  bool send_piece(std::string_view bytes) {
    return bytes.empty() || (tls_ ? tls_->try_send(bytes) : plain_->try_send(bytes));
  }
  /// Waits at most a tenth of a second: a busy host, or one that has closed the connection, reads
  /// nothing.
  void wait_until_taken() {
    for (int turn = 0; turn != 1'000; ++turn) {
      int waiting = 0;
      if (::ioctl(wire_of().fd(), SIOCOUTQ, &waiting) != 0 || waiting == 0) return;
      turn < 200 ? std::this_thread::yield() : std::this_thread::sleep_for(100us);
    }
  }

  bool waits_;
  std::optional<client> plain_;
  std::optional<tls_client> tls_;
};

// --- Expectations --------------------------------------------------------------------------------

std::string trouble_with(const response& got, int status, bool goes_on, bool is_head = false) {
  const std::string text = got.head + got.body;
  if (got.status == 0) return "no whole response to what must be " + std::to_string(status);
  if (got.status != status) return "not " + std::to_string(status) + " but " + text;
  if (got.closes() == goes_on) return "what Connection says is wrong: " + text;
  if (got.body.empty() != is_head) return "a body, or none: " + text;
  return {};
}

/// Empty if the result is as expected.
std::string trouble_after(caller& from, const message& sent) {
  for (int turn = 0; turn != sent.before; ++turn)
    if (const response got = from.read(); got.status != 200) return "before: " + got.head;
  const response got = from.read(!sent.is_head);
  std::string wrong = trouble_with(got, sent.status, sent.goes_on, sent.is_head);
  if (wrong.empty() && sent.goes_on) {
    const response second = from.read();
    wrong = trouble_with(second, 200, true);
    if (wrong.empty() && !second.holds(">next<")) wrong = "the next request's response is another";
    if (!wrong.empty()) wrong = "the next request: " + wrong;
    from.half_close();
  }
  if (wrong.empty()) wrong = from.after_the_last();
  return wrong;
}

std::string trouble(place& to, wire over, const message& sent, const cuts& where) {
  Desk& desk = to.at(over).desk;
  const int before = desk.calls;
  std::string wrong;
  try {
    caller from(to, over);
    if (!from.send(sent.bytes + next, where) && sent.goes_on) wrong = "not all was taken";
    if (wrong.empty()) wrong = trouble_after(from, sent);
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  const int calls = desk.calls - before;
  if (wrong.empty() && calls != sent.before + (sent.goes_on ? 1 : 0))
    wrong = std::to_string(calls) + " calls were carried out";
  if (wrong.empty()) return {};
  std::string told = sent.name + " over " + std::string(wire_names[static_cast<int>(over)]);
  told += where.size() == 1 ? ", cut at " + std::to_string(where[0])
                            : ", in " + std::to_string(where.size() + 1) + " pieces";
  return told + ": " + wrong;
}

/// A new connection is served.
std::string trouble_afterwards(place& to, wire over) {
  caller from(to, over);
  from.send(next, {});
  return trouble_with(from.read(), 200, true);
}

/// Each way over each kind of connection.
void require_answers_to(place& to, const message& sent, const std::vector<cuts>& ways) {
  for (const wire over : all_wires) {
    for (const cuts& where : ways)
      REQUIRE(trouble(to, over, sent, where) == "");
    REQUIRE(trouble_afterwards(to, over) == "");
  }
}

/// As a whole, in pieces at all relevant boundaries, and byte by byte.
void require_answers(place& to, const message& sent) {
  const cuts bytes = at_every_byte(sent.bytes + next.substr(0, 40));
  require_answers_to(to, sent, {cuts{}, boundaries(sent.bytes), bytes});
}

/// The same, and cut in two at all relevant boundaries, unless `how` is a variation of another
/// form.
void require_answers_in_two(place& to, const form& how, const message& sent) {
  require_answers(to, sent);
  if (how.asks_first) return;
  for (const wire over : {wire::local, wire::local_tls})
    for (const std::size_t cut : boundaries(sent.bytes))
      REQUIRE(trouble(to, over, sent, {cut}) == "");
}

/// A refusal of a request head with this content.
struct bad_head {
  std::string name;
  int status;
  std::string line;
  std::string fields;
};

std::vector<bad_head> bad_heads() {
  const std::string target = "/" + std::string(128, 'a');
  return {
      {"no version", 400, "POST " + path, ""},
      {"two spaces", 400, "POST  " + path + " HTTP/1.1", ""},
      {"a method that is no token", 400, "PO(ST " + path + " HTTP/1.1", ""},
      {"a space before a colon", 400, post_line, "X-A : b\r\n"},
      {"a folded line", 400, post_line, "X-A: b\r\n c\r\n"},
      {"a line feed alone", 400, post_line, "X-A: b\n"},
      {"a control character", 400, post_line, "X-A: \x01\r\n"},
      {"no colon", 400, post_line, "X-A\r\n"},
      {"two Hosts", 400, post_line, "Host: localhost\r\n"},
      {"two lengths", 400, post_line, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"},
      {"a length that is no number", 400, post_line, "Content-Length: +5\r\n"},
      {"a target that is too long", 414, "POST " + target + " HTTP/1.1", ""},
      {"a line that is too long", 414, "POST " + repeated(target, 4) + " HTTP/1.1", ""},
      {"another expectation", 417, post_line, "Expect: 200-ok\r\n"},
      {"a header that is too long", 431, post_line, "X-A: " + std::string(1'024, 'a') + "\r\n"},
      {"too many fields", 431, post_line, repeated("X-A: b\r\n", 12)},
      {"another transfer coding", 501, post_line, "Transfer-Encoding: gzip, chunked\r\n"},
      {"another version", 505, "POST " + path + " HTTP/2.0", ""},
  };
}

/// A refusal within chunks with this content. `good` is a valid chunk.
struct bad_chunks {
  std::string name;
  int status;
  std::string text;
};

std::vector<bad_chunks> bad_chunks_behind(const std::string& good) {
  const std::string long_text(1'100, 'a');
  return {
      {"a size over the limit", 413, good + "7d1\r\n" + good},
      {"a size of sixteen digits", 413, "ffffffffffffffff\r\n" + good},
      {"chunks that are together over the limit", 413, repeated(chunk(noise(300)), 7)},
      {"a size of seventeen digits", 400, good + "10000000000000000\r\n" + good},
      {"a size that is no number", 400, good + "x\r\n" + good},
      {"a size that is negative", 400, good + "-1\r\n" + good},
      {"no size", 400, good + "\r\n" + good},
      {"data behind the size's end", 400, "1\r\nab\r\n0\r\n\r\n"},
      {"a line feed alone behind a size", 400, good + "1\na\r\n0\r\n\r\n"},
      {"a line feed alone behind data", 400, good + "1\r\na\n0\r\n\r\n"},
      {"a control character in an extension", 400, good + "1;\x01\r\na\r\n0\r\n\r\n"},
      {"a trailer that is no field", 400, good + "0\r\nX-A\r\n\r\n"},
      {"an extension that is too long", 431, good + "1;" + long_text + "\r\na\r\n0\r\n\r\n"},
      {"a trailer that is too long", 431, good + "0\r\nX-A: " + long_text + "\r\n\r\n"},
      {"too many trailers", 431, good + "0\r\n" + repeated("X-A: b\r\n", 14) + "\r\n"},
  };
}

/// Invalid compressed bytes.
std::vector<std::pair<std::string, std::string>> damaged(const std::string& packed) {
  std::string other_sum = packed;
  other_sum[other_sum.size() - 8] ^= '\x01';
  std::string other_size = packed;
  other_size[other_size.size() - 4] ^= '\x01';
  return {
      {"without its tail", packed.substr(0, packed.size() - 8)},
      {"without its last byte", packed.substr(0, packed.size() - 1)},
      {"with another sum", other_sum},
      {"with another size", other_size},
      {"with more behind it", packed + "more"},
      {"that is not packed", good_content},
      {"that is empty", ""},
  };
}

}  // namespace

// --- The matrix ----------------------------------------------------------------------------------

TEST_CASE(
    "a head that is refused ends the connection, whatever body comes with it",
    "[refusals][keep-alive]") {
  place to;
  for (const bad_head& each : bad_heads())
    for (const form& how : forms) {
      const std::string all = request(how, each.line, xml + each.fields);
      const message sent{each.name + ", " + how.name, each.status, false, all};
      // The head is equal in all forms, so only one form is cut everywhere; the parts after the
      // head are cut in all forms.
      how.name == forms[0].name ? require_answers_in_two(to, how, sent)
                                : require_answers_to(to, sent, {cuts{}, boundaries(all)});
    }
}

TEST_CASE(
    "a body without a length, or announced too long, ends the connection",
    "[refusals][keep-alive]") {
  place to;
  for (const form& how : forms) {
    const std::string begin = head(how, post_line, xml);
    if (!how.in_chunks) {
      require_answers_in_two(to, how, {"no length, " + how.name, 411, false, begin + "\r\nabc"});
      for (const char* length : {"2001", "18446744073709551615", "99999999999999999999999"})
        require_answers_in_two(
            to,
            how,
            {std::string(length) + " bytes, " + how.name,
             413,
             false,
             begin + "Content-Length: " + length + "\r\n\r\nabc"});
    }
    if (how.is_packed)
      require_answers_in_two(
          to,
          how,
          {"packed twice, " + how.name,
           415,
           false,
           request(how, post_line, xml + "Content-Encoding: gzip\r\n")});
  }
}

TEST_CASE("chunks that are refused end the connection", "[refusals][chunked]") {
  place to;
  for (const form& how : forms)
    if (how.in_chunks)
      for (const bad_chunks& each : bad_chunks_behind(chunk("good")))
        require_answers_in_two(
            to,
            how,
            {each.name + ", " + how.name,
             each.status,
             false,
             head(how, post_line, xml) + "Transfer-Encoding: chunked\r\n\r\n" + each.text});
}

TEST_CASE(
    "a request that is refused after it was read leaves the connection usable",
    "[refusals][keep-alive]") {
  place to;
  const std::string nowhere = "POST /nowhere HTTP/1.1";
  const std::string text = "Content-Type: text/plain\r\n";
  for (const form& how : forms) {
    const std::string what = ", " + how.name;
    require_answers_in_two(to, how, {"an unknown path" + what, 404, true, request(how, nowhere)});
    require_answers_in_two(
        to, how, {"PUT" + what, 405, true, request(how, "PUT " + path + " HTTP/1.1")});
    require_answers_in_two(to, how, {"text" + what, 415, true, request(how, post_line, text)});
    for (const char* foreign : {"Origin: https://elsewhere.example", "Sec-Fetch-Site: cross-site"})
      require_answers_in_two(
          to, how, {foreign + what, 403, true, request(how, post_line, xml + foreign + "\r\n")});
    require_answers_in_two(
        to, how, {"HEAD" + what, 404, true, request(how, "HEAD /nowhere HTTP/1.1"), true});
    if (!how.is_packed) {
      const std::string fields = xml + "Content-Encoding: br\r\n";
      require_answers_in_two(to, how, {"br" + what, 415, true, request(how, post_line, fields)});
      continue;
    }
    const std::string begin = head(how, post_line, xml);
    // In SOAP 1.2, where Sender faults are 400, too.
    const std::string begin12 = head(how, post_line, xml12);
    for (const auto& [name, bytes] : damaged(gzipped(good_content)))
      require_answers(to, {name + what, 400, true, begin12 + body(how, bytes)});
    require_answers_in_two(
        to,
        how,
        {"the decompressed request body is too long" + what,
         413,
         true,
         begin + body(how, gzipped(echo(std::string(2'000, ' '))))});
  }
}

// Unix sockets accept every Host, because no web page can reach them.
TEST_CASE("a request for another host is refused once it is read", "[refusals]") {
  place to;
  const std::string own = "Host: localhost";
  for (const form& how : forms) {
    std::string all = request(how);
    all.replace(all.find(own), own.size(), "Host: rebound.example");
    const message sent{"another Host, " + how.name, 421, true, all};
    for (const wire over : {wire::tcp, wire::tcp_tls})
      for (const cuts& where : {cuts{}, boundaries(all), at_every_byte(all)})
        REQUIRE(trouble(to, over, sent, where) == "");
  }
}

// --- Bodies that lie in memory of their own ------------------------------------------------------

namespace {

net::host_setup roomy_options() {
  auto options = small_options();
  options.limits.max_body_bytes = 100'000;
  return options;
}

/// In pieces of thousands of bytes, and cut at buffer sizes that are powers of two.
void require_answers_in_parts(place& to, const message& sent) {
  const std::size_t size = sent.bytes.size();
  std::vector<cuts> ways{{}, every(1'000, size), every(9'973, size), boundaries(sent.bytes)};
  for (const std::size_t full : {16'384U, 32'768U, 65'536U})
    for (const std::size_t cut : {full - 1, full, full + 1})
      if (cut < size) ways.push_back({cut});
  for (const wire over : all_wires) {
    for (const cuts& where : ways)
      REQUIRE(trouble(to, over, sent, where) == "");
    REQUIRE(trouble_afterwards(to, over) == "");
  }
}

std::string chunks_of(const std::string& content, std::size_t size) {
  std::string all;
  for (std::size_t at = 0; at < content.size(); at += size)
    all += chunk(content.substr(at, size));
  return all + "0\r\n\r\n";
}

}  // namespace

// The bug: a view of the request's method was read after its bytes had been freed.
TEST_CASE("a large body over the limit is refused, and the host goes on", "[refusals][limits]") {
  place to(roomy_options());
  const std::string content = noise(120'000);
  for (const std::string method : {"POST", "HEAD"})
    for (const form& how : forms) {
      const bool is_head = method == "HEAD";
      const std::string line = method + " " + path + " HTTP/1.1";
      const std::string name = method + " of 120000 bytes, " + how.name;
      const std::string all = request(how, line, xml, content);
      require_answers_in_parts(to, {name, 413, false, all, is_head});
      if (!how.in_chunks) continue;
      for (const std::size_t size : {777U, 40'000U})
        require_answers_in_parts(
            to,
            {name + " of " + std::to_string(size),
             413,
             false,
             head(how, line, xml) + "Transfer-Encoding: chunked\r\n\r\n" + chunks_of(content, size),
             is_head});
    }
}

TEST_CASE(
    "a large body that is refused once it is read leaves the connection",
    "[refusals][keep-alive]") {
  place to(roomy_options());
  const std::string content = noise(90'000);
  for (const form& how : forms) {
    const std::string what = " with 90000 bytes, " + how.name;
    const auto check = [&](const std::string& name, int status, const std::string& bytes) {
      require_answers_in_parts(to, {name + what, status, true, bytes, bytes.starts_with("HEAD")});
    };
    check("an unknown path", 404, request(how, "POST /nowhere HTTP/1.1", xml, content));
    check("HEAD", 404, request(how, "HEAD /nowhere HTTP/1.1", xml, content));
    check("PUT", 405, request(how, "PUT " + path + " HTTP/1.1", xml, content));
    check("text", 415, request(how, post_line, "Content-Type: text/plain\r\n", content));
    if (!how.is_packed) continue;
    const std::string begin12 = head(how, post_line, xml12);
    check("cut off", 400, begin12 + body(how, gzipped(content).substr(0, 80'000)));
    const std::string begin = head(how, post_line, xml);
    const std::string bomb = gzipped(content + std::string(20'000, ' '));
    check("the decompressed request body is too long", 413, begin + body(how, bomb));
  }
}

TEST_CASE("a refusal after many requests in a row is the same", "[refusals][pipelining]") {
  place to(roomy_options());
  const int before = 150;  // more than a worker handles in one turn
  const std::string good = repeated(request(forms[0]), before);
  const std::string content = noise(120'000);
  for (const form& how : forms) {
    const std::string what = " behind others, " + how.name;
    const auto check = [&](const std::string& name, int status, bool goes_on, message sent) {
      sent.name = name + what;
      sent.status = status;
      sent.goes_on = goes_on;
      sent.before = before;
      for (const wire over : all_wires)
        for (const cuts& where : {cuts{}, every(9'973, good.size())})
          REQUIRE(trouble(to, over, sent, where) == "");
    };
    message sent{};
    sent.bytes = good + request(how, post_line + " x");
    check("a bad line", 400, false, sent);
    sent.bytes = good + request(how, post_line, xml, content);
    check("a body over the limit", 413, false, sent);
    sent.bytes = good + request(how, "POST /nowhere HTTP/1.1", xml, content.substr(0, 90'000));
    check("an unknown path", 404, true, sent);
  }
}

// --- Requests that do not end --------------------------------------------------------------------

TEST_CASE("a request that ends early is refused, wherever it ends", "[refusals]") {
  place to;
  for (const form& how : forms)
    for (const wire over : {wire::local, wire::local_tls}) {
      const std::string all = request(how);
      Desk& desk = to.at(over).desk;
      const int before = desk.calls;
      for (const std::size_t size : place::is_tls(over) ? boundaries(all) : at_every_byte(all)) {
        if (size == all.size()) continue;
        caller from(to, over);
        from.send(std::string_view(all).substr(0, size), {});
        from.half_close();
        INFO(how.name << ", " << size << " bytes of it");
        REQUIRE(trouble_with(from.read(), 400, false) == "");
        REQUIRE(from.after_the_last() == "");
      }
      REQUIRE(desk.calls == before);
      REQUIRE(trouble_afterwards(to, over) == "");
    }
}

// The bug: an empty line after a request, which some old clients send (RFC 9112, 2.2), was taken
// for the next request, and refused when nothing followed.
TEST_CASE("an empty line after a request is no request", "[refusals]") {
  auto options = small_options();
  options.server.timeouts.header = 500ms;
  options.server.timeouts.idle = 1s;
  place to(options);
  for (const wire over : all_wires)
    for (const bool ends : {true, false}) {
      caller from(to, over);
      from.send(next + "\r\n", {next.size(), next.size() + 1});
      REQUIRE(trouble_with(from.read(), 200, true) == "");
      if (ends) from.half_close();
      CHECK(from.after_the_last() == "");
      caller later(to, over);
      later.send(next + "\r\n" + next, {next.size() + 2});
      REQUIRE(trouble_with(later.read(), 200, true) == "");
      REQUIRE(trouble_with(later.read(), 200, true) == "");
    }
}

TEST_CASE("a request that stops is refused in time, wherever it stops", "[refusals][timeout]") {
  auto options = small_options();
  options.server.timeouts.header = options.server.timeouts.read = 1s;
  place to(options);
  std::list<std::pair<std::string, caller>> stopped;
  for (const form& how : forms)
    for (const wire over : {wire::local, wire::local_tls}) {
      const std::string all = request(how);
      for (const std::size_t cut : boundaries(all)) {
        if (cut == all.size()) continue;
        const std::string name = how.name + ", " + std::to_string(cut) + " bytes of it";
        caller& from = stopped.emplace_back(name, caller(to, over)).second;
        from.send(next + all.substr(0, cut), {});
      }
    }
  for (auto& [name, from] : stopped) {
    INFO(name);
    REQUIRE(trouble_with(from.read(), 200, true) == "");
    REQUIRE(trouble_with(from.read(), 408, false) == "");
    REQUIRE(from.after_the_last() == "");
  }
  for (const wire over : all_wires)
    CHECK(trouble_afterwards(to, over) == "");
}

TEST_CASE("a request that comes too slowly is refused in time", "[refusals][timeout]") {
  auto options = small_options();
  options.server.timeouts.header = options.server.timeouts.request = 1s;
  place to(options);
  for (const wire over : {wire::local, wire::local_tls}) {
    std::list<std::pair<std::string, caller>> slow;
    for (const form& how : forms)
      for (const std::string& all :
           {request(how, post_line, xml + "X-A: " + std::string(600, 'a') + "\r\n"),
            request(how, post_line, xml, noise(1'500))})
        slow.emplace_back(all, caller(to, over));
    std::size_t at = 0;
    for (const auto begun = clock::now(); clock::now() - begun < 1'500ms; ++at) {
      for (auto& [all, from] : slow)
        from.send(all.substr(at, 1), {});
      std::this_thread::sleep_for(5ms);
    }
    for (auto& [all, from] : slow) {
      INFO(all.substr(0, 400));
      REQUIRE(at < all.size());
      REQUIRE(trouble_with(from.read(), 408, false) == "");
      REQUIRE(from.after_the_last() == "");
    }
    CHECK(trouble_afterwards(to, over) == "");
  }
}

// --- Too much at once ----------------------------------------------------------------------------

TEST_CASE("a body without room is refused", "[refusals][overload]") {
  auto options = small_options();
  options.limits.max_body_bytes = 1'000'000;
  options.server.limits.max_buffered_bytes = 100'000;
  place to(options);
  for (const form& how : forms) {
    const std::string all = request(how, post_line, xml, noise(300'000));
    const message sent{"300000 bytes, " + how.name, 503, false, all};
    require_answers_in_parts(to, sent);
  }
}

TEST_CASE("a request without a free thread is refused", "[refusals][overload]") {
  auto options = small_options();
  options.blocking = true;
  options.server.threads = 1;
  options.server.limits.max_queued_requests = 2;
  place to(options);
  for (const wire over : {wire::tcp, wire::tcp_tls}) {
    server& at = to.at(over);
    std::list<caller> served;
    served.emplace_back(to, over).send(post(envelope("Hold")), {});
    REQUIRE(eventually([&] { return at.desk.held == 1; }));
    for (int turn = 0; turn != 2; ++turn)
      served.emplace_back(to, over).send(next, {});
    REQUIRE(eventually([&] { return at.host.statistics().queued == 2; }));
    std::list<std::pair<std::string, caller>> refused;
    for (const form& how : forms)
      for (const bool in_pieces : {false, true}) {
        const std::string all = request(how) + next;
        const std::string name = how.name + (in_pieces ? ", in pieces" : ", whole");
        caller& from = refused.emplace_back(name, caller(to, over)).second;
        REQUIRE(from.send(all, in_pieces ? at_every_byte(all) : cuts{}));
      }
    for (auto& [name, from] : refused) {
      INFO(name << (over == wire::tcp ? ", plain" : ", TLS"));
      REQUIRE(trouble_with(from.read(), 503, false) == "");
      REQUIRE(from.after_the_last() == "");
    }
    at.desk.open();
    for (caller& from : served)
      CHECK(from.read().status == 200);
    CHECK(at.desk.calls == 3);
    CHECK(trouble_afterwards(to, over) == "");
  }
}
