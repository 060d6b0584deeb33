// A bound on the length of a stream of bytes.
// expect: soapsvc: a stream of bytes has no facets
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Put {
  soapsvc::stream<std::byte> content;
};
template <>
inline constexpr auto soapsvc::schema<Put> =
    record(field("Content", &Put::content, soapsvc::max_length(100)));

int main() {}
