// Carries messages of imported contracts through the library, there and back, in one program: what a
// service reads of a request, a client writes again; what the client reads of the reply, the service
// writes again. Each step is the public interface of the header.
#pragma once

#include "soapsvc.hpp"

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace verify {

/// Told by every method before anything else. Throws the fault "... is not implemented" when nothing
/// is passed on.
void reached(const char* operation);

/// Answers for the other service: keeps the request as the client wrote it, and gives the reply of
/// the message that is under way.
soapsvc::http_reply other_service(const soapsvc::http_request& request);

/// What the client of the other service is made with: it is of the version of the message that is
/// under way, and takes nothing that its tables do not know.
soapsvc::client_options options();

/// Throws the fault with a detail of this type, if it came with one.
template <class Detail>
void rethrow(const soapsvc::remote_fault& refused) {
    if (const std::optional<Detail> detail = soapsvc::read_detail<Detail>(refused))
        throw refused.as_fault().with(*detail);
}

/// What each method of a service is: calls the same operation of the other service and answers as
/// that did. `Details` are those of its faults.
template <class Service, class... Details, class Method, class... Given>
auto pass_on(const char* operation, Method method, const Given&... given) {
    reached(operation);
    soapsvc::client<Service> other(other_service, options());
    try {
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
template <class Service>
offered offer() {
    static Service service;
    return {
        std::string(soapsvc::schema<Service>.name),
        [](soapsvc::dispatcher& services) { services.add(service); },
        [](soapsvc::host& services) { services.add(service); }};
}

/// A contract's services and the folder for its files.
struct contract {
    std::string folder;
    std::vector<offered> services;
};

/// The program:
///     describe    writes what each service says of itself to FOLDER/served.N.wsdl
///     messages    passes the messages of FOLDER/in on and writes what comes back to FOLDER/out
///     serve       does over HTTP what each line of standard input says, until that ends:
///                     contract FOLDER           serves this one, and says its port
///                     message NAME 1.1|1.2 fault|reply    passes it on when it comes
///                     nothing                   answers "... is not implemented" again
int run(int count, char** arguments, const std::vector<contract>& contracts);

}  // namespace verify
