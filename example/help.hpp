// How --help lists what a command takes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// Lists each argument once. CLI11 lists one that may be given by its place or by its name twice,
/// with the same words.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option(const CLI::Option* option, bool by_place) const override {
        return !by_place && option->get_positional() ? ""
                                                     : Formatter::make_option(option, by_place);
    }
    std::string make_option_name(const CLI::Option* option, bool by_place) const override {
        return option->get_name(by_place, true);
    }
    std::string make_option_usage(const CLI::Option* option) const override {
        const std::string name = option->get_name(true, false);
        return option->get_required() ? name : '[' + name + ']';
    }
};
