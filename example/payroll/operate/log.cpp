#include "operate/log.hpp"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <utility>

// --- Escapes -------------------------------------------------------------------------------------

namespace {

constexpr std::size_t longest_message = 64 * 1024;

/// Appends "\x1b" or "\u001b": the letter and as many digits as given.
void append_escape(std::string& to, char letter, int digits, int code) {
  std::array<char, 8> escape{};
  std::snprintf(
      escape.data(),
      escape.size(),
      "\\%c%0*x",
      letter,
      digits,
      static_cast<unsigned>(code & 0xFFFF));
  to += escape.data();
}

/// The number of bytes of the UTF-8 character at the beginning; 0 if it is invalid.
std::size_t length_of_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length > text.size()) return 0;
  const bool good = soapsvc::is_xml_text(text.substr(0, length));
  return good ? length : 0;
}

/// True for characters that end a line for some readers, or control a terminal: U+0080 to U+009F,
/// U+2028 and U+2029.
bool is_control_beyond_ascii(std::string_view character) {
  return (character.size() == 2 && character[0] == '\xC2' && character[1] < '\xA0') ||
         character == "\xE2\x80\xA8" || character == "\xE2\x80\xA9";
}

void append_json_character(std::string& to, std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  const auto last = static_cast<unsigned char>(character.back());
  if (is_control_beyond_ascii(character))
    append_escape(to, 'u', 4, character.size() == 2 ? last : 0x2000 | (last & 0x3F));
  else if (byte == '"' || byte == '\\')
    to.append(1, '\\').append(character);
  else if (byte < 0x20 || byte == 0x7F)
    append_escape(to, 'u', 4, byte);
  else
    to.append(character);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x20 && byte < 0x7F && each != '\\')
      line += each;
    else
      append_escape(line, 'x', 2, byte);
  }
  return line;
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  quoted.reserve(text.size() + 2);
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = byte < 0x80 ? 1 : length_of_character(text);
    if (length == 0)
      quoted += "\\ufffd";
    else
      append_json_character(quoted, text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted += '"';
}

// --- Lines ---------------------------------------------------------------------------------------

namespace {

/// Messages of this logger consist of names and values; those of other loggers are sentences.
constexpr const char* facts_name = "facts";

/// 2026-01-31T09:30:00.123456Z
std::string time_text(spdlog::log_clock::time_point time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<microseconds>(time - day)};
  std::array<char, 40> text{};
  std::snprintf(
      text.data(),
      text.size(),
      "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
      static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()),
      static_cast<int>(clock.subseconds().count()));
  return text.data();
}

/// Puts time and level before each line.
class LineFormatter final : public spdlog::formatter {
public:
  LineFormatter(LogFormat format, std::string process)
      : format_(format), process_(std::move(process)) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    const std::string_view said(message.payload.data(), message.payload.size());
    const auto name = spdlog::level::to_string_view(message.level);
    const std::string level(name.data(), name.size());
    const bool facts = message.logger_name == facts_name;
    std::string line;
    if (format_ == LogFormat::json) {
      line = "{\"time\":\"" + time_text(message.time) + "\",\"level\":\"" + level + "\",";
      if (!process_.empty()) line += "\"process\":" + json_text(process_) + ',';
      line.append(facts ? said : "\"event\":\"note\",\"text\":" + json_text(said)) += '}';
    } else {
      line = time_text(message.time) + ' ' + level + ' ';
      if (!process_.empty()) line += '[' + printable(process_) + "] ";
      line.append(facts ? said : std::string_view(printable(said)));
    }
    line += '\n';
    to.append(line.data(), line.data() + line.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(format_, process_);
  }

private:
  LogFormat format_;
  std::string process_;
};

/// Writes to standard error when no further line waits. Under load, many lines share a system call;
/// without load, no line is delayed.
class BatchSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  using Count = std::shared_ptr<std::atomic<std::size_t>>;

  /// Only the thread of `queue` calls the sink, so `queue` exists at each call. Adds the lines that
  /// it cannot write to `unwritten`.
  BatchSink(spdlog::details::thread_pool& queue, Count unwritten)
      : queue_(queue), unwritten_(std::move(unwritten)) {}
  ~BatchSink() override {
    const std::lock_guard lock(mutex_);  // the queue's thread may just have released it
    flush_();
  }
  BatchSink(const BatchSink&) = delete;
  BatchSink& operator=(const BatchSink&) = delete;

