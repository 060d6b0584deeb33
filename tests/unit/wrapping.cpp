// Signed messages of another sender, taken apart and reassembled: no message with unsigned content
// may be served. They are sent through a dispatcher, so the tests check the arguments of methods,
// not the result of a verifier.

#include <catch2/catch.hpp>

#include <cstdlib>
#include <iterator>

#include "signing.hpp"

using namespace std::string_literals;

/// A transfer, and the caller that authorised it.
struct Pay {
  std::int32_t amount{};
  std::string to;
};
template <>
inline constexpr auto soapsvc::schema<Pay> =
    record(field("Amount", &Pay::amount), field("To", &Pay::to));
struct Ticket {
  std::string value;
};
template <>
inline constexpr auto soapsvc::schema<Ticket> = record("Ticket", field("Value", &Ticket::value));

class Bank {
public:
  std::string pay(const Pay& asked, const Ticket& ticket, const soapsvc::context& told) {
    done = std::to_string(asked.amount) + " to " + asked.to + " by " + ticket.value + " of " +
           std::string(told.signer);
    if (asked.amount < 0)
      throw soapsvc::fault(soapsvc::fault_code::client, "nobody can be paid that");
    return done;
  }
  std::string done;
};
template <>
inline constexpr auto soapsvc::schema<Bank> = service(
    "Bank",
    secured(x509_signature, timestamp, signed_header_blocks, signed_responses),
    operation("Pay", &Bank::pay));

/// Requires a password, and a signature that covers it.
class Vault {
public:
  std::string open(const soapsvc::context& told) {
    return std::string(told.user) + " by " + std::string(told.signer);
  }
};
template <>
inline constexpr auto soapsvc::schema<Vault> =
    service("Vault", secured(x509_signature, password_text), operation("Open", &Vault::open));

/// Uses WS-Addressing with signed header blocks.
class Post {
public:
  std::string send() { return "sent"; }
  void drop() { ++dropped; }
  int dropped = 0;
};
template <>
inline constexpr auto soapsvc::schema<Post> = service(
    "Post",
    addressing,
    secured(x509_signature, signed_header_blocks, signed_responses),
    operation("Send", &Post::send),
    operation("Drop", &Post::drop, one_way));

namespace {

using namespace signing;

const certificate& bank_itself() {
  static const certificate made = make("bank", &authority());
  return made;
}

const std::string expected = "5 to alice by good of CN=caller,O=Test\\, Inc.,C=NL";

/// The service, and the calls that it received.
struct world {
  world() {
    soapsvc::dispatcher_options options;
    options.ns_base = "urn:test";
    options.security.signatures.ca_file = authority().certificate_file;
    options.security.identity.certificate_file = bank_itself().file;
    options.security.allow_replayed_signatures = true;  // most have the same SignedInfo
    services = std::make_unique<soapsvc::dispatcher>(std::move(options));
    services->add(bank);
  }
  soapsvc::http_response send(const std::string& text) {
    bank.done.clear();
    const bool v12 = text.find(soap12) != text.npos;
    const soapsvc::http_header fields[] = {
        {"Content-Type", v12 ? "application/soap+xml" : "text/xml"}};
    soapsvc::http_request request;
    request.target = "/soap/v3/Bank.asmx";
    request.headers = fields;
    request.body = text;
    return services->handle(request);
  }
  Bank bank;
  std::unique_ptr<soapsvc::dispatcher> services;
};
world& here() {
  static world made;
  return made;
}

// --- A message, and its parts --------------------------------------------------------------------

std::string payload(const std::string& amount, const std::string& to) {
  return "<Pay xmlns=\"urn:test/Bank\"><Amount>" + amount + "</Amount><To>" + to + "</To></Pay>";
}
std::string ticket(const std::string& attributes, const std::string& value) {
  return "<t:Ticket xmlns:t=\"urn:test/Bank\"" + attributes + "><t:Value>" + value +
         "</t:Value></t:Ticket>";
}
std::string moment(std::chrono::seconds from_now) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return soapsvc::date_time::from(now + from_now).text();
}
std::string timestamp(const std::string& attributes) {
  using namespace std::chrono_literals;
  return "<wsu:Timestamp" + attributes + "><wsu:Created>" + moment(0s) + "</wsu:Created>" +
         "<wsu:Expires>" + moment(200s) + "</wsu:Expires></wsu:Timestamp>";
}

/// A message in pieces that can be assembled in other ways.
struct pieces {
  std::string envelope = "<s:Envelope xmlns:s=\"" + std::string(soap11) + "\" xmlns:wsse=\"" +
                         std::string(impl::wsse_ns) + "\" xmlns:wsu=\"" +
                         std::string(impl::wsu_ns) + "\">";
  std::string before;  // in Envelope
  std::string header = "<s:Header>";
  std::string first;  // in Header
  std::string security = "<wsse:Security s:mustUnderstand=\"1\">";
  std::string token = token_element(caller());
  std::string time = timestamp(" wsu:Id=\"time\"");
  std::string signature = signing::signature(
      reference("body") + reference("time") + reference("ticket"), token_reference());
  std::string in_security;
  std::string block = ticket(" wsu:Id=\"ticket\"", "good");
  std::string last;  // in Header
  std::string body = "<s:Body wsu:Id=\"body\">" + payload("5", "alice") + "</s:Body>";
  std::string behind;  // the Body

