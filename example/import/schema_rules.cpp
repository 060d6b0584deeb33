#include "schema_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace importer {

static bool has_word(std::string_view list, std::string_view sought) {
  while (const auto each = take_item(list))
    if (*each == sought) return true;
  return false;
}

static bool is_facet(std::string_view tag) {
  return has_word(
      "length minLength maxLength pattern enumeration whiteSpace maxInclusive maxExclusive "
      "minInclusive minExclusive totalDigits fractionDigits",
      tag);
}
static bool is_particle(std::string_view tag) { return has_word("group all choice sequence", tag); }
static bool is_attribute(std::string_view tag) {
  return has_word("attribute attributeGroup anyAttribute", tag);
}

// --- Elements ------------------------------------------------------------------------------------

/// The children that an element may have besides an annotation, at any position.
static std::string_view children_of(std::string_view tag) {
  static const std::map<std::string_view, std::string_view> known{
      {"all", "element"},
      {"attribute", "simpleType"},
      {"attributeGroup", "attribute attributeGroup anyAttribute"},
      {"choice", "element group choice sequence any"},
      {"complexContent", "restriction extension"},
      {"complexType",
       "simpleContent complexContent group all choice sequence attribute attributeGroup "
       "anyAttribute"},
      {"element", "simpleType complexType unique key keyref"},
      {"group", "all choice sequence"},
      {"key", "selector field"},
      {"keyref", "selector field"},
      {"list", "simpleType"},
      {"override", "simpleType complexType group attributeGroup element attribute notation"},
      {"redefine", "simpleType complexType group attributeGroup"},
      {"schema",
       "include import redefine override simpleType complexType group attributeGroup element "
       "attribute notation"},
      {"sequence", "element group choice sequence any"},
      {"simpleContent", "restriction extension"},
      {"simpleType", "restriction list union"},
      {"union", "simpleType"},
      {"unique", "selector field"}};
  const auto found = known.find(tag);
  return found == known.end() ? std::string_view() : found->second;
}

/// True for a reference: the component that ref= names has the content.
static bool is_reference(Node at) { return has_attribute(at, "ref"); }

static bool may_hold(std::string_view around, Node parent, std::string_view child) {
  const std::string_view tag = parent.local();
  if (child == "annotation") return true;
  if (is_reference(parent))
    return tag == "element" && has_word("unique key keyref", child);  // they do not change messages
  if (tag == "extension")
    return is_attribute(child) || (around == "complexContent" && is_particle(child));
  if (tag != "restriction") return has_word(children_of(tag), child);
  if (around == "complexContent") return is_attribute(child) || is_particle(child);
  return child == "simpleType" || is_facet(child) ||
         (around == "simpleContent" && is_attribute(child));
}

/// True if a child would be a part of the content model if it were allowed there.
static bool is_content(std::string_view around, Node parent, std::string_view child) {
  if (is_reference(parent)) return false;
  const std::string_view tag = parent.local();
  const bool holds_content = has_word("all choice sequence complexType group", tag) ||
                             (around == "complexContent" && children_of(tag).empty());
  return holds_content && (is_particle(child) || child == "element" || child == "any");
}

bool is_read(std::string_view around, Node parent, Node child) {
  const std::string_view tag = child.local();
  return child.ns() == xsd_ns && tag != "annotation" &&
         (may_hold(around, parent, tag) || is_content(around, parent, tag));
}

static bool is_component(std::string_view tag) {
  return !children_of(tag).empty() || is_facet(tag) || tag == "extension" || tag == "restriction" ||
         tag == "any" || tag == "anyAttribute";
}

/// Elements that XML Schema 1.1 added.
static bool is_of_1_1(std::string_view tag) {
  return has_word(
      "assert assertion alternative openContent defaultOpenContent explicitTimezone", tag);
}

/// Elements that do not change messages: constraints across elements, and documentation.
static bool is_harmless(std::string_view tag) {
  return has_word(
      "assert assertion explicitTimezone unique key keyref selector field notation documentation "
      "appinfo import include redefine",
      tag);
}

static Misplaced misplaced_foreign(Node parent, Node child) {
  const std::string what =
      "the element '" + std::string(child.local()) + "' " +
      (child.ns().empty() ? "in no namespace" : "of " + std::string(child.ns()));
  if (parent.local() != "schema" && is_component(child.local()))
    return {what + " is not of XML Schema: correct its prefix", true};
  return {
      what + " stands in xs:" + std::string(parent.local()) +
      ", outside of xs:appinfo; it is ignored (XML Schema part 1, 3.13)"};
}

