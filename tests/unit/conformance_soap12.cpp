// SOAP 1.2 as a receiving node: the assertions of its test collection (tags [x1-...], [x2-...]) and
// the collection's messages (tags [T1] and so on), through the dispatcher, bytes to bytes. The
// messages are written anew from their descriptions for a document/literal service: what the
// collection puts as text into the Body's child stands in an element of its own, and an empty Body,
// which no wrapped operation has, holds a request without content. Node C of the collection is this
// node. tests/assertions.md lists every assertion.
#include "../support.hpp"

#include <catch2/catch.hpp>

// --- The service ---------------------------------------------------------------------------------

/// The header block that is answered with its own text.
struct EchoOk {
  std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<EchoOk> = record("echoOk", field("text", &EchoOk::text));

/// The header block that an operation cannot do without.
struct RequiredHeader {
  std::string text;
};
template <>
inline constexpr auto soapsvc::schema<RequiredHeader> =
    record("requiredHeader", field("text", &RequiredHeader::text));

/// The header block that asks for two letters.
struct ValidateCountryCode {
  std::string code;
};
template <>
inline constexpr auto soapsvc::schema<ValidateCountryCode> =
    record("validateCountryCode", field("code", &ValidateCountryCode::code));

/// Why a header block was refused.
struct CountryCodeFault {
  std::string text;
};
template <>
inline constexpr auto soapsvc::schema<CountryCodeFault> =
    record("validateCountryCodeFault", field("text", &CountryCodeFault::text));

/// The received header block and Body.
struct Echoed {
  std::optional<std::string> header;
  std::optional<std::string> body;
};
template <>
inline constexpr auto soapsvc::schema<Echoed> =
    record("Echoed", field("header", &Echoed::header), field("body", &Echoed::body));

/// Request of echo.
struct EchoRequest {
  std::optional<std::string> text;
};
template <>
inline constexpr auto soapsvc::schema<EchoRequest> = record(field("text", &EchoRequest::text));

/// The collection's SOAPStruct.
struct SoapStruct {
  std::int32_t var_int{};
  float var_float{};
  std::string var_string;
};
template <>
inline constexpr auto soapsvc::schema<SoapStruct> = record(
    "SOAPStruct",
    field("varInt", &SoapStruct::var_int),
    field("varFloat", &SoapStruct::var_float),
    field("varString", &SoapStruct::var_string));

/// The collection's SOAPStructStruct.
struct SoapStructStruct {
  std::int32_t var_int{};
  float var_float{};
  std::string var_string;
  SoapStruct var_struct;
};
template <>
inline constexpr auto soapsvc::schema<SoapStructStruct> = record(
    "SOAPStructStruct",
    field("varInt", &SoapStructStruct::var_int),
    field("varFloat", &SoapStructStruct::var_float),
    field("varString", &SoapStructStruct::var_string),
    field("varStruct", &SoapStructStruct::var_struct));

/// The collection's SOAPArrayStruct.
struct SoapArrayStruct {
  std::int32_t var_int{};
  float var_float{};
  std::string var_string;
  std::vector<std::string> var_array;
};
template <>
inline constexpr auto soapsvc::schema<SoapArrayStruct> = record(
    "SOAPArrayStruct",
    field("varInt", &SoapArrayStruct::var_int),
    field("varFloat", &SoapArrayStruct::var_float),
    field("varString", &SoapArrayStruct::var_string),
    field("varArray", &SoapArrayStruct::var_array));

/// Three values side by side, as a result.
struct SimpleTypes {
  std::int32_t output_int{};
  float output_float{};
  std::string output_string;
};
template <>
inline constexpr auto soapsvc::schema<SimpleTypes> = record(
    "SimpleTypes",
    field("outputInt", &SimpleTypes::output_int),
    field("outputFloat", &SimpleTypes::output_float),
    field("outputString", &SimpleTypes::output_string));

/// Three values side by side, as a request.
struct ThreeInputs {
  std::int32_t input_int{};
  float input_float{};
  std::string input_string;
};
template <>
inline constexpr auto soapsvc::schema<ThreeInputs> = record(
    field("inputInt", &ThreeInputs::input_int),
    field("inputFloat", &ThreeInputs::input_float),
    field("inputString", &ThreeInputs::input_string));

/// A request with one value, or many, in the element `input`.
template <class Value> struct Input { Value input{}; };
template <class Value>
inline constexpr auto soapsvc::schema<Input<Value>> = record(field("input", &Input<Value>::input));

/// Node C of the collection. Its namespace is http://example.org/ts-tests.
class NodeC {
public:
  Echoed echo(const EchoRequest& request, const std::optional<EchoOk>& header) {
    ++calls;
    return {header ? header->text : std::nullopt, request.text};
  }
  std::string echo_header(const soapsvc::nothing&, const RequiredHeader& header) {
    ++calls;
    return header.text;
  }
  void return_void() { ++calls; }
  void validate(const soapsvc::nothing&, const ValidateCountryCode& header) {
    ++calls;
    const soapsvc::fault refused(soapsvc::fault_code::client, "Not a valid country code");
    if (header.code.size() != 2)
      throw refused.with(CountryCodeFault{"Country code must be 2 letters."}).about_header_block();
  }
  template <class Value> Value same(const Input<Value>& request) {
    ++calls;
    return request.input;
  }
  SimpleTypes apart(const Input<SoapStruct>& request) {
    const SoapStruct& all = request.input;
    return {all.var_int, all.var_float, all.var_string};
  }
  SoapStruct together(const ThreeInputs& request) {
    return {request.input_int, request.input_float, request.input_string};
  }
  std::int32_t count(const Input<std::vector<std::string>>& request) {
    return static_cast<std::int32_t>(request.input.size());
  }
  bool is_nil(const Input<std::optional<std::string>>& request) {
    return !request.input.has_value();
  }
  void sender_fault(const Input<std::optional<std::string>>&) {
    throw soapsvc::fault(soapsvc::fault_code::client, "This is a Sender fault.")
        .with_subcode("Refused");
  }
  void receiver_fault(const Input<std::optional<std::string>>&) {
    throw soapsvc::fault(soapsvc::fault_code::server, "This is a Receiver fault.");
  }

