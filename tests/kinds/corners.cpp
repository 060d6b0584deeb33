// Tables that combine the features of kinds.hpp: messages survive a round trip, and are valid.
#include "corners.hpp"

#include "../support.hpp"

#include <catch2/catch.hpp>

using namespace support;
using namespace corners;

namespace {

const std::string service_ns = base + "/Corners";

/// A service, and its messages.
struct corners_world {
  corners_world() { services.add(corners); }
  soapsvc::http_response get(const std::string& target) const {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = target;
    return services.handle(request);
  }
  std::string wsdl() const { return get("/soap/v3/Corners.asmx?WSDL").body; }
  soapsvc::http_response ask(version v, const std::string& payload) const {
    const std::string media_type = content_type(v);
    const soapsvc::http_header type[] = {{"Content-Type", media_type}};
    const std::string body = envelope(v, payload);
    soapsvc::http_request request;
    request.target = "/soap/v3/Corners.asmx";
    request.headers = type;
    request.body = body;
    return services.handle(request);
  }
  Corners corners;
  soapsvc::dispatcher services{{.ns_base = base}};
};

Deep deep() {
  Deep made;
  made.end = "e";
  Block& block = made.block.emplace();
  block.head = "h";
  block.rows = {{"k", {"a", {}}, {}}, {"k", {{}, {1, 2}}, "n"}, {"k", {"", {}}, ""}};
  return made;
}

Express express() {
  Express made;
  made.way.rail = "r";
  made.stops = {{"p", 1}, {"q", {}}, {"p", -1}};
  made.number = 7;
  made.seats = Seats{1, 2};
  made.line = "l";
  made.ways = {{"a", {}}, {{}, "b"}, {"c", {}}};
  made.fast = true;
  return made;
}

Express plain_express() {
  Express made;
  made.way.road = "r";
  made.stops = {{"p", {}}, {"q", {}}};
  return made;
}

Tax tax() {
  Tax made;
  made.amount = soapsvc::decimal("10.50");
  made.currency = "<\"&\r\n\t EUR";
  made.percent = 19;
  return made;
}

Outer outer() {
  const Middle some{{{1, "a"}, {2, {}}}, Own{{"w", "v"}}};
  const Middle few{{}, Own{}};
  return {{some, few, {}}, {few, some, {}}, {{3, "c"}, {4, {}}}};
}

Said said() {
  Said made;
  made.nil.emplace() = 5;
  made.nils = {soapsvc::nillable<std::string>("x"), {}, soapsvc::nillable<std::string>("")};
  made.digits = 4;
  return made;
}

Often often() {
  const soapsvc::nillable<std::int32_t> nil;
  return {Vote{{"a", "b", "c"}, {}}, Weather{{{1, 2}, {3, 4}}, {}}, {{1, 2}, {3, 4}}, {nil, nil}};
}

Amended policy() {
  Amended made;
  made.settings = "s";
  made.target = "t";
  made.parts = {
      {"a", {}, {}},
      {"b", {}, {}},
      {{}, Assigned{"k", "v"}, {}},
      {{}, Assigned{"k", {}}, {}},
      {{}, {}, Remark{"r", "v"}},
      {{}, Assigned{"k", "v"}, {}},
      {"c", {}, {}}};
  made.end = "e";
  made.target_again = "t2";
  return made;
}

Amended bare_policy() {
  Amended made;
  made.target = "t";
  made.parts = {{"only in a part", {}, {}}};
  return made;
}

Marks marks() {
  Marks made;
  made.kinds.items = {{"urn:a", "a"}, {"urn:b", "b"}, {"urn:a", "c"}, {"", "bare"}};
  made.either = soapsvc::qualified_name{"urn:c", "d"};
  made.code = {"urn:more", "A"};
  made.more = {{{"urn:b", "b"}, {"urn:a", "a"}, {"http://www.w3.org/XML/1998/namespace", "x"}}};
  made.level = {"urn:levels", "high"};
  return made;
}

Term number(std::int32_t value) {
  Term made;
  made.form.number = value;
  return made;
}
Term negated(const Term& term) {
  Term made;
  made.form.negated.emplace() = term;
  return made;
}
Term sum(const std::vector<Term>& terms) {
  Term made;
  made.form.sum = terms;
  return made;
}

Wide wide() {
  Wide made;
  made.m00 = 1;
  made.m99 = 2;
  made.other.emplace().m50 = 3;
  static_cast<Hundred&>(made).m42 = 4;
  made.m99 = 5;
  return made;
}

Lists lists() {
  Lists made;
  made.outers = {outer(), {}};
  made.words = std::vector<std::string>{"", "<a>"};
  made.numbers.emplace() = {1, -2};
  made.prices.emplace().emplace() = {soapsvc::decimal("1.50")};
  made.terms = {number(1), {}, number(2)};
  made.others.emplace_back("<anyType xmlns=\"" + service_ns + "\"><a/></anyType>");
  made.blobs = {soapsvc::binary{{1, 2, 3}}, {}};
  made.inner.resize(2);
  made.inner[1].words.emplace();
  made.inner[1].prices.emplace();
  return made;
}

Adapted adapted() {
  Adapted made;
  made.counts = {{"", 1}, {"<a>", -2}};
  made.outers = {{7, outer()}, {-7, {}}};
  made.words.emplace()["en"] = "word";
  made.shares = {{"Ann", {Percent(1), Percent(100)}}, {"Bob", {}}};
  made.at = std::chrono::sys_days{made.day} + std::chrono::milliseconds{5};
  made.length = std::chrono::seconds{-90};
  made.term = std::chrono::months{14};
  made.share = Percent(99);
  return made;
}

All all() {
  All made;
  made.deeps = {deep(), {{}, "e"}};
  made.trains = {express(), plain_express()};
  made.sleepers.emplace_back();
  static_cast<Express&>(made.sleepers[0]) = express();
  made.nothings.resize(2);
  made.taxes = {tax(), {}};
  made.names = {{1, "a", "b", true, "en", "c"}, {2, "d", {}, false, {}, {}}};
  made.outers = {outer(), {}};
  made.said = {said(), Said{.nils = {{}}}};
  made.often = {often(), {Vote{{}, true}, Weather{{}, "c"}, {}, {}}, {}};
  made.fixed = {{1, {7, 7}, Level{}, "slow"}, {}};
  made.intervals = {
      {Bounds{From{"l", End{{}, "h"}}, {}, {}, {}}},
      {Bounds{From{"l", End{5, {}}}, {}, {}, {}}},
      {Bounds{From{"l", {}}, {}, {}, {}}},
      {Bounds{{}, "h", {}, {}}},
      {Bounds{{}, {}, Length{3, "h"}, {}}},
      {Bounds{{}, {}, Length{3, {}}, {}}},
      {Bounds{{}, {}, {}, Around{"c", 3}}},
      {Bounds{{}, {}, {}, Around{"c", {}}}},
      {}};
  made.policies = {policy(), bare_policy()};
  made.gaps = {
      {{"l", {}, {}}, "h"},
      {{{}, Around{"c", 1}, {}}, "h"},
      {{{}, {}, Closed{"r", "s"}}, "h"},
      {{{}, {}, Closed{{}, "s"}}, "h"}};
  made.flags = {{{true, false, true}, {{false, true}}, {{{true}}}}, {}};
  made.marks = {marks(), {}};
  made.badges = {
      {{{{"urn:a", "a"}, {"urn:b", "a"}}},
       soapsvc::list<soapsvc::qualified_name>{{{"urn:c", "c"}}}},
      {{{{"", "a"}}}, 5},
      {}};
  made.terms = {
      negated(sum({number(1), negated(number(2)), sum({number(3)})})), number(4), sum({number(5)})};
  made.wides = {wide(), {}};
  made.lists = {lists(), {}};
  made.lists_elsewhere = {{{outer()}, std::vector<Outer>(2), {true, false}}, {}};
  made.adapted = {adapted(), {}};
  return made;
}

}  // namespace

