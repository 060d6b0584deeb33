#include "contract.hpp"

#include <map>
#include <set>

#include "checks.hpp"
#include "names.hpp"
#include "order.hpp"
#include "report.hpp"

namespace importer {

Contract::Contract(Library& library, const std::vector<std::string>& inputs)
    : schemas(library), wsdl(library, schemas) {
  library.give(inputs);
  for (const std::string& each : inputs)
    wsdl.add(each);
  interfaces = wsdl.interfaces();
  schemas.finish();
  tables.common_ns = common_namespace(interfaces);
  records.emplace(tables, schemas, simple);
  classes.emplace(tables, schemas, *records);
  classes->make(interfaces);
  break_cycles(tables);
  check_tables(tables);
  std::vector<const Method*> all;
  for (const Class& each : tables.classes)
    for (const Method& method : each.methods)
      all.push_back(&method);
  give_names(tables, reached(all));
}

// --- Wrapped lists -------------------------------------------------------------------------------

/// Whether the description of a list has nillable="true" for items of this type, as .NET writes it.
static bool is_nillable_in_lists(const CppType& type) {
  if (type.kind == CppType::Kind::declared) return type.declared->kind == Declaration::Kind::record;
  return type.plain == "std::string" || type.plain == "soapsvc::binary" ||
         type.plain == "soapsvc::hex_binary";
}

/// The name that the description gives the type of a list.
static std::string list_name(const Row& item) {
  std::string name = item.name.local;
  if (name.front() >= 'a' && name.front() <= 'z') name.front() -= 'a' - 'A';
  return "ArrayOf" + name;
}

/// Whether a type is what a `wrapped_list` is described as: ArrayOfX with any number of X.
static bool is_list_type(const Declaration& type, const std::string& ns) {
  if (!is_wrapper(type)) return false;
  const Row& item = type.rows.front();
  if (item.name.local != item.of->name.local || item.type.kind == CppType::Kind::list ||
      item.type.kind == CppType::Kind::of_union ||
      (item.type.plain == "std::string" && item.name.local != "string"))
    return false;
  // .NET's namespace of arrays has names without a capital: ArrayOfstring.
  const bool is_named =
      type.xml.local == list_name(item) || type.xml.local == "ArrayOf" + item.name.local;
  // In another namespace than the service's, the row says whether items are nillable.
  return is_named && (item.is_nillable || type.xml.ns != ns || !is_nillable_in_lists(item.type));
}

/// Whether a row can be a `wrapped_list` of its type: a field that is there once at most.
static bool can_wrap(const Row& row) {
  return row.kind == Row::Kind::field && row.type.kind == CppType::Kind::declared &&
         row.holder != Holder::vector;
}

void wrap_lists(Tables& tables) {
  std::set<const Declaration*> lists, others;
  std::map<QName, const Declaration*> described;
  for (const Declaration& each : tables.declarations)
    if (!each.xml.local.empty()) described.emplace(each.xml, &each);
  // The description of a list with a namespace of its own needs that of its items.
  const std::set<const Declaration*> loops = recursive(tables);
  for (const Declaration& each : tables.declarations)
    if (is_list_type(each, tables.common_ns) &&
        (each.xml.ns == tables.common_ns || !loops.contains(&each)) &&
        described.emplace(QName{each.xml.ns, list_name(each.rows.front())}, &each).first->second ==
            &each)
      lists.insert(&each);
  const auto use = [&](const std::vector<Declaration*>& used) {
    others.insert(used.begin(), used.end());
  };
  for (const Class& each : tables.classes)
    for (const Method& method : each.methods)
      use(method.needs());
  for (const Declaration& each : tables.declarations) {
    if (each.base) others.insert(each.base);
    use(each.extended_by);
    for (const Row& row : each.rows)
      if (!can_wrap(row)) use(row.needs());
  }
  for (Declaration& each : tables.declarations)
    for (Row& row : each.rows) {
      const Declaration* const list = row.type.declared;
      if (!can_wrap(row) || !lists.contains(list) || others.contains(list)) continue;
      row.around = Row::Around{row.holder != Holder::value, row.is_nillable};
      row.type = list->rows.front().type;
      row.is_nillable = list->rows.front().is_nillable;
      row.holder = Holder::vector;
      if (list->xml.ns != tables.common_ns)
        row.options.push_back(Option::text(Option::Kind::item_ns, list->xml.ns));
    }
}

}  // namespace importer
