// A table was copied, and its rows are still about the old struct.
// expect: soapsvc: the table of this type lists members of another type; list its own members
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> = record("Person", field("Name", &Person::name));

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Person::name));

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
