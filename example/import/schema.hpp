// The components of XML Schema in a contract, after resolution: names are pointers, and groups and
// attribute groups are replaced by their content (XML Schema part 1, 2.2).
#ifndef IMPORT_SCHEMA_HPP
#define IMPORT_SCHEMA_HPP

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "source.hpp"

namespace importer {

struct Type;

inline constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

/// The substitutions and derivations that block= or blockDefault= forbids (XML Schema part 1, 3.3.2
/// and 3.4.2).
struct Blocks {
  bool substitution = false;
  bool extension = false;
  bool restriction = false;
};

/// An element declaration.
struct Element {
  QName name;
  Place at;
  std::string doc;
  const Type* type = nullptr;
  bool is_global = false;
  bool is_abstract = false;
  bool is_nillable = false;
  std::optional<std::string> preset;
  std::optional<std::string> fixed;
  const Element* head = nullptr;  ///< the element that it may replace
  bool has_type_of_head = false;  ///< it has no type of its own
  Blocks blocks;
  std::optional<Problem> problem{};
};

/// An attribute of a type.
struct Attribute {
  QName name;
  Place at;
  std::string doc;
  const Type* type = nullptr;
  bool is_required = false;
  bool is_prohibited = false;
  std::optional<std::string> preset;
  std::optional<std::string> fixed;
};

/// The namespaces that a wildcard allows.
struct Wildcard {
  std::string namespaces;
  std::string target;  ///< the namespace of its schema
  bool is_skipped = false;  ///< processContents
  bool is_empty = false;  ///< it allows nothing
};

/// A part of a content model.
struct Particle {
  enum class Kind { element, sequence, choice, all, any };
  Kind kind = Kind::sequence;
  Place at{};
  std::string doc{};
  std::uint64_t least = 1;
  std::uint64_t most = 1;
  const Element* element = nullptr;  ///< for the choice of a substitution group: the head
  bool is_exact = false;  ///< no other element may replace it
  Wildcard wildcard{};
  std::vector<Particle> children{};
};

struct Facet {
  std::string name;  ///< "maxLength"
  std::string value;
  std::string doc;  ///< of an enumeration's value
  Place at;
};

/// A type definition. `kind` and `variety` decide which members are used.
struct Type {
  enum class Kind { built_in, simple, complex };
  enum class Variety { atomic, list, of_union };

  Kind kind = Kind::built_in;
  QName name;  ///< local is empty: anonymous
  Place at;
  std::string doc;
  const Type* base = nullptr;
  /// For an anonymous type: the name of its element or attribute ...
  std::string label;
  const Type* inside = nullptr;  ///< ... in this type; of a global one: nullptr
  std::string label_ns;

  // Simple types.
  Variety variety = Variety::atomic;
  std::vector<Facet> facets;  ///< of this step of restriction, in the order of their names
  const Type* item = nullptr;
  std::vector<const Type*> members;

  // Complex types.
  bool is_abstract = false;
  bool is_dictionary = false;  ///< as .NET marks it
  bool is_mixed = false;
  bool is_restriction = false;  ///< of `base`; else an extension
  Blocks blocks;
  bool has_simple_content = false;
  const Type* content_type = nullptr;  ///< for a restriction with a new content type
  std::optional<Particle> content;  ///< own; for an extension, the content after the base's
  std::vector<Attribute> attributes;
  std::optional<Wildcard> any_attribute;
  /// The reason why it cannot be read; then it has no base and no content.
  std::optional<Problem> problem;

  void break_off(Problem why);
  bool is_built_in(std::string_view local) const {
    return kind == Kind::built_in && name.local == local;
  }
};

/// All schemas of an import. All are read first, so that names may be used before their
/// declaration. Then the requested names and all that they need are resolved.
class SchemaSet {
public:
  /// The maximum number of elements and attributes of all types, substitutes included. Groups that
  /// contain groups twice would grow without bound.
  static constexpr std::size_t most_particles = 1'000'000;
  /// The maximum length of a chain of heads of substitution groups.
  static constexpr std::size_t most_heads = 100;

  explicit SchemaSet(Library& library) : library_(library) {}
  SchemaSet(const SchemaSet&) = delete;
  SchemaSet& operator=(const SchemaSet&) = delete;

  /// Reads a schema element, its imports and its includes.
  void add(const Place& schema);
  /// Reports the imports that found nothing, and finds the substitutes of each element.
  void finish();

  const Element& element(const QName& name, const Place& asked_by);
  const Type& type(const QName& name, const Place& asked_by);
  /// True if a schema that was read declares the type.
  bool has_type(const QName& name) const { return symbols_.contains({Symbol::type, name}); }
  /// Notes that a type cannot be used, and cuts it off from its base.
  void break_off(const Type& type, const std::string& reason);
  /// Resolves the requested components and all that they need.
  void resolve();

