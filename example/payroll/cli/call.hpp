// The commands of a caller: the three services over the typed client, from any machine.
#pragma once

#include <CLI/CLI.hpp>

/// Exit statuses of these commands; 0 is success.
enum CallStatus {
  call_refused = 1,  ///< the service answered with a fault
  call_misused = 2,  ///< the command line is wrong, or a secret is missing
  call_failed = 3  ///< no answer, or one that is no SOAP
};

/// Adds `token`, `addresses` and `webhooks`. A command that fails throws CLI::RuntimeError with its
/// exit status after it has told why on standard error; a misused one throws another
/// CLI::ParseError.
void add_call_commands(CLI::App& app);
