// WS-Addressing 1.0 and of August 2004: accepted and refused requests and their responses in both
// versions of SOAP; the description; and the messages and checks of the client. References such as
// "core, 3.4" mean clauses of the core, the SOAP binding and the metadata.
#include <catch2/catch.hpp>

#include <set>

#include "../pieces.hpp"
#include "../support.hpp"

namespace {

class Letters {
public:
  std::string say(const Words& words) const { return words.text.value_or("nothing"); }
  void tell(const Words& words) { told = words.text.value_or("nothing"); }
  void fail(const Way& way) const {
    const soapsvc::fault refused(soapsvc::fault_code::client, "refused");
    throw way.how == "detail" ? refused.with(Problem{1, "listed"}) : refused;
  }
  std::string left(const Words&) const { return "left"; }
  std::string right(const Words&) const { return "right"; }
  soapsvc::with_header_blocks<std::string, Session> meet(const Words&) const {
    return {"met", Session{"alice", {}}};
  }

  std::string told;
};
class Locked {
public:
  std::string say(const Words& words) const { return words.text.value_or("nothing"); }
};
/// Accepts a stream that does not arrive at once.
struct Page {
  std::string text;
};
struct Book {
  soapsvc::stream<Page> pages;
};
class Library {
public:
  std::int32_t take(const Book& book) {
    std::int32_t size = 0;
    while (const auto page = book.pages.next())
      size += static_cast<std::int32_t>(page->text.size());
    if (size == 3) throw soapsvc::fault(soapsvc::fault_code::client, "too thin");
    return size;
  }
};
/// A header block of a service with a local name of WS-Addressing.
struct Deed {
  std::string name;
};
class Registrar {
public:
  std::string note(const Words&, const std::optional<Deed>& deed) const {
    return deed ? deed->name : "nothing";
  }
  std::string sign(const Words&, const Deed& deed) const { return deed.name; }
};
/// Its namespace is no IRI. So its action is no IRI.
class Kiosk {
public:
  std::string say(const Words& words) const { return words.text.value_or("nothing"); }
};
/// Like Letters, in a namespace that is a URN, with its own action texts.
class Urn {
public:
  std::string say(const Words&) const { return "urn"; }
  std::string hush(const Words&) const { return "hush"; }
  std::string cancel(const Words&) const { return "cancelled"; }
  /// Returns all header blocks.
  soapsvc::with_header_blocks<std::int32_t, std::vector<soapsvc::xml>> pass(
      const soapsvc::header_blocks<std::vector<soapsvc::xml>>& blocks) const {
    const auto& others = blocks.get<soapsvc::xml>();
    return {static_cast<std::int32_t>(others.size()), {others}};
  }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Letters> = service(
    "Letters",
    addressing,
    operation("Say", &Letters::say),
    operation("Tell", &Letters::tell, one_way),
    operation("Fail", &Letters::fail, fault_detail<Problem>()),
    operation("Left", &Letters::left, bare, request("Turn"), action("urn:turn:left")),
    operation(
        "Right", &Letters::right, bare, request("Turn"), action("urn:turn:right", "urn:turned")),
    operation("Meet", &Letters::meet));
template <>
inline constexpr auto soapsvc::schema<Locked> =
    service("Locked", addressing(required), operation("Say", &Locked::say));
template <>
inline constexpr auto soapsvc::schema<Deed> =
    record("Action", ns("urn:deeds"), field("Name", &Deed::name));
template <>
inline constexpr auto soapsvc::schema<Registrar> = service(
    "Registrar",
    addressing,
    operation("Note", &Registrar::note),
    operation("Sign", &Registrar::sign));
template <>
inline constexpr auto soapsvc::schema<Page> = record("Page", field("Text", &Page::text));
template <> inline constexpr auto soapsvc::schema<Book> = record(field("Page", &Book::pages));
template <>
inline constexpr auto soapsvc::schema<Library> =
    service("Library", addressing, operation("Take", &Library::take));
template <>
inline constexpr auto soapsvc::schema<Kiosk> =
    service("Kiosk", ns("http://example.com/My Shop"), addressing, operation("Say", &Kiosk::say));
template <>
inline constexpr auto soapsvc::schema<Urn> = service(
    "Urn",
    ns("urn:letters"),
    addressing,
    operation("Say", &Urn::say),
    operation("Hush", &Urn::hush, action("")),
    operation("Cancel", &Urn::cancel, action("/Cancel")),
    operation("Pass", &Urn::pass, action("urn:pass")));

namespace {

using namespace support;

const std::string wsa10 = "http://www.w3.org/2005/08/addressing";
const std::string wsa04 = "http://schemas.xmlsoap.org/ws/2004/08/addressing";
const std::string anonymous10 = wsa10 + "/anonymous";
const std::string anonymous04 = wsa04 + "/role/anonymous";
const std::string none = wsa10 + "/none";
const std::string letters = base + "/Letters";

std::string block(
    const std::string& name,
    const std::string& content,
    const std::string& in = wsa10,
    const std::string& with = "") {
  return "<a:" + name + " xmlns:a='" + in + "'" + with + ">" + content + "</a:" + name + ">";
}
std::string endpoint(
    const std::string& name,
    const std::string& address,
    const std::string& in = wsa10,
    const std::string& more = "") {
  return block(name, "<a:Address>" + address + "</a:Address>" + more, in);
}
const std::string say_action = block("Action", letters + "/Say");
const std::string id = block("MessageID", "urn:uuid:1");

/// A dispatcher with all three services.
struct post_office {
  explicit post_office(soapsvc::dispatcher_options options = {})
      : services([&] {
          options.ns_base = base;
          return std::move(options);
        }()) {
    services.add(box);
    services.add(locked);
    services.add(urn);
    services.add(library);
    services.add(registrar);
  }

  soapsvc::http_response send(
      version v,
      const std::string& header,
      const std::string& body,
      const std::string& service = "Letters",
      const std::string& soap_action = "") const {
    const std::string text = envelope(v, body, header);
    const std::string type = content_type(v);
    std::vector<soapsvc::http_header> fields{{"Content-Type", type}};
    if (!soap_action.empty()) fields.push_back({"SOAPAction", soap_action});
    const std::string target = "/soap/v3/" + service + ".asmx";
    soapsvc::http_request request;
    request.target = target;
    request.headers = fields;
    request.body = text;
    return services.handle(request);
  }
  soapsvc::http_response say(version v, const std::string& header) const {
    return send(v, header, "<Say xmlns='" + letters + "'><Text>x</Text></Say>");
  }

