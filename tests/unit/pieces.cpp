// [reading] in pieces: a message that comes in any pieces is read, or refused, as the whole one is.

#include <catch2/catch.hpp>

#include <random>

#include "soapsvc.hpp"

using soapsvc::message_limits;
using soapsvc::detail::node;
using soapsvc::detail::xml_document;
using soapsvc::detail::xml_error;
using soapsvc::detail::xml_pieces;
using soapsvc::detail::xml_reader;

namespace {

/// The content of a tree in a form for comparison.
void describe(node at, std::string& out) {
  out.append("(").append(at.ns()).append("|").append(at.local());
  for (const soapsvc::detail::attribute each : at.attributes())
    out.append(" ")
        .append(each.ns())
        .append("|")
        .append(each.local())
        .append("=")
        .append(each.value());
  out.append("'").append(at.text()).append(at.has_stray_text() ? "'stray" : "'");
  for (node child = at.first_child(); child; child = child.next_sibling())
    describe(child, out);
  out.append(")");
}

/// The children of the root's first child, one after the other, or why the message is refused. A
/// refusal is all that counts: the events before it are the same, as the items are.
std::string read_whole(std::string_view text, const message_limits& bounds = {}) {
  xml_document document;
  std::string out;
  try {
    const node root = document.parse(text, "", bounds);
    const node list = root.first_child();
    if (!list) return "no list";
    for (node child = list.first_child(); child; child = child.next_sibling())
      describe(child, out.append("\n"));
    out.append(list.has_text() ? "\nstray" : "\n");
    for (node child = list.next_sibling(); child; child = child.next_sibling())
      describe(child, out.append("\n"));
  } catch (const xml_error& error) {
    return error.what();
  }
  return out;
}

/// The same, from a source with pieces of at most these `sizes` in turn.
std::string read_in_pieces(
    std::string_view text, std::vector<std::size_t> sizes, const message_limits& bounds = {}) {
  std::string out;
  std::string_view left = text;
  std::size_t turn = 0;
  const auto more = [&](std::span<char> room) {
    REQUIRE(!room.empty());
    const std::size_t size = std::min({left.size(), sizes[turn++ % sizes.size()], room.size()});
    left.copy(room.data(), size);
    left.remove_prefix(size);
    return size;
  };
  try {
    xml_pieces pieces({}, more, "", bounds);
    node list;
    bool open = false;
    pieces.open([&](xml_reader& reader) {
      const node root = reader.enter_root();
      list = reader.is_open(root) ? reader.enter() : node();
      open = list && reader.is_open(list);
    });
    if (open)
      while (const node child = pieces.next())
        describe(child, out.append("\n"));
    const bool stray = list && (list.has_text() || list.has_stray_text());
    out.append(stray ? "\nstray" : "\n");
    if (list)
      while (const node child = pieces.next())
        describe(child, out.append("\n"));
    pieces.finish();
    return list ? out : "no list";
  } catch (const xml_error& error) {
    return error.what();
  }
}

/// Documents of all that XML has, small enough to be cut everywhere.
class documents {
public:
  explicit documents(std::uint32_t seed) : random_(seed) {}

