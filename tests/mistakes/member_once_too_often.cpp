// A member is listed under two names, and all others are listed too.
// expect: soapsvc: this table lists a member twice
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
  std::string title;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record(
    field("Name", &Greet::name), field("Title", &Greet::title), field("Alias", &Greet::name));

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
