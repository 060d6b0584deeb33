// A transport over libcurl, for features that the client's own HTTP does not have: proxies of all
// kinds, Negotiate, NTLM, HTTP/2. It gives the client's guarantees: a request is sent at most once;
// only names in subjectAltName count; header, body, time and memory are bounded, whatever the
// server sends. An example for transports of your own. A program links with -lcurl -lssl -lcrypto.
#pragma once

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>

#include "soapsvc.hpp"

namespace interop {

struct curl_settings {
  std::string url;
  /// Timeouts, bounds, proxy, authorities and certificates; libcurl reads a proxy such as
  /// socks5h://host:port as well.
  soapsvc::client_options options{};
  long authentication = CURLAUTH_NONE;  ///< CURLAUTH_DIGEST, CURLAUTH_NTLM, CURLAUTH_NEGOTIATE
  std::string user{}, password{};
  long http_version = CURL_HTTP_VERSION_1_1;
};

/// While it lives, no write to a closed connection raises SIGPIPE in this thread. OpenSSL writes
/// without MSG_NOSIGNAL, and CURLOPT_NOSIGNAL stops libcurl from ignoring the signal.
class without_sigpipe {
public:
  without_sigpipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~without_sigpipe() {
    const timespec at_once{};
    while (::sigtimedwait(&pipe_, nullptr, &at_once) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  without_sigpipe(const without_sigpipe&) = delete;
  without_sigpipe& operator=(const without_sigpipe&) = delete;

private:
  sigset_t pipe_{}, before_{};
};

/// One request and its response, on a connection of their own. If a kept connection is dead,
/// libcurl sends the request again, although the first one may have arrived. It also does so within
/// one call, over HTTP/2 and after a challenge of NTLM. Then this class refuses the new connection.
class curl_exchange {
public:
  using clock = std::chrono::steady_clock;
  using failure = soapsvc::transport_failure;

  curl_exchange(
      const curl_settings& to,
      const soapsvc::http_request& request,
      const soapsvc::transport_call& call)
      : to_(to), left_(call.timeout), more_(call.next_chunk) {
#if defined(__cpp_lib_jthread)
    stop_ = call.stop;
#endif
    streams_ = call.accepts_chunks;
    if (!easy_ || !multi_) throw std::bad_alloc();
    set_address();
    set_tls();
    set_request(request);
    ::curl_multi_add_handle(multi_.get(), easy_.get());
  }
  ~curl_exchange() {
    const without_sigpipe safe;
    ::curl_multi_remove_handle(multi_.get(), easy_.get());
    easy_.reset();
    multi_.reset();
  }
  curl_exchange(const curl_exchange&) = delete;
  curl_exchange& operator=(const curl_exchange&) = delete;

  /// The response, whose body is whole if no stream is expected.
  soapsvc::http_response begin() {
    drive([this] { return streams_ && in_body_; });
    may_ask_ = false;
    soapsvc::http_response response;
    ::curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status_);
    response.status = static_cast<int>(status_);
    response.content_type = content_type_;
    response.headers = fields_;
    response.body = std::exchange(body_, {});
    return response;
  }
  bool is_over() const { return over_; }
  /// As http_response::next_chunk.
  bool next(std::string& to) {
    const without_sigpipe safe;
    ::curl_easy_pause(easy_.get(), CURLPAUSE_CONT);
    drive([this] { return !body_.empty(); });
    to += std::exchange(body_, {});
    return !over_;
  }

private:
  template <class Value> void set(CURLoption option, Value value) {
    if (::curl_easy_setopt(easy_.get(), option, value) != CURLE_OK)
      refuse("an option cannot be set", failure::address);
  }
  void set_text(CURLoption option, const std::string& text) {
    if (!text.empty()) set(option, text.c_str());
  }
  [[noreturn]] void refuse(const std::string& what, failure why) const {
    throw soapsvc::transport_error(to_.url + ' ' + what, why);
  }

  void set_address() {
    set(CURLOPT_URL, to_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PROXY, to_.options.proxy.c_str());  // empty: not the environment's either
    set_text(CURLOPT_UNIX_SOCKET_PATH, to_.options.unix_path);
    set(CURLOPT_HTTP_VERSION, to_.http_version);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    set(CURLOPT_OPENSOCKETDATA, this);
    set(
        CURLOPT_OPENSOCKETFUNCTION, +[](void* self, curlsocktype, curl_sockaddr* to) {
          auto& own = *static_cast<curl_exchange*>(self);
          own.is_given_up_ = own.is_asked_;
          own.has_proxy_ = false;
          return own.is_asked_ ? CURL_SOCKET_BAD
                               : ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
        });
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    const auto limit = std::min<long long>(to_.options.connect_timeout.count(), 86'400'000);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limit));
    set(CURLOPT_HTTPAUTH, to_.authentication);
    set_text(CURLOPT_USERNAME, to_.user);
    set_text(CURLOPT_PASSWORD, to_.password);
  }
  void set_tls() {
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_SSL_VERIFYPEER, to_.options.verify_certificate ? 1L : 0L);
    set(CURLOPT_SSL_VERIFYHOST, to_.options.verify_certificate ? 2L : 0L);
    set(CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set_text(CURLOPT_CAINFO, to_.options.ca_file);
    set_text(CURLOPT_PROXY_CAINFO, to_.options.ca_file);  // of an https proxy
    set_text(CURLOPT_SSLCERT, to_.options.certificate_file);
    const bool own_key = !to_.options.key_file.empty();
    set_text(CURLOPT_SSLKEY, own_key ? to_.options.key_file : to_.options.certificate_file);
    if (!to_.options.verify_certificate) return;
    set(CURLOPT_SSL_CTX_DATA, this);
    set(
        CURLOPT_SSL_CTX_FUNCTION, +[](CURL*, void* context, void* self) {
          auto& own = *static_cast<curl_exchange*>(self);
          // A connection to an https proxy begins with a handshake of its own.
          const bool is_proxy = own.to_.options.proxy.starts_with("https:") && !own.has_proxy_;
          // With this mode, OpenSSL reads on while records without data come. Without it, libcurl
          // 7.88 takes a pause of TLS within TLS for the end of the connection.
          if (!own.has_proxy_)
            ::SSL_CTX_clear_mode(static_cast<SSL_CTX*>(context), SSL_MODE_AUTO_RETRY);
          own.has_proxy_ = own.has_proxy_ || is_proxy;
          const std::string& url = is_proxy ? own.to_.options.proxy : own.to_.url;
          return expect_host(static_cast<SSL_CTX*>(context), url) ? CURLE_OK
                                                                  : CURLE_SSL_CONNECT_ERROR;
        });
  }
  /// libcurl itself looks at the subject's common name if there is no subjectAltName.
  static bool expect_host(SSL_CTX* context, const std::string& url) {
    const std::unique_ptr<CURLU, void (*)(CURLU*)> parts(::curl_url(), ::curl_url_cleanup);
    char* text = nullptr;
    if (::curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
        ::curl_url_get(parts.get(), CURLUPART_HOST, &text, 0) != CURLUE_OK)
      return false;
    std::string host = text;
    ::curl_free(text);
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    X509_VERIFY_PARAM* const expected = ::SSL_CTX_get0_param(context);
    if (::X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1) return true;
    if (host.ends_with('.')) host.pop_back();
    ::X509_VERIFY_PARAM_set_hostflags(
        expected, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return !host.empty() && !host.starts_with('.') &&
           ::X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size()) == 1;
  }

