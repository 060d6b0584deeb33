// The WS-I Basic Profiles 1.0 to 2.0 (with the Simple SOAP Binding Profile 1.0, which took a part
// of 1.0's requirements) as an instance, a receiver and a description: tags [R1005] and so on.
// tests/assertions.md lists the requirements; those of HTTP that need sockets are in
// conformance_http.cpp.
#include "../support.hpp"

#include <catch2/catch.hpp>

using namespace support;

namespace {

const std::string add = call("Add", "<A>1</A><B>2</B>");
const std::string put = call("Put", "<Item><Id>2</Id><Colour>Red</Colour></Item>");
const std::string session = "<Session xmlns='" + ns + "'><Key>5</Key></Session>";
const std::string must = "<x:T xmlns:x='urn:x' e:mustUnderstand='1'/>";

/// The code and status of a fault, such as "Client 500"; fault_of checks how it is built.
std::string code(const soapsvc::http_response& response) {
  return fault_of(response).code + " " + std::to_string(response.status);
}
std::string refused(version v, const std::string& status_of_11 = "500") {
  return v == version::v1_1 ? "Client " + status_of_11 : "Sender 400";
}

/// The responses of a service: results of each form, and faults of each kind.
std::vector<soapsvc::http_response> responses(const world& w, version v) {
  std::vector<soapsvc::http_response> all = {
      w.ask(v, add),
      w.ask(v, call("Ping")),
      w.ask(v, call("Echo")),
      w.ask(v, call("List", "<Count>2</Count>")),
      w.ask(v, call("Numbers", "<Count>0</Count>")),
      w.ask(v, put, session),
      w.ask(v, add, must),
      w.ask(v, "")};
  for (const char* how : {"client", "server", "detail", "subcode", "exception"})
    all.push_back(w.ask(v, call("Fail", "<How>" + std::string(how) + "</How>")));
  return all;
}

/// All elements of a tree, in order.
void collect(node from, std::vector<node>& all) {
  all.push_back(from);
  for (node child = from.first_child(); child; child = child.next_sibling())
    collect(child, all);
}
std::vector<node> elements(const document& of) {
  std::vector<node> all;
  collect(of.root(), all);
  return all;
}

const std::string wsdl_ns = "http://schemas.xmlsoap.org/wsdl/";
const std::string soap_ns = "http://schemas.xmlsoap.org/wsdl/soap/";
const std::string soap12_binding_ns = "http://schemas.xmlsoap.org/wsdl/soap12/";
const std::string schema_ns = "http://www.w3.org/2001/XMLSchema";

/// The parsed description of the Shop.
struct description {
  description() : text(world().send("GET", path + "?wsdl").body), parsed(text) {
    all = elements(parsed);
  }
  std::vector<node> named(const std::string& in, const std::string& local) const {
    std::vector<node> found;
    for (const node each : all)
      if (each.is(in, local)) found.push_back(each);
    return found;
  }
  /// The extension elements of this name, of both SOAP bindings.
  std::vector<node> soap(const std::string& local) const {
    std::vector<node> found = named(soap_ns, local);
    for (const node each : named(soap12_binding_ns, local))
      found.push_back(each);
    return found;
  }
  /// The child of the root with this name, as a QName of the description names it.
  node component(const std::string& local, node at, const std::string& qname) const {
    const auto name = resolve(at, qname);
    if (name.ns != ns) wrong("not of the description: " + qname);
    for (const node each : named(wsdl_ns, local))
      if (each.attribute("", "name") == name.local) return each;
    wrong("no " + local + " " + qname);
  }
  /// The names of the global elements of the schema.
  std::vector<std::string> global_elements() const {
    std::vector<std::string> names;
    const node schema = named(schema_ns, "schema").at(0);
    for (node child = schema.first_child(); child; child = child.next_sibling())
      if (child.is(schema_ns, "element")) names.emplace_back(*child.attribute("", "name"));
    return names;
  }

  std::string text;
  document parsed;
  std::vector<node> all;
};

std::string value_of(node at, const std::string& name) {
  return std::string(at.attribute("", name).value_or("(none)"));
}

}  // namespace

// --- Envelopes that are sent ---------------------------------------------------------------------

