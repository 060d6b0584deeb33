// Two rows that stream.
// expect: soapsvc: a stream must be the last row of its record, because all other rows are read
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Row {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Row> = record("Row", field("Id", &Row::id));

struct Upload {
  soapsvc::stream<Row> rows;
  soapsvc::stream<Row> more;
};
template <>
inline constexpr auto soapsvc::schema<Upload> =
    record(field("Row", &Upload::rows), field("More", &Upload::more));

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
