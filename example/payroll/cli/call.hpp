// The commands that call the three services through the typed client, from any machine.
#pragma once

#include <CLI/CLI.hpp>

/// Exit statuses of these commands; 0 is success.
enum CallStatus {
  call_refused = 1,  ///< the service answered with a fault
  call_misused = 2,  ///< the command line is wrong, or a secret is missing
  call_failed = 3  ///< no response, or not a SOAP message
};

/// Adds `token`, `addresses` and `webhooks`. A command that fails prints the error and throws
/// CLI::RuntimeError with its exit status. For a wrong command line it throws another
/// CLI::ParseError.
void add_call_commands(CLI::App& app);
