// A wildcard whose type has an adapter with soapsvc::xml as its wire type.
// expect: soapsvc: a wildcard is a soapsvc::xml, or a std::optional or std::vector of it; a
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Dom {
  std::string text;
};
template <> struct soapsvc::adapter<Dom> {
  using wire = soapsvc::xml;
  static wire to_wire(const Dom&) { return {}; }
  static Dom from_wire(const wire&) { return {}; }
};

struct Note {
  std::vector<Dom> others;
};
template <>
inline constexpr auto soapsvc::schema<Note> = record("Note", any(&Note::others, ns("##other")));

int main() {}
