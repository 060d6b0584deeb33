// Addresses of documents on a network, as far as contracts name them: http and https.
#ifndef IMPORT_URL_HPP
#define IMPORT_URL_HPP

#include <optional>
#include <string>
#include <string_view>

namespace importer {

/// An address in its parts. Letter case, default ports and dots are settled, characters that no
/// address has are %xx, and there is no fragment: so one document has one address (RFC 3986, 6.2).
struct Url {
  bool is_https = false;
  std::string authority;  ///< host, and :port where it is not the usual one
  std::string target;  ///< path and query, as they are asked for

  /// Scheme and authority, which a connection is opened to.
  std::string origin() const { return (is_https ? "https://" : "http://") + authority; }
  std::string text() const { return origin() + target; }
};

/// Whether a location says by its scheme that it lies on a network.
bool is_remote(std::string_view location) noexcept;
/// The text before the first colon, if it can be a scheme (RFC 3986, 3.1); else empty.
std::string_view scheme_of(std::string_view location) noexcept;

/// Whether an address has a user's name or a password in it, which nobody is shown.
bool has_credentials(std::string_view location) noexcept;
/// An address as people are shown it.
std::string without_credentials(std::string_view location);

/// The address that a reference means in a document from `base` (RFC 3986, 5.2), or without one;
/// nullopt when that is not an http or https address, or one with a user's name in it.
std::optional<Url> resolved(std::string_view base, std::string_view reference);

}  // namespace importer

#endif
