#include "cli/admin.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>

#include "auth/auth.hpp"
#include "auth/name.hpp"
#include "cli/decimal.hpp"
#include "operate/process.hpp"
#include "store/copy.hpp"
#include "store/store.hpp"

namespace {

using Outcome = AdminStore::Outcome;

// --- Values from the command line ----------------------------------------------------------------

/// The values of all options; each command uses some of them.
struct Given {
  std::string db = "payroll.db";
  std::string domain;
  std::string name;
  std::string endpoint;
  std::int32_t id = 0;
  std::int32_t debtor = 0;
  bool inactive = false;
  std::vector<std::int32_t> events;
  std::vector<std::int32_t> inactive_events;
  std::string file;
  std::string to;
  std::vector<std::string> roles;
  int partitions = 0;
};

const CLI::Validator is_text(text_problem, "TEXT");
/// For an existing user or domain, also from a time with other rules.
const CLI::Validator is_name(
    [](std::string& text) {
      text = normal_name(text);
      return text_problem(text);
    },
    "TEXT");
/// For a new user or domain.
const CLI::Validator is_new_name(
    [](std::string& text) {
      std::string problem = name_problem(text);
      text = normal_name(text);
      return problem;
    },
    "TEXT");
const CLI::Validator is_file(file_problem, "FILE");
const CLI::Validator is_web_address(web_address_problem, "URL");
const CLI::Range is_id(1, 2147483647);

// --- Passwords -----------------------------------------------------------------------------------

/// Reads from standard input, never from the command line, which other users of the machine can
/// read.
std::string read_password() {
  const bool person = ::isatty(STDIN_FILENO) == 1;
  std::string password = person ? ask_secret("Password: ") : secret_line(std::cin);
  if (person && ask_secret("Again: ") != password)
    throw std::runtime_error("the two passwords differ; nothing was changed");
  if (password.empty()) throw std::runtime_error("the password must not be empty");
  if (password.size() > longest_password)
    throw std::runtime_error(
        "the password must not be longer than " + std::to_string(longest_password) + " bytes");
  if (!soapsvc::is_xml_text(password))
    throw std::runtime_error("the password must be UTF-8 text without characters that XML forbids");
  return password;
}

// --- Output --------------------------------------------------------------------------------------

/// Writes to standard error, because scripts read standard output.
void tell(const std::string& what) { std::cerr << "payroll: " << what << '\n'; }

/// Prints only the token to standard output, so that a script can read it. Without the check,
/// SIGPIPE would end the program without an error for the lost token.
void print_token(const std::string& token) {
  std::signal(SIGPIPE, SIG_IGN);
  if (!(std::cout << token << std::endl))
    throw std::runtime_error(
        "the change was made, but the token cannot be written to standard output; run `payroll "
        "user rotate-token` for a new one");
  std::cerr << "This is the user's API token. It is not kept and cannot be shown again.\n";
}

/// The same for the id of a new row.
void print_id(std::int32_t id, const std::string& of) {
  std::cout << id << std::endl;
  tell("added " + of);
}

// --- Commands ------------------------------------------------------------------------------------

/// Replaces --db in the text by the option that named the database.
std::string about(const std::string& option, std::string text) {
  const std::string usual = "--db";
  for (std::size_t at = 0; (at = text.find(usual, at)) != std::string::npos; at += option.size())
    text.replace(at, usual.size(), option);
  return text;
}

std::unique_ptr<Store> open_database(
    const Given& given, bool create, const std::string& option = "--db", bool alone = false) {
  StoreOptions options;
  options.alone = alone;
  options.db = given.db;
  options.create = create;
  options.partitions = given.partitions;
  options.tell = [option](const std::string& what) { tell(about(option, what)); };
  try {
    return open_store(options);
  } catch (const WrongOptions& error) {
    throw WrongOptions(about(option, error.what()));
  } catch (const UnusableDatabase& error) {
    throw UnusableDatabase(about(option, error.what()));
  }
}

void expect(Outcome outcome, const Given& given, const std::string& what) {
  switch (outcome) {
  case Outcome::done: return;
  case Outcome::exists: throw std::runtime_error(what + " exists already; nothing was changed");
  case Outcome::no_domain:
    throw std::runtime_error(
        "there is no domain '" + given.domain + "'; add it with `payroll domain add`");
  case Outcome::no_user:
    throw std::runtime_error(
        "there is no such user in domain '" + given.domain + "'; see `payroll user list`");
  case Outcome::no_debtor:
    throw std::runtime_error("there is no such debtor; see `payroll debtor list`");
  case Outcome::namesakes:
    throw std::runtime_error(
        std::to_string(most_namesakes) + " enabled users in other domains are named '" +
        given.name +
        "' already; one more could not sign on by password without a domain; choose another "
        "name, or disable one of these users");
  case Outcome::no_id:
    throw std::runtime_error(
        "there is no id after the highest one, 2147483647; give an id that is free with --id");
  case Outcome::no_event: throw std::runtime_error("there is no such event; events are 1 to 6");
  }
}

std::string user_of(const Given& given) {
  return "user '" + given.name + "' of domain '" + given.domain + "'";
}

void add_domain(const Given& given) {
  const std::string what = "domain '" + given.name + "'";
  expect(open_database(given, true)->add_domain(given.name), given, what);
  tell("added " + what + " to " + shown_database(given.db));
}

void add_user(const Given& given) {
  const auto store = open_database(given, false);
  const std::string token = random_token();
  const NewUser user{given.domain, given.name, hash_password(read_password()), digest_of(token)};
  expect(store->add_user(user), given, user_of(given));
  tell("added " + user_of(given));
  print_token(token);
}

void disable_user(const Given& given) {
  expect(
      open_database(given, false)->disable_user(given.domain, given.name), given, user_of(given));
  tell("disabled " + user_of(given));
}

void rotate_token(const Given& given) {
  const std::string token = random_token();
  const auto store = open_database(given, false);
  expect(store->rotate_token(given.domain, given.name, digest_of(token)), given, user_of(given));
  tell("replaced the API token of " + user_of(given));
  print_token(token);
}

void add_employee(const Given& given) {
  std::int32_t id = given.id;
  const auto store = open_database(given, false);
  expect(store->add_employee(given.domain, id), given, "employee " + std::to_string(id));
  print_id(id, "employee " + std::to_string(id) + " of domain '" + given.domain + "'");
}

void add_debtor(const Given& given) {
  std::int32_t id = given.id;
  const auto store = open_database(given, false);
  expect(store->add_debtor(given.domain, id), given, "debtor " + std::to_string(id));
  print_id(id, "debtor " + std::to_string(id) + " of domain '" + given.domain + "'");
}

void add_webhook(const Given& given) {
  NewWebhook webhook{given.debtor, given.name, given.endpoint, !given.inactive, {}};
  for (const std::int32_t kind : given.events)
    webhook.events.emplace_back(kind, true);
  for (const std::int32_t kind : given.inactive_events)
    webhook.events.emplace_back(kind, false);
  std::set<std::int32_t> kinds;
  for (const auto& event : webhook.events)
    if (!kinds.insert(event.first).second)
      throw std::runtime_error("event " + std::to_string(event.first) + " is given twice");
  std::int32_t id = 0;
  expect(open_database(given, false)->add_webhook(webhook, id), given, "this webhook");
  print_id(id, "webhook setting '" + given.name + "' of debtor " + std::to_string(given.debtor));
}

void list_domains(const Given& given) {
  for (const std::string& name : open_database(given, false)->list_domains())
    std::cout << name << '\n';
}

void list_users(const Given& given) {
  for (const auto& row : open_database(given, false)->list_users())
    std::cout << row.domain << '\t' << row.name << '\t' << (row.disabled ? "disabled" : "enabled")
              << '\n';
}

/// Counts the users by cost. A cheaper hash is renewed at the next sign-on by password.
void list_costs(const Given& given) {
  for (const auto& row : open_database(given, false)->list_costs()) {
    const std::int64_t work = row.cost * row.block_size * row.parallelisation;
    const bool is_old = work < static_cast<std::int64_t>(work_of(PasswordCost()));
    std::cout << row.cost << '\t' << row.block_size << '\t' << row.parallelisation << '\t'
              << (is_old ? "old" : "current") << '\t' << (row.disabled ? "disabled" : "enabled")
              << '\t' << row.users << '\n';
  }
}

void print_owned(const std::vector<AdminStore::OwnedRow>& rows) {
  for (const auto& row : rows)
    std::cout << row.domain << '\t' << row.id << '\n';
}

void list_employees(const Given& given) {
  print_owned(open_database(given, false)->list_employees());
}

void list_debtors(const Given& given) { print_owned(open_database(given, false)->list_debtors()); }

void list_webhooks(const Given& given) {
  for (const auto& row : open_database(given, false)->list_webhooks())
    std::cout << row.domain << '\t' << row.debtor_id << '\t' << row.id << '\t' << row.name << '\t'
              << row.endpoint << '\t' << (row.active ? "active" : "inactive") << '\t' << row.events
              << '\n';
}

void copy_all(const Given& given) {
  Given target = given;
  target.db = given.to;
  std::error_code none;  // false for addresses and missing files
  if (given.db == given.to || std::filesystem::equivalent(given.db, given.to, none))
    throw std::runtime_error("--from and --to are the same database; nothing was changed");
  const auto from = open_database(given, false, "--from", true);
  const auto to = open_database(target, true, "--to");
  copy_business(*from, *to);
  tell(
      "copied everything from " + shown_database(given.db) + " to " + shown_database(given.to) +
      ", and checked the copy");
}

void migrate(const Given& given) {
  const auto store = open_database(given, true);
  for (const std::string& role : given.roles)
    store->grant(role);
  tell(shown_database(given.db) + " has the tables of this version");
}

void back_up(const Given& given) {
  open_database(given, false)->backup(given.file);
  tell("copied " + shown_database(given.db) + " to " + given.file);
}

// --- Options -------------------------------------------------------------------------------------

/// Adds a command with the common option.
CLI::App* command(
    CLI::App& parent,
    const std::shared_ptr<Given>& given,
    const char* name,
    const char* description,
    void (*run)(const Given&)) {
  CLI::App* added = parent.add_subcommand(name, description);
  added->add_option("--db", given->db, "Database file, or postgresql://...")
      ->check(is_file)
      ->capture_default_str();
  added->callback([given, run] { run(*given); });
  return added;
}

CLI::App* group(CLI::App& app, const char* name, const char* description) {
  CLI::App* added = app.add_subcommand(name, description);
  added->require_subcommand(1);
  return added;
}

void want_domain(CLI::App* of, Given& given) {
  of->add_option("domain,--domain", given.domain, "Domain")->required()->transform(is_name);
}

void want_name(CLI::App* of, Given& given, const char* description, const CLI::Validator& rule) {
  of->add_option("name,--name", given.name, description)->required()->transform(rule);
}

void want_id(CLI::App* of, Given& given) {
  of->add_option("id,--id", given.id, "Id to assign; default: the id after the highest one")
      ->transform(is_decimal)
      ->check(is_id);
}

void add_domain_commands(CLI::App& app, const std::shared_ptr<Given>& given) {
  CLI::App& all = *group(app, "domain", "Domains (tenants), which have separate users and data");
  CLI::App* add = command(
      all, given, "add", "Add a domain; creates the database if it does not exist", add_domain);
  want_name(add, *given, "Name of the domain", is_new_name);
  command(all, given, "list", "List the domains", list_domains);
}

void add_user_commands(CLI::App& app, const std::shared_ptr<Given>& given) {
  CLI::App& all = *group(app, "user", "Users, who sign on to a domain");
  CLI::App* add = command(
      all,
      given,
      "add",
      "Add a user; reads the password from standard input (a prompt on a terminal), and prints "
      "the API token",
      add_user);
  CLI::App* disable = command(
      all,
      given,
      "disable",
      "Disable a user and all its tokens at once; no command undoes it",
      disable_user);
  CLI::App* rotate = command(
      all,
      given,
      "rotate-token",
      "Replace a user's API token, and print the new one",
      rotate_token);
  for (CLI::App* each : {add, disable, rotate}) {
    want_domain(each, *given);
    want_name(each, *given, "Name of the user", each == add ? is_new_name : is_name);
  }
  command(all, given, "list", "List domain, name and state of all users", list_users);
  command(
      all,
      given,
      "costs",
      "Count the users by the cost of their password hashes (scrypt's N, r and p)",
      list_costs);
}

void add_owned_commands(CLI::App& app, const std::shared_ptr<Given>& given) {
  CLI::App& employees = *group(app, "employee", "Employees, who have addresses");
  CLI::App* add = command(employees, given, "add", "Add an employee; prints the id", add_employee);
  want_domain(add, *given);
  want_id(add, *given);
  command(employees, given, "list", "List domain and id of all employees", list_employees);

  CLI::App& debtors = *group(app, "debtor", "Debtors, who have webhook settings");
  add = command(debtors, given, "add", "Add a debtor; prints the id", add_debtor);
  want_domain(add, *given);
  want_id(add, *given);
  command(debtors, given, "list", "List domain and id of all debtors", list_debtors);
}

void add_webhook_commands(CLI::App& app, const std::shared_ptr<Given>& given) {
  CLI::App& all = *group(app, "webhook", "Webhook settings of debtors: add and list");
  CLI::App* add = command(all, given, "add", "Add a setting; prints its id", add_webhook);
  add->add_option("debtor,--debtor", given->debtor, "Id of the debtor")
      ->required()
      ->transform(is_decimal)
      ->check(is_id);
  want_name(add, *given, "Name of the setting", is_text);
  add->add_option("endpoint,--endpoint", given->endpoint, "Where the events are sent")
      ->required()
      ->check(is_web_address);
  add->add_flag("--inactive", given->inactive, "Add the setting as inactive");
  add->add_option(
         "--event",
         given->events,
         "Subscribed event kinds: 1 Run Finish, 2 Journals Finish, 3 Wage Tax Declaration Created, "
         "4 Wage Tax Declaration Sent, 5 Pension Export Created, 6 Pension Export Sent")
      ->delimiter(',')
      ->transform(is_decimal);
  add->add_option(
         "--inactive-event",
         given->inactive_events,
         "Event kinds that are added as inactive, 1 to 6")
      ->delimiter(',')
      ->transform(is_decimal);
  command(
      all,
      given,
      "list",
      "List domain, debtor, id, name, endpoint, state and subscribed events",
      list_webhooks);
}

void add_database_commands(CLI::App& app, const std::shared_ptr<Given>& given) {
  CLI::App* migrated = command(
      app,
      given,
      "migrate",
      "Create the tables of a database, or update them to this version; run it as the "
      "owner of the tables",
      migrate);
  migrated->add_option(
      "--grant",
      given->roles,
      "PostgreSQL role that gets exactly the rights that `payroll serve` needs; "
      "repeatable");
  migrated
      ->add_option(
          "--partitions",
          given->partitions,
          "PostgreSQL: create new tables with this number of hash partitions by domain [0: no "
          "partitions]")
      ->transform(is_decimal)
      ->check(CLI::Range(0, 1024));
  CLI::App* copied = app.add_subcommand(
      "copy", "Copy everything into an empty database; stop `payroll serve` first");
  copied->add_option("--from", given->db, "Database to copy: a file, or postgresql://...")
      ->required()
      ->check(is_file);
  copied->add_option("--to", given->to, "Empty database to copy to: a file, or postgresql://...")
      ->required()
      ->check(is_file);
  copied->callback([given] { copy_all(*given); });
}

}  // namespace

void add_operator_commands(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  add_domain_commands(app, given);
  add_user_commands(app, given);
  add_owned_commands(app, given);
  add_webhook_commands(app, given);
  CLI::App* backup = command(
      app,
      given,
      "backup",
      "Copy an SQLite database to a new file, also while `payroll serve` uses it",
      back_up);
  backup->get_option("--db")->description(
      "SQLite database file. For PostgreSQL, use pg_dump or pg_basebackup");
  backup->add_option("file,--file", given->file, "File to create; must not exist")
      ->required()
      ->check(is_file);
  add_database_commands(app, given);
}
