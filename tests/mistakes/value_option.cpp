// A value has no option but doc.
// expect: soapsvc: the only option of a value is doc(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

enum class Size { small };
template <>
inline constexpr auto soapsvc::schema<Size> =
    enumeration("Size", value("small", Size::small, soapsvc::secret));

int main() {}
