#!/usr/bin/python3
"""migrate.py [--dry-run] [--comments] [--using] FILE...: gives C++ files the new public names of soapsvc.hpp.

Renames whole words of C++ by the table renamed.txt, which lies beside this script (README.md shows
it, and --table prints it). Each renamed word is printed with its file and line. String literals are
left alone, and comments too unless --comments is given. Running it twice does no harm.

A word is renamed only where it is soapsvc's, as far as one file shows it:

  types, functions, constants   behind soapsvc::, in a file with `using` for them, and in tables
  words of tables, as below     the same; a table is what stands behind soapsvc::schema<...>
  members of option structs     behind a variable of that type, as in options.queue; in braces for
                                one, as in {.queue = 5}; behind the type's name, as in &limits::depth
  members with telling names    behind any variable, as in unfinished_bytes

--using takes the whole of each file as if it had `using namespace soapsvc`. Where a word may be
soapsvc's but the file does not show it, a line `look at` is printed and nothing is changed.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).resolve().parent / "renamed.txt"

TOKEN = re.compile(
    r"""(?P<directive>\#[ \t]*include[^\n]*)
    |(?P<raw>(?:u8|u|U|L)?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
    |(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<string>(?:u8|u|U|L)?"(?:\\.|[^"\\\n])*"|(?:u8|u|U|L)?'(?:\\.|[^'\\\n])*')
    |(?P<number>\.?[0-9](?:'?[0-9A-Za-z_.]|(?<=[eEpP])[+-])*)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<space>\s+)
    |(?P<sign>->|::|.)""",
    re.VERBOSE | re.DOTALL,
)


class Token:
    __slots__ = ("kind", "text", "line", "before")

    def __init__(self, kind, text, line):
        self.kind, self.text, self.line, self.before = kind, text, line, text


def tokens_of(text):
    made, line = [], 1
    for match in TOKEN.finditer(text):
        kind = "raw" if match.lastgroup == "mark" else match.lastgroup
        made.append(Token(kind, match.group(0), line))
        line += match.group(0).count("\n")
    return made


class Name(NamedTuple):
    old: str
    new: str
    kind: str
    note: str

    @property
    def old_word(self):
        return re.match(r"\w+", self.old).group(0)

    @property
    def new_word(self):
        return re.match(r"[\w.]+", self.new).group(0)

    @property
    def owner(self):
        return self.kind.rpartition(" of ")[2] if " of " in self.kind else ""


def names(path=TABLE):
    made = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            made.append(Name(*(line.split("\t") + [""])[:4]))
    return made


# The struct that a member of an option struct is, and the options that a constructor takes.
HELD = {"limits": "limits", "security": "security_options", "signatures": "signature_trust"}
TAKES = {"host": "host_options", "dispatcher": "host_options", "client": "client_options"}
ALIKE = {"security_options": {"security_options", "client_security"}}  # both are called `security`
# Members whose names say too little: renamed where their struct is known, and pointed at elsewhere.
PLAIN = {"header_blocks", "headers", "reply"}


# Changes without an old and a new word.
BY_HAND = (
    "The old `host_options` is now two structs: `dispatcher_options` for services, and `host_options` for connections and "
    "threads. A host takes both: `soapsvc::host host{services, server}`.",
    "Write all members of one group in one pair of braces: `.limits = {...}` may appear only once.",
    "`host.bind(address, port, role)` is now `host.bind({address, port})` or `host.bind({.port = 80, .role = role})`; "
    "`host.bind_unix(path)` is now `host.bind({.unix_path = path})`.",
    "`report_kind::request` is now `report_kind::refused_request`.",
    "`addressing_required` is now `addressing(required)`.",
    "`nillable`, `box` and `polymorphic` now have the members of `std::optional`. Replace `is_nil()` by `!has_value()`.",
    "`fault_code::sender` and `receiver` are now `client` and `server`.",
    "`payroll serve`: `--unfinished-bytes` is now `--buffered-bytes`, `--silence-timeout` is `--read-timeout`, and `--try-it` is "
    "`--test-form`.",
    "`transport_error` is derived from `soapsvc::error`, like `fault` and `remote_fault`. It is no longer a `std::runtime_error`.",
)


class File:
    def __init__(self, text, table, using=False, comments=False):
        self.tokens = tokens_of(text)
        self.table, self.comments = table, comments
        self.code = [t for t in self.tokens if t.kind not in ("space", "comment", "directive")]
        self.olds = {name.old_word for name in table}
        self.types = {n.owner for n in table if n.owner} | set(HELD.values()) | set(TAKES)
        self.new_types = {n.new_word: n.old_word for n in table if n.kind == "type"}
        self.types |= {"client_security", "call_options"}
        self.looks = []
        self.match_brackets()
        self.read_usings(using)
        self.read_variables()

    def match_brackets(self):
        """partner: of each bracket; opener: the bracket around each token, -1 for none."""
        self.partner, self.opener, stack = {}, [], []
        for at, token in enumerate(self.code):
            if token.kind == "sign" and token.text in ")]}" and stack:
                begin = stack.pop()
                self.partner[begin], self.partner[at] = at, begin
            self.opener.append(stack[-1] if stack else -1)
            if token.kind == "sign" and token.text in "([{":
                stack.append(at)

    def text(self, at):
        return self.code[at].text if 0 <= at < len(self.code) else ""

    def read_usings(self, using):
        self.hidden = set()  # names that the file gives to types of its own
        self.all_used, self.used, self.own = using, set(), [False] * len(self.code)
        for at, token in enumerate(self.code):
            if token.text == "using" and self.text(at + 1) == "namespace" and self.text(at + 2) == "soapsvc":
                self.all_used = True
            if token.text == "using" and self.text(at + 1) == "soapsvc" and self.text(at + 2) == "::":
                self.used.add(self.text(at + 3))
            if token.text == "using" and self.text(at + 2) == "=":
                self.hidden.add(self.text(at + 1))
                named = at + 5 if self.text(at + 3) == "soapsvc" else at + 3
                if self.text(named) in self.types:
                    self.new_types[self.text(at + 1)] = self.text(named)
            begins = token.text in ("schema", "known_types", "derivations", "simple_type", "table_of", "define_schema")
            if begins and self.text(at - 1) == "::" and self.text(at - 2) == "soapsvc":
                self.mark_table(at)
            if token.text == "namespace" and self.text(at + 1) == "soapsvc" and self.text(at + 2) == "{":
                for inside in range(at + 2, self.partner.get(at + 2, len(self.code))):
                    self.own[inside] = True

    def mark_table(self, at):
        """To the semicolon; of a function, to the end of its body."""
        end = at
        while end < len(self.code) and self.text(end) != ";":
            if self.text(end) == "{" and self.text(end - 1) == ")":
                end = self.partner.get(end, end)
                break
            end = self.partner.get(end, end) + 1 if self.text(end) in ("(", "[", "{") else end + 1
        for inside in range(at, min(end, len(self.code))):
            self.own[inside] = True

    def plain_type(self, word):
        word = self.new_types.get(word, word)
        return word if word in self.types else ""

    def type_at(self, at):
        """The option struct that is named at a token, by itself or as in client<Service>."""
        if self.text(at) == ">":
            depth = 0
            while at >= 0:
                depth += {">": 1, "<": -1}.get(self.text(at), 0)
                at -= 1
                if depth == 0:
                    break
        return self.plain_type(self.text(at))

    def read_variables(self):
        self.variables = {}
        for at, token in enumerate(self.code):
            if token.kind != "word" or token.text in ("const", "return", "operator"):
                continue
            before = at - 1
            while self.text(before) in ("&", "*", "const"):
                before -= 1
            kind = self.type_at(before) if before >= 0 else ""
            if kind and self.text(before - 1) not in (".", "->") and self.text(at + 1) != "::":
                self.variables.setdefault(token.text, set()).add(kind)

    def receiver_types(self, at):
        """The possible types of the expression before the dot at `at`."""
        before = at - 1
        while self.text(before) in (")", "]"):
            before = self.partner.get(before, 0) - 1
        word = self.text(before)
        if self.text(before - 1) in (".", "->", "::") and word in HELD or word.rstrip("_") in HELD:
            held = HELD[word.rstrip("_")]
            return ALIKE.get(held, {held})
        return self.variables.get(word, set())

    def braces_types(self, at):
        """Of the struct that a designator, as in {.queue = 5}, belongs to."""
        return self.type_of_bracket(self.opener[at], True)

    def type_of_bracket(self, begin, direct):
        head = begin - 1
        if self.text(head) == "=":
            head -= 1
        word, before = self.text(head), self.text(head - 1)
        if head < 0 or begin < 0:
            return set()
        if word in "({,":
            around = self.opener[begin]
            return {TAKES[t] for t in self.type_of_bracket(around, False) if t in TAKES} if around >= 0 else set()
        if before == "." and word in HELD:
            return ALIKE.get(HELD[word], {HELD[word]})
        kind = self.type_at(head) or self.type_at(head - 1)
        if not kind and before in ("&", "*"):
            kind = self.type_at(head - 2)
        return {kind} if kind and not (direct and kind in TAKES) else {TAKES[kind]} if kind else set()

    def is_qualified(self, at):
        return self.text(at - 1) == "::" and (self.text(at - 2) == "soapsvc" or self.text(at - 2) in self.new_types)

    def is_ours(self, at, word):
        if self.text(at - 1) == "::":
            return self.text(at - 2) == "soapsvc"
        if self.text(at - 1) in (".", "->") or word in self.hidden:
            return False
        return self.all_used or word in self.used or self.own[at]

    def is_word_here(self, name, at):
        """Whether a type, a function or a word of tables stands here, and not a variable of that name."""
        after, before = self.text(at + 1), self.text(at - 1)
        if not self.is_ours(at, name.old_word):
            return False
        if name.old_word == "table_of" and before == ",":  # the option of a row, which is new
            return False
        is_declared = self.code[at - 1].kind == "word" and before not in ("return", "const", "new", "auto", "struct")
        is_declared = is_declared or (before in (">", "&", "*") and name.kind not in ("type", "constant"))
        if "<" in name.old:
            return after == "<" or (self.text(at - 2) == "soapsvc" and self.text(at - 3) == "using")
        if "(" in name.old:
            return after == "(" and not is_declared
        if name.kind == "option word":
            return after in (",", ")", ";") and (before in ("(", ",", "::") or name.old_word not in ("below",))
        if name.old_word == "limits":
            is_type = after in ("::", "{", "&", "*", ">", "(", ";", ",", ")") or self.code[at + 1].kind == "word"
            return is_type and (before == "::" or not is_declared and (after in ("::", "&", "*", "{") or
                                                                       self.code[at + 1].kind == "word"))
        return True

    def is_member_here(self, name, at):
        before, after, old = self.text(at - 1), self.text(at + 1), name.old_word
        owners = {name.owner}
        if before == "::":
            word = self.text(at - 2)
            return self.new_types.get(word, word) in owners
        if before not in (".", "->"):
            return False
        telling = "_" in old and old not in PLAIN
        if name.kind.startswith(("method", "enumerator")):
            if "<" in name.old:
                return after == "<"
            return telling and after == "("
        if before == "." and self.text(at - 2) in ("{", ",", "(") and after in ("=", "{"):
            if name.owner == "with_headers":
                return False
            found = self.braces_types(at)
        elif name.owner == "with_headers":
            return after in (".", "->") and self.text(at + 2) in ("get", "template")
        else:
            found = self.receiver_types(at - 1)
        if "." in name.new_word:  # a group: only where the struct is known, or a second run would move it again
            return bool(found & owners)
        if found:
            return bool(found & owners) or (telling and not found & self.types)
        if telling:
            return True
        if after != "(":
            self.looks.append(self.code[at])
        return False

    def rename(self):
        for at, token in enumerate(self.code):
            if token.kind != "word" or token.text not in self.olds:
                continue
            for name in self.table:
                if name.old_word == token.text:
                    here = self.is_member_here if name.owner else self.is_word_here
                    if here(name, at):
                        token.text = name.new_word
                        if "." in name.new_word and self.text(at + 1) == "=" and self.text(at - 2) in ("{", ",", "("):
                            self.brace(at)
                        break
        if self.comments:
            for token in self.tokens:
                if token.kind == "comment":
                    token.text = self.in_comment(token.text)
        return "".join(token.text for token in self.tokens)

    def brace(self, at):
        """{.limits.max_connections = 4} -> {.limits = {.max_connections = 4}}"""
        self.code[at].text = self.code[at].text.replace(".", " = {.")
        end = at + 2
        while self.text(end + 1) not in (",", "}"):
            end = self.partner.get(end + 1, end + 1)
        self.code[end].text += "}"

    def in_comment(self, text):
        for name in self.table:
            old, new = name.old_word, name.new_word
            if "_" in old and old not in PLAIN:
                text = re.sub(rf"\b{old}\b", new, text)
            elif not name.owner:
                end = r"(?=\()" if "(" in name.old else r"(?=<)" if "<" in name.old else r"\b"
                text = re.sub(rf"(?<=soapsvc::){old}{end}", new, text)
            else:
                owner = next((n for n, o in self.new_types.items() if o == name.owner), name.owner)
                text = re.sub(rf"(?<=\b{name.owner}::){old}\b|(?<=\b{owner}::){old}\b", new, text)
        return text

    def changes(self):
        return [t for t in self.tokens if t.text != t.before]


def as_markdown(table):
    yield "# Migration: the names that changed"
    yield ""
    yield "These names changed before version 0.1.0. `example/migration/migrate.py FILE...` renames them in your C++ files, and"
    yield "`--dry-run` shows what it would change."
    yield ""
    yield "| old | new | what | note |"
    yield "|---|---|---|---|"
    for name in table:
        kind = name.kind if not name.owner else name.kind.replace(name.owner, f"`{name.owner}`")
        yield f"| `{name.old}` | `{name.new}` | {kind} | {name.note} |"
    yield ""
    yield "## By hand"
    yield ""
    yield "Change the following by hand. The compiler, or `payroll`, reports each place:"
    yield ""
    for line in BY_HAND:
        yield "- " + line


def main():
    how = argparse.ArgumentParser(
        description=__doc__.partition(":")[2].strip(), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    how.add_argument("--dry-run", action="store_true", help="print what would be renamed, and write nothing")
    how.add_argument("--comments", action="store_true", help="rename in comments, too")
    how.add_argument("--using", action="store_true", help="read files as if they had `using namespace soapsvc`")
    how.add_argument("--table", action="store_true", help="print the table as Markdown, and do nothing else")
    how.add_argument("files", nargs="*", metavar="FILE")
    asked = how.parse_args()
    table = names()
    if asked.table:
        print("\n".join(as_markdown(table)))
        return
    if not asked.files:
        how.error("no FILE")
    count = 0
    for path in map(Path, asked.files):
        before = path.read_bytes().decode("utf-8")
        file = File(before, table, asked.using, asked.comments)
        after = file.rename()
        for token in file.changes():
            if token.kind == "comment":
                print(f"{path}:{token.line}: in a comment")
            else:
                print(f"{path}:{token.line}: {token.before} -> {token.text}")
        for token in {(t.line, t.text): t for t in file.looks if t.text == t.before}.values():
            print(f"{path}:{token.line}: look at {token.text}: is it soapsvc's?")
        count += len(file.changes())
        if after != before and not asked.dry_run:
            path.write_bytes(after.encode("utf-8"))
    print(f"{count} {'would be ' if asked.dry_run else ''}renamed")


if __name__ == "__main__":
    main()
