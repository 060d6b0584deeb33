#include "source.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace importer {

namespace {

/// The end of the construct that begins at `from` and ends with `close`; npos: it has no end.
std::size_t end_of(std::string_view text, std::size_t from, std::string_view close) {
  const std::size_t at = text.find(close, from);
  return at == std::string_view::npos ? at : at + close.size();
}

/// The end of the document type declaration at `from`: its brackets and quotes nest.
std::size_t end_of_doctype(std::string_view text, std::size_t from) {
  bool inside = false;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = text.find(c, at + 1);
      if (at == std::string_view::npos) return at;
    } else if (text.substr(at, 4) == "<!--") {
      at = end_of(text, at + 4, "-->");
      if (at == std::string_view::npos) return at;
      --at;
    } else if (c == '[') {
      inside = true;
    } else if (c == ']') {
      inside = false;
    } else if (c == '>' && !inside) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

/// Overwrites constructs that are allowed in schemas but not in messages: processing instructions,
/// and the document type declaration of published schemas. The declarations in it are not read, so
/// an entity that it declares is refused at its use. Positions stay the same. Returns the position
/// of a construct without an end; npos: none.
std::size_t blank_what_messages_have_not(std::string& text) {
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at != to; ++at)
      if (text[at] != '\n' && text[at] != '\r') text[at] = ' ';
  };
  std::size_t at = 0;
  while ((at = text.find('<', at)) != std::string::npos) {
    const std::string_view rest = std::string_view(text).substr(at);
    const bool is_doctype = rest.starts_with("<!DOCTYPE");
    const bool is_instruction = rest.starts_with("<?") && !(at == 0 && rest.starts_with("<?xml "));
    std::size_t end = at + 1;
    if (rest.starts_with("<!--"))
      end = end_of(text, at + 4, "-->");
    else if (rest.starts_with("<![CDATA["))
      end = end_of(text, at + 9, "]]>");
    else if (is_doctype)
      end = end_of_doctype(text, at + 9);
    else if (is_instruction)
      end = end_of(text, at + 2, "?>");
    const bool is_blank = is_doctype || is_instruction;
    if (end == std::string::npos) return is_blank ? at : end;  // else the reader reports it
    if (is_blank) blank(at, end);
    at = end;
  }
  return at;
}

/// The parts of "line 12, column 7: the rest"; line 0: another sentence.
struct Sentence {
  std::size_t line = 0, column = 0;
  std::string_view rest;
};
Sentence split(std::string_view sentence) {
  Sentence made{0, 0, sentence};
  const auto number_behind = [&made](std::string_view word) {
    std::size_t number = 0;
    if (!made.rest.starts_with(word)) return number;
    made.rest.remove_prefix(word.size());
    const char* const end = made.rest.data() + made.rest.size();
    made.rest.remove_prefix(static_cast<std::size_t>(
        std::from_chars(made.rest.data(), end, number).ptr - made.rest.data()));
    return number;
  };
  made.line = number_behind("line ");
  made.column = number_behind(", column ");
  if (made.line == 0 || made.column == 0) return {0, 0, sentence};
  return made;
}

/// Makes "file:12:7: the rest" from "line 12, column 7: the rest". The library's texts say
/// "message"; here they say "document".
std::string as_position(const std::string& file, std::string_view sentence) {
  constexpr std::string_view message = ": the message ";
  const Sentence said = split(sentence);
  if (said.line == 0) return file + ": " + std::string(sentence);
  std::string rest(said.rest);
  if (rest.starts_with(message)) rest.replace(0, message.size(), ": the document ");
  return file + ':' + std::to_string(said.line) + ':' + std::to_string(said.column) + rest;
}

