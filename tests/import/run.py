#!/usr/bin/python3
"""run.py IMPORTER [CASE...]: contracts of a few lines each, and the output of soapsvc-import.

The files *.cases hold the cases, each with the rule that it is about:

    == NAME: the rule
    type:            the content of the complex type T, of which the request is
    schema:          or the whole of the schema, which declares T
    file NAME:       a file beside it
    response:           declarations of the schema, the first of which is the response's element
    wsdl: NAME       or a contract of its own, NAME.wsdl
    expect:          lines of the header, white space aside
    without:         what the header does not hold
    note:            what is told beside the header, on standard error
    refuse STATUS:   or what is told instead, with that exit status
    skip:            what else is told when --skip leaves it out
    later:           the schema of a later version, unless there is a file later.wsdl
    changes:         and what --diff says of it
    imported only:   no message can be tried: validators or zeep refuse the contract, or tables take fewer

With --compile, all headers are then compiled into one program, each service is added to a dispatcher,
and what its description says is imported again: it must be the same header. `serve_wsdl` must not refuse
the original, if it is one file for one service. The description is compared with the
original as schema components as well, and random messages made from the original are passed on by
the service and by a client, and come back as they were: see verify.hpp. At last zeep, which has read
the original, calls each operation: see zeep_calls.py. With --vary, structs that were changed at random
are sent to and fro as well, which takes as long to compile as all else: see vary.hpp.
With --large, the contracts large/NAME/service.wsdl, of the size of real ones, take the same way, each in
a program of its own, and once more in units.
Ends in a line `N passed, N failed`.
"""

import argparse
import fcntl
import glob
import pathlib
import re
import shutil
import subprocess
import sys

import contract
import hostile
import odd_names
import saved_copies
import verify
import zeep_calls
from calling import check_client
from fetching import check_fetch

folder = pathlib.Path(__file__).resolve().parent
root = folder.parent.parent

WSDL = """<?xml version="1.0"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:t="urn:test" targetNamespace="urn:test">
<types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:test"
    elementFormDefault="qualified">
{imports}<xs:element name="Do" type="t:T"/>
{response}
{schema}
</xs:schema></types>
<message name="In"><part name="p" element="t:Do"/></message>
<message name="Out"><part name="p" element="t:{answer}"/></message>
<portType name="Test"><operation name="Do"><input message="t:In"/><output message="t:Out"/></operation></portType>
<binding name="B" type="t:Test"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="Do"><soap:operation soapAction="urn:test/Do"/><input><soap:body use="literal"/></input>
<output><soap:body use="literal"/></output></operation></binding>
<binding name="B12" type="t:Test"><soap12:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="Do"><soap12:operation soapAction="urn:test/Do"/><input><soap12:body use="literal"/></input>
<output><soap12:body use="literal"/></output></operation></binding>
<service name="Test"><port name="P" binding="t:B"><soap:address location="http://localhost/soap/v3/Test.asmx"/></port>
<port name="P12" binding="t:B12"><soap12:address location="http://localhost/soap/v3/Test.asmx"/></port></service>
</definitions>
"""


class Case:
    file = "case.wsdl"

    def __init__(self, text):
        head, *lines = text.splitlines()
        self.name, self.rule = head[3:].split(": ", 1)
        self.parts, self.files = {}, {}
        into = None
        for line in lines:
            named = re.fullmatch(r"(type|schema|response|expect|without|note|later|changes|imported only|skip|refuse (\d)):", line)
            wsdl = re.fullmatch(r"wsdl: (\w+)", line)
            file = re.fullmatch(r"file (\S+):", line)
            if named:
                into = self.parts.setdefault(named[1].split(" ")[0], [])
                if named[2]:
                    self.status = int(named[2])
            elif wsdl:
                self.parts["wsdl"] = wsdl[1]
            elif file:
                into = self.files.setdefault(file[1], [])
            elif line:
                into.append(line)

    def write(self, where):
        """Writes the contract into a folder and returns its path."""
        where.mkdir()
        for name, lines in self.files.items():
            (where / name).write_text("\n".join(lines) + "\n")
        path = where / self.file
        if "wsdl" in self.parts:
            path.write_text((folder / (self.parts["wsdl"] + ".wsdl")).read_text())
        elif not path.exists():
            schema = "\n".join(self.parts.get("schema", []))
            if "schema" not in self.parts:
                inner = "\n".join(self.parts.get("type", []))
                schema = f'<xs:complexType name="T">{inner}</xs:complexType>'
            # Imports stand before all declarations.
            early = re.compile(r"<xs:(?:import|include)[^>]*/>|<xs:redefine.*?</xs:redefine>", re.S)
            imports = "".join(found + "\n" for found in early.findall(schema))
            response = "\n".join(self.parts.get("response", ['<xs:element name="DoResponse"><xs:complexType/></xs:element>']))
            answer = re.search(r'element name="(\w+)"', response)[1]
            path.write_text(
                WSDL.format(imports=imports, schema=early.sub("", schema), response=response, answer=answer)
            )
        return path


