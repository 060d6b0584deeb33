#include "simple_types.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>

#include "checks.hpp"
#include "names.hpp"
#include "ranges.hpp"

namespace importer {

namespace {

/// A built-in type: its C++ type, and the option that names it.
struct BuiltIn {
  std::string_view name;
  const char* cpp;
  const char* option = "";
};
constexpr BuiltIn built_ins[] = {
    {"string", "std::string"},
    {"boolean", "bool"},
    {"byte", "std::int8_t"},
    {"short", "std::int16_t"},
    {"int", "std::int32_t"},
    {"long", "std::int64_t"},
    {"unsignedByte", "std::uint8_t"},
    {"unsignedShort", "std::uint16_t"},
    {"unsignedInt", "std::uint32_t"},
    {"unsignedLong", "std::uint64_t"},
    {"float", "float"},
    {"double", "double"},
    {"decimal", "soapsvc::decimal"},
    {"integer", "soapsvc::integer"},
    {"nonNegativeInteger", "soapsvc::integer", "xs::non_negative_integer"},
    {"positiveInteger", "soapsvc::integer", "xs::positive_integer"},
    {"nonPositiveInteger", "soapsvc::integer", "xs::non_positive_integer"},
    {"negativeInteger", "soapsvc::integer", "xs::negative_integer"},
    {"date", "soapsvc::date"},
    {"dateTime", "soapsvc::date_time"},
    {"time", "soapsvc::time"},
    {"duration", "soapsvc::duration"},
    {"gYear", "soapsvc::g_year"},
    {"gYearMonth", "soapsvc::g_year_month"},
    {"gMonth", "soapsvc::g_month"},
    {"gMonthDay", "soapsvc::g_month_day"},
    {"gDay", "soapsvc::g_day"},
    {"base64Binary", "soapsvc::binary"},
    {"hexBinary", "soapsvc::hex_binary"},
    {"QName", "soapsvc::qualified_name"},
    {"normalizedString", "std::string", "xs::normalized_string"},
    {"token", "std::string", "xs::token"},
    {"language", "std::string", "xs::language"},
    {"Name", "std::string", "xs::name"},
    {"NCName", "std::string", "xs::ncname"},
    {"NMTOKEN", "std::string", "xs::nmtoken"},
    {"ID", "std::string", "xs::id"},
    {"IDREF", "std::string", "xs::idref"},
    {"ENTITY", "std::string", "xs::entity"},
    {"anyURI", "std::string", "xs::any_uri"},
    {"anySimpleType", "std::string"},
};

const BuiltIn* find_built_in(std::string_view name) {
  const auto known =
      std::find_if(std::begin(built_ins), std::end(built_ins), [&](const BuiltIn& each) {
        return each.name == name;
      });
  return known == std::end(built_ins) ? nullptr : known;
}

std::string pattern_escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (std::string_view(R"(\|.?*+(){}[]-^)").find(c) != std::string_view::npos) made += '\\';
    made += c;
  }
  return made;
}

/// Facets in the order in which they are written.
constexpr std::pair<std::string_view, Option::Kind> counts[] = {
    {"length", Option::Kind::length},
    {"minLength", Option::Kind::min_length},
    {"maxLength", Option::Kind::max_length},
    {"totalDigits", Option::Kind::total_digits},
    {"fractionDigits", Option::Kind::fraction_digits}};
constexpr std::pair<std::string_view, Option::Kind> bounds[] = {
    {"minInclusive", Option::Kind::min_inclusive},
    {"maxInclusive", Option::Kind::max_inclusive},
    {"minExclusive", Option::Kind::min_exclusive},
    {"maxExclusive", Option::Kind::max_exclusive}};

/// The XML Schema type of a C++ type, for messages.
std::string shown_type(const CppType& type) {
  if (type.kind == CppType::Kind::list) return "a list";
  if (type.kind == CppType::Kind::of_union) return "a union";
  for (const BuiltIn& each : built_ins)
    if (each.cpp == type.plain) return "xs:" + std::string(each.name);
  return "an enumeration";
}

}  // namespace

std::string literal(std::string_view text) {
  if (text.size() > most_literal)
    throw Failure(
        Failure::unreadable,
        "a text has " + std::to_string(text.size()) + " bytes, and a literal of C++ at most " +
            std::to_string(most_literal) + ": '" + std::string(text.substr(0, 64)) + " ...'");
  std::string made = "\"";
  for (std::size_t at = 0; at != text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\\')
      made.append("\\") += c;
    else if (c == '\n')
      made += "\\n";
    else if (c == '\t')
      made += "\\t";
    else if (c == '\r')
      made += "\\r";
    else if (c == '?' && at != 0 && text[at - 1] == '?')
      made += "\\?";  // prevents a trigraph
    else if (const auto hidden = bidi_control(text.substr(at)); hidden.length != 0) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(hidden.value));
      made += code;
      at += hidden.length - 1;
    } else
      made += c;
  }
  return made + '"';
}

Option Option::name(Kind kind, const QName& name, bool elsewhere) {
  Option made{kind, {name.local}};
  if (elsewhere) made.texts.push_back(name.ns);
  return made;
}

/// How an option is written: its name alone, with texts, with a number, or with a name.
enum class CodeForm { word, call, counted, named };

struct OptionCode {
  Option::Kind kind;
  CodeForm form;
  const char* name;
};

static constexpr OptionCode codes[] = {
    {Option::Kind::least, CodeForm::counted, "occurs"},
    {Option::Kind::ns, CodeForm::call, "ns"},
    {Option::Kind::item_ns, CodeForm::call, "item_ns"},
    {Option::Kind::default_value, CodeForm::call, "default_value"},
    {Option::Kind::fixed, CodeForm::call, "fixed"},
    {Option::Kind::length, CodeForm::counted, "length"},
    {Option::Kind::min_length, CodeForm::counted, "min_length"},
    {Option::Kind::max_length, CodeForm::counted, "max_length"},
    {Option::Kind::total_digits, CodeForm::counted, "total_digits"},
    {Option::Kind::fraction_digits, CodeForm::counted, "fraction_digits"},
    {Option::Kind::min_inclusive, CodeForm::call, "min_inclusive"},
    {Option::Kind::max_inclusive, CodeForm::call, "max_inclusive"},
    {Option::Kind::min_exclusive, CodeForm::call, "min_exclusive"},
    {Option::Kind::max_exclusive, CodeForm::call, "max_exclusive"},
    {Option::Kind::pattern, CodeForm::call, "pattern"},
    {Option::Kind::enumerated, CodeForm::call, "enumerated"},
    {Option::Kind::request, CodeForm::named, "request"},
    {Option::Kind::response, CodeForm::named, "response"},
    {Option::Kind::result, CodeForm::named, "result"},
    {Option::Kind::action, CodeForm::call, "action"},
    {Option::Kind::unqualified, CodeForm::word, "unqualified"},
    {Option::Kind::process, CodeForm::word, "skip"},
    {Option::Kind::one_way, CodeForm::word, "one_way"},
    {Option::Kind::empty_request, CodeForm::word, "empty_request"},
    {Option::Kind::empty_response, CodeForm::word, "empty_response"},
    {Option::Kind::bare, CodeForm::word, "bare"},
    {Option::Kind::rpc, CodeForm::word, "rpc"}};

