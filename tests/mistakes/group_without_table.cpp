// A group whose struct has no table.
// expect: soapsvc: this struct has no table
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Person {
  std::string name;
};
struct Book {
  Person author;
};
template <> inline constexpr auto soapsvc::schema<Book> = record("Book", group(&Book::author));

int main() {}
