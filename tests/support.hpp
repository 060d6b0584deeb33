// Shared by the tests of the envelope, dispatch and description: a small service, its messages, and
// parsed responses. Parsing also checks the response: its element order, namespaces and types are
// those of the SOAP 1.1 note and of SOAP 1.2 part 1.
#pragma once

#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <sstream>

#include "carrier.hpp"
#include "soapsvc.hpp"

// --- The service ---------------------------------------------------------------------------------

/// The paint of an item.
enum class Colour { red, dark_blue };
template <>
inline constexpr auto soapsvc::schema<Colour> =
    enumeration("Colour", value("Red", Colour::red), value("DarkBlue", Colour::dark_blue));

/// A part of Item.
struct Size {
  std::int32_t width{};
  std::optional<std::int32_t> height;
};
template <>
inline constexpr auto soapsvc::schema<Size> =
    record("Size", field("Width", &Size::width), field("Height", &Size::height));

/// An article of the shop.
struct Item {
  std::int32_t id{};
  std::optional<std::string> name;
  Colour colour{};
  std::vector<Size> sizes;
};
template <>
inline constexpr auto soapsvc::schema<Item> = record(
    "Item",
    field("Id", &Item::id, default_if_absent),
    field("Name", &Item::name),
    field("Colour", &Item::colour),
    field("Size", &Item::sizes));

/// A header block.
struct Session {
  std::optional<std::string> user;
  std::optional<std::int32_t> key;
};
template <>
inline constexpr auto soapsvc::schema<Session> =
    record("Session", field("User", &Session::user), field("Key", &Session::key, secret));

/// Detail of a fault.
struct Problem {
  std::int32_t code{};
  std::string text;
};
template <>
inline constexpr auto soapsvc::schema<Problem> =
    record("Problem", field("Code", &Problem::code), field("Text", &Problem::text));

/// Request of Add and of OldAdd.
struct Sum {
  std::int32_t a{};
  std::int32_t b{};
};
template <>
inline constexpr auto soapsvc::schema<Sum> = record(field("A", &Sum::a), field("B", &Sum::b));

/// Request of Echo and of Nest.
struct Words {
  std::optional<std::string> text;
};
template <> inline constexpr auto soapsvc::schema<Words> = record(field("Text", &Words::text));

/// Request of Put.
struct Put {
  std::optional<Item> item;
  std::optional<std::int32_t> pin;
};
template <>
inline constexpr auto soapsvc::schema<Put> =
    record(field("Item", &Put::item), field("Pin", &Put::pin, secret));

/// Request of List and of Numbers.
struct Count {
  std::int32_t count{};
};
template <> inline constexpr auto soapsvc::schema<Count> = record(field("Count", &Count::count));

/// Request of Fail.
struct Way {
  std::string how;
};
template <> inline constexpr auto soapsvc::schema<Way> = record(field("How", &Way::how));

/// Has an operation for every form of signature, and for every way to fail.
class Shop {
public:
  std::int32_t add(const Sum& sum) const { return sum.a + sum.b; }
  std::optional<std::string> echo(const Words& words) const { return words.text; }
  std::int32_t put(const Put& request, const Session& session) const {
    return session.key.value_or(0) + (request.item ? request.item->id : 0);
  }
  std::string who(const soapsvc::nothing&, const std::optional<Session>& session) const {
    return session ? session->user.value_or("nobody") : "no session";
  }
  std::vector<Item> list(const Count& count) const {
    std::vector<Item> items(static_cast<std::size_t>(count.count));
    std::int32_t id = 0;
    for (Item& item : items) {
      item.id = ++id;
      item.sizes.push_back({id, std::nullopt});
    }
    return items;
  }
  std::vector<std::int32_t> numbers(const Count& count) const {
    return std::vector<std::int32_t>(static_cast<std::size_t>(count.count), 7);
  }
  void ping() {}
  Item find(const Count& count) const { return {count.count, "pen", Colour::dark_blue, {}}; }
  std::string about(const soapsvc::context& context) const {
    std::string text = std::string(context.operation) + '|' +
                       (context.version == soapsvc::soap_version::v1_1 ? "1.1" : "1.2") + '|' +
                       std::string(context.peer) + '|' + std::string(context.request_id) + '|' +
                       std::string(context.certificate_subject);
    for (const soapsvc::header_block& block : context.header_blocks)
      text.append("|{")
          .append(block.ns)
          .append("}")
          .append(block.local)
          .append(";")
          .append(block.role)
          .append(block.must_understand ? ";must;" : ";may;")
          .append(block.xml);
    return text;
  }
  std::string fail(const Way& way) const;
  std::string nest(const Words& words, const soapsvc::context& context) const;

