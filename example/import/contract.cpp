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

/// Whether a row can be a `wrapped_list` or a `map` of its type: a field that is there once at most.
static bool can_wrap(const Row& row) {
  return row.kind == Row::Kind::field && row.type.kind == CppType::Kind::declared &&
         row.holder != Holder::vector;
}

/// The types that rows can be lists and maps of, as far as these types alone say it. Descriptions
/// name the types of lists after their items, and no other type may have such a name.
static std::set<const Declaration*> list_types(Tables& tables) {
  std::map<QName, const Declaration*> described;
  for (const Declaration& each : tables.declarations)
    if (!each.xml.local.empty()) described.emplace(each.xml, &each);
  const auto may_have = [&](const QName& name, const Declaration* type) {
    return described.emplace(name, type).first->second == type;
  };
  // The library cannot describe a list with a namespace of its own that contains itself.
  const std::set<const Declaration*> loops = recursive(tables);
  std::set<const Declaration*> all;
  for (const Declaration& each : tables.declarations) {
    const bool is_map = is_dictionary(each);
    const bool is_list = !is_map && is_list_type(each, tables.common_ns) &&
                         (each.xml.ns == tables.common_ns || !loops.contains(&each));
    if (!is_map && !is_list) continue;
    const Row& item = each.rows.front();
    if (may_have({each.xml.ns, list_name(item)}, &each) &&
        (is_list || may_have(item.name, item.type.declared)))
      all.insert(&each);
  }
  return all;
}

/// Makes a row a `wrapped_list` or a `map` of its type.
static void wrap(Row& row, const Declaration& list, const std::string& ns) {
  const Row* item = &list.rows.front();
  row.around = Row::Around{row.holder != Holder::value, row.is_nillable, {}, {}};
  if (is_dictionary(list)) {
    const std::vector<Row>& entry = item->type.declared->rows;
    row.around->names = {item->name.local, entry[0].name.local, entry[1].name.local};
    row.around->key = entry[0].type;
    item = &entry[1];
  }
  row.type = item->type;
  row.is_nillable = item->is_nillable;
  row.holder = Holder::vector;
  if (list.xml.ns != ns) row.options.push_back(Option::text(Option::Kind::item_ns, list.xml.ns));
}

void wrap_lists(Tables& tables) {
  const std::set<const Declaration*> lists = list_types(tables);
  std::set<const Declaration*> others, maps;
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
    // A value of a map is no row.
    if (is_dictionary(each)) use(each.rows.front().type.declared->rows[1].needs());
  }
  for (Declaration& each : tables.declarations)
    for (Row& row : each.rows) {
      const Declaration* const list = row.type.declared;
      if (!can_wrap(row) || !lists.contains(list) || others.contains(list)) continue;
      if (is_dictionary(*list) && maps.insert(list).second)
        tables.notes.push_back(
            list->at.text() + ": the dictionary " + list->xml.local +
            " becomes a std::map: a nil key and a key that occurs twice are refused, and entries "
            "are sent in the order of their keys");
      wrap(row, *list, tables.common_ns);
    }
}

}  // namespace importer