  std::string text() const {
    return envelope + before + header + first + security + token + time + signature + in_security +
           "</wsse:Security>" + block + last + "</s:Header>" + body + behind + "</s:Envelope>";
  }
};

/// Signed by the caller.
const pieces& good() {
  static const pieces made = [] {
    pieces all;
    const std::string text = filled(all.text(), caller().key);
    const std::size_t begin = text.find("<ds:Signature ");
    const std::size_t end = text.find("</ds:Signature>") + 15;
    all.signature = text.substr(begin, end - begin);
    return all;
  }();
  return made;
}

const std::string evil_payload = payload("666", "mallory");
std::string evil_body(const std::string& attributes = "") {
  return "<s:Body" + attributes + ">" + evil_payload + "</s:Body>";
}
std::string wrapped(const std::string& text) {
  return "<w:Wrap xmlns:w=\"urn:w\">" + text + "</w:Wrap>";
}

struct mutant {
  std::string name;
  std::string text;
};

class mutant_list {
public:
  std::vector<mutant> all;

  /// Made from the pieces of the good message by `change`.
  template <class Change> void add(const std::string& name, Change change) {
    pieces made = good();
    change(made);
    all.push_back({name, made.text()});
  }
  /// The good message with other text in one place.
  void swap(const std::string& name, std::string_view from, std::string_view to) {
    all.push_back({name, replaced(good().text(), from, to)});
  }
};

void add_moved_bodies(mutant_list& to) {
  const auto with = [&](const std::string& name, const std::string& attributes, auto change) {
    to.add(name, [&](pieces& m) {
      const std::string signed_one = std::exchange(m.body, evil_body(attributes));
      change(m, signed_one);
    });
  };
  const std::pair<const char*, const char*> ids[] = {
      {"no id", ""},
      {"another id", " wsu:Id=\"other\""},
      {"the same id", " wsu:Id=\"body\""},
      {"the same id by Id", " Id=\"body\""},
      {"the same id by ID", " ID=\"body\""},
      {"the same id by id", " id=\"body\""},
      {"the same id by xml:id", " xml:id=\"body\""},
      {"the same id by a reference", " wsu:Id=\"&#98;ody\""},
      {"the same id with blanks", " xml:id=\" body \""}};
  for (const auto& [said, attributes] : ids) {
    const std::string name = ", the other has "s + said;
    with("Body in a header block" + name, attributes, [](pieces& m, const std::string& body) {
      m.last = wrapped(body);
    });
    with("Body as a header block" + name, attributes, [](pieces& m, const std::string& body) {
      m.last = body;
    });
    with("Body in Security" + name, attributes, [](pieces& m, const std::string& body) {
      m.in_security = body;
    });
    with(
        "Body behind the Body, in an element" + name,
        attributes,
        [](pieces& m, const std::string& body) { m.behind = wrapped(body); });
    with("Body in the other's payload" + name, attributes, [](pieces& m, const std::string& body) {
      m.body = replaced(m.body, "<Amount>", wrapped(body) + "<Amount>");
    });
  }
  with("Body in an element of Security", "", [](pieces& m, const std::string& body) {
    m.in_security = wrapped(body);
  });
  with("Body in the first header block", "", [](pieces& m, const std::string& body) {
    m.first = wrapped(body);
  });
  with("Body in an Object of the signature", "", [](pieces& m, const std::string& body) {
    m.signature =
        replaced(m.signature, "</ds:KeyInfo>", "</ds:KeyInfo><ds:Object>" + body + "</ds:Object>");
  });
  with("Body in KeyInfo", "", [](pieces& m, const std::string& body) {
    m.signature = replaced(m.signature, "<ds:KeyInfo>", "<ds:KeyInfo>" + body);
  });
  with("Body in the token reference", "", [](pieces& m, const std::string& body) {
    m.signature = replaced(
        m.signature, "<wsse:SecurityTokenReference>", "<wsse:SecurityTokenReference>" + body);
  });
  with("Body behind the Body", "", [](pieces& m, const std::string& body) { m.behind = body; });
  with("Body before the Body", "", [](pieces& m, const std::string& body) {
    m.body = body + m.body;
  });
  with("Body before the Header", "", [](pieces& m, const std::string& body) { m.before = body; });
  with("Body gone", "", [](pieces&, const std::string&) {});
  with("Body gone, its id on the Envelope", "", [](pieces& m, const std::string&) {
    m.envelope = replaced(m.envelope, "<s:Envelope", "<s:Envelope wsu:Id=\"body\"");
  });
  with("Body gone, its id on the Header", "", [](pieces& m, const std::string&) {
    m.header = "<s:Header wsu:Id=\"body\">";
  });
  with("Body gone, its id on the payload", "", [](pieces& m, const std::string&) {
    m.body = replaced(m.body, "<Pay ", "<Pay wsu:Id=\"body\" ");
  });
}

