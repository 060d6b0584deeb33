// The name comes first.
// expect: soapsvc: write operation(
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Hello {
public:
  void greet() {}
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation(&Hello::greet, "Greet"));

int main() {}
