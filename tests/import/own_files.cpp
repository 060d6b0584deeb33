// Reads pairs of lines, a contract and its service's WSDL, and prints the error of `serve_wsdl` for
// the contract.
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal(const std::string& file, const std::string& made) {
  namespace detail = soapsvc::detail;
  detail::xml_document reader, other_reader;
  detail::listed_operations here(reader.parse(file, "utf-8", {}));
  detail::listed_operations there(other_reader.parse(made, "utf-8", {}));
  return here.missing_in(there) + there.missing_in(here) + here.difference_to(there);
}

}  // namespace

int main() {
  std::string contract, served;
  while (std::getline(std::cin, contract) && std::getline(std::cin, served)) {
    const std::string what = refusal(read_file(contract), read_file(served));
    if (!what.empty()) std::cout << contract << '\t' << what << '\n';
  }
}
