// A service for each set of words that `secured(...)` takes, and what each answers to requests that
// do not bring what it demands: a fault of WS-Security, or, with `optionally`, the result.

#include <catch2/catch.hpp>

#include <array>
#include <utility>

#include "signing.hpp"

namespace {

namespace impl = soapsvc::detail;
using impl::security_part;

struct word {
    soapsvc::detail::security_option option;
    const char* name;
};
constexpr word words[] = {
    {soapsvc::password_text, "password_text"},
    {soapsvc::password_digest, "password_digest"},
    {soapsvc::timestamp, "timestamp"},
    {soapsvc::x509_signature, "x509_signature"},
    {soapsvc::signed_headers, "signed_headers"},
    {soapsvc::signed_replies, "signed_replies"},
    {soapsvc::confirmed_replies, "confirmed_replies"},
    {soapsvc::optionally, "optionally"}};
constexpr std::size_t word_count = std::size(words);
constexpr std::size_t set_count = std::size_t{1} << word_count;

/// A set of words has the bit of each, as soapsvc::detail::security_demands has.
constexpr bool has_word(std::size_t set, security_part word) {
    return (set & static_cast<std::size_t>(word)) != 0;
}
/// Whether `secured` takes the set.
constexpr bool is_valid(std::size_t set) {
    const bool is_signed = has_word(set, security_part::x509_signature);
    const bool headers = has_word(set, security_part::signed_headers);
    const bool replies = has_word(set, security_part::signed_replies);
    const bool confirmed = has_word(set, security_part::confirmed_replies);
    const bool demands = is_signed || has_word(set, security_part::password_text) ||
                         has_word(set, security_part::password_digest) ||
                         has_word(set, security_part::timestamp);
    return demands && (is_signed || !headers) && (is_signed || !replies) && (replies || !confirmed);
}
/// The word, if it is in the set; else another one that is: `secured` takes a word twice.
constexpr soapsvc::detail::security_option word_in(std::size_t set, std::size_t index) {
    while (!has_word(set, words[index].option.part))
        index = (index + 1) % word_count;
    return words[index].option;
}
template <std::size_t Set, std::size_t... Each>
constexpr auto secured_by(std::index_sequence<Each...>) {
    return soapsvc::secured(word_in(Set, Each)...);
}

/// What the tests need of a service, whatever its words are, so that they are compiled once.
struct door {
    door() = default;
    door(const door&) = delete;
    door& operator=(const door&) = delete;
    virtual ~door() = default;
    virtual void add_to(soapsvc::dispatcher& services) = 0;
    virtual std::string call(soapsvc::transport to, soapsvc::client_options options) const = 0;

    std::string open_for(const soapsvc::context& told) {
        ++opened;
        return '[' + std::string(told.user) + '|' + (told.signer.empty() ? "" : "signed") + ']';
    }
    int opened = 0;
};

template <std::size_t Set>
class Door final : public door {
public:
    std::string open(const soapsvc::context& told) { return open_for(told); }
    void add_to(soapsvc::dispatcher& services) override { services.add(*this); }
    std::string call(soapsvc::transport to, soapsvc::client_options options) const override {
        return soapsvc::client<Door>(std::move(to), std::move(options)).call(&Door::open);
    }
};

}  // namespace

template <std::size_t Set>
inline constexpr auto soapsvc::schema<Door<Set>> = service(
    "Door",
    secured_by<Set>(std::make_index_sequence<word_count>()),
    operation("Open", &Door<Set>::open));