class Large:
    """A contract of the size of real ones, with the files that it imports: all of it can be said."""

    file = "service.wsdl"
    rule = "a contract of the size of real ones"
    parts = {}

    def __init__(self, path):
        self.path, self.name = path, path.name

    def write(self, where):
        shutil.copytree(self.path, where)
        return where / self.file


def squeezed(text):
    return re.sub(r"\s+", "", text)


def holds(text, sought):
    """Whether a header has a line, white space aside; a long literal of it may be in several pieces."""
    return any(squeezed(sought) in squeezed(each) for each in (text, re.sub(r'"\n\s+"', "", text)))


def table_of(header):
    """The header without comments and without the order of equal rows, which a description does not keep."""
    text = re.sub(r"^\s*//.*$", "", header, flags=re.M)
    text = re.sub(r', ?\s*doc\(\s*("([^"\\]|\\.)*"\s*)+\)', "", text)
    text = re.sub(r"^namespace \w+ \{$|^\}  // namespace.*$", "", text, flags=re.M)
    return sorted(squeezed(part) for part in text.split(";"))


def check(case, importer, where):
    """The errors of a case."""
    path = case.write(where)
    header = where / "case.hpp"
    made = subprocess.run(
        [importer, path, "-o", header, "--namespace", "t"], capture_output=True, text=True, timeout=60
    )
    if "changes" in case.parts:
        later = where / "later.wsdl"
        if not later.exists():
            case.parts["schema"] = case.parts["later"]
            later = case.write(where.with_name(case.name + "_later"))
        told = subprocess.run([importer, "--diff", path, later], capture_output=True, text=True, timeout=60)
        same = told.stdout.splitlines() == case.parts["changes"]
        return [] if same else [told.stdout + told.stderr]
    if "refuse" in case.parts:
        told = [f"status {made.returncode}"] if made.returncode != case.status else []
        told += [f"not said: {each}" for each in case.parts["refuse"] if each not in made.stderr]
        if header.exists():
            told.append("a header was written")
        if "skip" in case.parts:
            told += check_skip(case, importer, path, header)
        return told and told + [made.stderr]
    if made.returncode != 0:
        return [f"status {made.returncode}: {made.stderr}"]
    text = header.read_text()
    wrong = [f"not written: {each}" for each in case.parts.get("expect", []) if not holds(text, each)]
    wrong += [f"written: {each}" for each in case.parts.get("without", []) if holds(text, each)]
    wrong += [f"not said: {each}" for each in case.parts.get("note", []) if each not in made.stderr]
    lines = [each for each in header.read_text().splitlines() if len(each) > 100 and not each.lstrip().startswith("//")]
    wrong += [f"longer than 100 characters: {each}" for each in lines]
    return wrong and wrong + [header.read_text()]


def check_skip(case, importer, path, header):
    """The problem of a run with --skip, which leaves out refused operations and writes the header."""
    made = subprocess.run(
        [importer, path, "-o", header, "--namespace", "t", "--skip"], capture_output=True, text=True, timeout=60
    )
    if made.returncode != 0:
        return [f"with --skip, status {made.returncode}: {made.stderr}"]
    wrong = [f"not said with --skip: {each}" for each in case.parts["skip"] if each not in made.stderr]
    return wrong + [f"not written: {each}" for each in case.parts.get("expect", []) if not holds(header.read_text(), each)]


