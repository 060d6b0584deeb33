// Operations of any contract: names and namespaces, bare and rpc, header blocks in both directions,
// typed faults, one-way, one version only. Each is tested by raw messages, by the typed client, and
// in the WSDL.
#include <catch2/catch.hpp>

#include "../pieces.hpp"
#include "../support.hpp"

namespace {

using namespace support;

// --- A contract with everything ------------------------------------------------------------------

struct Person {
  std::string name;
  std::optional<std::int32_t> age;
};

/// A request with its own name in its table.
struct LoanRequest {
  Person person;
  std::int32_t amount{};
};
struct LoanReply {
  std::string number;
  std::vector<std::string> remarks;
};

/// A request without a name, and the children of a response.
struct Ask {
  std::string text;
  Person who;
};
struct Answer {
  std::string id;
  std::int32_t count{};
  std::vector<Person> people;
};

/// Elements of simple type, and one with an attribute.
struct Ticket {
  std::int32_t number{};
};
struct Tagged {
  std::string text;
  std::optional<std::string> language;
};

struct Login {
  std::string key;
};
struct Trace {
  std::string id;
};
struct Receipt {
  std::int32_t number{};
  std::string secret_code;
};
struct Hint {
  std::string text;
};
struct LoanProblem {
  std::int32_t code{};
  std::string text;
};
struct Elsewhere {
  std::string text;
};

using soapsvc::header_blocks;
using soapsvc::with_header_blocks;

class Loans {
public:
  std::string apply(const LoanRequest& asked) {
    if (asked.amount < 0)
      throw soapsvc::fault(soapsvc::fault_code::client, "negative")
          .with(LoanProblem{7, "below zero"});
    if (asked.amount == 0)
      throw soapsvc::fault(soapsvc::fault_code::client, "zero")
          .with(Elsewhere{"nothing asked"})
          .with_header_block(Hint{"ask for more"});
    return asked.person.name + " gets " + std::to_string(asked.amount);
  }
  std::optional<std::int32_t> quote(const Ask& asked) {
    if (asked.text.empty()) return std::nullopt;
    return static_cast<std::int32_t>(asked.text.size());
  }
  Answer search(const Ask& asked) { return {"a1", 2, {asked.who, {"second", 2}}}; }
  std::vector<Person> everybody() { return {{"one", 1}, {"two", std::nullopt}}; }
  LoanReply submit(const LoanRequest& asked) { return {asked.person.name, {"a", "b"}}; }
  LoanReply check(const LoanRequest& asked) { return {"checked " + asked.person.name, {}}; }
  LoanReply cancel(const LoanRequest& asked) { return {"cancelled " + asked.person.name, {}}; }
  std::int32_t next(const Ticket& ticket) { return ticket.number + 1; }
  std::vector<std::string> words(const Tagged& tagged) {
    return {tagged.text, tagged.language.value_or("none")};
  }
  Tagged mirror(const Tagged& tagged) { return tagged; }
  void forget(const Ask& asked) {
    if (asked.text == "fail") throw soapsvc::fault(soapsvc::fault_code::client, "not that");
    forgotten = asked.text;
  }
  std::string two(const Ask& asked, const header_blocks<Login, std::optional<Trace>>& blocks) {
    const std::optional<Trace>& trace = blocks.get<Trace>();
    return asked.text + '/' + blocks.get<Login>().key + '/' + (trace ? trace->id : "none");
  }
  std::string alone(const header_blocks<Login>& blocks, const soapsvc::context& context) {
    return blocks.get<Login>().key + '@' + std::string(context.operation);
  }
  with_header_blocks<std::string, Receipt, std::optional<Hint>> pay(const Ask& asked) {
    if (asked.text == "hint") return {"paid", {Receipt{7, "xyzzy"}, Hint{"thanks"}}};
    return {"paid", {Receipt{8, "xyzzy"}, std::nullopt}};
  }
  with_header_blocks<void, Receipt> sign() { return {{Receipt{9, "xyzzy"}}}; }

  std::string forgotten;
};

/// An rpc response, in parts.
struct Parts {
  std::string text;
  std::int32_t count{};
};

class Sums {
public:
  std::int32_t add(const LoanRequest& asked) { return asked.amount + 1; }
  Parts both(const Ask& asked) { return {asked.text, 1}; }
  std::vector<std::int32_t> list() { return {1, 2}; }
  void nothing() {}
};

/// Header blocks of any kind: returns the received blocks and one more.
class Relay {
public:
  using taken = header_blocks<std::optional<Hint>, std::vector<soapsvc::xml>>;
  with_header_blocks<std::int32_t, std::vector<soapsvc::xml>> pass(const taken& blocks) {
    hint = blocks.get<Hint>();
    auto others = blocks.get<soapsvc::xml>();
    const auto count = static_cast<std::int32_t>(others.size());
    if (count > 1) others.emplace_back("<r:seen xmlns:r='urn:relay'>twice</r:seen>");
    return {count, {others}};
  }
  void take(const header_blocks<std::vector<soapsvc::xml>>& blocks) {
    throw soapsvc::fault(
        soapsvc::fault_code::client, blocks.get<soapsvc::xml>().at(0).name().local);
  }
  std::optional<Hint> hint;
};
class Old {
public:
  std::int32_t one() { return 1; }
};
class New {
public:
  std::int32_t one() { return 1; }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Person> =
    record("Person", field("Name", &Person::name), field("Age", &Person::age));
template <>
inline constexpr auto soapsvc::schema<LoanRequest> = record(
    "LoanRequest", field("Person", &LoanRequest::person), field("Amount", &LoanRequest::amount));
template <>
inline constexpr auto soapsvc::schema<LoanReply> =
    record("LoanReply", field("Number", &LoanReply::number), field("Remark", &LoanReply::remarks));
template <>
inline constexpr auto soapsvc::schema<Ask> =
    record(field("Text", &Ask::text), field("Who", &Ask::who));
template <>
inline constexpr auto soapsvc::schema<Answer> = record(
    attribute("id", &Answer::id), field("Count", &Answer::count), field("Person", &Answer::people));
template <> inline constexpr auto soapsvc::schema<Ticket> = record(content(&Ticket::number));
template <>
inline constexpr auto soapsvc::schema<Tagged> =
    record("Tagged", content(&Tagged::text), attribute("lang", &Tagged::language));
template <>
inline constexpr auto soapsvc::schema<Login> = record("Login", field("Key", &Login::key));
template <>
inline constexpr auto soapsvc::schema<Trace> =
    record("Trace", ns("urn:trace"), field("Id", &Trace::id));
template <>
inline constexpr auto soapsvc::schema<Receipt> = record(
    "Receipt", field("Number", &Receipt::number), field("Code", &Receipt::secret_code, secret));
template <>
inline constexpr auto soapsvc::schema<Hint> =
    record("Hint", ns("urn:trace"), field("Text", &Hint::text));
template <>
inline constexpr auto soapsvc::schema<LoanProblem> =
    record("LoanProblem", field("Code", &LoanProblem::code), field("Text", &LoanProblem::text));
template <>
inline constexpr auto soapsvc::schema<Elsewhere> =
    record("Elsewhere", ns("urn:else"), field("Text", &Elsewhere::text));

template <>
inline constexpr auto soapsvc::schema<Loans> = service(
    "Loans",
    ns("urn:bank:loans"),
    path("/bank/loans"),
    doc("Lends."),
    operation(
        "Apply",
        &Loans::apply,
        request("ApplyForLoan"),
        result("return"),
        action("apply, please"),
        fault_detail<LoanProblem>(),
        fault_detail<Elsewhere>()),
    operation(
        "Quote",
        &Loans::quote,
        request("Quote", ns("urn:quotes")),
        response("QuoteReply", ns("urn:quotes")),
        result("price", unqualified),
        action(""),
        fault_detail<LoanProblem>()),
    operation("Search", &Loans::search, response("Found")),
    operation("Everybody", &Loans::everybody, result("all")),
    operation("Submit", &Loans::submit, bare, response("Submitted")),
    operation("Check", &Loans::check, bare, request("Loan"), response("Done"), action("check")),
    operation("Cancel", &Loans::cancel, bare, request("Loan"), response("Done"), action("cancel")),
    operation("Next", &Loans::next, bare),
    operation("Words", &Loans::words, bare),
    operation(
        "Mirror",
        &Loans::mirror,
        bare,
        request("Mirror", ns("urn:mirror")),
        response("Mirror", ns("urn:mirror"))),
    operation("Forget", &Loans::forget, one_way),
    operation("Two", &Loans::two),
    operation("Alone", &Loans::alone),
    operation("Pay", &Loans::pay),
    operation("Sign", &Loans::sign));

template <>
inline constexpr auto soapsvc::schema<Parts> =
    record(field("Text", &Parts::text), field("Count", &Parts::count));
template <>
inline constexpr auto soapsvc::schema<Sums> = service(
    "Sums",
    ns("http://sums.example/"),
    rpc,
    operation("add", &Sums::add, result("return"), fault_detail<LoanProblem>()),
    operation("both", &Sums::both),
    operation("list", &Sums::list),
    operation("nothing", &Sums::nothing));

template <>
inline constexpr auto soapsvc::schema<Old> =
    service("Old", ns("urn:both"), soap11_only, operation("One", &Old::one));
template <>
inline constexpr auto soapsvc::schema<Relay> =
    service("Relay", operation("Pass", &Relay::pass), operation("Take", &Relay::take));
template <>
inline constexpr auto soapsvc::schema<New> =
    service("New", ns("urn:both"), soap12_only, operation("One", &New::one));

namespace {

/// A dispatcher with all these services.
struct bank {
  explicit bank(soapsvc::dispatcher_options options = {})
      : services(with_base(std::move(options))) {
    services.add(loans);
    services.add(sums);
    services.add(old);
    services.add(recent, "/new");
  }
  static soapsvc::dispatcher_options with_base(soapsvc::dispatcher_options options) {
    options.ns_base = base;
    return options;
  }

  soapsvc::http_response send(
      const std::string& method,
      const std::string& target,
      const support::headers& with = {},
      const std::string& body = "") const {
    std::vector<soapsvc::http_header> fields;
    for (const auto& [name, value] : with)
      fields.push_back({name, value});
    soapsvc::http_request request;
    request.method = method;
    request.target = target;
    request.headers = fields;
    request.body = body;
    request.peer = "192.0.2.1";
    return services.handle(request);
  }
  soapsvc::http_response ask(
      version v,
      const std::string& body,
      const std::string& header = "",
      support::headers with = {},
      const std::string& target = "/bank/loans") const {
    with.emplace_back("Content-Type", content_type(v));
    return send("POST", target, with, envelope(v, body, header));
  }
  std::string wsdl(const std::string& target = "/bank/loans") const {
    return send("GET", target + "?wsdl", {{"Host", "h"}}).body;
  }
  std::string page(const std::string& query, const std::string& target = "/bank/loans") const {
    return send("GET", target + query, {{"Host", "h"}}).body;
  }

