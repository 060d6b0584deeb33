#include "operate/serve.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "cli/decimal.hpp"
#include "operate/process.hpp"

namespace {

using std::chrono::milliseconds;

// --- Kinds of values -----------------------------------------------------------------------------

constexpr double longest_time = 86'400;  // seconds

/// Parses seconds with decimals; negative if invalid or out of range.
double read_seconds(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const bool good = error == std::errc() && rest == end && (value == 0 || value >= 0.001);
  return good && value <= longest_time ? value : -1;
}

std::string seconds_problem(const std::string& text, bool may_be_zero) {
  const double value = read_seconds(text);
  if (value > 0 || (may_be_zero && value == 0)) return "";
  return "'" + text + "' is not a number of seconds from " + (may_be_zero ? "0" : "0.001") +
         " to 86400";
}

std::string mode_problem(const std::string& text) {
  const bool octal = !text.empty() && text.find_first_not_of("01234567") == std::string::npos;
  return octal && text.size() <= 4 ? "" : "'" + text + "' is not an octal mode such as 660";
}

/// Parses "127.0.0.1:9090" or "[::1]:9090"; nullopt if invalid.
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
  return read_endpoint(text) ? ""
                             : "'" + text + "' is not an address and a port such as 127.0.0.1:9090";
}

/// Adds an option for a count, or for bytes with an optional KB, MB or GB.
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
  option->transform(is_decimal);
  option->check(CLI::Range(range.first, range.second).description(""));
}

/// Writes the address of a proxy as the host writes addresses of peers: 2001:DB8::1 becomes
/// 2001:db8::1. The host compares the two as text. Returns the error, or an empty text.
std::string normalize_proxy(std::string& text) {
  if (text == "unix") return "";
  const int family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> written{};
  if (::inet_pton(family, text.c_str(), bytes.data()) != 1)
    return "'" + text + "' is not an address such as 192.0.2.1, or unix; networks are not accepted";
  ::inet_ntop(family, bytes.data(), written.data(), written.size());
  text = written.data();
  if (text.starts_with("::ffff:") && text.find('.') != std::string::npos) text.erase(0, 7);
  return "";
}

std::string host_name_problem(const std::string& text) {
  const bool good = !text.empty() && text.find_first_of("/:@ ") == std::string::npos;
  const bool v6 = text.size() > 2 && text.front() == '[' && text.back() == ']';
  return good || v6 ? "" : "'" + text + "' is not a host name without a port";
}

std::string origin_problem(const std::string& text) {
  const std::size_t end = text.find("://");
  const bool good = end != 0 && end != std::string::npos && end + 3 != text.size() &&
                    text.find_first_of("/@ ", end + 3) == std::string::npos;
  return good ? "" : "'" + text + "' is not a scheme and a host such as https://app.example.com";
}

constexpr std::size_t most_bytes = 1'024UL * 1'024 * 1'024;

// --- Groups --------------------------------------------------------------------------------------

void add_data_options(CLI::App& command, ServeOptions& given) {
  command
      .add_option(
          "--db",
          given.db,
          "Database file, created if it does not exist [payroll.db]; or postgresql://..., "
          "in any form that libpq accepts")
      ->check(CLI::Validator(file_problem, "FILE"));
  command.add_option(
      "--read-from",
      given.store.read_from,
      "PostgreSQL standbys from which addresses and webhook settings are read, in the "
      "same form as --db. Commits wait until these standbys show the data");
  command
      .add_option(
          "--db-connections",
          given.store.connections,
          "Maximum number of connections to the primary PostgreSQL server. With --read-from, "
          "about two thirds as many again to the standbys")
      ->transform(is_decimal)
      ->check(CLI::Range(2, 500))
      ->capture_default_str();
  add_time(
      command,
      "--db-timeout",
      given.store.timeout,
      "Maximum time that a call waits for the database");
  command.add_flag(
      "--demo",
      given.demo,
      "Fill an empty database with demo data. Without --db, use a temporary database "
      "that is deleted at exit");
}

