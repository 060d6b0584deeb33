// Helpers of a server process: checks of values from the command line, a folder for temporary
// files, signals.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <istream>
#include <mutex>
#include <string>
#include <thread>

/// The problem with a text from the command line; empty if it is valid. A character that SOAP
/// messages cannot contain must not get into the database.
std::string text_problem(const std::string& text);

/// The problem with the name of a file; empty if it is valid.
std::string file_problem(const std::string& name);

/// The problem with a web address; empty if it is valid.
std::string web_address_problem(const std::string& text);

/// True if only this machine can connect to that address.
bool is_loopback(const std::string& address);

/// An address as part of a URL: in brackets if it has colons.
std::string url_host(const std::string& address);

/// The machine's name and the process id, which identify the process.
std::string name_of_process();

/// Reads a secret: the first line, without LF or CRLF; empty if there is none. The commands that
/// set a password and those that send it all use this function. The line is cut at the maximum
/// length.
std::string secret_line(std::istream& in);

/// During its lifetime, a signal that ends the program first calls `last`, which must be
/// async-signal-safe. Ignored signals, as under nohup, stay ignored. Only one may exist at a time.
class BeforeEnd {
public:
  explicit BeforeEnd(void (*last)());
  ~BeforeEnd();
  BeforeEnd(const BeforeEnd&) = delete;
  BeforeEnd& operator=(const BeforeEnd&) = delete;

private:
  static constexpr std::array ending{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  static inline std::atomic<void (*)()> last_{nullptr};
  std::array<struct sigaction, ending.size()> before_{};
};

/// Asks at standard input, which is a terminal, for a line without echo. Ctrl-C restores the echo
/// and ends the program. Throws std::runtime_error if there is no line.
std::string ask_secret(const char* prompt);

/// Sets the permissions of a file, like chmod. Throws std::runtime_error.
void set_mode(const std::string& file, unsigned mode);

/// A new folder that only this user may enter. The destructor removes it with its contents.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder() { remove(); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  void remove() noexcept;

private:
  std::filesystem::path path_;
};

/// Waits for SIGINT, SIGTERM and SIGHUP on a separate thread, because a signal handler may call
/// hardly any function. Create it before all other threads, so that they inherit the blocked
/// signals. Until watch(), the first SIGINT or SIGTERM ends the process with status 0, because a
/// start may wait minutes for a database.
class Signals {
public:
  struct Actions {
    std::function<void()> leave;  ///< at the first SIGINT or SIGTERM
    std::chrono::milliseconds drain{0};  ///< from then until `stop`
    std::function<void()> stop;
    std::function<void()> reload;  ///< at each SIGHUP before `leave`
  };

  /// `last` is called before a signal ends the process. It must not throw.
  explicit Signals(std::function<void()> last);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// From now on signals run these actions, also a SIGHUP that came before. The second SIGINT or
  /// SIGTERM ends the process with status 128 plus its number. Actions must not throw. Call it
  /// once.
  void watch(Actions actions);

private:
  int next(std::chrono::milliseconds patience);
  int next_to_stop(const std::function<void()>& at_hangup);
  void wait_for_two();
  bool is_watched();
  void note_hangup();
  [[noreturn]] void end_at_once(int status);

  sigset_t signals_{};
  std::function<void()> last_;
  std::mutex mutex_;
  Actions actions_;  ///< constant after watch()
  bool watched_ = false;
  bool hung_up_ = false;  ///< a SIGHUP has arrived
  std::atomic<bool> over_ = false;
  std::thread thread_;
};