  Loans loans;
  Sums sums;
  Old old;
  New recent;
  soapsvc::dispatcher services;
};

/// The Body's child of a response, as text.
std::string payload(const soapsvc::http_response& response) {
  INFO(response.body);
  REQUIRE(response.status == 200);
  return payload_of(response.body);
}

/// All schemas of a WSDL, as files, and one that imports them.
std::filesystem::path write_schemas(const std::string& wsdl, const scratch_folder& folder) {
  const document parsed(wsdl);
  std::string declared;
  for (const auto attribute : parsed.root().attributes())
    if (attribute.prefix() == "xmlns")
      declared +=
          " xmlns:" + std::string(attribute.local()) + "=\"" + std::string(attribute.value()) + '"';
  node types = parsed.root().first_child();
  while (types && types.local() != "types")
    types = types.next_sibling();
  std::vector<std::string> names, texts;
  for (node schema = types.first_child(); schema; schema = schema.next_sibling()) {
    names.push_back(std::string(*schema.attribute("", "targetNamespace")));
    texts.push_back("<s:schema" + declared + std::string(schema.source()).substr(9));
  }
  std::string all = "<s:schema xmlns:s=\"http://www.w3.org/2001/XMLSchema\">";
  for (std::size_t index = 0; index != names.size(); ++index) {
    const std::string file = std::to_string(index) + ".xsd";
    all += "<s:import namespace=\"" + names[index] + "\" schemaLocation=\"" + file + "\"/>";
    for (std::string& text : texts) {
      const std::string import = "<s:import namespace=\"" + names[index] + '"';
      if (const auto at = text.find(import); at != text.npos)
        text.insert(at + import.size(), " schemaLocation=\"" + file + '"');
    }
  }
  for (std::size_t index = 0; index != names.size(); ++index)
    write_file(folder.path() / (std::to_string(index) + ".xsd"), texts[index]);
  write_file(folder.path() / "all.xsd", all + "</s:schema>");
  return folder.path() / "all.xsd";
}

const std::string loans_ns = "urn:bank:loans";
const std::string person = "<Name>Ann</Name>";

/// A request element in the service's namespace.
std::string loan_call(const std::string& name, const std::string& inside) {
  return "<" + name + " xmlns=\"" + loans_ns + "\">" + inside + "</" + name + ">";
}
std::string loan(const std::string& name, int amount) {
  return loan_call(
      name, "<Person>" + person + "</Person><Amount>" + std::to_string(amount) + "</Amount>");
}
const std::string ask_inside = "<Text>abc</Text><Who>" + person + "</Who>";

}  // namespace

TEST_CASE("a table sets the namespace, the path and the names of messages", "[operations]") {
  const bank b;
  for (const version v : both) {
    CHECK(
        payload(b.ask(v, loan("ApplyForLoan", 5))) ==
        "<ApplyResponse xmlns=\"urn:bank:loans\"><return>Ann gets 5</return></ApplyResponse>");
    CHECK(
        payload(b.ask(v, loan_call("Search", ask_inside))) ==
        "<Found xmlns=\"urn:bank:loans\" id=\"a1\"><Count>2</Count><Person><Name>Ann</Name>"
        "</Person><Person><Name>second</Name><Age>2</Age></Person></Found>");
    CHECK(
        payload(b.ask(v, loan_call("Everybody", ""))) ==
        "<EverybodyResponse xmlns=\"urn:bank:loans\"><all><Person><Name>one</Name><Age>1</Age>"
        "</Person><Person><Name>two</Name></Person></all></EverybodyResponse>");
    CHECK(
        payload(b.ask(
            v,
            "<q:Quote xmlns:q=\"urn:quotes\" xmlns=\"urn:bank:loans\"><q:Text>abc</q:Text>"
            "<q:Who>" +
                person + "</q:Who></q:Quote>")) ==
        "<q:QuoteReply xmlns:q=\"urn:quotes\"><price>3</price></q:QuoteReply>");
  }
  CHECK(b.services.path_of("Loans") == "/bank/loans");
  CHECK(b.services.path_of("New") == "/new");
  const auto lost = fault_of(b.ask(version::v1_1, loan("Apply", 5)));
  CHECK(contains(lost.reason, "'Apply' in the namespace 'urn:bank:loans' is not an operation"));
  CHECK(contains(lost.reason, "ApplyForLoan in the namespace 'urn:bank:loans'"));
  CHECK(contains(lost.reason, "Quote in the namespace 'urn:quotes'"));
}

TEST_CASE("a client uses the names of the table", "[operations]") {
  const bank b;
  for (const version v : both) {
    soapsvc::client<Loans> loans{b.services, {.version = v}};
    CHECK(loans.call(&Loans::apply, {{"Ann", {}}, 5}) == "Ann gets 5");
    CHECK(loans.call(&Loans::quote, {"four", {"Ann", 3}}) == 4);
    CHECK(loans.call(&Loans::quote, {"", {"Ann", 3}}) == std::nullopt);
    const Answer found = loans.call(&Loans::search, {"x", {"Bob", 4}});
    CHECK(found.id == "a1");
    CHECK(found.people.at(0).name == "Bob");
    CHECK(loans.call(&Loans::everybody).size() == 2);
    const LoanReply done = loans.call(&Loans::submit, {{"Cy", {}}, 1});
    CHECK(done.number == "Cy");
    CHECK(done.remarks == std::vector<std::string>{"a", "b"});
    CHECK(loans.call(&Loans::check, {{"Cy", {}}, 1}).number == "checked Cy");
    CHECK(loans.call(&Loans::cancel, {{"Cy", {}}, 1}).number == "cancelled Cy");
    CHECK(loans.call(&Loans::next, {41}) == 42);
    CHECK(loans.call(&Loans::words, {"a", "b"}) == std::vector<std::string>{"a", "b"});
    CHECK(loans.call(&Loans::mirror, {"a", "b"}).language == "b");
    soapsvc::client<Sums> sums{b.services, {.version = v}};
    CHECK(sums.call(&Sums::add, {{"Ann", {}}, 5}) == 6);
    CHECK(sums.call(&Sums::both, {"x", {}}).text == "x");
    CHECK(sums.call(&Sums::list) == std::vector<std::int32_t>{1, 2});
    sums.call(&Sums::nothing);
  }
}

TEST_CASE("a client needs no ns_base for a service with its own namespace", "[operations]") {
  const bank b;
  std::string action;
  soapsvc::client<Loans> loans{
      [&](const soapsvc::http_request& request) {
        action = request.header("SOAPAction").value_or("(none)");
        soapsvc::http_request sent = request;
        sent.target = "/bank/loans";
        return b.services.handle(sent);
      },
      {}};
  CHECK(loans.call(&Loans::apply, {{"Ann", {}}, 5}) == "Ann gets 5");
  CHECK(action == "\"apply, please\"");
  loans.call(&Loans::quote, {"four", {"Ann", 3}});
  CHECK(action == "\"\"");
  loans.call(&Loans::everybody);
  CHECK(action == "\"urn:bank:loans/Everybody\"");
}

TEST_CASE(
    "an action of any text is accepted, and so is the default action",
    "[operations][rule-3][SOAPAction]") {
  const bank b;
  const auto status = [&](const std::string& action) {
    return b.ask(version::v1_1, loan("ApplyForLoan", 5), "", {{"SOAPAction", action}}).status;
  };
  CHECK(status("\"apply, please\"") == 200);
  CHECK(status("\"apply,%20please\"") == 200);
  CHECK(status("\"urn:bank:loans/Apply\"") == 200);
  CHECK(status("\"urn:bank:loans\"") == 200);
  CHECK(status("\"\"") == 200);
  CHECK(status("\"check\"") == 500);
  CHECK(status("\"urn:bank:loans/Quote\"") == 500);
}

TEST_CASE(
    "the action distinguishes operations that take one element",
    "[operations][rule-3][SOAPAction]") {
  const bank b;
  for (const version v : both) {
    const auto ask = [&](const std::string& action) {
      support::headers with;
      if (!action.empty()) with.emplace_back("SOAPAction", action);
      return b.ask(v, loan("Loan", 1), "", with);
    };
    CHECK(contains(payload(ask("\"check\"")), "checked Ann"));
    CHECK(contains(payload(ask("\"%63heck\"")), "checked Ann"));
    CHECK(contains(payload(ask("cancel")), "cancelled Ann"));
    for (const auto wrong : {"", "\"\"", "\"other\""}) {
      const auto refused = fault_of(ask(wrong));
      CHECK(refused.code == (v == version::v1_1 ? "Client" : "Sender"));
      CHECK(contains(refused.reason, "allowed are 'check', 'cancel'"));
    }
  }
  const auto typed = b.send(
      "POST",
      "/bank/loans",
      {{"Content-Type", "application/soap+xml; action=\"cancel\""}},
      envelope(version::v1_2, loan("Loan", 1)));
  CHECK(contains(payload(typed), "cancelled Ann"));
  const auto both_said = b.ask(
      version::v1_1, loan("Loan", 1), "", {{"SOAPAction", "check"}, {"SOAPAction", "cancel"}});
  CHECK(contains(fault_of(both_said).reason, "does not name the operation"));
}

TEST_CASE("the content of a bare message is the value itself", "[operations]") {
  const bank b;
  for (const version v : both) {
    CHECK(
        payload(b.ask(v, loan("Submit", 1))) ==
        "<Submitted xmlns=\"urn:bank:loans\"><Number>Ann</Number><Remark>a</Remark>"
        "<Remark>b</Remark></Submitted>");
    CHECK(
        payload(b.ask(v, loan_call("Next", " 41 "))) ==
        "<NextResponse xmlns=\"urn:bank:loans\">42</NextResponse>");
    CHECK(
        payload(b.ask(v, "<Words xmlns='urn:bank:loans' lang='en'>a</Words>")) ==
        "<WordsResponse xmlns=\"urn:bank:loans\"><string>a</string><string>en</string>"
        "</WordsResponse>");
    CHECK(
        payload(b.ask(v, "<Mirror xmlns='urn:mirror' lang='en'>a</Mirror>")) ==
        "<Mirror xmlns=\"urn:mirror\" lang=\"en\">a</Mirror>");
  }
  const auto wrong = fault_of(b.ask(version::v1_1, loan_call("Next", "many")));
  CHECK(contains(wrong.reason, "Next: 'many' is not a whole number"));
  const auto missing = fault_of(b.ask(version::v1_1, loan_call("Submit", "")));
  CHECK(contains(missing.reason, "Submit/Person: is missing"));
  const auto typed = b.ask(
      version::v1_1,
      "<Submit xmlns='urn:bank:loans' "
      "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='LoanRequest'><Person>" +
          person + "</Person><Amount>1</Amount></Submit>");
  CHECK(typed.status == 200);
}

TEST_CASE(
    "parts of rpc are in no namespace",
    "[operations][R1007][R2212][R2214][R2729][R2735][R2737][R2755]") {
  const bank b;
  for (const version v : both) {
    const auto ask = [&](const std::string& body) {
      return b.ask(v, body, "", {}, "/soap/v3/Sums.asmx");
    };
    const std::string in = " xmlns:s='http://sums.example/'";
    CHECK(
        payload(ask(
            "<s:add" + in + "><Person><s:Name>Ann</s:Name></Person><Amount>4</Amount></s:add>")) ==
        "<q:addResponse xmlns:q=\"http://sums.example/\"><return>5</return></q:addResponse>");
    CHECK(
        payload(ask("<s:both" + in + "><Text>t</Text><Who><s:Name>Ann</s:Name></Who></s:both>"))
            .find("<Count>1</Count>") != std::string::npos);
    CHECK(
        payload(ask("<s:list" + in + "/>")) ==
        "<q:listResponse xmlns:q=\"http://sums.example/\"><listResult>"
        "<int xmlns=\"http://sums.example/\">1</int>"
        "<int xmlns=\"http://sums.example/\">2</int></listResult></q:listResponse>");
    CHECK(
        payload(ask("<s:nothing" + in + "/>")) ==
        "<nothingResponse xmlns=\"http://sums.example/\" />");
    const auto qualified = fault_of(ask("<s:add" + in + "><s:Person/><Amount>4</Amount></s:add>"));
    CHECK(contains(qualified.reason, "allowed is no namespace"));
  }
}

TEST_CASE("a one-way operation gets 202 without a body", "[operations][one-way][R1112][R2714]") {
  bank b;
  for (const version v : both) {
    b.loans.forgotten.clear();
    const auto took = b.ask(v, loan_call("Forget", ask_inside));
    CHECK(took.status == 202);
    CHECK(took.body.empty());
    CHECK(took.content_type.empty());
    CHECK(b.loans.forgotten == "abc");
    const auto refused = fault_of(b.ask(v, loan_call("Forget", "<Text>abc</Text>")));
    CHECK(contains(refused.reason, "Forget/Who: is missing"));
    soapsvc::client<Loans> loans{b.services, {.version = v}};
    loans.call(&Loans::forget, {"typed", {}});
    CHECK(b.loans.forgotten == "typed");
    CHECK_THROWS_AS(loans.call(&Loans::forget, {"fail", {}}), soapsvc::remote_fault);
  }
  soapsvc::client<Loans> lost{
      [](const soapsvc::http_request&) {
        return soapsvc::http_response{202, "text/plain", {}, "accepted"};
      },
      {}};
  CHECK_NOTHROW(lost.call(&Loans::forget, {"x", {}}));
  soapsvc::client<Loans> page{
      [](const soapsvc::http_request&) {
        return soapsvc::http_response{200, "text/plain", {}, "accepted"};
      },
      {}};
  CHECK_THROWS_AS(page.call(&Loans::forget, {"x", {}}), soapsvc::transport_error);
  soapsvc::client<Loans> broken{
      [](const soapsvc::http_request&) {
        return soapsvc::http_response{503, "text/plain", {}, "later"};
      },
      {}};
  CHECK_THROWS_AS(broken.call(&Loans::forget, {"x", {}}), soapsvc::transport_error);
}

TEST_CASE("a service is limited to one version only by an option", "[operations][rule-1]") {
  const bank b;
  const std::string one = "<One xmlns='urn:both'/>";
  const auto ask = [&](version v, const std::string& target) {
    return b.ask(v, one, "", {}, target);
  };
  CHECK(ask(version::v1_1, "/soap/v3/Old.asmx").status == 200);
  CHECK(ask(version::v1_2, "/new").status == 200);
  const auto old = fault_of(ask(version::v1_2, "/soap/v3/Old.asmx"));
  CHECK(old.code == "VersionMismatch");
  CHECK(old.in == version::v1_2);
  CHECK(old.upgrade == std::vector<soapsvc::qualified_name>{{soap11_ns, "Envelope"}});
  const auto recent = ask(version::v1_1, "/new");
  CHECK(recent.status == 500);
  CHECK(contains(recent.body, "<faultcode>soap:VersionMismatch</faultcode>"));
  CHECK(contains(
      recent.body,
      "<soap:Header><soap12:Upgrade xmlns:soap12=\"" + soap12_ns +
          "\"><soap12:SupportedEnvelope qname=\"soap12:Envelope\" /></soap12:Upgrade>"
          "</soap:Header>"));
  CHECK(soapsvc::client<Old>{b.services, {.version = version::v1_2}}.call(&Old::one) == 1);
  CHECK(soapsvc::client<New>{b.services}.call(&New::one) == 1);

  const std::string old_wsdl = b.wsdl("/soap/v3/Old.asmx");
  CHECK(contains(old_wsdl, "<wsdl:binding name=\"OldSoap\""));
  CHECK_FALSE(contains(old_wsdl, "OldSoap12"));
  const std::string new_wsdl = b.wsdl("/new");
  CHECK(contains(new_wsdl, "<wsdl:port name=\"NewSoap12\""));
  CHECK_FALSE(contains(new_wsdl, "name=\"NewSoap\" type"));
  CHECK_FALSE(contains(new_wsdl, "<wsdl:port name=\"NewSoap\""));
  const std::string page = b.page("?op=One", "/new");
  CHECK_FALSE(contains(page, "SOAP 1.1"));
  CHECK(contains(page, "value=\"1.2\" checked"));
  CHECK(contains(page, "<pre"));
  CHECK_FALSE(contains(b.page("?op=One", "/soap/v3/Old.asmx"), "SOAP 1.2"));
}

TEST_CASE("several header blocks are read, each by its qualified name", "[operations][rule-6]") {
  const bank b;
  const std::string login = "<Login xmlns='urn:bank:loans'><Key>k</Key></Login>";
  const std::string trace = "<Trace xmlns='urn:trace'><Id>t</Id></Trace>";
  for (const version v : both) {
    const auto ask = [&](const std::string& header) {
      return b.ask(v, loan_call("Two", ask_inside), header);
    };
    CHECK(contains(payload(ask(login + trace)), "<TwoResult>abc/k/t</TwoResult>"));
    CHECK(contains(payload(ask(trace + login)), "<TwoResult>abc/k/t</TwoResult>"));
    CHECK(contains(payload(ask(login)), "<TwoResult>abc/k/none</TwoResult>"));
    CHECK(contains(fault_of(ask(trace)).reason, "Login is missing"));
    const std::string must = "e:mustUnderstand='1'";
    CHECK(
        ask("<Login xmlns='urn:bank:loans' " + must +
            "><Key>k</Key></Login><Trace xmlns='urn:trace' " + must + "><Id>t</Id></Trace>")
            .status == 200);
    const auto wrong =
        fault_of(ask(login + "<Trace xmlns='urn:bank:loans' " + must + "><Id>t</Id></Trace>"));
    CHECK(wrong.code == "MustUnderstand");
    CHECK(contains(
        payload(b.ask(v, loan_call("Alone", ""), login)), "<AloneResult>k@Alone</AloneResult>"));
    soapsvc::client<Loans> loans{b.services, {.version = v}};
    CHECK(loans.call(&Loans::two, {"x", {}}, {Login{"k"}, Trace{"t"}}) == "x/k/t");
    CHECK(loans.call(&Loans::two, {"x", {}}, {Login{"k"}, std::nullopt}) == "x/k/none");
    CHECK(loans.call(&Loans::alone, {Login{"k"}}) == "k@Alone");
  }
}

TEST_CASE("header blocks are sent with a result", "[operations]") {
  const bank b;
  for (const version v : both) {
    const auto response = b.ask(v, loan_call("Pay", "<Text>hint</Text><Who>" + person + "</Who>"));
    CHECK(contains(
        response.body,
        "Header><Receipt xmlns=\"urn:bank:loans\"><Number>7</Number><Code>xyzzy</Code>"
        "</Receipt><Hint xmlns=\"urn:trace\"><Text>thanks</Text></Hint></soap"));
    CHECK(
        payload(response) ==
        "<PayResponse xmlns=\"urn:bank:loans\"><PayResult>paid</PayResult></PayResponse>");
    soapsvc::client<Loans> loans{b.services, {.version = v}};
    const auto paid = loans.call(&Loans::pay, {"hint", {}});
    CHECK(paid.result == "paid");
    CHECK(paid.header_blocks.get<Receipt>().number == 7);
    CHECK(paid.header_blocks.get<Hint>()->text == "thanks");
    CHECK_FALSE(loans.call(&Loans::pay, {"x", {}}).header_blocks.get<Hint>());
    CHECK(loans.call(&Loans::sign).header_blocks.get<Receipt>().number == 9);
  }
  soapsvc::client<Loans> bare_response{
      [](const soapsvc::http_request&) {
        return soapsvc::http_response{
            200, "text/xml", {}, envelope(version::v1_1, "<SignResponse xmlns='urn:bank:loans'/>")};
      },
      {}};
  CHECK_THROWS_AS(bare_response.call(&Loans::sign), soapsvc::transport_error);
}

TEST_CASE("a fault has a detail of any namespace, and header blocks", "[operations][rule-7]") {
  const bank b;
  for (const version v : both) {
    soapsvc::client<Loans> loans{b.services, {.version = v}};
    try {
      loans.call(&Loans::apply, {{"Ann", {}}, -1});
      FAIL("no fault");
    } catch (const soapsvc::remote_fault& refused) {
      CHECK(soapsvc::read_detail<LoanProblem>(refused)->code == 7);
      CHECK_FALSE(soapsvc::read_header_block<Hint>(refused));
      CHECK_FALSE(soapsvc::read_detail<Elsewhere>(refused));
    }
    try {
      loans.call(&Loans::apply, {{"Ann", {}}, 0});
      FAIL("no fault");
    } catch (const soapsvc::remote_fault& refused) {
      CHECK(soapsvc::read_detail<Elsewhere>(refused)->text == "nothing asked");
      CHECK(soapsvc::read_header_block<Hint>(refused)->text == "ask for more");
      CHECK_FALSE(soapsvc::read_header_block<Elsewhere>(refused));
      CHECK_FALSE(soapsvc::read_header_block<Receipt>(refused));
    }
    const auto response = b.ask(v, loan("ApplyForLoan", 0));
    CHECK(contains(
        response.body, "Header><Hint xmlns=\"urn:trace\"><Text>ask for more</Text></Hint></soap"));
    CHECK(contains(response.body, "<Elsewhere xmlns=\"urn:else\"><Text>nothing asked</Text>"));
  }
}

TEST_CASE("no secret of a header block or a response is shown", "[operations][secret]") {
  std::string told;
  soapsvc::dispatcher_options options;
  options.on_message = [&](const soapsvc::message_report& report) {
    told.append(report.request).append(report.response);
  };
  const bank b(std::move(options));
  for (const version v : both) {
    b.ask(v, loan_call("Pay", ask_inside));
    b.ask(v, loan_call("Sign", ""));
    b.ask(v, loan_call("Next", "1"));
    b.ask(v, loan("Submit", 1));
    b.ask(v, loan("ApplyForLoan", 0));
    b.ask(v, loan_call("Forget", ask_inside));
  }
  CHECK_FALSE(contains(told, "xyzzy"));
  CHECK(contains(told, "<Code>***</Code>"));
  CHECK(contains(told, "<Number>8</Number>"));
  CHECK(contains(told, ">2</NextResponse>"));
  CHECK(contains(told, "<Text>ask for more</Text>"));
}

TEST_CASE(
    "the WSDL has all these options",
    "[operations][rule-9][R2203][R2717][R2755][R2721][R2726][R2723][R2754][R2740]") {
  const bank b;
  for (const auto target : {"/bank/loans", "/soap/v3/Sums.asmx", "/soap/v3/Old.asmx", "/new"})
    CHECK(schema_errors("tests/schemas/wsdl-all.xsd", {b.wsdl(target)}) == "");
  const std::string loans = b.wsdl();
  for (const auto part :
       {"targetNamespace=\"urn:bank:loans\"",
        "<s:element name=\"ApplyForLoan\" type=\"tns:LoanRequest\" />",
        "<wsdl:part name=\"parameters\" element=\"tns:ApplyForLoan\" />",
        "soapAction=\"apply, please\"",
        "soapAction=\"\"",
        "<s:element name=\"Loan\" type=\"tns:LoanRequest\" />",
        "<s:element name=\"Done\" type=\"tns:LoanReply\" />",
        "<s:element name=\"Next\" type=\"s:int\" />",
        "<s:element name=\"NextResponse\" type=\"s:int\" />",
        "<s:element name=\"WordsResponse\" type=\"tns:ArrayOfString\" />",
        "<wsdl:message name=\"LoanProblemFault\">",
        "<wsdl:part name=\"detail\" element=\"tns:LoanProblem\" />",
        "<wsdl:fault name=\"LoanProblem\" message=\"tns:LoanProblemFault\" />",
        "<soap:fault name=\"LoanProblem\" use=\"literal\" />",
        "<soap12:fault name=\"Elsewhere\" use=\"literal\" />",
        "name=\"price\" form=\"unqualified\" type=\"s:int\""})
    CHECK_THAT(loans, Catch::Contains(part));
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = loans.find(part); at != loans.npos; at = loans.find(part, at + 1))
      ++found;
    return found;
  };
  CHECK(count("<s:element name=\"Loan\" ") == 1);
  CHECK(count("<wsdl:message name=\"LoanProblemFault\"") == 1);
  CHECK(count("<wsdl:fault name=\"LoanProblem\" message") == 2);
  const std::size_t forget = loans.find("<wsdl:operation name=\"Forget\">");
  CHECK_FALSE(
      contains(loans.substr(forget, loans.find("</wsdl:operation", forget) - forget), "output"));