std::string Option::code() const {
  const auto call = [&](const char* name) {
    std::string all;
    for (const std::string& each : texts)
      all.append(all.empty() ? "" : ", ").append(literal(each));
    return name + ('(' + all) + ')';
  };
  const auto counted = [&](const char* name) {
    return name + ('(' + std::to_string(number)) + ')';
  };
  const auto named = [&](const char* name) {
    std::string all = name + ('(' + literal(texts.front()));
    if (texts.size() > 1)
      all += texts[1].empty() ? ", unqualified" : ", ns(" + literal(texts[1]) + ')';
    return all + ')';
  };
  const auto found = std::find_if(std::begin(codes), std::end(codes), [&](const OptionCode& each) {
    return each.kind == kind;
  });
  if (kind == Kind::builtin) return texts.front();
  if (kind == Kind::least && most != unbounded)
    return "occurs(" + std::to_string(number) + ", " + std::to_string(most) + ')';
  if (found == std::end(codes)) return {};
  switch (found->form) {
  case CodeForm::word: return found->name;
  case CodeForm::counted: return counted(found->name);
  case CodeForm::named: return named(found->name);
  case CodeForm::call: return call(found->name);
  }
  return {};
}

std::string value_problem(const CppType& type, const std::string& text) {
  if (type.plain == "soapsvc::qualified_name")
    return "a table cannot have the qualified name '" + text +
           "' as a default or fixed value, since its prefix means nothing there";
  bool good = true;
  if (type.kind == CppType::Kind::plain)
    good = is_value_of(type.plain, text);
  else if (type.kind == CppType::Kind::declared)
    good = std::any_of(
        type.declared->values.begin(), type.declared->values.end(), [&](const EnumValue& each) {
          return each.text == text;
        });
  return good ? std::string()
              : "the default or fixed value '" + text + "' is not a value of the type";
}

std::string wish_of(const Type& type) {
  if (!type.name.local.empty()) return type.name.local;
  std::vector<const Type*> outer;
  for (const Type* at = &type; at && at->name.local.empty(); at = at->inside)
    outer.push_back(at);
  const Type* const last = outer.back()->inside;
  std::string name = last ? last->name.local : std::string();
  while (!outer.empty()) {
    name += name.empty() ? outer.back()->label : capitalised(outer.back()->label);
    outer.pop_back();
  }
  return name;
}

/// The first facet of this name in one step of restriction; null when there is none. A binary
/// search, since a step may list thousands of values.
static const Facet* first_facet(const Type& step, std::string_view name) {
  const auto at = std::lower_bound(
      step.facets.begin(), step.facets.end(), name, [](const Facet& each, std::string_view than) {
        return each.name < than;
      });
  return at == step.facets.end() || at->name != name ? nullptr : &*at;
}

/// The restrictions from a type up to a built-in type, a list or a union.
struct SimpleTypes::Steps {
  std::vector<const Type*> all;  ///< begins with the type itself
  const Type* root = nullptr;

  explicit Steps(const Type& type) {
    root = &type;
    while (root->kind == Type::Kind::simple && root->variety == Type::Variety::atomic &&
           root->base) {
      all.push_back(root);
      root = root->base;
    }
  }
  /// The first step with a facet.
  const Type* says(std::string_view facet) const {
    for (const Type* each : all)
      if (first_facet(*each, facet)) return each;
    return nullptr;
  }
  /// The steps that restrict this one.
  std::span<const Type* const> above(const Type& step) const {
    const auto at = std::find(all.begin(), all.end(), &step);
    return std::span(all).first(static_cast<std::size_t>(at - all.begin()));
  }
  std::size_t first_named(std::size_t from = 0) const {
    while (from != all.size() && all[from]->name.local.empty())
      ++from;
    return from;
  }
  /// The first named step. If it and a step below it have patterns, which both apply, the next
  /// named step.
  std::size_t first_named_pattern() const {
    const std::size_t first = first_named();
    std::vector<std::size_t> with;
    for (std::size_t at = 0; at != all.size(); ++at)
      if (first_facet(*all[at], "pattern")) with.push_back(at);
    if (with.size() != 2 || with.front() < first) return first;
    const std::size_t next = first_named(with.front() + 1);
    return next <= with.back() ? next : first;
  }
};

void SimpleTypes::fail(SimpleUse& made, const Place& at, const std::string& reason) {
  if (!made.problem) made.problem = Problem{at.text(), reason};
}

