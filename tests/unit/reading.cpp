// [reading]: well-formed and refused messages with positions, limits, encodings, memory.

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <new>
#include <random>
#include <set>
#include <thread>

#include "../processor_time.hpp"
#include "soapsvc.hpp"

using namespace std::string_literals;
using namespace std::string_view_literals;
using soapsvc::message_limits;
using soapsvc::detail::node;
using soapsvc::detail::xml_document;
using soapsvc::detail::xml_error;
using reason = soapsvc::detail::xml_error::reason;

namespace {

std::size_t allocations = 0;
std::size_t allocated_bytes = 0;

}  // namespace

// Every allocation of this program is counted: the reader promises none when it is warm. These are
// not inline, or g++ sees free() called on memory that it knows to come from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  allocated_bytes += size;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// A message in memory of exactly its size, so that a sanitizer sees every byte read beyond it.
class message {
public:
  explicit message(
      std::string_view bytes, std::string_view charset = "", message_limits bounds = {})
      : bytes_(std::make_unique<char[]>(bytes.size())), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
    root = document_.parse({bytes_.get(), size_}, charset, bounds);
  }
  bool holds(std::string_view view) const {
    const std::less_equal<> before;
    return before(bytes_.get(), view.data()) &&
           before(view.data() + view.size(), bytes_.get() + size_);
  }
  node root;

private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
  xml_document document_;
};

struct refusal {
  std::string text = "accepted";
  reason why = reason::malformed;
};

refusal refuse(std::string_view bytes, std::string_view charset = "", message_limits bounds = {}) {
  try {
    message read(bytes, charset, bounds);
  } catch (const xml_error& error) {
    return {error.what(), error.why};
  }
  return {};
}

std::string text_of(std::string_view bytes, std::string_view charset = "") {
  return std::string(message(bytes, charset).root.text());
}

bool is_accepted(std::string_view bytes, std::string_view charset = "") {
  const refusal found = refuse(bytes, charset);
  if (found.text != "accepted") UNSCOPED_INFO(bytes << " -> " << found.text);
  return found.text == "accepted";
}

bool is_malformed(std::string_view bytes, std::string_view charset = "") {
  const refusal found = refuse(bytes, charset);
  if (found.text == "accepted") UNSCOPED_INFO("accepted: " << bytes);
  const bool placed = found.text.starts_with("line ") && found.text.find(", column ") < 20;
  return placed && found.why == reason::malformed;
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

std::string utf16(std::u16string_view text, bool little) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8);
    bytes += little ? low : high;
    bytes += little ? high : low;
  }
  return bytes;
}

}  // namespace

// ---- the tree ----

TEST_CASE("a message is read into elements, attributes and text", "[reading]") {
  const message read(
      "<?xml version='1.0'?>\n<!-- c --><e:Envelope xmlns:e='urn:e'>\n <e:Body><Get xmlns='urn:s'"
      " e:a='1' b=\"2\"><Id>7</Id><Name/></Get></e:Body></e:Envelope>\n<!-- c -->\n");
  const node root = read.root;
  REQUIRE(root);
  CHECK(root.is("urn:e", "Envelope"));
  CHECK_FALSE(root.is("urn:s", "Envelope"));
  CHECK_FALSE(root.is("urn:e", "Envelop"));
  CHECK(root.prefix() == "e");
  CHECK_FALSE(root.parent());
  CHECK_FALSE(root.next_sibling());
  const node get = root.first_child().first_child();
  CHECK(get.is("urn:s", "Get"));
  CHECK(get.prefix().empty());
  CHECK(get.has_children());
  CHECK(get.parent().parent() == root);
  const node id = get.first_child();
  CHECK(id.is("urn:s", "Id"));
  CHECK(id.text() == "7");
  CHECK_FALSE(id.has_children());
  CHECK(id.next_sibling().local() == "Name");
  CHECK(id.next_sibling().text().empty());
  CHECK_FALSE(id.next_sibling().next_sibling());
  CHECK(get.attribute("urn:e", "a") == "1");
  CHECK(get.attribute("", "b") == "2");
  CHECK(get.attribute("", "a") == std::nullopt);
  CHECK(get.attribute("urn:s", "b") == std::nullopt);
  CHECK_FALSE(node());
}

TEST_CASE("attributes come in their order, declarations among them", "[reading]") {
  const message read("<a x='1' xmlns='urn:d' p:y='2' xmlns:p='urn:p' xml:lang='en'/>");
  std::string all;
  for (const auto each : read.root.attributes()) {
    all += "{"s.append(each.ns()) + "}";
    all.append(each.prefix()) += ":";
    all.append(each.local()) += "=";
    all.append(each.value()) += " ";
  }
  CHECK(
      all ==
      "{}:x=1 {http://www.w3.org/2000/xmlns/}:xmlns=urn:d {urn:p}p:y=2 "
      "{http://www.w3.org/2000/xmlns/}xmlns:p=urn:p "
      "{http://www.w3.org/XML/1998/namespace}xml:lang=en ");
}

TEST_CASE("text without escapes is not copied", "[reading]") {
  const message read(
      "<p:a xmlns:p='urn:p' b='value'><c>plain \xc3\xa9\n</c><d><![CDATA[<]]></d></p:a>");
  CHECK(read.holds(read.root.local()));
  CHECK(read.holds(read.root.prefix()));
  CHECK(read.holds(read.root.ns()));
  CHECK(read.holds(*read.root.attribute("", "b")));
  CHECK(read.holds(read.root.first_child().text()));
  CHECK(read.holds(read.root.first_child().next_sibling().text()));
  CHECK(read.root.first_child().next_sibling().text() == "<");
  const message decoded("<a>&lt;</a>");
  CHECK_FALSE(decoded.holds(decoded.root.text()));
}

TEST_CASE("text is one piece across references, CDATA and comments", "[reading]") {
  CHECK(text_of("<a>1<!-- -->23</a>") == "123");
  CHECK(text_of("<a><![CDATA[1]]>2<![CDATA[&lt;]]></a>") == "12&lt;");
  CHECK(text_of("<a>&#49;2&amp;3</a>") == "12&3");
  CHECK(text_of("<a>1<!--x--><!--y-->2&lt;<![CDATA[3]]><!----></a>") == "12<3");
  CHECK(text_of("<a><!-- only --></a>").empty());
  CHECK(text_of("<a><![CDATA[]]></a>").empty());
  CHECK(text_of("<a><![CDATA[]]]]></a>") == "]]");
  CHECK(text_of("<a>]] ]&gt; ]]&gt; > ></a>") == "]] ]> ]]> > >");
  CHECK(text_of("<a> &#32;</a>") == "  ");
  CHECK(text_of("<a>x<b/></a>").empty());
  CHECK(text_of("<a>x&lt;<b/>y&lt;</a>").empty());
}

TEST_CASE("texts of several elements do not mix", "[reading]") {
  const message read(
      "<r>&lt;<a>&amp;1</a> &#32;<b c='&quot;&apos;'>2<!---->3</b><c>4&#x35;</c></r>");
  const node a = read.root.first_child();
  CHECK(a.text() == "&1");
  CHECK(a.next_sibling().text() == "23");
  CHECK(a.next_sibling().attribute("", "c") == "\"'");
  CHECK(a.next_sibling().next_sibling().text() == "45");
}

TEST_CASE("the five entities and character references are expanded", "[reading]") {
  CHECK(text_of("<a>&lt;&gt;&amp;&quot;&apos;</a>") == "<>&\"'");
  CHECK(text_of("<a>&#x41;&#65;&#x0000000000000000000041;&#00065;</a>") == "AAAA");
  CHECK(
      text_of("<a>&#xe9;&#x20AC;&#x10ffff;&#xFFFD;</a>") ==
      "\xc3\xa9\xe2\x82\xac\xf4\x8f\xbf\xbf\xef\xbf\xbd");
  CHECK(text_of("<a>&#9;&#10;&#13;</a>") == "\t\n\r");
  CHECK(text_of("<a>&amp;lt;&#38;#60;</a>") == "&lt;&#60;");
}

TEST_CASE("line ends become line feeds, except those of character references", "[reading]") {
  CHECK(text_of("<a>1\r\n2\r3\n4\r\r\n5\n\r6</a>") == "1\n2\n3\n4\n\n5\n\n6");
  CHECK(text_of("<a>\r</a>") == "\n");
  CHECK(text_of("<a>&#13;\n</a>") == "\r\n");
  CHECK(text_of("<a><![CDATA[1\r\n2\r&#13;]]></a>") == "1\n2\n&#13;");
  CHECK(text_of("<a>1\r<!-- -->\n2</a>") == "1\n\n2");
}

TEST_CASE("white space in attribute values becomes spaces, and none is lost", "[reading]") {
  const auto value = [](std::string_view spelled) {
    std::string quoted = "<a b=\"";
    return std::string(*message(quoted.append(spelled) + "\"/>").root.attribute("", "b"));
  };
  CHECK(value(" 1\t2\n3\r\n4\r5  ") == " 1 2 3 4 5  ");
  CHECK(value("&#9;&#10;&#13;&#32;") == "\t\n\r ");
  CHECK(value("&#13;\n") == "\r ");
  CHECK(value("'>]]>") == "'>]]>");
  CHECK(value("&lt;&amp;&quot;&apos;") == "<&\"'");
  CHECK(value("").empty());
}

TEST_CASE("text beside child elements is found if it is more than white space", "[reading]") {
  const auto stray = [](std::string_view bytes) { return message(bytes).root.has_stray_text(); };
  CHECK_FALSE(stray("<a> \t\r\n<b/> <b>x</b><!-- x -->&#32;<![CDATA[ ]]></a>"));
  CHECK_FALSE(stray("<a>text</a>"));
  CHECK_FALSE(stray("<a/>"));
  CHECK(stray("<a>x<b/></a>"));
  CHECK(stray("<a><b/>x</a>"));
  CHECK(stray("<a><b/> <b/>x<b/></a>"));
  CHECK(stray("<a>&#120;<b/></a>"));
  CHECK(stray("<a><b/><![CDATA[x]]></a>"));
  CHECK_FALSE(message("<a>x<b> </b></a>").root.first_child().has_stray_text());
}

