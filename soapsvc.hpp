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
//  [S1]  Configuration  version, switches and what is included
//  [S2]  Vocabulary     versions, faults, limits; date, date_time, decimal, binary
//  [S3]  Tables         field, record, value, enumeration, operation, service, and their checks
//  [S4]  Text           values to and from XML text, escaping, UTF-8 and XML characters
//  [S5]  Reading XML    well-formedness, namespaces, limits; the tree
//  [S6]  Writing XML    an append-only writer
//  [S7]  Codec          structs to and from elements, driven by the tables
//  [S8]  Envelope       SOAP 1.1 and 1.2 around the payload, header blocks, faults
//  [S9]  Dispatch       http_request -> http_reply: route, decode, call, encode
//  [S10] Description    WSDL and help pages
//  [S11] Host           sockets, TLS, limits, a clean stop
//  [S12] Client         typed calls over the same tables
//
// To use it, read S2, S3, host_options in S9, the class host at the end of S11, and S12. The README
// has the table of C++ types and their XML. The compiler's messages about a table begin "soapsvc:".

#ifndef SOAPSVC_HPP
#define SOAPSVC_HPP

// ================================================================================================
// [S1] Configuration: version, switches and what is included
// ================================================================================================
// The surprise: no define of yours changes the layout of a type, but cpp-httplib's do. Take the
// flags of its package (pkg-config) in every unit that includes this header.

#define SOAPSVC_VERSION "0.1.0"

// Define SOAPSVC_NO_HOST to leave out the host and cpp-httplib with it: for units that only declare
// tables, and for programs that hand requests to soapsvc::dispatcher themselves.

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "soapsvc: this header needs C++20; compile with -std=c++20"
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <bitset>
#include <charconv>
#include <chrono>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <rapidxml/rapidxml.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#ifndef SOAPSVC_NO_HOST
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include <httplib.h>

#ifndef _WIN32  // where the client takes a transport of the program's
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#endif
#endif

#if defined(__SSE2__)
#include <emmintrin.h>  // S4 and S5 look at sixteen bytes at a time
#endif

// ================================================================================================
// [S2] Vocabulary: the words that every other section uses
// ================================================================================================
// Versions, faults, limits and the value types that XML Schema has and C++ has not. Uses S1 only.
// The surprise: a fault's typed detail is a C++ record here; S7 makes it XML when S8 writes it.

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
    std::size_t elements = 500'000;  ///< elements in the message; each costs about 120 bytes
    std::size_t attributes = 256;  ///< attributes of one element, declarations included
    std::size_t namespaces = 1'024;  ///< namespace declarations in scope at the same time
    std::size_t name_bytes = 1'024;  ///< one element or attribute name, prefix included
    std::size_t text_bytes = 16'777'216;  ///< the text of one element or attribute
    std::size_t header_blocks = 1'000;  ///< children of the Header element
};

namespace detail {

/// The first element that fits, nullptr when none does. std::find_if and std::all_of would do, but
/// compilers take several times as long for each use of those.
template <class Range, class Fits>
constexpr auto first_where(const Range& all, Fits fits) -> decltype(all.data()) {
    for (const auto& each : all)
        if (fits(each)) return &each;
    return nullptr;
}
template <class Range, class Fits>
constexpr bool all_fit(const Range& all, Fits fits) {
    return !first_where(all, [&](const auto& each) { return !fits(each); });
}
template <class Range, class Value>
constexpr bool holds(const Range& all, const Value& value) {
    return first_where(all, [&](const auto& each) { return each == value; }) != nullptr;
}

/// As much of std::vector as the inside of this header uses, for element types of its own: a dozen
/// short functions, where a vector takes more than fifty and a compiler three times as long.
template <class T>
class sequence {
public:
    sequence() = default;
    sequence(sequence&& other) noexcept { *this = std::move(other); }
    sequence& operator=(sequence&& other) noexcept {  // what was here ends with `other`
        std::swap(at_, other.at_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
        return *this;
    }
    ~sequence() {
        clear();
        ::operator delete(at_);
    }

    void push_back(T element) {
        if (size_ == room_) grow(2 * room_ + 4);
        ::new (static_cast<void*>(at_ + size_)) T(std::move(element));
        ++size_;
    }
    void assign(std::size_t count, const T& element) {
        clear();
        if (count > room_) grow(count);
        for (; size_ != count; ++size_)
            ::new (static_cast<void*>(at_ + size_)) T(element);
    }
    void pop_back() noexcept { at_[--size_].~T(); }
    void clear() noexcept {
        while (size_ != 0)
            pop_back();
    }

    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return room_; }
    const T* data() const noexcept { return at_; }
    T* begin() noexcept { return at_; }
    T* end() noexcept { return at_ + size_; }
    const T* begin() const noexcept { return at_; }
    const T* end() const noexcept { return at_ + size_; }
    T& operator[](std::size_t index) noexcept { return at_[index]; }
    const T& operator[](std::size_t index) const noexcept { return at_[index]; }

private:
    void grow(std::size_t room) {
        T* const fresh = static_cast<T*>(::operator new(room * sizeof(T)));
        for (std::size_t index = 0; index != size_; ++index) {
            ::new (static_cast<void*>(fresh + index)) T(std::move(at_[index]));
            at_[index].~T();
        }
        ::operator delete(at_);
        at_ = fresh;
        room_ = room;
    }

    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    T* at_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
};

class writer;  // S6
constexpr bool is_ncname(std::string_view name) noexcept;  // S4
constexpr bool is_collapsed_token(std::string_view text) noexcept;  // S4

struct record_info;  // S3

/// The typed detail of a fault: a value, and how S7 writes it when the fault is rendered.
struct typed_detail {
    std::shared_ptr<const void> value;
    const record_info& (*record)() = nullptr;
    const std::type_info* type = nullptr;
    void (*write)(const void* value, writer& out, std::string_view ns) = nullptr;
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
    fault(fault_code code, std::string reason) : code_(code), reason_(std::move(reason)) {}

    /// Adds a record, with a table of its own, as the one child of the detail element, in the
    /// service's namespace. Replaces an earlier one. (SOAP 1.1, 4.4; SOAP 1.2 part 1, 5.4.5)
    template <class Detail>
    fault with(Detail detail) const;  // S7

    /// Adds a subcode: an NCName, qualified with the service's namespace. Written in 1.2 only;
    /// SOAP 1.1 has no place for it. (SOAP 1.2 part 1, 5.4.1.3)
    fault with_subcode(std::string name) const {
        fault changed = *this;
        changed.subcode_ = std::move(name);
        return changed;
    }

    /// Says that a header block caused this, not the body: SOAP 1.1 forbids a detail element then
    /// (4.4), so none is written in 1.1; 1.2 carries it.
    fault about_header() const {
        fault changed = *this;
        changed.about_header_ = true;
        return changed;
    }

    /// Adds the header blocks that were not understood; 1.2 names each in a NotUnderstood header
    /// block (SOAP 1.2 part 1, 5.4.8).
    fault with_not_understood(std::vector<qualified_name> names) const {
        fault changed = *this;
        changed.not_understood_ = std::move(names);
        return changed;
    }

    /// Answers with this HTTP status, 400 to 599, instead of the one that the SOAP version asks
    /// for. Throws std::invalid_argument for any other: a fault under a status of success, or of an
    /// answer that is still to come, is none to whoever reads the status first.
    fault with_status(int status) const {
        if (status < 400 || status > 599)
            throw std::invalid_argument("soapsvc: the HTTP status of a fault is 400 to 599");
        fault changed = *this;
        changed.status_ = status;
        return changed;
    }

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
    const detail::typed_detail& typed_detail() const noexcept { return detail_; }

    const char* what() const noexcept override { return reason_.c_str(); }

private:
    fault_code code_;
    bool about_header_ = false;
    int status_ = 0;
    std::string reason_;
    std::string subcode_;
    std::vector<qualified_name> not_understood_;
    detail::typed_detail detail_;
};

/// An XML name without a colon (Namespaces in XML 1.0, 4: NCName), checked while compiling.
struct element_name {
    std::string_view text;
    // NOLINTNEXTLINE(google-explicit-constructor): a table's row reads field("Id", ...)
    constexpr element_name(const char* literal) : text(literal) {
        if (!detail::is_ncname(text))
            throw "soapsvc: this is not an XML name: begin with a letter or '_', go on with "
                  "letters, digits, '_', '-' or '.'";
    }
};

/// A header block as it came: where it is addressed to and its own XML, for a handler that wants
/// one its table does not name. The views live as long as the call. (SOAP 1.2 part 1, 5.2.1)
struct header_block {
    std::string_view ns;
    std::string_view local;
    /// Actor in 1.1; empty: the ultimate receiver. As it came, but for a relative role of 1.2 that
    /// xml:base makes one of SOAP's own.
    std::string_view role;
    bool must_understand = false;
    std::string_view xml;  ///< the element's own text, UTF-8; prefixes may be declared further out
};

/// What a handler may know about the call that it serves, as its last parameter. The views live as
/// long as the call.
struct context {
    std::string_view operation;
    soap_version version = soap_version::v1_1;
    std::string_view peer;  ///< address of the caller; empty when unknown
    std::string_view request_id;  ///< X-Request-Id of the request, or one made here
    std::string_view certificate_subject;  ///< of a verified client certificate, else empty
    std::span<const header_block> header_blocks;
};

// -- The value types that XML Schema has and C++ has not ---------------------------------------
// Each keeps what was sent and compares by value, as XML Schema part 2 defines it (cited below):
// 10.5 == 10.50 and 13:00+01:00 == 12:00Z. Constructors are explicit and the dates are aggregates:
// a converting constructor would also convert the probe that counts a message struct's members.

/// Bytes, on the wire as xs:base64Binary (XML Schema part 2, 3.2.16).
struct binary {
    std::vector<std::uint8_t> bytes;
    friend bool operator==(const binary&, const binary&) = default;
    friend auto operator<=>(const binary&, const binary&) = default;
};

namespace detail {

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
    explicit decimal(std::string_view text) {
        if (!assign(text)) throw std::invalid_argument("soapsvc: not a decimal number");
    }

    /// `units` divided by 10 to the power of `scale`: decimal(1050, 2) is 10.50, decimal(7) is 7.
    explicit decimal(std::int64_t units, unsigned scale = 0) : text_(std::to_string(units)) {
        if (scale == 0) return;
        const std::size_t sign = units < 0 ? 1 : 0;
        const std::size_t whole = std::size_t{scale} + 1;  // so that a digit precedes the point
        if (text_.size() - sign < whole) text_.insert(sign, whole - (text_.size() - sign), '0');
        text_.insert(text_.size() - scale, 1, '.');
    }

    /// No floating point: which decimal number 0.1 stands for is a guess. Nor what is no number,
    /// though C++ converts it: '5' would be 53, and a null pointer is no text.
    template <class Other>
    requires(
        std::floating_point<Other> || std::same_as<Other, bool> || std::same_as<Other, char> ||
        std::same_as<Other, std::nullptr_t>) explicit decimal(Other units, unsigned scale = 0) =
        delete;

    /// The number that `text` says, or nullopt when it is not in the lexical form of xs:decimal.
    static std::optional<decimal> parse(std::string_view text) {
        std::optional<decimal> number(std::in_place);
        if (!number->assign(text)) number.reset();
        return number;
    }

    /// Digits with a '-' before and a point among them where there is need. Leading zeros and "+"
    /// are gone; trailing zeros after the point are as they were sent.
    std::string_view text() const noexcept {
        // Empty when never assigned or moved from; both are zero.
        return text_.empty() ? std::string_view("0") : std::string_view(text_);
    }

    /// How many digits there are after the point: 2 for 10.50.
    std::size_t scale() const noexcept { return split().fraction.size(); }

    /// This number times 10 to the power of `scale`: decimal("10.5").units(2) is 1050. nullopt
    /// when that is no whole number or does not fit.
    std::optional<std::int64_t> units(unsigned scale) const noexcept {
        const parts number = split();
        const std::string_view fraction = without_trailing_zeros(number.fraction);
        if (fraction.size() > scale) return std::nullopt;
        const std::uint64_t limit = std::uint64_t{std::numeric_limits<std::int64_t>::max()} +
                                    (number.is_negative ? 1U : 0U);
        std::uint64_t size = 0;
        const auto append = [&](char digit) {
            const auto value = static_cast<std::uint64_t>(digit - '0');
            const bool fits = size <= (limit - value) / 10;
            size = fits ? size * 10 + value : size;
            return fits;
        };
        if (!detail::all_fit(number.whole, append) || !detail::all_fit(fraction, append))
            return std::nullopt;
        for (std::size_t i = fraction.size(); i < scale && size != 0; ++i)
            if (!append('0')) return std::nullopt;
        return static_cast<std::int64_t>(number.is_negative ? 0 - size : size);
    }

    friend std::strong_ordering operator<=>(const decimal& a, const decimal& b) noexcept {
        const parts x = a.split();
        const parts y = b.split();
        if (x.is_negative != y.is_negative)
            return x.is_negative ? std::strong_ordering::less : std::strong_ordering::greater;
        return x.is_negative ? compare_sizes(y, x) : compare_sizes(x, y);
    }
    friend bool operator==(const decimal& a, const decimal& b) noexcept {
        return std::is_eq(a <=> b);
    }

private:
    struct parts {
        bool is_negative = false;
        std::string_view whole;  // no leading zeros but a single "0"
        std::string_view fraction;  // as sent
    };

    static std::string_view without_trailing_zeros(std::string_view digits) noexcept {
        return digits.substr(0, digits.find_last_not_of('0') + 1);
    }

    static std::strong_ordering compare_sizes(const parts& a, const parts& b) noexcept {
        if (a.whole.size() != b.whole.size()) return a.whole.size() <=> b.whole.size();
        if (const int order = a.whole.compare(b.whole); order != 0) return order <=> 0;
        const std::string_view fraction = without_trailing_zeros(a.fraction);
        return fraction.compare(without_trailing_zeros(b.fraction)) <=> 0;
    }

    // Sign, digits before and digits after the point, of a text that may have any of them.
    static parts split(std::string_view text) noexcept {
        parts number;
        if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
            number.is_negative = text.front() == '-';
            text.remove_prefix(1);
        }
        const std::size_t point = text.find('.');
        number.whole = text.substr(0, point);
        if (point != std::string_view::npos) number.fraction = text.substr(point + 1);
        return number;
    }
    parts split() const noexcept { return split(text()); }

    bool assign(std::string_view text) {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const parts number = split(text);
        const std::string_view fraction = number.fraction;
        if ((number.whole.empty() && fraction.empty()) ||
            !detail::all_fit(number.whole, is_digit) || !detail::all_fit(fraction, is_digit))
            return false;
        std::string_view whole = number.whole;
        whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
        const bool is_zero = whole.empty() && without_trailing_zeros(fraction).empty();
        text_.clear();
        text_.reserve(whole.size() + fraction.size() + 3);
        text_.append(number.is_negative && !is_zero ? "-" : "");  // there is no negative zero
        text_.append(whole.empty() ? "0" : whole);
        text_.append(fraction.empty() ? "" : ".").append(fraction);
        return true;
    }

    std::string text_;
};
}  // namespace soapsvc

// ================================================================================================
// [S3] Tables: how structs, enumerations and services look on the wire
// ================================================================================================
// A table is written once, beside its struct, and feeds everything: decoder, encoder, dispatch,
// WSDL, help page, client. Uses S2 only. A mistake in a row is reported at that row, in one
// sentence that begins with "soapsvc:". The surprise: behind the public part, each table is
// flattened into plain data (record_info, operation_info, service_info), so that all later sections
// are ordinary functions over data and not templates; compile time stays linear in the number of
// records. Rejected: names as template arguments (errors print character codes, symbols grow),
// macros, and tables inside the struct (it is incomplete there, so members cannot be counted).
// A struct may hold itself in a std::vector; two structs cannot hold each other, because one of the
// two tables would be needed before it is written.

