#include "difference.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "order.hpp"
#include "writer.hpp"

namespace importer {

namespace {

/// The directions in which a change breaks messages.
struct Breaks {
  bool old_to_new = false;
  bool new_to_old = false;
};
constexpr Breaks both{true, true};
constexpr Breaks wider{false, true};  ///< the new version allows more
constexpr Breaks narrower{true, false};

/// One version of a contract. Its parts are found by the names that are equal in both.
struct Version {
  explicit Version(const Tables& tables) {
    std::vector<Declaration*> asked;
    std::vector<Declaration*> told;
    for (const Class& each : tables.classes) {
      classes[each.cpp] = &each;
      for (const Method& method : each.methods) {
        styles[&method] = each.is_bare ? " bare" : each.is_rpc ? " rpc" : "";
        operations[each.cpp + '.' + method.operation->name] = &method;
        if (method.has_request)
          for (Declaration* need : method.request.needs())
            asked.push_back(need);
        asked.insert(asked.end(), method.headers.begin(), method.headers.end());
        told.insert(told.end(), method.told.begin(), method.told.end());
        told.insert(told.end(), method.faults.begin(), method.faults.end());
        if (method.has_result)
          for (Declaration* need : method.result.needs())
            told.push_back(need);
      }
    }
    reach(asked, in_requests);
    reach(told, in_responses);
    for (const auto* set : {&in_requests, &in_responses})
      for (const Declaration* each : *set)
        if (each->kind != Declaration::Kind::known_types) types[each->cpp] = each;
  }

  std::map<std::string, const Class*> classes;
  std::map<std::string, const Method*> operations;
  std::map<const Method*, std::string> styles;  ///< the option of the class for its methods
  std::map<std::string, const Declaration*> types;
  std::set<const Declaration*> in_requests;
  std::set<const Declaration*> in_responses;

private:
  static void reach(std::vector<Declaration*> next, std::set<const Declaration*>& all) {
    while (!next.empty()) {
      const Declaration* const at = next.back();
      next.pop_back();
      if (!all.insert(at).second) continue;
      for (Declaration* need : at->needs())
        next.push_back(need);
    }
  }
};

/// True if the element or attribute is required.
bool is_required(const Row& row) {
  if (row.kind == Row::Kind::any_attribute) return false;
  if (row.holder == Holder::value) return true;
  const Option* const occurs = find_option(row.options, Option::Kind::least);
  return occurs && occurs->number != 0;
}

/// Where a message has the value of a row. The namespace of its type is not repeated.
std::string place_of(const Row& row, const Declaration& in) {
  constexpr std::array<std::string_view, 6> kinds{
      "the element ", "the attribute ", "the text", "a group", "any elements", "any attributes"};
  std::string text(kinds[static_cast<std::size_t>(row.kind)]);
  if (row.name.local.empty()) return text;
  if (row.name.ns == in.xml.ns) return text + row.name.local;
  return text + shown(row.name) + (row.name.ns.empty() ? " in no namespace" : "");
}

/// A row without its name, its namespace and its number of occurrences. `in_full`: with the facets
/// of its simple type in place of the type's name.
std::string said_by(const Row& row, bool in_full) {
  std::string text = cpp_text(row.type);
  if (row.simple && !in_full) text += ' ' + row.simple->cpp;
  const bool is_named = row.kind == Row::Kind::field || row.kind == Row::Kind::attribute;
  const auto add = [&](const std::vector<Option>& all) {
    for (const Option& each : all)
      if (!is_named || (each.kind != Option::Kind::ns && each.kind != Option::Kind::unqualified))
        text += ' ' + each.code();
  };
  if (row.simple && in_full) add(row.simple->facets);
  add(row.facets);
  add(row.options);
  return text;
}

class Comparison {
public:
  Comparison(const Tables& before, const Tables& after) : old_(before), new_(after) {}

  std::string make() {
    each_pair(
        old_.classes,
        new_.classes,
        [&](const std::string& name, const Class* was, const Class* is) {
          if (was && is) compare_classes(name, *was->from, *is->from);  // else see the operations
        });
    each_pair(
        old_.operations,
        new_.operations,
        [&](const std::string& name, const Method* was, const Method* is) {
          if (!was) return line("operation " + name + " is new", false, true);
          if (!is) return line("operation " + name + " is gone", true, false);
          compare_operations(name, *was, *is);
        });
    each_pair(
        old_.types,
        new_.types,
        [&](const std::string&, const Declaration* was, const Declaration* is) {
          if (was && is) compare_types(*was, *is);  // else see the uses
        });
    return std::move(out_);
  }

private:
  template <class Map, class See>
  static void each_pair(const Map& before, const Map& after, See see) {
    for (const auto& [name, was] : before) {
      const auto is = after.find(name);
      see(name, was, is == after.end() ? nullptr : is->second);
    }
    for (const auto& [name, is] : after)
      if (!before.contains(name)) see(name, nullptr, is);
  }