  std::string make() {
    out_.clear();
    if (one_in(3)) out_ += "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
    if (one_in(5)) out_ += "<!-- a - comment -->\r\n";
    out_ += "<e:Envelope xmlns:e='urn:e' xmlns=\"urn:d\">";
    space();
    out_ += "<List a='1'>";
    for (std::size_t count = number(7); count != 0; --count) {
      beside();
      element(3);
    }
    beside();
    out_ += "</List>";
    space();
    if (one_in(4)) element(1);
    out_ += "</e:Envelope>";
    if (one_in(3)) out_ += "\n<!--end-->\n";
    if (one_in(2)) break_it();
    return out_;
  }
  std::size_t number(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }

private:
  bool one_in(std::size_t many) { return number(many) == 0; }
  void pick(std::initializer_list<const char*> from) { out_ += from.begin()[number(from.size())]; }
  void space() { pick({"", "", "\n", "\r\n  ", " ", "\t\r"}); }
  void beside() {
    space();
    if (one_in(6)) out_ += "<!-- x -->";
    if (one_in(30)) out_ += "stray";
    space();
  }
  void text() {
    for (std::size_t count = number(4); count != 0; --count)
      pick(
          {"a",
           "word ",
           "\xC3\xA9\xE2\x82\xAC",
           "\xF0\x9F\x8E\x89",
           "&amp;",
           "&#x41;&#10;",
           "<![CDATA[<&]]x\r\n]]>",
           "<!---->",
           "\r\n",
           "\r",
           "]",
           "]]",
           "a sentence that is longer than a block of sixteen bytes"});
  }
  void element(int depth) {
    static constexpr const char* names[] = {"a", "Item", "e:x", "p:q", "\xC3\xA9t\xC3\xA9"};
    const std::string name = names[number(5)];
    out_ += '<' + name;
    if (name == "p:q" || one_in(5)) out_ += " xmlns:p='urn:p'";
    if (one_in(8)) out_ += "\n xmlns=\"urn:other\"";
    if (one_in(4)) {
      out_ += " at = \"";
      pick({"", "v", "&lt;\xC3\xA9\n", "'", ">"});
      out_ += '"';
    }
    if (one_in(6)) {
      out_ += one_in(2) ? "/>" : " />";
      return;
    }
    out_ += '>';
    if (depth == 0 || one_in(2)) {
      text();
    } else {
      for (std::size_t count = number(4); count != 0; --count) {
        space();
        element(depth - 1);
      }
      space();
    }
    out_ += "</" + name + (one_in(6) ? " >" : ">");
  }
  void break_it() {
    const std::size_t at = number(out_.size());
    switch (number(4)) {
    case 0: out_.erase(at, 1 + number(3)); return;
    case 1: out_[at] = "<>&\"'/!-]\x01\xFFx= :;?"[number(17)]; return;
    case 2: out_.resize(at); return;
    default: out_.insert(at, out_.substr(number(out_.size()), 1 + number(6)));
    }
  }

  std::mt19937 random_;
  std::string out_;
};

}  // namespace

TEST_CASE("a message in any pieces is read or refused like the whole message", "[reading]") {
  documents made(20261124);
  for (int turn = 0; turn != 6'000; ++turn) {
    const std::string text = made.make();
    std::vector<std::size_t> sizes;
    for (std::size_t count = 1 + made.number(4); count != 0; --count)
      sizes.push_back(1 + made.number(made.number(2) == 0 ? 8 : 300));
    INFO(text);
    REQUIRE(read_in_pieces(text, sizes) == read_whole(text));
  }
}

TEST_CASE("']]>' is found wherever a message is cut", "[reading]") {
  for (const std::string part :
       {"]]>",
        "]]>&amp;",
        "&amp;]]>x",
        "]]>\r\n",
        "]]>]",
        "]]]>",
        "]]&gt;",
        "]&#93;>",
        "&#93;]>"}) {
    const std::string text = "<r><l><a>1</a><a>" + part + "</a></l></r>";
    const std::string whole = read_whole(text);
    CHECK((whole.find("']]>' in text") != whole.npos) == (part.find("]]>") != part.npos));
    for (std::size_t cut = 1; cut != text.size(); ++cut) {
      INFO(text << "\ncut at " << cut);
      CHECK(read_in_pieces(text, {cut, text.size()}) == whole);
    }
    CHECK(read_in_pieces(text, {1}) == whole);
  }
}

TEST_CASE("a message may be cut anywhere", "[reading]") {
  documents made(7);
  for (int turn = 0; turn != 40; ++turn) {
    const std::string text = made.make();
    const std::string whole = read_whole(text);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      INFO(text << "\ncut at " << cut);
      REQUIRE(read_in_pieces(text, {cut, text.size()}) == whole);
    }
  }
}
