// A call by the operation's name in place of its method.
// expect: soapsvc: a call is written call(&Service::method, request, header)
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));
struct Key {
  std::string domain;
};
template <>
inline constexpr auto soapsvc::schema<Key> = record("Key", field("Domain", &Key::domain));

class Hello {
public:
  std::string greet(const Greet& asked, const Key&) { return asked.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher services({.ns_base = "http://localhost"});
  services.add(hello);
  soapsvc::client<Hello> client(services);
  client.call("Greet", Greet{"Ada"}, Key{"acme"});
}
