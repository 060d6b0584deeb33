"""Contracts whose names and texts mean something to a C++ compiler: the header, the server's program and
the client's must compile, in the namespace that the importer chooses.

A contract comes from a stranger, so what compiles must be what the importer wrote: no text of the
contract ends a comment or a literal, or takes the next line with it.
"""

import pathlib
import subprocess
from xml.sax.saxutils import quoteattr

folder = pathlib.Path(__file__).resolve().parent
FLAGS = "-std=c++20 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -DSOAPSVC_SPLIT -fsyntax-only".split()

# Names that C, the library or the two programs have; and names that differ little.
NAMES = (
    "System Read Time Tm Stat Sinf Host To Stream HttpRequest Error Request Header Headers NotImplemented Puts "
    "ClientProgram ClientCalls HandOn Call Operation Main Std Soapsvc Errno EOF NULL stdin linux unix major SSL "
    "_Upper __x Foo foo FOO FooBar FooBAR foo_bar foo-bar foo.bar имя é x" + "y" * 5000
).split()

# Texts: ends of comments and of literals, lines that swallow the next, line ends, code. Character 202E
# is left out of comments, and its neighbours come together.
TEXTS = [
    "a \\", "a\\ \u202e", "a\\ \u202e b", "\\\u202e", "x" * 120 + "\\ \u202e y", "*/ #error", "/* //", "??/", "a??/ \u202e",
    ')" )__" R"(x)"', "#include <none>", "a\u2028#error", "a\x85#error", "a\n#error", "\\u0041\\x41\\0", "%s%n", "\ufeff\\",
    "\\\xa0", "z " * 40_000,
]  # fmt: skip

WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:t="urn:test" targetNamespace="urn:test">
<types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:test">{schema}</xs:schema></types>
<message name="Out"><part name="p" element="t:Done"/></message>
{messages}<portType name="Test">{operations}</portType>
<binding name="B" type="t:Test"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</binding>
{services}</definitions>
"""


def documentation(text):
    return f"<xs:annotation><xs:documentation>{text.replace('&', '&amp;').replace('<', '&lt;')}</xs:documentation></xs:annotation>"


def types():
    """Types and simple types of each name, with members of each name; and a type, an element and a value of each text."""
    members = "".join(f'<xs:element name="{each}" type="xs:int"/>' for each in NAMES)
    yield f'<xs:complexType name="Members"><xs:sequence>{members}</xs:sequence></xs:complexType>', "Members"
    for name in NAMES:
        yield f'<xs:complexType name="{name}"><xs:attribute name="{name}" type="t:{name}-s"/></xs:complexType>', name
        yield f'<xs:simpleType name="{name}-s"><xs:restriction base="xs:string"><xs:maxLength value="9"/></xs:restriction></xs:simpleType>', None
    yield '<xs:simpleType name="clientCalls"><xs:restriction base="xs:int"><xs:maxInclusive value="9"/></xs:restriction></xs:simpleType>', "clientCalls"
    for number, text in enumerate(TEXTS):
        said, value = documentation(text), quoteattr(text[:300])
        yield f'<xs:complexType name="D{number}">{said}<xs:attribute name="a" type="xs:string" default={value}/></xs:complexType>', f"D{number}"
        values = f'<xs:enumeration value={value}>{said}</xs:enumeration><xs:enumeration value="b"/>'
        yield f'<xs:simpleType name="E{number}">{said}<xs:restriction base="xs:string">{values}</xs:restriction></xs:simpleType>', f"E{number}"


def contract(names):
    """A service and an operation for each name, and all types in a request."""
    schema, rows = '<xs:element name="Done" type="xs:int"/>', ""
    for number, (text, name) in enumerate(types()):
        schema += text
        if name:
            said = documentation(TEXTS[number % len(TEXTS)])
            rows += f'<xs:element name="row{number}" type="t:{name}" minOccurs="0">{said}</xs:element>'
    schema += f'<xs:complexType name="All"><xs:sequence>{rows}</xs:sequence></xs:complexType>'
    messages = operations = bound = services = ""
    for number, name in enumerate(names):
        schema += f'<xs:element name="in{number}" type="t:All"/>'
        messages += f'<message name="In{number}"><part name="p" element="t:in{number}"/></message>\n'
        said = f"<documentation>{name} \\ \u202e</documentation>"
        operations += f'<operation name="{name}">{said}<input message="t:In{number}"/><output message="t:Out"/></operation>\n'
        bodies = '<input><soap:body use="literal"/></input><output><soap:body use="literal"/></output>'
        bound += f'<operation name="{name}"><soap:operation soapAction="*/ ??/ {number}"/>{bodies}</operation>\n'
        address = f'<soap:address location="http://localhost/{number}"/>'
        services += f'<service name="{name}">{said}<port name="P{number}" binding="t:B">{address}</port></service>\n'
    return WSDL.format(schema=schema, messages=messages, operations=operations, bound=bound, services=services)


def check(importer, where, compiler):
    """The errors."""
    wrong = []
    there = where / "odd names"
    there.mkdir()
    # The first service names the namespace.
    for number, first in enumerate(("System", "HttpRequest", "ClientProgram", "Main", "Foo")):
        wsdl = there / f"odd{number}.wsdl"
        wsdl.write_text(contract([first] if first != "Foo" else [first, *(each for each in NAMES if each != first)]))
        for kind in ("skeleton", "client"):
            program = there / f"odd{number}_{kind}.cpp"
            command = [importer, wsdl, "-o", program.with_suffix(".hpp"), f"--{kind}", program]
            made = subprocess.run(command, capture_output=True, text=True, timeout=60)
            if made.returncode != 0:
                wrong.append(f"{first}: status {made.returncode}: {made.stderr}")
                continue
            # A program each is enough: both have the same header.
            if (kind == "client") == (number % 2 == 0) and first != "Foo":
                continue
            compiled = subprocess.run(
                [*compiler.split(), *FLAGS, "-I", folder.parent.parent, program], capture_output=True, text=True, timeout=300
            )
            if compiled.returncode != 0:
                wrong.append(f"{first}: {program.name} does not compile: {compiled.stderr[:1500]}")
    return wrong
