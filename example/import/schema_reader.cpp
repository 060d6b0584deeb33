#include "schema_reader.hpp"

#include <charconv>

#include "schema_rules.hpp"

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

std::string documentation_of(Node at) {
  const Node annotation = child_of(at, "annotation");
  std::string text;
  if (annotation)
    for (Node child = annotation.first_child(); child; child = child.next_sibling())
      if (is_schema(child, "documentation")) append_text(child, text);
  return documentation_text(text);
}

/// True if the DataContract of .NET marks a type as a dictionary.
static bool is_dictionary(Node at) {
  const Node annotation = child_of(at, "annotation");
  const Node info = annotation ? child_of(annotation, "appinfo") : Node();
  for (Node said = info ? info.first_child() : Node(); said; said = said.next_sibling())
    if (said.is("http://schemas.microsoft.com/2003/10/Serialization/", "IsDictionary"))
      return collapsed(said.text()) == "true";
  return false;
}

// --- Form ----------------------------------------------------------------------------------------

void SchemaReader::check(Node at) const {
  const auto found = set_.misplaced_.find(at.source().data());
  if (found != set_.misplaced_.end()) throw Broken(found->second);
}

std::string SchemaReader::word_of(Node at, std::string_view name) const {
  const std::string_view said = attribute_of(at, name);
  if (auto word = meant_word(name, said)) return *std::move(word);
  std::string words;
  for (std::string_view rest = words_of(name); const auto each = take_item(rest);)
    words += (words.empty() ? "" : ", ") + std::string(*each);
  refuse(
      place(at),
      std::string(name) + " must be one of " + words + ", not '" + std::string(said) + '\'');
}

bool SchemaReader::is_true(Node at, std::string_view name) const {
  const std::string said = word_of(at, name);
  return said == "true" || said == "1";
}

bool SchemaReader::is_qualified(Node at, std::string_view by_default) const {
  return collapsed(attribute_of(at, "form")).empty()
             ? word_of(in_.schema, by_default) == "qualified"
             : word_of(at, "form") == "qualified";
}

void SchemaReader::refuse_both_values(Node at) const {
  if (has_attribute(at, "default") && has_attribute(at, "fixed"))
    refuse(
        place(at),
        "default= stands beside fixed=; remove one of both (XML Schema part 1, 3.2.3 and 3.3.3)");
}

