// The progress of a long import, shown on a terminal.
#ifndef IMPORT_PROGRESS_HPP
#define IMPORT_PROGRESS_HPP

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace importer {

/// Shows one line on standard error, if that is a terminal and the work takes more than a second.
/// The destructor erases the line, so print lasting messages after it.
class Progress {
public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the current work: "reading quotes.wsdl".
  void doing(const std::string& what);
  /// Shows the number of documents and bytes.
  void has_read(std::size_t documents, std::size_t bytes);

  /// Erases the line, if there is one. May be called in a signal handler.
  static void erase() noexcept;

private:
  void draw();

  // A separate thread, because long work may report nothing: a slow server, a large schema.
  std::mutex mutex_;
  std::condition_variable ends_;
  bool has_ended_ = false;
  std::string what_;
  std::size_t documents_ = 0;
  std::size_t bytes_ = 0;
  std::thread thread_;
};

}  // namespace importer

#endif
