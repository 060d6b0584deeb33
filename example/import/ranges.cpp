#include "ranges.hpp"

#include <algorithm>
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
  // Away from zero the digits grow, towards it they shrink.
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

}  // namespace importer
