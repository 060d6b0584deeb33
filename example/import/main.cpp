// soapsvc-import: converts a WSDL to a header with structs, tables and classes. This file has the
// options and the order of the steps.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../payroll/cli/decimal.hpp"
#include "../payroll/cli/help.hpp"
#include "../payroll/cli/words.hpp"
#include "contract.hpp"
#include "difference.hpp"
#include "names.hpp"
#include "output.hpp"
#include "report.hpp"
#include "writer.hpp"

namespace {

using namespace importer;

struct Options {
  std::vector<std::string> inputs;
  std::vector<std::string> versions;  ///< versions to compare
  std::string output;
  std::string name_space;
  std::vector<std::string> only;
  bool skip = false;
  std::string skeleton;
  std::string client;
  std::string report;
  std::vector<std::string> catalogs;
  bool fetch = false;
  int fetch_time = 60;
  std::string user;
  std::string password_file;
  std::vector<std::string> headers;
  std::size_t units = 0;  ///< 0: chosen by the program
};

/// The names of the operations, at most the first twenty, for an error about an unknown name.
std::string names(const Tables& of) {
  constexpr std::size_t most = 20;
  std::string made;
  std::size_t count = 0;
  for (const Class& each : of.classes)
    for (const Method& method : each.methods)
      if (++count <= most) made += (count == 1 ? "" : ", ") + method.operation->name;
  if (count > most) made += " and " + std::to_string(count - most) + " more";
  return count == 0 ? "none" : made;
}

/// Chooses the operations that are written. The reasons against the others go into the report.
Selection select(Tables& tables, const Options& options, Report& report) {
  Selection made;
  const Problems problems(tables);
  std::set<std::string> sought(options.only.begin(), options.only.end());
  for (const Class& each : tables.classes) {
    std::vector<const Method*> methods;
    for (const Method& method : each.methods) {
      const std::string& name = method.operation->name;
      if (!options.only.empty() &&
          std::find(options.only.begin(), options.only.end(), name) == options.only.end())
        continue;
      sought.erase(name);
      if (const Problem* why = problems.of(method))
        report.left_out.push_back({name, *why});
      else
        methods.push_back(&method);
    }
    if (!methods.empty()) made.classes.emplace_back(&each, std::move(methods));
  }
  if (!sought.empty())
    throw CLI::ValidationError(
        "--only",
        "there is no operation " + *sought.begin() + "; the contract has " + names(tables));
  return made;
}

Report report_of(const Contract& of, const Library& from) {
  Report made;
  for (const auto& notes : {of.wsdl.notes(), of.schemas.notes(), of.tables.notes})
    made.notes.insert(made.notes.end(), notes.begin(), notes.end());
  // Operations report the broken components that they need.
  constexpr std::size_t most = 50;
  made.broken = of.schemas.unneeded();
  const auto& broken = of.schemas.broken();
  for (std::size_t at = 0; at != std::min(broken.size(), most); ++at)
    made.broken.push_back(broken[at]);
  made.files = from.files();
  made.bytes = from.bytes();
  return made;
}

/// Refuses the path of an output that another output has.
void take_path(std::set<std::filesystem::path>& taken, const std::string& path) {
  if (!taken.insert(std::filesystem::absolute(path).lexically_normal()).second)
    throw CLI::ValidationError(path, "is the name of two outputs; name another file");
}

/// Refuses an output that cannot be written, before any output is written. The user fills in a
/// program, so an existing one stays as it is.
void check_outputs(const Options& options) {
  std::set<std::filesystem::path> taken;
  for (const std::string& each : {options.output, options.skeleton, options.client}) {
    if (each.empty() || each == "-") continue;
    if (std::filesystem::is_directory(each))
      throw CLI::ValidationError(each, "is a folder; name a file");
    take_path(taken, each);
  }
  for (const std::string& each : {options.skeleton, options.client})
    if (!each.empty() && std::filesystem::is_regular_file(each))
      throw CLI::ValidationError(
          each, "exists already, and may have been edited; remove it, or name another file");
}

/// Refuses a program that has the path of a unit.
void check_programs(const std::vector<Written>& units, const Options& options) {
  std::set<std::filesystem::path> taken;
  for (const Written& each : units)
    take_path(taken, each.name);
  for (const std::string& each : {options.skeleton, options.client})
    if (!each.empty() && each != "-") take_path(taken, each);
}

/// The name of an input in the header's first line: a file without its folders, or a whole address.
std::string source_name(const std::string& input) {
  if (is_remote(input)) return resolved({}, input)->text();
  return one_line(std::filesystem::path(input).filename().string());
}

/// Writes the header and the programs.
void write(
    const Tables& tables, const Selection& selection, const Units& units, const Options& options) {
  std::filesystem::path path(options.output);
  const std::string header = path.filename().string();
  std::vector<Written> texts;  // by their paths
  if (!selection.has_units) {
    texts.push_back({options.output, header_text(tables, selection)});
  } else {
    texts = split_texts(tables, selection, units, header);
    for (Written& each : texts)
      each.name = path.replace_filename(each.name).string();
    check_programs(texts, options);
  }
  Outputs outputs;
  for (Written& each : texts)
    outputs.add(each.name, std::move(each.text));
  if (!options.skeleton.empty()) outputs.add(options.skeleton, skeleton_text(selection, header));
  if (!options.client.empty()) outputs.add(options.client, client_text(selection, header));
  outputs.finish();
}

/// Reads a password from the first line of a file, because other users of the machine can read the
/// command line.
std::string password_in(const std::string& file) {
  std::ifstream from(file);
  std::string line;
  if (!std::getline(from, line))
    throw Failure(
        Failure::unreadable, file + ": its first line cannot be read; it must be the password");
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

Credentials credentials_of(const Options& options, const std::vector<std::string>& inputs) {
  Credentials made;
  made.user = options.user;
  if (!made.user.empty()) made.password = password_in(options.password_file);
  for (const std::string& each : options.headers) {
    const std::size_t colon = each.find(':');
    const std::size_t value = each.find_first_not_of(' ', colon + 1);
    made.fields.emplace_back(
        each.substr(0, colon), value == each.npos ? std::string() : each.substr(value));
  }
  for (const std::string& each : inputs)
    if (const auto address = resolved({}, each)) made.origins.insert(address->origin());
  return made;
}

/// Null without --fetch.
std::unique_ptr<Fetcher> fetcher_of(
    const Options& options, const std::vector<std::string>& inputs, Progress& progress) {
  if (!options.fetch) return nullptr;
  return std::make_unique<Fetcher>(
      std::chrono::seconds(options.fetch_time), progress, credentials_of(options, inputs));
}

/// The program of --client has no credentials.
void note_secured(const Selection& selection, Report& report) {
  for (const auto& [each, methods] : selection.classes)
    if (each->from->demands.needs_credentials())
      report.notes.push_back(
          each->from->binding.text() + ": the program of --client cannot call the class " +
          each->cpp + ", whose policies demand " + each->from->declared.at("security"));
}

Report import(const Options& options) {
  Progress progress;
  const std::unique_ptr<Fetcher> fetcher = fetcher_of(options, options.inputs, progress);
  Library library(progress, fetcher.get());
  for (const std::string& each : options.catalogs)
    library.add_catalog(each);
  Contract contract(library, options.inputs, options.skip);
  wrap_lists(contract.tables);
  Report report = report_of(contract, library);
  Selection selection = select(contract.tables, options, report);
  report.note_broken();
  report.operations = selection.methods().size();
  const std::set<const Declaration*> types = reached(selection.methods());
  for (std::string& note : map_notes(contract.tables, types))
    report.notes.push_back(std::move(note));
  report.types = types.size();
  report.is_written = (report.left_out.empty() || options.skip) && !selection.classes.empty();
  if (report.is_written) {
    if (!options.client.empty()) note_secured(selection, report);
    const std::string first = selection.classes.front().first->cpp;
    selection.name_space =
        options.name_space.empty() ? short_namespace_name(first) : options.name_space;
    for (const std::string& each : options.inputs)
      selection.sources += (selection.sources.empty() ? "" : ", ") + source_name(each);
    selection.is_virtual = options.skeleton.empty() && !options.client.empty();
    progress.doing("writing " + options.output);
    const std::vector<Together> all = in_order(selection.methods());
    const bool is_file = !options.output.empty() && options.output != "-";
    const std::size_t count = options.units ? options.units : is_file ? good_count(all) : 1;
    const Units units = in_units(all, count);
    selection.has_units = units.size() > 1;
    report.units = selection.has_units ? units.size() : 0;
    write(contract.tables, selection, units, options);
  }
  return report;
}

int run(const Options& options) {
  const Report report = import(options);
  if (const Report::LeftOut* const broken = report.broken_operation(); broken && !report.is_written)
    throw Failure(
        Failure::unreadable,
        broken->why.where + ": " + broken->why.reason + "; the operation " + broken->operation +
            " needs it" + (report.operations ? "; --skip omits this operation" : ""));
  std::cerr << (options.report == "json" ? report.json() : report.text());
  if (report.is_written) return 0;
  return Failure::inexpressible;
}

/// Prints the changes from the first contract to the second.
int compare(const Options& options) {
  std::string told;
  {
    Progress progress;
    const std::unique_ptr<Fetcher> fetcher = fetcher_of(options, options.versions, progress);
    Library library(progress, fetcher.get());
    for (const std::string& each : options.catalogs)
      library.add_catalog(each);
    const Contract before(library, {options.versions.at(0)});
    const Contract after(library, {options.versions.at(1)});
    told = difference(before.tables, after.tables);
  }
  Outputs outputs;
  outputs.add({}, std::move(told));
  outputs.finish();
  return 0;
}

std::string namespace_problem(const std::string& text) {
  std::string_view rest = text;
  while (true) {
    const std::size_t cut = rest.find("::");
    const std::string part(rest.substr(0, cut));
    const bool is_outermost = rest.data() == text.data();
    if (part.empty() || namespace_name(part, is_outermost) != part)
      return "must be lower case names of C++ with :: between them";
    if (cut == std::string_view::npos) return {};
    rest.remove_prefix(cut + 2);
  }
}

std::string field_problem(const std::string& text) {
  const std::size_t colon = text.find(':');
  const bool is_name =
      colon != text.npos && colon != 0 && text.find_first_of(" \t\"(),/;<=>?@[\\]{}") > colon;
  const bool is_line = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7F;
  });
  return is_name && is_line ? std::string() : "must be \"Name: value\", in one line";
}

