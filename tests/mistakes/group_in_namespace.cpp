// The rows of a group have their own namespaces.
// expect: soapsvc: ns(...) and unqualified are for rows with a name
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> = record("Person", field("Name", &Person::name));
struct Book {
  Person author;
};
template <>
inline constexpr auto soapsvc::schema<Book> = record("Book", group(&Book::author, ns("urn:x")));

int main() {}
