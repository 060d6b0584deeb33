// An attribute cannot have the type of a record.
// expect: soapsvc: an attribute, or the content of an element, is a simple type
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
inline constexpr auto soapsvc::schema<Book> = record("Book", attribute("author", &Book::author));

int main() {}