def compile_all(cases, importer, where, compiler, library, varies):
    """Compiles all headers together, imports the WSDLs of their services, compares them with
    the original, and passes random messages through them, changed structs too if it `varies`."""
    imported = []
    for case in cases:
        space = "case_" + case.name
        subprocess.run(
            [importer, where / case.name / case.file, "-o", where / f"{space}.hpp", "--namespace", space,
             "--skeleton", where / f"{space}.cpp"],
            check=True, capture_output=True,
        )
        imported.append(verify.Imported(space, where / f"{space}.hpp", where / f"{space}.cpp", where / case.name))
    program, made = verify.build(imported, where, compiler, library, varies=varies)
    if not program:
        sys.exit(made["said"])
    subprocess.run([program, "describe"], check=True)
    again = {case.name: check_description(case, importer, where) for case in cases}
    for name, line in refused_files(cases, where, compiler):
        again[name].append(f"serve_wsdl refuses the original: {line}")
    passed = {}
    for case in cases:
        there = where / case.name
        original = contract.Contract(there / case.file)
        again[case.name] += verify.compare(original, there)[0]
        passed[case.name] = verify.Passed(original, there)
    subprocess.run([program, "messages"], check=True)
    called = zeep_calls.check(
        {case.name: where / case.name / case.file for case in cases},
        {name: each.trial for name, each in passed.items()}, program,
    )  # fmt: skip
    varied = check_varied(program, passed, where) if varies else {}
    failed = 0
    for case in cases:
        if isinstance(case, Large):
            again[case.name] += check_units(case, importer, where, compiler, library)
    for name, wrong in again.items():
        wrong += passed[name].check()[0] if passed[name].tried else ["no message could be made"]
        wrong += [f"zeep: {line}" for line in called[name]]
        wrong += varied.get(name, [])
        failed += bool(wrong)
        if wrong:
            print(f"FAIL {name}: what is served\n  " + "\n  ".join(wrong))
    return failed


def refused_files(cases, where, compiler):
    """The originals that `serve_wsdl` would refuse: names of cases, and the reasons."""
    program, asked = where / "own_files", {}
    for case in cases:
        described = sorted((where / case.name).glob("served.*.wsdl"))
        if len(described) == 1 and not re.search(r"schemaLocation|<(\w+:)?import\b[^>]* location", (where / case.name / case.file).read_text()):
            asked[str(where / case.name / case.file)] = case.name, described[0]
    flags = [each for each in verify.FLAGS if each != "-DSOAPSVC_SPLIT"]
    made = verify.measured(
        [*compiler.split(), *flags, "-I", str(root), str(folder / "own_files.cpp"), "-o", str(program), *verify.LIBRARIES],
        600,
    )  # fmt: skip
    if made["status"] != 0:
        sys.exit(made["said"])
    pairs = "".join(f"{path}\n{described}\n" for path, (_, described) in asked.items())
    said = subprocess.run([program], input=pairs, capture_output=True, text=True, check=True).stdout
    refused = [line.split("\t", 1) for line in said.splitlines()]
    return [(asked[path][0], line) for path, line in refused]


