// The table of another unit ends with its function.
// expect: deleted function
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = extern_schema<Greet>();
template <> soapsvc::table<Greet> soapsvc::define_schema<Greet>() {
  constexpr auto made = record(field("Name", &Greet::name));
  return made;
}

int main() {}
