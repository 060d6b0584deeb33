// The progress of a long import, shown on a terminal.
#ifndef IMPORT_PROGRESS_HPP
#define IMPORT_PROGRESS_HPP

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace importer {

/// One line on standard error, if that is a terminal and there is more than a second of work. It is
/// gone when this is: so all that is told for good is told afterwards.
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

  /// Wipes the line, if there is one. Can be called in a signal handler.
  static void erase() noexcept;

private:
  void draw();

  // A thread of its own, since long work may be silent: a server, a large schema.
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
