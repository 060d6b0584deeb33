// Bindings of one port type become one interface, whatever their SOAP versions. If their messages
// differ, they become several (WSDL 1.1, 2.5).
#ifndef IMPORT_INTERFACES_HPP
#define IMPORT_INTERFACES_HPP

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "wsdl.hpp"

namespace importer {

class Interfaces {
public:
  explicit Interfaces(std::vector<std::string>& notes) : notes_(notes) {}

  bool empty() const { return forms_.empty(); }
  /// True if the binding is known with this security, so that its operations need not be given.
  bool knows(const Interface& read) const;
  /// Adds the binding of a port. `read` is the interface that the binding alone would become.
  void add(const QName& port_type, Interface read);
  /// All interfaces, in the order of their first bindings.
  std::vector<Interface> take();

private:
  struct Form {
    Interface made;
    std::map<std::string, std::size_t> places;  ///< of operations, by their names
  };

  static void index(Form& form);
  static std::string difference(const Form& form, const Interface& read);
  void unite(Form& form, Interface& read);
  void unite_operation(Operation& known, Operation& read);
  bool replaces(std::size_t place, Interface& read);
  void split(const std::vector<std::size_t>& others, Interface& read, const std::string& why);
  void read_actions(Interface& made);
  void finish(Interface& made);

  std::vector<Form> forms_;
  std::map<QName, std::vector<std::size_t>> of_types_;
  /// The forms of bindings, by their security; `left_out` for bindings without a form.
  std::map<std::pair<const char*, std::string>, std::size_t> known_;
  std::vector<std::string>& notes_;
};

}  // namespace importer

#endif
