// Documents from a network, with --fetch. Servers are not trusted: the number of redirects, size
// and time are bounded, and certificates are verified.
#ifndef IMPORT_FETCH_HPP
#define IMPORT_FETCH_HPP

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "progress.hpp"
#include "url.hpp"

namespace importer {

/// The reason why a document was not fetched. The text follows the address in messages.
struct FetchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Credentials and headers for the servers of the inputs. No other server gets them, not even after
/// a redirect.
struct Credentials {
  std::string user;  ///< of HTTP's Basic authentication (RFC 7617); empty: none
  std::string password;
  std::vector<std::pair<std::string, std::string>> fields;  ///< HTTP headers
  std::set<std::string> origins;  ///< "https://example.com"
};

struct Fetched {
  Url from;  ///< after redirects: the base of its own references (RFC 3986, 5.1.3)
  std::string bytes;
};

class Fetcher {
public:
  static constexpr int most_redirects = 5;
  static constexpr std::chrono::seconds connect_time{10};
  static constexpr std::chrono::seconds silent_time{20};
  static constexpr std::chrono::minutes whole_time{10};  ///< for all documents together

  /// False if the program was built without an HTTP library.
  static bool is_there() noexcept;

  /// `time` is the timeout for each document, including redirects.
  Fetcher(std::chrono::seconds time, Progress& progress, Credentials credentials = {});
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  /// Fetches the document at an address, with at most `most` bytes. Throws FetchError.
  Fetched get(const Url& from, std::size_t most);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace importer

#endif
