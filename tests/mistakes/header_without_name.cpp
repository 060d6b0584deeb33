// The table of a header block has no name for its element.
// expect: soapsvc: the table of a header, a fault's detail, or a struct for read_xml and write_xml needs the name
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
inline constexpr auto soapsvc::schema<Session> = record(field("Token", &Session::token, secret));

class Hello {
public:
  std::string greet(const Greet& request, const Session&) { return "Hello, " + request.name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
