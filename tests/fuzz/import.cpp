// soapsvc-import (example/import): untrusted contracts. The input is a WSDL, named contract.wsdl.
// If its first line is `schema`, it is the content of a schema in a WSDL whose request has the type
// T. Lines `=== NAME` begin further documents, which may be imported and included.
//
// Promised: the result is either one line with the error and its position, or a header. Both are
// equal when the same input is read again with all allocations at other addresses. A contract has
// no difference from itself, and an input of a few kilobytes never needs more than 512 MB.
#include <malloc.h>

#include <algorithm>
#include <new>

#include "contract.hpp"
#include "difference.hpp"
#include "fuzz.hpp"
#include "report.hpp"
#include "writer.hpp"

namespace {

// --- Memory --------------------------------------------------------------------------------------

constexpr std::ptrdiff_t most_memory = 512 * 1024 * 1024;
std::ptrdiff_t in_use = 0;
bool is_counted = false;  // the fuzzer's own memory is not counted
bool is_shuffled = false;
std::uint32_t dice = 1;

std::ptrdiff_t usable(void* what) { return static_cast<std::ptrdiff_t>(malloc_usable_size(what)); }

/// A random one of several free places, so that the order of addresses is not that of allocations.
void* shuffled(std::size_t size) {
  void* chosen = std::malloc(size);
  for (int tries = 0; tries != 2; ++tries) {
    dice = dice * 1'664'525 + 1'013'904'223;
    void* other = std::malloc(size);
    if (dice >> 31 != 0) std::swap(chosen, other);
    std::free(other);
  }
  return chosen;
}

}  // namespace

// Not inlined; otherwise GCC reports new and free as a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* const made = is_shuffled ? shuffled(size) : std::malloc(size);
  if (!is_counted || !made) return made;
  in_use += usable(made);
  if (in_use > most_memory) fuzz::broken("a small contract takes little memory");
  return made;
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* const made = operator new(size, std::nothrow)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* what) noexcept {
  if (is_counted && what) in_use -= usable(what);
  std::free(what);
}
[[gnu::noinline]] void operator delete(void* what, std::size_t) noexcept { operator delete(what); }

namespace {

using fuzz::require;
using namespace importer;

// --- One import ----------------------------------------------------------------------------------

constexpr std::string_view folder = "no_such_folder/";

constexpr std::string_view before_schema =
    R"(<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"><types><xs:schema targetNamespace="urn:t"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
<xs:element name="Do" type="t:T"/><xs:element name="Done" type="t:T"/>
)";
constexpr std::string_view behind_schema = R"(</xs:schema></types>
<message name="In"><part name="p" element="t:Do"/></message>
<message name="Out"><part name="p" element="t:Done"/></message>
<portType name="P"><operation name="Do"><input message="t:In"/><output message="t:Out"/></operation>
</portType><binding name="B" type="t:P">
<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Do">
<input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
</binding><service name="S"><port name="P" binding="t:B"/></service></definitions>
)";

/// The documents of an input, under their names.
std::vector<std::pair<std::string, std::string>> documents_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  all.emplace_back(std::string(folder) + "contract.wsdl", "");
  const bool is_schema = text.starts_with("schema\n");
  if (is_schema) fuzz::take_line(text);
  while (!text.empty()) {
    if (text.starts_with("=== ")) {
      all.emplace_back(std::string(folder).append(fuzz::take_line(text).substr(4)), "");
      continue;
    }
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    all.back().second += text.substr(0, end);
    text.remove_prefix(end);
  }
  std::string& first = all.front().second;
  if (is_schema) first.insert(0, before_schema).append(behind_schema);
  return all;
}

/// All operations that tables can say, as --skip has it.
Selection select(Contract& from, Report& report) {
  Selection made;
  made.name_space = "contract";
  made.sources = "contract.wsdl";
  const Problems problems(from.tables);
  for (const Class& each : from.tables.classes) {
    std::vector<const Method*> methods;
    for (const Method& method : each.methods)
      if (const Problem* why = problems.of(method))
        report.left_out.push_back({method.operation->name, *why});
      else
        methods.push_back(&method);
    if (!methods.empty()) made.classes.emplace_back(&each, std::move(methods));
  }
  return made;
}

/// The result of an import.
struct Outcome {
  std::string failure;
  std::string header;
  std::string skeleton;
  std::string report;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome import(std::string_view text) {
  Outcome made;
  Progress silent;
  Library library(silent);
  try {
    for (auto& [name, bytes] : documents_of(text))
      library.give(name, std::move(bytes));
    Contract contract(library, {std::string(folder) + "contract.wsdl"});
    Report report;
    const Selection selection = select(contract, report);
    report.is_written = true;
    made.header = header_text(contract.tables, selection);
    made.skeleton = skeleton_text(selection, "contract.hpp");
    made.report = report.text() + report.json();
    const std::string changes = difference(contract.tables, contract.tables);
    require(changes.empty(), "a contract differs in nothing from itself", changes);
    for (const Report::LeftOut& each : report.left_out)
      require(!each.why.where.empty() && !each.why.reason.empty(), "a reason has a place");
  } catch (const Failure& failure) {
    made.failure = failure.what();
    require(failure.status == Failure::unreadable, "what is no contract has status 3");
  }
  return made;
}

// --- Promises ------------------------------------------------------------------------------------

bool is_line(std::string_view text) {
  return text.size() < 3'000 && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
         });
}

/// "file: reason" or "file:line:column: reason".
void check_failure(std::string_view line) {
  require(is_line(line), "a failure is one line", line);
  require(
      line.starts_with(folder) || line.starts_with("built in") || line.starts_with("http:"),
      "a failure says where",
      line);
  require(fuzz::contains(line, ": "), "a failure says why", line);
}

/// True if brackets match outside comments and literals: text of a contract is never code.
bool is_closed(std::string_view code) {
  std::string open;
  while (!code.empty()) {
    const char c = code.front();
    if (code.starts_with("//")) {
      fuzz::take_line(code);
      continue;
    }
    code.remove_prefix(1);
    if (c == '(' || c == '{') open += c;
    if (c == ')' || c == '}') {
      if (open.empty() || (open.back() == '(') != (c == ')')) return false;
      open.pop_back();
    }
    if (c != '"') continue;
    while (!code.empty() && code.front() != '"' && code.front() != '\n')
      code.remove_prefix(code.front() == '\\' && code.size() > 1 ? 2 : 1);
    if (code.empty() || code.front() == '\n') return false;
    code.remove_prefix(1);
  }
  return open.empty();
}

void check_header(const Outcome& made) {
  const std::string_view header = made.header;
  require(header.starts_with("// Structs"), "a header begins with its purpose", header);
  require(header.ends_with("\n#endif\n"), "a header ends", header);
  require(soapsvc::is_xml_text(header), "a header is text in UTF-8", header);
  require(is_closed(header), "brackets of a header match", header);
  require(is_closed(made.skeleton), "brackets of a program match", made.skeleton);
  std::string_view rest = made.report;
  while (!rest.empty())
    require(is_line(fuzz::take_line(rest)), "a report is of lines", made.report);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  in_use = 0;
  is_counted = true;
  {
    const Outcome first = import(text);
    is_shuffled = true;
    const Outcome again = import(text);
    is_shuffled = false;
    require(first == again, "the same whatever the addresses", first.header + again.header);
    if (first.failure.empty())
      check_header(first);
    else
      check_failure(first.failure);
  }
  is_counted = false;
  return 0;
}
