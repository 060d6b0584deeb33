// A stream of booleans.
// expect: soapsvc: the elements of a std::vector<bool> have no address; write
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Files {
public:
  soapsvc::stream<bool> put() { return {}; }
};
template <>
inline constexpr auto soapsvc::schema<Files> = service("Files", operation("Put", &Files::put));

int main() {
  Files files;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(files);
}