namespace {

std::string describe(std::size_t set) {
    std::string made = "secured(";
    for (const word& each : words)
        if (has_word(set, each.option.part))
            made.append(made.back() == '(' ? "" : ", ").append(each.name);
    return made + ")";
}

using make_door = std::unique_ptr<door> (*)();

/// A host for one door, and what it noticed.
struct served {
    explicit served(make_door make) : door(make()) {
        soapsvc::host_options options;
        options.ns_base = "urn:test";
        options.base_path = "";
        options.security.check_password = [](auto user, auto, auto&) {
            return std::optional<std::string>(user);
        };
        options.security.secret_of = [](auto, auto&) { return std::optional<std::string>("word"); };
        options.security.signatures.certificates_file = signing::caller().certificate_file;
        options.security.identity.certificate_file = signing::caller().file;
        options.on_error = [this](const soapsvc::error_report& told) { incident = told.what; };
        services = std::make_unique<soapsvc::dispatcher>(std::move(options));
        door->add_to(*services);
    }
    soapsvc::http_reply send(const std::string& body, bool v12) const {
        const soapsvc::http_header fields[] = {
            {"Content-Type", v12 ? "application/soap+xml" : "text/xml"}};
        soapsvc::http_request request;
        request.target = "/Door.asmx";
        request.scheme = "https";
        request.headers = fields;
        request.body = body;
        return services->handle(request);
    }

