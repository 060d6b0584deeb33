// occurs(...) on an element that occurs at most once.
// expect: soapsvc: occurs(...) is for a member that is a std::vector
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct List {
  std::optional<std::string> words;
};
template <>
inline constexpr auto soapsvc::schema<List> =
    record("List", field("Word", &List::words, occurs(0, 2)));

int main() {}
