// The options of `payroll serve`: names, checks, and combinations.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "auth/auth.hpp"
#include "operate/log.hpp"
#include "operate/status.hpp"
#include "soapsvc.hpp"

/// An address to listen at.
struct Endpoint {
  std::string address;
  int port = 0;
};

struct ServeOptions {
  ServeOptions();

  std::string db;
  StoreOptions store;  ///< other options of the database
  bool demo = false;
  std::string listen = "127.0.0.1";
  int port = 8080;
  bool tcp = true;  ///< false: the Unix socket only
  std::string unix_path;
  unsigned unix_mode = 0660;
  std::string auth;
  bool username_token = false;  ///< accepted besides AuthHeaderWithDomain
  bool no_deprecated = false;
  std::optional<Endpoint> operator_listen;  ///< a listener with the operators' pages only
  MetricsFrom metrics_from = MetricsFrom::loopback;
  LogOptions log;
  std::string name;  ///< of this process; empty: machine and process id
  std::chrono::milliseconds drain_delay{0};
  soapsvc::dispatcher_options services;
  soapsvc::host_options host;
};

/// Adds the options to the command. `given` has the defaults and must outlive the command.
void add_serve_options(CLI::App& command, ServeOptions& given);

/// Adds an option for seconds with decimals: 0.001 to 86400, or 0 if that is allowed.
void add_time(
    CLI::App& command,
    const std::string& name,
    std::chrono::milliseconds& value,
    const std::string& help,
    bool may_be_zero = false);

/// The policy of --auth. With `domain`, any caller can read addresses, so the operator must choose
/// it explicitly. Throws CLI::ValidationError that names both choices.
AuthPolicy policy_of(const ServeOptions& given);
