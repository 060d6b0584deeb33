#include "simple_types.hpp"

#include <algorithm>
#include <cstdio>

#include "names.hpp"

namespace importer {

namespace {

/// A built-in type: its C++ type, and the option that says which it is.
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

/// The C++ names of facets, in the order in which they are written.
constexpr std::pair<std::string_view, const char*> counts[] = {
    {"length", "length"},
    {"minLength", "min_length"},
    {"maxLength", "max_length"},
    {"totalDigits", "total_digits"},
    {"fractionDigits", "fraction_digits"}};
constexpr std::pair<std::string_view, const char*> bounds[] = {
    {"minInclusive", "min_inclusive"},
    {"maxInclusive", "max_inclusive"},
    {"minExclusive", "min_exclusive"},
    {"maxExclusive", "max_exclusive"}};

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
            made += "\\?";  // no trigraph
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

std::string value_problem(const CppType& type, const std::string& text) {
    bool good = true;
    if (type.plain == "soapsvc::qualified_name")
        good = false;  // its prefix would mean nothing in a table
    else if (type.kind == CppType::Kind::plain)
        good = is_value_of(type.plain, text);
    else if (type.kind == CppType::Kind::declared)
        good = std::any_of(
            type.declared->values.begin(), type.declared->values.end(), [&](const EnumValue& each) {
                return each.text == text;
            });
    return good ? std::string() : "'" + text + "' is no default or fixed value of the type";
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

/// The first facet of this name in one step of restriction; null when there is none. A binary search, since
/// a step may list thousands of values.
static const Facet* first_facet(const Type& step, std::string_view name) {
    const auto at = std::lower_bound(
        step.facets.begin(), step.facets.end(), name, [](const Facet& each, std::string_view than) {
            return each.name < than;
        });
    return at == step.facets.end() || at->name != name ? nullptr : &*at;
}

/// The steps of restriction from a type up to what is none: a built-in type, a list, a union.
struct SimpleTypes::Steps {
    std::vector<const Type*> all;  ///< the type itself first
    const Type* root = nullptr;

    explicit Steps(const Type& type) {
        root = &type;
        while (root->kind == Type::Kind::simple && root->variety == Type::Variety::atomic &&
               root->base) {
            all.push_back(root);
            root = root->base;
            if (all.size() > 1'000) refuse(type.at, "the type is a restriction of itself");
        }
    }
    /// The first step that says a facet.
    const Type* says(std::string_view facet) const {
        for (const Type* each : all)
            if (first_facet(*each, facet)) return each;
        return nullptr;
    }
    std::size_t first_named() const {
        std::size_t at = 0;
        while (at != all.size() && all[at]->name.local.empty())
            ++at;
        return at;
    }
};

void SimpleTypes::fail(SimpleUse& made, const Place& at, const std::string& reason) {
    if (!made.problem) made.problem = Problem{at.text(), reason};
}

const SimpleUse& SimpleTypes::use(const Type& type) {
    const auto known = known_.find(&type);
    if (known != known_.end()) return known->second;
    if (++depth_ > 64)
        refuse(
            type.at,
            "the type " + wish_of(type) +
                " is made of itself, or of types more than 64 "
                "deep");
    SimpleUse made = make(type);
    --depth_;
    return known_.emplace(&type, std::move(made)).first->second;
}

namespace {

/// Whether values of a type can have a facet, and which values it may have itself (XML Schema part
/// 2, 4.1.5 and 4.3).
std::string facet_problem(const Facet& said, const CppType& type) {
    const bool is_list = type.kind == CppType::Kind::list;
    const bool is_plain = type.kind == CppType::Kind::plain;
    const std::string& cpp = type.plain;
    const bool is_whole = cpp.ends_with("_t") || cpp == "soapsvc::integer";
    const bool has_length = is_list || cpp == "std::string" || cpp.ends_with("binary");
    const bool is_count = said.name.ends_with("ength") || said.name.ends_with("Digits");
    bool applies = true;
    if (said.name.ends_with("ength")) applies = has_length;
    if (said.name.ends_with("Digits")) applies = is_whole || cpp == "soapsvc::decimal";
    if (said.name.ends_with("clusive"))
        applies = is_plain && !has_length && cpp != "bool" && cpp != "soapsvc::qualified_name";
    if (said.name == "enumeration") applies = cpp != "bool" && cpp != "soapsvc::qualified_name";
    if (said.name == "pattern") applies = cpp != "soapsvc::qualified_name";
    if (!applies) return "the type has no values with the facet " + said.name;
    if (said.name == "pattern") return pattern_problem(said.value).value_or("");
    const bool is_number = !said.value.empty() && said.value.size() < 19 &&
                           said.value.find_first_not_of("0123456789") == std::string::npos;
    const bool is_value = !is_plain || is_value_of(cpp, collapsed(said.value));
    const bool good = is_count ? is_number : said.name == "whiteSpace" || is_value;
    return good ? std::string() : "'" + said.value + "' is no value of the facet " + said.name;
}

/// The facets that some steps of restriction say together, as options.
class FacetOptions {
public:
    FacetOptions(
        std::span<const Type* const> steps, const CppType& type, std::optional<Problem>& problem)
        : steps_(steps), type_(type), problem_(problem) {}

    std::vector<std::string> make() {
        for (const Type* each : steps_)
            for (const Facet& said : each->facets)
                if (const std::string wrong = facet_problem(said, type_); !wrong.empty())
                    fail(said, wrong);
        add_patterns();
        for (const auto& [facet, name] : counts)
            if (const Facet* said = value(facet)) add(name, said->value);
        for (const auto& [facet, name] : bounds)
            if (const Facet* said = value(facet)) add(name, literal(collapsed(said->value)));
        add_values();
        return std::move(options_);
    }

private:
    void fail(const Facet& at, const std::string& reason) {
        if (!problem_) problem_ = Problem{at.at.text(), reason};
    }
    void add(const std::string& name, const std::string& value) {
        options_.push_back(name + '(' + value + ')');
    }
    /// What the last step says that says anything.
    const Facet* value(std::string_view facet) const {
        for (const Type* each : steps_)
            if (const Facet* const said = first_facet(*each, facet)) return said;
        return nullptr;
    }
    void add_patterns() {
        const Type* with_patterns = nullptr;
        for (const Type* each : steps_)
            for (const Facet& said : each->facets) {
                if (said.name != "pattern") continue;
                if (with_patterns && with_patterns != each)
                    fail(
                        said,
                        "a value must have the patterns of two steps of restriction; a "
                        "table has those of one");
                with_patterns = each;
                add("pattern", literal(said.value));
            }
    }
    void add_values() {
        const bool is_string = type_.plain == "std::string";
        for (const Type* each : steps_) {
            std::string values;
            for (const Facet& said : each->facets)
                if (said.name == "enumeration")
                    values.append(values.empty() ? "" : ", ")
                        .append(literal(is_string ? said.value : collapsed(said.value)));
            if (values.empty()) continue;
            return add("enumerated", values);
        }
    }

    std::span<const Type* const> steps_;
    const CppType& type_;
    std::optional<Problem>& problem_;
    std::vector<std::string> options_;
};

std::vector<std::string> options_of(
    std::span<const Type* const> steps, const CppType& type, std::optional<Problem>& problem) {
    return FacetOptions(steps, type, problem).make();
}

}  // namespace

SimpleUse SimpleTypes::make(const Type& type) {
    const Steps steps(type);
    SimpleUse made;
    const Type& root = *steps.root;
    if (root.kind == Type::Kind::simple && root.variety == Type::Variety::list) {
        made.type.kind = CppType::Kind::list;
        made.type.parts.push_back(part_of(*root.item, made));
    } else if (root.kind == Type::Kind::simple) {
        make_union(root, made);
    } else {
        return make_atomic(type, steps);
    }
    // A list or a union that has a name, or is restricted.
    std::vector<const Type*> all = steps.all;
    if (!root.name.local.empty()) all.push_back(&root);
    std::size_t named = 0;
    while (named != all.size() && all[named]->name.local.empty())
        ++named;
    const std::span<const Type* const> span(all);
    if (named != all.size() && made.options.empty()) {
        made.named = simple(*all[named]);
        if (made.named->facets.empty())
            made.named->facets = options_of(span.subspan(named), made.type, made.named->problem);
    }
    for (std::string& each : options_of(span.first(named), made.type, made.problem))
        made.options.push_back(std::move(each));
    return made;
}

/// The built-in types that are lists of words.
SimpleUse SimpleTypes::make_words(const Type& type, const Steps& steps) {
    SimpleUse made;
    made.type.kind = CppType::Kind::list;
    made.type.parts.push_back({CppType::Kind::plain, "std::string", nullptr, {}});
    tables_.notes.push_back(
        type.at.text() + ": xs:" + steps.root->name.local +
        " is a list of strings, whose items are not checked");
    if (!steps.says("minLength") && !steps.says("length")) made.options.push_back("min_length(1)");
    for (std::string& each : options_of(steps.all, made.type, made.problem))
        made.options.push_back(std::move(each));
    return made;
}

/// The values of the step that lists some, if an enumeration can have them: texts without outer or
/// double spaces, each once.
static bool lists_words(const Type& listing) {
    std::set<std::string_view> texts;
    return std::all_of(listing.facets.begin(), listing.facets.end(), [&](const Facet& each) {
        return each.name != "enumeration" ||
               (soapsvc::detail::is_collapsed_token(each.value) && texts.insert(each.value).second);
    });
}

/// The result of lists_words, kept: many types may restrict one type with thousands of values.
bool SimpleTypes::becomes_enumeration(const Type& listing) {
    const auto [known, is_new] = lists_words_.try_emplace(&listing);
    if (is_new) known->second = lists_words(listing);
    return known->second;
}

SimpleUse SimpleTypes::make_atomic(const Type& type, const Steps& steps) {
    SimpleUse made;
    const std::string& root = steps.root->name.local;
    if (root == "IDREFS" || root == "NMTOKENS" || root == "ENTITIES")
        return make_words(type, steps);
    const BuiltIn* const built_in = find_built_in(root);
    if (!built_in) {
        fail(made, type.at, "there is no C++ type for xs:" + root);
        return made;
    }
    if (root == "anySimpleType")
        tables_.notes.push_back(type.at.text() + ": xs:anySimpleType is described as a string");
    made.type.plain = built_in->cpp;
    made.is_string = made.type.plain == "std::string";
    std::string option = built_in->option;
    if (made.is_string && (root == "string" || root == "normalizedString"))
        if (const Type* says = steps.says("whiteSpace"))
            for (const Facet& each : says->facets)
                if (each.name == "whiteSpace" && each.value != "preserve")
                    option = each.value == "collapse" ? "xs::token" : "xs::normalized_string";
    const Type* const listing = steps.says("enumeration");
    if (listing && made.is_string && becomes_enumeration(*listing)) {
        made.is_string = false;
        made.type = {CppType::Kind::declared, {}, enumeration(option, *listing), {}};
        return made;
    }
    const std::size_t named = steps.first_named();
    const std::span<const Type* const> all(steps.all);
    if (named != all.size()) {
        made.named = simple(*all[named]);
        if (made.named->facets.empty()) {
            made.named->facets = options_of(all.subspan(named), made.type, made.named->problem);
            if (!option.empty()) made.named->facets.insert(made.named->facets.begin(), option);
        }
    } else if (!option.empty()) {
        made.options.push_back(option);
    }
    for (std::string& each : options_of(all.first(named), made.type, made.problem))
        made.options.push_back(std::move(each));
    return made;
}

/// The enumeration of the step that lists the values; of an anonymous step above it none is made.
/// `of` is what it restricts, as an option; empty for strings.
Declaration* SimpleTypes::enumeration(const std::string& of, const Type& says) {
    Declaration*& slot = declared_[&says];
    if (slot) return slot;
    slot = &tables_.declarations.emplace_back();
    slot->kind = Declaration::Kind::enumeration;
    if (!of.empty()) slot->facets.push_back(of);
    slot->xml = says.name;
    slot->wish = wish_of(says);
    slot->doc = says.doc;
    slot->at = says.at;
    for (const Facet& each : says.facets)
        if (each.name == "enumeration") slot->values.push_back({each.value, {}, each.doc});
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
    const bool is_one_form = made.options.size() == 1 && made.options[0].starts_with("xs::");
    if ((made.options.empty() || is_one_form) && (!has_parts || made.named)) return made;
    // What the row would say, and its named type, under a name that is made for it.
    std::vector<std::string> facets = made.named ? made.named->facets : std::vector<std::string>();
    const auto is_pattern = [](const std::string& each) { return each.starts_with("pattern("); };
    if (std::any_of(facets.begin(), facets.end(), is_pattern) &&
        std::any_of(made.options.begin(), made.options.end(), is_pattern))
        fail(
            made,
            type.at,
            "content must have the patterns of two steps of restriction; a table "
            "has those of one");
    if (made.named && made.named->problem) made.problem = made.named->problem;
    facets.insert(facets.end(), made.options.begin(), made.options.end());
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

/// A type as an item or a member: what facets it has cannot be said there, but an enumeration's.
CppType SimpleTypes::part_of(const Type& part, SimpleUse& made) {
    const SimpleUse& inner = use(part);
    if (inner.problem) fail(made, part.at, inner.problem->reason);
    const auto has_facets = [](const std::vector<std::string>& options) {
        return std::any_of(options.begin(), options.end(), [](const std::string& each) {
            return !each.starts_with("xs::");
        });
    };
    if (has_facets(inner.options) || (inner.named && has_facets(inner.named->facets)))
        fail(
            made,
            part.at.in     ? part.at
            : made.problem ? Place{}
                           : part.at,
            "the items of a list, or the members of a union, have facets of their own, which "
            "no table can say");
    if (made.type.kind == CppType::Kind::list && !inner.options.empty() && !inner.problem)
        tables_.notes.push_back(
            part.at.text() + ": the items of a list are not held to " + inner.options.front() +
            ", only to what their C++ type holds");
    CppType type = inner.type;
    if (type.plain == "bool" && made.type.kind == CppType::Kind::list)
        type.plain = "soapsvc::boolean";
    return type;
}

/// What a type's texts are as an expression; nullopt when that is not told in a line.
std::optional<std::string> SimpleTypes::as_pattern(const Type& type, std::size_t depth) {
    const Steps steps(type);
    if (depth > 8) return std::nullopt;
    if (steps.root->kind == Type::Kind::simple) {
        if (steps.root->variety == Type::Variety::list || steps.all.size() > 1) return std::nullopt;
        std::string all;
        for (const Type* each : steps.root->members) {
            const auto inner = as_pattern(*each, depth + 1);
            if (!inner || all.size() > most_pattern) return std::nullopt;
            all.append(all.empty() ? "" : "|").append(*inner);
        }
        return all;
    }
    const std::string& root = steps.root->name.local;
    const BuiltIn* const built_in = find_built_in(root);
    if (!built_in || built_in->cpp != std::string_view("std::string")) return std::nullopt;
    if (const Type* listing = steps.says("enumeration")) {
        std::string all;
        for (const Facet& each : listing->facets)
            if (each.name == "enumeration")
                all.append(all.empty() ? "" : "|").append(pattern_escaped(each.value));
        return all;
    }
    const Type* const with_pattern = steps.says("pattern");
    const bool has_length =
        steps.says("length") || steps.says("minLength") || steps.says("maxLength");
    if (with_pattern) {
        if (has_length) return std::nullopt;
        std::string all;
        for (const Type* each : steps.all)
            for (const Facet& said : each->facets) {
                if (said.name != "pattern") continue;
                if (each != with_pattern) return std::nullopt;
                all.append(all.empty() ? "" : "|").append(said.value);
            }
        return all;
    }
    if (root != "string" && root != "normalizedString" && root != "token" && root != "anyURI")
        return std::nullopt;
    return length_pattern(steps);
}

/// Any text of the lengths that the steps allow, as an expression.
std::string SimpleTypes::length_pattern(const Steps& steps) {
    const auto number = [&](std::string_view facet) -> std::string {
        if (const Type* says = steps.says(facet))
            for (const Facet& each : says->facets)
                if (each.name == facet) return each.value;
        return {};
    };
    const std::string any = R"((.|\n|\r))";
    if (const std::string exact = number("length"); !exact.empty()) return any + '{' + exact + '}';
    const std::string least = number("minLength");
    const std::string most = number("maxLength");
    if (least.empty() && most.empty()) return any + '*';
    return any + '{' + (least.empty() ? "0" : least) + ',' + most + '}';
}

/// A union of C++ types, each once; or, where members are strings with facets, a string that has
/// one of their forms.
void SimpleTypes::make_union(const Type& type, SimpleUse& made, std::size_t) {
    SimpleUse plain;
    plain.type.kind = CppType::Kind::of_union;
    for (const Type* each : type.members) {
        const CppType part = part_of(*each, plain);
        const std::vector<CppType> parts =
            part.kind == CppType::Kind::of_union ? part.parts : std::vector{part};
        for (const CppType& one : parts)
            if (std::find(plain.type.parts.begin(), plain.type.parts.end(), one) ==
                plain.type.parts.end()) {
                if (plain.type.parts.size() == most_members) {
                    made.type.plain = "std::string";
                    return fail(
                        made,
                        type.at,
                        "a union of more than " + std::to_string(most_members) +
                            " types is more than a table can say");
                }
                plain.type.parts.push_back(one);
            }
    }
    if (!plain.problem) {
        if (plain.type.parts.size() == 1) plain.type = CppType(plain.type.parts.front());
        made.type = std::move(plain.type);
        return;
    }
    const auto pattern = as_pattern(type);
    if (!pattern) {
        made.problem = plain.problem;
        made.type.plain = "std::string";
        return;
    }
    made.type.plain = "std::string";
    made.is_string = true;
    const auto collapses = [this](const Type* each) {
        const std::vector<std::string>& said = use(*each).options;
        return std::find(said.begin(), said.end(), "xs::token") != said.end();
    };
    if (std::all_of(type.members.begin(), type.members.end(), collapses))
        made.options.push_back("xs::token");
    made.options.push_back("pattern(" + literal(*pattern) + ')');
}

}  // namespace importer