  const soapsvc::dispatcher* inner = nullptr;  ///< Nest sends an Echo to it
};
template <>
inline constexpr auto soapsvc::schema<Shop> = service(
    "Shop",
    doc("Sells <things> & more."),
    operation("Add", &Shop::add, doc("Adds two numbers.")),
    operation("OldAdd", &Shop::add, deprecated("Add"), doc("As Add.")),
    operation("Echo", &Shop::echo),
    operation("Put", &Shop::put),
    operation("Who", &Shop::who),
    operation("List", &Shop::list),
    operation("Numbers", &Shop::numbers),
    operation("Ping", &Shop::ping),
    operation("Find", &Shop::find),
    operation("About", &Shop::about),
    operation("Fail", &Shop::fail),
    operation("Nest", &Shop::nest));

inline std::string Shop::fail(const Way& way) const {
  using soapsvc::fault;
  using soapsvc::fault_code;
  const std::string& how = way.how;
  const fault client(fault_code::client, "Not <today> & not tomorrow.");
  if (how == "client") throw client;
  if (how == "server") throw fault(fault_code::server, "Closed.");
  if (how == "detail") throw client.with(Problem{17, "a < b"});
  if (how == "about header") throw client.with(Problem{17, "a < b"}).about_header_block();
  if (how == "subcode") throw client.with_subcode("SoldOut");
  if (how == "bad subcode") throw client.with_subcode("sold out");
  if (how == "status") throw client.with_status(503);
  if (how == "wait") {
    const soapsvc::blocking_section waits;
    return how;
  }
  if (how == "bad reason") throw fault(fault_code::client, "\x01 marked secret");
  if (how == "bad detail") throw client.with(Problem{1, "\xff marked secret"});
  if (how == "exception") throw std::runtime_error("marked secret of the store");
  if (how == "number") throw 42;
  if (how == "control character") return "before\x01marked secret";
  if (how == "bad utf-8") return "before\xc3marked secret";
  return how;
}

// --- Messages ------------------------------------------------------------------------------------

namespace support {

inline const std::string base = "http://example.com/soap";
inline const std::string ns = base + "/Shop";
inline const std::string path = "/soap/v3/Shop.asmx";
inline const std::string soap11_ns = "http://schemas.xmlsoap.org/soap/envelope/";
inline const std::string soap12_ns = "http://www.w3.org/2003/05/soap-envelope";

using version = soapsvc::soap_version;
inline constexpr version both[] = {version::v1_1, version::v1_2};

inline const std::string& envelope_ns(version v) {
  return v == version::v1_1 ? soap11_ns : soap12_ns;
}
inline std::string content_type(version v) {
  return v == version::v1_1 ? "text/xml; charset=utf-8" : "application/soap+xml; charset=utf-8";
}

/// An envelope with the prefix `e`; `header` is the content of the Header. Empty: no Header.
inline std::string envelope(version v, const std::string& body, const std::string& header = "") {
  return "<e:Envelope xmlns:e=\"" + envelope_ns(v) + "\">" +
         (header.empty() ? "" : "<e:Header>" + header + "</e:Header>") + "<e:Body>" + body +
         "</e:Body></e:Envelope>";
}

/// A request element of the service.
inline std::string call(const std::string& operation, const std::string& content = "") {
  return "<" + operation + " xmlns=\"" + ns + "\">" + content + "</" + operation + ">";
}

using headers = std::vector<std::pair<std::string, std::string>>;

/// For tests that build their own requests.
inline constexpr soapsvc::http_header as_xml[] = {{"Content-Type", "text/xml"}};

/// The responses to a GET, and to a POST of a SOAP 1.1 envelope.
inline std::string page_at(const soapsvc::dispatcher& services, const std::string& target) {
  soapsvc::http_request request;
  request.method = "GET";
  request.target = target;
  return carry(services, request).body;
}
inline soapsvc::http_response post_to(
    const soapsvc::dispatcher& services, const std::string& target, const std::string& body) {
  soapsvc::http_request request;
  request.target = target;
  request.headers = as_xml;
  request.body = body;
  return carry(services, request);
}

/// A dispatcher with a Shop, and the reports to its observers.
struct world {
  struct call_seen {
    std::string service, operation, reason, peer, request_id;
    soapsvc::call_report report;  ///< its views are invalid: read the strings
  };
  struct error_seen {
    std::string incident, service, operation, what, peer, request_id;
  };

