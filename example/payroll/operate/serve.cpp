#include "operate/serve.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "operate/process.hpp"

namespace {

using std::chrono::milliseconds;

// --- Kinds of values -----------------------------------------------------------------------------

constexpr double longest_time = 86'400;  // seconds

/// The number of seconds, which may have decimals; negative if it is none, or out of range.
double read_seconds(const std::string& text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    const bool good = error == std::errc() && rest == end && value >= 0.001;
    return good && value <= longest_time ? value : -1;
}

std::string seconds_problem(const std::string& text) {
    return read_seconds(text) > 0 ? "" : "'" + text + "' is not 0.001 to 86400 seconds";
}

std::string mode_problem(const std::string& text) {
    const bool octal = !text.empty() && text.find_first_not_of("01234567") == std::string::npos;
    return octal && text.size() <= 4 ? "" : "'" + text + "' is not an octal mode such as 660";
}

/// "127.0.0.1:9090" or "[::1]:9090"; nullopt if it is not like that.
std::optional<Endpoint> read_endpoint(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) return std::nullopt;
    std::string address = text.substr(0, colon);
    const bool brackets = address.front() == '[' && address.back() == ']';
    if (brackets) address = address.substr(1, address.size() - 2);
    const bool colons = address.find(':') != std::string::npos;
    if (address.empty() || colons != brackets) return std::nullopt;
    int port = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, port);
    if (error != std::errc() || rest != end || port < 0 || port > 65535) return std::nullopt;
    return Endpoint{address, port};
}

std::string endpoint_problem(const std::string& text) {
    return read_endpoint(text) ? "" : "'" + text + "' is not an address and a port: 127.0.0.1:9090";
}

/// A count, or a number of bytes that may end in KB, MB or GB.
void add_number(
    CLI::App& command,
    const std::string& name,
    std::size_t& value,
    std::pair<std::size_t, std::size_t> range,
    const std::string& help,
    bool bytes = false) {
    CLI::Option* option = command.add_option(name, value, help)->capture_default_str();
    option->type_name(bytes ? "BYTES" : "NUMBER");
    if (bytes) option->transform(CLI::AsSizeValue(false).description(""));
    option->check(CLI::Range(range.first, range.second).description(""));
}

std::string host_name_problem(const std::string& text) {
    const bool good = !text.empty() && text.find_first_of("/:@ ") == std::string::npos;
    const bool v6 = text.size() > 2 && text.front() == '[' && text.back() == ']';
    return good || v6 ? "" : "'" + text + "' is not a host's name without its port";
}

std::string origin_problem(const std::string& text) {
    const std::size_t end = text.find("://");
    const bool good = end != 0 && end != std::string::npos && end + 3 != text.size() &&
                      text.find_first_of("/@ ", end + 3) == std::string::npos;
    return good ? "" : "'" + text + "' is not a scheme and a host, as in https://app.example.com";
}

constexpr std::size_t most_bytes = 1'024UL * 1'024 * 1'024;

// --- Groups --------------------------------------------------------------------------------------

void add_data_options(CLI::App& command, ServeOptions& given) {
    command
        .add_option(
            "--db",
            given.db,
            "Database file, made if need be [payroll.db]; or postgresql://..., in every form that "
            "libpq takes")
        ->check(CLI::Validator(file_problem, "FILE"));
    command.add_option(
        "--read-from",
        given.store.read_from,
        "PostgreSQL standbys to read addresses and webhooks from, written as --db is; commits wait "
        "until they show what was written");
    command
        .add_option(
            "--db-connections", given.store.connections, "Connections to PostgreSQL, at most")
        ->check(CLI::Range(2, 500))
        ->capture_default_str();
    add_time(
        command, "--db-timeout", given.store.timeout, "How long a call may wait for the database");
    command.add_flag(
        "--demo",
        given.demo,
        "Fill an empty database with demo data; without --db in a temporary one, gone at exit");
}