namespace soapsvc {

namespace detail {

/// Which of the four things `schema<T>` is.
enum class table_kind : std::uint8_t { none, record, enumeration, service };

struct no_table {
    static constexpr auto what = table_kind::none;
};

}  // namespace detail

/// The table of `T`. Specialise it in the global namespace right after the type:
///
///     template <>
///     inline constexpr auto soapsvc::schema<Point> =
///         record("Point", field("X", &Point::x), field("Y", &Point::y));
template <class T>
inline constexpr detail::no_table schema{};

/// A request without children, for a method that takes a header but no request.
struct nothing {};

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

/// The XML form of a type without its std::optional or std::vector. Up to `decimal` in the order of
/// `simple_types` and `xsd_names`.
enum class kind : std::uint8_t {
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
    enumeration,
    record
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
    soapsvc::decimal>;

/// Local names of XML Schema's built-in types by `kind` (XML Schema part 2, 3.2 and 3.3).
inline constexpr std::array<std::string_view, 17> xsd_names{
    "",
    "boolean",
    "byte",
    "short",
    "int",
    "long",
    "unsignedByte",
    "unsignedShort",
    "unsignedInt",
    "unsignedLong",
    "float",
    "double",
    "string",
    "base64Binary",
    "date",
    "dateTime",
    "decimal"};

/// How often an element may occur.
enum class occurs : std::uint8_t { once, optional, many };

/// Takes std::optional and std::vector off a member's type.
template <class Member>
struct member_of {
    using type = Member;
    static constexpr occurs how = occurs::once;
};
template <class T>
struct member_of<std::optional<T>> {
    using type = T;
    static constexpr occurs how = occurs::optional;
};
template <class T>
struct member_of<std::vector<T>> {
    using type = T;
    static constexpr occurs how = occurs::many;
};

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

template <class T, class... Types>
constexpr kind simple_kind_in(type_list<Types...>) {
    auto found = kind::none;
    auto next = static_cast<std::uint8_t>(kind::boolean);
    ((found = std::is_same_v<T, Types> ? static_cast<kind>(next) : found, ++next), ...);
    return found;
}

/// The kind of a built-in type; `none` for enumerations, records and everything else.
template <class T>
inline constexpr kind simple_kind = simple_kind_in<T>(simple_types{});

template <class T>
inline constexpr kind kind_of = simple_kind<T> != kind::none ? simple_kind<T>
                                : std::is_enum_v<T>          ? kind::enumeration
                                                             : kind::record;

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

template <class T>
inline constexpr bool is_row_option = is_one_of<T, secret_option, deprecated_option, doc_option>;
template <class T>
inline constexpr bool is_operation_option = is_row_option<T> || is_one_of<T, documented_fault>;
template <class T>
inline constexpr bool is_field_option =
    is_row_option<T> || is_one_of<T, defaulted_option, sample_option>;

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

/// What a row is after a mistake in it was reported: its table is left empty, so that no later
/// stage stumbles over the same mistake.
struct broken_row {};

template <class Owner, class Member>
struct field_row {
    using owner = Owner;
    static constexpr bool holds_owner = std::is_same_v<typename member_of<Member>::type, Owner>;
    std::string_view name;
    Member Owner::*member;
    row_options options;
};

template <class Enum>
struct value_row {
    std::string_view text;
    Enum value;
};

template <class Service, class Method, std::size_t Faults>
struct operation_row {
    using service = Service;
    std::string_view name;
    Method method;
    row_options options;
    std::array<documented_fault, Faults> faults;
};

/// Rows of different types, kept in order. std::tuple would do the same, but is several times
/// slower to compile, and each record is one.
template <std::size_t Index, class Row>
struct slot {
    Row row;
};
template <class Indices, class... Rows>
struct slots;
template <std::size_t... Indices, class... Rows>
struct slots<std::index_sequence<Indices...>, Rows...> : slot<Indices, Rows>... {
    template <class Function>
    constexpr void for_each([[maybe_unused]] Function function) const {
        (function(static_cast<const slot<Indices, Rows>&>(*this).row), ...);
    }
};

/// The table of a record or a service. `Type` is void after a mistake was reported in it.
template <table_kind What, class Type, class... Rows>
struct table {
    static constexpr auto what = What;
    using type = Type;
    std::string_view name;
    slots<std::index_sequence_for<Rows...>, Rows...> rows;
};
template <class T, class... Rows>
using record_table = table<table_kind::record, T, Rows...>;
template <class Service, class... Rows>
using service_table = table<table_kind::service, Service, Rows...>;

template <class Enum, std::size_t Count>
struct enumeration_table {
    static constexpr auto what = table_kind::enumeration;
    using type = Enum;
    std::string_view name;
    std::array<value_row<Enum>, Count> values;
};

// --- Checks: each reports once, at the row, and later stages skip what is broken ----------------
// What only a value can tell (equal names, say) is reported by `throw` while the table is computed.

/// The most children that one record may have: what is seen of them is a fixed set of bits.
inline constexpr std::size_t max_fields = 256;

template <class>
inline constexpr bool never = false;

template <class T>
using schema_of = std::remove_cv_t<decltype(schema<T>)>;

/// Reports a type without a table, or with one about another type. (`void`: reported already.)
template <class T, table_kind What>
constexpr bool check_table() {
    if constexpr (schema_of<T>::what != What) {
        static_assert(
            What != table_kind::enumeration,
            "soapsvc: this enum has no table; write soapsvc::schema<...> = enumeration(...) after "
            "it, above its first use");
        static_assert(
            What != table_kind::record,
            "soapsvc: this struct has no table; write soapsvc::schema<...> = record(...) after it, "
            "above its first use");
        static_assert(
            What != table_kind::service,
            "soapsvc: this class has no table of operations; write soapsvc::schema<...> = "
            "service(...) after it");
        return false;
    } else if constexpr (!std::is_same_v<typename schema_of<T>::type, T>) {
        static_assert(
            std::is_void_v<typename schema_of<T>::type>,
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

/// Whether two of the keys are equal. Sorted where there is an order (the addresses of members have
/// none in a constant), since comparing each with each takes more steps than compilers allow.
template <class Keys>
constexpr bool repeats(Keys keys) {
    using key = typename Keys::value_type;
    const auto* const end = keys.data() + keys.size();
    if constexpr (!std::is_pointer_v<key>) {
        std::sort(keys.begin(), keys.end());
        return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
    }
    for (const auto* left = keys.data(); left != end; ++left)
        for (const auto* right = keys.data(); right != left; ++right)
            if (*left == *right) return true;
    return false;
}

/// Whether values of `T` can be the content of an element.
template <class T>
constexpr bool check_type() {
    if constexpr (simple_kind<T> != kind::none) {
        return true;
    } else if constexpr (member_of<T>::how != occurs::once) {
        static_assert(
            never<T>,
            "soapsvc: std::optional and std::vector do not nest; put the inner one into a struct "
            "with a table of its own");
        return false;
    } else if constexpr (std::is_enum_v<T>) {
        return check_table<T, table_kind::enumeration>();
    } else if constexpr (!std::is_aggregate_v<T> || requires { std::tuple_size<T>::value; }) {
        static_assert(
            never<T>,
            "soapsvc: this type has no XML form; use bool, std::int8_t to std::uint64_t, float, "
            "double, std::string, soapsvc::binary, date, date_time or decimal, an enum or plain "
            "struct with a table, or std::optional or std::vector of one of these");
        return false;
    } else if constexpr (!check_table<T, table_kind::record>()) {
        return false;
    } else {
        constexpr bool named = table_has_name<T>();
        static_assert(
            named,
            "soapsvc: only a request's table goes without a name; write record(\"Name\", ...) for "
            "this struct, which a field or a result holds");
        return named;
    }
}

/// Whether `Member` can be an element that occurs once, at most once, or any number of times.
template <class Member>
constexpr bool check_member() {
    constexpr bool has_bits = std::is_same_v<Member, std::vector<bool>>;
    static_assert(
        !has_bits,
        "soapsvc: std::vector<bool> packs its elements into bits, which cannot be reached; use a "
        "std::vector of an enum or of a struct");
    if constexpr (has_bits)
        return false;
    else
        return check_type<typename member_of<Member>::type>();
}

/// Whether one row of a record is right; its name is checked by element_name.
template <class Owner, class Member, class... Options>
constexpr bool check_field() {
    using held = typename member_of<Member>::type;
    constexpr bool is_data = !std::is_function_v<Member>;
    constexpr bool good_options = (is_field_option<Options> && ...);
    constexpr bool good_default =
        !is_one_of<defaulted_option, Options...> || member_of<Member>::how == occurs::once;
    static_assert(
        is_data, "soapsvc: a field is a data member; a method belongs into operation(...)");
    static_assert(
        good_options,
        "soapsvc: the options of a field are defaulted, secret, deprecated, doc(\"...\") and "
        "sample(\"...\")");
    static_assert(
        good_default,
        "soapsvc: defaulted is for a member that always has a value; leave it out, std::optional "
        "and std::vector may be absent anyway");
    if constexpr (!is_data || !good_options || !good_default)
        return false;
    else if constexpr (std::is_same_v<held, Owner>)
        return true;  // its table is being written
    else
        return check_member<Member>();
}

/// Converts to every type, so that `T{anything, anything}` compiles for two or more members.
struct anything {
    template <class T>
    operator T() const noexcept;  // NOLINT(google-explicit-constructor): never called
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
    static_assert(
        Listed <= Members,
        "soapsvc: this table lists a member twice (see the numbers Listed and Members of "
        "check_lists_every_member)");
    return false;
}

/// Asks for exactly `Listed` members; counts them one by one only to report a difference.
template <class T, std::size_t Listed>
constexpr bool check_members() {
    static_assert(
        std::is_aggregate_v<T>,
        "soapsvc: a struct with a table is plain: no constructor, private member, base class or "
        "virtual function");
    if constexpr (!std::is_aggregate_v<T>)
        return false;
    else if constexpr (
        is_initialisable<T>(std::make_index_sequence<Listed>{}) &&
        !is_initialisable<T>(std::make_index_sequence<Listed + 1>{}))
        return true;
    else
        return check_lists_every_member<T, Listed, count_members<T>()>();
}

template <class Row>
concept is_field_row = requires {
    typename Row::owner;
};

/// Whether the rows of a record belong together.
template <class First, class... Rows>
constexpr bool check_fields() {
    constexpr bool all_fields = (is_field_row<First> && ... && is_field_row<Rows>);
    static_assert(all_fields, "soapsvc: the rows of a record are field(\"Name\", &Struct::member)");
    if constexpr (all_fields) {
        using owner = typename First::owner;
        constexpr bool one_owner = (std::is_same_v<typename Rows::owner, owner> && ...);
        static_assert(
            one_owner, "soapsvc: all fields of a record are members of one and the same struct");
        if constexpr (one_owner) return check_members<owner, 1 + sizeof...(Rows)>();
    }
    return false;
}

/// Apart from the rest, because a compiler may have a limit of its own for what comes after.
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

/// Every wrong record has the same type, so that nothing later depends on its rows.
template <class First, class... Rows>
constexpr auto make_record(std::string_view name, First first, Rows... rows) {
    if constexpr (!check_length<1 + sizeof...(Rows)>()) {
        return record_table<void>{name, {}};
    } else if constexpr (is_one_of<broken_row, First, Rows...>) {
        return record_table<void>{name, {}};
    } else if constexpr (!check_fields<First, Rows...>()) {
        return record_table<void>{name, {}};
    } else {
        using owner = typename First::owner;
        if (name.empty() && (First::holds_owner || ... || Rows::holds_owner))
            throw "soapsvc: the table of a struct that holds itself needs a name";
        if (repeats(std::array{first.name, rows.name...}))
            throw "soapsvc: two fields of this record have the same name";
        unset<owner> probe;
        const auto place = [&probe](const auto& row) -> const void* {
            return &(probe.value.*row.member);
        };
        if (repeats(std::array{place(first), place(rows)...}))
            throw "soapsvc: this table lists a member twice";
        return record_table<owner, First, Rows...>{name, {{first}, {rows}...}};
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
    return record_table<T>{name, {}};
}

template <class Enum, class... Rows>
constexpr auto make_enumeration(std::string_view name, value_row<Enum> first, Rows... rows) {
    constexpr bool same = (std::is_same_v<Rows, value_row<Enum>> && ...);
    static_assert(
        same, "soapsvc: the rows of an enumeration are value(\"Text\", Enum::x) of one enum");
    if constexpr (!same) {
        return enumeration_table<void, 0>{name, {}};
    } else {
        if (repeats(std::array{first.text, rows.text...}))
            throw "soapsvc: two values of this enumeration have the same text";
        if (repeats(std::array{first.value, rows.value...}))
            throw "soapsvc: this enumeration lists an enumerator twice";
        return enumeration_table<Enum, 1 + sizeof...(Rows)>{name, {first, rows...}};
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

/// Request, header and context by position; `fits` is false for anything else.
template <class Arguments>
struct parameters {
    static constexpr bool fits = false;
};
template <class Request, class Header, bool Context>
struct parameters_are {
    static constexpr bool fits = true;
    static constexpr bool header_may_be_absent = member_of<Header>::how == occurs::optional;
    static constexpr bool takes_context = Context;
    using request = Request;  ///< void: none
    using header_slot = Header;  ///< as declared: H or std::optional<H>
    using header =  ///< void: none
        std::conditional_t<header_may_be_absent, typename member_of<Header>::type, Header>;
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

template <class Method>
using signature = parameters<typename method_of<Method>::arguments>;

/// Whether `T` can be a request or a header: void, or a struct with a table.
template <class T>
constexpr bool check_parameter() {
    if constexpr (std::is_void_v<T>) {
        return true;
    } else if constexpr (
        !std::is_class_v<T> || simple_kind<T> != kind::none || member_of<T>::how != occurs::once) {
        static_assert(
            never<T>,
            "soapsvc: request and header of a method are structs with a table; the header may be "
            "a std::optional of one");
        return false;
    } else {
        return check_table<T, table_kind::record>();
    }
}

/// A header, or a fault's detail: unlike a request, its name comes from its own table only.
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
        return named;
    }
}

template <class T>
constexpr bool check_result() {
    if constexpr (std::is_void_v<T>)
        return true;
    else
        return check_member<T>();
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
        constexpr bool request = check_parameter<typename signature<Method>::request>();
        constexpr bool header = check_header<typename signature<Method>::header>();
        constexpr bool result = check_result<typename method::result>();
        return request && header && result;
    }
}

/// The class that the operations belong to: the first one that is known.
template <class...>
struct first_class {
    using type = void;
};
template <class First, class... Rest>
struct first_class<First, Rest...> {
    using type =
        std::conditional_t<std::is_void_v<First>, typename first_class<Rest...>::type, First>;
};

template <class Row>
concept is_service_row = requires {
    typename Row::service;
};

/// Whether the rows of a service belong together.
template <class... Rows>
constexpr bool check_operations() {
    constexpr bool all_rows = (is_service_row<Rows> && ...);
    static_assert(
        all_rows,
        "soapsvc: the rows of a service are operation(\"Name\", &Service::method) and "
        "doc(\"...\")");
    if constexpr (all_rows) {
        using owner = typename first_class<typename Rows::service...>::type;
        constexpr bool one_owner = (is_one_of<typename Rows::service, void, owner> && ...);
        static_assert(!std::is_void_v<owner>, "soapsvc: a service has at least one operation");
        static_assert(
            one_owner,
            "soapsvc: all operations of a service are methods of one and the same class");
        return one_owner && !std::is_void_v<owner>;
    }
    return false;
}

template <class... Rows>
constexpr auto make_service(std::string_view name, Rows... rows) {
    if constexpr (is_one_of<broken_row, Rows...>) {
        return service_table<void>{name, {}};
    } else if constexpr (!check_operations<Rows...>()) {
        return service_table<void>{name, {}};
    } else {
        using owner = typename first_class<typename Rows::service...>::type;
        service_table<owner, Rows...> table{name, {{rows}...}};
        std::array<std::string_view, sizeof...(Rows)> names{};
        std::size_t count = 0;
        table.rows.for_each([&](const auto& row) {
            if constexpr (requires { row.method; }) names[count++] = row.name;
        });
        if (repeats(std::span(names.data(), count)))
            throw "soapsvc: two operations of this service have the same name";
        for (const std::string_view request : std::span(names.data(), count))
            for (const std::string_view other : std::span(names.data(), count))
                if (other.size() == request.size() + 8 && other.starts_with(request) &&
                    other.ends_with("Response"))
                    throw "soapsvc: an operation is called like another one's response element";
        return table;
    }
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

/// One child element of a record: its name on the wire and the member that holds it. The member's
/// type decides the XML type and how often it may occur: `T` exactly once, `std::optional<T>` at
/// most once, `std::vector<T>` any number of times. Options: defaulted, secret, deprecated, doc,
/// sample.
template <class Owner, class Member, class... Options>
constexpr auto field(element_name name, Member Owner::*member, Options... options) {
    if constexpr (detail::check_field<Owner, Member, Options...>())
        return detail::field_row<Owner, Member>{
            name.text, member, detail::collect_options(options...)};
    else
        return detail::broken_row{};
}

/// The table of a struct: an XML Schema complex type, its children in this order. Every member of
/// the struct must be listed. (XML Schema part 1, 3.4; written as a `sequence`)
template <class First, class... Rows>
constexpr auto record(element_name name, First first, Rows... rows) {
    return detail::make_record(name.text, first, rows...);
}

/// The table of a request struct: without a name it takes that of the operation it is used by.
template <class First, class... Rows>
requires(!std::convertible_to<First, element_name>) constexpr auto record(
    First first, Rows... rows) {
    return detail::make_record({}, first, rows...);
}

/// The table of a struct without members: `record<Nothing>("Nothing")`.
template <class T = void>
constexpr auto record(element_name name) {
    return detail::make_empty_record<T>(name.text);
}

/// One value of an enumeration: its text on the wire, a literal without outer or double spaces.
template <class Enum>
constexpr auto value(const char* text, Enum enumerator) {
    static_assert(std::is_enum_v<Enum>, "soapsvc: write value(\"Text\", Enum::x)");
    if (!detail::is_collapsed_token(text))
        throw "soapsvc: an enumeration's text is not empty and has no outer or double spaces";
    return detail::value_row<Enum>{text, enumerator};
}

/// The table of an enumeration: an XML Schema simple type, a restriction of string.
/// (XML Schema part 2, 4.3.5)
template <class Enum, class... Rows>
constexpr auto enumeration(element_name name, detail::value_row<Enum> first, Rows... rows) {
    return detail::make_enumeration(name.text, first, rows...);
}

/// One operation of a service: its name, which is the request's element name, and the method that
/// serves it. From the method's signature come request, header and response:
///
///     Result method(const Request&, const Header&, const soapsvc::context&)
///
/// Each parameter may be left out. `const std::optional<Header>&` lets the method itself see that a
/// header is missing; `const soapsvc::nothing&` stands for a request without children. The result
/// is void, a value, a record, std::optional of one, or std::vector (an `ArrayOfX` list). Options:
/// deprecated, doc, fault_doc, and secret for the result.
template <class Method, class... Options>
constexpr auto operation(element_name name, Method method, Options... options) {
    constexpr bool good_options = (detail::is_operation_option<Options> && ...);
    static_assert(
        good_options,
        "soapsvc: the options of an operation are deprecated, secret, fault_doc(...) and "
        "doc(\"...\")");
    if constexpr (!detail::check_method<Method>() || !good_options) {
        return detail::broken_row{};
    } else {
        using request = typename detail::signature<Method>::request;
        if constexpr (detail::has_value<request>)
            if (!schema<request>.name.empty() && schema<request>.name != name.text)
                throw "soapsvc: a request's table has no name, or the name of its operation";
        const auto faults = detail::collect_faults(options...);
        constexpr std::size_t count = faults.size();
        std::array<std::int32_t, count> codes{};
        for (std::size_t index = 0; index != count; ++index)
            codes[index] = faults[index].code;
        if (detail::repeats(codes))
            throw "soapsvc: two faults of this operation have the same code";
        return detail::operation_row<typename detail::method_of<Method>::service, Method, count>{
            name.text, method, detail::collect_options(options...), faults};
    }
}

/// The table of a service class: its name, which ends its namespace and path, and its operations;
/// doc("...") may stand among them. The order is that of the WSDL.
template <class... Rows>
constexpr auto service(element_name name, Rows... rows) {
    return detail::make_service(name.text, rows...);
}

}  // namespace soapsvc

namespace soapsvc {

template <>
inline constexpr auto schema<nothing> = detail::make_empty_record<nothing>("");

namespace detail {

// --- Tables as plain data: what all later sections read ------------------------------------------

struct record_info;
struct enumeration_info;

/// A type without its std::optional or std::vector. The functions are set for their kind only; they
/// are functions, not pointers, because a record may hold itself.
struct type_info {
    kind what = kind::none;
    const record_info& (*record)() = nullptr;
    const enumeration_info& (*enumeration)() = nullptr;
};

/// An enumeration's table. The functions know the C++ type behind the pointer.
struct enumeration_info {
    std::string_view name;
    sequence<std::string_view> texts;
    void (*set)(void* value, std::size_t index) = nullptr;
    std::size_t (*index_of)(const void* value) = nullptr;  ///< npos: not in the table
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

/// One member, reached through two functions: `emplace` makes room for a value that is being read
/// (the member itself, a fresh optional value, one more element of a vector) and `item` finds the
/// index-th value to write (nullptr: absent, or past the last).
struct field_info {
    std::string_view name;
    element_tags tags;
    row_options options;
    occurs how = occurs::once;
    type_info type;
    std::size_t offset = 0;
    void* (*emplace)(void* member) = nullptr;
    const void* (*item)(const void* member, std::size_t index) = nullptr;
};

/// A record's table: its fields in their order on the wire.
struct record_info {
    std::string_view name;
    sequence<field_info> fields;
};

/// How S9 serves a call, handed to the typed thunk `operation_info::call`: it makes request and
/// header, has them filled, calls the method, and hands the result on.
struct call_steps {
    void* self = nullptr;
    void (*decode)(void* self, void* request, void* header) = nullptr;
    void (*encode)(void* self, const void* result) = nullptr;
    const context* about = nullptr;
};

/// An operation as the later sections see it.
struct operation_info {
    std::string_view name;
    row_options options;
    const record_info& (*request)() = nullptr;  ///< nullptr: no parameters
    const record_info& (*header)() = nullptr;  ///< nullptr: takes no header
    bool header_may_be_absent = false;  ///< the method sees std::optional<Header>
    void* (*emplace_header)(void* slot) = nullptr;
    bool has_result = false;
    occurs result_how = occurs::once;
    type_info result;
    const void* (*result_item)(const void* result, std::size_t index) = nullptr;
    sequence<documented_fault> faults;
    const void* method = nullptr;  ///< where its table holds the method, for `call`
    void (*call)(const void* method, void* service, call_steps& steps) = nullptr;
};

/// A service's table: its operations in the order of the WSDL.
struct service_info {
    std::string_view name;
    std::string_view doc;
    sequence<operation_info> operations;
};

template <class T>
const record_info& describe_record();
template <class T>
const enumeration_info& describe_enumeration();

template <class T>
type_info describe_type() {
    type_info type;
    type.what = kind_of<T>;
    if constexpr (kind_of<T> == kind::record) type.record = &describe_record<T>;
    if constexpr (kind_of<T> == kind::enumeration) type.enumeration = &describe_enumeration<T>;
    return type;
}

template <class Member>
void* emplace_member(void* at) {
    auto& member = *static_cast<Member*>(at);
    if constexpr (member_of<Member>::how == occurs::optional)
        return &member.emplace();
    else if constexpr (member_of<Member>::how == occurs::many)
        return &member.emplace_back();
    else
        return &member;
}

template <class Member>
const void* member_item(const void* at, std::size_t index) {
    const auto& member = *static_cast<const Member*>(at);
    if constexpr (member_of<Member>::how == occurs::optional)
        return index == 0 && member.has_value() ? &*member : nullptr;
    else if constexpr (member_of<Member>::how == occurs::many)
        return index < member.size() ? &member[index] : nullptr;
    else
        return index == 0 ? &member : nullptr;
}

template <class Owner, class Member>
void add_field(
    sequence<field_info>& fields, const field_row<Owner, Member>& row, const Owner& probe) {
    field_info info;
    info.name = row.name;
    info.tags = element_tags(row.name);
    info.options = row.options;
    info.how = member_of<Member>::how;
    info.type = describe_type<typename member_of<Member>::type>();
    // The distance within a live object: a pointer to a member has no portable conversion.
    info.offset = static_cast<std::size_t>(
        reinterpret_cast<const char*>(&(probe.*row.member)) -
        reinterpret_cast<const char*>(&probe));
    info.emplace = &emplace_member<Member>;
    info.item = &member_item<Member>;
    fields.push_back(std::move(info));
}
template <class T>
const record_info& describe_record() {
    static const record_info info = [] {
        record_info made{schema<T>.name, {}};
        const T probe{};
        schema<T>.rows.for_each([&](const auto& row) { add_field(made.fields, row, probe); });
        return made;
    }();
    return info;
}

template <class Enum>
const enumeration_info& describe_enumeration() {
    static const enumeration_info info = [] {
        enumeration_info made;
        made.name = schema<Enum>.name;
        for (const auto& row : schema<Enum>.values)
            made.texts.push_back(row.text);
        made.set = [](void* value, std::size_t index) {
            *static_cast<Enum*>(value) = schema<Enum>.values[index].value;
        };
        made.index_of = [](const void* value) {
            const auto& values = schema<Enum>.values;
            for (std::size_t index = 0; index != values.size(); ++index)
                if (values[index].value == *static_cast<const Enum*>(value)) return index;
            return std::string_view::npos;
        };
        return made;
    }();
    return info;
}

/// `void` has no values: an empty struct stands in, so that one thunk serves all signatures.
template <class T>
using value_or_nothing = std::conditional_t<std::is_void_v<T>, nothing, T>;

template <class Service, class Method>
void call_method(const void* at, void* service, call_steps& steps) {
    using shape = signature<Method>;
    const Method method = *static_cast<const Method*>(at);
    auto& self = *static_cast<Service*>(service);
    value_or_nothing<typename shape::request> request{};
    value_or_nothing<typename shape::header_slot> header{};
    steps.decode(steps.self, &request, &header);
    const auto call = [&]() -> decltype(auto) {
        if constexpr (std::is_void_v<typename shape::request>) {
            if constexpr (shape::takes_context)
                return (self.*method)(*steps.about);
            else
                return (self.*method)();
        } else if constexpr (std::is_void_v<typename shape::header>) {
            if constexpr (shape::takes_context)
                return (self.*method)(request, *steps.about);
            else
                return (self.*method)(request);
        } else {
            if constexpr (shape::takes_context)
                return (self.*method)(request, header, *steps.about);
            else
                return (self.*method)(request, header);
        }
    };
    if constexpr (std::is_void_v<typename method_of<Method>::result>) {
        call();
        steps.encode(steps.self, nullptr);
    } else {
        const auto& result = call();
        steps.encode(steps.self, &result);
    }
}

template <class Service, class Method, std::size_t Faults>
void add_operation(service_info& service, const operation_row<Service, Method, Faults>& row) {
    using shape = signature<Method>;
    using result = typename method_of<Method>::result;
    operation_info info;
    info.name = row.name;
    info.options = row.options;
    if constexpr (!std::is_void_v<typename shape::request>)
        info.request = &describe_record<typename shape::request>;
    if constexpr (!std::is_void_v<typename shape::header>) {
        info.header = &describe_record<typename shape::header>;
        info.header_may_be_absent = shape::header_may_be_absent;
        info.emplace_header = &emplace_member<typename shape::header_slot>;
    }
    if constexpr (!std::is_void_v<result>) {
        info.has_result = true;
        info.result_how = member_of<result>::how;
        info.result = describe_type<typename member_of<result>::type>();
        info.result_item = &member_item<result>;
    }
    for (const documented_fault& each : row.faults)
        info.faults.push_back(each);
    info.method = &row.method;
    info.call = &call_method<Service, Method>;
    service.operations.push_back(std::move(info));
}
inline void add_operation(service_info& service, const doc_option& option) {
    service.doc = option.text;
}

template <class Service>
const service_info& describe_service() {
    static const service_info info = [] {
        service_info made;
        if constexpr (check_table<Service, table_kind::service>()) {
            made.name = schema<Service>.name;
            schema<Service>.rows.for_each([&](const auto& row) { add_operation(made, row); });
        }
        return made;
    }();
    return info;
}

}  // namespace detail
}  // namespace soapsvc

// ================================================================================================
// [S4] Text: characters, escaping and the text form of every simple type
// ================================================================================================
// What a value looks like between two tags, in both directions, and which bytes are characters.
// Uses S2. The rules: XML Schema part 2 (second edition), clause 3.2 for each type and 4.3.6 for
// white space; XML 1.0, [2] Char, [4] NameStartChar; Namespaces in XML 1.0, [4] NCName. All is
// linear in its input, whatever the input. No stream, no strtod: both obey the global locale.
// The surprise: text is checked when it is written as well, because a string from a database that
// is not UTF-8 would otherwise make a reply that no client can parse.

namespace soapsvc::detail {

// -- Characters --------------------------------------------------------------------------------

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
constexpr bool is_ncname_start(char32_t c) noexcept {
    if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    constexpr char32_t ranges[][2] = {
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
    for (const auto& range : ranges)
        if (c <= range[1]) return c >= range[0];
    return false;
}

/// Namespaces in XML 1.0, [5] NCNameChar: XML 1.0, [4a] without the colon.
constexpr bool is_ncname_char(char32_t c) noexcept {
    if (c < 0x80) return is_ncname_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
    return is_ncname_start(c) || c == 0xB7 || (c >= 0x300 && c <= 0x36F) || c == 0x203F ||
           c == 0x2040;
}

/// XML 1.0, [4] NameStartChar.
constexpr bool is_name_start(char32_t c) noexcept { return c == ':' || is_ncname_start(c); }

/// XML 1.0, [4a] NameChar.
constexpr bool is_name_char(char32_t c) noexcept { return c == ':' || is_ncname_char(c); }

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

/// `text` without the white space around it: what XML Schema's "collapse" leaves of a value in
/// which white space can only stand at the ends (part 2, 4.3.6).
constexpr std::string_view collapse_ends(std::string_view text) noexcept {
    while (!text.empty() && is_xml_space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_xml_space(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Whether `text` is what "collapse" leaves of itself, is not empty, and can be sent: only then
/// can a value that is compared after collapsing ever be met.
constexpr bool is_collapsed_token(std::string_view text) noexcept {
    bool after_space = true;  // as the beginning: no space may follow
    for (unsigned length = 0; !text.empty(); text.remove_prefix(length)) {
        const bool is_space = text.front() == ' ';
        length = xml_char_length(text);
        if (length == 0 || (is_space && after_space) || (!is_space && is_xml_space(text.front())))
            return false;
        after_space = is_space;
    }
    return !after_space;
}

// -- Scanning and escaping ---------------------------------------------------------------------

/// What a scan stops at, besides control characters and bytes outside ASCII.
enum class scan_for : std::uint8_t { bad_chars, content_escapes, attribute_escapes };

/// Whether a scan may pass over this byte without looking at it.
template <scan_for What>
constexpr bool is_plain(char c) noexcept {
    if (c < 0x20 || static_cast<unsigned char>(c) >= 0x80) return false;
    if (What == scan_for::bad_chars) return true;
    return c != '&' && c != '<' && c != '>' && (What == scan_for::content_escapes || c != '"');
}

/// Whether all eight bytes in `word` are plain. Subtracting borrows from the next byte only where
/// there is a byte to find already, so "none" is never wrong.
template <scan_for What>
constexpr bool are_plain(std::uint64_t word) noexcept {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
    constexpr std::uint64_t tops = ones * 0x80;
    const auto has = [=](char c) {
        const std::uint64_t difference = word ^ ones * static_cast<unsigned char>(c);
        return (difference - ones) & ~difference;
    };
    std::uint64_t found = (word - ones * 0x20) | word;
    if constexpr (What != scan_for::bad_chars) found |= has('&') | has('<') | has('>');
    if constexpr (What == scan_for::attribute_escapes) found |= has('"');
    return (found & tops) == 0;
}

#if defined(__SSE2__)
/// A bit for each of 16 bytes that is not plain.
template <scan_for What>
inline unsigned not_plain(__m128i block) noexcept {
    const auto is = [&](char c) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(c)); };
    // A signed comparison: bytes from 0x80 are less than 0x20 as well.
    __m128i found = _mm_cmplt_epi8(block, _mm_set1_epi8(0x20));
    if constexpr (What != scan_for::bad_chars)
        found = _mm_or_si128(found, _mm_or_si128(is('&'), _mm_or_si128(is('<'), is('>'))));
    if constexpr (What == scan_for::attribute_escapes) found = _mm_or_si128(found, is('"'));
    return static_cast<unsigned>(_mm_movemask_epi8(found));
}
#endif

/// The first byte that is not plain, or `end`.
template <scan_for What>
inline const char* skip_plain(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    for (; end - at >= 16; at += 16) {
        __m128i block;
        std::memcpy(&block, at, sizeof block);
        if (const unsigned found = not_plain<What>(block); found != 0)
            return at + std::countr_zero(found);
    }
#endif
    for (; end - at >= 8; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        if (!are_plain<What>(word)) break;
    }
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
        if (!all_fit(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
            return false;
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

/// The types that are numbers, of those that C++ calls integral.
template <class T>
concept whole_number = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                       !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                       !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

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

/// Takes the character `c` off the front of `text`, if it is there.
constexpr bool take(std::string_view& text, char c) noexcept {
    const bool is_there = !text.empty() && text.front() == c;
    text.remove_prefix(is_there ? 1 : 0);
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

/// XML Schema part 2, 3.2.3.
inline bool from_text(std::string_view text, decimal& out) {
    std::optional<decimal> number = decimal::parse(collapse_ends(text));
    if (!number) return false;
    out = *std::move(number);
    return true;
}

inline void to_text(std::string& out, const decimal& value) { out.append(value.text()); }

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

/// Takes hh:mm:ss with perhaps a fraction. A fraction that nanoseconds cannot hold is refused.
constexpr bool take_time(std::string_view& text, date_time& out) noexcept {
    if (!take_two(text, 24, out.hour) || !take(text, ':') || !take_two(text, 59, out.minute) ||
        !take(text, ':') || !take_two(text, 59, out.second))
        return false;
    out.nanosecond = 0;
    if (!take(text, '.')) return true;
    const std::string_view digits = take_digits(text);
    std::int32_t unit = 100'000'000;
    for (const char digit : digits) {
        if (unit == 0 && digit != '0') return false;
        out.nanosecond += (digit - '0') * unit;
        unit /= 10;
    }
    return !digits.empty();
}

/// 24:00:00 is the first moment of the next day, 24 with anything else is no time (3.2.7.1).
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

/// Appends the digits of `value`, which is not negative, with zeros before them up to `width`.
inline void append_padded(std::string& out, std::int64_t value, std::size_t width) {
    char digits[20];
    const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    const auto count = static_cast<std::size_t>(end - digits);
    out.append(count < width ? width - count : 0, '0').append(digits, count);
}

template <class Day>
inline void append_day(std::string& out, const Day& value) {
    if (!value.ok())
        throw std::invalid_argument("soapsvc: the date to be sent is no day of the calendar");
    const std::int64_t year = value.year;
    out.append(year < 0 ? "-" : "");
    append_padded(out, year < 0 ? -year : year, 4);
    out.push_back('-');
    append_padded(out, value.month, 2);
    out.push_back('-');
    append_padded(out, value.day, 2);
}

inline void append_offset(std::string& out, std::optional<std::int32_t> offset_minutes) {
    if (!offset_minutes) return;
    const std::int32_t minutes = *offset_minutes;
    if (minutes == 0) {
        out.push_back('Z');
        return;
    }
    const std::int32_t size = minutes < 0 ? -minutes : minutes;
    out.push_back(minutes < 0 ? '-' : '+');
    append_padded(out, size / 60, 2);
    out.push_back(':');
    append_padded(out, size % 60, 2);
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
    append_padded(out, value.hour, 2);
    out.push_back(':');
    append_padded(out, value.minute, 2);
    out.push_back(':');
    append_padded(out, value.second, 2);
    if (value.nanosecond != 0) {
        out.push_back('.');
        append_padded(out, value.nanosecond, 9);
        out.resize(out.find_last_not_of('0') + 1);
    }
    append_offset(out, value.offset_minutes);
}

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

/// The canonical form: no white space.
inline void to_text(std::string& out, const binary& value) {
    const std::size_t size = value.bytes.size();
    const std::size_t before = out.size();
    out.resize(before + (size + 2) / 3 * 4);
    char* to = out.data() + before;
    const std::uint8_t* const from = value.bytes.data();
    const auto put = [&](std::uint32_t bits, unsigned digits) {
        for (unsigned i = 0; i < 4; ++i)
            *to++ = i < digits ? base64_digits[bits >> (18 - 6 * i) & 63U] : '=';
    };
    const auto bits_at = [&](std::size_t i) { return std::uint32_t{from[i]}; };
    std::size_t at = 0;
    for (; size - at >= 3; at += 3)
        put(bits_at(at) << 16U | bits_at(at + 1) << 8U | bits_at(at + 2), 4);
    if (size - at == 2) put(bits_at(at) << 16U | bits_at(at + 1) << 8U, 3);
    if (size - at == 1) put(bits_at(at) << 16U, 2);
}

}  // namespace soapsvc::detail

// ================================================================================================
// [S5] Reading XML: well-formedness, namespaces and limits in one pass, and a view of the tree
// ================================================================================================
// One iterative pass decides everything that XML 1.0 (5th edition) and Namespaces in XML 1.0 (3rd
// edition) call well-formed, checks the encoding and every bound of `limits`, and builds RapidXML's
// nodes in RapidXML's memory pool as it goes. RapidXML's own parser is not used: it accepts most of
// what is not well-formed and recurses once a level, so a second pass would follow this one anyway.
// Uses S2 and S4. Document type declarations and processing instructions are refused, as a SOAP
// message must not hold them (SOAP 1.2 part 1, 5; SOAP 1.1, 3).
//
// The surprise: nothing is copied or changed. Names and values are views into the caller's bytes,
// and only what differs from its spelling (references, line ends, split text) is decoded into the
// pool. So the bytes must outlive the nodes.

namespace soapsvc::detail {

inline constexpr std::string_view xml_ns = "http://www.w3.org/XML/1998/namespace";
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

/// A namespace declaration. Those in scope are a list that grows at its head, and so does each
/// bucket of the hash table that finds them; an element keeps the head it was read with. Nothing
/// is ever changed in the middle, so the lists of all elements share their tails.
struct declaration_record : attribute_record {
    using attribute_record::attribute_record;
    std::string_view declared() const noexcept {  // "" for the default namespace
        return prefix_size == 0 ? std::string_view{} : local_name();
    }
    /// The innermost declaration of a prefix among this one and those behind it in its bucket.
    static const declaration_record* find(
        const declaration_record* at, std::string_view wanted, std::uint64_t hash) noexcept {
        while (at != nullptr && (at->prefix_hash != hash || at->declared() != wanted))
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

/// Namespace names are long and mostly the very same characters: the pointers are asked first.
inline bool same_text(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && (a.data() == b.data() || a == b);
}

/// The same for element names: short ones as whole words that overlap, without a call.
inline bool same_name(std::string_view a, std::string_view b) noexcept {
    const std::size_t size = a.size();
    if (size != b.size()) return false;
    if (size < 4 || size > 16) return a == b;
    const auto equal = [&]<class Word>(Word, std::size_t at) {
        Word left, right;
        std::memcpy(&left, a.data() + at, sizeof left);
        std::memcpy(&right, b.data() + at, sizeof right);
        return left == right;
    };
    if (size < 8) return equal(std::uint32_t{}, 0) && equal(std::uint32_t{}, size - 4);
    return equal(std::uint64_t{}, 0) && equal(std::uint64_t{}, size - 8);
}

/// One attribute: a light handle, valid as long as its document.
class attribute {
public:
    explicit attribute(const attribute_record* at) noexcept : at_(at) {}
    std::string_view ns() const noexcept;  ///< empty for none, as for all without a prefix
    std::string_view local() const noexcept { return at_->local_name(); }
    std::string_view prefix() const noexcept { return at_->prefix(); }
    /// The value, normalized as for the type CDATA (XML 1.0, 3.3.3).
    std::string_view value() const noexcept { return at_->content(); }
    bool is(std::string_view name_space, std::string_view name) const noexcept {
        return local() == name && same_text(ns(), name_space);
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
        return local() == name && same_text(ns(), name_space);
    }

    /// The character data, contiguous: references expanded, CDATA included, comments skipped, line
    /// ends normalized (XML 1.0, 2.11). Empty when there are child elements.
    std::string_view text() const noexcept { return at_->content(); }
    bool has_children() const noexcept { return at_->first_node() != nullptr; }
    /// Whether there is text other than white space beside child elements.
    bool has_stray_text() const noexcept { return at_->stray_text; }

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
    using bucket_list = sequence<const declaration_record*>;

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
        if (seen.capacity() * sizeof(seen[0]) > spare_blocks::always_kept) seen = {};
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
    sequence<const attribute_record*> seen;  // hash table for duplicate attributes
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

inline const char* skip_space(const char* at, const char* end) noexcept {
    if (at == end || !has_class(*at, space_class)) return at;
#if defined(__SSE2__)
    for (; end - at >= 16; at += 16) {  // indentation
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const auto equal = [bytes](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
        const __m128i space = _mm_or_si128(
            _mm_or_si128(equal(' '), equal('\t')), _mm_or_si128(equal('\n'), equal('\r')));
        const auto found = static_cast<unsigned>(_mm_movemask_epi8(space));
        if (found != 0xffff) return at + std::countr_one(found);
    }
#endif
    while (at != end && has_class(*at, space_class))
        ++at;
    return at;
}

inline bool is_space(std::string_view text) noexcept {
    return skip_space(text.data(), text.data() + text.size()) == text.data() + text.size();
}

// Which of the next bytes end a run: most of the reader's time is spent here. 16 bytes at a time
// where SSE2 is (every x86-64), else 8 in one word, with exact zero-byte tests on a word that is
// loaded lowest byte first, so that the byte order of the machine does not matter.
struct scan_masks {
    std::uint64_t stop;  // the first set bit is the first byte to stop at
    std::uint64_t high;  // bytes beyond ASCII
};

#if defined(__SSE2__)
inline constexpr std::ptrdiff_t scan_step = 16;
inline constexpr int scan_bits = 1;  // a byte has in a mask

template <bool InValue>
scan_masks scan_block(const char* at, char third) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto equal = [bytes](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    if (!InValue) control = _mm_andnot_si128(_mm_or_si128(equal('\t'), equal('\n')), control);
    const __m128i markup = _mm_or_si128(_mm_or_si128(equal('<'), equal('&')), equal(third));
    return {
        static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(markup, control))),
        static_cast<unsigned>(_mm_movemask_epi8(bytes))};
}

/// The first byte that is not an ASCII character of a name without a colon.
inline const char* skip_name(const char* at, const char* end) noexcept {
    const auto within = [](__m128i bytes, char low, char high) {
        const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(low));
        const auto width = _mm_set1_epi8(static_cast<char>(high - low));
        return _mm_cmpeq_epi8(_mm_min_epu8(moved, width), moved);
    };
    for (; end - at >= scan_step; at += scan_step) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i letters = within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
        const __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/'));
        const __m128i others = _mm_or_si128(  // '-' to '9' is - . / and the digits
            _mm_andnot_si128(slash, within(bytes, '-', '9')),
            _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
        const int in_name = _mm_movemask_epi8(_mm_or_si128(letters, others));
        if (in_name != 0xffff) return at + std::countr_one(static_cast<unsigned>(in_name));
    }
    while (at != end && has_class(*at, name_class))
        ++at;
    return at;
}

/// Whether `size` bytes at both places are equal; all of them lie before `end`, `early` first.
inline bool same_bytes(
    const char* early, const char* late, std::size_t size, const char* end) noexcept {
    if (size > 16 || end - late < scan_step) return std::memcmp(early, late, size) == 0;
    const __m128i equal = _mm_cmpeq_epi8(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(early)),
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(late)));
    const unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(equal)) | 0xffffU << size;
    return (mask & 0xffffU) == 0xffffU;
}
#else
inline constexpr std::ptrdiff_t scan_step = 8;
inline constexpr int scan_bits = 8;

template <bool InValue>
scan_masks scan_block(const char* at, char third) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101, tops = ones * 0x80;
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i)
        word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    const auto zero_bytes = [](std::uint64_t w) { return ~(((w & ~tops) + ~tops) | w | ~tops); };
    const auto equal = [&](char c) {
        return zero_bytes(word ^ (ones * static_cast<std::uint8_t>(c)));
    };
    std::uint64_t control = zero_bytes(word & (ones * 0xe0));
    if (!InValue) control &= ~(equal('\t') | equal('\n'));
    return {equal('<') | equal('&') | equal(third) | control, word & tops};
}

inline const char* skip_name(const char* at, const char* end) noexcept {
    while (at != end && has_class(*at, name_class))
        ++at;
    return at;
}

inline bool same_bytes(
    const char* early, const char* late, std::size_t size, const char*) noexcept {
    return std::memcmp(early, late, size) == 0;
}
#endif

/// The first byte from `at` on that ends a run of plain text (InValue: of an attribute value), or
/// `end`. `third` is ']' or the value's quote. Sets `high` when a byte beyond ASCII was passed.
template <bool InValue>
const char* scan(const char* at, const char* end, char third, bool& high) noexcept {
    for (; end - at >= scan_step; at += scan_step) {
        const scan_masks found = scan_block<InValue>(at, third);
        if (found.stop != 0) {
            const int plain = std::countr_zero(found.stop);
            high |= (found.high & ((std::uint64_t{1} << plain) - 1)) != 0;
            return at + plain / scan_bits;
        }
        high |= found.high != 0;
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
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        if (version.data() == nullptr) fail(at, "the XML declaration must begin with a version");
        if (version.size() < 3 || !version.starts_with("1.") ||
            !all_fit(version.substr(2), is_digit))
            fail(version.data(), "the XML version is not 1.0 or another 1.x");
        const std::string_view encoding = read_pseudo_attribute(at, "encoding");
        if (encoding.data() != nullptr) {
            const auto in_name = [](char c) { return has_class(c, name_class); };
            if (encoding.empty() || !has_class(encoding[0], name_start_class) ||
                encoding[0] == '_' || !all_fit(encoding, in_name))
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
            at = skip_indentation(at);
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
        if (kind == '?') fail_instruction(at);
        if (kind != '!') return read_start_tag(at);
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
        const std::size_t size = until(at + 1, name.end).size();
        auto* const made = arena_.make<element_record>(at + 1, name.prefix, size, scope_);
        open_->append_node(made);
        open_ = made;
        const char* end = name.end;
        if (end == end_ || *end != '>') end = read_attributes(end, made);
        made->ns = name.prefix == 0 ? default_ : resolve(until(at + 1, at + 1 + name.prefix));
        if (*end == '>') return read_leaf(end + 1, made);
        if (!starts(end, "/>")) fail(end, "'/' must be followed by '>'");
        return close(end + 2);
    }

    /// Behind a start tag: most elements hold one run of plain text and nothing else. Returns `at`
    /// for all others, whose content is then read piece by piece.
    const char* read_leaf(const char* at, element_record* made) {
        bool high = false;
        const char* const stop = scan<false>(at, end_, ']', high);
        const std::string_view name = made->qualified();
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

    const char* read_end_tag(const char* at) {
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

    scanned_name read_name(const char* at) const {
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
            name.prefix == 5 ? spelling.starts_with("xmlns:") : spelling == "xmlns";
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
        const auto is_wide = [](char c) { return has_class(c, high_class); };
        if (const char* const wide = first_where(bytes, is_wide))
            as_sent.fail(wide, "a byte beyond US-ASCII");
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
// [S6] Writing XML: an append-only writer
// ================================================================================================
// Appends to one string that its owner reuses, so that a warm reply allocates nothing. Uses S4. It
// never looks back except to shorten `<a></a>`, and never re-checks names: they come from tables.
// The surprise: text that XML cannot carry throws, because dropping a character would be a lie.

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

/// Whether 8 to 16 bytes hold nothing to escape: the first eight and the last eight of them.
inline bool are_plain_content(std::uint64_t first, std::uint64_t last) noexcept {
#if defined(__SSE2__)
    const auto low = static_cast<long long>(first), high = static_cast<long long>(last);
    return not_plain<scan_for::content_escapes>(_mm_set_epi64x(high, low)) == 0;
#else
    return are_plain<scan_for::content_escapes>(first) &&
           are_plain<scan_for::content_escapes>(last);
#endif
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

    /// Ends the element whose start tag ended at `content`; `<a />` when nothing followed.
    void end(const element_tags& tags, std::size_t content) {
        if (size() != content) return copy_tag(tags.end());
        make_room(2);
        at_[-1] = ' ';
        std::memcpy(at_, "/>", 2);
        at_ += 2;
    }

    /// Character data, escaped; throws as writer::text does, and then nothing is written.
    void text(std::string_view value) {
        make_room(value.size() + 16);
        if (copy_plain(value))
            at_ += value.size();
        else
            apart([value](std::string& out) { append_escaped(out, value); });
    }

    void whole_number(std::integral auto value) {
        make_room(20);
        at_ = std::to_chars(at_, end_, +value).ptr;  // as int, where it is smaller than one
    }

    /// Appends what `append(std::string&)` appends to a string of its own.
    template <class Append>
    void apart(Append append) {
        std::string& text = kept_apart();
        text.clear();
        append(text);
        make_room(text.size());
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
        if (text.capacity() > 4096) std::string().swap(text);
    }

private:
    /// The thread's, so that what is short allocates nothing.
    static std::string& kept_apart() {
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
    bool copy_plain(std::string_view value) noexcept {
        const char* const from = value.data();
        const std::size_t size = value.size();
        if (size < 8) return copy_short(from, size);
        const auto copy = [&](std::size_t first, std::size_t last) {
            const auto low = copy_word<std::uint64_t>(at_ + first, from + first);
            const auto high = copy_word<std::uint64_t>(at_ + last, from + last);
            return are_plain_content(low, high);
        };
        std::size_t done = 0;
        for (; size - done > 16; done += 16)
            if (!copy(done, done + 8)) return false;
        return size < 16 ? copy(0, size - 8) : copy(size - 16, size - 8);
    }

    bool copy_short(const char* from, std::size_t size) noexcept {
        if (size >= 4) {
            const std::uint64_t first = copy_word<std::uint32_t>(at_, from);
            const std::uint64_t last = copy_word<std::uint32_t>(at_ + size - 4, from + size - 4);
            const std::uint64_t both = first | last << 32;
            return are_plain_content(both, both);
        }
        bool plain = true;
        for (std::size_t at = 0; at != size; ++at) {
            at_[at] = from[at];
            plain &= is_plain<scan_for::content_escapes>(from[at]);
        }
        return plain;
    }

    std::string& out_;
    char* at_;  // where the next character goes
    char* end_;  // of the string, for now
};

}  // namespace soapsvc::detail

// ================================================================================================
// [S7] Codec: structs to and from elements, driven by the tables
// ================================================================================================
// Plain functions over the tables' data (S3), the reader's nodes (S5) and the writer (S6): adding a
// record adds data, not code. The rules are those of document/literal: children by qualified name
// (XML Schema part 1, 3.3 and 3.8), values by part 2, xsi:nil and xsi:type by part 1, 2.6.
// The surprise: children may come in any order although the schema says `sequence`; real clients
// sort them by name, and no two orders mean different things.

namespace soapsvc {

namespace detail {

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

/// The local name of a type in the schema: that of its table, or of XML Schema's built-in type.
inline std::string_view type_name(const type_info& type) {
    if (type.what == kind::record) return type.record().name;
    if (type.what == kind::enumeration) return type.enumeration().name;
    return xsd_names[static_cast<std::size_t>(type.what)];
}

// Names that follow from those in the tables. Whoever sends, reads or describes them asks here;
// those of messages, which are in the WSDL alone, are name_messages'.

/// The element around an operation's result, and around that.
inline std::string response_name(const operation_info& operation) {
    return std::string(operation.name) + "Response";
}
inline std::string result_name(const operation_info& operation) {
    return std::string(operation.name) + "Result";
}

/// What SOAPAction says.
inline std::string action_name(std::string_view ns, const operation_info& operation) {
    return std::string(ns) + '/' + std::string(operation.name);
}

/// The type of a list of these as a result: ArrayOfInt.
inline std::string list_name(const type_info& item) {
    std::string name = "ArrayOf" + std::string(type_name(item));
    if (name[7] >= 'a' && name[7] <= 'z') name[7] = static_cast<char>(name[7] - 32);
    return name;
}

/// Calls `function(std::type_identity<T>{})` with the C++ type of a simple kind. A fold instead of
/// a switch, so that the list of types is written once, in S3.
template <class Function>
void with_simple_type(kind what, Function function) {
    auto at = static_cast<std::uint8_t>(kind::boolean);
    [&]<class... Types>(std::type_identity<type_list<Types...>>) {
        ((static_cast<std::uint8_t>(what) == at++ ? function(std::type_identity<Types>{}) : void()),
         ...);
    }(std::type_identity<simple_types>{});
}

// --- Writing ------------------------------------------------------------------------------------

inline void write_fields(element_writer& out, const record_info& record, const void* object);

/// Appends the text of an enumerator. One that its table does not list is a mistake of the program,
/// which the caller of the service sees as an incident only.
inline void write_enumerator(
    element_writer& out, const enumeration_info& table, const void* value) {
    const std::size_t index = table.index_of(value);
    if (index == std::string_view::npos)
        throw std::logic_error(
            "soapsvc: a value to be sent is not in the table of " + std::string(table.name));
    out.text(table.texts[index]);
}

template <class T>
void write_simple(element_writer& out, const T& value) {
    if constexpr (std::is_same_v<T, std::string>)
        out.text(value);
    else if constexpr (whole_number<T>)
        out.whole_number(value);
    else
        out.apart([&value](std::string& text) { to_text(text, value); });
}

/// Appends one element of any type, `<name />` when it has no content.
inline void write_element(
    element_writer& out, const element_tags& tags, const type_info& type, const void* value) {
    out.start(tags);
    const std::size_t content = out.size();
    if (type.what == kind::string)  // most are: asked first
        out.text(*static_cast<const std::string*>(value));
    else if (type.what == kind::record)
        write_fields(out, type.record(), value);
    else if (type.what == kind::enumeration)
        write_enumerator(out, type.enumeration(), value);
    else
        with_simple_type(type.what, [&]<class T>(std::type_identity<T>) {
            write_simple(out, *static_cast<const T*>(value));
        });
    out.end(tags, content);
}

inline void write_fields(element_writer& out, const record_info& record, const void* object) {
    for (const field_info& field : record.fields) {
        const void* member = static_cast<const char*>(object) + field.offset;
        std::size_t index = 0;
        while (const void* item = field.item(member, index++)) {
            write_element(out, field.tags, field.type, item);
            if (field.how != occurs::many) break;
        }
    }
}

/// Appends a record as an element of its own that declares its namespace: a fault's detail entry.
inline void write_record_in(
    writer& out, std::string_view ns, const record_info& record, const void* object) {
    out.raw("<");
    out.raw(record.name);
    out.attribute("xmlns", ns);
    out.raw(">");
    const std::size_t content = out.size();
    {
        element_writer fields(out.buffer());
        write_fields(fields, record, object);
    }
    out.end(record.name, content);
}

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
inline std::string cut(std::string_view name) {
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

inline std::string field_names(const record_info& record) {
    return name_list(record.fields, [](const field_info& field) { return field.name; });
}

inline std::string whole_numbers(std::int64_t least, std::uint64_t most) {
    return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

/// What is allowed for a type, as the end of the sentence "'x' is not ...".
inline std::string allowed_text(const type_info& type) {
    if (type.what == kind::record) return "the elements " + field_names(type.record());
    if (type.what == kind::enumeration)
        return "one of " + name_list(type.enumeration().texts, [](auto text) { return text; });
    std::string allowed = "text";
    with_simple_type(type.what, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, bool>)
            allowed = "a boolean: true, false, 1 or 0";
        else if constexpr (std::is_integral_v<T>)
            allowed = whole_numbers(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
        else if constexpr (std::is_floating_point_v<T>)
            allowed = "a number such as -1.5, 2e10, INF or NaN";
        else if constexpr (std::is_same_v<T, binary>)
            allowed = "base64Binary";
        else if constexpr (std::is_same_v<T, soapsvc::date>)
            allowed = "a date such as 2026-01-31";
        else if constexpr (std::is_same_v<T, soapsvc::date_time>)
            allowed = "a dateTime such as 2026-01-31T09:30:00Z, to the nanosecond";
        else if constexpr (std::is_same_v<T, soapsvc::decimal>)
            allowed = "a decimal such as -12.50";
    });
    return allowed;
}

// --- Reading ------------------------------------------------------------------------------------

/// Reads one message part: the body's child or a header block. Not copyable state: where it began
/// (paths in faults start there), the namespace of the service, what to do with the unknown.
class decoder {
public:
    decoder(
        node top,
        std::string_view ns,
        unknown_elements unknown,
        soap_version version,
        bool is_header) noexcept
        : top_(top), ns_(ns), unknown_(unknown), version_(version), is_header_(is_header) {}

    /// Fills `object`, a value-initialised struct with this table, from the children of `element`.
    /// Throws `fault` (Client) with path, what was found and what is allowed.
    void read_record(
        node element, const record_info& record, void* object, bool secret = false) const;

    /// Looks at the attributes of the message part itself; its type is called like the element. A
    /// payload that is nil has no children, and is read as such.
    void check_top() const {
        if (!has_attributes(top_)) return;
        check_attributes(top_, top_.local(), kind::record);
        static_cast<void>(is_nil(top_));
    }

    /// Whether the element says xsi:nil="true", which means absent; content beside it is refused.
    bool is_nil(node element, bool secret = false) const;

    /// Refuses what is at `element`: "path: `what`".
    [[noreturn, gnu::cold]] void refuse(node element, std::string_view what) const {
        throw_fault(path_to(element) + ": " + std::string(what));
    }

private:
    /// What has come so far of one record's children.
    struct reading {
        std::size_t next = 0;  ///< where the next row is expected
        std::bitset<max_fields> seen;  ///< came at all
        std::bitset<max_fields> filled;  ///< came with a value
    };
    void read_child(
        node child, const record_info& record, void* object, bool secret, reading& state) const;
    void read_value(node element, const type_info& type, void* value, bool secret) const;
    void read_simple(node element, const type_info& type, void* value, bool secret) const;
    bool read_enumeration(node element, const type_info& type, void* value) const;
    void check_attributes(
        node element, std::string_view declared, kind what, bool secret = false) const;
    void check_type(
        node element,
        std::string_view said,
        std::string_view declared,
        kind what,
        bool secret) const;
    [[noreturn, gnu::cold]] void refuse_child(
        node child, const record_info& record, bool secret) const;
    [[noreturn, gnu::cold]] void refuse_missing(
        node element, const field_info& field, bool is_nil) const;
    void refuse_attributes(node element, const record_info& record) const;
    std::string path_to(node element) const;
    [[noreturn]] void throw_fault(std::string reason) const {
        const fault refused(fault_code::client, std::move(reason));
        throw is_header_ ? refused.about_header() : refused;
    }

    node top_;
    std::string_view ns_;
    unknown_elements unknown_;
    soap_version version_;
    bool is_header_;
};

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

/// Names from the top of the message part down, with a position where siblings share a name. All
/// names but the last are ones that the tables know, so a path stays short; the last is cut.
inline std::string decoder::path_to(node element) const {
    std::string path;
    node at = element;
    for (int left = 256; at && left != 0; --left, at = at.parent()) {
        std::string step = cut(at.local());
        if (at != top_) step += place_among_same(at);
        if (!path.empty()) step += '/';
        path.insert(0, step);
        if (at == top_) break;
    }
    return path;
}

/// What was said, for a fault; nothing of what stands in a secret element, name or attribute.
inline std::string quoted_unless(bool secret, std::string_view said) {
    return secret ? std::string("this value") : quoted(said);
}

inline bool decoder::is_nil(node element, bool secret) const {
    const auto value = element.attribute(xsi_ns, "nil");
    if (!value) return false;
    bool nil = false;
    if (!from_text(*value, nil))
        refuse(element, "xsi:nil is true or false, not " + quoted_unless(secret, *value));
    if (nil && (element.has_children() || !collapse_ends(element.text()).empty()))
        refuse(element, "is said to be nil, yet holds content");
    return nil;
}

/// Looks at what else an element says of itself. An href would put its content elsewhere in the
/// message (SOAP 1.1, 5.4.1), where literal encoding does not look: reading on would lose data. In
/// 1.2 an encoding in force that is not known is refused (part 1, 5.1.1 and 5.4.6); in 1.1 it is a
/// hint that literal content may carry anywhere (SOAP 1.1, 4.1.1).
inline void decoder::check_attributes(
    node element, std::string_view declared, kind what, bool secret) const {
    for (const attribute said : element.attributes()) {
        const std::string_view ns = said.ns();
        const std::string_view name = said.local();
        if (ns == xsi_ns && name == "type")
            check_type(element, said.value(), declared, what, secret);
        const bool elsewhere =
            (ns.empty() && name == "href") || (ns == encoding12_ns && name == "ref");
        if (elsewhere)
            refuse(
                element,
                "refers to content elsewhere (" + quoted_unless(secret, said.value()) +
                    "); allowed is literal content");
        if (version_ == soap_version::v1_2 && ns == soap12_ns && name == "encodingStyle" &&
            collapse_ends(said.value()) != soap12_no_encoding)
            throw fault(
                fault_code::data_encoding_unknown,
                path_to(element) + ": the encoding " + quoted_unless(secret, said.value()) +
                    " is not known here; allowed is literal content");
    }
}

/// What xsi:type may say: the declared type, or on a simple element any built-in type, since
/// scripts guess it from the value they hold. But SOAP::Lite guesses base64Binary for text that is
/// not ASCII, and encodes it: that is no text. Rejected: decoding it, since nothing says of which
/// characters the bytes are made.
inline void decoder::check_type(
    node element, std::string_view said, std::string_view declared, kind what, bool secret) const {
    const std::string_view name = collapse_ends(said);
    const std::size_t colon = name.find(':');
    const bool prefixed = colon != std::string_view::npos;
    const std::string_view local = prefixed ? name.substr(colon + 1) : name;
    const auto ns = element.namespace_of(prefixed ? name.substr(0, colon) : std::string_view{});
    const bool named = what == kind::record || what == kind::enumeration;
    if (named && ns && same_text(*ns, ns_) && local == declared) return;
    const bool builtin = ns && (*ns == xsd_ns || *ns == encoding11_ns || *ns == encoding12_ns);
    const bool misread = is_encoded_type(local) && (what != kind::base64 || local == "hexBinary");
    if (what != kind::record && builtin && is_builtin_type(local) && !misread) return;
    refuse(
        element,
        "xsi:type names " + quoted_unless(secret, said) + "; allowed is '" + std::string(declared) +
            "'");
}

/// White space of an enumeration is collapsed, inside as well (XML Schema part 2, 4.3.6).
inline bool decoder::read_enumeration(node element, const type_info& type, void* value) const {
    const enumeration_info& table = type.enumeration();
    const auto set = [&](std::string_view text) {
        for (std::size_t index = 0; index != table.texts.size(); ++index)
            if (same_name(table.texts[index], text)) return table.set(value, index), true;
        return false;
    };
    const std::string_view said = collapse_ends(element.text());
    if (set(said)) return true;
    if (!first_where(said, is_xml_space)) return false;
    std::string text;
    for (const char c : said)
        if (!is_xml_space(c))
            text += c;
        else if (text.back() != ' ')
            text += ' ';
    return set(text);
}

inline void decoder::read_simple(
    node element, const type_info& type, void* value, bool secret) const {
    if (element.has_children())
        refuse(
            element,
            (secret ? "holds an element"
                    : "holds the element " + quoted(element.first_child().local())) +
                "; allowed is " + allowed_text(type));
    const std::string_view text = element.text();
    bool good = false;
    if (type.what == kind::string)  // most are: asked first
        good = from_text(text, *static_cast<std::string*>(value));
    else if (type.what == kind::enumeration)
        good = read_enumeration(element, type, value);
    else
        with_simple_type(type.what, [&]<class T>(std::type_identity<T>) {
            good = from_text(text, *static_cast<T*>(value));
        });
    if (good) return;
    refuse(element, quoted_unless(secret, text) + " is not " + allowed_text(type));
}

inline void decoder::read_value(
    node element, const type_info& type, void* value, bool secret) const {
    if (type.what == kind::record)
        read_record(element, type.record(), value, secret);
    else
        read_simple(element, type, value, secret);
}

/// Says why a child that no row takes is refused: wrong namespace, or a name that is not known.
inline void decoder::refuse_child(node child, const record_info& record, bool secret) const {
    for (const field_info& field : record.fields)
        if (field.name == child.local())
            refuse(
                child,
                "is in " + (secret ? "another namespace" : namespace_text(child.ns())) +
                    "; allowed is the namespace '" + std::string(ns_) + "'");
    refuse(
        child.parent(),
        (secret ? "an element" : "the element " + quoted(child.local())) +
            " is not known here; allowed " +
            (record.fields.empty() ? "is no element" : "are " + field_names(record)));
}

/// Finds the row of a child, looking first at `next`, where it is when the sender kept the order.
inline void decoder::read_child(
    node child, const record_info& record, void* object, bool secret, reading& state) const {
    const std::size_t count = record.fields.size();
    const bool ours = same_text(child.ns(), ns_);
    std::size_t index = state.next;
    std::size_t tried = 0;
    for (; tried != count; ++tried, ++index) {
        if (index >= count) index = 0;
        if (same_name(record.fields[index].name, child.local())) break;
    }
    if (tried == count || !ours) {
        const bool known_name = tried != count;
        const bool foreign = !ours && !child.ns().empty();
        if (known_name || !(foreign || unknown_ == unknown_elements::ignore))
            refuse_child(child, record, secret);
        return;
    }
    const field_info& field = record.fields[index];
    const bool many = field.how == occurs::many;
    state.next = many ? index : index + 1;
    if (state.seen.test(index) && !many) refuse(child, "may appear only once");
    state.seen.set(index);
    secret = secret || field.options.secret;
    if (has_attributes(child)) {
        check_attributes(child, type_name(field.type), field.type.what, secret);
        if (is_nil(child, secret)) return;
    }
    state.filled.set(index);
    void* value = field.emplace(static_cast<char*>(object) + field.offset);
    read_value(child, field.type, value, secret);
}

/// A field sent as an attribute would read as absent. Other attributes are nobody's data.
inline void decoder::refuse_attributes(node element, const record_info& record) const {
    if (unknown_ == unknown_elements::ignore) return;
    for (const attribute said : element.attributes())
        for (const field_info& field : record.fields)
            if (said.ns().empty() && said.local() == field.name)
                refuse(
                    element, std::string(field.name) + " is an attribute; allowed is an element");
}

inline void decoder::refuse_missing(node element, const field_info& field, bool is_nil) const {
    throw_fault(
        path_to(element) + '/' + std::string(field.name) +
        (is_nil ? ": is nil, but" : ": is missing;") +
        " a value is required: " + allowed_text(field.type));
}

// Calls itself once a level, so what is rare stands in functions of its own: their variables would
// take the stack of every level.
inline void decoder::read_record(
    node element, const record_info& record, void* object, bool secret) const {
    const bool text =
        element.has_children() ? element.has_stray_text() : !collapse_ends(element.text()).empty();
    if (text) refuse(element, "holds text where only elements are allowed");
    if (has_attributes(element)) refuse_attributes(element, record);
    reading state;
    for (node child = element.first_child(); child; child = child.next_sibling())
        read_child(child, record, object, secret, state);
    for (std::size_t index = 0; index != record.fields.size(); ++index) {
        const field_info& field = record.fields[index];
        if (field.how != occurs::once || field.options.defaulted || state.filled.test(index))
            continue;
        refuse_missing(element, field, state.seen.test(index));
    }
}

}  // namespace detail

template <class Detail>
fault fault::with(Detail value) const {
    fault changed = *this;
    if constexpr (detail::check_header<Detail>()) {
        changed.detail_.value = std::make_shared<const Detail>(std::move(value));
        changed.detail_.type = &typeid(Detail);
        changed.detail_.record = &detail::describe_record<Detail>;
        changed.detail_.write = [](const void* object, detail::writer& out, std::string_view ns) {
            detail::write_record_in(out, ns, detail::describe_record<Detail>(), object);
        };
    }
    return changed;
}

}  // namespace soapsvc

// ================================================================================================
// [S8] Envelope: SOAP 1.1 and 1.2 around the payload
// ================================================================================================
// Opens an envelope, applies the processing model to its header blocks, writes envelopes and
// faults. Uses S2 and S5 to S7. Clauses: SOAP 1.1, 4; SOAP 1.2 part 1, 2.6 and 5. This node is
// always the ultimate receiver, so relay never matters. The surprise: encodingStyle on the 1.2
// Envelope is let through although 5.1.1 forbids it, because a widespread scripting client sends it
// always.

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

inline std::string_view namespace_of(soap_version version) noexcept {
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
    const bool text =
        element.has_children() ? element.has_stray_text() : !collapse_ends(element.text()).empty();
    if (!text) return;
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
    const std::string_view ns = namespace_of(version);
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
            "Header/" + cut(block.local()) + ": " + std::string(name) + " is " + quoted(*said) +
                "; allowed are 0 and 1")
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
/// SOAP's own then, or as it came, which is nobody's here.
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
    const std::string_view ns = namespace_of(version);
    header_block read{block.ns(), block.local(), {}, false, block.source()};
    if (v12 && block.ns().empty())
        throw fault(
            fault_code::client,
            "Header/" + cut(block.local()) + ": is in no namespace; a header block needs one")
            .about_header();
    const auto role = block.attribute(ns, v12 ? "role" : "actor");
    if (role) read.role = collapse_ends(*role);
    if (v12) read.role = absolute_role(block, read.role);
    read.must_understand = read_flag(block, ns, "mustUnderstand");
    if (v12) read_flag(block, ns, "relay");
    return read;
}

/// Whether this node, the ultimate receiver, acts in the block's role. The role "none" is nobody's.
inline bool is_for_us(const header_block& block, soap_version version) noexcept {
    if (block.role.empty()) return true;
    if (version == soap_version::v1_1) return block.role == soap11_next;
    return block.role == soap12_next || block.role == soap12_ultimate_receiver;
}

/// Reads all header blocks into `blocks` (cleared first).
inline void read_blocks(const envelope& message, std::size_t most, sequence<header_block>& blocks) {
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
inline std::vector<qualified_name> names_of(sequence<const header_block*>& blocks) {
    using block = const header_block*;
    const auto sort = [](sequence<block>& them, bool (*before)(block, block)) {
        std::make_heap(them.begin(), them.end(), before);
        std::sort_heap(them.begin(), them.end(), before);
    };
    sort(blocks, [](block a, block b) {
        // Local names first: those of one sender differ sooner than its namespaces.
        const int local = a->local.compare(b->local);
        const int ns = local != 0 ? 0 : a->ns.compare(b->ns);
        return local != 0 ? local < 0 : ns != 0 ? ns < 0 : a < b;
    });
    sequence<block> firsts;
    block last = nullptr;
    for (const block each : blocks) {
        if (!last || each->local != last->local || each->ns != last->ns) firsts.push_back(each);
        last = each;
    }
    sort(firsts, [](block a, block b) { return a < b; });
    std::vector<qualified_name> names;
    for (const block each : firsts)
        names.push_back({std::string(each->ns), std::string(each->local)});
    return names;
}

/// Refuses the message when a block that must be understood by us is not (SOAP 1.2 part 1, 2.4 and
/// 2.6; SOAP 1.1, 4.2.3). `understood(block)` says what is.
template <class Understood>
void check_understood(
    const sequence<header_block>& blocks, soap_version version, Understood understood) {
    std::string first;
    sequence<const header_block*> missed;
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

inline void write_detail(
    writer& out, std::string_view name, const fault& refused, std::string_view ns) {
    out.start(name);
    const std::size_t content = out.size();
    if (refused.typed_detail().write)
        refused.typed_detail().write(refused.typed_detail().value.get(), out, ns);
    out.end(name, content);
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

/// Upgrade says which envelopes are understood (SOAP 1.2 part 1, 5.4.7), NotUnderstood which header
/// blocks were not (5.4.8).
inline void write_fault12_header(writer& out, const fault& refused) {
    const bool upgrade = refused.code() == fault_code::version_mismatch;
    if (!upgrade && refused.not_understood().empty()) return;
    out.raw("<soap12:Header>");
    if (upgrade) {
        out.raw(
            "<soap12:Upgrade><soap12:SupportedEnvelope qname=\"soap12:Envelope\" />"
            "<soap12:SupportedEnvelope qname=\"soap:Envelope\"");
        out.attribute("xmlns:soap", soap11_ns);
        out.raw(" /></soap12:Upgrade>");
    }
    for (const qualified_name& name : refused.not_understood()) {
        out.raw("<soap12:NotUnderstood");
        out.attribute("qname", "ns:" + name.local);
        out.attribute("xmlns:ns", name.ns);
        out.raw(" />");
    }
    out.raw("</soap12:Header>");
}

inline void write_fault12(writer& out, const fault& refused, std::string_view ns) {
    write_fault12_header(out, refused);
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
    if (refused.typed_detail().write) write_detail(out, "soap12:Detail", refused, ns);
    out.raw("</soap12:Fault>");
}

/// Writes a whole fault envelope; `ns` is the service's namespace, for detail and subcode. A
/// subcode that is no name is a mistake of the program, in both versions, so that tests of either
/// find it.
inline void write_fault(
    std::string& reply, const fault& refused, soap_version version, std::string_view ns) {
    if (!refused.subcode().empty() && !is_ncname(refused.subcode()))
        throw std::invalid_argument("soapsvc: a fault's subcode is an XML name without a colon");
    writer out(reply);
    out.raw(envelope_start(version));
    if (version == soap_version::v1_1)
        write_fault11(out, refused, ns);
    else
        write_fault12(out, refused, ns);
    out.raw(envelope_end(version));
}

}  // namespace soapsvc::detail

// ================================================================================================
// [S9] Dispatch: HTTP facts and bytes in, HTTP facts and bytes out
// ================================================================================================
// Routes a request, decodes it, calls the method, encodes the result and turns every error into a
// fault. Uses S2 to S8, and declares the two page writers that S10 defines. No sockets, no clock
// but for the times it reports, so any HTTP server, a CGI program or a test can call it. Rules:
// SOAP 1.1, 6; SOAP 1.2 part 2, 7. The surprise: an operation is chosen by the Body's child alone;
// SOAPAction is only held against it, because proxies drop it and attackers forge it.

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

    /// The value of the first such field; nullopt when there is none.
    std::optional<std::string_view> header(std::string_view name) const noexcept;
};

/// The facts of a reply. To be sent with its Content-Length; for HEAD without the body.
struct http_reply {
    int status = 200;
    std::string content_type;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
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
    std::string_view fault_reason;  ///< as it was sent; empty for none; why it was refused
    bool deprecated = false;  ///< the operation is
    std::size_t bytes_in = 0;  ///< of the bodies
    std::size_t bytes_out = 0;
    std::chrono::nanoseconds decode_time{};  ///< from the first byte to the call of the method
    std::chrono::nanoseconds handler_time{};  ///< in the method
    std::chrono::nanoseconds encode_time{};  ///< from its return to the last byte
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
/// recognised, and of its reply, only "(N bytes)" is said. What a method's own fault says is shown,
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
class soap_call;

/// One function for texts of all lengths.
inline void add_header(http_reply& reply, std::string_view name, std::string_view value) {
    reply.headers.emplace_back(name, value);
}
}  // namespace detail

/// A call on its way to its method, as an interceptor sees it. The envelope is open, its header
/// blocks are accepted and the operation is known; request and header are not read into their
/// structs yet. Everything seen through it lives as long as the interceptor runs.
class intercepted_call {
public:
    std::string_view service() const noexcept;
    const soapsvc::context& about() const noexcept { return about_; }  ///< what the method is told
    bool deprecated() const noexcept;  ///< the operation is
    const http_request& http() const noexcept;  ///< for Authorization, Cookie and the like

    /// The header block of `Header`'s table, in the service's namespace, for an interceptor that
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
    /// second try: the request is read anew, and the last result counts.
    void proceed();

private:
    friend class detail::soap_call;
    intercepted_call(detail::soap_call& call, const soapsvc::context& about, std::size_t next)
        : call_(call), about_(about), next_(next) {}
    void read_header(
        const detail::record_info& header, void* (*emplace)(void* slot), void* slot) const;

    detail::soap_call& call_;
    const soapsvc::context& about_;
    std::size_t next_;
};

/// What runs around every call of every operation: authentication, rates, transactions, turning
/// the program's own exceptions into faults. Throwing `fault` refuses the call; so must whoever
/// does not want it made, since returning without a result of `proceed` is an incident. Called
/// concurrently.
///
///     options.interceptors.push_back([&](soapsvc::intercepted_call& call) {
///         if (!rates.allow(call.about().peer))
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

/// How services are offered. All have working defaults but `ns_base`. A dispatcher without a host
/// reads all but the last group.
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
    /// true: a POST that does not say what it is counts as XML, for old clients. Pages of other
    /// sites may send such a one without asking, so that `allowed_origins` alone holds them off.
    bool accept_missing_content_type = false;
    unknown_elements unknown = unknown_elements::refuse;
    soapsvc::limits limits{};
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
    /// Called for each exception that is no fault, on its thread.
    std::function<void(const error_report&)> on_error{};
    /// Called after each SOAP request, on its thread, with both envelopes. Costs nothing when it is
    /// empty, else as much as the call itself.
    std::function<void(const message_report&)> on_message{};

    // --- Read by the host only ---
    std::size_t threads = 0;  ///< worker threads; 0: two per core, at least four
    /// More, for as long as workers are in a blocking_section: so many calls may wait at once.
    std::size_t spare_threads = 60;
    // Of the next two and of `unfinished_bytes` there is enough for all; when one runs out, then
    // the address that holds most of it gives way, and not who comes then. What counts as one
    // address: IPv4 addresses, IPv6 networks of 64 bits, all Unix sockets, and behind a trusted
    // proxy whom it names, as soon as the header is there.
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
    std::string key_file{};  ///< PEM private key
    std::string client_ca_file{};  ///< PEM; with it clients must show a certificate of these
    /// Told in one line, once a second at most, when connections have to be refused.
    std::function<void(std::string_view)> on_notice{};
};

namespace detail {

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
    bool put_off = false;  ///< the present request was not answered: it is to come again
};
inline thread_local wait_observer* this_worker = nullptr;

/// Thrown before anything is done for a call that would wait, when no more may.
struct call_is_put_off {};

/// Learns from one call whether those of its operation wait. If they do, the call has its place
/// among those who wait from here on. Learnt: whoever only looks whether there is one may find it
/// taken when it comes to wait, and is then refused instead of put off.
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

}  // namespace detail

/// Put one on the stack around what a handler waits for: a commit, a lock, another service. The
/// host then lets a spare worker run meanwhile, so that few workers, which is what the processor's
/// caches like, do not mean few requests waiting together for one commit. Does nothing in threads
/// that are no host's workers, and nothing within another one.
///
/// So many workers are always left to calls that do not wait: `threads`, or a quarter of all if
/// that is less. The host puts off, without a thread, calls of operations that mostly wait; one
/// that comes here all the same when as many wait as may is refused: the constructor throws a
/// Server fault with status 503. So open it before anything is begun that must be ended.
class blocking_section {
public:
    blocking_section() : observer_(std::exchange(detail::this_worker, nullptr)) {
        if (!observer_) return;
        observer_->waited = true;
        if (observer_->habit) observer_->habit->note(true);
        if (observer_->begin(observer_->self, observer_->has_place)) return;
        detail::this_worker = observer_;
        throw fault(
            fault_code::server, "too many calls are waiting for something already; try again later")
            .with_status(503);
    }
    ~blocking_section() {
        if (!observer_) return;
        observer_->end(observer_->self, observer_->has_place);
        detail::this_worker = observer_;
    }
    blocking_section(const blocking_section&) = delete;
    blocking_section& operator=(const blocking_section&) = delete;

private:
    detail::wait_observer* observer_;  // null within another section, too
};

namespace detail {

/// An operation ready to be answered: what its reply has around the result, written once.
struct served_operation {
    const operation_info* info = nullptr;
    std::string action;  ///< namespace/Operation
    std::string response_name;  ///< OperationResponse
    element_tags result_tags;  ///< OperationResult
    element_tags item_tags;  ///< of a list's items
    std::array<std::string, 2> reply_head;  ///< by version, up to the inside of OperationResponse
    std::string in_message, out_message, header_message;  ///< in the WSDL; the last may be empty
    mutable waiting_habit habit;  ///< changed by calls, which are concurrent
};

/// A service at a path.
struct endpoint {
    const service_info* info = nullptr;
    void* service = nullptr;
    std::string ns;
    std::string path;
    sequence<served_operation> operations;
};

/// A page that the program added at a path.
struct extra_page {
    std::string path;
    audience who = audience::everyone;
    std::function<http_reply(const http_request&)> answer;
};

/// Whether a help page has the form, and if not, why.
enum class form_state : std::uint8_t { shown, elsewhere, off };

/// What help pages depend on beside the tables.
struct page_facts {
    std::string_view url;  ///< the endpoint's address
    form_state form = form_state::off;
    bool serve_deprecated = true;
};

// Defined in S10; a GET is answered with them. `url` is the endpoint's address.
std::string wsdl_page(const endpoint& served, std::string_view url);
std::string service_page(const endpoint& served, const page_facts& facts);
std::string operation_page(
    const endpoint& served, const served_operation& operation, const page_facts& facts);
std::string no_operation_page(const endpoint& served);
std::string index_page(const std::list<endpoint>& endpoints);
std::string page_policy(form_state form);  // Content-Security-Policy

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
    else if (!all_fit(value, [](char c) { return c > ' ' && c <= '~'; }))
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
    return !id.empty() && id.size() <= 128 &&
           all_fit(id, [](char c) { return c > ' ' && c <= '~'; });
}

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

// --- Who is believed, and who may call -----------------------------------------------------------

inline std::string one_slash(std::string_view base, std::string_view rest) {
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

/// What is believed of a request, and for whom it is refused: rules 9 and 12 of the design.
class request_policy {
public:
    explicit request_policy(const host_options& options) noexcept : options_(options) {}

    /// Throws std::invalid_argument for a name or an origin that is none.
    void check_options() const;

    bool is_trusted(std::string_view peer) const;
    std::string_view caller_of(const http_request& request) const;
    std::optional<std::string> base_url(const http_request& request) const;

    /// Why this host does not answer to the name it was called by; empty when it does.
    std::string foreign_host(const http_request& request) const;
    /// Why a browser's user did not mean to send this call; empty when it may be made.
    std::string foreign_origin(const http_request& request) const;

    /// Whether a browser asks if a page of an allowed origin may call.
    bool is_preflight(const http_request& request) const;
    /// What lets the pages of an allowed origin read the reply.
    void add_origin_fields(const http_request& request, http_reply& reply) const;

private:
    site called_as(const http_request& request) const;
    bool answers_to(std::string_view name, std::string_view listening_on) const;
    bool is_own(const http_request& request, std::string_view origin) const;
    bool is_allowed(std::string_view origin) const;

    const host_options& options_;
};

inline void request_policy::check_options() const {
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

inline bool request_policy::is_trusted(std::string_view peer) const {
    return holds(options_.trusted_proxies, peer);
}

/// Who called: the peer, or whom a trusted proxy names. Each proxy appends the address that called
/// it, so all fields, which are one list (RFC 9110, 5.2), are read from the end, for as long as the
/// addresses are trusted themselves. Who stands before an entry that is no address is anybody's
/// guess: nobody then, which is an empty text. Learnt: to go on behind such an entry is to believe
/// what the caller wrote.
inline std::string_view request_policy::caller_of(const http_request& request) const {
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

/// Scheme and authority as the caller wrote them, or as a trusted proxy says. The authority of an
/// absolute target goes before Host (RFC 9112, 3.2.2).
inline site request_policy::called_as(const http_request& request) const {
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

/// Scheme and authority for addresses that others will call: rule 9 of the design. nullopt: what
/// the request says is no address.
inline std::optional<std::string> request_policy::base_url(const http_request& request) const {
    if (!options_.public_url.empty()) return one_slash(options_.public_url, "");
    site called = called_as(request);
    if (called.authority.empty()) called.authority = request.local_authority;
    if (called.authority.empty()) called.authority = "localhost";
    if (!is_authority(called.authority)) return std::nullopt;
    return std::string(called.scheme) + "://" + std::string(called.authority) + '/';
}

/// A listener on all addresses is one on each of them; an address cannot be rebound.
inline bool request_policy::answers_to(std::string_view name, std::string_view listening_on) const {
    if (equal_ignoring_case(name, listening_on)) return true;
    const bool everywhere = listening_on == "0.0.0.0" || listening_on == "::";
    if ((everywhere || is_loopback_name(listening_on)) && is_loopback_name(name)) return true;
    if (everywhere && (is_ipv4(name) || is_ipv6(name))) return true;
    const auto is_it = [name](std::string_view known) {
        return !known.empty() && equal_ignoring_case(name, split_authority(known).host);
    };
    return is_it(parse_target(options_.public_url).authority) ||
           first_where(options_.host_names, is_it) != nullptr;
}

inline std::string request_policy::foreign_host(const http_request& request) const {
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

/// Its own pages have its address, or the one that its operator gave it.
inline bool request_policy::is_own(const http_request& request, std::string_view origin) const {
    const site page = parse_origin(origin);
    const std::string_view url = options_.public_url;
    const site known{url.substr(0, url.find(':')), parse_target(url).authority};
    return is_same(page, called_as(request)) || is_same(page, known);
}

inline bool request_policy::is_allowed(std::string_view origin) const {
    const site page = parse_origin(origin);
    const auto is_it = [&page](std::string_view known) {
        return is_same(page, parse_origin(known));
    };
    return first_where(options_.allowed_origins, is_it) != nullptr;
}

/// Browsers say whose page sends a POST (WHATWG Fetch, 3.2; Fetch Metadata, 2.4), and what else
/// calls does not. Sec-Fetch-Site alone would do for those of today; older ones send Origin only.
inline std::string request_policy::foreign_origin(const http_request& request) const {
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

inline bool request_policy::is_preflight(const http_request& request) const {
    return request.method == "OPTIONS" && request.header("Access-Control-Request-Method") &&
           is_allowed(request.header("Origin").value_or(std::string_view{}));
}

inline void request_policy::add_origin_fields(
    const http_request& request, http_reply& reply) const {
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
    sequence<header_block>& blocks() noexcept { return used_->blocks; }

private:
    struct shared {
        xml_document document;
        sequence<header_block> blocks;
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
    void value(node at, const type_info& type, bool secret) {
        if (secret) return hidden(at);
        if (type.what == kind::record) return record(at, type.record());
        start(at, true);
        out_.text(at.text());
        end(at);
    }

    void record(node at, const record_info& table) {
        element(at, [&](node child) {
            const field_info* const row = first_where(
                table.fields, [&](const field_info& field) { return child.is(ns_, field.name); });
            if (!row) return hidden(child);
            value(child, row->type, row->options.secret);
        });
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
    static std::string name_of(std::string_view prefix, std::string_view local) {
        return std::string(prefix) + (prefix.empty() ? "" : ":") + std::string(local);
    }

    /// What prefixes mean is needed to read the rest; of other attributes, SOAP's and the schema's.
    void start(node at, bool with_attributes) {
        out_.raw("<");
        out_.raw(name_of(at.prefix(), at.local()));
        for (const attribute said : at.attributes()) {
            const std::string_view of = said.ns();
            const bool known = of == soap11_ns || of == soap12_ns || of == xsi_ns;
            if (of == xmlns_ns || (with_attributes && known))
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

/// One request on its way through: what `operation_info::call` hands back to.
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

    /// Fills the reply and tells the observers. Throws only when there is no memory for a fault.
    void run();

    // For intercepted_call.
    const call_report& report() const noexcept { return report_; }
    const http_request& request() const noexcept { return request_; }
    void proceed(const context& about, std::size_t next);
    bool read_header(const record_info& header, void* (*emplace)(void* slot), void* slot);

private:
    using clock = std::chrono::steady_clock;

    void serve();
    void check_sender() const;
    void read_media_type();
    void check_media_type() const;
    void check_size() const;
    node parse();
    const served_operation* look_up(node payload) const;
    [[noreturn]] void refuse_unknown_operation(node payload) const;
    void check_header_blocks(const served_operation* operation);
    void check_actions(const served_operation& operation) const;
    bool names_another(std::string_view action, const served_operation& operation) const;
    void check_action(std::string_view action, const served_operation& operation) const;
    void check_switched_on(const served_operation& operation) const;
    node find_header(const record_info& header);
    void invoke(const context& about);
    void decode(void* request, void* header);
    void decode_header(void* slot);
    void encode(const void* result);
    void encode_result(element_writer& out, const void* result) const;
    void answer_fault(const fault& refused);
    void answer_incident(std::string_view what);
    void report_call();
    void report_message() const;
    std::string masked_request() const;
    std::string masked_reply() const;
    void copy_reply_payload(masked_copy& copy, node payload) const;

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
    bool answered_ = false;  // the reply holds a result
    clock::time_point started_ = clock::now();
    clock::time_point called_{};
    clock::time_point returned_{};
};

/// The Content-Type, with which the reply's version is guessed until the envelope is open.
inline void soap_call::read_media_type() {
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

/// Before anything is read: whether a browser was made to send this for somebody else's page.
inline void soap_call::check_sender() const {
    const std::string host = policy_.foreign_host(request_);
    if (!host.empty()) throw fault(fault_code::client, host).with_status(421);
    const std::string origin = policy_.foreign_origin(request_);
    if (!origin.empty()) throw fault(fault_code::client, origin).with_status(403);
}

inline void soap_call::check_media_type() const {
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

inline void soap_call::check_size() const {
    if (request_.body.size() <= options_.limits.body_bytes) return;
    throw fault(
        fault_code::client,
        "the request has " + std::to_string(request_.body.size()) + " bytes; allowed are " +
            std::to_string(options_.limits.body_bytes) + " (limit body_bytes)")
        .with_status(413);
}

inline node soap_call::parse() {
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

/// The operation whose qualified name the Body's child has; nullptr when it is none of this
/// service.
inline const served_operation* soap_call::look_up(node payload) const {
    if (!payload || !same_text(served_.ns, payload.ns())) return nullptr;
    for (const served_operation& candidate : served_.operations)
        if (same_text(candidate.info->name, payload.local())) return &candidate;
    return nullptr;
}

inline void soap_call::refuse_unknown_operation(node payload) const {
    std::string allowed;
    for (const served_operation& candidate : served_.operations)
        allowed.append(allowed.empty() ? "" : ", ").append(candidate.info->name);
    throw fault(
        fault_code::client,
        "Body: " + quoted(payload.local()) + " in " + namespace_text(payload.ns()) +
            " is not an operation of this service; allowed are " + allowed + " in the namespace '" +
            served_.ns + "'");
}

/// Before anything is processed (SOAP 1.2 part 1, 2.6, step 3). When the operation is not known,
/// the headers of all operations count as understood, so that the caller hears of the operation.
inline void soap_call::check_header_blocks(const served_operation* operation) {
    read_blocks(message_, options_.limits.header_blocks, lease_.blocks());
    check_understood(lease_.blocks(), message_.version, [&](const header_block& block) {
        if (block.ns != served_.ns) return false;
        const auto takes = [&](const served_operation& candidate) {
            return candidate.info->header && candidate.info->header().name == block.local;
        };
        if (operation) return takes(*operation);
        return first_where(served_.operations, takes) != nullptr;
    });
}

/// Whether an action is not this operation's. Its own action is accepted, and whatever ends in the
/// operation's name, since frameworks put other separators between namespace and name; so is the
/// namespace alone, which names no operation at all. Everything else is another operation's: a
/// gateway may have let the message pass for what its action said.
inline bool soap_call::names_another(
    std::string_view action, const served_operation& operation) const {
    if (action.empty() || action == operation.action) return false;
    const std::string_view last = action.substr(action.find_last_of("/#:") + 1);
    if (last == operation.info->name) return false;
    const bool ends_in_separator = last.empty();
    return action.substr(0, action.size() - (ends_in_separator ? 1 : 0)) != served_.ns;
}

inline void soap_call::check_action(
    std::string_view action, const served_operation& operation) const {
    if (!names_another(action, operation)) return;
    throw fault(
        fault_code::client,
        "SOAPAction: " + quoted(action) + " does not name the operation " +
            std::string(operation.info->name) + " of the Body; allowed is '" + operation.action +
            "'");
}

/// Holds what HTTP says of the operation against the Body (SOAP 1.1, 6.1.1; SOAP 1.2 part 2, 6.5).
inline void soap_call::check_actions(const served_operation& operation) const {
    for (const http_header& field : request_.headers)
        if (equal_ignoring_case(field.name, "SOAPAction"))
            check_action(unquoted_action(field.value), operation);
    check_action(unquoted_action(type_.action), operation);
}

/// The block with this header's name that is meant for us; null when there is none.
inline node soap_call::find_header(const record_info& header) {
    node found;
    if (!message_.header) return found;
    const decoder reader(message_.header, served_.ns, options_.unknown, message_.version, true);
    auto facts = lease_.blocks().begin();
    for (node block = message_.header.first_child(); block; block = block.next_sibling(), ++facts) {
        if (block.local() != header.name || !is_for_us(*facts, message_.version)) continue;
        if (block.ns() != served_.ns)
            reader.refuse(
                block,
                "is in " + namespace_text(block.ns()) + "; allowed is the namespace '" +
                    served_.ns + "'");
        if (found) reader.refuse(block, "may appear only once");
        found = block;
    }
    return found;
}

/// Reads a header block into what `emplace` makes of the slot; false when there is none, or nil.
inline bool soap_call::read_header(
    const record_info& header, void* (*emplace)(void* slot), void* slot) {
    const node block = find_header(header);
    if (!block) return false;
    const decoder reader(block, served_.ns, options_.unknown, message_.version, true);
    reader.check_top();
    if (reader.is_nil(block)) return false;
    reader.read_record(block, header, emplace(slot));
    return true;
}

inline void soap_call::decode_header(void* slot) {
    const operation_info& info = *operation_->info;
    const record_info& header = info.header();
    if (read_header(header, info.emplace_header, slot) || info.header_may_be_absent) return;
    throw fault(
        fault_code::client,
        "Header: " + std::string(header.name) + " is missing; the operation " +
            std::string(info.name) + " needs it in the namespace '" + served_.ns + "'")
        .about_header();
}

/// Before the method: request and header from the message.
inline void soap_call::decode(void* request, void* header) {
    const operation_info& info = *operation_->info;
    if (info.header) decode_header(header);
    static const record_info no_children{};
    const record_info& record = info.request ? info.request() : no_children;
    const decoder reader(payload_, served_.ns, options_.unknown, message_.version, false);
    reader.check_top();
    reader.read_record(payload_, record, request);
    called_ = clock::now();
}

inline void soap_call::encode_result(element_writer& out, const void* result) const {
    const operation_info& info = *operation_->info;
    if (!info.has_result) return;
    const void* item = info.result_item(result, 0);
    if (info.result_how != occurs::many) {
        if (item) write_element(out, operation_->result_tags, info.result, item);
        return;
    }
    out.start(operation_->result_tags);
    const std::size_t content = out.size();
    for (std::size_t index = 0; item; item = info.result_item(result, ++index))
        write_element(out, operation_->item_tags, info.result, item);
    out.end(operation_->result_tags, content);
}

/// After the method: the reply from its result.
inline void soap_call::encode(const void* result) {
    returned_ = clock::now();
    const auto version = static_cast<std::size_t>(message_.version);
    writer out(reply_.body);
    out.raw(operation_->reply_head[version]);
    const std::size_t content = out.size();
    {
        element_writer elements(reply_.body);
        encode_result(elements, result);
    }
    out.end(operation_->response_name, content);
    out.raw(envelope_end(message_.version));
    reply_.status = 200;
    reply_.content_type = content_type_of(message_.version);
    answered_ = true;
}

/// Reads, calls and writes, perhaps not for the first time.
inline void soap_call::invoke(const context& about) {
    called_ = returned_ = {};
    reply_.body.clear();
    call_steps steps;
    steps.self = this;
    steps.decode = [](void* self, void* request, void* header) {
        static_cast<soap_call*>(self)->decode(request, header);
    };
    steps.encode = [](void* self, const void* result) {
        static_cast<soap_call*>(self)->encode(result);
    };
    steps.about = &about;
    operation_->info->call(operation_->info->method, served_.service, steps);
}

/// What is left to do from the interceptor at `next` on.
inline void soap_call::proceed(const context& about, std::size_t next) {
    answered_ = false;
    if (next == options_.interceptors.size()) return invoke(about);
    intercepted_call call(*this, about, next + 1);
    options_.interceptors[next](call);
    if (!answered_)
        throw std::logic_error(
            "soapsvc: an interceptor returned without a result of proceed(); throw a fault "
            "to refuse a call");
}

inline void soap_call::serve() {
    read_media_type();
    check_sender();
    check_media_type();
    check_size();
    message_ = open_envelope(parse(), report_.version);
    const served_operation* named = look_up(message_.body.first_child());
    check_header_blocks(named);
    payload_ = only_child(message_.body);
    if (!named) refuse_unknown_operation(payload_);
    operation_ = named;
    report_.operation = named->info->name;
    report_.deprecated = named->info->options.deprecated;
    check_actions(*named);
    check_switched_on(*named);
    const context about{
        report_.operation,
        message_.version,
        report_.peer,
        report_.request_id,
        request_.certificate_subject,
        {lease_.blocks().data(), lease_.blocks().size()}};
    wait_observer* const worker = this_worker;
    // A call that a method makes of the same program belongs to the call of that method, which
    // cannot be put off any more.
    if (!worker || worker->habit) return proceed(about, 0);
    const habit_watch watch(*worker, named->habit);
    proceed(about, 0);
}

inline void soap_call::check_switched_on(const served_operation& operation) const {
    const row_options& row = operation.info->options;
    if (options_.serve_deprecated || !row.deprecated) return;
    throw fault(
        fault_code::client,
        std::string(operation.info->name) + " is deprecated and switched off here" +
            (row.instead.empty() ? "" : "; use " + std::string(row.instead) + " instead"));
}

inline void soap_call::answer_fault(const fault& refused) {
    reply_.body.clear();
    write_fault(reply_.body, refused, report_.version, served_.ns);
    reply_.status = status_of(refused, report_.version);
    reply_.content_type = content_type_of(report_.version);
    report_.fault_code = refused.code();
    reason_ = refused.reason();
    detail_ = refused.typed_detail().record;
}

/// What went wrong stays here; the caller gets an id to ask about (SOAP 1.1, 4.4.1: Server).
inline void soap_call::answer_incident(std::string_view what) {
    const std::string incident = fresh_id();
    answer_fault(fault(fault_code::server, incident_text(incident)));
    if (!options_.on_error) return;
    tell_safely([&] {
        options_.on_error(
            {incident, report_.service, report_.operation, what, report_.peer, report_.request_id});
    });
}

inline void soap_call::run() {
    try {
        try {
            serve();
        } catch (const fault& refused) {
            if (returned_ == clock::time_point{}) returned_ = clock::now();
            answer_fault(refused);  // throws when the reason is no XML text: an incident then
        }
    } catch (const call_is_put_off&) {
        this_worker->put_off = true;
        return;
    } catch (const std::exception& error) {
        answer_incident(error.what());
    } catch (...) {
        answer_incident("an exception that is no std::exception");
    }
    if (options_.on_call) tell_safely([this] { report_call(); });
    if (options_.on_message) tell_safely([this] { report_message(); });
}

inline void soap_call::report_call() {
    const auto ended = clock::now();
    if (called_ == clock::time_point{}) called_ = returned_ = ended;  // refused before the call
    if (returned_ == clock::time_point{}) returned_ = ended;
    report_.http_status = reply_.status;
    report_.fault_reason = reason_;
    report_.bytes_out = reply_.body.size();
    report_.decode_time = called_ - started_;
    report_.handler_time = returned_ - called_;
    report_.encode_time = ended - returned_;
    options_.on_call(report_);
}

inline std::string size_alone(std::string_view text) {
    return '(' + std::to_string(text.size()) + " bytes)";
}

inline void soap_call::report_message() const {
    const std::string request = operation_ ? masked_request() : size_alone(request_.body);
    const std::string reply = operation_ ? masked_reply() : size_alone(reply_.body);
    options_.on_message(
        {report_.service, report_.operation, report_.peer, report_.request_id, request, reply});
}

/// What the tables of the operation know of the request.
inline std::string soap_call::masked_request() const {
    const operation_info& info = *operation_->info;
    std::string out;
    masked_copy copy(out, served_.ns);
    copy.element(message_.body.parent(), [&](node part) {
        if (part == message_.header)
            return copy.element(part, [&](node block) {
                const bool known = info.header && block.is(served_.ns, info.header().name);
                known ? copy.record(block, info.header()) : copy.hidden(block);
            });
        if (part != message_.body) return copy.hidden(part);
        copy.element(part, [&](node payload) {
            info.request ? copy.record(payload, info.request()) : copy.hidden(payload);
        });
    });
    return out;
}

/// Read again: what was written is known by the table, and this is nobody's hot path.
inline std::string soap_call::masked_reply() const {
    std::string out;
    masked_copy copy(out, served_.ns);
    xml_document document;
    try {
        const node root = document.parse(reply_.body, "utf-8", options_.limits);
        copy.element(root, [&](node part) {
            if (part.local() != "Body") return copy.plain(part);
            copy.element(part, [&](node payload) { copy_reply_payload(copy, payload); });
        });
    } catch (const xml_error&) {  // larger than what is read here
        return size_alone(reply_.body);
    }
    return out;
}

inline void soap_call::copy_reply_payload(masked_copy& copy, node payload) const {
    const operation_info& info = *operation_->info;
    copy.element(payload, [&](node part) {
        if (report_.fault_code) {
            const bool detail = part.local() == "detail" || part.local() == "Detail";
            if (!detail || !detail_) return copy.plain(part);
            return copy.element(part, [&](node entry) { copy.record(entry, detail_()); });
        }
        if (info.result_how != occurs::many || info.options.secret)
            return copy.value(part, info.result, info.options.secret);
        copy.element(part, [&](node item) { copy.value(item, info.result, false); });
    });
}

inline served_operation prepare_operation(const operation_info& info, const std::string& ns) {
    served_operation made;
    made.info = &info;
    made.action = action_name(ns, info);
    made.response_name = response_name(info);
    made.result_tags = element_tags(result_name(info));
    if (info.has_result) made.item_tags = element_tags(type_name(info.result));
    for (const soap_version version : {soap_version::v1_1, soap_version::v1_2}) {
        std::string& head = made.reply_head[static_cast<std::size_t>(version)];
        writer out(head);
        out.raw(envelope_start(version));
        out.raw(body_start(version));
        out.raw("<");
        out.raw(made.response_name);
        out.attribute("xmlns", ns);
        out.raw(">");
    }
    return made;
}

/// Names the messages. Nothing on the wire shows them, so where a header's would be another one's
/// it is given a longer name: of Get with the header UserAuth, beside GetUser with Auth.
inline void name_messages(sequence<served_operation>& operations) {
    sequence<std::string_view> taken;
    for (served_operation& each : operations) {
        each.in_message = std::string(each.info->name) + "SoapIn";
        each.out_message = std::string(each.info->name) + "SoapOut";
        taken.push_back(each.in_message);
        taken.push_back(each.out_message);
    }
    for (served_operation& each : operations) {
        if (!each.info->header) continue;
        each.header_message = std::string(each.info->name) + std::string(each.info->header().name);
        while (holds(taken, std::string_view(each.header_message)))
            each.header_message += "Header";
        taken.push_back(each.header_message);
    }
}

/// An element of the description's schema, and whose it is.
struct described_element {
    std::string name;
    std::string what;  ///< "the header of the operation Get"
    const record_info* header;  ///< null for a request or response
};

/// Throws std::invalid_argument when two different elements would have one name: a client could
/// tell neither from the other. Types are looked at where they are met, by wsdl_writer::need; an
/// element may be called like a type, as many contracts have it.
inline void check_element_names(const service_info& service) {
    sequence<described_element> known;
    const auto add = [&](described_element next) {
        const auto* const other = first_where(
            known, [&](const described_element& each) { return each.name == next.name; });
        if (!other) return known.push_back(std::move(next));
        if (next.header && next.header == other->header) return;
        throw std::invalid_argument(
            "soapsvc: two elements of the service " + std::string(service.name) + " are called " +
            next.name + ": " + other->what + " and " + next.what +
            "; give the header's record, or the operation, another name");
    };
    for (const operation_info& operation : service.operations) {
        const std::string of = " of the operation " + std::string(operation.name);
        add({std::string(operation.name), "the request" + of, nullptr});
        add({response_name(operation), "the response" + of, nullptr});
        if (!operation.header) continue;
        const record_info& header = operation.header();
        add({std::string(header.name), "the header" + of, &header});
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

}  // namespace detail

inline std::string_view intercepted_call::service() const noexcept {
    return call_.report().service;
}
inline bool intercepted_call::deprecated() const noexcept { return call_.report().deprecated; }
inline const http_request& intercepted_call::http() const noexcept { return call_.request(); }
inline void intercepted_call::proceed() { call_.proceed(about_, next_); }
inline void intercepted_call::read_header(
    const detail::record_info& header, void* (*emplace)(void* slot), void* slot) const {
    call_.read_header(header, emplace, slot);
}

/// Whether the caller is on this machine, for what nobody else may see. A proxy on this machine
/// calls from loopback for the whole world: so who is in `trusted_proxies` is not local, nor is any
/// request with a field that says it was handed on (Forwarded, Via, X-Forwarded-*, X-Real-IP),
/// whatever that field names, and whoever wrote it.
inline bool is_local(
    const http_request& request, std::span<const std::string> trusted_proxies) noexcept {
    return detail::is_loopback(request.peer) && !detail::was_forwarded(request) &&
           !detail::holds(trusted_proxies, request.peer);
}

inline std::optional<std::string_view> http_request::header(std::string_view name) const noexcept {
    for (const http_header& field : headers)
        if (detail::equal_ignoring_case(field.name, name)) return field.value;
    return std::nullopt;
}

/// Serves the services that were added to it. Add first, then handle from as many threads as you
/// like. Services are borrowed; their methods are called concurrently.
class dispatcher {
public:
    /// Throws std::invalid_argument when `ns_base` is empty or holds what XML text cannot, when
    /// `public_url` is set and no http or https address with a host and without a query, when
    /// `host_names` or `allowed_origins` hold what is none, and when an interceptor is empty.
    explicit dispatcher(host_options options);
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    /// Offers a service that has a table at `path`, by default `base_path/Name.asmx`. Throws
    /// std::invalid_argument when the path is taken or no path, and when the tables cannot be
    /// described: two types or two elements of one name, which it tells, or a doc that is no XML
    /// text.
    template <class Service>
    void add(Service& service, const std::string& path = {}) {
        add_endpoint(detail::describe_service<Service>(), &service, path);
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
    http_reply handle(const http_request& request) const {
        http_reply reply;
        handle(request, reply);
        return reply;
    }

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
    std::string_view caller_of(const http_request& request) const {
        return policy_.caller_of(request);
    }
    /// Whether a peer is one of `trusted_proxies`.
    bool is_trusted(std::string_view peer) const { return policy_.is_trusted(peer); }

    /// What it was made with, `ns_base` without a slash at its end.
    const host_options& options() const noexcept { return options_; }

    /// The path of the service with this name, the first that was added if there are several; empty
    /// when there is none.
    std::string_view path_of(std::string_view service) const noexcept {
        for (const detail::endpoint& each : endpoints_)
            if (each.info->name == service) return each.path;
        return {};
    }

private:
    void serve(const http_request& request, http_reply& reply) const;
    void answer_get(
        const http_request& request,
        const detail::endpoint* served,
        const detail::request_target& target,
        http_reply& reply) const;
    void answer_without_memory(
        const http_request& request, std::string_view what, http_reply& reply) const noexcept;
    void add_endpoint(const detail::service_info& info, void* service, const std::string& path);
    std::string checked_path(std::string path) const;
    const detail::endpoint* find(std::string_view path) const;
    const detail::extra_page* find_page(std::string_view path, audience listener) const;
    void answer_extra_page(
        const http_request& request, const detail::extra_page& page, http_reply& reply) const;
    void answer_page(
        const http_request& request,
        const detail::endpoint* served,
        const detail::request_target& target,
        http_reply& reply) const;
    detail::form_state form_for(const http_request& request) const;
    void answer_help(
        const http_request& request,
        const detail::endpoint* served,
        std::string_view query,
        std::string_view url,
        http_reply& reply) const;
    host_options options_;
    detail::request_policy policy_{options_};
    std::list<detail::endpoint> endpoints_;  // lists, whose elements stay where they are
    std::list<detail::extra_page> pages_;
};

inline dispatcher::dispatcher(host_options options) : options_(std::move(options)) {
    while (!options_.ns_base.empty() && options_.ns_base.back() == '/')
        options_.ns_base.pop_back();
    if (options_.ns_base.empty())
        throw std::invalid_argument(
            "soapsvc: ns_base is empty; set it to the beginning of your "
            "services' namespaces, such as \"https://example.com/soap\"");
    if (detail::find_bad_char(options_.ns_base) != std::string_view::npos)
        throw std::invalid_argument("soapsvc: ns_base holds characters that XML has no form for");
    if (!options_.public_url.empty() && !detail::is_base_url(options_.public_url))
        throw std::invalid_argument(
            "soapsvc: public_url is an address that begins with http:// or "
            "https://, names a host and has no query, such as \"https://payroll.example.com\"");
    policy_.check_options();
    for (const interceptor& each : options_.interceptors)
        if (!each) throw std::invalid_argument("soapsvc: an interceptor is an empty function");
}

inline void dispatcher::add_endpoint(
    const detail::service_info& info, void* service, const std::string& path) {
    detail::endpoint made;
    made.info = &info;
    made.service = service;
    made.ns = options_.ns_base + '/' + std::string(info.name);
    made.path = checked_path(
        path.empty() ? detail::one_slash(options_.base_path, info.name) + ".asmx" : path);
    detail::check_element_names(info);
    for (const detail::operation_info& operation : info.operations)
        made.operations.push_back(detail::prepare_operation(operation, made.ns));
    detail::name_messages(made.operations);
    detail::wsdl_page(made, "");  // throws here what a GET must not throw later
    for (const detail::served_operation& operation : made.operations)
        detail::operation_page(made, operation, {"", detail::form_state::shown, true});
    detail::service_page(made, {});
    endpoints_.push_back(std::move(made));
}

/// A path that is one, begins with a slash and is not taken.
inline std::string dispatcher::checked_path(std::string path) const {
    if (path.empty() || path.front() != '/') path.insert(0, 1, '/');
    if (path.find_first_of("?# ") != std::string::npos ||
        detail::find_bad_char(path) != std::string_view::npos)
        throw std::invalid_argument("soapsvc: a path holds no '?', '#' or space");
    bool taken = find(path) != nullptr;
    for (const detail::extra_page& page : pages_)
        taken = taken || detail::equal_ignoring_case(page.path, path);
    if (taken) throw std::invalid_argument("soapsvc: two services at the path " + path);
    return path;
}

inline void dispatcher::add_page(
    const std::string& path, std::function<http_reply(const http_request&)> page, audience who) {
    if (!page) throw std::invalid_argument("soapsvc: no function for the page " + path);
    pages_.push_back({checked_path(path), who, std::move(page)});
}

/// Paths of services compare without letter case, as the servers do that these clients come from.
inline const detail::endpoint* dispatcher::find(std::string_view path) const {
    for (const detail::endpoint& candidate : endpoints_)
        if (detail::equal_ignoring_case(candidate.path, path)) return &candidate;
    return nullptr;
}

/// Paths of pages compare as they are: a rule of a proxy for one spelling must hold for the page.
inline const detail::extra_page* dispatcher::find_page(
    std::string_view path, audience listener) const {
    for (const detail::extra_page& page : pages_)
        if (page.path == path && (page.who == audience::everyone || page.who == listener))
            return &page;
    return nullptr;
}

inline void dispatcher::answer_extra_page(
    const http_request& request, const detail::extra_page& page, http_reply& reply) const {
    const auto fail = [&](std::string_view what) {
        const std::string incident = detail::fresh_id();
        reply = http_reply{500, "text/plain; charset=utf-8", {}, {}};
        reply.body.append("500 Internal Server Error: incident ").append(incident).append("\n");
        if (!options_.on_error) return;
        detail::tell_safely([&] {
            options_.on_error({incident, {}, page.path, what, policy_.caller_of(request), {}});
        });
    };
    try {
        reply = page.answer(request);
    } catch (const std::exception& error) {
        fail(error.what());
    } catch (...) {
        fail("an exception that is no std::exception");
    }
}

inline void dispatcher::answer_page(
    const http_request& request,
    const detail::endpoint* served,
    const detail::request_target& target,
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
    const bool wsdl = detail::equal_ignoring_case(key, "wsdl") ||
                      detail::equal_ignoring_case(key, "singlewsdl") || !options_.help_pages;
    if (!wsdl) return answer_help(request, served, target.query, url, reply);
    reply.content_type = "text/xml; charset=utf-8";
    reply.body = detail::wsdl_page(*served, url);
    detail::guard_page(reply);
    policy_.add_origin_fields(request, reply);
}

/// Whether this caller gets the form.
inline detail::form_state dispatcher::form_for(const http_request& request) const {
    if (options_.try_it == try_it::nobody) return detail::form_state::off;
    if (options_.try_it == try_it::everyone) return detail::form_state::shown;
    const bool here = is_local(request, options_.trusted_proxies);
    return here ? detail::form_state::shown : detail::form_state::elsewhere;
}

/// The pages for people: of an operation (?op=Name), of a service, or of all.
inline void dispatcher::answer_help(
    const http_request& request,
    const detail::endpoint* served,
    std::string_view query,
    std::string_view url,
    http_reply& reply) const {
    detail::page_facts facts{url, detail::form_state::off, options_.serve_deprecated};
    const auto name = detail::query_value(query, "op");
    if (!served) {
        reply.body = detail::index_page(endpoints_);
    } else if (!name) {
        reply.body = detail::service_page(*served, facts);
    } else {
        const detail::served_operation* const found = detail::first_where(
            served->operations,
            [&](const detail::served_operation& each) { return each.info->name == *name; });
        if (found) facts.form = form_for(request);
        reply.status = found ? 200 : 404;
        reply.body = found ? detail::operation_page(*served, *found, facts)
                           : detail::no_operation_page(*served);
    }
    reply.content_type = "text/html; charset=utf-8";
    detail::add_header(reply, "Content-Security-Policy", detail::page_policy(facts.form));
    detail::add_header(reply, "Referrer-Policy", "no-referrer");
    detail::guard_page(reply);
}

inline void dispatcher::refuse(
    const http_request& request, int status, std::string_view reason, http_reply& reply) const {
    const auto type = detail::parse_media_type(request.header("Content-Type").value_or(""));
    const bool v12 = detail::equal_ignoring_case(type.type, "application/soap+xml");
    const soap_version version = v12 ? soap_version::v1_2 : soap_version::v1_1;
    const bool soap = request.method == "POST";
    // SOAP 1.1 leaves HTTP one status for what is wrong with a message (6.2).
    reply.status = soap && !v12 && status == 400 ? 500 : status;
    reply.headers.clear();
    policy_.add_origin_fields(request, reply);
    reply.body.clear();
    reply.content_type = soap ? detail::content_type_of(version) : "text/plain; charset=utf-8";
    const fault_code code = status < 500 ? fault_code::client : fault_code::server;
    const fault refused(code, std::string(reason));
    if (soap)
        detail::write_fault(reply.body, refused, version, {});
    else
        reply.body.append(reason).append("\n");
    report_refusal(report_kind::request, request, reply.status, reason, reply.body.size());
}

inline void dispatcher::report_refusal(
    report_kind kind,
    const http_request& facts,
    int status,
    std::string_view reason,
    std::size_t bytes_out) const noexcept {
    if (!options_.on_call) return;
    detail::tell_safely([&] {
        call_report told;
        told.kind = kind;
        told.http_status = status;
        told.fault_reason = reason;
        told.bytes_in = facts.body.size();
        told.bytes_out = bytes_out;
        told.peer = policy_.caller_of(facts);
        const auto id = facts.header("X-Request-Id");
        if (id && detail::is_request_id(*id)) told.request_id = *id;
        options_.on_call(told);
    });
}

/// Whatever ended the call has given back by now what the call held, so a fault of a few hundred
/// bytes mostly finds room. If not, the texts fit into the strings themselves: those of all three
/// standard libraries hold 15 characters without asking for memory.
inline void dispatcher::answer_without_memory(
    const http_request& request, std::string_view what, http_reply& reply) const noexcept {
    try {
        std::string().swap(reply.body);
        const std::string incident = detail::fresh_id();
        refuse(request, 500, detail::incident_text(incident), reply);
        if (options_.on_error)
            detail::tell_safely([&] {
                options_.on_error({incident, {}, {}, what, policy_.caller_of(request), {}});
            });
    } catch (...) {
        reply.status = 503;
        reply.headers.clear();
        reply.content_type = "text/plain";
        reply.body = "Out of memory\n";
    }
}

inline void dispatcher::handle(const http_request& request, http_reply& reply) const {
    try {
        serve(request, reply);
    } catch (const std::exception& error) {
        answer_without_memory(request, error.what(), reply);
    }
}

inline void dispatcher::serve(const http_request& request, http_reply& reply) const {
    reply.content_type.clear();
    reply.body.clear();
    const detail::request_target target = detail::parse_target(request.target);
    const bool for_everyone = request.listener == audience::everyone;
    const detail::endpoint* served = for_everyone ? find(target.path) : nullptr;
    if (!served || request.method != "POST") return answer_get(request, served, target, reply);
    reply.headers.resize(1);  // the first one's memory is used again
    policy_.add_origin_fields(request, reply);
    auto& [name, id] = reply.headers.front();
    name = "X-Request-Id";
    id.clear();
    const auto sent = request.header(name);
    if (sent && detail::is_request_id(*sent))
        id.append(*sent);
    else
        detail::append_fresh_id(id);
    // No header is added after this one, so the view of the id stays good.
    detail::soap_call(options_, policy_, *served, request, id, reply).run();
}

/// What is no call: pages, and what is refused or asked before one.
inline void dispatcher::answer_get(
    const http_request& request,
    const detail::endpoint* served,
    const detail::request_target& target,
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
    const detail::extra_page* page = served ? nullptr : find_page(target.path, request.listener);
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
    detail::add_header(reply, "Allow", served ? "GET, HEAD, POST" : "GET, HEAD");
    answer_text(405, "405 Method Not Allowed: send SOAP requests with POST\n");
    report_refusal(report_kind::request, request, 405, "not a method of this path");
}

}  // namespace soapsvc

// ================================================================================================
// [S10] Description: WSDL 1.1 and help pages, from the same tables
// ================================================================================================
// Writes what `GET path?wsdl` and `GET path` answer. Uses S3, S4, S6 to S8 and the endpoint of S9.
// The WSDL's shape is that of the stack which the existing clients were generated from: document,
// literal, wrapped, a SOAP 1.1 and a SOAP 1.2 port at one address, ArrayOfX for lists, header parts
// (WSDL 1.1, 2 and 3; WSDL 1.1 binding for SOAP 1.2). The surprise: types stand right after the
// first operation that uses them, in the order in which they are met; generators keep that order.

namespace soapsvc::detail {

/// Writes XML with one element per line. Names and attributes are in the caller's hand.
class indented_writer {
public:
    explicit indented_writer(std::string& out) : out_(out) {}

    struct attribute {
        std::string_view name;
        std::string_view value;  ///< empty leaves it out
    };
    using attributes = std::initializer_list<attribute>;

    void open(std::string_view name, attributes with = {}) {
        tag(name, with, ">\n");
        ++depth_;
    }
    void close(std::string_view name) {
        --depth_;
        out_.buffer().append(2 * depth_, ' ');
        out_.end(name);
        out_.raw("\n");
    }
    void leaf(std::string_view name, attributes with = {}) { tag(name, with, " />\n"); }
    void text(std::string_view name, std::string_view content) {
        tag(name, {}, ">");
        out_.text(content);
        out_.end(name);
        out_.raw("\n");
    }

private:
    void tag(std::string_view name, attributes with, std::string_view end) {
        out_.buffer().append(2 * depth_, ' ');
        out_.raw("<");
        out_.raw(name);
        for (const attribute& each : with)
            if (!each.value.empty()) out_.attribute(each.name, each.value);
        out_.raw(end);
    }

    writer out_;
    std::size_t depth_ = 0;
};

/// Writes one service's WSDL.
class wsdl_writer {
public:
    wsdl_writer(const endpoint& served, std::string_view url, std::string& out)
        : served_(served), url_(url), out_(out) {}

    void write();

private:
    struct occurrence {
        std::string_view least;
        std::string_view most;
        std::string_view nillable;  ///< "true", or empty to leave it out
    };

    void write_types();
    void write_element(std::string_view name, const type_info& type, occurrence how);
    void write_fields(const record_info& record);
    void write_request(const operation_info& operation);
    void write_response(const operation_info& operation);
    void write_header(const type_info& header);
    void write_pending();
    void write_record_type(const record_info& record);
    void write_enumeration_type(const enumeration_info& table);
    void write_list_type(const type_info& item);
    void write_messages();
    void write_message(std::string_view name, std::string_view part, std::string_view element);
    void write_port_type();
    void write_binding(std::string_view soap, std::string_view suffix);
    void write_service();
    void write_doc(const row_options& row);

    std::string type_reference(const type_info& type);
    void need(const type_info& type, bool list);
    bool is_header(const record_info& record) const;
    std::string name(std::string_view suffix) const {
        return std::string(served_.info->name) + std::string(suffix);
    }

    /// A named type that was referred to.
    struct named_type {
        std::string name;
        type_info type;
        bool list;  ///< the ArrayOfX of it
        std::string_view met_in;  ///< the operation that needed it first
    };

    const endpoint& served_;
    std::string_view url_;
    indented_writer out_;
    sequence<named_type> types_;  ///< in the order in which they were met
    std::size_t written_ = 0;  ///< how many of them are written
    std::string_view met_in_;  ///< the operation that is being written
    sequence<std::string> headers_;  ///< names of the header elements written
};

inline const void* table_of(const type_info& type) {
    if (type.what == kind::record) return &type.record();
    return type.what == kind::enumeration ? &type.enumeration() : nullptr;
}

/// Notes a type that was referred to. Names are all that a schema has to tell types apart.
inline void wsdl_writer::need(const type_info& type, bool list) {
    if (!list && !table_of(type)) return;
    std::string name = list ? list_name(type) : std::string(type_name(type));
    const named_type* const known =
        first_where(types_, [&name](const named_type& other) { return other.name == name; });
    if (!known) return types_.push_back({std::move(name), type, list, met_in_});
    if (known->list != list || table_of(known->type) != table_of(type))
        throw std::invalid_argument(
            "soapsvc: two different types of the service " + std::string(served_.info->name) +
            " are called " + name + ": of the operation " + std::string(known->met_in) +
            " and of " + std::string(met_in_) + "; give one of them another name");
}

inline bool wsdl_writer::is_header(const record_info& record) const {
    for (const operation_info& operation : served_.info->operations)
        if (operation.header && &operation.header() == &record) return true;
    return false;
}

inline std::string wsdl_writer::type_reference(const type_info& type) {
    need(type, false);
    return (table_of(type) ? "tns:" : "s:") + std::string(type_name(type));
}

inline void wsdl_writer::write_element(
    std::string_view name, const type_info& type, occurrence how) {
    out_.leaf(
        "s:element",
        {{"minOccurs", how.least},
         {"maxOccurs", how.most},
         {"name", name},
         {"nillable", how.nillable},
         {"type", type_reference(type)}});
}

/// The sequence of a complex type; there must be a field, or it has none.
inline void wsdl_writer::write_fields(const record_info& record) {
    out_.open("s:sequence");
    for (const field_info& field : record.fields)
        write_element(
            field.name,
            field.type,
            {field.how == occurs::once ? "1" : "0",
             field.how == occurs::many ? "unbounded" : "1",
             ""});
    out_.close("s:sequence");
}

inline void wsdl_writer::write_request(const operation_info& operation) {
    out_.open("s:element", {{"name", operation.name}});
    if (operation.request && !operation.request().fields.empty()) {
        out_.open("s:complexType");
        write_fields(operation.request());
        out_.close("s:complexType");
    } else {
        out_.leaf("s:complexType");
    }
    out_.close("s:element");
}

inline void wsdl_writer::write_response(const operation_info& operation) {
    out_.open("s:element", {{"name", response_name(operation)}});
    if (operation.has_result) {
        const std::string result = result_name(operation);
        out_.open("s:complexType");
        out_.open("s:sequence");
        if (operation.result_how == occurs::many) {
            need(operation.result, true);
            out_.leaf(
                "s:element",
                {{"minOccurs", "0"},
                 {"maxOccurs", "1"},
                 {"name", result},
                 {"type", "tns:" + list_name(operation.result)}});
        } else {
            write_element(
                result,
                operation.result,
                {operation.result_how == occurs::once ? "1" : "0", "1", ""});
        }
        out_.close("s:sequence");
        out_.close("s:complexType");
    } else {
        out_.leaf("s:complexType");
    }
    out_.close("s:element");
}

inline void wsdl_writer::write_record_type(const record_info& record) {
    out_.open("s:complexType", {{"name", record.name}});
    if (!record.fields.empty()) write_fields(record);
    if (is_header(record)) out_.leaf("s:anyAttribute");  // mustUnderstand, actor, role go there
    out_.close("s:complexType");
}

inline void wsdl_writer::write_enumeration_type(const enumeration_info& table) {
    out_.open("s:simpleType", {{"name", table.name}});
    out_.open("s:restriction", {{"base", "s:string"}});
    for (const std::string_view text : table.texts)
        out_.leaf("s:enumeration", {{"value", text}});
    out_.close("s:restriction");
    out_.close("s:simpleType");
}

inline void wsdl_writer::write_list_type(const type_info& item) {
    const bool reference =
        item.what == kind::record || item.what == kind::string || item.what == kind::base64;
    out_.open("s:complexType", {{"name", list_name(item)}});
    out_.open("s:sequence");
    write_element(type_name(item), item, {"0", "unbounded", reference ? "true" : ""});
    out_.close("s:sequence");
    out_.close("s:complexType");
}

/// Writes what was referred to, and what that refers to, until nothing new comes up.
inline void wsdl_writer::write_pending() {
    for (; written_ != types_.size(); ++written_) {
        const named_type next = types_[written_];  // a copy: the list grows
        if (next.list)
            write_list_type(next.type);
        else if (next.type.what == kind::record)
            write_record_type(next.type.record());
        else
            write_enumeration_type(next.type.enumeration());
    }
}

inline void wsdl_writer::write_header(const type_info& header) {
    std::string name(type_name(header));
    if (holds(headers_, name)) return;
    out_.leaf("s:element", {{"name", name}, {"type", type_reference(header)}});
    headers_.push_back(std::move(name));
    write_pending();
}

inline void wsdl_writer::write_types() {
    out_.open("wsdl:types");
    out_.open("s:schema", {{"elementFormDefault", "qualified"}, {"targetNamespace", served_.ns}});
    for (const operation_info& operation : served_.info->operations) {
        met_in_ = operation.name;
        write_request(operation);
        write_response(operation);
        write_pending();
        if (operation.header) write_header({kind::record, operation.header, nullptr});
    }
    out_.close("s:schema");
    out_.close("wsdl:types");
}

inline void wsdl_writer::write_message(
    std::string_view name, std::string_view part, std::string_view element) {
    out_.open("wsdl:message", {{"name", name}});
    out_.leaf("wsdl:part", {{"name", part}, {"element", "tns:" + std::string(element)}});
    out_.close("wsdl:message");
}

inline void wsdl_writer::write_messages() {
    for (const served_operation& operation : served_.operations) {
        const operation_info& info = *operation.info;
        write_message(operation.in_message, "parameters", info.name);
        write_message(operation.out_message, "parameters", operation.response_name);
        if (!info.header) continue;
        const std::string_view header = info.header().name;
        write_message(operation.header_message, header, header);
    }
}

inline void wsdl_writer::write_doc(const row_options& row) {
    std::string text = row.deprecated ? "Deprecated." : "";
    if (!text.empty() && !row.doc.empty()) text += ' ';
    text += row.doc;
    if (!text.empty()) out_.text("wsdl:documentation", text);
}

inline void wsdl_writer::write_port_type() {
    out_.open("wsdl:portType", {{"name", name("Soap")}});
    for (const served_operation& operation : served_.operations) {
        out_.open("wsdl:operation", {{"name", operation.info->name}});
        write_doc(operation.info->options);
        out_.leaf("wsdl:input", {{"message", "tns:" + operation.in_message}});
        out_.leaf("wsdl:output", {{"message", "tns:" + operation.out_message}});
        out_.close("wsdl:operation");
    }
    out_.close("wsdl:portType");
}

/// One binding; `soap` is the prefix of its extension elements, `suffix` ends its name.
inline void wsdl_writer::write_binding(std::string_view soap, std::string_view suffix) {
    const std::string prefix = std::string(soap) + ':';
    const std::string body = prefix + "body";
    out_.open("wsdl:binding", {{"name", name(suffix)}, {"type", "tns:" + name("Soap")}});
    out_.leaf(prefix + "binding", {{"transport", "http://schemas.xmlsoap.org/soap/http"}});
    for (const served_operation& operation : served_.operations) {
        out_.open("wsdl:operation", {{"name", operation.info->name}});
        out_.leaf(prefix + "operation", {{"soapAction", operation.action}, {"style", "document"}});
        out_.open("wsdl:input");
        out_.leaf(body, {{"use", "literal"}});
        if (operation.info->header)
            out_.leaf(
                prefix + "header",
                {{"message", "tns:" + operation.header_message},
                 {"part", operation.info->header().name},
                 {"use", "literal"}});
        out_.close("wsdl:input");
        out_.open("wsdl:output");
        out_.leaf(body, {{"use", "literal"}});
        out_.close("wsdl:output");
        out_.close("wsdl:operation");
    }
    out_.close("wsdl:binding");
}

inline void wsdl_writer::write_service() {
    out_.open("wsdl:service", {{"name", served_.info->name}});
    if (!served_.info->doc.empty()) out_.text("wsdl:documentation", served_.info->doc);
    for (const std::string_view soap : {"soap", "soap12"}) {
        const std::string port = name(soap == "soap" ? "Soap" : "Soap12");
        out_.open("wsdl:port", {{"name", port}, {"binding", "tns:" + port}});
        out_.leaf(std::string(soap) + ":address", {{"location", url_}});
        out_.close("wsdl:port");
    }
    out_.close("wsdl:service");
}

inline void wsdl_writer::write() {
    out_.open(
        "wsdl:definitions",
        {{"xmlns:soap", "http://schemas.xmlsoap.org/wsdl/soap/"},
         {"xmlns:soap12", "http://schemas.xmlsoap.org/wsdl/soap12/"},
         {"xmlns:s", xsd_ns},
         {"xmlns:tns", served_.ns},
         {"xmlns:wsdl", "http://schemas.xmlsoap.org/wsdl/"},
         {"targetNamespace", served_.ns}});
    if (!served_.info->doc.empty()) out_.text("wsdl:documentation", served_.info->doc);
    write_types();
    write_messages();
    write_port_type();
    write_binding("soap", "Soap");
    write_binding("soap12", "Soap12");
    write_service();
    out_.close("wsdl:definitions");
}

inline std::string wsdl_page(const endpoint& served, std::string_view url) {
    std::string page = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
    wsdl_writer(served, url, page).write();
    return page;
}

// --- Samples ------------------------------------------------------------------------------------

/// The text of a value when a table has no sample: in the order of `kind`, up to `decimal`.
inline constexpr std::array<std::string_view, 17> sample_texts{
    "",
    "true",
    "1",
    "1",
    "1",
    "1",
    "1",
    "1",
    "1",
    "1",
    "1.5",
    "1.5",
    "text",
    "U09BUA==",
    "2026-01-31",
    "2026-01-31T09:30:00",
    "12.50"};

/// Appends an element with a sample value. It goes through the codec in both directions, so what a
/// sample shows is what a message would say. Throws std::invalid_argument for what is no value.
inline void write_sample_value(
    writer& out, std::string_view name, const type_info& type, std::string_view given) {
    const auto refuse = [&] {
        throw std::invalid_argument(
            "soapsvc: '" + std::string(given) + "' is no sample of " + std::string(name) +
            ", which is of the type " + std::string(type_name(type)));
    };
    if (type.what == kind::enumeration) {
        const auto& texts = type.enumeration().texts;
        if (given.empty()) given = texts[0];
        if (!holds(texts, given)) refuse();
        out.start(name);
        out.text(given);
        return out.end(name);
    }
    if (given.empty()) given = sample_texts[static_cast<std::size_t>(type.what)];
    const auto write = [&](const void* value) {
        element_writer one(out.buffer());
        write_element(one, element_tags(name), type, value);
    };
    with_simple_type(type.what, [&]<class T>(std::type_identity<T>) {
        T value{};
        from_text(given, value) ? write(&value) : refuse();
    });
}

/// Writes the messages that an operation's page shows, from the tables alone: there is no C++ value
/// to be had of a type that is known by its table only.
class sample_writer {
public:
    sample_writer(const endpoint& served, const served_operation& operation)
        : served_(served), operation_(operation), info_(*operation.info), out_(text_) {}

    /// A request envelope, every field filled.
    std::string request(soap_version version) {
        const bool v12 = version == soap_version::v1_2;
        text_.clear();
        out_.raw(envelope_start(version));
        if (info_.header) {
            out_.raw(v12 ? "<soap12:Header>" : "<soap:Header>");
            payload(info_.header().name, &info_.header());
            out_.raw(v12 ? "</soap12:Header>" : "</soap:Header>");
        }
        out_.raw(body_start(version));
        payload(info_.name, info_.request ? &info_.request() : nullptr);
        out_.raw(envelope_end(version));
        return text_;
    }

    /// The envelope of a success, lists with one item.
    std::string reply(soap_version version) {
        text_.clear();
        out_.raw(operation_.reply_head[static_cast<std::size_t>(version)]);
        const std::size_t content = out_.size();
        if (info_.has_result && info_.result_how == occurs::many) {
            out_.start(operation_.result_tags.name());
            element(operation_.item_tags.name(), info_.result, {});
            out_.end(operation_.result_tags.name());
        } else if (info_.has_result) {
            element(operation_.result_tags.name(), info_.result, info_.options);
        }
        out_.end(operation_.response_name, content);
        out_.raw(envelope_end(version));
        return text_;
    }

private:
    void payload(std::string_view name, const record_info* record) {
        out_.raw("<");
        out_.raw(name);
        out_.attribute("xmlns", served_.ns);
        out_.raw(">");
        const std::size_t content = out_.size();
        if (record) fields(*record);
        out_.end(name, content);
    }

    void fields(const record_info& record) {
        open_.push_back(&record);
        for (const field_info& field : record.fields)
            element(field.name, field.type, field.options);
        open_.pop_back();
    }

    void element(std::string_view name, const type_info& type, const row_options& row) {
        if (type.what != kind::record) {
            const bool secret_text = row.secret && type.what == kind::string;
            const std::string_view fallback = secret_text ? "secret" : "";
            return write_sample_value(out_, name, type, row.sample.empty() ? fallback : row.sample);
        }
        if (!row.sample.empty())
            throw std::invalid_argument(
                "soapsvc: " + std::string(name) + " has fields; give those a sample each");
        // A record within itself is an item of a list, and the list may be empty.
        if (holds(open_, &type.record())) return;
        out_.start(name);
        const std::size_t content = out_.size();
        fields(type.record());
        out_.end(name, content);
    }

    const endpoint& served_;
    const served_operation& operation_;
    const operation_info& info_;
    std::string text_;
    writer out_;
    sequence<const record_info*> open_;
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
.status b { padding: .0625rem .625rem; border-radius: 1rem; color: var(--good);
  background: var(--good-bg) }
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
const paint = (pre, text) => pre.replaceChildren(...text.split(/(<[\/?!\w][^<>]*>)/).map(
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
  if (target.matches(".include")) return include(target);
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
const element = (name, inside, ns = "") => "<" + name + (ns && ` xmlns="${quoted(ns)}"`) +
  (inside === "" ? " />" : ">" + inside + "</" + name + ">");
const leaf = (field, name) => {
  const input = one("label:first-child > :is(input, select)", field);
  const given = one(":scope > .given > input", field);
  if (input.type === "checkbox") return element(name, String(input.checked));
  const absent = given ? !given.checked : input.value === "" && !("text" in field.dataset);
  const seconds = input.type === "datetime-local" && input.value.length === 16 ? ":00" : "";
  return absent ? "" : element(name, escape(input.value + seconds));
};
const content = box => [...box.children].map(child => {
  const { name } = child.dataset;
  if (child.matches(".bare")) return content(child);
  if (!name) return "";
  if (child.matches(".field")) return leaf(child, name);
  if ("many" in child.dataset) return all(":scope > .items > .item", child).map(
    item => item.matches(".field") ? leaf(item, name) : element(name, content(item))).join("");
  const inside = one(":scope > .inside", child);
  return inside?.disabled ? "" : element(name, content(inside || child));
}).join("");
const envelope = soap12 => {
  const soap = soap12 ? "soap12" : "soap";
  const ns = soap12 ? "http://www.w3.org/2003/05/soap-envelope"
    : "http://schemas.xmlsoap.org/soap/envelope/";
  const head = one("[data-part=header]", form);
  const inside = head && one(":scope > .inside", head);
  return `<?xml version="1.0" encoding="utf-8"?><${soap}:Envelope xmlns:${soap}="${ns}">` +
    (head && !inside?.disabled ? element(soap + ":Header",
      element(head.dataset.block, content(inside || head), said.ns)) : "") +
    element(soap + ":Body", element(said.operation, content(one("[data-part=body]", form)),
      said.ns)) + `</${soap}:Envelope>`;
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
  const at = kid(response, said.operation + "Result");
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
    : { "Content-Type": "text/xml; charset=utf-8", SOAPAction: `"${said.ns}/${said.operation}"` };
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

// SHA-256 (FIPS 180-4, 6.2), for the policy alone: 22 KB, once. OpenSSL's comes with the host, and
// the dispatcher does without it.

inline constexpr std::array<std::uint32_t, 64> sha256_words{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Takes 64 bytes into the hash.
inline void sha256_block(std::array<std::uint32_t, 8>& h, std::string_view block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i != 64; ++i)
        w[i / 4] = w[i / 4] << 8 | static_cast<std::uint8_t>(block[i]);
    for (std::size_t i = 16; i != 64; ++i) {
        const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    std::array<std::uint32_t, 8> v = h;
    for (std::size_t i = 0; i != 64; ++i) {
        const auto s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
        const auto t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha256_words[i] + w[i];
        const auto s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
        const auto t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        v = {t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
    }
    for (std::size_t i = 0; i != 8; ++i)
        h[i] += v[i];
}

inline std::array<std::uint8_t, 32> sha256(std::string_view text) {
    std::array<std::uint32_t, 8> h{
        0x6a09e667,
        0xbb67ae85,
        0x3c6ef372,
        0xa54ff53a,
        0x510e527f,
        0x9b05688c,
        0x1f83d9ab,
        0x5be0cd19};
    std::string padded(text);
    padded += '\x80';
    padded.resize((padded.size() + 8 + 63) / 64 * 64);
    const std::uint64_t bits = std::uint64_t{text.size()} * 8;
    for (std::size_t i = 0; i != 8; ++i)
        padded[padded.size() - 1 - i] = static_cast<char>(bits >> (8 * i));
    for (std::size_t at = 0; at != padded.size(); at += 64)
        sha256_block(h, std::string_view(padded).substr(at, 64));
    std::array<std::uint8_t, 32> digest{};
    for (std::size_t i = 0; i != 32; ++i)
        digest[i] = static_cast<std::uint8_t>(h[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

/// How a policy names a text (Content Security Policy level 3, 2.3.1).
inline std::string policy_hash(std::string_view text) {
    const auto digest = sha256(text);
    std::string source = "'sha256-";
    to_text(source, binary{{digest.begin(), digest.end()}});
    return source + '\'';
}

/// The page may run and show what it brings, and may call this site if it has the form; nobody may
/// show it in a frame.
inline std::string page_policy(form_state form) {
    static const std::string own = "default-src 'none'; script-src " + policy_hash(page_script) +
                                   "; style-src " + policy_hash(page_style) +
                                   "; img-src data:; base-uri 'none'; form-action 'none'; "
                                   "frame-ancestors 'none'";
    return form == form_state::shown ? own + "; connect-src 'self'" : own;
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

/// The page of one operation.
class operation_page_writer {
public:
    operation_page_writer(
        const endpoint& served, const served_operation& operation, const page_facts& facts)
        : served_(served), operation_(operation), info_(*operation.info), facts_(facts) {}

    std::string write();

private:
    void write_head();
    void write_parameters();
    void write_result();
    void write_faults();
    void write_samples();
    void write_sample(soap_version version);
    void write_curl();
    void write_fields(const record_info& record, bool sent);
    void write_field(const field_info& field, bool sent);
    void write_values(const type_info& type);
    void write_type(const type_info& type, occurs how);

    void write_form();
    void write_part(std::string_view part, const record_info& record, bool optional);
    void write_inputs(const record_info& record);
    void begin_group(const field_info& field, const std::string* item = nullptr);
    void write_input_group(const field_info& field);
    void write_input_list(const field_info& field);
    void write_input_row(const field_info& field, bool item);
    void write_input(const field_info& field, bool item);
    void write_options(const field_info& field, bool may_be_absent);
    void write_templates();
    void write_answer();

    const endpoint& served_;
    const served_operation& operation_;
    const operation_info& info_;
    const page_facts& facts_;
    page_writer page_;
    sequence<const record_info*> open_;
    sequence<const record_info*> templates_;  ///< of lists, in the order in which they were met
};

inline void operation_page_writer::write_head() {
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

inline void operation_page_writer::write_type(const type_info& type, occurs how) {
    page_.raw("<span class=\"type\">");
    page_.text((how == occurs::many ? "list of " : "") + std::string(type_name(type)));
    page_.raw("</span>");
}

inline void operation_page_writer::write_values(const type_info& type) {
    if (type.what != kind::enumeration) return;
    page_.raw("<p class=\"values\">One of ");
    bool first = true;
    for (const std::string_view value : type.enumeration().texts) {
        page_.raw(first ? "" : ", ");
        page_.element("code", value);
        first = false;
    }
    page_.raw("</p>");
}

/// One field, its own fields below it. `sent`: by the client, who must know what is required.
inline void operation_page_writer::write_field(const field_info& field, bool sent) {
    const row_options& row = field.options;
    page_.raw("<div><dt>");
    page_.element("code", field.name);
    page_.raw(" ");
    write_type(field.type, field.how);
    const bool required = field.how == occurs::once && !row.defaulted;
    if (sent && required) page_.badge("required", "must");
    if (field.how == occurs::optional || (sent && row.defaulted)) page_.badge("optional");
    if (row.secret) page_.badge("secret");
    if (row.deprecated) page_.badge("deprecated", "old");
    page_.raw("</dt><dd>");
    page_.paragraph(row.doc);
    if (!row.instead.empty()) page_.paragraph("Use " + std::string(row.instead) + " instead.");
    write_values(field.type);
    page_.raw("</dd>");
    if (field.type.what == kind::record) {
        page_.raw("<dd class=\"nest\">");
        const record_info& inside = field.type.record();
        if (!holds(open_, &inside))
            write_fields(inside, sent);
        else
            page_.paragraph("The fields of " + std::string(inside.name) + ", as above.", "soft");
        page_.raw("</dd>");
    }
    page_.raw("</div>\n");
}

inline void operation_page_writer::write_fields(const record_info& record, bool sent) {
    if (record.fields.empty()) return page_.paragraph("No fields.", "soft");
    open_.push_back(&record);
    page_.raw("<dl class=\"fields\">\n");
    for (const field_info& field : record.fields)
        write_field(field, sent);
    page_.raw("</dl>\n");
    open_.pop_back();
}

inline void operation_page_writer::write_parameters() {
    page_.raw("<h2 id=\"parameters\">Parameters</h2>\n");
    if (info_.request && !info_.request().fields.empty())
        write_fields(info_.request(), true);
    else
        page_.paragraph("This operation takes no parameters.", "soft");
    if (!info_.header) return;
    page_.raw("<h3>SOAP header <code>");
    page_.text(info_.header().name);
    page_.raw("</code>");
    if (!info_.header_may_be_absent) page_.badge("required", "must");
    page_.raw("</h3>\n");
    write_fields(info_.header(), true);
}

inline void operation_page_writer::write_result() {
    page_.raw("<h2 id=\"result\">Result</h2>\n");
    if (!info_.has_result)
        return page_.paragraph("Nothing: an empty response says that it was done.", "soft");
    page_.raw("<p><code>");
    page_.text(operation_.result_tags.name());
    page_.raw("</code> ");
    write_type(info_.result, info_.result_how);
    if (info_.result_how == occurs::optional) page_.badge("may be absent");
    if (info_.options.secret) page_.badge("secret");
    page_.raw("</p>\n");
    write_values(info_.result);
    if (info_.result.what == kind::record) write_fields(info_.result.record(), false);
}

inline void operation_page_writer::write_faults() {
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
    page_.raw(
        "<p class=\"soft\">A request that does not fit the description above is answered with a "
        "<code>Client</code> fault (SOAP 1.2: <code>Sender</code>) that names the element, what "
        "was "
        "found and what is allowed.</p>\n");
}

inline std::string content_type_line(soap_version version) {
    return "Content-Type: " + std::string(content_type_of(version));
}

inline void operation_page_writer::write_sample(soap_version version) {
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
    page_.figure(
        "Response",
        std::string(name) + " response",
        indented(samples.reply(version)),
        "HTTP/1.1 200 OK\n" + content_type_line(version));
    page_.raw("</div>\n");
}

/// The request as a here-document, which leaves every character of the message alone.
inline void operation_page_writer::write_curl() {
    const soap_version version = soap_version::v1_1;
    std::string command = "curl " + shell_word(facts_.url);
    command += " \\\n  -H " + shell_word(content_type_line(version));
    command += " \\\n  -H " + shell_word("SOAPAction: \"" + operation_.action + '"');
    command += " \\\n  --data-binary @- <<'XML'\n";
    command += indented(sample_writer(served_, operation_).request(version)) + "\nXML\n";
    page_.raw("<div class=\"panel\">\n");
    page_.figure("Shell", "curl command", command);
    page_.raw("</div>\n");
}

inline void operation_page_writer::write_samples() {
    page_.raw(
        "<h2 id=\"samples\">Samples</h2>\n<fieldset class=\"tabs\">"
        "<legend class=\"vh\">Show the sample for</legend>\n"
        "<input type=\"radio\" name=\"sample\" id=\"as11\" checked><label for=\"as11\">SOAP 1.1"
        "</label>\n<input type=\"radio\" name=\"sample\" id=\"as12\"><label for=\"as12\">SOAP 1.2"
        "</label>\n<input type=\"radio\" name=\"sample\" id=\"ascurl\"><label for=\"ascurl\">curl"
        "</label>\n");
    write_sample(soap_version::v1_1);
    write_sample(soap_version::v1_2);
    write_curl();
    page_.raw("</fieldset>\n");
}

// The form. The script reads it back by data attributes: data-name is an element to write, `field`
// one with text, `group` one with children; data-many names the template of an item.

/// What an <input> says of a number that it must be.
struct number_input {
    std::string_view least;
    std::string_view most;
};
inline number_input range_of(kind what) {
    switch (what) {
    case kind::int8: return {"-128", "127"};
    case kind::int16: return {"-32768", "32767"};
    case kind::int32: return {"-2147483648", "2147483647"};
    case kind::int64: return {"-9223372036854775808", "9223372036854775807"};
    case kind::uint8: return {"0", "255"};
    case kind::uint16: return {"0", "65535"};
    case kind::uint32: return {"0", "4294967295"};
    case kind::uint64: return {"0", "18446744073709551615"};
    default: return {};
    }
}

/// The values of a <select>, after an empty one for "absent".
inline void operation_page_writer::write_options(const field_info& field, bool may_be_absent) {
    page_.raw("<select>");
    if (may_be_absent) page_.raw("<option value=\"\">not sent</option>");
    if (field.type.what == kind::boolean)
        page_.raw("<option>true</option><option>false</option>");
    else
        for (const std::string_view value : field.type.enumeration().texts)
            page_.element("option", value);
    page_.raw("</select>");
}

inline void operation_page_writer::write_input(const field_info& field, bool item) {
    const kind what = field.type.what;
    const row_options& row = field.options;
    const bool must = item || (field.how == occurs::once && !row.defaulted);
    const bool flag = what == kind::boolean && (item || field.how == occurs::once);
    if (flag && !row.secret) return page_.raw("<input type=\"checkbox\">");
    if ((what == kind::boolean || what == kind::enumeration) && !row.secret)
        return write_options(field, !must);
    const number_input range = range_of(what);
    const bool whole = !range.least.empty();
    const bool real = what == kind::float32 || what == kind::float64 || what == kind::decimal;
    page_.raw("<input");
    page_.attribute(
        "type",
        row.secret                ? "password"
        : whole                   ? "number"
        : what == kind::date      ? "date"
        : what == kind::date_time ? "datetime-local"
                                  : "text");
    if (row.secret) page_.attribute("autocomplete", "off");
    if (whole && !row.secret) {
        page_.attribute("min", range.least);
        page_.attribute("max", range.most);
        page_.attribute("step", "1");
    }
    if (what == kind::date_time) page_.attribute("step", "1");
    if (real) {
        page_.attribute("inputmode", "decimal");
        const bool exact = what == kind::decimal;
        page_.attribute(
            "pattern",
            exact ? "[+\\-]?(\\d+(\\.\\d*)?|\\.\\d+)"
                  : "[+\\-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+\\-]?\\d+)?|-?INF|NaN");
    }
    if (what == kind::base64) page_.attribute("pattern", "[A-Za-z0-9+\\/\\s]*={0,2}");
    if (!row.sample.empty()) page_.attribute("placeholder", "e.g. " + std::string(row.sample));
    page_.attribute("spellcheck", "false");
    page_.raw(must && what != kind::string && what != kind::base64 ? " required>" : ">");
}

/// One element with text. An optional one has a box that says whether it is sent, because absent
/// and empty differ; typing ticks it.
inline void operation_page_writer::write_input_row(const field_info& field, bool item) {
    const kind what = field.type.what;
    const bool text = what == kind::string || what == kind::base64;
    const bool select =
        !field.options.secret && (what == kind::boolean || what == kind::enumeration);
    page_.raw(item ? "<div class=\"field item\"" : "<div class=\"field\"");
    page_.attribute("data-name", field.name);
    if (text) page_.raw(" data-text");
    page_.raw("><label><span class=\"label\">");
    page_.raw(item ? "<code class=\"no\">" : "<code>");
    page_.text(field.name);
    page_.raw("</code> ");
    write_type(field.type, occurs::once);
    page_.raw("</span>");
    write_input(field, item);
    page_.raw("</label>");
    if (item) {
        page_.raw("<button type=\"button\" class=\"remove\">Remove</button>");
    } else if (field.how == occurs::optional && !select) {
        page_.raw("<label class=\"tick given\"><input type=\"checkbox\"");
        page_.attribute("aria-label", "Send " + std::string(field.name));
        page_.raw(">send</label>");
    }
    if (!item) page_.paragraph(field.options.doc, "hint");
    page_.raw("</div>\n");
}

/// The name and meaning of a group of inputs. `item` is the template of a list's items, "" for a
/// template of its own; nullptr: no list.
inline void operation_page_writer::begin_group(const field_info& field, const std::string* item) {
    page_.raw("<fieldset class=\"group\"");
    page_.attribute("data-name", field.name);
    if (item) page_.attribute("data-many", *item);
    page_.raw("><legend><code>");
    page_.text(field.name);
    page_.raw("</code> ");
    write_type(field.type, item ? occurs::many : occurs::once);
    page_.raw("</legend>\n");
    page_.paragraph(field.options.doc, "hint");
}

/// A record: its fields, which may be absent together. One that may be is sent at first if it is
/// a parameter itself, not if it is deeper.
inline void operation_page_writer::write_input_group(const field_info& field) {
    begin_group(field);
    const bool optional = field.how == occurs::optional;
    const bool sent = open_.size() == 1;
    if (optional) {
        page_.raw("<label class=\"tick\"><input type=\"checkbox\" class=\"include\"");
        page_.raw(sent ? " checked> Send " : "> Send ");
        page_.text(field.name);
        page_.raw("</label>\n<fieldset class=\"inside\"");
        page_.raw(sent ? ">\n" : " hidden disabled>\n");
    }
    write_inputs(field.type.record());
    page_.raw(optional ? "</fieldset></fieldset>\n" : "</fieldset>\n");
}

/// A list: items are made from a template. Records have one each, for all their lists, because a
/// record may hold a list of itself.
inline void operation_page_writer::write_input_list(const field_info& field) {
    const bool record = field.type.what == kind::record;
    std::string id;
    if (record) {
        std::size_t index = 0;
        while (index != templates_.size() && templates_[index] != &field.type.record())
            ++index;
        if (index == templates_.size()) templates_.push_back(&field.type.record());
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

inline void operation_page_writer::write_inputs(const record_info& record) {
    open_.push_back(&record);
    for (const field_info& field : record.fields) {
        if (field.how == occurs::many)
            write_input_list(field);
        else if (field.type.what == kind::record)
            write_input_group(field);
        else
            write_input_row(field, false);
    }
    open_.pop_back();
}

inline void operation_page_writer::write_templates() {
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

/// Header or body of the form.
inline void operation_page_writer::write_part(
    std::string_view part, const record_info& record, bool optional) {
    const bool header = part == "header";
    page_.raw("<fieldset class=\"part\"");
    page_.attribute("data-part", part);
    if (header) page_.attribute("data-block", record.name);
    page_.raw(header ? "><legend>SOAP header <code>" : "><legend>Parameters");
    if (header) page_.text(record.name);
    page_.raw(header ? "</code></legend>\n" : "</legend>\n");
    if (optional)
        page_.raw(
            "<label class=\"tick\"><input type=\"checkbox\" class=\"include\" checked> Send the "
            "header</label>\n<fieldset class=\"inside\">\n");
    if (record.fields.empty()) page_.paragraph("Nothing to fill in.", "soft");
    write_inputs(record);
    page_.raw(optional ? "</fieldset></fieldset>\n" : "</fieldset>\n");
}

/// What the script fills when a reply has come.
inline void operation_page_writer::write_answer() {
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

inline void operation_page_writer::write_form() {
    static const record_info no_fields{};
    page_.raw(
        "<h2 id=\"try\">Try it</h2>\n<p class=\"soft needs\">The form needs JavaScript. The "
        "samples above work without.</p>\n<form hidden");
    page_.attribute("data-ns", served_.ns);
    page_.attribute("data-operation", info_.name);
    page_.attribute(
        "data-result",
        !info_.has_result                  ? "none"
        : info_.result_how == occurs::many ? "many"
                                           : "one");
    page_.raw(" autocomplete=\"off\">\n");
    if (info_.header) write_part("header", info_.header(), info_.header_may_be_absent);
    write_part("body", info_.request ? info_.request() : no_fields, false);
    page_.raw(
        "<div class=\"send\"><button class=\"main\">Send</button>\n<fieldset>"
        "<legend class=\"vh\">Version</legend><label class=\"tick\"><input type=\"radio\" "
        "name=\"version\" value=\"1.1\" checked>SOAP 1.1</label><label class=\"tick\">"
        "<input type=\"radio\" name=\"version\" value=\"1.2\">SOAP 1.2</label></fieldset>\n"
        "<button type=\"reset\">Clear</button></div>\n</form>\n");
    write_templates();
    write_answer();
}

inline std::string operation_page_writer::write() {
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
    page.paragraph(served.info->doc, "lead");
    page.raw("<dl class=\"facts\">\n");
    page.fact("Address", facts.url);
    page.fact("Namespace", served.ns);
    page.raw("<dt>Description</dt><dd><a href=\"?wsdl\">WSDL 1.1</a></dd>\n");
    page.raw("<dt>Protocol</dt><dd>SOAP 1.1 and 1.2, document/literal</dd>\n</dl>\n");
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
        page.paragraph(served.info->doc);
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
// [S11] Host: the dispatcher behind HTTP and HTTPS
// ================================================================================================
// Uses S9 and, for compression and for platforms other than Linux, cpp-httplib. On Linux no
// connection holds a thread while it waits, in either direction: all workers wait on one
// edge-triggered epoll set; whoever is woken owns the connection until it would block, so a busy
// connection costs one epoll_wait, one read and one write per request and no other system call.
// HTTP is read by a pure state machine (RFC 9112) that refuses whatever two readers could take two
// ways. Rejected: a thread per connection (stock cpp-httplib; idle clients use up its pool), a loop
// thread that hands requests to workers (two context switches each), and giving cpp-httplib the
// bytes again after they were framed here: a second reader is a second interpretation.
// The surprise: the thread in serve() reads requests only when every worker is stuck in a handler;
// then it queues them, and answers 503 when the queue is full.

#ifndef SOAPSVC_NO_HOST

namespace soapsvc {

/// What a host can say about itself at one moment, for metrics.
struct host_statistics {
    std::size_t connections = 0;  ///< open
    std::size_t parked = 0;  ///< of these, waiting for bytes without a thread
    std::size_t queued = 0;  ///< complete requests waiting for a worker
    std::uint64_t accepted = 0;  ///< connections since the start
    std::uint64_t refused = 0;  ///< connections that could not be taken
};

namespace detail {

// --- Reading HTTP: bytes in, facts out -----------------------------------------------------------

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
    sequence<http_header> fields;

    void clear() noexcept {  // keeps its memory
        sequence<http_header> kept = std::move(fields);
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
        if (value.empty() || value.find_first_not_of("0123456789") != value.npos)
            return {400, "Content-Length is not a number"};
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
    state read(char* data, std::size_t& size, const http_bounds& bounds, http_head& head);

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
    bool find_head_end(const char* data, std::size_t size, const http_bounds& bounds);
    void begin_body(std::string_view text, const http_bounds& bounds, http_head& head);
    void read_chunks(char* data, std::size_t size, const http_bounds& bounds);
    void read_chunk_line(std::string_view line, const http_bounds& bounds);

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

/// Looks for the empty line. A line feed alone ends no line: a proxy in front might disagree.
inline bool http_reader::find_head_end(
    const char* data, std::size_t size, const http_bounds& bounds) {
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
            start_ = line_;  // RFC 9112, 2.2: one empty line before the request line is let through
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

inline void http_reader::begin_body(
    std::string_view text, const http_bounds& bounds, http_head& head) {
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

/// The line that begins a chunk, or a trailer line (RFC 9112, 7.1). Extensions and trailers are
/// checked for control characters and dropped.
inline void http_reader::read_chunk_line(std::string_view line, const http_bounds& bounds) {
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

/// Moves the chunks' data together, right behind the head.
inline void http_reader::read_chunks(char* data, std::size_t size, const http_bounds& bounds) {
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
        } else if (end == 0 || rest[end - 1] != '\r' || (chunk_ == chunk::data_end && end != 1)) {
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

inline http_reader::state http_reader::read(
    char* data, std::size_t& size, const http_bounds& bounds, http_head& head) {
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

// --- Content coding, by cpp-httplib's wrapper of zlib --------------------------------------------

/// Whether packed bytes end as the stream of `out` does: gzip in its size (RFC 1952, 2.3.1), zlib
/// in its checksum (RFC 1950, 2.2). cpp-httplib does not tell a stream that was cut off from a
/// whole one, and ignores what comes after its end.
inline bool is_whole_stream(std::string_view packed, std::string_view out) noexcept {
    const bool gzip = !packed.empty() && packed[0] == '\x1f';
    if (packed.size() < (gzip ? 18 : 6)) return false;  // less than head and tail
    const auto byte = [&](std::size_t from_end) {
        return static_cast<std::uint32_t>(
            static_cast<unsigned char>(packed[packed.size() - from_end]));
    };
    if (gzip)
        return (byte(1) << 24 | byte(2) << 16 | byte(3) << 8 | byte(4)) ==
               static_cast<std::uint32_t>(out.size());
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    for (std::size_t at = 0; at < out.size(); at += 5'552) {  // as long as 32 bits do not overflow
        for (const char c : out.substr(at, 5'552))
            high += low += static_cast<unsigned char>(c);
        low %= 65'521;
        high %= 65'521;
    }
    return (byte(4) << 24 | byte(3) << 16 | byte(2) << 8 | byte(1)) == (high << 16 | low);
}

/// Unpacks gzip and deflate. `most` bounds what comes out, checked as it grows.
inline http_refusal unpack_within(
    std::string_view coding, std::string_view body, std::size_t most, std::string& out) {
    out.clear();
    const bool known = equal_ignoring_case(coding, "gzip") ||
                       equal_ignoring_case(coding, "x-gzip") ||
                       equal_ignoring_case(coding, "deflate");
#ifdef CPPHTTPLIB_ZLIB_SUPPORT
    if (!known) return {415, "the Content-Encodings served here are gzip and deflate"};
    bool over = false;
    httplib::detail::gzip_decompressor unpacker;
    const bool good =
        unpacker.is_valid() &&
        unpacker.decompress(body.data(), body.size(), [&](const char* data, std::size_t size) {
            over = size > most - out.size();
            if (!over) out.append(data, size);
            return !over;
        });
    if (over) return {413, "the request body is too long once it is unpacked"};
    if (!good || !is_whole_stream(body, out))
        return {400, "the request body is not what its Content-Encoding says"};
    return {};
#else
    static_cast<void>(body);
    static_cast<void>(most);
    return {415, known ? "compressed requests are not served here" : "unknown Content-Encoding"};
#endif
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
#ifdef CPPHTTPLIB_ZLIB_SUPPORT
    httplib::detail::gzip_compressor packer;
    const bool good =
        packer.compress(body.data(), body.size(), true, [&](const char* data, std::size_t size) {
            out.append(data, size);
            return true;
        });
    return good && out.size() < body.size();
#else
    static_cast<void>(body);
    return false;
#endif
}

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
    out.append("\r\nContent-Length: ");
    append_number(out, length);
    for (const auto& [name, value] : reply.headers)
        if (is_token(name) && is_field_value(value))
            out.append("\r\n").append(name).append(": ").append(value);
    if (!keep_alive)
        out.append("\r\nConnection: close");
    else if (is_http10)
        out.append("\r\nConnection: keep-alive");
    out.append("\r\n\r\n");
}
#ifndef _WIN32

// --- What C libraries hand out -------------------------------------------------------------------

/// Owns an object of a C library. A std::unique_ptr would do, at ten times the instantiations.
template <class T, auto Free>
class handle {
public:
    explicit handle(T* at = nullptr) noexcept : at_(at) {}
    handle(handle&& other) noexcept : at_(std::exchange(other.at_, nullptr)) {}
    handle& operator=(handle&& other) noexcept {
        std::swap(at_, other.at_);
        return *this;
    }
    ~handle() {
        if (at_) Free(at_);
    }
    T* get() const noexcept { return at_; }

private:
    T* at_;
};

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
    char text[256] = "unknown error";
    if (const unsigned long error = ::ERR_get_error())
        ::ERR_error_string_n(error, text, sizeof text);
    ::ERR_clear_error();
    return text;
}
#endif
#if defined(__linux__) && !defined(SOAPSVC_STOCK_HOST)

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
    const handle<addrinfo, ::freeaddrinfo> owned(found);
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
    if (path.size() >= sizeof address.sun_path)
        throw std::runtime_error("cannot listen on " + path + ": the path is too long");
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

using tls_context = handle<SSL_CTX, ::SSL_CTX_free>;

[[noreturn]] inline void throw_tls(const std::string& what) {
    throw std::runtime_error(what + ": " + take_tls_error());
}

/// Reads certificate and key anew; throws std::runtime_error that names the file. Null without TLS.
inline tls_context make_tls_context(const host_options& options) {
    if (options.certificate_file.empty()) return tls_context();
    tls_context made(::SSL_CTX_new(::TLS_server_method()));
    SSL_CTX* raw = made.get();
    if (!raw) throw_tls("TLS cannot be set up");
    ::SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
    ::SSL_CTX_set_options(
        raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    ::SSL_CTX_set_mode(
        raw,
        SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (::SSL_CTX_use_certificate_chain_file(raw, options.certificate_file.c_str()) != 1)
        throw_tls("cannot use the certificate " + options.certificate_file);
    const std::string& key = options.key_file.empty() ? options.certificate_file : options.key_file;
    if (::SSL_CTX_use_PrivateKey_file(raw, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        ::SSL_CTX_check_private_key(raw) != 1)
        throw_tls("cannot use the private key " + key);
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
    const handle<X509, ::X509_free> shown(::SSL_get1_peer_certificate(tls));
    if (!shown.get() || ::SSL_get_verify_result(tls) != X509_V_OK) return {};
    const handle<BIO, ::BIO_free> out(::BIO_new(::BIO_s_mem()));
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

    /// The one that has most, to compare with, since it may end at any time; and how much.
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

    /// Generation in the upper half; below it one of these states, and whether the peer has hung
    /// up.
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

// --- The reactor ---------------------------------------------------------------------------------

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
    /// By whoever has a place.
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

/// Owns the sockets and the threads. See the opener of this section for how they share the work.
class reactor {
public:
    reactor(const dispatcher& services, const host_options& options);
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

    /// One that may be closed, if it still is what it was.
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
    void work(worker_mark& mark);
    wait_observer observe_waiting();
    void give_place();
    void take_event(const epoll_event& event, workbench& bench);
    void drive(connection& c, workbench& bench);
    template <class Step>
    outcome guarded(connection& c, workbench& bench, Step step);
    outcome give_up(connection& c, workbench& bench, std::string_view why);
    void turn_out(connection& c, std::string_view why);
    outcome hang_up(connection& c);
    outcome take_turn(connection& c, workbench& bench, bool sweeping);
    outcome step(connection& c, workbench& bench);
    outcome greet(connection& c);
    outcome fail_to_greet(connection& c, int why);
    void tell_handshake(const connection& c, std::string_view why) const;
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
    outcome refuse(connection& c, workbench& bench, http_refusal why);
    outcome transmit(connection& c, workbench& bench, std::string_view head, std::string_view body);
    outcome flush(connection& c, workbench& bench);
    outcome after_sending(connection& c);
    outcome drain(connection& c);
    outcome enqueue(connection& c, bool is_complete);
    outcome close(connection& c);
    http_request describe(connection& c, workbench& bench, const incoming& request) const;
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

    const dispatcher& services_;
    const host_options& options_;
    const http_bounds bounds_;
    std::size_t most_connections_ = 0;
    connection_table table_;
    share_table shares_;
    sequence<listener> listeners_;
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

inline reactor::reactor(const dispatcher& services, const host_options& options)
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
            mark.thread = std::thread([this, &mark] { work(mark); });
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
    if (!options_.on_notice || now - noticed_ < std::chrono::seconds(1)) return;
    noticed_ = now;
    options_.on_notice(what);
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
        if (!c.tls) {
            shares_.leave(*c.home);
            shares_.leave(*c.charged);
            throw std::bad_alloc();
        }
        ::SSL_set_fd(c.tls, fd.get());
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
    if (done == outcome::waits && !c.release()) drive(c, bench);
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
        drive(*c, bench);
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
inline void reactor::work(worker_mark& mark) {
    wait_observer observer = observe_waiting();
    this_worker = &observer;
    workbench bench(duty::serve);
    bool from_queue = false;
    while (!finished_.load(std::memory_order_relaxed)) {
        crew_.rest_if_too_many();
        mark.turns.fetch_add(1, std::memory_order_relaxed);
        const bool queued = queue_length_.load(std::memory_order_acquire) != 0;
        from_queue = queued && !from_queue;
        if (from_queue) {
            if (connection* c = next_queued()) drive(*c, bench);
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
    if (data <= finish_event) return;  // the loop of work() looks for itself
    connection* c = table_.find(static_cast<std::uint32_t>(data));
    const bool hang_up = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    if (c && c->claim(static_cast<std::uint32_t>(data >> 32), hang_up)) drive(*c, bench);
}

inline connection* reactor::next_queued() {
    const std::lock_guard lock(queue_mutex_);
    connection* const c = unqueue(queue_.take_first([](const connection&) { return true; }));
    if (!queue_.empty()) signal(queue_event_);  // one more worker may help
    return c;
}

/// Out of its turn: the first that has more to be read than was read in its last one.
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
            describe(c, bench, complete), 503, "too many calls are waiting already", bench.reply);
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

/// What the counters lose with one that was taken out, under the mutex; nullptr: none was.
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
inline void reactor::drive(connection& c, workbench& bench) {
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
    if (const outcome done = step(c, bench); done != outcome::waits) return done;
    const bool used_up = bench.left.is_used_up();
    const bool late = is_late(c);
    const bool open = c.out.empty() && c.now == connection::phase::open;
    const bool mid_request = open && c.begun && !c.begun->is_fresh();
    if (late && mid_request) return refuse(c, bench, {408, "the request did not arrive in time"});
    const bool may_stay = !stopping_ || !open || mid_request || (!sweeping && !used_up);
    if (!late && may_stay) return used_up ? enqueue(c, false) : outcome::waits;
    if (late && !c.greeted) tell_handshake(c, "it did not end in time");
    return hang_up(c);
}

inline reactor::outcome reactor::hang_up(connection& c) {
    if (c.tls && c.greeted) ::SSL_shutdown(c.tls);
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
        const auto last = c.replied + options_.reply_timeout;
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

template <class Step>
reactor::outcome reactor::guarded(connection& c, workbench& bench, Step step) {
    try {
        return step();
    } catch (const std::exception&) {  // out of memory: this connection cannot go on
        return give_up(c, bench, "the server is out of memory");
    }
}

/// Says so before it closes, unless a reply is on its way, and takes no memory for it.
inline reactor::outcome reactor::give_up(connection& c, workbench& bench, std::string_view why) {
    const bool may_answer = c.greeted && c.out.empty() && c.now == connection::phase::open;
    static constexpr std::string_view before = "503 Service Unavailable: ";
    std::array<char, 320> text{};
    const int size = std::snprintf(
        text.data(),
        text.size(),
        "HTTP/1.1 503 Service Unavailable\r\nDate: %s\r\nContent-Type: text/plain; charset=utf-8"
        "\r\nContent-Length: %zu\r\nRetry-After: 1\r\nConnection: close\r\n\r\n%s%.*s\n",
        http_date().data(),
        before.size() + why.size() + 1,
        before.data(),
        static_cast<int>(why.size()),
        why.data());
    http_request facts;
    facts.peer = c.peer;
    services_.report_refusal(report_kind::request, facts, may_answer ? 503 : 0, why);
    try {
        forget_request(c, bench);
        c.close_when_sent = true;
        const std::string_view answer(text.data(), static_cast<std::size_t>(size));
        if (may_answer && send(c, bench, answer, {}) == size) return after_sending(c);
    } catch (const std::exception&) {  // not even what reads the rest of the request
    }
    return close(c);
}

/// Ends a connection whose turn it is not, but which this thread owns: others need what it has.
inline void reactor::turn_out(connection& c, std::string_view why) {
    workbench bench(duty::collect);
    bench.left = turn_budget::of(bench.task);
    const auto turn = [&] { return give_up(c, bench, why); };
    if (guarded(c, bench, turn) == outcome::waits && !c.release()) drive(c, bench);
}

inline reactor::outcome reactor::step(connection& c, workbench& bench) {
    if (c.tls) lend_reads(c.tls, bench.left.reads);
    if (!c.greeted) {
        if (const outcome now = greet(c); now != outcome::waits || !c.greeted) return now;
    }
    if (!c.out.empty()) {
        if (const outcome now = flush(c, bench); now != outcome::waits || !c.out.empty())
            return now;
    }
    if (c.now == connection::phase::lingering) return drain(c);
    return read_requests(c, bench);
}

inline reactor::outcome reactor::greet(connection& c) {
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
    return goes_on ? outcome::waits : fail_to_greet(c, why);
}

/// Who comes and goes without a word, as those do who look whether a port is open, is not told of.
inline reactor::outcome reactor::fail_to_greet(connection& c, int why) {
    const unsigned long error = why == SSL_ERROR_SSL ? ::ERR_peek_error() : 0;
    const char* const reason = error != 0 ? ::ERR_reason_error_string(error) : nullptr;
    if (::BIO_number_read(::SSL_get_rbio(c.tls)) != 0)
        tell_handshake(c, reason ? reason : "the connection ended");
    ::ERR_clear_error();
    return close(c);
}

inline void reactor::tell_handshake(const connection& c, std::string_view why) const {
    http_request facts;
    facts.peer = c.peer;
    services_.report_refusal(report_kind::handshake, facts, 0, why);
}

/// While the request is still there.
inline void reactor::tell_refused(connection& c, workbench& bench, http_refusal why) const {
    if (!options_.on_call) return;
    http_request facts = describe(c, bench, c.begun ? *c.begun : bench.request());
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
        known ? share_key(services_.caller_of(describe(c, bench, request))) : c.home->key);
    share& before = *c.charged.exchange(&next);
    const std::size_t held = c.held.load(std::memory_order_relaxed);
    before.bytes -= held;
    next.bytes += held;
    shares_.leave(before);
}

/// Counts the memory of a connection; without touching what all threads share while there is none.
/// False: there is too much, and this connection is the one to give up its part.
inline bool reactor::account(connection& c, const incoming* request) {
    const std::size_t now =
        (request ? request->memory() : 0) + (c.out.empty() ? 0 : c.out.capacity());
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
inline http_request reactor::describe(connection& c, workbench& bench, const incoming& from) const {
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
    return request;
}

/// Answers a complete request. One behind it has been read, too, and therefore is answered even
/// when the host stops.
inline reactor::outcome reactor::answer(connection& c, workbench& bench, const incoming& complete) {
    const http_head& head = complete.head();
    http_request request = describe(c, bench, complete);
    http_refusal refusal;
    if (!head.content_encoding.empty() && !equal_ignoring_case(head.content_encoding, "identity")) {
        refusal =
            unpack(head.content_encoding, request.body, options_.limits.body_bytes, bench.unpacked);
        request.body = bench.unpacked;
    }
    if (refusal)
        services_.refuse(request, refusal.status, refusal.reason, bench.reply);
    else
        services_.handle(request, bench.reply);
    if (std::exchange(this_worker->put_off, false)) return await_room(c, bench, complete);
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
    http_request request = describe(c, bench, refused);
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

inline reactor::outcome reactor::flush(connection& c, workbench& bench) {
    while (c.sent != c.out.size() && bench.left.writes > 0) {
        const std::ptrdiff_t count = send(c, bench, std::string_view(c.out).substr(c.sent), {});
        if (count < 0) return close(c);
        if (count == 0) return outcome::waits;
        c.sent += static_cast<std::size_t>(count);
    }
    if (c.sent != c.out.size()) return outcome::waits;
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

#endif  // __linux__

}  // namespace detail

#if !defined(__linux__) || defined(SOAPSVC_STOCK_HOST)

namespace detail {

/// cpp-httplib's own loop, for platforms without epoll: a thread per open connection, so idle ones
/// use up its pool, and its weaknesses of HTTP are there. Put it behind a proxy that has neither.
class stock_reactor {
public:
    stock_reactor(const dispatcher& services, const host_options& options)
        : services_(services), server_(make_server(options)) {
        const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
            serve(request, response);
        };
        server_->Get(".*", answer).Post(".*", answer).Put(".*", answer).Patch(".*", answer);
        server_->Delete(".*", answer).Options(".*", answer);
        server_->set_error_handler([](const httplib::Request&, httplib::Response& response) {
            if (!response.has_header("Date")) response.set_header("Date", std::string(http_date()));
            if (!response.body.empty()) return;
            const std::string text = std::to_string(response.status) + ' ';
            response.set_content(
                text + std::string(reason_phrase(response.status)) + '\n',
                "text/plain; charset=utf-8");
        });
        server_->set_pre_routing_handler([](const httplib::Request& request, httplib::Response&) {
            // A part of an envelope is no envelope: cpp-httplib would cut the reply to the range.
            const_cast<httplib::Request&>(request).ranges.clear();
            return httplib::Server::HandlerResponse::Unhandled;
        });
        configure(options);
    }

    int bind(const std::string& address, int port) {
        errno = 0;
        int bound = port;
        if (port == 0)
            bound = server_->bind_to_any_port(address);
        else if (!server_->bind_to_port(address, port))
            bound = -1;
        address_ = address;
        if (bound >= 0) return bound;
        throw std::runtime_error(
            "cannot listen on " + address + ':' + std::to_string(port) + ": " +
            std::generic_category().message(errno));
    }

    void run() {
        running_ = true;
        if (!stopped_) server_->listen_after_bind();
        running_ = false;
    }

    /// cpp-httplib forgets a stop that comes before its loop has begun, so that is waited for.
    void stop() {
        stopped_ = true;
        while (running_ && !server_->is_running())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        server_->stop();
    }

private:
    static std::unique_ptr<httplib::Server> make_server(const host_options& options) {
        if (options.certificate_file.empty()) return std::make_unique<httplib::Server>();
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
        const std::string& certificate = options.certificate_file;
        const std::string& key = options.key_file.empty() ? certificate : options.key_file;
        const std::string& authorities = options.client_ca_file;
        auto made = std::make_unique<httplib::SSLServer>(
            certificate.c_str(), key.c_str(), authorities.empty() ? nullptr : authorities.c_str());
        if (!made->is_valid())
            throw std::runtime_error("cannot use the certificate " + certificate + " and its key");
        require_tls_1_2(*made);
        return made;
#else
        throw std::invalid_argument("soapsvc: this build of cpp-httplib has no TLS");
#endif
    }

#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
    /// A template, so that the branches that do not fit the present cpp-httplib are not looked at:
    /// it renamed ssl_context to tls_context.
    template <class Server>
    static void require_tls_1_2(Server& server) {
        SSL_CTX* context = nullptr;
        if constexpr (requires { server.ssl_context(); })
            context = server.ssl_context();
        else
            context = static_cast<SSL_CTX*>(server.tls_context());
        SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    }
#endif

    void configure(const host_options& options) {
        server_->set_payload_max_length(options.limits.body_bytes);
        server_->set_tcp_nodelay(options.tcp_nodelay);
        const std::size_t most = options.requests_per_connection;
        server_->set_keep_alive_max_count(most != 0 ? most : 1'000'000);
        server_->set_socket_options([](auto socket) {  // no SO_REUSEPORT: a port in use is an error
            const int on = 1;
            ::setsockopt(
                socket, SOL_SOCKET, SO_REUSEADDR, reinterpret_cast<const char*>(&on), sizeof on);
        });
        const std::size_t cores = std::thread::hardware_concurrency();
        const std::size_t threads =
            options.threads != 0 ? options.threads : std::max<std::size_t>(8, cores);
        server_->new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
    }

    void serve(const httplib::Request& request, httplib::Response& response) const {
        sequence<http_header> headers;
        for (const auto& [name, value] : request.headers)
            if (!is_made_up(name)) headers.push_back({name, value});
        const std::string local = request.local_addr + ':' + std::to_string(request.local_port);
        http_request facts;
        facts.method = request.method;
        facts.target = request.target;
        facts.headers = {headers.data(), headers.size()};
        facts.body = request.body;
        facts.peer = request.remote_addr;
        facts.scheme = services_.options().certificate_file.empty() ? "http" : "https";
        facts.local_authority = local;
        facts.listening_on = address_;
        http_reply reply;
        services_.handle(facts, reply);
        response.status = reply.status;
        for (const auto& [name, value] : reply.headers)
            response.set_header(name, value);
        response.set_header("Date", std::string(http_date()));
        response.set_content(std::move(reply.body), reply.content_type);
    }

    /// cpp-httplib adds fields of its own to those that came.
    static bool is_made_up(std::string_view name) {
        return name == "REMOTE_ADDR" || name == "REMOTE_PORT" || name == "LOCAL_ADDR" ||
               name == "LOCAL_PORT";
    }

    const dispatcher& services_;
    std::unique_ptr<httplib::Server> server_;
    std::string address_;  // that is listened on
    std::atomic<bool> running_{false}, stopped_{false};
};

}  // namespace detail

#endif  // stock loop

/// Serves a dispatcher's services over HTTP or HTTPS. On Linux any number of connections share a
/// few threads; elsewhere each open connection holds one.
class host {
public:
    /// Throws std::invalid_argument when `options` cannot work, std::runtime_error when a
    /// certificate or key cannot be used. Raises the soft limit of file descriptors to the hard one
    /// and ignores SIGPIPE, for the whole process.
    explicit host(host_options options)
        : services_(std::move(options)), server_(services_, services_.options()) {}
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

    /// Listens on a host name or numeric address; port 0 takes a free one. Returns the port. May be
    /// called several times. A listener for operators has the pages alone, and speaks TLS as all
    /// others do. Throws std::runtime_error that says in one line why it could not.
    int bind(const std::string& address, int port, audience who = audience::everyone) {
#if defined(__linux__) && !defined(SOAPSVC_STOCK_HOST)
        detail::descriptor fd = detail::listen_tcp(address, port, services_.options().backlog);
        const int bound = detail::local_address(fd.get()).port;
        server_.listen(std::move(fd), who);
        return bound;
#else
        if (who != audience::everyone)
            throw std::runtime_error("cannot listen for operators: on this platform all is one");
        return server_.bind(address, port);
#endif
    }

    /// Serves until `stop`; the calling thread accepts connections and keeps deadlines.
    void serve() { server_.run(); }

    /// bind and serve.
    void listen(const std::string& address, int port) {
        bind(address, port);
        serve();
    }

    /// Makes `serve` end: nothing new is accepted, requests that have begun are finished and
    /// answered with `Connection: close`, for `stop_timeout` at most; but a method that has been
    /// called is waited for until it returns. May come before `serve`, which then ends at once.
    /// From any thread, and on Linux in a signal handler. A host serves once.
    void stop() { server_.stop(); }

#if defined(__linux__) && !defined(SOAPSVC_STOCK_HOST)
    /// Listens on a Unix domain socket, for the usual place behind a proxy on the same machine. The
    /// file is left behind; the next start replaces it. Throws as `bind` does.
    void bind_unix(const std::string& path) {
        server_.listen(detail::listen_unix(path, services_.options().backlog), audience::everyone);
    }

    /// Reads certificate and key again; open connections keep the old ones. Throws as the
    /// constructor does, and then nothing has changed. From any thread.
    void reload_certificates() { server_.reload(); }

    /// Connections and queue at this moment, for metrics. From any thread.
    host_statistics statistics() const { return server_.statistics(); }
#endif

private:
    dispatcher services_;
#if defined(__linux__) && !defined(SOAPSVC_STOCK_HOST)
    detail::reactor server_;
#else
    detail::stock_reactor server_;
#endif
};

}  // namespace soapsvc

#endif  // SOAPSVC_NO_HOST

// ================================================================================================
// [S12] Client: typed calls over the same tables
// ================================================================================================
// Calls the operations of a service with the structs and the table that serve it: over HTTP or
// HTTPS, or straight into a dispatcher, so that a service is tested without a socket. Uses S3, S5
// to S9, and of S11 what unpacks a body. The surprise: unknown elements in a reply are skipped
// unless told otherwise, because the server may be newer than this program, while a server refuses
// them.

namespace soapsvc {

/// How a client calls. All have working defaults, but over HTTP `ns_base` must be the server's.
struct client_options {
    std::string ns_base{};  ///< beginning of the services' namespaces, as in host_options
    soap_version version = soap_version::v1_1;
    unknown_elements unknown = unknown_elements::ignore;
    soapsvc::limits limits{};  ///< on the reply
    /// On everything of a reply that is not its body: status line, fields, interim replies (1xx),
    /// chunk extensions and trailers together.
    std::size_t header_bytes = 65'536;
    std::chrono::milliseconds connect_timeout{10'000};  ///< for each address; for a TLS handshake
    /// Without a byte of the request being taken, or of the reply coming.
    std::chrono::milliseconds read_timeout{60'000};
    /// For the whole call, with connecting, whoever sends a byte now and then; 0: no bound.
    std::chrono::milliseconds call_timeout{120'000};
    bool accept_gzip = true;  ///< lets the server pack its replies, if cpp-httplib can unpack them
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
}  // namespace detail

/// The fault that another service answered a call with. All in it is that service's word, whoever
/// that may be, so it is no `fault`: a handler that calls others and lets this escape answers its
/// own caller with an incident, and the text stays in the log. To pass it on is a decision:
///
///     catch (const soapsvc::remote_fault& refused) { throw refused.as_fault(); }
class remote_fault : public std::exception {
public:
    explicit remote_fault(detail::told_fault told)
        : told_(std::make_shared<const detail::told_fault>(std::move(told))) {}

    fault_code code() const noexcept { return told_->code; }
    const std::string& reason() const noexcept { return told_->reason; }
    const std::string& subcode() const noexcept { return told_->subcode; }  ///< without its prefix
    int http_status() const noexcept { return told_->http_status; }  ///< of the reply

    /// A fault of this program's own, with that reason. About the request it stays a Client fault;
    /// all else, what was wrong with this program's message to the other included, is a Server
    /// fault. Status, subcode and detail belong to the other's contract and are left behind.
    fault as_fault() const {
        const bool client = code() == fault_code::client;
        return fault(client ? fault_code::client : fault_code::server, reason());
    }

    /// Who answered, and the beginning of the reason without control characters: for a log.
    const char* what() const noexcept override { return told_->what.c_str(); }

    const detail::told_fault& told() const noexcept { return *told_; }

private:
    std::shared_ptr<const detail::told_fault> told_;  // copies of an exception must not throw
};

/// Sends one request and gives the reply; throws transport_error. The request's target is the path.
using transport = std::function<http_reply(const http_request&)>;

namespace detail {

/// Throws std::invalid_argument for what would not stay in its place in a request. A line end in a
/// field would begin another field, or another request.
inline void check_options(const client_options& options) {
    const std::string_view ns = options.ns_base;
    if (ns.empty())
        throw std::invalid_argument(
            "soapsvc: client_options::ns_base is empty; set it to the server's");
    if (!is_field_value(ns) || ns.find_first_of("\"\\") != ns.npos || find_bad_char(ns) != ns.npos)
        throw std::invalid_argument("soapsvc: client_options::ns_base is no namespace");
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

/// A call without its types: what `client::call` hands on.
struct remote_call {
    const operation_info& operation;
    const void* request = nullptr;
    const void* header = nullptr;  ///< nullptr: none is sent
    void* result = nullptr;
    void* (*emplace_result)(void* result) = nullptr;
};

inline std::string write_request(
    const remote_call& call, std::string_view ns, soap_version version) {
    std::string text;
    writer out(text);
    out.raw(envelope_start(version));
    const bool v12 = version == soap_version::v1_2;
    if (call.header) {
        out.raw(v12 ? "<soap12:Header>" : "<soap:Header>");
        write_record_in(out, ns, call.operation.header(), call.header);
        out.raw(v12 ? "</soap12:Header>" : "</soap:Header>");
    }
    out.raw(body_start(version));
    record_info wrapper{call.operation.name, {}};
    if (call.operation.request)
        for (const field_info& field : call.operation.request().fields)
            wrapper.fields.push_back(field);
    write_record_in(out, ns, wrapper, call.request);
    out.raw(envelope_end(version));
    return text;
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

/// Fills the result from the response element: its one child OperationResult, and for lists the
/// items in that.
inline void read_result(const remote_call& call, node response, const decoder& reader) {
    const operation_info& operation = call.operation;
    const std::string name = result_name(operation);
    field_info item;
    item.type = operation.result;
    item.how = operation.result_how;
    item.emplace = call.emplace_result;
    record_info record;
    if (item.how == occurs::many) {
        item.name = type_name(operation.result);
        record.fields.push_back(item);
        if (const node list = child_named(response, name); list && !reader.is_nil(list))
            reader.read_record(list, record, call.result);
        return;
    }
    item.name = name;
    record.fields.push_back(item);
    reader.read_record(response, record, call.result);
}

/// Says that a reply is no SOAP envelope: a proxy's page, most of the time.
[[noreturn]] inline void refuse_reply(
    std::string_view where, const http_reply& reply, const std::string& why) {
    std::string text = std::string(where) + " answered HTTP " + std::to_string(reply.status);
    if (!reply.content_type.empty())
        text += " with " + quoted(std::string_view(reply.content_type));
    for (const auto& [name, value] : reply.headers)
        if (name == "Location") text += " pointing to " + quoted(std::string_view(value));
    throw transport_error(
        text + " without a SOAP envelope (" + why + ')', transport_failure::reply, reply.status);
}

/// What a reply holds. Header blocks that must be understood are not (SOAP 1.1, 4.2.3; SOAP 1.2
/// part 1, 2.4); an HTTP error with a result in it is no result.
inline void read_payload(
    const remote_call& call,
    const http_reply& reply,
    const envelope& message,
    std::string_view ns,
    const client_options& options,
    document_lease& lease) {
    read_blocks(message, options.limits.header_blocks, lease.blocks());
    check_understood(lease.blocks(), message.version, [](const header_block&) { return false; });
    const node payload = only_child(message.body);
    if (!payload.is(ns, response_name(call.operation)))
        throw fault(
            fault_code::client,
            "Body: " + quoted(payload.local()) + " in " + namespace_text(payload.ns()) +
                " is no answer to " + std::string(call.operation.name));
    if (reply.status < 200 || reply.status > 299)
        throw fault(fault_code::client, "HTTP " + std::to_string(reply.status) + " with a result");
    const decoder reader(payload, ns, options.unknown, message.version, false);
    if (call.operation.has_result) read_result(call, payload, reader);
}

/// A fault is the service's word only: what is wrong with a reply is a transport_error.
inline void read_reply(
    const remote_call& call,
    const http_reply& reply,
    std::string_view ns,
    const client_options& options,
    std::string_view where) {
    document_lease lease;
    envelope message;
    const media_type type = parse_media_type(reply.content_type);
    try {
        const node root = lease.get().parse(reply.body, type.charset, options.limits);
        soap_version version{};
        message = open_envelope(root, version);
    } catch (const std::exception& error) {
        refuse_reply(where, reply, error.what());
    }
    const node payload = message.body.first_child();
    if (payload && payload.is(namespace_of(message.version), "Fault")) {
        told_fault told = read_fault(payload);
        told.http_status = reply.status;
        told.what = std::string(where) + " answered with the fault " + quoted(told.reason, 500);
        told.reply = reply.body;
        told.charset = type.charset;
        told.ns = ns;
        told.limits = options.limits;
        told.unknown = options.unknown;
        throw remote_fault(std::move(told));
    }
    try {
        read_payload(call, reply, message, ns, options, lease);
    } catch (const fault& wrong) {
        throw transport_error(
            std::string(where) + " answered what cannot be read: " + wrong.reason(),
            transport_failure::reply,
            reply.status);
    }
}

inline void call_remote(
    const remote_call& call,
    const transport& send,
    std::string_view target,
    std::string_view where,
    std::string_view ns,
    const client_options& options) {
    const std::string body = write_request(call, ns, options.version);
    const std::string action = action_name(ns, call.operation);
    const bool v12 = options.version == soap_version::v1_2;
    const std::string quoted_action = '"' + action + '"';
    const std::string type = v12 ? "application/soap+xml; charset=utf-8; action=" + quoted_action
                                 : std::string("text/xml; charset=utf-8");
    sequence<http_header> headers;
    headers.push_back({"Content-Type", type});
    if (!v12) headers.push_back({"SOAPAction", quoted_action});
    for (const auto& [name, value] : options.headers)
        headers.push_back({name, value});
    http_request request;
    request.target = target;
    request.headers = {headers.data(), headers.size()};
    request.body = body;
    read_reply(call, send(request), ns, options, where);
}

/// The operation that a method serves, the first of several; nullptr when its table does not list
/// it.
template <class Service, class Method>
const operation_info* find_operation(Method method) {
    std::string_view name;
    schema<Service>.rows.for_each([&](const auto& row) {
        if constexpr (requires { row.method == method; })
            if (name.empty() && row.method == method) name = row.name;
    });
    for (const operation_info& operation : describe_service<Service>().operations)
        if (operation.name == name) return &operation;
    return nullptr;
}

/// What `client::call` takes and gives: as the method does. A stand-in where there is nothing of
/// the kind, so that the one error is check_call's.
template <class Method>
struct call_shape {
    using result = void;
    using request = nothing;
    using header = nothing;
    static constexpr std::size_t count = 0;
};
template <class Method>
requires(signature<Method>::fits) struct call_shape<Method> {
    using shape = signature<Method>;
    using result = typename method_of<Method>::result;
    using request = value_or_nothing<typename shape::request>;
    using header = value_or_nothing<typename shape::header_slot>;
    static constexpr std::size_t count = (std::is_void_v<typename shape::request> ? 0 : 1) +
                                         (std::is_void_v<typename shape::header> ? 0 : 1);
};
template <class Method>
using call_result = typename call_shape<Method>::result;
template <class Method>
using call_request = typename call_shape<Method>::request;
template <class Method>
using call_header = typename call_shape<Method>::header;

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
    } else if constexpr (!std::is_convertible_v<const Request&, call_request<Method>>) {
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

#if !defined(SOAPSVC_NO_HOST) && !defined(_WIN32)

// --- A caller's side of HTTP (RFC 9112) ----------------------------------------------------------
// A server is not to be trusted with memory or time: each byte that comes in is counted where the
// socket is read, and each wait ends at the call's deadline. Rejected: cpp-httplib's client, which
// reads lines without a bound, waits where nothing of ours is called, and has other hooks in every
// release; and libcurl, one more package for every program with this header, of which most only
// serve, and which takes names from a certificate's subject. The reader of S11 is driven by bytes
// as they come; whoever calls waits for them, so that lines can be asked for here.

/// A URL taken apart.
struct http_address {
    bool tls = false;
    std::string host;  // an IPv6 address without brackets
    std::string port;
    std::string authority;
    std::string target;  // path and query
};

/// Throws transport_error for what is no http or https URL with a host, or has a user or fragment.
inline http_address parse_address(std::string_view url) {
    const std::size_t scheme = std::min(url.find("://"), url.size());
    http_address to;
    to.tls = equal_ignoring_case(url.substr(0, scheme), "https");
    const bool known = to.tls || equal_ignoring_case(url.substr(0, scheme), "http");
    const std::string_view rest = url.substr(std::min(scheme + 3, url.size()));
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const std::string_view target = rest.substr(authority.size());
    const bool visible = all_fit(target, [](char c) { return c > ' ' && c < '\x7F' && c != '#'; });
    if (!known || !is_authority(authority) || !visible)
        throw transport_error(
            quoted(url) + " is no address that can be called", transport_failure::address);
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
inline handle<SSL_CTX, ::SSL_CTX_free> make_caller_context(const client_options& options) {
    const auto refuse = [](const std::string& what) {
        throw transport_error(what + ": " + take_tls_error(), transport_failure::address);
    };
    handle<SSL_CTX, ::SSL_CTX_free> made(::SSL_CTX_new(::TLS_client_method()));
    SSL_CTX* const raw = made.get();
    if (!raw) refuse("TLS cannot be set up");
    ::SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
    ::SSL_CTX_set_options(raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    ::SSL_CTX_set_verify(
        raw, options.verify_certificate ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    const char* const authorities = options.ca_file.c_str();
    if (options.ca_file.empty())
        ::SSL_CTX_set_default_verify_paths(raw);
    else if (::SSL_CTX_load_verify_locations(raw, authorities, nullptr) != 1)
        refuse("cannot use the authorities " + options.ca_file);
    if (options.certificate_file.empty()) return made;
    const std::string& key = options.key_file.empty() ? options.certificate_file : options.key_file;
    if (::SSL_CTX_use_certificate_chain_file(raw, options.certificate_file.c_str()) != 1)
        refuse("cannot use the certificate " + options.certificate_file);
    if (::SSL_CTX_use_PrivateKey_file(raw, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        ::SSL_CTX_check_private_key(raw) != 1)
        refuse("cannot use the private key " + key);
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
        if (to_.tls) context_ = make_caller_context(options_);
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
        tls_ = handle<SSL, ::SSL_free>();
        fd_.reset();
        greeting_ = false;
    }

    void send(std::string_view bytes) {
        if (!tls_.get()) return put(bytes);
        for (std::size_t sent = 0; !bytes.empty(); bytes.remove_prefix(sent)) {
            const std::size_t piece = std::min<std::size_t>(bytes.size(), 65'536);
            sent = 0;
            drive_tls([&] { return ::SSL_write_ex(tls_.get(), bytes.data(), piece, &sent); });
            if (sent == 0) refuse("ended the connection", transport_failure::lost);
        }
    }
    /// 0: the server has said that it sends no more.
    std::size_t receive(char* data, std::size_t size) {
        if (!tls_.get()) return take(data, size);
        std::size_t got = 0;
        drive_tls([&] { return ::SSL_read_ex(tls_.get(), data, size, &got); });
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
#ifdef MSG_NOSIGNAL
    static constexpr int no_signal = MSG_NOSIGNAL;  // an ended connection is an error, no SIGPIPE
#else
    static constexpr int no_signal = 0;
#endif

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
                std::string("cannot be reached: ") + ::gai_strerror(error),
                transport_failure::connect);
        const handle<addrinfo, ::freeaddrinfo> owned(found);
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
        const auto message = [](int error) { return std::generic_category().message(error); };
        fd_ = descriptor(::socket(at.ai_family, at.ai_socktype, at.ai_protocol));
        if (fd_.get() < 0) return message(errno);
        ::fcntl(fd_.get(), F_SETFD, FD_CLOEXEC);
        ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
        const int on = 1;
        ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
        if (::connect(fd_.get(), at.ai_addr, at.ai_addrlen) == 0) return {};
        if (errno != EINPROGRESS) return message(errno);
        if (!wait(POLLOUT, options_.connect_timeout)) return "no connection in time";
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        return error == 0 ? std::string() : message(error);
    }

    void greet() {
        const auto until = until_;
        until_ = std::min(until_, clock::now() + options_.connect_timeout);
        tls_ = handle<SSL, ::SSL_free>(::SSL_new(context_.get()));
        BIO* const in = ::BIO_new(::BIO_s_mem());
        BIO* const out = ::BIO_new(::BIO_s_mem());
        if (!tls_.get() || !in || !out) throw std::bad_alloc();
        ::SSL_set_bio(tls_.get(), in, out);  // which owns them from now on
        greeting_ = true;
        expect_host(tls_.get(), to_.host);
        drive_tls([&] { return ::SSL_connect(tls_.get()); });
        greeting_ = false;
        until_ = until;
    }

    /// Repeats a step of OpenSSL until it is done, and moves what it wants moved meanwhile. Done is
    /// a reading, too, when the server has said that it ends.
    template <class Step>
    void drive_tls(Step step) {
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
            if (got == 0) refuse("ended the connection", transport_failure::lost);
            ::BIO_write(::SSL_get_rbio(tls_.get()), bytes, static_cast<int>(got));
        }
    }
    [[noreturn]] void refuse_tls() const {
        const long verified = ::SSL_get_verify_result(tls_.get());
        if (options_.verify_certificate && verified != X509_V_OK)
            refuse(
                std::string("cannot be trusted: ") + ::X509_verify_cert_error_string(verified),
                transport_failure::tls);
        refuse("broke off TLS: " + take_tls_error(), transport_failure::lost);
    }

    /// Whether the socket is ready, within that time and the call's. No events: until then.
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
    handle<SSL_CTX, ::SSL_CTX_free> context_;
    descriptor fd_;
    handle<SSL, ::SSL_free> tls_;
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
            line[8] != ' ' || !all_fit(status, is_digit) || (line.size() > 12 && line[12] != ' '))
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
    /// Of the lines around a chunk only extensions count as header: of the rest there is no more
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
#ifdef CPPHTTPLIB_ZLIB_SUPPORT
        if (connection_.options().accept_gzip) head.append("\r\nAccept-Encoding: gzip");
#endif
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
#if !defined(SOAPSVC_NO_HOST) && !defined(_WIN32)
    /// For the service at `url`: scheme, authority, path and query. Throws std::invalid_argument
    /// when `options` hold what no request can; transport_error, transport_failure::address, when
    /// `url` cannot be called or a certificate's file cannot be used.
    client(const std::string& url, client_options options) : client(std::move(options), url, {}) {
        const detail::http_address to = detail::parse_address(url);
        path_ = to.target;
        send_ = detail::http_transport(to, options_);
    }
#endif

    /// For a service of `services`, at the path where it was added, without a socket.
    /// `options.ns_base` is taken from there. Throws std::invalid_argument when no service with
    /// this name was added.
    explicit client(const dispatcher& services, client_options options = {})
        : client(
              with_ns_base(std::move(options), services),
              "the dispatcher",
              std::string(services.path_of(schema<Service>.name))) {
        if (path_.empty())
            throw std::invalid_argument(
                "soapsvc: no service with this name was added to the dispatcher");
        send_ = [&services](const http_request& request) { return services.handle(request); };
    }

    /// Over a transport of your own: another HTTP library, a queue, a recording. Throws
    /// std::invalid_argument when `options` hold what no request can.
    client(transport send, client_options options)
        : client(std::move(options), "the transport", "/") {
        send_ = std::move(send);
    }

    /// Calls the operation that `method` serves, the first in the table if it serves several, with
    /// the method's own parameters but the context. They convert as they would in a call of the
    /// method: a braced list is a request, std::nullopt an optional header that is absent.
    /// Throws `remote_fault` when the service answers with a fault, and only then; transport_error
    /// when it does not answer, or with what cannot be read; std::invalid_argument when its table
    /// does not list the method.
    template <class Method>
    auto call(Method method) -> detail::call_result<Method> {
        if constexpr (detail::check_call<Method, 0>()) return perform(method, nullptr, nullptr);
    }
    template <class Method, class Request = detail::call_request<Method>>
    auto call(Method method, const Request& request) -> detail::call_result<Method> {
        if constexpr (detail::check_call<Method, 1, Request>()) {
            const detail::call_request<Method>& asked = request;
            return perform(method, &asked, nullptr);
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
            return perform(
                method, &asked, detail::member_item<detail::call_header<Method>>(&shown, 0));
        }
    }
    template <class Method, class Request, class Header, class... More>
    requires(sizeof...(More) > 0) auto call(Method, const Request&, const Header&, const More&...)
        -> detail::call_result<Method> {
        static_cast<void>(detail::check_call<Method, 2 + sizeof...(More)>());
    }

private:
    client(client_options options, std::string where, std::string path)
        : options_(std::move(options)), path_(std::move(path)), where_(std::move(where)) {
        detail::check_options(options_);
        ns_ = detail::one_slash(options_.ns_base, schema<Service>.name);
    }

    static client_options with_ns_base(client_options options, const dispatcher& services) {
        options.ns_base = services.options().ns_base;
        return options;
    }

    template <class Method>
    auto perform(Method method, const void* request, const void* header)
        -> detail::call_result<Method> {
        using result = detail::call_result<Method>;
        const detail::operation_info* operation = detail::find_operation<Service>(method);
        if (!operation)
            throw std::invalid_argument("soapsvc: the service's table does not list this method");
        detail::remote_call made{*operation};
        made.request = request;
        made.header = header;
        if constexpr (std::is_void_v<result>) {
            detail::call_remote(made, send_, path_, where_, ns_, options_);
        } else {
            result answer{};
            made.result = &answer;
            made.emplace_result = &detail::emplace_member<result>;
            detail::call_remote(made, send_, path_, where_, ns_, options_);
            return answer;
        }
    }

    client_options options_;
    std::string ns_;
    std::string path_;
    std::string where_;
    transport send_;
};

namespace detail {

/// Reads the detail entry with the record's name, if there is one, into `slot`.
inline void read_detail_entry(
    const told_fault& told, const record_info& record, void* (*emplace)(void* slot), void* slot) {
    document_lease lease;
    soap_version version{};
    const envelope message =
        open_envelope(lease.get().parse(told.reply, told.charset, told.limits), version);
    const node entry = detail_entry(message.body.first_child());
    if (!entry || !entry.is(told.ns, record.name)) return;
    try {
        decoder(entry, told.ns, told.unknown, version, false)
            .read_record(entry, record, emplace(slot));
    } catch (const fault& wrong) {
        throw transport_error(
            std::string(told.what) + " and a detail that cannot be read: " + wrong.reason(),
            transport_failure::reply,
            told.http_status);
    }
}

}  // namespace detail

/// The typed detail of a fault that a client threw: the record with the name of `Detail`'s table
/// in the service's namespace, read as the client's options say. nullopt when the fault carries
/// none of that name. Throws transport_error, transport_failure::reply, when it carries one that
/// is not what the table says.
template <class Detail>
std::optional<Detail> read_detail(const remote_fault& refused) {
    std::optional<Detail> read;
    detail::read_detail_entry(
        refused.told(),
        detail::describe_record<Detail>(),
        &detail::emplace_member<std::optional<Detail>>,
        &read);
    return read;
}

}  // namespace soapsvc

#endif  // SOAPSVC_HPP
