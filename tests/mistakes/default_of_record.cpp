// A default value for a struct.
// expect: soapsvc: default_value and fixed are for attributes, and for fields of a simple
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
inline constexpr auto soapsvc::schema<Book> =
    record("Book", field("Author", &Book::author, default_value("x")));

int main() {}
