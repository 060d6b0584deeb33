// Regular expressions for numbers between two bounds, and for texts of a length. A union or a list
// checks its members by such expressions.
#ifndef IMPORT_RANGES_HPP
#define IMPORT_RANGES_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace importer {

/// A whole number of any size, as XML Schema writes it.
struct Whole {
  bool is_negative = false;
  std::string digits;  ///< without leading zeros; "0" is never negative

  explicit Whole(std::string_view text);
  /// The next one: minExclusive 4 is minInclusive 5.
  Whole next(bool up) const;
  bool operator<(const Whole& other) const;
};

/// All texts of the whole numbers from `least` to `most`; nullptr: without a bound. Signs and
/// leading zeros are a part of them: "1" -> "1", "+1", "01" (XML Schema part 2, 3.3.13.1).
std::string whole_number_form(const Whole* least, const Whole* most);

struct DecimalBound {
  std::string text;
  bool is_excluded = false;
};
struct DecimalFacets {
  std::optional<DecimalBound> least{};
  std::optional<DecimalBound> most{};
  std::optional<std::size_t> total_digits{};
  std::optional<std::size_t> fraction_digits{};
};

/// All texts of the decimals that facets allow (XML Schema part 2, 3.2.3.1, 4.3.11 and 4.3.12);
/// nullopt: these facets are not supported.
std::optional<std::string> decimal_form(const DecimalFacets& facets);
/// All texts of one decimal: "1.5" -> "1.5", "+1.50", "01.5".
std::string decimal_value_form(std::string_view text);

/// As a maximum: none.
inline constexpr std::size_t no_limit = std::size_t(-1);

/// An expression for the texts of `form` with `least` to `most` characters. nullopt: `form` has
/// groups or alternatives, or more than one part of any length.
std::optional<std::string> with_lengths(
    const std::string& form, std::size_t least, std::size_t most);
/// How often a part of an expression stands: "{2,5}", or "{2,}" without a maximum.
/// A form of names: which characters they have beyond letters, digits and ._-
struct NameForm {
  const char* form;
  bool has_colon;
  bool begins_with_any;  ///< a digit or a sign may be the first one
};

/// An expression for texts of both forms; nullopt: this pattern and form cannot be combined.
std::optional<std::string> with_name_form(const std::string& pattern, const NameForm& of);

std::string quantifier(std::size_t least, std::size_t most);

}  // namespace importer

#endif
