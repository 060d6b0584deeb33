"""Contracts of thousands of lines, and files that are none: tests of the importer by `run`, beside cases.

Each ends in one line and a status, or in a header, within bounds of time and memory; and nothing half
written stays behind.
"""

import os
import re
import resource
import subprocess

SECONDS = 30
MEMORY = 1 << 30


class Trial:
    def __init__(self, importer, where, wsdl):
        self.importer, self.where, self.wsdl, self.wrong = importer, where, wsdl, []
        where.mkdir()

    def run(self, name, path, status, said="", output=None):
        """Imports a file within the bounds, and returns the processor time that it took."""
        header = output or self.where / "out.hpp"
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        there = set(self.where.iterdir())
        try:
            made = subprocess.run(
                [self.importer, path, "-o", header], capture_output=True, timeout=5 * SECONDS, preexec_fn=bound
            )
        except subprocess.TimeoutExpired:
            self.wrong.append(f"{name}: hangs")
            return 0
        told = made.stderr.decode(errors="replace")
        if made.returncode != status or said not in told:
            self.wrong.append(f"{name}: status {made.returncode}, not {status} and '{said}': {told[:400]}")
        if status == 3 and (told.count("\n") != 1 or len(told) > 3000):
            self.wrong.append(f"{name}: not one line: {told[:400]}")
        # Large headers are written in units.
        written = {header, *self.where.glob("out_[0-9]*.?pp")} if status == 0 else set()
        left = set(self.where.iterdir()) - there - written
        for each in written - {header}:
            each.unlink()
        if left:
            self.wrong.append(f"{name}: left behind: {left}")
        if not output and header.exists():
            header.unlink()
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def file(self, name, bytes):
        path = self.where / name
        path.write_bytes(bytes if isinstance(bytes, type(b"")) else bytes.encode())
        return path

    def in_proportion(self, what, few, many):
        """Eight times as much may take 24 times as long."""
        if many > 3 * 8 * max(few, 0.02):
            self.wrong.append(f"{what}: an eighth takes {few:.2f} s, and the whole {many:.2f} s")

    def schema(self, name, lines, status, said=""):
        return self.run(name, self.file(name + ".wsdl", self.wsdl("\n".join(lines))), status, said)


def bound():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


EMPTY = ['<xs:complexType name="T"/>']


def of_type(name):
    return f'<xs:complexType name="T"><xs:sequence><xs:element name="A" type="t:{name}"/></xs:sequence></xs:complexType>'


def elements(names):
    return "".join(f'<xs:element name="{each}" type="xs:int"/>' for each in names)


def many_types(count):
    """Types in groups of 100, since no table has thousands of rows."""
    lines = [f'<xs:complexType name="C{n}"><xs:sequence>{elements("AB")}</xs:sequence></xs:complexType>' for n in range(count)]
    groups = range(0, count, 100)
    for first in groups:
        rows = "".join(f'<xs:element name="c{n}" type="t:C{n}"/>' for n in range(first, min(first + 100, count)))
        lines.append(f'<xs:complexType name="G{first}"><xs:sequence>{rows}</xs:sequence></xs:complexType>')
    rows = "".join(f'<xs:element name="g{n}" type="t:G{n}"/>' for n in groups)
    return lines + [f'<xs:complexType name="T"><xs:sequence>{rows}</xs:sequence></xs:complexType>']


def doubling(depth, times, tag, leaf):
    """Groups that each hold the next one several times."""
    lines = []
    for n in range(depth):
        inner = f'<xs:{tag} ref="t:G{n + 1}"/>' * times
        lines.append(f'<xs:{tag} name="G{n}">' + (f"<xs:sequence>{inner}</xs:sequence>" if tag == "group" else inner) + f"</xs:{tag}>")
    lines.append(f'<xs:{tag} name="G{depth}">{leaf}</xs:{tag}>')
    return lines + [f'<xs:complexType name="T"><xs:{tag} ref="t:G0"/></xs:complexType>']


