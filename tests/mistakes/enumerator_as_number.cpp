// An enumerator of another type.
// expect: soapsvc: write value(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

enum class Size { small, large };
template <> inline constexpr auto soapsvc::schema<Size> = enumeration("Size", value("small", 0));

int main() {}
