// The table of a nested struct stands below the table that uses it.
// expect: soapsvc: this struct has no table; write soapsvc::schema<...> = record(...) after it,
// lines: 48, since clang++ also tells of every name in the table that comes too late
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
struct Greet {
  Person person;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Person", &Greet::person));
template <>
inline constexpr auto soapsvc::schema<Person> = record("Person", field("Name", &Person::name));

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