private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    formatter_->format(message, lines_);
    if (lines_.size() >= batch || queue_.queue_size() == 0) flush_();
  }

  void flush_() override {
    const std::size_t lost = queue_.overrun_counter() + *unwritten_;
    if (lost != noted_ && write_lines(note(lost - noted_)) == 0) noted_ = lost;
    *unwritten_ += write_lines({lines_.data(), lines_.size()});
    lines_.clear();
  }

  /// A line that says how many lines are missing here.
  std::string note(std::size_t lost) const {
    const std::string text =
        std::to_string(lost) +
        " lines of the log were lost: the reader was too slow, or the disk was full";
    spdlog::memory_buf_t line;
    formatter_->format({"payroll", spdlog::level::warn, text}, line);
    return {line.data(), line.size()};
  }

  /// Returns the number of lines that could not be written. When a full disk has room again, a line
  /// that was cut off is ended before the next one.
  std::size_t write_lines(std::string_view lines) {
    const bool ready = !is_cut_ || write_some("\n") == 1;
    const std::size_t written = ready ? write_some(lines) : 0;
    if (ready) is_cut_ = written != 0 && lines[written - 1] != '\n';
    const auto rest = lines.substr(written);
    return static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n'));
  }

  /// Returns the number of bytes that were written.
  static std::size_t write_some(std::string_view text) {
    std::size_t written = 0;
    while (written != text.size()) {
      const ssize_t count = ::write(STDERR_FILENO, text.data() + written, text.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      written += static_cast<std::size_t>(count);
    }
    return written;
  }

  static constexpr std::size_t batch = 64 * 1024;
  spdlog::details::thread_pool& queue_;
  Count unwritten_;
  spdlog::memory_buf_t lines_;
  bool is_cut_ = false;  // the last line that was written has no end
  std::size_t noted_ = 0;  // lost lines that the log already reports
};

std::uint64_t microseconds(std::chrono::nanoseconds time) {
  const auto count = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  return static_cast<std::uint64_t>(count);
}

const char* name_of(soapsvc::soap_version version) {
  return version == soapsvc::soap_version::v1_1 ? "1.1" : "1.2";
}

}  // namespace

const char* name_of(soapsvc::fault_code code) {
  switch (code) {
  case soapsvc::fault_code::client: return "client";
  case soapsvc::fault_code::server: return "server";
  case soapsvc::fault_code::version_mismatch: return "version_mismatch";
  case soapsvc::fault_code::must_understand: return "must_understand";
  case soapsvc::fault_code::data_encoding_unknown: return "data_encoding_unknown";
  }
  return "server";
}

const char* name_of(soapsvc::report_kind kind) {
  switch (kind) {
  case soapsvc::report_kind::call: return "call";
  case soapsvc::report_kind::refused_request: return "request";
  case soapsvc::report_kind::connection: return "connection";
  case soapsvc::report_kind::handshake: return "handshake";
  }
  return "request";
}

/// A line of names and values in the log's format.
class Log::Line {
public:
  Line(LogFormat format, std::string_view event) : json_(format == LogFormat::json) {
    text_.append(json_ ? "\"event\":\"" : "").append(event).append(json_ ? "\"" : "");
  }

  Line& add(std::string_view name, std::string_view value) {
    begin(name);
    text_ += json_ ? json_text(value) : word(value);
    return *this;
  }

  Line& add(std::string_view name, std::uint64_t value) {
    begin(name);
    text_ += std::to_string(value);
    return *this;
  }

  const std::string& text() const { return text_; }

private:
  void begin(std::string_view name) {
    if (json_)
      text_.append(",\"").append(name).append("\":");
    else
      text_.append(1, ' ').append(name).append(1, '=');
  }

  /// With quotes if the end of the value would be unclear.
  static std::string word(std::string_view value) {
    std::string shown = printable(value);
    if (!shown.empty() && shown.find_first_of(" \"=") == std::string::npos) return shown;
    std::string quoted = "\"";
    for (const char each : shown)
      quoted.append(each == '"' ? "\\\"" : std::string(1, each));
    return quoted += '"';
  }

  bool json_;
  std::string text_;
};

/// Similar lines: they differ only in facts of one request.
struct Log::Alike {
  Line line;
  spdlog::level::level_enum level;  ///< the highest level of these lines
  std::uint64_t count = 0;
  std::uint64_t in_full = 0;  ///< the number of these with their own lines
};

// --- Log -----------------------------------------------------------------------------------------

void start_log() {
  const auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("payroll", sink);
  logger->set_formatter(std::make_unique<LineFormatter>(LogFormat::text, ""));
  spdlog::set_default_logger(logger);
}

