#include "names.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <tuple>

namespace importer {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
char upper(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }

/// Letters beyond ASCII as those who have no such keys write them: of Latin-1 and its neighbours.
/// Others are named by their number.
std::string in_ascii(std::string_view text) {
    static const std::map<char32_t, const char*> known{
        {0xC4, "Ae"}, {0xD6, "Oe"}, {0xDC, "Ue"}, {0xE4, "ae"}, {0xF6, "oe"}, {0xFC, "ue"},
        {0xDF, "ss"}, {0xC6, "Ae"}, {0xE6, "ae"}, {0xD8, "Oe"}, {0xF8, "oe"}, {0xC5, "Aa"},
        {0xE5, "aa"}, {0xC0, "A"},  {0xC1, "A"},  {0xC2, "A"},  {0xC3, "A"},  {0xC7, "C"},
        {0xC8, "E"},  {0xC9, "E"},  {0xCA, "E"},  {0xCB, "E"},  {0xCC, "I"},  {0xCD, "I"},
        {0xCE, "I"},  {0xCF, "I"},  {0xD1, "N"},  {0xD2, "O"},  {0xD3, "O"},  {0xD4, "O"},
        {0xD5, "O"},  {0xD9, "U"},  {0xDA, "U"},  {0xDB, "U"},  {0xDD, "Y"},  {0xE0, "a"},
        {0xE1, "a"},  {0xE2, "a"},  {0xE3, "a"},  {0xE7, "c"},  {0xE8, "e"},  {0xE9, "e"},
        {0xEA, "e"},  {0xEB, "e"},  {0xEC, "i"},  {0xED, "i"},  {0xEE, "i"},  {0xEF, "i"},
        {0xF1, "n"},  {0xF2, "o"},  {0xF3, "o"},  {0xF4, "o"},  {0xF5, "o"},  {0xF9, "u"},
        {0xFA, "u"},  {0xFB, "u"},  {0xFD, "y"},  {0xFF, "y"}};
    std::string made;
    while (!text.empty()) {
        const auto c = soapsvc::detail::decode_utf8(text);
        const std::size_t length = std::max(1U, c.length);
        if (c.value < 0x80 && c.length == 1) {
            made += text.front();
        } else if (const auto letter = known.find(c.value); letter != known.end()) {
            made += letter->second;
        } else {
            char number[16];
            std::snprintf(number, sizeof number, "u%04x", static_cast<unsigned>(c.value));
            made += number;
        }
        text.remove_prefix(length);
    }
    return made;
}

/// What C++ has taken, and macros that headers of the system define in lower case.
constexpr std::string_view taken_in_cpp[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "const_cast",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    // macros
    "assert",
    "errno",
    "linux",
    "major",
    "makedev",
    "minor",
    "offsetof",
    "stderr",
    "stdin",
    "stdout",
    "unix"};

bool is_taken_in_cpp(std::string_view name) {
    return std::find(std::begin(taken_in_cpp), std::end(taken_in_cpp), name) !=
           std::end(taken_in_cpp);
}

/// Macros in upper case that headers of the system define, as names of types.
bool is_macro(std::string_view name) {
    static const std::set<std::string_view> words{
        "BUFSIZ",
        "DOMAIN",
        "EOF",
        "ERANGE",
        "FILENAME_MAX",
        "HUGE_VAL",
        "INFINITY",
        "NAN",
        "NULL",
        "OVERFLOW",
        "RAND_MAX",
        "SEEK_CUR",
        "SEEK_END",
        "SEEK_SET",
        "UNDERFLOW"};
    return words.contains(name);
}

}  // namespace

std::string capitalised(std::string_view name) {
    std::string made(name);
    if (!made.empty()) made[0] = upper(made[0]);
    return made;
}