std::optional<Misplaced> misplaced(std::string_view around, Node parent, Node child) {
  if (child.ns() != xsd_ns) return misplaced_foreign(parent, child);
  const std::string_view tag = child.local();
  if (may_hold(around, parent, tag)) return std::nullopt;
  const bool is_ignored = parent.local() == "schema" || is_harmless(tag);
  const std::string what = "xs:" + std::string(tag);
  const std::string where = "xs:" + std::string(parent.local());
  if (is_of_1_1(tag))
    return Misplaced{
        what + " is of XML Schema 1.1; the importer reads 1.0" +
            (is_ignored ? ", and ignores it" : ""),
        !is_ignored};
  if (is_content(around, parent, tag))
    return Misplaced{
        what + " may not stand in " + where +
        " (XML Schema part 1, schema for schemas); it is read all the same"};
  const std::string reason = is_component(tag) || is_harmless(tag)
                                 ? what + " may not stand in " + where +
                                       (is_reference(parent) ? " with a ref=" : "") +
                                       " (XML Schema part 1, schema for schemas)"
                                 : "there is no " + what + " in XML Schema 1.0";
  return Misplaced{reason + (is_ignored ? "; it is ignored" : ""), !is_ignored};
}

Node second_definition(Node parent) {
  const std::string_view tag = parent.local();
  const bool is_derived = tag == "complexType";
  if (!has_word("complexType complexContent simpleContent simpleType element attribute", tag))
    return {};
  bool has_content = false;
  Node first, second;
  for (Node child = parent.first_child(); child; child = child.next_sibling()) {
    if (child.ns() != xsd_ns || !has_word(children_of(tag), child.local()) ||
        has_word("unique key keyref", child.local()))
      continue;
    has_content = has_content || child.local().ends_with("Content");
    if (first && !second) second = child;
    if (!first) first = child;
  }
  return is_derived && !has_content ? Node() : second;
}

// --- Attributes ----------------------------------------------------------------------------------

std::string_view words_of(std::string_view attribute) noexcept {
  if (attribute == "use") return "optional required prohibited";
  if (attribute == "processContents") return "strict lax skip";
  if (attribute == "form" || attribute == "elementFormDefault" ||
      attribute == "attributeFormDefault")
    return "unqualified qualified";
  if (attribute == "nillable" || attribute == "abstract" || attribute == "mixed")
    return "false true 0 1";
  return {};
}

std::optional<std::string> meant_word(std::string_view attribute, std::string_view said) {
  std::string word = collapsed(said);
  std::string_view words = words_of(attribute);
  if (!word.empty() && has_word(words, word)) return word;
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  const auto usual = take_item(words);
  if (word.empty() || word == usual) return std::string(*usual);
  return std::nullopt;
}

std::string attribute_note(Node parent, Node at) {
  const std::string_view tag = at.local();
  const std::string what = "xs:" + std::string(tag);
  if (tag == "attribute" && has_attribute(at, "default") &&
      meant_word("use", attribute_of(at, "use")) != "optional")
    return what + " has a default, and use= is not 'optional' (XML Schema part 1, 3.2.3)";
  const std::string_view most = attribute_of(at, "maxOccurs");
  if (tag == "element" && parent.is(xsd_ns, "all") && !has_word("0 1", most) && !most.empty())
    return what + " in xs:all occurs more than once (XML Schema part 1, 3.8.6); it may repeat";
  return {};
}

// --- Wildcards -----------------------------------------------------------------------------------

/// The namespaces that a wildcard allows or, with `excludes`, refuses; "": names without a
/// namespace.
struct Namespaces {
  bool excludes = false;
  std::set<std::string> names{};
};

static Namespaces namespaces_of(const Wildcard& of) {
  if (of.is_empty) return {};
  const std::string said = collapsed(of.namespaces);
  if (said.empty() || said == "##any") return {true};
  if (said == "##other") return {true, {of.target, ""}};
  Namespaces made;
  for (std::string_view rest = said; const auto each = take_item(rest);)
    made.names.insert(
        *each == "##targetNamespace" ? of.target
        : *each == "##local"         ? std::string()
                                     : std::string(*each));
  return made;
}

/// The intersection of two sets of namespaces.
static Namespaces both_of(Namespaces one, Namespaces other) {
  if (one.excludes && other.excludes) {
    one.names.merge(other.names);
    return one;
  }
  if (one.excludes) std::swap(one, other);
  std::erase_if(one.names, [&](const std::string& each) {
    return other.names.contains(each) == other.excludes;
  });
  return one;
}

std::optional<Wildcard> intersection(const Wildcard& one, const Wildcard& other) {
  const Namespaces both = both_of(namespaces_of(one), namespaces_of(other));
  Wildcard made = one;
  if (both.excludes) {
    if (both.names.size() > 2) return std::nullopt;
    made.namespaces = both.names.empty() ? "##any" : "##other";
    if (!both.names.empty()) made.target = *both.names.rbegin();
    return made;
  }
  made.is_empty = both.names.empty();
  made.namespaces.clear();
  for (const std::string& each : both.names)
    made.namespaces +=
        (made.namespaces.empty() ? "" : " ") + (each.empty()          ? "##local"
                                                : each == made.target ? "##targetNamespace"
                                                                      : each);
  return made;
}

}  // namespace importer
