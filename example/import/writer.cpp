#include "writer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "layout.hpp"
#include "names.hpp"
#include "programs.hpp"

namespace importer {

std::string cpp_text(const CppType& type) {
  std::string parts;
  for (const CppType& each : type.parts)
    parts.append(parts.empty() ? "" : ", ").append(cpp_text(each));
  switch (type.kind) {
  case CppType::Kind::plain: return type.plain;
  case CppType::Kind::declared: return type.declared->cpp;
  case CppType::Kind::derived: return "soapsvc::polymorphic<" + type.declared->cpp + '>';
  case CppType::Kind::list: return "soapsvc::list<" + parts + '>';
  case CppType::Kind::of_union: return "std::variant<" + parts + '>';
  }
  return {};
}

namespace {

/// The first line of each source file: g++ uses the precompiled header only if it is included first
/// and directly.
constexpr const char* precompiled_first = "#include \"soapsvc.hpp\"\n\n";

class HeaderWriter {
public:
  HeaderWriter(const Tables& tables, const Selection& what) : tables_(tables), what_(what) {}

  std::string write() {
    begin_header("", {"soapsvc.hpp"});
    write_declarations(in_order(what_.methods()));
    write_classes();
    return end_header();
  }

  std::vector<Written> write(const Units& units, const std::string& header) {
    const std::string stem = header.substr(0, header.rfind('.'));
    const std::string suffix = header.substr(stem.size());
    const auto name_of = [&](std::size_t unit) { return stem + '_' + std::to_string(unit + 1); };
    std::vector<Written> made;
    std::vector<std::string> all;
    is_split_ = true;
    for (const Unit& unit : units)
      for (const Together& together : unit.declarations)
        for (const Declaration* each : together)
          for (const Row& row : each->rows)
            if (row.holder == Holder::box) boxed_.insert(row.type.declared);
    for (std::size_t at = 0; at != units.size(); ++at) {
      std::vector<std::string> needed{"soapsvc.hpp"};
      for (const std::size_t need : units[at].needs)
        needed.push_back(name_of(need) + suffix);
      const std::string part = std::to_string(at + 1);
      begin_header(", part " + part + " of " + std::to_string(units.size()), needed, part);
      tables_text_ = "// The tables of " + name_of(at) + suffix + ".\n" + precompiled_first +
                     "#include \"" + name_of(at) + suffix + "\"\n";
      write_declarations(units[at].declarations);
      made.push_back({name_of(at) + suffix, end_header()});
      made.push_back({name_of(at) + ".cpp", within_width(tables_text_)});
      all.push_back(name_of(at) + suffix);
    }
    begin_header("", all);
    write_classes();
    made.push_back({header, end_header()});
    return made;
  }

private:
  /// `of_what` follows the contract's name; `part` is the number of a unit.
  void begin_header(
      const std::string& of_what,
      const std::vector<std::string>& included,
      const std::string& part = {}) {
    const std::string guard = guard_name(part);
    out_ += comment(
        "Structs, tables and classes of the contract " + what_.sources + of_what +
            ", made from it by soapsvc-import. The next run replaces it.",
        0,
        "// ");
    out_ += "#ifndef " + guard + "\n#define " + guard + "\n\n";
    for (const std::string& each : included)
      out_ += "#include \"" + each + "\"\n";
  }
  std::string end_header() {
    if (out_.find("std::map<") != out_.npos)
      out_.insert(out_.find("#include \""), "#include <map>\n\n");
    out_ += "\n#endif\n";
    return within_width(std::exchange(out_, {}));
  }