  const std::string sums = b.wsdl("/soap/v3/Sums.asmx");
  for (const auto part :
       {"<wsdl:part name=\"Person\" type=\"tns:Person\" />",
        "<wsdl:part name=\"Amount\" type=\"s:int\" />",
        "<wsdl:part name=\"return\" type=\"s:int\" />",
        "<wsdl:part name=\"listResult\" type=\"tns:ArrayOfInt\" />",
        "<wsdl:part name=\"Count\" type=\"s:int\" />",
        "<soap:binding transport=\"http://schemas.xmlsoap.org/soap/http\" style=\"rpc\" />",
        "soapAction=\"http://sums.example/add\" style=\"rpc\"",
        "soapAction=\"http://sums.example/add\"",
        "<soap:body use=\"literal\" namespace=\"http://sums.example/\" />",
        "<soap:fault name=\"LoanProblem\" use=\"literal\" />"})
    CHECK_THAT(sums, Catch::Contains(part));
  CHECK_FALSE(contains(sums, "<s:element name=\"add\""));
}

TEST_CASE("sent messages and samples are valid against the schemas", "[operations]") {
  const bank b;
  const scratch_folder folder;
  const auto schema = write_schemas(b.wsdl(), folder);
  std::vector<std::string> payloads{
      payload_of(b.ask(version::v1_1, loan("ApplyForLoan", 5)).body),
      loan("ApplyForLoan", 5),
      payload_of(b.ask(version::v1_1, loan("Submit", 5)).body),
      payload_of(b.ask(version::v1_1, loan_call("Search", ask_inside)).body),
      payload_of(b.ask(version::v1_1, loan_call("Everybody", "")).body),
      payload_of(b.ask(version::v1_1, loan_call("Next", "5")).body),
      payload_of(b.ask(version::v1_1, "<Words xmlns='urn:bank:loans' lang='en'>a</Words>").body),
      payload_of(b.ask(version::v1_1, "<Mirror xmlns='urn:mirror' lang='en'>a</Mirror>").body)};
  soapsvc::client<Loans> loans{
      [&](const soapsvc::http_request& request) {
        payloads.push_back(payload_of(std::string(request.body)));
        soapsvc::http_request sent = request;
        sent.target = "/bank/loans";
        const auto response = b.services.handle(sent);
        payloads.push_back(payload_of(response.body));
        return response;
      },
      {}};
  loans.call(&Loans::quote, {"four", {"Ann", 3}});
  loans.call(&Loans::mirror, {"a", "b"});
  loans.call(&Loans::next, {1});
  loans.call(&Loans::check, {{"Ann", {}}, 1});
  const auto described = soapsvc::detail::describe_service<Loans>();
  for (const auto& operation : described.operations) {
    soapsvc::detail::served_service served;
    served.info = &described;
    served.ns = loans_ns;
    const auto prepared = soapsvc::detail::prepare_operation(operation, served.ns);
    soapsvc::detail::sample_writer samples(served, prepared);
    payloads.push_back(payload_of(samples.request(version::v1_1)));
    if (operation.response != soapsvc::detail::response_form::none)
      payloads.push_back(payload_of(samples.response(version::v1_2)));
  }
  CHECK(schema_errors(schema, payloads) == "");
  CHECK_FALSE(schema_errors(schema, {loan_call("Next", "many")}).empty());
}

