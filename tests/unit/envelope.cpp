// [envelope]: SOAP 1.1 and 1.2 around the payload. Written from the SOAP 1.1 note (4 and 6), SOAP
// 1.2 part 1 (2 and 5) and the rules of tests/README.md; every message goes through the dispatcher,
// bytes to bytes.
#include "../support.hpp"

#include <catch2/catch.hpp>

using namespace support;

namespace {

const std::string add = call("Add", "<A>1</A><B>2</B>");
const std::string next11 = "http://schemas.xmlsoap.org/soap/actor/next";
const std::string role12 = "http://www.w3.org/2003/05/soap-envelope/role/";

/// A whole envelope with the prefix `e`, with free content.
std::string raw_envelope(version v, const std::string& inside, const std::string& attributes = "") {
  return "<e:Envelope xmlns:e=\"" + envelope_ns(v) + "\"" + attributes + ">" + inside +
         "</e:Envelope>";
}

/// A header block in a foreign namespace.
std::string foreign(const std::string& attributes, const std::string& name = "Trace") {
  return "<x:" + name + " xmlns:x=\"urn:example:foreign\" " + attributes + "/>";
}

/// A Session header with attributes.
std::string session(
    const std::string& attributes = "", const std::string& content = "<Key>5</Key>") {
  return "<Session xmlns=\"" + ns + "\" " + attributes + ">" + content + "</Session>";
}

const std::string put = call("Put", "<Item><Id>2</Id><Colour>Red</Colour></Item>");

std::string client_of(version v) { return v == version::v1_1 ? "Client" : "Sender"; }

}  // namespace

// --- Rule 1: versions ----------------------------------------------------------------------------

TEST_CASE(
    "the envelope's namespace alone decides the version of the response", "[envelope][rule-1]") {
  const world w;
  for (const version v : both) {
    for (const char* type :
         {"text/xml",
          "text/xml; charset=utf-8",
          "application/soap+xml",
          "application/soap+xml; charset=\"utf-8\"",
          "Text/XML;charset=UTF-8",
          "application/xml",
          "application/soap+xml; action=\"\""}) {
      const auto response = w.post(envelope(v, add), {{"Content-Type", type}});
      INFO(type);
      CHECK(response.status == 200);
      CHECK(response.content_type == content_type(v));
      CHECK(result_of(response, "Add") == "3");
      CHECK(contains(response.body, envelope_ns(v)));
    }
  }
}

TEST_CASE("a response begins with a declaration and no byte order mark", "[envelope][rule-1]") {
  const world w;
  for (const version v : both)
    CHECK(w.ask(v, add).body.rfind("<?xml version=\"1.0\" ", 0) == 0);
}

TEST_CASE(
    "an unknown envelope namespace is a VersionMismatch with an Upgrade block",
    "[envelope][rule-1][VersionMismatch]") {
  const world w;
  for (const char* root :
       {"<Envelope><Body/></Envelope>",
        "<e:Envelope xmlns:e=\"urn:other\"><e:Body/></e:Envelope>",
        "<e:Envelope xmlns:e=\"http://www.w3.org/2001/12/soap-envelope\"><e:Body/></e:Envelope>",
        "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope/\"><e:Body/></e:Envelope>",
        "<e:envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body/></e:envelope>",
        "<e:Body xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"/>",
        "<html/>"}) {
    for (const version v : both) {
      INFO(root);
      const auto response = w.post(root, {{"Content-Type", content_type(v)}});
      const auto fault = fault_of(response);
      CHECK(fault.in == version::v1_2);
      CHECK(response.status == 500);
      CHECK(fault.code == "VersionMismatch");
      REQUIRE(fault.upgrade.size() == 2);
      CHECK(fault.upgrade[0] == soapsvc::qualified_name{soap12_ns, "Envelope"});
      CHECK(fault.upgrade[1] == soapsvc::qualified_name{soap11_ns, "Envelope"});
      CHECK(contains(fault.reason, "Envelope"));
      CHECK(contains(fault.reason, soap11_ns));
      CHECK(contains(fault.reason, soap12_ns));
      CHECK_FALSE(fault.has_detail);
    }
  }
}

TEST_CASE("a VersionMismatch says what was found", "[envelope][rule-1][VersionMismatch]") {
  const world w;
  const auto fault = fault_of(w.post("<e:Envelope xmlns:e=\"urn:other\"/>", {}));
  CHECK(contains(fault.reason, "'urn:other'"));
  CHECK(contains(fault_of(w.post("<Letter/>", {})).reason, "'Letter' in no namespace"));
}

// --- Rule 2: prefixes ----------------------------------------------------------------------------

TEST_CASE("a 1.1 response has the prefix soap and a default namespace", "[envelope][rule-2]") {
  const world w;
  CHECK(
      w.ask(version::v1_1, add).body ==
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope "
      "xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"><soap:Body>"
      "<AddResponse xmlns=\"http://example.com/soap/Shop\"><AddResult>3</AddResult>"
      "</AddResponse></soap:Body></soap:Envelope>");
}

