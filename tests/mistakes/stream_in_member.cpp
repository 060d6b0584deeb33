// A struct with a stream as a member of another one.
// expect: soapsvc: a struct with a stream must be the request of an operation, or a result whose
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Upload {
  soapsvc::stream<std::byte> content;
};
template <>
inline constexpr auto soapsvc::schema<Upload> =
    record("Upload", field("Content", &Upload::content));

struct Put {
  Upload upload;
};
template <> inline constexpr auto soapsvc::schema<Put> = record(field("Upload", &Put::upload));

class Files {
public:
  void put(const Put&) {}
};
template <>
inline constexpr auto soapsvc::schema<Files> = service("Files", operation("Put", &Files::put));

int main() {
  Files files;
  soapsvc::dispatcher dispatcher({.ns_base = "http://localhost"});
  dispatcher.add(files);
}
