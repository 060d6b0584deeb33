#include "soapsvc.hpp"

struct Greet {
    std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
    std::string greet(const Greet& request) { return "Hello, " + request.name + "!"; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> =
    service("Hello", operation("Greet", &Hello::greet, doc("Greets by name.")));

int main() try {
    Hello hello;
    soapsvc::host host{{.ns_base = "http://localhost:8080"}};
    host.add(hello);
    host.listen("127.0.0.1", 8080);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // such as: the port is taken
    return 1;
}
