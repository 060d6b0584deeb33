// HTTP framing ([http]). The first byte says how many of the next bytes are cuts, each the size of
// a piece; the rest are a caller's bytes on one connection.
//
// Promised: the pieces of the bytes do not matter. The reader of [http] finds the same requests,
// and the host, on a Unix domain socket, sends the same valid responses. No byte of one request is
// read as part of another.
#include "served_host.hpp"

namespace {

using namespace soapsvc::detail;
using fuzz::require;

constexpr http_bounds bounds{2'048, 12, 256, 1'024};

// --- The reader alone ----------------------------------------------------------------------------

/// One request as a text that is equal exactly when two readings agree.
std::string facts_of(const http_head& head, std::string_view body) {
  std::string facts;
  facts.append(head.method).append(" ").append(head.target);
  facts += head.is_http10 ? " 1.0" : " 1.1";
  facts += head.keep_alive ? " keep" : " close";
  for (const soapsvc::http_header& field : head.fields)
    facts.append("\n").append(field.name).append(": ").append(field.value);
  return facts.append("\n\n").append(body);
}

/// The properties of every accepted head on which [connections] relies.
void check_head(const http_head& head) {
  require(is_token(head.method) && !head.target.empty(), "a request line has its parts");
  require(head.fields.size() <= bounds.max_header_fields, "fields are bounded");
  require(head.target.size() <= bounds.max_target_bytes, "the target is bounded");
  std::size_t hosts = 0;
  std::size_t lengths = 0;
  for (const soapsvc::http_header& field : head.fields) {
    require(is_token(field.name) && is_field_value(field.value), "a field is one");
    hosts += equal_ignoring_case(field.name, "host");
    lengths += equal_ignoring_case(field.name, "content-length") ||
               equal_ignoring_case(field.name, "transfer-encoding");
  }
  require(hosts <= 1 && (hosts == 1 || head.is_http10), "one Host");
  require(lengths <= 1, "one length");
  require(head.method != "POST" || lengths == 1, "a POST has a length");
}

/// Plays a connection: gives `stream` to the reader as if it came in pieces that end at `cuts`, and
/// returns the requests. Their ends in `stream` go to `ends`.
std::vector<std::string> requests_in(
    std::string_view stream, const std::vector<std::size_t>& cuts, std::vector<std::size_t>& ends) {
  std::vector<std::string> found;
  ends.clear();
  auto request = std::make_unique<incoming>();
  std::size_t taken = 0;  // of the stream
  const auto read_kept = [&] {
    while (!request->empty()) {
      const std::size_t size = request->text().size();
      const auto now = request->read(bounds);
      require(request->text().size() <= size, "bytes are only taken out");
      if (now == http_reader::state::refused) {
        const http_refusal& why = request->refusal();
        require(why.status >= 400 && why.status <= 505, "a refusal has a status");
        require(!why.reason.empty(), "a refusal has a reason");
        found.push_back(
            (request->is_head_method() ? "HEAD refused " : "refused ") +
            std::to_string(why.status));
        return false;
      }
      if (now != http_reader::state::complete) {
        require(
            request->text().size() <= bounds.max_header_bytes + bounds.max_body_bytes + 2'200,
            "bounded");
        return true;
      }
      const http_head& head = request->head();
      check_head(head);
      require(request->body().size() <= bounds.max_body_bytes, "a body is bounded");
      found.push_back(facts_of(head, request->body()));
      const bool keep_alive = head.keep_alive;
      request->next();
      ends.push_back(taken - request->text().size());
      if (!keep_alive) return false;
    }
    return true;
  };
  for (const std::size_t cut : cuts) {
    request = request->take_out();  // the bytes move at each pause, as in the host
    request->append(stream.substr(taken, cut - taken));
    taken = cut;
    if (!read_kept()) return found;
  }
  if (!request->is_fresh())
    found.push_back(request->is_head_method() ? "HEAD unfinished" : "unfinished");
  return found;
}

/// The cuts that the input asks for: ends of pieces, the last one the end of the stream.
std::vector<std::size_t> chosen_cuts(std::string_view sizes, std::size_t size) {
  std::vector<std::size_t> cuts;
  std::size_t at = 0;
  for (const char piece : sizes) {
    at += 1U + static_cast<unsigned char>(piece);
    if (at >= size) break;
    cuts.push_back(at);
  }
  cuts.push_back(size);
  return cuts;
}

void check_reader(std::string_view stream, const std::vector<std::size_t>& cuts) {
  std::vector<std::size_t> ends;
  std::vector<std::size_t> other_ends;
  const auto whole = requests_in(stream, {stream.size()}, ends);
  const auto pieces = requests_in(stream, cuts, other_ends);
  require(whole == pieces, "the same requests in pieces", stream);
  require(ends == other_ends, "which end where they did", stream);
  if (stream.size() <= 512) {
    std::vector<std::size_t> every(stream.size());
    for (std::size_t at = 0; at != every.size(); ++at)
      every[at] = at + 1;
    require(requests_in(stream, every, other_ends) == whole, "the same byte by byte", stream);
  }
  // Each request alone is the same as in the stream: nothing leaks from one into the next.
  std::size_t begin = 0;
  for (std::size_t index = 0; index != ends.size(); ++index) {
    const std::string_view part = stream.substr(begin, ends[index] - begin);
    const auto alone = requests_in(part, {part.size()}, other_ends);
    require(alone.size() == 1 && alone[0] == whole[index], "a request stands alone", part);
    begin = ends[index];
  }
}

// --- The host ------------------------------------------------------------------------------------

/// A host for as long as the process lives.
fuzz::served_host& the_host() {
  static fuzz::served_host only(fuzz::small_options());
  return only;
}

/// Sends the pieces one after the other, each after the host has read the one before. Returns all
/// bytes that the host sent until it closed.
std::string sent_to_host(std::string_view stream, const std::vector<std::size_t>& cuts) {
  const descriptor fd = the_host().connect();
  std::size_t at = 0;
  for (const std::size_t cut : cuts) {
    const std::string_view piece = stream.substr(at, cut - at);
    const auto sent = ::send(fd.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(piece.size())) break;  // it has closed
    at = cut;
    if (cut != stream.size()) fuzz::wait_until_taken(fd.get());
  }
  ::shutdown(fd.get(), SHUT_WR);
  std::string all;
  char part[16'384];
  for (;;) {
    the_host().wait_for_bytes(fd.get(), all);
    const auto count = ::recv(fd.get(), part, sizeof part, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return all;
    all.append(part, static_cast<std::size_t>(count));
    require(all.size() < 1'048'576, "responses are bounded");
  }
}

/// Splits the bytes of one connection into responses. The requests, which the reader has found
/// before, show which are to a HEAD.
std::string responses_in(std::string_view all, const std::vector<std::string>& requests) {
  std::string seen;
  std::size_t index = 0;
  bool closed = false;
  while (!all.empty()) {
    require(!closed, "nothing follows a response that closes", all);
    const bool known = index < requests.size();
    const bool of_head = known && requests[index].starts_with("HEAD ");
    const auto has_body = [of_head](std::string_view) { return !of_head; };
    const fuzz::read_response response = fuzz::take_response(all, has_body);
    if (response.status == 100) continue;  // only a caller that waits gets 100 Continue
    ++index;
    closed = response.closes;
    seen.append(response.head).append("\n\n").append(response.body).append("\n====\n");
    const bool is_complete = known && fuzz::contains(requests[index - 1], "\n\n");
    if (known && !is_complete && fuzz::contains(requests[index - 1], "refused "))
      require(
          requests[index - 1].ends_with("refused " + std::to_string(response.status)),
          "refused with the reader's status",
          response.head);
  }
  // "unfinished" is answered with a 400 too, when there is enough of it to be a request.
  require(index == requests.size(), "a response to each request, and no more", seen);
  return seen;
}

void check_host(std::string_view stream, const std::vector<std::size_t>& cuts) {
  std::vector<std::size_t> ends;
  const auto requests = requests_in(stream, {stream.size()}, ends);
  require(the_host().statistics().connections <= 64, "connections end");
  const std::string whole = responses_in(sent_to_host(stream, {stream.size()}), requests);
  if (cuts.size() == 1) return;
  const std::string pieces = responses_in(sent_to_host(stream, cuts), requests);
  require(whole == pieces, "the same responses in pieces", whole + "---- pieces:\n" + pieces);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view all = fuzz::text_of(data + 1, size - 1);
  const std::string_view sizes = all.substr(0, data[0] % 16U);
  const std::string_view stream = all.substr(sizes.size());
  if (stream.empty()) return 0;
  const auto cuts = chosen_cuts(sizes, stream.size());
  check_reader(stream, cuts);
  check_host(stream, cuts);
  return 0;
}
