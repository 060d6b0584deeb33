// The SOAP 1.1 note as a receiving node: what it demands of the ultimate destination of a message
// and of a server of its HTTP binding. The note numbers no demands, so the tags are its clauses
// with a letter each: [S11-4.2.3b]. tests/assertions.md lists them. Tests with sockets are in
// conformance_http.cpp.
#include "../support.hpp"

#include <catch2/catch.hpp>

using namespace support;

namespace {

const std::string add = call("Add", "<A>1</A><B>2</B>");
const std::string put = call("Put", "<Item><Id>2</Id><Colour>Red</Colour></Item>");
const std::string next = "http://schemas.xmlsoap.org/soap/actor/next";

/// Posts a 1.1 envelope with this content.
soapsvc::http_response post_raw(
    const world& w, const std::string& inside, const std::string& attributes = "") {
  return w.post(
      "<e:Envelope xmlns:e=\"" + soap11_ns + "\"" + attributes + ">" + inside + "</e:Envelope>",
      {{"Content-Type", "text/xml"}});
}

soapsvc::http_response ask(
    const world& w, const std::string& body, const std::string& header = "", headers with = {}) {
  return w.ask(version::v1_1, body, header, std::move(with));
}

std::string foreign(const std::string& attributes) {
  return "<x:Trace xmlns:x='urn:example:foreign' " + attributes + "/>";
}
std::string session(const std::string& attributes) {
  return "<Session xmlns='" + ns + "' " + attributes + "><Key>5</Key></Session>";
}

/// The code and status of a 1.1 fault, such as "Client 500"; fault_of checks how it is built.
std::string code(const soapsvc::http_response& response) {
  const auto facts = fault_of(response);
  return (facts.in == version::v1_1 ? "" : "1.2 ") + facts.code + " " +
         std::to_string(response.status);
}

}  // namespace

// --- 2 and 3: the exchange, and XML --------------------------------------------------------------

TEST_CASE(
    "mandatory parts for this node are supported or the message is discarded, others ignored",
    "[conformance][S11-2a][S11-2b]") {
  world w;
  CHECK(result_of(ask(w, put, session("e:mustUnderstand='1'")), "Put") == "7");
  CHECK(result_of(ask(w, add, foreign("")), "Add") == "3");
  CHECK(code(ask(w, put, foreign("e:mustUnderstand='1'") + session(""))) == "MustUnderstand 500");
}

TEST_CASE(
    "SOAP's names have SOAP's namespace in sent messages, and need it in received ones",
    "[conformance][S11-3a][S11-3b][S11-3c]") {
  const world w;
  for (const auto& response : {ask(w, add), ask(w, call("Nothing"))}) {
    const document parsed(response.body);
    CHECK(parsed.root().is(soap11_ns, "Envelope"));
    CHECK(children(parsed.root(), soap11_ns, {"Body"}).size() == 1);
  }
  const std::string message = envelope(version::v1_1, add);
  const auto with = [&message](const std::string& from, const std::string& to) {
    std::string changed = message;
    return changed.replace(changed.find(from), from.size(), to);
  };
  CHECK(w.post(with(soap11_ns, "urn:other"), {}).status == 500);
  CHECK(w.post("<Envelope><Body>" + add + "</Body></Envelope>", {}).status == 500);
  CHECK(code(post_raw(w, "<Body>" + add + "</Body>")) == "Client 500");
  CHECK(code(post_raw(w, "<o:Body xmlns:o='urn:o'>" + add + "</o:Body>")) == "Client 500");
}

TEST_CASE("DTDs and processing instructions are no part of a message", "[conformance][S11-3d]") {
  const world w;
  const std::string message = envelope(version::v1_1, add);
  const headers type = {{"Content-Type", "text/xml"}};
  CHECK(code(w.post("<!DOCTYPE x>" + message, type)) == "Client 500");
  CHECK(code(w.post("<?x y?>" + message, type)) == "Client 500");
  CHECK(code(post_raw(w, "<?x y?><e:Body>" + add + "</e:Body>")) == "Client 500");
  for (const auto& response : {ask(w, add), ask(w, call("Nothing"))}) {
    CHECK_FALSE(contains(response.body, "<!DOCTYPE"));
    CHECK(response.body.find("<?", 2) == std::string::npos);  // but for the XML declaration
  }
}

// --- 4, 4.1: the envelope ------------------------------------------------------------------------