  /// Consecutive structs share one namespace block, with their tables below it. A large contract
  /// would otherwise close and open it for each struct. Derived types are registered after their
  /// structs.
  void write_declarations(const std::vector<Together>& all) {
    for (const Together& each : all) {
      Together types, known_types;
      for (Declaration* one : each)
        (one->kind == Declaration::Kind::known_types ? known_types : types).push_back(one);
      if (!types.empty()) write_together(types);
      if (known_types.empty() && run_lines() < most_run_lines) continue;
      end_run();
      for (const Declaration* one : known_types)
        write_known_types(*one->base);
    }
    end_run();
  }
  /// About one screen, so that a table is near its struct.
  static constexpr std::ptrdiff_t most_run_lines = 60;
  std::ptrdiff_t run_lines() const { return std::count(run_.begin(), run_.end(), '\n'); }
  void end_run() {
    if (run_.empty()) return;
    out_ += "\nnamespace " + what_.name_space + " {\n\n" + std::exchange(run_, {}) +
            "\n}  // namespace " + what_.name_space + '\n';
    for (const Declaration* each : std::exchange(run_tables_, {}))
      write_table(*each);
  }
  void write_classes() {
    for (const auto& [from, methods] : what_.classes)
      write_class(*from, methods);
  }

  std::string guard_name(const std::string& part) const {
    std::string made;
    for (const char c : what_.name_space)
      made += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c == ':' ? '_' : c;
    return made + (part.empty() ? "" : '_' + part) + "_HPP";
  }
  std::string full(const std::string& name) const { return what_.name_space + "::" + name; }

  std::string member_type(const Row& row) const {
    std::string text = cpp_text(row.type);
    if (row.is_nillable) text = "soapsvc::nillable<" + text + '>';
    switch (row.holder) {
    case Holder::value: return text;
    case Holder::optional: return "std::optional<" + text + '>';
    case Holder::vector:
      text = is_map(row) ? "std::map<" + cpp_text(row.around->key) + ", " + text + '>'
                         : "std::vector<" + text + '>';
      if (row.around && row.around->is_nillable) text = "soapsvc::nillable<" + text + '>';
      return row.around && row.around->is_optional ? "std::optional<" + text + '>' : text;
    case Holder::box: return "soapsvc::box<" + text + '>';
    }
    return text;
  }

  static bool is_map(const Row& row) { return row.around && !row.around->names.empty(); }

  /// Members that C++ would leave uninitialized get zero.
  static std::string initial_of(const Row& row) {
    if (!row.initial.empty()) return " = " + row.initial;
    const bool is_scalar = row.holder == Holder::value && !row.is_nillable &&
                           ((row.type.kind == CppType::Kind::plain &&
                             (row.type.plain.ends_with("_t") || row.type.plain == "bool" ||
                              row.type.plain == "float" || row.type.plain == "double")) ||
                            (row.type.kind == CppType::Kind::declared &&
                             row.type.declared->kind == Declaration::Kind::enumeration));
    return is_scalar ? "{}" : "";
  }

  // -- Declarations --

  void write_together(const Together& all) {
    const std::set<const Declaration*> inside(all.begin(), all.end());
    std::set<const Declaration*> defined;
    std::string forward;
    std::set<const Declaration*> announced;
    for (const Declaration* each : all) {
      for (const Row& row : each->rows) {
        const Declaration* const part = row.type.declared;
        if (part && part != each && !defined.contains(part) && inside.contains(part) &&
            announced.insert(part).second)
          forward += "struct " + part->cpp + ";\n";
      }
      defined.insert(each);
    }
    std::swap(out_, run_);
    if (!forward.empty()) out_ += (out_.empty() ? "" : "\n") + forward;
    for (const Declaration* each : all) {
      if (!out_.empty()) out_ += '\n';
      write_declaration(*each);
      run_tables_.push_back(each);
    }
    std::swap(out_, run_);
  }

  void write_declaration(const Declaration& of) {
    out_ += comment(of.doc, 0);
    if (of.kind == Declaration::Kind::simple) return write_simple(of);
    if (of.kind == Declaration::Kind::enumeration) {
      write_enumeration(of);
      return;
    }
    out_ += "struct " + of.cpp + (of.base ? " : " + of.base->cpp : "") + " {";
    if (of.rows.empty()) {
      out_ += "};\n";
      return;
    }
    out_ += '\n';
    for (const Row& row : of.rows)
      out_ += "    " + member_type(row) + ' ' + row.member + initial_of(row) + ";\n";
    out_ += "};\n";
  }