  void line(const std::string& what, bool clients, bool servers) {
    out_ += one_line(what);
    out_ += clients && servers ? ": breaks old clients and old servers"
            : clients          ? ": breaks old clients"
            : servers          ? ": breaks old servers"
                               : "";
    out_ += '\n';
  }

  /// A change of a type breaks programs that send or read it.
  void type_line(const Declaration& was, const std::string& what, Breaks breaks) {
    const bool asked = old_.in_requests.contains(&was);
    const bool told = old_.in_responses.contains(&was);
    line(
        was.cpp + what,
        (asked && breaks.old_to_new) || (told && breaks.new_to_old),
        (asked && breaks.new_to_old) || (told && breaks.old_to_new));
  }

  static std::string names_of(const std::vector<Declaration*>& all) {
    std::string text;
    for (const Declaration* each : all)
      text += ' ' + each->cpp;
    return text;
  }

  static std::string options_of(const Interface& of) {
    std::string text;
    for (const auto& [subject, option] : of.declared)
      text += ' ' + option;
    return text.empty() ? " nothing" : text;
  }

  void compare_classes(const std::string& name, const Interface& was, const Interface& is) {
    const std::string what = "class " + name + ": ";
    if (was.ns != is.ns)
      line(what + "has the namespace '" + is.ns + "', not '" + was.ns + '\'', true, true);
    if (was.declared != is.declared)
      line(what + "its policies demand" + options_of(is) + ", not" + options_of(was), true, true);
    const auto speaks = [&](const char* version, bool before, bool after) {
      if (before != after)
        line(what + (after ? "also speaks " : "no longer speaks ") + version, before, after);
    };
    speaks("SOAP 1.1", was.speaks_11, is.speaks_11);
    speaks("SOAP 1.2", was.speaks_12, is.speaks_12);
    if (was.path != is.path)
      line(what + "has the path '" + is.path + "', not '" + was.path + '\'', false, false);
  }

  void compare_operations(const std::string& name, const Method& was, const Method& is) {
    const auto request = [](const Method& of) {
      return of.has_request ? cpp_text(of.request.type) : std::string("nothing");
    };
    const auto result = [](const Method& of) {
      return of.has_result ? cpp_text(of.result.type) : std::string("nothing");
    };
    const auto options = [](const Version& in, const Method& of) {
      std::string text = in.styles.at(&of);
      for (const Option& each : of.options)
        text += ' ' + each.code();
      return text.empty() ? " none" : text;
    };
    const std::string what = "operation " + name + ": ";
    if (request(was) != request(is))
      line(what + "takes " + request(is) + ", not " + request(was), true, true);
    if (result(was) != result(is) || was.result.holder != is.result.holder)
      line(what + "returns " + result(is) + ", not " + result(was), true, true);
    const auto nil = [](const Row& row) { return row.is_nillable ? "may be" : "is never"; };
    if (was.request.is_nillable != is.request.is_nillable)
      line(
          what + "the request " + nil(is.request) + " nil",
          was.request.is_nillable,
          is.request.is_nillable);
    if (was.result.is_nillable != is.result.is_nillable)
      line(
          what + "the result " + nil(is.result) + " nil",
          is.result.is_nillable,
          was.result.is_nillable);
    const std::string old_options = options(old_, was);
    if (const std::string said = options(new_, is); said != old_options)
      line(what + "its options are" + said + ", not" + old_options, true, true);
    if (names_of(was.headers) != names_of(is.headers))
      line(what + "takes the headers" + names_of(is.headers), false, false);
    if (names_of(was.told) != names_of(is.told))
      line(what + "returns the headers" + names_of(is.told), false, false);
    if (names_of(was.faults) != names_of(is.faults))
      line(what + "has the faults" + names_of(is.faults), true, false);
  }

  static bool is_other(const Declaration& was, const Declaration& is) {
    return was.kind != is.kind || was.xml.local != is.xml.local ||
           was.is_abstract != is.is_abstract ||
           (was.base ? was.base->cpp : "") != (is.base ? is.base->cpp : "");
  }

