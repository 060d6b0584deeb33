// Messages of contracts with all features of tables ([codec], [envelope], [call], [calling]): every
// kind of type, several header blocks in both directions, bare, rpc and one-way operations,
// declared faults.
//
// The first line describes the rest: `SERVICE VERSION UNKNOWN OPERATION ACTION`. Example: `Desk 1.1
// refuse - check`. With `-` for the operation, the rest is a request. With the name of an
// operation, it is the response to a client's call of it. The rest is an envelope, or its content:
// Header and Body, or the content of a Body. The services `Door` are those of doors.hpp.
//
// The content of a Body is also read as an element without a message.
//
// Promised: every output is well-formed for libxml2 as well, and valid by the schemas of the WSDL.
// A value that was read can be sent in both versions, and gets an equal value with the same bytes.
// Refused messages get a readable fault, and nothing is an incident.
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlschemas.h>

#include "doors.hpp"
#include "fuzz.hpp"
#include "tests/kinds/corners.hpp"
#include "tests/kinds/kinds.hpp"
#include "tests/support.hpp"

namespace fuzz {

using soapsvc::header_blocks;
using soapsvc::with_header_blocks;
using support::version;

// --- The services --------------------------------------------------------------------------------

struct ask {
  std::string text;
  std::optional<soapsvc::xml> more;
  bool operator==(const ask&) const = default;
};
struct loan {
  std::string person;
  std::int32_t amount{};
  std::vector<soapsvc::xml_attribute> marks;
  bool operator==(const loan&) const = default;
};
struct tagged {
  std::string text;
  std::optional<std::string> language;
  bool operator==(const tagged&) const = default;
};
struct login {
  std::string key;
  std::optional<std::int32_t> level;
  bool operator==(const login&) const = default;
};
struct trace {
  soapsvc::qualified_name id;
  bool operator==(const trace&) const = default;
};
struct problem {
  std::int32_t code{};
  std::vector<std::string> texts;
  bool operator==(const problem&) const = default;
};
struct elsewhere {
  soapsvc::polymorphic<kinds::Animal> animal;
  bool operator==(const elsewhere&) const = default;
};
struct failure {
  std::optional<problem> detail;
  std::optional<elsewhere> other;
  std::optional<std::string> header;
  bool operator==(const failure&) const = default;
};
struct parts {
  std::string text;
  soapsvc::list<std::int16_t> numbers;
  kinds::Walk walk;
  bool operator==(const parts&) const = default;
};

/// Values by adapters.
struct adapted {
  std::chrono::sys_time<std::chrono::nanoseconds> moment;
  std::vector<std::chrono::milliseconds> lengths;
  std::optional<std::chrono::years> years;
  std::chrono::sys_days day;
  std::unique_ptr<problem> detail;
};

/// The last call, for a repetition by a client. Handlers set it.
std::function<void(version, const soapsvc::http_response&)> again;

/// Returns its argument.
class desk {
public:
  kinds::Everything everything(const kinds::Everything& all);
  corners::All all(const corners::All& all);
  with_header_blocks<ask, login, std::optional<trace>> two(
      const ask& asked, const header_blocks<login, std::optional<trace>>& blocks);
  loan submit(const loan& asked);
  loan check(const loan& asked);
  loan cancel(const loan& asked);
  tagged mirror(const tagged& asked);
  soapsvc::polymorphic<kinds::Shape> shape(const kinds::Zoo& zoo);
  void forget(const ask& asked);
  void fail(const failure& wanted);
  std::vector<std::string> blocks(const soapsvc::context& context);
};

/// Of the style that makes elements of parts.
class sums {
public:
  parts echo(const parts& asked);
  kinds::Price price(const parts& asked);
};

}  // namespace fuzz

template <>
inline constexpr auto soapsvc::schema<fuzz::ask> =
    record(field("Text", &fuzz::ask::text), any(&fuzz::ask::more, ns("##other")));
