// What a server process needs around its services: checks of what the operator gives, a folder for
// temporary files, signals.
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

/// What is wrong with a name from outside; empty if nothing. What a SOAP message cannot carry,
/// nobody could ever send: it must not get into the database.
std::string text_problem(const std::string& text);

/// What is wrong with the name of a file; empty if nothing.
std::string file_problem(const std::string& name);

/// What is wrong with the address of something on the web; empty if nothing.
std::string web_address_problem(const std::string& text);

/// Whether only this machine can connect to that address.
bool is_loopback(const std::string& address);

/// An address as it stands in a URL: with brackets, if it has colons.
std::string url_host(const std::string& address);

/// The machine's name and the process id: which of several processes this is.
std::string name_of_process();

/// A secret: the first line, without its end, LF or CRLF; empty if there is none. Whoever makes a
/// password and whoever shows it read it by this. What is too long to be one is cut.
std::string secret_line(std::istream& in);

/// While it lives, a signal that ends the program first calls `last`. Only what a signal handler may
/// do is allowed there. Ignored signals, as under nohup, stay ignored. At most one at a time.
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

/// Asks the person at standard input, which is a terminal, for a line that is not shown. Ctrl-C ends
/// the program, and leaves a terminal that shows again what is typed. Throws std::runtime_error when
/// there is no line.
std::string ask_secret(const char* prompt);

/// Decides who may use a file, as chmod does. Throws std::runtime_error.
void set_mode(const std::string& file, unsigned mode);

/// A new folder that only this user may enter; gone with its contents when the object is.
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

/// Waits for SIGINT, SIGTERM and SIGHUP on a thread of its own, so that what they set off may do
/// anything: hardly a function may be called from a signal handler. Make it before any other
/// thread: all of them inherit that the signals are blocked. Until watch(), the first SIGINT or
/// SIGTERM ends the process with status 0: a start may wait minutes for a database.
class Signals {
public:
  struct Actions {
    std::function<void()> leave;  ///< at the first SIGINT or SIGTERM
    std::chrono::milliseconds drain{0};  ///< from then until `stop`
    std::function<void()> stop;
    std::function<void()> reload;  ///< at each SIGHUP before that
  };

  /// `last` is called before a signal ends the process. It must not throw.
  explicit Signals(std::function<void()> last);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// From now on signals do this, and so does a SIGHUP that came before. The second signal to stop
  /// ends the process with 128 plus its number. Actions must not throw. Call it once.
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
  Actions actions_;  ///< does not change once they are watched
  bool watched_ = false;
  bool hung_up_ = false;  ///< by a SIGHUP before that
  std::atomic<bool> over_ = false;
  std::thread thread_;
};