TEST_CASE("a 1.2 response has the prefix soap12 and a default namespace", "[envelope][rule-2]") {
  const world w;
  const std::string body = w.ask(version::v1_2, add).body;
  CHECK(
      contains(body, "<soap12:Envelope xmlns:soap12=\"http://www.w3.org/2003/05/soap-envelope\""));
  CHECK(contains(
      body,
      "<soap12:Body><AddResponse xmlns=\"http://example.com/soap/Shop\">"
      "<AddResult>3</AddResult></AddResponse></soap12:Body></soap12:Envelope>"));
}

TEST_CASE(
    "request prefixes are free, and two may stand for one namespace",
    "[envelope][rule-2][rule-15]") {
  const world w;
  for (const version v : both) {
    const std::string& e = envelope_ns(v);
    const std::string messages[] = {
        "<Envelope xmlns=\"" + e + "\"><Body><q:Add xmlns:q=\"" + ns +
            "\"><q:A>1</q:A><q:B>2</q:B></q:Add></Body></Envelope>",
        "<a:Envelope xmlns:a=\"" + e + "\" xmlns:b=\"" + e + "\" xmlns:s1=\"" + ns +
            "\" xmlns:s2=\"" + ns +
            "\"><b:Header/><b:Body><s1:Add><s2:A>1</s2:A><s1:B>2</s1:B>"
            "</s1:Add></b:Body></a:Envelope>",
        "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"" + e + "\"><SOAP-ENV:Body><Add xmlns=\"" + ns +
            "\"><A>1</A><x:B xmlns:x=\"" + ns +
            "\">2</x:B></Add></SOAP-ENV:Body>"
            "</SOAP-ENV:Envelope>",
        "<\xc3\xa9t\xc3\xa9:Envelope xmlns:\xc3\xa9t\xc3\xa9=\"" + e +
            "\"><\xc3\xa9t\xc3\xa9:Body>" + add +
            "</\xc3\xa9t\xc3\xa9:Body></\xc3\xa9t\xc3\xa9:Envelope>"};
    for (const std::string& message : messages) {
      INFO(message);
      CHECK(result_of(w.post(message, {{"Content-Type", content_type(v)}}), "Add") == "3");
    }
  }
}

// --- The envelope's own children -----------------------------------------------------------------

TEST_CASE("white space and comments between the parts of an envelope are ignored", "[envelope]") {
  const world w;
  for (const version v : both) {
    const std::string message =
        "<?xml version=\"1.0\"?>\n<!-- a -->\n" +
        raw_envelope(
            v,
            "\n <!-- b --><e:Header>\t</e:Header>\r\n <e:Body>\n <!-- c -->" + add +
                "\n</e:Body>\n<!-- d -->") +
        "\n<!-- e -->\n";
    CHECK(result_of(w.post(message, {{"Content-Type", content_type(v)}}), "Add") == "3");
  }
}

TEST_CASE("an unexpected part of an envelope is a Client fault that names it", "[envelope]") {
  const world w;
  const std::string body = "<e:Body>" + add + "</e:Body>";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "Body is missing"},
      {"<e:Header/>", "Body is missing"},
      {"<x xmlns='urn:x'/>" + body, "'x' in the namespace 'urn:x' is not allowed here"},
      {body + "<e:Header/>", "'Header'"},
      {"<e:Header/><e:Header/>" + body, "'Header'"},
      {body + body, "'Body'"},
      {body + "<after/>", "'after' in no namespace"},
      {"<e:body/>", "'body'"},
      {"<Body>" + add + "</Body>", "'Body' in no namespace"},
      {"text" + body, "Envelope: holds text"},
      {body + "text", "Envelope: holds text"},
      {"<e:Header>text</e:Header>" + body, "Header: holds text"},
      {"<e:Header>" + foreign("") + "text</e:Header>" + body, "Header: holds text"},
      {"<e:Body>text</e:Body>", "Body: holds text"},
      {"<e:Body>" + add + "text</e:Body>", "Body: holds text"},
      {"<e:Body><![CDATA[text]]></e:Body>", "Body: holds text"},
      {"<e:Body/>", "Body: is empty; one element is allowed"},
      {"<e:Body> \n</e:Body>", "Body: is empty; one element is allowed"},
      {"<e:Body>" + add + call("Ping") + "</e:Body>", "'Ping' is one too many"},
      {"<e:Body>" + add + add + "</e:Body>", "'Add' is one too many"}};
  for (const version v : both) {
    for (const auto& [inside, expected] : cases) {
      INFO(inside);
      const auto fault =
          fault_of(w.post(raw_envelope(v, inside), {{"Content-Type", content_type(v)}}));
      CHECK(fault.in == v);
      CHECK(fault.code == client_of(v));
      CHECK_THAT(fault.reason, Catch::Contains(expected));
    }
  }
}

TEST_CASE("qualified elements may follow the Body in 1.1, and nothing may in 1.2", "[envelope]") {
  const world w;
  const std::string inside = "<e:Body>" + add + "</e:Body>" + foreign("");
  CHECK(result_of(w.post(raw_envelope(version::v1_1, inside), {}), "Add") == "3");
  const auto fault = fault_of(w.post(raw_envelope(version::v1_2, inside), {}));
  CHECK(fault.code == "Sender");
  CHECK_THAT(fault.reason, Catch::Contains("'Trace' in the namespace 'urn:example:foreign'"));
}

