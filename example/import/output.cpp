#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "progress.hpp"
#include "source.hpp"

namespace importer {

namespace {

/// Names of unfinished files, for the signal handler: a thousand units of two files each, the
/// header, skeleton and client.
constexpr std::size_t most_files = 2003;
std::array<std::atomic<const char*>, most_files> unfinished_names{};

void forget(std::size_t file) { unfinished_names.at(file) = nullptr; }

/// Removes the unfinished files and ends the program by the signal.
extern "C" void clean_up(int signal) {
  Progress::erase();
  for (const auto& each : unfinished_names)
    if (const char* const name = each) ::unlink(name);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw Failure(Failure::unreadable, path + " cannot be written");
}

/// Makes a new file, and puts the end of its name in place of the X. mkostemp() lets only the user
/// read it, so the file gets the mode of other new files.
void make_new(std::string& name) {
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) throw Failure(Failure::unreadable, name + " cannot be made");
  const mode_t forbidden = ::umask(0);
  ::umask(forbidden);
  ::fchmod(file, 0666 & ~forbidden);
  ::close(file);
}

bool is_replaced(const std::string& path) {
  std::error_code ignored;
  const auto there = std::filesystem::symlink_status(path, ignored);
  return !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
}

}  // namespace

Outputs::Outputs() {
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    // An ignored signal, as under nohup, stays ignored.
    if (std::signal(each, clean_up) == SIG_IGN) std::signal(each, SIG_IGN);
  }
}

Outputs::~Outputs() {
  for (std::size_t at = 0; at != files_.size(); ++at) {
    if (!files_[at].unfinished.empty()) ::unlink(files_[at].unfinished.c_str());
    forget(at);
  }
}

void Outputs::add(const std::string& path, std::string text) {
  File& made = files_.emplace_back(File{path, {}, {}});
  if (path.empty() || path == "-" || !is_replaced(path)) {
    made.text = std::move(text);
    return;
  }
  made.unfinished = path + ".unfinished-XXXXXX";
  unfinished_names.at(files_.size() - 1) = made.unfinished.c_str();
  try {
    make_new(made.unfinished);
    write(made.unfinished, text);
  } catch (const Failure&) {
    throw Failure(Failure::unreadable, path + " cannot be written");
  }
}

void Outputs::finish() {
  for (std::size_t at = 0; at != files_.size(); ++at) {
    File& each = files_[at];
    if (each.path.empty() || each.path == "-") {
      std::cout << each.text << std::flush;
      if (!std::cout) throw Failure(Failure::unreadable, "the output cannot be written");
    } else if (each.unfinished.empty()) {
      write(each.path, each.text);
    } else {
      std::error_code error;
      std::filesystem::rename(each.unfinished, each.path, error);
      if (error)
        throw Failure(Failure::unreadable, each.path + " cannot be written: " + error.message());
      each.unfinished.clear();
      forget(at);
    }
  }
}

}  // namespace importer
