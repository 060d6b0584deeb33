// [signatures]: the canonical form of elements, compared with libxml2's.

#include <libxml/c14n.h>
#include <libxml/parser.h>

#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "soapsvc.hpp"

using namespace std::string_literals;
using namespace std::string_view_literals;
using soapsvc::detail::node;

namespace {

using prefixes = std::vector<std::string_view>;

/// A message that is read.
struct message {
  explicit message(std::string sent) : text(std::move(sent)) {
    soapsvc::message_limits bounds;
    bounds.max_namespaces = 65'536;
    root = document.parse(text, "utf-8", bounds);
  }
  std::string text;
  soapsvc::detail::xml_document document;
  node root;
};

std::string canonical(node apex, const prefixes& inclusive = {}) {
  return soapsvc::detail::canonical_form(apex, inclusive, 1'000'000);
}
std::string canonical(const std::string& text, const prefixes& inclusive = {}) {
  const message read(text);
  return canonical(read.root, inclusive);
}
/// Of the first child.
std::string canonical_child(const std::string& text, const prefixes& inclusive = {}) {
  const message read(text);
  return canonical(read.root.first_child(), inclusive);
}

}  // namespace

// --- Sentences -----------------------------------------------------------------------------------

TEST_CASE("an empty element has two tags, and sorted attributes with one space between", "[c14n]") {
  CHECK(canonical("<a/>") == "<a></a>");
  CHECK(canonical("<a  z = '1'\n y=\"2\" />") == "<a y=\"2\" z=\"1\"></a>");
  CHECK(
      canonical("<a xmlns:q='urn:1' xmlns:p='urn:2' p:a='1' q:b='2' c='3' xml:lang='en'/>") ==
      "<a xmlns:p=\"urn:2\" xmlns:q=\"urn:1\" c=\"3\" xml:lang=\"en\" q:b=\"2\" p:a=\"1\"></a>");
}

TEST_CASE("a declaration is written where its prefix is used, and once", "[c14n]") {
  CHECK(
      canonical("<a xmlns:p='urn:1' xmlns:q='urn:2'><p:b><p:c/></p:b><p:b q:x=''/></a>") ==
      "<a><p:b xmlns:p=\"urn:1\"><p:c></p:c></p:b>"
      "<p:b xmlns:p=\"urn:1\" xmlns:q=\"urn:2\" q:x=\"\"></p:b></a>");
  CHECK(
      canonical("<p:a xmlns:p='urn:1'><p:b xmlns:p='urn:2'><p:c xmlns:p='urn:1'/></p:b></p:a>") ==
      "<p:a xmlns:p=\"urn:1\"><p:b xmlns:p=\"urn:2\">"
      "<p:c xmlns:p=\"urn:1\"></p:c></p:b></p:a>");
  CHECK(
      canonical("<a xmlns='urn:1'><b xmlns=''><c xmlns=''/></b><d/></a>") ==
      "<a xmlns=\"urn:1\"><b xmlns=\"\"><c></c></b><d></d></a>");
  CHECK(canonical("<a xmlns=''><b/></a>") == "<a><b></b></a>");
  CHECK(canonical("<a xmlns='urn:\"'/>") == "<a xmlns=\"urn:&quot;\"></a>");
}

TEST_CASE("declarations around an element are written with it if they are used", "[c14n]") {
  const std::string text = "<x xmlns='urn:0' xmlns:p='urn:1'><p:a q='1'><b/></p:a></x>";
  CHECK(canonical_child(text) == "<p:a xmlns:p=\"urn:1\" q=\"1\"><b xmlns=\"urn:0\"></b></p:a>");
}