TEST_CASE(
    "an unqualified attribute on an element of the 1.2 envelope is a Sender fault", "[envelope]") {
  const world w;
  const auto message = [](version v,
                          const std::string& on_envelope,
                          const std::string& on_header,
                          const std::string& on_body) {
    return raw_envelope(
        v, "<e:Header" + on_header + "/><e:Body" + on_body + ">" + add + "</e:Body>", on_envelope);
  };
  const std::string bare = " attr1='a-value'";
  const std::string qualified = " xmlns:x='urn:x' x:attr1='a-value' xml:lang='en'";
  CHECK_THAT(
      fault_of(w.post(message(version::v1_2, bare, "", ""), {})).reason,
      Catch::Contains("Envelope: the attribute 'attr1' is in no namespace"));
  CHECK_THAT(
      fault_of(w.post(message(version::v1_2, "", bare, ""), {})).reason,
      Catch::Contains("Header: the attribute 'attr1'"));
  CHECK_THAT(
      fault_of(w.post(message(version::v1_2, "", "", bare), {})).reason,
      Catch::Contains("Body: the attribute 'attr1'"));
  CHECK(result_of(w.post(message(version::v1_1, bare, bare, bare), {}), "Add") == "3");
  for (const version v : both)
    CHECK(result_of(w.post(message(v, qualified, qualified, qualified), {}), "Add") == "3");
}

TEST_CASE("Header and Body of the other version are not this version's", "[envelope][rule-1]") {
  const world w;
  const std::string mixed = "<a:Envelope xmlns:a=\"" + soap11_ns + "\"><b:Body xmlns:b=\"" +
                            soap12_ns + "\">" + add + "</b:Body></a:Envelope>";
  const auto fault = fault_of(w.post(mixed, {}));
  CHECK(fault.in == version::v1_1);
  CHECK_THAT(fault.reason, Catch::Contains("'Body' in the namespace '" + soap12_ns + "'"));
}

// --- Rule 6: header blocks -----------------------------------------------------------------------

TEST_CASE("a header block that is not mandatory is ignored", "[envelope][rule-6][mustUnderstand]") {
  const world w;
  for (const version v : both)
    for (const char* said :
         {"",
          "e:mustUnderstand='0'",
          "e:mustUnderstand='false'",
          "mustUnderstand='1'",
          "e:relay='1'",
          "e:mustUnderstand=' 0 '"})
      CHECK(result_of(w.ask(v, add, foreign(said)), "Add") == "3");
}

TEST_CASE(
    "a mandatory header block that is not understood is a MustUnderstand fault",
    "[envelope][rule-6][mustUnderstand]") {
  const world w;
  for (const version v : both) {
    for (const char* said : {"1", "true", " true ", "\n1"}) {
      const auto response = w.ask(v, add, foreign("e:mustUnderstand='" + std::string(said) + "'"));
      const auto fault = fault_of(response);
      CHECK(response.status == 500);
      CHECK(fault.in == v);
      CHECK(fault.code == "MustUnderstand");
      CHECK_FALSE(fault.has_detail);
      CHECK_THAT(fault.reason, Catch::Contains("'Trace' in the namespace 'urn:example:foreign'"));
    }
  }
}

TEST_CASE(
    "a 1.2 MustUnderstand fault names each block once in a NotUnderstood block",
    "[envelope][rule-6][mustUnderstand]") {
  const world w;
  const std::string must = "e:mustUnderstand='true'";
  const auto fault = fault_of(w.ask(
      version::v1_2,
      add,
      foreign(must, "One") + foreign("") + session(must) + foreign(must, "Two") +
          foreign(must, "One")));
  REQUIRE(fault.not_understood.size() == 3);
  CHECK(fault.not_understood[0] == soapsvc::qualified_name{"urn:example:foreign", "One"});
  CHECK(fault.not_understood[1] == soapsvc::qualified_name{ns, "Session"});
  CHECK(fault.not_understood[2] == soapsvc::qualified_name{"urn:example:foreign", "Two"});
  CHECK(fault.upgrade.empty());
}