/// Adds the undeclared prefix to an error. The library quotes no markup, because in a message it
/// may be a part of a password.
std::string with_prefix(std::string_view text, const std::string& sentence) {
  constexpr std::string_view end = "this namespace prefix is not declared";
  Sentence said = split(sentence);
  if (said.line == 0 || !said.rest.ends_with(end)) return sentence;
  while (--said.line != 0)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  while (!text.empty() && --said.column != 0) {
    text.remove_prefix(1);
    while (!text.empty() && !begins(text.front()))
      text.remove_prefix(1);
  }
  const std::string_view prefix = text.substr(0, text.find(':'));
  if (!soapsvc::detail::is_ncname(prefix)) return sentence;
  return sentence.substr(0, sentence.size() - end.size()) + "the prefix '" + std::string(prefix) +
         "' is not declared; add xmlns:" + std::string(prefix);
}

/// Converts a document to UTF-8 before it is parsed, so that all positions refer to one text.
std::string in_utf8(const std::string& name, std::string bytes) {
  try {
    return importer::in_utf8(std::move(bytes));
  } catch (const std::runtime_error& error) {
    throw Failure(Failure::unreadable, as_position(name, error.what()));
  }
}

}  // namespace

soapsvc::detail::decoded_char bidi_control(std::string_view text) noexcept {
  if (text.empty() || static_cast<unsigned char>(text.front()) < 0xC0) return {};
  const auto c = soapsvc::detail::decode_utf8(text);
  const bool changes = c.value == 0x61C || (c.value >= 0x200E && c.value <= 0x200F) ||
                       (c.value >= 0x202A && c.value <= 0x202E) ||
                       (c.value >= 0x2066 && c.value <= 0x2069);
  return changes ? c : soapsvc::detail::decoded_char{};
}

std::string one_line(std::string_view text) {
  constexpr std::size_t most = 2'000, at_end = 500;
  std::string made;
  while (!text.empty()) {
    const auto c = soapsvc::detail::decode_utf8(text);
    const std::size_t length = std::max(1U, c.length);
    const bool is_control = c.length == 0 || c.value < 0x20 || (c.value >= 0x7F && c.value < 0xA0);
    const bool ends_line = c.value == 0x2028 || c.value == 0x2029;
    if (is_control || ends_line || bidi_control(text).length != 0)
      made += ' ';
    else
      made += text.substr(0, length);
    text.remove_prefix(length);
  }
  if (made.size() <= most) return made;
  const auto begins = [&](std::size_t at) { return (made[at] & 0xC0) != 0x80; };
  std::size_t from = most - at_end, to = made.size() - at_end;
  while (!begins(from))
    --from;
  while (!begins(to))
    ++to;
  return made.substr(0, from) + " ... " + made.substr(to);
}

std::string shown(const QName& name) {
  return name.ns.empty() ? name.local : '{' + name.ns + '}' + name.local;
}

/// True if a text begins like HTML, in any letter case.
static bool is_web_page(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::string begin(text.substr(0, std::string_view("<!doctype html").size()));
  for (char& c : begin)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return begin.starts_with("<html") || begin == "<!doctype html";
}

[[noreturn]] static void refuse_web_page(const std::string& where) {
  throw Failure(
      Failure::unreadable,
      where + ": a web page (HTML), not a contract; a WSDL's address often ends in ?wsdl");
}

Document::Document(std::string name, std::string bytes)
    : name_(std::move(name)), text_(in_utf8(name_, std::move(bytes))) {
  if (text_.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Failure(Failure::unreadable, position(0) + ": the document is empty");
  const bool has_dtd = text_.find("<!DOCTYPE") != std::string::npos;
  const std::size_t open = blank_what_messages_have_not(text_);
  if (open != std::string::npos)
    throw Failure(
        Failure::unreadable,
        position(open) +
            ": a document type declaration or a processing instruction begins here and does "
            "not end");
  try {
    root_ = parsed_.read(text_);
  } catch (const std::runtime_error& error) {
    if (is_web_page(text_)) refuse_web_page(position(0));
    std::string told = with_prefix(text_, error.what());
    if (const std::size_t at = told.find("this entity is not defined"); has_dtd && at != told.npos)
      told.replace(at, told.npos, "entities of a DTD are not read; write the entity's text here");
    throw Failure(Failure::unreadable, as_position(name_, told));
  }
  if (root_.local() == "html" || root_.local() == "HTML") refuse_web_page(position(0));
}

std::string Document::where(Node at) const {
  return position(static_cast<std::size_t>(at.source().data() - text_.data()));
}

std::string Document::position(std::size_t offset) const {
  if (lines_.empty()) {
    lines_.push_back(0);
    for (std::size_t end = 0; (end = text_.find('\n', end)) != std::string::npos;)
      lines_.push_back(++end);
  }
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset) - 1;
  return name_ + ':' + std::to_string(line - lines_.begin() + 1) + ':' +
         std::to_string(offset - *line + 1);
}

