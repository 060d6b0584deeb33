// The computation with which a Digest server (RFC 7616) checks a response, by OpenSSL and without
// code of the header.
#pragma once

#include <openssl/evp.h>

#include <string>

namespace net {

inline std::string hex_digest(const EVP_MD* kind, const std::string& text) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  ::EVP_Digest(text.data(), text.size(), bytes, &size, kind, nullptr);
  std::string made;
  for (unsigned at = 0; at != size; ++at)
    made.append({"0123456789abcdef"[bytes[at] >> 4], "0123456789abcdef"[bytes[at] & 15]});
  return made;
}

/// The value of a parameter of Authorization, as it is written; empty for none.
inline std::string parameter_of(const std::string& of, const std::string& name) {
  const std::size_t at = of.find(' ' + name + '=');
  if (at == of.npos) return {};
  const std::size_t begin = at + name.size() + 2;
  const bool quoted = of[begin] == '"';
  std::size_t end = begin + quoted;
  while (end < of.size() && (quoted ? of[end] != '"' : of[end] != ','))
    end += of[end] == '\\' ? 2 : 1;
  return of.substr(begin + quoted, end - begin - quoted);
}

/// RFC 7616, 3.4.1, for a user with the name in `user`.
inline std::string answer_of(
    const EVP_MD* kind,
    const std::string& method,
    const std::string& secret,
    const std::string& given) {
  return hex_digest(
      kind,
      hex_digest(kind, secret) + ':' + parameter_of(given, "nonce") + ':' +
          parameter_of(given, "nc") + ':' + parameter_of(given, "cnonce") +
          ":auth:" + hex_digest(kind, method + ':' + parameter_of(given, "uri")));
}

}  // namespace net
