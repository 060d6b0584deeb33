// payroll: the three services over one SQLite file. Options, store, services, host; no logic.
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "admin.hpp"
#include "debtor.hpp"
#include "demo.hpp"
#include "employee.hpp"
#include "process.hpp"
#include "sign_on.hpp"
#include "store.hpp"

namespace {

constexpr const char* examples = R"(Try it, with users and data to play with:
  payroll serve --demo

Begin with an empty database:
  payroll domain add acme
  payroll user add acme alice          (asks for the password, prints the API token)
  payroll employee add acme            (prints the id)
  payroll serve --auth token

Let other machines in:
  payroll serve --listen 0.0.0.0 --auth token --public-url https://payroll.example.com)";

struct ServeOptions {
    std::string db;
    bool demo = false;
    std::string listen = "127.0.0.1";
    int port = 8080;
    std::string ns_base = "https://payroll.example.com/soap/v3";
    std::string public_url;
    std::vector<std::string> trusted_proxies;
    std::string auth;
    bool no_deprecated = false;
};

/// With a mere Domain anybody can read addresses: whoever opens the door says that this is meant.
AuthPolicy policy_of(const ServeOptions& given) {
    const bool inside =
        is_loopback(given.listen) && given.public_url.empty() && given.trusted_proxies.empty();
    if (given.auth.empty() && !inside)
        throw std::runtime_error(
            "others than this machine could call: say --auth token (they need Username and Token) "
            "or --auth domain (the name of a Domain suffices)");
    return given.auth == "token" ? AuthPolicy::token : AuthPolicy::domain;
}

/// More threads than AuthLimits lets wait for passwords and delayed answers: the rest goes on.
soapsvc::host_options host_options_of(const ServeOptions& given) {
    soapsvc::host_options options;
    options.ns_base = given.ns_base;
    options.public_url = given.public_url;
    options.trusted_proxies = given.trusted_proxies;
    options.serve_deprecated = !given.no_deprecated;
    options.threads = std::max(64U, std::thread::hardware_concurrency());
    options.on_call = log_call;
    options.on_error = log_error;
    return options;
}

void fill_with_demo_data(AdminStore& store, const std::string& file) {
    if (store.is_empty() && store.fill(demo_data(today(system_moment)))) return;
    spdlog::warn("{} holds data and is left as it is: --demo fills only an empty database", file);
}

int bind(soapsvc::host& host, const ServeOptions& given) {
    try {
        return host.bind(given.listen, given.port);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(
            std::string(error.what()) + "; choose another with --listen and --port");
    }
}

void serve(const ServeOptions& given) {
    const AuthPolicy policy = policy_of(given);
    StopSignals signals;
    std::optional<TemporaryFolder> folder;
    SqliteOptions database;
    database.file = given.db;
    if (given.demo && given.db.empty()) database.file = folder.emplace().path() / "demo.db";
    if (database.file.empty()) database.file = "payroll.db";
    SqliteStore store(database);
    if (given.demo) fill_with_demo_data(store, database.file);

    Authenticator callers(store, system_moment, policy);
    SingleSignOn sign_on(callers);
    EmployeeService employees(callers, store, system_moment);
    DebtorService debtors(callers, store);
    soapsvc::host host(host_options_of(given));
    host.add(sign_on);
    host.add(employees);
    host.add(debtors);

    const int port = bind(host, given);
    signals.watch(
        [&] { host.stop(); },
        [&] {
            if (folder) folder->remove();
        });
    std::cout << "listening on http://" << url_host(given.listen) << ':' << port << std::endl;
    host.serve();
}

void add_serve_command(CLI::App& app) {
    const auto given = std::make_shared<ServeOptions>();
    CLI::App* serve_app = app.add_subcommand("serve", "Serve the three services until SIGTERM");
    serve_app->add_option("--db", given->db, "Database file, made if need be [payroll.db]")
        ->check(CLI::Validator(file_problem, "FILE"));
    serve_app->add_flag(
        "--demo",
        given->demo,
        "Fill an empty database with demo data; without --db in a temporary one, gone at exit");
    serve_app->add_option("--listen", given->listen, "Address to listen on")->capture_default_str();
    serve_app->add_option("--port", given->port, "Port to listen on; 0 takes a free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    serve_app->add_option("--ns-base", given->ns_base, "Beginning of the services' XML namespaces")
        ->check(CLI::Validator(text_problem, "URI"))
        ->capture_default_str();
    serve_app
        ->add_option(
            "--public-url",
            given->public_url,
            "Address that clients use, up to and without /soap/v3, for the WSDL")
        ->check(CLI::Validator(web_address_problem, "URL"));
    serve_app->add_option(
        "--trusted-proxy",
        given->trusted_proxies,
        "Address of a proxy whose X-Forwarded-Proto, -Host and -For are believed; repeatable");
    serve_app
        ->add_option(
            "--auth",
            given->auth,
            "What a caller needs: domain (Domain suffices; Username and Token are checked if sent) "
            "or token (Username and Token). Default: domain, on this machine only")
        ->check(CLI::IsMember({"domain", "token"}));
    serve_app->add_flag(
        "--no-deprecated",
        given->no_deprecated,
        "Refuse GetToken and GetTokenWithDomain with a fault that names GetToken2");
    serve_app->footer(examples);
    serve_app->callback([given] { serve(*given); });
}

}  // namespace

int main(int argc, char** argv) {
    ::umask(077);  // the database, its log and its backups are nobody else's business
    start_log();
    CLI::App app(
        "SOAP services for single sign-on, employee addresses and debtor webhooks.", "payroll");
    app.set_version_flag("--version", SOAPSVC_VERSION);
    app.require_subcommand(1);
    app.footer(examples);
    app.failure_message([](const CLI::App*, const CLI::Error& error) {
        return "payroll: " + std::string(error.what()) + "; see payroll --help\n";
    });
    add_serve_command(app);
    add_operator_commands(app);
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::cerr << "payroll: " << error.what() << '\n';
        return 1;
    }
}
