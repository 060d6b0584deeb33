// [writing]: the append-only writer. Written from XML 1.0, 2.4 and 2.11 (the characters that need
// escapes so that a reader gets the same text), and from the requirements of the codec.
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <catch2/catch.hpp>

using soapsvc::detail::element_tags;
using soapsvc::detail::element_writer;
using soapsvc::detail::writer;

namespace {

std::string text(std::string_view value) {
  std::string buffer;
  writer(buffer).text(value);
  return buffer;
}

std::string attribute(std::string_view value) {
  std::string buffer;
  writer(buffer).attribute("a", value);
  return buffer;
}

/// The document `<r a="value">value</r>`, read back.
std::pair<std::string, std::string> read_back(std::string_view value) {
  std::string buffer;
  writer out(buffer);
  out.raw("<r");
  out.attribute("a", value);
  out.raw(">");
  out.text(value);
  out.end("r");
  soapsvc::detail::xml_document document;
  const auto root = document.parse(buffer, "", soapsvc::message_limits{});
  return {std::string(root.text()), std::string(root.attribute("", "a").value_or("(none)"))};
}

}  // namespace

TEST_CASE("the writer appends to what its owner has already written", "[writing]") {
  std::string buffer = "<?xml?>";
  writer out(buffer);
  out.start("a");
  out.text("1");
  out.end("a");
  out.raw("<b /><c/>");
  CHECK(buffer == "<?xml?><a>1</a><b /><c/>");
  CHECK(out.size() == buffer.size());
  CHECK(&out.buffer() == &buffer);
}

TEST_CASE("values in markup are escaped for their places", "[writing]") {
  std::string buffer;
  writer out(buffer);
  out.write("<a href={} class={?}>{}</a>", {"./", "", "a < b"});
  out.write("<{} b={} c={?} d={-} />", {"s:b", "\"", "1 & 2", ""});
  out.write("<c{} e={-} f={} />", {" g", std::string_view(), std::string_view()});
  CHECK(
      buffer ==
      "<a href=\"./\">a &lt; b</a><s:b b=\"&quot;\" c=\"1 &amp; 2\" d=\"\" /><c g f=\"\" />");
  CHECK_THROWS_AS(out.write("<a b={} />", {"\x01"}), std::invalid_argument);
}

TEST_CASE("an element without content is shortened, one with content is not", "[writing]") {
  std::string buffer;
  writer out(buffer);
  out.start("a");
  const std::size_t outer = out.size();
  out.start("b");
  out.end("b", out.size());
  out.start("c");
  const std::size_t inner = out.size();
  out.text(" ");
  out.end("c", inner);
  out.end("a", outer);
  CHECK(buffer == "<a><b /><c> </c></a>");
}

TEST_CASE("an element with attributes is shortened as well", "[writing]") {
  std::string buffer;
  writer out(buffer);
  out.raw("<a");
  out.attribute("xmlns", "urn:x");
  out.raw(">");
  out.end("a", out.size());
  CHECK(buffer == "<a xmlns=\"urn:x\" />");
}

