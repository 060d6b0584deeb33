// What a person may have meant by a word of the command line that the program does not know.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// The command or option that the first unknown word resembles, as it is to be written: "addresses"
/// for `address`, "--port" for `--prot=80`. Empty when all words are known, or nothing is like it.
std::string suggestion(const CLI::App& app, int argc, const char* const* argv);
