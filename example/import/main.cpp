// soapsvc-import: from a WSDL to a header of structs, tables and classes. Options, and the steps in
// their order; no logic.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "classes.hpp"
#include "difference.hpp"
#include "names.hpp"
#include "report.hpp"
#include "writer.hpp"

namespace {

using namespace importer;

struct Options {
    std::vector<std::string> inputs;
    std::string output;
    std::string name_space;
    std::vector<std::string> only;
    bool skip = false;
    std::string skeleton;
    std::string report;
};

/// Nothing half written is ever seen: the text goes to a file of another name first. What is no
/// file, such as a device, a pipe or a link, is never replaced by one.
void write_file(const std::string& path, const std::string& text) {
    if (path.empty() || path == "-") {
        std::cout << text << std::flush;
        if (!std::cout) throw Failure(Failure::unreadable, "the output cannot be written");
        return;
    }
    std::error_code ignored;
    const auto there = std::filesystem::symlink_status(path, ignored);
    const bool replaces =
        !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
    const std::string unfinished = replaces ? path + ".unfinished" : path;
    {
        std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
        file << text;
        file.close();
        if (!file) {
            if (replaces) std::remove(unfinished.c_str());
            throw Failure(Failure::unreadable, path + " cannot be written");
        }
    }
    if (!replaces) return;
    std::error_code error;
    std::filesystem::rename(unfinished, path, error);
    if (error) {
        std::remove(unfinished.c_str());
        throw Failure(Failure::unreadable, path + " cannot be written: " + error.message());
    }
}

/// Chooses the operations that are written; why others are not goes into the report.
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
        throw CLI::ValidationError("--only", "no operation is called " + *sought.begin());
    return made;
}

/// A contract, read and made into tables; the tables point into what it was read from.
struct Contract {
    explicit Contract(const std::vector<std::string>& inputs) {
        for (const std::string& each : inputs)
            wsdl.add(each);
        interfaces = wsdl.interfaces();
        schemas.finish();
        tables.common_ns = common_namespace(interfaces);
        records.emplace(tables, schemas, simple);
        classes.emplace(tables, schemas, *records);
        classes->make(interfaces);
        break_cycles(tables);
        std::vector<const Method*> all;
        for (const Class& each : tables.classes)
            for (const Method& method : each.methods)
                all.push_back(&method);
        give_names(tables, reached(all));
    }

    Library library;
    SchemaSet schemas{library};
    WsdlReader wsdl{library, schemas};
    std::vector<Interface> interfaces;
    Tables tables;
    SimpleTypes simple{tables};
    std::optional<Records> records;
    std::optional<Classes> classes;
};

Report report_of(const Contract& of) {
    Report made;
    for (const auto* notes : {&of.wsdl.notes(), &of.schemas.notes(), &of.tables.notes})
        made.notes.insert(made.notes.end(), notes->begin(), notes->end());
    made.files = of.library.files();
    made.bytes = of.library.bytes();
    return made;
}

int run(const Options& options) {
    Contract contract(options.inputs);
    Report report = report_of(contract);
    Selection selection = select(contract.tables, options, report);
    report.operations = selection.methods().size();
    report.types = reached(selection.methods()).size();
    report.is_written = (report.left_out.empty() || options.skip) && !selection.classes.empty();
    if (report.is_written) {
        const std::string first = selection.classes.front().first->cpp;
        selection.name_space =
            options.name_space.empty() ? namespace_name(first) : options.name_space;
        for (const std::string& each : options.inputs)
            selection.sources += (selection.sources.empty() ? "" : ", ") +
                                 std::filesystem::path(each).filename().string();
        write_file(options.output, header_text(contract.tables, selection));
        if (!options.skeleton.empty())
            write_file(
                options.skeleton,
                skeleton_text(
                    selection, std::filesystem::path(options.output).filename().string()));
    }
    std::cerr << (options.report == "json" ? report.json() : report.text());
    return report.is_written ? 0 : Failure::inexpressible;
}

/// Says what changed from the first contract to the second.
int compare(const std::vector<std::string>& versions) {
    const Contract before({versions.at(0)});
    const Contract after({versions.at(1)});
    write_file({}, difference(before.tables, after.tables));
    return 0;
}

std::string namespace_problem(const std::string& text) {
    std::string_view rest = text;
    while (true) {
        const std::size_t cut = rest.find("::");
        const std::string part(rest.substr(0, cut));
        if (part.empty() || namespace_name(part) != part)
            return "must be lower case names of C++ with :: between them";
        if (cut == std::string_view::npos) return {};
        rest.remove_prefix(cut + 2);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Writes a C++ header of structs, tables and service classes from a contract: WSDL 1.1 with "
        "XML Schema 1.0."};
    app.name("soapsvc-import");
    Options options;
    app.add_option("INPUT", options.inputs, "WSDL or schema files");
    std::vector<std::string> versions;
    app.add_option("--diff", versions, "says what changed between two versions of a contract")
        ->type_name("OLD NEW")
        ->expected(2);
    app.add_option("-o,--output", options.output, "the header; standard output without it");
    app.add_option(
           "--namespace", options.name_space, "of the structs; the service's name otherwise")
        ->check(CLI::Validator(namespace_problem, "NAME"));
    app.add_option("--only", options.only, "only these operations and what they need")->take_all();
    app.add_flag(
        "--skip", options.skip, "leave out operations that tables cannot say, and list them");
    CLI::Option* const skeleton = app.add_option(
        "--skeleton", options.skeleton, "also write a program that serves the header");
    skeleton->needs("--output");
    app.add_option("--report", options.report, "how the summary is written: text or json")
        ->check(CLI::IsMember({"text", "json"}));
    try {
        app.parse(argc, argv);
        if (!versions.empty()) return compare(versions);
        if (options.inputs.empty()) throw CLI::RequiredError("INPUT");
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