std::string type_name(std::string_view xml) {
    std::string made;
    bool capital = true;
    for (const char c : in_ascii(xml)) {
        if (!is_lower(c) && !is_upper(c) && !is_digit(c)) {
            capital = true;
            continue;
        }
        // Two numbers that a dot divided must not become one.
        if (capital && is_digit(c) && !made.empty() && is_digit(made.back())) made += '_';
        made += capital ? upper(c) : c;
        capital = false;
    }
    if (made.empty() || is_digit(made[0])) made = std::string("T").append(made);
    if (is_macro(made)) made += "Type";
    return made;
}

std::string value_name(std::string_view xml, std::string_view when_empty) {
    const std::string text = in_ascii(xml);
    std::string made;
    for (std::size_t at = 0; at != text.size(); ++at) {
        const char c = text[at];
        const bool in_word = is_lower(c) || is_upper(c) || is_digit(c);
        const char before = at == 0 ? '\0' : text[at - 1];
        const char after = at + 1 == text.size() ? '\0' : text[at + 1];
        const bool begins = is_upper(c) && (is_lower(before) || is_digit(before) ||
                                            (is_upper(before) && is_lower(after)));
        if ((!in_word || begins) && !made.empty() && made.back() != '_') made += '_';
        if (in_word) made += lower(c);
    }
    while (!made.empty() && made.back() == '_')
        made.pop_back();
    if (made.empty() || is_digit(made[0]))
        made = std::string(when_empty) + (made.empty() ? "" : "_") + made;
    if (is_taken_in_cpp(made)) made += '_';
    return made;
}

std::string Scope::unused(const std::string& name) {
    if (names_.insert(name).second) return name;
    const std::string stem = is_digit(name.back()) ? name + '_' : name;
    std::size_t& number = tried_.emplace(name, 1).first->second;
    std::string made;
    do
        made = stem + std::to_string(++number);
    while (!names_.insert(made).second);
    return made;
}

// --- Declarations --------------------------------------------------------------------------------

namespace {

/// The last word of a namespace that means something: "urn:shop:types:v2" is Types.
std::string word_of(std::string_view ns) {
    std::string word;
    while (!ns.empty() && word.empty()) {
        const std::size_t cut = ns.find_last_of("/:#");
        const std::string_view last = cut == std::string_view::npos ? ns : ns.substr(cut + 1);
        const bool has_letter =
            std::any_of(last.begin(), last.end(), [](char c) { return is_lower(lower(c)); });
        if (has_letter && last.size() > 2) word = type_name(last);
        ns = cut == std::string_view::npos ? std::string_view() : ns.substr(0, cut);
    }
    return word;
}

/// Of two that wish one name, that of the service's namespace has it, and of these the one whose
/// name needs no change.
auto rank(const Declaration& of, const std::string& common_ns) {
    return std::tuple(
        of.owner != nullptr,
        of.xml.ns != common_ns,
        type_name(of.wish) != of.wish,
        of.is_message,
        of.xml.local.empty(),
        of.kind,
        of.xml.ns,
        of.wish);
}

class Naming {
public:
    Naming(Tables& tables, const std::set<const Declaration*>& used) : tables_(tables) {
        for (Declaration& each : tables.declarations)
            if (used.contains(&each)) all_.push_back(&each);
        for (const Declaration* each : all_)
            if (each->kind == Declaration::Kind::enumeration)
                for (const EnumValue& value : each->values)
                    enumerators_.insert(value_name(value.text));
        sorted_ = all_;
        std::stable_sort(
            sorted_.begin(), sorted_.end(), [&](const Declaration* a, const Declaration* b) {
                return rank(*a, tables.common_ns) < rank(*b, tables.common_ns);
            });
    }

    void give() {
        name_types_in_xml();
        for (Class& each : tables_.classes)
            each.cpp = types_.unused(type_name(each.from->name));
        for (Declaration* each : sorted_)
            if (!each->owner) name_declaration(*each);
        name_parts();
        name_insides();
        for (Class& each : tables_.classes) {
            Scope methods;
            for (Method& method : each.methods)
                method.name = methods.unused(value_name(method.operation->name));
        }
    }

private:
    /// Names in XML for types that have none, which no other type of their namespace has.
    void name_types_in_xml() {
        std::map<std::string, Scope> scopes;
        const auto has_name = [](const Declaration& each) { return !each.xml.local.empty(); };
        for (const Declaration* each : sorted_)
            if (has_name(*each)) scopes[each->xml.ns].take(each->xml.local);
        for (Declaration* each : sorted_)
            if (!has_name(*each) && !each->is_message && !each->owner)
                each->xml.local = scopes[each->xml.ns].unused(each->wish);
    }

