#include "ranges.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace importer {

Whole::Whole(std::string_view text) {
  is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  digits = text.empty() ? "0" : std::string(text);
  if (digits == "0") is_negative = false;
}

Whole Whole::next(bool up) const {
  Whole made = *this;
  if (digits == "0") made.is_negative = !up;
  // The digits grow away from zero, and shrink towards it.
  const bool grows = up != made.is_negative;
  const char end = grows ? '9' : '0';
  std::size_t at = made.digits.size();
  while (at != 0 && made.digits[at - 1] == end)
    made.digits[--at] = grows ? '0' : '9';
  if (at != 0)
    made.digits[at - 1] = static_cast<char>(made.digits[at - 1] + (grows ? 1 : -1));
  else
    made.digits.insert(made.digits.begin(), '1');
  return Whole((made.is_negative ? "-" : "") + made.digits);
}

static bool is_shorter(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

bool Whole::operator<(const Whole& other) const {
  if (is_negative != other.is_negative) return is_negative;
  return is_negative ? is_shorter(other.digits, digits) : is_shorter(digits, other.digits);
}

namespace {

std::string any_digits(std::size_t count) {
  if (count == 0) return {};
  return count == 1 ? "[0-9]" : "[0-9]{" + std::to_string(count) + '}';
}

std::string either(const std::vector<std::string>& forms) {
  if (forms.size() == 1) return forms.front();
  std::string all;
  for (const std::string& each : forms)
    all.append(all.empty() ? "(" : "|").append(each);
  return all + ')';
}

/// Numbers of one length: 12, 34 -> (1[2-9]|2[0-9]|3[0-4]).
std::string same_length(std::string_view from, std::string_view to) {
  if (from == to) return std::string(from);
  if (from.front() == to.front()) return from.front() + same_length(from.substr(1), to.substr(1));
  const std::size_t tail = from.size() - 1;
  std::vector<std::string> forms;
  char first = from.front();
  char last = to.front();
  if (from.find_first_not_of('0', 1) != from.npos)
    forms.push_back(first++ + same_length(from.substr(1), std::string(tail, '9')));
  const bool is_cut = to.find_first_not_of('9', 1) != to.npos;
  if (is_cut) --last;
  if (first == last) forms.push_back(first + any_digits(tail));
  if (first < last) forms.push_back('[' + std::string{first, '-', last} + ']' + any_digits(tail));
  if (is_cut) forms.push_back(to.front() + same_length(std::string(tail, '0'), to.substr(1)));
  return either(forms);
}

/// Numbers without a sign; `to` is empty: without a bound.
std::string unsigned_form(const std::string& from, const std::string& to) {
  std::vector<std::string> forms;
  const std::size_t longest = to.empty() ? from.size() : to.size();
  for (std::size_t length = from.size(); length <= longest; ++length) {
    const bool is_last = length == to.size();
    forms.push_back(same_length(
        length == from.size() ? from : '1' + std::string(length - 1, '0'),
        is_last ? to : std::string(length, '9')));
  }
  if (to.empty()) forms.push_back("[1-9][0-9]{" + std::to_string(from.size()) + ",}");
  return "0*" + either(forms);
}

}  // namespace

std::string whole_number_form(const Whole* least, const Whole* most) {
  std::vector<std::string> forms;
  const bool has_positive = !most || !most->is_negative;
  if (has_positive) {
    const std::string from = least && !least->is_negative ? least->digits : "0";
    forms.push_back("\\+?" + unsigned_form(from, most ? most->digits : std::string()));
    if (from == "0") forms.push_back("-0+");
  }
  if (!least || least->is_negative)
    forms.push_back(
        '-' +
        unsigned_form(has_positive ? "1" : most->digits, least ? least->digits : std::string()));
  return either(forms);
}

namespace {

/// A decimal without its sign: whole digits without leading zeros, a fraction without trailing
/// ones.
struct Magnitude {
  std::string whole = "0";
  std::string fraction{};
  bool is_excluded = false;
};

Magnitude magnitude_of(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  Magnitude made{Whole(text.substr(0, point)).digits};
  made.fraction = text.substr(std::min(point + 1, text.size()));
  made.fraction.erase(made.fraction.find_last_not_of('0') + 1);
  return made;
}

std::string up_to(const std::string& what, std::size_t least, std::size_t most) {
  return what + quantifier(least, most);
}

/// The digits after the point.
class Fractions {
public:
  explicit Fractions(std::optional<std::size_t> most) : most_(most) {}

  /// Any digits after a whole part, which may be omitted if it is zero.
  std::string any(const std::string& whole, bool has_zero) const {
    return joined(whole, has_zero, {tail(0, 1)}, true);
  }

  std::string until(const Magnitude& last) const {
    const std::string& digits = last.fraction;
    std::vector<std::string> forms;
    for (std::size_t at = 0; at != digits.size(); ++at) {
      const std::string before = digits.substr(0, at);
      if (at != 0) forms.push_back(before);
      if (digits[at] != '0')
        forms.push_back(before + "[0-" + static_cast<char>(digits[at] - 1) + ']' + tail(at + 1, 0));
    }
    if (!last.is_excluded) forms.push_back(digits.empty() ? "0+" : digits + "0*");
    if (forms.empty()) return {};
    return joined("0*" + last.whole, last.whole == "0", forms, true);
  }

  std::string from(const Magnitude& first) const {
    const std::string& digits = first.fraction;
    std::vector<std::string> forms;
    for (std::size_t at = 0; at != digits.size(); ++at)
      if (digits[at] != '9')
        forms.push_back(
            digits.substr(0, at) + '[' + static_cast<char>(digits[at] + 1) + "-9]" +
            tail(at + 1, 0));
    const std::size_t end = most_.value_or(digits.size());
    if (!first.is_excluded)
      forms.push_back(digits + tail(digits.size(), 0));
    else if (!most_)
      forms.push_back(digits + "0*[1-9][0-9]*");
    for (std::size_t at = digits.size(); first.is_excluded && at < end; ++at)
      forms.push_back(digits + std::string(at - digits.size(), '0') + "[1-9]" + tail(at + 1, 0));
    if (forms.empty()) return {};
    return joined("0*" + first.whole, first.whole == "0", forms, false);
  }

private:
  /// The form of the digits after the first ones.
  std::string tail(std::size_t there, std::size_t least) const {
    if (!most_) return least == 0 ? "[0-9]*" : "[0-9]+";
    if (there >= *most_) return least == 0 ? "0*" : "0+";
    return up_to("[0-9]", least, *most_ - there) + "0*";
  }
  static std::string joined(
      const std::string& whole,
      bool has_zero,
      const std::vector<std::string>& forms,
      bool or_none) {
    const std::string behind = "\\." + either(forms);
    return whole + (or_none ? "(\\.|" + behind + ")?" : behind) + (has_zero ? '|' + behind : "");
  }

  std::optional<std::size_t> most_;
};

/// All decimals from one magnitude to another, as alternatives; nullopt: both have one whole part.
std::optional<std::string> magnitudes(
    const Fractions& fractions, const Magnitude& first, const Magnitude* last) {
  const bool begins = first.fraction.empty() && !first.is_excluded;
  if (last && first.whole == last->whole) {
    if (begins) return fractions.until(*last);
    return std::nullopt;
  }
  std::vector<std::string> forms;
  if (!begins) forms.push_back(fractions.from(first));
  const Whole start = begins ? Whole(first.whole) : Whole(first.whole).next(true);
  if (!last) {
    forms.push_back(fractions.any(unsigned_form(start.digits, {}), start.digits == "0"));
  } else if (const Whole end = Whole(last->whole).next(false); !(end < start)) {
    forms.push_back(fractions.any(unsigned_form(start.digits, end.digits), start.digits == "0"));
  }
  if (last) forms.push_back(fractions.until(*last));
  std::erase(forms, std::string());
  return forms.empty() ? std::nullopt : std::optional(either(forms));
}

bool is_zero(const Magnitude& size) { return size.whole == "0" && size.fraction.empty(); }

Magnitude size_of(const DecimalBound& bound) {
  Magnitude made = magnitude_of(bound.text);
  made.is_excluded = bound.is_excluded;
  return made;
}

/// At most `total` digits, before and after the point together.
std::string digits_form(std::size_t total, std::size_t fraction) {
  std::string made = "0*" + up_to("[0-9]", 1, total) + "(\\.0*)?|\\.0+";
  for (std::size_t behind = 1; behind <= std::min(total, fraction); ++behind)
    made += "|0*" + up_to("[0-9]", 0, total - behind) + "\\." + up_to("[0-9]", 1, behind) + "0*";
  return made;
}

}  // namespace

std::string decimal_value_form(std::string_view text) {
  const Magnitude size = magnitude_of(text);
  const std::string sign = is_zero(size) ? "[+\\-]?" : text.starts_with('-') ? "-" : "\\+?";
  if (size.fraction.empty())
    return sign + (is_zero(size) ? "(0+(\\.0*)?|\\.0+)" : "0*" + size.whole + "(\\.0*)?");
  return sign + "0*" + (size.whole == "0" ? "" : size.whole) + "\\." + size.fraction + "0*";
}

std::optional<std::string> decimal_form(const DecimalFacets& facets) {
  const auto& [least, most, total, fraction] = facets;
  const Magnitude low = least ? size_of(*least) : Magnitude();
  const Magnitude high = most ? size_of(*most) : Magnitude();
  const bool from_zero = least && is_zero(low) && !low.is_excluded;
  const std::string minus_zero = "-(0+(\\.0*)?|\\.0+)";
  const bool is_implied = least && most && fraction && total &&
                          std::max(low.whole.size(), high.whole.size()) + *fraction <= *total;
  if (total && !is_implied) {
    if (most || (least && !from_zero) || *total > 40) return std::nullopt;
    const std::string form = digits_form(*total, fraction.value_or(*total));
    return (least ? "\\+?(" : "[+\\-]?(") + form + ')' + (least ? '|' + minus_zero : "");
  }
  if (fraction && std::max(low.fraction.size(), high.fraction.size()) > *fraction)
    return std::nullopt;
  const Fractions fractions(fraction);
  if (!least && !most) return "[+\\-]?(" + fractions.any("[0-9]+", true) + ')';
  const bool below = !least || (least->text.starts_with('-') && !is_zero(low));
  const bool ends_below = most && most->text.starts_with('-') && !is_zero(high);
  std::vector<std::string> forms;
  const auto add = [&](const char* sign, const Magnitude& from, const Magnitude* to) {
    const auto made = magnitudes(fractions, from, to);
    if (made && !made->empty()) forms.push_back(sign + ('(' + *made) + ')');
    return made.has_value();
  };
  if (!ends_below && !add("\\+?", below ? Magnitude() : low, most ? &high : nullptr))
    return std::nullopt;
  Magnitude zero;
  zero.is_excluded = most && is_zero(high) && high.is_excluded;
  if (below && !add("-", ends_below ? high : zero, least ? &low : nullptr)) return std::nullopt;
  if (from_zero) forms.push_back(minus_zero);
  return forms.empty() ? std::nullopt : std::optional(either(forms));
}

namespace {

/// A part of an expression without alternatives: an atom and its quantifier.
struct Piece {
  std::size_t begin = 0;  ///< in the expression
  std::size_t behind_atom = 0;
  std::size_t end = 0;
  std::size_t least = 1;
  std::size_t most = 1;
};

/// The position after an atom of one character; npos: another kind of atom.
std::size_t behind_atom(std::string_view in, std::size_t at) {
  if (std::string_view("()|").find(in[at]) != in.npos) return in.npos;
  std::size_t depth = 0;
  do {
    if (at >= in.size()) return in.npos;
    if (in[at] == '\\') {
      const bool is_named = at + 1 < in.size() && (in[at + 1] == 'p' || in[at + 1] == 'P');
      at = is_named ? std::min(in.find('}', at), in.size() - 1) : at + 1;
    } else if (in[at] == '[') {
      ++depth;
    } else if (in[at] == ']') {
      --depth;
    }
    ++at;
    while (at < in.size() && (static_cast<unsigned char>(in[at]) & 0xC0) == 0x80)
      ++at;
  } while (depth != 0);
  return at;
}

Piece with_quantifier(std::string_view in, Piece made) {
  const std::size_t at = made.end = made.behind_atom;
  if (at >= in.size() || std::string_view("?*+{").find(in[at]) == in.npos) return made;
  made.end = at + 1;
  if (in[at] != '+') made.least = 0;
  if (in[at] != '?') made.most = no_limit;
  if (in[at] != '{') return made;
  const std::string said(in.substr(at + 1, in.find('}', at) - at - 1));
  made.end = std::min(at + said.size() + 2, in.size());
  const std::size_t comma = said.find(',');
  made.least = std::strtoull(said.c_str(), nullptr, 10);
  if (comma == said.npos)
    made.most = made.least;
  else if (comma + 1 != said.size())
    made.most = std::strtoull(said.c_str() + comma + 1, nullptr, 10);
  return made;
}

/// The piece that begins at `at`; nullopt: not understood.
std::optional<Piece> piece_at(const std::string& form, std::size_t at) {
  Piece made;
  made.begin = at;
  made.behind_atom = behind_atom(form, at);
  if (made.behind_atom == form.npos) return std::nullopt;
  return with_quantifier(form, made);
}

}  // namespace

std::optional<std::string> with_lengths(
    const std::string& form, std::size_t least, std::size_t most) {
  std::size_t shortest = 0;
  std::size_t longest = 0;
  std::vector<Piece> open;  // pieces with a variable number of occurrences
  for (std::size_t at = 0; at < form.size();) {
    const auto each = piece_at(form, at);
    if (!each) return std::nullopt;
    shortest += each->least;
    longest = each->most == no_limit || longest == no_limit ? no_limit : longest + each->most;
    if (each->least != each->most) open.push_back(*each);
    at = each->end;
  }
  if (shortest >= least && longest <= most) return form;
  if (open.size() != 1) return std::nullopt;
  const Piece& one = open.front();
  const std::size_t others = shortest - one.least;
  if (most < others) return std::nullopt;
  const std::size_t from = std::max(one.least, least > others ? least - others : 0);
  const std::size_t to = std::min(one.most, most == no_limit ? no_limit : most - others);
  if (to < from) return std::nullopt;
  return form.substr(0, one.behind_atom) + quantifier(from, to) + form.substr(one.end);
}

namespace {

/// True for ASCII characters that a name can begin with or contain (XML 1.0, 2.3).
bool is_of_name(char c, bool is_first, bool has_colon) {
  const bool is_letter = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
  if (is_letter || c == '_') return true;
  if (c == ':') return has_colon;
  return !is_first && (('0' <= c && c <= '9') || c == '-' || c == '.');
}

/// True if an atom matches only such characters. False for atoms that this function does not
/// understand.
bool has_names_only(std::string_view atom, bool is_first, bool has_colon) {
  const auto good = [&](char c) { return is_of_name(c, is_first, has_colon); };
  const auto is_good_escape = [&](char c) {
    return !is_first && (c == 'd' || c == '-' || c == '.');
  };
  if (atom.starts_with('\\')) return atom.size() == 2 && is_good_escape(atom[1]);
  if (!atom.starts_with('[')) return atom.size() == 1 && atom != "." && good(atom.front());
  const std::string_view in = atom.substr(1, atom.size() - 2);
  if (in.starts_with('^') || in.find('[') != in.npos) return false;
  for (std::size_t at = 0; at < in.size(); ++at) {
    if (in[at] == '\\') {
      if (++at == in.size() || !is_good_escape(in[at])) return false;
    } else if (at + 2 < in.size() && in[at + 1] == '-') {
      if (in[at + 2] == '\\') return false;
      const auto last = static_cast<unsigned char>(in[at + 2]);
      for (int c = static_cast<unsigned char>(in[at]); c <= last; ++c)
        if (!good(static_cast<char>(c))) return false;
      at += 2;
    } else if (!good(in[at])) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> with_name_form(const std::string& pattern, const NameForm& of) {
  bool is_first = true;
  for (std::size_t at = 0; at < pattern.size();) {
    const auto each = piece_at(pattern, at);
    if (!each) return std::nullopt;
    const auto atom = std::string_view(pattern).substr(at, each->behind_atom - at);
    if (atom == "." && at == 0 && each->end == pattern.size())
      return with_lengths(of.form, each->least, each->most);
    if (!has_names_only(atom, is_first && !of.begins_with_any, of.has_colon)) return std::nullopt;
    is_first = is_first && each->least == 0;
    at = each->end;
  }
  return is_first ? std::nullopt : std::optional(pattern);
}

std::string quantifier(std::size_t least, std::size_t most) {
  return '{' + std::to_string(least) + ',' + (most == no_limit ? "" : std::to_string(most)) + '}';
}

}  // namespace importer
