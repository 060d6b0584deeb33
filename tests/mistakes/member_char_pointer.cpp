// A member is a pointer to characters, which has no owner.
// expect: soapsvc: this type has no XML form; write a soapsvc::adapter<T> for it
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  const char* name = "";
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