  explicit world(soapsvc::dispatcher_options options = {})
      : dispatcher(observed(std::move(options))) {
    dispatcher.add(shop);
    shop.inner = &dispatcher;
  }

  /// Sends a request; a POST without a Content-Type gets text/xml.
  soapsvc::http_response send(
      const std::string& method,
      const std::string& target,
      const headers& with = {},
      const std::string& body = "",
      const std::string& peer = "192.0.2.1") const {
    std::vector<soapsvc::http_header> fields;
    for (const auto& [name, value] : with)
      fields.push_back({name, value});
    soapsvc::http_request request;
    request.headers = fields;
    if (method == "POST" && !request.header("Content-Type"))
      fields.push_back({"Content-Type", "text/xml"});
    request.method = method;
    request.target = target;
    request.headers = fields;
    request.body = body;
    request.peer = peer;
    return carry(dispatcher, request);
  }
  /// Posts bytes to the Shop.
  soapsvc::http_response post(const std::string& body, const headers& with) const {
    return send("POST", path, with, body);
  }
  /// Posts an envelope with this body (and header) under its version's content type.
  soapsvc::http_response ask(
      version v, const std::string& body, const std::string& header = "", headers with = {}) const {
    with.emplace_back("Content-Type", content_type(v));
    return post(envelope(v, body, header), with);
  }

