// Reads one declaration of a schema into the component that it is (XML Schema part 1, 3).
#ifndef IMPORT_SCHEMA_READER_HPP
#define IMPORT_SCHEMA_READER_HPP

#include "schema.hpp"

namespace importer {

class SchemaReader {
public:
  /// The maximum depth of nested particles, also in groups: the reader recurses once per level.
  static constexpr std::size_t most_depth = 100;

  SchemaReader(SchemaSet& set, const SchemaSet::Global& from)
      : set_(set), from_(from), in_(*from.in) {}

  void read_element(Element& made, Node at);
  void read_type(Type& made, Node at);

private:
  using Symbol = SchemaSet::Symbol;
  using Global = SchemaSet::Global;

  Place place(Node at) const { return {in_.in, at}; }
  QName name(Node at, std::string_view said) const { return set_.name_in(in_, place(at), said); }
  /// A reader of a group: the settings of the group's own schema document hold there.
  SchemaReader within(const Global& other) const;

  /// Refuses a component with a misplaced element that would be lost.
  void check(Node at) const;
  /// The value of an attribute with a fixed set of words. Refuses other words.
  std::string word_of(Node at, std::string_view name) const;
  bool is_true(Node at, std::string_view name) const;
  bool is_qualified(Node at, std::string_view by_default) const;
  void refuse_both_values(Node at) const;
  /// Refuses a type= together with a type inside the element, as XML Schema does (part 1, 3.3.3).
  Node own_type(Node at, std::string_view named) const;

  bool is_redefined(Symbol kind, const QName& sought) const;
  Global& find(Symbol kind, Node at, std::string_view said);
  const Type& named_type(Node at, std::string_view said);
  const Type& base_of(Node at);
  const Type& anonymous(Node at, const std::string& label, const Type* inside);

  void read_simple(Type& made, Node at);
  void read_simple_restriction(Type& made, Node at);
  void read_facets(Type& made, Node at);
  void read_complex(Type& made, Node at);
  void read_derivation(Type& made, Node at, bool simple_content);
  void read_content(Type& made, Node at);
  Wildcard wildcard_of(Node at) const;
  void check_attributes(const Type& of);
  std::optional<Wildcard> read_attributes(Type& made, Node at);
  void meet(std::optional<Wildcard>& one, const Wildcard& other, Node at);
  const Type& type_of_attribute(Node at, const Type* inside);
  void read_attribute(Type& made, Node at);

  std::optional<Particle> read_particle(Node at, const Type& inside);
  Particle read_group(Node at, const Type& inside);
  Particle read_local_element(Node at, const Type& inside);
  void read_occurs(Particle& made, Node at);
  void take_type_of_head(Element& made);
  Blocks blocks_of(Node at) const;
  void read_declaration(Element& made, Node at, const Type* inside);

  SchemaSet& set_;
  const Global from_;
  const SchemaSet::Context& in_;
  std::size_t depth_ = 0;
};

/// The text of a component's annotation.
std::string documentation_of(Node at);

}  // namespace importer

#endif
