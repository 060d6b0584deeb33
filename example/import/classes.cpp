#include "classes.hpp"

#include <algorithm>
#include <tuple>

#include "policy.hpp"

namespace importer {

static void append(std::vector<Declaration*>& to, const std::vector<Declaration*>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

static void append_declared(std::vector<Declaration*>& to, const CppType& type) {
  if (type.declared) to.push_back(type.declared);
  if (type.kind == CppType::Kind::derived && type.declared && type.declared->known_types)
    to.push_back(type.declared->known_types);
  for (const CppType& part : type.parts)
    append_declared(to, part);
}

std::vector<Declaration*> Row::needs() const {
  std::vector<Declaration*> all;
  append_declared(all, type);
  if (around) append_declared(all, around->key);
  if (simple) all.push_back(simple);
  return all;
}

std::vector<Declaration*> Declaration::needs() const {
  std::vector<Declaration*> all;
  if (base) all.push_back(base);
  if (kind == Kind::known_types) append(all, base->extended_by);
  for (const Row& row : rows)
    append(all, row.needs());
  return all;
}

std::vector<Declaration*> Method::needs() const {
  std::vector<Declaration*> all;
  if (has_request) append(all, request.needs());
  append(all, headers);
  append(all, told);
  append(all, faults);
  if (has_result) append(all, result.needs());
  return all;
}

static void blame(Method& of, const Place& at, const std::string& reason) {
  if (!of.problem) of.problem = Problem{at.text(), reason};
}

void Classes::make(const std::vector<Interface>& interfaces) {
  count_uses(interfaces);
  for (const Interface& each : interfaces) {
    Class& made = tables_.classes.emplace_back();
    made.from = &each;
    made.is_rpc =
        !each.operations.empty() &&
        std::all_of(each.operations.begin(), each.operations.end(), [](const Operation& one) {
          return one.is_rpc;
        });
    for (const Operation& operation : each.operations)
      add_method(made, operation);
  }
  records_.finish();
  // The child of a response is known now. The struct of an unwrapped response stays unused.
  for (const Response& each : responses_)
    add_result_of(tables_.classes[each.in_class].methods[each.method], *each.record, *each.element);
  records_.say_anonymous();
  for (Class& each : tables_.classes) {
    check_elements(each);
    check_references(each);
    each.is_bare = !each.methods.empty() &&
                   std::all_of(each.methods.begin(), each.methods.end(), [](const Method& one) {
                     return !one.options.empty() && one.options.front().kind == Option::Kind::bare;
                   });
    if (each.is_bare)
      for (Method& method : each.methods)
        method.options.erase(method.options.begin());
  }
}

/// Counts the messages of each element: an element of several messages needs a type with a name.
/// Classes of one port type share its messages, and each class has its own description.
void Classes::count_uses(const std::vector<Interface>& interfaces) {
  std::set<std::tuple<const char*, std::string, bool, const Element*>> known;
  for (const Interface& each : interfaces) {
    std::set<const Element*> here;
    for (const Operation& operation : each.operations) {
      const auto is_new = [&](const Element* element, bool is_response) {
        return known.emplace(each.at.at.source().data(), operation.name, is_response, element)
            .second;
      };
      for (const auto* parts : {&operation.request, &operation.response})
        for (const Part& part : *parts) {
          if (is_new(part.element, parts == &operation.response)) ++uses_[part.element];
          if (!here.insert(part.element).second) shared_.insert(part.element);
        }
      for (const auto* elements : {&operation.headers, &operation.told, &operation.faults})
        for (const Element* element : *elements) {
          uses_[element] += 2;
          if (element->name != element->type->name) alone_.insert(element);
        }
    }
  }
}

static bool is_empty(const Type& type) {
  return type.kind == Type::Kind::complex && !type.base && type.attributes.empty() &&
         !type.any_attribute && !type.is_mixed && !type.has_simple_content &&
         (!type.content ||
          (type.content->children.empty() && type.content->kind != Particle::Kind::element &&
           type.content->kind != Particle::Kind::any));
}

Classes::Form Classes::form_of(const Element& element, bool is_response) const {
  const Type& type = *element.type;
  if (Records::is_xml(type)) return Form::content;
  if (type.kind != Type::Kind::complex) return is_response ? Form::value : Form::content;
  if (!type.name.local.empty()) return Form::named;
  if (is_empty(type) && !element.is_nillable) return Form::nothing;
  const auto used = uses_.find(&element);
  const bool is_shared =
      (used != uses_.end() && used->second > 1) || schemas_.is_referenced(element);
  return is_shared ? Form::named : Form::content;
}

void Classes::say_name(
    Method& made,
    Option::Kind option,
    const QName& name,
    const std::string& usual,
    const Class& in,
    bool always) {
  const bool elsewhere = name.ns != in.from->ns;
  if (name.local == usual && !elsewhere && !always) return;
  made.options.push_back(Option::name(option, name, elsewhere));
}

/// The elements of the operation's messages.
static std::vector<const Element*> elements_of(const Operation& operation) {
  std::vector<const Element*> all;
  for (const auto* parts : {&operation.request, &operation.response})
    for (const Part& each : *parts)
      if (each.element) all.push_back(each.element);
  for (const auto* elements : {&operation.headers, &operation.told, &operation.faults})
    all.insert(all.end(), elements->begin(), elements->end());
  return all;
}

/// The first problem of the operation's elements and of their types. nullptr: none.
static const Problem* broken_of(const Operation& operation) {
  for (const Element* each : elements_of(operation)) {
    const auto& problem = each->problem ? each->problem : each->type->problem;
    if (problem) return &*problem;
  }
  return nullptr;
}

/// An element of the operation's messages that no message may hold (XML Schema part 1, 3.3.4).
static const Element* abstract_of(const Operation& operation) {
  for (const auto* parts : {&operation.request, &operation.response})
    for (const Part& each : *parts)
      if (each.element && each.element->is_abstract) return each.element;
  for (const auto* elements : {&operation.headers, &operation.told})
    for (const Element* each : *elements)
      if (each->is_abstract) return each;
  return nullptr;
}

/// Notes properties that a row can have, but not the element of a message, header block or fault.
void Classes::note_alone(const Element& element) {
  const std::string name = "the element " + shown(element.name);
  const std::string limit =
      "; a table cannot have this for the element of a message, a header block or a fault";
  if (const auto& value = element.fixed ? element.fixed : element.preset)
    records_.note_once(
        element.at,
        name + " has the " + (element.fixed ? "fixed" : "default") + " value '" + *value + '\'' +
            limit);
  else if (!element.is_abstract && !schemas_.substitutes_of(element).empty())
    records_.note_once(element.at, "other elements may stand in place of " + name + limit);
}

/// The header blocks and the faults of an operation.
void Classes::add_blocks(Method& made, const Operation& operation) {
  const std::string typed =
      "an abstract type, so messages need xsi:type, which tables cannot express";
  for (const auto* elements : {&operation.headers, &operation.told})
    for (const Element* each : *elements) {
      const std::string name = "the header block " + each->name.local;
      if (each->name.ns.empty())
        blame(made, each->at, name + " is in no namespace (SOAP 1.1, 4.2)");
      if (each->type->is_abstract) blame(made, each->at, name + " is of " + typed + " for it");
    }
  for (const Element* each : operation.headers)
    made.headers.push_back(&records_.of_element(*each));
  for (const Element* each : operation.told)
    made.told.push_back(&records_.of_element(*each));
  for (const Element* each : operation.faults)
    if (each->is_abstract || each->name.ns.empty() || each->type->is_abstract)
      tables_.notes.push_back(
          each->at.text() + ": the fault " + shown(each->name) + " of the operation " +
          operation.name + " is not declared: its element is " +
          (each->is_abstract       ? "abstract (XML Schema part 1, 3.3.4)"
           : each->name.ns.empty() ? "in no namespace, which tables cannot express"
                                   : "of " + typed + " for a fault"));
    else
      made.faults.push_back(&records_.of_element(*each));
}

void Classes::add_method(Class& to, const Operation& operation) {
  Method& made = to.methods.emplace_back();
  made.operation = &operation;
  if (operation.problem) {
    made.problem = operation.problem;
    return;
  }
  if (const Problem* const broken = broken_of(operation)) {
    made.problem = *broken;
    return;
  }
  if (const Element* const element = abstract_of(operation))
    return blame(
        made,
        element->at,
        "the element " + shown(element->name) + " is abstract, and " +
            (schemas_.substitutes(*element).empty() ? "no element can substitute it"
                                                    : "a table cannot express its substitutes in "
                                                      "a message or a header block"));
  for (const Element* each : elements_of(operation))
    note_alone(*each);
  add_blocks(made, operation);
  if (operation.is_rpc)
    add_parts(made, to);
  else
    add_messages(made, to);
  say_action(made, to);
  if (operation.is_one_way) made.options.push_back(Option::flag(Option::Kind::one_way));
}

/// Adds the option `action`, unless the names imply it: the SOAPAction, and with WS-Addressing the
/// Action of responses.
void Classes::say_action(Method& made, const Class& in) {
  const Operation& operation = *made.operation;
  const std::string& ns = in.from->ns;
  const std::string usual = ns + (ns.ends_with('/') ? "" : "/") + operation.name;
  const std::string port_type = in.from->name + "Soap";
  const bool addressed = in.from->declared.contains("addressing");
  const bool is_required = in.from->demands.addressing == Demands::Addressing::required;
  std::string& action = made.action = operation.action.value_or(usual);
  const std::string& said = operation.request_action;
  // Where WS-Addressing is required, every message has the Action.
  const bool is_said = action.empty()
                           ? said != default_action(ns, port_type, operation.name + "Request")
                           : is_required && operation.has_explicit_action;
  if (addressed && is_said) action = said;
  // SOAPAction is a quoted string of HTTP, and a dispatcher takes no action with escapes.
  const auto is_odd = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7F;
  };
  if (std::any_of(action.begin(), action.end(), is_odd))
    return blame(made, operation.at, "its action has a character that HTTP cannot carry");
  const std::string& response = operation.response_action;
  if (addressed && !operation.is_one_way &&
      response != default_action(ns, port_type, operation.name + "Response"))
    made.options.push_back({Option::Kind::action, {action, response}});
  else if (action != usual)
    made.options.push_back(Option::text(Option::Kind::action, action));
}

// --- Document ------------------------------------------------------------------------------------

/// True if the type has only one wildcard for elements.
static bool is_lone_wildcard(const Type& type) {
  if (type.kind != Type::Kind::complex || type.base || !type.attributes.empty() || !type.content)
    return false;
  const Particle* at = &*type.content;
  while (at->children.size() == 1)
    at = &at->children.front();
  return at->kind == Particle::Kind::any;
}

/// The reason why a table cannot have these parts as a Body. The parts are not a single part with
/// an element.
static std::string body_problem(const std::vector<Part>& parts) {
  if (parts.size() > 1)
    return " has several parts in its body (WS-I Basic Profile 1.1, R2210); a table describes one "
           "element in the Body: name one part by parts= of soap:body, or declare one element that "
           "contains the others";
  const Type* const type = parts.front().type;
  if (type && is_lone_wildcard(*type))
    return " is document/literal, and the type of its part is a wildcard alone (xs:any): by WSDL "
           "1.1, 3.5, any element may stand in the Body; a table describes one: declare the "
           "element that you exchange in the contract, and write element= of the part instead of "
           "type=";
  return " is document/literal, and its part has a type instead of an element (WS-I Basic Profile "
         "1.1, R2204): by WSDL 1.1, 3.5, the Body itself is of that type, but other tools send an "
         "element named after the part, some with a namespace and some without; write element= as "
         "the other side has it";
}

void Classes::add_messages(Method& made, const Class& in) {
  const Operation& operation = *made.operation;
  const auto element_of = [&](const std::vector<Part>& parts, const char* what) -> const Element* {
    if (parts.size() == 1 && parts.front().element) return parts.front().element;
    blame(made, operation.at, std::string("the ") + what + body_problem(parts));
    return nullptr;
  };
  const bool has_empty_request = operation.request.empty();
  const bool has_empty_response = !operation.is_one_way && operation.response.empty();
  const Element* asked = nullptr;
  const Element* answered = nullptr;
  if (!has_empty_request && !(asked = element_of(operation.request, "request"))) return;
  if (!operation.is_one_way && !has_empty_response &&
      !(answered = element_of(operation.response, "response")))
    return;
  bool is_bare = false;
  if (asked) add_request(made, *asked, is_bare, in);
  if (answered) add_response(made, *answered, is_bare, in);
  if (has_empty_request) made.options.push_back(Option::flag(Option::Kind::empty_request));
  if (has_empty_response) made.options.push_back(Option::flag(Option::Kind::empty_response));
  if (is_bare) made.options.insert(made.options.begin(), Option::flag(Option::Kind::bare));
}

void Classes::add_request(Method& made, const Element& element, bool& is_bare, const Class& in) {
  const Form form = form_of(element, false);
  const std::string& usual = made.operation->name;
  bool always = false;
  if (alone_.contains(&element)) {
    made.request.type = CppType::of(records_.of_element(element));
    always = element.name.local != usual;
    is_bare = true;
  } else if (form == Form::named) {
    say_message(made, made.request, "request", element);
    // The table has a name, so the operation's name does not imply that of the element.
    always = element.type->name.local != usual;
  } else if (form == Form::content) {
    made.request.type = CppType::of(records_.of_message(element));
    is_bare = is_bare || element.type->kind != Type::Kind::complex || shared_.contains(&element);
  }
  made.has_request = form != Form::nothing || alone_.contains(&element);
  made.request.is_nillable = element.is_nillable;
  const auto uses = uses_.find(&element);
  if (form == Form::nothing && uses != uses_.end() && uses->second > 1) is_bare = true;
  say_name(made, Option::Kind::request, element.name, usual, in, always);
}

void Classes::add_response(Method& made, const Element& element, bool& is_bare, const Class& in) {
  const Form form = form_of(element, true);
  say_name(made, Option::Kind::response, element.name, made.operation->name + "Response", in);
  made.has_result = form != Form::nothing;
  if (alone_.contains(&element)) {
    is_bare = true;
    made.result.type = CppType::of(records_.of_element(element));
    made.has_result = true;
  } else if (Records::is_xml(*element.type) || form == Form::value) {
    is_bare = true;
    Row row;
    records_.say_type(row, *element.type, made.problem);
    // A row with facets must be separate, and operations share an element through its table.
    if (row.simple || !row.facets.empty() || shared_.contains(&element))
      made.result.type = CppType::of(records_.of_message(element));
    else
      made.result = std::move(row);
  } else if (form == Form::content) {
    Declaration& response = records_.of_message(element);
    made.result.type = CppType::of(response);
    responses_.push_back(
        {tables_.classes.size() - 1,
         tables_.classes.back().methods.size() - 1,
         &response,
         &element});
  } else if (form == Form::named) {
    is_bare = true;
    say_message(made, made.result, "response", element);
  }
  made.result.is_nillable = element.is_nillable;
}

/// Adds a message with a named type, or with a type that extends it.
void Classes::say_message(Method& made, Row& row, const char* what, const Element& element) {
  records_.say_type(row, *element.type, made.problem);
  const auto& others = row.type.declared->extended_by;
  const bool has_values =
      !element.type->is_abstract ||
      std::any_of(others.begin(), others.end(), [](const auto* of) { return !of->is_abstract; });
  if (!has_values)
    blame(
        made,
        element.at,
        std::string("the ") + what + " is of an abstract type, which nothing extends");
}

/// True if the only child of a response is the result: a value without options that only a row of a
/// record can have.
bool Classes::is_unwrapped(const Declaration& response) const {
  if (response.rows.size() != 1 || response.base || response.problem || response.is_all)
    return false;
  const Row& row = response.rows.front();
  const bool says_more =
      std::any_of(row.options.begin(), row.options.end(), [](const Option& each) {
        return each.kind != Option::Kind::unqualified && each.kind != Option::Kind::ns;
      });
  return row.kind == Row::Kind::field && !row.simple && row.facets.empty() && !says_more &&
         row.doc.empty() && row.holder != Holder::vector &&
         !(row.type.declared && is_dictionary(*row.type.declared)) &&
         (row.type.kind == CppType::Kind::plain || row.type.kind == CppType::Kind::declared) &&
         !(row.holder == Holder::optional && row.is_nillable);
}

void Classes::add_result_of(Method& made, Declaration& response, const Element& element) {
  const bool is_bare = !made.options.empty() && made.options.front().kind == Option::Kind::bare;
  if (is_bare || made.problem || element.is_nillable || !is_unwrapped(response)) return;
  Row row = response.rows.front();
  const bool elsewhere = row.name.ns != element.name.ns;
  const bool usual = row.name.local == made.operation->name + "Result" && !elsewhere;
  const auto after = std::find_if(made.options.begin(), made.options.end(), [](const auto& each) {
    return each.kind != Option::Kind::request && each.kind != Option::Kind::response;
  });
  if (!usual) made.options.insert(after, Option::name(Option::Kind::result, row.name, elsewhere));
  row.options.clear();
  made.result = std::move(row);
}

// --- Rpc -----------------------------------------------------------------------------------------

/// Without a namespace attribute, the element of the body has no namespace (WSDL 1.1, 3.5).
void Classes::add_parts(Method& made, const Class& in) {
  const Operation& operation = *made.operation;
  if (!in.is_rpc) made.options.push_back(Option::flag(Option::Kind::rpc));
  const auto record_of = [&](const std::vector<Part>& parts, const std::string& wish) {
    Declaration& record = records_.empty(wish, operation.at);
    for (const Part& part : parts) {
      if (!part.type) {
        blame(
            made,
            part.at,
            "the part " + part.name +
                " has element=, but a part of style=\"rpc\" has type= (WS-I Basic Profile "
                "1.1, R2203); other tools disagree on what is sent: write type=, or "
                "style=\"document\"");
        continue;
      }
      Row& row = record.rows.emplace_back();
      row.name.local = part.name;
      row.at = part.at;
      row.doc = part.doc;
      records_.say_type(row, *part.type, made.problem);
    }
    return &record;
  };
  const std::string& asked = operation.name;
  const std::string answered = operation.name + "Response";
  made.has_request = !operation.request.empty();
  if (made.has_request) made.request.type = CppType::of(*record_of(operation.request, asked));
  say_name(made, Option::Kind::request, {operation.request_ns, asked}, asked, in);
  if (operation.is_one_way) return;
  say_name(made, Option::Kind::response, {operation.response_ns, answered}, answered, in);
  if (operation.response.empty()) return;
  made.has_result = true;
  if (auto* const response = record_of(operation.response, answered); is_unwrapped(*response)) {
    made.result = response->rows.front();
    if (made.result.name.local != operation.name + "Result")
      made.options.push_back(Option::name(Option::Kind::result, made.result.name, false));
  } else {
    made.result.type = CppType::of(*response);
  }
}

// --- All operations of a class -------------------------------------------------------------------

/// The action that distinguishes an operation from others with its element: the SOAPAction. If it
/// is empty and the class has WS-Addressing, the default Action (metadata, 4.4.4).
static std::string telling_action(Method& of, bool is_addressed) {
  const auto said = std::find_if(of.options.begin(), of.options.end(), [](const Option& each) {
    return each.kind == Option::Kind::action;
  });
  if (said == of.options.end()) return of.action;
  if (is_addressed && said->texts.front().empty())
    said->texts.front() = of.operation->request_action;
  return said->texts.front();
}

/// Only the action distinguishes operations with the same element.
void Classes::check_elements(Class& made) {
  std::map<const Element*, std::vector<Method*>> takers;
  for (Method& each : made.methods) {
    const auto& parts = each.operation->request;
    if (!each.problem && !each.operation->is_rpc)
      takers[parts.empty() ? nullptr : parts.front().element].push_back(&each);
  }
  const bool is_addressed = made.from->declared.contains("addressing");
  for (const auto& [element, methods] : takers) {
    std::map<std::string, const Method*> known;
    for (Method* const each : methods) {
      const std::string action = telling_action(*each, is_addressed && methods.size() > 1);
      const bool clash =
          !known.empty() && (action.empty() || known.contains(action) || known.contains(""));
      if (clash)
        blame(
            *each,
            each->operation->at,
            "the operations " + each->operation->name + " and " +
                known.begin()->second->operation->name +
                (element ? " take the same element" : " have an empty request") +
                ", and no SOAPAction tells them apart (WS-I Basic Profile 1.1, R2710); "
                "give "
                "each an own soapAction, or omit one by --skip");
      known.emplace(action, each);
    }
  }
}

// --- Elements of other namespaces ----------------------------------------------------------------

/// The key of a type in a description: an anonymous table has the type of its base, and a table
/// with derived tables has the same type as they.
static std::string key_of(const CppType& type) {
  const Declaration* of = type.declared;
  while (of && of->is_anonymous && of->base && of->rows.empty())
    of = of->base;
  std::string key = type.plain == "soapsvc::boolean" ? "bool" : type.plain;
  key += ' ' + std::to_string(reinterpret_cast<std::uintptr_t>(of));
  for (const CppType& part : type.parts)
    key += '(' + key_of(part) + ')';
  return key;
}

static std::string key_of(const Row& row) {
  std::string key = key_of(row.type);
  if (row.simple) key += ' ' + std::to_string(reinterpret_cast<std::uintptr_t>(row.simple));
  for (const Option& each : row.facets)
    key += ' ' + each.code();
  if (row.kind == Row::Kind::attribute) return key;
  for (const Option& each : row.options)
    if (each.kind == Option::Kind::default_value || each.kind == Option::Kind::fixed)
      key += ' ' + each.code();
  return key + (row.is_nillable ? " nil" : "");
}

/// True if a table has only text. As a message, such a table has no named type, unless a header
/// block or a fault uses it as well.
static bool is_text(const Declaration& of) {
  return !of.base && of.rows.size() == 1 && of.rows.front().kind == Row::Kind::content;
}

/// The elements and attributes that the schemas of one description declare beside their types:
/// messages, header blocks, faults, and rows in another namespace than their table.
class References {
public:
  /// The element of a request or response. An rpc message, or one without an element, has no name.
  struct Message {
    const QName* name = nullptr;
    const Row* row = nullptr;  ///< nullptr: its type has no name
  };

