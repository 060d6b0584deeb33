"""same.py [--attributes] EXPECTED ACTUAL...: whether SOAP responses say the same, whatever their prefixes.

Compares the Body as a tree of names with namespaces and text; white space between elements, xsi:nil
and type attributes, and the values of Id are ignored: a database gives its own. An absent element
and one that is xsi:nil are one and the same. A fault is never the same as anything. With
--attributes all of them are compared but xsi:nil, xsi:type by the local name of the type.
"""
import sys
import xml.etree.ElementTree as ElementTree

SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
ATTRIBUTES = "--attributes" in sys.argv
PATHS = [path for path in sys.argv[1:] if path != "--attributes"]


def attributes(element):
    found = {name: value for name, value in element.attrib.items() if name != NIL}
    if TYPE in found:
        found[TYPE] = found[TYPE].split(":")[-1]
    return tuple(sorted(found.items())) if ATTRIBUTES else ()


def tree(element):
    children = [tree(child) for child in element if child.get(NIL) != "true"]
    name = element.tag
    marks = attributes(element)
    if children:
        return (name, marks, sorted(children, key=repr) if name.endswith("Result") else children)
    value = "" if name.endswith("}Id") else (element.text or "")
    return (name, marks, value)


def body_of(path):
    envelope = ElementTree.parse(path).getroot()
    body = envelope.find(SOAP + "Body")
    if body is None or len(body) != 1 or body[0].tag == SOAP + "Fault":
        raise SystemExit(f"same: {path} holds no response:\n{open(path).read()[:2000]}")
    return tree(body[0])


expected = body_of(PATHS[0])
for path in PATHS[1:]:
    actual = body_of(path)
    if actual != expected:
        raise SystemExit(f"same: {path} differs from {PATHS[0]}:\n{actual}\n{expected}"[:4000])