void add_address_options(CLI::App& command, ServeOptions& given) {
  CLI::App& group = *command.add_option_group("Where it listens");
  CLI::Option* listen =
      group.add_option("--listen", given.listen, "Address to listen on")->capture_default_str();
  CLI::Option* port =
      group.add_option("--port", given.port, "Port to listen on; 0 chooses a free port")
          ->transform(is_decimal)
          ->check(CLI::Range(0, 65535))
          ->capture_default_str();
  group
      .add_option(
          "--unix",
          given.unix_path,
          "Unix domain socket for a proxy on this machine. It replaces the TCP port, "
          "unless --listen or --port is given, too. Needs --auth")
      ->check(CLI::Validator(file_problem, "PATH"));
  group
      .add_option_function<std::string>(
          "--unix-mode",
          [&given](const std::string& text) {
            given.unix_mode = static_cast<unsigned>(std::stoul(text, nullptr, 8));
          },
          "Octal file mode of the Unix socket; it decides which users may connect")
      ->check(CLI::Validator(mode_problem, ""))
      ->type_name("MODE")
      ->default_str("660");
  group
      .add_option(
          "--backlog", given.host.backlog, "Maximum number of connections that the kernel queues")
      ->transform(is_decimal)
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  group.add_flag(
      "!--tcp-delay",
      given.host.tcp_nodelay,
      "Let the kernel combine small writes (Nagle's algorithm)");
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
          "Address that clients use, without /soap/v3 at its end; the WSDL contains it")
      ->check(CLI::Validator(web_address_problem, "URL"));
  group
      .add_option(
          "--trusted-proxy",
          given.services.trusted_proxies,
          "Address of a proxy whose X-Forwarded-Proto, -Host and -For are believed; "
          "'unix' stands for all callers on --unix. Repeatable")
      ->transform(CLI::Validator(normalize_proxy, "ADDRESS"));
}

void add_caller_options(CLI::App& command, ServeOptions& given) {
  CLI::App& group = *command.add_option_group("Web browsers");
  group
      .add_option(
          "--host-name",
          given.services.browsers.host_names,
          "Another host name of this server. The server always accepts its own address and "
          "the host of --public-url, and localhost if it listens on loopback. Requests for "
          "any other name get 421. Repeatable; needs --auth")
      ->allow_extra_args(false)  // else CLI11 reads [::1] as a list
      ->check(CLI::Validator(host_name_problem, "NAME"));
  group
      .add_option(
          "--allow-origin",
          given.services.browsers.allowed_origins,
          "Another site whose pages may call the services, such as https://app.example.com. "
          "Pages of all other sites get 403. Repeatable; needs --auth")
      ->check(CLI::Validator(origin_problem, "ORIGIN"));
  group.add_flag(
      "--accept-missing-content-type",
      given.services.browsers.accept_missing_content_type,
      "Accept a POST without a Content-Type from old clients; otherwise it gets 415");
}

void add_tls_options(CLI::App& command, ServeOptions& given) {
  CLI::App& group = *command.add_option_group("TLS (SIGHUP reads the files again)");
  CLI::Option* certificate =
      group
          .add_option(
              "--certificate",
              given.host.tls.certificate_file,
              "PEM file with the certificate and its chain. With this option the server "
              "speaks only https")
          ->check(CLI::ExistingFile);
  group
      .add_option("--key", given.host.tls.key_file, "PEM file with its private key [the same file]")
      ->check(CLI::ExistingFile)
      ->needs(certificate);
  group
      .add_option(
          "--client-ca",
          given.host.tls.ca_file,
          "PEM file with certificate authorities. Clients must present a certificate that "
          "one of them issued")
      ->check(CLI::ExistingFile)
      ->needs(certificate);
}

void add_page_options(CLI::App& group, soapsvc::dispatcher_options& services) {
  group.add_flag("!--no-help-pages", services.pages.help, "Serve the WSDL, but no help pages");
  using soapsvc::test_form;
  const std::map<std::string, test_form> callers{
      {"everyone", test_form::everyone},
      {"loopback", test_form::loopback},
      {"nobody", test_form::nobody}};
  group
      .add_option_function<std::string>(
          "--test-form",
          [&services, callers](const std::string& text) {
            services.pages.test_form = callers.at(text);
          },
          "Callers for which the help pages show a form that sends requests: everyone, "
          "loopback (this machine) or nobody")
      ->check(CLI::IsMember({"everyone", "loopback", "nobody"}))
      ->default_str("everyone");
}

