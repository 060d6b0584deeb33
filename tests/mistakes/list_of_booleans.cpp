// A list holds booleans.
// expect: soapsvc: a soapsvc::list of booleans is soapsvc::list<soapsvc::boolean>
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
    soapsvc::list<bool> value;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(field("Value", &Greet::value));

class Hello {
public:
    std::string greet(const Greet&) { return "Hello"; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
    Hello hello;
    soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
    dispatcher.add(hello);
}