void add_address_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("Where it listens");
    CLI::Option* listen =
        group.add_option("--listen", given.listen, "Address to listen on")->capture_default_str();
    CLI::Option* port =
        group.add_option("--port", given.port, "Port to listen on; 0 takes a free one")
            ->check(CLI::Range(0, 65535))
            ->capture_default_str();
    group
        .add_option(
            "--unix",
            given.unix_path,
            "Unix domain socket for a proxy on this machine: instead of the port, or beside it if "
            "--listen or --port is given too. Needs --auth")
        ->check(CLI::Validator(file_problem, "PATH"));
    group
        .add_option_function<std::string>(
            "--unix-mode",
            [&given](const std::string& text) {
                given.unix_mode = static_cast<unsigned>(std::stoul(text, nullptr, 8));
            },
            "Who may connect to the Unix socket, as chmod writes it")
        ->check(CLI::Validator(mode_problem, ""))
        ->type_name("MODE")
        ->default_str("660");
    group.add_option("--backlog", given.host.backlog, "Connections that the kernel keeps for us")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    group.add_flag(
        "!--tcp-delay", given.host.tcp_nodelay, "Let the kernel gather small writes (Nagle)");
    command.parse_complete_callback([&given, listen, port] {
        given.tcp = given.unix_path.empty() || listen->count() + port->count() != 0;
    });
}

void add_proxy_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("Behind a proxy");
    group
        .add_option(
            "--public-url",
            given.services.public_url,
            "Address that clients use, up to and without /soap/v3, for the WSDL")
        ->check(CLI::Validator(web_address_problem, "URL"));
    group.add_option(
        "--trusted-proxy",
        given.services.trusted_proxies,
        "Address of a proxy whose X-Forwarded-Proto, -Host and -For are believed; 'unix' is who "
        "calls through --unix; repeatable");
}

void add_caller_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("From which web pages it may be called");
    group
        .add_option(
            "--host-name",
            given.services.browsers.host_names,
            "Name by which it may be called, beside its address, that of --public-url and, on "
            "loopback, localhost; others get 421. Repeatable; needs --auth")
        ->check(CLI::Validator(host_name_problem, "NAME"));
    group
        .add_option(
            "--allow-origin",
            given.services.browsers.allowed_origins,
            "Other site whose pages may call, as in https://app.example.com; those of any other "
            "get 403. Repeatable; needs --auth")
        ->check(CLI::Validator(origin_problem, "ORIGIN"));
    group.add_flag(
        "--accept-missing-content-type",
        given.services.browsers.accept_missing_content_type,
        "Take a POST that does not say what it is for XML, for old clients; else it gets 415");
}

void add_tls_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("TLS (SIGHUP reads the files again)");
    CLI::Option* certificate =
        group
            .add_option(
                "--certificate",
                given.host.tls.certificate_file,
                "PEM file with the certificate and its chain; with it only https is spoken")
            ->check(CLI::ExistingFile);
    group
        .add_option(
            "--key",
            given.host.tls.key_file,
            "PEM file with its private key [the certificate's file]")
        ->check(CLI::ExistingFile)
        ->needs(certificate);
    group
        .add_option(
            "--client-ca",
            given.host.tls.ca_file,
            "PEM file with authorities; clients must show a certificate of theirs")
        ->check(CLI::ExistingFile)
        ->needs(certificate);
}

void add_page_options(CLI::App& group, soapsvc::dispatcher_options& services) {
    group.add_flag(
        "!--no-help-pages", services.pages.help, "Answer GET with the WSDL only, no help pages");
    using soapsvc::test_form;
    const std::map<std::string, test_form> callers{
        {"everyone", test_form::everyone},
        {"loopback", test_form::loopback},
        {"nobody", test_form::nobody}};
    group
        .add_option_function<std::string>(
            "--try-it",
            [&services, callers](const std::string& text) {
                services.pages.test_form = callers.at(text);
            },
            "Who sees the form on the help pages that sends requests: everyone, loopback (this "
            "machine) or nobody")
        ->check(CLI::IsMember({"everyone", "loopback", "nobody"}))
        ->default_str("everyone");
}

void add_sender_options(CLI::App& group, ServeOptions& given) {
    group
        .add_option(
            "--auth",
            given.auth,
            "What a caller needs: domain (Domain suffices; Username and Token are checked if "
            "sent) or token (Username and Token). Default: domain, on this machine only")
        ->check(CLI::IsMember({"domain", "token"}));
    group
        .add_option_function<std::string>(
            "--username-token",
            [&given](const std::string& text) {
                given.username_token = true;
                given.services.security.allow_password_text_without_tls = text == "anywhere";
            },
            "Take a UsernameToken of WS-Security, too, where AuthHeaderWithDomain is taken: "
            "Username is user or user@domain, Password is what Token is. Over tls only, or "
            "anywhere")
        ->check(CLI::IsMember({"tls", "anywhere"}));
}