TEST_CASE(
    "every sent message is one envelope of SOAP's structure with at most one child in the Body",
    "[conformance][R9980][R9981][R1014][R1011][R9701][R9702]") {
  const world w;
  for (const version v : both) {
    const std::string& in = envelope_ns(v);
    for (const auto& response : responses(w, v)) {
      INFO(response.body);
      CHECK(response.body.rfind("<?xml version=\"1.0\" encoding=\"utf-8\"?>", 0) == 0);
      const document parsed(response.body);
      REQUIRE(parsed.root().is(in, "Envelope"));
      const auto parts = children(parsed.root(), in, {"Header?", "Body"});
      const node payload = parts[1].first_child();
      REQUIRE(payload);
      CHECK_FALSE(payload.ns().empty());
      CHECK_FALSE(payload.next_sibling());
    }
  }
}

TEST_CASE(
    "no sent message has a DTD, a processing instruction or a declaration of the prefix xml",
    "[conformance][R1008][R1009][R1033]") {
  const world w;
  for (const version v : both) {
    for (const auto& response : responses(w, v)) {
      CHECK_FALSE(contains(response.body, "<!"));
      CHECK(response.body.find("<?", 2) == std::string::npos);
      CHECK_FALSE(contains(response.body, "xmlns:xml="));
    }
  }
}

TEST_CASE(
    "no sent message has attributes of SOAP: no encodingStyle, no mustUnderstand",
    "[conformance][R1005][R1006][R1032][R1013][R2113][mustUnderstand][encodingStyle]") {
  const world w;
  for (const version v : both) {
    for (const auto& response : responses(w, v)) {
      const document parsed(response.body);
      for (const node each : elements(parsed))
        for (const soapsvc::detail::attribute said : each.attributes())
          CHECK(
              (said.ns() == "http://www.w3.org/2000/xmlns/" ||
               said.ns() == "http://www.w3.org/XML/1998/namespace" || said.local() == "qname"));
      CHECK_FALSE(contains(response.body, "arrayType"));
    }
  }
}

TEST_CASE(
    "every sent message is UTF-8 and says so in its media type",
    "[conformance][R1012][R1018][R1019]") {
  const world w;
  for (const version v : both) {
    const auto response = w.ask(v, call("Echo", "<Text>&#233;&#x20ac;</Text>"));
    CHECK(response.content_type == content_type(v));
    CHECK(contains(response.body, "<EchoResult>\xc3\xa9\xe2\x82\xac</EchoResult>"));
  }
}

TEST_CASE(
    "a fault of 1.1 has the children that the note defines, in no namespace, and its codes",
    "[conformance][R1000][R1001][R1004][R1031]") {
  const world w;
  for (const auto& response : responses(w, version::v1_1)) {
    if (response.status == 200) continue;
    const document parsed(response.body);
    const node body = children(parsed.root(), soap11_ns, {"Body"})[0];
    const node fault = children(body, soap11_ns, {"Fault"})[0];
    const auto parts = children(fault, "", {"faultcode", "faultstring", "detail?"});
    const auto name = resolve(parts[0], parts[0].text());
    CHECK(name.ns == soap11_ns);
    CHECK_FALSE(contains(name.local, "."));
  }
}

TEST_CASE(
    "a fault may have a detail that the description does not declare",
    "[conformance][R2740][R2741][R2742][R2743][R2719]") {
  const world w;
  CHECK(contains(fault_of(w.ask(version::v1_1, call("Fail", "<How>detail</How>"))).detail, "17"));
  const description d;
  CHECK(d.named(wsdl_ns, "fault").empty());
  CHECK(d.soap("fault").empty());
  CHECK(d.soap("headerfault").empty());
}

// --- Envelopes that come -------------------------------------------------------------------------

TEST_CASE(
    "an XML declaration, a byte order mark, UTF-8 and UTF-16 are accepted",
    "[conformance][R1010][R4001][R1012]") {
  const world w;
  for (const version v : both) {
    const std::string text = envelope(v, add);
    for (const char* before :
         {"<?xml version='1.0'?>",
          "<?xml version='1.0' encoding='UTF-8'?>\n",
          "\xef\xbb\xbf",
          "\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>"})
      CHECK(result_of(w.post(before + text, {}), "Add") == "3");
    std::string wide = "\xff\xfe";
    for (const char c : "<?xml version='1.0' encoding='UTF-16'?>" + text)
      wide += {c, '\0'};
    CHECK(result_of(w.post(wide, {}), "Add") == "3");
  }
}

TEST_CASE("received DTDs and processing instructions are refused", "[conformance][R1008][R1009]") {
  const world w;
  for (const version v : both) {
    const headers type = {{"Content-Type", content_type(v)}};
    CHECK(code(w.post("<!DOCTYPE x>" + envelope(v, add), type)) == refused(v));
    CHECK(code(w.post("<?x y?>" + envelope(v, add), type)) == refused(v));
  }
}

