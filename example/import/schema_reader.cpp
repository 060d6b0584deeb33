#include "schema_reader.hpp"

#include <charconv>

namespace importer {

static bool is_schema(Node at, std::string_view local) { return at.is(xsd_ns, local); }

static Node child_of(Node at, std::string_view local) {
  for (Node child = at.first_child(); child; child = child.next_sibling())
    if (is_schema(child, local)) return child;
  return {};
}

static std::optional<std::string> value_of(Node at, std::string_view name) {
  const auto said = at.attribute(name);
  return said ? std::optional(std::string(*said)) : std::nullopt;
}

/// Markup within a documentation counts for its text alone. The reader's bound on depth is one here.
static void append_text(Node at, std::string& to) {
  if (!at.first_child()) to.append(at.text()).append(" ");
  for (Node child = at.first_child(); child; child = child.next_sibling())
    append_text(child, to);
}

std::string documentation_of(Node at) {
  const Node annotation = child_of(at, "annotation");
  std::string text;
  if (annotation)
    for (Node child = annotation.first_child(); child; child = child.next_sibling())
      if (is_schema(child, "documentation")) append_text(child, text);
  return documentation_text(text);
}

/// Whether the DataContract of .NET marks a type as a dictionary.
static bool is_dictionary(Node at) {
  const Node annotation = child_of(at, "annotation");
  const Node info = annotation ? child_of(annotation, "appinfo") : Node();
  for (Node said = info ? info.first_child() : Node(); said; said = said.next_sibling())
    if (said.is("http://schemas.microsoft.com/2003/10/Serialization/", "IsDictionary"))
      return collapsed(said.text()) == "true";
  return false;
}

// --- Names ---------------------------------------------------------------------------------------

SchemaReader SchemaReader::within(const Global& other) const {
  SchemaReader made(set_, other);
  made.depth_ = depth_ + 1;
  if (made.depth_ > most_depth)
    refuse(
        {other.in->in, other.at},
        "groups contain themselves, or are nested more than " + std::to_string(most_depth) +
            " deep: " + shown(other.name));
  return made;
}

/// A redefinition's own name means what it redefines (XML Schema part 1, 4.2.2).
SchemaSet::Global& SchemaReader::find(Symbol kind, Node at, std::string_view said) {
  const QName sought = name(at, said);
  if (from_.original && sought == from_.name) {
    const bool same_kind = set_.symbols_.at({kind, sought})->original == from_.original;
    if (same_kind) return *from_.original;
  }
  return set_.find(kind, sought, place(at));
}

const Type& SchemaReader::named_type(Node at, std::string_view said) {
  const QName sought = name(at, said);
  if (from_.original && sought == from_.name && from_.at.local().ends_with("Type"))
    return set_.type_of(*from_.original);
  return set_.type(sought, place(at));
}

const Type& SchemaReader::anonymous(Node at, const std::string& label, const Type* inside) {
  // A group that holds itself through an element of this type: the type is recursive.
  for (const Type* outer = inside; outer; outer = outer->inside)
    if (outer->at.at == at && outer->at.in == in_.in) return *outer;
  Type& made = set_.types_.emplace_back();
  made.kind = is_schema(at, "complexType") ? Type::Kind::complex : Type::Kind::simple;
  made.name.ns = in_.ns;
  made.at = place(at);
  made.label = label;
  made.label_ns = in_.ns;
  made.inside = inside;
  Global from = from_;
  from.at = at;
  set_.pending_types_.emplace_back(&made, from);
  return made;
}

// --- Elements ------------------------------------------------------------------------------------

void SchemaReader::read_element(Element& made, Node at) {
  made.is_abstract = attribute_of(at, "abstract") == "true" || attribute_of(at, "abstract") == "1";
  read_declaration(made, at, nullptr);
}

void SchemaReader::read_declaration(Element& made, Node at, const Type* inside) {
  made.doc = documentation_of(at);
  const std::string_view nil = attribute_of(at, "nillable");
  made.is_nillable = nil == "true" || nil == "1";
  made.preset = value_of(at, "default");
  made.fixed = value_of(at, "fixed");
  const std::string_view block =
      has_attribute(at, "block") ? attribute_of(at, "block") : std::string_view(in_.block);
  made.blocks_substitution = block.find("#all") != std::string_view::npos ||
                             block.find("substitution") != std::string_view::npos;
  if (has_attribute(at, "substitutionGroup"))
    made.head = &set_.element_of(
        set_.find(Symbol::element, name(at, attribute_of(at, "substitutionGroup")), place(at)));
  Node own = child_of(at, "complexType");
  if (!own) own = child_of(at, "simpleType");
  if (has_attribute(at, "type"))
    made.type = &named_type(at, attribute_of(at, "type"));
  else if (own)
    made.type = &anonymous(own, made.name.local, inside);
  else if (!made.head)
    made.type = &set_.built_in("anyType");
  else
    made.type = &type_of_head(made.name, at);
}

/// What an element without a type has: its head's, which may be told further on (XML Schema part 1,
/// 3.3.2).
const Type& SchemaReader::type_of_head(const QName& element, Node at) {
  Place from = place(at);
  const SchemaSet::Context* in = &in_;
  for (std::size_t steps = 0; steps != SchemaSet::most_heads; ++steps) {
    const QName name = set_.name_in(*in, from, attribute_of(from.at, "substitutionGroup"));
    const Global& head = set_.find(Symbol::element, name, from);
    from = {head.in->in, head.at};
    in = head.in;
    if (has_attribute(from.at, "type"))
      return set_.type(set_.name_in(*in, from, attribute_of(from.at, "type")), from);
    if (child_of(from.at, "complexType") || child_of(from.at, "simpleType"))
      refuse(
          place(at),
          "the type of " + shown(element) +
              " is the anonymous type of the head of its substitution group; give this type "
              "a name");
    if (!has_attribute(from.at, "substitutionGroup")) return set_.built_in("anyType");
  }
  SchemaSet::refuse_heads(place(at), element);
}

Particle SchemaReader::read_local_element(Node at, const Type& inside) {
  Particle made;
  made.kind = Particle::Kind::element;
  made.at = place(at);
  if (has_attribute(at, "ref")) {
    // A DataSet of .NET brings its schema along, and what XML Schema's own elements hold is no
    // contract's business: any element of that namespace.
    if (name(at, attribute_of(at, "ref")) == QName{std::string(xsd_ns), "schema"}) {
      made.kind = Particle::Kind::any;
      made.doc = documentation_of(at);
      made.wildcard = {std::string(xsd_ns), in_.ns};
      return made;
    }
    Element& element =
        set_.element_of(set_.find(Symbol::element, name(at, attribute_of(at, "ref")), place(at)));
    set_.referenced_[&element] = true;
    made.element = &element;
    made.doc = documentation_of(at);
    return made;
  }
  Element& element = set_.elements_.emplace_back();
  element.at = place(at);
  element.name.local = attribute_of(at, "name");
  if (!soapsvc::detail::is_ncname(element.name.local))
    refuse(place(at), "an element needs a name or a ref");
  if (has_attribute(at, "substitutionGroup"))
    refuse(place(at), "only a global element may have a substitutionGroup");
  const std::string_view form = attribute_of(at, "form");
  if (form == "qualified" || (form.empty() && in_.qualified_elements)) element.name.ns = in_.ns;
  made.element = &element;
  read_declaration(element, at, &inside);
  made.doc = element.doc;
  return made;
}

// --- Content -------------------------------------------------------------------------------------

void SchemaReader::read_occurs(Particle& made, Node at) {
  const auto number = [&](std::string_view name, std::uint64_t& to) {
    if (!has_attribute(at, name)) return;
    const std::string_view said = attribute_of(at, name);
    const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), to);
    if (error != std::errc() || end != said.data() + said.size())
      refuse(
          place(at),
          std::string(name) + " must be a whole number, not '" + std::string(said) + '\'');
  };
  if (attribute_of(at, "maxOccurs") == "unbounded")
    made.most = unbounded;
  else
    number("maxOccurs", made.most);
  number("minOccurs", made.least);
  if (made.least > made.most) refuse(place(at), "minOccurs is more than maxOccurs");
}

