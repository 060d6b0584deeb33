// [facts], [call] and [dispatch]: from the HTTP facts and bytes of a request to those of a
// response. Written from rules 1, 3 to 7 and 9 to 11 of tests/README.md, SOAP 1.1, 6, and SOAP 1.2
// part 2, 7.
#include "../failing_new.hpp"
#include "../support.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <new>
#include <thread>

using namespace support;

namespace {

const std::string add = call("Add", "<A>1</A><B>2</B>");

std::string client_of(version v) { return v == version::v1_1 ? "Client" : "Sender"; }
std::string server_of(version v) { return v == version::v1_1 ? "Server" : "Receiver"; }

std::string reason(const soapsvc::http_response& response) { return fault_of(response).reason; }

soapsvc::http_response fail(const world& w, version v, const std::string& how) {
  return w.ask(v, call("Fail", "<How>" + how + "</How>"));
}

std::string header_of(const soapsvc::http_response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return "(none)";
}

/// The address in the WSDL.
std::string address_of(const soapsvc::http_response& response) {
  const std::string begin = "<soap:address location=\"";
  const std::size_t at = response.body.find(begin);
  if (at == std::string::npos) return response.body;
  const std::size_t from = at + begin.size();
  return response.body.substr(from, response.body.find('"', from) - from);
}

}  // namespace

// --- Rule 3: dispatch and actions ----------------------------------------------------------------

TEST_CASE(
    "an operation is chosen by the qualified name of the Body's child", "[dispatch][rule-3]") {
  const world w;
  for (const version v : both) {
    CHECK(result_of(w.ask(v, add), "Add") == "3");
    CHECK(result_of(w.ask(v, call("OldAdd", "<A>1</A><B>2</B>")), "OldAdd") == "3");
  }
}

TEST_CASE(
    "a Body child that is no operation is a Client fault that lists the operations",
    "[dispatch][rule-3]") {
  const world w;
  for (const version v : both) {
    for (const auto& [body, found] : std::vector<std::pair<std::string, std::string>>{
             {call("Sub"), "Body: 'Sub' in the namespace '" + ns + "'"},
             {call("add"), "Body: 'add' in the namespace '" + ns + "'"},
             {"<Add/>", "Body: 'Add' in no namespace"},
             {"<Add xmlns='urn:x'/>", "Body: 'Add' in the namespace 'urn:x'"},
             {"<Add xmlns='" + ns + "/'/>", "Body: 'Add' in the namespace '" + ns + "/'"},
             {call("AddResponse"), "Body: 'AddResponse'"},
             {"<e:Fault/>", "Body: 'Fault'"}}) {
      const auto fault = fault_of(w.ask(v, body));
      CHECK(fault.code == client_of(v));
      CHECK_THAT(
          fault.reason,
          Catch::Contains(found) && Catch::Contains("Add, OldAdd, Echo") &&
              Catch::Contains("in the namespace '" + ns + "'"));
    }
  }
}

TEST_CASE("an action may be quoted, bare, empty or absent", "[dispatch][rule-3][SOAPAction]") {
  const world w;
  const std::string action = ns + "/Add";
  for (const version v : both) {
    CHECK(w.ask(v, add).status == 200);
    for (const std::string& value :
         {"\"" + action + "\"",
          action,
          std::string(),
          std::string("\"\""),
          std::string(" "),
          std::string("\" \""),
          " \"" + action + "\" ",
          "\" " + action + " \"",
          std::string("Add"),
          std::string("\"Add\""),
          "\"" + ns + "#Add\"",
          std::string("\"urn:Add\""),
          "\"" + ns + "/ShopSoap/AddRequest\"",
          ns,
          ns + "/"}) {
      INFO(value);
      CHECK(w.ask(v, add, "", {{"SOAPAction", value}}).status == 200);
      CHECK(w.ask(v, add, "", {{"soapaction", value}}).status == 200);
    }
    const std::string type = v == version::v1_1 ? "text/xml" : "application/soap+xml";
    for (const std::string& parameter :
         {"; action=\"" + action + "\"",
          "; action=" + action,
          std::string("; action=\"\""),
          std::string("; action="),
          ";charset=utf-8;ACTION=\"" + action + "\"",
          "; action=\"" + action + "\"; charset=utf-8",
          "; foo=\"a;b\"; action=\"" + action + "\""}) {
      INFO(parameter);
      CHECK(w.post(envelope(v, add), {{"Content-Type", type + parameter}}).status == 200);
    }
  }
}

TEST_CASE(
    "an action that names another operation is a Client fault", "[dispatch][rule-3][SOAPAction]") {
  const world w;
  for (const version v : both) {
    const std::string type = v == version::v1_1 ? "text/xml" : "application/soap+xml";
    for (const std::string& action :
         {ns + "/OldAdd",
          ns + "/Nothing",
          std::string("OldAdd"),
          ns + "/Add2",
          ns + "/Request",
          ns + "/add",
          std::string("urn:example:else"),
          base + "/Other/Echo",
          ns + "/Echo/",
          std::string("#")}) {
      for (const std::string& value : {"\"" + action + "\"", action}) {
        INFO(value);
        const auto fault = fault_of(w.ask(v, add, "", {{"SOAPAction", value}}));
        CHECK(fault.code == client_of(v));
        CHECK_THAT(
            fault.reason,
            Catch::Contains("SOAPAction: '" + action + "'") && Catch::Contains("Add of the Body") &&
                Catch::Contains("allowed is '" + ns + "/Add'"));
        CHECK(
            fault_of(w.post(envelope(v, add), {{"Content-Type", type + "; action=" + value}}))
                .reason == fault.reason);
      }
    }
  }
}

TEST_CASE(
    "SOAPAction and the action parameter are both checked",
    "[dispatch][rule-3][rule-15][SOAPAction]") {
  const world w;
  const std::string good = "\"" + ns + "/Add\"";
  const std::string bad = "\"" + ns + "/Echo\"";
  const auto ask = [&](const std::string& header, const std::string& parameter) {
    return w
        .post(
            envelope(version::v1_2, add),
            {{"SOAPAction", header}, {"Content-Type", "application/soap+xml; action=" + parameter}})
        .status;
  };
  CHECK(ask(good, good) == 200);
  CHECK(ask(bad, good) == 400);
  CHECK(ask(good, bad) == 400);
  CHECK(
      w.post(envelope(version::v1_1, add), {{"SOAPAction", good}, {"SOAPAction", bad}}).status ==
      500);
}

// --- Rules 4 and 5: the payload, as the caller sees it -------------------------------------------

TEST_CASE("children come in any order", "[dispatch][rule-4]") {
  const world w;
  for (const version v : both)
    CHECK(result_of(w.ask(v, call("Add", "<B>2</B><!-- --><A> 1 </A>")), "Add") == "3");
}

TEST_CASE(
    "an unknown, wrongly qualified or repeated child is a Client fault with its path",
    "[dispatch][rule-4]") {
  const world w;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"<A>1</A><B>2</B><C>3</C>", "Add: the element 'C' is not known here; allowed are A, B"},
      {"<A xmlns=''>1</A><B>2</B>",
       "Add/A: is in no namespace; allowed is the namespace '" + ns + "'"},
      {"<A xmlns='urn:x'>1</A><B>2</B>", "Add/A: is in the namespace 'urn:x'; allowed is"},
      {"<A>1</A><A>1</A><B>2</B>", "Add/A[2]: may appear only once"},
      {"<A>1</A><B>2</B><C xmlns=''/>", "Add: the element 'C'"},
      {"<A>1</A><B>2</B>x", "Add: holds text"}};
  for (const version v : both) {
    for (const auto& [content, expected] : cases) {
      const auto fault = fault_of(w.ask(v, call("Add", content)));
      CHECK(fault.code == client_of(v));
      CHECK_THAT(fault.reason, Catch::Contains(expected));
    }
    CHECK(
        result_of(
            w.ask(
                v,
                call(
                    "Add",
                    "<x:A xmlns:x='" + ns +
                        "'>1</x:A><B>2</B>"
                        "<C xmlns='urn:x'><deep>1</deep></C>")),
            "Add") == "3");
  }
}

TEST_CASE("an operation without parameters refuses children", "[dispatch][rule-4]") {
  const world w;
  for (const version v : both) {
    CHECK(result_of(w.ask(v, call("Ping")), "Ping") == "(none)");
    CHECK_THAT(
        reason(w.ask(v, call("Ping", "<A/>"))),
        Catch::Contains("Ping: the element 'A' is not known here; allowed is no element"));
    CHECK_THAT(reason(w.ask(v, call("Ping", "x"))), Catch::Contains("Ping: holds text"));
  }
}

TEST_CASE("unknown elements are ignored when the host says so", "[dispatch][rule-5]") {
  soapsvc::dispatcher_options options;
  options.unknown_elements = soapsvc::unknown_elements::ignore;
  const world w(options);
  for (const version v : both) {
    CHECK(result_of(w.ask(v, call("Add", "<A>1</A><New>9</New><B>2</B>")), "Add") == "3");
    CHECK(fault_of(w.ask(v, call("Add", "<A xmlns='urn:x'>1</A><B>2</B>"))).code == client_of(v));
    CHECK(
        result_of(w.ask(v, call("Put"), "<Session xmlns='" + ns + "'><New/></Session>"), "Put") ==
        "0");
  }
}

