// How much memory a message makes its reader hold, for each byte of it: of all that kinds.hpp and
// corners.hpp can say, of header blocks, streams and faults, for server and client. Each element of
// a sample in turn gets the form that a hostile sender would give it. Namespaces are long and used
// often: a reader that copies them at each use takes hundreds of times the message's size.
#include "corners.hpp"
#include "kinds.hpp"

#include "../counted_new.hpp"
#include "../processor_time.hpp"

#include <catch2/catch.hpp>
#include <iostream>
#include <map>

namespace memory {

struct Item {
  soapsvc::list<soapsvc::qualified_name> names;
  std::vector<soapsvc::xml> others;
  std::vector<soapsvc::xml_attribute> attributes;
};
struct Ticket {
  soapsvc::list<soapsvc::qualified_name> names;
  std::vector<soapsvc::qualified_name> roles;
};
struct Upload {
  std::string name;
  soapsvc::stream<Item> items;
};

class Carrier {
public:
  using blocks = soapsvc::header_blocks<std::optional<Ticket>, std::vector<soapsvc::xml>>;
  soapsvc::with_header_blocks<std::int32_t, std::vector<soapsvc::xml>> take(const blocks& sent) {
    return {1, {sent.get<soapsvc::xml>()}};
  }
  std::int32_t upload(const Upload& request) {
    std::int32_t count = 0;
    while (request.items.next())
      ++count;
    return count;
  }
  soapsvc::stream<Item> items() {
    return [] { return std::optional<Item>(); };
  }
};

}  // namespace memory

template <>
inline constexpr auto soapsvc::schema<memory::Item> = record(
    "Item",
    field("Names", &memory::Item::names),
    any(&memory::Item::others, ns("##other")),
    any_attribute(&memory::Item::attributes));
template <>
inline constexpr auto soapsvc::schema<memory::Ticket> =
    record("Ticket", field("Names", &memory::Ticket::names), field("Role", &memory::Ticket::roles));
template <>
inline constexpr auto soapsvc::schema<memory::Upload> =
    record(field("Name", &memory::Upload::name), field("Item", &memory::Upload::items));
template <>
inline constexpr auto soapsvc::schema<memory::Carrier> = service(
    "Carrier",
    operation("Take", &memory::Carrier::take),
    operation("Upload", &memory::Carrier::upload),
    operation("Items", &memory::Carrier::items));

namespace {

const std::string base = "urn:memory";

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i != times; ++i)
    all += text;
  return all;
}

std::string numbered(std::size_t count, std::string_view before, std::string_view after) {
  std::string all;
  for (std::size_t i = 0; i != count; ++i)
    all.append(before).append(std::to_string(i)).append(after);
  return all;
}

// --- Samples, and their changes ------------------------------------------------------------------

struct element {
  std::string path;
  std::string_view name;
  std::size_t begin = 0, content = 0, content_end = 0, end = 0;
  bool has_children = false;
};

/// The elements of a sample: tags alone, as the library writes them.
std::vector<element> elements_of(std::string_view text) {
  std::vector<element> found;
  std::vector<std::size_t> open;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::size_t past = text.find('>', at) + 1;
    if (text[at + 1] == '?' || text[at + 1] == '!') continue;
    const bool closes = text[at + 1] == '/';
    if (!closes) {
      element made;
      made.name = text.substr(at + 1, text.find_first_of(" />\n", at) - at - 1);
      made.path = (open.empty() ? "" : found[open.back()].path + '/') +
                  std::string(made.name.substr(made.name.find(':') + 1));
      if (!open.empty()) found[open.back()].has_children = true;
      made.begin = at;
      made.content = past;
      open.push_back(found.size());
      found.push_back(std::move(made));
    }
    const bool is_empty = !closes && text[past - 2] == '/';
    if (!closes && !is_empty) continue;
    element& closed = found[open.back()];
    closed.content_end = is_empty ? past : at;
    closed.end = past;
    open.pop_back();
  }
  return found;
}