  /// Adds all components that an operation uses. Returns the problem of two declarations with one
  /// name.
  std::optional<Problem> add(const Method& of, const Message& request, const Message& response) {
    problem_.reset();
    for (const auto* all : {&of.headers, &of.told, &of.faults})
      for (Declaration* each : *all)
        meet({false, each->xml}, key_of(CppType::of(*each)), each->at);
    for (const Message& each : {request, response})
      if (each.name)
        meet({false, *each.name}, each.row ? key_of(*each.row) : "a message", of.operation->at);
    std::vector<std::pair<const Declaration*, std::string>> next;
    for (const Declaration* each : of.needs())
      next.emplace_back(each, each->xml.ns);
    while (!next.empty()) {
      const auto [at, ns] = std::move(next.back());
      next.pop_back();
      if (!walked_.emplace(at, ns).second) continue;
      add_rows(*at, ns);
      for (const Declaration* each : at->needs())
        next.emplace_back(each, each->owner ? ns : each->xml.ns);
    }
    return problem_;
  }
  /// After this, the next operation is checked as if it were the first with its types.
  void forget_types() { walked_.clear(); }

private:
  using Name = std::pair<bool, QName>;  ///< true: of an attribute
  struct Known {
    std::string key;
    Place at;
  };

  void meet(const Name& name, const std::string& key, const Place& at) {
    const auto [known, is_new] = known_.try_emplace(name, Known{key, at});
    if (is_new || known->second.key == key || problem_) return;
    problem_ = Problem{
        at.text(),
        (name.first ? "the attribute " : "the element ") + shown(name.second) +
            " becomes another type here than at " + known->second.at.text() +
            "; a service can describe a name of another namespace by one type only"};
  }

