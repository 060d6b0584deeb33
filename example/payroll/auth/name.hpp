// Names of users and domains: which names are allowed, and which spellings are equal.
//
// The rules follow the PRECIS profile UsernameCasePreserved (RFC 8265, 3.4): names are compared in
// Unicode NFC, and invisible characters are refused. In one point they allow more: signs and
// punctuation of all scripts, because a domain often has the name of a company. Names are
// case-sensitive, and letters of different scripts differ.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// The maximum length of a new name, in bytes. Longer names are compared without normalization.
inline constexpr std::size_t longest_name = 1024;

/// The form in which a name is stored and looked up: NFC (UAX 15), so that composed and decomposed
/// letters are equal. A text that is not UTF-8, or longer than `longest_name`, is returned
/// unchanged.
std::string normal_name(std::string_view name);

/// The problem with the name of a new user or domain; empty if it is valid. Refused are characters
/// that are invisible or look like others: control, format, zero-width, bidirectional, unassigned
/// and private characters, spaces other than U+0020, compatibility forms such as fullwidth letters
/// (RFC 8264, 9.17), and a combining mark without its letter.
std::string name_problem(const std::string& name);

/// A name for display: all characters except visible ASCII as \u{...}.
std::string spelled_out(std::string_view name);
