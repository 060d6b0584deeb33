// Finds the schema documents and the names that they declare: import, include, redefine.
#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "built_in.hpp"
#include "schema.hpp"
#include "schema_reader.hpp"
#include "schema_rules.hpp"

namespace importer {

static bool is_schema(Node at, std::string_view local) { return at.is(xsd_ns, local); }

// --- Documents -----------------------------------------------------------------------------------

/// The namespaces of drafts of XML Schema.
static bool is_draft(std::string_view ns) {
  return ns == "http://www.w3.org/1999/XMLSchema" || ns == "http://www.w3.org/2000/10/XMLSchema";
}

void SchemaSet::add(const Place& schema) {
  if (is_schema(schema.at, "annotation")) return;
  if (is_schema(schema.at, "import")) {
    notes_.push_back(
        schema.text() + ": xs:import stands outside of xs:schema; read as if it stood in one");
    Context in;
    in.in = schema.in;
    return read_import(in, schema.at);
  }
  add_document(schema, std::string(attribute_of(schema.at, "targetNamespace")));
}

/// The reason why an element is not a schema.
static std::string no_schema(Node at) {
  const std::string local(at.local());
  if (at.ns() == xsd_ns) return "xs:" + local + " stands outside of xs:schema; put it into one";
  return "is not a schema of http://www.w3.org/2001/XMLSchema: its root element is " + local +
         (at.ns().empty() ? " in no namespace" : " of " + std::string(at.ns()));
}

/// The reason why a document is not the schema for an import or include of this namespace.
static std::optional<std::string> why_other(Node root, const std::string& ns, bool is_include) {
  if (is_draft(root.ns())) return std::nullopt;  // reported where it is used
  if (!is_schema(root, "schema")) return no_schema(root);
  const std::string own(attribute_of(root, "targetNamespace"));
  if (own == ns || (is_include && own.empty())) return std::nullopt;
  const std::string has = own.empty() ? "has no namespace" : "has the namespace '" + own + '\'';
  if (is_include)
    return has + ", not '" + ns + "' as the schema that includes it; import it (XML Schema " +
           "part 1, 4.2.1)";
  return has + ", not '" + ns +
         "' as the import says; correct the import, or name a schema of that namespace as an "
         "input (XML Schema part 1, 4.2.3)";
}

constexpr std::string_view xml_ns = "http://www.w3.org/XML/1998/namespace";

/// XML Schema defines no other attributes without a namespace (part 1, 3.14.6 and its schema for
/// schemas).
static bool is_known_attribute(std::string_view name) {
  static const std::set<std::string_view> known{
      "abstract",
      "attributeFormDefault",
      "base",
      "block",
      "blockDefault",
      "default",
      "elementFormDefault",
      "final",
      "finalDefault",
      "fixed",
      "form",
      "id",
      "itemType",
      "maxOccurs",
      "memberTypes",
      "minOccurs",
      "mixed",
      "name",
      "namespace",
      "nillable",
      "processContents",
      "public",
      "ref",
      "refer",
      "schemaLocation",
      "substitutionGroup",
      "system",
      "targetNamespace",
      "type",
      "use",
      "value",
      "version",
      "xpath"};
  return known.contains(name);
}

void SchemaSet::note_attributes(const Context& in, Node parent, Node at) {
  const std::string tag(at.local());
  for (const std::string_view name : at.attributes()) {
    const std::string text(name);
    if (!is_known_attribute(name)) {
      note_once(
          {in.in, at},
          "xs:" + tag + " has no attribute '" + text + "' in XML Schema 1.0; it is ignored");
    } else if (!words_of(name).empty()) {
      const std::string said = collapsed(attribute_of(at, name));
      const auto meant = meant_word(name, said);
      if (meant && *meant != said)
        note_once(
            {in.in, at},
            text + "='" + said + "' of xs:" + tag + " is read as " +
                (said.empty() ? "if it were not there" : '\'' + *meant + '\''));
    }
  }
  if (const std::string note = attribute_note(parent, at); !note.empty())
    note_once({in.in, at}, note);
}

void SchemaSet::note_once(const Place& at, const std::string& note) {
  if (noted_.insert(note).second) notes_.push_back(at.text() + ": " + note);
}

/// Finds misplaced elements. If a component would lose one, its reader refuses the component. The
/// other elements get a note.
void SchemaSet::check_form(const Context& in, Node parent, Node at, Node holder) {
  note_attributes(in, parent, at);
  const std::string_view tag = at.local();
  const bool is_component = tag == "complexType" || tag == "simpleType" || tag == "element" ||
                            tag == "attribute" || tag == "group" || tag == "attributeGroup";
  if (is_component && (has_attribute(at, "name") || !tag.ends_with("roup"))) holder = at;
  const auto lose = [&](Node what, const std::string& reason) {
    if (holder == in.schema) return note_once({in.in, what}, reason + "; it is ignored");
    misplaced_.emplace(holder.source().data(), Problem{Place{in.in, what}.text(), reason, true});
  };
  const std::string_view around = parent ? parent.local() : std::string_view();
  for (Node child = at.first_child(); child; child = child.next_sibling()) {
    const auto wrong = misplaced(around, at, child);
    if (wrong && wrong->is_lost)
      lose(child, wrong->reason);
    else if (wrong)
      note_once({in.in, child}, wrong->reason);
    if (is_read(around, at, child)) check_form(in, at, child, holder);
  }
  if (const Node second = second_definition(at))
    lose(
        second,
        "xs:" + std::string(second.local()) + " may not stand in this xs:" + std::string(tag) +
            ", which another definition fills (XML Schema part 1, schema for schemas)");
}

/// `ns`: the namespace of the schema. A schema without a namespace has the one of the schema that
/// includes it (XML Schema part 1, 4.2.1).
void SchemaSet::add_document(const Place& schema, const std::string& ns) {
  if (is_draft(schema.at.ns())) {
    drafts_.emplace(attribute_of(schema.at, "targetNamespace"), schema);
    return;
  }
  if (!is_schema(schema.at, "schema")) refuse_all(schema, no_schema(schema.at));
  // Copies of the schema for the xml namespace differ in components that no contract needs.
  if (schema.in->name() != ns && ns == xml_ns) return add_built_in(ns);
  if (!read_.emplace(std::pair{schema.at.source().data(), ns}, true).second) return;
  namespaces_[ns] = true;
  Context& in = contexts_.emplace_back();
  in.in = schema.in;
  in.ns = ns;
  in.has_ns = has_attribute(schema.at, "targetNamespace");
  in.qualified_elements =
      meant_word("elementFormDefault", attribute_of(schema.at, "elementFormDefault")) ==
      "qualified";
  in.qualified_attributes =
      meant_word("attributeFormDefault", attribute_of(schema.at, "attributeFormDefault")) ==
      "qualified";
  in.block = attribute_of(schema.at, "blockDefault");
  in.schema = schema.at;
  check_form(in, {}, schema.at, schema.at);
  for (Node child = schema.at.first_child(); child; child = child.next_sibling()) {
    if (is_schema(child, "import"))
      read_import(in, child);
    else if (is_schema(child, "include"))
      read_include(in, child);
    else if (is_schema(child, "redefine"))
      redefine(in, child);
    else if (is_schema(child, "override"))
      override(in, child);
    else if (child.ns() == xsd_ns && has_attribute(child, "name"))
      declare(in, child);
    else if (child.local() == "import")
      foreign_imports_.emplace(attribute_of(child, "namespace"), Place{in.in, child});
  }
}

void SchemaSet::add_built_in(const std::string& ns) {
  const Document& known = library_.built_in(ns, built_in_schema(ns));
  add_document({&known, known.root()}, ns);
}

/// A missing document is no error (XML Schema part 1, 4.2.1 and 4.2.3): another document may
/// declare the namespace, or no operation may need it. A missing name reports it.
void SchemaSet::read_import(const Context& in, Node at) {
  const std::string ns(attribute_of(at, "namespace"));
  const std::string location(attribute_of(at, "schemaLocation"));
  const Place place{in.in, at};
  imported_[ns] = true;
  if (ns == xsd_ns || location.empty()) return;  // known, or declared elsewhere in the contract
  if (ns == in.ns) {
    notes_.push_back(place.text() + ": imports its own namespace; read as include");
    return read_include(in, at);
  }
  const bool is_built_in = !built_in_schema(ns).empty();
  std::string why;
  const Document* const read =
      is_built_in ? library_.find_here(place, location) : library_.find(place, location, why);
  if (!read) {
    if (!is_built_in) missing_.push_back({place, ns, location, why, ns});
    return;
  }
  const Place root{read, read->root()};
  const std::string own(attribute_of(root.at, "targetNamespace"));
  if (ns.empty() && !own.empty() && is_schema(root.at, "schema")) {
    notes_.push_back(
        place.text() +
        ": the import has no namespace= (XML Schema part 1, 4.2.3); read as one of '" + own + '\'');
    return add_document(root, own);
  }
  if (const auto wrong = why_other(root.at, ns, false))
    return missing_.push_back({place, ns, location, *wrong, own});
  add_document(root, ns);
}

void SchemaSet::read_include(const Context& in, Node at) {
  const std::string location(attribute_of(at, "schemaLocation"));
  const Place place{in.in, at};
  std::string why = "is missing: a schemaLocation is needed";
  const Document* const read = location.empty() ? nullptr : library_.find(place, location, why);
  if (!read) return missing_.push_back({place, in.ns, location, why, in.ns, true});
  const Place root{read, read->root()};
  const std::string own(attribute_of(root.at, "targetNamespace"));
  if (const auto wrong = why_other(root.at, in.ns, true))
    return missing_.push_back({place, in.ns, location, *wrong, own, true});
  add_document(root, in.ns);
}

/// XML Schema part 1, 4.2.2: the components inside replace included components.
void SchemaSet::redefine(const Context& in, Node at) {
  read_include(in, at);
  for (Node child = at.first_child(); child; child = child.next_sibling())
    if (child.ns() == xsd_ns && has_attribute(child, "name")) declare(in, child, true);
}

SchemaSet::Symbol SchemaSet::kind_of(std::string_view tag) {
  return tag == "element"          ? Symbol::element
         : tag == "attribute"      ? Symbol::attribute
         : tag == "group"          ? Symbol::group
         : tag == "attributeGroup" ? Symbol::attribute_group
                                   : Symbol::type;
}

/// XML Schema 1.1, part 1, 4.2.5. A component that is declared in it is refused where it is used.
void SchemaSet::override(const Context& in, Node at) {
  read_include(in, at);
  for (Node child = at.first_child(); child; child = child.next_sibling()) {
    if (child.ns() != xsd_ns || !has_attribute(child, "name")) continue;
    declare(in, child);
    const QName name{in.ns, std::string(attribute_of(child, "name"))};
    const auto known = symbols_.find({kind_of(child.local()), name});
    if (known != symbols_.end())
      known->second->problem = Problem{
          Place{in.in, child}.text(),
          shown(name) +
              " is declared in xs:override, which is of XML Schema 1.1; the importer "
              "reads 1.0",
          true};
  }
}

void SchemaSet::declare(const Context& in, Node at, bool redefines) {
  const std::string_view tag = at.local();
  const Symbol kind = kind_of(tag);
  const QName name{in.ns, std::string(attribute_of(at, "name"))};
  const Place place{in.in, at};
  if (kind == Symbol::type && tag != "complexType" && tag != "simpleType") {
    unknown_.emplace(name, place);
    return;
  }
  if (!soapsvc::detail::is_ncname(name.local))
    return broken_.push_back({place.text(), '\'' + name.local + "' is not an XML name", true});
  Global*& known = symbols_[{kind, name}];
  if (!known) {
    known = &globals_.emplace_back(Global{name, at, &in});
    if (redefines)
      known->problem =
          Problem{place.text(), "redefines " + shown(name) + ", which is not declared", true};
    return;
  }
  if (redefines) {
    Global& made = globals_.emplace_back(Global{name, at, &in});
    made.original = known;
    known->is_original = true;
    known = &made;
    return;
  }
  // A second copy of a component, from a copied file, is harmless.
  if (known->is_original || known->original) return;
  const Place first{known->in->in, known->at};
  if (is_alike(first, *known->in, place, in)) return;
  const std::string what = std::string(tag) + ' ' + shown(name) + " is declared twice";
  if (known->in->in == in.in) {
    known->problem = Problem{place.text(), what + "; first at " + first.text(), true};
    return;
  }
  // Validators take the first schema of a namespace and ignore later imports of it.
  notes_.push_back(place.text() + ": " + what + "; that of " + first.text() + " is taken");
}

/// The normalized value of an attribute: names without prefixes, and defaults.
static std::string component_value(const Place& at, std::string_view ns, std::string_view name) {
  constexpr std::string_view names[] = {
      "type", "ref", "base", "itemType", "memberTypes", "substitutionGroup"};
  const std::string_view said = attribute_of(at.at, name);
  if (std::find(std::begin(names), std::end(names), name) != std::end(names)) {
    std::string all;
    std::string_view list = said;
    while (const auto each = take_item(list)) {
      const std::size_t colon = each->find(':');
      const auto space =
          at.at.namespace_of(colon == each->npos ? std::string_view() : each->substr(0, colon));
      const QName found{
          std::string(space && !space->empty() ? *space : ns),
          std::string(colon == each->npos ? *each : each->substr(colon + 1))};
      all += shown(found) + ' ';
    }
    return all;
  }
  if (!said.empty() || has_attribute(at.at, name)) {
    if (said == "1" && (name == "nillable" || name == "abstract" || name == "mixed")) return "true";
    return std::string(said);
  }
  if (name == "minOccurs" || name == "maxOccurs") return "1";
  if (name == "nillable" || name == "abstract" || name == "mixed") return "false";
  if (name == "use") return "optional";
  return name == "processContents" ? "strict" : "";
}

/// The attributes that is_alike() compares.
static constexpr std::string_view compared_attributes[] = {
    "name",
    "ref",
    "type",
    "base",
    "itemType",
    "memberTypes",
    "minOccurs",
    "maxOccurs",
    "nillable",
    "abstract",
    "mixed",
    "use",
    "value",
    "default",
    "fixed",
    "final",
    "namespace",
    "processContents",
    "substitutionGroup"};

/// True if two declarations are the same component. Documentation, white space, prefixes and
/// explicit defaults do not count (XML Schema part 1, 2.2).
bool SchemaSet::is_alike(
    const Place& one, const Context& in_one, const Place& other, const Context& in_other) {
  if (one.at.source() == other.at.source() && in_one.ns == in_other.ns &&
      in_one.qualified_elements == in_other.qualified_elements &&
      in_one.qualified_attributes == in_other.qualified_attributes)
    return true;
  if (one.at.ns() != other.at.ns() || one.at.local() != other.at.local()) return false;
  for (const std::string_view each : compared_attributes)
    if (component_value(one, in_one.ns, each) != component_value(other, in_other.ns, each))
      return false;
  const auto is_qualified = [](const Place& at, const Context& in) {
    const std::string_view form = attribute_of(at.at, "form");
    return form.empty()
               ? at.at.local() == "element" ? in.qualified_elements : in.qualified_attributes
               : form == "qualified";
  };
  const std::string_view tag = one.at.local();
  if ((tag == "element" || tag == "attribute") &&
      is_qualified(one, in_one) != is_qualified(other, in_other))
    return false;
  const auto skip = [](Node at) {
    while (at && is_schema(at, "annotation"))
      at = at.next_sibling();
    return at;
  };
  Node left = skip(one.at.first_child());
  Node right = skip(other.at.first_child());
  for (; left && right; left = skip(left.next_sibling()), right = skip(right.next_sibling()))
    if (!is_alike({one.in, left}, in_one, {other.in, right}, in_other)) return false;
  return !left && !right;
}

QName SchemaSet::name_in(const Context& in, const Place& at, std::string_view said) {
  QName name = name_of(at, said);
  if (!name.ns.empty()) return name;
  const auto is_declared = [&](Symbol kind) { return symbols_.contains({kind, name}); };
  constexpr std::array all{
      Symbol::element, Symbol::attribute, Symbol::type, Symbol::group, Symbol::attribute_group};
  if (in.has_ns && std::any_of(all.begin(), all.end(), is_declared)) return name;
  name.ns = in.ns;
  if (in.has_ns && !in.ns.empty() && unprefixed_.insert(&in).second)
    notes_.push_back(
        at.text() + ": the name '" + std::string(said) +
        "' has no prefix, and no default namespace is declared (XML Schema part 1, 3.15.3); such "
        "names of this schema are read as names of its own namespace");
  return name;
}

std::vector<Problem> SchemaSet::unneeded() const {
  std::vector<Problem> all;
  for (const MissingImport& each : missing_) {
    const bool is_elsewhere = namespaces_.contains(each.ns) && each.own == each.ns;
    if (each.is_needed || (!each.is_include && is_elsewhere)) continue;
    all.push_back({each.at.text(), each.text()});
  }
  return all;
}

void SchemaSet::finish() {
  // Only members name their substitution group, so all elements are read.
  for (auto& [key, global] : symbols_)
    if (key.first == Symbol::element && has_attribute(global->at, "substitutionGroup"))
      element_of(*global);
  resolve();
  for (Element& each : elements_) {
    std::size_t steps = 0;
    for (const Element* head = each.head; head && steps <= most_heads; head = head->head)
      ++steps;
    if (steps <= most_heads) continue;
    try {
      refuse_heads(each.at, each.name);
    } catch (const Broken& broken) {
      broken_.push_back(broken.problem);
      each.problem = broken.problem;
      each.head = nullptr;
    }
  }
  for (const Element& each : elements_)
    add_substitute(each);
  for (auto& [head, members] : substitutes_)
    std::sort(members.begin(), members.end(), [](const Element* a, const Element* b) {
      return a->name < b->name;
    });
}

/// Adds an element to the substitutes of each head that does not block a step by which the
/// element's type is derived from the head's (XML Schema part 1, 3.3.6: Substitution Group OK).
void SchemaSet::add_substitute(const Element& element) {
  constexpr std::size_t most_steps = 1'000;  // bounds types that are derived from themselves
  std::size_t steps = 0;
  Blocks taken, barred;
  const Type* at = element.type;
  for (const Element* head = element.head; head; head = head->head) {
    for (; at && at != head->type && ++steps != most_steps; at = at->base) {
      const bool is_extension = at->kind == Type::Kind::complex && at->base && !at->is_restriction;
      (is_extension ? taken.extension : taken.restriction) = true;
      if (!at->base) continue;
      barred.extension = barred.extension || at->base->blocks.extension;
      barred.restriction = barred.restriction || at->base->blocks.restriction;
    }
    const bool is_blocked = head->blocks.substitution ||
                            (taken.extension && (barred.extension || head->blocks.extension)) ||
                            (taken.restriction && (barred.restriction || head->blocks.restriction));
    if (!is_blocked) substitutes_[head].push_back(&element);
  }
}

void SchemaSet::refuse_heads(const Place& at, const QName& element) {
  refuse(
      at,
      "the substitution group of " + shown(element) + " contains itself, or is more than " +
          std::to_string(most_heads) + " deep");
}

void SchemaSet::count_particle(const Place& at, std::size_t count) {
  particles_ += count;
  if (particles_ > most_particles)
    refuse_all(
        at,
        "the types hold more than " + std::to_string(most_particles) +
            " elements and attributes together; split the contract");
}

// --- Names ---------------------------------------------------------------------------------------

SchemaSet::Global& SchemaSet::find(Symbol kind, const QName& name, const Place& asked_by) {
  auto known = symbols_.find({kind, name});
  if (known == symbols_.end() && !namespaces_.contains(name.ns) &&
      !built_in_schema(name.ns).empty()) {
    add_built_in(name.ns);
    known = symbols_.find({kind, name});
  }
  if (known != symbols_.end()) {
    if (known->second->problem) throw Broken(*known->second->problem);
    return *known->second;
  }
  const std::string what = kind == Symbol::element     ? "element "
                           : kind == Symbol::attribute ? "attribute "
                           : kind == Symbol::type      ? "type "
                           : kind == Symbol::group     ? "group "
                                                       : "attributeGroup ";
  for (MissingImport& each : missing_)
    if (each.ns == name.ns || each.own == name.ns) {
      each.is_needed = true;
      refuse(
          each.at,
          each.text() + "; the " + what + shown(name) + " at " + asked_by.text() +
              " is not declared without it");
    }
  refuse(
      asked_by,
      "the " + what + shown(name) + " is not declared" + why_missing(kind, name, asked_by));
}

std::string SchemaSet::MissingImport::text() const {
  return "the schema '" + without_credentials(location) + '\'' +
         (own == ns ? " of the namespace '" + ns + '\'' : "") + ' ' + why;
}

/// The end of an error message: a declaration with this name, but of another kind or namespace.
std::string SchemaSet::what_else(Symbol kind, const QName& name, const Place& asked_by) const {
  if (const auto found = unknown_.find(name); found != unknown_.end())
    return "; at " + found->second.text() + " is an element '" +
           std::string(found->second.at.local()) + "', which XML Schema does not have here";
  const bool is_built_in = name.ns == xsd_ns && is_built_in_type(name.local);
  const bool is_part = asked_by.at.ns() != xsd_ns;  // its style decides between element and type
  if (kind == Symbol::element && (is_built_in || symbols_.contains({Symbol::type, name})))
    return is_part ? "; it is a type: declare an element of this type, and name that"
                   : "; it is a type: write type= instead";
  if (kind == Symbol::type && symbols_.contains({Symbol::element, name}))
    return is_part ? "; it is an element: name its type, or declare one with its content"
                   : "; it is an element: write element= or ref= instead";
  if (elsewhere_.empty())
    for (const auto& [known, global] : symbols_)
      elsewhere_.emplace(std::pair{known.first, known.second.local}, known.second.ns);
  const auto found = elsewhere_.find({kind, name.local});
  return found == elsewhere_.end() ? std::string() : declared_in(found->second);
}

std::string SchemaSet::why_missing(Symbol kind, const QName& name, const Place& asked_by) const {
  if (std::string else_ = what_else(kind, name, asked_by); !else_.empty()) return else_;
  if (namespaces_.contains(name.ns)) return {};
  if (is_draft(name.ns))
    return "; it is in the namespace of a draft of XML Schema; only XML Schema of 2001 is read";
  if (const auto draft = drafts_.find(name.ns); draft != drafts_.end())
    return "; its schema, at " + draft->second.text() + ", is in the namespace of a draft, " +
           std::string(draft->second.at.ns()) + "; only XML Schema of 2001 is read";
  if (const auto found = foreign_imports_.find(name.ns); found != foreign_imports_.end()) {
    const std::string_view ns = found->second.at.ns();
    return "; the import of its namespace, at " + found->second.text() + ", is an element " +
           (ns.empty() ? "in no namespace" : "of " + std::string(ns)) +
           ", not of XML Schema: correct its prefix";
  }
  if (name.ns.empty()) return "; it has no namespace, and no schema without a namespace was read";
  if (imported_.contains(name.ns))
    return "; its namespace is imported without a schemaLocation: give the file of its schema "
           "as well";
  return ", nor is its namespace imported";
}

const Element& SchemaSet::element(const QName& name, const Place& asked_by) {
  return element_of(find(Symbol::element, name, asked_by));
}

const Type& SchemaSet::type(const QName& name, const Place& asked_by) {
  if (name == QName{std::string(xsd_ns), "anySimpleType"}) return any_simple_type(asked_by);
  // SOAP encoding has the simple types of XML Schema under its own name, and base64 (SOAP 1.1,
  // 5.2).
  const bool encoding = name.ns == "http://schemas.xmlsoap.org/soap/encoding/";
  if (encoding && name.local == "base64") return built_in("base64Binary");
  if ((name.ns == xsd_ns || encoding) && is_built_in_type(name.local)) return built_in(name.local);
  if (name.ns == xsd_ns && !symbols_.contains({Symbol::type, name}))
    refuse(
        asked_by,
        "there is no type " + name.local + " in XML Schema 1.0" + similar_type(name.local) +
            what_else(Symbol::type, name, asked_by));
  return type_of(find(Symbol::type, name, asked_by));
}

Type& SchemaSet::built_in(const std::string& local) {
  Type*& slot = built_ins_[local];
  if (!slot) {
    slot = &types_.emplace_back();
    slot->name = {std::string(xsd_ns), local};
  }
  return *slot;
}

/// Its place is its first use, which notes name.
const Type& SchemaSet::any_simple_type(const Place& used_at) {
  Type& made = built_in("anySimpleType");
  if (!made.at.in) made.at = used_at;
  return made;
}

Type& SchemaSet::type_of(Global& global) {
  if (!global.type) {
    Type& made = types_.emplace_back();
    made.kind = global.at.local() == "complexType" ? Type::Kind::complex : Type::Kind::simple;
    made.name = global.name;
    made.at = {global.in->in, global.at};
    if (global.is_original) {  // another component has its name
      made.label = global.name.local + "Original";
      made.label_ns = global.name.ns;
      made.name.local.clear();
    }
    global.type = &made;
    pending_types_.emplace_back(&made, global);
  }
  return *global.type;
}

Element& SchemaSet::element_of(Global& global) {
  if (!global.element) {
    Element& made = new_element();
    made.name = global.name;
    made.at = {global.in->in, global.at};
    made.is_global = true;
    global.element = &made;
    pending_elements_.emplace_back(&made, global);
  }
  return *global.element;
}

Element& SchemaSet::new_element() {
  Element& made = elements_.emplace_back();
  made.type = &built_in("anyType");
  return made;
}

/// A broken element keeps its head: the head's choice needs it.
void SchemaSet::read(Element& made, const Global& from) {
  try {
    SchemaReader(*this, from).read_element(made, from.at);
    if (from.problem) made.problem = from.problem;
  } catch (const Broken& broken) {
    broken_.push_back(broken.problem);
    made.problem = broken.problem;
  }
}

/// An element without a type has its head's, also an anonymous one (XML Schema part 1, 3.3.2). A
/// circle of heads leaves them as they are, and is refused in `finish`.
void SchemaSet::take_types_of_heads() {
  for (Element* each : typed_by_head_) {
    const Element* from = each->head;
    for (std::size_t steps = 0; steps != most_heads && from->has_type_of_head; ++steps)
      from = from->head;
    each->type = from->type;
    if (!each->problem) each->problem = from->problem;
  }
  typed_by_head_.clear();
}

/// Resolves types one after the other without recursion: a chain of types may have any length.
void SchemaSet::resolve() {
  while (!pending_types_.empty() || !pending_elements_.empty()) {
    if (!pending_elements_.empty()) {
      const auto [made, from] = pending_elements_.front();
      pending_elements_.pop_front();
      read(*made, from);
    } else {
      const auto [made, from] = pending_types_.front();
      pending_types_.pop_front();
      try {
        SchemaReader(*this, from).read_type(*made, from.at);
      } catch (const Broken& broken) {
        broken_.push_back(broken.problem);
        made->break_off(broken.problem);
      }
    }
  }
  take_types_of_heads();
}

void SchemaSet::break_off(const Type& type, const std::string& reason) {
  broken_.push_back({type.at.text(), reason, true});
  for (Type& each : types_)
    if (&each == &type) each.break_off(broken_.back());
}

std::vector<const Type*> SchemaSet::all_types() {
  for (auto& [key, global] : symbols_)
    if (key.first == Symbol::type && !global->problem) type_of(*global);
  resolve();
  std::vector<const Type*> all;
  for (const Type& each : types_)
    if (each.kind != Type::Kind::built_in) all.push_back(&each);
  return all;
}

const std::vector<const Element*>& SchemaSet::substitutes_of(const Element& head) const {
  static const std::vector<const Element*> none;
  const auto known = substitutes_.find(&head);
  return known == substitutes_.end() ? none : known->second;
}

std::vector<const Element*> SchemaSet::substitutes(const Element& head) {
  const auto known = substitutes_.find(&head);
  if (known == substitutes_.end()) return {};
  count_particle(head.at, known->second.size());
  return known->second;
}

void Type::break_off(Problem why) {
  problem = std::move(why);
  base = nullptr;
  is_mixed = false;
  content.reset();
  content_type = nullptr;
  attributes.clear();
  any_attribute.reset();
  facets.clear();
  members.clear();
}

bool is_any_type(const Type& type) { return type.is_built_in("anyType"); }

bool is_open(const Type& type) {
  for (const Type* at = &type; at; at = at->is_restriction ? nullptr : at->base)
    if (at->is_mixed || is_any_type(*at)) return true;
  return false;
}

}  // namespace importer