TEST_CASE("the source of an element is its received text", "[reading]") {
  const message read("<a>\r\n<p:b xmlns:p='u' c = '&lt;' >x&amp;<d  /></p:b ><e/> </a> ");
  const node b = read.root.first_child();
  CHECK(b.source() == "<p:b xmlns:p='u' c = '&lt;' >x&amp;<d  /></p:b >");
  CHECK(b.first_child().source() == "<d  />");
  CHECK(b.next_sibling().source() == "<e/>");
  CHECK(read.root.source().starts_with("<a>\r\n"));
  CHECK(read.root.source().ends_with("</a>"));
}

// ---- well-formedness: XML 1.0 ----

TEST_CASE("tags that are well-formed are accepted", "[reading]") {
  for (const std::string bytes :
       {"<a/>",
        "<a></a>",
        "<a ></a >",
        "<a\t\r\n></a\t\r\n>",
        "<a />",
        "<a b=''/>",
        "<a b=''></a>",
        "<a b = '' c\n=\n\"\" />",
        "<a><b/><b></b></a>",
        "\n<a/>\n",
        "<a b='' />",
        "<a:b xmlns:a='u'></a:b>"}) {
    CHECK(is_accepted(bytes));
  }
}

TEST_CASE("tags that are not well-formed are refused", "[reading]") {
  for (const std::string bytes :
       {"<a>",      "<a",          "<",           "<a><b></a></b>", "<a></A>", "<a></aa>",
        "<aa></a>", "</a>",        "<a></a></a>", "<a></ a>",       "< a/>",   "<a></a b=''>",
        "<a></a/>", "<a/ >",       "<a//>",       "<a><b></a>",     "<a></a",  "<a></",
        "<a><",     "<a></>",      "<>",          "<a></a x>",      "<a><b",   "<a/",
        "<a /",     "<a></b:a>",   "<<a/>",       "<a<b/>",         "<a&b/>",  "<a\x01/>",
        "<a></a\n", "<a></a><b/>", "<a/><a/>"}) {
    CHECK(is_malformed(bytes));
  }
}

TEST_CASE("attributes that are not well-formed are refused", "[reading]") {
  for (const std::string bytes :
       {"<a b/>",
        "<a b=/>",
        "<a b=c/>",
        "<a b='1'c='2'/>",
        "<a b='1\"/>",
        "<a b='1/>",
        "<a b=\"1'/>",
        "<a ='1'/>",
        "<a b='<'/>",
        "<a b='&'/>",
        "<a b='& '/>",
        "<a b='&x;'/>",
        "<a b='&lt'/>",
        "<a b '1'/>",
        "<a b=='1'/>",
        "<a 1b='1'/>",
        "<a b='\x01'/>",
        "<a b='\x7f\x80'/>",
        "<a b",
        "<a b=",
        "<a b='",
        "<a b='1'",
        "<a b='1' ",
        "<a/b='1'/>",
        "<a b='1'></a c='2'>",
        "<a 'b'='1'/>",
        "<a b='1',c='2'/>",
        "<a b='1' b='2'/>",
        "<a b='1' c='' b='2'/>",
        "<a b=`1`/>",
        "<a$/>"}) {
    CHECK(is_malformed(bytes));
  }
}

TEST_CASE("names follow the full character classes", "[reading]") {
  for (const std::string name :
       {"a",
        "_",
        "_a-b.c_1",
        "A1",
        "\xc3\x80",
        "\xc3\x98",
        "\xcb\xbf",
        "\xcd\xb0",
        "\xcd\xbf",
        "\xe2\x80\x8c",
        "\xe2\x80\x8d",
        "\xe2\x81\xb0",
        "\xe2\x86\x8f",
        "\xe2\xb0\x80",
        "\xe3\x80\x81",
        "\xed\x9f\xbf",
        "\xef\xa4\x80",
        "\xef\xb7\xb0",
        "\xef\xbf\xbd",
        "\xf0\x90\x80\x80",
        "\xf3\xaf\xbf\xbf",
        "a\xc2\xb7",
        "a\xcc\x80",
        "a\xe2\x80\xbf",
        "abcdefghijklmnopqrstuvwxyz\xc3\xa9"}) {
    CHECK(is_accepted("<" + name + "/>"));
    CHECK(is_accepted("<" + name + "></" + name + ">"));
    CHECK(is_accepted("<a " + name + "='1'/>"));
    CHECK(is_accepted("<p:" + name + " xmlns:p='u' p:" + name + "='1'/>"));
    CHECK(is_accepted("<" + name + ":a xmlns:" + name + "='u'/>"));
    CHECK(message("<" + name + "/>").root.local() == name);
  }
}

TEST_CASE("invalid names are refused", "[reading]") {
  for (const std::string name :
       {"1",
        "-a",
        ".a",
        "\xc2\xb7",
        "\xcc\x80",
        "a\xc3\x97",
        "\xc3\x97",
        "\xc3\xb7",
        "\xcd\xbe",
        "\xe2\x80\x8b",
        "\xe2\x80\x8e",
        "a\xe2\x80\xbe",
        "\xe2\x86\x90",
        "\xe3\x80\x80",
        "\xef\xb7\x90",
        "\xee\x80\x80",
        "a\xef\xbf\xbe",
        "\xf3\xb0\x80\x80",
        "a\xff",
        "a\xc3",
        "a\xed\xa0\x80",
        "a+b",
        "a!",
        "a\x7f",
        "a\xc2\xa0"}) {
    CHECK(is_malformed("<" + name + "/>"));
    CHECK(is_malformed("<" + name + "></" + name + ">"));
    CHECK(is_malformed("<a " + name + "='1'/>"));
    CHECK(is_malformed("<p:" + name + " xmlns:p='u'/>"));
    CHECK(is_malformed("<a xmlns:" + name + "='u'/>"));
    CHECK(is_malformed("<a></" + name + ">"));
  }
}

TEST_CASE("references that are not well-formed are refused", "[reading]") {
  for (const std::string reference :
       {"&",
        "&;",
        "& ;",
        "&&lt;",
        "&lt",
        "&lt ;",
        "&LT;",
        "&nbsp;",
        "&foo;",
        "&a:b;",
        "&1;",
        "&#;",
        "&#x;",
        "&#X41;",
        "&#65",
        "&#x41",
        "&#a;",
        "&#xg;",
        "&#-1;",
        "&#+1;",
        "&# 65;",
        "&#6 5;",
        "&#0;",
        "&#x0;",
        "&#1;",
        "&#8;",
        "&#11;",
        "&#x1f;",
        "&#xd800;",
        "&#xDFFF;",
        "&#xfffe;",
        "&#65535;",
        "&#x110000;",
        "&#4294967361;",
        "&#18446744073709551681;",
        "&#x10000000000000041;",
        "&#x100000000000000000000000000000041;",
        "&\xc3\xa9;",
        "&%;",
        "&lt<",
        "&l\x01t;",
        "&#65.0;"}) {
    CHECK(is_malformed("<a>" + reference + "</a>"));
    CHECK(is_malformed("<a b='" + reference + "'/>"));
    CHECK(is_malformed("<a>x&amp;" + reference));
    CHECK(is_malformed("<a b='" + reference));
    CHECK(text_of("<a><![CDATA[" + reference.substr(0, 1) + "]]></a>") == "&");
  }
}

TEST_CASE("text, CDATA and comments that are not well-formed are refused", "[reading]") {
  for (const std::string bytes :
       {"<a>]]></a>",
        "<a>x]]]></a>",
        "<a>]]>",
        "<a><![CDATA[</a>",
        "<a><![CDATA[]]</a>",
        "<a><![cdata[]]></a>",
        "<a><![CDATA []]></a>",
        "<a><! [CDATA[]]></a>",
        "<a><![CDATA[x]]>]]></a>",
        "<a><![CDATA[\x01]]></a>",
        "<a><![CDATA[\xff]]></a>",
        "<a><![",
        "<a><![CDATA",
        "<a><!",
        "<a><!-",
        "<a><!-- -- --></a>",
        "<a><!-- ---></a>",
        "<a><!--></a>",
        "<a><!---></a>",
        "<a><!- - --></a>",
        "<a><!-- </a>",
        "<a><!-- \x02 --></a>",
        "<a><!-- \xc0\x80 --></a>",
        "<!-- -- --><a/>",
        "<!---",
        "<a/><!-- -- -->",
        "<a/><!-- ",
        "<a><!ELEMENT a ANY></a>",
        "<a><!></a>",
        "<a><!a></a>",
        "<a><!-- \xef\xbf\xbf --></a>"}) {
    CHECK(is_malformed(bytes));
  }
}

TEST_CASE("']]>' is refused wherever it is in a text, and only as it is written", "[reading]") {
  const std::string beside[] = {
      "", "x", "]", ">", "&gt;", "&#93;", "\r", "\xc3\xa9", "<![CDATA[]]]]>"};
  for (const std::string& before : beside)
    for (const std::string& after : beside) {
      CHECK(is_malformed("<a>" + before + "]]>" + after + "</a>"));
      for (const std::string text : {"]]&gt;", "]&#93;>", "&#93;]>", "]]<!---->>", "]] >"})
        CHECK(is_accepted("<a>" + before + text + after + "</a>"));
    }
}

TEST_CASE("comments may hold what text may not", "[reading]") {
  CHECK(is_accepted("<!----><a><!-- <b> & ]]> - \xc3\xa9 <!DOCTYPE --></a><!--\n-->"));
}

TEST_CASE("characters that XML does not have are refused everywhere", "[reading]") {
  std::vector<std::string> bad = {
      "\x80"s,
      "\xbf"s,
      "\xc0\x80"s,
      "\xc1\xbf"s,
      "\xc3"s,
      "\xc3("s,
      "\xe0\x80\x80"s,
      "\xe0\x9f\xbf"s,
      "\xe2\x82"s,
      "\xe2\x28\xa1"s,
      "\xed\xa0\x80"s,
      "\xed\xbf\xbf"s,
      "\xef\xbf\xbe"s,
      "\xef\xbf\xbf"s,
      "\xf0\x80\x80\x80"s,
      "\xf0\x8f\xbf\xbf"s,
      "\xf0\x90\x80"s,
      "\xf4\x90\x80\x80"s,
      "\xf5\x80\x80\x80"s,
      "\xf8\x88\x80\x80\x80"s,
      "\xfe"s,
      "\xff"s,
      "\xed\xa0\xb4\xed\xb4\x9e"s};
  for (char c = 0; c < ' '; ++c)
    if (c != '\t' && c != '\n' && c != '\r') bad.emplace_back(1, c);
  for (const std::string& each : bad) {
    CAPTURE(each);
    CHECK(is_malformed("<a>" + each + "</a>"));
    CHECK(is_malformed("<a>a long run of plain text before" + each + " and after it</a>"));
    CHECK(is_malformed("<a>" + each));
    CHECK(is_malformed("<a b='" + each + "'/>"));
    CHECK(is_malformed("<a b=\"a long run of plain text before" + each + "\"/>"));
    CHECK(is_malformed("<a><![CDATA[" + each + "]]></a>"));
    CHECK(is_malformed("<a><!--" + each + "--></a>"));
    CHECK(is_malformed("<!--" + each + "--><a/>"));
    CHECK(is_malformed("<a/>" + each));
    CHECK(is_malformed("<a" + each + "/>"));
    CHECK(is_malformed("<a>&l" + each + "t;</a>"));
    CHECK(is_malformed(each + "<a/>"));
  }
}

