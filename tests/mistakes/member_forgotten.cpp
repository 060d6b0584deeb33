// A member was added to the struct and not to its table.
// expect: soapsvc: this table does not list every member; add a field for each
// expect: check_lists_every_member
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
  bool is_formal{};
  std::optional<std::string> title;
};
template <>
inline constexpr auto soapsvc::schema<Greet> =
    record(field("Name", &Greet::name), field("Formal", &Greet::is_formal));

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
