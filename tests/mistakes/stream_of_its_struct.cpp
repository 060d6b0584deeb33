// A stream of the struct that contains it.
// expect: soapsvc: a stream is a field without default_if_absent
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Put {
  soapsvc::stream<Put> more;
};
template <> inline constexpr auto soapsvc::schema<Put> = record("Put", field("More", &Put::more));

int main() {}