std::optional<Particle> SchemaReader::read_particle(Node at, const Type& inside) {
  set_.count_particle(place(at));
  if (depth_ > most_depth)
    refuse(
        place(at),
        "groups contain themselves, or are nested more than " + std::to_string(most_depth) +
            " deep");
  Particle made;
  made.at = place(at);
  const std::string_view tag = at.ns() == xsd_ns ? at.local() : std::string_view();
  if (tag == "element") {
    made = read_local_element(at, inside);
  } else if (tag == "any") {
    made.kind = Particle::Kind::any;
    made.doc = documentation_of(at);
    made.wildcard = wildcard_of(at);
  } else if (tag == "group" && has_attribute(at, "ref")) {
    made = read_group(at, inside);
  } else if (tag == "sequence" || tag == "choice" || tag == "all") {
    made.kind = tag == "sequence" ? Particle::Kind::sequence
                : tag == "choice" ? Particle::Kind::choice
                                  : Particle::Kind::all;
    ++depth_;
    for (Node child = at.first_child(); child; child = child.next_sibling())
      if (auto inner = read_particle(child, inside)) made.children.push_back(std::move(*inner));
    --depth_;
  } else {
    return std::nullopt;
  }
  read_occurs(made, at);
  if (made.most == 0) return std::nullopt;
  return made;
}

