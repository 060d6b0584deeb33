// A server for clients with WS-Addressing: one service that accepts it and one that requires it.
// The response has the client's header blocks: `Told` returns them unchanged.
//
// With a folder of keys it also serves the services of guarded.hpp.
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

template <bool Demands> class Letters {
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

template <> inline constexpr auto soapsvc::schema<Text> = record(field("Text", &Text::text));
template <>
inline constexpr auto soapsvc::schema<Refusal> = record("Refusal", field("Code", &Refusal::code));
template <>
inline constexpr auto soapsvc::schema<Taken> = service(
    "Taken",
    ns("urn:letters:taken"),
    addressing,
    operation("Say", &Taken::say),
    operation("Told", &Taken::told),
    operation("Tell", &Taken::tell, one_way),
    operation("Fail", &Taken::fail, fault_detail<Refusal>()));
template <>
inline constexpr auto soapsvc::schema<Demanded> = service(
    "Demanded",
    ns("http://example.com/letters/demanded"),
    addressing(required),
    operation("Say", &Demanded::say),
    operation("Told", &Demanded::told),
    operation("Tell", &Demanded::tell, one_way),
    operation("Fail", &Demanded::fail, fault_detail<Refusal>()));

int main(int count, char** arguments) {
  Taken taken;
  Demanded demanded;
  Tokens tokens;
  Signed with_signature;
  Both both;
  soapsvc::dispatcher_options options{.ns_base = "urn:letters"};
  if (count > 1) options.security = guarded_security(arguments[1]);
  soapsvc::host host{std::move(options)};
  host.add(taken);
  host.add(demanded);
  if (count > 1) {
    host.add(tokens);
    host.add(with_signature);
    host.add(both);
  }
  std::cout << "listening on http://127.0.0.1:" << host.bind({"127.0.0.1", 0}) << std::endl;
  host.serve();
}
