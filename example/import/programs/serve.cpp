// [about]
// Serves what contract.hpp declares. Every operation returns a fault until you write its function.
// [end]
#include "soapsvc.hpp"

#include <cstdio>
#include <exception>

// [header]
#include "contract.hpp"
// [end]

namespace {

/// The fault of each operation that is not written yet.
[[noreturn]] void not_implemented(const char* operation) {
  throw soapsvc::fault(soapsvc::fault_code::server, std::string(operation) + " is not implemented");
}

}  // namespace

// [methods]
namespace contract {

std::string Greeter::greet(const Greet&) { ::not_implemented("Greet"); }

}  // namespace contract
// [end]

int main() {
  try {
    soapsvc::host host{{.ns_base = "http://localhost:8080"}};
    // [services]
    contract::Greeter greeter;
    host.add(greeter);
    // [end]
    host.bind({"127.0.0.1", 8080});
    std::puts("Serving, with help pages at http://localhost:8080/ :");
    // [addresses]
    std::puts("http://localhost:8080/greeter");
    // [end]
    std::fflush(stdout);
    host.serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
