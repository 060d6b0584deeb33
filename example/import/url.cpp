#include "url.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <utility>

namespace importer {

namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_letter(char c) noexcept { return lower(c) >= 'a' && lower(c) <= 'z'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string in_lower_case(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), lower);
  return made;
}

/// A reference in its parts (RFC 3986, appendix B), without its fragment.
struct Reference {
  std::string scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::string_view query;  ///< with its question mark
};

Reference parts_of(std::string_view text) {
  Reference made;
  text = text.substr(0, text.find('#'));
  const std::size_t colon = text.find_first_of(":/?");
  if (colon != std::string_view::npos && text[colon] == ':' && colon != 0 && is_letter(text[0])) {
    made.scheme = in_lower_case(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    const std::size_t end = std::min(text.find_first_of("/?", 2), text.size());
    made.authority = text.substr(2, end - 2);
    text.remove_prefix(end);
  }
  const std::size_t question = std::min(text.find('?'), text.size());
  made.path = text.substr(0, question);
  made.query = text.substr(question);
  return made;
}

/// RFC 3986, 5.2.4, for a path that begins with a slash.
std::string without_dots(std::string_view path) {
  std::string made;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    if (segment == "/." || segment == "/..") {
      if (segment == "/..") made.erase(std::min(made.rfind('/'), made.size()));
      if (path.empty()) made += '/';
    } else {
      made += segment;
    }
  }
  return made.empty() ? "/" : made;
}

/// Encodes characters that occur in addresses although they are not allowed.
std::string encoded(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c > ' ' && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string::npos) {
      made += c;
    } else {
      std::array<char, 4> code{};
      std::snprintf(code.data(), code.size(), "%%%02X", static_cast<unsigned>(c) & 0xFFU);
      made += code.data();
    }
  }
  return made;
}

/// Host and port in normalized form; nullopt if they are invalid.
std::optional<std::string> authority_of(std::string_view text, bool is_https) {
  const bool is_ipv6 = text.starts_with('[');
  const std::size_t bracket = is_ipv6 ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::size_t colon = std::min(text.find(':', bracket), text.size());
  const std::string host = in_lower_case(text.substr(0, colon));
  const bool is_host = !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' ||
           (is_ipv6 && (c == ':' || c == '[' || c == ']'));
  });
  if (!is_host) return std::nullopt;
  const std::string_view said = text.substr(std::min(colon + 1, text.size()));
  if (said.empty()) return host;
  unsigned port = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), port);
  if (error != std::errc() || end != said.data() + said.size() || port == 0 || port > 65'535)
    return std::nullopt;
  if (port == (is_https ? 443U : 80U)) return host;
  return host + ':' + std::to_string(port);
}

}  // namespace

std::string_view scheme_of(std::string_view location) noexcept {
  const std::size_t colon = location.find(':');
  const auto is_of_scheme = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
  };
  if (colon == location.npos) return {};
  const std::string_view scheme = location.substr(0, colon);
  return std::all_of(scheme.begin(), scheme.end(), is_of_scheme) ? scheme : std::string_view();
}

bool is_remote(std::string_view location) noexcept {
  const auto begins = [&](std::string_view scheme) {
    return location.size() > scheme.size() &&
           std::equal(scheme.begin(), scheme.end(), location.begin(), [](char a, char b) {
             return a == lower(b);
           });
  };
  return begins("http://") || begins("https://") || begins("ftp://");
}

/// The position of the credentials in an address, and their length with the '@'. Without
/// credentials, both are 0. An address may be malformed, so all text up to the last '@' before the
/// query counts.
static std::pair<std::size_t, std::size_t> credentials_of(std::string_view location) noexcept {
  const std::size_t slashes = location.find("//");
  if (slashes == location.npos) return {0, 0};
  const std::size_t from = slashes + 2;
  const std::size_t at =
      location.substr(from, location.find_first_of("?#", from) - from).rfind('@');
  return {from, at == location.npos ? 0 : at + 1};
}

bool has_credentials(std::string_view location) noexcept {
  return credentials_of(location).second != 0;
}

std::string without_credentials(std::string_view location) {
  const auto [from, length] = credentials_of(location);
  return std::string(location).erase(from, length);
}

std::optional<Url> resolved(std::string_view base, std::string_view reference) {
  const Reference said = parts_of(reference);
  const Reference from = parts_of(base);
  const std::string& scheme = said.scheme.empty() ? from.scheme : said.scheme;
  if (scheme != "http" && scheme != "https") return std::nullopt;
  if (!said.scheme.empty() && !said.authority) return std::nullopt;
  const auto authority = said.authority ? said.authority : from.authority;
  if (!authority) return std::nullopt;
  Url made;
  made.is_https = scheme == "https";
  const auto host = authority_of(*authority, made.is_https);
  if (!host) return std::nullopt;
  made.authority = *host;
  std::string path(said.path);
  std::string_view query = said.query;
  if (!said.authority && path.empty()) {
    path = from.path;
    if (query.empty()) query = from.query;
  } else if (!said.authority && !path.starts_with('/')) {
    path = std::string(from.path.substr(0, from.path.rfind('/') + 1)) + path;
  }
  if (!path.starts_with('/')) path.insert(0, 1, '/');
  made.target = encoded(without_dots(path)).append(encoded(query));
  return made;
}

}  // namespace importer
