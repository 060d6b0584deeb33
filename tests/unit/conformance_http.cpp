// The HTTP bindings of SOAP 1.1 (the note, 6) and SOAP 1.2 (part 2, 7), and what the WS-I Basic
// Profiles ask of HTTP, over loopback: exact bytes out, responses read strictly. Then requests in
// the shapes that clients were seen to send. tests/assertions.md lists the assertions.
#include <catch2/catch.hpp>

#if defined(SERVED_BY_HTTPLIB)
#include "mounted.hpp"
using serving = net::mounted_server;
constexpr int unknown_method = 400;  // cpp-httplib refuses it by itself
#else
#include "../net.hpp"
using serving = net::server;
constexpr int unknown_method = 405;
#endif

using namespace net;

namespace {

const std::string soap11 = "http://schemas.xmlsoap.org/soap/envelope/";
const std::string soap12 = "http://www.w3.org/2003/05/soap-envelope";
const std::string ns = "http://example.com/soap/Desk";
const std::string type12 = "application/soap+xml; charset=\"utf-8\"";

/// A request with exactly these header lines, Host and Content-Length.
std::string raw(
    const std::string& line, const std::vector<std::string>& fields, const std::string& body) {
  std::string text = line + "\r\nHost: www.example.com\r\n";
  for (const std::string& field : fields)
    text += field + "\r\n";
  return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string post12(const std::string& body, const std::string& type = type12) {
  return raw("POST " + path + " HTTP/1.1", {"Content-Type: " + type}, body);
}
std::string envelope12(const std::string& inside) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<env:Envelope xmlns:env=\"" + soap12 +
         "\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\""
         " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">" +
         inside + "</env:Envelope>";
}
const std::string echo12 = envelope12(
    "<env:Body><m:Echo xmlns:m='" + ns +
    "'><m:Text xsi:type='xsd:string'>hello world</m:Text></m:Echo></env:Body>");

/// Whether a response is a fault with this code, in the media type of 1.2.
bool is_fault12(const response& got, const std::string& code) {
  return got.field("content-type") == "application/soap+xml; charset=utf-8" &&
         got.holds("<soap12:Value>soap12:" + code + "</soap12:Value>");
}
bool is_fault11(const response& got, const std::string& code) {
  return got.field("content-type") == "text/xml; charset=utf-8" &&
         got.holds("<faultcode>soap:" + code + "</faultcode>");
}

}  // namespace

TEST_CASE(
    "a 1.2 request is answered 200 with a 1.2 envelope in its media type",
    "[conformance][TH1][x2-httpmediatype-mediatype][x2-http-reqbindreqstate-reqfld]"
    "[x2-http-reqbindwaitstate-trans][x2-http-respbindprocess-reshdr]") {
  serving at;
  for (const char* type :
       {"application/soap+xml; charset=\"utf-8\"",
        "application/soap+xml;charset=utf-8",
        "application/soap+xml",
        "Application/SOAP+XML ; Charset=UTF-8",
        "application/soap+xml; charset=utf-8; action=\"http://example.com/soap/Desk/Echo\"",
        "application/soap+xml; action=\"\"; charset=utf-8"}) {
    const response got = ask(at.port, post12(echo12, type));
    CHECK(got.head.substr(0, 15) == "HTTP/1.1 200 OK");
    CHECK(got.field("content-type") == "application/soap+xml; charset=utf-8");
    CHECK(got.holds("<soap12:Envelope xmlns:soap12=\"" + soap12 + "\""));
    CHECK(got.holds("<EchoResult>hello world</EchoResult>"));
  }
}

