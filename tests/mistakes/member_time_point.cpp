// A member is a time point of a clock without dates.
// expect: soapsvc: of std::chrono, sys_time, year_month_day and durations of whole numbers have an XML form
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::chrono::steady_clock::time_point sent;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Sent", &Greet::sent));

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
