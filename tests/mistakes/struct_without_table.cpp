// The table of a nested struct was forgotten.
// expect: soapsvc: this struct has no table; write soapsvc::schema<...> = record(...) after it,
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string first;
  std::string last;
};

struct Greet {
  std::vector<Person> people;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Person", &Greet::people));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.people[0].first; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
