// The whole host ([http], [connections], [loop]): requests of several callers, in alternating
// pieces. Three bytes, the steps, and the bytes of the callers, one after the other, separated by
// 1E:
//
//   mode     its three low bits: 5 and 6: TLS 1.2, 7: TLS 1.3, others: none, which is the quickest;
//            8: hardly any memory for unfinished requests
//   manners  two bits for each of four callers, see `manner`
//   count    of the steps; a step is a piece: its two low bits say whose, the others how much, see
//            `piece_size`. The rest is sent in one piece a caller.
//
// The marks in the sent bytes have the letters of `write_mark`.
//
// Promised: each caller gets the same responses as alone with one piece. Each response is complete,
// nothing follows a response that closes, and TLS ends with close_notify. The same calls are
// carried out, and every connection ends. No deadline is reached: a caller ends explicitly.
#include "../net.hpp"
#include "served_host.hpp"

namespace {

using fuzz::require;
using soapsvc::detail::descriptor;

// --- Requests ------------------------------------------------------------------------------------

constexpr std::size_t most_bytes = 100'000;  // of a caller: as much as the kernel buffers
constexpr char next_caller = '\x1e';

std::string repeated(std::string_view text, std::size_t size) {
  std::string all;
  while (!text.empty() && all.size() < size)
    all += text;
  return all;
}

/// The bytes of a mark.
std::string write_mark(char letter, const std::string& content) {
  switch (letter) {
  case 'z': return net::gzipped(content);
  case 'c': return net::chunk(content);
  case 'l':  // ends a head
    return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
  case 'k': return repeated(content, 1'000);
  case 'm': return repeated(content, 40'000);
  case 'p': return "POST /Parrot.asmx HTTP/1.1\r\nHost: localhost\r\n" + content;
  case 's':  // an envelope that is answered with its text
    return "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>"
           "<Say xmlns=\"urn:x/Parrot\"><Text>" +
           content + "</Text></Say></e:Body></e:Envelope>";
  default: return content;
  }
}

/// How a caller ends, and when it reads.
enum class manner : std::uint8_t {
  polite,  ///< closes its sending half, and reads to the end
  lazy,  ///< the same, and reads only after it has sent everything
  rude,  ///< closes without reading
  raw  ///< sends without encryption, also to TLS; reads the response
};

struct plan {
  bool is_tls = false;
  bool is_tls13 = false;
  bool is_tight = false;
  std::array<manner, 4> manners{};
  std::string_view steps;
  std::vector<std::string> streams;
};

plan parse(std::string_view input) {
  plan made;
  made.is_tls = (input[0] & 7) >= 5;
  made.is_tls13 = (input[0] & 7) == 7;
  made.is_tight = (input[0] & 8) != 0;
  for (unsigned index = 0; index != 4; ++index)
    made.manners[index] =
        static_cast<manner>(static_cast<unsigned char>(input[1]) >> (2 * index) & 3U);
  const std::size_t count = static_cast<unsigned char>(input[2]) % 32U;
  made.steps = input.substr(3, count);
  input.remove_prefix(3 + made.steps.size());
  while (made.streams.size() != 4) {
    const std::size_t end = std::min(input.find(next_caller), input.size());
    std::string_view text = input.substr(0, end);
    made.streams.push_back(fuzz::expand(text, most_bytes, write_mark));
    if (end == input.size()) break;
    input.remove_prefix(end + 1);
  }
  return made;
}

// --- The hosts and their callers -----------------------------------------------------------------

fuzz::host_setup options_of(const plan& wanted) {
  static const net::scratch_folder folder;
  fuzz::host_setup made = fuzz::small_options();
  made.limits.max_body_bytes = 50'000;
  made.server.limits.max_requests_per_connection = 20;
  made.server.limits.max_buffered_bytes = wanted.is_tight ? 3'000 : 8'000'000;
  if (!wanted.is_tls) return made;
  if (wanted.is_tight)
    made.server.limits.max_buffered_bytes = 232'000;  // a handshake counts for up to 229,376
  made.server.tls.certificate_file = folder.file("server.pem");
  if (!std::filesystem::exists(made.server.tls.certificate_file))
    net::identity("localhost").write(made.server.tls.certificate_file);
  return made;
}

/// One for each kind, from its first use for as long as the process lives.
fuzz::served_host& host_for(const plan& wanted) {
  static std::array<std::unique_ptr<fuzz::served_host>, 4> made;
  auto& one = made[(wanted.is_tls ? 1U : 0U) + (wanted.is_tight ? 2U : 0U)];
  if (!one) one = std::make_unique<fuzz::served_host>(options_of(wanted));
  return *one;
}

using tls_session = soapsvc::detail::c_object<SSL_SESSION, ::SSL_SESSION_free>;
using tls_connection = soapsvc::detail::c_object<SSL, ::SSL_free>;

/// True if OpenSSL has completed `step`; repeats it after the fuzzer's timer, which interrupts
/// calls.
template <class Step> bool by_tls(SSL* tls, Step step) {
  for (;;) {
    ::ERR_clear_error();
    const int done = step();
    if (done == 1) return true;
    const int why = ::SSL_get_error(tls, done);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return false;
  }
}

/// A connection that resumes the first one's session, which is most of a handshake's work. Null: the
/// host had no memory for it.
tls_connection connect_tls(int fd, bool is_tls13, bool is_tight) {
  static SSL_CTX* const context = ::SSL_CTX_new(::TLS_client_method());
  static std::array<tls_session, 2> sessions;
  tls_connection made(::SSL_new(context));
  ::SSL_set_fd(made.get(), fd);
  ::SSL_set_max_proto_version(made.get(), is_tls13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  tls_session& kept = sessions[is_tls13 ? 1 : 0];
  if (kept.get()) ::SSL_set_session(made.get(), kept.get());
  const bool is_done = by_tls(made.get(), [&] { return ::SSL_connect(made.get()); });
  require(is_done || is_tight, "the host speaks TLS");
  if (!is_done) return {};
  if (!kept.get()) kept = tls_session(::SSL_get1_session(made.get()));
  return made;
}

class caller {
public:
  caller(const plan& of, manner how, std::string_view stream)
      : host_(host_for(of)),
        how_(how),
        is_tight_(of.is_tight),
        rest_(stream),
        fd_(host_.connect()) {
    if (!of.is_tls) return;
    if (how != manner::raw) tls_ = connect_tls(fd_.get(), of.is_tls13, of.is_tight);
    deaf_ = !tls_.get();
    gone_ = deaf_ && how != manner::raw;
  }

  std::string_view rest() const { return rest_; }
  /// True if the same requests must get the same responses.
  bool is_judged() const { return how_ != manner::rude && !deaf_; }

  /// Sends this number of bytes, and waits until the host has them.
  void send(std::size_t size) {
    const std::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(piece.size());
    if (piece.empty() || gone_) return;
    gone_ = !(tls_.get() ? send_tls(piece) : send_plain(piece));
    if (how_ != manner::lazy) fuzz::wait_until_taken(fd_.get());
  }
  /// Sends the rest; true if it then waits for the end.
  bool finish() {
    send(rest_.size());
    if (how_ == manner::rude) {
      if (tls_.get()) ::SSL_set_quiet_shutdown(tls_.get(), 1);
      fd_.reset();
      return false;
    }
    if (tls_.get()) ::SSL_shutdown(tls_.get());
    ::shutdown(fd_.get(), SHUT_WR);
    return true;
  }
  std::string receive_all() {
    std::string all;
    char part[16'384];
    for (;;) {
      std::size_t count = 0;
      if (!tls_.get() || ::SSL_pending(tls_.get()) == 0) host_.wait_for_bytes(fd_.get(), all);
      if (tls_.get()) {
        if (!by_tls(
                tls_.get(), [&] { return ::SSL_read_ex(tls_.get(), part, sizeof part, &count); }))
          break;
      } else {
        const auto got = ::recv(fd_.get(), part, sizeof part, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        count = static_cast<std::size_t>(got);
      }
      all.append(part, count);
      require(all.size() < 40'000'000, "responses are bounded");
    }
    if (tls_.get() && !is_tight_)
      require(
          (::SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0,
          "TLS says that it ends",
          all);
    return all;
  }

private:
  bool send_tls(std::string_view piece) const {
    std::size_t sent = 0;
    return by_tls(
        tls_.get(), [&] { return ::SSL_write_ex(tls_.get(), piece.data(), piece.size(), &sent); });
  }
  bool send_plain(std::string_view piece) const {
    while (!piece.empty()) {
      const auto sent = ::send(fd_.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      piece.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  fuzz::served_host& host_;
  manner how_;
  bool is_tight_;
  bool deaf_ = false;  // has no TLS with a TLS host
  bool gone_ = false;  // the host
  std::string_view rest_;
  descriptor fd_;
  tls_connection tls_;
};

// --- Responses -----------------------------------------------------------------------------------

bool is_whole(std::string_view response) {
  const std::size_t end = response.find("\r\n\r\n");
  if (end == response.npos) return false;
  const std::size_t field = response.find("Content-Length: ");
  if (field > end) return true;
  std::size_t length = 0;
  std::from_chars(response.data() + field + 16, response.data() + end, length);
  return response.size() - end - 4 >= length;
}

/// The responses, each as a text with only the parts that must be equal.
std::vector<std::string> responses_in(
    std::string_view all, const plan& of, std::string_view stream) {
  std::vector<std::string> seen;
  const bool has_head = fuzz::contains(stream, "HEAD");
  // If another response or the end follows at once, this one has no body.
  const auto has_body = [has_head](std::string_view rest) {
    return !has_head || !(rest.empty() || rest.starts_with("HTTP/1.1 "));
  };
  bool closed = false;
  while (!all.empty()) {
    require(!closed, "nothing follows a response that closes", all);
    if (of.is_tight && !is_whole(all)) break;  // a caller that reads too little is dropped
    const fuzz::read_response response = fuzz::take_response(all, has_body);
    if (response.status == 100) continue;  // only a caller that waits gets 100 Continue
    closed = response.closes;
    seen.push_back(response.head + "\n\n" + response.body);
  }
  return seen;
}

/// With little memory, the pieces decide which caller is refused.
void compare(
    const std::vector<std::string>& whole, const std::vector<std::string>& pieces, bool is_tight) {
  const auto told = [&](std::size_t index) {
    const auto one = [&](const auto& of) { return index < of.size() ? of[index] : "none"; };
    return one(whole) + "\n---- in pieces:\n" + one(pieces);
  };
  for (std::size_t index = 0; index != std::max(whole.size(), pieces.size()); ++index) {
    for (const auto* responses : {&whole, &pieces})
      if (is_tight && (index >= responses->size() || (*responses)[index].starts_with("503")))
        return;
    require(index < whole.size() && index < pieces.size(), "as many responses", told(index));
    require(whole[index] == pieces[index], "the same responses", told(index));
  }
}

using all_responses = std::vector<std::vector<std::string>>;

/// Each caller alone, with all its bytes in one piece.
all_responses send_whole(const plan& of) {
  all_responses got;
  for (std::size_t index = 0; index != of.streams.size(); ++index) {
    caller one(of, of.manners[index], of.streams[index]);
    const bool listens = one.finish();
    const std::string all = listens ? one.receive_all() : "";
    got.push_back(
        one.is_judged() ? responses_in(all, of, of.streams[index]) : std::vector<std::string>());
  }
  return got;
}

all_responses send_in_pieces(const plan& of) {
  std::list<caller> callers;
  std::vector<caller*> by_index;
  for (std::size_t index = 0; index != of.streams.size(); ++index)
    by_index.push_back(&callers.emplace_back(of, of.manners[index], of.streams[index]));
  for (const char step : of.steps) {
    const auto bits = static_cast<unsigned char>(step);
    caller& one = *by_index[(bits & 3U) % by_index.size()];
    one.send(fuzz::piece_size(bits >> 2U, one.rest()));
  }
  std::vector<bool> listens;
  for (caller& one : callers)
    listens.push_back(one.finish());
  all_responses got;
  for (std::size_t index = 0; index != of.streams.size(); ++index) {
    caller& one = *by_index[index];
    const std::string all = listens[index] ? one.receive_all() : "";
    got.push_back(
        one.is_judged() ? responses_in(all, of, of.streams[index]) : std::vector<std::string>());
  }
  return got;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const plan of = parse(fuzz::text_of(data, size));
  fuzz::served_host& host = host_for(of);
  const auto carried_out = [&host] {
    fuzz::wait_for_the_end(host);
    std::vector<std::string> said = host.service.take_said();
    std::sort(said.begin(), said.end());
    return said;
  };
  const all_responses whole = send_whole(of);
  const auto said_whole = carried_out();
  const all_responses pieces = send_in_pieces(of);
  const auto said_pieces = carried_out();
  for (std::size_t index = 0; index != whole.size(); ++index)
    compare(whole[index], pieces[index], of.is_tight);
  const auto is_rude = [](manner how) { return how == manner::rude; };
  if (!of.is_tight && std::none_of(of.manners.begin(), of.manners.end(), is_rude))
    require(said_whole == said_pieces, "the same is carried out");
  return 0;
}
