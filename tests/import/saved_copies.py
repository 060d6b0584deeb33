"""Contracts whose documents were saved from a network: given as files, mirrored, and in OASIS catalogs."""

import pathlib
import shutil
import subprocess
import urllib.parse

WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:t="urn:test" targetNamespace="urn:test">
<import namespace="urn:test" location="http://host.invalid:8080/contracts/b.wsdl?wsdl=1"/>
<binding name="B" type="t:Test"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="Do"><soap:operation soapAction=""/><input><soap:body use="literal"/></input></operation></binding>
</definitions>
"""
ABSTRACT = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:test" targetNamespace="urn:test">
<types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:test">
<xs:include schemaLocation="http://host.invalid:8080/contracts/types/c.xsd"/></xs:schema></types>
<message name="In"><part name="p" element="t:Do"/></message>
<portType name="Test"><operation name="Do"><input message="t:In"/></operation></portType>
</definitions>
"""
SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:test">
<xs:element name="Do"><xs:complexType><xs:attribute name="a" type="xs:int"/></xs:complexType></xs:element></xs:schema>
"""
CATALOG = """<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
<system systemId="http://host.invalid:8080/contracts/b.wsdl?wsdl=1" uri="saved/b.wsdl"/>
<group xml:base="saved/"><rewriteURI uriStartString="http://host.invalid:8080/contracts/types/" rewritePrefix="./"/></group>
</catalog>
"""


def check(importer, where):
    """The errors."""
    wrong = []
    where.mkdir()
    saved, mirror = where / "saved", where / "mirror"
    saved.mkdir()
    (where / "a.wsdl").write_text(WSDL)
    (saved / "b.wsdl").write_text(ABSTRACT)
    (saved / "c.xsd").write_text(SCHEMA)
    inside = mirror / "host.invalid:8080" / "contracts"
    (inside / "types").mkdir(parents=True)
    shutil.copy(saved / "b.wsdl", inside / "b.wsdl?wsdl=1")
    shutil.copy(saved / "c.xsd", inside / "types" / "c.xsd")
    (where / "catalog.xml").write_text(CATALOG)

    def expect(status, said, *arguments, cwd=None):
        command = [pathlib.Path(importer).resolve(), *arguments]
        made = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd)
        if made.returncode != status or said not in made.stdout + made.stderr:
            wrong.append(f"{arguments}: status {made.returncode}, not said: {said}: {made.stderr[:600]}")

    good = 'attribute("a",'
    # The advice works: the requested file is saved, and named.
    expect(3, "b.wsdl?wsdl=1' is not fetched; save it and name the file as an input", where / "a.wsdl")
    expect(3, "c.xsd' of the namespace 'urn:test' is not fetched; save it and name the file as an input", where / "a.wsdl", saved / "b.wsdl")
    expect(0, good, where / "a.wsdl", saved / "b.wsdl", saved / "c.xsd")
    expect(0, good, saved / "c.xsd", saved / "b.wsdl", where / "a.wsdl")
    expect(0, good, where / "a.wsdl", "--catalog", mirror)
    expect(0, good, where / "a.wsdl", "--catalog", ".", cwd=mirror)
    expect(0, good, where / "a.wsdl", "--catalog", "..", cwd=mirror / "host.invalid:8080")
    expect(0, good, where / "a.wsdl", "--catalog", where / "catalog.xml")
    expect(0, good, where / "a.wsdl", "--catalog", where)  # which has a catalog.xml
    (where / "local").mkdir()
    local = where / "local" / "b.wsdl"
    address = "file:" + urllib.parse.quote(str(saved / "c.xsd"))  # as Java writes it
    local.write_text(ABSTRACT.replace("http://host.invalid:8080/contracts/types/c.xsd", address))
    expect(0, good, where / "a.wsdl", local)
    local.write_text(ABSTRACT.replace("http://host.invalid:8080/contracts/", "..\\").replace("types/", "types\\"))
    expect(3, "/types/c.xsd, or name it as an input", where / "a.wsdl", local)
    expect(0, good, where / "a.wsdl", local, saved / "c.xsd")
    local.write_text(local.read_text().replace("..\\types\\", "..\\saved\\"))
    expect(0, good, where / "a.wsdl", local)
    # Two files of one name are no answer, and a mirror leads to nothing outside of it.
    other = where / "other"
    other.mkdir()
    shutil.copy(saved / "c.xsd", other / "c.xsd")
    expect(0, "is not fetched", where / "a.wsdl", saved / "b.wsdl", saved / "c.xsd", other / "c.xsd")
    outside = ABSTRACT.replace("types/c.xsd", "%2e%2e/%2e%2e/%2e%2e/saved/c.xsd")
    (inside / "b.wsdl?wsdl=1").write_text(outside)
    expect(3, "is not fetched", where / "a.wsdl", "--catalog", mirror)
    expect(3, "is not an OASIS XML catalog", where / "a.wsdl", "--catalog", where / "a.wsdl")
    return wrong
