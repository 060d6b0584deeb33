#include "report.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace importer {

std::string common_namespace(const std::vector<Interface>& interfaces) {
  if (interfaces.empty()) return {};
  const std::string& first = interfaces.front().ns;
  const bool same = std::all_of(interfaces.begin(), interfaces.end(), [&](const Interface& each) {
    return each.ns == first;
  });
  return same ? first : std::string();
}

static std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

void Report::note_broken() {
  for (const Problem& each : broken) {
    const bool is_needed = std::any_of(left_out.begin(), left_out.end(), [&](const LeftOut& one) {
      return one.why.where == each.where && one.why.reason == each.reason;
    });
    if (!is_needed)
      notes.push_back(
          each.where + ": " + each.reason +
          (left_out.empty() ? "; no imported operation needs it"
                            : "; no operation that can be imported needs it"));
  }
}

const Report::LeftOut* Report::broken_operation() const {
  const auto found = std::find_if(
      left_out.begin(), left_out.end(), [](const LeftOut& each) { return each.why.is_broken; });
  return found == left_out.end() ? nullptr : &*found;
}

std::string Report::text() const {
  std::string made;
  for (const std::string& each : notes)
    made += one_line(each + " (note)") + '\n';
  // A problem of many operations is printed once: usually a whole contract is rpc/encoded.
  std::map<std::string, std::size_t> alike;
  for (const LeftOut& each : left_out)
    ++alike[each.why.reason];
  for (const LeftOut& each : left_out) {
    const std::size_t count = std::exchange(alike[each.why.reason], 0);
    if (count == 0) continue;
    std::string who = "the operation " + each.operation;
    if (count > 1) who += " and " + std::to_string(count - 1) + " more";
    const std::string what = !is_written  ? " cannot be imported"
                             : count == 1 ? " is left out"
                                          : " are left out";
    made += one_line(each.why.where + ": " + who + what + ": " + each.why.reason) + '\n';
  }
  made += "read " + counted(files, "file") + ", " + counted(bytes, "byte") + "; ";
  if (is_written)
    made += "wrote " + counted(operations, "operation") + " and " + counted(types, "type") +
            (units ? " in " + counted(units, "unit") : std::string());
  else
    made += "wrote nothing";
  if (!left_out.empty())
    made += is_written   ? "; left out " + counted(left_out.size(), "operation")
            : operations ? "; --skip omits the operations that cannot be imported"
                         : ": no operation can be imported";
  else if (!is_written)
    made += ": the contract has no operation of SOAP";
  return made + '\n';
}

std::string Report::json() const {
  using Json = nlohmann::ordered_json;
  Json omitted = Json::array();
  for (const LeftOut& each : left_out)
    omitted.push_back(
        {{"operation", each.operation},
         {"where", each.why.where},
         {"reason", one_line(each.why.reason)}});
  Json noted = Json::array();
  for (const std::string& each : notes)
    noted.push_back(one_line(each));
  const Json made = {
      {"written", is_written},
      {"files", files},
      {"bytes", bytes},
      {"operations", operations},
      {"types", types},
      {"units", units},
      {"left_out", std::move(omitted)},
      {"notes", std::move(noted)}};
  // In ASCII, since a name may hold characters that reverse a terminal's text.
  return made.dump(2, ' ', true, Json::error_handler_t::replace) + '\n';
}

}  // namespace importer
