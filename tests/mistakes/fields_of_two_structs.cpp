// A row names a member of another struct.
// expect: soapsvc: all fields of a record are members of one and the same struct
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string first;
};
template <>
inline constexpr auto soapsvc::schema<Person> = record("Person", field("First", &Person::first));

struct Greet {
  std::string name;
  std::string title;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name), field("Title", &Person::first));

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