void add_service_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("What is served");
    group
        .add_option(
            "--ns-base", given.services.ns_base, "Beginning of the services' XML namespaces")
        ->check(CLI::Validator(text_problem, "URI"))
        ->capture_default_str();
    add_sender_options(group, given);
    group.add_option("--base-path", given.services.base_path, "Beginning of the services' paths")
        ->check(CLI::Validator(text_problem, "PATH"))
        ->capture_default_str();
    add_page_options(group, given.services);
    group.add_flag(
        "--no-deprecated",
        given.no_deprecated,
        "Refuse GetToken and GetTokenWithDomain with a fault that names GetToken2");
    using soapsvc::unknown_elements;
    group
        .add_option_function<std::string>(
            "--unknown-elements",
            [&given](const std::string& text) {
                given.services.unknown_elements =
                    text == "ignore" ? unknown_elements::ignore : unknown_elements::refuse;
            },
            "Elements of ours that no table knows: refuse with a fault that names them, or ignore "
            "for old clients that send more")
        ->check(CLI::IsMember({"refuse", "ignore"}))
        ->default_str("refuse");
}

void add_capacity_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("How much at once");
    soapsvc::host_options& host = given.host;
    add_number(
        group,
        "--threads",
        host.threads,
        {1, 1024},
        "Workers [2 for each core that it may use, at least 4], and as many of a lower priority "
        "for what is large; waiting connections hold none");
    group.get_option("--threads")->default_str("");  // of one machine, and the help is for all
    add_number(
        group,
        "--spare-threads",
        host.limits.max_spare_threads,
        {0, 1024},
        "More workers, while others wait for the database: so many calls may wait at once");
    add_number(group, "--connections", host.limits.max_connections, {1, 1'000'000}, "Open at once");
    add_number(
        group,
        "--queue",
        host.limits.max_queued_requests,
        {1, 1'000'000},
        "Requests that wait; then 503");
    add_number(
        group,
        "--unfinished-bytes",
        host.limits.max_buffered_bytes,
        {65'536, 1'024 * most_bytes},
        "Held for all unfinished requests together; then 503",
        true);
    add_number(
        group,
        "--requests-per-connection",
        host.limits.max_requests_per_connection,
        {0, 1'000'000'000},
        "Then it is closed; 0: no bound");
}

