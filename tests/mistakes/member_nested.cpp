// A repeated element cannot be absent as a whole.
// expect: soapsvc: std::optional and std::vector do not nest; for an optional list write wrapped_list(...), else put the inner one
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::optional<std::vector<std::string>> names;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Names", &Greet::names));

class Hello {
public:
  std::string greet(const Greet& request) { return "Hello, " + request.names->front(); }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