  Letters box;
  Locked locked;
  Urn urn;
  Library library;
  Registrar registrar;
  soapsvc::dispatcher services;
};

/// The content of a response: each name in the Header occurs once.
struct told {
  std::string action, to, relates_to, message_id;
  std::vector<std::string> others;  ///< local names
  std::vector<std::string> codes;  ///< from the outermost, "{namespace}local"
  std::string reason;
  std::string detail;  ///< of the fault, or in 1.1 of the header: the names of the children
  std::string result;
};

void read_codes(node code, std::vector<std::string>& into) {
  const auto name = resolve(code, code.text());
  into.push_back("{" + std::string(name.ns) + "}" + name.local);
}

void read_block(node at, told& made) {
  if (at.ns() != wsa10 && at.ns() != wsa04) return made.others.emplace_back(at.local()), void();
  const auto keep = [&](std::string& slot) {
    if (!slot.empty()) wrong("twice: " + std::string(at.local()));
    slot = at.text();
  };
  if (at.local() == "Action") return keep(made.action);
  if (at.local() == "To") return keep(made.to);
  if (at.local() == "RelatesTo") return keep(made.relates_to);
  if (at.local() == "MessageID") return keep(made.message_id);
  if (at.local() != "FaultDetail") wrong("a block " + std::string(at.local()));
  made.detail = at.first_child().local();
}

void read_fault(node fault, told& made) {
  const bool v12 = fault.ns() == soap12_ns;
  for (node part = fault.first_child(); part; part = part.next_sibling()) {
    if (part.local() == "faultcode") read_codes(part, made.codes);
    if (part.local() == "faultstring") made.reason = part.text();
    if (part.local() == "Reason") made.reason = part.first_child().text();
    if (part.local() == "Detail" || part.local() == "detail") {
      if (!v12 && !made.detail.empty()) wrong("a detail of a fault about the Header in 1.1");
      if (part.first_child()) made.detail = part.first_child().local();
    }
    for (node at = part; part.local() == "Code" && at; at = at.first_child().next_sibling())
      read_codes(at.first_child(), made.codes);
  }
}

told read(const soapsvc::http_response& response) {
  told made;
  const document parsed(response.body);
  for (node part = parsed.root().first_child(); part; part = part.next_sibling()) {
    node child = part.first_child();
    if (part.local() == "Header")
      for (; child; child = child.next_sibling())
        read_block(child, made);
    else if (child.local() == "Fault")
      read_fault(child, made);
    else
      made.result = child.first_child() ? child.first_child().text() : child.text();
  }
  return made;
}

std::string invalid_code(const std::string& local = "InvalidAddressingHeader") {
  return "{" + wsa10 + "}" + local;
}

/// Checks the fault of a refused message: the innermost code is this one of 1.0, in 1.2 inside the
/// other, and the detail names the error. The response is a fault of WS-Addressing.
void check_refused(const std::string& header, const std::string& code, const std::string& reason) {
  const post_office at;
  for (const version v : both) {
    INFO(header);
    const auto response = at.say(v, header);
    const told said = read(response);
    CHECK(response.status == (v == version::v1_1 ? 500 : 400));
    CHECK_THAT(said.reason, Catch::Contains(reason));
    REQUIRE_FALSE(said.codes.empty());
    CHECK(said.codes.back() == invalid_code(code));
    if (v == version::v1_2) {
      CHECK(said.codes.front() == "{" + soap12_ns + "}Sender");
      const bool nested = said.codes.size() == 3;
      if (nested) CHECK(said.codes[1] == invalid_code());
    }
    CHECK((said.detail == "ProblemHeaderQName" || said.detail == "ProblemAction"));
    CHECK(said.action == wsa10 + "/fault");
    const std::string schema = v == version::v1_1 ? "soap11" : "soap12";
    CHECK(schema_errors("tests/schemas/" + schema + "-envelope.xsd", {response.body}) == "");
  }
}

}  // namespace

// --- Responses -------------------------------------------------------------------------------------

TEST_CASE("a request with WS-Addressing gets a response with it", "[addressing]") {
  const post_office at;
  for (const version v : both) {
    const auto response = at.say(
        v,
        block("Action", letters + "/Say", wsa10, " e:mustUnderstand='1'") + id +
            block("To", "http://localhost/x", wsa10, " e:mustUnderstand='1'") +
            endpoint("ReplyTo", anonymous10) + endpoint("From", "http://me/"));
    CHECK(response.status == 200);
    const told said = read(response);
    CHECK(said.result == "x");
    CHECK(said.action == letters + "/LettersSoap/SayResponse");
    CHECK(said.relates_to == "urn:uuid:1");
    CHECK(said.to == anonymous10);
    CHECK_THAT(said.message_id, Catch::StartsWith("urn:uuid:"));
    CHECK(said.message_id.size() == 45);
    CHECK(said.message_id != read(at.say(v, say_action + id)).message_id);
    CHECK(said.others.empty());
  }
}

TEST_CASE(
    "a request with WS-Addressing of August 2004 gets a response in that namespace",
    "[addressing]") {
  const post_office at;
  for (const version v : both) {
    const auto response = at.say(
        v,
        block("Action", letters + "/Say", wsa04) + block("MessageID", "uuid:2", wsa04) +
            endpoint("ReplyTo", anonymous04, wsa04));
    CHECK(response.status == 200);
    CHECK(contains(response.body, "<wsa:Action xmlns:wsa=\"" + wsa04 + "\">"));
    CHECK_FALSE(contains(response.body, wsa10));
    CHECK(read(response).relates_to == "uuid:2");
    CHECK(read(response).to == anonymous04);
  }
}

TEST_CASE("a request without WS-Addressing gets a response without it", "[addressing]") {
  const post_office at;
  for (const version v : both) {
    const auto response = at.say(v, "");
    CHECK(response.status == 200);
    CHECK_FALSE(contains(response.body, "Header"));
    // Header blocks for other nodes do not count either.
    const std::string role = v == version::v1_1 ? " e:actor='urn:x'" : " e:role='urn:x'";
    CHECK_FALSE(contains(at.say(v, block("Action", "urn:other", wsa10, role)).body, "Header"));
  }
}

TEST_CASE("MessageID is not required without ReplyTo", "[addressing]") {
  const post_office at;
  for (const version v : both) {
    const told said = read(at.say(v, say_action));
    CHECK(said.result == "x");
    CHECK(said.relates_to.empty());
    CHECK(said.action == letters + "/LettersSoap/SayResponse");
    CHECK(at.say(v, say_action + endpoint("ReplyTo", none)).status == 202);
  }
}

TEST_CASE("a response to the none address is HTTP 202 without a body", "[addressing]") {
  for (const version v : both) {
    post_office at;
    const auto response = at.say(v, say_action + id + endpoint("ReplyTo", none));
    CHECK(response.status == 202);
    CHECK(response.body.empty());
    CHECK(response.content_type.empty());
    // A fault goes where responses go (core, 3.4), or to its own.
    const std::string fail = "<Fail xmlns='" + letters + "'><How>x</How></Fail>";
    const std::string action = block("Action", letters + "/Fail") + id;
    const auto refused = at.send(v, action + endpoint("ReplyTo", none), fail);
    CHECK(refused.status == 202);
    CHECK(refused.body.empty());
    const auto own =
        at.send(v, action + endpoint("ReplyTo", none) + endpoint("FaultTo", anonymous10), fail);
    CHECK(read(own).reason == "refused");
    const auto not_own = at.send(v, action + endpoint("FaultTo", none), fail);
    CHECK(not_own.status == 202);
    CHECK(at.say(v, say_action + id + endpoint("FaultTo", none)).status == 200);
    // Errors in the header blocks themselves are reported.
    const auto wrong_one =
        at.send(v, action + endpoint("ReplyTo", "http://x/") + endpoint("FaultTo", none), fail);
    CHECK(read(wrong_one).codes.back() == invalid_code("OnlyAnonymousAddressSupported"));
  }
}

TEST_CASE("a one-way operation accepts every ReplyTo", "[addressing][one-way]") {
  for (const version v : both) {
    post_office at;
    const std::string tell = "<Tell xmlns='" + letters + "'><Text>t</Text></Tell>";
    const std::string action = block("Action", letters + "/Tell");
    CHECK(at.send(v, action, tell).status == 202);
    CHECK(at.send(v, action + endpoint("ReplyTo", none), tell).status == 202);
    CHECK(at.box.told == "t");
  }
}

TEST_CASE("a fault has RelatesTo and its Action", "[addressing]") {
  const post_office at;
  const auto fail = [&](version v, const std::string& how, const std::string& in) {
    return read(at.send(
        v,
        block("Action", letters + "/Fail", in) + block("MessageID", "urn:uuid:1", in),
        "<Fail xmlns='" + letters + "'><How>" + how + "</How></Fail>"));
  };
  for (const version v : both) {
    CHECK(fail(v, "detail", wsa10).action == letters + "/LettersSoap/Fail/Fault/Problem");
    CHECK(fail(v, "plain", wsa10).action == wsa10 + "/soap/fault");
    CHECK(fail(v, "plain", wsa04).action == wsa04 + "/fault");
    CHECK(fail(v, "plain", wsa10).relates_to == "urn:uuid:1");
    // Also before the operation is known.
    const told unknown = read(at.send(v, say_action + id, "<Nothing xmlns='urn:x'/>"));
    CHECK(unknown.relates_to == "urn:uuid:1");
    CHECK(unknown.action == wsa10 + "/soap/fault");
    const told missed =
        read(at.say(v, say_action + id + "<x:T xmlns:x='urn:x' e:mustUnderstand='1'/>"));
    CHECK(missed.relates_to == "urn:uuid:1");
    CHECK(contains(missed.codes.front(), "MustUnderstand"));
  }
}

TEST_CASE("reference parameters come back as marked header blocks", "[addressing]") {
  const post_office at;
  const std::string reply_to = endpoint(
      "ReplyTo",
      anonymous10,
      wsa10,
      "<a:ReferenceParameters xmlns:o='urn:o'><o:Key n='1'>k<o:In/></o:Key><p:Other "
      "xmlns:p='urn:p'/></a:ReferenceParameters>");
  for (const version v : both) {
    const auto response = at.say(v, say_action + id + reply_to);
    CHECK(read(response).others == std::vector<std::string>{"Key", "Other"});
    const document parsed(response.body);
    std::size_t marked = 0;
    const node header = parsed.root().first_child();
    for (node each = header.first_child(); each; each = each.next_sibling())
      if (each.attribute(wsa10, "IsReferenceParameter") == "true") {
        ++marked;
        CHECK((each.ns() == "urn:o" || each.ns() == "urn:p"));
      }
    CHECK(marked == 2);
    // A fault has those of FaultTo.
    const std::string fault_to = endpoint(
        "FaultTo",
        anonymous10,
        wsa10,
        "<a:ReferenceParameters><f xmlns='urn:f'/></a:ReferenceParameters>");
    const told refused = read(at.send(
        v,
        block("Action", letters + "/Fail") + id + reply_to + fault_to,
        "<Fail xmlns='" + letters + "'><How>x</How></Fail>"));
    CHECK(refused.others == std::vector<std::string>{"f"});
    // The 2004 version has two kinds, and no mark.
    const auto old = at.say(
        v,
        block("Action", letters + "/Say", wsa04) + block("MessageID", "urn:uuid:1", wsa04) +
            endpoint(
                "ReplyTo",
                anonymous04,
                wsa04,
                "<a:ReferenceProperties><p xmlns='urn:p'/></a:ReferenceProperties>"
                "<a:ReferenceParameters><q xmlns='urn:q'/></a:ReferenceParameters>"));
    CHECK(read(old).others == std::vector<std::string>{"p", "q"});
    CHECK_FALSE(contains(old.body, "IsReferenceParameter"));
  }
}

TEST_CASE("a reference parameter with IsReferenceParameter false is refused", "[addressing]") {
  const auto reply_to = [](const std::string& mark) {
    return endpoint(
        "ReplyTo",
        anonymous10,
        wsa10,
        "<a:ReferenceParameters><o:Key xmlns:o='urn:o' a:IsReferenceParameter='" + mark +
            "'/></a:ReferenceParameters>");
  };
  for (const char* denied : {"false", "0", " false ", "", "no", "TRUE"})
    check_refused(
        say_action + id + reply_to(denied),
        "InvalidAddressingHeader",
        "cannot be a header block of a response");
  const post_office at;
  for (const version v : both)
    for (const char* mark : {"true", " 1 "})
      CHECK(
          read(at.say(v, say_action + id + reply_to(mark))).others ==
          std::vector<std::string>{"Key"});
}

TEST_CASE("a reference is resolved as RFC 3986 shows", "[addressing]") {
  const auto resolved = [](const std::string& reference) {
    return soapsvc::detail::resolve_reference("http://a/b/c/d;p?q", reference);
  };
  for (const auto& [reference, expected] : std::vector<std::pair<std::string, std::string>>{
           // 5.4.1
           {"g:h", "g:h"},
           {"g", "http://a/b/c/g"},
           {"./g", "http://a/b/c/g"},
           {"g/", "http://a/b/c/g/"},
           {"/g", "http://a/g"},
           {"//g", "http://g"},
           {"?y", "http://a/b/c/d;p?y"},
           {"g?y", "http://a/b/c/g?y"},
           {"#s", "http://a/b/c/d;p?q#s"},
           {"g#s", "http://a/b/c/g#s"},
           {"g?y#s", "http://a/b/c/g?y#s"},
           {";x", "http://a/b/c/;x"},
           {"g;x", "http://a/b/c/g;x"},
           {"g;x?y#s", "http://a/b/c/g;x?y#s"},
           {"", "http://a/b/c/d;p?q"},
           {".", "http://a/b/c/"},
           {"./", "http://a/b/c/"},
           {"..", "http://a/b/"},
           {"../", "http://a/b/"},
           {"../g", "http://a/b/g"},
           {"../..", "http://a/"},
           {"../../", "http://a/"},
           {"../../g", "http://a/g"},
           // 5.4.2
           {"../../../g", "http://a/g"},
           {"../../../../g", "http://a/g"},
           {"/./g", "http://a/g"},
           {"/../g", "http://a/g"},
           {"g.", "http://a/b/c/g."},
           {".g", "http://a/b/c/.g"},
           {"g..", "http://a/b/c/g.."},
           {"..g", "http://a/b/c/..g"},
           {"./../g", "http://a/b/g"},
           {"./g/.", "http://a/b/c/g/"},
           {"g/./h", "http://a/b/c/g/h"},
           {"g/../h", "http://a/b/c/h"},
           {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
           {"g;x=1/../y", "http://a/b/c/y"},
           {"g?y/./x", "http://a/b/c/g?y/./x"},
           {"g?y/../x", "http://a/b/c/g?y/../x"},
           {"g#s/./x", "http://a/b/c/g#s/./x"},
           {"g#s/../x", "http://a/b/c/g#s/../x"},
           // And with a query directly after an authority.
           {"//g?y/../x", "http://g?y/../x"},
           {"//g#/../x", "http://g#/../x"}}) {
    INFO(reference);
    CHECK(resolved(reference) == expected);
  }
  const auto by = [](const char* from, const char* reference) {
    return soapsvc::detail::resolve_reference(from, reference);
  };
  CHECK(by("http://a", "g") == "http://a/g");
  CHECK(by("http://a?x/y", "g") == "http://a/g");
  CHECK(by("http://a#x", "") == "http://a");
  CHECK(by("urn:x:y", "../g") == "urn:g");
  CHECK(by("relative", "g") == "g");
}

TEST_CASE("1.0 has no reference properties, and addresses contain only text", "[addressing]") {
  const post_office at;
  for (const version v : both) {
    const std::string properties =
        "<a:ReferenceProperties><p xmlns='urn:p'/></a:ReferenceProperties>";
    const std::string reply_to = endpoint("ReplyTo", anonymous10, wsa10, properties);
    CHECK(read(at.say(v, say_action + id + reply_to)).others.empty());
    for (const std::string& bad :
         {block("To", "urn:x<b/>"), endpoint("ReplyTo", anonymous10 + "<b/>")})
      CHECK(read(at.say(v, say_action + id + bad)).result.empty());
  }
}

TEST_CASE("a reference parameter that is a Security block is refused", "[addressing]") {
  const post_office at;
  const std::string oasis = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-";
  const std::string wsse = oasis + "secext-1.0.xsd", wsu = oasis + "utility-1.0.xsd";
  for (const version v : both)
    for (const std::string& each :
         {"<s:Security xmlns:s='" + wsse + "'/>",
          "<u:Timestamp xmlns:u='" + wsu + "'/>",
          "<x:Key xmlns:x='urn:x' xmlns:u='" + wsu + "' u:Id='body'/>"}) {
      const std::string around = "<a:ReferenceParameters>" + each + "</a:ReferenceParameters>";
      const told said =
          read(at.say(v, say_action + id + endpoint("ReplyTo", anonymous10, wsa10, around)));
      CHECK_THAT(said.reason, Catch::Contains("cannot be a header block of a response"));
    }
}

TEST_CASE(
    "a reference parameter with the name of a returned header block is refused", "[addressing]") {
  const post_office at;
  const auto meet = [&](version v, const std::string& in, const std::string& its_ns) {
    const std::string parameters = "<a:ReferenceParameters><Session xmlns='" + its_ns +
                                   "'><User>eve</User></Session></a:ReferenceParameters>";
    const std::string anonymous = in == wsa10 ? anonymous10 : anonymous04;
    return read(at.send(
        v,
        block("Action", letters + "/Meet", in) + block("MessageID", "urn:uuid:1", in) +
            endpoint("ReplyTo", anonymous, in, parameters),
        "<Meet xmlns='" + letters + "'/>"));
  };
  for (const version v : both)
    for (const std::string& in : {wsa10, wsa04}) {
      const told refused = meet(v, in, letters);
      CHECK_THAT(refused.reason, Catch::Contains("cannot be a header block of a response"));
      CHECK(refused.others.empty());
      const told other = meet(v, in, "urn:x");
      CHECK(other.others == std::vector<std::string>{"Session", "Session"});
    }
}

TEST_CASE("a header block of another namespace is not WS-Addressing", "[addressing]") {
  const post_office at;
  for (const version v : both) {
    const told said =
        read(at.say(v, say_action + block("To", "urn:x", "urn:other", " e:mustUnderstand='1'")));
    CHECK_THAT(said.codes.at(0), Catch::Contains("MustUnderstand"));
  }
}

TEST_CASE("RelatesTo of a streamed response is correct", "[addressing]") {
  const post_office at;
  for (const version v : both)
    for (const std::size_t size : {std::size_t{3}, std::size_t{400'000}}) {
      std::string pages;
      for (std::size_t left = size; left != 0; left -= std::min<std::size_t>(left, 1'000))
        pages += "<Page><Text>" + std::string(std::min<std::size_t>(left, 1'000), 'x') +
                 "</Text></Page>";
      const std::string text = envelope(
          v,
          "<Take xmlns='" + base + "/Library'>" + pages + "</Take>",
          block("Action", base + "/Library/Take") + id);
      const std::string type = content_type(v);
      const soapsvc::http_header fields[] = {{"Content-Type", type}};
      const std::size_t sent = std::min<std::size_t>(text.size(), 65'536);
      const soapsvc::byte_source rest = in_pieces(std::string_view(text).substr(sent), 512);
      soapsvc::http_request request;
      request.target = "/soap/v3/Library.asmx";
      request.headers = fields;
      request.body = std::string_view(text).substr(0, sent);
      request.rest_of_body = &rest;
      const told said = read(at.services.handle(request));
      CHECK(said.relates_to == "urn:uuid:1");
      CHECK((size == 3 ? said.reason == "too thin" : said.result == std::to_string(size)));
    }
}

TEST_CASE("header blocks of the operation and of WS-Addressing are sent together", "[addressing]") {
  const post_office at;
  const told said = read(at.send(
      version::v1_1, block("Action", letters + "/Meet"), "<Meet xmlns='" + letters + "'/>"));
  CHECK(said.others == std::vector<std::string>{"Session"});
  CHECK(said.result == "met");
}

// --- Refusals --------------------------------------------------------------------------------------

TEST_CASE("a list of all other header blocks has none of WS-Addressing", "[addressing]") {
  const post_office at;
  for (const version v : both) {
    const auto response = at.send(
        v,
        block("Action", "urn:pass") + id + "<b:own xmlns:b='urn:b'/>",
        "<Pass xmlns='urn:letters'/>",
        "Urn");
    INFO(response.body);
    const told said = read(response);  // each block of WS-Addressing once
    CHECK(said.result == "1");
    CHECK(said.others == std::vector<std::string>{"own"});
    CHECK(said.relates_to == "urn:uuid:1");
    soapsvc::client_options options;
    options.ns_base = base;
    options.version = v;
    soapsvc::client<Urn> client{at.services, options};
    const auto answer = client.call(&Urn::pass, {{soapsvc::xml("<b:own xmlns:b='urn:b'/>")}});
    CHECK(answer.result == 1);
    CHECK(answer.header_blocks.get<soapsvc::xml>().size() == 1);
  }
}

TEST_CASE("a header block of an operation may have a local name of WS-Addressing", "[addressing]") {
  const post_office at;
  const std::string here = base + "/Registrar";
  const auto note = [&](version v, const std::string& header) {
    return at.send(v, header, "<Note xmlns='" + here + "'/>", "Registrar");
  };
  const auto sign = [&](version v, const std::string& header) {
    return at.send(v, header, "<Sign xmlns='" + here + "'/>", "Registrar");
  };
  const std::string action = block("Action", here + "/Note");
  const std::string deed = "<Action xmlns='urn:deeds'><Name>sale</Name></Action>";
  const std::string other = "<Action xmlns='urn:other'/>";
  for (const version v : both) {
    CHECK(read(note(v, action)).result == "nothing");
    CHECK(read(note(v, deed)).result == "sale");
    CHECK(read(note(v, action + deed)).result == "sale");
    CHECK(read(note(v, deed + action)).result == "sale");
    CHECK(read(note(v, other + deed + other)).result == "sale");  // it may be ignored
    CHECK(read(note(v, action + other)).result == "nothing");
    CHECK(read(sign(v, other + deed)).result == "sale");
    CHECK_THAT(read(sign(v, other)).reason, Catch::Contains("is in the namespace 'urn:other'"));
    CHECK_THAT(
        read(sign(v, block("Action", here + "/Sign"))).reason,
        Catch::Contains("Action is missing"));
    CHECK_THAT(read(note(v, deed + deed)).reason, Catch::Contains("may appear only once"));
  }
}

TEST_CASE("an Action for any role of this node chooses the operation", "[addressing]") {
  const post_office at;
  const std::string turn = "<Turn xmlns='" + letters + "'/>";
  const auto left = [&](version v, const std::string& role) {
    return at.send(v, block("Action", "urn:turn:left", wsa10, " e:" + role), turn);
  };
  const std::string next = "actor='http://schemas.xmlsoap.org/soap/actor/next'";
  const std::string roles = "role='http://www.w3.org/2003/05/soap-envelope/role/";
  CHECK(read(left(version::v1_1, next)).result == "left");
  CHECK(read(left(version::v1_2, roles + "next'")).result == "left");
  CHECK(read(left(version::v1_2, roles + "ultimateReceiver'")).result == "left");
  for (const auto& [v, role] :
       {std::pair(version::v1_1, std::string("actor='urn:other'")),
        std::pair(version::v1_2, std::string("role='urn:other'")),
        std::pair(version::v1_2, roles + "none'")})
    CHECK_THAT(read(left(v, role)).reason, Catch::Contains("SOAPAction must name one of them"));
}

TEST_CASE("a ReplyTo or FaultTo with a real address is refused", "[addressing]") {
  for (const char* name : {"ReplyTo", "FaultTo"}) {
    check_refused(
        say_action + id + endpoint(name, "http://192.0.2.1/"),
        "OnlyAnonymousAddressSupported",
        std::string("Header/") + name +
            ": the address 'http://192.0.2.1/' is refused; allowed is '" + anonymous10 + "' or '" +
            none + "'");
    check_refused(
        say_action + id + block(name, ""),
        "MissingAddressInEPR",
        std::string("Header/") + name + ": has no Address");
    check_refused(
        say_action + id + endpoint(name, "here"),
        "InvalidAddress",
        std::string("Header/") + name + "/Address: 'here' is no absolute IRI");
  }
  // The 2004 version has no "none" address.
  const post_office at;
  for (const version v : both)
    for (const std::string& address : {std::string("http://192.0.2.1/"), none}) {
      const told said = read(at.say(
          v,
          block("Action", letters + "/Say", wsa04) + block("MessageID", "urn:uuid:1", wsa04) +
              endpoint("ReplyTo", address, wsa04)));
      CHECK(said.codes.back() == "{" + wsa04 + "}DestinationUnreachable");
      CHECK(said.action == wsa04 + "/fault");
    }
}

TEST_CASE("duplicate header blocks of WS-Addressing are refused", "[addressing]") {
  for (const auto& twice :
       {say_action,
        id,
        block("To", "urn:x"),
        endpoint("From", anonymous10),
        endpoint("ReplyTo", anonymous10),
        endpoint("FaultTo", anonymous10)}) {
    std::string header = twice == say_action ? "" : say_action;
    if (twice != id) header += id;
    check_refused(header + twice + twice, "InvalidCardinality", ": may appear only once");
  }
  const post_office at;  // other blocks are optional
  const std::string more = block("RelatesTo", "urn:a") + block("RelatesTo", "urn:b");
  CHECK(at.say(version::v1_1, say_action + more).status == 200);
  check_refused(
      say_action + id +
          block("ReplyTo", "<a:Address>" + anonymous10 + "</a:Address><a:Address>x</a:Address>"),
      "InvalidAddressingHeader",
      "Header/ReplyTo/Address: may appear only once");
}

TEST_CASE("missing header blocks of WS-Addressing are refused", "[addressing]") {
  check_refused(
      id,
      "MessageAddressingHeaderRequired",
      "Header: Action, which names the operation, is missing in the namespace '" + wsa10 + "'");
  for (const char* name : {"ReplyTo", "FaultTo"})
    check_refused(
        say_action + endpoint(name, anonymous10),
        "MessageAddressingHeaderRequired",
        "Header: MessageID, which is repeated by the response, is missing");
  const post_office at;
  const told old = read(at.say(version::v1_2, block("MessageID", "urn:uuid:1", wsa04)));
  CHECK(old.codes.back() == "{" + wsa04 + "}MessageInformationHeaderRequired");
  CHECK(old.detail.empty());
}

TEST_CASE("invalid IRIs in WS-Addressing are refused", "[addressing]") {
  const std::string invalid = "InvalidAddressingHeader";
  check_refused(block("Action", ""), invalid, "Header/Action: '' is no absolute IRI");
  check_refused(block("Action", "Say"), invalid, "Header/Action: 'Say' is no absolute IRI");
  check_refused(block("Action", "urn:a b"), invalid, "Header/Action: 'urn:a b' is no");
  check_refused(block("Action", "urn:&lt;"), invalid, "is no absolute IRI");
  check_refused(block("Action", "<x xmlns='urn:x'/>"), invalid, "is no absolute IRI");
  check_refused(
      say_action + block("To", "there"),
      "InvalidAddress",
      "Header/To: 'there' is no absolute IRI of up to 4096 bytes");
  check_refused(say_action + block("MessageID", " "), invalid, "Header/MessageID: '' is no IRI");
  check_refused(
      say_action + block("MessageID", "urn:" + std::string(4'096, 'x')), invalid, " is no IRI");
  const post_office at;  // a value that is only returned may be any reference
  CHECK(
      read(at.say(version::v1_2, say_action + block("MessageID", " 123-45 "))).relates_to ==
      "123-45");
}

TEST_CASE("a relative action of a table is accepted", "[addressing]") {
  const post_office at;
  const auto say = [&](const std::string& action) {
    return at.send(version::v1_2, block("Action", action), "<Cancel xmlns='urn:letters'/>", "Urn");
  };
  CHECK(say("/Cancel").status == 200);
  CHECK(say("/Stop").body.find("'/Stop' is no absolute IRI") != std::string::npos);
}

TEST_CASE("an action of a table may hold a space", "[addressing]") {
  Kiosk kiosk;
  soapsvc::dispatcher services{{.ns_base = base}};
  services.add(kiosk);
  const soapsvc::client<Kiosk> client{services};
  CHECK(client.call(&Kiosk::say, Words{"x"}) == "x");
}

TEST_CASE("an action that is not the operation's is refused", "[addressing][SOAPAction]") {
  check_refused(
      block("Action", letters + "/Tell"),
      "ActionNotSupported",
      "Header/Action: '" + letters + "/Tell' does not name the operation Say of the Body");
  check_refused(block("Action", letters), "ActionNotSupported", "does not name");
  check_refused(block("Action", letters + "/SayResponse"), "ActionNotSupported", "does not name");
  const post_office at;
  for (const version v : both)
    for (const std::string& action :
         {letters + "/LettersSoap/SayRequest", std::string("urn:other#Say"), letters + "/Say"})
      CHECK(read(at.say(v, block("Action", action))).result == "x");
}

TEST_CASE(
    "an Action that differs from SOAPAction is refused",
    "[addressing][SOAPAction][R1041][R2900][R2901]") {
  const post_office at;
  const std::string say = "<Say xmlns='" + letters + "'/>";
  for (const version v : both) {
    const told said = read(at.send(
        v,
        block("Action", letters + "/LettersSoap/SayRequest"),
        say,
        "Letters",
        '"' + letters + "/Say\""));
    CHECK(said.codes.back() == invalid_code("ActionMismatch"));
    CHECK(said.detail == "ProblemAction");
    CHECK_THAT(said.reason, Catch::Contains("differs from the SOAPAction"));
    // Markup and endless text are not repeated.
    for (const std::string& odd : {letters + "/\xFF", letters + std::string(10'000, 'x')}) {
      const auto response = at.send(v, say_action, say, "Letters", '"' + odd + '"');
      CHECK(response.status != 200);
      CHECK(read(response).detail == "ProblemAction");
      CHECK_FALSE(contains(response.body, odd));
    }
    CHECK(at.send(v, say_action, say, "Letters", letters + "/Say").status == 200);
    CHECK(at.send(v, say_action, say, "Letters", letters + "/S%61y").status == 200);
    CHECK(at.send(v, say_action, say, "Letters", "\"\"").status == 200);
  }
}

TEST_CASE("two versions in one message are refused", "[addressing]") {
  check_refused(
      say_action + block("MessageID", "urn:x", wsa04),
      "InvalidAddressingHeader",
      "Header: has blocks of two versions of WS-Addressing; allowed is one version");
}

TEST_CASE(
    "too many reference parameters, or reference parameters of SOAP, are refused", "[addressing]") {
  const auto with = [](const std::string& parameters) {
    return say_action + id +
           endpoint(
               "ReplyTo",
               anonymous10,
               wsa10,
               "<a:ReferenceParameters>" + parameters + "</a:ReferenceParameters>");
  };
  const std::string invalid = "InvalidAddressingHeader";
  check_refused(
      with("<x xmlns='urn:x'>" + std::string(16'384, 'x') + "</x>"),
      invalid,
      "Header/ReplyTo: has more than 16384 bytes of reference parameters");
  check_refused(
      with("<a:Action>urn:x</a:Action>"),
      invalid,
      "Header/ReplyTo: the reference parameter 'Action' in the namespace '" + wsa10 +
          "' cannot be a header block of a response");
  check_refused(with("<x/>"), invalid, "the reference parameter 'x'");
  check_refused(with("<e:Body/>"), invalid, "the reference parameter 'Body'");
}

TEST_CASE("an unknown mandatory block of WS-Addressing is not understood", "[addressing]") {
  const post_office at;
  for (const version v : both) {
    CHECK(at.say(v, say_action + block("New", "x")).status == 200);
    const told said =
        read(at.say(v, say_action + block("New", "x", wsa10, " e:mustUnderstand='1'")));
    REQUIRE_FALSE(said.codes.empty());
    CHECK(contains(said.codes.front(), "MustUnderstand"));
  }
}

TEST_CASE("a service with addressing(required) refuses a request without it", "[addressing]") {
  const post_office at;
  const std::string say = "<Say xmlns='" + base + "/Locked'/>";
  for (const version v : both) {
    const told said = read(at.send(v, "", say, "Locked"));
    REQUIRE_FALSE(said.codes.empty());
    CHECK(said.codes.back() == invalid_code("MessageAddressingHeaderRequired"));
    CHECK(said.action == wsa10 + "/fault");
    CHECK(said.relates_to.empty());
    CHECK(
        read(at.send(v, block("Action", base + "/Locked/Say"), say, "Locked")).result == "nothing");
  }
}

TEST_CASE("the action distinguishes operations that take one element", "[addressing][SOAPAction]") {
  const post_office at;
  const std::string turn = "<Turn xmlns='" + letters + "'/>";
  for (const version v : both) {
    const told right = read(at.send(v, block("Action", "urn:turn:right"), turn));
    CHECK(right.result == "right");
    CHECK(right.action == "urn:turned");
    CHECK(read(at.send(v, block("Action", "urn:turn:left"), turn)).result == "left");
  }
}

TEST_CASE("a service without the option does not understand WS-Addressing", "[addressing]") {
  const world w;
  for (const version v : both) {
    const std::string add = call("Add", "<A>1</A><B>2</B>");
    CHECK(result_of(w.ask(v, add, block("Action", "urn:any")), "Add") == "3");
    const auto refused =
        fault_of(w.ask(v, add, block("Action", "urn:any", wsa10, " e:mustUnderstand='1'")));
    CHECK(refused.code == "MustUnderstand");
  }
}

TEST_CASE("a report shows the blocks of WS-Addressing that are text", "[addressing]") {
  std::string request, response;
  soapsvc::dispatcher_options options;
  options.on_message = [&](const soapsvc::message_report& report) {
    request = report.request;
    response = report.response;
  };
  const post_office at(std::move(options));
  at.say(
      version::v1_1,
      say_action + id +
          endpoint(
              "ReplyTo",
              anonymous10,
              wsa10,
              "<a:ReferenceParameters><k xmlns='urn:k'>hidden</k></a:ReferenceParameters>"));
  CHECK(contains(request, "urn:uuid:1"));
  CHECK_FALSE(contains(request, "hidden"));
  CHECK(contains(response, "urn:uuid:1"));
  CHECK_FALSE(contains(response, "hidden"));
}

// --- Descriptions ----------------------------------------------------------------------------------

TEST_CASE(
    "the WSDL has the policy of WS-Addressing and the action of each message",
    "[addressing][wsdl]") {
  const post_office at;
  const std::string wsdl = page_at(at.services, "/soap/v3/Letters.asmx?wsdl");
  const document parsed(wsdl);  // the WSDL is well-formed
  CHECK(contains(wsdl, "<wsp:Policy wsu:Id=\"LettersPolicy\">"));
  CHECK(contains(wsdl, "<wsam:Addressing wsp:Optional=\"true\">"));
  CHECK(contains(wsdl, "<wsam:AnonymousResponses />"));
  CHECK(contains(wsdl, "<wsp:PolicyReference URI=\"#LettersPolicy\" />"));
  CHECK(contains(wsdl, "wsam:Action=\"" + letters + "/Say\""));
  CHECK(contains(wsdl, "wsam:Action=\"" + letters + "/LettersSoap/SayResponse\""));
  CHECK(contains(wsdl, "wsam:Action=\"" + letters + "/LettersSoap/Fail/Fault/Problem\""));
  CHECK(contains(wsdl, "wsam:Action=\"urn:turned\""));
  const std::string locked = page_at(at.services, "/soap/v3/Locked.asmx?wsdl");
  CHECK(contains(locked, "<wsam:Addressing>"));
  const std::string urn = page_at(at.services, "/soap/v3/Urn.asmx?wsdl");
  CHECK(contains(urn, "wsam:Action=\"urn:letters/Say\""));
  CHECK(contains(urn, "wsam:Action=\"urn:letters:UrnSoap:SayResponse\""));
  CHECK(contains(urn, "wsam:Action=\"urn:letters:UrnSoap:HushRequest\""));
  const world w;
  CHECK_FALSE(contains(page_at(w.dispatcher, path + "?wsdl"), "Policy"));
}

TEST_CASE("the pages say that WS-Addressing is used, and their form uses it", "[addressing]") {
  const post_office at;
  const std::string spoken = "document/literal, WS-Addressing 1.0 and 2004/08";
  CHECK(contains(page_at(at.services, "/soap/v3/Letters.asmx"), spoken + "</dd>"));
  CHECK(contains(page_at(at.services, "/soap/v3/Locked.asmx"), spoken + ", which is demanded"));
  const std::string said = "data-addressing=\"" + letters + "/Say\"";
  CHECK(contains(page_at(at.services, "/soap/v3/Letters.asmx?op=Say"), said));
  const world w;
  CHECK_FALSE(contains(page_at(w.dispatcher, path), "WS-Addressing 1.0"));
  CHECK_FALSE(contains(page_at(w.dispatcher, path + "?op=Add"), "data-addressing="));
}

TEST_CASE("the service accepts the samples of its pages", "[addressing]") {
  const post_office at;
  for (const char* service : {"Letters", "Locked"}) {
    const std::string page =
        page_at(at.services, "/soap/v3/" + std::string(service) + ".asmx?op=Say");
    const auto samples = samples_of(page);
    std::size_t requests = 0;
    for (const std::string& each : samples) {
      if (contains(each, "Fault>")) continue;
      CHECK(contains(each, "wsa:Action"));
      if (contains(each, "SayResponse")) continue;
      ++requests;
      const auto response =
          post_to(at.services, "/soap/v3/" + std::string(service) + ".asmx", each);
      CHECK(response.status == 200);
    }
    CHECK(requests >= 2);
  }
}

TEST_CASE("a sample has the action if it chooses the operation", "[addressing]") {
  const post_office at;
  const auto page = [&](const std::string& operation) {
    const std::string text = page_at(at.services, "/soap/v3/Letters.asmx?op=" + operation);
    return text.substr(text.find("id=\"samples\""));
  };
  const std::string type = "Content-Type: application/soap+xml; charset=utf-8";
  CHECK(contains(page("Left"), type + "; action=\"urn:turn:left\""));
  CHECK(contains(page("Right"), type + "; action=\"urn:turn:right\""));
  CHECK_FALSE(contains(page("Left"), "text/xml; charset=utf-8; action"));
  CHECK(contains(page("Say"), type));
  CHECK_FALSE(contains(page("Say"), type + ";"));
}

// --- The client ------------------------------------------------------------------------------------

namespace {

/// Calls Say by a client, over a transport that may change the response.
struct wire {
  std::string sent;
  std::function<void(soapsvc::http_response&)> change = [](soapsvc::http_response&) {};
  post_office at;

  soapsvc::client<Letters> client(soapsvc::client_options options) {
    options.ns_base = base;
    return soapsvc::client<Letters>(
        [this](const soapsvc::http_request& request) {
          sent = request.body;
          soapsvc::http_request same = request;
          same.target = "/soap/v3/Letters.asmx";
          soapsvc::http_response response = at.services.handle(same);
          change(response);
          return response;
        },
        std::move(options));
  }
};

void replace(std::string& text, const std::string& what, const std::string& with) {
  const std::size_t found = text.find(what);
  if (found == text.npos) wrong("there is no " + what);
  text.replace(found, what.size(), with);
}

}  // namespace

TEST_CASE("a client sends Action, To and its own MessageID", "[addressing]") {
  wire over;
  std::set<std::string> ids;
  for (const version v : both)
    for (const auto& [speaks, in, anonymous] :
         std::vector<std::tuple<soapsvc::addressing_version, std::string, std::string>>{
             {soapsvc::addressing_version::v1_0, wsa10, anonymous10},
             {soapsvc::addressing_version::v2004_08, wsa04, anonymous04}}) {
      soapsvc::client_options options;
      options.version = v;
      options.addressing = speaks;
      auto client = over.client(options);
      CHECK(client.call(&Letters::say, {"hi"}) == "hi");
      const document parsed(over.sent);
      const auto blocks =
          children(parsed.root().first_child(), in, {"Action", "MessageID", "To", "ReplyTo"});
      CHECK(blocks[0].text() == letters + "/Say");
      CHECK_THAT(
          std::string(blocks[1].text()),
          Catch::Matches("urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-"
                         "9a-f]{12}"));
      ids.emplace(blocks[1].text());
      CHECK(blocks[2].text() == anonymous);
      CHECK(children(blocks[3], in, {"Address"})[0].text() == anonymous);
      CHECK_NOTHROW(client.call(&Letters::tell, {"hi"}));
      CHECK_FALSE(contains(over.sent, "ReplyTo"));
      CHECK(client.call(&Letters::meet, {}).result == "met");
    }
  CHECK(ids.size() == 4);
}

TEST_CASE("a client refuses a response to another request", "[addressing]") {
  wire over;
  const auto refuses = [&](const std::string& what) {
    try {
      over.client({}).call(&Letters::say, {"hi"});
      FAIL("it was taken");
    } catch (const soapsvc::transport_error& refused) {
      CHECK(refused.why() == soapsvc::transport_failure::response);
      CHECK_THAT(refused.what(), Catch::Contains(what));
    }
  };
  over.change = [](soapsvc::http_response& response) {
    replace(response.body, "urn:uuid:", "urn:uuid:0");
  };
  refuses("RelatesTo: does not name the request");
  over.change = [](soapsvc::http_response& response) {
    replace(response.body, "SayResponse<", "TellX<");
  };
  refuses("Header/Action: '" + letters + "/LettersSoap/TellX' is not the action of the response");
  over.change = [](soapsvc::http_response& response) {
    replace(response.body, "<wsa:RelatesTo ", "<wsa:RelatesTo RelationshipType=\"urn:other\" ");
  };
  refuses("RelatesTo: does not name the request");
  // Frameworks with equivalent messages, and servers that do not use WS-Addressing.
  over.change = [](soapsvc::http_response& response) {
    replace(response.body, letters + "/LettersSoap/SayResponse", "urn:x#SayResponse");
  };
  CHECK(over.client({}).call(&Letters::say, {"hi"}) == "hi");
  over.change = [](soapsvc::http_response& response) {
    const std::size_t begin = response.body.find("<soap:Header>");
    response.body.erase(begin, response.body.find("<soap:Body>") - begin);
  };
  CHECK(over.client({}).call(&Letters::say, {"hi"}) == "hi");
}

TEST_CASE("a client accepts its fault, and refuses the fault of another request", "[addressing]") {
  wire over;
  try {
    over.client({}).call(&Letters::fail, {"detail"});
    FAIL("no fault");
  } catch (const soapsvc::remote_fault& refused) {
    CHECK(refused.reason() == "refused");
    CHECK(soapsvc::read_detail<Problem>(refused).value().text == "listed");
  }
  over.change = [](soapsvc::http_response& response) {
    replace(response.body, "urn:uuid:", "urn:uuid:0");
  };
  CHECK_THROWS_WITH(
      over.client({}).call(&Letters::fail, {"plain"}),
      Catch::Contains("a fault for another request"));
}

TEST_CASE("a client reads the header block that is addressed to it", "[addressing][header]") {
  const std::string next[] = {
      "actor=\"http://schemas.xmlsoap.org/soap/actor/next\"",
      "role=\"http://www.w3.org/2003/05/soap-envelope/role/next\""};
  for (const version v : both) {
    wire over;
    std::string added;
    const bool v12 = v == version::v1_2;
    const std::string mark = " xmlns:m=\"" + envelope_ns(v) + "\" m:";
    const auto block_for = [&](const std::string& role) {
      return "<Session xmlns=\"" + letters + "\"" + mark + role + "><User>bob</User></Session>";
    };
    over.change = [&](soapsvc::http_response& response) {
      const std::size_t begin = response.body.find("Header>") + 7;
      response.body.insert(begin, added);
    };
    auto client = over.client({.version = v});
    added = block_for(v12 ? "role=\"urn:other\"" : "actor=\"urn:other\"");
    CHECK(client.call(&Letters::meet, {}).header_blocks.get<Session>().user == "alice");
    added = block_for(next[v12 ? 1 : 0]);
    CHECK(client.call(&Letters::meet, {}).header_blocks.get<Session>().user == "bob");
  }
}

TEST_CASE(
    "a client of a service with addressing(required) refuses a response without it",
    "[addressing]") {
  const post_office at;
  soapsvc::client_options options;
  options.ns_base = base;
  bool bare = false;
  soapsvc::client<Locked> client(
      [&](const soapsvc::http_request& request) {
        soapsvc::http_request same = request;
        same.target = "/soap/v3/Locked.asmx";
        soapsvc::http_response response = at.services.handle(same);
        if (bare) {
          const std::size_t begin = response.body.find("<soap:Header>");
          response.body.erase(begin, response.body.find("<soap:Body>") - begin);
        }
        return response;
      },
      options);
  CHECK(client.call(&Locked::say, {"hi"}) == "hi");
  bare = true;
  CHECK_THROWS_AS(client.call(&Locked::say, {"hi"}), soapsvc::transport_error);
}