TEST_CASE("text escapes characters that would end it or that a reader would change", "[writing]") {
  CHECK(text("") == "");
  CHECK(text("plain text") == "plain text");
  CHECK(text("a<b>c&d") == "a&lt;b&gt;c&amp;d");
  CHECK(text("]]>") == "]]&gt;");
  CHECK(text("&amp;") == "&amp;amp;");
  CHECK(text("a\rb\r\n") == "a&#13;b&#13;\n");
  CHECK(text("\t\n\"'") == "\t\n\"'");
  CHECK(text("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST_CASE("an attribute escapes quotes, tabs and line ends too", "[writing]") {
  CHECK(attribute("") == " a=\"\"");
  CHECK(attribute("http://example.com/?a=1&b=2") == " a=\"http://example.com/?a=1&amp;b=2\"");
  CHECK(attribute("<\">").find_first_of("<>\"", 4) == std::string(" a=\"&lt;&quot;&gt;").size());
  for (const char c : {'\t', '\n', '\r'})
    CHECK(attribute(std::string(1, c)).find(c) == std::string::npos);
}

TEST_CASE("written text reads back unchanged", "[writing][rule-5]") {
  for (const std::string_view value :
       {"",
        " ",
        "  a  b  ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\n\r",
        "<a>",
        "&lt;",
        "\"'",
        "]]>",
        "<![CDATA[x]]>",
        "<!-- x -->",
        "é€😀",
        "\xC2\x85\xE2\x80\xA8",
        "a\tb\nc\rd"}) {
    INFO("'" << value << "'");
    const auto [content, attributes] = read_back(value);
    CHECK(content == value);
    CHECK(attributes == value);
  }
}

TEST_CASE("every character that XML allows reads back unchanged", "[writing][rule-8]") {
  std::string all;
  for (char32_t c = 1; c < 0x11000; ++c)
    if (soapsvc::detail::is_xml_char(c)) soapsvc::detail::append_utf8(all, c);
  for (const char32_t c : {0x1FFFEu, 0x2F800u, 0xFFFFFu, 0x10FFFFu})
    soapsvc::detail::append_utf8(all, c);
  const auto [content, attributes] = read_back(all);
  CHECK((content == all));
  CHECK((attributes == all));
}

TEST_CASE("text that XML cannot contain throws at every position", "[writing][rule-8]") {
  for (const std::string& bad :
       {std::string(1, '\0'),
        std::string("\x01"),
        std::string("\x1F"),
        std::string("\x80"),
        std::string("\xC3"),
        std::string("\xC0\xAF"),
        std::string("\xED\xA0\x80"),
        std::string("\xEF\xBF\xBE"),
        std::string("\xF4\x90\x80\x80"),
        std::string("\xFF")})
    for (const std::size_t before : {0u, 1u, 7u, 8u, 15u, 16u, 31u, 100u})
      for (const std::size_t after : {0u, 1u, 16u, 100u}) {
        const std::string value = std::string(before, 'a') + bad + std::string(after, 'b');
        CHECK_THROWS_AS(text(value), std::invalid_argument);
        CHECK_THROWS_AS(attribute(value), std::invalid_argument);
      }
}

TEST_CASE("a reused buffer is written without new memory", "[writing]") {
  std::string buffer;
  const auto fill = [&buffer] {
    buffer.clear();
    writer out(buffer);
    for (int count = 0; count != 100; ++count) {
      out.start("Name");
      out.text("Jansen & Söhne");
      out.end("Name");
    }
  };
  fill();
  const char* const memory = buffer.data();
  const std::size_t capacity = buffer.capacity();
  fill();
  CHECK(buffer.data() == memory);
  CHECK(buffer.capacity() == capacity);
}

// --- Elements one after the other ----------------------------------------------------------------

TEST_CASE("an element is written as the plain writer writes it, whatever its length", "[writing]") {
  const std::string name_letters(80, 'n');
  for (std::size_t size = 0; size != 80; ++size) {
    const std::string name = name_letters.substr(0, size + 1);
    const element_tags tags(name);
    CHECK(tags.start() == "<" + name + ">");
    CHECK(tags.end() == "</" + name + ">");
    const auto text_of_size = [size](std::size_t at, const char* special) {
      std::string value(size, 'x');
      return at < size ? value.replace(at, 1, special) : value;
    };
    for (std::size_t at = 0; at <= size; ++at)
      for (const char* special : {"&", "<", ">", "\r", "\n", "\"", "\xc3\xa9", "x"}) {
        const std::string value = text_of_size(at, special);
        std::string expected = "before", buffer = "before";
        writer plain(expected);
        plain.start(name);
        const std::size_t content = plain.size();
        plain.text(value);
        plain.end(name, content);
        {
          element_writer out(buffer);
          out.start(tags);
          const std::size_t inside = out.size();
          out.text(value);
          out.end(tags, inside);
        }
        REQUIRE(buffer == expected);
      }
    for (const char* forbidden : {"\x01", "\xff", "\xc3", "\xef\xbf\xbf"})
      for (std::size_t at = 0; at < size; ++at) {
        std::string buffer = "before";
        {
          element_writer out(buffer);
          CHECK_THROWS_AS(out.text(text_of_size(at, forbidden)), std::invalid_argument);
          CHECK(out.size() == 6);
        }
        CHECK(buffer == "before");
      }
  }
}

TEST_CASE("many elements make the string longer and leave nothing after them", "[writing]") {
  const element_tags outer("a"), inner("b");
  std::string buffer, expected = "<a>";
  {
    element_writer out(buffer);
    out.start(outer);
    const std::size_t content = out.size();
    for (int number = -5000; number != 5000; ++number) {
      out.start(inner);
      const std::size_t inside = out.size();
      out.whole_number(number);
      out.end(inner, inside);
      out.start(inner);
      out.end(inner, out.size());
      expected += "<b>" + std::to_string(number) + "</b><b />";
    }
    out.through_a_string([](std::string& text) { text += "1.5"; });
    out.end(outer, content);
  }
  CHECK(buffer == expected + "1.5</a>");
}

TEST_CASE("an empty element at the beginning of a string is shortened, too", "[writing]") {
  std::string buffer;
  buffer.shrink_to_fit();
  {
    element_writer out(buffer);
    const element_tags tags("a");
    out.start(tags);
    out.end(tags, out.size());
    out.whole_number(std::numeric_limits<std::int64_t>::min());
    out.whole_number(std::numeric_limits<std::uint64_t>::max());
  }
  CHECK(buffer == "<a />-922337203685477580818446744073709551615");
}
