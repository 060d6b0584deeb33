// The options of `payroll serve`: what they are called, what they may be, what they mean together.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <string>

#include "auth.hpp"
#include "log.hpp"
#include "soapsvc.hpp"
#include "status.hpp"

struct ServeOptions {
    ServeOptions();

    std::string db;
    bool demo = false;
    std::string listen = "127.0.0.1";
    int port = 8080;
    bool tcp = true;  ///< false: the Unix socket alone
    std::string unix_path;
    unsigned unix_mode = 0660;
    std::string auth;
    bool no_deprecated = false;
    MetricsFrom metrics_from = MetricsFrom::loopback;
    LogOptions log;
    soapsvc::host_options host;
};

/// Adds the options to the command; `given` holds the defaults and outlives it.
void add_serve_options(CLI::App& command, ServeOptions& given);

/// Adds an option that takes seconds, which may have decimals: 0.001 to 86400.
void add_time(
    CLI::App& command,
    const std::string& name,
    std::chrono::milliseconds& value,
    const std::string& help);

/// With a mere Domain anybody can read addresses: whoever opens the door says that this is meant.
/// Throws std::runtime_error that names both choices.
AuthPolicy policy_of(const ServeOptions& given);