void refuse(const Place& at, const std::string& reason) { throw Broken({at.text(), reason, true}); }

void refuse_all(const Place& at, const std::string& reason) {
  throw Failure(Failure::unreadable, at.text() + ": " + reason);
}

// --- Files and addresses -------------------------------------------------------------------------

namespace {

/// The path to which `location` in the file at `from` points.
std::string path_of(const std::string& from, std::string_view location) {
  if (location.starts_with("file:/"))  // also without an authority (RFC 8089, appendix B)
    location.remove_prefix(location.starts_with("file://") ? 7 : 5);
  std::string plain;  // with decoded %20 and similar; some locations are paths of Windows
  for (std::size_t at = 0; at != location.size(); ++at) {
    unsigned char value = 0;
    if (location[at] == '%' && at + 2 < location.size()) {
      const char* const digits = location.data() + at + 1;
      if (std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2) value = 0;
    }
    const char c = location[at] == '\\' ? '/' : location[at];
    plain += value != 0 ? static_cast<char>(value) : c;
    if (value != 0) at += 2;
  }
  const std::filesystem::path base = std::filesystem::path(from).parent_path();
  return (base / plain).lexically_normal().string();
}

/// A key that is equal for all paths of one file.
std::string key_of(const std::string& path) {
  std::error_code error;
  const std::string key = std::filesystem::weakly_canonical(path, error).string();
  return error ? path : key;  // a path that is too long is not a file
}

}  // namespace

bool Library::exists(const std::string& path) const {
  std::error_code ignored;
  return documents_.contains(key_of(path)) || std::filesystem::is_regular_file(path, ignored);
}

void Library::give(const std::string& path, std::string bytes) {
  keep(key_of(path), path, std::move(bytes));
}

const Document& Library::open(const std::string& name) {
  if (!is_remote(name)) return open_file(name, {});
  if (has_credentials(name))
    throw Failure(
        Failure::unreadable,
        without_credentials(name) +
            ": an address must not contain a user name or a password; give them by --user and "
            "--password-file");
  if (!fetcher_) throw Failure(Failure::unreadable, name + ": is not fetched without --fetch");
  const auto address = resolved({}, name);
  if (!address) throw Failure(Failure::unreadable, name + ": is not an http or https address");
  try {
    return fetch(*address);
  } catch (const FetchError& error) {
    throw Failure(Failure::unreadable, address->text() + ": cannot be fetched: " + error.what());
  }
}

/// Searches in this order: the address in a catalog, as written and resolved; the file at the
/// location; a given file with the same name, as for a saved copy.
const Document* Library::find_here(const Place& asked_by, std::string_view location) {
  const std::string& from = asked_by.in->name();
  const auto address = resolved(is_remote(from) ? from : std::string(), location);
  for (const std::string& each : {std::string(location), address ? address->text() : std::string()})
    if (const std::string path = catalogued(each); !path.empty()) return &open_file(path, asked_by);
  if (!is_remote(from) && !is_remote(location))
    if (const std::string path = path_of(from, location); exists(path))
      return &open_file(path, asked_by);
  if (const std::string path = given_as(location); !path.empty()) return &open_file(path, asked_by);
  return nullptr;
}

