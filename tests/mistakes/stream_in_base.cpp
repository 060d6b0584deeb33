// A struct with a stream as a base.
// expect: soapsvc: a struct with a stream must be the request of an operation, or a result whose
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Upload {
  soapsvc::stream<std::byte> content;
};
template <>
inline constexpr auto soapsvc::schema<Upload> =
    record("Upload", field("Content", &Upload::content));

struct Named : Upload {
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Named> =
    record("Named", extends<Upload>(), field("Name", &Named::name));

int main() {}
