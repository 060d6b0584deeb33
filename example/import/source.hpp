// Documents and positions in them. Only this part opens files.
#ifndef IMPORT_SOURCE_HPP
#define IMPORT_SOURCE_HPP

#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fetch.hpp"
#include "progress.hpp"
#include "reader.hpp"

namespace importer {

/// The first character of `text` if it changes the direction of text, so that an editor would show
/// other code than the compiler reads (CVE-2021-42574); else a character of length 0.
soapsvc::detail::decoded_char bidi_control(std::string_view text) noexcept;

/// A contract's text for display: control characters become spaces, and the middle of a very long
/// text is omitted.
std::string one_line(std::string_view text);

/// An error that ends an import, with its exit status. what() is one line: file, line, column,
/// the reason and what to do.
struct Failure : std::runtime_error {
  static constexpr int inexpressible = 1;
  static constexpr int unreadable = 3;
  Failure(int kind, const std::string& line) : std::runtime_error(one_line(line)), status(kind) {}
  int status;
};

/// The reason why a part of a contract cannot be used, and its position.
struct Problem {
  std::string where;
  std::string reason;
  bool is_broken = false;  ///< the contract's own mistake, not a limit of tables
};

/// An error in one component. It ends only the import of operations that need the component.
struct Broken : Failure {
  explicit Broken(Problem of)
      : Failure(unreadable, of.where + ": " + of.reason), problem(std::move(of)) {}
  Problem problem;
};

/// A name of XML Schema or WSDL; `ns` is empty for none.
struct QName {
  std::string ns;
  std::string local;
  // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that an order is compared with
  friend auto operator<=>(const QName&, const QName&) = default;
};
/// The name for messages: {namespace}local.
std::string shown(const QName& name);

/// One file or fetched document. Its nodes and places are valid as long as it lives.
class Document {
public:
  /// Reads `bytes`. Throws Failure with the position of the first error in the XML.
  Document(std::string name, std::string bytes);

  const std::string& name() const noexcept { return name_; }
  Node root() const noexcept { return root_; }
  /// "file:line:column" of an element's start tag.
  std::string where(Node at) const;

private:
  std::string position(std::size_t offset) const;

  std::string name_;
  std::string text_;  ///< in UTF-8; instructions and the document type are blanks
  Reader parsed_;
  Node root_;
  mutable std::vector<std::size_t> lines_;  ///< the start of each line, computed on demand
};

/// An element, and the document that it is in.
struct Place {
  const Document* in = nullptr;
  Node at{};
  std::string text() const { return in ? in->where(at) : std::string("built in"); }
  /// By the name of the document, built-in documents first, then by position.
  friend bool operator<(const Place& a, const Place& b) {
    if (a.in == b.in) return a.at.source().data() < b.at.source().data();
    return !a.in || (b.in && a.in->name() < b.in->name());
  }
};

/// Throws Broken for a component: a name that is not declared, a cycle.
[[noreturn]] void refuse(const Place& at, const std::string& reason);
/// Throws Failure to end the import: a document that is no contract, a limit.
[[noreturn]] void refuse_all(const Place& at, const std::string& reason);

/// All documents of an import. Contracts are untrusted: number and size are bounded, and only
/// regular files are opened. A fetched document leads only to documents on a network.
class Library {
public:
  /// Without a fetcher, only files are read. Both must outlive the library.
  explicit Library(Progress& progress, Fetcher* fetcher = nullptr)
      : progress_(progress), fetcher_(fetcher) {}

  static constexpr std::size_t most_files = 1'000;
  static constexpr std::size_t most_bytes = 256 * 1024 * 1024;

  /// Opens a document, a file or an address. Each is read only once.
  const Document& open(const std::string& name);
  /// The document at the location that the element names; nullptr if there is none. `why` then gets
  /// the reason, which follows the location in messages.
  const Document* find(const Place& asked_by, std::string_view location, std::string& why);
  /// The same for files only: nothing is fetched.
  const Document* find_here(const Place& asked_by, std::string_view location);
  /// Adds files, for imports and includes with their names.
  void give(const std::vector<std::string>& names);
  /// Adds an OASIS XML catalog, or a folder that mirrors addresses as FOLDER/host/path. The catalog
  /// of a folder is catalog.xml.
  void add_catalog(const std::string& path);
  /// Uses `bytes` as the content of the file at `path`, without opening it.
  void give(const std::string& path, std::string bytes);
  /// The document of a built-in text.
  const Document& built_in(const std::string& name, std::string_view text);

  std::size_t files() const noexcept { return documents_.size(); }
  std::size_t bytes() const noexcept { return bytes_; }

private:
  bool exists(const std::string& path) const;
  void read_catalog(const std::string& path, std::size_t depth);
  std::string catalogued(const std::string& address) const;
  std::string given_as(std::string_view location) const;
  const Document& open_file(const std::string& path, const Place& asked_by);
  const Document& fetch(const Url& from);
  const Document& keep(const std::string& key, const std::string& name, std::string bytes);

  Progress& progress_;
  Fetcher* fetcher_;
  std::vector<std::string> given_;
  std::vector<std::string> mirrors_;  ///< folders
  std::map<std::string, std::string> entries_;  ///< entries of catalogs, by address
  std::map<std::string, std::string> prefixes_;  ///< entries for all addresses with this beginning
  std::map<std::string, std::unique_ptr<Document>> documents_;
  std::map<std::string, const Document*> redirected_;  ///< by the requested address
  std::map<std::string, std::string> failed_;  ///< each address is tried only once
  std::size_t bytes_ = 0;
};

// --- Elements ------------------------------------------------------------------------------------

inline constexpr std::string_view xsd_ns = "http://www.w3.org/2001/XMLSchema";

/// The value of an attribute in no namespace, trimmed; empty if it is absent.
std::string_view attribute_of(Node at, std::string_view name) noexcept;
bool has_attribute(Node at, std::string_view name) noexcept;

/// The name that the text `said` at `at` refers to. A name without a prefix is in the default
/// namespace. Without a default namespace, it is in `unprefixed`.
QName name_of(const Place& at, std::string_view said, std::string_view unprefixed = {});

/// The end of an error message about a name that is declared in another namespace.
std::string declared_in(const std::string& ns);

/// A text with its white space collapsed.
std::string collapsed(std::string_view text);

/// The maximum size of one literal with all of its pieces, in bytes (clang's -Woverlength-strings).
inline constexpr std::size_t most_literal = 65'535;

/// Appends the text of an element and a space, without markup.
void append_text(Node at, std::string& to);
/// The text of documentation elements: collapsed, and cut to a literal's length.
std::string documentation_text(std::string_view text);

}  // namespace importer

#endif
