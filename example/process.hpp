// What a server process needs around its services: a log, checks of what
// the operator gives, a folder for temporary files, signals.
#pragma once

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "soapsvc.hpp"

/// Sends the log to standard error. Its level can be set in the environment: SPDLOG_LEVEL=debug
/// shows every call.
void start_log();

/// One line a call at level debug; calls of deprecated operations are warnings.
void log_call(const soapsvc::call_report& call);

/// What an incident id in a fault stands for.
void log_error(const soapsvc::error_report& error);

/// `text` on one line: what a client sent cannot begin a line of the log.
std::string printable(std::string_view text);

/// What is wrong with a name from outside; empty if nothing. What a SOAP message cannot carry,
/// nobody could ever send: it must not get into the database.
std::string text_problem(const std::string& text);

/// What is wrong with the name of a file; empty if nothing.
std::string file_problem(const std::string& name);

/// What is wrong with the address of something on the web; empty if nothing.
std::string web_address_problem(const std::string& text);

/// Whether only this machine can connect to that address.
bool is_loopback(const std::string& address);

/// An address as it stands in a URL: with brackets, if it has colons.
std::string url_host(const std::string& address);

/// A new folder that only this user may enter; gone with its contents when the object is.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder() { remove(); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }
    void remove() noexcept;

private:
    std::filesystem::path path_;
};

/// Waits for SIGINT and SIGTERM on a thread of its own, so that what they set off may do anything:
/// hardly a function may be called from a signal handler. The first one asks to stop, the second
/// one ends the process at once. Make it before any other thread: all of them inherit that the
/// signals are blocked.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// From now on the first signal, which may have come already, calls `stop`; a second one calls
    /// `last` and ends the process with 128 plus the number of the signal.
    void watch(std::function<void()> stop, std::function<void()> last);

private:
    void wait_for_two();

    sigset_t signals_{};
    std::function<void()> stop_;
    std::function<void()> last_;
    std::atomic<bool> over_ = false;
    std::thread thread_;
};