TEST_CASE(
    "Envelope, then Header if there is one, then Body, and each once",
    "[conformance][S11-4a][S11-4b][S11-4c]") {
  const world w;
  const std::string body = "<e:Body>" + add + "</e:Body>";
  CHECK(result_of(post_raw(w, body), "Add") == "3");
  CHECK(result_of(post_raw(w, "<e:Header/>" + body), "Add") == "3");
  for (const std::string& inside :
       {std::string(),
        std::string("<e:Header/>"),
        body + "<e:Header/>",
        "<e:Header/><e:Header/>" + body,
        body + body,
        "<x:Y xmlns:x='urn:x'/>" + body,
        "<e:Header/><x:Y xmlns:x='urn:x'/>" + body})
    CHECK(code(post_raw(w, inside)) == "Client 500");
}

TEST_CASE(
    "qualified attributes and elements after the Body are accepted", "[conformance][S11-4d]") {
  const world w;
  const std::string said = " xmlns:x='urn:x' x:a='b'";
  const std::string all = "<e:Header" + said + "/><e:Body" + said + ">" + add + "</e:Body>";
  CHECK(result_of(post_raw(w, all + "<x:Trailer>t</x:Trailer>", said), "Add") == "3");
  CHECK(code(post_raw(w, all + "<Trailer/>", said)) == "Client 500");
}

TEST_CASE(
    "encodingStyle may stand on any element, and changes nothing about literal content",
    "[conformance][S11-4.1.1a][encodingStyle]") {
  const world w;
  for (const char* uri :
       {"http://schemas.xmlsoap.org/soap/encoding/", "urn:a http://example.org/b", ""}) {
    const std::string said = " e:encodingStyle='" + std::string(uri) + "'";
    const std::string body =
        "<Add xmlns='" + ns + "'" + said + "><A" + said + ">1</A><B>2</B></Add>";
    CHECK(
        result_of(
            post_raw(
                w,
                "<e:Header" + said + ">" + foreign(said) + "</e:Header><e:Body" + said + ">" +
                    body + "</e:Body>",
                said),
            "Add") == "3");
  }
}

TEST_CASE(
    "an envelope of another namespace is a version error and is not processed",
    "[conformance][S11-4.1.2a][S11-4.1.2b]") {
  world w;
  for (const char* other : {"urn:other", "http://schemas.xmlsoap.org/soap/envelope"}) {
    std::string message = envelope(version::v1_1, add);
    message.replace(message.find(soap11_ns), soap11_ns.size(), other);
    // The fault is in 1.2, because only 1.2 can list the supported versions: rule 1.
    const auto response = w.post(message, {{"Content-Type", "text/xml"}});
    CHECK(code(response) == "1.2 VersionMismatch 500");
    CHECK(fault_of(response).upgrade.size() == 2);
    CHECK(w.calls.back().operation.empty());
  }
}

// --- 4.2: the header -----------------------------------------------------------------------------

TEST_CASE("a header entry is known by its qualified name", "[conformance][S11-4.2a][S11-4.2b]") {
  const world w;
  CHECK(result_of(ask(w, put, session("")), "Put") == "7");
  CHECK(code(ask(w, put, "<Session xmlns='urn:other'><Key>5</Key></Session>")) == "Client 500");
  CHECK(code(ask(w, put, "<Session><Key>5</Key></Session>")) == "Client 500");
  CHECK(code(ask(w, add, "<Trace e:mustUnderstand='1'/>")) == "MustUnderstand 500");
  CHECK(result_of(ask(w, add, "<Trace/>"), "Add") == "3");
}

TEST_CASE(
    "actor and mustUnderstand are ignored except on the children of Header",
    "[conformance][S11-4.2.1a][mustUnderstand][role]") {
  const world w;
  const std::string said = " e:mustUnderstand='1' e:actor='" + next + "'";
  const std::string inner = "<x:T xmlns:x='urn:x'><x:U" + said + "/></x:T>";
  CHECK(result_of(ask(w, add, inner), "Add") == "3");
  const std::string body = "<Add xmlns='" + ns + "'" + said + "><A" + said + ">1</A><B>2</B></Add>";
  CHECK(result_of(ask(w, body), "Add") == "3");
  const std::string on_parts = "<e:Header" + said + "/><e:Body" + said + ">" + add + "</e:Body>";
  CHECK(result_of(post_raw(w, on_parts, said), "Add") == "3");
}

