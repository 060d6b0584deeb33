// A stream that may be absent.
// expect: soapsvc: a stream is a member or a result by itself; it cannot be in a std::optional,
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

class Files {
public:
  std::optional<soapsvc::stream<std::byte>> put() { return {}; }
};
template <>
inline constexpr auto soapsvc::schema<Files> = service("Files", operation("Put", &Files::put));

int main() {
  Files files;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(files);
}
