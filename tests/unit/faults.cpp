// Every way to fail from the first byte to the last ([reading] to [dispatch]), in both versions:
// the fault has the code, the HTTP status and the media type of its version, and is valid against
// the published schema of its envelope. There is a case for each part of the header. One more case
// fails for each sentence of a fault in the header that no row provokes.
#include <catch2/catch.hpp>

#include <sys/resource.h>

#include "../pieces.hpp"
#include "../support.hpp"

#include "../kinds/kinds.hpp"
#include "signing.hpp"

/// A request with a secret record.
struct Locked {
  std::optional<Size> inside;
};
template <>
inline constexpr auto soapsvc::schema<Locked> =
    record(field("Inside", &Locked::inside, soapsvc::secret));

class Vault {
public:
  void lock(const Locked&) {}
};
template <>
inline constexpr auto soapsvc::schema<Vault> = service("Vault", operation("Lock", &Vault::lock));

/// Speaks WS-Addressing.
class Letters {
public:
  void send() {}
};
template <>
inline constexpr auto soapsvc::schema<Letters> =
    service("Letters", addressing, operation("Send", &Letters::send));

/// Two operations that take one element and two with an empty request, in the first version only.
class Pair {
public:
  void turn(const Locked&) {}
  void back(const Locked&) {}
  void rise() {}
  void fall() {}
};
template <>
inline constexpr auto soapsvc::schema<Pair> = service(
    "Pair",
    soap11_only,
    operation("Turn", &Pair::turn, bare, request("Key"), action("urn:turn")),
    operation("Back", &Pair::back, bare, request("Key"), action("urn:back")),
    operation("Rise", &Pair::rise, empty_request, action("urn:rise")),
    operation("Fall", &Pair::fall, empty_request, action("urn:fall")));

/// A request with rows that say more than a name and a type.
struct Beast {
  std::string name;
};
struct Lion : Beast {
  bool roars = false;
};
struct Ticket {
  std::optional<std::int32_t> day;
  std::vector<std::string> names;
};
struct Meal {
  std::string dish;
  std::string drink;
};
struct Stamp {
  soapsvc::binary place;
};
struct Visit {
  std::vector<std::string> guides;
  Ticket ticket;
  std::vector<Meal> meals;
  soapsvc::xml guest;
  std::vector<soapsvc::xml> others;
  std::vector<Stamp> stamps;
  std::optional<soapsvc::polymorphic<Beast>> beast;
  std::optional<std::string> code;
  std::optional<soapsvc::list<std::int32_t>> rooms;
  std::int32_t version = 1;
};
template <>
inline constexpr auto soapsvc::schema<Beast> = record("Beast", abstract, field("N", &Beast::name));
template <>
inline constexpr auto soapsvc::schema<Lion> =
    record("Lion", extends<Beast>(), field("Roars", &Lion::roars));
template <> inline constexpr auto soapsvc::known_types<Beast> = soapsvc::types<Lion>();
template <>
inline constexpr auto soapsvc::schema<Ticket> =
    choice(field("Day", &Ticket::day), field("Name", &Ticket::names));
template <>
inline constexpr auto soapsvc::schema<Meal> =
    record(field("Dish", &Meal::dish), field("Drink", &Meal::drink));
template <>
inline constexpr auto soapsvc::schema<Stamp> =
    record("Stamp", content(&Stamp::place, soapsvc::simple_type("Place", soapsvc::length(2))));
template <>
inline constexpr auto soapsvc::schema<Visit> = record(
    field("Guide", &Visit::guides, occurs(2, 3)),
    group(&Visit::ticket),
    group(&Visit::meals, occurs(1, 2)),
    any(&Visit::guest, ns("urn:guests")),
    any(&Visit::others, ns("urn:others"), occurs(0, 1)),
    field("Stamp", &Visit::stamps),
    field("Beast", &Visit::beast),
    attribute("code", &Visit::code, pattern("[A-Z]{2}")),
    field("Rooms", &Visit::rooms, max_length(2)),
    attribute("version", &Visit::version, fixed("1")));

class Zoo {
public:
  void visit(const Visit&) {}
};
template <>
inline constexpr auto soapsvc::schema<Zoo> = service("Zoo", operation("Visit", &Zoo::visit));

/// A request with a part of each kind that plain records do not have.
struct OddPart {
  std::string a;
};
struct Odd {
  std::vector<OddPart> parts;
};
struct Oddity {
  std::optional<kinds::Length> length;
  std::optional<kinds::Point> point;
  std::optional<kinds::Walk> walk;
  std::optional<kinds::Person> person;
  std::optional<kinds::Counted> counted;
  std::optional<Odd> odd;
};
class Oddities {
public:
  void take(const Oddity&) {}
};
template <> inline constexpr auto soapsvc::schema<OddPart> = record(field("A", &OddPart::a));
template <>
inline constexpr auto soapsvc::schema<Odd> = record("Odd", group(&Odd::parts, occurs(2, 3)));
template <>
inline constexpr auto soapsvc::schema<Oddity> = record(
    field("Length", &Oddity::length),
    field("Point", &Oddity::point),
    field("Walk", &Oddity::walk),
    field("Person", &Oddity::person),
    field("Counted", &Oddity::counted),
    field("Odd", &Oddity::odd));
template <>
inline constexpr auto soapsvc::schema<Oddities> =
    service("Kinds", operation("Kinds", &Oddities::take));

/// Requests that are read while their methods run.
struct Rows {
  std::string name;
  soapsvc::stream<std::int32_t> rows;
};
struct Bytes {
  std::string name;
  soapsvc::stream<std::byte> content;
};
class Streams {
public:
  void take(const Rows& asked) {
    while (asked.rows.next())
      continue;
  }
  void take_bytes(const Bytes& asked) {
    std::array<std::byte, 64> room;
    while (asked.content.read(room) != 0)
      continue;
  }
};
template <>
inline constexpr auto soapsvc::schema<Rows> =
    record(field("Name", &Rows::name), field("Row", &Rows::rows));
template <>
inline constexpr auto soapsvc::schema<Bytes> =
    record(field("Name", &Bytes::name), field("Content", &Bytes::content));
template <>
inline constexpr auto soapsvc::schema<Streams> = service(
    "Streams", operation("Take", &Streams::take), operation("TakeBytes", &Streams::take_bytes));

/// Services that are secured; the parameter tells them apart.
template <int Demand> class Guarded {
public:
  void enter() {}
};
template <>
inline constexpr auto soapsvc::schema<Guarded<0>> = service(
    "Either", secured(password_text, password_digest), operation("Enter", &Guarded<0>::enter));
template <>
inline constexpr auto soapsvc::schema<Guarded<1>> =
    service("Stamped", secured(timestamp), operation("Enter", &Guarded<1>::enter));
template <>
inline constexpr auto soapsvc::schema<Guarded<2>> =
    service("Hashed", secured(password_digest), operation("Enter", &Guarded<2>::enter));
template <>
inline constexpr auto soapsvc::schema<Guarded<3>> =
    service("Plain", secured(password_text), operation("Enter", &Guarded<3>::enter));
template <>
inline constexpr auto soapsvc::schema<Guarded<4>> =
    service("Maybe", secured(optionally, password_text), operation("Enter", &Guarded<4>::enter));

/// A service that takes signed messages, and names in them.
struct Named {
  std::optional<soapsvc::qualified_name> name;
};
template <> inline constexpr auto soapsvc::schema<Named> = record(field("Name", &Named::name));
class Sealed {
public:
  void seal(const Named&) {}
};
template <>
inline constexpr auto soapsvc::schema<Sealed> =
    service("Sealed", secured(x509_signature, timestamp), operation("Seal", &Sealed::seal));

/// Requests whose bytes are parts of a message.
struct Parcel {
  std::optional<soapsvc::binary> content;
  std::optional<std::string> text;
  std::vector<soapsvc::xml> others;
};
struct Cask {
  std::optional<soapsvc::binary> label;
  soapsvc::stream<std::byte> content;
};
class Parcels {
public:
  void take(const Parcel&) {}
  void fill(const Cask& cask) {
    std::array<std::byte, 64> room;
    while (cask.content.read(room) != 0)
      continue;
  }
};
template <>
inline constexpr auto soapsvc::schema<Cask> =
    record(field("Label", &Cask::label), field("Content", &Cask::content));
template <>
inline constexpr auto soapsvc::schema<Parcel> = record(
    field("Content", &Parcel::content),
    field("Text", &Parcel::text),
    any(&Parcel::others, ns("##other")));
template <>
inline constexpr auto soapsvc::schema<Parcels> =
    service("Parcels", mtom, operation("Take", &Parcels::take), operation("Fill", &Parcels::fill));

using namespace support;

