// The unit in which the header's implementation is compiled: see meson.build.
#include "reader.hpp"

namespace importer {

namespace detail = soapsvc::detail;

/// Far above the largest contracts that are known (2 MB in a file, 700 KB of them one schema).
static const soapsvc::message_limits bounds{
    .max_body_bytes = 64 * 1024 * 1024,
    .max_depth = 128,
    .max_elements = 2'000'000,
    .max_attributes = 256,
    .max_namespaces = 1'024,
    .max_name_bytes = 1'024,
    .max_text_bytes = 16 * 1024 * 1024,
};

static detail::node as_node(const detail::element_record* at) noexcept { return detail::node(at); }

static Node from_node(detail::node at) noexcept {
    static_assert(sizeof(detail::node) == sizeof(const detail::element_record*));
    return Node(std::bit_cast<const detail::element_record*>(at));
}

std::string_view Node::ns() const noexcept { return as_node(at_).ns(); }
std::string_view Node::local() const noexcept { return as_node(at_).local(); }
bool Node::is(std::string_view ns, std::string_view local) const noexcept {
    return as_node(at_).is(ns, local);
}
std::string_view Node::text() const noexcept { return as_node(at_).text(); }
Node Node::first_child() const noexcept { return from_node(as_node(at_).first_child()); }
Node Node::next_sibling() const noexcept { return from_node(as_node(at_).next_sibling()); }
std::optional<std::string_view> Node::attribute(std::string_view local) const noexcept {
    return as_node(at_).attribute({}, local);
}
std::optional<std::string_view> Node::attribute(
    std::string_view ns, std::string_view local) const noexcept {
    return soapsvc::detail::node(at_).attribute(ns, local);
}
std::optional<std::string_view> Node::namespace_of(std::string_view prefix) const noexcept {
    return as_node(at_).namespace_of(prefix);
}
std::string_view Node::source() const noexcept { return as_node(at_).source(); }

struct Reader::State {
    detail::xml_document document;
};

Reader::Reader() : state_(std::make_unique<State>()) {}
Reader::~Reader() = default;
Node Reader::read(std::string_view text) {
    return from_node(state_->document.parse(text, "utf-8", bounds));
}

std::size_t most_document_bytes() noexcept { return bounds.max_body_bytes; }

std::string in_utf8(std::string bytes) {
    const detail::encoding_choice choice = detail::choose_encoding(bytes, {});
    bytes.erase(0, choice.mark);
    detail::encoding used = choice.used;
    if (!choice.known && bytes.starts_with("<?xml")) {
        const std::string_view head = std::string_view(bytes).substr(0, bytes.find("?>"));
        const std::size_t said = head.find("encoding");
        const std::size_t open =
            said == std::string_view::npos ? said : head.find_first_of("\"'", said);
        if (open != std::string_view::npos) {
            const std::size_t close = head.find(head[open], open + 1);
            const std::string_view label = head.substr(open + 1, close - open - 1);
            const detail::encoding_label* const known = detail::find_encoding(label);
            if (!known) detail::refuse_encoding(label);
            used = known->meant;
        }
    }
    if (used == detail::encoding::utf_8 || used == detail::encoding::us_ascii) return bytes;
    std::string made;
    if (!detail::to_utf8(bytes, used, made))
        throw std::runtime_error("line 1, column 1: bytes that are not UTF-16");
    return made;
}

std::optional<std::string> pattern_problem(const std::string& expression) {
    try {
        static_cast<void>(detail::pattern(expression));
        return std::nullopt;
    } catch (const std::exception& error) {
        return error.what();
    }
}

bool is_value_of(std::string_view cpp_type, std::string_view text) {
    // In the order of the kinds.
    static constexpr std::string_view names[] = {
        "bool",
        "std::int8_t",
        "std::int16_t",
        "std::int32_t",
        "std::int64_t",
        "std::uint8_t",
        "std::uint16_t",
        "std::uint32_t",
        "std::uint64_t",
        "float",
        "double",
        "std::string",
        "soapsvc::binary",
        "soapsvc::date",
        "soapsvc::date_time",
        "soapsvc::decimal",
        "soapsvc::integer",
        "soapsvc::time",
        "soapsvc::duration",
        "soapsvc::g_year",
        "soapsvc::g_year_month",
        "soapsvc::g_month",
        "soapsvc::g_month_day",
        "soapsvc::g_day",
        "soapsvc::hex_binary"};
    const auto known = std::find(std::begin(names), std::end(names), cpp_type);
    if (known == std::end(names)) return false;
    const auto kind = static_cast<std::uint8_t>(known - std::begin(names) + 1);
    return detail::is_value(text, {static_cast<detail::type_kind>(kind)});
}

std::optional<std::string_view> take_item(std::string_view& list) noexcept {
    return detail::take_item(list);
}

}  // namespace importer
