// A row was copied and its name changed, but not its member.
// expect: soapsvc: this table lists a member twice
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
  std::string title;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name), field("Title", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