Log::Log(const LogOptions& options)
    : format_(options.format),
      most_alike_(options.alike),
      most_in_full_(options.in_full),
      unwritten_(std::make_shared<std::atomic<std::size_t>>(0)),
      writer_(std::make_shared<spdlog::details::thread_pool>(options.queue, 1)) {
  const spdlog::sink_ptr sink =
      options.sink ? options.sink : std::make_shared<BatchSink>(*writer_, unwritten_);
  const auto make = [&](const char* name) {
    auto logger = std::make_shared<spdlog::async_logger>(
        name, sink, writer_, spdlog::async_overflow_policy::overrun_oldest);
    logger->set_formatter(std::make_unique<LineFormatter>(options.format, options.process));
    logger->set_level(spdlog::level::from_str(options.level));
    logger->flush_on(spdlog::level::warn);
    return logger;
  };
  facts_ = make(facts_name);
  spdlog::set_default_logger(make("payroll"));
  every_second_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_; })) {
      lock.unlock();
      write_gathered();
      lock.lock();
    }
  });
}

Log::~Log() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  end_.notify_one();
  every_second_.join();
  write_gathered();
  facts_->flush();
  start_log();  // later lines have no queue
  facts_.reset();
  writer_.reset();  // waits until all lines are written
}

std::size_t Log::lost() const { return writer_->overrun_counter() + unwritten_->load(); }

void Log::write(spdlog::level::level_enum level, const Line& line) {
  facts_->log(level, spdlog::string_view_t(line.text()));
}

/// Counts a line, which is given without the facts of its request. Returns true if the line is to
/// be combined with others. The first line of each kind is written, so the number of kinds is
/// bounded, too.
bool Log::is_one_of_many(const Line& alike, spdlog::level::level_enum level) {
  const std::lock_guard lock(mutex_);
  const bool has_room = in_full_ < most_in_full_;
  auto found = alike_.find(alike.text());
  if (found == alike_.end()) {
    const Line line = has_room ? alike : Line(format_, "others");
    found = alike_.try_emplace(line.text(), Alike{line, level}).first;
  }
  Alike& kind = found->second;
  kind.level = std::max(kind.level, level);
  ++kind.count;
  if (!has_room || kind.in_full == most_alike_) return true;
  ++kind.in_full;
  ++in_full_;
  return false;
}

void Log::write_gathered() {
  decltype(alike_) of_this_second;
  {
    const std::lock_guard lock(mutex_);
    of_this_second.swap(alike_);
    in_full_ = 0;
  }
  for (auto& [text, alike] : of_this_second) {
    if (alike.count == alike.in_full) continue;
    alike.line.add("count", alike.count - alike.in_full);
    write(alike.level, alike.line);
  }
}

void Log::call(const soapsvc::call_report& call) {
  const bool refused = call.kind != soapsvc::report_kind::call;
  const auto level = call.deprecated ? spdlog::level::warn : spdlog::level::info;
  if (!facts_->should_log(level)) return;
  Line line(format_, refused ? "refused" : "call");
  if (refused) {
    line.add("kind", name_of(call.kind)).add("reason", call.fault_reason.substr(0, 200));
  } else {
    line.add("service", call.service).add("operation", call.operation);
    line.add("version", name_of(call.version));
    line.add("fault", call.fault_code ? name_of(*call.fault_code) : "none");
  }
  line.add("status", static_cast<std::uint64_t>(call.http_status)).add("peer", call.peer);
  if (call.deprecated) line.add("deprecated", 1);
  if ((refused || call.fault_code) && is_one_of_many(line, level)) return;
  line.add("bytes_in", call.bytes_in).add("bytes_out", call.bytes_out);
  if (!refused) {
    line.add("decode_us", microseconds(call.decode_time));
    line.add("handler_us", microseconds(call.handler_time));
    line.add("encode_us", microseconds(call.encode_time));
  }
  line.add("request", call.request_id);
  write(level, line);
}

void Log::error(const soapsvc::error_report& error) {
  Line line(format_, "incident");
  line.add("incident", error.incident);
  line.add("service", error.service).add("operation", error.operation);
  line.add("what", error.what).add("peer", error.peer).add("request", error.request_id);
  write(spdlog::level::err, line);
}

void Log::message(const soapsvc::message_report& message) {
  if (!facts_->should_log(spdlog::level::info)) return;
  Line line(format_, "message");
  line.add("service", message.service).add("operation", message.operation);
  line.add("peer", message.peer).add("request", message.request_id);
  line.add("received", message.request.substr(0, longest_message));
  line.add("sent", message.response.substr(0, longest_message));
  write(spdlog::level::info, line);
}