template <>
inline constexpr auto soapsvc::schema<fuzz::loan> = record(
    "Loan",
    field("Person", &fuzz::loan::person, max_length(8)),
    attribute("amount", &fuzz::loan::amount, min_inclusive("-5")),
    any_attribute(&fuzz::loan::marks, ns("##other")));
template <>
inline constexpr auto soapsvc::schema<fuzz::tagged> = record(
    "Tagged",
    content(&fuzz::tagged::text),
    attribute("lang", &fuzz::tagged::language, xs::language));
template <>
inline constexpr auto soapsvc::schema<fuzz::login> =
    record("Login", field("Key", &fuzz::login::key), attribute("level", &fuzz::login::level));
template <>
inline constexpr auto soapsvc::schema<fuzz::trace> =
    record("Trace", ns("urn:trace"), content(&fuzz::trace::id));
template <>
inline constexpr auto soapsvc::schema<fuzz::problem> = record(
    "Problem", attribute("code", &fuzz::problem::code), field("Text", &fuzz::problem::texts));
template <>
inline constexpr auto soapsvc::schema<fuzz::adapted> = record(
    "Adapted",
    attribute("day", &fuzz::adapted::day),
    field("Moment", &fuzz::adapted::moment),
    field("Length", &fuzz::adapted::lengths, max_inclusive("P1D")),
    field("Years", &fuzz::adapted::years),
    field("Detail", &fuzz::adapted::detail));
template <>
inline constexpr auto soapsvc::schema<fuzz::elsewhere> =
    record("Elsewhere", ns("urn:else"), field("Animal", &fuzz::elsewhere::animal));
template <>
inline constexpr auto soapsvc::schema<fuzz::failure> = record(
    field("Detail", &fuzz::failure::detail),
    field("Other", &fuzz::failure::other),
    field("Header", &fuzz::failure::header));
template <>
inline constexpr auto soapsvc::schema<fuzz::parts> = record(
    field("Text", &fuzz::parts::text),
    field("Numbers", &fuzz::parts::numbers, kinds::few),
    field("Walk", &fuzz::parts::walk));
template <>
inline constexpr auto soapsvc::schema<fuzz::desk> = service(
    "Desk",
    operation("Everything", &fuzz::desk::everything),
    operation("All", &fuzz::desk::all),
    operation("Two", &fuzz::desk::two, response("Both")),
    operation("Submit", &fuzz::desk::submit, bare, response("Submitted"), action("")),
    operation(
        "Check", &fuzz::desk::check, bare, request("Paper"), response("Done"), action("check")),
    operation(
        "Cancel", &fuzz::desk::cancel, bare, request("Paper"), response("Done"), action("cancel")),
    operation(
        "Mirror",
        &fuzz::desk::mirror,
        bare,
        request("Mirror", ns("urn:mirror")),
        response("Mirror", ns("urn:mirror"))),
    operation("Shape", &fuzz::desk::shape, request("Zoo"), result("return", unqualified)),
    operation("Forget", &fuzz::desk::forget, one_way),
    operation(
        "Fail", &fuzz::desk::fail, fault_detail<fuzz::problem>(), fault_detail<fuzz::elsewhere>()),
    operation("Blocks", &fuzz::desk::blocks));
template <>
inline constexpr auto soapsvc::schema<fuzz::sums> = service(
    "Sums",
    ns("urn:sums"),
    rpc,
    operation("Echo", &fuzz::sums::echo),
    operation("Price", &fuzz::sums::price, result("return")));

namespace fuzz {

// --- libxml2 -------------------------------------------------------------------------------------

/// The errors since it was made, in one text.
class complaints {
public:
  complaints() {
    xmlSetStructuredErrorFunc(this, [](void* self, xmlErrorPtr error) {
      auto& text = static_cast<complaints*>(self)->text_;
      // An invalid URI as a namespace is only a warning, which is ignored.
      const bool about_uri =
          error->code == XML_WAR_NS_URI || error->code == XML_WAR_NS_URI_RELATIVE;
      if (error->message && !about_uri) text += error->message;
    });
  }
  ~complaints() { xmlSetStructuredErrorFunc(nullptr, nullptr); }
  complaints(const complaints&) = delete;
  complaints& operator=(const complaints&) = delete;
  const std::string& text() const { return text_; }

private:
  std::string text_;
};

using document_owner = std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)>;

