// The log of a server: one line for whatever happened, text or JSON, written by a thread of its own
// so that nobody who calls a service waits for a disk.
//
// The queue is bounded. When it is full, the oldest lines are lost, so that payroll continues if the
// reader of the log stops. A line of the log and /metrics say how many lines were lost. No other line
// is lost: a clean stop writes the whole queue.
#pragma once

#include <spdlog/spdlog.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "soapsvc.hpp"

enum class LogFormat {
  text,  ///< for people: time, level, event, name=value ...
  json  ///< for machines: one object a line
};

struct LogOptions {
  LogFormat format = LogFormat::text;
  std::string level = "info";  ///< as spdlog names them: debug, info, warning, error, ...
  bool messages = false;  ///< whole envelopes, as message_report hands them over
  std::size_t queue = 8192;  ///< lines
  std::size_t alike =
      10;  ///< refusals and faults that are alike, a second, with lines of their own
  std::size_t in_full = 200;  ///< the same of all kinds: whoever calls can make up kinds
  std::string process;  ///< which of several: on each line; empty: on none
  spdlog::sink_ptr sink;  ///< where lines go; empty: standard error
};

/// `text` on one line: what a client sent cannot begin a line of the log.
std::string printable(std::string_view text);

/// `text` as a JSON string with its quotes. What is no UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text);

/// As logs and messages to people say it.
const char* name_of(soapsvc::fault_code code);

/// What a report is about, as logs and metrics say it.
const char* name_of(soapsvc::report_kind kind);

/// What is written before a server has its own: plain lines on standard error, at once.
void start_log();

/// While it lives, everything that goes to spdlog's default logger is written by it. The reports
/// become lines with a name for each fact, and hold no secret: see soapsvc::message_report.
class Log {
public:
  explicit Log(const LogOptions& options);
  ~Log();  ///< writes all that is queued
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// A line for each call and each refusal; a deprecated operation's is a warning. Of refusals and
  /// faults that are alike (kind, operation, status, caller), a few a second have lines of their
  /// own, and the others of that second one line, with their count. Of all kinds together there is a
  /// bound as well; kinds that come when it is reached share a line.
  void call(const soapsvc::call_report& call);

  /// What an incident id in a response stands for.
  void error(const soapsvc::error_report& error);

  /// What came and what was answered, each cut after 64 KB.
  void message(const soapsvc::message_report& message);

  /// Lines that the full queue has pushed out, or that could not be written, since the beginning.
  std::size_t lost() const;

private:
  class Line;
  struct Alike;

  void write(spdlog::level::level_enum level, const Line& line);
  bool is_one_of_many(const Line& alike, spdlog::level::level_enum level);
  void write_gathered();

  LogFormat format_;
  std::size_t most_alike_;
  std::size_t most_in_full_;
  std::shared_ptr<std::atomic<std::size_t>> unwritten_;  // lines; its sink may outlive this
  std::shared_ptr<spdlog::details::thread_pool> writer_;
  std::shared_ptr<spdlog::logger> facts_;
  std::mutex mutex_;
  std::map<std::string, Alike, std::less<>> alike_;  ///< within this second; bounded
  std::size_t in_full_ = 0;  ///< lines within this second
  bool ends_ = false;
  std::condition_variable end_;
  std::thread every_second_;  ///< writes what was gathered
};
