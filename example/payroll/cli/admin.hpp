// The operator's commands: `payroll domain|user|employee|debtor|webhook ...` and `payroll backup`.
#pragma once

#include <CLI/CLI.hpp>

/// Adds the commands to `app`. Each runs when it is parsed. An error is an exception with one line.
void add_operator_commands(CLI::App& app);
