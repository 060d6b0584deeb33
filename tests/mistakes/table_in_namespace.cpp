// The table stands in the namespace of its struct.
// expect: namespace
// lines: 50, since g++ goes on with the table that it refused
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

namespace shop {

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

}  // namespace shop

class Hello {
public:
  std::string greet(const shop::Greet& request) { return "Hello, " + request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
