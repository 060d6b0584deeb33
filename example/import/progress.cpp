#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string_view>

namespace importer {

static std::atomic<bool> is_drawn{false};

/// Lost output is no reason to end an import.
static void write_out(std::string_view text) noexcept {
  [[maybe_unused]] const auto lost = ::write(STDERR_FILENO, text.data(), text.size());
}

Progress::Progress() {
  if (::isatty(STDERR_FILENO) == 0) return;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    auto pause = std::chrono::milliseconds(1'000);
    while (!ends_.wait_for(lock, pause, [this] { return has_ended_; })) {
      draw();
      pause = std::chrono::milliseconds(100);
    }
  });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ends_.notify_one();
  thread_.join();
  erase();
}

void Progress::doing(const std::string& what) {
  const std::lock_guard lock(mutex_);
  what_ = what;
}

void Progress::has_read(std::size_t documents, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  documents_ = documents;
  bytes_ = bytes;
}

void Progress::erase() noexcept {
  if (is_drawn.exchange(false)) write_out("\r\x1b[K");
}

/// The line is at most as long as the terminal is wide, because a wrapped line could not be erased.
void Progress::draw() {
  std::string line = std::to_string(documents_) + " documents, " + std::to_string(bytes_ / 1'024) +
                     " KB; " + what_;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = '?';  // in the name of a file
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  line.resize(std::min<std::size_t>(line.size(), known ? size.ws_col - 1U : 79U));
  is_drawn = true;
  write_out("\r\x1b[K" + line);
}

}  // namespace importer