TEST_CASE(
    "a namespace that every block uses does not multiply in the fault", "[envelope][rule-6]") {
  const world w;
  std::string blocks;
  for (int index = 0; index != 60; ++index)
    blocks += "<x:B" + std::to_string(index) + " e:mustUnderstand='1'/>";
  const std::string big = "urn:" + std::string(100'000, 'n');
  const std::string message = raw_envelope(
      version::v1_2,
      "<e:Header>" + blocks + "</e:Header><e:Body>" + add + "</e:Body>",
      " xmlns:x='" + big + "'");
  const auto response = w.post(message, {});
  CHECK(fault_of(response).code == "MustUnderstand");
  CHECK(response.body.size() < 4000);
}

TEST_CASE(
    "the header block of an operation is understood, and those of other operations are not",
    "[envelope][rule-6]") {
  const world w;
  for (const version v : both) {
    CHECK(result_of(w.ask(v, put, session("e:mustUnderstand='1'")), "Put") == "7");
    CHECK(fault_of(w.ask(v, add, session("e:mustUnderstand='1'"))).code == "MustUnderstand");
    CHECK(result_of(w.ask(v, add, session()), "Add") == "3");
    const std::string twin = "<Session xmlns='urn:x' e:mustUnderstand='1'/>";
    CHECK(fault_of(w.ask(v, put, twin + session())).code == "MustUnderstand");
  }
}

TEST_CASE(
    "for an unknown operation, the fault is about the operation, not about its header block",
    "[envelope][rule-6]") {
  const world w;
  const std::string must = "e:mustUnderstand='1'";
  for (const version v : both) {
    CHECK_THAT(
        fault_of(w.ask(v, call("Nothing"), session(must))).reason,
        Catch::Contains("'Nothing'") && Catch::Contains("is not an operation"));
    const std::string unknown = "<Other xmlns='" + ns + "' " + must + "/>";
    CHECK(fault_of(w.ask(v, call("Nothing"), unknown)).code == "MustUnderstand");
  }
}

TEST_CASE(
    "mandatory header blocks are checked before the Body", "[envelope][rule-6][mustUnderstand]") {
  const world w;
  const std::string must = foreign("e:mustUnderstand='1'");
  for (const version v : both)
    for (const std::string& body :
         {std::string(), call("Nothing"), call("Add", "<A>x</A>"), add + add, std::string("text")})
      CHECK(fault_of(w.ask(v, body, must)).code == "MustUnderstand");
}

TEST_CASE(
    "1.1: a block is for this node without actor, with an empty actor, and for next",
    "[envelope][rule-6][role]") {
  const world w;
  const std::string must = "e:mustUnderstand='1' ";
  const auto ask = [&](const std::string& actor) {
    return w.ask(version::v1_1, add, foreign(must + actor)).status;
  };
  CHECK(ask("") == 500);
  CHECK(ask("e:actor=''") == 500);
  CHECK(ask("e:actor='" + next11 + "'") == 500);
  CHECK(ask("e:actor=' " + next11 + "\n'") == 500);
  CHECK(ask("e:actor='urn:someone:else'") == 200);
  CHECK(ask("e:actor='" + role12 + "next'") == 200);
  CHECK(ask("actor='urn:someone:else'") == 500);
}

TEST_CASE(
    "1.2: a block is for this node without role, for next and for the ultimate receiver",
    "[envelope][rule-6][role]") {
  const world w;
  const std::string must = "e:mustUnderstand='true' ";
  const auto ask = [&](const std::string& role) {
    return w.ask(version::v1_2, add, foreign(must + role)).status;
  };
  CHECK(ask("") == 500);
  CHECK(ask("e:role='" + role12 + "next'") == 500);
  CHECK(ask("e:role='" + role12 + "ultimateReceiver'") == 500);
  CHECK(ask("e:role='" + role12 + "none'") == 200);
  CHECK(ask("e:role='urn:someone:else'") == 200);
  CHECK(ask("e:role='" + next11 + "'") == 200);
  CHECK(ask("e:actor='urn:someone:else'") == 500);
  CHECK(ask("e:relay='true'") == 500);
  CHECK(ask("e:relay='true' e:role='urn:someone:else'") == 200);
}

TEST_CASE(
    "attributes of the other version are ignored, and a role may be long",
    "[envelope][rule-6][role]") {
  const world w;
  for (const version v : both) {
    const std::string& other = envelope_ns(v == version::v1_1 ? version::v1_2 : version::v1_1);
    CHECK(w.ask(v, add, foreign("xmlns:o='" + other + "' o:mustUnderstand='1'")).status == 200);
    CHECK(w.ask(v, add, foreign("xmlns:o='" + other + "' o:mustUnderstand='x'")).status == 200);
  }
  const std::string role = "e:role='http://example.org/" + std::string(2048, 'r') + "' ";
  CHECK(w.ask(version::v1_2, add, foreign(role + "e:mustUnderstand='1'")).status == 200);
}

TEST_CASE(
    "a header block in a wrong namespace is reported as such, not as missing",
    "[envelope][rule-4]") {
  const world w;
  for (const version v : both)
    for (const char* wrong : {"urn:x", "http://localhost/Shop/"}) {
      const auto response = w.ask(
          v,
          call("Put", "<Item><Colour>Red</Colour></Item>"),
          std::string("<Session xmlns='") + wrong + "'/>");
      CHECK_THAT(
          fault_of(response).reason,
          Catch::Contains(
              std::string("Header/Session: is in the namespace '") + wrong +
              "'; allowed is the namespace '" + ns + "'"));
    }
}

TEST_CASE("a header block for another node counts as missing", "[envelope][rule-6]") {
  const world w;
  CHECK_THAT(
      fault_of(w.ask(version::v1_1, put, session("e:actor='urn:x'"))).reason,
      Catch::Contains("Session is missing"));
  CHECK_THAT(
      fault_of(w.ask(version::v1_2, put, session("e:role='" + role12 + "none'"))).reason,
      Catch::Contains("Session is missing"));
  const std::string other = session("e:actor='urn:x'", "<Key>9</Key>");
  CHECK(result_of(w.ask(version::v1_1, put, other + session()), "Put") == "7");
}

TEST_CASE(
    "a flag that is not a boolean is a Client fault without a 1.1 detail", "[envelope][rule-6]") {
  const world w;
  for (const version v : both) {
    for (const char* said : {"", "2", "yes", "TRUE", "1 0"}) {
      const auto fault =
          fault_of(w.ask(v, add, foreign("e:mustUnderstand='" + std::string(said) + "'")));
      CHECK(fault.code == client_of(v));
      CHECK_FALSE(fault.has_detail);
      CHECK_THAT(
          fault.reason,
          Catch::Contains("Header/Trace: mustUnderstand is '") &&
              Catch::Contains("allowed are 0 and 1"));
    }
  }
  CHECK_THAT(
      fault_of(w.ask(version::v1_2, add, foreign("e:relay='x'"))).reason,
      Catch::Contains("Header/Trace: relay is 'x'"));
  CHECK(result_of(w.ask(version::v1_1, add, foreign("e:relay='x'")), "Add") == "3");
}

TEST_CASE("a 1.2 header block without a namespace is a Sender fault", "[envelope][rule-6]") {
  const world w;
  const auto fault = fault_of(w.ask(version::v1_2, add, "<Trace/>"));
  CHECK(fault.code == "Sender");
  CHECK_THAT(fault.reason, Catch::Contains("Header/Trace: is in no namespace"));
  CHECK(result_of(w.ask(version::v1_1, add, "<Trace/>"), "Add") == "3");
}

TEST_CASE(
    "a missing required header block is a Client fault without a detail", "[envelope][rule-6]") {
  const world w;
  for (const version v : both) {
    for (const std::string& header :
         {std::string(),
          foreign(""),
          session(
              "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' "
              "i:nil='true'",
              "")}) {
      const auto fault = fault_of(w.ask(v, put, header));
      CHECK(fault.code == client_of(v));
      CHECK_FALSE(fault.has_detail);
      CHECK_THAT(
          fault.reason,
          Catch::Contains("Header: Session is missing") && Catch::Contains("Put") &&
              Catch::Contains("'" + ns + "'"));
    }
  }
}

TEST_CASE("an optional header may be absent, and is read when it is there", "[envelope][rule-6]") {
  const world w;
  for (const version v : both) {
    CHECK(result_of(w.ask(v, call("Who")), "Who") == "no session");
    CHECK(result_of(w.ask(v, call("Who"), session("", "")), "Who") == "nobody");
    CHECK(result_of(w.ask(v, call("Who"), session("", "<User>ann</User>")), "Who") == "ann");
    // A foreign block with the same local name is skipped, like any unknown block.
    CHECK(result_of(w.ask(v, call("Who"), "<Session xmlns='urn:x'/>"), "Who") == "no session");
    CHECK_THAT(
        fault_of(w.ask(v, call("Who"), "<Session/>")).reason,
        Catch::Contains("Session: is in no namespace"));
  }
}

TEST_CASE(
    "a header twice, in another namespace, or with a wrong value is a Client fault",
    "[envelope][rule-6][rule-14]") {
  const world w;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {session() + session(), "may appear only once"},
      {"<Session xmlns='urn:x'><Key>5</Key></Session>",
       "Session: is in the namespace 'urn:x'; "
       "allowed is the namespace '" +
           ns + "'"},
      {session("", "<Key>x</Key>"), "Session/Key: "},
      {session("", "<Wrong/>"),
       "Session: the element 'Wrong' is not known here; allowed are User, Key"},
      {session("", "<User>a</User><User>b</User>"), "Session/User[2]: may appear only once"},
      {session("", "text"), "Session: holds text"}};
  for (const version v : both) {
    for (const auto& [header, expected] : cases) {
      INFO(header);
      const auto fault = fault_of(w.ask(v, put, header));
      CHECK(fault.code == client_of(v));
      CHECK_FALSE(fault.has_detail);
      CHECK_THAT(fault.reason, Catch::Contains(expected));
    }
  }
  const auto fault = fault_of(w.ask(version::v1_1, put, "<Session><Key>5</Key></Session>"));
  CHECK_THAT(fault.reason, Catch::Contains("Session: is in no namespace"));
}