  void write_enumeration(const Declaration& of) {
    bool has_doc = false;
    std::string line;
    for (const EnumValue& each : of.values) {
      has_doc = has_doc || !each.doc.empty();
      line.append(line.empty() ? "" : ", ").append(each.name);
    }
    line = "enum class " + of.cpp + " { " + line + " };";
    if (!has_doc && line.size() <= line_width) {
      out_ += line + '\n';
      return;
    }
    out_ += "enum class " + of.cpp + " {\n";
    for (const EnumValue& each : of.values) {
      out_ += comment(each.doc, 4);
      out_ += "    " + each.name + (&each == &of.values.back() ? "\n" : ",\n");
    }
    out_ += "};\n";
  }

  bool says_ns(const Declaration& of) const {
    return !of.xml.ns.empty() && of.xml.ns != tables_.common_ns && !of.is_message;
  }

  void write_simple(const Declaration& of) {
    std::string code = "soapsvc::simple_type(" + literal(of.xml.local);
    if (says_ns(of)) code += ", soapsvc::ns(" + literal(of.xml.ns) + ')';
    for (const Option& each : of.facets)
      code += ", soapsvc::" + each.code();
    out_ += laid_out("inline constexpr auto " + of.cpp + " = ", code + ')', ";", 0);
  }

  // -- Tables --

  void write_table(const Declaration& of) {
    if (of.kind == Declaration::Kind::simple) return;
    out_ += "template <>\n";
    out_ += laid_out(
        "inline constexpr auto soapsvc::schema<" + full(of.cpp) + "> = ",
        is_elsewhere(of) ? elsewhere_text(of) : table_text(of),
        ";",
        0);
    if (!is_elsewhere(of)) return;
    const std::string head =
        "soapsvc::table<" + full(of.cpp) + "> soapsvc::define_schema<" + full(of.cpp) + ">()";
    out_ += "template <>\n" + head + ";\n";
    if (boxed_.contains(&of))
      for (const std::string& made : box_functions(full(of.cpp))) {
        out_ += "extern " + made;
        tables_text_ += '\n' + made;
      }
    tables_text_ += "\ntemplate <>\n" + head + " {\n";
    tables_text_ += laid_out("static constexpr auto made = ", table_text(of), ";", 4);
    tables_text_ += "    return made;\n}\n";
  }
  /// The functions of a box, which each unit would otherwise compile again.
  static std::array<std::string, 2> box_functions(const std::string& of) {
    const std::string box = "soapsvc::box<" + of + ">::";
    return {
        "template " + of + "* " + box + "make();\n",
        "template void " + box + "drop(" + of + "*) noexcept;\n"};
  }
  /// True if a table goes to the source file of the unit, where all other tables are visible. It
  /// stays in the header if another table contains it, or if it is an enumeration, because programs
  /// use its values.
  bool is_elsewhere(const Declaration& of) const {
    return is_split_ && of.kind == Declaration::Kind::record && !of.owner;
  }
  std::string elsewhere_text(const Declaration& of) const {
    return "extern_schema<" + full(of.cpp) + ">(" +
           (of.is_message ? std::string() : literal(of.xml.local)) + ')';
  }

  std::string table_text(const Declaration& of) const {
    std::vector<std::string> parts;
    const bool is_enumeration = of.kind == Declaration::Kind::enumeration;
    if (of.kind != Declaration::Kind::choice && !of.owner) {
      if (!of.is_message) parts.push_back(literal(of.xml.local));
      if (says_ns(of)) parts.push_back("ns(" + literal(of.xml.ns) + ')');
    }
    if (is_enumeration) {
      append(parts, of.facets);
      append_doc(parts, of.doc);
      for (const EnumValue& each : of.values) {
        std::vector<std::string> said{literal(each.text), full(of.cpp) + "::" + each.name};
        append_doc(said, each.doc);
        parts.push_back("value(" + joined(said) + ')');
      }
      return "enumeration(" + joined(parts) + ')';
    }
    if (!of.owner) {
      if (of.is_anonymous) parts.push_back("anonymous");
      if (of.is_element_nillable) parts.push_back("nillable_element");
      if (of.is_unqualified) parts.push_back("unqualified");
      if (of.is_abstract) parts.push_back("abstract");
      if (of.is_all) parts.push_back("all");
      if (of.kind == Declaration::Kind::record) append_doc(parts, of.doc);
      if (of.base) parts.push_back("extends<" + full(of.base->cpp) + ">()");
    }
    for (const Row& row : of.rows)
      parts.push_back(row_text(of, row));
    if (of.kind == Declaration::Kind::choice) return "choice(" + joined(parts) + ')';
    // Without rows, only this argument names the struct.
    const std::string of_what = of.rows.empty() ? '<' + full(of.cpp) + '>' : std::string();
    return "record" + of_what + '(' + joined(parts) + ')';
  }

