// parked [SECONDS]: the host with many connections that wait, slow ones, and the end.
//
// Runs the five scenarios below one after the other, each against a server in a process of its own,
// and prints each result beside its target; ends with status 1 when something is
// missed. Never run by the tests: it takes about two minutes and needs 10,100 file descriptors.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "served.hpp"

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

int misses = 0;

void report(const char* what, double value, const char* unit, double most) {
  const bool good = value <= most;
  misses += good ? 0 : 1;
  std::printf(
      "  %-58s %10.2f %-8s (at most %.2f)%s\n", what, value, unit, most, good ? "" : "  MISSED");
  std::fflush(stdout);
}
void note(const char* what, double value, const char* unit) {
  std::printf("  %-58s %10.2f %s\n", what, value, unit);
  std::fflush(stdout);
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "parked: %s: %s\n", why.c_str(), std::strerror(errno));
  std::exit(2);
}

// --- The server, in a child ----------------------------------------------------------------------

class server_process {
public:
  /// `descriptors`: the limit of the child; 0: as it is.
  explicit server_process(soapsvc::host_options options, rlim_t descriptors = 0) {
    int ends[2];
    if (::pipe(ends) != 0) give_up("pipe");
    std::fflush(stdout);  // or the child writes it again
    pid_ = ::fork();
    if (pid_ < 0) give_up("fork");
    if (pid_ == 0) {
      ::close(ends[0]);
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[1]);
      const rlimit few{descriptors, descriptors};
      if (descriptors != 0) ::setrlimit(RLIMIT_NOFILE, &few);
      options.on_notice = [](std::string_view) { std::fputs("notice\n", stdout); };
      bench::serve(std::move(options));
      std::fflush(stdout);
      std::_Exit(0);
    }
    ::close(ends[1]);
    told_ = ::fdopen(ends[0], "r");
    if (std::fscanf(told_, "%d", &port) != 1) give_up("the server does not start");
  }
  ~server_process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    std::fclose(told_);
  }
  server_process(const server_process&) = delete;
  server_process& operator=(const server_process&) = delete;

  void terminate() const { ::kill(pid_, SIGTERM); }
  /// The exit status after SIGTERM; -1 when it does not end within 30 s.
  int wait() {
    for (int turn = 0; turn != 3'000; ++turn) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
      }
      std::this_thread::sleep_for(10ms);
    }
    return -1;
  }
  /// Lines that the server wrote until it ended.
  int count_notices() const {
    char line[256];
    int count = 0;
    while (std::fgets(line, sizeof line, told_) != nullptr)
      if (std::string_view(line) == "notice\n") ++count;
    return count;
  }
  double resident_kb() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6);
    return 0;
  }

  int port = 0;

private:
  pid_t pid_ = -1;
  FILE* told_ = nullptr;
};

// --- The client: one thread, any number of connections -------------------------------------------

struct call {
  int fd = -1;
  std::string in;
  clock::time_point asked{};
  std::size_t answered = 0;
  int status = 0;
  bool ended = false;
};

int connect_to(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) give_up("socket");
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    give_up("connect");
  return fd;
}