TEST_CASE("help pages show faults, header blocks and forms of such operations", "[operations]") {
  const bank b;
  const std::string apply = b.page("?op=Apply");
  CHECK(contains(apply, "<h3>Detail <code>LoanProblem</code></h3>"));
  CHECK(contains(apply, "data-operation=\"ApplyForLoan\" data-action=\"apply, please\""));
  CHECK(contains(apply, "data-child=\"return\""));
  const std::string quote = b.page("?op=Quote");
  CHECK(contains(quote, "data-ns=\"urn:quotes\""));
  CHECK(contains(quote, "data-name=\"Name\" data-ns=\"urn:bank:loans\""));
  const std::string two = b.page("?op=Two");
  CHECK(contains(two, "data-block=\"Login\" data-ns=\"urn:bank:loans\""));
  CHECK(contains(two, "data-block=\"Trace\" data-ns=\"urn:trace\""));
  CHECK(contains(b.page("?op=Pay"), "<h3>SOAP header <code>Receipt</code></h3>"));
  CHECK(contains(b.page("?op=Forget"), "HTTP/1.1 202 Accepted"));
  CHECK(contains(b.page("?op=add", "/soap/v3/Sums.asmx"), "data-name=\"Amount\" data-ns=\"\""));
  CHECK(contains(b.page("", "/soap/v3/Sums.asmx"), "rpc/literal"));
}

// --- Tables that are refused ---------------------------------------------------------------------

