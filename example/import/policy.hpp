// The assertions of a contract's policies, as options of the table (WS-Policy 1.5, 4), and the
// elements that they are attached to (WS-PolicyAttachment 1.5, 3.4 and 4.1).
#ifndef IMPORT_POLICY_HPP
#define IMPORT_POLICY_HPP

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source.hpp"

namespace importer {

/// The assertions that tables can express.
struct Demands {
  enum class Addressing { none, optional, required };
  Addressing addressing = Addressing::none;
  bool mtom = false;
  /// Options in secured(...); true: all assertions of this option are optional.
  std::map<std::string, bool, std::less<>> secured{};
  std::optional<Problem> problem{};  ///< the reason why no table can express them

  bool empty() const { return addressing == Addressing::none && !mtom && secured.empty(); }
  void demand(std::string_view word, bool optional);
  /// Adds the demands of another attached policy: messages satisfy both.
  void add(const Demands& said);
  /// Adds alternatives. A message satisfies one of them, so only their common demands are required.
  void add_one_of(const std::vector<Demands>& all);
  /// True if a message that satisfies these demands also satisfies `others`.
  bool proves(const Demands& others) const;
  /// True if the option is required in all messages.
  bool demands(std::string_view word) const;
  /// True if messages without security are refused.
  bool is_closed() const;
  /// True if messages without a password or a signature are refused.
  bool needs_credentials() const;
  /// The option secured(...); empty if nothing is demanded.
  std::string security() const;
  /// The optional options in it, if others are required; else empty.
  std::string left_open() const;
  /// The options of the table, by subject.
  std::map<std::string, std::string> options() const;
};

/// The messages to which a policy applies, by the element that it is attached to.
enum class Subject { all, requests, responses };

/// The policies of a contract, and the demands that they make where they are attached.
class Policies {
public:
  explicit Policies(std::vector<std::string>& notes) : notes_(notes) {}

  /// Adds an element of the definitions if it is a policy.
  void add(const Place& at);
  /// Reads the policies in an element, and the policies that its references and PolicyURIs name.
  Demands attached(const Place& to, Subject subject);
  /// Reads demands that older contracts make without a policy. Notes other extensions.
  Demands extensions(const Place& in);

private:
  /// The parameters of reading an assertion.
  struct Reading {
    Demands& made;
    Subject subject;
    bool optional = false;
    std::string_view owner{};  ///< the assertion around it; policies between them do not count
    std::size_t depth = 0;  ///< of references
  };

  const Place* find(const Place& asked_by, std::string_view uri);
  void read_reference(Demands& made, Subject subject, const Place& at, std::string_view uri);
  void read_referred(Reading with, const Place& at);
  void read(Reading with, const Place& at);
  void read_within(Reading with, const Place& at);
  void read_choice(Reading with, const Place& at);
  void read_security(Reading with, const Place& at);
  /// Notes an assertion, or an attribute of it.
  void note_inexpressible(const Place& at, std::string_view attribute = {});
  void count_step(const Place& at, std::size_t depth);
  bool asserts_security(const Place& at, std::size_t depth = 0);

  std::vector<std::string>& notes_;
  std::map<std::pair<const Document*, std::string>, Place> in_documents_;  ///< by their ids
  std::map<std::string, Place, std::less<>> anywhere_;  ///< by their ids and names
  /// The demands of elements with policies, and of referenced policies: thousands of bindings may
  /// refer to a long policy, and thousands of operations may use one message.
  std::map<std::pair<Subject, const char*>, Demands> read_;
  std::size_t steps_ = 0;  ///< assertions that references led to
};

/// The WS-Addressing action of an input or output; empty: none.
std::string said_action(Node message);

/// The action of a message without an explicit one (WS-Addressing 1.0 metadata, 4.4.4).
std::string default_action(
    const std::string& ns, const std::string& port_type, const std::string& name);

}  // namespace importer

#endif