def check_units(case, importer, where, compiler, library):
    """The same contract in units must be served, and carry messages, to the byte as from one header."""
    there, space = where / case.name, "case_" + case.name
    apart = where / (case.name + " in units")
    apart.mkdir()
    shutil.copytree(there / "in", apart / "in")
    (apart / "out").mkdir()
    subprocess.run(
        [importer, there / case.file, "-o", apart / f"{space}.hpp", "--namespace", space,
         "--skeleton", apart / f"{space}.cpp", "--units", "3"],
        check=True, capture_output=True,
    )  # fmt: skip
    imported = verify.Imported(space, apart / f"{space}.hpp", apart / f"{space}.cpp", apart)
    if len(imported.units) != 3:
        return [f"--units 3 made {len(imported.units)}"]
    program, made = verify.build([imported], apart, compiler, library)
    if not program:
        return [made["said"]]
    for each in ("describe", "messages"):
        subprocess.run([program, each], check=True)
    # Those of `messages` alone: the folder also has zeep's, and those of changed structs.
    names = [line.split(" ")[0] for line in (there / "in" / "messages").read_text().splitlines()]
    made = [each for name in names for each in (there / "out").glob(glob.escape(name) + ".[res]*")]
    expected = {each.relative_to(there) for each in [*there.glob("served.*"), *made]}
    return [
        f"in units, {each} is another" for each in sorted(expected)
        if not (apart / each).exists() or (apart / each).read_bytes() != (there / each).read_bytes()
    ] + ([] if len(expected) > 10 else ["there is nothing to compare"])


# Their groups repeat and may be empty: a message does not show where a repetition ends.
AMBIGUOUS = {"sequence_of_optional"}


def check_varied(program, passed, where):
    """The errors when read structs are changed and sent, by the name of the case."""
    subprocess.run([program, "vary"], check=True)
    each = {name: verify.Varied(of.trial, where / f"case_{name}.hpp") for name, of in passed.items()}
    out, refused = sum(of.out for of in each.values()), sum(of.refused for of in each.values())
    wrong = {name: [] if name in AMBIGUOUS else of.wrong for name, of in each.items()}
    # A single case may be different: some are about refusals.
    if out + refused > 500 and (out < refused or out < 10 * len(each)):
        next(iter(wrong.values())).append(f"of all changed structs {out} are sent and {refused} refused")
    return wrong


def check_description(case, importer, where):
    """A service's own WSDL, imported again: its differences from the header."""
    space = "case_" + case.name
    again = where / f"{space}.again.hpp"
    described = sorted((where / case.name).glob("served.*.wsdl"))
    made = subprocess.run([importer, *described, "-o", again, "--namespace", space], capture_output=True, text=True)
    if made.returncode != 0:
        return [f"its description cannot be imported: {made.stderr}"]
    # Header blocks are described with any attributes, as .NET has it.
    any_more = re.compile(
        r',any_attribute\(&[\w:]+::other_attributes(,ns\("##other"\))?\)|std::vector<soapsvc::xml_attribute>other_attributes'
    )
    before, after = table_of((where / f"{space}.hpp").read_text()), table_of(again.read_text())
    after = [each if each in before else any_more.sub("", each) for each in after]
    after = [each for each in after if each]
    return [f"- {each}" for each in before if each not in after] + [f"+ {each}" for each in after if each not in before]


def security_binding(inside="", tokens=""):
    """A policy of WS-SecurityPolicy 1.2 as servers write it."""
    sp = 'xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"'
    binding = (
        f"<sp:TransportBinding {sp}><wsp:Policy><sp:TransportToken><wsp:Policy><sp:HttpsToken/></wsp:Policy>"
        f"</sp:TransportToken><sp:AlgorithmSuite><wsp:Policy><sp:Basic256/></wsp:Policy></sp:AlgorithmSuite>{inside}"
        "</wsp:Policy></sp:TransportBinding>"
    )
    return binding + (f"<sp:SignedSupportingTokens {sp}><wsp:Policy>{tokens}</wsp:Policy></sp:SignedSupportingTokens>" if tokens else "")


def user(inside=""):
    return f"<sp:UsernameToken><wsp:Policy><sp:WssUsernameToken10/>{inside}</wsp:Policy></sp:UsernameToken>"