  /// `ns`: the namespace of the schema that declares the table, or the table that contains the
  /// group.
  void add_rows(const Declaration& of, const std::string& ns) {
    for (const Row& row : of.rows) {
      const bool is_attribute = row.kind == Row::Kind::attribute;
      const bool is_elsewhere = !row.name.ns.empty() && row.name.ns != ns &&
                                !row.name.ns.ends_with("/XML/1998/namespace");
      if (is_elsewhere && (is_attribute || row.kind == Row::Kind::field))
        meet({is_attribute, row.name}, key_of(row), row.at);
    }
  }

  std::map<Name, Known> known_;
  std::set<std::pair<const Declaration*, std::string>> walked_;
  std::optional<Problem> problem_;
};

/// Refuses operations for which the library would refuse the class at start-up.
void Classes::check_references(Class& made) {
  std::set<const Declaration*> blocks;
  for (const Method& each : made.methods)
    for (const auto* all : {&each.headers, &each.told, &each.faults})
      blocks.insert(all->begin(), all->end());
  const auto add_to = [&](References& all, const Method& of) {
    const auto message = [&](const std::vector<Part>& parts, bool is_response) {
      References::Message said;
      const Element* const element = parts.size() == 1 ? parts.front().element : nullptr;
      if (!element || of.operation->is_rpc) return said;
      said.name = &element->name;
      const Row& row = is_response ? of.result : of.request;
      const Declaration* const declared = row.type.declared;
      const bool is_named =
          alone_.contains(element) || form_of(*element, is_response) == Form::named;
      if (is_named && declared && (!is_text(*declared) || blocks.contains(declared)))
        said.row = &row;
      return said;
    };
    return all.add(
        of, message(of.operation->request, false), message(of.operation->response, true));
  };
  References all;
  if (std::none_of(made.methods.begin(), made.methods.end(), [&](const Method& each) {
        return !each.problem && add_to(all, each).has_value();
      }))
    return;
  References good;
  for (Method& each : made.methods) {
    if (each.problem) continue;
    References more = good;
    more.forget_types();
    each.problem = add_to(more, each);
    if (!each.problem) good = std::move(more);
  }
}

}  // namespace importer
