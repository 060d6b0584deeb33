// Simple types in C++: a built-in type, an enumeration, a list or a union, and the facets that are
// options of a row or of a named simple type.
#ifndef IMPORT_SIMPLE_TYPES_HPP
#define IMPORT_SIMPLE_TYPES_HPP

#include <map>
#include <span>

#include "tables.hpp"

namespace importer {

/// The C++ type and the options of a row with a simple type.
struct SimpleUse {
  CppType type;
  Declaration* named = nullptr;  ///< the simple type that is an option of the row
  std::vector<Option> options;  ///< besides it: the facets of the row itself
  std::optional<Problem> problem;
  bool is_string = false;  ///< for initial values
};

class SimpleTypes {
public:
  /// The maximum length of an expression for a union, because unions of unions would grow without
  /// bound.
  static constexpr std::size_t most_pattern = 10'000;
  /// The maximum number of members, far above the number with which a std::variant compiles.
  static constexpr std::size_t most_members = 256;

  explicit SimpleTypes(Tables& tables) : tables_(tables) {}

  const SimpleUse& use(const Type& type);
  /// The same for the content of an element. Its facets need a name (`content` in the header).
  SimpleUse use_named(const Type& type, const Type& inside);

  struct Steps;

private:
  SimpleUse make(const Type& type);
  void add_steps(const Type& type, const Steps& steps, SimpleUse& made);
  SimpleUse make_words(const Type& type, const Steps& steps);
  SimpleUse make_atomic(const Type& type, const Steps& steps);
  bool becomes_enumeration(const Type& listing);
  static void restrict_enumeration(const Steps& steps, const Type& listing, SimpleUse& made);
  Declaration* enumeration(const std::string& of, const Type& says);
  Declaration* simple(const Type& type);
  static std::optional<std::string> length_pattern(const Steps& steps);
  std::optional<std::string> as_pattern(const Type& type, bool also_others, std::size_t depth = 0);
  static std::optional<std::string> form_of_list(
      const Steps& steps, const std::optional<std::string>& item);
  std::optional<std::string> form_of_patterns(const Steps& steps);
  static std::optional<std::string> form_of_decimal(const Steps& steps);
  static std::optional<std::string> form_of_built_in(std::string_view name);
  std::optional<std::string> form_of_value(const Steps& steps);
  static std::optional<std::string> form_of_whole(
      const Steps& steps, std::string_view own_least, std::string_view own_most);
  void note_unchecked();
  void note_anchors(const Type& step);
  void make_list(const Type& root, SimpleUse& made);
  /// Adds the types of a union to `all`. True if a member has a form; nullopt: `made` has a problem.
  std::optional<bool> add_members(const Type& type, CppType& all, SimpleUse& made);
  void make_union(const Type& type, SimpleUse& made);
  void check_steps(const Type& type, SimpleUse& made);
  std::optional<Problem> check_step(std::span<const Type* const> steps, const CppType& type);
  static void refuse_complex(const Type& part, const Place& at, SimpleUse& made);
  static void fail(SimpleUse& made, const Place& at, const std::string& reason);

  Tables& tables_;
  std::map<const Type*, SimpleUse> known_;
  std::map<const Type*, Declaration*> declared_;
  std::map<const Type*, bool> lists_words_;  ///< by the type that lists values
  std::map<const Type*, std::optional<Problem>> step_problems_;
  std::set<const Type*> noted_;  // by note_anchors
  std::set<const Type*> noted_unchecked_;
  std::vector<std::pair<const Type*, std::string>> unchecked_;  ///< see note_unchecked
  std::size_t depth_ = 0;  ///< of lists and unions within each other
};

/// The reason why a text cannot be the default or fixed value of a type; empty if it can.
std::string value_problem(const CppType& type, const std::string& text);

/// The desired name of a type. An anonymous type gets the names of the components around it.
std::string wish_of(const Type& type);

}  // namespace importer

#endif
