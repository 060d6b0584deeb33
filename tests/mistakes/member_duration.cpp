// A member is a duration of std::chrono.
// expect: soapsvc: std::chrono has no XML form; write soapsvc::date, date_time, duration or g_year
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
    std::chrono::seconds length;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(field("Length", &Greet::length));

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
