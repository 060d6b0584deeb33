// Text to value and back ([text]). The first byte chooses the type, the rest is the text. When it
// parses, the text that is written of the value must parse to an equal value, be written the same
// again, and need no escaping. Any text, as a string, must survive an element and an attribute.
#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include "fuzz.hpp"
#include "soapsvc.hpp"

namespace {

using soapsvc::detail::from_text;
using soapsvc::detail::to_text;

template <class T>
std::string written(const T& value) {
    std::string text;
    to_text(text, value);
    return text;
}

/// Equal as XML Schema part 2 says, but that NaN equals itself here (3.2.4 and 3.2.5), and that the
/// bits count, so that the sign of zero is kept.
template <class T>
bool same(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
    else
        return a == b;
}

/// What a field of the value says beyond what its comparison looks at.
std::string facts(const soapsvc::date& value) {
    return std::to_string(value.year) + ' ' + std::to_string(value.month) + ' ' +
           std::to_string(value.day) + ' ' + std::to_string(value.offset_minutes.value_or(9'999));
}
std::string facts(const soapsvc::date_time& value) {
    const soapsvc::date day{value.year, value.month, value.day, value.offset_minutes};
    return facts(day) + ' ' + std::to_string(value.hour) + ' ' + std::to_string(value.minute) +
           ' ' + std::to_string(value.second) + ' ' + std::to_string(value.nanosecond);
}
std::string facts(const soapsvc::time& value) { return facts(value.on({})); }
std::string facts(const soapsvc::duration& value) {
    return std::to_string(value.months) + ' ' + std::to_string(value.seconds) + ' ' +
           std::to_string(value.nanoseconds);
}
template <soapsvc::detail::part_of_date Part>
std::string facts(const Part& value) {
    return facts(value.first_day());
}
template <class T>
std::string facts(const T&) {
    return {};
}

/// The other ways that a value has out of its type, which must agree with its text.
void check_conversions(const soapsvc::date& value) {
    fuzz::require(value.ok(), "a date that was read is ok()");
    if (const auto day = value.to_year_month_day())
        fuzz::require(
            facts(soapsvc::date::from(*day)) ==
                facts(soapsvc::date{value.year, value.month, value.day}),
            "a date survives std::chrono");
}
void check_conversions(const soapsvc::date_time& value) {
    fuzz::require(value.ok(), "a date_time that was read is ok()");
    if (const auto moment = value.to_sys_time())
        fuzz::require(
            facts(soapsvc::date_time::from(*moment, value.offset_minutes.value_or(0))) ==
                facts(value),
            "a date_time survives std::chrono");
    const auto seconds = value.to_sys_seconds();
    fuzz::require(seconds.has_value() == value.offset_minutes.has_value(), "to_sys_seconds");
}
void check_conversions(const soapsvc::decimal& value) {
    const auto scale = static_cast<unsigned>(std::min<std::size_t>(value.scale(), 40));
    if (const auto units = value.units(scale))
        fuzz::require(soapsvc::decimal(*units, scale) == value, "a decimal survives its units");
}
void check_conversions(const soapsvc::integer& value) {
    if (const auto number = value.to_int64())
        fuzz::require(soapsvc::integer(*number) == value, "an integer survives 64 bits");
    if (const auto number = value.to_uint64())
        fuzz::require(soapsvc::integer(*number) == value, "an integer survives 64 bits");
    const auto digits = soapsvc::detail::digits_of(soapsvc::detail::type_kind::integer, &value);
    fuzz::require(digits.total >= 1 && digits.fraction == 0, "an integer has digits");
}
void check_conversions(const soapsvc::duration& value) {
    fuzz::require(value.ok(), "a duration that was read is ok()");
    if (const auto length = value.to_nanoseconds())
        fuzz::require(
            facts(soapsvc::duration::from(*length)) == facts(value),
            "a duration survives std::chrono");
    const soapsvc::duration most{.months = std::numeric_limits<std::int64_t>::max()};
    fuzz::require(value <= most || value.seconds > 0, "no duration has more months");
}
template <class T>
void check_conversions(const T&) {}

template <class T>
void check(std::string_view text) {
    T value{};
    if (!from_text(text, value)) return;
    const std::string canonical = written(value);
    fuzz::require(canonical.find_first_of("<>&\r\n\t") == canonical.npos, "needs no escaping");
    T again{};
    fuzz::require(from_text(canonical, again), "what is written can be read", canonical);
    fuzz::require(same(value, again), "what is written is equal", canonical);
    fuzz::require(facts(value) == facts(again), "what is written says the same", canonical);
    fuzz::require(written(again) == canonical, "what is written is written again", canonical);
    T spaced{};
    fuzz::require(from_text(" \t\r\n" + canonical + " \n", spaced), "space collapses", canonical);
    fuzz::require(same(value, spaced), "space means nothing", canonical);
    check_conversions(value);
}

/// Escaped text comes back as it was (XML 1.0, 2.11 and 3.3.3), and what is no XML text is refused.
void check_string(std::string_view text) {
    std::string markup = "<a b=\"";
    bool refused = false;
    try {
        soapsvc::detail::append_escaped_attribute(markup, text);
        markup += "\">";
        soapsvc::detail::append_escaped(markup, text);
        markup += "</a>";
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    const bool bad = soapsvc::detail::find_bad_char(text) != text.npos;
    fuzz::require(refused == bad, "text is refused when it is no XML text, and only then");
    if (refused) return;
    static soapsvc::detail::xml_document document;
    const auto root = document.parse(markup, "utf-8", soapsvc::limits{});
    fuzz::require(root.text() == text, "text survives", markup);
    fuzz::require(root.attribute("", "b") == text, "an attribute survives", markup);
    std::string value;
    fuzz::require(from_text(root.text(), value) && value == text, "a string is its text");
}

/// UTF-8 by the table of Unicode, 3-7, written out: what decode_utf8 is held against.
bool is_utf8(std::string_view text) {
    const auto byte = [&](std::size_t at) -> unsigned {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
    };
    const auto in = [](unsigned value, unsigned low, unsigned high) {
        return value >= low && value <= high;
    };
    for (std::size_t at = 0; at < text.size();) {
        const unsigned a = byte(at);
        const unsigned b = byte(at + 1);
        const bool c = in(byte(at + 2), 0x80, 0xBF);
        const bool d = in(byte(at + 3), 0x80, 0xBF);
        if (a < 0x80)
            at += 1;
        else if (in(a, 0xC2, 0xDF) && in(b, 0x80, 0xBF))
            at += 2;
        else if (in(a, 0xE0, 0xEF) && c && in(b, a == 0xE0 ? 0xA0 : 0x80, a == 0xED ? 0x9F : 0xBF))
            at += 3;
        else if (
            in(a, 0xF0, 0xF4) && c && d && in(b, a == 0xF0 ? 0x90 : 0x80, a == 0xF4 ? 0x8F : 0xBF))
            at += 4;
        else
            return false;
    }
    return true;
}

void check_characters(std::string_view text) {
    bool good = true;
    for (std::string_view rest = text; !rest.empty() && good;) {
        const auto next = soapsvc::detail::decode_utf8(rest);
        good = next.length != 0;
        std::string again;
        if (good) soapsvc::detail::append_utf8(again, next.value);
        fuzz::require(again == rest.substr(0, next.length), "a character is written as it was");
        rest.remove_prefix(next.length);
    }
    fuzz::require(good == is_utf8(text), "UTF-8 is what Unicode says");
}

using check_function = void (*)(std::string_view);

template <class... Types>
constexpr auto checks_of(std::type_identity<soapsvc::detail::type_list<Types...>>) {
    return std::array<check_function, sizeof...(Types)>{[](std::string_view text) {
        if constexpr (std::is_same_v<Types, std::string>)
            check_string(text);
        else
            check<Types>(text);
    }...};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static constexpr auto checks = checks_of(std::type_identity<soapsvc::detail::simple_types>{});
    if (size == 0) return 0;
    const std::string_view text = fuzz::text_of(data + 1, size - 1);
    check_characters(text);
    checks[static_cast<std::uint8_t>(data[0] - 'a') % checks.size()](text);
    return 0;
}
