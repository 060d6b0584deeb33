// An adapter for a std::vector. A field takes its items one by one.
// expect: soapsvc: an adapter is for one value; write it for the type in the std::optional or std::vector
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

template <> struct soapsvc::adapter<std::vector<float>> {
  using wire = std::string;
  static wire to_wire(const std::vector<float>& all) { return std::to_string(all.size()); }
  static std::vector<float> from_wire(const wire&) { return {}; }
};
struct Bill {
  std::vector<float> rates;
};
template <>
inline constexpr auto soapsvc::schema<Bill> = record("Bill", field("Rates", &Bill::rates));

class Desk {
public:
  void put(const Bill&) {}
};
template <>
inline constexpr auto soapsvc::schema<Desk> = service("Desk", operation("Put", &Desk::put));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