TEST_CASE("messages of combined tables survive a round trip, and are valid", "[kinds]") {
  const corners_world w;
  for (const version v : both) {
    std::vector<std::string> payloads;
    soapsvc::client<Corners> client(
        [&](const soapsvc::http_request& request) {
          payloads.push_back(payload_of(std::string(request.body)));
          soapsvc::http_request passed = request;
          const std::string media_type = content_type(v);
          const soapsvc::http_header type[] = {{"Content-Type", media_type}};
          passed.headers = type;
          passed.target = "/soap/v3/Corners.asmx";
          auto response = w.services.handle(passed);
          payloads.push_back(payload_of(response.body));
          return response;
        },
        {.ns_base = base, .version = v});
    const All sent = all();
    const All answer = client.call(&Corners::echo, sent);
    CHECK((answer.deeps == sent.deeps));
    CHECK((answer.trains == sent.trains));
    CHECK((answer.sleepers == sent.sleepers));
    CHECK((answer.nothings == sent.nothings));
    CHECK((answer.taxes == sent.taxes));
    CHECK((answer.names == sent.names));
    CHECK((answer.outers == sent.outers));
    CHECK((answer.said == sent.said));
    CHECK((answer.often == sent.often));
    CHECK((answer.fixed == sent.fixed));
    CHECK((answer.intervals == sent.intervals));
    CHECK((answer.policies == sent.policies));
    CHECK((answer.gaps == sent.gaps));
    CHECK((answer.flags == sent.flags));
    CHECK((answer.marks == sent.marks));
    CHECK((answer.badges == sent.badges));
    CHECK((answer.terms == sent.terms));
    CHECK((answer.wides == sent.wides));
    CHECK((answer.lists == sent.lists));
    CHECK((answer.lists_elsewhere == sent.lists_elsewhere));
    CHECK((answer.adapted == sent.adapted));
    const std::vector<Outer> among{outer(), {}};
    const auto found = client.call(&Corners::find, 0, Percent(5), among);
    REQUIRE(found);
    CHECK((*found == among[0]));
    CHECK(client.call(&Corners::find, 0, Percent(0), among) == nullptr);
    CHECK(client.call(&Corners::find, 2, std::nullopt, among) == nullptr);
    CHECK(payload_errors(w.wsdl(), payloads) == "");
  }
}