def signing(inside="", responses="", suite="Basic256Sha256", parts=""):
    """A policy of signatures by X.509, of all messages, as other servers have it."""
    sp = 'xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"'
    x509 = "<wsp:Policy><sp:X509Token><wsp:Policy><sp:WssX509V3Token10/></wsp:Policy></sp:X509Token></wsp:Policy>"
    recipient = f"<sp:RecipientToken>{x509}</sp:RecipientToken>" if responses else ""
    return (
        f"<sp:AsymmetricBinding {sp}><wsp:Policy>{recipient}<sp:InitiatorToken>{x509}</sp:InitiatorToken>"
        f"<sp:AlgorithmSuite><wsp:Policy><sp:{suite}/></wsp:Policy></sp:AlgorithmSuite>"
        f"<sp:Layout><wsp:Policy><sp:Lax/></wsp:Policy></sp:Layout>{inside}<sp:OnlySignEntireHeadersAndBody/>"
        f"</wsp:Policy></sp:AsymmetricBinding><sp:SignedParts {sp}><sp:Body/>{parts}</sp:SignedParts>"
    )


# The assertions of a policy, and the words of a table for them.
STAMP, HASH = "<sp:IncludeTimestamp/>", "<sp:HashPassword/>"
EARLIER = "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy"
SECURITY = [
    (security_binding(), "soap12_only"),
    (security_binding(STAMP), "secured(timestamp)"),
    (security_binding("", user()), "secured(password_text)"),
    (security_binding(STAMP, user()), "secured(password_text, timestamp)"),
    (security_binding(STAMP, user(HASH)), "secured(password_digest, timestamp)"),
    (
        f"<wsp:ExactlyOne><wsp:All>{security_binding('', user())}</wsp:All><wsp:All>{security_binding('', user(HASH))}</wsp:All></wsp:ExactlyOne>",
        "secured(password_text, password_digest)",
    ),
    (
        f"<wsp:ExactlyOne><wsp:All>{security_binding(STAMP, user())}</wsp:All><wsp:All/></wsp:ExactlyOne>",
        "secured(optionally, password_text, timestamp)",
    ),
    (signing(), "secured(x509_signature)"),
    (signing(STAMP, "yes"), "secured(timestamp, x509_signature, signed_responses)"),
    (
        signing(STAMP, "yes", parts='<sp:Header Namespace="http://www.w3.org/2005/08/addressing"/>'),
        "secured(timestamp, x509_signature, signed_header_blocks, signed_responses)",
    ),
    (
        f"<wsp:ExactlyOne><wsp:All>{signing(responses='yes')}</wsp:All><wsp:All/></wsp:ExactlyOne>",
        "secured(optionally, x509_signature, signed_responses)",
    ),
    (signing() + security_binding("", user()).split("</sp:TransportBinding>")[1], "secured(password_text, x509_signature)"),
    (
        signing(responses="yes") + "<sp:Wss11><wsp:Policy><sp:RequireSignatureConfirmation/></wsp:Policy></sp:Wss11>".replace("sp:Wss11>", 'sp:Wss11 xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702">', 1),
        "secured(x509_signature, signed_responses, confirmed_responses)",
    ),
    (signing(suite="Basic256"), "Basic256, which uses SHA-1"),
    (signing("<sp:EncryptSignature/>"), "EncryptSignature, which tables cannot express"),
    (security_binding().replace("HttpsToken", "X509Token"), "X509Token, which tables cannot express"),
    (security_binding("", "<sp:X509Token/>"), "X509Token, which tables cannot express"),
    (
        security_binding().replace("http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702", EARLIER)
        .replace("<sp:HttpsToken", '<sp:HttpsToken RequireClientCertificate="true"'),
        f"asserts RequireClientCertificate of {{{EARLIER}}}HttpsToken, which tables cannot express",
    ),
]


def signed_parts(inside=""):
    """A policy that is attached to a message: its Body is signed."""
    sp = 'xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"'
    return f"<wsp:Policy><sp:SignedParts {sp}><sp:Body/>{inside}</sp:SignedParts></wsp:Policy>"


# The parts of requests and responses beside a binding with both tokens, as in our own descriptions.
MESSAGES = [
    (signed_parts(), "", "secured(x509_signature)"),
    (signed_parts(), signed_parts(), "secured(x509_signature, signed_responses)"),
    (signed_parts('<sp:Header Namespace="urn:h"/>'), "", "secured(x509_signature, signed_header_blocks)"),
    ("", "", "secured(x509_signature, signed_responses)"),
    ('<wsp:PolicyReference URI="#None"/>', "", "the policy #None is not in the contract"),
]