  void set_request(const soapsvc::http_request& request) {
    set(CURLOPT_ERRORBUFFER, why_.get());
    set(CURLOPT_POST, 1L);
    add_header("Expect:");  // not sent: the client does not wait for 100 Continue
    for (const soapsvc::http_header& each : request.headers)
      add_header(std::string(each.name).append(": ").append(each.value));
    set(CURLOPT_HTTPHEADER, headers_.get());
    out_ = request.body;
    set(CURLOPT_READDATA, this);
    if (more_) {
      add_header("Transfer-Encoding: chunked");
      set(
          CURLOPT_READFUNCTION, +[](char* to, std::size_t, std::size_t size, void* self) {
            return static_cast<curl_exchange*>(self)->supply({to, size});
          });
    } else {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(out_.size()));
      set(CURLOPT_POSTFIELDS, out_.c_str());
    }
    set(CURLOPT_HEADERDATA, this);
    set(
        CURLOPT_HEADERFUNCTION, +[](char* line, std::size_t, std::size_t size, void* self) {
          return static_cast<curl_exchange*>(self)->take_line({line, size}) ? size : 0;
        });
    set(CURLOPT_WRITEDATA, this);
    set(
        CURLOPT_WRITEFUNCTION, +[](char* piece, std::size_t, std::size_t size, void* self) {
          return static_cast<curl_exchange*>(self)->take({piece, size});
        });
    set(CURLOPT_VERBOSE, 1L);  // shows bytes that are neither header nor body: framing
    set(CURLOPT_DEBUGDATA, this);
    set(
        CURLOPT_DEBUGFUNCTION, +[](CURL*, curl_infotype what, char*, std::size_t size, void* self) {
          static_cast<curl_exchange*>(self)->count(what, size);
          return 0;
        });
  }
  void add_header(const std::string& line) {
    curl_slist* const longer = ::curl_slist_append(headers_.get(), line.c_str());
    if (!longer) throw std::bad_alloc();
    static_cast<void>(headers_.release());
    headers_.reset(longer);
  }

  /// The next bytes of a request that streams. The call throws the exceptions of the stream.
  std::size_t supply(std::span<char> to) {
    try {
      if (sent_ == out_.size() && more_goes_on_ && !may_ask_) return CURL_READFUNC_PAUSE;
      while (sent_ == out_.size() && more_goes_on_) {
        out_.clear();
        sent_ = 0;
        more_goes_on_ = more_(out_);
      }
    } catch (...) {
      thrown_ = std::current_exception();
      return CURL_READFUNC_ABORT;
    }
    const std::size_t size = out_.copy(to.data(), to.size(), sent_);
    sent_ += size;
    return size;
  }
  void count(curl_infotype what, std::size_t size) {
    const bool is_in = what == CURLINFO_HEADER_IN || what == CURLINFO_DATA_IN;
    has_greeted_ = has_greeted_ || what == CURLINFO_SSL_DATA_OUT;
    is_asked_ = is_asked_ || what == CURLINFO_HEADER_OUT;
    if (!is_in && what != CURLINFO_HEADER_OUT && what != CURLINFO_DATA_OUT &&
        what != CURLINFO_SSL_DATA_IN)
      return;
    moved_at_ = clock::now();
    if (is_in || what == CURLINFO_SSL_DATA_IN) all_ += size;
  }
  /// Framing is neither header nor body: sizes of chunks, a few bytes each, and their extensions.
  bool has_much_framing() const {
    return all_ > header_bytes_ + 7 * taken_ + to_.options.max_header_bytes + 1'000'000;
  }
  std::size_t most() const {
    return streams_ && is_success() ? to_.options.limits.max_stream_bytes
                                    : to_.options.limits.max_body_bytes;
  }
  bool is_success() const { return status_ / 100 == 2; }

  bool wrong(std::string why) {
    if (wrong_.empty()) wrong_ = std::move(why);
    return false;
  }
  /// Takes a line of a header, also of an interim response, or of trailers. Refuses a header that
  /// two readers could understand differently.
  bool take_line(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > to_.options.max_header_bytes)
      return wrong(
          "answered with a header of more than " + std::to_string(to_.options.max_header_bytes) +
          " bytes");
    while (line.ends_with('\n') || line.ends_with('\r'))
      line.remove_suffix(1);
    if (line.starts_with("HTTP/")) return begin_head(line);
    if (line.empty() || in_body_) return line.empty() ? end_head() : true;
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string name = lower(line.substr(0, colon));
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    while (value.starts_with(' ') || value.starts_with('\t'))
      value.remove_prefix(1);
    if (colon == line.size() || name.empty() || name.find_first_of(" \t") != name.npos ||
        line.find_first_of(std::string_view("\0\r\n", 3)) != line.npos)
      return wrong("answered with a header line that does not have the form \"name: value\"");
    return take_field(name, value);
  }
  bool begin_head(std::string_view line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    status_ = std::atol(std::string(line.substr(space, 4)).c_str());
    is_asked_ = is_asked_ && status_ / 100 == 1;
    is_old_ = line.starts_with("HTTP/1.0");
    has_head_ = false;
    fields_.clear();
    content_type_.clear();
    lengths_ = codings_ = 0;
    return status_ != 101 || wrong("answered with the status 101");
  }
  bool take_field(const std::string& name, std::string_view value) {
    if (name == "content-type") {
      if (!content_type_.empty() && content_type_ != value)
        return wrong("answered with two fields " + name);
      content_type_ = value;
    }
    const bool is_number = value.find_first_not_of("0123456789") == value.npos;
    if (name == "content-length" && (++lengths_ > 1 || value.empty() || !is_number))
      return wrong("answered with a Content-Length that is not a number, or occurs twice");
    if (name == "transfer-encoding" && (++codings_ > 1 || lower(value) != "chunked"))
      return wrong("answered with another Transfer-Encoding than chunked");
    fields_.emplace_back(name, value);
    return true;
  }
  bool end_head() {
    has_head_ = true;
    return codings_ == 0 || (lengths_ == 0 && !is_old_) ||
           wrong("answered in chunks, but also with Content-Length or as HTTP/1.0");
  }
  static std::string lower(std::string_view text) {
    std::string made(text);
    for (char& each : made)
      if (each >= 'A' && each <= 'Z') each = static_cast<char>(each + ('a' - 'A'));
    return made;
  }
  /// A piece of the body.
  std::size_t take(std::string_view piece) {
    in_body_ = true;
    if (streams_ && body_.size() > 262'144) return CURL_WRITEFUNC_PAUSE;
    if (piece.size() > most() - taken_) {
      wrong("answered with more than " + std::to_string(most()) + " bytes");
      return 0;
    }
    taken_ += piece.size();
    body_ += piece;
    return piece.size();
  }

  /// Moves data until `enough` returns true, or the call ends. Only the time in here counts.
  template <class Enough> void drive(Enough enough) {
    const without_sigpipe safe;
    const auto begun = moved_at_ = clock::now();
    while (!over_ && !enough()) {
      int running = 0;
      ::curl_multi_perform(multi_.get(), &running);
      check_message();
      if (over_ || enough()) break;
      check_limits(clock::now() - begun);
      ::curl_multi_poll(multi_.get(), nullptr, 0, 20, nullptr);
    }
    left_ -= clock::now() - begun;
  }
  void check_limits(clock::duration spent) const {
#if defined(__cpp_lib_jthread)
    if (stop_.stop_requested())
      refuse("was not awaited: the call was cancelled", failure::cancelled);
#endif
    const failure late = is_open() ? failure::timeout : failure::connect;
    if (spent > left_) refuse("did not answer within call_timeout", late);
    const auto patience = to_.options.read_timeout;  // 0: no bound
    if (is_open() && patience.count() > 0 &&
        std::chrono::duration<double>(clock::now() - moved_at_) > patience)
      refuse("sent nothing for read_timeout", failure::timeout);
    if (has_much_framing())
      refuse("sent more bytes than the maximum of a response", failure::response);
  }
  /// Whether the request may have left.
  bool is_open() const {
    curl_off_t begun = 0;
    ::curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &begun);
    return begun != 0;
  }
  void check_message() {
    int others = 0;
    const CURLMsg* const told = ::curl_multi_info_read(multi_.get(), &others);
    if (!told) return;
    over_ = true;
    if (thrown_) std::rethrow_exception(thrown_);
    if (!wrong_.empty()) refuse(wrong_, is_open() ? failure::response : why_not_open());
    if (is_given_up_) refuse("ended the connection without a response", failure::lost);
    if (told->data.result != CURLE_OK) refuse_by(told->data.result);
    if (!has_head_) refuse("ended the connection within a response", failure::lost);
  }
  [[noreturn]] void refuse_by(CURLcode code) const {
    const std::string why = why_[0] != 0 ? why_.get() : ::curl_easy_strerror(code);
    const std::string text = "failed: " + why;
    // The same code is for a connection that ends and for chunks that cannot be read.
    const bool has_ended = why.find("Recv failure") != why.npos ||
                           why.find("SSL_read") != why.npos ||
                           why.find("transfer closed") != why.npos;
    if (code == CURLE_RECV_ERROR && is_open() && !has_ended) refuse(text, failure::response);
    switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      if (!is_open()) refuse(text, failure::address);
      refuse("answered without HTTP/1.1", failure::response);
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE: refuse(text, failure::address);
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY: refuse(text, failure::connect);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION: refuse(text, failure::tls);
    case CURLE_OPERATION_TIMEDOUT: refuse(text, is_open() ? failure::timeout : why_not_open());
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FILESIZE_EXCEEDED: refuse(text, failure::response);
    default: refuse(text, is_open() ? failure::lost : why_not_open());
    }
  }
  failure why_not_open() const {
    const bool is_refused = status_ / 100 > 2;  // by a proxy
    return has_greeted_ && !is_refused ? failure::tls : failure::connect;
  }

  template <auto Free> struct freed_by {
    void operator()(auto* at) const noexcept { Free(at); }
  };
  const curl_settings& to_;
  clock::duration left_;
  const std::function<bool(std::string&)>& more_;
