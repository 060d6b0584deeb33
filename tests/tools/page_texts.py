#!/usr/bin/python3
"""page_texts.py HEADER FOLDER: the style and script of the help pages as files, for the linters.

Writes FOLDER/style.css and FOLDER/script.js, exactly the two raw strings of the header, and
FOLDER/pages.json: the lines at which they begin, and what the code below them writes into pages
(elements, attributes with their values, classes, ids). A text that is not found, is made of several
strings or is empty is an error, and so is style or script that pages write elsewhere.
"""

import json
import re
import sys
from pathlib import Path

# Members of page_writer that take classes, and which argument that is.
CLASS_ARGUMENT = {"paragraph": 1, "badge": 1}
TOKEN = re.compile(
    r'''(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<other>'(?:[^'\\\n]|\\.)+'|\w+|.)''',
    re.VERBOSE | re.DOTALL,
)
# A value's place in the markup of page_writer::write, with the attribute that it is the value of.
PLACE = re.compile(r"(?:([a-z-]+)=)?\{[?-]?\}")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def raw_string(header, name, mark):
    """The text of `NAME = R"MARK(...)MARK";`, and the line at which it begins."""
    found = re.findall(rf'\b{name}\s*=', header)
    whole = re.search(rf'\b{name} = R"{mark}\((.*?)\){mark}";', header, re.DOTALL)
    if len(found) != 1 or not whole or f'){mark}"' in whole[1]:
        sys.exit(f'{name} is not one string R"{mark}(...){mark}" in the header')
    if not whole[1].strip():
        sys.exit(f"{name} is empty")
    return whole[1], header.count("\n", 0, whole.start(1)) + 1, whole.end()


def tokens_of(code):
    """Words and characters of C++ code; a string is ("", its text), adjacent ones are one."""
    tokens = []
    for token in TOKEN.finditer(code):
        if token["text"]:
            said = re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), token["text"][1:-1])
            if tokens and tokens[-1][0] == "":
                said = tokens.pop()[1] + said
            tokens.append(("", said))
        elif token["other"]:
            tokens.append((token["other"],))
    return tokens


def arguments_of(tokens, start, level=1):
    """The strings in each argument of the call whose bracket opens at `start`; with level 2, in
    each value of the lists in braces that are its arguments."""
    depth, arguments = 0, [[]]
    for token in tokens[start:]:
        depth += (token[0] in ("(", "{", "[")) - (token[0] in (")", "}", "]"))
        if depth == 0:
            break
        if token[0] == "," and depth == level:
            arguments.append([])
        elif token[0] == "" and depth >= level:
            arguments[-1].append(token[1])
    return arguments


class Pages:
    """The possible content of pages, as far as their code shows it."""

    def __init__(self):
        self.elements = set()
        self.attributes = {}  # name: values; None among them: any

    def add_attribute(self, name, values):
        if name == "style" or name.startswith("on"):
            sys.exit(f"a page has an attribute {name}: style and script stand in the two texts")
        self.attributes.setdefault(name, set()).update(values or [None])

    def add_markup(self, text):
        """Tags, and ends of tags that another string began: `<p class="note">`, ` hidden>`."""
        self.elements.update(re.findall(r"<([a-z][a-z0-9]*)", text))
        if re.search(r"<(?:style|script)\b[^>]*>.", text, re.DOTALL):
            sys.exit("a page has style or script of its own, outside the two texts")
        inside = re.findall(r"<[a-z][a-z0-9]*((?:[^<>\"]|\"[^\"]*\")*)", text)
        inside += re.findall(r"^((?: [a-z-]+(?:=\"[^\"]*\")?)+)>", text)
        inside += re.findall(r"^((?: (?:[a-z]+-[a-z]+|checked|disabled|hidden|required))+)$", text)
        for attributes in inside:
            for name, value in re.findall(r"\s([a-z-]+)(?![a-z-]|=\{)(?:=\"(.*?)\")?", attributes):
                if "{" not in value:
                    self.add_attribute(name, [value])

    def add_values(self, markup, values):
        """The values that `write` puts into its markup."""
        for place, name in enumerate(PLACE.findall(markup)):
            if name:
                self.add_attribute(name, [value for value in values[place] if value])

    def add_code(self, code):
        tokens = tokens_of(code)
        for index, token in enumerate(tokens):
            if token[0] == "":
                self.add_markup(token[1])
            if index + 1 == len(tokens) or tokens[index + 1][0] != "(":
                continue
            arguments = arguments_of(tokens, index + 1)
            if token[0] == "attribute" and arguments[0]:
                self.add_attribute(arguments[0][0], [])
            if token[0] == "write" and arguments[0]:
                self.add_values(arguments[0][0], arguments_of(tokens, index + 1, 2))
            at = CLASS_ARGUMENT.get(token[0])
            if at and len(arguments) > at and arguments[at]:
                self.add_attribute("class", arguments[at])

    def words(self, attribute):
        values = self.attributes.get(attribute, set()) - {None}
        return sorted({word for value in values for word in value.split()})


def main():
    header = Path(sys.argv[1]).read_text()
    folder = Path(sys.argv[2])
    style, style_line, style_end = raw_string(header, "page_style", "css")
    script, script_line, script_end = raw_string(header, "page_script", "js")
    begin = max(style_end, script_end)
    end = header.find("\n// [", begin)
    pages = Pages()
    pages.add_code(header[begin:end])
    for part in re.findall(r"^(?:inline void write_user_fields\(|  void describe\().*?^ *\}$", header, re.M | re.S):
        pages.add_code(part)  # of an extension
    if end < 0 or not {"html", "main", "form"} <= pages.elements or not pages.words("class"):
        sys.exit("the code that writes pages does not follow the two texts")
    (folder / "style.css").write_text(style)
    (folder / "script.js").write_text(script)
    (folder / "pages.json").write_text(
        json.dumps(
            {
                "file": Path(sys.argv[1]).name,
                "lines": {"style": style_line, "script": script_line},
                "elements": sorted(pages.elements),
                "classes": pages.words("class"),
                "ids": pages.words("id"),
                "attributes": {
                    name: None if None in values else sorted(values)
                    for name, values in sorted(pages.attributes.items())
                },
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
