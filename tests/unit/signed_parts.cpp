// Signatures of messages with bytes in parts (MTOM) or in a stream: both sides, and changes by an
// attacker. The tests sign base64 in the envelope with their own code, and then move the bytes to
// parts.

#include <catch2/catch.hpp>

#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../pieces.hpp"
#include "signing.hpp"

using namespace std::string_literals;
using soapsvc::binary;
using soapsvc::soap_version;

namespace {

struct Deed {
  std::string name;
  binary first;
  std::optional<binary> second;
  std::vector<soapsvc::xml> others;
};
struct Seal {
  binary value;
};
struct Load {
  std::string name;
  std::vector<binary> labels;
  soapsvc::stream<std::byte> content;
};
struct Rows {
  soapsvc::stream<std::int32_t> rows;
};
struct Count {
  std::int32_t size{};
};

std::string text_of(const binary& value) { return {value.bytes.begin(), value.bytes.end()}; }
binary bytes_of(std::string_view text) { return {{text.begin(), text.end()}}; }

/// All byte values, repeatedly.
binary many_bytes(std::size_t size) {
  binary made;
  for (std::size_t at = 0; at != size; ++at)
    made.bytes.push_back(static_cast<std::uint8_t>(at * 7 + at / 256));
  return made;
}
soapsvc::stream<std::byte> streamed(std::size_t size) {
  return [all = many_bytes(size).bytes, at = std::size_t{0}](std::span<std::byte> to) mutable {
    const std::size_t count = std::min(to.size(), all.size() - at);
    if (count != 0) std::memcpy(to.data(), all.data() + at, count);
    at += count;
    return count;
  };
}
std::string drained(const soapsvc::stream<std::byte>& from) {
  std::string all;
  std::byte room[1'000];
  while (const std::size_t size = from.read(room))
    all.append(reinterpret_cast<const char*>(room), size);
  return all;
}

class Vault {
public:
  std::string keep(const Deed& deed, const Seal& seal) {
    done = deed.name + '/' + text_of(deed.first) + '/' +
           (deed.second ? text_of(*deed.second) : "none") + " under " + text_of(seal.value) +
           (deed.others.empty() ? "" : " and others");
    return "kept";
  }
  void pass(const soapsvc::header_blocks<std::vector<soapsvc::xml>>& blocks) {
    done = std::to_string(blocks.get<std::vector<soapsvc::xml>>().size());
  }
  binary same(const Deed& deed) { return deed.first; }
  std::int64_t load(const Load& asked) {
    done = drained(asked.content);
    for (const binary& label : asked.labels)
      done += '+' + text_of(label);
    return static_cast<std::int64_t>(done.size());
  }
  std::int64_t sum(const Rows& asked) {
    std::int64_t all = 0;
    while (const auto row = asked.rows.next())
      all += *row;
    done = std::to_string(all);
    return all;
  }
  soapsvc::stream<std::byte> unload(const Count& asked) {
    return streamed(static_cast<std::size_t>(asked.size));
  }
  soapsvc::stream<std::string> names(const Count& asked) {
    return [left = asked.size]() mutable -> std::optional<std::string> {
      if (left == 0) return std::nullopt;
      return "name " + std::to_string(left--);
    };
  }

  std::string done;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Deed> = record(
    field("Name", &Deed::name),
    field("First", &Deed::first),
    field("Second", &Deed::second),
    any(&Deed::others));
template <>
inline constexpr auto soapsvc::schema<Seal> = record("Seal", field("Value", &Seal::value));
template <>
inline constexpr auto soapsvc::schema<Load> = record(
    field("Name", &Load::name), field("Label", &Load::labels), field("Content", &Load::content));
template <> inline constexpr auto soapsvc::schema<Rows> = record(field("Row", &Rows::rows));
template <> inline constexpr auto soapsvc::schema<Count> = record(field("Size", &Count::size));
template <>
inline constexpr auto soapsvc::schema<Vault> = service(
    "Vault",
    mtom,
    secured(x509_signature, timestamp, signed_header_blocks, signed_responses),
    operation("Keep", &Vault::keep),
    operation("Pass", &Vault::pass),
    operation("Same", &Vault::same),
    operation("Load", &Vault::load),
    operation("Sum", &Vault::sum),
    operation("Unload", &Vault::unload),
    operation("Names", &Vault::names));

namespace {

using namespace signing;

const std::string xop = "http://www.w3.org/2004/08/xop/include";

const certificate& vault_itself() {
  static const certificate made = make("vault", &authority());
  return made;
}

soapsvc::dispatcher_options trusting(soapsvc::dispatcher_options options = {}) {
  options.ns_base = "urn:test";
  options.security.signatures.ca_file = authority().certificate_file;
  options.security.identity.certificate_file = vault_itself().file;
  options.security.allow_replayed_signatures = true;
  return options;
}

/// The service, and the calls that it received.
struct world {
  explicit world(soapsvc::dispatcher_options options = {})
      : services(trusting(std::move(options))) {
    services.add(vault);
  }
  soapsvc::http_response send(const std::string& body, const std::string& type) {
    vault.done.clear();
    const soapsvc::http_header fields[] = {{"Content-Type", type}};
    soapsvc::http_request request;
    request.target = "/soap/v3/Vault.asmx";
    request.headers = fields;
    request.body = body;
    return services.handle(request);
  }
  Vault vault;
  soapsvc::dispatcher services;
};
world& here() {
  static world made;
  return made;
}

// --- A message, and its parts --------------------------------------------------------------------

std::string include(const std::string& id, const std::string& more = "") {
  return "<x:Include xmlns:x=\"" + xop + "\" href=\"cid:" + id + "\"" + more + "/>";
}
std::string moment(std::chrono::seconds from_now) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return soapsvc::date_time::from(now + from_now).text();
}

const std::string first_bytes = "first \r\n\0 bytes"s + std::string(9'000, '\xff');
const std::string second_bytes = "second";
const std::string seal_bytes = "seal!";
const std::string expected = "n/" + first_bytes + "/second under seal!";

/// A message whose bytes are in the envelope or in parts, as its fields say.
struct message {
  std::string_view soap = soap11;
  std::string first = bytes_of(first_bytes).text();
  std::string second = bytes_of(second_bytes).text();
  std::string seal = bytes_of(seal_bytes).text();
  std::string name = "n";
  std::string typed;  // attributes of Second
  std::string more;  // behind Second
  std::string block;  // in Header
  std::string in_security;
  std::string references = reference("body") + reference("time") + reference("seal");
  std::string signature = signing::signature(references, token_reference());
  std::string payload;  // instead of all that
  std::string time = "<wsu:Timestamp wsu:Id=\"time\"><wsu:Created>" +
                     moment(std::chrono::seconds(0)) + "</wsu:Created></wsu:Timestamp>";
  std::vector<std::pair<std::string, std::string>> parts;

  std::string body() const {
    if (!payload.empty()) return payload;
    return "<Keep xmlns=\"urn:test/Vault\"><Name>" + name + "</Name><First>" + first +
           "</First><Second" + typed + ">" + second + "</Second>" + more + "</Keep>";
  }
  std::string text() const {
    return "<s:Envelope xmlns:s=\"" + std::string(soap) + "\" xmlns:wsse=\"" +
           std::string(impl::wsse_ns) + "\" xmlns:wsu=\"" + std::string(impl::wsu_ns) +
           "\"><s:Header><wsse:Security s:mustUnderstand=\"1\">" + token_element(caller()) + time +
           signature + in_security + "</wsse:Security><Seal xmlns=\"urn:test/Vault\" " +
           "wsu:Id=\"seal\"><Value>" + seal + "</Value></Seal>" + block +
           "</s:Header><s:Body wsu:Id=\"body\">" + body() + "</s:Body></s:Envelope>";
  }
  /// Signed in this form: an xop:Include is signed as an element.
  message by_caller() const {
    message made = *this;
    made.signature = signing::signature(references, token_reference());
    const std::string whole = filled(made.text(), caller().key);
    const std::size_t begin = whole.find("<ds:Signature ");
    made.signature = whole.substr(begin, whole.find("</ds:Signature>") + 15 - begin);
    return made;
  }
  /// The same with its bytes in parts.
  message in_parts() const {
    message made = *this;
    made.first = include("a@x");
    made.second = include("b@x");
    made.seal = include("c@x");
    made.parts = {{"a@x", first_bytes}, {"b@x", second_bytes}, {"c@x", seal_bytes}};
    return made;
  }
  std::string whole() const {
    std::string made =
        "--B\r\nContent-Type: application/xop+xml; charset=utf-8\r\n"
        "Content-ID: <root@x>\r\n\r\n" +
        text();
    for (const auto& [id, bytes] : parts)
      made += "\r\n--B\r\nContent-ID: <" + id + ">\r\n\r\n" + bytes;
    return made + "\r\n--B--\r\n";
  }
  std::string type() const {
    const std::string info = soap == soap11 ? "text/xml" : "application/soap+xml";
    return "multipart/related; type=\"application/xop+xml\"; start=\"<root@x>\"; boundary=\"B\""
           "; start-info=\"" +
           info + '"';
  }
  soapsvc::http_response send() const { return here().send(whole(), type()); }
};

message good(std::string_view soap = soap11) {
  message made;
  made.soap = soap;
  return made.by_caller().in_parts();
}

struct mutant {
  std::string name;
  message changed;
};
class mutant_list {
public:
  std::vector<mutant> all;
  template <class Change> void add(const std::string& name, Change change) {
    for (const std::string_view soap : {soap11, soap12}) {
      message made = good(soap);
      change(made);
      all.push_back({name, std::move(made)});
    }
  }
};

void add_parts(mutant_list& to) {
  to.add("the content of a part is changed", [](message& m) { m.parts[1].second = "sEcond"; });
  to.add("a part has a byte more", [](message& m) { m.parts[1].second += '\0'; });
  to.add("a part has a byte less", [](message& m) { m.parts[0].second.pop_back(); });
  to.add("a part is empty", [](message& m) { m.parts[1].second.clear(); });
  to.add("the part of a header block is changed", [](message& m) { m.parts[2].second = "Seal!"; });
  to.add("two parts have exchanged their names", [](message& m) {
    std::swap(m.parts[0].first, m.parts[1].first);
  });
  to.add("parts of Header and Body have exchanged their names", [](message& m) {
    std::swap(m.parts[1].first, m.parts[2].first);
  });
  to.add("a part is there twice", [](message& m) { m.parts.push_back(m.parts[1]); });
  to.add("another part has its name", [](message& m) { m.parts.emplace_back("b@x", "mallory's"); });
  to.add("another part before it has its name", [](message& m) {
    m.parts.insert(m.parts.begin(), {"b@x", "mallory's"});
  });
  to.add("another part has the root's name", [](message& m) {
    m.parts.emplace_back("root@x", m.text());
  });
  to.add("a part is gone", [](message& m) { m.parts.erase(m.parts.begin() + 1); });
  to.add("all parts are gone", [](message& m) { m.parts.clear(); });
  to.add("another envelope is before the root, with its name", [](message& m) {
    message evil = m;
    evil.name = "mallory";
    m.parts.insert(m.parts.begin(), {"root@x", evil.text()});
  });
}

void add_includes(mutant_list& to) {
  to.add("two includes are exchanged", [](message& m) { std::swap(m.first, m.second); });
  to.add("an include is moved to an element of text", [](message& m) {
    m.name = std::exchange(m.second, "");
  });
  to.add("an include is moved to another element", [](message& m) {
    m.more = "<Third>" + std::exchange(m.second, "") + "</Third>";
  });
  to.add("an include refers to another's part", [](message& m) { m.second = m.first; });
  to.add("an include refers to what is elsewhere", [](message& m) {
    m.second = replaced(m.second, "cid:b@x", "http://127.0.0.1/b");
  });
  to.add(
      "an include refers to another message's part", [](message& m) { m.second = include("b@y"); });
  to.add("an include refers to the root", [](message& m) { m.second = include("root@x"); });
  to.add("an include has no href", [](message& m) {
    m.second = replaced(m.second, " href=", " ref=");
  });
  to.add("an include holds what it stands for", [](message& m) {
    m.second = replaced(m.second, "/>", ">" + bytes_of(second_bytes).text() + "</x:Include>");
  });
  to.add("an include holds another", [](message& m) {
    m.second = replaced(m.second, "/>", ">" + include("b@x") + "</x:Include>");
  });
  to.add("text stands beside an include", [](message& m) { m.second += "c2Vj"; });
  to.add("text stands before an include", [](message& m) { m.second.insert(0, "c2Vj"); });
  to.add("white space stands beside an include", [](message& m) { m.second += " "; });
  to.add("an element stands behind an include", [](message& m) { m.second += "<a/>"; });
  to.add("an element stands before an include", [](message& m) { m.second.insert(0, "<a/>"); });
  to.add("two includes in one element", [](message& m) {
    m.second += include("c@x");
    m.seal = bytes_of(seal_bytes).text();
  });
  to.add("the part of the Body is taken by a header block before it", [](message& m) {
    m.seal = include("b@x");
  });
  to.add("an include in another namespace", [](message& m) {
    m.second = replaced(m.second, xop, "urn:x");
  });
  to.add("other bytes in the envelope instead of the part's", [](message& m) {
    m.second = bytes_of("mallory's").text();
  });
  to.add("the same bytes in the envelope, in lines", [](message& m) {
    m.second = bytes_of(second_bytes).text().insert(4, "\n");
  });
  to.add("an attribute is added to the element around", [](message& m) {
    m.typed = " xmlns:m=\"http://www.w3.org/2005/05/xmlmime\" m:contentType=\"text/html\"";
  });
  to.add("an include too many", [](message& m) {
    m.more = "<o xmlns=\"urn:o\">" + include("d@x") + "</o>";
    m.parts.emplace_back("d@x", "");
  });
}

/// Messages that the caller itself has signed, and that no client would send.
void add_signed_includes(mutant_list& to) {
  to.add("the include elements themselves are signed", [](message& m) { m = m.by_caller(); });
  to.add("an include is the header block that is signed", [](message& m) {
    message plain = m;
    plain.first = bytes_of(first_bytes).text();
    plain.second = bytes_of(second_bytes).text();
    plain.seal = bytes_of(seal_bytes).text();
    plain.block = include("d@x", " wsu:Id=\"include\"");
    plain.references += reference("include");
    plain = plain.by_caller();
    m.signature = plain.signature;
    m.block = plain.block;
    m.parts.emplace_back("d@x", "d");
  });
  to.add("bytes in an element that is kept as it was written", [](message& m) {
    message plain;
    plain.soap = m.soap;
    plain.more = "<o xmlns=\"urn:o\">ZA==</o>";
    m.signature = plain.by_caller().signature;
    m.time = plain.time;
    m.more = "<o xmlns=\"urn:o\">" + include("d@x") + "</o>";
    m.parts.emplace_back("d@x", "d");
  });
  to.add("bytes in an element of text", [](message& m) {
    message plain;
    plain.soap = m.soap;
    plain.name = bytes_of("n").text();
    m.signature = plain.by_caller().signature;
    m.time = plain.time;
    m.name = include("d@x");
    m.parts.emplace_back("d@x", "n");
  });
  to.add("bytes in the digest", [](message& m) {
    const std::size_t begin = m.signature.find("<ds:DigestValue>") + 16;
    const std::size_t size = m.signature.find("</ds:DigestValue>") - begin;
    binary digest;
    soapsvc::detail::from_text(std::string_view(m.signature).substr(begin, size), digest);
    m.parts.emplace_back("d@x", text_of(digest));
    m.signature.replace(begin, size, include("d@x"));
  });
}

std::vector<mutant> all_mutants() {
  mutant_list made;
  add_parts(made);
  add_includes(made);
  add_signed_includes(made);
  return made.all;
}

}  // namespace

TEST_CASE("bytes in parts are signed as the base64 that they stand for", "[signed_parts]") {
  for (const std::string_view soap : {soap11, soap12}) {
    const soapsvc::http_response response = good(soap).send();
    INFO(response.body);
    CHECK(response.status == 200);
    CHECK(here().vault.done == expected);
    CHECK(response.body.find("<ds:SignatureValue>") != response.body.npos);
  }
}

TEST_CASE("no multipart message with unsigned content is served", "[signed_parts]") {
  const std::vector<mutant> mutants = all_mutants();
  CHECK(mutants.size() >= 60);
  for (const mutant& each : mutants) {
    INFO(each.name);
    const soapsvc::http_response response = each.changed.send();
    INFO(response.body);
    CHECK(here().vault.done == "");
    CHECK(response.status >= 400);
  }
  const message m = good();
  CHECK(here().send(m.text(), "text/xml").status >= 400);
  CHECK(here().vault.done == "");
}

TEST_CASE("a message with the same signed content in other parts is served", "[signed_parts]") {
  mutant_list same;
  same.add("bytes in the envelope", [](message& m) { m.second = bytes_of(second_bytes).text(); });
  same.add("parts in another order", [](message& m) { std::swap(m.parts[0], m.parts[1]); });
  same.add("a part has another name", [](message& m) {
    m.second = include("z@x");
    m.parts[1].first = "z@x";
  });
  same.add("a part that nothing refers to", [](message& m) { m.parts.emplace_back("d@x", "d"); });
  same.add("an attribute of an include", [](message& m) { m.second = include("b@x", " a=\"b\""); });
  same.add("an include with an end tag", [](message& m) {
    m.second = replaced(m.second, "/>", "> </x:Include>");
  });
  same.add("comments beside an include", [](message& m) {
    m.second = "<!-- a -->" + m.second + "<!-- b -->";
  });
  for (const mutant& each : same.all) {
    INFO(each.name);
    const soapsvc::http_response response = each.changed.send();
    INFO(response.body);
    CHECK(here().vault.done == expected);
  }
}

TEST_CASE("the fault for a refused signed include says why", "[signed_parts]") {
  const auto refused = [](message m) { return m.send().body; };
  using Catch::Contains;
  message m = good();
  m.second = include("z@x");
  CHECK_THAT(
      refused(m),
      Contains("Security: Second, which is signed, refers to a part, but this message has no such "
               "part") &&
          Contains("wsse:InvalidSecurity"));
  m = good();
  m.second += "x";
  CHECK_THAT(refused(m), Contains("Second, which is signed, holds more than its xop:Include"));
  m = good();
  m.parts[1].second = "other";
  CHECK_THAT(refused(m), Contains("wsse:FailedCheck"));
  m.references += reference("include");
  m.block = include("b@x", " wsu:Id=\"include\"");
  CHECK_THAT(
      refused(m.by_caller()),
      Contains("a reference leads to an xop:Include; sign the element around it"));
}

TEST_CASE("a header block that is kept as XML refers to no part", "[signed_parts]") {
  message m;
  m.payload = "<Pass xmlns=\"urn:test/Vault\"/>";
  m.block = "<o xmlns=\"urn:o\" wsu:Id=\"o\">ZA==</o>";
  m.references += reference("o");
  m = m.by_caller();
  CHECK(m.send().status < 300);
  CHECK(here().vault.done == "2");  // Seal among them, and not Security, which is processed
  m.block = replaced(m.block, "ZA==", include("d@x"));
  m.parts.emplace_back("d@x", "d");
  CHECK_THAT(m.send().body, Catch::Contains("Header/o: holds an xop:Include"));
  CHECK(here().vault.done == "");
}

TEST_CASE("the bytes of parts count as signed content", "[signed_parts]") {
  soapsvc::dispatcher_options options;
  options.security.signatures.max_canonical_bytes = 14'000;
  world small(options);
  const message m = good();
  CHECK_THAT(small.send(m.whole(), m.type()).body, !Catch::Contains("elements is too long"));
  options.security.signatures.max_canonical_bytes = 12'000;  // of which First has 12,020
  world smaller(options);
  CHECK_THAT(smaller.send(m.whole(), m.type()).body, Catch::Contains("elements is too long"));
}

// --- Both sides ----------------------------------------------------------------------------------

namespace {

soapsvc::client_options as_caller(soap_version version = soap_version::v1_1) {
  soapsvc::client_options made;
  made.ns_base = "urn:test";
  made.version = version;
  made.security.identity.certificate_file = caller().file;
  made.security.signatures.trusted_certificates_file = vault_itself().certificate_file;
  return made;
}

/// The messages between client and service, and changes to them.
struct wire {
  explicit wire(
      soapsvc::client_options options = as_caller(), soapsvc::dispatcher_options host = {})
      : at(std::move(host)),
        client(
            [this](const soapsvc::http_request& request) {
              sent = request.body;
              type = request.header("Content-Type").value_or("");
              soapsvc::http_request to = request;
              to.target = "/soap/v3/Vault.asmx";
              soapsvc::http_response response = at.services.handle(to);
              CHECK(!response.next_chunk);
              if (change) response.body = change(response.body);
              return got = response;
            },
            std::move(options)) {}
  world at;
  std::string sent, type;
  soapsvc::http_response got;
  std::function<std::string(const std::string&)> change;
  soapsvc::client<Vault> client;
};

}  // namespace

TEST_CASE("a client signs parts, and accepts only signed parts", "[signed_parts]") {
  for (const auto version : {soap_version::v1_1, soap_version::v1_2}) {
    wire to(as_caller(version));
    const binary large = many_bytes(100'000);
    CHECK(to.client.call(&Vault::same, Deed{"n", large, many_bytes(10), {}}) == large);
    CHECK_THAT(to.type, Catch::StartsWith("multipart/related"));
    CHECK(to.sent.find(text_of(large)) != to.sent.npos);
    CHECK(to.sent.find("<ds:SignatureValue>") != to.sent.npos);
    CHECK_THAT(to.got.content_type, Catch::StartsWith("multipart/related"));
    CHECK(to.got.body.find(text_of(large)) != to.got.body.npos);
    CHECK(to.got.body.find("<ds:SignatureValue>") != to.got.body.npos);
    CHECK(
        to.client.call(
            &Vault::keep,
            Deed{"n", bytes_of(first_bytes), bytes_of("second"), {}},
            Seal{bytes_of("seal!")}) == "kept");
    CHECK(to.at.vault.done == expected);
    to.change = [](const std::string& response) {
      return replaced(response, "\x0e\x15", "\x0f\x15");
    };
    CHECK_THROWS_WITH(
        to.client.call(&Vault::same, Deed{"n", large, {}, {}}),
        Catch::Contains("the signature is invalid"));
  }
}

TEST_CASE("a stream of a client is signed before it is sent", "[signed_parts]") {
  for (const auto version : {soap_version::v1_1, soap_version::v1_2}) {
    wire to(as_caller(version));
    CHECK(to.client.call(&Vault::load, Load{"n", {}, streamed(300'000)}) == 300'000);
    CHECK(to.at.vault.done == text_of(many_bytes(300'000)));
    CHECK(to.sent.find(".stream>") != to.sent.npos);
    CHECK(to.client.call(&Vault::load, Load{"n", {}, {}}) == 0);
    Rows rows;
    rows.rows = [left = 1'000]() mutable -> std::optional<std::int32_t> {
      if (left == 0) return std::nullopt;
      return left--;
    };
    CHECK(to.client.call(&Vault::sum, rows) == 500'500);
  }
}

TEST_CASE("a returned stream is signed before it is sent", "[signed_parts]") {
  for (const auto version : {soap_version::v1_1, soap_version::v1_2}) {
    wire to(as_caller(version));
    CHECK(drained(to.client.call(&Vault::unload, Count{200'000})) == text_of(many_bytes(200'000)));
    CHECK(to.got.body.find(".stream>") != to.got.body.npos);
    const auto names = to.client.call(&Vault::names, Count{5'000});
    for (int left = 5'000; left != 0; --left)
      CHECK(names.next() == "name " + std::to_string(left));
    CHECK(!names.next());
    CHECK(to.got.body.find("<ds:SignatureValue>") != to.got.body.npos);
    to.change = [](const std::string& response) {
      return replaced(response, "\x0e\x15", "\x0f\x15");
    };
    CHECK_THROWS_WITH(
        to.client.call(&Vault::unload, Count{1'000}), Catch::Contains("the signature is invalid"));
    to.change = [](const std::string& response) {
      return replaced(response, "name 7<", "name 8<");
    };
    CHECK_THROWS_WITH(
        to.client.call(&Vault::names, Count{10}), Catch::Contains("the signature is invalid"));
  }
}

TEST_CASE("a method gets nothing of a stream before its signature is verified", "[signed_parts]") {
  message m;
  const binary content = many_bytes(70'000);
  m.payload = "<Load xmlns=\"urn:test/Vault\"><Name>n</Name><Content>" + content.text() +
              "</Content></Load>";
  m = m.by_caller();
  CHECK(m.send().status == 200);
  CHECK(here().vault.done == text_of(content));
  m.payload = replaced(m.payload, content.text(), include("a@x"));
  m.parts = {{"a@x", text_of(content)}};
  CHECK(m.send().status == 200);
  CHECK(here().vault.done == text_of(content));
  m.parts[0].second.back() = 'x';
  CHECK_THAT(m.send().body, Catch::Contains("the signature is invalid"));
  CHECK(here().vault.done == "");

  m = {};
  m.payload = "<Sum xmlns=\"urn:test/Vault\"><Row>1</Row><Row>2</Row></Sum>";
  m = m.by_caller();
  CHECK(m.send().status == 200);
  CHECK(here().vault.done == "3");
  m.payload = replaced(m.payload, "<Row>2", "<Row>7");
  CHECK_THAT(m.send().body, Catch::Contains("the signature is invalid"));
  CHECK(here().vault.done == "");
}

TEST_CASE("a signed stream is bounded by max_body_bytes", "[signed_parts][limits]") {
  soapsvc::client_options small = as_caller();
  small.limits.max_body_bytes = 100'000;
  wire from_small(small);
  CHECK_THROWS_WITH(
      from_small.client.call(&Vault::load, Load{"n", {}, streamed(200'000)}),
      "soapsvc: a message with a stream that is signed has more than 100000 bytes (limit "
      "max_body_bytes)");
  Rows endless;
  endless.rows = [] { return std::optional<std::int32_t>(1); };
  CHECK_THROWS_AS(from_small.client.call(&Vault::sum, endless), std::length_error);
  CHECK(from_small.sent.empty());

  soapsvc::dispatcher_options options;
  options.limits.max_body_bytes = 100'000;
  std::string told;
  options.on_error = [&](const soapsvc::error_report& what) { told = what.what; };
  wire to_small(as_caller(), options);
  CHECK_THROWS_WITH(
      to_small.client.call(&Vault::load, Load{"n", {}, streamed(200'000)}),
      Catch::Contains("(limit max_body_bytes)"));
  CHECK(to_small.got.status == 413);
  CHECK_THROWS_AS(to_small.client.call(&Vault::unload, Count{200'000}), soapsvc::remote_fault);
  CHECK_THAT(told, Catch::Contains("has more than 100000 bytes (limit max_body_bytes)"));
  told.clear();
  CHECK_THROWS_AS(to_small.client.call(&Vault::names, Count{20'000}), soapsvc::remote_fault);
  CHECK_THAT(told, Catch::Contains("has more than 100000 bytes (limit max_body_bytes)"));
  CHECK(to_small.got.body.find("<ds:SignatureValue>") != to_small.got.body.npos);
}

TEST_CASE("signed streams and parts pass through a host", "[signed_parts]") {
  Vault vault;
  soapsvc::host host(trusting());
  host.add(vault);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread thread([&] { host.serve(); });
  {
    soapsvc::client<Vault> client(
        "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Vault.asmx", as_caller());
    CHECK(client.call(&Vault::load, Load{"n", {}, streamed(500'000)}) == 500'000);
    CHECK(vault.done == text_of(many_bytes(500'000)));
    CHECK(drained(client.call(&Vault::unload, Count{500'000})) == text_of(many_bytes(500'000)));
    CHECK(client.call(&Vault::names, Count{3}).next() == "name 3");
    const binary large = many_bytes(1'000'000);
    CHECK(client.call(&Vault::same, Deed{"n", large, {}, {}}) == large);
  }
  host.stop();
  thread.join();
}

// --- In a file until it is verified --------------------------------------------------------------

namespace {

soapsvc::dispatcher_options spooling() {
  soapsvc::dispatcher_options made;
  made.limits.max_body_bytes = 20'000;
  made.limits.max_part_bytes = 15'000;
  made.security.spool_directory = folder().string();
  return made;
}

/// Sends a message in pieces.
soapsvc::http_response send_in_pieces(
    world& to, const std::string& body, const std::string& type, std::size_t piece = 10'000) {
  to.vault.done.clear();
  const std::size_t given = std::min(piece, body.size());
  const soapsvc::byte_source rest = in_pieces(std::string_view(body).substr(given), piece);
  const soapsvc::http_header fields[] = {{"Content-Type", type}};
  soapsvc::http_request request;
  request.target = "/soap/v3/Vault.asmx";
  request.headers = fields;
  request.body = std::string_view(body).substr(0, given);
  request.rest_of_body = &rest;
  return to.services.handle(request);
}

/// A signed message with its stream and labels in parts.
message loaded(std::size_t size, std::vector<std::string> labels = {}) {
  message made;
  std::string before, after;
  for (std::size_t at = 0; at != labels.size(); ++at) {
    const std::string id = std::to_string(at) + "@x";
    before += "<Label>" + bytes_of(labels[at]).text() + "</Label>";
    after += "<Label>" + include(id) + "</Label>";
    made.parts.emplace_back(id, labels[at]);
  }
  const binary content = many_bytes(size);
  const auto payload = [](const std::string& rows, const std::string& bytes) {
    return "<Load xmlns=\"urn:test/Vault\"><Name>n</Name>" + rows + "<Content>" + bytes +
           "</Content></Load>";
  };
  made.payload = payload(before, content.text());
  made = made.by_caller();
  made.payload = payload(after, include("s@x"));
  made.parts.insert(made.parts.begin(), {"s@x", text_of(content)});
  return made;
}

int spooling_fails = 0;  // with this error; ENOSPC when the file is written

std::size_t count_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

/// Replaces the system's function, so that a test decides its result.
extern "C" int mkostemp(char* name, int flags) {
  if (spooling_fails == ENOSPC) return ::open("/dev/full", O_RDWR | flags);
  if (spooling_fails == 0) return ::mkostemps(name, 0, flags);
  errno = spooling_fails;
  return -1;
}

TEST_CASE("a stream that is larger than memory allows is verified in a file", "[signed_parts]") {
  world at(spooling());
  const message m = loaded(300'000, {"a", std::string(9'000, 'b')});
  const std::size_t before = count_files();
  for (const std::size_t piece : {1'000U, 10'000U, 1'000'000U}) {
    const soapsvc::http_response response = send_in_pieces(at, m.whole(), m.type(), piece);
    INFO(response.body);
    CHECK(response.status == 200);
    CHECK(at.vault.done == text_of(many_bytes(300'000)) + "+a+" + std::string(9'000, 'b'));
  }
  message changed = m;
  changed.parts[0].second[299'999] ^= 1;
  CHECK_THAT(
      send_in_pieces(at, changed.whole(), m.type()).body,
      Catch::Contains("the signature is invalid"));
  CHECK(at.vault.done == "");
  changed = m;
  changed.payload = replaced(changed.payload, "</Content>", "</Content><Content></Content>");
  CHECK(send_in_pieces(at, changed.whole(), m.type()).status >= 400);
  CHECK(at.vault.done == "");
  CHECK(count_files() == before);
}

TEST_CASE("content in a spool file has bounds, too", "[signed_parts][limits]") {
  soapsvc::dispatcher_options options = spooling();
  options.limits.max_stream_bytes = 200'000;
  world at(options);
  const auto answer = [&](const message& m) {
    const soapsvc::http_response response = send_in_pieces(at, m.whole(), m.type());
    CHECK(at.vault.done == "");
    CHECK(response.status >= 400);
    return response.body;
  };
  CHECK_THAT(
      answer(loaded(200'000)), Catch::Contains("more than 200000 bytes (limit max_stream_b"));
  CHECK_THAT(
      answer(loaded(9, {std::string(15'001, 'a')})), Catch::Contains("(limit max_part_bytes)"));
  CHECK_THAT(
      answer(loaded(9, {std::string(11'000, 'a'), std::string(11'000, 'b')})),
      Catch::Contains("exceeds, with earlier parts, limit max_body_bytes"));
  message m = loaded(9);
  m.payload.insert(0, std::string(20'000, ' '));
  CHECK_THAT(answer(m), Catch::Contains("(limit max_body_bytes)"));
  m = good();
  m.parts.emplace_back("d@x", std::string(10'000, 'd'));
  CHECK_THAT(answer(m), Catch::Contains("(limit max_body_bytes)"));
  m = loaded(9);
  m.payload = "<Sum xmlns=\"urn:test/Vault\">" + std::string(20'000, ' ') + "</Sum>";
  CHECK_THAT(
      send_in_pieces(at, m.text(), "text/xml").body,
      Catch::Contains("more than 20000 bytes (limit max_body_bytes)"));
  CHECK(send_in_pieces(at, loaded(100'000).whole(), m.type()).status == 200);
  CHECK(at.vault.done.size() == 100'000);
}

TEST_CASE(
    "a disk error while spooling is an incident, and leaves no file", "[signed_parts][incident]") {
  soapsvc::dispatcher_options options = spooling();
  std::string told;
  options.on_error = [&](const soapsvc::error_report& what) { told = what.what; };
  world at(options);
  const message m = loaded(300'000);
  const std::size_t before = count_files();
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit little{100'000, usual.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &little);
  const soapsvc::http_response response = send_in_pieces(at, m.whole(), m.type());
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, handler);
  CHECK(response.status == 500);
  CHECK(at.vault.done == "");
  CHECK_THAT(told, Catch::StartsWith("soapsvc: cannot keep a request in "));
  CHECK(count_files() == before);
  CHECK(send_in_pieces(at, m.whole(), m.type()).status == 200);

  options.security.spool_directory = "/nowhere";
  Vault vault;
  soapsvc::dispatcher none(trusting(options));
  CHECK_THROWS_WITH(
      none.add(vault), "soapsvc: cannot keep a request in /nowhere: No such file or directory");
}

TEST_CASE("a full disk while spooling is a fault, not an incident", "[signed_parts][incident]") {
  soapsvc::dispatcher_options options = spooling();
  bool told = false;
  options.on_error = [&](const soapsvc::error_report&) { told = true; };
  world at(options);
  const message m = loaded(300'000);
  const std::size_t before = count_files();
  for (const bool is_full : {true, false}) {  // or there are no descriptors
    spooling_fails = is_full ? ENOSPC : EMFILE;
    const soapsvc::http_response response = send_in_pieces(at, m.whole(), m.type());
    spooling_fails = 0;
    CHECK(response.status == 503);
    CHECK_THAT(response.body, Catch::Contains("no room for a request of this size"));
    CHECK(at.vault.done == "");
    CHECK_FALSE(told);
    CHECK(count_files() == before);
  }
  CHECK(send_in_pieces(at, m.whole(), m.type()).status == 200);
}

TEST_CASE("spool files are bounded, and one address may use half", "[signed_parts][limits]") {
  soapsvc::dispatcher_options options = spooling();
  options.security.max_spool_bytes = 400'000;
  world at(options);
  const message half = loaded(150'000), more = loaded(250'000);
  const auto status = [&](const message& m) {
    return send_in_pieces(at, m.whole(), m.type()).status;
  };
  for (int turn = 0; turn != 5; ++turn) {  // used room is released, however the call ended
    CHECK(status(half) == 200);
    const soapsvc::http_response refused = send_in_pieces(at, more.whole(), more.type());
    CHECK(refused.status == 503);
    CHECK_THAT(refused.body, Catch::Contains("too many large requests are under way"));
    message changed = half;
    changed.parts[0].second[9] ^= 1;
    CHECK(status(changed) >= 400);
  }

  soapsvc::detail::spool_ledger ledger(100);
  const auto takes = [&](std::uint64_t key, std::uint64_t bytes) {
    try {
      ledger.take(key, bytes);
      return true;
    } catch (const soapsvc::fault&) {
      return false;
    }
  };
  CHECK_FALSE(takes(1, 51));
  CHECK(takes(1, 50));
  CHECK_FALSE(takes(1, 1));
  CHECK(takes(2, 20));
  CHECK(takes(2, 5));  // half of the free room
  CHECK_FALSE(takes(2, 1));
  CHECK(takes(3, 12));
  CHECK_FALSE(takes(4, std::numeric_limits<std::uint64_t>::max()));
  ledger.give_back(1, 50);
  CHECK(takes(4, 31));
  CHECK_FALSE(takes(1, 17));
}

TEST_CASE("a spool file has no name, and only its owner may read it", "[signed_parts]") {
  world at(spooling());
  const message m = loaded(300'000);
  const std::string body = m.whole(), type = m.type();
  const std::size_t given = 10'000;
  int seen = 0;
  const soapsvc::byte_source pieces = in_pieces(std::string_view(body).substr(given));
  const soapsvc::byte_source rest = [&](std::span<char> room) {
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
      struct stat facts {};
      std::error_code gone;
      const auto name = std::filesystem::read_symlink(each.path(), gone).string();
      if (name.find("/soapsvc-") == name.npos || ::stat(each.path().c_str(), &facts) != 0) continue;
      ++seen;
      CHECK(facts.st_nlink == 0);
      CHECK((facts.st_mode & 0777) == 0600);
    }
    return pieces(room);
  };
  const soapsvc::http_header fields[] = {{"Content-Type", type}};
  soapsvc::http_request request;
  request.target = "/soap/v3/Vault.asmx";
  request.headers = fields;
  request.body = std::string_view(body).substr(0, given);
  request.rest_of_body = &rest;
  CHECK(at.services.handle(request).status == 200);
  CHECK(seen > 0);
}

TEST_CASE("a host accepts signed streams that are larger than its memory bound", "[signed_parts]") {
  Vault vault;
  soapsvc::host host(trusting(spooling()));
  host.add(vault);
  const int port = host.bind({"127.0.0.1", 0});
  std::thread thread([&] { host.serve(); });
  {
    soapsvc::client<Vault> client(
        "http://127.0.0.1:" + std::to_string(port) + "/soap/v3/Vault.asmx", as_caller());
    for (int times = 0; times != 3; ++times) {
      CHECK(client.call(&Vault::load, Load{"n", {}, streamed(3'000'000)}) == 3'000'000);
      CHECK(vault.done == text_of(many_bytes(3'000'000)));
    }
    // Sent by the method's dispatcher, signed, if everything has arrived by then; else by the host.
    CHECK_THROWS_AS(
        client.call(&Vault::same, Deed{"n", many_bytes(100'000), {}, {}}), std::exception);
  }
  host.stop();
  thread.join();
}
