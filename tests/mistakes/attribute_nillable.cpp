// An attribute may be absent, and is never nil.
// expect: soapsvc: an attribute, or the content of an element, is a simple type
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Book {
  soapsvc::nillable<std::string> author;
};
template <>
inline constexpr auto soapsvc::schema<Book> = record("Book", attribute("author", &Book::author));

int main() {}