  static void append(std::vector<std::string>& to, const std::vector<Option>& options) {
    for (const Option& each : options)
      to.push_back(each.code());
  }

  static void append_doc(std::vector<std::string>& to, const std::string& doc) {
    if (!doc.empty()) to.push_back("doc(" + literal(doc) + ')');
  }

  static std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& each : parts)
      all.append(all.empty() ? "" : ", ").append(each);
    return all;
  }

  std::string row_text(const Declaration& of, const Row& row) const {
    static const std::map<Row::Kind, const char*> names{
        {Row::Kind::field, "field"},
        {Row::Kind::attribute, "attribute"},
        {Row::Kind::content, "content"},
        {Row::Kind::group, "group"},
        {Row::Kind::any, "any"},
        {Row::Kind::any_attribute, "any_attribute"}};
    std::vector<std::string> parts;
    if (row.kind == Row::Kind::field || row.kind == Row::Kind::attribute)
      parts.push_back(literal(row.name.local));
    if (row.around)
      for (const std::string& each : row.around->names)
        parts.push_back(literal(each));
    parts.push_back('&' + full(of.cpp) + "::" + row.member);
    if (row.simple) parts.push_back(full(row.simple->cpp));
    append(parts, row.facets);
    append(parts, row.options);
    if (row.is_forward_declared && !is_elsewhere(of)) parts.push_back("forward_declared");
    append_doc(parts, row.doc);
    const std::string name = is_map(row) ? "map" : row.around ? "wrapped_list" : names.at(row.kind);
    return name + '(' + joined(parts) + ')';
  }

  void write_known_types(const Declaration& of) {
    std::vector<std::string> names;
    for (const Declaration* each : of.extended_by)
      names.push_back(full(each->cpp));
    out_ += "\ntemplate <>\n";
    std::string code = "soapsvc::types<" + joined(names) + ">()";
    const std::string head = "inline constexpr auto soapsvc::known_types<" + full(of.cpp) + "> =";
    if (head.size() + code.size() + 2 <= line_width) {
      out_ += head + ' ' + code + ";\n";
      return;
    }
    out_ += head + "\n    ";
    if (code.size() + 5 <= line_width) {
      out_ += code + ";\n";
      return;
    }
    out_ += "soapsvc::types<\n        ";
    for (std::size_t at = 0; at != names.size(); ++at)
      out_ += names[at] + (at + 1 == names.size() ? ">();\n" : ",\n        ");
  }

  // -- Classes --