document_owner read_by_other(const std::string& text) {
  return {
      xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr, XML_PARSE_NONET),
      &xmlFreeDoc};
}

/// The schemas of a service, as its WSDL has them.
class schemas {
public:
  explicit schemas(const std::string& wsdl) {
    const support::scratch_folder folder;
    const complaints told;
    const auto file = support::write_schemas(wsdl, folder.path());
    const auto context = xmlSchemaNewParserCtxt(file.c_str());
    schema_ = xmlSchemaParse(context);
    xmlSchemaFreeParserCtxt(context);
    require(schema_ != nullptr, "the schemas are schemas", told.text());
  }
  ~schemas() { xmlSchemaFree(schema_); }
  schemas(const schemas&) = delete;
  schemas& operator=(const schemas&) = delete;

  /// The errors of the content of a message's Body; empty if it is valid.
  std::string errors(const std::string& message) const {
    const complaints told;
    const document_owner document = read_by_other(message);
    require(document != nullptr, "a message is a document", message);
    xmlNode* body = xmlLastElementChild(xmlDocGetRootElement(document.get()));
    const auto context = xmlSchemaNewValidCtxt(schema_);
    const int status = xmlSchemaValidateOneElement(context, xmlFirstElementChild(body));
    xmlSchemaFreeValidCtxt(context);
    return status == 0 ? "" : told.text() + '.';
  }

private:
  xmlSchemaPtr schema_ = nullptr;
};

// --- The world -----------------------------------------------------------------------------------

struct world {
  explicit world(soapsvc::unknown_elements unknown) : services(options(unknown)) {
    services.add(the_desk);
    services.add(the_sums);
    declared.emplace(wsdl("Desk"));
  }
  static soapsvc::dispatcher_options options(soapsvc::unknown_elements unknown) {
    soapsvc::dispatcher_options made;
    made.ns_base = support::base;
    made.unknown_elements = unknown;
    made.limits.max_body_bytes = 65'536;
    made.on_error = [](const soapsvc::error_report& report) {
      fuzz::broken("no incidents", report.what);
    };
    return made;
  }
  std::string wsdl(const std::string& service) const {
    soapsvc::http_request request;
    request.method = "GET";
    const std::string target = "/soap/v3/" + service + ".asmx?wsdl";
    request.target = target;
    return services.handle(request).body;
  }
  soapsvc::http_response post(
      const std::string& service,
      version v,
      const std::string& action,
      const std::string& message) const {
    return post_to(services, "/soap/v3/" + service + ".asmx", v, action, message);
  }

  desk the_desk;
  sums the_sums;
  soapsvc::dispatcher services;
  std::optional<schemas> declared;
};

world& world_for(bool lax) {
  static world usual(soapsvc::unknown_elements::refuse);
  static world ignoring(soapsvc::unknown_elements::ignore);
  return lax ? ignoring : usual;
}
world* current = nullptr;

// --- Checks --------------------------------------------------------------------------------------

/// Both readers take it.
void check_response(const soapsvc::http_response& response) {
  const complaints told;
  const document_owner document = read_by_other(response.body);
  require(document != nullptr, "libxml2 reads a response", told.text() + response.body);
  require(told.text().empty(), "libxml2 complains of nothing", told.text() + response.body);
  const support::document ours(response.body);
}

/// An element for a wildcard may be declared in the schemas themselves. Lax validation checks its
/// content, and a table does not (XML Schema part 1, 3.10.1). Also libxml2's own limit.
bool is_beyond_schemas(const std::string& message) {
  for (const std::string_view part :
       {"<Two xmlns", "<Both xmlns", "<Forget xmlns", "Open", "Anything", "xml:lang"})
    if (contains(message, part)) return true;
  if (contains(message, "Z</Even>")) return true;  // see is_of_other_form
  // libxml2 takes numbers of 24 digits.
  std::size_t digits = 0;
  for (const char c : message) {
    if (c != '.') digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 24) return true;
  }
  return false;
}