  std::atomic<int> calls{0};
};
template <>
inline constexpr auto soapsvc::schema<NodeC> = service(
    "ts-tests",
    operation("echo", &NodeC::echo),
    operation("echoHeader", &NodeC::echo_header),
    operation("returnVoid", &NodeC::return_void),
    operation("validate", &NodeC::validate),
    operation("echoStruct", &NodeC::same<SoapStruct>),
    operation("echoStructArray", &NodeC::same<std::vector<SoapStruct>>),
    operation("echoStructAsSimpleTypes", &NodeC::apart),
    operation("echoSimpleTypesAsStruct", &NodeC::together),
    operation("echoNestedStruct", &NodeC::same<SoapStructStruct>),
    operation("echoNestedArray", &NodeC::same<SoapArrayStruct>),
    operation("echoFloatArray", &NodeC::same<std::vector<float>>),
    operation("echoStringArray", &NodeC::same<std::vector<std::string>>),
    operation("echoIntegerArray", &NodeC::same<std::vector<std::int32_t>>),
    operation("echoBase64", &NodeC::same<soapsvc::binary>),
    operation("echoBoolean", &NodeC::same<bool>),
    operation("echoDate", &NodeC::same<soapsvc::date>),
    operation("echoDateTime", &NodeC::same<soapsvc::date_time>),
    operation("echoDecimal", &NodeC::same<soapsvc::decimal>),
    operation("echoFloat", &NodeC::same<float>),
    operation("echoInteger", &NodeC::same<std::int32_t>),
    operation("echoString", &NodeC::same<std::optional<std::string>>),
    operation("countItems", &NodeC::count),
    operation("isNil", &NodeC::is_nil),
    operation("echoSenderFault", &NodeC::sender_fault),
    operation("echoReceiverFault", &NodeC::receiver_fault));

using namespace support;

namespace {

const std::string ts = "http://example.org/ts-tests";
const std::string roles = soap12_ns + "/role/";
const std::string soap_encoding = "http://www.w3.org/2003/05/soap-encoding";
const std::string no_encoding = soap12_ns + "/encoding/none";

/// A dispatcher with NodeC at /c.
struct node_c {
  node_c() : dispatcher(options()) { dispatcher.add(service, "/c"); }

  soapsvc::http_response post(
      const std::string& message,
      const std::string& type = "application/soap+xml; charset=utf-8") const {
    const soapsvc::http_header fields[] = {{"Content-Type", type}};
    soapsvc::http_request request;
    request.target = "/c";
    request.headers = fields;
    request.body = message;
    return carry(dispatcher, request);
  }
  /// Posts a 1.2 envelope with the prefixes env and test.
  soapsvc::http_response ask(const std::string& header, const std::string& body) const {
    return post(message(header, body));
  }
  static std::string message(const std::string& header, const std::string& body) {
    return "<?xml version='1.0'?>\n" + bare(header, body);
  }
  static std::string bare(const std::string& header, const std::string& body) {
    return "<env:Envelope xmlns:env=\"" + soap12_ns + "\" xmlns:test=\"" + ts +
           "\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
           " xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:enc=\"" +
           soap_encoding + "\">\n" +
           (header.empty() ? "" : "<env:Header>\n" + header + "\n</env:Header>\n") +
           "<env:Body>\n" + body + "\n</env:Body>\n</env:Envelope>";
  }

