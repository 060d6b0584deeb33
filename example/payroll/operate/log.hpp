// The log of a server: one line per event, as text or JSON. A separate thread writes it, so that no
// call waits for a disk.
//
// The queue is bounded. When it is full, the oldest lines are lost, so that payroll continues if
// the reader of the log stops. A line of the log and /metrics say how many lines were lost. No
// other line is lost: a clean stop writes the whole queue.
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
  text,  ///< text: time, level, event, name=value ...
  json  ///< one JSON object per line
};

struct LogOptions {
  LogFormat format = LogFormat::text;
  std::string level = "info";  ///< spdlog's names: debug, info, warning, error, ...
  bool messages = false;  ///< whole envelopes, from message_report
  std::size_t queue = 8192;  ///< maximum number of waiting lines
  std::size_t alike = 10;  ///< maximum per second of own lines for similar refusals and faults
  std::size_t in_full = 200;  ///< the same for all kinds together; callers can vary kinds
  std::string process;  ///< name of the process on each line; empty: none
  spdlog::sink_ptr sink;  ///< receives the lines; empty: standard error
};

/// Escapes `text` for one line, so that a client's text cannot begin a line of the log.
std::string printable(std::string_view text);

/// `text` as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text);

/// The name in logs and messages.
const char* name_of(soapsvc::fault_code code);

/// The kind of a report, in logs and metrics.
const char* name_of(soapsvc::report_kind kind);

/// The log before a server has created a Log: plain lines on standard error, written at once.
void start_log();

/// During its lifetime, a Log writes everything that spdlog's default logger receives. Each report
/// becomes a line with a name for each fact. Reports contain no secrets: see
/// soapsvc::message_report.
class Log {
public:
  explicit Log(const LogOptions& options);
  ~Log();  ///< writes all that is queued
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Logs each call and each refusal; a call of a deprecated operation is a warning. Of refusals
  /// and faults with the same kind, operation, status and caller, only a few per second have their
  /// own lines. The others of that second share one line, with their count. The total of own lines
  /// per second is bounded, too. After that, new kinds share a line.
  void call(const soapsvc::call_report& call);

  /// Logs the cause of an incident, with the id in the response.
  void error(const soapsvc::error_report& error);

  /// Logs request and response, each cut after 64 KB.
  void message(const soapsvc::message_report& message);

  /// The number of lines since the start that a full queue has dropped, or that could not be
  /// written.
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
  std::shared_ptr<std::atomic<std::size_t>> unwritten_;  // lines; the sink may outlive this Log
  std::shared_ptr<spdlog::details::thread_pool> writer_;
  std::shared_ptr<spdlog::logger> facts_;
  std::mutex mutex_;
  std::map<std::string, Alike, std::less<>> alike_;  ///< within this second; bounded
  std::size_t in_full_ = 0;  ///< lines within this second
  bool ends_ = false;
  std::condition_variable end_;
  std::thread every_second_;  ///< writes the combined lines
};
