// A method returns several lists.
// expect: soapsvc: in a result, the items of a std::vector of lists or unions have no element
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string value;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Value", &Greet::value));

class Hello {
public:
  std::vector<soapsvc::list<std::int32_t>> greet(const Greet&) { return {}; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