void add_sender_options(CLI::App& group, ServeOptions& given) {
  group
      .add_option(
          "--auth",
          given.auth,
          "What a caller must send in the header block AuthHeaderWithDomain. domain: the "
          "element Domain is enough; Username and Token are checked if they are sent. token: "
          "Username and Token are required. Default: domain, if only this machine "
          "can call; otherwise this option is required")
      ->check(CLI::IsMember({"domain", "token"}));
  group
      .add_option_function<std::string>(
          "--username-token",
          [&given](const std::string& text) {
            given.username_token = true;
            given.services.security.allow_password_text_without_tls = text == "anywhere";
          },
          "Also accept a UsernameToken of WS-Security in place of AuthHeaderWithDomain: "
          "tls (over TLS only) or anywhere. Its Username is user or user@domain, its "
          "Password an API token, or a token from `payroll token`")
      ->check(CLI::IsMember({"tls", "anywhere"}));
}

void add_service_options(CLI::App& command, ServeOptions& given) {
  CLI::App& group = *command.add_option_group("Services");
  group
      .add_option("--ns-base", given.services.ns_base, "Beginning of the services' XML namespaces")
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
          "Unknown elements in the namespace of a service: refuse (with a fault that "
          "names them) or ignore (for old clients that send such elements)")
      ->check(CLI::IsMember({"refuse", "ignore"}))
      ->default_str("refuse");
}