  void write_class(const Class& of, const std::vector<const Method*>& methods) {
    out_ += "\nnamespace " + what_.name_space + " {\n\n";
    out_ += comment(of.from->doc, 0);
    out_ += "class " + of.cpp + " {\npublic:\n";
    for (const Method* each : methods) {
      out_ += comment(each->operation->doc, 4);
      out_ += laid_out(
          (what_.is_virtual ? "virtual " : "") + result_text(*each) + ' ',
          each->name + '(' + parameters_text(*each) + ')',
          what_.is_virtual ? " = 0;" : ";",
          4);
    }
    if (what_.is_virtual) out_ += "\nprotected:\n    ~" + of.cpp + "() = default;\n";
    out_ += "};\n\n}  // namespace " + what_.name_space + "\ntemplate <>\n";
    std::vector<std::string> parts{literal(of.from->name)};
    if (!of.from->ns.empty()) parts.push_back("ns(" + literal(of.from->ns) + ')');
    if (!of.from->path.empty()) parts.push_back("path(" + literal(of.from->path) + ')');
    if (!of.from->speaks_12) parts.push_back("soap11_only");
    if (!of.from->speaks_11) parts.push_back("soap12_only");
    for (const auto& [about, option] : of.from->declared)
      parts.push_back(option);
    if (of.is_rpc) parts.push_back("rpc");
    if (of.is_bare) parts.push_back("bare");
    append_doc(parts, of.from->doc);
    for (const Method* each : methods)
      parts.push_back(operation_text(of, *each));
    out_ += laid_out(
        "inline constexpr auto soapsvc::schema<" + full(of.cpp) + "> = ",
        "service(" + joined(parts) + ')',
        ";",
        0);
  }

public:
  std::string result_text(const Method& of) const {
    std::string text = of.has_result ? member_type(of.result) : "void";
    if (of.told.empty()) return text;
    text = "soapsvc::with_header_blocks<" + text;
    for (const Declaration* each : of.told)
      text += ", std::optional<" + each->cpp + '>';
    return text + '>';
  }

  std::string parameters_text(const Method& of, bool with_names = true) const {
    std::string text;
    if (of.has_request)
      text = "const " + member_type(of.request) + '&' + (with_names ? " request" : "");
    if (of.headers.empty()) return text;
    if (of.has_request) text += ", ";
    if (of.has_request && of.headers.size() == 1)
      return text + "const std::optional<" + of.headers.front()->cpp + ">&" +
             (with_names ? " header" : "");
    std::vector<std::string> names;
    for (const Declaration* each : of.headers)
      names.push_back("std::optional<" + each->cpp + '>');
    return text + "const soapsvc::header_blocks<" + joined(names) + ">&" +
           (with_names ? " headers" : "");
  }

  /// An operation that a client forwards, with the types that a fault's detail may have. For a
  /// class with pure virtual methods, it is in a derived class.
  std::string handed_on(const Class& in, const Method& of) const {
    const std::size_t indent = what_.is_virtual ? 4 : 0;
    const std::string owner = what_.is_virtual ? full(in.cpp) : in.cpp;
    std::string details;
    for (const Declaration* each : of.faults)
      details.append(details.empty() ? "" : ", ").append(each->cpp);
    if (!details.empty()) details = '<' + details + '>';
    std::string code = "client_program::hand_on" + details + '(' + literal(of.operation->name) +
                       ", &" + owner + "::" + of.name;
    if (of.has_request) code += ", request";
    if (!of.headers.empty())
      code += of.has_request && of.headers.size() == 1 ? ", header" : ", headers";
    return laid_out(
               result_text(of) + ' ',
               (what_.is_virtual ? "" : owner + "::") + of.name + '(' + parameters_text(of) + ')',
               what_.is_virtual ? " override {" : " {",
               indent) +
           laid_out("return ", code + ')', ";", indent + 4) + std::string(indent, ' ') + "}\n";
  }

private:
  std::string operation_text(const Class& in, const Method& of) const {
    std::vector<std::string> parts{
        literal(of.operation->name), '&' + full(in.cpp) + "::" + of.name};
    append(parts, of.options);
    for (const Declaration* each : of.faults)
      parts.push_back("fault_detail<" + full(each->cpp) + ">()");
    append_doc(parts, of.operation->doc);
    return "operation(" + joined(parts) + ')';
  }

  const Tables& tables_;
  const Selection& what_;
  bool is_split_ = false;
  std::set<const Declaration*> boxed_;  ///< structs of other units that boxes hold
  std::string out_;
  std::string run_;  ///< structs of the open namespace block ...
  std::vector<const Declaration*> run_tables_;  ///< ... whose tables follow
  std::string tables_text_;  ///< of the unit beside the header
};

}  // namespace

std::vector<const Method*> Selection::methods() const {
  std::vector<const Method*> all;
  for (const auto& [from, methods] : classes)
    all.insert(all.end(), methods.begin(), methods.end());
  return all;
}

