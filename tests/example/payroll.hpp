// Runs the program that the environment variable PAYROLL names, to its end or as a server. All
// waits are bounded.
#pragma once

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bitset>
#include <csignal>
#include <thread>

#include "example.hpp"

namespace example {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

/// Runs payroll in a shell within the folder.
class Shell {
public:
  Outcome run(const std::string& arguments, const std::string& input = "") {
    const char* program = std::getenv("PAYROLL");
    REQUIRE(program != nullptr);
    std::ofstream(folder.file("input")) << input;
    const std::string command = "cd '" + folder.file("") + "' && '" +
                                std::filesystem::absolute(program).string() + "' " + arguments +
                                " <input >out 2>err";
    const int status = std::system(command.c_str());
    return {
        WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        read_file(folder.file("out")),
        read_file(folder.file("err"))};
  }

  /// Runs a command that must succeed; returns its output without the line end.
  std::string expect(const std::string& arguments, const std::string& input = "") {
    const Outcome outcome = run(arguments, input);
    INFO(arguments << '\n' << outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out.substr(0, outcome.out.find_last_not_of('\n') + 1);
  }

  Folder folder;
};

/// Waits until a condition is true; false: it did not become true.
template <class Condition> bool comes_true(Condition holds, std::chrono::milliseconds limit = 60s) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

/// payroll serve, until it is stopped.
class Server {
public:
  explicit Server(
      const std::vector<std::string>& options, bool demo = true, bool waits_for_port = true) {
    std::vector<std::string> words{std::getenv("PAYROLL"), "serve"};
    if (demo) words.push_back("--demo");
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when the test is killed at its time limit
      ::dup2(::open(out_file().c_str(), O_WRONLY | O_CREAT, 0600), 1);
      ::dup2(::open(err_file().c_str(), O_WRONLY | O_CREAT, 0600), 2);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    if (!waits_for_port) return;
    comes_true([&] { return is_over() || count_of(read_file(out_file()), "\n") != 0; });
    const std::string ready = out();
    const std::size_t address = ready.find("://");
    const std::size_t colon = ready.find_last_of(':', ready.find('\n', address));
    if (address != ready.npos) port = std::stoi(ready.substr(colon + 1));
  }
  ~Server() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Not after its end: kill(-1) would signal every process of the machine.
  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }

  /// The signals that the main thread of the process blocks. Bit 0 is signal 1.
  std::bitset<64> blocked_signals() const {
    const std::string status = read_file("/proc/" + std::to_string(pid_) + "/status");
    const std::size_t at = status.find("SigBlk:\t");
    return at == status.npos ? 0 : std::stoull(status.substr(at + 8), nullptr, 16);
  }

  /// Sets or removes the maximum file size of the process.
  void fill_disk(bool full, std::size_t first = 0) const {
    rlimit bound{};
    REQUIRE(::prlimit(pid_, RLIMIT_FSIZE, nullptr, &bound) == 0);
    bound.rlim_cur = full ? static_cast<rlim_t>(first) : bound.rlim_max;
    REQUIRE(::prlimit(pid_, RLIMIT_FSIZE, &bound, nullptr) == 0);
  }

  /// Exit status; 128 and more for signals; -1: it did not end.
  int wait() {
    if (!comes_true([&] { return is_over(); })) return -1;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }
  int stop() {
    signal(SIGTERM);
    return wait();
  }
  bool is_over() {
    if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
    return pid_ <= 0;
  }
  std::string out() const { return read_file(out_file()); }
  std::string err() const { return read_file(err_file()); }
  bool says(const std::string& text) const {
    return comes_true([&] { return err().find(text) != std::string::npos; });
  }

  Folder folder;
  int port = 0;

private:
  std::string out_file() const { return folder.file("out"); }
  std::string err_file() const { return folder.file("err"); }

  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace example
