// Suggestions for a mistyped word of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// The command or option that the first unknown word resembles, in the form to write: "addresses"
/// for `address`, "--port" for `--prot=80`. Empty if all words are known, or no word is similar.
std::string suggestion(const CLI::App& app, int argc, const char* const* argv);
