// payroll in operation: options, log, status pages, certificates, signals. Parts run in process if
// that suffices, otherwise in the program that the environment variable PAYROLL names.
#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/ostream_sink.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>

#include "../net.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "example.hpp"
#include "operate/log.hpp"
#include "operate/metrics.hpp"
#include "operate/status.hpp"
#include "payroll.hpp"

using namespace example;

namespace {

using Facts = std::map<std::string, std::string>;

/// Reads one line as a JSON object of strings and numbers (RFC 8259), strictly.
class JsonLine {
public:
  explicit JsonLine(const std::string& text) : text_(text) {}

  Facts read() {
    expect('{');
    do {
      const std::string name = string();
      expect(':');
      const bool fresh = facts_.emplace(name, next() == '"' ? string() : number()).second;
      if (!fresh) fail("a repeated name");
    } while (take(','));
    expect('}');
    if (at_ != text_.size()) fail("more after the object");
    if (soapsvc::detail::find_bad_char(text_) != std::string::npos) fail("bad characters");
    return facts_;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at " + std::to_string(at_) + " of " + text_);
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return next() == c && ++at_ != 0; }
  void expect(char c) {
    if (!take(c)) fail(std::string("no ") + c);
  }
  std::string number() {
    const std::size_t from = at_;
    while (next() >= '0' && next() <= '9')
      ++at_;
    if (from == at_ || (text_[from] == '0' && at_ - from > 1)) fail("no number");
    return text_.substr(from, at_ - from);
  }
  std::string string() {
    expect('"');
    std::string value;
    while (next() != '"') {
      if (at_ == text_.size() || static_cast<unsigned char>(next()) < 0x20) fail("no string");
      value += take('\\') ? escape() : text_[at_++];
    }
    ++at_;
    return value;
  }
  char escape() {
    if (next() != 'u') {
      if (std::string("\"\\/bfnrt").find(next()) == std::string::npos) fail("no escape");
      return text_[at_++];
    }
    const std::string digits = text_.substr(at_ + 1, 4);
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdef") != digits.npos)
      fail("no digits");
    at_ += 5;
    const unsigned long code = std::stoul(digits, nullptr, 16);
    return code < 0x80 ? static_cast<char>(code) : '?';
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Facts facts_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// All lines as JSON, for one event or for all.
std::vector<Facts> json_lines(const std::string& text, const std::string& event = "") {
  std::vector<Facts> read;
  for (const std::string& line : lines_of(text)) {
    Facts facts = JsonLine(line).read();
    if (event.empty() || facts.at("event") == event) read.push_back(std::move(facts));
  }
  return read;
}

/// Values by name and labels; checks the grammar of text format 0.0.4, and that each metric has its
/// HELP and TYPE before it.
Facts read_metrics(const std::string& text) {
  Facts values;
  std::map<std::string, std::string> types;
  REQUIRE((!text.empty() && text.back() == '\n'));
  for (const std::string& line : lines_of(text)) {
    INFO(line);
    std::istringstream in(line);
    std::string first, kind, name, type;
    in >> first;
    if (first == "#") {
      in >> kind >> name >> type;
      REQUIRE((kind == "HELP" || kind == "TYPE"));
      if (kind == "TYPE") REQUIRE(types.emplace(name, type).second);
      continue;
    }
    const std::size_t space = line.rfind(' ');
    const std::size_t brace = line.find('{');
    name = line.substr(0, std::min(brace, space));
    REQUIRE((brace == line.npos || line[space - 1] == '}'));
    for (const char* suffix : {"_bucket", "_sum", "_count"})
      if (name.size() > std::strlen(suffix) && name.ends_with(suffix) && !types.count(name))
        name.resize(name.size() - std::strlen(suffix));
    REQUIRE(types.count(name) == 1);
    REQUIRE_NOTHROW(std::stod(line.substr(space)));
    REQUIRE(values.emplace(line.substr(0, space), line.substr(space + 1)).second);
  }
  return values;
}

/// The lines that a destroyed log has written.
class Lines {
public:
  explicit Lines(LogFormat format, std::size_t queue = 8192) {
    options.format = format;
    options.level = "debug";
    options.queue = queue;
    options.sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(out_);
  }
  std::string text() const { return out_.str(); }

  LogOptions options;

private:
  std::ostringstream out_;
};

/// Texts with which a client could corrupt a line.
std::vector<std::string> nasty_texts() {
  std::string all;
  for (int byte = 0; byte != 256; ++byte)
    all += static_cast<char>(byte);
  return {
      "",
      all,
      "\"}\n{\"event\":\"forged\"}",
      "a\r\nb\x1b[31m\t\x7f",
      "\\\" \\u0000 {} {0} %s %n",
      "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
      "\xc3",
      "\xe2\x82",
      "\xed\xa0\x80 \xf5\x80\x80\x80 \xc0\xaf",
      "\xe2\x80\xa8 line separator",
      "\xc2\x85 next line, \xc2\x9b"
      "31m control sequence",
      std::string(100'000, '"')};
}

/// One of the sample requests for curl, as HTTP bytes.
std::string request(const std::string& service, const std::string& file, const std::string& more) {
  const std::string body = read_file("example/payroll/requests/" + file + ".soap11.xml");
  return "POST /soap/v3/" + service +
         ".asmx HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml; charset=utf-8\r\n" + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string list_request(const std::string& more = "") {
  return request("EmployeeService", "Address_GetListCurrent", more);
}

soapsvc::call_report sample_call() {
  soapsvc::call_report call;
  call.service = "EmployeeService";
  call.operation = "Address_GetListCurrent";
  call.bytes_in = 10;
  call.bytes_out = 100;
  call.handler_time = 3ms;
  return call;
}

/// A sink that blocks until it is released.
class StuckSink : public spdlog::sinks::base_sink<std::mutex> {
public:
  StuckSink(std::ostream& to, std::shared_future<void> gate) : to_(to), gate_(std::move(gate)) {}

private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    gate_.wait();
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    to_.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
  void flush_() override {}

  std::ostream& to_;
  std::shared_future<void> gate_;
};

/// A database that accepts writes, refuses them, or is slow. It counts its probes.
class ProbedStore : public HealthStore {
public:
  void check() override {
    ++probes;
    if (gate.valid()) gate.wait_for(5s);
    if (!good) throw std::runtime_error("disk I/O error in /srv/secret.db");
  }
  std::atomic<int> probes = 0;
  std::atomic<bool> good = true;
  std::shared_future<void> gate;
};

}  // namespace

// --- Log -----------------------------------------------------------------------------------------

TEST_CASE("every line of a JSON log is valid JSON, whatever its text", "[log]") {
  Lines lines(LogFormat::json);
  const auto texts = nasty_texts();
  {
    Log log(lines.options);
    for (const std::string& text : texts) {
      soapsvc::call_report call = sample_call();
      call.service = call.operation = call.peer = call.request_id = call.fault_reason = text;
      log.call(call);
      log.error({text, text, text, text, text, text});
      log.message({text, text, text, text, text, text});
      spdlog::info("{}", text);
    }
  }
  CHECK(json_lines(lines.text()).size() == 4 * texts.size());
  CHECK(json_lines(lines.text(), "forged").empty());
  const auto calls = json_lines(lines.text(), "call");
  CHECK(calls[2].at("peer") == texts[2]);
  CHECK(calls[5].at("peer") == texts[5]);
}

TEST_CASE("a JSON log has no control characters of Unicode and no line separators", "[log]") {
  CHECK(
      json_text(
          "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa") ==
      "\"\\u0080\\u009b\\u009f\xc2\xa0\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\"");
  // A byte that is no character, and a letter with a byte of that range.
  CHECK(json_text("\x9b\xd1\x84") == "\"\\ufffd\xd1\x84\"");
}

TEST_CASE("every line of a text log is one line of ASCII, whatever its text", "[log]") {
  Lines lines(LogFormat::text);
  {
    Log log(lines.options);
    for (const std::string& text : nasty_texts()) {
      log.error({text, text, text, text, text, text});
      spdlog::info("{}", text);
    }
  }
  CHECK(lines_of(lines.text()).size() == 2 * nasty_texts().size());
  for (const char each : lines.text())
    if (each != '\n' && (each < 0x20 || each > 0x7E)) FAIL("a byte that is not ASCII");
}

TEST_CASE("the line of a call has all facts of the call", "[log]") {
  Lines lines(LogFormat::json);
  {
    Log log(lines.options);
    soapsvc::call_report call = sample_call();
    call.version = soapsvc::soap_version::v1_2;
    call.http_status = 400;
    call.fault_code = soapsvc::fault_code::client;
    call.deprecated = true;
    call.decode_time = 1ms;
    call.encode_time = 2ms;
    call.peer = "192.0.2.1";
    call.request_id = "r-1";
    log.call(call);
  }
  Facts facts = json_lines(lines.text()).at(0);
  CHECK(facts["time"].size() == 27);
  facts.erase("time");
  CHECK(
      facts == Facts{
                   {"level", "warning"},
                   {"event", "call"},
                   {"service", "EmployeeService"},
                   {"operation", "Address_GetListCurrent"},
                   {"version", "1.2"},
                   {"status", "400"},
                   {"fault", "client"},
                   {"deprecated", "1"},
                   {"bytes_in", "10"},
                   {"bytes_out", "100"},
                   {"decode_us", "1000"},
                   {"handler_us", "3000"},
                   {"encode_us", "2000"},
                   {"peer", "192.0.2.1"},
                   {"request", "r-1"}});
}

TEST_CASE("similar refusals and faults are combined into one line", "[log]") {
  Lines lines(LogFormat::json, 100'000);
  const auto tell = [](Log& log, int times, const std::string& peer, auto change) {
    for (int count = 0; count != times; ++count) {
      soapsvc::call_report call = sample_call();
      const std::string id = "r-" + std::to_string(count);
      call.peer = peer;
      call.request_id = id;
      change(call);
      log.call(call);
    }
  };
  const auto refuse = [](soapsvc::call_report& call) {
    call.kind = soapsvc::report_kind::refused_request;
    call.service = call.operation = "";
    call.http_status = 413;
    call.fault_reason = "the request body is too long";
  };
  const auto fail = [](soapsvc::call_report& call) {
    call.http_status = 500;
    call.fault_code = soapsvc::fault_code::client;
  };
  std::uint64_t told = 0;
  {
    Log log(lines.options);
    tell(log, 5'000, "192.0.2.1", refuse);
    tell(log, 5'000, "192.0.2.2", fail);
    tell(log, 300, "192.0.2.3", [](auto&) {});
    tell(log, 3, "192.0.2.4", refuse);
    for (int peer = 0; peer != 2'000; ++peer)
      tell(log, 1, "2001:db8::" + std::to_string(peer), refuse);
  }
  std::map<std::string, std::uint64_t> by_peer;
  for (const Facts& line : json_lines(lines.text())) {
    const std::uint64_t count = line.count("count") != 0 ? std::stoull(line.at("count")) : 1;
    told += count;
    if (line.count("peer") != 0) by_peer[line.at("peer")] += count;
  }
  CHECK(told == 12'303);
  CHECK(by_peer["192.0.2.1"] == 5'000);
  CHECK(by_peer["192.0.2.2"] == 5'000);
  CHECK(by_peer["192.0.2.4"] == 3);
  const std::size_t written = lines_of(lines.text()).size();
  CHECK(written >= 300 + 3 + 2 * 11);
  CHECK(written < 2'500);
  const Facts first = json_lines(lines.text(), "refused").at(0);
  CHECK(first.at("kind") == "request");
  CHECK(first.at("status") == "413");
  CHECK(first.at("reason") == "the request body is too long");
  CHECK(first.at("request") == "r-0");
}

TEST_CASE("a count of warnings is a warning", "[log]") {
  const bool made_up = GENERATE(false, true);
  Lines lines(LogFormat::json, 100'000);
  lines.options.level = "warning";
  {
    Log log(lines.options);
    for (int count = 0; count != 1'000; ++count) {
      const std::string peer = made_up ? "2001:db8::" + std::to_string(count) : "192.0.2.1";
      soapsvc::call_report call = sample_call();
      call.peer = peer;
      call.fault_code = soapsvc::fault_code::client;
      call.deprecated = true;
      log.call(call);
    }
  }
  std::uint64_t told = 0;
  for (const Facts& line : json_lines(lines.text())) {
    CHECK(line.at("level") == "warning");
    told += line.count("count") != 0 ? std::stoull(line.at("count")) : 1;
  }
  CHECK(told == 1'000);
}

TEST_CASE("a flood of different refusals has a bounded number of lines", "[log]") {
  Lines lines(LogFormat::json, 100'000);
  {
    Log log(lines.options);
    for (int number = 0; number != 10'000; ++number) {
      soapsvc::call_report call = sample_call();
      const std::string made_up = "no such thing: " + std::to_string(number);
      call.kind = soapsvc::report_kind::refused_request;
      call.fault_reason = made_up;
      log.call(call);
    }
  }
  std::uint64_t told = 0;
  for (const Facts& line : json_lines(lines.text()))
    told += line.count("count") != 0 ? std::stoull(line.at("count")) : 1;
  CHECK(told == 10'000);
  CHECK(json_lines(lines.text(), "others").size() >= 1);
  CHECK(lines_of(lines.text()).size() <= 201 * 4);  // in four seconds at most
}

TEST_CASE("the log writes all that is queued when it ends", "[log]") {
  Lines lines(LogFormat::json);
  {
    Log log(lines.options);
    std::vector<std::thread> threads;
    for (int thread = 0; thread != 4; ++thread)
      threads.emplace_back([&] {
        for (int line = 0; line != 2000; ++line)
          log.call(sample_call());
      });
    for (std::thread& thread : threads)
      thread.join();
  }
  CHECK(json_lines(lines.text(), "call").size() == 8000);
}

TEST_CASE("a log without a reader delays no call, and counts the lost lines", "[log]") {
  std::promise<void> open;
  std::ostringstream out;
  LogOptions options;
  options.queue = 16;
  options.sink = std::make_shared<StuckSink>(out, open.get_future().share());
  {
    Log log(options);
    for (int line = 0; line != 100; ++line)
      spdlog::info("line {}", line);
    CHECK(log.lost() >= 83);
    open.set_value();
  }
  CHECK(out.str().find("line 99\n") != std::string::npos);
  CHECK(lines_of(out.str()).size() <= 17);
}

// --- Metrics and pages ---------------------------------------------------------------------------

TEST_CASE("metrics are text for Prometheus", "[metrics]") {
  Metrics metrics;
  soapsvc::call_report call = sample_call();
  metrics.count(call);
  call.handler_time = 20s;
  call.fault_code = soapsvc::fault_code::client;
  metrics.count(call);
  call.handler_time = 1ms;  // on the bound: within it
  call.fault_code = soapsvc::fault_code::server;
  call.deprecated = true;
  metrics.count(call);
  call.operation = "a\"b\\c\nd";
  metrics.count(call);
  metrics.count_incident();
  soapsvc::call_report refusal;
  refusal.kind = soapsvc::report_kind::handshake;
  refusal.http_status = 0;
  metrics.count(refusal);
  refusal.kind = soapsvc::report_kind::refused_request;
  refusal.http_status = 413;
  metrics.count(refusal);
  metrics.count(refusal);
  Facts values = read_metrics(metrics.text({1, 2, 3, 4, 5, 6}));
  const std::string list = R"({service="EmployeeService",operation="Address_GetListCurrent")";
  for (const char* outcome : {"success", "client_fault", "server_fault"})
    CHECK(values["payroll_requests_total" + list + ",outcome=\"" + outcome + "\"}"] == "1");
  const auto bucket = [&](const std::string& bound) {
    return values["payroll_request_seconds_bucket" + list + ",le=\"" + bound + "\"}"];
  };
  CHECK(bucket("0.001") == "1");
  CHECK(bucket("0.0025") == "1");
  CHECK(bucket("0.005") == "2");
  CHECK(bucket("5") == "2");
  CHECK(bucket("+Inf") == "3");
  CHECK(values["payroll_request_seconds_count" + list + "}"] == "3");
  CHECK(values["payroll_request_seconds_sum" + list + "}"] == "20.004000000");
  CHECK(values["payroll_request_bytes_total" + list + "}"] == "30");
  CHECK(values["payroll_response_bytes_total" + list + "}"] == "300");
  CHECK(values["payroll_deprecated_calls_total" + list + "}"] == "1");
  CHECK(
      values.count(
          R"(payroll_deprecated_calls_total{service="EmployeeService",operation="a\"b\\c\nd"})") ==
      1);
  CHECK(values["payroll_incidents_total"] == "1");
  CHECK(values[R"(payroll_refusals_total{kind="request",status="413"})"] == "2");
  CHECK(values[R"(payroll_refusals_total{kind="handshake",status="0"})"] == "1");
  CHECK(values.count(R"(payroll_requests_total{service="",operation="",outcome="success"})") == 0);
  CHECK(values["payroll_connections_open"] == "1");
  CHECK(values["payroll_connections_parked"] == "2");
  CHECK(values["payroll_queue_length"] == "3");
  CHECK(values["payroll_connections_accepted_total"] == "4");
  CHECK(values["payroll_connections_refused_total"] == "5");
  CHECK(values["payroll_log_lines_lost_total"] == "6");
}

TEST_CASE("readyz says whether writes are possible, without the reason", "[status]") {
  Lines lines(LogFormat::text);
  Metrics metrics;
  ProbedStore good;
  ProbedStore broken;
  broken.good = false;
  Readiness of_good(good);
  Readiness of_broken(broken);
  CHECK(readyz({of_good, metrics, [] { return Gauges{}; }}).status == 200);
  {
    Log log(lines.options);
    const auto response = readyz({of_broken, metrics, [] { return Gauges{}; }});
    CHECK(response.status == 503);
    CHECK(response.body == "not ready: the database cannot be used\n");
  }
  CHECK(lines.text().find("disk I/O error") != std::string::npos);
}

TEST_CASE("readyz caches its result for a second", "[status]") {
  ProbedStore store;
  auto now = std::chrono::steady_clock::time_point{} + 1h;
  Readiness readiness(store, [&] { return now; });
  for (int turn = 0; turn != 1000; ++turn)
    CHECK(readiness.is_ready());
  now += 999ms;
  store.good = false;
  CHECK(readiness.is_ready());
  CHECK(store.probes == 1);
  now += 1ms;
  CHECK_FALSE(readiness.is_ready());
  CHECK(store.probes == 2);
  store.good = true;
  CHECK_FALSE(readiness.is_ready());
  now += 1s;
  CHECK(readiness.is_ready());
  CHECK(store.probes == 3);
}

TEST_CASE("concurrent requests for readyz share one probe", "[status]") {
  ProbedStore store;
  std::promise<void> opens;
  store.gate = opens.get_future().share();
  Readiness readiness(store, [] { return std::chrono::steady_clock::time_point{} + 1h; });
  std::atomic<int> ready = 0;
  std::vector<std::thread> asking;
  for (int thread = 0; thread != 16; ++thread)
    asking.emplace_back([&] { ready += readiness.is_ready() ? 1 : 0; });
  CHECK(net::eventually([&] { return store.probes == 1; }));
  opens.set_value();
  for (std::thread& each : asking)
    each.join();
  CHECK(ready == 16);
  CHECK(store.probes == 1);
}

TEST_CASE("a probe of readyz that hangs blocks only one request", "[status]") {
  ProbedStore store;
  std::promise<void> opens;
  store.gate = opens.get_future().share();
  std::atomic<int> seconds = 0;
  Readiness readiness(store, [&] {
    return std::chrono::steady_clock::time_point{} + 1h + std::chrono::seconds(seconds);
  });
  std::atomic<bool> first_is_ready = false;
  std::thread first([&] { first_is_ready = readiness.is_ready(); });
  CHECK(net::eventually([&] { return store.probes == 1; }));
  seconds = 1;
  for (int turn = 0; turn != 100; ++turn)
    CHECK_FALSE(readiness.is_ready());
  opens.set_value();
  first.join();
  CHECK(first_is_ready);
  CHECK(readiness.is_ready());
  CHECK(store.probes == 1);
}

TEST_CASE("only this machine may read metrics, unless an option says otherwise", "[status]") {
  Metrics metrics;
  ProbedStore store;
  Readiness readiness(store);
  const char* host = "localhost";
  const auto status = [&](const char* peer, const char* field, MetricsFrom from) {
    const std::vector<soapsvc::http_header> headers{{"Host", host}, {field, "x"}};
    soapsvc::http_request request;
    request.peer = peer;
    request.headers = headers;
    return metrics_page({readiness, metrics, [] { return Gauges{}; }, from}, request).status;
  };
  for (const char* peer : {"127.0.0.1", "127.9.9.9", "::1"}) {
    CHECK(status(peer, "Accept", MetricsFrom::loopback) == 200);
    for (const char* field :
         {"x-forwarded-for", "X-Forwarded-Server", "Forwarded", "Via", "X-Real-IP"})
      CHECK(status(peer, field, MetricsFrom::loopback) == 403);
  }
  for (const char* peer : {"192.0.2.1", "unix", "", "2001:db8::1"}) {
    CHECK(status(peer, "Accept", MetricsFrom::loopback) == 403);
    CHECK(status(peer, "Accept", MetricsFrom::any) == 200);
  }
  for (const char* each : {"127.0.0.1:8080", "[::1]:8080", "[::1]", "localhost:1"}) {
    host = each;
    CHECK(status("127.0.0.1", "Accept", MetricsFrom::loopback) == 200);
  }
  for (const char* each : {"evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""}) {
    host = each;
    CHECK(status("127.0.0.1", "Accept", MetricsFrom::loopback) == 403);
    CHECK(status("127.0.0.1", "Accept", MetricsFrom::any) == 200);
  }
}

TEST_CASE("sign-ons never block all workers", "[auth]") {
  for (std::size_t threads = 2; threads != 300; ++threads) {
    const AuthLimits limits = limits_for(threads);
    const std::size_t held = limits.passwords_at_once + 2 * limits.passwords_waiting +
                             limits.turns_waiting + limits.delayed_at_once;
    INFO(threads);
    CHECK(limits.passwords_at_once >= 1);
    CHECK(held + std::max<std::size_t>(1, threads / 5) <= threads);
  }
  CHECK(limits_for(64).passwords_waiting == 16);
  CHECK(limits_for(64).turns_waiting == 16);
  CHECK(limits_for(64).delayed_at_once == 2);
  CHECK(limits_for(256).turns_waiting == 100);
  CHECK(limits_for(1).passwords_at_once == 1);
  CHECK(limits_for(1'000'000).passwords_waiting == 24);
}

// --- The program ---------------------------------------------------------------------------------

TEST_CASE("payroll with few executor threads keeps one free from sign-ons", "[auth][payroll]") {
  for (const char* threads : {"1", "2", "3"}) {
    INFO(threads << " executor threads");
    Server server({"--port", "0", "--threads", "1", "--executor-threads", threads});
    const std::string sign_on = request("SingleSignOn", "GetToken", "");
    net::client first(server.port), second(server.port);
    CHECK(first.ask(sign_on).status == 200);
    if (threads[0] == '1') continue;  // with a single thread, none can be kept free
    // Two at once: the second is refused, and does not wait as the holder of another thread.
    const bool one_is_refused = comes_true([&] {
      first.send(sign_on);
      second.send(sign_on);
      const int one = first.read().status, other = second.read().status;
      CHECK((one == 200 || other == 200));
      return one == 503 || other == 503;
    });
    CHECK(one_is_refused);
    CHECK(first.ask(sign_on).status == 200);
  }
}

TEST_CASE("payroll logs each call and loses no line at SIGTERM", "[payroll]") {
  Server server({"--port", "0", "--log-format", "json", "--log-messages"});
  net::client client(server.port);
  const std::string hostile = "X-Request-Id: \"},{\"a\\\r\nUser-Agent: \"}{\\\"\r\n";
  for (int turn = 0; turn != 500; ++turn)
    CHECK(client.ask(list_request(hostile)).status == 200);
  for (const char* operation : {"GetToken", "GetToken2", "GetTokenWithDomain"})
    CHECK(client.ask(request("SingleSignOn", operation, "")).status == 200);
  CHECK(client.ask(request("SingleSignOn", "WebhookSettings_Get", "")).status == 500);
  CHECK(server.stop() == 0);
  const std::string text = server.err();
  CHECK(json_lines(text, "call").size() == 504);
  CHECK(json_lines(text, "message").size() == 504);
  const Facts first = json_lines(text, "call").at(0);
  CHECK(first.at("request") == "\"},{\"a\\");
  CHECK(first.at("peer") == "127.0.0.1");
  CHECK(json_lines(text, "message").at(0).at("received").find("***") != std::string::npos);
  for (const char* secret : {"correct horse", "api-token-alice"})
    CHECK(text.find(secret) == std::string::npos);
}

TEST_CASE("payroll serves the pages for operators", "[payroll]") {
  Server server({"--port", "0"});
  net::client client(server.port);
  for (int turn = 0; turn != 3; ++turn)
    CHECK(client.ask(list_request()).status == 200);
  CHECK(client.ask(net::get("/healthz")).body == "ok\n");
  CHECK(client.ask(net::get("/readyz")).body == "ready\n");
  const net::response page = client.ask(net::get("/metrics"));
  CHECK(page.field("content-type") == "text/plain; version=0.0.4; charset=utf-8");
  Facts values = read_metrics(page.body);
  CHECK(
      values[R"(payroll_requests_total{service="EmployeeService",)"
             R"(operation="Address_GetListCurrent",outcome="success"})"] == "3");
  CHECK(values["payroll_connections_open"] == "1");
  CHECK(client.ask(net::get("/metrics", "X-Forwarded-For: 192.0.2.1\r\n")).status == 403);
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    const std::string head = "HEAD " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const net::response response = client.send(head).read(false);
    CHECK(response.field("content-length") != "0");
    CHECK(client.ask("DELETE" + head.substr(4)).status == 405);
  }
  CHECK(server.stop() == 0);
}

TEST_CASE("payroll gives operators a listener of their own", "[payroll]") {
  Server server({"--port", "0", "--operator-listen", "127.0.0.1:0"});
  const auto lines = lines_of(server.out());
  REQUIRE(lines.size() == 2);
  const std::string told = "listening on http://127.0.0.1:";
  REQUIRE(lines[1].rfind(told, 0) == 0);
  REQUIRE(lines[1].ends_with(" for operators"));
  const int own = std::stoi(lines[1].substr(told.size()));
  net::client operators(own);
  for (const char* path : {"/healthz", "/readyz", "/metrics"})
    CHECK(operators.ask(net::get(path)).status == 200);
  CHECK(operators.ask(net::get("/metrics", "X-Forwarded-For: 192.0.2.1\r\n")).status == 200);
  CHECK(operators.ask(list_request()).status == 404);
  CHECK(operators.ask(net::get("/")).status == 404);
  net::client callers(server.port);
  CHECK(callers.ask(net::get("/healthz")).status == 200);
  for (const char* path : {"/readyz", "/metrics", "/Metrics"})
    CHECK(callers.ask(net::get(path)).status == 404);
  CHECK(callers.ask(list_request()).status == 200);
  CHECK(server.stop() == 0);
}

TEST_CASE("payroll logs refusals, and a flood of them in few lines", "[payroll]") {
  Server server({"--port", "0", "--log-format", "json"});
  for (int turn = 0; turn != 400; ++turn)
    CHECK(net::ask(server.port, net::post("x", "Content-Encoding: gzip\r\n")).status == 500);
  const net::response page = net::ask(server.port, net::get("/metrics"));
  CHECK(read_metrics(page.body)[R"(payroll_refusals_total{kind="request",status="500"})"] == "400");
  CHECK(server.stop() == 0);
  std::uint64_t told = 0;
  const auto lines = json_lines(server.err(), "refused");
  for (const Facts& line : lines)
    told += line.count("count") != 0 ? std::stoull(line.at("count")) : 1;
  CHECK(told == 400);
  CHECK(lines.size() < 200);
}

TEST_CASE("payroll is not ready while the disk is full, and ready again after", "[payroll]") {
  Server server({"--port", "0"});
  net::client client(server.port);
  const auto becomes = [&](int status) {
    return net::eventually([&] { return client.ask(net::get("/readyz")).status == status; });
  };
  CHECK(client.ask(net::get("/readyz")).status == 200);
  server.fill_disk(true);
  CHECK(becomes(503));
  CHECK(client.ask(list_request()).status == 200);
  CHECK(client.ask(net::get("/healthz")).status == 200);
  server.fill_disk(false);
  CHECK(becomes(200));
  CHECK(server.stop() == 0);
}

TEST_CASE("payroll writes nothing to a file that was removed or replaced", "[payroll]") {
  const Folder folder;
  const std::string file = folder.file("payroll.db"), away = folder.file("away.db");
  Server server({"--port", "0", "--db", file});
  net::client client(server.port);
  const auto becomes = [&](int status) {
    return net::eventually([&] { return client.ask(net::get("/readyz")).status == status; });
  };
  CHECK(becomes(200));
  std::filesystem::rename(file, away);
  CHECK(becomes(503));
  CHECK(client.ask(list_request()).status == 200);
  std::filesystem::copy_file(away, file);  // another file with this name
  CHECK(client.ask(net::get("/readyz")).status == 503);
  std::filesystem::rename(away, file);
  CHECK(becomes(200));
  CHECK(server.stop() == 0);
  CHECK(server.says("was removed or replaced"));
}

TEST_CASE("a line that a full disk cuts off does not corrupt later lines", "[payroll]") {
  Server server({"--port", "0", "--log-format", "json"});
  net::client client(server.port);
  const auto call = [&](const std::string& id) {
    CHECK(client.ask(list_request("X-Request-Id: " + id + "\r\n")).status == 200);
  };
  call("before");
  CHECK(server.says("before"));
  server.fill_disk(true, server.err().size() + 20);
  call("lost");
  const auto lost = [&] {
    return read_metrics(client.ask(net::get("/metrics")).body)["payroll_log_lines_lost_total"];
  };
  CHECK(net::eventually([&] { return lost() != "0"; }));
  server.fill_disk(false);
  call("after");
  CHECK(server.says("after"));
  CHECK(server.stop() == 0);
  bool is_whole = false;
  int notes = 0;
  for (const std::string& line : lines_of(server.err())) {
    if (line.find("\"after\"") != line.npos)
      is_whole = JsonLine(line).read().at("request") == "after" && notes == 1;
    if (line.find("of the log were lost") == line.npos) continue;
    CHECK_NOTHROW(JsonLine(line).read());  // it is not appended to the line that was cut off
    ++notes;
  }
  CHECK(is_whole);  // after the line that says how many are missing
  CHECK(notes == 1);
}

TEST_CASE("inserts that wait for another process's lock hold up no read", "[payroll]") {
  Folder folder;
  // A longer timeout than the slowest machine needs: no insert may fail.
  Server server(
      {"--port", "0", "--db", folder.file("a.db"), "--db-timeout", "60", "--queue-timeout", "60"});
  const std::string insert = request("EmployeeService", "Address_InsertCurrent", "");
  SQLite::Database other(folder.file("a.db"), SQLite::OPEN_READWRITE);
  other.exec("BEGIN EXCLUSIVE");
  std::vector<net::client> inserting;
  for (int count = 0; count != 300; ++count)
    inserting.emplace_back(server.port).send(insert);
  const auto waiting = [&] {
    const net::response page = net::ask(server.port, net::get("/metrics"));
    return std::stoi(read_metrics(page.body)["payroll_queue_length"]);
  };
  // 256 threads, of which a quarter at most are kept for workers, have an insert each.
  CHECK(net::eventually([&] { return waiting() >= 44 && waiting() <= 108; }, 30s));
  for (int count = 0; count != 20; ++count)
    CHECK(net::ask(server.port, list_request()).status == 200);
  for (net::client& each : inserting)
    CHECK(each.is_quiet(0ms));  // none was refused, and none has waited for long
  other.exec("ROLLBACK");
  for (net::client& each : inserting)
    CHECK(each.read().status == 200);
  CHECK(server.stop() == 0);
}

TEST_CASE("payroll speaks TLS, and reads its certificate again at SIGHUP", "[payroll]") {
  Folder folder;
  const std::string file = folder.file("cert.pem");
  const net::identity first("first");
  const net::identity second("second");
  first.write(file);
  Server server({"--port", "0", "--certificate", file});
  CHECK(server.out().rfind("listening on https://127.0.0.1:", 0) == 0);
  net::tls_client kept(server.port);
  CHECK(kept.ask(list_request()).status == 200);
  CHECK(kept.serial() == first.serial());

  second.write(file);
  server.signal(SIGHUP);
  REQUIRE(server.says("SIGHUP: new connections use"));
  CHECK(net::tls_client(server.port).serial() == second.serial());
  CHECK(kept.ask(list_request()).status == 200);

  std::ofstream(file) << "rubbish";
  server.signal(SIGHUP);
  REQUIRE(server.says("the old certificate stays in use"));
  CHECK(net::tls_client(server.port).serial() == second.serial());
  CHECK(kept.ask(list_request()).status == 200);
  CHECK(server.stop() == 0);
}

TEST_CASE("payroll requests client certificates", "[payroll]") {
  Folder folder;
  const net::identity authority("authority");
  const net::identity client("client", &authority);
  authority.write(folder.file("ca.pem"));
  net::identity("server").write(folder.file("cert.pem"));
  Server server(
      {"--port",
       "0",
       "--certificate",
       folder.file("cert.pem"),
       "--key",
       folder.file("cert.pem"),
       "--client-ca",
       folder.file("ca.pem")});
  CHECK(net::tls_client(server.port, &client).ask(list_request()).status == 200);
  CHECK_THROWS(net::tls_client(server.port, nullptr, TLS1_2_VERSION));
  CHECK(server.stop() == 0);
}

TEST_CASE("payroll listens on a Unix socket, instead of a port or beside it", "[payroll]") {
  Folder folder;
  const std::string path = folder.file("socket");
  {
    Server server({"--unix", path, "--auth", "token"});
    CHECK(server.out() == "listening on unix:" + path + "\n");
    CHECK(net::client(path).ask(list_request()).status == 200);
    const auto metrics = net::client(path).ask(net::get("/metrics"));
    CHECK(metrics.status == 403);  // the address of a caller on a socket is unknown
    CHECK(count_of(metrics.body, "--metrics-from any or --operator-listen") == 1);
    struct stat facts {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0660);
    CHECK(server.stop() == 0);
  }
  Server server(
      {"--unix",
       path,
       "--unix-mode",
       "600",
       "--trusted-proxy",
       "unix",
       "--auth",
       "domain",
       "--port",
       "0"});
  CHECK(lines_of(server.out()).size() == 2);
  CHECK(net::client(path).ask(list_request("X-Forwarded-For: 192.0.2.9\r\n")).status == 200);
  CHECK(server.says("peer=192.0.2.9 "));
  CHECK(net::client(server.port).ask(list_request()).status == 200);
  struct stat facts {};
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  CHECK(server.stop() == 0);
}

TEST_CASE("payroll trusts a proxy in any notation of its address", "[payroll]") {
  Server server({"--port", "0", "--auth", "token", "--trusted-proxy", "::FFFF:127.0.0.1"});
  CHECK(net::client(server.port).ask(list_request("X-Forwarded-For: 192.0.2.9\r\n")).status == 200);
  CHECK(server.says("peer=192.0.2.9 "));
  CHECK(server.stop() == 0);
}

TEST_CASE("payroll with a Unix socket shows its metrics as the options say", "[payroll]") {
  Folder folder;
  const std::string path = folder.file("socket");
  {
    Server server({"--unix", path, "--auth", "token", "--metrics-from", "any"});
    const auto metrics = net::client(path).ask(net::get("/metrics"));
    CHECK(metrics.status == 200);
    CHECK_FALSE(read_metrics(metrics.body).empty());
    CHECK(server.stop() == 0);
  }
  Server server({"--unix", path, "--auth", "token", "--operator-listen", "127.0.0.1:0"});
  CHECK(net::client(path).ask(net::get("/metrics")).status == 404);
  CHECK(net::client(server.port).ask(net::get("/metrics")).status == 200);
  CHECK(server.stop() == 0);
}

TEST_CASE("SIGHUP stops nothing, and a second SIGTERM ends at once", "[payroll]") {
  Server server({"--port", "0"});
  server.signal(SIGHUP);
  CHECK(server.says("nothing to reload"));
  net::client half(server.port);
  half.send(list_request().substr(0, 300));
  net::client whole(server.port);
  CHECK(whole.ask(list_request()).status == 200);
  server.signal(SIGTERM);
  CHECK(server.says("a second signal ends at once"));
  CHECK_FALSE(net::eventually([&] { return server.is_over(); }, 300ms));
  server.signal(SIGTERM);
  CHECK(server.wait() == 128 + SIGTERM);
}

TEST_CASE("while payroll drains, it serves but is not ready, and then it stops", "[payroll]") {
  Server server({"--port", "0", "--drain-delay", "3", "--name", "desk \"7\""});
  const auto ask = [&](const char* page) {
    return net::ask(
        server.port, std::string("GET ") + page + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  };
  CHECK(ask("/readyz").status == 200);
  CHECK(ask("/metrics").body.find("process=\"desk \\\"7\\\"\"") != std::string::npos);
  const auto begun = std::chrono::steady_clock::now();
  server.signal(SIGTERM);
  REQUIRE(comes_true([&] { return ask("/readyz").status == 503; }, 2500ms));
  CHECK(ask("/readyz").body == "not ready: about to stop\n");
  CHECK(ask("/healthz").status == 200);
  server.signal(SIGHUP);
  CHECK(ask("/healthz").status == 200);
  CHECK(server.wait() == 0);
  CHECK(std::chrono::steady_clock::now() - begun >= 3s);
  CHECK(server.err().find("[desk \"7\"] stopping") != std::string::npos);
}

TEST_CASE("a second SIGTERM ends a process that drains", "[payroll]") {
  Server server({"--port", "0", "--drain-delay", "600"});
  server.signal(SIGTERM);
  CHECK(server.says("stopping"));
  server.signal(SIGTERM);
  CHECK(server.wait() == 128 + SIGTERM);
}

TEST_CASE("SIGTERM ends a process that waits for its database", "[payroll]") {
  const Folder folder;
  const std::string file = folder.file("busy.db");
  SQLite::Database busy(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  busy.exec("BEGIN EXCLUSIVE");
  Server server({"--port", "0", "--db", file, "--db-timeout", "600"}, false, false);
  REQUIRE(comes_true([&] {
    const std::bitset<64> blocked = server.blocked_signals();
    // fork() and the start of a thread block all signals for a moment.
    return blocked[SIGTERM - 1] && !blocked[SIGUSR1 - 1];
  }));
  server.signal(SIGHUP);
  server.signal(SIGTERM);
  CHECK(server.wait() == 0);
  CHECK(server.out().empty());
}

TEST_CASE("the options of payroll reach the host", "[payroll]") {
  Server server(
      {"--port",
       "0",
       "--header-fields",
       "8",
       "--body-bytes",
       "1KB",
       "--header-timeout",
       "0.3",
       "--requests-per-connection",
       "2",
       "--unknown-elements",
       "ignore",
       "--metrics-from",
       "any",
       "--no-help-pages",
       "--log-level",
       "off",
       "--drain-delay",
       "0",
       "--threads",
       "2"});
  std::string many;
  for (int field = 0; field != 9; ++field)
    many += "X-" + std::to_string(field) + ": 1\r\n";
  CHECK(net::ask(server.port, net::get("/healthz", many)).status == 431);
  CHECK(net::ask(server.port, net::post(std::string(1025, 'x'))).status == 413);
  CHECK(net::ask(server.port, net::get("/metrics", "Via: x\r\n")).status == 200);
  CHECK(net::ask(server.port, net::get("/")).status == 404);
  std::string odd = list_request();
  const std::string id = "<EmployeeId>";
  odd.replace(odd.find(id), 0, "<Odd/>");
  const std::string length = "Content-Length: ";
  const std::size_t at = odd.find(length) + length.size();
  const std::size_t bytes = odd.size() - odd.find("\r\n\r\n") - 4;
  odd.replace(at, odd.find('\r', at) - at, std::to_string(bytes));
  net::client client(server.port);
  CHECK_FALSE(client.ask(odd).closes());
  const net::response last = client.ask(odd);
  CHECK(last.status == 200);
  CHECK(last.closes());
  net::client slow(server.port);
  slow.send("GET / HTTP/1.1\r\n");
  CHECK(slow.read_to_end().find("408") != std::string::npos);
  CHECK(server.stop() == 0);
  CHECK(server.err().empty());
}

TEST_CASE("sizes and timeouts of payroll are those of its host", "[payroll][limits][timeout]") {
  const Server server(
      {"--port",
       "0",
       "--header-bytes",
       "2KB",
       "--target-bytes",
       "300",
       "--read-timeout",
       "0.3",
       "--idle-timeout",
       "0.5",
       "--no-gzip"});
  const std::string long_field = "X-Long: " + std::string(3'000, 'x') + "\r\n";
  CHECK(net::ask(server.port, net::get("/healthz", long_field)).status == 431);
  CHECK(net::ask(server.port, net::get("/" + std::string(400, 'x'))).status == 414);
  const net::response page = net::ask(server.port, net::get("/", "Accept-Encoding: gzip\r\n"));
  CHECK(page.status == 200);
  CHECK(page.field("content-encoding").empty());
  net::client stops(server.port);
  stops.send(list_request().substr(0, list_request().size() - 10));
  CHECK_FALSE(stops.is_quiet(15s));  // of the default of 20 s
  CHECK(stops.read().status == 408);
  net::client idle(server.port);
  CHECK(idle.ask(net::get("/healthz")).status == 200);
  CHECK_FALSE(idle.is_quiet(30s));  // of the default of 60 s
  CHECK(idle.is_closed());
}

TEST_CASE(
    "an option with a wrong value is a one-line error with a nonzero exit status", "[payroll]") {
  Folder folder;
  const std::string rubbish = folder.file("rubbish");
  std::ofstream(rubbish) << "x";
  std::vector<std::vector<std::string>> mistakes{
      {"--log-format", "xml"},
      {"--log-level", "loud"},
      {"--metrics-from", "here"},
      {"--metrics-from", "any", "--operator-listen", "127.0.0.1:0"},
      {"--operator-listen", "127.0.0.1"},
      {"--operator-listen", ":9090"},
      {"--operator-listen", "::1:9090"},
      {"--operator-listen", "[127.0.0.1]:9090"},
      {"--operator-listen", "127.0.0.1:70000"},
      {"--operator-listen", "127.0.0.1:90x"},
      {"--operator-listen", "192.0.2.1:9090"},
      {"--unknown-elements", "maybe"},
      {"--unix", ""},
      {"--unix", rubbish},
      {"--unix-mode", "9", "--unix", rubbish},
      {"--unix", std::string(200, 'x'), "--auth", "token"},
      {"--certificate", folder.file("none")},
      {"--certificate", rubbish},
      {"--key", rubbish},
      {"--client-ca", rubbish},
      {"--base-path", "/a?b"},
      {"--drain-delay", "0.0001"},
      {"--stop-timeout", "0"},
      {"--backlog", "0"}};
  for (const char* name :
       {"--threads",
        "--executor-threads",
        "--connections",
        "--queue",
        "--header-bytes",
        "--header-fields",
        "--target-bytes",
        "--body-bytes",
        "--buffered-bytes",
        "--requests-per-connection",
        "--header-timeout",
        "--read-timeout",
        "--request-timeout",
        "--queue-timeout",
        "--write-timeout",
        "--idle-timeout",
        "--stop-timeout"})
    for (const char* value : {"-1", "x", "", "99999999999999999999", "nan", "1 2"})
      mistakes.push_back({std::string(name) + "=" + value});
  for (const auto& mistake : mistakes) {
    std::vector<std::string> options{"--port", "0"};
    options.insert(options.end(), mistake.begin(), mistake.end());
    Server server(options);
    const int status = server.wait();
    INFO(mistake[0] << ' ' << server.err());
    CHECK((status == 1 || status == 2));
    CHECK(server.out().empty());
    CHECK(server.err().rfind("payroll: ", 0) == 0);
    CHECK(count_of(server.err(), "\n") == 1);
  }
}