TEST_CASE("SOAP's attributes are ignored inside a header block or the Body", "[envelope][rule-6]") {
  const world w;
  for (const version v : both) {
    const std::string inner = "<Key e:mustUnderstand='nonsense' e:role='urn:x'>5</Key>";
    CHECK(result_of(w.ask(v, put, session("", inner)), "Put") == "7");
    const std::string body = "<Add xmlns='" + ns +
                             "' e:mustUnderstand='1' e:role='urn:x'>"
                             "<A e:mustUnderstand='1'>1</A><B>2</B></Add>";
    CHECK(result_of(w.ask(v, body), "Add") == "3");
  }
}

// --- Rule 6: encodingStyle -----------------------------------------------------------------------

TEST_CASE("encodingStyle is tolerated anywhere in 1.1", "[envelope][rule-6][encodingStyle]") {
  const world w;
  const std::string said = " e:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'";
  const std::string body = "<Add xmlns='" + ns + "'" + said + "><A" + said + ">1</A><B>2</B></Add>";
  const std::string message = raw_envelope(
      version::v1_1,
      "<e:Header" + said + ">" + foreign(said) + "</e:Header><e:Body" + said + ">" + body +
          "</e:Body>",
      said);
  CHECK(result_of(w.post(message, {}), "Add") == "3");
}

