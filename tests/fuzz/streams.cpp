// Streams that are read or made while messages are transferred ([reading] in pieces, [attachments],
// [codec], [envelope], [call], [http], [loop], [calling]). Five bytes, cuts, and a text:
//
//   way      its two low bits, see `way`; 4: SOAP 1.2; 8: in parts (MTOM); 16: packed; two bits for
//            the framing, see `framing` and `play`; 128: it breaks off
//   reader   two bits say how whoever takes a stream ends, see `ending`, six how many items it takes
//   missing  the bytes that a cut body lacks: the square of one more than this
//   what     two bits for the operation of a client; six for the bytes that are asked for at once
//   count    of the cuts, each the size of a piece, see `piece_size`
//
// The marks in the text have the letters of `write_mark`. The first three bytes of the text
// determine the messages of `both`, see `wanted_by`.
//
// Promised: a message in pieces equals the whole message, and the message of a std::vector or a
// soapsvc::binary. Its items are equal, or it is refused, for the same reason if one reader has
// read all of it. Items before a refusal are the first items. An end stays an end, and a refusal
// stays a refusal. A message that breaks off, on its way or at its source, is never taken for
// complete. A method that stops reading, or throws, gets a response. No source outlives its
// response; every connection ends, and another call succeeds.
//
// The corpus began with some eighty inputs by hand: messages of tests/unit/streams_in.cpp and
// attachments.cpp with marks, each way and framing, and missing ends of texts that are otherwise
// complete.
#include "../net.hpp"
#include "served_host.hpp"
#include "vault.hpp"

namespace {

using namespace fuzz;
using soapsvc::detail::descriptor;

// --- The input -----------------------------------------------------------------------------------

enum class way : std::uint8_t {
  in_memory,  ///< the text is a request, to a dispatcher
  to_host,  ///< the same over a socket, to a host
  to_client,  ///< the text is a response, over a socket, to a client
  both  ///< host and client send their own messages
};
enum class framing : std::uint8_t {
  length,
  chunks,  ///< by the cuts, then of some thousand bytes
  until_closed,  ///< of a response; a request is in chunks
  bytes  ///< each byte in its own chunk
};
/// The roles of host and client, by the same bits.
enum class play : std::uint8_t {
  take,  ///< a client takes a stream
  give,  ///< it sends one
  look,  ///< reads the bytes of a response without the library
  look_at_old  ///< the same in HTTP/1.0
};

struct plan {
  way by{};
  framing frame{};
  play game{};
  bool v12 = false, in_parts = false, packed = false, breaks_off = false;
  wish asked;
  std::size_t missing = 0;
  unsigned operation = 0;
  std::string_view cuts, text;

