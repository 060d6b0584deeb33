// Names of users and domains: which ones there may be, and when two spellings are one name.
//
// The rules follow the PRECIS profile UsernameCasePreserved (RFC 8265, 3.4) where it keeps names apart
// that look alike: they are compared in Unicode's form NFC, and what cannot be seen is refused. It is
// wider in one thing: signs and punctuation of all scripts are allowed, since a domain is often called
// like a company. Letter case counts, and letters of different scripts are different letters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// The longest name that is given to anything new, in bytes. Longer ones are compared as they are.
inline constexpr std::size_t longest_name = 1024;

/// The form in which a name is stored and looked up: NFC (UAX 15), so that composed and decomposed
/// letters are the same. What is not UTF-8, or longer than `longest_name`, comes back as it is.
std::string normal_name(std::string_view name);

/// What is wrong with the name of a new user or domain; empty if nothing. Refused is what cannot be
/// seen or told from something else: control, format, zero-width and bidirectional characters,
/// unassigned and private ones, other spaces than U+0020, compatibility forms such as fullwidth
/// letters (RFC 8264, 9.17), and a combining mark without its letter.
std::string name_problem(const std::string& name);

/// A name for the eyes: everything but visible ASCII as \u{...}.
std::string spelled_out(std::string_view name);
