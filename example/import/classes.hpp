// Operations as methods: the struct of a request, the result in a response, and the options of the
// service's rows: names, namespaces and styles.
#ifndef IMPORT_CLASSES_HPP
#define IMPORT_CLASSES_HPP

#include <map>
#include <set>

#include "records.hpp"

namespace importer {

class Classes {
public:
  Classes(Tables& tables, SchemaSet& schemas, Records& records)
      : tables_(tables), schemas_(schemas), records_(records) {}

  /// Makes a class of each interface. The interfaces must outlive the tables.
  void make(const std::vector<Interface>& interfaces);

private:
  /// The C++ form of a message's element.
  enum class Form {
    nothing,  ///< no children
    content,  ///< a table without a name
    named,  ///< a type with a name
    value  ///< a simple type, as the result itself
  };

  void count_uses(const std::vector<Interface>& interfaces);
  Form form_of(const Element& element, bool is_response) const;
  void say_message(Method& made, Row& row, const char* what, const Element& element);
  void note_alone(const Element& element);
  void add_blocks(Method& made, const Operation& operation);
  void add_method(Class& to, const Operation& operation);
  static void say_action(Method& made, const Class& in);
  void add_messages(Method& made, const Class& in);
  void add_parts(Method& made, const Class& in);
  void add_request(Method& made, const Element& element, bool& is_bare, const Class& in);
  void add_response(Method& made, const Element& element, bool& is_bare, const Class& in);
  void add_result_of(Method& made, Declaration& response, const Element& element);
  bool is_unwrapped(const Declaration& response) const;
  void say_name(
      Method& made,
      Option::Kind option,
      const QName& name,
      const std::string& usual,
      const Class& in,
      bool always = false);
  void check_elements(Class& made);
  void check_references(Class& made);

  Tables& tables_;
  SchemaSet& schemas_;
  Records& records_;
  std::map<const Element*, std::size_t> uses_;
  std::set<const Element*> shared_;  ///< elements that several messages of one class share
  /// Header blocks and details whose tables have the name of the element. As messages they are the
  /// same.
  std::set<const Element*> alone_;
  /// Responses with one child, which is the result once the rows are known.
  struct Response {
    std::size_t in_class;
    std::size_t method;
    Declaration* record;
    const Element* element;
  };
  std::vector<Response> responses_;
};

}  // namespace importer

#endif