  NodeC service;
  soapsvc::dispatcher dispatcher;

private:
  static soapsvc::dispatcher_options options() {
    soapsvc::dispatcher_options made;
    made.ns_base = "http://example.org";
    return made;
  }
};

/// A header block of the collection's namespace.
std::string block(
    const std::string& name,
    const std::string& attributes = "",
    const std::string& content = "<test:text>foo</test:text>") {
  return "<test:" + name + " " + attributes + ">" + content + "</test:" + name + ">";
}
std::string role(const std::string& uri) { return " env:role='" + uri + "'"; }
std::string must(const std::string& value) { return " env:mustUnderstand='" + value + "'"; }
std::string style(const std::string& uri) { return " env:encodingStyle='" + uri + "'"; }

const std::string nothing_in_body = "<test:echo/>";
const std::string bar_in_body = "<test:echo><test:text>bar</test:text></test:echo>";

/// The result of a successful response, as canonical text; throws for a fault. The response
/// has no Header, one child in its Body, and no attribute of SOAP's anywhere.
std::string result(const soapsvc::http_response& response, const std::string& operation) {
  if (response.status != 200) wrong("no success: " + response.body);
  if (response.content_type != content_type(version::v1_2)) wrong("media type");
  if (contains(response.body, "encodingStyle")) wrong("an encodingStyle");
  const document parsed(response.body);
  if (!parsed.root().is(soap12_ns, "Envelope")) wrong("the root");
  const node body = children(parsed.root(), soap12_ns, {"Body"})[0];
  const node wrapper = children(body, ts, {operation + "Response"})[0];
  const node value = children(wrapper, ts, {operation + "Result?"})[0];
  std::string text;
  if (value) append_canonical(value, 0, text);
  return text;
}

/// The result of `echo` for the message: "header/body", "-" for absent.
std::string echoed(const soapsvc::http_response& response) {
  result(response, "echo");
  const document parsed(response.body);
  const node wrapper = children(parsed.root(), soap12_ns, {"Body"})[0].first_child();
  const auto parts = children(wrapper.first_child(), ts, {"header?", "body?"});
  const auto text = [](node part) { return part ? std::string(part.text()) : "-"; };
  return text(parts[0]) + "/" + text(parts[1]);
}

/// The code and status of a fault, such as "Sender 400"; fault_of checks how it is built.
std::string code(const soapsvc::http_response& response) {
  return fault_of(response).code + " " + std::to_string(response.status);
}

}  // namespace

// --- Roles (part 1, 2.2, 2.4 and 5.2.2) ----------------------------------------------------------

TEST_CASE(
    "a header block for next, for the ultimate receiver or without a role is processed",
    "[conformance][T1][T3][T4][T9][T78][T79][x1-soaproles-next][x1-soaproles-ur]"
    "[x1-soaprole-prop][x1-soaprole-omit][x1-soaprole-acceptur][x1-procsoapmsgs-headerspec]"
    "[x1-soapmu-omit]") {
  const node_c c;
  for (const std::string& to : {role(roles + "next"), role(roles + "ultimateReceiver"), {}}) {
    INFO(to);
    CHECK(echoed(c.ask(block("echoOk", to), nothing_in_body)) == "foo/-");
    CHECK(echoed(c.ask(block("echoOk", to + must("true")), bar_in_body)) == "foo/bar");
  }
  CHECK(echoed(c.ask(block("echoOk", role(" " + roles + "next\n")), bar_in_body)) == "foo/bar");
}

TEST_CASE(
    "a header block for none is not processed, even a mandatory one",
    "[conformance][T8][T18][T19][x1-soaproles-none]") {
  const node_c c;
  const std::string none = role(roles + "none");
  for (const std::string& mandatory : {std::string(), must("true"), must("1"), must("0")}) {
    CHECK(echoed(c.ask(block("echoOk", none + mandatory), bar_in_body)) == "-/bar");
    CHECK(echoed(c.ask(block("Unknown", none + mandatory), bar_in_body)) == "-/bar");
  }
  // As node B sends it: one block for this node, one for no node.
  const std::string both_blocks =
      block("echoOk") + block("echoOk", none, "<test:text>other</test:text>");
  CHECK(echoed(c.ask(both_blocks, bar_in_body)) == "foo/bar");
  const auto response =
      c.ask(block("requiredHeader", none + must("true")), "<test:echoHeader></test:echoHeader>");
  CHECK(code(response) == "Sender 400");
}

TEST_CASE(
    "a header block for a role that this node does not have is ignored, even a mandatory one",
    "[conformance][T2][T5][T6][T15][T16][T21][T38][x1-muprocessing-ur][x1-soaproles-invariant]["
    "role]") {
  const node_c c;
  for (const std::string& to :
       {ts + "/B", ts + "/C", roles + "NEXT", roles + "nextt", roles, std::string("next")}) {
    for (const std::string& mandatory : {std::string(), must("true"), must("1"), must("0")}) {
      INFO(to);
      CHECK(echoed(c.ask(block("echoOk", role(to) + mandatory), bar_in_body)) == "-/bar");
      CHECK(echoed(c.ask(block("Unknown", role(to) + mandatory), bar_in_body)) == "-/bar");
    }
  }
  const std::string two =
      block("Unknown", must("1") + role(ts + "/B")) + block("echoOk", role(ts + "/C"));
  CHECK(echoed(c.ask(two, bar_in_body)) == "-/bar");
}

TEST_CASE(
    "a message that intermediaries changed is processed like any other",
    "[conformance][T7][T62][XMLP-13][XMLP-14][XMLP-15][XMLP-16][XMLP-17][XMLP-18]"
    "[x1-relayable-behavior][x1-soaprelay-prop]") {
  const node_c c;
  CHECK(echoed(c.ask("", nothing_in_body)) == "-/-");
  CHECK(echoed(c.ask("<!-- all taken out -->", bar_in_body)) == "-/bar");
  CHECK(
      echoed(c.ask(block("echoOk", must("1"), "<test:text>ab</test:text>"), nothing_in_body)) ==
      "ab/-");
  const std::string ask = "<test:echoString><test:input>Hello</test:input></test:echoString>";
  const std::string same = "{" + ts + "}echoStringResult \"Hello\"\n";
  CHECK(result(c.ask("", ask), "echoString") == same);
  for (const char* to : {"next", "none", "ultimateReceiver"})
    for (const char* relay : {"", " env:relay='true'"})
      CHECK(result(c.ask(block("Unknown", role(roles + to) + relay), ask), "echoString") == same);
}

TEST_CASE(
    "role, mustUnderstand and relay are ignored except on header blocks",
    "[conformance][T74][x1-soaprole-ignore][x1-soapmu-ignore][x1-soaprelay-ignore][mustUnderstand]["
    "role]") {
  const node_c c;
  for (const std::string& said :
       {must("1") + role(roles + "next"),
        must("nonsense") + role("urn:x") + " env:relay='nonsense'"}) {
    const std::string inner = "<test:raiseFault" + said + "/>";
    const std::string blocks = block("echoOk", role(roles + "next")) + block("Unknown", "", inner);
    CHECK(echoed(c.ask(blocks, bar_in_body)) == "foo/bar");
    const std::string in_block = "<test:text" + said + ">foo</test:text>";
    CHECK(echoed(c.ask(block("echoOk", "", in_block), bar_in_body)) == "foo/bar");
    const std::string body =
        "<test:echo" + said + "><test:text" + said + ">bar</test:text></test:echo>";
    CHECK(echoed(c.ask("", body)) == "-/bar");
  }
}

// --- mustUnderstand (part 1, 2.4, 2.6 and 5.2.3) -------------------------------------------------

TEST_CASE(
    "an unknown header block that is not mandatory is ignored",
    "[conformance][T10][T11][T37][T40][x1-soapmu-acceptfalse][x1-useofuris-ipv6]") {
  const node_c c;
  const std::string ur = role(roles + "ultimateReceiver");
  for (const std::string& said :
       {ur, ur + must("false"), ur + must("0"), must(" false "), must("\t0\n"), std::string()})
    CHECK(echoed(c.ask(block("Unknown", said), nothing_in_body)) == "-/-");
  const std::string ipv6 = "http://[FEDC:BA98:7654:3210:FEDC:BA98:7654:3210]/ts-tests";
  const std::string foreign =
      "<f:Unknown xmlns:f='" + ipv6 + "'" + must("false") + ">foo</f:" + "Unknown>";
  CHECK(echoed(c.ask(foreign, bar_in_body)) == "-/bar");
  CHECK(echoed(c.ask(block("Unknown", role(ipv6) + must("1")), bar_in_body)) == "-/bar");
  const std::string needed = "<f:Unknown xmlns:f='" + ipv6 + "'" + must("1") + "/>";
  CHECK(
      fault_of(c.ask(needed, bar_in_body)).not_understood ==
      std::vector<soapsvc::qualified_name>{{ipv6, "Unknown"}});
}

TEST_CASE(
    "a mandatory header block that is not understood is a MustUnderstand fault that names it",
    "[conformance][T12][T13][T17][T35][T36][XMLP-6][XMLP-19][x1-muprocessing-true]"
    "[x1-soapnotunderstood-prop][x1-soapqnamenu-prop][x1-soapmu-prop][x1-soapmu-allrep]["
    "mustUnderstand]") {
  const node_c c;
  for (const std::string& to : {role(roles + "next"), role(roles + "ultimateReceiver"), {}}) {
    for (const char* said : {"1", "true", " 1 ", "\ttrue\n"}) {
      const auto response = c.ask(block("Unknown", to + must(said)), bar_in_body);
      CHECK(code(response) == "MustUnderstand 500");
      const auto facts = fault_of(response);
      CHECK(facts.not_understood == std::vector<soapsvc::qualified_name>{{ts, "Unknown"}});
      CHECK_FALSE(facts.has_detail);
      const document parsed(response.body);
      const node header = children(parsed.root(), soap12_ns, {"Header", "Body"})[0];
      const node named = children(header, soap12_ns, {"NotUnderstood"})[0];
      CHECK_FALSE(named.attribute(soap12_ns, "encodingStyle").has_value());
      CHECK(named.attribute("", "qname").has_value());
    }
  }
  CHECK(c.service.calls == 0);
}

TEST_CASE(
    "mustUnderstand and relay have the lexical forms of a boolean, and no others",
    "[conformance][T14][T23][T38][T39][x1-reltoxml-lexicalform][x1-soaprelay-allrep]"
    "[x1-soaprelay-acceptfalse][x1-soaprelay-omit][x1-procsoapmsgs-fault][mustUnderstand]") {
  const node_c c;
  for (const char* said : {"1", "true", "0", "false", " 1", "0 ", "\n true \t"}) {
    CHECK(echoed(c.ask(block("echoOk", must(said)), bar_in_body)) == "foo/bar");
    const std::string relay = " env:relay='" + std::string(said) + "'";
    CHECK(echoed(c.ask(block("echoOk", relay), bar_in_body)) == "foo/bar");
    CHECK(echoed(c.ask(block("Unknown", relay), bar_in_body)) == "-/bar");
  }
  for (const char* said : {"wrong", "9", "", "TRUE", "01", "yes"}) {
    INFO(said);
    CHECK(code(c.ask(block("echoOk", must(said)), bar_in_body)) == "Sender 400");
    CHECK(code(c.ask(block("Unknown", must(said)), bar_in_body)) == "Sender 400");
    const std::string relay = " env:relay='" + std::string(said) + "'";
    CHECK(code(c.ask(block("Unknown", relay), bar_in_body)) == "Sender 400");
  }
  // One fault for two mistakes: fault_of refuses a Body with more than one.
  const auto response =
      c.ask(block("Unknown", must("1")) + block("echoOk", must("wrong")), nothing_in_body);
  CHECK(code(response) == "Sender 400");
}

TEST_CASE(
    "a mandatory header block and the Body are both processed",
    "[conformance][T22][x1-soapnodes-procmodel][x1-structinterpbodies-ur][x1-procsoapmsgs-body]"
    "[x1-soaphead-prop][x1-soapbody-prop][mustUnderstand]") {
  const node_c c;
  CHECK(echoed(c.ask(block("echoOk", must("1")), bar_in_body)) == "foo/bar");
  CHECK(c.service.calls == 1);
}

TEST_CASE(
    "mandatory header blocks are checked before the Body is processed or refused",
    "[conformance][x1-procsoapmsgs-steps][x1-procsoapmsgs-faultchoice][mustUnderstand]") {
  const node_c c;
  const std::string blocks = block("echoOk", must("1")) + block("Unknown", must("1"));
  for (const std::string& body :
       {bar_in_body,
        std::string(),
        std::string("text"),
        std::string("<test:DoesNotExist/>"),
        std::string("<test:echo><test:wrong/></test:echo>"),
        "<test:echo" + style("urn:x") + "/>",
        bar_in_body + bar_in_body})
    CHECK(code(c.ask(blocks, body)) == "MustUnderstand 500");
  CHECK(c.service.calls == 0);
}

TEST_CASE(
    "an attribute of the other version's namespace makes no header block mandatory",
    "[conformance][T34][x1-envvermodel-msgversion][mustUnderstand]") {
  const node_c c;
  const std::string old = "xmlns:old='" + soap11_ns + "' old:mustUnderstand='1'";
  CHECK(echoed(c.ask(block("Unknown", old), bar_in_body)) == "-/bar");
  const std::string newer =
      "<t:Unknown xmlns:t='urn:t' xmlns:n='" + soap12_ns + "' n:mustUnderstand='true'/>";
  const std::string message = "<e:Envelope xmlns:e='" + soap11_ns + "'><e:Header>" + newer +
                              "</e:Header><e:Body><echo xmlns='" + ts + "'/></e:Body></e:Envelope>";
  CHECK(c.post(message, "text/xml").status == 200);
}

TEST_CASE(
    "header blocks that are echoed, ignored or refused by role and mustUnderstand",
    "[conformance][SBR2-echoMeStringRequest][SBR2-echoMeStructRequest][SBR2-echoMeUnknown]["
    "mustUnderstand][role]") {
  const node_c c;
  const std::string other = role("http://example.org/some/other/role");
  const std::string next = role(roles + "next");
  for (const char* mandatory : {"", " env:mustUnderstand='1'"}) {
    CHECK(echoed(c.ask(block("echoOk", next + mandatory), nothing_in_body)) == "foo/-");
    CHECK(echoed(c.ask(block("echoOk", other + mandatory), nothing_in_body)) == "-/-");
    CHECK(echoed(c.ask(block("echoMeUnknown", other + mandatory), nothing_in_body)) == "-/-");
  }
  CHECK(echoed(c.ask(block("echoMeUnknown", next), nothing_in_body)) == "-/-");
  CHECK(
      code(c.ask(block("echoMeUnknown", next + must("1")), nothing_in_body)) ==
      "MustUnderstand 500");
  // The collection writes `encodingstyle`, which SOAP does not define.
  CHECK(echoed(c.ask("", "<test:echo env:encodingstyle='" + soap_encoding + "'/>")) == "-/-");
}

TEST_CASE(
    "a required header block is read, and its absence is a fault",
    "[conformance][T32][x2-rpcsoaphead-hb]") {
  const node_c c;
  const std::string ask = "<test:echoHeader></test:echoHeader>";
  CHECK(
      result(c.ask(block("requiredHeader", must("true")), ask), "echoHeader") ==
      "{" + ts + "}echoHeaderResult \"foo\"\n");
  CHECK(code(c.ask("", ask)) == "Sender 400");
}

TEST_CASE("a header block may be refused for its content", "[conformance][T63]") {
  const node_c c;
  const auto ask = [&c](const std::string& said) {
    const std::string inside = "<test:code>" + said + "</test:code>";
    return c.ask(block("validateCountryCode", must("1"), inside), "<test:validate/>");
  };
  CHECK(ask("NL").status == 200);
  CHECK(code(ask("ABCD")) == "Sender 400");
  CHECK(contains(fault_of(ask("ABCD")).detail, "validateCountryCodeFault"));
}

TEST_CASE(
    "a header block is in a namespace and may hold text, children and attributes of any kind",
    "[conformance][x1-soapheadblock-prop]") {
  const node_c c;
  for (const char* inside : {"", " text ", "<a/>", "<a b='c'>x</a> y <test:z/>"})
    CHECK(echoed(c.ask(block("Unknown", "a='b' test:c='d'", inside), bar_in_body)) == "-/bar");
  CHECK(code(c.ask("<Unknown/>", bar_in_body)) == "Sender 400");
  CHECK(code(c.ask("stray text", bar_in_body)) == "Sender 400");
}

// --- The envelope (part 1, 2.8, 5 to 5.3 and appendix A) -----------------------------------------

TEST_CASE(
    "an envelope of an unknown namespace is a VersionMismatch that says what is supported",
    "[conformance][T24][T30][TH3][x1-envvermodel-fault][x1-envvermodel-permsg][x1-soapupgrade-prop]"
    "[x1-soapsupportedenv-prop][x1-soapqnamesu-prop][VersionMismatch]") {
  const node_c c;
  for (const std::string& ns_of_root :
       {std::string("http://example.org/wrong-version/"),
        std::string("http://schemas.xmlsoap.org/soap/envelope"),
        std::string("http://www.w3.org/2001/12/soap-envelope")}) {
    const auto response = c.post(
        "<env:Envelope xmlns:env='" + ns_of_root + "'><env:Body><t:echo xmlns:t='" + ts +
        "'/></env:Body></env:Envelope>");
    CHECK(code(response) == "VersionMismatch 500");
    const std::vector<soapsvc::qualified_name> supported = {
        {soap12_ns, "Envelope"}, {soap11_ns, "Envelope"}};
    CHECK(fault_of(response).upgrade == supported);
    const document parsed(response.body);
    const node header = children(parsed.root(), soap12_ns, {"Header", "Body"})[0];
    const node upgrade = children(header, soap12_ns, {"Upgrade"})[0];
    CHECK_FALSE(upgrade.attribute(soap12_ns, "encodingStyle").has_value());
  }
  // One message does not affect the next.
  CHECK(echoed(c.ask("", bar_in_body)) == "-/bar");
}

TEST_CASE(
    "a 1.1 message is processed as 1.1",
    "[conformance][T30][XMLP-5][x1-version-soap11][x1-envvermodel-msgversion]") {
  const node_c c;
  const std::string encoded = " env:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'";
  const auto response = c.post(
      "<env:Envelope xmlns:env='" + soap11_ns + "'><env:Body" + encoded + "><returnVoid xmlns='" +
          ts + "'/></env:Body></env:Envelope>",
      "text/xml; charset=utf-8");
  CHECK(response.status == 200);
  CHECK(response.content_type == "text/xml; charset=utf-8");
  const document parsed(response.body);
  CHECK(parsed.root().is(soap11_ns, "Envelope"));
}

TEST_CASE(
    "a document type declaration is a Sender fault",
    "[conformance][T25][T64][T65][x1-soapenv-dtd][x1-soapenv-docprop][dtd]") {
  const node_c c;
  for (const char* declaration :
       {"<!DOCTYPE env:Envelope SYSTEM \"env.dtd\"[]>",
        "<!DOCTYPE foo [ <!NOTATION x SYSTEM 'http://www.iana.org/x'> ]>",
        "<!DOCTYPE foo [ <!ELEMENT Envelope (Body) > <!ENTITY a 'b'> ]>"})
    CHECK(
        code(c.post("<?xml version='1.0'?>" + (declaration + node_c::bare("", bar_in_body)))) ==
        "Sender 400");
}

TEST_CASE(
    "a processing instruction is a Sender fault wherever it stands",
    "[conformance][T26][x1-soapenv-pi]") {
  const node_c c;
  const std::string style_sheet =
      "<?xml-stylesheet href='http://example.org/ts-tests/sub.xsl' type='text/xsl'?>";
  const std::string text = node_c::bare(block("echoOk"), bar_in_body);
  CHECK(code(c.post(style_sheet + text)) == "Sender 400");
  CHECK(code(c.post(text + style_sheet)) == "Sender 400");
  for (const char* place : {"<env:Header>", "<env:Body>", "<test:echoOk >", "<test:text>foo"}) {
    std::string inside = text;
    inside.insert(inside.find(place) + std::string(place).size(), style_sheet);
    INFO(inside);
    CHECK(code(c.post(inside)) == "Sender 400");
  }
}

TEST_CASE(
    "encoding and standalone of the XML declaration do not matter",
    "[conformance][T66][T67][x1-soapenv-docprop]") {
  const node_c c;
  for (const char* declaration :
       {"<?xml version='1.0' encoding='UTF-8'?>",
        "<?xml version='1.0' standalone='yes'?>",
        "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>",
        // Widespread serializers of Java write this one always; nothing depends on it.
        "<?xml version='1.0' encoding='UTF-8' standalone='no'?>",
        ""})
    CHECK(
        echoed(c.post(
            declaration + node_c::bare(block("echoOk", role(roles + "next")), bar_in_body))) ==
        "foo/bar");
}

TEST_CASE(
    "white space and comments between SOAP's elements do not matter",
    "[conformance][T68][x1-soapenv-diichild]") {
  const node_c c;
  const std::string text = "<!-- a --> <env:Envelope\n xmlns:env='" + soap12_ns +
                           "' >\n\t<!-- b --><env:Header >\r\n <t:echoOk xmlns:t='" + ts + "'" +
                           role(roles + "next") +
                           " ><t:text>foo</t:text>\n</t:echoOk > </env:Header> <!-- c --> "
                           "<env:Body> <t:echo xmlns:t='" +
                           ts + "' /> <!-- d --> </env:Body>\n</env:Envelope>\n<!-- e -->\n";
  CHECK(echoed(c.post(text)) == "foo/-");
}

TEST_CASE(
    "an envelope without Body, or with more than Header and Body, is a Sender fault",
    "[conformance][T69][T70][TH2][x1-soapenvelope-prop][x1-envvermodel-fault]") {
  const node_c c;
  const auto raw = [&c](const std::string& inside) {
    return c.post(
        "<env:Envelope xmlns:env='" + soap12_ns + "' xmlns:test='" + ts + "'>" + inside +
        "</env:Envelope>");
  };
  const std::string header = "<env:Header>" + block("echoOk") + "</env:Header>";
  const std::string body = "<env:Body>" + bar_in_body + "</env:Body>";
  CHECK(echoed(raw(header + body)) == "foo/bar");
  for (const std::string& inside :
       {header,
        std::string(),
        header + body + "<Trailer></Trailer>",
        header + body + "<test:Trailer/>",
        body + header,
        header + header + body,
        body + body,
        "<test:Extra/>" + header + body,
        header + "text" + body}) {
    INFO(inside);
    CHECK(code(raw(inside)) == "Sender 400");
  }
}

TEST_CASE(
    "attributes of Envelope, Header and Body are in a namespace",
    "[conformance][T71][x1-soapenvelope-prop][x1-soaphead-prop][x1-soapbody-prop]") {
  const node_c c;
  const std::string text = node_c::bare(block("echoOk"), bar_in_body);
  for (const char* place : {"<env:Envelope", "<env:Header", "<env:Body"}) {
    std::string plain = text;
    plain.insert(plain.find(place) + std::string(place).size(), " attr1='a-value'");
    CHECK(code(c.post(plain)) == "Sender 400");
    std::string qualified = text;
    qualified.insert(qualified.find(place) + std::string(place).size(), " x:a='b' xmlns:x='urn:x'");
    CHECK(echoed(c.post(qualified)) == "foo/bar");
  }
}

TEST_CASE(
    "a message without any attribute of SOAP is served", "[conformance][x1-reltoxml-noschema]") {
  const node_c c;
  const std::string text = "<Envelope xmlns='" + soap12_ns + "'><Body><echo xmlns='" + ts +
                           "'><text>bar</text></echo></Body></Envelope>";
  CHECK(echoed(c.post(text)) == "-/bar");
}

// --- encodingStyle (part 1, 5.1.1; part 2, 3 and 4) ----------------------------------------------

TEST_CASE(
    "encodingStyle is a Sender fault on Header or Body, and is accepted on the Envelope",
    "[conformance][T28][T72][x1-soapencattr-restrictions][encodingStyle]") {
  const node_c c;
  const std::string text = node_c::bare(block("echoOk"), bar_in_body);
  const auto with = [&text](const std::string& place) {
    std::string said = text;
    return said.insert(said.find(place) + place.size(), style(soap_encoding));
  };
  CHECK(code(c.post(with("<env:Body"))) == "Sender 400");
  CHECK(code(c.post(with("<env:Header"))) == "Sender 400");
  CHECK(echoed(c.post(with("<env:Envelope"))) == "foo/bar");  // decided, see rule 6
}

TEST_CASE(
    "an unknown encoding is DataEncodingUnknown wherever it applies",
    "[conformance][T73][T80][XMLP-9][x1-soapencattr-prop][x1-soapencattr-scope]"
    "[x1-soapencattr-none]") {
  const node_c c;
  const auto ask = [&c](const std::string& on_request, const std::string& on_value) {
    return c.ask(
        "",
        "<test:echoString" + on_request + "><test:input" + on_value +
            " xsi:type='xsd:string'>hello world</test:input></test:echoString>");
  };
  const std::string same = "{" + ts + "}echoStringResult \"hello world\"\n";
  for (const std::string& none : {std::string(), style(no_encoding), style(" " + no_encoding)}) {
    CHECK(result(ask(none, ""), "echoString") == same);
    CHECK(result(ask("", none), "echoString") == same);
    CHECK(result(ask(none, none), "echoString") == same);
    for (const std::string& other :
         {soap_encoding,
          std::string("http://example.org/PoisonEncoding"),
          std::string("unknown"),
          std::string("http://schemas.xmlsoap.org/soap/encoding/")}) {
      INFO(other);
      CHECK(code(ask(style(other), none)) == "DataEncodingUnknown 500");
      CHECK(code(ask(none, style(other))) == "DataEncodingUnknown 500");
      CHECK(code(c.ask(block("echoOk", style(other)), bar_in_body)) == "DataEncodingUnknown 500");
      CHECK(echoed(c.ask(block("Unknown", style(other)), bar_in_body)) == "-/bar");
    }
  }
}

namespace {

/// A message of the collection that carries values.
struct values_case {
  const char* operation;
  std::string request;  ///< with the prefix test
  std::string expected;  ///< the result, canonical, {} for the namespace of the service
};

/// The literal message gets its values back; the same with SOAP's encoding in force is refused.
void check_values(const node_c& c, const values_case& which) {
  INFO(which.operation);
  const std::string name = "test:" + std::string(which.operation);
  const auto ask = [&](const std::string& attributes) {
    return c.ask("", "<" + name + attributes + ">" + which.request + "</" + name + ">");
  };
  std::string expected;
  for (std::size_t at = 0; at != which.expected.size(); ++at) {
    const bool here = which.expected.compare(at, 2, "{}") == 0;
    expected += here ? "{" + ts + "}" : which.expected.substr(at, 1);
    if (here) ++at;
  }
  CHECK(result(ask(""), which.operation) == expected);
  CHECK(code(ask(style(soap_encoding))) == "DataEncodingUnknown 500");
}

std::string value(const std::string& name, const std::string& type, const std::string& text) {
  return "<test:" + name + " xsi:type='xsd:" + type + "'>" + text + "</test:" + name + ">";
}

std::string soap_struct(const std::string& name, const std::string& number) {
  return "<test:" + name + " xsi:type='test:SOAPStruct'>" + value("varInt", "int", number) +
         value("varFloat", "float", "0.005") + value("varString", "string", "hello world") +
         "</test:" + name + ">";
}

std::string struct_of(
    const std::string& indent, const std::string& name, const std::string& number) {
  return indent + "{}" + name + "\n" + indent + "  {}varInt \"" + number + "\"\n" + indent +
         "  {}varFloat \"0.005\"\n" + indent + "  {}varString \"hello world\"\n";
}

}  // namespace

TEST_CASE(
    "structs travel literally, and are refused in SOAP's encoding",
    "[conformance][T41][T42][T43][T44][T45][T46][SBR1-echoStruct][SBR1-echoStructArray]"
    "[SBR2-echoStructAsSimpleTypes][SBR2-echoSimpleTypesAsStruct][SBR2-echoNestedStruct]"
    "[SBR2-echoNestedArray][XMLP-4]") {
  const node_c c;
  check_values(
      c, {"echoStruct", soap_struct("input", "42"), struct_of("", "echoStructResult", "42")});
  check_values(
      c,
      {"echoStructArray",
       soap_struct("input", "42") + soap_struct("input", "43"),
       "{}echoStructArrayResult\n" + struct_of("  ", "SOAPStruct", "42") +
           struct_of("  ", "SOAPStruct", "43")});
  check_values(
      c,
      {"echoStructAsSimpleTypes",
       soap_struct("input", "42"),
       "{}echoStructAsSimpleTypesResult\n  {}outputInt \"42\"\n  {}outputFloat \"0.005\"\n"
       "  {}outputString \"hello world\"\n"});
  const std::string number = value("inputInt", "int", "42");
  const std::string fraction = value("inputFloat", "float", "0.005");
  const std::string words = value("inputString", "string", "hello world");
  for (const std::string& order : {number + fraction + words, fraction + number + words})
    check_values(
        c,
        {"echoSimpleTypesAsStruct", order, struct_of("", "echoSimpleTypesAsStructResult", "42")});
  const std::string outer = value("varInt", "int", "42") + value("varFloat", "float", "0.005") +
                            value("varString", "string", "hello world");
  check_values(
      c,
      {"echoNestedStruct",
       "<test:input>" + outer + soap_struct("varStruct", "99") + "</test:input>",
       struct_of("", "echoNestedStructResult", "42") + struct_of("  ", "varStruct", "99")});
  check_values(
      c,
      {"echoNestedArray",
       "<test:input>" + outer + value("varArray", "string", "red") +
           value("varArray", "string", "blue") + "</test:input>",
       struct_of("", "echoNestedArrayResult", "42") +
           "  {}varArray \"red\"\n  {}varArray \"blue\"\n"});
}

TEST_CASE(
    "lists travel literally, and are refused in SOAP's encoding",
    "[conformance][T47][T48][T49][T50][T60][SBR1-echoStringArray][SBR1-echoIntegerArray]"
    "[SBR1-echoFloatArray]") {
  const node_c c;
  check_values(
      c,
      {"echoFloatArray",
       value("input", "float", "0.00000555") + value("input", "float", "12999.9"),
       "{}echoFloatArrayResult\n  {}float \"5.55e-06\"\n  {}float \"12999.9\"\n"});
  for (const char* said : {" xsi:type='xsd:string'", ""})
    check_values(
        c,
        {"echoStringArray",
         "<test:input" + std::string(said) + ">hello</test:input><test:input>world</test:input>",
         "{}echoStringArrayResult\n  {}string \"hello\"\n  {}string \"world\"\n"});
  check_values(
      c,
      {"echoIntegerArray",
       value("input", "int", "100") + value("input", "int", "200"),
       "{}echoIntegerArrayResult\n  {}int \"100\"\n  {}int \"200\"\n"});
  check_values(
      c,
      {"countItems",
       value("input", "string", "hello") + value("input", "string", "world"),
       "{}countItemsResult \"2\"\n"});
}

TEST_CASE(
    "simple values travel literally, and are refused in SOAP's encoding",
    "[conformance][T51][T52][T53][T54][T55][SBR1-echoString][SBR1-echoInteger][SBR1-echoFloat]"
    "[SBR1-echoBase64][SBR1-echoDate][SBR2-echoDecimal][SBR2-echoBoolean][XMLP-10]") {
  const node_c c;
  const auto one = [&c](
                       const char* operation,
                       const char* type,
                       const std::string& sent,
                       const std::string& expected) {
    for (const std::string& said :
         {value("input", type, sent), "<test:input>" + sent + "</test:input>"})
      check_values(
          c, {operation, said, "{}" + std::string(operation) + "Result \"" + expected + "\"\n"});
  };
  one("echoBase64", "base64Binary", "\n YUdWc2JHOGdkMjl5YkdRPQ==\n", "YUdWc2JHOGdkMjl5YkdRPQ==");
  one("echoBoolean", "boolean", "1", "true");
  one("echoBoolean", "boolean", "false", "false");
  one("echoDate", "date", "1956-10-18", "1956-10-18");
  one("echoDateTime", "dateTime", "1956-10-18T22:20:00-07:00", "1956-10-18T22:20:00-07:00");
  one("echoDecimal", "decimal", "123.45678901234567890", "123.45678901234567890");
  one("echoFloat", "float", "0.005", "0.005");
  one("echoInteger", "int", "123", "123");
  one("echoString", "string", "Hello world", "Hello world");
}

TEST_CASE(
    "arrays of SOAP's encoding, hexBinary and returned types are not supported, and are refused",
    "[conformance][T27][T58][T61][SBR2-echo2DStringArray][SBR2-echoHexBinary]") {
  const node_c c;
  const std::string inner = "<test:a><test:b>1</test:b></test:a>";
  for (const char* attributes :
       {"enc:itemType='xsd:string' enc:arraySize='1'",
        "enc:itemType='xsd:int' enc:arraySize='2 *'",
        "enc:itemType='xsd:string' enc:arraySize='2 3'"}) {
    const std::string array =
        "<test:input " + std::string(attributes) + ">" + inner + "</test:input>";
    for (const char* operation : {"echoStringArray", "echoIntegerArray", "countItems"}) {
      const std::string name = "test:" + std::string(operation);
      const auto ask = [&](const std::string& said) {
        return c.ask("", "<" + name + said + ">" + array + "</" + name + ">");
      };
      CHECK(code(ask(style(soap_encoding))) == "DataEncodingUnknown 500");
      // Literally it is an item that holds an element: refused, and never read as empty.
      CHECK(code(ask("")) == "Sender 400");
    }
  }
  const std::string hex = "<test:echoHexBinary" + style(soap_encoding) + "><test:input>6865" +
                          "</test:input></test:echoHexBinary>";
  CHECK(code(c.ask("", hex)) == "Sender 400");
}

TEST_CASE(
    "a reference to content elsewhere is refused, not read as empty",
    "[conformance][T56][T57][T59][T76][x2-refattr-prop][x2-uniqueidconstraints-onlyone]"
    "[x2-uniqueidconstraints-exclusive]") {
  const node_c c;
  const std::string holder =
      block("DataHolder", style(soap_encoding), "<test:Data enc:id='data'>hello</test:Data>");
  for (const char* said : {"enc:ref='data'", "enc:ref='data-2'", "enc:id='a' enc:ref='a'"}) {
    const std::string input = "<test:input xsi:type='xsd:string' " + std::string(said) + "/>";
    const auto ask = [&](const std::string& attributes) {
      return c.ask(holder, "<test:echoString" + attributes + ">" + input + "</test:echoString>");
    };
    CHECK(code(ask(style(soap_encoding))) == "DataEncodingUnknown 500");
    CHECK(code(ask("")) == "Sender 400");
    CHECK_THAT(fault_of(ask("")).reason, Catch::Contains("refers to content elsewhere"));
  }
  // An id alone refers to nothing.
  const std::string named =
      "<test:echoString><test:input enc:id='a'>x</test:input></test:"
      "echoString>";
  CHECK(result(c.ask(holder, named), "echoString") == "{" + ts + "}echoStringResult \"x\"\n");
}

TEST_CASE(
    "nil and absent are the same, and differ from a value",
    "[conformance][T77][XMLP-1][x2-complexenc-nil]") {
  const node_c c;
  const auto ask = [&c](const std::string& inside, const std::string& attributes = "") {
    return c.ask("", "<test:isNil" + attributes + ">" + inside + "</test:isNil>");
  };
  const std::string yes = "{" + ts + "}isNilResult \"true\"\n";
  const std::string no = "{" + ts + "}isNilResult \"false\"\n";
  CHECK(result(ask("<test:input xsi:nil='1' />"), "isNil") == yes);
  CHECK(result(ask("<test:input xsi:nil='true' />"), "isNil") == yes);
  CHECK(result(ask(""), "isNil") == yes);
  CHECK(result(ask(value("input", "string", "This is a string")), "isNil") == no);
  CHECK(result(ask("<test:input/>"), "isNil") == no);
  CHECK(code(ask("", style(soap_encoding))) == "DataEncodingUnknown 500");
  CHECK(result(c.ask("", "<test:echoString/>"), "echoString").empty());
  CHECK(code(c.ask("", "<test:echoInteger/>")) == "Sender 400");
}

TEST_CASE(
    "an operation without parameters or result is served", "[conformance][T31][SBR1-echoVoid]") {
  const node_c c;
  CHECK(result(c.ask("", "<test:returnVoid></test:returnVoid>"), "returnVoid").empty());
  CHECK(result(c.ask("", "<test:returnVoid/>"), "returnVoid").empty());
  CHECK(
      code(c.ask("", "<test:returnVoid" + style(soap_encoding) + "/>")) ==
      "DataEncodingUnknown 500");
}

TEST_CASE(
    "an operation that does not exist and arguments that do not fit are Sender faults",
    "[conformance][T33][XMLP-11][XMLP-12][x2-rpcfaults-rules]") {
  const node_c c;
  for (const std::string& body :
       {std::string("<test:DoesNotExist></test:DoesNotExist>"),
        std::string("<test:unknownMethodThatShouldNotBeThere/>"),
        std::string("<echo xmlns='urn:other'/>"),
        "<test:echoInteger>" + value("input", "int", "abc") + "</test:echoInteger>",
        std::string("<test:echoInteger><test:other>1</test:other></test:echoInteger>"),
        "<test:echoInteger>" + value("input", "int", "1") + value("input", "int", "2") +
            "</test:echoInteger>"})
    CHECK(code(c.ask("", body)) == "Sender 400");
}

// --- Faults (part 1, 5.4; part 2, 7.5.2.2) -------------------------------------------------------

TEST_CASE(
    "a Sender and a Receiver fault have their own HTTP status",
    "[conformance][XMLP-7][XMLP-8][x2-http-respbindprocess-fltmap]") {
  const node_c c;
  const std::string type = "application/soap+xml; charset=utf-8; action=\"\"";
  const auto ask = [&](const std::string& operation) {
    const std::string name = "test:" + operation;
    return c.post(
        node_c::message("", "<" + name + ">" + value("input", "string", "foo") + "</" + name + ">"),
        type);
  };
  CHECK(code(ask("echoSenderFault")) == "Sender 400");
  CHECK(fault_of(ask("echoSenderFault")).reason == "This is a Sender fault.");
  CHECK(code(ask("echoReceiverFault")) == "Receiver 500");
  CHECK(fault_of(ask("echoReceiverFault")).reason == "This is a Receiver fault.");
  CHECK(code(c.ask(block("Unknown", must("1")), bar_in_body)) == "MustUnderstand 500");
  CHECK(code(c.post("<wrong/>")) == "VersionMismatch 500");
  CHECK(code(c.ask("", "<test:echo" + style("urn:x") + "/>")) == "DataEncodingUnknown 500");
}

TEST_CASE(
    "a fault is built of exactly what part 1, 5.4 says",
    "[conformance][x1-soapfault-prop][x1-soapfault-single][x1-soapfault-only]"
    "[x1-faultcodeelement-prop][x1-faultvalueelement-prop][x1-faultsubcodeelement-prop]"
    "[x1-faultsubvalueelem-prop][x1-faultstringelement-prop][x1-reasontextelement-prop]"
    "[x1-faultdetailelement-prop][x1-faultactorelement-prop][x1-faultroleelement-prop]") {
  const node_c c;
  const std::string country = block("validateCountryCode", "", "<test:code>x</test:code>");
  for (const auto& response :
       {c.ask("", "<test:echoSenderFault/>"),
        c.ask(country, "<test:validate/>"),
        c.ask("", "<test:wrong/>"),
        c.ask(block("Unknown", must("1")), bar_in_body),
        c.post("no XML")}) {
    INFO(response.body);
    const document parsed(response.body);
    const auto parts = children(parsed.root(), soap12_ns, {"Header?", "Body"});
    const node fault = children(parts[1], soap12_ns, {"Fault"})[0];
    const auto inside = children(fault, soap12_ns, {"Code", "Reason", "Detail?"});
    const auto said = children(inside[0], soap12_ns, {"Value", "Subcode?"});
    CHECK(resolve(said[0], said[0].text()).ns == soap12_ns);
    if (said[1]) {
      const node sub = children(said[1], soap12_ns, {"Value"})[0];
      CHECK(resolve(sub, sub.text()) == soapsvc::qualified_name{ts, "Refused"});
    }
    const node text = children(inside[1], soap12_ns, {"Text"})[0];
    CHECK(text.attribute("http://www.w3.org/XML/1998/namespace", "lang") == "en");
    CHECK_FALSE(text.text().empty());
    CHECK_FALSE(contains(response.body, "encodingStyle"));
  }
  CHECK_FALSE(fault_of(c.ask("", "<test:echoSenderFault/>")).subcode.empty());
  CHECK(fault_of(c.ask(country, "<test:validate/>")).has_detail);
}

TEST_CASE(
    "a message that carries a Fault is a request like any other: no operation has that name",
    "[conformance][x1-soapfault-only]") {
  const node_c c;
  const std::string fault =
      "<env:Fault><env:Code><env:Value>env:Sender</env:Value></env:Code>"
      "<env:Reason><env:Text xml:lang='en'>x</env:Text></env:Reason>"
      "</env:Fault>";
  CHECK(code(c.ask("", fault)) == "Sender 400");
  CHECK(code(c.ask("", fault + bar_in_body)) == "Sender 400");
}

TEST_CASE("the typed client knows every code of a fault", "[conformance][x1-faultcodes-mu]") {
  using soapsvc::fault_code;
  const std::pair<const char*, fault_code> codes[] = {
      {"VersionMismatch", fault_code::version_mismatch},
      {"MustUnderstand", fault_code::must_understand},
      {"DataEncodingUnknown", fault_code::data_encoding_unknown},
      {"Sender", fault_code::client},
      {"Receiver", fault_code::server}};
  for (const auto& [name, meant] : codes) {
    const std::string fault = "<env:Fault><env:Code><env:Value>\n env:" + std::string(name) +
                              " </env:Value><env:Subcode><env:Value>test:Why</env:Value></env:"
                              "Subcode></env:Code><env:Reason><env:Text xml:lang='en'>x</env:"
                              "Text></env:Reason></env:Fault>";
    soapsvc::client_options options;
    options.ns_base = "http://example.org";
    soapsvc::client<NodeC> client(
        [&fault](const soapsvc::http_request&) {
          soapsvc::http_response response;
          response.content_type = "application/soap+xml";
          response.body = node_c::message("", fault);
          return response;
        },
        options);
    try {
      client.call(&NodeC::return_void);
      FAIL("no fault");
    } catch (const soapsvc::remote_fault& got) {
      CHECK(got.code() == meant);
      CHECK(got.subcode() == "Why");
    }
  }
}

// --- URIs (part 1, 6) ----------------------------------------------------------------------------

TEST_CASE("URIs of 2,048 characters are supported", "[conformance][T29][x1-useofuris-length]") {
  const node_c c;
  const std::string tail(2'048, 'z');
  CHECK(echoed(c.ask(block("echoOk", role(ts + "/C" + tail)), nothing_in_body)) == "-/-");
  const std::string foreign = "<f:Unknown xmlns:f='urn:" + tail + "'/>";
  CHECK(echoed(c.ask(foreign, bar_in_body)) == "-/bar");

  // A URI that the node publishes: its own namespace, and the addresses of its WSDL.
  soapsvc::dispatcher_options options;
  options.ns_base = "http://example.org/" + tail;
  options.public_url = "https://example.org/" + tail;
  NodeC service;
  soapsvc::dispatcher dispatcher(options);
  dispatcher.add(service, "/" + tail);
  const std::string long_ns = options.ns_base + "/ts-tests";
  const std::string message = "<e:Envelope xmlns:e='" + soap12_ns + "'><e:Body><echo xmlns='" +
                              long_ns + "'/></e:Body></e:Envelope>";
  const std::string action = "\"" + long_ns + "/echo\"";
  const std::string target = "/" + tail;
  const soapsvc::http_header fields[] = {
      {"Content-Type", "application/soap+xml"}, {"SOAPAction", action}};
  soapsvc::http_request request;
  request.target = target;
  request.headers = fields;
  request.body = message;
  CHECK(carry(dispatcher, request).status == 200);
  const std::string description = target + "?wsdl";
  request.method = "GET";
  request.target = description;
  CHECK(contains(carry(dispatcher, request).body, "https://example.org/" + tail + "/" + tail));
}

TEST_CASE(
    "a relative role is resolved against xml:base", "[conformance][T75][x1-useofuris-baseuri]") {
  const node_c c;
  const std::string base_uri = " xml:base='" + roles + "'";
  CHECK(echoed(c.ask(block("echoOk", base_uri + role("next")), bar_in_body)) == "foo/bar");
  CHECK(echoed(c.ask(block("echoOk", base_uri + role("none")), bar_in_body)) == "-/bar");
  CHECK(
      code(c.ask(block("Unknown", base_uri + role("next") + must("1")), bar_in_body)) ==
      "MustUnderstand 500");
  std::string text = node_c::bare(block("echoOk", role("./ultimateReceiver")), bar_in_body);
  text.insert(text.find("<env:Envelope") + 13, base_uri);
  CHECK(echoed(c.post(text)) == "foo/bar");
  // Other content of a block belongs to the application, and is passed on unchanged.
  const std::string inner = "<test:text xml:base='http://example.org/today/'>new.xml</test:text>";
  CHECK(echoed(c.ask(block("echoOk", "", inner), bar_in_body)) == "new.xml/bar");
}

// --- HTTP, as far as no socket is needed (part 2, 7) ---------------------------------------------

TEST_CASE(
    "GET is answered with the service's pages, and never with an envelope",
    "[conformance][XMLP-2][XMLP-3][x2-http-suptransmep-uris][x2-http-suptfeatures-webmethod]"
    "[x2-http-suptfeatures-methrest]") {
  const node_c c;
  soapsvc::http_request request;
  request.method = "GET";
  for (const char* target : {"/c", "/c?wsdl", "/c?getTime"}) {
    request.target = target;
    const auto response = carry(c.dispatcher, request);
    CHECK(response.status == 200);
    CHECK_FALSE(contains(response.content_type, "application/soap+xml"));
    // A page for people shows samples of envelopes; it is none.
    const bool html = contains(response.content_type, "text/html");
    CHECK(html == response.body.starts_with("<!DOCTYPE html>"));
    CHECK((html || !contains(response.body, soap12_ns)));
  }
}
