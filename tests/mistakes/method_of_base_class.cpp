// A method that the class inherits is the base's.
// expect: soapsvc:
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Common {
public:
  void ping() {}
};
class Hello : public Common {};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Ping", &Hello::ping));
void add(soapsvc::dispatcher& to, Hello& hello) { to.add(hello); }

int main() {}
