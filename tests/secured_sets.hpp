// The sets of options that `secured(...)` accepts, as numbers, so that a test can offer a service
// for each.
#pragma once

#include <utility>

#include "soapsvc.hpp"

namespace secured_sets {

using soapsvc::detail::security_part;

/// An option of `secured(...)`.
struct word {
  soapsvc::detail::security_option option;
  const char* name;
};
inline constexpr word words[] = {
    {soapsvc::password_text, "password_text"},
    {soapsvc::password_digest, "password_digest"},
    {soapsvc::timestamp, "timestamp"},
    {soapsvc::x509_signature, "x509_signature"},
    {soapsvc::signed_header_blocks, "signed_headers"},
    {soapsvc::signed_responses, "signed_responses"},
    {soapsvc::confirmed_responses, "confirmed_responses"},
    {soapsvc::optionally, "optionally"}};
inline constexpr std::size_t word_count = std::size(words);
inline constexpr std::size_t set_count = std::size_t{1} << word_count;

/// A set has one bit for each option, as soapsvc::detail::security_demands has.
constexpr bool has_word(std::size_t set, security_part word) {
  return (set & static_cast<std::size_t>(word)) != 0;
}
/// True if `secured` accepts the set.
constexpr bool is_valid(std::size_t set) {
  const bool is_signed = has_word(set, security_part::x509_signature);
  const bool headers = has_word(set, security_part::signed_header_blocks);
  const bool responses = has_word(set, security_part::signed_responses);
  const bool confirmed = has_word(set, security_part::confirmed_responses);
  const bool demands = is_signed || has_word(set, security_part::password_text) ||
                       has_word(set, security_part::password_digest) ||
                       has_word(set, security_part::timestamp);
  return demands && (is_signed || !headers) && (is_signed || !responses) &&
         (responses || !confirmed);
}
/// The option if it is in the set, else another option of the set: `secured` accepts an option
/// twice.
constexpr soapsvc::detail::security_option word_in(std::size_t set, std::size_t index) {
  while (!has_word(set, words[index].option.part))
    index = (index + 1) % word_count;
  return words[index].option;
}
template <std::size_t Set> constexpr auto secured_by() {
  return []<std::size_t... Each>(std::index_sequence<Each...>) {
    return soapsvc::secured(word_in(Set, Each)...);
  }
  (std::make_index_sequence<word_count>());
}

}  // namespace secured_sets