TEST_CASE(
    "the actor next and no actor mean this node, any other actor means another node",
    "[conformance][S11-4.2.2a][S11-4.2.2b][S11-4.2.2c]") {
  const world w;
  for (const std::string& ours : {std::string(), "e:actor='" + next + "'"}) {
    CHECK(result_of(ask(w, put, session(ours)), "Put") == "7");
    CHECK(code(ask(w, add, foreign("e:mustUnderstand='1' " + ours))) == "MustUnderstand 500");
  }
  for (const char* other : {"urn:other", "http://schemas.xmlsoap.org/soap/actor/NEXT", "next"}) {
    const std::string theirs = "e:actor='" + std::string(other) + "'";
    CHECK(result_of(ask(w, add, foreign("e:mustUnderstand='1' " + theirs)), "Add") == "3");
    CHECK(code(ask(w, put, session(theirs))) == "Client 500");
  }
}

TEST_CASE(
    "mustUnderstand is 1 or 0, and its absence is 0",
    "[conformance][S11-4.2.3a][S11-4.2.3b][mustUnderstand]") {
  const world w;
  for (const char* optional : {"", "e:mustUnderstand='0'", "e:mustUnderstand='false'"})
    CHECK(result_of(ask(w, add, foreign(optional)), "Add") == "3");
  for (const char* mandatory : {"e:mustUnderstand='1'", "e:mustUnderstand='true'"})
    CHECK(code(ask(w, add, foreign(mandatory))) == "MustUnderstand 500");
  for (const char* wrong : {"e:mustUnderstand='2'", "e:mustUnderstand=''"})
    CHECK(code(ask(w, add, foreign(wrong))) == "Client 500");
}

TEST_CASE(
    "a mandatory entry is obeyed, or processing fails before anything is done",
    "[conformance][S11-4.2.3c]") {
  world w;
  const std::string block = foreign("e:mustUnderstand='1'");
  for (const std::string& body : {add, std::string(), call("Nothing"), call("Add", "<A>x</A>")})
    CHECK(code(ask(w, body, block)) == "MustUnderstand 500");
  for (const auto& seen : w.calls)
    CHECK(seen.report.handler_time == std::chrono::nanoseconds::zero());
  CHECK(w.calls.size() == 4);
}

// --- 4.3 and 4.4: Body and Fault -----------------------------------------------------------------

TEST_CASE("a body entry is known by its qualified name", "[conformance][S11-4.3a][S11-4.3b]") {
  const world w;
  CHECK(result_of(ask(w, add), "Add") == "3");
  CHECK(code(ask(w, "<Add xmlns='urn:other'><A>1</A><B>2</B></Add>")) == "Client 500");
  CHECK(code(ask(w, "<Add><A>1</A><B>2</B></Add>")) == "Client 500");
  CHECK(code(ask(w, "")) == "Client 500");
  CHECK(code(ask(w, add + add)) == "Client 500");
}

TEST_CASE(
    "a fault is the one entry of the Body, with its children as the note orders them",
    "[conformance][S11-4.4a][S11-4.4b][S11-4.4c][S11-4.4h]") {
  const world w;
  for (const auto& response :
       {ask(w, call("Nothing")),
        ask(w, call("Fail", "<How>detail</How>")),
        ask(w, call("Fail", "<How>exception</How>")),
        ask(w, add, foreign("e:mustUnderstand='1'")),
        w.post("no XML", {{"Content-Type", "text/xml"}})}) {
    const document parsed(response.body);
    const node body = children(parsed.root(), soap11_ns, {"Body"})[0];
    const node fault = children(body, soap11_ns, {"Fault"})[0];
    const auto parts = children(fault, "", {"faultcode", "faultstring", "detail?"});
    CHECK(resolve(parts[0], parts[0].text()).ns == soap11_ns);
    CHECK_FALSE(parts[1].text().empty());
  }
}