void check_valid(const std::string& service, const std::string& message) {
  // Parts of rpc have types, and no elements.
  if (service != "Desk" || is_beyond_schemas(message)) return;
  const std::string errors = current->declared->errors(message);
  require(errors.empty(), "what is written is valid", errors + message);
}

/// Calls the services, and records the messages.
template <class Service> struct caller {
  explicit caller(version v)
      : client(
            [this](const soapsvc::http_request& request) {
              soapsvc::http_request passed = request;
              const std::string target = "/soap/v3/" + name + ".asmx";
              passed.target = target;
              sent = std::string(request.body);
              response = current->services.handle(passed);
              return response;
            },
            options(v)) {}
  static soapsvc::client_options options(version v) {
    soapsvc::client_options made;
    made.ns_base = support::base;
    made.version = v;
    made.unknown_elements = soapsvc::unknown_elements::refuse;
    made.accept_gzip = false;
    return made;
  }
  const std::string name = std::is_same_v<Service, desk> ? "Desk" : "Sums";
  std::string sent;
  soapsvc::http_response response;
  soapsvc::client<Service> client;
};

template <class Value> bool is_same(const Value& a, const Value& b) { return a == b; }
template <class Result, class... Blocks>
bool is_same(
    const with_header_blocks<Result, Blocks...>& a,
    const with_header_blocks<Result, Blocks...>& b) {
  return a.result == b.result &&
         a.header_blocks.template get<login>() == b.header_blocks.template get<login>() &&
         a.header_blocks.template get<trace>() == b.header_blocks.template get<trace>();
}

/// The end of a call without a result: the details and header blocks of its fault.
struct refusal {
  std::optional<problem> detail;
  std::optional<elsewhere> other;
  bool operator==(const refusal&) const = default;
};

refusal details_of(const soapsvc::remote_fault& fault) {
  require(soapsvc::detail::find_bad_char(fault.what()) == std::string::npos, "a reason for a log");
  return {soapsvc::read_detail<problem>(fault), soapsvc::read_detail<elsewhere>(fault)};
}

/// A pattern applies to texts, and a value may have several: 2020-01-02+00:00 is written with a Z,
/// which the pattern of Even does not allow. Such a value cannot be sent.
bool is_of_other_form(std::string_view error) {
  return contains(error, "to be sent as Even, is not of the form");
}

/// Makes the call with the same values in both versions. NaN equals nothing, so its bytes are
/// compared.
template <class Service, class Method, class Result, class... Parameters>
void call_again(
    version v,
    const soapsvc::http_response& first,
    Method method,
    const Result& expected,
    const Parameters&... parameters) {
  caller<Service> client(v);
  bool good = false;
  try {
    if constexpr (std::is_same_v<Result, refusal>) {
      try {
        client.client.call(method, parameters...);
        good = expected == refusal{};
      } catch (const soapsvc::remote_fault& fault) {
        good = expected == details_of(fault);
      }
    } else {
      good = is_same(client.client.call(method, parameters...), expected);
    }
  } catch (const std::exception& error) {
    if (is_of_other_form(error.what())) return;
    fuzz::broken("what was read can be sent", error.what() + first.body + client.sent);
  }
  // A fragment keeps the prefixes around it that its text seems to use, those of our own elements
  // among them: it grows by them. Both envelopes declare the same.
  const auto declared = [](std::string_view text) { return count_of(text, "xmlns:"); };
  if (!good && declared(client.response.body) > declared(client.sent)) return;
  const bool is_good = good || contains(client.sent, "NaN");
  require(is_good, "what was read is equal", client.sent + "\n\n" + client.response.body);
  if (client.response.status != 202) check_response(client.response);
  check_valid(client.name, client.sent);
  if (first.content_type == support::content_type(v))
    require(
        client.response.body == first.body, "the same bytes", client.response.body + first.body);
}

