// The list of all other header blocks is not the last.
// expect: soapsvc: std::vector<soapsvc::xml> must be the last type of header_blocks<...>; it takes the blocks that no other type takes
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Session {
  std::string token;
};
template <>
inline constexpr auto soapsvc::schema<Session> = record("Session", field("Token", &Session::token));

class Hello {
public:
  std::string greet(const soapsvc::header_blocks<std::vector<soapsvc::xml>, Session>&) {
    return {};
  }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