TEST_CASE("an Envelope of another namespace is a fault", "[conformance][R1015]") {
  const world w;
  const auto response = w.post("<Envelope xmlns='urn:x'><Body>" + add + "</Body></Envelope>", {});
  CHECK(code(response) == "VersionMismatch 500");
}

TEST_CASE("xsi:type is never needed", "[conformance][R1017]") {
  const world w;
  for (const version v : both) {
    CHECK(result_of(w.ask(v, put, session), "Put") == "7");
    CHECK(result_of(w.ask(v, call("Echo", "<Text>a</Text>")), "Echo") == "a");
  }
}

TEST_CASE(
    "mandatory header blocks are checked before anything is processed",
    "[conformance][R1025][R1027][R1028][R1029][R1030][mustUnderstand]") {
  world w;
  for (const version v : both) {
    for (const std::string& body : {add, std::string(), call("Nothing")}) {
      CHECK(code(w.ask(v, body, must)) == "MustUnderstand 500");
      const auto& told = w.calls.back();  // on_call reports it as well
      CHECK(told.report.fault_code == soapsvc::fault_code::must_understand);
      CHECK(told.report.handler_time == std::chrono::nanoseconds::zero());
      CHECK_FALSE(told.reason.empty());
    }
  }
}

TEST_CASE(
    "invalid messages are refused: first the version is checked, then mandatory header blocks",
    "[conformance][R2724][R2725][R2712][R2301][mustUnderstand]") {
  const world w;
  for (const version v : both) {
    for (const std::string& body :
         {std::string(),
          add + add,
          std::string("<Add><A>1</A><B>2</B></Add>"),
          call("Nothing"),
          call("Add", "<A>1</A>"),
          call("Add", "<A>1</A><B>2</B><C>3</C>")}) {
      CHECK(code(w.ask(v, body)) == refused(v));
      CHECK(code(w.ask(v, body, must)) == "MustUnderstand 500");
    }
  }
  std::string other = envelope(version::v1_2, "", must);
  other.replace(other.find(soap12_ns), soap12_ns.size(), "urn:other");
  CHECK(code(w.post(other, {})) == "VersionMismatch 500");
}

TEST_CASE(
    "a described header block is required, others are allowed in any order, and a second copy is "
    "refused",
    "[conformance][R2738][R2739][R2753][R2751][R2752]") {
  const world w;
  const std::string other = "<x:T xmlns:x='urn:x'/>";
  for (const version v : both) {
    CHECK(code(w.ask(v, put)) == refused(v));
    for (const std::string& header : {session, session + other, other + session})
      CHECK(result_of(w.ask(v, put, header), "Put") == "7");
    CHECK(code(w.ask(v, put, session + must)) == "MustUnderstand 500");
    // The choice between two Envelopes is ambiguous, so the message is not accepted as one.
    CHECK(code(w.ask(v, put, session + session)) == refused(v));
  }
}

// --- HTTP, as far as no socket is needed ---------------------------------------------------------

TEST_CASE(
    "SOAPAction is not required, quoted or not, and a SOAPAction of another operation is a fault",
    "[conformance][R1109][R1119][R1127][R2744][R2745][R2757][R2758][R2760][R2761][SOAPAction]") {
  const world w;
  const std::string uri = ns + "/Add";
  for (const version v : both) {
    CHECK(result_of(w.ask(v, add), "Add") == "3");
    for (const std::string& said : {"\"" + uri + "\"", uri, std::string("\"\""), std::string()})
      CHECK(result_of(w.ask(v, add, "", {{"SOAPAction", said}}), "Add") == "3");
    CHECK(code(w.ask(v, add, "", {{"SOAPAction", "\"" + ns + "/Ping\""}})) == refused(v));
  }
  const std::string type = "application/soap+xml; charset=\"utf-8\"; action=";
  const std::string message = envelope(version::v1_2, add);
  for (const std::string& said : {"\"" + uri + "\"", uri, std::string("\"\"")})
    CHECK(result_of(w.post(message, {{"Content-Type", type + said}}), "Add") == "3");
  CHECK(code(w.post(message, {{"Content-Type", type + "\"" + ns + "/Ping\""}})) == "Sender 400");
  const headers two = {{"Content-Type", type + "\"" + uri + "\""}, {"SOAPAction", uri}};
  CHECK(result_of(w.post(message, two), "Add") == "3");
}

