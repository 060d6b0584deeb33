// Files that go from a client to a server in a process of its own, or back: how fast, and how much
// memory each of the two takes. For our client and for the peer's, by the same loop.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "measure.hpp"

namespace bench {

[[noreturn]] inline void stop_measuring(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

/// The most that a process has had resident since the last call for it; its number, or "self".
inline double peak_kb(const std::string& process) {
  std::ifstream status("/proc/" + process + "/status");
  double peak = 0;
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, 6, "VmHWM:") == 0) peak = std::stod(line.substr(6));
  if (!(std::ofstream("/proc/" + process + "/clear_refs") << 5).flush())
    stop_measuring("the peak of memory cannot be set back");
  return peak;
}

/// The present size; the peak begins there.
inline double idle_kb(const std::string& process) {
  peak_kb(process);
  return peak_kb(process);
}

using file_piece = std::array<std::uint64_t, 65'536>;

/// A file of so many bytes, all of whose pieces differ; made unless it is there.
inline std::string sent_file(const std::string& folder, std::int64_t bytes) {
  std::string path = folder + "/sent." + std::to_string(bytes);
  if (std::filesystem::exists(path)) return path;
  static file_piece piece;
  std::uint64_t state = 88'172'645'463'325'252;
  for (std::uint64_t& word : piece) {  // Marsaglia's xorshift
    state ^= state << 13;
    state ^= state >> 7;
    word = state ^= state << 17;
  }
  std::ofstream file(path, std::ios::binary);
  for (std::int64_t left = bytes; left > 0; left -= static_cast<std::int64_t>(sizeof piece)) {
    piece.front() = static_cast<std::uint64_t>(left);
    const auto most = static_cast<std::int64_t>(sizeof piece);
    file.write(reinterpret_cast<const char*>(piece.data()), std::min(left, most));
  }
  if (!file.flush()) stop_measuring(path + " cannot be written");
  return path;
}
inline std::string arrived_file(const std::string& folder) { return folder + "/arrived"; }

inline bool is_same_file(const std::string& one, const std::string& other) {
  if (std::filesystem::file_size(one) != std::filesystem::file_size(other)) return false;
  std::ifstream first(one, std::ios::binary), second(other, std::ios::binary);
  static file_piece piece, beside;
  while (first && second) {
    first.read(reinterpret_cast<char*>(piece.data()), sizeof piece);
    second.read(reinterpret_cast<char*>(beside.data()), sizeof beside);
    if (first.gcount() != second.gcount() || piece != beside) return false;
  }
  return true;
}

/// Calls `transfer` with a number of bytes: it sends `sent_file`, which is an `arrived_file` when
/// it is done. Rows of the megabytes of base64, how many a second, and what client and server had
/// resident at most beyond what they have after a small file.
template <class Transfer>
void measure_transfer(
    const std::string& series,
    const std::string& way,
    const std::string& server,
    const std::string& folder,
    std::int64_t bytes,
    Transfer&& transfer) {
  sent_file(folder, bytes);
  sent_file(folder, 30'000);
  transfer(30'000);  // the caches are filled
  std::remove(arrived_file(folder).c_str());  // to free it is no part of this
  const double client_idle = idle_kb("self");
  const double server_idle = idle_kb(server);
  const auto begun = clock::now();
  transfer(bytes);
  const std::chrono::duration<double> taken = clock::now() - begun;
  const double client_peak = peak_kb("self");
  const double server_peak = peak_kb(server);
  if (!is_same_file(sent_file(folder, bytes), arrived_file(folder)))
    stop_measuring(series + ", " + way + ": the file is not what was sent");
  const double megabytes = static_cast<double>((bytes + 2) / 3 * 4) / 1'000'000;
  row("files", series, way, "mb", megabytes);
  row("files", series, way, "mb_s", megabytes / taken.count());
  row("files", series, way, "client_kb", client_peak - client_idle);
  row("files", series, way, "server_kb", server_peak - server_idle);
}

}  // namespace bench
