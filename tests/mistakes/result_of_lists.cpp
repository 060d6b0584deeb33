// A method returns several lists.
// expect: soapsvc: a result of many lists or unions has no name for each of them
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
    std::string value;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(field("Value", &Greet::value));

class Hello {
public:
    std::vector<soapsvc::list<std::int32_t>> greet(const Greet&) { return {}; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
    Hello hello;
    soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
    dispatcher.add(hello);
}