struct sizes {
  std::size_t ns;  ///< bytes of a namespace that is declared once
  std::size_t count;  ///< the number of repetitions
};

/// The source of an element of a shape, in pieces.
struct pieces {
  std::string name;
  std::string start;  ///< of the start tag, without its end
  std::string content;
  std::string close;
  bool has_children;
  std::string whole() const { return start + ">" + content + close; }
};
struct shape {
  const char* name;
  std::string (*make)(const pieces& of, const sizes& how);
};
const shape shapes[] = {
    {"as it is", [](const pieces& of, const sizes&) { return of.whole(); }},
    {"many", [](const pieces& of, const sizes& how) { return repeat(of.whole(), how.count); }},
    {"many, empty",
     [](const pieces& of, const sizes& how) {
       return of.whole() + repeat("<" + of.name + "/>", how.count);
     }},
    {"names in its text",
     [](const pieces& of, const sizes& how) {
       return of.has_children ? "" : of.start + ">" + repeat("p:x ", how.count) + of.close;
     }},
    {"many with a name as text",
     [](const pieces& of, const sizes& how) {
       return of.has_children ? "" : repeat(of.start + ">p:x" + of.close, how.count);
     }},
    {"numbers in its text",
     [](const pieces& of, const sizes& how) {
       return of.has_children ? "" : of.start + ">" + repeat("1 ", 4 * how.count) + of.close;
     }},
    {"many attributes",
     [](const pieces& of, const sizes&) {
       return of.start + numbered(200, " p:a", "='p:x'") + ">" + of.content + of.close;
     }},
    {"many children",
     [](const pieces& of, const sizes& how) {
       return of.start + ">" + of.content + repeat("<p:a/>", how.count) + of.close;
     }},
    {"many children with namespaces of their own",
     [](const pieces& of, const sizes& how) {
       return of.start + ">" + of.content + numbered(how.count, "<a xmlns='urn:", "'/>") + of.close;
     }},
    {"deep",
     [](const pieces& of, const sizes&) {
       return repeat(of.start + ">" + of.content, 100) + repeat(of.close, 100);
     }},
    {"names in its attributes",
     [](const pieces& of, const sizes& how) {
       std::string start = of.start;
       for (std::size_t at = start.find("=\""); at != start.npos; at = start.find("=\"", at)) {
         const std::size_t word = start.rfind(' ', at) + 1;
         const std::size_t end = start.find('"', at + 2);
         const bool declares = start.compare(word, 5, "xmlns") == 0;
         const std::string value = repeat("p:x ", how.count);
         if (!declares) start.replace(at + 2, end - at - 2, value);
         at += 2;
       }
       return start == of.start ? "" : start + ">" + of.content + of.close;
     }},
    {"many of a type that is said",
     [](const pieces& of, const sizes& how) {
       return of.whole() +
              repeat("<" + of.name + " xsi:type='p:x'>" + of.content + of.close, how.count);
     }},
};

struct message {
  std::string what;
  std::string text;
};

/// All that the shapes make of a sample. `see` is given one after the other.
void each_message(
    const std::string& sample, const sizes& how, const std::function<void(const message&)>& see) {
  const std::vector<element> all = elements_of(sample);
  const std::size_t root = all.front().content - 1;
  const std::string declared = " xmlns:p='" + std::string(how.ns, 'p') + "'";
  for (const element& each : all) {
    const bool alike = each.name.size() == 3 && each.name.ends_with('1') == false &&
                       std::isdigit(static_cast<unsigned char>(each.name[1])) != 0;
    if (&each == &all.front() || alike) continue;  // of the hundreds in corners.hpp a few will do
    const bool is_empty = each.content == each.end;
    std::string start = sample.substr(each.begin, each.content - each.begin - 1);
    if (is_empty) start = start.substr(0, start.rfind('/'));
    const pieces of{
        std::string(each.name),
        start,
        is_empty ? "" : sample.substr(each.content, each.content_end - each.content),
        "</" + std::string(each.name) + ">",
        each.has_children};
    for (const shape& made : shapes) {
      const std::string changed = made.make(of, how);
      if (changed.empty()) continue;
      see(
          {each.path + ": " + made.name,
           sample.substr(0, root) + declared + sample.substr(root, each.begin - root) + changed +
               sample.substr(each.end)});
    }
  }
}

