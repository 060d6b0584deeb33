#include "layout.hpp"

#include <algorithm>
#include <vector>

#include "source.hpp"

namespace importer {

namespace {

/// The parts of a call: the text before the bracket, and the texts between the commas.
struct Call {
  std::string_view name;
  std::vector<std::string_view> arguments;
};

/// Skips a string literal or a character.
std::size_t next_of(std::string_view code, std::size_t at) {
  if (code[at] != '"') return at + 1;
  for (++at; at < code.size() && code[at] != '"'; ++at)
    if (code[at] == '\\') ++at;
  return at + 1;
}

bool take_apart(std::string_view code, Call& made) {
  if (code.empty() || code.back() != ')' || code.front() == '"') return false;
  std::size_t at = code.find('(');
  if (at == std::string_view::npos) return false;
  made.name = code.substr(0, at + 1);
  std::size_t depth = 0;
  std::size_t begin = ++at;
  while (at < code.size()) {
    const char c = code[at];
    if (c == '(' || c == '<' || c == '{') ++depth;
    if (c == '>' || c == '}' || (c == ')' && depth != 0)) {
      if (depth != 0) --depth;
    } else if (c == ')') {
      break;
    }
    if (c == ',' && depth == 0) {
      made.arguments.push_back(code.substr(begin, at - begin));
      begin = at + 2;  // a space follows
      at += 2;
      continue;
    }
    at = next_of(code, at);
  }
  if (at + 1 != code.size()) return false;
  if (at > begin) made.arguments.push_back(code.substr(begin, at - begin));
  return !made.arguments.empty();
}

/// The position where a literal without spaces can be cut, at most `most`: not within a character
/// or an escape.
std::size_t cut_of(std::string_view text, std::size_t most) {
  std::size_t cut = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '\\') end += at + 1 < text.size() && text[at + 1] == 'u' ? 5 : 1;
    while (end < text.size() && (text[end] & 0xC0) == 0x80)
      ++end;
    if (end > most && cut != 0) break;
    cut = at = end;
  }
  return std::min(cut, text.size());
}

/// A literal in pieces, each in a line of its own.
std::string pieces_of(std::string_view literal, std::size_t indent) {
  std::string made;
  const std::size_t room = line_width - indent - 4;
  std::string_view rest = literal.substr(1, literal.size() - 2);
  while (!rest.empty()) {
    std::size_t cut = rest.size();
    if (cut > room) {
      cut = rest.rfind(' ', room - 1);
      cut = cut == std::string_view::npos ? cut_of(rest, room) : cut + 1;
    }
    if (!made.empty()) made.append("\n").append(indent, ' ');
    made.append("\"").append(rest.substr(0, cut)).append("\"");
    rest.remove_prefix(cut);
  }
  return made.empty() ? std::string("\"\"") : made;
}

/// Breaks `code` into lines. Its line already has `used` characters, and `after` characters will
/// follow.
std::string broken(std::string_view code, std::size_t indent, std::size_t used, std::size_t after) {
  if (used + code.size() + after <= line_width) return std::string(code);
  Call call;
  if (!take_apart(code, call)) {
    const bool is_literal = code.size() > 2 && code.front() == '"' && code.back() == '"' &&
                            next_of(code, 0) == code.size();
    return is_literal ? pieces_of(code, indent) : std::string(code);
  }
  const std::size_t inner = indent + 4;
  std::string made(call.name);
  Call only;
  // A call with one argument that is a call: both open in one line.
  if (call.arguments.size() == 1 && inner + call.arguments[0].size() + after + 1 > line_width &&
      take_apart(call.arguments[0], only))
    return made + broken(call.arguments[0], indent, used + made.size(), after + 1) + ')';
  const bool is_text =
      call.arguments.size() == 1 && call.arguments[0].front() == '"' && used + made.size() == inner;
  if (is_text) return made + pieces_of(call.arguments[0], inner) + ')';
  std::size_t together = inner + after + 1;
  for (const std::string_view each : call.arguments)
    together += each.size() + 2;
  const bool one_line = together - 2 <= line_width;
  for (std::size_t at = 0; at != call.arguments.size(); ++at) {
    const bool last = at + 1 == call.arguments.size();
    if (at == 0 || !one_line) made.append("\n").append(inner, ' ');
    made += broken(call.arguments[at], inner, inner, last ? after + 1 : 1);
    if (!last) made += one_line ? ", " : ",";
  }
  return made + ')';
}

}  // namespace

