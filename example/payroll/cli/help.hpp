// How --help lists what a command takes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// Lists each argument once, and each group of options below one title. CLI11 lists an argument that
/// may be given by its place or by its name twice, with the same words, and has two titles for a
/// group.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option(const CLI::Option* option, bool by_place) const override {
        return !by_place && option->get_positional() ? ""
                                                     : Formatter::make_option(option, by_place);
    }
    std::string make_expanded(const CLI::App* group) const override {
        if (!group->get_name().empty()) return Formatter::make_expanded(group);
        const auto is_own = [group](const CLI::Option* each) {
            return each != group->get_help_ptr();
        };
        return make_group(group->get_group(), false, group->get_options(is_own));
    }
    std::string make_option_name(const CLI::Option* option, bool by_place) const override {
        return option->get_name(by_place, true);
    }
    std::string make_option_usage(const CLI::Option* option) const override {
        const std::string name = option->get_name(true, false);
        return option->get_required() ? name : '[' + name + ']';
    }
};