TEST_CASE(
    "the status shows the result of the request",
    "[conformance][R1124][R1111][R1125][R1113][R1114][R1115][R1126]") {
  const world w;
  for (const version v : both) {
    const headers type = {{"Content-Type", content_type(v)}};
    CHECK(w.ask(v, add).status == 200);
    CHECK(w.ask(v, call("Ping")).status == 200);
    // A fault of 1.1 is always 500, also for invalid XML: SOAP 1.1, 6.2; rule 7.
    CHECK(code(w.post("no XML", type)) == refused(v));
    CHECK(code(w.ask(v, call("Nothing"))) == refused(v));
    CHECK(w.ask(v, call("Fail", "<How>server</How>")).status == 500);
  }
  const auto put_method =
      w.send("PUT", path, {{"Content-Type", "text/xml"}}, envelope(version::v1_1, add));
  CHECK(put_method.status == 405);
  const int unknown_method = carrier == nullptr ? 405 : 400;  // cpp-httplib's own refusal
  CHECK(w.send("M-POST", path, {}, envelope(version::v1_1, add)).status == unknown_method);
  const auto image = w.post(envelope(version::v1_1, add), {{"Content-Type", "image/png"}});
  CHECK(image.status == 415);
  CHECK(fault_of(image).code == "Client");  // a body says why: rule 15
}

TEST_CASE("cookies are neither needed nor set", "[conformance][R1120][R1121][R1122]") {
  const world w;
  for (const version v : both)
    for (const auto& response : responses(w, v))
      for (const auto& [name, said] : response.headers)
        CHECK(name == "X-Request-Id");
}

// --- The typed client, as a receiver of responses and a sender of requests -----------------------

namespace {

/// A typed client with recorded requests and prepared responses.
struct canned {
  soapsvc::http_response response;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string method;
  std::string body;

  soapsvc::client<Shop> client(version v) {
    soapsvc::client_options options;
    options.ns_base = base;
    options.version = v;
    return soapsvc::client<Shop>(
        [this](const soapsvc::http_request& request) {
          headers.clear();
          for (const auto& [name, said] : request.headers)
            headers.emplace_back(name, said);
          method = request.method;
          body = request.body;
          return response;
        },
        options);
  }
};

}  // namespace

TEST_CASE(
    "the typed client accepts faults with any detail, and in any language",
    "[conformance][R1107][R1002][R1003][R1016]") {
  canned wire;
  for (const char* detail :
       {"",
        "<detail/>",
        "<detail a='b' x:c='d' xmlns:x='urn:x'/>",
        "<detail><plain/></detail>",
        "<detail><x:a xmlns:x='urn:x'/><plain>t</plain></detail>"}) {
    wire.response.status = 500;
    wire.response.content_type = "text/xml";
    wire.response.body = envelope(
        version::v1_1,
        "<e:Fault><faultcode>e:Server</faultcode><faultstring xml:lang='nl'>Dicht.</"
        "faultstring>" +
            std::string(detail) + "</e:Fault>");
    try {
      wire.client(version::v1_1).call(&Shop::add, Sum{1, 2});
      FAIL("no fault");
    } catch (const soapsvc::remote_fault& got) {
      CHECK(got.code() == soapsvc::fault_code::server);
      CHECK(got.reason() == "Dicht.");
    }
    wire.response.status = 200;  // a Fault counts with any status
    CHECK_THROWS_AS(wire.client(version::v1_1).call(&Shop::add, Sum{1, 2}), soapsvc::remote_fault);
  }
}

TEST_CASE(
    "the typed client sends messages by the description and the profile",
    "[conformance][R1109][R1132][R2744][R2738][R2712][R9981]") {
  canned wire;
  const world w;
  for (const version v : both) {
    wire.response = w.ask(v, put, session);
    const Session with{std::nullopt, 5};
    Put request;
    request.item = Item{2, std::nullopt, Colour::red, {}};
    CHECK(wire.client(v).call(&Shop::put, request, with) == 7);
    CHECK(wire.method == "POST");
    const std::string action = "\"" + ns + "/Put\"";
    const headers expected =
        v == version::v1_1
            ? headers{{"Content-Type", "text/xml; charset=utf-8"}, {"SOAPAction", action}}
            : headers{{"Content-Type", "application/soap+xml; charset=utf-8; action=" + action}};
    CHECK(wire.headers == expected);
    const document parsed(wire.body);
    const auto parts = children(parsed.root(), envelope_ns(v), {"Header", "Body"});
    CHECK(children(parts[0], ns, {"Session"}).size() == 1);
    CHECK(children(parts[1], ns, {"Put"}).size() == 1);
  }
}

