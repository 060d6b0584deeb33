// Which schema documents there are, and which names they declare: import, include, redefine.
#include <algorithm>

#include "built_in.hpp"
#include "schema.hpp"
#include "schema_reader.hpp"

namespace importer {

static bool is_schema(Node at, std::string_view local) { return at.is(xsd_ns, local); }

// --- Documents -----------------------------------------------------------------------------------

void SchemaSet::add(const Place& schema) {
    add_document(schema, std::string(attribute_of(schema.at, "targetNamespace")));
}

/// `ns` is the schema's own, or of one without any that of the schema which includes it (XML Schema
/// part 1, 4.2.1).
void SchemaSet::add_document(const Place& schema, const std::string& ns) {
    if (!is_schema(schema.at, "schema"))
        refuse(
            schema,
            "not a schema of http://www.w3.org/2001/XMLSchema: the element is " +
                std::string(schema.at.local()));
    if (schema.in->name() != ns && !built_in_schema(ns).empty()) {  // a copy of what is known
        const Document& known = library_.built_in(ns, built_in_schema(ns));
        return add_document({&known, known.root()}, ns);
    }
    if (!read_.emplace(std::pair{schema.at.source().data(), ns}, true).second) return;
    namespaces_[ns] = true;
    Context& in = contexts_.emplace_back();
    in.in = schema.in;
    in.ns = ns;
    in.qualified_elements = attribute_of(schema.at, "elementFormDefault") == "qualified";
    in.qualified_attributes = attribute_of(schema.at, "attributeFormDefault") == "qualified";
    in.block = attribute_of(schema.at, "blockDefault");
    for (Node child = schema.at.first_child(); child; child = child.next_sibling()) {
        if (is_schema(child, "import"))
            read_import(in, child);
        else if (is_schema(child, "include"))
            read_include(in, child);
        else if (is_schema(child, "redefine"))
            redefine(in, child);
        else if (child.ns() == xsd_ns && has_attribute(child, "name"))
            declare(in, child);
    }
}

/// What lies on a network, or is not there, may be needless: another document may declare the
/// namespace. So it is noted, and told in the end.
void SchemaSet::read_import(const Context& in, Node at) {
    const std::string ns(attribute_of(at, "namespace"));
    const std::string location(attribute_of(at, "schemaLocation"));
    if (const std::string_view text = built_in_schema(ns); !text.empty()) {
        const Document& known = library_.built_in(ns, text);
        return add_document({&known, known.root()}, ns);
    }
    if (location.empty()) return;  // it is elsewhere in the contract
    if (ns == in.ns) {
        notes_.push_back(Place{in.in, at}.text() + ": imports its own namespace; read as include");
        return read_include(in, at);
    }
    std::string why;
    const Document* const read = library_.find({in.in, at}, location, why);
    if (!read) return missing_.push_back({{in.in, at}, ns, location, why});
    const Place root{read, read->root()};
    if (!is_schema(root.at, "schema")) return add_document(root, ns);  // which says so
    if (attribute_of(root.at, "targetNamespace") != ns)
        refuse(
            {in.in, at},
            "the schema " + read->name() + " has the namespace '" +
                std::string(attribute_of(root.at, "targetNamespace")) + "', not '" + ns + "'");
    add_document(root, ns);
}

void SchemaSet::read_include(const Context& in, Node at) {
    const std::string location(attribute_of(at, "schemaLocation"));
    const Place place{in.in, at};
    if (location.empty()) refuse(place, "needs a schemaLocation");
    std::string why;
    const Document* const read = library_.find(place, location, why);
    if (!read) return missing_.push_back({place, in.ns, location, why, true});
    const Place root{read, read->root()};
    const std::string_view own = attribute_of(root.at, "targetNamespace");
    if (!own.empty() && own != in.ns)
        refuse(
            place,
            "the schema " + read->name() + " has the namespace '" + std::string(own) + "', not '" +
                in.ns + "'; import it");
    add_document(root, in.ns);
}

/// XML Schema part 1, 4.2.2: what stands in it takes the place of what it includes.
void SchemaSet::redefine(const Context& in, Node at) {
    read_include(in, at);
    for (Node child = at.first_child(); child; child = child.next_sibling())
        if (child.ns() == xsd_ns && has_attribute(child, "name")) declare(in, child, true);
}

void SchemaSet::declare(const Context& in, Node at, bool redefines) {
    const std::string_view tag = at.local();
    const Symbol kind = tag == "element"          ? Symbol::element
                        : tag == "attribute"      ? Symbol::attribute
                        : tag == "group"          ? Symbol::group
                        : tag == "attributeGroup" ? Symbol::attribute_group
                                                  : Symbol::type;
    if (kind == Symbol::type && tag != "complexType" && tag != "simpleType") return;
    const QName name{in.ns, std::string(attribute_of(at, "name"))};
    const Place place{in.in, at};
    if (!soapsvc::detail::is_ncname(name.local))
        refuse(place, '\'' + name.local + "' is no name of XML");
    Global*& known = symbols_[{kind, name}];
    if (!known) {
        if (redefines) refuse(place, "redefines " + shown(name) + ", which is not declared");
        known = &globals_.emplace_back(Global{name, at, &in});
        return;
    }
    if (redefines) {
        Global& made = globals_.emplace_back(Global{name, at, &in});
        made.original = known;
        known->is_original = true;
        known = &made;
        return;
    }
    // The same text twice, by a file that was copied, is no harm.
    if (known->is_original || known->original || known->at.source() == at.source()) return;
    const std::string what = std::string(tag) + ' ' + shown(name) + " is declared twice";
    const Place first{known->in->in, known->at};
    if (known->in->in == in.in) refuse(place, what + "; first at " + first.text());
    // Validators take the first schema of a namespace and leave out what is imported for it later.
    notes_.push_back(place.text() + ": " + what + "; that of " + first.text() + " is taken");
}

void SchemaSet::finish() {
    for (const MissingImport& each : missing_) {
        if (!each.is_include && namespaces_.contains(each.ns)) continue;
        refuse(
            each.at,
            "the schema '" + each.location + "' of the namespace '" + each.ns + "' " + each.why);
    }
    // Substitution groups are told by their members, so all of these are looked at.
    for (auto& [key, global] : symbols_)
        if (key.first == Symbol::element && has_attribute(global->at, "substitutionGroup"))
            element_of(*global);
    resolve();
    for (const Element& each : elements_) {
        if (!each.head) continue;
        std::size_t steps = 0;
        for (const Element* head = each.head; head; head = head->head) {
            if (++steps > most_heads) refuse_heads(each.at, each.name);
            if (!head->blocks_substitution) substitutes_[head].push_back(&each);
        }
    }
    for (auto& [head, members] : substitutes_)
        std::sort(members.begin(), members.end(), [](const Element* a, const Element* b) {
            return a->name < b->name;
        });
}

void SchemaSet::refuse_heads(const Place& at, const QName& element) {
    refuse(
        at,
        "the substitution group of " + shown(element) + " leads back to itself, or is more than " +
            std::to_string(most_heads) + " deep");
}

void SchemaSet::count_particle(const Place& at, std::size_t count) {
    particles_ += count;
    if (particles_ > most_particles)
        refuse(
            at,
            "the types hold more than " + std::to_string(most_particles) +
                " elements and attributes together; split the contract");
}

// --- Names ---------------------------------------------------------------------------------------

SchemaSet::Global& SchemaSet::find(Symbol kind, const QName& name, const Place& asked_by) {
    const auto known = symbols_.find({kind, name});
    if (known != symbols_.end()) return *known->second;
    const char* const what = kind == Symbol::element     ? "element"
                             : kind == Symbol::attribute ? "attribute"
                             : kind == Symbol::type      ? "type"
                             : kind == Symbol::group     ? "group"
                                                         : "attributeGroup";
    refuse(
        asked_by,
        "the " + std::string(what) + ' ' + shown(name) + " is not declared" +
            (namespaces_.contains(name.ns) ? "" : ", nor is its namespace imported"));
}

const Element& SchemaSet::element(const QName& name, const Place& asked_by) {
    return element_of(find(Symbol::element, name, asked_by));
}

const Type& SchemaSet::type(const QName& name, const Place& asked_by) {
    // SOAP encoding has the simple types of XML Schema under its own name (SOAP 1.1, 5.2.1).
    const bool encoding = name.ns == "http://schemas.xmlsoap.org/soap/encoding/";
    if (name.ns == xsd_ns || (encoding && is_built_in_type(name.local))) {
        if (!is_built_in_type(name.local))
            refuse(asked_by, "there is no type " + name.local + " in XML Schema 1.0");
        return built_in(name.local);
    }
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

Type& SchemaSet::type_of(Global& global) {
    if (!global.type) {
        Type& made = types_.emplace_back();
        made.kind = global.at.local() == "complexType" ? Type::Kind::complex : Type::Kind::simple;
        made.name = global.name;
        made.at = {global.in->in, global.at};
        if (global.is_original) {  // another one has its name
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
        Element& made = elements_.emplace_back();
        made.name = global.name;
        made.at = {global.in->in, global.at};
        made.is_global = true;
        global.element = &made;
        pending_elements_.emplace_back(&made, global);
    }
    return *global.element;
}

/// One after the other, never one within the other: a chain of types may be as long as it likes.
void SchemaSet::resolve() {
    while (!pending_types_.empty() || !pending_elements_.empty()) {
        if (!pending_elements_.empty()) {
            const auto [made, from] = pending_elements_.front();
            pending_elements_.pop_front();
            SchemaReader(*this, from).read_element(*made, from.at);
        } else {
            const auto [made, from] = pending_types_.front();
            pending_types_.pop_front();
            SchemaReader(*this, from).read_type(*made, from.at);
        }
    }
}

std::vector<const Type*> SchemaSet::all_types() {
    for (auto& [key, global] : symbols_)
        if (key.first == Symbol::type) type_of(*global);
    resolve();
    std::vector<const Type*> all;
    for (const Type& each : types_)
        if (each.kind != Type::Kind::built_in) all.push_back(&each);
    return all;
}

std::vector<const Element*> SchemaSet::substitutes(const Element& head) {
    const auto known = substitutes_.find(&head);
    if (known == substitutes_.end()) return {};
    count_particle(head.at, known->second.size());
    return known->second;
}

bool is_any_type(const Type& type) { return type.is_built_in("anyType"); }

bool is_open(const Type& type) {
    for (const Type* at = &type; at; at = at->is_restriction ? nullptr : at->base)
        if (at->is_mixed || is_any_type(*at)) return true;
    return false;
}

}  // namespace importer