const Document* Library::find(const Place& asked_by, std::string_view location, std::string& why) {
  if (const Document* const here = find_here(asked_by, location)) return here;
  const std::string& from = asked_by.in->name();
  if (const std::string_view scheme = scheme_of(location);
      scheme.size() > 1 && scheme != "file" && !is_remote(location)) {
    why = "is not read: its scheme is '" + std::string(scheme) + "'; name the file as an input";
    return nullptr;
  }
  if (!is_remote(from) && !is_remote(location)) {
    why = "is missing; put the file at " + path_of(from, location) + ", or name it as an input";
    return nullptr;
  }
  const auto address = resolved(is_remote(from) ? from : std::string(), location);
  if (has_credentials(location)) {
    why = "is not read: its address contains a user name or a password";
  } else if (!address) {
    why = "is not read: it is not an http or https address";
    if (is_remote(from)) why += ", and a document from the network cannot name a file";
  } else if (!fetcher_) {
    why = "is not fetched; save it and name the file as an input, or give --fetch";
  } else {
    try {
      return &fetch(*address);
    } catch (const FetchError& error) {
      why = "cannot be fetched: " + address->text() + ": " + error.what();
    }
  }
  return nullptr;
}

void Library::give(const std::vector<std::string>& names) {
  for (const std::string& each : names)
    if (!is_remote(each)) given_.push_back(each);
}

/// The given file whose path ends like the location; empty if there is none, or if there are
/// several.
std::string Library::given_as(std::string_view location) const {
  const auto parts_of = [](std::string_view path) {
    std::vector<std::string_view> parts;  // in reverse order
    while (!path.empty()) {
      const std::size_t cut = path.find_last_of("/\\");  // some locations are paths of Windows
      parts.push_back(path.substr(cut == path.npos ? 0 : cut + 1));
      path = path.substr(0, cut == path.npos ? 0 : cut);
    }
    return parts;
  };
  const auto match = [&](std::string_view sought) {
    const auto wanted = parts_of(sought);
    std::size_t best = 0;
    std::string found;
    for (const std::string& each : given_) {
      const auto parts = parts_of(each);
      std::size_t same = 0;
      while (same != std::min(parts.size(), wanted.size()) && parts[same] == wanted[same])
        ++same;
      if (same == 0 || same < best) continue;
      found = same == best ? std::string() : each;
      best = same;
    }
    return found;
  };
  const std::string found = match(location);
  return found.empty() ? match(location.substr(0, location.find_first_of("?#"))) : found;
}

// --- Catalogs ------------------------------------------------------------------------------------

void Library::add_catalog(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return read_catalog(path, 0);
  mirrors_.push_back(path);
  const std::string own = (std::filesystem::path(path) / "catalog.xml").string();
  if (exists(own)) read_catalog(own, 0);
}

/// OASIS XML Catalogs 1.1, 6 and 7: entries for addresses. Public identifiers do not occur here.
void Library::read_catalog(const std::string& path, std::size_t depth) {
  constexpr std::string_view ns = "urn:oasis:names:tc:entity:xmlns:xml:catalog";
  const Document& read = open_file(path, {});
  if (!read.root().is(ns, "catalog"))
    throw Failure(
        Failure::unreadable,
        path + ": is not an OASIS XML catalog; give such a catalog, or a folder");
  const auto add = [&](auto& self, Node of, const std::string& base) -> void {
    constexpr std::string_view xml = "http://www.w3.org/XML/1998/namespace";
    for (Node each = of.first_child(); each; each = each.next_sibling()) {
      if (each.ns() != ns) continue;
      const std::string here = path_of(base, std::string(each.attribute(xml, "base").value_or("")));
      const std::string from = each.attribute(xml, "base") ? here : base;
      const auto target = [&](std::string_view name) {
        return path_of(from, attribute_of(each, name));
      };
      const std::string_view tag = each.local();
      if (tag == "group") self(self, each, from);
      if (tag == "uri") entries_.emplace(attribute_of(each, "name"), target("uri"));
      if (tag == "system") entries_.emplace(attribute_of(each, "systemId"), target("uri"));
      const bool is_uri = tag == "rewriteURI";
      if (is_uri || tag == "rewriteSystem") {
        std::string to = target("rewritePrefix");
        if (attribute_of(each, "rewritePrefix").ends_with('/') && !to.ends_with('/')) to += '/';
        prefixes_.emplace(
            attribute_of(each, is_uri ? "uriStartString" : "systemIdStartString"), to);
      }
      if (tag == "nextCatalog" && depth < 16) read_catalog(target("catalog"), depth + 1);
    }
  };
  add(add, read.root(), path);
}