// --- The description -----------------------------------------------------------------------------

TEST_CASE(
    "the description is valid WSDL 1.1 in XML 1.0 and UTF-8, and the service serves it",
    "[conformance][R0001][R2028][R2029][R4002][R4003][R4004][R4005][R1034]") {
  const description d;
  CHECK(d.text.rfind("<?xml version=\"1.0\" encoding=\"utf-8\"?>", 0) == 0);
  CHECK(d.parsed.root().is(wsdl_ns, "definitions"));
  CHECK_FALSE(contains(d.text, "xmlns:xml="));
  CHECK(schema_errors("tests/schemas/wsdl-all.xsd", {d.text}) == "");
  const auto response = world().send("GET", path + "?WSDL");
  CHECK(response.status == 200);
  CHECK(response.content_type == "text/xml; charset=utf-8");
}

TEST_CASE(
    "the description imports nothing and extends nothing",
    "[conformance][R2001][R2002][R2003][R2004][R2005][R2007][R2008][R2009][R2010][R2011][R2022]"
    "[R2025][R2026][R2803]") {
  const description d;
  CHECK(d.named(wsdl_ns, "import").empty());
  CHECK(d.named(schema_ns, "import").empty());
  CHECK(d.named(schema_ns, "include").empty());
  for (const node each : d.all) {
    const std::string in(each.ns());
    CHECK((in == wsdl_ns || in == soap_ns || in == soap12_binding_ns || in == schema_ns));
    CHECK_FALSE(each.attribute(wsdl_ns, "required").has_value());
  }
}

TEST_CASE(
    "documentation comes first, then the types, before everything else",
    "[conformance][R2023][R2030]") {
  const description d;
  std::vector<std::string> order;
  for (node child = d.parsed.root().first_child(); child; child = child.next_sibling())
    if (order.empty() || order.back() != child.local()) order.emplace_back(child.local());
  CHECK(
      order == std::vector<std::string>{
                   "documentation", "types", "message", "portType", "binding", "service"});
  for (const node each : d.named(wsdl_ns, "documentation"))
    CHECK(each.parent().first_child() == each);
}

TEST_CASE(
    "the schema is XML Schema 1.0 in the description's namespace, and every name resolves",
    "[conformance][R2101][R2102][R2105][R2114][R2800][R2801]") {
  const description d;
  REQUIRE(d.named(schema_ns, "schema").size() == 1);
  CHECK(value_of(d.named(schema_ns, "schema")[0], "targetNamespace") == ns);
  CHECK(value_of(d.parsed.root(), "targetNamespace") == ns);
  for (const node each : d.all) {
    for (const char* name : {"type", "base", "element", "message", "binding"}) {
      const auto said = each.attribute("", name);
      if (!said) continue;
      const auto qname = resolve(each, *said);
      const bool of_schema = each.ns() == schema_ns;
      CHECK((qname.ns == ns || (of_schema && qname.ns == schema_ns)));
    }
  }
  CHECK(schema_errors("tests/schemas/XMLSchema.xsd", {schema_of_wsdl(d.text)}) == "");
  const scratch_folder folder;
  write_file(folder.path() / "shop.xsd", schema_of_wsdl(d.text));
  CHECK(
      schema_errors(
          folder.path() / "shop.xsd", {add, payload_of(world().ask(version::v1_1, add).body)}) ==
      "");
}

TEST_CASE(
    "lists are wrapped in ArrayOfX, not in SOAP's arrays", "[conformance][R2110][R2111][R2112]") {
  const description d;
  CHECK_FALSE(contains(d.text, "soap/encoding"));
  CHECK_FALSE(contains(d.text, "arrayType"));
  // The name is the one in generated clients: rule 9.
  CHECK(contains(d.text, "name=\"ArrayOfItem\""));
}

