// A soapsvc client and a soapsvc host, with other servers between them:
//   transports serve                  prints `listening on URL`
//   transports call own|curl NAME URL [KEY=VALUE]...
//
// `own` is the client's own HTTP, `curl` the transport of curl_transport.hpp. NAME begins each
// line. The keys: ca, proxy-ca, proxy, user, password, http (2: over TLS by ALPN, direct: without),
// and
//   nonce=SECONDS   calls again after more than the time that the server's nonces live
//   refused=STATUS  a call must be refused with that; with or-lost=1 it may be lost as well
//   unsent=WHY      a call must fail before it is sent: connect, or tls
//   slow=MS         a call takes as long, and must be lost in the meantime
#include <iostream>
#include <map>

#include "curl_transport.hpp"

namespace {

using namespace std::chrono_literals;

struct Words {
  std::string caller, text;
};
struct Caller {
  std::string caller;
};
struct Pause {
  std::string caller;
  std::int32_t milliseconds{};
};
struct Lines {
  soapsvc::stream<std::string> lines;
};
struct Count {
  std::int32_t lines{};
};

/// Counts the requests of each caller.
class Relay {
public:
  std::string echo(const Words& words) {
    note(words.caller);
    return words.text;
  }
  std::int32_t wait(const Pause& pause) {
    note(pause.caller);
    std::this_thread::sleep_for(std::chrono::milliseconds(pause.milliseconds));
    return pause.milliseconds;
  }
  std::int32_t calls(const Caller& of) {
    const std::lock_guard lock(mutex_);
    return calls_[of.caller];
  }
  void refuse() { throw soapsvc::fault(soapsvc::fault_code::client, "refused"); }
  std::int32_t send(const Lines& from) {
    std::int32_t count = 0;
    while (from.lines.next())
      ++count;
    return count;
  }
  soapsvc::stream<std::string> receive(const Count& of) { return lines(of.lines); }
  static soapsvc::stream<std::string> lines(std::int32_t count) {
    return [left = count]() mutable {
      return left-- > 0 ? std::optional(std::string(100, 'x')) : std::nullopt;
    };
  }

private:
  void note(const std::string& caller) {
    const std::lock_guard lock(mutex_);
    ++calls_[caller];
  }
  std::mutex mutex_;
  std::map<std::string, std::int32_t> calls_;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Words> =
    record(field("Caller", &Words::caller), field("Text", &Words::text));
template <>
inline constexpr auto soapsvc::schema<Caller> = record(field("Caller", &Caller::caller));
template <>
inline constexpr auto soapsvc::schema<Pause> =
    record(field("Caller", &Pause::caller), field("Milliseconds", &Pause::milliseconds));
template <> inline constexpr auto soapsvc::schema<Lines> = record(field("Line", &Lines::lines));
template <> inline constexpr auto soapsvc::schema<Count> = record(field("Lines", &Count::lines));
template <>
inline constexpr auto soapsvc::schema<Relay> = service(
    "Relay",
    ns("urn:relay"),
    operation("Echo", &Relay::echo),
    operation("Wait", &Relay::wait, blocking),
    operation("Calls", &Relay::calls),
    operation("Refuse", &Relay::refuse),
    operation("Send", &Relay::send),
    operation("Receive", &Relay::receive));

namespace {

int serve() {
  Relay relay;
  soapsvc::host host;
  host.add(relay);
  std::cout << "listening on http://127.0.0.1:" << host.bind({}) << std::endl;
  host.serve();
  return 0;
}

class caller {
public:
  caller(
      bool is_own,
      std::string name,
      const std::string& url,
      std::map<std::string, std::string> with)
      : name_(std::move(name)), with_(std::move(with)), client_(client_at(is_own, url)) {}

  int run() {
    if (with_.contains("refused"))
      be_refused(std::atoi(with_["refused"].c_str()));
    else if (with_.contains("unsent"))
      not_be_sent(with_["unsent"]);
    else if (with_.contains("slow"))
      be_lost(std::atoi(with_["slow"].c_str()));
    else
      be_served();
    std::cout << passed_ << " passed, " << failed_ << " failed" << std::endl;
    return failed_ == 0 ? 0 : 1;
  }

private:
  soapsvc::client<Relay> client_at(bool is_own, const std::string& url) {
    soapsvc::client_options options;
    options.ca_file = with_["ca"] + with_["proxy-ca"];
    options.proxy = with_["proxy"];
    if (is_own) {
      options.digest = {with_["user"], with_["password"]};
      return {url, options};
    }
    interop::curl_settings settings{.url = url, .options = options};
    if (!with_["user"].empty()) settings.authentication = CURLAUTH_DIGEST;
    settings.user = with_["user"];
    settings.password = with_["password"];
    if (with_["http"] == "2") settings.http_version = CURL_HTTP_VERSION_2TLS;
    if (with_["http"] == "direct") settings.http_version = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    return {interop::curl_transport(settings), options};
  }