    std::unique_ptr<::door> door;
    std::string incident;
    std::unique_ptr<soapsvc::dispatcher> services;
};

enum class outcome { nothing, block, two_blocks };  // what a Header has for this receiver

struct header {
    const char* name;
    outcome holds;
    std::string text;
};

std::vector<header> headers(bool v12) {
    const std::string role = v12 ? "role" : "actor";
    const std::string next = v12 ? "http://www.w3.org/2003/05/soap-envelope/role/next"
                                 : "http://schemas.xmlsoap.org/soap/actor/next";
    const std::string none = "http://www.w3.org/2003/05/soap-envelope/role/none";
    const auto block = [&](const std::string& attributes) {
        return "<o:Security xmlns:o='" + std::string(impl::wsse_ns) + "' " + attributes + "/>";
    };
    const std::string other = "<x xmlns='urn:x'>text</x>", must = "s:mustUnderstand='1'";
    std::vector<header> made{
        {"no Header", outcome::nothing, ""},
        {"an empty Header", outcome::nothing, "<s:Header/>"},
        {"another block", outcome::nothing, "<s:Header>" + other + "</s:Header>"},
        {"Security for another", outcome::nothing, block("s:" + role + "='urn:other'")},
        {"Security for another, to be understood",
         outcome::nothing,
         block(must + " s:" + role + "='urn:other'")},
        {"Security for none", outcome::nothing, block("s:" + role + "='" + none + "'")},
        {"empty Security", outcome::block, block("")},
        {"empty Security, to be understood", outcome::block, block(must)},
        {"empty Security for the next", outcome::block, block("s:" + role + "='" + next + "'")},
        {"Security for another and for us",
         outcome::block,
         block("s:" + role + "='urn:other'") + other + block("")},
        {"two Security blocks", outcome::two_blocks, block("") + block("")},
        {"two, one for the next",
         outcome::two_blocks,
         block("s:" + role + "='" + next + "'") + block(must)}};
    for (header& each : made)
        if (each.text.starts_with("<o:")) each.text = "<s:Header>" + each.text + "</s:Header>";
    return made;
}

/// A fault's WS-Security code, or what there is in its place.
std::string answer(const soapsvc::http_reply& reply, bool v12) {
    impl::xml_document document;
    soapsvc::soap_version version{};
    const impl::node root = document.parse(reply.body, "utf-8", {});
    const impl::envelope message = impl::open_envelope(root, version);
    if ((version == soapsvc::soap_version::v1_2) != v12) return "the other version";
    const impl::node payload = impl::only_child(message.body);
    if (reply.status == 200) return std::string(payload.first_child().text());
    impl::node code = payload.first_child();
    if (!payload.is(root.ns(), "Fault") || reply.status != (v12 ? 400 : 500)) return "no fault";
    if (v12) {
        if (code.first_child().text() != "soap12:Sender") return "no fault of the sender";
        code = code.first_child().next_sibling().first_child();
    }
    const std::string_view name = code.text();
    const std::size_t colon = name.find(':');
    if (colon == name.npos || code.namespace_of(name.substr(0, colon)) != impl::wsse_ns)
        return "another code: " + std::string(name);
    return std::string(name.substr(colon + 1));
}

/// What a request gets that does not bring what is demanded.
void check_unsecured(std::size_t set, make_door make) {
    const bool optional = has_word(set, security_part::optionally);
    served host(make);
    for (const bool v12 : {false, true})
        for (const header& each : headers(v12)) {
            INFO(describe(set) << ": " << each.name << (v12 ? ", 1.2" : ", 1.1"));
            const int before = host.door->opened;
            const std::string text =
                "<s:Envelope xmlns:s='" + std::string(v12 ? signing::soap12 : signing::soap11) +
                "'>" + each.text + "<s:Body><Open xmlns='urn:test/Door'/></s:Body></s:Envelope>";
            const soapsvc::http_reply reply = host.send(text, v12);
            const bool is_served = optional && each.holds == outcome::nothing;
            CHECK(answer(reply, v12) == (is_served ? "[|]" : "InvalidSecurity"));
            CHECK(host.door->opened == before + (is_served ? 1 : 0));
            CHECK(host.incident == "");
            // What replies bring along follows from the words as well.
            const auto said = [&](const char* part) {
                return reply.body.find(part) != reply.body.npos;
            };
            const bool is_signed = has_word(set, security_part::signed_replies);
            CHECK(said("<ds:SignatureValue>") == (!optional && is_signed));
            const bool is_stamped = has_word(set, security_part::timestamp);
            CHECK(said("<wsu:Timestamp") == (!optional && is_stamped));
            CHECK_FALSE(said("SignatureConfirmation"));
        }
}

/// So that the faults above are those of a service that can be called.
void check_secured(std::size_t set, make_door make) {
    const bool is_signed = has_word(set, security_part::x509_signature);
    const bool is_named = has_word(set, security_part::password_text) ||
                          has_word(set, security_part::password_digest);
    served host(make);
    for (const bool v12 : {false, true}) {
        INFO(describe(set) << (v12 ? ", 1.2" : ", 1.1"));
        soapsvc::client_options options;
        options.ns_base = "urn:test";
        options.version = v12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
        options.security.user = "alice";
        options.security.password = "word";
        options.security.identity.certificate_file = signing::caller().file;
        options.security.signatures.certificates_file = signing::caller().certificate_file;
        const auto to_host = [&](const soapsvc::http_request& request) {
            return host.send(std::string(request.body), v12);
        };
        const std::string expected =
            std::string("[") + (is_named ? "alice" : "") + '|' + (is_signed ? "signed" : "") + ']';
        CHECK(host.door->call(to_host, options) == expected);
    }
    CHECK(host.door->opened == 2);
}

template <std::size_t Set>
constexpr make_door door_of() {
    if constexpr (is_valid(Set))
        return [] { return std::unique_ptr<door>(std::make_unique<Door<Set>>()); };
    else
        return nullptr;
}
constexpr auto doors = []<std::size_t... Set>(std::index_sequence<Set...>) {
    return std::array<make_door, set_count>{door_of<Set>()...};
}
(std::make_index_sequence<set_count>());

}  // namespace

TEST_CASE(
    "a request without what a service demands gets a fault, by whatever words it is secured",
    "[secured_words]") {
    int sets = 0;
    for (std::size_t set = 0; set != set_count; ++set) {
        if (!doors[set]) continue;
        check_unsecured(set, doors[set]);
        ++sets;
    }
    CHECK(sets == 110);  // 7 x 2 without signatures, 8 x 2 x 3 x 2 with them
}

TEST_CASE("our client is served, by whatever words a service is secured", "[secured_words]") {
    for (std::size_t set = 0; set != set_count; ++set)
        if (doors[set]) check_secured(set, doors[set]);
}