/// What the group holds that is referred to; how often, the reference says.
Particle SchemaReader::read_group(Node at, const Type& inside) {
  const Global& group = find(Symbol::group, at, attribute_of(at, "ref"));
  SchemaReader reader = within(group);
  Particle made;
  for (Node child = group.at.first_child(); child; child = child.next_sibling())
    if (auto inner = reader.read_particle(child, inside)) made = std::move(*inner);
  made.least = made.most = 1;
  made.at = place(at);
  return made;
}

// --- Types ---------------------------------------------------------------------------------------

void SchemaReader::read_type(Type& made, Node at) {
  made.doc = documentation_of(at);
  if (made.kind == Type::Kind::complex)
    read_complex(made, at);
  else
    read_simple(made, at);
}

void SchemaReader::read_simple(Type& made, Node at) {
  if (const Node restriction = child_of(at, "restriction")) {
    read_simple_restriction(made, restriction);
  } else if (const Node list = child_of(at, "list")) {
    made.variety = Type::Variety::list;
    const Node own = child_of(list, "simpleType");
    if (!own && !has_attribute(list, "itemType")) refuse(place(list), "needs an itemType");
    made.item =
        own ? &anonymous(own, "item", &made) : &named_type(list, attribute_of(list, "itemType"));
  } else if (const Node each_of = child_of(at, "union")) {
    made.variety = Type::Variety::of_union;
    std::string_view names = attribute_of(each_of, "memberTypes");
    while (const auto name = take_item(names))
      made.members.push_back(&named_type(each_of, *name));
    std::size_t number = 0;
    for (Node child = each_of.first_child(); child; child = child.next_sibling())
      if (is_schema(child, "simpleType"))
        made.members.push_back(&anonymous(child, "member" + std::to_string(++number), &made));
  } else {
    refuse(place(at), "a simpleType needs a restriction, a list or a union");
  }
}

void SchemaReader::read_simple_restriction(Type& made, Node at) {
  const Node own = child_of(at, "simpleType");
  if (!own && !has_attribute(at, "base")) refuse(place(at), "a restriction needs a base");
  made.base = own ? &anonymous(own, "base", &made) : &named_type(at, attribute_of(at, "base"));
  read_facets(made, at);
}

void SchemaReader::read_facets(Type& made, Node at) {
  static constexpr std::string_view known[] = {
      "length",
      "minLength",
      "maxLength",
      "pattern",
      "enumeration",
      "whiteSpace",
      "maxInclusive",
      "maxExclusive",
      "minInclusive",
      "minExclusive",
      "totalDigits",
      "fractionDigits"};
  for (Node child = at.first_child(); child; child = child.next_sibling()) {
    if (child.ns() != xsd_ns) continue;
    for (const std::string_view each : known)
      if (child.local() == each)
        made.facets.push_back(
            {std::string(each),
             value_of(child, "value").value_or(""),
             each == "enumeration" ? documentation_of(child) : "",
             place(child)});
  }
  std::stable_sort(made.facets.begin(), made.facets.end(), [](const Facet& a, const Facet& b) {
    return a.name < b.name;
  });
}

