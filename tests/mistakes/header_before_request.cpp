// The request comes first.
// expect: soapsvc: a method takes first its request, then its header; here the table of the header
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Session {
  std::string id;
};
template <>
inline constexpr auto soapsvc::schema<Session> = record("Session", field("Id", &Session::id));
struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));
class Hello {
public:
  void greet(const Session&, const Greet&) {}
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {}
