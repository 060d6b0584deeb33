// A request with items or bytes that the method reads one after the other while the request
// arrives.

#include <catch2/catch.hpp>

#include <limits>
#include <random>
#include <string>

#include "../failing_new.hpp"
#include "../net.hpp"
#include "../pieces.hpp"
#include "soapsvc.hpp"

namespace {

struct Row {
  std::int32_t id{};
  std::string text;
  std::vector<std::int32_t> marks{};
  friend bool operator==(const Row&, const Row&) = default;
};

struct Upload {
  std::string name;
  std::optional<std::int32_t> limit;
  soapsvc::stream<Row> rows;
};

struct UploadFile {
  std::string name;
  soapsvc::stream<std::byte> content;
};

struct Plain {
  std::string name;
};
struct Count {
  std::int32_t value{};
};
struct Listing {
  std::string name;
  soapsvc::stream<Row> rows;
};
struct Document {
  std::string name;
  soapsvc::stream<std::byte> content;
};

struct Ticket {
  std::string user;
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Row> =
    record("Row", field("Id", &Row::id), field("Text", &Row::text), field("Mark", &Row::marks));
template <>
inline constexpr auto soapsvc::schema<Upload> = record(
    field("Name", &Upload::name), field("Limit", &Upload::limit), field("Row", &Upload::rows));
template <>
inline constexpr auto soapsvc::schema<UploadFile> =
    record(field("Name", &UploadFile::name), field("Content", &UploadFile::content));
template <> inline constexpr auto soapsvc::schema<Plain> = record(field("Name", &Plain::name));
template <> inline constexpr auto soapsvc::schema<Count> = record(field("Value", &Count::value));
template <>
inline constexpr auto soapsvc::schema<Listing> =
    record(field("Name", &Listing::name), field("Row", &Listing::rows));
template <>
inline constexpr auto soapsvc::schema<Document> =
    record(field("Name", &Document::name), field("Content", &Document::content));
template <>
inline constexpr auto soapsvc::schema<Ticket> = record("Ticket", field("User", &Ticket::user));

namespace {

class Intake {
public:
  std::int64_t upload(const Upload& request, const soapsvc::header_blocks<std::optional<Ticket>>&) {
    taken_rows taken(*this);  // uploads may run concurrently
    if (faults_before-- > 0) throw soapsvc::fault(soapsvc::fault_code::client, "before");
    bool done = request.limit && *request.limit == 0;
    while (!done) {
      std::optional<Row> row = request.rows.next();
      if (!row) break;
      taken.rows.push_back(*std::move(row));
      if (taken.rows.size() == 1) ++begun;
      if (faults_after-- > 0) throw soapsvc::fault(soapsvc::fault_code::client, "after");
      done = request.limit && taken.rows.size() == static_cast<std::size_t>(*request.limit);
    }
    taken.name = request.name;
    return static_cast<std::int64_t>(taken.rows.size());
  }
  std::int64_t upload_file(const UploadFile& request) {
    name = request.name;
    content.clear();
    std::vector<std::byte> room(piece);
    while (const std::size_t got = request.content.read(room))
      content.append(reinterpret_cast<const char*>(room.data()), got);
    return static_cast<std::int64_t>(content.size());
  }
  std::string plain(const Plain& request) { return request.name; }
  /// Keeps the stream, which it must not read later.
  bool keep(const Upload& request) {
    kept = std::move(const_cast<Upload&>(request).rows);
    memory_is_gone = loses_memory;
    return true;
  }
  soapsvc::stream<Row> kept;
  bool loses_memory = false;

  soapsvc::stream<Row> rows_of(const Count& count) {
    if (count.value < 0) throw soapsvc::fault(soapsvc::fault_code::client, "less than none");
    return [at = 0, count = count.value]() mutable -> std::optional<Row> {
      if (at == count) return std::nullopt;
      if (at == 77'777) throw std::runtime_error("the store is gone");
      ++at;
      return Row{at, "the text of a row"};
    };
  }
  soapsvc::stream<std::byte> bytes_of(const Count& count) {
    return [left = count.value](std::span<std::byte> to) mutable {
      const auto size = std::min(to.size(), static_cast<std::size_t>(left));
      std::fill_n(to.begin(), size, std::byte('x'));
      left -= static_cast<std::int32_t>(size);
      return size;
    };
  }
  Listing listing(const Count& count) { return {"all", rows_of(count)}; }
  Document document(const Count& count) { return {"one", bytes_of(count)}; }

  std::mutex mutex;  // of the next two, because uploads may run concurrently
  std::string name;
  std::vector<Row> rows;
  std::atomic<int> begun{0};  // uploads with at least one row read
  std::string content;
  std::size_t piece = 1000;
  std::atomic<int> faults_before{0};  // before an item is read
  std::atomic<int> faults_after{0};  // after the first

private:
  /// Reports the rows that one upload has read, however it ends.
  struct taken_rows {
    explicit taken_rows(Intake& of) : told(of) {}
    ~taken_rows() {
      const std::lock_guard alone(told.mutex);
      told.rows = std::move(rows);
      told.name = name;
    }
    taken_rows(const taken_rows&) = delete;
    taken_rows& operator=(const taken_rows&) = delete;

    Intake& told;
    std::vector<Row> rows;
    std::string name;
  };
};

}  // namespace

template <>
inline constexpr auto soapsvc::schema<Intake> = service(
    "Intake",
    operation("Upload", &Intake::upload),
    operation("UploadFile", &Intake::upload_file),
    operation("Plain", &Intake::plain),
    operation("Keep", &Intake::keep),
    operation("RowsOf", &Intake::rows_of),
    operation("BytesOf", &Intake::bytes_of),
    operation("Listing", &Intake::listing),
    operation("Document", &Intake::document));

namespace {

constexpr const char* path = "/soap/v3/Intake.asmx";

std::string envelope(const std::string& body, const std::string& header = "") {
  return "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'>" + header + "<s:Body>" +
         body + "</s:Body></s:Envelope>";
}
std::string upload(const std::string& inside) {
  return envelope("<Upload xmlns='urn:x/Intake'>" + inside + "</Upload>");
}
std::string row(int id, const std::string& text = "t") {
  return "<Row><Id>" + std::to_string(id) + "</Id><Text>" + text + "</Text></Row>";
}

/// The whole text at once, or from a source with pieces of this size.
soapsvc::http_response post_to(
    const soapsvc::dispatcher& services,
    std::string_view target,
    std::string_view text,
    std::size_t size = 0) {
  const std::vector<soapsvc::http_header> headers{{"Content-Type", "text/xml"}};
  soapsvc::http_request request;
  request.target = target;
  request.headers = headers;
  if (size == 0) {
    request.body = text;
    return services.handle(request);
  }
  const soapsvc::byte_source rest = in_pieces(text, size);
  request.rest_of_body = &rest;
  return services.handle(request);
}

struct fixture {
  Intake service;
  soapsvc::dispatcher services{{.ns_base = "urn:x"}};
  fixture() { services.add(service); }

