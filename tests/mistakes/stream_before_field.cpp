// A row after the stream.
// expect: soapsvc: a stream must be the last row of its record, because all other rows are read
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Upload {
  soapsvc::stream<std::byte> content;
  std::string name;
};
template <>
inline constexpr auto soapsvc::schema<Upload> =
    record(field("Content", &Upload::content), field("Name", &Upload::name));

class Files {
public:
  void put(const Upload&) {}
};
template <>
inline constexpr auto soapsvc::schema<Files> = service("Files", operation("Put", &Files::put));

int main() {
  Files files;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(files);
}
