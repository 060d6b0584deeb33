// An option of fields among the rows of a service.
// expect: soapsvc: the options of a service are doc(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

class Hello {
public:
  std::string greet(const Greet& request) { return request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> =
    service("Hello", unqualified, operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
