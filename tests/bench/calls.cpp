// calls [SECONDS [PORT]]: many concurrent calls of a host in another process, or of another server
// with the same service at that port. 64 threads over one client, 64 clients with one thread each,
// and a thousand calls of call_async. For comparison, libcurl's multi interface sends the same
// request and checks only the status. Prints calls per second, the time of a call at the 99th
// percentile, and the threads of the calling process. Run by the script of the same name, never by
// tests.
#include <curl/curl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>

#include "soapsvc.hpp"

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

struct Words {
  std::string text;
};
class Parrot {
public:
  std::string say(const Words& words) { return words.text; }
};

}  // namespace

template <> inline constexpr auto soapsvc::schema<Words> = record(field("Text", &Words::text));
template <>
inline constexpr auto soapsvc::schema<Parrot> =
    service("Parrot", ns("urn:parrot"), operation("Say", &Parrot::say));

namespace {

constexpr std::size_t many = 64, under_way = 1'000;
std::chrono::seconds measured{3};
std::string url;

/// The host in another process; its port is sent through a pipe.
pid_t begin_host(int& port) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    Parrot parrot;
    soapsvc::host host;
    host.add(parrot);
    const int bound = host.bind({});
    if (::write(ends[1], &bound, sizeof bound) != sizeof bound) std::_Exit(1);
    host.serve();
    std::_Exit(0);
  }
  ::close(ends[1]);
  if (::read(ends[0], &port, sizeof port) != sizeof port) std::abort();
  ::close(ends[0]);
  return child;
}

long threads_now() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:")) return std::atol(line.c_str() + 8);
  return 0;
}

struct outcome {
  void add(clock::duration took) {
    const std::lock_guard lock(mutex);
    times.push_back(std::chrono::duration<double, std::micro>(took).count());
  }
  void print(const char* name, clock::duration whole) {
    std::sort(times.begin(), times.end());
    const double seconds = std::chrono::duration<double>(whole).count();
    const double p99 = times.empty() ? 0 : times[times.size() * 99 / 100];
    std::printf(
        "%-44s %9.0f calls/s  p99 %8.0f us  %3ld threads\n",
        name,
        static_cast<double>(times.size()) / seconds,
        p99,
        threads);
    std::fflush(stdout);
  }
  std::mutex mutex;
  std::vector<double> times;
  long threads = 0;
};

soapsvc::client<Parrot> new_client() { return {url, {}}; }

/// Threads that call one after the other, each over `client_of(index)`.
template <class ClientOf> void by_threads(const char* name, ClientOf client_of) {
  outcome all;
  const auto begun = clock::now();
  const auto until = begun + measured;
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index != many; ++index)
    threads.emplace_back([&, client = client_of(index)] {
      std::vector<clock::duration> took;
      for (auto at = clock::now(); at < until;) {
        client.call(&Parrot::say, {"Ada"});
        const auto now = clock::now();
        took.push_back(now - at);
        at = now;
      }
      for (const auto each : took)
        all.add(each);
    });
  std::this_thread::sleep_for(measured / 2);
  all.threads = threads_now();
  for (std::thread& each : threads)
    each.join();
  all.print(name, clock::now() - begun);
}

/// Each call that ends begins another one, until the time is over.
class by_handles {
public:
  explicit by_handles(const soapsvc::client<Parrot>& client) : client_(client) {}
  void run() {
    const auto begun = clock::now();
    until_ = begun + measured;
    left_ = under_way;
    for (std::size_t index = 0; index != under_way; ++index)
      begin();
    std::this_thread::sleep_for(measured / 2);
    all_.threads = threads_now();
    while (left_ != 0)
      std::this_thread::sleep_for(1ms);
    all_.print("1,000 calls of call_async under way", clock::now() - begun);
  }

private:
  void begin() {
    const auto at = clock::now();
    client_.call_async(&Parrot::say, {"Ada"}).on_complete([this, at](const auto& done) {
      done.get();
      all_.add(clock::now() - at);
      if (clock::now() < until_)
        begin();
      else
        --left_;
    });
  }
  const soapsvc::client<Parrot>& client_;
  clock::time_point until_{};
  std::atomic<std::size_t> left_{0};
  outcome all_;
};