  void be_served() {
    attempt("text", [this] { echo(reinterpret_cast<const char*>(u8"Straße <&>")); });
    attempt("20 calls", [this] {
      for (int i = 0; i != 20; ++i)
        echo("hi");
    });
    attempt("3 MB each way", [this] { echo(std::string(3'000'000, 'x')); });
    attempt("a fault", [this] {
      try {
        client_.call(&Relay::refuse);
        throw std::runtime_error("none");
      } catch (const soapsvc::remote_fault& refused) {
        if (refused.reason() != "refused") throw;
      }
    });
    attempt("a stream sent", [this] {
      expect(client_.call(&Relay::send, {Relay::lines(20'000)}), 20'000);
    });
    attempt("a stream received", [this] {
      const auto got = client_.call(&Relay::receive, {20'000});
      std::int32_t count = 0;
      while (got.next())
        ++count;
      expect(count, 20'000);
    });
    attempt("8 threads", [this] { call_from_threads(); });
    if (with_.contains("nonce"))
      attempt("after the nonce's end", [this] {
        for (int i = 0; i != 2; ++i) {
          std::this_thread::sleep_for(std::chrono::seconds(std::atoi(with_["nonce"].c_str())) + 1s);
          echo("late");
        }
      });
    attempt("no call is sent twice", [this] { expect(client_.call(&Relay::calls, {id_}), made_); });
  }
  void call_from_threads() {
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int i = 0; i != 8; ++i)
      threads.emplace_back([&] {
        try {
          for (int call = 0; call != 25; ++call)
            good += client_.call(&Relay::echo, {id_, "hi"}) == "hi";
        } catch (const std::exception& failed) {
          std::cerr << failed.what() << std::endl;
        }
      });
    for (std::thread& each : threads)
      each.join();
    made_ += 200;
    expect(good, 200);
  }
  void be_refused(int status) {
    attempt("refused with " + std::to_string(status), [&] {
      try {
        echo("hi");
        throw std::runtime_error("not refused");
      } catch (const soapsvc::transport_error& failed) {
        const bool is_lost = failed.why() == soapsvc::transport_failure::lost;
        if (failed.http_status() != status && !(is_lost && with_.contains("or-lost"))) throw;
      }
    });
  }
  void not_be_sent(const std::string& why) {
    attempt("not sent", [&] {
      try {
        echo("hi");
        throw std::runtime_error("sent");
      } catch (const soapsvc::transport_error& failed) {
        const bool is_tls = failed.why() == soapsvc::transport_failure::tls;
        if (failed.may_have_arrived() || is_tls != (why == "tls")) throw;
      }
    });
  }
  void be_lost(int milliseconds) {
    attempt("a call that is lost", [&] {
      try {
        client_.call(&Relay::wait, {id_, milliseconds});
        throw std::runtime_error("not lost");
      } catch (const soapsvc::transport_error& failed) {
        if (failed.why() != soapsvc::transport_failure::lost) throw;
      }
    });
  }

  void echo(const std::string& text) {
    ++made_;
    const std::string got = client_.call(&Relay::echo, {id_, text});
    if (got != text) throw std::runtime_error("another text: " + got.substr(0, 100));
  }
  static void expect(std::int32_t got, std::int32_t wanted) {
    if (got != wanted)
      throw std::runtime_error(std::to_string(got) + " and not " + std::to_string(wanted));
  }
  template <class Step> void attempt(const std::string& what, Step step) {
    std::string why;
    try {
      step();
    } catch (const std::exception& wrong) {
      why = std::string(": ") + wrong.what();
    }
    ++(why.empty() ? passed_ : failed_);
    std::cout << (why.empty() ? "ok   " : "FAIL ") << name_ << ", " << what << why << std::endl;
  }

  const std::string name_;
  const std::string id_ = std::to_string(::getpid());  // known to the script
  std::map<std::string, std::string> with_;
  const soapsvc::client<Relay> client_;
  std::int32_t made_ = 0;
  int passed_ = 0, failed_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() == 1 && given[0] == "serve") return serve();
  if (given.size() < 4 || given[0] != "call") return 2;
  std::map<std::string, std::string> with;
  for (std::size_t at = 4; at != given.size(); ++at) {
    const std::size_t sign = given[at].find('=');
    with[given[at].substr(0, sign)] = given[at].substr(sign + 1);
  }
  return caller(given[1] == "own", given[2], given[3], with).run();
}