TEST_CASE("a type that extends text with attributes is described as text", "[kinds]") {
  const std::string wsdl = corners_world().wsdl();
  const std::size_t at = wsdl.find("<s:complexType name=\"Tax\">");
  REQUIRE(at != wsdl.npos);
  const std::string type = wsdl.substr(at, wsdl.find("</s:complexType>", at) - at);
  CHECK_THAT(type, Catch::Contains("<s:simpleContent>"));
  CHECK_THAT(type, Catch::Contains("<s:extension base=\"tns:Amount\">"));
  CHECK_THAT(type, !Catch::Contains("currency"));
}

TEST_CASE("a wrapped list has the same type as a list as a result", "[kinds][wrapped_list]") {
  const corners_world w;
  const std::string wsdl = w.wsdl();
  for (const char* const row :
       {"minOccurs=\"1\" maxOccurs=\"1\" name=\"Outers\" type=\"tns:ArrayOfOuter\"",
        "minOccurs=\"0\" maxOccurs=\"1\" name=\"OutersResult\" type=\"tns:ArrayOfOuter\"",
        "minOccurs=\"0\" maxOccurs=\"1\" name=\"Words\" type=\"tns:ArrayOfString\"",
        "name=\"Numbers\" nillable=\"true\" type=\"tns:ArrayOfInt\"",
        "name=\"Flags\" form=\"unqualified\" type=\"tns:ArrayOfBoolean\"",
        "maxOccurs=\"unbounded\" name=\"Outer\" nillable=\"true\" type=\"tns:Outer\""})
    CHECK_THAT(wsdl, Catch::Contains(row));
  // Items with a name of their own.
  CHECK_THAT(wsdl, Catch::Contains("name=\"Prices\" nillable=\"true\" type=\"tns:ArrayOfPrice\""));
  CHECK_THAT(wsdl, Catch::Contains("maxOccurs=\"unbounded\" name=\"Price\" type=\"s:decimal\""));
  const auto fault_of = [&](const std::string& lists) {
    return w
        .ask(version::v1_1, "<All xmlns=\"" + service_ns + "\"><Lists>" + lists + "</Lists></All>")
        .body;
  };
  CHECK_THAT(fault_of("<Words/>"), Catch::Contains("All/Lists/Outers: is missing"));
  CHECK_THAT(
      fault_of("<Outers><Inner/></Outers>"),
      Catch::Contains(
          "All/Lists/Outers: the element 'Inner' is not known here; allowed are Outer"));
  CHECK_THAT(
      fault_of("<Outers/><Outers/>"), Catch::Contains("All/Lists/Outers[2]: may appear only once"));
  CHECK_THAT(
      fault_of("<Numbers><int>a</int></Numbers>"), Catch::Contains("All/Lists/Numbers/int: "));
  CHECK_THAT(
      fault_of("<Prices><Price>a</Price></Prices>"), Catch::Contains("All/Lists/Prices/Price: "));
  CHECK_THAT(
      fault_of("<Prices><decimal>1</decimal></Prices>"),
      Catch::Contains("All/Lists/Prices: the element 'decimal' is not known here"));
  CHECK_THAT(fault_of("<Words><string><b/></string></Words>"), !Catch::Contains("<b/>"));
  std::string names;
  Lists made;
  soapsvc::for_each_field(
      made, [&](std::string_view name, const auto&) { names.append(name).append(" "); });
  CHECK(names == "Outers Words Numbers Prices Terms Others Blobs Inner ");
}

TEST_CASE("samples of combined tables are valid, and are served", "[kinds]") {
  const corners_world w;
  const auto samples = samples_of(w.get("/soap/v3/Corners.asmx?op=All").body);
  REQUIRE(samples.size() >= 4);
  std::vector<std::string> payloads;
  for (const std::string& sample : samples) {
    payloads.push_back(payload_of(sample));
    std::string& payload = payloads.back();  // its names have a prefix of the envelope
    payload.insert(payload.find('>'), " xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"");
    if (payload.rfind("<All ", 0) != 0) continue;
    const auto response = w.ask(version::v1_1, payload);
    INFO(response.body);
    CHECK(response.status == 200);
    payloads.push_back(payload_of(response.body));
  }
  CHECK(payload_errors(w.wsdl(), payloads) == "");
}
