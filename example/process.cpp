#include "process.hpp"

#include <arpa/inet.h>
#include <spdlog/cfg/env.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

// --- Log -----------------------------------------------------------------------------------------

void start_log() {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("payroll"));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    spdlog::cfg::load_env_levels();
}

std::string printable(std::string_view text) {
    std::string line;
    line.reserve(text.size());
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        if (byte >= 0x20 && byte < 0x7F && each != '\\') {
            line += each;
        } else {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
            line += escape.data();
        }
    }
    return line;
}

namespace {

const char* name_of(soapsvc::soap_version version) {
    return version == soapsvc::soap_version::v1_1 ? "SOAP 1.1" : "SOAP 1.2";
}

}  // namespace

void log_call(const soapsvc::call_report& call) {
    const auto level = call.deprecated ? spdlog::level::warn : spdlog::level::debug;
    if (!spdlog::should_log(level)) return;
    const auto total = call.decode_time + call.handler_time + call.encode_time;
    spdlog::log(
        level,
        "{}{}.{} {} status={} bytes={}/{} us={} peer={} request={}",
        call.deprecated ? "deprecated operation called: " : "",
        printable(call.service),
        printable(call.operation),
        name_of(call.version),
        call.http_status,
        call.bytes_in,
        call.bytes_out,
        std::chrono::duration_cast<std::chrono::microseconds>(total).count(),
        printable(call.peer),
        printable(call.request_id));
}

void log_error(const soapsvc::error_report& error) {
    spdlog::error(
        "incident {} in {}.{}: {} peer={} request={}",
        printable(error.incident),
        printable(error.service),
        printable(error.operation),
        printable(error.what),
        printable(error.peer),
        printable(error.request_id));
}

// --- Values from the command line ----------------------------------------------------------------

std::string text_problem(const std::string& text) {
    if (text.empty()) return "must not be empty";
    if (soapsvc::detail::find_bad_char(text) != std::string::npos)
        return "must be UTF-8 text without characters that XML forbids";
    for (const char each : text)
        if (static_cast<unsigned char>(each) < 0x20 || each == 0x7F)
            return "must not hold control characters";
    if (text.front() == ' ' || text.back() == ' ') return "must not begin or end with a space";
    return {};
}

std::string file_problem(const std::string& name) {
    if (name.empty() || name == ":memory:") return "must be the name of a file";
    return {};
}

std::string web_address_problem(const std::string& text) {
    std::string problem = text_problem(text);
    if (!problem.empty()) return problem;
    const bool web = text.rfind("http://", 0) == 0 || text.rfind("https://", 0) == 0;
    if (!web || text.find("//") + 2 == text.size()) return "must begin with http:// or https://";
    if (text.find_first_of(" \"<>") != std::string::npos) return "must not hold spaces, \" < or >";
    return {};
}

// --- Addresses -----------------------------------------------------------------------------------

bool is_loopback(const std::string& address) {
    if (address == "localhost") return true;
    in_addr four{};
    if (::inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24U == 127U;
    in6_addr six{};
    return ::inet_pton(AF_INET6, address.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::string url_host(const std::string& address) {
    return address.find(':') == std::string::npos ? address : '[' + address + ']';
}

// --- Temporary files -----------------------------------------------------------------------------

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "payroll-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::runtime_error(
            "cannot make a temporary folder: " + std::string(std::strerror(errno)));
    path_ = name;
}

void TemporaryFolder::remove() noexcept {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

// --- Signals -------------------------------------------------------------------------------------

StopSignals::StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

StopSignals::~StopSignals() {
    over_ = true;
    if (!thread_.joinable()) return;
    pthread_kill(thread_.native_handle(), SIGTERM);  // wakes it; it sees that all is over
    thread_.join();
}

void StopSignals::watch(std::function<void()> stop, std::function<void()> last) {
    stop_ = std::move(stop);
    last_ = std::move(last);
    thread_ = std::thread([this] { wait_for_two(); });
}

void StopSignals::wait_for_two() {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (over_) return;
    spdlog::info("stopping; a second signal ends at once");
    stop_();
    sigwait(&signals_, &signal);
    if (over_) return;
    last_();
    ::_exit(128 + signal);
}
