// payroll: the three services over SQLite or PostgreSQL. It combines options, store, services and
// host; it has no logic of its own.
#include <fcntl.h>
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "auth/auth.hpp"
#include "cli/admin.hpp"
#include "cli/call.hpp"
#include "cli/help.hpp"
#include "cli/suggestion.hpp"
#include "cli/words.hpp"
#include "operate/log.hpp"
#include "operate/metrics.hpp"
#include "operate/process.hpp"
#include "operate/serve.hpp"
#include "operate/status.hpp"
#include "services/debtor.hpp"
#include "services/employee.hpp"
#include "services/sign_on.hpp"
#include "store/demo.hpp"
#include "store/store.hpp"

namespace {

constexpr const char* examples = R"(Try it with demo users and demo data:
  payroll serve --demo

Begin with an empty database:
  payroll domain add acme
  payroll user add acme alice      (asks for the password, prints the API token)
  payroll employee add acme        (prints the id)
  payroll serve --auth token

Accept calls from other machines:
  payroll serve --listen 0.0.0.0 --auth token --public-url https://pay.example

Call a running server, from this machine or another:
  payroll addresses list 1 --domain acme --url http://127.0.0.1:8080

Exit status: 0 success, 1 failure or fault, 2 wrong command line, 3 no response)";

/// The hooks of the host that observe each request.
soapsvc::dispatcher_options observed(const ServeOptions& given, Log& log, Metrics& metrics) {
  soapsvc::dispatcher_options options = given.services;
  options.serve_deprecated = !given.no_deprecated;
  options.on_call = [&](const soapsvc::call_report& call) {
    metrics.count(call);
    log.call(call);
  };
  options.on_error = [&](const soapsvc::error_report& error) {
    metrics.count_incident();
    log.error(error);
  };
  if (given.log.messages)
    options.on_message = [&log](const soapsvc::message_report& message) { log.message(message); };
  return options;
}

Gauges gauges_of(const soapsvc::host& host, const Log& log) {
  const soapsvc::host_statistics now = host.statistics();
  return {now.connections, now.parked, now.queued, now.accepted, now.refused, log.lost()};
}

/// Adds the operators' pages to the listeners of `role`. /healthz and /readyz are on all listeners,
/// because load balancers use the same listener as the callers.
void add_status_pages(
    soapsvc::host& host, const StatusSources& sources, soapsvc::listener_role role) {
  host.add_page("/healthz", healthz);
  host.add_page(
      "/readyz", [&sources](const auto&) { return readyz(sources); }, role);
  host.add_page(
      "/metrics", [&sources](const auto& request) { return metrics_page(sources, request); }, role);
}

/// The demo's passwords are public, so their hashes are cheap, and the server starts faster.
void fill_with_demo_data(AdminStore& store, const std::string& file) {
  constexpr PasswordCost cheap{1024, 8, 1};
  if (store.is_empty() && store.fill(demo_data(today(system_moment), cheap))) return;
  spdlog::warn("{} holds data and was not changed: --demo fills only an empty database", file);
}

StoreOptions store_options(const ServeOptions& given, const std::string& db) {
  StoreOptions options = given.store;
  options.db = db;
  options.serves = true;
  options.tell = [](const std::string& what) { spdlog::warn("{}", what); };
  return options;
}

/// Opens the database of the option; without it, the default file, or a file in `folder` if there
/// is one.
std::unique_ptr<Store> open_store(
    const ServeOptions& given, const std::optional<TemporaryFolder>& folder) {
  std::string db = given.db;
  if (db.empty()) db = folder ? (folder->path() / "demo.db").string() : "payroll.db";
  std::unique_ptr<Store> store = open_store(store_options(given, db));
  if (given.demo) fill_with_demo_data(*store, shown_database(db));
  return store;
}

/// The three services and the Authenticator.
struct Services {
  Services(Store& store, const ServeOptions& given, const AuthPolicy& policy)
      : callers(
            store,
            system_moment,
            policy,
            limits_for(given.host.limits.max_executor_threads),
            store.guesses()),
        sign_on(callers),
        employees(callers, store, system_moment),
        debtors(callers, store) {}

