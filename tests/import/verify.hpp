// Sends messages of imported contracts through the library, in both directions, in one program. A
// client writes the request that a service has read, and the service writes the response that the
// client has read. Each step uses the public interface of the header.
#pragma once

#include "soapsvc.hpp"

// Code that changes structs doubles the time of compilation, so it is optional.
#if defined(VERIFY_VARY)
#include "vary.hpp"
#endif

#include <array>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace verify {

/// Every method calls it first. Throws the fault "... is not implemented" if nothing is forwarded.
void reached(const char* operation);

/// Acts as the other service: records the client's request, and returns the response of the current
/// message.
soapsvc::http_response other_service(const soapsvc::http_request& request);

/// The options of the client of the other service: the version of the current message, and no
/// unknown elements.
soapsvc::client_options options();

/// Throws the fault with a detail of this type, if it came with one.
template <class Detail> void rethrow(const soapsvc::remote_fault& refused) {
  if (const std::optional<Detail> detail = soapsvc::read_detail<Detail>(refused))
    throw refused.as_fault().with(*detail);
}

#if defined(VERIFY_VARY)

/// The argument of a method in a call by `vary_calls`, and its result.
template <class Result, class... Given> Result vary_second(const Given&... given) {
  std::tuple<Given...> all(given...);
  const auto handles = std::apply(
      [](auto&... each) {
        return std::array<vary::handle, sizeof...(each)>{vary::handle_of(each, each)...};
      },
      all);
  vary::arrived(handles);
  if constexpr (!std::is_void_v<Result>) return *static_cast<const Result*>(vary::answer());
}

/// Calls the other service, and then its own service repeatedly, with a changed request or
/// response.
template <class Service, class Result, class Method, class... Given>
Result vary_calls(soapsvc::client<Service>& other, Method method, const Given&... given) {
  soapsvc::client<Service> own(vary::to_itself, options());
  std::tuple<Given...> changed(given...);
  const auto call = [&](auto&... each) { return own.call(method, each...); };
  const auto sent = std::apply(
      [&](auto&... each) {
        return std::array<vary::handle, sizeof...(each)>{vary::handle_of(each, given)...};
      },
      changed);
  if constexpr (std::is_void_v<Result>) {
    other.call(method, given...);
    vary::try_all(sent, {}, [&](vary::walker&) { std::apply(call, changed); });
  } else {
    const Result answer = other.call(method, given...);
    Result another = answer;
    const vary::handle answered[] = {vary::handle_of(another, answer)};
    vary::try_all(sent, answered, [&](vary::walker& got) {
      Result back = std::apply(call, changed);
      vary::walk(got, back);
    });
    return answer;
  }
}

#endif

/// The body of each method of a service: calls the same operation of the other service and returns
/// its result. `Details` are the details of its faults.
template <class Service, class... Details, class Method, class... Given>
auto pass_on(const char* operation, Method method, const Given&... given) {
  reached(operation);
  soapsvc::client<Service> other(other_service, options());
#if defined(VERIFY_VARY)
  using result = decltype(other.call(method, given...));
  if (vary::is_second()) return vary_second<result>(given...);
#endif
  try {
#if defined(VERIFY_VARY)
    if (vary::is_begun()) return vary_calls<Service, result>(other, method, given...);
#endif
    return other.call(method, given...);
  } catch (const soapsvc::remote_fault& refused) {
    (rethrow<Details>(refused), ...);
    throw refused.as_fault();
  }
}

/// A service of the program, added by its type.
struct offered {
  std::string name;
  void (*to_dispatcher)(soapsvc::dispatcher& services);
  void (*to_host)(soapsvc::host& services);
};
template <class Service> offered offer() {
  static Service service;
  return {
      std::string(soapsvc::schema<Service>.name),
      [](soapsvc::dispatcher& services) { services.add(service); },
      [](soapsvc::host& services) { services.add(service); }};
}

/// A contract's services and the folder of its files.
struct contract {
  std::string folder;
  std::vector<offered> services;
};

/// The program:
///     describe    writes the WSDL of each service to FOLDER/served.N.wsdl
///     messages    passes the messages of FOLDER/in on and writes the responses to FOLDER/out
///     vary        the same, and structs that were changed then; it needs VERIFY_VARY. The list of
///                 them is in FOLDER/out/NAME.variants, their messages in FOLDER/out/NAME.N.*.xml
///     serve       obeys each line of standard input over HTTP, until that ends:
///                     contract FOLDER           serves this one, and says its port
///                     message NAME 1.1|1.2 fault|response    passes it on when it comes
///                     nothing                   answers "... is not implemented" again
int run(int count, char** arguments, const std::vector<contract>& contracts);

}  // namespace verify
