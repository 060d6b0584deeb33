// Addresses of documents on a network: http and https.
#ifndef IMPORT_URL_HPP
#define IMPORT_URL_HPP

#include <optional>
#include <string>
#include <string_view>

namespace importer {

/// The parts of an address. Letter case, default ports and dots are normalized, invalid characters
/// are %xx, and there is no fragment, so one document has one address (RFC 3986, 6.2).
struct Url {
  bool is_https = false;
  std::string authority;  ///< host, and :port if it is not the default
  std::string target;  ///< path and query, as sent

  /// Scheme and authority: the server to connect to.
  std::string origin() const { return (is_https ? "https://" : "http://") + authority; }
  std::string text() const { return origin() + target; }
};

/// True if the scheme of a location is for a network.
bool is_remote(std::string_view location) noexcept;
/// The text before the first colon, if it can be a scheme (RFC 3986, 3.1); else empty.
std::string_view scheme_of(std::string_view location) noexcept;

/// True if an address has a user name or a password, which messages must not show.
bool has_credentials(std::string_view location) noexcept;
/// An address for messages, without a user name and password.
std::string without_credentials(std::string_view location);

/// Resolves a reference in a document from `base` (RFC 3986, 5.2), or without a base. nullopt if
/// the result is not an http or https address, or has a user name.
std::optional<Url> resolved(std::string_view base, std::string_view reference);

}  // namespace importer

#endif
