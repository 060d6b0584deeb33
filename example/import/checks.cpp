#include "checks.hpp"

#include <deque>
#include <map>
#include <set>

#include "reader.hpp"

namespace importer {

namespace {

namespace detail = soapsvc::detail;

/// The texts of enumerations, which many rows may share.
using EnumTexts = std::map<const Declaration*, std::shared_ptr<const std::vector<std::string>>>;

std::shared_ptr<const std::vector<std::string>> texts_of(
    const Declaration& enumeration, EnumTexts& texts) {
  auto& known = texts[&enumeration];
  if (known) return known;
  std::vector<std::string> values;
  for (const EnumValue& each : enumeration.values)
    values.push_back(each.text);
  return known = std::make_shared<const std::vector<std::string>>(std::move(values));
}

CheckedType checked_type(const CppType& type, EnumTexts& texts) {
  CheckedType made;
  if (type.kind == CppType::Kind::plain) {
    made.kind = kind_of_plain(type.plain);
  } else if (type.kind == CppType::Kind::declared || type.kind == CppType::Kind::derived) {
    const bool is_enumeration = type.declared->kind == Declaration::Kind::enumeration;
    made.kind = is_enumeration                        ? detail::type_kind::enumeration
                : type.kind == CppType::Kind::derived ? detail::type_kind::polymorphic
                                                      : detail::type_kind::record;
    made.key = std::to_string(reinterpret_cast<std::uintptr_t>(type.declared));
    if (is_enumeration) made.values = texts_of(*type.declared, texts);
  } else {
    made.kind =
        type.kind == CppType::Kind::list ? detail::type_kind::list : detail::type_kind::choice_of;
    made.key = type.kind == CppType::Kind::list ? "list" : "union";
    for (const CppType& each : type.parts) {
      made.parts.push_back(checked_type(each, texts));
      made.key +=
          ' ' + std::to_string(static_cast<int>(made.parts.back().kind)) + made.parts.back().key;
    }
  }
  return made;
}

void add_option(std::vector<detail::row_extra>& to, const Option& said, bool of_type) {
  const auto add = [&](Option::Kind kind, std::uint64_t number, std::string_view text) {
    to.push_back({kind, of_type, 0, number, text});
  };
  switch (said.kind) {
  case Option::Kind::builtin:
    for (detail::row_extra each : extras_of_builtin(said.texts.front())) {
      each.of_type = each.of_type || of_type;
      to.push_back(each);
    }
    return;
  case Option::Kind::least:
    add(Option::Kind::least, said.number, {});
    if (said.most != unbounded) add(Option::Kind::most, said.most, {});
    return;
  case Option::Kind::unqualified: return add(said.kind, 0, "");
  case Option::Kind::process: return add(said.kind, 0, "skip");
  default:
    if (said.texts.empty()) add(said.kind, said.number, {});
    for (const std::string& each : said.texts)
      add(said.kind, said.number, each);
  }
}

/// Adds the facets of a row's type and those of the row itself.
void add_facets(std::vector<detail::row_extra>& to, const Row& from) {
  if (from.simple) {
    const QName& name = from.simple->xml;
    to.push_back(
        {Option::Kind::type_name, true, 0, 0, name.local.empty() ? from.simple->wish : name.local});
    for (const Option& each : from.simple->facets)
      add_option(to, each, true);
  }
  for (const Option& each : from.facets)
    add_option(to, each, false);
}

/// Tables with the tables of their groups and bases. They live as long as this object.
class CheckedTables {
public:
  explicit CheckedTables(EnumTexts& texts) : texts_(texts) {}

  const CheckedTable& of(const Declaration& from) {
    CheckedTable& made = tables_.emplace_back();
    made.name = from.xml.local.empty() ? from.wish : from.xml.local;
    if (!from.is_message && !from.owner) made.options.ns = from.xml.ns;
    made.options.unqualified = from.is_unqualified;
    made.options.all = from.is_all;
    made.options.choice = from.kind == Declaration::Kind::choice;
    if (from.base) {
      CheckedRow& row = made.rows.emplace_back();
      row.kind = detail::row_kind::base;
      row.part = &of(*from.base);
    }
    for (const Row& each : from.rows)
      add(made.rows.emplace_back(), each);
    return made;
  }

private:
  void add(CheckedRow& row, const Row& from) {
    static const std::map<Row::Kind, detail::row_kind> kinds{
        {Row::Kind::field, detail::row_kind::element},
        {Row::Kind::attribute, detail::row_kind::attribute},
        {Row::Kind::content, detail::row_kind::content},
        {Row::Kind::group, detail::row_kind::group},
        {Row::Kind::any, detail::row_kind::any},
        {Row::Kind::any_attribute, detail::row_kind::any_attribute}};
    row.kind = kinds.at(from.kind);
    row.name = from.name.local;
    row.is_nillable = from.is_nillable;
    row.occurs = from.holder == Holder::value    ? detail::occurrence::once
                 : from.holder == Holder::vector ? detail::occurrence::many
                                                 : detail::occurrence::optional;
    if (from.kind == Row::Kind::group)
      row.part = &of(*from.type.declared);
    else
      row.type = checked_type(from.type, texts_);
    add_facets(row.extras, from);
    for (const Option& each : from.options)
      add_option(row.extras, each, false);
  }

  EnumTexts& texts_;
  std::deque<CheckedTable> tables_;
};

/// The end of a message about rows: the element that stands beside the head of its substitution
/// group. Empty: none.
std::string group_beside_member(const Declaration& of) {
  std::set<QName> elements;
  for (const Row& each : of.rows)
    if (each.kind == Row::Kind::field) elements.insert(each.name);
  for (const Row& group : of.rows) {
    const Declaration* const part = group.kind == Row::Kind::group ? group.type.declared : nullptr;
    if (!part || !part->head) continue;
    for (const Row& member : part->rows)
      if (elements.contains(member.name))
        return "; the element " + shown(member.name) + " stands beside " + shown(*part->head) +
               ", in whose place it may stand as well (XML Schema part 1, 3.3.2: substitution "
               "group)";
  }
  return {};
}

}  // namespace

void check_tables(Tables& tables) {
  EnumTexts texts;
  for (Declaration& each : tables.declarations) {
    if (each.problem || each.owner || each.kind != Declaration::Kind::record) continue;
    bool is_whole = true;
    for (const Declaration* base = each.base; base; base = base->base)
      is_whole = is_whole && !base->problem;
    if (!is_whole) continue;
    const std::string why = table_problem(CheckedTables(texts).of(each));
    if (!why.empty())
      each.problem =
          Problem{each.at.text(), "its table would be refused: " + why + group_beside_member(each)};
  }
}

bool contradict(const CppType& type, const Option& above, bool is_of_type, const Option& own) {
  EnumTexts texts;
  CheckedTable table;
  CheckedRow& row = table.rows.emplace_back();
  row.kind = detail::row_kind::element;
  row.name = "value";
  row.type = checked_type(type, texts);
  row.occurs = detail::occurrence::once;
  add_option(row.extras, above, is_of_type);
  add_option(row.extras, own, false);
  return !table_problem(table).empty();
}

bool allows(const Row& row, const std::string& text) {
  if (!row.simple && row.facets.empty()) return true;
  EnumTexts texts;
  CheckedRow checked;
  checked.kind = detail::row_kind::element;
  checked.name = "value";
  checked.type = checked_type(row.type, texts);
  checked.occurs = detail::occurrence::once;
  add_facets(checked.extras, row);
  return row_allows(std::move(checked), text);
}

}  // namespace importer
