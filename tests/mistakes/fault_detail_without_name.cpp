// The detail of a declared fault has a table without a name.
// expect: soapsvc: the table of a header, a fault's detail, or a struct for read_xml and write_xml needs the name
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
    service("Hello", operation("Greet", &Hello::greet, fault_detail<Greet>()));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