/// The options of --fetch.
void declare_fetch(CLI::App& app, Options& options) {
  CLI::Option* const fetch = app.add_flag(
      "--fetch",
      options.fetch,
      "also read inputs, imports and includes from the network; otherwise nothing is fetched");
  app.add_option("--fetch-time", options.fetch_time, "maximum number of seconds for each document")
      ->transform(is_decimal)
      ->check(CLI::Range(1, 600))
      ->capture_default_str()
      ->needs(fetch);
  CLI::Option* const user =
      app.add_option(
             "--user",
             options.user,
             "the user name for the servers of the inputs (HTTP Basic authentication); give it "
             "together with --password-file")
          ->needs(fetch);
  CLI::Option* const password = app.add_option(
                                       "--password-file",
                                       options.password_file,
                                       "a file with the password of --user in its first line")
                                    ->needs(user);
  user->needs(password);
  app.add_option(
         "--header",
         options.headers,
         "an HTTP header for the servers of the inputs, \"Name: value\"")
      ->check(CLI::Validator(field_problem, "FIELD"))
      ->needs(fetch);
}

/// Declares the options of the command line, with their variables and the text of --help.
void declare(CLI::App& app, Options& options) {
  app.add_option(
      "INPUT", options.inputs, "WSDL or schema files; with --fetch, also http and https addresses");
  app.add_option(
         "--diff", options.versions, "report the changes between two versions of a contract")
      ->type_name("OLD NEW")
      ->expected(2);
  app.add_option("-o,--output", options.output, "the header [standard output]");
  app.add_option(
         "--namespace",
         options.name_space,
         "the C++ namespace of the structs [the service's name, at most 16 characters]")
      ->check(CLI::Validator(namespace_problem, "NAME"));
  app.add_option("--only", options.only, "only these operations and the types that they need")
      ->take_all();
  app.add_flag("--skip", options.skip, "omit operations that tables cannot express, and list them");
  app.add_option("--skeleton", options.skeleton, "also write a program that serves the header")
      ->needs("--output");
  app.add_option("--client", options.client, "also write a program that calls the operations")
      ->needs("--output");
  app.add_option(
         "--units",
         options.units,
         "split the output into at most N units, each a header and a source file [1, or more if "
         "the contract is too large for one compiler run]")
      ->type_name("N")
      ->transform(is_decimal)
      ->check(CLI::Range(1, 1000))
      ->needs("--output");
  app.add_option("--report", options.report, "format of the summary on standard error [text]")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option(
         "--catalog",
         options.catalogs,
         "a folder that mirrors addresses as FOLDER/host/path, or an OASIS XML catalog")
      ->type_name("PATH");
  declare_fetch(app, options);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Writes a C++ header of structs, tables and service classes from a contract: WSDL 1.1 with "
      "XML Schema 1.0."};
  app.name("soapsvc-import");
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "Exit status: 0 success, 1 unsupported contract, 2 wrong command line,\n"
      "3 unreadable input");
  Options options;
  declare(app, options);
  try {
    app.parse(words_of(argc, argv));
    if (options.fetch && !Fetcher::is_there())
      throw CLI::ValidationError("--fetch", "this program was built without cpp-httplib");
    if (!options.versions.empty()) return compare(options);
    if (options.inputs.empty()) throw CLI::RequiredError("INPUT");
    check_outputs(options);
    return run(options);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  } catch (const Failure& failure) {
    std::cerr << failure.what() << '\n';
    return failure.status;
  } catch (const std::exception& error) {
    std::cerr << "soapsvc-import: " << error.what() << '\n';
    return Failure::unreadable;
  }
}
