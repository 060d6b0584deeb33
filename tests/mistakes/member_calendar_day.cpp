// A member is a month of std::chrono.
// expect: soapsvc: of std::chrono, sys_time, year_month_day and durations of whole numbers have an XML form
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::chrono::year_month day;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Day", &Greet::day));

class Hello {
public:
  std::string greet(const Greet&) { return "Hello"; }
};
template <>
inline constexpr auto soapsvc::schema<Hello> = service("Hello", operation("Greet", &Hello::greet));

int main() {
  Hello hello;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(hello);
}