namespace {

/// The response of a path in one version: "Client 500".
struct outcome {
  std::string in_11 = "Client 500";
  std::string in_12 = "Sender 400";
};
const outcome usual;
const outcome too_large{"Client 413", "Sender 413"};
const outcome unsupported{"Client 415", "Sender 415"};
const outcome server{"Server 500", "Receiver 500"};
const outcome must_understand{"MustUnderstand 500", "MustUnderstand 500"};

/// One error: its request in each version, and a part of the reason.
struct error_path {
  std::string reason;
  std::function<soapsvc::http_response(version)> ask;
  outcome expected = usual;
  std::optional<version> only{};  ///< the one version that has it; nullopt: both
};

/// A dispatcher with these limits. Kept until the end, because its responses are read late.
template <class Change> std::shared_ptr<world> narrow(Change change) {
  soapsvc::dispatcher_options options;
  change(options);
  return std::make_shared<world>(options);
}

soapsvc::http_response post_as(const world& w, version v, const std::string& bytes) {
  return w.post(bytes, {{"Content-Type", content_type(v)}});
}

const world& usual_world() {
  static const world w;
  return w;
}

const std::string add = call("Add", "<A>1</A><B>2</B>");

soapsvc::http_response ask_at(
    const char* path, const soapsvc::dispatcher& dispatcher, const std::string& message) {
  soapsvc::http_request request;
  request.target = path;
  request.headers = as_xml;
  request.body = message;
  return dispatcher.handle(request);
}

/// [reading]: invalid XML, with the fault's text.
std::vector<std::pair<std::string, std::string>> bad_bytes() {
  return {
      {"must begin with a version", "<?xml encoding='utf-8'?><a/>"},
      {"the XML version is not 1.0 or another 1.x", "<?xml version='2.0'?><a/>"},
      {"this is not the name of an encoding", "<?xml version='1.0' encoding='*'?><a/>"},
      {"standalone must be yes or no", "<?xml version='1.0' standalone='x'?><a/>"},
      {"holds version, encoding and standalone, in this order", "<?xml version='1.0' x='y'?>"},
      {"'=' must follow in the XML declaration", "<?xml version '1.0'?><a/>"},
      {"a value in quotes must follow", "<?xml version=1.0?><a/>"},
      {"the value has no closing quote", "<?xml version='1.0?><a/>"},
      {"the message has no root element", ""},
      {"the message has no root element", "<!-- nothing -->"},
      {"text before the root element", "hello"},
      {"content after the root element", "<a/><b/>"},
      {"content after the root element", "<a/>b"},
      {"bytes that are not UTF-8", "<a>\xff</a>"},
      {"the character U+0001 is not allowed in XML", "<a>\x01</a>"},
      {"an XML declaration stands at the very beginning", " <?xml version='1.0'?><a/>"},
      {"must not contain a processing instruction", "<?x?><a/>"},
      {"the message ends before the end tag of the element at", "<a>"},
      {"a CDATA section outside the root element", "<![CDATA[x]]><a/>"},
      {"must not contain a document type declaration", "<!DOCTYPE a><a/>"},
      {"'<!' must begin a comment or a CDATA section", "<!x><a/>"},
      {"the comment has no end", "<!-- <a/>"},
      {"'--' inside a comment", "<!-- -- --><a/>"},
      {"the CDATA section has no end", "<a><![CDATA[</a>"},
      {"']]>' in text; write ]]&gt;", "<a>]]></a>"},
      {"'&' must begin a reference; write &amp;", "<a>& </a>"},
      {"the reference has no ';' at its end", "<a>&amp</a>"},
      {"this entity is not defined; allowed are", "<a>&nbsp;</a>"},
      {"the character reference has no digits", "<a>&#x;</a>"},
      {"the character reference has no ';' at its end", "<a>&#65</a>"},
      {"the reference is to a character that is not allowed in XML", "<a>&#0;</a>"},
      {"'/' must be followed by '>'", "<a/ >"},
      {"an end tag holds a name and ends with '>'", "<a></a b>"},
      {"the end tag does not match the start tag at", "<a></b>"},
      {"a second ':' in a name", "<a:b:c/>"},
      {"the message ends where a name must be", "<"},
      {"a name must be here; it begins with a letter or '_'", "<1/>"},
      {"the message ends inside a start tag", "<a "},
      {"white space, '/' or '>' must be here", "<a b='c'd='e'/>"},
      {"'=' must follow the name of an attribute", "<a b/>"},
      {"the value of an attribute must be in quotes", "<a b=c/>"},
      {"the value has no closing quote", "<a b='c/>"},
      {"'<' in the value of an attribute; write &lt;", "<a b='<'/>"},
      {"a second attribute of this name", "<a b='1' b='2'/>"},
      {"this namespace prefix is not declared", "<x:a/>"},
      {"the prefix 'xmlns' is for declarations only", "<xmlns:a/>"},
      {"the prefix 'xmlns' must not be declared", "<a xmlns:xmlns='urn:x'/>"},
      {"the prefix 'xml' and its namespace belong to each other only", "<a xmlns:xml='urn:x'/>"},
      {"the namespace of 'xmlns' must not be declared",
       "<a xmlns:x='http://www.w3.org/2000/xmlns/'/>"},
      {"a prefix is declared without a namespace", "<a xmlns:x=''/>"},
  };
}

/// [codec]: invalid content of the Body's child, with the fault's text.
std::vector<std::pair<std::string, std::string>> bad_payloads() {
  const std::string xsi = " xmlns:i='http://www.w3.org/2001/XMLSchema-instance'";
  const std::string item = "<Item><Id>2</Id><Colour>Red</Colour></Item>";
  const auto put = [](const std::string& content) { return call("Put", content); };
  return {
      {"Add/A: is missing; a value is required: a whole number", call("Add", "<B>1</B>")},
      {"Add/A: is nil, but a value is required", call("Add", "<A" + xsi + " i:nil='1'/><B>1</B>")},
      {"xsi:nil is true or false, not 'x'", call("Add", "<A" + xsi + " i:nil='x'>1</A>")},
      {"is said to be nil, yet holds content", call("Add", "<A" + xsi + " i:nil='1'>1</A>")},
      {"refers to content elsewhere ('#x'); allowed is literal content",
       call("Add", "<A href='#x'/>")},
      {"xsi:type names 'Wrong'; allowed is 'int'",
       call("Add", "<A" + xsi + " i:type='Wrong'>1</A>")},
      {"Add/A: 'x' is not a whole number", call("Add", "<A>x</A>")},
      {"Add/A: holds the element 'x'; allowed is a whole number", call("Add", "<A><x/></A>")},
      {"Put/Pin: this value is not a whole number", put("<Pin>x</Pin>")},
      {"Put/Pin: holds an element; allowed is", put("<Pin><x/></Pin>")},
      {"Put/Item/Colour: 'Pink' is not one of Red, DarkBlue",
       put("<Item><Id>2</Id><Colour>Pink</Colour></Item>")},
      {"Add: the element 'C' is not known here; allowed are A, B", call("Add", "<C/>")},
      {"Ping: the element 'x' is not known here; allowed is no element", call("Ping", "<x/>")},
      {"Add/A: is in no namespace; allowed is the namespace", call("Add", "<A xmlns=''>1</A>")},
      {"Add/A: is in the namespace 'urn:x'", call("Add", "<A xmlns='urn:x'>1</A>")},
      {"Add/A[2]: may appear only once", call("Add", "<A>1</A><A>1</A>")},
      {"Add: A is an attribute; allowed is an element",
       "<Add xmlns='" + ns + "' A='1'><B>2</B></Add>"},
      {"Add: holds text where only elements are allowed", call("Add", "x<A>1</A><B>1</B>")},
      {"Put/Item: holds text where only elements are allowed", put("<Item>x</Item>")},
  };
}

/// [codec]: options of rows beyond names and types, with the fault's text.
std::vector<std::pair<std::string, std::string>> bad_visits() {
  const std::string guides = "<Guide/><Guide/>";
  const std::string day = "<Day>1</Day>";
  const std::string meal = "<Dish/><Drink/>";
  const std::string guest = "<g:g xmlns:g='urn:guests'/>";
  const std::string visit = guides + day + meal + guest;
  const std::string beast = "<Beast xmlns:i='http://www.w3.org/2001/XMLSchema-instance' ";
  const std::string megabyte(1024 * 1024, 'n');
  const auto with = [](const std::string& attributes, const std::string& content) {
    return "<Visit xmlns='urn:x/Zoo' " + attributes + ">" + content + "</Visit>";
  };
  return {
      {"Visit: Guide must appear at least 2 times", with("", "<Guide/>" + day + meal + guest)},
      {"Visit/Guide[4]: may appear only 3 times", with("", guides + visit)},
      {"Visit: one of Day, Name is missing", with("", guides + meal + guest)},
      {"Visit: only one of Day, Name is allowed", with("", "<Name/>" + visit)},
      {"Visit: the elements Dish, Drink are missing", with("", guides + day + guest)},
      {"Visit/Drink: is missing; a value is required: text",
       with("", guides + day + "<Dish/>" + guest)},
      {"Visit/Dish[3]: begins a group that may appear only 2 times",
       with("", guides + day + meal + meal + meal + guest)},
      {"Visit: lacks the required element of a wildcard", with("", guides + day + meal)},
      {"Visit/o[2]: is beyond the maximum number of elements of its kind",
       with("", visit + "<o xmlns='urn:others'/><o xmlns='urn:others'/>")},
      {"Visit/g: needs, together with everything before it, more than 1048576 bytes of "
       "namespaces (limit "
       "max_namespace_bytes)",
       with("xmlns:n='" + megabyte + "'", guides + "<g:g xmlns:g='urn:guests' n:n=''/>")},
      {"Visit/Beast: is of the abstract type Beast; xsi:type names one of Lion",
       with("", visit + "<Beast/>")},
      {"Visit/Beast: xsi:type names 'Dog'; allowed are Lion",
       with("", visit + beast + "i:type='Dog'/>")},
      {"Visit/Stamp: 'AAAA' is not of 2 bytes", with("", visit + "<Stamp>AAAA</Stamp>")},
      {"Visit/Stamp: 'x' is not base64", with("", visit + "<Stamp>x</Stamp>")},
      {"Visit/Rooms: '1 2 3' is not of at most 2 items", with("", visit + "<Rooms>1 2 3</Rooms>")},
      {"Visit/@code: 'a' is not of the form [A-Z]{2}", with("code='a'", visit)},
      {"Visit/@version: 'a' is not a whole number", with("version='a'", visit)},
      {"Visit/@version: '2' is not '1', which is fixed", with("version='2'", visit)},
      {"Visit: the attribute 'a' is not known here; allowed are code, version",
       with("a=''", visit)},
  };
}

/// [envelope]: errors in a stream, where the method waits for it.
std::vector<std::pair<std::string, std::string>> bad_streams() {
  const auto with = [](const std::string& operation, const std::string& content) {
    return "<" + operation + " xmlns='urn:x/Streams'><Name/>" + content + "</" + operation + ">";
  };
  return {
      {"Take/Row[2]: 'x' is not a whole number", with("Take", "<Row>1</Row><Row>x</Row>")},
      {"Take/Name[2]: comes too late: it must stand before Row",
       with("Take", "<Row>1</Row><Name/>")},
      {"bytes in one item (limit max_body_bytes)",
       with("Take", "<Row>" + std::string(2'000, ' ') + "</Row>")},
      {"TakeBytes/Content: is not base64; allowed is base64Binary",
       with("TakeBytes", "<Content>*</Content>")},
      {"Body: the element 'Take' is one too many", with("Take", "<Row>1</Row>") + with("Take", "")},
  };
}

/// [attachments]: the error in a message of parts, or in its Content-Type, which
/// the envelope's ends.
struct bad_message {
  std::string reason;
  std::function<std::string(version)> message;
  outcome expected = usual;
  std::string type = "multipart/related; type=\"application/xop+xml\"; boundary=B; start-info=";
};
std::string root_part(const std::string& text, const std::string& fields = "") {
  return "--B\r\nContent-Type: application/xop+xml\r\n" + fields + "\r\n" + text + "\r\n";
}
std::vector<bad_message> bad_messages() {
  const std::string a = "--B\r\nContent-ID: <a>\r\n\r\nbytes\r\n";
  const auto said = [](const std::string& text) { return [text](version) { return text; }; };
  const auto holds = [&](const std::string& content) {
    return [content, a](version v) {
      return root_part(envelope(
                 v,
                 "<Take xmlns='urn:x/Parcels' xmlns:x='http://www.w3.org/2004/08/xop/"
                 "include'>" +
                     content + "</Take>")) +
             a + "--B--";
    };
  };
  const auto part = [](const std::string& fields) {
    return [fields](version v) {
      return root_part(envelope(v, "")) + "--B\r\n" + fields + "\r\n\r\nx\r\n--B--";
    };
  };
  const auto with_root = [](const std::string& fields) {
    return [fields](version v) { return root_part(envelope(v, ""), fields) + "--B--"; };
  };
  const std::string related = "multipart/related; ";
  const std::string xop = related + "type=\"application/xop+xml\"; ";
  const std::string include = "<x:Include href='cid:a'/>";
  const auto fill = [&](const std::string& parts, std::string content = {}) {
    if (content.empty()) content = "<Content>" + include + "</Content>";
    return [parts, content](version v) {
      return root_part(envelope(
                 v,
                 "<Fill xmlns='urn:x/Parcels' xmlns:x='http://www.w3.org/2004/08/xop/"
                 "include'>" +
                     content + "</Fill>")) +
             parts + "--B--";
    };
  };
  const auto part_of = [](std::size_t size) {
    return "--B\r\n\r\n" + std::string(size, 'x') + "\r\n";
  };
  const std::string comes = xop + "boundary=B; x=comes; start-info=";
  std::string many = root_part("");
  for (int number = 0; number != 1'001; ++number)
    many += "--B\r\n\r\n\r\n";
  return {
      {"MTOM: Content-Type has a parameter twice",
       said(""),
       {"Client 415", "Client 415"},  // no start-info was read
       xop + "boundary=B; boundary=B; start-info="},
      {"the message is SOAP with attachments (type 'text/xml'), which is not served here; "
       "allowed is type=\"application/xop+xml\"",
       said(""),
       unsupported,
       related + "type=\"text/xml\"; boundary=B; start-info="},
      {"the type of multipart/related is 'a/b'; allowed is type=\"application/xop+xml\"",
       said(""),
       unsupported,
       related + "type=\"a/b\"; boundary=B; start-info="},
      {"MTOM: Content-Type has no boundary of 1 to 70 characters of ASCII",
       said(""),
       unsupported,
       xop + "start-info="},
      {"MTOM: start-info is 'text/html'; allowed are text/xml and application/soap+xml",
       with_root(""),
       {"Client 415", "Client 415"},
       xop + "boundary=B; start-info=\"text/html\"; x="},
      {"MTOM: type of the root part is 'a/b'; allowed are text/xml",
       [](version v) {
         return "--B\r\nContent-Type: application/xop+xml; type=\"a/b\"\r\n\r\n" + envelope(v, "") +
                "\r\n--B--";
       },
       unsupported},
      {"MTOM: the actions 'urn:a' and 'urn:b' are given; allowed is one",
       with_root(""),
       {"Client 500", "Client 500"},
       xop + "boundary=B; action=\"urn:a\"; start-info=\"text/xml;action=\\\"urn:b\\\"\"; x="},
      {"MTOM: no part begins: the boundary of Content-Type is not there", said("x")},
      {"MTOM: the message ends before its last boundary", said("--B\r\n")},
      {"MTOM: a line with the boundary has more than white space behind it", said("--Bx\r\n")},
      {"MTOM: there are parts behind the last boundary",
       [a](version v) { return root_part(envelope(v, "")) + "--B--\r\n" + a + "--B--"; }},
      {"MTOM: behind the last boundary there are more than 8192 bytes (limit "
       "max_part_header_bytes)",
       [](version v) { return root_part(envelope(v, "")) + "--B--\r\n" + std::string(8'200, 'x'); },
       too_large},
      {"MTOM: the message has more than 1000 parts (limit max_parts)", said(many), too_large},
      {"MTOM: the header of part 2 has more than 8192 bytes (limit max_part_header_bytes)",
       part("A: " + std::string(8'192, 'x')),
       too_large},
      {"MTOM: a part has more than 10000 bytes (limit max_part_bytes)",
       fill(part_of(10'001)),
       too_large,
       comes},
      {"MTOM: the parts before the stream's have more than 25000 bytes (limit max_body_bytes)",
       fill(part_of(9'000) + part_of(9'000) + part_of(9'000)),
       too_large,
       comes},
      {"MTOM: the message has more than 50000 bytes (limit max_stream_bytes)",
       fill("--B\r\nContent-ID: <a>\r\n\r\n" + std::string(50'000, 'x')),
       too_large,
       comes},
      {"Fill/Content: refers to 'b', but this message has no such part",
       fill("", "<Content><x:Include href='cid:b'/></Content>"),
       usual,
       comes},
      {"Fill/Content: holds more than its xop:Include",
       fill("", "<Content>" + include + include + "</Content>"),
       usual,
       comes},
      {"Fill/Label: refers to 'cid:b', which comes too late",
       fill("", "<Label><x:Include href='cid:b'/></Label><Content>AA==</Content>"),
       usual,
       comes},
      {"Fill/Label: refers to 'cid:a', to which another element refers already",
       fill(a, "<Label>" + include + "</Label><Content>" + include + "</Content>"),
       usual,
       comes},
      {"MTOM: part 2 ends in its header", part("A: b\r\n--B\r\nC: d")},
      {"MTOM: part 2: its header has a line that is no field", part("A")},
      {"MTOM: part 2: its header holds a control character", part("A: \x01")},
      {"MTOM: part 2: Content-ID is there twice", part("Content-ID: <b>\r\nContent-ID: <c>")},
      {"MTOM: part 2: Content-ID '<b> (c)' is malformed; allowed is <id> without white space, "
       "comments and brackets",
       part("Content-ID: <b> (c)")},
      {"MTOM: part 2: Content-Transfer-Encoding is 'base64'; allowed are binary, 8bit and 7bit",
       part("Content-Transfer-Encoding: base64")},
      {"MTOM: part 2: Content-Encoding is for the whole message, not for a part",
       part("Content-Encoding: gzip")},
      {"MTOM: the root part: Content-Type is malformed",
       said("--B\r\nContent-Type: application/xop+xml; a\r\n\r\n\r\n--B--")},
      {"MTOM: part 2: is 'multipart/mixed', but a part cannot contain parts",
       part("Content-Type: multipart/mixed")},
      {"MTOM: the root part is 'text/xml'; allowed is application/xop+xml",
       said("--B\r\nContent-Type: text/xml\r\n\r\n\r\n--B--")},
      {"MTOM: start is 'r', which is no part's Content-ID",
       with_root(""),
       usual,
       xop + "start=\"<r>\"; boundary=B; start-info="},
      {"MTOM: two parts have the Content-ID 'a'",
       [a](version v) { return root_part(envelope(v, "")) + a + a + "--B--"; }},
      {"MTOM: two parts have the Content-ID 'a'",
       [a](version v) { return root_part(envelope(v, ""), "Content-ID: <a>\r\n") + a + "--B--"; }},
      {"Take/Content: refers to 'cid:b', but this message has no such part",
       holds("<Content><x:Include href='cid:b'/></Content>")},
      {"Take/Content: holds more than its xop:Include",
       holds("<Content>" + include + include + "</Content>")},
      {"Take/Text: holds the element 'Include'; allowed is text",
       holds("<Text>" + include + "</Text>")},
      {"Take/o: holds an xop:Include; allowed is one in an element of bytes alone",
       holds("<o xmlns='urn:o'>" + include + "</o>")},
  };
}

/// [codec]: the same of attributes, groups and choices, in the service of kinds.hpp.
std::vector<std::pair<std::string, std::string>> bad_kinds() {
  const std::string length = "<Value>1</Value></Length>";
  return {
      {"/Length/@unit: is missing; a value is required: one of m, ft", "<Length>" + length},
      {"/Length/@unit: 'km' is not one of m, ft", "<Length unit='km'>" + length},
      {"/Length/@version: '2' is not '1.0', which is fixed",
       "<Length unit='m' version='2'>" + length},
      {"/Length: the attribute 'x' is not known here; allowed are unit, digits",
       "<Length unit='m' x=''>" + length},
      {"/Point: xsi:type names 'Point' in the namespace '" + base +
           "/Kinds'; allowed is 'Point' in the namespace 'urn:kinds:geo'",
       "<Point xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='Point'/>"},
      {"/Walk: one of Left, Right, Pay is missing", "<Walk/>"},
      {"/Person: only one of Phone, Mail, Alias is allowed",
       "<Person><Name/><Phone/><Mail/></Person>"},
      {"/Counted: TwoToFive must appear at least 2 times", "<Counted><Some/></Counted>"},
      {"/Odd: the elements A are missing", "<Odd/>"},
      {"/Odd: the elements A must appear at least 2 times", "<Odd><A/></Odd>"},
      {"/Odd/A[4]: begins a group that may appear only 3 times", "<Odd><A/><A/><A/><A/></Odd>"},
  };
}

/// Serves the guarded services, without users, and with a fixed clock.
struct guarded {
  guarded() : dispatcher(options()) {
    dispatcher.add(either);
    dispatcher.add(stamped);
    dispatcher.add(hashed);
    dispatcher.add(plain);
    dispatcher.add(maybe);
  }
  static soapsvc::dispatcher_options options() {
    soapsvc::dispatcher_options made;
    made.ns_base = "urn:x";
    made.security.check_password = [](auto user, auto, auto&) {
      return user == "a" ? std::optional<std::string>(user) : std::nullopt;
    };
    made.security.find_password = [](auto, auto&) { return std::nullopt; };
    made.security.clock = [] { return std::chrono::sys_days{std::chrono::year{2026} / 1 / 2}; };
    made.security.max_replay_entries = 0;
    return made;
  }
  Guarded<0> either;
  Guarded<1> stamped;
  Guarded<2> hashed;
  Guarded<3> plain;
  Guarded<4> maybe;
  soapsvc::dispatcher dispatcher;
};

/// [tokens]: the service, the content of its Security block, and the fault's text.
std::vector<std::array<std::string, 3>> bad_security() {
  const std::string user = "<o:Username>a</o:Username>", word = "<o:Password>x</o:Password>";
  const std::string digest =
      "<o:Password Type='http://docs.oasis-open.org/wss/2004/01/"
      "oasis-200401-wss-username-token-profile-1.0#PasswordDigest'>x</o:Password>";
  const std::string created = "<u:Created>2026-01-02T00:00:00Z</u:Created>";
  const std::string nonce = "<o:Nonce>MDE=</o:Nonce>";
  const auto token = [](const std::string& inside) {
    return "<o:UsernameToken>" + inside + "</o:UsernameToken>";
  };
  const auto stamp = [](const std::string& inside) {
    return "<u:Timestamp>" + inside + "</u:Timestamp>";
  };
  return {
      {"Either", "", "Security: UsernameToken is missing; this service needs it"},
      {"Stamped", "", "Security: Timestamp is missing; this service needs it"},
      {"Maybe", "", "this service needs it, or no Security block"},
      {"Either", "x", "Security: holds text where only elements are allowed"},
      {"Either", "<x/>", "'x' in no namespace is not known here"},
      {"Either", "<o:x/>", "is not supported here"},
      {"Either",
       "<EncryptedKey xmlns='http://www.w3.org/2001/04/xmlenc#'/>",
       "is encryption, which is not supported here"},
      {"Either", token("") + token(""), "Security/UsernameToken: may appear only once"},
      {"Either", "</o:Security><o:Security>", "Header/Security: occurs twice for this receiver"},
      {"Stamped", token(user + word), "UsernameToken: is not accepted by this service"},
      {"Stamped", stamp(""), "Security/Timestamp: Created is missing"},
      {"Stamped", stamp("<x/>"), "is not known; allowed are Created and Expires"},
      {"Stamped",
       stamp("<u:Created>x</u:Created>"),
       "Created: 'x' is not a valid time; allowed is dateTime with Z or an offset"},
      {"Stamped", stamp("<u:Created><x/></u:Created>"), "Created: holds elements; allowed is text"},
      {"Stamped",
       stamp(created + "<u:Expires>2026-01-01T00:00:00Z</u:Expires>"),
       "Expires: lies before Created"},
      {"Stamped",
       stamp("<u:Created>2026-01-02T01:00:00Z</u:Created>"),
       "Created: lies 3600 s ahead of the clock here; at most 60 s are allowed"},
      {"Stamped",
       stamp("<u:Created>2026-01-01T23:00:00Z</u:Created>"),
       "lies 3600 s in the past; at most 300 s are allowed, and 60 s for clocks that differ"},
      {"Stamped",
       stamp("<u:Created>2026-01-01T23:58:00Z</u:Created>"
             "<u:Expires>2026-01-01T23:59:00Z</u:Expires>"),
       "Expires: the message has expired, 60 s ago"},
      {"Either", token(user), "UsernameToken/Password: is missing"},
      {"Either", token(word), "UsernameToken/Username: is missing"},
      {"Either",
       token(user + "<o:Password>" + std::string(5000, 'x') + "</o:Password>"),
       "Password: has more than 4096 bytes"},
      {"Either",
       token(user + "<o:Password Type='x'>x</o:Password>"),
       "the Type is neither PasswordText nor PasswordDigest"},
      {"Either",
       token(user + word + "<o:Salt/>"),
       "is not supported here; allowed are Username, Password, Nonce and Created"},
      {"Either",
       token(user + word + "<o:Nonce EncodingType='x'/>"),
       "Nonce: the EncodingType is not base64"},
      {"Either", token(user + word + "<o:Nonce/>"), "Nonce: is not base64 of 1 to 256 bytes"},
      {"Either", token(user + word), "Password: a PasswordText is accepted over TLS only"},
      {"Either",
       "</o:Security></e:Header><e:Body><EncryptedData xmlns='http://www.w3.org/2001/04/xmlenc#'/>",
       "Body: EncryptedData is encryption, which is not supported here"},
      {"Either", token(user + digest), "a PasswordDigest needs Nonce and Created"},
      {"Hashed",
       token(user + word),
       "PasswordText is not accepted by this service; allowed is PasswordDigest"},
      {"Plain",
       token(user + digest),
       "PasswordDigest is not accepted by this service; allowed is PasswordText"},
      {"Hashed",
       token(user + digest + nonce + created),
       "Security/UsernameToken: the security token could not be authenticated"},
      {"tls Plain",
       token(user + word + nonce),
       "too many messages with a nonce or a signature at once; try again later"},
  };
}

/// Calls a guarded service, over TLS if its name says so.
soapsvc::http_response ask_guarded(version v, std::string service, const std::string& inside) {
  static const guarded to;
  soapsvc::http_request request;
  if (service.starts_with("tls ")) {
    request.scheme = "https";
    service.erase(0, 4);
  }
  const std::string oasis = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-";
  const std::string message =
      "<e:Envelope xmlns:e='" + envelope_ns(v) + "' xmlns:o='" + oasis +
      "secext-1.0.xsd' xmlns:u='" + oasis + "utility-1.0.xsd'><e:Header><o:Security>" + inside +
      (inside.find("<e:Body>") != inside.npos
           ? ""
           : "</o:Security></e:Header><e:Body><Enter xmlns='urn:x/" + service + "'/>") +
      "</e:Body></e:Envelope>";
  const std::string type = content_type(v), path = "/soap/v3/" + service + ".asmx";
  const soapsvc::http_header fields[] = {{"Content-Type", type}};
  request.target = path;
  request.headers = fields;
  request.body = message;
  return to.dispatcher.handle(request);
}

/// [signatures]: errors in a signed message, with the fault's text.
struct bad_signature {
  std::string reason;
  std::string from, to;  ///< changed when it is signed
  std::string name = "";  ///< in its Body
  int times = 1;  ///< it is sent
};
std::vector<bad_signature> bad_signatures() {
  return {
      {"Security: this message was served before", "", "", "", 2},
      {"Seal/Name: has a prefix that the signature does not cover; allowed are prefixes of "
       "enclosing names, and of a PrefixList",
       "",
       "",
       "<Name>wsse:x</Name>"},
      {"Security: the signature is invalid", "<ds:SignatureValue>", "<ds:SignatureValue>AAAA"},
      {"Security: the security token is not valid", "#Base64Binary\">", "#Base64Binary\">AAAA"},
      {"SignatureValue is not base64", "<ds:SignatureValue>", "<ds:SignatureValue>?"},
      {"no element has the id 'body'", "<e:Body wsu:Id=\"body\"", "<e:Body"},
      {"two elements have the id 'body'", "<Seal ", "<Seal Id=\"body\" "},
      {"a reference to 'urn:x' is not supported", "URI=\"#body\"", "URI=\"urn:x\""},
      {"SignatureMethod 'urn:x' is not supported", std::string(signing::ecdsa_sha256), "urn:x"},

  };
}

soapsvc::http_response ask_sealed(version v, const bad_signature& bad) {
  static const signing::certificate caller = signing::make("caller");
  // A dispatcher for each row: the replay cache of one row does not refuse another.
  Sealed service;
  soapsvc::dispatcher_options options;
  options.ns_base = "urn:x";
  options.security.signatures.trusted_certificates_file = caller.certificate_file;
  soapsvc::dispatcher to(options);
  to.add(service);
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::string text =
      "<e:Envelope xmlns:e='" + envelope_ns(v) + "' xmlns:wsse='" +
      std::string(soapsvc::detail::wsse_ns) + "' xmlns:wsu='" +
      std::string(soapsvc::detail::wsu_ns) + "'><e:Header><wsse:Security>" +
      signing::token_element(caller) + "<wsu:Timestamp wsu:Id=\"time\"><wsu:Created>" +
      soapsvc::date_time::from(now).text() + "</wsu:Created></wsu:Timestamp>" +
      signing::signature(
          signing::reference("body") + signing::reference("time"), signing::token_reference()) +
      "</wsse:Security></e:Header><e:Body wsu:Id=\"body\"><Seal "
      "xmlns='urn:x/Sealed'>" +
      bad.name + "</Seal></e:Body></e:Envelope>";
  text = signing::filled(text, caller.key);
  if (!bad.from.empty()) text = signing::replaced(text, bad.from, bad.to);
  const std::string type = content_type(v);
  const soapsvc::http_header fields[] = {{"Content-Type", type}};
  soapsvc::http_request request;
  request.target = "/soap/v3/Sealed.asmx";
  request.headers = fields;
  request.body = text;
  for (int sent = 1; sent != bad.times; ++sent)
    to.handle(request);
  return to.handle(request);
}

/// [addressing]: the header blocks, and the sentence about them.
std::vector<std::pair<std::string, std::string>> bad_addressing() {
  const std::string old = "http://schemas.xmlsoap.org/ws/2004/08/addressing";
  const auto of = [](const std::string& name, const std::string& content) {
    return "<a:" + name + ">" + content + "</a:" + name + ">";
  };
  const std::string send = of("Action", "urn:x/Letters/Send");
  const std::string back = "<a:Address>http://www.w3.org/2005/08/addressing/anonymous</a:Address>";
  const auto reply_to = [&](const std::string& parameters) {
    return send + of("MessageID", "urn:m") +
           of("ReplyTo", back + of("ReferenceParameters", parameters));
  };
  return {
      {"Header: has blocks of two versions of WS-Addressing; allowed is one version",
       send + "<b:To xmlns:b='" + old + "'>urn:x</b:To>"},
      {"Header/Action: may appear only once", send + send},
      {"Header: Action, which names the operation, is missing in the namespace", of("To", "urn:x")},
      {"Header: MessageID, which is repeated by the response, is missing in the namespace",
       send + of("ReplyTo", back)},
      {"Header/Action: 'x' is no absolute IRI of up to 4096 bytes", of("Action", "x")},
      {"Header/ReplyTo/Address: 'x' is no absolute IRI", send + of("ReplyTo", of("Address", "x"))},
      {"Header/ReplyTo: has no Address", send + of("ReplyTo", "")},
      {"Header/ReplyTo/Address: may appear only once", send + of("ReplyTo", back + back)},
      {"Header/FaultTo: the address 'urn:x' is refused; allowed is 'http://www.w3."
       "org/2005/08/addressing/anonymous' or 'http://www.w3.org/2005/08/addressing/none'",
       send + of("FaultTo", of("Address", "urn:x"))},
      {"Header/MessageID: '' is no IRI of up to 4096 bytes", send + of("MessageID", "")},
      {"Header/ReplyTo: has more than 16384 bytes of reference parameters",
       reply_to("<x:x xmlns:x='urn:x'>" + std::string(16'384, 'x') + "</x:x>")},
      {"the reference parameter 'To' in the namespace 'http://www.w3.org/2005/08/addressing' "
       "cannot be a header block of a response",
       reply_to(of("To", "urn:x"))},
      {"Header/Action: 'urn:other' does not name the operation Send of the Body; allowed is "
       "'urn:x/Letters/Send'",
       of("Action", "urn:other")},
      {"Header/Action: 'urn:x/Send' differs from the SOAPAction 'urn:x/Letters/Send'",
       of("Action", "urn:x/Send")}};
}

soapsvc::http_response ask_letters(version v, const std::string& header) {
  Letters letters;
  soapsvc::dispatcher dispatcher{{.ns_base = "urn:x"}};
  dispatcher.add(letters, "/l");
  const std::string type = content_type(v);
  const soapsvc::http_header fields[] = {
      {"Content-Type", type}, {"SOAPAction", "urn:x/Letters/Send"}};
  const bool is_about_both = contains(header, "urn:x/Send<");
  const std::string message =
      "<e:Envelope xmlns:e='" + envelope_ns(v) +
      "' xmlns:a='http://www.w3.org/2005/08/addressing'><e:Header>" + header +
      "</e:Header><e:Body><Send xmlns='urn:x/Letters'/></e:Body></e:Envelope>";
  soapsvc::http_request request;
  request.target = "/l";
  request.headers = std::span(fields, is_about_both ? 2 : 1);
  request.body = message;
  return dispatcher.handle(request);
}

/// Rows of one part of the header.
struct error_list {
  std::vector<error_path> paths;

  void bytes(
      const std::string& reason,
      const std::string& sent,
      const std::shared_ptr<world>& to = nullptr,
      const outcome& expected = usual) {
    paths.push_back(
        {reason,
         [sent, to](version v) { return post_as(to ? *to : usual_world(), v, sent); },
         expected});
  }
  void body(
      const std::string& reason,
      const std::string& sent,
      const std::string& header = "",
      const outcome& expected = usual,
      const headers& with = {}) {
    paths.push_back(
        {reason,
         [sent, header, with](version v) { return usual_world().ask(v, sent, header, with); },
         expected});
  }
  void envelope_holds(
      const std::string& reason,
      const std::string& inside,
      std::optional<version> only = std::nullopt) {
    paths.push_back(
        {reason,
         [inside](version v) {
           return post_as(
               usual_world(),
               v,
               "<e:Envelope xmlns:e='" + envelope_ns(v) + "'>" + inside + "</e:Envelope>");
         },
         usual,
         only});
  }
};

/// [reading]: invalid XML.
std::vector<error_path> xml_errors() {
  error_list list;
  for (const auto& [reason, sent] : bad_bytes())
    list.bytes(reason, sent);
  return list.paths;
}

/// [reading]: messages over a limit.
std::vector<error_path> limit_errors() {
  error_list list;
  const auto limited = [&](const std::string& reason,
                           const std::string& sent,
                           const std::function<void(soapsvc::message_limits&)>& change,
                           const outcome& expected = usual) {
    list.bytes(
        reason,
        sent,
        narrow([&change](soapsvc::dispatcher_options& options) { change(options.limits); }),
        expected);
  };
  using limits = soapsvc::message_limits;
  limited("elements inside each other (limit max_depth)", "<a><b><c/></b></a>", [](limits& most) {
    most.max_depth = 2;
  });
  limited("elements (limit max_elements)", "<a><b/><b/></a>", [](limits& most) {
    most.max_elements = 2;
  });
  limited(
      "attributes in the message (limit max_elements)", "<a b='' c='' d=''/>", [](limits& most) {
        most.max_elements = 2;
      });
  limited("attributes on one element (limit max_attributes)", "<a b='' c=''/>", [](limits& most) {
    most.max_attributes = 1;
  });
  limited(
      "namespace declarations in scope (limit max_namespaces)",
      "<a xmlns:b='urn:b' xmlns:c='urn:c'/>",
      [](limits& most) { most.max_namespaces = 1; });
  limited("bytes in one name (limit max_name_bytes)", "<abcdef/>", [](limits& most) {
    most.max_name_bytes = 5;
  });
  limited(
      "bytes of text in one element or attribute (limit max_text_bytes)",
      "<a>abcdef</a>",
      [](limits& most) { most.max_text_bytes = 5; });
  // Six bytes of ISO-8859-1 are twelve of UTF-8: the limit applies to the parsed bytes.
  list.paths.push_back(
      {"more than 20 bytes (limit max_body_bytes)",
       [to = narrow([](soapsvc::dispatcher_options& options) {
          options.limits.max_body_bytes = 20;
        })](version v) {
         const std::string type = v == version::v1_1 ? "text/xml" : "application/soap+xml";
         return to->post(
             "<a>\xe9\xe9\xe9\xe9\xe9\xe9\xe9\xe9\xe9\xe9</a>",
             {{"Content-Type", type + "; charset=iso-8859-1"}});
       },
       too_large});
  return list.paths;
}

/// [reading]: an encoding that is not read.
std::vector<error_path> encoding_errors() {
  error_list list;
  const auto coded = [&list](
                         const std::string& reason,
                         const std::string& charset,
                         const std::string& sent,
                         const outcome& expected) {
    list.paths.push_back(
        {reason,
         [charset, sent](version v) {
           const std::string type = v == version::v1_1 ? "text/xml" : "application/soap+xml";
           return usual_world().post(
               sent, {{"Content-Type", charset.empty() ? type : type + "; charset=" + charset}});
         },
         expected});
  };
  coded("the encoding 'euc-jp' is not supported; use UTF-8", "euc-jp", "<a/>", unsupported);
  coded(
      "the encoding 'euc-jp' is not supported",
      "",
      "<?xml version='1.0' encoding='euc-jp'?><a/>",
      unsupported);
  coded("the encoding 'UTF-32' is not supported", "", std::string("\xff\xfe\0\0", 4), unsupported);
  coded(
      "UTF-16 without a byte order mark must be declared",
      "",
      std::string("<\0a\0/\0>\0", 8),
      usual);
  coded("a byte beyond US-ASCII", "us-ascii", "<a>\xe9</a>", usual);
  coded("a byte beyond the encoding", "windows-1252", "<a>\x81</a>", usual);
  coded("bytes that are not UTF-16", "utf-16", std::string("\xfe\xff\xd8\0", 4), usual);
  coded(
      "the encoding 'iso-8859-1' is not the message's",
      "",
      "\xef\xbb\xbf<?xml version='1.0' encoding='iso-8859-1'?><a/>",
      usual);
  return list.paths;
}

struct full_host final : soapsvc::detail::host_thread {
  bool may_block() noexcept override { return true; }
  bool hand_over() noexcept override { return false; }
  void before_method(std::size_t) override {}
  void after_method(
      std::string_view, std::string_view, std::chrono::nanoseconds) noexcept override {}
  soapsvc::detail::stop_token stop_token(std::chrono::steady_clock::time_point) override {
    return {};
  }
};

/// Requests without room in the host.
std::vector<error_path> overload_errors() {
  error_list list;
  list.paths.push_back(
      {"no thread is free for a call that blocks; try again later",
       [](version v) {  // as a worker of a host that has no other thread left
         full_host full;
         soapsvc::detail::this_host_thread = &full;
         auto response = usual_world().ask(v, call("Fail", "<How>wait</How>"));
         soapsvc::detail::this_host_thread = nullptr;
         return response;
       },
       {"Server 503", "Receiver 503"}});
  // Refuses a request in a spool file, through an interceptor.
  const outcome for_now{"Server 503", "Receiver 503"};
  const auto spooled = [&list](const std::string& reason, const outcome& expected, auto refuse) {
    list.paths.push_back(
        {reason,
         [to = narrow([refuse](soapsvc::dispatcher_options& options) {
            options.interceptors.push_back([refuse](auto&) { refuse(); });
          })](version v) { return to->ask(v, add); },
         expected});
  };
  spooled("too many large requests are under way; try again later", for_now, [] {
    soapsvc::detail::spool_ledger(1).take(0, 2);
  });
  spooled("the request has more than 5 bytes (limit max_stream_bytes)", too_large, [] {
    const auto ledger = std::make_shared<soapsvc::detail::spool_ledger>(100);
    soapsvc::detail::request_file("/tmp", ledger, "192.0.2.1", "123456", {}, 5, "max_stream_bytes");
  });
  spooled("there is no room for a request of this size now", for_now, [] {
    struct none_left {
      none_left() {
        ::getrlimit(RLIMIT_NOFILE, &usual);
        const rlimit none{0, usual.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
      }
      ~none_left() { ::setrlimit(RLIMIT_NOFILE, &usual); }
      rlimit usual{};
    };
    const none_left files;
    soapsvc::detail::request_file::open_in("/tmp");
  });
  return list.paths;
}

/// [codec]: the payload, and a header block.
std::vector<error_path> payload_errors() {
  error_list list;
  const std::string session = "<Session xmlns='" + ns + "'>";
  for (const auto& [reason, sent] : bad_payloads())
    list.body(reason, sent, session + "</Session>");
  list.body(
      "Session/Key: this value is not a whole number",
      call("Put"),
      session + "<Key>x</Key></Session>");
  list.body("Session: the element 'x' is not known here", call("Put"), session + "<x/></Session>");
  list.paths.push_back(
      {"Add: the encoding 'urn:x' is not known here; allowed is literal content",
       [](version v) {
         return usual_world().ask(v, "<Add xmlns='" + ns + "' e:encodingStyle='urn:x'/>");
       },
       {"", "DataEncodingUnknown 500"},
       version::v1_2});
  return list.paths;
}

/// [codec]: options of rows beyond names and types.
std::vector<error_path> row_errors() {
  error_list list;
  for (const auto& [reason, inside] : bad_kinds())
    list.paths.push_back({"Kinds" + reason, [inside = inside](version v) {
                            soapsvc::dispatcher dispatcher({.ns_base = base});
                            Oddities oddities;
                            dispatcher.add(oddities);
                            const std::string type = content_type(v);
                            const soapsvc::http_header fields[] = {{"Content-Type", type}};
                            const std::string sent = envelope(
                                v, "<Kinds xmlns='" + base + "/Kinds'>" + inside + "</Kinds>");
                            soapsvc::http_request request;
                            request.target = "/soap/v3/Kinds.asmx";
                            request.headers = fields;
                            request.body = sent;
                            return dispatcher.handle(request);
                          }});
  for (const auto& [reason, inside] : std::vector<std::pair<std::string, std::string>>{
           {"Lock/Inside/Width: is in another namespace; allowed is the namespace",
            "<Width xmlns='urn:marked'>1</Width>"},
           {"Lock/Inside: an element is not known here; allowed are Width, Height", "<Marked/>"}})
    list.paths.push_back(
        {reason, [inside = inside](version v) {
           Vault vault;
           soapsvc::dispatcher dispatcher{{.ns_base = "urn:x"}};
           dispatcher.add(vault, "/v");
           const std::string message =
               envelope(v, "<Lock xmlns='urn:x/Vault'><Inside>" + inside + "</Inside></Lock>");
           soapsvc::http_request request;
           request.target = "/v";
           request.headers = as_xml;
           request.body = message;
           return dispatcher.handle(request);
         }});
  for (const auto& [reason, sent] : bad_visits())
    list.paths.push_back({reason, [sent = sent](version v) {
                            Zoo zoo;
                            soapsvc::dispatcher dispatcher{{.ns_base = "urn:x"}};
                            dispatcher.add(zoo, "/z");
                            return ask_at("/z", dispatcher, envelope(v, sent));
                          }});
  list.paths.push_back(
      {"Visit/Rooms: exceeds, with earlier values, the bytes for items of lists and pointers (128 "
       "for each of limit max_elements)",
       [](version v) {
         std::string rooms;
         for (int room = 0; room != 641; ++room)
           rooms += "1 ";
         Zoo zoo;
         soapsvc::dispatcher dispatcher{{.ns_base = "urn:x", .limits = {.max_elements = 20}}};
         dispatcher.add(zoo, "/z");
         const std::string visit =
             "<Visit xmlns='urn:x/Zoo'><Guide/><Guide/><Day>1</Day><Dish/><Drink/>"
             "<g:g xmlns:g='urn:guests'/><Rooms>";
         return ask_at("/z", dispatcher, envelope(v, visit + rooms + "</Rooms></Visit>"));
       }});
  list.paths.push_back(
      {"Visit/g: takes more than 10 steps, with the elements before it, to look up prefixes "
       "(limit max_pattern_steps)",
       [](version v) {
         Zoo zoo;
         soapsvc::dispatcher dispatcher{{.ns_base = "urn:x", .limits = {.max_pattern_steps = 10}}};
         dispatcher.add(zoo, "/z");
         return ask_at(
             "/z",
             dispatcher,
             envelope(
                 v,
                 "<Visit xmlns='urn:x/Zoo'><Guide/><Guide/><Day>1</Day><Dish/><Drink/>"
                 "<g:g xmlns:g='urn:guests'>a:b:</g:g></Visit>"));
       }});
  return list.paths;
}

/// [envelope]: a stream.
std::vector<error_path> stream_errors() {
  error_list list;
  for (const auto& [reason, sent] : bad_streams())
    list.paths.push_back({reason, [sent = sent](version v) {
                            Streams streams;
                            soapsvc::dispatcher dispatcher{
                                {.ns_base = "urn:x", .limits = {.max_body_bytes = 1'500}}};
                            dispatcher.add(streams, "/z");
                            return ask_at("/z", dispatcher, envelope(v, sent));
                          }});
  return list.paths;
}

/// [attachments]: a message of parts.
std::vector<error_path> part_errors() {
  error_list list;
  for (const bad_message& bad : bad_messages())
    list.paths.push_back(
        {bad.reason,
         [bad](version v) {
           Parcels parcels;
           soapsvc::dispatcher dispatcher{
               {.ns_base = "urn:x",
                .limits = {
                    .max_body_bytes = 25'000,
                    .max_stream_bytes = 50'000,
                    .max_part_bytes = 10'000}}};
           dispatcher.add(parcels, "/z");
           const std::string type =
               bad.type + (v == version::v1_1 ? "text/xml" : "\"application/soap+xml\"");
           const soapsvc::http_header fields[] = {{"Content-Type", type}};
           const std::string message = bad.message(v);
           soapsvc::http_request request;
           request.target = "/z";
           request.headers = fields;
           request.body = message;
           const std::size_t given = std::min<std::size_t>(100, message.size());
           const soapsvc::byte_source rest = in_pieces(std::string_view(message).substr(given));
           if (contains(bad.type, "comes")) {
             request.body = request.body.substr(0, given);
             request.rest_of_body = &rest;
           }
           return dispatcher.handle(request);
         },
         bad.expected});
  return list.paths;
}

/// [envelope]: the envelope and its header blocks.
std::vector<error_path> envelope_errors() {
  error_list list;
  list.paths.push_back(
      {"the root element is 'Envelope' in the namespace 'urn:x'; allowed is Envelope in the "
       "namespace '" +
           soap11_ns + "' or '" + soap12_ns + "'",
       [](version v) { return post_as(usual_world(), v, "<Envelope xmlns='urn:x'/>"); },
       {"VersionMismatch 500", "VersionMismatch 500"}});
  list.envelope_holds(
      "Envelope: Body is missing; allowed are an optional Header and then Body", "");
  list.envelope_holds(
      "Envelope: the element 'x' in no namespace is not allowed here; allowed are an "
      "optional Header and then Body, in the namespace of the Envelope",
      "<x/>");
  list.envelope_holds("Envelope: the element 'x' in no namespace", "<e:Body/><x/>");
  list.envelope_holds("Envelope: holds text where only elements are allowed", "x<e:Body/>");
  list.envelope_holds(
      "Header: holds text where only elements are allowed",
      "<e:Header>x</e:Header><e:Body>" + add + "</e:Body>");
  list.envelope_holds("Body: holds text where only elements are allowed", "<e:Body>x</e:Body>");
  list.envelope_holds("Body: is empty; one element is allowed", "<e:Body/>");
  list.envelope_holds(
      "Body: the element 'Add' is one too many; one element is allowed",
      "<e:Body>" + add + add + "</e:Body>");
  list.envelope_holds(
      "Header: the attribute 'a' is in no namespace; allowed are qualified ones",
      "<e:Header a='b'/><e:Body/>",
      version::v1_2);
  list.envelope_holds(
      "Body: encodingStyle 'urn:x' is not allowed here; it may stand on header blocks and on "
      "the Body's child",
      "<e:Body e:encodingStyle='urn:x'/>",
      version::v1_2);
  list.envelope_holds(
      "Header/x: is in no namespace; a header block needs one",
      "<e:Header><x/></e:Header><e:Body/>",
      version::v1_2);
  list.body(
      "Header/T: mustUnderstand is 'x'; allowed are 0 and 1",
      add,
      "<x:T xmlns:x='urn:x' e:mustUnderstand='x'/>");
  std::string blocks;
  for (int count = 0; count != 1'001; ++count)
    blocks += "<x:T xmlns:x='urn:x'/>";
  list.body("Header: holds more than 1000 header blocks (limit max_header_blocks)", add, blocks);
  list.body(
      "Header: the block 'T' in the namespace 'urn:x' must be understood, and is not "
      "understood here",
      add,
      "<x:T xmlns:x='urn:x' e:mustUnderstand='1'/>",
      must_understand);
  list.body(
      "Header: the block 'T' in the namespace 'n",
      add,
      "<x:T xmlns:x='" + std::string(2'000, 'n') + "' e:mustUnderstand='1'/>",
      must_understand);
  return list.paths;
}

/// [facts]: media type, Host, Origin and size.
std::vector<error_path> http_errors() {
  error_list list;
  for (const auto& [type, said] : std::vector<std::pair<std::string, std::string>>{
           {"image/png", ": 'image/png' is not served here"},
           {"", " is missing"},
           {"text", " is malformed"},
           {"text/xml; charset", " is malformed"},
           {"text/xml; charset=a; charset=b", " has a parameter twice"}})
    list.paths.push_back(
        {"Content-Type" + said +
             "; allowed are text/xml (SOAP 1.1) and application/soap+xml (SOAP 1.2)",
         [type = type](version v) {
           return usual_world().post(envelope(v, add), {{"Content-Type", type}});
         },
         {"Client 415", "Client 415"}});  // the envelope was not looked at
  list.paths.push_back(
      {"Host: 'b.example' is not a name of this service; the options public_url and host_names "
       "add names",
       [to = narrow([](soapsvc::dispatcher_options& options) {
          options.browsers.host_names = {"a.example"};
        })](version v) {
         return to->ask(v, add, "", {{"Host", "b.example"}});
       },
       {"Client 421", "Sender 421"}});
  list.body(
      "Origin: 'null' is another site, and its pages may not call this service; add the site to "
      "the option allowed_origins to allow it",
      add,
      "",
      {"Client 403", "Sender 403"},
      {{"Origin", "null"}});
  list.bytes(
      "the request has 7 bytes; allowed are 6 (limit max_body_bytes)",
      "<a></a>",
      narrow([](soapsvc::dispatcher_options& options) { options.limits.max_body_bytes = 6; }),
      too_large);
  return list.paths;
}

/// [dispatch]: the operation, its action and its header.
std::vector<error_path> operation_errors() {
  error_list list;
  const std::string session = "<Session xmlns='" + ns + "'>";
  const auto ask_pair = [](const std::string& body) {
    return [body](version v) {
      Pair pair;
      soapsvc::dispatcher dispatcher{{.ns_base = "urn:x"}};
      dispatcher.add(pair, "/p");
      return ask_at("/p", dispatcher, envelope(v, body));
    };
  };
  const std::string key = "<Key xmlns='urn:x/Pair'/>";
  list.paths.push_back(
      {"Body: 'Key' is the request of several operations; SOAPAction must name one of them; "
       "allowed are 'urn:turn', 'urn:back'",
       ask_pair(key),
       usual,
       version::v1_1});
  list.paths.push_back(
      {"Body: an empty Body is the request of several operations; SOAPAction must name one of "
       "them; allowed are 'urn:rise', 'urn:fall'",
       ask_pair(""),
       usual,
       version::v1_1});
  list.paths.push_back(
      {"this service speaks SOAP 1.1 only; allowed is Envelope in the namespace '" + soap11_ns +
           "'",
       ask_pair(key),
       {"", "VersionMismatch 500"},
       version::v1_2});

  list.body(
      "Body: 'Nothing' in the namespace '" + ns + "' is not an operation of this service; " +
          "allowed are Add, OldAdd",
      call("Nothing"));
  list.body(
      "SOAPAction: 'urn:other' does not name the operation Add of the Body; allowed is '" + ns +
          "/Add'",
      add,
      "",
      usual,
      {{"SOAPAction", "urn:other"}});
  list.paths.push_back(
      {"OldAdd is deprecated and disabled on this server; use Add instead",
       [to = narrow([](soapsvc::dispatcher_options& options) {
          options.serve_deprecated = false;
        })](version v) { return to->ask(v, call("OldAdd", "<A>1</A><B>2</B>")); }});
  list.body(
      "Header: Session is missing; the operation Put needs it in the namespace '" + ns + "'",
      call("Put"));
  list.body(
      "Session: is in the namespace 'urn:x'; allowed is the namespace '" + ns + "'",
      call("Put"),
      "<Session xmlns='urn:x'/>");
  list.body(
      "Header/Session[2]: may appear only once",
      call("Put"),
      session + "</Session>" + session + "</Session>");
  return list.paths;
}

/// [addressing]
std::vector<error_path> addressing_errors() {
  error_list list;
  for (const auto& [reason, header] : bad_addressing())
    list.paths.push_back({reason, [header = header](version v) { return ask_letters(v, header); }});
  return list.paths;
}

/// [tokens]
std::vector<error_path> token_errors() {
  error_list list;
  for (const auto& [service, inside, reason] : bad_security())
    list.paths.push_back(
        {reason,
         [service = service, inside = inside](version v) {
           return ask_guarded(v, service, inside);
         },
         reason.starts_with("too many") ? outcome{"Server 503", "Receiver 503"} : usual});
  return list.paths;
}

/// [signatures]
std::vector<error_path> signature_errors() {
  error_list list;
  for (const bad_signature& bad : bad_signatures())
    list.paths.push_back({bad.reason, [bad](version v) { return ask_sealed(v, bad); }});
  return list.paths;
}

/// Exceptions of methods.
std::vector<error_path> method_errors() {
  error_list list;
  const auto fail =
      [&list](const std::string& how, const std::string& reason, const outcome& expected) {
        list.body(reason, call("Fail", "<How>" + how + "</How>"), "", expected);
      };
  const std::string incident = "The server could not process the request. Incident ";
  fail("client", "Not <today> & not tomorrow.", usual);
  fail("server", "Closed.", server);
  fail("detail", "Not <today> & not tomorrow.", usual);
  fail("about header", "Not <today> & not tomorrow.", usual);
  fail("subcode", "Not <today> & not tomorrow.", usual);
  fail("status", "Not <today> & not tomorrow.", {"Client 503", "Sender 503"});
  for (const char* how :
       {"bad subcode",
        "bad reason",
        "bad detail",
        "exception",
        "number",
        "control character",
        "bad utf-8"})
    fail(how, incident, server);
  return list.paths;
}

/// [dispatch]: refusals of a host before there is a message.
std::vector<error_path> host_errors() {
  error_list list;
  for (const auto& [status, expected] : std::vector<std::pair<int, outcome>>{
           {408, {"Client 408", "Sender 408"}},
           {413, too_large},
           {503, {"Server 503", "Receiver 503"}}})
    list.paths.push_back(
        {"what a host says <&>",
         [status = status](version v) {
           const std::string type = content_type(v);
           const soapsvc::http_header fields[] = {{"Content-Type", type}};
           soapsvc::http_request request;
           request.headers = fields;
           soapsvc::http_response response;
           usual_world().dispatcher.refuse(request, status, "what a host says <&>", response);
           return response;
         },
         expected});
  return list.paths;
}

/// A fault's code, its HTTP status and its reason; that its parts are where they belong and its
/// media type is that of its version is checked on the way.
std::pair<std::string, std::string> said(soapsvc::http_response response) {
  const int status = response.status;
  // fault_of knows the statuses of SOAP and few others: 408 is a host's, and checked here.
  if (status == 408) response.status = contains(response.body, "Sender") ? 400 : 500;
  const auto facts = fault_of(response);
  return {facts.code + " " + std::to_string(status), facts.reason};
}

/// The text of the header from the banner of one section to that of another.
std::string sections(const std::string& from, const std::string& to) {
  const std::string text = read_file("soapsvc.hpp");
  const std::size_t begin = text.find("\n// [" + from + "] ");
  const std::size_t end = text.find("\n// [" + to + "] ");
  if (begin == text.npos || end == text.npos) wrong("no such sections");
  return text.substr(begin, end - begin);
}

/// The pieces of text, in quotes, of the statement that begins at `at`.
std::vector<std::string> quoted_pieces(const std::string& text, std::size_t at) {
  std::vector<std::string> pieces;
  for (char before = '('; at != text.size() && text[at] != ';'; ++at) {
    if (text[at] == '{' && before != ',' && before != '(') break;  // a body; values follow a comma
    if (text.compare(at, 2, "//") == 0) at = text.find('\n', at);
    if (text[at] != ' ' && text[at] != '\n') before = text[at];
    if (text[at] == '\'') at += text[at + 1] == '\\' ? 3 : 2;  // a character
    if (text[at] != '"') continue;
    std::string piece;
    while (text[++at] != '"')
      piece += text[at] == '\\' ? text[++at] : text[at];
    for (std::size_t place = piece.find("{}"); place != piece.npos; place = piece.find("{}")) {
      pieces.push_back(piece.substr(0, place));
      piece.erase(0, place + 2);
    }
    pieces.push_back(piece);
  }
  return pieces;
}

/// Sends each row in each version. Checks code, status, reason and media type of each fault, and
/// that all of them are valid.
void check_faults(const std::vector<error_path>& paths) {
  std::vector<std::string> of_version[2];
  for (const error_path& each : paths) {
    for (const version v : both) {
      if (each.only && each.only != v) continue;
      const auto response = each.ask(v);
      INFO((v == version::v1_1 ? "1.1: " : "1.2: ") << each.reason << "\n" << response.body);
      std::pair<std::string, std::string> got;
      REQUIRE_NOTHROW(got = said(response));
      CHECK(got.first == (v == version::v1_1 ? each.expected.in_11 : each.expected.in_12));
      CHECK_THAT(got.second, Catch::Contains(each.reason));
      of_version[contains(response.body, "<soap12:Envelope") ? 1 : 0].push_back(response.body);
    }
  }
  REQUIRE_FALSE(of_version[0].empty());
  REQUIRE_FALSE(of_version[1].empty());
  CHECK(schema_errors("tests/schemas/soap11-envelope.xsd", of_version[0]) == "");
  CHECK(schema_errors("tests/schemas/soap12-envelope.xsd", of_version[1]) == "");
}

/// All that the faults of these rows say.
std::string heard_from(const std::vector<error_path>& paths) {
  std::string heard;
  for (const error_path& each : paths) {
    for (const version v : both) {
      if (each.only && each.only != v) continue;
      const auto response = each.ask(v);
      heard += said(response).second + "\n";
      if (response.status != 408) heard += fault_of(response).subcode + "\n";
    }
  }
  return heard;
}

/// The client's error for a response with `from` replaced by `to`.
std::string heard_of_response(std::string_view from, std::string_view to) {
  Letters letters;
  soapsvc::dispatcher services{{.ns_base = "urn:test"}};
  services.add(letters);
  const soapsvc::client<Letters> client(
      [&](soapsvc::http_request request) {
        request.target = "/soap/v3/Letters.asmx";
        soapsvc::http_response response = services.handle(request);
        response.body.replace(response.body.find(from), from.size(), to);
        return response;
      },
      {.ns_base = "urn:test"});
  try {
    client.call(&Letters::send);
  } catch (const soapsvc::transport_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE(
    "what is not XML is answered by a fault that names the mistake",
    "[faults][rule-7][rule-8][well-formed]") {
  check_faults(xml_errors());
}

TEST_CASE(
    "a message over a limit is answered by a fault that names the limit",
    "[faults][rule-7][rule-10][limits]") {
  check_faults(limit_errors());
}

TEST_CASE(
    "an encoding that is not supported, or bytes outside it, are answered by a fault",
    "[faults][rule-7][rule-8][encoding]") {
  check_faults(encoding_errors());
}

TEST_CASE("a request without room gets 503 and a fault", "[faults][rule-7][overload]") {
  check_faults(overload_errors());
}

TEST_CASE(
    "a payload that its table does not allow is answered by a fault with the path",
    "[faults][rule-4][rule-5][rule-7][nil][xsi:type][encodingStyle]") {
  check_faults(payload_errors());
}

TEST_CASE(
    "a value outside the facets and occurrences of its row is answered by a fault",
    "[faults][rule-5][rule-7][facets][choice][occurs][derived][secret]") {
  check_faults(row_errors());
}

TEST_CASE(
    "a mistake in a stream is answered by a fault that the method does not catch",
    "[faults][rule-7][streams]") {
  check_faults(stream_errors());
}

TEST_CASE(
    "a mistake in a message of parts is answered by a fault", "[faults][rule-7][mtom][multipart]") {
  check_faults(part_errors());
}

TEST_CASE(
    "a malformed envelope or header block is answered by a fault",
    "[faults][rule-1][rule-6][rule-7][envelope][mustUnderstand][encodingStyle]") {
  check_faults(envelope_errors());
}

TEST_CASE(
    "media type, Host, Origin and size are refused by a fault and the status of HTTP",
    "[faults][rule-7][rule-11][rule-12][rule-13][content-type][host][origin][host-header]") {
  check_faults(http_errors());
}

TEST_CASE(
    "a request that fits no operation, or lacks its header, is answered by a fault",
    "[faults][rule-3][rule-6][rule-7][SOAPAction][deprecated]") {
  check_faults(operation_errors());
}

TEST_CASE(
    "header blocks of WS-Addressing that are malformed are answered by a fault",
    "[faults][rule-7][addressing]") {
  check_faults(addressing_errors());
}

TEST_CASE(
    "a Security block that is not accepted is answered by a fault",
    "[faults][rule-7][security][username-token][timestamp][nonce]") {
  check_faults(token_errors());
}

TEST_CASE(
    "a signature that does not hold, or a second use, is answered by a fault",
    "[faults][rule-7][signatures][replay]") {
  check_faults(signature_errors());
}

TEST_CASE(
    "an exception of a method gets a fault", "[faults][rule-7][x1-soapfault-prop][incident]") {
  check_faults(method_errors());
}

TEST_CASE(
    "a refusal of the host is a fault in the version of the media type",
    "[faults][rule-7][rule-13][timeout][content-type]") {
  check_faults(host_errors());
}

TEST_CASE("each fault text in the header is caused by a row here", "[faults]") {
  std::string heard;
  for (const auto paths :
       {xml_errors,
        limit_errors,
        encoding_errors,
        overload_errors,
        payload_errors,
        row_errors,
        stream_errors,
        part_errors,
        envelope_errors,
        http_errors,
        operation_errors,
        addressing_errors,
        token_errors,
        signature_errors,
        method_errors,
        host_errors})
    heard += heard_from(paths());
  try {
    soapsvc::read_xml<Problem>("<Other/>");
  } catch (const soapsvc::fault& refused) {
    heard += refused.reason();
  }
  heard += heard_of_response("SendResponse</", "Other</");
  heard += heard_of_response(">urn:uuid:", ">urn:other:");
  const std::string text = sections("reading", "description") + sections("dispatch", "http");
  std::size_t sentences = 0;
  for (const char* begins :
       {" fail(",
        "fail_short(",
        "fail_early(",
        "fail_at(",
        "over_limit(",
        "refuse(",
        "refuse_message(",
        "refuse_header_block(",
        "refuse_for_now(",
        " fault(",
        "security_fault(",
        "fault refused(",
        "refuse_parts(",
        "refuse_parts_over(",
        "throw_fault(",
        "refuse_attribute("}) {
    for (std::size_t at = text.find(begins); at != text.npos; at = text.find(begins, at + 1)) {
      for (const std::string& piece : quoted_pieces(text, at + std::strlen(begins))) {
        // Texts that are too short to search for, and texts that only operators get.
        if (piece.size() < 8 || contains(piece, "not a std::exception")) continue;
        INFO("a fault says '" << piece << "', and no row here provokes it");
        CHECK(contains(heard, piece));
        ++sentences;
      }
    }
  }
  CHECK(sentences > 100);
}

TEST_CASE("a fault of the wrong version or structure is not valid", "[faults]") {
  const world w;
  const std::string good = w.ask(version::v1_2, "").body;
  CHECK_FALSE(schema_errors("tests/schemas/soap11-envelope.xsd", {good}).empty());
  for (const char* part : {"<soap12:Value>soap12:Sender</soap12:Value>", " xml:lang=\"en\""}) {
    std::string bad = good;
    bad.erase(bad.find(part), std::strlen(part));
    CHECK_FALSE(schema_errors("tests/schemas/soap12-envelope.xsd", {bad}).empty());
  }
}