TEST_CASE(
    "encodingStyle is tolerated on the 1.2 Envelope, and not inherited from it",
    "[envelope][rule-6][encodingStyle]") {
  const world w;
  for (const char* style : {"http://www.w3.org/2003/05/soap-encoding", "urn:unknown", ""}) {
    const std::string message = raw_envelope(
        version::v1_2,
        "<e:Body>" + add + "</e:Body>",
        " e:encodingStyle='" + std::string(style) + "'");
    CHECK(result_of(w.post(message, {}), "Add") == "3");
  }
}

TEST_CASE(
    "encodingStyle on the 1.2 Header or Body is a Sender fault",
    "[envelope][rule-6][encodingStyle]") {
  const world w;
  const std::string said = " e:encodingStyle='http://www.w3.org/2003/05/soap-encoding'";
  for (const std::string& inside :
       {"<e:Header" + said + "/><e:Body>" + add + "</e:Body>",
        "<e:Body" + said + ">" + add + "</e:Body>"}) {
    const auto response = w.post(raw_envelope(version::v1_2, inside), {});
    CHECK(response.status == 400);
    const auto fault = fault_of(response);
    CHECK(fault.code == "Sender");
    CHECK_THAT(fault.reason, Catch::Contains("encodingStyle 'http://www.w3.org/2003/05/soap-enc"));
  }
}

TEST_CASE(
    "an unknown encoding of the 1.2 payload is DataEncodingUnknown",
    "[envelope][rule-6][encodingStyle]") {
  const world w;
  const auto style = [](const std::string& uri) { return " e:encodingStyle='" + uri + "'"; };
  const std::string none = style("http://www.w3.org/2003/05/soap-envelope/encoding/none");
  const auto ask = [&](const std::string& on_payload, const std::string& on_child) {
    return w.ask(
        version::v1_2,
        "<Add xmlns='" + ns + "'" + on_payload + "><A" + on_child + ">1</A><B>2</B></Add>");
  };
  CHECK(result_of(ask(none, none), "Add") == "3");
  for (const char* uri : {"http://www.w3.org/2003/05/soap-encoding", "urn:unknown"}) {
    const auto response = ask(style(uri), "");
    CHECK(response.status == 500);
    CHECK(fault_of(response).code == "DataEncodingUnknown");
    CHECK_THAT(
        fault_of(response).reason, Catch::Contains("Add: the encoding '" + std::string(uri)));
    const auto inner = fault_of(ask("", style(uri)));
    CHECK(inner.code == "DataEncodingUnknown");
    CHECK_THAT(inner.reason, Catch::Contains("Add/A: the encoding"));
    CHECK(fault_of(w.ask(version::v1_2, put, session(style(uri)))).code == "DataEncodingUnknown");
  }
  const std::string ignored = foreign(style("urn:unknown"));
  CHECK(result_of(w.ask(version::v1_2, add, ignored), "Add") == "3");
}

// --- Rule 7: faults ------------------------------------------------------------------------------

TEST_CASE("a 1.1 fault is exactly this", "[envelope][rule-7]") {
  const world w;
  const auto response = w.ask(version::v1_1, call("Fail", "<How>detail</How>"));
  CHECK(response.status == 500);
  CHECK(
      response.body ==
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope "
      "xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"><soap:Body><soap:Fault>"
      "<faultcode>soap:Client</faultcode>"
      "<faultstring>Not &lt;today&gt; &amp; not tomorrow.</faultstring>"
      "<detail><Problem xmlns=\"http://example.com/soap/Shop\"><Code>17</Code>"
      "<Text>a &lt; b</Text></Problem></detail></soap:Fault></soap:Body></soap:Envelope>");
}

TEST_CASE("a 1.2 fault is exactly this", "[envelope][rule-7]") {
  const world w;
  const auto response = w.ask(version::v1_2, call("Fail", "<How>detail</How>"));
  CHECK(response.status == 400);
  CHECK(
      response.body ==
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap12:Envelope "
      "xmlns:soap12=\"http://www.w3.org/2003/05/soap-envelope\" "
      "xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"><soap12:Body><soap12:Fault>"
      "<soap12:Code><soap12:Value>soap12:Sender</soap12:Value></soap12:Code>"
      "<soap12:Reason><soap12:Text xml:lang=\"en\">Not &lt;today&gt; &amp; not tomorrow."
      "</soap12:Text></soap12:Reason>"
      "<soap12:Detail><Problem xmlns=\"http://example.com/soap/Shop\"><Code>17</Code>"
      "<Text>a &lt; b</Text></Problem></soap12:Detail></soap12:Fault></soap12:Body>"
      "</soap12:Envelope>");
}

TEST_CASE("a fault's code and status are those of its version", "[envelope][rule-7]") {
  const world w;
  const auto ask = [&](version v, const std::string& how) {
    return w.ask(v, call("Fail", "<How>" + how + "</How>"));
  };
  CHECK(fault_of(ask(version::v1_1, "client")).code == "Client");
  CHECK(ask(version::v1_1, "client").status == 500);
  CHECK(fault_of(ask(version::v1_1, "server")).code == "Server");
  CHECK(ask(version::v1_1, "server").status == 500);
  CHECK(fault_of(ask(version::v1_2, "client")).code == "Sender");
  CHECK(ask(version::v1_2, "client").status == 400);
  CHECK(fault_of(ask(version::v1_2, "server")).code == "Receiver");
  CHECK(ask(version::v1_2, "server").status == 500);
  for (const version v : both)
    CHECK(ask(v, "status").status == 503);
}

