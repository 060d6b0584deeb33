// The main() of a fuzz target in the normal build: `TARGET FOLDER_OR_FILE...` hands each file to
// the target. Ends in `1 passed, 0 failed`; a broken promise ends the process and names the file.
// No files at all are a failure: then nothing was tested.
#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "fuzz.hpp"

namespace {

std::string current;  // the file that the target was given

/// Only async-signal-safe functions. The text does not change meanwhile.
void tell_file(int signal) {
  std::fprintf(stderr, "while replaying %s\n", current.c_str());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& place) {
  if (!std::filesystem::is_directory(place)) return {place};
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place))
    if (entry.is_regular_file()) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// In memory of exactly its size, so that a sanitizer notices the first byte read beyond.
void replay(const std::filesystem::path& file) {
  current = file.string();
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto bytes = std::make_unique<std::uint8_t[]>(text.size());
  std::copy(text.begin(), text.end(), bytes.get());
  LLVMFuzzerTestOneInput(bytes.get(), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    std::signal(signal, tell_file);
  std::size_t count = 0;
  try {
    for (int index = 1; index < argc; ++index)
      for (const auto& file : files_below(argv[index])) {
        replay(file);
        ++count;
      }
  } catch (const std::exception& error) {
    std::printf("%s: %s\n0 passed, 1 failed\n", current.c_str(), error.what());
    return 1;
  }
  std::printf("%zu inputs\n", count);
  std::printf(count == 0 ? "0 passed, 1 failed\n" : "1 passed, 0 failed\n");
  return count == 0 ? 1 : 0;
}
