// An attribute cannot repeat.
// expect: soapsvc: an attribute, or the content of an element, is a simple type
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Book {
  std::vector<std::string> authors;
};
template <>
inline constexpr auto soapsvc::schema<Book> = record("Book", attribute("author", &Book::authors));

int main() {}