namespace {

struct First {
  std::int32_t run(const Ticket&) { return 1; }
  std::int32_t again(const Ticket&) { return 2; }
};
struct Fourth {
  std::optional<std::int32_t> run() { return 1; }
};
struct Seventh {
  Answer run() { return {}; }
};
struct Spaced {
  std::int32_t number{};
};
struct Eighth {
  void run(const Spaced&) {}
};
struct Ninth {
  std::int32_t run() { return 1; }
};
struct Fifth {
  LoanReply run(const LoanRequest&) { return {}; }
};
struct Sixth {
  std::int32_t run() { return 1; }
};

template <class Service> std::string why_refused() {
  Service service;
  soapsvc::dispatcher services({.ns_base = base});
  try {
    services.add(service);
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "accepted";
}

}  // namespace

template <>
inline constexpr auto soapsvc::schema<First> = service(
    "First",
    operation("Run", &First::run, bare, request("Go"), action("a")),
    operation("Again", &First::again, bare, request("Go"), action("a")));
template <>
inline constexpr auto soapsvc::schema<Fourth> =
    service("Fourth", operation("Run", &Fourth::run, rpc));
template <>
inline constexpr auto soapsvc::schema<Seventh> =
    service("Seventh", operation("Run", &Seventh::run, rpc));
template <>
inline constexpr auto soapsvc::schema<Spaced> =
    record(ns("urn:spaced"), field("Number", &Spaced::number));
template <>
inline constexpr auto soapsvc::schema<Eighth> =
    service("Eighth", operation("Run", &Eighth::run, rpc));
template <>
inline constexpr auto soapsvc::schema<Ninth> =
    service("Ninth", operation("Run", &Ninth::run, rpc, result("return", ns("urn:spaced"))));
template <>
inline constexpr auto soapsvc::schema<Fifth> =
    service("Fifth", operation("Run", &Fifth::run, request("Go"), response("Go")));
template <>
inline constexpr auto soapsvc::schema<Sixth> =
    service("Sixth", operation("Run", &Sixth::run, action("a\"b")));

TEST_CASE("ambiguous or impossible tables are refused by add", "[operations][R2211]") {
  CHECK_THAT(
      why_refused<First>(),
      Catch::Contains("the operations Run and Again of the service First take the same element"));
  CHECK_THAT(why_refused<Seventh>(), Catch::Contains("is rpc: its parts must be elements that"));
  CHECK_THAT(why_refused<Fourth>(), Catch::Contains("is rpc: its result must not be"));
  CHECK_THAT(why_refused<Eighth>(), Catch::Contains("its part Number cannot be in a namespace"));
  CHECK_THAT(why_refused<Ninth>(), Catch::Contains("its part return cannot be in a namespace"));
  CHECK_THAT(
      why_refused<Fifth>(),
      Catch::Contains("two elements of the service Fifth are called Go: the request of the "
                      "operation Run and the response of the operation Run"));
  CHECK_THAT(why_refused<Sixth>(), Catch::Contains("has an action that HTTP cannot carry"));
}

TEST_CASE("services with their own namespace need no ns_base", "[operations]") {
  Loans loans;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(loans);
  soapsvc::client<Loans> client{services, {}};
  CHECK(client.call(&Loans::sign).header_blocks.get<Receipt>().number == 9);
  Fifth without;
  CHECK_THROWS_WITH(
      services.add(without),
      "soapsvc: the service Fifth is in no namespace; set ns_base to the beginning of your "
      "services' namespaces, such as \"https://example.com/soap\", or write ns(\"...\") in its "
      "table");
}

TEST_CASE("a client reads a header block by its type, and reports an invalid one", "[operations]") {
  const std::string blocks =
      "<Other xmlns='urn:trace'/><Hint xmlns='urn:else'/>"
      "<Hint xmlns='urn:trace'><Text>first</Text></Hint><Receipt xmlns='urn:bank:loans'/>";
  const std::string response =
      "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Header>" + blocks +
      "</e:Header><e:Body><e:Fault><faultcode>e:Server</faultcode><faultstring>no</faultstring>"
      "</e:Fault></e:Body></e:Envelope>";
  soapsvc::client<Loans> loans{
      [&](const soapsvc::http_request&) {
        return soapsvc::http_response{500, "text/xml", {}, response};
      },
      {}};
  try {
    loans.call(&Loans::sign);
    FAIL("no fault");
  } catch (const soapsvc::remote_fault& refused) {
    CHECK(soapsvc::read_header_block<Hint>(refused)->text == "first");
    CHECK_THROWS_WITH(
        soapsvc::read_header_block<Receipt>(refused),
        Catch::Contains(" and a header block that cannot be read: "));
  }
}

TEST_CASE("a list of xml receives and sends header blocks without a table", "[operations]") {
  Relay relay;
  std::vector<std::string> told;
  soapsvc::dispatcher services{
      {.ns_base = base, .on_message = [&](const soapsvc::message_report& report) {
         told.emplace_back(report.request);
         told.emplace_back(report.response);
       }}};
  services.add(relay);
  const auto ask = [&](version v, const std::string& operation, const std::string& blocks) {
    const std::string body =
        envelope(v, "<" + operation + " xmlns='" + base + "/Relay'/>", "<!-- -->" + blocks);
    soapsvc::http_request request;
    request.target = "/soap/v3/Relay.asmx";
    const std::string type = content_type(v);
    const soapsvc::http_header fields[] = {{"Content-Type", type}};
    request.headers = fields;
    request.body = body;
    return services.handle(request);
  };
  for (const version v : both) {
    const auto none = ask(v, "Pass", "");
    CHECK(contains(none.body, "<PassResult>0</PassResult>"));
    CHECK_FALSE(contains(none.body, "Header>"));
    // Blocks for this node, mandatory or not, with known names or not; no blocks for others.
    const std::string elsewhere =
        v == version::v1_1 ? "e:actor='urn:elsewhere'" : "e:role='urn:elsewhere'";
    const auto response =
        ask(v,
            "Pass",
            "<a:one xmlns:a='urn:a' e:mustUnderstand='1' a:of='e:x'>1</a:one>"
            "<Hint xmlns='urn:trace'><Text>known</Text></Hint>"
            "<b:far xmlns:b='urn:b' " +
                elsewhere + "/><Hint xmlns='urn:other'><Text>2</Text></Hint>");
    CHECK(response.status == 200);
    CHECK(contains(response.body, "<PassResult>2</PassResult>"));
    REQUIRE(relay.hint);
    CHECK(relay.hint->text == "known");
    CHECK(contains(
        response.body,
        ">1</a:one><Hint xmlns='urn:other'><Text>2</Text></Hint>"
        "<r:seen xmlns=\"\" xmlns:r='urn:relay'>twice</r:seen></soap"));
    CHECK_FALSE(contains(response.body, "far"));
    CHECK_FALSE(contains(told.back(), "twice"));
    CHECK(contains(ask(v, "Take", "<a xmlns='urn:a' e:mustUnderstand='true'/>").body, ">a<"));

    soapsvc::client<Relay> client{services, {.version = v}};
    const auto answer = client.call(
        &Relay::pass,
        {Hint{"sent"}, {soapsvc::xml("<x xmlns='urn:x'/>"), soapsvc::xml("<y xmlns='urn:y'/>")}});
    CHECK(answer.result == 2);
    CHECK(relay.hint->text == "sent");
    CHECK_THROWS_WITH(
        client.call(&Relay::pass, {{}, {soapsvc::xml("<x/>")}}),
        "soapsvc: the header block x is in no namespace; it needs one");
    const auto& back = answer.header_blocks.get<soapsvc::xml>();
    REQUIRE(back.size() == 3);
    CHECK(back[0].name() == soapsvc::qualified_name{"urn:x", "x"});
    CHECK(back[1].name() == soapsvc::qualified_name{"urn:y", "y"});
    CHECK(back[2].text() == "<r:seen xmlns=\"\" xmlns:r='urn:relay'>twice</r:seen>");
  }
  // SOAP 1.1, 4.2: a header block has a namespace. 1.2 refuses a block without one when it is read.
  const auto unqualified =
      ask(version::v1_1,
          "Pass",
          "<plain e:mustUnderstand='0'>1</plain><x xmlns='urn:x'/><y xmlns='urn:y'/>");
  CHECK(contains(unqualified.body, "<PassResult>2</PassResult>"));
  CHECK_FALSE(contains(unqualified.body, "plain"));
  const auto demanded = ask(version::v1_1, "Pass", "<plain e:mustUnderstand='1'>1</plain>");
  CHECK(contains(demanded.body, ":MustUnderstand<"));
  CHECK(contains(ask(version::v1_2, "Pass", "<plain/>").body, "is in no namespace"));
  const auto answered_with = [&](const std::string& block) {
    soapsvc::client<Relay> client{
        [&](const soapsvc::http_request& request) {
          soapsvc::http_request same = request;
          same.target = "/soap/v3/Relay.asmx";
          soapsvc::http_response response = services.handle(same);
          const std::size_t end = response.body.find("</soap:Header>");
          if (end != response.body.npos) response.body.insert(end, block);
          return response;
        },
        {.ns_base = base, .version = version::v1_1}};
    const auto answer = client.call(
        &Relay::pass,
        {{}, {soapsvc::xml("<x xmlns='urn:x'/>"), soapsvc::xml("<y xmlns='urn:y'/>")}});
    return answer.header_blocks.get<soapsvc::xml>().size();
  };
  CHECK(answered_with("<z xmlns='urn:z'/>") == 4);
  CHECK(answered_with("<z/>") == 3);
  CHECK_THROWS_WITH(
      answered_with("<z soap:mustUnderstand='1'/>"), Catch::Contains("is not understood here"));
  const auto with_namespace_of = [&](std::size_t bytes) {
    return ask(version::v1_1, "Pass", "<a:a xmlns:a='urn:" + std::string(bytes, 'n') + "'/>");
  };
  CHECK(with_namespace_of(1'000'000).status == 200);
  CHECK(contains(with_namespace_of(2'000'000).body, "(limit max_namespace_bytes)"));
  const std::string page = [&] {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = "/soap/v3/Relay.asmx?op=Pass";
    return services.handle(request).body;
  }();
  CHECK(contains(page, "Any other SOAP header block is accepted as well."));
  CHECK(contains(page, "Other SOAP header blocks may come with it."));
}

// Elements of several operations, with anonymous types that extend others.
namespace {
struct Order {
  std::string article;
  bool operator==(const Order&) const = default;
};
struct Reorder : Order {};
struct Bulk : Order {
  std::int32_t count{};
};
struct Receipts {
  std::vector<std::int32_t> numbers;
};
class Depot {
public:
  Receipts one(const Order&) { return {{1}}; }
  Receipts again(const Reorder& order) { return {{order.article == "a" ? 2 : 0}}; }
  Receipts many(const Bulk& bulk) { return {{bulk.count, 3}}; }
  Receipts most(const Bulk& bulk) { return {{bulk.count, 4}}; }
};
}  // namespace

template <>
inline constexpr auto soapsvc::schema<Order> =
    record("Order", ns("urn:depot:types"), field("Article", &Order::article));
template <> inline constexpr auto soapsvc::schema<Reorder> = record<Reorder>(extends<Order>());
template <>
inline constexpr auto soapsvc::schema<Bulk> =
    record(ns("urn:depot:types"), extends<Order>(), field("Count", &Bulk::count));
template <>
inline constexpr auto soapsvc::schema<Receipts> = record(field("Number", &Receipts::numbers));
template <>
inline constexpr auto soapsvc::schema<Depot> = service(
    "Depot",
    ns("urn:depot"),
    bare,
    operation("One", &Depot::one, request("Order", ns("urn:in")), response("Done", ns("urn:out"))),
    operation("Again", &Depot::again, request("Again"), response("Done", ns("urn:out"))),
    operation(
        "Many",
        &Depot::many,
        request("Bulk", ns("urn:in")),
        response("Done", ns("urn:out")),
        action("many")),
    operation(
        "Most",
        &Depot::most,
        request("Bulk", ns("urn:in")),
        response("Done", ns("urn:out")),
        action("most")));

TEST_CASE("operations share elements whose types have no name", "[operations]") {
  Depot depot;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(depot);
  for (const version v : both) {
    soapsvc::client<Depot> client{services, {.version = v}};
    CHECK(client.call(&Depot::one, Order{"a"}).numbers == std::vector<std::int32_t>{1});
    CHECK(client.call(&Depot::again, Reorder{{"a"}}).numbers == std::vector<std::int32_t>{2});
    const Bulk bulk{{"b"}, 7};
    CHECK(client.call(&Depot::many, bulk).numbers == std::vector<std::int32_t>{7, 3});
    CHECK(client.call(&Depot::most, bulk).numbers == std::vector<std::int32_t>{7, 4});
  }
}

// --- Elements of header blocks and faults whose types are not called like them -------------------

namespace {
struct Key {
  std::string id;
};
struct Token : Key {};
struct Mark : Key {
  std::int32_t weight{};
};
struct Origin {
  std::int32_t line{};
  std::optional<std::string> by;
};
struct Locale {
  std::string text;
};
struct NoAccess {
  std::string why;
};
struct Enter {
  Key last;
};
using enter_headers = soapsvc::header_blocks<
    std::optional<Token>,
    std::optional<Origin>,
    std::optional<Locale>,
    std::optional<Mark>>;
class Guard {
public:
  void enter(const Enter& request, const enter_headers& headers) {
    if (request.last.id.empty())
      throw soapsvc::fault(soapsvc::fault_code::client, "no").with(NoAccess{"empty"});
    seen = request.last.id;
    if (headers.get<Token>()) seen += ' ' + headers.get<Token>()->id;
    if (headers.get<Origin>()) seen += ' ' + std::to_string(headers.get<Origin>()->line);
    if (headers.get<Locale>()) seen += ' ' + headers.get<Locale>()->text;
    if (headers.get<Mark>()) seen += ' ' + std::to_string(headers.get<Mark>()->weight);
  }
  soapsvc::with_header_blocks<void, Token> leave() { return {Token{{"out"}}}; }

