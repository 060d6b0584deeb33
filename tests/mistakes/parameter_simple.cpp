// A child of the request as parameter of the method.
// expect: soapsvc: request and header of a method, the detail of a fault, and the values of read_xml, write_xml and to_text, are structs with a table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Hello {
public:
  std::string greet(const std::string& name) { return "Hello, " + name; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
