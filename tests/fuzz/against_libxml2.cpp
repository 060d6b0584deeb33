// The reader ([reading]) against libxml2: both must agree which documents are
// namespace-well-formed, and on every name, attribute and text of those that are. The input is the
// document.
//
// The allowed differences are listed below, each with the clause that decides. Limits of only one
// of them are not compared.
#ifndef SOAPSVC_NO_HOST
#define SOAPSVC_NO_HOST
#endif
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#include "fuzz.hpp"
#include "soapsvc.hpp"

namespace {

using soapsvc::detail::node;
using soapsvc::detail::xml_error;

// --- libxml2 -------------------------------------------------------------------------------------

std::string_view view(const xmlChar* text) {
  return text ? reinterpret_cast<const char*>(text) : std::string_view{};
}

/// The result of libxml2 for a document.
class other_reader {
public:
  explicit other_reader(std::string_view bytes) : context_(xmlNewParserCtxt()) {
    xmlSetStructuredErrorFunc(this, [](void* self, xmlErrorPtr error) {
      static_cast<other_reader*>(self)->note(*error);
    });
    const int options = XML_PARSE_NONET | XML_PARSE_NOCDATA;
    document_ = xmlCtxtReadMemory(
        context_, bytes.data(), static_cast<int>(bytes.size()), nullptr, nullptr, options);
    good_ = document_ && context_->wellFormed == 1 && good_;
  }
  ~other_reader() {
    xmlFreeDoc(document_);
    xmlFreeParserCtxt(context_);
    xmlSetStructuredErrorFunc(nullptr, nullptr);
  }
  other_reader(const other_reader&) = delete;
  other_reader& operator=(const other_reader&) = delete;

  bool accepts() const { return good_; }
  bool over_limit() const { return over_limit_; }
  bool unknown_encoding() const { return unknown_encoding_; }
  const std::string& why() const { return why_; }
  const xmlNode* root() const { return xmlDocGetRootElement(document_); }
  bool has_document_type() const { return document_ && document_->intSubset; }
  bool has_instruction() const { return document_ && instruction_below(document_->children); }

private:
  void note(const xmlError& error) {
    why_.append(std::to_string(error.code)).append(": ").append(error.message ? error.message : "");
    // A namespace name that is no URI is deprecated or an error of its own, not a constraint of
    // Namespaces in XML 1.0, 2.2 and 7; libxml2 counts it as one.
    const bool about_uri = error.code == XML_WAR_NS_URI || error.code == XML_WAR_NS_URI_RELATIVE;
    if (error.domain == XML_FROM_NAMESPACE && error.level >= XML_ERR_ERROR && !about_uri)
      good_ = false;
    over_limit_ |= error.code == XML_ERR_NAME_TOO_LONG || error.code == XML_ERR_INTERNAL_ERROR;
    unknown_encoding_ |=
        error.code == XML_ERR_UNSUPPORTED_ENCODING || error.code == XML_ERR_UNKNOWN_ENCODING;
  }
  static bool instruction_below(const xmlNode* at) {
    for (; at; at = at->next) {
      if (at->type == XML_PI_NODE) return true;
      if (at->type == XML_ELEMENT_NODE && instruction_below(at->children)) return true;
    }
    return false;
  }

