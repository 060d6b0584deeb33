// A server for clients that speak WS-Addressing: one service that takes it and one that demands it.
// What a client sent of it is in the reply: `Told` gives the header blocks as they came.
//
// With a folder of keys, as `make_keys` of tests/interop/run fills it, it serves two more by
// WS-Security: Tokens to one user, Signed to whom authority.pem vouches for and to pinned.pem.
#include <iostream>

#include "guarded.hpp"
#include "soapsvc.hpp"

namespace {

struct Text {
    std::string text;
};
struct Refusal {
    std::int32_t code{};
};

/// The names and the text of all header blocks of WS-Addressing.
std::string blocks_of(const soapsvc::context& context) {
    std::string names;
    for (const soapsvc::header_block& block : context.header_blocks)
        names.append(names.empty() ? "" : " ").append(block.local);
    return names;
}

template <bool Demands>
class Letters {
public:
    std::string say(const Text& request) { return request.text; }
    std::string told(const soapsvc::context& context) { return blocks_of(context); }
    void tell(const Text&) {}
    void fail(const Text& request) {
        throw soapsvc::fault(soapsvc::fault_code::client, request.text).with(Refusal{7});
    }
};
using Taken = Letters<false>;
using Demanded = Letters<true>;

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Text> = record(field("Text", &Text::text));
template <>
inline constexpr auto soapsvc::schema<Refusal> = record("Refusal", field("Code", &Refusal::code));
template <>
inline constexpr auto soapsvc::schema<Taken> = service(
    "Taken",
    in("urn:letters:taken"),
    addressing,
    operation("Say", &Taken::say),
    operation("Told", &Taken::told),
    operation("Tell", &Taken::tell, one_way),
    operation("Fail", &Taken::fail, fault_detail<Refusal>()));
template <>
inline constexpr auto soapsvc::schema<Demanded> = service(
    "Demanded",
    in("http://example.com/letters/demanded"),
    addressing_required,
    operation("Say", &Demanded::say),
    operation("Told", &Demanded::told),
    operation("Tell", &Demanded::tell, one_way),
    operation("Fail", &Demanded::fail, fault_detail<Refusal>()));

namespace {

/// Who may call the two services that are secured.
soapsvc::security_options security_of(const std::string& folder) {
    soapsvc::security_options made;
    made.check_password = [](auto user, auto password, const soapsvc::context&) {
        const bool known = user == guarded_user && password == guarded_word;
        return known ? std::optional<std::string>(user) : std::nullopt;
    };
    made.secret_of = [](auto user, const soapsvc::context&) {
        return user == guarded_user ? std::optional<std::string>(guarded_word) : std::nullopt;
    };
    made.text_without_tls = true;
    made.signatures.authorities_file = folder + "/authority.pem";
    made.signatures.certificates_file = folder + "/pinned.pem";
    made.identity = {folder + "/service.pem", folder + "/service.key"};
    return made;
}

}  // namespace

int main(int count, char** arguments) {
    Taken taken;
    Demanded demanded;
    Tokens tokens;
    Signed with_signature;
    soapsvc::host_options options{.ns_base = "urn:letters"};
    if (count > 1) options.security = security_of(arguments[1]);
    soapsvc::host host{std::move(options)};
    host.add(taken);
    host.add(demanded);
    if (count > 1) {
        host.add(tokens);
        host.add(with_signature);
    }
    std::cout << "listening on http://127.0.0.1:" << host.bind("127.0.0.1", 0) << std::endl;
    host.serve();
}