/// The file that a catalog gives for an address; empty if there is none.
std::string Library::catalogued(const std::string& address) const {
  if (address.empty()) return {};
  if (const auto known = entries_.find(address); known != entries_.end()) return known->second;
  std::size_t longest = 0;
  std::string found;
  for (const auto& [begin, to] : prefixes_)
    if (!begin.empty() && address.starts_with(begin) && begin.size() > longest) {
      longest = begin.size();
      found = to + address.substr(begin.size());
      // A catalog leads to no file outside of its folder; neither does a mirror, below.
      const std::size_t begins = to.rfind('/') + 1;
      if (('/' + found.substr(begins) + '/').find("/../") != found.npos) found.clear();
    }
  if (!found.empty()) return found;
  const std::size_t scheme = address.find("://");
  if (!is_remote(address) || scheme == address.npos) return {};
  std::string rest = address.substr(scheme + 3);
  for (const std::string& each : mirrors_)
    for (const std::string& name : {rest, rest.substr(0, rest.find_first_of("?#"))}) {
      const std::string path = path_of(each + "/.", name);
      const std::filesystem::path mirror = std::filesystem::path(each).lexically_normal();
      const auto inside = std::filesystem::path(path).lexically_relative(mirror);
      if (!inside.empty() && *inside.begin() != ".." && exists(path)) return path;
    }
  return {};
}

const Document& Library::open_file(const std::string& path, const Place& asked_by) {
  const auto refuse_file = [&](const std::string& why) {
    const std::string place = asked_by.in ? asked_by.text() + ": " : std::string();
    throw Failure(Failure::unreadable, place + path + ' ' + why);
  };
  const std::string key = key_of(path);
  if (const auto known = documents_.find(key); known != documents_.end()) return *known->second;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) refuse_file("cannot be read: there is no such file");
  if (!std::filesystem::is_regular_file(path, error))
    refuse_file("is not read: it is a folder or a device; name a file");
  if (documents_.size() == most_files)
    refuse_file("is not read: more than " + std::to_string(most_files) + " files");
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > most_document_bytes() || bytes_ + size > most_bytes)
    refuse_file(
        "is too large: the maximum is " + std::to_string(most_document_bytes()) +
        " bytes for a file, and for all files together " + std::to_string(most_bytes));
  progress_.doing("reading " + path);
  // Reads no more than the size at first, even if the file grows meanwhile.
  std::string bytes(static_cast<std::size_t>(size), '\0');
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_file("cannot be read: " + std::generic_category().message(errno));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) refuse_file("cannot be read: " + std::generic_category().message(errno));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return keep(key, path, std::move(bytes));
}

const Document& Library::fetch(const Url& from) {
  const std::string asked = from.text();
  if (const auto known = redirected_.find(asked); known != redirected_.end()) return *known->second;
  if (const auto known = documents_.find(asked); known != documents_.end()) return *known->second;
  if (documents_.size() == most_files)
    throw FetchError("more than " + std::to_string(most_files) + " documents");
  if (const auto known = failed_.find(asked); known != failed_.end())
    throw FetchError(known->second);
  Fetched got;
  try {
    got = fetcher_->get(from, std::min(most_document_bytes(), most_bytes - bytes_));
  } catch (const FetchError& error) {
    failed_[asked] = error.what();
    throw;
  }
  const std::string name = got.from.text();
  const auto known = documents_.find(name);
  const Document& read =
      known != documents_.end() ? *known->second : keep(name, name, std::move(got.bytes));
  redirected_[asked] = &read;
  return read;
}

