// Whole numbers on the command line. soapsvc-import uses it as well.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

/// Accepts only decimal digits, optionally with a unit, and removes leading zeros: CLI11 reads 010
/// as 8 and 0x10 as 16. Option::transform() puts it before the other checks of the option.
inline const CLI::Validator is_decimal(
    [](std::string& text) {
      const std::size_t end = text.find_first_not_of("0123456789");
      if (end == 0 || text.find_first_of("0123456789xX", end) != std::string::npos)
        return std::string("must be a decimal number");
      const std::size_t digits = std::min(end, text.size());
      text.erase(0, std::min(text.find_first_not_of('0'), digits - 1));
      return std::string();
    },
    "");