TEST_CASE(
    "a fault has a detail only if the Body could not be processed",
    "[conformance][S11-4.4d][S11-4.4e][S11-4.4f][S11-4.4g]") {
  const world w;
  const auto has_detail = [](const soapsvc::http_response& response) {
    return fault_of(response).has_detail;
  };
  CHECK(has_detail(ask(w, call("Nothing"))));
  CHECK(has_detail(ask(w, call("Add", "<A>x</A>"))));
  CHECK(has_detail(ask(w, "")));
  CHECK(has_detail(ask(w, call("Fail", "<How>client</How>"))));
  CHECK(has_detail(ask(w, call("Fail", "<How>exception</How>"))));
  CHECK(contains(fault_of(ask(w, call("Fail", "<How>detail</How>"))).detail, "<Code>17</Code>"));
  // The fault about a header block says so, and has no detail.
  CHECK_FALSE(has_detail(ask(w, put)));
  CHECK_FALSE(has_detail(ask(w, add, foreign("e:mustUnderstand='1'"))));
  CHECK_FALSE(has_detail(ask(w, add, foreign("e:mustUnderstand='2'"))));
  CHECK_FALSE(has_detail(ask(w, put, "<Session xmlns='" + ns + "'><Key>x</Key></Session>")));
  CHECK_FALSE(has_detail(ask(w, call("Fail", "<How>about header</How>"))));
  CHECK_FALSE(has_detail(ask(w, add, "text")));
  std::string many;
  for (int count = 0; count != 1'001; ++count)
    many += foreign("");
  CHECK_FALSE(has_detail(ask(w, add, many)));
}

TEST_CASE("fault codes are those of the note", "[conformance][S11-4.4.1a][S11-4.4.1b]") {
  const world w;
  CHECK(code(ask(w, add, foreign("e:mustUnderstand='1'"))) == "MustUnderstand 500");
  CHECK(code(ask(w, call("Nothing"))) == "Client 500");
  CHECK(code(ask(w, call("Fail", "<How>subcode</How>"))) == "Client 500");
  CHECK(code(ask(w, call("Fail", "<How>server</How>"))) == "Server 500");
  CHECK(code(ask(w, call("Fail", "<How>exception</How>"))) == "Server 500");
}

// --- 5 and 7: encoding and RPC -------------------------------------------------------------------

TEST_CASE(
    "constructs of SOAP's encoding are refused, not misread", "[conformance][S11-5a][S11-5b]") {
  const world w;
  const std::string said = " e:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'";
  const std::string reference = "<Echo xmlns='" + ns + "'" + said + "><Text href='#id-1'/></Echo>";
  CHECK(code(ask(w, reference)) == "Client 500");
  CHECK_THAT(fault_of(ask(w, reference)).reason, Catch::Contains("refers to content elsewhere"));
  // Independent elements beside the request: multi-reference values.
  CHECK(code(ask(w, call("Echo") + "<multiRef id='id-1'>x</multiRef>")) == "Client 500");
  // An array is read literally: as one element with children.
  const std::string array = "<Echo xmlns='" + ns + "'><Text enc:arrayType='x:string[1]' xmlns:" +
                            "enc='http://schemas.xmlsoap.org/soap/encoding/'><item>a</item>" +
                            "</Text></Echo>";
  CHECK(code(ask(w, array)) == "Client 500");
  // SOAP's encoding has its own types.
  const std::string typed =
      "<Echo xmlns='" + ns +
      "'><Text xmlns:enc='http://schemas.xmlsoap.org/soap/encoding/' "
      "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='enc:string'>a</Text></Echo>";
  CHECK(result_of(ask(w, typed), "Echo") == "a");
}

// --- 6: HTTP, as far as no socket is needed ------------------------------------------------------

TEST_CASE("every response is text/xml", "[conformance][S11-6a]") {
  const world w;
  CHECK(ask(w, add).content_type == "text/xml; charset=utf-8");
  CHECK(ask(w, call("Nothing")).content_type == "text/xml; charset=utf-8");
}

TEST_CASE(
    "SOAPAction names the intent; an empty or absent one says nothing",
    "[conformance][S11-6.1.1a][S11-6.1.1b][SOAPAction]") {
  const world w;
  for (const std::string& said :
       {"\"" + ns + "/Add\"", ns + "/Add", std::string("\"\""), std::string(), "\"" + ns + "\""})
    CHECK(result_of(ask(w, add, "", {{"SOAPAction", said}}), "Add") == "3");
  CHECK(result_of(ask(w, add), "Add") == "3");
  for (const char* name : {"soapaction", "SOAPACTION"})
    CHECK(code(ask(w, add, "", {{name, "\"" + ns + "/Echo\""}})) == "Client 500");
}

TEST_CASE(
    "success is 200, and a SOAP error is 500 with a Fault in the Body",
    "[conformance][S11-6.2a][S11-6.2b]") {
  const world w;
  CHECK(ask(w, add).status == 200);
  CHECK(ask(w, call("Ping")).status == 200);
  for (const auto& response :
       {ask(w, call("Nothing")),
        ask(w, ""),
        ask(w, call("Fail", "<How>server</How>")),
        ask(w, add, foreign("e:mustUnderstand='1'")),
        w.post("no XML", {{"Content-Type", "text/xml"}})}) {
    CHECK(response.status == 500);
    CHECK(contains(response.body, "<soap:Body><soap:Fault>"));
  }
}
