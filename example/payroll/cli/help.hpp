// The format of --help. soapsvc-import uses it as well.
#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>

/// Wraps the text into lines of at most `width` characters, if its words allow that.
inline std::string wrapped(const std::string& text, std::size_t width) {
  std::string lines;
  std::size_t used = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; used += word.size() + 1) {
    const bool fits = used + word.size() <= width;
    if (used != 0) lines += fits ? ' ' : '\n';
    if (!fits) used = 0;
    lines += word;
  }
  return lines;
}

/// Lists each argument once, and each group of options under one title. CLI11 lists an argument
/// twice if it can be given by position or by name, and prints two titles for a group.
class HelpFormatter : public CLI::Formatter {
public:
  static constexpr std::size_t most_columns = 80;

  std::string make_option(const CLI::Option* option, bool by_place) const override {
    return !by_place && option->get_positional() ? "" : Formatter::make_option(option, by_place);
  }
  std::string make_expanded(const CLI::App* group) const override {
    if (!group->get_name().empty()) return Formatter::make_expanded(group);
    const auto is_own = [group](const CLI::Option* each) { return each != group->get_help_ptr(); };
    return make_group(group->get_group(), false, group->get_options(is_own));
  }
  std::string make_option_name(const CLI::Option* option, bool by_place) const override {
    std::string name = option->get_name(by_place, true);
    if (const std::size_t at = name.find("{false}"); at != std::string::npos) name.erase(at, 7);
    return name;
  }
  /// CLI11 prints type and check, as in TEXT:FILE, and the number of words. This prints one name:
  /// FILE.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = Formatter::make_option_opts(option);
    for (const std::string type : {" TEXT:", " UINT:", " INT:"})
      if (text.compare(0, type.size(), type) == 0) text.erase(1, type.size() - 1);
    if (const std::size_t at = text.find(" x 2"); at != std::string::npos) text.erase(at, 4);
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), most_columns - get_column_width());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream line;
    const std::size_t room = most_columns - get_column_width();
    const std::string about = wrapped(command->get_description(), room);
    CLI::detail::format_help(line, command->get_display_name(true), about, get_column_width());
    return line.str();
  }
  std::string make_description(const CLI::App* command) const override {
    return wrapped(Formatter::make_description(command), most_columns) + '\n';
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name = option->get_name(true, false);
    return option->get_required() ? name : '[' + name + ']';
  }
};
