#include "interfaces.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace importer {

namespace {

constexpr std::size_t left_out = std::numeric_limits<std::size_t>::max();
/// Port types of real contracts have two or three bindings.
constexpr std::size_t most_forms = 16;

std::pair<const char*, std::string> key_of(const Interface& read) {
  return {read.binding.at.source().data(), read.demands.security()};
}

bool is_broken(const Interface& read) {
  return !read.operations.empty() &&
         std::all_of(read.operations.begin(), read.operations.end(), [](const Operation& each) {
           return each.problem.has_value();
         });
}

/// Takes the properties of a port other than its operations.
void unite_ports(Interface& made, const Interface& read) {
  if (made.path.empty()) made.path = read.path;
  made.speaks_11 = made.speaks_11 || read.speaks_11;
  made.speaks_12 = made.speaks_12 || read.speaks_12;
  made.demands.mtom = made.demands.mtom || read.demands.mtom;
  using Addressing = Demands::Addressing;
  if (made.demands.addressing != read.demands.addressing)
    made.demands.addressing = Addressing::optional;
}

bool is_same_body(const std::vector<Part>& one, const std::vector<Part>& other, bool rpc) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(), [&](const Part& a, const Part& b) {
        return a.element == b.element && a.type == b.type && (!rpc || a.name == b.name);
      });
}

/// The first difference between the messages of two operations; empty: none. SOAPAction may be
/// absent.
std::string difference_of(const Operation& one, const Operation& other) {
  if (one.is_rpc != other.is_rpc) return "the style";
  const std::string& action = one.action.value_or("");
  const std::string& other_action = other.action.value_or("");
  if (action != other_action && !action.empty() && !other_action.empty()) return "the soapAction";
  const bool rpc = one.is_rpc;
  if (!is_same_body(one.request, other.request, rpc)) return "the request";
  if (!is_same_body(one.response, other.response, rpc)) return "the response";
  if (one.headers != other.headers) return "the headers of the request";
  if (one.told != other.told) return "the headers of the response";
  if (rpc && (one.request_ns != other.request_ns || one.response_ns != other.response_ns))
    return "the namespace of soap:body";
  return {};
}

}  // namespace

bool Interfaces::knows(const Interface& read) const { return known_.contains(key_of(read)); }

void Interfaces::index(Form& form) {
  form.places.clear();
  for (std::size_t at = 0; at != form.made.operations.size(); ++at)
    form.places.emplace(form.made.operations[at].name, at);
}

/// The first difference between the messages of a binding and of a form; empty: none.
std::string Interfaces::difference(const Form& form, const Interface& read) {
  if (form.made.demands.security() != read.demands.security()) return "its security";
  for (const Operation& each : read.operations) {
    const auto known = form.places.find(each.name);
    if (known == form.places.end() || each.problem) continue;
    const Operation& other = form.made.operations[known->second];
    if (other.problem) continue;
    if (const std::string what = difference_of(other, each); !what.empty())
      return what + " of the operation " + each.name;
  }
  return {};
}

void Interfaces::add(const QName& port_type, Interface read) {
  const auto [known, is_new] = known_.emplace(key_of(read), left_out);
  if (!is_new) {
    if (known->second != left_out) unite_ports(forms_[known->second].made, read);
    return;
  }
  std::vector<std::size_t>& places = of_types_[port_type];
  std::string why;
  for (const std::size_t place : places) {
    if (is_broken(forms_[place].made) != is_broken(read)) {
      if (replaces(place, read)) known->second = place;
      return;
    }
    const std::string differs = difference(forms_[place], read);
    if (differs.empty()) {
      known->second = place;
      return unite(forms_[place], read);
    }
    if (why.empty()) why = differs;
  }
  if (!places.empty()) split(places, read, why);
  if (places.size() == most_forms) return;
  known->second = forms_.size();
  places.push_back(forms_.size());
  index(forms_.emplace_back(Form{std::move(read), {}}));
}

/// If no operation of one binding can be imported, the other binding is taken.
bool Interfaces::replaces(std::size_t place, Interface& read) {
  Interface& made = forms_[place].made;
  const bool is_better = is_broken(made);
  const Interface& broken = is_better ? made : read;
  notes_.push_back(
      broken.binding.text() + ": the binding " + broken.binding_name +
      " is left out: " + broken.operations.front().problem->reason + "; the binding " +
      (is_better ? read : made).binding_name + " of its portType is imported");
  if (!is_better) return false;
  for (auto& [key, form] : known_)
    if (form == place) form = left_out;
  read.name = made.name;
  made = std::move(read);
  index(forms_[place]);
  return true;
}

void Interfaces::split(
    const std::vector<std::size_t>& others, Interface& read, const std::string& why) {
  const bool is_one_more = others.size() == most_forms;
  notes_.push_back(
      read.binding.text() + ": the binding " + read.binding_name + " differs from the binding " +
      forms_[others.front()].made.binding_name + " of its portType in " + why +
      (is_one_more ? "; it is left out, for " + std::to_string(most_forms) + " differ already"
                   : "; it becomes a class of its own"));
  if (soapsvc::detail::is_ncname(read.binding_name)) read.name = read.binding_name;
}