TEST_CASE("a missing or wrong value is a Client fault with path and value", "[dispatch][rule-5]") {
  const world w;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {call("Add", "<A>1</A>"), "Add/B: is missing"},
      {call("Add", "<A>1</A><B>2147483648</B>"), "Add/B: '2147483648' is not a whole number"},
      {call("Add", "<A>1</A><B/>"), "Add/B: '' is not a whole number"},
      {call("Add", "<A>1</A><B xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='1'/>"),
       "Add/B: is nil, but a value is required"},
      {call("List", "<Count>many</Count>"), "List/Count: 'many'"}};
  for (const version v : both)
    for (const auto& [body, expected] : cases)
      CHECK_THAT(reason(w.ask(v, body)), Catch::Contains(expected));
  const std::string header = "<Session xmlns='" + ns + "'/>";
  CHECK_THAT(
      reason(w.ask(version::v1_2, call("Put", "<Item><Colour>Blue</Colour></Item>"), header)),
      Catch::Contains("Put/Item/Colour: 'Blue' is not one of Red, DarkBlue"));
  CHECK_THAT(
      reason(w.ask(
          version::v1_2,
          call(
              "Put",
              "<Item><Colour>Red</Colour><Size><Width>1</Width>"
              "</Size><Size/></Item>"),
          header)),
      Catch::Contains("Put/Item/Size[2]/Width: is missing"));
}

TEST_CASE(
    "xsi:type may name the declared type, or any built-in one on a simple element",
    "[dispatch][rule-6][xsi:type]") {
  const world w;
  const std::string names =
      " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' "
      "xmlns:x='http://www.w3.org/2001/XMLSchema' xmlns:t='" +
      ns + "' ";
  const std::string session = "<Session xmlns='" + ns + "'" + names + "i:type='t:Session'/>";
  for (const version v : both) {
    const auto ask = [&](const std::string& type) {
      return w.ask(v, call("Add", "<A" + names + "i:type='" + type + "'>1</A><B>2</B>"));
    };
    for (const char* type : {"x:int", "x:string", " x:anyType "})
      CHECK(ask(type).status == 200);
    for (const char* type : {"x:nothing", "y:int", "t:Item", ""})
      CHECK_THAT(
          reason(ask(type)),
          Catch::Contains("Add/A: xsi:type names '") && Catch::Contains("allowed is 'int'"));
    const auto put = [&](const std::string& type) {
      return w.ask(
          v,
          call("Put", "<Item" + names + "i:type='" + type + "'><Colour>Red</Colour></Item>"),
          session);
    };
    CHECK(put("t:Item").status == 200);
    CHECK_THAT(reason(put("t:Size")), Catch::Contains("Put/Item: xsi:type names 't:Size'"));
    CHECK_THAT(reason(put("x:string")), Catch::Contains("Put/Item: xsi:type names 'x:string'"));
  }
}

TEST_CASE("absent and empty strings differ and survive the round trip", "[dispatch][rule-5]") {
  const world w;
  for (const version v : both) {
    CHECK(result_of(w.ask(v, call("Echo")), "Echo") == "(none)");
    CHECK(w.ask(v, call("Echo")).body.find("EchoResult") == std::string::npos);
    CHECK(contains(w.ask(v, call("Echo", "<Text/>")).body, "<EchoResult />"));
    CHECK(contains(w.ask(v, call("Echo", "<Text></Text>")).body, "<EchoResult />"));
    const std::string nil =
        "<Text xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='true'/>";
    CHECK(result_of(w.ask(v, call("Echo", nil)), "Echo") == "(none)");
    CHECK(
        result_of(
            w.ask(v, call("Echo", "<Text> \xc3\xa9&amp;&lt;<![CDATA[<&]]>&#13;\n </Text>")),
            "Echo") == " \xc3\xa9&<<&\r\n ");
  }
}

TEST_CASE("results of every shape are written", "[dispatch]") {
  const world w;
  for (const version v : both) {
    CHECK(contains(w.ask(v, call("Ping")).body, "<PingResponse xmlns=\"" + ns + "\" />"));
    CHECK(contains(
        w.ask(v, call("Numbers", "<Count>2</Count>")).body,
        "<NumbersResult><int>7</int><int>7</int></NumbersResult>"));
    CHECK(contains(w.ask(v, call("Numbers", "<Count>0</Count>")).body, "<NumbersResult />"));
    CHECK(contains(
        w.ask(v, call("List", "<Count>1</Count>")).body,
        "<ListResult><Item><Id>1</Id><Colour>Red</Colour><Size><Width>1</Width></Size>"
        "</Item></ListResult>"));
    CHECK(contains(
        w.ask(v, call("Find", "<Count>4</Count>")).body,
        "<FindResult><Id>4</Id><Name>pen</Name><Colour>DarkBlue</Colour></FindResult>"));
  }
}

// --- Rule 7: incidents ---------------------------------------------------------------------------

TEST_CASE(
    "an unexpected exception is one fixed text with an incident id that is in the log",
    "[dispatch][rule-7][incident]") {
  for (const version v : both) {
    for (const char* how :
         {"exception", "number", "bad reason", "bad detail", "control character", "bad utf-8"}) {
      INFO(how);
      world w;
      const auto response = fail(w, v, how);
      CHECK(response.status == 500);
      const auto fault = fault_of(response);
      CHECK(fault.in == v);
      CHECK(fault.code == server_of(v));
      CHECK_FALSE(contains(response.body, "marked secret"));
      CHECK_FALSE(contains(response.body, "before"));
      CHECK_FALSE(contains(response.body, "Problem"));
      REQUIRE(w.errors.size() == 1);
      const auto& error = w.errors[0];
      CHECK(error.incident.size() == 16);
      CHECK(
          fault.reason ==
          "The server could not process the request. Incident " + error.incident + ".");
      CHECK(error.service == "Shop");
      CHECK(error.operation == "Fail");
      CHECK_FALSE(error.what.empty());
      CHECK(error.request_id == header_of(response, "X-Request-Id"));
      REQUIRE(w.calls.size() == 1);
      CHECK(w.calls[0].reason == fault.reason);
    }
  }
}

TEST_CASE("the log gets the exception's own text", "[dispatch][rule-7]") {
  world w;
  fail(w, version::v1_1, "exception");
  fail(w, version::v1_1, "exception");
  REQUIRE(w.errors.size() == 2);
  CHECK(w.errors[0].what == "marked secret of the store");
  CHECK(w.errors[0].incident != w.errors[1].incident);
}

TEST_CASE("a fault that a handler throws is no incident", "[dispatch][rule-7][incident]") {
  world w;
  CHECK(reason(fail(w, version::v1_1, "server")) == "Closed.");
  CHECK(w.errors.empty());
}

TEST_CASE("a service without observers answers incidents, too", "[dispatch][rule-7][incident]") {
  Shop shop;
  soapsvc::dispatcher_options options;
  options.ns_base = base;
  soapsvc::dispatcher dispatcher(options);
  dispatcher.add(shop);
  const std::string body = envelope(version::v1_1, call("Fail", "<How>exception</How>"));
  soapsvc::http_request request;
  request.target = path;
  request.headers = as_xml;
  request.body = body;
  CHECK(fault_of(dispatcher.handle(request)).code == "Server");
}

// --- Rule 10: limits -----------------------------------------------------------------------------

