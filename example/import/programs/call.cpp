// [about]
// Calls the service that contract.hpp declares: run it with --help.
// [end]
#include "soapsvc.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// [header]
#include "contract.hpp"
// [end]

namespace client_program {

/// The call of this run, and its result.
struct Call {
  std::string url;
  std::string operation;
  std::string file;
  bool shows_sample = false;
  bool speaks_json = false;
  soapsvc::client_options options;
  std::string fault;  ///< code and reason, of the server or of what is wrong with the request
  bool was_answered = false;  ///< the fault, if any, is the server's
  std::string failure;  ///< the reason why there is no response
};
Call call;

/// Adds the detail of a fault if it has this type.
template <class Detail> void add_detail(soapsvc::fault& to, const soapsvc::remote_fault& from) {
  if (const auto detail = soapsvc::read_detail<Detail>(from)) to = to.with(*detail);
}

/// Every operation calls the server. If a fault has a detail that the contract declares, the detail
/// is passed on.
template <class... Details, class Result, class Service, class... Parameters, class... Arguments>
Result hand_on(
    const char* operation,
    Result (Service::*method)(Parameters...),
    const Arguments&... arguments) {
  if (call.operation != operation)
    throw soapsvc::fault(
        soapsvc::fault_code::client, std::string("the request is for ") + operation);
  try {
    soapsvc::client<Service> server(call.url, call.options);
    call.was_answered = true;
    return server.call(method, arguments...);
  } catch (const soapsvc::remote_fault& refused) {
    soapsvc::fault told(refused.code(), refused.reason());
    if (!refused.subcode().empty()) told = told.with_subcode(refused.subcode());
    (add_detail<Details>(told, refused), ...);
    throw told;
  }
}

}  // namespace client_program

// [methods]
namespace contract {

std::string Greeter::greet(const Greet& request) {
  return client_program::hand_on("Greet", &Greeter::greet, request);
}

}  // namespace contract
// [end]

namespace client_program {

struct Operation {
  const char* service;
  const char* name;
  const char* action;  ///< SOAPAction
};
constexpr Operation operations[] = {
    // [operations]
    {"Greeter", "Greet", "urn:greeter/Greet"},
    // [end]
};

void add_services(soapsvc::dispatcher& to) {
  // [services]
  static contract::Greeter greeter;
  to.add<contract::Greeter>(greeter);
  // [end]
}

// -- XML and JSON ---------------------------------------------------------------------------------
// JSON says what XML says: a member is an element, "@name" an attribute, "#text" the text beside
// attributes, a list an element several times, and null one that is xsi:nil. Element and attribute
// names keep their prefixes, and "@xmlns" the namespace, as the sample has them.

struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Element> children;
  std::string text;
};

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '<')
      made += "&lt;";
    else if (c == '>')
      made += "&gt;";
    else if (c == '&')
      made += "&amp;";
    else if (c == '"')
      made += "&quot;";
    else
      made += c;
  }
  return made;
}

std::string unescaped(std::string_view text) {
  static constexpr std::pair<std::string_view, char> names[] = {
      {"&lt;", '<'},
      {"&gt;", '>'},
      {"&amp;", '&'},
      {"&quot;", '"'},
      {"&apos;", '\''},
      {"&#39;", '\''},
      {"&#9;", '\t'},
      {"&#10;", '\n'},
      {"&#13;", '\r'},
      {"&#x9;", '\t'},
      {"&#xA;", '\n'},
      {"&#xD;", '\r'}};
  std::string made;
  while (!text.empty()) {
    std::size_t used = 1;
    char c = text.front();
    for (const auto& [name, meant] : names)
      if (c == '&' && text.starts_with(name)) {
        used = name.size();
        c = meant;
        break;
      }
    made += c;
    text.remove_prefix(used);
  }
  return made;
}

/// Reads XML without checks, because the library has written it.
class XmlReader {
public:
  explicit XmlReader(std::string_view text) : rest_(text) {}

  Element read() {
    skip_to_tag();
    return element();
  }

private:
  std::string_view until(std::string_view end) {
    const std::size_t at = std::min(rest_.find(end), rest_.size());
    const std::string_view taken = rest_.substr(0, at);
    rest_.remove_prefix(std::min(at + end.size(), rest_.size()));
    return taken;
  }

