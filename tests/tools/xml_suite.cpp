// The results of the header for files: the compiled half of tests/tools/xml_suite. Reads lines
// `COMMAND PATH` and answers each with one line of JSON; xml_suite.py has the expected results.
//
// read PATH   The file through the reader alone: {"verdict", "sentence", "tree"}.
// post PATH   The file as the body of a request: {"status", "type", "response"}.
// embed PATH  The same, and the tree within the element {urn:foreign}x of the body.
#include <iostream>

#include "../support.hpp"

using namespace support;

namespace {

std::string json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// ["ns", "local", [["ns", "local", "value"]...], "text", stray, [children...]], attributes in
/// their order and declarations left out. Iterative, because some files are deep.
std::string tree(node top) {
  std::string out;
  const auto open = [&](node at) {
    out += "[" + json(at.ns()) + "," + json(at.local()) + ",[";
    bool first = true;
    for (const auto each : at.attributes()) {
      if (each.ns() == soapsvc::detail::xmlns_ns) continue;
      out.append(first ? "[" : ",[").append(json(each.ns())).append(",");
      out += json(each.local()) + "," + json(each.value()) + "]";
      first = false;
    }
    out += "]," + json(at.text()) + (at.has_stray_text() ? ",true,[" : ",false,[");
  };
  node at = top;
  open(at);
  for (;;) {
    if (at.first_child()) {
      at = at.first_child();
      open(at);
      continue;
    }
    out += "]]";
    while (at != top && !at.next_sibling()) {
      at = at.parent();
      out += "]]";
    }
    if (at == top) return out;
    at = at.next_sibling();
    out += ",";
    open(at);
  }
}

std::string verdict(soapsvc::detail::xml_error::reason why) {
  using reason = soapsvc::detail::xml_error::reason;
  switch (why) {
  case reason::malformed: return "malformed";
  case reason::unsupported_encoding: return "unsupported encoding";
  case reason::over_limit: return "over limit";
  case reason::too_large: return "too large";
  }
  return "";
}

std::string read(const std::string& bytes) {
  soapsvc::detail::xml_document document;
  try {
    const node root = document.parse(bytes, "", soapsvc::message_limits{});
    return "{\"verdict\":\"accepted\",\"tree\":" + tree(root) + "}";
  } catch (const soapsvc::detail::xml_error& error) {
    return "{\"verdict\":" + json(verdict(error.why)) + ",\"sentence\":" + json(error.what()) + "}";
  }
}

node foreign(node at) {
  while (at && !at.is("urn:foreign", "x")) {
    if (at.first_child()) {
      at = at.first_child();
      continue;
    }
    while (at && !at.next_sibling())
      at = at.parent();
    if (at) at = at.next_sibling();
  }
  return at;
}

std::string post(const world& service, const std::string& bytes, bool is_embedded) {
  const soapsvc::http_response response = service.post(bytes, {{"Content-Type", "text/xml"}});
  std::string out = "{\"status\":" + std::to_string(response.status) +
                    ",\"type\":" + json(response.content_type) +
                    ",\"response\":" + json(response.body);
  if (is_embedded && response.status == 200) {
    soapsvc::detail::xml_document document;
    const node found = foreign(document.parse(bytes, "", soapsvc::message_limits{}));
    out += ",\"tree\":" + (found && found.first_child() ? tree(found.first_child()) : "null");
  }
  return out + "}";
}

}  // namespace

int main() {
  const world service;
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t blank = line.find(' ');
    const std::string command = line.substr(0, blank);
    std::ifstream file(line.substr(blank + 1), std::ios::binary);
    if (!file) return 2;
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::cout << (command == "read" ? read(bytes) : post(service, bytes, command == "embed"))
              << '\n';
  }
  return std::cout.flush() ? 0 : 1;
}
