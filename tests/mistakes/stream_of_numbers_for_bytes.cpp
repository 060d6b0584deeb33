// Bytes as a stream of small numbers.
// expect: soapsvc: for bytes write soapsvc::binary, which is base64Binary in XML; for a list of
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Files {
public:
  soapsvc::stream<std::uint8_t> put() { return {}; }
};
template <>
inline constexpr auto soapsvc::schema<Files> = service("Files", operation("Put", &Files::put));

int main() {
  Files files;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(files);
}