TEST_CASE("prefixes of the list are declared whether used or not", "[c14n]") {
  const std::string text =
      "<x xmlns='urn:0' xmlns:p='urn:1' xmlns:q='urn:2'><p:a>"
      "<p:b xmlns:q='urn:3' xmlns:r='urn:4'/></p:a></x>";
  CHECK(
      canonical_child(text, {"q"}) ==
      "<p:a xmlns:p=\"urn:1\" xmlns:q=\"urn:2\"><p:b xmlns:q=\"urn:3\"></p:b></p:a>");
  CHECK(
      canonical_child(text, {"r", ""}) ==
      "<p:a xmlns=\"urn:0\" xmlns:p=\"urn:1\"><p:b xmlns:r=\"urn:4\"></p:b></p:a>");
  CHECK(canonical_child(text, {"s", "xml"}) == canonical_child(text));
}

TEST_CASE("text and values have one spelling", "[c14n]") {
  CHECK(
      canonical("<a>&lt;&gt;&amp;&quot;&apos;&#13;&#x9;\r\n\r</a>") ==
      "<a>&lt;&gt;&amp;\"'&#xD;\t\n\n</a>");
  CHECK(
      canonical("<a v='&lt;>&amp;&quot;&apos;&#13;&#9;&#10; \t\n\r\n'/>") ==
      "<a v=\"&lt;>&amp;&quot;'&#xD;&#x9;&#xA;    \"></a>");
  CHECK(canonical("<a>x<![CDATA[<y>&amp;]]>z</a>") == "<a>x&lt;y&gt;&amp;amp;z</a>");
  CHECK(
      canonical("<a>x<!-- <b> -->y<b/>&#x20AC;<!----><![CDATA[\r]]>&gt;</a>") ==
      "<a>xy<b></b>\u20ac\n&gt;</a>");
  CHECK(canonical("<a> <b/>\r\n <b/>\t</a>") == "<a> <b></b>\n <b></b>\t</a>");
}

TEST_CASE("the surroundings of an element are not written", "[c14n]") {
  CHECK(canonical("<?xml version='1.0'?><!-- x --><a>1</a><!-- y -->") == "<a>1</a>");
  CHECK(canonical_child("<x> <a>1</a> </x>") == "<a>1</a>");
}

// --- Bounds --------------------------------------------------------------------------------------

