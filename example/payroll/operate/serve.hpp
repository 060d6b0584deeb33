// The options of `payroll serve`: what they are called, what they may be, what they mean together.
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

/// Where to listen.
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
  bool tcp = true;  ///< false: the Unix socket alone
  std::string unix_path;
  unsigned unix_mode = 0660;
  std::string auth;
  bool username_token = false;  ///< taken beside AuthHeaderWithDomain
  bool no_deprecated = false;
  std::optional<Endpoint> operator_listen;  ///< where operators' pages are, and nothing else
  MetricsFrom metrics_from = MetricsFrom::loopback;
  LogOptions log;
  std::string name;  ///< of this process; empty: where it runs, and its id
  std::chrono::milliseconds drain_delay{0};
  soapsvc::dispatcher_options services;
  soapsvc::host_options host;
};

/// Adds the options to the command; `given` holds the defaults and outlives it.
void add_serve_options(CLI::App& command, ServeOptions& given);

/// Adds an option that takes seconds, which may have decimals: 0.001 to 86400, or 0 if that is allowed.
void add_time(
    CLI::App& command,
    const std::string& name,
    std::chrono::milliseconds& value,
    const std::string& help,
    bool may_be_zero = false);

/// With a mere Domain anybody can read addresses: whoever opens the door says that this is meant.
/// Throws CLI::ValidationError that names both choices.
AuthPolicy policy_of(const ServeOptions& given);