def check_commands(importer, where):
    """The errors of the command itself."""
    contract = folder / "two_services.wsdl"
    wrong = []

    def expect(status, *arguments, said=""):
        made = subprocess.run([importer, *arguments], capture_output=True, text=True, timeout=60)
        if made.returncode != status or said not in made.stdout + made.stderr:
            wrong.append(f"{arguments}: status {made.returncode}: {made.stdout[:400]}{made.stderr}")
        return made.stdout

    expect(0, contract, said="class Second")
    if "class Second" in expect(0, contract, "--only", "Do"):
        wrong.append("--only writes what was not asked for")
    maps = where / "maps.wsdl"
    keyed = '<xs:element name="KeyValueOfintint" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>'
    keyed += '<xs:element name="Key" type="xs:int"/><xs:element name="Value" type="xs:int"/></xs:sequence></xs:complexType></xs:element>'
    listed = f'<xs:complexType name="ArrayOfKeyValueOfintint"><xs:sequence>{keyed}</xs:sequence></xs:complexType><xs:element name="Other">'
    other = contract.read_text().replace('name="A" type="xs:int"/></xs:sequence></xs:complexType></xs:element>', 'name="A" type="t:ArrayOfKeyValueOfintint"/></xs:sequence></xs:complexType></xs:element>')
    maps.write_text(other.replace('<xs:element name="Other">', listed))
    expect(0, maps, said="the dictionary ArrayOfKeyValueOfintint becomes a std::map")
    made = subprocess.run([importer, maps, "--only", "Do"], capture_output=True, text=True, timeout=60)
    if made.returncode != 0 or "becomes a std::map" in made.stderr:
        wrong.append(f"a map that --only leaves out is told: {made.stderr}")
    expect(2, said="INPUT is required")
    expect(2, contract, "--only", "Nothing", said="there is no operation Nothing; the contract has Do, ")
    expect(2, contract, "--skeleton", where / "x.cpp")
    expect(2, contract, "--namespace", "no name")
    expect(3, where / "missing.wsdl", said="there is no such file")
    expect(1, folder / "same_element.wsdl", "--report", "json", said='"written": false')
    expect(0, folder / "same_element.wsdl", "--skip", said="left out 1 operation\n")
    addressed = where / "addressed.wsdl"
    using = '<w:UsingAddressing xmlns:w="http://www.w3.org/2006/05/addressing/wsdl"/><soap:binding'
    addressed.write_text((folder / "same_element.wsdl").read_text().replace("<soap:binding", using))
    for name in ("Do", "Again"):
        expect(0, addressed, said=f"urn:test:Test:{name}Request")
    no_soap = where / "no_soap.wsdl"
    soap = '<soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>'
    no_soap.write_text((folder / "same_element.wsdl").read_text().replace(soap, ""))
    expect(1, no_soap, said="so it is not SOAP (note)\nread 1 file")  # told of the port alone
    no_type = where / "no_type.wsdl"
    wsdl = 'xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:o="urn:other" targetNamespace="urn:test"'
    no_type.write_text(f'<definitions {wsdl}><import namespace="urn:other" location="o.wsdl"/><binding name="B" type="o:Test"/></definitions>')
    expect(3, no_type, said="/o.wsdl, or name it as an input\n")
    expect(3, folder / "missing_header.wsdl", said="the operation Do needs it; --skip omits this operation\n")
    expect(3, folder / "missing_header.wsdl", "--only", "Do", said="the operation Do needs it\n")
    expect(0, folder / "missing_header.wsdl", "--skip", said="left out 1 operation\n")
    expect(0, folder / "missing_header.wsdl", "--only", "Other", said="the binding {urn:test}NoBinding is not declared; the port Q is left out")
    long_name = where / "long_name.wsdl"
    long_name.write_text((folder / "one_way.wsdl").read_text().replace('service name="', 'service name="AVeryLongNameOf'))
    expect(0, long_name, said="namespace a_very_long_name {")
    windows = where / "windows.wsdl"
    priced = (folder / "one_way.wsdl").read_text().replace('name="Do">', 'name="Do"><documentation>5 €</documentation>', 1)
    windows.write_bytes(('<?xml version="1.0" encoding="windows-1252"?>' + priced).encode("cp1252"))
    expect(0, windows, said="5 €")
    windows.write_bytes(windows.read_bytes().replace(b"5 \x80", b"5 \x81"))
    expect(3, windows, said="bytes that are not windows-1252")
    expect(0, folder / "policy.wsdl", "-o", where / "policy.hpp", said="asserts {urn:x}Unheard, which tables cannot express")
    for assertions, option in SECURITY:
        secured = where / "secured.wsdl"
        secured.write_text(re.sub(r"<wsam:Addressing.*?/>\s*<x:Unheard.*?/>", assertions, (folder / "policy.wsdl").read_text(), flags=re.S))
        made = subprocess.run([importer, secured], capture_output=True, text=True, timeout=60)
        if made.returncode != 0 or option not in re.sub(r"\s+", " ", made.stdout + made.stderr):
            wrong.append(f"{option} is not said for {assertions}")
    for request, response, option in MESSAGES:
        secured = where / "secured.wsdl"
        text = (folder / "policy.wsdl").read_text().replace("<input><soap", f"<input>{request}<soap").replace("<output><soap", f"<output>{response}<soap")
        assertions = signing(responses="yes").split("<sp:SignedParts")[0]
        secured.write_text(re.sub(r"<wsam:Addressing.*?/>\s*<x:Unheard.*?/>", assertions, text, flags=re.S))
        made = subprocess.run([importer, secured], capture_output=True, text=True, timeout=60)
        if made.returncode != 0 or option not in re.sub(r"\s+", " ", made.stdout + made.stderr):
            wrong.append(f"{option} is not said for requests {request!r} and responses {response!r}")
    expect(0, where / "secured.wsdl", "-o", where / "secured.hpp", "--client", where / "secured.cpp",
           said="the program of --client cannot call the class Test, whose policies demand secured(")
    optional = f"<wsp:ExactlyOne><wsp:All>{security_binding('', user())}</wsp:All><wsp:All/></wsp:ExactlyOne>"
    for number, assertions in enumerate((security_binding(STAMP), optional)):  # which need no credentials
        called = where / f"called{number}.wsdl"
        called.write_text(re.sub(r"<wsam:Addressing.*?/>\s*<x:Unheard.*?/>", assertions, (folder / "policy.wsdl").read_text(), flags=re.S))
        command = [importer, called, "-o", called.with_suffix(".hpp"), "--client", called.with_suffix(".cpp")]
        made = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if made.returncode != 0 or "cannot call" in made.stderr:
            wrong.append(f"a client without credentials for {assertions}: {made.stderr}")
    expect(2, contract, "--client", where / "x.cpp")
    expect(2, contract, "--fetch-time", "5")
    expect(2, contract, "-o", where / "not.hpp", "--units", "0x2", said="must be a decimal number")
    expect(0, contract, "-o", where / "eight.hpp", "--units", "08")  # decimal, although octal has no 8
    written = where / "written.cpp"
    written.write_text("int main() {}\n")
    for program in ("--skeleton", "--client"):
        expect(2, contract, "-o", where / "not.hpp", program, written, said="exists already")
    if written.read_text() != "int main() {}\n" or (where / "not.hpp").exists():
        wrong.append("a program that was there was overwritten, or the header was written without it")
    same, made_folder, before = where / "same.cpp", where / "made", where / "before.hpp"
    made_folder.mkdir()
    before.write_text("as it was")
    expect(2, contract, "-o", same, "--client", where / "made" / ".." / "same.cpp", said="is the name of two outputs")
    expect(2, contract, "-o", before, "--client", made_folder, said="is a folder")
    for program in ("--skeleton", "--client"):
        unit = where / "made" / ".." / "same_1.cpp"
        expect(2, contract, "-o", where / "same.hpp", "--units", "2", program, unit, said="is the name of two outputs")
    if [*where.glob("same.*"), *where.glob("same_?.*")] or before.read_text() != "as it was":
        wrong.append("an output was written although another one cannot be")
    mine = where / "mine.hpp.unfinished"
    mine.symlink_to(before)
    expect(0, contract, "-o", where / "mine.hpp")
    if not mine.is_symlink() or before.read_text() != "as it was" or list(where.glob("mine.hpp.unfinished-*")):
        wrong.append("a file of another name was written or removed, or an unfinished one stays")
    if (where / "mine.hpp").stat().st_mode != before.stat().st_mode:
        wrong.append("the header has another mode than other new files")
    link = where / "link.hpp"
    link.symlink_to(where / "target.hpp")
    expect(0, contract, "-o", link)
    if not link.is_symlink() or not (where / "target.hpp").exists():
        wrong.append("a link was replaced by a file")
    programs = [where / "first.cpp", where / "first_call.cpp"]
    expect(0, contract, "-o", where / "first.hpp", "--skeleton", programs[0], "--client", programs[1], "--units", "2")
    for program in [*programs, *where.glob("first_[0-9].cpp")]:
        if "#include" in program.read_text().split('#include "soapsvc.hpp"')[0]:
            wrong.append(f"{program.name} includes something before the header, whose precompiled form is not taken then")
    return wrong