/// The envelopes on the page of an operation, by whether they answer.
std::string sample_of(
    const soapsvc::dispatcher& services, const std::string& at, bool is_response, bool v12) {
  soapsvc::http_request request;
  request.method = "GET";
  request.target = at;
  const std::string page = services.handle(request).body;
  const std::string operation = at.substr(at.find('=') + 1);
  for (std::size_t begin = page.find("&lt;?xml"); begin != page.npos;
       begin = page.find("&lt;?xml", begin + 1)) {
    const std::string end = "Envelope&gt;";
    std::string text = page.substr(begin, page.find(end, begin) + end.size() - begin);
    for (const auto& [escape, character] : std::vector<std::pair<std::string, std::string>>{
             {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
      for (std::size_t found = 0; (found = text.find(escape, found)) != text.npos; ++found)
        text.replace(found, escape.size(), character);
    const bool answers = text.find('<' + operation + "Response") != text.npos;
    const bool is_v12 = text.find("http://www.w3.org/2003/05/soap-envelope") != text.npos;
    if (answers == is_response && is_v12 == v12) return text;
  }
  FAIL("no sample on " + at);
  return {};
}

// --- Measuring -----------------------------------------------------------------------------------

struct cost {
  std::string what;
  std::size_t bytes = 0;  ///< of the message
  std::size_t held = 0;  ///< the peak, without the memory before
  std::size_t answered = 0;  ///< bytes of the response
  double seconds = 0;
};

class both_sides {
public:
  both_sides() {
    services_.add(kinds_);
    services_.add(corners_);
    services_.add(carrier_);
  }

  /// All messages to a server.
  void serve(const sizes& how, const std::function<void(const cost&)>& see) {
    for (const char* at :
         {"Kinds.asmx?op=Everything",
          "Corners.asmx?op=All",
          "Carrier.asmx?op=Take",
          "Carrier.asmx?op=Upload"}) {
      const std::string target = "/soap/v3/" + std::string(at);
      each_message(sample_of(services_, target, false, true), how, [&](const message& sent) {
        cost found{"server: " + sent.what, sent.text.size(), 0, 0, 0};
        const soapsvc::http_header type[] = {{"Content-Type", "application/soap+xml"}};
        soapsvc::http_request request;
        request.target = std::string_view(target).substr(0, target.find('?'));
        request.headers = type;
        request.body = sent.text;
        measure(found, [&] { found.answered = services_.handle(request).body.size(); });
        see(found);
      });
    }
  }

  /// All messages to a client.
  void answer(const sizes& how, const std::function<void(const cost&)>& see) {
    soapsvc::http_response response;
    const soapsvc::client_options options{.ns_base = base, .version = soapsvc::soap_version::v1_2};
    const soapsvc::transport send = [&response](const soapsvc::http_request&) {
      return std::move(response);
    };
    soapsvc::client<kinds::Kinds> kinds(send, options);
    soapsvc::client<corners::Corners> corners(send, options);
    soapsvc::client<memory::Carrier> carrier(send, options);
    const auto read = [&](const std::string& sample, const std::function<void()>& call) {
      each_message(sample, how, [&](const message& sent) {
        cost found{"client: " + sent.what, sent.text.size(), 0, 0, 0};
        response = {};
        response.content_type = "application/soap+xml";
        response.status = sent.text.find(":Fault>") == sent.text.npos ? 200 : 500;
        response.body = sent.text;
        measure(found, [&] {
          try {
            call();
          } catch (const std::exception&) {  // most are refused
          }
        });
        see(found);
      });
    };
    const auto sample = [&](const std::string& at) {
      return sample_of(services_, "/soap/v3/" + at, true, true);
    };
    const auto call_kinds = [&] { kinds.call(&kinds::Kinds::echo, {}); };
    read(sample("Kinds.asmx?op=Everything"), call_kinds);
    read(sample("Corners.asmx?op=All"), [&] { corners.call(&corners::Corners::echo, {}); });
    read(sample("Carrier.asmx?op=Take"), [&] {
      carrier.call(&memory::Carrier::take, memory::Carrier::blocks());
    });
    read(sample("Carrier.asmx?op=Items"), [&] {
      const auto items = carrier.call(&memory::Carrier::items);
      while (items.next())
        continue;
    });
    const std::string v12 = "http://www.w3.org/2003/05/soap-envelope";
    read(
        "<e:Envelope xmlns:e=\"" + v12 +
            "\"><e:Body><e:Fault><e:Code><e:Value>e:Sender</e:Value><e:Subcode>"
            "<e:Value>p:x</e:Value></e:Subcode></e:Code><e:Reason><e:Text xml:lang=\"en\">r"
            "</e:Text></e:Reason><e:Detail><a>b</a></e:Detail></e:Fault></e:Body></e:Envelope>",
        call_kinds);
    read(
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><e:Fault>"
        "<faultcode>p:x</faultcode><faultstring>r</faultstring><detail><a>b</a></detail>"
        "</e:Fault></e:Body></e:Envelope>",
        call_kinds);
  }

private:
  template <class Step> void measure(cost& found, Step step) {
    const std::size_t before = held_bytes;
    most_held_bytes = before;
    found.seconds = processor_seconds(step);
    found.held = most_held_bytes - before;
  }

  kinds::Kinds kinds_;
  corners::Corners corners_;
  memory::Carrier carrier_;
  soapsvc::dispatcher services_{{.ns_base = base}};
};

}  // namespace

TEST_CASE("the memory of both sides is bounded by the size of the message", "[kinds][memory]") {
  // An element takes 128 bytes, even if it has only four bytes in the message. A service that
  // returns it holds its value twice, and its text once more. Below the remaining bound the cost is
  // constant.
  constexpr std::size_t for_each_byte = 160;
  constexpr std::size_t always = 500'000;
  both_sides sides;
  std::size_t messages = 0;
  const auto check = [&](const cost& found) {
    ++messages;
    INFO(found.what << ", " << found.bytes << " bytes");
    if (found.held > always + for_each_byte * found.bytes) CHECK(found.held == 0);
    if (found.answered > 20'000 + 12 * found.bytes) CHECK(found.answered == 0);
  };
  const sizes how{16'384, 400};
  sides.serve(how, check);
  sides.answer(how, check);
  CHECK(messages > 3'000);
}

TEST_CASE("the worst in memory and in time", "[.table][timeout]") {
  both_sides sides;
  for (const bool client : {false, true}) {
    std::vector<cost> all;
    const auto see = [&](const cost& found) { all.push_back(found); };
    const sizes how{100'000, 20'000};
    client ? sides.answer(how, see) : sides.serve(how, see);
    const auto print = [&](const char* title, auto value) {
      const auto of = [&](const cost& each) {
        return value(each) / static_cast<double>(each.bytes);
      };
      std::stable_sort(
          all.begin(), all.end(), [&](const cost& a, const cost& b) { return of(a) > of(b); });
      std::cout << "\n| " << (client ? "Client" : "Server") << ", " << title
                << " | bytes | a byte |\n|---|--:|--:|\n";
      for (std::size_t i = 0; i != std::min<std::size_t>(10, all.size()); ++i)
        std::cout << "| " << all[i].what << " | " << all[i].bytes << " | " << of(all[i]) << " |\n";
    };
    print("bytes held", [](const cost& each) { return static_cast<double>(each.held); });
    if (!client)
      print("bytes answered", [](const cost& each) { return static_cast<double>(each.answered); });
    print("nanoseconds", [](const cost& each) { return each.seconds * 1e9; });
  }
}

namespace {

soapsvc::http_response post(
    const soapsvc::dispatcher& services, const std::string& blocks, const std::string& body) {
  const soapsvc::http_header type[] = {{"Content-Type", "text/xml"}};
  const std::string text = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'>" +
                           (blocks.empty() ? "" : "<e:Header>" + blocks + "</e:Header>") +
                           "<e:Body>" + body + "</e:Body></e:Envelope>";
  soapsvc::http_request request;
  request.target = "/soap/v3/Carrier.asmx";
  request.headers = type;
  request.body = text;
  return services.handle(request);
}

std::string ticket(const std::string& roles, const std::string& declared = "") {
  return "<Ticket xmlns='" + base + "/Carrier'" + declared + "><Names/>" + roles + "</Ticket>";
}

const std::string take = "<Take xmlns='" + base + "/Carrier'/>";
const std::string upload = "<Upload xmlns='" + base + "/Carrier'><Name/>";
constexpr const char* named_limit = "bytes of namespaces (limit max_namespace_bytes)";

}  // namespace

TEST_CASE(
    "namespaces that values keep have a bound, which the fault names", "[kinds][memory][limits]") {
  using Catch::Contains;
  memory::Carrier carrier;
  soapsvc::dispatcher services{{.ns_base = base}};
  services.add(carrier);
  const std::string role = "<Role>p:x</Role>";
  const auto with = [](std::size_t size) { return " xmlns:p='" + std::string(size, 'p') + "'"; };
  CHECK(post(services, ticket(role + role, with(1'000'000)), take).status == 200);
  CHECK_THAT(
      post(services, ticket(role, with(1'048'576)), take).body,
      Contains("Ticket/Role: needs, together with everything before it, more than 1048576 ") &&
          Contains(named_limit));
  // Different names count each time, equal names once.
  const std::string own = "<Role xmlns:p='urn:p'>p:x</Role>";
  CHECK(post(services, ticket(repeat(own, 20'000)), take).status == 200);
  const std::string unlike = numbered(20'000, "<Role xmlns:p='urn:", "'>p:x</Role>");
  CHECK_THAT(post(services, ticket(unlike), take).body, Contains(named_limit));
  // Wildcards of elements and attributes keep names as well.
  const auto item = [](const std::string& of) { return upload + of + "</Upload>"; };
  CHECK_THAT(
      post(services, "", item("<Item" + with(1'100'000) + " p:a=''><Names/></Item>")).body,
      Contains("Upload/Item[1]: needs") && Contains(named_limit));
  CHECK_THAT(
      post(services, "", item("<Item><Names/><p:a" + with(1'100'000) + "/></Item>")).body,
      Contains("Upload/Item[1]/a: needs") && Contains(named_limit));

  soapsvc::message_limits few;
  few.max_namespace_bytes = 100;
  soapsvc::dispatcher bounded{{.ns_base = base, .limits = few}};
  bounded.add(carrier);
  CHECK(post(bounded, ticket(role, with(36)), take).status == 200);
  CHECK_THAT(post(bounded, ticket(role, with(37)), take).body, Contains("more than 100 bytes"));
}

TEST_CASE("a stream counts the namespaces of each item by itself", "[kinds][memory]") {
  memory::Carrier carrier;
  soapsvc::dispatcher services{{.ns_base = base}};
  services.add(carrier);
  const std::string items =
      numbered(20'000, "<Item xmlns:p='urn:", "'><Names>p:x p:y</Names></Item>");
  const std::size_t before = held_bytes;
  most_held_bytes = before;
  const auto response = post(services, "", upload + items + "</Upload>");
  CHECK_THAT(response.body, Catch::Contains("<UploadResult>20000</UploadResult>"));
  CHECK(most_held_bytes - before < 6 * items.size());  // of which the texts above are half
}

TEST_CASE(
    "a stream that comes in pieces takes little memory, however long it is", "[kinds][memory]") {
  memory::Carrier carrier;
  soapsvc::dispatcher services{{.ns_base = base}};
  services.add(carrier);
  const std::string item =
      "<Item><Names/><x:a xmlns:x='urn:x'>" + std::string(1'000, 'x') + "</x:a></Item>";
  const auto held_for = [&](int count) {
    std::string left =
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>" + upload;
    int sent = 0;
    const soapsvc::byte_source rest = [&](std::span<char> to) {
      if (left.empty() && sent <= count)
        left = sent++ != count ? item : "</Upload></e:Body></e:Envelope>";
      const std::size_t size = left.copy(to.data(), to.size());
      left.erase(0, size);
      return size;
    };
    const soapsvc::http_header type[] = {{"Content-Type", "text/xml"}};
    soapsvc::http_request request;
    request.target = "/soap/v3/Carrier.asmx";
    request.headers = type;
    request.rest_of_body = &rest;
    const std::size_t before = held_bytes;
    most_held_bytes = before;
    const auto response = services.handle(request);
    CHECK_THAT(response.body, Catch::Contains("Result>" + std::to_string(count) + "</"));
    return most_held_bytes - before;
  };
  held_for(10);  // which this thread keeps memory of
  CHECK(held_for(20'000) < 2'000'000);  // of 21 MB, which is more than max_body_bytes
}

TEST_CASE("a client refuses a fault whose subcodes keep too much", "[kinds][memory]") {
  const std::string v12 = "http://www.w3.org/2003/05/soap-envelope";
  std::size_t size = 0;
  const soapsvc::transport send = [&](const soapsvc::http_request&) {
    const std::string open = "<e:Subcode><e:Value>p:x</e:Value>";
    soapsvc::http_response response;
    response.status = 400;
    response.content_type = "application/soap+xml";
    response.body = "<e:Envelope xmlns:e='" + v12 + "' xmlns:p='" + std::string(size, 'p') +
                    "'><e:Body><e:Fault><e:Code><e:Value>e:Sender</e:Value>" + repeat(open, 100) +
                    repeat("</e:Subcode>", 100) +
                    "</e:Code><e:Reason><e:Text xml:lang='en'>r</e:Text></e:Reason>"
                    "</e:Fault></e:Body></e:Envelope>";
    return response;
  };
  soapsvc::client<memory::Carrier> client(
      send, {.ns_base = base, .version = soapsvc::soap_version::v1_2});
  const auto call = [&] { client.call(&memory::Carrier::take, memory::Carrier::blocks()); };
  size = 1'000'000;
  try {
    call();
    FAIL("no fault");
  } catch (const soapsvc::remote_fault& fault) {
    REQUIRE(fault.subcodes().size() == 100);
    CHECK(fault.subcodes()[0].ns.text().data() == fault.subcodes()[99].ns.text().data());
  }
  size = 1'048'576;
  CHECK_THROWS_WITH(call(), Catch::Contains(named_limit));
}

TEST_CASE("copies of a namespace name share its text", "[kinds][memory]") {
  using soapsvc::namespace_name;
  const namespace_name none;
  CHECK(none.empty());
  CHECK(none == "");
  CHECK(none == namespace_name(""));
  namespace_name made(std::string("urn:a"));
  const namespace_name copy = made;
  CHECK(copy.text().data() == made.text().data());
  CHECK(copy == namespace_name("urn:a"));
  made = "urn:b";
  CHECK(copy == std::string_view("urn:a"));
  CHECK(made != copy);
  namespace_name& itself = made;
  made = itself;
  CHECK(made == "urn:b");
  CHECK(std::string(made) == "urn:b");
  const soapsvc::qualified_name name{"urn:a", "x"};
  CHECK((name == soapsvc::qualified_name{copy, "x"}));
  CHECK(sizeof(soapsvc::qualified_name) == sizeof(void*) + sizeof(std::string));
}