#if defined(__cpp_lib_jthread)
  std::stop_token stop_;
#endif
  bool streams_ = false, in_body_ = false, over_ = false, is_old_ = false, has_head_ = false;
  bool has_greeted_ = false;  // in TLS
  bool has_proxy_ = false;  // TLS of its own on this connection
  bool is_asked_ = false;  // without an answer so far
  bool is_given_up_ = false;  // since another connection would send the request again
  bool more_goes_on_ = true, may_ask_ = true;  // while the client waits for the response's head
  long status_ = 0;
  int lengths_ = 0, codings_ = 0;
  std::size_t sent_ = 0, header_bytes_ = 0, taken_ = 0, all_ = 0;
  clock::time_point moved_at_{};
  std::string out_, body_, content_type_, wrong_;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::exception_ptr thrown_;
  const std::unique_ptr<char[]> why_{new char[CURL_ERROR_SIZE]()};
  std::unique_ptr<curl_slist, freed_by<::curl_slist_free_all>> headers_;
  std::unique_ptr<CURLM, freed_by<::curl_multi_cleanup>> multi_{::curl_multi_init()};
  std::unique_ptr<CURL, freed_by<::curl_easy_cleanup>> easy_{::curl_easy_init()};
};

/// Throws transport_error, as the client's own HTTP does. Any number of threads may call over it.
inline soapsvc::piece_transport curl_transport(curl_settings settings) {
  [[maybe_unused]] static const CURLcode once = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  const auto to = std::make_shared<const curl_settings>(std::move(settings));
  return [to](const soapsvc::http_request& request, const soapsvc::transport_call& call) {
    const auto exchange = std::make_shared<curl_exchange>(*to, request, call);
    soapsvc::http_response response = exchange->begin();
    if (!exchange->is_over())
      response.next_chunk = [to, exchange](std::string& next) { return exchange->next(next); };
    return response;
  };
}

}  // namespace interop
