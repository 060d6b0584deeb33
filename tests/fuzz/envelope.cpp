// Reading a message: [reading] and [envelope]. The first byte selects the charset and the bounds;
// the rest is the message.
//
// Promised: views and positions are within the text; error texts quote no markup and can be sent;
// bounds hold. An accepted message is accepted again from the source of its root. A message in
// pieces is read like the whole message.
#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include "fuzz.hpp"
#include "soapsvc.hpp"

namespace {

using namespace soapsvc::detail;
using fuzz::require;
using soapsvc::fault;
using soapsvc::message_limits;
using soapsvc::soap_version;

constexpr std::array<std::string_view, 8> charsets{
    "", "utf-8", "UTF-16", "utf-16le", "utf-16be", "ISO-8859-1", "us-ascii", "x-other"};

message_limits small_limits() {
  message_limits bounds;
  bounds.max_body_bytes = 512;
  bounds.max_depth = 4;
  bounds.max_elements = 8;
  bounds.max_attributes = 3;
  bounds.max_namespaces = 3;
  bounds.max_name_bytes = 24;
  bounds.max_text_bytes = 48;  // so that SOAP's namespaces fit
  bounds.max_header_blocks = 2;
  return bounds;
}

// --- The tree ------------------------------------------------------------------------------------

struct tree_counts {
  std::size_t depth = 0;
  std::size_t elements = 0;
};

void check_name(std::string_view local, std::string_view prefix, const message_limits& bounds) {
  require(is_ncname(local), "a local name is a name", local);
  require(prefix.empty() || is_ncname(prefix), "a prefix is a name", prefix);
  const std::size_t size = local.size() + (prefix.empty() ? 0 : prefix.size() + 1);
  require(size <= bounds.max_name_bytes, "names are bounded", local);
}

void check_text(std::string_view text, const message_limits& bounds) {
  require(find_bad_char(text) == text.npos, "text is of XML's characters", text);
  require(text.size() <= bounds.max_text_bytes, "text is bounded", text);
}

void check_attributes(node element, const message_limits& bounds) {
  std::size_t count = 0;
  for (const attribute each : element.attributes()) {
    ++count;
    check_name(each.local(), each.prefix(), bounds);
    check_text(each.value(), bounds);
    require(fuzz::is_within(each.local(), element.source()), "an attribute lies in its element");
    // Other attributes of that name, if any, come later in the list.
    const auto found = element.attribute(each.ns(), each.local());
    require(found && *found == each.value(), "no two attributes of one name", each.local());
    if (each.ns() == xmlns_ns && each.local() != "xmlns")
      require(element.namespace_of(each.local()) == each.value(), "a declaration holds");
  }
  require(count <= bounds.max_attributes, "attributes are bounded");
}

void check_tree(
    node element, const message_limits& bounds, std::size_t depth, tree_counts& counts) {
  require(
      depth <= bounds.max_depth && ++counts.elements <= bounds.max_elements, "the tree is bounded");
  counts.depth = std::max(counts.depth, depth);
  const std::string_view source = element.source();
  require(source.size() >= 4 && source.front() == '<' && source.back() == '>', "the source");
  require(fuzz::is_within(element.local(), source), "a name lies in the source");
  check_name(element.local(), element.prefix(), bounds);
  require(
      element.namespace_of(element.prefix()) == element.ns(), "the prefix is bound to the name");
  check_text(element.text(), bounds);
  check_attributes(element, bounds);
  require(!element.has_children() || element.text().empty(), "text of leaves only");
  require(element.has_children() || !element.has_stray_text(), "stray text beside children only");
  const char* behind = source.data() + 1;
  for (node child = element.first_child(); child; child = child.next_sibling()) {
    require(child.parent() == element, "a child knows its parent");
    require(fuzz::is_within(child.source(), source), "a child lies in its parent");
    require(child.source().data() >= behind, "children lie one after the other");
    behind = child.source().data() + child.source().size();
    check_tree(child, bounds, depth + 1, counts);
  }
}

/// A text that is equal exactly when two trees are equal.
void append_tree(node element, std::string& out) {
  out.append("<").append(element.ns()).append("|").append(element.local());
  for (const attribute each : element.attributes())
    out.append(" ")
        .append(each.ns())
        .append("|")
        .append(each.local())
        .append("=")
        .append(each.value());
  out.append(element.has_stray_text() ? "!" : "").append(">").append(element.text());
  for (node child = element.first_child(); child; child = child.next_sibling())
    append_tree(child, out);
  out.append("</>");
}

// --- Sentences -----------------------------------------------------------------------------------

/// Removes the markup that the reader's own sentences hold, and nothing longer.
std::string without_known_markup(std::string text) {
  for (const std::string_view known :
       {"&amp;",
        "&lt;",
        "&gt;",
        "&quot;",
        "&apos;",
        "&#...;",
        "'<'",
        "'<!'",
        "'>'",
        "'&'",
        "']]>'"})
    for (std::size_t at = text.find(known); at != text.npos; at = text.find(known, at))
      text.erase(at, known.size());
  return text;
}

std::size_t take_number(std::string_view& text, std::string_view before) {
  require(text.starts_with(before), "a sentence begins with its position", text);
  text.remove_prefix(before.size());
  std::size_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  require(end.ec == std::errc{} && number > 0, "a position is a number", text);
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  return number;
}

/// No position may lie beyond the text. Bytes are at most as many as characters in Latin-1 and half
/// as many in UTF-16, and a line has at least one, so that counting bytes gives a bound for all.
void check_error(const xml_error& error, std::string_view bytes) {
  const std::string whole = error.what();
  require(find_bad_char(whole) == whole.npos, "a sentence can be sent", whole);
  require(whole.size() <= 320, "a sentence is short", whole);
  require(
      without_known_markup(whole).find_first_of("<>&") == std::string::npos,
      "a sentence quotes no markup",
      whole);
  std::string_view rest = whole;
  const std::size_t line = take_number(rest, "line ");
  const std::size_t column = take_number(rest, ", column ");
  require(rest.starts_with(": ") && rest.size() > 10, "a sentence follows", whole);
  require(line + column <= bytes.size() + 2, "a position lies within the text", whole);
}

// --- The envelope --------------------------------------------------------------------------------

/// A fault for the sender can be sent in both versions, and is read back unchanged.
void check_fault(const fault& refused) {
  const std::string& reason = refused.reason();
  require(find_bad_char(reason) == reason.npos, "a reason can be sent", reason);
  // At most 64 characters of refused text are quoted, of four bytes each, at most twice.
  require(reason.size() <= 1'024, "a reason is bounded", reason);
  for (const soap_version version : {soap_version::v1_1, soap_version::v1_2}) {
    std::string response;
    write_fault(response, refused, version, "urn:x");
    xml_document document;
    soap_version read{};
    const node root = document.parse(response, "utf-8", message_limits{});
    const node body = open_envelope(root, read).body;
    require(read == version, "a fault is of its version", response);
    const node reported = only_child(body);
    const bool old = version == soap_version::v1_1;
    require(reported.is(old ? soap11_ns : soap12_ns, "Fault"), "a fault is one", response);
    node text = reported.first_child().next_sibling();
    if (!old) text = text.first_child();
    require(text.text() == reason, "a reason is read as it was", response);
  }
}

void open(node root, const message_limits& bounds) {
  soap_version version{};
  const envelope message = open_envelope(root, version);
  require(message.version == version, "one version");
  require(message.body && message.body.parent() == root, "the Body is the Envelope's");
  static std::vector<soapsvc::header_block> blocks;
  read_blocks(message, bounds.max_header_blocks, blocks);
  require(blocks.size() <= bounds.max_header_blocks, "header blocks are bounded");
  for (const soapsvc::header_block& block : blocks) {
    require(fuzz::is_within(block.xml, message.header.source()), "a block lies in the Header");
    require(fuzz::is_within(block.local, block.xml), "a block's name lies in the block");
    require(find_bad_char(block.role) == block.role.npos, "a role is text");
  }
  check_understood(blocks, version, [](const soapsvc::header_block& block) {
    return block.local.size() % 2 == 0;
  });
  require(only_child(message.body).parent() == message.body, "the payload is the Body's");
}

// --- In pieces -----------------------------------------------------------------------------------

/// The trees of the root's children, read in pieces of `size` bytes; nullopt: refused.
std::optional<std::string> read_in_pieces(
    std::string_view bytes,
    std::string_view charset,
    const message_limits& bounds,
    std::size_t size) {
  const auto more = [left = bytes, size](std::span<char> to) mutable {
    const std::size_t got = std::min({left.size(), to.size(), size});
    left.copy(to.data(), got);
    left.remove_prefix(got);
    return got;
  };
  std::string trees;
  try {
    xml_pieces pieces({}, more, charset, bounds);
    node root;
    pieces.open([&](xml_reader& reader) { root = reader.enter_root(); });
    while (pieces.reader().is_open(root))
      if (const node child = pieces.next()) append_tree(child, trees);
    pieces.finish();
  } catch (const xml_error& error) {
    check_error(error, bytes);
    return std::nullopt;
  }
  return trees;
}

/// The bounds of a whole message may apply to an item alone.
void check_pieces(
    node root,
    std::string_view bytes,
    std::string_view charset,
    const message_limits& bounds,
    bool over) {
  std::string whole;
  for (node child = root ? root.first_child() : root; child; child = child.next_sibling())
    append_tree(child, whole);
  for (const std::size_t size : {std::size_t{1}, 1 + bytes.size() / 3}) {
    const auto trees = read_in_pieces(bytes, charset, bounds, size);
    if (root) require(trees == whole, "in pieces it is read as the whole is", bytes);
    if (!root && !over) require(!trees, "in pieces it is refused as the whole is", bytes);
  }
}

void read(std::string_view bytes, std::string_view charset, const message_limits& bounds) {
  static xml_document document;
  node root;
  try {
    root = document.parse(bytes, charset, bounds);
  } catch (const xml_error& error) {
    check_error(error, bytes);
    const bool over =
        error.why == xml_error::reason::over_limit || error.why == xml_error::reason::too_large;
    check_pieces({}, bytes, charset, bounds, over);
    return;
  }
  check_pieces(root, bytes, charset, bounds, false);
  require(!root.parent(), "the root has no parent");
  const bool utf_16 = bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
  if (!utf_16 && (charset == "utf-8" || charset == "us-ascii"))
    require(fuzz::is_within(root.source(), bytes), "what is UTF-8 is not copied");
  tree_counts counts;
  check_tree(root, bounds, 1, counts);

  xml_document second;
  const std::string source(root.source());
  std::string first_tree;
  std::string second_tree;
  append_tree(root, first_tree);
  append_tree(second.parse(source, "utf-8", bounds), second_tree);
  require(first_tree == second_tree, "the source is read as the message was", source);
  try {
    open(root, bounds);
  } catch (const fault& refused) {
    check_fault(refused);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto choice = static_cast<std::uint8_t>(data[0] - 'a');
  static const message_limits usual;
  static const message_limits small = small_limits();
  const message_limits& bounds = (choice & 8) != 0 ? small : usual;
  read(fuzz::text_of(data + 1, size - 1), charsets[choice % charsets.size()], bounds);
  return 0;
}
