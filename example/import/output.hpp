// The files that an import writes: all of them, or none.
#ifndef IMPORT_OUTPUT_HPP
#define IMPORT_OUTPUT_HPP

#include <deque>
#include <string>

namespace importer {

/// A reader never sees an incomplete file: each text is first written to a file with another name.
/// When all texts are complete, the files get their names. A device, a pipe or a link is never
/// replaced by a file. If the program is interrupted, the earlier files are unchanged.
class Outputs {
public:
  Outputs();
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// `path` may be empty or "-", for standard output. Throws Failure.
  void add(const std::string& path, std::string text);
  /// Gives all files their names. Throws Failure.
  void finish();

private:
  struct File {
    std::string path;
    std::string text;  ///< written in place
    std::string unfinished;  ///< empty: written in place
  };
  std::deque<File> files_;
};

}  // namespace importer

#endif