  mutable std::mutex lock;
  std::vector<call_seen> calls;
  std::vector<error_seen> errors;
  Shop shop;
  soapsvc::dispatcher dispatcher;

private:
  soapsvc::dispatcher_options observed(soapsvc::dispatcher_options options) {
    if (options.ns_base.empty()) options.ns_base = base;
    options.on_call = [this](const soapsvc::call_report& report) {
      const std::lock_guard<std::mutex> guard(lock);
      calls.push_back(
          {std::string(report.service),
           std::string(report.operation),
           std::string(report.fault_reason),
           std::string(report.peer),
           std::string(report.request_id),
           report});
    };
    options.on_error = [this](const soapsvc::error_report& report) {
      const std::lock_guard<std::mutex> guard(lock);
      errors.push_back(
          {std::string(report.incident),
           std::string(report.service),
           std::string(report.operation),
           std::string(report.what),
           std::string(report.peer),
           std::string(report.request_id)});
    };
    return options;
  }
};

// --- Responses -----------------------------------------------------------------------------------

using soapsvc::detail::node;

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

[[noreturn]] inline void wrong(const std::string& what) { throw std::runtime_error(what); }

/// Parses a text in a string that lives as long as this object.
class document {
public:
  explicit document(std::string text) : text_(std::move(text)) {
    root_ = parser_.parse(text_, "", soapsvc::message_limits{});
  }
  node root() const { return root_; }

private:
  std::string text_;
  soapsvc::detail::xml_document parser_;
  node root_;
};

/// The element children, which must have these names in this order and this namespace. A name with
/// '?' at its end may be missing; its child is then null.
inline std::vector<node> children(
    node parent, const std::string& in, const std::vector<std::string>& names) {
  std::vector<node> found;
  node child = parent.first_child();
  for (std::string name : names) {
    const bool optional = name.back() == '?';
    if (optional) name.pop_back();
    const bool here = child && child.is(in, name);
    if (!here && !optional) wrong(std::string(parent.local()) + " lacks " + name);
    found.push_back(here ? child : node{});
    if (here) child = child.next_sibling();
  }
  if (child) wrong(std::string(parent.local()) + " holds " + std::string(child.local()));
  return found;
}

inline soapsvc::qualified_name resolve(node at, std::string_view name) {
  const std::size_t colon = name.find(':');
  const bool prefixed = colon != name.npos;
  const auto found = at.namespace_of(prefixed ? name.substr(0, colon) : std::string_view{});
  if (!found) wrong("undeclared prefix in " + std::string(name));
  return {*found, std::string(prefixed ? name.substr(colon + 1) : name)};
}

/// The content of a fault.
struct fault_facts {
  version in = version::v1_1;
  std::string code;  ///< local name
  std::string subcode;  ///< "{namespace}local", empty for none
  std::string reason;
  bool has_detail = false;
  std::string detail;  ///< the raw content of the first detail entry
  std::vector<soapsvc::qualified_name> not_understood;
  std::vector<soapsvc::qualified_name> upgrade;
};

inline std::string qualified_code(node value, const std::string& in) {
  const auto name = resolve(value, value.text());
  if (name.ns != in) wrong("the fault code is in " + std::string(name.ns));
  return name.local;
}

inline void read_detail(node detail, fault_facts& facts) {
  facts.has_detail = static_cast<bool>(detail);
  if (detail && detail.first_child()) facts.detail = std::string(detail.first_child().source());
}

/// SOAP 1.1, 4.4: faultcode, faultstring, faultactor, detail, in no namespace.
inline void read_fault11(node fault, fault_facts& facts) {
  const auto parts = children(fault, "", {"faultcode", "faultstring", "faultactor?", "detail?"});
  const auto code = resolve(parts[0], parts[0].text());
  const bool of_another = !code.ns.empty() && code.ns != soap11_ns;  // of another specification
  facts.code = of_another ? "Client" : qualified_code(parts[0], soap11_ns);
  if (of_another) facts.subcode = "{" + std::string(code.ns) + "}" + code.local;
  facts.reason = std::string(parts[1].text());
  read_detail(parts[3], facts);
}

/// SOAP 1.2 part 1, 5.4: Code, Reason, Node, Role, Detail, in the namespace of the envelope.
inline void read_fault12(node fault, fault_facts& facts) {
  const auto parts = children(fault, soap12_ns, {"Code", "Reason", "Node?", "Role?", "Detail?"});
  const auto code = children(parts[0], soap12_ns, {"Value", "Subcode?"});
  facts.code = qualified_code(code[0], soap12_ns);
  if (code[1]) {
    const node value = children(code[1], soap12_ns, {"Value", "Subcode?"})[0];
    const auto name = resolve(value, value.text());
    facts.subcode = "{" + std::string(name.ns) + "}" + name.local;
  }
  const node text = children(parts[1], soap12_ns, {"Text"})[0];
  if (text.attribute("http://www.w3.org/XML/1998/namespace", "lang") != "en") wrong("no xml:lang");
  facts.reason = std::string(text.text());
  read_detail(parts[4], facts);
}

inline soapsvc::qualified_name read_qname(node element) {
  const auto name = element.attribute("", "qname");
  if (!name) wrong("no qname on " + std::string(element.local()));
  return resolve(element, *name);
}

inline void read_fault_header(node header, fault_facts& facts) {
  for (node block = header.first_child(); block; block = block.next_sibling()) {
    if (block.local() == "Security" && block.first_child().local() == "Timestamp") {
      continue;  // the Timestamp of a secured service
    } else if (contains(block.ns(), "addressing")) {
      continue;  // tests/unit/addressing.cpp checks these
    } else if (facts.in == version::v1_1) {
      wrong("the header block " + std::string(block.local()) + " in a 1.1 fault");
    } else if (block.is(soap12_ns, "NotUnderstood")) {
      facts.not_understood.push_back(read_qname(block));
    } else if (block.is(soap12_ns, "Upgrade")) {
      for (node one = block.first_child(); one; one = one.next_sibling()) {
        if (!one.is(soap12_ns, "SupportedEnvelope")) wrong("a stranger in Upgrade");
        facts.upgrade.push_back(read_qname(one));
      }
    } else {
      wrong("the header block " + std::string(block.local()) + " in a fault");
    }
  }
}

/// Parses a fault. Throws std::runtime_error when its structure is not that of its version, when
/// its media type is another one, or when its status does not fit its code (rule 7).
inline fault_facts fault_of(const soapsvc::http_response& response) {
  const document parsed(response.body);
  const node root = parsed.root();
  fault_facts facts;
  facts.in = root.ns() == soap11_ns ? version::v1_1 : version::v1_2;
  const std::string& in = envelope_ns(facts.in);
  if (!root.is(in, "Envelope")) wrong("the root is " + std::string(root.local()));
  if (root.prefix() != (facts.in == version::v1_1 ? "soap" : "soap12")) wrong("prefix of the root");
  if (response.content_type != content_type(facts.in)) wrong("media type " + response.content_type);
  const auto parts = children(root, in, {"Header?", "Body"});
  if (parts[0]) read_fault_header(parts[0], facts);
  const node fault = children(parts[1], in, {"Fault"})[0];
  if (facts.in == version::v1_1)
    read_fault11(fault, facts);
  else
    read_fault12(fault, facts);
  const int usual = facts.in == version::v1_2 && facts.code == "Sender" ? 400 : 500;
  const bool special = response.status == 403 || response.status == 413 || response.status == 415 ||
                       response.status == 421 || response.status == 503;
  if (response.status != usual && !special) wrong("status " + std::to_string(response.status));
  return facts;
}

/// The text of `<OperationResult>` of a successful response; "(none)" when the element is absent.
inline std::string result_of(const soapsvc::http_response& response, const std::string& operation) {
  const document parsed(response.body);
  const node root = parsed.root();
  if (response.status != 200) wrong("no success: " + response.body);
  const bool v12 = root.ns() == soap12_ns;
  if (response.content_type != content_type(v12 ? version::v1_2 : version::v1_1))
    wrong("media type");
  const node body = children(root, v12 ? soap12_ns : soap11_ns, {"Body"})[0];
  const node wrapper = children(body, ns, {operation + "Response"})[0];
  const node result = children(wrapper, ns, {operation + "Result?"})[0];
  return result ? std::string(result.text()) : "(none)";
}

/// A tree as text that does not depend on prefixes, layout or the order of attributes: one line per
/// element, with expanded names, also in attribute values that are names.
inline void append_canonical(node element, std::size_t depth, std::string& out) {
  const auto expanded = [](const soapsvc::qualified_name& name) {
    return name.ns.empty() ? name.local : "{" + std::string(name.ns) + "}" + name.local;
  };
  out.append(2 * depth, ' ').append(expanded({element.ns(), std::string(element.local())}));
  std::vector<std::string> attributes;
  for (const soapsvc::detail::attribute each : element.attributes()) {
    if (each.ns() == "http://www.w3.org/2000/xmlns/") continue;
    const std::string name(each.local());
    const bool qname = name == "type" || name == "element" || name == "message" ||
                       name == "binding" || name == "base" || name == "ref";
    const std::string value(each.value());
    attributes.push_back(
        ' ' + expanded({std::string(each.ns()), name}) + "='" +
        (qname ? expanded(resolve(element, value)) : value) + '\'');
  }
  std::sort(attributes.begin(), attributes.end());
  for (const std::string& attribute : attributes)
    out += attribute;
  if (!element.has_children() && !element.text().empty())
    out.append(" \"").append(element.text()).append("\"");
  out += '\n';
  for (node child = element.first_child(); child; child = child.next_sibling())
    append_canonical(child, depth + 1, out);
}

inline std::string canonical(const std::string& text) {
  const document parsed(text);
  std::string out;
  append_canonical(parsed.root(), 0, out);
  return out;
}

/// The element `<definitions><types><schema>` of a WSDL as a separate schema file.
inline std::string schema_of_wsdl(const std::string& wsdl) {
  const document parsed(wsdl);
  const std::string wsdl_ns = "http://schemas.xmlsoap.org/wsdl/";
  for (node child = parsed.root().first_child(); child; child = child.next_sibling()) {
    if (!child.is(wsdl_ns, "types")) continue;
    const node schema = children(child, "http://www.w3.org/2001/XMLSchema", {"schema"})[0];
    const std::string start = "<s:schema";
    const std::string tns(schema.attribute("", "targetNamespace").value_or(""));
    const std::string source(schema.source());
    if (source.rfind(start, 0) != 0) wrong("the schema's prefix");
    return start + " xmlns:s=\"http://www.w3.org/2001/XMLSchema\" xmlns:tns=\"" + tns + "\"" +
           source.substr(start.size());
  }
  wrong("a WSDL without types");
}

/// The Body's child as a separate document, which declares its own namespace.
inline std::string payload_of(const std::string& message) {
  const document parsed(message);
  node body = parsed.root().first_child();
  while (body && body.local() != "Body")
    body = body.next_sibling();
  return std::string(body.first_child().source());
}

// --- Files and xmllint ---------------------------------------------------------------------------

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) wrong("cannot read " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) wrong("cannot write " + file.string());
}