def derived_types(count):
    """A base, types that extend it, and as many elements of it: an edge for each pair would be too many."""
    lines = [f'<xs:complexType name="B"><xs:sequence>{elements("X")}</xs:sequence></xs:complexType>']
    for n in range(count):
        extension = '<xs:complexContent><xs:extension base="t:B"/></xs:complexContent>'
        lines.append(f'<xs:complexType name="D{n}">{extension}</xs:complexType>')
    groups = range(0, count, 100)
    for first in groups:
        rows = "".join(f'<xs:element name="e{n}" type="t:B"/>' for n in range(first, min(first + 100, count)))
        lines.append(f'<xs:complexType name="G{first}"><xs:sequence>{rows}</xs:sequence></xs:complexType>')
    rows = "".join(f'<xs:element name="g{n}" type="t:G{n}"/>' for n in groups)
    return lines + [f'<xs:complexType name="T"><xs:sequence>{rows}</xs:sequence></xs:complexType>']


def restricted_types(count):
    """An enumeration of many values, and as many types that restrict it."""
    values = "".join(f'<xs:enumeration value="v{n}"/>' for n in range(count))
    lines = [f'<xs:simpleType name="S"><xs:restriction base="xs:token">{values}</xs:restriction></xs:simpleType>']
    for n in range(count):
        lines.append(f'<xs:simpleType name="R{n}"><xs:restriction base="t:S"><xs:maxLength value="9"/></xs:restriction></xs:simpleType>')
    groups = range(0, count, 100)
    for first in groups:
        rows = "".join(f'<xs:element name="r{n}" type="t:R{n}"/>' for n in range(first, min(first + 100, count)))
        lines.append(f'<xs:complexType name="G{first}"><xs:sequence>{rows}</xs:sequence></xs:complexType>')
    rows = "".join(f'<xs:element name="g{n}" type="t:G{n}"/>' for n in groups)
    return lines + [f'<xs:complexType name="T"><xs:sequence>{rows}</xs:sequence></xs:complexType>']


STAMP = '<sp:IncludeTimestamp xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"/>'


def policy(inside):
    return f'<wsp:Policy xmlns:wsp="http://www.w3.org/ns/ws-policy" xml:id="all">{inside}</wsp:Policy>'


def with_alternatives(wsdl, count):
    """A policy of so many alternatives."""
    alternatives = policy(f"<wsp:ExactlyOne>{STAMP * count}</wsp:ExactlyOne>")
    return re.sub(r'(<binding name="B" [^>]*>)', r"\1" + alternatives, wsdl)


def with_shared_message(wsdl, count):
    """Operations of one message, whose policy asserts as much."""

    def repeated(found):
        return "".join(found[0].replace('Do"', f'Do{n}"') for n in range(count))

    made = re.sub(r'<operation name="Do">.*?</operation>', repeated, wsdl, flags=re.DOTALL)
    return made.replace('<message name="In">', '<message name="In">' + policy('<x:unknown xmlns:x="urn:x"/>' * count))


def with_headers(wsdl, count):
    """A binding with header blocks of a message with as many parts. It is left out for them."""
    parts = "".join(f'<part name="h{n}" element="t:Do"/>' for n in range(count))
    headers = "".join(f'<soap:header message="t:Head" part="h{n}" use="literal"/>' for n in range(count))
    made = wsdl.replace("<portType", f'<message name="Head">{parts}</message><portType', 1)
    return re.sub(r"<binding name=.*</binding>", lambda found: found[0].replace("</input>", headers + "</input>", 1), made, flags=re.DOTALL)


