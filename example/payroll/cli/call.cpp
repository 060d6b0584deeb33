#include "cli/call.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/decimal.hpp"
#include "cli/print.hpp"
#include "operate/log.hpp"
#include "operate/process.hpp"
#include "operate/serve.hpp"
#include "services/debtor.hpp"
#include "services/employee.hpp"
#include "services/sign_on.hpp"
#include "soapsvc.hpp"

/// Shows the events of a webhook setting in one cell of its table.
static std::string cell(const std::vector<Event>& events) {
  std::string list;
  for (const Event& event : events) {
    list.append(list.empty() ? "" : ", ").append(std::to_string(event.event_id));
    if (event.event_name) list += ' ' + terminal_text(*event.event_name);
    if (!event.active) list += " (inactive)";
  }
  return list.empty() ? "-" : list;
}

namespace {

// --- The call and its options --------------------------------------------------------------------

/// The options of all commands. The defaults are those of `payroll serve`.
struct Remote {
  std::string url = "http://127.0.0.1:8080";
  std::string base_path = ServeOptions().services.base_path;
  std::string ns_base = ServeOptions().services.ns_base;
  std::string soap = "1.1";
  std::chrono::milliseconds timeout{30'000};
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  bool insecure = false;
  std::string domain;
  std::string user;
  std::string token_file;
  bool json = false;
};

const CLI::Validator is_text(text_problem, "TEXT");
/// Accepts empty texts, too, because they differ from absent ones.
const CLI::Validator is_xml_text(
    [](const std::string& text) {
      const bool good = soapsvc::is_xml_text(text);
      return std::string(good ? "" : "must be UTF-8 text without characters that XML forbids");
    },
    "TEXT");
const CLI::Validator is_web_address(web_address_problem, "URL");

template <class Service> soapsvc::client<Service> client_of(const Remote& to) {
  soapsvc::client_options options;
  options.ns_base = to.ns_base;
  options.version = to.soap == "1.2" ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
  options.connect_timeout = options.read_timeout = options.call_timeout = to.timeout;
  options.verify_certificate = !to.insecure;
  options.ca_file = to.ca_file;
  options.certificate_file = to.certificate_file;
  options.key_file = to.key_file;
  const auto without_slash = [](std::string text) {
    while (!text.empty() && text.back() == '/')
      text.pop_back();
    return text;
  };
  const std::string name(soapsvc::schema<Service>.name);
  return {
      without_slash(to.url) + without_slash(to.base_path) + '/' + name + ".asmx",
      std::move(options)};
}

// --- Secrets -------------------------------------------------------------------------------------

/// The first line of a file, or of standard input for `-`.
std::string first_line(const std::string& file) {
  std::ifstream opened;
  if (file != "-") opened.open(file, std::ios::binary);
  if (file != "-" && !opened)
    throw CLI::ValidationError("cannot read " + file + ": " + std::strerror(errno));
  std::string line = secret_line(file == "-" ? std::cin : opened);
  if (line.empty())
    throw CLI::ValidationError("there is no password or token in the first line of " + file);
  return line;
}

/// Reads a secret from a file, the environment or a prompt; never from the command line, which
/// other users of the machine can read.
std::string read_secret(
    const std::string& what, const std::string& file, const std::string& option) {
  const std::string variable = what == "password" ? "PAYROLL_PASSWORD" : "PAYROLL_TOKEN";
  const char* const set = std::getenv(variable.c_str());
  std::string secret;
  if (!file.empty())
    secret = first_line(file);
  else if (set != nullptr && *set != '\0') {
    std::istringstream in(set);
    secret = secret_line(in);
  } else if (::isatty(STDIN_FILENO) == 1)
    secret = ask_secret(what == "password" ? "Password: " : "API token: ");
  else
    throw CLI::ValidationError(
        "no " + what + ": give " + option + " FILE (- is standard input), or set " + variable);
  if (!soapsvc::is_xml_text(secret))
    throw CLI::ValidationError(
        "the " + what + " must be UTF-8 text without characters that XML forbids");
  return secret;
}

/// The header block of EmployeeService and DebtorService.
std::optional<AuthHeaderWithDomain> header_of(const Remote& to) {
  if (to.domain.empty() && to.user.empty())
    throw CLI::ValidationError("the caller is not named: give --domain, --user or both");
  if (to.user.empty() && !to.token_file.empty())
    throw CLI::ValidationError("--token-file needs --user");
  AuthHeaderWithDomain header;
  if (!to.domain.empty()) header.domain = to.domain;
  if (!to.user.empty()) {
    header.username = to.user;
    header.token = read_secret("token", to.token_file, "--token-file");
  }
  return header;
}

// --- Output --------------------------------------------------------------------------------------

const char* name_of(soapsvc::transport_failure why) {
  switch (why) {
  case soapsvc::transport_failure::address: return "address";
  case soapsvc::transport_failure::connect: return "connect";
  case soapsvc::transport_failure::tls: return "tls";
  case soapsvc::transport_failure::timeout: return "timeout";
  case soapsvc::transport_failure::cancelled: return "cancelled";
  case soapsvc::transport_failure::lost: return "lost";
  case soapsvc::transport_failure::response: return "response";
  case soapsvc::transport_failure::other: return "other";
  }
  return "other";
}

std::optional<Error> detail_of(const soapsvc::remote_fault& refused) {
  try {
    return soapsvc::read_detail<Error>(refused);
  } catch (const soapsvc::transport_error&) {  // another structure: not a detail of these services
    return std::nullopt;
  }
}

void tell(const Remote& to, const soapsvc::remote_fault& refused) {
  const std::optional<Error> detail = detail_of(refused);
  if (to.json) {
    std::cerr << "{\"error\":\"fault\",\"fault\":\"" << ::name_of(refused.code())
              << "\",\"reason\":" << json_text(refused.reason())
              << ",\"http_status\":" << refused.http_status() << ",\"detail\":" << json(detail)
              << "}\n";
    return;
  }
  std::cerr << "payroll: the service refused: " << terminal_text(refused.reason()) << " ("
            << ::name_of(refused.code()) << " fault";
  if (detail) std::cerr << ", code " << detail->code;
  std::cerr << ")\n";
}

void tell(const Remote& to, const soapsvc::transport_error& failed) {
  if (to.json) {
    const int status = failed.http_status();
    std::cerr << "{\"error\":\"transport\",\"why\":\"" << name_of(failed.why())
              << "\",\"reason\":" << json_text(failed.what())
              << ",\"http_status\":" << (status == 0 ? "null" : std::to_string(status))
              << ",\"may_have_arrived\":" << json(failed.may_have_arrived()) << "}\n";
    return;
  }
  std::cerr << "payroll: " << terminal_text(failed.what())
            << (failed.may_have_arrived() ? "; the service may have carried out the call\n"
                                          : "; nothing was sent\n");
}

/// Makes a call. On failure, prints the error and throws the exit status.
void run(const Remote& to, const std::function<void()>& call) {
  try {
    call();
  } catch (const soapsvc::remote_fault& refused) {
    tell(to, refused);
    throw CLI::RuntimeError(call_refused);
  } catch (const soapsvc::transport_error& failed) {
    tell(to, failed);
    throw CLI::RuntimeError(call_failed);
  }
}

template <class Record> void put_list(const Remote& to, const std::vector<Record>& list) {
  if (to.json)
    std::cout << json(list) << '\n';
  else
    print(std::cout, table_of(list));
}

// --- Commands ------------------------------------------------------------------------------------

/// The additional options of `token`.
struct SignOn : Remote {
  bool password = false;
  std::string password_file;
};

std::optional<std::string> sign_on(const SignOn& given) {
  auto service = client_of<SingleSignOn>(given);
  if (!given.password && given.password_file.empty())
    return service.call(
        &SingleSignOn::get_token2,
        GetToken2{given.user, read_secret("token", given.token_file, "--token-file")});
  const std::string password = read_secret("password", given.password_file, "--password-file");
  if (given.domain.empty())
    return service.call(&SingleSignOn::get_token, GetToken{given.user, password});
  return service.call(
      &SingleSignOn::get_token_with_domain, GetTokenWithDomain{given.user, password, given.domain});
}

void print_token(const SignOn& given) {
  const std::optional<std::string> token = sign_on(given);
  if (!given.json && token.value_or("").empty())
    throw std::runtime_error("the service returned no token");
  std::cout << (given.json ? "{\"Token\":" + json(token) + '}' : token.value_or("")) << '\n';
}

void list_addresses(const Remote& to, std::int32_t employee) {
  const auto header = header_of(to);
  auto service = client_of<EmployeeService>(to);
  put_list(to, service.call(&EmployeeService::get_list_current, GetListCurrent{employee}, header));
}

void insert_address(const Remote& to, const InsertCurrent& request) {
  const auto header = header_of(to);
  auto service = client_of<EmployeeService>(to);
  const std::int32_t id = service.call(&EmployeeService::insert_current, request, header);
  std::cout << (to.json ? "{\"Id\":" + json(id) + '}' : std::to_string(id)) << '\n';
}

void list_webhooks(const Remote& to, std::int32_t debtor) {
  const auto header = header_of(to);
  auto service = client_of<DebtorService>(to);
  put_list(
      to, service.call(&DebtorService::get_webhook_settings, GetWebhookSettings{debtor}, header));
}

// --- Options -------------------------------------------------------------------------------------

void add_connection_options(CLI::App& command, Remote& to) {
  CLI::App& group = *command.add_option_group("Server and connection");
  group.add_option("--url", to.url, "Address of the server, without /soap/v3 at its end")
      ->check(is_web_address)
      ->envname("PAYROLL_URL")
      ->capture_default_str();
  group.add_option("--base-path", to.base_path, "Beginning of the services' paths")
      ->check(is_text)
      ->capture_default_str();
  group.add_option("--ns-base", to.ns_base, "Beginning of the services' XML namespaces")
      ->check(is_text)
      ->envname("PAYROLL_NS_BASE")
      ->capture_default_str();
  group.add_option("--soap", to.soap, "SOAP version to send")
      ->check(CLI::IsMember({"1.1", "1.2"}))
      ->capture_default_str();
  add_time(
      group, "--timeout", to.timeout, "Maximum time for the whole call, including the connect");
  group.add_option("--ca-file", to.ca_file, "PEM file with the certificate authorities to trust")
      ->check(CLI::ExistingFile)
      ->envname("PAYROLL_CA_FILE");
  CLI::Option* certificate =
      group
          .add_option(
              "--certificate",
              to.certificate_file,
              "PEM file with the client's certificate, for servers that request one")
          ->check(CLI::ExistingFile)
          ->envname("PAYROLL_CERTIFICATE");
  group.add_option("--key", to.key_file, "PEM file with its private key [the same file]")
      ->check(CLI::ExistingFile)
      ->envname("PAYROLL_KEY")
      ->needs(certificate);
  group.add_flag("--insecure", to.insecure, "Accept any certificate, even an attacker's");
  command.add_flag("--json", to.json, "JSON on standard output; faults as JSON on standard error");
}

void add_caller_options(CLI::App& command, Remote& to) {
  CLI::App& group = *command.add_option_group("Caller");
  group.add_option("--domain", to.domain, "Domain")->check(is_text)->envname("PAYROLL_DOMAIN");
  group.add_option("--user", to.user, "Name of the user; needs a token")
      ->check(is_text)
      ->envname("PAYROLL_USER");
  group.add_option(
      "--token-file",
      to.token_file,
      "File whose first line is the user's API token, or a token from `payroll token`; - is "
      "standard input [the environment variable PAYROLL_TOKEN, or else a prompt]");
}

void add_token_command(CLI::App& app) {
  const auto given = std::make_shared<SignOn>();
  CLI::App& command = *app.add_subcommand(
      "token", "Exchange an API token for a token that is valid for 30 seconds (calls GetToken2)");
  add_connection_options(command, *given);
  add_caller_options(command, *given);
  command.get_option("--token-file")
      ->description(
          "File whose first line is the user's API token; - is standard input [the environment "
          "variable PAYROLL_TOKEN, or else a prompt]");
  command.add_flag(
      "--password",
      given->password,
      "Sign on with a password, as old clients do: calls GetToken, or "
      "GetTokenWithDomain if a domain is given");
  command.add_option(
      "--password-file",
      given->password_file,
      "File whose first line is the password; - is standard input [the environment "
      "variable PAYROLL_PASSWORD, or else a prompt]");
  command.footer(R"(Example with user alice of the demo, whose API token is in the environment:
  PAYROLL_TOKEN=api-token-alice payroll token --user alice)");
  command.callback([given] {
    if (given->user.empty()) throw CLI::ValidationError("--user is required");
    run(*given, [&] { print_token(*given); });
  });
}

void add_list_command(CLI::App& addresses) {
  struct Given : Remote {
    std::int32_t employee = 0;
  };
  const auto given = std::make_shared<Given>();
  CLI::App& command = *addresses.add_subcommand("list", "List the active addresses");
  command.add_option("EMPLOYEE", given->employee, "Id of the employee")
      ->required()
      ->transform(is_decimal);
  add_connection_options(command, *given);
  add_caller_options(command, *given);
  command.footer(
      R"(In the output, - means absent, and "" is an empty text.
Examples with employee 1 of the demo:
  payroll addresses list 1 --domain acme
  payroll addresses list 1 --user alice --token-file token.txt --json)");
  command.callback([given] { run(*given, [&] { list_addresses(*given, given->employee); }); });
}

struct Insertion : Remote {
  InsertCurrent request{0, EmployeeAddress{}};
};

void add_address_options(CLI::App& command, const std::shared_ptr<Insertion>& given) {
  CLI::App& group = *command.add_option_group("The address (fields without an option are absent)");
  const auto text = [&](const char* name,
                        std::optional<std::string> EmployeeAddress::*field,
                        const char* help = "") {
    group
        .add_option_function<std::string>(
            name,
            [given, field](const std::string& value) { (*given->request.address).*field = value; },
            help)
        ->check(is_xml_text);
  };
  std::vector<std::string> types;
  soapsvc::for_each_value<AddressType>(
      [&](std::string_view name, AddressType) { types.emplace_back(name); });
  group
      .add_option_function<std::string>(
          "--type",
          [given](const std::string& name) {
            soapsvc::for_each_value<AddressType>([&](std::string_view type, AddressType each) {
              if (type == name) given->request.address->type = each;
            });
          },
          "Type of the address")
      ->check(CLI::IsMember(types))
      ->required();
  group.add_flag("--default", given->request.address->is_default, "Make it the default address");
  text("--street", &EmployeeAddress::street);
  text("--house-number", &EmployeeAddress::house_number);
  text("--house-number-addition", &EmployeeAddress::house_number_addition);
  text("--postal-code", &EmployeeAddress::postal_code);
  text("--city", &EmployeeAddress::city);
  text("--state-province", &EmployeeAddress::state_province);
  text("--country", &EmployeeAddress::country_iso_code, "Two-letter country code, such as NL");
}

void add_insert_command(CLI::App& addresses) {
  const auto given = std::make_shared<Insertion>();
  CLI::App& command = *addresses.add_subcommand(
      "insert",
      "Insert an address that is valid from the first day of this month (UTC); prints its id");
  command.add_option("EMPLOYEE", given->request.employee_id, "Id of the employee")
      ->required()
      ->transform(is_decimal);
  add_connection_options(command, *given);
  add_caller_options(command, *given);
  add_address_options(command, given);
  command.footer(R"(Example with employee 2 of the demo:
  payroll addresses insert 2 --domain acme --type HomeAddress --default \
    --street 'Lange Gracht' --house-number 12 --postal-code '1234 AB' --city Utrecht --country NL)");
  command.callback([given] { run(*given, [&] { insert_address(*given, given->request); }); });
}

void add_webhooks_command(CLI::App& app) {
  struct Given : Remote {
    std::int32_t debtor = 0;
  };
  const auto given = std::make_shared<Given>();
  CLI::App& command = *app.add_subcommand("webhooks", "List the webhook settings of a debtor");
  command.add_option("DEBTOR", given->debtor, "Id of the debtor")
      ->required()
      ->transform(is_decimal);
  add_connection_options(command, *given);
  add_caller_options(command, *given);
  command.footer(R"(Example with debtor 1 of the demo:
  payroll webhooks 1 --domain acme)");
  command.callback([given] { run(*given, [&] { list_webhooks(*given, given->debtor); }); });
}

}  // namespace

void add_call_commands(CLI::App& app) {
  add_token_command(app);
  CLI::App& addresses =
      *app.add_subcommand("addresses", "Addresses of an employee: list and insert");
  addresses.require_subcommand(1);
  add_list_command(addresses);
  add_insert_command(addresses);
  add_webhooks_command(app);
}
