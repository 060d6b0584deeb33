// Complex types as structs: their elements, attributes, choices and groups, and their base classes.
#ifndef IMPORT_RECORDS_HPP
#define IMPORT_RECORDS_HPP

#include <map>

#include "simple_types.hpp"

namespace importer {

class Records {
public:
  /// The maximum length of a chain of derived types, and the maximum number of substitutes: both
  /// far above known contracts.
  static constexpr std::size_t most_bases = 200;
  static constexpr std::size_t most_extended = 1'000'000;

  Records(Tables& tables, SchemaSet& schemas, SimpleTypes& simple);

  /// The struct of a complex type; its rows follow when `finish` is called.
  Declaration& of_type(const Type& type);
  /// The same for an element of a header block or a fault; its table has the name of the element.
  Declaration& of_element(const Element& element);
  /// The content of a message's element, as a table without a name.
  Declaration& of_message(const Element& element);
  /// A table without a name and without rows.
  Declaration& empty(const std::string& wish, const Place& at);

  /// True if elements of a type are kept as XML: any content, or mixed content.
  static bool is_xml(const Type& type) { return is_open(type); }

  /// Adds the properties of a type to a row: C++ type, options, initial value.
  void say_type(Row& row, const Type& type, std::optional<Problem>& problem);

  /// Adds a note about a particle, an element or an attribute, once for each place.
  void note_once(const Place& at, const std::string& text);

  /// Marks the tables of header blocks and faults that have only the name of their element. All
  /// messages must be known, since a table that another message holds has a type with a name.
  void say_anonymous();

  /// Makes the rows of all requested structs, and of the structs that they need.
  void finish();

private:
  struct Pending {
    Declaration* made;
    const Type* from;
  };

  void add_anything(Declaration& to, const Element& element);
  bool has_no_value(const Particle& of);
  bool leaves_out(const Particle& of);
  Declaration& called_like(const Element& element);
  /// The text of an element of a simple type.
  void add_content(Declaration& to, const Element& element);
  void fill(Declaration& made, const Type& type);
  void fill_simple_content(Declaration& made, const Type& type);
  const Type* content_of(const Type& type);
  void note_types_left_out(const Type& type);
  void add_particle(Declaration& to, const Particle& from);
  bool is_substitute(const Particle& of, const Particle& at) const;
  std::vector<const Particle*> heads_behind(const std::vector<Particle>& children) const;
  void add_children(Declaration& to, const Particle& from);
  void add_optional_all(Declaration& to, Particle from);
  void add_value_without_row(Declaration& to, const Element& element);
  void add_element(Declaration& to, const Particle& from);
  void add_choice(Declaration& to, Particle from);
  void add_group(Declaration& to, Particle from);
  void add_any(Declaration& to, const Particle& from);
  Row& add_holder(Declaration& to, const Particle& from, Declaration& part);
  void add_holder_of_some(Declaration& to, const Particle& from, Declaration& part);
  void add_branch(Declaration& to, const Particle& branch);
  bool has_branch(const Declaration& to, const Particle& of);
  Declaration& part_of(Declaration& owner, Declaration::Kind kind, const Place& at);
  void add_value(
      Declaration& to,
      Row& row,
      const std::optional<std::string>& preset,
      const std::optional<std::string>& fixed);
  void add_attributes(Declaration& to, const Type& type);
  void add_attribute(Declaration& to, const Attribute& from);
  void add_derivations(Declaration& base, const Type& type);
  void add_wildcard_option(const Declaration& to, Row& row, const Wildcard& wildcard);
  void note_blocked(const Row& row, const Element& element);
  void say_namespaces(Declaration& made);
  void check_names(Declaration& made);
  bool unite(Row& one, Row& other);
  Particle with_substitutes(const Particle& from);
  void set_occurs(Row& row, std::uint64_t least, std::uint64_t most, bool in_choice = false);
  Declaration& new_record(const Type& type);

  Tables& tables_;
  SchemaSet& schemas_;
  SimpleTypes& simple_;
  std::map<const Type*, Declaration*> of_types_;
  std::map<const Element*, Declaration*> of_elements_;
  std::map<const Element*, Declaration*> of_messages_;
  std::map<const Type*, std::vector<const Type*>> extensions_;
  /// By the expected type: types that derive from it through a restriction.
  std::map<const Type*, std::vector<const Type*>> restricted_;
  std::map<const Type*, std::vector<const Type*>> mixed_;  ///< extensions with text, by base
  std::map<const Type*, const Type*> contents_;  ///< simple types of simpleContent
  std::map<std::pair<const Type*, const Type*>, SimpleUse> content_uses_;
  std::set<const Type*> noted_;
  std::map<const Declaration*, std::set<const Element*>> branches_;  ///< elements that occur once
  std::set<std::pair<const Document*, const char*>> noted_places_;  ///< see note_once
  std::set<std::pair<const Document*, const char*>> blocked_;  ///< elements and types with a note
  std::size_t extended_ = 0;
  std::vector<Pending> pending_;
  std::deque<Type> made_types_;  ///< of simpleContent, and of elements of a simple type
};

/// True if a type is a list: any number of one element, in its own namespace, and nothing else.
bool is_wrapper(const Declaration& type);

/// True if a `map` has the same description as a type that .NET marks as a dictionary. The key may
/// be nillable there, although no dictionary has a nil key.
bool is_dictionary(const Declaration& type);

/// Records why a declaration cannot be written; only the first reason is kept.
void blame(Declaration& of, const Place& at, const std::string& reason);

}  // namespace importer

#endif