TEST_CASE("a canonical form stops at the bound", "[c14n]") {
  // Few bytes, and a name that is written for each child.
  std::string text = "<a xmlns:p='urn:" + std::string(18'000, 'x') + "'>";
  for (int i = 0; i < 3'000; ++i)
    text += "<p:b/>";
  const message read(text + "</a>");
  std::size_t most = 0;
  const auto count = [](void* to, std::string_view bytes) {
    *static_cast<std::size_t*>(to) += bytes.size();
  };
  soapsvc::detail::canonicalizer short_one({&most, count}, 100'000);
  CHECK_THROWS_AS(short_one.write(read.root, {}), soapsvc::detail::canonical_form_too_long);
  CHECK(most <= 100'000);
  most = 0;
  soapsvc::detail::canonicalizer whole({&most, count}, 100'000'000);
  whole.write(read.root, {});
  CHECK(most > 54'000'000);
  CHECK(most <= 100'000'000);
}

TEST_CASE("the bound counts the bytes of all elements together", "[c14n][limits]") {
  const message read("<a>12345678</a>");
  std::string text;
  const auto take = [](void* to, std::string_view bytes) {
    static_cast<std::string*>(to)->append(bytes);
  };
  soapsvc::detail::canonicalizer twice({&text, take}, 30);
  twice.write(read.root, {});
  twice.write(read.root, {});
  CHECK(text == "<a>12345678</a><a>12345678</a>");
  CHECK_THROWS_AS(twice.write(read.root, {}), soapsvc::detail::canonical_form_too_long);
}

TEST_CASE("sorting attributes takes time in proportion to their bytes", "[c14n]") {
  // Two namespaces that differ at their end, and elements that have an attribute of each.
  const std::string longest(100'000, 'x');
  std::string text =
      "<a xmlns:p='urn:" + longest + "1' xmlns:q='urn:" + longest + "2' p:a='' q:a=''>";
  for (int i = 0; i < 30'000; ++i)
    text += "<b p:a='' q:a=''/>";
  const message read(text + "</a>");
  CHECK_THROWS_AS(
      soapsvc::detail::canonical_form(read.root, {}, 10'000'000),
      soapsvc::detail::canonical_form_too_long);
}

// --- libxml2 -------------------------------------------------------------------------------------

namespace {

/// Numbers that are the same in each run.
class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33) % bound;
  }
  template <std::size_t Size> std::string_view one_of(const std::string_view (&list)[Size]) {
    return list[below(Size)];
  }

private:
  std::uint64_t state_;
};

constexpr std::string_view some_prefixes[] = {"", "p", "q", "r", "p1", "\xc3\xa9"};
// Without "&", which libxml2 2.9 leaves as it is in namespace names (Canonical XML 1.0, 2.3).
constexpr std::string_view some_namespaces[] = {"urn:a", "urn:b", "urn:ab", "http://a/?b=c"};
constexpr std::string_view some_texts[] = {
    "x",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "&lt;",
    "&gt;",
    "&amp;",
    "&quot;",
    "&apos;",
    "&#13;",
    "&#xA;",
    "&#9;",
    "&#x20AC;",
    "\xe2\x82\xac",
    "'"};

constexpr std::string_view some_content[] = {
    "<![CDATA[<b>&amp;\r\n]]>", "<!-- <b> & -->", "<![CDATA[]]>", "<!---->", ">", "\""};

/// A random document, of bounded depth and size.
class random_document {
public:
  explicit random_document(dice& random) : dice_(random) { element({{"", ""}}, 0); }
  std::string text;

private:
  using scope = std::map<std::string_view, std::string_view>;

  void element(scope in_scope, int depth) {
    const std::string declared = declarations(in_scope);
    const std::string name = qualified("e", in_scope);
    const bool late = dice_.below(2) == 0;
    text.append("<").append(name);
    if (!late) text += declared;
    attributes(in_scope);
    if (late) text += declared;
    if (dice_.below(5) == 0) {
      text += dice_.below(2) == 0 ? "/>" : "\n/>";
      return;
    }
    text += dice_.below(4) == 0 ? " >" : ">";
    content(in_scope, depth);
    text.append("</").append(name).append(dice_.below(4) == 0 ? "\t>" : ">");
  }

  void content(const scope& in_scope, int depth) {
    for (std::size_t left = dice_.below(7); left != 0; --left) {
      const std::size_t kind = dice_.below(8);
      if (kind < 3)
        text += dice_.one_of(some_texts);
      else if (kind == 3)
        text += dice_.one_of(some_content);
      else if (depth < 7)
        element(in_scope, depth + 1);
    }
  }

  std::string declarations(scope& in_scope) {
    std::string made;
    for (const std::string_view prefix : some_prefixes) {
      if (dice_.below(5) != 0) continue;
      const bool none = prefix.empty() && dice_.below(3) == 0;
      const std::string_view ns = none ? "" : dice_.one_of(some_namespaces);
      made.append(prefix.empty() ? " xmlns" : " xmlns:").append(prefix);
      made.append("=\"").append(ns).append("\"");
      in_scope[prefix] = ns;
    }
    return made;
  }

  std::string qualified(std::string_view local, const scope& in_scope) {
    auto at = in_scope.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(dice_.below(in_scope.size())));
    return std::string(at->first).append(at->first.empty() ? "" : ":").append(local);
  }

  void attributes(const scope& in_scope) {
    std::set<std::pair<std::string_view, std::string>> used;
    for (std::size_t left = dice_.below(5); left != 0; --left) {
      const std::string local(1, static_cast<char>('a' + dice_.below(3)));
      const std::string name = qualified(local, in_scope);
      const std::string_view prefix = std::string_view(name).substr(0, name.find(':'));
      const std::string_view ns =
          name == local ? std::string_view() : in_scope.find(prefix)->second;
      if (!used.emplace(ns, local).second) continue;
      text.append(" ").append(name).append("=\"");
      for (std::size_t size = dice_.below(4); size != 0; --size)
        text += dice_.one_of(some_texts);
      text += '"';
    }
    if (dice_.below(8) == 0) text += " xml:lang='en'";
  }

  dice& dice_;
};

/// The canonical form of libxml2 for the same document.
class other_document {
public:
  explicit other_document(const std::string& text)
      : document_(xmlReadMemory(
            text.data(), static_cast<int>(text.size()), nullptr, nullptr, XML_PARSE_NOENT)) {
    REQUIRE(document_);
  }
  ~other_document() { xmlFreeDoc(document_); }
  other_document(const other_document&) = delete;
  other_document& operator=(const other_document&) = delete;

  xmlNode* root() const { return xmlDocGetRootElement(document_); }

  std::string canonical(xmlNode* apex, const prefixes& inclusive) const {
    std::vector<std::string> names;
    for (const std::string_view prefix : inclusive)
      names.emplace_back(prefix.empty() ? "#default" : prefix);
    std::vector<xmlChar*> list;
    for (std::string& name : names)
      list.push_back(reinterpret_cast<xmlChar*>(name.data()));
    list.push_back(nullptr);
    std::string text;
    xmlOutputBuffer* const out = xmlOutputBufferCreateIO(
        [](void* to, const char* bytes, int size) {
          static_cast<std::string*>(to)->append(bytes, static_cast<std::size_t>(size));
          return size;
        },
        nullptr,
        &text,
        nullptr);
    const int done =
        xmlC14NExecute(document_, is_within, apex, XML_C14N_EXCLUSIVE_1_0, list.data(), 0, out);
    xmlOutputBufferClose(out);
    REQUIRE(done >= 0);
    return text;
  }

private:
  static int is_within(void* apex, xmlNode* node, xmlNode* parent) {
    if (node == apex) return 1;
    for (const xmlNode* at = parent; at; at = at->parent)
      if (at == apex) return 1;
    return 0;
  }

  xmlDoc* const document_;
};

xmlNode* element_from(xmlNode* at) {
  while (at && at->type != XML_ELEMENT_NODE)
    at = at->next;
  return at;
}

/// Compares both for every element, with a list of its own for each. Returns how many there were.
std::size_t compare(node ours, const other_document& other, xmlNode* theirs, dice& random) {
  prefixes inclusive;
  if (random.below(2) == 0)
    for (const std::string_view prefix : some_prefixes)
      if (random.below(3) == 0) inclusive.push_back(prefix);
  const std::string made = canonical(ours, inclusive);
  const std::string expected = other.canonical(theirs, inclusive);
  if (made != expected) {
    const auto at = std::mismatch(made.begin(), made.end(), expected.begin(), expected.end());
    const auto from = static_cast<std::size_t>(at.first - made.begin());
    const std::size_t before = from - std::min<std::size_t>(from, 60);
    INFO(ours.source());
    CHECK(made.substr(before, 120) == expected.substr(before, 120));
  }
  std::size_t compared = 1;
  theirs = element_from(theirs->children);
  for (node child = ours.first_child(); child; child = child.next_sibling()) {
    compared += compare(child, other, theirs, random);
    theirs = element_from(theirs->next);
  }
  return compared;
}

}  // namespace

TEST_CASE("libxml2 makes the same form of 20,000 random elements", "[c14n]") {
  dice random(20'011'018);
  std::size_t compared = 0;
  while (compared < 20'000) {
    const random_document made(random);
    INFO(made.text);
    const message read(made.text);
    const other_document other(made.text);
    compared += compare(read.root, other, other.root(), random);
  }
}
