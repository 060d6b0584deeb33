#!/usr/bin/python3
"""scale.py IMPORTER [--types N,N...] [--compiler CXX]: the cost of contracts of many types for a compiler.

Makes a contract of so many types, imports it with --skeleton, and compiles what that gives,
unoptimised and split. Says for each size the processor time by type, less that of an empty program of
as many units, and the largest memory of a compiler. What is beyond 40 ms a type or 2 GB is a failure of
the last line, `N passed, N failed`. Timings depend on the machine and on what else it does: this is no
test.

The types are as those of public contracts, of which 30 with 4,185 structs were counted: 15 % are
enumerations; a struct has 4.3 members on average, of which every second or third struct has one that is
a struct, every eighth a list of structs; these are mostly near, and nest 2 to 5 deep on average, 19 at
most. Large contracts are made of modules that know a common one: here a hundred types each. There is
an operation for every ten types.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[2]
MOST_MILLISECONDS, MOST_MEGABYTES = 40, 2048

HEAD = """<?xml version="1.0"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:t="urn:scale" targetNamespace="urn:scale">
<types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:scale" elementFormDefault="qualified">
"""


MODULE, DEEPEST = 100, 12
SIMPLE = ["string", "string", "string", "int", "decimal", "date", "boolean", "dateTime"]


class Types:
    """The types so far, by number: the enumerations, how deep the others nest, those that another has."""

    def __init__(self, count):
        self.chance = random.Random(count)
        self.enums, self.depths, self.used = [], {}, set()

    def near(self, number, kinds):
        """One of these, in the same module and not far, or of the first one; none if there is none."""
        begin = number - number % MODULE
        own = [kind for kind in kinds if kind >= begin][-40:]
        common = [kind for kind in kinds if kind < MODULE]
        return self.chance.choice(common if common and (not own or self.chance.random() < 0.1) else own or [None])

    def fields(self, number):
        """(type, minOccurs, maxOccurs) of each child."""
        chance = self.chance
        made = [(f"xs:{chance.choice(SIMPLE)}", chance.randint(0, 1), "1") for _ in range(chance.randint(2, 5))]
        records = [kind for kind, depth in self.depths.items() if depth < DEEPEST]
        depth = 1
        for share, kinds, most in ((0.45, records, "1"), (0.12, records, "unbounded"), (0.25, self.enums, "1")):
            used = self.near(number, kinds) if chance.random() < share else None
            if used is not None:
                self.used.add(used)
                made.append((f"t:T{used}", 0 if most != "1" else chance.randint(0, 1), most))
                depth = max(depth, 1 + self.depths.get(used, 0))
        self.depths[number] = depth
        return made

    def text(self, number):
        if number % 20 in (3, 9, 15):
            self.enums.append(number)
            values = "".join(f'<xs:enumeration value="Value{at}"/>' for at in range(6))
            return f'<xs:simpleType name="T{number}"><xs:restriction base="xs:string">{values}</xs:restriction></xs:simpleType>'
        rows = "".join(
            f'<xs:element name="Field{at}" type="{kind}" minOccurs="{least}" maxOccurs="{most}"/>'
            for at, (kind, least, most) in enumerate(self.fields(number))
        )
        return f'<xs:complexType name="T{number}"><xs:sequence>{rows}</xs:sequence></xs:complexType>'


def contract_text(count):
    types = Types(count)
    texts = [types.text(number) for number in range(count)]
    # Each operation has ten types that no other operation reaches, so that all are reached.
    ends = []
    operations = range(0, count, 10)
    for at in operations:
        top = [number for number in range(at, min(at + 10, count)) if number not in types.used]
        for end, used in (("", top[: len(top) // 2]), ("Response", top[len(top) // 2 :])):
            uses = "".join(f'<xs:element name="E{number}" type="t:T{number}" minOccurs="0"/>' for number in used)
            ends.append(f'<xs:element name="Do{at}{end}"><xs:complexType><xs:sequence>{uses}</xs:sequence></xs:complexType></xs:element>')
    messages = "".join(
        f'<message name="M{at}{end}"><part name="parameters" element="t:Do{at}{end}"/></message>'
        for at in operations for end in ("", "Response")
    )
    offered = "".join(
        f'<operation name="Do{at}"><input message="t:M{at}"/><output message="t:M{at}Response"/></operation>' for at in operations
    )
    bound = "".join(
        f'<operation name="Do{at}"><soap:operation soapAction="urn:scale/Do{at}"/><input><soap:body use="literal"/></input>'
        '<output><soap:body use="literal"/></output></operation>' for at in operations
    )
    return (
        HEAD + "\n".join(texts + ends) + f"\n</xs:schema></types>\n{messages}\n<portType name=\"Scale\">{offered}</portType>\n"
        f'<binding name="B" type="t:Scale"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</binding>\n'
        '<service name="Scale"><port name="P" binding="t:B"><soap:address location="http://localhost/scale"/></port></service>\n'
        "</definitions>\n"
    )


def compiled(compiler, source):
    """Processor time in seconds, and the most memory, in megabytes, of compiling a unit."""
    with subprocess.Popen(
        [*compiler.split(), "-std=c++20", "-O0", "-DSOAPSVC_SPLIT", "-I", str(root), "-c", str(source), "-o", "/dev/null"]
    ) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{source.name} does not compile")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(importer, compiler, count, where):
    wsdl, header, server = where / "scale.wsdl", where / "scale.hpp", where / "server.cpp"
    wsdl.write_text(contract_text(count))
    begin = time.monotonic()
    subprocess.run(
        [importer, wsdl, "-o", header, "--skeleton", server], check=True, stderr=subprocess.DEVNULL
    )
    imported = time.monotonic() - begin
    empty = where / "empty.cpp"
    empty.write_text('#include "soapsvc.hpp"\n')
    nothing, _ = compiled(compiler, empty)
    empty.unlink()
    units = sorted(where.glob("*.cpp"))
    results = [compiled(compiler, unit) for unit in units]
    seconds = sum(result[0] for result in results)
    by_type = (seconds - nothing * len(units)) / count * 1000
    most = max(result[1] for result in results)
    print(
        f"{count} types: {len(units)} units, {by_type:.1f} ms a type ({seconds:.1f} s), at most {most:.0f} MB; "
        f"the slowest unit {max(result[0] for result in results):.1f} s; imported in {imported:.2f} s", flush=True,
    )  # fmt: skip
    return by_type <= MOST_MILLISECONDS and most <= MOST_MEGABYTES


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("importer", type=pathlib.Path)
    parser.add_argument("--types", default="100,1000,4000")
    parser.add_argument("--compiler", default="g++")
    options = parser.parse_args()
    good = []
    for count in map(int, options.types.split(",")):
        with tempfile.TemporaryDirectory() as where:
            good.append(measure(options.importer.resolve(), options.compiler, count, pathlib.Path(where)))
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


sys.exit(main())