  void add_to(soapsvc::host& host) {
    host.add(sign_on);
    host.add(employees);
    host.add(debtors);
  }

  Authenticator callers;
  SingleSignOn sign_on;
  EmployeeService employees;
  DebtorService debtors;
};

/// Accepts a UsernameToken in place of the header block. All processes on a database share its
/// nonces.
void know_senders(soapsvc::security_options& security, Authenticator& callers, Store& store) {
  security.check_password = [&callers](auto user, auto password, const auto& told) {
    return callers.sender_of(user, password, told);
  };
  security.replay_cache = store.replays();
}

/// Begins to listen on a port; returns the line to print.
std::string bind_port(
    soapsvc::host& host,
    const ServeOptions& given,
    const Endpoint& at,
    soapsvc::listener_role role,
    const char* options) {
  try {
    const int port = host.bind({.address = at.address, .port = at.port, .role = role});
    const char* const scheme = given.host.tls.certificate_file.empty() ? "http://" : "https://";
    return std::string("listening on ") + scheme + url_host(at.address) + ':' +
           std::to_string(port);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(error.what()) + "; choose another with " + options);
  }
}

/// Begins to listen; returns the lines to print.
std::string bind(soapsvc::host& host, const ServeOptions& given) {
  using soapsvc::listener_role;
  std::string told;
  if (given.tcp) {
    const Endpoint at{given.listen, given.port};
    told += bind_port(host, given, at, listener_role::everyone, "--listen and --port") + '\n';
  }
  if (!given.unix_path.empty()) {
    host.bind({.unix_path = given.unix_path});
    set_mode(given.unix_path, given.unix_mode);
    told += "listening on unix:" + given.unix_path + '\n';
  }
  if (given.operator_listen) {
    const Endpoint& at = *given.operator_listen;
    told += bind_port(host, given, at, listener_role::operators, "--operator-listen");
    told += " for operators\n";
  }
  return told;
}

/// Reloads at SIGHUP. If the new certificates cannot be read, the old ones stay in use.
void reload(soapsvc::host& host, const ServeOptions& given) {
  if (given.host.tls.certificate_file.empty())
    return spdlog::info("SIGHUP: nothing to reload without --certificate");
  try {
    host.reload_certificates();
    spdlog::info("SIGHUP: new connections use {} as it is now", given.host.tls.certificate_file);
  } catch (const std::exception& error) {
    spdlog::error("SIGHUP: {}; the old certificate stays in use", error.what());
  }
}

/// The options of the log. Its lines have the name of the process if --name is set or the format is
/// JSON.
LogOptions log_options(const ServeOptions& given, const std::string& name) {
  LogOptions options = given.log;
  if (!given.name.empty() || options.format == LogFormat::json) options.process = name;
  return options;
}

/// Prints the addresses of the server. If this fails, the server continues, and its exit status is
/// 0.
void print_ready(const std::string& ready) {
  if (std::cout << ready << std::flush) return;
  spdlog::warn("standard output cannot be written; the server serves all the same");
  std::cout.clear();
}

void return_free_memory() {
#if defined(M_TRIM_THRESHOLD)
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);  // else a thread may keep 64 MB after a large request
#endif
}

soapsvc::host_options host_options_of(const ServeOptions& given) {
  soapsvc::host_options options = given.host;
  options.on_notice = [](std::string_view what) { spdlog::warn("{}", what); };
  options.sd_notify = true;
  return options;
}