def with_policies(wsdl, count):
    """Bindings of as many port types, each with the one policy, which asserts as much."""
    made = wsdl.replace("<types>", policy((STAMP + '<x:unknown xmlns:x="urn:x"/>') * count) + "<types>")
    made = re.sub(r'(<binding name="B" [^>]*>)', r'\1<wsp:PolicyReference xmlns:wsp="http://www.w3.org/ns/ws-policy" URI="#all"/>', made)
    for tag in ("portType", "binding"):
        one = re.search(rf"<{tag} .*?</{tag}>", made, re.DOTALL)[0]
        many = "".join(one.replace('name="B"', f'name="Many{n}"').replace('"Test"', f'"Test{n}"').replace(':Test"', f':Test{n}"') for n in range(count))
        made = made.replace(one, one + many)
    port = re.search(r"<port .*?</port>", made, re.DOTALL)[0]
    ports = "".join(port.replace('name="P"', f'name="Port{n}"').replace(':B"', f':Many{n}"') for n in range(count))
    return made.replace(port, port + ports)


def with_namespaces(wsdl, count):
    """Schemas of as many namespaces, and types with names that none of them has."""
    schemas = "".join(f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:n{n}"/>' for n in range(count))
    broken = "".join(f'<xs:complexType name="B{n}"><xs:attribute name="a" type="t:Gone{n}"/></xs:complexType>' for n in range(count))
    return wsdl.replace("</xs:schema></types>", f"{broken}</xs:schema>{schemas}</types>")


def check_files(trial):
    good = trial.wsdl(EMPTY[0])
    trial.run("a folder", trial.where, 3, "is a folder or a device")
    os.mkfifo(trial.where / "fifo")
    trial.run("a FIFO", trial.where / "fifo", 3, "is a folder or a device")
    trial.run("a device", "/dev/zero", 3, "is a folder or a device")
    for name in ("fifo", "/dev/zero"):
        trial.schema("include", [f'<xs:include schemaLocation="{name}"/>', of_type("Missing")], 3, "include.wsdl:8:1: the schema")
        imports = good.replace("<types>", f'<import namespace="urn:o" location="{name}"/><types>')
        trial.run("wsdl:import", trial.file("import.wsdl", imports), 3, "import.wsdl:4:1: ")
    large = trial.file("large.wsdl", "")
    os.truncate(large, 1 << 30)
    if trial.run("a gigabyte", large, 3, "the maximum is 67108864 bytes") > 1:
        trial.wrong.append("a gigabyte: took more than a second")
    trial.run("nothing", trial.file("empty.wsdl", ""), 3, "empty.wsdl:1:1: ")
    trial.run("a NUL", trial.file("nul.wsdl", good.replace("urn:test/Do", "\0")), 3, "U+0000 is not allowed")
    trial.run("no UTF-8", trial.file("latin.wsdl", good.encode().replace(b"urn:test/Do", b"\xe9")), 3, "bytes that are not UTF-8")
    named = subprocess.run([trial.importer, trial.file("a\n#error b.wsdl", good)], capture_output=True, text=True)
    if named.returncode != 0 or "\n#error" in named.stdout:
        trial.wrong.append(f"a line break in a name: {named.stdout[:200]}")
    for odd in ("&quot;", "\\", "&#10;"):
        trial.run("an action", trial.file("action.wsdl", good.replace("urn:test/Do", "a" + odd + "b")), 1, "HTTP cannot carry")
    bare = good.replace('<?xml version="1.0"?>', "")
    trial.run("UTF-16", trial.file("utf16.wsdl", bare.encode("utf-16")), 0)
    trial.run("UTF-32", trial.file("utf32.wsdl", bare.encode("utf-32")), 3, "UTF-32")
    contract = trial.file("good.wsdl", good)
    trial.run("a full disk", contract, 3, "/dev/full", output="/dev/full")
    trial.run("no folder", contract, 3, "none/x.hpp", output=trial.where / "none" / "x.hpp")
    if os.geteuid() != 0:  # whom no permission stops
        contract.chmod(0)
        trial.run("no permission", contract, 3, "cannot be read: Permission denied")


def check_sizes(trial):
    for what, of, count in (
        ("types", many_types, 8_000),
        ("derived types", derived_types, 4_000),
        ("types that restrict as many values", restricted_types, 2_000),
    ):
        few, many = (trial.schema(f"{of.__name__}_{each}", of(each), 0) for each in (count // 8, count))
        trial.in_proportion(f"{count} {what}", few, many)
    plain = trial.wsdl(EMPTY[0])
    for what, of, count in (
        ("bindings of a long policy", with_policies, 1_000),
        ("alternatives of a policy", with_alternatives, 16_000),
        ("operations of a message with a long policy", with_shared_message, 800),
        ("header blocks of a message with as many parts", with_headers, 16_000),
        ("missing types beside as many namespaces", with_namespaces, 24_000),
    ):
        few, many = (
            trial.run(f"{of.__name__}_{each}", trial.file(f"{of.__name__}.wsdl", of(plain, each)), 0)
            for each in (count // 8, count)
        )
        trial.in_proportion(f"{count} {what}", few, many)
    members = "".join(f'<xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="v{n}"/></xs:restriction></xs:simpleType>' for n in range(20_000))
    union = f'<xs:simpleType name="S"><xs:union>{members}</xs:union></xs:simpleType>'
    trial.schema("union", [union, of_type("S")], 1, "a union of more than 256 types")
    rows = elements(["A"])
    trial.schema("groups", doubling(30, 4, "group", f"<xs:sequence>{rows}</xs:sequence>"), 3, "split the contract")
    trial.schema("rows", doubling(9, 4, "group", f"<xs:sequence>{rows}</xs:sequence>"), 1, "a table has at most 512 rows")
    leaf = '<xs:attribute name="a" type="xs:int"/>'
    trial.schema("attribute_groups", doubling(30, 4, "attributeGroup", leaf), 3, "split the contract")
    heads = [f'<xs:element name="E{n}" substitutionGroup="t:E{n + 1}"/>' for n in range(20_000)]
    trial.schema("heads", [*heads, elements(["E20000"]), '<xs:complexType name="T"><xs:sequence><xs:element ref="t:E0"/></xs:sequence></xs:complexType>'], 3, "is more than 100 deep")
    members = [f'<xs:element name="E{n}" type="xs:int" substitutionGroup="t:H"/>' for n in range(2_000)]
    users = [f'<xs:complexType name="C{n}"><xs:sequence><xs:element ref="t:H"/></xs:sequence></xs:complexType>' for n in range(2_000)]
    uses = "".join(f'<xs:element name="c{n}" type="t:C{n}"/>' for n in range(2_000))
    last = f'<xs:complexType name="T"><xs:sequence>{uses}</xs:sequence></xs:complexType>'
    trial.schema("members", [*members, elements(["H"]), *users, last], 3, "split the contract")
    # Names that are one name in C++: "N.-.-" and its like.
    alike = lambda n: "N" + "".join(".-"[n >> bit & 1] for bit in range(13))
    lines = [re.sub(r"\bC(\d+)\b", lambda found: alike(int(found[1])), line) for line in many_types(6_000)]
    trial.schema("alike", lines, 0)
    values = "".join(f'<xs:enumeration value="v{n}"/>' for n in range(20_000))
    listing = f'<xs:simpleType name="S"><xs:restriction base="xs:string">{values}</xs:restriction></xs:simpleType>'
    trial.schema("values", [listing, of_type("S")], 0)
    # Expressions of so many characters are compiled without a table, in no time.
    patterns = "".join(f'<xs:pattern value="p{n}x{{130}}"/>' for n in range(50_000))
    trial.schema("patterns", [listing.replace(values, patterns), of_type("S")], 0)
    long_text = [f'<xs:complexType name="T"><xs:attribute name="a" type="xs:string" default="{"x" * 65_536}"/></xs:complexType>']
    trial.schema("literal", long_text, 3, "a literal of C++ at most 65535")
    open_tags = "".join(f'<xs:sequence maxOccurs="2">{elements([f"A{n}"])}' for n in range(90))
    trial.schema("depth", ['<xs:complexType name="T">', open_tags, "</xs:sequence>" * 90, "</xs:complexType>"], 0)


def check(importer, where, wsdl):
    """The errors. `wsdl` makes a contract of a schema that declares T."""
    trial = Trial(importer, where, wsdl)
    check_files(trial)
    check_sizes(trial)
    return trial.wrong