void add_connection_options(CLI::App& group, soapsvc::server_limits& limits) {
  add_number(
      group,
      "--connections",
      limits.max_connections,
      {1, 1'000'000},
      "Maximum number of open connections");
  add_number(
      group,
      "--queue",
      limits.max_queued_requests,
      {1, 1'000'000},
      "Maximum number of requests that wait for an executor thread. Beyond it, the address "
      "with most of them loses its last request (503)");
  add_number(
      group,
      "--buffered-bytes",
      limits.max_buffered_bytes,
      {65'536, 1'024 * most_bytes},
      "Maximum memory for all unfinished requests and unread responses. Beyond it, the "
      "address that uses most of it loses a request (503) or a connection",
      true);
  add_number(
      group,
      "--requests-per-connection",
      limits.max_requests_per_connection,
      {0, 1'000'000'000},
      "Number of requests after which a connection is closed; 0: no limit");
}

void add_capacity_options(CLI::App& command, ServeOptions& given) {
  CLI::App& group = *command.add_option_group("Capacity");
  soapsvc::host_options& host = given.host;
  add_number(
      group,
      "--threads",
      host.threads,
      {1, 1024},
      "Worker threads [2 for each available core, at least 4]. Idle connections use no "
      "thread");
  group.get_option("--threads")->default_str("");  // the default depends on the machine
  add_number(
      group,
      "--executor-threads",
      host.limits.max_executor_threads,
      {1, 1024},
      "Maximum number of executor threads (the library's default is 60). They run calls that "
      "block: sign-on, inserts, and with PostgreSQL all calls. Up to a quarter of the threads "
      "is kept for blocking sections");
  add_connection_options(group, host.limits);
}

void add_size_options(CLI::App& command, ServeOptions& given) {
  CLI::App& group = *command.add_option_group("Sizes");
  soapsvc::host_options& host = given.host;
  add_number(
      group,
      "--header-bytes",
      host.limits.max_header_bytes,
      {1'024, 16 * 1'024 * 1'024},
      "Maximum size of the request line and the headers; beyond it 431",
      true);
  add_number(
      group,
      "--header-fields",
      host.limits.max_header_fields,
      {8, 10'000},
      "Maximum number of headers; beyond it 431");
  add_number(
      group,
      "--target-bytes",
      host.limits.max_target_bytes,
      {256, 1'024 * 1'024},
      "Maximum size of path and query; beyond it 414",
      true);
  add_number(
      group,
      "--body-bytes",
      given.services.limits.max_body_bytes,
      {1'024, most_bytes},
      "Maximum size of a decompressed body; beyond it 413",
      true);
  add_number(
      group,
      "--gzip-bytes",
      host.gzip_min_bytes,
      {0, most_bytes},
      "Minimum size of a response that is compressed, if the client accepts gzip",
      true);
  group.add_flag("!--no-gzip", host.gzip_responses, "Do not compress responses");
}

void add_time_options(CLI::App& command, ServeOptions& given) {
  CLI::App& group = *command.add_option_group("Timeouts");
  auto& times = given.host.timeouts;
  add_time(
      group,
      "--header-timeout",
      times.header,
      "Maximum time for a whole header, or for a TLS handshake");
  add_time(
      group,
      "--read-timeout",
      times.read,
      "In each such time, a body must bring 200 bytes a second or more, or it is cut off");
  add_time(group, "--request-timeout", times.request, "Maximum time for a whole request");
  add_time(
      group,
      "--queue-timeout",
      times.queue,
      "Maximum time that a call waits in the queue for a thread. Then the response is 503");
  add_time(
      group,
      "--write-timeout",
      times.write,
      "In each such time, a client must read a response at 200 bytes a second or more. "
      "Otherwise the response is cut off");
  add_time(group, "--idle-timeout", times.idle, "Maximum time between requests of a connection");
  add_time(
      group,
      "--stop-timeout",
      times.stop,
      "Maximum time for transfers in progress after SIGTERM. The server always waits for "
      "methods that still run");
  add_time(
      group,
      "--drain-delay",
      given.drain_delay,
      "Time after SIGTERM in which the server still serves, but /readyz answers 503, "
      "so that a proxy sends no more requests. Then the server stops",
      true);
}

void add_operator_options(CLI::App& group, ServeOptions& given) {
  CLI::Option* own =
      group
          .add_option_function<std::string>(
              "--operator-listen",
              [&given](const std::string& text) { given.operator_listen = read_endpoint(text); },
              "Address and port of a separate listener with /metrics, /readyz and "
              "/healthz for every client that reaches it, and no services. It speaks TLS if "
              "the other listeners do. On these, /metrics and /readyz are then 404. Port 0 "
              "chooses a free port")
          ->check(CLI::Validator(endpoint_problem, ""))
          ->type_name("ADDRESS:PORT");
  group
      .add_option_function<std::string>(
          "--metrics-from",
          [&given](const std::string& text) {
            given.metrics_from = text == "any" ? MetricsFrom::any : MetricsFrom::loopback;
          },
          "Callers that may read /metrics on the listeners of the services: loopback "
          "(this machine, and not through a proxy) or any. All callers may read /healthz "
          "and /readyz")
      ->check(CLI::IsMember({"loopback", "any"}))
      ->default_str("loopback")
      ->excludes(own);
}

void add_log_options(CLI::App& command, ServeOptions& given) {
  CLI::App& group = *command.add_option_group("Log and pages for operators");
  group
      .add_option(
          "--name",
          given.name,
          "Name of this process in the metrics and on each line of the log, to "
          "distinguish several processes [host:pid, only in the metrics and the JSON log]")
      ->check(CLI::Validator(text_problem, "TEXT"));
  const std::map<std::string, LogFormat> formats{
      {"text", LogFormat::text}, {"json", LogFormat::json}};
  group
      .add_option_function<std::string>(
          "--log-format",
          [&given, formats](const std::string& text) { given.log.format = formats.at(text); },
          "Format of the log on standard error: text, or json with one object on each "
          "line")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  group
      .add_option(
          "--log-level",
          given.log.level,
          "Minimum level of the lines in the log: trace, debug, info, warning, error, critical or "
          "off; each call is a line of level info")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "critical", "off"})
                  .description(""))
      ->envname("SPDLOG_LEVEL")
      ->capture_default_str();
  group.add_flag(
      "--log-messages",
      given.log.messages,
      "Log the envelopes of requests and responses, with *** for every secret");
  add_operator_options(group, given);
}

}  // namespace

void add_time(
    CLI::App& command,
    const std::string& name,
    milliseconds& value,
    const std::string& help,
    bool may_be_zero) {
  const auto problem = [may_be_zero](const std::string& text) {
    return seconds_problem(text, may_be_zero);
  };
  const auto keep = [&value](const std::string& text) {
    value = milliseconds(static_cast<std::int64_t>(read_seconds(text) * 1000));
  };
  command.add_option_function<std::string>(name, keep, help)
      ->type_name("SECONDS")
      ->check(CLI::Validator(problem, ""))
      ->default_str(std::to_string(value.count() / 1000));
}

/// Few workers run at a time; the executor runs calls that wait for a commit or a password. It has
/// more threads than the usual number of concurrent inserts. A thread that never ran takes about 10
/// KB of memory; a thread that ran takes 100 KB.
ServeOptions::ServeOptions() {
  services.ns_base = "https://payroll.example.com/soap/v3";
  host.limits.max_executor_threads = 256;
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
    throw CLI::ValidationError(
        "other machines can call this server: give --auth token (callers need Username and "
        "Token) or --auth domain (the name of a Domain is enough)");
  return given.auth == "token" ? AuthPolicy::token : AuthPolicy::domain;
}