/// A record is XML without a message as well, and text for a log.
template <class Value> void check_alone(const Value& value) {
  if constexpr (requires { soapsvc::schema<Value>.count; }) {
    require(soapsvc::is_xml_text(soapsvc::to_text(value)), "a text for a log");
    if constexpr (!soapsvc::schema<Value>.name.empty()) {
      std::string text;
      try {
        text = soapsvc::write_xml(value, support::base + "/Desk");
      } catch (const std::invalid_argument& error) {
        require(is_of_other_form(error.what()), "what was read can be written", error.what());
        return;
      }
      const std::string copy = soapsvc::write_xml(
          soapsvc::read_xml<Value>(text, {}, support::base + "/Desk"), support::base + "/Desk");
      // A fragment takes the declarations around it along.
      const bool same = copy == text || count_of(copy, "xmlns:") > count_of(text, "xmlns:");
      require(same, "the same element", text + "\n\n" + copy);
    }
  }
}

/// Reads an element that came without a message.
template <class Value> void read_alone(std::string_view text) {
  try {
    check_alone(soapsvc::read_xml<Value>(text));
  } catch (const soapsvc::fault& refused) {
    require(soapsvc::is_xml_text(refused.reason()), "a reason that can be sent");
  }
}

/// The body of a method: keeps the call, and returns `expected`.
template <class Service, class Method, class Result, class... Parameters>
Result hear(Method method, const Result& expected, const Parameters&... parameters) {
  (check_alone(parameters), ...);
  again = [=](version v, const soapsvc::http_response& first) {
    call_again<Service>(v, first, method, expected, parameters...);
  };
  return expected;
}

kinds::Everything desk::everything(const kinds::Everything& asked) {
  return hear<desk>(&desk::everything, asked, asked);
}
corners::All desk::all(const corners::All& asked) { return hear<desk>(&desk::all, asked, asked); }
with_header_blocks<ask, login, std::optional<trace>> desk::two(
    const ask& asked, const header_blocks<login, std::optional<trace>>& blocks) {
  const with_header_blocks<ask, login, std::optional<trace>> answer{asked, blocks};
  return hear<desk>(&desk::two, answer, asked, blocks);
}
loan desk::submit(const loan& asked) { return hear<desk>(&desk::submit, asked, asked); }
loan desk::check(const loan& asked) { return hear<desk>(&desk::check, asked, asked); }
loan desk::cancel(const loan& asked) {
  const loan answer{"no", asked.amount, asked.marks};
  return hear<desk>(&desk::cancel, answer, asked);
}
tagged desk::mirror(const tagged& asked) { return hear<desk>(&desk::mirror, asked, asked); }
soapsvc::polymorphic<kinds::Shape> desk::shape(const kinds::Zoo& zoo) {
  const auto answer = zoo.shapes.empty() ? soapsvc::polymorphic<kinds::Shape>(kinds::Shape{"none"})
                                         : zoo.shapes.front();
  return hear<desk>(&desk::shape, answer, zoo);
}
void desk::forget(const ask& asked) { hear<desk>(&desk::forget, refusal{}, asked); }
void desk::fail(const failure& wanted) {
  // Only one detail is sent: the first that there is.
  refusal told{wanted.detail, wanted.detail ? std::nullopt : wanted.other};
  hear<desk>(&desk::fail, told, wanted);
  soapsvc::fault made(soapsvc::fault_code::client, "as wanted");
  if (wanted.header) made = std::move(made).with_header_block(login{*wanted.header, {}});
  if (told.detail) throw std::move(made).with(*told.detail);
  if (told.other) throw std::move(made).with(*told.other);
  throw made;
}
std::vector<std::string> desk::blocks(const soapsvc::context& context) {
  std::vector<std::string> names;
  for (const soapsvc::header_block& block : context.header_blocks) {
    require(contains(block.xml, block.local), "a block has its own text");
    names.push_back("{" + std::string(block.ns) + "}" + std::string(block.local));
  }
  return names;
}
parts sums::echo(const parts& asked) { return hear<sums>(&sums::echo, asked, asked); }
kinds::Price sums::price(const parts& asked) {
  return hear<sums>(&sums::price, kinds::Price{soapsvc::decimal(15, 1), asked.text}, asked);
}

