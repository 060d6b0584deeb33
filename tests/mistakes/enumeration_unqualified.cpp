// An option that enumerations do not have.
// expect: soapsvc: an enumeration's options are ns(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

enum class Unit { metre };
template <>
inline constexpr auto soapsvc::schema<Unit> =
    enumeration("Unit", unqualified, value("m", Unit::metre));

int main() {}