void Interfaces::unite(Form& form, Interface& read) {
  Interface& made = form.made;
  unite_ports(made, read);
  ++made.bindings;
  std::string first;
  std::size_t others = 0;
  for (Operation& each : read.operations) {
    const auto [known, is_new] = form.places.emplace(each.name, made.operations.size());
    if (is_new) {
      made.operations.push_back(std::move(each));
      continue;
    }
    Operation& other = made.operations[known->second];
    const bool is_one_sided = !other.problem && !each.problem && other.action != each.action;
    if (is_one_sided && first.empty())
      first = each.name;
    else if (is_one_sided)
      ++others;
    unite_operation(other, each);
  }
  if (!first.empty())
    notes_.push_back(
        read.binding.text() + ": of the bindings " + made.binding_name + " and " +
        read.binding_name + ", one alone has a soapAction for the operation " + first +
        (others ? " and " + std::to_string(others) + " more" : "") + "; it is sent in both");
}

/// Takes the operation of a further binding with the same messages.
void Interfaces::unite_operation(Operation& known, Operation& read) {
  const std::size_t bindings = known.bindings + 1;
  if (known.problem.has_value() != read.problem.has_value()) {
    const Operation& broken = known.problem ? known : read;
    notes_.push_back(
        broken.problem->where + ": the operation " + known.name + " of this binding is left out: " +
        broken.problem->reason + "; that of another binding is imported");
    if (known.problem) known = std::move(read);
  } else if (!known.problem) {
    if (known.action.value_or("").empty()) known.action = read.action;
    const auto text_of = [](const std::string& note) { return note.substr(note.find(": ") + 1); };
    std::set<std::string> texts;
    for (const std::string& note : known.notes)
      texts.insert(text_of(note));
    for (std::string& note : read.notes)
      if (texts.insert(text_of(note)).second) known.notes.push_back(std::move(note));
  }
  known.bindings = bindings;
}

/// Explicit Actions without an assertion of WS-Addressing are only information, but clients may
/// still send them (WS-Addressing 1.0 metadata, 4.4.1). They matter if no operation has a
/// soapAction: a client that sends them with mustUnderstand needs a class with `addressing`. In
/// such a class, each operation with a different soapAction gets a note.
void Interfaces::read_actions(Interface& made) {
  const bool engaged = made.demands.addressing != Demands::Addressing::none;
  const auto has_soap_action = [](const Operation& of) { return !of.action.value_or("").empty(); };
  const bool is_soap_action =
      std::any_of(made.operations.begin(), made.operations.end(), has_soap_action);
  const Operation* first = nullptr;
  std::size_t count = 0;
  for (const Operation& each : made.operations)
    if (each.has_explicit_action && each.request_action != each.action.value_or("") &&
        (!engaged || has_soap_action(each))) {
      if (!first) first = &each;
      ++count;
    }
  if (!first) return;
  if (!is_soap_action) made.demands.addressing = Demands::Addressing::optional;
  std::string note = made.binding.text() + ": the operation " + first->name;
  if (count > 1) note += " and " + std::to_string(count - 1) + " more";
  note += count > 1 ? " have" : " has";
  note += is_soap_action ? " an Action of WS-Addressing other than the soapAction"
                         : " an Action of WS-Addressing, and no operation has a soapAction";
  note += engaged ? "; a table has one action for both, "
                  : "; an Action without an assertion of WS-Addressing is information only "
                    "(WS-Addressing 1.0 Metadata, 4.4.1), ";
  note += made.demands.addressing == Demands::Addressing::required
              ? "so the Action is used, and messages with the soapAction are refused"
          : engaged ? "so the soapAction is used, and messages with the Action are refused"
          : is_soap_action
              ? "so the soapAction is used"
              : "but clients may send it, so the class takes messages with and without "
                "WS-Addressing";
  notes_.push_back(std::move(note));
}

void Interfaces::finish(Interface& made) {
  read_actions(made);
  made.declared = made.demands.options();
  if (const std::string words = made.demands.left_open(); !words.empty())
    notes_.push_back(
        made.binding.text() + ": policies let messages leave out " + words + " beside " +
        made.demands.security() + ", which tables cannot express; left out");
  for (Operation& each : made.operations) {
    notes_.insert(notes_.end(), each.notes.begin(), each.notes.end());
    if (each.bindings != made.bindings && !each.problem)
      notes_.push_back(
          each.at.text() + ": not all bindings of the portType have the operation " + each.name +
          "; it is offered in all versions of SOAP that these have");
  }
}

std::vector<Interface> Interfaces::take() {
  std::vector<Interface> all;
  for (Form& each : forms_) {
    finish(each.made);
    all.push_back(std::move(each.made));
  }
  return all;
}

}  // namespace importer
