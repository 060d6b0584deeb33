// The SOAP operations of a WSDL 1.1, from its messages, port types, bindings and documents (WSDL
// 1.1, 2 and 3).
#ifndef IMPORT_WSDL_HPP
#define IMPORT_WSDL_HPP

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy.hpp"
#include "schema.hpp"

namespace importer {

/// A part of a message: an element, or in rpc a type with a name.
struct Part {
  std::string name;
  const Element* element = nullptr;
  const Type* type = nullptr;
  Place at{};
  std::string doc{};
};

struct Operation {
  std::string name;
  std::string doc;
  Place at{};
  bool is_rpc = false;
  bool is_one_way = false;
  std::vector<Part> request;
  std::vector<Part> response;
  std::vector<const Element*> headers;
  std::vector<const Element*> told;  ///< header blocks of the response
  std::vector<const Element*> faults;
  std::optional<std::string> action;
  std::string request_action;  ///< of WS-Addressing, explicit or default (metadata, 4.4.4)
  bool has_explicit_action = false;  ///< `request_action` is explicit
  std::string response_action;  ///< the same
  std::string request_ns;  ///< for rpc: the namespace of the element around the parts
  std::string response_ns;
  std::optional<Problem> problem;  ///< the reason why it cannot be imported
  Demands demands;  ///< of policies for this operation and its messages alone
  std::size_t bindings = 1;  ///< number of bindings of this interface with this operation
  std::vector<std::string> notes;  ///< shown to the user if it is imported
};

/// One port type with its SOAP binding, which becomes a class and its table. Bindings with
/// different messages become several interfaces.
struct Interface {
  std::string name;  ///< name of the service, or of the port type if the service has several
  std::string ns;
  std::string doc;
  std::string path;  ///< of its address; empty if there is none
  bool speaks_11 = false;
  bool speaks_12 = false;
  Demands demands;
  /// Their demands: table options by subject.
  std::map<std::string, std::string> declared;
  Place at{};
  Place binding{};  ///< the first of its bindings
  std::string binding_name{};
  std::size_t bindings = 1;
  std::vector<Operation> operations;
};

class Interfaces;

/// Reads WSDLs, and the schemas that they contain and import.
class WsdlReader {
public:
  WsdlReader(Library& library, SchemaSet& schemas) : library_(library), schemas_(schemas) {}

  /// Reads a document and its imports.
  void add(const std::string& path);
  /// The interfaces of all bindings, in the order of the documents. A missing wsdl:import ends the
  /// import of the contract. It is only a note if `skips` is true and a binding was read.
  std::vector<Interface> interfaces(bool skips);
  /// The parts that were left out, such as bindings of HTTP without SOAP.
  const std::vector<std::string>& notes() const { return notes_; }

private:
  enum class Symbol { message, port_type, binding };
  /// An import that found nothing. It is needless if another document has the namespace.
  struct MissingImport {
    Place at;
    std::string ns;
    std::string why;
  };

  void add_definitions(const Place& root);
  void read_import(const Place& at);
  void read_types(const Place& at);
  const Place& find(Symbol kind, const QName& name, const Place& asked_by);
  std::string other_namespace(Symbol kind, const QName& name) const;
  /// A binding, and the port that has it, if any.
  struct Endpoint {
    Place binding;
    Place port{};
    Node service{};
    Demands of_service{};
    bool is_alone = false;  ///< the service has no other port type
  };
  /// A port type: its operations by name, and the operations that a binding has.
  struct PortType {
    std::map<std::string_view, std::vector<Node>> operations;
    std::set<std::string_view> bound{};
    Demands demands{};
  };
  /// A binding: the demands of it and its port type, of all operations, and of each operation.
  struct Binding {
    Demands demands{};
    Demands of_operations{};
    std::vector<Operation> operations{};
  };
  PortType& port_type_of(const Place& at);
  const Binding& binding_of(const Place& at);
  void read_operations(Binding& made, const Place& binding);
  std::string read_bound(
      Binding& made,
      const Place& binding,
      const Place& bound,
      const Place& type_at,
      std::set<std::string_view>& known);
  Demands read_policies(const Place& bound, const Place& declared);
  Demands read_policies_of(const Place& operation, std::string_view tag, Subject subject);
  void bind(const Endpoint& of, Interfaces& all);
  void bind_service(const Place& service, Interfaces& all);
  void note_unbound(const std::vector<Interface>& all);
  std::vector<Endpoint> ports_of(const Place& service);
  void part_paths(std::vector<Interface>& all);
  Operation read_operation(const Place& bound, const Place& declared, Node soap_binding);
  void read_messages(Operation& made, const Place& bound, const Place& declared);
  static void read_actions(Operation& of, const Place& port_type, Node declared);
  void read_headers(const Place& message, std::vector<const Element*>& to, Operation& of);
  void read_faults(const Place& bound, const Place& declared, Operation& to);
  std::vector<Part> read_body(
      const Place& bound, const Place& declared, Operation& of, std::string& ns);
  std::vector<Part> named_parts(const Place& body, const Place& message, Operation& of);
  std::vector<Part> read_unbound(
      const Place& bound, std::string_view tag, const Place& declared, Operation& of);
  const Type* part_type(const Place& part, bool rpc);
  /// The parts for which `is_used` is true, or all parts. Errors in other parts are ignored.
  std::vector<Part> parts_of(
      const Place& message,
      Operation& of,
      bool rpc,
      const std::function<bool(std::string_view)>& is_used = {});
  const Element* header_element(const Place& at, Operation& of);

  Library& library_;
  SchemaSet& schemas_;
  std::map<const char*, bool> read_;
  std::map<std::pair<Symbol, QName>, Place> symbols_;
  std::vector<MissingImport> missing_;
  std::optional<Problem> broken_;  ///< the first reference to a portType or a binding that is wrong
  std::map<std::string, std::set<const Document*>> namespaces_;  ///< with their documents
  bool is_satisfied(const MissingImport& of) const;
  bool has_bound_type() const;
  void refuse_missing(const std::string& advice = {}) const;
  void note_missing();
  std::vector<Place> bindings_;
  std::vector<Place> services_;
  std::set<const char*> of_ports_;  ///< the bindings that ports name
  std::map<const char*, PortType> port_types_;
  std::map<const char*, Binding> read_bindings_;
  std::map<const char*, std::vector<Node>> parts_;  ///< of messages
  std::vector<std::string> notes_;
  Policies policies_{notes_};
};

}  // namespace importer

#endif