namespace {

/// Whether a text is the number of a facet, such as maxLength.
bool is_count(const std::string& text) {
  return !text.empty() && text.size() < 19 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

std::uint64_t count_of(const Facet& said) { return std::strtoull(said.value.c_str(), nullptr, 10); }

/// Checks whether a type can have a facet, and whether its value is allowed (XML Schema part 2,
/// 4.1.5 and 4.3).
std::string facet_problem(const Facet& said, const CppType& type) {
  const bool is_list = type.kind == CppType::Kind::list;
  const bool is_plain = type.kind == CppType::Kind::plain;
  const std::string& cpp = type.plain;
  const bool is_whole = cpp.ends_with("_t") || cpp == "soapsvc::integer";
  const bool is_listed = type.kind == CppType::Kind::declared;
  const bool has_length = is_list || is_listed || cpp == "std::string" || cpp.ends_with("binary");
  const bool has_count = said.name.ends_with("ength") || said.name.ends_with("Digits");
  const bool is_name = cpp == "soapsvc::qualified_name";
  bool applies = true;
  if (said.name.ends_with("ength")) applies = has_length;
  if (said.name.ends_with("Digits")) applies = is_whole || cpp == "soapsvc::decimal";
  if (said.name.ends_with("clusive"))
    applies = is_plain && !has_length && cpp != "bool" && !is_name;
  if (said.name == "pattern") applies = !is_name;
  if (!applies)
    return "the facet " + said.name + " does not apply to " + shown_type(type) +
           " (XML Schema part 2, 4.1.5)";
  if (said.name == "pattern") return pattern_problem(said.value).value_or("");
  const bool is_value = !is_plain || is_name || is_value_of(cpp, collapsed(said.value));
  const bool is_beyond = (said.name == "totalDigits" && count_of(said) == 0) ||
                         (said.name == "fractionDigits" && is_whole && count_of(said) != 0);
  const bool is_space =
      said.value == "preserve" || said.value == "replace" || said.value == "collapse";
  const bool good = has_count                   ? is_count(said.value) && !is_beyond
                    : said.name == "whiteSpace" ? is_space
                                                : is_value;
  return good ? std::string() : "'" + said.value + "' is not a value of the facet " + said.name;
}

/// True if a bound is greater than another, as values of the type.
bool exceeds(const Facet& one, const Facet& other, const CppType& type) {
  return contradict(
      type,
      Option::text(Option::Kind::min_inclusive, collapsed(one.value)),
      false,
      Option::text(Option::Kind::max_inclusive, collapsed(other.value)));
}

/// The combined facets of some steps of restriction, as options.
class FacetOptions {
public:
  FacetOptions(
      std::span<const Type* const> steps, const CppType& type, std::optional<Problem>& problem)
      : steps_(steps), type_(type), problem_(problem) {}

  std::vector<Option> make() {
    for (const Type* each : steps_)
      for (const Facet& said : each->facets)
        if (const std::string wrong = facet_problem(said, type_); !wrong.empty()) fail(said, wrong);
    add_patterns();
    for (const auto& [facet, kind] : counts)
      if (const Facet* said = value(facet); said && !is_replaced(*said))
        options_.push_back(Option::count(kind, count_of(*said)));
    for (const auto& [facet, kind] : bounds)
      if (const Facet* said = value(facet); said && !is_tightened(*said))
        options_.push_back(Option::text(kind, collapsed(said->value)));
    add_values();
    return std::move(options_);
  }

private:
  void fail(const Facet& at, const std::string& reason) {
    if (!problem_) problem_ = Problem{at.at.text(), reason};
  }
  /// The facet of the nearest step that has it.
  const Facet* value(std::string_view facet) const {
    for (const Type* each : steps_)
      if (const Facet* const said = first_facet(*each, facet)) return said;
    return nullptr;
  }
  /// True if a `length` in a step above replaces a minLength or maxLength (XML Schema part 2,
  /// 4.3.1.4). A step may repeat the same number.
  bool is_replaced(const Facet& said) const {
    bool is_below = false;
    for (const Type* each : steps_) {
      const Facet* const same = is_below ? first_facet(*each, said.name) : nullptr;
      if (same && count_of(*same) == count_of(said)) return said.name != "length";
      is_below = is_below || first_facet(*each, "length");
    }
    return false;
  }
  /// True if another step has the tighter bound on this side: the nearest bound, or an exclusive
  /// bound of the same value.
  bool is_tightened(const Facet& said) const {
    const bool is_exclusive = said.name.ends_with("Exclusive");
    const std::string other = said.name.substr(0, 3) + (is_exclusive ? "Inclusive" : "Exclusive");
    bool is_below = false;
    for (const Type* each : steps_) {
      const Facet* const own = first_facet(*each, said.name);
      const Facet* const rival = first_facet(*each, other);
      if (own && rival) return false;  // refused elsewhere
      if (own == &said) is_below = true;
      if (!rival) continue;
      const bool same = !exceeds(*rival, said, type_) && !exceeds(said, *rival, type_);
      return is_below ? same && !is_exclusive : !same || !is_exclusive;
    }
    return false;
  }
  void add_patterns() {
    const Type* with_patterns = nullptr;
    for (const Type* each : steps_)
      for (const Facet& said : each->facets) {
        if (said.name != "pattern") continue;
        if (with_patterns && with_patterns != each)
          fail(
              said,
              "two steps of restriction have patterns; a table can have the patterns of "
              "one step");
        with_patterns = each;
        options_.push_back(Option::text(Option::Kind::pattern, said.value));
      }
  }
  /// The value in a table. For a qualified name, its namespace, because prefixes have no meaning
  /// there.
  std::string value_text(const Facet& said) {
    if (type_.plain == "std::string") return said.value;
    const std::string text = collapsed(said.value);
    if (type_.plain != "soapsvc::qualified_name") return text;
    try {
      return shown(name_of(said.at, text));
    } catch (const Broken& broken) {
      fail(said, broken.problem.reason);
      return text;
    }
  }
  void add_values() {
    for (const Type* each : steps_) {
      Option made{Option::Kind::enumerated};
      for (const Facet& said : each->facets)
        if (said.name == "enumeration") made.texts.push_back(value_text(said));
      if (made.texts.empty()) continue;
      // XML Schema allows no enumeration of booleans (part 2, 3.2.2.3), but other tools accept it.
      if (type_.plain == "bool") return add_booleans(made.texts);
      return options_.push_back(std::move(made));
    }
  }
  void add_booleans(const std::vector<std::string>& texts) {
    for (const std::string& each : texts)
      options_.push_back(Option::text(
          Option::Kind::pattern, each == "true" || each == "1" ? "true|1" : "false|0"));
  }

  std::span<const Type* const> steps_;
  const CppType& type_;
  std::optional<Problem>& problem_;
  std::vector<Option> options_;
};

std::vector<Option> options_of(
    std::span<const Type* const> steps, const CppType& type, std::optional<Problem>& problem) {
  return FacetOptions(steps, type, problem).make();
}

bool is_pattern(const Option& each) { return each.kind == Option::Kind::pattern; }

bool has_pattern(const std::vector<Option>& options) {
  return std::any_of(options.begin(), options.end(), is_pattern);
}

void append(std::vector<Option>& to, std::vector<Option> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

/// Facets that must be consistent, in one step or in two (XML Schema part 2, 4.3.1.4 to 4.3.12.4).
struct Rivals {
  Option::Kind one, other;
  const char* clause;
};
constexpr Rivals rivals[] = {
    {Option::Kind::length, Option::Kind::length, "4.3.1.4"},
    {Option::Kind::length, Option::Kind::min_length, "4.3.1.4"},
    {Option::Kind::length, Option::Kind::max_length, "4.3.1.4"},
    {Option::Kind::min_length, Option::Kind::min_length, "4.3.2.4"},
    {Option::Kind::min_length, Option::Kind::max_length, "4.3.2.4"},
    {Option::Kind::max_length, Option::Kind::max_length, "4.3.3.4"},
    {Option::Kind::max_inclusive, Option::Kind::max_inclusive, "4.3.7.4"},
    {Option::Kind::max_inclusive, Option::Kind::min_inclusive, "4.3.7.4"},
    {Option::Kind::max_inclusive, Option::Kind::max_exclusive, "4.3.7.4"},
    {Option::Kind::max_exclusive, Option::Kind::max_exclusive, "4.3.8.4"},
    {Option::Kind::max_exclusive, Option::Kind::min_exclusive, "4.3.8.4"},
    {Option::Kind::min_exclusive, Option::Kind::min_exclusive, "4.3.9.4"},
    {Option::Kind::min_exclusive, Option::Kind::max_inclusive, "4.3.9.4"},
    {Option::Kind::min_inclusive, Option::Kind::min_inclusive, "4.3.10.4"},
    {Option::Kind::min_inclusive, Option::Kind::max_exclusive, "4.3.10.4"},
    {Option::Kind::min_inclusive, Option::Kind::min_exclusive, "4.3.10.4"},
    {Option::Kind::total_digits, Option::Kind::total_digits, "4.3.11.4"},
    {Option::Kind::fraction_digits, Option::Kind::fraction_digits, "4.3.12.4"},
    {Option::Kind::fraction_digits, Option::Kind::total_digits, "4.3.12.4"}};

std::string_view facet_name(Option::Kind kind) {
  const auto is_it = [&](const auto& name) { return name.second == kind; };
  const auto* name = std::find_if(std::begin(counts), std::end(counts), is_it);
  if (name == std::end(counts)) name = std::find_if(std::begin(bounds), std::end(bounds), is_it);
  return name->first;
}

/// The facet from which an option was made.
const Facet* facet_of(const SimpleTypes::Steps& steps, const Option& made) {
  const auto says = [&](const Facet& each) {
    return made.texts.empty() ? std::strtoull(each.value.c_str(), nullptr, 10) == made.number
                              : collapsed(each.value) == made.texts.front();
  };
  const std::string_view name = facet_name(made.kind);
  for (const Type* each : steps.all)
    if (const Facet* const said = first_facet(*each, name); said && says(*said)) return said;
  return nullptr;
}

Problem contradiction(const Facet& one, const Facet& other, const char* clause) {
  return {
      one.at.text(),
      one.name + ' ' + one.value + " contradicts " + other.name + ' ' + other.value + " at " +
          other.at.text() + " (XML Schema part 2, " + clause + "); correct one of them"};
}

/// True if a facet allows values that the facet of a base forbids. `refuse_contradictions` handles
/// facets that a table would refuse together.
bool widens(const Facet& own, const Facet& base, const CppType& type) {
  const bool is_min = base.name.starts_with("min");
  if (base.name.ends_with("clusive")) {
    if (!own.name.ends_with("clusive") || own.name.starts_with("min") != is_min) return false;
    return is_min ? exceeds(base, own, type) : exceeds(own, base, type);
  }
  if (own.name != base.name && (own.name != "length" || !base.name.ends_with("Length")))
    return false;
  if (base.name == "length") return count_of(own) != count_of(base);
  return is_min ? count_of(own) < count_of(base) : count_of(own) > count_of(base);
}

/// Reports facets that a program would refuse at start-up, at their places.
void refuse_contradictions(const Type& type, SimpleUse& made) {
  std::vector<std::pair<const Option*, bool>> all;  // and whether the named type has it
  const auto add = [&](const std::vector<Option>& from, bool of_type) {
    for (const Option& each : from)
      if (!is_pattern(each)) all.emplace_back(&each, of_type);  // a step may have several patterns
  };
  add(made.options, false);
  if (made.named) add(made.named->facets, true);
  const auto check = [&](const auto& own, const auto& above, const Rivals& pair) {
    const bool is_pair = own.first->kind == pair.one && above.first->kind == pair.other;
    const bool is_reversed = own.first->kind == pair.other && above.first->kind == pair.one;
    if (made.problem || own.first == above.first || !(is_pair || is_reversed)) return;
    if (!contradict(made.type, *above.first, above.second && !own.second, *own.first)) return;
    const SimpleTypes::Steps steps(type);
    const Facet* const one = facet_of(steps, *own.first);
    const Facet* const other = facet_of(steps, *above.first);
    if (!one || !other) return;
    made.problem = contradiction(*one, *other, pair.clause);
  };
  for (const Rivals& pair : rivals)
    for (const auto& own : all)
      for (const auto& above : all)
        if (above.second || !own.second) check(own, above, pair);
}

constexpr const char* no_form =
    "the items of a list, or the members of a union, have facets that no pattern can express";
constexpr const char* two_patterns =
    "two steps of restriction have patterns; a table can have the patterns of one step";

}  // namespace

const SimpleUse& SimpleTypes::use(const Type& type) {
  const auto known = known_.find(&type);
  if (known != known_.end()) return known->second;
  if (depth_ == 64) {
    static const CppType text{CppType::Kind::plain, "std::string", nullptr, {}};
    SimpleUse& made = known_[&type];
    made.type = text;
    fail(
        made,
        type.at,
        "the type " + wish_of(type) + " is made of itself, or of types more than 64 deep");
    made.problem->is_broken = true;
    return made;
  }
  ++depth_;
  SimpleUse made = make(type);
  --depth_;
  refuse_contradictions(type, made);
  if (!made.problem && made.type.kind != CppType::Kind::declared) check_steps(type, made);
  return known_.emplace(&type, std::move(made)).first->second;
}

/// Compares each step once with the steps below it. If they become one type, only the nearest facet
/// remains.
void SimpleTypes::check_steps(const Type& type, SimpleUse& made) {
  const Steps steps(type);
  for (std::size_t at = 0; at != steps.all.size(); ++at) {
    const auto [known, is_new] = step_problems_.try_emplace(steps.all[at]);
    if (is_new) known->second = check_step(std::span(steps.all).subspan(at), made.type);
    if (known->second && !made.problem) made.problem = known->second;
  }
}

/// A wider value of the same facet only gets a note, because messages work with it.
std::optional<Problem> SimpleTypes::check_step(
    std::span<const Type* const> steps, const CppType& type) {
  std::optional<Problem> made;
  for (const Rivals& pair : rivals)
    for (const auto& [kind, other] : {std::pair(pair.one, pair.other), {pair.other, pair.one}}) {
      const Facet* const own = first_facet(*steps.front(), facet_name(kind));
      if (!own || made) continue;
      const std::string_view rival = facet_name(other);
      const auto base = std::find_if(steps.begin() + 1, steps.end(), [&](const Type* each) {
        return first_facet(*each, rival);
      });
      if (base == steps.end()) continue;
      const Facet& below = *first_facet(**base, rival);
      if (!widens(*own, below, type)) continue;
      if (kind != other) {
        made = contradiction(*own, below, pair.clause);
        continue;
      }
      tables_.notes.push_back(
          own->at.text() + ": " + own->name + ' ' + own->value + " allows more than " + below.name +
          ' ' + below.value + " of its base at " + below.at.text() + " (XML Schema part 2, " +
          pair.clause + "); the table has " + own->value);
      break;
    }
  return made;
}

/// A simple type consists of simple types only (XML Schema part 1, 3.14.6).
void SimpleTypes::refuse_complex(const Type& part, const Place& at, SimpleUse& made) {
  if (made.problem || (part.kind != Type::Kind::complex && !is_any_type(part))) return;
  fail(
      made,
      at,
      "a simple type has the complex type " + shown(part.name) +
          " as its base, item or member (XML Schema part 1, 3.14.6)");
  made.problem->is_broken = true;
}

SimpleUse SimpleTypes::make(const Type& type) {
  const Steps steps(type);
  SimpleUse made;
  const Type& root = *steps.root;
  for (const Type* each : steps.all) {
    note_anchors(*each);
    if (each->problem && !made.problem) made.problem = each->problem;
  }
  if (root.problem && !made.problem) made.problem = root.problem;
  refuse_complex(root, steps.all.empty() ? type.at : steps.all.back()->at, made);
  if (made.problem) {
    made.type.plain = "std::string";
    return made;
  }
  if (root.kind == Type::Kind::simple && root.variety == Type::Variety::list) {
    make_list(root, made);
  } else if (root.kind == Type::Kind::simple) {
    make_union(root, made);
    const Type* const listing = steps.says("enumeration");
    if (listing && made.is_string && becomes_enumeration(*listing)) {
      made.is_string = false;
      made.type = {CppType::Kind::declared, {}, enumeration({}, *listing), {}};
      restrict_enumeration(steps, *listing, made);
      return made;
    }
  } else {
    return make_atomic(type, steps);
  }
  add_steps(type, steps, made);
  return made;
}

/// Adds a named or restricted list or union. The root has the forms of its members.
void SimpleTypes::add_steps(const Type& type, const Steps& steps, SimpleUse& made) {
  const Type& root = *steps.root;
  std::vector<const Type*> all = steps.all;
  if (!root.name.local.empty()) all.push_back(&root);
  std::size_t named = 0;
  while (named != all.size() && (made.is_string || all[named]->name.local.empty()))
    ++named;
  const std::span<const Type* const> span(all);
  std::vector<Option> forms = std::exchange(made.options, {});
  const bool is_forms = has_pattern(forms);
  if (is_forms && steps.says("pattern") && !root.name.local.empty()) {
    made.named = simple(root);  // its patterns and those of the restriction both apply
    if (made.named->facets.empty()) made.named->facets = std::move(forms);
    made.options = options_of(steps.all, made.type, made.problem);
    return;
  }
  if (named != all.size()) {
    made.named = simple(*all[named]);
    if (made.named->facets.empty()) {
      made.named->facets = std::exchange(forms, {});
      append(made.named->facets, options_of(span.subspan(named), made.type, made.named->problem));
      const auto& facets = made.named->facets;
      if (is_forms && std::count_if(facets.begin(), facets.end(), is_pattern) > 1)
        fail(made, type.at, two_patterns);
    }
    made.options = options_of(span.first(named), made.type, made.problem);
    return;
  }
  made.options = std::move(forms);
  append(made.options, options_of(span.first(named), made.type, made.problem));
  if (is_forms && std::count_if(made.options.begin(), made.options.end(), is_pattern) > 1)
    fail(made, type.at, two_patterns);
}

/// Notes ^ and $: an expression always matches the whole value (XML Schema part 2, F), while other
/// languages use ^ and $ for that.
void SimpleTypes::note_anchors(const Type& step) {
  if (!noted_.insert(&step).second) return;
  for (const Facet& each : step.facets) {
    if (each.name != "pattern") continue;
    const std::string& text = each.value;
    const bool ends = text.ends_with('$') && !text.ends_with("\\$");
    if (!text.starts_with('^') && !ends) continue;
    tables_.notes.push_back(
        each.at.text() + ": in the pattern '" + text + "' the character " +
        (text.starts_with('^') ? '^' : '$') +
        " is an ordinary character; a pattern of XML Schema always covers the whole value");
  }
}

/// The built-in types that are lists of words.
SimpleUse SimpleTypes::make_words(const Type& type, const Steps& steps) {
  SimpleUse made;
  made.type.kind = CppType::Kind::list;
  made.type.parts.push_back({CppType::Kind::plain, "std::string", nullptr, {}});
  tables_.notes.push_back(
      type.at.text() + ": xs:" + steps.root->name.local +
      " is a list of strings, whose items are not checked");
  if (!steps.says("minLength") && !steps.says("length"))
    made.options.push_back(Option::count(Option::Kind::min_length, 1));
  append(made.options, options_of(steps.all, made.type, made.problem));
  return made;
}

/// True if an enumeration can have the listed values of a step: unique texts without outer or
/// double spaces.
static bool lists_words(const Type& listing) {
  std::set<std::string_view> texts;
  return std::all_of(listing.facets.begin(), listing.facets.end(), [&](const Facet& each) {
    return each.name != "enumeration" ||
           (soapsvc::detail::is_collapsed_token(each.value) && texts.insert(each.value).second);
  });
}

/// The cached result of lists_words: many types may restrict one type with thousands of values.
bool SimpleTypes::becomes_enumeration(const Type& listing) {
  const auto [known, is_new] = lists_words_.try_emplace(&listing);
  if (is_new) known->second = lists_words(listing);
  return known->second;
}

/// The text of a facet's value; empty: no step has the facet.
static std::string said_by(const SimpleTypes::Steps& steps, std::string_view facet) {
  const Type* const says = steps.says(facet);
  return says ? collapsed(first_facet(*says, facet)->value) : std::string();
}

/// The number of characters or items.
struct Lengths {
  std::size_t least = 0;
  std::size_t most = no_limit;
};
/// nullopt when a length is no number.
static std::optional<Lengths> lengths_of(const SimpleTypes::Steps& steps) {
  Lengths made;
  for (const std::string_view facet : {"minLength", "maxLength", "length"}) {
    const std::string said = said_by(steps, facet);
    if (said.empty()) continue;
    if (!is_count(said)) return std::nullopt;
    const std::size_t count = std::strtoull(said.c_str(), nullptr, 10);
    if (facet != "maxLength") made.least = count;
    if (facet != "minLength") made.most = count;
  }
  return made;
}

/// Patterns restrict an enumeration. A C++ enumeration has no lengths; they are redundant if all
/// values have them.
void SimpleTypes::restrict_enumeration(const Steps& steps, const Type& listing, SimpleUse& made) {
  made.options = options_of(steps.above(listing), made.type, made.problem);
  const auto is_length = [](const Option& each) {
    return each.kind == Option::Kind::length || each.kind == Option::Kind::min_length ||
           each.kind == Option::Kind::max_length;
  };
  if (std::erase_if(made.options, is_length) == 0) return;
  const auto lengths = lengths_of(steps);
  if (!lengths) return;  // `options_of` reports it
  for (const Facet& each : listing.facets) {
    if (each.name != "enumeration") continue;
    const auto length = static_cast<std::size_t>(std::count_if(
        each.value.begin(), each.value.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    if (length < lengths->least || length > lengths->most)
      fail(
          made,
          steps.all.front()->at,
          "a length leaves out the value '" + each.value +
              "' of an enumeration, which a table cannot express");
  }
}

/// The option of a string with the white space of these steps (XML Schema part 2, 4.3.6).
static std::string with_space(const BuiltIn& root, std::span<const Type* const> steps) {
  if (root.name != "string" && root.name != "normalizedString") return root.option;
  for (const Type* each : steps)
    if (const Facet* const said = first_facet(*each, "whiteSpace")) {
      if (said->value == "preserve") break;
      return said->value == "collapse" ? "xs::token" : "xs::normalized_string";
    }
  return root.option;
}

/// The first step that is a named simple type. An anonymous step with other white space than its
/// base also counts; its base keeps its own.
static std::size_t first_with_name(const SimpleTypes::Steps& steps, const BuiltIn& root) {
  const std::span<const Type* const> all(steps.all);
  std::size_t named = steps.first_named_pattern();
  if (named != all.size() && with_space(root, all) != with_space(root, all.subspan(named)))
    for (named = 0; !first_facet(*all[named], "whiteSpace");)
      ++named;
  return named;
}

SimpleUse SimpleTypes::make_atomic(const Type& type, const Steps& steps) {
  SimpleUse made;
  const std::string& root = steps.root->name.local;
  if (root == "IDREFS" || root == "NMTOKENS" || root == "ENTITIES") return make_words(type, steps);
  const BuiltIn* const built_in = find_built_in(root);
  if (!built_in) {
    fail(made, type.at, "there is no C++ type for xs:" + root);
    return made;
  }
  if (root == "anySimpleType")
    tables_.notes.push_back(type.at.text() + ": xs:anySimpleType is described as a string");
  made.type.plain = built_in->cpp;
  made.is_string = made.type.plain == "std::string";
  const std::span<const Type* const> all(steps.all);
  const Type* const listing = steps.says("enumeration");
  if (listing && made.is_string && becomes_enumeration(*listing)) {
    made.is_string = false;
    // Steps above it do not change the type, which other rows may share.
    const auto from_listing = all.subspan(steps.above(*listing).size());
    const std::string option = with_space(*built_in, from_listing);
    made.type = {CppType::Kind::declared, {}, enumeration(option, *listing), {}};
    restrict_enumeration(steps, *listing, made);
    return made;
  }
  const std::size_t named = first_with_name(steps, *built_in);
  const std::string option = with_space(*built_in, all);
  if (named != all.size()) {
    made.named = simple(*all[named]);
    if (made.named->facets.empty()) {
      made.named->facets = options_of(all.subspan(named), made.type, made.named->problem);
      if (!option.empty())
        made.named->facets.insert(made.named->facets.begin(), Option::builtin(option));
    }
  } else if (!option.empty()) {
    made.options.push_back(Option::builtin(option));
  }
  append(made.options, options_of(all.first(named), made.type, made.problem));
  return made;
}

/// The enumeration of the step that lists the values, never of an anonymous step above it. `of`:
/// the option for the type that it restricts; empty for strings.
Declaration* SimpleTypes::enumeration(const std::string& of, const Type& says) {
  Declaration*& slot = declared_[&says];
  if (slot) return slot;
  slot = &tables_.declarations.emplace_back();
  slot->kind = Declaration::Kind::enumeration;
  if (!of.empty()) slot->facets.push_back(Option::builtin(of));
  slot->xml = says.name;
  slot->wish = wish_of(says);
  slot->doc = says.doc;
  slot->at = says.at;
  const auto is_base = [&](const BuiltIn& each) { return each.option == of; };
  for (const Facet& each : says.facets) {
    if (each.name != "enumeration") continue;
    slot->values.push_back({each.value, {}, each.doc});
    if (slot->problem || has_form(of, each.value)) continue;
    const BuiltIn& base = *std::find_if(std::begin(built_ins), std::end(built_ins), is_base);
    slot->problem = Problem{
        each.at.text(),
        '\'' + each.value + "' is not a value of xs:" + std::string(base.name) +
            ", the base of the enumeration (XML Schema part 2, 4.3.5.4)",
        true};
  }
  return slot;
}

Declaration* SimpleTypes::simple(const Type& type) {
  Declaration*& slot = declared_[&type];
  if (slot) return slot;
  slot = &tables_.declarations.emplace_back();
  slot->kind = Declaration::Kind::simple;
  slot->xml = type.name;
  slot->wish = wish_of(type);
  slot->doc = type.doc;
  slot->at = type.at;
  return slot;
}

SimpleUse SimpleTypes::use_named(const Type& type, const Type& inside) {
  SimpleUse made = use(type);
  const bool has_parts =
      made.type.kind == CppType::Kind::list || made.type.kind == CppType::Kind::of_union;
  const bool is_one_form =
      made.options.size() == 1 && made.options[0].kind == Option::Kind::builtin;
  if ((made.options.empty() || is_one_form) && (!has_parts || made.named)) return made;
  // The facets of the row and of its named type get a name together.
  std::vector<Option> facets = made.named ? made.named->facets : std::vector<Option>();
  if (has_pattern(facets) && has_pattern(made.options)) fail(made, type.at, two_patterns);
  if (made.named && made.named->problem) made.problem = made.named->problem;
  // The facet of the nearest step replaces the others (XML Schema part 2, 4.3.1.4 to 4.3.12.4).
  const bool is_atomic = made.named && !has_parts;
  std::erase_if(facets, [&](const Option& each) {
    const bool is_said = is_atomic || find_option(made.options, each.kind);
    return each.is_facet() && is_said && (is_atomic || !is_pattern(each));
  });
  append(facets, is_atomic ? options_of(Steps(type).all, made.type, made.problem) : made.options);
  Declaration& named = tables_.declarations.emplace_back();
  named.kind = Declaration::Kind::simple;
  named.xml.ns = type.kind == Type::Kind::built_in ? inside.name.ns : type.name.ns;
  named.wish = wish_of(inside) + "Content";
  named.at = inside.at;
  named.facets = std::move(facets);
  made.named = &named;
  made.options.clear();
  return made;
}

// --- Lists and unions ----------------------------------------------------------------------------

/// True if an option restricts the texts of a value, beyond white space.
static bool limits_text(const Option& said) {
  if (said.kind != Option::Kind::builtin) return said.is_facet();
  const std::string& of = said.texts.front();
  return of != "xs::normalized_string" && of != "xs::token" && of != "xs::any_uri";
}

/// True if a use restricts more than its C++ type does.
static bool has_facets(const SimpleUse& use) {
  const auto says = [](const std::vector<Option>& all) {
    return std::any_of(all.begin(), all.end(), limits_text);
  };
  return says(use.options) || (use.named && says(use.named->facets));
}

/// The form of a list with this number of items.
static std::string list_form(const std::string& item, Lengths items) {
  const auto [least, most] = items;
  if (most == 0) return {};
  const std::string begin = "((" + item + ")( (" + item + "))";
  const std::string end = least == 0 ? ")?" : ")";
  if (least < 2 && most == no_limit) return begin + '*' + end;
  return begin + quantifier(least == 0 ? 0 : least - 1, most == no_limit ? no_limit : most - 1) +
         end;
}

static bool holds_list(const CppType& type) {
  return type.kind == CppType::Kind::list ||
         std::any_of(type.parts.begin(), type.parts.end(), holds_list);
}

/// Makes a list. The facets of its items become one expression for the whole text.
void SimpleTypes::make_list(const Type& root, SimpleUse& made) {
  made.type.kind = CppType::Kind::list;
  refuse_complex(*root.item, root.at, made);
  const SimpleUse& item = use(*root.item);
  if (item.problem && !made.problem) made.problem = item.problem;
  if (!made.problem && holds_list(item.type))
    made.problem = Problem{
        root.at.text(), "a list has items that are lists (XML Schema part 1, 3.14.6)", true};
  CppType type = item.type;
  if (type.plain == "bool") type.plain = "soapsvc::boolean";
  made.type.parts.push_back(std::move(type));
  if (made.problem) return;
  if (has_facets(item)) {
    unchecked_.clear();
    const auto form = as_pattern(*root.item, true);
    if (!form) return fail(made, root.at, no_form);
    if (item.type.plain == "std::string") note_unchecked();  // other C++ types check the item
    made.options.push_back(Option::text(Option::Kind::pattern, list_form(*form, {})));
  }
}

/// True if any step of restriction has a facet.
static bool says_any_facet(std::span<const Type* const> steps) {
  return std::any_of(
      steps.begin(), steps.end(), [](const Type* each) { return !each->facets.empty(); });
}

/// Adds an alternative to an expression; each may be empty.
static void add_alternative(std::optional<std::string>& to, const std::string& form) {
  to = to ? *to + '|' + form : form;
}

/// The form of a list from the form of its items. Lengths are supported, but not patterns or values
/// of the list.
std::optional<std::string> SimpleTypes::form_of_list(
    const Steps& steps, const std::optional<std::string>& item) {
  if (!item || item->size() > most_pattern || steps.says("pattern") || steps.says("enumeration"))
    return std::nullopt;
  std::optional<Lengths> items = lengths_of(steps);
  if (!items) return std::nullopt;
  if (steps.root->kind == Type::Kind::built_in)
    items->least = std::max<std::size_t>(items->least, 1);
  return list_form(*item, *items);
}

/// True if any text is a value of a built-in type, apart from white space.
static bool is_any_string(std::string_view name) {
  return name == "string" || name == "normalizedString" || name == "token" || name == "anyURI" ||
         name == "anySimpleType";
}

/// The forms of the built-in types that are names (XML Schema part 2, 3.3.4 to 3.3.11).
static std::optional<NameForm> name_form(std::string_view name) {
  if (name == "NMTOKEN") return NameForm{R"(\c+)", true, true};
  if (name == "Name") return NameForm{R"(\i\c*)", true, false};
  if (name == "NCName" || name == "ID" || name == "IDREF" || name == "ENTITY")
    return NameForm{R"([\i-[:]][\c-[:]]*)", false, false};
  return std::nullopt;
}

/// Notes the steps where only the pattern checks a member or an item, but not the form of its
/// built-in type, which would be a second pattern.
void SimpleTypes::note_unchecked() {
  for (const auto& [step, root] : std::exchange(unchecked_, {}))
    if (noted_unchecked_.insert(step).second)
      tables_.notes.push_back(
          step->at.text() + ": in a union or a list, the pattern of the type " + wish_of(*step) +
          " is checked, but not the form of xs:" + root + " (XML Schema part 2, 4.3.4)");
}

/// The patterns of a string, restricted to its lengths; nullopt if two steps have patterns.
std::optional<std::string> SimpleTypes::form_of_patterns(const Steps& steps) {
  const Type* const with_pattern = steps.says("pattern");
  const auto lengths = lengths_of(steps);
  if (!lengths) return std::nullopt;
  const auto [least, most] = *lengths;
  const std::string& root = steps.root->name.local;
  const std::optional<NameForm> names = name_form(root);
  std::optional<std::string> all;
  for (const Type* each : steps.all)
    for (const Facet& said : each->facets) {
      if (said.name != "pattern") continue;
      if (each != with_pattern) return std::nullopt;
      std::optional<std::string> form = said.value;
      if (least != 0 || most != no_limit) form = with_lengths(*form, least, most);
      if (!form) return std::nullopt;
      const auto of_both = names ? with_name_form(*form, *names) : std::nullopt;
      if (!of_both && !is_any_string(root)) unchecked_.emplace_back(each, root);
      add_alternative(all, of_both.value_or(*form));
    }
  return all;
}

/// Returns a pattern for all texts of a type; nullopt: none can be written. Other types than
/// strings get one only with `also_others`.
std::optional<std::string> SimpleTypes::as_pattern(
    const Type& type, bool also_others, std::size_t depth) {
  const Steps steps(type);
  if (depth > 8) return std::nullopt;
  if (steps.root->kind == Type::Kind::simple) {
    if (steps.root->variety == Type::Variety::list) {
      if (!also_others) return std::nullopt;
      return form_of_list(steps, as_pattern(*steps.root->item, true, depth + 1));
    }
    if (says_any_facet(steps.all)) return std::nullopt;
    std::optional<std::string> all;
    for (const Type* each : steps.root->members) {
      const auto inner = as_pattern(*each, also_others, depth + 1);
      if (!inner || (all && all->size() > most_pattern)) return std::nullopt;
      add_alternative(all, *inner);
    }
    return all;
  }
  const std::string& root = steps.root->name.local;
  if (also_others && (root == "NMTOKENS" || root == "IDREFS" || root == "ENTITIES"))
    return form_of_list(steps, form_of_built_in(root == "NMTOKENS" ? "NMTOKEN" : "NCName"));
  const BuiltIn* const built_in = find_built_in(root);
  if (!built_in) return std::nullopt;
  if (built_in->cpp != std::string_view("std::string"))
    return also_others ? form_of_value(steps) : std::nullopt;
  if (const Type* listing = steps.says("enumeration")) {
    if (says_any_facet(steps.above(*listing))) return std::nullopt;
    std::optional<std::string> all;
    for (const Facet& each : listing->facets)
      if (each.name == "enumeration") add_alternative(all, pattern_escaped(each.value));
    return all;
  }
  if (steps.says("pattern")) return form_of_patterns(steps);
  const bool has_length =
      steps.says("length") || steps.says("minLength") || steps.says("maxLength");
  if (!is_any_string(root) || root == "anySimpleType")
    return has_length ? std::nullopt : form_of_built_in(root);
  return length_pattern(steps);
}

/// The forms of XML Schema's own types (part 2, 3.2 and 3.3).
std::optional<std::string> SimpleTypes::form_of_built_in(std::string_view name) {
  static constexpr std::pair<std::string_view, const char*> forms[] = {
      {"boolean", "true|false|1|0"},
      {"decimal", R"([+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+))"},
      {"float", R"([+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([Ee][+\-]?[0-9]+)?|-?INF|NaN)"},
      {"double", R"([+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([Ee][+\-]?[0-9]+)?|-?INF|NaN)"},
      {"language", "[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*"},
  };
  if (const auto names = name_form(name)) return names->form;
  for (const auto& [type, form] : forms)
    if (type == name) return form;
  // The days of months with 31 days, with 30 days, of February, and of February in a leap year.
  const std::string year = R"(([1-9][0-9]*)?[0-9]{4})";
  const std::string leap_year =
      R"(([1-9][0-9]*)?([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00))";
  const std::string day = "-?(" + year +
                          "-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|" +
                          "(0[13578]|1[02])-31)|" + leap_year + "-02-29)";
  const std::string time =
      R"((([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?|24:00:00(\.0+)?))";
  const std::string zone = R"((Z|[+\-]((0[0-9]|1[0-3]):[0-5][0-9]|14:00))?)";
  if (name == "date") return day + zone;
  if (name == "time") return time + zone;
  if (name == "dateTime") return day + 'T' + time + zone;
  if (name == "gYear") return "-?" + year + zone;
  if (name == "gYearMonth") return "-?" + year + "-(0[1-9]|1[0-2])" + zone;
  const std::string hours =
      R"(T([0-9]+H([0-9]+M)?([0-9]+(\.[0-9]+)?S)?|[0-9]+M([0-9]+(\.[0-9]+)?S)?|[0-9]+(\.[0-9]+)?S))";
  if (name == "duration")
    return "-?P(([0-9]+Y([0-9]+M)?([0-9]+D)?|[0-9]+M([0-9]+D)?|[0-9]+D)(" + hours + ")?|" + hours +
           ')';
  return std::nullopt;
}

/// All durations that are not negative, including -P0D (XML Schema part 2, 3.2.6.2).
static std::string without_negative(std::string form) {
  static constexpr std::string_view digits = "[0-9]+";
  form.erase(0, 2);  // "-?"
  std::string zero = form;
  for (std::size_t at = 0; (at = zero.find(digits, at)) != zero.npos;)
    zero.replace(at, digits.size(), "0+");
  return form + "|-" + zero;
}

/// The least and the greatest value of each type of whole numbers; empty: none.
static constexpr std::pair<std::string_view, std::pair<const char*, const char*>> wholes[] = {
    {"byte", {"-128", "127"}},
    {"short", {"-32768", "32767"}},
    {"int", {"-2147483648", "2147483647"}},
    {"long", {"-9223372036854775808", "9223372036854775807"}},
    {"unsignedByte", {"0", "255"}},
    {"unsignedShort", {"0", "65535"}},
    {"unsignedInt", {"0", "4294967295"}},
    {"unsignedLong", {"0", "18446744073709551615"}},
    {"integer", {"", ""}},
    {"nonNegativeInteger", {"0", ""}},
    {"positiveInteger", {"1", ""}},
    {"nonPositiveInteger", {"", "0"}},
    {"negativeInteger", {"", "-1"}}};

/// An expression for a type other than a string: for numbers within their bounds, and for types
/// with a pattern or without facets.
std::optional<std::string> SimpleTypes::form_of_value(const Steps& steps) {
  const std::string& root = steps.root->name.local;
  const auto says_any = [&](std::initializer_list<std::string_view> facets) {
    return std::any_of(
        facets.begin(), facets.end(), [&](std::string_view each) { return steps.says(each); });
  };
  const bool has_bounds = says_any(
      {"minInclusive",
       "maxInclusive",
       "minExclusive",
       "maxExclusive",
       "totalDigits",
       "enumeration"});
  if (steps.says("pattern")) {
    if (has_bounds || says_any({"length", "minLength", "maxLength", "fractionDigits"}))
      return std::nullopt;
    return form_of_patterns(steps);
  }
  for (const auto& [name, own] : wholes)
    if (name == root) return form_of_whole(steps, own.first, own.second);
  if (root == "decimal") return form_of_decimal(steps);
  if (root == "duration" && steps.says("minInclusive") &&
      said_by(steps, "minInclusive").find_first_of("123456789") == std::string::npos &&
      !says_any({"maxInclusive", "minExclusive", "maxExclusive", "enumeration"}))
    return without_negative(*form_of_built_in(root));
  if (root == "hexBinary" && !has_bounds) {
    const auto bytes = lengths_of(steps);
    if (!bytes) return std::nullopt;
    return "([0-9A-Fa-f]{2})" + quantifier(bytes->least, bytes->most);
  }
  if (has_bounds || says_any({"length", "minLength", "maxLength"})) return std::nullopt;
  return form_of_built_in(root);
}

/// A decimal: its listed values, or its nearest bounds and digits.
std::optional<std::string> SimpleTypes::form_of_decimal(const Steps& steps) {
  if (const Type* const listing = steps.says("enumeration")) {
    std::optional<std::string> all;
    for (const Facet& each : listing->facets)
      if (each.name == "enumeration")
        add_alternative(all, decimal_value_form(collapsed(each.value)));
    return all;
  }
  DecimalFacets made;
  const auto bound = [&](std::string_view inclusive, std::string_view exclusive) {
    const Type* const with = steps.says(inclusive);
    const Type* const without = steps.says(exclusive);
    for (const Type* each : steps.all) {
      if (each == with) return std::optional(DecimalBound{said_by(steps, inclusive)});
      if (each == without) return std::optional(DecimalBound{said_by(steps, exclusive), true});
    }
    return std::optional<DecimalBound>();
  };
  made.least = bound("minInclusive", "minExclusive");
  made.most = bound("maxInclusive", "maxExclusive");
  const auto count = [&](std::string_view facet) {
    const std::string said = said_by(steps, facet);
    return said.empty() ? std::nullopt
                        : std::optional<std::size_t>(std::strtoull(said.c_str(), nullptr, 10));
  };
  made.total_digits = count("totalDigits");
  made.fraction_digits = count("fractionDigits");
  return decimal_form(made);
}

std::optional<std::string> SimpleTypes::form_of_whole(
    const Steps& steps, std::string_view own_least, std::string_view own_most) {
  std::optional<Whole> least, most;
  if (!own_least.empty()) least.emplace(own_least);
  if (!own_most.empty()) most.emplace(own_most);
  const auto raise = [&](const Whole& to) {
    if (!least || *least < to) least = to;
  };
  const auto lower = [&](const Whole& to) {
    if (!most || to < *most) most = to;
  };
  std::vector<Whole> values;
  for (const Type* each : steps.all)
    for (const Facet& said : each->facets) {
      const std::string text = collapsed(said.value);
      if (text.empty() || text.size() > 40) return std::nullopt;
      if (said.name == "minInclusive") raise(Whole(text));
      if (said.name == "maxInclusive") lower(Whole(text));
      if (said.name == "minExclusive") raise(Whole(text).next(true));
      if (said.name == "maxExclusive") lower(Whole(text).next(false));
      if (said.name == "enumeration" && each == steps.says("enumeration"))
        values.emplace_back(text);
      if (said.name != "totalDigits" || text.size() > 2) continue;
      const std::string nines(std::strtoull(text.c_str(), nullptr, 10), '9');
      raise(Whole('-' + nines));
      lower(Whole(nines));
    }
  std::optional<std::string> all;
  for (const Whole& each : values)
    add_alternative(all, whole_number_form(&each, &each));
  if (!values.empty()) return all;
  if (least && most && *most < *least) return std::nullopt;
  return whole_number_form(least ? &*least : nullptr, most ? &*most : nullptr);
}

/// An expression for any text of the lengths that the steps allow; nullopt if a length is not a
/// number.
std::optional<std::string> SimpleTypes::length_pattern(const Steps& steps) {
  const std::string any = R"((.|\n|\r))";
  const auto lengths = lengths_of(steps);
  if (!lengths) return std::nullopt;
  const auto [least, most] = *lengths;
  if (least == 0 && most == no_limit) return any + '*';
  if (steps.says("length")) return any + '{' + std::to_string(least) + '}';
  return any + quantifier(least, most);
}

/// True if a union has a member that allows any string, so that the other members' facets refuse
/// nothing.
static bool takes_any_text(const Type& type) {
  const SimpleTypes::Steps steps(type);
  const std::string& root = steps.root->name.local;
  if (says_any_facet(steps.all)) return false;
  if (steps.root->kind == Type::Kind::simple)
    return steps.root->variety == Type::Variety::of_union &&
           std::any_of(
               steps.root->members.begin(), steps.root->members.end(), [](const Type* each) {
                 return takes_any_text(*each);
               });
  return is_any_string(root);
}

/// True if a member of a union restricts another member, so that it adds no text.
static bool adds_nothing(const Type& member, const Type& to) {
  const SimpleTypes::Steps steps(member);
  return std::any_of(to.members.begin(), to.members.end(), [&](const Type* each) {
    return each != &member &&
           (each == steps.root ||
            std::find(steps.all.begin(), steps.all.end(), each) != steps.all.end());
  });
}

std::optional<bool> SimpleTypes::add_members(const Type& type, CppType& all, SimpleUse& made) {
  bool has_forms = false;
  for (const Type* each : type.members) {
    refuse_complex(*each, type.at, made);
    const SimpleUse& member = use(*each);
    if (member.problem) {
      if (!made.problem) made.problem = member.problem;
      return std::nullopt;
    }
    has_forms = has_forms || (has_facets(member) &&
                              (member.type.plain == "std::string" || !adds_nothing(*each, type)));
    const bool is_union = member.type.kind == CppType::Kind::of_union;
    for (const CppType& one : is_union ? member.type.parts : std::vector{member.type}) {
      if (std::find(all.parts.begin(), all.parts.end(), one) != all.parts.end()) continue;
      if (all.parts.size() == most_members) {
        fail(
            made,
            type.at,
            "a union of more than " + std::to_string(most_members) +
                " types is more than a table can express");
        return std::nullopt;
      }
      all.parts.push_back(one);
    }
  }
  return has_forms;
}

/// A union of different C++ types. If members have facets, an expression with the forms of all
/// members checks the text. A union of strings only becomes a string with such an expression.
void SimpleTypes::make_union(const Type& type, SimpleUse& made) {
  CppType all{CppType::Kind::of_union, {}, nullptr, {}};
  made.type.plain = "std::string";
  const auto has_forms = add_members(type, all, made);
  if (!has_forms) return;
  const auto use_parts = [&] {
    made.type = all.parts.size() == 1 ? CppType(all.parts.front()) : std::move(all);
  };
  if (!*has_forms) return use_parts();
  unchecked_.clear();
  auto form = as_pattern(type, false);
  made.is_string = form.has_value();
  if (!form) {
    if (takes_any_text(type)) return use_parts();
    unchecked_.clear();
    form = as_pattern(type, true);
    if (!form || form->size() > most_pattern) return fail(made, type.at, no_form);
    use_parts();
  }
  const auto collapses = [this](const Type* each) {
    const Option* const said = find_option(use(*each).options, Option::Kind::builtin);
    return said && said->texts.front() == "xs::token";
  };
  if (made.is_string && std::all_of(type.members.begin(), type.members.end(), collapses))
    made.options.push_back(Option::builtin("xs::token"));
  if (takes_any_text(type)) return;
  note_unchecked();
  made.options.push_back(Option::text(Option::Kind::pattern, *form));
}

}  // namespace importer
