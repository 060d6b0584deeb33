// soapsvc.hpp: SOAP 1.1 and 1.2 web services from plain C++20 structs and a table of operations.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The soapsvc authors
//
// A whole service. It answers SOAP 1.1 and 1.2, ?wsdl, and GET with a page for people:
//
//     #include "soapsvc.hpp"
//
//     struct Greet {
//         std::string name;
//     };
//     template <>
//     inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));
//
//     class Hello {
//     public:
//         std::string greet(const Greet& request) { return "Hello, " + request.name + "!"; }
//     };
//     template <>
//     inline constexpr auto soapsvc::schema<Hello> =
//         service("Hello", operation("Greet", &Hello::greet, doc("Greets by name.")));
//
//     int main() {
//         Hello hello;
//         soapsvc::host host{{.ns_base = "http://localhost:8080"}};
//         host.add(hello);
//         host.listen("127.0.0.1", 8080);
//     }
//
// Contents; search for the key. A section uses only sections before it.
//
// The interface: all that a program sees.
//
//  [configuration]  version, switches, what is included
//  [vocabulary]     versions, faults, limits; date, duration, decimal and their like
//  [tables]         field, record, value, enumeration, operation, service, and their checks
//  [services]       requests and replies, options, reports, interceptors; the dispatcher
//  [host]           the dispatcher behind HTTP and HTTPS
//  [client]         typed calls over the same tables
//
// The implementation: what is compiled once, if you like. Search for IMPLEMENTATION.
//
//  [text]           values to and from XML text, escaping, UTF-8 and XML characters
//  [patterns]       regular expressions of XML Schema
//  [reading]        well-formedness, namespaces, limits; the tree
//  [writing]        an append-only writer
//  [codec]          structs to and from elements, driven by the tables
//  [envelope]       SOAP 1.1 and 1.2 around the payload, header blocks, faults
//  [facts]          what is believed of an HTTP request, and who may call
//  [call]           one request on its way through: decode, call, encode
//  [description]    WSDL and help pages
//  [dispatch]       routes: services, pages, refusals
//  [http]           HTTP/1.1 from bytes and to bytes
//  [connections]    sockets, TLS, and what is held for each caller
//  [loop]           threads, deadlines, a clean stop
//  [calling]        the client's side of SOAP and HTTP
//
// Needs RapidXML. The host, and the client's own HTTP, need Linux, OpenSSL 3 and zlib as well:
// -lssl -lcrypto -lz -pthread. The README has the table of C++ types and their XML. The compiler's
// messages about a table begin "soapsvc:".

#ifndef SOAPSVC_HPP
#define SOAPSVC_HPP

// ================================================================================================
// [configuration] Version, switches and what is included
// ================================================================================================
// Include it anywhere: then each unit compiles all of it. A program of many units defines
// SOAPSVC_SPLIT in all, by the compiler's command line, and in one SOAPSVC_IMPLEMENTATION as well,
// which alone compiles what is below the interface. No switch changes a public type's layout.
//
//  SOAPSVC_SPLIT           below the interface, nothing is compiled but in one unit ...
//  SOAPSVC_IMPLEMENTATION  ... this one
//  SOAPSVC_NO_HOST         no host, and no client that opens connections: needs neither sockets,
//                          OpenSSL nor zlib. For units with a dispatcher, or with tables alone.
//  SOAPSVC_VERSION...      not for you to define: the version of this file
//  SOAPSVC_INLINE          not for you to define: what functions declared in the interface are

#define SOAPSVC_VERSION "0.1.0"
#define SOAPSVC_VERSION_MAJOR 0
#define SOAPSVC_VERSION_MINOR 1
#define SOAPSVC_VERSION_PATCH 0

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "soapsvc: this header needs C++20; compile with -std=c++20"
#endif
#if defined(SOAPSVC_IMPLEMENTATION) && !defined(SOAPSVC_SPLIT)
#error "soapsvc: SOAPSVC_IMPLEMENTATION goes with SOAPSVC_SPLIT, which all units define"
#endif

#if defined(SOAPSVC_SPLIT)
#define SOAPSVC_INLINE
#else
#define SOAPSVC_INLINE inline
#endif

// Each unit says which way it is compiled, by the value of a symbol that takes no room: a linker
// takes one value from any number of units, and names the symbol when two meet. Rejected: an inline
// namespace for one way: a user's own templates would have two names, and nobody says why.
#if defined(__ELF__)
#if defined(SOAPSVC_SPLIT)
__asm__(
    ".globl soapsvc_SOAPSVC_SPLIT_must_be_defined_in_all_units_or_in_none\n\t"
    ".set soapsvc_SOAPSVC_SPLIT_must_be_defined_in_all_units_or_in_none, 2");
#else
__asm__(
    ".globl soapsvc_SOAPSVC_SPLIT_must_be_defined_in_all_units_or_in_none\n\t"
    ".set soapsvc_SOAPSVC_SPLIT_must_be_defined_in_all_units_or_in_none, 1");
#endif
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

// ================================================================================================
// [vocabulary] The words that every other section uses
// ================================================================================================
// Versions, faults, limits and the value types that XML Schema has and C++ has not. A fault carries
// its detail as a C++ record: it becomes XML when the fault is written, in the version of the
// message that it answers.

namespace soapsvc {

/// Which SOAP a message speaks. Decided by the namespace of its Envelope element and nothing else
/// (SOAP 1.2 part 1, 5.1; SOAP 1.1, 4.1.2).
enum class soap_version : std::uint8_t { v1_1, v1_2 };

/// What went wrong, in the terms of both versions (SOAP 1.1, 4.4.1; SOAP 1.2 part 1, 5.4.6).
/// `client` is written as Client in 1.1 and Sender in 1.2, `server` as Server and Receiver;
/// `data_encoding_unknown` exists in 1.2 only and is written as Client in 1.1.
enum class fault_code : std::uint8_t {
    client,
    server,
    version_mismatch,
    must_understand,
    data_encoding_unknown,
    sender = client,
    receiver = server
};

/// What to do with a child element of the service's namespace that the table does not list.
enum class unknown_elements : std::uint8_t {
    refuse,  ///< a Client/Sender fault that names it: nothing the sender meant is lost silently
    ignore  ///< skip it: for old clients that send more than the table knows
};

/// The bounds on one message. Each is checked before the memory it protects is spent; a message
/// over a bound gets a Client/Sender fault that names the bound (HTTP 413 for `body_bytes`).
struct limits {
    std::size_t body_bytes = 16'777'216;  ///< request body, after content and character decoding
    /// Elements open at the same time. Costs no stack, but for records that hold themselves: each
    /// level of these takes up to 400 bytes (a kilobyte when nothing is optimised).
    std::size_t depth = 128;
    std::size_t elements = 500'000;  ///< elements, and attributes; an element takes 128 bytes
    std::size_t attributes = 256;  ///< attributes of one element, declarations included
    std::size_t namespaces = 1'024;  ///< namespace declarations in scope at the same time
    std::size_t name_bytes = 1'024;  ///< one element or attribute name, prefix included
    std::size_t text_bytes = 16'777'216;  ///< the text of one element or attribute
    std::size_t header_blocks = 1'000;  ///< children of the Header element
};

namespace detail {

/// One character and how many bytes it took; length 0 says that there is none.
struct decoded_char {
    char32_t value = 0;
    unsigned length = 0;
};

/// The character at the beginning of `at`. Overlong forms, surrogates, values beyond 10FFFF and
/// truncated sequences are none (Unicode, table 3-7).
constexpr decoded_char decode_utf8(std::string_view at) noexcept {
    if (at.empty()) return {};
    const char32_t lead = static_cast<unsigned char>(at.front());
    if (lead < 0x80) return {lead, 1};
    const unsigned length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at.size() < length) return {};
    char32_t value = lead & (0x7FU >> length);
    for (unsigned i = 1; i < length; ++i) {
        const char32_t next = static_cast<unsigned char>(at[i]);
        if ((next & 0xC0U) != 0x80) return {};
        value = value << 6U | (next & 0x3FU);
    }
    const char32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    return value < least || value > 0x10FFFF || is_surrogate ? decoded_char{}
                                                             : decoded_char{value, length};
}

/// XML 1.0, [2] Char.
constexpr bool is_xml_char(char32_t c) noexcept {
    if (c < 0x20) return c == 0x9 || c == 0xA || c == 0xD;
    return c <= 0xD7FF || (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

/// XML 1.0, [3] S. Not std::isspace, which knows more and asks the locale.
constexpr bool is_xml_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Namespaces in XML 1.0, [6] NCNameStartChar: XML 1.0, [4] without the colon.
inline constexpr char32_t ncname_start_ranges[][2] = {
    {'A', 'Z'},
    {'_', '_'},
    {'a', 'z'},
    {0xC0, 0xD6},
    {0xD8, 0xF6},
    {0xF8, 0x2FF},
    {0x370, 0x37D},
    {0x37F, 0x1FFF},
    {0x200C, 0x200D},
    {0x2070, 0x218F},
    {0x2C00, 0x2FEF},
    {0x3001, 0xD7FF},
    {0xF900, 0xFDCF},
    {0xFDF0, 0xFFFD},
    {0x10000, 0xEFFFF}};
constexpr bool is_ncname_start(char32_t c) noexcept {
    if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    for (const auto& range : ncname_start_ranges)
        if (c <= range[1]) return c >= range[0];
    return false;
}

/// Namespaces in XML 1.0, [5] NCNameChar: XML 1.0, [4a] without the colon. These, and the above.
inline constexpr char32_t ncname_more_ranges[][2] = {
    {'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}};
constexpr bool is_ncname_char(char32_t c) noexcept {
    if (is_ncname_start(c)) return true;
    for (const auto& range : ncname_more_ranges)
        if (c <= range[1]) return c >= range[0];
    return false;
}

/// Whether `name` is an XML name without a colon.
constexpr bool is_ncname(std::string_view name) noexcept {
    decoded_char c = decode_utf8(name);
    if (c.length == 0 || !is_ncname_start(c.value)) return false;
    for (name.remove_prefix(c.length); !name.empty(); name.remove_prefix(c.length)) {
        c = decode_utf8(name);
        if (c.length == 0 || !is_ncname_char(c.value)) return false;
    }
    return true;
}

/// How many bytes the XML character at the beginning of `at` takes; 0 when there is none.
constexpr unsigned xml_char_length(std::string_view at) noexcept {
    const decoded_char c = decode_utf8(at);
    return is_xml_char(c.value) ? c.length : 0;
}

/// Whether collapsing white space leaves the text as it is (XML Schema part 2, 4.3.6), it is not
/// empty, and all of it can be sent. A received value never equals any other text.
constexpr bool is_collapsed_token(std::string_view text) noexcept {
    bool after_space = true;  // as the beginning: no space may follow
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
        const bool is_space = *at == ' ';
        if (is_space && after_space) return false;
        unsigned length = 1;
        if (static_cast<signed char>(*at) < ' ') {  // a control character, or beyond ASCII
            length = xml_char_length({at, static_cast<std::size_t>(end - at)});
            if (length == 0 || is_xml_space(*at)) return false;
        }
        after_space = is_space;
        at += length;
    }
    return !after_space;
}

/// The built-in types of XML Schema that are strings (part 2, 3.2.1, 3.2.17 and 3.3.1 to 3.3.11),
/// in the order of `string_form_table` in [text].
enum class string_form : std::uint8_t {
    string,
    normalized,
    token,
    language,
    name,
    ncname,
    nmtoken,
    id,
    idref,
    entity,
    any_uri
};

struct record_info;  // a table's description: see [codec]
struct fragment;  // [codec]

/// The typed detail of a fault, or a header block of it: a value, and what its table says.
struct fault_detail {
    std::shared_ptr<const void> value;
    const record_info& (*record)() = nullptr;
    const std::type_info* type = nullptr;
};

}  // namespace detail

/// A qualified name: `ns` is the namespace name, empty for none.
struct qualified_name {
    std::string ns;
    std::string local;
    friend bool operator==(const qualified_name&, const qualified_name&) = default;
};

/// What a handler throws to tell the caller something. Its reason is sent as it is, so it must hold
/// nothing that the caller may not see. Every other exception becomes one fixed Server fault with
/// an incident id; its text stays in the log. What the typed client throws when another service
/// answers with a fault is a `remote_fault`, and no `fault`.
///
///     throw soapsvc::fault(soapsvc::fault_code::client, "no such employee").with(Error{2003});
class fault : public std::exception {
public:
    /// `reason` is UTF-8 text for a person: faultstring in 1.1, Reason/Text (English) in 1.2.
    fault(fault_code code, std::string reason);
    fault(const fault&);  // these are no defaults here: each unit that throws would make its own
    fault(fault&&) noexcept;
    fault& operator=(const fault&);
    fault& operator=(fault&&) noexcept;
    ~fault() override;

    /// Adds a record, with a table of its own, as the one child of the detail element, in the
    /// service's namespace. Replaces an earlier one. (SOAP 1.1, 4.4; SOAP 1.2 part 1, 5.4.5)
    template <class Detail>
    fault with(Detail detail) const;

    /// Adds a header block, a record with a named table, to the message that the fault is sent in;
    /// one that is there already stays. (SOAP 1.1, 4.2; SOAP 1.2 part 1, 5.2)
    template <class Header>
    fault with_header(Header header) const;

    /// Adds a subcode: an NCName, qualified with the service's namespace. Written in 1.2 only;
    /// SOAP 1.1 has no place for it. (SOAP 1.2 part 1, 5.4.1.3)
    fault with_subcode(std::string name) const;

    /// Says that a header block caused this, not the body: SOAP 1.1 forbids a detail element then
    /// (4.4), so none is written in 1.1; 1.2 carries it.
    fault about_header() const;

    /// Adds the header blocks that were not understood; 1.2 names each in a NotUnderstood header
    /// block (SOAP 1.2 part 1, 5.4.8).
    fault with_not_understood(std::vector<qualified_name> names) const;

    /// Answers with this HTTP status, 400 to 599, instead of the one that the SOAP version asks
    /// for. Throws std::invalid_argument for any other: a fault under a status of success, or of an
    /// answer that is still to come, is none to whoever reads the status first.
    fault with_status(int status) const;

    fault_code code() const noexcept { return code_; }
    const std::string& reason() const noexcept { return reason_; }
    const std::string& subcode() const noexcept { return subcode_; }  ///< empty for none
    bool is_about_header() const noexcept { return about_header_; }
    const std::vector<qualified_name>& not_understood() const noexcept { return not_understood_; }
    int status() const noexcept { return status_; }  ///< 0: as the SOAP version asks for

    /// The typed detail, or nullptr when there is none or it is of another type.
    template <class Detail>
    const Detail* detail_as() const noexcept {
        const bool same = detail_.type != nullptr && *detail_.type == typeid(Detail);
        return same ? static_cast<const Detail*>(detail_.value.get()) : nullptr;
    }
    const detail::fault_detail& typed_detail() const noexcept { return detail_; }
    const std::vector<detail::fault_detail>& header_blocks() const noexcept { return headers_; }

    const char* what() const noexcept override { return reason_.c_str(); }

private:
    fault_code code_;
    bool about_header_ = false;
    int status_ = 0;
    std::string reason_;
    std::string subcode_;
    std::vector<qualified_name> not_understood_;
    detail::fault_detail detail_;
    std::vector<detail::fault_detail> headers_;
};

/// An XML name without a colon (Namespaces in XML 1.0, 4: NCName), checked while compiling.
struct element_name {
    std::string_view text;
    // NOLINTNEXTLINE(google-explicit-constructor): a table's row reads field("Id", ...)
    constexpr element_name(const char* literal) {
        const char* end = literal;  // few steps for most names: compilers count those of a table
        while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') || *end == '_')
            ++end;
        text = *end == '\0' ? std::string_view(literal, end) : std::string_view(literal);
        if (*end != '\0' ? !detail::is_ncname(text) : text.empty())
            throw "soapsvc: this is not an XML name: begin with a letter or '_', go on with "
                  "letters, digits, '_', '-' or '.'";
    }
};

/// A header block as it came: where it is addressed to and its own XML, for a handler that wants
/// one its table does not name. The views live as long as the call. (SOAP 1.2 part 1, 5.2.1)
struct header_block {
    std::string_view ns;
    std::string_view local;
    /// Actor in 1.1, role in 1.2; empty: the ultimate receiver. A relative role that xml:base makes
    /// one of SOAP's own is given as that one.
    std::string_view role;
    bool must_understand = false;
    std::string_view xml;  ///< the element's own text, UTF-8; prefixes may be declared further out
};

/// What a handler may know about the call that it serves, as its last parameter. The views live as
/// long as the call.
struct context {
    std::string_view operation;  ///< its name in the table
    soap_version version = soap_version::v1_1;  ///< of the request, and of the reply
    std::string_view peer;  ///< address of the caller; empty when unknown
    std::string_view request_id;  ///< X-Request-Id of the request, or one made here
    std::string_view certificate_subject;  ///< of a verified client certificate, else empty
    std::span<const header_block> header_blocks;
};

// -- The value types that XML Schema has and C++ has not ---------------------------------------
// Each keeps what was sent and compares by value, as XML Schema part 2 defines it (cited below):
// 10.5 == 10.50 and 13:00+01:00 == 12:00Z. Constructors are explicit and the dates are aggregates:
// a converting constructor would also convert the probe that counts a message struct's members.
//
// text() is what is sent; it throws std::invalid_argument where ok() is false. parse() reads what
// may be received, but for white space around it; any other text is nullopt.

/// Bytes, on the wire as xs:base64Binary (XML Schema part 2, 3.2.16).
struct binary {
    std::vector<std::uint8_t> bytes;

    std::string text() const;
    static std::optional<binary> parse(std::string_view text);

    friend bool operator==(const binary&, const binary&) = default;
    friend auto operator<=>(const binary&, const binary&) = default;
};

/// Bytes, on the wire as xs:hexBinary (XML Schema part 2, 3.2.15): two digits each, written in
/// upper case and read in either.
struct hex_binary {
    std::vector<std::uint8_t> bytes;

    std::string text() const;
    static std::optional<hex_binary> parse(std::string_view text);

    friend bool operator==(const hex_binary&, const hex_binary&) = default;
    friend auto operator<=>(const hex_binary&, const hex_binary&) = default;
};

namespace detail {

/// The types that are numbers, of those that C++ calls integral.
template <class T>
concept whole_number = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                       !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                       !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// A point on one of the two timelines of XML Schema part 2, 3.2.7: UTC for values that have an
/// offset, local time somewhere for those that have none. Seconds since 1970, rounded down.
struct timeline_point {
    std::int64_t seconds = 0;
    std::int32_t nanoseconds = 0;
    bool has_offset = false;
};

/// The order of XML Schema part 2, 3.2.7.4: across the two timelines it is known only beyond 14
/// hours, because "local time somewhere" may be anything from UTC-14 to UTC+14.
constexpr std::partial_ordering compare(timeline_point a, timeline_point b) noexcept {
    constexpr std::int64_t widest = std::int64_t{14} * 3600;
    const auto shifted = [&](std::int64_t by) -> std::partial_ordering {
        const std::int64_t b_seconds = b.seconds + by;
        return a.seconds != b_seconds ? a.seconds <=> b_seconds : a.nanoseconds <=> b.nanoseconds;
    };
    if (a.has_offset == b.has_offset) return shifted(0);
    if (std::is_lt(shifted(-widest))) return std::partial_ordering::less;
    if (std::is_gt(shifted(widest))) return std::partial_ordering::greater;
    return std::partial_ordering::unordered;
}

/// The year as std::chrono and astronomers count it. XML Schema 1.0 has no year 0: -1 is 1 BCE,
/// the year before 1, and a leap year (part 2, 3.2.7, first note).
constexpr std::int64_t astronomical_year(std::int32_t year) noexcept {
    return year > 0 ? std::int64_t{year} : std::int64_t{year} + 1;
}

constexpr std::int32_t days_in_month(std::int32_t year, std::int32_t month) noexcept {
    const std::int64_t y = astronomical_year(year);
    if (month == 2) return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

constexpr bool is_calendar_day(std::int32_t year, std::int32_t month, std::int32_t day) noexcept {
    return year != 0 && month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

/// XML Schema part 2, 3.2.7.3: at most 14 hours.
constexpr bool is_utc_offset(std::optional<std::int32_t> minutes) noexcept {
    return !minutes || (*minutes >= -14 * 60 && *minutes <= 14 * 60);
}

/// Days since 1970-01-01. std::chrono's years end at 32767, so whole cycles of 400 years, which
/// have the same number of days each, are counted apart.
constexpr std::int64_t days_since_epoch(
    std::int32_t year, std::int32_t month, std::int32_t day) noexcept {
    using namespace std::chrono;
    const std::int64_t y = astronomical_year(year);
    const std::int64_t in_cycle = (y % 400 + 400) % 400;
    const year_month_day near{
        std::chrono::year{static_cast<int>(in_cycle)},
        std::chrono::month{static_cast<unsigned>(month)},
        std::chrono::day{static_cast<unsigned>(day)}};
    constexpr std::int64_t days_in_cycle = 146'097;
    return std::int64_t{sys_days{near}.time_since_epoch().count()} +
           (y - in_cycle) / 400 * days_in_cycle;
}

}  // namespace detail

/// A calendar day, on the wire as xs:date (XML Schema part 2, 3.2.9). The offset is kept as it was
/// sent ("Z" is 0). Comparing two dates compares the moments at which they begin; a date with and
/// one without an offset are unordered when these may be the same.
///
///     auto today = soapsvc::date::from(std::chrono::floor<std::chrono::days>(now));
///     bool is_over = soapsvc::date{2024, 2, 29} < today;
struct date {
    std::int32_t year = 1;  ///< never 0; -1 is 1 BCE
    std::int32_t month = 1;
    std::int32_t day = 1;
    std::optional<std::int32_t> offset_minutes = {};  ///< east of UTC, -840 to 840

    /// Whether this is a day of the calendar. Every date that was received is; one that is not
    /// cannot be sent.
    constexpr bool ok() const noexcept {
        return detail::is_calendar_day(year, month, day) && detail::is_utc_offset(offset_minutes);
    }

    /// The same day without an offset. Throws std::invalid_argument when `from` is not ok().
    static constexpr date from(const std::chrono::year_month_day& from) {
        if (!from.ok()) throw std::invalid_argument("soapsvc: not a day of the calendar");
        const int y = int{from.year()};
        return date{
            y > 0 ? y : y - 1,
            static_cast<std::int32_t>(unsigned{from.month()}),
            static_cast<std::int32_t>(unsigned{from.day()})};
    }

    /// The same day, its offset left out; nullopt when it is not ok() or std::chrono has no such
    /// year (it ends at 32767).
    constexpr std::optional<std::chrono::year_month_day> to_year_month_day() const noexcept {
        const std::int64_t y = detail::astronomical_year(year);
        if (!ok() || y < int{std::chrono::year::min()} || y > int{std::chrono::year::max()})
            return std::nullopt;
        return std::chrono::year_month_day{
            std::chrono::year{static_cast<int>(y)},
            std::chrono::month{static_cast<unsigned>(month)},
            std::chrono::day{static_cast<unsigned>(day)}};
    }

    std::string text() const;
    static std::optional<date> parse(std::string_view text);

    friend constexpr std::partial_ordering operator<=>(const date& a, const date& b) noexcept {
        return detail::compare(a.begin(), b.begin());
    }
    friend constexpr bool operator==(const date& a, const date& b) noexcept {
        return std::is_eq(a <=> b);
    }

private:
    constexpr detail::timeline_point begin() const noexcept {
        const std::int64_t offset = offset_minutes.value_or(0);
        return {
            detail::days_since_epoch(year, month, day) * 86'400 - offset * 60,
            0,
            offset_minutes.has_value()};
    }
};

/// A moment, on the wire as xs:dateTime (XML Schema part 2, 3.2.7). The offset is kept as it was
/// sent ("Z" is 0), and so is its absence: then the value is local time somewhere, and compares
/// with one that has an offset only when they are more than 14 hours apart. Fractions of a second
/// are exact to the nanosecond; a text with finer ones is refused. There are no leap seconds.
///
///     auto sent = soapsvc::date_time::from(std::chrono::system_clock::now());
struct date_time {
    std::int32_t year = 1;  ///< never 0; -1 is 1 BCE
    std::int32_t month = 1;
    std::int32_t day = 1;
    std::int32_t hour = 0;
    std::int32_t minute = 0;
    std::int32_t second = 0;
    std::int32_t nanosecond = 0;
    std::optional<std::int32_t> offset_minutes = {};  ///< east of UTC, -840 to 840

    /// Whether this is a moment of the calendar. Every one that was received is; one that is not
    /// cannot be sent.
    constexpr bool ok() const noexcept {
        return detail::is_calendar_day(year, month, day) && hour >= 0 && hour <= 23 &&
               minute >= 0 && minute <= 59 && second >= 0 && second <= 59 && nanosecond >= 0 &&
               nanosecond <= 999'999'999 && detail::is_utc_offset(offset_minutes);
    }

    /// The moment as clocks show it that are `offset_minutes` east of UTC. Throws
    /// std::invalid_argument when that is more than 14 hours.
    static constexpr date_time from(
        std::chrono::sys_time<std::chrono::nanoseconds> moment, std::int32_t offset_minutes = 0) {
        using namespace std::chrono;
        if (!detail::is_utc_offset(offset_minutes))
            throw std::invalid_argument("soapsvc: an offset from UTC is at most 14 hours");
        // Seconds first: nanoseconds would overflow at the ends of their range.
        const auto utc = floor<std::chrono::seconds>(moment);
        constexpr nanoseconds unit = std::chrono::seconds{1};
        const nanoseconds rest = (moment.time_since_epoch() % unit + unit) % unit;
        const auto shown = utc + minutes{offset_minutes};
        const auto shown_day = floor<days>(shown);
        const soapsvc::date on = soapsvc::date::from(year_month_day{shown_day});
        const hh_mm_ss<std::chrono::seconds> at{shown - shown_day};
        return date_time{
            on.year,
            on.month,
            on.day,
            static_cast<std::int32_t>(at.hours().count()),
            static_cast<std::int32_t>(at.minutes().count()),
            static_cast<std::int32_t>(at.seconds().count()),
            static_cast<std::int32_t>(rest.count()),
            offset_minutes};
    }

    /// The same moment; nullopt when it has no offset, is not ok(), or lies outside the years 1677
    /// to 2262 that 64 bits of nanoseconds reach: for 9999-12-31 there is to_sys_seconds().
    constexpr std::optional<std::chrono::sys_time<std::chrono::nanoseconds>> to_sys_time()
        const noexcept {
        using std::chrono::nanoseconds;
        using point = std::chrono::sys_time<nanoseconds>;
        constexpr std::int64_t unit = 1'000'000'000;
        constexpr std::int64_t highest = nanoseconds::max().count();
        constexpr std::int64_t lowest = nanoseconds::min().count();
        const std::int64_t seconds = place().seconds;
        if (!ok() || !offset_minutes || seconds < lowest / unit - 1 || seconds > highest / unit)
            return std::nullopt;
        // Counted from the second that is nearer to 1970, so that no intermediate overflows.
        const std::int64_t base = (seconds < 0 ? seconds + 1 : seconds) * unit;
        const std::int64_t rest = seconds < 0 ? nanosecond - unit : nanosecond;
        if (rest < 0 ? base < lowest - rest : base > highest - rest) return std::nullopt;
        return point{nanoseconds{base + rest}};
    }

    /// The same moment without its fraction of a second, for any year; nullopt when it has no
    /// offset or is not ok().
    constexpr std::optional<std::chrono::sys_seconds> to_sys_seconds() const noexcept {
        if (!ok() || !offset_minutes) return std::nullopt;
        return std::chrono::sys_seconds{std::chrono::seconds{place().seconds}};
    }

    std::string text() const;
    static std::optional<date_time> parse(std::string_view text);

    friend constexpr std::partial_ordering operator<=>(
        const date_time& a, const date_time& b) noexcept {
        return detail::compare(a.place(), b.place());
    }
    friend constexpr bool operator==(const date_time& a, const date_time& b) noexcept {
        return std::is_eq(a <=> b);
    }

private:
    constexpr detail::timeline_point place() const noexcept {
        const std::int64_t minutes =
            std::int64_t{hour} * 60 + minute - std::int64_t{offset_minutes.value_or(0)};
        return {
            detail::days_since_epoch(year, month, day) * 86'400 + minutes * 60 + second,
            nanosecond,
            offset_minutes.has_value()};
    }
};

/// A time of day, on the wire as xs:time (XML Schema part 2, 3.2.8). Compared like two moments of
/// one day: 00:30+01:00 is before 23:00Z, though clocks that show them may do so together.
struct time {
    std::int32_t hour = 0;
    std::int32_t minute = 0;
    std::int32_t second = 0;
    std::int32_t nanosecond = 0;
    std::optional<std::int32_t> offset_minutes = {};  ///< east of UTC, -840 to 840

    /// This time of that day. The offset is this one's.
    constexpr date_time on(const date& at) const noexcept {
        return {at.year, at.month, at.day, hour, minute, second, nanosecond, offset_minutes};
    }
    constexpr bool ok() const noexcept { return on({1972, 12, 31}).ok(); }

    std::string text() const;
    static std::optional<time> parse(std::string_view text);

    friend constexpr std::partial_ordering operator<=>(const time& a, const time& b) noexcept {
        return a.on({1972, 12, 31}) <=> b.on({1972, 12, 31});
    }
    friend constexpr bool operator==(const time& a, const time& b) noexcept {
        return std::is_eq(a <=> b);
    }
};

/// A length of time, on the wire as xs:duration (XML Schema part 2, 3.2.6). A year is 12 months and
/// a day 86,400 seconds, but how long a month is depends: P1M is more than P27D and less than P32D,
/// and with what is between it is unordered (3.2.6.2). Written with the largest units: P1Y2M, PT0S.
///
///     auto limit = soapsvc::duration::from(std::chrono::minutes{90});  // PT1H30M
///     bool is_long = soapsvc::duration{.months = 14} > limit;
struct duration {
    std::int64_t months = 0;
    std::int64_t seconds = 0;
    std::int32_t nanoseconds = 0;  ///< besides the seconds, less than one

    /// Whether all three have one sign, or are zero. Every duration that was received is ok().
    constexpr bool ok() const noexcept {
        const bool some_negative = months < 0 || seconds < 0 || nanoseconds < 0;
        const bool some_positive = months > 0 || seconds > 0 || nanoseconds > 0;
        return !(some_negative && some_positive) && nanoseconds > -1'000'000'000 &&
               nanoseconds < 1'000'000'000;
    }

    /// The same length; years and months of std::chrono become months. Throws std::invalid_argument
    /// when 64 bits do not hold it.
    template <detail::whole_number Rep, class Period>
    requires(1'000'000'000 % Period::den == 0) static duration
        from(std::chrono::duration<Rep, Period> from) {
        const auto bits = static_cast<std::uint64_t>(from.count());
        return scaled(from.count() < 0, bits, Period::num, Period::den);
    }

    /// The same length; nullopt when it has seconds as well.
    std::optional<std::chrono::months> to_months() const noexcept;
    /// The same length; nullopt when it has months, is not ok(), or is over 292 years.
    std::optional<std::chrono::nanoseconds> to_nanoseconds() const noexcept;

    std::string text() const;
    static std::optional<duration> parse(std::string_view text);

    std::partial_ordering operator<=>(const duration& other) const noexcept;
    bool operator==(const duration& other) const noexcept { return std::is_eq(*this <=> other); }

private:
    static duration scaled(
        bool is_negative, std::uint64_t bits, std::uint64_t num, std::uint64_t den);
};

// The parts of a date. Each is compared by the moment at which its first day begins; one without a
// year is in the leap year 1972, one without a month in December of that. from() throws
// std::invalid_argument for what is not ok(). The way back leaves the offset out, and is nullopt
// when the value is not ok() or std::chrono has no such year.

/// A year, on the wire as xs:gYear (XML Schema part 2, 3.2.11).
struct g_year {
    std::int32_t year = 1;  ///< never 0; -1 is 1 BCE
    std::optional<std::int32_t> offset_minutes = {};  ///< east of UTC, -840 to 840

    static g_year from(std::chrono::year from);
    std::optional<std::chrono::year> to_year() const noexcept;
    constexpr date first_day() const noexcept { return {year, 1, 1, offset_minutes}; }
    constexpr bool ok() const noexcept { return first_day().ok(); }
    std::string text() const;
    static std::optional<g_year> parse(std::string_view text);
};

/// A month of a year, on the wire as xs:gYearMonth (XML Schema part 2, 3.2.10).
struct g_year_month {
    std::int32_t year = 1;  ///< never 0; -1 is 1 BCE
    std::int32_t month = 1;
    std::optional<std::int32_t> offset_minutes = {};  ///< east of UTC, -840 to 840

    static g_year_month from(std::chrono::year_month from);
    std::optional<std::chrono::year_month> to_year_month() const noexcept;
    constexpr date first_day() const noexcept { return {year, month, 1, offset_minutes}; }
    constexpr bool ok() const noexcept { return first_day().ok(); }
    std::string text() const;
    static std::optional<g_year_month> parse(std::string_view text);
};

/// A month of every year, on the wire as xs:gMonth (XML Schema part 2, 3.2.14).
struct g_month {
    std::int32_t month = 1;
    std::optional<std::int32_t> offset_minutes = {};  ///< east of UTC, -840 to 840

    static g_month from(std::chrono::month from);
    std::optional<std::chrono::month> to_month() const noexcept;
    constexpr date first_day() const noexcept { return {1972, month, 1, offset_minutes}; }
    constexpr bool ok() const noexcept { return first_day().ok(); }
    std::string text() const;
    static std::optional<g_month> parse(std::string_view text);
};

/// A day of every year, on the wire as xs:gMonthDay (XML Schema part 2, 3.2.12).
struct g_month_day {
    std::int32_t month = 1;
    std::int32_t day = 1;
    std::optional<std::int32_t> offset_minutes = {};  ///< east of UTC, -840 to 840

    static g_month_day from(std::chrono::month_day from);
    std::optional<std::chrono::month_day> to_month_day() const noexcept;
    constexpr date first_day() const noexcept { return {1972, month, day, offset_minutes}; }
    constexpr bool ok() const noexcept { return first_day().ok(); }
    std::string text() const;
    static std::optional<g_month_day> parse(std::string_view text);
};

/// A day of every month, on the wire as xs:gDay (XML Schema part 2, 3.2.13).
struct g_day {
    std::int32_t day = 1;
    std::optional<std::int32_t> offset_minutes = {};  ///< east of UTC, -840 to 840

    static g_day from(std::chrono::day from);
    std::optional<std::chrono::day> to_day() const noexcept;
    constexpr date first_day() const noexcept { return {1972, 12, day, offset_minutes}; }
    constexpr bool ok() const noexcept { return first_day().ok(); }
    std::string text() const;
    static std::optional<g_day> parse(std::string_view text);
};

namespace detail {
template <class T>
concept part_of_date = requires(const T& value) {
    { value.first_day() } -> std::same_as<date>;
};
template <class T>
concept has_text_form = requires(const T& value) {
    { T::parse(value.text()) } -> std::same_as<std::optional<T>>;
};
}  // namespace detail

template <detail::part_of_date Part>
constexpr std::partial_ordering operator<=>(const Part& a, const Part& b) noexcept {
    return a.first_day() <=> b.first_day();
}
template <detail::part_of_date Part>
constexpr bool operator==(const Part& a, const Part& b) noexcept {
    return a.first_day() == b.first_day();
}

/// A decimal number of any length, on the wire as xs:decimal (XML Schema part 2, 3.2.3). Exact: it
/// is kept as digits and never passes through floating point. Trailing zeros stay as they were
/// sent, and do not count when two numbers are compared.
///
///     soapsvc::decimal salary(325'050, 2);             // 3250.50
///     std::optional<std::int64_t> cents = salary.units(2);
class decimal {
public:
    /// Zero.
    decimal() noexcept = default;

    /// The number that `text` says, in the lexical form of xs:decimal and without white space.
    /// Throws std::invalid_argument for any other text.
    explicit decimal(std::string_view text);

    /// `units` divided by 10 to the power of `scale`: decimal(1050, 2) is 10.50, decimal(7) is 7.
    explicit decimal(std::int64_t units, unsigned scale = 0);

    /// No floating point: which decimal number 0.1 stands for is a guess. Nor what is no number,
    /// though C++ converts it: '5' would be 53, and a null pointer is no text.
    template <class Other>
    requires(
        std::floating_point<Other> || std::same_as<Other, bool> || std::same_as<Other, char> ||
        std::same_as<Other, std::nullptr_t>) explicit decimal(Other units, unsigned scale = 0) =
        delete;

    /// The number that `text` says, or nullopt when it is not in the lexical form of xs:decimal.
    static std::optional<decimal> parse(std::string_view text);

    /// Digits with a '-' before and a point among them where there is need. Leading zeros and "+"
    /// are gone; trailing zeros after the point are as they were sent. What was moved from is zero.
    std::string_view text() const noexcept { return text_.empty() ? std::string_view("0") : text_; }

    /// How many digits there are after the point: 2 for 10.50.
    std::size_t scale() const noexcept;

    /// This number times 10 to the power of `scale`: decimal("10.5").units(2) is 1050. nullopt
    /// when that is no whole number or does not fit.
    std::optional<std::int64_t> units(unsigned scale) const noexcept;

    friend std::strong_ordering operator<=>(const decimal& a, const decimal& b) noexcept {
        return a.compare(b);
    }
    friend bool operator==(const decimal& a, const decimal& b) noexcept {
        return std::is_eq(a.compare(b));
    }

private:
    std::strong_ordering compare(const decimal& other) const noexcept;
    bool assign(std::string_view text);

    std::string text_;
};

/// A whole number of any length, on the wire as xs:integer (XML Schema part 2, 3.3.13).
class integer {
public:
    /// Zero.
    integer() noexcept = default;

    /// The number that `text` says, in the lexical form of xs:integer and without white space.
    /// Throws std::invalid_argument for any other text.
    explicit integer(std::string_view text);

    template <detail::whole_number Number>
    explicit integer(Number number) : integer(number < 0, static_cast<std::uint64_t>(number)) {}

    explicit integer(std::nullptr_t) = delete;  // it is no text

    /// The number that `text` says, or nullopt when it is not in the lexical form of xs:integer.
    static std::optional<integer> parse(std::string_view text);

    /// Digits with a '-' before where there is need; no leading zeros.
    std::string_view text() const noexcept { return number_.text(); }

    /// The same number; nullopt when it does not fit.
    std::optional<std::int64_t> to_int64() const noexcept;
    std::optional<std::uint64_t> to_uint64() const noexcept;

    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that an order is compared with
    friend std::strong_ordering operator<=>(const integer& a, const integer& b) noexcept = default;
    friend bool operator==(const integer& a, const integer& b) noexcept = default;

private:
    integer(bool is_negative, std::uint64_t bits);

    decimal number_;  ///< without a point
};

/// Writes text() of one of the value types above. A template, because <ostream>, which all units
/// would read, is for those alone that have a stream.
template <detail::has_text_form Value>
std::ostream& operator<<(std::ostream& out, const Value& value) {
    return out << value.text();
}

/// An element as it came, or as it is to be sent: what a wildcard took, or the whole of an element
/// whose content may be anything. It keeps the namespaces that it needs, so that it can be written
/// anywhere. Comments in it and the way in which it was written are kept.
class xml {
public:
    xml() = default;  ///< no element

    /// The element that `text` is. Throws std::invalid_argument unless it is one well-formed
    /// element (XML 1.0, 2.1; Namespaces in XML 1.0, 7).
    explicit xml(std::string_view text);

    bool empty() const noexcept { return text_.empty(); }
    const std::string& text() const noexcept { return text_; }  ///< UTF-8
    const qualified_name& name() const noexcept { return name_; }  ///< of the element

    friend bool operator==(const xml&, const xml&) = default;  ///< as they are written

private:
    friend struct detail::fragment;
    std::string text_;
    qualified_name name_;
};

/// An attribute that a wildcard took.
struct xml_attribute {
    qualified_name name;
    std::string value;
    friend bool operator==(const xml_attribute&, const xml_attribute&) = default;
};

/// A bool of which there are many: std::vector<bool> packs its elements into bits, which cannot be
/// reached one by one. Rejected: std::deque<bool>, which clang++ 14 takes for no literal type.
struct boolean {
    bool value = false;
    constexpr boolean() noexcept = default;
    // NOLINTNEXTLINE(google-explicit-constructor): {true, false, true}
    constexpr boolean(bool is) noexcept : value(is) {}
    // NOLINTNEXTLINE(google-explicit-constructor): if (answers[0])
    constexpr operator bool() const noexcept { return value; }
};

/// A list in one text, with spaces between its items: for elements and attributes whose XML type is
/// a list (XML Schema part 2, 4.2.1.2). Elements that repeat are a std::vector.
template <class T>
struct list {
    std::vector<T> items;
    friend bool operator==(const list&, const list&) = default;
};

namespace detail {

/// What can be done with a struct of which only the address is known: once for each, whatever holds
/// it.
struct held_actions {
    void* (*make)();
    void* (*copy)(const void* object);
    void (*destroy)(void* object);
    bool (*equal)(const void* a, const void* b);
};
template <class T>
inline constexpr held_actions actions_of{
    []() -> void* { return new T{}; },
    [](const void* object) -> void* { return new T(*static_cast<const T*>(object)); },
    [](void* object) { delete static_cast<T*>(object); },
    [](const void* a, const void* b) {
        if constexpr (std::equality_comparable<T>)
            return *static_cast<const T*>(a) == *static_cast<const T*>(b);
        else
            return a == b;
    }};

template <class Base, class Others>
struct derived_parts;

}  // namespace detail

/// A value of `Base` or of a struct derived from it, which is copied and compared as what it is.
/// Which there are stands in `derivations<Base>`. On the wire, xsi:type says which it is (XML
/// Schema part 1, 2.6.1).
///
///     soapsvc::derived<Animal> pet(Dog{{"Rex"}, true});
///     if (const Dog* dog = pet.get_if<Dog>()) ...
template <class Base>
class derived {
public:
    constexpr derived() noexcept = default;  ///< holds nothing, and cannot be sent
    template <class T>
    requires(std::is_base_of_v<Base, T>) constexpr derived(T value)
        : object_(new T(std::move(value))),
          base_(static_cast<T*>(object_)),
          as_(&detail::actions_of<T>) {}
    constexpr derived(const derived& other) : as_(other.as_) {
        if (!as_) return;
        object_ = as_->copy(other.object_);
        base_ = other.place_in(object_);
    }
    constexpr derived(derived&& other) noexcept { swap(other); }
    constexpr derived& operator=(derived other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~derived() {
        if (as_) as_->destroy(object_);
    }

    bool has_value() const noexcept { return as_ != nullptr; }
    template <class T>
    T& emplace() {
        return *static_cast<T*>(hold(&detail::actions_of<T>, &to_base<T>));
    }

    /// The value when it is exactly a `T`, else nullptr.
    template <class T>
    T* get_if() noexcept {
        return as_ == &detail::actions_of<T> ? static_cast<T*>(object_) : nullptr;
    }
    template <class T>
    const T* get_if() const noexcept {
        return as_ == &detail::actions_of<T> ? static_cast<const T*>(object_) : nullptr;
    }

    // Undefined when it holds nothing.
    Base& operator*() noexcept { return *base_; }
    const Base& operator*() const noexcept { return *base_; }
    Base* operator->() noexcept { return base_; }
    const Base* operator->() const noexcept { return base_; }

    friend bool operator==(const derived& a, const derived& b) requires(
        std::equality_comparable<Base>) {
        return a.as_ == b.as_ && (!a.as_ || a.as_->equal(a.object_, b.object_));
    }

private:
    template <class, class>
    friend struct detail::derived_parts;

    template <class T>
    static Base* to_base(void* object) {
        return static_cast<T*>(object);
    }
    void* hold(const detail::held_actions* as, Base* (*base_of)(void* object)) {
        void* const made = as->make();
        *this = derived();
        object_ = made;
        base_ = base_of(made);
        as_ = as;
        return made;
    }
    /// The base of a copy, which is as far inside as in what was copied.
    Base* place_in(void* copy) const noexcept {
        const auto* const object = static_cast<const char*>(object_);
        const auto* const base = reinterpret_cast<const char*>(base_);
        return reinterpret_cast<Base*>(static_cast<char*>(copy) + (base - object));
    }

    constexpr void swap(derived& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(base_, other.base_);
        std::swap(as_, other.as_);
    }

    void* object_ = nullptr;
    Base* base_ = nullptr;
    const detail::held_actions* as_ = nullptr;
};

/// A value that an element may leave out by saying xsi:nil="true" (XML Schema part 1, 2.6.2): nil,
/// as it is at first, or a `T`. The element itself is there in both cases; where it may be absent
/// as well, the member is a std::optional of this.
template <class T>
class nillable {
public:
    nillable() = default;
    nillable(T value) : value_(std::move(value)) {}

    bool is_nil() const noexcept { return !value_.has_value(); }
    T& emplace() { return value_.emplace(); }
    void reset() noexcept { value_.reset(); }

    // Undefined when it is nil, as of a std::optional.
    T& operator*() noexcept { return *value_; }
    const T& operator*() const noexcept { return *value_; }
    T* operator->() noexcept { return &*value_; }
    const T* operator->() const noexcept { return &*value_; }

    friend bool operator==(const nillable&, const nillable&) = default;

private:
    std::optional<T> value_;
};

/// At most one `T`, as a std::optional, but elsewhere: for a struct that holds its own kind, or one
/// whose table stands below, or one that is large and mostly absent. Is copied with its value.
// No std::unique_ptr inside: its destructor is not constexpr, and tables are made while compiling.
template <class T>
class box {
public:
    constexpr box() noexcept = default;
    constexpr box(T value) : value_(new T(std::move(value))) {}  // NOLINT: as a std::optional
    constexpr box(const box& other) : value_(other.value_ ? new T(*other.value_) : nullptr) {}
    constexpr box(box&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    /// By value: what is assigned may be a part of what it replaces.
    constexpr box& operator=(box other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    constexpr ~box() { drop(value_); }

    bool has_value() const noexcept { return value_ != nullptr; }
    explicit operator bool() const noexcept { return value_ != nullptr; }
    T& emplace() {
        drop(std::exchange(value_, make()));
        return *value_;
    }
    void reset() noexcept { drop(std::exchange(value_, nullptr)); }

    // Undefined when there is no value.
    T& operator*() noexcept { return *value_; }
    const T& operator*() const noexcept { return *value_; }
    T* operator->() noexcept { return value_; }
    const T* operator->() const noexcept { return value_; }

    friend bool operator==(const box& a, const box& b) {
        return a.value_ && b.value_ ? *a.value_ == *b.value_ : a.value_ == b.value_;
    }

private:
    // Out of line, or each use would have all of a struct's constructor and destructor in it. Large
    // contracts have these in one unit alone, by `extern template` in their headers.
    [[gnu::noinline]] static T* make() { return new T{}; }
    [[gnu::noinline]] static constexpr void drop(T* value) noexcept { delete value; }
    T* value_ = nullptr;
};

namespace detail {

/// A function that one owner holds: a std::function for what cannot be copied, as files cannot.
// Plain pointers, as in a box.
template <class Signature>
class sole_function;
template <class Result, class... Given>
class sole_function<Result(Given...)> {
public:
    constexpr sole_function() noexcept = default;
    template <class Function>
    constexpr explicit sole_function(Function function)
        : held_(new Function(std::move(function))),
          call_([](void* held, Given... given) -> Result {
              return (*static_cast<Function*>(held))(given...);
          }),
          destroy_([](void* held) { delete static_cast<Function*>(held); }) {}
    constexpr sole_function(sole_function&& other) noexcept { swap(other); }
    constexpr sole_function& operator=(sole_function other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~sole_function() {
        if (held_) destroy_(held_);
    }

    explicit operator bool() const noexcept { return held_ != nullptr; }
    Result operator()(Given... given) { return call_(held_, given...); }

private:
    constexpr void swap(sole_function& other) noexcept {
        std::swap(held_, other.held_);
        std::swap(call_, other.call_);
        std::swap(destroy_, other.destroy_);
    }

    void* held_ = nullptr;
    Result (*call_)(void* held, Given... given) = nullptr;
    void (*destroy_)(void* held) = nullptr;
};

template <class Member>
struct stream_parts;

}  // namespace detail

/// Items that come one after the other and are never all in memory: the result of an operation, or
/// the last row of its request or of a result whose table has no name. On the wire it is what a
/// std::vector is. Whoever sends it makes it from a function, which is asked for the next item when
/// the other side has taken most of those before; so the function owns all that it needs. Whoever
/// receives it asks it:
///
///     soapsvc::stream<Row> rows(const Range& range) {
///         return [cursor = store_.open(range)]() mutable { return cursor.next(); };
///     }
///     while (const std::optional<Row> row = upload.rows.next()) store(*row);
///
/// It is const as a pointer is: asking changes what is behind it. For one thread at a time.
template <class T>
class stream {
public:
    constexpr stream() noexcept = default;  ///< no items

    /// From a function that gives a std::optional<T>, nullopt at the end. What it throws is not
    /// mistaken for an end: whoever asks gets the exception, whoever is sent to no whole message.
    template <class Source>
    requires(!std::is_same_v<Source, stream> && std::is_invocable_r_v<std::optional<T>, Source&>)
        // NOLINTNEXTLINE(google-explicit-constructor): returned as the function that it is
        constexpr stream(Source source)
        : source_(std::move(source)) {}

    constexpr stream(stream&&) noexcept = default;
    constexpr stream& operator=(stream&&) noexcept = default;
    constexpr ~stream() = default;

    /// The next item; nullopt after the last. Throws what stops the source: its own exceptions, or
    /// where it comes from the network, what is wrong with the message or the connection.
    std::optional<T> next() const {
        if (!source_) return taken_ == held_.size() ? std::nullopt : take_held();
        std::optional<T> item = source_();
        if (!item) source_ = {};  // what it owns is not needed any more
        return item;
    }

private:
    template <class>
    friend struct detail::stream_parts;

    std::optional<T> take_held() const { return std::move(held_[taken_++]); }

    mutable detail::sole_function<std::optional<T>()> source_;
    mutable std::vector<T> held_;  // what was received as a whole
    mutable std::size_t taken_ = 0;
    mutable box<T> last_;  // while it is written
};

/// Bytes that come in pieces and are never all in memory, on the wire as xs:base64Binary (XML
/// Schema part 2, 3.2.16). See `read_file` and `write_file`.
template <>
class stream<std::byte> {
public:
    constexpr stream() noexcept = default;  ///< no bytes

    /// From a function that fills the beginning of what it is given, and says how much of it; 0 at
    /// the end.
    template <class Source>
    requires(std::is_invocable_r_v<std::size_t, Source&, std::span<std::byte>>)
        // NOLINTNEXTLINE(google-explicit-constructor): returned as the function that it is
        constexpr stream(Source source)
        : source_(std::move(source)) {}

    constexpr stream(stream&&) noexcept = default;
    constexpr stream& operator=(stream&&) noexcept = default;
    constexpr ~stream() = default;

    /// Fills the beginning of `to` and says how much of it; 0 is the end, unless `to` is empty.
    /// Throws as the `next` of other streams does.
    std::size_t read(std::span<std::byte> to) const;

private:
    template <class>
    friend struct detail::stream_parts;

    mutable detail::sole_function<std::size_t(std::span<std::byte>)> source_;
    mutable box<binary> held_;  // what was received as a whole, or is written so
    mutable std::size_t taken_ = 0;
};

/// The bytes of a file, read as they are asked for. Throws std::system_error when it cannot be
/// opened, and so does the stream when it cannot be read.
SOAPSVC_INLINE stream<std::byte> read_file(const std::string& path);

/// Writes what is left of a stream to a file, which is there under its name only when it is whole,
/// and says how many bytes it has. Throws what the stream throws, and std::system_error when the
/// file cannot be written; what was there before is then as it was.
SOAPSVC_INLINE std::uint64_t write_file(const stream<std::byte>& bytes, const std::string& path);

/// Whether `text` can be sent: it is UTF-8 and has only characters that XML has (XML 1.0, [2]). A
/// reply with any other text becomes an incident.
SOAPSVC_INLINE bool is_xml_text(std::string_view text) noexcept;

}  // namespace soapsvc

// ================================================================================================
// [tables] How structs, enumerations and services look on the wire
// ================================================================================================
// A table is written once, beside its struct, and feeds everything: decoder, encoder, dispatch,
// WSDL, help page, client. A mistake in a row is reported at that row, in one sentence that begins
// with "soapsvc:". A row forgets the struct that it belongs to as soon as it is checked: what is
// left of it is data, and is handed to the implementation as such (`describe` in [codec]), so that
// a row costs a compiler little beyond the first of its kind, and describing a record touches no
// other record. Rejected: names as template arguments (errors print character codes, symbols grow),
// macros, and tables inside the struct (it is incomplete there, so members cannot be counted).
// A struct may hold itself in a std::vector or a box; where two hold each other, the row of the
// first table says that the other one is below it.

namespace soapsvc {

namespace detail {

/// What `schema<T>` is.
enum class table_kind : std::uint8_t { none, record, choice, enumeration, service };

struct no_table {
    static constexpr auto is = table_kind::none;
};
template <class T, std::size_t Count, std::size_t Extras, class Members>
struct record_table;

}  // namespace detail

/// The table of `T`. Specialise it in the global namespace right after the type:
///
///     template <>
///     inline constexpr auto soapsvc::schema<Point> =
///         record("Point", field("X", &Point::x), field("Y", &Point::y));
template <class T>
inline constexpr detail::no_table schema{};

/// The table of a struct that is `elsewhere`: what `table_of` gives, of a static constant.
template <class T>
struct table {
    template <std::size_t Count, std::size_t Extras, class Members>
    // NOLINTNEXTLINE(google-explicit-constructor): for `return made`
    table(const detail::record_table<T, Count, Extras, Members>& made)
        : record(describe_rows_of(made)) {}
    /// What ends with the function would be looked at when it is gone.
    template <std::size_t Count, std::size_t Extras, class Members>
    table(const detail::record_table<T, Count, Extras, Members>&& made) = delete;
    const detail::record_info& record;
};

/// One unit of a program specialises it, all others see its declaration alone: so a contract of
/// thousands of types is compiled in pieces.
///
///     template <>
///     inline constexpr auto soapsvc::schema<Point> = elsewhere<Point>("Point");
///     template <>
///     soapsvc::table<Point> soapsvc::table_of<Point>() {
///         static constexpr auto made = record("Point", field("X", &Point::x));
///         return made;
///     }
template <class T>
table<T> table_of();

/// The types of a closed set.
template <class... Types>
struct types {};

/// The structs that a `derived<Base>` may hold besides Base itself, if that is not abstract.
/// Specialise it in the global namespace after the tables of all of them:
///
///     template <>
///     inline constexpr auto soapsvc::derivations<Animal> = soapsvc::types<Dog, Cat>();
template <class Base>
inline constexpr types<> derivations{};

/// A request without children, for a method that takes a header but no request.
struct nothing {};

/// Header blocks, each a struct with a table or a std::optional of one: what a method takes when it
/// takes several, or one without a request, and what it returns in `with_headers`. The last may be
/// a `std::vector<soapsvc::xml>`: all blocks for this node that none before it is. Those count as
/// understood, so a method that takes them looks at each (SOAP 1.1, 4.2; SOAP 1.2 part 1, 2.4).
///
///     void stop(const soapsvc::headers<Session, std::optional<Trace>>& blocks);
template <class... Blocks>
class headers {
public:
    headers() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): returned as {result, {block, block}}
    headers(Blocks... blocks) requires(sizeof...(Blocks) > 0) : blocks_(std::move(blocks)...) {}

    /// The block, or the std::optional or std::vector of it, that `Block` is listed as.
    template <class Block>
    auto& get() noexcept {
        return std::get<place<Block>()>(blocks_);
    }
    template <class Block>
    const auto& get() const noexcept {
        return std::get<place<Block>()>(blocks_);
    }

private:
    template <class Block>
    static constexpr std::size_t place() {
        constexpr bool listed[] = {
            (std::is_same_v<Block, Blocks> || std::is_same_v<std::optional<Block>, Blocks> ||
             std::is_same_v<std::vector<Block>, Blocks>)...,
            true};
        constexpr std::size_t at = std::find(std::begin(listed), std::end(listed), true) - listed;
        static_assert(
            at != sizeof...(Blocks),
            "soapsvc: get<Block>() names a header that headers<...> lists");
        return at == sizeof...(Blocks) ? 0 : at;
    }
    std::tuple<Blocks...> blocks_;
};

/// What a method returns that answers with header blocks beside its result, which may be void:
///
///     return {sum, {Receipt{7}}};
template <class Result, class... Blocks>
struct with_headers {
    Result result;
    soapsvc::headers<Blocks...> headers;
};
template <class... Blocks>
struct with_headers<void, Blocks...> {
    soapsvc::headers<Blocks...> headers;
};

/// A fault that an operation may answer: what `fault_doc` makes, for help pages and for the program
/// itself, which can throw what it documents.
struct documented_fault {
    std::int32_t code = 0;  ///< the service's own number of it
    std::string_view text;  ///< what it says
    std::string_view when;  ///< when it is answered; empty when the text says enough
};

namespace detail {

// --- What a type looks like on the wire ---------------------------------------------------------

template <class... Types>
struct type_list {};

/// The XML form of a type without its std::optional or std::vector. Up to `hex_binary` in the order
/// of `simple_types` below and of `simple_type_table` in [text].
enum class type_kind : std::uint8_t {
    none,
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    string,
    base64,
    date,
    date_time,
    decimal,
    integer,
    time,
    duration,
    g_year,
    g_year_month,
    g_month,
    g_month_day,
    g_day,
    hex_binary,
    enumeration,
    record,
    list,
    choice_of,  ///< a union
    name,  ///< a qualified one
    fragment,
    attribute,
    derived
};

/// The types that have a form by themselves. Of the whole numbers only the fixed-width ones: `long
/// long` may have the size of std::int64_t without being it, and then must not be written through a
/// pointer to it; `char` is a character, which is text.
using simple_types = type_list<
    bool,
    std::int8_t,
    std::int16_t,
    std::int32_t,
    std::int64_t,
    std::uint8_t,
    std::uint16_t,
    std::uint32_t,
    std::uint64_t,
    float,
    double,
    std::string,
    binary,
    soapsvc::date,
    soapsvc::date_time,
    soapsvc::decimal,
    soapsvc::integer,
    soapsvc::time,
    soapsvc::duration,
    g_year,
    g_year_month,
    g_month,
    g_month_day,
    g_day,
    hex_binary>;

/// How often an element may occur.
enum class occurrence : std::uint8_t { once, optional, many };

/// Takes what says how often a value occurs, and whether it may be nil, off a member's type.
template <class Member>
struct member_of {
    using type = Member;
    static constexpr occurrence occurs = occurrence::once;
};
template <class T>
struct member_of<std::optional<T>> {
    using type = T;
    static constexpr occurrence occurs = occurrence::optional;
};
template <class T>
struct member_of<std::vector<T>> {
    using type = T;
    static constexpr occurrence occurs = occurrence::many;
};
template <class T>
struct member_of<box<T>> : member_of<std::optional<T>> {};
template <class T>
struct member_of<stream<T>> : member_of<std::vector<T>> {};
template <>
struct member_of<stream<std::byte>> {
    using type = binary;
    static constexpr occurrence occurs = occurrence::once;
};
template <class T>
struct member_of<nillable<T>> {
    using type = T;
    static constexpr occurrence occurs = occurrence::once;
};
template <class T>
struct member_of<std::optional<nillable<T>>> : member_of<std::optional<T>> {};
template <class T>
struct member_of<std::vector<nillable<T>>> : member_of<std::vector<T>> {};

template <class Member>
inline constexpr bool is_stream = false;
template <class T>
inline constexpr bool is_stream<stream<T>> = true;

template <class Member>
inline constexpr bool may_be_nil = false;
template <class T>
inline constexpr bool may_be_nil<nillable<T>> = true;
template <class T>
inline constexpr bool may_be_nil<std::optional<nillable<T>>> = true;
template <class T>
inline constexpr bool may_be_nil<std::vector<nillable<T>>> = true;

// Folds nest, and clang++ lets them nest 256 deep: of what a contract may have more, such as the
// operations of a service, lists are made.
constexpr bool all_true(std::initializer_list<bool> each) {
    return std::find(each.begin(), each.end(), false) == each.end();
}
constexpr std::size_t sum_of(std::initializer_list<std::size_t> each) {
    std::size_t sum = 0;
    for (const std::size_t one : each)
        sum += one;
    return sum;
}

template <class T, class... Ts>
inline constexpr bool is_one_of = !all_true({!std::is_same_v<T, Ts>...});

/// A type with its place in a list.
template <class T, std::size_t Place>
struct placed {};
template <class Types, class Places>
struct all_placed;
template <class... Types, std::size_t... Places>
struct all_placed<type_list<Types...>, std::index_sequence<Places...>> : placed<Types, Places>... {
};
template <class... Types>
constexpr all_placed<type_list<Types...>, std::index_sequence_for<Types...>>* place_all(
    type_list<Types...>) {
    return nullptr;
}

// Found as a base class: to compare a type with each of the list was a third of what a record costs
// clang++, since all records are asked.
template <class T, std::size_t Place>
constexpr type_kind simple_kind_in(placed<T, Place>*) {
    return static_cast<type_kind>(static_cast<std::size_t>(type_kind::boolean) + Place);
}
template <class T>
constexpr type_kind simple_kind_in(void*) {
    return type_kind::none;
}

/// The kind of a built-in type; `none` for enumerations, records and everything else.
template <class T>
inline constexpr type_kind simple_kind = simple_kind_in<T>(place_all(simple_types{}));
template <>
inline constexpr type_kind simple_kind<soapsvc::boolean> = type_kind::boolean;

/// The kind of what is no built-in type: a record, unless it is said to be something else.
template <class T>
inline constexpr type_kind other_kind =
    std::is_enum_v<T> ? type_kind::enumeration : type_kind::record;
template <class T>
inline constexpr type_kind other_kind<list<T>> = type_kind::list;
template <class... Ts>
inline constexpr type_kind other_kind<std::variant<Ts...>> = type_kind::choice_of;
template <>
inline constexpr type_kind other_kind<qualified_name> = type_kind::name;
template <>
inline constexpr type_kind other_kind<xml> = type_kind::fragment;
template <>
inline constexpr type_kind other_kind<xml_attribute> = type_kind::attribute;
template <class T>
inline constexpr type_kind other_kind<derived<T>> = type_kind::derived;

template <class T>
inline constexpr type_kind kind_of =
    simple_kind<T> != type_kind::none ? simple_kind<T> : other_kind<T>;

/// Whether values are a text without markup.
template <class T>
inline constexpr bool is_simple =
    kind_of<T> != type_kind::record&& kind_of<T> != type_kind::derived&& kind_of<T> !=
    type_kind::fragment&& kind_of<T> != type_kind::attribute;

/// Whether values are made of others: see `value_parts`.
constexpr bool has_parts(type_kind kind) noexcept {
    return kind == type_kind::list || kind == type_kind::choice_of || kind == type_kind::derived;
}

struct service_info;  // defined in [codec], as record_info is
struct enumeration_info;

struct value_parts;

template <class T>
const record_info& describe_record();
template <class T>
const enumeration_info& describe_enumeration();
template <class T>
const value_parts& describe_parts();

/// A type without its std::optional or std::vector. The functions are set for their kind only; they
/// are functions, not pointers, because a record may hold itself.
struct element_type {
    type_kind kind = type_kind::none;
    const record_info& (*record)() = nullptr;
    const enumeration_info& (*enumeration)() = nullptr;
    const value_parts& (*parts)() = nullptr;
    bool operator==(const element_type&) const = default;
};

template <class T>
constexpr element_type element_type_of() {
    element_type type{kind_of<T>};
    if constexpr (kind_of<T> == type_kind::record) type.record = &describe_record<T>;
    if constexpr (kind_of<T> == type_kind::enumeration) type.enumeration = &describe_enumeration<T>;
    if constexpr (has_parts(kind_of<T>)) type.parts = &describe_parts<T>;
    return type;
}

inline constexpr std::size_t no_part = std::numeric_limits<std::size_t>::max();

/// What a value is made of, that is more than one: the items of a list, which are all of the first
/// type; the one alternative of a union that it holds; the struct that a `derived` holds, of which
/// the first type is the base's.
struct value_parts {
    std::span<const element_type> types;
    /// `no_part` makes a list empty.
    void* (*emplace)(void* value, std::size_t type) = nullptr;
    /// nullptr: past the last item, or not the alternative that it holds
    const void* (*item)(const void* value, std::size_t index) = nullptr;
};

/// One more element of a vector, which begins with room for four that are small: to grow from one
/// by two to four took a tenth of the time of reading short lists.
template <class Item>
Item* append_to(std::vector<Item>& items) {
    constexpr std::size_t first_room = 256 / sizeof(Item);
    if constexpr (first_room > 1)
        if (items.capacity() == 0) items.reserve(std::min<std::size_t>(first_room, 4));
    return &items.emplace_back();
}

/// Where what is received gives a stream its items, or its bytes.
struct stream_feed {
    std::shared_ptr<void> from;
    /// Fills an item, or the beginning of a std::span<std::byte>, which it shortens to that; false
    /// at the end. What it throws, whoever asks the stream gets.
    bool (*next)(void* from, void* item) = nullptr;
};

/// What can be done with a stream of which only its member's address is known.
struct stream_access {
    void (*feed)(void* member, stream_feed feed) = nullptr;  ///< makes it one that is fed
    /// As stream<std::byte>::read; nullptr: a stream of items.
    std::size_t (*read)(const void* member, std::span<std::byte> to) = nullptr;
};

/// How a stream is read and written as a whole: as the std::vector, or the binary, that it is on
/// the wire. What was received so is held, and items have places; else each is the next one.
template <class T>
struct stream_parts<stream<T>> {
    static void* emplace(stream<T>& to) { return append_to(to.held_); }
    static const void* item(const stream<T>& of, std::size_t index) {
        if (!of.source_) return index < of.held_.size() ? &of.held_[index] : nullptr;
        std::optional<T> next = of.next();
        if (!next) return nullptr;
        if (of.last_)
            *of.last_ = *std::move(next);
        else
            of.last_ = box<T>(*std::move(next));
        return &*of.last_;
    }
    static void feed(stream<T>& to, stream_feed feed) {
        to = stream<T>([feed = std::move(feed)]() -> std::optional<T> {
            std::optional<T> item(std::in_place);
            if (!feed.next(feed.from.get(), &*item)) item.reset();
            return item;
        });
    }
};
template <>
struct stream_parts<stream<std::byte>> {
    static void* emplace(stream<std::byte>& to) { return &to.held_.emplace(); }
    SOAPSVC_INLINE static const void* item(const stream<std::byte>& of, std::size_t index);
    SOAPSVC_INLINE static void feed(stream<std::byte>& to, stream_feed feed);
};

/// `At::of(Holder&)` is the stream.
template <class Holder, class Member, class At>
constexpr stream_access make_stream_access() {
    stream_access access;
    access.feed = [](void* at, stream_feed feed) {
        stream_parts<Member>::feed(At::of(*static_cast<Holder*>(at)), std::move(feed));
    };
    if constexpr (std::is_same_v<Member, stream<std::byte>>)
        access.read = [](const void* at, std::span<std::byte> to) {
            return At::of(*static_cast<const Holder*>(at)).read(to);
        };
    return access;
}
struct stream_itself {
    static auto& of(auto& stream) { return stream; }
};
struct stream_result {
    static auto& of(auto& returned) { return returned.result; }
};
template <class Holder, class Member, class At>
inline constexpr stream_access stream_access_of = make_stream_access<Holder, Member, At>();

/// Makes room for a value that is being read: the member itself, a fresh optional value, one more
/// element of a vector.
template <class Member>
void* emplace_member(void* at) {
    auto& member = *static_cast<Member*>(at);
    if constexpr (is_stream<Member>) {
        return stream_parts<Member>::emplace(member);
    } else if constexpr (member_of<Member>::occurs == occurrence::optional) {
        return &member.emplace();
    } else if constexpr (member_of<Member>::occurs == occurrence::many) {
        return append_to(member);
    } else {
        return &member;
    }
}
// What wildcards hold: the same in every unit, and with three strings to move the dearest to grow.
template <>
SOAPSVC_INLINE void* emplace_member<std::vector<xml>>(void* at);
template <>
SOAPSVC_INLINE void* emplace_member<std::vector<xml_attribute>>(void* at);

/// The value at `index` of a member that is being written; nullptr: absent, or past the last.
template <class Member>
const void* member_item(const void* at, std::size_t index) {
    const auto& member = *static_cast<const Member*>(at);
    if constexpr (is_stream<Member>)
        return stream_parts<Member>::item(member, index);
    else if constexpr (member_of<Member>::occurs == occurrence::optional)
        return index == 0 && member.has_value() ? &*member : nullptr;
    else if constexpr (member_of<Member>::occurs == occurrence::many)
        return index < member.size() ? &member[index] : nullptr;
    else
        return index == 0 ? &member : nullptr;
}

/// The item of a value that is nil.
inline constexpr char nil_item = 0;

// The same for members whose values may be nil.
template <class Member>
void* emplace_nil(void* at) {
    using slot = nillable<typename member_of<Member>::type>;
    auto* const value = static_cast<slot*>(emplace_member<Member>(at));
    value->reset();
    return value;
}
template <class Member>
void* emplace_value(void* at) {
    using slot = nillable<typename member_of<Member>::type>;
    return &static_cast<slot*>(emplace_member<Member>(at))->emplace();
}
template <class Member>
const void* item_or_nil(const void* at, std::size_t index) {
    using slot = nillable<typename member_of<Member>::type>;
    const auto* const value = static_cast<const slot*>(member_item<Member>(at, index));
    if (!value) return nullptr;
    return value->is_nil() ? &nil_item : static_cast<const void*>(&**value);
}

/// All that is known of a member's type, or of a result's: once for each type, whatever holds it.
struct member_type {
    occurrence occurs = occurrence::once;
    element_type type;
    void* (*emplace)(void* member) = nullptr;
    const void* (*item)(const void* member, std::size_t index) = nullptr;
    void* (*emplace_nil)(void* member) = nullptr;  ///< nullptr: its values cannot be nil
    const stream_access* stream = nullptr;  ///< nullptr: it is none
};
template <class Member>
constexpr member_type make_member_type() {
    constexpr auto type = element_type_of<typename member_of<Member>::type>();
    if constexpr (is_stream<Member>)
        return {
            member_of<Member>::occurs,
            type,
            &emplace_member<Member>,
            &member_item<Member>,
            nullptr,
            &stream_access_of<Member, Member, stream_itself>};
    else if constexpr (may_be_nil<Member>)
        return {
            member_of<Member>::occurs,
            type,
            &emplace_value<Member>,
            &item_or_nil<Member>,
            &emplace_nil<Member>};
    else
        return {member_of<Member>::occurs, type, &emplace_member<Member>, &member_item<Member>};
}
template <class Member>
inline constexpr member_type member_type_of = make_member_type<Member>();

// --- Rows ---------------------------------------------------------------------------------------

struct defaulted_option {};
struct secret_option {};
struct deprecated_option {
    std::string_view instead;
    constexpr deprecated_option operator()(const char* replacement) const { return {replacement}; }
};
struct doc_option {
    using service = void;  // it may stand among the operations of any class
    std::string_view text;
};

struct sample_option {
    std::string_view text;
};
struct below_option {};

/// What few rows say. The rows of a table keep these apart from themselves, in one list, so that a
/// row which says none of it costs nothing for it.
enum class extra_kind : std::uint8_t {
    ns,  ///< of the name; of a wildcard, the namespaces that it takes
    unqualified,
    abstract,
    all,
    anonymous,
    nillable_element,
    least,  ///< minOccurs
    most,  ///< maxOccurs
    preset,
    fixed,
    process,  ///< processContents of a wildcard
    type_name,  ///< of a simple type of its own; the facets that follow are the type's
    type_ns,
    builtin,  ///< a type of XML Schema that has no C++ type of its own; the number is a string_form
    length,
    min_length,
    max_length,
    min_inclusive,
    max_inclusive,
    min_exclusive,
    max_exclusive,
    total_digits,
    fraction_digits,
    pattern,
    enumerated,
    // Of operations and services. A namespace that follows a name is that name's.
    request,  ///< its element
    response,
    result,  ///< the child of that
    action,
    fault,  ///< that it may answer with; the record is its detail's
    one_way,
    empty_reply,
    bare,
    rpc,
    path,
    soap11_only,
    soap12_only
};
struct row_extra {
    extra_kind kind{};
    bool of_type = false;  ///< a facet of the named type, not of the row
    std::uint16_t row = 0;
    std::uint64_t number = 0;
    std::string_view text{};
    const record_info& (*record)() = nullptr;
};
/// An option that is kept in that list.
template <std::size_t Count>
struct row_extras {
    using service = void;  // it may stand among the operations of any class
    std::array<row_extra, Count> items;
};
template <class T>
inline constexpr std::size_t extras_in = 0;
template <std::size_t Count>
inline constexpr std::size_t extras_in<row_extras<Count>> = Count;

constexpr row_extras<1> one_extra(
    extra_kind kind, std::uint64_t number, std::string_view text = {}) {
    return {{row_extra{kind, false, 0, number, text}}};
}

constexpr row_extras<1> string_type(string_form form) {
    return one_extra(extra_kind::builtin, static_cast<std::uint64_t>(form));
}
constexpr row_extras<1> number_type(const char* name) {
    return one_extra(extra_kind::builtin, 0, name);
}
/// The number of a bound that the name of a built-in type says, so that no schema repeats it.
inline constexpr std::uint64_t bound_of_builtin = 1;
/// With the bound that its name says, on one side.
constexpr row_extras<2> number_type(const char* name, const char* least, const char* most) {
    const bool is_least = least != nullptr;
    const extra_kind bound = is_least ? extra_kind::min_inclusive : extra_kind::max_inclusive;
    return {
        {{{extra_kind::builtin, true, 0, 0, name},
          {bound, true, 0, bound_of_builtin, is_least ? least : most}}}};
}

template <class... Options>
constexpr auto collect_extras(Options... options) {
    std::array<row_extra, (0 + ... + extras_in<Options>)> all{};
    [[maybe_unused]] row_extra* to = all.data();
    [[maybe_unused]] const auto keep = [&]<class Option>(const Option& option) {
        if constexpr (extras_in<Option> != 0)
            for (const row_extra& each : option.items)
                *to++ = each;
    };
    (keep(options), ...);
    return all;
}

template <class T>
inline constexpr bool is_row_option = is_one_of<T, secret_option, deprecated_option, doc_option>;
template <class T>
inline constexpr bool is_operation_option =
    is_row_option<T> || is_one_of<T, documented_fault> || extras_in<T> != 0;
template <class T>
inline constexpr bool is_field_option =
    is_row_option<T> || is_one_of<T, defaulted_option, sample_option, below_option> ||
    extras_in<T> != 0;

/// All options of a row, whichever kind of row it is.
struct row_options {
    bool defaulted = false;
    bool secret = false;
    bool deprecated = false;
    std::string_view instead;  ///< what to use instead of a deprecated row; may be empty
    std::string_view doc;
    std::string_view sample;  ///< a value as text; empty for none
};

constexpr void apply(row_options& all, defaulted_option) { all.defaulted = true; }
constexpr void apply(row_options& all, secret_option) { all.secret = true; }
constexpr void apply(row_options& all, deprecated_option option) {
    all.deprecated = true;
    all.instead = option.instead;
}
constexpr void apply(row_options& all, doc_option option) { all.doc = option.text; }
constexpr void apply(row_options& all, sample_option option) { all.sample = option.text; }
template <class Other>
constexpr void apply(row_options&, Other) {}  // a fault_doc, or already reported at its row

template <class... Options>
constexpr row_options collect_options(Options... options) {
    row_options all;
    (apply(all, options), ...);
    return all;
}

/// What a row is after a mistake in it was reported: its table is left empty, so that no later
/// stage stumbles over the same mistake.
struct broken_row {};

/// What a row of a record is on the wire.
enum class row_kind : std::uint8_t {
    element,
    attribute,
    content,  ///< the text of the element itself
    group,  ///< the rows of another table, here
    base,  ///< those of the base class
    any,
    any_attribute
};

/// A row of a record without its struct. What inlines or matches others has no name.
struct field_row {
    std::string_view name;
    row_options options;
    const member_type* type = nullptr;
    row_kind kind = row_kind::element;
};

/// Whether a member is of the struct that it is in.
template <class Owner, class Member>
inline constexpr bool holds_owner = std::is_same_v<typename member_of<Member>::type, Owner>;

/// What `field` makes, for `record` to take apart.
template <class Owner, class Member, std::size_t Extras = 0>
struct member_row {
    using owner = Owner;
    static constexpr bool holds_owner = detail::holds_owner<Owner, Member>;
    static constexpr bool streams = is_stream<Member>;
    static constexpr std::size_t extra_count = Extras;
    field_row row;
    Member Owner::*member;
    std::array<row_extra, Extras> extras;
};

/// What `extends` makes.
template <class Base>
struct base_row {};

/// The base class as a member of what is derived from it.
template <class Base, class Object>
constexpr auto& base_of(Object& object) {
    using base = std::conditional_t<std::is_const_v<Object>, const Base, Base>;
    return static_cast<base&>(object);
}

/// What a record says of itself, besides its name.
struct record_options {
    std::string_view ns{};  ///< no data: the service's
    bool unqualified = false;
    bool abstract = false;
    bool all = false;
    bool choice = false;
    bool anonymous = false;
    bool nillable_element = false;
    const record_info& (*base)() = nullptr;
};
constexpr void apply(record_options& made, const row_extra& said) {
    switch (said.kind) {
    case extra_kind::ns: made.ns = said.text; break;
    case extra_kind::unqualified: made.unqualified = true; break;
    case extra_kind::abstract: made.abstract = true; break;
    case extra_kind::all: made.all = true; break;
    case extra_kind::anonymous: made.anonymous = true; break;
    case extra_kind::nillable_element: made.nillable_element = true; break;
    default:
        throw "soapsvc: the options of a record are in(\"...\"), unqualified, abstract, all, "
              "anonymous and nillable_element";
    }
}

/// A row of an enumeration. The number is that of the enumerator, as an unsigned one.
struct value_row {
    std::string_view text;
    std::uint64_t number = 0;
};
/// An enumeration's table without its enum.
struct enumeration_info {
    std::string_view name;
    std::span<const value_row> values;
    std::size_t size = 0;  ///< bytes that an enumerator takes
    std::string_view ns{};  ///< no data: the service's
    string_form form = string_form::string;  ///< of what it is a restriction of
};
template <class Enum>
struct enumerator_row {
    value_row row;
};

struct method_type;

/// A row of a service without its class. Where the method itself is, only the table can tell.
struct operation_row {
    std::string_view name;
    row_options options;
    const method_type* type = nullptr;
    std::size_t fault_count = 0;
    bool names_type = false;  ///< the request's table has another name than the operation
};

/// What `operation` makes, for `service` to take apart.
template <class Service, class Method, std::size_t Faults, std::size_t Extras>
struct method_row {
    using service = Service;
    operation_row row;
    Method method;
    std::array<documented_fault, Faults> faults;
    std::array<row_extra, Extras> extras;
};

/// How a message's element and its content belong together (WSDL 1.1, 3.3 to 3.5).
enum class message_style : std::uint8_t {
    wrapped,  ///< the element is the operation's, what is in it the request's or the result's
    bare,  ///< the element is the request, or the result, itself
    rpc  ///< as wrapped, but described by its parts, which are in no namespace
};

/// What a service says of itself, besides its name.
struct service_options {
    std::string_view doc{};
    std::string_view ns{};  ///< no data: ns_base and the name
    std::string_view path{};  ///< no data: base_path and the name
    message_style style = message_style::wrapped;  ///< of all its operations
    std::optional<soap_version> only{};  ///< the one that it speaks
};
constexpr void apply(service_options& made, const row_extra& said) {
    switch (said.kind) {
    case extra_kind::ns: made.ns = said.text; break;
    case extra_kind::path: made.path = said.text; break;
    case extra_kind::bare: made.style = message_style::bare; break;
    case extra_kind::rpc: made.style = message_style::rpc; break;
    case extra_kind::soap11_only: made.only = soap_version::v1_1; break;
    case extra_kind::soap12_only: made.only = soap_version::v1_2; break;
    default:
        throw "soapsvc: the options of a service are doc(\"...\"), in(\"...\"), path(\"...\"), "
              "bare, rpc, soap11_only and soap12_only";
    }
}

/// The table of a record. `T` is void after a mistake was reported in it. `Members` calls a
/// function with a pointer to each member of an object, in the order of the rows.
template <class T, std::size_t Count, std::size_t Extras, class Members>
struct record_table {
    static constexpr auto is = table_kind::record;
    using type = T;
    static constexpr std::size_t count = Count;
    std::string_view name;
    std::array<field_row, Count> rows;
    Members members;
    std::array<row_extra, Extras> extras{};  ///< of all rows, in their order
    record_options options{};
    bool streams = false;  ///< the last row does
};

/// The table of a choice: a record of which one row is used at a time.
template <class Table>
struct choice_table : Table {
    static constexpr auto is = table_kind::choice;
};

struct no_members {
    constexpr void operator()(const auto&, auto) const noexcept {}
};

struct note_place {
    const void** next;
    constexpr void operator()(const void* member) { *next++ = member; }
};
template <class T>
using empty_table = record_table<T, 0, 0, no_members>;

/// The table of a service. `Methods` tells where it holds its methods, in the order of the rows.
template <class Service, std::size_t Count, std::size_t Faults, std::size_t Extras, class Methods>
struct service_table {
    static constexpr auto is = table_kind::service;
    using type = Service;
    static constexpr std::size_t count = Count;
    std::string_view name;
    service_options options;
    std::array<operation_row, Count> rows;
    std::array<documented_fault, Faults> faults;  ///< of all rows, one after the other
    std::array<row_extra, Extras> extras;  ///< of all rows, in their order
    Methods methods;
};
struct no_methods {
    constexpr void operator()(const void**) const noexcept {}
};
using broken_service = service_table<void, 0, 0, 0, no_methods>;

/// What stands for a record's table in units that do not hold it.
template <class T>
struct elsewhere_table {
    static constexpr auto is = table_kind::record;
    using type = T;
    std::string_view name;
};

template <class Enum, std::size_t Count>
struct enumeration_table {
    static constexpr auto is = table_kind::enumeration;
    using type = Enum;
    std::string_view name;
    std::array<value_row, Count> values;
    std::string_view ns{};
    string_form form = string_form::string;
};

// --- Checks: each reports once, at the row, and later stages skip what is broken ----------------
// Two equal names show only when the table's value is computed: those checks use `throw`.

/// The most children that one record may have: what is seen of them is a fixed set of bits.
inline constexpr std::size_t max_fields = 256;

template <class>
inline constexpr bool never = false;

template <class T>
using schema_of = std::remove_cv_t<decltype(schema<T>)>;

/// Reports a type without a table, or with one about another type. (`void`: reported already.)
template <class T, table_kind Is>
constexpr bool check_table() {
    if constexpr (Is == table_kind::record && schema_of<T>::is == table_kind::choice) {
        static_assert(
            never<T>,
            "soapsvc: a choice is no type by itself; group(&Struct::member) puts it among the rows "
            "of a record");
        return false;
    } else if constexpr (schema_of<T>::is != Is) {
        static_assert(
            Is != table_kind::enumeration,
            "soapsvc: this enum has no table; write soapsvc::schema<...> = enumeration(...) after "
            "it, in the global namespace and above its first use");
        static_assert(
            Is != table_kind::record,
            "soapsvc: this struct has no table; write soapsvc::schema<...> = record(...) after it, "
            "in the global namespace and above its first use");
        static_assert(
            Is != table_kind::service,
            "soapsvc: this class has no table of operations; write soapsvc::schema<...> = "
            "service(...) after it, in the global namespace");
        return false;
    } else if constexpr (!std::is_same_v<typename schema_of<T>::type, T>) {
        using other = typename schema_of<T>::type;
        constexpr bool is_base = !std::is_void_v<other> && std::is_base_of_v<other, T>;
        static_assert(
            !is_base || Is != table_kind::record,
            "soapsvc: the rows of this type's table are those of its base class; write "
            "extends<Base>() and the struct's own members");
        static_assert(
            std::is_void_v<other> || (is_base && Is == table_kind::record),
            "soapsvc: the rows of this type's table are about another type; name its own members");
        return false;
    } else {
        return true;
    }
}

/// Whether a table's value may be looked at: it has none after a mistake reported by `throw`.
template <class T>
concept has_value = requires {
    typename std::bool_constant<(schema<T>.name.empty(), true)>;
};

template <class T>
constexpr bool table_has_name() {
    if constexpr (has_value<T>) return !schema<T>.name.empty();
    return true;
}

/// Whether a record's last row is a stream, as far as it is known here.
template <class T>
constexpr bool table_streams() {
    if constexpr (has_value<T>)
        if constexpr (requires { schema<T>.streams; }) return schema<T>.streams;
    return false;
}

/// Whether a struct may stand where no stream may.
template <class T>
constexpr bool check_no_stream() {
    constexpr bool streams = table_streams<T>();
    static_assert(
        !streams,
        "soapsvc: a struct with a stream is the request of an operation, or a result whose table "
        "has no name; it is no part of another struct, header, fault, list or nillable");
    return !streams;
}

/// Whether two of the keys are equal. Sorted, since comparing each with each takes more steps than
/// compilers allow.
template <class Key>
constexpr bool repeats(std::span<Key> keys) {
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

/// Texts of an array, found by a number that stands for them (FNV-1a): to sort a thousand takes
/// more steps than compilers allow.
template <std::size_t Count>
struct known_texts {
    const std::string_view* texts;
    bool repeats = false;
    /// 0: free, else one more than an index. No std::array, whose [] is a step of its own.
    std::size_t places[2 * Count + 1]{};

    constexpr explicit known_texts(const std::array<std::string_view, Count>& all)
        : texts(all.data()) {
        std::size_t at = 0;
        for (const std::string_view each : all) {
            std::size_t& place = places[place_of(each)];
            if (place != 0) repeats = true;
            place = ++at;
        }
    }
    constexpr bool has(std::string_view text) const { return places[place_of(text)] != 0; }
    /// Where it is, or else would be.
    constexpr std::size_t place_of(std::string_view text) const {
        std::uint64_t number = 0xCBF29CE484222325;
        for (const char *c = text.data(), *const end = c + text.size(); c != end; ++c)
            number = (number ^ static_cast<unsigned char>(*c)) * 0x100000001B3;
        std::size_t at = number % std::size(places);
        while (places[at] != 0 && texts[places[at] - 1] != text)
            at = (at + 1) % std::size(places);
        return at;
    }
};

/// Addresses of members have no order in a constant.
constexpr bool repeats_place(std::span<const void* const> places) {
    for (std::size_t left = 0; left != places.size(); ++left)
        for (std::size_t right = 0; right != left; ++right)
            if (places[left] == places[right]) return true;
    return false;
}

/// Types that look as if they could be in a message, and what to write instead.
template <class T>
concept chrono_type = requires {
    typename T::period;
}
|| requires { typename T::clock; }
|| is_one_of<
       T,
       std::chrono::year_month_day,
       std::chrono::year_month,
       std::chrono::month_day,
       std::chrono::year,
       std::chrono::month,
       std::chrono::day>;
template <class T>
concept map_type = requires {
    typename T::mapped_type;
};
/// Whether a type is a struct with a table. Reports the first thing that is wrong.
template <class T>
constexpr bool check_struct() {
    static_assert(
        !std::is_array_v<T>,
        "soapsvc: an array has no XML form; write a std::vector, or a member for each element");
    static_assert(
        !std::is_integral_v<T>,
        "soapsvc: a whole number's type says its size: write std::int8_t to std::int64_t or "
        "std::uint8_t to std::uint64_t, and std::string for characters");
    static_assert(
        !map_type<T>,
        "soapsvc: a map has no XML form; write a std::vector of a struct that has key and value");
    static_assert(
        !chrono_type<T>,
        "soapsvc: std::chrono has no XML form; write soapsvc::date, date_time, duration or g_year "
        "to g_day, which convert from it and to it, or a number with its unit in the name");
    constexpr bool known =
        std::is_array_v<T> || std::is_integral_v<T> || map_type<T> || chrono_type<T>;
    constexpr bool plain = std::is_aggregate_v<T> && !requires { std::tuple_size<T>::value; };
    static_assert(
        known || plain,
        "soapsvc: this type has no XML form; use bool, std::int8_t to std::uint64_t, float, "
        "double, std::string, soapsvc::binary, hex_binary, date, date_time, time, duration, g_year "
        "to g_day, decimal or integer, an enum or plain struct with a table, or std::optional or "
        "std::vector of one of these");
    if constexpr (plain && !known) return check_table<T, table_kind::record>();
    return false;
}

template <class T>
constexpr bool check_type();

template <class T>
inline constexpr bool has_list = kind_of<T> == type_kind::list;
template <class... Ts>
inline constexpr bool has_list<std::variant<Ts...>> = (has_list<Ts> || ...);

/// Whether a type made of others is made of what it may be.
template <class T>
constexpr bool check_parts(std::type_identity<list<T>>) {
    constexpr bool simple = is_simple<T> && !has_list<T>;
    static_assert(
        simple,
        "soapsvc: the items of a soapsvc::list are simple values without spaces; for elements that "
        "repeat write a std::vector");
    constexpr bool has_bits = std::is_same_v<T, bool>;
    static_assert(
        !has_bits,
        "soapsvc: a soapsvc::list of booleans is soapsvc::list<soapsvc::boolean>, since a "
        "std::vector<bool> packs its elements into bits, which cannot be reached");
    if constexpr (simple && !has_bits) return check_type<T>();
    return false;
}
template <class... Ts>
constexpr bool check_parts(std::type_identity<std::variant<Ts...>>) {
    constexpr bool simple = (is_simple<Ts> && ...);
    static_assert(
        simple,
        "soapsvc: a std::variant is a union of simple types; for one of several elements write a "
        "struct with a choice, and for derived structs soapsvc::derived<Base>");
    if constexpr (simple) return (check_type<Ts>() && ...);
    return false;
}
template <class Base>
constexpr bool check_parts(std::type_identity<derived<Base>>) {
    return check_struct<Base>();
}

/// Whether values of `T` can be the content of an element.
template <class T>
constexpr bool check_type() {
    constexpr bool is_text = kind_of<T> == type_kind::name || kind_of<T> == type_kind::fragment;
    if constexpr (simple_kind<T> != type_kind::none || is_text) {
        return true;
    } else if constexpr (has_parts(kind_of<T>)) {
        return check_parts(std::type_identity<T>{});
    } else if constexpr (is_stream<T>) {
        static_assert(
            never<T>,
            "soapsvc: a stream is a member, or a result, by itself: it is in no std::optional, "
            "std::vector, nillable or other stream");
        return false;
    } else if constexpr (member_of<T>::occurs != occurrence::once) {
        static_assert(
            never<T>,
            "soapsvc: std::optional and std::vector do not nest; put the inner one into a struct "
            "with a table of its own");
        return false;
    } else if constexpr (std::is_enum_v<T>) {
        return check_table<T, table_kind::enumeration>();
    } else if constexpr (!check_struct<T>()) {
        return false;
    } else {
        constexpr bool named = table_has_name<T>();
        static_assert(
            named,
            "soapsvc: only a request's table goes without a name; write record(\"Name\", ...) for "
            "this struct, which a field or a result holds");
        if constexpr (named) return check_no_stream<T>();
        return false;
    }
}

/// Whether `Member` can be an element that occurs once, at most once, or any number of times.
template <class Member>
constexpr bool check_member() {
    constexpr bool has_bits = is_one_of<Member, std::vector<bool>, stream<bool>>;
    constexpr bool is_binary = is_one_of<Member, std::vector<std::uint8_t>, stream<std::uint8_t>>;
    static_assert(
        !has_bits,
        "soapsvc: std::vector<bool> packs its elements into bits, which cannot be reached; use "
        "std::vector<soapsvc::boolean>, and so for a stream");
    static_assert(
        !is_binary,
        "soapsvc: bytes are soapsvc::binary, which is base64Binary in XML; for a list of small "
        "numbers take std::vector<std::uint16_t>, for very many bytes soapsvc::stream<std::byte>");
    if constexpr (has_bits || is_binary)
        return false;
    else
        return check_type<typename member_of<Member>::type>();
}

/// Whether the member of a wildcard row can hold what it takes.
template <class Member>
constexpr bool check_wildcard(type_kind what) {
    constexpr type_kind kind = kind_of<typename member_of<Member>::type>;
    constexpr bool elements = kind == type_kind::fragment && !may_be_nil<Member>;
    constexpr bool attributes = std::is_same_v<Member, std::vector<xml_attribute>>;
    static_assert(
        elements || attributes,
        "soapsvc: a wildcard is a soapsvc::xml, or a std::optional or std::vector of it; one for "
        "attributes a std::vector of soapsvc::xml_attribute");
    return (elements || attributes) && kind == what;
}

/// Whether the member of a `group` row is a struct with a table, which needs no name, or a choice.
template <class Member>
constexpr bool check_group() {
    using part = typename member_of<Member>::type;
    constexpr bool is_struct = std::is_class_v<part> && simple_kind<part> == type_kind::none;
    constexpr bool nil = may_be_nil<Member>;
    static_assert(
        is_struct && !nil,
        "soapsvc: a group is a struct with a table, or a std::optional or std::vector of one");
    if constexpr (!is_struct || nil)
        return false;
    else if constexpr (schema_of<part>::is == table_kind::choice)
        return check_table<part, table_kind::choice>();
    else if constexpr (check_table<part, table_kind::record>())
        return check_no_stream<part>();
    else
        return false;
}

/// Whether a member's values are texts without markup, as those of attributes are.
template <row_kind Kind, class Member>
constexpr bool check_simple() {
    using value = typename member_of<Member>::type;
    constexpr bool simple = is_simple<value>;
    constexpr auto occurs = member_of<Member>::occurs;
    constexpr bool optional = occurs == occurrence::optional && Kind == row_kind::attribute;
    constexpr bool single = (occurs == occurrence::once || optional) && !may_be_nil<Member>;
    static_assert(
        simple && single,
        "soapsvc: an attribute, or the content of an element, is a simple type: a number, a "
        "string, a date, an enum, a list; an attribute may be a std::optional of one");
    if constexpr (!simple || !single)
        return false;
    else
        return check_member<Member>();
}

/// Whether one row of a record is right; its name is checked by element_name. Once for each type of
/// member, whatever struct it is in.
template <row_kind Kind, class Member, bool HoldsOwner, class... Options>
constexpr bool check_field() {
    constexpr bool is_data = !std::is_function_v<Member>;
    constexpr bool good_options = (is_field_option<Options> && ...);
    constexpr bool good_default =
        !is_one_of<defaulted_option, Options...> || member_of<Member>::occurs == occurrence::once;
    static_assert(
        is_data, "soapsvc: a field is a data member; a method belongs into operation(...)");
    static_assert(
        good_options,
        "soapsvc: the options of a field are defaulted, secret, deprecated, doc(\"...\"), "
        "sample(\"...\"), in(\"...\"), unqualified, occurs(...), preset, fixed, facets and types");
    static_assert(
        good_default,
        "soapsvc: defaulted is for a member that always has a value; leave it out, std::optional "
        "and std::vector may be absent anyway");
    constexpr bool good_stream = !is_stream<Member> || (Kind == row_kind::element && !HoldsOwner &&
                                                        !is_one_of<defaulted_option, Options...>);
    static_assert(
        good_stream || !good_default,
        "soapsvc: a stream is a field without defaulted, of items that are another struct than "
        "the one that it is in");
    if constexpr (!is_data || !good_options || !good_default || !good_stream)
        return false;
    else if constexpr (Kind == row_kind::any)
        return check_wildcard<Member>(type_kind::fragment);
    else if constexpr (Kind == row_kind::any_attribute)
        return check_wildcard<Member>(type_kind::attribute);
    else if constexpr (Kind == row_kind::group)
        return check_group<Member>();
    else if constexpr (Kind == row_kind::attribute || Kind == row_kind::content)
        return check_simple<Kind, Member>();
    else if constexpr (HoldsOwner || is_one_of<below_option, Options...>)
        return true;  // its table is being written, or comes later
    else
        return check_member<Member>();
}

/// Whether what a row says beyond its name goes with what it is.
constexpr void check_extras(
    row_kind kind, bool many, bool simple, std::span<const row_extra> extras) {
    const bool element = kind == row_kind::element;
    const bool attribute = kind == row_kind::attribute;
    const bool wildcard = kind == row_kind::any || kind == row_kind::any_attribute;
    bool preset = false, fixed = false;
    for (const row_extra& each : extras) {
        if (each.kind == extra_kind::process && !wildcard)
            throw "soapsvc: skip is for any and any_attribute";
        preset = preset || each.kind == extra_kind::preset;
        fixed = fixed || each.kind == extra_kind::fixed;
        const bool counts = each.kind == extra_kind::least || each.kind == extra_kind::most;
        if (counts && !many) throw "soapsvc: occurs(...) is for a member that is a std::vector";
        const bool places = each.kind == extra_kind::ns || each.kind == extra_kind::unqualified;
        if (places && (kind == row_kind::group || kind == row_kind::content))
            throw "soapsvc: in(...) and unqualified are for rows with a name; content has none, "
                  "and the rows of a group say their own";
    }
    if ((preset || fixed) && !(simple && (element || attribute)))
        throw "soapsvc: preset and fixed are for attributes, and for fields of a simple type";
    if (preset && fixed) throw "soapsvc: a value is either preset or fixed";
}

/// Whether what a row says of a stream can be held against it piece by piece.
constexpr void check_stream_extras(bool many, std::span<const row_extra> extras) {
    for (const row_extra& each : extras) {
        if (each.kind == extra_kind::preset || each.kind == extra_kind::fixed)
            throw "soapsvc: preset and fixed are for values that are there as a whole; a stream is "
                  "none";
        if (!many && each.kind != extra_kind::ns && each.kind != extra_kind::unqualified)
            throw "soapsvc: a stream of bytes has no facets, which are about a whole value; it may "
                  "have in(...) and unqualified";
    }
}

template <row_kind Kind, class Owner, class Member, class... Options>
constexpr auto make_row(std::string_view name, Member Owner::*member, Options... options) {
    if constexpr (!check_field<Kind, Member, holds_owner<Owner, Member>, Options...>()) {
        return broken_row{};
    } else {
        constexpr std::size_t extras = (0 + ... + extras_in<Options>);
        constexpr bool many = member_of<Member>::occurs == occurrence::many;
        constexpr bool simple = is_simple<typename member_of<Member>::type>;
        if constexpr (extras != 0) check_extras(Kind, many, simple, collect_extras(options...));
        if constexpr (extras != 0 && is_stream<Member>)
            check_stream_extras(many, collect_extras(options...));
        return member_row<Owner, Member, extras>{
            {name, collect_options(options...), &member_type_of<Member>, Kind},
            member,
            collect_extras(options...)};
    }
}

/// Converts to every type, so that `T{anything, anything}` compiles for two or more members.
struct anything {
    template <class T>
    operator T() const noexcept;  // NOLINT(google-explicit-constructor): never called
};

/// Converts to the base classes of `T` alone.
template <class T>
struct any_base_of {
    template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) operator Base()
        const noexcept;  // NOLINT(google-explicit-constructor): never called
};
template <class T>
concept has_base = requires {
    T{any_base_of<T>{}};
};

template <class T, std::size_t... Indices>
constexpr bool is_initialisable(std::index_sequence<Indices...>) {
    return requires { T{(static_cast<void>(Indices), anything{})...}; };
}

template <class T, std::size_t Count = 0>
constexpr std::size_t count_members() {
    if constexpr (is_initialisable<T>(std::make_index_sequence<Count + 1>{}))
        return count_members<T, Count + 1>();
    else
        return Count;
}

/// Both compilers print the template arguments of a function that fails: the numbers are there.
template <class T, std::size_t Listed, std::size_t Members>
constexpr bool check_lists_every_member() {
    static_assert(
        Listed >= Members,
        "soapsvc: this table does not list every member; add a field for each (see the numbers "
        "Listed and Members of check_lists_every_member)");
    return false;
}

/// Asks for exactly `Listed` members, of which a base class is one; counts them one by one only to
/// report a difference.
template <class T, std::size_t Listed, bool HasBase>
constexpr bool check_members() {
    static_assert(
        std::is_aggregate_v<T>,
        "soapsvc: a struct with a table is plain: no constructor, private member, private base "
        "class or virtual function");
    static_assert(
        HasBase || !has_base<T>,
        "soapsvc: this struct has a base class; write extends<Base>() before its fields, and give "
        "the base a table of its own");
    if constexpr (!std::is_aggregate_v<T> || (!HasBase && has_base<T>))
        return false;
    else if constexpr (!is_initialisable<T>(std::make_index_sequence<Listed + 1>{}))
        return true;  // no member is listed twice, which is looked for elsewhere
    else
        return check_lists_every_member<T, Listed, count_members<T>()>();
}

template <class Row>
concept is_member_row = requires {
    typename Row::owner;
};

/// Whether a struct begins with the base class that `extends` names, which has a table.
template <class T, class Base>
constexpr bool check_base() {
    constexpr bool is_base = std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>;
    static_assert(
        is_base || std::is_void_v<Base>,
        "soapsvc: extends<Base>() names a base class of the struct with this table");
    if constexpr (is_base) {
        if constexpr (check_table<Base, table_kind::record>()) return check_no_stream<Base>();
        return false;
    }
    return std::is_void_v<Base>;
}

/// Whether no row but the last one streams.
template <class First, class... Rows>
constexpr bool check_streams() {
    constexpr std::array<bool, 1 + sizeof...(Rows)> each{First::streams, Rows::streams...};
    constexpr bool last = std::find(each.begin(), each.end(), true) >= each.end() - 1;
    static_assert(
        last,
        "soapsvc: a stream is the last row of its record, so that all others are there before its "
        "items");
    return last;
}

/// Whether the rows of a record belong together. `Base` is void without one.
template <class Base, class First, class... Rows>
constexpr bool check_fields() {
    constexpr bool all_fields = (is_member_row<First> && ... && is_member_row<Rows>);
    static_assert(
        all_fields,
        "soapsvc: the rows of a record are field(\"Name\", &Struct::member), attribute, content, "
        "group, any and any_attribute, after its own options");
    if constexpr (all_fields) {
        using owner = typename First::owner;
        constexpr bool has_base = !std::is_void_v<Base>;
        constexpr bool one_owner = (std::is_same_v<typename Rows::owner, owner> && ...);
        constexpr bool is_base =
            !one_owner && ((std::is_base_of_v<owner, typename Rows::owner> ||
                            std::is_base_of_v<typename Rows::owner, owner>)&&...);
        static_assert(
            !is_base,
            "soapsvc: the table of a derived struct lists its own members alone; those of the base "
            "come with extends<Base>()");
        static_assert(
            one_owner || is_base,
            "soapsvc: all fields of a record are members of one and the same struct");
        if constexpr (one_owner) {
            if constexpr (check_base<owner, Base>() && check_streams<First, Rows...>())
                return check_members<owner, 1 + sizeof...(Rows) + has_base, has_base>();
        }
    }
    return false;
}

/// Checked first: with many fields a compiler may stop at a limit of its own in later checks.
template <std::size_t Count>
constexpr bool check_length() {
    static_assert(
        Count <= max_fields,
        "soapsvc: a record has at most 256 fields; put some into a struct of their own");
    return Count <= max_fields;
}

/// Memory that is never a `T`, only used to say where in a T something would be.
template <class T>
union unset {
    char none = 0;
    T value;
    constexpr unset() noexcept {}
    constexpr ~unset() {}
};

/// What must differ between two rows of a record: attributes and elements have names of their own.
struct row_key {
    std::string_view name;
    std::string_view ns;
    bool unqualified;
    row_kind kind;
    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that an order is compared with
    friend constexpr auto operator<=>(const row_key&, const row_key&) = default;
};
template <std::size_t Count>
constexpr bool repeats_name(
    const std::array<field_row, Count>& rows, std::span<const row_extra> extras) {
    std::array<row_key, Count> keys{};
    for (std::size_t row = 0; row != Count; ++row)
        keys[row] = {rows[row].name, {}, false, rows[row].kind};
    for (const row_extra& each : extras) {
        if (each.kind == extra_kind::ns) keys[each.row].ns = each.text;
        if (each.kind == extra_kind::unqualified) keys[each.row].unqualified = true;
    }
    const auto named = std::remove_if(
        keys.begin(), keys.end(), [](const row_key& key) { return key.name.empty(); });
    return repeats<row_key>(std::span(keys.begin(), named));
}

/// Appends what a row says to that of all rows, numbered.
template <std::size_t Count>
constexpr void number_extras(
    const std::array<row_extra, Count>& from, std::size_t row, row_extra*& to) {
    for (row_extra each : from) {
        each.row = static_cast<std::uint16_t>(row);
        *to++ = each;
    }
}

template <class Base>
inline constexpr std::size_t base_rows = std::is_void_v<Base> ? 0 : 1;

/// Every wrong record has the same type, so that nothing later depends on its rows. `Base` is the
/// base class, whose rows come first; void for none.
template <class Base, class First, class... Rows>
constexpr auto make_record(std::string_view name, First first, Rows... rows) {
    constexpr std::size_t based = base_rows<Base>;
    constexpr std::size_t count = based + 1 + sizeof...(Rows);
    if constexpr (!check_length<count>()) {
        return empty_table<void>{name, {}, {}};
    } else if constexpr (is_one_of<broken_row, First, Rows...>) {
        return empty_table<void>{name, {}, {}};
    } else if constexpr (!check_fields<Base, First, Rows...>()) {
        return empty_table<void>{name, {}, {}};
    } else {
        using owner = typename First::owner;
        if (name.empty() && (First::holds_owner || ... || Rows::holds_owner))
            throw "soapsvc: the table of a struct that holds itself needs a name";
        const auto members = [at = first.member, ... more = rows.member](auto& object, auto visit) {
            if constexpr (based != 0) visit(&base_of<Base>(object));
            visit(&(object.*at));
            (visit(&(object.*more)), ...);
        };
        constexpr std::size_t extras = (First::extra_count + ... + Rows::extra_count);
        record_table<owner, count, extras, decltype(members)> made{name, {}, members};
        const unset<owner> probe;
        const void* places[count]{};
        members(probe.value, note_place{places});
        if (repeats_place({places + based, count - based}))
            throw "soapsvc: this table lists a member twice";
        field_row* to = made.rows.data();
        if constexpr (based != 0) *to++ = field_row{{}, {}, &member_type_of<Base>, row_kind::base};
        *to++ = first.row;
        ((*to++ = rows.row), ...);
        if constexpr (extras != 0) {
            row_extra* next = made.extras.data();
            std::size_t row = based;
            number_extras(first.extras, row, next);
            (number_extras(rows.extras, ++row, next), ...);
        }
        made.streams = (First::streams || ... || Rows::streams);
        if (repeats_name(made.rows, made.extras))
            throw "soapsvc: two fields of this record have the same name";
        return made;
    }
}

template <class T, class Base>
constexpr auto make_empty_derived(std::string_view name) {
    constexpr bool named = !std::is_void_v<T>;
    static_assert(
        named,
        "soapsvc: for a struct that adds nothing to its base write record<Struct>(\"Name\", "
        "extends<Base>())");
    if constexpr (!named)
        return empty_table<void>{name, {}, {}};
    else if constexpr (!check_base<T, Base>() || !check_members<T, 1, true>()) {
        return empty_table<void>{name, {}, {}};
    } else {
        const auto members = [](auto& object, auto visit) { visit(&base_of<Base>(object)); };
        return record_table<T, 1, 0, decltype(members)>{
            name, {field_row{{}, {}, &member_type_of<Base>, row_kind::base}}, members};
    }
}

/// A record of which one row is used at a time. Which, its members say: each may be absent.
template <class Table>
constexpr auto make_choice(const Table& table) {
    if constexpr (std::is_void_v<typename Table::type>) {
        return table;
    } else {
        for (const field_row& row : table.rows) {
            const bool good = row.type->occurs != occurrence::once && !row.options.defaulted &&
                              !row.type->stream &&
                              (row.kind == row_kind::element || row.kind == row_kind::group ||
                               row.kind == row_kind::any);
            if (!good)
                throw "soapsvc: the rows of a choice are elements, groups and wildcards, each a "
                      "std::optional or a std::vector";
        }
        choice_table<Table> made{table};
        made.options.choice = true;
        return made;
    }
}

template <class T>
constexpr auto make_empty_record(std::string_view name) {
    static_assert(
        !std::is_void_v<T>,
        "soapsvc: this record has no fields; for a struct without members write "
        "record<Struct>(\"Name\")");
    static_assert(
        std::is_void_v<T> || std::is_empty_v<T>,
        "soapsvc: this struct has members; list each as field(\"Name\", &Struct::member)");
    return empty_table<T>{name, {}, {}};
}

template <class Enum, class... Rows>
constexpr auto make_enumeration(std::string_view name, enumerator_row<Enum> first, Rows... rows) {
    constexpr bool same = all_true({std::is_same_v<Rows, enumerator_row<Enum>>...});
    static_assert(
        same, "soapsvc: the rows of an enumeration are value(\"Text\", Enum::x) of one enum");
    if constexpr (!same) {
        return enumeration_table<void, 0>{name, {}};
    } else {
        const std::array<std::string_view, 1 + sizeof...(Rows)> texts{
            first.row.text, rows.row.text...};
        if (known_texts(texts).repeats)
            throw "soapsvc: two values of this enumeration have the same text";
        std::uint64_t numbers[]{first.row.number, rows.row.number...};
        if (repeats<std::uint64_t>(numbers))
            throw "soapsvc: this enumeration lists an enumerator twice";
        return enumeration_table<Enum, 1 + sizeof...(Rows)>{name, {first.row, rows.row...}};
    }
}

// --- What a method's signature says --------------------------------------------------------------

template <class Method>
struct method_of {
    static constexpr bool is_method = false;
};
template <class Result, class Service, class... Arguments>
struct method_of<Result (Service::*)(Arguments...)> {
    static constexpr bool is_method = true;
    using service = Service;
    using result = std::remove_cvref_t<Result>;
    using arguments = type_list<std::remove_cvref_t<Arguments>...>;
    /// Takes each by value or by reference to const, so that it can be given what was read.
    static constexpr bool only_reads =
        (std::is_convertible_v<const std::remove_cvref_t<Arguments>&, Arguments> && ...);
};
template <class R, class S, class... As>
struct method_of<R (S::*)(As...) const> : method_of<R (S::*)(As...)> {};
template <class R, class S, class... As>
struct method_of<R (S::*)(As...) noexcept> : method_of<R (S::*)(As...)> {};
template <class R, class S, class... As>
struct method_of<R (S::*)(As...) const noexcept> : method_of<R (S::*)(As...)> {};

/// The header blocks of a parameter, or of what is returned beside a result.
template <class Slot>
struct header_slots {
    using type = type_list<Slot>;
};
template <>
struct header_slots<void> {
    using type = type_list<>;
};
template <class... Slots>
struct header_slots<headers<Slots...>> {
    using type = type_list<Slots...>;
};

/// Request, header and context by position; `fits` is false for anything else.
template <class Arguments>
struct parameters {
    static constexpr bool fits = false;
};
template <class Request, class Header, bool Context>
struct parameters_are {
    static constexpr bool fits = true;
    static constexpr bool takes_context = Context;
    using request = Request;  ///< void: none
    using header = Header;  ///< as declared: H, std::optional<H> or headers<...>; void: none
};
template <>
struct parameters<type_list<>> : parameters_are<void, void, false> {};
template <class Q>
struct parameters<type_list<Q>> : parameters_are<Q, void, false> {};
template <class Q, class H>
struct parameters<type_list<Q, H>> : parameters_are<Q, H, false> {};
template <>
struct parameters<type_list<context>> : parameters_are<void, void, true> {};
template <class Q>
struct parameters<type_list<Q, context>> : parameters_are<Q, void, true> {};
template <class Q, class H>
struct parameters<type_list<Q, H, context>> : parameters_are<Q, H, true> {};
template <class... Hs>
struct parameters<type_list<headers<Hs...>>> : parameters_are<void, headers<Hs...>, false> {};
template <class... Hs>
struct parameters<type_list<headers<Hs...>, context>> : parameters_are<void, headers<Hs...>, true> {
};

template <class Method>
using signature = parameters<typename method_of<Method>::arguments>;

/// Whether `T` can be a request or a header: void, or a struct with a table.
template <class T>
constexpr bool check_parameter() {
    if constexpr (std::is_void_v<T>) {
        return true;
    } else if constexpr (
        !std::is_class_v<T> || simple_kind<T> != type_kind::none ||
        member_of<T>::occurs != occurrence::once) {
        static_assert(
            never<T>,
            "soapsvc: request and header of a method are structs with a table; the header may be "
            "a std::optional of one");
        return false;
    } else {
        return check_table<T, table_kind::record>();
    }
}

/// The struct of a request, which may be nil, or another that is derived from it.
template <class T>
struct struct_of {
    using type = T;
};
template <class T>
struct struct_of<nillable<T>> : struct_of<T> {};
template <class Base>
struct struct_of<derived<Base>> {
    using type = Base;
};

/// Whether a request of that struct may be of others, too, if it says so.
template <class T, class Struct>
constexpr bool check_request() {
    if constexpr (std::is_same_v<T, Struct>)
        return true;
    else if constexpr (!std::is_same_v<T, nillable<Struct>>)
        return check_member<T>();
    else
        return check_no_stream<Struct>();
}

/// A header block, or a fault's detail: unlike a request, its name comes from its own table only.
template <class T>
constexpr bool check_header() {
    if constexpr (std::is_void_v<T>) {
        return true;
    } else if constexpr (!check_parameter<T>()) {
        return false;
    } else {
        constexpr bool named = table_has_name<T>();
        static_assert(
            named,
            "soapsvc: a header's table needs the name of its element; write record(\"Name\", ...)");
        if constexpr (named) return check_no_stream<T>();
        return false;
    }
}

/// How often a type is among others.
template <class T, class... Ts>
inline constexpr std::size_t count_of = (0 + ... + static_cast<std::size_t>(std::is_same_v<T, Ts>));

/// The record of a header block that may be declared as std::optional.
template <class Slot>
using block_of = std::conditional_t<
    member_of<Slot>::occurs == occurrence::optional,
    typename member_of<Slot>::type,
    Slot>;

/// The header blocks that have no name in a table.
template <class Slot>
inline constexpr bool is_other_blocks = std::is_same_v<Slot, std::vector<xml>>;

template <class Slot>
constexpr bool check_slot() {
    return check_header<std::conditional_t<is_other_blocks<Slot>, void, block_of<Slot>>>();
}

/// The header blocks of a method's parameter or of what it returns: no two of one type.
template <class... Slots>
constexpr bool check_headers(type_list<Slots...>) {
    constexpr bool once = ((count_of<block_of<Slots>, block_of<Slots>...> == 1) && ...);
    static_assert(once, "soapsvc: headers<...> lists one header twice");
    constexpr bool others[] = {is_other_blocks<Slots>..., true};
    constexpr bool last =
        std::end(others) - std::find(std::begin(others), std::end(others), true) <= 2;
    static_assert(
        !once || last,
        "soapsvc: std::vector<soapsvc::xml> is the last of headers<...>: what no other takes");
    if constexpr (once && last) return (check_slot<Slots>() && ...);
    return false;
}

/// What a method returns: a result, with header blocks or without.
template <class Returned>
struct returned {
    using result = Returned;
    using headers = void;
};
template <class Result, class... Headers>
struct returned<with_headers<Result, Headers...>> {
    using result = Result;
    using headers = soapsvc::headers<Headers...>;
};
template <class Method>
using result_of = typename returned<typename method_of<Method>::result>::result;

/// Whether values of a type can be a result: its table may go without a name, if it has one.
template <class T>
constexpr bool check_result() {
    using value = typename member_of<T>::type;
    if constexpr (std::is_void_v<T>) {
        return true;
    } else if constexpr (schema_of<value>::is != table_kind::record) {
        constexpr bool nameless = member_of<T>::occurs == occurrence::many &&
                                  (has_list<value> || kind_of<value> == type_kind::choice_of);
        static_assert(
            !nameless,
            "soapsvc: a result of many lists or unions has no name for each of them; return a "
            "struct that has them as a field");
        if constexpr (nameless)
            return false;
        else
            return check_member<T>();
    } else if constexpr (table_has_name<value>()) {
        return check_member<T>();
    } else {
        constexpr bool once = member_of<T>::occurs == occurrence::once;
        static_assert(
            once,
            "soapsvc: a result whose table has no name is what the reply holds; it is no "
            "std::optional and no std::vector; write record(\"Name\", ...), or a struct that holds "
            "it");
        if constexpr (once) return check_table<value, table_kind::record>();
        return false;
    }
}

/// Whether a method can serve an operation. Reports the first thing that is wrong.
template <class Method>
constexpr bool check_method() {
    using method = method_of<Method>;
    static_assert(
        method::is_method,
        "soapsvc: an operation is written operation(\"Name\", &Service::method)");
    if constexpr (!method::is_method) {
        return false;
    } else if constexpr (!method::only_reads) {
        static_assert(
            never<Method>,
            "soapsvc: a method takes its parameters by const reference or by value; what it "
            "returns is the response");
        return false;
    } else if constexpr (!signature<Method>::fits) {
        static_assert(
            never<Method>,
            "soapsvc: a method's parameters are the request, the header and soapsvc::context, in "
            "this order; each may be left out");
        return false;
    } else {
        using header_list = typename header_slots<typename signature<Method>::header>::type;
        using answered = returned<typename method::result>;
        using asked = typename signature<Method>::request;
        using asked_struct = typename struct_of<asked>::type;
        constexpr bool request = check_parameter<asked_struct>();
        constexpr bool others = check_request<asked, asked_struct>();
        constexpr bool header = check_headers(header_list{});
        constexpr bool result = check_result<typename answered::result>();
        constexpr bool told =
            check_headers(typename header_slots<typename answered::headers>::type{});
        return request && others && header && result && told;
    }
}

/// The class that the operations belong to: the first one that is known.
template <class...>
struct first_class {
    using type = void;
};
template <class First, class... Rest>
struct first_class<First, Rest...> {
    using type = First;
};
template <class... Rest>
struct first_class<void, Rest...> : first_class<Rest...> {};

template <class Row>
concept is_service_row = requires {
    typename Row::service;
};

/// Whether the rows of a service belong together.
template <class... Rows>
constexpr bool check_operations() {
    constexpr bool broken = is_one_of<broken_row, Rows...>;  // which was reported there
    constexpr bool all_rows = !broken && all_true({is_service_row<Rows>...});
    static_assert(
        all_rows || broken,
        "soapsvc: the rows of a service are operation(\"Name\", &Service::method) and "
        "doc(\"...\")");
    if constexpr (all_rows) {
        using owner = typename first_class<typename Rows::service...>::type;
        constexpr bool one_owner = all_true({is_one_of<typename Rows::service, void, owner>...});
        static_assert(!std::is_void_v<owner>, "soapsvc: a service has at least one operation");
        static_assert(
            one_owner,
            "soapsvc: all operations of a service are methods of one and the same class");
        return one_owner && !std::is_void_v<owner>;
    }
    return false;
}

/// How a call is served, handed to the typed thunk `method_type::call`: it makes request and
/// header, has them filled, calls the method, and hands the result on.
struct call_steps {
    void* self = nullptr;
    void (*decode)(void* self, void* request, void* header) = nullptr;
    void (*encode)(void* self, const void* result) = nullptr;
    const soapsvc::context* context = nullptr;
    std::shared_ptr<const void> kept{};  ///< a result that streams: it outlives the call
};

/// One header block of those that a method takes or returns: where it is in what it is in. The last
/// may be the list of all other blocks.
struct header_type {
    const record_info& (*record)() = nullptr;  ///< nullptr: any
    bool may_be_absent = false;  ///< declared as std::optional
    void* (*emplace)(void* all) = nullptr;
    const void* (*item)(const void* all, std::size_t index) = nullptr;  ///< nullptr: there is none
};

/// All that is known of a method: once for each signature of a class.
struct method_type {
    const record_info& (*request)() = nullptr;  ///< nullptr: no parameters
    const member_type* asked = nullptr;  ///< of a request that is more than its struct
    std::span<const header_type> headers{};  ///< that it takes, in its parameter
    std::span<const header_type> told{};  ///< that it returns, in what it returns
    const member_type* result = nullptr;  ///< nullptr: void; reached in what it returns
    void (*call)(const void* method, void* service, call_steps& steps) = nullptr;
};

// A header that is a parameter by itself, one of several, and one that is returned.
template <class Slot>
struct lone_header {
    static auto& of(auto& all) { return all; }
    using all = Slot;
    using slot = Slot;
};
template <class Headers, class Slot>
struct listed_header {
    static auto& of(auto& all) { return all.template get<typename member_of<Slot>::type>(); }
    using all = Headers;
    using slot = Slot;
};
template <class Returned, class Slot>
struct returned_header {
    static auto& of(auto& all) {
        return all.headers.template get<typename member_of<Slot>::type>();
    }
    using all = Returned;
    using slot = Slot;
};
template <class At>
constexpr header_type make_header_type() {
    using slot = typename At::slot;
    using all = typename At::all;
    header_type type;
    if constexpr (!is_other_blocks<slot>)
        type.record = &describe_record<typename member_of<slot>::type>;
    type.may_be_absent = member_of<slot>::occurs == occurrence::optional;
    type.emplace = [](void* at) { return emplace_member<slot>(&At::of(*static_cast<all*>(at))); };
    type.item = [](const void* at, std::size_t index) {
        return member_item<slot>(&At::of(*static_cast<const all*>(at)), index);
    };
    return type;
}
template <class... At>
inline constexpr std::array<header_type, sizeof...(At)> header_types{make_header_type<At>()...};
template <class Slot>
constexpr std::span<const header_type> taken_headers(std::type_identity<Slot>) {
    return header_types<lone_header<Slot>>;
}
template <class... Slots>
constexpr std::span<const header_type> taken_headers(std::type_identity<headers<Slots...>>) {
    return header_types<listed_header<headers<Slots...>, Slots>...>;
}
template <class Result, class... Slots>
constexpr std::span<const header_type> returned_headers(
    std::type_identity<with_headers<Result, Slots...>>) {
    return header_types<returned_header<with_headers<Result, Slots...>, Slots>...>;
}

/// The result within what is returned beside header blocks.
template <class Returned, class Member = typename returned<Returned>::result>
constexpr member_type make_inner_type() {
    member_type type = member_type_of<Member>;
    type.emplace = [](void* at) {
        return member_type_of<Member>.emplace(&static_cast<Returned*>(at)->result);
    };
    type.item = [](const void* at, std::size_t index) {
        return member_type_of<Member>.item(&static_cast<const Returned*>(at)->result, index);
    };
    if constexpr (is_stream<Member>)
        type.stream = &stream_access_of<Returned, Member, stream_result>;
    if (type.emplace_nil)
        type.emplace_nil = [](void* at) {
            return member_type_of<Member>.emplace_nil(&static_cast<Returned*>(at)->result);
        };
    return type;
}
template <class Returned>
inline constexpr member_type inner_type_of = make_inner_type<Returned>();

/// `void` has no values: an empty struct stands in, so that one thunk serves all signatures.
template <class T>
using value_or_nothing = std::conditional_t<std::is_void_v<T>, nothing, T>;

/// Whether a result is a stream, or has one.
template <class Result>
constexpr bool streams_result() {
    if constexpr (is_stream<Result>)
        return true;
    else if constexpr (std::is_void_v<Result> || schema_of<Result>::is != table_kind::record)
        return false;
    else
        return table_streams<Result>();
}

template <class Method>
void call_method(const void* at, void* service, call_steps& steps) {
    using shape = signature<Method>;
    const Method method = *static_cast<const Method*>(at);
    auto& self = *static_cast<typename method_of<Method>::service*>(service);
    value_or_nothing<typename shape::request> request{};
    value_or_nothing<typename shape::header> header{};
    steps.decode(steps.self, &request, &header);
    const auto given = [&](const auto&... all) -> decltype(auto) {
        if constexpr (shape::takes_context)
            return (self.*method)(all..., *steps.context);
        else
            return (self.*method)(all...);
    };
    const auto call = [&]() -> decltype(auto) {
        constexpr bool takes_request = !std::is_void_v<typename shape::request>;
        if constexpr (takes_request && !std::is_void_v<typename shape::header>)
            return given(request, header);
        else if constexpr (takes_request)
            return given(request);
        else if constexpr (!std::is_void_v<typename shape::header>)
            return given(header);
        else
            return given();
    };
    using whole = typename method_of<Method>::result;
    if constexpr (std::is_void_v<whole>) {
        call();
        steps.encode(steps.self, nullptr);
    } else if constexpr (streams_result<result_of<Method>>()) {
        steps.kept = std::make_shared<const whole>(call());
        steps.encode(steps.self, steps.kept.get());
    } else {
        const auto& result = call();
        steps.encode(steps.self, &result);
    }
}

template <class Method>
constexpr method_type make_method_type() {
    using shape = signature<Method>;
    using whole = typename method_of<Method>::result;
    using result = typename returned<whole>::result;
    method_type type;
    if constexpr (!std::is_void_v<typename shape::request>) {
        using value = typename struct_of<typename shape::request>::type;
        type.request = &describe_record<value>;
        if constexpr (!std::is_same_v<typename shape::request, value>)
            type.asked = &member_type_of<typename shape::request>;
    }
    if constexpr (!std::is_void_v<typename shape::header>)
        type.headers = taken_headers(std::type_identity<typename shape::header>{});
    if constexpr (std::is_same_v<whole, result>) {
        if constexpr (!std::is_void_v<result>) type.result = &member_type_of<result>;
    } else {
        type.told = returned_headers(std::type_identity<whole>{});
        if constexpr (!std::is_void_v<result>) type.result = &inner_type_of<whole>;
    }
    type.call = &call_method<Method>;
    return type;
}
template <class Method>
inline constexpr method_type method_type_of = make_method_type<Method>();

/// Whether one operation is called like the element that another one answers with.
template <std::size_t Count>
constexpr bool repeats_response(const known_texts<Count>& names) {
    for (std::size_t at = 0; at != Count; ++at) {
        const std::string_view each = names.texts[at];
        constexpr std::string_view end = "Response";
        if (each.ends_with(end) && names.has(each.substr(0, each.size() - end.size()))) return true;
    }
    return false;
}

/// What the options of one operation say, as far as its table must know.
struct operation_options {
    message_style style = message_style::wrapped;
    bool has_empty_reply = false;
    bool one_way = false;
    bool names_request = false;
    bool names_result = false;
};
constexpr operation_options options_of(const row_extra* begin, const row_extra* end) {
    operation_options made;
    for (const row_extra* each = begin; each != end; ++each) {
        switch (each->kind) {
        case extra_kind::ns:
        case extra_kind::unqualified:
            if (each == begin)
                throw "soapsvc: in(\"...\") of an operation stands within request(...), "
                               "response(...) or result(...)";
            break;
        case extra_kind::request: made.names_request = true; break;
        case extra_kind::result: made.names_result = true; break;
        case extra_kind::response:
        case extra_kind::action:
        case extra_kind::fault: break;
        case extra_kind::one_way: made.one_way = true; break;
        case extra_kind::empty_reply: made.has_empty_reply = true; break;
        case extra_kind::bare: made.style = message_style::bare; break;
        case extra_kind::rpc: made.style = message_style::rpc; break;
        default:
            throw "soapsvc: the options of an operation are deprecated, secret, doc, fault_doc, "
                  "fault_detail, request, response, result, action, bare, rpc, one_way and "
                  "empty_reply";
        }
    }
    return made;
}

template <std::size_t Count, std::size_t Faults, std::size_t Extras>
struct gathered_operations {
    service_options options{};
    std::array<operation_row, Count> rows{};
    std::array<documented_fault, Faults> faults{};
    std::array<row_extra, Extras> extras{};
    std::size_t next = 0, next_fault = 0, next_extra = 0;

    constexpr void add(const doc_option& option) { options.doc = option.text; }
    template <std::size_t N>
    constexpr void add(const row_extras<N>& said) {
        for (const row_extra& each : said.items)
            apply(options, each);
    }
    template <class Service, class Method, std::size_t N, std::size_t E>
    constexpr void add(const method_row<Service, Method, N, E>& made) {
        if constexpr (E != 0)
            for (row_extra each : made.extras) {
                each.row = static_cast<std::uint16_t>(next);
                extras[next_extra++] = each;
            }
        rows[next++] = made.row;
        for (const documented_fault& each : made.faults)
            faults[next_fault++] = each;
    }

    /// What an operation says, or its service for all. `first` of the extras is passed on.
    constexpr void check(std::size_t row, std::size_t& first) const {
        const row_extra* const all = extras.data();
        const row_extra* const begin = all + first;
        while (first != Extras && all[first].row == row)
            ++first;
        const auto said = options_of(begin, all + first);
        const auto style = said.style == message_style::wrapped ? options.style : said.style;
        const operation_row& made = rows[row];
        if (made.names_type && !said.names_request && style == message_style::wrapped)
            throw "soapsvc: a request's table has no name, or the name of its operation; another "
                  "name is that of a type, and goes with request(\"Element\") or bare";
        const member_type* const result = made.type->result;
        if (style == message_style::bare && result && result->occurs == occurrence::optional)
            throw "soapsvc: the result of a bare operation is its reply, so it is no std::optional";
    }
};

template <class Row>
inline constexpr std::size_t operations_in = 1;
template <>
inline constexpr std::size_t operations_in<doc_option> = 0;
template <std::size_t N>
inline constexpr std::size_t operations_in<row_extras<N>> = 0;
template <class Row>
inline constexpr std::size_t faults_in = 0;
template <class Service, class Method, std::size_t N, std::size_t E>
inline constexpr std::size_t faults_in<method_row<Service, Method, N, E>> = N;
template <class Row>
inline constexpr std::size_t extras_of = 0;
template <class Service, class Method, std::size_t N, std::size_t E>
inline constexpr std::size_t extras_of<method_row<Service, Method, N, E>> = E;

/// Holds the methods of a service's rows, and tells where: a lambda's name has those of all rows.
template <class Row>
constexpr int tell_method(const Row& row, const void**& places) {
    if constexpr (operations_in<Row> != 0) *places++ = &row.method;
    return 0;
}
template <class... Rows>
constexpr auto keep_methods(const Rows&... rows) {
    return [... at = rows](const void** places) {
        static_cast<void>(std::initializer_list<int>{tell_method(at, places)...});
    };
}

template <class... Rows>
constexpr auto make_service(std::string_view name, Rows... rows) {
    if constexpr (!check_operations<Rows...>()) {
        return broken_service{name, {}, {}, {}, {}, {}};
    } else {
        using owner = typename first_class<typename Rows::service...>::type;
        constexpr std::size_t count = sum_of({operations_in<Rows>...});
        constexpr std::size_t faults = sum_of({faults_in<Rows>...});
        constexpr std::size_t extras = sum_of({extras_of<Rows>...});
        gathered_operations<count, faults, extras> all;
        static_cast<void>(std::initializer_list<int>{(all.add(rows), 0)...});
        std::array<std::string_view, count> names{};
        for (std::size_t index = 0, extra = 0; index != count; ++index) {
            names[index] = all.rows[index].name;
            all.check(index, extra);
        }
        const known_texts known(names);
        if (known.repeats) throw "soapsvc: two operations of this service have the same name";
        if (extras == 0 && repeats_response(known))  // else when it is added: names are said
            throw "soapsvc: an operation is called like another one's response element";
        const auto methods = keep_methods(rows...);
        return service_table<owner, count, faults, extras, decltype(methods)>{
            name, all.options, all.rows, all.faults, all.extras, methods};
    }
}

/// Whether options fit to what a method returns. Reports the first that does not.
template <class Returned, class Result>
constexpr void check_options(const operation_options& said) {
    if (said.one_way && !std::is_void_v<Returned>)
        throw "soapsvc: nobody hears what a one_way operation returns: its method returns void";
    if (said.has_empty_reply && (!std::is_void_v<Result> || said.one_way))
        throw "soapsvc: an empty_reply has no result, and a one_way operation no reply at all";
    if (said.names_result && (std::is_void_v<Result> || said.style == message_style::bare))
        throw "soapsvc: result(\"...\") names the child of a reply; there is none here";
    if constexpr (!std::is_void_v<Result>)
        if constexpr (schema_of<typename member_of<Result>::type>::is == table_kind::record)
            if (said.names_result && !table_has_name<typename member_of<Result>::type>())
                throw "soapsvc: a result whose table has no name has no result(\"...\") either";
}

/// An element's name, and what is said of it, as options.
template <class... Options>
constexpr auto name_extras(extra_kind kind, std::string_view name, Options... options) {
    static_assert(
        ((extras_in<Options> == 1) && ...),
        "soapsvc: a name is followed by nothing, in(\"...\") or unqualified");
    const auto items = collect_extras(one_extra(kind, 0, name), options...);
    for (std::size_t index = 1; index != items.size(); ++index)
        if (items[index].kind != extra_kind::ns && items[index].kind != extra_kind::unqualified)
            throw "soapsvc: a name is followed by nothing, in(\"...\") or unqualified";
    return row_extras<items.size()>{items};
}

/// The faults among the options of an operation, in their order.
template <class... Options>
constexpr auto collect_faults(Options... options) {
    std::array<documented_fault, (0 + ... + std::is_same_v<Options, documented_fault>)> faults{};
    [[maybe_unused]] std::size_t next = 0;
    [[maybe_unused]] const auto keep = [&](const auto& option) {
        if constexpr (std::is_convertible_v<decltype(option), documented_fault>)
            faults[next++] = option;
    };
    (keep(options), ...);
    return faults;
}

}  // namespace detail

/// Row option of a field: `minOccurs="1"` in the WSDL, yet value-initialised when absent on input.
inline constexpr detail::defaulted_option defaulted{};

/// Row option of a field: its value is never quoted in a fault and masked in every log.
inline constexpr detail::secret_option secret{};

/// Row option of an operation or a field: still served, marked in WSDL and help page. The form
/// `deprecated("GetToken2")` also names what to use instead.
inline constexpr detail::deprecated_option deprecated{};

/// Row option: one sentence for people, shown in WSDL and help page. `text` must be a literal.
constexpr detail::doc_option doc(const char* text) { return {text}; }

/// Row option of a field: a value, as it is written on the wire, for the samples of the help pages.
/// The dispatcher that the service is added to refuses one that is no value of the field's type.
constexpr detail::sample_option sample(const char* text) { return {text}; }

/// Row option of an operation: a fault that it may answer, shown on its help page. `code` is the
/// number by which clients know it, `text` what it says, `when` the reason for it in one sentence.
/// An operation may have any number of them, each with another code.
///
///     operation("Greet", &Hello::greet, fault_doc(17, "Unknown person", "Nobody has that name."))
constexpr documented_fault fault_doc(std::int32_t code, const char* text, const char* when = "") {
    return {code, text, when};
}

/// The namespace of a name, an absolute URI, where it is not the service's: of a record's type and
/// of the elements in it; of one element or attribute; of an enumeration; of the elements that a
/// wildcard takes ("##any", "##other", or names with spaces between, "##local" for none).
constexpr auto in(const char* ns) {
    if (*ns == '\0')
        throw "soapsvc: in(...) names a namespace; what is in none is said to be unqualified";
    return detail::one_extra(detail::extra_kind::ns, 0, ns);
}

/// Option of a record or a field: its elements are in no namespace (XML Schema part 1, 3.3.2:
/// form).
inline constexpr auto unqualified = detail::one_extra(detail::extra_kind::unqualified, 0, "");

/// Option of a record: there is no value of this type itself, only of those that extend it (XML
/// Schema part 1, 3.4.2).
inline constexpr auto abstract = detail::one_extra(detail::extra_kind::abstract, 0);

/// Option of a record: written as `all` in the schema, for contracts that have it so (XML Schema
/// part 1, 3.8). Its children come in any order, as they do for every record here.
inline constexpr auto all = detail::one_extra(detail::extra_kind::all, 0);

/// Option of a record that is a header block or a fault's detail: its name is the element's alone.
/// The type has none (XML Schema part 1, 3.4.2), or its base's: `record<Token>("Token", anonymous,
/// extends<Key>())`. Else it is called like the element, and takes any attributes, as .NET has it.
inline constexpr auto anonymous = detail::one_extra(detail::extra_kind::anonymous, 0);

/// Option of a record that is a header block or a fault's detail: its element may say xsi:nil, as
/// if it were absent (XML Schema part 1, 3.3.2: nillable).
inline constexpr auto nillable_element = detail::one_extra(detail::extra_kind::nillable_element, 0);

/// Option of a wildcard: what it takes need not be valid by any schema; else what is known must be
/// (XML Schema part 1, 3.10.1: process contents skip and lax). There is no strict, since elements
/// that no table lists are in no description, and clients would refuse them.
inline constexpr auto skip = detail::one_extra(detail::extra_kind::process, 0, "skip");

/// Option of a field whose struct has its table further down: two tables may name each other so.
inline constexpr detail::below_option below{};

/// Option of a std::vector: how many there are, `least` to `most`.
constexpr detail::row_extras<2> occurs(std::uint64_t least, std::uint64_t most) {
    if (least > most || most == 0) throw "soapsvc: occurs(least, most) with most below least";
    return {
        {{{detail::extra_kind::least, false, 0, least, {}},
          {detail::extra_kind::most, false, 0, most, {}}}}};
}
constexpr auto occurs(std::uint64_t least) {
    return detail::one_extra(detail::extra_kind::least, least);
}

/// Option of an attribute: the value that it has when it is absent, as text; of an element: the one
/// that it has when it is empty (XML Schema part 1, 3.2.1 and 3.3.1: default).
constexpr auto preset(const char* text) {
    return detail::one_extra(detail::extra_kind::preset, 0, text);
}

/// Option of an attribute or element: the only value that it may have, as text; written without
/// being set (XML Schema part 1, 3.2.1 and 3.3.1: fixed).
constexpr auto fixed(const char* text) {
    return detail::one_extra(detail::extra_kind::fixed, 0, text);
}

// -- Facets ------------------------------------------------------------------------------------
// Options of a field, an attribute or content that say which values of its type there are (XML
// Schema part 2, 4.3). They are checked when a value is read, and by a client before it is sent;
// the description has them. Of a soapsvc::list, lengths count the items.

/// Characters of a string, bytes of binary, items of a list.
constexpr auto length(std::uint64_t n) { return detail::one_extra(detail::extra_kind::length, n); }
constexpr auto min_length(std::uint64_t n) {
    return detail::one_extra(detail::extra_kind::min_length, n);
}
constexpr auto max_length(std::uint64_t n) {
    return detail::one_extra(detail::extra_kind::max_length, n);
}

/// The form of the text, as XML Schema writes regular expressions (part 2, appendix F); of several
/// patterns of a row or of a type one must fit. The service is refused when one is wrong or large.
constexpr auto pattern(const char* expression) {
    return detail::one_extra(detail::extra_kind::pattern, 0, expression);
}

/// The least and the most, as text: min_inclusive("0.01").
constexpr auto min_inclusive(const char* value) {
    return detail::one_extra(detail::extra_kind::min_inclusive, 0, value);
}
constexpr auto max_inclusive(const char* value) {
    return detail::one_extra(detail::extra_kind::max_inclusive, 0, value);
}
constexpr auto min_exclusive(const char* value) {
    return detail::one_extra(detail::extra_kind::min_exclusive, 0, value);
}
constexpr auto max_exclusive(const char* value) {
    return detail::one_extra(detail::extra_kind::max_exclusive, 0, value);
}

/// Of decimal and whole numbers: how many digits in all, and after the point.
constexpr auto total_digits(std::uint64_t n) {
    return detail::one_extra(detail::extra_kind::total_digits, n);
}
constexpr auto fraction_digits(std::uint64_t n) {
    return detail::one_extra(detail::extra_kind::fraction_digits, n);
}

/// The only values that there are, as texts, of a type that has no enum: enumerated("0.5", "1").
/// Qualified names are said as enumerated("{urn:codes}A").
template <class... Values>
constexpr auto enumerated(Values... values) {
    return detail::row_extras<sizeof...(Values)>{
        {{{detail::extra_kind::enumerated, false, 0, 0, values}...}}};
}

/// A simple type with a name of its own, for any number of rows: what is said of it here is said of
/// all. Its namespace is the service's, unless in("...") is among the facets (XML Schema part 2,
/// 4.1.2).
///
///     inline constexpr auto postal_code = soapsvc::simple_type("PostalCode", pattern("[0-9]{4}"));
///     ... field("Code", &Address::code, postal_code)
template <class... Facets>
constexpr auto simple_type(element_name name, Facets... facets) {
    static_assert(
        ((detail::extras_in<Facets> != 0) && ...),
        "soapsvc: a simple type has a name, facets, and perhaps in(\"...\")");
    auto items = detail::collect_extras(
        detail::one_extra(detail::extra_kind::type_name, 0, name.text), facets...);
    for (detail::row_extra& each : items) {
        each.of_type = true;
        if (each.kind == detail::extra_kind::ns) each.kind = detail::extra_kind::type_ns;
    }
    return detail::row_extras<items.size()>{items};
}

/// The types of XML Schema that have no C++ type of their own (part 2, 3.3): of strings, whose
/// white space and form are checked, and of whole numbers. Options as facets are.
///
///     field("Language", &Text::language, xs::language)
namespace xs {
inline constexpr auto normalized_string = detail::string_type(detail::string_form::normalized);
inline constexpr auto token = detail::string_type(detail::string_form::token);
inline constexpr auto language = detail::string_type(detail::string_form::language);
inline constexpr auto name = detail::string_type(detail::string_form::name);
inline constexpr auto ncname = detail::string_type(detail::string_form::ncname);
inline constexpr auto nmtoken = detail::string_type(detail::string_form::nmtoken);
inline constexpr auto id = detail::string_type(detail::string_form::id);
inline constexpr auto idref = detail::string_type(detail::string_form::idref);
inline constexpr auto entity = detail::string_type(detail::string_form::entity);
inline constexpr auto any_uri = detail::string_type(detail::string_form::any_uri);
inline constexpr auto integer = detail::number_type("integer");
inline constexpr auto non_negative_integer =
    detail::number_type("nonNegativeInteger", "0", nullptr);
inline constexpr auto positive_integer = detail::number_type("positiveInteger", "1", nullptr);
inline constexpr auto non_positive_integer =
    detail::number_type("nonPositiveInteger", nullptr, "0");
inline constexpr auto negative_integer = detail::number_type("negativeInteger", nullptr, "-1");
}  // namespace xs

/// One child element of a record: its name on the wire and the member that holds it. The member's
/// type decides the XML type and how often it may occur: `T` exactly once, `std::optional<T>` or
/// `soapsvc::box<T>` at most once, `std::vector<T>` any number of times, as a `soapsvc::stream<T>`,
/// which is the last row; `soapsvc::nillable<T>` in place of T may be nil. Options: defaulted,
/// secret, deprecated, doc, sample, in, unqualified, occurs, preset, fixed, below, and the facets.
template <class Owner, class Member, class... Options>
constexpr auto field(element_name name, Member Owner::*member, Options... options) {
    return detail::make_row<detail::row_kind::element>(name.text, member, options...);
}

/// One attribute of the element: `T` must be there, `std::optional<T>` may be. In no namespace,
/// unless in("...") says so (XML Schema part 1, 3.2). Options as for a field.
template <class Owner, class Member, class... Options>
constexpr auto attribute(element_name name, Member Owner::*member, Options... options) {
    return detail::make_row<detail::row_kind::attribute>(name.text, member, options...);
}

/// The text of the element itself, for one that has attributes and no children (XML Schema part 1,
/// 3.4.2: simpleContent).
template <class Owner, class Member, class... Options>
constexpr auto content(Member Owner::*member, Options... options) {
    return detail::make_row<detail::row_kind::content>({}, member, options...);
}

/// The rows of the member's own table, here: a sequence within a sequence, which may be absent or
/// repeat, or a choice (XML Schema part 1, 3.8). The order in which repeated ones came is kept.
template <class Owner, class Member, class... Options>
constexpr auto group(Member Owner::*member, Options... options) {
    return detail::make_row<detail::row_kind::group>({}, member, options...);
}

/// Elements of other contracts: those that no row lists, of the namespaces that in("...") says,
/// "##any" without it; kept whole, in their order (XML Schema part 1, 3.10).
template <class Owner, class Member, class... Options>
constexpr auto any(Member Owner::*member, Options... options) {
    return detail::make_row<detail::row_kind::any>({}, member, options...);
}

/// The same for attributes (XML Schema part 1, 3.4.2: anyAttribute).
template <class Owner, class Member, class... Options>
constexpr auto any_attribute(Member Owner::*member, Options... options) {
    return detail::make_row<detail::row_kind::any_attribute>({}, member, options...);
}

/// Says, before the fields of a record, that its struct is derived from one with a table, whose
/// rows come first (XML Schema part 1, 3.4.2: extension).
template <class Base>
constexpr detail::base_row<Base> extends() {
    return {};
}

/// The table of a struct: an XML Schema complex type, its children in this order. Every member of
/// the struct must be listed. Options stand before the fields: in, unqualified, abstract, all,
/// extends. (XML Schema part 1, 3.4; written as a `sequence`)
template <class First, class... Rows>
constexpr auto record(element_name name, First first, Rows... rows) {
    return detail::make_record<void>(name.text, first, rows...);
}
template <class Base, class First, class... Rows>
constexpr auto record(element_name name, detail::base_row<Base>, First first, Rows... rows) {
    return detail::make_record<Base>(name.text, first, rows...);
}
template <class... Rows>
requires(sizeof...(Rows) > 0) constexpr auto record(
    element_name name, detail::row_extras<1> option, Rows... rows) {
    auto made = record(name, rows...);
    detail::apply(made.options, option.items[0]);
    return made;
}

/// The table of a request struct: without a name it takes that of the operation it is used by.
template <class First, class... Rows>
requires(!std::convertible_to<First, element_name>) constexpr auto record(
    First first, Rows... rows) {
    return detail::make_record<void>({}, first, rows...);
}
template <class Base, class First, class... Rows>
constexpr auto record(detail::base_row<Base>, First first, Rows... rows) {
    return detail::make_record<Base>({}, first, rows...);
}
template <class... Rows>
constexpr auto record(detail::row_extras<1> option, Rows... rows) {
    auto made = record(rows...);
    detail::apply(made.options, option.items[0]);
    return made;
}

/// The table of a struct without members: `record<Nothing>("Nothing")`; of one without members of
/// its own: `record<Puppy>("Puppy", extends<Dog>())`.
template <class T = void>
constexpr auto record(element_name name) {
    return detail::make_empty_record<T>(name.text);
}
template <class T = void, class Base>
constexpr auto record(element_name name, detail::base_row<Base>) {
    return detail::make_empty_derived<T, Base>(name.text);
}

/// A request that is empty, but may be nil; or is another record and no more:
/// `record<Reset>()`, `record<Again>(extends<First>())`.
template <class T>
constexpr auto record() {
    return detail::make_empty_record<T>({});
}
template <class T = void, class Base>
constexpr auto record(detail::base_row<Base>) {
    return detail::make_empty_derived<T, Base>({});
}

/// The same with options: `record<Puppy>("Puppy", in("urn:dogs"), extends<Dog>())`.
template <class T, class... Rest>
constexpr auto record(detail::row_extras<1> option, detail::base_row<Rest>... base) {
    auto made = record<T>(base...);
    detail::apply(made.options, option.items[0]);
    return made;
}
template <class T, class... Rest>
constexpr auto record(element_name name, detail::row_extras<1> option, Rest... rest) {
    auto made = record<T>(name, rest...);
    detail::apply(made.options, option.items[0]);
    return made;
}

/// The table of a struct of which one member is set at a time: each is a std::optional, a box or a
/// std::vector. Used by `group`, which puts the choice among the rows of a record. What is read has
/// exactly one branch, and what is written must (XML Schema part 1, 3.8: choice).
template <class First, class... Rows>
constexpr auto choice(First first, Rows... rows) {
    return detail::make_choice(detail::make_record<void>({}, first, rows...));
}

/// Stands for a table that another unit holds, see `table_of`; without a name where that has none.
template <class T>
constexpr detail::elsewhere_table<T> elsewhere() {
    return {};
}
template <class T>
constexpr detail::elsewhere_table<T> elsewhere(element_name name) {
    return {name.text};
}

/// One value of an enumeration: its text on the wire, a literal without outer or double spaces.
template <class Enum>
constexpr auto value(const char* text, Enum enumerator) {
    static_assert(std::is_enum_v<Enum>, "soapsvc: write value(\"Text\", Enum::x)");
    const char* end = text;  // std::string_view takes thrice as many steps of a constant expression
    while (*end != '\0')
        ++end;
    const std::string_view said(text, static_cast<std::size_t>(end - text));
    if (!detail::is_collapsed_token(said))
        throw "soapsvc: an enumeration's text is not empty and has no outer or double spaces";
    using number = std::make_unsigned_t<std::underlying_type_t<Enum>>;
    return detail::enumerator_row<Enum>{{said, static_cast<number>(enumerator)}};
}

/// The table of an enumeration: a simple type, a restriction of string or of what stands before its
/// values: enumeration("Size", xs::token, value(...)). (XML Schema part 2, 4.3.5)
template <class Enum, class... Rows>
constexpr auto enumeration(element_name name, detail::enumerator_row<Enum> first, Rows... rows) {
    return detail::make_enumeration(name.text, first, rows...);
}
template <class... Rest>
constexpr auto enumeration(element_name name, detail::row_extras<1> option, Rest... rest) {
    auto made = enumeration(name, rest...);
    const detail::row_extra& said = option.items[0];
    if (said.kind == detail::extra_kind::ns)
        made.ns = said.text;
    else if (said.kind == detail::extra_kind::builtin && said.text.empty())
        made.form = static_cast<detail::string_form>(said.number);
    else
        throw "soapsvc: an enumeration's options are in(\"...\") and a type of strings, xs::token";
    return made;
}

// -- Options of operations ---------------------------------------------------------------------

/// The request's element, where it is not called like the operation: request("Apply"), or in
/// another namespace than the service's: request("Apply", in("urn:loans")). A request whose table
/// has a name of its own is then an element of that type; one without is what the element holds, in
/// the element's namespace (WSDL 1.1, 3.5).
template <class... Options>
constexpr auto request(element_name name, Options... options) {
    return detail::name_extras(detail::extra_kind::request, name.text, options...);
}

/// The same for the reply's element, where it is not the operation's name and "Response".
template <class... Options>
constexpr auto response(element_name name, Options... options) {
    return detail::name_extras(detail::extra_kind::response, name.text, options...);
}

/// The one child of the reply's element, where it is not the operation's name and "Result"; with
/// in("...") or `unqualified` as for a field.
template <class... Options>
constexpr auto result(element_name name, Options... options) {
    return detail::name_extras(detail::extra_kind::result, name.text, options...);
}

/// The SOAPAction, where it is not the namespace, '/' and the operation's name; "" for none.
constexpr auto action(const char* text) {
    return detail::one_extra(detail::extra_kind::action, 0, text);
}

/// Option of an operation or of a whole service: the request's element is the request itself, and
/// the reply's element is the result itself, instead of holding it (document/literal, bare). A
/// record's table with a name is the type of the element. Two such operations may take the same
/// element; the action then tells them apart.
inline constexpr auto bare = detail::one_extra(detail::extra_kind::bare, 0);

/// Option of an operation or of a whole service: rpc/literal. The request's fields are parts, which
/// are in no namespace, as the result is; the element around them is called like the operation, or
/// that and "Response", and is in the service's namespace (WSDL 1.1, 3.5).
inline constexpr auto rpc = detail::one_extra(detail::extra_kind::rpc, 0);

/// Option of an operation whose method returns void: no reply but HTTP 202, which is sent when the
/// method has returned. A fault before or in the method is answered as ever (WSDL 1.1, 2.4.1).
inline constexpr auto one_way = detail::one_extra(detail::extra_kind::one_way, 0);

/// Option of an operation without a result: the Body of its reply is empty, where others have an
/// element (WS-I Basic Profile 1.1, R2210: a binding may have no part).
inline constexpr auto empty_reply = detail::one_extra(detail::extra_kind::empty_reply, 0);

/// Option of an operation: a fault that it may answer, with this record as its detail. The
/// description then has it, and clients made from that see a fault of its own type (WSDL 1.1, 3.6).
///
///     operation("Apply", &Loans::apply, fault_detail<LoanProblem>())
template <class Detail>
constexpr auto fault_detail() {
    auto made = detail::one_extra(detail::extra_kind::fault, 0);
    if constexpr (detail::check_header<Detail>())
        made.items[0].record = &detail::describe_record<Detail>;
    return made;
}

// -- Options of services -----------------------------------------------------------------------

/// The path that a service is offered at, unless `add` is given one.
constexpr auto path(const char* text) {
    return detail::one_extra(detail::extra_kind::path, 0, text);
}

/// The service speaks this version only; a request in the other one gets a VersionMismatch fault.
inline constexpr auto soap11_only = detail::one_extra(detail::extra_kind::soap11_only, 0);
inline constexpr auto soap12_only = detail::one_extra(detail::extra_kind::soap12_only, 0);

/// One operation of a service: its name, which is the request's element name, and the method that
/// serves it. From the method's signature come request, headers and response:
///
///     Result method(const Request&, const Header&, const soapsvc::context&)
///
/// Each parameter may be left out. `const std::optional<Header>&` lets the method itself see that a
/// header is missing; `const soapsvc::headers<A, B>&` takes several, or any without a request;
/// `const soapsvc::nothing&` stands for a request without children. The result is void, a value, a
/// record, std::optional of one, std::vector (an `ArrayOfX` list), or soapsvc::stream. A record
/// whose table has no name is what the reply holds: any number of children, attributes, text.
/// Header blocks go with the result in `with_headers`. Options: deprecated, doc, fault_doc,
/// fault_detail, request, response, result, action, bare, rpc, one_way, empty_reply, and secret for
/// the result.
template <class Method, class... Options>
constexpr auto operation(element_name name, Method method, Options... options) {
    constexpr bool good_options = (detail::is_operation_option<Options> && ...);
    static_assert(
        good_options,
        "soapsvc: the options of an operation are deprecated, secret, doc, fault_doc, "
        "fault_detail, request, response, result, action, bare, rpc, one_way and empty_reply");
    if constexpr (!detail::check_method<Method>() || !good_options) {
        return detail::broken_row{};
    } else {
        using request =
            typename detail::struct_of<typename detail::signature<Method>::request>::type;
        using result = detail::result_of<Method>;
        const auto faults = detail::collect_faults(options...);
        constexpr std::size_t count = faults.size();
        std::array<std::int32_t, count> codes{};
        for (std::size_t index = 0; index != count; ++index)
            codes[index] = faults[index].code;
        if (detail::repeats<std::int32_t>(codes))
            throw "soapsvc: two faults of this operation have the same code";
        detail::operation_row row{
            name.text, detail::collect_options(options...), &detail::method_type_of<Method>};
        row.fault_count = count;
        if constexpr (detail::has_value<request>)
            row.names_type = !schema<request>.name.empty() && schema<request>.name != name.text;
        const auto extras = detail::collect_extras(options...);
        if constexpr (extras.size() != 0)
            detail::check_options<typename detail::method_of<Method>::result, result>(
                detail::options_of(extras.data(), extras.data() + extras.size()));
        using service = typename detail::method_of<Method>::service;
        return detail::method_row<service, Method, count, extras.size()>{
            row, method, faults, extras};
    }
}

/// The table of a service class: its name, which ends its namespace and path, and its operations,
/// in the order of the WSDL. Among them may stand doc("..."); in("...") for another namespace than
/// ns_base and the name, which may be any URI, also one that other services have too; path("...");
/// bare or rpc for all operations; soap11_only or soap12_only.
template <class... Rows>
constexpr auto service(element_name name, Rows... rows) {
    return detail::make_service(name.text, rows...);
}

template <>
inline constexpr auto schema<nothing> = detail::make_empty_record<nothing>({});

/// Calls `visit(name, member)` for each row of a record's table, in its order, with the name on the
/// wire and a reference to the member of `record`, which may be const: for a program's own loops
/// over tables, such as copying, comparing or printing.
template <class T, class Visit>
void for_each_field(T& record, Visit visit) {
    const auto& table = schema<std::remove_const_t<T>>;
    const detail::field_row* row = table.rows.data();
    table.members(record, [&](auto* member) { visit(row++->name, *member); });
}

/// Calls `visit(text, value)` for each row of an enumeration's table, in its order: the text on the
/// wire and the enumerator.
template <class Enum, class Visit>
constexpr void for_each_value(Visit visit) {
    for (const detail::value_row& row : schema<Enum>.values)
        visit(row.text, static_cast<Enum>(row.number));
}

/// The text of an enumerator in its table. Throws std::invalid_argument when it is not listed.
template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::string_view text_of(Enum value) {
    if constexpr (detail::check_table<Enum, detail::table_kind::enumeration>())
        for (const detail::value_row& row : schema<Enum>.values)
            if (static_cast<Enum>(row.number) == value) return row.text;
    throw std::invalid_argument("soapsvc: this value of an enum is not in its table");
}

/// The enumerator that has exactly this text in its table; nullopt when none has.
template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::optional<Enum> parse_enum(std::string_view text) {
    if constexpr (detail::check_table<Enum, detail::table_kind::enumeration>())
        for (const detail::value_row& row : schema<Enum>.values)
            if (row.text == text) return static_cast<Enum>(row.number);
    return std::nullopt;
}

namespace detail {

// --- Tables become descriptions ------------------------------------------------------------------

/// A record's table without its struct; `places` are those of an object that begins at `object`.
SOAPSVC_INLINE const record_info& describe_rows(
    std::string_view name,
    std::span<const field_row> rows,
    std::span<const row_extra> extras,
    const record_options& options,
    const void* object,
    const void* const* places);
SOAPSVC_INLINE const service_info& describe_operations(
    std::string_view name,
    const service_options& options,
    std::span<const operation_row> rows,
    std::span<const row_extra> extras,
    const documented_fault* faults,
    const void* const* methods);

/// Throws std::invalid_argument when the table that is elsewhere has another name than it has here.
SOAPSVC_INLINE const record_info& record_elsewhere(const record_info& made, std::string_view name);
template <class T, std::size_t Count, std::size_t Extras, class Members>
const record_info& describe_rows_of(const record_table<T, Count, Extras, Members>& table) {
    const unset<T> object;
    const void* places[Count + 1]{};
    table.members(object.value, note_place{places});
    return describe_rows(table.name, table.rows, table.extras, table.options, &object, places);
}
template <class T>
const record_info& describe_rows_of(const elsewhere_table<T>& table) {
    static const record_info& made = table_of<T>().record;  // kept, also where it is refused
    return record_elsewhere(made, table.name);
}

/// A record's table as the implementation reads it, made at first use and kept for good.
template <class T>
const record_info& describe_record() {
    static const record_info& made = describe_rows_of(schema<T>);
    return made;
}

template <class... Ts>
inline constexpr std::array<element_type, sizeof...(Ts)> element_types_of{element_type_of<Ts>()...};

template <class T>
constexpr value_parts parts_of(std::type_identity<list<T>>) {
    return {
        element_types_of<T>,
        [](void* value, std::size_t type) -> void* {
            auto& items = static_cast<list<T>*>(value)->items;
            if (type == no_part) return items.clear(), nullptr;
            return &items.emplace_back();
        },
        [](const void* value, std::size_t index) -> const void* {
            const auto& items = static_cast<const list<T>*>(value)->items;
            return index < items.size() ? &items[index] : nullptr;
        }};
}
template <class... Ts>
constexpr value_parts parts_of(std::type_identity<std::variant<Ts...>>) {
    return {
        element_types_of<Ts...>,
        [](void* value, std::size_t index) {
            void* made = nullptr;
            [&]<std::size_t... Indices>(std::index_sequence<Indices...>) {
                auto& all = *static_cast<std::variant<Ts...>*>(value);
                ((Indices == index ? void(made = &all.template emplace<Indices>()) : void()), ...);
            }
            (std::index_sequence_for<Ts...>());
            return made;
        },
        [](const void* value, std::size_t index) -> const void* {
            const auto& all = *static_cast<const std::variant<Ts...>*>(value);
            if (all.index() != index) return nullptr;
            return std::visit([](const auto& held) -> const void* { return &held; }, all);
        }};
}
template <class Base, class... Ts>
struct derived_parts<Base, types<Ts...>> {
    static constexpr std::size_t count = 1 + sizeof...(Ts);
    static constexpr const held_actions* as[count]{&actions_of<Base>, &actions_of<Ts>...};
    static constexpr Base* (*to_base[count])(void* object){
        &derived<Base>::template to_base<Base>, &derived<Base>::template to_base<Ts>...};

    static void* emplace(void* value, std::size_t index) {
        return static_cast<derived<Base>*>(value)->hold(as[index], to_base[index]);
    }
    static const void* held(const void* value, std::size_t index) {
        const auto& of = *static_cast<const derived<Base>*>(value);
        return index < count && of.as_ == as[index] ? of.object_ : nullptr;
    }
    static constexpr value_parts all{element_types_of<Base, Ts...>, &emplace, &held};
};
template <class Base>
constexpr value_parts parts_of(std::type_identity<derived<Base>>) {
    return derived_parts<Base, std::remove_const_t<decltype(derivations<Base>)>>::all;
}

template <class T>
const value_parts& describe_parts() {
    static constexpr value_parts made = parts_of(std::type_identity<T>{});
    return made;
}

template <class Enum>
const enumeration_info& describe_enumeration() {
    static constexpr enumeration_info made{
        schema<Enum>.name, schema<Enum>.values, sizeof(Enum), schema<Enum>.ns, schema<Enum>.form};
    return made;
}

template <class Service>
const service_info& describe_service() {
    static const service_info& made = [&]() -> const service_info& {
        if constexpr (check_table<Service, table_kind::service>()) {
            const auto& table = schema<Service>;
            const void* methods[schema<Service>.count + 1]{};
            table.methods(methods);
            return describe_operations(
                table.name, table.options, table.rows, table.extras, table.faults.data(), methods);
        } else {
            return describe_operations({}, {}, {}, {}, nullptr, nullptr);
        }
    }();
    return made;
}

}  // namespace detail

// Below the tables, because the detail's table is needed.
template <class Detail>
fault fault::with(Detail value) const {
    fault changed = *this;
    if constexpr (detail::check_header<Detail>()) {
        changed.detail_.value = std::make_shared<const Detail>(std::move(value));
        changed.detail_.type = &typeid(Detail);
        changed.detail_.record = &detail::describe_record<Detail>;
    }
    return changed;
}
template <class Header>
fault fault::with_header(Header header) const {
    fault changed = *this;
    if constexpr (detail::check_header<Header>())
        changed.headers_.push_back(
            {std::make_shared<const Header>(std::move(header)),
             &detail::describe_record<Header>,
             &typeid(Header)});
    return changed;
}

}  // namespace soapsvc

// ================================================================================================
// [services] Requests and replies, options, reports, interceptors; the dispatcher
// ================================================================================================
// A dispatcher answers an HTTP request, given as facts and bytes, with facts and bytes. It has no
// socket and no clock but for the times that it reports, so any HTTP server, a CGI program or a
// test can call it. An operation is chosen by the Body's child; SOAPAction is only held against it,
// because proxies drop it and attackers forge it. Where a contract has operations that take the
// same element, SOAPAction must say which.

namespace soapsvc {

/// One header field as it came; names compare without regard to letter case.
struct http_header {
    std::string_view name;
    std::string_view value;
};

/// Whom a listener, or a page, is for.
enum class audience : std::uint8_t {
    everyone,  ///< services, and all pages but those for operators
    operators  ///< all pages, and no services
};

/// The facts of a request. All views must live as long as `dispatcher::handle` runs. The body is
/// what remains after transfer and content decoding.
struct http_request {
    std::string_view method = "POST";
    std::string_view target = "/";  ///< path and query as sent, or the absolute form
    std::span<const http_header> headers{};
    std::string_view body{};
    std::string_view peer{};  ///< address of the caller, without port; "unix"; may be empty
    std::string_view scheme = "http";  ///< how it came: "http" or "https"
    std::string_view local_authority{};  ///< "address:port" it came to, for callers without Host
    /// What the server listens on there, without port: an address, "0.0.0.0" or "::" for all of
    /// them, or a name; empty: not known. Decides to which hosts' names it answers (`host_names`).
    std::string_view listening_on{};
    std::string_view certificate_subject{};  ///< of a verified client certificate, else empty
    audience listener = audience::everyone;  ///< whom the listener it came to is for
    /// Whoever handles it can send a reply whose end is not there yet: see http_reply::more.
    bool takes_pieces = false;

    /// The value of the first such field; nullopt when there is none.
    std::optional<std::string_view> header(std::string_view name) const noexcept;
};

/// The facts of a reply. To be sent with its Content-Length; for HEAD without the body.
struct http_reply {
    int status = 200;
    std::string content_type;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    /// Set for a soapsvc::stream that is longer than a piece, where the request takes pieces: the
    /// body has no known length, and goes on with what this appends, some tens of kilobytes with
    /// each call; false when that was the last. What it throws must not look like an end to whoever
    /// reads the reply. It is called by one thread at a time, and lives no longer than the
    /// dispatcher; the call is reported when it has ended, or with its last copy.
    std::function<bool(std::string& to)> more{};
};

/// What a call_report is about.
enum class report_kind : std::uint8_t {
    call,  ///< a SOAP request that reached its service: answered there, perhaps with a fault
    request,  ///< a request refused before that: it is no HTTP, too long, too late, for no path ...
    connection,  ///< a connection that was not taken; no request was read
    handshake  ///< a connection on which TLS was not agreed; no request was read
};

/// What is told of every SOAP request after it was answered, and of whatever was refused on its way
/// there. Of a refusal, only `kind`, `http_status` (0: nothing was sent), `fault_reason`, bytes,
/// `peer` and `request_id` are known. The views live as long as the callback.
struct call_report {
    report_kind kind = report_kind::call;
    std::string_view service;  ///< empty for all but calls
    std::string_view operation;  ///< empty when it was not recognised
    soap_version version = soap_version::v1_1;
    int http_status = 200;
    std::optional<soapsvc::fault_code> fault_code;
    /// As it was sent; empty for none; why it was refused; why a stream that began did not end,
    /// which nobody was sent.
    std::string_view fault_reason;
    bool deprecated = false;  ///< the operation is
    std::size_t bytes_in = 0;  ///< of the bodies
    std::size_t bytes_out = 0;
    std::chrono::nanoseconds decode_time{};  ///< from the first byte to the call of the method
    std::chrono::nanoseconds handler_time{};  ///< in the method
    std::chrono::nanoseconds encode_time{};  ///< from its return to the last byte, of a stream too
    std::string_view peer;
    std::string_view request_id;
};

/// What is told of an exception that was no fault. The caller is sent the incident id alone.
struct error_report {
    std::string_view incident;  ///< as in the caller's fault
    std::string_view service;  ///< empty when a page threw
    std::string_view operation;  ///< empty when it was not recognised; of a page, its path
    std::string_view what;  ///< the exception's own text, for the log only
    std::string_view peer;
    std::string_view request_id;
};

/// A request and its reply as text that may be kept: every secret is `***`. Both are written anew
/// from what was understood, so that only what a table knows and does not mark secret is shown:
/// comments are gone, and the content of foreign elements, of header blocks that the operation does
/// not take and of ignored elements is `***` as well. Of a request whose operation was not
/// recognised, of its reply, and of a reply that was a stream of many pieces, only "(N bytes)" is
/// said. What a method's own fault says is shown,
/// so it must not repeat a secret. The views live as long as the callback.
struct message_report {
    std::string_view service;
    std::string_view operation;  ///< empty when it was not recognised
    std::string_view peer;
    std::string_view request_id;
    std::string_view request;
    std::string_view reply;
};

namespace detail {
class soap_call;  // [call]
class offered_services;  // [dispatch]
struct wait_observer;  // [call]
class reactor;  // [loop]
}  // namespace detail

/// A call on its way to its method, as an interceptor sees it. The envelope is open, its header
/// blocks are accepted and the operation is known; request and header are not read into their
/// structs yet. Everything seen through it lives as long as the interceptor runs.
class intercepted_call {
public:
    std::string_view service() const noexcept;
    const soapsvc::context& context() const noexcept { return context_; }  ///< what the method gets
    bool deprecated() const noexcept;  ///< the operation is
    const http_request& http() const noexcept;  ///< for Authorization, Cookie and the like

    /// The header block of `Header`'s table, by its qualified name, for an interceptor that
    /// decides by it; nullopt when there is none, or one with xsi:nil. Throws the fault that the
    /// operation would throw when its content is not what the table says. Read anew each time.
    template <class Header>
    std::optional<Header> header() const {
        using slot = std::optional<Header>;
        slot read;
        read_header(detail::describe_record<Header>(), &detail::emplace_member<slot>, &read);
        return read;
    }

    /// Goes on: to the next interceptor, or reads the request, calls the method, and writes its
    /// result. Returns when the result is written; throws what the method, or what reads and
    /// writes, throws: `fault` for what the caller is told, all else for an incident. Everything
    /// happens within, on this thread. May be called again, for instance when a store asked for a
    /// second try: the request is read anew, and the last result counts. Of a soapsvc::stream that
    /// is long only the beginning is written then; the rest is asked for when nobody is around it.
    void proceed();

private:
    friend class detail::soap_call;
    intercepted_call(detail::soap_call& call, const soapsvc::context& context, std::size_t next)
        : call_(call), context_(context), next_(next) {}
    void read_header(
        const detail::record_info& header, void* (*emplace)(void* slot), void* slot) const;

    detail::soap_call& call_;
    const soapsvc::context& context_;
    std::size_t next_;
};

/// What runs around every call of every operation: authentication, rates, transactions, turning
/// the program's own exceptions into faults. Throwing `fault` refuses the call; so must whoever
/// does not want it made, since returning without a result of `proceed` is an incident. Called
/// concurrently.
///
///     options.interceptors.push_back([&](soapsvc::intercepted_call& call) {
///         if (!rates.allow(call.context().peer))
///             throw soapsvc::fault(soapsvc::fault_code::server, "later").with_status(429);
///         call.proceed();
///     });
using interceptor = std::function<void(intercepted_call&)>;

/// Who is shown the form on help pages that sends a request. It sends what any client may send, so
/// this opens and closes nothing but a page: operators may not want live data a click away.
enum class try_it : std::uint8_t {
    everyone,
    loopback,  ///< callers on this machine, see `is_local`
    nobody
};

/// How services are offered. All have working defaults but `ns_base`, which only services that say
/// their namespace do without. A dispatcher without a host reads all but the last group.
struct host_options {
    /// Beginning of the services' namespaces: `ns_base/ServiceName`. Clients hard-code it.
    std::string ns_base{};
    /// Beginning of the services' paths: `base_path/ServiceName.asmx`.
    std::string base_path = "/soap/v3";
    /// The address that WSDL and help pages show, up to and without `base_path`, such as
    /// "https://payroll.example.com". Empty: from the request, see `trusted_proxies`.
    std::string public_url{};
    /// Peer addresses whose X-Forwarded-Proto, -Host and -For are believed; nobody else's are.
    std::vector<std::string> trusted_proxies{};
    /// Names by which this host is called beside its own, without port, such as
    /// "payroll.example.com". A request for another Host is refused with 421, since it may come
    /// from a page whose name was made to lead here (DNS rebinding). A listener on loopback answers
    /// to its address, to loopback's names, to the host of `public_url` and to these. Any other
    /// answers to its address, to that host and to these; with neither it answers to all. Trusted
    /// proxies, Unix sockets and the pages of `add_page` are exempt.
    std::vector<std::string> host_names{};
    /// Other sites whose pages may call, such as "https://app.example.com"; a POST that a browser
    /// sends for any other one is refused with 403. Their preflights are answered, and what is
    /// answered may be read by them; cookies are never asked for (WHATWG Fetch, 3.2).
    std::vector<std::string> allowed_origins{};
    /// true: a POST without Content-Type counts as XML, for old clients. A browser may send such a
    /// one for a page of another site without asking first; only `allowed_origins` stops it then.
    bool accept_missing_content_type = false;
    unknown_elements unknown = unknown_elements::refuse;  ///< in requests and header blocks
    soapsvc::limits limits{};  ///< on each request
    bool serve_deprecated = true;  ///< false: calls of deprecated operations are refused
    bool help_pages = true;  ///< false: GET answers the WSDL only
    soapsvc::try_it try_it = soapsvc::try_it::everyone;  ///< who is shown the form on help pages
    /// Around each call, the first outermost. What they are for: to refuse, or to change what a
    /// call needs or throws. To watch, take `on_call`: it costs less, also hears of what is
    /// refused before an operation is known, and cannot break a call. An interceptor's time
    /// counts as decode time before `proceed`, and as encode time after it.
    std::vector<interceptor> interceptors{};
    // What the next three throw is dropped: a log without memory takes no reply from its caller.
    /// Called after each SOAP request, and for each request, connection and TLS handshake that is
    /// refused; on the thread that does so, which may be the one that accepts: so it must not wait.
    std::function<void(const call_report&)> on_call{};
    /// Called for each exception that is no fault, on its thread; unset: a line on standard error.
    std::function<void(const error_report&)> on_error{};
    /// Called after each SOAP request, on its thread, with both envelopes. Costs nothing when it is
    /// empty, else as much as the call itself.
    std::function<void(const message_report&)> on_message{};

    // --- Read by the host only ---
    std::size_t threads = 0;  ///< worker threads; 0: two per core, at least four
    /// More, for as long as workers are in a blocking_section: so many calls may wait at once.
    std::size_t spare_threads = 60;
    // Connections, waiting requests and `unfinished_bytes` are for all callers together. When one
    // of these runs out, the address that holds most of it loses some; a newcomer is not turned
    // away. One address is: an IPv4 address; an IPv6 network of 64 bits; all Unix sockets together;
    // behind a trusted proxy, the address that it names, as soon as the header is there.
    /// Open at once, if the file descriptors suffice; then whichever of that address has been idle
    /// longest is closed.
    std::size_t connections = 20'000;
    /// Complete requests waiting for a worker; then the last of that address is told 503.
    std::size_t queue = 1'024;
    std::size_t header_bytes = 32'768;  ///< request line and header fields together; then 431
    std::size_t header_fields = 100;  ///< then 431
    std::size_t target_bytes = 8'192;  ///< then 414
    /// Held for all unfinished requests and replies that are not taken, together; then the largest
    /// of that address is told 503, or its reply ends.
    std::size_t unfinished_bytes = 256 * 1024 * 1024;
    std::size_t requests_per_connection = 0;  ///< then it is closed; 0: no bound
    int backlog = 1'024;  ///< connections the kernel keeps for us
    bool tcp_nodelay = true;
    bool gzip_replies = true;  ///< to callers that accept it, from `gzip_bytes` on
    std::size_t gzip_bytes = 4'096;
    std::chrono::milliseconds header_timeout{10'000};  ///< for the whole header; a TLS handshake
    /// Bytes a second, of a body in each `silence_timeout` and of a reply in each `write_timeout`:
    /// who stays below is cut off. 0: one byte in that time will do.
    std::size_t lowest_rate = 200;
    std::chrono::milliseconds silence_timeout{20'000};  ///< with too few bytes of a body
    std::chrono::milliseconds request_timeout{120'000};  ///< for the whole request
    std::chrono::milliseconds write_timeout{30'000};  ///< with too few bytes of a reply taken
    std::chrono::milliseconds reply_timeout{900'000};  ///< for the whole reply to be taken
    std::chrono::milliseconds idle_timeout{60'000};  ///< between requests
    std::chrono::milliseconds stop_timeout{15'000};  ///< for requests in progress when stopping
    std::string certificate_file{};  ///< PEM chain; with it the host speaks TLS 1.2 and later
    std::string key_file{};  ///< PEM private key; empty: it is in certificate_file
    std::string client_ca_file{};  ///< PEM; with it clients must show a certificate of these
    /// Told in one line, once a second at most, when connections are refused or closed for lack of
    /// room, and when worker threads cannot be started; unset: on standard error. What it throws
    /// is dropped.
    std::function<void(std::string_view)> on_notice{};
};

/// Put one on the stack around what a handler waits for: a commit, a lock, another service. The
/// host then lets a spare worker run meanwhile, so that few workers, which is what the processor's
/// caches like, do not mean few requests waiting together for one commit. Does nothing in threads
/// that are no host's workers, and nothing within another one.
///
/// At least `threads` workers, or a quarter of all if that is less, are kept for calls that do not
/// wait. When all others wait, calls of operations that mostly wait are queued without a thread; a
/// call that waits unexpectedly is refused: the constructor throws a Server fault with status 503.
/// So open it before anything is begun that must be ended.
class blocking_section {
public:
    blocking_section();
    ~blocking_section();
    blocking_section(const blocking_section&) = delete;
    blocking_section& operator=(const blocking_section&) = delete;

private:
    detail::wait_observer* observer_;  // null within another section, too
};

/// Whether the caller is on this machine, for what nobody else may see. A proxy on this machine
/// calls from loopback for the whole world: so who is in `trusted_proxies` is not local, nor is any
/// request with a field that says it was handed on (Forwarded, Via, X-Forwarded-*, X-Real-IP),
/// whatever that field names, and whoever wrote it.
SOAPSVC_INLINE bool is_local(
    const http_request& request, std::span<const std::string> trusted_proxies) noexcept;

/// Serves the services that were added to it. Add first, then handle from as many threads as you
/// like. Services are borrowed; their methods are called concurrently.
class dispatcher {
public:
    /// Throws std::invalid_argument when `ns_base` holds what XML text cannot, when `public_url` is
    /// set and no http or https address with a host and without a query, when `host_names` or
    /// `allowed_origins` hold what is none, and when an interceptor is empty.
    explicit dispatcher(host_options options);
    ~dispatcher();
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    /// Offers a service that has a table at `path`, by default what its table says, or
    /// `base_path/Name.asmx`. Throws std::invalid_argument when the path is taken or no path, when
    /// neither the table nor `ns_base` says a namespace, and when the tables cannot be described:
    /// two types, elements or operations that cannot be told apart, which it names, parts of rpc
    /// that are none, or a doc that is no XML text.
    template <class Service>
    void add(Service& service, const std::string& path = {}) {
        add_service(detail::describe_service<Service>(), &service, path);
    }

    /// Answers GET and HEAD at `path`, in exactly this spelling, with what `page` makes of the
    /// request, beside the services: for what operators look at. Pages for operators are there for
    /// requests that came to a listener of theirs, and for all others 404. `page` is called
    /// concurrently; what it throws is an incident: a fixed text with status 500, and a call of
    /// `on_error`. Throws std::invalid_argument when the path is taken, in whatever letter case, or
    /// no path, or `page` is empty.
    void add_page(
        const std::string& path,
        std::function<http_reply(const http_request&)> page,
        audience who = audience::everyone);

    /// Answers one request: SOAP by POST, WSDL and pages by GET and HEAD, else 404 or 405. Throws
    /// nothing; all that goes wrong is in the reply: an incident, or when there is no memory even
    /// for its fault, status 503 with a line of text.
    http_reply handle(const http_request& request) const;

    /// The same into a reply that is used again and again, so that its memory stays warm.
    void handle(const http_request& request, http_reply& reply) const;

    /// Answers a request that a host does not want to hand on, because of its size or coding or
    /// because there are too many: a fault in the version of its media type for a POST (Server or
    /// Receiver from status 500 on; of SOAP 1.1 with 500 in place of 400), a line of text for
    /// others; and tells `on_call`. `reason` is XML text.
    void refuse(
        const http_request& request, int status, std::string_view reason, http_reply& reply) const;

    /// Tells `on_call` of what a host has refused by itself. `facts` holds what is known of it, the
    /// peer at least; `status` what was sent, 0 for nothing.
    void report_refusal(
        report_kind kind,
        const http_request& facts,
        int status,
        std::string_view reason,
        std::size_t bytes_out = 0) const noexcept;

    /// Who called: the peer, or whom a trusted proxy names.
    std::string_view caller_of(const http_request& request) const;
    /// Whether a peer is one of `trusted_proxies`.
    bool is_trusted(std::string_view peer) const;

    /// What it was made with, `ns_base` without a slash at its end.
    const host_options& options() const noexcept;

    /// The path of the service with this name, the first that was added if there are several; empty
    /// when there is none.
    std::string_view path_of(std::string_view service) const noexcept;

private:
    friend class host;
    void add_service(const detail::service_info& info, void* service, const std::string& path);

    detail::offered_services* const offered_;  // its own; a plain pointer costs nothing to compile
};

}  // namespace soapsvc

// ================================================================================================
// [host] The dispatcher behind HTTP and HTTPS
// ================================================================================================
// On Linux. Any number of connections share a few threads, and none holds one while it waits. For
// other systems, and other servers, there is the dispatcher: the README shows it behind
// cpp-httplib in eighteen lines.

#if !defined(SOAPSVC_NO_HOST)

namespace soapsvc {

/// What a host can say about itself at one moment, for metrics.
struct host_statistics {
    std::size_t connections = 0;  ///< open
    std::size_t parked = 0;  ///< of these, waiting for bytes without a thread
    std::size_t queued = 0;  ///< complete requests waiting for a worker
    std::uint64_t accepted = 0;  ///< connections since the start
    std::uint64_t refused = 0;  ///< connections that could not be taken
};

/// Serves a dispatcher's services over HTTP or HTTPS.
class host {
public:
    /// Throws std::invalid_argument when `options` cannot work, std::runtime_error when a
    /// certificate or key cannot be used or the system has no descriptors left. Raises the soft
    /// limit of file descriptors to the hard one and ignores SIGPIPE unless the program handles it,
    /// for the whole process.
    explicit host(host_options options);
    ~host();
    host(const host&) = delete;
    host& operator=(const host&) = delete;

    /// Offers a service that has a table; before `serve`. It is borrowed, and its methods are
    /// called concurrently. See dispatcher::add.
    template <class Service>
    void add(Service& service, const std::string& path = {}) {
        services_.add(service, path);
    }

    /// Answers GET and HEAD at `path` with a page of yours; before `serve`. See
    /// dispatcher::add_page.
    void add_page(
        const std::string& path,
        std::function<http_reply(const http_request&)> page,
        audience who = audience::everyone) {
        services_.add_page(path, std::move(page), who);
    }

    /// Listens on a host name (the first of its addresses that can be used) or numeric address;
    /// port 0 takes a free one. Returns the port. Before `serve`; may be called several times. A
    /// listener for operators has the pages alone, and speaks TLS as all others do. Throws
    /// std::runtime_error that says in one line why it could not.
    int bind(const std::string& address, int port, audience who = audience::everyone);

    /// Serves until `stop`; the calling thread accepts connections and keeps deadlines. Once; the
    /// host may be destroyed when it has returned. Throws std::system_error when no thread can be
    /// started, std::logic_error when it listens nowhere.
    void serve();

    /// bind and serve. Throws as these do.
    void listen(const std::string& address, int port);

    /// Makes `serve` end: nothing new is accepted, requests that have begun are finished and
    /// answered with `Connection: close`, for `stop_timeout` at most; but a method that has been
    /// called is waited for until it returns. May come before `serve`, which then ends at once.
    /// From any thread, and in a signal handler. A host serves once.
    void stop() noexcept;

    /// Listens on a Unix domain socket, for the usual place behind a proxy on the same machine. A
    /// path has at most 107 bytes. The file is left behind; the next start replaces it. Before
    /// `serve`. Throws as `bind` does.
    void bind_unix(const std::string& path);

    /// Reads certificate and key again; open connections keep the old ones. Throws as the
    /// constructor does, and then nothing has changed. From any thread.
    void reload_certificates();

    /// Connections and queue at this moment, for metrics. From any thread.
    host_statistics statistics() const;

private:
    dispatcher services_;
    detail::reactor* const server_;  // its own
};

}  // namespace soapsvc

#endif  // SOAPSVC_NO_HOST

// ================================================================================================
// [client] Typed calls over the same tables
// ================================================================================================
// Calls the operations of a service with the structs and the table that serve it: over HTTP or
// HTTPS, or straight into a dispatcher, so that a service is tested without a socket. Unknown
// elements in a reply are skipped unless told otherwise, because the server may be newer than this
// program, while a server refuses them.

namespace soapsvc {

/// How a client calls. All have working defaults, but over HTTP `ns_base` must be the server's.
struct client_options {
    /// Beginning of the services' namespaces, as in host_options. May be empty for a service whose
    /// table says its namespace.
    std::string ns_base{};
    soap_version version = soap_version::v1_1;  ///< of the requests, unless the service has but one
    unknown_elements unknown = unknown_elements::ignore;  ///< in replies
    soapsvc::limits limits{};  ///< on the reply
    /// On everything of a reply that is not its body: status line, fields, interim replies (1xx),
    /// chunk extensions and trailers together.
    std::size_t header_bytes = 65'536;
    std::chrono::milliseconds connect_timeout{10'000};  ///< for each address; for a TLS handshake
    /// Without a byte of the request being taken, or of the reply coming.
    std::chrono::milliseconds read_timeout{60'000};
    /// For the whole call, with connecting, whoever sends a byte now and then; 0: no bound.
    std::chrono::milliseconds call_timeout{120'000};
    bool accept_gzip = true;  ///< lets the server pack its replies
    /// That it is trusted, and for the host of the address: by its subjectAltName alone, wildcards
    /// for a whole label only (RFC 9525, 6).
    bool verify_certificate = true;
    std::string ca_file{};  ///< PEM; empty: the system's authorities
    std::string certificate_file{};  ///< PEM, to show to a server that asks
    std::string key_file{};  ///< PEM; empty: it is in certificate_file
    /// Fields sent with each request, none of those that the client writes itself: the length, the
    /// coding and the type of the body, the action, the host, the connection.
    std::vector<std::pair<std::string, std::string>> headers{};
};

/// Why a call has no result, when no fault is the reason.
enum class transport_failure : std::uint8_t {
    address,  ///< the address is none, or a certificate's file cannot be used
    connect,  ///< no such host, nobody listens, or no connection in time
    tls,  ///< the handshake failed, or the server's certificate is not to be trusted
    timeout,  ///< the request was not taken, or the reply did not come, in time
    lost,  ///< the connection ended before the reply was whole
    reply,  ///< a reply that is no SOAP, is too large, or is not of this operation
    other  ///< what a transport of yours does not say
};

/// No reply, or one that cannot be read: the network, TLS, a proxy's page. what() names the
/// address.
class transport_error : public std::runtime_error {
public:
    explicit transport_error(
        const std::string& what,
        transport_failure why = transport_failure::other,
        int http_status = 0)
        : std::runtime_error(what), why_(why), http_status_(http_status) {}

    transport_failure why() const noexcept { return why_; }
    int http_status() const noexcept { return http_status_; }  ///< of the reply; 0: there was none

    /// Whether the service may have carried the call out. If not, nothing of the request has left
    /// this program, and it may be called again.
    bool may_have_arrived() const noexcept { return why_ > transport_failure::tls; }

private:
    transport_failure why_;
    int http_status_;
};

namespace detail {
struct told_fault;  // [calling]
class client_core;  // [calling]
}  // namespace detail

/// The fault that another service answered a call with. All in it is that service's word, whoever
/// that may be, so it is no `fault`: a handler that calls others and lets this escape answers its
/// own caller with an incident, and the text stays in the log. To pass it on is a decision:
///
///     catch (const soapsvc::remote_fault& refused) { throw refused.as_fault(); }
class remote_fault : public std::exception {
public:
    explicit remote_fault(std::shared_ptr<const detail::told_fault> told) noexcept
        : told_(std::move(told)) {}

    fault_code code() const noexcept;
    const std::string& reason() const noexcept;
    const std::string& subcode() const noexcept;  ///< without its prefix
    int http_status() const noexcept;  ///< of the reply

    /// A fault of this program's own, with that reason. About the request it stays a Client fault;
    /// all else, what was wrong with this program's message to the other included, is a Server
    /// fault. Status, subcode and detail belong to the other's contract and are left behind.
    fault as_fault() const;

    /// Who answered, and the beginning of the reason without control characters: for a log.
    const char* what() const noexcept override;

    const detail::told_fault& told() const noexcept { return *told_; }

private:
    std::shared_ptr<const detail::told_fault> told_;  // copies of an exception must not throw
};

/// Sends one request and gives the reply; throws transport_error. The request's target is the path.
using transport = std::function<http_reply(const http_request&)>;

namespace detail {

/// A call without its types: what `client::call` hands on.
struct remote_call {
    const service_info& service;
    std::size_t operation = 0;  ///< its place in the table
    const void* request = nullptr;
    const void* headers = nullptr;  ///< as the method takes them
    void* returned = nullptr;  ///< as the method returns it
};

// What a client's constructors make; copies of a client share it. Throw as those say.
SOAPSVC_INLINE std::shared_ptr<client_core> make_client_core(
    const service_info& service, client_options options, const std::string& url);
SOAPSVC_INLINE std::shared_ptr<client_core> make_client_core(
    const service_info& service, client_options options, const dispatcher& services);
SOAPSVC_INLINE std::shared_ptr<client_core> make_client_core(
    const service_info& service, client_options options, transport send);
SOAPSVC_INLINE void make_call(client_core& by, const remote_call& call);

/// Where in the reply with a fault a record is looked for.
enum class told_in : std::uint8_t { detail, header };
SOAPSVC_INLINE void read_told(
    const told_fault& told,
    told_in part,
    const record_info& record,
    void* (*emplace)(void* slot),
    void* slot);
template <class Record>
std::optional<Record> read_told(const remote_fault& refused, told_in part) {
    std::optional<Record> read;
    read_told(
        refused.told(),
        part,
        describe_record<Record>(),
        &emplace_member<std::optional<Record>>,
        &read);
    return read;
}

/// The place of the operation that a method serves, the first of several. Throws
/// std::invalid_argument when its table does not list it.
template <class Service, class Method>
std::size_t find_operation(Method method) {
    const auto& table = schema<Service>;
    const void* methods[schema<Service>.count + 1]{};
    table.methods(methods);
    for (std::size_t index = 0; index != table.count; ++index)
        if (table.rows[index].type == &method_type_of<Method> &&
            *static_cast<const Method*>(methods[index]) == method)
            return index;
    throw std::invalid_argument("soapsvc: the service's table does not list this method");
}

/// What `client::call` takes and gives: as the method does. A stand-in where there is nothing of
/// the kind, so that the one error is check_call's.
template <class Method>
struct call_shape {
    using result = void;
    using first = nothing;
    using second = nothing;
    static constexpr std::size_t count = 0;
};
template <class Method>
requires(signature<Method>::fits) struct call_shape<Method> {
    using shape = signature<Method>;
    using result = typename method_of<Method>::result;
    using request = value_or_nothing<typename shape::request>;
    using header = value_or_nothing<typename shape::header>;
    static constexpr bool takes_request = !std::is_void_v<typename shape::request>;
    static constexpr bool takes_header = !std::is_void_v<typename shape::header>;
    using first = std::conditional_t<takes_request, request, header>;
    using second = std::conditional_t<takes_request, header, nothing>;
    static constexpr std::size_t count = takes_request + takes_header;
};
template <class Method>
using call_result = typename call_shape<Method>::result;
template <class Method>
using call_request = typename call_shape<Method>::first;
template <class Method>
using call_header = typename call_shape<Method>::second;

/// Whether a method can be called with so many parameters, of which the first two are of these
/// types. Reports the first thing that is wrong.
template <
    class Method,
    std::size_t Given,
    class Request = call_request<Method>,
    class Header = call_header<Method>>
constexpr bool check_call() {
    if constexpr (!method_of<Method>::is_method) {
        static_assert(
            never<Method>, "soapsvc: a call is written call(&Service::method, request, header)");
        return false;
    } else if constexpr (Given != call_shape<Method>::count) {
        static_assert(
            never<Method>,
            "soapsvc: call(&Service::method, request, header) takes what the method takes, but "
            "the context");
        return false;
    } else if constexpr (!std::is_convertible_v<const Request&, const call_request<Method>&>) {
        static_assert(
            never<Method>,
            "soapsvc: the request of this call is not what the method takes; give the method's "
            "struct, or a braced list of its members");
        return false;
    } else if constexpr (!std::is_convertible_v<const Header&, call_header<Method>>) {
        static_assert(
            never<Method>,
            "soapsvc: the header of this call is not what the method takes; give the method's "
            "struct, or std::nullopt where the method takes a std::optional");
        return false;
    } else {
        return true;
    }
}

}  // namespace detail

/// Calls a service that has a table here. One client is for one thread at a time, and so are its
/// copies, which share its connection; make one for each thread.
///
/// A request is sent at most once. A kept-alive connection that the server has closed meanwhile is
/// opened again first; but when a connection ends after the request was begun, the service may have
/// carried it out, and only the caller knows whether it may be sent again: see
/// transport_error::may_have_arrived. Redirects are not followed, since they would take header
/// and credentials elsewhere. Whatever the server sends, time and memory are bounded: the body by
/// `limits`, packed and unpacked; everything else of the reply by `header_bytes`; all bytes of one
/// call, TLS included, by twice the body, the header and a megabyte; and the call by
/// `call_timeout`. The look-up of the host's name alone is the system's, with the system's bounds.
///
///     soapsvc::client<EmployeeService> employees{
///         "https://host/soap/v3/EmployeeService.asmx", options};
///     auto list = employees.call(&EmployeeService::get_list_current, request, header);
template <class Service>
class client {
public:
#if !defined(SOAPSVC_NO_HOST)
    /// For the service at `url`: scheme, authority, path and query. Throws std::invalid_argument
    /// when `options` hold what no request can; transport_error, transport_failure::address, when
    /// `url` cannot be called or a certificate's file cannot be used.
    client(const std::string& url, client_options options)
        : core_(detail::make_client_core(
              detail::describe_service<Service>(), std::move(options), url)) {}
#endif

    /// For a service of `services`, which must outlive the client and its copies, at the path where
    /// it was added, without a socket. `options.ns_base` is taken from there. Throws
    /// std::invalid_argument when no service with this name was added.
    explicit client(const dispatcher& services, client_options options = {})
        : core_(detail::make_client_core(
              detail::describe_service<Service>(), std::move(options), services)) {}
    client(const dispatcher&& ends_at_once, client_options options = {}) =
        delete;  ///< no temporary

    /// Over a transport of your own: another HTTP library, a queue, a recording. It writes Host and
    /// Content-Length itself. Throws std::invalid_argument when `options` hold what no request can,
    /// and when it is an empty function.
    client(transport send, client_options options)
        : core_(detail::make_client_core(
              detail::describe_service<Service>(), std::move(options), std::move(send))) {}

    /// Calls the operation that `method` serves, the first in the table if it serves several, with
    /// the method's own parameters but the context. They convert as they would in a call of the
    /// method: a braced list is a request, std::nullopt an optional header that is absent. Gives
    /// what the method returns, with_headers included; of a one_way operation the call ends when
    /// the server has taken the request. Throws `remote_fault` when the service answers with a
    /// fault, and only then; transport_error when it does not answer, or with what cannot be read;
    /// std::invalid_argument when its table does not list the method.
    template <class Method>
    auto call(Method method) -> detail::call_result<Method> {
        if constexpr (detail::check_call<Method, 0>()) return perform(method, nullptr, nullptr);
    }
    template <class Method, class Request = detail::call_request<Method>>
    auto call(Method method, const Request& request) -> detail::call_result<Method> {
        if constexpr (detail::check_call<Method, 1, Request>()) {
            const detail::call_request<Method>& asked = request;
            if constexpr (detail::call_shape<Method>::takes_request)
                return perform(method, &asked, nullptr);
            else
                return perform(method, nullptr, &asked);
        }
    }
    template <
        class Method,
        class Request = detail::call_request<Method>,
        class Header = detail::call_header<Method>>
    auto call(Method method, const Request& request, const Header& header)
        -> detail::call_result<Method> {
        if constexpr (detail::check_call<Method, 2, Request, Header>()) {
            const detail::call_request<Method>& asked = request;
            const detail::call_header<Method>& shown = header;
            return perform(method, &asked, &shown);
        }
    }
    template <class Method, class Request, class Header, class... More>
    requires(sizeof...(More) > 0) auto call(Method, const Request&, const Header&, const More&...)
        -> detail::call_result<Method> {
        static_cast<void>(detail::check_call<Method, 2 + sizeof...(More)>());
    }

private:
    template <class Method>
    auto perform(Method method, const void* request, const void* headers)
        -> detail::call_result<Method> {
        using result = detail::call_result<Method>;
        detail::remote_call made{detail::describe_service<Service>()};
        made.operation = detail::find_operation<Service>(method);
        made.request = request;
        made.headers = headers;
        if constexpr (std::is_void_v<result>) {
            detail::make_call(*core_, made);
        } else {
            result answer{};
            made.returned = &answer;
            detail::make_call(*core_, made);
            return answer;
        }
    }

    std::shared_ptr<detail::client_core> core_;
};

/// The typed detail of a fault that a client threw: the record with the name of `Detail`'s table,
/// in its namespace, which is the service's unless it says in("..."), read as the client's options
/// say. nullopt when the fault carries none of that name. Throws transport_error,
/// transport_failure::reply, when it carries one that is not what the table says.
template <class Detail>
std::optional<Detail> read_detail(const remote_fault& refused) {
    return detail::read_told<Detail>(refused, detail::told_in::detail);
}

/// The header block of `Header` that came with a fault which a client threw; else as read_detail.
template <class Header>
std::optional<Header> read_header(const remote_fault& refused) {
    return detail::read_told<Header>(refused, detail::told_in::header);
}

}  // namespace soapsvc

// ================================================================================================
// IMPLEMENTATION
// ================================================================================================
// Everything below is of no interest to users of the header: it is compiled in each unit, or in one
// (see [configuration]). It reads descriptions of tables, never tables.

#if !defined(SOAPSVC_SPLIT) || defined(SOAPSVC_IMPLEMENTATION)

#include <atomic>
#include <bit>
#include <bitset>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <new>
#include <random>
#include <rapidxml/rapidxml.hpp>
#include <system_error>

#if !defined(SOAPSVC_NO_HOST)
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>
#endif

#if defined(__SSE2__)
#include <emmintrin.h>  // byte_block
#endif

#if defined(SOAPSVC_IMPLEMENTATION)
// The linker names this one when two units define SOAPSVC_IMPLEMENTATION.
extern "C" const char soapsvc_SOAPSVC_IMPLEMENTATION_is_defined_in_two_units;
extern "C" const char soapsvc_SOAPSVC_IMPLEMENTATION_is_defined_in_two_units = 1;
#endif

// ================================================================================================
// [text] Characters, escaping and the text form of every simple type
// ================================================================================================
// What a value looks like between two tags, in both directions, and which bytes are characters.
// The rules: XML Schema part 2 (second edition), clause 3.2 for each type and 4.3.6 for
// white space; XML 1.0, [2] Char, [4] NameStartChar; Namespaces in XML 1.0, [4] NCName. All is
// linear in its input, whatever the input. No stream, no strtod: both obey the global locale. Text
// is checked when it is written as well, because a string from a database that is not UTF-8 would
// otherwise make a reply that no client can parse. Which characters begin a name, and what is a
// character at all, stands in [vocabulary]: tables ask while they are compiled.

namespace soapsvc::detail {

// -- Characters --------------------------------------------------------------------------------

/// Appends a character that is not a surrogate and not beyond 10FFFF.
inline void append_utf8(std::string& out, char32_t character) {
    if (character < 0x80) {
        out.push_back(static_cast<char>(character));
        return;
    }
    const unsigned more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    const char32_t marker = 0x7F80U >> more & 0xFFU;
    out.push_back(static_cast<char>(marker | character >> 6 * more));
    for (unsigned i = more; i-- > 0;)
        out.push_back(static_cast<char>(0x80U | (character >> 6 * i & 0x3FU)));
}

/// `text` without the white space around it: what XML Schema's "collapse" leaves of a value in
/// which white space can only stand at the ends (part 2, 4.3.6).
constexpr std::string_view collapse_ends(std::string_view text) noexcept {
    while (!text.empty() && is_xml_space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_xml_space(text.back()))
        text.remove_suffix(1);
    return text;
}

// -- Scanning and escaping ---------------------------------------------------------------------

/// What a scan stops at, besides control characters and bytes outside ASCII.
enum class scan_for : std::uint8_t { bad_chars, content_escapes, attribute_escapes };

/// Sixteen bytes that are looked at together: by SSE2 where it is (every x86-64), else byte
/// by byte, in loops that compilers make vectors of. Each test gives bytes that are all ones or all
/// zeros; `mask` makes a bit of each.
class byte_block {
public:
    static constexpr std::ptrdiff_t size = 16;

    static byte_block load(const char* at) noexcept {
        byte_block block;
        std::memcpy(&block.bytes_, at, size);
        return block;
    }
#if defined(__SSE2__)
    static byte_block of(std::uint64_t first, std::uint64_t last) noexcept {
        return _mm_set_epi64x(static_cast<long long>(last), static_cast<long long>(first));
    }
    byte_block equal(byte_block to) const noexcept { return _mm_cmpeq_epi8(bytes_, to.bytes_); }
    byte_block equal(char c) const noexcept { return equal(all(c)); }
    /// Less than a character of ASCII, or none of ASCII: such bytes are negative.
    byte_block below_or_high(char c) const noexcept { return _mm_cmplt_epi8(bytes_, all(c)); }
    byte_block at_most(char c) const noexcept {
        return _mm_cmpeq_epi8(_mm_min_epu8(bytes_, all(c)), bytes_);
    }
    byte_block in_lower_case() const noexcept { return _mm_or_si128(bytes_, all(0x20)); }
    byte_block minus(char c) const noexcept { return _mm_sub_epi8(bytes_, all(c)); }
    byte_block operator|(byte_block b) const noexcept { return _mm_or_si128(bytes_, b.bytes_); }
    byte_block without(byte_block b) const noexcept { return _mm_andnot_si128(b.bytes_, bytes_); }
    /// Bit i is the highest of byte i: of bytes as they came, which are beyond ASCII.
    unsigned mask() const noexcept { return static_cast<unsigned>(_mm_movemask_epi8(bytes_)); }

private:
    byte_block() = default;
    byte_block(__m128i bytes) noexcept : bytes_(bytes) {}  // NOLINT(google-explicit-constructor)
    static __m128i all(char c) noexcept { return _mm_set1_epi8(c); }
    __m128i bytes_;
#else
    static byte_block of(std::uint64_t first, std::uint64_t last) noexcept {
        byte_block block;
        std::memcpy(block.bytes_, &first, sizeof first);
        std::memcpy(block.bytes_ + sizeof first, &last, sizeof last);
        return block;
    }
    byte_block equal(byte_block to) const noexcept {
        return each([&](int i) { return bytes_[i] == to.bytes_[i]; });
    }
    byte_block equal(char c) const noexcept {
        return each([&](int i) { return bytes_[i] == static_cast<unsigned char>(c); });
    }
    byte_block below_or_high(char c) const noexcept {
        return each(
            [&](int i) { return bytes_[i] < static_cast<unsigned char>(c) || bytes_[i] >= 0x80; });
    }
    byte_block at_most(char c) const noexcept {
        return each([&](int i) { return bytes_[i] <= static_cast<unsigned char>(c); });
    }
    byte_block in_lower_case() const noexcept {
        return each([&](int i) { return bytes_[i] | 0x20; });
    }
    byte_block minus(char c) const noexcept {
        return each([&](int i) { return bytes_[i] - static_cast<unsigned char>(c); });
    }
    byte_block operator|(byte_block b) const noexcept {
        return each([&](int i) { return bytes_[i] | b.bytes_[i]; });
    }
    byte_block without(byte_block b) const noexcept {
        return each([&](int i) { return bytes_[i] & ~b.bytes_[i]; });
    }
    unsigned mask() const noexcept {
        unsigned bits = 0;
        for (int i = 0; i != size; ++i)
            bits |= static_cast<unsigned>(bytes_[i] >> 7) << i;
        return bits;
    }

private:
    template <class Of>
    static byte_block each(Of of) noexcept {  // a compiler makes vectors of it where it has any
        byte_block made;
        for (int i = 0; i != size; ++i) {
            const auto byte = of(i);
            made.bytes_[i] = std::is_same_v<decltype(byte), const bool>
                                 ? static_cast<unsigned char>(byte ? 0xFF : 0)
                                 : static_cast<unsigned char>(byte);
        }
        return made;
    }
    unsigned char bytes_[size];
#endif
};

/// Whether a scan may pass over this byte without looking at it.
template <scan_for What>
constexpr bool is_plain(char c) noexcept {
    if (c < 0x20 || static_cast<unsigned char>(c) >= 0x80) return false;
    if (What == scan_for::bad_chars) return true;
    return c != '&' && c != '<' && c != '>' && (What == scan_for::content_escapes || c != '"');
}

/// A bit for each of 16 bytes that is not plain.
template <scan_for What>
inline unsigned not_plain(byte_block block) noexcept {
    byte_block found = block.below_or_high(0x20);
    if constexpr (What != scan_for::bad_chars)
        found = found | block.equal('&') | block.equal('<') | block.equal('>');
    if constexpr (What == scan_for::attribute_escapes) found = found | block.equal('"');
    return found.mask();
}

/// The first byte that is not plain, or `end`.
template <scan_for What>
inline const char* skip_plain(const char* at, const char* end) noexcept {
    for (; end - at >= byte_block::size; at += byte_block::size)
        if (const unsigned found = not_plain<What>(byte_block::load(at)); found != 0)
            return at + std::countr_zero(found);
    while (at != end && is_plain<What>(*at))
        ++at;
    return at;
}

/// Past the XML characters outside ASCII at `at`, which is not plain; nullptr when the first one
/// there is no character. Together in a loop, because such characters come in runs.
inline const char* skip_characters(const char* at, const char* end) noexcept {
    const char* const first = at;
    do {
        const unsigned length = xml_char_length({at, static_cast<std::size_t>(end - at)});
        if (length == 0) return at == first ? nullptr : at;
        at += length;
    } while (at != end && static_cast<unsigned char>(*at) >= 0x80);
    return at;
}

/// Where the first byte stands that is not part of an XML character in UTF-8; npos when all are.
inline std::size_t find_bad_char(std::string_view utf8) noexcept {
    const char* const begin = utf8.data();
    const char* const end = begin + utf8.size();
    const char* at = skip_plain<scan_for::bad_chars>(begin, end);
    while (at != end) {
        const char* const next = skip_characters(at, end);
        if (next == nullptr) return static_cast<std::size_t>(at - begin);
        at = skip_plain<scan_for::bad_chars>(next, end);
    }
    return std::string_view::npos;
}

/// What is written for `c`; empty when it stands for itself. A reader turns CR into LF, and in an
/// attribute TAB, LF and CR into spaces, unless they are references (XML 1.0, 2.11 and 3.3.3).
template <scan_for What>
constexpr std::string_view escape_of(char c) noexcept {
    constexpr bool in_attribute = What == scan_for::attribute_escapes;
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";  // content must not contain ]]> (XML 1.0, 2.4)
    case '\r': return "&#13;";
    case '"': return in_attribute ? "&quot;" : "";
    case '\t': return in_attribute ? "&#9;" : "";
    case '\n': return in_attribute ? "&#10;" : "";
    default: return "";
    }
}

template <scan_for What>
inline void append_with_escapes(std::string& out, std::string_view text) {
    const std::size_t before = out.size();
    const char* copied = text.data();
    const char* const end = copied + text.size();
    const char* at = skip_plain<What>(copied, end);
    while (at != end) {
        const char* next = at + 1;
        if (const std::string_view escape = escape_of<What>(*at); !escape.empty()) {
            out.append(copied, static_cast<std::size_t>(at - copied)).append(escape);
            copied = next;
        } else if (next = skip_characters(at, end); next == nullptr) {
            out.resize(before);
            throw std::invalid_argument(
                "soapsvc: the text to be sent is not UTF-8, or has a "
                "character that XML forbids, at byte " +
                std::to_string(at - text.data()));
        }
        at = skip_plain<What>(next, end);
    }
    out.append(copied, static_cast<std::size_t>(end - copied));
}

/// Appends `text` as element content. Throws std::invalid_argument, and appends nothing, when it
/// is not UTF-8 or has a character that XML forbids.
inline void append_escaped(std::string& out, std::string_view text) {
    append_with_escapes<scan_for::content_escapes>(out, text);
}

/// Appends `text` as an attribute value that stands between double quotes; throws likewise.
inline void append_escaped_attribute(std::string& out, std::string_view text) {
    append_with_escapes<scan_for::attribute_escapes>(out, text);
}

/// Whether a person reading a fault would see this character as it is: no control character, none
/// that XML forbids, none that reorders or breaks the line it stands in.
constexpr bool is_showable(char32_t c) noexcept {
    const bool is_control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
    const bool is_layout = c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
                           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
    return !is_control && !is_layout && is_xml_char(c);
}

/// `value` in single quotes for the text of a fault: at most `most` characters of it, then an
/// ellipsis. What is no showable character stands as \u{code point}, what is no UTF-8 as \x{byte}.
inline std::string quoted(std::string_view value, int most = 64) {
    std::string out = "'";
    for (int shown = 0; !value.empty() && shown < most; ++shown) {
        const decoded_char c = decode_utf8(value);
        const std::size_t length = std::max(c.length, 1U);
        if (c.length != 0 && is_showable(c.value)) {
            out.append(value.substr(0, length));
        } else {
            char digits[8];
            const bool is_byte = c.length == 0;
            const auto code = is_byte ? static_cast<unsigned char>(value.front())
                                      : static_cast<std::uint32_t>(c.value);
            char* const end = std::to_chars(digits, digits + sizeof digits, code, 16).ptr;
            out.append(is_byte ? "\\x{" : "\\u{").append(digits, end).append("}");
        }
        value.remove_prefix(length);
    }
    return out.append(value.empty() ? "'" : "\xE2\x80\xA6'");
}

// -- Other encodings ---------------------------------------------------------------------------

/// The character encodings that a request may have.
enum class encoding : std::uint8_t { utf_8, utf_16le, utf_16be, iso_8859_1, us_ascii };

inline bool utf16_to_utf8(std::string_view bytes, bool is_little_endian, std::string& out) {
    if (bytes.size() % 2 != 0) return false;
    const auto unit = [&](std::size_t at) {
        const char32_t first = static_cast<unsigned char>(bytes[at]);
        const char32_t second = static_cast<unsigned char>(bytes[at + 1]);
        return is_little_endian ? second << 8U | first : first << 8U | second;
    };
    for (std::size_t at = 0; at < bytes.size(); at += 2) {
        char32_t character = unit(at);
        if ((character & 0xFC00U) == 0xD800 && bytes.size() - at >= 4) {
            at += 2;
            const char32_t low = unit(at);
            if ((low & 0xFC00U) != 0xDC00) return false;
            character = 0x10000 + ((character & 0x3FFU) << 10U | (low & 0x3FFU));
        } else if ((character & 0xF800U) == 0xD800) {
            return false;
        }
        append_utf8(out, character);
    }
    return true;
}

/// Replaces `out` with `bytes` in UTF-8; false when they are not in the encoding that they are
/// said to be in. A byte order mark stays, as U+FEFF. UTF-8 is copied unseen; the reader checks.
inline bool to_utf8(std::string_view bytes, encoding from, std::string& out) {
    out.clear();
    switch (from) {
    case encoding::utf_16le: return utf16_to_utf8(bytes, true, out);
    case encoding::utf_16be: return utf16_to_utf8(bytes, false, out);
    case encoding::iso_8859_1:
        for (const char c : bytes)
            append_utf8(out, static_cast<unsigned char>(c));
        return true;
    case encoding::us_ascii:
        for (const char c : bytes)
            if (static_cast<unsigned char>(c) >= 0x80) return false;
        [[fallthrough]];
    case encoding::utf_8: break;
    }
    out.assign(bytes);
    return true;
}

// -- Strings, booleans and integers ------------------------------------------------------------
//
// from_text reads character data in which references are expanded and white space is as sent;
// false means that it is outside the type's lexical or value space, and leaves `out` unspecified.
// to_text appends a text that needs no escaping.

/// XML Schema part 2, 3.2.1: white space belongs to the value.
inline bool from_text(std::string_view text, std::string& out) {
    out.assign(text);
    return true;
}

/// XML Schema part 2, 3.2.2.
inline bool from_text(std::string_view text, bool& out) noexcept {
    text = collapse_ends(text);
    out = text == "true" || text == "1";
    return out || text == "false" || text == "0";
}

// A template, because a pointer would convert to a plain bool.
template <std::same_as<bool> Bool>
inline void to_text(std::string& out, Bool value) {
    out.append(value ? "true" : "false");
}

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

inline bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
    if (left.size() != right.size()) return false;
    if (left == right) return true;  // as nearly all do that are equal, and faster
    const char* other = right.data();
    for (const char c : left)
        if (lower(c) != lower(*other++)) return false;
    return true;
}

/// Takes a character, or a word, off the front of `text`, if it is there.
constexpr bool take(std::string_view& text, char c) noexcept {
    const bool is_there = !text.empty() && text.front() == c;
    text.remove_prefix(is_there ? 1 : 0);
    return is_there;
}
constexpr bool take(std::string_view& text, std::string_view word) noexcept {
    const bool is_there = text.starts_with(word);
    text.remove_prefix(is_there ? word.size() : 0);
    return is_there;
}

/// Takes a sign off the front of `text`; whether it was a minus.
constexpr bool take_sign(std::string_view& text) noexcept {
    return !take(text, '+') && take(text, '-');
}

/// Takes the digits off the front of `text`.
constexpr std::string_view take_digits(std::string_view& text) noexcept {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9')
        ++count;
    const std::string_view digits = text.substr(0, count);
    text.remove_prefix(count);
    return digits;
}

/// The number that `digits` say; false when they are not digits, or beyond `highest`.
constexpr bool read_digits(
    std::string_view digits, std::uint64_t highest, std::uint64_t& out) noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    out = 0;
    for (const char c : digits) {
        const auto digit = static_cast<std::uint64_t>(static_cast<unsigned char>(c)) - '0';
        if (digit > 9 || out > most / 10 || (out == most / 10 && digit > most % 10)) return false;
        out = out * 10 + digit;
    }
    return !digits.empty() && out <= highest;
}

/// How far std::int64_t reaches on one side of zero.
constexpr std::uint64_t highest_size(bool is_negative) noexcept {
    return std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (is_negative ? 1U : 0U);
}

/// XML Schema part 2, 3.3.13 and the types derived from it. A sign is allowed for unsigned types
/// too, where "-" is possible with zero only (3.3.20.1).
template <whole_number Integer>
inline bool from_text(std::string_view text, Integer& out) noexcept {
    text = collapse_ends(text);
    const bool is_negative = take_sign(text);
    std::uint64_t highest = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
    if (is_negative) highest = std::signed_integral<Integer> ? highest + 1 : 0;
    std::uint64_t size = 0;
    if (!read_digits(text, highest, size)) return false;
    out = static_cast<Integer>(is_negative ? 0 - size : size);
    return true;
}

template <whole_number Integer>
inline void to_text(std::string& out, Integer value) {
    char digits[20];  // -9223372036854775808 and 18446744073709551615 both take 20
    out.append(digits, std::to_chars(digits, digits + sizeof digits, +value).ptr);
}

// -- Decimal and floating point ----------------------------------------------------------------

/// The parts of a decimal number's text, which may have any of them.
struct decimal_parts {
    bool is_negative = false;
    std::string_view whole;
    std::string_view fraction;  // as sent
};

inline std::string_view without_trailing_zeros(std::string_view digits) noexcept {
    return digits.substr(0, digits.find_last_not_of('0') + 1);
}

inline decimal_parts split_decimal(std::string_view text) noexcept {
    decimal_parts number;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        number.is_negative = text.front() == '-';
        text.remove_prefix(1);
    }
    const std::size_t point = text.find('.');
    number.whole = text.substr(0, point);
    if (point != std::string_view::npos) number.fraction = text.substr(point + 1);
    return number;
}

inline std::strong_ordering compare_sizes(const decimal_parts& a, const decimal_parts& b) noexcept {
    if (a.whole.size() != b.whole.size()) return a.whole.size() <=> b.whole.size();
    if (const int order = a.whole.compare(b.whole); order != 0) return order <=> 0;
    const std::string_view fraction = without_trailing_zeros(a.fraction);
    return fraction.compare(without_trailing_zeros(b.fraction)) <=> 0;
}

inline bool are_digits(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE decimal::decimal(std::string_view text) {
    if (!assign(text)) throw std::invalid_argument("soapsvc: not a decimal number");
}

SOAPSVC_INLINE decimal::decimal(std::int64_t units, unsigned scale) : text_(std::to_string(units)) {
    if (scale == 0) return;
    const std::size_t sign = units < 0 ? 1 : 0;
    const std::size_t whole = std::size_t{scale} + 1;  // so that a digit precedes the point
    if (text_.size() - sign < whole) text_.insert(sign, whole - (text_.size() - sign), '0');
    text_.insert(text_.size() - scale, 1, '.');
}

SOAPSVC_INLINE std::optional<decimal> decimal::parse(std::string_view text) {
    std::optional<decimal> number(std::in_place);
    if (!number->assign(text)) number.reset();
    return number;
}

SOAPSVC_INLINE std::size_t decimal::scale() const noexcept {
    return detail::split_decimal(text()).fraction.size();
}

SOAPSVC_INLINE std::optional<std::int64_t> decimal::units(unsigned scale) const noexcept {
    const detail::decimal_parts number = detail::split_decimal(text());
    const std::string_view fraction = detail::without_trailing_zeros(number.fraction);
    if (fraction.size() > scale) return std::nullopt;
    const std::uint64_t limit = detail::highest_size(number.is_negative);
    std::uint64_t size = 0;
    const auto append = [&](char digit) {
        const auto value = static_cast<std::uint64_t>(digit - '0');
        const bool fits = size <= (limit - value) / 10;
        size = fits ? size * 10 + value : size;
        return fits;
    };
    for (const std::string_view digits : {number.whole, fraction})
        for (const char digit : digits)
            if (!append(digit)) return std::nullopt;
    for (std::size_t i = fraction.size(); i < scale && size != 0; ++i)
        if (!append('0')) return std::nullopt;
    return static_cast<std::int64_t>(number.is_negative ? 0 - size : size);
}

SOAPSVC_INLINE std::strong_ordering decimal::compare(const decimal& other) const noexcept {
    const detail::decimal_parts a = detail::split_decimal(text());
    const detail::decimal_parts b = detail::split_decimal(other.text());
    if (a.is_negative != b.is_negative)
        return a.is_negative ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.is_negative ? detail::compare_sizes(b, a) : detail::compare_sizes(a, b);
}

SOAPSVC_INLINE bool decimal::assign(std::string_view text) {
    const detail::decimal_parts number = detail::split_decimal(text);
    const std::string_view fraction = number.fraction;
    if ((number.whole.empty() && fraction.empty()) || !detail::are_digits(number.whole) ||
        !detail::are_digits(fraction))
        return false;
    std::string_view whole = number.whole;
    whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
    const bool is_zero = whole.empty() && detail::without_trailing_zeros(fraction).empty();
    text_.clear();
    text_.reserve(whole.size() + fraction.size() + 3);
    if (number.is_negative && !is_zero) text_ += '-';  // there is no negative zero
    text_.append(whole.empty() ? "0" : whole);
    if (!fraction.empty()) text_.append(1, '.').append(fraction);
    return true;
}

SOAPSVC_INLINE integer::integer(std::string_view text) {
    std::optional<integer> number = parse(text);
    if (!number) throw std::invalid_argument("soapsvc: not a whole number");
    *this = *std::move(number);
}

SOAPSVC_INLINE integer::integer(bool is_negative, std::uint64_t bits)
    : number_(
          is_negative ? '-' + std::to_string(0 - bits)  // in two's complement
                      : std::to_string(bits)) {}

SOAPSVC_INLINE std::optional<integer> integer::parse(std::string_view text) {
    if (text.find('.') != text.npos) return std::nullopt;
    std::optional<decimal> number = decimal::parse(text);
    if (!number) return std::nullopt;
    std::optional<integer> whole(std::in_place);
    whole->number_ = *std::move(number);
    return whole;
}

SOAPSVC_INLINE std::optional<std::int64_t> integer::to_int64() const noexcept {
    std::int64_t number = 0;
    return detail::from_text(text(), number) ? std::optional(number) : std::nullopt;
}

SOAPSVC_INLINE std::optional<std::uint64_t> integer::to_uint64() const noexcept {
    std::uint64_t number = 0;
    return detail::from_text(text(), number) ? std::optional(number) : std::nullopt;
}

SOAPSVC_INLINE bool is_xml_text(std::string_view text) noexcept {
    return detail::find_bad_char(text) == text.npos;
}

}  // namespace soapsvc

namespace soapsvc::detail {

/// XML Schema part 2, 3.2.3.
inline bool from_text(std::string_view text, decimal& out) {
    std::optional<decimal> number = decimal::parse(collapse_ends(text));
    if (!number) return false;
    out = *std::move(number);
    return true;
}

inline void to_text(std::string& out, const decimal& value) { out.append(value.text()); }

/// XML Schema part 2, 3.3.13.
inline bool from_text(std::string_view text, integer& out) {
    std::optional<integer> number = integer::parse(collapse_ends(text));
    if (!number) return false;
    out = *std::move(number);
    return true;
}

inline void to_text(std::string& out, const integer& value) { out.append(value.text()); }

/// A number in floating point notation, taken apart.
struct floating_text {
    bool is_negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;  // cut to about +-10^17, more than there are digits

    /// The digits' place: 10^place > number >= 10^(place-1). None for zero.
    std::optional<std::int64_t> place() const noexcept {
        if (const std::size_t at = whole.find_first_not_of('0'); at != std::string_view::npos)
            return exponent + static_cast<std::int64_t>(whole.size() - at);
        if (const std::size_t at = fraction.find_first_not_of('0'); at != std::string_view::npos)
            return exponent - static_cast<std::int64_t>(at);
        return std::nullopt;
    }
};

/// XML Schema part 2, 3.2.4.1: a decimal number, then perhaps E and an integer.
inline bool read_floating_text(std::string_view text, floating_text& out) noexcept {
    out.is_negative = take_sign(text);
    out.whole = take_digits(text);
    if (take(text, '.')) out.fraction = take_digits(text);
    if (out.whole.empty() && out.fraction.empty()) return false;
    if (text.empty()) return true;
    if (!take(text, 'E') && !take(text, 'e')) return false;
    const bool is_negative = take_sign(text);
    const std::string_view digits = take_digits(text);
    for (const char digit : digits)
        if (out.exponent < 10'000'000'000'000'000) out.exponent = out.exponent * 10 + (digit - '0');
    out.exponent = is_negative ? -out.exponent : out.exponent;
    return text.empty() && !digits.empty();
}

/// XML Schema part 2, 3.2.4 and 3.2.5. What is too large is refused; what is too small becomes the
/// nearest number, which may be zero.
template <std::floating_point Float>
inline bool read_float(std::string_view text, Float& out) noexcept {
    text = collapse_ends(text);
    using limits = std::numeric_limits<Float>;
    if (text == "INF" || text == "-INF" || text == "NaN") {
        out = text == "NaN" ? limits::quiet_NaN() : limits::infinity();
        out = text.front() == '-' ? -out : out;
        return true;
    }
    floating_text number;
    if (!read_floating_text(text, number)) return false;
    Float size = 0;
    constexpr std::int64_t beyond = 400;  // past the exponents of every double
    if (const auto place = number.place(); place && *place > -beyond) {
        if (*place > beyond) return false;
        take_sign(text);  // a plus is not for std::from_chars
        const auto result = std::from_chars(text.data(), text.data() + text.size(), size);
        // "Out of range" is said of both ends; the number's place tells them apart.
        const bool is_lost = result.ec != std::errc{};
        if ((is_lost && *place > 0) || size > limits::max()) return false;
        size = is_lost ? 0 : size;
    }
    out = number.is_negative ? -size : size;
    return true;
}

inline bool from_text(std::string_view text, float& out) noexcept { return read_float(text, out); }
inline bool from_text(std::string_view text, double& out) noexcept { return read_float(text, out); }

/// The fewest digits that read back as the same number.
template <std::floating_point Float>
inline void append_float(std::string& out, Float value) {
    if (!std::isfinite(value)) {
        out.append(std::isnan(value) ? "NaN" : value > 0 ? "INF" : "-INF");
        return;
    }
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

inline void to_text(std::string& out, float value) { append_float(out, value); }
inline void to_text(std::string& out, double value) { append_float(out, value); }

// -- Dates -------------------------------------------------------------------------------------

/// Takes exactly two digits that say at most `highest` off the front of `text`.
constexpr bool take_two(std::string_view& text, std::int32_t highest, std::int32_t& out) noexcept {
    std::string_view two = text.substr(0, 2);
    const std::string_view digits = take_digits(two);
    if (digits.size() != 2) return false;
    text.remove_prefix(2);
    out = (digits[0] - '0') * 10 + (digits[1] - '0');
    return out <= highest;
}

/// Takes a year: four digits, or more that do not begin with 0; no plus sign (XML Schema part 2,
/// 3.2.7.1). 0000 is left to is_calendar_day.
constexpr bool take_year(std::string_view& text, std::int32_t& out) noexcept {
    const bool is_negative = take(text, '-');
    const std::string_view digits = take_digits(text);
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    std::uint64_t size = 0;
    if (digits.size() < 4 || (digits.size() > 4 && digits.front() == '0') ||
        !read_digits(digits, is_negative ? most + 1 : most, size))
        return false;
    out = static_cast<std::int32_t>(is_negative ? 0 - size : size);
    return true;
}

/// Takes yyyy-mm-dd, into a date or a date_time.
template <class Day>
constexpr bool take_day(std::string_view& text, Day& out) noexcept {
    return take_year(text, out.year) && take(text, '-') && take_two(text, 12, out.month) &&
           take(text, '-') && take_two(text, 31, out.day) &&
           is_calendar_day(out.year, out.month, out.day);
}

/// Reads all that is left: nothing, Z, or +hh:mm or -hh:mm of at most 14 hours (3.2.7.3).
constexpr bool read_offset(std::string_view text, std::optional<std::int32_t>& out) noexcept {
    out.reset();
    if (text.empty()) return true;
    std::int32_t hours = 0;
    std::int32_t minutes = 0;
    if (!take(text, 'Z')) {
        const bool is_negative = text.front() == '-';
        if ((!take(text, '-') && !take(text, '+')) || !take_two(text, 14, hours) ||
            !take(text, ':') || !take_two(text, 59, minutes))
            return false;
        minutes += hours * 60;
        minutes = is_negative ? -minutes : minutes;
    }
    out = minutes;
    return text.empty() && is_utc_offset(out);
}

/// Takes a fraction of a second, if there is one. One that nanoseconds cannot hold is refused.
constexpr bool take_fraction(std::string_view& text, std::int32_t& nanoseconds) noexcept {
    nanoseconds = 0;
    if (!take(text, '.')) return true;
    const std::string_view digits = take_digits(text);
    std::int32_t unit = 100'000'000;
    for (const char digit : digits) {
        if (unit == 0 && digit != '0') return false;
        nanoseconds += (digit - '0') * unit;
        unit /= 10;
    }
    return !digits.empty();
}

/// Takes hh:mm:ss with perhaps a fraction, into a time or a date_time.
template <class Time>
constexpr bool take_time(std::string_view& text, Time& out) noexcept {
    return take_two(text, 24, out.hour) && take(text, ':') && take_two(text, 59, out.minute) &&
           take(text, ':') && take_two(text, 59, out.second) && take_fraction(text, out.nanosecond);
}

/// 24:00:00 is the first moment of the next day, 24 with anything else is no time (3.2.7.1). For a
/// time that recurs each day, the next day's first moment is this day's (3.2.8.2).
constexpr bool carry_hour_24(time& out) noexcept {
    if (out.hour != 24) return true;
    out.hour = 0;
    return out.minute == 0 && out.second == 0 && out.nanosecond == 0;
}
constexpr bool carry_hour_24(date_time& out) noexcept {
    if (out.hour != 24) return true;
    if (out.minute != 0 || out.second != 0 || out.nanosecond != 0) return false;
    out.hour = 0;
    if (++out.day <= days_in_month(out.year, out.month)) return true;
    out.day = 1;
    if (++out.month <= 12) return true;
    out.month = 1;
    if (out.year == std::numeric_limits<std::int32_t>::max()) return false;
    out.year = out.year == -1 ? 1 : out.year + 1;
    return true;
}

/// XML Schema part 2, 3.2.9.1.
inline bool from_text(std::string_view text, date& out) noexcept {
    text = collapse_ends(text);
    return take_day(text, out) && read_offset(text, out.offset_minutes);
}

/// XML Schema part 2, 3.2.7.1.
inline bool from_text(std::string_view text, date_time& out) noexcept {
    text = collapse_ends(text);
    return take_day(text, out) && take(text, 'T') && take_time(text, out) &&
           read_offset(text, out.offset_minutes) && carry_hour_24(out);
}

/// XML Schema part 2, 3.2.8.1.
inline bool from_text(std::string_view text, time& out) noexcept {
    text = collapse_ends(text);
    return take_time(text, out) && read_offset(text, out.offset_minutes) && carry_hour_24(out);
}

/// What parts of dates end with.
template <part_of_date Part>
constexpr bool read_end(std::string_view text, Part& out) noexcept {
    return read_offset(text, out.offset_minutes) && out.ok();
}

/// XML Schema part 2, 3.2.11.1.
inline bool from_text(std::string_view text, g_year& out) noexcept {
    text = collapse_ends(text);
    return take_year(text, out.year) && read_end(text, out);
}

/// XML Schema part 2, 3.2.10.1.
inline bool from_text(std::string_view text, g_year_month& out) noexcept {
    text = collapse_ends(text);
    return take_year(text, out.year) && take(text, '-') && take_two(text, 12, out.month) &&
           read_end(text, out);
}

/// XML Schema part 2, 3.2.14.1.
inline bool from_text(std::string_view text, g_month& out) noexcept {
    text = collapse_ends(text);
    return take(text, "--") && take_two(text, 12, out.month) && read_end(text, out);
}

/// XML Schema part 2, 3.2.12.1.
inline bool from_text(std::string_view text, g_month_day& out) noexcept {
    text = collapse_ends(text);
    return take(text, "--") && take_two(text, 12, out.month) && take(text, '-') &&
           take_two(text, 31, out.day) && read_end(text, out);
}

/// XML Schema part 2, 3.2.13.1.
inline bool from_text(std::string_view text, g_day& out) noexcept {
    text = collapse_ends(text);
    return take(text, "---") && take_two(text, 31, out.day) && read_end(text, out);
}

/// Appends the digits of `value`, which is not negative, with zeros before them up to `width`.
inline void append_padded(std::string& out, std::int64_t value, std::size_t width) {
    char digits[20];
    const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    const auto count = static_cast<std::size_t>(end - digits);
    out.append(count < width ? width - count : 0, '0').append(digits, count);
}

inline void append_year(std::string& out, std::int64_t year) {
    out.append(year < 0 ? "-" : "");
    append_padded(out, year < 0 ? -year : year, 4);
}

/// Appends a month, or a day, and what is before it.
inline void append_two(std::string& out, std::string_view before, std::int32_t value) {
    out.append(before);
    append_padded(out, value, 2);
}

template <class Day>
inline void require_day(const Day& value) {
    if (!value.ok())
        throw std::invalid_argument("soapsvc: the date to be sent is no day of the calendar");
}

template <class Day>
inline void append_day(std::string& out, const Day& value) {
    require_day(value);
    append_year(out, value.year);
    append_two(out, "-", value.month);
    append_two(out, "-", value.day);
}

inline void append_offset(std::string& out, std::optional<std::int32_t> offset_minutes) {
    if (!offset_minutes) return;
    const std::int32_t minutes = *offset_minutes;
    if (minutes == 0) {
        out.push_back('Z');
        return;
    }
    const std::int32_t size = minutes < 0 ? -minutes : minutes;
    append_two(out, minutes < 0 ? "-" : "+", size / 60);
    append_two(out, ":", size % 60);
}

/// Appends a fraction of a second, unless it is none.
inline void append_fraction(std::string& out, std::int32_t nanoseconds) {
    if (nanoseconds == 0) return;
    out.push_back('.');
    append_padded(out, nanoseconds, 9);
    out.resize(out.find_last_not_of('0') + 1);
}

template <class Time>
inline void append_time(std::string& out, const Time& value) {
    append_two(out, "", value.hour);
    append_two(out, ":", value.minute);
    append_two(out, ":", value.second);
    append_fraction(out, value.nanosecond);
    append_offset(out, value.offset_minutes);
}

/// Throws std::invalid_argument, and appends nothing, when `value` is not ok().
inline void to_text(std::string& out, const date& value) {
    append_day(out, value);
    append_offset(out, value.offset_minutes);
}

/// Throws std::invalid_argument, and appends nothing, when `value` is not ok().
inline void to_text(std::string& out, const date_time& value) {
    append_day(out, value);
    out.push_back('T');
    append_time(out, value);
}

/// Throws std::invalid_argument, and appends nothing, when `value` is not ok(): so do the others.
inline void to_text(std::string& out, const time& value) {
    if (!value.ok())
        throw std::invalid_argument("soapsvc: the time to be sent is none that a clock shows");
    append_time(out, value);
}

inline void to_text(std::string& out, const g_year& value) {
    require_day(value);
    append_year(out, value.year);
    append_offset(out, value.offset_minutes);
}

inline void to_text(std::string& out, const g_year_month& value) {
    require_day(value);
    append_year(out, value.year);
    append_two(out, "-", value.month);
    append_offset(out, value.offset_minutes);
}

inline void to_text(std::string& out, const g_month& value) {
    require_day(value);
    append_two(out, "--", value.month);
    append_offset(out, value.offset_minutes);
}

inline void to_text(std::string& out, const g_month_day& value) {
    require_day(value);
    append_two(out, "--", value.month);
    append_two(out, "-", value.day);
    append_offset(out, value.offset_minutes);
}

inline void to_text(std::string& out, const g_day& value) {
    require_day(value);
    append_two(out, "---", value.day);
    append_offset(out, value.offset_minutes);
}

// -- Durations ---------------------------------------------------------------------------------

/// Takes a number with this letter off the front, if it is there, and adds it, in units of which
/// `unit` are one, to `sum`; false when that is beyond `highest`.
constexpr bool take_part(
    std::string_view& text,
    char letter,
    std::uint64_t unit,
    std::uint64_t highest,
    std::uint64_t& sum) noexcept {
    std::string_view rest = text;
    const std::string_view digits = take_digits(rest);
    if (!take(rest, letter)) return true;
    std::uint64_t count = 0;
    if (!read_digits(digits, (highest - sum) / unit, count)) return false;
    sum += count * unit;
    text = rest;
    return true;
}

/// Takes the seconds of a duration, unless it ends here: the last number, which alone may have a
/// fraction.
constexpr bool take_seconds(
    std::string_view& text,
    std::uint64_t highest,
    std::uint64_t& sum,
    std::int32_t& nanoseconds) noexcept {
    if (text.empty()) return true;
    const std::string_view digits = take_digits(text);
    std::uint64_t count = 0;
    if (!take_fraction(text, nanoseconds) || !take(text, 'S') ||
        !read_digits(digits, highest - sum, count))
        return false;
    sum += count;
    return true;
}

/// XML Schema part 2, 3.2.6.1. What 64 bits cannot hold is refused.
inline bool from_text(std::string_view text, duration& out) noexcept {
    text = collapse_ends(text);
    const bool is_negative = take(text, '-');
    const std::uint64_t highest = highest_size(is_negative);
    std::uint64_t months = 0;
    std::uint64_t seconds = 0;
    std::int32_t nanoseconds = 0;
    if (!take(text, 'P') || text.empty() || !take_part(text, 'Y', 12, highest, months) ||
        !take_part(text, 'M', 1, highest, months) ||
        !take_part(text, 'D', 86'400, highest, seconds))
        return false;
    if (take(text, 'T') && (text.empty() || !take_part(text, 'H', 3'600, highest, seconds) ||
                            !take_part(text, 'M', 60, highest, seconds) ||
                            !take_seconds(text, highest, seconds, nanoseconds)))
        return false;
    out.months = static_cast<std::int64_t>(is_negative ? 0 - months : months);
    out.seconds = static_cast<std::int64_t>(is_negative ? 0 - seconds : seconds);
    out.nanoseconds = is_negative ? -nanoseconds : nanoseconds;
    return text.empty();
}

/// Appends a part of a duration, unless it is nothing.
inline void append_part(std::string& out, std::uint64_t count, char letter) {
    if (count == 0) return;
    to_text(out, count);
    out.push_back(letter);
}

/// Throws std::invalid_argument, and appends nothing, when `value` is not ok().
inline void to_text(std::string& out, const duration& value) {
    if (!value.ok())
        throw std::invalid_argument("soapsvc: the duration to be sent has more signs than one");
    const auto size = [](std::int64_t number) {
        const auto bits = static_cast<std::uint64_t>(number);
        return number < 0 ? 0 - bits : bits;
    };
    const std::uint64_t months = size(value.months);
    const std::uint64_t seconds = size(value.seconds);
    const auto nanoseconds = static_cast<std::int32_t>(size(value.nanoseconds));
    const bool is_negative = value.months < 0 || value.seconds < 0 || value.nanoseconds < 0;
    out.append(is_negative ? "-P" : "P");
    append_part(out, months / 12, 'Y');
    append_part(out, months % 12, 'M');
    append_part(out, seconds / 86'400, 'D');
    if (seconds % 86'400 == 0 && nanoseconds == 0 && (months != 0 || seconds != 0)) return;
    out.push_back('T');
    append_part(out, seconds % 86'400 / 3'600, 'H');
    append_part(out, seconds % 3'600 / 60, 'M');
    if (out.back() != 'T' && seconds % 60 == 0 && nanoseconds == 0) return;
    to_text(out, seconds % 60);
    append_fraction(out, nanoseconds);
    out.push_back('S');
}

/// How far a duration reaches from the first day of a month, in cycles of the calendar, which are
/// 400 years, and what is left: so that nothing overflows. All of the order is in this order.
struct duration_reach {
    std::int64_t cycles = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that an order is compared with
    friend auto operator<=>(const duration_reach&, const duration_reach&) = default;

    /// XML Schema part 2, appendix E. A first day is in every month: none is cut off.
    static duration_reach of(
        const duration& value, std::int32_t year, std::int32_t month) noexcept {
        constexpr std::int64_t cycle_months = 4'800;
        constexpr std::int64_t cycle_seconds = std::int64_t{146'097} * 86'400;
        constexpr std::int64_t unit = 1'000'000'000;
        const auto after = static_cast<std::int32_t>(month - 1 + rest(value.months, cycle_months));
        const std::int64_t days = days_since_epoch(year + after / 12, after % 12 + 1, 1) -
                                  days_since_epoch(year, month, 1);
        const std::int64_t seconds = days * 86'400 + rest(value.seconds, cycle_seconds) +
                                     (value.nanoseconds - rest(value.nanoseconds, unit)) / unit;
        return {
            floor(value.months, cycle_months) + floor(value.seconds, cycle_seconds) +
                floor(seconds, cycle_seconds),
            rest(seconds, cycle_seconds),
            rest(value.nanoseconds, unit)};
    }

private:
    static std::int64_t rest(std::int64_t value, std::int64_t of) noexcept {
        return (value % of + of) % of;
    }
    static std::int64_t floor(std::int64_t value, std::int64_t of) noexcept {
        return value / of - (value % of < 0 ? 1 : 0);
    }
};

// -- Binary ------------------------------------------------------------------------------------

inline constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What a byte means in base64: 0 to 63 a digit, or one of these.
inline constexpr std::uint8_t base64_space = 64;
inline constexpr std::uint8_t base64_bad = 65;
inline constexpr std::array<std::uint8_t, 256> base64_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(base64_bad);
    for (std::size_t i = 0; i < base64_digits.size(); ++i)
        values[static_cast<unsigned char>(base64_digits[i])] = static_cast<std::uint8_t>(i);
    for (const char c : {' ', '\t', '\n', '\r'})
        values[static_cast<unsigned char>(c)] = base64_space;
    return values;
}();

constexpr std::uint32_t base64_value(char c) noexcept {
    return base64_values[static_cast<unsigned char>(c)];
}

/// Writes the three bytes that four digits stand for.
constexpr void store_three(std::uint8_t*& to, std::uint32_t bits) noexcept {
    *to++ = static_cast<std::uint8_t>(bits >> 16U);
    *to++ = static_cast<std::uint8_t>(bits >> 8U & 0xFFU);
    *to++ = static_cast<std::uint8_t>(bits & 0xFFU);
}

/// Decodes fours of digits up to the first four that has anything else among them.
inline const char* decode_fours(const char* at, const char* end, std::uint8_t*& to) noexcept {
    for (; end - at >= 4; at += 4) {
        const std::uint32_t a = base64_value(at[0]);
        const std::uint32_t b = base64_value(at[1]);
        const std::uint32_t c = base64_value(at[2]);
        const std::uint32_t d = base64_value(at[3]);
        if ((a | b | c | d) >= base64_space) break;
        store_three(to, a << 18U | b << 12U | c << 6U | d);
    }
    return at;
}

/// Decodes the last two or three digits, which have padding after them; the bits that no byte
/// needs must be zero (XML Schema part 2, 3.2.16: B16 and B04).
inline bool decode_rest(std::uint32_t bits, unsigned count, std::uint8_t*& to) noexcept {
    const unsigned unused = count == 3 ? 2 : 4;
    if ((bits & ((1U << unused) - 1)) != 0) return false;
    bits >>= unused;
    if (count == 3) *to++ = static_cast<std::uint8_t>(bits >> 8U);
    *to++ = static_cast<std::uint8_t>(bits & 0xFFU);
    return true;
}

/// XML Schema part 2, 3.2.16. The grammar there speaks of collapsed text; before that, any white
/// space may stand between any two characters.
inline bool from_text(std::string_view text, binary& out) {
    text = collapse_ends(text);
    unsigned padding = 0;
    for (; padding < 2 && !text.empty() && text.back() == '='; ++padding)
        text = collapse_ends(text.substr(0, text.size() - 1));
    out.bytes.resize(text.size() / 4 * 3 + 3);
    std::uint8_t* to = out.bytes.data();
    const char* const end = text.data() + text.size();
    const char* at = decode_fours(text.data(), end, to);
    std::uint32_t bits = 0;
    unsigned count = 0;  // digits in `bits`
    while (at != end) {
        const std::uint32_t value = base64_value(*at++);
        if (value == base64_bad) return false;
        if (value == base64_space) continue;
        bits = bits << 6U | value;
        if (++count == 4) {
            store_three(to, bits);
            bits = 0;
            count = 0;
            at = decode_fours(at, end, to);
        }
    }
    if ((count + padding) % 4 != 0 || (count != 0 && !decode_rest(bits, count, to))) return false;
    out.bytes.resize(static_cast<std::size_t>(to - out.bytes.data()));
    return true;
}

/// The two digits of each number of twelve bits.
inline constexpr std::array<std::array<char, 2>, 4096> base64_pairs = [] {
    std::array<std::array<char, 2>, 4096> pairs{};
    for (std::size_t i = 0; i != pairs.size(); ++i)
        pairs[i] = {base64_digits[i >> 6U], base64_digits[i & 63U]};
    return pairs;
}();

constexpr std::size_t base64_size(std::size_t bytes) noexcept { return (bytes + 2) / 3 * 4; }

/// Writes the canonical form, which has no white space, and returns where it ends. Two digits at a
/// time: one at a time was a third as fast.
inline char* write_base64(char* to, const std::uint8_t* from, std::size_t size) noexcept {
    const auto put = [&to](std::uint32_t twelve_bits) {
        std::memcpy(to, base64_pairs[twelve_bits].data(), 2);
        to += 2;
    };
    const auto bits_at = [&](std::size_t i) { return std::uint32_t{from[i]}; };
    std::size_t at = 0;
    for (; size - at >= 3; at += 3) {
        const std::uint32_t bits = bits_at(at) << 16U | bits_at(at + 1) << 8U | bits_at(at + 2);
        put(bits >> 12U);
        put(bits & 0xFFFU);
    }
    if (at == size) return to;
    const std::uint32_t second = size - at == 2 ? bits_at(at + 1) : 0;
    put(bits_at(at) << 4U | second >> 4U);
    put((second & 0xFU) << 8U);
    to[-1] = '=';
    if (size - at == 1) to[-2] = '=';
    return to;
}

inline void to_text(std::string& out, const binary& value) {
    const std::size_t before = out.size();
    out.resize(before + base64_size(value.bytes.size()));
    write_base64(out.data() + before, value.bytes.data(), value.bytes.size());
}

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE std::size_t stream<std::byte>::read(std::span<std::byte> to) const {
    if (to.empty()) return 0;
    if (source_) {
        const std::size_t filled = source_(to);
        if (filled > to.size())
            throw std::logic_error("soapsvc: the source of a stream says more than it was asked");
        if (filled == 0) source_ = {};  // what it owns is not needed any more
        return filled;
    }
    const std::size_t left = held_ ? held_->bytes.size() - taken_ : 0;
    const std::size_t filled = std::min(left, to.size());
    if (filled != 0) std::memcpy(to.data(), held_->bytes.data() + taken_, filled);
    taken_ += filled;
    return filled;
}

SOAPSVC_INLINE const void* detail::stream_parts<stream<std::byte>>::item(
    const stream<std::byte>& of, std::size_t index) {
    if (index != 0) return nullptr;
    if (!of.source_) {
        if (!of.held_) of.held_.emplace();
        return &*of.held_;
    }
    auto& bytes = of.held_.emplace().bytes;
    std::byte piece[16'384];
    while (const std::size_t filled = of.read(piece)) {
        const auto* const from = reinterpret_cast<const std::uint8_t*>(piece);
        bytes.insert(bytes.end(), from, from + filled);
    }
    return &*of.held_;
}

SOAPSVC_INLINE void detail::stream_parts<stream<std::byte>>::feed(
    stream<std::byte>& to, stream_feed feed) {
    to = stream<std::byte>([feed = std::move(feed)](std::span<std::byte> piece) {
        return feed.next(feed.from.get(), &piece) ? piece.size() : std::size_t{0};
    });
}

}  // namespace soapsvc

namespace soapsvc::detail {

// -- Files -------------------------------------------------------------------------------------

struct file_closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, file_closer>;

[[noreturn]] inline void throw_file_error(const std::string& path) {
    throw std::system_error(errno, std::generic_category(), "soapsvc: the file " + path);
}

inline open_file open(const std::string& path, const char* how) {
    open_file file(std::fopen(path.c_str(), how));
    if (!file) throw_file_error(path);
    std::setvbuf(file.get(), nullptr, _IONBF, 0);  // pieces are large, and copied once
    return file;
}

/// Writes what is left of a stream, and says how much it was.
inline std::uint64_t write_rest(
    const stream<std::byte>& bytes, std::FILE* file, const std::string& path) {
    const auto piece = std::make_unique<std::byte[]>(65'536);
    std::uint64_t written = 0;
    while (const std::size_t filled = bytes.read({piece.get(), 65'536})) {
        if (std::fwrite(piece.get(), 1, filled, file) != filled) throw_file_error(path);
        written += filled;
    }
    return written;
}

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE stream<std::byte> read_file(const std::string& path) {
    return [file = detail::open(path, "rb"), path](std::span<std::byte> to) {
        const std::size_t filled = std::fread(to.data(), 1, to.size(), file.get());
        if (filled == 0 && std::ferror(file.get())) detail::throw_file_error(path);
        return filled;
    };
}

SOAPSVC_INLINE std::uint64_t write_file(const stream<std::byte>& bytes, const std::string& path) {
    const std::string part = path + ".part";
    detail::open_file file = detail::open(part, "wb");
    try {
        const std::uint64_t written = detail::write_rest(bytes, file.get(), path);
        if (std::fclose(file.release()) != 0) detail::throw_file_error(path);
        if (std::rename(part.c_str(), path.c_str()) != 0) detail::throw_file_error(path);
        return written;
    } catch (...) {
        file.reset();
        std::remove(part.c_str());
        throw;
    }
}

}  // namespace soapsvc

namespace soapsvc::detail {

/// What two hexadecimal digits mean, one digit each; 16 and more: it is none.
constexpr unsigned hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    const char letter = lower(c);
    return letter >= 'a' && letter <= 'f' ? static_cast<unsigned>(letter - 'a') + 10 : 16;
}

/// XML Schema part 2, 3.2.15.1: no white space between the digits.
inline bool from_text(std::string_view text, hex_binary& out) {
    text = collapse_ends(text);
    if (text.size() % 2 != 0) return false;
    out.bytes.resize(text.size() / 2);
    for (std::size_t i = 0; i != out.bytes.size(); ++i) {
        const unsigned high = hex_value(text[2 * i]);
        const unsigned low = hex_value(text[2 * i + 1]);
        if ((high | low) > 15) return false;
        out.bytes[i] = static_cast<std::uint8_t>(high << 4U | low);
    }
    return true;
}

/// The canonical form (3.2.15.2).
inline void to_text(std::string& out, const hex_binary& value) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const std::size_t before = out.size();
    out.resize(before + 2 * value.bytes.size());
    char* to = out.data() + before;
    for (const std::uint8_t byte : value.bytes) {
        *to++ = digits[byte >> 4U];
        *to++ = digits[byte & 15U];
    }
}

// -- The same, for programs --------------------------------------------------------------------

template <class T>
std::string text_form(const T& value) {
    std::string text;
    to_text(text, value);
    return text;
}

template <class T>
std::optional<T> parse_text_form(std::string_view text) {
    std::optional<T> value(std::in_place);
    const bool is_spaced =
        !text.empty() && (is_xml_space(text.front()) || is_xml_space(text.back()));
    if (is_spaced || !from_text(text, *value)) value.reset();
    return value;
}

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE std::string binary::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<binary> binary::parse(std::string_view text) {
    return detail::parse_text_form<binary>(text);
}

SOAPSVC_INLINE std::string hex_binary::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<hex_binary> hex_binary::parse(std::string_view text) {
    return detail::parse_text_form<hex_binary>(text);
}

SOAPSVC_INLINE std::string date::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<date> date::parse(std::string_view text) {
    return detail::parse_text_form<date>(text);
}

SOAPSVC_INLINE std::string date_time::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<date_time> date_time::parse(std::string_view text) {
    return detail::parse_text_form<date_time>(text);
}

SOAPSVC_INLINE std::string time::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<time> time::parse(std::string_view text) {
    return detail::parse_text_form<time>(text);
}

SOAPSVC_INLINE std::string duration::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<duration> duration::parse(std::string_view text) {
    return detail::parse_text_form<duration>(text);
}

SOAPSVC_INLINE std::string g_year::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<g_year> g_year::parse(std::string_view text) {
    return detail::parse_text_form<g_year>(text);
}

SOAPSVC_INLINE std::string g_year_month::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<g_year_month> g_year_month::parse(std::string_view text) {
    return detail::parse_text_form<g_year_month>(text);
}

SOAPSVC_INLINE std::string g_month::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<g_month> g_month::parse(std::string_view text) {
    return detail::parse_text_form<g_month>(text);
}

SOAPSVC_INLINE std::string g_month_day::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<g_month_day> g_month_day::parse(std::string_view text) {
    return detail::parse_text_form<g_month_day>(text);
}

SOAPSVC_INLINE std::string g_day::text() const { return detail::text_form(*this); }
SOAPSVC_INLINE std::optional<g_day> g_day::parse(std::string_view text) {
    return detail::parse_text_form<g_day>(text);
}

SOAPSVC_INLINE g_year g_year::from(std::chrono::year from) {
    return {date::from(from / 1 / 1).year};
}
SOAPSVC_INLINE std::optional<std::chrono::year> g_year::to_year() const noexcept {
    const auto day = first_day().to_year_month_day();
    return day ? std::optional(day->year()) : std::nullopt;
}

SOAPSVC_INLINE g_year_month g_year_month::from(std::chrono::year_month from) {
    const date day = date::from(from / 1);
    return {day.year, day.month};
}
SOAPSVC_INLINE std::optional<std::chrono::year_month> g_year_month::to_year_month() const noexcept {
    const auto day = first_day().to_year_month_day();
    return day ? std::optional(day->year() / day->month()) : std::nullopt;
}

SOAPSVC_INLINE g_month g_month::from(std::chrono::month from) {
    return {date::from(std::chrono::year{1972} / from / 1).month};
}
SOAPSVC_INLINE std::optional<std::chrono::month> g_month::to_month() const noexcept {
    const auto at = first_day().to_year_month_day();
    return at ? std::optional(at->month()) : std::nullopt;
}

SOAPSVC_INLINE g_month_day g_month_day::from(std::chrono::month_day from) {
    const date at = date::from(std::chrono::year{1972} / from);
    return {at.month, at.day};
}
SOAPSVC_INLINE std::optional<std::chrono::month_day> g_month_day::to_month_day() const noexcept {
    const auto at = first_day().to_year_month_day();
    return at ? std::optional(at->month() / at->day()) : std::nullopt;
}

SOAPSVC_INLINE g_day g_day::from(std::chrono::day from) {
    return {date::from(std::chrono::year{1972} / 12 / from).day};
}
SOAPSVC_INLINE std::optional<std::chrono::day> g_day::to_day() const noexcept {
    const auto at = first_day().to_year_month_day();
    return at ? std::optional(at->day()) : std::nullopt;
}

/// `bits` times `num / den` seconds: all is counted without the sign.
SOAPSVC_INLINE duration
duration::scaled(bool is_negative, std::uint64_t bits, std::uint64_t num, std::uint64_t den) {
    const auto refuse = [](bool too_long) {
        if (too_long) throw std::invalid_argument("soapsvc: a duration has 64 bits of seconds");
    };
    const auto with_sign = [&](std::uint64_t size) {
        return static_cast<std::int64_t>(is_negative ? 0 - size : size);
    };
    constexpr std::uint64_t unit = 1'000'000'000;
    const std::uint64_t highest = detail::highest_size(is_negative);
    const std::uint64_t count = is_negative ? 0 - bits : bits;
    const bool in_years = den == 1 && num == std::chrono::years::period::num;
    if (in_years || (den == 1 && num == std::chrono::months::period::num)) {
        const std::uint64_t months = in_years ? 12 : 1;
        refuse(count > highest / months);
        return {.months = with_sign(count * months)};
    }
    const std::uint64_t rest = count % den;
    refuse(rest != 0 && num > highest / den);
    const std::uint64_t part = rest * num;
    refuse(part / den > highest || count / den > (highest - part / den) / num);
    return {
        .seconds = with_sign(count / den * num + part / den),
        .nanoseconds = static_cast<std::int32_t>(with_sign(part % den * (unit / den)))};
}

SOAPSVC_INLINE std::optional<std::chrono::months> duration::to_months() const noexcept {
    using count = std::chrono::months::rep;
    if (seconds != 0 || nanoseconds != 0 || !std::in_range<count>(months)) return std::nullopt;
    return std::chrono::months{static_cast<count>(months)};
}

SOAPSVC_INLINE std::optional<std::chrono::nanoseconds> duration::to_nanoseconds() const noexcept {
    constexpr std::int64_t unit = 1'000'000'000;
    constexpr std::int64_t highest = std::chrono::nanoseconds::max().count();
    constexpr std::int64_t lowest = std::chrono::nanoseconds::min().count();
    if (!ok() || months != 0 || seconds > highest / unit || seconds < lowest / unit)
        return std::nullopt;
    const std::int64_t whole = seconds * unit;
    if (nanoseconds < 0 ? whole < lowest - nanoseconds : whole > highest - nanoseconds)
        return std::nullopt;
    return std::chrono::nanoseconds{whole + nanoseconds};
}

/// XML Schema part 2, 3.2.6.2: the order is known when it is the same after each of four moments,
/// where months are as short and as long as they come.
SOAPSVC_INLINE std::partial_ordering duration::operator<=>(const duration& other) const noexcept {
    constexpr std::int32_t moments[][2] = {{1696, 9}, {1697, 2}, {1903, 3}, {1903, 7}};
    std::optional<std::strong_ordering> order;
    for (const auto& [year, month] : moments) {
        const auto next = detail::duration_reach::of(*this, year, month) <=>
                          detail::duration_reach::of(other, year, month);
        if (order && *order != next) return std::partial_ordering::unordered;
        order = next;
    }
    return *order;
}

}  // namespace soapsvc

namespace soapsvc::detail {

// -- What is known of each simple type ---------------------------------------------------------

/// One of the types that have a form by themselves.
struct simple_type {
    std::string_view name;  ///< in XML Schema (part 2, 3.2 and 3.3)
    std::string_view sample;  ///< a value for pages, when a table has none
    std::string_view least;  ///< of a whole number, else empty
    std::string_view most;
    std::string_view allowed;  ///< what a fault says; empty: a whole number from least to most
};

/// By `type_kind`, up to `hex_binary`.
inline constexpr std::array<simple_type, 26> simple_type_table{{
    {"", "", "", "", ""},
    {"boolean", "true", "", "", "a boolean: true, false, 1 or 0"},
    {"byte", "1", "-128", "127", ""},
    {"short", "1", "-32768", "32767", ""},
    {"int", "1", "-2147483648", "2147483647", ""},
    {"long", "1", "-9223372036854775808", "9223372036854775807", ""},
    {"unsignedByte", "1", "0", "255", ""},
    {"unsignedShort", "1", "0", "65535", ""},
    {"unsignedInt", "1", "0", "4294967295", ""},
    {"unsignedLong", "1", "0", "18446744073709551615", ""},
    {"float", "1.5", "", "", "a number such as -1.5, 2e10, INF or NaN"},
    {"double", "1.5", "", "", "a number such as -1.5, 2e10, INF or NaN"},
    {"string", "text", "", "", "text"},
    {"base64Binary", "U09BUA==", "", "", "base64Binary"},
    {"date", "2026-01-31", "", "", "a date such as 2026-01-31"},
    {"dateTime",
     "2026-01-31T09:30:00",
     "",
     "",
     "a dateTime such as 2026-01-31T09:30:00Z, to the nanosecond"},
    {"decimal", "12.50", "", "", "a decimal such as -12.50"},
    {"integer", "1", "", "", "a whole number such as -12"},
    {"time", "09:30:00", "", "", "a time such as 09:30:00Z, to the nanosecond"},
    {"duration", "P1DT12H", "", "", "a duration such as P1Y2M or PT1H30M, to the nanosecond"},
    {"gYear", "2026", "", "", "a year such as 2026"},
    {"gYearMonth", "2026-01", "", "", "a month of a year such as 2026-01"},
    {"gMonth", "--01", "", "", "a month such as --01"},
    {"gMonthDay", "--01-31", "", "", "a day of a month such as --01-31"},
    {"gDay", "---31", "", "", "a day such as ---31"},
    {"hexBinary", "534F4150", "", "", "hexBinary"},
}};

template <class... Types>
constexpr bool has_row_for_each(type_list<Types...>) {
    return simple_type_table.size() == 1 + sizeof...(Types) &&
           simple_type_table.size() == static_cast<std::size_t>(type_kind::enumeration);
}
static_assert(has_row_for_each(simple_types{}));

/// The kinds that are bytes, whose text may be empty.
constexpr bool is_bytes(type_kind kind) noexcept {
    return kind == type_kind::base64 || kind == type_kind::hex_binary;
}

/// Of what has no row of its own, such as a list, that of text.
inline const simple_type& simple_type_of(type_kind kind) noexcept {
    const bool known = kind < type_kind::enumeration;
    return simple_type_table[static_cast<std::size_t>(known ? kind : type_kind::string)];
}

// -- Any simple type ---------------------------------------------------------------------------

/// Calls `function(std::type_identity<T>{})` with the C++ type of a simple kind. A fold instead of
/// a switch, so that the list of types is written once, in [tables]. It stops at the right one.
template <class Function>
void with_simple_type(type_kind kind, Function function) {
    auto at = static_cast<std::uint8_t>(type_kind::boolean);
    [&]<class... Types>(std::type_identity<type_list<Types...>>) {
        static_cast<void>(
            ((static_cast<std::uint8_t>(kind) == at++ &&
              (function(std::type_identity<Types>{}), true)) ||
             ...));
    }(std::type_identity<simple_types>{});
}

/// The order of two values of one type. Bytes, text and booleans have none, but may be equal. NaN
/// equals itself, and has no order with any other number (XML Schema part 2, 3.2.4).
template <class T>
std::partial_ordering compare_values(const T& a, const T& b) noexcept {
    constexpr bool has_order = !is_one_of<T, bool, std::string, binary, hex_binary>;
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(a) && std::isnan(b)) return std::partial_ordering::equivalent;
    if constexpr (has_order)
        return a <=> b;
    else
        return a == b ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}

/// The same of two values of a simple kind; unordered for any other kind.
inline std::partial_ordering compare_simple(type_kind kind, const void* a, const void* b) noexcept {
    auto order = std::partial_ordering::unordered;
    with_simple_type(kind, [&]<class T>(std::type_identity<T>) {
        order = compare_values(*static_cast<const T*>(a), *static_cast<const T*>(b));
    });
    return order;
}

/// How many digits a number needs: those that totalDigits and fractionDigits count (XML Schema part
/// 2, 4.3.11 and 4.3.12). Zeros before the first and after the last one of a fraction are not
/// needed; those between the point and the first other digit are: 0.001 has three of each.
struct digit_counts {
    std::size_t total = 0;
    std::size_t fraction = 0;
    friend bool operator==(const digit_counts&, const digit_counts&) = default;
};

/// Of a number of a simple kind. Nothing for floating point, which has no such facets, and for what
/// is no number.
inline digit_counts digits_of(type_kind kind, const void* value) {
    digit_counts counts;
    with_simple_type(kind, [&]<class T>(std::type_identity<T>) {
        if constexpr (whole_number<T> || is_one_of<T, decimal, integer>) {
            std::string text;
            to_text(text, *static_cast<const T*>(value));
            const decimal_parts number = split_decimal(text);
            counts.fraction = without_trailing_zeros(number.fraction).size();
            const std::size_t whole = number.whole == "0" ? 0 : number.whole.size();
            counts.total = std::max<std::size_t>(whole + counts.fraction, 1);
        }
    });
    return counts;
}

// -- Strings that XML Schema has a type of -----------------------------------------------------

struct string_form_info {
    std::string_view name;  ///< in XML Schema
    std::string_view sample;
    std::string_view allowed;  ///< what a fault says
};

/// By `string_form`.
inline constexpr std::array<string_form_info, 11> string_form_table{{
    {"string", "text", "text"},
    {"normalizedString", "text", "text without tabs and line ends"},
    {"token", "text", "text with single spaces, and none around it"},
    {"language", "en", "a language such as en or pt-BR"},
    {"Name", "name", "an XML name"},
    {"NCName", "name", "an XML name without a colon"},
    {"NMTOKEN", "name", "letters, digits, '.', '-', '_' and ':' without a space"},
    {"ID", "id", "an XML name without a colon"},
    {"IDREF", "id", "an XML name without a colon"},
    {"ENTITY", "entity", "an XML name without a colon"},
    {"anyURI", "http://www.example.org/", "a URI such as http://www.example.org/"},
}};
static_assert(string_form_table.size() == static_cast<std::size_t>(string_form::any_uri) + 1);

inline const string_form_info& string_form_of(string_form form) noexcept {
    return string_form_table[static_cast<std::size_t>(form)];
}

/// XML 1.0, [7] Nmtoken, and [5] Name, which begins as a name does.
inline bool is_nmtoken(std::string_view text) noexcept {
    const bool any = !text.empty();
    for (decoded_char c; !text.empty(); text.remove_prefix(c.length)) {
        c = decode_utf8(text);
        if (c.length == 0 || !(is_ncname_char(c.value) || c.value == ':')) return false;
    }
    return any;
}
inline bool is_name(std::string_view text) noexcept {
    const char32_t first = decode_utf8(text).value;
    return (is_ncname_start(first) || first == ':') && is_nmtoken(text);
}

constexpr bool is_ascii_letter(char c) noexcept { return lower(c) >= 'a' && lower(c) <= 'z'; }
constexpr bool is_ascii_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// XML Schema part 2, 3.3.3: parts of up to eight letters, from the second on of digits too.
inline bool is_language(std::string_view text) noexcept {
    std::size_t length = 0;  // of a part
    bool may_have_digits = false;
    for (const char c : text) {
        const bool ends = c == '-' && length != 0;
        if (!ends && !is_ascii_letter(c) && !(may_have_digits && is_ascii_digit(c))) return false;
        length = ends ? 0 : length + 1;
        may_have_digits = may_have_digits || ends;
        if (length > 8) return false;
    }
    return length != 0;
}

/// XML Schema part 2, 3.2.17: what is a URI reference once all that URIs cannot have is escaped
/// (XLink 1.0, 5.4). That leaves three mistakes: a '%' that escapes nothing, a second '#', and a
/// colon in the first part of a path, where it ends a scheme (RFC 2396, 3.1 and 5).
inline bool is_uri_reference(std::string_view text) noexcept {
    const std::size_t fragment = text.find('#');
    if (fragment != text.npos && text.find('#', fragment + 1) != text.npos) return false;
    for (std::size_t at = 0; (at = text.find('%', at)) != text.npos; at += 3)
        if (text.size() - at < 3 || (hex_value(text[at + 1]) | hex_value(text[at + 2])) > 15)
            return false;
    const std::string_view first = text.substr(0, text.find_first_of("/?#"));
    if (first.find(':') == first.npos) return true;
    const std::string_view scheme = first.substr(0, first.find(':'));
    return !scheme.empty() && is_ascii_letter(scheme.front()) &&
           std::all_of(scheme.begin(), scheme.end(), [](char c) {
               return is_ascii_letter(c) || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
           });
}

/// Whether `value` is a value of the type, its white space as the type wants it: so of what is to
/// be sent. That an ID is the only one and an IDREF has its ID is not looked at.
inline bool has_form(string_form form, std::string_view value) noexcept {
    switch (form) {
    case string_form::string: return true;
    case string_form::normalized: return value.find_first_of("\t\n\r") == value.npos;
    case string_form::token: return value.empty() || is_collapsed_token(value);
    case string_form::language: return is_language(value);
    case string_form::name: return is_name(value);
    case string_form::nmtoken: return is_nmtoken(value);
    case string_form::any_uri:
        return value.empty() || (is_collapsed_token(value) && is_uri_reference(value));
    case string_form::ncname:
    case string_form::id:
    case string_form::idref:
    case string_form::entity: break;
    }
    return is_ncname(value);
}

/// Makes a space of each white space; unless `keep_all`, one of several and none of those at the
/// ends (XML Schema part 2, 4.3.6: replace, collapse).
inline void fit_white_space(std::string& value, bool keep_all) noexcept {
    std::size_t kept = 0;
    for (const char c : value)
        if (!is_xml_space(c))
            value[kept++] = c;
        else if (keep_all || (kept != 0 && value[kept - 1] != ' '))
            value[kept++] = ' ';
    if (!keep_all && kept != 0 && value[kept - 1] == ' ') --kept;
    value.resize(kept);
}

/// Deals with the white space of a text that was received as its type wants it (XML Schema part 2,
/// 4.3.6).
inline void fit_space_of(string_form form, std::string& value) noexcept {
    if (form != string_form::string) fit_white_space(value, form == string_form::normalized);
}

}  // namespace soapsvc::detail

// ================================================================================================
// [patterns] Regular expressions of XML Schema
// ================================================================================================
// The facet `pattern`: XML Schema part 2 (second edition), 4.3.4 and appendix F. Numbers in
// brackets are its productions. A pattern becomes states, and a text is read once, with the set of
// all states that it may have come to (K. Thompson, 1968): the time is the length of the text times
// the number of states, whatever the pattern, and no stack is taken. Where the appendix contradicts
// itself, about `-` and `^` in classes and braces outside of them, the W3C's tests decide, then
// what Xerces and libxml2 agree about. Rejected: a library, since RE2, which is as linear, has no
// subtraction, no blocks and neither \i nor \c, and those that have them go back in the text: in
// exponential time, or up to a bound at which they give up.

namespace soapsvc::detail {

// -- Unicode -----------------------------------------------------------------------------------
//
// Unicode 15.0.0, written by tests/tools/unicode_table, which says how to read the strings. They
// are read each time that a pattern is made which needs them: microseconds, and nothing to share.

/// The general categories, two characters each ([29] to [35]), in the order of their letters.
inline constexpr std::string_view category_names =
    "LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCoCn";

inline constexpr std::string_view unicode_categories =
    "z32wr3tr3norsrmr2i10r2s3r2a26nroulub26nsosz33wrt4vruvepsAvuvsk2ubr2ukeqk3ra23sa7b24sb8E27ab2E7"
    "ab2E23a2babab3a2baba2ba3b2a4ba2ba3b3a2ba2bE2a2bab2aba2ba3baba2b2eab3e4acbacbacbE7ab2E8ab2acbab"
    "a3bE28ab7a2ba2b2aba4bE3ab69eb27d18u4d12u14d5u7dudu17f112E2duabC2db3raC4u2ara3CaCa2ba17Ca9b35ab"
    "2a3b3E11ab5absaba2b2a51b48E17vf5h2E27a2bE5ab2E48Ca38C2dr6b41rmC2v2tCf45mfrf2rf2rfC8e27C4e4r2C1"
    "1A6s3r2tr2v2f11rAr3e32de10f21i10r4e2fe99ref7Avf6d2f2vf4e2i10e3v2er14CAefe30f27C2e89f11eC14i10e"
    "33f9d2vr3dC2ft2e22f4df9df3df5C2r15Ce25f3C2rCe11C5e24ue6CA2C6f8e41df24Af32ge54fgfeg3f8g4fg2ef7e"
    "10f2r2i10rde15fg2Ce8C2e2C2e22Ce7CeC3e4C2feg3f4C2g2C2g2feC8gC4e2Ce3f2C2i10e2t2k6vterfC2f2gCe6C4"
    "e2C2e22Ce7Ce2Ce2Ce2C2fCg3f2C4f2C2f3C3fC7e4CeC7i10f2e3frC10f2gCe9Ce3Ce22Ce7Ce2Ce5C2feg3f5Cf2gCg"
    "2fC2eC15e2f2C2i10rtC7ef6Cfg2Ce8C2e2C2e22Ce7Ce2Ce5C2fegfgf4C2g2C2g2fC7f2gC4e2Ce3f2C2i10vek6C10f"
    "eCe6C3e3Ce4C3e2CeCe2C3e2C3e3C3e12C4g2fg2C3g3Cg3fC2eC6gC14i10k3v6tvC5fg3fe8Ce3Ce23Ce16C2fef3g4C"
    "f3Cf4C7f2Ce3C2eC2e2f2C2i10C7rk7vefg2re8Ce3Ce23Ce10Ce5C2fegfg5Cfg2Cg2f2C7g2C6e2Ce2f2C2i10Ce2gC1"
    "2f2g2e9Ce3Ce41f2eg3f4Cg3Cg3fevC4e3gk7e3f2C2i10k9ve6Cfg2Ce18C3e24Ce9CeC2e7C3fC4g3f3CfCg8C6i10C2"
    "g2rC12e48fe2f7C4te6df8ri10r2C37e2CeCe5Ce24CeCe10fe2f9eC2e5CdCf7Ci10C2e4C32ev3r15vrv3f2v6i10k10"
    "vfvfvfnonog2e8Ce36C4f14gf5rf2e5f11Cf36Cv8fv6Cv2r5v4r2C37e43g2f4gf6gf2g2f2ei10r6e6g2f2e4f3eg3e2"
    "g7e3f4e13fg2f2g6fegi10g3fv2a38CaC5aC2b43rdb3e329Ce4C2e7CeCe4C2e41Ce4C2e33Ce4C2e7CeCe4C2e15Ce57"
    "Ce4C2e67C2f3r9k20C3e16v10C6a86C2b6C2me620vre17we26noC3e75r3j3e8C7e18f3gC9e19f2gr2C9e18f2C12e13"
    "Ce3Cf2C12e52f2gf7g8fg2f11r3dr3tefC2i10C6k10C6r6mr4f3Afi10C6e35de53C7e5f2e34feC5e70C10e31Cf3g4f"
    "2g3C4g2fg6f3C4vC3r2i10e30C2e5C11e44C4e26C6i10kC3v34e23f2g2fC2r2e53gfgf7Cfgfg2f8g6f10C2fi10C6i1"
    "0C6r7dr6C2f14hf16C49f4ge47fgf5gfg5fg2e8C3i10r7v10f9v9r2Cf2ge30gf4g2f2gf3e2i10e44fgf2g3fgf3g2C8"
    "r4e36g8f8g2f2C3r5i10C3e3i10e30d6r2b9C7a43C2a3r8C8f3rf13gf7e4fe6fe2gf2eC5b44d63b13db34d37f64E74"
    "ab9E48ab9a8b6C2a6C2b8a8b8a8b6C2a6C2b8CaCaCaCab8a8b14C2b8c8b8c8b8c8b5Cb2a4cubu3b3Cb2a4cu3b4C2b2"
    "a4Cu3b8a5u3C2b3Cb2a4cu2Cw11A5m6r2pqnp2qnpr8xyA5wr9pqr4l2r3snor11srlr10wA5CA10kdC2k6s3nodk10s3n"
    "oCd13C3t33C15f13h4fh3f12C15v2av4av2ba3b2a3bvav2sa5v6avavava4vba4be4bv2b2a2s5ab4vsv2bvk16j35abj"
    "4kv2C4s5v5s2v4sv2sv2sv7sv31s2v2svsv31s268v8nonov20s2v7nov81sv30s25v40s6v69C25v11C21k60v78k22v1"
    "83sv9sv54s8v111sv248nononononononok30v44s5nos31nononononos16v256s131nononononononononononos63n"
    "onos32nos258v48s21v2s6v39C2v32Cv105a48b48aba3b2E3a4bab2ab6d2a3bE48ab2v6E2f3abC5r4kr2b38CbC5bC2"
    "e56C7drC14fe23C9e7Ce7Ce7Ce7Ce7Ce7Ce7Ce7Cf32r2pqpqr3pqrpqr9mr2mrpqr2pqnonononor5dr10m2r4mrnr13v"
    "2r3nonononomC34v26Cv89C12v214C26v12C4wr3vdejnononononov2nonononomno2vj9f4g2md5v2j3derv2Ce86C2f"
    "2u2d2eme90rd3eC5e43Ce94Cv2k4v10e32v36C12e16v31Ck10v30k8vk15v32k10v39k15v320e6592v64e21013de114"
    "3C3v55C9e40d6r2e268dr3e16i10e2C20E23efh3rf10rdE14d2f2e70j10f2r6C8u23d9u2E6ab3E31db8E2a2bE4du2E"
    "2eabab3E10a5ba5bE7a4babC5abCbCbE2C24d3abed2be7fe3fe4fe23g2f2gv4fC3k6v2tvC6e52r4C8g2e50g16f2C8r"
    "2i10C6f18e6r3ere2fi10e28f8r2e23f11g2C11re29C3f3ge47fg2f4g2f2g3r13Cdi10C4r2e5fde9i10e5Ce41f6g2f"
    "2g2f2C9e3fe8fgC2i10C2r4e16de6v3egfge50fef3e2f2e5f2efeC24e2dr2e11gf2g2r2ed2gfC10e6C2e6C2e6C9e7C"
    "e7Cb43ud4b9du2C4b80e35g2fg2fg2rgfC2i10C6e11172C12e23C4e49C4D2048B6400e366C2e106C38b7C12b5C5efe"
    "10se13Ce5CeCe2Ce2Ce108u17C16e363onv16e64C2e54C7vC32e12tv3f16r7norC6f16rm2l2nonononononononor2n"
    "or4l3r3Cr4mnononor3sms3Crtr2C4e5Ce135C2ACr3tr3norsrmr2i10r2s3r2a26nroulub26nsosnornor2e10de45d"
    "2e31C3e6C2e6C2e6C2e3C3t2suvt2Cvs4v2C10A3v2C2e12Ce26Ce19Ce2Ce15C2e14C34e123C5r3C4k45C3v9j53k4v1"
    "7k2v3Cv13C3vC47v45fC130e29C3e49C15fk27C4e32k4C9e20je8jC5e38f5C5e30Cre36C4e8rj5C42a40b40e78C2i1"
    "0C6a36C4b36C4e40C8e52C11ra11Ca15Ca7Ca2Cb11Cb15Cb7Cb2C67e311C9e22C10e8C24d6Cd42Cd9C69e6C2eCe44C"
    "e2C3eC2e23Crk8e23v2k7e31C8k9C48e19Ce2C5k5e22k6C3re26C5rC64e56C4k2e2k16C2k46ef3Cf2C5f4e4Ce3Ce29"
    "C2f3C4fk9C7r9C7e29k2re29k3C32e8ve28f2C4k5r7C9e54C3r7e22C2k8e19C5k8e18C7r4C12k7C80e73C55a51C13b"
    "51C7k6e36f4C8i10C294k31Ce42Cf2mC2e2C75f3e29k10eC8e22f11k4r5C22e18f4r4C38e21k7C20e23C9gfge53f15"
    "r7C4k20i10fe2f2eC9f3ge45g3f4g2f2r2Ar4fC10AC2e25C7i10C6f3e36f5gf8Ci10r4eg2eC8e35fr2eC9f2ge48g3f"
    "9g2e4r4f4rgfi10erer3Ck20C11e18Ce25g3f3g2fgf2r6fe2fC62e7CeCe4Ce15Ce10rC6e47fg3f8C5i10C6f2g2Ce8C"
    "2e2C2e22Ce7Ce2Ce5Cf2eg2fg4C2g2C2g3C2eC6gC5e5g2C2f7C3f5C139e53g3f8g2f3gfe4r5i10r2Crfe3C30e48g3f"
    "6gfg4f2gf2e2reC8i10C166e47g3f4C2g4f2gf2r23e4f2C34e48g3f8g2fgf2r3eC11i10C6r13C19e43fgfg2f6gferC"
    "6i10C54e27C2f3g2f4gf5C4i10k2r3ve7C185e44g3f9gf2rC100a32b32i10k9C12e8C2eC2e8Ce2Ce24g6Cg2C2f2gfe"
    "gegfr3C9i10C70e8C2e39g3f4C2f2g4feregC27ef10e40f6gef4r8fC8ef6g2f3e46f13gf2r3er5C13e73C7r10C246e"
    "9Ce37gf7Cf6gfer5C10i10k19C3r2e30C2f22Cgf7gf2gf2C73e7Ce2Ce38f6C3fCf2Cf7efC8i10C6e6Ce2Ce32g5Cf2C"
    "g2fgfeC7i10C310e19f2g2r2C7f2ege13Ce34g2f5C3g2fgfr13i10C86eC15k21v8t4v17C13re922C102j111Cr5C11e"
    "196C2636e97r2C13e1072A16fe6f15C4010e583C8633e569C7e31Ci10C4r2e79Ci10C6e30C2f5rC10e48f7r5v4d4rv"
    "C10i10Ck7Ce21C5e19C688a32b32k23r4C101e75C4feg55C7f4d13C64d2rdfC11g2C14e6136C8e1238C42e9C8935d4"
    "Cd7Cd2Ce291C15eC29e3C2eC14e4C8e396C2308e107C5e13C3e9C7e10C2vf2rA4C4700f46C2f23C9v116C60v246C10"
    "v39C2v60g2f3v3g6A8f8v2f7v30f4v61C21v66f3vC122k20C12k20C12v87C9k25C135a26b26a26b7Cb18a26b26aCa2"
    "C2aC2a2C2a4Ca8b4CbCb7Cb11a26b26a2Ca4C2a8Ca7Cb26a2Ca4Ca5CaC3a7Cb26a26b26a26b26a26b26a26b26a26b2"
    "6a26b28C2a25sb25sb6a25sb25sb6a25sb25sb6a25sb25sb6a25sb25sb6abC2i50v512f55v4f50v8fv14fv2r5C15f5"
    "Cf15C1104b10eb20C6b6C213f7Cf17C2f7Cf2Cf5C5d62C33fC112e45C3f7d7C2i10C4evC320e30fC17e44f4i10C5tC"
    "464e27df4i10C742e7Ce4Ce2Ce15Ce197C2k9f7C41a34b34f7dC4i10C4r2C785k59vk3tk4C76k45vk15C194e4Ce27C"
    "e2CeC2eCe10Ce4CeCeC6eC4eCeCeCe3Ce2CeC2eCeCeCeCeCe2CeC2e4Ce7Ce4Ce4CeCe10Ce17C5e3Ce5Ce17C52s2C27"
    "0v44C4v100C12v15C2v15Cv15Cv37C10k13v161C56v29C13v44C4v9C7v2C14v6C154v251u5v728C4v17C3v13C3v119"
    "C4v95C6v12C4vC15v12C4v56C8v10C6v40C8v30C2v2C78v340C12v14C2v13C3v9C7v46Cv7C8v14C4v9C7v9C7v147Cv"
    "55C37i10C1030e42720C32e4154C6e222C2e5762C14e7473C3103e542C1506e4939C5e4192C711761AC30A96C128f2"
    "40C65040B65534C2B65534C2";

inline constexpr std::string_view unicode_blocks =
    "BasicLatin,8;Latin-1Supplement,8;LatinExtended-A,8;LatinExtended-B,13;IPAExtensions,6;SpacingM"
    "odifierLetters,5;CombiningDiacriticalMarks,7;GreekandCoptic,9;Cyrillic,16;CyrillicSupplement,3"
    ";Armenian,6;Hebrew,7;Arabic,16;Syriac,5;ArabicSupplement,3;Thaana,4;NKo,4;Samaritan,4;Mandaic,"
    "2;SyriacSupplement,1;ArabicExtended-B,3;ArabicExtended-A,6;Devanagari,8;Bengali,8;Gurmukhi,8;G"
    "ujarati,8;Oriya,8;Tamil,8;Telugu,8;Kannada,8;Malayalam,8;Sinhala,8;Thai,8;Lao,8;Tibetan,16;Mya"
    "nmar,10;Georgian,6;HangulJamo,16;Ethiopic,24;EthiopicSupplement,2;Cherokee,6;UnifiedCanadianAb"
    "originalSyllabics,40;Ogham,2;Runic,6;Tagalog,2;Hanunoo,2;Buhid,2;Tagbanwa,2;Khmer,8;Mongolian,"
    "11;UnifiedCanadianAboriginalSyllabicsExtended,5;Limbu,5;TaiLe,3;NewTaiLue,6;KhmerSymbols,2;Bug"
    "inese,2;TaiTham,9;CombiningDiacriticalMarksExtended,5;Balinese,8;Sundanese,4;Batak,4;Lepcha,5;"
    "OlChiki,3;CyrillicExtended-C,1;GeorgianExtended,3;SundaneseSupplement,1;VedicExtensions,3;Phon"
    "eticExtensions,8;PhoneticExtensionsSupplement,4;CombiningDiacriticalMarksSupplement,4;LatinExt"
    "endedAdditional,16;GreekExtended,16;GeneralPunctuation,7;SuperscriptsandSubscripts,3;CurrencyS"
    "ymbols,3;CombiningDiacriticalMarksforSymbols,3;LetterlikeSymbols,5;NumberForms,4;Arrows,7;Math"
    "ematicalOperators,16;MiscellaneousTechnical,16;ControlPictures,4;OpticalCharacterRecognition,2"
    ";EnclosedAlphanumerics,10;BoxDrawing,8;BlockElements,2;GeometricShapes,6;MiscellaneousSymbols,"
    "16;Dingbats,12;MiscellaneousMathematicalSymbols-A,3;SupplementalArrows-A,1;BraillePatterns,16;"
    "SupplementalArrows-B,8;MiscellaneousMathematicalSymbols-B,8;SupplementalMathematicalOperators,"
    "16;MiscellaneousSymbolsandArrows,16;Glagolitic,6;LatinExtended-C,2;Coptic,8;GeorgianSupplement"
    ",3;Tifinagh,5;EthiopicExtended,6;CyrillicExtended-A,2;SupplementalPunctuation,8;CJKRadicalsSup"
    "plement,8;KangxiRadicals,14;,1;IdeographicDescriptionCharacters,1;CJKSymbolsandPunctuation,4;H"
    "iragana,6;Katakana,6;Bopomofo,3;HangulCompatibilityJamo,6;Kanbun,1;BopomofoExtended,2;CJKStrok"
    "es,3;KatakanaPhoneticExtensions,1;EnclosedCJKLettersandMonths,16;CJKCompatibility,16;CJKUnifie"
    "dIdeographsExtensionA,412;YijingHexagramSymbols,4;CJKUnifiedIdeographs,1312;YiSyllables,73;YiR"
    "adicals,4;Lisu,3;Vai,20;CyrillicExtended-B,6;Bamum,6;ModifierToneLetters,2;LatinExtended-D,14;"
    "SylotiNagri,3;CommonIndicNumberForms,1;Phags-pa,4;Saurashtra,6;DevanagariExtended,2;KayahLi,3;"
    "Rejang,3;HangulJamoExtended-A,2;Javanese,6;MyanmarExtended-B,2;Cham,6;MyanmarExtended-A,2;TaiV"
    "iet,6;MeeteiMayekExtensions,2;EthiopicExtended-A,3;LatinExtended-E,4;CherokeeSupplement,5;Meet"
    "eiMayek,4;HangulSyllables,699;HangulJamoExtended-B,5;HighSurrogates,56;HighPrivateUseSurrogate"
    "s,8;LowSurrogates,64;PrivateUseArea,400;CJKCompatibilityIdeographs,32;AlphabeticPresentationFo"
    "rms,5;ArabicPresentationForms-A,43;VariationSelectors,1;VerticalForms,1;CombiningHalfMarks,1;C"
    "JKCompatibilityForms,2;SmallFormVariants,2;ArabicPresentationForms-B,9;HalfwidthandFullwidthFo"
    "rms,15;Specials,1;LinearBSyllabary,8;LinearBIdeograms,8;AegeanNumbers,4;AncientGreekNumbers,5;"
    "AncientSymbols,4;PhaistosDisc,3;,8;Lycian,2;Carian,4;CopticEpactNumbers,2;OldItalic,3;Gothic,2"
    ";OldPermic,3;Ugaritic,2;OldPersian,4;,2;Deseret,5;Shavian,3;Osmanya,3;Osage,5;Elbasan,3;Caucas"
    "ianAlbanian,4;Vithkuqi,5;,4;LinearA,24;LatinExtended-F,4;,4;CypriotSyllabary,4;ImperialAramaic"
    ",2;Palmyrene,2;Nabataean,3;,3;Hatran,2;Phoenician,2;Lydian,2;,4;MeroiticHieroglyphs,2;Meroitic"
    "Cursive,6;Kharoshthi,6;OldSouthArabian,2;OldNorthArabian,2;,2;Manichaean,4;Avestan,4;Inscripti"
    "onalParthian,2;InscriptionalPahlavi,2;PsalterPahlavi,3;,5;OldTurkic,5;,3;OldHungarian,8;Hanifi"
    "Rohingya,4;,18;RumiNumeralSymbols,2;Yezidi,4;ArabicExtended-C,4;OldSogdian,3;Sogdian,4;OldUygh"
    "ur,4;Chorasmian,3;Elymaic,2;Brahmi,8;Kaithi,5;SoraSompeng,3;Chakma,5;Mahajani,3;Sharada,6;Sinh"
    "alaArchaicNumbers,2;Khojki,5;,3;Multani,3;Khudawadi,5;Grantha,8;,8;Newa,8;Tirhuta,6;,10;Siddha"
    "m,8;Modi,6;MongolianSupplement,2;Takri,5;,3;Ahom,5;,11;Dogra,5;,5;WarangCiti,6;DivesAkuru,6;,4"
    ";Nandinagari,6;ZanabazarSquare,5;Soyombo,6;UnifiedCanadianAboriginalSyllabicsExtended-A,1;PauC"
    "inHau,4;DevanagariExtended-A,6;,10;Bhaiksuki,7;Marchen,5;,4;MasaramGondi,6;GunjalaGondi,5;,19;"
    "Makasar,2;Kawi,6;,5;LisuSupplement,1;TamilSupplement,4;Cuneiform,64;CuneiformNumbersandPunctua"
    "tion,8;EarlyDynasticCuneiform,13;,164;Cypro-Minoan,7;EgyptianHieroglyphs,67;EgyptianHieroglyph"
    "FormatControls,3;,250;AnatolianHieroglyphs,40;,536;BamumSupplement,36;Mro,3;Tangsa,6;BassaVah,"
    "3;PahawhHmong,9;,43;Medefaidrin,6;,6;Miao,10;,4;IdeographicSymbolsandPunctuation,2;Tangut,384;"
    "TangutComponents,48;KhitanSmallScript,32;TangutSupplement,8;,551;KanaExtended-B,1;KanaSuppleme"
    "nt,16;KanaExtended-A,3;SmallKanaExtension,4;Nushu,25;,144;Duployan,10;ShorthandFormatControls,"
    "1;,293;ZnamennyMusicalNotation,13;,3;ByzantineMusicalSymbols,16;MusicalSymbols,16;AncientGreek"
    "MusicalNotation,5;,7;KaktovikNumerals,2;MayanNumerals,2;TaiXuanJingSymbols,6;CountingRodNumera"
    "ls,2;,8;MathematicalAlphanumericSymbols,64;SuttonSignWriting,43;,69;LatinExtended-G,16;Glagoli"
    "ticSupplement,3;CyrillicExtended-D,6;,7;NyiakengPuachueHmong,5;,20;Toto,3;Wancho,4;,29;NagMund"
    "ari,3;,46;EthiopicExtended-B,2;MendeKikakui,14;,2;Adlam,6;,49;IndicSiyaqNumbers,5;,4;OttomanSi"
    "yaqNumbers,5;,11;ArabicMathematicalAlphabeticSymbols,16;,16;MahjongTiles,3;DominoTiles,7;Playi"
    "ngCards,6;EnclosedAlphanumericSupplement,16;EnclosedIdeographicSupplement,16;MiscellaneousSymb"
    "olsandPictographs,48;Emoticons,5;OrnamentalDingbats,3;TransportandMapSymbols,8;AlchemicalSymbo"
    "ls,8;GeometricShapesExtended,8;SupplementalArrows-C,16;SupplementalSymbolsandPictographs,16;Ch"
    "essSymbols,7;SymbolsandPictographsExtended-A,9;SymbolsforLegacyComputing,16;,64;CJKUnifiedIdeo"
    "graphsExtensionB,2670;,2;CJKUnifiedIdeographsExtensionC,260;CJKUnifiedIdeographsExtensionD,14;"
    "CJKUnifiedIdeographsExtensionE,361;CJKUnifiedIdeographsExtensionF,468;,193;CJKCompatibilityIde"
    "ographsSupplement,34;,94;CJKUnifiedIdeographsExtensionG,309;CJKUnifiedIdeographsExtensionH,262"
    ";,44485;Tags,8;,8;VariationSelectorsSupplement,15;,4065;SupplementaryPrivateUseArea-A,4096;Sup"
    "plementaryPrivateUseArea-B,4096;";

// -- Sets of characters ------------------------------------------------------------------------

/// Characters of XML (F.1 speaks of no others), as ranges. Whoever has added to it settles it.
class char_set {
public:
    struct range {
        char32_t first, last;
        bool operator==(const range&) const = default;
    };

    void add(char32_t first, char32_t last) {
        ranges_.push_back({first, last});
        // So that a class takes memory by what is in it, and not by how often it is said.
        if (ranges_.size() < crowded_) return;
        settle();
        crowded_ = 2 * ranges_.size() + 1'000;
    }
    void add(char32_t character) { add(character, character); }
    void add(const char_set& other) {
        for (const range& each : other.ranges_)
            add(each.first, each.last);
    }

    /// Sorts the ranges, and makes one of those that touch each other.
    void settle() {
        std::sort(ranges_.begin(), ranges_.end(), [](const range& a, const range& b) {
            return a.first < b.first;
        });
        std::size_t kept = 0;
        for (const range& each : ranges_)
            if (kept != 0 && each.first <= ranges_[kept - 1].last + 1)
                ranges_[kept - 1].last = std::max(ranges_[kept - 1].last, each.last);
            else
                ranges_[kept++] = each;
        ranges_.resize(kept);
    }

    /// The characters of XML that are not in `set`; settled.
    static char_set all_but(char_set set) {
        for (const range& each : not_xml)
            set.add(each.first, each.last);
        set.settle();
        char_set rest;
        char32_t next = 0;
        for (const range& each : set.ranges_) {
            if (each.first > next) rest.ranges_.push_back({next, each.first - 1});
            next = each.last + 1;
        }
        if (next <= 0x10FFFF) rest.ranges_.push_back({next, 0x10FFFF});
        return rest;
    }

    const std::vector<range>& ranges() const noexcept { return ranges_; }

private:
    /// What is_xml_char says no to.
    static constexpr range not_xml[] = {
        {0, 0x8}, {0xB, 0xC}, {0xE, 0x1F}, {0xD800, 0xDFFF}, {0xFFFE, 0xFFFF}};
    std::vector<range> ranges_;
    std::size_t crowded_ = 1'000;
};

/// What a pattern asks, once for each character of a text.
class character_class {
public:
    explicit character_class(const char_set& settled) : ranges_(settled.ranges()) {
        for (const char_set::range& each : ranges_)
            for (char32_t c = each.first; c <= each.last && c < ascii_.size(); ++c)
                ascii_.set(c);
    }
    bool contains(char32_t c) const noexcept {
        if (c < ascii_.size()) return ascii_[c];
        const auto after = std::upper_bound(
            ranges_.begin(), ranges_.end(), c, [](char32_t value, const char_set::range& each) {
                return value < each.first;
            });
        return after != ranges_.begin() && c <= std::prev(after)->last;
    }
    const std::vector<char_set::range>& ranges() const noexcept { return ranges_; }

private:
    std::bitset<128> ascii_;
    std::vector<char_set::range> ranges_;
};

/// A bit for each category that is `name` or, when that is one letter, begins with it; 0 for a name
/// that is none. Surrogates have no name, being no characters.
constexpr std::uint32_t categories_named(std::string_view name) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; 2 * i != category_names.size() && !name.empty(); ++i)
        if (category_names.substr(2 * i, 2).starts_with(name)) bits |= std::uint32_t{1} << i;
    return bits;
}

/// The number at the beginning of `table`, taken off it; 1 when there is none.
constexpr char32_t take_count(std::string_view& table) noexcept {
    std::uint64_t count = 1;
    read_digits(take_digits(table), 0x110000, count);
    return count == 0 ? 1 : static_cast<char32_t>(count);
}

/// All characters of the categories whose bits are set.
inline char_set characters_of(std::uint32_t categories) {
    char_set set;
    const auto is_wanted = [&](int category) { return (categories >> category & 1U) != 0; };
    char32_t at = 0;
    for (std::string_view table = unicode_categories; !table.empty();) {
        const char letter = table.front();
        table.remove_prefix(1);
        const char32_t count = take_count(table);
        if (letter == 'E') {  // an upper and a lower case letter, `count` times
            for (char32_t i = 0; i != 2 * count; ++i)
                if (is_wanted(static_cast<int>(i % 2))) set.add(at + i);
            at += 2 * count;
            continue;
        }
        if (is_wanted(letter >= 'a' ? letter - 'a' : letter - 'A' + 26))
            set.add(at, at + count - 1);
        at += count;
    }
    return set;
}

/// A block under the name that Unicode gives it now, if that is a newer one than appendix F's.
constexpr std::string_view current_block_name(std::string_view name) noexcept {
    if (name == "Greek") return "GreekandCoptic";
    if (name == "CombiningMarksforSymbols") return "CombiningDiacriticalMarksforSymbols";
    if (name == "PrivateUse") return "PrivateUseArea";
    return name;
}

/// The characters of a block, assigned or not [36]; nullopt when there is none of that name.
inline std::optional<char_set> block_named(std::string_view name) {
    name = current_block_name(name);
    char32_t at = 0;
    for (std::string_view table = unicode_blocks; !table.empty(); table.remove_prefix(1)) {
        const std::string_view block = table.substr(0, table.find(','));
        table.remove_prefix(block.size() + 1);
        const char32_t count = 16 * take_count(table);
        if (block == name && !name.empty()) {
            char_set set;
            set.add(at, at + count - 1);
            return set;
        }
        at += count;
    }
    return std::nullopt;
}

/// \i, and \c with `is_inside` [37]: what begins a name of XML 1.0, and what goes on in one. By the
/// fifth edition, as all names here; it has all that the second has, which the appendix is of.
inline char_set name_characters(bool is_inside) {
    char_set set;
    for (const auto& range : ncname_start_ranges)
        set.add(range[0], range[1]);
    set.add(':');
    if (!is_inside) return set;
    for (const auto& range : ncname_more_ranges)
        set.add(range[0], range[1]);
    return set;
}

// -- Compiling ---------------------------------------------------------------------------------

/// What a text may have come to in a pattern. The next state follows one that is done, and others
/// are told by how far away they are: so a row of states is repeated by copying it.
struct pattern_state {
    enum class kind : std::uint8_t {
        character,  ///< reads the character `value`
        one_of,  ///< reads a character of the class `value`
        fork,  ///< goes on both with the next state and with the one `value` away
        jump,  ///< goes on with the state `value` away
        end  ///< the text may end here
    };
    kind what;
    std::int32_t value = 0;
};

/// Reads a pattern and leaves its states and classes behind. A branch, a piece and an atom are each
/// a row of states that is entered at its beginning and left past its end.
class pattern_compiler {
public:
    /// More states are refused, copies for quantifiers included: each may cost some nanoseconds for
    /// each character of a text, so that a megabyte takes a minute at worst. A state fits 16 bits.
    static constexpr std::size_t most_states = 10'000;
    /// Ranges in all classes together, of which \p{L} alone has 650: nearly a megabyte of them.
    static constexpr std::size_t most_ranges = 100'000;
    /// Parentheses, and classes that are subtracted, within each other: each level is a call.
    static constexpr unsigned most_depth = 100;
    /// Bytes of a pattern: with no more states than it may have, it has no use for as many.
    static constexpr std::size_t most_bytes = 65'536;

    explicit pattern_compiler(std::string_view expression) : expression_(expression) {
        if (expression.size() > most_bytes)
            refuse(0, "it is longer than " + std::to_string(most_bytes) + " bytes");
        for (std::string_view rest = expression; !rest.empty();) {
            const decoded_char c = decode_utf8(rest);
            if (c.length == 0) refuse(text_.size(), "this is not UTF-8");
            if (!is_xml_char(c.value)) refuse(text_.size(), "XML has no such character");
            text_.push_back(c.value);
            rest.remove_prefix(c.length);
        }
        read_expression(0);
        if (!at_end()) refuse(at_, "this ) closes nothing");
        states.push_back({kind::end});
    }

    std::vector<pattern_state> states;
    std::vector<character_class> classes;

private:
    using kind = pattern_state::kind;
    static constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

    [[noreturn]] void refuse(std::size_t at, const std::string& why) const {
        throw std::invalid_argument(
            "soapsvc: the pattern " + detail::quoted(expression_) + " is wrong at character " +
            std::to_string(at + 1) + ": " + why);
    }

    bool at_end() const noexcept { return at_ == text_.size(); }
    /// The character `ahead` of here; 0, which is none of XML, past the end.
    char32_t peek(std::size_t ahead = 0) const noexcept {
        return text_.size() - at_ > ahead ? text_[at_ + ahead] : 0;
    }
    bool take(char32_t c) noexcept {
        const bool is_there = peek() == c;
        at_ += is_there ? 1 : 0;
        return is_there;
    }

    /// Ends the constructor unless there is room for `more` states.
    void need_room(std::size_t more) const {
        if (states.size() + more > most_states)
            refuse(
                at_ - 1,
                "up to here it takes more than " + std::to_string(most_states) +
                    " states: say less, or count less");
    }
    void append(kind what, std::ptrdiff_t value) {
        need_room(1);
        states.push_back({what, static_cast<std::int32_t>(value)});
    }
    void append_class(char_set set) {
        // Twice, because that leaves characters of XML.
        const character_class made(char_set::all_but(char_set::all_but(std::move(set))));
        const auto same =
            std::find_if(classes.begin(), classes.end(), [&](const character_class& each) {
                return each.ranges() == made.ranges();
            });
        append(kind::one_of, same - classes.begin());
        if (same != classes.end()) return;
        ranges_ += made.ranges().size();
        if (ranges_ > most_ranges) refuse(at_ - 1, "its classes have too many ranges together");
        classes.push_back(made);
    }

    /// [1] and [2]: each branch but the last has a fork before it and a jump behind.
    void read_expression(unsigned depth) {
        std::vector<std::size_t> jumps;
        for (std::size_t begin = states.size();; begin = states.size()) {
            while (!at_end() && peek() != '|' && peek() != ')')
                read_piece(depth);
            if (!take('|')) break;
            need_room(2);
            const auto size = static_cast<std::int32_t>(states.size() - begin);
            states.insert(
                states.begin() + static_cast<std::ptrdiff_t>(begin), {kind::fork, size + 2});
            jumps.push_back(states.size());
            append(kind::jump, 0);
        }
        for (const std::size_t jump : jumps)
            states[jump].value = static_cast<std::int32_t>(states.size() - jump);
    }

    /// [3] to [8].
    void read_piece(unsigned depth) {
        const std::size_t begin = states.size();
        read_atom(depth);
        if (take('?')) return repeat(begin, 0, 1);
        if (take('*')) return repeat(begin, 0, unbounded);
        if (take('+')) return repeat(begin, 1, unbounded);
        if (!take('{')) return;
        const std::size_t open = at_ - 1;
        const std::uint64_t least = read_number();
        std::uint64_t most = least;
        if (take(',')) most = peek() == '}' ? unbounded : read_number();
        if (!take('}')) refuse(open, "this { begins none of {n}, {n,} and {n,m}");
        if (least > most) refuse(open, "the first number of {n,m} is above the second");
        repeat(begin, least, most);
    }

    /// [8]. What no number of states could count is refused while it is but a number.
    std::uint64_t read_number() {
        const std::size_t begin = at_;
        std::uint64_t number = 0;
        for (; peek() >= '0' && peek() <= '9'; ++at_) {
            number = 10 * number + (peek() - '0');
            if (number > most_states)
                refuse(begin, "this number is above " + std::to_string(most_states));
        }
        if (at_ == begin) refuse(begin, "a number is missing: {n}, {n,} or {n,m}");
        return number;
    }

    /// Makes of the states from `begin` on a row that goes through them `least` to `most` times.
    void repeat(std::size_t begin, std::uint64_t least, std::uint64_t most) {
        const std::size_t size = states.size() - begin;
        if (size == 0) return;  // nothing, however often
        const auto from = states.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::vector<pattern_state> once(from, states.end());
        states.erase(from, states.end());
        const auto step = static_cast<std::ptrdiff_t>(size + 1);
        const std::uint64_t optional = most == unbounded ? 0 : most - least;
        need_room(static_cast<std::size_t>(least * size + optional * (size + 1)));
        for (std::uint64_t i = 0; i != least; ++i)
            states.insert(states.end(), once.begin(), once.end());
        if (most == unbounded && least != 0) return append(kind::fork, 1 - step);
        if (most == unbounded) {
            append(kind::fork, step + 1);
            need_room(size);
            states.insert(states.end(), once.begin(), once.end());
            return append(kind::jump, -step);
        }
        // Each leads past the last: one that led to the next would be one more for each character.
        for (auto left = static_cast<std::ptrdiff_t>(optional); left != 0; --left) {
            append(kind::fork, left * step);
            states.insert(states.end(), once.begin(), once.end());
        }
    }

    /// [9] and [10].
    void read_atom(unsigned depth) {
        const std::size_t begin = at_;
        const char32_t c = text_[at_++];
        switch (c) {
        case '(': return read_group(depth, begin);
        case '[': return append_class(read_class(depth));
        case '\\': return read_escape();
        case '.': {
            char_set line_ends;  // [37a]
            line_ends.add('\n');
            line_ends.add('\r');
            return append_class(char_set::all_but(std::move(line_ends)));
        }
        case '?':
        case '*':
        case '+':
        case '{':
            refuse(begin, "there is nothing before this to repeat; as a character it needs a \\");
        case '}':
        case ']': refuse(begin, "this closes nothing; as a character it needs a \\");
        default: append(kind::character, static_cast<std::ptrdiff_t>(c));
        }
    }

    void read_group(unsigned depth, std::size_t open) {
        if (depth == most_depth) refuse(open, "it is nested too deeply");
        read_expression(depth + 1);
        if (!take(')')) refuse(open, "this ( is not closed");
    }

    /// [23] outside of a class; the backslash is read.
    void read_escape() {
        if (const std::optional<char32_t> single = single_escape(peek())) {
            ++at_;
            append(kind::character, static_cast<std::ptrdiff_t>(*single));
        } else {
            append_class(read_class_escape());
        }
    }

    /// [24]: what a character stands for behind a backslash.
    static std::optional<char32_t> single_escape(char32_t c) noexcept {
        switch (c) {
        case 'n': return U'\n';
        case 'r': return U'\r';
        case 't': return U'\t';
        case 0: return std::nullopt;
        default:
            constexpr std::u32string_view themselves = U"\\|.?*+(){}-[]^";
            if (themselves.find(c) == themselves.npos) return std::nullopt;
            return c;
        }
    }

    /// [25], [26] and [37]; the backslash is read.
    char_set read_class_escape() {
        const std::size_t begin = at_ - 1;
        if (at_end()) refuse(begin, "nothing follows this \\");
        const char32_t c = text_[at_++];
        switch (c) {
        case 's':
        case 'S': return either(c == 's', white_space());
        case 'i':
        case 'I': return either(c == 'i', name_characters(false));
        case 'c':
        case 'C': return either(c == 'c', name_characters(true));
        case 'd':
        case 'D': return either(c == 'd', characters_of(categories_named("Nd")));
        case 'w':
        case 'W':
            return either(
                c == 'W',
                characters_of(
                    categories_named("P") | categories_named("Z") | categories_named("C")));
        case 'p':
        case 'P': return either(c == 'p', read_property());
        default: refuse(begin, "XML Schema has no such escape");
        }
    }
    static char_set either(bool is_positive, char_set set) {
        return is_positive ? std::move(set) : char_set::all_but(std::move(set));
    }
    static char_set white_space() {
        char_set set;
        set.add('\t', '\n');
        set.add('\r');
        set.add(' ');
        return set;
    }

    /// [27], between its braces.
    char_set read_property() {
        const std::size_t begin = at_;
        std::string name;
        if (!take('{')) refuse(begin, "\\p and \\P need a category or a block in braces");
        for (; !at_end() && peek() != '}'; ++at_)
            append_utf8(name, peek());
        if (!take('}')) refuse(begin, "this { is not closed");
        if (const std::uint32_t bits = categories_named(name); bits != 0)
            return characters_of(bits);
        std::optional<char_set> block;
        if (name.starts_with("Is")) block = block_named(std::string_view(name).substr(2));
        if (!block) refuse(begin, "Unicode 15 has no category or block " + detail::quoted(name));
        return *std::move(block);
    }

    /// [12], [13], [15] and [16]; the bracket is read.
    char_set read_class(unsigned depth) {
        const std::size_t open = at_ - 1;
        if (depth == most_depth) refuse(open, "it is nested too deeply");
        const bool is_positive = !take('^');
        char_set set = either(is_positive, read_ranges(open));
        if (peek() == '-') {  // and a bracket
            at_ += 2;
            char_set rest = char_set::all_but(std::move(set));
            rest.add(read_class(depth + 1));
            set = char_set::all_but(std::move(rest));
            if (!at_end() && peek() != ']') refuse(at_, "what is subtracted ends a class");
        }
        if (!take(']')) refuse(open, "this [ is not closed");
        return set;
    }

    /// [14]: up to the end of the class, or to a subtraction.
    char_set read_ranges(std::size_t open) {
        char_set set;
        const std::size_t begin = at_;
        while (peek() != ']' && !(peek() == '-' && peek(1) == '[')) {
            if (at_end()) refuse(open, "this [ is not closed");
            read_range(set, at_ == begin);
        }
        if (at_ == begin) refuse(open, "a class has at least one character");
        return set;
    }

    /// Whether the `-` here is a character by itself, because it ends what read_ranges reads.
    bool is_last_dash() const noexcept {
        return peek(1) == ']' || peek(1) == 0 || (peek(1) == '-' && peek(2) == '[');
    }

    /// [17] to [22], and an escape.
    void read_range(char_set& set, bool is_first) {
        const bool is_dash = peek() == '-';
        if (is_dash && !is_first && !is_last_dash())
            refuse(at_, "inside of a class, a - needs a \\");
        const std::size_t begin = at_;
        char32_t first = text_[at_++];
        if (is_dash) return set.add(first);
        if (first == '[') refuse(begin, "in a class, a [ needs a \\");
        if (first == '\\') {
            const std::optional<char32_t> single = single_escape(peek());
            if (!single) return set.add(read_class_escape());
            ++at_;
            first = *single;
        }
        if (peek() != '-' || peek(1) == '[' || is_last_dash()) return set.add(first);
        ++at_;
        const char32_t last = read_range_end();
        if (last < first) refuse(begin, "the ends of this range are the wrong way round");
        set.add(first, last);
    }

    char32_t read_range_end() {
        const char32_t last = text_[at_++];
        if (last == '-') refuse(at_ - 1, "at the end of a range, a - needs a \\");
        if (last != '\\') return last;
        const std::optional<char32_t> single = single_escape(peek());
        if (!single) refuse(at_ - 1, "a range ends in one character");
        ++at_;
        return *single;
    }

    std::string_view expression_;
    std::u32string text_;
    std::size_t at_ = 0;
    std::size_t ranges_ = 0;
};

// -- Matching ----------------------------------------------------------------------------------

/// The numbers of states, each once, in the order in which they came. Membership is told by a place
/// that is right (P. Briggs, L. Torczon, 1993), so that clearing takes no time.
class state_set {
public:
    /// Both as long as there are states; of any content.
    state_set(std::uint16_t* members, std::uint16_t* places) noexcept
        : members_(members), places_(places) {}
    bool contains(std::size_t state) const noexcept {
        const std::size_t place = places_[state];
        return place < size_ && members_[place] == state;
    }
    void add(std::size_t state) noexcept {
        if (contains(state)) return;
        places_[state] = static_cast<std::uint16_t>(size_);
        members_[size_++] = static_cast<std::uint16_t>(state);
    }
    void clear() noexcept { size_ = 0; }
    std::size_t size() const noexcept { return size_; }
    std::size_t operator[](std::size_t place) const noexcept { return members_[place]; }
    std::vector<std::size_t> sorted() const {
        std::vector<std::size_t> all(members_, members_ + size_);
        std::sort(all.begin(), all.end());
        return all;
    }

private:
    std::uint16_t* members_;
    std::uint16_t* places_;
    std::size_t size_ = 0;
};

/// A pattern that any number of threads may ask.
class pattern {
public:
    /// Throws std::invalid_argument: one sentence that says what is wrong, and at which character.
    explicit pattern(std::string_view expression) : pattern(pattern_compiler(expression)) {}

    /// Whether the whole of a text is what the pattern says; no text is that is not UTF-8.
    bool matches(std::string_view utf8) const {
        const std::optional<bool> known = match_ascii(utf8);
        return known ? *known : match_any(utf8);
    }

private:
    using kind = pattern_state::kind;
    static constexpr std::size_t few_states = 128;  // a kilobyte on the stack
    static constexpr char32_t no_character = 0xFFFFFFFF;
    static constexpr std::size_t most_rows = 255;

    explicit pattern(pattern_compiler&& made)
        : states_(std::move(made.states)), classes_(std::move(made.classes)) {
        if (states_.size() <= few_states) make_table();
    }

    // With sets of states each character costs some nanoseconds for each state that it may lead
    // to. A short pattern has few such sets, so each is a row of a table for ASCII. Rejected: rows
    // for all characters, of which \p{L} tells thousands apart; and rows that are made when a text
    // needs them, which threads would have to agree on.

    /// nullopt when the table cannot tell.
    std::optional<bool> match_ascii(std::string_view text) const noexcept {
        if (ends_.empty()) return std::nullopt;
        const std::uint8_t* const rows = rows_.data();
        const std::size_t groups = groups_;
        std::size_t row = 1;
        for (const char each : text) {
            const auto c = static_cast<unsigned char>(each);
            if (c >= group_of_.size()) return std::nullopt;
            row = rows[row * groups + group_of_[c]];
            if (row == 0) return false;
        }
        return ends_[row] != 0;
    }

    /// Numbers the characters of ASCII, those alike that no state tells apart.
    void make_groups() {
        std::map<std::vector<bool>, std::uint8_t> known;
        for (std::size_t c = 0; c != group_of_.size(); ++c) {
            std::vector<bool> taken;
            for (const pattern_state& each : states_)
                if (each.what == kind::character)
                    taken.push_back(static_cast<std::size_t>(each.value) == c);
            for (const character_class& each : classes_)
                taken.push_back(each.contains(static_cast<char32_t>(c)));
            const auto number = static_cast<std::uint8_t>(known.size());
            group_of_[c] = known.try_emplace(std::move(taken), number).first->second;
        }
        groups_ = known.size();
    }

    /// Makes none when there would be more rows than a byte numbers. Row 0 leads nowhere.
    void make_table() {
        make_groups();
        std::array<std::uint16_t, 4 * few_states> memory{};
        state_set now(memory.data(), memory.data() + few_states);
        state_set next(memory.data() + 2 * few_states, memory.data() + 3 * few_states);
        const std::vector<std::size_t> start{0};
        std::map<std::vector<std::size_t>, std::uint8_t> known{{{}, 0}, {start, 1}};
        std::vector<std::vector<std::size_t>> sets{{}, start};
        std::vector<std::uint8_t> ends{0};
        std::vector<std::uint8_t> rows(groups_, 0);
        for (std::size_t row = 1; row != sets.size(); ++row) {
            rows.resize((row + 1) * groups_);
            for (std::size_t group = 0; group != groups_; ++group) {
                now.clear();
                next.clear();
                for (const std::size_t state : sets[row])
                    now.add(state);
                const auto c = std::find(group_of_.begin(), group_of_.end(), group);
                step(now, static_cast<char32_t>(c - group_of_.begin()), next);
                std::vector<std::size_t> led = next.sorted();
                const auto [at, is_new] =
                    known.try_emplace(led, static_cast<std::uint8_t>(sets.size()));
                if (is_new) sets.push_back(std::move(led));
                if (sets.size() > most_rows) return;
                rows[row * groups_ + group] = at->second;
            }
            ends.push_back(now.contains(states_.size() - 1) ? 1 : 0);
        }
        rows_ = std::move(rows);
        ends_ = std::move(ends);
    }

    bool match_any(std::string_view utf8) const {
        std::array<std::uint16_t, 4 * few_states> few{};
        std::vector<std::uint16_t> many;
        if (states_.size() > few_states) many.resize(4 * states_.size());
        std::uint16_t* const memory = many.empty() ? few.data() : many.data();
        state_set now(memory, memory + states_.size());
        state_set next(memory + 2 * states_.size(), memory + 3 * states_.size());
        now.add(0);
        while (!utf8.empty() && now.size() != 0) {
            const decoded_char c = decode_utf8(utf8);
            if (c.length == 0) return false;
            utf8.remove_prefix(c.length);
            step(now, c.value, next);
            std::swap(now, next);
            next.clear();
        }
        step(now, no_character, next);
        return now.contains(states_.size() - 1);
    }

    /// Where `c` leads to from `now`, to which are added, on the way, the states that no character
    /// lies before.
    void step(state_set& now, char32_t c, state_set& next) const noexcept {
        for (std::size_t place = 0; place != now.size(); ++place) {
            const std::size_t at = now[place];
            const pattern_state& state = states_[at];
            const auto value = static_cast<std::uint32_t>(state.value);
            switch (state.what) {
            case kind::fork: now.add(at + 1); [[fallthrough]];
            case kind::jump: now.add(at + static_cast<std::size_t>(state.value)); break;
            case kind::character:
                if (c == value) next.add(at + 1);
                break;
            case kind::one_of:
                if (classes_[value].contains(c)) next.add(at + 1);
                break;
            case kind::end: break;
            }
        }
    }

    std::vector<pattern_state> states_;
    std::vector<character_class> classes_;
    std::array<std::uint8_t, 128> group_of_{};
    std::size_t groups_ = 0;
    std::vector<std::uint8_t> rows_;  ///< for each row and group, the next row
    std::vector<std::uint8_t>
        ends_;  ///< whether the text may end in a row; empty: there is no table
};

}  // namespace soapsvc::detail

// ================================================================================================
// [reading] Well-formedness, namespaces and limits in one pass, and a view of the tree
// ================================================================================================
// One iterative pass decides everything that XML 1.0 (5th edition) and Namespaces in XML 1.0 (3rd
// edition) call well-formed, checks the encoding and every bound of `limits`, and builds RapidXML's
// nodes in RapidXML's memory pool as it goes. RapidXML's own parser is not used: it accepts most of
// what is not well-formed and recurses once a level, so a second pass would follow this one anyway.
// Document type declarations and processing instructions are refused, as a SOAP
// message must not hold them (SOAP 1.2 part 1, 5; SOAP 1.1, 3).
//
// Nothing is copied or changed. Names and values are views into the caller's bytes,
// and only what differs from its spelling (references, line ends, split text) is decoded into the
// pool. So the bytes must outlive the nodes.

namespace soapsvc::detail {

inline constexpr std::string_view xml_ns = "http://www.w3.org/XML/1998/namespace";
inline constexpr std::string_view xml_schema = "http://www.w3.org/2001/xml.xsd";
inline constexpr std::string_view xmlns_ns = "http://www.w3.org/2000/xmlns/";

/// Why a message could not be read. what() is one sentence that begins with the line and column.
struct xml_error : std::runtime_error {
    enum class reason : std::uint8_t { malformed, over_limit, too_large, unsupported_encoding };
    xml_error(reason category, const std::string& sentence)
        : std::runtime_error(sentence), why(category) {}
    reason why;
};

struct declaration_record;

/// An attribute in the pool. The name is the local part; the prefix lies right before its colon.
struct attribute_record : rapidxml::xml_attribute<char> {
    attribute_record(const char* qname, std::size_t prefix, std::size_t size) noexcept
        : prefix_size(static_cast<std::uint32_t>(prefix)) {
        const std::size_t skipped = prefix == 0 ? 0 : prefix + 1;
        name(qname + skipped, size - skipped);
        value("", 0);
    }
    std::string_view local_name() const noexcept { return {m_name, m_name_size}; }
    std::string_view content() const noexcept { return {m_value, m_value_size}; }
    std::string_view prefix() const noexcept {
        return {prefix_size == 0 ? m_name : m_name - prefix_size - 1, prefix_size};
    }
    const declaration_record* ns = nullptr;  // its content is the namespace name
    std::uint32_t prefix_size;
};

/// Namespace names are long and mostly the very same characters: the pointers are asked first.
inline bool same_text(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && (a.data() == b.data() || a == b);
}

/// The same for names: those of up to 16 bytes as words that overlap, without a call. g++ finds it
/// too long to be inline by itself, though of a comparison with a literal little is left.
[[gnu::always_inline]] inline bool same_name(std::string_view a, std::string_view b) noexcept {
    const std::size_t size = a.size();
    if (size != b.size()) return false;
    if (size > 16 || size == 0) return a == b;
    if (size < 4) return a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1];
    const auto equal = [&]<class Word>(Word, std::size_t at) {
        Word left, right;
        std::memcpy(&left, a.data() + at, sizeof left);
        std::memcpy(&right, b.data() + at, sizeof right);
        return left == right;
    };
    if (size < 8) return equal(std::uint32_t{}, 0) && equal(std::uint32_t{}, size - 4);
    return equal(std::uint64_t{}, 0) && equal(std::uint64_t{}, size - 8);
}

/// A namespace declaration. Those in scope form a list, newest first, and so does each bucket of
/// the hash table that finds them. An element keeps the head of the list that it was read with;
/// nothing is changed behind a head, so the lists of all elements share their tails.
struct declaration_record : attribute_record {
    using attribute_record::attribute_record;
    std::string_view declared() const noexcept {  // "" for the default namespace
        return prefix_size == 0 ? std::string_view{} : local_name();
    }
    /// The innermost declaration of a prefix among this one and those behind it in its bucket.
    static const declaration_record* find(
        const declaration_record* at, std::string_view wanted, std::uint64_t hash) noexcept {
        while (at != nullptr && (at->prefix_hash != hash || !same_name(at->declared(), wanted)))
            at = at->same_bucket;
        return at;
    }
    const declaration_record* outer = nullptr;  // the next one in scope
    const declaration_record* same_bucket = nullptr;  // the next one with a similar prefix
    const declaration_record* same_ns = nullptr;  // the next one with a similar namespace
    std::uint64_t prefix_hash = 0;
    std::uint64_t ns_hash = 0;
    const struct xml_arena* arena = nullptr;  // whose hash function was used
};

/// An element in the pool: 128 bytes. Its value is the text, when it has no child elements.
struct element_record : rapidxml::xml_node<char> {
    element_record(
        const char* qname,
        std::size_t prefix,
        std::size_t size,
        const declaration_record* in_scope) noexcept
        : xml_node(rapidxml::node_element),
          ns(in_scope),
          scope(in_scope),
          prefix_size(static_cast<std::uint32_t>(prefix)) {
        const std::size_t skipped = prefix == 0 ? 0 : prefix + 1;
        name(qname + skipped, size - skipped);
        value("", 0);
    }
    std::string_view local_name() const noexcept { return {m_name, m_name_size}; }
    std::string_view content() const noexcept { return {m_value, m_value_size}; }
    std::string_view qualified() const noexcept {
        const std::size_t skipped = prefix_size == 0 ? 0 : prefix_size + std::size_t{1};
        return {m_name - skipped, m_name_size + skipped};
    }
    const declaration_record* ns;  // its content is the namespace name
    const declaration_record* scope;  // the innermost declaration in scope
    std::size_t source_size = 0;
    std::uint32_t prefix_size;
    bool declares = false;  // has namespace declarations of its own
    bool stray_text = false;  // has both child elements and text that is not white space
};
static_assert(sizeof(void*) != 8 || sizeof(element_record) == 128);

/// One attribute: a light handle, valid as long as its document.
class attribute {
public:
    explicit attribute(const attribute_record* at) noexcept : at_(at) {}
    std::string_view ns() const noexcept;  ///< empty for none, as for all without a prefix
    std::string_view local() const noexcept { return at_->local_name(); }
    std::string_view prefix() const noexcept { return at_->prefix(); }
    /// The value, normalized as for the type CDATA (XML 1.0, 3.3.3).
    std::string_view value() const noexcept { return at_->content(); }
    [[gnu::always_inline]] bool is(  // so that its literals are seen by same_name
        std::string_view name_space,
        std::string_view name) const noexcept {
        return same_name(local(), name) && same_text(ns(), name_space);
    }

private:
    friend class attribute_iterator;
    const attribute_record* at_;
};

inline std::string_view attribute::ns() const noexcept { return at_->ns->content(); }

class attribute_iterator {
public:
    explicit attribute_iterator(const attribute_record* at) noexcept : at_(at) {}
    attribute operator*() const noexcept { return attribute(at_); }
    attribute_iterator& operator++() noexcept {
        at_ = static_cast<const attribute_record*>(at_->next_attribute());
        return *this;
    }
    friend bool operator==(const attribute_iterator&, const attribute_iterator&) = default;

private:
    const attribute_record* at_;
};

struct attribute_range {
    const attribute_record* first;
    attribute_iterator begin() const noexcept { return attribute_iterator(first); }
    attribute_iterator end() const noexcept { return attribute_iterator(nullptr); }
};

/// One element: a light handle, valid as long as its document. A null handle may only be tested.
class node {
public:
    node() = default;
    explicit node(const element_record* at) noexcept : at_(at) {}
    explicit operator bool() const noexcept { return at_ != nullptr; }
    friend bool operator==(const node&, const node&) = default;

    /// The namespace name, empty for none. Declarations of one name that are in scope together
    /// give views of the same characters, so a caller may compare pointers first.
    std::string_view ns() const noexcept { return at_->ns->content(); }
    std::string_view local() const noexcept { return at_->local_name(); }
    std::string_view prefix() const noexcept {
        return at_->qualified().substr(0, at_->prefix_size);
    }
    bool is(std::string_view name_space, std::string_view name) const noexcept {
        return same_name(local(), name) && same_text(ns(), name_space);
    }

    /// The character data, contiguous: references expanded, CDATA included, comments skipped, line
    /// ends normalized (XML 1.0, 2.11). Empty when there are child elements.
    std::string_view text() const noexcept { return at_->content(); }
    bool has_children() const noexcept { return at_->first_node() != nullptr; }
    /// Whether there is text other than white space beside child elements.
    bool has_stray_text() const noexcept { return at_->stray_text; }
    /// Whether there is text other than white space, beside child elements or alone.
    bool has_text() const noexcept {
        return has_children() ? has_stray_text() : !collapse_ends(text()).empty();
    }

    node parent() const noexcept {  ///< null for the root
        const rapidxml::xml_node<char>* up = at_->parent();
        return up->type() == rapidxml::node_element ? of(up) : node();
    }
    node first_child() const noexcept { return of(at_->first_node()); }  ///< elements only
    node next_sibling() const noexcept { return of(at_->next_sibling()); }  ///< elements only

    /// The attributes as written, with the namespace declarations (in the namespace `xmlns_ns`).
    attribute_range attributes() const noexcept {
        return {static_cast<const attribute_record*>(at_->first_attribute())};
    }
    std::optional<std::string_view> attribute(
        std::string_view name_space, std::string_view name) const noexcept {
        for (const detail::attribute each : attributes())
            if (each.is(name_space, name)) return each.value();
        return std::nullopt;
    }
    /// The namespace name that `prefix` ("": the default) has here, "" for none; nullopt when the
    /// prefix is not declared. For names in values, such as xsi:type's.
    std::optional<std::string_view> namespace_of(std::string_view prefix) const noexcept;

    /// Calls `see` for each declaration in scope, inner ones first, with prefix and namespace.
    template <class See>
    void each_namespace(See see) const {
        for (const declaration_record* at = at_->scope; at != nullptr; at = at->outer)
            see(at->declared(), at->content());
    }

    /// The element as it was written, in UTF-8.
    std::string_view source() const noexcept {
        return {at_->qualified().data() - 1, at_->source_size};
    }

private:
    static node of(const rapidxml::xml_node<char>* at) noexcept {
        return node(static_cast<const element_record*>(at));
    }
    const element_record* at_ = nullptr;
};

struct xml_arena;

/// Reads messages, one after the other, each into the memory of the one before. One per thread.
class xml_document {
public:
    xml_document();
    ~xml_document();
    xml_document(const xml_document&) = delete;
    xml_document& operator=(const xml_document&) = delete;

    /// Reads `bytes`, which must outlive the nodes, and returns the root element. `charset` is the
    /// media type's parameter, "" when absent. Ends the nodes of the message before.
    /// Throws xml_error.
    node parse(std::string_view bytes, std::string_view charset, const limits& bounds);

    /// Ends the nodes and gives back what a large message took. parse() does this as well; a
    /// server calls it after each reply, so that an idle thread holds no memory of a message.
    void clear() noexcept;

private:
    xml_arena* const arena_;
};

// ---- memory ------------------------------------------------------------------------------------

/// The pool's blocks that this thread may use again. RapidXML's allocator hooks are plain functions
/// without a context, so the store is per thread. It has no destructor (one might run before that
/// of a document that is thread_local too); the arena's empties it.
struct spare_blocks {
    struct block {
        block* next;
        std::size_t size;
    };
    static constexpr std::size_t usual_size = RAPIDXML_DYNAMIC_POOL_SIZE + 128;
    static constexpr std::size_t always_kept = 1024 * 1024;
    static constexpr std::size_t kept_while_busy = 16 * 1024 * 1024;

    block* first = nullptr;
    std::size_t bytes = 0;  // in the list
    std::size_t taken = 0;  // by the message being read
    std::size_t kept = always_kept;
    bool last_was_large = false;

    void release_above(std::size_t bound) noexcept {
        while (bytes > bound) {
            block* const gone = std::exchange(first, first->next);
            bytes -= gone->size;
            ::operator delete(gone);
        }
    }
    /// Between two messages. One large message leaves nothing behind; a row of them, as in a bulk
    /// upload, would spend a third of its time in page faults if each began with fresh memory.
    void begin_message() noexcept {
        const bool large = std::exchange(taken, 0) > always_kept;
        kept = large && last_was_large ? kept_while_busy : always_kept;
        last_was_large = large;
    }
};
inline constinit thread_local spare_blocks spare;

inline void* take_block(std::size_t size) {
    size = std::max(size + sizeof(spare_blocks::block), spare_blocks::usual_size);
    spare.taken += size;
    if (size == spare_blocks::usual_size && spare.first != nullptr) {
        spare.bytes -= size;
        return std::exchange(spare.first, spare.first->next) + 1;
    }
    return ::new (::operator new(size)) spare_blocks::block{nullptr, size} + 1;
}

inline void give_block(void* memory) {
    auto* const block = static_cast<spare_blocks::block*>(memory) - 1;
    if (block->size != spare_blocks::usual_size || spare.bytes + block->size > spare.kept) {
        ::operator delete(block);
        return;
    }
    block->next = std::exchange(spare.first, block);
    spare.bytes += block->size;
}

/// What a document keeps between messages. RapidXML's pool has 64 KB inside, so this is never on
/// the stack; most messages need no more than that.
struct xml_arena : rapidxml::xml_document<char> {
    using bucket_list = std::vector<const declaration_record*>;

    xml_arena() { set_allocator(take_block, give_block); }
    xml_arena(const xml_arena&) = delete;
    xml_arena& operator=(const xml_arena&) = delete;
    ~xml_arena() {
        memory_pool::clear();
        spare.release_above(0);
    }
    void reset() noexcept {
        if (!std::exchange(in_use, false)) return;
        spare.begin_message();
        clear();
        spare.release_above(spare.kept);
        for (std::string* each : {&text, &converted})
            if (each->capacity() > spare_blocks::always_kept) std::string().swap(*each);
        if (seen.capacity() * sizeof(seen[0]) > spare_blocks::always_kept)
            decltype(seen)().swap(seen);
    }

    /// Puts an object into the pool. The one function of the pool that gives raw memory is
    /// allocate_string; in 1.13 it aligns as it does for nodes. Nothing in the pool is destroyed.
    template <class Record, class... Arguments>
    Record* make(Arguments... arguments) {
        static_assert(alignof(Record) <= RAPIDXML_ALIGNMENT);
        static_assert(std::is_trivially_destructible_v<Record>);
        return ::new (allocate_string(nullptr, sizeof(Record))) Record(arguments...);
    }
    std::string_view keep(std::string_view content) {
        if (content.empty()) return "";
        char* const copy = allocate_string(nullptr, content.size());
        std::memcpy(copy, content.data(), content.size());
        return {copy, content.size()};
    }

    /// Seeded, so that nobody outside can choose prefixes that all fall into one bucket.
    std::uint64_t hash(std::string_view key) const noexcept {
        const auto mixed = [](std::uint64_t h) {
            h *= 0x9e3779b97f4a7c15;
            return h ^ h >> 32;
        };
        std::uint64_t h = seed ^ key.size();
        for (; key.size() >= sizeof h; key.remove_prefix(sizeof h)) {
            std::uint64_t word;
            std::memcpy(&word, key.data(), sizeof word);
            h = mixed(h ^ word);
        }
        std::uint64_t rest = 0;
        for (const char c : key)
            rest = rest << 8 | static_cast<unsigned char>(c);
        return mixed(h ^ rest);
    }
    std::size_t bucket(std::uint64_t hash) const noexcept { return hash >> (64 - bucket_bits); }

    /// Empties the hash tables. 64 buckets for the usual limit, at most 64 times as many for a
    /// larger one: each message pays for them, used or not.
    void begin_scopes(std::size_t most_declarations) {
        bucket_bits =
            std::clamp(static_cast<unsigned>(std::bit_width(most_declarations / 32)), 6U, 12U);
        for (bucket_list* each : {&by_prefix, &by_ns})
            each->assign(std::size_t{1} << bucket_bits, nullptr);
    }

    std::uint64_t seed = std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
    bool in_use = false;  // holds, or has begun to hold, a message
    std::string text;  // decoded text that is not yet complete
    std::string converted;  // the message in UTF-8, when it came in another encoding
    std::vector<const attribute_record*> seen;  // hash table for duplicate attributes
    unsigned bucket_bits = 6;
    bucket_list by_prefix;
    bucket_list by_ns;
};

inline std::optional<std::string_view> node::namespace_of(std::string_view prefix) const noexcept {
    const declaration_record* at = at_->scope;
    const std::uint64_t hash = at->arena->hash(prefix);
    const xml_arena& arena = *at->arena;
    while (at != nullptr && arena.bucket(at->prefix_hash) != arena.bucket(hash))
        at = at->outer;
    at = declaration_record::find(at, prefix, hash);
    return at == nullptr ? std::nullopt : std::optional(at->content());
}

// ---- scanning ----------------------------------------------------------------------------------

enum char_class : std::uint8_t {
    name_start_class = 1,  // ASCII, without the colon
    name_class = 2,  // ASCII, without the colon
    space_class = 4,
    text_stop_class = 8,  // ends a run of plain text; ']' may, if it begins "]]>"
    value_stop_class = 16,  // ends a run of plain attribute value, as its quote does
    changed_class = 32,  // '&' and white space but the blank: what decoding may change
    high_class = 64  // a byte of a character beyond ASCII
};

inline constexpr auto char_classes = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned c = 0; c < 256; ++c) {
        const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        const bool digit = c >= '0' && c <= '9';
        const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        const bool markup = c == '<' || c == '&';
        unsigned classes = letter || c == '_' ? name_start_class | name_class : 0U;
        if (digit || c == '-' || c == '.') classes |= name_class;
        if (space) classes |= space_class;
        if (markup || c == ']' || (c < 0x20 && c != '\t' && c != '\n')) classes |= text_stop_class;
        if (markup || c < 0x20) classes |= value_stop_class;
        if (c == '&' || (space && c != ' ')) classes |= changed_class;
        if (c >= 0x80) classes |= high_class;
        table[c] = static_cast<std::uint8_t>(classes);
    }
    return table;
}();

constexpr bool has_class(char c, unsigned classes) noexcept {
    return (char_classes[static_cast<unsigned char>(c)] & classes) != 0;
}

/// Behind the first of some white space: most often there is no more than a blank.
inline const char* skip_more_space(const char* at, const char* end) noexcept {
    if (at == end || !has_class(*at, space_class)) return at;
    for (; end - at >= byte_block::size; at += byte_block::size) {  // indentation
        const byte_block block = byte_block::load(at);
        const unsigned found =
            (block.equal(' ') | block.equal('\t') | block.equal('\n') | block.equal('\r')).mask();
        if (found != 0xFFFF) return at + std::countr_one(found);
    }
    while (at != end && has_class(*at, space_class))
        ++at;
    return at;
}

inline const char* skip_space(const char* at, const char* end) noexcept {
    return at == end || !has_class(*at, space_class) ? at : skip_more_space(at + 1, end);
}

inline bool is_space(std::string_view text) noexcept {
    return skip_space(text.data(), text.data() + text.size()) == text.data() + text.size();
}

/// Which of sixteen bytes end a run: most of the reader's time is spent here. `third` is as in
/// scan.
template <bool InValue>
inline unsigned ends_of_run(byte_block block, char third) noexcept {
    byte_block control = block.at_most(0x1F);
    if (!InValue) control = control.without(block.equal('\t') | block.equal('\n'));
    return (block.equal('<') | block.equal('&') | block.equal(third) | control).mask();
}

/// The first byte that is not an ASCII character of a name without a colon.
inline const char* skip_name(const char* at, const char* end) noexcept {
    for (; end - at >= byte_block::size; at += byte_block::size) {
        const byte_block block = byte_block::load(at);
        const byte_block letters = block.in_lower_case().minus('a').at_most('z' - 'a');
        const byte_block others =  // '-' to '9' is - . / and the digits
            block.minus('-').at_most('9' - '-').without(block.equal('/')) | block.equal('_');
        const unsigned in_name = (letters | others).mask();
        if (in_name != 0xFFFF) return at + std::countr_one(in_name);
    }
    while (at != end && has_class(*at, name_class))
        ++at;
    return at;
}

/// Whether `size` bytes at both places are equal; all of them lie before `end`, `early` first.
inline bool same_bytes(
    const char* early, const char* late, std::size_t size, const char* end) noexcept {
    if (size > 16 || end - late < byte_block::size) return std::memcmp(early, late, size) == 0;
    const unsigned equal = byte_block::load(early).equal(byte_block::load(late)).mask();
    return ((equal | 0xFFFFU << size) & 0xFFFFU) == 0xFFFFU;
}

/// The first byte from `at` on that ends a run of plain text (InValue: of an attribute value), or
/// `end`. `third` is ']' or the value's quote. Sets `high` when a byte beyond ASCII was passed.
template <bool InValue>
const char* scan(const char* at, const char* end, char third, bool& high) noexcept {
    for (; end - at >= byte_block::size; at += byte_block::size) {
        const byte_block block = byte_block::load(at);
        const unsigned beyond_ascii = block.mask();
        if (const unsigned found = ends_of_run<InValue>(block, third); found != 0) {
            const int plain = std::countr_zero(found);
            high |= (beyond_ascii & ((1U << plain) - 1)) != 0;
            return at + plain;
        }
        high |= beyond_ascii != 0;
    }
    constexpr unsigned stops = InValue ? value_stop_class : text_stop_class;
    for (; at != end && *at != third && !has_class(*at, stops); ++at)
        high |= has_class(*at, high_class);
    return at;
}

// ---- the reader --------------------------------------------------------------------------------

/// One pass over a message in UTF-8. Functions take the place where something begins and return
/// the place behind it, so that the cursor stays in a register.
class xml_reader {
public:
    xml_reader(xml_arena& arena, const limits& bounds, std::string_view text) noexcept
        : arena_(arena), limits_(bounds), begin_(text.data()), end_(begin_ + text.size()) {}

    /// Reads the XML declaration, if there is one. Returns the encoding that it names, "" if none.
    std::string_view read_declaration() {
        const bool present = starts(begin_, "<?xml") && end_ - begin_ > 5 &&
                             !has_class(begin_[5], name_class | high_class) && begin_[5] != ':';
        if (!present) return {};
        const char* at = begin_ + 5;
        const std::string_view version = read_pseudo_attribute(at, "version");
        if (version.data() == nullptr) fail(at, "the XML declaration must begin with a version");
        if (version.size() < 3 || !version.starts_with("1.") || !are_digits(version.substr(2)))
            fail(version.data(), "the XML version is not 1.0 or another 1.x");
        const std::string_view encoding = read_pseudo_attribute(at, "encoding");
        if (encoding.data() != nullptr) {
            const auto in_name = [](char c) { return has_class(c, name_class); };
            if (encoding.empty() || !has_class(encoding[0], name_start_class) ||
                encoding[0] == '_' || !std::all_of(encoding.begin(), encoding.end(), in_name))
                fail(encoding.data(), "this is not the name of an encoding");
        }
        const std::string_view standalone = read_pseudo_attribute(at, "standalone");
        if (standalone.data() != nullptr && standalone != "yes" && standalone != "no")
            fail(standalone.data(), "standalone must be yes or no");
        at = skip_space(at, end_);
        if (!starts(at, "?>"))
            fail(at, "an XML declaration holds version, encoding and standalone, in this order");
        body_ = at + 2;
        return encoding;
    }

    /// Reads the rest and returns the root element.
    node read() {
        declare_reserved();
        const char* at = read_misc(body_);
        if (at == end_) fail(at, "the message has no root element");
        if (*at != '<') fail(at, "text before the root element");
        at = read_start_tag(at);
        const node root(static_cast<const element_record*>(arena_.first_node()));
        while (depth_ != 0) {
            if (at != end_ && *at != '<') at = skip_indentation(at);
            if (at == end_) fail_unclosed();
            at = *at == '<' ? read_markup(at) : read_text(at);
        }
        at = read_misc(at);
        if (at != end_) fail(at, "content after the root element");
        return root;
    }

    /// "line 3, column 7": where people look. Columns count characters.
    [[gnu::cold]] std::string position(const char* at) const {
        std::size_t line = 1, column = 1;
        for (const char* p = begin_; p != at; ++p) {
            const bool ends_line = *p == '\n' || (*p == '\r' && (p + 1 == end_ || p[1] != '\n'));
            if (ends_line) ++line;
            if (ends_line)
                column = 1;
            else if ((*p & 0xc0) != 0x80)
                ++column;  // a character, not one of its further bytes
        }
        return "line " + std::to_string(line) + ", column " + std::to_string(column);
    }

    /// Sentences quote no markup: what looks like a tag or a reference here may be a piece of a
    /// password that its sender forgot to escape, and faults are logged.
    [[noreturn, gnu::cold]] void fail(
        const char* at,
        std::string_view sentence,
        xml_error::reason why = xml_error::reason::malformed) const {
        throw xml_error(why, (position(at) + ": ").append(sentence));
    }

    [[noreturn, gnu::cold]] void over_limit(
        const char* at, std::size_t bound, std::string_view what) const {
        std::string sentence = "more than " + std::to_string(bound) + " ";
        fail(at, sentence.append(what), xml_error::reason::over_limit);
    }

private:
    struct scanned_name {
        const char* end;
        std::size_t prefix;  // its bytes, without the colon
    };
    enum class part { text, cdata, value };

    bool starts(const char* at, std::string_view with) const noexcept {
        return std::string_view(at, static_cast<std::size_t>(end_ - at)).starts_with(with);
    }
    std::string_view until(const char* from, const char* to) const noexcept {
        return {from, static_cast<std::size_t>(to - from)};
    }

    [[noreturn, gnu::cold]] void fail_character(const char* at) const {
        const decoded_char bad = decode_utf8(until(at, end_));
        if (bad.length == 0) fail(at, "bytes that are not UTF-8");
        std::string digits;
        for (unsigned shift = bad.value > 0xffff ? 24 : 16; shift != 0;) {
            shift -= 4;
            digits += "0123456789ABCDEF"[bad.value >> shift & 0xf];
        }
        fail(at, "the character U+" + digits + " is not allowed in XML");
    }

    [[noreturn, gnu::cold]] void fail_instruction(const char* at) const {
        if (starts(at, "<?xml") && end_ - at > 5 && has_class(at[5], space_class))
            fail(at, "an XML declaration stands at the very beginning of a message or not at all");
        fail(at, "a SOAP message must not contain a processing instruction");
    }

    [[noreturn, gnu::cold]] void fail_unclosed() const {
        const auto* const open = static_cast<const element_record*>(open_);
        fail(
            end_,
            "the message ends before the end tag of the element at " +
                position(open->qualified().data() - 1));
    }

    void check_characters(std::string_view run) const {
        const std::size_t bad = find_bad_char(run);
        if (bad != std::string_view::npos) fail_character(run.data() + bad);
    }

    // ---- the document: XML 1.0, 2.1 and 2.8 ----

    /// Comments and white space outside the root element. Returns where something else begins.
    const char* read_misc(const char* at) {
        for (;;) {
            at = skip_space(at, end_);
            if (starts(at, "<?")) fail_instruction(at);
            if (!starts(at, "<!")) return at;
            if (starts(at, "<![")) fail(at, "a CDATA section outside the root element");
            at = read_markup(at);
        }
    }

    /// Returns the value, and moves `at` behind it; a view of nothing when the name is not next.
    std::string_view read_pseudo_attribute(const char*& at, std::string_view name) const {
        const char* p = skip_space(at, end_);
        if (p == at || !starts(p, name)) return {};
        p = skip_space(p + name.size(), end_);
        if (p == end_ || *p != '=') fail(p, "'=' must follow in the XML declaration");
        p = skip_space(p + 1, end_);
        if (p == end_ || (*p != '"' && *p != '\'')) fail(p, "a value in quotes must follow");
        const char* const close = std::find(p + 1, end_, *p);
        if (close == end_) fail(p, "the value has no closing quote");
        at = close + 1;
        return until(p + 1, close);
    }

    // ---- content: XML 1.0, 2.4 to 2.7 and 3.1 ----

    /// White space before a start tag, or before an end tag when the element has children: it is no
    /// element's text. Returns `at` where it may be.
    const char* skip_indentation(const char* at) const noexcept {
        if (at == end_ || !has_class(*at, space_class) || !text_.empty()) return at;
        const char* const next = skip_space(at, end_);
        if (end_ - next < 2 || *next != '<' || until(at, next).size() > limits_.text_bytes)
            return at;
        const bool ends = next[1] == '/' && open_->first_node() != nullptr;
        return ends || has_class(next[1], name_start_class) ? next : at;
    }

    const char* read_markup(const char* at) {
        const char kind = end_ - at > 1 ? at[1] : '\0';
        if (kind == '/') return read_end_tag(at);
        if (kind != '!' && kind != '?') return read_start_tag(at);
        return read_rare_markup(at);
    }

    /// Markup that is no tag. Apart, as is the end tag: to save registers for them would cost every
    /// start tag.
    [[gnu::noinline]] const char* read_rare_markup(const char* at) {
        if (at[1] == '?') fail_instruction(at);
        if (starts(at, "<!--")) return read_comment(at);
        if (starts(at, "<![CDATA[")) return read_cdata(at);
        if (starts(at, "<!DOCTYPE"))
            fail(at, "a SOAP message must not contain a document type declaration (DTD)");
        fail(at, "'<!' must begin a comment or a CDATA section");
    }

    const char* read_comment(const char* at) {
        const std::string_view rest = until(at + 4, end_);
        const std::size_t size = rest.find("--");
        if (size == rest.npos) fail(at, "the comment has no end");
        check_characters(rest.substr(0, size));
        if (!starts(rest.data() + size, "-->")) fail(rest.data() + size, "'--' inside a comment");
        return rest.data() + size + 3;
    }

    const char* read_cdata(const char* at) {
        const std::string_view rest = until(at + 9, end_);
        const std::size_t size = rest.find("]]>");
        if (size == rest.npos) fail(at, "the CDATA section has no end");
        const std::string_view run = rest.substr(0, size);
        check_characters(run);
        if (run.find('\r') == run.npos) {
            add_text(run);
        } else {
            begin_copy();
            expand(run, part::cdata);
            text_ = arena_.text;
        }
        return rest.data() + size + 3;
    }

    const char* read_text(const char* at) {
        const char* const from = at;
        bool high = false, plain = true;
        for (;; ++at) {
            at = scan<false>(at, end_, ']', high);
            if (at == end_) fail_unclosed();
            if (*at == '<') break;
            if (*at == '&' || *at == '\r')
                plain = false;
            else if (*at != ']')
                fail_character(at);
            else if (starts(at, "]]>"))
                fail(at, "']]>' in text; write ]]&gt;");
        }
        const std::string_view run = until(from, at);
        if (high) check_characters(run);
        if (plain) {
            add_text(run);
        } else {
            begin_copy();
            expand(run, part::text);
            text_ = arena_.text;
        }
        return at;
    }

    /// Most elements have one run of text, which stays where it is. A second one makes a copy.
    void add_text(std::string_view run) {
        if (run.size() > limits_.text_bytes - text_.size()) over_text(run.data());
        if (text_.empty()) {
            text_ = run;
        } else {
            begin_copy();
            arena_.text.append(run);
            text_ = arena_.text;
        }
    }

    void begin_copy() {
        if (text_.data() != arena_.text.data()) arena_.text.assign(text_);
    }

    void copy_text(std::string_view piece, const char* at) {
        if (piece.size() > limits_.text_bytes - arena_.text.size()) over_text(at);
        arena_.text.append(piece);
    }

    [[noreturn, gnu::cold]] void over_text(const char* at) const {
        over_limit(
            at, limits_.text_bytes, "bytes of text in one element or attribute (limit text_bytes)");
    }

    /// Appends to arena_.text: references expanded (4.1), line ends normalized (2.11), and in a
    /// value each white space character a blank (3.3.3); but not one that came from a reference.
    void expand(std::string_view raw, part kind) {
        while (!raw.empty()) {
            std::size_t plain = 0;
            while (plain != raw.size() && !has_class(raw[plain], changed_class))
                ++plain;
            copy_text(raw.substr(0, plain), raw.data());
            raw.remove_prefix(plain);
            if (raw.empty()) return;
            if (raw[0] == '&' && kind != part::cdata) {
                raw.remove_prefix(expand_reference(raw));
                continue;
            }
            const bool pair = raw.starts_with("\r\n");
            const char ends_line = raw[0] == '\r' ? '\n' : raw[0];
            const char written = kind == part::value ? ' ' : ends_line;
            copy_text({&written, 1}, raw.data());
            raw.remove_prefix(pair ? 2 : 1);
        }
    }

    /// Returns the size of the reference. Without a DTD there are five named entities (4.6).
    std::size_t expand_reference(std::string_view raw) {
        if (raw.starts_with("&#")) return expand_number(raw);
        struct entity {
            std::string_view spelling;
            char meant;
        };
        static constexpr entity named[] = {
            {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
        for (const auto& [spelling, meant] : named) {
            if (!raw.starts_with(spelling)) continue;
            copy_text({&meant, 1}, raw.data());
            return spelling.size();
        }
        if (raw.size() < 2 || !has_class(raw[1], name_start_class | high_class))
            fail(raw.data(), "'&' must begin a reference; write &amp;");
        const char* const end = read_ncname(raw.data() + 1);
        if (end == end_ || *end != ';') fail(raw.data(), "the reference has no ';' at its end");
        fail(
            raw.data(),
            "this entity is not defined; allowed are &amp; &lt; &gt; &quot; &apos; and &#...;");
    }

    std::size_t expand_number(std::string_view raw) {
        const bool hex = raw.starts_with("&#x");
        std::size_t at = hex ? 3 : 2;
        const std::size_t first = at;
        std::uint32_t code = 0;  // once too large, it stays so
        for (; at != raw.size(); ++at) {
            const char c = raw[at];
            const char lower = static_cast<char>(c | 0x20);
            const bool letter = hex && lower >= 'a' && lower <= 'f';
            if (!letter && (c < '0' || c > '9')) break;
            const auto digit = static_cast<std::uint32_t>(letter ? lower - 'a' + 10 : c - '0');
            code = std::min<std::uint32_t>(code * (hex ? 16 : 10) + digit, 0x110000);
        }
        if (at == first) fail(raw.data(), "the character reference has no digits");
        if (at == raw.size() || raw[at] != ';')
            fail(raw.data(), "the character reference has no ';' at its end");
        if (!is_xml_char(static_cast<char32_t>(code)))
            fail(raw.data(), "the reference is to a character that is not allowed in XML");
        std::string character;
        append_utf8(character, static_cast<char32_t>(code));
        copy_text(character, raw.data());
        return at + 1;
    }

    // ---- elements: XML 1.0, 3.1 ----

    const char* read_start_tag(const char* at) {
        const scanned_name name = read_name(at + 1);
        if (depth_ == limits_.depth)
            over_limit(at, depth_, "elements inside each other (limit depth)");
        if (elements_ == limits_.elements) over_limit(at, elements_, "elements (limit elements)");
        if (!text_.empty()) {  // of the parent, which now has a child
            if (!is_space(text_)) static_cast<element_record*>(open_)->stray_text = true;
            text_ = {};
        }
        ++depth_;
        ++elements_;
        const std::string_view qname = until(at + 1, name.end);
        auto* const made =
            arena_.make<element_record>(qname.data(), name.prefix, qname.size(), scope_);
        open_->append_node(made);
        open_ = made;
        const char* end = name.end;
        if (end == end_ || *end != '>') end = read_attributes(end, made);
        made->ns = name.prefix == 0 ? default_ : resolve(qname.substr(0, name.prefix));
        if (*end == '>') return read_leaf(end + 1, made, qname);
        if (!starts(end, "/>")) fail(end, "'/' must be followed by '>'");
        return close(end + 2);
    }

    /// Behind a start tag: most elements hold one run of plain text and nothing else. Returns `at`
    /// for all others, whose content is then read piece by piece.
    const char* read_leaf(const char* at, element_record* made, std::string_view name) {
        if (end_ - at > 1 && at[0] == '<' && at[1] != '/') return at;  // a child
        bool high = false;
        const char* const stop = scan<false>(at, end_, ']', high);
        if (end_ - stop < static_cast<std::ptrdiff_t>(name.size()) + 3 || made->declares) return at;
        const char* const tag_end = stop + 2 + name.size();
        if (stop[0] != '<' || stop[1] != '/' || *tag_end != '>' ||
            !same_bytes(name.data(), stop + 2, name.size(), end_))
            return at;
        const std::string_view run = until(at, stop);
        if (run.size() > limits_.text_bytes) over_text(at);
        if (high) check_characters(run);
        if (!run.empty()) made->value(run.data(), run.size());
        made->source_size = until(name.data() - 1, tag_end + 1).size();
        open_ = made->parent();
        --depth_;
        return tag_end + 1;
    }

    [[gnu::noinline]] const char* read_end_tag(const char* at) {
        const std::string_view name = static_cast<const element_record*>(open_)->qualified();
        const char* end = at + 2;
        if (static_cast<std::size_t>(end_ - end) < name.size() ||
            !same_bytes(name.data(), end, name.size(), end_))
            fail_end_tag(at);
        end += name.size();
        if (end == end_ || *end != '>') {
            end = skip_space(end, end_);
            if (end == end_ || *end != '>') fail_end_tag(at);
        }
        return close(end + 1);
    }

    [[noreturn, gnu::cold]] void fail_end_tag(const char* at) const {
        const auto* const open = static_cast<const element_record*>(open_);
        const char* const end = read_name(at + 2).end;
        if (until(at + 2, end) == open->qualified())
            fail(skip_space(end, end_), "an end tag holds a name and ends with '>'");
        fail(
            at,
            "the end tag does not match the start tag at " +
                position(open->qualified().data() - 1));
    }

    /// Ends the innermost open element, whose source ends at `end`.
    const char* close(const char* end) {
        auto* const closed = static_cast<element_record*>(open_);
        closed->source_size = until(closed->qualified().data() - 1, end).size();
        if (!text_.empty()) {
            if (closed->first_node() != nullptr) {
                closed->stray_text |= !is_space(text_);
            } else {
                if (text_.data() == arena_.text.data()) text_ = arena_.keep(text_);
                closed->value(text_.data(), text_.size());
            }
            text_ = {};
        }
        open_ = closed->parent();
        --depth_;
        if (closed->declares)
            end_scope(depth_ == 0 ? xmlns_ : static_cast<const element_record*>(open_)->scope);
        return end;
    }

    // ---- names: XML 1.0, 2.3; Namespaces, 4 ----

    [[gnu::always_inline]] scanned_name read_name(const char* at) const {
        scanned_name name{read_ncname(at), 0};
        if (name.end != end_ && *name.end == ':') {
            name.prefix = until(at, name.end).size();
            name.end = read_ncname(name.end + 1);
            if (name.end != end_ && *name.end == ':') fail(name.end, "a second ':' in a name");
        }
        // The records have 32 bits for the prefix, whatever the limit says.
        const std::size_t bound = std::min<std::size_t>(limits_.name_bytes, 0xffff'ffff);
        if (until(at, name.end).size() > bound)
            over_limit(at, bound, "bytes in one name (limit name_bytes)");
        return name;
    }

    const char* read_ncname(const char* at) const {
        if (at == end_) fail(at, "the message ends where a name must be");
        if (!has_class(*at, name_start_class)) return read_wide_name(at, at);
        const char* const end = skip_name(at, end_);
        return end == end_ || !has_class(*end, high_class) ? end : read_wide_name(at, end);
    }

    /// The rest of a name, from `at` on, that has characters beyond ASCII, or is none.
    const char* read_wide_name(const char* begin, const char* at) const {
        for (;;) {
            if (at == end_) break;
            const decoded_char next = decode_utf8(until(at, end_));
            if (next.length == 0) fail_character(at);
            if (!(at == begin ? is_ncname_start(next.value) : is_ncname_char(next.value))) break;
            at += next.length;
        }
        if (at == begin) fail(at, "a name must be here; it begins with a letter or '_'");
        return at;
    }

    // ---- attributes: XML 1.0, 3.1 and 3.3.3; Namespaces, 6.3 ----

    /// Returns where the tag's '>' or '/' is.
    const char* read_attributes(const char* at, element_record* owner) {
        std::size_t count = 0;
        for (;; ++count) {
            const char* const next = skip_space(at, end_);
            if (next == end_) fail(next, "the message ends inside a start tag");
            if (*next == '>' || *next == '/') {
                at = next;
                break;
            }
            if (next == at) fail(at, "white space, '/' or '>' must be here");
            if (count == limits_.attributes)
                over_limit(next, count, "attributes on one element (limit attributes)");
            if (attributes_++ == limits_.elements)
                over_limit(next, limits_.elements, "attributes in the message (limit elements)");
            at = read_attribute(next, owner);
        }
        if (count != 0) resolve_attributes(owner, count);
        return at;
    }

    const char* read_attribute(const char* at, element_record* owner) {
        const scanned_name name = read_name(at);
        const char* from = skip_space(name.end, end_);
        if (from == end_ || *from != '=') fail(from, "'=' must follow the name of an attribute");
        from = skip_space(from + 1, end_);
        if (from == end_ || (*from != '"' && *from != '\''))
            fail(from, "the value of an attribute must be in quotes");
        bool plain = true;
        const char* const end = read_value(from + 1, *from, plain);
        std::string_view value = until(from + 1, end);
        if (!plain || value.size() > limits_.text_bytes) {
            arena_.text.clear();
            expand(value, part::value);
            value = arena_.keep(arena_.text);
        }
        const std::string_view spelling = until(at, name.end);
        const bool declares =
            name.prefix == 5 ? spelling.starts_with("xmlns:") : same_name(spelling, "xmlns");
        if (declares) {
            auto* const made = arena_.make<declaration_record>(at, name.prefix, spelling.size());
            made->value(value.data(), value.size());
            owner->append_attribute(made);
            declare(made, owner);
        } else {
            auto* const made = arena_.make<attribute_record>(at, name.prefix, spelling.size());
            made->value(value.data(), value.size());
            owner->append_attribute(made);
        }
        return end + 1;
    }

    /// Returns where the closing quote is. Not `plain`: the value differs from its spelling.
    const char* read_value(const char* at, char quote, bool& plain) {
        const char* const from = at;
        bool high = false;
        for (;; ++at) {
            at = scan<true>(at, end_, quote, high);
            if (at == end_) fail(from - 1, "the value has no closing quote");
            if (*at == quote) break;
            if (*at == '<') fail(at, "'<' in the value of an attribute; write &lt;");
            if (!has_class(*at, changed_class)) fail_character(at);
            plain = false;
        }
        if (high) check_characters(until(from, at));
        return at;
    }

    /// Only now are all declarations of the tag known.
    void resolve_attributes(element_record* owner, std::size_t count) {
        for (auto* at = owner->first_attribute(); at != nullptr; at = at->next_attribute()) {
            auto* const each = static_cast<attribute_record*>(at);
            if (each->ns == nullptr)
                each->ns = each->prefix_size == 0 ? none_ : resolve(each->prefix());
        }
        if (count > 1) check_unique(owner, count);
    }

    /// No two attributes of one expanded name. Equal namespaces in scope share their characters
    /// (see link()), so pointers tell; to compare long names here again and again would not be
    /// linear. Pairs for up to eight attributes, a hash table for more.
    void check_unique(const element_record* owner, std::size_t count) {
        const auto equal = [](const attribute_record* a, const attribute_record* b) {
            return a->local_name() == b->local_name() &&
                   a->ns->content().data() == b->ns->content().data();
        };
        const auto refuse = [this](const attribute_record* twice) {
            fail(twice->local_name().data(), "a second attribute of this name");
        };
        const auto next = [](const attribute_record* at) {
            return static_cast<const attribute_record*>(at->next_attribute());
        };
        const auto* const first = static_cast<const attribute_record*>(owner->first_attribute());
        if (count <= 8) {
            for (const auto* at = next(first); at != nullptr; at = next(at))
                for (const auto* before = first; before != at; before = next(before))
                    if (equal(before, at)) refuse(at);
            return;
        }
        auto& seen = arena_.seen;
        seen.assign(std::bit_ceil(2 * count), nullptr);
        for (const auto* at = first; at != nullptr; at = next(at)) {
            // Not a plain sum: a name may be spelled as its namespace is.
            std::uint64_t slot = 3 * arena_.hash(at->local_name()) + at->ns->ns_hash;
            for (;; ++slot) {
                const attribute_record*& place = seen[slot & (seen.size() - 1)];
                if (place != nullptr && equal(place, at)) refuse(at);
                if (std::exchange(place, place == nullptr ? at : place) == nullptr) break;
            }
        }
    }

    // ---- namespaces: Namespaces in XML 1.0, 3 and 6.1 ----

    const declaration_record* resolve(std::string_view prefix) const {
        const std::uint64_t hash = arena_.hash(prefix);
        const declaration_record* const found =
            declaration_record::find(arena_.by_prefix[arena_.bucket(hash)], prefix, hash);
        if (found == nullptr) fail(prefix.data(), "this namespace prefix is not declared");
        if (found == xmlns_) fail(prefix.data(), "the prefix 'xmlns' is for declarations only");
        return found;
    }

    /// What is declared everywhere: xml, xmlns, and that there is no default namespace.
    void declare_reserved() {
        arena_.begin_scopes(limits_.namespaces);
        const auto reserve = [this](const char* qname, std::size_t prefix, std::string_view ns) {
            auto* const made =
                arena_.make<declaration_record>(qname, prefix, std::string_view(qname).size());
            made->value(ns.data(), ns.size());
            link(made);
            return made;
        };
        none_ = default_ = reserve("xmlns", 0, "");
        reserve("xmlns:xml", 5, xml_ns);
        xmlns_ = reserve("xmlns:xmlns", 5, xmlns_ns);
    }

    void declare(declaration_record* made, element_record* owner) {
        check_declaration(*made);
        if (declared_++ == limits_.namespaces)
            over_limit(
                made->local_name().data(),
                limits_.namespaces,
                "namespace declarations in scope (limit namespaces)");
        made->ns = xmlns_;
        link(made);
        owner->scope = made;
        owner->declares = true;
        if (made->prefix_size == 0) default_ = made;
    }

    /// Up to the limit of 65'536 a bucket holds 16 declarations when all are in scope.
    void link(declaration_record* made) {
        made->arena = &arena_;
        made->prefix_hash = arena_.hash(made->declared());
        made->ns_hash = arena_.hash(made->content());
        const declaration_record*& in_ns = arena_.by_ns[arena_.bucket(made->ns_hash)];
        for (const auto* at = in_ns; at != nullptr; at = at->same_ns) {
            if (at->ns_hash != made->ns_hash || at->content() != made->content()) continue;
            made->value(at->content().data(), at->content().size());
            break;
        }
        made->same_ns = std::exchange(in_ns, made);
        const declaration_record*& in_prefix = arena_.by_prefix[arena_.bucket(made->prefix_hash)];
        made->same_bucket = std::exchange(in_prefix, made);
        made->outer = std::exchange(scope_, made);
    }

    void end_scope(const declaration_record* outer) {
        for (; scope_ != outer; scope_ = scope_->outer) {
            arena_.by_prefix[arena_.bucket(scope_->prefix_hash)] = scope_->same_bucket;
            arena_.by_ns[arena_.bucket(scope_->ns_hash)] = scope_->same_ns;
            --declared_;
        }
        default_ = resolve({});
    }

    void check_declaration(const declaration_record& made) const {
        const std::string_view prefix = made.declared(), ns = made.content();
        const char* const at = made.local_name().data();
        if (prefix == "xmlns") fail(at, "the prefix 'xmlns' must not be declared");
        if ((prefix == "xml") != (ns == xml_ns))
            fail(at, "the prefix 'xml' and its namespace belong to each other only");
        if (ns == xmlns_ns) fail(at, "the namespace of 'xmlns' must not be declared");
        if (ns.empty() && !prefix.empty()) fail(at, "a prefix is declared without a namespace");
    }

    xml_arena& arena_;
    const limits& limits_;
    const char* begin_;
    const char* end_;
    const char* body_ = begin_;  // behind the XML declaration
    rapidxml::xml_node<char>* open_ = &arena_;  // the innermost open element
    std::string_view text_;  // of open_ so far: in the message, or in arena_.text once copied
    const declaration_record* scope_ = nullptr;
    const declaration_record* default_ = nullptr;  // what names without a prefix are in
    const declaration_record* none_ = nullptr;
    const declaration_record* xmlns_ = nullptr;
    std::size_t depth_ = 0;
    std::size_t elements_ = 0;
    std::size_t attributes_ = 0;
    std::size_t declared_ = 0;
};

// ---- encodings ---------------------------------------------------------------------------------

struct encoding_label {
    std::string_view name;  // in lower case
    encoding meant;
    bool either_order = false;  // the bytes tell which
};

constexpr bool is_utf_16(encoding which) noexcept {
    return which == encoding::utf_16le || which == encoding::utf_16be;
}

inline const encoding_label* find_encoding(std::string_view name) noexcept {
    static constexpr encoding_label known[] = {
        {"utf-8", encoding::utf_8},
        {"utf8", encoding::utf_8},
        {"utf-16", encoding::utf_16be, true},
        {"utf16", encoding::utf_16be, true},
        {"utf-16le", encoding::utf_16le},
        {"utf-16be", encoding::utf_16be},
        {"iso-8859-1", encoding::iso_8859_1},
        {"iso_8859-1", encoding::iso_8859_1},
        {"iso8859-1", encoding::iso_8859_1},
        {"latin1", encoding::iso_8859_1},
        {"l1", encoding::iso_8859_1},
        {"us-ascii", encoding::us_ascii},
        {"ascii", encoding::us_ascii},
        {"iso646-us", encoding::us_ascii},
        {"ansi_x3.4-1968", encoding::us_ascii}};
    for (const encoding_label& each : known)
        if (equal_ignoring_case(name, each.name)) return &each;
    return nullptr;
}

[[noreturn]] inline void refuse_encoding(std::string_view name) {
    throw xml_error(
        xml_error::reason::unsupported_encoding,
        "line 1, column 1: the encoding " + quoted(name) +
            " is not supported; use UTF-8, UTF-16, ISO-8859-1 or US-ASCII");
}

/// What RFC 7303, 3 makes of a message: a byte order mark decides, without one the charset
/// parameter, without both the XML declaration. When nothing outside the message spoke, the
/// declaration must agree with the bytes (XML 1.0, 4.3.3); else it is ignored.
struct encoding_choice {
    encoding used = encoding::utf_8;
    std::size_t mark = 0;  // bytes of the byte order mark
    bool known = false;  // by mark, charset, or the first bytes
    bool must_agree = true;
    bool must_declare = false;
};

inline encoding_choice choose_encoding(std::string_view bytes, std::string_view charset) {
    using namespace std::string_view_literals;
    const bool inside_only = charset.empty();
    if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv))
        refuse_encoding("UTF-32");
    if (bytes.starts_with("\xef\xbb\xbf"sv)) return {encoding::utf_8, 3, true, inside_only};
    if (bytes.starts_with("\xff\xfe"sv)) return {encoding::utf_16le, 2, true, inside_only};
    if (bytes.starts_with("\xfe\xff"sv)) return {encoding::utf_16be, 2, true, inside_only};
    if (!inside_only) {
        const encoding_label* const label = find_encoding(charset);
        if (label == nullptr) refuse_encoding(charset);
        const bool little = label->either_order && bytes.size() > 1 && bytes[1] == '\0';
        return {little ? encoding::utf_16le : label->meant, 0, true, false};
    }
    // XML 1.0, F.1: what these cannot be is anything that is read here, so the sender hears of the
    // encoding, not of a character in it.
    if (bytes.starts_with("<\0\0\0"sv) || bytes.starts_with("\0\0\0<"sv)) refuse_encoding("UTF-32");
    if (bytes.starts_with("\x4c\x6f\xa7\x94"sv)) refuse_encoding("EBCDIC");
    if (bytes.starts_with("<\0"sv)) return {encoding::utf_16le, 0, true, true, true};
    if (bytes.starts_with("\0<"sv)) return {encoding::utf_16be, 0, true, true, true};
    return {};
}

/// The message in UTF-8: itself, or in the arena.
inline std::string_view decode_message(
    xml_arena& arena, const limits& bounds, std::string_view bytes, encoding from) {
    const xml_reader as_sent(arena, bounds, bytes);
    const auto check_size = [&](std::size_t size) {
        if (size <= bounds.body_bytes) return;
        as_sent.fail(
            bytes.data(),
            "more than " + std::to_string(bounds.body_bytes) + " bytes (limit body_bytes)",
            xml_error::reason::too_large);
    };
    check_size(is_utf_16(from) ? bytes.size() / 2 : bytes.size());  // it has at least these
    if (from == encoding::utf_8) return bytes;
    if (from == encoding::us_ascii) {
        for (const char& c : bytes)
            if (has_class(c, high_class)) as_sent.fail(&c, "a byte beyond US-ASCII");
        return bytes;
    }
    std::string& out = arena.converted;
    if (!to_utf8(bytes, from, out))
        xml_reader(arena, bounds, out).fail(out.data() + out.size(), "bytes that are not UTF-16");
    check_size(out.size());
    return out;
}

/// XML 1.0, 4.3.3.
inline void check_agreement(
    const xml_reader& reader,
    const encoding_choice& choice,
    std::string_view declared,
    const char* begin) {
    if (choice.must_declare && declared.empty())
        reader.fail(begin, "UTF-16 without a byte order mark must be declared");
    if (!choice.must_agree || declared.empty()) return;
    const encoding_label* const label = find_encoding(declared);
    const bool agrees = label != nullptr && (label->meant == choice.used ||
                                             (is_utf_16(choice.used) && label->either_order));
    if (!agrees)
        reader.fail(declared.data(), "the encoding " + quoted(declared) + " is not the message's");
}

// ---- the document ------------------------------------------------------------------------------

inline xml_document::xml_document() : arena_(new xml_arena) {}
inline xml_document::~xml_document() { delete arena_; }
inline void xml_document::clear() noexcept { arena_->reset(); }

inline node xml_document::parse(
    std::string_view bytes, std::string_view charset, const limits& bounds) {
    arena_->reset();
    arena_->in_use = true;
    encoding_choice choice = choose_encoding(bytes, charset);
    bytes.remove_prefix(choice.mark);
    if (!choice.known) {
        const std::string_view declared = xml_reader(*arena_, bounds, bytes).read_declaration();
        const encoding_label* const label = find_encoding(declared.empty() ? "utf-8" : declared);
        if (label == nullptr) refuse_encoding(declared);
        // It cannot be UTF-16, having been read as ASCII: then UTF-8 does not agree with it below.
        if (!is_utf_16(label->meant)) choice.used = label->meant;
    }
    const std::string_view text = decode_message(*arena_, bounds, bytes, choice.used);
    xml_reader reader(*arena_, bounds, text);
    check_agreement(reader, choice, reader.read_declaration(), text.data());
    return reader.read();
}

}  // namespace soapsvc::detail

// ================================================================================================
// [writing] An append-only writer
// ================================================================================================
// Appends to one string that its owner reuses, so that a warm reply allocates nothing. It never
// looks back except to shorten `<a></a>`, and never re-checks names: they come from tables. Text
// that XML cannot carry throws, because dropping a character would be a lie.

namespace soapsvc::detail {

/// Writes into a string that outlives it. Names are written as they are.
class writer {
public:
    explicit writer(std::string& out) noexcept : out_(out) {}

    /// Appends markup as it is.
    void raw(std::string_view markup) { out_.append(markup); }

    /// Appends character data, escaped. Throws std::invalid_argument when it is not valid UTF-8 or
    /// holds a character that XML 1.0 (2.2) has no form for.
    void text(std::string_view value) { append_escaped(out_, value); }

    /// Appends ` name="value"`, the value escaped; throws as `text` does.
    void attribute(std::string_view name, std::string_view value) {
        out_.push_back(' ');
        out_.append(name).append("=\"", 2);
        append_escaped_attribute(out_, value);
        out_.push_back('"');
    }

    // `<name>`, `</name>` and `<name />`. push_back, since append(1, c) takes the slow way round.
    void start(std::string_view name) {
        out_.push_back('<');
        out_.append(name);
        out_.push_back('>');
    }
    void end(std::string_view name) {
        out_.append("</", 2);
        out_.append(name);
        out_.push_back('>');
    }
    void empty(std::string_view name) {
        out_.push_back('<');
        out_.append(name).append(" />", 3);
    }

    /// Ends the element whose start tag ended at `content`; writes `<a />` when nothing followed.
    void end(std::string_view name, std::size_t content) {
        if (out_.size() != content) return end(name);
        out_.back() = ' ';
        out_.append("/>", 2);
    }

    /// Where the next character goes: what `end` is told about the content of its element.
    std::size_t size() const noexcept { return out_.size(); }
    /// For what appends by itself and needs no escaping, such as numbers.
    std::string& buffer() noexcept { return out_; }

private:
    std::string& out_;
};

/// The tags around an element's content, made once and padded: a writer copies whole blocks.
class element_tags {
public:
    static constexpr std::size_t block = 32;  ///< bytes that may be read from where a tag ends

    element_tags() = default;
    explicit element_tags(std::string_view name) : start_size_(name.size() + 2) {
        bytes_.append("<").append(name).append("></").append(name).append(">");
        bytes_.append(block, '\0');
    }
    std::string_view name() const noexcept { return start().substr(1, start_size_ - 2); }
    std::string_view start() const noexcept { return {bytes_.data(), start_size_}; }
    std::string_view end() const noexcept { return {bytes_.data() + start_size_, start_size_ + 1}; }

private:
    std::string bytes_;
    std::size_t start_size_ = 0;
};

/// Whether 8 to 16 bytes hold nothing to escape: the first eight and the last eight of them.
template <scan_for Escapes>
bool are_plain(std::uint64_t first, std::uint64_t last) noexcept {
    return not_plain<Escapes>(byte_block::of(first, last)) == 0;
}

/// Writes element after element to the end of a string, which is made longer ahead of what is
/// written, some kilobytes at a time, and is cut to what was written in the end: nobody may look at
/// it meanwhile. With an append() for each tag and text the calls took most of a reply's time.
class element_writer {
public:
    explicit element_writer(std::string& out) noexcept
        : out_(out), at_(out.data() + out.size()), end_(at_) {}
    ~element_writer() { out_.resize(size()); }
    element_writer(const element_writer&) = delete;
    element_writer& operator=(const element_writer&) = delete;

    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - out_.data()); }

    void start(const element_tags& tags) { copy_tag(tags.start()); }
    /// After `start`, for attributes; a ">" of its own comes after them.
    void take_back_bracket() noexcept { --at_; }

    /// Markup as it is.
    void raw(std::string_view markup) {
        make_room(markup.size());
        std::memcpy(at_, markup.data(), markup.size());
        at_ += markup.size();
    }
    /// Appends ` name="value"`, the value escaped; throws as writer::text does.
    void attribute(std::string_view name, std::string_view value) {
        make_room(name.size() + value.size() + 20);
        *at_++ = ' ';
        raw(name);
        raw("=\"");
        if (copy_plain<scan_for::attribute_escapes>(value))
            at_ += value.size();
        else
            through_a_string([value](std::string& out) { append_escaped_attribute(out, value); });
        raw("\"");
    }

    /// Ends the element whose start tag ended at `content`; `<a />` when nothing followed.
    void end(const element_tags& tags, std::size_t content) {
        if (size() != content) return copy_tag(tags.end());
        end_empty();
    }
    void end(std::string_view prefix, std::string_view name, std::size_t content) {
        if (size() == content) return end_empty();
        raw("</");
        raw(prefix);
        raw(name);
        raw(">");
    }

    /// Character data, escaped; throws as writer::text does, and then nothing is written.
    void text(std::string_view value) {
        make_room(value.size() + 16);
        if (copy_plain<scan_for::content_escapes>(value))
            at_ += value.size();
        else
            through_a_string([value](std::string& out) { append_escaped(out, value); });
    }

    void base64(const std::uint8_t* bytes, std::size_t size) {
        make_room(base64_size(size));
        at_ = write_base64(at_, bytes, size);
    }

    void whole_number(std::integral auto value) {
        make_room(20);
        at_ = std::to_chars(at_, end_, +value).ptr;  // as int, where it is smaller than one
    }

    /// Appends what `append(std::string&)` appends to a string of its own.
    template <class Append>
    void through_a_string(Append append) {
        std::string& text = kept_string();
        text.clear();
        append(text);
        make_room(text.size());
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
        if (text.capacity() > 4096) std::string().swap(text);
    }

private:
    void end_empty() {
        make_room(2);
        at_[-1] = ' ';
        std::memcpy(at_, "/>", 2);
        at_ += 2;
    }

    /// The thread's, so that what is short allocates nothing.
    static std::string& kept_string() {
        thread_local std::string kept;
        return kept;
    }

    void make_room(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - at_) < bytes) grow(bytes);
    }

    [[gnu::noinline]] void grow(std::size_t bytes) {
        const std::size_t before = size();
        out_.resize(before + std::max(bytes, std::clamp<std::size_t>(before, 1024, 8192)));
        at_ = out_.data() + before;
        end_ = out_.data() + out_.size();
    }

    void copy_tag(std::string_view tag) {
        make_room(tag.size() + element_tags::block);
        for (std::size_t done = 0; done < tag.size(); done += element_tags::block)
            std::memcpy(at_ + done, tag.data() + done, element_tags::block);
        at_ += tag.size();
    }

    template <class Word>
    static Word copy_word(char* to, const char* from) noexcept {
        Word word;
        std::memcpy(&word, from, sizeof word);
        std::memcpy(to, &word, sizeof word);
        return word;
    }

    /// Copies a text to where the next character goes; false when something in it must be escaped
    /// or looked at. The last block overlaps the one before, so that no byte comes alone.
    template <scan_for Escapes>
    bool copy_plain(std::string_view value) noexcept {
        const char* const from = value.data();
        const std::size_t size = value.size();
        if (size < 8) return copy_short<Escapes>(from, size);
        const auto copy = [&](std::size_t first, std::size_t last) {
            const auto low = copy_word<std::uint64_t>(at_ + first, from + first);
            const auto high = copy_word<std::uint64_t>(at_ + last, from + last);
            return are_plain<Escapes>(low, high);
        };
        std::size_t done = 0;
        for (; size - done > 16; done += 16)
            if (!copy(done, done + 8)) return false;
        return size < 16 ? copy(0, size - 8) : copy(size - 16, size - 8);
    }

    template <scan_for Escapes>
    bool copy_short(const char* from, std::size_t size) noexcept {
        if (size >= 4) {
            const std::uint64_t first = copy_word<std::uint32_t>(at_, from);
            const std::uint64_t last = copy_word<std::uint32_t>(at_ + size - 4, from + size - 4);
            const std::uint64_t both = first | last << 32;
            return are_plain<Escapes>(both, both);
        }
        bool plain = true;
        for (std::size_t at = 0; at != size; ++at) {
            at_[at] = from[at];
            plain &= is_plain<Escapes>(from[at]);
        }
        return plain;
    }

    std::string& out_;
    char* at_;  // where the next character goes
    char* end_;  // of the string, for now
};

}  // namespace soapsvc::detail

// ================================================================================================
// [codec] Structs to and from elements, driven by the tables
// ================================================================================================
// Plain functions over descriptions of tables, nodes and the writer: adding a record adds data, not
// code. The rules are those of document/literal: children by qualified name (XML Schema part 1, 3.3
// and 3.8), values by part 2, xsi:nil and xsi:type by part 1, 2.6. Children may come in any order
// although the schema says `sequence`: real clients sort them by name, and no two orders mean
// different things.

namespace soapsvc::detail {

// --- Tables as descriptions: what all later sections read ----------------------------------------

inline void set_enumerator(
    const enumeration_info& table, void* value, const value_row& row) noexcept {
    const auto* const bytes = reinterpret_cast<const char*>(&row.number);
    const bool last = std::endian::native == std::endian::big;  // where the lowest ones stand
    std::memcpy(value, bytes + (last ? sizeof row.number - table.size : 0), table.size);
}

inline std::uint64_t number_of_enumerator(const void* value, std::size_t size) noexcept {
    const auto as = [value](auto number) {
        std::memcpy(&number, value, sizeof number);
        return std::uint64_t{number};
    };
    switch (size) {
    case 1: return as(std::uint8_t{});
    case 2: return as(std::uint16_t{});
    case 4: return as(std::uint32_t{});
    default: return as(std::uint64_t{});
    }
}

/// nullptr: an enumerator that its table does not list.
inline const value_row* find_enumerator(const enumeration_info& table, const void* value) noexcept {
    const std::uint64_t number = number_of_enumerator(value, table.size);
    for (const value_row& row : table.values)
        if (row.number == number) return &row;
    return nullptr;
}

/// A value of a facet, as its row has it and as the row's type.
struct facet_value {
    extra_kind kind;
    std::string_view text;
    bool of_type;  ///< of the named type, else the row's own
    std::shared_ptr<void> value;  ///< of a list or a union there is the text alone
};

/// What a bound allows that a value is not, for a person; empty when it is.
inline std::string bound_error(
    const facet_value& bound, const element_type& type, const void* value) {
    const std::partial_ordering order = compare_simple(type.kind, value, bound.value.get());
    const auto unless = [&](bool good, const char* what) {
        return good ? std::string() : what + std::string(bound.text);
    };
    switch (bound.kind) {
    case extra_kind::min_inclusive: return unless(std::is_gteq(order), "at least ");
    case extra_kind::max_inclusive: return unless(std::is_lteq(order), "at most ");
    case extra_kind::min_exclusive: return unless(std::is_gt(order), "more than ");
    default: return unless(std::is_lt(order), "less than ");
    }
}

/// The facets of a row, and those of the named type that it has.
struct facet_set {
    std::string_view type_name;  ///< empty: the facets are the row's alone
    std::string_view type_ns;  ///< no data: the service's
    std::string_view builtin;  ///< the base of it all, where the C++ type does not say it
    string_form form = string_form::string;
    std::vector<row_extra> own;  ///< as they were said, for the description
    std::vector<row_extra> of_type;
    std::vector<row_extra> counts;  ///< lengths and digits of both
    std::vector<facet_value> bounds;
    std::vector<facet_value> values;
    std::vector<pattern> own_patterns;
    std::vector<pattern> type_patterns;

    /// Whether they refuse or change any value: those of a type that only has a name do not.
    [[nodiscard]] bool restrict_values() const noexcept {
        return form != string_form::string || !counts.empty() || !bounds.empty() ||
               !values.empty() || !own_patterns.empty() || !type_patterns.empty();
    }
};

/// Takes the next item off the front of a list's text; nullopt when there is none.
inline std::optional<std::string_view> take_item(std::string_view& text) noexcept {
    const char* const end = text.data() + text.size();
    const char* const from = skip_space(text.data(), end);
    const char* const past = std::find_if(from, end, is_xml_space);
    text = {past, static_cast<std::size_t>(end - past)};
    if (from == past) return std::nullopt;
    return std::string_view(from, static_cast<std::size_t>(past - from));
}

/// Whether values of a simple type may hold qualified names, whose prefixes mean what is declared
/// around them.
inline bool holds_names(const element_type& type) {
    if (type.kind == type_kind::name) return true;
    if (type.kind != type_kind::list && type.kind != type_kind::choice_of) return false;
    const auto types = type.parts().types;
    return std::any_of(types.begin(), types.end(), holds_names);
}

/// A qualified name as tables say it: {namespace}local, or local alone. nullopt: it is none.
inline std::optional<qualified_name> expanded_name(std::string_view text) {
    const std::size_t end = text.starts_with('{') ? text.find('}') : 0;
    if (end == text.npos) return std::nullopt;
    const std::string_view local = text.substr(end == 0 ? 0 : end + 1);
    if (!is_ncname(local)) return std::nullopt;
    return qualified_name{std::string(text.substr(0, end).substr(end != 0)), std::string(local)};
}

/// Whether a text is a value of a simple type. Of a qualified name it cannot be told.
inline bool is_value(std::string_view text, const element_type& type) {
    bool good = false;
    if (type.kind == type_kind::enumeration) {
        for (const value_row& row : type.enumeration().values)
            good = good || row.text == text;
    } else if (type.kind == type_kind::choice_of) {
        for (const element_type& each : type.parts().types)
            good = good || is_value(text, each);
    } else if (type.kind == type_kind::list) {
        good = true;
        while (const auto item = take_item(text))
            good = good && is_value(*item, type.parts().types[0]);
    } else {
        with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
            T value{};
            good = from_text(text, value);
        });
    }
    return good;
}

/// What a row says beyond its name and type. Few do.
struct field_extras {
    std::size_t least = 0;  ///< of a list
    std::size_t most = std::numeric_limits<std::size_t>::max();
    std::string_view preset{};  ///< no data: there is none
    std::string_view fixed{};
    std::string_view process = "lax";  ///< of a wildcard
    const facet_set* facets = nullptr;
};
inline constexpr field_extras no_extras{};

/// No group: the record itself.
inline constexpr std::size_t no_group = std::numeric_limits<std::size_t>::max();

/// One member, reached through functions: see `emplace_member` and `member_item`.
struct field_info {
    std::string_view name;
    element_tags tags;
    row_options options;
    occurrence occurs = occurrence::once;
    row_kind kind = row_kind::element;
    element_type type;
    std::size_t offset = 0;  ///< in its record, or in the item of its group
    void* (*emplace)(void* member) = nullptr;
    const void* (*item)(const void* member, std::size_t index) = nullptr;
    void* (*emplace_nil)(void* member) = nullptr;
    std::string_view ns{};  ///< no data: the service's; empty: none
    std::size_t group = no_group;  ///< the innermost that it is in
    const field_extras* extras = &no_extras;
    const stream_access* stream = nullptr;  ///< nullptr: it is none

    bool has_twins = false;  ///< other rows have its name: which one is meant depends on the order
    bool rare = false;  ///< more than an element of the service's namespace with a value
    bool rare_as_sent = false;  ///< more than that and its group: written, it is a plain element
    bool is_plain_in_scope = false;  ///< written as one where its namespace is in scope already
    bool may_be_absent() const noexcept { return occurs != occurrence::once || options.defaulted; }
    bool must_come() const noexcept { return !may_be_absent() || extras->least != 0; }
};

/// A group that is more than its rows: one that may be absent or repeat, or a choice. It holds
/// fields and other groups, each of which knows the group that it is in.
struct group_info {
    bool is_choice = false;
    bool has_groups = false;  ///< in it
    occurrence occurs = occurrence::once;
    std::size_t parent = no_group;
    std::size_t first = 0;  ///< of the record's fields
    std::size_t last = 0;  ///< past its own
    std::size_t offset = 0;
    void* (*emplace)(void* member) = nullptr;
    const void* (*item)(const void* member, std::size_t index) = nullptr;
    const field_extras* extras = &no_extras;

    std::size_t least() const noexcept { return occurs == occurrence::once ? 1 : extras->least; }

    /// Whether all of an item is one row: of a choice that repeats, another branch is another item.
    bool is_one_row() const noexcept {
        return is_choice && occurs == occurrence::many && !has_groups;
    }
};

/// A record's table: its fields in their order on the wire, those of its base and its groups among
/// them.
struct record_info {
    std::string_view name;
    std::vector<field_info> fields;  ///< elements and wildcards
    std::vector<group_info> groups{};  ///< outer ones first
    std::vector<field_info> attributes{};
    std::vector<field_info> content{};  ///< at most one
    std::string_view ns{};  ///< of the type; no data: the service's
    std::string_view children_ns{};  ///< of most of its elements
    record_options options{};
    std::vector<std::shared_ptr<const void>> kept{};  ///< what its rows point to
    const record_info* base = nullptr;
    std::size_t base_fields = 0;  ///< how many of the fields are the base's
    bool has_wildcard = false;
    bool has_content = false;
    bool has_attributes = false;
    bool has_names = false;  ///< in its content or its attributes: qualified ones
    /// Only elements of the service's namespace with a value, no attributes and no groups: asked
    /// first everywhere, so that most records cost nothing for what the others can.
    bool is_plain = true;
};

/// Whether something must come of a group's own rows and groups from `from` on, up to `to`.
inline bool is_needed_between(
    const record_info& record, std::size_t group, std::size_t from, std::size_t to) {
    for (std::size_t row = from; row != to; ++row)
        if (record.fields[row].group == group && record.fields[row].must_come()) return true;
    return std::any_of(record.groups.begin(), record.groups.end(), [&](const group_info& inner) {
        return inner.parent == group && inner.first >= from && inner.last <= to &&
               inner.least() != 0;
    });
}

/// Whether an item of a group may begin with the row.
inline bool may_begin_with(const record_info& record, std::size_t group, std::size_t row) {
    const group_info& info = record.groups[group];
    return info.is_choice || !is_needed_between(record, group, info.first, row);
}

/// A row, or the outermost of some groups around it.
struct particle {
    std::size_t first;
    std::size_t last;
    std::size_t group;  ///< that it is in
    bool must_come;
    bool begins;  ///< it may begin with the row

    particle(const record_info& record, std::size_t row)
        : first(row),
          last(row + 1),
          group(record.fields[row].group),
          must_come(record.fields[row].must_come()),
          begins(true) {}
    void widen(const record_info& record, std::size_t row) {
        const group_info& around = record.groups[group];
        begins = begins && may_begin_with(record, group, row);
        first = around.first;
        last = around.last;
        must_come = around.least() != 0;
        group = around.parent;
    }
};

/// Whether of two rows with one name both may come first: in two branches of a choice, or of a
/// sequence in which nothing is needed up to the later one.
inline bool is_ambiguous(const record_info& record, std::size_t at, std::size_t later) {
    particle one(record, at);
    particle other(record, later);
    while (one.group != no_group && record.groups[one.group].last <= later)
        one.widen(record, at);
    while (other.group != one.group)
        other.widen(record, later);
    if (!one.begins || !other.begins) return false;
    if (one.group == no_group ? record.options.choice : record.groups[one.group].is_choice)
        return true;
    return !one.must_come && !is_needed_between(record, one.group, one.last, other.first);
}

/// The record after which the type of a record is called: of an anonymous one its base, if it adds
/// nothing to that; nullptr: the type has no name.
inline const record_info* named_record(const record_info& record) {
    if (!record.options.anonymous) return &record;
    const record_info* const base = record.base;
    const bool adds_nothing = base && record.fields.size() == base->fields.size() &&
                              record.attributes.size() == base->attributes.size() &&
                              record.content.size() == base->content.size();
    return adds_nothing ? base : nullptr;
}

/// Whether an element of the row is written as any other where its namespace is in scope.
inline bool can_be_plain(const field_info& field) {
    return field.kind == row_kind::element && field.extras->fixed.data() == nullptr &&
           field.type.kind != type_kind::fragment && field.type.kind != type_kind::derived &&
           !holds_names(field.type);
}

/// A record that has no more than one row, and begins where its member does.
inline record_info record_around(const field_info& field) {
    record_info made;
    made.fields.push_back(field);
    made.is_plain = !field.rare;
    return made;
}

/// The name of an element, as descriptions have it.
struct described_name {
    std::string_view local;
    std::string_view ns{};  ///< no data: the service's; empty: none
};
inline described_name name_of(const record_info& record) { return {record.name, record.ns}; }

/// What an operation answers.
enum class reply_form : std::uint8_t {
    empty,  ///< an element without content
    child,  ///< an element that holds the result as its child
    whole,  ///< an element that is the result
    no_element,  ///< an empty Body
    none  ///< nothing
};

/// The request of an operation without parameters.
inline const record_info no_request{};

/// An operation as the later sections see it. All names are said here, whatever they come from.
struct operation_info {
    std::string_view name;
    row_options options;
    message_style style = message_style::wrapped;
    described_name request_name;
    described_name response_name;
    const record_info* request = nullptr;
    element_type request_type;  ///< of its element, if that is of the record's type; else none
    field_info asked;  ///< of a request that is more than its struct; else without `emplace`
    std::span<const header_type> headers;  ///< that it takes
    std::span<const header_type> told;  ///< that it answers with
    const header_type* other_headers = nullptr;  ///< what it takes of all others; nullptr: none
    const header_type* other_told = nullptr;
    reply_form reply = reply_form::empty;
    field_info
        result;  ///< the child of the reply, or the reply; of a list what is around the items
    field_info item;  ///< of a list
    const record_info* result_record = nullptr;  ///< of a reply that is a record
    std::string_view action;  ///< no data: from namespace and name
    std::span<const documented_fault> faults;
    std::vector<element_type> details;  ///< of faults
    std::vector<std::shared_ptr<const void>> kept{};  ///< what is pointed to here
    const void* method = nullptr;  ///< where its table holds the method, for `call`
    void (*call)(const void* method, void* service, call_steps& steps) = nullptr;

    bool takes_request() const noexcept { return request != &no_request; }
    bool is_list() const noexcept { return result.occurs == occurrence::many; }
    /// Whether something stands in the Body of a reply.
    bool has_reply_element() const noexcept { return reply < reply_form::no_element; }
};

/// A service's table: its operations in the order of the WSDL.
struct service_info {
    std::string_view name;
    service_options options;
    std::vector<operation_info> operations;
};

/// The record of a value with children, of a derived one the base's; nullptr when it has none.
inline const record_info* record_of(const element_type& type) {
    if (type.kind == type_kind::derived) return &type.parts().types[0].record();
    return type.kind == type_kind::record ? &type.record() : nullptr;
}

// What is made here is never destroyed: calls may be under way while a program ends.

/// The name of a type or an element, for what is told to whoever writes tables.
inline std::string told_name(std::string_view name) {
    return name.empty() ? std::string("a request, a choice or a group") : std::string(name);
}

/// Makes a record's description from its rows.
class record_describer {
public:
    record_describer(
        std::string_view name,
        std::span<const row_extra> extras,
        const record_options& options,
        record_info& made)
        : extras_(extras), made_(made) {
        made_.name = name;
        made_.options = options;
        made_.ns = options.ns;
        fields_ns_ = options.unqualified ? std::string_view("") : options.ns;
    }

    void add(std::span<const field_row> rows, const void* object, const void* const* places) {
        for (std::size_t row = 0; row != rows.size(); ++row) {
            // The distance within a live object: a pointer to a member has no portable conversion.
            const auto offset = static_cast<std::size_t>(
                static_cast<const char*>(places[row]) - static_cast<const char*>(object));
            add_row(rows[row], row, offset);
        }
        const auto child =
            std::find_if(made_.fields.begin(), made_.fields.end(), [](const field_info& field) {
                return field.kind == row_kind::element;
            });
        made_.children_ns = child == made_.fields.end() ? fields_ns_ : child->ns;
        check();
    }

private:
    static bool has_no_name(const field_info& field) {
        const facet_set* const facets = field.extras->facets;
        if (!facets) return has_parts(field.type.kind);
        return !facets->own.empty() || (facets->type_name.empty() && facets->builtin.empty());
    }

    void add_row(const field_row& row, std::size_t index, std::size_t offset) {
        if (row.kind == row_kind::base) return add_base(row.type->type, offset);
        if (row.kind == row_kind::group) return add_group(row, index, offset);
        field_info info;
        info.name = row.name;
        info.tags = element_tags(row.name);
        info.options = row.options;
        info.occurs = row.type->occurs;
        info.kind = row.kind;
        info.type = row.type->type;
        info.offset = offset;
        info.emplace = row.type->emplace;
        info.item = row.type->item;
        info.emplace_nil = row.type->emplace_nil;
        info.stream = row.type->stream;
        const bool wildcard = row.kind == row_kind::any || row.kind == row_kind::any_attribute;
        info.ns = wildcard                          ? std::string_view("##any")
                  : row.kind == row_kind::attribute ? std::string_view("")
                                                    : fields_ns_;
        info.extras = read_extras(index, info.ns, info.type);
        auto& list = row.kind == row_kind::attribute || row.kind == row_kind::any_attribute
                         ? made_.attributes
                     : row.kind == row_kind::content ? made_.content
                                                     : made_.fields;
        list.push_back(std::move(info));
    }

    /// What the row says beyond its name; its namespace goes to `ns`.
    const field_extras* read_extras(
        std::size_t row, std::string_view& ns, const element_type& type) {
        field_extras said;
        std::shared_ptr<facet_set> facets;
        bool any = false;
        for (const row_extra& each : extras_) {
            if (each.row != row) continue;
            switch (each.kind) {
            case extra_kind::ns:
            case extra_kind::unqualified: ns = each.text; continue;
            case extra_kind::least: said.least = each.number; break;
            case extra_kind::most: said.most = each.number; break;
            case extra_kind::process: said.process = each.text; break;
            case extra_kind::preset:
                check_value(each.text, type);
                said.preset = each.text;
                break;
            case extra_kind::fixed:
                check_value(each.text, type);
                said.fixed = each.text;
                break;
            default:
                if (!facets) facets = std::make_shared<facet_set>();
                add_facet(*facets, each, type);
            }
            any = true;
        }
        if (!any) return &no_extras;
        if (facets) check_facets(*facets, type);
        said.facets = facets.get();
        const auto kept = std::make_shared<const field_extras>(said);
        made_.kept.push_back(std::move(facets));
        made_.kept.push_back(kept);
        return kept.get();
    }

    [[noreturn]] void reject(const std::string& what) const {
        throw std::invalid_argument(
            "soapsvc: " + what + " in the table of " + told_name(made_.name));
    }

    /// Whether values of a type can have a facet (XML Schema part 2, 4.1.5).
    static bool applies(extra_kind facet, type_kind type) noexcept {
        const bool bytes = is_bytes(type);
        const bool text = type == type_kind::string;
        const bool whole = is_whole(type);
        if (type >= type_kind::fragment || type == type_kind::record) return false;
        switch (facet) {
        case extra_kind::type_name:
        case extra_kind::type_ns:
        case extra_kind::builtin:  // says more itself
        case extra_kind::pattern: return true;
        case extra_kind::length:
        case extra_kind::min_length:
        case extra_kind::max_length: return text || bytes || type == type_kind::list;
        case extra_kind::total_digits:
        case extra_kind::fraction_digits: return whole || type == type_kind::decimal;
        case extra_kind::enumerated: return type != type_kind::boolean;
        default:
            return type < type_kind::enumeration && type != type_kind::boolean && !text && !bytes;
        }
    }

    void add_facet(facet_set& to, const row_extra& said, const element_type& type) {
        if (said.kind >= extra_kind::request)
            throw std::invalid_argument("soapsvc: a row says what only operations can");
        // What a name's text is, depends on the prefix: of names alone the values can be told.
        const bool of_text = said.kind == extra_kind::pattern ||
                             (said.kind == extra_kind::enumerated && type.kind != type_kind::name);
        if (!applies(said.kind, type.kind) || (of_text && holds_names(type)))
            reject("a row has a facet or a type that is none of its member's,");
        switch (said.kind) {
        case extra_kind::type_name: to.type_name = said.text; return;
        case extra_kind::type_ns: to.type_ns = said.text; return;
        case extra_kind::builtin:
            to.form = static_cast<string_form>(said.number);
            to.builtin = said.text.empty() ? string_form_of(to.form).name : said.text;
            if (said.text.empty() ? type.kind != type_kind::string : !is_whole(type.kind))
                reject("a row is " + std::string(to.builtin) + ", which its member cannot hold,");
            return;
        case extra_kind::pattern:
            try {
                (said.of_type ? to.type_patterns : to.own_patterns).emplace_back(said.text);
            } catch (const std::invalid_argument& error) {
                reject(std::string(error.what()).substr(std::strlen("soapsvc: ")) + ",");
            }
            break;
        case extra_kind::enumerated: to.values.push_back(value_of(said, type)); break;
        case extra_kind::min_inclusive:
        case extra_kind::max_inclusive:
        case extra_kind::min_exclusive:
        case extra_kind::max_exclusive: to.bounds.push_back(value_of(said, type)); break;
        default: to.counts.push_back(said); break;
        }
        const bool is_bound =
            said.kind >= extra_kind::min_inclusive && said.kind <= extra_kind::max_exclusive;
        const bool is_of_builtin =
            said.of_type && (to.type_name.empty() || (is_bound && said.number == bound_of_builtin));
        if (!is_of_builtin) (said.of_type ? to.of_type : to.own).push_back(said);
    }

    /// What a facet says is allowed by the others, and by those of the row's named type (XML Schema
    /// part 2, 4.3: valid restrictions, and enumerations in the value space of the base).
    void check_facets(const facet_set& facets, const element_type& type) const {
        const auto check = [&](bool good, const std::string& text) {
            if (!good) reject("the facet '" + text + "' contradicts another, or its type's,");
        };
        // A type knows nothing of what its rows add.
        const auto is_above = [](const auto& other, const auto& one) {
            return &other != &one && (other.of_type || !one.of_type);
        };
        for (const row_extra& one : facets.counts)
            for (const row_extra& other : facets.counts)
                if (is_above(other, one))
                    check(allows_count(other, one), std::to_string(one.number));
        const auto is_within = [&](const facet_value& one, const facet_value& other) {
            const bool same =
                one.kind == other.kind &&
                std::is_eq(compare_simple(type.kind, one.value.get(), other.value.get()));
            return same || bound_error(other, type, one.value.get()).empty();
        };
        for (const facet_value& other : facets.bounds) {
            for (const facet_value& one : facets.bounds)
                if (is_above(other, one)) check(is_within(one, other), std::string(one.text));
            for (const facet_value& one : facets.values)
                if (other.of_type && !one.of_type)
                    check(is_within(one, other), std::string(one.text));
        }
    }

    /// Whether what one facet counts may be as many as another one says.
    static bool allows_count(const row_extra& facet, const row_extra& said) noexcept {
        switch (facet.kind) {
        case extra_kind::length: return said.number == facet.number;
        case extra_kind::min_length: return said.number >= facet.number;
        case extra_kind::fraction_digits:
            return said.kind == extra_kind::total_digits || said.number <= facet.number;
        default: return said.number <= facet.number;
        }
    }

    static bool is_whole(type_kind kind) noexcept {
        return kind == type_kind::integer || (kind >= type_kind::int8 && kind <= type_kind::uint64);
    }

    /// Of what is preset or fixed. A qualified name is none, whose prefix would mean nothing here.
    void check_value(std::string_view text, const element_type& type) const {
        if (!is_value(text, type))
            reject("the value '" + std::string(text) + "' is no value of its type");
    }

    facet_value value_of(const row_extra& said, const element_type& type) {
        facet_value made{said.kind, said.text, said.of_type, nullptr};
        bool good = false;
        if (type.kind == type_kind::name) {
            const auto name = expanded_name(said.text);
            good = name.has_value();
            if (name) made.value = std::make_shared<qualified_name>(*name);
        } else if (type.kind >= type_kind::enumeration) {
            good = is_value(said.text, type);
        } else {
            with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
                const auto value = std::make_shared<T>();
                good = from_text(said.text, *value);
                made.value = value;
            });
        }
        if (!good) reject("the facet '" + std::string(said.text) + "' is no value of its type");
        return made;
    }

    void add_base(const element_type& type, std::size_t offset) {
        const record_info& base = type.record();
        made_.base = &base;
        made_.options.base = type.record;
        inline_fields(base, offset, no_group, true);
        made_.base_fields = made_.fields.size();
    }

    /// A group that is there once, and no choice, is nothing but its rows.
    void add_group(const field_row& row, std::size_t index, std::size_t offset) {
        const record_info& part = row.type->type.record();
        if (row.type->occurs == occurrence::once && !part.options.choice)
            return inline_fields(part, offset, no_group, false, row.options.secret);
        group_info group;
        group.is_choice = part.options.choice;
        group.occurs = row.type->occurs;
        group.first = made_.fields.size();
        group.offset = offset;
        group.emplace = row.type->emplace;
        group.item = row.type->item;
        std::string_view ns;
        group.extras = read_extras(index, ns, {});
        made_.groups.push_back(group);
        const std::size_t self = made_.groups.size() - 1;
        inline_fields(part, 0, self, false, row.options.secret);
        made_.groups[self].last = made_.fields.size();
        if (!part.attributes.empty() || !part.content.empty())
            throw std::invalid_argument(
                "soapsvc: a group with attributes or content is neither a choice, nor optional, "
                "nor a list: of " +
                told_name(made_.name));
    }

    /// The fields of another record as fields of this one. Those of a group are in this one's
    /// namespace, unless they say their own; those of a base stay where they are. Those of a secret
    /// group are secret.
    void inline_fields(
        const record_info& from,
        std::size_t offset,
        std::size_t group,
        bool is_base = false,
        bool secret = false) {
        const std::size_t groups = made_.groups.size();
        const std::size_t fields = made_.fields.size();
        const auto move = [&](auto& each, std::size_t& in) {
            if (in == no_group) each.offset += offset;
            in = in == no_group ? group : in + groups;
        };
        for (group_info each : from.groups) {
            move(each, each.parent);
            each.first += fields;
            each.last += fields;
            made_.groups.push_back(each);
        }
        for (field_info each : from.fields) {
            move(each, each.group);
            each.options.secret = each.options.secret || secret;
            if (each.ns.data() == nullptr && !is_base) each.ns = fields_ns_;
            made_.fields.push_back(std::move(each));
        }
        for (field_info each : from.attributes) {
            each.offset += offset;
            each.options.secret = each.options.secret || secret;
            made_.attributes.push_back(std::move(each));
        }
        for (field_info each : from.content) {
            each.offset += offset;
            each.options.secret = each.options.secret || secret;
            made_.content.push_back(std::move(each));
        }
    }

    /// What only shows when all rows are together.
    void check() {
        check_names();
        if (made_.content.size() > 1 || (!made_.content.empty() && !made_.fields.empty()))
            reject("content is there twice, or beside elements,");
        for (const field_info& each : made_.content)
            if (has_no_name(each))
                reject("content has a type without a name; write simple_type(...) for it;");
        if (made_.options.all || (made_.base && made_.base->options.all)) check_all();
        made_.has_content = !made_.content.empty();
        made_.has_attributes = !made_.attributes.empty();
        for (const auto* list : {&made_.content, &made_.attributes})
            for (const field_info& each : *list)
                made_.has_names = made_.has_names || holds_names(each.type);
        made_.is_plain = !made_.has_content && !made_.has_attributes && made_.groups.empty() &&
                         made_.children_ns.data() == nullptr;
        for (field_info& each : made_.fields) {
            if (each.kind == row_kind::any) made_.has_wildcard = true;
            each.rare_as_sent = each.kind != row_kind::element || each.ns.data() != nullptr ||
                                each.emplace_nil || each.stream || each.extras != &no_extras ||
                                each.type.kind >= type_kind::name || holds_names(each.type);
            each.is_plain_in_scope = can_be_plain(each);
            each.rare = each.rare_as_sent || each.group != no_group || each.has_twins;
            if (each.rare) made_.is_plain = false;
        }
        for (const group_info& each : made_.groups)
            if (each.parent != no_group) made_.groups[each.parent].has_groups = true;
    }

    /// Attributes have names of their own. Elements may share one where the order tells them apart.
    void check_names() {
        for (field_info& one : made_.attributes)
            for (field_info& other : made_.attributes)
                if (&one < &other && is_called_like(one, other, false))
                    reject("two attributes are called " + std::string(one.name));
        for (std::size_t at = 0; at != made_.fields.size(); ++at)
            for (std::size_t later = at + 1; later != made_.fields.size(); ++later)
                check_twins(at, later);
    }

    /// `perhaps`: also of what is in the service's namespace, which a table does not know, and one
    /// that is said.
    static bool is_called_like(const field_info& one, const field_info& other, bool perhaps) {
        const bool same_ns = (one.ns.data() == nullptr) == (other.ns.data() == nullptr)
                                 ? one.ns == other.ns
                                 : perhaps;
        return !one.name.empty() && one.name == other.name && same_ns;
    }

    /// XML Schema part 1, 3.8.6: elements of one name in a content model have one type, and it is
    /// clear from what came before which of them is meant. Looked at is the beginning of branches,
    /// and what may be absent before its like; the rest is for validators.
    void check_twins(std::size_t at, std::size_t later) {
        field_info& one = made_.fields[at];
        field_info& other = made_.fields[later];
        if (!is_called_like(one, other, true)) return;
        one.has_twins = other.has_twins = true;
        one.options.secret = other.options.secret = one.options.secret || other.options.secret;
        if (!is_called_like(one, other, false)) return;
        const std::string both = "two rows are called " + std::string(one.name);
        if (!is_one_type(one, other)) reject(both + ", and have different types,");
        if (is_ambiguous(made_, at, later)) reject(both + ", and nothing tells them apart,");
    }

    static bool is_one_type(const field_info& one, const field_info& other) {
        const auto name_of = [](const field_info& row) {
            const facet_set* const facets = row.extras->facets;
            return facets ? std::pair(facets->type_name, facets->builtin)
                          : std::pair<std::string_view, std::string_view>();
        };
        const bool named = one.type.kind == type_kind::derived || !has_no_name(one);
        return named && has_no_name(one) == has_no_name(other) && one.type == other.type &&
               name_of(one) == name_of(other);
    }

    /// XML Schema part 1, 3.8.6: an all group stands alone, and holds elements that come once.
    void check_all() {
        const bool extended = made_.base_fields != 0 && made_.fields.size() != made_.base_fields;
        const bool alone =
            made_.groups.empty() &&
            std::all_of(made_.fields.begin(), made_.fields.end(), [](const field_info& each) {
                return each.kind == row_kind::element && each.occurs != occurrence::many;
            });
        if (extended || !alone)
            reject("all is beside a base's elements, or holds groups, wildcards or lists,");
    }

    std::span<const row_extra> extras_;
    record_info& made_;
    std::string_view fields_ns_;
};

SOAPSVC_INLINE const record_info& describe_rows(
    std::string_view name,
    std::span<const field_row> rows,
    std::span<const row_extra> extras,
    const record_options& options,
    const void* object,
    const void* const* places) {
    auto made = std::make_unique<record_info>();
    record_describer(name, extras, options, *made).add(rows, object, places);
    return *made.release();
}

// --- Names ---------------------------------------------------------------------------------------

inline constexpr std::string_view soap11_ns = "http://schemas.xmlsoap.org/soap/envelope/";
inline constexpr std::string_view soap12_ns = "http://www.w3.org/2003/05/soap-envelope";
inline constexpr std::string_view soap12_no_encoding =
    "http://www.w3.org/2003/05/soap-envelope/encoding/none";
inline constexpr std::string_view xsi_ns = "http://www.w3.org/2001/XMLSchema-instance";
inline constexpr std::string_view xsd_ns = "http://www.w3.org/2001/XMLSchema";
inline constexpr std::string_view encoding11_ns = "http://schemas.xmlsoap.org/soap/encoding/";
inline constexpr std::string_view encoding12_ns = "http://www.w3.org/2003/05/soap-encoding";

inline bool has_attributes(node element) noexcept {
    return element.attributes().begin() != element.attributes().end();
}

/// The namespace of a type with a table, as descriptions have it.
inline std::string_view type_ns(const element_type& type) {
    if (type.kind == type_kind::derived) return type_ns(type.parts().types[0]);
    return type.kind == type_kind::record        ? type.record().ns
           : type.kind == type_kind::enumeration ? type.enumeration().ns
                                                 : std::string_view();
}

/// The local name of a type in the schema: that of its table, or of XML Schema's built-in type.
/// Empty for lists and unions, which have none.
inline std::string_view type_name(const element_type& type) {
    if (type.kind == type_kind::derived) return type_name(type.parts().types[0]);
    if (type.kind == type_kind::fragment) return "anyType";
    if (type.kind == type_kind::name) return "QName";
    if (has_parts(type.kind)) return {};
    if (type.kind == type_kind::record) return type.record().name;
    if (type.kind == type_kind::enumeration) return type.enumeration().name;
    return simple_type_of(type.kind).name;
}

/// The type of a list of these as a result: ArrayOfInt.
inline std::string list_name(const element_type& item) {
    std::string name = "ArrayOf" + std::string(type_name(item));
    if (name[7] >= 'a' && name[7] <= 'z') name[7] = static_cast<char>(name[7] - 32);
    return name;
}

/// The namespace of a service.
inline std::string service_ns(const service_info& service, std::string_view ns_base) {
    if (service.options.ns.data() != nullptr) return std::string(service.options.ns);
    return std::string(ns_base) + '/' + std::string(service.name);
}

/// What SOAPAction says.
inline std::string action_name(std::string_view ns, const operation_info& operation) {
    if (operation.action.data() != nullptr) return std::string(operation.action);
    return std::string(ns) + (ns.ends_with('/') ? "" : "/") + std::string(operation.name);
}

// --- Operations ----------------------------------------------------------------------------------

/// Makes an operation's description from its row. What its names follow from is known here alone;
/// those of messages, which are in the WSDL alone, are name_messages'.
class operation_describer {
public:
    /// The rows of a record as the content of elements of a namespace. Operations that have an
    /// element in common have one of these in common.
    struct moved_record {
        const record_info* from;
        std::string_view ns;
        std::shared_ptr<const record_info> made;
    };

    operation_describer(
        const operation_row& row,
        message_style style,
        std::vector<moved_record>& moved,
        operation_info& made)
        : type_(*row.type), names_type_(row.names_type), moved_(moved), made_(made) {
        made_.name = row.name;
        made_.options = row.options;
        made_.style = style;
        made_.request_name.local = row.name;
        made_.response_name.local = kept(row.name, "Response");
        made_.result.name = kept(row.name, "Result");
        made_.headers = named_blocks(type_.headers, made_.other_headers);
        made_.told = named_blocks(type_.told, made_.other_told);
        made_.call = type_.call;
    }

    /// The blocks before the one for all others, which goes into `others`.
    static std::span<const header_type> named_blocks(
        std::span<const header_type> all, const header_type*& others) {
        if (all.empty() || all.back().record) return all;
        others = &all.back();
        return all.first(all.size() - 1);
    }

    void apply(const row_extra& said) {
        switch (said.kind) {
        case extra_kind::request: made_.request_name.local = said.text; break;
        case extra_kind::response: made_.response_name.local = said.text; break;
        case extra_kind::result: made_.result.name = said.text; break;
        case extra_kind::ns:
        case extra_kind::unqualified:
            if (named_ == extra_kind::request) made_.request_name.ns = said.text;
            if (named_ == extra_kind::response) made_.response_name.ns = said.text;
            if (named_ == extra_kind::result) made_.result.ns = said.text;
            return;
        case extra_kind::action:
            made_.action = said.text;
            for (const char c : said.text)
                if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7F)
                    reject("has an action that HTTP cannot carry");
            break;
        case extra_kind::fault: made_.details.push_back({type_kind::record, said.record}); break;
        case extra_kind::one_way: made_.reply = reply_form::none; break;
        case extra_kind::empty_reply: made_.reply = reply_form::no_element; break;
        case extra_kind::rpc: made_.style = message_style::rpc; break;
        case extra_kind::bare: made_.style = message_style::bare; break;
        default: break;
        }
        named_ = said.kind;
    }

    void finish() {
        describe_request();
        if (type_.result) describe_result();
        if (made_.style == message_style::rpc) check_parts();
        if (made_.style == message_style::rpc && made_.reply == reply_form::no_element)
            reject("is rpc: its reply has an element, so it is no empty_reply");
    }

private:
    /// Kept as long as the description is.
    std::string_view kept(std::string_view name, std::string_view end) {
        const auto made = std::make_shared<const std::string>(std::string(name).append(end));
        made_.kept.push_back(made);
        return *made;
    }

    [[noreturn]] void reject(const std::string& what) const {
        throw std::invalid_argument(
            "soapsvc: the operation " + std::string(made_.name) + ' ' + what);
    }

    /// The rows of a record as the content of an element that says its namespace.
    const record_info& in_namespace(const record_info& record, std::string_view ns) {
        const auto known =
            std::find_if(moved_.begin(), moved_.end(), [&](const moved_record& each) {
                return each.from == &record && each.ns == ns;
            });
        if (known != moved_.end()) {
            made_.kept.push_back(known->made);
            return *known->made;
        }
        const auto made = std::make_shared<record_info>(record);
        moved_.push_back({&record, ns, made});
        made_.kept.push_back(made);
        if (made->ns.data() == nullptr) made->ns = ns;
        if (made->children_ns.data() == nullptr) made->children_ns = ns;
        for (field_info& field : made->fields) {
            if (field.ns.data() == nullptr) field.ns = ns;
            field.rare = field.rare_as_sent = true;
        }
        made->is_plain = made->is_plain && made->fields.empty();
        return *made;
    }

    /// The namespace of what has none of its own within a message's element; no data: the
    /// service's.
    std::string_view inner_ns(const described_name& element) const {
        return made_.style == message_style::rpc ? std::string_view("") : element.ns;
    }

    void describe_request() {
        const record_info& record = type_.request ? type_.request() : no_request;
        const bool is_derived = type_.asked && type_.asked->type.kind == type_kind::derived;
        const bool is_named = names_type_ || is_derived ||
                              (!record.name.empty() && made_.style == message_style::bare);
        const bool has_type = is_named && made_.style != message_style::rpc;
        if (has_type) made_.request_type = {type_kind::record, type_.request};
        const std::string_view ns = inner_ns(made_.request_name);
        const bool moves = !has_type && ns.data() != nullptr && !record.fields.empty();
        made_.request = moves ? &in_namespace(record, ns) : &record;
        if (!type_.asked) return;
        describe_value(made_.asked, *type_.asked);
        made_.asked.name = made_.request_name.local;
        made_.asked.ns = made_.request_name.ns;
        made_.asked.rare = made_.asked.rare_as_sent = true;
    }

    void describe_value(field_info& value, const member_type& type) const {
        value.options = made_.options;
        value.type = type.type;
        value.occurs = type.occurs;
        value.emplace = type.emplace;
        value.item = type.item;
        value.emplace_nil = type.emplace_nil;
        value.stream = type.stream;
    }

    void describe_result() {
        field_info& result = made_.result;
        describe_value(result, *type_.result);
        const record_info* const record = record_of(result.type);
        const bool unnamed = record && record->name.empty();
        made_.reply =
            made_.style == message_style::bare || unnamed ? reply_form::whole : reply_form::child;
        const std::string_view ns = inner_ns(made_.response_name);
        if (made_.reply == reply_form::whole) {
            result.name = made_.response_name.local;
            result.ns = made_.response_name.ns;
            made_.result_record =
                unnamed && ns.data() != nullptr ? &in_namespace(*record, ns) : record;
        } else if (result.ns.data() == nullptr) {
            result.ns = ns;
        }
        result.tags = element_tags(result.name);
        result.rare = made_.reply == reply_form::whole || result.ns.data() != nullptr ||
                      result.emplace_nil || result.stream || result.type.kind >= type_kind::name ||
                      holds_names(result.type);
        result.rare_as_sent = result.rare;
        if (!made_.is_list()) return;
        made_.item = result;
        made_.item.name = type_name(result.type);
        made_.item.tags = element_tags(made_.item.name);
        made_.item.ns = {};
        made_.item.options = {};
        made_.item.is_plain_in_scope = can_be_plain(made_.item);
    }

    /// A part is an element of a named type, which is there once (WS-I Basic Profile 1.1, R2211).
    void check_parts() const {
        check_parts(*made_.request);
        if (made_.result_record && made_.reply == reply_form::whole)
            check_parts(*made_.result_record);
        if (made_.reply == reply_form::child && made_.result.occurs == occurrence::optional)
            reject("is rpc: its result is there once, so it is no std::optional");
    }
    void check_parts(const record_info& record) const {
        bool good = record.attributes.empty() && record.content.empty();
        for (const field_info& part : record.fields)
            good = good && part.kind == row_kind::element && part.occurs == occurrence::once &&
                   part.group == no_group;
        if (!good) reject("is rpc: its parts are elements that are there once");
    }

    const method_type& type_;
    bool names_type_;
    std::vector<moved_record>& moved_;
    extra_kind named_ = extra_kind::ns;
    operation_info& made_;
};

SOAPSVC_INLINE const record_info& record_elsewhere(const record_info& made, std::string_view name) {
    if (made.name == name) return made;
    throw std::invalid_argument(
        "soapsvc: elsewhere(\"" + std::string(name) + "\") has a table called \"" +
        std::string(made.name) + '"');
}

SOAPSVC_INLINE const service_info& describe_operations(
    std::string_view name,
    const service_options& options,
    std::span<const operation_row> rows,
    std::span<const row_extra> extras,
    const documented_fault* faults,
    const void* const* methods) {
    auto made = std::make_unique<service_info>(service_info{name, options, {}});
    std::vector<operation_describer::moved_record> moved;
    for (std::size_t row = 0; row != rows.size(); ++row) {
        operation_info& info = made->operations.emplace_back();
        operation_describer describer(rows[row], options.style, moved, info);
        for (const row_extra& each : extras)
            if (each.row == row) describer.apply(each);
        describer.finish();
        info.faults = {faults, rows[row].fault_count};
        faults += rows[row].fault_count;
        info.method = *methods++;
    }
    return *made.release();
}

// --- Writing ------------------------------------------------------------------------------------

struct later_stream;

/// Writes values. Elements have no prefix as long as they can do without: the namespace in scope is
/// declared by the payload, and is the service's for most of them.
class encoder : public element_writer {
public:
    /// `ns` is the service's namespace, `in_scope` what names without a prefix are in.
    /// `checks`: what the other side would refuse by a facet is refused here.
    encoder(
        std::string& out,
        std::string_view ns,
        std::string_view in_scope,
        bool checks = false) noexcept
        : element_writer(out), ns_(ns), checks_(checks) {
        enter(in_scope);
    }
    bool checks() const noexcept { return checks_; }

    /// Has a stream written later, in pieces: here is noted where, and how.
    void write_later(later_stream& later) noexcept { later_ = &later; }
    later_stream* later() const noexcept { return later_; }

    /// The namespace that a description's one stands for.
    std::string_view resolve(std::string_view ns) const noexcept {
        return ns.data() == nullptr ? ns_ : ns;
    }
    std::string_view in_scope() const noexcept { return in_scope_; }
    bool is_elsewhere() const noexcept { return elsewhere_; }  ///< not in the service's namespace
    void enter(std::string_view ns) noexcept {
        in_scope_ = ns;
        elsewhere_ = !same_text(ns, ns_);
    }

private:
    std::string_view ns_;
    std::string_view in_scope_;
    bool elsewhere_ = false;
    bool checks_;
    later_stream* later_ = nullptr;
};

inline void write_fields(encoder& out, const record_info& record, const void* object);

/// The text of an enumerator. One that its table does not list is a mistake of the program, which
/// the caller of the service sees as an incident only.
inline std::string_view enumerator_text(const enumeration_info& table, const void* value) {
    const value_row* const row = find_enumerator(table, value);
    if (!row)
        throw std::logic_error(
            "soapsvc: a value to be sent is not in the table of " + std::string(table.name));
    return row->text;
}

template <class T>
void write_simple(element_writer& out, const T& value) {
    if constexpr (std::is_same_v<T, std::string>)
        out.text(value);
    else if constexpr (whole_number<T>)
        out.whole_number(value);
    else
        out.through_a_string([&value](std::string& text) { to_text(text, value); });
}

class value_names;
inline std::string text_of(
    const element_type& type, const void* value, const value_names* names = nullptr);

/// The alternative that a value made of others holds; none: it holds nothing.
inline std::optional<std::size_t> held_part(const value_parts& parts, const void* value) {
    for (std::size_t index = 0; index != parts.types.size(); ++index)
        if (parts.item(value, index)) return index;
    return std::nullopt;
}

[[gnu::noinline]] inline void write_other_text(
    encoder& out, const element_type& type, const void* value) {
    if (type.kind < type_kind::enumeration)
        return with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
            write_simple(out, *static_cast<const T*>(value));
        });
    if (type.kind == type_kind::choice_of) {  // of most a string, whose text needs no copy
        const value_parts& parts = type.parts();
        const auto held = held_part(parts, value);
        if (held && parts.types[*held].kind == type_kind::string)
            return out.text(*static_cast<const std::string*>(parts.item(value, *held)));
    }
    out.text(text_of(type, value));
}

/// Appends a simple value as character data. What most replies are full of is inlined.
[[gnu::always_inline]] inline void write_text(
    encoder& out, const element_type& type, const void* value) {
    if (type.kind == type_kind::string)
        out.text(*static_cast<const std::string*>(value));
    else if (type.kind == type_kind::int32)
        out.whole_number(*static_cast<const std::int32_t*>(value));
    else if (type.kind == type_kind::boolean)
        out.raw(*static_cast<const bool*>(value) ? "true" : "false");
    else if (type.kind == type_kind::enumeration)
        out.text(enumerator_text(type.enumeration(), value));
    else
        write_other_text(out, type, value);
}

/// The texts of a list's items, with a space between each two.
inline std::string text_of_list(
    const value_parts& parts, const void* value, const value_names* names) {
    std::string text;
    std::size_t index = 0;
    while (const void* item = parts.item(value, index++)) {
        const std::string one = text_of(parts.types[0], item, names);
        if (one.empty() || std::any_of(one.begin(), one.end(), is_xml_space))
            throw std::invalid_argument(
                "soapsvc: an item of a list to be sent is empty, or has a space in it");
        text.append(text.empty() ? "" : " ").append(one);
    }
    return text;
}

/// A number's text as one of a union: where a type before its own would take it, another of the
/// same number, since who reads takes the first type that fits (XML Schema part 2, 2.5.1.3). A
/// double that is written behind a decimal is 1e0.
inline std::string text_in_union(
    std::span<const element_type> types, std::size_t held, std::string text) {
    const type_kind kind = types[held].kind;
    const bool is_number = (kind >= type_kind::int8 && kind <= type_kind::float64) ||
                           kind == type_kind::decimal || kind == type_kind::integer;
    const auto before = types.first(held);
    const auto is_taken = [&](std::string_view by_them) {
        return std::any_of(before.begin(), before.end(), [&](const element_type& each) {
            return is_value(by_them, each);
        });
    };
    if (!is_number || !is_taken(text)) return text;
    for (const std::string& other : {text + "e0", text + ".0", '+' + text})
        if (is_value(other, types[held]) && !is_taken(other)) return other;
    return text;
}

/// A qualified name as text, whose namespace `prefix` is declared for.
inline std::string prefixed(std::string_view prefix, const qualified_name& name) {
    if (name.ns.empty()) return name.local;
    return std::string(name.ns == xml_ns ? "xml" : prefix) + ':' + name.local;
}

/// The qualified names in a value that is being written: each of their namespaces gets a prefix,
/// which is declared on the element around. A name without a namespace needs none to be in scope,
/// as its element sees to.
class value_names {
public:
    /// The first prefix is `prefix` itself; a value of a type without names has none.
    value_names(const element_type& type, const void* value, std::string prefix)
        : prefix_(std::move(prefix)) {
        if (holds_names(type)) see(type, value);
    }
    bool has_bare() const noexcept { return has_bare_; }
    void declare(encoder& out) const {
        for (const auto& [ns, number] : numbers_)
            out.attribute("xmlns:" + prefix_of(number), ns);
    }
    std::string text(const qualified_name& name) const {
        const auto at = numbers_.find(name.ns);
        return prefixed(at == numbers_.end() ? std::string() : prefix_of(at->second), name);
    }

private:
    void see(const element_type& type, const void* value) {
        if (type.kind == type_kind::name) return see(*static_cast<const qualified_name*>(value));
        if (!holds_names(type)) return;
        const value_parts& parts = type.parts();
        if (type.kind == type_kind::choice_of) {
            const auto held = held_part(parts, value);
            if (held) see(parts.types[*held], parts.item(value, *held));
            return;
        }
        std::size_t index = 0;
        while (const void* item = parts.item(value, index++))
            see(parts.types[0], item);
    }
    void see(const qualified_name& name) {
        if (!is_ncname(name.local))
            throw std::invalid_argument(
                "soapsvc: a qualified name to be sent is no XML name: " + name.local);
        has_bare_ = has_bare_ || name.ns.empty();
        const bool needs_none = name.ns.empty() || name.ns == xml_ns;  // declared everywhere
        if (!needs_none) numbers_.try_emplace(name.ns, numbers_.size());
    }
    std::string prefix_of(std::size_t number) const {
        return prefix_ + (number == 0 ? "" : '_' + std::to_string(number));
    }

    std::string prefix_;
    std::map<std::string_view, std::size_t> numbers_;  // of namespaces, in the order of the names
    bool has_bare_ = false;
};

/// A simple value's text, without escapes.
inline std::string text_of(const element_type& type, const void* value, const value_names* names) {
    std::string text;
    if (type.kind == type_kind::enumeration) {
        text = enumerator_text(type.enumeration(), value);
    } else if (type.kind == type_kind::list) {
        text = text_of_list(type.parts(), value, names);
    } else if (type.kind == type_kind::choice_of) {
        const value_parts& parts = type.parts();
        const auto held = held_part(parts, value);
        if (!held) throw std::invalid_argument("soapsvc: a std::variant to be sent has no value");
        text = text_in_union(
            parts.types, *held, text_of(parts.types[*held], parts.item(value, *held), names));
    } else if (type.kind == type_kind::name) {
        const auto& name = *static_cast<const qualified_name*>(value);
        text = names ? names->text(name) : name.local;
    } else {
        with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_same_v<T, std::string>)
                text = *static_cast<const T*>(value);
            else
                to_text(text, *static_cast<const T*>(value));
        });
    }
    return text;
}

/// Refuses to write what the row's facets do not allow, if `out` is to check.
inline void check_sent(const encoder& out, const field_info& field, const void* value);

/// Whether a text says a value: 1.0 says the number 1.
inline bool is_said_by(std::string_view text, const element_type& type, const void* value) {
    if (type.kind == type_kind::enumeration)
        return enumerator_text(type.enumeration(), value) == text;
    if (type.kind > type_kind::enumeration) return text_of(type, value) == text;
    bool same = false;
    with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
        T other{};
        same = from_text(text, other) && other == *static_cast<const T*>(value);
    });
    return same;
}

/// What a row with `fixed` writes, whatever its member holds; else nullopt.
inline std::optional<std::string_view> fixed_text(const field_info& field) {
    const std::string_view text = field.extras->fixed;
    return text.data() == nullptr ? std::nullopt : std::optional(text);
}

/// Appends one attribute. One with a namespace needs a prefix, of its own among its kind.
inline void write_attribute(
    encoder& out, const record_info& record, const field_info& field, std::string_view text) {
    const std::string_view ns = out.resolve(field.ns);
    if (ns.empty()) return out.attribute(field.name, text);
    if (ns == xml_ns) return out.attribute("xml:" + std::string(field.name), text);
    const std::string prefix = "a" + std::to_string(&field - record.attributes.data());
    out.attribute("xmlns:" + prefix, ns);
    out.attribute(prefix + ':' + std::string(field.name), text);
}

/// Refuses to write what a wildcard for attributes cannot have taken: what is no name, what says
/// something about the message, and a name that the element has already.
inline void check_other_attributes(
    const encoder& out, const record_info& record, const field_info& wildcard, const void* member) {
    const auto refuse = [](const std::string& local) {
        throw std::invalid_argument(
            "soapsvc: an attribute to be sent has no name of its own: " + local);
    };
    const auto name_at = [&](std::size_t place) {
        const void* const item = wildcard.item(member, place);
        return item ? &static_cast<const xml_attribute*>(item)->name : nullptr;
    };
    constexpr std::size_t few = 8;  // are compared with each other, more are sorted
    std::size_t count = 0;
    for (; const qualified_name* const name = name_at(count); ++count) {
        bool good = is_ncname(name->local) && name->ns != xsi_ns && name->ns != xmlns_ns &&
                    (!name->ns.empty() || name->local != "xmlns");
        for (const field_info& field : record.attributes)
            good = good && (field.name != name->local || out.resolve(field.ns) != name->ns);
        for (std::size_t before = 0; before != std::min(count, few); ++before)
            good = good && *name_at(before) != *name;
        if (!good) refuse(name->local);
    }
    if (count <= few) return;
    std::vector<const qualified_name*> names(count);
    for (std::size_t index = 0; index != count; ++index)
        names[index] = name_at(index);
    const auto key = [](const qualified_name* name) { return std::tie(name->local, name->ns); };
    std::sort(names.begin(), names.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
    const auto twice = std::adjacent_find(
        names.begin(), names.end(), [&](auto* a, auto* b) { return key(a) == key(b); });
    if (twice != names.end()) refuse((*twice)->local);
}

/// Appends the attributes of a record's element.
inline void write_attributes(encoder& out, const record_info& record, const void* object) {
    for (const field_info& field : record.attributes) {
        const auto number = [&] { return std::to_string(&field - record.attributes.data()); };
        const void* const member = static_cast<const char*>(object) + field.offset;
        if (field.kind == row_kind::any_attribute) {
            check_other_attributes(out, record, field, member);
            std::size_t index = 0;
            while (const void* item = field.item(member, index++)) {
                const auto& each = *static_cast<const xml_attribute*>(item);
                const std::string prefix = "w" + number() + '_' + std::to_string(index);
                if (!each.name.ns.empty() && each.name.ns != xml_ns)
                    out.attribute("xmlns:" + prefix, each.name.ns);
                out.attribute(prefixed(prefix, each.name), each.value);
            }
            continue;
        }
        const void* const item = field.item(member, 0);
        if (!item) continue;
        check_sent(out, field, item);
        const auto fixed = fixed_text(field);
        if (holds_names(field.type)) {
            const value_names names(field.type, item, "v" + number());
            names.declare(out);
            write_attribute(out, record, field, text_of(field.type, item, &names));
        } else if (fixed) {
            write_attribute(out, record, field, *fixed);
        } else if (field.type.kind == type_kind::string) {
            write_attribute(out, record, field, *static_cast<const std::string*>(item));
        } else if (field.type.kind == type_kind::enumeration) {
            write_attribute(out, record, field, enumerator_text(field.type.enumeration(), item));
        } else {
            write_attribute(out, record, field, text_of(field.type, item));
        }
    }
}

/// The qualified names in the content of a record; none when it has no content.
inline value_names names_inside(const record_info& record, const void* object) {
    if (!record.has_content) return {{}, nullptr, {}};
    const field_info& content = record.content.front();
    return {content.type, static_cast<const char*>(object) + content.offset, "v"};
}

/// Whether a record's content or an attribute has a qualified name without a namespace, which says
/// so only where none is in scope.
inline bool says_bare_name(const record_info& record, const void* object) {
    if (!record.has_names) return false;
    if (names_inside(record, object).has_bare()) return true;
    return std::any_of(
        record.attributes.begin(), record.attributes.end(), [&](const field_info& field) {
            if (field.kind == row_kind::any_attribute || !holds_names(field.type)) return false;
            const void* const item = field.item(static_cast<const char*>(object) + field.offset, 0);
            return item && value_names(field.type, item, {}).has_bare();
        });
}

/// An element that is being written in any namespace, with any attributes. Where its children have
/// another namespace than itself, it has a prefix, and they need none.
class open_element {
public:
    /// Writes the start tag but for its end. `ns` is the element's namespace.
    open_element(
        encoder& out, std::string_view name, std::string_view ns, std::string_view children_ns)
        : out_(out), name_(name), outer_(out.in_scope()) {
        const bool same = ns.empty() || same_text(ns, children_ns);
        prefix_ = same ? "" : "q:";
        out.raw("<");
        out.raw(prefix_);
        out.raw(name);
        if (!same) out.attribute("xmlns:q", ns);
        const std::string_view scope = same ? ns : children_ns;
        if (!same_text(scope, outer_)) out.attribute("xmlns", scope);
        out.enter(scope);
    }
    /// Ends the start tag.
    void begin_content() {
        out_.raw(">");
        content_ = out_.size();
    }
    void close() {
        out_.end(prefix_, name_, content_);
        out_.enter(outer_);
    }

private:
    encoder& out_;
    std::string_view name_;
    std::string_view prefix_;
    std::string_view outer_;
    std::size_t content_ = 0;
};

/// Appends a record as an element of its own, `<name />` when it has no content. `of` is what it is
/// declared to be, if that is another: xsi:type then says what it is.
inline void write_record(
    encoder& out,
    std::string_view name,
    std::string_view ns,
    const record_info& record,
    const void* object,
    const record_info* of = nullptr) {
    const bool childless = record.fields.empty();
    const std::string_view inner = says_bare_name(record, object) ? std::string_view("")
                                   : childless                    ? ns
                                                                  : out.resolve(record.children_ns);
    open_element element(out, name, ns, inner);
    if (of && of != &record) {
        out.attribute("xmlns:t", out.resolve(record.ns));
        out.attribute("xsi:type", "t:" + std::string(record.name));
    }
    write_attributes(out, record, object);
    if (record.has_names) names_inside(record, object).declare(out);
    element.begin_content();
    write_fields(out, record, object);
    element.close();
}

/// A function of its own: what it needs would burden each simple element.
[[gnu::noinline]] inline void write_record_element(
    encoder& out, const element_tags& tags, const record_info& record, const void* value) {
    const bool stays =
        record.is_plain ||
        ((record.fields.empty() || same_text(out.resolve(record.children_ns), out.in_scope())) &&
         !record.has_names);
    if (!stays) return write_record(out, tags.name(), out.in_scope(), record, value);
    out.start(tags);
    if (record.has_attributes) {
        out.take_back_bracket();
        write_attributes(out, record, value);
        out.raw(">");
    }
    const std::size_t content = out.size();
    write_fields(out, record, value);
    out.end(tags, content);
}

/// Appends one element of any type in the service's namespace, which is in scope; `<name />` when
/// it has no content.
inline void write_element(
    encoder& out, const element_tags& tags, const element_type& type, const void* value) {
    if (type.kind == type_kind::record)
        return write_record_element(out, tags, type.record(), value);
    out.start(tags);
    const std::size_t content = out.size();
    write_text(out, type, value);
    out.end(tags, content);
}

template <>
SOAPSVC_INLINE void* emplace_member<std::vector<xml>>(void* at) {
    return append_to(*static_cast<std::vector<xml>*>(at));
}
template <>
SOAPSVC_INLINE void* emplace_member<std::vector<xml_attribute>>(void* at) {
    return append_to(*static_cast<std::vector<xml_attribute>*>(at));
}

/// What the library makes of elements that it does not know, and of them again.
struct fragment {
    static xml of(node element, std::size_t& room);
    static void write_as(
        encoder& out, std::string_view name, std::string_view ns, const xml& value);
};

/// Appends a value that is one of several derived structs.
inline void write_derived(
    encoder& out,
    std::string_view name,
    std::string_view ns,
    const element_type& type,
    const void* value) {
    const value_parts& parts = type.parts();
    const auto held = held_part(parts, value);
    const record_info& base = parts.types[0].record();
    if (!held || (*held == 0 && base.options.abstract))
        throw std::invalid_argument(
            "soapsvc: a value to be sent as " + std::string(name) +
            " holds nothing, an abstract type, or none that derivations<> lists");
    write_record(out, name, ns, parts.types[*held].record(), parts.item(value, *held), &base);
}

/// Appends an element that no table knows.
inline void write_other(encoder& out, const xml& value) {
    if (value.empty())
        throw std::invalid_argument(
            "soapsvc: a soapsvc::xml to be sent, of which any name is allowed, is empty");
    out.raw(value.text());
}

/// The record that samples, forms and nil values show for a type: of an abstract one the first that
/// extends it. nullptr when it has none.
inline const record_info* sent_record(const element_type& type) {
    const record_info* const base = record_of(type);
    if (type.kind != type_kind::derived || !base->options.abstract) return base;
    for (const element_type& each : type.parts().types)
        if (!each.record().options.abstract) return &each.record();
    return base;
}

/// Says of an element that is nil what it would be: nothing is of an abstract type, nil neither
/// (XML Schema part 1, 3.4.4: Element Locally Valid (Type)).
inline void write_type_of_nil(encoder& out, const element_type& type) {
    const record_info* const record = sent_record(type);
    if (!record || record == record_of(type)) return;
    out.attribute("xmlns:t", out.resolve(record->ns));
    out.attribute("xsi:type", "t:" + std::string(record->name));
}

/// Appends what a row says that is no plain one, or that stands where another namespace is in
/// scope.
inline void write_rare_item(encoder& out, const field_info& field, const void* item) {
    const std::string_view ns = out.resolve(field.ns);
    const bool nil = item == &nil_item;
    if (field.kind == row_kind::any) return write_other(out, *static_cast<const xml*>(item));
    if (field.type.kind == type_kind::record && !nil)
        return write_record(out, field.name, ns, field.type.record(), item);
    if (field.type.kind == type_kind::derived && !nil)
        return write_derived(out, field.name, ns, field.type, item);
    if (field.type.kind == type_kind::fragment && !nil)
        return fragment::write_as(out, field.name, ns, *static_cast<const xml*>(item));
    std::optional<value_names> names;
    if (!nil && holds_names(field.type)) names.emplace(field.type, item, "v");
    if (!nil) check_sent(out, field, item);
    const bool bare = names && names->has_bare();
    open_element element(out, field.name, ns, bare ? std::string_view("") : ns);
    if (nil) out.attribute("xsi:nil", "true");
    if (nil) write_type_of_nil(out, field.type);
    if (names) names->declare(out);
    element.begin_content();
    if (const auto fixed = fixed_text(field); fixed && !nil)
        out.text(*fixed);
    else if (names)
        out.text(text_of(field.type, item, &*names));
    else if (!nil)
        write_text(out, field.type, item);
    element.close();
}

/// Refuses to write what the other side would refuse by occurs(...), if `out` is to check.
inline void check_count(
    const encoder& out,
    const field_extras& said,
    const char* what,
    std::string_view name,
    std::size_t count) {
    if (out.checks() && (count < said.least || count > said.most))
        throw std::invalid_argument(
            "soapsvc: " + std::to_string(count) + what + std::string(name) +
            " are to be sent, which is not what occurs(...) says");
}

/// Whether the elements of a row that is no plain one can be written as if it were.
inline bool is_plain_here(const encoder& out, const field_info& field) {
    return field.is_plain_in_scope && same_text(out.resolve(field.ns), out.in_scope()) &&
           !(out.checks() && field.extras->facets);
}

/// Writes the items of a stream, or its bytes, a piece at a time, into one text or several. What it
/// looks at lives as long as the tables, but for the stream itself.
class stream_writer {
public:
    stream_writer(const encoder& around, const field_info& field, const void* member)
        : field_(field),
          member_(member),
          ns_(around.resolve({})),
          in_scope_(around.in_scope()),
          checks_(around.checks()),
          plain_(is_plain_here(around, field)) {}

    /// Appends the next piece; false: there is no other one. Throws what the stream throws, and
    /// what writing does; then a part of the piece may be there.
    bool append(encoder& out) {
        return field_.stream->read ? append_bytes(out) : append_items(out);
    }
    bool append(std::string& to) {
        encoder out(to, ns_, in_scope_, checks_);
        return append(out);
    }
    static constexpr std::size_t memory = 24'576;  ///< that it may take

private:
    bool append_items(encoder& out) {
        const std::size_t enough = out.size() + base64_size(memory);
        while (out.size() < enough) {
            const void* const item = field_.item(member_, count_);
            if (!item) {
                check_count(out, *field_.extras, " of ", field_.name, count_);
                return false;
            }
            ++count_;
            if (plain_)
                write_element(out, field_.tags, field_.type, item);
            else
                write_rare_item(out, field_, item);
        }
        return true;
    }

    /// A source that gives little is asked more than once. Of three bytes become four digits: what
    /// is left over begins the next piece.
    bool append_bytes(encoder& out) {
        if (!bytes_) bytes_ = std::make_unique<std::uint8_t[]>(memory);
        bool ended = false;
        while (count_ < memory / 2 && !ended) {
            const auto room = std::span(bytes_.get(), memory).subspan(count_);
            const std::size_t got = field_.stream->read(member_, std::as_writable_bytes(room));
            count_ += got;
            ended = got == 0;
        }
        const std::size_t whole = ended ? count_ : count_ / 3 * 3;
        out.base64(bytes_.get(), whole);
        count_ -= whole;
        std::memcpy(bytes_.get(), bytes_.get() + whole, count_);
        return !ended;
    }

    const field_info& field_;
    const void* member_;
    std::string_view ns_, in_scope_;
    bool checks_, plain_;
    std::size_t count_ = 0;  // of items so far; of bytes not written yet
    std::unique_ptr<std::uint8_t[]> bytes_;
};

/// A stream that is written later: in place of the one character at `at`.
struct later_stream {
    std::optional<stream_writer> writer{};
    std::size_t at = 0;
};

/// Appends what is in a stream, or leaves a place for it.
inline void write_stream(encoder& out, const field_info& field, const void* member) {
    stream_writer writer(out, field, member);
    if (later_stream* const later = out.later(); later && !later->writer) {
        later->writer.emplace(std::move(writer));
        later->at = out.size();
        return out.raw(" ");
    }
    while (writer.append(out))
        continue;
}

/// Appends the elements of a stream, or the one around its bytes.
inline void write_stream_member(encoder& out, const field_info& field, const void* member) {
    if (!field.stream->read) return write_stream(out, field, member);
    const std::string_view ns = out.resolve(field.ns);
    open_element element(out, field.name, ns, ns);
    element.begin_content();
    write_stream(out, field, member);
    element.close();
}

/// Appends all that a row says of a member. In a choice there may be none.
inline void write_member(
    encoder& out, const field_info& field, const void* member, bool in_choice) {
    const bool rare = field.rare_as_sent || out.is_elsewhere();
    if (rare && field.stream) return write_stream_member(out, field, member);
    std::size_t index = 0;
    const bool plain = !rare || is_plain_here(out, field);
    while (const void* item = field.item(member, index)) {
        if (plain && item != &nil_item)
            write_element(out, field.tags, field.type, item);
        else
            write_rare_item(out, field, item);
        ++index;
        if (field.occurs != occurrence::many) break;
    }
    if (rare && field.occurs == occurrence::many && !(in_choice && index == 0))
        check_count(out, *field.extras, " of ", field.name, index);
}

/// The outermost group that a row is in, of those within `group`; `group` itself when it is in
/// none.
inline std::size_t group_below(const record_info& record, std::size_t row, std::size_t group) {
    std::size_t at = record.fields[row].group;
    if (at == group) return group;
    while (record.groups[at].parent != group)
        at = record.groups[at].parent;
    return at;
}

/// Whether a member of an item is there.
inline bool is_set(const auto& row, const void* item) {
    return row.item(static_cast<const char*>(item) + row.offset, 0) != nullptr;
}

/// The rows of a choice that are to be sent: that which is set, or those of the group that is. A
/// choice of which not exactly one is set cannot be sent: nobody could tell what was meant.
inline std::pair<std::size_t, std::size_t> rows_of_choice(
    const record_info& record, std::size_t group, const void* item) {
    std::size_t set = 0;
    const group_info& choice = record.groups[group];
    std::pair<std::size_t, std::size_t> rows{choice.first, choice.last};
    const field_info* const fields = record.fields.data();
    for (std::size_t row = choice.first; row != choice.last; ++row)
        if (fields[row].group == group && is_set(fields[row], item)) ++set, rows = {row, row + 1};
    for (std::size_t inner = group + 1; choice.has_groups && inner != record.groups.size(); ++inner)
        if (const group_info& part = record.groups[inner];
            part.parent == group && is_set(part, item))
            ++set, rows = {part.first, part.last};
    if (set != 1)
        throw std::invalid_argument(
            "soapsvc: a choice to be sent in " + told_name(record.name) + " has " +
            std::to_string(set) + " of its members set, not one");
    return rows;
}

/// Appends the rows from `first` to `last` of `object`, which is an item of `group`, or the record.
inline void write_rows(
    encoder& out,
    const record_info& record,
    std::size_t first,
    std::size_t last,
    std::size_t group,
    const void* object) {
    const bool in_choice = group != no_group && record.groups[group].is_choice;
    for (std::size_t row = first; row != last;) {
        const field_info& field = record.fields[row];
        const std::size_t inner = field.group == group ? group : group_below(record, row, group);
        if (inner == group) {
            write_member(out, field, static_cast<const char*>(object) + field.offset, in_choice);
            ++row;
            continue;
        }
        const group_info& part = record.groups[inner];
        const void* member = static_cast<const char*>(object) + part.offset;
        std::size_t index = 0;
        while (const void* item = part.item(member, index)) {
            std::pair<std::size_t, std::size_t> rows{part.first, part.last};
            if (part.is_choice) rows = rows_of_choice(record, inner, item);
            write_rows(out, record, rows.first, rows.second, inner, item);
            ++index;
            if (part.occurs != occurrence::many) break;
        }
        if (part.occurs == occurrence::many && !(in_choice && index == 0))
            check_count(out, *part.extras, " groups of ", field.name, index);
        row = part.last;
    }
}

/// The fields of a record that is no plain one, or whose element is of another namespace.
[[gnu::noinline]] inline void write_rare_fields(
    encoder& out, const record_info& record, const void* object) {
    if (!record.has_content)
        return write_rows(out, record, 0, record.fields.size(), no_group, object);
    const field_info& content = record.content.front();
    const void* const member = static_cast<const char*>(object) + content.offset;
    check_sent(out, content, member);
    if (holds_names(content.type)) {
        const value_names names = names_inside(record, object);
        out.text(text_of(content.type, member, &names));
    } else {
        write_text(out, content.type, member);
    }
}

inline void write_fields(encoder& out, const record_info& record, const void* object) {
    if (!record.is_plain || out.is_elsewhere()) return write_rare_fields(out, record, object);
    for (const field_info& field : record.fields) {
        const void* const member = static_cast<const char*>(object) + field.offset;
        std::size_t index = 0;
        while (const void* item = field.item(member, index++)) {
            write_element(out, field.tags, field.type, item);
            if (field.occurs != occurrence::many) break;
        }
    }
}

/// Appends a record as an element of its own that declares its namespaces. `ns` is the service's.
inline void write_record_in(
    writer& out,
    std::string_view ns,
    const described_name& name,
    const record_info& record,
    const void* object,
    bool checks = false) {
    encoder element(out.buffer(), ns, "", checks);
    write_record(element, name.local, element.resolve(name.ns), record, object);
}

/// Appends a header block that declares its namespaces, unless it is absent.
inline void write_block_in(
    writer& out,
    std::string_view ns,
    const header_type& header,
    const void* all,
    bool checks = false) {
    const record_info& record = header.record();
    if (const void* const block = header.item(all, 0))
        write_record_in(out, ns, name_of(record), record, block, checks);
}

/// Appends the blocks that no table knows, if there may be any.
inline void write_other_blocks(writer& out, const header_type* others, const void* all) {
    if (!others) return;
    encoder blocks(out.buffer(), "", "");
    for (std::size_t index = 0; const void* const item = others->item(all, index); ++index) {
        const xml& block = *static_cast<const xml*>(item);
        if (!block.empty() && block.name().ns.empty())
            throw std::invalid_argument(
                "soapsvc: the header block " + block.name().local +
                " is in no namespace; it needs one");
        write_other(blocks, block);
    }
}

/// Appends a message's element whose value is `item`: nil, of `record` or of what extends that, or
/// simple. `record` stands for the value's type, since it is in the namespace of the message.
inline void write_whole(
    encoder& out, const field_info& field, const record_info* record, const void* item) {
    if (!record || item == &nil_item || field.type.kind == type_kind::derived)
        return write_rare_item(out, field, item);
    write_record(out, field.name, out.resolve(field.ns), *record, item);
}

/// Appends the element of a request, which declares its namespaces. `ns` is the service's.
inline void write_request_in(
    writer& to, std::string_view ns, const operation_info& operation, const void* request) {
    const field_info& asked = operation.asked;
    if (!asked.emplace)
        return write_record_in(to, ns, operation.request_name, *operation.request, request, true);
    encoder out(to.buffer(), ns, "", true);
    write_whole(out, asked, operation.request, asked.item(request, 0));
}

/// Appends the element that an operation answers with, around what it returned.
inline void write_reply(encoder& out, const operation_info& operation, const void* returned) {
    if (operation.reply == reply_form::no_element) return;
    const std::string_view ns = out.resolve(operation.response_name.ns);
    const field_info& result = operation.result;
    const auto items = [&] {
        if (result.stream) return write_stream(out, operation.item, returned);
        std::size_t index = 0;
        while (const void* item = result.item(returned, index++))
            write_rare_item(out, operation.item, item);
    };
    const bool whole = operation.reply == reply_form::whole;
    if (whole && result.stream && !operation.is_list())
        return write_stream_member(out, result, returned);
    if (whole && !operation.is_list())
        return write_whole(out, result, operation.result_record, result.item(returned, 0));
    const std::string_view children_ns = whole ? out.resolve({})
                                         : operation.reply == reply_form::child
                                             ? out.resolve(result.ns)
                                             : ns;
    open_element element(out, operation.response_name.local, ns, children_ns);
    element.begin_content();
    if (whole) items();
    if (operation.reply == reply_form::child && !operation.is_list())
        write_member(out, result, returned, false);
    if (operation.reply == reply_form::child && operation.is_list()) {
        open_element list(out, result.name, out.resolve(result.ns), out.resolve({}));
        list.begin_content();
        items();
        list.close();
    }
    element.close();
}

// --- Elements that no table knows ----------------------------------------------------------------

/// How many bytes of namespace declarations the fragments of one message part may take that stood
/// further out: each keeps its own, and a sender could have one long name repeated by thousands.
inline constexpr std::size_t most_declarations = 1024 * 1024;

/// The names before colons in a fragment that could be prefixes, each once, sorted: of elements and
/// attributes, and in values, since a value may be a qualified name, which only its reader knows.
inline std::vector<std::string_view> possible_prefixes(std::string_view text) {
    std::vector<std::string_view> found;
    found.reserve(8);
    const auto keep_each_once = [&found] {
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
    };
    std::size_t most = 1024;  // so that names which come again and again take no memory
    for (std::size_t colon = text.find(':'); colon != text.npos;
         colon = text.find(':', colon + 1)) {
        std::size_t begin = colon;
        while (begin != 0 && has_class(text[begin - 1], name_class | high_class))
            --begin;
        const std::string_view name = text.substr(begin, colon - begin);
        if (name.empty() || (!found.empty() && found.back() == name)) continue;
        if (found.size() == most) {
            keep_each_once();
            most = std::max(most, 2 * found.size());
        }
        found.push_back(name);
    }
    keep_each_once();
    return found;
}

/// Whether the default namespace means anything inside an element, for a name or for xsi:type.
inline bool uses_default(node top) {
    for (node at = top; at;) {
        const auto type = at.attribute(xsi_ns, "type");
        if (at.prefix().empty() || (type && type->find(':') == type->npos)) return true;
        node next = at.first_child();
        while (!next && at && at != top) {
            next = at.next_sibling();
            if (!next) at = at.parent();
        }
        if (at == top && !next) break;
        at = next;
    }
    return false;
}

/// The prefixes that an element declares itself, sorted; "" for the default namespace.
inline std::vector<std::string_view> own_prefixes(node element) {
    std::vector<std::string_view> own;
    for (const attribute each : element.attributes())
        if (each.ns() == xmlns_ns)
            own.push_back(each.prefix().empty() ? std::string_view() : each.local());
    std::sort(own.begin(), own.end());
    return own;
}

/// The declarations that stand further out and that an element needs when it stands alone; no more
/// once they are longer than `most`. Those that it only seems to need do no harm.
inline std::string outer_declarations(node element, std::size_t most) {
    std::string out;
    const auto declare = [&](std::string_view prefix, std::string_view ns) {
        writer(out).attribute(prefix.empty() ? "xmlns" : "xmlns:" + std::string(prefix), ns);
    };
    const std::vector<std::string_view> own = own_prefixes(element);
    const auto is_declared = [&](std::string_view prefix) {
        return std::binary_search(own.begin(), own.end(), prefix);
    };
    if (!is_declared({}) && uses_default(element))
        declare({}, element.namespace_of({}).value_or(""));
    const auto see = [&](std::string_view prefix, std::string_view ns) {
        if (out.size() <= most && !ns.empty() && prefix != "xml" && prefix != "xmlns" &&
            !is_declared(prefix))
            declare(prefix, ns);
    };
    // A few names are looked up. Of more, each declaration is looked for among them: looking up
    // takes longer the more declarations there are.
    constexpr std::size_t few = 16;
    const std::vector<std::string_view> names = possible_prefixes(element.source());
    if (names.size() <= few) {
        for (const std::string_view prefix : names)
            see(prefix, element.namespace_of(prefix).value_or(""));
        return out;
    }
    std::vector<bool> done(names.size());
    element.each_namespace([&](std::string_view prefix, std::string_view ns) {
        const auto name = std::lower_bound(names.begin(), names.end(), prefix);
        if (name == names.end() || *name != prefix) return;
        const auto place = static_cast<std::size_t>(name - names.begin());
        if (done[place]) return;  // an inner declaration of it was seen
        done[place] = true;
        see(prefix, ns);
    });
    return out;
}

/// An element as a text of its own: as it was written, with the declarations it needs. `room` is
/// what they may take yet.
inline xml fragment::of(node element, std::size_t& room) {
    const std::string_view source = element.source();
    const std::string added = outer_declarations(element, room);
    if (added.size() > room)
        throw fault(
            fault_code::client,
            "the elements that no table lists need more than a megabyte of namespace declarations");
    room -= added.size();
    const std::size_t prefix = element.prefix().size();
    const std::size_t name = 1 + prefix + (prefix == 0 ? 0 : 1) + element.local().size();
    xml made;
    made.text_.reserve(source.size() + added.size());
    made.text_.append(source.substr(0, name)).append(added).append(source.substr(name));
    made.name_ = {std::string(element.ns()), std::string(element.local())};
    return made;
}

/// A prefix that a fragment does not declare: one letter more than any that is made of this one. In
/// one pass, since a peer may have written as many of them as it liked.
inline std::string unused_prefix(std::string_view text) {
    constexpr std::string_view declares = "xmlns:";
    std::size_t longest = 0;
    for (std::size_t at = text.find(declares); at != text.npos; at = text.find(declares, at)) {
        const std::size_t begin = at + declares.size();
        at = std::min(text.find_first_not_of('f', begin), text.size());
        longest = std::max(longest, at - begin);
    }
    return std::string(longest + 1, 'f');
}

/// Writes a fragment as the element with another name: its attributes and its content.
inline void fragment::write_as(
    encoder& out, std::string_view name, std::string_view ns, const xml& value) {
    const std::string_view text = value.text();
    if (text.empty()) {
        open_element element(out, name, ns, ns);
        element.begin_content();
        return element.close();
    }
    const auto ends_name = [](char c) { return is_xml_space(c) || c == '/' || c == '>'; };
    const auto tag =
        static_cast<std::size_t>(std::find_if(text.begin(), text.end(), ends_name) - text.begin());
    const std::size_t colon = text.substr(0, tag).find(':');
    std::string start(name);
    if (value.name().ns == ns) {
        if (colon != text.npos) start.insert(0, text.substr(1, colon));
    } else if (ns.empty()) {
        throw std::invalid_argument(
            "soapsvc: an element of a namespace cannot be sent as " + std::string(name) +
            ", which is in none");
    } else {
        start.insert(0, unused_prefix(text) + ':');
    }
    out.raw("<");
    out.raw(start);
    if (value.name().ns != ns) out.attribute("xmlns:" + start.substr(0, start.find(':')), ns);
    const bool is_empty = text.ends_with("/>");
    out.raw(text.substr(tag, is_empty ? text.npos : text.rfind("</") - tag));
    if (is_empty) return;
    out.raw("</");
    out.raw(start);
    out.raw(">");
}

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE xml::xml(std::string_view text) {
    detail::xml_document document;
    try {
        std::size_t room = detail::most_declarations;
        *this = detail::fragment::of(document.parse(text, "utf-8", limits{}), room);
    } catch (const detail::xml_error& error) {
        throw std::invalid_argument(std::string("soapsvc: not an element: ") + error.what());
    }
}

}  // namespace soapsvc

namespace soapsvc::detail {

// --- What a fault says about a value ------------------------------------------------------------

/// Whether xsi:type may name it on a simple element: XML Schema part 2, 3, and SOAP's base64.
inline bool is_builtin_type(std::string_view name) {
    constexpr std::string_view names =
        " string boolean decimal float double duration dateTime time date gYearMonth gYear "
        "gMonthDay gDay gMonth hexBinary base64Binary anyURI QName NOTATION normalizedString token "
        "language NMTOKEN NMTOKENS Name NCName ID IDREF IDREFS ENTITY ENTITIES integer "
        "nonPositiveInteger negativeInteger long int short byte nonNegativeInteger unsignedLong "
        "unsignedInt unsignedShort unsignedByte positiveInteger anySimpleType anyType base64 ";
    return is_ncname(name) && names.find(' ' + std::string(name) + ' ') != names.npos;
}

/// Whether such content stands for other content, so that reading it as it is would misread it.
inline bool is_encoded_type(std::string_view name) {
    return name == "hexBinary" || name == "base64Binary" || name == "base64";
}

/// The first 64 characters of a name or value, for a path.
inline std::string shortened(std::string_view name) {
    const std::string shown = quoted(name);
    return shown.substr(1, shown.size() - 2);
}

inline std::string namespace_text(std::string_view ns) {
    return ns.empty() ? std::string("no namespace") : "the namespace " + quoted(ns);
}

/// The names that `range` holds, by commas.
template <class Range, class Name>
std::string name_list(const Range& range, Name name) {
    std::string list;
    for (const auto& item : range)
        list.append(list.empty() ? "" : ", ").append(name(item));
    return list;
}

/// A wildcard as what it takes.
inline std::string row_names(const std::vector<field_info>& rows) {
    return name_list(rows, [](const field_info& row) {
        return std::string(row.name.empty() ? "any of " : "") +
               std::string(row.name.empty() ? row.ns : row.name);
    });
}

inline std::string names_in(std::size_t group, const record_info& record) {
    const group_info& info = record.groups[group];
    std::string list;
    for (std::size_t row = info.first; row != info.last;) {
        const std::size_t inner = group_below(record, row, group);
        list.append(list.empty() ? "" : ", ");
        if (inner == group)
            list.append(record.fields[row++].name);
        else
            list.append("(").append(names_in(inner, record)).append(")");
        if (inner != group) row = record.groups[inner].last;
    }
    return list;
}

inline std::string field_names(const record_info& record) { return row_names(record.fields); }

/// What is allowed for a type, as the end of the sentence "'x' is not ...".
inline std::string allowed_text(const element_type& type) {
    if (type.kind == type_kind::list)
        return "a list, each of which is " + allowed_text(type.parts().types[0]);
    if (type.kind == type_kind::choice_of) {
        std::string any;
        for (const element_type& each : type.parts().types)
            any.append(any.empty() ? "" : ", or ").append(allowed_text(each));
        return any;
    }
    if (type.kind == type_kind::name) return "a name with a declared prefix";
    if (type.kind == type_kind::fragment) return "any element";
    if (type.kind == type_kind::derived) return allowed_text(type.parts().types[0]);
    if (type.kind == type_kind::record) return "the elements " + field_names(type.record());
    if (type.kind == type_kind::enumeration)
        return "one of " +
               name_list(type.enumeration().values, [](const value_row& row) { return row.text; });
    const simple_type& simple = simple_type_of(type.kind);
    if (!simple.allowed.empty()) return std::string(simple.allowed);
    return "a whole number from " + std::string(simple.least) + " to " + std::string(simple.most);
}

// --- Facets --------------------------------------------------------------------------------------

/// What lengths count: characters, bytes or items.
inline std::size_t length_of(const element_type& type, const void* value) {
    if (type.kind == type_kind::list) {
        std::size_t items = 0;
        while (type.parts().item(value, items))
            ++items;
        return items;
    }
    if (type.kind == type_kind::base64) return static_cast<const binary*>(value)->bytes.size();
    if (type.kind == type_kind::hex_binary)
        return static_cast<const hex_binary*>(value)->bytes.size();
    if (type.kind != type_kind::string) return 0;
    const auto& text = *static_cast<const std::string*>(value);
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));  // characters begin
}

/// What a facet that counts allows, for a person; empty when the value is good.
inline std::string count_error(
    const row_extra& facet, const element_type& type, const void* value) {
    const bool digits =
        facet.kind == extra_kind::total_digits || facet.kind == extra_kind::fraction_digits;
    const digit_counts counted = digits ? digits_of(type.kind, value) : digit_counts{};
    const std::size_t count = facet.kind == extra_kind::total_digits      ? counted.total
                              : facet.kind == extra_kind::fraction_digits ? counted.fraction
                                                                          : length_of(type, value);
    const bool good = facet.kind == extra_kind::length       ? count == facet.number
                      : facet.kind == extra_kind::min_length ? count >= facet.number
                                                             : count <= facet.number;
    if (good) return {};
    const std::string number = std::to_string(facet.number);
    const std::string_view unit = type.kind == type_kind::list     ? " items"
                                  : type.kind == type_kind::string ? " characters"
                                                                   : " bytes";
    switch (facet.kind) {
    case extra_kind::length: return "of " + number + std::string(unit);
    case extra_kind::min_length: return "of at least " + number + std::string(unit);
    case extra_kind::max_length: return "of at most " + number + std::string(unit);
    case extra_kind::total_digits: return "a number of at most " + number + " digits";
    default: return "a number of at most " + number + " digits after the point";
    }
}

inline std::string expressions(const std::vector<row_extra>& facets) {
    std::string all;
    for (const row_extra& each : facets)
        if (each.kind == extra_kind::pattern)
            all.append(all.empty() ? "" : " or ").append(each.text);
    return all;
}

inline bool fits_one(const std::vector<pattern>& patterns, std::string_view text) {
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const pattern& p) {
               return p.matches(text);
           });
}

/// Whether two texts are one value of a type, of which both are.
inline bool same_value(const element_type& type, std::string_view left, std::string_view right) {
    if (type.kind == type_kind::enumeration) return left == right;
    if (type.kind == type_kind::list) {
        for (;;) {
            const auto one = take_item(left);
            const auto other = take_item(right);
            if (!one || !other) return !one && !other;
            if (!same_value(type.parts().types[0], *one, *other)) return false;
        }
    }
    if (type.kind == type_kind::choice_of) {
        for (const element_type& each : type.parts().types)
            if (const bool takes = is_value(left, each); takes || is_value(right, each))
                return takes && is_value(right, each) && same_value(each, left, right);
        return false;
    }
    bool same = false;
    with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
        T one{};
        T other{};
        same = from_text(left, one) && from_text(right, other) &&
               std::is_eq(compare_simple(type.kind, &one, &other));
    });
    return same;
}

/// Whether a value is one of those that the facets list: of those of a named type, and of those of
/// the row, where there are any.
inline bool is_listed(
    const facet_set& facets, const element_type& type, std::string_view text, const void* value) {
    if (facets.values.empty()) return true;
    for (const bool of_type : {false, true}) {
        bool any = false;
        bool listed = false;
        for (const facet_value& each : facets.values) {
            if (each.of_type != of_type) continue;
            any = true;
            listed = listed ||
                     (type.kind == type_kind::name
                          ? *static_cast<const qualified_name*>(value) ==
                                *static_cast<const qualified_name*>(each.value.get())
                      : each.value ? std::is_eq(compare_simple(type.kind, value, each.value.get()))
                                   : same_value(type, text, each.text));
        }
        if (any && !listed) return false;
    }
    return true;
}

/// What the facets allow that a value is not, as the end of "'x' is not ..."; empty when it is
/// good. `text` is the value's, after white space was dealt with.
inline std::string facet_error(
    const facet_set& facets, const element_type& type, std::string_view text, const void* value) {
    if (type.kind == type_kind::string && !has_form(facets.form, text))
        return std::string(string_form_of(facets.form).allowed);
    for (const row_extra& each : facets.counts)
        if (std::string error = count_error(each, type, value); !error.empty()) return error;
    for (const facet_value& each : facets.bounds)
        if (std::string error = bound_error(each, type, value); !error.empty()) return error;
    if (!is_listed(facets, type, text, value))
        return "one of " +
               name_list(facets.values, [](const facet_value& each) { return each.text; });
    if (!fits_one(facets.type_patterns, text)) return "of the form " + expressions(facets.of_type);
    if (!fits_one(facets.own_patterns, text)) return "of the form " + expressions(facets.own);
    return {};
}

inline void check_sent(const encoder& out, const field_info& field, const void* value) {
    if (!out.checks() || !field.extras->facets || !field.extras->facets->restrict_values()) return;
    const std::string text = text_of(field.type, value);
    const std::string error = facet_error(*field.extras->facets, field.type, text, value);
    if (error.empty()) return;
    const std::string shown = field.options.secret ? "this value" : detail::quoted(text);
    throw std::invalid_argument(
        "soapsvc: " + shown + ", to be sent as " +
        (field.name.empty() ? "content" : std::string(field.name)) + ", is not " + error);
}

// --- Reading ------------------------------------------------------------------------------------

/// "[2]" for the second of several siblings of one name, nothing for the only one.
inline std::string place_among_same(node element) {
    std::size_t before = 0;
    std::size_t same = 0;
    for (node at = element.parent().first_child(); at; at = at.next_sibling()) {
        if (at.local() == element.local()) ++same;
        if (at == element) before = same;
    }
    return same > 1 ? '[' + std::to_string(before) + ']' : std::string();
}

/// The value in quotes, for a fault; "this value" when the element that it stands in is secret.
inline std::string quoted_unless(bool secret, std::string_view said) {
    return secret ? std::string("this value") : quoted(said);
}

/// Items of a number that is known only now; few of them, as most records need, are in the object.
template <class Item, std::size_t Few>
class items_here {
public:
    explicit items_here(std::size_t count) {
        if (count > Few) more_ = std::make_unique<Item[]>(count);
        items_ = more_ ? more_.get() : here_;
    }
    items_here(const items_here&) = delete;
    items_here& operator=(const items_here&) = delete;

    const Item& operator[](std::size_t index) const noexcept { return items_[index]; }
    Item& operator[](std::size_t index) noexcept { return items_[index]; }

private:
    Item here_[Few]{};
    Item* items_;
    std::unique_ptr<Item[]> more_;
};

/// What has come of each row of a record: a byte each.
struct row_marks : items_here<std::uint8_t, 64> {
    using items_here::items_here;

    static constexpr std::uint8_t came = 1;
    static constexpr std::uint8_t with_value = 3;

    bool is_seen(std::size_t row) const noexcept { return (*this)[row] != 0; }
    bool is_filled(std::size_t row) const noexcept { return (*this)[row] == with_value; }
};

/// Reads one message part, which is there: the Body's child or a header block. Knows where it
/// began, since paths in faults start there, the namespace of the service, and what to do with the
/// unknown.
class decoder {
public:
    decoder(
        node top,
        std::string_view ns,
        unknown_elements unknown,
        soap_version version,
        bool is_header) noexcept
        : top_(top),
          // The message's own characters, where they are the same: its elements share them, so that
          // of each child a pointer is compared.
          ns_(top.ns() == ns ? top.ns() : ns),
          unknown_(unknown),
          version_(version),
          is_header_(is_header) {}

    /// Fills `object`, a value-initialised struct with this table, from the children of `element`.
    /// Throws `fault` (Client) with path, what was found and what is allowed.
    // Calls itself once a level, so what is rare stands in functions of its own: their variables
    // would take the stack of every level.
    void read_record(
        node element, const record_info& record, void* object, bool secret = false) const {
        if (record.has_content) return read_content(element, record, object, secret);
        if (element.has_text()) refuse(element, "holds text where only elements are allowed");
        if (has_attributes(element) || record.has_attributes)
            read_attributes(element, record, object, secret);
        reading state{record, object};
        for (node child = element.first_child(); child; child = child.next_sibling())
            read_child(child, state, secret);
        if (!record.groups.empty()) finish_groups(element, no_group, state);
        const field_info* const fields = record.fields.data();
        for (std::size_t index = 0; index != state.count; ++index) {
            const field_info& field = fields[index];
            if (!field.rare) {
                if (!field.may_be_absent() && !state.marks.is_filled(index))
                    refuse_missing(element, field, state.marks.is_seen(index));
            } else if (field.group == no_group) {
                check_row(element, index, object, state);
            }
        }
    }

    /// Looks at the attributes of the message part itself; its type is called like the element. A
    /// payload that is nil has no children, and is read as such.
    void check_top(const record_info& record) const {
        if (!has_attributes(top_)) return;
        declared_type type = declared_as(record);
        if (type.name.empty()) type.name = top_.local();
        check_attributes(top_, type, false);
        static_cast<void>(is_nil(top_));
    }

    /// Reads the message part itself, which is nil, of `record` or of what extends that, or simple,
    /// as write_whole writes it.
    void read_whole(const field_info& field, const record_info* record, void* member) const {
        if (!record || field.type.kind == type_kind::derived) return read_top(field, member);
        if (!field.emplace_nil || !is_nil(top_))
            return read_record(top_, *record, field.emplace(member));
        check_top(*record);
        field.emplace_nil(member);
    }

    /// Reads the message part itself as a value, as if it were a child with the row's name.
    void read_top(const field_info& field, void* member) const {
        const record_info around = record_around(field);
        reading state{around, member};
        read_child(top_, state, false);
        if (!state.marks.is_filled(0)) refuse(top_, "is nil, but a value is required");
    }

    /// Whether the element says xsi:nil="true", which means absent; content beside it is refused.
    bool is_nil(node element, bool secret = false) const {
        const auto value = element.attribute(xsi_ns, "nil");
        if (!value) return false;
        bool nil = false;
        if (!from_text(*value, nil))
            refuse(element, "xsi:nil is true or false, not " + quoted_unless(secret, *value));
        if (nil && (element.has_children() || !collapse_ends(element.text()).empty()))
            refuse(element, "is said to be nil, yet holds content");
        return nil;
    }

    /// Refuses what is at `element`: "path: `what`".
    [[noreturn, gnu::cold]] void refuse(node element, std::string_view what) const {
        throw_fault(path_to(element) + ": " + std::string(what));
    }

private:
    /// What xsi:type may say of an element.
    struct declared_type {
        std::string_view name;
        std::string_view ns;  ///< as a description has it
        type_kind kind;
        const record_info* record;  ///< nullptr: no record
    };
    static declared_type declared_as(const element_type& type) {
        if (type.kind == type_kind::record) return declared_as(type.record());
        return {type_name(type), type_ns(type), type.kind, nullptr};
    }
    static declared_type declared_as(const record_info& record) {
        const record_info* const named = named_record(record);
        const record_info& type = named ? *named : record;
        return {type.name, type.ns, type_kind::record, &record};
    }
    static bool lists_attribute(const record_info& record, std::string_view name) {
        return std::any_of(
            record.attributes.begin(), record.attributes.end(), [&](const field_info& field) {
                return field.name == name;
            });
    }

    /// What has come so far of a group.
    struct group_state {
        void* item = nullptr;  ///< the one that is being filled; nullptr: none yet
        std::size_t count = 0;  ///< of items
        std::size_t last = 0;  ///< the row that came last
    };

    /// What has come so far of one record's children.
    struct reading {
        reading(const record_info& of, void* to)
            : record(of),
              fields(of.fields.data()),
              object(to),
              count(of.fields.size()),
              marks(count),
              groups(of.groups.size()) {}
        const record_info& record;
        const field_info* fields;  ///< its rows
        void* object;
        std::size_t count;  ///< of rows
        std::size_t next = 0;  ///< where the next row is expected
        row_marks marks;
        items_here<group_state, 2> groups;
    };

    /// The namespace that a description's one stands for.
    std::string_view resolve(std::string_view ns) const noexcept {
        return ns.data() == nullptr ? ns_ : ns;
    }

    /// Whether a row has a child's name.
    [[gnu::always_inline]] bool is_for(const field_info& row, node child) const {
        return same_name(row.name, child.local()) && same_text(child.ns(), resolve(row.ns));
    }

    /// The row of a child that is not the one at `next`: further on, or before; past the last when
    /// there is none.
    [[gnu::noinline]] std::size_t find_row(node child, const reading& state) const {
        for (std::size_t index = state.next; index != state.count; ++index)
            if (is_for(state.fields[index], child)) return index;
        for (std::size_t index = 0; index != state.next; ++index)
            if (is_for(state.fields[index], child)) return index;
        return state.count;
    }

    /// Finds the row of a child, looking first at `next`, where it is when the sender kept the
    /// order. What is done for few children stands in functions of its own: see read_record.
    void read_child(node child, reading& state, bool secret) const {
        std::size_t index = state.next;
        if (index == state.count || !is_for(state.fields[index], child))
            index = find_row(child, state);
        if (index == state.count) return read_unlisted(child, state, secret);
        const field_info& field = state.fields[index];
        if (field.rare) return read_rare_child(child, index, state, secret);
        const bool many = field.occurs == occurrence::many;
        state.next = many ? index : index + 1;
        if (state.marks.is_seen(index) && !many) refuse(child, "may appear only once");
        state.marks[index] |= row_marks::came;
        secret = secret || field.options.secret;
        if (has_attributes(child) && says_nil(child, field.type, secret)) return;
        state.marks[index] = row_marks::with_value;
        void* const value = field.emplace(static_cast<char*>(state.object) + field.offset);
        read_value(child, field.type, value, secret);
    }

    /// The same for a row that is more than a name and a type.
    [[gnu::noinline]] void read_rare_child(
        node child, std::size_t index, reading& state, bool secret) const {
        if (state.fields[index].has_twins) index = which_twin(child, index, state);
        const field_info& field = state.fields[index];
        const bool many = field.occurs == occurrence::many;
        secret = secret || field.options.secret;
        const bool any = field.type.kind == type_kind::fragment;  // its attributes are a part of it
        const bool nil = has_attributes(child) && (any ? field.emplace_nil && is_nil(child, secret)
                                                       : says_nil(child, field.type, secret));
        void* object = state.object;
        if (field.group != no_group) {
            if (nil && !field.emplace_nil) return;  // absent: it begins no group, and is no branch
            object = enter_group(child, field.group, index, state);
        }
        state.next = many ? index : index + 1;
        if (state.marks.is_seen(index) && !many) refuse(child, "may appear only once");
        state.marks[index] |= row_marks::came;
        void* const member = static_cast<char*>(object) + field.offset;
        if (nil) return read_nil(child, field, member, index, state);
        state.marks[index] = row_marks::with_value;
        read_rare(child, field, member, field.emplace(member), secret);
    }

    /// Of the rows with a child's name, the first from `index` on that may come now. If there is
    /// none, what is wrong is best said of one that came already, and else of that at `index`.
    std::size_t which_twin(node child, std::size_t index, const reading& state) const {
        std::size_t best = index;
        for (std::size_t tried = 0; tried != state.count; ++tried) {
            const std::size_t at = (index + tried) % state.count;
            const field_info& row = state.fields[at];
            if (!row.has_twins || !child.is(resolve(row.ns), row.name)) continue;
            if (may_come(at, state)) return at;
            if (state.marks.is_seen(at)) best = at;
        }
        return best;
    }

    /// Whether a row may come now: it goes on with the groups that are being filled, and begins the
    /// others.
    bool may_come(std::size_t index, const reading& state) const {
        const field_info& field = state.fields[index];
        bool begun = true;
        for (std::size_t at = field.group; at != no_group; at = state.record.groups[at].parent) {
            const bool filled = is_filled(at, index, state);
            if (filled ? !fits(at, index, state) : !may_begin_with(state.record, at, index))
                return false;
            begun = begun && filled;
        }
        return !begun || field.occurs == occurrence::many || !state.marks.is_seen(index);
    }

    /// Whether the row at `index` would go into the item of a group that is being filled.
    bool is_filled(std::size_t group, std::size_t index, const reading& state) const {
        const group_info& info = state.record.groups[group];
        return (info.parent == no_group || is_filled(info.parent, index, state)) &&
               state.groups[group].item &&
               (info.occurs != occurrence::many || fits(group, index, state));
    }

    /// Looks at what an element says of itself. Whether it is nil.
    [[gnu::noinline]] bool says_nil(node child, const element_type& type, bool secret) const {
        // What a derived struct may be, is looked at when it is read.
        if (type.kind != type_kind::derived) check_attributes(child, declared_as(type), secret);
        return is_nil(child, secret);
    }

    /// A child that is nil is a nil value where there may be one, and else as if it were absent.
    void read_nil(
        node child,
        const field_info& field,
        void* member,
        std::size_t index,
        reading& state) const {
        if (!field.emplace_nil) return;
        state.marks[index] = row_marks::with_value;
        field.emplace_nil(member);
        check_most(child, field, member);
    }

    static std::string times(std::size_t count) {
        return count == 1 ? "once" : std::to_string(count) + " times";
    }

    void check_most(node child, const field_info& field, const void* member) const {
        const std::size_t most = field.extras->most;
        if (field.occurs == occurrence::many && most != no_extras.most && field.item(member, most))
            refuse(child, "may appear only " + times(most));
    }

    /// Reads a value of a row that says more of it than its type. One that is empty is the preset
    /// or fixed one (XML Schema part 1, 3.3.4: element locally valid, 5.1).
    void read_rare(
        node child, const field_info& field, void* member, void* value, bool secret) const {
        const field_extras& said = *field.extras;
        if (&said == &no_extras) return read_value(child, field.type, value, secret);
        const std::string_view given = said.fixed.data() != nullptr ? said.fixed : said.preset;
        const bool is_given =
            given.data() != nullptr && !child.has_children() && child.text().empty();
        if (is_given)
            read_text(child, field.type, given, value);
        else
            read_value(child, field.type, value, secret);
        check_most(child, field, member);
        const std::string wrong =
            value_error(field, is_given ? given : child.text(), value, secret);
        if (!wrong.empty()) refuse(child, wrong);
    }

    /// Whether white space in a value means something: in a string, and in a union's that is one
    /// (XML Schema part 2, 4.3.6).
    static bool keeps_space(const element_type& type, const void* value) {
        if (type.kind != type_kind::choice_of) return type.kind == type_kind::string;
        const value_parts& parts = type.parts();
        const auto held = held_part(parts, value);
        return held && keeps_space(parts.types[*held], parts.item(value, *held));
    }

    /// Why a value is not what its row allows, as a sentence; empty when it is. Deals with the
    /// white space of a string first.
    static std::string value_error(
        const field_info& field, std::string_view sent, void* value, bool secret) {
        const field_extras& said = *field.extras;
        if (said.facets && said.facets->restrict_values()) {
            const bool is_string = field.type.kind == type_kind::string;
            if (is_string) fit_space_of(said.facets->form, *static_cast<std::string*>(value));
            std::string_view text = is_string ? *static_cast<const std::string*>(value) : sent;
            std::string collapsed;
            if (!is_string && !keeps_space(field.type, value) &&
                std::any_of(text.begin(), text.end(), is_xml_space)) {
                collapsed = text;
                fit_white_space(collapsed, false);
                text = collapsed;
            }
            const std::string error = facet_error(*said.facets, field.type, text, value);
            if (!error.empty()) return quoted_unless(secret, text) + " is not " + error;
        }
        if (said.fixed.data() != nullptr && !is_said_by(said.fixed, field.type, value))
            return quoted_unless(secret, text_of(field.type, value)) + " is not " +
                   quoted(said.fixed) + ", which is fixed";
        return {};
    }

    /// At the end of a record, or of an item of a group: whether a row of it that is not plain came
    /// as often as it must. Most may be absent.
    void check_row(
        node element, std::size_t index, const void* object, const reading& state) const {
        const field_info& field = state.fields[index];
        if (field.must_come()) check_needed(element, index, object, state);
    }
    [[gnu::noinline]] void check_needed(
        node element, std::size_t index, const void* object, const reading& state) const {
        const field_info& field = state.fields[index];
        const std::size_t least = field.extras->least;
        if (field.kind == row_kind::any && !field.may_be_absent() && !state.marks.is_filled(index))
            refuse(element, "holds no element of another contract, which it must");
        if (!field.may_be_absent() && !state.marks.is_filled(index))
            refuse_missing(element, field, state.marks.is_seen(index));
        const std::size_t group = field.group;
        const bool in_choice = group != no_group && state.record.groups[group].is_choice;
        if (least == 0 || (in_choice && !state.marks.is_seen(index))) return;
        const void* const member = static_cast<const char*>(object) + field.offset;
        if (field.item(member, least - 1)) return;
        refuse(element, std::string(field.name) + " must appear at least " + times(least));
    }

    // -- Groups --

    /// The item of a group that the row at `index` goes into: the one being filled, or the next.
    void* enter_group(node child, std::size_t group, std::size_t index, reading& state) const {
        const group_info& info = state.record.groups[group];
        void* const holder =
            info.parent == no_group ? state.object : enter_group(child, info.parent, index, state);
        group_state& now = state.groups[group];
        if (now.item && info.occurs == occurrence::many && !fits(group, index, state)) {
            finish_item(child.parent(), group, state);
            now.item = nullptr;
            if (info.is_one_row()) state.marks[now.last] = 0;
        }
        if (!now.item) {
            if (++now.count > info.extras->most) refuse_group(child, info);
            now.item = info.emplace(static_cast<char*>(holder) + info.offset);
            if (now.count > 1 && !info.is_one_row()) forget_rows(group, state);
        }
        now.last = index;
        return now.item;
    }

    [[noreturn, gnu::cold]] void refuse_group(node child, const group_info& info) const {
        refuse(child, "begins a group that may appear only " + times(info.extras->most));
    }

    /// An item that is not the first has nothing in it yet.
    void forget_rows(std::size_t group, reading& state) const {
        const group_info& info = state.record.groups[group];
        for (std::size_t row = info.first; row != info.last; ++row) {
            state.marks[row] = 0;
        }
        for (std::size_t inner = group + 1; inner != state.record.groups.size(); ++inner)
            if (state.record.groups[inner].first >= info.first &&
                state.record.groups[inner].last <= info.last)
                state.groups[inner] = {};
    }

    /// Whether a row may still go into the item of a repeated group that is being filled: further
    /// on in a sequence, more of the same of a choice.
    bool fits(std::size_t group, std::size_t index, const reading& state) const {
        const record_info& record = state.record;
        const std::size_t last = state.groups[group].last;
        const std::size_t branch = group_below(record, index, group);
        const std::size_t last_branch = group_below(record, last, group);
        const bool same = branch == group ? index == last : branch == last_branch;
        if (same)
            return branch == group ? record.fields[index].occurs == occurrence::many
                                   : record.groups[branch].occurs == occurrence::many ||
                                         fits(branch, index, state);
        return !record.groups[group].is_choice && index > last;
    }

    /// At the end of `group`, or of the record: the groups in it that began are complete, and none
    /// is missing that must be there.
    void finish_groups(node element, std::size_t group, reading& state) const {
        for (std::size_t inner = 0; inner != state.record.groups.size(); ++inner) {
            const group_info& info = state.record.groups[inner];
            if (info.parent != group) continue;
            const group_state& now = state.groups[inner];
            if (now.item) finish_item(element, inner, state);
            const std::size_t least = info.least();
            if (now.count >= least) continue;
            const bool in_choice = group != no_group && state.record.groups[group].is_choice;
            if (in_choice && now.count == 0) continue;  // another branch came
            refuse(
                element,
                (info.is_choice ? "one of " : "the elements ") + names_in(inner, state.record) +
                    (now.count != 0   ? " must appear at least " + times(least)
                     : info.is_choice ? " is missing"
                                      : " are missing"));
        }
    }

    void finish_item(node element, std::size_t group, reading& state) const {
        const group_info& info = state.record.groups[group];
        const void* const item = state.groups[group].item;
        if (info.is_one_row())
            check_row(element, state.groups[group].last, item, state);
        else
            finish_rows(element, group, item, state);
    }

    /// The same for an item that is more than one row.
    [[gnu::noinline]] void finish_rows(
        node element, std::size_t group, const void* item, reading& state) const {
        const group_info& info = state.record.groups[group];
        if (info.has_groups) finish_groups(element, group, state);
        if (info.is_choice) {
            std::size_t branches = 0;
            for (std::size_t row = info.first; row != info.last; ++row)
                if (state.marks.is_seen(row) && state.fields[row].group == group) ++branches;
            for (std::size_t inner = 0; info.has_groups && inner != state.record.groups.size();
                 ++inner)
                if (state.record.groups[inner].parent == group && state.groups[inner].item)
                    ++branches;
            if (branches > 1)
                refuse(element, "only one of " + names_in(group, state.record) + " is allowed");
        }
        for (std::size_t row = info.first; row != info.last; ++row)
            if (state.fields[row].group == group) check_row(element, row, item, state);
    }

    /// The names of a group's rows, those of groups in it in brackets.
    // -- Attributes and text --

    /// Fills the members that are attributes. What is in a namespace of somebody else's is skipped.
    [[gnu::noinline]] void read_attributes(
        node element, const record_info& record, void* object, bool secret) const {
        if (record.attributes.empty()) return refuse_attributes(element, record);
        row_marks seen(record.attributes.size());
        for (const attribute said : element.attributes()) {
            const std::string_view ns = said.ns();
            const auto row = std::find_if(
                record.attributes.begin(), record.attributes.end(), [&](const field_info& field) {
                    return same_name(field.name, said.local()) && same_text(resolve(field.ns), ns);
                });
            if (row != record.attributes.end()) {
                seen[static_cast<std::size_t>(row - record.attributes.begin())] = row_marks::came;
                read_attribute(element, *row, said.value(), object, secret);
            } else if (is_of_messages(ns) || read_any_attribute(record, said, object)) {
                continue;
            } else if (unknown_ == unknown_elements::refuse && (ns.empty() || ns == ns_)) {
                refuse(
                    element,
                    "the attribute " + (secret ? "" : quoted(said.local()) + ' ') +
                        "is not known here; allowed are " + row_names(record.attributes));
            }
        }
        for (std::size_t index = 0; index != record.attributes.size(); ++index)
            if (!seen.is_seen(index) && record.attributes[index].kind == row_kind::attribute)
                read_absent(element, record.attributes[index], object);
    }

    /// Attributes that any element may have.
    static bool is_of_messages(std::string_view ns) noexcept {
        return ns == xmlns_ns || ns == xsi_ns || ns == soap11_ns || ns == soap12_ns;
    }

    /// Gives an attribute to a wildcard, if there is one that takes it.
    bool read_any_attribute(const record_info& record, const attribute& said, void* object) const {
        for (std::size_t index = 0; index != record.attributes.size(); ++index) {
            const field_info& field = record.attributes[index];
            if (field.kind != row_kind::any_attribute) continue;
            const std::string_view target = target_of(record, &record_info::attributes, index);
            if (!takes(field.ns, said.ns(), target)) continue;
            void* const member = static_cast<char*>(object) + field.offset;
            *static_cast<xml_attribute*>(field.emplace(member)) = {
                {std::string(said.ns()), std::string(said.local())}, std::string(said.value())};
            return true;
        }
        return false;
    }

    void read_attribute(
        node element,
        const field_info& field,
        std::string_view text,
        void* object,
        bool secret) const {
        secret = secret || field.options.secret;
        void* const member = static_cast<char*>(object) + field.offset;
        void* const value = field.emplace(member);
        if (!read_text(element, field.type, text, value))
            refuse_attribute(
                element,
                field,
                quoted_unless(secret, text) + " is not " + allowed_text(field.type));
        if (field.extras == &no_extras) return;
        const std::string wrong = value_error(field, text, value, secret);
        if (!wrong.empty()) refuse_attribute(element, field, wrong);
    }

    [[noreturn, gnu::cold]] void refuse_attribute(
        node element, const field_info& field, const std::string& what) const {
        throw_fault(path_to(element) + "/@" + std::string(field.name) + ": " + what);
    }

    /// An attribute that did not come has its preset value, if there is one.
    void read_absent(node element, const field_info& field, void* object) const {
        const field_extras& said = *field.extras;
        const std::string_view value = said.preset.data() != nullptr ? said.preset : said.fixed;
        void* const member = static_cast<char*>(object) + field.offset;
        if (value.data() != nullptr && (said.preset.data() != nullptr || !field.may_be_absent())) {
            read_text(element, field.type, value, field.emplace(member));
        } else if (!field.may_be_absent()) {
            refuse_attribute(
                element, field, "is missing; a value is required: " + allowed_text(field.type));
        }
    }

    /// An element with text and attributes, and no children.
    void read_content(node element, const record_info& record, void* object, bool secret) const {
        if (has_attributes(element) || !record.attributes.empty())
            read_attributes(element, record, object, secret);
        const field_info& field = record.content.front();
        secret = secret || field.options.secret;
        void* const member = static_cast<char*>(object) + field.offset;
        void* const value = field.emplace(member);
        read_simple(element, field.type, value, secret);
        if (field.extras == &no_extras) return;
        const std::string wrong = value_error(field, element.text(), value, secret);
        if (!wrong.empty()) refuse(element, wrong);
    }

    void read_value(node element, const element_type& type, void* value, bool secret) const {
        if (type.kind < type_kind::record)
            read_simple(element, type, value, secret);
        else if (type.kind == type_kind::record)
            read_record(element, type.record(), value, secret);
        else
            read_rare_value(element, type, value, secret);
    }

    [[gnu::noinline]] void read_rare_value(
        node element, const element_type& type, void* value, bool secret) const {
        if (type.kind == type_kind::derived)
            read_derived(element, type, value, secret);
        else if (type.kind == type_kind::fragment)
            *static_cast<xml*>(value) = read_fragment(element);
        else
            read_simple(element, type, value, secret);
    }

    xml read_fragment(node element) const {
        try {
            return fragment::of(element, room_);
        } catch (const fault& refused) {
            refuse(element, refused.reason());
        }
    }

    /// The struct that xsi:type names, of those that there are; without it the base.
    [[gnu::noinline]] void read_derived(
        node element, const element_type& type, void* value, bool secret) const {
        const value_parts& parts = type.parts();
        const record_info& base = parts.types[0].record();
        std::size_t chosen = 0;
        if (const auto said = element.attribute(xsi_ns, "type")) {
            chosen = part_named(element, *said, parts);
            const bool known = chosen != parts.types.size();
            if (!known && (unknown_ == unknown_elements::refuse || base.options.abstract))
                refuse(
                    element,
                    "xsi:type names " + quoted_unless(secret, *said) + "; allowed are " +
                        part_names(parts));
            if (!known) chosen = 0;
        }
        const record_info& record = parts.types[chosen].record();
        if (has_attributes(element))
            check_attributes(
                element, {record.name, record.ns, type_kind::derived, &record}, secret);
        if (record.options.abstract)
            refuse(
                element,
                "is of the abstract type " + std::string(record.name) + "; xsi:type names one of " +
                    part_names(parts));
        read_record(element, record, parts.emplace(value, chosen), secret);
    }

    /// The place of the type that a qualified name means; past the last when it is none of them.
    std::size_t part_named(node at, std::string_view said, const value_parts& parts) const {
        const name_parts name = split(at, said);
        std::size_t index = name.ns ? 0 : parts.types.size();
        for (; index != parts.types.size(); ++index) {
            const record_info& record = parts.types[index].record();
            if (same_name(record.name, name.local) && same_text(resolve(record.ns), *name.ns))
                break;
        }
        return index;
    }

    /// The names of the structs that there may be: not of those that are abstract.
    static std::string part_names(const value_parts& parts) {
        std::vector<std::string_view> names;
        for (const element_type& type : parts.types)
            if (!type.record().options.abstract) names.push_back(type.record().name);
        return name_list(names, [](std::string_view name) { return name; });
    }

    /// The parts of a qualified name in a value (XML Schema part 2, 3.2.18), of which `local` may
    /// yet be no name: one that is compared with names need not be looked at twice.
    struct name_parts {
        std::optional<std::string_view> ns;  ///< nullopt: what is before the colon is not declared
        std::string_view local;
    };
    static name_parts split(node at, std::string_view text) {
        text = collapse_ends(text);
        const std::size_t colon = text.find(':');
        if (colon == text.npos) return {at.namespace_of({}), text};
        const std::string_view local = text.substr(colon + 1);
        if (colon == 0) return {std::nullopt, local};  // what is declared for "" is the default
        return {at.namespace_of(text.substr(0, colon)), local};
    }
    static bool read_name(node at, std::string_view text, qualified_name& out) {
        const name_parts name = split(at, text);
        if (!name.ns || !is_ncname(name.local)) return false;
        out.ns = *name.ns;
        out.local = name.local;
        return true;
    }

    // Out of read_record's frame, of which a record that holds itself takes one for each level.
    [[gnu::noinline]] void read_simple(
        node element, const element_type& type, void* value, bool secret) const {
        const bool good = !element.has_children() &&
                          (type.kind == type_kind::string  // most are: asked first
                               ? from_text(element.text(), *static_cast<std::string*>(value))
                               : read_text(element, type, element.text(), value));
        if (!good) refuse_simple(element, type, secret);
    }

    [[noreturn, gnu::cold]] void refuse_simple(
        node element, const element_type& type, bool secret) const {
        const std::string what =
            !element.has_children() ? quoted_unless(secret, element.text()) + " is not "
            : secret
                ? "holds an element; allowed is "
                : "holds the element " + quoted(element.first_child().local()) + "; allowed is ";
        refuse(element, what + allowed_text(type));
    }

    static bool read_text(node at, const element_type& type, std::string_view text, void* value) {
        if (type.kind == type_kind::int32)
            return from_text(text, *static_cast<std::int32_t*>(value));
        if (type.kind >= type_kind::enumeration) return read_compound(at, type, text, value);
        bool good = false;
        with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
            good = from_text(text, *static_cast<T*>(value));
        });
        return good;
    }

    static bool read_compound(
        node at, const element_type& type, std::string_view text, void* value) {
        switch (type.kind) {
        case type_kind::enumeration: return read_enumeration(text, type, value);
        case type_kind::list: return read_list(at, type.parts(), text, value);
        case type_kind::choice_of: return read_union(at, type.parts(), text, value);
        case type_kind::name: return read_name(at, text, *static_cast<qualified_name*>(value));
        default: return false;
        }
    }

    static bool read_list(node at, const value_parts& parts, std::string_view text, void* value) {
        parts.emplace(value, no_part);  // a member may begin with items of its own
        while (const auto item = take_item(text))
            if (!read_text(at, parts.types[0], *item, parts.emplace(value, 0))) return false;
        return true;
    }

    /// The first of the types that the text fits (XML Schema part 2, 4.2.1.3).
    static bool read_union(node at, const value_parts& parts, std::string_view text, void* value) {
        for (std::size_t index = 0; index != parts.types.size(); ++index)
            if (read_text(at, parts.types[index], text, parts.emplace(value, index))) return true;
        return false;
    }

    /// White space of an enumeration is collapsed, inside as well (XML Schema part 2, 4.3.6).
    static bool read_enumeration(std::string_view sent, const element_type& type, void* value) {
        const enumeration_info& table = type.enumeration();
        const auto set = [&](std::string_view text) {
            for (const value_row& row : table.values)
                if (same_name(row.text, text)) return set_enumerator(table, value, row), true;
            return false;
        };
        const std::string_view said = collapse_ends(sent);
        if (set(said)) return true;
        if (std::none_of(said.begin(), said.end(), is_xml_space)) return false;
        std::string text(said);
        fit_white_space(text, false);
        return set(text);
    }

    /// Looks at what else an element says of itself. An href would put its content elsewhere in the
    /// message (SOAP 1.1, 5.4.1), where literal encoding does not look: reading on would lose data.
    /// In 1.2 an encoding in force that is not known is refused (part 1, 5.1.1 and 5.4.6); in 1.1
    /// it is a hint that literal content may carry anywhere (SOAP 1.1, 4.1.1).
    void check_attributes(node element, const declared_type& declared, bool secret) const {
        for (const attribute said : element.attributes()) {
            const std::string_view ns = said.ns();
            const std::string_view name = said.local();
            if (declared.kind != type_kind::derived && said.is(xsi_ns, "type"))
                check_type(element, said.value(), declared, secret);
            const bool elsewhere = (ns.empty() && name == "href") || said.is(encoding12_ns, "ref");
            if (elsewhere && !(declared.record && lists_attribute(*declared.record, name)))
                refuse(
                    element,
                    "refers to content elsewhere (" + quoted_unless(secret, said.value()) +
                        "); allowed is literal content");
            if (version_ == soap_version::v1_2 && said.is(soap12_ns, "encodingStyle") &&
                collapse_ends(said.value()) != soap12_no_encoding)
                throw fault(
                    fault_code::data_encoding_unknown,
                    path_to(element) + ": the encoding " + quoted_unless(secret, said.value()) +
                        " is not known here; allowed is literal content");
        }
    }

    /// What xsi:type may say: the declared type, or on a simple element any built-in type, since
    /// scripts guess it from the value they hold. But SOAP::Lite guesses base64Binary for text that
    /// is not ASCII, and encodes it: that is no text. Rejected: decoding it, since nothing says of
    /// which characters the bytes are made.
    void check_type(
        node element, std::string_view said, const declared_type& declared, bool secret) const {
        const type_kind kind = declared.kind;
        const std::string_view name = collapse_ends(said);
        const std::size_t colon = name.find(':');
        const bool prefixed = colon != std::string_view::npos;
        const std::string_view local = prefixed ? name.substr(colon + 1) : name;
        const auto ns = element.namespace_of(prefixed ? name.substr(0, colon) : std::string_view{});
        const bool named = kind == type_kind::record || kind == type_kind::enumeration;
        if (named && ns && same_text(*ns, resolve(declared.ns)) && local == declared.name) return;
        const bool builtin = ns && (*ns == xsd_ns || *ns == encoding11_ns || *ns == encoding12_ns);
        const bool decoded =
            local == "hexBinary" ? kind == type_kind::hex_binary : kind == type_kind::base64;
        const bool misread = is_encoded_type(local) && !decoded;
        if (kind != type_kind::record && builtin && is_builtin_type(local) && !misread) return;
        const bool elsewhere = named && ns && local == declared.name;
        refuse(
            element,
            "xsi:type names " + quoted_unless(secret, said) +
                (elsewhere && !secret ? " in " + namespace_text(*ns) : "") + "; allowed is '" +
                std::string(declared.name) + "'" +
                (elsewhere ? " in " + allowed_namespace(resolve(declared.ns)) : ""));
    }

    /// A child that no row lists: skipped when it is somebody else's, or when the unknown is. One
    /// with a name that is known, in another namespace, is a mistake that must not be skipped.
    [[gnu::cold]] void read_unlisted(node child, reading& state, bool secret) const {
        const record_info& record = state.record;
        if (record.has_wildcard && read_wildcard(child, state)) return;
        std::string allowed;
        for (const field_info& field : record.fields) {
            const std::string ns = allowed_namespace(resolve(field.ns));
            if (field.name == child.local() && allowed.find(ns) == allowed.npos)
                allowed.append(allowed.empty() ? "" : " or ").append(ns);
        }
        if (!allowed.empty())
            refuse(
                child,
                "is in " + (secret ? "another namespace" : namespace_text(child.ns())) +
                    "; allowed is " + allowed);
        const bool ours =
            same_text(child.ns(), resolve(record.ns)) ||
            std::any_of(record.fields.begin(), record.fields.end(), [&](const field_info& field) {
                return same_text(child.ns(), resolve(field.ns));
            });
        const bool foreign = !child.ns().empty() && !same_text(child.ns(), ns_) && !ours;
        if (foreign || unknown_ == unknown_elements::ignore) return;
        refuse(
            child.parent(),
            (secret ? "an element" : "the element " + quoted(child.local())) +
                " is not known here; allowed " +
                (record.fields.empty() ? "is no element" : "are " + field_names(record)));
    }

    /// The namespace of the type that has the row at `index` of a list that begins with its base's.
    std::string_view target_of(
        const record_info& record,
        std::vector<field_info> record_info::*list,
        std::size_t index) const {
        const record_info* at = &record;
        while (at->base && index < (at->base->*list).size())
            at = at->base;
        return resolve(at->ns);
    }

    /// Whether a wildcard takes a namespace (XML Schema part 1, 3.10.1), in a type of `target`.
    static bool takes(std::string_view rule, std::string_view ns, std::string_view target) {
        if (rule == "##any") return true;
        if (rule == "##other") return !ns.empty() && ns != target;
        for (std::string_view rest = rule; !rest.empty();) {
            const std::string_view one = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(one.size() + 1, rest.size()));
            if (one == "##local"             ? ns.empty()
                : one == "##targetNamespace" ? ns == target
                                             : one == ns)
                return true;
        }
        return false;
    }

    /// Whether a row is in a group of which another item may begin.
    static bool may_begin_again(const record_info& record, const field_info& field) {
        std::size_t group = field.group;
        while (group != no_group && record.groups[group].occurs != occurrence::many)
            group = record.groups[group].parent;
        return group != no_group;
    }

    /// Gives a child to the first wildcard that takes it and has room.
    bool read_wildcard(node child, reading& state) const {
        for (std::size_t index = 0; index != state.count; ++index) {
            const field_info& field = state.record.fields[index];
            if (field.kind != row_kind::any) continue;
            const bool full = field.occurs != occurrence::many && state.marks.is_seen(index) &&
                              !may_begin_again(state.record, field);
            const std::string_view target = target_of(state.record, &record_info::fields, index);
            if (full || !takes(field.ns, child.ns(), target)) continue;
            void* object = state.object;
            if (field.group != no_group) object = enter_group(child, field.group, index, state);
            if (field.occurs != occurrence::many && state.marks.is_seen(index))
                refuse(child, "is one too many of its kind");
            state.marks[index] = row_marks::with_value;
            void* const member = static_cast<char*>(object) + field.offset;
            *static_cast<xml*>(field.emplace(member)) = read_fragment(child);
            if (field.occurs == occurrence::many && field.item(member, field.extras->most))
                refuse(child, "is one too many of its kind");
            return true;
        }
        return false;
    }

    static std::string allowed_namespace(std::string_view ns) {
        return ns.empty() ? std::string("no namespace") : "the namespace '" + std::string(ns) + "'";
    }

    [[noreturn, gnu::cold]] void refuse_missing(
        node element, const field_info& field, bool is_nil) const {
        throw_fault(
            path_to(element) + '/' + std::string(field.name) +
            (is_nil ? ": is nil, but" : ": is missing;") +
            " a value is required: " + allowed_text(field.type));
    }

    /// A field sent as an attribute would read as absent. Other attributes are nobody's data.
    void refuse_attributes(node element, const record_info& record) const {
        if (unknown_ == unknown_elements::ignore) return;
        for (const attribute said : element.attributes()) {
            if (!said.ns().empty()) continue;
            for (const field_info& field : record.fields)
                if (said.local() == field.name)
                    refuse(
                        element,
                        std::string(field.name) + " is an attribute; allowed is an element");
        }
    }

    /// Names from the top of the message part down, with a position where siblings share a name.
    /// All names but the last are ones that the tables know, so a path stays short; the last is
    /// cut.
    std::string path_to(node element) const {
        std::string path;
        node at = element;
        for (int left = 256; at && left != 0; --left, at = at.parent()) {
            std::string name = shortened(at.local());
            if (at != top_) name += place_among_same(at);
            if (!path.empty()) name += '/';
            path.insert(0, name);
            if (at == top_) break;
        }
        return path;
    }

    [[noreturn]] void throw_fault(std::string reason) const {
        const fault refused(fault_code::client, std::move(reason));
        throw is_header_ ? refused.about_header() : refused;
    }

    node top_;
    std::string_view ns_;
    unknown_elements unknown_;
    soap_version version_;
    bool is_header_;
    mutable std::size_t room_ = most_declarations;  ///< for the declarations of fragments
};

}  // namespace soapsvc::detail

// ================================================================================================
// [envelope] SOAP 1.1 and 1.2 around the payload
// ================================================================================================
// Opens an envelope, applies the processing model to its header blocks, writes envelopes and
// faults. Clauses: SOAP 1.1, 4; SOAP 1.2 part 1, 2.6 and 5. This node is always the ultimate
// receiver, so relay never matters. encodingStyle on the 1.2 Envelope is let through although 5.1.1
// forbids it, because a widespread scripting client sends it always.

namespace soapsvc {

SOAPSVC_INLINE fault::fault(fault_code code, std::string reason)
    : code_(code), reason_(std::move(reason)) {}
SOAPSVC_INLINE fault::fault(const fault&) = default;
SOAPSVC_INLINE fault::fault(fault&&) noexcept = default;
SOAPSVC_INLINE fault& fault::operator=(const fault&) = default;
SOAPSVC_INLINE fault& fault::operator=(fault&&) noexcept = default;
SOAPSVC_INLINE fault::~fault() = default;

SOAPSVC_INLINE fault fault::with_subcode(std::string name) const {
    fault changed = *this;
    changed.subcode_ = std::move(name);
    return changed;
}
SOAPSVC_INLINE fault fault::about_header() const {
    fault changed = *this;
    changed.about_header_ = true;
    return changed;
}
SOAPSVC_INLINE fault fault::with_not_understood(std::vector<qualified_name> names) const {
    fault changed = *this;
    changed.not_understood_ = std::move(names);
    return changed;
}
SOAPSVC_INLINE fault fault::with_status(int status) const {
    if (status < 400 || status > 599)
        throw std::invalid_argument("soapsvc: the HTTP status of a fault is 400 to 599");
    fault changed = *this;
    changed.status_ = status;
    return changed;
}

}  // namespace soapsvc

namespace soapsvc::detail {

inline constexpr std::string_view soap11_next = "http://schemas.xmlsoap.org/soap/actor/next";
inline constexpr std::string_view soap12_next = "http://www.w3.org/2003/05/soap-envelope/role/next";
inline constexpr std::string_view soap12_ultimate_receiver =
    "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver";
inline constexpr std::string_view soap12_none = "http://www.w3.org/2003/05/soap-envelope/role/none";

/// An opened message: its version, and where its parts begin.
struct envelope {
    soap_version version = soap_version::v1_1;
    node header;  ///< null when there is none
    node body;
};

inline std::string_view envelope_namespace(soap_version version) noexcept {
    return version == soap_version::v1_1 ? soap11_ns : soap12_ns;
}

/// Attributes of 1.2's own elements are qualified (SOAP 1.2 part 1, 5.1 to 5.3), and none of them
/// says how it is encoded (5.1.1); on the Envelope that is let through.
inline void check_own_attributes(node element) {
    const std::string where(element.local());
    for (const attribute said : element.attributes()) {
        if (said.ns().empty())
            throw fault(
                fault_code::client,
                where + ": the attribute " + quoted(said.local()) +
                    " is in no namespace; allowed are qualified ones");
        if (said.ns() == soap12_ns && said.local() == "encodingStyle" && where != "Envelope")
            throw fault(
                fault_code::client,
                where + ": encodingStyle " + quoted(said.value()) +
                    " is not allowed here; it may stand on header blocks and on the "
                    "Body's child");
    }
}

/// Header and Body hold elements; white space between them means nothing.
inline void check_no_text(node element) {
    if (!element.has_text()) return;
    const fault refused(
        fault_code::client,
        std::string(element.local()) + ": holds text where only elements are allowed");
    throw element.local() == "Header" ? refused.about_header() : refused;
}

/// Decides the version by the root's name. `version` is set as soon as it is known, so that a fault
/// about what follows is written in the version of the message.
inline void read_version(node root, soap_version& version) {
    const bool is_envelope = root.local() == "Envelope";
    if (is_envelope && root.ns() == soap11_ns) {
        version = soap_version::v1_1;
    } else if (is_envelope && root.ns() == soap12_ns) {
        version = soap_version::v1_2;
    } else {
        version = soap_version::v1_2;  // only 1.2 can say what would be understood (5.4.7)
        throw fault(
            fault_code::version_mismatch,
            "the root element is " + quoted(root.local()) + " in " + namespace_text(root.ns()) +
                "; allowed is Envelope in the namespace '" + std::string(soap11_ns) + "' or '" +
                std::string(soap12_ns) + "'");
    }
}

/// The Body's one child. Literal, wrapped messages have exactly one (WS-I Basic Profile 1.1,
/// R2201). Not looked at before the header blocks were: what must be understood comes first (SOAP
/// 1.2 part 1, 2.6).
inline node only_child(node body) {
    check_no_text(body);
    const node payload = body.first_child();
    if (!payload) throw fault(fault_code::client, "Body: is empty; one request element is allowed");
    if (const node second = payload.next_sibling())
        throw fault(
            fault_code::client,
            "Body: the element " + quoted(second.local()) +
                " is one too many; one request element is allowed");
    return payload;
}

[[noreturn]] inline void refuse_in_envelope(node child) {
    throw fault(
        fault_code::client,
        child ? "Envelope: the element " + quoted(child.local()) + " in " +
                    namespace_text(child.ns()) +
                    " is not allowed here; allowed are an optional Header and then Body, "
                    "in the namespace of the Envelope"
              : std::string("Envelope: Body is missing; allowed are an optional Header and "
                            "then Body"));
}

/// Takes an envelope apart: Header at most once and first, then Body (SOAP 1.1, 4.1; SOAP 1.2 part
/// 1, 5.1 to 5.3). Throws `fault`; `version` is set before anything else can be refused.
inline envelope open_envelope(node root, soap_version& version) {
    read_version(root, version);
    const std::string_view ns = envelope_namespace(version);
    envelope opened{version, {}, {}};
    check_no_text(root);
    node child = root.first_child();
    if (child && child.is(ns, "Header")) {
        opened.header = child;
        child = child.next_sibling();
    }
    if (!child || !child.is(ns, "Body")) refuse_in_envelope(child);
    opened.body = child;
    if (version == soap_version::v1_2) {
        for (const node own : {root, opened.header, opened.body})
            if (own) check_own_attributes(own);
    }
    // SOAP 1.1 lets qualified elements follow the Body (4); nothing in them is meant for us.
    while ((child = child.next_sibling()))
        if (version == soap_version::v1_2 || child.ns().empty() || child.ns() == ns)
            refuse_in_envelope(child);
    return opened;
}

// --- Header blocks ------------------------------------------------------------------------------

/// An attribute of SOAP's that is a boolean. SOAP 1.1 knows 0 and 1 only (4.2.3); true and false
/// are let through there too, since they cannot be read in another way.
inline bool read_flag(node block, std::string_view ns, std::string_view name) {
    const auto said = block.attribute(ns, name);
    bool value = false;
    if (said && !from_text(*said, value))
        throw fault(
            fault_code::client,
            "Header/" + shortened(block.local()) + ": " + std::string(name) + " is " +
                quoted(*said) + "; allowed are 0 and 1")
            .about_header();
    return value;
}

/// Whether no scheme begins a URI reference (RFC 3986, 4.2).
inline bool is_relative(std::string_view reference) noexcept {
    const std::size_t end = reference.find_first_of(":/?#");
    return end == reference.npos || reference[end] != ':';
}

/// A path without "." and ".." (RFC 3986, 5.2.4). It begins with a slash.
inline std::string without_dots(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const std::string_view segment = path.substr(0, path.find('/', 1));
        const bool dots = segment == "/." || segment == "/..";
        if (segment == "/..") out.erase(std::min(out.rfind('/'), out.size()));
        if (!dots) out += segment;
        path.remove_prefix(segment.size());
        if (dots && path.empty()) out += '/';
    }
    return out;
}

/// A URI reference made absolute by a base (RFC 3986, 5.2.2 and 5.2.3), without the base's query;
/// as it is when the base is relative itself.
inline std::string resolve_reference(std::string_view base, std::string_view reference) {
    if (!is_relative(reference) || is_relative(base)) return std::string(reference);
    base = base.substr(0, base.find_first_of("?#"));
    const auto path_of = [](std::string_view uri, std::size_t scheme) {
        const bool authority = uri.substr(scheme).starts_with("//");
        return authority ? std::min(uri.find('/', scheme + 2), uri.size()) : scheme;
    };
    const std::size_t scheme = base.find(':') + 1;
    const bool own_authority = reference.starts_with("//");
    std::size_t path = path_of(base, scheme);
    std::string made(base.substr(0, own_authority ? scheme : path));
    if (own_authority || reference.starts_with('/')) {
        path = path_of(reference, 0);
        made.append(reference.substr(0, path));
        return made.append(without_dots(reference.substr(path)));
    }
    std::string merged(base.substr(path));
    merged.erase(merged.rfind('/') + 1);  // npos + 1 is 0
    if (!merged.starts_with('/')) merged.insert(0, 1, '/');
    return made.append(without_dots(merged.append(reference)));
}

/// A base of more than this makes no role: each block would copy what was sent once.
inline constexpr std::size_t longest_base = 4'096;

/// The base URI that xml:base gives an element and what is above it; empty when it gives none.
/// What HTTP says of a base is left out: it names this server, and roles are not its.
inline std::string base_of(node at) {
    if (!at) return {};
    const std::string outer = base_of(at.parent());
    const auto said = at.attribute(xml_ns, "base");
    if (!said || said->size() > longest_base) return said ? std::string() : outer;
    return resolve_reference(outer, collapse_ends(*said));
}

/// A relative role is a reference that xml:base makes absolute (SOAP 1.2 part 1, 1.3 and 6): one of
/// SOAP's own then. Else it stays as it came, and no node that this library is acts in it.
inline std::string_view absolute_role(node block, std::string_view role) {
    if (role.empty() || !is_relative(role) || role.size() > longest_base) return role;
    const std::string base = base_of(block);
    if (base.empty()) return role;
    const std::string absolute = resolve_reference(base, role);
    for (const std::string_view known : {soap12_next, soap12_ultimate_receiver, soap12_none})
        if (absolute == known) return known;
    return role;
}

/// The attributes that say who must process a header block (SOAP 1.1, 4.2.2 and 4.2.3; SOAP 1.2
/// part 1, 5.2.2 to 5.2.4). What `relay` says is for intermediaries, so only its form is checked.
inline header_block read_block(node block, soap_version version) {
    const bool v12 = version == soap_version::v1_2;
    const std::string_view ns = envelope_namespace(version);
    header_block read{block.ns(), block.local(), {}, false, block.source()};
    if (v12 && block.ns().empty())
        throw fault(
            fault_code::client,
            "Header/" + shortened(block.local()) + ": is in no namespace; a header block needs one")
            .about_header();
    const auto role = block.attribute(ns, v12 ? "role" : "actor");
    if (role) read.role = collapse_ends(*role);
    if (v12) read.role = absolute_role(block, read.role);
    read.must_understand = read_flag(block, ns, "mustUnderstand");
    if (v12) read_flag(block, ns, "relay");
    return read;
}

/// Whether this node, the ultimate receiver, acts in the block's role. No node acts in "none".
inline bool is_for_us(const header_block& block, soap_version version) noexcept {
    if (block.role.empty()) return true;
    if (version == soap_version::v1_1) return block.role == soap11_next;
    return block.role == soap12_next || block.role == soap12_ultimate_receiver;
}

/// Reads all header blocks into `blocks` (cleared first).
inline void read_blocks(
    const envelope& message, std::size_t most, std::vector<header_block>& blocks) {
    blocks.clear();
    if (!message.header) return;
    check_no_text(message.header);
    for (node block = message.header.first_child(); block; block = block.next_sibling()) {
        if (blocks.size() == most)
            throw fault(
                fault_code::client,
                "Header: holds more than " + std::to_string(most) +
                    " header blocks (limit header_blocks)")
                .about_header();
        blocks.push_back(read_block(block, message.version));
    }
}

/// A NotUnderstood block repeats a name whole, and a name declared once may be used by every block:
/// with longer namespaces than this, a small request would be answered by a huge fault.
inline constexpr std::size_t longest_repeated_namespace = 1024;

/// The names of these blocks in the message's order, each once. Sorted to find those that are there
/// again: a sender may choose a great many. By a heap, the smallest sort to compile.
inline std::vector<qualified_name> names_of(std::vector<const header_block*>& blocks) {
    using block = const header_block*;
    const auto sort = [](std::vector<block>& them, bool (*before)(block, block)) {
        std::make_heap(them.begin(), them.end(), before);
        std::sort_heap(them.begin(), them.end(), before);
    };
    sort(blocks, [](block a, block b) {
        // Local names first: those of one sender differ sooner than its namespaces.
        const int local = a->local.compare(b->local);
        const int ns = local != 0 ? 0 : a->ns.compare(b->ns);
        return local != 0 ? local < 0 : ns != 0 ? ns < 0 : a < b;
    });
    std::vector<block> firsts;
    block last = nullptr;
    for (const block each : blocks) {
        if (!last || each->local != last->local || each->ns != last->ns) firsts.push_back(each);
        last = each;
    }
    sort(firsts, [](block a, block b) { return a < b; });
    std::vector<qualified_name> names;
    names.reserve(firsts.size());
    for (const block each : firsts)
        names.push_back({std::string(each->ns), std::string(each->local)});
    return names;
}

/// Refuses the message when a block that must be understood by us is not (SOAP 1.2 part 1, 2.4 and
/// 2.6; SOAP 1.1, 4.2.3). `understood(block)` says what is.
template <class Understood>
void check_understood(
    const std::vector<header_block>& blocks, soap_version version, Understood understood) {
    std::string first;
    std::vector<const header_block*> missed;
    for (const header_block& block : blocks) {
        if (!block.must_understand || !is_for_us(block, version) || understood(block)) continue;
        if (first.empty()) first = quoted(block.local) + " in " + namespace_text(block.ns);
        if (block.ns.empty() || block.ns.size() > longest_repeated_namespace) continue;
        missed.push_back(&block);
    }
    if (first.empty()) return;
    throw fault(
        fault_code::must_understand,
        "Header: the block " + first + " must be understood, and is not understood here")
        .about_header()
        .with_not_understood(names_of(missed));
}

/// Reads the blocks for us that no table knows: all but those that are `taken`.
template <class Taken>
void read_other_blocks(
    const envelope& message,
    const std::vector<header_block>& blocks,
    const header_type& others,
    void* all,
    Taken taken) {
    if (!message.header) return;
    std::size_t room = most_declarations;
    auto facts = blocks.begin();
    for (node block = message.header.first_child(); block; block = block.next_sibling(), ++facts) {
        if (!is_for_us(*facts, message.version) || taken(block)) continue;
        try {
            *static_cast<xml*>(others.emplace(all)) = fragment::of(block, room);
        } catch (const fault& refused) {
            throw fault(fault_code::client, "Header: " + refused.reason()).about_header();
        }
    }
}

// --- Writing ------------------------------------------------------------------------------------

/// Begins a reply, up to before its Header or Body. The prefixes are those of the description's
/// samples. In 1.2 `soap` is declared as well though nothing uses it: a widespread Node client
/// reads typed values only from envelopes that declare that prefix.
inline std::string_view envelope_start(soap_version version) noexcept {
    return version == soap_version::v1_1
               ? "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
                 "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\""
                 " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
                 " xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">"
               : "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
                 "<soap12:Envelope xmlns:soap12=\"http://www.w3.org/2003/05/soap-envelope\""
                 " xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\""
                 " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
                 " xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">";
}
inline std::string_view header_start(soap_version version) noexcept {
    return version == soap_version::v1_1 ? "<soap:Header>" : "<soap12:Header>";
}
inline std::string_view header_end(soap_version version) noexcept {
    return version == soap_version::v1_1 ? "</soap:Header>" : "</soap12:Header>";
}
inline std::string_view body_start(soap_version version) noexcept {
    return version == soap_version::v1_1 ? "<soap:Body>" : "<soap12:Body>";
}
inline std::string_view envelope_end(soap_version version) noexcept {
    return version == soap_version::v1_1 ? "</soap:Body></soap:Envelope>"
                                         : "</soap12:Body></soap12:Envelope>";
}
inline std::string_view content_type_of(soap_version version) noexcept {
    return version == soap_version::v1_1 ? "text/xml; charset=utf-8"
                                         : "application/soap+xml; charset=utf-8";
}

/// The local name of a fault code (SOAP 1.1, 4.4.1; SOAP 1.2 part 1, 5.4.6).
inline std::string_view fault_code_name(fault_code code, soap_version version) noexcept {
    const bool v12 = version == soap_version::v1_2;
    switch (code) {
    case fault_code::client: return v12 ? "Sender" : "Client";
    case fault_code::server: return v12 ? "Receiver" : "Server";
    case fault_code::version_mismatch: return "VersionMismatch";
    case fault_code::must_understand: return "MustUnderstand";
    case fault_code::data_encoding_unknown: return v12 ? "DataEncodingUnknown" : "Client";
    }
    return v12 ? "Receiver" : "Server";
}

/// The HTTP status of a fault: always 500 in 1.1 (SOAP 1.1, 6.2); in 1.2, 400 for Sender and 500
/// for the others (SOAP 1.2 part 2, 7.5.2.2).
inline int status_of(const fault& refused, soap_version version) noexcept {
    if (refused.status() != 0) return refused.status();
    return version == soap_version::v1_2 && refused.code() == fault_code::client ? 400 : 500;
}

/// The record of a fault, as an element.
inline void write_typed_part(writer& out, const fault_detail& part, std::string_view ns) {
    const record_info& record = part.record();
    write_record_in(out, ns, name_of(record), record, part.value.get());
}

/// Which envelopes are understood.
inline void write_upgrade(writer& out, bool v12, std::optional<soap_version> only) {
    out.raw("<soap12:Upgrade");
    if (!v12) out.attribute("xmlns:soap12", soap12_ns);
    out.raw(">");
    if (only != soap_version::v1_1)
        out.raw("<soap12:SupportedEnvelope qname=\"soap12:Envelope\" />");
    if (only != soap_version::v1_2) {
        out.raw("<soap12:SupportedEnvelope qname=\"soap:Envelope\"");
        out.attribute("xmlns:soap", soap11_ns);
        out.raw(" />");
    }
    out.raw("</soap12:Upgrade>");
}

inline void write_detail(
    writer& out, std::string_view name, const fault& refused, std::string_view ns) {
    out.start(name);
    const std::size_t content = out.size();
    const fault_detail& detail = refused.typed_detail();
    if (detail.record) write_typed_part(out, detail, ns);
    out.end(name, content);
}

/// The header blocks that a fault brings: those of the program; of a node that speaks one version
/// only, what that is (SOAP 1.2 part 1, 5.4.7 and appendix A); and in 1.2 the names of the header
/// blocks that were not understood (5.4.8).
inline void write_fault_header(
    writer& out,
    const fault& refused,
    soap_version version,
    std::string_view ns,
    std::optional<soap_version> only) {
    const bool v12 = version == soap_version::v1_2;
    const bool upgrade =
        refused.code() == fault_code::version_mismatch && (v12 || only == soap_version::v1_2);
    const bool missed = v12 && !refused.not_understood().empty();
    if (!upgrade && !missed && refused.header_blocks().empty()) return;
    out.raw(header_start(version));
    if (upgrade) write_upgrade(out, v12, only);
    for (const qualified_name& name : refused.not_understood()) {
        if (!v12) break;
        out.raw("<soap12:NotUnderstood");
        out.attribute("qname", "ns:" + name.local);
        out.attribute("xmlns:ns", name.ns);
        out.raw(" />");
    }
    for (const fault_detail& block : refused.header_blocks())
        write_typed_part(out, block, ns);
    out.raw(header_end(version));
}

inline void write_fault11(writer& out, const fault& refused, std::string_view ns) {
    out.raw(body_start(soap_version::v1_1));
    out.raw("<soap:Fault><faultcode>soap:");
    out.raw(fault_code_name(refused.code(), soap_version::v1_1));
    out.raw("</faultcode><faultstring>");
    out.text(refused.reason());
    out.raw("</faultstring>");
    // 4.4: detail is there when the Body could not be processed, and only then.
    const bool about_body = !refused.is_about_header() &&
                            refused.code() != fault_code::version_mismatch &&
                            refused.code() != fault_code::must_understand;
    if (about_body) write_detail(out, "detail", refused, ns);
    out.raw("</soap:Fault>");
}

inline void write_fault12(writer& out, const fault& refused, std::string_view ns) {
    out.raw(body_start(soap_version::v1_2));
    out.raw("<soap12:Fault><soap12:Code><soap12:Value>soap12:");
    out.raw(fault_code_name(refused.code(), soap_version::v1_2));
    out.raw("</soap12:Value>");
    if (!refused.subcode().empty()) {
        out.raw("<soap12:Subcode><soap12:Value");
        out.attribute("xmlns:tns", ns);
        out.raw(">tns:");
        out.text(refused.subcode());
        out.raw("</soap12:Value></soap12:Subcode>");
    }
    out.raw("</soap12:Code><soap12:Reason><soap12:Text xml:lang=\"en\">");
    out.text(refused.reason());
    out.raw("</soap12:Text></soap12:Reason>");
    if (refused.typed_detail().record) write_detail(out, "soap12:Detail", refused, ns);
    out.raw("</soap12:Fault>");
}

/// Writes a whole fault envelope; `ns` is the service's namespace, for detail and subcode, `only`
/// the one version that it speaks. A subcode that is no name is a mistake of the program, in both
/// versions, so that tests of either find it.
inline void write_fault(
    std::string& reply,
    const fault& refused,
    soap_version version,
    std::string_view ns,
    std::optional<soap_version> only = {}) {
    if (!refused.subcode().empty() && !is_ncname(refused.subcode()))
        throw std::invalid_argument("soapsvc: a fault's subcode is an XML name without a colon");
    writer out(reply);
    out.raw(envelope_start(version));
    write_fault_header(out, refused, version, ns, only);
    if (version == soap_version::v1_1)
        write_fault11(out, refused, ns);
    else
        write_fault12(out, refused, ns);
    out.raw(envelope_end(version));
}

}  // namespace soapsvc::detail

// ================================================================================================
// [facts] What is believed of an HTTP request, and who may call
// ================================================================================================
// What an HTTP request says of itself, taken apart, and how much of that is believed: media types,
// targets, addresses, proxies, hosts and origins. (RFC 9110, 9112, 3986, 6454)

namespace soapsvc::detail {

/// One function for texts of all lengths.
inline void add_header(http_reply& reply, std::string_view name, std::string_view value) {
    reply.headers.emplace_back(name, value);
}

inline std::string lower_copy(std::string_view text) {
    std::string copy(text);
    for (char& c : copy)
        c = lower(c);
    return copy;
}

/// Removes spaces and tabs at both ends: optional white space of a header field (RFC 9110, 5.6.3).
inline std::string_view trim(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The name of a header field, or a method (RFC 9110, 5.6.2).
inline bool is_token(std::string_view text) noexcept {
    static constexpr auto table = [] {
        std::array<bool, 256> allowed{};
        for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            allowed[static_cast<unsigned char>(c)] = true;
        return allowed;
    }();
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return table[static_cast<unsigned char>(c)];
    });
}

/// Field values hold no control characters but the tab (RFC 9110, 5.5).
inline bool is_field_value(std::string_view text) noexcept {
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && byte != '\t') || byte == 0x7F;
    });
}

/// Whether text is of characters of ASCII that one can see, which the space is not.
inline bool is_visible(std::string_view text) noexcept {
    for (const char c : text)
        if (c <= ' ' || c > '~') return false;
    return true;
}

/// A Content-Type taken apart (RFC 9110, 8.3.1). Quoted parameters are unquoted; pairs with a
/// backslash are rare enough to be refused. Not every value that is sent bare may be: URIs are.
struct media_type {
    std::string_view type;  ///< "text/xml"; empty when there was no header
    std::string_view charset;
    std::string_view action;
    std::string_view wrong{};  ///< what a fault says of a field that is none; empty when it is one
};

inline void read_parameter(std::string_view parameter, media_type& parsed) noexcept {
    if (trim(parameter).empty()) return;  // a ';' may stand alone (RFC 9110, 5.6.6)
    const auto refuse = [&parsed](std::string_view why) {
        if (parsed.wrong.empty()) parsed.wrong = why;
    };
    const std::size_t equals = parameter.find('=');
    const std::string_view name = trim(parameter.substr(0, equals));
    std::string_view value = equals == parameter.npos ? "\"" : trim(parameter.substr(equals + 1));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"')
        value = value.substr(1, value.size() - 2);
    else if (!is_visible(value))
        refuse("is malformed");
    if (!is_token(name) || value.find('"') != value.npos) refuse("is malformed");
    const auto keep = [&](std::string_view known, std::string_view& kept) {
        if (!equal_ignoring_case(name, known)) return;
        if (kept.data()) refuse("has a parameter twice");  // which one would others take?
        kept = value.empty() ? std::string_view("") : value;
    };
    keep("charset", parsed.charset);
    keep("action", parsed.action);
}

inline media_type parse_media_type(std::string_view header) noexcept {
    media_type parsed;
    std::size_t at = header.find(';');
    parsed.type = trim(header.substr(0, at));
    const std::size_t slash = parsed.type.find('/');
    if (!is_token(parsed.type.substr(0, slash)) || slash == header.npos ||
        !is_token(parsed.type.substr(slash + 1)))
        parsed.wrong = "is malformed";
    while (at < header.size()) {
        const std::string_view rest = header.substr(at + 1);
        const auto mark = [rest](std::size_t from) {
            while (from < rest.size() && rest[from] != ';' && rest[from] != '"')
                ++from;
            return from;
        };
        // To the next ';' that is not in quotes, and not a character further: fields may be long.
        std::size_t end = mark(0);
        while (end < rest.size() && rest[end] == '"') {
            const std::size_t close = rest.find('"', end + 1);
            end = close == rest.npos ? rest.size() : mark(close + 1);
        }
        read_parameter(rest.substr(0, end), parsed);
        at += 1 + end;
    }
    return parsed;
}

/// The media types of XML (RFC 7303, 4.2 and 9).
inline bool is_xml_type(std::string_view type) noexcept {
    constexpr std::string_view suffix = "+xml";
    return equal_ignoring_case(type, "text/xml") || equal_ignoring_case(type, "application/xml") ||
           (type.size() > suffix.size() &&
            equal_ignoring_case(type.substr(type.size() - suffix.size()), suffix));
}

/// An SOAPAction without its quotes.
inline std::string_view unquoted_action(std::string_view value) noexcept {
    value = trim(value);
    if (value.size() > 1 && value.front() == '"' && value.back() == '"')
        value = trim(value.substr(1, value.size() - 2));
    return value == "\"\"" ? std::string_view{} : value;
}

/// A request target taken apart (RFC 9112, 3.2.1 and 3.2.2).
struct request_target {
    std::string_view authority;  ///< of the absolute form, else empty
    std::string_view path;
    std::string_view query;
};

inline request_target parse_target(std::string_view target) noexcept {
    request_target parsed;
    if (!target.empty() && target.front() != '/') {
        const std::size_t scheme = target.find("://");
        if (scheme == target.npos) return parsed;
        target.remove_prefix(scheme + 3);
        parsed.authority = target.substr(0, target.find_first_of("/?"));
        target.remove_prefix(parsed.authority.size());
    }
    const std::size_t mark = target.find('?');
    parsed.path = target.substr(0, mark);
    if (mark != target.npos) parsed.query = target.substr(mark + 1);
    if (parsed.path.empty()) parsed.path = "/";
    return parsed;
}

/// A request id that may be repeated in headers and logs as it is: short, visible ASCII.
inline bool is_request_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= 128 && is_visible(id);
}

// --- Who is believed, and who may call -----------------------------------------------------------

inline std::string with_slash_between(std::string_view base, std::string_view rest) {
    while (!base.empty() && base.back() == '/')
        base.remove_suffix(1);
    return std::string(base) + '/' + std::string(rest);
}

/// Whether an authority is a host and perhaps a port, and nothing else (RFC 3986, 3.2.2 and 3.2.3).
/// What else is there would end up in the WSDL that another caller may be shown by a cache.
inline bool is_authority(std::string_view authority) noexcept {
    static constexpr std::string_view digits = "0123456789";
    const bool bracket = !authority.empty() && authority.front() == '[';
    std::size_t end = bracket ? authority.find(']') : authority.find(':');
    if (bracket) end = end == authority.npos ? 0 : end + 1;
    const std::string_view host = authority.substr(0, end);
    const std::string_view port = authority.substr(host.size());
    if (host.empty() || host.size() > 255) return false;
    const auto only = [](std::string_view text, std::string_view allowed) {
        return text.find_first_not_of(allowed) == text.npos;
    };
    const bool good =
        bracket
            ? host.size() > 4 && only(host.substr(1, host.size() - 2), "0123456789abcdefABCDEF:.")
            : only(
                  host,
                  "0123456789abcdefghijklmnopqrstuvwxyz"
                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ-._");
    return good && (port.empty() || (port.size() > 1 && port.size() <= 6 && port.front() == ':' &&
                                     only(port.substr(1), digits)));
}

/// Whether a path put behind text makes an absolute address of it: it has a scheme and a host, and
/// no query or fragment, which would swallow the path (RFC 3986, 3).
inline bool is_base_url(std::string_view url) noexcept {
    const bool has_scheme = url.starts_with("http://") || url.starts_with("https://");
    return has_scheme && is_authority(parse_target(url).authority) &&
           url.find_first_of("?# \t\r\n") == url.npos && find_bad_char(url) == url.npos;
}

/// Takes the part before `separator`, or all, off the front of `text`.
inline std::string_view take_part(std::string_view& text, char separator) noexcept {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

/// Whether text is an IPv4 address: four decimal numbers (RFC 3986, 3.2.2).
inline bool is_ipv4(std::string_view text) noexcept {
    int dots = 0;
    int digits = 0;
    int number = 0;
    for (const char c : text) {
        if (c == '.') {
            if (digits == 0) return false;
            ++dots;
            digits = number = 0;
        } else {
            number = number * 10 + (c - '0');
            if (c < '0' || c > '9' || ++digits > 3 || number > 255) return false;
        }
    }
    return dots == 3 && digits != 0;
}

/// Whether text is an IPv6 address without brackets and zone (RFC 4291, 2.2): eight groups of
/// hexadecimal digits; "::" stands for the missing ones, an IPv4 address for the last two.
inline bool is_ipv6(std::string_view text) noexcept {
    const std::size_t gap = text.find("::");
    const std::size_t last = text.rfind(':');
    if (last == text.npos || text.size() > 45) return false;
    std::size_t groups = 0;
    if (text.find('.') != text.npos) {
        if (!is_ipv4(text.substr(last + 1))) return false;
        groups = 2;
        text = text.substr(0, last == gap + 1 ? last + 1 : last);
    }
    const auto count = [&groups](std::string_view part) {
        if (part.ends_with(':')) return false;
        while (!part.empty()) {
            const std::string_view group = take_part(part, ':');
            if (group.empty() || group.size() > 4 ||
                group.find_first_not_of("0123456789abcdefABCDEF") != group.npos)
                return false;
            ++groups;
        }
        return true;
    };
    if (gap == text.npos) return count(text) && groups == 8;
    return count(text.substr(0, gap)) && count(text.substr(gap + 2)) && groups < 8;
}

/// The address in an entry of X-Forwarded-For: alone, or with a port, as some proxies write it.
/// Empty when that is not what it is.
inline std::string_view address_in(std::string_view entry) noexcept {
    const std::size_t bracket = entry.starts_with('[') ? entry.find(']') : entry.npos;
    const bool v6 = bracket != entry.npos || std::count(entry.begin(), entry.end(), ':') > 1;
    const std::size_t end = bracket != entry.npos ? bracket + 1
                            : v6                  ? entry.size()
                                                  : std::min(entry.find(':'), entry.size());
    const std::string_view port = entry.substr(end);
    if (!port.empty() && (port.size() < 2 || port.size() > 6 || port.front() != ':' ||
                          port.find_first_not_of("0123456789", 1) != port.npos))
        return {};
    const std::string_view address =
        bracket != entry.npos ? entry.substr(1, bracket - 1) : entry.substr(0, end);
    return (v6 ? is_ipv6(address) : is_ipv4(address)) ? address : std::string_view{};
}

/// Whether an address is of this machine (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3), also as an IPv6
/// socket writes it. A name that begins with "127." is none.
inline bool is_loopback(std::string_view address) noexcept {
    constexpr std::string_view mapped = "::ffff:";
    if (address.starts_with(mapped)) address.remove_prefix(mapped.size());
    return address == "::1" || (address.starts_with("127.") && is_ipv4(address));
}

/// Whether a proxy says that it handed the request on.
inline bool was_forwarded(const http_request& request) noexcept {
    constexpr std::string_view family = "X-Forwarded-";  // -For, -Host, -Proto, -Port, -Prefix ...
    for (const http_header& field : request.headers) {
        if (equal_ignoring_case(field.name.substr(0, family.size()), family)) return true;
        for (const std::string_view told : {"Forwarded", "Via", "X-Real-IP"})
            if (equal_ignoring_case(field.name, told)) return true;
    }
    return false;
}

/// The last of the values that a header's fields list: the nearest proxy put it there.
inline std::string_view last_listed(const http_request& request, std::string_view name) noexcept {
    std::string_view list;
    for (const http_header& field : request.headers)
        if (equal_ignoring_case(field.name, name)) list = field.value;
    return trim(list.substr(list.rfind(',') + 1));
}

/// Scheme and authority: to a browser, whose pages these are (RFC 6454, 4).
struct site {
    std::string_view scheme;
    std::string_view authority;
};

/// An authority taken apart: the host without brackets, and without the dot that a name may end in.
struct host_and_port {
    std::string_view host;
    std::string_view port;  ///< empty for none
};

inline host_and_port split_authority(std::string_view authority) noexcept {
    const bool bracket = authority.starts_with('[');
    if (bracket) authority.remove_prefix(1);
    host_and_port split;
    split.host = take_part(authority, bracket ? ']' : ':');
    split.port = bracket ? authority.substr(authority.starts_with(':') ? 1 : 0) : authority;
    if (split.host.ends_with('.')) split.host.remove_suffix(1);
    return split;
}

/// Whether a name leads to this machine wherever it is asked (RFC 6761, 6.3), or is its address.
inline bool is_loopback_name(std::string_view name) noexcept {
    constexpr std::string_view local = "localhost";
    if (is_loopback(name) || equal_ignoring_case(name, local)) return true;
    return name.size() > local.size() + 1 && name[name.size() - local.size() - 1] == '.' &&
           equal_ignoring_case(name.substr(name.size() - local.size()), local);
}

/// The site that Origin names; without authority when it names none, as "null" does (RFC 6454, 7).
inline site parse_origin(std::string_view origin) noexcept {
    const std::size_t end = origin.find("://");
    if (end == origin.npos || !is_token(origin.substr(0, end))) return {};
    const site parsed{origin.substr(0, end), origin.substr(end + 3)};
    return is_authority(parsed.authority) ? parsed : site{};
}

inline bool is_same(const site& a, const site& b) noexcept {
    const host_and_port x = split_authority(a.authority);
    const host_and_port y = split_authority(b.authority);
    const auto port_of = [](std::string_view scheme, std::string_view port) {
        if (!port.empty()) return port;
        if (equal_ignoring_case(scheme, "http")) return std::string_view("80");
        return equal_ignoring_case(scheme, "https") ? std::string_view("443") : port;
    };
    return !x.host.empty() && equal_ignoring_case(a.scheme, b.scheme) &&
           equal_ignoring_case(x.host, y.host) &&
           port_of(a.scheme, x.port) == port_of(b.scheme, y.port);
}

/// What is believed of a request, and for whom it is refused.
class request_policy {
public:
    explicit request_policy(const host_options& options) noexcept : options_(options) {}

    /// Throws std::invalid_argument for a name or an origin that is none.
    void check_options() const {
        for (const std::string& name : options_.host_names)
            if (!is_authority(name) || !split_authority(name).port.empty())
                throw std::invalid_argument(
                    "soapsvc: host_names holds '" + name +
                    "', which is no name of a host without its port, such as payroll.example.com");
        for (const std::string& origin : options_.allowed_origins)
            if (parse_origin(origin).authority.empty())
                throw std::invalid_argument(
                    "soapsvc: allowed_origins holds '" + origin +
                    "', which is no scheme and host with nothing behind, such as "
                    "https://app.example.com");
    }

    bool is_trusted(std::string_view peer) const {
        const auto& trusted = options_.trusted_proxies;
        return std::find(trusted.begin(), trusted.end(), peer) != trusted.end();
    }

    /// Who called: the peer, or whom a trusted proxy names. Each proxy appends the address that
    /// called it, so all fields, which are one list (RFC 9110, 5.2), are read from the end, for as
    /// long as the addresses are trusted themselves. Who stands before an entry that is no address
    /// is anybody's guess: nobody then, which is an empty text. Rejected: going on behind such an
    /// entry, which is to believe what the caller wrote.
    std::string_view caller_of(const http_request& request) const {
        std::string_view caller = request.peer;
        for (std::size_t left = request.headers.size(); left != 0 && is_trusted(caller); --left) {
            const http_header& field = request.headers[left - 1];
            if (!equal_ignoring_case(field.name, "X-Forwarded-For")) continue;
            std::string_view list = field.value;
            for (std::size_t comma = 0; comma != list.npos && is_trusted(caller);) {
                comma = list.rfind(',');
                caller = address_in(trim(list.substr(comma + 1)));
                if (comma != list.npos) list = list.substr(0, comma);
            }
        }
        return caller;
    }

    /// Scheme and authority that WSDL and pages show: public_url, else what the request says.
    /// nullopt: that is no address.
    std::optional<std::string> base_url(const http_request& request) const {
        if (!options_.public_url.empty()) return with_slash_between(options_.public_url, "");
        site called = called_as(request);
        if (called.authority.empty()) called.authority = request.local_authority;
        if (called.authority.empty()) called.authority = "localhost";
        if (!is_authority(called.authority)) return std::nullopt;
        return std::string(called.scheme) + "://" + std::string(called.authority) + '/';
    }

    /// Why this host does not answer to the name it was called by; empty when it does.
    std::string foreign_host(const http_request& request) const {
        const bool looks = is_loopback_name(request.listening_on) || !options_.public_url.empty() ||
                           !options_.host_names.empty();
        if (!looks || request.peer == "unix" || is_trusted(request.peer)) return {};
        const std::string_view said = called_as(request).authority;
        const std::string_view name = split_authority(said).host;
        // HTTP/1.0 knows no Host; browsers always send it.
        if (said.empty() || answers_to(name, request.listening_on)) return {};
        return "Host: " + (is_authority(said) ? quoted(said) : "this") +
               " is no name of this service; those beside its own address are set by the options "
               "public_url and host_names";
    }

    /// Why a browser's user did not mean to send this call; empty when it may be made.
    /// Browsers say whose page sends a POST (WHATWG Fetch, 3.2; Fetch Metadata, 2.4), and what else
    /// calls does not. Sec-Fetch-Site alone would do for those of today; older ones send Origin
    /// only.
    std::string foreign_origin(const http_request& request) const {
        const auto refused = [](std::string_view field, std::string_view value) {
            return std::string(field) + ": " + quoted(value) +
                   " is another site, and its pages may not call this service; the option "
                   "allowed_origins lists those that may";
        };
        bool allowed = false;
        std::string_view from = "none";
        for (const http_header& field : request.headers) {
            if (field.value.empty()) continue;
            if (equal_ignoring_case(field.name, "Sec-Fetch-Site") && field.value != "same-origin" &&
                field.value != "none")
                from = field.value;
            if (!equal_ignoring_case(field.name, "Origin")) continue;
            allowed = is_allowed(field.value);
            if (!allowed && !is_own(request, field.value)) return refused(field.name, field.value);
        }
        return allowed || from == "none" ? std::string() : refused("Sec-Fetch-Site", from);
    }

    /// Whether a browser asks if a page of an allowed origin may call.
    bool is_preflight(const http_request& request) const {
        return request.method == "OPTIONS" && request.header("Access-Control-Request-Method") &&
               is_allowed(request.header("Origin").value_or(std::string_view{}));
    }

    /// What lets the pages of an allowed origin read the reply.
    void add_origin_fields(const http_request& request, http_reply& reply) const {
        if (options_.allowed_origins.empty()) return;
        add_header(reply, "Vary", "Origin");
        const std::string_view origin = request.header("Origin").value_or(std::string_view{});
        if (!is_allowed(origin)) return;
        add_header(reply, "Access-Control-Allow-Origin", origin);
        if (request.method != "OPTIONS") {
            add_header(reply, "Access-Control-Expose-Headers", "X-Request-Id");
            return;
        }
        add_header(reply, "Access-Control-Allow-Methods", "POST");
        add_header(
            reply,
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, SOAPAction, X-Request-Id");
        add_header(reply, "Access-Control-Max-Age", "600");
    }

private:
    /// Scheme and authority as the caller wrote them, or as a trusted proxy says. The authority of
    /// an absolute target goes before Host (RFC 9112, 3.2.2).
    site called_as(const http_request& request) const {
        site called{request.scheme, parse_target(request.target).authority};
        if (called.authority.empty())
            called.authority = request.header("Host").value_or(std::string_view{});
        if (is_trusted(request.peer)) {
            const std::string_view host = last_listed(request, "X-Forwarded-Host");
            if (!host.empty()) called.authority = host;
            const std::string_view proto = last_listed(request, "X-Forwarded-Proto");
            for (const std::string_view known : {"http", "https"})
                if (equal_ignoring_case(proto, known)) called.scheme = known;
        }
        called.authority = trim(called.authority);
        return called;
    }

    /// A listener on all addresses is one on each of them; an address cannot be rebound.
    bool answers_to(std::string_view name, std::string_view listening_on) const {
        if (equal_ignoring_case(name, listening_on)) return true;
        const bool everywhere = listening_on == "0.0.0.0" || listening_on == "::";
        if ((everywhere || is_loopback_name(listening_on)) && is_loopback_name(name)) return true;
        if (everywhere && (is_ipv4(name) || is_ipv6(name))) return true;
        const auto is_it = [name](std::string_view known) {
            return !known.empty() && equal_ignoring_case(name, split_authority(known).host);
        };
        return is_it(parse_target(options_.public_url).authority) ||
               std::any_of(options_.host_names.begin(), options_.host_names.end(), is_it);
    }

    /// Its own pages have its address, or the one that its operator gave it.
    bool is_own(const http_request& request, std::string_view origin) const {
        const site page = parse_origin(origin);
        const std::string_view url = options_.public_url;
        const site known{url.substr(0, url.find(':')), parse_target(url).authority};
        return is_same(page, called_as(request)) || is_same(page, known);
    }

    bool is_allowed(std::string_view origin) const {
        const site page = parse_origin(origin);
        for (const std::string& known : options_.allowed_origins)
            if (is_same(page, parse_origin(known))) return true;
        return false;
    }

    const host_options& options_;
};

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE std::optional<std::string_view> http_request::header(
    std::string_view name) const noexcept {
    for (const http_header& field : headers)
        if (detail::equal_ignoring_case(field.name, name)) return field.value;
    return std::nullopt;
}

SOAPSVC_INLINE bool is_local(
    const http_request& request, std::span<const std::string> trusted_proxies) noexcept {
    return detail::is_loopback(request.peer) && !detail::was_forwarded(request) &&
           std::find(trusted_proxies.begin(), trusted_proxies.end(), request.peer) ==
               trusted_proxies.end();
}

}  // namespace soapsvc

// ================================================================================================
// [call] One request on its way through: decode, call, encode
// ================================================================================================
// A request reaches its service here: its envelope is opened, its operation found, request and
// header are decoded, the interceptors and the method called, the result encoded. Every error
// becomes a fault, and what is no fault becomes an incident: a number for the caller, the text for
// `on_error`. Rules: SOAP 1.1, 6; SOAP 1.2 part 2, 7.

namespace soapsvc::detail {

// --- Who waits ----------------------------------------------------------------------------------

/// Whether an operation's calls wait, as far as those of late tell.
class waiting_habit {
public:
    waiting_habit() = default;
    waiting_habit(waiting_habit&& other) noexcept : recent_(other.recent_.load()) {}

    void note(bool waited) noexcept {
        const int before = recent_.load(std::memory_order_relaxed);
        const int now = std::clamp(before + (waited ? 1 : -1), 0, most);
        if (now != before) recent_.store(now, std::memory_order_relaxed);
    }
    bool waits() const noexcept { return recent_.load(std::memory_order_relaxed) >= most / 4; }

private:
    static constexpr int most = 16;
    std::atomic<int> recent_{0};
};

/// How the host of this thread hears that it waits; null in threads that are no host's workers.
struct wait_observer {
    void* self;
    bool (*begin)(void* self, bool has_place);  ///< false: as many wait as may
    void (*end)(void* self, bool has_place);
    bool (*take_place)(void* self);  ///< among those who may wait; false: there is none left
    void (*give_place)(void* self);
    waiting_habit* habit = nullptr;  ///< of the operation that is called; null between two calls
    bool has_place = false;  ///< the present call took one beforehand
    bool waited = false;  ///< the present call has
};
/// For blocking_section alone, which is opened far below whoever could hand it on.
inline thread_local wait_observer* this_worker = nullptr;

/// Thrown before anything is done for a call that would wait, when no more may.
struct call_is_put_off {};

/// Learns from one call whether those of its operation wait. If they do, the call has its place
/// among those who wait from here on. Rejected: only looking whether there is one, since it may be
/// taken when the call comes to wait, which is then refused instead of put off.
class habit_watch {
public:
    habit_watch(wait_observer& worker, waiting_habit& habit) : worker_(worker) {
        const bool waits = habit.waits();
        if (waits && !worker_.take_place(worker_.self)) throw call_is_put_off{};
        worker_.has_place = waits;
        worker_.habit = &habit;
        worker_.waited = false;
    }
    ~habit_watch() {
        if (std::exchange(worker_.has_place, false)) worker_.give_place(worker_.self);
        if (!worker_.waited) worker_.habit->note(false);
        worker_.habit = nullptr;
    }
    habit_watch(const habit_watch&) = delete;
    habit_watch& operator=(const habit_watch&) = delete;

private:
    wait_observer& worker_;
};

/// An operation ready to be answered: what its reply has around the result, written once.
struct served_operation {
    const operation_info* info = nullptr;
    /// The request's element; its local name is empty when other operations take the same one, and
    /// the action tells them apart.
    std::string_view request_local, request_ns;
    std::string action;
    bool is_plain = true;  ///< what `reply_head` begins, in the service's namespace and no other
    std::array<std::string, 2> reply_head;  ///< by version, up to the inside of the reply's element
    // In the WSDL, in the order of what they are for; out_message is empty without an output.
    std::string in_message, out_message;
    std::vector<std::string> header_messages, told_messages, fault_messages;
    mutable waiting_habit habit;  ///< changed by calls, which are concurrent
};

/// A service at a path.
struct endpoint {
    const service_info* info = nullptr;
    void* service = nullptr;
    std::string ns;
    std::string path;
    std::vector<served_operation> operations;
    soap_version refused = static_cast<soap_version>(0xFF);  ///< which it does not speak; no other

    bool speaks(soap_version version) const noexcept {
        return info->options.only.value_or(version) == version;
    }
};

// --- Incidents ----------------------------------------------------------------------------------

/// Sixteen hexadecimal digits that nobody else has: for incidents and requests without an id.
inline void append_fresh_id(std::string& to) {
    thread_local std::uint64_t state =
        std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
    static constexpr char digits[] = "0123456789abcdef";
    std::uint64_t bits = state += 0x9e3779b97f4a7c15;  // splitmix64: no number twice in 2^64
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    char id[16];
    for (char& digit : id) {
        digit = digits[bits & 15];
        bits >>= 4;
    }
    to.append(id, sizeof id);
}

inline std::string fresh_id() {
    std::string id;
    append_fresh_id(id);
    return id;
}

/// All that a caller is told of an exception.
inline std::string incident_text(std::string_view incident) {
    return "The server could not process the request. Incident " + std::string(incident) + ".";
}

/// Tells observers, and drops what they throw.
template <class Tell>
void tell_safely(Tell tell) noexcept {
    try {
        tell();
    } catch (...) {  // the reply is there and stands
    }
}

/// A line on standard error, for what a program has set nothing to hear of. Rejected: silence,
/// since whoever needs the line most has not read yet that there is something to set.
inline void tell_standard_error(std::string_view what) {
    const std::string line = "soapsvc: " + std::string(what) + '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);  // at once, or lines of threads would mix
}

/// What is quoted is the caller's word, or the exception's, and must not begin a line of its own.
inline void tell_error_line(const error_report& error) {
    const std::string_view service = error.service.empty() ? "a page" : error.service;
    std::string line = "incident " + std::string(error.incident) + " in " + std::string(service);
    if (!error.operation.empty()) line.append(1, ' ').append(quoted(error.operation));
    if (!error.peer.empty()) line.append(", called by ").append(quoted(error.peer));
    tell_standard_error(
        line + ", request " + quoted(error.request_id) + ": " + quoted(error.what, 1'000));
}

/// The one way of an exception that was no fault: its text goes to `on_error`, the incident's id to
/// the caller.
inline void tell_error(const host_options& options, const error_report& error) noexcept {
    tell_safely([&] { options.on_error ? options.on_error(error) : tell_error_line(error); });
}

// --- The call -----------------------------------------------------------------------------------

/// A document per thread, kept warm; a call within a call on the same thread gets one of its own.
class document_lease {
public:
    document_lease() : used_(warm().busy ? new shared : &warm()) { used_->busy = true; }
    ~document_lease() {
        used_->document.clear();  // what a large message took; the nodes end here in any case
        used_->busy = false;
        if (used_ != &warm()) delete used_;
    }
    document_lease(const document_lease&) = delete;
    document_lease& operator=(const document_lease&) = delete;
    xml_document& get() noexcept { return used_->document; }
    std::vector<header_block>& blocks() noexcept { return used_->blocks; }

private:
    struct shared {
        xml_document document;
        std::vector<header_block> blocks;
        bool busy = false;
    };
    static shared& warm() {
        thread_local shared kept;
        return kept;
    }
    shared* const used_;
};

/// Writes elements anew without what a table marks secret, or does not know. Built from the tree
/// and not cut out of the bytes: what is not named here cannot get through.
class masked_copy {
public:
    masked_copy(std::string& out, std::string_view ns) : out_(out), ns_(ns) {}

    /// An element as it is, with what `inside` writes for each of its children.
    template <class Inside>
    void element(node at, Inside inside) {
        start(at, true);
        for (node child = at.first_child(); child; child = child.next_sibling())
            inside(child);
        end(at);
    }

    /// An element whose content nobody may see. Its attributes may be a part of it.
    void hidden(node at) {
        start(at, false);
        out_.raw("***");
        end(at);
    }

    /// An element of a type that a table knows.
    void value(node at, const element_type& type, bool secret) {
        if (secret || type.kind == type_kind::fragment) return hidden(at);
        if (type.kind == type_kind::derived) return record(at, part_of(at, type.parts()));
        if (type.kind == type_kind::record) return record(at, type.record());
        start(at, true);
        out_.text(at.text());
        end(at);
    }

    void record(node at, const record_info& table) {
        const bool text = !table.content.empty() && !table.content.front().options.secret;
        start(at, true, &table);
        if (!table.content.empty()) out_.text(text ? at.text() : "***");
        for (node child = at.first_child(); child; child = child.next_sibling())
            inside(child, table);
        end(at);
    }

    /// An element of ours, text and all.
    void plain(node at) {
        start(at, true);
        out_.text(at.text());
        for (node child = at.first_child(); child; child = child.next_sibling())
            plain(child);
        end(at);
    }

private:
    std::string_view resolve(std::string_view ns) const noexcept {
        return ns.data() == nullptr ? ns_ : ns;
    }

    /// What a derived value says that it is. What is in it and not in that is hidden.
    const record_info& part_of(node at, const value_parts& parts) const {
        const std::string_view said = collapse_ends(at.attribute(xsi_ns, "type").value_or(""));
        const std::size_t colon = std::min(said.find(':'), said.size());
        const std::string_view local = said.substr(colon == said.size() ? 0 : colon + 1);
        const auto ns = at.namespace_of(said.substr(0, colon == said.size() ? 0 : colon));
        for (const element_type& each : parts.types)
            if (each.record().name == local && resolve(each.record().ns) == ns.value_or(""))
                return each.record();
        return parts.types[0].record();
    }

    void inside(node child, const record_info& table) {
        for (const field_info& field : table.fields)
            if (field.kind == row_kind::element && child.is(resolve(field.ns), field.name))
                return value(child, field.type, field.options.secret);
        hidden(child);
    }

    /// Whether a table lists an attribute that may be shown.
    bool lists(const record_info& table, const attribute& said) const {
        for (const field_info& field : table.attributes)
            if (said.is(resolve(field.ns), field.name)) return !field.options.secret;
        return false;
    }

    static std::string name_of(std::string_view prefix, std::string_view local) {
        return std::string(prefix) + (prefix.empty() ? "" : ":") + std::string(local);
    }

    /// What prefixes mean is needed to read the rest; of other attributes, SOAP's, the schema's and
    /// the table's.
    void start(node at, bool with_attributes, const record_info* table = nullptr) {
        out_.raw("<");
        out_.raw(name_of(at.prefix(), at.local()));
        for (const attribute said : at.attributes()) {
            const std::string_view of = said.ns();
            const bool known = of == soap11_ns || of == soap12_ns || of == xsi_ns;
            if (of == xmlns_ns || (with_attributes && known) || (table && lists(*table, said)))
                out_.attribute(name_of(said.prefix(), said.local()), said.value());
        }
        out_.raw(">");
    }
    void end(node at) {
        out_.raw("</");
        out_.raw(name_of(at.prefix(), at.local()));
        out_.raw(">");
    }

    writer out_;
    std::string_view ns_;
};

inline std::string size_alone(std::size_t size) { return '(' + std::to_string(size) + " bytes)"; }

/// A reply that goes on after its call: what is left to write of a stream, all that it needs for
/// that, and the report, which is told at the end, whatever that is.
class streamed_reply {
public:
    using clock = std::chrono::steady_clock;

    streamed_reply(
        const host_options& options,
        std::shared_ptr<const void> result,
        stream_writer writer,
        std::string end)
        : options_(options),
          result_(std::move(result)),
          writer_(std::move(writer)),
          end_(std::move(end)) {}
    ~streamed_reply() {
        if (!told_) tell("the reply was not taken to its end");
    }
    streamed_reply(const streamed_reply&) = delete;
    streamed_reply& operator=(const streamed_reply&) = delete;

    /// The report as far as it is known, and the masked request, or nothing if nobody asks for it.
    void begin(const call_report& report, clock::time_point returned, std::string request) {
        peer_ = report.peer;
        id_ = report.request_id;
        report_ = report;
        report_.peer = peer_;
        report_.request_id = id_;
        returned_ = returned;
        request_ = std::move(request);
        told_ = false;
    }

    bool append(std::string& to) {
        const std::size_t before = to.size();
        try {
            const bool goes_on = writer_.append(to);
            if (!goes_on) to.append(end_);
            report_.bytes_out += to.size() - before;
            if (!goes_on) tell({});
            return goes_on;
        } catch (const fault& refused) {
            report_.fault_code = refused.code();
            tell(refused.reason());
            throw;
        } catch (const std::exception& error) {
            tell_incident(error.what());
            throw;
        } catch (...) {
            tell_incident("an exception that is no std::exception");
            throw;
        }
    }

private:
    void tell_incident(std::string_view what) noexcept {
        report_.fault_code = fault_code::server;
        tell_safely([&] {
            const std::string incident = fresh_id();
            tell_error(options_, {incident, report_.service, report_.operation, what, peer_, id_});
            tell(incident_text(incident));
        });
    }

    void tell(std::string_view reason) noexcept {
        told_ = true;
        report_.fault_reason = reason;
        report_.encode_time = clock::now() - returned_;
        if (options_.on_call) tell_safely([this] { options_.on_call(report_); });
        if (options_.on_message)
            tell_safely([this] {
                const std::string reply = size_alone(report_.bytes_out);
                options_.on_message(
                    {report_.service, report_.operation, peer_, id_, request_, reply});
            });
    }

    const host_options& options_;
    std::shared_ptr<const void> result_;  // holds the stream
    stream_writer writer_;
    std::string end_;  // of the envelope
    std::string peer_, id_, request_;
    call_report report_;
    clock::time_point returned_{};
    bool told_ = true;  // until it has begun
};

/// Serves one request: envelope, operation, interceptors, method, reply.
class soap_call {
public:
    soap_call(
        const host_options& options,
        const request_policy& policy,
        const endpoint& served,
        const http_request& request,
        std::string_view request_id,
        http_reply& reply)
        : options_(options), policy_(policy), served_(served), request_(request), reply_(reply) {
        report_.service = served.info->name;
        report_.bytes_in = request.body.size();
        report_.peer = policy.caller_of(request);
        report_.request_id = request_id;
    }

    /// Fills the reply and tells the observers. `worker` is the thread's, if a host calls and no
    /// method does; false: it has no room for a call that waits, nothing was done, and the request
    /// is to come again. Throws only when there is no memory for a fault.
    bool run(wait_observer* worker) {
        try {
            try {
                serve(worker);
            } catch (const fault& refused) {
                if (returned_ == clock::time_point{}) returned_ = clock::now();
                answer_fault(refused);  // throws when the reason is no XML text: an incident then
            }
        } catch (const call_is_put_off&) {
            return false;
        } catch (const std::exception& error) {
            answer_incident(error.what());
        } catch (...) {
            answer_incident("an exception that is no std::exception");
        }
        if (rest_) {
            go_on_later();
            return true;
        }
        if (options_.on_call) tell_safely([this] { report_call(); });
        if (options_.on_message) tell_safely([this] { report_message(); });
        return true;
    }

    // For intercepted_call.
    const call_report& report() const noexcept { return report_; }
    const http_request& request() const noexcept { return request_; }

    /// What is left to do from the interceptor at `next` on.
    void proceed(const context& told, std::size_t next) {
        answered_ = false;
        if (next == options_.interceptors.size()) return invoke(told);
        intercepted_call call(*this, told, next + 1);
        options_.interceptors[next](call);
        if (!answered_)
            throw std::logic_error(
                "soapsvc: an interceptor returned without a result of proceed(); throw a fault "
                "to refuse a call");
    }

    /// Reads a header block into what `emplace` makes of the slot; false when there is none, or
    /// nil.
    bool read_header(const record_info& header, void* (*emplace)(void* slot), void* slot) {
        const node block = find_header(header);
        if (!block) return false;
        const decoder reader(block, served_.ns, options_.unknown, message_.version, true);
        reader.check_top(header);
        if (reader.is_nil(block)) return false;
        reader.read_record(block, header, emplace(slot));
        return true;
    }

private:
    using clock = std::chrono::steady_clock;

    void serve(wait_observer* worker) {
        read_media_type();
        check_sender();
        check_media_type();
        check_size();
        message_ = open_envelope(parse(), report_.version);
        if (message_.version == served_.refused) refuse_version();
        const served_operation* named = look_up(message_.body.first_child());
        check_header_blocks(named);
        payload_ = only_child(message_.body);
        if (!named) refuse_unknown_operation(payload_);
        operation_ = named;
        report_.operation = named->info->name;
        report_.deprecated = named->info->options.deprecated;
        check_actions(*named);
        check_switched_on(*named);
        const context told{
            report_.operation,
            message_.version,
            report_.peer,
            report_.request_id,
            request_.certificate_subject,
            {lease_.blocks().data(), lease_.blocks().size()}};
        if (!worker) return proceed(told, 0);
        const habit_watch watch(*worker, named->habit);
        proceed(told, 0);
    }

    /// Before anything is read: whether a browser was made to send this for somebody else's page.
    void check_sender() const {
        const std::string host = policy_.foreign_host(request_);
        if (!host.empty()) throw fault(fault_code::client, host).with_status(421);
        const std::string origin = policy_.foreign_origin(request_);
        if (!origin.empty()) throw fault(fault_code::client, origin).with_status(403);
    }

    /// The Content-Type, with which the reply's version is guessed until the envelope is open.
    void read_media_type() {
        std::optional<std::string_view> said;
        for (const http_header& field : request_.headers) {
            if (!equal_ignoring_case(field.name, "Content-Type")) continue;
            if (!said) {
                said = trim(field.value);
                if (!said->empty()) type_ = parse_media_type(*said);
            } else if (trim(field.value) != *said) {
                type_.wrong = "is there twice, with different values";
            }
        }
        if (equal_ignoring_case(type_.type, "application/soap+xml"))
            report_.version = soap_version::v1_2;
    }

    void check_media_type() const {
        const bool missing = type_.type.empty() && type_.wrong.empty();
        if (missing && options_.accept_missing_content_type) return;
        if (is_xml_type(type_.type) && type_.wrong.empty()) return;
        const std::string what = missing ? " is missing"
                                 : type_.wrong.empty()
                                     ? ": " + quoted(type_.type) + " is not served here"
                                     : ' ' + std::string(type_.wrong);
        throw fault(
            fault_code::client,
            "Content-Type" + what +
                "; allowed are text/xml (SOAP 1.1) and application/soap+xml (SOAP 1.2)")
            .with_status(415);
    }

    void check_size() const {
        if (request_.body.size() <= options_.limits.body_bytes) return;
        throw fault(
            fault_code::client,
            "the request has " + std::to_string(request_.body.size()) + " bytes; allowed are " +
                std::to_string(options_.limits.body_bytes) + " (limit body_bytes)")
            .with_status(413);
    }

    node parse() {
        try {
            return lease_.get().parse(request_.body, type_.charset, options_.limits);
        } catch (const xml_error& error) {
            const bool malformed = error.why == xml_error::reason::malformed;
            const bool encoding = error.why == xml_error::reason::unsupported_encoding;
            const bool too_large = error.why == xml_error::reason::too_large;
            const std::string_view before = malformed ? "the request is not well-formed XML: " : "";
            const fault refused(fault_code::client, std::string(before) + error.what());
            if (encoding) throw refused.with_status(415);
            if (too_large) throw refused.with_status(413);
            throw refused;
        }
    }

    [[noreturn, gnu::cold]] void refuse_version() const {
        const auto only = served_.info->options.only;
        throw fault(
            fault_code::version_mismatch,
            std::string("this service speaks SOAP ") +
                (*only == soap_version::v1_1 ? "1.1" : "1.2") + " only; allowed is Envelope in " +
                namespace_text(envelope_namespace(*only)));
    }

    /// The operation whose qualified name the Body's child has; nullptr when it is none of this
    /// service.
    const served_operation* look_up(node payload) const {
        if (!payload) return nullptr;
        for (const served_operation& candidate : served_.operations)
            if (same_text(candidate.request_local, payload.local()) &&
                same_text(candidate.request_ns, payload.ns()))
                return &candidate;
        return look_up_by_action(payload);
    }

    static bool takes(const served_operation& operation, node payload) {
        return payload.is(operation.request_ns, operation.info->request_name.local);
    }

    /// Of several operations that take the same element, the one whose action is said.
    [[gnu::cold]] const served_operation* look_up_by_action(node payload) const {
        for (const served_operation& candidate : served_.operations)
            if (takes(candidate, payload) && says_action(candidate.action)) return &candidate;
        return nullptr;
    }

    bool says_action(std::string_view action) const {
        if (unquoted_action(type_.action) == action) return true;
        return std::any_of(
            request_.headers.begin(), request_.headers.end(), [&](const http_header& field) {
                return equal_ignoring_case(field.name, "SOAPAction") &&
                       unquoted_action(field.value) == action;
            });
    }

    [[noreturn]] void refuse_unknown_operation(node payload) const {
        const auto quoted_action = [](const served_operation& each) {
            return '\'' + each.action + '\'';
        };
        std::string names, elements, actions;
        bool one_ns = true;
        const auto add = [](std::string& list, std::string_view item) {
            list.append(list.empty() ? "" : ", ").append(item);
        };
        for (const served_operation& each : served_.operations) {
            const std::string_view local = each.info->request_name.local;
            one_ns = one_ns && each.request_ns == served_.ns;
            add(names, local);
            add(elements, std::string(local) + " in " + namespace_text(each.request_ns));
            if (takes(each, payload)) add(actions, quoted_action(each));
        }
        if (!actions.empty())
            throw fault(
                fault_code::client,
                "Body: " + quoted(payload.local()) +
                    " is what several operations take, and no SOAPAction says which; allowed are " +
                    actions);
        throw fault(
            fault_code::client,
            "Body: " + quoted(payload.local()) + " in " + namespace_text(payload.ns()) +
                " is not an operation of this service; allowed are " +
                (one_ns ? names + " in the namespace '" + served_.ns + "'" : elements));
    }

    std::string_view resolve(std::string_view ns) const noexcept {
        return ns.data() == nullptr ? std::string_view(served_.ns) : ns;
    }

    /// Whether a header block has the name that a record's table says.
    bool is_named(std::string_view ns, std::string_view local, const record_info& record) const {
        return record.name == local && resolve(record.ns) == ns;
    }

    /// The header that an operation takes under this name; nullptr when there is none.
    const header_type* find_taken(
        const operation_info& info, std::string_view ns, std::string_view local) const {
        for (const header_type& each : info.headers)
            if (is_named(ns, local, each.record())) return &each;
        return nullptr;
    }

    /// Whether the operation takes the header block, by its name or as any other.
    bool takes_block(
        const operation_info& info, std::string_view ns, std::string_view local) const {
        return info.other_headers || find_taken(info, ns, local);
    }

    /// Before anything is processed (SOAP 1.2 part 1, 2.6, step 3). When the operation is not
    /// known, the headers of all operations count as understood, so that the caller hears of the
    /// operation.
    void check_header_blocks(const served_operation* operation) {
        read_blocks(message_, options_.limits.header_blocks, lease_.blocks());
        check_understood(lease_.blocks(), message_.version, [&](const header_block& block) {
            const auto taken_by = [&](const served_operation& candidate) {
                return takes_block(*candidate.info, block.ns, block.local);
            };
            if (operation) return taken_by(*operation);
            return std::any_of(served_.operations.begin(), served_.operations.end(), taken_by);
        });
    }

    /// Holds what HTTP says of the operation against the Body (SOAP 1.1, 6.1.1; SOAP 1.2 part 2,
    /// 6.5).
    void check_actions(const served_operation& operation) const {
        for (const http_header& field : request_.headers)
            if (equal_ignoring_case(field.name, "SOAPAction"))
                check_action(unquoted_action(field.value), operation);
        check_action(unquoted_action(type_.action), operation);
    }

    /// Whether an action is not this operation's. Its own action is accepted, and whatever ends in
    /// the operation's name, since frameworks put other separators between namespace and name; so
    /// is the namespace alone, which names no operation at all. Everything else is another
    /// operation's: a gateway may have let the message pass for what its action said.
    bool names_another(std::string_view action, const served_operation& operation) const {
        if (action.empty() || action == operation.action) return false;
        const std::string_view last = action.substr(action.find_last_of("/#:") + 1);
        if (last == operation.info->name) return false;
        const bool ends_in_separator = last.empty();
        return action != served_.ns &&
               action.substr(0, action.size() - (ends_in_separator ? 1 : 0)) != served_.ns;
    }

    void check_action(std::string_view action, const served_operation& operation) const {
        if (!names_another(action, operation)) return;
        throw fault(
            fault_code::client,
            "SOAPAction: " + quoted(action) + " does not name the operation " +
                std::string(operation.info->name) + " of the Body; allowed is '" +
                operation.action + "'");
    }

    void check_switched_on(const served_operation& operation) const {
        const row_options& row = operation.info->options;
        if (options_.serve_deprecated || !row.deprecated) return;
        throw fault(
            fault_code::client,
            std::string(operation.info->name) + " is deprecated and switched off here" +
                (row.instead.empty() ? "" : "; use " + std::string(row.instead) + " instead"));
    }

    /// The block with this header's name that is meant for us; null when there is none.
    node find_header(const record_info& header) {
        const std::string_view ns = resolve(header.ns);
        node found;
        if (!message_.header) return found;
        const decoder reader(message_.header, served_.ns, options_.unknown, message_.version, true);
        auto facts = lease_.blocks().begin();
        for (node block = message_.header.first_child(); block;
             block = block.next_sibling(), ++facts) {
            if (block.local() != header.name || !is_for_us(*facts, message_.version)) continue;
            if (block.ns() != ns) {
                if (operation_ && takes_block(*operation_->info, block.ns(), block.local()))
                    continue;  // another header, called alike
                reader.refuse(
                    block,
                    "is in " + namespace_text(block.ns()) + "; allowed is the namespace '" +
                        std::string(ns) + "'");
            }
            if (found) reader.refuse(block, "may appear only once");
            found = block;
        }
        return found;
    }

    /// Reads, calls and writes, perhaps not for the first time.
    void invoke(const context& told) {
        called_ = returned_ = {};
        reply_.body.clear();
        rest_.reset();
        call_steps steps;
        steps.self = this;
        steps.decode = [](void* self, void* request, void* header) {
            static_cast<soap_call*>(self)->decode(request, header);
        };
        steps.encode = [](void* self, const void* result) {
            static_cast<soap_call*>(self)->encode(result);
        };
        steps.context = &told;
        operation_->info->call(operation_->info->method, served_.service, steps);
        if (later_.writer) keep_rest(std::move(steps.kept));
    }

    /// The method's result streams, and a piece of it is written.
    void keep_rest(std::shared_ptr<const void> result) {
        rest_ = std::make_shared<streamed_reply>(
            options_, std::move(result), *std::move(later_.writer), std::move(later_end_));
        later_.writer.reset();
    }

    /// From now on whoever sends the reply asks for the rest, and the report follows that.
    void go_on_later() {
        complete_report();
        rest_->begin(report_, returned_, options_.on_message ? masked_request() : std::string());
        reply_.more = [rest = std::move(rest_)](std::string& to) { return rest->append(to); };
    }

    /// Before the method: request and header from the message.
    void decode(void* request, void* header) {
        const operation_info& info = *operation_->info;
        for (const header_type& each : info.headers)
            decode_header(each, header);
        if (info.other_headers)
            read_other_blocks(
                message_, lease_.blocks(), *info.other_headers, header, [&](node block) {
                    return find_taken(info, block.ns(), block.local()) != nullptr;
                });
        const decoder reader(payload_, served_.ns, options_.unknown, message_.version, false);
        if (info.asked.type.kind != type_kind::derived) reader.check_top(*info.request);
        if (info.asked.emplace)
            reader.read_whole(info.asked, info.request, request);
        else
            reader.read_record(payload_, *info.request, request);
        called_ = clock::now();
    }

    void decode_header(const header_type& header, void* all) {
        const record_info& record = header.record();
        if (read_header(record, header.emplace, all) || header.may_be_absent) return;
        throw fault(
            fault_code::client,
            "Header: " + std::string(record.name) + " is missing; the operation " +
                std::string(operation_->info->name) + " needs it in the namespace '" +
                std::string(resolve(record.ns)) + "'")
            .about_header();
    }

    /// After the method: the reply from what it returned.
    void encode(const void* returned) {
        returned_ = clock::now();
        answered_ = true;
        if (!operation_->is_plain) return encode_any(returned);
        const auto version = static_cast<std::size_t>(message_.version);
        writer out(reply_.body);
        out.raw(operation_->reply_head[version]);
        const std::size_t content = out.size();
        {
            encoder elements(reply_.body, served_.ns, served_.ns);
            encode_result(elements, returned);
        }
        out.end(operation_->info->response_name.local, content);
        out.raw(envelope_end(message_.version));
        reply_.status = 200;
        reply_.content_type = content_type_of(message_.version);
    }

    void encode_result(encoder& out, const void* returned) const {
        const operation_info& info = *operation_->info;
        if (info.reply == reply_form::empty) return;
        const void* item = info.result.item(returned, 0);
        if (!info.is_list()) {
            if (item) write_element(out, info.result.tags, info.result.type, item);
            return;
        }
        out.start(info.result.tags);
        const std::size_t content = out.size();
        for (std::size_t index = 0; item; item = info.result.item(returned, ++index))
            write_element(out, info.item.tags, info.result.type, item);
        out.end(info.result.tags, content);
    }

    /// A reply with header blocks, in other namespaces, or of another form; or none.
    [[gnu::noinline]] void encode_any(const void* returned) {
        const operation_info& info = *operation_->info;
        if (info.reply == reply_form::none) {  // SOAP 1.2 part 2, 7.5.2.2; WSDL 1.1, 3
            reply_.status = 202;
            reply_.content_type.clear();
            return;
        }
        writer out(reply_.body);
        out.raw(envelope_start(message_.version));
        if (!info.told.empty() || (info.other_told && info.other_told->item(returned, 0))) {
            out.raw(header_start(message_.version));
            for (const header_type& each : info.told)
                write_block_in(out, served_.ns, each, returned);
            write_other_blocks(out, info.other_told, returned);
            out.raw(header_end(message_.version));
        }
        out.raw(body_start(message_.version));
        later_.writer.reset();
        {
            encoder elements(reply_.body, served_.ns, "");
            if (request_.takes_pieces) elements.write_later(later_);
            write_reply(elements, info, returned);
        }
        out.raw(envelope_end(message_.version));
        if (later_.writer) begin_stream();
        reply_.status = 200;
        reply_.content_type = content_type_of(message_.version);
    }

    /// Writes the first piece at once: what is thrown before anything was sent becomes a fault, and
    /// what is short an ordinary reply.
    void begin_stream() {
        later_end_ = reply_.body.substr(later_.at + 1);
        reply_.body.resize(later_.at);
        if (later_.writer->append(reply_.body)) return;
        later_.writer.reset();
        reply_.body.append(later_end_);
    }

    void answer_fault(const fault& refused) {
        rest_.reset();
        reply_.body.clear();
        write_fault(reply_.body, refused, report_.version, served_.ns, served_.info->options.only);
        reply_.status = status_of(refused, report_.version);
        reply_.content_type = content_type_of(report_.version);
        report_.fault_code = refused.code();
        reason_ = refused.reason();
        detail_ = refused.typed_detail().record;
        fault_headers_.clear();
        for (const fault_detail& block : refused.header_blocks())
            fault_headers_.push_back(block.record);
    }

    /// What went wrong stays here; the caller gets an id to ask about (SOAP 1.1, 4.4.1: Server).
    void answer_incident(std::string_view what) {
        const std::string incident = fresh_id();
        answer_fault(fault(fault_code::server, incident_text(incident)));
        tell_error(
            options_,
            {incident, report_.service, report_.operation, what, report_.peer, report_.request_id});
    }

    void report_call() {
        complete_report();
        options_.on_call(report_);
    }

    void complete_report() {
        const auto ended = clock::now();
        if (called_ == clock::time_point{}) called_ = returned_ = ended;  // refused before the call
        if (returned_ == clock::time_point{}) returned_ = ended;
        report_.http_status = reply_.status;
        report_.fault_reason = reason_;
        report_.bytes_out = reply_.body.size();
        report_.decode_time = called_ - started_;
        report_.handler_time = returned_ - called_;
        report_.encode_time = ended - returned_;
    }

    void report_message() {
        const std::string request =
            operation_ ? masked_request() : size_alone(request_.body.size());
        const std::string reply = operation_ ? masked_reply() : size_alone(reply_.body.size());
        options_.on_message(
            {report_.service, report_.operation, report_.peer, report_.request_id, request, reply});
    }

    /// What the tables of the operation know of the request.
    std::string masked_request() const {
        const operation_info& info = *operation_->info;
        std::string out;
        masked_copy copy(out, served_.ns);
        copy.element(message_.body.parent(), [&](node part) {
            if (part == message_.header)
                return copy.element(part, [&](node block) {
                    const header_type* const known = find_taken(info, block.ns(), block.local());
                    known ? copy.record(block, known->record()) : copy.hidden(block);
                });
            if (part != message_.body) return copy.hidden(part);
            copy.element(part, [&](node payload) {
                info.takes_request() ? copy_whole(copy, payload, info.asked, info.request, false)
                                     : copy.hidden(payload);
            });
        });
        return out;
    }

    /// Read again: what was written is known by the table, and this is nobody's hot path.
    std::string masked_reply() {
        std::string out;
        masked_copy copy(out, served_.ns);
        try {  // in the call's own document: the nodes of the request end here
            const node root = lease_.get().parse(reply_.body, "utf-8", options_.limits);
            copy.element(root, [&](node part) {
                if (part.local() != "Body") return copy_reply_header(copy, part);
                copy.element(part, [&](node payload) { copy_reply_payload(copy, payload); });
            });
        } catch (const xml_error&) {  // larger than what is read here
            return size_alone(reply_.body.size());
        }
        return out;
    }

    /// What SOAP itself says there is shown.
    void copy_reply_header(masked_copy& copy, node header) const {
        const auto is_block = [&](node block, const record_info& record) {
            return is_named(block.ns(), block.local(), record);
        };
        copy.element(header, [&](node block) {
            if (!report_.fault_code) {
                for (const header_type& each : operation_->info->told)
                    if (is_block(block, each.record())) return copy.record(block, each.record());
            }
            for (const auto record : fault_headers_)
                if (is_block(block, record())) return copy.record(block, record());
            const bool own = block.ns() == soap11_ns || block.ns() == soap12_ns;
            own ? copy.plain(block) : copy.hidden(block);
        });
    }

    /// An element that is a whole message. `record` is in its namespace, unlike the value's type.
    static void copy_whole(
        masked_copy& copy,
        node payload,
        const field_info& value,
        const record_info* record,
        bool secret) {
        if (secret || !record || value.type.kind == type_kind::derived)
            return copy.value(payload, value.type, secret);
        copy.record(payload, *record);
    }

    void copy_reply_payload(masked_copy& copy, node payload) const {
        const operation_info& info = *operation_->info;
        const bool secret = info.options.secret;
        if (!report_.fault_code && info.reply == reply_form::whole && !info.is_list())
            return copy_whole(copy, payload, info.result, info.result_record, secret);
        copy.element(payload, [&](node part) {
            if (report_.fault_code) {
                const bool detail = part.local() == "detail" || part.local() == "Detail";
                if (!detail || !detail_) return copy.plain(part);
                return copy.element(part, [&](node entry) { copy.record(entry, detail_()); });
            }
            if (!info.is_list() || info.reply == reply_form::whole || secret)
                return copy.value(part, info.result.type, secret);
            copy.element(part, [&](node item) { copy.value(item, info.result.type, false); });
        });
    }

    const host_options& options_;
    const request_policy& policy_;
    const endpoint& served_;
    const http_request& request_;
    http_reply& reply_;
    call_report report_;
    std::string reason_;
    document_lease lease_;
    media_type type_;
    envelope message_;
    node payload_;
    const served_operation* operation_ = nullptr;
    const record_info& (*detail_)() = nullptr;  // of the fault that was answered
    std::vector<const record_info& (*)()> fault_headers_;
    bool answered_ = false;  // the reply holds a result
    later_stream later_;  // in it, and longer than what it holds
    std::string later_end_;  // what comes after that
    std::shared_ptr<streamed_reply> rest_;
    clock::time_point started_ = clock::now();
    clock::time_point called_{};
    clock::time_point returned_{};
};

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE blocking_section::blocking_section()
    : observer_(std::exchange(detail::this_worker, nullptr)) {
    if (!observer_) return;
    observer_->waited = true;
    if (observer_->habit) observer_->habit->note(true);
    if (observer_->begin(observer_->self, observer_->has_place)) return;
    detail::this_worker = observer_;
    throw fault(
        fault_code::server, "too many calls are waiting for something already; try again later")
        .with_status(503);
}
SOAPSVC_INLINE blocking_section::~blocking_section() {
    if (!observer_) return;
    observer_->end(observer_->self, observer_->has_place);
    detail::this_worker = observer_;
}

SOAPSVC_INLINE std::string_view intercepted_call::service() const noexcept {
    return call_.report().service;
}
SOAPSVC_INLINE bool intercepted_call::deprecated() const noexcept {
    return call_.report().deprecated;
}
SOAPSVC_INLINE const http_request& intercepted_call::http() const noexcept {
    return call_.request();
}
SOAPSVC_INLINE void intercepted_call::proceed() { call_.proceed(context_, next_); }
SOAPSVC_INLINE void intercepted_call::read_header(
    const detail::record_info& header, void* (*emplace)(void* slot), void* slot) const {
    call_.read_header(header, emplace, slot);
}

}  // namespace soapsvc

// ================================================================================================
// [description] WSDL 1.1 and help pages, from the same tables
// ================================================================================================
// Writes what `GET path?wsdl` and `GET path` answer. Where the tables say nothing else, the WSDL's
// shape is that of the stack which many existing clients were generated from: document, literal,
// wrapped, a SOAP 1.1 and a SOAP 1.2 port at one address, ArrayOfX for lists, header parts (WSDL
// 1.1, 2 and 3; WSDL 1.1 binding for SOAP 1.2). Types stand right after the first operation that
// uses them, in the order in which they are met: generators keep that order.

namespace soapsvc::detail {

/// Whether a help page has the form, and if not, why.
enum class form_state : std::uint8_t { shown, elsewhere, off };

/// What help pages depend on beside the tables.
struct page_facts {
    std::string_view url;  ///< the endpoint's address
    form_state form = form_state::off;
    bool serve_deprecated = true;
};

/// Writes XML with one element per line. Names and attributes are in the caller's hand.
class indented_writer {
public:
    explicit indented_writer(std::string& out, std::size_t depth = 0) : out_(out), depth_(depth) {}

    struct attribute {
        std::string_view name;
        std::string_view value;  ///< empty leaves it out
        bool may_be_empty = false;  ///< then only one without data is left out
    };
    using attributes = std::initializer_list<attribute>;

    void open(std::string_view name, attributes with = {}) {
        open(name, {with.begin(), with.size()});
    }
    void open(std::string_view name, std::span<const attribute> with) {
        tag(name, with, ">\n");
        ++depth_;
    }
    /// Lines that are written already.
    void raw(std::string_view lines) { out_.raw(lines); }
    void close(std::string_view name) {
        --depth_;
        out_.buffer().append(2 * depth_, ' ');
        out_.end(name);
        out_.raw("\n");
    }
    void leaf(std::string_view name, attributes with = {}) {
        tag(name, {with.begin(), with.size()}, " />\n");
    }
    /// With all attributes, those without a value too.
    void leaf_with_empty(std::string_view name, attributes with) {
        tag(name, {with.begin(), with.size()}, " />\n", true);
    }
    void text(std::string_view name, std::string_view content) {
        tag(name, {}, ">");
        out_.text(content);
        out_.end(name);
        out_.raw("\n");
    }

private:
    void tag(
        std::string_view name,
        std::span<const attribute> with,
        std::string_view end,
        bool with_empty = false) {
        out_.buffer().append(2 * depth_, ' ');
        out_.raw("<");
        out_.raw(name);
        for (const attribute& each : with)
            if (with_empty || !each.value.empty() ||
                (each.may_be_empty && each.value.data() != nullptr))
                out_.attribute(each.name, each.value);
        out_.raw(end);
    }

    writer out_;
    std::size_t depth_;
};

inline const void* table_of(const element_type& type) {
    if (type.kind == type_kind::record) return &type.record();
    return type.kind == type_kind::enumeration ? &type.enumeration() : nullptr;
}

/// What a list or a union is made of, which tells it apart from another one.
inline const void* made_of(const element_type& type) {
    return has_parts(type.kind) ? type.parts().types.data() : nullptr;
}

/// Writes one service's WSDL.
class wsdl_writer {
public:
    wsdl_writer(const endpoint& served, std::string_view url, std::string& out)
        : served_(served), url_(url), out_(out) {}

    void write() {
        collect_types();
        std::vector<indented_writer::attribute> names{
            {"xmlns:soap", "http://schemas.xmlsoap.org/wsdl/soap/"},
            {"xmlns:soap12", "http://schemas.xmlsoap.org/wsdl/soap12/"},
            {"xmlns:s", xsd_ns},
            {"xmlns:tns", served_.ns},
            {"xmlns:wsdl", "http://schemas.xmlsoap.org/wsdl/"}};
        std::vector<std::string> prefixes;
        for (const schema_part& part : schemas_)
            prefixes.push_back("xmlns:" + part.prefix);
        for (std::size_t index = 1; index < schemas_.size(); ++index)
            if (schemas_[index].ns != xml_ns)
                names.push_back({prefixes[index], schemas_[index].ns});
        names.push_back({"targetNamespace", served_.ns});
        out_.open("wsdl:definitions", names);
        if (!served_.info->options.doc.empty())
            out_.text("wsdl:documentation", served_.info->options.doc);
        write_types();
        write_messages();
        write_port_type();
        for (const binding_kind& kind : kinds())
            write_binding(kind);
        write_service();
        out_.close("wsdl:definitions");
    }

private:
    /// The schema of one namespace, as far as it is written.
    struct schema_part {
        std::string ns;
        std::string prefix;
        std::string text{};
        std::vector<std::size_t>
            imports{};  ///< of other schemas, in the order in which they were met
    };

    /// What there is of a type under a name: itself, the ArrayOfX of it, or what is of it and
    /// stands in another schema than its parent.
    enum class part_kind : std::uint8_t {
        type,
        list,
        element,
        attribute,
        message  ///< the element of a request or a reply, which is written already
    };
    struct named_part {
        std::string name;
        element_type type;
        part_kind kind;
        std::size_t schema;
        std::string_view met_in;  ///< the operation that needed it first
        const field_info* row = nullptr;  ///< of an element, an attribute or a type with facets
    };

    void write_types() {
        out_.open("wsdl:types");
        for (const schema_part& part : schemas_) {
            if (part.ns == xml_ns) continue;
            out_.open(
                "s:schema", {{"elementFormDefault", "qualified"}, {"targetNamespace", part.ns}});
            for (const std::size_t other : part.imports)
                out_.leaf(
                    "s:import",
                    {{"namespace", schemas_[other].ns},
                     {"schemaLocation", schemas_[other].ns == xml_ns ? xml_schema : ""}});
            out_.raw(part.text);
            out_.close("s:schema");
        }
        out_.close("wsdl:types");
    }

    /// Writes the schemas, each by itself, since one leads to another and back.
    void collect_types() {
        schema_of({});
        for (const operation_info& operation : served_.info->operations) {
            met_in_ = operation.name;
            in_schema(operation.request_name.ns, [&] { write_request(operation); });
            in_schema(operation.response_name.ns, [&] { write_response(operation); });
            write_pending();
            for (const header_type& each : operation.headers)
                write_record_element({type_kind::record, each.record});
            for (const header_type& each : operation.told)
                write_record_element({type_kind::record, each.record});
            for (const element_type& each : operation.details)
                write_record_element(each);
        }
    }

    std::string_view resolve(std::string_view ns) const noexcept {
        return ns.data() == nullptr ? std::string_view(served_.ns) : ns;
    }

    /// The place of a namespace's schema, which is begun if it is new.
    std::size_t schema_of(std::string_view ns) {
        const std::string_view name = resolve(ns);
        std::size_t index = 0;
        while (index != schemas_.size() && schemas_[index].ns != name)
            ++index;
        if (index == schemas_.size())
            schemas_.push_back(
                {std::string(name),
                 index == 0       ? "tns"
                 : name == xml_ns ? "xml"
                                  : "q" + std::to_string(index)});
        return index;
    }

    /// Has `write` write into the schema of a namespace.
    template <class Write>
    void in_schema(std::string_view ns, Write write) {
        const std::size_t outer = std::exchange(at_, schema_of(ns));
        std::string text = std::move(schemas_[at_].text);
        indented_writer into(text, 3);
        indented_writer* const before = std::exchange(types_, &into);
        write();
        types_ = before;
        schemas_[at_].text = std::move(text);
        at_ = outer;
    }

    /// A name in a schema, as the one that is being written refers to it.
    std::string reference(std::size_t schema, std::string_view name) {
        auto& imports = schemas_[at_].imports;
        if (schema != at_ && std::find(imports.begin(), imports.end(), schema) == imports.end())
            imports.push_back(schema);
        return schemas_[schema].prefix + ':' + std::string(name);
    }

    struct element_bounds {
        std::string_view least;
        std::string_view most;
        bool nillable = false;
    };

    void write_element(std::string_view name, const element_type& type, element_bounds bounds) {
        const std::string reference = type_reference(type);
        const indented_writer::attributes with{
            {"minOccurs", bounds.least},
            {"maxOccurs", bounds.most},
            {"name", name},
            {"nillable", bounds.nillable ? "true" : ""},
            {"type", reference}};
        if (!reference.empty()) return types_->leaf("s:element", with);
        types_->open("s:element", with);
        write_simple_type(type);
        types_->close("s:element");
    }

    // The numbers of an occurrence, as attributes.
    static std::string least_of(occurrence occurs, const field_extras& said, bool in_choice) {
        if (occurs == occurrence::once) return "1";
        if (in_choice && said.least == 0) return "1";
        return std::to_string(occurs == occurrence::many ? said.least : 0);
    }
    static std::string most_of(occurrence occurs, const field_extras& said) {
        if (occurs != occurrence::many) return "1";
        return said.most == no_extras.most ? "unbounded" : std::to_string(said.most);
    }

    /// An element among those of a type. One of another namespace is that one's, and referred to.
    void write_field(const field_info& field, bool in_choice) {
        if (field.kind == row_kind::any) return write_wildcard(field, in_choice);
        if (field.type.kind == type_kind::record && field.type.record().options.abstract)
            throw std::invalid_argument(
                "soapsvc: " + std::string(field.name) + " is of the abstract type " +
                std::string(field.type.record().name) +
                ", of which there is no value; hold it in soapsvc::derived<...>");
        const field_extras& said = *field.extras;
        const std::string least = least_of(field.occurs, said, in_choice);
        const std::string most = most_of(field.occurs, said);
        const std::string_view ns = resolve(field.ns);
        if (!ns.empty() && ns != schemas_[at_].ns) {
            const std::size_t other = schema_of(ns);
            need({std::string(field.name), field.type, part_kind::element, other, met_in_, &field});
            return types_->leaf(
                "s:element",
                {{"minOccurs", least}, {"maxOccurs", most}, {"ref", reference(other, field.name)}});
        }
        write_typed(
            "s:element",
            field,
            {{"minOccurs", least},
             {"maxOccurs", most},
             {"name", field.name},
             {"nillable", field.emplace_nil ? "true" : ""},
             {"form", ns.empty() ? "unqualified" : ""},
             {"type", row_type(field)},
             {"default", said.preset, true},
             {"fixed", said.fixed, true}});
    }

    /// An element or an attribute with its type, inside of it when the type has no name.
    void write_typed(
        std::string_view tag, const field_info& field, indented_writer::attributes with) {
        if (is_named(field)) return types_->leaf(tag, with);
        types_->open(tag, with);
        const facet_set* const facets = field.extras->facets;
        if (!facets) {
            write_simple_type(field.type);
        } else {
            types_->open("s:simpleType");
            write_restriction(
                facets->type_name.empty() ? builtin_base(field) : named_reference(field),
                field.type,
                facets->own);
            types_->close("s:simpleType");
        }
        types_->close(tag);
    }

    /// Whether the type of a row has a name, so that it needs no more than that.
    static bool is_named(const field_info& field) {
        const facet_set* const facets = field.extras->facets;
        if (!facets) return !type_name(field.type).empty();
        return facets->own.empty() && (!facets->type_name.empty() || !facets->builtin.empty());
    }

    /// The name of a row's type, empty when it has none.
    std::string row_type(const field_info& field) {
        if (!is_named(field)) return {};
        const facet_set* const facets = field.extras->facets;
        if (!facets) return type_reference(field.type);
        return facets->type_name.empty() ? builtin_base(field) : named_reference(field);
    }

    /// What a row with facets restricts; empty for a list or a union, which stands inside.
    std::string builtin_base(const field_info& field) {
        const facet_set& facets = *field.extras->facets;
        return facets.builtin.empty() ? type_reference(field.type)
                                      : "s:" + std::string(facets.builtin);
    }

    std::string named_reference(const field_info& field) {
        const facet_set& facets = *field.extras->facets;
        const std::size_t schema = schema_of(facets.type_ns);
        need({std::string(facets.type_name), field.type, part_kind::type, schema, met_in_, &field});
        return reference(schema, facets.type_name);
    }

    void write_restriction(
        const std::string& base, const element_type& type, const std::vector<row_extra>& facets) {
        types_->open("s:restriction", {{"base", base}});
        if (base.empty()) write_simple_type(type);
        for (const row_extra& each : facets) {
            const std::string number = std::to_string(each.number);
            const bool is_text = each.text.data() != nullptr;
            if (const auto name = type.kind == type_kind::name && is_text ? expanded_name(each.text)
                                                                          : std::nullopt)
                types_->leaf(
                    facet_name(each.kind),
                    {{"xmlns:v", name->ns}, {"value", prefixed("v", *name), true}});
            else
                types_->leaf(
                    facet_name(each.kind), {{"value", is_text ? each.text : number, true}});
        }
        types_->close("s:restriction");
    }

    static std::string_view facet_name(extra_kind kind) {
        switch (kind) {
        case extra_kind::length: return "s:length";
        case extra_kind::min_length: return "s:minLength";
        case extra_kind::max_length: return "s:maxLength";
        case extra_kind::min_inclusive: return "s:minInclusive";
        case extra_kind::max_inclusive: return "s:maxInclusive";
        case extra_kind::min_exclusive: return "s:minExclusive";
        case extra_kind::max_exclusive: return "s:maxExclusive";
        case extra_kind::total_digits: return "s:totalDigits";
        case extra_kind::fraction_digits: return "s:fractionDigits";
        case extra_kind::pattern: return "s:pattern";
        default: return "s:enumeration";
        }
    }

    /// A simple type with a name of its own.
    void write_named_simple_type(const field_info& field) {
        const facet_set& facets = *field.extras->facets;
        types_->open("s:simpleType", {{"name", facets.type_name}});
        write_restriction(builtin_base(field), field.type, facets.of_type);
        types_->close("s:simpleType");
    }

    /// A list or a union.
    void write_simple_type(const element_type& type) {
        const bool list = type.kind == type_kind::list;
        const std::string_view tag = list ? "s:list" : "s:union";
        std::string names;
        bool named = true;
        for (const element_type& each : type.parts().types) {
            named = named && !type_name(each).empty();
            names.append(names.empty() ? "" : " ").append(named ? type_reference(each) : "");
        }
        types_->open("s:simpleType");
        if (named) {
            types_->leaf(tag, {{list ? "itemType" : "memberTypes", names}});
        } else {
            types_->open(tag);
            for (const element_type& each : type.parts().types)
                write_member_type(each);
            types_->close(tag);
        }
        types_->close("s:simpleType");
    }

    void write_member_type(const element_type& type) {
        if (type_name(type).empty()) return write_simple_type(type);
        types_->open("s:simpleType");
        types_->leaf("s:restriction", {{"base", type_reference(type)}});
        types_->close("s:simpleType");
    }

    void write_wildcard(const field_info& field, bool in_choice) {
        const std::string_view rule = field.ns == "##any" ? std::string_view() : field.ns;
        if (field.kind == row_kind::any_attribute)
            return types_->leaf(
                "s:anyAttribute",
                {{"namespace", rule}, {"processContents", field.extras->process}});
        types_->leaf(
            "s:any",
            {{"minOccurs", least_of(field.occurs, *field.extras, in_choice)},
             {"maxOccurs", most_of(field.occurs, *field.extras)},
             {"namespace", rule},
             {"processContents", field.extras->process}});
    }

    /// The content of a complex type: its elements from `first` to `last`, those of groups in
    /// groups.
    void write_rows(
        const record_info& record, std::size_t first, std::size_t last, std::size_t group) {
        const bool in_choice = group != no_group && record.groups[group].is_choice;
        for (std::size_t row = first; row != last;) {
            const field_info& field = record.fields[row];
            const std::size_t inner =
                field.group == group ? group : group_below(record, row, group);
            if (inner == group) {
                write_field(field, in_choice);
                ++row;
                continue;
            }
            const group_info& part = record.groups[inner];
            const std::string_view name = part.is_choice ? "s:choice" : "s:sequence";
            types_->open(
                name,
                {{"minOccurs", least_of(part.occurs, *part.extras, in_choice)},
                 {"maxOccurs", most_of(part.occurs, *part.extras)}});
            write_rows(record, part.first, part.last, inner);
            types_->close(name);
            row = part.last;
        }
    }

    /// An attribute of a type. One of another namespace is that one's, as elements are.
    void write_attribute(const field_info& field) {
        if (field.kind == row_kind::any_attribute) return write_wildcard(field, false);
        const field_extras& said = *field.extras;
        const std::string_view ns = resolve(field.ns);
        const bool required = !field.may_be_absent() && said.preset.data() == nullptr;
        if (!ns.empty() && ns != schemas_[at_].ns) {
            const std::size_t other = schema_of(ns);
            need(
                {std::string(field.name),
                 field.type,
                 part_kind::attribute,
                 other,
                 met_in_,
                 &field});
            return types_->leaf(
                "s:attribute",
                {{"ref", reference(other, field.name)},
                 {"use", required ? "required" : ""},
                 {"default", said.preset, true},
                 {"fixed", said.fixed, true}});
        }
        write_typed(
            "s:attribute",
            field,
            {{"name", field.name},
             {"form", ns.empty() ? "" : "qualified"},
             {"type", row_type(field)},
             {"use", required ? "required" : ""},
             {"default", said.preset, true},
             {"fixed", said.fixed, true}});
    }

    /// What is inside a complex type. `any_more`: it takes attributes that no row lists.
    void write_content(const record_info& record, bool any_more = false) {
        const std::size_t own = record.base_fields;
        const bool is_text = !record.content.empty();
        const std::string_view content = is_text ? "s:simpleContent" : "s:complexContent";
        if (record.base) {
            types_->open(content);
            types_->open(
                "s:extension",
                {{"base", type_reference({type_kind::record, record.options.base})}});
        } else if (is_text) {
            types_->open(content);
            types_->open("s:extension", {{"base", row_type(record.content.front())}});
        }
        if (own != record.fields.size()) {
            const std::string_view name = record.options.all ? "s:all" : "s:sequence";
            types_->open(name);
            write_rows(record, own, record.fields.size(), no_group);
            types_->close(name);
        }
        const auto own_attributes =
            std::span(record.attributes).subspan(record.base ? record.base->attributes.size() : 0);
        for (const row_kind kind : {row_kind::attribute, row_kind::any_attribute})
            for (const field_info& each : own_attributes)
                if (each.kind == kind) write_attribute(each);
        if (any_more) types_->leaf("s:anyAttribute");
        if (!record.base && !is_text) return;
        types_->close("s:extension");
        types_->close(content);
    }

    static bool is_empty(const record_info& record) {
        return record.fields.empty() && record.attributes.empty() && record.content.empty() &&
               !record.base;
    }

    void write_request(const operation_info& operation) {
        const record_info& record = *operation.request;
        if (operation.style == message_style::rpc) {
            for (const field_info& part : record.fields)
                part_type(operation, part);
            return;
        }
        const std::string_view name = operation.request_name.local;
        const field_info* const asked = operation.asked.emplace ? &operation.asked : nullptr;
        if (operation.request_type.kind == type_kind::record && !is_text(record))
            need_message(name, operation.request_type, asked);
        else if (is_new_message(name, &record))
            write_message_content(name, record, asked && asked->emplace_nil);
    }

    /// The element of a message, of a type with a name. `value` says what may be in it beside that.
    void need_message(std::string_view name, const element_type& type, const field_info* value) {
        const bool may_be_nil = value && value->emplace_nil;
        need(
            {std::string(name),
             type,
             part_kind::element,
             at_,
             met_in_,
             may_be_nil ? value : nullptr});
        if (value && value->type.kind == type_kind::derived)
            type_reference(value->type);  // and those that extend it
    }

    /// Whether a record is nothing but its text, so that as a message it is of a simple type.
    static bool is_text(const record_info& record) {
        return !record.content.empty() && record.attributes.empty() && !record.base;
    }

    /// Several operations may have one element, if it is the same.
    bool is_new_message(std::string_view name, const void* content) {
        const auto known =
            std::find_if(messages_.begin(), messages_.end(), [&](const message_element& each) {
                return each.name == name && each.schema == at_ && each.content == content;
            });
        if (known != messages_.end()) return false;
        messages_.push_back({name, at_, content});
        need({std::string(name), {}, part_kind::message, at_, met_in_});
        return true;
    }

    /// What a part of rpc is: an element of a type, which the description of the message names.
    std::string part_type(const operation_info& operation, const field_info& part) {
        std::string type =
            part.occurs == occurrence::many ? list_reference(part.type) : row_type(part);
        if (type.empty())
            throw std::invalid_argument(
                "soapsvc: the operation " + std::string(operation.name) +
                " is rpc: the type of its part " + std::string(part.name) +
                " needs a name; write simple_type(...) for it");
        return type;
    }

    std::string list_reference(const element_type& item) {
        const std::size_t schema = schema_of({});
        need({list_name(item), item, part_kind::list, schema, met_in_});
        return reference(schema, list_name(item));
    }

    /// The element of a message with a type of its own.
    void write_message_content(std::string_view name, const record_info& record, bool may_be_nil) {
        const std::string_view nillable = may_be_nil ? "true" : "";
        if (is_text(record))
            return write_typed(
                "s:element",
                record.content.front(),
                {{"name", name},
                 {"nillable", nillable},
                 {"type", row_type(record.content.front())}});
        types_->open("s:element", {{"name", name}, {"nillable", nillable}});
        if (is_empty(record)) {
            types_->leaf("s:complexType");
        } else {
            types_->open("s:complexType");
            write_content(record);
            types_->close("s:complexType");
        }
        types_->close("s:element");
    }

    /// An element that is the result: a record, a value, or a list of these.
    void write_whole_response(const operation_info& operation) {
        const field_info& result = operation.result;
        const record_info* const record = operation.result_record;
        if (record && !record->name.empty() && !is_text(*record))
            return need_message(
                result.name,
                result.type.kind == type_kind::derived ? result.type.parts().types[0] : result.type,
                &result);
        const void* const content = record ? record : static_cast<const void*>(&result);
        if (!is_new_message(result.name, content)) return;
        if (record)
            return write_message_content(result.name, *record, result.emplace_nil != nullptr);
        if (operation.is_list())
            return types_->leaf(
                "s:element", {{"name", result.name}, {"type", list_reference(result.type)}});
        write_typed(
            "s:element",
            result,
            {{"name", result.name},
             {"nillable", result.emplace_nil ? "true" : ""},
             {"type", row_type(result)}});
    }

    /// The parts that an rpc operation answers with.
    template <class Each>
    static void for_each_result_part(const operation_info& operation, Each each) {
        if (operation.reply == reply_form::child) each(operation.result);
        if (operation.reply == reply_form::whole)
            for (const field_info& part : operation.result_record->fields)
                each(part);
    }

    /// The one child of a reply.
    void write_result_field(const operation_info& operation) {
        const field_info& result = operation.result;
        const std::string_view ns = resolve(result.ns);
        if (!operation.is_list()) {
            if (result.rare) return write_field(result, false);
            return write_element(
                result.name, result.type, {result.occurs == occurrence::once ? "1" : "0", "1"});
        }
        const std::string list = list_reference(result.type);
        if (!ns.empty() && ns != schemas_[at_].ns)
            throw std::invalid_argument(
                "soapsvc: the list that the operation " + std::string(operation.name) +
                " answers with is in the namespace of the reply's element, or in none");
        types_->leaf(
            "s:element",
            {{"minOccurs", "0"},
             {"maxOccurs", "1"},
             {"name", result.name},
             {"form", ns.empty() ? "unqualified" : ""},
             {"type", list}});
    }

    void write_response(const operation_info& operation) {
        const bool rpc_style = operation.style == message_style::rpc;
        if (!operation.has_reply_element()) return;
        if (rpc_style) {
            for_each_result_part(
                operation, [&](const field_info& part) { part_type(operation, part); });
            return;
        }
        if (operation.reply == reply_form::whole) return write_whole_response(operation);
        is_new_message(operation.response_name.local, &operation);
        types_->open("s:element", {{"name", operation.response_name.local}});
        if (operation.reply == reply_form::child) {
            types_->open("s:complexType");
            types_->open("s:sequence");
            write_result_field(operation);
            types_->close("s:sequence");
            types_->close("s:complexType");
        } else {
            types_->leaf("s:complexType");
        }
        types_->close("s:element");
    }
    /// Writes what was referred to, and what that refers to, until nothing new comes up.
    void write_pending() {
        for (; written_ != parts_.size(); ++written_) {
            const named_part next = parts_[written_];  // a copy: the list grows
            in_schema(schemas_[next.schema].ns, [&] { write_part(next); });
        }
    }

    /// The element of a header block, of a fault's detail.
    void write_record_element(const element_type& type) {
        const record_info& record = type.record();
        need({std::string(record.name), type, part_kind::element, schema_of(record.ns), met_in_});
        write_pending();
    }

    /// The element of a header block or a detail, which is called like its record.
    static bool may_be_nil(const named_part& element) {
        return element.type.kind == type_kind::record &&
               element.type.record().options.nillable_element &&
               element.name == element.type.record().name;
    }

    void write_part(const named_part& next) {
        if (next.kind == part_kind::message) return;
        if (next.kind == part_kind::element && !next.row) {
            if (next.type.kind == type_kind::record && !named_record(next.type.record()))
                return write_message_content(
                    next.name, next.type.record(), next.type.record().options.nillable_element);
            return types_->leaf(
                "s:element",
                {{"name", next.name},
                 {"nillable", may_be_nil(next) ? "true" : ""},
                 {"type", type_reference(next.type)}});
        }
        const bool is_type = next.kind == part_kind::type;
        const bool is_element = next.kind == part_kind::element;
        if (!is_type && next.kind != part_kind::list)
            write_typed(
                is_element ? "s:element" : "s:attribute",
                *next.row,
                {{"name", next.name},
                 {"nillable", is_element && next.row->emplace_nil ? "true" : ""},
                 {"type", row_type(*next.row)},
                 {"default", is_element ? next.row->extras->preset : std::string_view(), true},
                 {"fixed", is_element ? next.row->extras->fixed : std::string_view(), true}});
        else if (is_type && next.row)
            write_named_simple_type(*next.row);
        else if (!is_type)
            write_list_type(next.type);
        else if (next.type.kind == type_kind::record)
            write_record_type(next.type.record());
        else
            write_enumeration_type(next.type.enumeration());
    }

    void write_record_type(const record_info& record) {
        types_->open(
            "s:complexType",
            {{"name", record.name}, {"abstract", record.options.abstract ? "true" : ""}});
        const bool takes_any = std::any_of(
            record.attributes.begin(), record.attributes.end(), [](const field_info& field) {
                return field.kind == row_kind::any_attribute;
            });
        // A header block has mustUnderstand, actor, role.
        write_content(record, is_header(record) && !takes_any);
        types_->close("s:complexType");
    }

    void write_enumeration_type(const enumeration_info& table) {
        types_->open("s:simpleType", {{"name", table.name}});
        const string_form_info& base = string_form_of(table.form);
        types_->open("s:restriction", {{"base", "s:" + std::string(base.name)}});
        for (const auto& [text, number] : table.values) {
            if (!has_form(table.form, text))
                throw std::invalid_argument(
                    "soapsvc: the table of " + std::string(table.name) + " lists '" +
                    std::string(text) + "', which is not " + std::string(base.allowed));
            types_->leaf("s:enumeration", {{"value", text}});
        }
        types_->close("s:restriction");
        types_->close("s:simpleType");
    }

    void write_list_type(const element_type& item) {
        const bool reference =
            item.kind == type_kind::record || item.kind == type_kind::string || is_bytes(item.kind);
        types_->open("s:complexType", {{"name", list_name(item)}});
        types_->open("s:sequence");
        write_element(type_name(item), item, {"0", "unbounded", reference});
        types_->close("s:sequence");
        types_->close("s:complexType");
    }

    void write_messages() {
        std::vector<std::string_view> written;
        for (const served_operation& operation : served_.operations) {
            const operation_info& info = *operation.info;
            write_request_message(operation);
            if (info.reply != reply_form::none) write_reply_message(operation);
            for (std::size_t index = 0; index != info.headers.size(); ++index)
                write_header_message(
                    operation.header_messages[index], info.headers[index].record());
            for (std::size_t index = 0; index != info.told.size(); ++index)
                write_header_message(operation.told_messages[index], info.told[index].record());
            for (std::size_t index = 0; index != info.details.size(); ++index) {
                const std::string_view name = operation.fault_messages[index];
                if (std::find(written.begin(), written.end(), name) != written.end()) continue;
                written.push_back(name);
                write_message(name, "detail", name_of(info.details[index].record()));
            }
        }
    }

    void write_header_message(std::string_view name, const record_info& header) {
        write_message(name, header.name, name_of(header));
    }

    /// .NET's tools take a part called `parameters` for the sign of the wrapped style.
    static std::string_view part_name(const operation_info& operation) {
        return operation.style == message_style::bare ? "body" : "parameters";
    }

    void write_request_message(const served_operation& operation) {
        const operation_info& info = *operation.info;
        if (info.style != message_style::rpc)
            return write_message(operation.in_message, part_name(info), info.request_name);
        out_.open("wsdl:message", {{"name", operation.in_message}});
        for (const field_info& part : info.request->fields)
            write_typed_part(info, part);
        out_.close("wsdl:message");
    }

    void write_reply_message(const served_operation& operation) {
        const operation_info& info = *operation.info;
        if (info.reply == reply_form::no_element)
            return out_.leaf("wsdl:message", {{"name", operation.out_message}});
        if (info.style != message_style::rpc)
            return write_message(operation.out_message, part_name(info), info.response_name);
        out_.open("wsdl:message", {{"name", operation.out_message}});
        for_each_result_part(info, [&](const field_info& part) { write_typed_part(info, part); });
        out_.close("wsdl:message");
    }

    void write_typed_part(const operation_info& operation, const field_info& part) {
        out_.leaf("wsdl:part", {{"name", part.name}, {"type", part_type(operation, part)}});
    }

    void write_message(
        std::string_view name, std::string_view part, const described_name& element) {
        out_.open("wsdl:message", {{"name", name}});
        out_.leaf(
            "wsdl:part",
            {{"name", part}, {"element", reference(schema_of(element.ns), element.local)}});
        out_.close("wsdl:message");
    }

    void write_port_type() {
        out_.open("wsdl:portType", {{"name", name("Soap")}});
        for (const served_operation& operation : served_.operations) {
            const operation_info& info = *operation.info;
            out_.open("wsdl:operation", {{"name", info.name}});
            write_doc(info.options);
            out_.leaf("wsdl:input", {{"message", "tns:" + operation.in_message}});
            if (info.reply != reply_form::none)
                out_.leaf("wsdl:output", {{"message", "tns:" + operation.out_message}});
            for (std::size_t index = 0; index != info.details.size(); ++index)
                out_.leaf(
                    "wsdl:fault",
                    {{"name", info.details[index].record().name},
                     {"message", "tns:" + operation.fault_messages[index]}});
            out_.close("wsdl:operation");
        }
        out_.close("wsdl:portType");
    }

    /// The binding and the port of one version.
    struct binding_kind {
        std::string_view soap;  ///< prefix of the extension elements
        std::string_view suffix;  ///< ends the name
    };
    std::vector<binding_kind> kinds() const {
        std::vector<binding_kind> made;
        if (served_.speaks(soap_version::v1_1)) made.push_back({"soap", "Soap"});
        if (served_.speaks(soap_version::v1_2)) made.push_back({"soap12", "Soap12"});
        return made;
    }

    void write_binding(const binding_kind& kind) {
        const std::string prefix = std::string(kind.soap) + ':';
        out_.open("wsdl:binding", {{"name", name(kind.suffix)}, {"type", "tns:" + name("Soap")}});
        const bool all_rpc =
            std::all_of(served_.operations.begin(), served_.operations.end(), [](const auto& each) {
                return each.info->style == message_style::rpc;
            });
        out_.leaf(
            prefix + "binding",
            {{"transport", "http://schemas.xmlsoap.org/soap/http"},
             {"style", all_rpc ? "rpc" : ""}});
        for (const served_operation& operation : served_.operations)
            write_bound_operation(operation, prefix);
        out_.close("wsdl:binding");
    }

    void write_bound_operation(const served_operation& operation, const std::string& prefix) {
        const operation_info& info = *operation.info;
        const bool rpc_style = info.style == message_style::rpc;
        const auto write_body = [&](const described_name& element,
                                    std::span<const header_type> headers,
                                    const auto& messages) {
            const std::string_view body_ns = rpc_style ? resolve(element.ns) : "";
            out_.leaf(prefix + "body", {{"use", "literal"}, {"namespace", body_ns}});
            for (std::size_t index = 0; index != headers.size(); ++index)
                out_.leaf(
                    prefix + "header",
                    {{"message", "tns:" + messages[index]},
                     {"part", headers[index].record().name},
                     {"use", "literal"}});
        };
        out_.open("wsdl:operation", {{"name", info.name}});
        out_.leaf_with_empty(
            prefix + "operation",
            {{"soapAction", operation.action}, {"style", rpc_style ? "rpc" : "document"}});
        out_.open("wsdl:input");
        write_body(info.request_name, info.headers, operation.header_messages);
        out_.close("wsdl:input");
        if (info.reply != reply_form::none) {
            out_.open("wsdl:output");
            write_body(info.response_name, info.told, operation.told_messages);
            out_.close("wsdl:output");
        }
        for (const element_type& detail : info.details) {
            const std::string_view fault_name = detail.record().name;
            out_.open("wsdl:fault", {{"name", fault_name}});
            out_.leaf(prefix + "fault", {{"name", fault_name}, {"use", "literal"}});
            out_.close("wsdl:fault");
        }
        out_.close("wsdl:operation");
    }

    void write_service() {
        out_.open("wsdl:service", {{"name", served_.info->name}});
        if (!served_.info->options.doc.empty())
            out_.text("wsdl:documentation", served_.info->options.doc);
        for (const binding_kind& kind : kinds()) {
            const std::string port = name(kind.suffix);
            out_.open("wsdl:port", {{"name", port}, {"binding", "tns:" + port}});
            out_.leaf(std::string(kind.soap) + ":address", {{"location", url_}});
            out_.close("wsdl:port");
        }
        out_.close("wsdl:service");
    }

    void write_doc(const row_options& row) {
        std::string text = row.deprecated ? "Deprecated." : "";
        if (!text.empty() && !row.doc.empty()) text += ' ';
        text += row.doc;
        if (!text.empty()) out_.text("wsdl:documentation", text);
    }

    std::string type_reference(const element_type& type) {
        if (type.kind == type_kind::derived) {
            for (const element_type& each : type.parts().types)
                type_reference(each);  // which may be met in no other place
            return type_reference(type.parts().types[0]);
        }
        if (type.kind == type_kind::record && type.record().options.anonymous)
            return base_reference(type.record());
        if (type_name(type).empty()) return {};
        if (!table_of(type)) return "s:" + std::string(type_name(type));
        const std::size_t schema = schema_of(type_ns(type));
        need({std::string(type_name(type)), type, part_kind::type, schema, met_in_});
        return reference(schema, type_name(type));
    }

    /// The name of an anonymous record's type, which is its base's.
    std::string base_reference(const record_info& record) {
        if (named_record(record)) return type_reference({type_kind::record, record.options.base});
        throw std::invalid_argument(
            "soapsvc: the table of " + std::string(record.name) +
            " is anonymous; only a header block or a fault's detail has a type without a name");
    }

    /// Whether two rows say the same of a named type, or of an element or an attribute that they
    /// refer to, which has facets, a value and nil of its own.
    static bool same_rows(part_kind kind, const field_info* a, const field_info* b) {
        static const facet_set none;
        const auto facets_of = [](const field_info* row) -> const facet_set& {
            return row && row->extras->facets ? *row->extras->facets : none;
        };
        const auto said_of = [](const field_info* row) -> const field_extras& {
            return row ? *row->extras : no_extras;
        };
        const auto same = [](const std::vector<row_extra>& all,
                             const std::vector<row_extra>& others) {
            return std::equal(
                all.begin(),
                all.end(),
                others.begin(),
                others.end(),
                [](const row_extra& left, const row_extra& right) {
                    return left.kind == right.kind && left.number == right.number &&
                           left.text == right.text;
                });
        };
        const facet_set& left = facets_of(a);
        const facet_set& right = facets_of(b);
        const bool same_type = left.builtin == right.builtin && left.type_name == right.type_name &&
                               same(left.of_type, right.of_type);
        if (kind == part_kind::type || !same_type) return same_type;
        return same(left.own, right.own) && said_of(a).preset == said_of(b).preset &&
               said_of(a).fixed == said_of(b).fixed &&
               (a && a->emplace_nil != nullptr) == (b && b->emplace_nil != nullptr);
    }

    /// Types, lists of them among them, have names of their own, as elements and attributes do.
    static part_kind symbol_space(part_kind kind) noexcept {
        return kind == part_kind::list      ? part_kind::type
               : kind == part_kind::message ? part_kind::element
                                            : kind;
    }

    /// Notes what was referred to. Names are all that a schema has to tell types apart.
    void need(named_part next) {
        const auto known =
            std::find_if(parts_.begin(), parts_.end(), [&next](const named_part& other) {
                return other.name == next.name && other.schema == next.schema &&
                       symbol_space(other.kind) == symbol_space(next.kind);
            });
        if (known == parts_.end()) return parts_.push_back(std::move(next));
        if (known->kind != next.kind || known->type.kind != next.type.kind ||
            table_of(known->type) != table_of(next.type) ||
            made_of(known->type) != made_of(next.type) ||
            !same_rows(next.kind, known->row, next.row))
            throw std::invalid_argument(
                "soapsvc: two different types of the service " + std::string(served_.info->name) +
                " are called " + next.name + ": of the operation " + std::string(known->met_in) +
                " and of " + std::string(met_in_) + "; give one of them another name");
    }

    bool is_header(const record_info& record) const {
        const auto lists = [&](std::span<const header_type> headers) {
            return std::any_of(headers.begin(), headers.end(), [&](const header_type& each) {
                return &each.record() == &record;
            });
        };
        for (const operation_info& operation : served_.info->operations)
            if (lists(operation.headers) || lists(operation.told)) return true;
        return false;
    }

    std::string name(std::string_view suffix) const {
        return std::string(served_.info->name) + std::string(suffix);
    }

    const endpoint& served_;
    std::string_view url_;
    indented_writer out_;
    std::vector<schema_part> schemas_;  ///< the service's first
    std::size_t at_ = 0;  ///< the schema that is being written
    indented_writer* types_ = nullptr;  ///< into that
    std::vector<named_part> parts_;  ///< in the order in which they were met
    std::size_t written_ = 0;  ///< how many of them are written
    std::string_view met_in_;  ///< the operation that is being written
    /// The element of a message that is written, and what it holds.
    struct message_element {
        std::string_view name;
        std::size_t schema;
        const void* content;
    };
    std::vector<message_element> messages_;
};

inline std::string wsdl_page(const endpoint& served, std::string_view url) {
    std::string page = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
    wsdl_writer(served, url, page).write();
    return page;
}

// --- Samples ------------------------------------------------------------------------------------

/// A sample value as text. It goes through the codec in both directions, so what a sample shows is
/// what a message would say. Throws std::invalid_argument for what is no value.
inline std::string sample_text(
    std::string_view name, const element_type& type, std::string_view given) {
    const auto refuse = [&] {
        throw std::invalid_argument(
            "soapsvc: '" + std::string(given) + "' is no sample of " + std::string(name) +
            ", which is of the type " + std::string(type_name(type)));
    };
    if (type.kind == type_kind::fragment) return {};
    if (type.kind == type_kind::name) return std::string(given.empty() ? "xsd:string" : given);
    if (has_parts(type.kind)) {  // one item; the first alternative
        if (!given.empty() && !is_value(given, type)) refuse();
        if (!given.empty()) return std::string(given);
        return sample_text(name, type.parts().types[0], given);
    }
    if (type.kind == type_kind::enumeration) {
        const auto values = type.enumeration().values;
        if (given.empty()) given = values[0].text;
        if (std::none_of(values.begin(), values.end(), [&](const value_row& row) {
                return row.text == given;
            }))
            refuse();
        return std::string(given);
    }
    if (given.empty()) given = simple_type_of(type.kind).sample;
    std::string text;
    with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
        T value{};
        if (!from_text(given, value)) refuse();
        text = text_of(type, &value);
    });
    return text;
}

/// Whether what is sent for a type is among the records that are being written.
inline bool is_within(std::span<const record_info* const> open, const element_type& type) {
    return record_of(type) && std::find(open.begin(), open.end(), sent_record(type)) != open.end();
}

/// Writes the messages that an operation's page shows, from the tables alone: there is no C++ value
/// to be had of a type that is known by its table only. Types that hold each other many times over
/// would make a sample that grows with each level: one that is long enough has no more of what may
/// be absent.
class sample_writer {
    static constexpr std::size_t long_enough = 64 * 1024;

public:
    sample_writer(const endpoint& served, const served_operation& operation)
        : served_(served), info_(*operation.info), out_(text_) {}

    /// A request envelope, every field filled.
    std::string request(soap_version version) {
        text_.clear();
        ids_ = 0;
        out_.raw(envelope_start(version));
        blocks(info_.headers, version);
        out_.raw(body_start(version));
        message(info_.request_name, info_.asked, info_.request);
        out_.raw(envelope_end(version));
        return text_;
    }

    /// The envelope of a success, lists with one item.
    std::string reply(soap_version version) {
        text_.clear();
        ids_ = 0;
        out_.raw(envelope_start(version));
        blocks(info_.told, version);
        out_.raw(body_start(version));
        if (info_.reply == reply_form::whole && info_.result_record) {
            message(info_.response_name, info_.result, info_.result_record);
        } else if (info_.has_reply_element()) {
            encoder out(text_, served_.ns, "");
            reply_element(out);
        }
        out_.raw(envelope_end(version));
        return text_;
    }

private:
    /// A reply that is no record.
    void reply_element(encoder& out) {
        const std::string_view ns = out.resolve(info_.response_name.ns);
        const field_info& result = info_.result;
        const std::string_view result_ns = out.resolve(result.ns);
        const bool whole = info_.reply == reply_form::whole;
        const auto item = [&] {
            element(out, info_.item.name, out.resolve(info_.item.ns), result.type, info_.item);
        };
        if (whole && !info_.is_list()) return element(out, result.name, ns, result.type, result);
        const bool child = info_.reply == reply_form::child;
        const std::string_view inner = whole ? out.resolve({}) : child ? result_ns : ns;
        open_element reply(out, info_.response_name.local, ns, inner);
        reply.begin_content();
        if (whole) item();
        if (child && !info_.is_list()) element(out, result.name, result_ns, result.type, result);
        if (child && info_.is_list()) {
            open_element list(out, result.name, result_ns, out.resolve({}));
            list.begin_content();
            item();
            list.close();
        }
        reply.close();
    }

    void blocks(std::span<const header_type> headers, soap_version version) {
        if (headers.empty()) return;
        out_.raw(header_start(version));
        for (const header_type& each : headers)
            payload(name_of(each.record()), each.record());
        out_.raw(header_end(version));
    }

    /// `table` in the message's namespace; of an abstract type another is sent.
    void message(const described_name& name, const field_info& value, const record_info* table) {
        const bool is_derived = value.type.kind == type_kind::derived;
        payload(
            name,
            is_derived ? *sent_record(value.type) : *table,
            is_derived ? record_of(value.type) : nullptr);
    }

    void payload(
        const described_name& name, const record_info& record, const record_info* of = nullptr) {
        encoder out(text_, served_.ns, "");
        this->record(out, name.local, out.resolve(name.ns), record, of);
    }

    void record(
        encoder& out,
        std::string_view name,
        std::string_view ns,
        const record_info& record,
        const record_info* of = nullptr) {
        const bool childless = record.fields.empty();
        open_element element(out, name, ns, childless ? ns : out.resolve(record.children_ns));
        if (of && of != &record) {
            out.attribute("xmlns:t", out.resolve(record.ns));
            out.attribute("xsi:type", "t:" + std::string(record.name));
        }
        for (const field_info& field : record.attributes)
            if (field.kind == row_kind::attribute)
                write_attribute(
                    out,
                    record,
                    field,
                    declared(
                        out,
                        "v" + std::to_string(&field - record.attributes.data()),
                        field.type,
                        sample_of(field)));
        std::string content;
        for (const field_info& field : record.content)
            content = declared(out, "v", field.type, sample_of(field));
        element.begin_content();
        open_.push_back(&record);
        out.text(content);
        fields(out, record, 0, record.fields.size(), no_group);
        open_.pop_back();
        element.close();
    }

    /// Of a choice one branch, of all else everything, as often as it must be there.
    void fields(
        encoder& out,
        const record_info& record,
        std::size_t first,
        std::size_t last,
        std::size_t group) {
        for (std::size_t row = first; row != last;) {
            const field_info& field = record.fields[row];
            const std::size_t inner =
                field.group == group ? group : group_below(record, row, group);
            if (inner == group) {
                for (std::size_t left = times(field); left != 0; --left)
                    if (field.kind == row_kind::element)
                        element(out, field.name, out.resolve(field.ns), field.type, field);
                ++row;
                continue;
            }
            const group_info& part = record.groups[inner];
            const auto [begin, end] =
                part.is_choice ? branch(record, inner) : std::pair(part.first, part.last);
            for (std::size_t left = times(part); left != 0; --left)
                fields(out, record, begin, end, inner);
            row = part.last;
        }
    }

    /// How often a row or a group is written: once, even where none is needed.
    std::size_t times(const auto& row) const {
        const std::size_t least = row.extras->least;
        if (text_.size() < long_enough || row.occurs == occurrence::once)
            return std::max<std::size_t>(least, 1);
        return row.occurs == occurrence::many ? least : 0;
    }

    /// The rows of the first branch of a choice that is not within itself; of the first if all are.
    std::pair<std::size_t, std::size_t> branch(const record_info& record, std::size_t group) const {
        const group_info& choice = record.groups[group];
        const auto end_of = [&](std::size_t row) {
            const std::size_t inner = group_below(record, row, group);
            return inner == group ? row + 1 : record.groups[inner].last;
        };
        for (std::size_t row = choice.first; row != choice.last; row = end_of(row))
            if (!is_open(record.fields[row].type)) return {row, end_of(row)};
        return {choice.first, end_of(choice.first)};
    }

    bool is_open(const element_type& type) const { return is_within(open_, type); }

    /// Whether a row's facets allow a sample. Of lists and unions the form is looked at, and
    /// whether the text is one of those listed.
    static bool fits(const facet_set& facets, const element_type& type, std::string_view text) {
        bool good = fits_one(facets.type_patterns, text) && fits_one(facets.own_patterns, text);
        with_simple_type(type.kind, [&]<class T>(std::type_identity<T>) {
            T value{};
            good = from_text(text, value) && facet_error(facets, type, text, &value).empty();
        });
        if (type.kind == type_kind::name) {
            const auto name = expanded_name(text);
            good = good && name && is_listed(facets, type, text, &*name);
        } else if (type.kind >= type_kind::enumeration) {
            good = good && is_listed(facets, type, text, nullptr);
        }
        return good;
    }

    /// A value that the facets allow, among those that they name; empty: there is none to be seen.
    static std::string_view fitting(const facet_set& facets, const element_type& type) {
        std::vector<std::string_view> candidates;
        if (type.kind == type_kind::string)
            candidates.push_back(string_form_of(facets.form).sample);
        else if (type.kind < type_kind::enumeration)
            candidates.push_back(simple_type_of(type.kind).sample);
        for (const auto* list : {&facets.values, &facets.bounds})
            for (const facet_value& each : *list)
                candidates.push_back(each.text);
        for (const std::string_view each : candidates)
            if (fits(facets, type, each)) return each;
        return {};
    }

    std::string sample_of(const field_info& field) {
        const row_options& row = field.options;
        if (const auto fixed = fixed_text(field)) return std::string(*fixed);
        const facet_set* const facets = field.extras->facets;
        std::string_view sample = row.sample;
        if (sample.empty() && facets) sample = fitting(*facets, field.type);
        if (sample.empty() && row.secret && field.type.kind == type_kind::string) sample = "secret";
        std::string text = sample_text(field.name, field.type, sample);
        // No two in a message (XML Schema part 2, 3.3.8).
        if (row.sample.empty() && facets && facets->form == string_form::id && ids_++ != 0)
            text += std::to_string(ids_);
        if (!row.sample.empty() && facets && !fits(*facets, field.type, text))
            throw std::invalid_argument(
                "soapsvc: '" + text + "' is no sample of " + std::string(field.name) +
                ", whose facets do not allow it");
        return text;
    }

    /// A sample as text; the namespace of one that is {namespace}local is declared for it.
    static std::string declared(
        encoder& out, const std::string& prefix, const element_type& type, std::string sample) {
        const bool is_name = type.kind == type_kind::name && sample.starts_with('{');
        const auto name = is_name ? expanded_name(sample) : std::nullopt;
        if (!name) return sample;
        const value_names names(type, &*name, prefix);
        names.declare(out);
        return names.text(*name);
    }

    void element(
        encoder& out,
        std::string_view name,
        std::string_view ns,
        const element_type& type,
        const field_info& field) {
        const record_info* const base = record_of(type);
        if (!base) {
            open_element element(out, name, ns, ns);
            const std::string text = declared(out, "v", type, sample_of(field));
            element.begin_content();
            out.text(text);
            return element.close();
        }
        if (!field.options.sample.empty())
            throw std::invalid_argument(
                "soapsvc: " + std::string(name) + " has fields; give those a sample each");
        // A record within itself is an item of a list, and the list may be empty.
        if (is_open(type)) return;
        record(out, name, ns, *sent_record(type), base);
    }

    const endpoint& served_;
    const operation_info& info_;
    std::string text_;
    writer out_;
    std::size_t ids_ = 0;
    std::vector<const record_info*> open_;
};

/// Where a tag ends: after the '>' that stands in no attribute's value.
inline std::size_t end_of_tag(std::string_view xml, std::size_t at) {
    for (bool quoted = false; xml[at] != '>' || quoted; ++at)
        if (xml[at] == '"') quoted = !quoted;
    return at + 1;
}

/// A message of ours with one element a line, the namespaces of a long tag on lines of their own.
/// White space between elements means nothing, so the message stays what it was.
inline std::string indented(std::string_view xml) {
    std::string out;
    std::size_t depth = 0;
    bool after_text = false;
    for (std::size_t at = 0; at < xml.size();) {
        const std::size_t end = end_of_tag(xml, at);
        std::string tag(xml.substr(at, end - at));
        const bool closes = tag[1] == '/';
        const bool opens = !closes && tag[1] != '?' && !tag.ends_with("/>");
        if (closes) --depth;
        const std::string margin(2 * depth, ' ');
        const std::string break_before_ns = '\n' + margin + "    ";
        for (std::size_t ns = tag.size() > 100 ? tag.find(" xmlns") : tag.npos; ns != tag.npos;
             ns = tag.find(" xmlns", ns + break_before_ns.size()))
            tag.replace(ns, 1, break_before_ns);
        if (!out.empty() && !after_text) out.append("\n").append(margin);
        out += tag;
        at = std::min(xml.find('<', end), xml.size());
        after_text = at > end || (opens && xml.substr(at).starts_with("</"));
        out.append(xml.substr(end, at - end));
        if (opens) ++depth;
    }
    return out;
}

/// A word for a POSIX shell that stands for exactly this text (Shell Command Language, 2.2.2).
inline std::string shell_word(std::string_view text) {
    std::string word = "'";
    for (const char c : text)
        c == '\'' ? word.append("'\\''") : word.append(1, c);
    return word + '\'';
}

// --- What pages bring with them -----------------------------------------------------------------
// Style and script are in the page itself, which is then one answer, complete behind any proxy that
// lets the service's path through, and still complete when it is saved. The policy allows these two
// texts by their hash and nothing else, so a text that got through unescaped would still not run.
// Rejected: addresses of their own (the policy would have to allow the whole site, and 7 KB packed
// are not worth a cache), and a nonce (the page would differ each time).

inline constexpr std::string_view page_style = R"css(
:root { color-scheme: light dark; --bg: #fbfbf8; --card: #fff; --tint: #f3f3ed; --line: #deded6;
  --ink: #1c2024; --soft: #596068; --accent: #0a675a; --on: #fff; --warn: #744600;
  --warn-bg: #fcefd7; --bad: #9c1f28; --bad-bg: #fceceb; --good: #17622f; --good-bg: #e6f4e9;
  --mono: ui-monospace, Menlo, Consolas, "Liberation Mono", monospace }
@media (prefers-color-scheme: dark) { :root { --bg: #121417; --card: #181b1f; --tint: #1e2227;
  --line: #30353b; --ink: #e3e6e8; --soft: #9fa7af; --accent: #6ccdb8; --on: #06231e;
  --warn: #f0bf70; --warn-bg: #33270f; --bad: #ff9f99; --bad-bg: #381a1b; --good: #88d69c;
  --good-bg: #142e1c } }
* { box-sizing: border-box }
html { scroll-padding-top: 4rem }
body { margin: 0; background: var(--bg); color: var(--ink); overflow-wrap: break-word;
  font: 1rem/1.55 system-ui, sans-serif }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px }
[hidden] { display: none !important }
.vh { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.skip:not(:focus) { position: absolute; left: -99rem }
code, pre, h1.name, h2.name { font-family: var(--mono) }
code { font-size: .9em; overflow-wrap: anywhere }

.top { position: sticky; top: 0; z-index: 1; background: var(--bg);
  border-bottom: 1px solid var(--line); padding: .75rem 1.5rem; font-size: .875rem }
.top ol { display: flex; flex-wrap: wrap; gap: 0 .5rem; margin: 0; padding: 0; list-style: none }
.top li + li::before { content: "/"; color: var(--soft); margin-right: .5rem }
.top a { text-decoration: none }
.top a:hover { text-decoration: underline }
.frame { display: grid; grid-template-columns: 16rem minmax(0, 52rem); gap: 4rem;
  max-width: 80rem; margin: 0 auto; padding: 0 1.5rem 6rem }
.frame > .intro { padding-top: 3rem }
.intro p { margin: .5rem 0 0 }
.side { position: sticky; top: 3rem; align-self: start; padding-top: 3rem; font-size: .875rem;
  max-height: calc(100vh - 3rem); overflow-y: auto }
.side h2 { margin: 0 0 .5rem; font-size: .75rem; font-weight: 600; color: var(--soft) }
.side ul { list-style: none; margin: 0 0 1.5rem; padding: 0 }
.side a { display: block; padding: .25rem .75rem; border-left: 2px solid var(--line);
  color: inherit; text-decoration: none; overflow-wrap: anywhere }
.side a:hover { border-color: var(--soft) }
.side a[aria-current] { border-color: var(--accent); color: var(--accent); font-weight: 600 }
.side .old { color: var(--soft); text-decoration: line-through }
main { padding-top: 3rem; min-width: 0 }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em;
  overflow-wrap: anywhere }
h2 { margin: 3rem 0 1rem; font-size: 1.125rem; font-weight: 650; letter-spacing: -.005em }
h3 { margin: 1.5rem 0 .5rem; font-size: .9375rem; font-weight: 600 }
p { margin: 0 0 .75rem }
.lead { margin: .5rem 0 0; font-size: 1.125rem; color: var(--soft); max-width: 40rem }
.soft, .type, .hint { color: var(--soft) }
.type { font: .8125rem/1.5 var(--mono); overflow-wrap: anywhere }
.badge { display: inline-block; color: var(--soft); font: .75rem/1.5 system-ui, sans-serif;
  letter-spacing: 0; white-space: nowrap }
.badge.must, .badge.old { padding: 0 .5rem; border-radius: 1rem; background: var(--tint);
  color: var(--accent); font-weight: 600 }
.badge.old { background: var(--warn-bg); color: var(--warn) }
h1 .badge { vertical-align: .3em; margin-left: .25rem }
.note { margin: 1.5rem 0 0; padding: .75rem 1rem; border-radius: 6px; background: var(--tint) }
.note.old { background: var(--warn-bg); color: var(--warn) }
.note.old a { color: inherit }

.facts { display: grid; grid-template-columns: 8rem 1fr; gap: .375rem 1.5rem; margin: 1.5rem 0 0;
  font-size: .875rem }
.facts dt { color: var(--soft) }
.facts dd { margin: 0; min-width: 0 }
.list { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line) }
main > .list:first-child, .intro + main > .list { border-top: 0 }
.intro + main > .list > li:first-child { padding-top: 0 }
.list > li { padding: 1rem 0; border-bottom: 1px solid var(--line) }
.list > li:last-child { border: 0 }
.list p { margin: .25rem 0 0 }
.list h2 { margin: 0 }
.list .name { font-weight: 600; text-decoration: none }
.list .name:hover { text-decoration: underline }
.inline { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .5rem 0 0; padding: 0;
  list-style: none; font-size: .875rem }

.fields { margin: 0; border-top: 1px solid var(--line) }
.fields > div { display: grid; grid-template-columns: 20rem minmax(0, 1fr); gap: 0 1.5rem;
  padding: .625rem 0; border-bottom: 1px solid var(--line) }
.fields dt code { font-weight: 600; margin-right: .375rem }
.fields dt .badge { margin-left: .25rem }
.fields dd { margin: 0; min-width: 0 }
.fields dd p { margin: 0 }
.fields dd .values { font-size: .875rem; color: var(--soft) }
.fields .nest { grid-column: 1 / -1; margin-top: .5rem }
.fields .fields { padding-left: 1.5rem; border-top: 0; border-left: 2px solid var(--line) }
.fields .fields > div { grid-template-columns: 18.375rem minmax(0, 1fr); padding: .375rem 0;
  border: 0 }
.fields + .soft { margin-top: 1rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .875rem }
th, td { padding: .5rem 1.5rem .5rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line) }
th { font-weight: 600; color: var(--soft); white-space: nowrap }
td p { margin: 0 }

.tabs { margin: 0; padding: 0; border: 0; min-width: 0; display: flex; flex-wrap: wrap }
.tabs > input { position: absolute; opacity: 0 }
.tabs > label { padding: .375rem .875rem; border-bottom: 2px solid var(--line); cursor: pointer;
  color: var(--soft); font-size: .875rem }
.tabs > label:hover { color: var(--ink) }
.tabs > :checked + label { border-color: var(--accent); color: var(--accent); font-weight: 600 }
.tabs > :focus-visible + label { outline: 2px solid var(--accent); outline-offset: -2px }
.tabs::after { content: ""; flex: 1; order: 0; border-bottom: 2px solid var(--line) }
.tabs > .panel { display: none; order: 1; width: 100%; padding-top: 1rem; min-width: 0 }
.tabs > :nth-of-type(1):checked ~ .panel:nth-of-type(1),
.tabs > :nth-of-type(2):checked ~ .panel:nth-of-type(2),
.tabs > :nth-of-type(3):checked ~ .panel:nth-of-type(3) { display: block }
figure { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 8px; overflow: hidden;
  background: var(--card) }
figcaption { display: flex; justify-content: space-between; align-items: center; gap: 1rem;
  min-height: 2.5rem; padding: .25rem .5rem .25rem 1rem; border-bottom: 1px solid var(--line);
  background: var(--tint); font-size: .8125rem; color: var(--soft) }
pre { margin: 0; padding: 1rem; overflow: auto; max-height: 32rem; tab-size: 2;
  font-size: .8125rem; line-height: 1.6 }
pre.head { border-bottom: 1px dashed var(--line); color: var(--soft); padding: .75rem 1rem }
pre:focus-visible { outline-offset: -2px }
pre .tag { color: var(--soft) }

button { font: inherit; font-size: .8125rem; cursor: pointer; padding: .25rem .75rem;
  border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--ink) }
button:hover { border-color: var(--soft) }
button.main { padding: .5rem 1.5rem; border-color: var(--accent); background: var(--accent);
  color: var(--on); font-size: .9375rem; font-weight: 600 }
button.main:hover { filter: brightness(1.08) }
button[aria-busy=true] { opacity: .6 }
form { border: 1px solid var(--line); border-radius: 8px; background: var(--card);
  padding: 0 1.5rem 1.5rem }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0 }
form legend { padding: 0; font-weight: 600; font-size: .9375rem }
.part > legend { padding: 1.5rem 0 .25rem }
.part + .part { margin-top: 1.5rem; border-top: 1px solid var(--line) }
.group { margin: 1.25rem 0 0; padding-left: 1.25rem; border-left: 2px solid var(--line) }
:is(.part, .group) > legend { float: left; width: 100%; margin-bottom: .25rem }
:is(.part, .group) > :not(legend) { clear: both }
.group > .no { font: 600 .8125rem/1.5 var(--mono) }
.group > .hint { font-size: .8125rem }
.group > p:last-child { margin: .75rem 0 0 }
.group > .tick, .part > .tick { margin: .25rem 0 }
.field { display: grid; grid-template-columns: 13rem minmax(0, 1fr) 4.25rem; gap: 0 1rem;
  align-items: center; margin-top: .75rem }
.field.item { grid-template-columns: 13rem minmax(0, 1fr) auto }
.field > label:first-child { display: contents }
.field .label { overflow-wrap: anywhere; line-height: 1.3; font-size: .9375rem }
.field .type { display: block; font-size: .75rem }
.field .hint { grid-column: 2; margin: .125rem 0 0; font-size: .8125rem }
input:not([type=checkbox], [type=radio]), select { font: inherit; font-size: .9375rem;
  width: 100%; min-height: 2.375rem; padding: .25rem .625rem; border: 1px solid #82888f;
  border-radius: 6px; background: var(--bg); color: inherit }
input[type=checkbox], input[type=radio] { accent-color: var(--accent); width: 1rem; height: 1rem;
  margin: 0 }
::placeholder { color: var(--soft); opacity: 1 }
.tick { display: inline-flex; gap: .5rem; align-items: center; font-size: .875rem; cursor: pointer }
.send { margin-top: 1.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); display: flex;
  flex-wrap: wrap; gap: 1rem 1.5rem; align-items: center }
.send fieldset { display: flex; gap: 1rem }
.status { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem;
  margin: 1.5rem 0 1rem; min-height: 1.6rem; font-size: .875rem; color: var(--soft) }
.status:empty { margin: 0; min-height: 0 }
.status b { padding: .0625rem .625rem; border-radius: 1rem }
.status b.good { color: var(--good); background: var(--good-bg) }
.status b.bad { color: var(--bad); background: var(--bad-bg) }
.answer dl:not(.facts) { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr;
  gap: .25rem 1.5rem; margin: 0; font-size: .875rem }
.answer dt { color: var(--soft); font-family: var(--mono); font-size: .8125rem }
.answer dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
.answer th { font-family: var(--mono); font-size: .75rem }
.answer .value { white-space: pre-wrap }
.answer .one { font-family: var(--mono); font-size: 1.125rem; overflow-wrap: anywhere }
.answer td table { font-size: .8125rem }
.fault { padding: 1rem 1.25rem; border-left: 3px solid var(--bad); border-radius: 0 6px 6px 0;
  background: var(--bad-bg) }
.fault h4 { margin: 0 0 .25rem; color: var(--bad); font-size: .9375rem }
.fault p { margin: 0; overflow-wrap: anywhere }
.fault dl:not(.facts) { margin-top: .75rem }
.fault dt { color: inherit }

@media (max-width: 60rem) {
  .frame { grid-template-columns: minmax(0, 1fr); gap: 0; padding: 0 1rem 4rem }
  .side { position: static; padding-top: 1rem }
  .side h2, .side ul:first-of-type { display: none }
  .side ul { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 }
  .side a { border: 0; padding: .25rem 0; color: var(--accent) }
  .frame > .intro { padding: 1.5rem 0 0 }
  .top { padding: .75rem 1rem }
  main { padding-top: 1.5rem }
}
@media (max-width: 40rem) {
  h1 { font-size: 1.375rem }
  .facts, .fields > div, .fields .fields > div { grid-template-columns: minmax(0, 1fr) }
  .facts { gap: 0 }
  .facts dd { margin-bottom: .5rem }
  .fields .fields { padding-left: 1rem }
  form { padding: 0 1rem 1rem }
  .group { padding-left: .75rem }
  .field { grid-template-columns: minmax(0, 1fr) 4.25rem }
  .field.item { grid-template-columns: minmax(0, 1fr) auto }
  .field .label { grid-column: 1 / -1; margin-bottom: .25rem }
  .field .type { display: inline; margin-left: .5rem }
  .field .hint { grid-column: 1 / -1 }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
)css";

inline constexpr std::string_view page_script = R"js(
(() => {
"use strict";
const one = (query, at = document) => at.querySelector(query);
const all = (query, at = document) => [...at.querySelectorAll(query)];
const make = (name, more = {}, ...inside) => {
  const made = Object.assign(document.createElement(name), more);
  made.append(...inside);
  return made;
};
const code = text => make("code", { textContent: text });

// --- Code: tags dimmed, so that values stand out, and a button that copies ---
const paint = (pre, text) => pre.replaceChildren(...text.split(/(<[/?!\w][^<>]*>)/).map(
  (part, index) => index % 2 ? make("span", { className: "tag", textContent: part }) : part));
const copy = async (text, button) => {
  try { await navigator.clipboard.writeText(text); }
  catch {  // not on http: then by hand
    const area = make("textarea", { value: text, className: "vh" });
    button.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
};
const dress = figure => {
  const pre = one("pre:last-child", figure);
  paint(pre, pre.textContent);
  const button = make("button", { type: "button", textContent: "Copy" });
  button.setAttribute("aria-label", "Copy: " + pre.getAttribute("aria-label"));
  button.onclick = () => copy(pre.textContent, button);
  one("figcaption", figure).append(button);
};
all("figure").forEach(dress);

const form = one("form");
if (!form) return;
const said = form.dataset;

// --- Form: what can be absent, what repeats ---
let ids = 0;
const wire = box => {
  for (const hint of all(".field > .hint", box)) {
    hint.id ||= "hint" + ++ids;
    one("label:first-child > :is(input, select)", hint.parentNode)
      .setAttribute("aria-describedby", hint.id);
  }
};
const number = group => all(":scope > .items > .item", group).forEach((item, index) => {
  const name = group.dataset.name + " " + (index + 1);
  one(".no", item).textContent = name;
  one(":scope > .remove, :scope > p > .remove", item).setAttribute("aria-label", "Remove " + name);
});
form.addEventListener("click", event => {
  const button = event.target.closest(".add, .remove");
  if (!button) return;
  const group = button.closest("[data-many]");
  if (button.matches(".add")) {
    const template = one(":scope > template", group) ||
      document.getElementById(group.dataset.many);
    const item = template.content.cloneNode(true).firstElementChild;
    one(":scope > .items", group).append(item);
    wire(item);
    number(group);
    one("input, select, button", item).focus();
  } else {
    button.closest(".item").remove();
    number(group);
    one(":scope > p > .add", group).focus();
  }
});
const include = box => {
  const inside = one(":scope > .inside", box.closest("fieldset"));
  inside.hidden = inside.disabled = !box.checked;
};
form.addEventListener("input", ({ target }) => {
  if (target.matches(".include")) { include(target); return; }
  const given = one(":scope > .given > input", target.closest(".field") || form);
  if (given && target !== given) given.checked = target.value !== "";
});
form.addEventListener("reset", () => setTimeout(() => all(".include", form).forEach(include)));
wire(form);
form.hidden = false;
one(".needs").hidden = true;

// --- Form to XML ---
const escape = text => text.replace(/[&<>\r]/g, c => "&#" + c.charCodeAt() + ";");
const quoted = text => escape(text).replace(/"/g, "&quot;");
const element = (name, inside, own = "") => "<" + name + own +
  (inside === "" ? " />" : ">" + inside + "</" + name + ">");
const xmlns = ns => ` xmlns="${quoted(ns)}"`;
// What an element's namespace is, and what it must declare where another one is in scope.
const space = box => box.dataset.ns ?? said.ns;
const declared = (box, scope) => space(box) === scope ? "" : xmlns(space(box));
// The text of a field; null when it is not sent.
const entered = field => {
  const input = one("label:first-child > :is(input, select)", field);
  const given = one(":scope > .given > input", field);
  if (input.type === "checkbox") return String(input.checked);
  const absent = given ? !given.checked : input.value === "" && !("text" in field.dataset);
  const bare = { "datetime-local": 16, time: 5 }[input.type];  // the length without seconds
  const seconds = input.value.length === bare ? ":00" : "";
  return absent ? null : input.value + seconds;
};
const attributes = box => [...box.children].map((child, index) => {
  if (!("attribute" in child.dataset)) return "";
  const text = entered(child);
  const { name, ns } = child.dataset;
  if (text === null) return "";
  return ns ? ` xmlns:a${index}="${quoted(ns)}" a${index}:${name}="${quoted(text)}"`
    : ` ${name}="${quoted(text)}"`;
}).join("");
const type = box => "type" in box.dataset
  ? ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:t="${
    quoted(box.dataset.typens)}" xsi:type="t:${box.dataset.type}"` : "";
const leaf = (field, box, scope) => {
  const text = entered(field);
  return text === null ? ""
    : element(box.dataset.name, escape(text), declared(box, scope));
};
const parent = (inside, box, scope) => element(box.dataset.name, content(inside, space(box)),
  declared(box, scope) + type(box) + attributes(inside));
const content = (box, scope) => [...box.children].map(child => {
  if ("content" in child.dataset) return escape(entered(child) ?? "");
  if (!child.dataset.name || "attribute" in child.dataset) return "";
  if (child.matches(".field")) return leaf(child, child, scope);
  if ("many" in child.dataset) return all(":scope > .items > .item", child).map(
    item => (item.matches(".field") ? leaf : parent)(item, child, scope)).join("");
  const inside = one(":scope > .inside", child);
  return inside?.disabled ? "" : parent(inside || child, child, scope);
}).join("");
const envelope = soap12 => {
  const soap = soap12 ? "soap12" : "soap";
  const ns = soap12 ? "http://www.w3.org/2003/05/soap-envelope"
    : "http://schemas.xmlsoap.org/soap/envelope/";
  const heads = all("[data-part=header]", form).map(head => {
    const inside = one(":scope > .inside", head);
    const box = inside || head;
    return inside?.disabled ? "" : element(head.dataset.block, content(box, head.dataset.ns),
      xmlns(head.dataset.ns) + attributes(box));
  }).join("");
  const body = one("[data-part=body]", form);
  return `<?xml version="1.0" encoding="utf-8"?><${soap}:Envelope xmlns:${soap}="${ns}">` +
    (heads && element(soap + ":Header", heads)) +
    element(soap + ":Body", element(said.operation, content(body, said.ns),
      xmlns(said.ns) + attributes(body))) + `</${soap}:Envelope>`;
};

// --- XML for people ---
const kids = at => at ? [...at.children] : [];
const kid = (at, name) => kids(at).find(child => child.localName === name);
const parse = text => {
  const read = new DOMParser().parseFromString(text, "text/xml");
  return one("parsererror", read) ? null : read.documentElement;
};
const pretty = (at, indent = "") => {
  const own = [...at.attributes].map(({ name, value }) => ` ${name}="${quoted(value)}"`);
  const start = indent + "<" + at.tagName + own.join("");
  const end = "</" + at.tagName + ">";
  if (!at.children.length)
    return start + (at.textContent ? ">" + escape(at.textContent) + end : " />") + "\n";
  return start + ">\n" + kids(at).map(child => pretty(child, indent + "  ")).join("") +
    indent + end + "\n";
};
const table = rows => {
  const names = [...new Set(rows.flatMap(row => kids(row).map(child => child.localName)))];
  const head = names.map(name => make("th", { scope: "col", textContent: name }));
  const body = rows.map(row => make("tr", {}, ...names.map(name => make("td", {},
    ...some(kids(row).filter(child => child.localName === name))))));
  const scroll = make("div", { className: "scroll", tabIndex: 0 }, make("table", {},
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", rows[0].localName + ", " + rows.length + " rows");
  return scroll;
};
const some = list => !list.length ? [make("span", { className: "soft", textContent: "none" })]
  : list.length > 1 && list.every(at => at.children.length) ? [table(list)]
  : list.map(at => make("div", {}, show(at)));
const show = at => {
  if (!at.children.length) return at.textContent === ""
    ? make("span", { className: "soft", textContent: "empty" })
    : make("span", { className: "value", textContent: at.textContent });
  const names = [...new Set(kids(at).map(child => child.localName))];
  return make("dl", {}, ...names.flatMap(name => [make("dt", { textContent: name }),
    make("dd", {}, ...some(kids(at).filter(child => child.localName === name)))]));
};
const fault = at => {
  const value = kid(kid(at, "Code"), "Value") || kid(at, "faultcode");
  const sub = kid(kid(kid(at, "Code"), "Subcode"), "Value");
  const text = kid(kid(at, "Reason"), "Text") || kid(at, "faultstring");
  const detail = kid(at, "detail") || kid(at, "Detail");
  return make("div", { className: "fault" },
    make("h4", {}, "Fault ", code((value?.textContent || "").replace(/.*:/, "")),
      ...(sub ? [" / ", code(sub.textContent.replace(/.*:/, ""))] : [])),
    make("p", { textContent: text?.textContent || "" }),
    ...kids(detail).map(entry => entry.children.length ? show(entry)
      : make("p", { textContent: entry.localName + ": " + entry.textContent })));
};
const result = response => {
  const nothing = text => make("p", { className: "soft", textContent: text });
  const at = said.child ? kid(response, said.child) : response;
  if (said.result === "none") return nothing("Done. This operation returns nothing.");
  if (!at) return nothing("The result is absent.");
  const items = kids(at);
  if (said.result === "many") return !items.length ? nothing("The list is empty.")
    : items.some(item => item.children.length) ? table(items)
    : make("ol", {}, ...items.map(item => make("li", {}, show(item))));
  return items.length ? show(at) : make("p", { className: "one" }, show(at));
};
const readable = root => {
  const inside = kids(kid(root, "Body"))[0];
  if (!inside) return make("p", { textContent: "This is no SOAP reply; see the reply itself." });
  return inside.localName === "Fault" ? fault(inside) : result(inside);
};

// --- Sending ---
const status = one(".status");
const answer = one(".answer");
const state = (...parts) => status.replaceChildren(...parts);
form.addEventListener("submit", async event => {
  event.preventDefault();
  const button = one("button.main", form);
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  state("Sending");
  const soap12 = form.elements.version.value === "1.2";
  const body = envelope(soap12);
  const headers = soap12 ? { "Content-Type": "application/soap+xml; charset=utf-8" }
    : { "Content-Type": "text/xml; charset=utf-8", SOAPAction: `"${said.action}"` };
  const begun = performance.now();
  try {
    const reply = await fetch(location.pathname, { method: "POST", headers, body,
      cache: "no-store", redirect: "error" });
    const text = await reply.text();
    const time = Math.max(1, Math.round(performance.now() - begun));
    const root = parse(text);
    const failed = !reply.ok || !root;
    state(make("b", { className: failed ? "bad" : "good",
      textContent: (reply.status + " " + reply.statusText).trim() }),
      make("span", {}, time + " ms"),
      make("span", {}, new Blob([text]).size.toLocaleString("en") + " bytes"));
    one("[data-show=answer]", answer).replaceChildren(readable(root));
    paint(one("[data-show=reply]", answer), root ? pretty(root) : text);
    const sent = parse(body);
    paint(one("[data-show=request]", answer), sent ? pretty(sent) : body);
    answer.hidden = false;
    status.scrollIntoView({ block: "center" });
  } catch (error) {
    answer.hidden = true;
    state(make("b", { className: "bad", textContent: "No answer" }), error.message);
  }
  button.removeAttribute("aria-busy");
});
})();
)js";

// How the policy names the two texts: their SHA-256 (Content Security Policy level 3, 2.3.1).
// Written down, so that no unit computes them; the test of pages does, and says what they are.
inline constexpr std::string_view page_script_hash =
    "'sha256-tg0uOfD8UqrmmOWKtMqMV26URXcwZpAqh/xXebYB6qc='";
inline constexpr std::string_view page_style_hash =
    "'sha256-Pad03LJEi2vKkR7wwbQVkkpln9sTH3QWjmYrh3Lsui8='";

/// The page may run and show what it brings, and may call this site if it has the form; nobody may
/// show it in a frame.
inline std::string page_policy(form_state form) {
    std::string policy = "default-src 'none'; script-src ";
    policy.append(page_script_hash).append("; style-src ").append(page_style_hash);
    policy += "; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    return form == form_state::shown ? policy + "; connect-src 'self'" : policy;
}

// --- Pages for people ---------------------------------------------------------------------------
// Everything that is not a literal here goes through `text` or `attribute`, which escape.

/// From the page at this path up to the root, as a relative address: a proxy may have put something
/// before the path.
inline std::string way_up(std::string_view path) {
    std::string way = "./";
    for (std::size_t slash = path.find('/', 1); slash != path.npos;
         slash = path.find('/', slash + 1))
        way += "../";
    return way;
}

/// The page of the service, as seen from itself.
inline std::string last_segment(std::string_view path) {
    return "./" + std::string(path.substr(path.rfind('/') + 1));
}

/// Writes a page: its frame, and the pieces that pages share.
class page_writer {
public:
    page_writer() : out_(page_) {}

    /// A page above this one.
    struct crumb {
        std::string address;
        std::string_view name;
    };

    /// From the first byte to the inside of <main>.
    void begin(std::string_view title, std::initializer_list<crumb> crumbs, std::string_view here) {
        raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
        text(title);
        raw("</title>\n<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg "
            "xmlns='http://www.w3.org/"
            "2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230a675a'"
            "/%3E%3Cpath d='M6 5 3 8l3 3m4-6 3 3-3 3' fill='none' stroke='%23fff' "
            "stroke-width='1.6'"
            "/%3E%3C/svg%3E\">\n<style>");
        raw(page_style);
        raw("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to content</a>\n"
            "<nav class=\"top\" aria-label=\"Breadcrumb\"><ol>");
        for (const crumb& each : crumbs) {
            raw("<li>");
            link(each.address, each.name);
            raw("</li>");
        }
        raw("<li aria-current=\"page\">");
        text(here);
        raw("</li></ol></nav>\n");
    }

    std::size_t size() const noexcept { return page_.size(); }

    std::string end() {
        raw("</main>\n</div>\n<script>");
        raw(page_script);
        raw("</script>\n</body>\n</html>\n");
        return std::move(page_);
    }

    void raw(std::string_view markup) { out_.raw(markup); }
    void text(std::string_view plain) { out_.text(plain); }
    void attribute(std::string_view name, std::string_view value) { out_.attribute(name, value); }

    void element(std::string_view name, std::string_view plain) {
        out_.start(name);
        text(plain);
        out_.end(name);
    }
    void paragraph(std::string_view plain, std::string_view classes = "") {
        if (plain.empty()) return;
        raw("<p");
        if (!classes.empty()) attribute("class", classes);
        raw(">");
        text(plain);
        raw("</p>\n");
    }
    void link(std::string_view href, std::string_view plain, std::string_view classes = "") {
        raw("<a");
        attribute("href", href);
        if (!classes.empty()) attribute("class", classes);
        raw(">");
        text(plain);
        raw("</a>");
    }
    void badge(std::string_view plain, std::string_view kind = "") {
        raw(" <span");
        attribute("class", kind.empty() ? "badge" : "badge " + std::string(kind));
        raw(">");
        text(plain);
        raw("</span>");
    }
    void fact(std::string_view name, std::string_view value) {
        raw("<dt>");
        text(name);
        raw("</dt><dd><code>");
        text(value);
        raw("</code></dd>\n");
    }

    /// Code with a caption; `head` stands above it and is not copied with it.
    void figure(
        std::string_view caption,
        std::string_view label,
        std::string_view code,
        std::string_view head = "") {
        raw("<figure><figcaption>");
        element("span", caption);
        raw("</figcaption>");
        if (!head.empty()) {
            raw("<pre class=\"head\" tabindex=\"0\" role=\"group\"");
            attribute("aria-label", std::string(label) + ", HTTP");
            raw(">");
            text(head);
            raw("</pre>");
        }
        raw("<pre tabindex=\"0\" role=\"group\"");
        attribute("aria-label", label);
        raw(">");
        text(code);
        raw("</pre></figure>\n");
    }

private:
    std::string page_;
    writer out_;
};

inline std::string op_query(std::string_view operation) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string query = "?op=";
    for (const char c : operation) {  // a name may have letters that an address has not
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            query += c;
        else
            query.append(1, '%').append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
    return query;
}

/// The operations of a service, beside its pages. `here` is the one that is shown; nullptr: none.
inline void write_side(
    page_writer& page, const endpoint& served, const operation_info* here, form_state form) {
    page.raw(
        "<div class=\"frame\">\n<nav class=\"side\" aria-label=\"Operations\">\n"
        "<h2>Operations</h2>\n<ul>");
    for (const served_operation& operation : served.operations) {
        page.raw("<li><a");
        page.attribute("href", op_query(operation.info->name));
        if (operation.info->options.deprecated) page.attribute("class", "old");
        if (operation.info == here) page.attribute("aria-current", "page");
        page.raw(">");
        page.text(operation.info->name);
        page.raw("</a></li>\n");
    }
    page.raw("</ul>\n");
    if (here) {
        page.raw("<h2>On this page</h2>\n<ul>");
        for (const std::string_view part :
             {"Parameters", "Result", "Faults", "Samples", "Try it"}) {
            if (part == "Try it" && form == form_state::off) continue;
            page.raw("<li>");
            page.link('#' + lower_copy(part.substr(0, part.find(' '))), part);
            page.raw("</li>");
        }
        page.raw("</ul>\n");
    }
    page.raw("</nav>\n<main id=\"main\">\n");
}

inline std::string content_type_line(soap_version version) {
    return "Content-Type: " + std::string(content_type_of(version));
}

/// What the facets of a row mean for an input. The server checks them anyway, so what HTML cannot
/// say is left out.
struct input_limits {
    explicit input_limits(const field_info& field) {
        const facet_set* const facets = field.extras->facets;
        if (!facets) return;
        for (const auto* list : {&facets->of_type, &facets->own})
            for (const row_extra& each : *list)
                add(each, field.type.kind);
    }
    std::string least, most, longest, pattern;

private:
    void add(const row_extra& facet, type_kind kind) {
        const bool text = kind == type_kind::string;
        switch (facet.kind) {
        case extra_kind::min_inclusive: least = facet.text; break;
        case extra_kind::max_inclusive: most = facet.text; break;
        case extra_kind::length:
        case extra_kind::max_length:
            if (text) longest = std::to_string(facet.number);
            break;
        case extra_kind::pattern:
            if (!is_html_pattern(facet.text)) break;
            pattern += (pattern.empty() ? "" : "|") + std::string(facet.text);
            break;
        default: break;
        }
    }

    /// Whether a script's regular expression means the same: of what is written with a backslash
    /// only digits and single characters; no subtraction, and no ^ or $, which are plain here.
    static bool is_html_pattern(std::string_view text) {
        if (text.find_first_of("^$/") != text.npos || text.find("-[") != text.npos) return false;
        for (std::size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at + 2))
            if (at + 1 == text.size() ||
                std::string_view(".?*+(){}[]|-d\\").find(text[at + 1]) == std::string_view::npos)
                return false;
        return true;
    }
};

// The form. The script reads it back by data attributes: data-name is an element to write, `field`
// one with text, `group` one with children; data-many names the template of an item.

/// The page of one operation.
class operation_page_writer {
public:
    operation_page_writer(
        const endpoint& served, const served_operation& operation, const page_facts& facts)
        : served_(served), operation_(operation), info_(*operation.info), facts_(facts) {}

    std::string write() {
        write_head();
        write_parameters();
        write_result();
        write_faults();
        write_samples();
        if (facts_.form == form_state::shown) write_form();
        if (facts_.form == form_state::elsewhere)
            page_.raw(
                "<h2 id=\"try\">Try it</h2>\n<p class=\"soft\">The form is shown to callers on the "
                "server's own machine only.</p>\n");
        return page_.end();
    }

private:
    void write_head() {
        page_.begin(
            std::string(info_.name) + " - " + std::string(served_.info->name),
            {{way_up(served_.path), "Services"}, {last_segment(served_.path), served_.info->name}},
            info_.name);
        write_side(page_, served_, &info_, facts_.form);
        page_.raw("<h1 class=\"name\">");
        page_.text(info_.name);
        if (info_.options.deprecated) page_.badge("deprecated", "old");
        page_.raw("</h1>\n");
        page_.paragraph(info_.options.doc, "lead");
        if (info_.options.deprecated) {
            page_.raw("<p class=\"note old\">Deprecated: clients should no longer call this.");
            if (!info_.options.instead.empty()) {
                page_.raw(" Use ");
                page_.link(op_query(info_.options.instead), info_.options.instead);
                page_.raw(" instead.");
            }
            if (!facts_.serve_deprecated)
                page_.raw(" It is switched off here: every call is answered with a fault.");
            page_.raw("</p>\n");
        }
        page_.raw("<dl class=\"facts\">\n");
        page_.fact("Address", facts_.url);
        page_.fact("Namespace", served_.ns);
        page_.fact("SOAPAction", operation_.action);
        page_.raw("</dl>\n");
    }

    void write_parameters() {
        page_.raw("<h2 id=\"parameters\">Parameters</h2>\n");
        if (info_.asked.emplace_nil)
            page_.paragraph(
                "The request may be nil: xsi:nil=\"true\", with nothing in it.", "soft");
        if (!info_.request->fields.empty())
            write_fields(*info_.request, true);
        else
            page_.paragraph("This operation takes no parameters.", "soft");
        write_headers(info_.headers, true);
        if (info_.other_headers)
            page_.paragraph("Any other SOAP header block is taken as well.", "soft");
    }

    void write_headers(std::span<const header_type> headers, bool sent) {
        for (const header_type& each : headers) {
            page_.raw("<h3>SOAP header <code>");
            page_.text(each.record().name);
            page_.raw("</code>");
            if (sent && !each.may_be_absent) page_.badge("required", "must");
            if (!sent && each.may_be_absent) page_.badge("may be absent");
            page_.raw("</h3>\n");
            write_fields(each.record(), sent);
        }
    }

    void write_result() {
        page_.raw("<h2 id=\"result\">Result</h2>\n");
        write_result_element();
        write_headers(info_.told, false);
        if (info_.other_told) page_.paragraph("Other SOAP header blocks may come with it.", "soft");
    }

    void write_result_element() {
        if (info_.reply == reply_form::none)
            return page_.paragraph(
                "Nothing: this operation has no reply; HTTP 202 says that it came.", "soft");
        if (info_.reply == reply_form::empty || info_.reply == reply_form::no_element)
            return page_.paragraph("Nothing: an empty response says that it was done.", "soft");
        const element_type& type = info_.result.type;
        page_.raw("<p><code>");
        page_.text(info_.result.name);
        page_.raw("</code> ");
        if (!info_.result_record || !info_.result_record->name.empty())
            write_type(type, info_.result.occurs);
        if (info_.result.occurs == occurrence::optional) page_.badge("may be absent");
        if (info_.result.emplace_nil) page_.badge("may be nil");
        if (info_.options.secret) page_.badge("secret");
        page_.raw("</p>\n");
        write_values(type);
        if (const record_info* const record = record_of(type)) write_fields(*record, false);
    }

    void write_faults() {
        page_.raw("<h2 id=\"faults\">Faults</h2>\n");
        if (!info_.faults.empty()) page_.raw("<dl class=\"fields\">\n");
        for (const documented_fault& fault : info_.faults) {
            page_.raw("<div><dt>");
            page_.element("code", std::to_string(fault.code));
            page_.raw(" ");
            page_.text(fault.text);
            page_.raw("</dt><dd>");
            page_.text(fault.when);
            page_.raw("</dd></div>\n");
        }
        if (!info_.faults.empty()) page_.raw("</dl>\n");
        for (const element_type& detail : info_.details) {
            page_.raw("<h3>Detail <code>");
            page_.text(detail.record().name);
            page_.raw("</code></h3>\n");
            write_fields(detail.record(), false);
        }
        page_.raw(
            "<p class=\"soft\">A request that does not fit the description above is answered with "
            "a ");
        const bool v11 = served_.speaks(soap_version::v1_1);
        const bool v12 = served_.speaks(soap_version::v1_2);
        page_.raw(
            v11 && v12 ? "<code>Client</code> fault (SOAP 1.2: <code>Sender</code>)"
            : v11      ? "<code>Client</code> fault"
                       : "<code>Sender</code> fault");
        page_.raw(" that names the element, what was found and what is allowed.</p>\n");
    }

    void write_samples() {
        page_.raw(
            "<h2 id=\"samples\">Samples</h2>\n<fieldset class=\"tabs\">"
            "<legend class=\"vh\">Show the sample for</legend>\n");
        if (served_.speaks(soap_version::v1_1))
            page_.raw(
                "<input type=\"radio\" name=\"sample\" id=\"as11\" checked><label "
                "for=\"as11\">SOAP 1.1</label>\n");
        if (served_.speaks(soap_version::v1_2)) {
            const bool alone = !served_.speaks(soap_version::v1_1);
            page_.raw("<input type=\"radio\" name=\"sample\" id=\"as12\"");
            page_.raw(alone ? " checked" : "");
            page_.raw("><label for=\"as12\">SOAP 1.2</label>\n");
        }
        page_.raw(
            "<input type=\"radio\" name=\"sample\" id=\"ascurl\"><label "
            "for=\"ascurl\">curl</label>\n");
        for (const soap_version version : {soap_version::v1_1, soap_version::v1_2})
            if (served_.speaks(version)) write_sample(version);
        write_curl();
        page_.raw("</fieldset>\n");
    }

    void write_sample(soap_version version) {
        const bool v12 = version == soap_version::v1_2;
        const std::string_view name = v12 ? "SOAP 1.2" : "SOAP 1.1";
        const std::size_t scheme = std::min(facts_.url.find("://"), facts_.url.size());
        const std::string_view rest = facts_.url.substr(std::min(scheme + 3, facts_.url.size()));
        const std::size_t slash = std::min(rest.find('/'), rest.size());
        std::string head = "POST ";
        head.append(rest.substr(slash)).append(" HTTP/1.1\nHost: ").append(rest.substr(0, slash));
        head.append("\n").append(content_type_line(version));
        if (!v12) head.append("\nSOAPAction: \"").append(operation_.action).append("\"");
        sample_writer samples(served_, operation_);
        page_.raw("<div class=\"panel\">\n");
        page_.figure(
            "Request", std::string(name) + " request", indented(samples.request(version)), head);
        if (info_.reply == reply_form::none)
            page_.figure("Response", std::string(name) + " response", "", "HTTP/1.1 202 Accepted");
        else
            page_.figure(
                "Response",
                std::string(name) + " response",
                indented(samples.reply(version)),
                "HTTP/1.1 200 OK\n" + content_type_line(version));
        page_.raw("</div>\n");
    }

    /// The request as a here-document, which leaves every character of the message alone.
    void write_curl() {
        const bool v12 = !served_.speaks(soap_version::v1_1);
        const soap_version version = v12 ? soap_version::v1_2 : soap_version::v1_1;
        std::string command = "curl " + shell_word(facts_.url);
        command += " \\\n  -H " + shell_word(content_type_line(version));
        if (!v12) command += " \\\n  -H " + shell_word("SOAPAction: \"" + operation_.action + '"');
        command += " \\\n  --data-binary @- <<'XML'\n";
        command += indented(sample_writer(served_, operation_).request(version)) + "\nXML\n";
        page_.raw("<div class=\"panel\">\n");
        page_.figure("Shell", "curl command", command);
        page_.raw("</div>\n");
    }

    void write_fields(const record_info& record, bool sent) {
        if (record.is_plain && record.fields.empty()) return page_.paragraph("No fields.", "soft");
        open_.push_back(&record);
        listed_.push_back(&record);
        page_.raw("<dl class=\"fields\">\n");
        for (const auto* list : {&record.content, &record.attributes, &record.fields})
            for (const field_info& field : *list)
                write_field(field, sent, choice_around(record, field));
        page_.raw("</dl>\n");
        open_.pop_back();
    }

    /// The choice that a row is a branch of, as the names in it; empty when it is none.
    static std::string choice_around(const record_info& record, const field_info& field) {
        std::size_t at = field.group;
        while (at != no_group && !record.groups[at].is_choice)
            at = record.groups[at].parent;
        if (at == no_group) return {};
        // Each branch says it: of hundreds, their number is enough.
        const std::size_t count = record.groups[at].last - record.groups[at].first;
        return count < 20 ? names_in(at, record)
                          : std::to_string(count) + " elements, beginning with " +
                                std::string(shown_row(record.fields[record.groups[at].first]));
    }

    /// What a row is called: by what it is, when it has no name.
    static std::string_view shown_row(const field_info& field) {
        switch (field.kind) {
        case row_kind::content: return "(text)";
        case row_kind::any: return "(other elements)";
        case row_kind::any_attribute: return "(other attributes)";
        default: return field.name;
        }
    }

    /// One field, its own fields below it. `sent`: by the client, who must know what is required.
    void write_field(const field_info& field, bool sent, const std::string& choice) {
        const row_options& row = field.options;
        const field_extras& said = *field.extras;
        page_.raw("<div><dt>");
        page_.element("code", shown_row(field));
        page_.raw(" ");
        write_row_type(field);
        if (field.kind == row_kind::attribute) page_.badge("attribute");
        const bool given = said.preset.data() != nullptr && field.kind == row_kind::attribute;
        const bool required = field.occurs == occurrence::once && !row.defaulted && !given;
        if (sent && required) page_.badge("required", "must");
        if (field.occurs == occurrence::optional || given || (sent && row.defaulted))
            page_.badge("optional");
        if (field.emplace_nil) page_.badge("may be nil");
        if (row.secret) page_.badge("secret");
        if (row.deprecated) page_.badge("deprecated", "old");
        page_.raw("</dt><dd>");
        page_.paragraph(row.doc);
        if (!row.instead.empty()) page_.paragraph("Use " + std::string(row.instead) + " instead.");
        if (!choice.empty()) page_.paragraph("One of " + choice + ".", "values");
        write_values(field.type);
        for (const std::string& allowed : allowed_by(field))
            page_.paragraph(allowed, "values");
        page_.raw("</dd>");
        if (const record_info* const record = record_of(field.type)) {
            page_.raw("<dd class=\"nest\">");
            write_inside(*record, sent);
            if (field.type.kind == type_kind::derived) write_derivations(field.type.parts(), sent);
            page_.raw("</dd>");
        }
        page_.raw("</div>\n");
    }

    void write_inside(const record_info& record, bool sent) {
        const auto& above = is_long() ? listed_ : open_;
        if (std::find(above.begin(), above.end(), &record) != above.end())
            page_.paragraph("The fields of " + std::string(record.name) + ", as above.", "soft");
        else
            write_fields(record, sent);
    }

    /// Types that hold each other many times over would make a page that grows with each level. On
    /// one that is long, fields are listed once for each type, and inputs within others are added
    /// by a button, from a template for each type.
    bool is_long() const { return page_.size() > 512 * 1024; }

    /// What may stand in place of a type, by its name.
    void write_derivations(const value_parts& parts, bool sent) {
        for (const element_type& each : parts.types.subspan(1)) {
            const record_info& record = each.record();
            page_.paragraph("With xsi:type " + std::string(record.name) + ":", "values");
            write_inside(record, sent);
        }
    }

    void write_row_type(const field_info& field) {
        const facet_set* const facets = field.extras->facets;
        if (!facets) return write_type(field.type, field.occurs);
        const std::string_view own =
            facets->type_name.empty() ? facets->builtin : facets->type_name;
        page_.raw("<span class=\"type\">");
        page_.text(
            (field.occurs == occurrence::many ? "list of " : "") +
            (own.empty() ? shown_name(field.type) : std::string(own)));
        page_.raw("</span>");
    }

    /// What a row allows beyond its type, a sentence each.
    static std::vector<std::string> allowed_by(const field_info& field) {
        std::vector<std::string> all;
        const field_extras& said = *field.extras;
        if (said.fixed.data() != nullptr) all.push_back("Always " + std::string(said.fixed) + ".");
        if (said.preset.data() != nullptr)
            all.push_back("When absent: " + std::string(said.preset) + ".");
        if (said.least != 0) all.push_back("At least " + std::to_string(said.least) + " times.");
        if (said.most != no_extras.most)
            all.push_back("At most " + std::to_string(said.most) + " times.");
        if (!said.facets) return all;
        std::string values;
        for (const facet_value& each : said.facets->values)
            values.append(values.empty() ? "One of " : ", ").append(each.text);
        if (!values.empty()) all.push_back(values + '.');
        for (const auto* facets : {&said.facets->of_type, &said.facets->own})
            for (const row_extra& each : *facets)
                if (each.kind != extra_kind::enumerated) all.push_back(sentence_of(each));
        return all;
    }

    static std::string sentence_of(const row_extra& facet) {
        const std::string number = std::to_string(facet.number);
        const std::string text(facet.text);
        switch (facet.kind) {
        case extra_kind::length: return "Of length " + number + '.';
        case extra_kind::min_length: return "Of length " + number + " or more.";
        case extra_kind::max_length: return "Of length " + number + " at most.";
        case extra_kind::min_inclusive: return "At least " + text + '.';
        case extra_kind::max_inclusive: return "At most " + text + '.';
        case extra_kind::min_exclusive: return "More than " + text + '.';
        case extra_kind::max_exclusive: return "Less than " + text + '.';
        case extra_kind::total_digits: return "At most " + number + " digits.";
        case extra_kind::fraction_digits: return "At most " + number + " digits after the point.";
        default: return "Of the form " + text;
        }
    }

    void write_values(const element_type& type) {
        if (type.kind != type_kind::enumeration) return;
        page_.raw("<p class=\"values\">One of ");
        bool first = true;
        for (const auto& [value, number] : type.enumeration().values) {
            page_.raw(first ? "" : ", ");
            page_.element("code", value);
            first = false;
        }
        page_.raw("</p>");
    }

    static std::string shown_name(const element_type& type) {
        if (!type_name(type).empty()) return std::string(type_name(type));
        std::string names;
        for (const element_type& each : type.parts().types)
            names.append(names.empty() ? "" : " or ").append(shown_name(each));
        return type.kind == type_kind::list ? names + ", with spaces between" : names;
    }

    void write_type(const element_type& type, occurrence occurs) {
        page_.raw("<span class=\"type\">");
        page_.text((occurs == occurrence::many ? "list of " : "") + shown_name(type));
        page_.raw("</span>");
    }

    void write_form() {
        const bool whole = info_.reply == reply_form::whole;
        const bool nothing = info_.reply == reply_form::empty || !info_.has_reply_element();
        page_.raw(
            "<h2 id=\"try\">Try it</h2>\n<p class=\"soft needs\">The form needs JavaScript. The "
            "samples above work without.</p>\n<form hidden");
        page_.attribute("data-ns", resolve(info_.request_name.ns));
        page_.attribute("data-operation", info_.request_name.local);
        page_.attribute("data-action", operation_.action);
        page_.attribute("data-result", nothing ? "none" : info_.is_list() ? "many" : "one");
        page_.attribute("data-child", whole || nothing ? "" : info_.result.name);
        page_.raw(" autocomplete=\"off\">\n");
        for (const header_type& each : info_.headers)
            write_part(&each, each.record(), resolve(each.record().ns));
        write_part(nullptr, *info_.request, resolve(info_.request_name.ns));
        page_.raw(
            "<div class=\"send\"><button class=\"main\">Send</button>\n<fieldset>"
            "<legend class=\"vh\">Version</legend>");
        if (served_.speaks(soap_version::v1_1))
            page_.raw(
                "<label class=\"tick\"><input type=\"radio\" name=\"version\" value=\"1.1\" "
                "checked>SOAP 1.1</label>");
        if (served_.speaks(soap_version::v1_2)) {
            const bool alone = !served_.speaks(soap_version::v1_1);
            page_.raw("<label class=\"tick\"><input type=\"radio\" name=\"version\" value=\"1.2\"");
            page_.raw(alone ? " checked" : "");
            page_.raw(">SOAP 1.2</label>");
        }
        page_.raw("</fieldset>\n<button type=\"reset\">Clear</button></div>\n</form>\n");
        write_templates();
        write_answer();
    }

    std::string_view resolve(std::string_view ns) const noexcept {
        return ns.data() == nullptr ? std::string_view(served_.ns) : ns;
    }

    /// A header of the form, or its body. `ns` is that of the element.
    void write_part(const header_type* header, const record_info& record, std::string_view ns) {
        const bool optional = header && header->may_be_absent;
        page_.raw("<fieldset class=\"part\"");
        page_.attribute("data-part", header ? "header" : "body");
        if (header) page_.attribute("data-block", record.name);
        if (header) page_.attribute("data-ns", ns);
        page_.raw(header ? "><legend>SOAP header <code>" : "><legend>Parameters");
        if (header) page_.text(record.name);
        page_.raw(header ? "</code></legend>\n" : "</legend>\n");
        if (optional)
            page_.raw(
                "<label class=\"tick\"><input type=\"checkbox\" class=\"include\" checked> Send "
                "the header</label>\n<fieldset class=\"inside\">\n");
        if (record.fields.empty()) page_.paragraph("Nothing to fill in.", "soft");
        write_inputs(record);
        page_.raw(optional ? "</fieldset></fieldset>\n" : "</fieldset>\n");
    }

    void write_inputs(const record_info& record) {
        open_.push_back(&record);
        for (const auto* list : {&record.content, &record.attributes})
            for (const field_info& field : *list)
                if (field.kind != row_kind::any_attribute) write_input_row(field, false);
        for (const field_info& field : record.fields) {
            if (field.kind != row_kind::element || field.type.kind == type_kind::fragment) continue;
            const bool nested = record_of(field.type) != nullptr;
            if (field.occurs == occurrence::many || (nested && (is_open(field.type) || is_long())))
                write_input_list(field);
            else if (nested)
                write_input_group(field);
            else
                write_input_row(field, false);
        }
        open_.pop_back();
    }

    /// What the script writes for a row. Its namespace only if it is not that of the request.
    void write_name(const field_info& field) {
        page_.attribute("data-name", field.name);
        if (field.kind == row_kind::attribute) page_.raw(" data-attribute");
        if (field.kind == row_kind::content) page_.raw(" data-content");
        const std::string_view ns = resolve(field.ns);
        const std::string_view usual =
            field.kind == row_kind::attribute ? std::string_view() : resolve(info_.request_name.ns);
        if (ns != usual) page_.attribute("data-ns", ns);
        const record_info* const record = record_of(field.type);
        if (!record || sent_record(field.type) == record) return;
        const record_info& sent = *sent_record(field.type);
        page_.attribute("data-type", sent.name);
        page_.attribute("data-typens", resolve(sent.ns));
    }

    /// Whether inputs for this record are being written: within itself it is added by a button.
    bool is_open(const element_type& type) const { return is_within(open_, type); }

    /// The name and meaning of a group of inputs. `item` is the template of a list's items, "" for
    /// a template of its own; nullptr: no list.
    void begin_group(const field_info& field, const std::string* item = nullptr) {
        page_.raw("<fieldset class=\"group\"");
        write_name(field);
        if (item) page_.attribute("data-many", *item);
        page_.raw("><legend><code>");
        page_.text(field.name);
        page_.raw("</code> ");
        write_type(field.type, item ? occurrence::many : occurrence::once);
        page_.raw("</legend>\n");
        page_.paragraph(field.options.doc, "hint");
    }

    /// A record: its fields, which may be absent together. One that may be is sent at first if it
    /// is a parameter itself, not if it is deeper.
    void write_input_group(const field_info& field) {
        begin_group(field);
        const bool optional = field.occurs == occurrence::optional;
        const bool sent = open_.size() == 1;
        if (optional) {
            page_.raw("<label class=\"tick\"><input type=\"checkbox\" class=\"include\"");
            page_.raw(sent ? " checked> Send " : "> Send ");
            page_.text(field.name);
            page_.raw("</label>\n<fieldset class=\"inside\"");
            page_.raw(sent ? ">\n" : " hidden disabled>\n");
        }
        write_inputs(*sent_record(field.type));
        page_.raw(optional ? "</fieldset></fieldset>\n" : "</fieldset>\n");
    }

    /// A list: items are made from a template. Records have one each, for all their lists, because
    /// a record may hold a list of itself.
    void write_input_list(const field_info& field) {
        const record_info* const record = sent_record(field.type);
        std::string id;
        if (record) {
            std::size_t index = 0;
            while (index != templates_.size() && templates_[index] != record)
                ++index;
            if (index == templates_.size()) templates_.push_back(record);
            id = "item" + std::to_string(index);
        }
        begin_group(field, &id);
        if (!record) {
            page_.raw("<template>");
            write_input_row(field, true);
            page_.raw("</template>");
        }
        page_.raw("<div class=\"items\"></div>\n<p><button type=\"button\" class=\"add\">Add ");
        page_.text(field.name);
        page_.raw("</button></p></fieldset>\n");
    }

    /// One element with text. An optional one has a box that says whether it is sent, because
    /// absent and empty differ; typing ticks it.
    void write_input_row(const field_info& field, bool item) {
        const type_kind kind = field.type.kind;
        const bool text = kind == type_kind::string || is_bytes(kind);
        const bool select =
            !field.options.secret && (kind == type_kind::boolean || kind == type_kind::enumeration);
        page_.raw(item ? "<div class=\"field item\"" : "<div class=\"field\"");
        if (!item) write_name(field);
        if (text) page_.raw(" data-text");
        page_.raw("><label><span class=\"label\">");
        page_.raw(item ? "<code class=\"no\">" : "<code>");
        page_.text(shown_row(field));
        page_.raw("</code> ");
        write_type(field.type, occurrence::once);
        page_.raw("</span>");
        write_input(field, item);
        page_.raw("</label>");
        if (item) {
            page_.raw("<button type=\"button\" class=\"remove\">Remove</button>");
        } else if (field.occurs == occurrence::optional && !select) {
            page_.raw("<label class=\"tick given\"><input type=\"checkbox\"");
            page_.attribute("aria-label", "Send " + std::string(field.name));
            page_.raw(">send</label>");
        }
        if (!item) page_.paragraph(field.options.doc, "hint");
        page_.raw("</div>\n");
    }

    /// What text may be typed, for kinds that a browser has no input of; an offset last, as in "Z".
    static std::string input_pattern(type_kind kind) {
        const std::string offset = "(Z|[+\\-]\\d\\d:\\d\\d)?";
        switch (kind) {
        case type_kind::decimal: return "[+\\-]?(\\d+(\\.\\d*)?|\\.\\d+)";
        case type_kind::float32:
        case type_kind::float64:
            return "[+\\-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+\\-]?\\d+)?|-?INF|NaN";
        case type_kind::base64: return "[A-Za-z0-9+\\/\\s]*={0,2}";
        case type_kind::hex_binary: return "([0-9A-Fa-f]{2})*";
        case type_kind::integer: return "[+\\-]?\\d+";
        case type_kind::duration:
            return "-?P(?=.)(\\d+Y)?(\\d+M)?(\\d+D)?"
                   "(T(?=.)(\\d+H)?(\\d+M)?(\\d+(\\.\\d+)?S)?)?";
        case type_kind::g_year: return "-?\\d{4,}" + offset;
        case type_kind::g_year_month: return "-?\\d{4,}-\\d\\d" + offset;
        case type_kind::g_month: return "--\\d\\d" + offset;
        case type_kind::g_month_day: return "--\\d\\d-\\d\\d" + offset;
        case type_kind::g_day: return "---\\d\\d" + offset;
        default: return "";
        }
    }

    /// How a browser asks for a value of that kind.
    static std::string_view input_type(type_kind kind) {
        switch (kind) {
        case type_kind::date: return "date";
        case type_kind::date_time: return "datetime-local";
        case type_kind::time: return "time";
        default: return simple_type_of(kind).least.empty() ? "text" : "number";
        }
    }

    void write_input(const field_info& field, bool item) {
        const type_kind kind = field.type.kind;
        const row_options& row = field.options;
        const bool must = item || (field.occurs == occurrence::once && !row.defaulted);
        const bool flag = kind == type_kind::boolean && (item || field.occurs == occurrence::once);
        if (flag && !row.secret) return page_.raw("<input type=\"checkbox\">");
        if ((kind == type_kind::boolean || kind == type_kind::enumeration) && !row.secret)
            return write_options(field, !must);
        const simple_type& simple = simple_type_of(kind);
        const bool whole = !simple.least.empty();
        const input_limits limits(field);
        page_.raw("<input");
        page_.attribute("type", row.secret ? "password" : input_type(kind));
        if (row.secret) page_.attribute("autocomplete", "off");
        if (whole && !row.secret) {
            page_.attribute("min", limits.least.empty() ? simple.least : limits.least);
            page_.attribute("max", limits.most.empty() ? simple.most : limits.most);
            page_.attribute("step", "1");
        }
        if (kind == type_kind::date_time || kind == type_kind::time) page_.attribute("step", "1");
        if (kind == type_kind::float32 || kind == type_kind::float64 || kind == type_kind::decimal)
            page_.attribute("inputmode", "decimal");
        if (kind == type_kind::integer) page_.attribute("inputmode", "numeric");
        if (!limits.longest.empty()) page_.attribute("maxlength", limits.longest);
        if (!limits.pattern.empty())
            page_.attribute("pattern", limits.pattern);
        else if (const auto pattern = input_pattern(kind); !pattern.empty())
            page_.attribute("pattern", pattern);
        if (!row.sample.empty()) page_.attribute("placeholder", "e.g. " + std::string(row.sample));
        page_.attribute("spellcheck", "false");
        page_.raw(must && kind != type_kind::string && !is_bytes(kind) ? " required>" : ">");
    }

    /// The values of a <select>, after an empty one for "absent".
    void write_options(const field_info& field, bool may_be_absent) {
        page_.raw("<select>");
        if (may_be_absent) page_.raw("<option value=\"\">not sent</option>");
        if (field.type.kind == type_kind::boolean)
            page_.raw("<option>true</option><option>false</option>");
        else
            for (const auto& [value, number] : field.type.enumeration().values)
                page_.element("option", value);
        page_.raw("</select>");
    }

    void write_templates() {
        for (std::size_t index = 0; index != templates_.size(); ++index) {  // the list grows
            page_.raw("<template");
            page_.attribute("id", "item" + std::to_string(index));
            page_.raw("><fieldset class=\"group item\"><legend class=\"no\"></legend>\n");
            open_.push_back(nullptr);  // what is optional in an item is deeper than a parameter
            write_inputs(*templates_[index]);
            open_.pop_back();
            page_.raw(
                "<p><button type=\"button\" class=\"remove\">Remove</button></p></fieldset>"
                "</template>\n");
        }
    }

    /// What the script fills when a reply has come.
    void write_answer() {
        page_.raw(
            "<div class=\"status\" role=\"status\"></div>\n<div class=\"answer\" hidden>\n"
            "<h3 class=\"vh\">Answer</h3>\n"
            "<fieldset class=\"tabs\"><legend class=\"vh\">Show</legend>\n"
            "<input type=\"radio\" name=\"show\" id=\"showanswer\" checked>"
            "<label for=\"showanswer\">Answer</label>\n"
            "<input type=\"radio\" name=\"show\" id=\"showreply\">"
            "<label for=\"showreply\">Reply XML</label>\n"
            "<input type=\"radio\" name=\"show\" id=\"showrequest\">"
            "<label for=\"showrequest\">Request XML</label>\n"
            "<div class=\"panel\" data-show=\"answer\"></div>\n"
            "<div class=\"panel\"><figure><figcaption>Reply</figcaption><pre tabindex=\"0\" "
            "role=\"group\" aria-label=\"Reply\" data-show=\"reply\"></pre></figure></div>\n"
            "<div class=\"panel\"><figure><figcaption>Request</figcaption><pre tabindex=\"0\" "
            "role=\"group\" aria-label=\"Request\" data-show=\"request\"></pre></figure></div>\n"
            "</fieldset>\n</div>\n");
    }

    const endpoint& served_;
    const served_operation& operation_;
    const operation_info& info_;
    const page_facts& facts_;
    page_writer page_;
    std::vector<const record_info*> open_;
    std::vector<const record_info*> listed_;  ///< all whose fields stand on the page
    std::vector<const record_info*> templates_;  ///< of lists, in the order in which they were met
};

inline std::string operation_page(
    const endpoint& served, const served_operation& operation, const page_facts& facts) {
    return operation_page_writer(served, operation, facts).write();
}

inline void write_operation_list(page_writer& page, const endpoint& served) {
    page.raw("<ul class=\"list\">\n");
    for (const served_operation& operation : served.operations) {
        const row_options& row = operation.info->options;
        page.raw("<li><code>");
        page.link(op_query(operation.info->name), operation.info->name, "name");
        page.raw("</code>");
        if (row.deprecated) page.badge("deprecated", "old");
        page.paragraph(row.doc);
        page.raw("</li>\n");
    }
    page.raw("</ul>\n");
}

inline void begin_service_page(page_writer& page, const endpoint& served) {
    page.begin(served.info->name, {{way_up(served.path), "Services"}}, served.info->name);
    write_side(page, served, nullptr, form_state::off);
    page.raw("<h1>");
    page.text(served.info->name);
    page.raw("</h1>\n");
}

inline std::string service_page(const endpoint& served, const page_facts& facts) {
    page_writer page;
    begin_service_page(page, served);
    page.paragraph(served.info->options.doc, "lead");
    page.raw("<dl class=\"facts\">\n");
    page.fact("Address", facts.url);
    page.fact("Namespace", served.ns);
    page.raw("<dt>Description</dt><dd><a href=\"?wsdl\">WSDL 1.1</a></dd>\n");
    const auto only = served.info->options.only;
    page.raw("<dt>Protocol</dt><dd>SOAP ");
    page.raw(!only ? "1.1 and 1.2" : *only == soap_version::v1_1 ? "1.1" : "1.2");
    const bool rpc_style = std::any_of(
        served.operations.begin(), served.operations.end(), [](const served_operation& each) {
            return each.info->style == message_style::rpc;
        });
    page.raw(rpc_style ? ", rpc/literal</dd>\n</dl>\n" : ", document/literal</dd>\n</dl>\n");
    page.raw("<h2>Operations</h2>\n");
    write_operation_list(page, served);
    return page.end();
}

inline std::string no_operation_page(const endpoint& served) {
    page_writer page;
    begin_service_page(page, served);
    page.raw("<p class=\"note\">This service has no operation of that name.</p>\n");
    page.raw("<h2>Operations</h2>\n");
    write_operation_list(page, served);
    return page.end();
}

inline std::string index_page(const std::list<endpoint>& endpoints) {
    page_writer page;
    page.begin("SOAP services", {}, "Services");
    page.raw(
        "<div class=\"frame\">\n<header class=\"intro\"><h1>SOAP services</h1>"
        "<p class=\"soft\">");
    const std::size_t count = endpoints.size();
    page.text(count == 1 ? "One service" : std::to_string(count) + " services");
    page.raw("</p></header>\n<main id=\"main\">\n<ul class=\"list\">\n");
    for (const endpoint& served : endpoints) {
        const std::string address = "." + served.path;
        page.raw("<li><h2>");
        page.link(address, served.info->name, "name");
        page.raw("</h2>");
        page.paragraph(served.info->options.doc);
        page.raw("<ul class=\"inline\">");
        for (const served_operation& operation : served.operations) {
            page.raw("<li><code>");
            page.link(address + op_query(operation.info->name), operation.info->name);
            page.raw("</code></li>");
        }
        page.raw("</ul></li>\n");
    }
    page.raw("</ul>\n");
    return page.end();
}

}  // namespace soapsvc::detail

// ================================================================================================
// [dispatch] Routes: services, pages, refusals
// ================================================================================================
// Finds out what a request is for, and answers it: a call, a WSDL, a page, a refusal.

namespace soapsvc::detail {

/// A page that the program added at a path.
struct extra_page {
    std::string path;
    audience who = audience::everyone;
    std::function<http_reply(const http_request&)> answer;
};

/// `ns` is the service's, and stays where it is.
inline served_operation prepare_operation(const operation_info& info, const std::string& ns) {
    served_operation made;
    made.info = &info;
    made.request_local = info.request_name.local;
    made.request_ns =
        info.request_name.ns.data() == nullptr ? std::string_view(ns) : info.request_name.ns;
    made.action = action_name(ns, info);
    made.is_plain = (info.reply == reply_form::empty || info.reply == reply_form::child) &&
                    info.response_name.ns.data() == nullptr && !info.result.rare &&
                    info.told.empty() && !info.other_told;
    for (const soap_version version : {soap_version::v1_1, soap_version::v1_2}) {
        std::string& head = made.reply_head[static_cast<std::size_t>(version)];
        writer out(head);
        out.raw(envelope_start(version));
        out.raw(body_start(version));
        out.raw("<");
        out.raw(info.response_name.local);
        out.attribute("xmlns", ns);
        out.raw(">");
    }
    return made;
}

/// Operations that take the same element are told apart by their actions. Throws
/// std::invalid_argument where these do not differ either.
inline void tell_apart(const service_info& service, std::vector<served_operation>& operations) {
    const auto local = [](const served_operation& each) { return each.info->request_name.local; };
    for (served_operation& one : operations)
        for (served_operation& other : operations) {
            if (&other == &one) break;
            if (local(one) != local(other) || one.request_ns != other.request_ns) continue;
            if (one.action == other.action || one.action.empty() || other.action.empty())
                throw std::invalid_argument(
                    "soapsvc: the operations " + std::string(other.info->name) + " and " +
                    std::string(one.info->name) + " of the service " + std::string(service.name) +
                    " take the same element; give each an action(\"...\") of its own, or one of "
                    "them a request(\"...\")");
            one.request_local = other.request_local = {};
        }
}

/// Names the messages. Nothing on the wire shows them, so where one would be called like another
/// it is given a longer name: a header's of Get with the header UserAuth, beside GetUser with Auth.
/// The message of a fault is that of all operations which declare it.
inline void name_messages(std::vector<served_operation>& operations) {
    std::vector<std::string> taken;
    const auto unused = [&taken](std::string name, std::string_view longer) {
        while (std::find(taken.begin(), taken.end(), name) != taken.end())
            name += longer;
        taken.push_back(name);
        return name;
    };
    for (served_operation& each : operations) {
        each.in_message = unused(std::string(each.info->name) + "SoapIn", "Message");
        each.out_message = unused(std::string(each.info->name) + "SoapOut", "Message");
    }
    for (served_operation& each : operations) {
        const std::string name(each.info->name);
        for (const header_type& header : each.info->headers)
            each.header_messages.push_back(
                unused(name + std::string(header.record().name), "Header"));
        for (const header_type& header : each.info->told)
            each.told_messages.push_back(
                unused(name + "Out" + std::string(header.record().name), "Header"));
    }
    std::vector<std::pair<const record_info*, std::string>> faults;
    for (served_operation& each : operations)
        for (const element_type& detail : each.info->details) {
            const record_info* const record = &detail.record();
            auto known = std::find_if(faults.begin(), faults.end(), [&](const auto& other) {
                return other.first == record;
            });
            if (known == faults.end())
                known = faults.insert(
                    known, {record, unused(std::string(record->name) + "Fault", "Message")});
            each.fault_messages.push_back(known->second);
        }
}

/// An element of the description's schema, and whose it is.
struct described_element {
    described_name name;
    std::string what;  ///< "the header of the operation Get"
    const void* content;  ///< what else may be called so, if it has the same; null for nothing
};

/// Throws std::invalid_argument when two different elements would have one name: a client could
/// tell neither from the other. Types are looked at where they are met, by wsdl_writer::need; an
/// element may be called like a type, as many contracts have it.
inline void check_element_names(const service_info& service, std::string_view ns) {
    std::vector<described_element> known;
    const auto resolve = [ns](std::string_view said) { return said.data() == nullptr ? ns : said; };
    const auto add = [&](described_element next) {
        const auto other = std::find_if(known.begin(), known.end(), [&](const auto& each) {
            return each.name.local == next.name.local &&
                   resolve(each.name.ns) == resolve(next.name.ns);
        });
        if (other == known.end()) return known.push_back(std::move(next));
        if (next.content && next.content == other->content) return;
        throw std::invalid_argument(
            "soapsvc: two elements of the service " + std::string(service.name) + " are called " +
            std::string(next.name.local) + ": " + other->what + " and " + next.what +
            "; give the header's record, or the operation, another name");
    };
    for (const operation_info& operation : service.operations) {
        const std::string of = " of the operation " + std::string(operation.name);
        const bool typed = operation.request_type.kind == type_kind::record;
        add(
            {operation.request_name,
             "the request" + of,
             typed || operation.style == message_style::bare ? operation.request : nullptr});
        if (operation.has_reply_element())
            add({operation.response_name, "the response" + of, operation.result_record});
        const auto add_record = [&](const std::string& what, const record_info& record) {
            add({name_of(record), what + of, &record});
        };
        for (const header_type& each : operation.headers)
            add_record("the header", each.record());
        for (const header_type& each : operation.told)
            add_record("the header of the reply", each.record());
        for (const element_type& each : operation.details)
            add_record("a fault", each.record());
    }
}

/// The value of the query's parameter of that name, its %XX replaced; nullopt when there is none
/// (WHATWG URL, 5.1; '+' is left alone, no name of ours has a space).
inline std::optional<std::string> query_value(std::string_view query, std::string_view name) {
    for (std::string_view rest = query; !rest.empty();) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (!equal_ignoring_case(pair.substr(0, equals), name)) continue;
        std::string value;
        for (std::size_t at = equals + 1; at < pair.size(); ++at) {
            std::uint64_t byte = 0;
            const char* const digits = pair.data() + at + 1;
            const bool coded = pair[at] == '%' && at + 2 < pair.size() &&
                               std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
            value += coded ? static_cast<char>(byte) : pair[at];
            if (coded) at += 2;
        }
        return value;
    }
    return std::nullopt;
}

/// What WSDL and help pages have in common. Who asks, and how, decides what is shown: nothing for a
/// cache that is shared, or for a browser to guess the type of.
inline void guard_page(http_reply& reply) {
    add_header(reply, "X-Content-Type-Options", "nosniff");
    add_header(reply, "Cache-Control", "private, no-cache");
}

/// What a dispatcher does. A class of its own, so that the interface names no private type.
class offered_services {
public:
    explicit offered_services(host_options options) : options_(std::move(options)) {
        while (!options_.ns_base.empty() && options_.ns_base.back() == '/')
            options_.ns_base.pop_back();
        if (find_bad_char(options_.ns_base) != std::string_view::npos)
            throw std::invalid_argument(
                "soapsvc: ns_base holds characters that XML has no form for");
        if (!options_.public_url.empty() && !is_base_url(options_.public_url))
            throw std::invalid_argument(
                "soapsvc: public_url is an address that begins with http:// or "
                "https://, names a host and has no query, such as \"https://payroll.example.com\"");
        policy_.check_options();
        for (const interceptor& each : options_.interceptors)
            if (!each) throw std::invalid_argument("soapsvc: an interceptor is an empty function");
    }

    void add_service(const service_info& info, void* service, const std::string& path) {
        if (find_bad_char(info.options.ns) != std::string_view::npos)
            throw std::invalid_argument(
                "soapsvc: the namespace of " + std::string(info.name) +
                " holds characters that XML has no form for");
        std::list<endpoint> one(1);  // whose element stays where it is
        endpoint& made = one.front();
        made.info = &info;
        made.service = service;
        for (const soap_version version : {soap_version::v1_1, soap_version::v1_2})
            if (!made.speaks(version)) made.refused = version;
        if (info.options.ns.data() == nullptr && options_.ns_base.empty())
            throw std::invalid_argument(
                "soapsvc: ns_base is empty; set it to the beginning of your "
                "services' namespaces, such as \"https://example.com/soap\"");
        made.ns = service_ns(info, options_.ns_base);
        made.path = checked_path(
            !path.empty() ? path
            : info.options.path.data() != nullptr
                ? std::string(info.options.path)
                : with_slash_between(options_.base_path, info.name) + ".asmx");
        check_element_names(info, made.ns);
        for (const operation_info& operation : info.operations)
            made.operations.push_back(prepare_operation(operation, made.ns));
        tell_apart(info, made.operations);
        name_messages(made.operations);
        wsdl_page(made, "");  // throws here what a GET must not throw later
        for (const served_operation& operation : made.operations)
            operation_page(made, operation, {"", form_state::shown, true});
        service_page(made, {});
        endpoints_.splice(endpoints_.end(), one);
    }

    void add_page(
        const std::string& path,
        std::function<http_reply(const http_request&)> page,
        audience who) {
        if (!page) throw std::invalid_argument("soapsvc: no function for the page " + path);
        pages_.push_back({checked_path(path), who, std::move(page)});
    }

    /// For a host: see soap_call::run for `worker`, and for what false means.
    bool answer(const http_request& request, http_reply& reply, wait_observer* worker) const {
        try {
            return serve(request, reply, worker);
        } catch (const std::exception& error) {
            answer_without_memory(request, error.what(), reply);
            return true;
        }
    }

    void refuse(
        const http_request& request, int status, std::string_view reason, http_reply& reply) const {
        const auto type = parse_media_type(request.header("Content-Type").value_or(""));
        const bool v12 = equal_ignoring_case(type.type, "application/soap+xml");
        const soap_version version = v12 ? soap_version::v1_2 : soap_version::v1_1;
        const bool soap = request.method == "POST";
        // SOAP 1.1 leaves HTTP one status for what is wrong with a message (6.2).
        reply.status = soap && !v12 && status == 400 ? 500 : status;
        reply.headers.clear();
        policy_.add_origin_fields(request, reply);
        reply.body.clear();
        reply.content_type = soap ? content_type_of(version) : "text/plain; charset=utf-8";
        const fault_code code = status < 500 ? fault_code::client : fault_code::server;
        const fault refused(code, std::string(reason));
        if (soap)
            write_fault(reply.body, refused, version, {});
        else
            reply.body.append(reason).append("\n");
        report_refusal(report_kind::request, request, reply.status, reason, reply.body.size());
    }

    void report_refusal(
        report_kind kind,
        const http_request& facts,
        int status,
        std::string_view reason,
        std::size_t bytes_out = 0) const noexcept {
        if (!options_.on_call) return;
        tell_safely([&] {
            call_report told;
            told.kind = kind;
            told.http_status = status;
            told.fault_reason = reason;
            told.bytes_in = facts.body.size();
            told.bytes_out = bytes_out;
            told.peer = policy_.caller_of(facts);
            const auto id = facts.header("X-Request-Id");
            if (id && is_request_id(*id)) told.request_id = *id;
            options_.on_call(told);
        });
    }

    std::string_view caller_of(const http_request& request) const {
        return policy_.caller_of(request);
    }
    bool is_trusted(std::string_view peer) const { return policy_.is_trusted(peer); }
    const host_options& options() const noexcept { return options_; }

    std::string_view path_of(std::string_view service) const noexcept {
        for (const endpoint& each : endpoints_)
            if (each.info->name == service) return each.path;
        return {};
    }

private:
    bool serve(const http_request& request, http_reply& reply, wait_observer* worker) const {
        reply.content_type.clear();
        reply.body.clear();
        const request_target target = parse_target(request.target);
        const bool for_everyone = request.listener == audience::everyone;
        const endpoint* served = for_everyone ? find(target.path) : nullptr;
        if (!served || request.method != "POST") {
            answer_without_call(request, served, target, reply);
            return true;
        }
        reply.headers.resize(1);  // the first one's memory is used again
        policy_.add_origin_fields(request, reply);
        auto& [name, id] = reply.headers.front();
        name = "X-Request-Id";
        id.clear();
        const auto sent = request.header(name);
        if (sent && is_request_id(*sent))
            id.append(*sent);
        else
            append_fresh_id(id);
        // No header is added after this one, so the view of the id stays good.
        return soap_call(options_, policy_, *served, request, id, reply).run(worker);
    }

    /// What is no call: pages, and what is refused or asked before one.
    void answer_without_call(
        const http_request& request,
        const endpoint* served,
        const request_target& target,
        http_reply& reply) const {
        reply.headers.clear();
        const bool index =
            target.path == "/" && options_.help_pages && request.listener == audience::everyone;
        const bool get = request.method == "GET" || request.method == "HEAD";
        const auto answer_text = [&reply](int status, const std::string& text) {
            reply.status = status;
            reply.content_type = "text/plain; charset=utf-8";
            reply.body = text;
        };
        const extra_page* page = served ? nullptr : find_page(target.path, request.listener);
        if (page && get) return answer_extra_page(request, *page, reply);
        const std::string misdirected = page ? std::string() : policy_.foreign_host(request);
        if (!misdirected.empty()) {
            answer_text(421, "421 Misdirected Request: " + misdirected + '\n');
            return report_refusal(report_kind::request, request, 421, misdirected);
        }
        if (!served && !page && !index) {
            answer_text(404, "404 Not Found: no service at this path\n");
            return report_refusal(report_kind::request, request, 404, "no service at this path");
        }
        if (get) return answer_page(request, served, target, reply);
        if (served && policy_.is_preflight(request)) {
            reply.status = 200;
            return policy_.add_origin_fields(request, reply);
        }
        add_header(reply, "Allow", served ? "GET, HEAD, POST" : "GET, HEAD");
        answer_text(
            405,
            served ? "405 Method Not Allowed: send SOAP requests with POST\n"
                   : "405 Method Not Allowed: a page; SOAP requests go to a service's path\n");
        report_refusal(report_kind::request, request, 405, "not a method of this path");
    }

    /// Whatever ended the call has given back by now what the call held, so a fault of a few
    /// hundred bytes mostly finds room. If not, the texts fit into the strings themselves: those of
    /// all three standard libraries hold 15 characters without asking for memory.
    void answer_without_memory(
        const http_request& request, std::string_view what, http_reply& reply) const noexcept {
        try {
            std::string().swap(reply.body);
            const std::string incident = fresh_id();
            refuse(request, 500, incident_text(incident), reply);
            tell_error(options_, {incident, {}, {}, what, policy_.caller_of(request), {}});
        } catch (...) {
            reply.status = 503;
            reply.headers.clear();
            reply.content_type = "text/plain";
            reply.body = "Out of memory\n";
        }
    }

    /// A path that is one, begins with a slash and is not taken.
    std::string checked_path(std::string path) const {
        if (path.empty() || path.front() != '/') path.insert(0, 1, '/');
        if (path.find_first_of("?# ") != std::string::npos ||
            find_bad_char(path) != std::string_view::npos)
            throw std::invalid_argument("soapsvc: a path holds no '?', '#' or space");
        bool taken = find(path) != nullptr;
        for (const extra_page& page : pages_)
            taken = taken || equal_ignoring_case(page.path, path);
        if (taken)
            throw std::invalid_argument("soapsvc: something is at this path already: " + path);
        return path;
    }

    /// Paths of services compare without letter case, as the servers do that these clients come
    /// from.
    const endpoint* find(std::string_view path) const {
        for (const endpoint& candidate : endpoints_)
            if (equal_ignoring_case(candidate.path, path)) return &candidate;
        return nullptr;
    }

    /// Paths of pages compare as they are: a rule of a proxy for one spelling must hold for the
    /// page.
    const extra_page* find_page(std::string_view path, audience listener) const {
        for (const extra_page& page : pages_)
            if (page.path == path && (page.who == audience::everyone || page.who == listener))
                return &page;
        return nullptr;
    }

    void answer_extra_page(
        const http_request& request, const extra_page& page, http_reply& reply) const {
        const auto fail = [&](std::string_view what) {
            const std::string incident = fresh_id();
            reply = http_reply{500, "text/plain; charset=utf-8", {}, {}};
            reply.body.append("500 Internal Server Error: incident ").append(incident).append("\n");
            tell_error(options_, {incident, {}, page.path, what, policy_.caller_of(request), {}});
        };
        try {
            reply = page.answer(request);
            while (reply.more && reply.more(reply.body))
                continue;
            reply.more = nullptr;
        } catch (const std::exception& error) {
            fail(error.what());
        } catch (...) {
            fail("an exception that is no std::exception");
        }
    }

    void answer_page(
        const http_request& request,
        const endpoint* served,
        const request_target& target,
        http_reply& reply) const {
        reply.status = 200;
        if (!served) return answer_help(request, served, {}, {}, reply);
        const auto base = policy_.base_url(request);
        if (!base) {
            reply.status = 400;
            reply.content_type = "text/plain; charset=utf-8";
            reply.body = "400 Bad Request: the Host header is not an address\n";
            return report_refusal(
                report_kind::request, request, 400, "the Host header is not an address");
        }
        const std::string url = *base + served->path.substr(1);
        const std::string_view key = target.query.substr(0, target.query.find_first_of("=&"));
        const bool wsdl = equal_ignoring_case(key, "wsdl") ||
                          equal_ignoring_case(key, "singlewsdl") || !options_.help_pages;
        if (!wsdl) return answer_help(request, served, target.query, url, reply);
        reply.content_type = "text/xml; charset=utf-8";
        reply.body = wsdl_page(*served, url);
        guard_page(reply);
        policy_.add_origin_fields(request, reply);
    }

    /// Whether this caller gets the form.
    form_state form_for(const http_request& request) const {
        if (options_.try_it == try_it::nobody) return form_state::off;
        if (options_.try_it == try_it::everyone) return form_state::shown;
        const bool here = is_local(request, options_.trusted_proxies);
        return here ? form_state::shown : form_state::elsewhere;
    }

    /// The pages for people: of an operation (?op=Name), of a service, or of all.
    void answer_help(
        const http_request& request,
        const endpoint* served,
        std::string_view query,
        std::string_view url,
        http_reply& reply) const {
        page_facts facts{url, form_state::off, options_.serve_deprecated};
        const auto name = query_value(query, "op");
        if (!served) {
            reply.body = index_page(endpoints_);
        } else if (!name) {
            reply.body = service_page(*served, facts);
        } else {
            const served_operation* found = nullptr;
            for (const served_operation& each : served->operations)
                if (each.info->name == *name) found = &each;
            if (found) facts.form = form_for(request);
            reply.status = found ? 200 : 404;
            reply.body =
                found ? operation_page(*served, *found, facts) : no_operation_page(*served);
        }
        reply.content_type = "text/html; charset=utf-8";
        add_header(reply, "Content-Security-Policy", page_policy(facts.form));
        add_header(reply, "Referrer-Policy", "no-referrer");
        guard_page(reply);
    }

    host_options options_;
    request_policy policy_{options_};
    std::list<endpoint> endpoints_;  // lists, whose elements stay where they are
    std::list<extra_page> pages_;
};

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE dispatcher::dispatcher(host_options options)
    : offered_(new detail::offered_services(std::move(options))) {}
SOAPSVC_INLINE dispatcher::~dispatcher() { delete offered_; }
SOAPSVC_INLINE void dispatcher::add_service(
    const detail::service_info& info, void* service, const std::string& path) {
    offered_->add_service(info, service, path);
}
SOAPSVC_INLINE void dispatcher::add_page(
    const std::string& path, std::function<http_reply(const http_request&)> page, audience who) {
    offered_->add_page(path, std::move(page), who);
}
SOAPSVC_INLINE http_reply dispatcher::handle(const http_request& request) const {
    http_reply reply;
    handle(request, reply);
    return reply;
}
SOAPSVC_INLINE void dispatcher::handle(const http_request& request, http_reply& reply) const {
    reply.more = nullptr;  // of the last request
    offered_->answer(request, reply, nullptr);
}
SOAPSVC_INLINE void dispatcher::refuse(
    const http_request& request, int status, std::string_view reason, http_reply& reply) const {
    reply.more = nullptr;
    offered_->refuse(request, status, reason, reply);
}
SOAPSVC_INLINE void dispatcher::report_refusal(
    report_kind kind,
    const http_request& facts,
    int status,
    std::string_view reason,
    std::size_t bytes_out) const noexcept {
    offered_->report_refusal(kind, facts, status, reason, bytes_out);
}
SOAPSVC_INLINE std::string_view dispatcher::caller_of(const http_request& request) const {
    return offered_->caller_of(request);
}
SOAPSVC_INLINE bool dispatcher::is_trusted(std::string_view peer) const {
    return offered_->is_trusted(peer);
}
SOAPSVC_INLINE const host_options& dispatcher::options() const noexcept {
    return offered_->options();
}
SOAPSVC_INLINE std::string_view dispatcher::path_of(std::string_view service) const noexcept {
    return offered_->path_of(service);
}

}  // namespace soapsvc

// ================================================================================================
// [http] HTTP/1.1 from bytes and to bytes
// ================================================================================================
// HTTP is read by a pure state machine (RFC 9112) that refuses whatever two readers could take two
// ways. Rejected: framing here and parsing in a library, since a second reader is a second
// interpretation.

#if !defined(SOAPSVC_NO_HOST)

namespace soapsvc::detail {

/// Why a request is not served, and with which status; 0: it is.
struct http_refusal {
    int status = 0;
    std::string_view reason;
    explicit operator bool() const noexcept { return status != 0; }
};

/// A request's head, taken apart. The views point into the head; see `incoming`, which owns both.
struct http_head {
    std::string_view method;
    std::string_view target;
    bool is_http10 = false;
    bool keep_alive = true;
    bool chunked = false;
    bool has_length = false;
    bool expects_continue = false;
    bool accepts_gzip = false;
    std::uint64_t length = 0;
    std::string_view content_encoding;
    std::vector<http_header> fields;

    void clear() noexcept {  // keeps its memory
        std::vector<http_header> kept = std::move(fields);
        kept.clear();
        *this = http_head{};
        fields = std::move(kept);
    }
    /// The bytes at `from` are at `to` now, too; before the former end.
    void follow(const char* from, const char* to) noexcept {
        const auto move = [&](std::string_view& view) {
            if (view.data()) view = {to + (view.data() - from), view.size()};
        };
        move(method);
        move(target);
        move(content_encoding);
        for (http_header& field : fields) {
            move(field.name);
            move(field.value);
        }
    }
};

/// Calls `each` with every element of a comma-separated list (RFC 9110, 5.6.1).
template <class Each>
void for_each_element(std::string_view list, Each each) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        each(trim(list.substr(0, comma)));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

/// Whether Accept-Encoding allows gzip: named, and not with a weight of zero (RFC 9110, 12.5.3).
inline bool allows_gzip(std::string_view list) {
    bool allowed = false;
    for_each_element(list, [&](std::string_view element) {
        const std::size_t mark = element.find(';');
        if (!equal_ignoring_case(trim(element.substr(0, mark)), "gzip")) return;
        const std::string_view weight = mark == element.npos ? "" : trim(element.substr(mark + 1));
        allowed = weight.find_first_not_of("qQ=0. \t") != weight.npos || weight.empty();
    });
    return allowed;
}

/// The framing fields of one head, as they are met; each may make the request ambiguous.
class head_fields {
public:
    explicit head_fields(http_head& head) noexcept : head_(head) {}

    http_refusal take(std::string_view name, std::string_view value) {
        if (equal_ignoring_case(name, "host")) return take_host(value);
        if (equal_ignoring_case(name, "content-length")) return take_length(value);
        if (equal_ignoring_case(name, "transfer-encoding")) return take_transfer_encoding(value);
        if (equal_ignoring_case(name, "expect")) return take_expect(value);
        if (equal_ignoring_case(name, "connection")) {
            for_each_element(value, [this](std::string_view option) {
                if (equal_ignoring_case(option, "close")) close_ = true;
                if (equal_ignoring_case(option, "keep-alive")) keep_ = true;
            });
        } else if (equal_ignoring_case(name, "content-encoding")) {
            if (!head_.content_encoding.empty())
                return {415, "more than one Content-Encoding is not served here"};
            head_.content_encoding = value;
        } else if (equal_ignoring_case(name, "accept-encoding")) {
            head_.accepts_gzip |= allows_gzip(value);
        }
        return {};
    }

    /// After the last field: what their combination means (RFC 9112, 3.2, 6.3 and 9.3).
    http_refusal finish() const {
        if (hosts_ == 0 && !head_.is_http10) return {400, "HTTP/1.1 requests have a Host field"};
        if (head_.chunked && head_.has_length)
            return {400, "Content-Length and Transfer-Encoding exclude each other"};
        if (head_.chunked && head_.is_http10) return {400, "HTTP/1.0 has no Transfer-Encoding"};
        if (head_.method == "POST" && !head_.chunked && !head_.has_length)
            return {411, "a POST request says how long it is: Content-Length is missing"};
        head_.keep_alive = head_.is_http10 ? keep_ && !close_ : !close_;
        if (head_.is_http10) head_.expects_continue = false;  // RFC 9110, 10.1.1
        return {};
    }

private:
    http_refusal take_host(std::string_view value) {
        if (++hosts_ > 1) return {400, "the Host field is there twice"};
        if (!value.empty() && !is_authority(value)) return {400, "the Host field is no address"};
        return {};
    }

    http_refusal take_length(std::string_view value) {
        if (head_.has_length) return {400, "Content-Length is there twice"};
        if (value.empty() || !are_digits(value)) return {400, "Content-Length is not a number"};
        head_.has_length = true;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), head_.length);
        if (error != std::errc{}) head_.length = std::numeric_limits<std::uint64_t>::max();
        return {};
    }

    http_refusal take_transfer_encoding(std::string_view value) {
        if (head_.chunked) return {400, "Transfer-Encoding is there twice"};
        if (!equal_ignoring_case(value, "chunked"))
            return {501, "the only Transfer-Encoding served here is chunked"};
        head_.chunked = true;
        return {};
    }

    http_refusal take_expect(std::string_view value) {
        if (!equal_ignoring_case(value, "100-continue"))
            return {417, "the only expectation served here is 100-continue"};
        head_.expects_continue = true;
        return {};
    }

    http_head& head_;
    int hosts_ = 0;
    bool close_ = false;
    bool keep_ = false;
};

inline http_refusal parse_request_line(std::string_view line, http_head& head) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == line.npos || first == last) return {400, "the request line has three parts"};
    head.method = line.substr(0, first);
    head.target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    if (!is_token(head.method)) return {400, "the method is not a token"};
    const bool visible = std::all_of(
        head.target.begin(), head.target.end(), [](char c) { return c > ' ' && c < 0x7F; });
    if (head.target.empty() || !visible) return {400, "the target holds characters it must not"};
    if (version.size() != 8 || version.substr(0, 5) != "HTTP/" || version[6] != '.' ||
        version[5] < '0' || version[5] > '9' || version[7] < '0' || version[7] > '9')
        return {400, "the request line does not end in an HTTP version"};
    if (version[5] != '1') return {505, "HTTP/1.1 and HTTP/1.0 are served here"};
    head.is_http10 = version[7] == '0';
    return {};
}

/// A target is a path, or an address of ours in full (RFC 9112, 3.2). One with a user before the
/// host is refused: it says one thing to a person and another to a machine (RFC 9110, 4.2.4).
inline http_refusal check_target(const http_head& head) {
    if (head.target.front() == '/' || (head.target == "*" && head.method == "OPTIONS")) return {};
    const std::string_view scheme = head.target.substr(0, head.target.find("://"));
    if (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https"))
        return {400, "the target is neither a path nor an http address"};
    if (!is_authority(parse_target(head.target).authority))
        return {400, "the target names no host"};
    return {};
}

/// Takes a whole head apart: request line, fields and the empty line, each ended by CR LF, which
/// the caller has made sure of. Refuses what RFC 9112 lets a careful server refuse: white space
/// before a colon, folded lines, control characters, anything that makes the length ambiguous. The
/// authority of an absolute target takes the place of the Host field (RFC 9112, 3.2.2), so that all
/// later readers see one.
inline http_refusal parse_head(std::string_view text, http_head& head) {
    head.clear();
    std::size_t end = text.find("\r\n");
    if (const http_refusal refusal = parse_request_line(text.substr(0, end), head)) return refusal;
    if (const http_refusal refusal = check_target(head)) return refusal;
    head_fields known(head);
    for (text.remove_prefix(end + 2); text.size() > 2; text.remove_prefix(end + 2)) {
        end = text.find("\r\n");
        const std::string_view line = text.substr(0, end);
        const std::size_t colon = std::min(line.find(':'), line.size());
        const std::string_view name = line.substr(0, colon);
        if (colon == line.size() || !is_token(name))
            return {400, "a header line is not name: value"};
        const std::string_view value = trim(line.substr(colon + 1));
        if (!is_field_value(value)) return {400, "a header value holds a control character"};
        head.fields.push_back({name, value});
        if (const http_refusal refusal = known.take(name, value)) return refusal;
    }
    const std::string_view authority = parse_target(head.target).authority;
    for (http_header& field : head.fields)
        if (!authority.empty() && equal_ignoring_case(field.name, "host")) field.value = authority;
    return known.finish();
}

/// The bounds on HTTP itself.
struct http_bounds {
    std::size_t header_bytes;
    std::size_t header_fields;
    std::size_t target_bytes;
    std::size_t body_bytes;
};

/// Reads one request from bytes that arrive in any pieces. Keeps offsets only, so the buffer may
/// move between calls; every byte is looked at once.
class http_reader {
public:
    enum class state : std::uint8_t { head, body, complete, refused };

    /// `data` holds all bytes of this request so far and perhaps more. May remove chunk framing in
    /// place, which lowers `size`. After `complete`, `consumed` bytes belong to this request.
    state read(char* data, std::size_t& size, const http_bounds& bounds, http_head& head) {
        if (state_ == state::head && find_head_end(data, size, bounds))
            begin_body(head_text(data), bounds, head);
        if (state_ != state::body) return state_;
        if (chunked_) {
            read_chunks(data, size, bounds);
            const std::size_t kept = head_end_ + body_size_;
            if (state_ == state::body && raw_ != kept) {  // what is left is less than a line
                std::memmove(data + kept, data + raw_, size - raw_);
                scanned_ = std::max(scanned_, raw_) - (raw_ - kept);
                size -= raw_ - kept;
                raw_ = kept;
            }
        } else {
            const std::size_t take = std::min<std::uint64_t>(left_, size - raw_);
            raw_ += take;
            body_size_ += take;
            left_ -= take;
            if (left_ == 0) state_ = state::complete;
        }
        return state_;
    }

    state now() const noexcept { return state_; }
    /// Nothing has come, or no more than the empty line that some send behind a request.
    bool is_fresh() const noexcept { return scanned_ == start_; }
    const http_refusal& refusal() const noexcept { return refusal_; }
    std::size_t consumed() const noexcept { return raw_; }
    std::string_view head_text(const char* data) const noexcept {
        return {data + start_, head_end_ - start_};
    }
    std::string_view body(const char* data) const noexcept {
        return {data + head_end_, body_size_};
    }
    /// Of this request, if that was announced; else more than can be.
    std::size_t length() const noexcept {
        const bool known = state_ == state::body && !chunked_;
        return known ? head_end_ + body_size_ + left_ : std::string::npos;
    }
    bool wants_continue() const noexcept { return wants_continue_; }
    void continue_sent() noexcept { wants_continue_ = false; }

private:
    enum class chunk : std::uint8_t { size, data, data_end, trailer };

    state refuse(http_refusal why) {
        refusal_ = why;
        return state_ = state::refused;
    }

    /// Looks for the empty line. A line feed alone ends no line: a proxy in front might disagree.
    bool find_head_end(const char* data, std::size_t size, const http_bounds& bounds) {
        while (scanned_ < size) {
            const void* found = std::memchr(data + scanned_, '\n', size - scanned_);
            const std::size_t at =
                found ? static_cast<std::size_t>(static_cast<const char*>(found) - data) : size;
            if (lines_ == 0 && at - start_ > bounds.target_bytes + 64) {
                refuse({414, "the request line is too long"});
                return false;
            }
            if (at - start_ > bounds.header_bytes) {
                refuse({431, "the header is too long"});
                return false;
            }
            scanned_ = std::min(at + 1, size);
            if (!found) return false;
            if (at == line_ || data[at - 1] != '\r') {
                refuse({400, "a header line does not end in CR LF"});
                return false;
            }
            const bool empty = at == line_ + 1;
            line_ = at + 1;
            if (empty && lines_ == 0 && start_ == 0) {
                // RFC 9112, 2.2: one empty line before the request line is let through.
                start_ = line_;
                continue;
            }
            if (empty) {
                head_end_ = raw_ = line_;
                return true;
            }
            if (++lines_ > bounds.header_fields + 1) {
                refuse({431, "there are too many header fields"});
                return false;
            }
        }
        return false;
    }

    void begin_body(std::string_view text, const http_bounds& bounds, http_head& head) {
        if (const http_refusal why = parse_head(text, head)) {
            refuse(why);
            return;
        }
        if (head.target.size() > bounds.target_bytes) {
            refuse({414, "the target is too long"});
            return;
        }
        chunked_ = head.chunked;
        left_ = head.length;
        state_ = state::body;
        if (!chunked_ && left_ > bounds.body_bytes) refuse({413, "the request body is too long"});
        wants_continue_ = head.expects_continue && (chunked_ || left_ != 0);
    }

    /// Moves the chunks' data together, right behind the head.
    void read_chunks(char* data, std::size_t size, const http_bounds& bounds) {
        while (state_ == state::body) {
            if (chunk_ == chunk::data) {
                const std::size_t take = std::min<std::uint64_t>(left_, size - raw_);
                std::memmove(data + head_end_ + body_size_, data + raw_, take);
                body_size_ += take;
                raw_ += take;
                left_ -= take;
                if (left_ != 0) return;
                chunk_ = chunk::data_end;
            }
            scanned_ = std::max(scanned_, raw_);
            const std::string_view rest(data + raw_, size - raw_);
            const std::size_t end = rest.find('\n', scanned_ - raw_);
            if (std::min(end, rest.size()) > bounds.header_bytes) {
                refuse({431, "a chunk's line or trailer is too long"});
            } else if (end == rest.npos) {
                scanned_ = size;
                return;
            } else if (
                end == 0 || rest[end - 1] != '\r' || (chunk_ == chunk::data_end && end != 1)) {
                refuse({400, "a chunk does not end where it should"});
            } else {
                raw_ += end + 1;
                if (chunk_ == chunk::trailer && (lines_ += 1) > bounds.header_fields + 1)
                    refuse({431, "there are too many trailer fields"});
                else if (chunk_ == chunk::data_end)
                    chunk_ = chunk::size;
                else
                    read_chunk_line(rest.substr(0, end - 1), bounds);
            }
        }
    }

    /// The line that begins a chunk, or a trailer line (RFC 9112, 7.1). Extensions and trailers are
    /// checked for control characters and dropped.
    void read_chunk_line(std::string_view line, const http_bounds& bounds) {
        if (!is_field_value(line)) {
            refuse({400, "a chunk's line holds a control character"});
        } else if (chunk_ == chunk::trailer) {
            if (line.empty())
                state_ = state::complete;
            else if (!is_token(line.substr(0, line.find(':'))) || line.find(':') == line.npos)
                refuse({400, "a trailer line is not name: value"});
        } else {
            const auto [end, error] =
                std::from_chars(line.data(), line.data() + line.size(), left_, 16);
            const std::string_view rest =
                trim(line.substr(static_cast<std::size_t>(end - line.data())));
            extensions_ += rest.size();
            if (error != std::errc{} || (!rest.empty() && rest.front() != ';'))
                refuse({400, "a chunk's size is not a hexadecimal number"});
            else if (extensions_ > bounds.header_bytes)
                refuse({431, "the chunk extensions are too long"});
            else if (left_ > bounds.body_bytes - body_size_)
                refuse({413, "the request body is too long"});
            else
                chunk_ = left_ == 0 ? chunk::trailer : chunk::data;
        }
    }

    state state_ = state::head;
    chunk chunk_ = chunk::size;
    bool chunked_ = false;
    bool wants_continue_ = false;
    http_refusal refusal_;
    std::size_t start_ = 0;  // after an empty line before the request line
    std::size_t scanned_ = 0;  // where the search for the next line end goes on
    std::size_t line_ = 0;  // where the current line begins
    std::size_t lines_ = 0;
    std::size_t head_end_ = 0;
    std::size_t body_size_ = 0;  // decoded bytes, right after the head
    std::size_t raw_ = 0;  // first byte that is not taken yet
    std::uint64_t left_ = 0;  // of the body, or of the chunk
    std::size_t extensions_ = 0;  // bytes of chunk extensions: they carry nothing, and are bounded
};

/// A request on its way in: the bytes that came, how far they are read, and what its head says, in
/// views of those bytes. All three have this one owner, so that no view outlives its bytes, and a
/// head is taken apart once however often the request pauses. What lies behind it waits here, too.
/// Rejected: offsets instead of views, which every reader of a field would have to resolve.
class incoming {
public:
    incoming() = default;
    incoming(const incoming&) = delete;
    incoming& operator=(const incoming&) = delete;

    // Filling it.

    /// Where bytes may be read to, behind what is there; made at first use, and kept.
    std::span<char> room() {
        if (begin_ == end_) begin_ = end_ = 0;
        if (bytes_.size() < size_of_room) bytes_.resize(size_of_room);
        return {bytes_.data() + end_, bytes_.size() - end_};
    }
    void grow(std::size_t read) noexcept { end_ += read; }  ///< so many were read into the room
    /// Whether what is there leaves little room.
    bool is_crowded() const noexcept { return begin_ != end_ && end_ > size_of_room / 2; }

    /// Instead of reading into the room, for one that has left it.
    void append(std::string_view more) {
        bytes_.resize(end_);
        const std::size_t needed = end_ - begin_ + more.size();
        if (bytes_.capacity() - end_ < more.size())
            move_to_new_memory(std::max(needed, std::min(2 * bytes_.capacity(), reader_.length())));
        bytes_.append(more);
        end_ += more.size();
    }
    /// What is here, in memory of its size, and nothing stays here.
    std::unique_ptr<incoming> take_out() {
        auto taken = std::make_unique<incoming>();
        taken->bytes_.append(text());
        taken->end_ = taken->bytes_.size();
        taken->reader_ = reader_;
        taken->head_ = std::move(head_);
        taken->head_.follow(text().data(), taken->bytes_.data());
        taken->began = began;
        taken->measured = measured;
        clear();
        return taken;
    }
    /// Gives back the memory of requests that are done.
    void shrink() {
        if (begin_ != 0) move_to_new_memory(end_ - begin_);
    }

    // Reading it.

    http_reader::state read(const http_bounds& bounds) {
        std::size_t size = end_ - begin_;
        const http_reader::state now = reader_.read(bytes_.data() + begin_, size, bounds, head_);
        end_ = begin_ + size;  // chunk framing may have gone
        return now;
    }
    /// The request is done; the next one begins.
    void next() noexcept {
        begin_ += reader_.consumed();
        reader_ = http_reader{};
        head_.clear();
        measured.reset();
    }
    void clear() noexcept {
        next();
        begin_ = end_ = 0;
    }
    bool continue_is_due() noexcept {  ///< whether 100 Continue is to be sent; once
        const bool due = reader_.wants_continue();
        reader_.continue_sent();
        return due;
    }

    // What is known of it.

    bool empty() const noexcept { return begin_ == end_; }
    bool is_fresh() const noexcept { return reader_.is_fresh(); }  ///< no request has begun
    bool is_in_body() const noexcept { return reader_.now() == http_reader::state::body; }
    /// Whether bytes lie behind the complete request.
    bool holds_more() const noexcept { return end_ - begin_ > reader_.consumed(); }
    const http_refusal& refusal() const noexcept { return reader_.refusal(); }
    /// Without values until its end was found.
    const http_head& head() const noexcept { return head_; }
    std::string_view body() const noexcept { return reader_.body(bytes_.data() + begin_); }
    std::string_view text() const noexcept { return {bytes_.data() + begin_, end_ - begin_}; }
    std::size_t memory() const noexcept {
        return sizeof *this + bytes_.capacity() + head_.fields.capacity() * sizeof(http_header);
    }

    std::chrono::steady_clock::time_point began{};  ///< when its first byte was looked at
    std::optional<std::size_t> measured{};  ///< bytes of the body when its rate was looked at last

private:
    static constexpr std::size_t size_of_room = 65'536;

    void move_to_new_memory(std::size_t capacity) {
        std::string fresh;
        fresh.reserve(std::max<std::size_t>(capacity, 64));  // or it might lie in the string itself
        fresh.assign(text());
        head_.follow(text().data(), fresh.data());  // while both are there
        end_ = fresh.size();
        begin_ = 0;
        bytes_.swap(fresh);
    }

    std::string bytes_;
    std::size_t begin_ = 0;  // of the request
    std::size_t end_ = 0;  // of what came
    http_reader reader_;
    http_head head_;
};

// --- Content coding, by zlib ---------------------------------------------------------------------

/// Owns an object of a C library.
template <auto Free>
struct freed_by {
    void operator()(auto* at) const noexcept { static_cast<void>(Free(at)); }
};
template <class T, auto Free>
using c_object = std::unique_ptr<T, freed_by<Free>>;

/// Hands a stream the next of the bytes that are left: zlib counts in fewer bits than memory has.
inline void feed(z_stream& stream, std::string_view& left) noexcept {
    const std::size_t piece = std::min<std::size_t>(left.size(), 1U << 30U);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left.data()));
    stream.avail_in = static_cast<uInt>(piece);
    left.remove_prefix(piece);
}

/// Unpacks gzip and deflate (RFC 1952, 1950). `most` bounds what comes out, checked as it grows.
/// One stream, whole, and nothing behind it.
inline http_refusal unpack_within(
    std::string_view coding, std::string_view body, std::size_t most, std::string& out) {
    out.clear();
    if (!equal_ignoring_case(coding, "gzip") && !equal_ignoring_case(coding, "x-gzip") &&
        !equal_ignoring_case(coding, "deflate"))
        return {415, "the Content-Encodings served here are gzip and deflate"};
    z_stream stream{};
    if (::inflateInit2(&stream, 32 + MAX_WBITS) != Z_OK) throw std::bad_alloc();  // either header
    const c_object<z_stream, ::inflateEnd> owned(&stream);
    char piece[16'384];
    int state = Z_OK;
    while (state == Z_OK) {
        if (stream.avail_in == 0) feed(stream, body);
        stream.next_out = reinterpret_cast<Bytef*>(piece);
        stream.avail_out = sizeof piece;
        state = ::inflate(&stream, Z_NO_FLUSH);
        const std::size_t size = sizeof piece - stream.avail_out;
        if (size > most - out.size())
            return {413, "the request body is too long once it is unpacked"};
        out.append(piece, size);
    }
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (state != Z_STREAM_END || stream.avail_in != 0 || !body.empty())
        return {400, "the request body is not what its Content-Encoding says"};
    return {};
}

/// The same for what anybody may send: there the input bounds the output, too, since honest XML
/// packs to a fiftieth at best, and bombs to a thousandth.
inline http_refusal unpack(
    std::string_view coding, std::string_view body, std::size_t most, std::string& out) {
    return unpack_within(coding, body, std::min(most, 1'048'576 + 200 * body.size()), out);
}

/// Packs with gzip; false when that is not possible or saves nothing.
inline bool pack(std::string_view body, std::string& out) {
    out.clear();
    z_stream stream{};
    const int window = 16 + MAX_WBITS;  // gzip's header
    if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return false;
    const c_object<z_stream, ::deflateEnd> owned(&stream);
    std::string_view left = body;
    char piece[16'384];
    int state = Z_OK;
    while (state == Z_OK && out.size() < body.size()) {
        if (stream.avail_in == 0) feed(stream, left);
        stream.next_out = reinterpret_cast<Bytef*>(piece);
        stream.avail_out = sizeof piece;
        state = ::deflate(&stream, left.empty() ? Z_FINISH : Z_NO_FLUSH);
        out.append(piece, sizeof piece - stream.avail_out);
    }
    return state == Z_STREAM_END && out.size() < body.size();
}

/// Packs what comes in pieces. With less memory than `pack`, since it may last long: 64 KiB in
/// place of 256.
class piece_packer {
public:
    piece_packer() {
        const int window = 16 + 13;  // gzip's header
        if (::deflateInit2(
                &stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 6, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~piece_packer() { ::deflateEnd(&stream_); }
    piece_packer(const piece_packer&) = delete;
    piece_packer& operator=(const piece_packer&) = delete;

    /// Appends what becomes of a piece, which may be nothing yet, unless it is the last one.
    void append(std::string_view piece, bool last, std::string& out) {
        char packed[16'384];
        int state = Z_OK;
        do {
            if (stream_.avail_in == 0) feed(stream_, piece);
            stream_.next_out = reinterpret_cast<Bytef*>(packed);
            stream_.avail_out = sizeof packed;
            state = ::deflate(&stream_, last && piece.empty() ? Z_FINISH : Z_NO_FLUSH);
            out.append(packed, sizeof packed - stream_.avail_out);
        } while (state != Z_STREAM_END &&
                 (last || !piece.empty() || stream_.avail_in != 0 || stream_.avail_out == 0));
    }
    static constexpr std::size_t memory = 65'536;

private:
    z_stream stream_{};
};

// --- Writing HTTP --------------------------------------------------------------------------------

inline std::string_view reason_phrase(int status) noexcept {
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
    }
}

/// The time of day as HTTP writes it (RFC 9110, 5.6.7), made once a second per thread.
inline std::string_view http_date() {
    thread_local std::time_t made_at = -1;
    thread_local char text[32];
    const std::time_t now = std::time(nullptr);
    if (now != made_at) {
        std::tm parts{};
        gmtime_r(&now, &parts);
        static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        static constexpr const char* months[] = {
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        std::snprintf(
            text,
            sizeof text,
            "%s, %02d %s %04d %02d:%02d:%02d GMT",
            days[parts.tm_wday],
            parts.tm_mday % 100,
            months[parts.tm_mon],
            (parts.tm_year + 1900) % 10000,
            parts.tm_hour % 100,
            parts.tm_min % 100,
            parts.tm_sec % 100);
        made_at = now;
    }
    return text;
}

inline void append_number(std::string& out, std::uint64_t number) {
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    static_cast<void>(error);
    out.append(digits, end);
}

/// The length of a body that is not known: it comes in chunks, or in HTTP/1.0 up to the end of the
/// connection (RFC 9112, 6.3).
inline constexpr std::size_t no_length = std::numeric_limits<std::size_t>::max();

/// Writes a reply's head. A header value that could break out of its line is left out.
inline void write_head(
    std::string& out,
    const http_reply& reply,
    std::size_t length,
    bool keep_alive,
    bool is_http10) {
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::uint64_t>(reply.status));
    out.append(1, ' ').append(reason_phrase(reply.status));
    out.append("\r\nDate: ").append(http_date());
    if (!reply.content_type.empty() && is_field_value(reply.content_type))
        out.append("\r\nContent-Type: ").append(reply.content_type);
    if (length != no_length) {
        out.append("\r\nContent-Length: ");
        append_number(out, length);
    } else if (!is_http10) {
        out.append("\r\nTransfer-Encoding: chunked");
    }
    for (const auto& [name, value] : reply.headers)
        if (is_token(name) && is_field_value(value))
            out.append("\r\n").append(name).append(": ").append(value);
    if (!keep_alive)
        out.append("\r\nConnection: close");
    else if (is_http10)
        out.append("\r\nConnection: keep-alive");
    out.append("\r\n\r\n");
}

/// The rest of a body whose end is not there yet, framed as its head said.
class body_rest {
public:
    body_rest(std::function<bool(std::string&)> more, bool chunked, bool packed)
        : more_(std::move(more)), chunked_(chunked) {
        if (packed) packer_.emplace();
    }

    /// Appends `piece` to `out` as the next of the body.
    void frame(std::string_view piece, bool last, std::string& out) {
        const std::size_t size_line = out.size();
        if (chunked_) out.append(digits, '0').append("\r\n");
        const std::size_t begin = out.size();
        packer_ ? packer_->append(piece, last, out) : void(out.append(piece));
        close_chunk(size_line, begin, last, out);
    }

    /// Appends what comes next. Throws what whoever makes the body throws.
    void append(std::string& out) {
        if (packer_) {
            std::string piece;
            ended_ = !more_(piece);
            return frame(piece, ended_, out);
        }
        const std::size_t size_line = out.size();
        if (chunked_) out.append(digits, '0').append("\r\n");
        const std::size_t begin = out.size();
        ended_ = !more_(out);  // straight to where it is sent from
        close_chunk(size_line, begin, ended_, out);
    }
    bool ended() const noexcept { return ended_; }  ///< all was appended

    std::size_t memory() const noexcept {
        return sizeof *this + stream_writer::memory + (packer_ ? piece_packer::memory : 0);
    }

private:
    static constexpr std::size_t digits = 8;

    /// Says how long the chunk became, with zeros before (RFC 9112, 7.1); none, if it is empty,
    /// since that would be the last one.
    void close_chunk(std::size_t size_line, std::size_t begin, bool last, std::string& out) const {
        if (!chunked_) return;
        std::size_t size = out.size() - begin;
        if (size == 0)
            out.resize(size_line);
        else
            out.append("\r\n");
        for (std::size_t at = size_line + digits; size != 0; size /= 16)
            out[--at] = "0123456789abcdef"[size % 16];
        if (last) out.append("0\r\n\r\n");
    }

    std::function<bool(std::string&)> more_;
    bool chunked_;
    bool ended_ = false;
    std::optional<piece_packer> packer_;
};

}  // namespace soapsvc::detail

#endif  // SOAPSVC_NO_HOST

// ================================================================================================
// [connections] Sockets, TLS, and what is held for each caller
// ================================================================================================
// What a connection is while no thread serves it, and what is held for whom: sockets, TLS, shares
// of what all callers have together, and the states that say who owns a connection.

#if !defined(SOAPSVC_NO_HOST)

namespace soapsvc::detail {

/// A file descriptor that closes itself.
class descriptor {
public:
    explicit descriptor(int fd = -1) noexcept : fd_(fd) {}
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~descriptor() { reset(); }
    int get() const noexcept { return fd_; }
    int release() noexcept { return std::exchange(fd_, -1); }
    void reset() noexcept {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

private:
    int fd_;
};

/// The first error in OpenSSL's queue of this thread, which is empty afterwards.
inline std::string take_tls_error() {
    const unsigned long error = ::ERR_get_error();
    ::ERR_clear_error();
    if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
    if (ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE)
        return "nothing of the kind is in it as PEM";
    if (ERR_GET_LIB(error) == ERR_LIB_X509 && ERR_GET_REASON(error) == X509_R_KEY_VALUES_MISMATCH)
        return "it is not the key of the certificate";
    const char* const reason = error != 0 ? ::ERR_reason_error_string(error) : nullptr;
    return reason ? reason : "for a reason that OpenSSL does not tell";
}

// --- Sockets -------------------------------------------------------------------------------------

[[noreturn]] inline void throw_errno(const std::string& what) {
    const int error = errno;
    throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

/// Raises the soft limit of file descriptors to the hard one, and returns it.
inline std::size_t raise_descriptor_limit() noexcept {
    rlimit allowed{};
    if (::getrlimit(RLIMIT_NOFILE, &allowed) != 0) return 1024;
    allowed.rlim_cur = allowed.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &allowed);
    ::getrlimit(RLIMIT_NOFILE, &allowed);
    return allowed.rlim_cur;
}

/// A write to a peer that is gone is an error of that write, not a signal: OpenSSL writes without
/// MSG_NOSIGNAL. A handler that the program has set already stays.
inline void ignore_broken_pipes() noexcept {
    struct sigaction present {};
    if (::sigaction(SIGPIPE, nullptr, &present) != 0) return;
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) return;
    present.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &present, nullptr);
}

/// A listening socket on a name or numeric address. Port 0 takes a free one. No SO_REUSEPORT: two
/// servers on one port by mistake must not share its callers.
inline descriptor listen_tcp(const std::string& address, int port, int backlog) {
    const std::string where = address + ':' + std::to_string(port);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const std::string bare = address.size() > 1 && address.front() == '[' && address.back() == ']'
                                 ? address.substr(1, address.size() - 2)
                                 : address;
    if (port < 0 || port > 65535)
        throw std::runtime_error("cannot listen on " + where + ": no such port");
    if (const int error = ::getaddrinfo(bare.c_str(), std::to_string(port).c_str(), &hints, &found))
        throw std::runtime_error("cannot listen on " + where + ": " + ::gai_strerror(error));
    const c_object<addrinfo, ::freeaddrinfo> owned(found);
    for (const addrinfo* at = found; at; at = at->ai_next) {
        descriptor fd(::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        const int on = 1;
        if (fd.get() < 0) continue;
        ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (::bind(fd.get(), at->ai_addr, at->ai_addrlen) == 0 && ::listen(fd.get(), backlog) == 0)
            return fd;
    }
    throw_errno("cannot listen on " + where);
}

/// A listening Unix domain socket. A socket file that nobody answers on is left over, and replaced.
/// The probe does not wait: a server whose queue is full would let it in only later, or never.
inline descriptor listen_unix(const std::string& path, int backlog) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.find('\0') != path.npos || path.size() >= sizeof address.sun_path)
        throw std::runtime_error(
            "cannot listen on a Unix socket: a path has 1 to " +
            std::to_string(sizeof address.sun_path - 1) +
            " bytes, none of them zero; this one is " + quoted(std::string_view(path)));
    path.copy(address.sun_path, path.size());
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    const descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (::connect(probe.get(), generic, sizeof address) == 0 || errno == EAGAIN)
        throw std::runtime_error("cannot listen on " + path + ": another server does");
    struct stat facts {};
    if (errno == ECONNREFUSED && ::lstat(path.c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode))
        ::unlink(path.c_str());
    descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (fd.get() < 0 || ::bind(fd.get(), generic, sizeof address) != 0 ||
        ::listen(fd.get(), backlog) != 0)
        throw_errno("cannot listen on " + path);
    return fd;
}

/// Numeric address and port of either end; "unix" for Unix domain sockets.
struct socket_address {
    std::string address;
    int port = 0;
};

inline socket_address read_address(const sockaddr_storage& storage) {
    char text[INET6_ADDRSTRLEN] = {};
    if (storage.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
        ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        return {text, ntohs(v4.sin_port)};
    }
    if (storage.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
        const std::string_view shown(text);
        const bool mapped = shown.substr(0, 7) == "::ffff:" && shown.find('.') != shown.npos;
        return {std::string(mapped ? shown.substr(7) : shown), ntohs(v6.sin6_port)};
    }
    return {"unix", 0};
}

inline socket_address local_address(int fd) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
    return read_address(storage);
}

// --- TLS -----------------------------------------------------------------------------------------

/// Sets OpenSSL up before main(), so that it is taken down after hosts that live as long as the
/// program: their threads use it until they end.
inline const bool tls_is_set_up = ::OPENSSL_init_ssl(0, nullptr) == 1;

using tls_context = c_object<SSL_CTX, ::SSL_CTX_free>;

/// What hosts and clients have in common; null when there is none. What another call of this thread
/// left in its queue of errors is dropped: it would be told as the reason of what fails next.
inline tls_context new_tls_context(const SSL_METHOD* method) {
    ::ERR_clear_error();
    tls_context made(::SSL_CTX_new(method));
    if (!made.get()) return made;
    ::SSL_CTX_set_min_proto_version(made.get(), TLS1_2_VERSION);
    ::SSL_CTX_set_options(made.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    return made;
}

[[noreturn]] inline void throw_tls(const std::string& what) {
    throw std::runtime_error(what + ": " + take_tls_error());
}

/// Has those of a context show a certificate. An empty key is in the certificate's file. Returns
/// what cannot be used; empty when all can.
inline std::string use_certificate(
    SSL_CTX* context, const std::string& certificate, const std::string& key) {
    if (::SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1)
        return "cannot use the certificate " + certificate;
    const std::string& file = key.empty() ? certificate : key;
    if (::SSL_CTX_use_PrivateKey_file(context, file.c_str(), SSL_FILETYPE_PEM) == 1 &&
        ::SSL_CTX_check_private_key(context) == 1)
        return {};
    return "cannot use the private key " + file;
}

/// Reads certificate and key anew; throws std::runtime_error that names the file. Null without TLS,
/// and std::invalid_argument when only a part of it is set.
inline tls_context make_tls_context(const host_options& options) {
    if (options.certificate_file.empty()) {
        if (!options.key_file.empty() || !options.client_ca_file.empty())
            throw std::invalid_argument(
                "soapsvc: key_file and client_ca_file need a certificate_file; without one "
                "the host speaks plain HTTP");
        return tls_context();
    }
    tls_context made = new_tls_context(::TLS_server_method());
    SSL_CTX* raw = made.get();
    if (!raw) throw_tls("TLS cannot be set up");
    ::SSL_CTX_set_options(raw, SSL_OP_CIPHER_SERVER_PREFERENCE);
    ::SSL_CTX_set_mode(
        raw,
        SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    const std::string wrong = use_certificate(raw, options.certificate_file, options.key_file);
    if (!wrong.empty()) throw_tls(wrong);
    if (!options.client_ca_file.empty()) {
        const char* file = options.client_ca_file.c_str();
        if (::SSL_CTX_load_verify_locations(raw, file, nullptr) != 1)
            throw_tls("cannot use the client authorities " + options.client_ca_file);
        ::SSL_CTX_set_client_CA_list(raw, ::SSL_load_client_CA_file(file));
        ::SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
        static constexpr unsigned char id[] = "soapsvc";  // without one, resumption is refused
        ::SSL_CTX_set_session_id_context(raw, id, sizeof id);
    }
    return made;
}

/// Lets OpenSSL read from the socket as often as `left` says, then as if nothing were there. By
/// itself it reads on for as long as records come, be it key updates or a handshake byte by byte.
/// Rejected: to switch SSL_MODE_AUTO_RETRY off, which returns after a key update, but not between
/// the records of a handshake.
inline long allow_read(
    BIO* socket, int what, const char*, std::size_t, int, long, int result, std::size_t*) {
    if (what != BIO_CB_READ) return result;
    int& left = *reinterpret_cast<int*>(::BIO_get_callback_arg(socket));
    if (left-- > 0) return result;
    ::BIO_clear_flags(socket, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    ::BIO_set_flags(socket, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
    return -1;
}

/// For as long as nobody lends others: before each turn.
inline void lend_reads(SSL* tls, int& left) noexcept {
    BIO* const socket = ::SSL_get_rbio(tls);
    ::BIO_set_callback_arg(socket, reinterpret_cast<char*>(&left));
    ::BIO_set_callback_ex(socket, allow_read);
}

/// The subject of the client's verified certificate as RFC 2253 text; empty without one.
inline std::string certificate_subject(SSL* tls) {
    const c_object<X509, ::X509_free> shown(::SSL_get1_peer_certificate(tls));
    if (!shown.get() || ::SSL_get_verify_result(tls) != X509_V_OK) return {};
    const c_object<BIO, ::BIO_free> out(::BIO_new(::BIO_s_mem()));
    ::X509_NAME_print_ex(out.get(), ::X509_get_subject_name(shown.get()), 0, XN_FLAG_RFC2253);
    char* text = nullptr;
    const long size = ::BIO_get_mem_data(out.get(), &text);
    return std::string(text, static_cast<std::size_t>(size));
}

// --- Shares --------------------------------------------------------------------------------------

/// A number for callers that count as one: an IPv4 address, also as an IPv6 socket writes it, or an
/// IPv6 network of 64 bits, which is the least that a customer is given (RFC 6177). IPv4 has the
/// place of a multicast network, which never calls; all that is no address is one more of these.
inline std::uint64_t share_key(std::string_view address) noexcept {
    if (address.starts_with('[')) address = address.substr(1, address.find(']') - 1);
    char text[INET6_ADDRSTRLEN] = {};
    if (address.size() < sizeof text) address.copy(text, address.size());
    std::array<unsigned char, 16> bytes{};
    const auto number = [&](std::size_t begin, std::size_t end) {
        std::uint64_t made = 0;
        for (; begin != end; ++begin)
            made = made << 8 | bytes[begin];
        return made;
    };
    constexpr std::uint64_t v4 = 0xFFFF'FFFF'0000'0000, none = 0xFFFF'FFFE'0000'0000;
    if (::inet_pton(AF_INET, text, bytes.data()) == 1) return v4 | number(0, 4);
    if (::inet_pton(AF_INET6, text, bytes.data()) != 1) return none;
    const bool mapped = number(0, 8) == 0 && number(8, 12) == 0xFFFF;
    return mapped ? v4 | number(12, 16) : number(0, 8);
}

/// What the callers of one address have of what is there for all.
struct share {
    std::atomic<std::size_t> connections{0};
    std::atomic<std::size_t> bytes{0};  // of unfinished requests, and of replies not taken
    std::atomic<std::size_t> queued{0};  // complete requests
    std::size_t users = 0;  // under the table's mutex; without any it ends
    std::uint64_t key = 0;
};

/// The shares of all addresses that have one. Its mutex is taken when connections begin and end,
/// when a proxy's caller has to be put off, and at a limit; counters are changed without.
class share_table {
public:
    share& join(std::uint64_t key) {
        const std::lock_guard lock(mutex_);
        share& joined = shares_[key];
        ++joined.users;
        joined.key = key;
        return joined;
    }
    void leave(share& left) noexcept {
        const std::lock_guard lock(mutex_);
        if (--left.users == 0) shares_.erase(left.key);
    }

    /// The address that holds most, and how much. The pointer is for comparing only: the share may
    /// end at any time.
    std::pair<const share*, std::size_t> greediest(std::atomic<std::size_t> share::*of) const {
        const std::lock_guard lock(mutex_);
        std::pair<const share*, std::size_t> found{};
        for (const auto& [key, each] : shares_)
            if (const std::size_t has = (each.*of).load(std::memory_order_relaxed);
                has > found.second)
                found = {&each, has};
        return found;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::uint64_t, share> shares_;  // whose elements stay where they are
};

// --- Connections ---------------------------------------------------------------------------------

using steady = std::chrono::steady_clock;

/// One connection. Its memory is never freed while the host lives, only used again: an event that
/// was fetched before the connection was closed must still find something to look at. `ticket` says
/// whether the event is for the present owner of the memory, and who may touch the rest.
struct connection {
    enum class phase : std::uint8_t { open, lingering };

    // Who may touch a connection. All changes are of one atomic number: the generation in its upper
    // half, so that an event of a descriptor's former connection finds another one; below it a
    // state, and whether the peer has hung up.
    //
    //             open_connection            claim: whose event it is owns it
    //             (generation + 1)
    //     closed ----------------> waiting ----------------------------------> owned
    //        ^                        ^                                         | ^ |
    //        |                        |       release: nothing came meanwhile   | | | claim: the
    //        |                        +-----------------------------------------+ | | event is
    //        |                                                                    | v the owner's
    //        +----------------------- close, by its owner                  owned_and_woken
    //                                                          release: look once more
    //
    // A queued connection stays owned: by the queue, and then by whoever takes it from there.
    static constexpr std::uint64_t closed = 0, waiting = 1, owned = 2, owned_and_woken = 3;
    static constexpr std::uint64_t state_bits = 3, hung_up = 4;
    std::atomic<std::uint64_t> ticket{closed};

    int fd = -1;
    SSL* tls = nullptr;
    bool greeted = false;  // the TLS handshake is done
    bool close_when_sent = false;
    bool is_complete = false;  // the request with which it waits in the queue
    bool ended = false;  // the peer sends no more
    phase now = phase::open;
    std::uint64_t served = 0;
    std::string peer;
    audience listener = audience::everyone;
    std::string_view listening_on;  // of the reactor
    std::string subject;  // of a client certificate
    std::unique_ptr<incoming> begun;  // a request that waits: for its rest, or in the queue
    std::string out;  // what the peer has not taken yet
    std::unique_ptr<body_rest> rest;  // what follows `out`, until all of it was sent; mostly null
    std::size_t sent = 0;  // of `out`
    std::ptrdiff_t taken = 0;  // of `out` by the peer, when its rate was looked at last
    steady::time_point replied{};  // when `out` was begun
    bool is_proxy = false;  // and trusted
    share* home = nullptr;  // of its peer
    std::atomic<share*> charged{nullptr};  // for memory and queue; a proxy's caller, or `home`
    std::atomic<std::size_t> held{0};  // memory of both, counted in the host's total and the share
    connection* behind = nullptr;  // in the queue
    std::atomic<std::int64_t> deadline{0};  // steady milliseconds

    /// Takes the connection for this thread. False: it is gone, or somebody has it, who will look
    /// again.
    bool claim(std::uint32_t generation, bool hang_up) noexcept {
        std::uint64_t seen = ticket.load(std::memory_order_acquire);
        while ((seen >> 32) == generation && (seen & state_bits) != closed) {
            const bool free = (seen & state_bits) == waiting;
            const std::uint64_t next =
                (seen & ~state_bits) | (free ? owned : owned_and_woken) | (hang_up ? hung_up : 0);
            if (ticket.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) return free;
        }
        return false;
    }

    /// Gives it back. False: something came meanwhile, and it is still ours to look at.
    bool release() noexcept {
        std::uint64_t seen = ticket.load(std::memory_order_relaxed);
        for (;;) {
            const bool quiet = (seen & state_bits) == owned;
            const std::uint64_t next = (seen & ~state_bits) | (quiet ? waiting : owned);
            if (ticket.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) return quiet;
        }
    }

    /// Whether the kernel has said that the peer sends no more: then reading must go on to the end,
    /// because no further event will come.
    bool has_hung_up() const noexcept {
        return (ticket.load(std::memory_order_relaxed) & hung_up) != 0;
    }
};

/// Connections that wait in a row and belong to it meanwhile. Its owner locks.
class connection_row {
public:
    connection_row() = default;
    connection_row(const connection_row&) = delete;
    connection_row& operator=(const connection_row&) = delete;

    bool empty() const noexcept { return !first_; }
    void append(connection& c) noexcept {
        c.behind = nullptr;
        *end_ = &c;
        end_ = &c.behind;
    }
    /// Takes one out; nullptr: none fits.
    template <class Fits>
    connection* take_first(Fits fits) noexcept {
        for (connection** at = &first_; *at; at = &(*at)->behind)
            if (fits(**at)) return take(*at);
        return nullptr;
    }
    template <class Fits>
    connection* take_last(Fits fits) noexcept {
        connection** last = nullptr;
        for (connection** at = &first_; *at; at = &(*at)->behind)
            if (fits(**at)) last = at;
        return last ? take(*last) : nullptr;
    }

private:
    connection* take(connection*& at) noexcept {
        connection* const taken = at;
        at = taken->behind;
        if (end_ == &taken->behind) end_ = &at;
        return taken;
    }

    connection* first_ = nullptr;
    connection** end_ = &first_;  // where the next one goes
};

/// Connections by file descriptor, in chunks that stay where they are.
class connection_table {
public:
    connection_table() = default;
    ~connection_table() {
        for (std::size_t index = 0; index != count_; ++index)
            delete[] chunks_[index].load();
        delete[] chunks_;
    }
    connection_table(const connection_table&) = delete;
    connection_table& operator=(const connection_table&) = delete;

    /// Called once, before anything else.
    void make_room(std::size_t most) {
        const std::size_t count = (most + per_chunk - 1) / per_chunk;
        chunks_ = new std::atomic<connection*>[count]();
        count_ = count;
    }
    std::size_t size() const noexcept { return count_ * per_chunk; }

    template <class Function>
    void for_each(Function function) const {
        for (std::size_t index = 0; index != count_; ++index)
            if (connection* first = chunks_[index].load(std::memory_order_acquire))
                for (connection* each = first; each != first + per_chunk; ++each)
                    function(*each);
    }

    /// nullptr: no connection ever had this number.
    connection* find(std::size_t fd) const noexcept {
        connection* chunk = chunks_[fd / per_chunk].load(std::memory_order_acquire);
        return chunk ? chunk + fd % per_chunk : nullptr;
    }
    connection& make(std::size_t fd) {  // called by one thread only
        auto& chunk = chunks_[fd / per_chunk];
        if (!chunk.load(std::memory_order_relaxed))
            chunk.store(new connection[per_chunk], std::memory_order_release);
        return *find(fd);
    }

private:
    static constexpr std::size_t per_chunk = 64;
    std::size_t count_ = 0;
    std::atomic<connection*>* chunks_ = nullptr;
};

}  // namespace soapsvc::detail

#endif  // SOAPSVC_NO_HOST

// ================================================================================================
// [loop] Threads, deadlines, a clean stop
// ================================================================================================
// No connection holds a thread while it waits, in either direction: all workers wait on one
// edge-triggered epoll set; whoever is woken owns the connection until it would block, so a busy
// connection costs one epoll_wait, one read and one write per request and no other system call.
// Rejected: a thread per connection (idle clients use up the pool), and a loop
// thread that hands requests to workers (two context switches each). The thread in serve() reads
// requests only when every worker is stuck in a handler; then it queues them, and answers 503 when
// the queue is full.

#if !defined(SOAPSVC_NO_HOST)

namespace soapsvc::detail {

/// Whether a thread serves requests, or only collects them for others.
enum class duty : std::uint8_t { serve, collect };

/// What a connection may have a thread do in one turn. Whoever has used up any of it goes to the
/// end of the queue: so nobody holds a thread by sending without end, not even what carries
/// nothing. The thread that accepts gives less, because all others wait for it.
struct turn_budget {
    int reads = 64;  // from the kernel; a TLS record takes two
    int writes = 64;  // to the kernel; with TLS, of 16 KiB at most
    int requests = 64;
    std::ptrdiff_t bytes = 262'144;  // read: a chunk's line costs time, and may carry one byte
    /// No further request after that: one may take long, to unpack or to check a password.
    steady::time_point until = steady::now() + std::chrono::milliseconds(5);

    static turn_budget of(duty task) noexcept {
        return task == duty::serve ? turn_budget{} : turn_budget{8, 8, 1, 16'384};
    }
    bool is_used_up() const noexcept {
        return reads <= 0 || writes <= 0 || requests <= 0 || bytes <= 0;
    }
};

/// What a thread works with and hands on; warm, so that a call allocates nothing of it. During its
/// turn a connection's request is here, and nowhere else: so closing the connection frees nothing
/// that is still looked at.
struct workbench {
    explicit workbench(duty given) noexcept : task(given) {}

    const duty task;
    incoming fresh;  // what is read; most requests never leave it
    std::unique_ptr<incoming> begun;  // what the connection had kept
    http_reply reply;
    std::string text, unpacked, packed, local, joined;
    turn_budget left;
    wait_observer* observer = nullptr;  // of a worker

    incoming& request() noexcept { return begun ? *begun : fresh; }
    void pick_up(connection& c) noexcept {
        fresh.clear();
        begun = std::move(c.begun);
    }
    void put_down(connection& c) {
        if (begun && !begun->empty()) {
            begun->shrink();
            c.begun = std::move(begun);
        } else if (!fresh.empty()) {
            c.begun = fresh.take_out();
        }
        begun.reset();
    }
    void drop() noexcept {
        fresh.clear();
        begun.reset();
    }
};

/// Decides which workers run. `most` do; the others rest until one that runs says that it waits,
/// and whoever is too many when it comes back rests in its place. Not all may wait at once: see
/// blocking_section.
class worker_crew {
public:
    worker_crew(std::size_t most, std::size_t all) noexcept
        : most_(most), all_(all), running_(all) {}

    /// Called by a worker between two requests. Returns when it may run, or all should end.
    void rest_if_too_many() {
        if (running_.load(std::memory_order_relaxed) <= most_) return;
        std::unique_lock lock(mutex_);
        if (running_ <= most_ || finished_) return;
        --running_;
        ++resting_;
        called_.wait(lock, [this] { return calls_ != 0 || finished_; });
        --resting_;
        if (calls_ != 0)
            --calls_;  // whoever called has counted this worker in
        else
            ++running_;
    }
    /// A place among those who may wait; false: all are taken.
    bool take_place() {
        const std::lock_guard lock(mutex_);
        if (places_taken_ >= may_wait()) return false;
        ++places_taken_;
        return true;
    }
    void give_place() {
        const std::lock_guard lock(mutex_);
        --places_taken_;
    }
    /// Call with a place taken.
    void begin_wait() {
        {
            const std::lock_guard lock(mutex_);
            --running_;
            if (running_ >= most_ || resting_ == calls_) return;
            ++running_;
            ++calls_;
        }
        called_.notify_one();
    }
    void end_wait() {
        const std::lock_guard lock(mutex_);
        ++running_;
    }
    /// How many more may wait.
    std::size_t room() {
        const std::lock_guard lock(mutex_);
        return may_wait() - std::min(may_wait(), places_taken_);
    }
    /// So many of all could not be started; meanwhile too many others may have gone to rest.
    void do_without(std::size_t missing) {
        const std::lock_guard lock(mutex_);
        all_ -= missing;
        running_ -= missing;
        for (; running_ < most_ && resting_ != calls_; ++running_, ++calls_)
            called_.notify_one();
    }
    void finish() {
        const std::lock_guard lock(mutex_);
        finished_ = true;
        called_.notify_all();
    }

private:
    std::size_t may_wait() const noexcept { return all_ - std::min(most_, all_ / 4); }

    const std::size_t most_;
    std::size_t all_;
    std::mutex mutex_;
    std::condition_variable called_;
    std::size_t places_taken_ = 0;
    std::atomic<std::size_t> running_;  // changed under the mutex, looked at without
    std::size_t resting_ = 0;
    std::size_t calls_ = 0;  // of resting workers that have not come yet
    bool finished_ = false;
};

/// Owns the sockets and the threads. How they share the work stands where the section begins.
class reactor {
public:
    reactor(const offered_services& services, const host_options& options);
    ~reactor() { close_all(); }
    reactor(const reactor&) = delete;
    reactor& operator=(const reactor&) = delete;

    void listen(descriptor fd, audience who);
    void run();  ///< until `stop`
    void stop() noexcept;
    void reload();
    host_statistics statistics() const;

private:
    enum class outcome : std::uint8_t { waits, gone, queued };
    enum class received : std::uint8_t { bytes, nothing, end, error };

    /// Per worker, on a cache line of its own: whether it looks at the set, and how often it did.
    struct alignas(64) worker_mark {
        std::atomic<bool> waiting{false};
        std::atomic<std::uint64_t> turns{0};
        std::thread thread;
    };

    /// A socket, and its address for as long as connections that came to it live: longer, perhaps.
    struct listener {
        descriptor fd;
        audience who = audience::everyone;
        std::string address;
    };

    /// A candidate for closing; looked at again (deadline, generation) before it is closed.
    struct idle_connection {
        bool holds = false;  // bytes: it is in the middle of something
        std::int64_t deadline = 0;
        std::uint32_t generation = 0;
        connection* at = nullptr;
        // NOLINTNEXTLINE(modernize-use-nullptr): the zero is the compiler's own
        auto operator<=>(const idle_connection&) const = default;
    };

    static constexpr std::uint64_t queue_event = 0,
                                   finish_event = 1;  // generation 0: no connection
    static constexpr std::uint64_t no_listener = ~std::uint64_t{0};
    static constexpr std::chrono::milliseconds tick{50}, linger{2'000};

    static void signal(const descriptor& event) noexcept;

    // In the thread of run().
    void start_workers();
    void serve_until_stopped();
    void wait_for_callers(bool stopping);
    void begin_to_stop();
    bool accept_some(const listener& at);
    bool accept_one(const listener& at);
    void accept_without_descriptor(const listener& at);
    void refuse_connection(descriptor fd, const sockaddr_storage& from, std::string_view why);
    void open_connection(descriptor fd, const sockaddr_storage& from, const listener& at);
    void sweep(steady::time_point now, workbench& bench);
    void sweep_one(connection& c, workbench& bench, std::uint32_t generation, std::int64_t now);
    void help_stuck_workers(workbench& bench);
    void notice(std::string_view what);
    bool close_longest_idle();
    void find_longest_idle();

    // In every thread, for a connection that it owns, with what the thread works with.
    void serve_events(worker_mark& mark);
    wait_observer observe_waiting();
    void give_place();
    void take_event(const epoll_event& event, workbench& bench);
    void take_turns(connection& c, workbench& bench);
    template <class Turn>
    outcome guarded(connection& c, workbench& bench, Turn turn);
    outcome give_up(connection& c, workbench& bench, std::string_view why);
    void turn_out(connection& c, std::string_view why);
    outcome hang_up(connection& c);
    outcome take_turn(connection& c, workbench& bench, bool sweeping);
    outcome go_on(connection& c, workbench& bench);
    outcome greet(connection& c, workbench& bench);
    outcome fail_to_greet(connection& c, workbench& bench, int why);
    outcome answer_plain(connection& c, workbench& bench);
    void tell_handshake(const connection& c, int status, std::string_view why) const;
    void tell_refused(connection& c, workbench& bench, http_refusal why) const;
    outcome read_requests(connection& c, workbench& bench);
    outcome read_on(connection& c, workbench& bench, bool& progress);
    outcome serve_complete(connection& c, workbench& bench);
    outcome put_off(connection& c, workbench& bench);
    outcome await_room(connection& c, workbench& bench, const incoming& complete);
    bool let_in();
    outcome answer(connection& c, workbench& bench, const incoming& request);
    outcome refuse_body(connection& c, workbench& bench, const incoming& request);
    outcome send_reply(connection& c, workbench& bench, const http_head& asked, bool close);
    outcome begin_stream(connection& c, workbench& bench, const http_head& asked, bool close);
    bool next_piece(connection& c, workbench& bench);
    outcome refuse(connection& c, workbench& bench, http_refusal why);
    outcome transmit(connection& c, workbench& bench, std::string_view head, std::string_view body);
    outcome flush(connection& c, workbench& bench);
    outcome after_sending(connection& c);
    outcome drain(connection& c);
    outcome enqueue(connection& c, bool is_complete);
    outcome close(connection& c);
    http_request facts_of(connection& c, workbench& bench, const incoming& request) const;
    received receive(connection& c, workbench& bench, std::span<char> room, std::size_t& got) const;
    received receive_more(connection& c, workbench& bench, bool& drained) const;
    std::ptrdiff_t send(
        connection& c, workbench& bench, std::string_view head, std::string_view body) const;
    std::ptrdiff_t send_tls(
        connection& c, workbench& bench, std::string_view head, std::string_view body) const;
    bool put_down(connection& c, workbench& bench);
    void charge(connection& c, workbench& bench, const incoming& request);
    bool account(connection& c, const incoming* request);
    bool make_room(connection& c);
    bool make_room_in_queue(connection& c);
    bool is_late(connection& c) const;
    bool keeps_up(connection& c, steady::time_point now) const;
    void forget_request(connection& c, workbench& bench);
    void set_deadline(connection& c) const;
    connection* next_queued();
    connection* next_incomplete();
    connection* last_queued(const share* of);
    connection* unqueue(connection* taken);
    void close_all();

    const offered_services& services_;
    const host_options& options_;
    const http_bounds bounds_;
    std::size_t most_connections_ = 0;
    connection_table table_;
    share_table shares_;
    std::vector<listener> listeners_;
    descriptor set_;  // the connections; all workers wait on it
    descriptor own_set_;  // listeners and stop_event_; the thread of run() waits on it
    descriptor stop_event_;  // eventfd in own_set_
    descriptor queue_event_;  // eventfd in set_: something was queued
    descriptor finish_event_;  // eventfd in set_: workers end
    descriptor reserve_;  // given up to accept and refuse when descriptors run out
    std::mutex tls_mutex_;
    tls_context tls_;  // new connections get the present one; open ones keep theirs
    const bool is_tls_;
    std::mutex queue_mutex_;
    connection_row queue_;
    connection_row line_;  // of calls that wait for room to wait
    std::atomic<std::size_t> line_length_{0};
    std::atomic<std::size_t> queue_length_{0};
    std::atomic<std::size_t> complete_{0};  // of these, with a complete request
    std::atomic<std::size_t> open_{0};
    std::atomic<std::size_t> held_{0};
    std::atomic<std::uint64_t> accepted_{0}, refused_{0};
    std::atomic<bool> stopping_{false}, finished_{false};
    std::vector<worker_mark> marks_;
    worker_crew crew_;
    // Of the thread of run() alone:
    steady::time_point stop_by_ = steady::time_point::max();
    std::uint64_t turns_seen_ = 0;
    bool all_were_busy_ = false;
    steady::time_point noticed_{};
    std::vector<idle_connection> longest_idle_;  // the longest last
    steady::time_point longest_idle_at_{};
    bool all_were_in_use_ = false;
};

/// How much of `out` has arrived at the peer: of what was sent, a part may wait in the kernel.
inline std::ptrdiff_t taken_by_peer(const connection& c) noexcept {
    int waiting = 0;
    if (::ioctl(c.fd, TIOCOUTQ, &waiting) != 0) waiting = 0;
    return static_cast<std::ptrdiff_t>(c.sent) - waiting;
}

inline std::int64_t milliseconds(steady::time_point at) noexcept {
    return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

inline void watch(const descriptor& set, int fd, std::uint32_t events, std::uint64_t data) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = data;
    if (::epoll_ctl(set.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        throw_errno("cannot watch a socket");
}

inline std::size_t worker_count(const host_options& options) {
    if (options.threads != 0) return options.threads;
    return std::max<std::size_t>(4, 2 * std::size_t{std::thread::hardware_concurrency()});
}

inline reactor::reactor(const offered_services& services, const host_options& options)
    : services_(services),
      options_(options),
      bounds_{
          options.header_bytes,
          options.header_fields,
          options.target_bytes,
          options.limits.body_bytes},
      set_(::epoll_create1(EPOLL_CLOEXEC)),
      own_set_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      queue_event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      finish_event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      reserve_(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      tls_(make_tls_context(options)),
      is_tls_(tls_.get() != nullptr),
      marks_(worker_count(options) + options.spare_threads),
      crew_(worker_count(options), marks_.size()) {
    ignore_broken_pipes();
    const std::size_t descriptors = raise_descriptor_limit();
    // A part is left to the rest of the program: handlers open files and databases.
    const std::size_t ours = descriptors - std::min(descriptors / 4, std::size_t{128});
    most_connections_ = std::max<std::size_t>(1, std::min(options.connections, ours));
    // Numbers of descriptors may be higher than their count: others of the program lie between.
    table_.make_room(std::min<std::size_t>(descriptors, 4 * most_connections_ + 4'096));
    if (set_.get() < 0 || own_set_.get() < 0 || stop_event_.get() < 0 || queue_event_.get() < 0 ||
        finish_event_.get() < 0)
        throw_errno("cannot set up the host");
    watch(own_set_, stop_event_.get(), EPOLLIN, no_listener);
    watch(set_, queue_event_.get(), EPOLLIN | EPOLLET, queue_event);
    watch(set_, finish_event_.get(), EPOLLIN, finish_event);
}

inline void reactor::listen(descriptor fd, audience who) {
    watch(own_set_, fd.get(), EPOLLIN, listeners_.size());
    std::string address = local_address(fd.get()).address;
    listeners_.push_back({std::move(fd), who, std::move(address)});
}

/// Nothing but a write, and errno as it was: this is called by signal handlers.
inline void reactor::signal(const descriptor& event) noexcept {
    const int error = errno;
    const std::uint64_t one = 1;
    static_cast<void>(!::write(event.get(), &one, sizeof one));
    errno = error;
}

inline void reactor::stop() noexcept { signal(stop_event_); }

inline void reactor::reload() {
    tls_context fresh = make_tls_context(options_);
    const std::lock_guard lock(tls_mutex_);
    tls_ = std::move(fresh);
}

inline host_statistics reactor::statistics() const {
    host_statistics now;
    now.connections = open_.load();
    now.queued = complete_.load() + line_length_.load();
    now.accepted = accepted_.load();
    now.refused = refused_.load();
    table_.for_each([&now](const connection& c) {
        const std::uint64_t state =
            c.ticket.load(std::memory_order_relaxed) & connection::state_bits;
        if (state == connection::waiting) ++now.parked;
    });
    return now;
}

// --- The thread of run(): accepting, deadlines, stopping -----------------------------------------

inline void reactor::run() {
    if (listeners_.empty())
        throw std::logic_error(
            "soapsvc: the host listens nowhere; call bind or bind_unix before serve");
    const auto finish = [this] {
        finished_ = true;
        crew_.finish();
        signal(finish_event_);
        for (worker_mark& mark : marks_)
            if (mark.thread.joinable()) mark.thread.join();
        close_all();
    };
    try {
        start_workers();
        serve_until_stopped();
    } catch (...) {
        finish();
        throw;
    }
    finish();
}

/// With a limit on threads, or on memory for their stacks, some of the spare ones may be missing.
inline void reactor::start_workers() {
    std::size_t started = 0;
    for (worker_mark& mark : marks_) {
        try {
            mark.thread = std::thread([this, &mark] { serve_events(mark); });
        } catch (const std::system_error&) {
            if (started < worker_count(options_)) throw;
            crew_.do_without(marks_.size() - started);
            return notice(
                "the system starts no more threads: of " + std::to_string(options_.spare_threads) +
                " spare workers " + std::to_string(marks_.size() - started) + " are missing");
        }
        ++started;
    }
}

inline void reactor::serve_until_stopped() {
    steady::time_point next{};
    workbench bench(duty::collect);
    for (unsigned turn = 0; !stopping_ || (open_ != 0 && steady::now() < stop_by_);) {
        wait_for_callers(stopping_);
        const auto now = steady::now();
        if (now < next) continue;
        next = now + tick;
        help_stuck_workers(bench);
        // Who was let in and did not wait after all lets in nobody.
        for (std::size_t room = line_length_ == 0 ? 0 : crew_.room(); room != 0 && let_in(); --room)
            continue;
        if (++turn % 5 == 0 || stopping_) sweep(now, bench);
    }
}

/// Waits a tick at most; for ever while there is nobody whose deadline could pass.
inline void reactor::wait_for_callers(bool stopping) {
    epoll_event events[16];
    const bool idle = open_ == 0 && !stopping;
    const int patience = idle ? -1 : static_cast<int>(stopping ? tick.count() / 5 : tick.count());
    const int count = ::epoll_wait(own_set_.get(), events, 16, patience);
    for (int index = 0; index < count; ++index) {
        const std::uint64_t number = events[index].data.u64;
        if (number == no_listener) return begin_to_stop();
        accept_some(listeners_[number]);
    }
}

/// Callers that the kernel has let in already are taken: their requests may be there.
inline void reactor::begin_to_stop() {
    std::uint64_t count = 0;
    static_cast<void>(!::read(stop_event_.get(), &count, sizeof count));
    if (stopping_.exchange(true)) return;
    stop_by_ = steady::now() + options_.stop_timeout;
    for (listener& each : listeners_) {
        for (int turn = 0; turn != 16 && accept_some(each); ++turn)
            continue;
        each.fd.reset();
    }
}

inline void reactor::notice(std::string_view what) {
    const auto now = steady::now();
    if (now - noticed_ < std::chrono::seconds(1)) return;
    noticed_ = now;
    tell_safely([&] { options_.on_notice ? options_.on_notice(what) : tell_standard_error(what); });
}

/// Whether there may be more to accept.
inline bool reactor::accept_some(const listener& at) {
    for (int turn = 0; turn != 256; ++turn) {
        try {
            if (!accept_one(at)) return false;
        } catch (const std::exception&) {  // out of memory: this caller is not taken, others may be
            notice("connections are refused: there is no memory left");
            return false;
        }
    }
    return true;
}

inline bool reactor::accept_one(const listener& at) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    descriptor fd(::accept4(
        at.fd.get(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.get() >= 0) {
        ++accepted_;
        const auto number = static_cast<std::size_t>(fd.get());
        const bool has_place = open_ < most_connections_ || close_longest_idle();
        if (!has_place || number >= table_.size())
            refuse_connection(std::move(fd), from, "all connections that are allowed are open");
        else
            open_connection(std::move(fd), from, at);
        return true;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
    if (errno == EMFILE || errno == ENFILE) {
        accept_without_descriptor(at);
    } else if (errno == ENOBUFS || errno == ENOMEM) {
        notice("connections are refused: the kernel has no memory left");
        std::this_thread::sleep_for(tick / 5);  // the listener stays ready: do not spin
    } else {
        return true;  // the caller has gone again, or the network says so (accept(2), NOTES)
    }
    return false;
}

/// The caller is told, instead of waiting in the kernel's queue until it gives up.
inline void reactor::accept_without_descriptor(const listener& at) {
    reserve_.reset();
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    descriptor fd(::accept4(
        at.fd.get(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.get() < 0) std::this_thread::sleep_for(tick / 5);  // another thread took it: do not spin
    refuse_connection(std::move(fd), from, "there are no file descriptors left");
    reserve_ = descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

inline void reactor::refuse_connection(
    descriptor fd, const sockaddr_storage& from, std::string_view why) {
    ++refused_;
    const bool is_told = !is_tls_ && fd.get() >= 0;
    const std::string peer = read_address(from).address;
    http_request facts;
    facts.peer = peer;
    services_.report_refusal(report_kind::connection, facts, is_told ? 503 : 0, why);
    if (is_told) {
        http_reply reply;
        reply.status = 503;
        add_header(reply, "Retry-After", "1");
        std::string text;
        write_head(text, reply, 0, false, false);
        ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        ::shutdown(fd.get(), SHUT_WR);
        char scratch[4'096];  // closing over unread bytes would reset the connection, reply and all
        for (int turn = 0; turn != 16; ++turn)
            if (::recv(fd.get(), scratch, sizeof scratch, MSG_DONTWAIT) <= 0) break;
    }
    notice("connections are refused: " + std::string(why));
}

inline void reactor::open_connection(
    descriptor fd, const sockaddr_storage& from, const listener& at) {
    connection& c = table_.make(static_cast<std::size_t>(fd.get()));
    // Acquires what the thread did that closed the connection which had this number before.
    const std::uint64_t generation = (c.ticket.load(std::memory_order_acquire) >> 32) + 1;
    const int on = options_.tcp_nodelay ? 1 : 0;
    if (from.ss_family != AF_UNIX) ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    c.peer = read_address(from).address;
    c.listener = at.who;
    c.listening_on = at.address;
    c.is_proxy = services_.is_trusted(c.peer);
    c.home = &shares_.join(share_key(c.peer));
    c.charged = &shares_.join(c.home->key);
    if (is_tls_) {
        const std::lock_guard lock(tls_mutex_);
        c.tls = ::SSL_new(tls_.get());
        if (!c.tls || ::SSL_set_fd(c.tls, fd.get()) != 1) {
            ::SSL_free(std::exchange(c.tls, nullptr));
            shares_.leave(*c.home);
            shares_.leave(*c.charged);
            throw std::bad_alloc();
        }
        ::SSL_set_accept_state(c.tls);
    }
    c.greeted = !is_tls_;
    const auto patience = c.greeted ? options_.idle_timeout : options_.header_timeout;
    c.deadline = milliseconds(steady::now() + patience);
    ++c.home->connections;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.u64 = generation << 32 | static_cast<std::uint32_t>(fd.get());
    c.fd = fd.release();  // close() of the connection closes it from now on
    ++open_;
    c.ticket.store(generation << 32 | connection::waiting, std::memory_order_release);
    if (::epoll_ctl(set_.get(), EPOLL_CTL_ADD, c.fd, &event) == 0) return;
    if (c.claim(static_cast<std::uint32_t>(generation), false)) close(c);
    refuse_connection(descriptor(), from, "the kernel watches no more sockets");
}

/// Closes a connection of the address that has most of them: the one that has been idle longest, or
/// when none is, has waited longest. False: all of them are busy. At once, without a word to those
/// who had begun a request: who lingers to hear it has not given up anything yet.
inline bool reactor::close_longest_idle() {
    const auto now = steady::now();
    const bool stale = now - longest_idle_at_ > tick;
    if (stale) longest_idle_.clear();
    for (bool may_look = stale || !all_were_in_use_;;) {
        if (longest_idle_.empty()) {
            if (!std::exchange(may_look, false)) return false;
            longest_idle_at_ = now;
            find_longest_idle();
            all_were_in_use_ = longest_idle_.empty();
            continue;
        }
        const idle_connection next = longest_idle_.back();
        longest_idle_.pop_back();
        connection& c = *next.at;
        if (c.deadline != next.deadline || !c.claim(next.generation, false)) continue;
        notice("all connections are taken: the address that has most gives up idle ones");
        hang_up(c);
        return true;
    }
}

/// Several at a time, because looking at all of them for each caller would be a way to attack.
inline void reactor::find_longest_idle() {
    const auto [greediest, most] = shares_.greediest(&share::connections);
    std::vector<idle_connection> found;
    table_.for_each([&, of = greediest, all = most == 1](connection& c) {
        const std::uint64_t ticket = c.ticket.load(std::memory_order_acquire);
        if ((ticket & connection::state_bits) != connection::waiting) return;
        if (c.home != of && !all) return;
        found.push_back(
            {c.held.load(std::memory_order_relaxed) != 0,
             c.deadline.load(std::memory_order_relaxed),
             static_cast<std::uint32_t>(ticket >> 32),
             &c});
    });
    const auto enough =
        static_cast<std::ptrdiff_t>(std::min({found.size(), most / 16 + 1, std::size_t{64}}));
    std::partial_sort(found.begin(), found.begin() + enough, found.end());
    longest_idle_.assign(std::make_reverse_iterator(found.begin() + enough), found.rend());
}

/// Looks at all connections: the few that are late are ended. A timer per connection would cost
/// more: ten thousand tickets are read in well under a millisecond, four times a second.
inline void reactor::sweep(steady::time_point now, workbench& bench) {
    const std::int64_t moment = milliseconds(now);
    table_.for_each([&](connection& c) {
        const std::uint64_t ticket = c.ticket.load(std::memory_order_acquire);
        if ((ticket & connection::state_bits) != connection::waiting) return;
        if (stopping_ || c.deadline.load(std::memory_order_relaxed) <= moment)
            sweep_one(c, bench, static_cast<std::uint32_t>(ticket >> 32), moment);
    });
}

/// What came at the last moment counts, for as long as that leaves time for others: then the late
/// are ended as they are, and the others are looked at by the next sweep.
inline void reactor::sweep_one(
    connection& c, workbench& bench, std::uint32_t generation, std::int64_t now) {
    const bool in_time = milliseconds(steady::now()) - now <= tick.count();
    const bool late = c.deadline.load(std::memory_order_relaxed) <= now;
    if ((!in_time && !late) || !c.claim(generation, false)) return;
    bench.left = turn_budget::of(bench.task);
    if (!in_time) bench.left.reads = 0;
    const auto turn = [&] { return take_turn(c, bench, true); };
    const outcome done = guarded(c, bench, turn);
    bench.drop();
    if (done == outcome::waits && !c.release()) take_turns(c, bench);
}

/// When no worker was free at two ticks in a row, and all together have done less than a queue's
/// worth in between, then this thread reads requests: so deadlines hold, and callers hear of it
/// when the queue is full. Workers that are merely busy are left alone.
inline void reactor::help_stuck_workers(workbench& bench) {
    bool all_are_busy = true;
    std::uint64_t turns = 0;
    for (const worker_mark& mark : marks_) {
        if (mark.waiting.load(std::memory_order_relaxed)) all_are_busy = false;
        turns += mark.turns.load(std::memory_order_relaxed);
    }
    const bool slow = turns - std::exchange(turns_seen_, turns) <= options_.queue;
    if (!std::exchange(all_were_busy_, all_are_busy) || !all_are_busy || !slow) return;
    const auto until = steady::now() + tick / 5;
    // Who has used up a turn waits in the queue, from which nobody takes just now.
    for (std::size_t most = queue_length_; most != 0 && steady::now() < until; --most) {
        connection* c = next_incomplete();
        if (!c) break;
        take_turns(*c, bench);
    }
    while (steady::now() < until) {
        epoll_event events[16];  // all of which are looked at: they come only once
        const int count = ::epoll_wait(set_.get(), events, 16, 0);
        for (int index = 0; index < count; ++index)
            take_event(events[index], bench);
        if (count < 16) break;
    }
    if (queue_length_ != 0) signal(queue_event_);  // whose edge may have been taken here
}

// --- Every worker --------------------------------------------------------------------------------

/// How calls tell the crew that they wait. Whoever has taken no place beforehand does so now.
inline wait_observer reactor::observe_waiting() {
    return {
        this,
        [](void* self, bool has_place) {
            worker_crew& crew = static_cast<reactor*>(self)->crew_;
            if (!has_place && !crew.take_place()) return false;
            crew.begin_wait();
            return true;
        },
        [](void* self, bool has_place) {
            static_cast<reactor*>(self)->crew_.end_wait();
            if (!has_place) static_cast<reactor*>(self)->give_place();
        },
        [](void* self) { return static_cast<reactor*>(self)->crew_.take_place(); },
        [](void* self) { static_cast<reactor*>(self)->give_place(); }};
}

inline void reactor::give_place() {
    crew_.give_place();
    let_in();
}

/// Takes from the queue and from the set in turn while both have something: a caller that is put
/// off for sending without end must not come before all others.
inline void reactor::serve_events(worker_mark& mark) {
    wait_observer observer = observe_waiting();
    this_worker = &observer;
    workbench bench(duty::serve);
    bench.observer = &observer;
    bool from_queue = false;
    while (!finished_.load(std::memory_order_relaxed)) {
        crew_.rest_if_too_many();
        mark.turns.fetch_add(1, std::memory_order_relaxed);
        const bool queued = queue_length_.load(std::memory_order_acquire) != 0;
        from_queue = queued && !from_queue;
        if (from_queue) {
            if (connection* c = next_queued()) take_turns(*c, bench);
            continue;
        }
        epoll_event event{};
        mark.waiting.store(!queued, std::memory_order_relaxed);
        int count = ::epoll_wait(set_.get(), &event, 1, 0);
        if (count == 0 && !queued) {
            // Under load the next request is there when others have had the core for a moment. To
            // sleep and be woken costs more than that, and a third of all requests per second.
            std::this_thread::yield();
            count = ::epoll_wait(set_.get(), &event, 1, -1);
        }
        mark.waiting.store(false, std::memory_order_relaxed);
        if (count == 1) take_event(event, bench);
    }
}

inline void reactor::take_event(const epoll_event& event, workbench& bench) {
    const std::uint64_t data = event.data.u64;
    if (data <= finish_event) return;  // the loop of serve_events() looks for itself
    connection* c = table_.find(static_cast<std::uint32_t>(data));
    const bool hang_up = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    if (c && c->claim(static_cast<std::uint32_t>(data >> 32), hang_up)) take_turns(*c, bench);
}

inline connection* reactor::next_queued() {
    const std::lock_guard lock(queue_mutex_);
    connection* const c = unqueue(queue_.take_first([](const connection&) { return true; }));
    if (!queue_.empty()) signal(queue_event_);  // one more worker may help
    return c;
}

/// The first connection that was queued for more reading, ahead of complete requests.
inline connection* reactor::next_incomplete() {
    const std::lock_guard lock(queue_mutex_);
    return unqueue(queue_.take_first([](const connection& each) { return !each.is_complete; }));
}

/// A call that would wait, when no more may: it stands in line without a thread until one of those
/// who wait has done so.
inline reactor::outcome reactor::await_room(
    connection& c, workbench& bench, const incoming& complete) {
    if (line_length_ >= options_.queue) {
        services_.refuse(
            facts_of(c, bench, complete), 503, "too many calls are waiting already", bench.reply);
        return send_reply(c, bench, complete.head(), true);
    }
    if (!put_down(c, bench)) return refuse(c, bench, {503, "too many unfinished requests"});
    {
        const std::lock_guard lock(queue_mutex_);
        line_.append(c);
        ++line_length_;
    }
    if (crew_.room() != 0) let_in();  // there is some since it was looked for
    return outcome::queued;
}

/// The first in the line goes to the queue. False: there is nobody.
inline bool reactor::let_in() {
    if (line_length_ == 0) return false;
    connection* c = nullptr;
    {
        const std::lock_guard lock(queue_mutex_);
        c = line_.take_first([](const connection&) { return true; });
        if (!c) return false;
        --line_length_;
    }
    enqueue(*c, true);
    return true;
}

/// The last complete request of an address; nullptr: it has none.
inline connection* reactor::last_queued(const share* of) {
    const std::lock_guard lock(queue_mutex_);
    return unqueue(queue_.take_last(
        [of](const connection& each) { return each.is_complete && each.charged == of; }));
}

/// Corrects the counters for a connection that was taken out, under the mutex; nullptr: none was.
inline connection* reactor::unqueue(connection* taken) {
    if (!taken) return nullptr;
    queue_length_.fetch_sub(1, std::memory_order_release);
    if (!taken->is_complete) return taken;
    --complete_;
    --taken->charged.load()->queued;
    return taken;
}

/// A queued connection stays owned, by the queue: neither events nor the sweeper touch it.
inline reactor::outcome reactor::enqueue(connection& c, bool is_complete) {
    c.is_complete = is_complete;
    if (is_complete) {
        ++complete_;
        ++c.charged.load()->queued;
    }
    {
        const std::lock_guard lock(queue_mutex_);
        queue_.append(c);
        queue_length_.fetch_add(1, std::memory_order_release);
    }
    signal(queue_event_);
    return outcome::queued;
}

/// Serves an owned connection until it would block or has had its turn, and gives it back.
inline void reactor::take_turns(connection& c, workbench& bench) {
    bench.left = turn_budget::of(bench.task);
    do {
        const auto turn = [&] { return take_turn(c, bench, false); };
        if (guarded(c, bench, turn) != outcome::waits) break;
    } while (!c.release());
    bench.drop();
}

/// A turn ends here, with what is left of the budget: in time, at the end of the queue, or late.
/// The busy have deadlines, too: the sweeper would never find them waiting.
inline reactor::outcome reactor::take_turn(connection& c, workbench& bench, bool sweeping) {
    if (const outcome done = go_on(c, bench); done != outcome::waits) return done;
    const bool used_up = bench.left.is_used_up();
    const bool late = is_late(c);
    const bool open = c.out.empty() && c.now == connection::phase::open;
    const bool mid_request = open && c.begun && !c.begun->is_fresh();
    if (late && mid_request) return refuse(c, bench, {408, "the request did not arrive in time"});
    const bool may_stay = !stopping_ || !open || mid_request || (!sweeping && !used_up);
    if (!late && may_stay) return used_up ? enqueue(c, false) : outcome::waits;
    if (late && !c.greeted) tell_handshake(c, 0, "it did not end in time");
    return hang_up(c);
}

inline reactor::outcome reactor::hang_up(connection& c) {
    // One that lingers has said so already: OpenSSL would read then. A reply that was cut off must
    // not look as if it had ended.
    if (c.tls && c.greeted && c.now == connection::phase::open && !c.rest) ::SSL_shutdown(c.tls);
    return close(c);
}

/// Whether its time is over. Whoever sends a body or takes a reply fast enough gets more of it.
inline bool reactor::is_late(connection& c) const {
    const auto now = steady::now();
    return c.deadline.load(std::memory_order_relaxed) <= milliseconds(now) && !keeps_up(c, now);
}

inline bool reactor::keeps_up(connection& c, steady::time_point now) const {
    const auto enough = [this](auto bytes, std::chrono::milliseconds time) {
        const auto least = static_cast<std::int64_t>(options_.lowest_rate) * time.count() / 1'000;
        return static_cast<std::int64_t>(bytes) >= std::max<std::int64_t>(least, 1);
    };
    if (c.now != connection::phase::open) return false;
    if (!c.out.empty()) {
        const std::ptrdiff_t before = std::exchange(c.taken, taken_by_peer(c));
        const auto last = c.rest ? steady::time_point::max() : c.replied + options_.reply_timeout;
        if (!enough(c.taken - before, options_.write_timeout) || now >= last) return false;
        c.deadline = milliseconds(std::min(now + options_.write_timeout, last));
        return true;
    }
    if (!c.begun || !c.begun->is_in_body() || !c.begun->measured) return false;
    const std::size_t before = std::exchange(*c.begun->measured, c.begun->body().size());
    const auto last = c.begun->began + options_.request_timeout;
    if (!enough(*c.begun->measured - before, options_.silence_timeout) || now >= last) return false;
    c.deadline = milliseconds(std::min(now + options_.silence_timeout, last));
    return true;
}

template <class Turn>
reactor::outcome reactor::guarded(connection& c, workbench& bench, Turn turn) {
    try {
        return turn();
    } catch (const std::exception&) {  // mostly for lack of memory: it cannot go on
        return give_up(c, bench, "the server is out of memory");
    }
}

/// A reply of one line, made without memory, after which the connection ends. `field` is one more
/// header field with its line end, or empty.
struct short_reply {
    short_reply(const char* status, const char* field, std::string_view why) {
        const int made = std::snprintf(
            text.data(),
            text.size(),
            "HTTP/1.1 %s\r\nDate: %s\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: %zu\r\n%sConnection: close\r\n\r\n%s: %.*s\n",
            status,
            http_date().data(),
            std::strlen(status) + why.size() + 3,
            field,
            status,
            static_cast<int>(why.size()),
            why.data());
        bytes = {text.data(), std::min(static_cast<std::size_t>(made), text.size() - 1)};
    }
    short_reply(const short_reply&) = delete;
    std::array<char, 384> text{};
    std::string_view bytes;
};

/// Says so before it closes, unless a reply is on its way, and takes no memory for it.
inline reactor::outcome reactor::give_up(connection& c, workbench& bench, std::string_view why) {
    const bool may_answer = c.greeted && c.out.empty() && c.now == connection::phase::open;
    const short_reply answer("503 Service Unavailable", "Retry-After: 1\r\n", why);
    http_request facts;
    facts.peer = c.peer;
    services_.report_refusal(report_kind::request, facts, may_answer ? 503 : 0, why);
    try {
        forget_request(c, bench);
        c.close_when_sent = true;
        const auto size = static_cast<ssize_t>(answer.bytes.size());
        if (may_answer && send(c, bench, answer.bytes, {}) == size) return after_sending(c);
    } catch (const std::exception&) {  // not even what reads the rest of the request
    }
    return close(c);
}

/// Ends a connection whose turn it is not, but which this thread owns: others need what it has.
inline void reactor::turn_out(connection& c, std::string_view why) {
    workbench bench(duty::collect);
    bench.left = turn_budget::of(bench.task);
    const auto turn = [&] { return give_up(c, bench, why); };
    if (guarded(c, bench, turn) == outcome::waits && !c.release()) take_turns(c, bench);
}

inline reactor::outcome reactor::go_on(connection& c, workbench& bench) {
    if (c.tls) lend_reads(c.tls, bench.left.reads);
    if (!c.greeted) {
        if (const outcome now = greet(c, bench); now != outcome::waits || !c.greeted) return now;
    }
    if (!c.out.empty()) {
        if (const outcome now = flush(c, bench); now != outcome::waits || !c.out.empty())
            return now;
    }
    if (c.now == connection::phase::lingering) return drain(c);
    return read_requests(c, bench);
}

inline reactor::outcome reactor::greet(connection& c, workbench& bench) {
    ::ERR_clear_error();
    const int done = ::SSL_do_handshake(c.tls);
    if (done == 1) {
        c.greeted = true;
        c.subject = certificate_subject(c.tls);
        set_deadline(c);
        return outcome::waits;
    }
    const int why = ::SSL_get_error(c.tls, done);
    const bool goes_on = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
    return goes_on ? outcome::waits : fail_to_greet(c, bench, why);
}

/// Who comes and goes without a word, as those do who look whether a port is open, is not told of.
inline reactor::outcome reactor::fail_to_greet(connection& c, workbench& bench, int why) {
    const unsigned long error = why == SSL_ERROR_SSL ? ::ERR_peek_error() : 0;
    const char* const reason = error != 0 ? ::ERR_reason_error_string(error) : nullptr;
    const bool is_http = error != 0 && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST;
    if (::BIO_number_read(::SSL_get_rbio(c.tls)) != 0)
        tell_handshake(c, is_http ? 400 : 0, reason ? reason : "the connection ended");
    ::ERR_clear_error();
    return is_http ? answer_plain(c, bench) : close(c);
}

/// Who speaks plain HTTP where TLS is spoken hears so in plain HTTP. What is left of the request
/// is read as after every refusal, or its arrival would take the answer from its caller.
inline reactor::outcome reactor::answer_plain(connection& c, workbench& bench) {
    const short_reply answer(
        "400 Bad Request", "", "HTTPS is spoken here; the address must begin with https://");
    ::SSL_free(std::exchange(c.tls, nullptr));
    c.greeted = true;
    c.close_when_sent = true;
    const auto size = static_cast<ssize_t>(answer.bytes.size());
    return send(c, bench, answer.bytes, {}) == size ? after_sending(c) : close(c);
}

inline void reactor::tell_handshake(const connection& c, int status, std::string_view why) const {
    http_request facts;
    facts.peer = c.peer;
    services_.report_refusal(report_kind::handshake, facts, status, why);
}

/// While the request is still there.
inline void reactor::tell_refused(connection& c, workbench& bench, http_refusal why) const {
    if (!options_.on_call) return;
    http_request facts = facts_of(c, bench, c.begun ? *c.begun : bench.request());
    facts.body = {};
    services_.report_refusal(report_kind::request, facts, why.status, why.reason);
}

inline reactor::received reactor::receive(
    connection& c, workbench& bench, std::span<char> room, std::size_t& got) const {
    if (!c.tls) {
        if (bench.left.reads-- <= 0) return received::nothing;
        ssize_t count = 0;
        do {
            count = ::recv(c.fd, room.data(), room.size(), 0);
        } while (count < 0 && errno == EINTR);
        got = count > 0 ? static_cast<std::size_t>(count) : 0;
        if (count > 0) return received::bytes;
        if (count == 0) return received::end;
        return errno == EAGAIN || errno == EWOULDBLOCK ? received::nothing : received::error;
    }
    ::ERR_clear_error();
    const int good = ::SSL_read_ex(c.tls, room.data(), room.size(), &got);
    if (good == 1) return received::bytes;
    got = 0;
    const int why = ::SSL_get_error(c.tls, good);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return received::nothing;
    return why == SSL_ERROR_ZERO_RETURN ? received::end : received::error;
}

/// Reads behind what is there. `drained`: the kernel has no more, and will wake us when it has.
/// Most requests never leave the thread's memory; what is too large for it gets memory of its own.
inline reactor::received reactor::receive_more(
    connection& c, workbench& bench, bool& drained) const {
    if (bench.begun && bench.begun->empty()) bench.begun.reset();
    if (!bench.begun && bench.fresh.is_crowded()) bench.begun = bench.fresh.take_out();
    const std::span<char> room = bench.fresh.room();
    std::size_t got = 0;
    const received what = receive(c, bench, room, got);
    bench.left.bytes -= static_cast<std::ptrdiff_t>(got);
    // After a hang-up there will be no further event, so the end has to be read.
    drained = !c.tls && got < room.size() && !c.has_hung_up();
    bench.fresh.grow(got);
    if (bench.begun && got != 0) {
        bench.begun->append(bench.fresh.text());
        bench.fresh.clear();
    }
    return what;
}

/// Reads and serves until nothing more is there, and leaves an unfinished request with the
/// connection: so idle ones hold no memory.
inline reactor::outcome reactor::read_requests(connection& c, workbench& bench) {
    const std::uint64_t served = c.served;
    bool progress = false;
    bench.pick_up(c);
    if (const outcome now = read_on(c, bench, progress); now != outcome::waits) return now;
    if (!put_down(c, bench)) return refuse(c, bench, {503, "too many unfinished requests"});
    if (progress || c.served != served) set_deadline(c);
    return outcome::waits;
}

inline reactor::outcome reactor::read_on(connection& c, workbench& bench, bool& progress) {
    for (bool drained = false;;) {
        if (!bench.request().empty()) {  // at first: it was queued, or lay behind a reply
            const outcome now = serve_complete(c, bench);
            if (now != outcome::waits || !c.out.empty() || c.now != connection::phase::open)
                return now;
        }
        if (bench.begun) charge(c, bench, *bench.begun);
        if (!account(c, bench.begun.get()))
            return refuse(c, bench, {503, "too many unfinished requests"});
        if (drained || bench.left.is_used_up()) return outcome::waits;
        const received what = receive_more(c, bench, drained);
        if (what == received::error) return close(c);
        if (what == received::nothing) return outcome::waits;
        if (what == received::end) {
            c.ended = true;
            if (bench.request().is_fresh()) {
                if (c.tls) ::SSL_shutdown(c.tls);  // ends our half, too (RFC 8446, 6.1)
                return close(c);
            }
            return refuse(c, bench, {400, "the request ended before it was complete"});
        }
        progress = true;
    }
}

/// Serves the complete requests in order; the last may be unfinished.
inline reactor::outcome reactor::serve_complete(connection& c, workbench& bench) {
    incoming& request = bench.request();
    while (!request.empty() && c.out.empty()) {
        if (request.is_fresh()) request.began = steady::now();
        const http_reader::state now = request.read(bounds_);
        if (now == http_reader::state::refused) return refuse_body(c, bench, request);
        if (now != http_reader::state::complete)
            return request.continue_is_due()
                       ? transmit(c, bench, "HTTP/1.1 100 Continue\r\n\r\n", {})
                       : outcome::waits;
        if (bench.task == duty::collect || bench.left.is_used_up()) return put_off(c, bench);
        --bench.left.requests;
        if (const outcome sent = answer(c, bench, request); sent != outcome::waits) return sent;
        if (steady::now() >= bench.left.until) bench.left.requests = 0;
        if (c.close_when_sent)
            request.clear();  // nothing is read after that (RFC 9112, 9.6)
        else
            request.next();
    }
    return outcome::waits;
}

/// The request is complete, but somebody else is to serve it: a worker when the thread of run() has
/// read it, and any later turn when the caller sends without end.
inline reactor::outcome reactor::put_off(connection& c, workbench& bench) {
    if (!put_down(c, bench)) return refuse(c, bench, {503, "too many unfinished requests"});
    if (bench.task == duty::serve || stopping_ || complete_ < options_.queue ||
        make_room_in_queue(c))
        return enqueue(c, true);
    return refuse(c, bench, {503, "all workers are busy"});
}

/// Leaves the request with its connection. False: the bound on all such bytes is reached.
inline bool reactor::put_down(connection& c, workbench& bench) {
    bench.put_down(c);
    if (c.begun) charge(c, bench, *c.begun);
    return account(c, c.begun.get());
}

/// Behind a trusted proxy it is the caller who holds memory, once the header says who that is.
inline void reactor::charge(connection& c, workbench& bench, const incoming& request) {
    if (!c.is_proxy) return;
    const bool known = !request.head().fields.empty();
    share& next = shares_.join(
        known ? share_key(services_.caller_of(facts_of(c, bench, request))) : c.home->key);
    share& before = *c.charged.exchange(&next);
    const std::size_t held = c.held.load(std::memory_order_relaxed);
    before.bytes -= held;
    next.bytes += held;
    shares_.leave(before);
}

/// Counts the memory of a connection; without touching what all threads share while there is none.
/// False: there is too much, and this connection is the one to give up its part.
inline bool reactor::account(connection& c, const incoming* request) {
    const std::size_t now = (request ? request->memory() : 0) +
                            (c.out.empty() ? 0 : c.out.capacity()) +
                            (c.rest ? c.rest->memory() : 0);
    const std::size_t before = c.held.load(std::memory_order_relaxed);
    if (now == before) return true;
    c.held.store(now, std::memory_order_relaxed);
    c.charged.load()->bytes += now - before;  // wraps around when it shrinks, and back
    const std::size_t total = held_ += now - before;
    return now < before || total <= options_.unfinished_bytes || make_room(c);
}

/// The address that holds most gives up the largest that it has. False: that is this connection; or
/// nothing was to be had, and an eighth more than allowed is held, since others may be just busy.
inline bool reactor::make_room(connection& c) {
    const std::size_t most = options_.unfinished_bytes;
    for (int turn = 0; turn != 16 && held_ > most; ++turn) {
        const share* const greediest = shares_.greediest(&share::bytes).first;
        const bool own = c.charged == greediest;
        std::size_t size = own ? c.held.load(std::memory_order_relaxed) : 0;
        connection* largest = nullptr;
        std::uint64_t ticket = 0;
        table_.for_each([&](connection& each) {
            const std::uint64_t seen = each.ticket.load(std::memory_order_acquire);
            const std::size_t held = each.held.load(std::memory_order_relaxed);
            const bool waits = (seen & connection::state_bits) == connection::waiting;
            if (!waits || held <= size || each.charged != greediest) return;
            largest = &each;
            ticket = seen;
            size = held;
        });
        if (!largest && own) return false;
        if (!largest) break;
        if (largest->claim(static_cast<std::uint32_t>(ticket >> 32), false))
            turn_out(*largest, "too many unfinished requests");
    }
    return held_ <= most + most / 8;
}

/// As above, when all workers are stuck: the last request of the address that has most of them.
inline bool reactor::make_room_in_queue(connection& c) {
    const auto [greediest, most] = shares_.greediest(&share::queued);
    if (c.charged.load()->queued + 1 >= most) return false;
    connection* const last = last_queued(greediest);
    if (last) turn_out(*last, "all workers are busy");
    return last != nullptr;
}

inline void reactor::forget_request(connection& c, workbench& bench) {
    bench.drop();
    c.begun.reset();
    account(c, nullptr);
}

/// The facts for the dispatcher. The views are those of the request and of `bench`.
inline http_request reactor::facts_of(connection& c, workbench& bench, const incoming& from) const {
    http_request request;
    request.method = from.head().method;
    request.target = from.head().target;
    request.headers = {from.head().fields.data(), from.head().fields.size()};
    request.body = from.body();
    request.peer = c.peer;
    request.scheme = c.tls ? "https" : "http";
    request.certificate_subject = c.subject;
    request.listener = c.listener;
    request.listening_on = c.listening_on;
    if (!request.header("Host")) {
        const socket_address here = local_address(c.fd);
        const bool v6 = here.address.find(':') != std::string::npos;
        bench.local = v6 ? '[' + here.address + ']' : here.address;
        bench.local += ':' + std::to_string(here.port);
        request.local_authority = bench.local;
    }
    request.takes_pieces = true;
    return request;
}

/// Answers a complete request. One behind it has been read, too, and therefore is answered even
/// when the host stops.
inline reactor::outcome reactor::answer(connection& c, workbench& bench, const incoming& complete) {
    const http_head& head = complete.head();
    http_request request = facts_of(c, bench, complete);
    http_refusal refusal;
    if (!head.content_encoding.empty() && !equal_ignoring_case(head.content_encoding, "identity")) {
        refusal =
            unpack(head.content_encoding, request.body, options_.limits.body_bytes, bench.unpacked);
        request.body = bench.unpacked;
    }
    if (refusal)
        services_.refuse(request, refusal.status, refusal.reason, bench.reply);
    else if (!services_.answer(request, bench.reply, bench.observer))
        return await_room(c, bench, complete);
    ++c.served;
    const std::size_t most = options_.requests_per_connection;
    const bool last = most != 0 && c.served >= most;
    const bool ends = stopping_ && !complete.holds_more();
    return send_reply(c, bench, head, !head.keep_alive || last || ends);
}

/// Refuses a request while it is read. When its head was in order and its body is too long, the
/// caller is told as the dispatcher would tell it; else nobody knows what it understands.
inline reactor::outcome reactor::refuse_body(
    connection& c, workbench& bench, const incoming& refused) {
    const http_refusal why = refused.refusal();
    if (why.status != 413) return refuse(c, bench, why);
    http_request request = facts_of(c, bench, refused);
    request.body = {};
    services_.refuse(request, why.status, why.reason, bench.reply);
    const outcome sent = send_reply(c, bench, refused.head(), true);
    if (sent == outcome::waits) forget_request(c, bench);
    return sent;
}

/// Sends the thread's reply in one write, packed if that was asked for and pays.
inline reactor::outcome reactor::send_reply(
    connection& c, workbench& bench, const http_head& asked, bool close) {
    http_reply& reply = bench.reply;
    if (reply.more) return begin_stream(c, bench, asked, close);
    std::string_view body = reply.body;
    if (options_.gzip_replies && body.size() >= options_.gzip_bytes) {
        add_header(reply, "Vary", "Accept-Encoding");
        if (asked.accepts_gzip && pack(body, bench.packed)) {
            add_header(reply, "Content-Encoding", "gzip");
            body = bench.packed;
        }
    }
    c.close_when_sent = close;
    bench.text.clear();
    write_head(bench.text, reply, body.size(), !close, asked.is_http10);
    if (asked.method == "HEAD") body = {};
    const outcome sent = transmit(c, bench, bench.text, body);
    for (std::string* used : {&reply.body, &bench.unpacked, &bench.packed})
        if (used->capacity() > 4 * 1024 * 1024) std::string().swap(*used);
    return sent;
}

/// Sends the beginning of a reply whose end is not there yet. In HTTP/1.0 it ends with the
/// connection. (A HEAD never comes here: what streams is a result.)
inline reactor::outcome reactor::begin_stream(
    connection& c, workbench& bench, const http_head& asked, bool close) {
    http_reply& reply = bench.reply;
    auto more = std::exchange(reply.more, nullptr);
    if (options_.gzip_replies) add_header(reply, "Vary", "Accept-Encoding");
    const bool packed = options_.gzip_replies && asked.accepts_gzip;
    if (packed) add_header(reply, "Content-Encoding", "gzip");
    c.close_when_sent = close || asked.is_http10;
    write_head(c.out, reply, no_length, !c.close_when_sent, asked.is_http10);
    c.rest = std::make_unique<body_rest>(std::move(more), !asked.is_http10, packed);
    c.rest->frame(reply.body, false, c.out);
    c.sent = 0;
    c.taken = taken_by_peer(c);
    c.replied = steady::now();
    charge(c, bench, bench.request());
    if (!account(c, bench.begun.get())) return this->close(c);
    set_deadline(c);
    return flush(c, bench);
}

/// Answers with a line of text and closes: what follows in the stream has no beginning.
inline reactor::outcome reactor::refuse(connection& c, workbench& bench, http_refusal why) {
    tell_refused(c, bench, why);
    http_reply reply;
    reply.status = why.status;
    reply.content_type = "text/plain; charset=utf-8";
    if (why.status == 503) add_header(reply, "Retry-After", "1");
    std::string text;
    append_number(text, static_cast<std::uint64_t>(why.status));
    text.append(1, ' ')
        .append(reason_phrase(why.status))
        .append(": ")
        .append(why.reason)
        .append("\n");
    std::string head;
    write_head(head, reply, text.size(), false, false);
    c.close_when_sent = true;
    forget_request(c, bench);
    return transmit(c, bench, head, text);
}

/// Writes once; negative: an error, else how much of both was taken.
inline std::ptrdiff_t reactor::send(
    connection& c, workbench& bench, std::string_view head, std::string_view body) const {
    if (c.tls) return send_tls(c, bench, head, body);
    iovec parts[2] = {
        {const_cast<char*>(head.data()), head.size()},
        {const_cast<char*>(body.data()), body.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = body.empty() ? 1 : 2;
    --bench.left.writes;
    ssize_t count = 0;
    do {
        count = ::sendmsg(c.fd, &message, MSG_NOSIGNAL);
    } while (count < 0 && errno == EINTR);
    if (count >= 0) return count;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
}

/// A small body goes into one record with the head, and so into one segment.
inline std::ptrdiff_t reactor::send_tls(
    connection& c, workbench& bench, std::string_view head, std::string_view body) const {
    if (!body.empty() && head.size() + body.size() <= 16'384) {
        head = bench.joined.assign(head).append(body);
        body = {};
    }
    std::size_t total = 0;
    for (const std::string_view part : {head, body}) {
        for (std::size_t done = 0; done != part.size();) {
            if (bench.left.writes-- <= 0) return static_cast<std::ptrdiff_t>(total);
            std::size_t taken = 0;
            ::ERR_clear_error();
            const int good = ::SSL_write_ex(c.tls, part.data() + done, part.size() - done, &taken);
            if (good != 1) {
                const int why = ::SSL_get_error(c.tls, good);
                const bool later = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
                return later ? static_cast<std::ptrdiff_t>(total) : -1;
            }
            done += taken;
            total += taken;
        }
    }
    return static_cast<std::ptrdiff_t>(total);
}

inline reactor::outcome reactor::transmit(
    connection& c, workbench& bench, std::string_view head, std::string_view body) {
    const std::ptrdiff_t count = send(c, bench, head, body);
    if (count < 0) return close(c);
    const auto taken = static_cast<std::size_t>(count);
    if (taken == head.size() + body.size()) return after_sending(c);
    try {
        c.out.reserve(head.size() + body.size() - taken);
    } catch (const std::exception&) {  // out of memory, with half a reply sent
        return close(c);
    }
    if (taken < head.size())
        c.out.assign(head.substr(taken)).append(body);
    else
        c.out.assign(body.substr(taken - head.size()));
    c.sent = 0;
    c.taken = taken_by_peer(c);
    c.replied = steady::now();
    charge(c, bench, bench.request());
    // Too many callers that do not take what they asked for.
    if (!account(c, bench.begun.get())) return close(c);
    set_deadline(c);
    return outcome::waits;
}

/// Puts the next piece of a reply in the place of what was sent. False: it cannot be had. The time that it takes to make is none of the peer's.
inline bool reactor::next_piece(connection& c, workbench& bench) {
    const auto began = steady::now();
    c.taken -= static_cast<std::ptrdiff_t>(c.out.size());
    c.out.clear();
    c.sent = 0;
    try {
        while (c.out.empty() && !c.rest->ended())
            c.rest->append(c.out);
    } catch (...) {  // who made the reply has told of it
        return false;
    }
    const auto now = steady::now();
    c.deadline += milliseconds(now) - milliseconds(began);
    if (now >= bench.left.until) bench.left.writes = 0;
    return account(c, c.begun.get());
}

/// A reply that goes on is made by workers alone: whoever makes it may wait.
inline reactor::outcome reactor::flush(connection& c, workbench& bench) {
    for (;;) {
        while (c.sent != c.out.size() && bench.left.writes > 0) {
            const std::ptrdiff_t count = send(c, bench, std::string_view(c.out).substr(c.sent), {});
            if (count < 0) return close(c);
            if (count == 0) return outcome::waits;
            c.sent += static_cast<std::size_t>(count);
        }
        if (c.sent != c.out.size()) return outcome::waits;
        if (!c.rest || c.rest->ended()) break;
        if (bench.task == duty::collect) return enqueue(c, false);
        if (bench.left.writes <= 0) return outcome::waits;
        if (!next_piece(c, bench)) return close(c);
    }
    c.rest.reset();
    std::string().swap(c.out);
    c.sent = 0;
    account(c, c.begun.get());
    set_deadline(c);
    return after_sending(c);
}

/// Closing at once would throw away bytes that are still coming in, and the reset that answers them
/// would overtake our reply (RFC 9112, 9.6). So this side ends first and waits a moment.
inline reactor::outcome reactor::after_sending(connection& c) {
    if (!c.close_when_sent) return outcome::waits;
    if (c.tls) ::SSL_shutdown(c.tls);
    if (c.ended || ::shutdown(c.fd, SHUT_WR) != 0) return close(c);
    c.now = connection::phase::lingering;
    set_deadline(c);
    return drain(c);
}

inline reactor::outcome reactor::drain(connection& c) {
    std::array<char, 65'536> waste;  // not the thread's memory: there the request may still be
    for (int turn = 0; turn != 64; ++turn) {
        const ssize_t count = ::recv(c.fd, waste.data(), waste.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return outcome::waits;
        if (count <= 0) return close(c);
    }
    return close(c);  // megabytes after the end: it does not listen
}

/// Begins the time of what the connection waits for now. That of a body or a reply, which has begun
/// already, goes on: see keeps_up.
inline void reactor::set_deadline(connection& c) const {
    const auto now = steady::now();
    auto until = now + options_.idle_timeout;
    if (c.now == connection::phase::lingering) {
        until = now + linger;
    } else if (!c.out.empty()) {
        until = c.replied + std::min(options_.write_timeout, options_.reply_timeout);
    } else if (c.begun && c.begun->is_in_body()) {
        if (c.begun->measured) return;
        c.begun->measured = c.begun->body().size();
        until = std::min(now + options_.silence_timeout, c.begun->began + options_.request_timeout);
    } else if (c.begun && !c.begun->is_fresh()) {
        until = c.begun->began + options_.header_timeout;
    }
    c.deadline.store(milliseconds(until), std::memory_order_relaxed);
}

/// The ticket is closed before the descriptor: from then on accept may hand the number out again.
inline reactor::outcome reactor::close(connection& c) {
    if (c.tls) ::SSL_free(c.tls);
    c.tls = nullptr;
    c.begun.reset();
    std::string().swap(c.out);
    // Of what was cut off, no end may be seen: a reset has none.
    if (c.rest) {
        const ::linger at_once{1, 0};
        ::setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        c.rest.reset();
    }
    account(c, nullptr);
    --c.home->connections;
    shares_.leave(*c.charged);
    shares_.leave(*c.home);
    std::string().swap(c.subject);
    c.peer.clear();
    c.sent = 0;
    c.served = 0;
    c.greeted = c.close_when_sent = c.ended = false;
    c.now = connection::phase::open;
    const int fd = std::exchange(c.fd, -1);
    const std::uint64_t ticket = c.ticket.load(std::memory_order_relaxed);
    c.ticket.store((ticket >> 32) << 32 | connection::closed, std::memory_order_release);
    ::close(fd);
    --open_;
    return outcome::gone;
}

/// After the workers have ended: whatever is still open.
inline void reactor::close_all() {
    table_.for_each([this](connection& c) {
        if (c.fd >= 0) close(c);
    });
}

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE host::host(host_options options)
    : services_(std::move(options)),
      server_(new detail::reactor(*services_.offered_, services_.options())) {}
SOAPSVC_INLINE host::~host() { delete server_; }
SOAPSVC_INLINE int host::bind(const std::string& address, int port, audience who) {
    detail::descriptor fd = detail::listen_tcp(address, port, services_.options().backlog);
    const int bound = detail::local_address(fd.get()).port;
    server_->listen(std::move(fd), who);
    return bound;
}
SOAPSVC_INLINE void host::bind_unix(const std::string& path) {
    server_->listen(detail::listen_unix(path, services_.options().backlog), audience::everyone);
}
SOAPSVC_INLINE void host::serve() { server_->run(); }
SOAPSVC_INLINE void host::listen(const std::string& address, int port) {
    bind(address, port);
    serve();
}
SOAPSVC_INLINE void host::stop() noexcept { server_->stop(); }
SOAPSVC_INLINE void host::reload_certificates() { server_->reload(); }
SOAPSVC_INLINE host_statistics host::statistics() const { return server_->statistics(); }

}  // namespace soapsvc

#endif  // SOAPSVC_NO_HOST

// ================================================================================================
// [calling] The client's side of SOAP and HTTP
// ================================================================================================
// What a client sends, and what it makes of an answer. Everything of a reply is bounded as a
// request is by the server, since a server is no more to be trusted than a caller.

namespace soapsvc::detail {

/// What a service said when it refused a call, and its whole reply, to find a detail in.
struct told_fault {
    fault_code code;
    std::string reason;
    std::string subcode;
    int http_status;
    std::string what;
    std::string reply;
    std::string charset;  // of the reply's media type
    std::string ns;  // of the service
    soapsvc::limits limits;
    unknown_elements unknown;
};

/// Throws std::invalid_argument for what would not stay in its place in a request. A line end in a
/// field would begin another field, or another request.
inline void check_options(const service_info& service, const client_options& options) {
    const bool said = service.options.ns.data() != nullptr;
    const std::string_view ns = said ? service.options.ns : std::string_view(options.ns_base);
    if (ns.empty() && !said)
        throw std::invalid_argument(
            "soapsvc: client_options::ns_base is empty; set it to the server's");
    if (!is_field_value(ns) || ns.find_first_of("\"\\") != ns.npos || find_bad_char(ns) != ns.npos)
        throw std::invalid_argument(
            said ? "soapsvc: what in(\"...\") says of this service is no namespace"
                 : "soapsvc: client_options::ns_base is no namespace");
    if (options.certificate_file.empty() && !options.key_file.empty())
        throw std::invalid_argument(
            "soapsvc: client_options::key_file needs a certificate_file; without one the client "
            "shows no certificate");
    for (const auto& [name, value] : options.headers) {
        if (!is_token(name) || !is_field_value(value))
            throw std::invalid_argument(
                "soapsvc: client_options::headers: " + quoted(std::string_view(name)) +
                " is no field's name, or its value holds a control character");
        for (const std::string_view own :
             {"Accept-Encoding",
              "Connection",
              "Content-Encoding",
              "Content-Length",
              "Content-Type",
              "Expect",
              "Host",
              "SOAPAction",
              "TE",
              "Trailer",
              "Transfer-Encoding",
              "Upgrade"})
            if (equal_ignoring_case(name, own))
                throw std::invalid_argument(
                    "soapsvc: client_options::headers: the client writes " + std::string(own) +
                    " itself");
    }
}

/// The first child with this local name; null when there is none.
inline node child_named(node parent, std::string_view local) {
    node child = parent ? parent.first_child() : parent;
    while (child && child.local() != local)
        child = child.next_sibling();
    return child;
}

/// The detail entry of a fault in a reply; null when there is none.
inline node detail_entry(node payload) {
    node detail = child_named(payload, "detail");
    if (!detail) detail = child_named(payload, "Detail");
    return detail ? detail.first_child() : detail;
}

inline fault_code read_fault_code(std::string_view name) noexcept {
    name = collapse_ends(name);
    name = name.substr(name.find(':') + 1);  // npos + 1 is 0
    if (name == "Client" || name == "Sender" || name.substr(0, 7) == "Client.")
        return fault_code::client;
    if (name == "VersionMismatch") return fault_code::version_mismatch;
    if (name == "MustUnderstand") return fault_code::must_understand;
    if (name == "DataEncodingUnknown") return fault_code::data_encoding_unknown;
    return fault_code::server;
}

/// The fault in a reply's Body, of either version: its code, reason and subcode.
inline told_fault read_fault(node payload) {
    const auto text = [](node element) { return std::string(element ? element.text() : ""); };
    told_fault told{};
    if (payload.ns() == soap11_ns) {
        told.code = read_fault_code(text(child_named(payload, "faultcode")));
        told.reason = text(child_named(payload, "faultstring"));
        return told;
    }
    const node code = child_named(payload, "Code");
    const std::string subcode = text(child_named(child_named(code, "Subcode"), "Value"));
    told.code = read_fault_code(text(child_named(code, "Value")));
    told.reason = text(child_named(child_named(payload, "Reason"), "Text"));
    told.subcode = subcode.substr(subcode.find(':') + 1);
    return told;
}

/// The first child of this name; null when there is none, or no parent.
inline node find_child(node parent, std::string_view ns, std::string_view local) {
    node child = parent ? parent.first_child() : node();
    while (child && !child.is(ns, local))
        child = child.next_sibling();
    return child;
}

/// Reads the detail entry, or the header block, with the record's name, if there is one, into
/// `slot`.
SOAPSVC_INLINE void read_told(
    const told_fault& told,
    told_in part,
    const record_info& record,
    void* (*emplace)(void* slot),
    void* slot) {
    document_lease lease;
    soap_version version{};
    const envelope message =
        open_envelope(lease.get().parse(told.reply, told.charset, told.limits), version);
    const std::string_view ns = record.ns.data() == nullptr ? std::string_view(told.ns) : record.ns;
    const node entry = part == told_in::detail ? detail_entry(message.body.first_child())
                                               : find_child(message.header, ns, record.name);
    if (!entry || !entry.is(ns, record.name)) return;
    try {
        const decoder reader(entry, told.ns, told.unknown, version, false);
        if (!reader.is_nil(entry)) reader.read_record(entry, record, emplace(slot));
    } catch (const fault& wrong) {
        throw transport_error(
            std::string(told.what) + " and a " +
                (part == told_in::detail ? "detail" : "header block") +
                " that cannot be read: " + wrong.reason(),
            transport_failure::reply,
            told.http_status);
    }
}

#if !defined(SOAPSVC_NO_HOST)

// --- A caller's side of HTTP (RFC 9112) ----------------------------------------------------------
// A server is not to be trusted with memory or time: each byte that comes in is counted where the
// socket is read, and each wait ends at the call's deadline. Rejected: cpp-httplib's client, which
// reads lines without a bound, waits where nothing of ours is called, and has other hooks in every
// release; and libcurl, one more package for every program with this header, of which most only
// serve, and which takes names from a certificate's subject. The reader of [http] is driven by
// bytes as they come; whoever calls waits for them, so that lines can be asked for here.

/// A URL taken apart.
struct http_address {
    bool tls = false;
    std::string host;  // an IPv6 address without brackets
    std::string port;
    std::string authority;
    std::string target;  // path and query
};

/// What stands before an '@' is in no error's text: these are read in logs, and it may be a
/// password.
[[noreturn]] inline void refuse_address(std::string_view url, std::string_view authority) {
    const std::size_t at = url.rfind('@');
    const std::string shown =
        at == url.npos ? quoted(url) : "\xE2\x80\xA6@" + quoted(url.substr(at + 1));
    throw transport_error(
        shown + (authority.find('@') == authority.npos
                     ? " is no address that can be called; it begins http:// or https:// and a host"
                     : " has a user before its host, which is not sent; the field Authorization of "
                       "client_options::headers is"),
        transport_failure::address);
}

/// Throws transport_error for what is no http or https URL with a host, or has a user or fragment.
inline http_address parse_address(std::string_view url) {
    const std::size_t scheme = std::min(url.find("://"), url.size());
    http_address to;
    to.tls = equal_ignoring_case(url.substr(0, scheme), "https");
    const bool known = to.tls || equal_ignoring_case(url.substr(0, scheme), "http");
    const std::string_view rest = url.substr(std::min(scheme + 3, url.size()));
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const std::string_view target = rest.substr(authority.size());
    const bool visible = is_visible(target) && target.find('#') == target.npos;
    if (!known || !is_authority(authority) || !visible) refuse_address(url, authority);
    const std::size_t bracket = authority.find(']');
    const std::size_t colon =
        std::min(authority.find(':', bracket == authority.npos ? 0 : bracket), authority.size());
    to.authority = authority;
    to.host =
        bracket == authority.npos ? authority.substr(0, colon) : authority.substr(1, bracket - 1);
    to.port = colon == authority.size() ? (to.tls ? "443" : "80") : authority.substr(colon + 1);
    to.target = target;
    if (!target.starts_with('/')) to.target.insert(0, 1, '/');
    return to;
}

/// What a client trusts and shows. Throws transport_error that names the file.
inline tls_context client_tls_context(const client_options& options) {
    const auto refuse = [](const std::string& what) {
        throw transport_error(what + ": " + take_tls_error(), transport_failure::address);
    };
    tls_context made = new_tls_context(::TLS_client_method());
    SSL_CTX* const raw = made.get();
    if (!raw) refuse("TLS cannot be set up");
    ::SSL_CTX_set_verify(
        raw, options.verify_certificate ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    const char* const authorities = options.ca_file.c_str();
    if (options.ca_file.empty())
        ::SSL_CTX_set_default_verify_paths(raw);
    else if (::SSL_CTX_load_verify_locations(raw, authorities, nullptr) != 1)
        refuse("cannot use the authorities " + options.ca_file);
    if (options.certificate_file.empty()) return made;
    const std::string wrong = use_certificate(raw, options.certificate_file, options.key_file);
    if (!wrong.empty()) refuse(wrong);
    return made;
}

/// Has OpenSSL look for the host in a certificate's subjectAltName and nowhere else, and take a
/// wildcard for a whole label only (RFC 9525, 6.3). An address is not sent as a name (RFC 6066, 3).
inline void expect_host(SSL* tls, std::string host) {
    X509_VERIFY_PARAM* const expected = ::SSL_get0_param(tls);
    if (::X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1) return;
    if (host.back() == '.') host.pop_back();
    ::X509_VERIFY_PARAM_set_hostflags(
        expected, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const bool good =
        ::X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size()) == 1 &&
        ::SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data()) == 1;
    if (!good) throw transport_error(host + " is no name of a host", transport_failure::address);
}

/// A connection to a server, kept between calls. Bytes go through OpenSSL in memory, so that there
/// is one place that reads the socket and one that writes it, and no way past the bounds there.
class call_connection {
public:
    using clock = std::chrono::steady_clock;

    call_connection(const http_address& to, const client_options& options)
        : to_(to), options_(options) {
        if (to_.tls) context_ = client_tls_context(options_);
    }

    /// Begins a call, on a connection that is open afterwards.
    void begin() {
        const bool bounded = options_.call_timeout.count() > 0;
        until_ = bounded ? clock::now() + options_.call_timeout : clock::time_point::max();
        const std::size_t payload = std::min<std::size_t>(options_.limits.body_bytes, SIZE_MAX / 4);
        bytes_left_ = 2 * payload + options_.header_bytes + 1'048'576;  // framing and TLS included
        if (fd_.get() >= 0 && has_ended()) close();
        if (fd_.get() < 0) open();
    }
    void close() noexcept {
        tls_ = c_object<SSL, ::SSL_free>();
        fd_.reset();
        greeting_ = false;
    }

    void send(std::string_view bytes) {
        if (!tls_.get()) return put(bytes);
        for (std::size_t sent = 0; !bytes.empty(); bytes.remove_prefix(sent)) {
            const std::size_t piece = std::min<std::size_t>(bytes.size(), 65'536);
            sent = 0;
            move_tls([&] { return ::SSL_write_ex(tls_.get(), bytes.data(), piece, &sent); });
            if (sent == 0) refuse("ended the connection", transport_failure::lost);
        }
    }
    /// 0: the server has said that it sends no more.
    std::size_t receive(char* data, std::size_t size) {
        if (!tls_.get()) return take(data, size);
        std::size_t got = 0;
        move_tls([&] { return ::SSL_read_ex(tls_.get(), data, size, &got); });
        return got;
    }

    /// Whether nothing has come that was not asked for. In TLS it may be the end.
    bool is_quiet() const {
        SSL* const tls = tls_.get();
        return !tls || (::BIO_ctrl_pending(::SSL_get_rbio(tls)) == 0 && ::SSL_pending(tls) == 0);
    }
    const http_address& address() const noexcept { return to_; }
    const client_options& options() const noexcept { return options_; }

    [[noreturn]] void refuse(const std::string& what, transport_failure why) const {
        throw transport_error(
            (to_.tls ? "https://" : "http://") + to_.authority + ' ' + what,
            greeting_ ? transport_failure::tls : why);
    }

private:
    static constexpr int no_signal = MSG_NOSIGNAL;  // an ended connection is an error, no SIGPIPE

    /// Between two calls a server has nothing to say: what can be read is its end, of TCP or TLS.
    bool has_ended() const {
        pollfd idle{fd_.get(), POLLIN, 0};
        return ::poll(&idle, 1, 0) != 0;
    }

    void open() {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        if (const int error = ::getaddrinfo(to_.host.c_str(), to_.port.c_str(), &hints, &found))
            refuse(
                "cannot be reached: " +
                    (error == EAI_NONAME
                         ? "there is no host of this name"
                         : "its name cannot be looked up: " + std::string(::gai_strerror(error))),
                transport_failure::connect);
        const c_object<addrinfo, ::freeaddrinfo> owned(found);
        std::string why = "no address";
        for (const addrinfo* at = found; at && !why.empty(); at = at->ai_next)
            why = connect_to(*at);
        if (!why.empty()) {
            close();
            refuse("cannot be reached: " + why, transport_failure::connect);
        }
        if (to_.tls) greet();
    }

    /// Why not; empty when there is a connection.
    std::string connect_to(const addrinfo& at) {
        const auto message = [](int error) {
            const std::string text = std::generic_category().message(error);
            return error == ECONNREFUSED ? text + ", nobody listens there" : text;
        };
        fd_ = descriptor(::socket(at.ai_family, at.ai_socktype, at.ai_protocol));
        if (fd_.get() < 0) return message(errno);
        ::fcntl(fd_.get(), F_SETFD, FD_CLOEXEC);
        ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
        const int on = 1;
        ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (::connect(fd_.get(), at.ai_addr, at.ai_addrlen) == 0) return {};
        if (errno != EINPROGRESS) return message(errno);
        if (!wait(POLLOUT, options_.connect_timeout))
            return clock::now() < until_ ? "no connection within connect_timeout"
                                         : "no connection within call_timeout";
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        return error == 0 ? std::string() : message(error);
    }

    void greet() {
        const auto until = until_;
        until_ = std::min(until_, clock::now() + options_.connect_timeout);
        tls_ = c_object<SSL, ::SSL_free>(::SSL_new(context_.get()));
        BIO* const in = ::BIO_new(::BIO_s_mem());
        BIO* const out = ::BIO_new(::BIO_s_mem());
        if (!tls_.get() || !in || !out) throw std::bad_alloc();
        ::SSL_set_bio(tls_.get(), in, out);  // which owns them from now on
        greeting_ = true;
        expect_host(tls_.get(), to_.host);
        move_tls([&] { return ::SSL_connect(tls_.get()); });
        greeting_ = false;
        until_ = until;
    }

    /// Repeats a step of OpenSSL until it is done, and moves what it wants moved meanwhile. Done is
    /// a reading, too, when the server has said that it ends.
    template <class Step>
    void move_tls(Step step) {
        for (;;) {
            ::ERR_clear_error();
            const int done = step();
            const int why = ::SSL_get_error(tls_.get(), done);
            char bytes[16'384];
            for (int size = 0;
                 (size = ::BIO_read(::SSL_get_wbio(tls_.get()), bytes, sizeof bytes)) > 0;)
                put({bytes, static_cast<std::size_t>(size)});
            if (why == SSL_ERROR_NONE || (why == SSL_ERROR_ZERO_RETURN && !greeting_)) return;
            if (why != SSL_ERROR_WANT_READ) refuse_tls();
            const std::size_t got = take(bytes, sizeof bytes);
            if (got == 0)
                refuse(
                    greeting_ ? "ended the connection before TLS was agreed"
                              : "ended the connection",
                    transport_failure::lost);
            ::BIO_write(::SSL_get_rbio(tls_.get()), bytes, static_cast<int>(got));
        }
    }
    [[noreturn]] void refuse_tls() const {
        const long verified = ::SSL_get_verify_result(tls_.get());
        if (options_.verify_certificate && verified != X509_V_OK)
            refuse("cannot be trusted: " + why_not_trusted(verified), transport_failure::tls);
        const std::string& shown = options_.certificate_file;
        const int reason = ERR_GET_REASON(::ERR_peek_error());
        switch (reason) {
        case SSL_R_WRONG_VERSION_NUMBER:
        case SSL_R_HTTP_REQUEST:
        case SSL_R_PACKET_LENGTH_TOO_LONG:
            refuse(
                "answered with what is no TLS; it may be there for http://",
                transport_failure::lost);
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
            if (shown.empty())
                refuse(
                    "broke off TLS: " + take_tls_error() +
                        ", perhaps for want of a client certificate (certificate_file)",
                    transport_failure::lost);
            break;
        default: break;
        }
        const bool of_ours = !shown.empty() && (reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA ||
                                                (reason >= SSL_R_SSLV3_ALERT_BAD_CERTIFICATE &&
                                                 reason <= SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN));
        refuse(
            (of_ours ? "refused the certificate of " + shown + ": " : "broke off TLS: ") +
                take_tls_error(),
            transport_failure::lost);
    }
    std::string why_not_trusted(long verified) const {
        const std::string& ours = options_.ca_file;
        if (verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH)
            return "its certificate is for other names than " + to_.host;
        return ::X509_verify_cert_error_string(verified) +
               (ours.empty() ? ", by the system's authorities; yours are named by ca_file"
                             : ", by the authorities of " + ours);
    }

    /// Whether the socket is ready, within that time and the call's.
    bool wait(short events, std::chrono::milliseconds limit) const {
        const auto until = std::min(until_, clock::now() + limit);
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
            if (left.count() <= 0) return false;
            pollfd at{fd_.get(), events, 0};
            if (::poll(&at, 1, static_cast<int>(std::min<long long>(left.count(), 1'000'000))) > 0)
                return true;
        }
    }
    /// Returns when the socket is ready; the error of a call that has waited too long.
    void await(short events) const {
        if (wait(events, options_.read_timeout)) return;
        refuse_if_late();
        refuse("was silent for read_timeout", transport_failure::timeout);
    }
    void refuse_if_late() const {
        if (clock::now() < until_) return;
        refuse(
            greeting_ ? "did not complete TLS within connect_timeout"
                      : "did not answer within call_timeout",
            transport_failure::timeout);
    }
    [[noreturn]] void refuse_lost() const {
        refuse(
            "ended the connection: " + std::generic_category().message(errno),
            transport_failure::lost);
    }

    /// The one place that reads the socket. 0: the end.
    std::size_t take(char* data, std::size_t size) {
        for (;;) {
            refuse_if_late();  // also when there is always something to read
            const ssize_t got = ::recv(fd_.get(), data, size, 0);
            if (got < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) refuse_lost();
            if (got < 0) {
                await(POLLIN);
                continue;
            }
            if (static_cast<std::size_t>(got) > bytes_left_)
                refuse("sent more bytes than any reply has", transport_failure::reply);
            bytes_left_ -= static_cast<std::size_t>(got);
            return static_cast<std::size_t>(got);
        }
    }
    /// The one place that writes it.
    void put(std::string_view bytes) {
        while (!bytes.empty()) {
            refuse_if_late();
            const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), no_signal);
            if (sent < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
                refuse_lost();
            if (sent < 0)
                await(POLLOUT);
            else
                bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    const http_address to_;
    const client_options options_;
    c_object<SSL_CTX, ::SSL_CTX_free> context_;
    descriptor fd_;
    c_object<SSL, ::SSL_free> tls_;
    bool greeting_ = false;  // until the handshake is done nothing of the call has left
    clock::time_point until_{};
    std::size_t bytes_left_ = 0;  // that may still be read in this call
};

/// Reads one reply. What decides where it ends is read once and in one way: two lengths, a length
/// beside chunks, or another coding of the transfer are refused (RFC 9112, 6.3). Everything but the
/// body itself, interim replies, chunk extensions and trailers included, shares `header_bytes`.
class reply_reader {
public:
    explicit reply_reader(call_connection& from)
        : from_(from),
          most_(from.options().limits.body_bytes),
          framing_(from.options().header_bytes),
          framing_left_(framing_) {}

    /// Throws transport_error.
    http_reply read() {
        do {
            head_ = {};
            read_status_line();
            read_fields([this](std::string_view line) { take_field(line); });
        } while (head_.status / 100 == 1);
        http_reply reply;
        reply.status = head_.status;
        reply.content_type = head_.content_type;
        if (reply.status / 100 == 3 && !head_.location.empty())
            add_header(reply, "Location", head_.location);
        read_body(reply.body);
        if (!head_.coding.empty() && !equal_ignoring_case(head_.coding, "identity"))
            unpack_body(reply.body);
        return reply;
    }
    /// Whether the connection may be used again: nobody closes it, and nothing is left on it.
    bool keeps_connection() const {
        return head_.keep && !head_.close && at_ == end_ && from_.is_quiet();
    }

private:
    struct reply_head {
        int status = 0;
        bool keep = true;
        bool chunked = false;
        bool has_length = false;
        bool close = false;  // it is, or it ends the body
        bool http10 = false;
        std::uint64_t length = 0;
        std::string content_type, coding, location;
    };

    [[noreturn]] void refuse(const std::string& what) const {
        from_.refuse(what, transport_failure::reply);
    }
    [[noreturn]] void refuse_body() const {
        refuse("answered with more than " + std::to_string(most_) + " bytes");
    }

    bool fill() {
        at_ = 0;
        end_ = from_.receive(buffer_, sizeof buffer_);
        return end_ != 0;
    }
    void fill_or_refuse() {
        if (!fill()) from_.refuse("ended the connection within a reply", transport_failure::lost);
    }

    /// The next line, without its end, until the next is read. A line feed alone ends one as well
    /// (RFC 9112, 2.2).
    std::string_view read_line() {
        line_.clear();
        while (line_.empty() || line_.back() != '\n') {
            if (at_ == end_) fill_or_refuse();
            const std::string_view there(buffer_ + at_, end_ - at_);
            const std::string_view piece = there.substr(0, there.find('\n') + 1);
            const std::size_t size = piece.empty() ? there.size() : piece.size();
            if (size > framing_left_)
                refuse(
                    "answered with a header of more than " + std::to_string(framing_) + " bytes");
            framing_left_ -= size;
            line_.append(there.substr(0, size));
            at_ += size;
        }
        line_.pop_back();
        if (!line_.empty() && line_.back() == '\r') line_.pop_back();
        return line_;
    }

    void read_status_line() {
        const std::string_view line = read_line();
        const std::string_view version = line.substr(0, 8);
        const std::string_view status = line.substr(std::min<std::size_t>(9, line.size()), 3);
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        if (line.size() < 12 || !version.starts_with("HTTP/1.") || !is_digit(version[7]) ||
            line[8] != ' ' || !are_digits(status) || (line.size() > 12 && line[12] != ' '))
            refuse("answered with what is no HTTP/1.1");
        head_.http10 = version[7] == '0';
        head_.keep = !head_.http10;
        head_.status = (status[0] - '0') * 100 + (status[1] - '0') * 10 + (status[2] - '0');
        if (head_.status < 100 || head_.status == 101)
            refuse("answered with the status " + std::string(status));
    }

    /// Calls `each` with every field up to the empty line; a folded one is put together (RFC 9112,
    /// 5.2).
    template <class Each>
    void read_fields(Each each) {
        std::string field;
        for (;;) {
            const std::string_view line = read_line();
            if (!field.empty() && (line.starts_with(' ') || line.starts_with('\t'))) {
                field.append(1, ' ').append(trim(line));
                continue;
            }
            if (!field.empty()) each(std::string_view(field));
            if (line.empty()) return;
            field = line;
        }
    }

    void take_field(std::string_view line) {
        const std::size_t colon = std::min(line.find(':'), line.size());
        const std::string_view name = line.substr(0, colon);
        const std::string_view value = trim(line.substr(std::min(colon + 1, line.size())));
        if (colon == line.size() || !is_token(name) || !is_field_value(value))
            refuse("answered with a header line that is not name: value");
        if (equal_ignoring_case(name, "content-length")) {
            take_length(value);
        } else if (equal_ignoring_case(name, "transfer-encoding")) {
            if (head_.chunked || !equal_ignoring_case(value, "chunked"))
                refuse("answered with the Transfer-Encoding " + quoted(value));
            head_.chunked = true;
        } else if (equal_ignoring_case(name, "connection")) {
            for_each_element(value, [this](std::string_view option) {
                if (equal_ignoring_case(option, "close")) head_.close = true;
                if (equal_ignoring_case(option, "keep-alive")) head_.keep = true;
            });
        } else if (equal_ignoring_case(name, "content-encoding")) {
            take_once(head_.coding, name, value);
        } else if (equal_ignoring_case(name, "content-type")) {
            take_once(head_.content_type, name, value);
        } else if (equal_ignoring_case(name, "location")) {
            head_.location = value;
        }
    }
    void take_once(std::string& to, std::string_view name, std::string_view value) const {
        if (!to.empty() && to != value) refuse("answered with two fields " + std::string(name));
        to = value;
    }
    void take_length(std::string_view value) {
        const char* const end = value.data() + value.size();
        const auto [stopped, error] = std::from_chars(value.data(), end, head_.length);
        if (head_.has_length || error == std::errc::invalid_argument || stopped != end)
            refuse("answered with a Content-Length that is no number, or with two");
        if (error != std::errc{}) refuse_body();
        head_.has_length = true;
    }

    void read_body(std::string& body) {
        if (head_.chunked && (head_.has_length || head_.http10))
            refuse("answered in chunks and with another length");
        if (head_.status == 204 || head_.status == 304) return;
        if (head_.chunked) return read_chunks(body);
        if (head_.has_length) return read_exactly(head_.length, body);
        head_.close = true;
        while (at_ != end_ || fill())
            append(end_ - at_, body);
    }
    void append(std::size_t size, std::string& body) {
        if (size > most_ - body.size()) refuse_body();
        body.append(buffer_ + at_, size);
        at_ += size;
    }
    void read_exactly(std::uint64_t size, std::string& body) {
        if (size > most_ - body.size()) refuse_body();
        while (size != 0) {
            if (at_ == end_) fill_or_refuse();
            const std::size_t piece = std::min<std::uint64_t>(size, end_ - at_);
            append(piece, body);
            size -= piece;
        }
    }
    /// Chunk extensions count as header; sizes and line ends do not: there are no more of these
    /// than the body has bytes.
    void read_chunks(std::string& body) {
        for (;;) {
            const std::size_t left = framing_left_;
            const std::string_view line = read_line();
            std::uint64_t size = 0;
            const auto [stopped, error] =
                std::from_chars(line.data(), line.data() + line.size(), size, 16);
            const std::string_view rest =
                line.substr(static_cast<std::size_t>(stopped - line.data()));
            if (error == std::errc::result_out_of_range) refuse_body();
            if (error != std::errc{} || (!rest.empty() && rest.find_first_of("; \t") != 0))
                refuse("answered with a chunk that has no size");
            if (size == 0) break;
            const std::size_t digits = std::min<std::size_t>(line.size() - rest.size(), 16);
            const std::size_t extension = line.size() - digits;
            read_exactly(size, body);
            if (!read_line().empty()) refuse("answered with a chunk that is too long");
            framing_left_ = left - extension;
        }
        read_fields([](std::string_view) {});  // trailers say nothing here
    }

    void unpack_body(std::string& body) const {
        std::string unpacked;
        const http_refusal bad = unpack_within(head_.coding, body, most_, unpacked);
        if (bad.status == 413) refuse_body();
        if (bad) refuse("answered with a body that is not whole " + detail::quoted(head_.coding));
        body = std::move(unpacked);
    }

    call_connection& from_;
    const std::size_t most_;
    const std::size_t framing_;
    std::size_t framing_left_;
    reply_head head_;
    std::string line_;
    char buffer_[16'384];
    std::size_t at_ = 0;
    std::size_t end_ = 0;
};

/// One kept-alive connection, opened again when the server has closed it while nothing was asked. A
/// request is sent once: when its connection ends, it may have been carried out.
class http_link {
public:
    http_link(const http_address& to, const client_options& options) : connection_(to, options) {}

    http_reply send(const http_request& request) {
        try {
            connection_.begin();
            connection_.send(write_head(request));
            connection_.send(request.body);
            reply_reader reader(connection_);
            http_reply reply = reader.read();
            if (!reader.keeps_connection()) connection_.close();
            return reply;
        } catch (...) {
            connection_.close();
            throw;
        }
    }

private:
    std::string write_head(const http_request& request) const {
        std::string head("POST ");
        head.append(request.target).append(" HTTP/1.1\r\nHost: ");
        head.append(connection_.address().authority);
        if (!request.header("User-Agent")) head.append("\r\nUser-Agent: soapsvc/" SOAPSVC_VERSION);
        for (const http_header& field : request.headers)
            head.append("\r\n").append(field.name).append(": ").append(field.value);
        if (connection_.options().accept_gzip) head.append("\r\nAccept-Encoding: gzip");
        head.append("\r\nContent-Length: ").append(std::to_string(request.body.size()));
        return head.append("\r\n\r\n");
    }

    call_connection connection_;
};

inline transport http_transport(const http_address& to, const client_options& options) {
    return [link = std::make_shared<http_link>(to, options)](const http_request& request) {
        return link->send(request);
    };
}

#endif  // SOAPSVC_NO_HOST

/// A client without its types: writes requests, has a transport send them, and reads the replies.
class client_core {
public:
    /// Throws std::invalid_argument when `options` hold what no request can.
    client_core(const service_info& service, client_options options, std::string where)
        : options_(settle(service, std::move(options))), where_(std::move(where)) {
        check_options(service, options_);
        ns_ = service_ns(service, options_.ns_base);
    }
    void use(transport send, std::string_view path) {
        send_ = std::move(send);
        path_ = path;
    }
    const client_options& options() const noexcept { return options_; }

    void call(const remote_call& made) const {
        const operation_info& operation = made.service.operations[made.operation];
        const bool v12 = options_.version == soap_version::v1_2;
        const std::string name = action_name(ns_, operation);
        const std::string action = '"' + name + '"';
        std::string type(content_type_of(options_.version));
        if (v12 && !name.empty()) type += "; action=" + action;
        const std::string body = write_request(made, operation);
        std::vector<http_header> headers{{"Content-Type", type}};
        if (!v12) headers.push_back({"SOAPAction", action});
        for (const auto& [field, value] : options_.headers)
            headers.push_back({field, value});
        http_request request;
        request.target = path_;
        request.headers = headers;
        request.body = body;
        read_reply(made, operation, send_(request));
    }

private:
    /// What the service's table says goes before what the program says for all services.
    static client_options settle(const service_info& service, client_options options) {
        while (!options.ns_base.empty() && options.ns_base.back() == '/')
            options.ns_base.pop_back();
        options.version = service.options.only.value_or(options.version);
        return options;
    }

    std::string write_request(const remote_call& made, const operation_info& operation) const {
        std::string text;
        writer out(text);
        out.raw(envelope_start(options_.version));
        if (sends_header(made, operation)) {
            out.raw(header_start(options_.version));
            for (const header_type& each : operation.headers)
                write_block_in(out, ns_, each, made.headers, true);
            write_other_blocks(out, operation.other_headers, made.headers);
            out.raw(header_end(options_.version));
        }
        out.raw(body_start(options_.version));
        write_request_in(out, ns_, operation, made.request);
        out.raw(envelope_end(options_.version));
        return text;
    }

    static bool sends_header(const remote_call& made, const operation_info& operation) {
        if (operation.other_headers && operation.other_headers->item(made.headers, 0)) return true;
        return std::any_of(
            operation.headers.begin(), operation.headers.end(), [&](const header_type& each) {
                return each.item(made.headers, 0) != nullptr;
            });
    }

    /// Throws remote_fault for a fault that the service sent, transport_error for what is wrong
    /// with the reply.
    void read_reply(
        const remote_call& made, const operation_info& operation, const http_reply& reply) const {
        const bool took = reply.status >= 200 && reply.status <= 299;
        if (operation.reply == reply_form::none && took) return;
        document_lease lease;
        envelope message;
        const media_type type = parse_media_type(reply.content_type);
        try {
            soap_version version{};
            message = open_envelope(
                lease.get().parse(reply.body, type.charset, options_.limits), version);
        } catch (const xml_error& error) {
            refuse_reply(reply, error.what());
        } catch (const fault& error) {
            refuse_reply(reply, error.what());
        }
        const node payload = message.body.first_child();
        if (payload && payload.is(envelope_namespace(message.version), "Fault"))
            throw_fault(payload, reply, type.charset);
        try {
            read_payload(made, operation, reply, message, lease);
        } catch (const fault& wrong) {
            throw transport_error(
                where_ + " answered what cannot be read: " + wrong.reason(),
                transport_failure::reply,
                reply.status);
        }
    }

    /// Says that a reply is no SOAP envelope: a proxy's page, most of the time.
    [[noreturn]] void refuse_reply(const http_reply& reply, const std::string& why) const {
        std::string text = where_ + " answered HTTP " + std::to_string(reply.status);
        if (!reply.content_type.empty())
            text += " with " + quoted(std::string_view(reply.content_type));
        for (const auto& [name, value] : reply.headers)
            if (name == "Location") text += " pointing to " + quoted(std::string_view(value));
        const std::string_view said = reply.body;
        if (equal_ignoring_case(parse_media_type(reply.content_type).type, "text/plain"))
            text += " saying " + quoted(said.substr(0, said.find_first_of("\r\n")), 200);
        throw transport_error(
            text + " without a SOAP envelope (" + why + ')',
            transport_failure::reply,
            reply.status);
    }

    [[noreturn]] void throw_fault(
        node payload, const http_reply& reply, std::string_view charset) const {
        told_fault told = read_fault(payload);
        told.http_status = reply.status;
        told.what = where_ + " answered with the fault " + quoted(told.reason, 500);
        told.reply = reply.body;
        told.charset = charset;
        told.ns = ns_;
        told.limits = options_.limits;
        told.unknown = options_.unknown;
        throw remote_fault(std::make_shared<const told_fault>(std::move(told)));
    }

    /// What a reply holds. Header blocks that must be understood are not (SOAP 1.1, 4.2.3; SOAP 1.2
    /// part 1, 2.4); an HTTP error with a result in it is no result.
    void read_payload(
        const remote_call& made,
        const operation_info& operation,
        const http_reply& reply,
        const envelope& message,
        document_lease& lease) const {
        read_blocks(message, options_.limits.header_blocks, lease.blocks());
        const auto is_told = [&](std::string_view ns, std::string_view local) {
            return std::any_of(
                operation.told.begin(), operation.told.end(), [&](const header_type& each) {
                    const record_info& record = each.record();
                    return local == record.name && ns == resolve(record.ns);
                });
        };
        check_understood(lease.blocks(), message.version, [&](const header_block& block) {
            return operation.other_told || is_told(block.ns, block.local);
        });
        const bool no_element = operation.reply == reply_form::no_element;
        if (no_element) check_no_text(message.body);
        const node payload = no_element ? message.body.first_child() : only_child(message.body);
        if (payload && !is_answer(payload, operation))
            throw fault(
                fault_code::client,
                "Body: " + quoted(payload.local()) + " in " + namespace_text(payload.ns()) +
                    " is no answer to " + std::string(operation.name));
        if (reply.status < 200 || reply.status > 299)
            throw fault(
                fault_code::client, "HTTP " + std::to_string(reply.status) + " with a result");
        if (payload) {
            const decoder reader(payload, ns_, options_.unknown, message.version, false);
            read_result(made, operation, payload, reader);
        }
        for (const header_type& each : operation.told)
            read_block(made, each, message);
        if (operation.other_told)
            read_other_blocks(
                message, lease.blocks(), *operation.other_told, made.returned, [&](node block) {
                    return is_told(block.ns(), block.local());
                });
    }

    bool is_answer(node payload, const operation_info& operation) const noexcept {
        return operation.has_reply_element() &&
               payload.is(resolve(operation.response_name.ns), operation.response_name.local);
    }

    std::string_view resolve(std::string_view ns) const noexcept {
        return ns.data() == nullptr ? std::string_view(ns_) : ns;
    }

    /// Fills the result from the response element: its one child, and for lists the items in that;
    /// or the element itself.
    void read_result(
        const remote_call& made,
        const operation_info& operation,
        node response,
        const decoder& reader) const {
        if (operation.reply == reply_form::empty) return;
        const field_info& result = operation.result;
        const bool many = operation.is_list();
        const bool whole = operation.reply == reply_form::whole;
        if (whole && !many)
            return reader.read_whole(result, operation.result_record, made.returned);
        const record_info record = record_around(many ? operation.item : result);
        const node from = many && !whole ? child_named(response, result.name) : response;
        if (from && from != response && from.ns() != resolve(result.ns))
            reader.refuse(from, "is in " + namespace_text(from.ns()));
        if (from && !(many && reader.is_nil(from))) reader.read_record(from, record, made.returned);
    }

    void read_block(
        const remote_call& made, const header_type& header, const envelope& message) const {
        const record_info& record = header.record();
        const node block = find_child(message.header, resolve(record.ns), record.name);
        if (block) {
            const decoder reader(block, ns_, options_.unknown, message.version, true);
            if (!reader.is_nil(block)) {
                reader.check_top(record);
                return reader.read_record(block, record, header.emplace(made.returned));
            }
        }
        if (!header.may_be_absent)
            throw fault(fault_code::client, "Header: " + std::string(record.name) + " is missing");
    }

    const client_options options_;
    std::string ns_;
    std::string path_;
    std::string where_;
    transport send_;
};

#if !defined(SOAPSVC_NO_HOST)
SOAPSVC_INLINE std::shared_ptr<client_core> make_client_core(
    const service_info& service, client_options options, const std::string& url) {
    const auto made = std::make_shared<client_core>(service, std::move(options), url);
    const http_address to = parse_address(url);
    made->use(http_transport(to, made->options()), to.target);
    return made;
}
#endif
SOAPSVC_INLINE std::shared_ptr<client_core> make_client_core(
    const service_info& service, client_options options, const dispatcher& services) {
    const std::string_view path = services.path_of(service.name);
    options.ns_base = services.options().ns_base;
    if (path.empty())
        throw std::invalid_argument(
            "soapsvc: no service with this name was added to the dispatcher");
    const auto made = std::make_shared<client_core>(service, std::move(options), "the dispatcher");
    made->use([&services](const http_request& request) { return services.handle(request); }, path);
    return made;
}
SOAPSVC_INLINE std::shared_ptr<client_core> make_client_core(
    const service_info& service, client_options options, transport send) {
    if (!send) throw std::invalid_argument("soapsvc: the transport is an empty function");
    const auto made = std::make_shared<client_core>(service, std::move(options), "the transport");
    made->use(std::move(send), "/");
    return made;
}
SOAPSVC_INLINE void make_call(client_core& by, const remote_call& call) { by.call(call); }

}  // namespace soapsvc::detail

namespace soapsvc {

SOAPSVC_INLINE fault_code remote_fault::code() const noexcept { return told_->code; }
SOAPSVC_INLINE const std::string& remote_fault::reason() const noexcept { return told_->reason; }
SOAPSVC_INLINE const std::string& remote_fault::subcode() const noexcept { return told_->subcode; }
SOAPSVC_INLINE int remote_fault::http_status() const noexcept { return told_->http_status; }
SOAPSVC_INLINE const char* remote_fault::what() const noexcept { return told_->what.c_str(); }
SOAPSVC_INLINE fault remote_fault::as_fault() const {
    const bool client = code() == fault_code::client;
    return fault(client ? fault_code::client : fault_code::server, reason());
}

}  // namespace soapsvc

#endif  // the implementation

#endif  // SOAPSVC_HPP