TEST_CASE(
    "1.1: a fault about the Body has a detail, one about a header has none", "[envelope][rule-7]") {
  const world w;
  const auto ask = [&](version v, const std::string& how) {
    return fault_of(w.ask(v, call("Fail", "<How>" + how + "</How>")));
  };
  CHECK(ask(version::v1_1, "client").has_detail);
  CHECK(ask(version::v1_1, "client").detail.empty());
  CHECK(fault_of(w.ask(version::v1_1, call("Add", "<A>x</A>"))).has_detail);
  CHECK_FALSE(ask(version::v1_1, "about header").has_detail);
  CHECK_FALSE(ask(version::v1_2, "client").has_detail);
  CHECK(ask(version::v1_2, "about header").has_detail);
}

TEST_CASE(
    "typed detail is a record of the service's namespace, and reads back", "[envelope][rule-7]") {
  const world w;
  for (const version v : both) {
    const auto fault = fault_of(w.ask(v, call("Fail", "<How>detail</How>")));
    const document detail(fault.detail);
    CHECK(detail.root().is(ns, "Problem"));
    const auto parts = children(detail.root(), ns, {"Code", "Text"});
    CHECK(parts[0].text() == "17");
    CHECK(parts[1].text() == "a < b");
  }
}

TEST_CASE(
    "a subcode is qualified with the service's namespace in 1.2 and left out in 1.1",
    "[envelope][rule-7]") {
  const world w;
  const std::string body = call("Fail", "<How>subcode</How>");
  CHECK(fault_of(w.ask(version::v1_2, body)).subcode == "{" + ns + "}SoldOut");
  CHECK(fault_of(w.ask(version::v1_2, body)).code == "Sender");
  CHECK(w.ask(version::v1_1, body).body.find("SoldOut") == std::string::npos);
}

TEST_CASE(
    "a subcode of another specification is within the outer one in 1.2, and the faultcode in 1.1",
    "[envelope][rule-7]") {
  using soapsvc::qualified_name;
  const std::string wsa = "http://www.w3.org/2005/08/addressing";
  const auto refused = soapsvc::fault(soapsvc::fault_code::client, "no")
                           .with_subcode("Own")
                           .with_subcode(qualified_name{"urn:o", "Outer"})
                           .with_subcode(qualified_name{wsa, "Inner"});
  std::string response;
  soapsvc::detail::write_fault(response, refused, version::v1_2, ns);
  CHECK(contains(
      response,
      "<soap12:Value>soap12:Sender</soap12:Value><soap12:Subcode><soap12:Value xmlns:tns=\"" + ns +
          "\">tns:Own</soap12:Value><soap12:Subcode><soap12:Value xmlns:ns=\"urn:o\">ns:Outer"
          "</soap12:Value><soap12:Subcode><soap12:Value xmlns:wsa=\"" +
          wsa +
          "\">wsa:Inner</soap12:Value></soap12:Subcode></soap12:Subcode></soap12:Subcode>"
          "</soap12:Code>"));
  CHECK(schema_errors("tests/schemas/soap12-envelope.xsd", {response}) == "");
  CHECK(refused.subcode() == "Own");
  response.clear();
  soapsvc::detail::write_fault(response, refused, version::v1_1, ns);
  CHECK(contains(
      response, "<faultcode xmlns:wsa=\"" + wsa + "\">wsa:Inner</faultcode><faultstring>"));
  CHECK(schema_errors("tests/schemas/soap11-envelope.xsd", {response}) == "");
  CHECK(refused.with_subcode("Own").subcodes() == std::vector<qualified_name>{{"", "Own"}});
}

TEST_CASE(
    "a subcode that is no name is an incident in both versions", "[envelope][rule-7][incident]") {
  world w;
  for (const version v : both) {
    const auto fault = fault_of(w.ask(v, call("Fail", "<How>bad subcode</How>")));
    CHECK(fault.code == (v == version::v1_1 ? "Server" : "Receiver"));
    CHECK(contains(fault.reason, "Incident"));
  }
  REQUIRE(w.errors.size() == 2);
  CHECK(contains(w.errors[0].what, "subcode"));
}

// The fault declared a prefix as "", which XML readers refuse.
TEST_CASE("a block that is not understood has a name and a namespace", "[envelope][regression]") {
  using soapsvc::qualified_name;
  const soapsvc::fault refused(soapsvc::fault_code::must_understand, "no");
  std::string response;
  for (const version v : both) {
    for (const qualified_name& wrong : {qualified_name{"", "B"}, qualified_name{"urn:b", "B C"}})
      CHECK_THROWS_WITH(
          soapsvc::detail::write_fault(response, refused.with_not_understood({wrong}), v, ns),
          Catch::Contains("a header block has a namespace, and an XML name without a colon"));
    soapsvc::detail::write_fault(response, refused.with_not_understood({{"urn:b", "B"}}), v, ns);
  }
}

// --- Rule 8: bytes that are not XML --------------------------------------------------------------