void add_size_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("How large a request may be");
    soapsvc::host_options& host = given.host;
    add_number(
        group,
        "--header-bytes",
        host.limits.max_header_bytes,
        {1'024, 16 * 1'024 * 1'024},
        "Request line and header fields; then 431",
        true);
    add_number(group, "--header-fields", host.limits.max_header_fields, {8, 10'000}, "Then 431");
    add_number(
        group,
        "--target-bytes",
        host.limits.max_target_bytes,
        {256, 1'024 * 1'024},
        "Path and query; then 414",
        true);
    add_number(
        group,
        "--body-bytes",
        given.services.limits.max_body_bytes,
        {1'024, most_bytes},
        "Body, counted after unpacking; then 413",
        true);
    add_number(
        group,
        "--gzip-bytes",
        host.gzip_min_bytes,
        {0, most_bytes},
        "From which length on replies are packed for those who accept it",
        true);
    group.add_flag("!--no-gzip", host.gzip_responses, "Pack no replies");
}

void add_time_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("How long it waits");
    soapsvc::host_options& host = given.host;
    add_time(group, "--header-timeout", host.timeouts.header, "For a whole header, or a handshake");
    add_time(group, "--silence-timeout", host.timeouts.read, "Without a byte within a body");
    add_time(group, "--request-timeout", host.timeouts.request, "For a whole request");
    add_time(
        group, "--write-timeout", host.timeouts.write, "Without a byte of a reply being taken");
    add_time(group, "--idle-timeout", host.timeouts.idle, "Between two requests");
    add_time(
        group, "--stop-timeout", host.timeouts.stop, "After SIGTERM, for requests in progress");
    add_time(
        group,
        "--drain-delay",
        given.drain_delay,
        "After SIGTERM, serving on while /readyz says 503, so that a proxy sends no more; then it "
        "stops");
}

void add_operator_options(CLI::App& group, ServeOptions& given) {
    CLI::Option* own =
        group
            .add_option_function<std::string>(
                "--operator-listen",
                [&given](const std::string& text) { given.operator_listen = read_endpoint(text); },
                "Address and port of a listener with /metrics, /readyz and /healthz for whoever "
                "reaches it, and no services; elsewhere /metrics and /readyz are 404 then. Port 0 "
                "takes a free one")
            ->check(CLI::Validator(endpoint_problem, ""))
            ->type_name("ADDRESS:PORT");
    group
        .add_option_function<std::string>(
            "--metrics-from",
            [&given](const std::string& text) {
                given.metrics_from = text == "any" ? MetricsFrom::any : MetricsFrom::loopback;
            },
            "Who may read /metrics where the services are: loopback (this machine, and not "
            "through a proxy), or any. /healthz and /readyz are for all")
        ->check(CLI::IsMember({"loopback", "any"}))
        ->default_str("loopback")
        ->excludes(own);
}

void add_log_options(CLI::App& command, ServeOptions& given) {
    CLI::App& group = *command.add_option_group("What operators see");
    group
        .add_option(
            "--name",
            given.name,
            "What this process is called in log and metrics, where there are several; with it each "
            "line of the log has it [host:pid, in JSON and metrics alone]")
        ->check(CLI::Validator(text_problem, "TEXT"));
    const std::map<std::string, LogFormat> formats{
        {"text", LogFormat::text}, {"json", LogFormat::json}};
    group
        .add_option_function<std::string>(
            "--log-format",
            [&given, formats](const std::string& text) { given.log.format = formats.at(text); },
            "Lines on standard error: text, or json with one object a line")
        ->check(CLI::IsMember({"text", "json"}))
        ->default_str("text");
    group
        .add_option(
            "--log-level",
            given.log.level,
            "The least that is logged; info has a line for each call")
        ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "critical", "off"}))
        ->envname("SPDLOG_LEVEL")
        ->capture_default_str();
    group.add_flag(
        "--log-messages",
        given.log.messages,
        "Log what came and what was answered, with *** for every secret");
    add_operator_options(group, given);
}

}  // namespace

void add_time(
    CLI::App& command, const std::string& name, milliseconds& value, const std::string& help) {
    const auto keep = [&value](const std::string& text) {
        value = milliseconds(static_cast<std::int64_t>(read_seconds(text) * 1000));
    };
    command.add_option_function<std::string>(name, keep, help)
        ->type_name("SECONDS")
        ->check(CLI::Validator(seconds_problem, ""))
        ->default_str(std::to_string(value.count() / 1000));
}

/// Few workers run at a time; those who wait for a commit or a password are replaced by spare ones.
/// As many may wait at once as there are spare ones: more than inserts that usually come at once.
/// One that was never needed holds some 10 KB, one that was, 100 KB.
ServeOptions::ServeOptions() {
    services.ns_base = "https://payroll.example.com/soap/v3";
    host.limits.max_spare_threads = 256;
}

void add_serve_options(CLI::App& command, ServeOptions& given) {
    add_data_options(command, given);
    add_address_options(command, given);
    add_proxy_options(command, given);
    add_caller_options(command, given);
    add_service_options(command, given);
    add_tls_options(command, given);
    add_capacity_options(command, given);
    add_size_options(command, given);
    add_time_options(command, given);
    add_log_options(command, given);
}

AuthPolicy policy_of(const ServeOptions& given) {
    const soapsvc::dispatcher_options& services = given.services;
    const bool inside = is_loopback(given.listen) && given.unix_path.empty() &&
                        services.public_url.empty() && services.trusted_proxies.empty() &&
                        services.browsers.host_names.empty() &&
                        services.browsers.allowed_origins.empty();
    if (given.auth.empty() && !inside)
        throw std::runtime_error(
            "others than this machine could call: say --auth token (they need Username and Token) "
            "or --auth domain (the name of a Domain suffices)");
    return given.auth == "token" ? AuthPolicy::token : AuthPolicy::domain;
}
