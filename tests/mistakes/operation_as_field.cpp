// A method in the table of a record.
// expect: soapsvc: a field is a data member; a method belongs into operation(...)
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
  std::string text() const { return "Hello, " + name; }
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name), field("Text", &Greet::text));

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