    void name_declaration(Declaration& of) {
        const bool is_constant = of.kind == Declaration::Kind::simple;
        Scope& scope = is_constant ? constants_ : types_;
        const std::string& from = of.xml.local.empty() ? of.wish : of.xml.local;
        std::string name = is_constant ? value_name(from) : type_name(from);
        if (scope.has(name) && of.xml.ns != tables_.common_ns) {
            const std::string word = word_of(of.xml.ns);
            const std::string longer =
                is_constant ? value_name(word + capitalised(from)) : word + name;
            if (!word.empty()) name = longer;
        }
        // Compilers warn of an enumerator that hides a constant, which programs name more rarely.
        if (is_constant && enumerators_.contains(name)) name += "_type";
        if (scope.has(name) && !is_constant) name += of.is_message ? "Message" : "Type";
        of.cpp = scope.unused(name);
    }

    /// What is a part of a struct is called after it; outer parts come before inner ones.
    void name_parts() {
        for (Declaration* each : all_) {
            if (!each->owner) continue;
            const bool is_choice = each->kind == Declaration::Kind::choice;
            each->cpp = types_.unused(each->owner->cpp + (is_choice ? "Choice" : "Group"));
        }
    }

    /// Bases come before what extends them, whose members are named around theirs.
    void name_insides() {
        std::set<const Declaration*> done;
        for (Declaration* each : all_) {
            std::vector<Declaration*> chain;
            for (Declaration* at = each; at && done.insert(at).second; at = at->base)
                chain.push_back(at);
            for (; !chain.empty(); chain.pop_back())
                chain.back()->kind == Declaration::Kind::enumeration ? name_values(*chain.back())
                                                                     : name_members(*chain.back());
        }
    }

    /// Values whose name is theirs alone come first, so that a new value renames none of them.
    static void name_values(Declaration& of) {
        Scope scope;
        std::map<std::string, std::size_t> wished;
        for (const EnumValue& each : of.values)
            ++wished[value_name(each.text)];
        for (EnumValue& each : of.values)
            if (wished[value_name(each.text)] == 1) each.name = scope.unused(value_name(each.text));
        for (EnumValue& each : of.values)
            if (each.name.empty()) each.name = scope.unused(value_name(each.text));
    }

    static void name_members(Declaration& of) {
        Scope scope;
        for (const Declaration* base = of.base; base; base = base->base)
            for (const Row& each : base->rows)
                scope.take(each.member);
        for (Row& each : of.rows) {
            std::string name = member_wish(each);
            if (each.kind == Row::Kind::attribute && scope.has(name)) name += "_attribute";
            each.member = scope.unused(name);
        }
    }

    static std::string member_wish(const Row& of) {
        const Declaration* const part = of.type.declared;
        if (of.kind == Row::Kind::group && part && part->kind == Declaration::Kind::choice)
            return "choice";
        if (!of.name.local.empty()) return value_name(of.name.local, "n");
        switch (of.kind) {
        case Row::Kind::content: return "content";
        case Row::Kind::any: return "others";
        case Row::Kind::any_attribute: return "other_attributes";
        default: return "group";
        }
    }

    Tables& tables_;
    std::vector<Declaration*> all_;  ///< in the order in which they were made
    std::vector<Declaration*> sorted_;
    Scope types_;  ///< structs, enumerations and classes
    Scope constants_;
    std::set<std::string> enumerators_;
};

}  // namespace

void give_names(Tables& tables, const std::set<const Declaration*>& used) {
    Naming(tables, used).give();
}

}  // namespace importer