void add_moved_envelopes(mutant_list& to) {
  const std::string whole = good().text();
  to.add("the message in a header block of another", [&](pieces& m) {
    m = pieces{};
    m.token = m.time = m.signature = "";
    m.block = ticket("", "bad") + wrapped(whole);
    m.body = evil_body();
  });
  to.add("the message in the Body of another", [&](pieces& m) {
    m.body = "<s:Body>" + replaced(evil_payload, "<Amount>", whole + "<Amount>") + "</s:Body>";
  });
  to.add("the message behind the Body of another", [&](pieces& m) {
    m.token = m.time = m.signature = "";
    m.body = evil_body();
    m.behind = wrapped(whole);
  });
  to.all.push_back({"another message is the root", wrapped(whole)});
  to.all.push_back({"the message is text behind its root", whole + whole});
}

void add_moved_headers(mutant_list& to) {
  const std::string bad = ticket("", "bad");
  to.add("the ticket is changed", [&](pieces& m) { m.block = replaced(m.block, "good", "bad"); });
  to.add("another ticket with its id", [&](pieces& m) {
    m.block = ticket(" wsu:Id=\"ticket\"", "bad");
  });
  to.add("the ticket in an element, another in its place", [&](pieces& m) {
    m.block = bad + wrapped(m.block);
  });
  to.add("the ticket in an element before another", [&](pieces& m) {
    m.block = wrapped(m.block) + bad;
  });
  to.add("two tickets", [&](pieces& m) { m.block += bad; });
  to.add("two tickets, the other is first", [&](pieces& m) { m.block = bad + m.block; });
  to.add("the ticket in Security, another in its place", [&](pieces& m) {
    m.in_security = std::exchange(m.block, bad);
  });
  to.add("the ticket behind the Body, another in its place", [&](pieces& m) {
    m.behind = std::exchange(m.block, bad);
  });
  to.add("the ticket in the Body, another in its place", [&](pieces& m) {
    m.body = replaced(m.body, "<Amount>", std::exchange(m.block, bad) + "<Amount>");
  });
  to.add("another ticket in a second Header", [&](pieces& m) {
    m.before = "<s:Header>" + bad + "</s:Header>";
  });
  to.add("another ticket in a Header behind the Body", [&](pieces& m) {
    m.behind = "<s:Header>" + bad + "</s:Header>";
  });
  to.add("the ticket is for somebody else, another for us", [&](pieces& m) {
    m.block = replaced(m.block, "<t:Ticket", "<t:Ticket s:actor=\"urn:other\"") + bad;
  });
  to.add("the ticket is in a block for somebody else, another for us", [&](pieces& m) {
    m.block = replaced(wrapped(m.block), "<w:Wrap", "<w:Wrap s:actor=\"urn:other\"") + bad;
  });
  to.add("another ticket is for the next who comes", [&](pieces& m) {
    m.block += ticket(" s:actor=\"http://schemas.xmlsoap.org/soap/actor/next\"", "bad");
  });
  to.add("the ticket is gone", [&](pieces& m) { m.block = ""; });
}

void add_security_blocks(mutant_list& to) {
  const std::string other = "<wsse:Security>" + timestamp("") + "</wsse:Security>";
  const std::string next = "http://schemas.xmlsoap.org/soap/actor/next";
  to.add("a second Security", [&](pieces& m) { m.last = other; });
  to.add("a second Security before it", [&](pieces& m) { m.first = other; });
  to.add("a second Security for the next who comes", [&](pieces& m) {
    m.last = replaced(other, "<wsse:Security", "<wsse:Security s:actor=\"" + next + "\"");
  });
  to.add("Security is for somebody else", [&](pieces& m) {
    m.security = "<wsse:Security s:actor=\"urn:other\">";
  });
  to.add("Security is for somebody else, an empty one for us", [&](pieces& m) {
    m.security = "<wsse:Security s:actor=\"urn:other\">";
    m.first = other;
    m.body = evil_body();
  });
  to.add("Security in an element", [&](pieces& m) {
    m.first = "<w:Wrap xmlns:w=\"urn:w\">";
    m.block = "</w:Wrap>" + m.block;
  });
  to.add("Security in another namespace", [&](pieces& m) {
    m.security = "<wsse:Security xmlns:wsse=\"urn:other\" s:mustUnderstand=\"1\">";
  });
  to.add("no Security", [&](pieces& m) {
    m.security = "<wsse:Other>";
    m.signature += "</wsse:Other><wsse:Security xmlns:wsse=\"urn:x\">";
    m.token = "";
  });
  to.add("the Timestamp is changed", [&](pieces& m) {
    m.time = replaced(m.time, "<wsu:Expires>2", "<wsu:Expires>3");
  });
  to.add("another Timestamp with its id", [&](pieces& m) {
    m.time = replaced(timestamp(" wsu:Id=\"time\""), "<wsu:Expires>2", "<wsu:Expires>3");
  });
  to.add("the Timestamp in a header block, another in its place", [&](pieces& m) {
    m.last = wrapped(std::exchange(m.time, timestamp("")));
  });
  to.add("the Timestamp as a header block, another in its place", [&](pieces& m) {
    m.last = std::exchange(m.time, timestamp(""));
  });
  to.add("two Timestamps", [&](pieces& m) { m.time += timestamp(""); });
  to.add("the Timestamp is gone", [&](pieces& m) { m.time = ""; });
}

