"""xml_suite.py SUITE PROGRAM: the comparing half of tests/tools/xml_suite.

SUITE is the unpacked npm package, PROGRAM the built xml_suite.cpp. The expected results come from
the suite's catalogue (well-formed or not), from a plain search for DTDs and processing instructions,
which SOAP forbids, and from expat (content, namespace-well-formedness).
"""

import codecs
import collections
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from xml.parsers import expat

XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
SEPARATOR = "\x0c"  # form feed: no character of XML
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# The valid declarations, as in the reader's list.
ENCODINGS = {"utf-8": "utf-8", "iso-8859-1": "iso-8859-1", "us-ascii": "ascii", "ascii": "ascii"}
HEAD = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
    '<s:Echo xmlns:s="http://example.com/soap/Shop"><s:Text>x</s:Text><f:x xmlns:f="urn:foreign">'
)
# Constructs that SOAP forbids, and those that may hold their spelling. Simple: enough for the suite.
PIECES = re.compile(
    r"""(<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?(?!xml\s).*?\?>|"""
    r"""<!DOCTYPE(?:[^\[>"']|"[^"]*"|'[^']*')*(?:\[.*?\]\s*)?>)""",
    re.S,
)
TAIL = "</f:x></s:Echo></e:Body></e:Envelope>"