TEST_CASE("characters that XML has are accepted", "[reading]") {
  for (const std::string text :
       {"\t\n ",
        "\x7f",
        "\xc2\x80\xc2\x85\xc2\x9f",
        "\xdf\xbf",
        "\xe0\xa0\x80",
        "\xed\x9f\xbf",
        "\xee\x80\x80",
        "\xef\xbf\xbd",
        "\xef\xbb\xbf",
        "\xef\xb7\x90",
        "\xf0\x90\x80\x80",
        "\xf0\x9f\xbf\xbe",
        "\xf4\x8f\xbf\xbf",
        "\xe2\x80\xa8"}) {
    CHECK(text_of("<a>" + text + "</a>") == text);
    CHECK(text_of("<a><![CDATA[" + text + "]]></a>") == text);
    CHECK(is_accepted("<a b='" + text + "'><!--" + text + "--></a>"));
  }
}

TEST_CASE("every position of a run in a scanned block is checked", "[reading]") {
  for (std::size_t before = 0; before < 40; ++before) {
    CAPTURE(before);
    const std::string plain(before, 'x');
    for (const std::size_t after : {0U, 1U, 7U, 8U, 15U, 16U, 33U}) {
      const std::string rest(after, 'y');
      CHECK(text_of("<a>" + plain + "&lt;" + rest + "</a>") == plain + "<" + rest);
      CHECK(text_of("<a>" + plain + "\r" + rest + "</a>") == plain + "\n" + rest);
      CHECK(
          text_of("<a>" + plain + "]\t\n\xc3\xa9" + rest + "</a>") ==
          plain + "]\t\n\xc3\xa9" + rest);
      for (const std::string each : {"\x0b", "\x80", "]]>", "&", "\xc3"}) {
        CHECK(is_malformed("<a>" + plain + each + rest + "</a>"));
        if (each != "]]>") CHECK(is_malformed("<a b='" + plain + each + rest + "'/>"));
      }
      CHECK(is_malformed("<a b='" + plain + "<" + rest + "'/>"));
      const message value("<a b='" + plain + "\t" + rest + "'/>");
      CHECK(value.root.attribute("", "b") == plain + " " + rest);
      const std::string name = "n" + plain + rest;
      CHECK(is_accepted("<" + name + "></" + name + ">"));
      CHECK(is_malformed("<" + name + "></" + name + "x>"));
      CHECK(is_malformed("<" + name + "x></" + name + "y>"));
      CHECK(is_malformed("<x" + name + "></y" + name + ">"));
    }
  }
  for (unsigned c = 1; c < 128; ++c) {  // a name ends exactly where it must
    const bool in_name = std::isalnum(static_cast<int>(c)) || c == '_' || c == '-' || c == '.';
    const std::string name = "abc"s + static_cast<char>(c) + "defghijklmnopqrstuvw";
    CAPTURE(name);
    CHECK((refuse("<" + name + "></" + name + ">").text == "accepted") == in_name);
  }
}

