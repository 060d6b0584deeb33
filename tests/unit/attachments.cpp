// MTOM: multipart messages and the bytes in them; in process, from bytes to bytes.

#include <catch2/catch.hpp>

#include <string>

#include "../pieces.hpp"
#include "soapsvc.hpp"

namespace {

using soapsvc::binary;

struct File {
  std::string name;
  binary content;
  std::optional<binary> thumbnail;
};
struct Typed {
  binary bytes;
  std::optional<std::string> type;
};
struct Files {
  std::vector<File> files;
  std::optional<std::string> note;
  std::optional<Typed> typed;
  std::optional<soapsvc::hex_binary> digits;
};
struct Sender {
  std::string name;
  binary seal;
};
struct Any {
  std::vector<soapsvc::xml> others;
};

class Archive {
public:
  std::vector<File> keep(const Files& request) {
    kept = request;
    return request.files;
  }
  binary sign(const File& file, const Sender& sender) {
    if (file.name == "refused") throw soapsvc::fault(soapsvc::fault_code::client, "no");
    return sender.seal;
  }
  std::int32_t other(const Any& any) { return static_cast<std::int32_t>(any.others.size()); }

  Files kept;
};

struct Load {
  std::string name;
  std::optional<binary> label;
  soapsvc::stream<std::byte> content;
};
struct Rows {
  std::optional<binary> label;
  soapsvc::stream<std::int32_t> rows;
};
struct Count {
  std::int32_t size{};
};

/// Accepts and returns streams, and other values beside them.
class Depot {
public:
  std::int64_t load(const Load& request) {
    name = request.name;
    label = request.label ? *request.label : binary{};
    content.clear();
    std::vector<std::byte> room(piece);
    while (const std::size_t got = request.content.read(room))
      content.append(reinterpret_cast<const char*>(room.data()), got);
    return static_cast<std::int64_t>(content.size());
  }
  std::int32_t sum(const Rows& request) {
    std::int32_t all = 0;
    while (const auto row = request.rows.next())
      all += *row;
    return all;
  }
  binary same(const File& file) { return file.content; }
  soapsvc::stream<std::byte> unload(const Count& count) {
    return [left = static_cast<std::size_t>(count.size)](std::span<std::byte> to) mutable {
      const std::size_t size = std::min(to.size(), left);
      for (std::byte& each : to.first(size))
        each = static_cast<std::byte>(left-- * 7);
      return size;
    };
  }
  Load both(const Count& count) { return {"both", binary{{1, 2, 3}}, unload(count)}; }
  Rows list(const Count& count) {
    return {
        binary{std::vector<std::uint8_t>(5'000, 7)},
        [left = count.size]() mutable -> std::optional<std::int32_t> {
          if (left == 0) return std::nullopt;
          return left--;
        }};
  }

  std::string name, content;
  binary label;
  std::size_t piece = 1'000;
};

class Plain {
public:
  binary same(const File& file) { return file.content; }
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<File> = record(
    "File",
    field("Name", &File::name),
    field("Content", &File::content),
    field("Thumbnail", &File::thumbnail, max_length(2'000)));
template <>
inline constexpr auto soapsvc::schema<Typed> =
    record("Typed", content(&Typed::bytes), attribute("type", &Typed::type));
template <>
inline constexpr auto soapsvc::schema<Files> = record(
    field("File", &Files::files),
    field("Note", &Files::note),
    field("Typed", &Files::typed),
    field("Digits", &Files::digits));
template <>
inline constexpr auto soapsvc::schema<Sender> =
    record("Sender", field("Name", &Sender::name), field("Seal", &Sender::seal));
template <> inline constexpr auto soapsvc::schema<Any> = record(any(&Any::others));
template <>
inline constexpr auto soapsvc::schema<Archive> = service(
    "Archive",
    mtom,
    operation("Keep", &Archive::keep),
    operation("Sign", &Archive::sign, request("File")),
    operation("Other", &Archive::other));
template <>
inline constexpr auto soapsvc::schema<Load> = record(
    field("Name", &Load::name), field("Label", &Load::label), field("Content", &Load::content));
template <>
inline constexpr auto soapsvc::schema<Rows> =
    record(field("Label", &Rows::label), field("Row", &Rows::rows));
template <> inline constexpr auto soapsvc::schema<Count> = record(field("Size", &Count::size));
template <>
inline constexpr auto soapsvc::schema<Depot> = service(
    "Depot",
    mtom,
    operation("Load", &Depot::load),
    operation("Sum", &Depot::sum),
    operation("Same", &Depot::same, request("File")),
    operation("Unload", &Depot::unload),
    operation("Both", &Depot::both),
    operation("List", &Depot::list));
template <>
inline constexpr auto soapsvc::schema<Plain> =
    service("Plain", operation("Same", &Plain::same, request("File")));

namespace {

const std::string base = "http://example.com/soap";

binary bytes_of(std::string_view text) { return {{text.begin(), text.end()}}; }
std::string text_of(const binary& value) { return {value.bytes.begin(), value.bytes.end()}; }

/// All byte values repeatedly, including line ends.
binary many_bytes(std::size_t size) {
  binary made;
  for (std::size_t at = 0; at != size; ++at)
    made.bytes.push_back(static_cast<std::uint8_t>(at * 7 + at / 256));
  return made;
}

std::string include(const std::string& href) {
  return "<x:Include xmlns:x=\"http://www.w3.org/2004/08/xop/include\" href=\"" + href + "\"/>";
}

std::string envelope(const std::string& body, bool v12 = false) {
  return "<e:Envelope xmlns:e=\"" +
         std::string(
             v12 ? "http://www.w3.org/2003/05/soap-envelope"
                 : "http://schemas.xmlsoap.org/soap/envelope/") +
         "\"><e:Body>" + body + "</e:Body></e:Envelope>";
}

std::string keep(const std::string& content, const std::string& more = "") {
  return envelope(
      "<Keep xmlns=\"" + base + "/Archive\"><File><Name>n</Name><Content>" + content +
      "</Content></File>" + more + "</Keep>");
}

const std::string type =
    "multipart/related; type=\"application/xop+xml\"; start=\"<root@x>\"; "
    "start-info=\"text/xml\"; boundary=\"B\"";
const std::string root_fields =
    "Content-Type: application/xop+xml; charset=utf-8; type=\"text/xml\"\r\n"
    "Content-Transfer-Encoding: binary\r\nContent-ID: <root@x>\r\n";

std::string part(const std::string& fields, const std::string& content) {
  return "--B\r\n" + fields + "\r\n" + content + "\r\n";
}
std::string root(const std::string& text) { return part(root_fields, text); }
std::string named(const std::string& id, const std::string& content) {
  return part("Content-ID: <" + id + ">\r\nContent-Transfer-Encoding: binary\r\n", content);
}
const std::string last = "--B--\r\n";

/// A message with the content of one file in the part `a@x`.
std::string usual(const std::string& content = "bytes") {
  return root(keep(include("cid:a@x"))) + named("a@x", content) + last;
}

struct world {
  explicit world(soapsvc::dispatcher_options options = {})
      : services(with_base(std::move(options))) {
    services.add(archive);
    services.add(plain);
  }
  static soapsvc::dispatcher_options with_base(soapsvc::dispatcher_options options) {
    options.ns_base = base;
    return options;
  }
  soapsvc::http_response send(
      const std::string& body,
      const std::string& content_type = type,
      const std::string& accept = "",
      const std::string& path = "/soap/v3/Archive.asmx") {
    std::vector<soapsvc::http_header> fields{{"Content-Type", content_type}};
    if (!accept.empty()) fields.push_back({"Accept", accept});
    soapsvc::http_request request;
    request.target = path;
    request.headers = fields;
    request.body = body;
    return services.handle(request);
  }
  /// The reason of the fault for a message.
  std::string refused(const std::string& body, const std::string& content_type = type) {
    const soapsvc::http_response response = send(body, content_type);
    const std::size_t from = response.body.find("<faultstring>");
    const std::size_t to = response.body.find("</faultstring>");
    INFO(response.body);
    REQUIRE(from != std::string::npos);
    CHECK(response.body.find("<faultcode>soap:Client") != std::string::npos);
    status = response.status;
    return response.body.substr(from + 13, to - from - 13);
  }

  Archive archive;
  Plain plain;
  soapsvc::dispatcher services;
  int status = 0;
};

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

}  // namespace

// --- Accepted messages ---------------------------------------------------------------------------

TEST_CASE("the bytes of a part are the value of its element", "[attachments]") {
  world at;
  const soapsvc::http_response response = at.send(usual("a\r\nb\r\n--\r\n--A"));
  INFO(response.body);
  REQUIRE(response.status == 200);
  REQUIRE(at.archive.kept.files.size() == 1);
  CHECK(text_of(at.archive.kept.files[0].content) == "a\r\nb\r\n--\r\n--A");
}

TEST_CASE("a part may be empty, with and without an empty line before its end", "[attachments]") {
  world at;
  CHECK(at.send(usual("")).status == 200);
  CHECK(at.archive.kept.files[0].content.bytes.empty());
  const std::string bare = root(keep(include("cid:a@x"))) + "--B\r\nContent-ID: <a@x>\r\n\r\n--B--";
  CHECK(at.send(bare).status == 200);
  CHECK(at.archive.kept.files[0].content.bytes.empty());
  const std::string fields = "--B\r\n\r\nnobody's\r\n";
  CHECK(at.send(root(keep("")) + fields + "--B\r\n\r\n--B--").status == 200);
}

TEST_CASE("text before the first part and after the last is ignored", "[attachments]") {
  world at;
  CHECK(at.send("This is MTOM.\r\n--BC is no boundary\r\n" + usual()).status == 500);
  CHECK(
      at.send("This is MTOM.\r\n--" + std::string("\r\n") + usual() + "\r\nThe end.").status ==
      200);
  CHECK(at.send("\r\n" + usual() + "\r\n\r\n").status == 200);
}

TEST_CASE("white space after a boundary, and folded headers, are accepted", "[attachments]") {
  world at;
  const std::string folded =
      "--B \t\r\ncontent-type: application/xop+xml;\r\n charset=utf-8;\r\n\ttype=text/xml\r\n"
      "CONTENT-ID:\r\n <root@x>\r\n\r\n" +
      keep(include("cid:a@x")) +
      "\r\n--B\t\r\nX-Other: any\r\nContent-ID:<a@x>\r\n\r\nbytes\r\n--B-- ";
  const soapsvc::http_response response = at.send(folded);
  INFO(response.body);
  CHECK(response.status == 200);
  CHECK(text_of(at.archive.kept.files[0].content) == "bytes");
}

TEST_CASE("the root is the part that start names, wherever it is, or the first", "[attachments]") {
  world at;
  const std::string message = named("a@x", "bytes") + root(keep(include("cid:a@x"))) + last;
  CHECK(at.send(message).status == 200);
  CHECK(text_of(at.archive.kept.files[0].content) == "bytes");
  const std::string without = "Multipart/Related;type=application/xop+xml;boundary=B";
  CHECK(at.send(usual(), without).status == 200);
  CHECK_THAT(at.refused(message, without), Contains("the root part is ''"));
  const std::string bare = type.substr(0, type.find("start=")) + "boundary=B; start=root@x";
  CHECK(at.send(usual(), bare).status == 200);
}

TEST_CASE("a reference is a URL whose escapes are decoded", "[attachments]") {
  world at;
  const std::string id = "http://tempuri.org/1/6%";
  const std::string message =
      root(keep(include("CID:http%3A%2F%2ftempuri.org/1/6%25"))) + named(id, "bytes") + last;
  CHECK(at.send(message).status == 200);
  CHECK(text_of(at.archive.kept.files[0].content) == "bytes");
}

// Such a message was refused: "but this message has no such part".
TEST_CASE(
    "a Content-ID may have the escapes of its reference, but the decoded form is preferred",
    "[attachments][regression]") {
  world at;
  const std::string text = root(keep(include("cid:a%40x"))), escaped = named("a%40x", "escaped");
  CHECK(at.send(text + escaped + last).status == 200);
  CHECK(text_of(at.archive.kept.files[0].content) == "escaped");
  CHECK(at.send(text + escaped + named("a@x", "bytes") + last).status == 200);
  CHECK(text_of(at.archive.kept.files[0].content) == "bytes");
  CHECK_THAT(
      at.refused(root(keep(include("cid:a%2540x"))) + named("a@x", "bytes") + last),
      Contains("refers to 'cid:a%2540x', but this message has no such part"));
}

// Such a message was refused, though the type of a part other than the root is not used.
TEST_CASE("the type of bytes may be malformed, but not the root's", "[attachments][regression]") {
  world at;
  for (const char* odd : {"undefined", "pdf", "application/pdf; name=my file.pdf", "a/b; x"}) {
    INFO(odd);
    const std::string fields = "Content-Type: " + std::string(odd) + "\r\nContent-ID: <a@x>\r\n";
    CHECK(at.send(root(keep(include("cid:a@x"))) + part(fields, odd) + last).status == 200);
    REQUIRE(at.archive.kept.files.size() == 1);
    CHECK(text_of(at.archive.kept.files[0].content) == odd);
  }
  CHECK_THAT(
      at.refused(
          part("Content-Type: application/xop+xml; x\r\nContent-ID: <root@x>\r\n", keep("")) +
          last),
      Contains("the root part: Content-Type is malformed"));
}

TEST_CASE("one message may hold parts and base64", "[attachments]") {
  world at;
  const std::string message = root(keep(
                                  "aGk=",
                                  "<File><Name>m</Name><Content>\n " + include("cid:b@x") +
                                      " </Content><Thumbnail>" + include("cid:c@x") +
                                      "</Thumbnail></File>"
                                      "<Typed type=\"text/plain\">" +
                                      include("cid:d@x") + "</Typed>")) +
                              named("d@x", "4") + named("c@x", "3") + named("b@x", "2") +
                              named("nobody's", "1") + last;
  const soapsvc::http_response response = at.send(message);
  INFO(response.body);
  REQUIRE(response.status == 200);
  CHECK(text_of(at.archive.kept.files[0].content) == "hi");
  CHECK(text_of(at.archive.kept.files[1].content) == "2");
  CHECK(text_of(*at.archive.kept.files[1].thumbnail) == "3");
  CHECK(text_of(at.archive.kept.typed->bytes) == "4");
  CHECK(*at.archive.kept.typed->type == "text/plain");
}

TEST_CASE("facets apply to the bytes of parts", "[attachments]") {
  world at;
  const std::string more =
      "<File><Name>m</Name><Content/><Thumbnail>" + include("cid:c@x") + "</Thumbnail></File>";
  CHECK_THAT(
      at.refused(root(keep("", more)) + named("c@x", std::string(2'001, 'x')) + last),
      Contains("is not of at most 2000 bytes"));
}

TEST_CASE("a header block's bytes may be a part, and an envelope of 1.2 is one", "[attachments]") {
  world at;
  const std::string v12 =
      "multipart/related; type=\"application/xop+xml\"; start=\"<root@x>\"; boundary=B; "
      "start-info=\"application/soap+xml; action=\\\"" +
      base + "/Archive/Sign\\\"\"";
  const std::string text =
      "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\" xmlns=\"" + base +
      "/Archive\"><e:Header><Sender><Name>s</Name><Seal>" + include("cid:s@x") +
      "</Seal></Sender></e:Header><e:Body><File><Name>n</Name><Content>" + include("cid:a@x") +
      "</Content></File></e:Body></e:Envelope>";
  const std::string message =
      part(
          "Content-Type: application/xop+xml; type=\"application/soap+xml; action=\\\"" + base +
              "/Archive/Sign\\\"\"\r\nContent-ID: <root@x>\r\n",
          text) +
      named("a@x", "bytes") + named("s@x", std::string(3'000, 's')) + last;
  const soapsvc::http_response response = at.send(message, v12);
  INFO(response.body);
  CHECK(response.status == 200);
  CHECK_THAT(response.content_type, Contains("start-info=\"application/soap+xml\""));
  CHECK(response.body.find(std::string(3'000, 's')) != std::string::npos);
  const soapsvc::http_response other = at.send(message, v12 + "; action=\"urn:other\"");
  CHECK(other.status == 400);
  CHECK_THAT(other.body, Contains("the actions"));
  CHECK_THAT(other.content_type, StartsWith("application/soap+xml"));
}

TEST_CASE("a media type is read to its last character", "[attachments][content-type]") {
  using soapsvc::detail::parse_mime_type;
  for (const char* good : {"a/b", " a/b ", "a/b;", "a/b; ; x=1", "a/b;x=1 ; y=\"a;b\\\"c\" ;", ""})
    CHECK(parse_mime_type(good).wrong == "");
  for (const char* bad :
       {"a",
        "/b",
        "a/",
        "a b/c",
        "a/b c",
        "a/b; x",
        "a/b; =1",
        "a/b; x y=1",
        "a/b; x=",
        "a/b; x=a b",
        "a/b; x=a\"b",
        "a/b; x=a\\b",
        "a/b; x=\"a",
        "a/b; x=\"a\\",
        "a/b; x=\"a\"b"}) {
    INFO(bad);
    CHECK(parse_mime_type(bad).wrong == "is malformed");
  }
  CHECK(parse_mime_type("A/B; X=\"a\\\"b;c\"").value("x") == "a\"b;c");
  CHECK(parse_mime_type("A/B").type == "a/b");
}

TEST_CASE("a reference to a part is a URL of cid, its escapes whole", "[attachments]") {
  using soapsvc::detail::kept_attachments;
  const auto id_of = [](const char* url) { return kept_attachments::content_id_of(url)->id; };
  CHECK(id_of("cid:a%40x") == "a@x");
  CHECK(id_of("\tCID:%41%7a%7A%2F%3a ") == "Azz/:");
  for (const char* none :
       {"",
        "a@x",
        "cid:",
        "cid",
        "cida@x",
        "http:a",
        "cid:a%",
        "cid:a%4",
        "cid:%zz",
        "cid:%4z",
        "cid:%/0",
        "cid:%0/",
        "cid:%:0",
        "cid:%0:",
        "cid:%@0",
        "cid:%0`",
        "cid:%g0"}) {
    INFO(none);
    CHECK_FALSE(kept_attachments::content_id_of(none).has_value());
  }
}

TEST_CASE("only Accept says whether parts are accepted", "[attachments]") {
  const auto accepts = [](const char* name, const char* value) {
    const soapsvc::http_header field[] = {{name, value}};
    return soapsvc::detail::accepts_parts(field);
  };
  CHECK(accepts("accept", "multipart/related; type=\"application/xop+xml\""));
  CHECK(accepts("Accept", "a/b; x=\"y,z\", multipart/related; type=application/xop+xml; q=0.01"));
  CHECK(accepts("Accept", "multipart/related; x=\"y,z\"; type=\"application/xop+xml\""));
  CHECK_FALSE(accepts("Accept", "a/b; x=\"y, multipart/related; type=application/xop+xml; z\""));
  CHECK_FALSE(accepts("Accept", "multipart/related; type=\"application/xop+xml\"; q=0.00"));
  CHECK_FALSE(accepts("Accept", "multipart/related; type=\"application/xop+xml\" x"));
  CHECK_FALSE(accepts("Accept", "multipart/mixed; type=\"application/xop+xml\""));
  CHECK_FALSE(accepts("Content-Type", "multipart/related; type=\"application/xop+xml\""));
}

// --- Refused messages ----------------------------------------------------------------------------

TEST_CASE("a Content-Type that is not MTOM's is refused by name", "[attachments][content-type]") {
  world at;
  const auto refused = [&](const std::string& content_type) {
    const std::string said = at.refused(usual(), content_type);
    CHECK(at.status == 415);
    return said;
  };
  CHECK_THAT(
      refused("multipart/related; type=\"text/xml\"; boundary=B"),
      Contains("SOAP with attachments (type 'text/xml'), which is not served here"));
  CHECK_THAT(refused("multipart/related; boundary=B"), Contains("related is ''; allowed is"));
  CHECK_THAT(
      refused("multipart/related; type=\"text/plain\"; boundary=B"),
      Contains("related is 'text/plain'; allowed is"));
  CHECK_THAT(
      refused("multipart/related; type=\"application/xop+xml\""),
      Contains("has no boundary of 1 to 70 characters"));
  const std::string open = "multipart/related; type=\"application/xop+xml\"; boundary=";
  CHECK_THAT(refused(open + std::string(71, 'b')), Contains("no boundary of 1 to 70"));
  CHECK_THAT(refused(open + "\"B \""), Contains("no boundary of 1 to 70"));
  for (const char* mark : {"\"B\x7F\"", "\"B\t\"", "\"B\xC3\xA9\""})
    CHECK_THAT(refused(open + mark), Contains("no boundary of 1 to 70"));
  for (const char* name : {"boundary*", "boundary*0", "start*"})
    CHECK_THAT(refused(open + "B; " + name + "=C"), Contains("Content-Type is malformed"));
  CHECK_THAT(
      refused(open + "B; start-info=\"text/xml; x\""), Contains("start-info is 'text/xml; x'"));
  CHECK_THAT(refused(open + "B; boundary=C"), Contains("has a parameter twice"));
  CHECK_THAT(refused(open + "\"B"), Contains("is malformed"));
  CHECK_THAT(refused(open + "\"B\" x"), Contains("is malformed"));
  CHECK_THAT(refused(open + "B; start-info"), Contains("is malformed"));
  CHECK_THAT(
      refused(open + "B; start-info=\"text/html\""),
      Contains("start-info is 'text/html'; allowed are text/xml and application/soap+xml"));
  CHECK_THAT(refused("multipart/mixed; boundary=B"), Contains("is not served here"));
}

TEST_CASE("a service without mtom accepts no parts", "[attachments]") {
  world at;
  const auto response = at.send(usual(), type, "", "/soap/v3/Plain.asmx");
  CHECK(response.status == 415);
  CHECK_THAT(response.body, Contains("'multipart/related' is not served here"));
  const std::string text = envelope(
      "<File xmlns=\"" + base + "/Plain\"><Name>n</Name><Content>" + include("cid:a@x") +
      "</Content></File>");
  const auto other = at.send(text, "text/xml", "", "/soap/v3/Plain.asmx");
  CHECK_THAT(other.body, Contains("File/Content: holds the element 'Include'"));
  const std::string large = envelope(
      "<File xmlns=\"" + base + "/Plain\"><Name>n</Name><Content>" + many_bytes(2'000).text() +
      "</Content></File>");
  const std::string asked = "multipart/related; type=\"application/xop+xml\"";
  const auto plain = at.send(large, "text/xml", asked, "/soap/v3/Plain.asmx");
  CHECK(plain.status == 200);
  CHECK(plain.content_type == "text/xml; charset=utf-8");
}

TEST_CASE("a message with an ambiguous boundary is refused", "[attachments]") {
  world at;
  const std::string good = usual();
  CHECK_THAT(at.refused(""), Contains("no part begins"));
  CHECK_THAT(at.refused("--C\r\n\r\n"), Contains("no part begins"));
  CHECK_THAT(at.refused(std::string(9'000, 'x') + "\r\n" + good), Contains("no part begins"));
  for (const std::size_t size :
       {good.size() - 4,
        good.size() - 7,
        good.size() - 9,
        std::size_t(3),
        std::size_t(5),
        std::size_t(40),
        std::size_t(200)})
    CHECK_THAT(
        at.refused(good.substr(0, size)), Contains("the message ends before its last boundary"));
  CHECK_THAT(
      at.refused(root(keep(include("cid:a@x"))) + named("a@x", "a\r\n--Bc") + last),
      Contains("a line with the boundary has more than white space behind it"));
  CHECK_THAT(at.refused(good.substr(0, good.size() - 2) + "x"), Contains("more than white space"));
  CHECK_THAT(
      at.refused(good + named("b@x", "more") + last),
      Contains("there are parts behind the last boundary"));
  CHECK_THAT(
      at.refused(root(keep("")) + "--B\r\nContent-ID: <b@x>\r\n--B\r\n\r\n\r\n--B--"),
      Contains("part 2 ends in its header"));
  CHECK_THAT(
      at.refused(root(keep("")) + "--B\r\n--B\r\n\r\n\r\n--B--"),
      Contains("part 2 ends in its header"));
}

TEST_CASE("a part's header with unknown values is refused", "[attachments]") {
  world at;
  const auto refused = [&](const std::string& fields) {
    return at.refused(root(keep("")) + part(fields, "x") + last);
  };
  CHECK_THAT(
      refused("Content-Transfer-Encoding: base64\r\n"),
      Contains("part 2: Content-Transfer-Encoding is 'base64'; allowed are binary, 8bit and 7bit"));
  CHECK_THAT(
      refused("Content-Transfer-Encoding: quoted-printable\r\n"), Contains("'quoted-printable'"));
  CHECK_THAT(refused("Content-Encoding: gzip\r\n"), Contains("for the whole message"));
  CHECK_THAT(
      refused("Content-Type: multipart/mixed; boundary=C\r\n"),
      Contains("part 2: is 'multipart/mixed', but a part cannot contain parts"));
  CHECK_THAT(
      refused("Content-ID: <a>\r\nContent-ID: <b>\r\n"), Contains("Content-ID is there twice"));
  for (const char* id : {"<a b>", "<a> (x)", "<<a>", "<a>>", "<a(b>", "<a\tb>"})
    CHECK_THAT(
        refused("Content-ID: " + std::string(id) + "\r\n"), Contains("is malformed; allowed is"));
  for (const char* line : {"no field\r\n", "none\r\n", "no name: x\r\n", ": x\r\n"})
    CHECK_THAT(refused(line), Contains("its header has a line that is no field"));
  CHECK_THAT(refused("A: b\x7F\r\n"), Contains("its header holds a control character"));
  CHECK_THAT(refused("A: b\rc\r\n"), Contains("its header holds a control character"));
  CHECK_THAT(refused("A: b\nc: d\r\n"), Contains("its header holds a control character"));
  CHECK_THAT(
      refused("A: " + std::string(9'000, 'x') + "\r\n"),
      Contains("the header of part 2 has more than 8192 bytes (limit max_part_header_bytes)"));
  CHECK(at.status == 413);
}

TEST_CASE("the root is a part of the right type, and there is one", "[attachments]") {
  world at;
  const auto refused = [&](const std::string& fields) {
    return at.refused(part(fields, keep("")) + last);
  };
  CHECK_THAT(
      refused("Content-Type: text/xml\r\nContent-ID: <root@x>\r\n"),
      Contains("the root part is 'text/xml'; allowed is application/xop+xml"));
  CHECK_THAT(
      refused("Content-Type: application/xop+xml; type=text/plain\r\nContent-ID: <root@x>\r\n"),
      Contains("type of the root part is 'text/plain'"));
  CHECK_THAT(
      refused("Content-Type: application/xop+xml\r\nContent-ID: <other@x>\r\n"),
      Contains("start is 'root@x', which is no part's Content-ID"));
  CHECK_THAT(
      at.refused(root(keep("")) + named("root@x", "") + last),
      Contains("two parts have the Content-ID 'root@x'"));
  CHECK_THAT(
      at.refused(root(keep("")) + named("a@x", "") + named("a@x", "") + last),
      Contains("two parts have the Content-ID 'a@x'"));
}

TEST_CASE("an xop:Include is alone in an element of bytes and has one part", "[attachments]") {
  world at;
  const auto refused = [&](const std::string& content, const std::string& more = "") {
    return at.refused(root(keep(content, more)) + named("a@x", "bytes") + last);
  };
  const std::string here = "Keep/File/Content: ";
  const std::string good = include("cid:a@x");
  CHECK_THAT(refused(include("cid:b@x")), StartsWith(here + "refers to 'cid:b@x', but this"));
  CHECK_THAT(refused(include("cid:root@x")), Contains("has no such part"));
  CHECK_THAT(
      refused(include("http://127.0.0.1/a")),
      StartsWith(here + "refers to 'http://127.0.0.1/a'; allowed is cid: and the Content-ID"));
  for (const char* const href : {"", "cid:", "cid:a%4", "cid:a%zzx", "#a@x", "mid:a@x"})
    CHECK_THAT(refused(include(href)), Contains("allowed is cid:"));
  CHECK_THAT(
      refused("<x:Include xmlns:x=\"http://www.w3.org/2004/08/xop/include\"/>"),
      Contains("has an xop:Include without href"));
  const std::string open = good.substr(0, good.size() - 2) + ">";
  CHECK_THAT(refused(open + "x</x:Include>"), Contains("has an xop:Include with content"));
  CHECK_THAT(refused(open + good + "</x:Include>"), Contains("an xop:Include with content"));
  CHECK_THAT(refused("aGk=" + good), Contains("holds more than its xop:Include"));
  CHECK_THAT(refused(good + good), Contains("holds more than its xop:Include"));
  CHECK_THAT(refused("<a/>" + good), Contains("holds the element 'a'"));
  CHECK_THAT(
      refused(good, "<Note>" + good + "</Note>"),
      StartsWith("Keep/Note: holds the element 'Include'; allowed is text"));
  CHECK_THAT(
      refused(good, "<Digits>" + good + "</Digits>"),
      StartsWith("Keep/Digits: holds the element 'Include'"));
  CHECK_THAT(
      refused(good, "<Typed>" + good + "</Typed>"),
      StartsWith("Keep/Typed: refers to 'cid:a@x', to which another element refers already"));
}

TEST_CASE("an element that is kept as XML refers to no part", "[attachments]") {
  world at;
  const std::string text = envelope(
      "<Other xmlns=\"" + base + "/Archive\"><o xmlns=\"urn:o\"><p>" + include("cid:a@x") +
      "</p></o></Other>");
  CHECK_THAT(
      at.refused(root(text) + named("a@x", "bytes") + last),
      StartsWith("Other/o: holds an xop:Include"));
}

TEST_CASE(
    "parts are bounded by number and size, and together by max_body_bytes",
    "[attachments][limits]") {
  soapsvc::dispatcher_options options;
  options.limits.max_parts = 3;
  options.limits.max_part_bytes = 100;
  options.limits.max_body_bytes = 2'000;
  world at(options);
  const std::string two = root(keep("")) + named("a@x", std::string(100, 'x')) + named("b@x", "");
  CHECK(at.send(two + last).status == 200);
  CHECK_THAT(
      at.refused(two + named("c@x", "") + last), Contains("more than 3 parts (limit max_parts)"));
  CHECK(at.status == 413);
  CHECK_THAT(
      at.refused(usual(std::string(101, 'x'))),
      Contains("Content: refers to a part of more than 100 bytes (limit max_part_bytes)"));
  CHECK(at.send(usual(std::string(100, 'x'))).status == 200);
  CHECK_THAT(at.refused(two + last + std::string(2'000, ' ')), Contains("limit max_body_bytes"));
}

// --- Responses -----------------------------------------------------------------------------------

TEST_CASE("parts are sent only to callers that accept them", "[attachments]") {
  world at;
  const std::string content = binary(many_bytes(2'000)).text();
  const std::string text = keep(content);
  const auto reply_to = [&](const std::string& accept) {
    return at.send(text, "text/xml; charset=utf-8", accept);
  };
  for (const char* const accept :
       {"",
        "*/*",
        "text/xml, multipart/related",
        "multipart/related;type=\"text/xml\"",
        "multipart/related; type=\"application/xop+xml\"; q=0.0"}) {
    const soapsvc::http_response plain = reply_to(accept);
    CHECK(plain.content_type == "text/xml; charset=utf-8");
    CHECK(plain.body.find(content) != std::string::npos);
  }
  for (const char* const accept :
       {"multipart/related; type=\"application/xop+xml\"",
        "text/xml, Multipart/Related;q=0.5;type=application/xop+xml, */*"}) {
    const soapsvc::http_response parts = reply_to(accept);
    CHECK_THAT(parts.content_type, StartsWith("multipart/related; type=\"application/xop"));
    CHECK(parts.body.find(content) == std::string::npos);
  }
  CHECK_THAT(at.send(usual()).content_type, StartsWith("multipart/related"));
}

TEST_CASE("a client reads the parts of a response", "[attachments]") {
  world at;
  const std::string content = text_of(many_bytes(5'000));
  const soapsvc::http_response response = at.send(usual(content));
  REQUIRE(response.status == 200);
  const soapsvc::message_limits bounds;
  soapsvc::detail::multipart_message read(response.content_type, bounds);
  read.read(response.body);
  CHECK_THAT(std::string(read.root()), Contains("<xop:Include"));
  CHECK(response.body.find(content) != std::string::npos);
  const soapsvc::http_response again = at.send(usual(content));
  CHECK(again.content_type != response.content_type);  // each boundary is different
}

TEST_CASE("small byte fields stay in the envelope of a response", "[attachments]") {
  soapsvc::dispatcher_options options;
  options.mtom_min_bytes = 10;
  world at(options);
  CHECK(at.send(usual("123456789")).body.find(">MTIzNDU2Nzg5<") != std::string::npos);
  CHECK(at.send(usual("1234567890")).body.find("\r\n\r\n1234567890\r\n--") != std::string::npos);
}

// Only the first piece was read: "the message ends before its last boundary".
TEST_CASE("a service without streams reads a request in pieces as a whole", "[attachments]") {
  soapsvc::dispatcher_options options;
  options.limits.max_body_bytes = 3'000;
  world at(options);
  for (const std::size_t size : {0U, 100U, 5'000U}) {
    const std::string body = usual(std::string(size, 'x'));
    const soapsvc::byte_source rest = in_pieces(std::string_view(body).substr(50), 100);
    const soapsvc::http_header fields[] = {{"Content-Type", type}};
    soapsvc::http_request request;
    request.target = "/soap/v3/Archive.asmx";
    request.headers = fields;
    request.body = std::string_view(body).substr(0, 50);
    request.rest_of_body = &rest;
    const soapsvc::http_response response = at.services.handle(request);
    INFO(response.body);
    CHECK(response.status == (size == 5'000 ? 413 : 200));
    if (response.status == 200) CHECK(at.archive.kept.files.at(0).content.bytes.size() == size);
  }
}

// Each became a part, but soapsvc receivers accept at most 1,000 by default.
TEST_CASE(
    "fields beyond the number of parts that receivers accept stay base64",
    "[attachments][regression]") {
  world at;
  soapsvc::client<Archive> client(at.services);
  Files request;
  request.files.assign(1'100, {"n", many_bytes(1'024), {}});
  const std::vector<File> back = client.call(&Archive::keep, request);
  REQUIRE(at.archive.kept.files.size() == 1'100);
  CHECK(at.archive.kept.files.back().content == many_bytes(1'024));
  REQUIRE(back.size() == 1'100);
  CHECK(back.front().content == many_bytes(1'024));
  CHECK(back.back().content == many_bytes(1'024));
}

TEST_CASE("a fault is a plain envelope", "[attachments]") {
  world at;
  const std::string text =
      envelope("<File xmlns=\"" + base + "/Archive\"><Name>refused</Name><Content/></File>");
  const auto response = at.send(root(text) + last);
  CHECK(response.content_type == "text/xml; charset=utf-8");
  CHECK_THAT(response.body, StartsWith("<?xml"));
}

TEST_CASE("on_message gets the envelope of a multipart message", "[attachments]") {
  std::string request, response;
  soapsvc::dispatcher_options options;
  options.on_message = [&](const soapsvc::message_report& report) {
    request = report.request;
    response = report.response;
  };
  world at(options);
  at.send(usual(std::string(2'000, 'x')));
  CHECK_THAT(request, Contains("Include"));
  CHECK(request.find("cid:") == std::string::npos);
  CHECK_THAT(response, StartsWith("<soap:Envelope"));
  CHECK_THAT(response, Contains("Include"));
}

TEST_CASE("the WSDL has the policy of MTOM", "[attachments]") {
  world at;
  const auto description = [&](const std::string& path) {
    soapsvc::http_request request;
    request.method = "GET";
    request.target = path;
    return at.services.handle(request).body;
  };
  const std::string said = description("/soap/v3/Archive.asmx?wsdl");
  CHECK_THAT(said, Contains("<wsoma:OptimizedMimeSerialization xmlns:wsoma="));
  CHECK_THAT(said, Contains("wsp:Optional=\"true\""));
  CHECK_THAT(said, Contains("<wsp:PolicyReference URI=\"#"));
  CHECK(description("/soap/v3/Plain.asmx?wsdl").find("wsp:") == std::string::npos);
}

// --- Clients -------------------------------------------------------------------------------------

TEST_CASE("a client sends parts, and reads those of a response", "[attachments]") {
  for (const auto version : {soapsvc::soap_version::v1_1, soapsvc::soap_version::v1_2}) {
    world at;
    std::string sent_type, sent;
    soapsvc::client_options options;
    options.ns_base = base;
    options.version = version;
    soapsvc::client<Archive> client(
        [&](const soapsvc::http_request& request) {
          sent = request.body;
          sent_type = request.header("Content-Type").value_or("");
          soapsvc::http_request to = request;
          to.target = "/soap/v3/Archive.asmx";
          return at.services.handle(to);
        },
        options);
    Files request;
    request.files = {{"one", many_bytes(100'000), many_bytes(1'023)}, {"two", {}, {}}};
    request.typed = Typed{many_bytes(1'024), "text/plain"};
    const std::vector<File> back = client.call(&Archive::keep, request);
    CHECK_THAT(sent_type, StartsWith("multipart/related"));
    CHECK(sent.find(text_of(many_bytes(100'000))) != std::string::npos);
    REQUIRE(back.size() == 2);
    CHECK(back[0].content == many_bytes(100'000));
    CHECK(back[0].thumbnail == many_bytes(1'023));
    CHECK(back[1].content.bytes.empty());
    CHECK(at.archive.kept.typed->bytes == many_bytes(1'024));
    CHECK(
        client.call(&Archive::sign, File{"n", {}, {}}, Sender{"s", many_bytes(9'000)}) ==
        many_bytes(9'000));
    CHECK_THROWS_AS(
        client.call(&Archive::sign, File{"refused", {}, {}}, Sender{}), soapsvc::remote_fault);
  }
}

TEST_CASE("a client reads parts of a service without mtom", "[attachments]") {
  soapsvc::client_options options;
  options.ns_base = base;
  std::string content = root(envelope(
                            "<SameResponse xmlns=\"" + base + "/Plain\"><SameResult>" +
                            include("cid:a@x") + "</SameResult></SameResponse>")) +
                        named("a@x", "bytes") + last;
  soapsvc::client<Plain> client(
      [&](const soapsvc::http_request&) {
        return soapsvc::http_response{200, type, {}, content};
      },
      options);
  CHECK(client.call(&Plain::same, File{}) == bytes_of("bytes"));
  content = named("a@x", "bytes") + last;
  CHECK_THROWS_WITH(client.call(&Plain::same, File{}), Contains("is no part's Content-ID"));
}

// --- Streams -------------------------------------------------------------------------------------

namespace {

struct depot {
  explicit depot(soapsvc::dispatcher_options options = {})
      : services(world::with_base(std::move(options))) {
    services.add(service);
  }
  /// Sends a message in pieces of this size; 0: as a whole.
  soapsvc::http_response send(const std::string& body, std::size_t piece) {
    const soapsvc::http_header fields[] = {{"Content-Type", type}};
    const std::size_t first = std::min(piece, body.size());
    const soapsvc::byte_source rest = in_pieces(std::string_view(body).substr(first), piece);
    soapsvc::http_request request;
    request.target = "/soap/v3/Depot.asmx";
    request.headers = fields;
    request.body = piece == 0 ? body : std::string_view(body).substr(0, piece);
    if (piece != 0) request.rest_of_body = &rest;
    return services.handle(request);
  }

  Depot service;
  soapsvc::dispatcher services;
};

std::string load(const std::string& content, const std::string& label = "") {
  return envelope(
      "<Load xmlns=\"" + base + "/Depot\"><Name>n</Name>" +
      (label.empty() ? "" : "<Label>" + label + "</Label>") + "<Content>" + content +
      "</Content></Load>");
}
const std::size_t pieces[] = {0, 1, 7, 100, 1'000, 100'000};

}  // namespace

TEST_CASE("the bytes of a stream are a part that is read as it comes", "[attachments]") {
  const std::string content = text_of(many_bytes(200'000));
  for (const std::size_t piece : pieces) {
    CAPTURE(piece);
    depot at;
    at.service.piece = piece + 10;
    const std::string small = named("l@x", "label"), large = named("a@x", content);
    const auto response = at.send(
        root(load(" " + include("cid:a%40x") + "\n", include("cid:l@x"))) + named("nobody", "") +
            small + large + named("more", "x") + last,
        piece);
    INFO(response.body);
    REQUIRE(response.status == 200);
    CHECK(at.service.name == "n");
    CHECK(text_of(at.service.label) == "label");
    CHECK(at.service.content == content);
  }
}

TEST_CASE("the Content-ID of a stream's part may have escapes", "[attachments][regression]") {
  for (const std::size_t piece : pieces) {
    CAPTURE(piece);
    depot at;
    const std::string text = root(load(include("cid:a%40x"))) + named("a%40x", "escaped");
    CHECK(at.send(text + last, piece).status == 200);
    CHECK(at.service.content == "escaped");
  }
  depot at;
  const std::string two =
      root(load(include("cid:a%40x"))) + named("a%40x", "escaped") + named("a@x", "bytes") + last;
  CHECK(at.send(two, 0).status == 200);
  CHECK(at.service.content == "bytes");
  CHECK_THAT(at.send(two, 100).body, Contains("two parts have the Content-ID 'a@x'"));
}

TEST_CASE("a stream's bytes may be base64 in the envelope of a message of parts", "[attachments]") {
  const binary content = many_bytes(10'000);
  for (const std::size_t piece : pieces) {
    depot at;
    const auto response = at.send(root(load(content.text())) + named("a@x", "x") + last, piece);
    INFO(response.body);
    REQUIRE(response.status == 200);
    CHECK(at.service.content == text_of(content));
    CHECK(at.send(root(load("")) + last, piece).status == 200);
    CHECK(at.service.content.empty());
  }
}

TEST_CASE("other operations of a service with streams accept parts", "[attachments]") {
  for (const std::size_t piece : pieces) {
    depot at;
    const std::string text = envelope(
        "<File xmlns=\"" + base + "/Depot\"><Name>n</Name><Content>" + include("cid:a@x") +
        "</Content></File>");
    const std::string content(5'000, 'c');
    const auto response = at.send(named("a@x", content) + root(text) + last, piece);
    INFO(response.body);
    CHECK(response.status == 200);
    CHECK(response.body.find(content) != std::string::npos);
    CHECK(at.send(root(text) + named("a@x", content) + last, piece).status == 200);
    const auto rows = at.send(
        root(envelope("<Sum xmlns=\"" + base + "/Depot\"><Row>1</Row><Row>2</Row></Sum>")) +
            named("a@x", "x") + last,
        piece);
    CHECK_THAT(rows.body, Contains("<SumResult>3</SumResult>"));
  }
}

TEST_CASE("an error in a stream's part is a fault wherever it is detected", "[attachments]") {
  const std::string good = include("cid:a@x");
  const std::string a = named("a@x", std::string(3'000, 'a'));
  const auto refused = [&](const std::string& message, const std::string& why) {
    for (const std::size_t piece : pieces) {
      CAPTURE(piece);
      depot at;
      const auto response = at.send(message, piece);
      CHECK(response.status != 200);
      CHECK_THAT(response.body, Contains(why));
    }
  };
  refused(root(load(good)) + last, "Load/Content: refers to 'a@x', but this message has no such");
  refused(root(load(good, good)) + a + last, "refers to");
  refused(root(load(good + good)) + a + last, "Load/Content: holds more than its xop:Include");
  refused(root(load(good + "x")) + a + last, "Load/Content: holds more than its xop:Include");
  refused(root(load("aGk=" + good)) + a + last, "Load/Content: is not base64");
  refused(root(load(include("urn:a"))) + a + last, "Load/Content: refers to 'urn:a'; allowed");
  refused(root(load("<a/>")) + a + last, "Load/Content: is not base64");
  const std::string open = good.substr(0, good.size() - 2) + ">";
  refused(root(load(open + "x</x:Include>")) + a + last, "xop:Include with content");
  refused(root(load(open + good + "</x:Include>")) + a + last, "xop:Include with content");
  refused(root(load(good)) + a, "ends before its last boundary");
  refused(root(load(good)) + a.substr(0, 1'000), "ends before its last boundary");
  refused(root(load(good)) + a + a + last, "two parts have the Content-ID 'a@x'");
  refused(root(load(good)) + a + last + a, "parts behind the last boundary");
  refused(
      root(load(good)) + a + last + std::string(8'193, 'x') + "\r\n" + a, "more than 8192 bytes");
  refused(root(load(good) + "x") + a + last, "content after the root element");
  depot at;
  const std::string late = root(load(good, include("cid:l@x"))) + a + named("l@x", "l") + last;
  CHECK(at.send(late, 0).status == 200);
  CHECK_THAT(at.send(late, 100).body, Contains("Load/Label: refers to 'cid:l@x', which comes too"));
}

TEST_CASE("a stream by MTOM has its own bounds", "[attachments][limits]") {
  soapsvc::dispatcher_options options;
  options.limits.max_part_bytes = 2'000;
  options.limits.max_body_bytes = 3'000;
  options.limits.max_stream_bytes = 50'000;
  depot at(options);
  const std::string text = root(load(include("cid:a@x")));
  const auto with = [&](std::size_t size) { return named("a@x", std::string(size, 'a')); };
  CHECK(at.send(text + with(40'000) + last, 100).status == 200);
  CHECK_THAT(at.send(text + with(50'000) + last, 100).body, Contains("limit max_stream_bytes"));
  CHECK_THAT(
      at.send(text + named("b", std::string(2'001, 'b')) + with(1) + last, 100).body,
      Contains("a part has more than 2000 bytes (limit max_part_bytes)"));
  const std::string b = named("b", std::string(1'501, 'b')) + named("c", std::string(1'500, 'c'));
  CHECK_THAT(at.send(text + b + with(1) + last, 100).body, Contains("limit max_body_bytes"));
}

TEST_CASE("the bytes of a stream are the last part of a response", "[attachments]") {
  depot at;
  const std::string text =
      envelope("<Both xmlns=\"" + base + "/Depot\"><Size>300000</Size></Both>");
  const soapsvc::http_header fields[] = {
      {"Content-Type", "text/xml"}, {"Accept", "multipart/related; type=\"application/xop+xml\""}};
  for (const bool pieces_taken : {false, true}) {
    soapsvc::http_request request;
    request.target = "/soap/v3/Depot.asmx";
    request.headers = fields;
    request.body = text;
    request.accepts_chunks = pieces_taken;
    soapsvc::http_response response = at.services.handle(request);
    CHECK(static_cast<bool>(response.next_chunk) == pieces_taken);
    CHECK((response.body.size() < 100'000) == pieces_taken);
    while (response.next_chunk && response.next_chunk(response.body))
      continue;
    const soapsvc::message_limits bounds;
    soapsvc::detail::multipart_message read(response.content_type, bounds);
    read.read(response.body);
    CHECK_THAT(std::string(read.root()), Contains("<Name>both</Name><Label>AQID</Label>"));
    const std::size_t begin = response.body.find(".stream>\r\n\r\n");
    CHECK(response.body.substr(begin + 12, 4) == " \x19\x12\x0b");
    CHECK(response.body.size() - begin < 300'100);
  }
}

TEST_CASE("clients send and receive streams as parts", "[attachments]") {
  depot at;
  soapsvc::client<Depot> client(at.services);
  std::size_t left = 100'000;
  Load request;
  request.name = "n";
  request.label = many_bytes(5'000);
  request.content = soapsvc::stream<std::byte>([&](std::span<std::byte> to) {
    const std::size_t size = std::min(to.size(), left);
    std::fill_n(to.begin(), size, std::byte('x'));
    left -= size;
    return size;
  });
  CHECK(client.call(&Depot::load, request) == 100'000);
  CHECK(at.service.content == std::string(100'000, 'x'));
  CHECK(at.service.label == many_bytes(5'000));
  const auto bytes = client.call(&Depot::unload, Count{70'000});
  std::vector<std::byte> room(100'000);
  CHECK(bytes.read(room) == 70'000);
}

// All parts were read first, which blocked a thread for streams.
TEST_CASE("an unknown operation is refused before its parts arrive", "[attachments][regression]") {
  std::size_t bytes_in = 0;
  soapsvc::dispatcher_options options;
  options.on_call = [&](const soapsvc::call_report& report) { bytes_in = report.bytes_in; };
  depot at(options);
  const std::string text = envelope("<Other xmlns=\"" + base + "/Depot\"/>");
  const std::string message = root(text) + named("a@x", std::string(100'000, 'a')) + last;
  for (const std::size_t piece : {100U, 1'000U}) {
    CHECK_THAT(at.send(message, piece).body, Contains("is not an operation of this service"));
    CHECK(bytes_in < 10'000);
  }
  CHECK_THAT(at.send(message, 0).body, Contains("is not an operation of this service"));
}

// Only the first piece was counted, unless the envelope had begun.
TEST_CASE(
    "all received bytes of a refused message in pieces are counted", "[attachments][regression]") {
  std::size_t bytes_in = 0;
  std::string request;
  soapsvc::dispatcher_options options;
  options.on_call = [&](const soapsvc::call_report& report) { bytes_in = report.bytes_in; };
  options.on_message = [&](const soapsvc::message_report& report) { request = report.request; };
  depot at(options);
  const std::string message = named("a@x", std::string(3'000, 'a')) + last;
  CHECK_THAT(at.send(message, 100).body, Contains("which is no part's Content-ID"));
  CHECK(bytes_in == message.size());
  CHECK(request == '(' + std::to_string(message.size()) + " bytes)");
}

// A part came after the items, and the receiver refused it: "which comes too late".
TEST_CASE(
    "bytes in other fields stay in the envelope when there is a stream of items",
    "[attachments][regression]") {
  depot at;
  soapsvc::client_options options;
  options.ns_base = base;
  soapsvc::client<Depot> client(
      [&](const soapsvc::http_request& request) {
        const std::size_t given = std::min<std::size_t>(1'000, request.body.size());
        const soapsvc::byte_source rest = in_pieces(request.body.substr(given));
        soapsvc::http_request to = request;
        to.target = "/soap/v3/Depot.asmx";
        to.body = request.body.substr(0, given);
        to.rest_of_body = &rest;
        soapsvc::http_response response = at.services.handle(to);
        CHECK(request.body.find("Include") == std::string_view::npos);
        CHECK(response.body.find("Include") == std::string::npos);
        CHECK_THAT(response.content_type, StartsWith("multipart/related"));
        return response;
      },
      options);
  Rows request;
  request.label = many_bytes(5'000);
  request.rows = soapsvc::stream<std::int32_t>([left = 3]() mutable -> std::optional<std::int32_t> {
    if (left == 0) return std::nullopt;
    return left--;
  });
  CHECK(client.call(&Depot::sum, request) == 6);
  const Rows back = client.call(&Depot::list, Count{2});
  CHECK(back.label == binary{std::vector<std::uint8_t>(5'000, 7)});
  CHECK(back.rows.next() == 2);
  CHECK(back.rows.next() == 1);
  CHECK_FALSE(back.rows.next().has_value());
}

// --- The reader ----------------------------------------------------------------------------------

TEST_CASE("a multipart reader finds the same in pieces of any size", "[attachments]") {
  const std::string message = "before\r\n" + named("1", "a\r\n--\r\n\r\n-\r") +
                              named("2", text_of(many_bytes(3'000))) + named("3", "") + last +
                              "behind";
  const soapsvc::message_limits bounds;
  using soapsvc::detail::multipart_reader;
  const auto read = [&](std::size_t piece) {
    multipart_reader reader("B", bounds);
    std::string text, told;
    std::size_t given = 0;
    for (;;) {
      std::string_view rest = text, found;
      const auto what = reader.read(rest, given == message.size(), found);
      if (what == multipart_reader::found::head) told.append("|").append(found).append("|");
      if (what == multipart_reader::found::bytes) told.append(found);
      text.erase(0, text.size() - rest.size());
      if (what == multipart_reader::found::end) return told;
      if (what != multipart_reader::found::nothing) continue;
      text += message.substr(given, piece);
      given = std::min(given + piece, message.size());
    }
  };
  const std::string whole = read(message.size());
  CHECK_THAT(whole, Contains(text_of(many_bytes(3'000))));
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 7U, 64U, 1'000U})
    CHECK(read(piece) == whole);
}
