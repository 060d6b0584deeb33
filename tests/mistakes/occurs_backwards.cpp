// The minimum is greater than the maximum.
// expect: soapsvc: in occurs(least, most), most must be at least 1 and not less than least
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct List {
  std::vector<std::string> words;
};
template <>
inline constexpr auto soapsvc::schema<List> =
    record("List", field("Word", &List::words, occurs(3, 2)));

int main() {}
