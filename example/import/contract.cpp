#include "contract.hpp"

#include <map>
#include <set>

#include "checks.hpp"
#include "names.hpp"
#include "order.hpp"
#include "report.hpp"

namespace importer {

Contract::Contract(Library& library, const std::vector<std::string>& inputs, bool skips)
    : schemas(library), wsdl(library, schemas) {
  library.give(inputs);
  for (const std::string& each : inputs)
    wsdl.add(each);
  interfaces = wsdl.interfaces(skips);
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

/// True if the description of a list has nillable="true" for items of this type, as .NET writes it.
static bool is_nillable_in_lists(const CppType& type) {
  if (type.kind == CppType::Kind::declared) return type.declared->kind == Declaration::Kind::record;
  return type.plain == "std::string" || type.plain == "soapsvc::binary" ||
         type.plain == "soapsvc::hex_binary";
}

/// The name of a list's type in the description. In the service's namespace it begins with a
/// capital.
static std::string list_name(std::string item, bool is_elsewhere) {
  if (!is_elsewhere && item.front() >= 'a' && item.front() <= 'z') item.front() -= 'a' - 'A';
  return "ArrayOf" + item;
}

/// True if a `wrapped_list` has the same description as a type: ArrayOfX with any number of X.
static bool is_list_type(const Declaration& type, const std::string& ns) {
  if (!is_wrapper(type)) return false;
  const Row& item = type.rows.front();
  const bool is_elsewhere = type.xml.ns != ns;
  if (type.xml.local != list_name(item.name.local, is_elsewhere) ||
      item.name.local != item.of->name.local || item.type.kind == CppType::Kind::list ||
      item.type.kind == CppType::Kind::of_union ||
      (item.type.plain == "std::string" && item.name.local != "string"))
    return false;
  // In another namespace than the service's, the row says whether items are nillable.
  return item.is_nillable || is_elsewhere || !is_nillable_in_lists(item.type);
}

/// True if a row can be a `wrapped_list` or a `map` of its type: a field that occurs at most once.
static bool can_wrap(const Row& row) {
  return row.kind == Row::Kind::field && row.type.kind == CppType::Kind::declared &&
         row.holder != Holder::vector;
}

/// The types whose rows can become lists and maps, judged by these types alone. Descriptions name
/// the types of lists after their items, and no other type may have such a name.
static std::set<const Declaration*> list_types(Tables& tables) {
  std::map<QName, const Declaration*> described;
  for (const Declaration& each : tables.declarations)
    if (!each.xml.local.empty()) described.emplace(each.xml, &each);
  const auto may_have = [&](const QName& name, const Declaration* type) {
    return described.emplace(name, type).first->second == type;
  };
  std::set<const Declaration*> all;
  for (const Declaration& each : tables.declarations) {
    const bool is_map = is_dictionary(each);
    const bool is_list = !is_map && is_list_type(each, tables.common_ns);
    if (!is_map && !is_list) continue;
    const Row& item = each.rows.front();
    const std::string name = list_name(item.name.local, each.xml.ns != tables.common_ns);
    if (may_have({each.xml.ns, name}, &each) &&
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
  std::set<const Declaration*> others;
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
      wrap(row, *list, tables.common_ns);
    }
}

std::vector<std::string> map_notes(
    const Tables& tables, const std::set<const Declaration*>& written) {
  std::vector<std::string> notes;
  std::set<const Type*> known;
  for (const Declaration& each : tables.declarations)
    for (const Row& row : each.rows) {
      if (!written.contains(&each) || !row.around || row.around->names.empty() ||
          !known.insert(row.of).second)
        continue;
      const std::string name = list_name(
          row.around->names.front(), find_option(row.options, Option::Kind::item_ns) != nullptr);
      std::string note = row.of->at.text() + ": the dictionary " + row.of->name.local +
                         " becomes a std::map: a nil key and a key that occurs twice are refused, "
                         "and entries are sent in the order of their keys";
      if (row.of->name.local != name)
        note += "; its type becomes " + name + ", which alone xsi:type may name";
      notes.push_back(std::move(note));
    }
  return notes;
}

}  // namespace importer
