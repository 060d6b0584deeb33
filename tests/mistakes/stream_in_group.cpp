// A group with a stream.
// expect: soapsvc: a struct with a stream must be the request of an operation, or a result whose
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Upload {
  soapsvc::stream<std::byte> content;
};
template <>
inline constexpr auto soapsvc::schema<Upload> =
    record("Upload", field("Content", &Upload::content));

struct Put {
  Upload upload;
};
template <> inline constexpr auto soapsvc::schema<Put> = record(group(&Put::upload));

int main() {}