// --- Requests ------------------------------------------------------------------------------------

struct first_line {
  std::string service, operation, action;
  version v = version::v1_1;
  bool lax = false;
};

first_line parse_line(std::string_view line) {
  const auto word = [&line] {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view taken = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return taken;
  };
  first_line parsed;
  const std::string_view service = word();
  parsed.service = service == "Sums" || service == "Door" ? service : "Desk";
  parsed.v = word() == "1.2" ? version::v1_2 : version::v1_1;
  parsed.lax = word() == "ignore";
  parsed.operation = word();
  // Characters that HTTP can carry within quotes.
  for (const char c : line)
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') parsed.action += c;
  return parsed;
}

std::string wrap(version v, std::string_view text) {
  if (contains(text, "Envelope")) return std::string(text);
  const std::string_view tag = contains(text, "e:Body>") ? "" : "e:Body>";
  std::string made = "<e:Envelope xmlns:e=\"" + support::envelope_ns(v) +
                     "\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns=\"" +
                     support::base + "/Desk\">";
  if (!tag.empty()) made.append("<").append(tag);
  made.append(text);
  if (!tag.empty()) made.append("</").append(tag);
  return made + "</e:Envelope>";
}

void check_request(const first_line& line, const std::string& message) {
  again = {};
  const auto response = current->post(line.service, line.v, line.action, message);
  // There is no response to a one-way message; its effect is checked all the same.
  if (response.status != 202) check_response(response);
  if (response.status == 200) check_valid(line.service, response.body);
  if (const auto once_more = std::exchange(again, {}))
    for (const version v : support::both)
      once_more(v, response);
  else
    require(response.status != 202, "one way is carried out");
}

// --- Responses -----------------------------------------------------------------------------------

/// Reads a response as a client does that has called `method`. The result is handed to `then`.
template <class Service, class Method, class Then, class... Parameters>
void read_response(
    const first_line& line,
    const std::string& message,
    Method method,
    Then then,
    const Parameters&... parameters) {
  auto options = caller<Service>::options(line.v);
  if (line.lax) options.unknown_elements = soapsvc::unknown_elements::ignore;
  const soapsvc::http_response response{
      contains(message, "Fault") ? 500 : 200, support::content_type(line.v), {}, message};
  soapsvc::client<Service> client([&](const soapsvc::http_request&) { return response; }, options);
  std::optional<std::decay_t<decltype(client.call(method, parameters...))>> read;
  try {
    read = client.call(method, parameters...);
  } catch (const soapsvc::remote_fault& fault) {
    try {
      details_of(fault);
    } catch (const soapsvc::transport_error&) {
    }
  } catch (const soapsvc::transport_error& error) {
    const std::string_view said = error.what();
    require(soapsvc::detail::find_bad_char(said) == said.npos, "a sentence", said);
  }
  if (read) then(*read);
}

/// The value of a response is one that may be sent.
template <class Service, class Method, class Value>
void check_result(Method method, const Value& value) {
  for (const version v : support::both)
    call_again<Service>(v, {0, {}, {}, {}}, method, value, value);
}

void check_answer(const first_line& line, const std::string& message) {
  const std::string& name = line.operation;
  const auto echoed = [&]<class Service, class Value>(
                          std::type_identity<Service>, auto method, const Value& some) {
    read_response<Service>(
        line,
        message,
        method,
        [&](const Value& value) { check_result<Service>(method, value); },
        some);
  };
  const auto nothing = [](const auto&) {};
  const std::type_identity<desk> of_desk;
  const std::type_identity<sums> of_sums;
  if (name == "Everything") return echoed(of_desk, &desk::everything, kinds::Everything{});
  if (name == "All") return echoed(of_desk, &desk::all, corners::All{});
  if (name == "Submit") return echoed(of_desk, &desk::submit, loan{});
  if (name == "Mirror") return echoed(of_desk, &desk::mirror, tagged{});
  if (name == "Echo") return echoed(of_sums, &sums::echo, parts{"", {}, {{{1, {}, {}}}}});
  kinds::Zoo zoo;
  zoo.director.emplace<kinds::Dog>();
  if (name == "Shape") return read_response<desk>(line, message, &desk::shape, nothing, zoo);
  if (name == "Blocks") return read_response<desk>(line, message, &desk::blocks, nothing);
  const header_blocks<login, std::optional<trace>> blocks(login{"k", 1}, std::nullopt);
  read_response<desk>(
      line,
      message,
      &desk::two,
      [](const with_header_blocks<ask, login, std::optional<trace>>& read) {
        for (const version v : support::both)
          call_again<desk>(v, {0, {}, {}, {}}, &desk::two, read, read.result, read.header_blocks);
      },
      ask{},
      blocks);
}

