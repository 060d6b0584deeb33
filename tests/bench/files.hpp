// Files of the programs that are measured.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace bench {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) std::exit(1);
}

}  // namespace bench
