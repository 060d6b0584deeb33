// A field has a namespace of items.
// expect: soapsvc: item_ns(...) is for wrapped_list and map
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Team {
  std::vector<std::string> words;
};
template <>
inline constexpr auto soapsvc::schema<Team> =
    record("Team", field("Words", &Team::words, soapsvc::item_ns("urn:items")));

class Desk {
public:
  void put(const Team&) {}
};
template <>
inline constexpr auto soapsvc::schema<Desk> = service("Desk", operation("Put", &Desk::put));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
}