def check_hostile(importer, where):
    """The same for input from strangers."""
    response = '<xs:element name="DoResponse"><xs:complexType/></xs:element>'
    return hostile.check(
        importer,
        where / "hostile files",
        lambda schema: WSDL.format(imports="", schema=schema, response=response, answer="DoResponse"),
    )


def main():
    asked = argparse.ArgumentParser(usage=__doc__)
    asked.add_argument("importer")
    asked.add_argument("cases", nargs="*")
    asked.add_argument("--compile", metavar="LIBRARY", help="the library or object of the implementation")
    asked.add_argument("--compiler", default="g++")
    asked.add_argument("--large", action="store_true", help="the contracts of the size of real ones instead")
    asked.add_argument("--vary", action="store_true", help="change structs at random, too")
    given = asked.parse_args()
    cases = []
    if given.large:
        cases = [Large(each) for each in sorted((folder / "large").iterdir())]
    else:
        for file in sorted(folder.glob("*.cases")):
            cases += [Case(each) for each in re.split(r"^(?=== )", file.read_text(), flags=re.M)[1:]]
    if given.cases:
        if unknown := set(given.cases) - {each.name for each in cases}:
            asked.error(f"there is no case {', '.join(sorted(unknown))}")
        cases = [each for each in cases if each.name in given.cases]
    if not cases:
        sys.exit("there are no cases")
    # The same folder each time, so that ccache knows the files there; with a lock, for two at a time.
    kind = "large" if given.large else "vary" if given.vary else "cases"
    where = folder.parents[1] / "build-scratch" / f"import-{kind}"
    where.parent.mkdir(exist_ok=True)
    with open(f"{where}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir()
        failed, tried = 0, len(cases)
        for case in cases:
            wrong = check(case, given.importer, where / case.name)
            if wrong:
                failed += 1
                print(f"FAIL {case.name}: {case.rule}\n  " + "\n  ".join(wrong))
        commands = {"commands": check_commands, "--fetch": check_fetch, "hostile": check_hostile}
        commands["saved copies"] = lambda importer, place: saved_copies.check(importer, place / "saved copies")
        if given.compile:
            commands["odd names"] = lambda *made: odd_names.check(*made, given.compiler)
            commands["--client"] = lambda *made: check_client(*made, given.compiler, given.compile)
        for name, checked in ({} if given.large or given.cases else commands).items():
            tried += 1
            wrong = checked(given.importer, where)
            if wrong:
                failed += 1
                print(f"FAIL {name}\n  " + "\n  ".join(wrong))
        good = [each for each in cases if not {"refuse", "changes", "imported"} & each.parts.keys()]
        if given.compile and not failed:
            varies = given.vary
            for each in [[one] for one in good] if given.large else [good]:
                failed += compile_all(each, given.importer, where, given.compiler, given.compile, varies)
            tried += len(good)
    print(f"{tried - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
