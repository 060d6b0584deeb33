#include "records.hpp"

#include <algorithm>

#include "checks.hpp"
#include "names.hpp"

namespace importer {

void blame(Declaration& of, const Place& at, const std::string& reason) {
  if (!of.problem) of.problem = Problem{at.text(), reason};
}

/// The same for a mistake of the contract, not a limit of tables.
static void blame_contract(Declaration& of, const Place& at, const std::string& reason) {
  if (!of.problem) of.problem = Problem{at.text(), reason, true};
}

/// True if a row has only a name and a type, and its element is in the namespace of its type.
static bool is_plain_field(const Row& row) {
  return row.kind == Row::Kind::field && !row.simple && row.facets.empty() && row.options.empty() &&
         row.doc.empty();
}

/// True if a struct has only rows, all in its own namespace.
static bool is_plain_record(const Declaration& type, std::size_t rows) {
  return type.kind == Declaration::Kind::record && type.rows.size() == rows && !type.base &&
         !type.known_types && !type.owner && !type.problem && type.doc.empty() &&
         !type.xml.ns.empty() && !type.is_message && !type.is_abstract && !type.is_all &&
         !type.is_unqualified && std::all_of(type.rows.begin(), type.rows.end(), is_plain_field);
}

bool is_wrapper(const Declaration& type) {
  return is_plain_record(type, 1) && type.rows.front().holder == Holder::vector;
}

/// True if a std::map can order values of the type, and a table describes them without a row.
static bool can_be_key(const CppType& type) {
  if (type.kind == CppType::Kind::declared)
    return type.declared->kind == Declaration::Kind::enumeration;
  return type.kind == CppType::Kind::plain &&
         (type.plain == "std::string" || type.plain == "bool" || type.plain.ends_with("_t"));
}

bool is_dictionary(const Declaration& type) {
  if (!is_wrapper(type)) return false;
  const Row& item = type.rows.front();
  if (item.is_nillable || item.type.kind != CppType::Kind::declared ||
      !(type.is_dictionary || item.name.local.starts_with("KeyValueOf")))
    return false;
  const Declaration& entry = *item.type.declared;
  if (!is_plain_record(entry, 2) || entry.xml.ns != type.xml.ns) return false;
  const Row& key = entry.rows[0];
  const Row& value = entry.rows[1];
  return key.name.local != value.name.local && key.holder == Holder::value &&
         value.holder == Holder::value && can_be_key(key.type) &&
         value.type.kind != CppType::Kind::list && value.type.kind != CppType::Kind::of_union;
}

Records::Records(Tables& tables, SchemaSet& schemas, SimpleTypes& simple)
    : tables_(tables), schemas_(schemas), simple_(simple) {
  for (const Type* each : schemas.all_types()) {
    // Checks that a chain of bases ends and is short, because later steps rely on it.
    std::size_t bases = 0;
    for (const Type* base = each->base; base; base = base->base)
      if (base == each || ++bases > most_bases) {
        schemas.break_off(
            *each,
            "the type is derived from itself, or from more than " + std::to_string(most_bases) +
                " others");
        break;
      }
    if (each->kind == Type::Kind::complex && each->base && !each->is_restriction &&
        !each->name.local.empty() && !is_xml(*each))
      extensions_[each->base].push_back(each);
  }
  for (const Type* each : schemas.all_types()) {
    if (each->kind != Type::Kind::complex || each->name.local.empty()) continue;
    bool is_restricted = false;
    const bool has_text = is_xml(*each);
    for (const Type* at = each; at->base && at->base->kind == Type::Kind::complex; at = at->base) {
      is_restricted = is_restricted || at->is_restriction;
      if (is_restricted || has_text)
        (is_restricted ? restricted_ : mixed_)[at->base].push_back(each);
    }
  }
  for (auto& [base, all] : extensions_)
    std::sort(
        all.begin(), all.end(), [](const Type* a, const Type* b) { return a->name < b->name; });
}

// --- Which structs there are ---------------------------------------------------------------------

Declaration& Records::new_record(const Type& type) {
  Declaration& made = tables_.declarations.emplace_back();
  made.xml = type.name;
  made.wish = wish_of(type);
  made.doc = type.doc;
  made.at = type.at;
  made.is_abstract = type.is_abstract;
  made.is_dictionary = type.is_dictionary;
  pending_.push_back({&made, &type});
  return made;
}

Declaration& Records::of_type(const Type& type) {
  Declaration*& slot = of_types_[&type];
  if (slot) return *slot;
  slot = &new_record(type);
  const Type* const base = type.base;
  if (type.name.local.empty() && base && !type.is_restriction &&
      base->kind == Type::Kind::complex && !is_any_type(*base))
    tables_.notes.push_back(
        type.at.text() + ": the anonymous type that extends " + shown(base->name) +
        " gets a name, so messages may have this name as xsi:type");
  return *slot;
}

/// The rows of a message, a header block or a fault with any content or mixed content.
void Records::add_anything(Declaration& to, const Element& element) {
  Row any;
  any.kind = Row::Kind::any;
  any.at = element.at;
  any.type.plain = "soapsvc::xml";
  any.holder = Holder::vector;
  to.rows.push_back(any);
  Row attributes;
  attributes.kind = Row::Kind::any_attribute;
  attributes.at = element.at;
  attributes.type.plain = "soapsvc::xml_attribute";
  attributes.holder = Holder::vector;
  to.rows.push_back(attributes);
  if (element.type->problem && !to.problem) to.problem = element.type->problem;
  tables_.notes.push_back(
      element.at.text() + ": the element " + element.name.local +
      " has any content or mixed content; it becomes any elements and attributes, and text in it "
      "is refused");
}

Declaration& Records::empty(const std::string& wish, const Place& at) {
  Declaration& made = tables_.declarations.emplace_back();
  made.wish = wish;
  made.at = at;
  made.is_message = true;
  return made;
}

/// The table of a header block or a fault's detail has the name of its element. If the type has
/// another name, the struct extends the type's struct and adds nothing; `say_anonymous` says so.
Declaration& Records::of_element(const Element& element) {
  Declaration& made = called_like(element);
  made.is_element_nillable = made.is_element_nillable || element.is_nillable;
  if (extensions_.contains(element.type))
    tables_.notes.push_back(
        element.at.text() + ": other types extend the type of the element " + element.name.local +
        "; a header block or a fault's detail cannot have a derived type");
  return made;
}

Declaration& Records::called_like(const Element& element) {
  const Type& type = *element.type;
  const bool is_record = type.kind == Type::Kind::complex && !is_xml(type);
  if (is_record && type.name == element.name) return of_type(type);
  Declaration*& slot = of_elements_[&element];
  if (slot) return *slot;
  Declaration* made = nullptr;
  if (is_record && type.name.local.empty() && !of_types_.contains(&type)) {
    made = &of_type(type);
  } else {
    made = &tables_.declarations.emplace_back();
    made->wish = element.name.local;
    made->at = element.at;
    made->doc = element.doc;
    if (is_record) {
      made->base = &of_type(type);
      if (type.is_abstract)
        blame(
            *made,
            element.at,
            "the element has an abstract type, so messages need xsi:type; a header or a "
            "fault cannot have it");
    } else if (is_xml(type)) {
      add_anything(*made, element);
    } else {
      add_content(*made, element);
    }
  }
  made->xml = element.name;
  return *(slot = made);
}

void Records::add_content(Declaration& to, const Element& element) {
  Row& row = to.rows.emplace_back();
  row.kind = Row::Kind::content;
  row.at = element.at;
  Type& around = made_types_.emplace_back();
  around.name = element.name;
  around.at = element.at;
  const SimpleUse use = simple_.use_named(*element.type, around);
  row.type = use.type;
  row.simple = use.named;
  row.facets = use.options;
  if (use.problem) to.problem = use.problem;
}

Declaration& Records::of_message(const Element& element) {
  Declaration*& slot = of_messages_[&element];
  if (slot) return *slot;
  const Type& type = *element.type;
  if (is_xml(type)) {
    slot = &tables_.declarations.emplace_back();
    slot->xml.ns = element.name.ns;
    slot->at = element.at;
    slot->doc = element.doc;
    add_anything(*slot, element);
  } else if (type.kind == Type::Kind::complex) {
    slot = &new_record(type);
    slot->xml = {element.name.ns, {}};
    if (slot->doc.empty()) slot->doc = element.doc;
  } else {
    slot = &tables_.declarations.emplace_back();
    slot->xml.ns = element.name.ns;
    slot->at = element.at;
    add_content(*slot, element);
  }
  slot->wish = element.name.local;
  slot->is_message = true;
  return *slot;
}

void Records::say_anonymous() {
  std::set<const Declaration*> held;
  for (const Declaration& each : tables_.declarations)
    for (const Declaration* need : each.needs())
      held.insert(need);
  for (const Class& in : tables_.classes)
    for (const Method& each : in.methods) {
      held.insert(each.request.type.declared);
      held.insert(each.result.type.declared);
    }
  for (const auto& [element, made] : of_elements_)
    made->is_anonymous = !held.contains(made);
}

void Records::finish() {
  while (!pending_.empty()) {
    const Pending next = pending_.back();
    pending_.pop_back();
    fill(*next.made, *next.from);
  }
  for (Declaration& each : tables_.declarations)
    if (each.base && !each.problem) check_names(each);
}

// --- Rows ----------------------------------------------------------------------------------------

/// True when the type, or a type that it extends, has elements.
static bool has_elements(const Type& type) {
  for (const Type* at = &type; at; at = at->is_restriction ? nullptr : at->base)
    if (at->content && (at->content->kind == Particle::Kind::any || !at->content->children.empty()))
      return true;
  return false;
}

/// True when a complex type, or the type that it extends, has simpleContent.
static bool has_simple_content(const Type& type) {
  for (const Type* at = &type; at && at->kind == Type::Kind::complex; at = at->base) {
    if (at->has_simple_content) return true;
    if (at->is_restriction || at->content) return false;
  }
  return false;
}

/// The reason why a type cannot have this base; empty if it can.
static std::string base_problem(const Type& type) {
  const Type& base = *type.base;
  const bool is_complex = base.kind == Type::Kind::complex;
  if (!type.has_simple_content)
    return is_complex ? ""
                      : "the base of complexContent is the simple type " + shown(base.name) +
                            "; write simpleContent (XML Schema part 1, 3.4.3: src-ct.1)";
  const bool has_own = type.is_restriction && type.content_type;
  return !is_complex || base.problem || has_own || has_simple_content(base)
             ? ""
             : "the base of simpleContent is the type " + shown(base.name) +
                   ", which has no simpleContent (XML Schema part 1, 3.4.3: src-ct.2)";
}

void Records::fill(Declaration& made, const Type& type) {
  if (type.problem) {
    made.problem = type.problem;
    return;
  }
  if (is_xml(type))
    return blame(
        made,
        type.at,
        "the type has mixed content, or any content; the type of a message, a header or a base "
        "cannot");
  const Type* const base = type.base && !is_any_type(*type.base) ? type.base : nullptr;
  if (base && base->name.local == "Array" &&
      (base->name.ns.ends_with("/soap/encoding/") || base->name.ns.ends_with("/soap-encoding")))
    return blame(
        made,
        type.at,
        "the type is an array of SOAP encoding (SOAP 1.1, 5.4.2), "
        "which tables cannot express");
  if (const std::string wrong = base ? base_problem(type) : ""; !wrong.empty())
    return blame_contract(made, type.at, wrong);
  if (base && base->kind == Type::Kind::complex && !type.is_restriction) {
    if (is_xml(*base)) return blame(made, type.at, "the type extends a type with any content");
    made.base = &of_type(*base);
  }
  if (type.has_simple_content)
    fill_simple_content(made, type);
  else if (type.content)
    add_particle(made, *type.content);
  add_attributes(made, type);
  say_namespaces(made);
  check_names(made);
  // Tables accept any order; the option only makes the description say `all`.
  if (type.content && type.content->kind == Particle::Kind::all && !made.rows.empty())
    made.is_all = (!type.base || type.is_restriction || !has_elements(*type.base)) &&
                  std::all_of(made.rows.begin(), made.rows.end(), [](const Row& each) {
                    return each.kind == Row::Kind::attribute ||
                           each.kind == Row::Kind::any_attribute ||
                           (each.kind == Row::Kind::field && each.holder != Holder::vector);
                  });
}

/// The simple type of a type's content, with the facets of all restrictions on the way (XML Schema
/// part 1, 3.4.2); null when there is none.
const Type* Records::content_of(const Type& type) {
  const auto [known, is_new] = contents_.try_emplace(&type);
  if (!is_new) return known->second;
  const Type* content = type.content_type;
  if (!content && type.base)
    content = type.base->kind == Type::Kind::complex ? content_of(*type.base) : type.base;
  if (content && type.is_restriction && !type.facets.empty()) {
    Type& restricted = made_types_.emplace_back();
    restricted.kind = Type::Kind::simple;
    restricted.name.ns = type.name.ns;
    restricted.label = "content";
    restricted.inside = &type;
    restricted.at = type.at;
    restricted.base = content;
    restricted.facets = type.facets;
    content = &restricted;
  }
  return known->second = content;
}

void Records::fill_simple_content(Declaration& made, const Type& type) {
  const bool base_has_it = made.base != nullptr;
  if (base_has_it) return;
  const Type* const content = content_of(type);
  if (!content) return blame(made, type.at, "the type has simpleContent, and its base has none");
  Row& row = made.rows.emplace_back();
  row.kind = Row::Kind::content;
  row.at = type.at;
  // An anonymous content type belongs to the type that declares it; types that restrict no further
  // share it.
  const Type& inside = content->name.local.empty() ? *content->inside : type;
  const auto [known, is_new] = content_uses_.try_emplace({content, &inside});
  if (is_new) known->second = simple_.use_named(*content, inside);
  const SimpleUse& use = known->second;
  row.type = use.type;
  row.simple = use.named;
  row.facets = use.options;
  if (use.problem) made.problem = use.problem;
}

/// Notes the types that xsi:type cannot name in place of a type, although XML Schema allows them.
void Records::note_types_left_out(const Type& type) {
  const auto note = [&](const auto& all, const char* which) {
    const auto found = all.find(&type);
    if (found == all.end()) return;
    std::string names;
    for (const Type* each : found->second)
      names += (names.empty() ? "" : ", ") + each->name.local;
    tables_.notes.push_back(
        type.at.text() + ": where the type " + wish_of(type) +
        " is expected, xsi:type cannot name " + which + ": " + names);
  };
  note(restricted_, "its restrictions, or types that extend these");
  note(mixed_, "types that extend it with mixed content");
}

void Records::say_type(Row& row, const Type& type, std::optional<Problem>& problem) {
  row.of = &type;
  if (is_xml(type)) {
    row.type.plain = "soapsvc::xml";
    return;
  }
  if (type.kind == Type::Kind::complex) {
    row.type.declared = &of_type(type);
    const bool is_first = noted_.insert(&type).second;
    if (is_first) note_types_left_out(type);
    const bool has_others = extensions_.contains(&type);
    const bool is_derived = has_others || type.is_abstract;
    row.type.kind = is_derived ? CppType::Kind::derived : CppType::Kind::declared;
    if (is_derived && has_others && !row.type.declared->known_types)
      add_derivations(*row.type.declared, type);
    const auto& others = row.type.declared->extended_by;
    const auto is_abstract = [](const Declaration* each) { return each->is_abstract; };
    if (is_first && type.is_abstract && std::all_of(others.begin(), others.end(), is_abstract))
      tables_.notes.push_back(
          type.at.text() + ": no message can hold an element of the type " + wish_of(type) +
          ": it is abstract, and xsi:type can name no type that extends it (XML Schema part 1, "
          "3.4.2)");
    return;
  }
  const SimpleUse& use = simple_.use(type);
  row.type = use.type;
  row.simple = use.named;
  row.facets = use.options;
  if (!use.problem || problem) return;
  problem = use.problem;
  if (type.kind == Type::Kind::built_in) problem->where = row.at.text();
}

/// Adds all types that extend a type, directly or through others.
void Records::add_derivations(Declaration& base, const Type& type) {
  Declaration& all = tables_.declarations.emplace_back();
  all.kind = Declaration::Kind::known_types;
  all.base = &base;
  all.at = type.at;
  base.known_types = &all;
  std::vector<const Type*> next{&type};
  while (!next.empty()) {
    const auto more = extensions_.find(next.back());
    next.pop_back();
    if (more == extensions_.end()) continue;
    for (const Type* each : more->second) {
      if (++extended_ > most_extended)
        refuse(
            each->at, "more than " + std::to_string(most_extended) + " types extend other types");
      base.extended_by.push_back(&of_type(*each));
      if (each->name.ns.empty() &&
          blocked_.insert({each->at.in, each->at.at.source().data()}).second)
        tables_.notes.push_back(
            each->at.text() + ": messages name the type " + each->name.local +
            " in xsi:type without a namespace; its table takes the service's namespace there");
      if (all.at < each->at) all.at = each->at;
      next.push_back(each);
    }
  }
}

/// An optional struct is in a box. Contracts nest structs so deep that by value a request would
/// have 200 KB, and each would cost a compiler ten times as much as a box. Rejected: a box for
/// large structs alone, since a member would change when a struct far below it grows.
static Holder holder_of_optional(const Row& row) {
  const bool is_struct = row.type.kind == CppType::Kind::declared &&
                         (row.type.declared->kind == Declaration::Kind::record ||
                          row.type.declared->kind == Declaration::Kind::choice);
  // A box cannot be nil; the rows of a group must be part of the struct.
  return is_struct && row.kind == Row::Kind::field && !row.is_nillable ? Holder::box
                                                                       : Holder::optional;
}

void Records::set_occurs(Row& row, std::uint64_t least, std::uint64_t most, bool in_choice) {
  if (most == 1) {
    row.holder = least == 0 || in_choice ? holder_of_optional(row) : Holder::value;
    return;
  }
  row.holder = Holder::vector;
  if (in_choice && least <= 1) least = 0;  // a branch that is present occurs at least once
  if (most != unbounded || least != 0) row.options.push_back(Option::occurs(least, most));
}

// --- Content models ------------------------------------------------------------------------------

/// True if empty content is valid.
static bool may_be_empty(const Particle& of) {
  if (of.least == 0) return true;
  if (of.kind == Particle::Kind::element || of.kind == Particle::Kind::any) return false;
  const auto empty = [](const Particle& each) { return may_be_empty(each); };
  return of.kind == Particle::Kind::choice
             ? of.children.empty() || std::any_of(of.children.begin(), of.children.end(), empty)
             : std::all_of(of.children.begin(), of.children.end(), empty);
}

static Particle once_of(Particle of) {
  of.least = of.most = 1;
  return of;
}

/// The product of two numbers of occurrences; `unbounded` if it is too large.
static std::uint64_t product(std::uint64_t one, std::uint64_t other) {
  return other != 0 && one > unbounded / other ? unbounded : one * other;
}

/// Multiplies the occurrences of a particle and of the only particle inside it. False: a single
/// particle cannot express the result, because a number in between is not allowed. Two times 2 or 3
/// is 4 to 6; one or two times 2 is 2 or 4.
static bool multiply(const Particle& outer, Particle& inner) {
  if (inner.least > 1 && outer.least != outer.most &&
      product(outer.least + 1, inner.least) - 1 > product(outer.least, inner.most))
    return false;
  inner.least = product(outer.least, inner.least);
  inner.most = product(outer.most, inner.most);
  return true;
}

void Records::note_once(const Place& at, const std::string& text) {
  if (noted_places_.insert({at.in, at.at.source().data()}).second)
    tables_.notes.push_back(at.text() + ": " + text);
}

static bool is_any_number_of_elements(const Particle& of) {
  return of.kind == Particle::Kind::element && of.least == 0 && of.most == unbounded;
}

/// True if each element that is allowed at one particle is also allowed at the other, in place of
/// its head.
bool Records::is_substitute(const Particle& of, const Particle& at) const {
  if (!of.element->is_global || !at.element->is_global || at.is_exact) return false;
  const auto& members = schemas_.substitutes_of(*at.element);
  const auto is_member = [&](const Element* each) {
    const auto found = std::lower_bound(
        members.begin(), members.end(), each, [](const Element* one, const Element* other) {
          return one->name < other->name;
        });
    return found != members.end() && *found == each;
  };
  const auto& own = schemas_.substitutes_of(*of.element);
  return is_member(of.element) && std::all_of(own.begin(), own.end(), is_member);
}

/// For each child, the head after it that makes it redundant, or a null pointer. Any number of
/// members of a substitution group before any number of its head means the same as the head alone
/// (XML Schema part 1, 3.3.2). A reader could not decide to which of them a member belongs.
std::vector<const Particle*> Records::heads_behind(const std::vector<Particle>& children) const {
  std::vector<const Particle*> all(children.size());
  const Particle* head = nullptr;
  for (std::size_t at = children.size(); at-- != 0;) {
    const bool is_any_number = is_any_number_of_elements(children[at]);
    if (is_any_number && head && is_substitute(children[at], *head))
      all[at] = head;
    else
      head = is_any_number ? &children[at] : nullptr;
  }
  return all;
}

void Records::add_children(Declaration& to, const Particle& from) {
  const std::vector<const Particle*> heads = heads_behind(from.children);
  for (std::size_t at = 0; at != heads.size(); ++at) {
    const Particle& each = from.children[at];
    if (!heads[at])
      add_particle(to, each);
    else
      note_once(
          each.at,
          "the element " + shown(each.element->name) +
              " is no row of its own: it may occur any number of times among the elements " +
              shown(heads[at]->element->name) +
              " behind it, which it may substitute; the messages are the same (XML Schema part 1, "
              "3.3.2: substitution group)");
  }
}

/// True when no element can stand for the particle: its element is abstract and has no substitute
/// (XML Schema part 1, 3.3.2).
bool Records::has_no_value(const Particle& of) {
  const auto none = [this](const Particle& each) { return has_no_value(each); };
  switch (of.kind) {
  case Particle::Kind::any: return false;
  case Particle::Kind::element: {
    const Element& element = *of.element;
    if (!element.is_global || !element.is_abstract) return false;
    const auto& others = schemas_.substitutes_of(element);
    return of.is_exact || std::all_of(others.begin(), others.end(), [](const Element* each) {
             return each->is_abstract;
           });
  }
  case Particle::Kind::choice:
    return !of.children.empty() && std::all_of(of.children.begin(), of.children.end(), none);
  default:
    return std::any_of(of.children.begin(), of.children.end(), [this](const Particle& each) {
      return each.least != 0 && has_no_value(each);
    });
  }
}

/// Leaves out a particle that no message can have.
bool Records::leaves_out(const Particle& of) {
  if (!has_no_value(of)) return false;
  const std::string name = of.element ? "the element " + shown(of.element->name) : "a group";
  note_once(
      of.at,
      name +
          " is left out: it is abstract or needs an abstract element, and no element can "
          "substitute it");
  return true;
}

void Records::add_particle(Declaration& to, const Particle& given) {
  if (given.least == 0 && leaves_out(given)) return;
  if (given.kind == Particle::Kind::any) return add_any(to, given);
  if (given.kind == Particle::Kind::element) {
    const Particle from = with_substitutes(given);
    return from.kind == Particle::Kind::choice ? add_choice(to, from) : add_element(to, from);
  }
  if (given.children.empty()) {
    if (given.kind == Particle::Kind::choice && given.least != 0)
      blame(to, given.at, "a choice without branches allows nothing at all");
    return;
  }
  const bool once = given.least == 1 && given.most == 1;
  if (given.children.size() == 1) {
    Particle inner = given.children.front();
    if (multiply(given, inner)) return add_particle(to, inner);
  }
  if (given.kind == Particle::Kind::choice) return add_choice(to, given);
  if (given.kind == Particle::Kind::all && !once && !may_be_empty(once_of(given)))
    return add_optional_all(to, given);
  if (once || given.kind == Particle::Kind::all) return add_children(to, given);
  // If all children of a sequence may be absent, an optional sequence means the same as a required
  // one.
  if (given.most == 1 && may_be_empty(once_of(given))) return add_children(to, given);
  add_group(to, given);
}

/// An all group that is absent or complete. A table also takes a part of its elements.
void Records::add_optional_all(Declaration& to, Particle from) {
  for (Particle& each : from.children)
    each.least = 0;
  note_once(
      from.at,
      "the all group may be absent, so its elements are optional; messages that leave out only "
      "some of the required elements are accepted as well (XML Schema part 1, 3.8.4)");
  add_children(to, from);
}

/// An element, or a choice if other elements may replace it (XML Schema part 1, 3.3.2: substitution
/// group).
Particle Records::with_substitutes(const Particle& from) {
  const std::vector<const Element*> others = from.element->is_global && !from.is_exact
                                                 ? schemas_.substitutes(*from.element)
                                                 : std::vector<const Element*>();
  if (others.empty()) return from;
  Particle made;
  made.kind = Particle::Kind::choice;
  made.element = from.element;
  made.at = from.at;
  made.doc = from.doc;
  made.least = from.least;
  made.most = from.most;
  const auto add = [&](const Element& each) {
    if (each.is_abstract) return;
    Particle& branch = made.children.emplace_back();
    branch.kind = Particle::Kind::element;
    branch.at = from.at;
    branch.element = &each;
    branch.is_exact = true;
  };
  add(*from.element);
  for (const Element* each : others)
    add(*each);
  if (made.children.size() != 1) return made;
  Particle only = made.children.front();
  only.least = from.least;
  only.most = from.most;
  return only;
}

/// Adds a default or fixed value as an option of a row. White space counts only in strings.
void Records::add_value(
    Declaration& to,
    Row& row,
    const std::optional<std::string>& preset,
    const std::optional<std::string>& fixed) {
  const std::string& said = preset ? *preset : *fixed;
  const std::string text = row.type.plain == "std::string" ? said : collapsed(said);
  std::string wrong = value_problem(row.type, text);
  if (wrong.empty() && !to.problem && !allows(row, text))
    wrong = "the facets of the type do not allow the " + std::string(preset ? "default" : "fixed") +
            " value '" + text + "' (XML Schema part 1, 3.3.6 and 3.2.6)";
  if (!wrong.empty()) {
    if (!preset) return blame(to, row.at, wrong);
    return note_once(row.at, wrong + ", so it is left out");
  }
  row.options.push_back(
      Option::text(preset ? Option::Kind::default_value : Option::Kind::fixed, text));
}

/// The maximum number of rows in a table.
static constexpr std::size_t most_rows = 512;

static bool is_choice(const Declaration& to) { return to.kind == Declaration::Kind::choice; }

/// True if a row must become a group of one row, not a member of its struct: a vector of bytes
/// would be binary data, and a struct has each name once. Above the maximum number of rows the
/// result does not matter.
static bool is_own_group(const Declaration& of, const Row& row) {
  if (row.holder == Holder::vector && !row.is_nillable && row.type.plain == "std::uint8_t")
    return true;
  return of.rows.size() <= most_rows &&
         std::any_of(of.rows.begin(), of.rows.end(), [&](const Row& each) {
           return each.kind == Row::Kind::field && each.name == row.name;
         });
}

/// A default or fixed value of an element with a complex type, which a table does not have.
void Records::add_value_without_row(Declaration& to, const Element& element) {
  if (!has_simple_content(*element.type))
    return blame(to, element.at, "the element has a default or fixed value, and no simple type");
  const std::string wrong =
      "the element has a " + std::string(element.preset ? "default" : "fixed") +
      " value, and attributes; a table has such a value for elements without attributes alone";
  if (!element.preset) return blame(to, element.at, wrong);
  note_once(
      element.at,
      wrong +
          ", so it is left out: an empty element is read as it stands (XML Schema part 1, 3.3.1)");
}

void Records::add_element(Declaration& to, const Particle& from) {
  const Element& element = *from.element;
  if (element.problem) {
    if (!to.problem) to.problem = element.problem;
    return;
  }
  if (element.is_global && element.is_abstract)
    return blame(
        to,
        from.at,
        "the element " + shown(element.name) + " is abstract, and no element can substitute it");
  Row row;
  row.kind = Row::Kind::field;
  row.name = element.name;
  row.at = from.at;
  row.doc = from.doc.empty() ? element.doc : from.doc;
  row.is_nillable = element.is_nillable;
  say_type(row, *element.type, to.problem);
  note_blocked(row, element);
  set_occurs(row, from.least, from.most, is_choice(to));
  const bool is_simple = element.type->kind != Type::Kind::complex && !is_xml(*element.type);
  if (element.preset || element.fixed) {
    if (is_simple)
      add_value(to, row, element.preset, element.fixed);
    else
      add_value_without_row(to, element);
  }
  if (row.holder == Holder::vector && !row.is_nillable && row.type.plain == "bool")
    row.type.plain = "soapsvc::boolean";
  if (is_own_group(to, row)) {
    Declaration& part = part_of(to, Declaration::Kind::record, from.at);
    Particle once = from;
    once.least = once.most = 1;
    add_element(part, once);
    add_holder(to, from, part);
    return;
  }
  to.rows.push_back(std::move(row));
}

/// Adds the namespaces that a wildcard allows. A table interprets ##other and ##targetNamespace by
/// its own namespace, XML Schema by the namespace of the schema with the wildcard (part 1, 3.10.2).
/// A table without a namespace has the service's.
void Records::add_wildcard_option(const Declaration& to, Row& row, const Wildcard& wildcard) {
  std::string said = collapsed(wildcard.namespaces);
  if (wildcard.target != to.xml.ns || wildcard.target.empty()) {
    if (said == "##other") {
      said.clear();
      note_once(
          row.at,
          "the wildcard takes any namespace, since a table cannot take all but " +
              (wildcard.target.empty() ? "no namespace" : '\'' + wildcard.target + '\'') +
              " (XML Schema part 1, 3.10.2: ##other)");
    }
    constexpr std::string_view own = "##targetNamespace";
    if (const std::size_t at = said.find(own); at != said.npos)
      said.replace(at, own.size(), wildcard.target.empty() ? "##local" : wildcard.target);
  }
  if (!said.empty() && said != "##any")
    row.options.push_back(Option::text(Option::Kind::ns, std::move(said)));
  if (wildcard.is_skipped) row.options.push_back(Option::flag(Option::Kind::process));
}

/// A table cannot forbid types that extend the type of an element (XML Schema part 1, 3.3.4).
void Records::note_blocked(const Row& row, const Element& element) {
  if (row.type.kind != CppType::Kind::derived || !row.type.declared->known_types) return;
  if (!element.blocks.extension && !element.type->blocks.extension) return;
  if (blocked_.insert({element.at.in, element.at.at.source().data()}).second)
    tables_.notes.push_back(
        element.at.text() + ": the element " + element.name.local +
        " blocks types that extend its own; its table takes them all the same");
}

void Records::add_any(Declaration& to, const Particle& from) {
  Row row;
  row.kind = Row::Kind::any;
  row.at = from.at;
  row.doc = from.doc;
  row.type.plain = "soapsvc::xml";
  set_occurs(row, from.least, from.most, is_choice(to));
  add_wildcard_option(to, row, from.wildcard);
  to.rows.push_back(std::move(row));
}

Declaration& Records::part_of(Declaration& owner, Declaration::Kind kind, const Place& at) {
  Declaration& made = tables_.declarations.emplace_back();
  made.kind = kind;
  made.owner = &owner;
  made.xml.ns = owner.xml.ns;
  made.wish = owner.wish;
  made.at = at;
  return made;
}

Row& Records::add_holder(Declaration& to, const Particle& from, Declaration& part) {
  Row& row = to.rows.emplace_back();
  row.kind = Row::Kind::group;
  row.at = from.at;
  row.type = CppType::of(part);
  row.doc = from.doc;
  set_occurs(row, from.least, from.most, is_choice(to));
  if (part.problem && !to.problem) to.problem = part.problem;
  return row;
}

/// A group that may be empty may be absent, however often it must occur (XML Schema part 1, 3.8.6:
/// effective total range).
void Records::add_group(Declaration& to, Particle from) {
  Declaration& part = part_of(to, Declaration::Kind::record, from.at);
  if (may_be_empty(once_of(from))) from.least = 0;
  add_children(part, from);
  add_holder_of_some(to, from, part);
}

/// A choice with a branch that may be empty may be absent; that branch is then always present if it
/// is chosen.
void Records::add_choice(Declaration& to, Particle from) {
  // A choice without any possible branch is reported at its branches.
  if (!has_no_value(from))
    std::erase_if(from.children, [this](const Particle& each) { return leaves_out(each); });
  const auto empty = [](const Particle& each) { return may_be_empty(each); };
  if (std::any_of(from.children.begin(), from.children.end(), empty)) from.least = 0;
  // A choice within a choice, both once, is one choice.
  std::vector<Particle> flat;
  for (const Particle& each : from.children) {
    const bool same = each.kind == Particle::Kind::choice && each.most == 1;
    if (same)
      flat.insert(flat.end(), each.children.begin(), each.children.end());
    else
      flat.push_back(each);
  }
  from.children = std::move(flat);
  Declaration& part = part_of(to, Declaration::Kind::choice, from.at);
  if (from.element) part.head = from.element->name;
  for (const Particle& each : from.children)
    add_branch(part, each);
  add_holder_of_some(to, from, part);
}

/// The same for a part that may have no rows.
void Records::add_holder_of_some(Declaration& to, const Particle& from, Declaration& part) {
  if (!part.rows.empty())
    add_holder(to, from, part);
  else if (part.problem && !to.problem)
    to.problem = part.problem;
  if (part.rows.empty() && &tables_.declarations.back() == &part) tables_.declarations.pop_back();
}

/// True if a choice already has a branch of this element. Then the element is both beside its head
/// and a substitute of it, and both are one branch.
bool Records::has_branch(const Declaration& to, const Particle& of) {
  return of.least == 1 && of.most == 1 && !branches_[&to].insert(of.element).second;
}

void Records::add_branch(Declaration& to, const Particle& branch) {
  Particle from = branch;
  while (from.kind != Particle::Kind::element && from.kind != Particle::Kind::any &&
         from.children.size() == 1) {
    Particle inner = from.children.front();
    if (!multiply(from, inner)) break;
    from = std::move(inner);
  }
  if (from.kind == Particle::Kind::element) {
    from = with_substitutes(from);
    if (from.kind == Particle::Kind::element)
      return has_branch(to, from) ? void() : add_element(to, from);
  }
  if (from.kind == Particle::Kind::any) return add_any(to, from);
  if (from.children.empty()) return;
  if (from.kind == Particle::Kind::choice) {
    if (from.most != 1) return add_choice(to, from);
    for (const Particle& each : from.children)
      add_branch(to, each);
    return;
  }
  add_group(to, from);
}

// --- Attributes ----------------------------------------------------------------------------------

void Records::add_attribute(Declaration& to, const Attribute& from) {
  if (from.type->kind == Type::Kind::complex || is_any_type(*from.type))
    return blame_contract(
        to,
        from.at,
        "the attribute " + from.name.local + " has the complex type " + shown(from.type->name) +
            "; an attribute has a simple type (XML Schema part 1, 3.2.1)");
  Row row;
  row.kind = Row::Kind::attribute;
  row.name = from.name;
  row.at = from.at;
  row.doc = from.doc;
  say_type(row, *from.type, to.problem);
  const bool has_value = from.preset || from.fixed;
  row.holder = from.is_required ? Holder::value : Holder::optional;
  if (has_value) add_value(to, row, from.preset, from.fixed);
  if (row.type.plain == "std::string" && !row.options.empty() && from.is_required)
    row.initial = literal(from.preset ? *from.preset : *from.fixed);
  if (!from.name.ns.empty()) row.options.push_back(Option::text(Option::Kind::ns, from.name.ns));
  to.rows.push_back(std::move(row));
}

/// The attributes of a type. Without a base class, also the attributes of the types that it
/// restricts. A restriction repeats the wildcard that it keeps (XML Schema part 1, 3.4.2).
void Records::add_attributes(Declaration& to, const Type& type) {
  std::vector<const Type*> chain{&type};
  if (!to.base)
    for (const Type* at = type.base; at && at->kind == Type::Kind::complex; at = at->base)
      chain.push_back(at);
  std::set<QName> known;
  for (const Type* at : chain)
    for (const Attribute& each : at->attributes)
      if (known.insert(each.name).second && !each.is_prohibited) add_attribute(to, each);
  if (!type.any_attribute) return;
  Row row;
  row.kind = Row::Kind::any_attribute;
  row.at = type.at;
  row.type.plain = "soapsvc::xml_attribute";
  row.holder = Holder::vector;
  add_wildcard_option(to, row, *type.any_attribute);
  to.rows.push_back(std::move(row));
}

// --- Checks of all rows --------------------------------------------------------------------------

/// Calls `see` for each row of a struct and of the groups in it.
template <class See> static void each_row(Declaration& of, See see, std::size_t depth = 0) {
  for (Row& row : of.rows) {
    see(row);
    if (row.kind == Row::Kind::group && row.type.declared && depth < 128)
      each_row(*row.type.declared, see, depth + 1);
  }
}

/// Elements are in the namespace of their type, or all are in none. Other elements get an option.
void Records::say_namespaces(Declaration& made) {
  std::size_t qualified = 0, unqualified = 0;
  each_row(made, [&](const Row& row) {
    if (row.kind == Row::Kind::field) ++(row.name.ns.empty() ? unqualified : qualified);
  });
  made.is_unqualified = unqualified != 0 && qualified == 0;
  each_row(made, [&](Row& row) {
    if (row.kind != Row::Kind::field) return;
    const std::string usual = made.is_unqualified ? std::string() : made.xml.ns;
    // A table without a namespace has the service's, so its other elements are in none by an
    // option.
    if (row.name.ns == usual && (made.is_unqualified || !usual.empty())) return;
    row.options.insert(
        row.options.begin(),
        row.name.ns.empty() ? Option::flag(Option::Kind::unqualified)
                            : Option::text(Option::Kind::ns, row.name.ns));
  });
}

/// True if elements with one name have one type, as XML Schema part 1, 3.8.6 requires: the same
/// declaration, or the same named type. An anonymous type gets a name here, which shows the table
/// that both rows mean the same type.
bool Records::unite(Row& one, Row& other) {
  if (one.of != other.of) return false;
  const bool has_parts =
      one.type.kind == CppType::Kind::list || one.type.kind == CppType::Kind::of_union;
  if (one.facets.empty() && (one.simple || !has_parts)) {
    other.simple = one.simple;  // its name may come from a third row
    other.facets.clear();
    return true;
  }
  const SimpleUse use = simple_.use_named(*one.of, *one.of);
  for (Row* each : {&one, &other}) {
    each->simple = use.named;
    each->facets = use.options;
  }
  return !use.problem;
}

/// Attribute names must be unique, including those of the base. Elements may share a name, also in
/// groups, if their types are equal.
void Records::check_names(Declaration& made) {
  std::map<std::pair<QName, bool>, Row*> known;
  std::size_t rows = 0;
  const auto see = [&](Row& row) {
    if (++rows > most_rows) return;
    const bool is_element = row.kind == Row::Kind::field;
    if (!is_element && row.kind != Row::Kind::attribute) return;
    const auto [first, is_new] = known.emplace(std::pair{row.name, is_element}, &row);
    if (is_new || (is_element && unite(*first->second, row))) return;
    blame(
        made,
        row.at,
        (is_element ? "the element " + row.name.local +
                          " occurs twice in one content model, and not with the same named type"
                    : "the attribute " + row.name.local + " occurs twice"));
  };
  // A base with too many rows is reported once, not again for each derived type.
  for (Declaration* base = made.base; base && rows <= most_rows; base = base->base)
    base->rows.size() > most_rows ? void(rows += base->rows.size()) : each_row(*base, see);
  each_row(made, see);
  if (rows > most_rows) blame(made, made.at, "a table has at most 512 rows");
}

}  // namespace importer
