// expect: soapsvc: an operation has the same name as the response element of another
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Door {
public:
  void open() {}
  void confirm() {}
};
template <>
inline constexpr auto soapsvc::schema<Door> =
    service("Door", operation("Open", &Door::open), operation("OpenResponse", &Door::confirm));

int main() {
  Door door;
  soapsvc::dispatcher services{{.ns_base = "http://localhost"}};
  services.add(door);
}
