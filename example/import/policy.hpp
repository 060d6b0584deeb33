// What the policies of a contract assert, as options of the table (WS-Policy 1.5, 4).
#ifndef IMPORT_POLICY_HPP
#define IMPORT_POLICY_HPP

#include <string>
#include <string_view>
#include <vector>

#include "wsdl.hpp"

namespace importer {

/// Whether an element is this one of WS-Policy, of any of its versions.
bool is_policy(Node at, std::string_view local);

/// What a reference calls a policy; empty when it has no id.
std::string policy_id(Node policy);

/// The messages that a policy speaks of, by the element that it is attached to.
enum class Subject { all, requests, responses };

/// Reads a policy, or an assertion of it, into what the interface declares. `optional`: what is
/// around it says that it need not be done. Notes what is not known.
void read_assertion(
    Interface& made,
    Subject subject,
    const Place& at,
    bool optional,
    std::vector<std::string>& notes);

/// Adds to an interface what a policy says that was read into an empty one.
void add_policy(Interface& made, const Interface& said);

/// What an input or an output says of its action in WS-Addressing; empty: nothing.
std::string said_action(Node message);

/// The action of a message that says none (WS-Addressing 1.0 metadata, 4.4.4).
std::string default_action(
    const std::string& ns, const std::string& port_type, const std::string& name);

}  // namespace importer

#endif