  /// Text up to the next tag; comments and the XML declaration are no text.
  std::string skip_to_tag() {
    std::string text;
    while (!rest_.empty()) {
      const std::size_t tag = std::min(rest_.find('<'), rest_.size());
      text += unescaped(rest_.substr(0, tag));
      rest_.remove_prefix(tag);
      if (rest_.starts_with("<!--"))
        until("-->");
      else if (rest_.starts_with("<![CDATA["))
        text += until("]]>").substr(9);
      else if (rest_.starts_with("<?"))
        until("?>");
      else
        break;
    }
    return text;
  }

  Element element() {
    Element made;
    rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
    const std::size_t end = std::min(rest_.find_first_of(" \t\r\n/>"), rest_.size());
    made.name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (!attributes(made)) return made;
    for (made.text = skip_to_tag(); !rest_.empty() && !rest_.starts_with("</");
         made.text += skip_to_tag())
      made.children.push_back(element());
    until(">");
    const bool is_blank = made.text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (is_blank && !made.children.empty()) made.text.clear();
    return made;
  }

  /// Whether the element has content.
  bool attributes(Element& of) {
    while (true) {
      const std::size_t next = rest_.find_first_not_of(" \t\r\n");
      rest_.remove_prefix(std::min(next, rest_.size()));
      if (rest_.empty()) return false;
      if (rest_.starts_with("/>") || rest_.starts_with(">")) {
        const bool is_empty = rest_.front() == '/';
        until(">");
        return !is_empty;
      }
      const std::string_view said = until("=");
      const std::string name(said.substr(0, said.find_last_not_of(" \t\r\n") + 1));
      rest_.remove_prefix(std::min(rest_.find_first_of("\"'"), rest_.size()));
      const std::string quote(rest_.substr(0, 1));
      rest_.remove_prefix(quote.size());
      of.attributes.emplace_back(name, unescaped(until(quote)));
    }
  }

  std::string_view rest_;
};

std::string to_xml(const Element& from) {
  std::string made = '<' + from.name;
  for (const auto& [name, value] : from.attributes)
    made += ' ' + name + "=\"" + escaped(value) + '"';
  made += '>' + escaped(from.text);
  for (const Element& each : from.children)
    made += to_xml(each);
  return made + "</" + from.name + '>';
}

using Json = nlohmann::ordered_json;

Json to_json(const Element& from) {
  if (from.attributes.empty() && from.children.empty()) return from.text;
  Json made = Json::object();
  for (const auto& [name, value] : from.attributes)
    made['@' + name] = value;
  if (!from.text.empty()) made["#text"] = from.text;
  for (const Element& each : from.children) {
    if (!made.contains(each.name)) {
      made[each.name] = to_json(each);
      continue;
    }
    Json& known = made[each.name];
    if (!known.is_array()) known = Json::array({known});
    known.push_back(to_json(each));
  }
  return made;
}

/// Makes an element of JSON while it is read, since values of JSON would lose digits of numbers.
class JsonReader final : public nlohmann::json_sax<Json> {
public:
  /// Throws std::runtime_error.
  static Element read(const std::string& text) {
    JsonReader reader;
    Json::sax_parse(text, &reader);
    return std::move(reader.root_);
  }

