// The operator's commands: `payroll domain|user|employee|debtor|webhook ...` and `payroll backup`.
#pragma once

#include <CLI/CLI.hpp>

/// Adds the commands to `app`; each runs when it is parsed, and throws what went wrong in one line.
void add_operator_commands(CLI::App& app);
