// std::vector<bool> has no elements with addresses.
// expect: soapsvc: the elements of a std::vector<bool> have no address; write
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::vector<bool> answers;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Answer", &Greet::answers));

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
