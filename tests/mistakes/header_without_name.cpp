// A header has no name: nothing says which element it is.
// expect: soapsvc: a header's table needs the name of its element; write record(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
    std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

struct Session {
    std::string token;
};
template <>
inline constexpr auto soapsvc::schema<Session> = record(field("Token", &Session::token, secret));

class Hello {
public:
    std::string greet(const Greet& request, const Session&) { return "Hello, " + request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
    Hello hello;
    soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
    dispatcher.add(hello);
}
