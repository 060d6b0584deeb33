#include "operate/process.hpp"

#include <arpa/inet.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "soapsvc.hpp"

// --- Values from the command line ----------------------------------------------------------------

std::string text_problem(const std::string& text) {
  if (text.empty()) return "must not be empty";
  if (!soapsvc::is_xml_text(text)) return "must be UTF-8 text without characters that XML forbids";
  for (const char each : text)
    if (static_cast<unsigned char>(each) < 0x20 || each == 0x7F)
      return "must not hold control characters";
  if (text.front() == ' ' || text.back() == ' ') return "must not begin or end with a space";
  return {};
}

std::string file_problem(const std::string& name) {
  if (name.empty() || name == ":memory:") return "must be the name of a file";
  return {};
}

std::string web_address_problem(const std::string& text) {
  std::string problem = text_problem(text);
  if (!problem.empty()) return problem;
  const bool web = text.rfind("http://", 0) == 0 || text.rfind("https://", 0) == 0;
  if (!web || text.find("//") + 2 == text.size()) return "must begin with http:// or https://";
  if (text.find_first_of(" \"<>") != std::string::npos) return "must not hold spaces, \" < or >";
  return {};
}

// --- Addresses -----------------------------------------------------------------------------------

bool is_loopback(const std::string& address) {
  if (address == "localhost") return true;
  in_addr four{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24U == 127U;
  in6_addr six{};
  return ::inet_pton(AF_INET6, address.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::string url_host(const std::string& address) {
  return address.find(':') == std::string::npos ? address : '[' + address + ']';
}

// --- The end by a signal -------------------------------------------------------------------------

BeforeEnd::BeforeEnd(void (*last)()) {
  last_ = last;
  struct sigaction call_last {};
  call_last.sa_handler = [](int signal) {
    last_.load()();
    ::raise(signal);
  };
  call_last.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t at = 0; at != ending.size(); ++at) {
    ::sigaction(ending[at], nullptr, &before_[at]);
    if (before_[at].sa_handler != SIG_IGN) ::sigaction(ending[at], &call_last, nullptr);
  }
}

BeforeEnd::~BeforeEnd() {
  for (std::size_t at = 0; at != ending.size(); ++at)
    ::sigaction(ending[at], &before_[at], nullptr);
}

// --- Secrets -------------------------------------------------------------------------------------

namespace {

/// Turns the terminal's echo off during its lifetime. A signal that ends the program turns it on
/// again, because the terminal outlives the program.
class NoEcho {
public:
  NoEcho() {
    ::tcgetattr(STDIN_FILENO, &before_);
    restores_.emplace([] { ::tcsetattr(STDIN_FILENO, TCSANOW, &before_); });
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  ~NoEcho() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_); }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;

private:
  static inline termios before_{};
  std::optional<BeforeEnd> restores_;
};

}  // namespace

std::string name_of_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"localhost"};
  return std::string(host.data()) + ':' + std::to_string(::getpid());
}

std::string secret_line(std::istream& in) {
  constexpr std::size_t longest = 4096;
  std::string line;
  char each = 0;
  while (line.size() < longest && in.get(each) && each != '\n')
    line += each;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

std::string ask_secret(const char* prompt) {
  const NoEcho no_echo;
  std::cerr << prompt << std::flush;
  const std::string line = secret_line(std::cin);
  if (line.empty() && !std::cin) throw std::runtime_error("nothing was typed");
  std::cerr << '\n';
  return line;
}

// --- Files -----------------------------------------------------------------------------

void set_mode(const std::string& file, unsigned mode) {
  if (::chmod(file.c_str(), static_cast<mode_t>(mode)) != 0)
    throw std::runtime_error(
        "cannot set the mode of " + file + ": " + std::generic_category().message(errno));
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "payroll-demo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error(
        "cannot make a temporary folder: " + std::string(std::strerror(errno)));
  path_ = name;
}

void TemporaryFolder::remove() noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

// --- Signals -------------------------------------------------------------------------------------

Signals::Signals(std::function<void()> last) : last_(std::move(last)) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this] { wait_for_two(); });
}

Signals::~Signals() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);  // wakes the thread, which then sees `over_`
  thread_.join();
}

void Signals::watch(Actions actions) {
  const std::lock_guard lock(mutex_);
  actions_ = std::move(actions);
  watched_ = true;
  if (hung_up_) pthread_kill(thread_.native_handle(), SIGHUP);
}

bool Signals::is_watched() {
  const std::lock_guard lock(mutex_);
  return watched_;
}

void Signals::note_hangup() {
  {
    const std::lock_guard lock(mutex_);
    hung_up_ = true;
    if (!watched_) return;
  }
  actions_.reload();
}

/// Waits for the next signal other than SIGHUP.
int Signals::next_to_stop(const std::function<void()>& at_hangup) {
  int signal = 0;
  while (sigwait(&signals_, &signal) == 0 && signal == SIGHUP && !over_)
    at_hangup();
  return signal;
}

/// Waits for the next signal other than SIGHUP; 0: none within `patience`.
int Signals::next(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left.count() <= 0) return 0;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec time{seconds.count(), std::chrono::nanoseconds(left - seconds).count()};
    const int signal = ::sigtimedwait(&signals_, nullptr, &time);
    if (signal > 0 && signal != SIGHUP) return signal;
  }
}

void Signals::wait_for_two() {
  next_to_stop([this] { note_hangup(); });
  if (over_) return;
  if (!is_watched()) end_at_once(0);
  spdlog::info("stopping; a second signal ends at once");
  actions_.leave();
  int signal = next(actions_.drain);
  if (over_) return;
  if (signal != 0) end_at_once(128 + signal);
  actions_.stop();
  signal = next_to_stop([] {});  // no reload: the host may already be destroyed
  if (!over_) end_at_once(128 + signal);
}

void Signals::end_at_once(int status) {
  last_();
  ::_exit(status);
}
