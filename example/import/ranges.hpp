// Whole numbers between two bounds as an expression: a union or a list checks its members by the text.
#ifndef IMPORT_RANGES_HPP
#define IMPORT_RANGES_HPP

#include <string>

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

/// All texts of the whole numbers from `least` to `most`; nullptr: without a bound. Signs and leading
/// zeros are a part of them: "1" -> "1", "+1", "01" (XML Schema part 2, 3.3.13.1).
std::string whole_number_form(const Whole* least, const Whole* most);

}  // namespace importer

#endif