TEST_CASE(
    "every message has one part, which is a global element of the schema",
    "[conformance][R2201][R2202][R2204][R2205][R2206][R2208][R2209][R2210][R2306]") {
  const description d;
  const auto globals = d.global_elements();
  for (const node message : d.named(wsdl_ns, "message")) {
    const node part = children(message, wsdl_ns, {"part"})[0];
    CHECK_FALSE(part.attribute("", "type").has_value());
    const auto element = resolve(part, value_of(part, "element"));
    CHECK(element.ns == ns);
    CHECK(std::count(globals.begin(), globals.end(), element.local) == 1);
  }
  CHECK_FALSE(d.soap("body").empty());
  for (const node body : d.soap("body"))
    CHECK_FALSE(body.attribute("", "parts").has_value());
  CHECK_FALSE(d.soap("header").empty());
  for (const node header : d.soap("header")) {
    const node message = d.component("message", header, value_of(header, "message"));
    CHECK(value_of(children(message, wsdl_ns, {"part"})[0], "name") == value_of(header, "part"));
  }
}

TEST_CASE(
    "operations are request and response, each of its own name",
    "[conformance][R2302][R2303][R2304][R2305]") {
  const description d;
  const node port_type = d.named(wsdl_ns, "portType").at(0);
  std::vector<std::string> names;
  for (node each = port_type.first_child(); each; each = each.next_sibling()) {
    CHECK_FALSE(each.attribute("", "parameterOrder").has_value());
    names.push_back(value_of(each, "name"));
    node child = each.first_child();
    if (child.is(wsdl_ns, "documentation")) child = child.next_sibling();
    CHECK(child.is(wsdl_ns, "input"));
    CHECK(child.next_sibling().is(wsdl_ns, "output"));
    CHECK_FALSE(child.next_sibling().next_sibling());
  }
  CHECK(names.size() == 12);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE(
    "each binding is document/literal over HTTP, with all operations and their actions",
    "[conformance][R2401][R2701][R2702][R2705][R2706][R2709][R2710][R2716][R2718][R2720][R2749]"
    "[R2744][R9802]") {
  const description d;
  const node port_type = d.named(wsdl_ns, "portType").at(0);
  const auto bindings = d.named(wsdl_ns, "binding");
  REQUIRE(bindings.size() == 2);
  for (const node binding : bindings) {
    const bool v12 = value_of(binding, "name") == "ShopSoap12";
    const std::string& in = v12 ? soap12_binding_ns : soap_ns;
    CHECK(resolve(binding, value_of(binding, "type")).local == value_of(port_type, "name"));
    node child = binding.first_child();
    REQUIRE(child.is(in, "binding"));
    CHECK(value_of(child, "transport") == "http://schemas.xmlsoap.org/soap/http");
    CHECK((value_of(child, "style") == "(none)" || value_of(child, "style") == "document"));
    node described = port_type.first_child();
    while ((child = child.next_sibling())) {
      REQUIRE(child.is(wsdl_ns, "operation"));
      REQUIRE(described);
      CHECK(value_of(child, "name") == value_of(described, "name"));
      const node operation = child.first_child();
      CHECK(value_of(operation, "soapAction") == ns + "/" + value_of(child, "name"));
      CHECK(value_of(operation, "style") == "document");
      described = described.next_sibling();
    }
    CHECK_FALSE(described);
  }
  for (const char* name : {"body", "header"}) {
    for (const node each : d.soap(name)) {
      CHECK(value_of(each, "use") == "literal");
      CHECK_FALSE(each.attribute("", "namespace").has_value());
      CHECK_FALSE(each.attribute("", "parts").has_value());
    }
  }
  // Two operations never look the same on the wire: each has a request element of its own.
  std::vector<std::string> requests;
  for (const node message : d.named(wsdl_ns, "message"))
    if (value_of(message, "name").find("SoapIn") != std::string::npos)
      requests.push_back(value_of(message.first_child(), "element"));
  std::sort(requests.begin(), requests.end());
  CHECK(requests.size() == 12);
  CHECK(std::adjacent_find(requests.begin(), requests.end()) == requests.end());
}

TEST_CASE(
    "both ports have the address to which the request was sent",
    "[conformance][R2711][R5000][R5001]") {
  for (const char* scheme : {"http", "https"}) {
    const world w;
    const soapsvc::http_header fields[] = {{"Host", "payroll.example.com"}};
    soapsvc::http_request request;
    request.method = "GET";
    const std::string target = path + "?wsdl";
    request.target = target;
    request.headers = fields;
    request.scheme = scheme;
    const std::string text = w.dispatcher.handle(request).body;
    const document parsed(text);
    std::vector<std::string> addresses;
    for (const node each : elements(parsed))
      if (each.local() == "address") addresses.push_back(value_of(each, "location"));
    const std::string expected = scheme + ("://payroll.example.com" + path);
    CHECK(addresses == std::vector<std::string>{expected, expected});
  }
}