/// A folder that is gone at the end of its scope.
class scratch_folder {
public:
  scratch_folder() {
    std::random_device random;
    do
      path_ = std::filesystem::temp_directory_path() / ("soapsvc-" + std::to_string(random()));
    while (!std::filesystem::create_directory(path_));
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// Validates all documents against a schema with xmllint, without a network. Returns the errors of
/// xmllint, each under its number; empty when all are valid. Throws without documents.
inline std::string schema_errors(
    const std::filesystem::path& schema, const std::vector<std::string>& documents) {
  if (documents.empty()) wrong("nothing to validate");
  const scratch_folder folder;
  std::string files;
  for (std::size_t index = 0; index != documents.size(); ++index) {
    const auto file = folder.path() / (std::to_string(index) + ".xml");
    write_file(file, documents[index]);
    files += ' ' + file.string();
  }
  const auto log = folder.path() / "log";
  const std::string command =
      "XML_CATALOG_FILES=tests/schemas/catalog.xml xmllint --nonet --noout "
      "--schema " +
      schema.string() + files + " >" + log.string() + " 2>&1";
  const int status = std::system(command.c_str());
  return status == 0 ? std::string{} : read_file(log) + "xmllint: " + std::to_string(status);
}

/// Writes each schema of a WSDL to a separate file in `folder`, with the locations of the others,
/// and with all prefixes that the WSDL declares. Also writes a schema with all of them, whose
/// element {urn:payloads}payloads may contain any of their elements. Returns the path of that
/// schema.
inline std::filesystem::path write_schemas(
    const std::string& wsdl, const std::filesystem::path& folder) {
  const std::string xsd = "http://www.w3.org/2001/XMLSchema";
  const document parsed(wsdl);
  std::string prefixes;
  for (const soapsvc::detail::attribute each : parsed.root().attributes())
    if (each.ns() == "http://www.w3.org/2000/xmlns/")
      prefixes.append(" xmlns:")
          .append(each.local())
          .append("=\"")
          .append(each.value())
          .append("\"");
  const node types = parsed.root().first_child();
  if (types.local() != "types") wrong("types do not come first");
  std::vector<std::pair<std::string, std::string>> files;  // of each namespace
  for (node schema = types.first_child(); schema; schema = schema.next_sibling())
    files.emplace_back(
        schema.attribute("", "targetNamespace").value_or(""),
        "schema" + std::to_string(files.size()) + ".xsd");
  std::string all = "<s:schema xmlns:s=\"" + xsd + "\" targetNamespace=\"urn:payloads\">";
  std::size_t next = 0;
  for (node schema = types.first_child(); schema; schema = schema.next_sibling()) {
    std::string text(schema.source());
    text.insert(text.find(' '), prefixes);
    for (const auto& [other, file] : files) {
      const std::string import = "<s:import namespace=\"" + other + '"';
      const std::size_t at = text.find(import);
      if (at != text.npos) text.insert(at + import.size(), " schemaLocation=\"" + file + '"');
    }
    const std::string xml = "\"http://www.w3.org/2001/xml.xsd\"";
    if (const std::size_t at = text.find(xml); at != text.npos)
      text.replace(
          at, xml.size(), '"' + std::filesystem::absolute("tests/schemas/xml.xsd").string() + '"');
    const auto& [target, file] = files[next++];
    write_file(folder / file, text);
    all += "<s:import namespace=\"" + target + "\" schemaLocation=\"" + file + "\"/>";
  }
  all +=
      "<s:element name=\"payloads\"><s:complexType><s:sequence><s:any namespace=\"##other\" "
      "processContents=\"strict\" minOccurs=\"0\" maxOccurs=\"unbounded\"/></s:sequence>"
      "</s:complexType></s:element></s:schema>";
  write_file(folder / "all.xsd", all);
  return folder / "all.xsd";
}

/// The errors of two independent validators, libxml2's and Xerces-C++, for payloads of a service;
/// empty when all are valid.
inline std::string payload_errors(
    const std::string& wsdl, const std::vector<std::string>& payloads) {
  if (payloads.empty()) wrong("nothing to validate");
  const scratch_folder folder;
  const auto schema = write_schemas(wsdl, folder.path());
  const std::string xsi = "http://www.w3.org/2001/XMLSchema-instance";
  std::string all = "<p:payloads xmlns:p=\"urn:payloads\" xmlns:xsi=\"" + xsi +
                    "\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"" +
                    " xsi:schemaLocation=\"urn:payloads all.xsd\">\n";
  for (const std::string& payload : payloads)
    all += payload + '\n';
  all += "</p:payloads>\n";
  std::string errors = schema_errors(schema, {all});
  write_file(folder.path() / "all.xml", all);
  const auto log = folder.path() / "log";
  // Its exit status is 0 in any case. Without errors, it prints one line with its counts.
  const std::string command = "SAX2Count -v=always -f " + (folder.path() / "all.xml").string() +
                              " >" + log.string() + " 2>&1";
  const int status = std::system(command.c_str());
  const std::string said = read_file(log);
  if (status != 0 || std::count(said.begin(), said.end(), '\n') != 1 ||
      said.find("elems") == said.npos)
    errors += "Xerces-C++: " + said;
  return errors;
}

/// The envelopes on a help page.
inline std::vector<std::string> samples_of(const std::string& page) {
  std::vector<std::string> samples;
  const std::string end = "Envelope&gt;";
  for (std::size_t at = page.find("&lt;?xml"); at != page.npos; at = page.find("&lt;?xml", at)) {
    const std::size_t past = page.find(end, at) + end.size();
    if (past < at) wrong("a sample without an end");
    std::string text = page.substr(at, past - at);
    for (const auto& [escape, character] : std::vector<std::pair<std::string, std::string>>{
             {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
      for (std::size_t found = 0; (found = text.find(escape, found)) != text.npos; ++found)
        text.replace(found, escape.size(), character);
    samples.push_back(std::move(text));
    at = past;
  }
  return samples;
}

}  // namespace support

/// The response of the inner call, and then the rest of the outer one.
inline std::string Shop::nest(const Words& words, const soapsvc::context& context) const {
  const std::string body = support::envelope(
      support::version::v1_2,
      support::call("Echo", "<Text>" + words.text.value_or("") + "</Text>"),
      "<x:I xmlns:x='urn:x'/><x:I xmlns:x='urn:x'/>");
  soapsvc::http_request request;
  request.target = support::path;
  request.headers = support::as_xml;
  request.body = body;
  std::string text = inner->handle(request).body;
  for (const soapsvc::header_block& block : context.header_blocks)
    text.append("|").append(block.xml);
  return text;
}
