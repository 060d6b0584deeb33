// Documents as they were read, and where in them something stands: the one place that opens files.
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

/// The character that `text` begins with if it changes the direction of text, so that an editor shows
/// other code than a compiler reads (CVE-2021-42574); of length 0 if it does not.
soapsvc::detail::decoded_char bidi_control(std::string_view text) noexcept;

/// A text from a contract as people can be shown it: control characters are spaces, and of a very
/// long one the middle is left out.
std::string one_line(std::string_view text);

/// An error that ends an import, with its exit status. what() is one line: file, line, column,
/// the reason and what to do.
struct Failure : std::runtime_error {
  static constexpr int inexpressible = 1;
  static constexpr int unreadable = 3;
  Failure(int kind, const std::string& line) : std::runtime_error(one_line(line)), status(kind) {}
  int status;
};

/// Why a part of a contract cannot be used, and where that stands.
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
/// As it is shown to people: {namespace}local.
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
  mutable std::vector<std::size_t> lines_;  ///< where each begins, once somebody asks
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

/// All documents of an import. Contracts come from strangers: number and size are bounded, and only
/// regular files are opened. A fetched document leads only to documents on a network.
class Library {
public:
  /// Without a fetcher nothing is read but files. Both must outlive the library.
  explicit Library(Progress& progress, Fetcher* fetcher = nullptr)
      : progress_(progress), fetcher_(fetcher) {}

  static constexpr std::size_t most_files = 1'000;
  static constexpr std::size_t most_bytes = 256 * 1024 * 1024;

  /// The document that somebody asks for, a file or an address, read once however often.
  const Document& open(const std::string& name);
  /// The document at a location, as it stands in the element that asks for it; nullptr when there
  /// is none, with the reason, which stands behind the location.
  const Document* find(const Place& asked_by, std::string_view location, std::string& why);
  /// The same of files alone: nothing is fetched.
  const Document* find_here(const Place& asked_by, std::string_view location);
  /// Takes files for imports and includes of their names.
  void give(const std::vector<std::string>& names);
  /// Takes a folder that mirrors addresses as FOLDER/host/path, or an OASIS XML catalog. The catalog of
  /// a folder is catalog.xml.
  void add_catalog(const std::string& path);
  /// Takes `bytes` as the content of the file at `path`, which is not opened then.
  void give(const std::string& path, std::string bytes);
  /// The document of a text that is built in.
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
  std::map<std::string, std::string> entries_;  ///< of catalogs, by the address
  std::map<std::string, std::string> prefixes_;  ///< the same of all addresses that begin so
  std::map<std::string, std::unique_ptr<Document>> documents_;
  std::map<std::string, const Document*> redirected_;  ///< by the address that was asked for
  std::map<std::string, std::string> failed_;  ///< asked for once, whatever the reason
  std::size_t bytes_ = 0;
};

// --- Elements ------------------------------------------------------------------------------------

inline constexpr std::string_view xsd_ns = "http://www.w3.org/2001/XMLSchema";

/// An attribute in no namespace, without the spaces around it; empty when it is absent.
std::string_view attribute_of(Node at, std::string_view name) noexcept;
bool has_attribute(Node at, std::string_view name) noexcept;

/// The name that the text `said` at `at` refers to. A name without a prefix is in the default namespace.
/// Without a default namespace, it is in `unprefixed`.
QName name_of(const Place& at, std::string_view said, std::string_view unprefixed = {});

/// The end of an error message about a name that is declared in another namespace.
std::string declared_in(const std::string& ns);

/// A text with its white space collapsed.
std::string collapsed(std::string_view text);

/// The most bytes of one literal with all of its pieces (clang's -Woverlength-strings).
inline constexpr std::size_t most_literal = 65'535;

/// Appends the text of an element and a space. Markup in the element counts for its text alone.
void append_text(Node at, std::string& to);
/// The text of documentation elements: collapsed, and cut to a literal's length.
std::string documentation_text(std::string_view text);

}  // namespace importer

#endif
