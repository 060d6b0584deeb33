// A branch of a choice that streams.
// expect: soapsvc: the rows of a choice are elements, groups and wildcards
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

struct Row {
  std::int32_t id{};
};
template <> inline constexpr auto soapsvc::schema<Row> = record("Row", field("Id", &Row::id));

struct Either {
  std::optional<std::string> name;
  soapsvc::stream<Row> rows;
};
template <>
inline constexpr auto soapsvc::schema<Either> =
    choice(field("Name", &Either::name), field("Row", &Either::rows));

int main() {}