  // What the library calls.
  bool null() override { return add_text({}, true); }
  bool boolean(bool value) override { return add_text(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { return add_text(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override { return add_text(std::to_string(value)); }
  bool number_float(double, const std::string& digits) override { return add_text(digits); }
  bool string(std::string& value) override { return add_text(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // used only for other formats

  bool start_object(std::size_t) override {
    if (open_.size() == 100) refuse("more than 100 levels");
    Element& made = next_element();
    open_.push_back({&made, {}});
    return true;
  }
  bool key(std::string& name) override {
    open_.back().key = std::move(name);
    return true;
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override {
    if (open_.empty() || open_.back().is_in_list || !open_.back().is_element())
      refuse("a list must be a member's value; it cannot contain a list");
    return open_.back().is_in_list = true;
  }
  bool end_array() override {
    open_.back().is_in_list = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& why) override {
    const std::string_view said = why.what();  // [json.exception.parse_error.101] parse error ...
    throw std::runtime_error(
        "the JSON: " + std::string(said.substr(std::min(said.find("] ") + 2, said.size()))));
  }

private:
  /// An object that is being read.
  struct Open {
    Element* element;
    std::string key;
    bool is_in_list = false;
    bool is_element() const { return key != "#text" && !key.starts_with('@'); }
  };

  [[noreturn]] void refuse(const std::string& reason) const {
    const bool is_inside = !open_.empty() && !open_.back().key.empty();
    throw std::runtime_error(
        "the JSON" + (is_inside ? ", at \"" + open_.back().key + '"' : "") + ": " + reason);
  }

  Element& next_element() {
    if (open_.empty()) return root_;
    if (!open_.back().is_element()) refuse("an attribute or a text has no members");
    Element& made = open_.back().element->children.emplace_back();
    made.name = open_.back().key;
    return made;
  }

  bool add_text(std::string text, bool is_null = false) {
    if (open_.empty() || open_.back().is_element()) {
      Element& made = next_element();
      made.text = std::move(text);
      if (is_null) made.attributes.emplace_back("xsi:nil", "true");
    } else if (open_.back().key == "#text") {
      open_.back().element->text = std::move(text);
    } else if (!is_null) {
      open_.back().element->attributes.emplace_back(open_.back().key.substr(1), std::move(text));
    }
    return true;
  }

  Element root_;
  std::vector<Open> open_;
};

// -- Requests and responses -----------------------------------------------------------------------

constexpr std::string_view soap_12 = "http://www.w3.org/2003/05/soap-envelope";

constexpr const char* soap_12_type = "application/soap+xml; charset=utf-8";

/// The sample in the requested SOAP version. If the service has only the other version, in that.
std::string sample_of(const soapsvc::dispatcher& services, const Operation& operation) {
  using enum soapsvc::soap_version;
  const auto version = call.options.version;
  try {
    return services.sample(operation.service, operation.name, version);
  } catch (const std::invalid_argument&) {
    return services.sample(operation.service, operation.name, version == v1_1 ? v1_2 : v1_1);
  }
}

/// The content of an envelope, without the parts that all envelopes share.
Element opened(const std::string& envelope) {
  Element made = XmlReader(envelope).read();
  made.attributes.clear();
  for (Element& each : made.children)
    each.name.erase(0, each.name.find(':') + 1);
  return made;
}

/// The envelope for a JSON request, in the version of the sample.
std::string closed(Element content, const std::string& sample) {
  const std::string ns = sample.find(soap_12) != std::string::npos
                             ? std::string(soap_12)
                             : "http://schemas.xmlsoap.org/soap/envelope/";
  content.name = "soap:Envelope";
  content.attributes = {
      {"xmlns:soap", ns},
      {"xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"},
      {"xmlns:xsd", "http://www.w3.org/2001/XMLSchema"}};
  for (Element& each : content.children)
    each.name.insert(0, "soap:");
  return to_xml(content);
}

std::string read_file(const std::string& name) {
  std::ifstream file;
  if (name != "-") {
    file.open(name, std::ios::binary);
    if (!file) throw std::runtime_error(name + " cannot be read");
  }
  std::istream& from = name == "-" ? std::cin : file;
  return {std::istreambuf_iterator<char>(from), {}};
}

/// The side that caused the fault, and the reason.
std::string fault_text(soapsvc::fault_code code, std::string_view reason) {
  const char* name = "Server";
  switch (code) {
  case soapsvc::fault_code::client: name = "Client"; break;
  case soapsvc::fault_code::server: break;
  case soapsvc::fault_code::must_understand: name = "MustUnderstand"; break;
  case soapsvc::fault_code::version_mismatch: name = "VersionMismatch"; break;
  case soapsvc::fault_code::data_encoding_unknown: name = "DataEncodingUnknown"; break;
  }
  return std::string(name) + ": " + std::string(reason);
}

void print(const std::string& envelope) {
  std::cout << (call.speaks_json ? to_json(opened(envelope)).dump(2) : envelope) << '\n';
}

/// Sends the request in the file and prints the response. An invalid request is not sent.
int send(const soapsvc::dispatcher& services, const Operation& operation) {
  std::string body = read_file(call.file);
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && body[first] == '{') {
    call.speaks_json = true;
    body = closed(JsonReader::read(body), sample_of(services, operation));
  }
  const bool is_12 = body.find(soap_12) != std::string::npos;
  call.options.version = is_12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
  const std::string path(services.path_of(operation.service));
  const std::string action = '"' + std::string(operation.action) + '"';
  const std::string type =
      is_12 ? soap_12_type + ("; action=" + action) : "text/xml; charset=utf-8";
  const soapsvc::http_header fields[] = {
      {"Host", "localhost"}, {"Content-Type", type}, {"SOAPAction", action}};
  const std::size_t used = is_12 ? 2 : 3;
  const soapsvc::http_response response = services.handle({"POST", path, {fields, used}, body});
  if (!call.failure.empty()) {
    std::cerr << call.failure << '\n';
    return 3;
  }
  if (!call.was_answered) {
    std::cerr << "not sent: " << (call.fault.empty() ? response.body : call.fault) << '\n';
    return 2;
  }
  if (!response.body.empty()) print(response.body);
  if (call.fault.empty()) return 0;
  std::cerr << "fault: " << call.fault << '\n';
  return 1;
}

// -- The command line -----------------------------------------------------------------------------

constexpr const char* usage =
    R"(Calls the operations of a service.

  client URL                             lists the operations
  client URL OPERATION --sample > FILE   prints a request with every field filled; edit it
  client URL OPERATION FILE              sends it and prints the response; - is standard input

URL is the address of the service, without ?wsdl. OPERATION is the name that the list shows, with or
without its service. FILE holds the envelope in XML, as --sample prints it, or in JSON:
  {"Body": {"Greet": {"@xmlns": "urn:example", "Name": "Ada", "@id": 7}}}
In JSON, "@id" is an attribute, and "#text" is the text of an element with attributes. An array is
an element that repeats. null is an element with xsi:nil. Write "@xmlns" in the same elements as
the sample does. The response has the format of the request.

  --json           prints the sample in JSON
  --soap 1.2       the SOAP version of the sample and of requests in JSON [1.1]
  --header TEXT    an HTTP header to send, such as "Authorization: Bearer abc"; repeatable
  --ca FILE        certificates of the authorities to trust [those of the system]
  --help           prints this text

Exit status: 0 (success), 1 (the server answered with a fault), 2 (nothing was sent, because of an
error in the command line or in the request), 3 (no response).
)";

/// An error in the command line.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void read_option(const std::string& name, const std::string& value) {
  if (name == "--soap") {
    if (value != "1.1" && value != "1.2") throw UsageError("--soap must be 1.1 or 1.2");
    const bool is_12 = value == "1.2";
    call.options.version = is_12 ? soapsvc::soap_version::v1_2 : soapsvc::soap_version::v1_1;
  } else if (name == "--ca") {
    call.options.ca_file = value;
  } else if (name == "--header") {
    const std::size_t colon = value.find(':');
    if (colon == std::string::npos) throw UsageError("--header must be \"Name: value\"");
    const std::size_t begin = std::min(value.find_first_not_of(' ', colon + 1), value.size());
    call.options.headers.emplace_back(value.substr(0, colon), value.substr(begin));
  } else {
    throw UsageError("there is no option " + name);
  }
}

void read_arguments(const std::vector<std::string>& arguments) {
  std::vector<std::string*> places{&call.url, &call.operation, &call.file};
  std::size_t place = 0;
  for (auto each = arguments.begin(); each != arguments.end(); ++each) {
    if (*each == "--sample") {
      call.shows_sample = true;
    } else if (*each == "--json") {
      call.speaks_json = true;
    } else if (each->starts_with("--")) {
      const bool is_last = each + 1 == arguments.end();
      read_option(*each, is_last ? std::string() : *(each + 1));
      if (is_last) throw UsageError(*each + " needs a value");
      ++each;
    } else if (place != places.size()) {
      *places[place++] = *each;
    } else {
      throw UsageError("unexpected argument '" + *each + '\'');
    }
  }
  if (call.url.empty()) throw UsageError("URL is missing; see --help");
  if (!call.operation.empty() && call.shows_sample != call.file.empty())
    throw UsageError("give either --sample or a FILE to send");
}

/// The name with its service, because two services may have operations with one name.
std::string full_name(const Operation& of) { return std::string(of.service) + '.' + of.name; }

const Operation& find_operation(const std::string& name) {
  for (const Operation& each : operations)
    if (name == each.name || name == full_name(each)) return each;
  throw UsageError("there is no operation " + name + "; without OPERATION, all are listed");
}

int run() {
  if (call.operation.empty()) {
    for (const Operation& each : operations)
      std::cout << full_name(each) << '\n';
    return 0;
  }
  soapsvc::dispatcher_options options{.ns_base = "http://localhost:8080"};
  options.on_call = [](const soapsvc::call_report& report) {
    if (report.fault_code) call.fault = fault_text(*report.fault_code, report.fault_reason);
  };
  options.on_error = [](const soapsvc::error_report& report) { call.failure = report.what; };
  soapsvc::dispatcher services{options};
  add_services(services);
  const Operation& operation = find_operation(call.operation);
  call.operation = operation.name;
  if (!call.shows_sample) return send(services, operation);
  print(sample_of(services, operation));
  return 0;
}

/// Returns the program's exit status.
int main(const std::vector<std::string>& arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    std::cout << usage;
    return 0;
  }
  read_arguments(arguments);
  return run();
}

}  // namespace client_program

int main(int argc, char** argv) {
  try {
    return client_program::main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