std::string header_text(const Tables& tables, const Selection& what) {
  return HeaderWriter(tables, what).write();
}

std::vector<Written> split_texts(
    const Tables& tables, const Selection& what, const Units& units, const std::string& header) {
  return HeaderWriter(tables, what).write(units, header);
}

/// The addresses of the services, for the user who starts the server.
static std::string addresses_text(const Selection& what) {
  std::string out;
  for (const auto& [from, methods] : what.classes) {
    const std::string& path = from->from->path;
    const std::string address =
        "http://localhost:8080" + (path.empty() ? "/soap/v3/" + from->from->name + ".asmx" : path);
    out += "        std::puts(" + literal(address) + ");\n";
  }
  return out;
}

/// The objects of the classes in the server program.
static std::string services_text(const Selection& what) {
  std::string out;
  Scope variables;
  variables.take("host");
  for (const auto& [from, methods] : what.classes) {
    const std::string name = variables.unused(value_name(from->cpp));
    out += "        " + what.name_space + "::" + from->cpp + ' ' + name + ";\n        host.add(" +
           name + ");\n";
  }
  return out;
}

/// The commands that build the program, at its beginning.
static std::string how_to_build(const Selection& what, const std::string& header) {
  const std::string units =
      what.has_units ? ' ' + header.substr(0, header.rfind('.')) + "_*.cpp" : std::string();
  return comment(
      "Built by g++ -std=c++20 FILE" + units +
          " $(pkg-config --cflags --libs openssl zlib) -pthread. g++ must find soapsvc.hpp: "
          "installed, in this folder, or by -I." +
          (units.empty() ? ""
                         : " Add -DSOAPSVC_SPLIT, and a source file with the implementation of "
                           "soapsvc.hpp."),
      0,
      "// ");
}

/// A program of the folder programs, with its parts from `// [NAME]` to `// [end]` replaced.
static std::string completed(
    std::string_view program,
    std::initializer_list<std::pair<std::string_view, std::string>> parts) {
  std::string made(program);
  for (const auto& [name, text] : parts) {
    constexpr std::string_view end = "// [end]\n";
    const std::size_t mark = made.find("// [" + std::string(name) + "]\n");
    const std::size_t from = made.rfind('\n', mark) + 1;
    made.replace(from, made.find(end, mark) + end.size() - from, text);
  }
  return made;
}

std::string skeleton_text(const Selection& what, const std::string& header) {
  const Tables none;
  const HeaderWriter text(none, what);
  std::string methods = "namespace " + what.name_space + " {\n";
  for (const auto& [from, chosen] : what.classes)
    for (const Method* each : chosen) {
      methods += '\n';
      methods += laid_out(
          text.result_text(*each) + ' ',
          from->cpp + "::" + each->name + '(' + text.parameters_text(*each, false) + ')',
          " {",
          0);
      // Global: a method may have the same name.
      methods += laid_out("", "::not_implemented(" + literal(each->operation->name) + ')', ";", 4);
      methods += "}\n";
    }
  const std::string about = "// Serves what " + header +
                            " declares. Every operation returns a fault until you write it.\n";
  return within_width(completed(
      serve_program,
      {{"about", about + how_to_build(what, header)},
       {"header", "#include \"" + header + "\"\n"},
       {"methods", methods + "\n}  // namespace " + what.name_space + '\n'},
       {"services", services_text(what)},
       {"addresses", addresses_text(what)}}));
}