TEST_CASE(
    "faults of 1.2 have the statuses of part 2",
    "[conformance][TH2][TH3][TH4][x2-http-respbindprocess-fltmap][x2-http-respbindprocess-reshdr]"
    "[x2-http-reqbindwaitstate-trans][R1126]") {
  serving at;
  const std::string block =
      "<t:T xmlns:t='urn:t' env:role='" + soap12 + "/role/next' env:mustUnderstand='1'>foo</t:T>";
  const std::string header = "<env:Header>" + block + "</env:Header>";
  const response missing = ask(at.port, post12(envelope12(header)));
  CHECK(missing.head.substr(0, 24) == "HTTP/1.1 400 Bad Request");
  CHECK(is_fault12(missing, "Sender"));

  std::string other = echo12;
  other.replace(other.find(soap12), soap12.size(), "http://schemas.xmlsoap.org/soap/envelope");
  const response wrong = ask(at.port, post12(other));
  CHECK(wrong.head.substr(0, 34) == "HTTP/1.1 500 Internal Server Error");
  CHECK(is_fault12(wrong, "VersionMismatch"));
  CHECK(wrong.holds("<soap12:SupportedEnvelope qname=\"soap12:Envelope\" />"));

  const response unknown = ask(at.port, post12(envelope12(header + "<env:Body/>")));
  CHECK(unknown.status == 500);
  CHECK(is_fault12(unknown, "MustUnderstand"));
  CHECK(unknown.holds("<soap12:NotUnderstood qname=\"ns:T\" xmlns:ns=\"urn:t\" />"));

  const std::string poison =
      envelope12("<env:Body><Echo xmlns='" + ns + "' env:encodingStyle='urn:p'/></env:Body>");
  CHECK(is_fault12(ask(at.port, post12(poison)), "DataEncodingUnknown"));
  CHECK(ask(at.port, post12(poison)).status == 500);
  const std::string failing = envelope12("<env:Body><Fail xmlns='" + ns + "'/></env:Body>");
  CHECK(is_fault12(ask(at.port, post12(failing)), "Receiver"));
  CHECK(ask(at.port, post12(failing)).status == 500);
}

TEST_CASE(
    "errors before there is a SOAP message have their own status",
    "[conformance][TH5][x2-http-respbindreceive-initerror][R1113][R1114][R1115][R1125]") {
  serving at;
  CHECK(ask(at.port, "POST " + path + " SOAP/1.2\r\n\r\n").status == 400);
  CHECK(ask(at.port, "POST " + path + "\r\nHost: h\r\n\r\n").status == 400);
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS"}) {
    const response got = ask(
        at.port, raw(std::string(method) + " " + path + " HTTP/1.1", {"Content-Type: a/b"}, ""));
    CHECK(got.status == 405);
    CHECK(got.field("allow") == "GET, HEAD, POST");
  }
  const response mpeg = ask(at.port, post12(echo12, "audio/mpeg"));
  CHECK(mpeg.head.substr(0, 35) == "HTTP/1.1 415 Unsupported Media Type");
  CHECK_FALSE(mpeg.body.empty());  // with the reason: rule 15
  CHECK(at.desk.calls == 0);
}

TEST_CASE(
    "a 1.1 request is answered 200, and every fault 500, as text/xml",
    "[conformance][S11-6a][S11-6.1a][S11-6.2a][S11-6.2b][R1124][R1111][R1126][R1018][R1019]") {
  serving at;
  const auto ask11 = [&at](const std::string& body) {
    return ask(
        at.port,
        raw("POST " + path + " HTTP/1.1",
            {"Content-Type: text/xml; charset=\"utf-8\"", "SOAPAction: \"\""},
            body));
  };
  const response good = ask11(echo("hello"));
  CHECK(good.status == 200);
  CHECK(good.field("content-type") == "text/xml; charset=utf-8");
  CHECK(good.holds("<soap:Envelope xmlns:soap=\"" + soap11 + "\""));
  CHECK(is_fault11(ask11(envelope("Nothing")), "Client"));
  CHECK(is_fault11(ask11(envelope("Fail")), "Server"));
  CHECK(is_fault11(ask11("no XML"), "Client"));
  for (const std::string& body : {envelope("Nothing"), envelope("Fail"), std::string("no XML")})
    CHECK(ask11(body).status == 500);
}

TEST_CASE(
    "POST carries SOAP, the extension framework's M-POST does not",
    "[conformance][S11-6.3a][R1132][R1108]") {
  serving at;
  const std::vector<std::string> fields = {
      "Content-Type: text/xml", "Man: \"" + soap11 + "\"; ns=01", "01-SOAPAction: \"urn:x\""};
  const response forced = ask(at.port, raw("M-POST " + path + " HTTP/1.1", fields, echo("x")));
  CHECK(forced.status == unknown_method);
  CHECK(forced.field("ext").empty());
  // A caller that tries the framework with POST is served: its fields mean nothing here.
  CHECK(ask(at.port, raw("POST " + path + " HTTP/1.1", fields, echo("x"))).status == 200);
  client page(at.port);
  page.send(raw("GET " + path + " HTTP/1.1", {"Connection: close"}, echo("x")));
  CHECK(page.read_to_end().find("<html") != std::string::npos);
  CHECK(at.desk.calls == 1);
}