  bool good_ = true;
  bool over_limit_ = false;
  bool unknown_encoding_ = false;
  std::string why_;
  xmlParserCtxtPtr context_;
  xmlDocPtr document_ = nullptr;
};

// --- Comparing trees -----------------------------------------------------------------------------

/// All character data right inside an element, CDATA included.
std::string text_of(const xmlNode* element) {
  std::string text;
  for (const xmlNode* at = element->children; at; at = at->next)
    if (at->type == XML_TEXT_NODE || at->type == XML_CDATA_SECTION_NODE) text += view(at->content);
  return text;
}

const xmlNode* element_from(const xmlNode* at) {
  while (at && at->type != XML_ELEMENT_NODE)
    at = at->next;
  return at;
}

std::string value_of(const xmlAttr* attribute) {
  std::string text;
  for (const xmlNode* at = attribute->children; at; at = at->next) {
    fuzz::require(at->type == XML_TEXT_NODE, "libxml2 makes attribute values of text");
    text += view(at->content);
  }
  return text;
}

/// A namespace name. libxml2 keeps '&' in it as the reference `&#38;` when it is told not to
/// replace entities (XML 1.0, 4.4.5 wants it replaced).
std::string ns_of(const xmlNs* ns) {
  static constexpr std::string_view kept = "&#38;";
  std::string name(ns ? view(ns->href) : std::string_view{});
  for (std::size_t at = name.find(kept); at != name.npos; at = name.find(kept, at + 1))
    name.replace(at, kept.size(), "&");
  return name;
}

void compare_attributes(node ours, const xmlNode* theirs) {
  std::size_t declared = 0;
  std::size_t plain = 0;
  for (const soapsvc::detail::attribute each : ours.attributes()) {
    if (each.ns() == soapsvc::detail::xmlns_ns) {
      const std::string_view prefix = each.prefix().empty() ? "" : each.local();
      // libxml2 keeps no declaration of `xml`, which may only have its known namespace.
      if (prefix == "xml") continue;
      ++declared;
      const xmlNs* found = theirs->nsDef;
      while (found && view(found->prefix) != prefix)
        found = found->next;
      fuzz::require(found && ns_of(found) == each.value(), "one declaration");
      continue;
    }
    ++plain;
    const xmlAttr* found = theirs->properties;
    while (found && (view(found->name) != each.local() || ns_of(found->ns) != each.ns()))
      found = found->next;
    fuzz::require(found, "one attribute", each.local());
    fuzz::require(value_of(found) == each.value(), "one attribute value", each.value());
  }
  std::size_t their_declared = 0;
  std::size_t their_plain = 0;
  for (const xmlNs* at = theirs->nsDef; at; at = at->next)
    ++their_declared;
  for (const xmlAttr* at = theirs->properties; at; at = at->next)
    ++their_plain;
  fuzz::require(declared == their_declared, "as many declarations");
  fuzz::require(plain == their_plain, "as many attributes");
}

/// Recursive, but [reading] has bounded the depth.
void compare(node ours, const xmlNode* theirs) {
  fuzz::require(view(theirs->name) == ours.local(), "one name", ours.local());
  fuzz::require(ns_of(theirs->ns) == ours.ns(), "one namespace", ours.ns());
  const std::string_view prefix = theirs->ns ? view(theirs->ns->prefix) : std::string_view{};
  fuzz::require(prefix == ours.prefix(), "one prefix", ours.prefix());
  compare_attributes(ours, theirs);
  const std::string text = text_of(theirs);
  if (ours.has_children())
    fuzz::require(ours.has_stray_text() == !soapsvc::detail::is_space(text), "stray text");
  else
    fuzz::require(ours.text() == text, "one text", text);
  const xmlNode* other = element_from(theirs->children);
  for (node child = ours.first_child(); child; child = child.next_sibling()) {
    fuzz::require(other, "as many children", ours.local());
    compare(child, other);
    other = element_from(other->next);
  }
  fuzz::require(!other, "no more children", ours.local());
}

// --- Where they differ ---------------------------------------------------------------------------

bool starts_as_utf_16(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv) ||
         bytes.starts_with("<\0"sv) || bytes.starts_with("\0<"sv) || bytes.starts_with("\0\0"sv) ||
         bytes.starts_with("\x4c\x6f"sv);  // UCS-4, EBCDIC
}

/// True if the document declares an encoding other than UTF-8, rightly or not.
bool names_other_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  const std::string start = soapsvc::detail::lower_copy(bytes.substr(0, bytes.find('>')));
  return start.starts_with("<?xml") && fuzz::contains(start, "encoding") &&
         !fuzz::contains(start, "\"utf-8\"") && !fuzz::contains(start, "'utf-8'");
}

bool we_accept(std::string_view bytes) {
  soapsvc::detail::xml_document document;
  try {
    document.parse(bytes, "", soapsvc::message_limits{});
    return true;
  } catch (const xml_error&) {
    return false;
  }
}

/// The reason why libxml2 may accept a document that [reading] refuses; nullptr for none.
const char* their_leniency(
    const other_reader& theirs, std::string_view bytes, const xml_error& error) {
  // A SOAP message holds neither (SOAP 1.2 part 1, 5; SOAP 1.1, 3).
  if (theirs.has_document_type()) return "document type declaration";
  if (theirs.has_instruction()) return "processing instruction";
  // Encodings are the reader's own choice among those of XML 1.0, 4.3.3, and it holds declaration
  // and bytes against each other, which libxml2 does in part.
  if (error.why == xml_error::reason::unsupported_encoding) return "encoding not served";
  if (starts_as_utf_16(bytes) || names_other_encoding(bytes)) return "declared encoding";
  // VersionNum has a digit behind its point (XML 1.0, 2.8, [26]); libxml2 asks for none.
  std::string mended(bytes);
  const std::size_t version = bytes.substr(0, bytes.find('>')).find("1.");
  if (version != bytes.npos && version + 2 < bytes.size() &&
      (bytes[version + 2] == '"' || bytes[version + 2] == '\''))
    mended.insert(version + 2, 1, '0');
  if (we_accept(mended)) return "version 1.";
  // U+0000 is no character (XML 1.0, 2.2). libxml2 takes it for the end when it stands behind the
  // root element, whatever follows.
  const std::string_view until_nul = std::string_view(mended).substr(0, mended.find('\0'));
  if (we_accept(until_nul)) return "NUL behind the root";
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool prepared = (xmlInitParser(), true);
  static_cast<void>(prepared);
  const std::string_view bytes = fuzz::text_of(data, size);
  const other_reader theirs(bytes);
  static soapsvc::detail::xml_document document;
  try {
    const node root = document.parse(bytes, "", soapsvc::message_limits{});
    if (theirs.over_limit()) return 0;
    fuzz::require(theirs.accepts(), "both accept it, libxml2 does not", theirs.why());
    compare(root, theirs.root());
  } catch (const xml_error& error) {
    const bool bounded =
        error.why == xml_error::reason::over_limit || error.why == xml_error::reason::too_large;
    if (bounded || !theirs.accepts()) return 0;
    fuzz::require(
        their_leniency(theirs, bytes, error), "both accept it, soapsvc does not", error.what());
  }
  return 0;
}