std::string client_text(const Selection& what, const std::string& header) {
  const Tables none;
  const HeaderWriter text(none, what);
  // In a namespace inside the contract's, so that the contract's names are visible.
  const std::string space =
      what.name_space + (what.is_virtual ? std::string("::") + client_calls : std::string());
  std::string methods, rows, added;
  Scope variables;
  variables.take("to");
  for (const auto& [from, chosen] : what.classes) {
    const std::string name = variables.unused(value_name(from->cpp));
    const std::string service = what.name_space + "::" + from->cpp;
    added += "    static " + space + "::" + from->cpp + ' ' + name + ";\n    to.add<" + service +
             ">(" + name + ");\n";
    if (what.is_virtual)
      methods += "\nclass " + from->cpp + " final : public " + service + " {\npublic:";
    for (const Method* each : chosen) {
      methods += '\n' + text.handed_on(*from, *each);
      rows += "    {" + literal(from->from->name) + ", " + literal(each->operation->name) + ", " +
              literal(each->action) + "},\n";
    }
    if (what.is_virtual) methods += "};\n";
  }
  const std::string about = "Calls the service that " + header +
                            " declares: run it with --help. The tables of the header read the "
                            "request, so an invalid request is refused before it is sent. The "
                            "typed client sends it, and the tables write the response. JSON is "
                            "read and written by nlohmann/json (nlohmann-json3-dev).";
  return completed(
      call_program,
      {{"about", comment(about, 0, "// ") + how_to_build(what, header)},
       {"header", "#include \"" + header + "\"\n"},
       {"methods", "namespace " + space + " {\n" + methods + "\n}  // namespace " + space + '\n'},
       {"operations", rows},
       {"services", added}});
}

std::string short_namespace_name(const std::string& from) {
  constexpr std::size_t most = 16;
  std::string made = value_name(from, "contract");
  if (made.size() <= most) return namespace_name(from);
  for (const char* end : {"_port_type", "_soap", "_port", "_service", "_web"})
    if (made.ends_with(end)) made.resize(made.size() - std::string_view(end).size());
  while (made.size() > most && made.rfind('_') != made.npos && made.rfind('_') != 0)
    made.resize(made.rfind('_'));
  if (made.size() > most) made.resize(most);
  return namespace_name(made);
}

std::string namespace_name(const std::string& from, bool is_outermost) {
  constexpr std::string_view hidden =
      " "
      "abstract action adapter addressing addressing_version all anonymous any any_attribute "
      "async_call attribute bare basic_authorization bearer_token binary blocking "
      "blocking_section boolean box browser_options byte_source call_options call_report choice "
      "client client_calls client_interceptor client_options client_program client_security "
      "confirmed_responses content context date date_time decimal default_if_absent "
      "default_value define_schema deprecated detail digest_credentials dispatcher "
      "dispatcher_options doc documented_fault duration element_name empty_request "
      "empty_response endpoint enumerated enumeration error error_report extends extern_schema "
      "fault fault_code fault_detail fault_doc field fixed for_each_field for_each_value "
      "forward_declared fraction_digits from_context g_day g_month g_month_day g_year "
      "g_year_month group header header_block header_blocks hex_binary host host_options "
      "host_statistics http_header http_request http_response idempotent ignored integer "
      "intercepted_call interceptor is_local is_xml_text item_ns known_types length list "
      "listener_role main map max_exclusive max_inclusive max_length message_limits message_report "
      "min_exclusive min_inclusive min_length mount mtom namespace_name nillable "
      "nillable_element nlohmann nothing ns occurs one_way operation operation_options "
      "optionally outgoing_call page_options parameters parse_enum password_digest "
      "password_type path pattern piece_transport polymorphic proxy_from_environment "
      "qualified_name read_detail read_file read_header_block read_xml record remote_fault "
      "replay_cache replay_result report_kind request required response result retry_policy rpc "
      "sample schema secret secured security_options serve_wsdl server_limits server_timeouts "
      "service service_options signature_trust signed_header_blocks signed_responses "
      "signing_identity simple_type skip soap12_only soap_version soapsvc std stream table "
      "table_of test_form text_of time timestamp tls_options to_text total_digits transport "
      "transport_call transport_error transport_failure transport_with_message_credential types "
      "unknown_elements unqualified value with_header_blocks wrapped_list write_file write_xml "
      "x509_both_ways x509_signature xml xml_attribute xs ";
  const std::string made = value_name(from, "contract");
  const bool is_taken =
      hidden.find(' ' + made + ' ') != hidden.npos || (is_outermost && is_global(made));
  return is_taken ? made + "_contract" : made;
}

}  // namespace importer