// --- Mutations -----------------------------------------------------------------------------------

struct span {
  std::size_t begin, end;
};

/// The elements of a text, as far as their tags meet.
std::vector<span> elements_of(std::string_view text) {
  std::vector<span> found;
  std::vector<std::size_t> open;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == text.npos) break;
    if (text[at + 1] == '/' && !open.empty()) {
      found.push_back({open.back(), end + 1});
      open.pop_back();
    } else if (text[end - 1] == '/') {
      found.push_back({at, end + 1});
    } else if (text[at + 1] != '/' && text[at + 1] != '!') {
      open.push_back(at);
    }
  }
  return found;
}

/// An element of `from` in the place of one of `text`, or beside it.
std::string with_element_of(std::string_view text, std::string_view from, std::size_t seed) {
  const auto places = elements_of(text);
  const auto parts = elements_of(from);
  if (places.empty() || parts.empty()) return std::string(text);
  const span place = places[seed % places.size()];
  const span part = parts[seed / 512 % parts.size()];
  const bool replaces = seed / 262'144 % 2 == 0;
  return std::string(text.substr(0, place.begin))
      .append(from.substr(part.begin, part.end - part.begin))
      .append(text.substr(replaces ? place.end : place.begin));
}

std::size_t store(const std::string& text, std::uint8_t* data, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  std::copy_n(text.data(), size, data);
  return size;
}

}  // namespace fuzz

// Only the fuzzer has it.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(
    std::uint8_t* data, std::size_t size, std::size_t most);

/// Moves whole elements, every other time: bytes alone seldom make another message.
extern "C" std::size_t LLVMFuzzerCustomMutator(
    std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string text(fuzz::text_of(data, size));
  if (seed % 8 != 1) return fuzz::store(fuzz::with_element_of(text, text, seed / 8), data, most);
  const auto places = fuzz::elements_of(text);
  if (places.empty()) return LLVMFuzzerMutate(data, size, most);
  const fuzz::span place = places[seed / 8 % places.size()];
  return fuzz::store(std::string(text).erase(place.begin, place.end - place.begin), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(
    const std::uint8_t* data,
    std::size_t size,
    const std::uint8_t* other,
    std::size_t other_size,
    std::uint8_t* out,
    std::size_t most,
    unsigned seed) {
  const auto text = fuzz::text_of(data, size);
  return fuzz::store(
      fuzz::with_element_of(text, fuzz::text_of(other, other_size), seed), out, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = fuzz::text_of(data, size);
  const fuzz::first_line line = fuzz::parse_line(fuzz::take_line(rest));
  const std::string message = fuzz::wrap(line.v, rest);
  fuzz::current = &fuzz::world_for(line.lax);
  fuzz::read_alone<kinds::Everything>(rest);
  fuzz::read_alone<fuzz::loan>(rest);
  fuzz::read_alone<fuzz::problem>(rest);
  fuzz::read_alone<fuzz::adapted>(rest);
  if (line.service == "Door")
    fuzz::check_door(
        fuzz::choose_door(line.operation, line.lax),
        line.v,
        line.action,
        message,
        fuzz::check_response);
  else if (line.operation.empty() || line.operation == "-")
    fuzz::check_request(line, message);
  else
    fuzz::check_answer(line, message);
  return 0;
}
