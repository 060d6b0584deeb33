// S6: the append-only writer. Written from XML 1.0, 2.4 and 2.11 (what must be escaped so that a
// reader gets the same characters), and from what the codec asks of it.
#define SOAPSVC_NO_HOST
#include "soapsvc.hpp"

#include <catch2/catch.hpp>

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
    const auto root = document.parse(buffer, "", soapsvc::limits{});
    return {std::string(root.text()), std::string(root.attribute("", "a").value_or("(none)"))};
}

}  // namespace

TEST_CASE("the writer appends to what its owner has already written", "[writing]") {
    std::string buffer = "<?xml?>";
    writer out(buffer);
    out.start("a");
    out.text("1");
    out.end("a");
    out.empty("b");
    out.raw("<c/>");
    CHECK(buffer == "<?xml?><a>1</a><b /><c/>");
    CHECK(out.size() == buffer.size());
    CHECK(&out.buffer() == &buffer);
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

TEST_CASE("text escapes what would end it or be changed by a reader", "[writing]") {
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

TEST_CASE("what is written reads back as it was", "[writing][rule-5]") {
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

TEST_CASE("every character that XML has a form for reads back as it was", "[writing][rule-8]") {
    std::string all;
    for (char32_t c = 1; c < 0x11000; ++c)
        if (soapsvc::detail::is_xml_char(c)) soapsvc::detail::append_utf8(all, c);
    for (const char32_t c : {0x1FFFEu, 0x2F800u, 0xFFFFFu, 0x10FFFFu})
        soapsvc::detail::append_utf8(all, c);
    const auto [content, attributes] = read_back(all);
    CHECK((content == all));
    CHECK((attributes == all));
}

TEST_CASE("text that XML cannot carry throws wherever it stands", "[writing][rule-8]") {
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

TEST_CASE("a warm buffer is written without new memory", "[writing]") {
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
