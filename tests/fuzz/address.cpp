// The address in WSDL and help pages ([facts], [description]): from public_url, Host, an absolute
// target, or the headers of a trusted proxy. The input is a request as text (fuzz.hpp). The fields
// `public-url`, `scheme`, `local`, `listener` and `peer` are facts besides HTTP. The peer `proxy`
// is trusted.
//
// Promised: for every input, a page is the usual page with another address, which is absolute and
// has no markup. Headers of an untrusted peer change nothing.
#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include "fuzz.hpp"
#include "soapsvc.hpp"

struct Question {
  std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<Question> = record(field("Text", &Question::text));

class Oracle {
public:
  std::optional<std::string> ask(const Question& question) { return question.text; }
};
template <>
inline constexpr auto soapsvc::schema<Oracle> = service("Oracle", operation("Ask", &Oracle::ask));

namespace {

using fuzz::require;

const std::string path = "/soap/v3/Oracle.asmx";

/// A dispatcher with the one service.
class world {
public:
  explicit world(std::string_view public_url) : services_(options_for(public_url)) {
    services_.add(oracle_);
  }
  const soapsvc::dispatcher& services() const { return services_; }

private:
  static soapsvc::dispatcher_options options_for(std::string_view public_url) {
    soapsvc::dispatcher_options options;
    options.ns_base = "urn:x";
    options.public_url = public_url;
    options.trusted_proxies = {"192.0.2.1"};
    return options;
  }
  Oracle oracle_;
  soapsvc::dispatcher services_;
};

/// The request, and the other facts.
struct question {
  std::vector<soapsvc::http_header> headers;
  soapsvc::http_request request;
  std::string_view public_url;
};

void fill(question& asked, std::string_view text, bool with_forwarded) {
  const fuzz::request_text parsed = fuzz::parse_request_text(text);
  asked.request.method = parsed.method;
  asked.request.target = parsed.target;
  for (const auto& [name, value] : parsed.fields) {
    if (name == "public-url")
      asked.public_url = value;
    else if (name == "peer")
      asked.request.peer = value == "proxy" ? "192.0.2.1" : value;
    else if (name == "scheme")
      asked.request.scheme = value == "https" ? "https" : "http";
    else if (name == "local")
      asked.request.local_address = value;
    else if (name == "listener")
      asked.request.listener_address = value;
    else if (with_forwarded || !soapsvc::detail::lower_copy(name).starts_with("x-forwarded"))
      asked.headers.push_back({name, value});
  }
  asked.request.headers = asked.headers;
}

/// The pieces of a page between the address's places.
std::vector<std::string> split_page(std::string_view target) {
  const std::string url = "http://split.here" + path;
  soapsvc::http_request request;
  const std::vector<soapsvc::http_header> headers{{"Host", "split.here"}};
  request.method = "GET";
  request.target = target;
  request.headers = headers;
  static world usual("");
  std::string page = usual.services().handle(request).body;
  std::vector<std::string> parts;
  for (std::size_t at = page.find(url); at != page.npos; at = page.find(url)) {
    parts.push_back(page.substr(0, at));
    page.erase(0, at + url.size());
  }
  parts.push_back(page);
  return parts;
}

/// The text at the places of the address in a page of these parts: equal in all places.
std::string address_in(const std::string& page, const std::vector<std::string>& parts) {
  std::size_t fixed = 0;
  for (const std::string& part : parts)
    fixed += part.size();
  const std::size_t places = parts.size() - 1;
  require(places > 0 && page.size() >= fixed, "a page holds its address");
  require((page.size() - fixed) % places == 0, "a page is the usual one", page);
  const std::string found = page.substr(parts.front().size(), (page.size() - fixed) / places);
  std::string expected = parts.front();
  for (std::size_t index = 1; index != parts.size(); ++index)
    expected.append(found).append(parts[index]);
  require(page == expected, "a page is the usual one", page);
  return found;
}

/// An address that is valid in an attribute and in text: no markup, and only characters of XML;
/// references count as their characters.
void check_address(std::string_view found, const question& asked) {
  require(found.starts_with("http://") || found.starts_with("https://"), "absolute", found);
  require(found.ends_with(path), "the path is the service's", found);
  require(found.find_first_of("<>\"\n\r\t") == found.npos, "no markup", found);
  if (!asked.public_url.empty()) return;  // the operator may set any text
  const std::string_view host =
      found.substr(found.find("//") + 2, found.size() - path.size() - found.find("//") - 2);
  require(!host.empty() && host.size() <= 262, "a host of sane size", found);
  for (const char c : host)
    require(
        std::isalnum(static_cast<unsigned char>(c)) || fuzz::contains("-._:[]", {&c, 1}),
        "a host and perhaps a port",
        found);
}

void check_wsdl(const std::string& page, std::string_view found) {
  static soapsvc::detail::xml_document document;
  const auto root = document.parse(page, "utf-8", soapsvc::message_limits{});
  require(root.local() == "definitions", "a description");
  auto service = root.first_child();
  while (service.next_sibling())
    service = service.next_sibling();
  std::size_t ports = 0;
  for (auto port = service.first_child(); port; port = port.next_sibling()) {
    if (port.local() != "port") continue;
    ++ports;
    const auto location = port.first_child().attribute("", "location");
    require(location && location->ends_with(path), "a port has the address", found);
  }
  require(ports == 2, "two ports");
}

/// A page shows the address in text, in attributes and in shell lines, with the required escapes.
/// The rest of the markup is that of the usual page, which depends only on the target.
void check_html(const std::string& page, const question& asked) {
  static const world usual("");
  const std::vector<soapsvc::http_header> headers{{"Host", "split.here"}};
  soapsvc::http_request request;
  request.method = "GET";
  // Without its authority, which may be missing: with public_url it is not used.
  const auto target = soapsvc::detail::parse_target(asked.request.target);
  const std::string relative = std::string(target.path) + '?' + std::string(target.query);
  request.target = relative;
  request.headers = headers;
  const std::string plain = usual.services().handle(request).body;
  for (const char markup : {'<', '>'})
    require(
        std::count(page.begin(), page.end(), markup) ==
            std::count(plain.begin(), plain.end(), markup),
        "a page has the usual markup",
        page);
}

soapsvc::http_response answer(const question& asked) {
  static const world usual("");
  if (asked.public_url.empty()) return usual.services().handle(asked.request);
  const world other(asked.public_url);
  return other.services().handle(asked.request);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto wsdl_parts = split_page(path + "?wsdl");
  require(wsdl_parts.size() == 3, "the description names its address twice");

  question asked;
  fill(asked, fuzz::text_of(data, size), true);
  if (asked.request.method == "POST") return 0;  // another target's
  soapsvc::http_response response;
  try {
    response = answer(asked);
  } catch (const std::invalid_argument&) {
    // Refused at the start, and not while serving.
    require(!asked.public_url.empty(), "only a public_url can be refused");
    return 0;
  }
  require(response.body.find('\0') == std::string::npos, "no NUL");
  require(
      response.status == 200 || response.status == 400 || response.status == 404 ||
          response.status == 405 || response.status == 421,
      "a status");
  require(
      response.status != 421 || !asked.public_url.empty() ||
          !asked.request.listener_address.empty(),
      "no name is refused unasked");
  if (response.status == 200 && response.content_type == "text/xml; charset=utf-8") {
    const std::string found = address_in(response.body, wsdl_parts);
    check_address(found, asked);
    check_wsdl(response.body, found);
  } else if (response.content_type == "text/html; charset=utf-8") {  // or 404, for an unknown ?op=
    check_html(response.body, asked);
  } else {
    require(response.body.size() < 8'192, "a short answer", response.body);
  }
  if (asked.request.peer != "192.0.2.1") {
    question plain;
    fill(plain, fuzz::text_of(data, size), false);
    const soapsvc::http_response same = answer(plain);
    require(
        same.status == response.status && same.body == response.body, "nobody else is believed");
  }
  return 0;
}