  /// All named types and the types that they use. For searches of the types that extend a type.
  std::vector<const Type*> all_types();
  /// The global elements that may replace `head`, in the order of their names.
  std::vector<const Element*> substitutes(const Element& head);
  /// The same, without counting them towards the bound of particles.
  const std::vector<const Element*>& substitutes_of(const Element& head) const;
  /// True if a type refers to the element, so that it is used outside messages, too.
  bool is_referenced(const Element& element) const { return referenced_.contains(&element); }
  /// Notes for the user.
  const std::vector<std::string>& notes() const { return notes_; }
  /// The schemas that were not found, and that no name needed.
  std::vector<Problem> unneeded() const;
  /// The problems of all components, also of those that no operation needs.
  const std::vector<Problem>& broken() const { return broken_; }

private:
  friend class SchemaReader;
  enum class Symbol { element, attribute, type, group, attribute_group };

  /// The settings of a schema document for names without a prefix and declarations without a form.
  struct Context {
    const Document* in = nullptr;
    Node schema{};
    std::string ns;  ///< without a targetNamespace: the namespace of the including schema
    bool has_ns = false;
    bool qualified_elements = false;
    bool qualified_attributes = false;
    std::string block;
  };
  /// The name that the text `said`, which stands at `at`, refers to. Without a prefix and a default
  /// namespace it is in no namespace (XML Schema part 1, 3.15.3). Some contracts mean the schema's
  /// own namespace there, so that is taken if no declaration without a namespace has the name.
  QName name_in(const Context& in, const Place& at, std::string_view said);
  struct Global {
    QName name;
    Node at{};
    const Context* in = nullptr;
    Global* original = nullptr;  ///< the redefined component
    bool is_original = false;
    Element* element = nullptr;  ///< null until it is requested
    Type* type = nullptr;
    std::optional<Problem> problem{};
  };
  struct MissingImport {
    Place at;
    std::string ns;
    std::string location;
    std::string why;  ///< the reason: missing, or another document
    std::string own;  ///< the namespace of its document; `ns` if unknown
    bool is_include = false;
    bool is_needed = false;
    std::string text() const;
  };

  void add_document(const Place& schema, const std::string& ns);
  void add_built_in(const std::string& ns);
  void note_attributes(const Context& in, Node parent, Node at);
  void note_once(const Place& at, const std::string& note);
  void check_form(const Context& in, Node parent, Node at, Node holder);
  void read_import(const Context& in, Node at);
  void read_include(const Context& in, Node at);
  void redefine(const Context& in, Node at);
  void override(const Context& in, Node at);
  static Symbol kind_of(std::string_view tag);
  void declare(const Context& in, Node at, bool redefines = false);
  /// Throws the Failure of one too many.
  void count_particle(const Place& at, std::size_t count = 1);
  [[noreturn]] static void refuse_heads(const Place& at, const QName& element);
  Global& find(Symbol kind, const QName& name, const Place& asked_by);
  std::string what_else(Symbol kind, const QName& name, const Place& asked_by) const;
  std::string why_missing(Symbol kind, const QName& name, const Place& asked_by) const;
  bool is_alike(
      const Place& one, const Context& in_one, const Place& other, const Context& in_other);
  Type& built_in(const std::string& local);
  const Type& any_simple_type(const Place& used_at);
  Type& type_of(Global& global);
  Element& element_of(Global& global);
  /// Makes an element that has a type even if it cannot be read.
  Element& new_element();
  void read(Element& made, const Global& from);
  void take_types_of_heads();
  void add_substitute(const Element& element);

  Library& library_;
  std::deque<Context> contexts_;
  std::deque<Global> globals_;
  std::map<std::pair<Symbol, QName>, Global*> symbols_;
  /// The first namespace of each name, once it is asked for: thousands of names may be missing.
  mutable std::map<std::pair<Symbol, std::string>, std::string> elsewhere_;
  std::map<std::pair<const char*, std::string>, bool> read_;  ///< by place and namespace
  std::map<std::string, bool> namespaces_;
  std::vector<MissingImport> missing_;
  std::map<std::string, Type*> built_ins_;
  std::deque<Type> types_;
  std::deque<Element> elements_;
  /// By their source, schema document and the type around them: a group has one, however often it
  /// is used.
  std::map<std::tuple<const char*, const Context*, const Type*>, Type*> anonymous_;
  std::deque<std::pair<Type*, Global>> pending_types_;  ///< with the declaration to read
  std::deque<std::pair<Element*, Global>> pending_elements_;
  std::map<const Element*, std::vector<const Element*>> substitutes_;
  std::map<const Element*, bool> referenced_;
  std::vector<Element*> typed_by_head_;  ///< elements whose type is not known yet
  std::size_t particles_ = 0;
  std::map<std::string, Place> drafts_;  ///< schemas that are not read, by their namespace
  std::map<QName, Place> unknown_;  ///< named elements that XML Schema does not define
  std::map<std::string, Place> foreign_imports_;  ///< not XML Schema's; by namespace
  std::map<std::string, bool> imported_;  ///< namespaces, whether or not with a location
  std::vector<Problem> broken_;
  std::vector<std::string> notes_;
  std::set<const Context*> unprefixed_;  ///< with a note on names without a prefix
  std::set<std::string> noted_;  ///< notes that are printed once, at their first place
  std::map<const char*, Problem> misplaced_;  ///< by the source of the component that they are in
};

bool is_any_type(const Type& type);

/// True if elements of a type have any content or mixed content: they are kept as XML. A type that
/// extends such a type is open, too (XML Schema part 1, 3.4.2).
bool is_open(const Type& type);

}  // namespace importer

#endif