class File:
    """One file of the suite: its kind, by the catalogue and by its own bytes."""

    def __init__(self, path, base, test):
        self.path = path
        self.output = base / test.get("OUTPUT", "")
        self.bytes = path.read_bytes()
        self.well_formed = test.get("TYPE") != "not-wf"
        self.mark = next((mark for mark in MARKS if self.bytes.startswith(mark)), b"")
        start = self.bytes[len(self.mark) :]
        if self.mark:
            self.encoding = MARKS[self.mark]
        elif start.startswith((b"<\0", b"\0<")):
            self.encoding = "utf-16-le" if start[0:1] == b"<" else "utf-16-be"
        else:
            declared = re.match(rb"""<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)""", start)
            name = declared.group(1).decode("latin-1").lower() if declared else "utf-8"
            self.encoding = ENCODINGS.get(name)
        self.text = start.decode(self.encoding, "replace") if self.encoding else None

    def forbidden(self):
        """The first thing in the file that a SOAP message must not hold: "DTD", "PI" or None."""
        outside = re.sub(r"^<\?xml\s.*?\?>", "", self.text, count=1, flags=re.S)
        outside = re.sub(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>", "", outside, flags=re.S)
        found = re.search(r"<!DOCTYPE|<\?", outside)
        return found and ("PI" if found.group() == "<?" else "DTD")

    def without_forbidden(self):
        """The file without the parts that SOAP forbids; the rest may be well-formed or not."""
        pieces = PIECES.split(self.text)
        kept = "".join(piece for piece in pieces if not re.match(r"<!DOCTYPE|<\?(?!xml\s)", piece))
        return self.mark + kept.encode(self.encoding, "replace")

    def embedded(self, data):
        """The document's elements inside a foreign element of a request, in its encoding."""
        declaration = re.match(r"<\?xml\s.*?\?>", self.text, flags=re.S)
        declaration = declaration.group() if declaration else ""
        size = len(declaration.encode(self.encoding, "replace"))
        content = data[len(self.mark) + size :]
        head = (declaration + HEAD).encode(self.encoding)
        return self.mark + head + content + TAIL.encode(self.encoding)


def catalogue(suite):
    """(path, base folder, test element) of each test of XML 1.0, fifth edition, and Namespaces 1.0."""

    def walk(element, base):
        base = base / element.get(XML_BASE, "")
        for child in element:
            if child.tag != "TEST":
                yield from walk(child, base)
            elif child.get("RECOMMENDATION", "XML1.0").split("-")[0] in ("XML1.0", "NS1.0") and (
                "1.0" in child.get("VERSION", "1.0").split() and "5" in child.get("EDITION", "5").split()
            ):
                yield base / child.get("URI"), base, child

    root = ElementTree.parse(suite / "cleaned" / "xmlconf-flattened.xml").getroot()
    yield from walk(root, suite / "xmlconf")


def name_of(name):
    namespace, _, local = name.rpartition(SEPARATOR)
    return [namespace, local]


def expat_tree(data):
    """The tree that expat reads, in the form that the program prints; raises ExpatError."""
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.ordered_attributes = True
    parser.buffer_text = True
    top = []
    open_elements = [[None, None, None, "", False, top]]

    def start(name, attributes):
        pairs = zip(attributes[::2], attributes[1::2])
        element = [*name_of(name), [[*name_of(key), value] for key, value in pairs], "", False, []]
        open_elements[-1][5].append(element)
        open_elements.append(element)

    def end(_):
        element = open_elements.pop()
        if element[5]:  # the reader keeps no text beside elements, only whether there is some
            element[4] = bool(element[3].strip(" \t\r\n"))
            element[3] = ""

    def text(data):
        open_elements[-1][3] += data

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.Parse(data, True)
    return top[0]


def attributes_sorted(tree):
    return [*tree[:2], sorted(tree[2]), *tree[3:5], [attributes_sorted(child) for child in tree[5]]]


def read_elsewhere(data, scratch):
    """The result of other parsers for a document: its tree, True (well-formed, no tree) or False.

    expat has the names of XML's fourth edition. If it refuses a document with a character beyond
    ASCII, libxml2 decides, which has the names of the fifth edition.
    """
    try:
        return expat_tree(data)
    except expat.ExpatError as error:
        if expat.errors.messages[error.code] != expat.errors.XML_ERROR_INVALID_TOKEN or data.isascii():
            return False
    path = Path(scratch, "elsewhere.xml")
    path.write_bytes(data)
    done = subprocess.run(["xmllint", "--noout", path], stderr=subprocess.PIPE, timeout=30)
    return done.returncode == 0 and b"namespace error" not in done.stderr


def expected(file, test):
    """(category, verdict, a word of the sentence)."""
    if not file.well_formed:
        return "not well-formed", "refused", ""
    if file.encoding is None:
        return "another encoding", "unsupported encoding", "is not supported"
    if what := file.forbidden():
        word = {"DTD": "document type declaration", "PI": "processing instruction"}[what]
        return f"well-formed, with a {what}", "malformed", word
    if test.get("NAMESPACE", "yes") == "no":
        return "not namespace-well-formed", "malformed", ""
    return "well-formed", "accepted", ""


def ask(program, commands):
    lines = "".join(f"{command} {path}\n" for command, path in commands)
    done = subprocess.run([program], input=lines.encode(), stdout=subprocess.PIPE, timeout=300, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(commands):
        sys.exit(f"{program} answered {len(answers)} of {len(commands)} lines")
    return answers


def response_problem(answer, want):
    """The error of the dispatcher's response, or None."""
    if answer["status"] != want if isinstance(want, int) else answer["status"] not in want:
        return f"answered with status {answer['status']}: {answer['response'][:200]}"
    if not re.search(r"<soap(12)?:Envelope ", answer["response"]):
        return f"answered with no envelope: {answer['response'][:200]!r}"
    try:
        expat_tree(answer["response"].encode())
    except expat.ExpatError as error:
        return f"answered with what is no XML: {error}"
    return None


def tree_problem(answer, elsewhere, file):
    """The error of a tree, or None; `elsewhere` is the tree of other parsers."""
    if elsewhere is not True and answer["tree"] != elsewhere:
        return f"read as {json.dumps(answer['tree'])}, not {json.dumps(elsewhere)}"
    return None


def check_read(file, test, answer, elsewhere):
    """The file alone, through the reader."""
    category, verdict, word = expected(file, test)
    got = answer["verdict"]
    if (got == "accepted") if verdict == "refused" else (got != verdict):
        yield f"{got}, not {verdict}: {answer.get('sentence', '')}"
    elif word not in answer.get("sentence", ""):
        yield f"refused for another reason: {answer['sentence']}"
    elif got == "accepted":
        yield tree_problem(answer, elsewhere, file)


def check_cut(file, answer, elsewhere, totals):
    """The file without its DTD and processing instructions, through the reader."""
    if (answer["verdict"] == "accepted") != bool(elsewhere):
        yield f"cut, {answer['verdict']} ({answer.get('sentence', '')}), unlike other parsers"
    elif not elsewhere:
        totals["cut, and refused as by other parsers"] += 1
    else:
        totals["cut, and read as by other parsers"] += 1
        yield tree_problem(answer, elsewhere, file)
        if file.output.is_file():
            canonical = attributes_sorted(expat_tree(file.output.read_bytes()))
            # Without its DTD a document may lack its additions: then expat's tree lacks them as well.
            if elsewhere is not True and attributes_sorted(elsewhere) == canonical:
                totals["equal to the suite's canonical form"] += 1


def check_embedded(answer, verdict, elsewhere, envelope_elsewhere, totals):
    """The file's elements inside a request, through the dispatcher."""
    if verdict == "accepted":
        totals["read inside an envelope"] += 1
        yield response_problem(answer, 200)
        if elsewhere is not True and answer.get("tree") != elsewhere:
            yield f"embedded, read as {json.dumps(answer.get('tree'))}"
    elif not envelope_elsewhere:
        totals["refused inside an envelope"] += 1
        yield response_problem(answer, (500, 415))


def main():
    suite, program = Path(sys.argv[1]), sys.argv[2]
    files = {path: (File(path, base, test), test) for path, base, test in catalogue(suite)}
    counts = collections.defaultdict(lambda: [0, 0])
    totals = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:

        def ask_about(command, data):
            """The program's answers about {path of the suite: bytes}, by the same paths."""
            copies = [Path(scratch, f"{number}.xml") for number in range(len(data))]
            for copy, content in zip(copies, data.values()):
                copy.write_bytes(content)
            return dict(zip(data, ask(program, [(command, copy) for copy in copies])))

        known = {path: file for path, (file, _) in files.items() if file.encoding}
        cut = {path: file.without_forbidden() for path, file in known.items() if file.forbidden()}
        cut_elsewhere = {path: read_elsewhere(data, scratch) for path, data in cut.items()}
        envelopes = {path: file.embedded(file.bytes) for path, file in known.items()}
        cut_envelopes = {path: known[path].embedded(cut[path]) for path in cut if cut_elsewhere[path]}
        reads = dict(zip(files, ask(program, [("read", path) for path in files])))
        posts = dict(zip(files, ask(program, [("post", path) for path in files])))
        cut_reads = ask_about("read", cut)
        embedded = ask_about("embed", envelopes)
        cut_embedded = ask_about("embed", cut_envelopes)

        for path, (file, test) in files.items():
            category, verdict, _ = expected(file, test)
            answer = reads[path]
            elsewhere = read_elsewhere(file.bytes, scratch) if verdict == "accepted" else False
            problems = list(check_read(file, test, answer, elsewhere))
            if not file.well_formed and path not in cut:
                totals["not well-formed and without a DTD or processing instruction"] += 1
            # As a request it is refused in any case, since it is no envelope; always with a fault.
            status = 415 if answer["verdict"] == "unsupported encoding" else 500
            problems.append(response_problem(posts[path], status))
            if path in cut:
                problems += check_cut(file, cut_reads[path], cut_elsewhere[path], totals)
            if path in cut_envelopes:
                problems += check_embedded(
                    cut_embedded[path], "accepted", cut_elsewhere[path], None, totals
                )
            if path in envelopes:
                has_forbidden = file.forbidden() is not None
                envelope_elsewhere = not has_forbidden and read_elsewhere(envelopes[path], scratch)
                problems += check_embedded(embedded[path], verdict, elsewhere, envelope_elsewhere, totals)
            problems = [problem for problem in problems if problem]
            counts[category][bool(problems)] += 1
            for problem in problems:
                print(f"FAIL {path.relative_to(suite)} ({category}): {problem}")

    for category, (good, bad) in sorted(counts.items()):
        print(f"{category}: {good + bad} files" + (f", {bad} failed" if bad else ""))
    for what, number in sorted(totals.items()):
        print(f"  {what}: {number}")
    passed, failed = (sum(count[i] for count in counts.values()) for i in (0, 1))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