void SchemaReader::read_complex(Type& made, Node at) {
  const auto is_true = [](std::string_view said) { return said == "true" || said == "1"; };
  made.is_abstract = is_true(attribute_of(at, "abstract"));
  made.is_dictionary = is_dictionary(at);
  made.is_mixed = is_true(attribute_of(at, "mixed"));
  if (const Node simple = child_of(at, "simpleContent")) {
    made.is_mixed = false;  // it says nothing of simple content (XML Schema part 1, 3.4.2)
    read_derivation(made, simple, true);
  } else if (const Node complex = child_of(at, "complexContent")) {
    if (has_attribute(complex, "mixed")) made.is_mixed = is_true(attribute_of(complex, "mixed"));
    read_derivation(made, complex, false);
  } else {
    read_content(made, at);
  }
}

void SchemaReader::read_derivation(Type& made, Node at, bool simple_content) {
  const Node extension = child_of(at, "extension");
  const Node by = extension ? extension : child_of(at, "restriction");
  if (!by) refuse(place(at), "holds neither an extension nor a restriction");
  if (!has_attribute(by, "base")) refuse(place(by), "needs a base");
  made.is_restriction = !extension;
  made.has_simple_content = simple_content;
  made.base = &named_type(by, attribute_of(by, "base"));
  if (simple_content) {
    if (made.is_restriction) {
      if (const Node own = child_of(by, "simpleType"))
        made.content_type = &anonymous(own, "content", &made);
      read_facets(made, by);
    }
    read_attributes(made, by);
  } else {
    read_content(made, by);
  }
}

void SchemaReader::read_content(Type& made, Node at) {
  for (Node child = at.first_child(); child; child = child.next_sibling())
    if (auto particle = read_particle(child, made)) {
      if (made.content) refuse(place(child), "a type can have only one content model");
      made.content = std::move(particle);
    }
  read_attributes(made, at);
}

Wildcard SchemaReader::wildcard_of(Node at) const {
  const bool is_skipped = attribute_of(at, "processContents") == "skip";
  return {std::string(attribute_of(at, "namespace")), in_.ns, is_skipped};
}

void SchemaReader::read_attributes(Type& made, Node at) {
  for (Node child = at.first_child(); child; child = child.next_sibling()) {
    if (is_schema(child, "attribute")) {
      read_attribute(made, child);
    } else if (is_schema(child, "attributeGroup") && has_attribute(child, "ref")) {
      const Global& group = find(Symbol::attribute_group, child, attribute_of(child, "ref"));
      set_.count_particle(place(child));
      within(group).read_attributes(made, group.at);
    } else if (is_schema(child, "anyAttribute")) {
      made.any_attribute = wildcard_of(child);
    }
  }
}

void SchemaReader::read_attribute(Type& made, Node at) {
  set_.count_particle(place(at));
  Attribute each;
  each.at = place(at);
  each.doc = documentation_of(at);
  each.preset = value_of(at, "default");
  each.fixed = value_of(at, "fixed");
  each.is_required = attribute_of(at, "use") == "required";
  each.is_prohibited = attribute_of(at, "use") == "prohibited";
  Node declared = at;
  std::optional<SchemaReader> elsewhere;
  if (has_attribute(at, "ref")) {
    const Global& global =
        set_.find(Symbol::attribute, name(at, attribute_of(at, "ref")), place(at));
    each.name = global.name;
    declared = global.at;
    elsewhere.emplace(within(global));
    if (!each.preset && !each.fixed) {
      each.preset = value_of(declared, "default");
      each.fixed = value_of(declared, "fixed");
    }
    if (each.doc.empty()) each.doc = documentation_of(declared);
  } else {
    each.name.local = attribute_of(at, "name");
    if (!soapsvc::detail::is_ncname(each.name.local))
      refuse(place(at), "an attribute needs a name or a ref");
    const std::string_view form = attribute_of(at, "form");
    if (form == "qualified" || (form.empty() && in_.qualified_attributes)) each.name.ns = in_.ns;
  }
  SchemaReader& reader = elsewhere ? *elsewhere : *this;
  const Node own = child_of(declared, "simpleType");
  if (own)
    each.type = &reader.anonymous(own, each.name.local, declared == at ? &made : nullptr);
  else if (has_attribute(declared, "type"))
    each.type = &reader.named_type(declared, attribute_of(declared, "type"));
  else
    each.type = &set_.built_in("anySimpleType");
  made.attributes.push_back(std::move(each));
}

}  // namespace importer
