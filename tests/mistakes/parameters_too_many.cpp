// Children of the request as parameters of the method.
// expect: soapsvc: a method's parameters are the request, the header and soapsvc::context, in
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
    std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
    std::string greet(const Greet& first, const Greet&, const Greet&) { return first.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
    Hello hello;
    soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
    dispatcher.add(hello);
}
