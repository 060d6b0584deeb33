// A list of header blocks, but a header block occurs once.
// expect: soapsvc: request and header of a method, the detail of a fault, and the values of read_xml, write_xml and to_text, are structs with a table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

struct Session {
  std::string token;
};
template <>
inline constexpr auto soapsvc::schema<Session> =
    record("Session", field("Token", &Session::token, secret));

class Hello {
public:
  std::string greet(const Greet& request, const std::vector<Session>&) { return request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
