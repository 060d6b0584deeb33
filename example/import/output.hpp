// The files that an import writes: all of them, or none.
#ifndef IMPORT_OUTPUT_HPP
#define IMPORT_OUTPUT_HPP

#include <deque>
#include <string>

namespace importer {

/// Nothing half written is ever seen: a text goes to a file of another name first, and takes its
/// own when all texts are there. What is no file, such as a device, a pipe or a link, is never
/// replaced by one. Whoever interrupts the program finds what was there before.
class Outputs {
public:
  Outputs();
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// `path` may be empty or "-", for standard output. Throws Failure.
  void add(const std::string& path, std::string text);
  /// Puts all in place. Throws Failure.
  void finish();

private:
  struct File {
    std::string path;
    std::string text;  ///< of what is written in place
    std::string unfinished;  ///< empty for what is written in place
  };
  std::deque<File> files_;
};

}  // namespace importer

#endif
