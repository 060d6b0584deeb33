// Two attributes of one name.
// expect: soapsvc: two fields of this record have the same name
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Book {
  std::string author;
  std::string title;
};
template <>
inline constexpr auto soapsvc::schema<Book> =
    record("Book", attribute("a", &Book::author), attribute("a", &Book::title));

int main() {}
