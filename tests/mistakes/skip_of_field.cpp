// The option skip on a field, but it belongs to wildcards.
// expect: soapsvc: skip is for any and any_attribute
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct List {
  std::optional<std::string> words;
};
template <>
inline constexpr auto soapsvc::schema<List> = record("List", field("Word", &List::words, skip));

int main() {}