std::string laid_out(
    std::string_view head, std::string_view code, std::string_view tail, std::size_t indent) {
  std::string made(indent, ' ');
  made += head;
  const bool assigns = head.ends_with("= ");
  const bool fits = indent + head.size() + code.size() + tail.size() <= line_width;
  if (!fits && assigns && indent + 4 + code.size() + tail.size() <= line_width) {
    made.pop_back();
    return made.append("\n").append(indent + 4, ' ').append(code).append(tail) + '\n';
  }
  const std::size_t opening = code.find('(');
  const bool opens =
      opening != std::string_view::npos && indent + head.size() + opening + 1 <= line_width;
  std::size_t used = indent + head.size();
  if (assigns && !opens) {
    made.pop_back();
    made.append("\n").append(indent += 4, ' ');
    used = indent;
  }
  return made + broken(code, indent, used, tail.size()) + std::string(tail) + '\n';
}

std::string comment(std::string_view said, std::size_t indent, std::string_view mark) {
  std::string plain;
  for (std::size_t at = 0; at != said.size(); ++at) {
    const std::size_t hidden = bidi_control(said.substr(at)).length;
    if (hidden == 0)
      plain += said[at];
    else
      at += hidden - 1;
  }
  // Compilers join a line with the next after a backslash, even with spaces behind it. Collapse the
  // spaces again: a removed character may have separated some.
  plain = collapsed(plain);
  std::string_view text = plain;
  std::string made;
  const std::size_t room = line_width - indent - mark.size();
  while (!text.empty()) {
    std::size_t cut = text.size();
    if (cut > room) {
      cut = text.rfind(' ', room);
      if (cut == std::string_view::npos || cut == 0) cut = text.find(' ', room);
      if (cut == std::string_view::npos) cut = text.size();
    }
    made.append(indent, ' ').append(mark);
    std::string_view line = text.substr(0, cut);
    // A backslash at the end, or its trigraph, would join the next line.
    const bool swallows = line.ends_with('\\') || line.ends_with("?\?/");
    made.append(line).append(swallows ? ".\n" : "\n");
    text.remove_prefix(cut == text.size() ? cut : cut + 1);
  }
  return made;
}

/// The best position to break a line within the width; 0: none. A comma is better than a space, and
/// a space is better than the middle of a name.
static std::size_t break_of(std::string_view line, std::size_t indent) {
  std::size_t comma = 0, space = 0, inside = 0;
  for (std::size_t at = indent; at < std::min(line.size(), line_width);) {
    const std::size_t next = next_of(line, at);
    if (next > line_width) break;
    if (at != 0 && line[at] == ' ') (line[at - 1] == ',' ? comma : space) = at + 1;
    if (line[at] == '<' || line[at] == '(' || (at != 0 && line[at] == ':' && line[at - 1] == ':'))
      inside = next;
    at = next;
  }
  return comma != 0 ? comma : space > indent ? space : inside;
}

std::string within_width(const std::string& text) {
  std::string made;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    std::string line(rest.substr(0, end));
    rest.remove_prefix(end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool is_code = line.find("//") != indent && line[indent] != '#';
    while (is_code && line.size() > line_width + 1) {
      const std::size_t cut = break_of(line, indent);
      if (cut <= indent + 4) break;
      const bool has_space = line[cut - 1] == ' ';
      made.append(line, 0, cut - (has_space ? 1 : 0)).append("\n");
      line = std::string(indent + 4, ' ') + line.substr(cut);
      if (line.find_first_not_of(' ') != indent + 4) break;
    }
    made += line;
  }
  return made;
}

}  // namespace importer