  std::string envelope_ns() const {
    return v12 ? "http://www.w3.org/2003/05/soap-envelope"
               : "http://schemas.xmlsoap.org/soap/envelope/";
  }
  std::string media_type() const { return v12 ? "application/soap+xml" : "text/xml"; }
  std::string content_type() const {
    if (!in_parts) return media_type();
    return "multipart/related; type=\"application/xop+xml\"; start=\"<root@x>\"; "
           "start-info=\"" +
           media_type() + "\"; boundary=B";
  }
};

plan parse(std::string_view input) {
  const auto bits = [&](std::size_t at) { return static_cast<unsigned char>(input[at]); };
  plan made;
  made.by = static_cast<way>(bits(0) & 3U);
  made.v12 = (bits(0) & 4U) != 0;
  made.in_parts = (bits(0) & 8U) != 0;
  made.packed = (bits(0) & 16U) != 0;
  made.frame = static_cast<framing>(bits(0) >> 5U & 3U);
  made.game = static_cast<play>(made.frame);
  made.breaks_off = (bits(0) & 128U) != 0;
  made.asked.end = static_cast<ending>((bits(1) & 3U) % 3);
  const std::size_t most = bits(1) >> 2U;
  made.asked.most = most >= 48 ? no_end : most;
  made.missing = (bits(2) + std::size_t{1}) * (bits(2) + std::size_t{1});
  made.operation = bits(3) & 3U;
  const std::size_t room = bits(3) >> 2U;
  made.asked.room = room == 63 ? 10'000 : 1 + 5 * room;
  made.cuts = input.substr(5, bits(4) % 32U);
  made.text = input.substr(5 + made.cuts.size());
  return made;
}

constexpr std::size_t most_bytes = 200'000;  // of a message

/// Repeats the text, with the number of each copy in place of a #.
std::string numbered(std::string_view text, std::size_t size) {
  std::string all;
  for (int number = 1; !text.empty() && all.size() < size; ++number)
    for (const char c : text)
      c == '#' ? all += std::to_string(number) : all += c;
  return all;
}

std::string base64_of(std::string_view bytes) {
  std::string text;
  soapsvc::binary made;
  made.bytes.assign(bytes.begin(), bytes.end());
  soapsvc::detail::to_text(text, made);
  return text;
}

/// An element of the service, with a name in it.
std::string payload(const std::string& name, const std::string& inside) {
  return '<' + name + " xmlns=\"urn:x/Vault\">" + inside + "</" + name + '>';
}

/// The bytes of a mark.
std::string write_mark(const plan& of, char letter, const std::string& content) {
  const auto result = [&](const std::string& name) {
    return payload(name + "Response", '<' + name + "Result>" + content + "</" + name + "Result>");
  };
  const auto part = [&](const std::string& fields) {
    return "--B\r\n" + fields + "\r\n\r\n" + content + "\r\n";
  };
  switch (letter) {
  case 'e':
    return "<e:Envelope xmlns:e=\"" + of.envelope_ns() + "\"><e:Body>" + content +
           "</e:Body></e:Envelope>";
  case 'u': return payload("PutRows", "<Name>n</Name>" + content);
  case 't': return payload("Turn", "<Name>n</Name>" + content);
  case 'b': return payload("PutBytes", "<Name>n</Name><Content>" + content + "</Content>");
  case 'g': return result("GetRows");
  case 'y': return result("GetBytes");
  case 'a': return payload("GetPageResponse", "<Title>t</Title>" + content);
  case 'r': return "<Row><Id>#</Id><Text>" + content + "</Text></Row>";
  case 'o': return "<Row><Id>1</Id><Note>" + content + "</Note></Row>";
  case 'k': return numbered(content, 1'000);
  case 'm': return numbered(content, of.by == way::to_host ? 70'000 : 30'000);
  case 'h': return numbered(content, 90'000);
  case '6': return base64_of(content);
  case 'i':
    return "<i:Include xmlns:i=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:a@x\"/>";
  case 'x':
    return part(
        "Content-Type: application/xop+xml; type=\"" + of.media_type() +
        "\"\r\nContent-ID: <root@x>");
  case 'p': return part("Content-ID: <a@x>");
  default: return content;
  }
}

std::string message_of(const plan& of) {
  std::string_view text = of.text;
  return expand(text, most_bytes, [&](char letter, const std::string& content) {
    return write_mark(of, letter, content);
  });
}

/// The first piece, by a cut.
std::string_view piece_by(char cut, std::string_view text) {
  return text.substr(0, piece_size(static_cast<unsigned char>(cut) & 63U, text));
}

std::string chunked(const plan& of, std::string_view rest) {
  std::string made;
  std::string_view cuts = of.cuts;
  while (!rest.empty()) {
    std::size_t size = of.frame == framing::bytes ? 1 : 5'000;
    if (of.frame != framing::bytes && !cuts.empty()) {
      size = std::max<std::size_t>(piece_by(cuts.front(), rest).size(), 1);
      cuts.remove_prefix(1);
    }
    made += net::chunk(std::string(rest.substr(0, size)));
    rest.remove_prefix(std::min(size, rest.size()));
  }
  return made + "0\r\n\r\n";
}

/// The bytes of a message after its head; of a message that breaks off, only the bytes that arrive.
std::string framed(const plan& of, std::string head, std::string body) {
  if (of.packed) {
    body = net::gzipped(body);
    head += "Content-Encoding: gzip\r\n";
  }
  if (of.frame == framing::until_closed && of.by == way::to_client)
    head += "Connection: close\r\n\r\n" + body;
  else if (of.frame == framing::length)
    head += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  else
    head += "Transfer-Encoding: chunked\r\n\r\n" + chunked(of, body);
  if (of.breaks_off) head.resize(head.size() - std::min(of.missing, head.size()));
  return head;
}

// --- In memory -----------------------------------------------------------------------------------

/// A source that gives pieces of a text, by the cuts in turn.
class pieces {
public:
  pieces(std::string_view text, std::string_view cuts) : rest_(text), cuts_(cuts) {}

  std::size_t operator()(std::span<char> room) {
    require(!room.empty(), "a source is asked for something");
    require(++asked_ <= most_bytes + 10, "a source is not asked without end");
    const char cut = cuts_[asked_ % cuts_.size()];
    const std::size_t piece = std::max<std::size_t>(piece_by(cut, rest_).size(), 1);
    const std::size_t size = rest_.copy(room.data(), std::min(piece, room.size()));
    rest_.remove_prefix(size);
    return size;
  }

private:
  std::string_view rest_, cuts_;
  std::size_t asked_ = 0;
};

/// The result of a message: the response, and the items that the method got.
struct outcome {
  int status = 0;
  std::string response;
  taken seen;

  bool is_accepted() const { return status == 200; }
  /// Refused for its size, which the ways detect at different places.
  bool is_too_large() const { return status == 413 || contains(response, "_bytes)"); }
  /// Refused for its form or a limit, which a reader of the whole message detects first.
  bool is_unreadable() const {
    return contains(response, "not well-formed") || contains(response, "(limit ");
  }
  /// A part has another name each time, and bytes of a stream are always one.
  bool answers_as(const outcome& other) const {
    return response == other.response || contains(response, "<xop:Include");
  }
  bool has_enough(const wish& asked) const { return seen.begun && seen.count == asked.most; }
};

/// The envelope alone, because the parts around it differ each time. An empty stream is written as
/// two tags, because the first tag was sent before its end is known.
std::string settled(const std::string& response) {
  if (contains(response, "Incident ")) return "incident";
  const std::size_t begin = std::min(response.find("<?xml"), response.size());
  const std::size_t end = response.rfind("Envelope>");
  std::string made = response.substr(begin, end == response.npos ? end : end + 9 - begin);
  for (const std::string name : {"TurnResult", "GetRowsResult", "GetBytesResult"}) {
    const std::string two_tags = '<' + name + "></" + name + '>';
    const std::size_t at = made.find(two_tags);
    if (at != made.npos) made.replace(at, two_tags.size(), '<' + name + " />");
  }
  return made;
}

/// For a request without a stream: more than the host waits for before a stream begins.
constexpr std::size_t most_held = 80'000;

template <class Kind> host_setup options_for() {
  host_setup made = small_options();
  made.limits = {};
  if constexpr (!std::is_same_v<Kind, held>) {
    made.limits.max_body_bytes = most_held;
    made.limits.max_stream_bytes = 130'000;
  }
  made.server.limits.max_buffered_bytes = 8'000'000;
  made.server.limits.max_executor_threads = 3;
  made.on_error = [](const soapsvc::error_report&) {};  // of methods and sources that throw
  return made;
}

template <class Kind> struct world {
  Vault<Kind> vault;
  soapsvc::dispatcher services{options_for<Kind>()};
  world() { services.add(vault); }
};

/// A source that breaks off is an incident, whatever has been sent.
void append_rest(soapsvc::http_response& response, std::size_t most_at_once) {
  try {
    for (bool more = static_cast<bool>(response.next_chunk); more;) {
      const std::size_t before = response.body.size();
      more = response.next_chunk(response.body);
      require(response.body.size() - before < most_at_once, "a response grows by pieces");
    }
  } catch (const std::runtime_error&) {
    response.status = 500;
    response.body = "Incident ";
  }
}

/// Without cuts, as a whole. `text_type` is the Content-Type.
template <class Kind>
outcome ask(
    const std::string& text_type,
    const std::string& body,
    const wish& asked,
    std::string_view cuts = {}) {
  static world<Kind> at;
  const soapsvc::http_header fields[] = {{"Content-Type", text_type}};
  soapsvc::http_request request;
  request.target = "/Vault.asmx";
  request.headers = fields;
  const soapsvc::byte_source rest = pieces(body, cuts);
  if (cuts.empty()) request.body = body;
  if (!cuts.empty()) request.rest_of_body = &rest;
  request.accepts_chunks = !cuts.empty();
  at.vault.begin(asked);
  soapsvc::http_response response = at.services.handle(request);
  append_rest(response, 40'000 + 6 * body.size());  // an item may be as long as the request
  return {response.status, settled(response.body), at.vault.finish()};
}

std::string told(const outcome& one, const outcome& other) {
  const auto say = [](const outcome& of) {
    return std::to_string(of.status) + ' ' + std::to_string(of.seen.rows.size()) + " rows, " +
           std::to_string(of.seen.bytes.size()) + " bytes, " +
           (of.seen.ended ? "ended\n" : "not ended\n") + of.response.substr(0, 1'500);
  };
  return say(one) + "\n---- and\n" + say(other);
}

bool begins_with(const taken& all, const taken& part) {
  return part.rows.size() <= all.rows.size() &&
         std::equal(part.rows.begin(), part.rows.end(), all.rows.begin()) &&
         all.bytes.starts_with(part.bytes);
}

/// In two ways, a message is refused for the same reason, unless one has read more: all parts
/// before the method gets any, the whole message of an unknown operation, or the bytes after those
/// that the method reads.
void check_refused(const plan& of, const outcome& whole, const outcome& cut) {
  if (of.in_parts || whole.is_too_large() || cut.is_too_large()) return;
  const std::string with = told(whole, cut);
  const bool is_nobody = contains(cut.response, "is not an operation");
  if (!whole.seen.begun && (is_nobody || whole.is_unreadable())) return;
  if (contains(cut.response, "no base64")) return;
  require(whole.seen.begun == cut.seen.begun, "called by both ways, or by none", with);
  require(whole.response == cut.response, "refused for the same reason", with);
  require(whole.seen.name == cut.seen.name, "the same row before the stream", with);
  require(whole.seen.rows == cut.seen.rows, "the same items before a refusal", with);
}

/// The same message has the same result in two ways.
void check_same(const plan& of, const wish& asked, const outcome& whole, const outcome& cut) {
  const std::string with = told(whole, cut);
  require(
      begins_with(whole.seen, cut.seen) || begins_with(cut.seen, whole.seen),
      "what is handed out is the same from its beginning",
      with);
  if (!whole.is_accepted()) {
    const bool knows_less = (of.in_parts || cut.seen.rows.empty()) && cut.has_enough(asked);
    require(!cut.is_accepted() || knows_less, "refused by both ways", with);
    return check_refused(of, whole, cut);
  }
  require(cut.is_accepted(), "accepted by both ways", with);
  require(cut.answers_as(whole), "the same answer", with);
  require(whole.seen.name == cut.seen.name, "the same row before the stream", with);
  require(whole.seen.rows == cut.seen.rows, "the same items", with);
  require(whole.seen.bytes == cut.seen.bytes, "the same bytes", with);
  require(whole.seen.ended == cut.seen.ended, "the same end", with);
}

/// True if only a reader of streams may refuse the message: its rows must be in order.
bool must_stand_before(std::string_view why) { return contains(why, "comes too late"); }

/// Without streams, the same message has the same result.
void check_held(const outcome& all, const outcome& whole) {
  const std::string with = told(all, whole);
  if (whole.is_accepted())
    require(begins_with(whole.seen, all.seen), "items are those of the message", with);
  if (!all.is_accepted()) {
    const bool differs = all.is_too_large() || must_stand_before(all.response);
    return require(!whole.is_accepted() || differs, "refused with streams alone", with);
  }
  require(whole.is_accepted(), "accepted with streams alone", with);
  require(all.seen.rows == whole.seen.rows, "the items of the message", with);
  require(all.seen.bytes == whole.seen.bytes, "the bytes of the message", with);
  require(all.answers_as(whole), "the answer of the message", with);
}

/// Checks the response to a method that stopped early. `all` is the result of the same message for
/// a method that reads everything.
void check_wish(const wish& asked, const outcome& all, const outcome& some) {
  const std::string with = told(all, some);
  require(all.seen.begun == some.seen.begun, "called, whatever it does", with);
  if (!all.seen.begun) return;
  require(begins_with(all.seen, some.seen), "what is handed out is the beginning", with);
  const std::size_t most = std::min(asked.most, all.seen.count);
  require(some.seen.count == most, "as many items as are wanted", with);
  if (!all.is_accepted() && asked.most > most)
    return require(all.response == some.response, "refused as for who wants all", with);
  switch (asked.end) {
  case ending::result: return require(some.is_accepted(), "its result", with);
  case ending::fault: return require(contains(some.response, "that is enough"), "its fault", with);
  case ending::incident: return require(some.response == "incident", "its incident", with);
  }
}

void check_in_memory(const plan& of) {
  const std::string type = of.content_type();
  const std::string body = message_of(of);
  const std::string_view cuts = of.cuts.empty() ? std::string_view("\0", 1) : of.cuts;
  const wish everything{no_end, of.asked.room, ending::result};
  const outcome whole = ask<streamed>(type, body, everything);
  const outcome cut = ask<streamed>(type, body, everything, cuts);
  check_same(of, everything, whole, cut);
  check_held(whole, ask<held>(type, body, everything));
  if (of.asked.most == no_end && of.asked.end == ending::result) return;
  check_wish(of.asked, cut, ask<streamed>(type, body, of.asked, cuts));
}

// --- Over a socket -------------------------------------------------------------------------------

struct served {
  Vault<streamed> vault;
  Vault<streamed_plain> plain;
  served_host host{options_for<streamed>(), vault, plain};
};
served& the_host() {
  static served only;
  return only;
}

soapsvc::client_options caller_options(const plan& of, const std::string& socket) {
  soapsvc::client_options made;
  made.ns_base = "urn:x";
  made.version = of.v12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
  made.accept_gzip = made.gzip_requests = of.packed;
  made.unix_path = socket;
  return made;
}

/// After all earlier calls.
void check_goes_on() {
  served_host& host = the_host().host;
  {
    const soapsvc::client_options options = caller_options({}, host.path());
    soapsvc::client<parrot> caller("http://localhost/Parrot.asmx", options);
    require(caller.call(&parrot::say, words{"hi"}) == "hi", "another call is answered");
  }
  wait_for_the_end(host);  // earlier connections, also closed ones, are accepted by now
  require(net::eventually([] { return alive == 0; }), "no source outlives its response");
  host.service.take_said();
}

/// Sends a piece; false: the response has arrived, or the host has closed the connection.
bool send_piece(int fd, std::string_view piece) {
  while (!piece.empty()) {
    pollfd at{fd, POLLIN | POLLOUT, 0};
    const int ready = ::poll(&at, 1, 60'000);
    require(ready != 0, "the host takes what is sent, or answers");
    if (ready < 0) continue;  // the fuzzer's timer
    if ((at.revents & POLLIN) != 0) return false;
    const auto sent = ::send(fd, piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (sent > 0) piece.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Sends up to a response, if that arrives before everything is sent.
void send_by(int fd, std::string_view text, std::string_view cuts) {
  for (const char cut : cuts) {
    const std::string_view piece = piece_by(cut, text);
    if (!send_piece(fd, piece)) return;
    text.remove_prefix(piece.size());
    if (!text.empty()) wait_until_taken(fd);
  }
  send_piece(fd, text);
}

/// Reads up to the end, but at most `most` bytes; in pieces by the cuts at first.
std::string receive(int fd, std::string_view cuts, std::size_t most = no_end) {
  std::string all;
  std::string room(65'536, '\0');
  while (all.size() < most) {
    std::size_t size = room.size();
    if (!cuts.empty()) size = 1 + piece_by(cuts.front(), room).size();
    cuts.remove_prefix(std::min<std::size_t>(1, cuts.size()));
    the_host().host.wait_for_bytes(fd, all);
    const auto got = ::recv(fd, room.data(), std::min(size, room.size()), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    all.append(room.data(), static_cast<std::size_t>(got));
    require(all.size() < 10'000'000, "responses are bounded");
  }
  return all;
}

/// A response, parsed without the library's readers.
struct seen_response {
  int status = 0;
  bool whole = false;
  std::string body;
};

/// True if the chunks end, and nothing follows them.
bool unchunk(std::string_view rest, std::string& to) {
  for (;;) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size, 16);
    const auto digits = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc{} || rest.substr(digits, 2) != "\r\n") return false;
    rest.remove_prefix(digits + 2);
    if (size == 0) return rest == "\r\n";
    to.append(rest.substr(0, size));
    if (rest.size() < size + 2 || rest.substr(size, 2) != "\r\n") return false;
    rest.remove_prefix(size + 2);
  }
}

seen_response look_at(std::string_view bytes) {
  seen_response seen;
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) return seen;
  const std::string_view head = bytes.substr(0, end + 2);
  const std::string_view rest = bytes.substr(end + 4);
  std::from_chars(head.data() + 9, head.data() + 12, seen.status);
  const std::size_t field = head.find("\r\nContent-Length: ");
  if (contains(head, "\r\nTransfer-Encoding: chunked\r\n")) {
    seen.whole = unchunk(rest, seen.body);
    return seen;
  }
  seen.body = rest;
  seen.whole = rest.ends_with("Envelope>");  // or with the connection, in HTTP/1.0
  if (field == head.npos) return seen;
  std::size_t length = 0;
  std::from_chars(head.data() + field + 18, head.data() + head.size(), length);
  seen.whole = rest.size() == length;
  return seen;
}

std::string head_of_request(const plan& of, const std::string& version) {
  return "POST /Vault.asmx HTTP/" + version +
         "\r\nHost: localhost\r\nContent-Type: " + of.content_type() + "\r\n";
}

void check_to_host(const plan& of) {
  const std::string body = message_of(of);
  const std::string sent = framed(of, head_of_request(of, "1.1"), body);
  Vault<streamed>& vault = the_host().vault;
  vault.begin(of.asked);
  seen_response response;
  {
    const descriptor fd = the_host().host.connect();
    send_by(fd.get(), sent, of.cuts);
    // Not only after the whole request: after an early response, the host waits for a silent
    // caller.
    ::shutdown(fd.get(), SHUT_WR);
    response = look_at(receive(fd.get(), {}));
  }
  check_goes_on();
  const outcome got{response.status, settled(response.body), vault.finish()};
  if (!of.breaks_off) {
    require(response.whole, "a whole answer", response.body);
    const bool may_be_too_large = of.packed || body.size() > most_held;
    if (got.status == 413 && may_be_too_large) return;  // in memory nothing bounds it
    return check_same(of, of.asked, ask<streamed>(of.content_type(), body, of.asked), got);
  }
  const outcome all = ask<streamed>(of.content_type(), body, {no_end, of.asked.room});
  require(!got.seen.ended, "what broke off has no end", got.response);
  require(
      !all.is_accepted() || begins_with(all.seen, got.seen),
      "what is handed out is the beginning",
      told(all, got));
  const bool is_right = !got.is_accepted() || got.has_enough(of.asked);
  require(is_right, "what broke off is answered to who has enough alone", got.response);
}

// --- A client ------------------------------------------------------------------------------------

/// Sends a prepared text to each connection, in pieces, and waits until the client closes it.
class teller {
public:
  teller() : folder_("/tmp/soapsvc-fuzz-XXXXXX") {
    require(::mkdtemp(folder_.data()) != nullptr, "a folder for the socket");
    path_ = folder_ + "/s";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, path_.size());
    fd_ = descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    require(
        ::bind(fd_.get(), generic, sizeof address) == 0 && ::listen(fd_.get(), 8) == 0,
        "a socket to listen on");
    thread_ = std::thread([this] { run(); });
  }
  ~teller() {
    ::shutdown(fd_.get(), SHUT_RDWR);
    thread_.join();
    std::filesystem::remove_all(folder_);
  }
  teller(const teller&) = delete;
  teller& operator=(const teller&) = delete;

  const std::string& path() const { return path_; }
  /// Sets the text for the next connection.
  void tell(const std::string& text, std::string_view cuts) {
    const std::lock_guard lock(mutex_);
    text_ = text;
    cuts_ = cuts;
  }

private:
  void run() {
    for (;;) {
      const descriptor peer(::accept(fd_.get(), nullptr, nullptr));
      if (peer.get() < 0 && errno == EINTR) continue;
      if (peer.get() < 0) return;
      serve(peer.get());
    }
  }
  void serve(int peer) {
    read_some(peer);
    const auto [text, cuts] = [this] {
      const std::lock_guard lock(mutex_);
      return std::pair(text_, cuts_);  // copied, because the test may end earlier
    }();
    std::string_view rest = text;
    for (const char cut : cuts) {
      const std::string_view piece = piece_by(cut, rest);
      if (!send(peer, piece)) break;
      rest.remove_prefix(piece.size());
      wait_until_taken(peer);
    }
    send(peer, rest);
    ::shutdown(peer, SHUT_WR);
    while (read_some(peer))
      continue;
  }
  static bool send(int to, std::string_view piece) {
    while (!piece.empty()) {
      const auto sent = ::send(to, piece.data(), piece.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      piece.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  static bool read_some(int from) {
    char bytes[4'096];
    for (;;) {
      const auto got = ::recv(from, bytes, sizeof bytes, 0);
      if (got >= 0 || errno != EINTR) return got > 0;
    }
  }

  std::string folder_, path_;
  descriptor fd_;
  std::mutex mutex_;
  std::string text_, cuts_;
  std::thread thread_;
};

/// The result of a client, or its error.
struct reading {
  taken got;
  std::string why;  ///< empty: nothing went wrong
  bool is_fault = false;
};

template <class Step> reading read_by(Step step) {
  reading made;
  try {
    step(made.got);
  } catch (const soapsvc::remote_fault& refused) {
    made.why = refused.reason();
    made.is_fault = true;
  } catch (const soapsvc::transport_error& wrong) {
    made.why = wrong.what();
  }
  require(made.why.empty() || !made.got.ended, "what fails has no end", made.why);
  return made;
}

template <class Kind>
void read_result(
    soapsvc::client<Vault<Kind>>& caller,
    const Wanted& wanted,
    const plan& of,
    const wish& asked,
    taken& got) {
  switch (of.operation % 3) {
  case 0: return take(caller.call(&Vault<Kind>::get_rows, wanted), asked, got);
  case 1: {
    const Page<Kind> page = caller.call(&Vault<Kind>::get_page, wanted);
    got.name = page.title;
    return take(page.rows, asked, got);
  }
  default: return take(caller.call(&Vault<Kind>::get_bytes, wanted), asked, got);
  }
}

std::string told(const reading& one, const reading& other) {
  const auto say = [](const reading& of) {
    return std::to_string(of.got.rows.size()) + " rows, " + std::to_string(of.got.bytes.size()) +
           " bytes, " + (of.got.ended ? "ended " : "not ended ") + of.why.substr(0, 1'500);
  };
  return say(one) + "\n---- and\n" + say(other);
}

/// A client that reads a part of a response, and a client without streams that gets it at once.
void check_readings(const plan& of, const reading& cut, const reading& whole) {
  const std::string with = told(cut, whole);
  const bool frame_ends = of.frame != framing::until_closed || of.packed;
  if (of.breaks_off && frame_ends)
    require(!cut.got.ended && !whole.got.ended, "what broke off is not whole", with);
  require(cut.is_fault == whole.is_fault, "a fault is one", with);
  require(!cut.is_fault || cut.why == whole.why, "the same fault", with);
  if (whole.got.ended) {
    require(begins_with(whole.got, cut.got), "items are those of the message", with);
    const bool is_right = cut.why.empty() || must_stand_before(cut.why);
    require(is_right, "refused with streams alone", with);
    require(of.asked.most != no_end || !cut.why.empty() || cut.got.ended, "an end", with);
  }
  if (!cut.got.ended) return;
  require(whole.got.ended, "accepted with streams alone", with);
  require(cut.got.name == whole.got.name, "the row of the message", with);
  require(cut.got.rows == whole.got.rows, "the items of the message", with);
  require(cut.got.bytes == whole.got.bytes, "the bytes of the message", with);
}

void check_to_client(const plan& of) {
  static teller server;
  const std::string body = message_of(of);
  const std::string status = contains(body, "Fault>") ? "500 No" : "200 OK";
  const std::string sent =
      framed(of, "HTTP/1.1 " + status + "\r\nContent-Type: " + of.content_type() + "\r\n", body);
  const auto read = [&]<class Kind>(std::type_identity<Kind>, const wish& asked) {
    return read_by([&](taken& got) {
      soapsvc::client<Vault<Kind>> caller(Kind::url, caller_options(of, server.path()));
      read_result(caller, {}, of, asked, got);
    });
  };
  server.tell(sent, of.cuts);
  const reading cut = read(std::type_identity<streamed>{}, of.asked);
  server.tell(sent, {});
  check_readings(of, cut, read(std::type_identity<held>{}, {no_end, of.asked.room}));
}

// --- Host and client -----------------------------------------------------------------------------

Wanted wanted_by(const plan& of) {
  const auto at = [&](std::size_t index) {
    return index < of.text.size() ? static_cast<unsigned char>(of.text[index]) : 0;
  };
  return bounded({at(0) * 3, at(1) * 4, at(2)});
}

std::string request_for(const plan& of, const std::string& name, const Wanted& wanted) {
  const auto row = [](const std::string& tag, int value) {
    return '<' + tag + '>' + std::to_string(value) + "</" + tag + '>';
  };
  const std::string rows =
      row("Count", wanted.count) + row("Size", wanted.size) + row("Fails", wanted.fails);
  return write_mark(of, 'e', payload(name, rows));
}

/// A plain reader reads a host's stream by the cuts, or stops within it.
void check_looked_at(const plan& of, const Wanted& wanted) {
  const char* const names[] = {"GetRows", "GetPage", "GetBytes"};
  const std::string body = request_for(of, names[of.operation % 3], wanted);
  const std::string version = of.game == play::look ? "1.1" : "1.0";
  const std::string request = head_of_request(of, version) +
                              "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  seen_response response;
  {
    const descriptor fd = the_host().host.connect();
    require(send_piece(fd.get(), request), "a short request is taken");
    ::shutdown(fd.get(), SHUT_WR);  // otherwise the host would wait for the end
    response = look_at(receive(fd.get(), of.cuts, of.breaks_off ? of.missing : no_end));
  }
  check_goes_on();
  if (of.breaks_off) return;
  const outcome whole = ask<streamed>(of.content_type(), body, {});
  const outcome got{response.status, settled(response.body), {}};
  if (!whole.is_accepted() && got.is_accepted())
    return require(!response.whole, "what its source broke off is not whole", response.body);
  require(response.whole, "a response has its end", response.body);
  require(
      whole.status == got.status && whole.response == got.response, "the same", told(whole, got));
  const outcome cut = ask<streamed>(of.content_type(), body, {}, std::string_view("\x05", 1));
  require(got.response == cut.response, "the same in memory", told(got, cut));
}

/// A client reads a host's stream, or a part of it.
template <class Kind> void check_taken(const plan& of, const Wanted& wanted) {
  const reading read = read_by([&](taken& got) {
    soapsvc::client<Vault<Kind>> caller(Kind::url, caller_options(of, the_host().host.path()));
    read_result(caller, wanted, of, of.asked, got);
  });
  check_goes_on();
  const taken all = of.operation % 3 == 2 ? bytes_wanted(wanted) : rows_wanted(wanted);
  require(begins_with(all, read.got), "a beginning", read.why);
  require(read.why.empty() || !all.ended, "a stream that does not fail is read", read.why);
  if (read.got.ended)
    require(all.ended && all.rows == read.got.rows && all.bytes == read.got.bytes, "all of it");
  else
    require(!read.why.empty() || read.got.count == of.asked.most, "as much as was wanted");
}

/// A client sends a stream to a method that returns it, or counts it.
template <class Kind> void check_given(const plan& of, const Wanted& wanted, Vault<Kind>& vault) {
  const bool is_rows = (of.operation & 1U) != 0;
  bool failed = false;
  vault.begin(of.asked);
  const reading read = read_by([&](taken& back) {
    soapsvc::client<Vault<Kind>> caller(Kind::url, caller_options(of, the_host().host.path()));
    try {
      if (is_rows)
        take(caller.call(&Vault<Kind>::turn, Rows<Kind>{"n", rows_of(wanted)}), {}, back);
      else
        caller.call(&Vault<Kind>::put_bytes, Bytes<Kind>{"n", bytes_of(wanted)});
    } catch (const std::runtime_error& wrong) {
      failed = std::string_view(wrong.what()) == "the source fails";
      if (!failed) throw;
    }
  });
  check_goes_on();
  const taken got = vault.finish();
  const taken all = is_rows ? rows_wanted(wanted) : bytes_wanted(wanted);
  require(begins_with(all, got), "a beginning arrives", read.why);
  const bool is_all = all.ended && all.rows == got.rows && all.bytes == got.bytes;
  require(!got.ended || is_all, "what has an end is all", read.why);
  require(!failed || !all.ended, "a source fails when it does");
  if (failed || !read.why.empty()) return;
  require(got.begun && (got.ended || got.count == of.asked.most), "what arrived is answered");
  require(!is_rows || read.got.rows == got.rows, "what was sent comes back");
}

template <class Kind> void check_both(const plan& of, Vault<Kind>& vault) {
  const Wanted wanted = wanted_by(of);
  if (of.game == play::take) return check_taken<Kind>(of, wanted);
  if (of.game == play::give) return check_given<Kind>(of, wanted, vault);
  plan plain = of;
  plain.in_parts = false;  // each boundary is different
  check_looked_at(plain, wanted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 6) return 0;
  const plan of = parse(text_of(data, size));
  switch (of.by) {
  case way::in_memory: check_in_memory(of); break;
  case way::to_host: check_to_host(of); break;
  case way::to_client: check_to_client(of); break;
  case way::both:
    if (of.in_parts)
      check_both(of, the_host().vault);
    else
      check_both(of, the_host().plain);
  }
  return 0;
}
