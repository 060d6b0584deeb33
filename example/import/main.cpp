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

/// Nothing half written is ever seen: the text goes to a file of another name first.
void write_file(const std::string& path, const std::string& text) {
    if (path.empty() || path == "-") {
        std::cout << text << std::flush;
        if (!std::cout) throw Failure(Failure::unreadable, "the output cannot be written");
        return;
    }
    const std::string unfinished = path + ".unfinished";
    {
        std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
        file << text;
        file.close();
        if (!file) {
            std::remove(unfinished.c_str());
            throw Failure(Failure::unreadable, path + " cannot be written");
        }
    }
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

int run(const Options& options) {
    Library library;
    SchemaSet schemas(library);
    WsdlReader wsdl(library, schemas);
    for (const std::string& each : options.inputs)
        wsdl.add(each);
    const std::vector<Interface> interfaces = wsdl.interfaces();
    schemas.finish();

    Tables tables;
    tables.common_ns = common_namespace(interfaces);
    SimpleTypes simple(tables);
    Records records(tables, schemas, simple);
    Classes classes(tables, schemas, records);
    classes.make(interfaces);
    break_cycles(tables);

    Report report;
    report.notes = wsdl.notes();
    report.notes.insert(report.notes.end(), schemas.notes().begin(), schemas.notes().end());
    report.notes.insert(report.notes.end(), tables.notes.begin(), tables.notes.end());
    std::vector<const Method*> all;
    for (const Class& each : tables.classes)
        for (const Method& method : each.methods)
            all.push_back(&method);
    give_names(tables, reached(all));
    Selection selection = select(tables, options, report);
    report.files = library.files();
    report.bytes = library.bytes();
    report.operations = selection.methods().size();
    report.types = reached(selection.methods()).size();
    const bool is_complete = report.left_out.empty() || options.skip;
    if (is_complete && !selection.classes.empty()) {
        const std::string first = selection.classes.front().first->cpp;
        selection.name_space =
            options.name_space.empty() ? namespace_name(first) : options.name_space;
        for (const std::string& each : options.inputs)
            selection.sources += (selection.sources.empty() ? "" : ", ") +
                                 std::filesystem::path(each).filename().string();
        write_file(options.output, header_text(tables, selection));
        if (!options.skeleton.empty())
            write_file(
                options.skeleton,
                skeleton_text(
                    selection, std::filesystem::path(options.output).filename().string()));
    }
    report.is_written = is_complete && !selection.classes.empty();
    std::cerr << (options.report == "json" ? report.json() : report.text());
    return report.is_written ? 0 : Failure::inexpressible;
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
    app.add_option("INPUT", options.inputs, "WSDL or schema files")->required();
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
