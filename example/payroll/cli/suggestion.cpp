#include "cli/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace {

/// The number of letters that are missing, added, wrong or swapped (optimal string alignment
/// distance). For short words of a command line.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before, last, now(to.size() + 1);
  for (std::size_t column = 0; column <= to.size(); ++column)
    now[column] = column;
  for (std::size_t row = 1; row <= from.size(); ++row) {
    before = std::exchange(last, now);
    now[0] = row;
    for (std::size_t column = 1; column <= to.size(); ++column) {
      const std::size_t wrong = from[row - 1] == to[column - 1] ? 0 : 1;
      now[column] = std::min({last[column] + 1, now[column - 1] + 1, last[column - 1] + wrong});
      if (row > 1 && column > 1 && from[row - 1] == to[column - 2] &&
          from[row - 2] == to[column - 1])
        now[column] = std::min(now[column], before[column - 2] + 1);
    }
  }
  return now[to.size()];
}

/// The first of the nearest words; "" if no word is near. A word that begins with `word` has the
/// distance 1. Words with too different lengths are not compared, because a word may have
/// megabytes.
std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& each : known) {
    if (word.size() >= each.size() + least) continue;
    const bool begins = word.size() > 1 && each.compare(0, word.size(), word) == 0;
    const std::size_t far = begins ? 1 : distance(word, each);
    if (far >= least || far >= each.size()) continue;
    least = far;
    best = each;
  }
  return best;
}

/// The long options of a command. Groups of options are commands without a name.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options(nullptr))
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  for (const CLI::App* group : command.get_subcommands(nullptr)) {
    if (!group->get_name().empty()) continue;
    const std::vector<std::string> more = options_of(*group);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands(nullptr))
    if (!each->get_name().empty()) names.push_back(each->get_name());
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string suggestion(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* command = &app;
  for (int at = 1; at < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--") break;
    if (word.rfind("--", 0) == 0) {
      const std::string option = word.substr(0, word.find('='));
      const std::vector<std::string> known = options_of(*command);
      if (!contains(known, option)) return nearest(option, known);
    } else if (command->get_require_subcommand_min() != 0) {
      const std::vector<std::string> known = commands_of(*command);
      if (!contains(known, word)) return nearest(word, known);
      command = command->get_subcommand(word);
    }
  }
  return {};
}