TEST_CASE("HTTP/1.1 and HTTP/1.0 both carry SOAP", "[conformance][R1140][R1141][R1130]") {
  serving at;
  for (const char* protocol : {"HTTP/1.1", "HTTP/1.0"}) {
    const response got = ask(
        at.port, raw("POST " + path + " " + protocol, {"Content-Type: text/xml"}, echo("hello")));
    CHECK(got.head.substr(0, 15) == "HTTP/1.1 200 OK");
    CHECK(got.holds("hello"));
    CHECK(got.field("location").empty());
    CHECK(got.field("set-cookie").empty());
  }
}

// --- The shapes that clients were seen to send ---------------------------------------------------

namespace {

struct shape {
  const char* what;
  std::vector<std::string> fields;
  std::string body;
  bool v12 = false;
};

/// One request for each family of clients. Nothing is shared, because the differences matter.
std::vector<shape> shapes() {
  const std::string xsi = "http://www.w3.org/2001/XMLSchema-instance";
  const std::string xsd = "http://www.w3.org/2001/XMLSchema";
  const std::string text = "<Echo xmlns=\"" + ns + "\"><Text>hello</Text></Echo>";
  return {
      {"generated by an IDE: xsi and xsd declared, action quoted, a BOM before the declaration",
       {"User-Agent: Mozilla/4.0 (compatible; Web Services Client Protocol)",
        "Content-Type: text/xml; charset=utf-8",
        "SOAPAction: \"" + ns + "/Echo\"",
        "Connection: Keep-Alive"},
       "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"" +
           soap11 + "\" xmlns:xsi=\"" + xsi + "\" xmlns:xsd=\"" + xsd + "\"><soap:Body>" + text +
           "</soap:Body></soap:Envelope>"},
      {"1.2 with the action in the media type and in SOAPAction",
       {"Content-Type: application/soap+xml; charset=utf-8; action=\"" + ns + "/Echo\"",
        "SOAPAction: \"" + ns + "/Echo\"",
        "Accept-Encoding: identity"},
       "<s:Envelope xmlns:s=\"" + soap12 + "\"><s:Header/><s:Body xmlns:xsi=\"" + xsi + "\">" +
           text + "</s:Body></s:Envelope>",
       true},
      {"two prefixes for one namespace, both used",
       {"Accept: text/xml, multipart/related",
        "Content-Type: text/xml;charset=UTF-8",
        "SOAPAction: \"" + ns + "/Echo\""},
       "<?xml version='1.0' encoding='UTF-8' standalone='no'?><S:Envelope xmlns:S=\"" + soap11 +
           "\"><S:Body><ns2:Echo xmlns=\"" + ns + "\" xmlns:ns2=\"" + ns + "\" xmlns:ns3=\"" + ns +
           "\"><ns3:Text>hello</ns3:Text></ns2:Echo></S:Body></S:Envelope>"},
      {"a script with everything declared on the Envelope, encodingStyle and types",
       {"Accept: text/xml, multipart/*, application/soap",
        "Content-Type: text/xml; charset=utf-8",
        "SOAPAction: \"" + ns + "#Echo\""},
       "<?xml version=\"1.0\" encoding=\"UTF-8\"?><soap:Envelope soap:encodingStyle=\""
       "http://schemas.xmlsoap.org/soap/encoding/\" xmlns:soap=\"" +
           soap11 + "\" xmlns:soapenc=\"http://schemas.xmlsoap.org/soap/encoding/\" xmlns:xsd=\"" +
           xsd + "\" xmlns:xsi=\"" + xsi + "\"><soap:Body><Echo xmlns=\"" + ns +
           "\"><Text xsi:type=\"xsd:string\">hello</Text></Echo></soap:Body></soap:Envelope>"},
      {"prefixes SOAP-ENV and ns1, a line end after the declaration and at the end",
       {"Content-Type: text/xml; charset=utf-8", "SOAPAction: \"" + ns + "/Echo\""},
       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"" + soap11 +
           "\" xmlns:ns1=\"" + ns +
           "\"><SOAP-ENV:Body><ns1:Echo><ns1:Text>hello</ns1:Text></ns1:Echo></SOAP-ENV:Body>"
           "</SOAP-ENV:Envelope>\n"},
      {"a header without content, nested declarations, a field name in lower case",
       {"content-type: text/xml; charset=utf-8", "soapaction: \"" + ns + "/Echo\""},
       "<soap-env:Envelope xmlns:soap-env=\"" + soap11 +
           "\"><soap-env:Header></soap-env:Header><soap-env:Body><ns0:Echo xmlns:ns0=\"" + ns +
           "\"><ns0:Text>hello</ns0:Text></ns0:Echo></soap-env:Body></soap-env:Envelope>"},
      {"pasted together, with a bare SOAPAction and a layout of its own",
       {"Content-Type: text/xml", "SOAPAction: " + ns + "/Echo"},
       "\n\n  <soapenv:Envelope\n\txmlns:soapenv=\"" + soap11 + "\"\n\txmlns:web=\"" + ns +
           "\">\n  <soapenv:Header/>\n  <soapenv:Body>\n    <web:Echo>\n      <web:Text>hello</"
           "web:Text>\n    </web:Echo>\n  </soapenv:Body>\n</soapenv:Envelope>\n\n"},
      {"a field SOAPAction without a value",
       {"Content-Type: text/xml; charset=utf-8", "SOAPAction:"},
       "<Envelope xmlns=\"" + soap11 + "\"><Body>" + text + "</Body></Envelope>"},
      {"no SOAPAction, and a value in CDATA",
       {"Content-Type: text/xml"},
       "<e:Envelope xmlns:e='" + soap11 + "'><e:Body><Echo xmlns='" + ns +
           "'><Text><![CDATA[hello]]></Text></Echo></e:Body></e:Envelope>"},
      {"the media type of plain XML, and a comment",
       {"Content-Type: application/xml", "Accept: */*"},
       "<!-- by hand --><e:Envelope xmlns:e='" + soap11 + "'><e:Body><!-- - -->" + text +
           "</e:Body></e:Envelope>"},
  };
}

}  // namespace

