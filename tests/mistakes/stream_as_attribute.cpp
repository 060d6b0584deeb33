// An attribute that streams.
// expect: soapsvc: a stream is a field without default_if_absent
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Put {
  soapsvc::stream<std::byte> content;
};
template <>
inline constexpr auto soapsvc::schema<Put> = record(attribute("Content", &Put::content));

int main() {}
