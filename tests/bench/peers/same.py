"""same.py EXPECTED ACTUAL...: whether SOAP replies say the same, whatever their prefixes.

Compares the Body as a tree of names with namespaces and text; white space between elements, xsi:nil
and type attributes, and the values of Id are ignored: a database gives its own. An absent element
and one that is xsi:nil are one and the same. A fault is never the same as anything.
"""
import sys
import xml.etree.ElementTree as ElementTree

SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"


def tree(element):
    children = [tree(child) for child in element if child.get(NIL) != "true"]
    name = element.tag
    if children:
        return (name, sorted(children, key=repr) if name.endswith("Result") else children)
    value = "" if name.endswith("}Id") else (element.text or "")
    return (name, value)


def body_of(path):
    envelope = ElementTree.parse(path).getroot()
    body = envelope.find(SOAP + "Body")
    if body is None or len(body) != 1 or body[0].tag == SOAP + "Fault":
        raise SystemExit(f"same: {path} holds no reply:\n{open(path).read()[:2000]}")
    return tree(body[0])


expected = body_of(sys.argv[1])
for path in sys.argv[2:]:
    actual = body_of(path)
    if actual != expected:
        raise SystemExit(f"same: {path} differs from {sys.argv[1]}:\n{actual}\n{expected}"[:4000])
