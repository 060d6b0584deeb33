// A header block is requested that the list does not have.
// expect: soapsvc: get<Block>() needs a header that header_blocks<...> lists
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Greet> = record("Greet", field("Name", &Greet::name));
struct Other {
  std::string name;
};

class Hello {
public:
  std::string greet(const soapsvc::header_blocks<Greet>& all) { return all.get<Other>().name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