/// A group of connections in an epoll set of their own.
class caller_group {
public:
  caller_group(int port, std::size_t count) : set_(::epoll_create1(EPOLL_CLOEXEC)), calls_(count) {
    for (std::size_t index = 0; index != count; ++index) {
      calls_[index].fd = connect_to(port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = index;
      ::epoll_ctl(set_, EPOLL_CTL_ADD, calls_[index].fd, &event);
    }
  }
  ~caller_group() {
    for (const call& one : calls_)
      ::close(one.fd);
    ::close(set_);
  }
  caller_group(const caller_group&) = delete;
  caller_group& operator=(const caller_group&) = delete;

  std::vector<call>& calls() { return calls_; }

  void ask(call& one, const std::string& request) {
    one.asked = clock::now();
    if (::send(one.fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) one.ended = true;
  }
  /// Reads what has come within `patience`; `done` is called with each connection that has got a
  /// whole response.
  template <class Done> void look(std::chrono::milliseconds patience, Done done) {
    epoll_event events[256];
    const int count = ::epoll_wait(set_, events, 256, static_cast<int>(patience.count()));
    for (int index = 0; index < count; ++index) {
      call& one = calls_[events[index].data.u64];
      char buffer[16'384];
      const ssize_t got = ::recv(one.fd, buffer, sizeof buffer, 0);
      if (got <= 0) {
        one.ended = true;
        ::epoll_ctl(set_, EPOLL_CTL_DEL, one.fd, nullptr);
        continue;
      }
      one.in.append(buffer, static_cast<std::size_t>(got));
      if (!take_response(one)) continue;
      ++one.answered;
      done(one);
    }
  }
  std::size_t answered() const {
    return static_cast<std::size_t>(std::count_if(
        calls_.begin(), calls_.end(), [](const call& one) { return one.answered != 0; }));
  }
  std::size_t ended() const {
    return static_cast<std::size_t>(
        std::count_if(calls_.begin(), calls_.end(), [](const call& one) { return one.ended; }));
  }

private:
  static bool take_response(call& one) {
    const std::size_t end = one.in.find("\r\n\r\n");
    if (end == one.in.npos) return false;
    const std::size_t field = one.in.find("Content-Length: ");
    const std::size_t size = end + 4 + std::strtoul(one.in.c_str() + field + 16, nullptr, 10);
    if (one.in.size() < size) return false;
    one.status = std::atoi(one.in.c_str() + 9);
    one.in.erase(0, size);
    return true;
  }

  int set_;
  std::vector<call> calls_;
};

struct load {
  double rps = 0, p50 = 0, p99 = 0, slowest = 0;
  std::size_t least = 0;  ///< responses of the connection with the fewest
};

/// All connections of the group ask again and again.
load run_at_full_load(
    caller_group& group, const std::string& request, std::chrono::milliseconds how_long) {
  std::vector<double> microseconds;
  const auto begun = clock::now();
  for (call& one : group.calls()) {
    one.answered = 0;
    group.ask(one, request);
  }
  while (clock::now() - begun < how_long)
    group.look(100ms, [&](call& one) {
      microseconds.push_back(
          std::chrono::duration<double, std::micro>(clock::now() - one.asked).count());
      group.ask(one, request);
    });
  load result;
  result.rps = static_cast<double>(microseconds.size()) /
               std::chrono::duration<double>(clock::now() - begun).count();
  result.least = group.calls().front().answered;
  for (const call& one : group.calls())
    result.least = std::min(result.least, one.answered);
  for (int turn = 0; turn != 20; ++turn)
    group.look(10ms, [](call&) {});  // the last responses
  if (microseconds.empty()) return result;
  std::sort(microseconds.begin(), microseconds.end());
  result.p50 = microseconds[microseconds.size() / 2];
  result.p99 = microseconds[microseconds.size() * 99 / 100];
  result.slowest = microseconds.back();
  return result;
}

// --- The scenarios -------------------------------------------------------------------------------

/// Of three runs, the one with the median p99.
load median_run(caller_group& group, const std::string& request, std::chrono::seconds how_long) {
  std::vector<load> runs;
  for (int turn = 0; turn != 3; ++turn)
    runs.push_back(run_at_full_load(group, request, how_long));
  std::sort(runs.begin(), runs.end(), [](const load& a, const load& b) { return a.p99 < b.p99; });
  return runs[1];
}

void open_idle(caller_group& idle, const std::string& request) {
  const auto begun = clock::now();
  for (call& one : idle.calls()) {
    idle.ask(one, request);
    idle.look(0ms, [](call&) {});
  }
  const std::size_t count = idle.calls().size();
  while (idle.answered() < count && clock::now() - begun < 30s)
    idle.look(100ms, [](call&) {});
  note("all answered in", std::chrono::duration<double>(clock::now() - begun).count(), "s");
  report("not answered", static_cast<double>(count - idle.answered()), "", 0);
}

void note_load(const char* name, const load& result) {
  std::printf("  %s\n", name);
  note("  requests/s", result.rps, "");
  note("  p50", result.p50, "us");
  note("  p99", result.p99, "us");
  note("  responses of the connection with the fewest", static_cast<double>(result.least), "");
}

void ten_thousand_idle(std::chrono::seconds how_long) {
  std::printf("1. 10,000 idle connections and 64 active ones, 4 worker threads\n");
  soapsvc::host_options options;
  options.threads = 4;
  options.timeouts.idle = 10min;
  const server_process server(std::move(options));
  const std::string request = bench::post(bench::list_envelope());
  caller_group active(server.port, 64);
  run_at_full_load(active, request, 1s);
  const load alone = median_run(active, request, how_long);
  const double before = server.resident_kb();
  caller_group idle(server.port, 10'000);
  open_idle(idle, request);
  report("resident memory per idle connection", (server.resident_kb() - before) / 10'000, "KB", 12);
  const load beside = median_run(active, request, how_long);
  note_load("64 active alone", alone);
  note_load("64 active beside 10,000 idle", beside);
  report("p99 beside idle ones / alone (median of 3)", beside.p99 / alone.p99, "", 2);
  report("idle connections that were dropped", static_cast<double>(idle.ended()), "", 0);
}

/// The three groups that do not end their requests.
struct slow_groups {
  explicit slow_groups(int port) : mute(port, 200), half(port, 200), slow(port, 200) {}

  void look(std::chrono::milliseconds patience) {
    for (auto* group : {&mute, &half, &slow})
      group->look(patience, [](call&) {});
  }
  void send_byte(const std::string& request, std::size_t at) {
    for (call& one : slow.calls())
      if (!one.ended && at < request.size()) slow.ask(one, request.substr(at, 1));
  }
  void report_open() {
    const auto left = [](const caller_group& group) {
      return static_cast<double>(200 - group.ended());
    };
    report("mute connections still open after their deadline", left(mute), "", 0);
    report("half requests still open after their deadline", left(half), "", 0);
    report("slow senders still open after their deadline", left(slow), "", 0);
  }

  caller_group mute, half, slow;
};

void slow_clients() {
  std::printf("3. 200 slow senders, 200 mute connections, 200 half requests\n");
  soapsvc::host_options options;
  options.threads = 4;
  options.timeouts.header = 6s;
  options.timeouts.idle = 8s;
  const server_process server(std::move(options));
  const std::string request = bench::post(bench::list_envelope());
  slow_groups groups(server.port);
  caller_group ordinary(server.port, 1);
  for (call& one : groups.half.calls())
    groups.half.ask(one, request.substr(0, 80));
  std::vector<double> milliseconds;
  std::size_t sent = 0;
  const auto begun = clock::now();
  while (clock::now() - begun < 12s) {
    if (clock::now() - begun > sent * 1s) groups.send_byte(request, sent++);
    call& one = ordinary.calls().front();
    bool answered = false;
    ordinary.ask(one, request);
    while (!answered && clock::now() - one.asked < 5s)
      ordinary.look(1s, [&](call&) { answered = true; });
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(clock::now() - one.asked).count());
    groups.look(0ms);
    std::this_thread::sleep_for(2ms);
  }
  for (int turn = 0; turn != 30; ++turn)
    groups.look(1ms);
  std::sort(milliseconds.begin(), milliseconds.end());
  note("calls of the ordinary client", static_cast<double>(milliseconds.size()), "");
  report("its p99", milliseconds[milliseconds.size() * 99 / 100], "ms", 50);
  note("its slowest", milliseconds.back(), "ms");
  groups.report_open();
}

void stop_in_flight() {
  std::printf("4. 1,000 requests in flight while SIGTERM comes\n");
  soapsvc::host_options options;
  options.threads = 4;
  server_process server(std::move(options));
  caller_group group(server.port, 1'000);
  const std::string request = bench::post(bench::wait_envelope(5));
  for (call& one : group.calls())
    group.ask(one, request);
  std::this_thread::sleep_for(200ms);
  server.terminate();
  const auto begun = clock::now();
  std::size_t good = 0;
  while (group.ended() < 1'000 && clock::now() - begun < 20s)
    group.look(100ms, [&](call& one) {
      good += one.status == 200 ? 1 : 0;
      ::shutdown(one.fd, SHUT_WR);
    });
  report(
      "requests of 1,000 that were not answered with 200",
      static_cast<double>(1'000 - good),
      "",
      0);
  report("connections that were left open", static_cast<double>(1'000 - group.ended()), "", 0);
  report("exit status", server.wait(), "", 0);
  note("from SIGTERM to the end", std::chrono::duration<double>(clock::now() - begun).count(), "s");
}

/// A key and its own certificate in one PEM file.
void write_certificate(const std::string& file) {
  EVP_PKEY* const key = ::EVP_EC_gen("P-256");
  X509* const made = ::X509_new();
  ::X509_gmtime_adj(::X509_getm_notBefore(made), -3'600);
  ::X509_gmtime_adj(::X509_getm_notAfter(made), 3'600);
  ::X509_set_pubkey(made, key);
  ::X509_sign(made, key, ::EVP_sha256());
  BIO* const out = ::BIO_new_file(file.c_str(), "w");
  ::PEM_write_bio_X509(out, made);
  ::PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  ::BIO_free(out);
  ::X509_free(made);
  ::EVP_PKEY_free(key);
}

/// Sends a request over TLS; whether the status of the response is 200.
bool ask_over_tls(SSL* tls, const std::string& request) {
  if (::SSL_write(tls, request.data(), static_cast<int>(request.size())) <= 0) return false;
  std::string in;
  while (in.find("</soap:Envelope>") == in.npos) {
    char buffer[16'384];
    const int got = ::SSL_read(tls, buffer, sizeof buffer);
    if (got <= 0) return false;
    in.append(buffer, static_cast<std::size_t>(got));
  }
  return in.starts_with("HTTP/1.1 200 ");
}

void idle_over_tls() {
  std::printf("5. 1,000 idle TLS connections\n");
  char file[] = "/tmp/parked-XXXXXX";
  ::close(::mkstemp(file));
  write_certificate(file);
  soapsvc::host_options options;
  options.threads = 4;
  options.tls.certificate_file = file;
  const server_process server(std::move(options));
  SSL_CTX* const context = ::SSL_CTX_new(::TLS_client_method());
  const std::string request = bench::post(bench::list_envelope());
  std::vector<SSL*> connections;
  std::size_t good = 0;
  double before = 0;
  for (int turn = 0; turn != 1'020; ++turn) {
    if (turn == 20) before = server.resident_kb();
    SSL* const tls = connections.emplace_back(::SSL_new(context));
    ::SSL_set_fd(tls, connect_to(server.port));
    good += ::SSL_connect(tls) == 1 && ask_over_tls(tls, request) ? 1 : 0;
  }
  report("connections of 1,020 that were not answered", static_cast<double>(1'020 - good), "", 0);
  note("resident memory per idle connection", (server.resident_kb() - before) / 1'000, "KB");
  const auto begun = clock::now();
  good = 0;
  for (SSL* const tls : connections)
    good += ask_over_tls(tls, request) ? 1 : 0;
  report("that were not answered a second time", static_cast<double>(1'020 - good), "", 0);
  note(
      "a call, one after the other",
      std::chrono::duration<double, std::micro>(clock::now() - begun).count() / 1'020,
      "us");
  for (SSL* const tls : connections) {
    ::close(::SSL_get_fd(tls));
    ::SSL_free(tls);
  }
  ::SSL_CTX_free(context);
  ::unlink(file);
}

void few_descriptors() {
  std::printf("6. 256 file descriptors and 500 clients\n");
  soapsvc::host_options options;
  options.threads = 4;
  server_process server(std::move(options), 256);
  const std::string request = bench::post(bench::list_envelope());
  const auto begun = clock::now();
  {
    caller_group group(server.port, 500);
    for (call& one : group.calls())
      group.ask(one, request);
    std::size_t good = 0;
    std::size_t refused = 0;
    const auto count = [&](const call& one) { ++(one.status == 200 ? good : refused); };
    for (int turn = 0; turn != 300 && good + refused < 500; ++turn)
      group.look(10ms, count);
    note("served", static_cast<double>(good), "");
    note("refused with 503", static_cast<double>(refused), "");
    report(
        "left without response or end",
        static_cast<double>(500 - std::min<std::size_t>(500, good + refused + group.ended())),
        "",
        0);
  }
  std::this_thread::sleep_for(200ms);
  caller_group again(server.port, 100);
  for (call& one : again.calls())
    again.ask(one, request);
  for (int turn = 0; turn != 300 && again.answered() < 100; ++turn)
    again.look(10ms, [](call&) {});
  report("of 100 later clients, not served", static_cast<double>(100 - again.answered()), "", 0);
  const double seconds = std::chrono::duration<double>(clock::now() - begun).count();
  server.terminate();
  report("exit status", server.wait(), "", 0);
  report("notices in the log", server.count_notices(), "", seconds + 1);
}

}  // namespace

int main(int count, char** arguments) {
  rlimit allowed{};
  ::getrlimit(RLIMIT_NOFILE, &allowed);
  allowed.rlim_cur = allowed.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &allowed);
  if (allowed.rlim_cur < 10'200) {
    std::fprintf(
        stderr,
        "parked: 10,200 file descriptors are needed; the limit is %lu\n",
        static_cast<unsigned long>(allowed.rlim_cur));
    return 2;
  }
  const int seconds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 5;
  ten_thousand_idle(std::chrono::seconds(seconds));
  slow_clients();
  stop_in_flight();
  idle_over_tls();
  few_descriptors();
  std::printf("%s\n", misses == 0 ? "all held" : "some were missed");
  return misses == 0 ? 0 : 1;
}