/// The client's request, for libcurl.
std::pair<std::string, std::vector<std::string>> request_of_client() {
  std::string body;
  std::vector<std::string> headers;
  const soapsvc::client<Parrot> client(
      [&](const soapsvc::http_request& request) -> soapsvc::http_response {
        body = request.body;
        for (const auto& [name, value] : request.headers)
          headers.push_back(std::string(name).append(": ").append(value));
        throw soapsvc::transport_error("nothing is sent");
      },
      {});
  try {
    client.call(&Parrot::say, {"Ada"});
  } catch (const soapsvc::transport_error&) {
  }
  return {body, headers};
}

struct curl_call {
  CURL* easy = ::curl_easy_init();
  clock::time_point at{};
};

void by_curl(const char* name, std::size_t count, long connections) {
  const auto [body, lines] = request_of_client();
  curl_slist* headers = nullptr;
  for (const std::string& line : lines)
    headers = ::curl_slist_append(headers, line.c_str());
  CURLM* const all = ::curl_multi_init();
  ::curl_multi_setopt(all, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
  ::curl_multi_setopt(all, CURLMOPT_MAXCONNECTS, connections);
  std::vector<curl_call> calls(count);
  outcome told;
  const auto begun = clock::now();
  for (curl_call& each : calls) {
    ::curl_easy_setopt(each.easy, CURLOPT_URL, url.c_str());
    ::curl_easy_setopt(each.easy, CURLOPT_HTTPHEADER, headers);
    ::curl_easy_setopt(each.easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    ::curl_easy_setopt(each.easy, CURLOPT_POSTFIELDS, body.c_str());
    ::curl_easy_setopt(each.easy, CURLOPT_PRIVATE, &each);
    ::curl_easy_setopt(
        each.easy, CURLOPT_WRITEFUNCTION, +[](char*, std::size_t, std::size_t size, void*) {
          return size;
        });
    each.at = clock::now();
    ::curl_multi_add_handle(all, each.easy);
  }
  std::size_t left = count;
  while (left != 0) {
    int running = 0, others = 0;
    ::curl_multi_perform(all, &running);
    while (const CURLMsg* const done = ::curl_multi_info_read(all, &others)) {
      CURL* const easy = done->easy_handle;
      curl_call* call = nullptr;
      long status = 0;
      ::curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call);
      ::curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      if (status != 200) std::abort();
      told.add(clock::now() - call->at);
      ::curl_multi_remove_handle(all, easy);
      if (clock::now() >= begun + measured) {
        --left;
        continue;
      }
      call->at = clock::now();
      ::curl_multi_add_handle(all, easy);
    }
    if (left != 0) ::curl_multi_poll(all, nullptr, 0, 10, nullptr);
  }
  told.threads = threads_now();
  told.print(name, clock::now() - begun);
  for (const curl_call& each : calls)
    ::curl_easy_cleanup(each.easy);
  ::curl_multi_cleanup(all);
  ::curl_slist_free_all(headers);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) measured = std::chrono::seconds(std::atol(arguments[1]));
  int port = 0;
  if (count > 2) port = std::atoi(arguments[2]);
  const pid_t host = port == 0 ? begin_host(port) : 0;
  url = "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Parrot.asmx";
  ::curl_global_init(CURL_GLOBAL_DEFAULT);
  for (int round = 0; round != 3; ++round) {
    {
      const auto shared = new_client();
      by_threads("64 threads over one client", [&](std::size_t) { return shared; });
    }
    by_threads("64 threads, a client each", [](std::size_t) { return new_client(); });
    {
      const auto client = new_client();
      by_handles(client).run();
    }
    by_curl("libcurl's multi, 64 calls under way", many, 64);
    by_curl("libcurl's multi, 1,000 over 32 connections", under_way, 32);
  }
  if (host == 0) return 0;
  ::kill(host, SIGTERM);
  ::waitpid(host, nullptr, 0);
}
