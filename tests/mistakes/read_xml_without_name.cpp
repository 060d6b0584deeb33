// The table of a request has no name for its element.
// expect: soapsvc: the table of a header, a fault's detail, or a struct for read_xml and write_xml needs the name
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Greet {
  std::string name;
};
template <> inline constexpr auto soapsvc::schema<Greet> = record(field("Name", &Greet::name));

int main() { return soapsvc::xml("<Greet/>").as<Greet>().name.empty() ? 0 : 1; }