void serve(const ServeOptions& given) {
  return_free_memory();
  const AuthPolicy policy = policy_of(given);
  std::optional<TemporaryFolder> folder;
  if (given.demo && given.db.empty()) folder.emplace();
  Signals signals([&folder] {
    if (folder) folder->remove();
  });
  const std::string name = given.name.empty() ? name_of_process() : given.name;
  Log log(log_options(given, name));
  const std::unique_ptr<Store> store = open_store(given, folder);
  Services services(*store, given, policy);
  Metrics metrics(name);
  soapsvc::dispatcher_options options = observed(given, log, metrics);
  options.blocking = is_database_server(given.db);
  if (given.username_token) know_senders(options.security, services.callers, *store);
  soapsvc::host host(std::move(options), host_options_of(given));
  Readiness readiness(*store);
  const StatusSources sources{
      readiness,
      metrics,
      [&] { return gauges_of(host, log); },
      given.metrics_from,
      given.services.trusted_proxies};
  services.add_to(host);
  using soapsvc::listener_role;
  add_status_pages(
      host, sources, given.operator_listen ? listener_role::operators : listener_role::everyone);
  const std::string ready = bind(host, given);
  signals.watch(
      {.leave = [&] { readiness.leave(); },
       .drain = given.drain_delay,
       .stop =
           [&] {
             services.callers.stop_waiting();  // first: the services end soon after the host
             host.stop();
           },
       .reload = [&] { reload(host, given); }});
  print_ready(ready);
  host.serve();
}

/// Opens each standard stream that the parent process has closed. Otherwise the next socket would
/// get its number, and an API token on standard output would go to the database server. The stream
/// is opened for reading only, so that writing fails, as on a closed stream.
void open_closed_streams() {
  for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(each, F_GETFD) == -1) ::open("/dev/null", O_RDONLY);  // its number is `each`
}

/// Removes the passwords of database addresses from an error text, which may quote the command
/// line.
std::string without_passwords(std::string text, int argc, char** argv) {
  for (int at = 1; at < argc; ++at) {
    const std::string word = argv[at];
    for (const std::string& given : {word, word.substr(word.find('=') + 1)}) {
      std::string shown = shown_database(given);
      if (shown == given) continue;
      if (shown == "***") shown += " (hidden: it may be a password)";
      for (std::size_t found = text.find(given); found != std::string::npos;
           found = text.find(given, found + shown.size()))
        text.replace(found, given.size(), shown);
    }
  }
  return text;
}

void add_serve_command(CLI::App& app) {
  const auto given = std::make_shared<ServeOptions>();
  CLI::App* serve_app = app.add_subcommand("serve", "Serve the three services until SIGTERM");
  add_serve_options(*serve_app, *given);
  serve_app->callback([given] { serve(*given); });
}

/// Gives the commands without a title a title in --help. Call it after their subcommands were
/// added, because these would inherit the title.
void group_commands(CLI::App& app, const char* title) {
  for (CLI::App* each : app.get_subcommands(nullptr))
    if (each->get_group() == "Subcommands") each->group(title);
}

/// Runs the command; returns its exit status.
int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(words_of(argc, argv));
    return 0;
  } catch (const CLI::RuntimeError& ended) {  // the call failed, and the reason is printed
    return ended.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "payroll: " << error.what() << '\n';
    return dynamic_cast<const WrongOptions*>(&error) == nullptr ? 1 : 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_closed_streams();
  ::umask(077);  // only this user may read the database, its log and its backups
  start_log();
  CLI::App app(
      "SOAP services for single sign-on, employee addresses and debtor webhooks.", "payroll");
  app.set_version_flag("--version", SOAPSVC_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.failure_message([argc, argv](const CLI::App* all, const CLI::Error& error) {
    const std::string meant = suggestion(*all, argc, argv);
    if (!meant.empty() && meant.front() != '-')
      return "payroll: there is no such command; did you mean " + meant + "?\n";
    return "payroll: " + without_passwords(error.what(), argc, argv) +
           (meant.empty() ? "; see payroll --help\n" : "; did you mean " + meant + "?\n");
  });
  add_serve_command(app);
  add_operator_commands(app);
  group_commands(app, "Subcommands that open the database");
  add_call_commands(app);
  group_commands(app, "Subcommands that call a server");
  app.footer(examples);  // last, because a new command inherits its parent's settings
  const int status = run(app, argc, argv);
  if (status != 0 || std::cout.flush()) return status;
  std::cerr << "payroll: standard output cannot be written; the command was carried out, but its "
               "output is incomplete\n";
  return 1;
}