  soapsvc::http_response post(std::string_view text, std::size_t size = 0) {
    return post_to(services, path, text, size);
  }
  /// The same by all ways.
  std::string reason(const std::string& text) {
    const std::string whole = post(text).body;
    for (const std::size_t size : std::initializer_list<std::size_t>{1, 7, 100, 100'000})
      CHECK(post(text, size).body == whole);
    const std::size_t begin = whole.find("<faultstring>");
    if (begin == whole.npos) return whole;
    return whole.substr(begin + 13, whole.find("</faultstring>") - begin - 13);
  }
};

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("the method gets the items of a request one after the other", "[streams]") {
  fixture f;
  const std::string text =
      upload("<Name>n</Name>\n" + row(1) + " <!-- x -->" + row(2, "&lt;") + row(3) + "\n");
  for (const std::size_t size : std::initializer_list<std::size_t>{0, 1, 5, 64, 100'000}) {
    CHECK_THAT(f.post(text, size).body, Contains("<UploadResult>3</UploadResult>"));
    CHECK(f.service.name == "n");
    CHECK(f.service.rows == std::vector<Row>{{1, "t"}, {2, "<"}, {3, "t"}});
  }
}

TEST_CASE("a stream may be empty, and other operations work as usual", "[streams]") {
  fixture f;
  CHECK_THAT(f.reason(upload("<Name>n</Name>")), Contains("<UploadResult>0</UploadResult>"));
  CHECK_THAT(
      f.reason(envelope("<Plain xmlns='urn:x/Intake'><Name>p</Name></Plain>")),
      Contains("<PlainResult>p</PlainResult>"));
  CHECK_THAT(f.reason(envelope("<Nope xmlns='urn:x/Intake'/>")), Contains("is not an operation"));
  CHECK_THAT(f.reason(envelope("")), Contains("Body: is empty"));
  CHECK_THAT(f.reason("<a/>"), Contains("the root element is 'a'"));
}

TEST_CASE("a stream that is kept after the call has no items", "[streams]") {
  fixture f;
  const std::string text =
      envelope("<Keep xmlns='urn:x/Intake'><Name>n</Name>" + row(1) + row(2) + "</Keep>");
  CHECK_THAT(f.post(text).body, Contains("<KeepResult>true</KeepResult>"));
  CHECK_THROWS_AS(f.service.kept.next(), std::logic_error);
  f.service.loses_memory = true;  // not even for a fault
  try {
    f.post(text);
  } catch (const std::bad_alloc&) {
    // nor is it promised that there is an answer
  }
  memory_is_gone = false;  // before Catch needs some
  CHECK_THROWS_AS(f.service.kept.next(), std::logic_error);
}

TEST_CASE("a response without memory for its headers has no stream behind it", "[streams]") {
  soapsvc::dispatcher_options options{.ns_base = "urn:x"};
  options.interceptors.push_back([](soapsvc::intercepted_call& call) {
    call.context().set_response_header("X-Rows", "many");
    call.proceed();
  });
  options.on_error = [](const soapsvc::error_report&) {};
  Intake service;
  soapsvc::dispatcher services(std::move(options));
  services.add(service);
  const std::string text = envelope("<RowsOf xmlns='urn:x/Intake'><Value>20000</Value></RowsOf>");
  const soapsvc::http_header type{"Content-Type", "text/xml"};
  soapsvc::http_request request;
  request.target = path;
  request.headers = std::span(&type, 1);
  request.body = text;
  request.accepts_chunks = true;
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  std::size_t allocations = 0;
  for (int turn = 0; turn != 3; ++turn) {  // the first ones fill the thread's caches
    soapsvc::http_response response;
    good_allocations = all;
    services.handle(request, response);
    allocations = all - good_allocations;
    CHECK(response.status == 200);
    CHECK((response.next_chunk != nullptr));
  }
  if (!allocations_fail) return;
  soapsvc::http_response response;
  good_allocations = allocations - 1;  // the last one is for the headers
  services.handle(request, response);
  good_allocations = all;
  CHECK(response.status == 500);
  CHECK((response.next_chunk == nullptr));
}

// --- A stream and a std::vector -----------------------------------------------------------------
// Each message, to one operation with a stream of items and one with a vector.

namespace {

struct Base {
  std::int32_t id{};
};
struct Derived : Base {
  std::string text;
};

template <class Items> struct Batch {
  std::string name;
  Items items;
};

}  // namespace

template <> inline constexpr auto soapsvc::schema<Base> = record("Base", field("Id", &Base::id));
template <>
inline constexpr auto soapsvc::schema<Derived> =
    record("Derived", extends<Base>(), field("Text", &Derived::text));
template <> inline constexpr auto soapsvc::known_types<Base> = soapsvc::types<Derived>();
template <class Items>
inline constexpr auto soapsvc::schema<Batch<Items>> =
    record(field("Name", &Batch<Items>::name), field("Item", &Batch<Items>::items));

namespace {

std::string shown(const std::string& item) { return '"' + item + '"'; }
std::string shown(std::int32_t item) { return std::to_string(item); }
std::string shown(const soapsvc::xml& item) { return std::string(item.text()); }
std::string shown(const Row& item) { return std::to_string(item.id) + ':' + item.text; }
std::string shown(const soapsvc::polymorphic<Base>& item) {
  const auto* const more = item.get_if<Derived>();
  return std::to_string(item->id) + (more ? ':' + more->text : "");
}
template <class T> std::string shown(const soapsvc::nillable<T>& item) {
  return item ? shown(*item) : "nil";
}

template <class Items> class Batches {
public:
  std::string take(const Batch<Items>& batch) {
    std::string all;
    if constexpr (requires { batch.items.next(); })
      while (const auto item = batch.items.next())
        all += shown(*item) + ' ';
    else
      for (const auto& item : batch.items)
        all += shown(item) + ' ';
    return all;
  }
};

}  // namespace

template <class Items>
inline constexpr auto soapsvc::schema<Batches<Items>> =
    service("Batches", operation("Take", &Batches<Items>::take));

namespace {

template <class Items> std::string answer_of(std::string_view message, std::size_t size) {
  Batches<Items> service;
  soapsvc::dispatcher services({.ns_base = "urn:x"});
  services.add(service);
  std::string text = post_to(services, "/soap/v3/Batches.asmx", message, size).body;
  // If only one item is allowed, a stream cannot know that no other one follows.
  if (const std::size_t at = text.find("Item[1]"); at != text.npos) text.erase(at + 4, 3);
  return text;
}

template <class T> void compare(const std::vector<std::string>& items) {
  for (const std::string& each : items)
    // A message that is refused with valid items; otherwise the order of checks matters.
    for (const char* const top : {"", " id='1'", " xsi:nil='0'", " xml:lang='en'", " a='b'"}) {
      if (top == std::string(" a='b'") && each != items[3]) continue;
      const std::string message = envelope(
          "<Take xmlns='urn:x/Batches' xmlns:t='urn:x/Batches' xmlns:xs='http://www.w3.org/"
          "2001/XMLSchema' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'" +
          std::string(top) + "><Name>n</Name>" + each + "</Take>");
      INFO(message);
      const std::string whole = answer_of<std::vector<T>>(message, 0);
      CHECK(answer_of<soapsvc::stream<T>>(message, 0) == whole);
      CHECK(answer_of<soapsvc::stream<T>>(message, 50) == whole);
    }
}

/// `good` and `other` are contents of an item.
std::vector<std::string> batches(const std::string& good, const std::string& other) {
  const auto item = [](const std::string& inside, const std::string& attributes = "") {
    return "<Item" + attributes + '>' + inside + "</Item>";
  };
  const std::string nil = "<Item xsi:nil='true'/>", one = item(good), two = item(other);
  std::vector<std::string> all{
      "",
      " \n ",
      "text",
      one,
      one + two,
      one + " \n<!-- x -->\n" + two + ' ',
      one + "text" + two,
      one + two + "text",
      one + one + two + two,
      one + one + one + one + one,
      nil,
      nil + one,
      one + nil + two,
      one + one + nil + one,
      one + one + nil + one + one,
      one + one + one + one + nil,
      one + nil + item("<Wrong/>"),
      "<Item/>",
      one + "<Item></Item>" + two,
      item(good, " xsi:nil='false'"),
      item(good, " xsi:nil='true'"),
      item(good, " xsi:nil='yes'"),
      one + item("<Wrong/>") + two,
      item("x" + good),
      one + "<Unknown/>" + two,
      one + "<Unknown xmlns=''/>",
      one + "<f:Foreign xmlns:f='urn:f'><a/></f:Foreign>" + two,
      one + "<Item xmlns=''>" + good + "</Item>",
      one + "<Item xmlns='urn:f'>" + good + "</Item>"};
  for (const char* const attribute :
       {"a='b'",
        "t:a='b'",
        "id='1'",
        "href='#1'",
        "xml:lang='en'",
        "xsi:type='t:Row'",
        "xsi:type='t:Base'",
        "xsi:type='t:Derived'",
        "xsi:type='xs:string'",
        "xsi:type='xs:int'",
        "xsi:type='Row'",
        "xsi:type=':Row'",
        "xsi:type='u:Row'",
        "xsi:schemaLocation='a b'"}) {
    all.push_back(one + item(other, std::string(" ") + attribute));
    all.push_back(one + item("", std::string(" xsi:nil='1' ") + attribute));
  }
  return all;
}

}  // namespace

TEST_CASE(
    "a stream is read as a std::vector is",
    "[streams][x1-bindfw-streaming][x2-bindformdesc-stream]") {
  const std::string number = "<Id>1</Id>", text = "<Text>t</Text>";
  compare<Row>(batches(number + text, text + number));
  compare<soapsvc::nillable<Row>>(batches(number + text, text + number));
  compare<std::int32_t>(batches("1", " +2 "));
  compare<soapsvc::nillable<std::int32_t>>(batches("1", " +2 "));
  compare<std::string>(batches("a", " b "));
  compare<soapsvc::nillable<std::string>>(batches("a", ""));
  compare<soapsvc::xml>(batches("<a/>", "t:a"));
  compare<soapsvc::nillable<soapsvc::xml>>(batches("<a/>", "t:a"));
  compare<soapsvc::polymorphic<Base>>(batches(number, number));
}

TEST_CASE("an error in a stream is an exception where the method waits", "[streams]") {
  fixture f;
  const std::string begin = "<Name>n</Name>" + row(1);
  CHECK_THAT(f.reason(upload(row(1))), Contains("Upload/Name: is missing"));
  CHECK_THAT(
      f.reason(upload(begin + "<Row><Id>x</Id><Text/></Row>")),
      Contains("Upload/Row[2]/Id: 'x' is not"));
  CHECK_THAT(f.reason(upload(begin + "<Row><Id>1</Id></Row>")), Contains("Upload/Row[2]/Text: is"));
  CHECK_THAT(
      f.reason(upload(begin + "<Limit>1</Limit>")),
      Contains("Upload/Limit: comes too late: it must stand before Row"));
  CHECK_THAT(f.reason(upload(begin + "<Other/>")), Contains("the element 'Other' is not known"));
  CHECK_THAT(f.reason(upload(begin + "text")), Contains("Upload: holds text"));
  CHECK_THAT(f.reason(upload(begin + "text" + row(2))), Contains("Upload: holds text"));
  CHECK_THAT(
      f.reason(upload(begin + "<o:x xmlns:o='urn:o'/>" + row(2))),
      Contains("<UploadResult>2</UploadResult>"));
  CHECK_THAT(f.reason(upload(begin + "<Row>")), Contains("not well-formed"));
  CHECK_THAT(
      f.reason(upload(begin + " ").substr(0, upload(begin).find("</Upload>") + 1)),
      Contains("the message ends before"));
  CHECK_THAT(f.reason(upload(begin) + "x"), Contains("content after the root element"));
  CHECK_THAT(
      f.reason(envelope(
          "<Upload xmlns='urn:x/Intake'>" + begin + "</Upload><Upload xmlns='urn:x/Intake'/>")),
      Contains("Body: the element 'Upload' is one too many"));
}

TEST_CASE("the limits on a message are on each item", "[streams][limits]") {
  Intake service;
  net::host_setup options{{.ns_base = "urn:x"}};
  options.limits.max_elements = 100;
  options.limits.max_depth = 6;
  soapsvc::dispatcher services(std::move(options));
  services.add(service);
  const auto post = [&](const std::string& inside) {
    return post_to(services, path, upload("<Name>n</Name>" + inside)).body;
  };
  std::string rows;
  for (int id = 0; id != 300; ++id)
    rows += row(id);
  CHECK_THAT(post(rows), Contains(">300</"));
  std::string inside;
  for (int id = 0; id != 100; ++id)
    inside += "<x/>";
  CHECK_THAT(post(rows + "<Row>" + inside + "</Row>"), Contains("limit max_elements"));
  CHECK_THAT(post(rows + "<Row><a><b><c/></b></a></Row>"), Contains("limit max_depth"));
  // The bytes of their lists as well: 200 for each of 300 rows, and 12,800 are allowed.
  std::string marked = "<Row><Id>1</Id><Text/>";
  for (int mark = 0; mark != 50; ++mark)
    marked += "<Mark>1</Mark>";
  marked += "</Row>";
  std::string many;
  for (int each = 0; each != 300; ++each)
    many += marked;
  CHECK_THAT(post(many), Contains(">300</"));
}

TEST_CASE("an operation with a stream has its own limit of bytes", "[streams][limits]") {
  Intake service;
  soapsvc::dispatcher services{{.ns_base = "urn:x"}};
  soapsvc::service_options options{.path = path};  // clang++ 14 reads three members as a string
  options.limits = soapsvc::message_limits{.max_body_bytes = 20'000};
  options.operations = {
      {.name = "Upload", .max_body_bytes = 4'000}, {.name = "Plain", .max_body_bytes = 90'000}};
  services.add(service, std::move(options));
  for (const std::size_t piece : {0U, 100U, 100'000U}) {
    const auto post = [&](std::size_t name, std::size_t item) {
      const std::string text = upload(
          "<Name>" + std::string(name, 'n') + "</Name>" + row(1) + "<Row><Id>2</Id><Text>" +
          std::string(item, 't') + "</Text></Row>");
      return post_to(services, path, text, piece).body;
    };
    CHECK_THAT(post(3'000, 3'000), Contains("<UploadResult>2</UploadResult>"));
    for (const std::size_t size : {5'000U, 30'000U, 80'000U}) {
      CHECK_THAT(post(size, 10), Contains("limit max_body_bytes"));
      CHECK_THAT(post(10, size), Contains("limit max_body_bytes"));
    }
  }
}

TEST_CASE("header blocks are checked before the first item", "[streams]") {
  fixture f;
  const std::string text = envelope(
      "<Upload xmlns='urn:x/Intake'><Name>n</Name>" + row(1) + "</Upload>",
      "<s:Header><x xmlns='urn:other' s:mustUnderstand='1'/></s:Header>");
  CHECK_THAT(f.reason(text), Contains("must be understood"));
  CHECK(f.service.rows.empty());
}

TEST_CASE("the method gets the bytes of a request in pieces", "[streams]") {
  fixture f;
  std::mt19937 random(1);
  for (std::size_t size = 0; size != 70; ++size) {
    soapsvc::binary sent;
    for (std::size_t i = 0; i != size; ++i)
      sent.bytes.push_back(static_cast<std::uint8_t>(random()));
    std::string coded;
    soapsvc::detail::to_text(coded, sent);
    for (std::size_t at = 5; at < coded.size(); at += 17)
      coded.insert(at, std::array{"\r\n", " ", "<!-- -->", "\n"}[at % 4]);
    const std::string text = envelope(
        "<UploadFile xmlns='urn:x/Intake'><Name>f</Name><Content>" + coded +
        "</Content></UploadFile>");
    f.service.piece = 1 + size % 11;
    for (const std::size_t step : std::initializer_list<std::size_t>{0, 1, 3, 50}) {
      INFO(text);
      const std::string response = f.post(text, step).body;
      REQUIRE_THAT(response, Contains("Result>" + std::to_string(size) + "</"));
      REQUIRE(f.service.content == std::string(sent.bytes.begin(), sent.bytes.end()));
    }
  }
}

TEST_CASE("invalid bytes are refused like those of a whole message", "[streams]") {
  fixture f;
  const auto told = [&](const std::string& content, const std::string& behind = "") {
    return f.reason(envelope(
        "<UploadFile xmlns='urn:x/Intake'><Name>f</Name>" + content + behind + "</UploadFile>"));
  };
  for (const char* const bad :
       {"A",
        "AA",
        "AAA",
        "A===",
        "AB==",
        "AAB=",
        "AA=A",
        "AA==A",
        "A*AA",
        "=",
        "==",
        "AAAA=",
        "AAA=AAAA",
        "\xC3\xA9",
        "]]",
        "AAAA&lt;"}) {
    INFO(bad);
    soapsvc::binary read;
    CHECK_FALSE(soapsvc::detail::from_text(bad, read));
    CHECK_THAT(told("<Content>" + std::string(bad) + "</Content>"), Contains("UploadFile/Content"));
  }
  for (const char* const good :
       {"",
        " ",
        "AAAA",
        "QQ==",
        "QUI=",
        "Q U I = ",
        "&#x41;AAA",
        "<![CDATA[QUI=]]>",
        "Q<!-- -->UI="}) {
    INFO(good);
    CHECK_THAT(told("<Content>" + std::string(good) + "</Content>"), Contains("UploadFileResult>"));
  }
  CHECK_THAT(told("<Content><x/></Content>"), Contains("UploadFile/Content"));
  CHECK_THAT(told(""), Contains("UploadFile/Content: is missing"));
  CHECK_THAT(told("<Content>AAAA</Content>", "<Content/>"), Contains("only once"));
  CHECK_THAT(told("<Content>AAAA</Content>", "<Name>x</Name>"), Contains("comes too late"));
  CHECK_THAT(
      told("<Content xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='true'/>"),
      Contains("nil"));
}

TEST_CASE("an interceptor may repeat a call until items were read", "[streams]") {
  Intake service;
  int calls = 0;
  net::host_setup options{{.ns_base = "urn:x"}};
  std::vector<std::string> incidents;
  std::vector<std::string> messages;
  options.on_error = [&](const soapsvc::error_report& error) {
    incidents.emplace_back(error.what);
  };
  options.on_message = [&](const soapsvc::message_report& message) {
    messages.emplace_back(message.request);
  };
  options.interceptors.push_back([&](soapsvc::intercepted_call& call) {
    ++calls;
    try {
      call.proceed();
    } catch (const soapsvc::fault&) {
      call.proceed();
    }
  });
  soapsvc::dispatcher services(std::move(options));
  services.add(service);
  const std::vector<soapsvc::http_header> headers{{"Content-Type", "text/xml"}};
  soapsvc::http_request request;
  request.target = path;
  request.headers = headers;
  const std::string text = upload("<Name>n</Name>" + row(1) + row(2));
  request.body = text;
  service.faults_before = 1;
  CHECK_THAT(services.handle(request).body, Contains(">2</"));
  CHECK(service.rows.size() == 2);
  service.faults_after = 1;
  CHECK_THAT(services.handle(request).body, Contains("Incident"));
  REQUIRE(incidents.size() == 1);
  CHECK_THAT(incidents.front(), Contains("items of the request's stream were taken"));
  CHECK(calls == 2);
  CHECK(messages.front() == "(" + std::to_string(text.size()) + " bytes)");
}

// --- Over sockets --------------------------------------------------------------------------------

namespace {

using namespace std::chrono_literals;

class host_fixture {
public:
  explicit host_fixture(net::host_setup options = net::quick_options())
      : host(with_log(options), options.server) {
    host.add(service);
    port = host.bind({"127.0.0.1", 0});
    thread_ = std::thread([this] { host.serve(); });
  }
  ~host_fixture() {
    host.stop();
    thread_.join();
  }

  Intake service;
  std::mutex mutex;
  std::vector<std::string> log;  // of calls: operation, status, bytes_in
  soapsvc::host host;
  int port = 0;

  std::vector<std::string> told() {
    const std::lock_guard lock(mutex);
    return log;
  }

private:
  net::host_setup with_log(net::host_setup options) {
    options.ns_base = "urn:x";
    options.on_call = [this](const soapsvc::call_report& report) {
      const std::lock_guard lock(mutex);
      log.push_back(
          std::string(report.operation) + ' ' + std::to_string(report.http_status) + ' ' +
          std::to_string(report.bytes_in));
    };
    return options;
  }
  std::thread thread_;
};

std::string head(const std::string& fields) {
  return "POST /soap/v3/Intake.asmx HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n" + fields +
         "\r\n";
}
std::string with_length(const std::string& body, const std::string& fields = "") {
  return head(fields + "Content-Length: " + std::to_string(body.size()) + "\r\n") + body;
}
std::string in_chunks(const std::string& body, std::size_t size, const std::string& fields = "") {
  std::string all = head(fields + "Transfer-Encoding: chunked\r\n");
  for (std::size_t at = 0; at < body.size(); at += size)
    all += net::chunk(body.substr(at, size));
  return all + "0\r\n\r\n";
}
std::string many_rows(int count) {
  std::string inside = "<Name>n</Name>";
  for (int id = 0; id != count; ++id)
    inside += row(id, "some text of a row, which has more than one word");
  return upload(inside);
}
constexpr int many = 20'000;
const std::string plain_call =
    with_length(envelope("<Plain xmlns='urn:x/Intake'><Name>behind</Name></Plain>"));

void check_uploaded(host_fixture& server, const net::response& response) {
  CHECK(response.status == 200);
  CHECK(response.holds(">20000</"));
  const std::lock_guard alone(server.service.mutex);
  REQUIRE(server.service.rows.size() == many);
  CHECK(server.service.rows.back().id == many - 1);
}

}  // namespace

TEST_CASE(
    "a long request is read while it arrives, and the connection continues",
    "[streams][keep-alive]") {
  host_fixture server;
  const std::string body = many_rows(many);
  const std::string members =
      net::gzipped(body.substr(0, 100'000)) + net::gzipped("") + net::gzipped(body.substr(100'000));
  for (const std::string& request :
       {with_length(body),
        in_chunks(body, 1'000),
        in_chunks(body, 70'000),
        with_length(net::gzipped(body), "Content-Encoding: gzip\r\n"),
        in_chunks(net::gzipped(body), 999, "Content-Encoding: gzip\r\n"),
        in_chunks(members, 999, "Content-Encoding: gzip\r\n")}) {
    net::client caller(server.port);
    std::thread sending([&] { caller.send(request + plain_call); });
    check_uploaded(server, caller.read());
    CHECK(caller.read().holds("behind"));
    sending.join();
  }
  CHECK(server.told().front() == "Upload 200 " + std::to_string(body.size()));
}

// A worker read it, and read it again each time its size had doubled.
TEST_CASE(
    "a message that names its operation late is received as a whole", "[streams][limits][gzip]") {
  net::host_setup options = net::quick_options();
  options.limits.max_body_bytes = 300'000;
  host_fixture server(std::move(options));
  for (const std::size_t before : {50'000U, 70'000U})
    for (const bool packed : {false, true}) {
      std::string body = many_rows(many);
      std::string noise(200'000, 'x');  // so that much is left when it is packed
      std::minstd_rand random(1);
      for (char& each : noise)
        each = static_cast<char>('a' + random() % 26);
      body.insert(body.rfind("</"), "<!--" + noise + "-->");
      body.insert(body.rfind('<', body.find("Body>")), "<!--" + std::string(before, 'x') + "-->");
      const std::string request =
          packed ? with_length(net::gzipped(body), "Content-Encoding: gzip\r\n")
                 : with_length(body);
      net::client caller(server.port);
      std::thread sending([&] { caller.try_send(request); });
      const net::response response = caller.read();
      CHECK(response.status == (before < 65'536 ? 200 : 413));
      sending.join();
    }
}

TEST_CASE("a long request is read over TLS", "[streams]") {
  const net::scratch_folder folder;
  net::host_setup options = net::quick_options();
  options.server.tls.certificate_file = folder.file("cert.pem");
  net::identity("h").write(options.server.tls.certificate_file);
  host_fixture server(std::move(options));
  const std::string body = many_rows(many);
  net::tls_client caller(server.port);
  const std::string request = with_length(body);
  for (std::size_t at = 0, size = 16'000; at < request.size(); at += size)
    caller.send(std::string_view(request).substr(at, size));
  check_uploaded(server, caller.read());
  CHECK(caller.ask(plain_call).holds("behind"));
}

TEST_CASE("endless key updates are no progress of a stream", "[streams][tls][timeout]") {
  const net::scratch_folder folder;
  net::host_setup options = net::quick_options();
  options.server.tls.certificate_file = folder.file("cert.pem");
  options.server.timeouts.read = 500ms;
  net::identity("h").write(options.server.tls.certificate_file);
  host_fixture server(std::move(options));
  net::tls_client caller(server.port);
  const std::string request = with_length(many_rows(many)).substr(0, 300'000);
  for (std::size_t at = 0, size = 15'000; at < request.size(); at += size)
    caller.send(std::string_view(request).substr(at, size));
  const auto end = std::chrono::steady_clock::now() + 30s;  // a bound, not a measure
  bool open = true;
  try {
    while (std::chrono::steady_clock::now() < end && open)
      open = caller.update_key();
  } catch (const std::exception&) {
    open = false;
  }
  CHECK_FALSE(open);
}

TEST_CASE(
    "a stream has timeouts.request for each max_body_bytes, whatever its rate",
    "[streams][timeout]") {
  net::host_setup options = net::quick_options();
  options.server.timeouts.read = 500ms;
  options.server.timeouts.min_bytes_per_second = 1;
  options.server.timeouts.request = 1s;
  options.limits.max_body_bytes = 100'000;
  host_fixture server(std::move(options));
  const std::string all = in_chunks(many_rows(many), 1'000);
  net::client dripping(server.port);
  dripping.send(all.substr(0, 300'000));
  std::size_t turn = 0;
  while (dripping.is_quiet(20ms) && turn != 400)
    dripping.send(all.substr(300'000 + turn++, 1));
  CHECK(turn > 5);
  CHECK(turn != 400);
  CHECK(dripping.read().status == 408);

  // Three seconds, but less than one for each max_body_bytes.
  net::client steady(server.port);
  const std::size_t piece = all.size() / 60 + 1;
  for (std::size_t at = 0; at < all.size(); at += piece) {
    steady.send(all.substr(at, piece));
    std::this_thread::sleep_for(50ms);
  }
  check_uploaded(server, steady.read());
}

TEST_CASE("a request that stops is an exception where the method waits", "[streams]") {
  net::host_setup options = net::quick_options();
  options.server.timeouts.read = 300ms;
  host_fixture server(std::move(options));
  const std::string all = in_chunks(many_rows(many), 1'000);
  net::client caller(server.port);
  caller.send(all.substr(0, 300'000));
  const net::response late = caller.read();
  CHECK(late.status == 408);
  CHECK(late.holds("did not arrive in time"));
  CHECK(late.closes());

  net::client gone(server.port);
  gone.send(all.substr(0, 300'000)).half_close();
  const net::response ended = gone.read();
  CHECK(ended.holds("ended before it was complete"));
  CHECK(ended.closes());
  CHECK(net::ask(server.port, plain_call).status == 200);
}

TEST_CASE(
    "a method may leave the rest unread, and the host reads it or closes the connection",
    "[streams]") {
  host_fixture server;
  const std::string rows = many_rows(2'000);
  const std::size_t at = rows.find("<Row>");
  const std::string some = rows.substr(0, at) + "<Limit>3</Limit>" + rows.substr(at);
  net::client caller(server.port);
  std::thread sending([&] { caller.send(with_length(some)); });
  const net::response response = caller.read();
  sending.join();
  CHECK(response.holds(">3</"));

  const std::string lots = many_rows(100'000);
  net::client second(server.port);
  std::thread more([&] {
    second.try_send(with_length(lots.substr(0, at) + "<Limit>3</Limit>" + lots.substr(at)));
  });
  try {
    const net::response closed = second.read();
    CHECK(closed.holds(">3</"));
    CHECK(closed.closes());
  } catch (const std::exception&) {  // the reset that answers later bytes came first
  }
  more.join();
  CHECK(net::ask(server.port, plain_call).status == 200);
}

TEST_CASE("other operations of a service with streams have the usual bound", "[streams][limits]") {
  net::host_setup options = net::quick_options();
  options.limits.max_body_bytes = 200'000;
  host_fixture server(std::move(options));
  const std::string text(150'000, 'x');
  const auto plain = [](const std::string& name) {
    return envelope("<Plain xmlns='urn:x/Intake'><Name>" + name + "</Name></Plain>");
  };
  CHECK(net::ask(server.port, with_length(plain(text))).holds(text));
  CHECK(net::ask(server.port, in_chunks(plain(text), 5'000)).holds(text));
  for (const std::string& request :
       {with_length(plain(text + text)), in_chunks(plain(text + text), 5'000)}) {
    net::client caller(server.port);
    caller.try_send(request);
    CHECK(caller.read().status == 413);
  }
  // It also bounds one item, but not all of them.
  net::client caller(server.port);
  std::thread sending([&] { caller.send(with_length(many_rows(many))); });
  check_uploaded(server, caller.read());
  sending.join();
  const net::response large =
      net::ask(server.port, with_length(upload("<Name>n</Name>" + row(1, text + text)) + text));
  CHECK(large.holds("limit max_body_bytes"));
}

TEST_CASE("the bytes of a stream are bounded", "[streams][limits]") {
  net::host_setup options = net::quick_options();
  options.limits.max_stream_bytes = 500'000;
  host_fixture server(std::move(options));
  for (const std::string& request :
       {with_length(many_rows(many)),
        in_chunks(many_rows(many), 5'000),
        in_chunks(net::gzipped(many_rows(many)), 5'000, "Content-Encoding: gzip\r\n")}) {
    net::client caller(server.port);
    caller.try_send(request);
    const net::response response = caller.read();
    CHECK(response.status == 413);
    CHECK(response.holds("(limit max_stream_bytes)"));
  }
}

TEST_CASE("a malformed late item is reported, after header blocks", "[streams]") {
  host_fixture server;
  std::string body = many_rows(many);
  body.replace(body.size() - 200, 1, "<");
  net::client caller(server.port);
  std::thread sending([&] { caller.try_send(with_length(body)); });
  const net::response response = caller.read();
  sending.join();
  CHECK(response.holds("not well-formed"));
  CHECK(server.service.rows.size() > 19'000);

  std::string refused = many_rows(many);
  refused.insert(
      refused.find("<s:Body>"), "<s:Header><x xmlns='urn:other' s:mustUnderstand='1'/></s:Header>");
  server.service.rows.clear();
  net::client second(server.port);
  std::thread more([&] { second.try_send(with_length(refused)); });
  try {
    CHECK(second.read().holds("must be understood"));
  } catch (const std::exception&) {  // as above
  }
  more.join();
  CHECK(server.service.rows.empty());
}

TEST_CASE("a slow stream does not block other calls", "[streams]") {
  net::host_setup options = net::quick_options();
  options.server.threads = 1;
  host_fixture server(std::move(options));
  const std::string all = with_length(many_rows(many));
  std::list<net::client> slow;
  for (int index = 0; index != 3; ++index)
    slow.emplace_back(server.port).send(all.substr(0, 200'000));
  std::this_thread::sleep_for(200ms);
  for (int turn = 0; turn != 20; ++turn)
    CHECK(net::ask(server.port, plain_call).status == 200);
  CHECK(server.told().size() == 20);
}

TEST_CASE("long requests of one address leave executor threads to others", "[streams]") {
  net::host_setup options = net::quick_options();
  options.server.threads = 1;
  options.server.limits.max_executor_threads = 3;  // three of four may wait
  host_fixture server(std::move(options));
  const std::string all = with_length(many_rows(many));
  std::list<net::client> slow;
  for (int index = 0; index != 2; ++index) {
    slow.emplace_back(server.port).send(all.substr(0, 200'000));
    REQUIRE(net::eventually([&] { return server.service.begun == index + 1; }));
  }  // they wait when the only running worker reaches the next one
  net::client third(server.port);
  third.try_send(all.substr(0, 200'000));
  const net::response refused = third.read();
  CHECK(refused.status == 503);
  CHECK(refused.holds("too many long requests of this address"));
  CHECK(refused.field("retry-after") == "1");
  CHECK(refused.closes());
  net::client other(server.port, 0, 2);
  std::thread sending([&] { other.try_send(all); });
  check_uploaded(server, other.read());
  sending.join();
}

TEST_CASE("a method that throws midway is answered at once", "[streams]") {
  host_fixture server;
  server.service.faults_after = 1;
  const std::string body = many_rows(2'000);
  net::client caller(server.port);
  std::thread sending([&] { caller.try_send(in_chunks(body, 1'000) + plain_call); });
  CHECK(caller.read().holds("after"));
  sending.join();
  CHECK(net::ask(server.port, plain_call).status == 200);
}

TEST_CASE(
    "a caller with Expect gets 100 Continue, and may send the smallest chunks",
    "[streams][chunked][expect-continue]") {
  host_fixture server;
  const std::string all = in_chunks(many_rows(1'500), 1, "Expect: 100-continue\r\n");
  const std::size_t end = all.find("\r\n\r\n") + 4;
  net::client caller(server.port);
  caller.send(std::string_view(all).substr(0, end));
  CHECK(caller.receive() == "HTTP/1.1 100 Continue\r\n\r\n");
  std::thread sending([&] { caller.send(std::string_view(all).substr(end)); });
  CHECK(caller.read().holds(">1500</"));
  sending.join();
  CHECK(caller.ask(plain_call).holds("behind"));
}

TEST_CASE(
    "a message in another encoding is received as a whole, and read like others",
    "[streams][encoding]") {
  host_fixture server;
  std::string wide = "\xff\xfe";
  for (const char c : many_rows(1'000))
    wide.append({c, '\0'});
  CHECK(net::ask(server.port, with_length(wide)).holds(">1000</"));
  std::string latin = many_rows(1'000);
  latin.insert(latin.find("some text"), "\xE9");
  latin.insert(0, "<?xml version='1.0' encoding='iso-8859-1'?>");
  CHECK(net::ask(server.port, in_chunks(latin, 10'000)).holds(">1000</"));
  CHECK(server.service.rows.front().text.starts_with("\xC3\xA9some"));
}

TEST_CASE("a host that stops does not wait for a stream without progress", "[streams][shutdown]") {
  net::host_setup options = net::quick_options();
  options.server.timeouts.stop = 300ms;
  options.server.timeouts.read = 600s;
  auto server = std::make_unique<host_fixture>(std::move(options));
  net::client caller(server->port);
  caller.send(with_length(many_rows(many)).substr(0, 300'000));
  std::this_thread::sleep_for(100ms);
  const auto begun = std::chrono::steady_clock::now();
  server.reset();
  CHECK(std::chrono::steady_clock::now() - begun < 60s);
}

// --- The client ----------------------------------------------------------------------------------

namespace {

std::string url_of(int port, const std::string& scheme = "http") {
  return scheme + "://127.0.0.1:" + std::to_string(port) + path;
}

/// All items, which are numbered from 1.
int count_of(const soapsvc::stream<Row>& rows) {
  int count = 0;
  while (const std::optional<Row> each = rows.next())
    if (each->id != ++count) return -1;
  return count;
}
std::size_t size_of(const soapsvc::stream<std::byte>& bytes) {
  std::vector<std::byte> room(10'000);
  std::size_t size = 0;
  while (const std::size_t got = bytes.read(room)) {
    size += got;
    if (std::count(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got), std::byte('x')) !=
        static_cast<std::ptrdiff_t>(got))
      return 0;
  }
  return size;
}

/// Answers one call with exact bytes, and closes the connection.
class one_response {
public:
  explicit one_response(std::string bytes)
      : listening_(soapsvc::detail::listen_tcp("127.0.0.1", 0, 4)) {
    port = soapsvc::detail::local_address(listening_.get()).port;
    thread_ = std::thread([this, bytes = std::move(bytes)] {
      pollfd at{listening_.get(), POLLIN, 0};
      if (::poll(&at, 1, 10'000) != 1) return;
      const soapsvc::detail::descriptor peer(::accept(listening_.get(), nullptr, nullptr));
      std::string got;
      char piece[4'096];
      while (got.find("</s:Envelope>") == got.npos && got.find(":Envelope>\0") == got.npos &&
             got.find("Envelope>", got.find("Body>") + 5) == got.npos) {
        const ssize_t size = ::recv(peer.get(), piece, sizeof piece, 0);
        if (size <= 0) return;
        got.append(piece, static_cast<std::size_t>(size));
      }
      for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t size =
            ::send(peer.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (size <= 0) return;
        sent += static_cast<std::size_t>(size);
      }
    });
  }
  ~one_response() { thread_.join(); }
  int port = 0;

private:
  soapsvc::detail::descriptor listening_;
  std::thread thread_;
};

std::string rows_response(int count, const std::string& end) {
  std::string inside;
  for (int id = 1; id <= count; ++id)
    inside += row(id);
  return "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>"
         "<RowsOfResponse xmlns='urn:x/Intake'><RowsOfResult>" +
         inside + end;
}
const std::string rows_end = "</RowsOfResult></RowsOfResponse></s:Body></s:Envelope>";

}  // namespace

TEST_CASE("a client reads a response's stream item by item", "[streams]") {
  net::host_setup options = net::quick_options();
  const bool tls = GENERATE(false, true);
  const net::scratch_folder folder;
  soapsvc::client_options asked{.ns_base = "urn:x"};
  asked.verify_certificate = false;
  asked.accept_gzip = GENERATE(true, false);
  if (tls) {
    options.server.tls.certificate_file = folder.file("cert.pem");
    net::identity("h").write(options.server.tls.certificate_file);
  }
  host_fixture server(std::move(options));
  soapsvc::client<Intake> caller(url_of(server.port, tls ? "https" : "http"), asked);
  for (const int count : {0, 1, 50, 50'000})
    CHECK(count_of(caller.call(&Intake::rows_of, {count})) == count);
  for (const int count : {0, 1, 50, 500'000})
    CHECK(size_of(caller.call(&Intake::bytes_of, {count})) == static_cast<std::size_t>(count));
  for (const int count : {0, 3, 40'000}) {
    const Listing listing = caller.call(&Intake::listing, {count});
    CHECK(listing.name == "all");
    CHECK(count_of(listing.rows) == count);
    const Document document = caller.call(&Intake::document, {count});
    CHECK(document.name == "one");
    CHECK(size_of(document.content) == static_cast<std::size_t>(count));
  }
  CHECK(server.host.statistics().accepted == 1);
}

TEST_CASE("two streams and other calls run concurrently, and one may be abandoned", "[streams]") {
  host_fixture server;
  auto caller = std::make_unique<soapsvc::client<Intake>>(
      url_of(server.port), soapsvc::client_options{.ns_base = "urn:x"});
  const auto one = caller->call(&Intake::rows_of, {50'000});
  const auto other = caller->call(&Intake::rows_of, {40'000});
  { const auto left = caller->call(&Intake::rows_of, {70'000}); }
  CHECK(one.next()->id == 1);
  CHECK(other.next()->id == 1);
  CHECK(caller->call(&Intake::plain, {"beside"}) == "beside");
  caller.reset();
  int count = 1;
  while (one.next())
    ++count;
  CHECK(count == 50'000);
  count = 1;
  while (other.next())
    ++count;
  CHECK(count == 40'000);
}

TEST_CASE("a failed stream is never taken for its end", "[streams]") {
  host_fixture server;
  soapsvc::client<Intake> caller(url_of(server.port), {.ns_base = "urn:x"});
  const auto rows = caller.call(&Intake::rows_of, {100'000});
  CHECK_THROWS_AS(count_of(rows), soapsvc::transport_error);
  CHECK_THROWS_AS(rows.next(), soapsvc::transport_error);
  CHECK_THROWS_AS(caller.call(&Intake::rows_of, {-1}), soapsvc::remote_fault);
  CHECK(caller.call(&Intake::plain, {"after"}) == "after");
}

TEST_CASE(
    "a response that is cut off, malformed or for another call is an exception", "[streams]") {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n";
  const auto ask = [](const std::string& bytes) {
    one_response server(bytes);
    soapsvc::client<Intake> caller(url_of(server.port), {.ns_base = "urn:x"});
    return count_of(caller.call(&Intake::rows_of, {1}));
  };
  const auto chunked = [&](const std::string& body, const std::string& end = "0\r\n\r\n") {
    return head + "Transfer-Encoding: chunked\r\n\r\n" + net::chunk(body) + end;
  };
  CHECK(ask(chunked(rows_response(5'000, rows_end))) == 5'000);
  CHECK(ask(head + "Connection: close\r\n\r\n" + rows_response(5'000, rows_end)) == 5'000);
  using error = soapsvc::transport_error;
  CHECK_THROWS_AS(ask(chunked(rows_response(5'000, rows_end), "")), error);
  const std::string in_chunk = "Transfer-Encoding: chunked\r\n\r\n98967F\r\n";
  CHECK_THROWS_AS(ask(head + in_chunk + rows_response(5'000, rows_end)), error);
  const std::string in_body = "Content-Length: 9999999\r\n\r\n";
  CHECK_THROWS_AS(ask(head + in_body + rows_response(5'000, rows_end)), error);
  CHECK_THROWS_AS(ask(chunked(rows_response(5'000, ""))), error);
  CHECK_THROWS_AS(ask(head + "\r\n" + rows_response(5'000, "")), error);
  CHECK_THROWS_AS(ask(chunked(rows_response(5'000, rows_end + "x"))), error);
  CHECK_THROWS_AS(ask(chunked(rows_response(5'000, "<Row>" + rows_end))), error);
  CHECK_THROWS_AS(
      ask(chunked(rows_response(5'000, "<Row><Id>x</Id><Text/></Row>" + rows_end))), error);
  CHECK_THROWS_AS(ask(chunked("<html>")), error);
  CHECK_THROWS_AS(ask(chunked(rows_response(1, "</RowsOfResult>") + std::string(100, ' '))), error);
}
