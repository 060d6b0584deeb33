// A struct inside another has a table without a name, so the schema has none for its type.
// expect: soapsvc: the table of this struct needs a name, because a field, a parameter or a result
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string first;
};
template <> inline constexpr auto soapsvc::schema<Person> = record(field("First", &Person::first));

struct Greet {
  Person person;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Person", &Greet::person));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.person.first; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