const Document& Library::keep(const std::string& key, const std::string& name, std::string bytes) {
  bytes_ += bytes.size();
  auto made = std::make_unique<Document>(name, std::move(bytes));
  const Document& kept = *documents_.emplace(key, std::move(made)).first->second;
  progress_.has_read(documents_.size(), bytes_);
  return kept;
}

const Document& Library::built_in(const std::string& name, std::string_view text) {
  auto& slot = documents_[name];
  if (!slot) slot = std::make_unique<Document>(name, std::string(text));
  return *slot;
}

// --- Elements ------------------------------------------------------------------------------------

static std::string_view without_spaces(std::string_view text) noexcept {
  const auto is_space = soapsvc::detail::is_xml_space;
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

std::string_view attribute_of(Node at, std::string_view name) noexcept {
  return without_spaces(at.attribute(name).value_or(std::string_view()));
}

bool has_attribute(Node at, std::string_view name) noexcept {
  return at.attribute(name).has_value();
}

QName name_of(const Place& at, std::string_view said, std::string_view unprefixed) {
  said = without_spaces(said);
  const std::size_t colon = said.find(':');
  const std::string_view prefix =
      colon == std::string_view::npos ? std::string_view() : said.substr(0, colon);
  const std::string_view local = colon == std::string_view::npos ? said : said.substr(colon + 1);
  const bool has_prefix = colon != std::string_view::npos;
  if (!soapsvc::detail::is_ncname(local) || (has_prefix && !soapsvc::detail::is_ncname(prefix)))
    refuse(at, '\'' + std::string(said) + "' is not a qualified name");
  const auto ns = at.at.namespace_of(prefix);
  if (!ns && !prefix.empty())
    refuse(
        at,
        "the prefix '" + std::string(prefix) +
            "' is not declared; add xmlns:" + std::string(prefix));
  std::string_view found = ns.value_or(std::string_view());
  if (prefix.empty() && found.empty()) found = unprefixed;
  return {std::string(found), std::string(local)};
}

std::string declared_in(const std::string& ns) {
  return "; its name is declared in " +
         (ns.empty() ? "no namespace" : "the namespace '" + ns + '\'');
}

std::string collapsed(std::string_view text) {
  std::string made;
  bool space = false;
  for (const char c : text) {
    if (soapsvc::detail::is_xml_space(c)) {
      space = !made.empty();
      continue;
    }
    if (space) made += ' ';
    space = false;
    made += c;
  }
  return made;
}

static std::size_t end_of_start_tag(std::string_view element) noexcept {
  std::size_t at = element.find_first_of("\"'>");
  while (element[at] != '>')
    at = element.find_first_of("\"'>", element.find(element[at], at + 1) + 1);
  return at + 1;
}

/// Appends the content of an element as in the source, without tags. The reader bounds the depth.
static void append_content(Node of, std::string& to) {
  constexpr std::size_t most = 1024 * 1024;
  const std::string_view whole = of.source();
  std::size_t from = end_of_start_tag(whole);
  for (Node child = of.first_child(); child && to.size() < most; child = child.next_sibling()) {
    const std::string_view inner = child.source();
    const auto begin = static_cast<std::size_t>(inner.data() - whole.data());
    to.append(whole.substr(from, begin - from)).append(" ");
    append_content(child, to);
    from = begin + inner.size();
  }
  const std::size_t end = whole.rfind('<');  // 0: an empty element, such as <br/>
  if (from < end && to.size() < most) to.append(whole.substr(from, end - from));
}

void append_text(Node at, std::string& to) {
  if (!at.first_child()) {
    to.append(at.text()).append(" ");
    return;
  }
  std::string content = "<text>";
  append_content(at, content);
  content += "</text>";
  Reader reader;
  to.append(reader.read(content).text()).append(" ");
}

std::string documentation_text(std::string_view text) {
  constexpr std::string_view more = " ...";
  std::string made = collapsed(text);
  if (made.size() <= most_literal) return made;
  std::size_t end = most_literal - more.size();
  while ((made[end] & 0xC0) == 0x80)
    --end;
  return made.replace(end, made.npos, more);
}

}  // namespace importer
