// Prepares the words of a command line for CLI11. soapsvc-import uses it as well.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/// The words for CLI::App::parse(), in reverse order. CLI11 would read the word after `--city=` as
/// its value, even an option. So `--city=` becomes `--city` and an empty word.
inline std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool may_be_option = true;  // until `--`
  for (int at = 1; at < argc; ++at) {
    std::string word = argv[at];
    may_be_option = may_be_option && word != "--";
    const bool has_empty_value =
        may_be_option && word.starts_with("--") && word.find('=', 3) + 1 == word.size();
    if (has_empty_value) word.pop_back();
    words.push_back(std::move(word));
    if (has_empty_value) words.emplace_back();
  }
  std::reverse(words.begin(), words.end());
  return words;
}