TEST_CASE("DTDs and processing instructions are refused", "[envelope][rule-8][dtd]") {
  const world w;
  for (const version v : both) {
    const std::string message = envelope(v, call("Echo", "<Text>a</Text>"));
    const std::pair<std::string, std::string> cases[] = {
        {"<!DOCTYPE x>" + message, "DTD"},
        {"<!DOCTYPE x [<!ENTITY a 'b'>]>" + message, "DTD"},
        {"<?xml version=\"1.0\"?>\n<!DOCTYPE x SYSTEM \"http://example.com/x.dtd\">" + message,
         "DTD"},
        {"<?php echo 1 ?>" + message, "processing instruction"},
        {message + "<?after?>", "processing instruction"},
        {envelope(v, call("Echo", "<Text><?in side?></Text>")), "processing instruction"},
        {envelope(v, "<?a b?>" + add), "processing instruction"}};
    for (const auto& [bytes, expected] : cases) {
      INFO(bytes);
      const auto fault = fault_of(w.post(bytes, {{"Content-Type", content_type(v)}}));
      CHECK(fault.code == client_of(v));
      CHECK_THAT(fault.reason, Catch::Contains(expected) && Catch::Contains("line "));
    }
  }
}

TEST_CASE(
    "what is not well-formed is a Client fault in the version of the media type",
    "[envelope][rule-8][content-type]") {
  const world w;
  const std::vector<std::string> cases = {
      "",
      " ",
      "hello",
      "{\"a\":1}",
      "<a>",
      "<a></b>",
      "<a/><b/>",
      "<a b=c/>",
      "<a b='1' b='2'/>",
      "<x:a/>",
      "<a>&undefined;</a>",
      "<a>\x01</a>",
      "<a>\xff</a>",
      "<a>\xc0\x80</a>",
      std::string("<a>\0</a>", 8),
      "<a>]]></a>",
      "<a b='<'/>",
      "\xef\xbb\xbf<a",
      "<a>&#0;</a>"};
  for (const version v : both) {
    for (const std::string& bytes : cases) {
      INFO(bytes);
      const auto fault = fault_of(w.post(bytes, {{"Content-Type", content_type(v)}}));
      CHECK(fault.in == v);
      CHECK(fault.code == client_of(v));
      CHECK_THAT(fault.reason, Catch::Contains("line 1, column "));
    }
  }
}

TEST_CASE(
    "other encodings are converted, and unknown ones are refused with 415",
    "[envelope][rule-8][encoding]") {
  using namespace std::string_literals;
  const world w;
  const auto wide = [](const std::string& ascii, bool little) {
    std::string out = little ? "\xff\xfe" : "\xfe\xff";
    for (const char c : ascii) {
      if (little)
        out += {c, '\0'};
      else
        out += {'\0', c};
    }
    return out;
  };
  for (const version v : both) {
    const std::string type = v == version::v1_1 ? "text/xml" : "application/soap+xml";
    const std::string message = envelope(v, call("Echo", "<Text>ok</Text>"));
    CHECK(result_of(w.post(wide(message, true), {{"Content-Type", type}}), "Echo") == "ok");
    CHECK(
        result_of(
            w.post(wide(message, false), {{"Content-Type", type + "; charset=utf-16"}}), "Echo") ==
        "ok");
    const std::string latin = envelope(v, call("Echo", "<Text>\xe9</Text>"));
    CHECK(
        result_of(w.post(latin, {{"Content-Type", type + "; charset=ISO-8859-1"}}), "Echo") ==
        "\xc3\xa9");
    const std::string windows = envelope(v, call("Echo", "<Text>\x80</Text>"));
    CHECK(
        result_of(w.post(windows, {{"Content-Type", type + "; charset=windows-1252"}}), "Echo") ==
        "\u20ac");
    const auto refused = w.post(message, {{"Content-Type", type + "; charset=ebcdic-cp-us"}});
    CHECK(refused.status == 415);
    CHECK(fault_of(refused).code == client_of(v));
    CHECK_THAT(fault_of(refused).reason, Catch::Contains("ebcdic-cp-us"));
    // In every spelling of the parameter.
    for (const char* charset :
         {";charset=UTF-8",
          "; charset=\"utf-8\"",
          "; x=\"a;charset=koi8-r\"; Charset=utf-8",
          "; charset=",
          "; charset=\"\"",
          ";;; x=y ; CHARSET = utf-8 ;"})
      CHECK(
          result_of(
              w.post(
                  envelope(v, call("Echo", "<Text>\xc3\xa9</Text>")),
                  {{"Content-Type", type + charset}}),
              "Echo") == "\xc3\xa9");
    // By the declaration, or by the bytes themselves.
    const std::string declared = "<?xml version='1.0' encoding='shift_jis'?>";
    const std::string ucs4 = "\0\0\0<\0\0\0e"s, ebcdic = "\x4c\x6f\xa7\x94\x93"s;
    for (const std::string& bytes : {declared + message, ucs4, ebcdic}) {
      const auto response = w.post(bytes, {{"Content-Type", type}});
      CHECK(response.status == 415);
      CHECK(fault_of(response).code == client_of(v));
      CHECK_THAT(fault_of(response).reason, Catch::Contains("use UTF-8, UTF-16"));
    }
  }
}