TEST_CASE("a message that is cut off anywhere is refused", "[reading]") {
  const std::string whole =
      "<?xml version='1.0' encoding=\"utf-8\" standalone='yes'?><!-- c --><p:a xmlns:p='urn:p' "
      "b=\"1&lt;"
      "\xc3\xa9\"><c d='&#x41;'>t&amp;\xe2\x82\xac]]<![CDATA[x]]></c><e /><!-- - --></p:a>";
  CHECK(is_accepted(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(is_malformed(whole.substr(0, size)));
}

TEST_CASE("an XML declaration that is well-formed is accepted", "[reading][rule-14]") {
  for (const std::string declaration :
       {"",
        "<?xml version='1.0'?>",
        "<?xml version=\"1.0\" ?>",
        "<?xml  version = '1.0'\n?>",
        "<?xml version='1.1'?>",
        "<?xml version='1.99'?>",
        "<?xml version='1.0' encoding='UTF-8'?>",
        "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>",
        "<?xml version='1.0' standalone='no'?>",
        "<?xml\tversion='1.0'\r\nencoding\n=\n\"us-ascii\"?>"}) {
    CHECK(is_accepted(declaration + "<a/>"));
    CHECK(is_accepted(declaration + "\n<!-- -->\n<a/>"));
  }
}

TEST_CASE("an XML declaration that is not well-formed is refused", "[reading]") {
  for (const std::string declaration :
       {" <?xml version='1.0'?>",
        "<!-- --><?xml version='1.0'?>",
        "<?xml?>",
        "<?xml ?>",
        "<?xml version=1.0?>",
        "<?xml version='1'?>",
        "<?xml version='1.'?>",
        "<?xml version='2.0'?>",
        "<?xml version='1.0a'?>",
        "<?xml version=''?>",
        "<?xml version='1.0'>",
        "<?xml version='1.0\"?>",
        "<?xml version='1.0'",
        "<?xml version='1.0' ? >",
        "<?xml encoding='UTF-8'?>",
        "<?xml encoding='UTF-8' version='1.0'?>",
        "<?xml version='1.0'encoding='UTF-8'?>",
        "<?xml version='1.0' encoding=''?>",
        "<?xml version='1.0' encoding='-8'?>",
        "<?xml version='1.0' encoding='_8'?>",
        "<?xml version='1.0' encoding='utf 8'?>",
        "<?xml version='1.0' encoding='utf:8'?>",
        "<?xml version='1.0' encoding=utf-8?>",
        "<?xml version='1.0' standalone='YES'?>",
        "<?xml version='1.0' standalone=''?>",
        "<?xml version='1.0' standalone='yes' encoding='UTF-8'?>",
        "<?xml version='1.0' version='1.0'?>",
        "<?xml version='1.0' other='1'?>",
        "<?xml version='1.0' x?>",
        "<?xml Version='1.0'?>",
        "<?XML version='1.0'?>",
        "<?xmlversion='1.0'?>",
        "<?xml version '1.0'?>",
        "<?xml version='1.0'?><?xml version='1.0'?>",
        "<? xml version='1.0'?>",
        "<?xml version='1.0'/>",
        "<?xml",
        "<?",
        "<?xml version",
        "<?xml version=",
        "<?xml version='"}) {
    CHECK(is_malformed(declaration + "<a/>"));
    CHECK(is_malformed(declaration));
  }
}

TEST_CASE("content before or after the root element is refused", "[reading]") {
  for (const std::string bytes :
       {"",
        " ",
        "\n",
        "<!-- -->",
        "<?xml version='1.0'?>",
        "x",
        "x<a/>",
        "&lt;<a/>",
        "<![CDATA[]]><a/>",
        "<a/>x",
        "<a/>&lt;",
        "<a/><b/>",
        "<a/><![CDATA[]]>",
        "<a/></a>",
        "<a/><",
        "<a/> x",
        "<a></a>&#32;",
        "\xef\xbb\xbf\xef\xbb\xbf<a/>",
        "<a/>\xef\xbb\xbf",
        "{}",
        "\x0c<a/>",
        "&#32;<a/>"}) {
    CHECK(is_malformed(bytes));
    CHECK(is_malformed("<a/>\0"sv));
    CHECK(is_malformed("\0<a/>"sv, "utf-8"));
    CHECK(is_malformed("<a/>\0x"sv));
    CHECK(is_malformed(std::string_view()));
  }
}

TEST_CASE("document type declarations are refused with their own text", "[reading][rule-8][dtd]") {
  const std::string says = "document type declaration";
  CHECK_THAT(refuse("<!DOCTYPE a><a/>").text, Catch::Contains(says));
  CHECK_THAT(
      refuse("<?xml version='1.0'?>\n<!-- --><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>").text,
      Catch::Contains(says));
  CHECK_THAT(refuse("<a/><!DOCTYPE a>").text, Catch::Contains(says));
  CHECK_THAT(refuse("<a><!DOCTYPE a></a>").text, Catch::Contains(says));
  CHECK(refuse("\n <!DOCTYPE a><a/>").text.starts_with("line 2, column 2: "));
  CHECK(refuse("<!DOCTYPE a><a/>").why == reason::malformed);
}

TEST_CASE("processing instructions are refused with their own text", "[reading][rule-8]") {
  const std::string says = "processing instruction";
  for (const char* each :
       {"<?p?><a/>",
        "<a><?p q?></a>",
        "<a/><?p?>",
        "<?xml-stylesheet href='x'?><a/>",
        "<a/>\n<!-- --><?p ?>",
        "<?xml version='1.0'?><?p?><a/>",
        "<a>x<?php echo 1 ?></a>",
        "<?XML?><a/>"})
    CHECK_THAT(refuse(each).text, Catch::Contains(says));
  CHECK_THAT(refuse(" <?xml version='1.0'?><a/>").text, Catch::Contains("very beginning"));
  CHECK_THAT(refuse("<a><?xml version='1.0'?></a>").text, Catch::Contains("very beginning"));
}

TEST_CASE("a refusal names line and column, and what was found", "[reading]") {
  struct row {
    std::string bytes, text;
  };
  const auto [bytes, text] = GENERATE(values<row>({
      {"<a></b>", "line 1, column 4: the end tag does not match the start tag at line 1, column 1"},
      {"<a>\n <b>\n</a>",
       "line 3, column 1: the end tag does not match the start tag at line 2, column 2"},
      {"<a>\r\n\r\n<b></c></a>",
       "line 3, column 4: the end tag does not match the start tag at line 3, column 1"},
      {"<a>\r\r <b></c></a>",
       "line 3, column 5: the end tag does not match the start tag at line 3, column 2"},
      {"<a>\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80&x;</a>",
       "line 1, column 7: this entity is not defined; allowed are &amp; &lt; &gt; &quot; &apos; "
       "and &#...;"},
      {"\xef\xbb\xbf<a>&x;</a>",
       "line 1, column 4: this entity is not defined; allowed are &amp; &lt; &gt; &quot; &apos; "
       "and &#...;"},
      {"<a>\n\x01</a>", "line 2, column 1: the character U+0001 is not allowed in XML"},
      {"<a>\xef\xbf\xbf</a>", "line 1, column 4: the character U+FFFF is not allowed in XML"},
      {"<a>12\xff</a>", "line 1, column 6: bytes that are not UTF-8"},
      {"<a b='' b=''/>", "line 1, column 9: a second attribute of this name"},
      {"<a b='1'c=''/>", "line 1, column 9: white space, '/' or '>' must be here"},
      {"<a><p:b/></a>", "line 1, column 5: this namespace prefix is not declared"},
      {"<a\n  p:b=''/>", "line 2, column 3: this namespace prefix is not declared"},
      {"<a><b>",
       "line 1, column 7: the message ends before the end tag of the element at line 1, column "
       "4"},
      {"<a>text",
       "line 1, column 8: the message ends before the end tag of the element at line 1, column "
       "1"},
      {"<a/>\n<b/>", "line 2, column 1: content after the root element"},
      {"<a>1]]>2</a>", "line 1, column 5: ']]>' in text; write ]]&gt;"},
      {"<a><!-- - -- --></a>", "line 1, column 11: '--' inside a comment"},
      {"", "line 1, column 1: the message has no root element"},
      {"<a>&#0;</a>",
       "line 1, column 4: the reference is to a character that is not allowed in XML"},
  }));
  CHECK(refuse(bytes).text == text);
}

TEST_CASE("a refusal of markup quotes none of it", "[reading]") {
  // Text that looks like markup may be a part of an unescaped password.
  for (const char* bytes :
       {"<a><hunter2></a>",
        "<a><hunter2>",
        "<a></hunter2>",
        "<a>&hunter2;</a>",
        "<a>&hunter2</a>",
        "<a><hunter2:b/></a>",
        "<a xmlns:hunter2=''/>",
        "<a hunter2='' hunter2=''/>"}) {
    INFO(bytes);
    const std::string text = refuse(bytes).text;
    CHECK(text.starts_with("line 1, column "));
    CHECK_THAT(text, !Catch::Contains("hunter2"));
  }
}

// ---- namespaces ----

TEST_CASE("declarations hold for their element and what is inside", "[reading]") {
  const message read(
      "<a xmlns='urn:1' xmlns:p='urn:p'><b xmlns='urn:2' xmlns:p='urn:q'><p:c/><c "
      "xmlns=''><d/></c>"
      "<c/></b><p:b/><b p:e='' e=''/></a>");
  const node b = read.root.first_child();
  CHECK(read.root.ns() == "urn:1");
  CHECK(b.ns() == "urn:2");
  const node c = b.first_child();
  CHECK(c.ns() == "urn:q");
  CHECK(c.next_sibling().ns().empty());
  CHECK(c.next_sibling().first_child().ns().empty());
  CHECK(c.next_sibling().next_sibling().ns() == "urn:2");
  CHECK(b.next_sibling().ns() == "urn:p");
  const node last = b.next_sibling().next_sibling();
  CHECK(last.ns() == "urn:1");
  CHECK(last.attribute("urn:p", "e").has_value());
  CHECK(last.attribute("", "e").has_value());
  CHECK_FALSE(last.attribute("urn:1", "e").has_value());
}

TEST_CASE("a declaration holds for the names before it in its tag", "[reading]") {
  const message read("<p:a p:b='1' xmlns:p='urn:&#112;'/>");
  CHECK(read.root.is("urn:p", "a"));
  CHECK(read.root.attribute("urn:p", "b") == "1");
}

TEST_CASE("a prefix can be looked up where it is in scope", "[reading]") {
  const message read(
      "<a xmlns:p='urn:1'><b xmlns='urn:d' xmlns:p='urn:2' xmlns:q='urn:3'/><c/></a>");
  const node a = read.root, b = a.first_child(), c = b.next_sibling();
  CHECK(a.namespace_of("p") == "urn:1");
  CHECK(b.namespace_of("p") == "urn:2");
  CHECK(c.namespace_of("p") == "urn:1");
  CHECK(b.namespace_of("q") == "urn:3");
  CHECK(c.namespace_of("q") == std::nullopt);
  CHECK(a.namespace_of("").value().empty());
  CHECK(b.namespace_of("") == "urn:d");
  CHECK(c.namespace_of("").value().empty());
  CHECK(a.namespace_of("xml") == "http://www.w3.org/XML/1998/namespace");
  CHECK(a.namespace_of("nobody") == std::nullopt);
  std::string many = "<a";
  for (int i = 0; i < 200; ++i)
    many += " xmlns:p" + std::to_string(i) + "='urn:" + std::to_string(i) + "'";
  const message wide(many + "><b/></a>");
  for (int i = 0; i < 200; ++i)
    CHECK(
        wide.root.first_child().namespace_of("p" + std::to_string(i)) ==
        "urn:" + std::to_string(i));
  CHECK(wide.root.namespace_of("p200") == std::nullopt);
}

TEST_CASE("equal namespaces in scope are the same characters", "[reading]") {
  const message read(
      "<a xmlns='urn:1' xmlns:p='urn:1'><p:b/><c xmlns:q='urn:1'><q:d p:e=''/></c></a>");
  const char* const data = read.root.ns().data();
  const node b = read.root.first_child(), d = b.next_sibling().first_child();
  CHECK(b.ns().data() == data);
  CHECK(d.ns().data() == data);
  CHECK((*d.attributes().begin()).ns().data() == data);
}

TEST_CASE("documents that are namespace-well-formed are accepted", "[reading]") {
  for (const std::string bytes :
       {"<a xml:lang='en' xml:space='x' xml:other=''/>",
        "<xml:a/>",
        "<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>",
        "<a xmlns=''/>",
        "<a xmlns:xmlx='u'/>",
        "<xmlfoo/>",
        "<a xmlns:a='u' a:a='1' a='2'/>",
        "<a xmlns='u' xmlns:p='u' b='1' p:b='2'/>",
        "<a xmlns:p='u' xmlns:q='v' p:b='' q:b='' b=''/>",
        "<a xmlns:p='u'><b xmlns:p='v' p:c=''/></a>",
        "<a xmlns='x' xmlns:p='x'/>",
        "<a xmlns:p='not a uri &lt;'/>",
        "<a xmlns=' '/>",
        "<a xmlns:p=' '/>"}) {
    CHECK(is_accepted(bytes));
  }
}

TEST_CASE("documents that are not namespace-well-formed are refused", "[reading]") {
  for (const std::string bytes :
       {"<p:a/>",
        "<a p:b=''/>",
        "<a><b xmlns:p='u'/><p:c/></a>",
        "<a xmlns:p='u'></a><p:b/>",
        "<:a/>",
        "<a:/>",
        "<a:b:c xmlns:a='u'/>",
        "<a::b xmlns:a='u'/>",
        "<:/>",
        "<a :b=''/>",
        "<a b:=''/>",
        "<a xmlns:p='u' p:b:c=''/>",
        "<a:1 xmlns:a='u'/>",
        "<a xmlns:='u'/>",
        "<a xmlns:p:q='u'/>",
        "<a xmlns:p=''/>",
        "<a xmlns:p='u'><b xmlns:p=''/></a>",
        "<a xmlns:xml='u'/>",
        "<a xmlns:xml=''/>",
        "<a xmlns:xmlns='u'/>",
        "<a xmlns:xmlns='http://www.w3.org/2000/xmlns/'/>",
        "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>",
        "<a xmlns='http://www.w3.org/2000/xmlns/'/>",
        "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
        "<a xmlns='http://www.w3.org/XML/1998/namespace'/>",
        "<a xmlns:p='http://www.w3.org/XML/1998/&#110;amespace'/>",
        "<xmlns:a/>",
        "<a><xmlns:b/></a>",
        "<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>",
        "<a xmlns:p='u' xmlns:q='&#117;' p:b='' q:b=''/>",
        "<a xmlns:p='u'><b xmlns:q='u' p:c='' q:c=''/></a>",
        "<a xmlns='u' xmlns='u'/>",
        "<a xmlns:p='u' xmlns:p='v'/>",
        "<a xml:b='' xml:b=''/>",
        "<a xmlns:p='u'></p:a>",
        "<p:a xmlns:p='u'></a>",
        "<p:a xmlns:p='u' xmlns:q='u'></q:a>",
        "<a xmlns:a='u'>&a:b;</a>",
        "<A xmlns:p='u'><P:b/></A>"}) {
    CHECK(is_malformed(bytes));
  }
}

TEST_CASE("a second attribute is found among few and among many", "[reading]") {
  // Eight further declarations: then one of two equal namespaces is hashed, and the other is not.
  const auto further = GENERATE(0U, 8U);
  for (const std::size_t count : {2U, 8U, 9U, 16U, 17U, 100U, 250U}) {
    CAPTURE(further, count);
    std::string tag = "<a xmlns:p='u'";
    for (unsigned i = 0; i < further; ++i)
      tag += " xmlns:f" + std::to_string(i) + "='f" + std::to_string(i) + "'";
    tag += " xmlns:q='u'";
    for (std::size_t i = 0; i < count; ++i)
      tag += " n" + std::to_string(i) + "='' p:n" + std::to_string(i) + "=''";
    message_limits bounds;
    bounds.max_attributes = 1000;
    CHECK(refuse(tag + "/>", "", bounds).text == "accepted");
    for (const std::size_t twice : {std::size_t{0}, count / 2, count - 1}) {
      const std::string name = "n" + std::to_string(twice);
      CHECK_THAT(
          refuse(tag + " " + name + "=''/>", "", bounds).text,
          Catch::Contains("a second attribute of this name"));
      CHECK_THAT(
          refuse(tag + " q:" + name + "=''/>", "", bounds).text,
          Catch::Contains("a second attribute of this name"));
    }
  }
}

// ---- limits ----

TEST_CASE(
    "each limit holds at its bound and refuses one more, by name and value", "[reading][limits]") {
  struct row {
    std::size_t message_limits::*bound;
    std::string (*bytes)(std::size_t size);
    std::string name;
  };
  const auto [bound, bytes, name] = GENERATE(values<row>({
      {&message_limits::max_body_bytes,
       [](std::size_t n) { return "<a>" + repeat("x", n - 7) + "</a>"; },
       "max_body_bytes"},
      {&message_limits::max_depth,
       [](std::size_t n) { return repeat("<a>", n) + repeat("</a>", n); },
       "max_depth"},
      {&message_limits::max_depth,
       [](std::size_t n) { return repeat("<a>", n - 1) + "<a/>" + repeat("</a>", n - 1); },
       "max_depth"},
      {&message_limits::max_elements,
       [](std::size_t n) { return "<a>" + repeat("<b/>", n - 1) + "</a>"; },
       "max_elements"},
      {&message_limits::max_elements,
       [](std::size_t n) {
         return "<a>" + repeat("<b c='' d=''/>", n / 2) + (n % 2 != 0 ? "<b c=''/></a>" : "</a>");
       },
       "max_elements"},
      {&message_limits::max_attributes,
       [](std::size_t n) {
         std::string tag = "<a";
         for (std::size_t i = 0; i < n; ++i)
           tag += " b" + std::to_string(i) + "=''";
         return tag + "/>";
       },
       "max_attributes"},
      {&message_limits::max_namespaces,
       [](std::size_t n) {
         return "<a xmlns='u'>" + repeat("<a xmlns:p='u'>", n - 1) + repeat("</a>", n);
       },
       "max_namespaces"},
      {&message_limits::max_name_bytes,
       [](std::size_t n) { return "<" + repeat("n", n) + "/>"; },
       "max_name_bytes"},
      {&message_limits::max_name_bytes,
       [](std::size_t n) { return "<p:" + repeat("n", n - 2) + " xmlns:p='u'/>"; },
       "max_name_bytes"},
      {&message_limits::max_name_bytes,
       [](std::size_t n) { return "<a " + repeat("n", n) + "=''/>"; },
       "max_name_bytes"},
      {&message_limits::max_text_bytes,
       [](std::size_t n) { return "<a>" + repeat("t", n) + "</a>"; },
       "max_text_bytes"},
      {&message_limits::max_text_bytes,
       [](std::size_t n) { return "<a>" + repeat("&lt;", n) + "</a>"; },
       "max_text_bytes"},
      {&message_limits::max_text_bytes,
       [](std::size_t n) { return "<a>" + repeat("<![CDATA[t]]>", n) + "</a>"; },
       "max_text_bytes"},
      {&message_limits::max_text_bytes,
       [](std::size_t n) { return "<a>&lt;" + repeat("t", n - 1) + "</a>"; },
       "max_text_bytes"},
      {&message_limits::max_text_bytes,
       [](std::size_t n) { return "<a>" + repeat("t", n - 1) + "<!-- -->\r\n</a>"; },
       "max_text_bytes"},
      {&message_limits::max_text_bytes,
       [](std::size_t n) { return "<a b='" + repeat("t", n) + "'/>"; },
       "max_text_bytes"},
      {&message_limits::max_text_bytes,
       [](std::size_t n) { return "<a b='" + repeat("&lt;", n) + "'/>"; },
       "max_text_bytes"},
  }));
  message_limits bounds;
  bounds.*bound = 20;
  CAPTURE(bytes(20));
  CHECK(refuse(bytes(20), "", bounds).text == "accepted");
  const refusal over = refuse(bytes(21), "", bounds);
  CHECK(over.why == (name == "max_body_bytes" ? reason::too_large : reason::over_limit));
  CHECK_THAT(
      over.text, Catch::Contains("more than 20 ") && Catch::Contains("(limit " + name + ")"));
  CHECK(over.text.starts_with("line 1, column "));
}

TEST_CASE("the body limit counts bytes after character decoding", "[reading][limits]") {
  message_limits bounds;
  bounds.max_body_bytes = 10;
  CHECK(refuse("<a>\xe9\xe9</a>", "iso-8859-1", bounds).why == reason::too_large);
  CHECK(refuse("<a>\xe9x</a>", "iso-8859-1", bounds).text == "accepted");
  CHECK(refuse("\xff\xfe" + utf16(u"<a>xxx</a>", true), "", bounds).text == "accepted");
  CHECK(refuse("\xff\xfe" + utf16(u"<a>xxxx</a>", true), "", bounds).why == reason::too_large);
  CHECK(refuse("<a>xxxx</a>", "us-ascii", bounds).why == reason::too_large);
}

TEST_CASE("declarations count while they are in scope only", "[reading]") {
  message_limits bounds;
  bounds.max_namespaces = 2;
  const std::string once = "<b xmlns='u' xmlns:p='v'/>";
  CHECK(refuse("<a>" + repeat(once, 50) + "</a>", "", bounds).text == "accepted");
  CHECK(refuse("<a xmlns:q='w'>" + once + "</a>", "", bounds).why == reason::over_limit);
}

TEST_CASE("the guide lists each limit with its default", "[reading][limits]") {
  // A member that is added does not compile here.
  const auto
      [max_body_bytes,
       max_depth,
       max_elements,
       max_attributes,
       max_namespaces,
       max_name_bytes,
       max_text_bytes,
       max_header_blocks,
       max_namespace_bytes,
       max_pattern_steps,
       max_stream_bytes,
       max_parts,
       max_part_header_bytes,
       max_part_bytes] = message_limits();
  const std::vector<std::pair<std::string, std::uint64_t>> expected{
      {"max_body_bytes", max_body_bytes},
      {"max_depth", max_depth},
      {"max_elements", max_elements},
      {"max_attributes", max_attributes},
      {"max_namespaces", max_namespaces},
      {"max_name_bytes", max_name_bytes},
      {"max_text_bytes", max_text_bytes},
      {"max_header_blocks", max_header_blocks},
      {"max_namespace_bytes", max_namespace_bytes},
      {"max_pattern_steps", max_pattern_steps},
      {"max_stream_bytes", max_stream_bytes},
      {"max_parts", max_parts},
      {"max_part_header_bytes", max_part_header_bytes},
      {"max_part_bytes", max_part_bytes}};
  std::ifstream guide("example/features/host.md");
  std::string line;
  while (std::getline(guide, line) &&
         !line.starts_with("| `soapsvc::message_limits` | Default |")) {
  }
  std::getline(guide, line);  // the rule below the heads
  std::vector<std::pair<std::string, std::uint64_t>> listed;
  while (std::getline(guide, line) && line.starts_with("| `")) {
    const std::size_t name = line.find('`', 3), value = line.find("| ", name) + 2;
    std::string digits = line.substr(value, line.find(' ', value) - value);
    std::erase(digits, ',');
    listed.emplace_back(line.substr(3, name - 3), std::stoull(digits));
  }
  CHECK(listed == expected);
}

TEST_CASE("limits refuse before they cost memory", "[reading][limits]") {
  xml_document document;
  message_limits bounds;
  bounds.max_text_bytes = 1000;
  bounds.max_elements = 100;
  const std::string text = "<a>&lt;" + repeat("text ", 1'000'000) + "</a>";
  const std::string elements = "<a>" + repeat("<b/>", 1'000'000) + "</a>";
  for (const std::string& each : {text, elements}) {
    const std::size_t before = allocated_bytes;
    CHECK_THROWS_AS(document.parse(each, "", bounds), xml_error);
    CHECK(allocated_bytes - before < 200'000);
  }
}

// ---- encodings ----

TEST_CASE("a message is read in the encodings that are supported", "[reading]") {
  const std::string utf8 = "<a>\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80</a>",
                    expected = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
  const std::u16string wide = u"<a>\u00e9\u20ac\U0001f600</a>";
  CHECK(text_of(utf8) == expected);
  CHECK(text_of("\xef\xbb\xbf" + utf8) == expected);
  for (const char* each : {"utf-8", "UTF-8", "Utf-8", "utf8", "'utf-8'"})
    CHECK(text_of(utf8, each) == expected);
  for (const bool little : {true, false}) {
    const std::string mark = little ? "\xff\xfe" : "\xfe\xff", text = utf16(wide, little);
    CHECK(text_of(mark + text) == expected);
    CHECK(text_of(mark + text, "utf-16") == expected);
    CHECK(text_of(mark + text, "UTF-16") == expected);
    CHECK(text_of(text, "utf-16") == expected);
    CHECK(text_of(text, little ? "utf-16le" : "UTF-16BE") == expected);
    CHECK(is_malformed(text, little ? "utf-16be" : "utf-16le"));
  }
  for (const char* each : {"iso-8859-1", "ISO-8859-1", "latin1", "ISO_8859-1", "l1"})
    CHECK(text_of("<a>\xe9\xa0\x80</a>", each) == "\xc3\xa9\xc2\xa0\xc2\x80");
  for (const char* each : {"us-ascii", "US-ASCII", "ascii"})
    CHECK(text_of("<a>x</a>", each) == "x");
  for (const char* each : {"'", "''", "'utf-8", "utf-8'", "'none'"})
    CHECK_THROWS_AS(text_of("<a/>", each), xml_error);
  CHECK(text_of("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>") == "\xc3\xa9");
  CHECK(text_of("<?xml version='1.0' encoding=\"us-ascii\"?><a>e</a>") == "e");
  const message names("<?xml version='1.0' encoding='latin1'?><\xe9 \xe8='\xe7'/>");
  CHECK(names.root.local() == "\xc3\xa9");
  CHECK(names.root.attribute("", "\xc3\xa8") == "\xc3\xa7");
  CHECK(names.root.source() == "<\xc3\xa9 \xc3\xa8='\xc3\xa7'/>");
}

TEST_CASE(
    "the byte order mark decides the encoding, then the charset, then the declaration",
    "[reading]") {
  const std::string latin = "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xc3\xa9</a>";
  const std::string wide = "<?xml version='1.0' encoding='UTF-16'?><a>\xc3\xa9</a>";
  CHECK(text_of(latin) == "\xc3\x83\xc2\xa9");
  CHECK(text_of(latin, "utf-8") == "\xc3\xa9");
  CHECK(text_of(wide, "utf-8") == "\xc3\xa9");
  CHECK(text_of("<?xml version='1.0' encoding='koi8-r'?><a>\xc3\xa9</a>", "UTF-8") == "\xc3\xa9");
  CHECK(text_of("<?xml version='1.0' encoding='UTF-8'?><a>\xe9</a>", "iso-8859-1") == "\xc3\xa9");
  CHECK(text_of("\xef\xbb\xbf<a>\xc3\xa9</a>", "iso-8859-1") == "\xc3\xa9");
  CHECK(text_of("\xef\xbb\xbf" + latin, "utf-8") == "\xc3\xa9");
  CHECK(text_of("\xef\xbb\xbf<a>\xc3\xa9</a>", "koi8-r") == "\xc3\xa9");
  CHECK(text_of("\xff\xfe" + utf16(u"<a>\u00e9</a>", true), "utf-8") == "\xc3\xa9");
  CHECK(
      text_of(
          "\xff\xfe" + utf16(u"<?xml version='1.0' encoding='utf-8'?><a>\u00e9</a>", true),
          "utf-16") == "\xc3\xa9");
  CHECK(
      text_of("\xff\xfe" + utf16(u"<?xml version='1.0' encoding='UTF-16LE'?><a/>", true)).empty());
  CHECK(text_of(utf16(u"<?xml version='1.0' encoding='UTF-16'?><a>x</a>", false)) == "x");
}

TEST_CASE("mark, charset and declaration are weighed alike in every combination", "[reading]") {
  // RFC 7303, 3: the first of the three that speaks decides. XML 1.0, 4.3.3: without a charset
  // the declaration must be true, and UTF-16 has a mark or (tolerated) a declaration.
  struct coding {
    std::string name;  // as the bytes are; of UTF-16 with its order
    std::string mark;
  };
  const coding codings[] = {
      {"utf-8", "\xef\xbb\xbf"},
      {"utf-16le", "\xff\xfe"},
      {"utf-16be", "\xfe\xff"},
      {"iso-8859-1", ""},
      {"us-ascii", ""}};
  const std::string labels[] = {
      "", "utf-8", "utf-16", "utf-16le", "utf-16be", "iso-8859-1", "us-ascii", "euc-jp"};
  const auto names = [](const std::string& label, const std::string& coded) {
    return label == coded || (label == "utf-16" && coded.starts_with(label));
  };
  const auto is_wide = [](const std::string& name) { return name.starts_with("utf-16"); };
  for (const coding& bytes : codings)
    for (const bool marked : {false, true})
      for (const std::string& charset : labels)
        for (const std::string& declared : labels) {
          if (marked && bytes.mark.empty()) continue;
          const std::string ascii =
              (declared.empty() ? "" : "<?xml version='1.0' encoding='" + declared + "'?>") +
              "<a>x</a>";
          const std::u16string wide(ascii.begin(), ascii.end());
          const std::string text =
              (marked ? bytes.mark : "") +
              (is_wide(bytes.name) ? utf16(wide, bytes.name == "utf-16le") : ascii);
          CAPTURE(bytes.name, marked, charset, declared);
          // ASCII text reads alike in all of these.
          const auto narrow = [&](const std::string& name) {
            return name == "utf-8" || name == "iso-8859-1" || name == "us-ascii";
          };
          std::string expected = "accepted";
          if (!marked && charset == "euc-jp")
            expected = "unsupported";
          else if (!marked && !charset.empty())
            expected = names(charset, bytes.name) || (narrow(charset) && narrow(bytes.name))
                           ? "accepted"
                           : "malformed";
          else if (charset.empty() && marked)
            expected = declared.empty() || names(declared, bytes.name) ? "accepted" : "malformed";
          else if (!marked && is_wide(bytes.name))
            expected = names(declared, bytes.name) ? "accepted" : "malformed";
          else if (!marked && declared == "euc-jp")
            expected = "unsupported";
          else if (!marked)
            expected = declared.empty() || narrow(declared) ? "accepted" : "malformed";
          const refusal found = refuse(text, charset);
          const std::string got = found.text == "accepted"                    ? "accepted"
                                  : found.why == reason::malformed            ? "malformed"
                                  : found.why == reason::unsupported_encoding ? "unsupported"
                                                                              : "other";
          CHECK(got == expected);
        }
}

TEST_CASE("an encoding declaration that is not overridden must be correct", "[reading]") {
  CHECK(is_malformed("\xef\xbb\xbf<?xml version='1.0' encoding='ISO-8859-1'?><a/>"));
  CHECK(is_malformed("\xff\xfe" + utf16(u"<?xml version='1.0' encoding='UTF-8'?><a/>", true)));
  CHECK(is_malformed("\xfe\xff" + utf16(u"<?xml version='1.0' encoding='UTF-16LE'?><a/>", false)));
  CHECK(is_malformed("<?xml version='1.0' encoding='UTF-16'?><a/>"));
  CHECK(is_malformed(utf16(u"<a/>", true)));
  CHECK(is_malformed(utf16(u"<?xml version='1.0'?><a/>", false)));
}

TEST_CASE("bytes that the encoding does not have are malformed", "[reading]") {
  CHECK(is_malformed("<a>\xe9</a>"));
  CHECK(is_malformed("<a>\xe9</a>", "utf-8"));
  CHECK(refuse("<a>\n\xe9</a>", "us-ascii").text == "line 2, column 1: a byte beyond US-ASCII");
  CHECK(is_malformed("<?xml version='1.0' encoding='us-ascii'?><a>\xc3\xa9</a>"));
  CHECK(is_malformed("<a/>", "utf-16"));
  CHECK(is_malformed("<a/>", "utf-16le"));
  CHECK(is_malformed(utf16(u"<a/>", true), "utf-8"));
  const auto lone = u"<a>\n\xd800x</a>";
  CHECK(
      refuse("\xff\xfe" + utf16(lone, true)).text == "line 2, column 1: bytes that are not UTF-16");
  CHECK(is_malformed("\xfe\xff" + utf16(u"<a>\xdc00</a>", false)));
  CHECK(is_malformed("\xff\xfe" + utf16(u"<a/>", true) + "x"));
  CHECK(is_malformed("\xff\xfe" + utf16(u"<a>\xfffe</a>", true)));
  CHECK(is_malformed("\xff\xfe"s));
  CHECK(is_malformed("\xef\xbb\xbf"s));
  CHECK(is_malformed("\xff"s));
  for (const bool little : {true, false}) {
    const std::string mark = little ? "\xff\xfe" : "\xfe\xff";
    // Cut off in a unit, and in a pair.
    const std::string whole = mark + utf16(u"<a>\U0001f600</a>", little);
    for (std::size_t size = 0; size != whole.size(); ++size)
      CHECK(is_malformed(whole.substr(0, size)));
    CHECK(text_of(whole) == "\xf0\x9f\x98\x80");
    // Halves of pairs: alone, in the wrong order, doubled, in a name, in a value.
    for (const auto bad :
         {u"<a>\xd83d</a>",
          u"<a>\xde00</a>",
          u"<a>\xde00\xd83d</a>",
          u"<a>\xd83d\xd83d\xde00</a>",
          u"<a\xd83d/>",
          u"<a b='\xde00'/>",
          u"<a><!--\xd83d--></a>",
          u"<a><![CDATA[\xd83d]]></a>"})
      CHECK(is_malformed(mark + utf16(bad, little)));
    // Not characters of XML, though of Unicode; others of Unicode's non-characters are.
    for (const auto bad : {u"<a>\xfffe</a>", u"<a>\xffff</a>", u"<a>\x0001</a>"})
      CHECK(is_malformed(mark + utf16(bad, little)));
    for (const auto good : {u"<a>\xfdd0</a>", u"<a>\U0001fffe</a>", u"<a>\U0010ffff</a>"})
      CHECK(is_accepted(mark + utf16(good, little)));
    // A second mark is a character, and no white space.
    CHECK(is_malformed(mark + utf16(u"\xfeff<a/>", little)));
    CHECK(text_of(mark + utf16(u"<a>\xfeff</a>", little)) == "\xef\xbb\xbf");
    // The other order's mark is U+FFFE.
    CHECK(is_malformed(mark + utf16(u"\xfffe<a/>", little)));
  }
  CHECK(is_malformed("\xef\xbb\xbf\xef\xbb\xbf<a/>"));
  // ISO-8859-1 has all bytes; XML has not all of its characters.
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = "<a>x" + std::string(1, static_cast<char>(byte)) + "</a>";
    const bool is_char = byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';
    const bool good = is_char && byte != '<' && byte != '&';
    CAPTURE(byte);
    CHECK((refuse(text, "iso-8859-1").text == "accepted") == good);
    CHECK((refuse(text, "us-ascii").text == "accepted") == (good && byte < 0x80));
  }
}

TEST_CASE("single-byte encodings are converted by the system", "[reading][encoding]") {
  struct coded {
    const char* charset;
    const char* bytes;
    const char* text;
  };
  for (const coded& each :
       {coded{"windows-1252", "\x80\xe9\x9f", "\u20ac\u00e9\u0178"},
        coded{"Windows-1251", "\xcf\xf0\xe8\xb8", "\u041f\u0440\u0438\u0451"},
        coded{"windows-1250", "\x9c\xb3", "\u015b\u0142"},
        coded{"cp1252", "\x80", "\u20ac"},
        coded{"windows-1255", "\xf9\xd1", "\ufb2a"},  // composed: one held back to the end
        coded{"iso-8859-15", "\xa4", "\u20ac"},
        coded{"ISO-8859-2", "\xb3", "\u0142"},
        coded{"koi8-r", "\xf0", "\u041f"},
        coded{"KOI8-U", "\xa4", "\u0454"}}) {
    CAPTURE(each.charset);
    const std::string text = "<a>" + std::string(each.bytes) + "</a>";
    CHECK(text_of(text, each.charset) == each.text);
    const std::string declared = "<?xml version='1.0' encoding='"s + each.charset + "'?>";
    CHECK(text_of(declared + text) == each.text);
    CHECK(is_malformed("\xef\xbb\xbf" + declared + "<a/>"));
  }
  CHECK(
      refuse("<a>\n\x81</a>", "windows-1252").text ==
      "line 2, column 1: a byte beyond the encoding");
  // More than a piece, and more than the limit: a byte may become three.
  const std::string euros = "<a>" + repeat("\x80", 10'000) + "</a>";
  CHECK(text_of(euros, "windows-1252") == repeat("\u20ac", 10'000));
  soapsvc::message_limits bounds;
  bounds.max_body_bytes = 30'007;
  xml_document document;
  CHECK(document.parse(euros, "windows-1252", bounds).local() == "a");
  bounds.max_body_bytes = 30'006;
  CHECK_THROWS_WITH(
      document.parse(euros, "windows-1252", bounds), Catch::Contains("limit max_body_bytes"));
}

TEST_CASE("every other encoding is unsupported, not malformed", "[reading]") {
  for (const char* each :
       {"euc-jp",
        "windows-932",
        "windows-12520",
        "windows-125r",  // of a known form, and yet none
        "iso-8859-99",
        "utf-7",
        "utf-32",
        "ucs-4",
        "x",
        "utf-8x",
        "utf-",
        "ebcdic"}) {
    CHECK(refuse("<a/>", each).why == reason::unsupported_encoding);
    CHECK(
        refuse("<?xml version='1.0' encoding='"s + each + "'?><a/>").why ==
        reason::unsupported_encoding);
  }
  CHECK(refuse("<a/>", "iso-8859-15//translit").why == reason::unsupported_encoding);
  CHECK(refuse("\xff\xfe\0\0<\0\0\0"sv).why == reason::unsupported_encoding);
  CHECK(refuse("\0\0\xfe\xff\0\0\0<"sv).why == reason::unsupported_encoding);
  // A mark goes before the charset, and so does UTF-32's.
  CHECK(refuse("\xff\xfe\0\0<\0\0\0"sv, "utf-8").why == reason::unsupported_encoding);
  // The charset decides, and the bytes are not checked again.
  CHECK(is_malformed("<\0\0\0a\0\0\0"sv, "utf-8"));
  CHECK(is_malformed("\x4c\x6f\xa7\x94\x93"sv, "utf-8"));
  CHECK_THAT(
      refuse("<a/>", "euc-jp").text, Catch::Contains("'euc-jp'") && Catch::Contains("UTF-8"));
  CHECK(refuse("<a/>", repeat("x", 5000)).text.size() < 300);
}

// ---- memory and time ----

TEST_CASE("one document reads many messages, refused ones among them", "[reading]") {
  xml_document document;
  const std::string good = "<a xmlns:p='u'><p:b c='&lt;'>1&amp;2</p:b></a>";
  for (int i = 0; i < 100; ++i) {
    CHECK_THROWS_AS(document.parse("<a xmlns='x' xmlns:p='y'>&lt;<b", "", {}), xml_error);
    CHECK_THROWS_AS(document.parse("<p:a/>", "", {}), xml_error);
    const node b = document.parse(good, "", {}).first_child();
    CHECK(b.is("u", "b"));
    CHECK(b.text() == "1&2");
    const std::string wide = utf16(u"<q/>", true);
    CHECK(document.parse(wide, "utf-16", {}).ns().empty());
    document.clear();
    document.clear();
  }
}

TEST_CASE("a reused document allocates nothing", "[reading]") {
  xml_document document;
  std::string bytes = "<e xmlns='urn:e'>";
  for (int i = 0; i < 3000; ++i)
    bytes +=
        "<a b='1' c='&lt;' d='' e='' f='' g='' h='' i='' j=''>text&amp;<!-- -->text text text "
        "text</a>";
  bytes += "</e>";
  const std::string small = "<a xmlns='u' b='&lt;'>some text in this &amp; that</a>";
  for (int i = 0; i < 3; ++i)
    document.parse(small, "", {});
  std::size_t before = allocations;
  for (int i = 0; i < 100; ++i)
    document.parse(small, "", {});
  CHECK(allocations == before);
  for (int i = 0; i < 3; ++i)
    document.parse(bytes, "", {});
  before = allocations;
  for (int i = 0; i < 3; ++i)
    document.parse(bytes, "", {});
  CHECK(allocations == before);
  const std::string wide = utf16(u"<a>some text in another encoding</a>", true);
  document.parse(wide, "utf-16le", {});
  before = allocations;
  document.parse(wide, "utf-16le", {});
  CHECK(allocations == before);
}

TEST_CASE("the memory of a large message is released", "[reading]") {
  using soapsvc::detail::spare;
  xml_document document;
  const std::string large = "<a>" + repeat("<b>x</b>", 100'000) + "</a>";
  const auto kept = [&] {
    document.clear();
    return spare.bytes;
  };
  document.parse("<a/>", "", {});
  document.parse(large, "", {});
  CHECK(kept() <= 1024 * 1024);
  document.parse("<a/>", "", {});
  document.parse(large, "", {});
  document.parse(large, "", {});
  CHECK(kept() > sizeof(void*) * 1024 * 1024);  // a row of them stays warm
  CHECK(kept() <= 16 * 1024 * 1024);
  document.parse("<a/>", "", {});
  CHECK(kept() <= 1024 * 1024);
}

TEST_CASE(
    "a destroyed document does not affect others, and a thread keeps no memory", "[reading]") {
  using soapsvc::detail::spare;
  // Destroyed after the caches of its thread's documents.
  struct witness {
    std::size_t& left;
    ~witness() { left = spare.bytes; }
  };
  std::size_t left = 1;
  std::thread([&left] {
    thread_local const witness last{left};
    xml_document document;
    document.parse("<a>" + repeat("<b>x</b>", 2'000) + "</a>", "", {});
    document.clear();
    const std::size_t warm = spare.bytes;
    CHECK(warm > 0);
    const soapsvc::xml fragment("<a/>");
    { const xml_document other; }
    CHECK(spare.bytes == warm);
  }).join();
  CHECK(left == 0);
}

TEST_CASE("names are hashed as SipHash-2-4 does", "[reading]") {
  using soapsvc::detail::hash_key;
  using soapsvc::detail::sip_hash;
  // The paper's example (appendix A), and other beginnings of the same text.
  constexpr hash_key key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string text;
  for (char c = 0; c != 15; ++c)
    text += c;
  CHECK(sip_hash(key, text) == 0xa129ca6149be45e5);
  CHECK(sip_hash(key, "") == 0x726fdb47dd0e0e31);
  CHECK(sip_hash(key, "\0"s) == 0x74f839c593dc67fd);
  CHECK(sip_hash(key, std::string_view(text).substr(0, 8)) == 0x93f5f5799a932462);
  // The same bit flipped in three bytes once hashed alike, whatever the seed.
  soapsvc::detail::xml_arena arena;
  const std::string one(16, 'n');
  for (unsigned bit = 0; bit != 8; ++bit) {
    std::string other = one;
    for (const std::size_t at : {7U, 11U, 15U})
      other[at] = static_cast<char>(other[at] ^ 1 << bit);
    CHECK(arena.hash(one) != arena.hash(other));
  }
}

namespace {

/// A random tree with declarations. Each element and each lookup is compared with a plain list of
/// the declarations in scope.
class scopes {
public:
  explicit scopes(unsigned seed) : dice_(seed) {
    write(0);
    const message read(text_);
    compare(read.root);
    CHECK(next_ == expected_.size());
  }

private:
  using in_scope = std::vector<std::pair<std::string, std::string>>;
  struct element {
    std::string ns;
    in_scope declared;
  };
  static constexpr int prefixes = 30;

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(dice_); }
  static std::string ns_of(const in_scope& declared, const std::string& prefix) {
    for (std::size_t at = declared.size(); at-- != 0;)
      if (declared[at].first == prefix) return declared[at].second;
    return "?";
  }
  static std::string name_of(int prefix) { return prefix == 0 ? "" : "p" + std::to_string(prefix); }

  void write(int depth) {
    const std::size_t outer = now_.size();
    std::set<int> own;
    for (int count = below(depth == 0 ? 15 : 5); count != 0; --count)
      own.insert(below(prefixes));
    std::string tag;
    for (const int prefix : own) {
      const std::string name = name_of(prefix), ns = "urn:" + std::to_string(below(12));
      tag += name.empty() ? " xmlns='" + ns + "'" : " xmlns:" + name + "='" + ns + "'";
      now_.emplace_back(name, ns);
    }
    std::string prefix = name_of(below(prefixes));
    while (!prefix.empty() && ns_of(now_, prefix) == "?")
      prefix = name_of(below(prefixes));
    const std::string ns = ns_of(now_, prefix);
    expected_.push_back({ns == "?" ? "" : ns, now_});
    const std::string name = (prefix.empty() ? "" : prefix + ':') + "a";
    text_ += '<' + name + tag + '>';
    for (int count = depth == 6 ? 0 : below(4); count != 0; --count)
      write(depth + 1);
    text_ += "</" + name + '>';
    now_.resize(outer);
  }

  void compare(node at) {
    const element& wanted = expected_[next_++];
    CHECK(at.ns() == wanted.ns);
    for (int prefix = 0; prefix != prefixes; ++prefix) {
      const std::string ns = ns_of(wanted.declared, name_of(prefix));
      CHECK(at.namespace_of(name_of(prefix)).value_or("?") == (prefix == 0 && ns == "?" ? "" : ns));
    }
    for (node child = at.first_child(); child; child = child.next_sibling())
      compare(child);
  }

  std::mt19937 dice_;
  std::string text_;
  in_scope now_;
  std::vector<element> expected_;
  std::size_t next_ = 0;
};

}  // namespace

TEST_CASE("a prefix means its innermost declaration, among few and among many", "[reading]") {
  for (unsigned seed = 0; seed != 100; ++seed)
    const scopes random(seed);
}

TEST_CASE("depth is bounded by the limit, not by the stack", "[reading][limits]") {
  message_limits bounds;
  bounds.max_depth = 1'000'000;
  bounds.max_elements = 1'000'000;
  const message deep(repeat("<a>", 1'000'000) + repeat("</a>", 1'000'000), "", bounds);
  std::size_t depth = 0;
  node last;
  for (node at = deep.root; at; at = at.first_child(), ++depth)
    last = at;
  CHECK(depth == 1'000'000);
  for (; last; last = last.parent())
    --depth;
  CHECK(depth == 0);
}

namespace {

message_limits no_limits() {
  message_limits bounds;
  for (std::size_t message_limits::*each :
       {&message_limits::max_body_bytes,
        &message_limits::max_depth,
        &message_limits::max_elements,
        &message_limits::max_attributes,
        &message_limits::max_namespaces,
        &message_limits::max_name_bytes,
        &message_limits::max_text_bytes})
    bounds.*each = 1'000'000'000;
  return bounds;
}

std::string numbered(std::string_view before, std::size_t count, std::string_view after) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i)
    all.append(before).append(std::to_string(i)).append(after);
  return all;
}

/// Returns how many bytes are allocated for it.
std::size_t read_whole(const std::string& bytes) {
  soapsvc::detail::spare.release_above(0);  // of the call before
  xml_document document;
  const std::size_t before = allocated_bytes;
  try {
    document.parse(bytes, "", no_limits());
  } catch (const xml_error&) {  // refusing must be linear too
  }
  return allocated_bytes - before;
}

}  // namespace

TEST_CASE("time and memory grow with the message in every dimension", "[reading]") {
  struct row {
    std::string name;
    std::string (*bytes)(std::size_t n);
  };
  const auto [name, bytes] = GENERATE(values<row>({
      {"depth", [](std::size_t n) { return repeat("<a>", n) + repeat("</a>", n); }},
      {"elements", [](std::size_t n) { return "<a>" + repeat("<b/>", n) + "</a>"; }},
      {"attributes", [](std::size_t n) { return "<a" + numbered(" a", n, "=''") + "/>"; }},
      {"attributes in namespaces",
       [](std::size_t n) { return "<a xmlns:p='u'" + numbered(" p:a", n, "=''") + "/>"; }},
      {"declarations", [](std::size_t n) { return "<a" + numbered(" xmlns:p", n, "='u'") + "/>"; }},
      {"one prefix at every level",
       [](std::size_t n) { return repeat("<p:a xmlns:p='u'>", n) + repeat("</p:a>", n); }},
      {"two namespaces at every level",
       [](std::size_t n) {
         return repeat("<p:a xmlns:p='u' xmlns='v'>", n) + repeat("</p:a>", n);
       }},
      {"undeclared prefixes",
       [](std::size_t n) { return "<a" + numbered(" p", n, ":a=''") + "/>"; }},
      {"a long name",
       [](std::size_t n) { return "<" + repeat("n", n) + "></" + repeat("n", n) + ">"; }},
      {"long equal namespaces",
       [](std::size_t n) {
         return "<a xmlns:p='" + repeat("u", n) + "v' xmlns:q='" + repeat("u", n) + "w'>" +
                repeat("<b p:c='' q:c=''/>", n / 20) + "</a>";
       }},
      {"a long wide name", [](std::size_t n) { return "<" + repeat("\xc3\xa9", n) + "/>"; }},
      {"text", [](std::size_t n) { return "<a>" + repeat("text\n", n) + "</a>"; }},
      {"references", [](std::size_t n) { return "<a>" + repeat("&lt;", n) + "</a>"; }},
      {"references in values", [](std::size_t n) { return "<a b='" + repeat("&#65;", n) + "'/>"; }},
      {"comments", [](std::size_t n) { return "<a>" + repeat("x<!-- -->", n) + "</a>"; }},
      {"CDATA", [](std::size_t n) { return "<a>" + repeat("<![CDATA[x]]>y", n) + "</a>"; }},
      {"carriage returns", [](std::size_t n) { return "<a>" + repeat("x\r\n", n) + "</a>"; }},
      {"brackets", [](std::size_t n) { return "<a>" + repeat("]]", n) + "</a>"; }},
      {"dashes", [](std::size_t n) { return "<a><!--" + repeat("- ", n) + "--></a>"; }},
      {"an open comment", [](std::size_t n) { return "<a><!--" + repeat("- ", n); }},
      {"open CDATA", [](std::size_t n) { return "<a><![CDATA[" + repeat("]] ", n); }},
      {"an open reference", [](std::size_t n) { return "<a>&" + repeat("x", n); }},
      {"zeros", [](std::size_t n) { return "<a>&#" + repeat("0", n) + "65;</a>"; }},
      {"stray text", [](std::size_t n) { return "<a>" + repeat("x<b/>", n) + "</a>"; }},
      {"an error at the end", [](std::size_t n) { return "<a>" + repeat("\r\n", n); }},
  }));
  CAPTURE(name);
  const std::string once = bytes(25'000), more = bytes(200'000);
  // If anything were quadratic, the larger message would take at least 0.3 s.
  CHECK(takes_less([&] { read_whole(more); }, 24, [&] { read_whole(once); }, 0.05));
  CHECK(read_whole(more) <= read_whole(once) * 10 + 500'000);
}

TEST_CASE("ISO-8859-1 becomes UTF-8 in memory of the right size", "[reading][encoding]") {
  std::string bytes(100'000, 'a');
  for (std::size_t at = 0; at < bytes.size(); at += 7)
    bytes[at] = '\xe9';
  std::string out;
  CHECK(soapsvc::detail::to_utf8(bytes, soapsvc::detail::encoding::iso_8859_1, out));
  CHECK(out.size() == 114'286);
  CHECK(
      out.substr(0, 9) ==
      "\xc3\xa9"
      "aaaaaa\xc3");
  CHECK(out.capacity() < out.size() + 32);  // it grew once, and not with each character
}

TEST_CASE("reading time depends only on the length of a text", "[reading]") {
  constexpr std::size_t size = 4'000'000;
  const auto read = [](const std::string& unit, const std::string& charset) {
    return [bytes = "<a>" + repeat(unit, size / unit.size()) + "</a>", charset] {
      xml_document().parse(bytes, charset, no_limits());
    };
  };
  const auto plain = read("plain text, as it is. ", "");
  for (const std::string unit :
       {"]", "]]", "]>", "]a", ">", "]] ", "\t", "\n", "\"", "\xc3\xa9", "\xf0\x9f\x98\x80"}) {
    CAPTURE(unit);
    CHECK(takes_less(read(unit, ""), 12, plain, 0.01));
  }
  CHECK(takes_less(read("plain text", "iso-8859-1"), 12, plain, 0.01));
  CHECK(takes_less(read("\xe9", "iso-8859-1"), 24, plain, 0.01));
}

TEST_CASE("looking up a prefix takes time within the budget of its message", "[reading]") {
  const auto declares = [](std::size_t declarations) {
    return "<a" + numbered(" xmlns:p", declarations, "='u'") + "/>";
  };
  message_limits bounds;
  bounds.max_attributes = 2'000;
  const std::string few_bytes = declares(200), many_bytes = declares(1'000);
  xml_document few_document, many_document;
  const node few = few_document.parse(few_bytes, "", bounds);
  const node many = many_document.parse(many_bytes, "", bounds);
  // Of many prefixes: where one of them is found depends on the seed of the hash.
  std::vector<std::string> known, unknown;
  for (int number = 0; number != 200; ++number) {
    known.push_back('p' + std::to_string(number));
    unknown.push_back("nobody" + std::to_string(number));
  }
  for (const std::vector<std::string>& prefixes : {known, unknown, {""}}) {
    CAPTURE(prefixes.front());
    const auto lookups = [&prefixes](const node& root) {
      for (std::size_t i = 0; i != 100'000; ++i)
        static_cast<void>(root.namespace_of(prefixes[i % prefixes.size()]));
    };
    CHECK(takes_less([&] { lookups(many); }, 4, [&] { lookups(few); }, 0.05));
  }
}

TEST_CASE("one local name in many namespaces costs as much as many names in one", "[reading]") {
  std::string names = "<r xmlns:p='u'>", spaces = "<r";
  for (int i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    spaces += " xmlns:p" + number + "='u" + number + "'";
  }
  names += repeat("<a" + numbered(" p:a", 1000, "=''") + "/>", 200) + "</r>";
  spaces += ">" + repeat("<a" + numbered(" p", 1000, ":a=''") + "/>", 200) + "</r>";
  CHECK(takes_less([&] { read_whole(spaces); }, 8, [&] { read_whole(names); }, 0.05));
}

// --- The short ways through the reader -----------------------------------------------------------

TEST_CASE("indentation is ignored, but white space alone in an element is its text", "[reading]") {
  const std::string indent = "\n" + std::string(40, ' ') + "\t\r\n";
  const message read(
      "<a>" + indent + "<b>" + indent + "</b>" + indent + "<c>1</c>" + indent + "<!-- -->" +
      indent + "<d/>" + indent + "</a>");
  CHECK_FALSE(read.root.has_stray_text());
  const node b = read.root.first_child();
  CHECK(b.text() == "\n" + std::string(40, ' ') + "\t\n");
  CHECK(b.next_sibling().text() == "1");
  CHECK(b.next_sibling().next_sibling().local() == "d");
  CHECK(message("<a> <b/>x</a>").root.has_stray_text());
  CHECK(message("<a> x <b/></a>").root.has_stray_text());
  CHECK(message("<a><b/> <![CDATA[x]]> </a>").root.has_stray_text());
  CHECK(message("<a> <!-- -->\n </a>").root.text() == " \n ");
  CHECK(message("<a> <![CDATA[ ]]>&#32;</a>").root.text() == "   ");
}

TEST_CASE("a leaf is read the same, however its end tag is written", "[reading]") {
  for (std::size_t size = 0; size != 40; ++size) {
    const std::string text(size, 't'), name(size + 1, 'n');
    for (const char* end : {">", " >", "\n\t>"}) {
      const message read("<r><" + name + ">" + text + "</" + name + end + "<z/></r>");
      const node leaf = read.root.first_child();
      CHECK(leaf.text() == text);
      CHECK(read.holds(leaf.source()));
      CHECK(leaf.source() == "<" + name + ">" + text + "</" + name + end);
      CHECK(leaf.next_sibling().local() == "z");
      CHECK(leaf.parent() == read.root);
    }
    CHECK_THROWS_AS(message("<r><" + name + ">" + text + "</" + name), xml_error);
    CHECK_THROWS_AS(message("<r><" + name + ">" + text + "</" + name + "x></r>"), xml_error);
    CHECK_THROWS_AS(message("<r><" + name + ">" + text + "</n" + name + "></r>"), xml_error);
    CHECK_THROWS_AS(message("<r><" + name + ">" + text + "\xff</" + name + "></r>"), xml_error);
    CHECK_THROWS_AS(message("<r><" + name + ">" + text + "]]></" + name + "></r>"), xml_error);
  }
  message_limits bounds;
  bounds.max_text_bytes = 10;
  CHECK(message("<r><a>0123456789</a></r>", "", bounds).root.first_child().text().size() == 10);
  CHECK_THROWS_AS(message("<r><a>0123456789x</a></r>", "", bounds), xml_error);
  CHECK(message("<a xmlns='urn:x'>1</a>").root.ns() == "urn:x");
  const message scoped("<r><p:a xmlns:p='urn:x'>1</p:a><a>2</a></r>");
  CHECK(scoped.root.first_child().ns() == "urn:x");
  CHECK_FALSE(scoped.root.first_child().next_sibling().namespace_of("p"));
}