Node SchemaReader::own_type(Node at, std::string_view named) const {
  Node own = child_of(at, "complexType");
  if (!own) own = child_of(at, "simpleType");
  if (own && has_attribute(at, named))
    refuse(
        place(at),
        std::string(named) +
            "= stands beside a type within; remove one of both (XML Schema part "
            "1, 3.2.3, 3.3.3 and 3.14.3)");
  return own;
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

/// True if this reader reads a redefinition, and `sought` is the redefined component.
bool SchemaReader::is_redefined(Symbol kind, const QName& sought) const {
  return from_.original && sought == from_.name &&
         SchemaSet::kind_of(from_.original->at.local()) == kind;
}

/// Inside a redefined group, its own name is the redefined component (XML Schema part 1, 4.2.2).
SchemaSet::Global& SchemaReader::find(Symbol kind, Node at, std::string_view said) {
  const QName sought = name(at, said);
  return is_redefined(kind, sought) ? *from_.original : set_.find(kind, sought, place(at));
}

const Type& SchemaReader::named_type(Node at, std::string_view said) {
  return set_.type(name(at, said), place(at));
}

/// The base of a redefined type is the original type. Elsewhere its name means the new one (4.2.2).
const Type& SchemaReader::base_of(Node at) {
  const QName sought = name(at, attribute_of(at, "base"));
  if (is_redefined(Symbol::type, sought)) return set_.type_of(*from_.original);
  return set_.type(sought, place(at));
}

const Type& SchemaReader::anonymous(Node at, const std::string& label, const Type* inside) {
  // A group that holds itself through an element of this type: the type is recursive.
  for (const Type* outer = inside; outer; outer = outer->inside)
    if (outer->at.at == at && outer->at.in == in_.in) return *outer;
  Type*& slot = set_.anonymous_[{at.source().data(), &in_, inside}];
  if (slot) return *slot;
  Type& made = set_.types_.emplace_back();
  slot = &made;
  made.kind = is_schema(at, "complexType") ? Type::Kind::complex : Type::Kind::simple;
  made.name.ns = in_.ns;
  made.at = place(at);
  made.label = label;
  made.label_ns = in_.ns;
  made.inside = inside;
  Global from = from_;
  from.at = at;
  if (is_redefined(Symbol::type, from.name)) from.original = nullptr;
  set_.pending_types_.emplace_back(&made, from);
  return made;
}

// --- Elements ------------------------------------------------------------------------------------

void SchemaReader::read_element(Element& made, Node at) {
  check(at);
  made.is_abstract = is_true(at, "abstract");
  read_declaration(made, at, nullptr);
}

void SchemaReader::read_declaration(Element& made, Node at, const Type* inside) {
  made.doc = documentation_of(at);
  made.is_nillable = is_true(at, "nillable");
  made.preset = value_of(at, "default");
  made.fixed = value_of(at, "fixed");
  refuse_both_values(at);
  made.blocks = blocks_of(at);
  if (has_attribute(at, "substitutionGroup"))
    made.head = &set_.element_of(
        set_.find(Symbol::element, name(at, attribute_of(at, "substitutionGroup")), place(at)));
  const Node own = own_type(at, "type");
  if (has_attribute(at, "type"))
    made.type = &named_type(at, attribute_of(at, "type"));
  else if (own)
    made.type = &anonymous(own, made.name.local, inside);
  else if (made.head)
    take_type_of_head(made);
}

/// The head may be read later (XML Schema part 1, 3.3.2).
void SchemaReader::take_type_of_head(Element& made) {
  made.has_type_of_head = true;
  set_.typed_by_head_.push_back(&made);
}

Blocks SchemaReader::blocks_of(Node at) const {
  std::string_view list =
      has_attribute(at, "block") ? attribute_of(at, "block") : std::string_view(in_.block);
  Blocks made;
  while (const auto each = take_item(list)) {
    const bool is_all = *each == "#all";
    made.substitution = made.substitution || is_all || *each == "substitution";
    made.extension = made.extension || is_all || *each == "extension";
    made.restriction = made.restriction || is_all || *each == "restriction";
  }
  return made;
}

Particle SchemaReader::read_local_element(Node at, const Type& inside) {
  check(at);
  Particle made;
  made.kind = Particle::Kind::element;
  made.at = place(at);
  if (has_attribute(at, "ref")) {
    // A DataSet of .NET contains its schema. No contract describes the elements of XML Schema, so
    // any element of that namespace is allowed.
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
  Element& element = set_.new_element();
  element.at = place(at);
  element.name.local = attribute_of(at, "name");
  if (!soapsvc::detail::is_ncname(element.name.local))
    refuse(place(at), "an element needs a name or a ref");
  if (has_attribute(at, "substitutionGroup"))
    refuse(place(at), "only a global element may have a substitutionGroup");
  if (is_qualified(at, "elementFormDefault")) element.name.ns = in_.ns;
  made.element = &element;
  read_declaration(element, at, &inside);
  made.doc = element.doc;
  return made;
}

// --- Content -------------------------------------------------------------------------------------

void SchemaReader::read_occurs(Particle& made, Node at) {
  const auto number = [&](std::string_view name, std::uint64_t& to) {
    if (!has_attribute(at, name)) return;
    const std::string said = collapsed(attribute_of(at, name));
    const char* const begin = said.data() + (said.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, said.data() + said.size(), to);
    const bool is_number = error != std::errc::invalid_argument && end == said.data() + said.size();
    if (!is_number)
      refuse(place(at), std::string(name) + " must be a whole number, not '" + said + '\'');
    if (error == std::errc()) return;
    if (name == "minOccurs") refuse(place(at), "minOccurs is too large: " + said);
    to = unbounded;
    set_.note_once(place(at), "maxOccurs=\"" + said + "\" is too large, and read as unbounded");
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
  if (made.kind == Particle::Kind::all && made.most > 1)
    refuse(place(at), "xs:all occurs at most once (XML Schema part 1, 3.8.6)");
  if (made.most == 0) return std::nullopt;
  return made;
}

/// The content of the referenced group. The reference says how often it occurs.
Particle SchemaReader::read_group(Node at, const Type& inside) {
  const Global& group = find(Symbol::group, at, attribute_of(at, "ref"));
  SchemaReader reader = within(group);
  reader.check(group.at);
  std::optional<Particle> content;
  for (Node child = group.at.first_child(); child; child = child.next_sibling())
    if (auto inner = reader.read_particle(child, inside)) {
      if (content) refuse({group.in->in, child}, "a group can have only one content model");
      content = std::move(inner);
    }
  Particle made = content ? *std::move(content) : Particle();
  made.least = made.most = 1;
  made.at = place(at);
  return made;
}

// --- Types ---------------------------------------------------------------------------------------

void SchemaReader::read_type(Type& made, Node at) {
  check(at);
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
    const Node own = own_type(list, "itemType");
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
  const Node own = own_type(at, "base");
  if (!own && !has_attribute(at, "base")) refuse(place(at), "a restriction needs a base");
  made.base = own ? &anonymous(own, "base", &made) : &base_of(at);
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
    const bool is_text = child.local() == "pattern" || child.local() == "enumeration";
    const std::string_view value = attribute_of(child, "value");
    for (const std::string_view each : known)
      if (child.local() == each)
        made.facets.push_back(
            {std::string(each),
             is_text ? value_of(child, "value").value_or("") : std::string(value),
             each == "enumeration" ? documentation_of(child) : "",
             place(child)});
  }
  std::stable_sort(made.facets.begin(), made.facets.end(), [](const Facet& a, const Facet& b) {
    return a.name < b.name;
  });
}

void SchemaReader::read_complex(Type& made, Node at) {
  made.is_abstract = is_true(at, "abstract");
  made.blocks = blocks_of(at);
  made.is_dictionary = is_dictionary(at);
  made.is_mixed = is_true(at, "mixed");
  if (const Node simple = child_of(at, "simpleContent")) {
    made.is_mixed = false;  // mixed has no meaning for simple content (XML Schema part 1, 3.4.2)
    read_derivation(made, simple, true);
  } else if (const Node complex = child_of(at, "complexContent")) {
    if (has_attribute(complex, "mixed")) made.is_mixed = is_true(complex, "mixed");
    read_derivation(made, complex, false);
  } else {
    read_content(made, at);
  }
  if (made.any_attribute && made.any_attribute->is_empty) made.any_attribute.reset();
  check_attributes(made);
}

/// A type has one attribute of a name (XML Schema part 1, 3.4.6), from its groups as well.
void SchemaReader::check_attributes(const Type& of) {
  std::map<QName, const Attribute*> known;
  for (const Attribute& each : of.attributes) {
    if (each.is_prohibited) continue;  // the type does not have this attribute (3.4.2)
    const auto [first, is_new] = known.emplace(each.name, &each);
    if (is_new) continue;
    const Attribute& one = *first->second;
    const std::string twice = "the attribute " + shown(each.name) +
                              " occurs twice in one type (XML Schema part 1, 3.4.6)";
    if (one.type != each.type || one.is_required != each.is_required || one.preset != each.preset ||
        one.fixed != each.fixed)
      refuse(each.at, twice + "; first at " + one.at.text());
    set_.note_once(each.at, twice + ", each time alike; it is read once");
  }
}

void SchemaReader::read_derivation(Type& made, Node at, bool simple_content) {
  const Node extension = child_of(at, "extension");
  const Node by = extension ? extension : child_of(at, "restriction");
  if (!by) refuse(place(at), "holds neither an extension nor a restriction");
  if (!has_attribute(by, "base")) refuse(place(by), "needs a base");
  made.is_restriction = !extension;
  made.has_simple_content = simple_content;
  made.base = &base_of(by);
  if (simple_content) {
    if (made.is_restriction) {
      if (const Node own = child_of(by, "simpleType"))
        made.content_type = &anonymous(own, "content", &made);
      read_facets(made, by);
    }
    made.any_attribute = read_attributes(made, by);
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
  made.any_attribute = read_attributes(made, at);
}

Wildcard SchemaReader::wildcard_of(Node at) const {
  const bool is_skipped = word_of(at, "processContents") == "skip";
  return {std::string(attribute_of(at, "namespace")), in_.ns, is_skipped};
}

/// Adds attributes to a type, and returns its wildcard: the intersection of its own and its
/// groups'. The type's own processContents holds, or else the first group's (XML Schema part 1,
/// 3.4.2).
std::optional<Wildcard> SchemaReader::read_attributes(Type& made, Node at) {
  std::optional<Wildcard> own, of_groups;
  for (Node child = at.first_child(); child; child = child.next_sibling()) {
    if (is_schema(child, "attribute")) {
      read_attribute(made, child);
    } else if (is_schema(child, "attributeGroup") && has_attribute(child, "ref")) {
      const Global& group = find(Symbol::attribute_group, child, attribute_of(child, "ref"));
      set_.count_particle(place(child));
      SchemaReader reader = within(group);
      reader.check(group.at);
      if (const auto more = reader.read_attributes(made, group.at)) meet(of_groups, *more, child);
    } else if (is_schema(child, "anyAttribute")) {
      meet(own, wildcard_of(child), child);
    }
  }
  if (own && of_groups) meet(own, *of_groups, at);
  return own ? own : of_groups;
}

/// Replaces `one` by its intersection with `other`.
void SchemaReader::meet(std::optional<Wildcard>& one, const Wildcard& other, Node at) {
  if (!one)
    one = other;
  else if (auto both = intersection(*one, other))
    one = *std::move(both);
  else
    set_.note_once(
        place(at),
        "attribute wildcards exclude different namespaces, which one wildcard cannot say (XML "
        "Schema part 1, 3.10.6); only that of '" +
            one->target + "' is excluded");
}

const Type& SchemaReader::type_of_attribute(Node at, const Type* inside) {
  if (const Node own = own_type(at, "type"))
    return anonymous(own, std::string(attribute_of(at, "name")), inside);
  if (has_attribute(at, "type")) return named_type(at, attribute_of(at, "type"));
  return set_.any_simple_type(place(at));
}

void SchemaReader::read_attribute(Type& made, Node at) {
  check(at);
  set_.count_particle(place(at));
  refuse_both_values(at);
  Attribute each;
  each.at = place(at);
  each.doc = documentation_of(at);
  each.preset = value_of(at, "default");
  each.fixed = value_of(at, "fixed");
  const std::string use = word_of(at, "use");
  each.is_required = use == "required";
  each.is_prohibited = use == "prohibited";
  // Only a restriction itself removes an attribute of its base (XML Schema part 1, 3.4.2).
  if (each.is_prohibited && (depth_ != 0 || !made.is_restriction)) return;
  Node declared = at;
  std::optional<SchemaReader> elsewhere;
  if (has_attribute(at, "ref")) {
    const Global& global =
        set_.find(Symbol::attribute, name(at, attribute_of(at, "ref")), place(at));
    each.name = global.name;
    declared = global.at;
    elsewhere.emplace(within(global));
    elsewhere->check(declared);
    if (!each.preset && !each.fixed) {
      each.preset = value_of(declared, "default");
      each.fixed = value_of(declared, "fixed");
    }
    if (each.doc.empty()) each.doc = documentation_of(declared);
  } else {
    each.name.local = attribute_of(at, "name");
    if (!soapsvc::detail::is_ncname(each.name.local))
      refuse(place(at), "an attribute needs a name or a ref");
    if (is_qualified(at, "attributeFormDefault")) each.name.ns = in_.ns;
  }
  SchemaReader& reader = elsewhere ? *elsewhere : *this;
  each.type = &reader.type_of_attribute(declared, declared == at ? &made : nullptr);
  made.attributes.push_back(std::move(each));
}

}  // namespace importer