TEST_CASE(
    "the default limits of a message are the documented ones", "[dispatch][rule-10][limits]") {
  const soapsvc::message_limits limits;
  CHECK(limits.max_body_bytes == 16 * 1024 * 1024);
  CHECK(limits.max_depth == 128);
  CHECK(limits.max_elements == 500'000);
  CHECK(limits.max_attributes == 256);
  CHECK(limits.max_namespaces == 1'024);
  CHECK(limits.max_name_bytes == 1'024);
  CHECK(limits.max_text_bytes == 16 * 1024 * 1024);
  CHECK(limits.max_header_blocks == 1'000);
  CHECK(limits.max_namespace_bytes == 1'048'576);
  CHECK(limits.max_pattern_steps == 100'000'000);
  CHECK(limits.max_stream_bytes == 16ULL << 30);
  CHECK(limits.max_parts == 1'000);
  CHECK(limits.max_part_header_bytes == 8'192);
  CHECK(limits.max_part_bytes == 16 * 1024 * 1024);
}

TEST_CASE("a body over the limit is 413 with a fault in its body", "[dispatch][rule-10][limits]") {
  for (const version v : both) {
    const std::string message = envelope(v, add);
    soapsvc::dispatcher_options options;
    options.limits.max_body_bytes = message.size();
    const world w(options);
    CHECK(w.post(message, {{"Content-Type", content_type(v)}}).status == 200);
    const auto response = w.post(message + " ", {{"Content-Type", content_type(v)}});
    CHECK(response.status == 413);
    const auto fault = fault_of(response);
    CHECK(fault.in == v);
    CHECK(fault.code == client_of(v));
    CHECK_THAT(
        fault.reason,
        Catch::Contains(std::to_string(message.size() + 1)) &&
            Catch::Contains(std::to_string(message.size())));
  }
}

TEST_CASE("the body's limit holds after conversion to UTF-8", "[dispatch][rule-10][limits]") {
  std::string latin =
      envelope(version::v1_1, call("Echo", "<Text>" + std::string(100, '\xe9') + "</Text>"));
  soapsvc::dispatcher_options options;
  options.limits.max_body_bytes = latin.size() + 99;
  const headers type = {{"Content-Type", "text/xml; charset=iso-8859-1"}};
  const auto refused = world(options).post(latin, type);
  CHECK_THAT(reason(refused), Catch::Contains("limit max_body_bytes"));
  CHECK(refused.status == 413);
  options.limits.max_body_bytes = latin.size() + 100;
  CHECK(world(options).post(latin, type).status == 200);
}

TEST_CASE("each limit lets its bound pass and nothing beyond", "[dispatch][rule-10][limits]") {
  struct bound {
    const char* name;
    std::size_t soapsvc::message_limits::*member;
    std::size_t most;  ///< the limit that the message needs
  };
  for (const version v : both) {
    const std::string text(200, 't');
    const std::string message = "<e:Envelope xmlns:e=\"" + envelope_ns(v) +
                                "\"><e:Header><a xmlns=\"urn:a\" b=\"1\" c=\"2\"/>"
                                "<a xmlns=\"urn:a\"/></e:Header><e:Body><Echo xmlns=\"" +
                                ns + "\"><Text>" + text +
                                "</Text><foreign_element_with_a_long_name "
                                "xmlns=\"urn:f\"/></Echo></e:Body></e:Envelope>";
    for (const bound& each :
         {bound{"max_depth", &soapsvc::message_limits::max_depth, 4},
          bound{"max_elements", &soapsvc::message_limits::max_elements, 8},
          bound{"max_attributes", &soapsvc::message_limits::max_attributes, 3},
          bound{"max_namespaces", &soapsvc::message_limits::max_namespaces, 3},
          bound{"max_name_bytes", &soapsvc::message_limits::max_name_bytes, 32},
          bound{"max_text_bytes", &soapsvc::message_limits::max_text_bytes, 200},
          bound{"max_header_blocks", &soapsvc::message_limits::max_header_blocks, 2}}) {
      INFO(each.name);
      soapsvc::dispatcher_options options;
      options.limits.*each.member = each.most;
      CHECK(result_of(world(options).post(message, {}), "Echo") == text);
      options.limits.*each.member = each.most - 1;
      const auto response = world(options).post(message, {{"Content-Type", content_type(v)}});
      const auto fault = fault_of(response);
      CHECK(fault.in == v);
      CHECK(fault.code == client_of(v));
      CHECK(response.status == (v == version::v1_1 ? 500 : 400));
      CHECK_THAT(
          fault.reason,
          Catch::Contains(std::string("limit ") + each.name) &&
              Catch::Contains(std::to_string(each.most - 1)));
    }
  }
}

TEST_CASE("a fault quotes at most 64 characters of what it refuses", "[dispatch][rule-10]") {
  const world w;
  const std::string exact(64, 'y');
  const std::string longer(65, 'z');
  for (const version v : both) {
    CHECK_THAT(
        reason(w.ask(v, call("Add", "<A>" + exact + "</A><B>1</B>"))), Catch::Contains(exact));
    const std::vector<soapsvc::http_response> responses = {
        w.ask(v, call("Add", "<A>" + longer + "</A><B>1</B>")),
        w.ask(v, call("Add", "<" + longer + "/>")),
        w.ask(v, call(longer)),
        w.ask(v, "<Add xmlns='urn:" + longer + "'/>"),
        w.ask(v, add, "<a xmlns='urn:x' e:mustUnderstand='" + longer + "'/>"),
        w.ask(v, add, "<" + longer + " xmlns='urn:x' e:mustUnderstand='x'/>"),
        w.ask(v, add, "", {{"SOAPAction", longer}}),
        w.post("<" + longer + "/>", {}),
        w.post("<a xmlns='urn:" + longer + "'/>", {}),
        w.post(envelope(v, add), {{"Content-Type", "text/" + longer}}),
        w.post(envelope(v, add), {{"Content-Type", "text/xml; charset=" + longer}}),
        w.ask(
            v,
            call(
                "Add",
                "<A xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='" + longer +
                    "'>1</A><B>1</B>"))};
    for (const auto& response : responses)
      CHECK_FALSE(contains(reason(response), longer));
  }
}

TEST_CASE("a secret value is in no fault", "[dispatch][rule-10][secret]") {
  const world w;
  for (const version v : both) {
    const auto body = w.ask(
        v,
        call("Put", "<Pin>marked secret</Pin>"),
        "<Session xmlns='" + ns + "'><Key>1</Key></Session>");
    CHECK_THAT(reason(body), Catch::Contains("Put/Pin: this value is not"));
    CHECK_FALSE(contains(body.body, "marked secret"));
    const auto header =
        w.ask(v, call("Put"), "<Session xmlns='" + ns + "'><Key>marked secret</Key></Session>");
    CHECK_THAT(reason(header), Catch::Contains("Session/Key: this value is not"));
    CHECK_FALSE(contains(header.body, "marked secret"));
  }
}

// --- Rule 11: HTTP -------------------------------------------------------------------------------

TEST_CASE(
    "a media type that is not XML is 415 with a fault in its body",
    "[dispatch][rule-11][rule-15][content-type]") {
  const world w;
  for (const char* type :
       {"text/plain",
        "application/json",
        "text/html; charset=utf-8",
        "multipart/related",
        "application/x-www-form-urlencoded",
        "text/xmlx",
        "application/octet-stream",
        "application/soap"}) {
    INFO(type);
    const auto response = w.post(envelope(version::v1_1, add), {{"Content-Type", type}});
    CHECK(response.status == 415);
    CHECK_THAT(
        reason(response),
        Catch::Contains("Content-Type: '") && Catch::Contains("text/xml") &&
            Catch::Contains("application/soap+xml"));
  }
  for (const char* type :
       {" text/xml ;charset=utf-8",
        "application/vnd.example+xml",
        "text/xml;",
        "text/xml ; ; charset=utf-8 ;",
        "Text/XML; Charset = \"UTF-8\"",
        "text/xml; charset=",
        "text/xml; charset='utf-8'",
        "application/soap+xml; action=http://example.com/soap/Shop/Add; x=\"a,;b\""})
    CHECK(w.post(envelope(version::v1_1, add), {{"content-type", type}}).status == 200);
}

TEST_CASE("malformed XML is a fault in the version of its media type", "[dispatch][rule-14]") {
  const world w;
  for (const char* body : {"", "<", "text", "<a>", "<a/><a/>", "<a b='1' b='2'/>", "<p:a/>"}) {
    INFO(body);
    const auto first = w.post(body, {{"Content-Type", "text/xml"}});
    CHECK(first.status == 500);
    CHECK(fault_of(first).code == "Client");
    const auto second = w.post(body, {{"Content-Type", "application/soap+xml"}});
    CHECK(second.status == 400);
    CHECK(fault_of(second).code == "Sender");
  }
}

TEST_CASE(
    "an ambiguous media type is 415 with a fault that says why",
    "[dispatch][rule-11][content-type]") {
  const world w;
  const auto refused = [&](const headers& with) {
    std::vector<soapsvc::http_header> fields;
    for (const auto& [name, value] : with)
      fields.push_back({name, value});
    const std::string body = envelope(version::v1_1, add);
    soapsvc::http_request request;
    request.target = path;
    request.headers = fields;
    request.body = body;
    const auto response = w.dispatcher.handle(request);
    CHECK(response.status == 415);
    CHECK(fault_of(response).code == "Client");
    const std::string why = reason(response);
    return why.substr(0, why.find(';'));
  };
  CHECK(refused({}) == "Content-Type is missing");
  for (const char* empty : {"", " ", "\t"})
    CHECK(refused({{"Content-Type", empty}}) == "Content-Type is missing");
  for (const char* malformed :
       {"text",
        "xml",
        "+xml",
        "\"text/xml\"",
        "/xml",
        "text/",
        ";charset=utf-8",
        "text/xml charset=utf-8",
        "text/xml,text/xml",
        "text/xml; charset",
        "text/xml; =utf-8",
        "text/xml; a b=c",
        "text/xml; charset=utf 8",
        "text/xml; charset=\"utf-8",
        "text/xml; charset=\"utf-8\"x",
        "te xt/xml",
        "text/xml/x",
        "text/xml; charset=utf-8, text/xml; charset=utf-8",
        "text/xml; x=\xc3\xa9"}) {
    INFO(malformed);
    CHECK(refused({{"Content-Type", malformed}}) == "Content-Type is malformed");
  }
  for (const char* twice :
       {"text/xml; charset=utf-8; charset=iso-8859-1",
        "text/xml; charset=utf-8; CHARSET=utf-8",
        "text/xml; charset=; charset=utf-8",
        "application/xml; action=a; action=b"})
    CHECK(refused({{"Content-Type", twice}}) == "Content-Type has a parameter twice");
  for (const char* other : {"text/plain", "", "text/xml; charset=utf-8"})
    for (const bool first : {false, true})
      CHECK(
          refused(
              {{"Content-Type", first ? other : "text/xml"},
               {"content-type", first ? "text/xml" : other}}) ==
          "Content-Type is there twice, with different values");
  CHECK(
      w.post(
           envelope(version::v1_1, add),
           {{"Content-Type", "text/xml"}, {"content-type", " text/xml "}})
          .status == 200);
  CHECK(
      fault_of(w.post(envelope(version::v1_2, add), {{"Content-Type", "application/soap+xml;x"}}))
          .in == version::v1_2);
}

TEST_CASE("an option accepts only requests without a Content-Type", "[dispatch][rule-11]") {
  soapsvc::dispatcher_options options;
  options.browsers.accept_missing_content_type = true;
  const world w(options);
  const std::string body = envelope(version::v1_2, add);
  soapsvc::http_request request;
  request.target = path;
  request.body = body;
  CHECK(result_of(w.dispatcher.handle(request), "Add") == "3");
  CHECK(w.post(body, {{"Content-Type", ""}}).status == 200);
  for (const char* type : {"text/plain", "text", ";charset=utf-8"})
    CHECK(w.post(body, {{"Content-Type", type}}).status == 415);
  CHECK(w.post(body, {{"Content-Type", ""}, {"Content-Type", "text/xml"}}).status == 415);
}

// --- Rule 12: browsers ---------------------------------------------------------------------------

namespace {

/// A call or a page of a listener.
soapsvc::http_response come_to(
    const world& w,
    const std::string& listener,
    const headers& with,
    const std::string& method = "POST",
    const std::string& peer = "127.0.0.1",
    const std::string& target = path + "?wsdl") {
  std::vector<soapsvc::http_header> fields;
  for (const auto& [name, value] : with)
    fields.push_back({name, value});
  fields.push_back(as_xml[0]);
  const std::string body = method == "POST" ? envelope(version::v1_1, add) : "";
  soapsvc::http_request request;
  request.method = method;
  request.target = target;
  request.headers = fields;
  request.body = body;
  request.peer = peer;
  request.listener_address = listener;
  return w.dispatcher.handle(request);
}

soapsvc::dispatcher_options named(
    const std::string& public_url, std::vector<std::string> names = {}) {
  soapsvc::dispatcher_options options;
  options.public_url = public_url;
  options.browsers.host_names = std::move(names);
  return options;
}

}  // namespace

TEST_CASE(
    "a listener on loopback answers to its own names only", "[dispatch][rule-12][host-header]") {
  const world bare;
  const world both_given(named("https://pay.example:444/base", {"other.example", "[2001:db8::7]"}));
  const auto status = [](const world& w, const std::string& listener, const std::string& host) {
    const int call = come_to(w, listener, {{"Host", host}}).status;
    const int page = come_to(w, listener, {{"Host", host}}, "GET").status;
    CHECK(call == page);
    CHECK(come_to(w, listener, {{"Host", host}}, "HEAD").status == page);
    CHECK(come_to(w, listener, {{"Host", host}}, "GET", "::1", "/").status == page);
    return call;
  };
  for (const char* listener : {"127.0.0.1", "127.0.0.2", "::1", "localhost", "::ffff:127.0.0.1"}) {
    INFO(listener);
    for (const char* own :
         {"localhost",
          "LocalHost:8080",
          "localhost.",
          "a.localhost",
          "127.0.0.1:80",
          "127.255.0.9",
          "[::1]:8080"}) {
      INFO(own);
      CHECK(status(bare, listener, own) == 200);
      CHECK(status(both_given, listener, own) == 200);
    }
    for (const char* foreign :
         {"evil.example",
          "evil.example:8080",
          "127.0.0.1.evil.example",
          "127.evil.example",
          "localhost.evil.example",
          "evillocalhost",
          ".localhost.x",
          "192.0.2.1",
          "0.0.0.0",
          "[::2]",
          "127.0.0.256",
          "127.1"}) {
      INFO(foreign);
      CHECK(status(bare, listener, foreign) == 421);
      CHECK(status(both_given, listener, foreign) == 421);
    }
    for (const char* given : {"pay.example", "PAY.example:1", "other.example.", "[2001:DB8::7]"}) {
      INFO(given);
      CHECK(status(bare, listener, given) == 421);
      CHECK(status(both_given, listener, given) == 200);
    }
  }
}

TEST_CASE(
    "other listeners check Host if names are configured", "[dispatch][rule-12][host-header]") {
  const world bare;
  const world by_url(named("https://pay.example"));
  const world by_name(named("", {"pay.example"}));
  for (const char* listener : {"192.0.2.7", "0.0.0.0", "::", ""}) {
    INFO(listener);
    const auto status = [&](const world& w, const char* host) {
      return come_to(w, listener, {{"Host", host}}).status;
    };
    CHECK(status(bare, "evil.example") == 200);
    for (const world* w : {&by_url, &by_name}) {
      CHECK(status(*w, "evil.example") == 421);
      CHECK(status(*w, "pay.example:8080") == 200);
      // A listener on all addresses listens on loopback and on all others.
      const bool everywhere = std::string_view("0.0.0.0::").find(listener) == 0 && *listener;
      const int own = everywhere || listener == std::string_view("::") ? 200 : 421;
      CHECK(status(*w, "localhost") == own);
      CHECK(status(*w, "[2001:db8::1]") == own);
      CHECK(status(*w, "192.0.2.9:1") == own);
      CHECK(status(*w, "192.0.2.7") == (*listener ? 200 : 421));
    }
  }
}

TEST_CASE(
    "the fault for a refused Host names the option to set", "[dispatch][rule-12][host-header]") {
  const world w;
  const auto call = come_to(w, "127.0.0.1", {{"Host", "pay.example"}});
  CHECK(fault_of(call).code == "Client");
  CHECK_THAT(
      reason(call),
      Catch::Contains("Host: 'pay.example'") && Catch::Contains("host_names") &&
          Catch::Contains("public_url"));
  const auto page = come_to(w, "127.0.0.1", {{"Host", "pay.example"}}, "GET");
  CHECK(page.content_type == "text/plain; charset=utf-8");
  CHECK(page.body == "421 Misdirected Request: " + reason(call) + "\n");
  CHECK_FALSE(contains(come_to(w, "::1", {{"Host", "<b>"}}, "GET").body, "<b>"));
  CHECK(come_to(w, "::1", {{"Host", "x.example"}}, "GET", "::1", "/nothing").status == 421);
  CHECK(come_to(w, "::1", {{"Host", "x.example"}}, "PUT").status == 421);
  CHECK(
      come_to(w, "::1", {{"Host", "localhost"}}, "GET", "::1", "http://x.example" + path).status ==
      421);
}

TEST_CASE("Host is not checked for some requests", "[dispatch][rule-12][host-header]") {
  soapsvc::dispatcher_options options = named("https://pay.example");
  options.trusted_proxies = {"127.0.0.9"};
  world w(options);
  w.dispatcher.add_page("/metrics", [](const auto&) { return soapsvc::http_response{}; });
  const headers other = {{"Host", "x.example"}};
  for (const char* method : {"GET", "POST"}) {
    CHECK(come_to(w, "127.0.0.1", other, method).status == 421);
    CHECK(come_to(w, "127.0.0.1", other, method, "127.0.0.9").status == 200);
    CHECK(come_to(w, "", other, method, "unix").status == 200);
    CHECK(come_to(w, "127.0.0.1", {}, method).status == 200);
    CHECK(come_to(w, "127.0.0.1", {{"Host", ""}}, method).status == 200);
  }
  CHECK(come_to(w, "127.0.0.1", other, "GET", "127.0.0.1", "/metrics").status == 200);
  CHECK(come_to(w, "127.0.0.1", other, "GET", "127.0.0.1", "/").status == 421);
}

TEST_CASE("a request of a page of another site is 403", "[dispatch][rule-12][origin]") {
  const world w;
  const auto status = [&](headers with) {
    with.emplace_back("Host", "localhost:8080");
    const auto response = come_to(w, "127.0.0.1", with);
    if (response.status == 403) {
      CHECK(fault_of(response).code == "Client");
      CHECK_THAT(reason(response), Catch::Contains("allowed_origins"));
    }
    CHECK(header_of(response, "Access-Control-Allow-Origin") == "(none)");
    CHECK(header_of(response, "Vary") == "(none)");
    return response.status;
  };
  for (const char* foreign :
       {"null",
        "http://evil.example",
        "http://localhost",
        "http://localhost:8081",
        "https://localhost:8080",
        "http://localhost:8080.evil.example",
        "localhost:8080",
        "http://localhost:8080/",
        "http://127.0.0.1:8080",
        "*",
        "http://",
        "http://a localhost:8080",
        "http://a@localhost:8080"}) {
    INFO(foreign);
    CHECK(status({{"Origin", foreign}}) == 403);
    CHECK(status({{"Origin", foreign}, {"Sec-Fetch-Site", "same-origin"}}) == 403);
    CHECK(status({{"origin", "http://localhost:8080"}, {"ORIGIN", foreign}}) == 403);
  }
  for (const char* foreign : {"cross-site", "same-site", "Same-Origin", "x", "none, same-origin"}) {
    INFO(foreign);
    CHECK(status({{"Sec-Fetch-Site", foreign}}) == 403);
    CHECK(status({{"Origin", "http://localhost:8080"}, {"Sec-Fetch-Site", foreign}}) == 403);
    CHECK(status({{"Sec-Fetch-Site", foreign}, {"sec-fetch-site", "none"}}) == 403);
  }
  CHECK(status({}) == 200);
  for (const char* own : {"same-origin", "none"}) {
    CHECK(status({{"Sec-Fetch-Site", own}}) == 200);
    CHECK(status({{"Sec-Fetch-Site", own}, {"Origin", "http://localhost:8080"}}) == 200);
  }
  CHECK(status({{"Origin", "HTTP://LOCALHOST:8080"}}) == 200);
  CHECK(w.send("POST", path, {{"Origin", "https://a.example"}}, "").status == 403);
}

TEST_CASE("the service's own site is the address that callers use", "[dispatch][rule-12][origin]") {
  soapsvc::dispatcher_options options = named("https://pay.example");
  options.trusted_proxies = {"10.0.0.1"};
  const world w(options);
  const auto call = [&](const char* peer, headers with) {
    return come_to(w, "", with, "POST", peer).status;
  };
  const headers::value_type inner{"Host", "pay.example:80"};
  CHECK(call("10.0.0.9", {inner, {"Origin", "https://pay.example:443"}}) == 200);
  CHECK(call("10.0.0.9", {inner, {"Origin", "http://pay.example"}}) == 200);
  CHECK(call("10.0.0.9", {inner, {"Origin", "https://pay.example:444"}}) == 403);
  const headers::value_type host{"X-Forwarded-Host", "front.example"};
  const headers::value_type proto{"X-Forwarded-Proto", "https"};
  CHECK(call("10.0.0.1", {inner, host, proto, {"Origin", "https://front.example"}}) == 200);
  CHECK(call("10.0.0.1", {inner, host, {"Origin", "https://front.example"}}) == 403);
  CHECK(call("10.0.0.9", {inner, host, proto, {"Origin", "https://front.example"}}) == 403);
}

TEST_CASE("only listed origins may call and read", "[dispatch][rule-12][origin]") {
  soapsvc::dispatcher_options options;
  options.browsers.allowed_origins = {
      "https://app.example", "http://localhost:3000", "chrome-extension://abc"};
  const world w(options);
  const auto ask = [&](const std::string& method, const std::string& origin, headers with = {}) {
    with.emplace_back("Host", "localhost:8080");
    if (!origin.empty()) with.emplace_back("Origin", origin);
    return come_to(w, "127.0.0.1", with, method);
  };
  for (const char* origin :
       {"https://app.example",
        "https://app.example:443",
        "http://localhost:3000",
        "chrome-extension://abc"}) {
    INFO(origin);
    for (const char* method : {"POST", "GET"}) {
      const auto response = ask(method, origin, {{"Sec-Fetch-Site", "cross-site"}});
      CHECK(response.status == 200);
      CHECK(header_of(response, "Access-Control-Allow-Origin") == origin);
      CHECK(header_of(response, "Access-Control-Expose-Headers") == "X-Request-Id");
      CHECK(header_of(response, "Vary") == "Origin");
      CHECK(header_of(response, "Access-Control-Allow-Credentials") == "(none)");
    }
    const auto preflight =
        ask("OPTIONS",
            origin,
            {{"Access-Control-Request-Method", "POST"},
             {"Access-Control-Request-Headers", "content-type"},
             {"Sec-Fetch-Site", "cross-site"}});
    CHECK(preflight.status == 200);
    CHECK(preflight.body.empty());
    const headers expected = {
        {"Vary", "Origin"},
        {"Access-Control-Allow-Origin", origin},
        {"Access-Control-Allow-Methods", "POST"},
        {"Access-Control-Allow-Headers", "Authorization, Content-Type, SOAPAction, X-Request-Id"},
        {"Access-Control-Max-Age", "600"}};
    CHECK(preflight.headers == expected);
    CHECK(ask("OPTIONS", origin).status == 405);
  }
  const headers wants = {{"Access-Control-Request-Method", "POST"}};
  for (const char* origin : {"https://evil.example", "http://app.example", "null", ""}) {
    CHECK(ask("OPTIONS", origin, wants).status == 405);
    CHECK(header_of(ask("GET", origin), "Access-Control-Allow-Origin") == "(none)");
    CHECK(header_of(ask("GET", origin), "Vary") == "Origin");
    CHECK(ask("POST", origin).status == (*origin ? 403 : 200));
  }
  CHECK(ask("POST", "", {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
  CHECK(ask("POST", "https://app.example", {{"Origin", "https://evil.example"}}).status == 403);
  // The page reads and shows it like any other fault.
  const auto fault = w.post("x", {{"Origin", "https://app.example"}});
  CHECK(fault.status == 500);
  CHECK(header_of(fault, "Access-Control-Allow-Origin") == "https://app.example");
  CHECK(header_of(fault, "X-Request-Id").size() == 16);
  CHECK(w.send("OPTIONS", "/nothing", {{"Origin", "https://app.example"}, wants[0]}).status == 404);
}

TEST_CASE("invalid names and origins are refused at the start", "[dispatch][rule-12][origin]") {
  const auto start = [](std::vector<std::string> names, std::vector<std::string> origins) {
    soapsvc::dispatcher_options options = named("", std::move(names));
    options.ns_base = base;
    options.browsers.allowed_origins = std::move(origins);
    soapsvc::dispatcher dispatcher(options);
  };
  CHECK_NOTHROW(start({"a.example", "[::1]", "10.0.0.1"}, {"http://a.example:80"}));
  for (const char* name : {"", "a:80", "http://a", "a/b", "*.a b", "[::1]:80", "*"})
    CHECK_THROWS_WITH(start({name}, {}), Catch::Contains("host_names"));
  for (const char* origin :
       {"", "*", "null", "a.example", "https://a.example/", "https://a b", "//a"})
    CHECK_THROWS_WITH(start({}, {origin}), Catch::Contains("allowed_origins"));
}

// --- Rule 11 again -------------------------------------------------------------------------------

TEST_CASE("other methods are 405 with Allow and a body", "[dispatch][rule-11]") {
  const world w;
  for (const char* method :
       {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "post", "get", "", "PROPFIND"}) {
    const auto response = w.send(method, path, {}, envelope(version::v1_1, add));
    CHECK(response.status == 405);
    CHECK(header_of(response, "Allow") == "GET, HEAD, POST");
    CHECK(contains(response.body, "405"));
    CHECK(response.content_type == "text/plain; charset=utf-8");
  }
  CHECK(w.send("POST", "/").status == 405);
  CHECK(contains(w.send("POST", "/").body, "send SOAP requests to the path of a service"));
  CHECK(header_of(w.send("POST", "/"), "Allow") == "GET, HEAD");
}

TEST_CASE("OPTIONS for the whole server is answered", "[dispatch][rule-11]") {
  const world w;
  const auto response = w.send("OPTIONS", "*");
  CHECK(response.status == 200);
  CHECK(header_of(response, "Allow") == "GET, HEAD, POST, OPTIONS");
  CHECK(response.body.empty());
  CHECK(response.content_type.empty());
}

TEST_CASE("browsers do not guess the type of plain text responses", "[dispatch][rule-11]") {
  const world w;
  const auto forbids = [](const soapsvc::http_response& response, int status) {
    CHECK(response.status == status);
    CHECK(response.content_type == "text/plain; charset=utf-8");
    return header_of(response, "X-Content-Type-Options") == "nosniff";
  };
  CHECK(forbids(w.send("GET", "/nowhere"), 404));
  CHECK(forbids(w.send("POST", "/nowhere"), 404));
  CHECK(forbids(w.send("PUT", path), 405));
  CHECK(forbids(w.send("GET", path + "?wsdl", {{"Host", "a/b"}}), 400));
  soapsvc::http_request request;
  request.method = "GET";
  soapsvc::http_response response;
  w.dispatcher.refuse(request, 413, "too much", response);
  CHECK(forbids(response, 413));
  soapsvc::dispatcher_options named;
  named.browsers.host_names = {"payroll.example.com"};
  CHECK(forbids(world(named).send("GET", path, {{"Host", "evil.example"}}), 421));
}

TEST_CASE("an unknown path is 404 with a body", "[dispatch][rule-11]") {
  const world w;
  for (const char* target :
       {"/soap/v3/Nothing.asmx",
        "/soap/v3/",
        "/soap/v3/Shop.asmx/",
        "",
        "*",
        "/soap/v3/Shop.asmx;x",
        "x",
        "/soap/v3/Shop",
        "//soap/v3/Shop.asmx"}) {
    for (const char* method : {"GET", "POST", "HEAD", "PUT"}) {
      INFO(target << ' ' << method);
      if (std::string(target).empty()) continue;
      const auto response = w.send(method, target);
      CHECK(response.status == 404);
      CHECK(contains(response.body, "404"));
    }
  }
}

TEST_CASE("GET of the path is a page for people, HEAD the same", "[dispatch][rule-11]") {
  const world w;
  for (const char* method : {"GET", "HEAD"}) {
    const auto response = w.send(method, path);
    CHECK(response.status == 200);
    CHECK(response.content_type == "text/html; charset=utf-8");
    CHECK(contains(response.body, "Sells &lt;things&gt; &amp; more."));
    CHECK(contains(response.body, "Add"));
    const auto index = w.send(method, "/");
    CHECK(index.status == 200);
    CHECK(contains(index.body, path));
  }
}

TEST_CASE(
    "paths compare without letter case, and the absolute form is understood",
    "[dispatch][rule-11]") {
  const world w;
  for (const char* target :
       {"/SOAP/V3/shop.ASMX",
        "http://example.com/soap/v3/Shop.asmx",
        "/soap/v3/Shop.asmx?op=Add",
        "HTTPS://example.com:8443/soap/v3/Shop.asmx?a=/b",
        "/soap/v3/Shop.asmx?x=http://y/z"})
    CHECK(w.send("POST", target, {}, envelope(version::v1_1, add)).status == 200);
  CHECK(w.send("GET", "http://example.com").status == 200);
  CHECK(
      w.send("GET", "http://example.com?a=/soap/v3/Shop.asmx").content_type ==
      "text/html; charset=utf-8");
  CHECK(
      address_of(
          w.send("GET", "http://other.example:81" + path + "?wsdl", {{"Host", "example.com"}})) ==
      "http://other.example:81" + path);
}

TEST_CASE("help pages can be switched off, the WSDL cannot", "[dispatch][rule-11][wsdl]") {
  soapsvc::dispatcher_options options;
  options.pages.help = false;
  const world w(options);
  CHECK(w.send("GET", "/").status == 404);
  CHECK(w.send("GET", path).content_type == "text/xml; charset=utf-8");
  CHECK(w.send("GET", path + "?wsdl").content_type == "text/xml; charset=utf-8");
}

TEST_CASE(
    "a host may have a request refused, with a body that its sender can read",
    "[dispatch][rule-11]") {
  const world w;
  soapsvc::http_response response;
  for (const version v : both) {
    const std::string type = content_type(v);
    const soapsvc::http_header field{"Content-Type", type};
    soapsvc::http_request request;
    request.headers = std::span(&field, 1);
    w.dispatcher.refuse(request, 413, "the body is too <big>", response);
    CHECK(response.status == 413);
    const auto fault = fault_of(response);
    CHECK(fault.in == v);
    CHECK(fault.code == client_of(v));
    CHECK(fault.reason == "the body is too <big>");
    w.dispatcher.refuse(request, 503, "too many requests", response);
    CHECK(fault_of(response).code == server_of(v));
  }
  soapsvc::http_request request;
  request.method = "GET";
  w.dispatcher.refuse(request, 414, "the target is too long", response);
  CHECK(response.status == 414);
  CHECK(response.content_type == "text/plain; charset=utf-8");
  CHECK(response.body == "the target is too long\n");
}

// --- Rule 9: the URL of the WSDL and the address in it -------------------------------------------

TEST_CASE("a page without memory does not damage cached pages", "[dispatch]") {
  for (std::size_t good = 0; good != 20; ++good) {
    soapsvc::detail::kept_pages pages;
    std::string page;
    const auto get_page = [&](const std::string& url) {
      pages.get({nullptr, true, soapsvc::detail::form_state::off, url}, page, [&] { return url; });
      return page == url;
    };
    const std::string first(100, 'a'), second(100, 'b');  // too long for the buffer of std::string
    CHECK(get_page(first));
    good_allocations = good;
    try {
      get_page(second);
    } catch (const std::bad_alloc&) {  // the response is then a fault
    }
    good_allocations = std::numeric_limits<std::size_t>::max();
    CHECK(get_page(second));
    CHECK(get_page(first));
  }
}

TEST_CASE("?wsdl answers in any letter case, and so does ?singleWsdl", "[dispatch][rule-9][wsdl]") {
  const world w;
  const std::string expected = w.send("GET", path + "?wsdl").body;
  CHECK(contains(expected, "<wsdl:definitions"));
  for (const char* query :
       {"?WSDL", "?Wsdl", "?wsdl=", "?wsdl=1", "?wsdl&x=y", "?singleWsdl", "?SINGLEWSDL"}) {
    const auto response = w.send("GET", path + query);
    CHECK(response.status == 200);
    CHECK(response.content_type == "text/xml; charset=utf-8");
    CHECK(response.body == expected);
    CHECK(w.send("HEAD", path + query).body == expected);
  }
  CHECK(w.send("GET", path + "?wsdlx").content_type == "text/html; charset=utf-8");
}

TEST_CASE("the address is that of Host", "[dispatch][rule-9][host-header]") {
  const world w;
  const auto told = [&](const std::string& host) {
    return address_of(w.send("GET", path + "?wsdl", {{"Host", host}}));
  };
  for (const char* host :
       {"example.com",
        "example.com:8080",
        "127.0.0.1:80",
        "[::1]:8080",
        "[2001:db8::1]",
        "under_score.example",
        "EXAMPLE.com",
        "a"})
    CHECK(told(host) == "http://" + std::string(host) + path);
  CHECK(told("") == "http://localhost" + path);
  CHECK(told(" example.com ") == "http://example.com" + path);
  CHECK(address_of(w.send("GET", path + "?wsdl")) == "http://localhost" + path);
  const std::string target = path + "?wsdl";
  soapsvc::http_request request;
  request.method = "GET";
  request.target = target;
  request.local_address = "10.0.0.1:8080";
  request.scheme = "https";
  CHECK(address_of(w.dispatcher.handle(request)) == "https://10.0.0.1:8080" + path);
}

TEST_CASE(
    "a Host that is no address is 400 with a body, and not repeated",
    "[dispatch][rule-9][host-header]") {
  const world w;
  for (const std::string& host :
       {std::string("evil.example/path"),
        std::string("a b"),
        std::string("\"><script>alert(1)</script>"),
        std::string("user@evil.example"),
        std::string("evil.example:80:90"),
        std::string("evil.example:"),
        std::string("evil.example:x"),
        std::string("evil.example:123456"),
        std::string(":80"),
        std::string("[::1"),
        std::string("[]"),
        std::string("[zz::1]"),
        std::string("[::1]x"),
        std::string("a\x01"
                    "b"),
        std::string("\xc3\xa9.example"),
        std::string("evil.example?x"),
        std::string("evil.example#x"),
        std::string("a,b"),
        std::string(256, 'a'),
        std::string("a\r\nb"),
        std::string("a]b"),
        std::string("ev%69l")}) {
    INFO(host);
    for (const std::string& target : {path + "?wsdl", path}) {
      const auto response = w.send("GET", target, {{"Host", host}});
      CHECK(response.status == 400);
      CHECK(contains(response.body, "400"));
      CHECK_FALSE(contains(response.body, host));
    }
    CHECK(w.send("POST", path, {{"Host", host}}, envelope(version::v1_1, add)).status == 200);
  }
  CHECK(w.send("GET", "http://user@evil.example" + path + "?wsdl").status == 400);
}

TEST_CASE(
    "X-Forwarded-Proto and -Host are used only from trusted peers",
    "[dispatch][rule-9][trusted-proxy][host-header]") {
  soapsvc::dispatcher_options options;
  options.trusted_proxies = {"10.0.0.1", "10.0.0.2"};
  const world w(options);
  const auto told = [&](const std::string& peer, headers with) {
    with.emplace_back("Host", "inner:8080");
    return address_of(w.send("GET", path + "?wsdl", with, "", peer));
  };
  const headers forwarded = {{"X-Forwarded-Proto", "https"}, {"X-Forwarded-Host", "outer.example"}};
  CHECK(told("10.0.0.1", forwarded) == "https://outer.example" + path);
  CHECK(told("10.0.0.2", forwarded) == "https://outer.example" + path);
  CHECK(told("10.0.0.3", forwarded) == "http://inner:8080" + path);
  CHECK(told("", forwarded) == "http://inner:8080" + path);
  CHECK(told("10.0.0.1", {}) == "http://inner:8080" + path);
  CHECK(told("10.0.0.1", {{"x-forwarded-proto", "HTTPS"}}) == "https://inner:8080" + path);
  CHECK(told("10.0.0.1", {{"X-Forwarded-Proto", "javascript"}}) == "http://inner:8080" + path);
  CHECK(
      told("10.0.0.1", {{"X-Forwarded-Host", "forged, outer.example"}}) ==
      "http://outer.example" + path);
  CHECK(
      told("10.0.0.1", {{"X-Forwarded-Host", "forged"}, {"X-Forwarded-Host", "outer.example"}}) ==
      "http://outer.example" + path);
  CHECK(contains(told("10.0.0.1", {{"X-Forwarded-Host", "<script>"}}), "400 Bad Request"));
  for (const char* host : {"h:65536", "h:99999", "[::1]:65536", "h:000080"})  // RFC 6335, 6
    CHECK(contains(told("10.0.0.1", {{"X-Forwarded-Host", host}}), "400 Bad Request"));
  CHECK(contains(told("10.0.0.1", {{"X-Forwarded-Host", "h:65535"}}), "http://h:65535/"));
}

TEST_CASE("public_url overrides the address of the request", "[dispatch][rule-9]") {
  for (const char* url : {"https://payroll.example.com", "https://payroll.example.com/"}) {
    soapsvc::dispatcher_options options;
    options.public_url = url;
    options.trusted_proxies = {"10.0.0.1"};
    const world w(options);
    CHECK(
        address_of(w.send(
            "GET",
            path + "?wsdl",
            {{"Host", "<>"}, {"X-Forwarded-Host", "outer.example"}},
            "",
            "10.0.0.1")) == "https://payroll.example.com" + path);
  }
  soapsvc::dispatcher_options options;
  options.public_url = "https://example.com/prefix";
  CHECK(
      address_of(world(options).send("GET", path + "?wsdl")) ==
      "https://example.com/prefix" + path);
}

TEST_CASE("options that cannot work are refused at once", "[dispatch]") {
  soapsvc::dispatcher_options options;
  options.ns_base = "http://example.com/\x01";
  CHECK_THROWS_AS(soapsvc::dispatcher(options), std::invalid_argument);
  options.ns_base = base;
  for (const char* url : {"example.com", "ftp://example.com", "https:/example.com"}) {
    options.public_url = url;
    CHECK_THROWS_AS(soapsvc::dispatcher(options), std::invalid_argument);
  }
}

TEST_CASE("a timeout is positive, without a maximum", "[dispatch][timeout]") {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto make = [](const soapsvc::dispatcher_options& options) {
    return soapsvc::dispatcher(options).options();
  };
  soapsvc::dispatcher_options options;
  options.ns_base = base;
  for (const auto time :
       {&soapsvc::security_options::max_clock_skew, &soapsvc::security_options::max_message_age}) {
    soapsvc::dispatcher_options other = options;
    other.security.*time = seconds(-1);
    CHECK_THROWS_AS(make(other), std::invalid_argument);
    other.security.*time = seconds::max();
    CHECK(make(other).security.*time < std::chrono::hours(24 * 365 * 200));
  }
}

TEST_CASE("services have different paths", "[dispatch]") {
  soapsvc::dispatcher_options options;
  options.ns_base = base + "/";
  options.base_path = "/api/";
  soapsvc::dispatcher dispatcher(options);
  Shop one;
  Shop two;
  dispatcher.add(one);
  CHECK_THROWS_AS(dispatcher.add(two), std::invalid_argument);
  CHECK_THROWS_AS(dispatcher.add(two, "/API/shop.asmx"), std::invalid_argument);
  CHECK_THROWS_AS(dispatcher.add(two, "/a?b"), std::invalid_argument);
  CHECK_THROWS_AS(dispatcher.add(two, "/a b"), std::invalid_argument);
  dispatcher.add(two, "second");
  const std::string body = envelope(version::v1_1, add);
  for (const char* target : {"/api/Shop.asmx", "/second"}) {
    soapsvc::http_request request;
    request.target = target;
    request.headers = as_xml;
    request.body = body;
    CHECK(result_of(dispatcher.handle(request), "Add") == "3");
  }
}

// --- Reports to observers and handlers -----------------------------------------------------------

TEST_CASE("every SOAP request is reported", "[dispatch]") {
  world w;
  const auto response = w.ask(version::v1_2, add, "", {{"X-Request-Id", "id-1"}});
  REQUIRE(w.calls.size() == 1);
  const auto& good = w.calls[0];
  CHECK(good.service == "Shop");
  CHECK(good.operation == "Add");
  CHECK(good.reason.empty());
  CHECK(good.peer == "192.0.2.1");
  CHECK(good.request_id == "id-1");
  CHECK(good.report.version == version::v1_2);
  CHECK(good.report.http_status == 200);
  CHECK_FALSE(good.report.fault_code);
  CHECK_FALSE(good.report.deprecated);
  CHECK(good.report.bytes_in == envelope(version::v1_2, add).size());
  CHECK(good.report.bytes_out == response.body.size());
  CHECK(good.report.decode_time.count() > 0);
  CHECK(good.report.handler_time.count() >= 0);
  CHECK(good.report.encode_time.count() >= 0);
  w.ask(version::v1_1, call("OldAdd"));
  REQUIRE(w.calls.size() == 2);
  CHECK(w.calls[1].report.deprecated);
  CHECK(w.calls[1].operation == "OldAdd");
  CHECK(w.calls[1].report.fault_code == soapsvc::fault_code::client);
  CHECK(contains(w.calls[1].reason, "OldAdd/A"));
  w.post("nonsense", {{"Content-Type", "image/png"}});
  REQUIRE(w.calls.size() == 3);
  CHECK(w.calls[2].operation.empty());
  CHECK(w.calls[2].report.http_status == 415);
  CHECK(w.calls[2].report.decode_time.count() > 0);
  w.send("GET", path);
  CHECK(w.calls.size() == 3);
  w.send("PUT", path);  // refused before it is a SOAP request, but reported
  w.send("POST", "/nowhere");
  CHECK(w.calls.size() == 5);
}

TEST_CASE("times are not negative, whatever goes wrong", "[dispatch]") {
  world w;
  for (const char* how : {"client", "exception", "bad utf-8", "bad reason", "fine"})
    fail(w, version::v1_2, how);
  w.ask(version::v1_2, call("Put"));
  for (const auto& seen : w.calls) {
    CHECK(seen.report.decode_time.count() >= 0);
    CHECK(seen.report.handler_time.count() >= 0);
    CHECK(seen.report.encode_time.count() >= 0);
  }
}

TEST_CASE("a request id is the caller's when it is short, visible ASCII", "[dispatch]") {
  world w;
  for (const std::string& id :
       {std::string("a"), std::string("6f1c-ab/42"), std::string(128, 'x')}) {
    const auto response = w.ask(version::v1_1, add, "", {{"x-request-id", id}});
    CHECK(header_of(response, "X-Request-Id") == id);
    CHECK(w.calls.back().request_id == id);
  }
  for (const std::string& id :
       {std::string(),
        std::string("a b"),
        std::string("a\r\nb"),
        std::string(129, 'x'),
        std::string("\xc3\xa9"),
        std::string("\x7f")}) {
    const std::string made =
        header_of(w.ask(version::v1_1, add, "", {{"X-Request-Id", id}}), "X-Request-Id");
    CHECK(made != id);
    CHECK(made.size() == 16);
    CHECK(w.calls.back().request_id == made);
  }
  CHECK(
      header_of(w.ask(version::v1_1, add), "X-Request-Id") !=
      header_of(w.ask(version::v1_1, add), "X-Request-Id"));
}

TEST_CASE(
    "a program can ask who a caller is, and which peers are trusted", "[dispatch][trusted-proxy]") {
  soapsvc::dispatcher_options options;
  options.trusted_proxies = {"192.0.2.1", "unix"};
  const world w(options);
  CHECK(w.dispatcher.is_trusted_proxy("192.0.2.1"));
  CHECK(w.dispatcher.is_trusted_proxy("unix"));
  CHECK_FALSE(w.dispatcher.is_trusted_proxy("192.0.2.2"));
  CHECK_FALSE(w.dispatcher.is_trusted_proxy(""));
  const soapsvc::http_header fields[] = {{"X-Forwarded-For", "198.51.100.7, 203.0.113.9"}};
  soapsvc::http_request request;
  request.headers = fields;
  for (const auto& [peer, caller] :
       headers{{"192.0.2.1", "203.0.113.9"}, {"unix", "203.0.113.9"}, {"192.0.2.2", "192.0.2.2"}}) {
    request.peer = peer;
    CHECK(w.dispatcher.caller_of(request) == caller);
  }
}

TEST_CASE(
    "behind trusted proxies, the caller is the address that they name",
    "[dispatch][trusted-proxy]") {
  soapsvc::dispatcher_options options;
  options.trusted_proxies = {"10.0.0.1", "10.0.0.2"};
  world w(options);
  const auto caller = [&](const std::string& peer, const headers& with) {
    w.send("POST", path, with, envelope(version::v1_1, add), peer);
    return w.calls.back().peer;
  };
  CHECK(caller("10.0.0.1", {}) == "10.0.0.1");
  CHECK(caller("10.0.0.1", {{"X-Forwarded-For", "203.0.113.7"}}) == "203.0.113.7");
  CHECK(caller("10.0.0.1", {{"x-forwarded-for", "1.1.1.1, 203.0.113.7"}}) == "203.0.113.7");
  CHECK(
      caller("10.0.0.1", {{"X-Forwarded-For", "1.1.1.1"}, {"X-Forwarded-For", "203.0.113.7"}}) ==
      "203.0.113.7");
  CHECK(caller("10.0.0.1", {{"X-Forwarded-For", "203.0.113.7, 10.0.0.2"}}) == "203.0.113.7");
  CHECK(
      caller("10.0.0.1", {{"X-Forwarded-For", "203.0.113.7"}, {"X-Forwarded-For", "10.0.0.2"}}) ==
      "203.0.113.7");
  CHECK(caller("10.0.0.1", {{"X-Forwarded-For", "2001:db8::7"}}) == "2001:db8::7");
  CHECK(caller("198.51.100.1", {{"X-Forwarded-For", "203.0.113.7"}}) == "198.51.100.1");
  for (const char* entry :
       {"203.0.113.7:443",
        "2001:db8::7",
        "[2001:db8::7]",
        "[2001:db8::7]:65535",
        "::",
        "::ffff:1.2.3.4",
        "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:1.2.3.4",
        "::1.2.3.4",
        "1::8"}) {
    std::string address = entry;
    if (address.ends_with(":443") || address.ends_with("]:65535"))
      address.erase(address.rfind(':'));
    if (address[0] == '[') address = address.substr(1, address.size() - 2);
    CHECK(caller("10.0.0.1", {{"X-Forwarded-For", entry}}) == address);
  }
}

// An earlier line was used if the last one was invalid; the caller can write the earlier one.
TEST_CASE("an entry that is no address makes the caller unknown", "[dispatch]") {
  soapsvc::dispatcher_options options;
  options.trusted_proxies = {"10.0.0.1", "10.0.0.2"};
  world w(options);
  const auto caller = [&](const headers& with) {
    w.send("POST", path, with, envelope(version::v1_1, add), "10.0.0.1");
    return w.calls.back().peer;
  };
  for (const char* entry :
       {"unknown",
        "",
        " ",
        "_hidden",
        "203.0.113.7\r\nx",
        "203.0.113",
        "203.0.113.7.1",
        "face",
        "203.0.113.256",
        "203.0.113.0007",
        "203.0.113.7:",
        "203.0.113.7:x",
        "[203.0.113.7]",
        "2001:db8::7::1",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "12345::",
        ":1::",
        "1::2:",
        "::1.2.3",
        "::1.2.3.4:5",
        "[::1",
        "[::1]x",
        "::1%eth0",
        ":",
        ":::",
        "127.0.0.1x"}) {
    INFO(entry);
    CHECK(caller({{"X-Forwarded-For", entry}}).empty());
    const std::string after = std::string("127.0.0.1, 9.9.9.9, ") + entry;
    CHECK(caller({{"X-Forwarded-For", after}}).empty());
    CHECK(caller({{"X-Forwarded-For", after + ", 10.0.0.2"}}).empty());
    CHECK(caller({{"X-Forwarded-For", "127.0.0.1"}, {"X-Forwarded-For", entry}}).empty());
    CHECK(caller({{"X-Forwarded-For", "127.0.0.1"},
                  {"X-Forwarded-For", entry},
                  {"X-Forwarded-For", "10.0.0.2"}})
              .empty());
    CHECK(caller({{"X-Forwarded-For", entry + std::string(", 1.2.3.4")}}) == "1.2.3.4");
  }
  CHECK(caller({{"X-Forwarded-For", "10.0.0.2"}}) == "10.0.0.2");
}

TEST_CASE("a handler gets the facts of its call", "[dispatch]") {
  const world w;
  const std::string target = path;
  for (const version v : both) {
    const std::string said = v == version::v1_1 ? "1.1" : "1.2";
    const std::string role = v == version::v1_1 ? "e:actor='urn:x'" : "e:role='urn:x'";
    const std::string block =
        "<h:T xmlns:h='urn:h' " + role + " e:mustUnderstand='1'><a>1</a></h:T>";
    const std::string body = envelope(v, call("About"), block + "<Session xmlns='" + ns + "'/>");
    const soapsvc::http_header fields[] = {as_xml[0], {"X-Request-Id", "id-2"}};
    soapsvc::http_request request;
    request.target = target;
    request.headers = fields;
    request.body = body;
    request.peer = "192.0.2.9";
    request.certificate_subject = "CN=ann";
    CHECK(
        result_of(w.dispatcher.handle(request), "About") ==
        "About|" + said + "|192.0.2.9|id-2|CN=ann|{urn:h}T;urn:x;must;" + block + "|{" + ns +
            "}Session;;may;<Session xmlns='" + ns + "'/>");
  }
}

TEST_CASE("deprecated operations work until they are switched off", "[dispatch]") {
  const std::string old = call("OldAdd", "<A>1</A><B>2</B>");
  CHECK(result_of(world().ask(version::v1_1, old), "OldAdd") == "3");
  soapsvc::dispatcher_options options;
  options.serve_deprecated = false;
  const world w(options);
  for (const version v : both) {
    const auto fault = fault_of(w.ask(v, old));
    CHECK(fault.code == client_of(v));
    CHECK_THAT(
        fault.reason, Catch::Contains("OldAdd is deprecated and disabled on this server; use Add"));
    CHECK(result_of(w.ask(v, add), "Add") == "3");
  }
}

TEST_CASE("a response object is used again without a trace of the last one", "[dispatch]") {
  const world w;
  soapsvc::http_response response;
  const std::string body = envelope(version::v1_1, add);
  const std::string target = path;
  soapsvc::http_request request;
  request.target = target;
  request.headers = as_xml;
  request.method = "PUT";
  w.dispatcher.handle(request, response);
  CHECK(response.headers.size() == 2);  // Allow, and X-Content-Type-Options
  request.method = "POST";
  request.body = body;
  for (int turn = 0; turn != 3; ++turn) {
    w.dispatcher.handle(request, response);
    CHECK(result_of(response, "Add") == "3");
    CHECK(response.headers.size() == 1);
    CHECK(header_of(response, "Allow") == "(none)");
  }
}

TEST_CASE("a handler may call the dispatcher, and its own call stays whole", "[dispatch]") {
  const world w;
  for (const version v : both) {
    const std::string block = "<x:T xmlns:x='urn:x'>outer</x:T>";
    const auto response = w.ask(v, call("Nest", "<Text>inner</Text>"), block + block);
    const std::string text = result_of(response, "Nest");
    CHECK(contains(text, "<EchoResult>inner</EchoResult>"));
    CHECK(contains(text, "|" + block + "|" + block));
    CHECK(result_of(w.ask(v, add), "Add") == "3");
  }
}

TEST_CASE("requests are served on several threads at once", "[dispatch]") {
  world w;
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int turn = 0; turn != 100; ++turn) {
        const std::string text = std::to_string(thread * 1000 + turn);
        const version v = both[turn % 2];
        const bool same =
            result_of(w.ask(v, call("Echo", "<Text>" + text + "</Text>")), "Echo") == text;
        const bool refused =
            contains(reason(w.ask(v, call("Add", "<A>" + text + "x</A>"))), "'" + text + "x'");
        if (same && refused) ++good;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK(good == 400);
  CHECK(w.calls.size() == 800);
}

// --- Schemas -------------------------------------------------------------------------------------

TEST_CASE(
    "the response of every error path is valid against the published envelope schema",
    "[envelope][dispatch][rule-7]") {
  const world w;
  soapsvc::dispatcher_options small;
  small.limits.max_body_bytes = 10;
  small.serve_deprecated = false;
  const world narrow(small);
  std::vector<std::string> responses[2];
  for (const version v : both) {
    const headers type = {{"Content-Type", content_type(v)}};
    const std::string block = "<x:T xmlns:x='urn:x' e:mustUnderstand='1'/>";
    for (const auto& response :
         {w.ask(v, add),
          w.ask(v, call("Ping")),
          w.ask(v, call("List", "<Count>2</Count>")),
          w.ask(v, call("Echo")),
          fail(w, v, "client"),
          fail(w, v, "server"),
          fail(w, v, "detail"),
          fail(w, v, "about header"),
          fail(w, v, "subcode"),
          fail(w, v, "bad subcode"),
          fail(w, v, "status"),
          fail(w, v, "bad reason"),
          fail(w, v, "bad detail"),
          fail(w, v, "exception"),
          fail(w, v, "number"),
          fail(w, v, "control character"),
          w.ask(v, add, block),
          w.ask(v, call("Put")),
          w.ask(v, call("Sub")),
          w.ask(v, ""),
          w.ask(v, add + add),
          w.ask(v, call("Add", "<A>&lt;&amp;&#13;</A>")),
          w.post("", type),
          w.post("<a", type),
          w.post("<!DOCTYPE a><a/>", type),
          w.post("<a/>", type),
          narrow.post(envelope(v, add), type),
          w.post(envelope(v, add), {{"Content-Type", content_type(v) + "; charset=none"}}),
          w.post(envelope(v, "<Add xmlns='" + ns + "' e:encodingStyle='urn:x'/>"), type),
          w.ask(v, add, "", {{"SOAPAction", "urn:other"}}),
          w.post(envelope(v, add), {{"Content-Type", "image/png"}})})
      responses[contains(response.body, soap12_ns) ? 1 : 0].push_back(response.body);
  }
  CHECK(responses[0].size() > 25);
  CHECK(responses[1].size() > 25);
  CHECK(schema_errors("tests/schemas/soap11-envelope.xsd", responses[0]).empty());
  CHECK(schema_errors("tests/schemas/soap12-envelope.xsd", responses[1]).empty());
  CHECK_FALSE(schema_errors("tests/schemas/soap12-envelope.xsd", {responses[0][0]}).empty());
}