  void compare_values(const Declaration& was, const Declaration& is) {
    std::map<std::string, const EnumValue*> old_values, new_values;
    for (const EnumValue& each : was.values)
      old_values[each.text] = &each;
    for (const EnumValue& each : is.values)
      new_values[each.text] = &each;
    each_pair(
        old_values,
        new_values,
        [&](const std::string& text, const EnumValue* before, const EnumValue* after) {
          if (!before) type_line(was, " has the new value '" + text + '\'', wider);
          if (!after) type_line(was, " has no value '" + text + "' any more", narrower);
        });
  }

  void compare_types(const Declaration& was, const Declaration& is) {
    if (is_other(was, is)) type_line(was, " is a different type", both);
    if (was.xml.ns != is.xml.ns)
      type_line(was, " has the namespace '" + is.xml.ns + "', not '" + was.xml.ns + '\'', both);
    if (was.is_element_nillable != is.is_element_nillable)
      type_line(
          was,
          is.is_element_nillable ? " may be nil" : " is never nil",
          is.is_element_nillable ? wider : narrower);
    if (was.facets != is.facets) type_line(was, " has other facets", both);
    if (names_of(was.extended_by) != names_of(is.extended_by))
      type_line(was, " is extended by" + names_of(is.extended_by), both);
    compare_values(was, is);
    std::map<std::string, const Row*> old_rows, new_rows;
    for (const Row& each : was.rows)
      old_rows[each.member] = &each;
    for (const Row& each : is.rows)
      new_rows[each.member] = &each;
    each_pair(
        old_rows, new_rows, [&](const std::string& name, const Row* before, const Row* after) {
          compare_rows(was, is, '.' + name, before, after);
        });
    const bool is_ordered = is.kind == Declaration::Kind::record && !is.is_all && !was.is_all;
    const std::vector<std::string> order = order_of(is, old_rows);
    if (was.is_all != is.is_all && order.size() > 1)
      type_line(
          was,
          is.is_all ? " has its elements in any order" : " has its elements in one order only",
          is.is_all ? wider : narrower);
    if (is_ordered && order_of(was, new_rows) != order)
      type_line(was, " has its elements in another order", both);
  }

  /// The elements that both versions have, in their order.
  static std::vector<std::string> order_of(
      const Declaration& of, const std::map<std::string, const Row*>& others) {
    std::vector<std::string> names;
    for (const Row& each : of.rows) {
      const auto other = others.find(each.member);
      const bool is_known = other != others.end() && other->second->kind == each.kind;
      if (is_known && each.kind != Row::Kind::attribute) names.push_back(each.member);
    }
    return names;
  }

  void compare_rows(
      const Declaration& of,
      const Declaration& later,
      const std::string& name,
      const Row* was,
      const Row* is) {
    if (!was)
      return type_line(
          of,
          name + (is_required(*is) ? " is new and required" : " is new"),
          is_required(*is) ? both : wider);
    if (!is) return type_line(of, name + " is gone", is_required(*was) ? both : narrower);
    const std::string place = place_of(*was, of);
    if (const std::string now = place_of(*is, later); now != place)
      type_line(of, name + " is " + now + ", was " + place, both);
    // The name of a simple type is not in messages. The facets of a type that both versions have
    // are compared once, with the type.
    const bool in_full = !was->simple || !is->simple || was->simple->cpp != is->simple->cpp;
    if (const std::string said = said_by(*is, in_full); said != said_by(*was, in_full))
      type_line(of, name + " is " + said + ", was " + said_by(*was, in_full), both);
    if (is_required(*was) != is_required(*is))
      type_line(
          of,
          name + (is_required(*is) ? " is required" : " is optional"),
          is_required(*is) ? narrower : wider);
    const bool repeated = was->holder == Holder::vector;
    if (repeated != (is->holder == Holder::vector))
      type_line(
          of,
          name + (repeated ? " no longer repeats" : " may repeat"),
          repeated ? narrower : wider);
    if (was->is_nillable != is->is_nillable)
      type_line(
          of,
          name + (is->is_nillable ? " may be nil" : " is never nil"),
          is->is_nillable ? wider : narrower);
  }

  const Version old_;
  const Version new_;
  std::string out_;
};

}  // namespace

std::string difference(const Tables& before, const Tables& after) {
  return Comparison(before, after).make();
}

}  // namespace importer