  std::string seen;
};
struct Holder {
  Origin origin;
};
struct Lost {
  void run(const Holder&) {}
};
struct Wordless {
  void run() {}
};
}  // namespace

template <> inline constexpr auto soapsvc::schema<Key> = record("KeyType", field("Id", &Key::id));
template <>
inline constexpr auto soapsvc::schema<Token> = record<Token>("Token", anonymous, extends<Key>());
template <>
inline constexpr auto soapsvc::schema<Mark> =
    record("Mark", anonymous, extends<Key>(), field("Weight", &Mark::weight));
template <>
inline constexpr auto soapsvc::schema<Origin> =
    record("Origin", anonymous, field("Line", &Origin::line), attribute("by", &Origin::by));
template <>
inline constexpr auto soapsvc::schema<Locale> = record("Locale", anonymous, content(&Locale::text));
template <>
inline constexpr auto soapsvc::schema<NoAccess> =
    record("NoAccess", anonymous, nillable_element, ns("urn:errors"), field("Why", &NoAccess::why));
template <> inline constexpr auto soapsvc::schema<Enter> = record(field("Last", &Enter::last));
template <>
inline constexpr auto soapsvc::schema<Guard> = service(
    "Guard",
    ns("urn:guard"),
    operation("Enter", &Guard::enter, empty_response, fault_detail<NoAccess>()),
    operation("Leave", &Guard::leave, empty_response));
template <>
inline constexpr auto soapsvc::schema<Holder> = record(field("Origin", &Holder::origin));
template <>
inline constexpr auto soapsvc::schema<Lost> =
    service("Lost", ns("urn:lost"), operation("Run", &Lost::run));
template <>
inline constexpr auto soapsvc::schema<Wordless> =
    service("Wordless", ns("urn:wordless"), rpc, operation("Run", &Wordless::run, empty_response));

TEST_CASE("an element's type may have another name, or none", "[operations][rule-9]") {
  Guard guard;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(guard);
  const std::string wsdl = page_at(services, "/soap/v3/Guard.asmx?wsdl");
  const scratch_folder folder;
  const auto schema = write_schemas(wsdl, folder);
  CHECK_THAT(wsdl, Catch::Contains(R"(<s:element name="Token" type="tns:KeyType" />)"));
  CHECK_THAT(wsdl, Catch::Contains(R"(<s:element name="Locale" type="s:string" />)"));
  CHECK_THAT(wsdl, Catch::Contains("<s:element name=\"Origin\">\n        <s:complexType>"));
  CHECK_THAT(wsdl, !Catch::Contains("anyAttribute"));
  CHECK_THAT(wsdl, !Catch::Contains("complexType name=\"Token\""));
  CHECK_THAT(wsdl, Catch::Contains("targetNamespace=\"urn:errors\""));
  CHECK_THAT(wsdl, Catch::Contains(R"(<s:element name="NoAccess" nillable="true">)"));
  CHECK(
      schema_errors(
          schema,
          {"<Token xmlns='urn:guard'><Id>a</Id></Token>",
           "<Origin xmlns='urn:guard' by='x'><Line>1</Line></Origin>",
           "<Locale xmlns='urn:guard'>en</Locale>",
           "<Mark xmlns='urn:guard'><Id>m</Id><Weight>5</Weight></Mark>",
           "<NoAccess xmlns='urn:errors'><Why>x</Why></NoAccess>"}) == "");

  for (const version v : both) {
    soapsvc::client<Guard> client{services, {.version = v}};
    client.call(
        &Guard::enter,
        Enter{{"a"}},
        enter_headers{Token{{"k"}}, Origin{4, {}}, Locale{"en"}, Mark{{"m"}, 5}});
    CHECK(guard.seen == "a k 4 en 5");
    CHECK(client.call(&Guard::leave).header_blocks.get<Token>().id == "out");
    try {
      client.call(&Guard::enter, Enter{}, enter_headers{});
      FAIL("not refused");
    } catch (const soapsvc::remote_fault& refused) {
      const auto told = soapsvc::read_detail<NoAccess>(refused);
      REQUIRE(told);
      CHECK(told->why == "empty");
    }
  }
  CHECK_THAT(why_refused<Lost>(), Catch::Contains("the table of Origin is anonymous; only the"));
}

TEST_CASE("xsi:type of such an element may name only its type", "[operations][rule-6]") {
  Guard guard;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(guard);
  const auto ask = [&](const std::string& type) {
    const std::string body = envelope(
        version::v1_1,
        "<Enter xmlns='urn:guard'><Last><Id>a</Id></Last></Enter>",
        "<Token xmlns='urn:guard' xmlns:g='urn:guard' "
        "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='g:" +
            type + "'><Id>k</Id></Token>");
    return post_to(services, "/soap/v3/Guard.asmx", body);
  };
  CHECK(ask("KeyType").status == 200);
  CHECK_THAT(ask("Token").body, Catch::Contains("Token"));
  CHECK(ask("Token").status == 500);
}

TEST_CASE("a nil detail counts as absent", "[operations][rule-7][nil]") {
  for (const version v : both) {
    soapsvc::client<Guard> client{
        [&](const soapsvc::http_request&) {
          const std::string nil =
              "<NoAccess xmlns='urn:errors' "
              "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' "
              "i:nil='true'/>";
          soapsvc::http_response response;
          response.status = 500;
          response.content_type = content_type(v);
          response.body =
              v == version::v1_1
                  ? envelope(
                        v,
                        "<e:Fault><faultcode>e:Server</faultcode><faultstring>x</faultstring>"
                        "<detail>" +
                            nil + "</detail></e:Fault>")
                  : envelope(
                        v,
                        "<e:Fault><e:Code><e:Value>e:Receiver</e:Value></e:Code><e:Reason>"
                        "<e:Text xml:lang='en'>x</e:Text></e:Reason><e:Detail>" +
                            nil + "</e:Detail></e:Fault>");
          return response;
        },
        {.version = v}};
    try {
      client.call(&Guard::enter, Enter{}, enter_headers{});
      FAIL("not refused");
    } catch (const soapsvc::remote_fault& refused) {
      CHECK_FALSE(soapsvc::read_detail<NoAccess>(refused));
    }
  }
}

TEST_CASE("the Body of a response may be empty", "[operations]") {
  Guard guard;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(guard);
  for (const version v : both) {
    std::string body;
    std::string response;  // a server's response in its place
    soapsvc::client<Guard> client{
        [&](const soapsvc::http_request& request) {
          soapsvc::http_request sent = request;
          sent.target = "/soap/v3/Guard.asmx";
          auto made = services.handle(sent);
          body = made.body;
          if (!response.empty()) made.body = response;
          return made;
        },
        {.version = v}};
    client.call(&Guard::enter, Enter{{"a"}}, enter_headers{});
    CHECK_THAT(body, Catch::Contains("Body></"));
    CHECK(guard.seen == "a");
    response = envelope(v, "<EnterResponse xmlns='urn:guard'/>");
    CHECK_THROWS_AS(
        client.call(&Guard::enter, Enter{{"a"}}, enter_headers{}), soapsvc::transport_error);
    response = envelope(v, "text");
    CHECK_THROWS_AS(
        client.call(&Guard::enter, Enter{{"a"}}, enter_headers{}), soapsvc::transport_error);
  }
  CHECK_THAT(why_refused<Wordless>(), Catch::Contains("is rpc: its response has an element"));
}

// --- Requests with an empty Body -----------------------------------------------------------------

namespace {
/// One operation has an empty request, so an empty Body is enough.
class Clock {
public:
  std::string now(const soapsvc::nothing&, const std::optional<Token>& token) {
    return token ? token->id : "noon";
  }
  std::int32_t set(const Ticket& request) { return request.number; }
};
struct Upload {
  soapsvc::stream<std::string> rows;
};
/// Several operations have an empty request; requests are read in pieces, because one operation
/// streams.
class Register {
public:
  std::string open() { return "open"; }
  void close() { is_closed = true; }
  std::int32_t load(const Upload& upload) {
    std::int32_t count = 0;
    while (upload.rows.next())
      ++count;
    return count;
  }

