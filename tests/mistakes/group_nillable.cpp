// A group is not an element, so it cannot be nil.
// expect: soapsvc: a group is a struct with a table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Person> = record("Person", field("Name", &Person::name));
struct Book {
  soapsvc::nillable<Person> author;
};
template <> inline constexpr auto soapsvc::schema<Book> = record("Book", group(&Book::author));

int main() {}
