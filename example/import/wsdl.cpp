#include "wsdl.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "interfaces.hpp"
#include "schema_reader.hpp"

namespace importer {

namespace {

constexpr std::string_view wsdl_ns = "http://schemas.xmlsoap.org/wsdl/";
constexpr std::string_view soap11_binding = "http://schemas.xmlsoap.org/wsdl/soap/";
constexpr std::string_view soap12_binding = "http://schemas.xmlsoap.org/wsdl/soap12/";
constexpr std::string_view mime_binding = "http://schemas.xmlsoap.org/wsdl/mime/";

bool is_wsdl(Node at, std::string_view local) { return at.is(wsdl_ns, local); }

bool is_soap(Node at, std::string_view local) {
  return at.local() == local && (at.ns() == soap11_binding || at.ns() == soap12_binding);
}

Node wsdl_child(Node at, std::string_view local) {
  for (Node child = at.first_child(); child; child = child.next_sibling())
    if (is_wsdl(child, local)) return child;
  return {};
}

Node soap_child(Node at, std::string_view local) {
  for (Node child = at.first_child(); child; child = child.next_sibling())
    if (is_soap(child, local)) return child;
  return {};
}

std::string target_of(const Place& at) {
  return std::string(attribute_of(at.in->root(), "targetNamespace"));
}

std::string documentation(Node at) {
  std::string text;
  if (const Node doc = wsdl_child(at, "documentation")) append_text(doc, text);
  return documentation_text(text);
}

/// The path of an address; empty if it has none.
std::string path_of(std::string_view address) {
  const std::size_t scheme = address.find("://");
  if (scheme == std::string_view::npos) return {};
  address.remove_prefix(scheme + 3);
  const std::size_t slash = address.find('/');
  if (slash == std::string_view::npos) return {};
  address.remove_prefix(slash);
  address = address.substr(0, address.find_first_of("?#"));
  const bool good = std::all_of(address.begin(), address.end(), [](char c) {
    return c > ' ' && c < 0x7F && c != '"' && c != '\\' && c != '<' && c != '{';
  });
  return good && address.size() > 1 ? std::string(address) : std::string();
}

/// The checked XML name of an operation, a part or a service.
std::string checked_name(const Place& at) {
  const std::string_view name = attribute_of(at.at, "name");
  if (!soapsvc::detail::is_ncname(name))
    refuse(at, '\'' + std::string(name) + "' is not an XML name");
  return std::string(name);
}

/// The component that an attribute names, in the target namespace if it has no prefix.
QName named_by(const Place& at, const char* attribute) {
  if (attribute_of(at.at, attribute).empty())
    refuse(at, std::string(at.at.local()) + " needs the attribute " + attribute);
  return name_of(at, attribute_of(at.at, attribute), target_of(at));
}

void blame(Operation& of, const Place& at, const std::string& reason) {
  if (!of.problem) of.problem = Problem{at.text(), reason};
}

std::string binding_name(const Place& at) {
  return "the binding " + std::string(attribute_of(at.at, "name"));
}

using Words = std::array<std::string_view, 2>;
constexpr Words style_words{"rpc", "document"};
constexpr Words use_words{"literal", "encoded"};

/// Checks an attribute: absent, empty or one of two words (WSDL 1.1, 3.3 to 3.6).
void check_word(Operation& of, const Place& at, const char* attribute, const Words& words) {
  const std::string_view said = attribute_of(at.at, attribute);
  if (said.empty() || said == words[0] || said == words[1]) return;
  blame(
      of,
      at,
      std::string(attribute) + "=\"" + std::string(said) + "\" is not allowed; it is \"" +
          std::string(words[0]) + "\" or \"" + std::string(words[1]) + '"');
}

/// The note for a broken part, which is left out.
std::string note_of(const Broken& broken, const std::string& what) {
  return broken.problem.where + ": " + broken.problem.reason + "; " + what + " is left out";
}

}  // namespace

// --- Documents -----------------------------------------------------------------------------------

void WsdlReader::add(const std::string& path) {
  const Document& read = library_.open(path);
  add_definitions({&read, read.root()});
}

void WsdlReader::add_definitions(const Place& root) {
  if (!read_.emplace(root.at.source().data(), true).second) return;
  if (root.at.is(xsd_ns, "schema")) return schemas_.add(root);
  const bool is_of_w3c = root.at.ns().starts_with("http://www.w3.org/");  // also for drafts
  if (is_of_w3c && root.at.local() == "description")
    refuse_all(root, "this is WSDL 2.0; only WSDL 1.1 is read");
  if (!is_wsdl(root.at, "definitions"))
    refuse_all(
        root,
        "this is not WSDL 1.1: the root element is " + std::string(root.at.local()) +
            (root.at.ns().empty() ? " in no namespace" : " of " + std::string(root.at.ns())));
  const std::string ns = target_of(root);
  namespaces_[ns].insert(root.in);
  for (Node child = root.at.first_child(); child; child = child.next_sibling()) {
    const Place at{root.in, child};
    if (is_wsdl(child, "import")) read_import(at);
    if (is_wsdl(child, "types")) read_types(at);
    if (is_wsdl(child, "binding")) bindings_.push_back(at);
    if (is_wsdl(child, "service")) services_.push_back(at);
    policies_.add(at);
    const Symbol kind = is_wsdl(child, "message")    ? Symbol::message
                        : is_wsdl(child, "portType") ? Symbol::port_type
                                                     : Symbol::binding;
    if (kind == Symbol::binding && !is_wsdl(child, "binding")) continue;
    const QName name{ns, std::string(attribute_of(child, "name"))};
    const auto [known, is_new] = symbols_.emplace(std::pair{kind, name}, at);
    if (!is_new && known->second.at.source() != child.source())
      notes_.push_back(
          at.text() + ": " + std::string(child.local()) + ' ' + shown(name) +
          " is declared twice; the declaration at " + known->second.text() + " is used");
  }
}

void WsdlReader::read_import(const Place& at) {
  const std::string location(attribute_of(at.at, "location"));
  const std::string ns(attribute_of(at.at, "namespace"));
  std::string why = "needs a location";
  const Document* read = nullptr;
  if (!location.empty() && !(read = library_.find(at, location, why)))
    why = '\'' + without_credentials(location) + "' " + why;
  if (!read) return missing_.push_back({at, ns, why});
  const std::string_view own = attribute_of(read->root(), "targetNamespace");
  if (!ns.empty() && own != ns)
    notes_.push_back(
        at.text() + ": the import says the namespace '" + ns + "', and its document has '" +
        std::string(own) + "' (WS-I Basic Profile 1.1, R2005)");
  add_definitions({read, read->root()});
}

void WsdlReader::read_types(const Place& at) {
  for (Node child = at.at.first_child(); child; child = child.next_sibling())
    if (child.ns() == xsd_ns || child.local() == "schema") schemas_.add({at.in, child});
}

const Place& WsdlReader::find(Symbol kind, const QName& name, const Place& asked_by) {
  const auto known = symbols_.find({kind, name});
  if (known != symbols_.end()) return known->second;
  for (const MissingImport& each : missing_)
    if (each.ns == name.ns)
      refuse(
          each.at,
          each.why + "; " + shown(name) + " at " + asked_by.text() + " is not declared without it");
  refuse(
      asked_by,
      "the " +
          std::string(
              kind == Symbol::message     ? "message "
              : kind == Symbol::port_type ? "portType "
                                          : "binding ") +
          shown(name) + " is not declared" + other_namespace(kind, name));
}

/// The end of an error message: a declaration with this name in another namespace.
std::string WsdlReader::other_namespace(Symbol kind, const QName& name) const {
  for (const auto& [ns, documents] : namespaces_)
    if (symbols_.contains({kind, {ns, name.local}})) return declared_in(ns);
  return {};
}

// --- Services ------------------------------------------------------------------------------------

/// Gives classes with one address different paths: they are two services. Some contracts have such
/// port types.
void WsdlReader::part_paths(std::vector<Interface>& all) {
  std::set<std::string> taken;  // a dispatcher compares paths case-insensitively
  const auto take = [&](std::string path) {
    for (char& c : path)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return taken.insert(path).second;
  };
  for (Interface& each : all) {
    const bool has_path = !each.path.empty();
    const std::string shared = has_path ? each.path : "/soap/v3/" + each.name + ".asmx";
    if (take(shared)) continue;
    each.path = shared + (shared.ends_with('/') ? "" : "/") + each.name;
    for (std::size_t number = 2; !take(each.path); ++number)
      each.path = shared + '/' + each.name + std::to_string(number);
    notes_.push_back(
        each.at.text() + ": another class is at " + shared + " already; this one is at " +
        each.path);
  }
}

/// The ports of a service with SOAP bindings.
std::vector<WsdlReader::Endpoint> WsdlReader::ports_of(const Place& service) {
  std::vector<Endpoint> ports;
  for (Node port = service.at.first_child(); port; port = port.next_sibling()) {
    if (!is_wsdl(port, "port")) continue;
    const Place at{service.in, port};
    const std::string name = "the port " + std::string(attribute_of(port, "name"));
    try {
      const Place& binding = find(Symbol::binding, named_by(at, "binding"), at);
      of_ports_.insert(binding.at.source().data());
      if (!soap_child(binding.at, "binding")) {
        notes_.push_back(
            at.text() + ": " + name +
            " is left out: its binding has no soap:binding, so it "
            "is not SOAP");
        continue;
      }
      find(Symbol::port_type, named_by(binding, "type"), binding);
      ports.push_back({binding, at, service.at});
    } catch (const Broken& broken) {
      if (!broken_) broken_ = broken.problem;
      notes_.push_back(note_of(broken, name));
    }
  }
  return ports;
}

/// True if another document has the namespace, so that the import may be unnecessary.
bool WsdlReader::is_satisfied(const MissingImport& of) const {
  const auto known = namespaces_.find(of.ns);
  return known != namespaces_.end() &&
         (known->second.size() > 1 || !known->second.contains(of.at.in));
}

/// Whether the portType of a binding was read. Otherwise --skip leaves no operation.
bool WsdlReader::has_bound_type() const {
  return std::any_of(bindings_.begin(), bindings_.end(), [&](const Place& each) {
    try {
      return symbols_.contains({Symbol::port_type, named_by(each, "type")});
    } catch (const Broken&) {
      return false;
    }
  });
}

void WsdlReader::refuse_missing(const std::string& advice) const {
  for (const MissingImport& each : missing_)
    if (!is_satisfied(each)) refuse_all(each.at, each.why + advice);
}

void WsdlReader::note_missing() {
  for (const MissingImport& each : missing_)
    if (!is_satisfied(each))
      notes_.push_back(each.at.text() + ": " + each.why + "; operations that need it are left out");
}

std::vector<Interface> WsdlReader::interfaces(bool skips) {
  if (!skips) refuse_missing(has_bound_type() ? "; --skip omits the operations that need it" : "");
  Interfaces read(notes_);
  for (const Place& service : services_)
    bind_service(service, read);
  // A portType and its binding suffice; a service only adds the path.
  if (read.empty())
    for (const Place& binding : bindings_)
      try {
        if (!of_ports_.contains(binding.at.source().data())) bind({binding}, read);
      } catch (const Broken& broken) {
        if (!broken_) broken_ = broken.problem;
        notes_.push_back(note_of(broken, binding_name(binding)));
      }
  if (read.empty()) refuse_missing();
  note_missing();
  // The contract has operations, but a reference to them is wrong.
  if (read.empty() && broken_) throw Broken(*broken_);
  const bool has_types = std::any_of(symbols_.begin(), symbols_.end(), [](const auto& each) {
    return each.first.first == Symbol::port_type;
  });
  if (bindings_.empty())
    notes_.push_back(
        has_types ? "no document has a binding, which is needed to call the operations of a "
                    "portType (WSDL 1.1, 2.5); name the document with the binding as an input, too"
                  : "no document has a portType or a binding: this is a part of a contract; name "
                    "the document that imports it");
  std::vector<Interface> all = read.take();
  note_unbound(all);
  part_paths(all);
  return all;
}

void WsdlReader::bind_service(const Place& service, Interfaces& all) {
  if (const std::string_view name = attribute_of(service.at, "name");
      !soapsvc::detail::is_ncname(name))
    notes_.push_back(
        service.text() + ": '" + std::string(name) +
        "' is not an XML name; the class gets the name of the portType");
  Demands demands = policies_.attached(service, Subject::all);
  demands.add(policies_.extensions(service));
  std::vector<Endpoint> ports = ports_of(service);
  std::set<QName> types;
  for (const Endpoint& each : ports)
    types.insert(named_by(each.binding, "type"));
  for (Endpoint& each : ports) {
    each.of_service = demands;
    each.is_alone = types.size() == 1;
    bind(each, all);
  }
}

/// Notes operations of port types that no binding has.
void WsdlReader::note_unbound(const std::vector<Interface>& all) {
  std::set<const char*> done;
  for (const Interface& each : all) {
    if (!done.insert(each.at.at.source().data()).second) continue;
    const PortType& type = port_type_of(each.at);
    for (const auto& [name, declared] : type.operations)
      if (!type.bound.contains(name))
        notes_.push_back(
            Place{each.at.in, declared.front()}.text() + ": no binding has the operation " +
            std::string(name) + " of the portType (WS-I Basic Profile 1.1, R2718); left out");
  }
}

/// Policies of single operations secure the whole service, because a table cannot secure a part of
/// it. An operation must not lose its security, and valid messages must not be refused.
static void check_security(Interface& made, const Demands& of_all) {
  for (Operation& each : made.operations) {
    Demands own = of_all;
    own.add(each.demands);
    const std::string said = own.security();
    if (!own.proves(made.demands))
      blame(
          each,
          each.at,
          "its policies demand " + (said.empty() ? "no security" : said) +
              ", but those of others " + made.demands.security() +
              " (WS-PolicyAttachment 1.5, 4.1.4); a table secures all operations alike");
  }
}

/// A policy holds for the element that it is attached to: a service, a port, its binding and port
/// type, and the operations of these (WS-PolicyAttachment 1.5, 4.1).
void WsdlReader::bind(const Endpoint& of, Interfaces& all) {
  const Node soap = soap_child(of.binding.at, "binding");
  if (!soap) {
    notes_.push_back(
        of.binding.text() + ": " + binding_name(of.binding) +
        " is left out: it has no soap:binding, so it is not SOAP");
    return;
  }
  const QName type = named_by(of.binding, "type");
  Interface made;
  made.at = find(Symbol::port_type, type, of.binding);
  made.binding = of.binding;
  made.binding_name = attribute_of(of.binding.at, "name");
  const Binding& binding = binding_of(of.binding);
  Demands demands = binding.demands;
  demands.add(of.of_service);
  if (of.port.at) {
    demands.add(policies_.attached(of.port, Subject::all));
    demands.add(policies_.extensions(of.port));
    const Node address = soap_child(of.port.at, "address");
    if (address) made.path = path_of(attribute_of(address, "location"));
  }
  made.demands = demands;
  made.demands.add(binding.of_operations);
  (soap.ns() == soap11_binding ? made.speaks_11 : made.speaks_12) = true;
  if (!all.knows(made)) {
    made.ns = target_of(of.binding);
    const bool is_named =
        of.is_alone && soapsvc::detail::is_ncname(attribute_of(of.service, "name"));
    made.name = is_named ? std::string(attribute_of(of.service, "name")) : type.local;
    made.doc = documentation(made.at.at);
    if (made.doc.empty() && of.service) made.doc = documentation(of.service);
    made.operations = binding.operations;
    if (!binding.of_operations.empty()) check_security(made, demands);
    for (Operation& each : made.operations)
      if (!each.problem) each.problem = demands.problem;
  }
  all.add(type, std::move(made));
}

// --- Operations ----------------------------------------------------------------------------------

WsdlReader::PortType& WsdlReader::port_type_of(const Place& at) {
  const auto [known, is_new] = port_types_.try_emplace(at.at.source().data());
  PortType& made = known->second;
  if (!is_new) return made;
  made.demands = policies_.attached(at, Subject::all);
  for (Node each = at.at.first_child(); each; each = each.next_sibling())
    if (is_wsdl(each, "operation")) made.operations[attribute_of(each, "name")].push_back(each);
  return made;
}

const WsdlReader::Binding& WsdlReader::binding_of(const Place& at) {
  const auto [known, is_new] = read_bindings_.try_emplace(at.at.source().data());
  Binding& made = known->second;
  if (!is_new) return made;
  made.demands = policies_.attached(at, Subject::all);
  made.demands.add(policies_.extensions(at));
  const std::string_view transport = attribute_of(soap_child(at.at, "binding"), "transport");
  if (!transport.empty() && !transport.ends_with("/soap/http") &&
      !transport.ends_with("/soap/http/") && !transport.ends_with("/HTTP/"))
    notes_.push_back(at.text() + ": the transport " + std::string(transport) + " is read as HTTP");
  if (!wsdl_child(at.at, "operation"))
    notes_.push_back(at.text() + ": " + binding_name(at) + " has no operation");
  read_operations(made, at);
  for (Operation& each : made.operations) {
    if (!each.problem) each.problem = each.demands.problem;
    if (!each.demands.problem) made.of_operations.add(each.demands);
  }
  for (const Operation& each : made.operations)  // the weakest demand counts
    if (!each.demands.problem && each.demands.addressing != made.of_operations.addressing)
      made.of_operations.addressing = Demands::Addressing::optional;
  return made;
}

static std::string_view input_name(Node operation) {
  const Node input = wsdl_child(operation, "input");
  return input ? attribute_of(input, "name") : std::string_view();
}

/// True if the server sends the first message of an operation.
static bool calls_client(Node declared) {
  const Node input = wsdl_child(declared, "input");
  const Node output = wsdl_child(declared, "output");
  return output && (!input || output.source().data() < input.source().data());
}

void WsdlReader::read_operations(Binding& made, const Place& binding) {
  const Place type_at = find(Symbol::port_type, named_by(binding, "type"), binding);
  PortType& type = port_type_of(type_at);
  made.demands.add(type.demands);
  std::set<std::string_view> known;
  for (Node child = binding.at.first_child(); child; child = child.next_sibling())
    if (is_wsdl(child, "operation"))
      if (const std::string why = read_bound(made, binding, {binding.in, child}, type_at, known);
          !why.empty())
        notes_.push_back(Place{binding.in, child}.text() + ": " + why + " left out");
}

/// Reads one operation of a binding. Returns why it is left out; empty: it is not.
std::string WsdlReader::read_bound(
    Binding& made,
    const Place& binding,
    const Place& bound,
    const Place& type_at,
    std::set<std::string_view>& known) {
  PortType& type = port_type_of(type_at);
  const std::string name(attribute_of(bound.at, "name"));
  const auto found = type.operations.find(name);
  if (found == type.operations.end()) return "the portType has no operation " + name + ';';
  type.bound.insert(found->first);
  if (!soapsvc::detail::is_ncname(name)) return '\'' + name + "' is not an XML name;";
  // The names of inputs distinguish operations of one name (WSDL 1.1, 2.5).
  std::vector<Node> declared = found->second;
  const bool is_overloaded = declared.size() > 1;
  const std::string_view input = is_overloaded ? input_name(bound.at) : std::string_view();
  if (is_overloaded) std::erase_if(declared, [&](Node each) { return input_name(each) != input; });
  const bool is_one = declared.size() == 1;
  const Node chosen = is_one ? declared.front() : found->second.front();
  if (is_one && calls_client(chosen))
    return "in the operation " + name + " the server calls the client (WSDL 1.1, 2.4.3 and 2.4.4);";
  const bool is_renamed = is_one && !input.empty() && input != name &&
                          soapsvc::detail::is_ncname(input) && !type.operations.contains(input);
  const bool is_new = known.insert(is_renamed ? input : found->first).second;
  if (!is_new && !is_overloaded)
    return binding_name(binding) + " has the operation " + name + " already; this one is";
  Operation& read = made.operations.emplace_back(
      read_operation(bound, {type_at.in, chosen}, soap_child(binding.at, "binding")));
  read_actions(read, type_at, chosen);
  read.demands = read_policies(bound, {type_at.in, chosen});
  if (is_overloaded && (!is_one || !is_new || read.is_rpc))
    blame(
        read,
        bound,
        "the portType has several operations of this name; in a table, each operation "
        "needs its own name");
  if (!is_renamed || read.problem) return {};
  read.name = input;
  read.notes.push_back(
      bound.text() + ": the portType has several operations " + name + "; this one is called " +
      read.name + " as its input (WSDL 1.1, 2.5)");
  return {};
}

/// The demands that are attached to an operation and its messages, in its binding and port type.
Demands WsdlReader::read_policies(const Place& bound, const Place& declared) {
  Demands made;
  for (const Place& each : {bound, declared}) {
    made.add(policies_.attached(each, Subject::all));
    made.add(read_policies_of(each, "input", Subject::requests));
    made.add(read_policies_of(each, "output", Subject::responses));
    made.add(read_policies_of(each, "fault", Subject::responses));
  }
  return made;
}

Demands WsdlReader::read_policies_of(
    const Place& operation, std::string_view tag, Subject subject) {
  Demands made;
  for (Node child = operation.at.first_child(); child; child = child.next_sibling()) {
    if (!is_wsdl(child, tag)) continue;
    const Place at{operation.in, child};
    made.add(policies_.attached(at, subject));
    if (attribute_of(child, "message").empty()) continue;
    try {
      const QName name = name_of(at, attribute_of(child, "message"), target_of(at));
      const auto message = symbols_.find({Symbol::message, name});
      if (message != symbols_.end()) made.add(policies_.attached(message->second, subject));
    } catch (const Broken&) {
      continue;  // the operation is omitted because of its name
    }
  }
  return made;
}

Operation WsdlReader::read_operation(const Place& bound, const Place& declared, Node soap_binding) {
  Operation made;
  made.name = checked_name(bound);
  made.at = bound;
  made.doc = documentation(declared.at);
  const Node soap = soap_child(bound.at, "operation");
  const Place binding{bound.in, soap_binding};
  made.is_rpc = attribute_of(soap_binding, "style") == "rpc";
  if (!soap || !has_attribute(soap, "style")) check_word(made, binding, "style", style_words);
  if (soap) check_word(made, {bound.in, soap}, "style", style_words);
  if (soap && has_attribute(soap, "style")) made.is_rpc = attribute_of(soap, "style") == "rpc";
  made.action = std::string(soap ? attribute_of(soap, "soapAction") : std::string_view());
  const Node output = wsdl_child(declared.at, "output");
  made.is_one_way = !output;
  try {
    read_messages(made, bound, declared);
  } catch (const Broken& broken) {
    if (!made.problem) made.problem = broken.problem;
  }
  return made;
}

/// True if a direction of a binding is absent, or has no element of SOAP or MIME.
static bool says_nothing(Node direction) {
  for (Node child = direction ? direction.first_child() : direction; child;
       child = child.next_sibling())
    if (child.ns() == soap11_binding || child.ns() == soap12_binding || child.ns() == mime_binding)
      return false;
  return true;
}

void WsdlReader::read_messages(Operation& made, const Place& bound, const Place& declared) {
  const Node input = wsdl_child(declared.at, "input");
  const Node output = wsdl_child(declared.at, "output");
  if (!input) return blame(made, declared, "has no input; add one with a message");
  const auto direction = [&](std::string_view tag,
                             Node message,
                             std::vector<Part>& body,
                             std::vector<const Element*>& headers,
                             std::string& ns) {
    const Node said = wsdl_child(bound.at, tag);
    if (!made.is_rpc && says_nothing(said)) {
      body = read_unbound(bound, tag, {declared.in, message}, made);
      return;
    }
    if (!said)
      return blame(
          made,
          bound,
          "the binding has no " + std::string(tag) +
              ", which the portType has (WS-I Basic Profile 1.1, R2718); add it with a "
              "soap:body");
    body = read_body({bound.in, said}, {declared.in, message}, made, ns);
    read_headers({bound.in, said}, headers, made);
  };
  direction("input", input, made.request, made.headers, made.request_ns);
  if (output) direction("output", output, made.response, made.told, made.response_ns);
  read_faults(bound, declared, made);
}

/// Reads a message without soap:body in its binding: literal, as with a soap:body without
/// attributes. In rpc/literal, the namespace of the element in the Body would be missing.
std::vector<Part> WsdlReader::read_unbound(
    const Place& bound, std::string_view tag, const Place& declared, Operation& of) {
  of.notes.push_back(
      bound.text() + ": the binding has no soap:body for the " + std::string(tag) +
      " of the operation " + of.name + "; read as <soap:body use=\"literal\"/> (WSDL 1.1, 3.5)");
  return parts_of(find(Symbol::message, named_by(declared, "message"), declared), of, false);
}

void WsdlReader::read_actions(Operation& of, const Place& port_type, Node declared) {
  const auto action_of = [&](Node message, const char* usual_end) {
    if (std::string said = said_action(message); !said.empty()) return said;
    const std::string named(attribute_of(message, "name"));
    return default_action(
        target_of(port_type),
        std::string(attribute_of(port_type.at, "name")),
        named.empty() ? of.name + usual_end : named);
  };
  const Node input = wsdl_child(declared, "input");
  const Node output = wsdl_child(declared, "output");
  // The input of a one-way operation is named like the operation (WSDL 1.1, 2.4.5).
  if (input) of.request_action = action_of(input, output ? "Request" : "");
  of.has_explicit_action = input && !said_action(input).empty();
  if (output) of.response_action = action_of(output, "Response");
}

/// Each operation that uses a message reads all of its parts, and so does each header block.
static constexpr std::size_t most_parts = 256;

/// The type of a part. A part with a type is always refused in document style. There the type only
/// selects the text of the error, so it may be missing.
const Type* WsdlReader::part_type(const Place& part, bool rpc) {
  const QName name = name_of(part, attribute_of(part.at, "type"));
  return rpc || schemas_.has_type(name) ? &schemas_.type(name, part) : nullptr;
}

std::vector<Part> WsdlReader::parts_of(
    const Place& message,
    Operation& of,
    bool rpc,
    const std::function<bool(std::string_view)>& is_used) {
  const auto [known, is_new] = parts_.try_emplace(message.at.source().data());
  std::vector<Node>& all = known->second;
  if (is_new)
    for (Node child = message.at.first_child(); child; child = child.next_sibling())
      if (is_wsdl(child, "part")) all.push_back(child);
  std::vector<Part> parts;
  if (all.size() > most_parts) {
    blame(of, message, "a message has at most " + std::to_string(most_parts) + " parts");
    return parts;
  }
  std::set<std::string_view> known_names;
  for (const Node child : all) {
    if (is_used && !is_used(attribute_of(child, "name"))) continue;
    const Place at{message.in, child};
    Part& part = parts.emplace_back();
    part.name = checked_name(at);
    part.at = at;
    part.doc = documentation(child);
    if (!known_names.insert(attribute_of(child, "name")).second)
      blame(of, at, "two parts of a message are called " + part.name + " (WSDL 1.1, 2.3)");
    if (has_attribute(child, "element") && has_attribute(child, "type") && !rpc)
      of.notes.push_back(
          at.text() + ": the part " + part.name +
          " has an element and a type (WS-I Basic Profile 1.1, R2306); the element is read");
    if (has_attribute(child, "element"))
      part.element = &schemas_.element(name_of(at, attribute_of(child, "element")), at);
    else if (has_attribute(child, "type"))
      part.type = part_type(at, rpc);
    else
      blame(of, at, "the part has neither an element nor a type");
  }
  return parts;
}

/// The only part of a mime:multipartRelated: a message without attachments.
static Node lone_part(Node bound) {
  Node found;
  for (Node child = bound.first_child(); child; child = child.next_sibling())
    for (Node part = child.first_child(); part; part = part.next_sibling()) {
      if (!child.is(mime_binding, "multipartRelated") || !part.is(mime_binding, "part")) continue;
      if (found || !soap_child(part, "body")) return {};
      for (Node each = part.first_child(); each; each = each.next_sibling())
        if (each.ns() == mime_binding) return {};
      found = part;
    }
  return found;
}

static std::vector<Node> headers_of(Node bound) {
  std::vector<Node> all;
  for (const Node from : {bound, lone_part(bound)})
    for (Node child = from ? from.first_child() : from; child; child = child.next_sibling())
      if (is_soap(child, "header")) all.push_back(child);
  return all;
}

/// The soap:body of a direction; null, with the reason in the operation, if there is none.
static Node body_of(const Place& bound, Operation& of) {
  if (const Node body = soap_child(bound.at, "body")) return body;
  if (const Node part = lone_part(bound.at)) return soap_child(part, "body");
  // MIME attachments are around the body.
  for (Node child = bound.at.first_child(); child; child = child.next_sibling())
    if (child.is(mime_binding, "multipartRelated")) {
      blame(
          of,
          {bound.in, child},
          "its message has attachments (MIME), which the library neither sends nor reads");
      return {};
    }
  blame(
      of,
      bound,
      "the binding has no soap:body here, which says how the message is sent (WSDL 1.1, 3.5); "
      "add "
      "<soap:body use=\"literal\"/> with the binding's prefix");
  return {};
}

/// The parts of a message that a direction sends as headers.
static std::set<std::string, std::less<>> header_parts(const Place& bound, const Place& message) {
  const QName name{target_of(message), std::string(attribute_of(message.at, "name"))};
  std::set<std::string, std::less<>> parts;
  for (const Node each : headers_of(bound.at))
    if (named_by({bound.in, each}, "message") == name) parts.emplace(attribute_of(each, "part"));
  return parts;
}

/// The parts that a soap:body names.
std::vector<Part> WsdlReader::named_parts(const Place& body, const Place& message, Operation& of) {
  std::set<std::string_view> named;
  std::string_view list = attribute_of(body.at, "parts");
  while (const auto name = take_item(list))
    named.insert(*name);
  std::vector<Part> parts =
      parts_of(message, of, of.is_rpc, [&](std::string_view part) { return named.contains(part); });
  for (const Part& each : parts)
    named.erase(each.name);
  if (!named.empty())
    blame(
        of,
        body,
        "soap:body names the part " + std::string(*named.begin()) +
            ", which its message does not have (WSDL 1.1, 3.5)");
  return parts;
}

std::vector<Part> WsdlReader::read_body(
    const Place& bound, const Place& declared, Operation& of, std::string& ns) {
  const Node body = body_of(bound, of);
  if (!body) return {};
  if (!soap_child(bound.at, "body"))
    of.notes.push_back(
        Place{bound.in, body}.text() +
        ": mime:multipartRelated has no attachment here; read as a message without MIME");
  ns = attribute_of(body, "namespace");
  check_word(of, {bound.in, body}, "use", use_words);
  if (attribute_of(body, "use") == "encoded") {
    blame(
        of,
        {bound.in, body},
        std::string(of.is_rpc ? "is rpc/encoded" : "is document/encoded") +
            " (SOAP 1.1, 5), which tables cannot express; only literal "
            "operations are imported");
    return {};
  }
  if (of.is_rpc && ns.empty())
    of.notes.push_back(
        Place{bound.in, body}.text() +
        ": soap:body has no namespace (WS-I Basic Profile 1.1, R2717); the element of the "
        "operation " +
        of.name + " is in none");
  const Place& message = find(Symbol::message, named_by(declared, "message"), declared);
  if (has_attribute(body, "parts")) return named_parts({bound.in, body}, message, of);
  const auto headers = header_parts(bound, message);
  const Node first = wsdl_child(message.at, "part");
  const bool is_alone = first && !first.next_sibling();
  return parts_of(message, of, of.is_rpc, [&](std::string_view part) {
    return is_alone || !headers.contains(part);
  });
}

const Element* WsdlReader::header_element(const Place& at, Operation& of) {
  check_word(of, at, "use", use_words);
  if (attribute_of(at.at, "use") == "encoded") {
    blame(of, at, "has an encoded header; only literal ones are imported");
    return nullptr;
  }
  const Place& message = find(Symbol::message, named_by(at, "message"), at);
  const std::string_view name = attribute_of(at.at, "part");
  const auto is_it = [&](std::string_view part) { return part == name; };
  for (const Part& part : parts_of(message, of, true, is_it)) {
    if (!part.element)
      blame(
          of,
          at,
          "the header's part " + part.name +
              " has type= instead of element= (WS-I Basic Profile 1.1, R2205)");
    return part.element;
  }
  blame(of, at, "the header's message has no part " + std::string(name));
  return nullptr;
}

void WsdlReader::read_headers(
    const Place& message, std::vector<const Element*>& to, Operation& of) {
  std::set<const Element*> known(to.begin(), to.end());
  for (const Node child : headers_of(message.at)) {
    const Element* const element = header_element({message.in, child}, of);
    if (element && known.insert(element).second) to.push_back(element);
    if (const Node fault = soap_child(child, "headerfault"))
      of.notes.push_back(
          Place{message.in, fault}.text() + ": the header fault " +
          std::string(attribute_of(fault, "part")) + " of the operation " + of.name +
          " is not declared; fault.with_header_block(...) sends one");
  }
}

void WsdlReader::read_faults(const Place& bound, const Place& declared, Operation& to) {
  std::map<std::string_view, Node> encoded;
  for (Node said = bound.at.first_child(); said; said = said.next_sibling())
    if (const Node fault = soap_child(said, "fault"); fault && is_wsdl(said, "fault")) {
      check_word(to, {bound.in, fault}, "use", use_words);
      if (attribute_of(fault, "use") == "encoded")
        encoded.emplace(attribute_of(said, "name"), said);
    }
  std::set<const Element*> known;
  for (Node child = declared.at.first_child(); child; child = child.next_sibling()) {
    if (!is_wsdl(child, "fault")) continue;
    const Place at{declared.in, child};
    if (const auto said = encoded.find(attribute_of(child, "name")); said != encoded.end())
      blame(to, {bound.in, said->second}, "has an encoded fault; only literal ones are imported");
    const QName name = named_by(at, "message");
    const auto leave_out = [&](const Place& place, const std::string& why) {
      to.notes.push_back(
          place.text() + ": the fault " + shown(name) + " of the operation " + to.name +
          " is not declared: " + why);
    };
    if (!symbols_.contains({Symbol::message, name})) {
      leave_out(at, "it has no message");
      continue;
    }
    const Place& message = find(Symbol::message, name, at);
    const std::vector<Part> parts = parts_of(message, to, true);
    if (parts.size() != 1 || !parts.front().element) {
      leave_out(
          message,
          "its message has " +
              std::string(
                  parts.empty()      ? "no part"
                  : parts.size() > 1 ? "several parts"
                                     : "a part with type=") +
              "; it must have one part with element= (WS-I Basic Profile 1.1, R2205)");
      continue;
    }
    const Element* const element = parts.front().element;
    if (known.insert(element).second) to.faults.push_back(element);
  }
}

}  // namespace importer
