// A client's values for parameters cannot be copied.
// expect: soapsvc: a client copies the values for parameters(...); for a std::unique_ptr write a struct for the request
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Part {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Part> = record("Part", field("Id", &Part::id));
class Desk {
public:
  std::int32_t add(const std::unique_ptr<Part>& part, std::int32_t b) { return part->id + b; }
};
template <>
inline constexpr auto soapsvc::schema<Desk> =
    service("Desk", operation("Add", &Desk::add, parameters("Part", "b")));

int main() {
  Desk desk;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(desk);
  const std::unique_ptr<Part> part;
  soapsvc::client<Desk>(dispatcher).call(&Desk::add, part, 2);
}