TEST_CASE("requests in the shapes of real clients are served", "[conformance][rule-15]") {
  serving at;
  for (const shape& each : shapes()) {
    INFO(each.what);
    const std::string whole = raw("POST " + path + " HTTP/1.1", each.fields, each.body);
    const response got = ask(at.port, whole);
    INFO(got.body);
    CHECK(got.status == 200);
    CHECK(got.holds("<EchoResult>hello</EchoResult>"));
    CHECK(
        got.field("content-type") ==
        (each.v12 ? "application/soap+xml; charset=utf-8" : "text/xml; charset=utf-8"));
    // The same in chunks, after Expect: 100-continue.
    client caller(at.port);
    std::string head = "POST " + path +
                       " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                       "Transfer-Encoding: chunked\r\n";
    for (const std::string& field : each.fields)
      head += field + "\r\n";
    caller.send(head + "\r\n");
    CHECK(caller.read().status == 100);
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", each.body.size());
    CHECK(caller.ask(size + each.body + "\r\n0\r\n\r\n").holds("<EchoResult>hello"));
  }
}

TEST_CASE(
    "the WSDL is fetched in any letter case, and a Connection: close is announced and obeyed",
    "[conformance][rule-15][R0001]") {
  serving at;
  for (const char* query : {"?wsdl", "?WSDL", "?Wsdl", "?singleWsdl"}) {
    client caller(at.port);
    const response got = caller.ask(get(path + query, "Connection: close\r\n"));
    CHECK(got.status == 200);
    CHECK(got.field("content-type") == "text/xml; charset=utf-8");
    CHECK(got.holds("<wsdl:definitions"));
    CHECK(got.closes());
    CHECK(caller.is_closed());
  }
  const response kept = ask(at.port, get(path + "?wsdl"));
  CHECK_FALSE(kept.closes());
}