void add_signatures(mutant_list& to) {
  const certificate stranger = make("caller");
  const auto sign = [&](pieces m, const certificate& by, const std::string& references) {
    m.signature = signing::signature(references, token_reference());
    return filled(m.text(), by.key);
  };
  pieces evil = good();
  evil.body = evil_body(" wsu:Id=\"body\"");
  const std::string all = reference("body") + reference("time") + reference("ticket");
  to.all.push_back({"signed by another key than the token's", sign(evil, stranger, all)});
  evil.token = token_element(stranger);
  to.all.push_back({"signed by a stranger", sign(evil, stranger, all)});
  // The caller has signed these parts, but not the required ones.
  const pieces& own = good();
  to.all.push_back({"only the Timestamp is signed", sign(own, caller(), reference("time"))});
  to.all.push_back(
      {"the Body is not signed", sign(own, caller(), reference("time") + reference("ticket"))});
  to.all.push_back(
      {"the ticket is not signed", sign(own, caller(), reference("body") + reference("time"))});
  to.all.push_back(
      {"the Timestamp is not signed",
       sign(own, caller(), reference("body") + reference("ticket"))});
  to.all.push_back({"nothing of the message is signed", sign(own, caller(), reference("token"))});
  pieces deep = good();
  deep.body = replaced(deep.body, "<Pay ", "<Pay wsu:Id=\"pay\" ");
  to.all.push_back(
      {"the payload is signed, and not the Body",
       sign(deep, caller(), reference("pay") + reference("time") + reference("ticket"))});
  const std::string whole = good().signature;
  to.add("two signatures", [&](pieces& m) { m.signature += whole; });
  to.add("the signature is gone", [&](pieces& m) { m.signature = ""; });
  to.add("the signature in a header block", [&](pieces& m) {
    m.last = std::exchange(m.signature, "");
  });
  to.add("a reference is gone", [&](pieces& m) {
    const std::size_t begin = m.signature.find("<ds:Reference ");
    m.signature.erase(begin, m.signature.find("</ds:Reference>") + 15 - begin);
    m.body = evil_body();
  });
  to.add("two SignedInfo", [&](pieces& m) {
    const std::size_t begin = m.signature.find("<ds:SignedInfo>");
    const std::size_t end = m.signature.find("</ds:SignedInfo>") + 16;
    m.signature.insert(begin, m.signature, begin, end - begin);
  });
  to.add("the digest is that of another Body", [&](pieces& m) {
    m.body = evil_body(" wsu:Id=\"body\"");
    impl::xml_document document;
    const std::string text = m.text();
    const node root = document.parse(text, "utf-8", {});
    const std::string digest =
        parts::digest_of(impl::canonical_form(parts::with_id(root, "body"), {}, 10'000), "SHA256");
    const std::size_t begin = m.signature.find("<ds:DigestValue>") + 16;
    m.signature.replace(begin, m.signature.find("</ds:DigestValue>") - begin, digest);
  });
  to.add("the value is empty", [&](pieces& m) {
    const std::size_t begin = m.signature.find("<ds:SignatureValue>") + 19;
    m.signature.erase(begin, m.signature.find("</ds:SignatureValue>") - begin);
  });
  to.add("the token is a stranger's", [&](pieces& m) { m.token = token_element(stranger); });
  to.add("two tokens of one id", [&](pieces& m) { m.token += token_element(stranger); });
  to.add("the token as a header block", [&](pieces& m) { m.last = std::exchange(m.token, ""); });
  to.add("the token in the Body", [&](pieces& m) {
    m.body = replaced(m.body, "<Amount>", std::exchange(m.token, "") + "<Amount>");
  });
}

void add_strangers(mutant_list& to) {
  for (const char* each :
       {"<x xmlns=\"urn:x\"/>",
        "<Assertion xmlns=\"urn:oasis:names:tc:SAML:2.0:assertion\"/>",
        "<wsse:UsernameToken><wsse:Username>root</wsse:Username></wsse:UsernameToken>",
        "<e:EncryptedData xmlns:e=\"http://www.w3.org/2001/04/xmlenc#\"/>"})
    to.add("in Security stands "s + each, [&](pieces& m) { m.in_security = each; });
}

void add_changes(mutant_list& to) {
  const std::string c14n(impl::exclusive_c14n_ns);
  to.swap("the amount is changed", ">5<", ">6<");
  to.swap("a comment stands between digits", ">5<", ">5<!-- -->6<");
  to.swap("CDATA adds a digit", ">5<", ">5<![CDATA[6]]><");
  to.swap("a blank is added", "<To>", " <To>");
  to.swap("an element is gone", "<Amount>5</Amount>", "");
  to.swap("an element is there twice", "<To>", "<To>mallory</To><To>");
  to.swap(
      "elements are in another order",
      "<Amount>5</Amount><To>alice</To>",
      "<To>alice</To><Amount>5</Amount>");
  to.swap(
      "an attribute is added to an element",
      "<To>",
      "<To xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:nil=\"true\">");
  to.swap("an attribute is added to the Body", "<s:Body ", "<s:Body s:encodingStyle=\"urn:x\" ");
  to.swap("the Body's id is changed", "<s:Body wsu:Id=\"body\"", "<s:Body wsu:Id=\"b\"");
  to.swap("the Body's id is another attribute", "<s:Body wsu:Id=", "<s:Body Id=");
  to.swap(
      "the payload is in another namespace", "xmlns=\"urn:test/Bank\"", "xmlns=\"urn:test/Bunk\"");
  to.swap("the default namespace is redefined", "<Amount>", "<Amount xmlns=\"urn:x\">");
  to.swap("the prefix of the Body is another", "<s:Body ", "<s:Body xmlns:s=\"urn:x\" ");
  to.swap("the version is another", soap11, soap12);
  to.swap("an entity is defined", "<s:Envelope", "<!DOCTYPE s [<!ENTITY x \"y\">]><s:Envelope");
  to.swap("a processing instruction stands in the Body", "<Amount>", "<?x?><Amount>");
  to.swap("the references are to the whole", "\"#body\"", "\"\"");
  to.swap("a reference is an XPointer", "\"#body\"", "\"#xpointer(id('body'))\"");
  to.swap("a reference is to elsewhere", "\"#body\"", "\"http://127.0.0.1/\"");
  to.swap("a reference is to a part", "\"#body\"", "\"cid:body\"");
  to.swap(
      "the canonical form is inclusive", c14n, "http://www.w3.org/TR/2001/REC-xml-c14n-20010315");
  to.swap("the canonical form has comments", c14n, c14n + "WithComments");
  to.swap(
      "an XPath takes away what is changed",
      "<ds:Transforms>",
      "<ds:Transforms><ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\">"
      "<ds:XPath>false()</ds:XPath></ds:Transform>");
  to.swap(
      "a stylesheet makes what was signed",
      "<ds:Transforms>",
      "<ds:Transforms><ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xslt-19991116\"/>");
  to.swap(
      "an HMAC by a key that all know",
      ecdsa_sha256,
      "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256");
  to.swap(
      "no transform", "<ds:Transforms>", "<ds:Other><ds:Transforms/></ds:Other><ds:Transforms>");
  to.swap("the key is in the message", "<ds:KeyInfo>", "<ds:KeyInfo><ds:KeyValue/>");
}

std::vector<mutant> all_mutants() {
  mutant_list made;
  add_moved_bodies(made);
  add_moved_envelopes(made);
  add_moved_headers(made);
  add_security_blocks(made);
  add_signatures(made);
  add_strangers(made);
  add_changes(made);
  return made.all;
}

}  // namespace

TEST_CASE("a signed message is served, and its response is signed", "[wrapping]") {
  const soapsvc::http_response response = here().send(good().text());
  INFO(response.body);
  CHECK(response.status == 200);
  CHECK(here().bank.done == expected);
  CHECK(response.body.find("<ds:SignatureValue>") != response.body.npos);
}

TEST_CASE("no message with unsigned content is served", "[wrapping]") {
  const std::vector<mutant> mutants = all_mutants();
  CHECK(mutants.size() >= 60);
  for (const mutant& each : mutants) {
    INFO(each.name);
    const soapsvc::http_response response = here().send(each.text);
    INFO(response.body);
    CHECK(here().bank.done == "");
    CHECK(response.status >= 400);
  }
}

TEST_CASE("unsigned content that is never read may differ", "[wrapping]") {
  mutant_list same;
  same.swap("comments in the content", "<To>", "<!-- x --><To><!-- y -->");
  same.swap("CDATA of the same text", ">alice<", "><![CDATA[alice]]><");
  same.swap("references to the same characters", ">alice<", ">&#97;lice<");
  same.swap("the same id by a reference", "<s:Body wsu:Id=\"body\"", "<s:Body wsu:Id='&#98;ody'");
  same.swap("blanks in the Header", "<s:Header>", "<s:Header>\n  ");
  same.swap("blanks in Security", "<ds:KeyInfo>", "\n<ds:KeyInfo>\n");
  same.swap("Security need not be understood", " s:mustUnderstand=\"1\"", "");
  same.add("Security behind the ticket", [](pieces& m) { m.first = std::exchange(m.block, ""); });
  same.add("a header block that nobody takes", [](pieces& m) { m.last = wrapped("x"); });
  same.add("a Security block for somebody else", [](pieces& m) {
    m.last = "<wsse:Security s:actor=\"urn:other\"><x/></wsse:Security>";
  });
  for (const mutant& each : same.all) {
    INFO(each.name);
    const soapsvc::http_response response = here().send(each.text);
    INFO(response.body);
    CHECK(here().bank.done == expected);
  }
}

TEST_CASE("an id without a prefix names the Body, in both versions", "[wrapping]") {
  for (const std::string_view ns : {soap11, soap12}) {
    pieces made;
    made.envelope = replaced(made.envelope, soap11, ns);
    made.body = replaced(made.body, "wsu:Id", "Id");
    const soapsvc::http_response response = here().send(filled(made.text(), caller().key));
    INFO(response.body);
    CHECK(here().bank.done == expected);
  }
}

// --- Both sides ----------------------------------------------------------------------------------

namespace {

/// The result of a soapsvc client when the response is changed on its way.
template <class Change>
std::string called(Change change, soapsvc::client_security security, int amount = 5) {
  soapsvc::client_options options;
  options.ns_base = "urn:test";
  options.security = std::move(security);
  soapsvc::client<Bank> remote(
      [&](const soapsvc::http_request& request) {
        soapsvc::http_response response = here().send(std::string(request.body));
        response.body = change(std::move(response.body));
        return response;
      },
      std::move(options));
  return remote.call(&Bank::pay, Pay{amount, "alice"}, Ticket{"good"});
}

soapsvc::client_security as_caller() {
  soapsvc::client_security made;
  made.identity.certificate_file = caller().file;
  made.signatures.trusted_certificates_file = bank_itself().certificate_file;
  return made;
}

}  // namespace

TEST_CASE("the soapsvc client signs, and accepts only signed responses", "[wrapping]") {
  const auto unchanged = [](std::string text) { return text; };
  CHECK(called(unchanged, as_caller()) == expected);
  const auto other_result = [](std::string text) { return replaced(text, "alice", "mallory"); };
  CHECK_THROWS_WITH(called(other_result, as_caller()), Catch::Contains("the signature is invalid"));
  const auto no_security = [](std::string text) {
    const std::size_t begin = text.find("<wsse:Security");
    return text.erase(begin, text.find("</wsse:Security>") + 16 - begin);
  };
  CHECK_THROWS_WITH(called(no_security, as_caller()), Catch::Contains("responses must be signed"));
  const auto no_signature = [](std::string text) {
    const std::size_t begin = text.find("<ds:Signature ");
    return text.erase(begin, text.find("</ds:Signature>") + 15 - begin);
  };
  CHECK_THROWS_WITH(called(no_signature, as_caller()), Catch::Contains("there is no signature"));
  const auto no_body = [](const std::string&) {
    pieces made;
    made.token = token_element(bank_itself());
    made.signature = signature(reference("time"), token_reference());
    made.block = "";
    made.body =
        "<s:Body><PayResponse xmlns=\"urn:test/Bank\"><PayResult>mallory</PayResult>"
        "</PayResponse></s:Body>";
    return filled(made.text(), bank_itself().key);
  };
  CHECK_THROWS_WITH(called(no_body, as_caller()), Catch::Contains("'Body' is not signed"));
  soapsvc::client_security believes_others = as_caller();
  believes_others.signatures.trusted_certificates_file = caller().certificate_file;
  CHECK_THROWS_WITH(
      called(unchanged, believes_others), Catch::Contains("the security token is not valid"));
}

TEST_CASE("the soapsvc client accepts only signed faults", "[wrapping]") {
  const auto unchanged = [](std::string text) { return text; };
  CHECK_THROWS_AS(called(unchanged, as_caller(), -1), soapsvc::remote_fault);
  CHECK_THROWS_WITH(called(unchanged, as_caller(), -1), Catch::Contains("nobody can be paid that"));
  const auto changed = [](std::string text) { return replaced(text, "nobody", "mallory"); };
  CHECK_THROWS_WITH(
      called(changed, as_caller(), -1),
      Catch::Contains("cannot be believed") && Catch::Contains("the signature is invalid"));
  const auto no_security = [](std::string text) {
    const std::size_t begin = text.find("<wsse:Security");
    return text.erase(begin, text.find("</wsse:Security>") + 16 - begin);
  };
  CHECK_THROWS_WITH(
      called(no_security, as_caller(), -1),
      Catch::Contains("cannot be believed") && Catch::Contains("is missing"));
}

namespace {

/// A response as the bank could sign it.
std::string signed_response(
    pieces made,
    const std::string& references,
    const std::string& inside =
        "<PayResponse xmlns=\"urn:test/Bank\"><PayResult>done</PayResult></PayResponse>") {
  made.token = token_element(bank_itself());
  made.signature = signature(references, token_reference());
  made.body = "<s:Body wsu:Id=\"body\">" + inside + "</s:Body>";
  return filled(made.text(), bank_itself().key);
}

}  // namespace

TEST_CASE("the soapsvc client reads nothing unsigned in a response", "[wrapping]") {
  const auto told = [](const pieces& made, const std::string& references) {
    const auto other = [&](const std::string&) { return signed_response(made, references); };
    try {
      return called(other, as_caller());
    } catch (const soapsvc::transport_error& error) {
      return std::string(error.what());
    }
  };
  const std::string both = reference("body") + reference("time");
  pieces made;
  made.block = "";
  CHECK(told(made, both) == "done");
  CHECK_THAT(told(made, reference("body")), Catch::Contains("'Timestamp' is not signed"));
  made.in_security = "<x xmlns='urn:x'/>";
  CHECK_THAT(told(made, both), Catch::Contains("is not known"));
  made.in_security = "";
  made.block =
      "<a:RelatesTo xmlns:a='http://www.w3.org/2005/08/addressing' wsu:Id='ticket'>urn:x"
      "</a:RelatesTo>";
  CHECK(told(made, both + reference("ticket")) == "done");
  CHECK(told(made, both) == "done");  // without addressing, it is not read
  made.block = wrapped("x");  // nor this
  CHECK(told(made, both) == "done");
}

TEST_CASE(
    "the soapsvc client refuses a signed response without a Timestamp", "[wrapping][timestamp]") {
  pieces made;
  made.block = made.time = "";
  const std::string no_money =
      "<s:Fault><faultcode>s:Server</faultcode><faultstring>no money</faultstring></s:Fault>";
  const std::string response = signed_response(made, reference("body"));
  const std::string fault = signed_response(made, reference("body"), no_money);
  for (const std::string& each : {response, fault})
    CHECK_THROWS_WITH(
        called([&](const std::string&) { return each; }, as_caller()),
        Catch::Contains("Security: Timestamp is missing; signed responses must have one"));
  made.time = timestamp(" wsu:Id=\"time\"");
  const auto stamped = [&](const std::string&) {
    return signed_response(made, reference("body") + reference("time"), no_money);
  };
  CHECK_THROWS_AS(called(stamped, as_caller()), soapsvc::remote_fault);
}

TEST_CASE("a missing key or missing trusted certificates are reported at once", "[wrapping]") {
  const auto unchanged = [](std::string text) { return text; };
  soapsvc::client_security security = as_caller();
  security.identity = {};
  CHECK_THROWS_WITH(
      called(unchanged, security), Catch::Contains("client_options::security.identity"));
  security = as_caller();
  security.signatures = {};
  CHECK_THROWS_WITH(called(unchanged, security), Catch::Contains("to verify signatures, set"));
  soapsvc::dispatcher_options options;
  options.ns_base = "urn:test";
  Bank bank;
  soapsvc::dispatcher none(options);
  CHECK_THROWS_WITH(none.add(bank), Catch::Contains("to verify signatures, set"));
  options.security.signatures.ca_file = authority().certificate_file;
  soapsvc::dispatcher no_identity(options);
  CHECK_THROWS_WITH(
      no_identity.add(bank), Catch::Contains("dispatcher_options::security.identity"));
}

TEST_CASE("a UsernameToken beside a signature is signed by it", "[wrapping][username-token]") {
  soapsvc::dispatcher_options options;
  options.ns_base = "urn:test";
  options.security.signatures.ca_file = authority().certificate_file;
  options.security.allow_password_text_without_tls = true;
  options.security.check_password = [](auto user, auto, const soapsvc::context&) {
    return std::optional<std::string>(user);
  };
  soapsvc::dispatcher services(std::move(options));
  Vault vault;
  services.add(vault);
  const auto told = [&](const std::string& text) {
    const soapsvc::http_header fields[] = {{"Content-Type", "text/xml"}};
    soapsvc::http_request request;
    request.target = "/soap/v3/Vault.asmx";
    request.headers = fields;
    request.body = text;
    return services.handle(request).body;
  };
  pieces made;
  made.block = "";
  made.body = "<s:Body wsu:Id=\"body\"><Open xmlns=\"urn:test/Vault\"/></s:Body>";
  made.in_security =
      "<wsse:UsernameToken wsu:Id=\"user\"><wsse:Username>alice</wsse:Username>"
      "<wsse:Password>word</wsse:Password></wsse:UsernameToken>";
  const std::string both = reference("body") + reference("time");
  made.signature = signature(both, token_reference());
  CHECK_THAT(
      told(filled(made.text(), caller().key)), Catch::Contains("'UsernameToken' is not signed"));
  made.signature = signature(both + reference("user"), token_reference());
  const std::string good = filled(made.text(), caller().key);
  CHECK_THAT(told(good), Catch::Contains(">alice by CN=caller,"));
  CHECK_THAT(told(replaced(good, ">alice<", ">bob<")), Catch::Contains("is invalid"));

  soapsvc::client_options calling;
  calling.ns_base = "urn:test";
  calling.security = as_caller();
  calling.security.user = "alice";
  calling.security.allow_password_text_without_tls = true;
  soapsvc::client<Vault> remote(services, std::move(calling));
  CHECK_THAT(remote.call(&Vault::open), Catch::StartsWith("alice by CN=caller,"));
}

namespace {

/// A message to Post, and its response.
struct posted {
  posted() {
    soapsvc::dispatcher_options options;
    options.ns_base = "urn:test";
    options.security.signatures.ca_file = authority().certificate_file;
    options.security.identity.certificate_file = bank_itself().file;
    services = std::make_unique<soapsvc::dispatcher>(std::move(options));
    services->add(post);
    made.block = "";
  }
  soapsvc::http_response send(const std::string& operation, const std::string& also_signed) {
    made.body = "<s:Body wsu:Id=\"body\"><" + operation + " xmlns=\"urn:test/Post\"/></s:Body>";
    made.signature =
        signature(reference("body") + reference("time") + also_signed, token_reference());
    const std::string text = filled(made.text(), caller().key);
    const soapsvc::http_header fields[] = {{"Content-Type", "text/xml"}};
    soapsvc::http_request request;
    request.target = "/soap/v3/Post.asmx";
    request.headers = fields;
    request.body = text;
    return services->handle(request);
  }
  Post post;
  pieces made;
  std::unique_ptr<soapsvc::dispatcher> services;
};

std::string addressed(const std::string& name, const std::string& content) {
  return "<a:" + name + " xmlns:a=\"http://www.w3.org/2005/08/addressing\" wsu:Id=\"" + name +
         "\">" + content + "</a:" + name + ">";
}

}  // namespace

TEST_CASE("header blocks of WS-Addressing are signed with signed_header_blocks", "[wrapping]") {
  posted at;
  at.made.block = addressed("Action", "urn:test/Post/Send") + addressed("MessageID", "urn:one");
  const std::string action = reference("Action"), id = reference("MessageID");
  CHECK_THAT(at.send("Send", action).body, Catch::Contains("'MessageID' is not signed"));
  CHECK_THAT(at.send("Send", id).body, Catch::Contains("'Action' is not signed"));
  const soapsvc::http_response response = at.send("Send", action + id);
  CHECK_THAT(response.body, Catch::Contains(">sent<") && Catch::Contains("RelatesTo"));
}

TEST_CASE("a one-way operation has no response to sign", "[wrapping][one-way]") {
  posted at;
  const soapsvc::http_response response = at.send("Drop", "");
  CHECK(response.status == 202);
  CHECK(response.body == "");
  CHECK(at.post.dropped == 1);
}

// --- xmlsec1 -------------------------------------------------------------------------------------

namespace {

std::string write_file(const char* name, const std::string& content) {
  const std::string file = (folder() / name).string();
  std::ofstream(file) << content;
  return file;
}

/// Runs this command of xmlsec1 on a message with the given ids. Returns its output, if it
/// succeeds.
std::string by_xmlsec1(const std::string& what, const std::string& text) {
  const std::string out = (folder() / "out").string();
  const std::string ids = " --id-attr:Id " + std::string(soap11) + ":Body --id-attr:Id " +
                          std::string(impl::wsu_ns) + ":Timestamp --id-attr:Id " +
                          "urn:test/Bank:Ticket ";
  const std::string command = "xmlsec1 " + what + ids + " --output " + out + " " +
                              write_file("message", text) + " >" + out + ".log 2>&1";
  if (std::system(command.c_str()) != 0) return {};
  std::ifstream written(out);
  return std::string(std::istreambuf_iterator<char>(written), {}) + "done";
}

}  // namespace

TEST_CASE(
    "xmlsec1 verifies the library's signatures, and the library verifies those of xmlsec1",
    "[wrapping]") {
  if (std::system("command -v xmlsec1 >/dev/null") != 0) {
    WARN("xmlsec1 is not installed");
    return;
  }
  const std::string response = here().send(good().text()).body;
  BIO* const out = BIO_new_file((folder() / "key").c_str(), "w");
  PEM_write_bio_PUBKEY(out, bank_itself().key);
  BIO_free(out);
  const std::string verify = "--verify --pubkey-pem " + (folder() / "key").string();
  CHECK(by_xmlsec1(verify, response) != "");
  CHECK(by_xmlsec1(verify, replaced(response, "alice", "mallory")) == "");

  const std::string done = by_xmlsec1("--sign --privkey-pem " + caller().file, pieces().text());
  REQUIRE(done != "");
  const std::string text = done.substr(0, done.size() - 4);
  const soapsvc::http_response answer = here().send(text);
  INFO(answer.body);
  CHECK(here().bank.done == expected);
}

TEST_CASE("the policy lists the parts to sign", "[wrapping]") {
  soapsvc::http_request request;
  request.method = "GET";
  request.target = "/soap/v3/Bank.asmx?wsdl";
  const std::string text = here().services->handle(request).body;
  for (const char* each :
       {"<sp:InitiatorToken>",
        "<sp:RecipientToken>",
        "<sp:IncludeTimestamp />",
        "<sp:Basic256Sha256 />",
        "<sp:OnlySignEntireHeadersAndBody />",
        "<sp:SignedParts ",
        "<sp:Body />",
        "<sp:Header Namespace=\"http://www.w3.org/2005/08/addressing\" />"})
    CHECK_THAT(text, Catch::Contains(each));
  CHECK_THAT(text, !Catch::Contains("TransportBinding"));
}