  bool is_closed = false;
};
struct Alike {
  void open() {}
  void close() {}
};
struct Speechless {
  void run() {}
};
}  // namespace

template <>
inline constexpr auto soapsvc::schema<Clock> = service(
    "Clock",
    ns("urn:clock"),
    operation("Now", &Clock::now, empty_request),
    operation("Set", &Clock::set));
template <> inline constexpr auto soapsvc::schema<Upload> = record(field("Row", &Upload::rows));
template <>
inline constexpr auto soapsvc::schema<Register> = service(
    "Register",
    ns("urn:register"),
    addressing,
    operation("Open", &Register::open, empty_request, action("urn:open")),
    operation("Close", &Register::close, empty_request, empty_response, action("urn:close")),
    operation("Load", &Register::load));
template <>
inline constexpr auto soapsvc::schema<Alike> = service(
    "Alike",
    ns("urn:alike"),
    operation("Open", &Alike::open, empty_request, action("")),
    operation("Close", &Alike::close, empty_request));
template <>
inline constexpr auto soapsvc::schema<Speechless> = service(
    "Speechless", ns("urn:speechless"), rpc, operation("Run", &Speechless::run, empty_request));

namespace {
/// Posts an envelope; `size` is the size of its pieces, 0 for the whole.
soapsvc::http_response post_as(
    const soapsvc::dispatcher& services,
    const std::string& path,
    version v,
    const std::string& action,
    const std::string& text,
    std::size_t size = 0) {
  const bool v12 = v == version::v1_2;
  const std::string type =
      content_type(v) + (v12 && !action.empty() ? "; action=\"" + action + '"' : "");
  std::vector<soapsvc::http_header> sent{{"Content-Type", type}};
  const std::string quoted = '"' + action + '"';
  if (!v12) sent.push_back({"SOAPAction", quoted});
  soapsvc::http_request request;
  request.target = path;
  request.headers = sent;
  const soapsvc::byte_source rest = in_pieces(text, size);
  if (size == 0)
    request.body = text;
  else
    request.rest_of_body = &rest;
  return services.handle(request);
}
}  // namespace

TEST_CASE("the Body of a request may be empty", "[operations][rule-3][SOAPAction]") {
  Clock clock;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(clock);
  const std::string at = "/soap/v3/Clock.asmx";
  for (const version v : both) {
    const auto ask = [&](const std::string& action, const std::string& body) {
      return post_as(services, at, v, action, envelope(v, body));
    };
    for (const std::string action : {"", "urn:clock/Now", "urn:clock"})
      CHECK(contains(ask(action, " \n").body, "<NowResult>noon</NowResult>"));
    // The action of another operation, an unknown action, and a Body that is not empty.
    for (const std::string action : {"urn:clock/Set", "urn:else"})
      CHECK(contains(ask(action, "").body, "does not name the operation Now of the Body"));
    CHECK(contains(ask("", "text").body, "Body: holds text where only elements are allowed"));
    CHECK(contains(
        ask("", "<Now xmlns='urn:clock'/>").body,
        "is not an operation of this service; allowed are Set in the namespace"));
    CHECK(contains(
        ask("urn:clock/Now", "<Set xmlns='urn:clock'>1</Set>").body,
        "does not name the operation Set of the Body"));

    std::string sent;
    soapsvc::client<Clock> client{
        [&](const soapsvc::http_request& request) {
          sent = request.body;
          soapsvc::http_request passed = request;
          passed.target = at;
          return services.handle(passed);
        },
        {.version = v}};
    CHECK(client.call(&Clock::now, std::nullopt) == "noon");
    CHECK(contains(sent, "Body></"));
    CHECK(client.call(&Clock::now, Token{{"dusk"}}) == "dusk");
    CHECK(soapsvc::client<Clock>{services, {.version = v}}.call(&Clock::set, Ticket{7}) == 7);
  }
  const std::string wsdl = page_at(services, at + "?wsdl");
  CHECK(contains(wsdl, "<wsdl:message name=\"NowSoapIn\" />"));
  CHECK_FALSE(contains(wsdl, "<s:element name=\"Now\">"));
  CHECK_FALSE(contains(wsdl, "targetNamespace=\"\""));
  const std::string page = page_at(services, at + "?op=Now");
  CHECK(contains(page, "the Body of a request is empty"));
  CHECK(contains(page, "data-operation=\"\""));
  CHECK(contains(page, "Body&gt;"));
  CHECK_FALSE(contains(page, "&lt;Now "));
}

TEST_CASE(
    "actions distinguish operations with an empty request",
    "[operations][addressing][SOAPAction]") {
  Register books;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(books);
  const std::string at = "/soap/v3/Register.asmx";
  const std::string by_header =
      "<a:Action xmlns:a='http://www.w3.org/2005/08/addressing'>urn:open</a:Action>"
      "<a:MessageID xmlns:a='http://www.w3.org/2005/08/addressing'>urn:test:1</a:MessageID>";
  for (const version v : both)
    for (const std::size_t size : {0U, 1U, 4'096U}) {
      const auto ask = [&](const std::string& action, const std::string& header = "") {
        return post_as(services, at, v, action, envelope(v, "", header), size).body;
      };
      CHECK(contains(ask("urn:open"), "<OpenResult>open</OpenResult>"));
      CHECK(contains(ask("", by_header), "<OpenResult>open</OpenResult>"));
      books.is_closed = false;
      CHECK(contains(ask("urn:close"), "Body></"));
      CHECK(books.is_closed);
      for (const std::string action : {"", "urn:else", "urn:register/Open"})
        CHECK(contains(
            ask(action),
            "Body: an empty Body is the request of several operations; SOAPAction must name one of "
            "them; allowed are 'urn:open', 'urn:close'"));
      CHECK(contains(ask("urn:register/Load"), "Body: an empty Body is the request of several"));
      const std::string rows = "<Load xmlns='urn:register'><Row>a</Row><Row>b</Row></Load>";
      CHECK(contains(
          post_as(services, at, v, "", envelope(v, rows), size).body,
          "<LoadResult>2</LoadResult>"));
    }
  for (const version v : both) {
    soapsvc::client<Register> client{services, {.version = v}};
    books.is_closed = false;
    CHECK(client.call(&Register::open) == "open");
    client.call(&Register::close);
    CHECK(books.is_closed);
  }
  CHECK_THAT(
      why_refused<Alike>(),
      Catch::Contains("the operations Open and Close of the service Alike have an empty request; "
                      "give each an action"));
  CHECK_THAT(why_refused<Speechless>(), Catch::Contains("is rpc: its request has an element"));
}

// --- An enumeration that restricts another type of strings ---------------------------------------

namespace {
enum class Girth { small, large };
enum class Wrong { spaced };
struct Sized {
  Girth girth{};
};
struct Tailor {
  Sized fit(const Sized& request) { return request; }
};
struct Misfit {
  Wrong wrong{};
};
struct Misfits {
  void run(const Misfit&) {}
};
}  // namespace

template <>
inline constexpr auto soapsvc::schema<Girth> =
    enumeration("Girth", xs::nmtoken, value("S", Girth::small), value("L", Girth::large));
template <>
inline constexpr auto soapsvc::schema<Wrong> =
    enumeration("Wrong", ns("urn:wrong"), xs::nmtoken, value("two words", Wrong::spaced));
template <> inline constexpr auto soapsvc::schema<Sized> = record(field("Girth", &Sized::girth));
template <>
inline constexpr auto soapsvc::schema<Tailor> =
    service("Tailor", ns("urn:tailor"), operation("Fit", &Tailor::fit));
template <> inline constexpr auto soapsvc::schema<Misfit> = record(field("Wrong", &Misfit::wrong));
template <>
inline constexpr auto soapsvc::schema<Misfits> =
    service("Misfits", ns("urn:misfits"), operation("Run", &Misfits::run));

TEST_CASE("an enumeration restricts another type of strings", "[operations][rule-9]") {
  Tailor tailor;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(tailor);
  CHECK_THAT(
      page_at(services, "/soap/v3/Tailor.asmx?wsdl"),
      Catch::Contains(R"(<s:restriction base="s:NMTOKEN">)"));
  soapsvc::client<Tailor> client{services};
  CHECK(client.call(&Tailor::fit, Sized{Girth::large}).girth == Girth::large);
  CHECK_THAT(
      why_refused<Misfits>(),
      Catch::Contains("the table of Wrong lists 'two words', which is not"));
}

// --- Whole messages that are nil, or of a type that others extend --------------------------------

namespace {

struct Animal {
  std::string name;
};
struct Dog : Animal {
  bool barks = false;
};
/// The content of the operation's element, in its own namespace.
struct Wanted {
  std::string name;
  std::int32_t most{};
};
struct Nobody {};

/// Records the request in `seen`.
struct Shelter {
  std::string seen;

  soapsvc::nillable<Animal> find(const soapsvc::nillable<Wanted>& wanted) {
    seen = wanted ? wanted->name : "nil";
    if (!wanted) return {};
    return Animal{wanted->name};
  }
  soapsvc::polymorphic<Animal> keep(const soapsvc::polymorphic<Animal>& animal) {
    seen = animal.get_if<Dog>() ? "dog" : "animal";
    return animal;
  }
  soapsvc::nillable<soapsvc::polymorphic<Animal>> pass(
      const soapsvc::nillable<soapsvc::polymorphic<Animal>>& animal) {
    seen = animal ? "one" : "nil";
    return animal;
  }
  soapsvc::nillable<Nobody> leave(const soapsvc::nillable<Nobody>& nobody) { return nobody; }
  void strict(const Wanted&) {}
  Wanted list(const Wanted& wanted) { return wanted; }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Animal> = record("Animal", field("Name", &Animal::name));
template <>
inline constexpr auto soapsvc::schema<Dog> =
    record("Dog", extends<Animal>(), field("Barks", &Dog::barks));
template <> inline constexpr auto soapsvc::known_types<Animal> = soapsvc::types<Dog>();
template <>
inline constexpr auto soapsvc::schema<Wanted> =
    record(field("Name", &Wanted::name), field("Most", &Wanted::most));
template <> inline constexpr auto soapsvc::schema<Nobody> = record<Nobody>();
template <>
inline constexpr auto soapsvc::schema<Shelter> = service(
    "Shelter",
    ns("urn:shelter"),
    operation("Find", &Shelter::find, bare, request("Find", ns("urn:wanted"))),
    operation("Keep", &Shelter::keep, bare, request("KeepAnimal"), response("Kept")),
    operation("Pass", &Shelter::pass, bare),
    operation("Leave", &Shelter::leave),
    operation("Strict", &Shelter::strict),
    operation(
        "List",
        &Shelter::list,
        request("List", ns("urn:wanted")),
        response("Listed", ns("urn:wanted"))));

TEST_CASE(
    "a message may be nil as a whole, or of a type that extends its own", "[operations][nil]") {
  Shelter shelter;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(shelter);
  for (const version v : both) {
    soapsvc::client<Shelter> client{services, {.version = v}};
    CHECK(!client.call(&Shelter::find, soapsvc::nillable<Wanted>()).has_value());
    CHECK(shelter.seen == "nil");
    CHECK(client.call(&Shelter::find, Wanted{"Rex", 2})->name == "Rex");
    CHECK(shelter.seen == "Rex");
    const auto kept = client.call(&Shelter::keep, Dog{{"Rex"}, true});
    CHECK(shelter.seen == "dog");
    REQUIRE(kept.get_if<Dog>());
    CHECK(kept.get_if<Dog>()->barks);
    CHECK(client.call(&Shelter::keep, Animal{"Tom"}).get_if<Animal>()->name == "Tom");
    CHECK(!client.call(&Shelter::pass, soapsvc::nillable<soapsvc::polymorphic<Animal>>())
               .has_value());
    CHECK(client.call(&Shelter::pass, soapsvc::polymorphic<Animal>(Dog{{"Rex"}, true}))
              ->get_if<Dog>()
              ->barks);
    CHECK(!client.call(&Shelter::leave, soapsvc::nillable<Nobody>()).has_value());
    CHECK(client.call(&Shelter::leave, Nobody{}).has_value());
  }
}

TEST_CASE(
    "the WSDL describes the forms of whole messages, and no others are accepted", "[operations]") {
  Shelter shelter;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(shelter);
  const std::string wsdl = page_at(services, "/soap/v3/Shelter.asmx?wsdl");
  CHECK_THAT(wsdl, Catch::Contains(R"(<s:element name="Find" nillable="true">)"));
  CHECK_THAT(
      wsdl,
      Catch::Contains(R"(<s:element name="FindResponse" nillable="true" type="tns:Animal" />)"));
  CHECK_THAT(wsdl, Catch::Contains(R"(<s:element name="KeepAnimal" type="tns:Animal" />)"));
  CHECK_THAT(
      wsdl, Catch::Contains(R"(<s:element name="Pass" nillable="true" type="tns:Animal" />)"));
  CHECK_THAT(wsdl, Catch::Contains(R"(<s:extension base="tns:Animal">)"));
  CHECK_THAT(wsdl, Catch::Contains("<s:element name=\"Strict\">"));
  const std::string said = page_at(services, "/soap/v3/Shelter.asmx?op=Find");
  CHECK_THAT(said, Catch::Contains("The request may be nil"));
  CHECK_THAT(said, Catch::Contains("may be nil</span>"));

  const auto ask = [&](const std::string& payload) {
    return post_to(services, "/soap/v3/Shelter.asmx", envelope(version::v1_1, payload)).body;
  };
  const std::string xsi = " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' ";
  CHECK_THAT(
      ask("<Find xmlns='urn:wanted'" + xsi + "i:nil='1'/>"),
      Catch::Contains("<FindResponse") && Catch::Contains("xsi:nil=\"true\""));
  CHECK_THAT(
      ask("<Find xmlns='urn:wanted'" + xsi + "i:nil='1'><Name>a</Name></Find>"),
      Catch::Contains("is said to be nil, yet holds content"));
  CHECK_THAT(ask("<Find xmlns='urn:wanted'/>"), Catch::Contains("Name: is missing"));
  CHECK_THAT(
      ask("<Strict xmlns='urn:shelter'" + xsi + "i:nil='1'/>"),
      Catch::Contains("Name: is missing"));
  CHECK_THAT(
      ask("<KeepAnimal xmlns='urn:shelter'" + xsi + "i:nil='1'/>"),
      Catch::Contains("is nil, but a value is required"));
  CHECK_THAT(
      ask("<KeepAnimal xmlns='urn:shelter'" + xsi + "i:type='Cat'><Name>a</Name></KeepAnimal>"),
      Catch::Contains("allowed are Animal, Dog"));
  CHECK_THAT(
      ask("<Pass xmlns='urn:shelter'" + xsi + "i:type='Dog'><Name>a</Name></Pass>"),
      Catch::Contains("Barks: is missing"));
}

TEST_CASE("the log shows the listed parts of a whole message", "[operations]") {
  Shelter shelter;
  std::string seen;
  soapsvc::dispatcher_options options;
  options.on_message = [&](const soapsvc::message_report& report) {
    seen = std::string(report.request) + std::string(report.response);
  };
  soapsvc::dispatcher services(options);
  services.add(shelter);
  soapsvc::client<Shelter> client{services, {}};
  client.call(&Shelter::find, Wanted{"Rex", 2});
  CHECK_THAT(seen, Catch::Contains(">Rex</Name>") && Catch::Contains(">2</Most>"));
  client.call(&Shelter::keep, Dog{{"Tom"}, true});
  CHECK_THAT(seen, Catch::Contains(">Tom</Name>") && Catch::Contains(">true</Barks>"));
  client.call(&Shelter::list, Wanted{"Spot", 3});
  CHECK_THAT(seen, Catch::Contains(">3</Most>"));
  CHECK_THAT(seen, !Catch::Contains("***"));
}

TEST_CASE("the type of a message's element is described after the element", "[operations]") {
  Shelter shelter;
  soapsvc::dispatcher services{soapsvc::dispatcher_options{}};
  services.add(shelter);
  const std::string wsdl = page_at(services, "/soap/v3/Shelter.asmx?wsdl");
  const std::size_t element = wsdl.find("<s:element name=\"FindResponse\"");
  const std::size_t type = wsdl.find("<s:complexType name=\"Animal\"");
  REQUIRE(element != wsdl.npos);
  CHECK(element < type);
}

namespace {

struct Collar {
  std::string owner = "nobody";
};
/// Its Animal base is not at the beginning of the object.
struct Owned : Collar, Animal {
  std::vector<std::string> walks;
};

}  // namespace

TEST_CASE("a derived value keeps its type when it is copied and moved", "[operations]") {
  Owned rex;
  rex.name = "Rex";
  rex.walks = {"park"};
  soapsvc::polymorphic<Animal> one(rex);
  soapsvc::polymorphic<Animal> copy(one);
  one->name = "Tom";
  CHECK(copy->name == "Rex");
  CHECK(copy.get_if<Owned>()->walks == std::vector<std::string>{"park"});
  CHECK(copy.get_if<Owned>()->owner == "nobody");
  CHECK(!copy.get_if<Animal>());
  const soapsvc::polymorphic<Animal> moved(std::move(copy));
  CHECK(moved->name == "Rex");
  CHECK(&*moved == moved.get_if<Owned>());
  one = moved;
  one = soapsvc::polymorphic<Animal>(one);
  CHECK(one->name == "Rex");
  one.emplace<Dog>().name = "Spot";
  CHECK(one->name == "Spot");
  CHECK(!one.get_if<Owned>());
  one = {};
  CHECK(!one.has_value());
  CHECK(!soapsvc::polymorphic<Animal>(one).has_value());
}

// --- Docs ----------------------------------------------------------------------------------------

namespace {

struct Price {
  std::int32_t cents{};
  std::string of;
};
struct NetPrice : Price {};
struct Priced {
  Price price;
  std::optional<NetPrice> net;
  std::string remark, of;
};
/// A row of the same element and attribute of another namespace, with other docs.
struct Stall {
  std::string remark, of;
};
struct Slip {
  std::int32_t number{};
};
class Docs {
public:
  Stall take(const Priced&) { return {}; }
  Priced give(const Slip& slip) { return {{slip.number, "a"}, {}, "b", "c"}; }
};
struct TwoSums {
  std::int32_t a{};
  std::int32_t b{};
};
class RpcDocs {
public:
  TwoSums take(const TwoSums& sum) { return sum; }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Price> = record(
    "Price",
    content(&Price::cents, deprecated, doc("In cents.")),
    attribute("of", &Price::of, ns("urn:words"), doc("Its article.")));
template <>
inline constexpr auto soapsvc::schema<NetPrice> = record<NetPrice>("NetPrice", extends<Price>());
template <>
inline constexpr auto soapsvc::schema<Priced> = record(
    "Priced",
    field("Price", &Priced::price),
    field("Net", &Priced::net),
    field("Remark", &Priced::remark, ns("urn:words"), doc("On the price.")),
    attribute("of", &Priced::of, ns("urn:words"), doc("Its article.")));
template <>
inline constexpr auto soapsvc::schema<Stall> = record(
    "Stall",
    field("Remark", &Stall::remark, ns("urn:words"), doc("On the stall.")),
    attribute("of", &Stall::of, ns("urn:words"), doc("Its town.")));
template <>
inline constexpr auto soapsvc::schema<Slip> =
    record(doc("A slip."), content(&Slip::number, doc("It counts.")));
template <>
inline constexpr auto soapsvc::schema<TwoSums> =
    record(field("a", &TwoSums::a, doc("The first.")), field("b", &TwoSums::b));
template <>
inline constexpr auto soapsvc::schema<Docs> = service(
    "Docs", ns("urn:docs"), operation("Priced", &Docs::take), operation("Give", &Docs::give, bare));
template <>
inline constexpr auto soapsvc::schema<RpcDocs> =
    service("RpcDocs", ns("urn:docs"), rpc, operation("Take", &RpcDocs::take));

TEST_CASE("the docs of all rows are in the WSDL, which is valid", "[operations][wsdl][doc]") {
  Docs docs;
  RpcDocs sums;
  soapsvc::dispatcher services;
  services.add(docs, "/docs");
  services.add(sums, "/sums");
  const auto wsdl_of = [&](const std::string& target) {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = target;
    const std::string wsdl = services.handle(request).body;
    CHECK(schema_errors("tests/schemas/wsdl-all.xsd", {wsdl}) == "");
    return wsdl;
  };
  const auto unindented = [](const std::string& wsdl) {
    std::string text;
    for (const char c : wsdl)
      if (c != '\n' && !(c == ' ' && (text.empty() || text.ends_with('>')))) text += c;
    return text;
  };
  const auto noted = [](const std::string& text) {
    return "<s:annotation><s:documentation>" + text + "</s:documentation></s:annotation>";
  };
  const std::string wsdl = wsdl_of("/docs?wsdl"), text = unindented(wsdl);
  const scratch_folder folder;
  CHECK(schema_errors(write_schemas(wsdl, folder), {"<Give xmlns='urn:docs'>3</Give>"}) == "");
  INFO(text);
  CHECK_THAT(
      text, Catch::Contains("<s:extension base=\"s:int\">" + noted("Deprecated. In cents.")));
  CHECK_THAT(
      text,
      Catch::Contains("<s:element name=\"Give\" type=\"s:int\">" + noted("A slip. It counts.")));
  // The documentation of a declaration is not repeated at a reference.
  CHECK_THAT(
      text,
      Catch::Contains("<s:element name=\"Remark\" type=\"s:string\">" + noted("On the price.")));
  CHECK_THAT(text, Catch::Contains("ref=\"q1:Remark\" />"));
  CHECK_THAT(text, Catch::Contains("ref=\"q1:Remark\">" + noted("On the stall.")));
  CHECK_THAT(text, Catch::Contains("<s:attribute ref=\"q1:of\" use=\"required\" />"));
  CHECK_THAT(
      text, Catch::Contains("<s:attribute ref=\"q1:of\" use=\"required\">" + noted("Its town.")));

  const std::string rpc_text = unindented(wsdl_of("/sums?wsdl"));
  INFO(rpc_text);
  const std::string parts =
      "<wsdl:part name=\"a\" type=\"s:int\"><wsdl:documentation>The first.</wsdl:documentation>"
      "</wsdl:part><wsdl:part name=\"b\" type=\"s:int\" />";
  CHECK_THAT(rpc_text, Catch::Contains("\"TakeSoapIn\">" + parts));
  CHECK_THAT(rpc_text, Catch::Contains("\"TakeSoapOut\">" + parts));
}
