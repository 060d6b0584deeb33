// A call with a header block that is only explicitly convertible.
// expect: soapsvc: the header of this call has the wrong type; pass the struct that the method
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

struct Session {
  std::string domain;
  explicit operator Key() const { return {domain}; }
};

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
  client.call(&Hello::greet, {"Ada"}, Session{"acme"});
}
