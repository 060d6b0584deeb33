"""WSDL 1.1 and XML Schema 1.0 as components, read with Python's standard library alone.

It shares nothing with the importer on purpose: an error of both would not show.
"""

import pathlib
import urllib.parse
import xml.parsers.expat

XS = "http://www.w3.org/2001/XMLSchema"
XML = "http://www.w3.org/XML/1998/namespace"
WSDL = "http://schemas.xmlsoap.org/wsdl/"
# Where the attribute Action is declared: by WS-Addressing's metadata, and by the drafts before it.
ADDRESSING = ("http://www.w3.org/2007/05/addressing/metadata", "http://www.w3.org/2006/05/addressing/wsdl",
              "http://schemas.xmlsoap.org/ws/2004/08/addressing")
SOAP = {"http://schemas.xmlsoap.org/wsdl/soap/": "1.1", "http://schemas.xmlsoap.org/wsdl/soap12/": "1.2"}
UNBOUNDED = float("inf")

xml_schema = pathlib.Path(__file__).resolve().parent.parent / "schemas" / "xml.xsd"


class Node:
    """An element: names resolved, text as str among the children."""

    __slots__ = ("ns", "local", "attributes", "scope", "children", "raw", "line")

    def __init__(self, raw, given, outer, line=0):
        declared = {k[6:]: v for k, v in given.items() if k.startswith("xmlns:")}
        if "xmlns" in given:
            declared[""] = given["xmlns"]
        self.scope = {**outer, **declared} if declared else outer
        self.raw, self.line, self.children = (raw, given), line, []
        self.ns, self.local = self.qname(raw)
        self.attributes = {
            (self.qname(k) if ":" in k else ("", k)): v
            for k, v in given.items()
            if k != "xmlns" and not k.startswith("xmlns:")
        }

    def qname(self, text):
        prefix, _, local = text.strip().rpartition(":")
        if prefix and prefix not in self.scope:
            raise ValueError(f"line {self.line}: the prefix of {text} is not declared")
        return self.scope.get(prefix, ""), local

    def get(self, name, default=None):
        return self.attributes.get(("", name), default)

    @property
    def name(self):
        return self.ns, self.local

    @property
    def elements(self):
        return [each for each in self.children if isinstance(each, Node)]

    @property
    def text(self):
        return "".join(each for each in self.children if isinstance(each, str))

    def all(self, *names, ns=XS):
        return [each for each in self.elements if each.ns == ns and each.local in names]

    def one(self, *names, ns=XS):
        found = self.all(*names, ns=ns)
        return found[0] if found else None


def parse(data):
    """The root of a document."""
    parser = xml.parsers.expat.ParserCreate()
    parser.buffer_text = True
    stack, root = [], []

    def start(name, given):
        outer = stack[-1].scope if stack else {"xml": XML}
        node = Node(name, given, outer, parser.CurrentLineNumber)
        # No schema that a validator could be given has the references of .NET's DataSets: any of them.
        if node.name == (XS, "element") and "ref" in given and node.qname(given["ref"]) == (XS, "schema"):
            given = {k: v for k, v in given.items() if k != "ref"} | {"namespace": XS, "processContents": "lax"}
            node = Node(name.removesuffix("element") + "any", given, outer, parser.CurrentLineNumber)
        (stack[-1].children if stack else root).append(node)
        stack.append(node)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: stack.pop()
    parser.CharacterDataHandler = lambda text: stack[-1].children.append(text) if stack else None
    parser.Parse(data, True)
    return root[0]


# --- Types ----------------------------------------------------------------------------------------


# By a facet those of its bases that it replaces.
HIDDEN = {
    "length": ("minLength", "maxLength"),
    "minInclusive": ("minExclusive",),
    "minExclusive": ("minInclusive",),
    "maxInclusive": ("maxExclusive",),
    "maxExclusive": ("maxInclusive",),
}


class Simple:
    """A simple type. `builtin` is the nearest built-in one that it restricts; facets are those of all
    steps from there."""

    restricts, block = True, ""

    def __init__(self, builtin=None, item=None, members=None, name=None):
        self.builtin, self.item, self.members, self.name = builtin, item, members, name
        self.enumeration, self.patterns, self.facets = None, [], {}
        self.base = None

    def restricted(self, node, name):
        made = Simple(self.builtin, self.item, self.members, name)
        made.base, made.enumeration = self, self.enumeration
        made.patterns, made.facets = list(self.patterns), dict(self.facets)
        values, patterns = [], []
        for facet in node.elements:
            if facet.ns != XS:
                continue
            if facet.local == "enumeration":
                values.append(facet.qname(facet.get("value")) if self.builtin == "QName" else facet.get("value"))
            elif facet.local == "pattern":
                patterns.append(facet.get("value"))
            elif facet.local not in ("annotation", "simpleType", "attribute", "attributeGroup", "anyAttribute"):
                made.facets[facet.local] = facet.get("value")
                # The nearest bound stands for those of the bases, and `length` for both lengths.
                for hidden in HIDDEN.get(facet.local, ()):
                    made.facets.pop(hidden, None)
        if values:
            made.enumeration = values
        if patterns:
            made.patterns.append(patterns)
        return made

    @property
    def is_list(self):
        return self.item is not None


class Complex:
    """A complex type; `content` is a particle, `simple` the type of simple content."""

    def __init__(self, name=None):
        self.name, self.abstract, self.mixed = name, False, False
        self.restricts, self.block = False, ""
        self.base, self.content, self.simple = None, None, None
        self.attributes, self.any_attribute = {}, None


class Particle:
    """kind: sequence, choice, all, element, any. `of`: particles, an Element, or a Wildcard."""

    def __init__(self, kind, least, most, of):
        self.kind, self.least, self.most, self.of = kind, least, most, of


class Wildcard:
    def __init__(self, node, target):
        said = (node.get("namespace") if node is not None else None) or "##any"
        words = {"##targetNamespace": target, "##local": ""}
        self.rule = said if said in ("##any", "##other") else None
        self.namespaces = frozenset(words.get(each, each) for each in said.split())
        self.target = target
        self.process = (node.get("processContents") if node is not None else "lax") or "strict"

    def __str__(self):
        if self.rule == "##any":
            return "any"
        return f"other than {self.target}" if self.rule else "of " + " ".join(sorted(self.namespaces))

    def allows(self, ns):
        if self.rule == "##any":
            return True
        return ns not in (self.target, "") if self.rule else ns in self.namespaces


class Element:
    def __init__(self, name, find_type, node=None):
        self.name, self._find, self._type = name, find_type, None
        said = node.get if node is not None else lambda *_: None
        self.nillable = said("nillable") in ("true", "1")
        self.abstract = said("abstract") in ("true", "1")
        self.default, self.fixed = said("default"), said("fixed")
        self.scope = node

    @property
    def type(self):
        if self._type is None:
            self._type = self._find()
        return self._type


class Attribute:
    def __init__(self, name, type, use, default, fixed):
        self.name, self.type, self.use, self.default, self.fixed = name, type, use, default, fixed


LISTS = {"NMTOKENS": "NMTOKEN", "IDREFS": "IDREF", "ENTITIES": "ENTITY"}

any_type = Complex((XS, "anyType"))
any_type.mixed = True
any_type.content = Particle("any", 0, UNBOUNDED, Wildcard(None, ""))
any_type.any_attribute = Wildcard(None, "")
_builtins = {}


def builtin(local):
    if local == "anyType":
        return any_type
    if local not in _builtins:
        if local in LISTS:
            _builtins[local] = Simple(item=builtin(LISTS[local]), name=(XS, local))
            _builtins[local].facets["minLength"] = "1"
        else:
            _builtins[local] = Simple(local, name=(XS, local))
    return _builtins[local]


def occurrence(node):
    most = node.get("maxOccurs", "1")
    return int(node.get("minOccurs", "1")), UNBOUNDED if most == "unbounded" else int(most)


class Document:
    """A schema document; `target` may be another's, whose includes it came by."""

    def __init__(self, node, target, path):
        self.node, self.target, self.path = node, target, path
        self.references = []  # (kind, namespace, document)


class Component:
    def __init__(self, node, document):
        self.node, self.document, self.old = node, document, None


# --- Contracts ------------------------------------------------------------------------------------


class Operation:
    def __init__(self, service, name):
        self.service, self.name, self.versions = service, name, set()
        self.actions = {}  # by version
        self.addressed = {}  # of an input, output or fault: its action of WS-Addressing, where it is declared
        self.style = self.address = None
        self.request = self.response = None  # an Element; None: an empty body
        self.one_way = False
        self.headers, self.told, self.faults = [], [], []

    @property
    def path(self):
        return urllib.parse.urlsplit(self.address or "").path


KINDS = {
    "element": "element", "complexType": "type", "simpleType": "type", "group": "group",
    "attributeGroup": "attributeGroup", "attribute": "attribute",
}  # fmt: skip


class Contract:
    """A WSDL with all that it imports."""

    def __init__(self, *paths):
        self.documents, self.loaded, self.definitions = [], {}, []
        self.components = {kind: {} for kind in set(KINDS.values())}
        self._types, self._read = {}, set()
        for path in paths:
            self._read_wsdl(pathlib.Path(path).resolve())
        self._members, self._derived = {}, {}
        for key, each in self.components["element"].items():
            head = each.node.get("substitutionGroup")
            if head:
                self._members.setdefault(each.node.qname(head), []).append(key)
        self.operations = self._read_operations()

    # Reading

    def _read_wsdl(self, path):
        if path in self._read:
            return
        self._read.add(path)
        root = parse(path.read_bytes())
        if root.local == "schema":
            self._read_schema(root, path, root.get("targetNamespace", ""))
            return
        self.definitions.append(root)
        for each in root.all("import", ns=WSDL):
            self._read_wsdl(self._beside(path, each.get("location")))
        for types in root.all("types", ns=WSDL):
            for index, schema in enumerate(types.all("schema")):
                self._read_schema(schema, path, schema.get("targetNamespace", ""), index)

    @staticmethod
    def _beside(path, location):
        if location.startswith(("http:", "https:")):
            if location.endswith("/xml.xsd"):
                return xml_schema
            raise ValueError(f"{path}: {location} is not here")
        return (path.parent / urllib.parse.unquote(location)).resolve()

    def _read_schema(self, node, path, target, index=None):
        known = (path, index, target)
        if known in self.loaded:
            return self.loaded[known]
        document = self.loaded[known] = Document(node, target, path)
        self.documents.append(document)
        for each in node.all("import", "include", "redefine"):
            location = each.get("schemaLocation")
            if each.local == "import" and (not location or each.get("namespace") == XML):
                if each.get("namespace") == XML:
                    location = str(xml_schema)
                else:
                    document.references.append((each, None))
                    continue
            at = self._beside(path, location)
            if at == path and index is None and each.local == "import":
                continue
            root = parse(at.read_bytes())
            if root.local == "definitions":
                self._read_wsdl(at)
                continue
            inner = root.get("targetNamespace", "")
            made = self._read_schema(root, at, inner if each.local == "import" else inner or target)
            document.references.append((each, made))
            if each.local == "redefine":
                self._redefine(each, document)
        for each in node.elements:
            if each.ns == XS and each.local in KINDS:
                # The first counts: a document may be included under several names.
                self.components[KINDS[each.local]].setdefault((target, each.get("name")), Component(each, document))
        return document

    def _redefine(self, node, document):
        for each in node.elements:
            if each.ns == XS and each.local in KINDS:
                table, key = self.components[KINDS[each.local]], (document.target, each.get("name"))
                made = Component(each, document)
                made.old = table.get(key)
                table[key] = made

    # Names

    def _name(self, node, text, document):
        """A reference; without a namespace it is the includer's, in a document that has none."""
        ns, local = node.qname(text)
        if not ns and not document.node.get("targetNamespace") and document.target:
            ns = document.target
        return ns, local

    def find(self, kind, key, within=None):
        if within is not None and within.old is not None and key[1] == within.node.get("name"):
            return within.old
        if key not in self.components[kind]:
            raise ValueError(f"there is no {kind} {{{key[0]}}}{key[1]}")
        return self.components[kind][key]

    # Elements

    def global_element(self, key):
        component = self.find("element", key)
        node = component.node
        if id(node) not in self._types:
            self._types[id(node)] = Element(key, lambda: self._element_type(node, component), node)
        return self._types[id(node)]

    def _element_type(self, node, component):
        if node.get("type"):
            return self.type(self._name(node, node.get("type"), component.document), component)
        inner = node.one("complexType", "simpleType")
        if inner is not None:
            return self._type_of(inner, component, None)
        if node.get("substitutionGroup"):
            return self.global_element(self._name(node, node.get("substitutionGroup"), component.document)).type
        return any_type

    def members(self, key):
        """The elements of a substitution group, with its head, without abstract ones."""
        found, todo = [], [key]
        while todo:
            at = todo.pop(0)
            element = self.global_element(at)
            if at not in [each.name for each in found]:
                found.append(element)
                todo += self._members.get(at, [])
        return [each for each in found if not each.abstract]

    # Types

    def type(self, key, within=None):
        if key[0] == XS:
            return builtin(key[1])
        component = self.find("type", key, within)
        return self._type_of(component.node, component, key)

    def _type_of(self, node, component, name):
        # One node may be read for several target namespaces.
        known = (id(node), component.document.target)
        if known not in self._types:
            if node.local == "simpleType":
                self._types[known] = self._simple(node, component, name)
            else:
                made = self._types[known] = Complex(name)
                self._complex(made, node, component)
        return self._types[known]

    def _simple(self, node, component, name):
        way = node.one("restriction", "list", "union")
        inner = [self._type_of(each, component, None) for each in way.all("simpleType")]
        if way.local == "restriction":
            base = inner[0] if inner else self.type(self._name(way, way.get("base"), component.document), component)
            return base.restricted(way, name)
        if way.local == "list":
            item = inner[0] if inner else self.type(self._name(way, way.get("itemType"), component.document))
            return Simple(item=item, name=name)
        named = [self.type(self._name(way, each, component.document)) for each in way.get("memberTypes", "").split()]
        return Simple(members=named + inner, name=name)

    def _complex(self, made, node, component):
        made.abstract = node.get("abstract") in ("true", "1")
        made.mixed = node.get("mixed") in ("true", "1")
        made.block = node.get("block") or component.document.node.get("blockDefault", "")
        content = node.one("simpleContent", "complexContent")
        if content is None:
            made.content = self._content(node, component)
            made.base = any_type
            self._attributes(made, node, component)
            return
        made.mixed = made.mixed or content.get("mixed") in ("true", "1")
        way = content.one("extension", "restriction")
        base = made.base = self.type(self._name(way, way.get("base"), component.document), component)
        extends = way.local == "extension"
        made.restricts = not extends
        if content.local == "simpleContent":
            made.mixed = False  # XML Schema part 1, 3.4.2
            simple = base.simple if isinstance(base, Complex) else base
            if not extends:
                inner = way.one("simpleType")
                simple = self._type_of(inner, component, None) if inner is not None else simple
                simple = simple.restricted(way, None)
            made.simple = simple
        else:
            own = self._content(way, component)
            if extends:
                made.mixed = made.mixed or base.mixed and base is not any_type
                both = [each for each in (base.content, own) if each is not None]
                own = Particle("sequence", 1, 1, both) if len(both) == 2 else both[0] if both else None
                made.simple = base.simple
            made.content = own
        if isinstance(base, Complex) and base is not any_type:
            made.attributes = dict(base.attributes)
            if extends:
                made.any_attribute = base.any_attribute
        self._attributes(made, way, component)

    def _attributes(self, made, node, component, seen=()):
        document = component.document
        for each in node.all("attribute", "attributeGroup", "anyAttribute"):
            if each.local == "anyAttribute":
                own = Wildcard(each, document.target)
                if made.any_attribute is None or own.rule == "##any":
                    made.any_attribute = own
            elif each.local == "attributeGroup":
                key = self._name(each, each.get("ref"), document)
                group = self.find("attributeGroup", key, component)
                if group not in seen:
                    self._attributes(made, group.node, group, (*seen, group))
            else:
                attribute = self._attribute(each, component)
                if attribute.use == "prohibited" and node.local != "restriction":
                    continue  # XML Schema part 1, 3.4.2
                made.attributes.pop(attribute.name, None)
                if attribute.use != "prohibited":
                    made.attributes[attribute.name] = attribute

    def _attribute(self, node, component):
        document, use = component.document, node.get("use", "optional")
        default, fixed = node.get("default"), node.get("fixed")
        at, name = node, None
        if node.get("ref"):
            name = self._name(node, node.get("ref"), document)
            component = self.find("attribute", name)
            at = component.node
            default = default if default is not None else at.get("default")
            fixed = fixed if fixed is not None else at.get("fixed")
        else:
            form = node.get("form") or document.node.get("attributeFormDefault", "unqualified")
            name = (document.target if form == "qualified" else "", node.get("name"))
        inner = at.one("simpleType")
        if inner is not None:
            type = self._type_of(inner, component, None)
        elif at.get("type"):
            type = self.type(self._name(at, at.get("type"), component.document))
        else:
            type = builtin("anySimpleType")
        return Attribute(name, type, use, default, fixed)

    # Content models

    def _content(self, node, component):
        part = node.one("sequence", "choice", "all", "group")
        return None if part is None else self._particle(part, component)

    def _particle(self, node, component):
        least, most = occurrence(node)
        document = component.document
        if node.local == "any":
            return Particle("any", least, most, Wildcard(node, document.target))
        if node.local == "element":
            return self._element_particle(node, component, least, most)
        if node.local == "group":
            group = self.find("group", self._name(node, node.get("ref"), document), component)
            return Particle("sequence", least, most, [self._content(group.node, group)])
        parts = node.all("element", "group", "sequence", "choice", "any", "all")
        return Particle(node.local, least, most, [self._particle(each, component) for each in parts])

    def _element_particle(self, node, component, least, most):
        document = component.document
        if node.get("ref"):
            key = self._name(node, node.get("ref"), document)
            members = self.members(key) if most else [self.global_element(key)]
            if len(members) == 1:
                return Particle("element", least, most, members[0])
            return Particle("choice", least, most, [Particle("element", 1, 1, each) for each in members])
        known = (id(node), document.target)
        if known not in self._types:
            form = node.get("form") or document.node.get("elementFormDefault", "unqualified")
            name = (document.target if form == "qualified" else "", node.get("name"))
            self._types[known] = Element(name, lambda: self._element_type(node, component), node)
        return Particle("element", least, most, self._types[known])

    def derived(self, type):
        """The named types that may stand for a named one by xsi:type, itself not."""
        if not self._derived:
            for key in self.components["type"]:
                at = step = self.type(key)
                base, blocked = at.base, set()
                while base is not None and base is not any_type:
                    blocked.add("restriction" if step.restricts else "extension")
                    allowed = base.block != "#all" and not blocked & set(base.block.split())
                    if allowed and base.name != key:  # else what a redefinition redefines
                        self._derived.setdefault(base.name, {})[key] = at
                    step, base = base, base.base
            self._derived[None] = {}
        return self._derived.get(type.name, {})

    # Operations

    def _named(self, kind):
        found = {}
        for root in self.definitions:
            for each in root.all(kind, ns=WSDL):
                found[root.get("targetNamespace", ""), each.get("name")] = each
        return found

    def _read_operations(self):
        services, bindings = self._named("service"), self._named("binding")
        port_types, messages = self._named("portType"), self._named("message")
        used = [(key[1], port.qname(port.get("binding")), port) for key, each in services.items()
                for port in each.all("port", ns=WSDL)]
        if not used:
            used = [(key[1], key, None) for key in bindings]
        made = {}
        for service, key, port in used:
            binding = bindings[key]
            soap = [each for each in binding.elements if each.ns in SOAP and each.local == "binding"]
            if not soap:
                continue
            port_key = binding.qname(binding.get("type"))
            port_type = port_types[port_key]
            for bound in binding.all("operation", ns=WSDL):
                same = [each for each in port_type.all("operation", ns=WSDL) if each.get("name") == bound.get("name")]
                if not same:
                    continue
                offered = self._same_overload(bound, same)
                operation = made.setdefault((port_key, bound.get("name"), id(offered)),
                                            Operation(service, bound.get("name")))
                operation.versions.add(SOAP[soap[0].ns])
                for each in port.elements if port is not None else []:
                    if each.local == "address":
                        operation.address = each.get("location")
                self._read_operation(operation, bound, offered, messages, soap[0])
        return list(made.values())

    @staticmethod
    def _same_overload(bound, same):
        """Operations may share a name; their inputs have names of their own then."""
        for each in same:
            inner, outer = bound.one("input", ns=WSDL), each.one("input", ns=WSDL)
            if len(same) > 1 and inner is not None and outer is not None and inner.get("name") == outer.get("name"):
                return each
        return same[0]

    def _read_operation(self, made, bound, offered, messages, binding):
        soap = [each for each in bound.elements if each.ns in SOAP and each.local == "operation"]
        made.actions[SOAP[binding.ns]] = soap[0].get("soapAction", "") if soap else ""
        made.style = (soap[0].get("style") if soap else None) or binding.get("style", "document")
        made.one_way = offered.one("output", ns=WSDL) is None
        made.headers, made.told, made.faults = [], [], []
        for way in ("input", "output"):
            outer, inner = offered.one(way, ns=WSDL), bound.one(way, ns=WSDL)
            if outer is None:
                continue
            message = messages[outer.qname(outer.get("message"))]
            self._read_action(made, way, outer)
            soap_parts = [] if inner is None else [each for each in self._extensions(inner) if each.ns in SOAP]
            body = next((each for each in soap_parts if each.local == "body"), None)
            element = self._body(made, way, message, body)
            headers = [self._header(each, messages) for each in soap_parts if each.local == "header"]
            if way == "input":
                made.request, made.headers = element, headers
            else:
                made.response, made.told = element, headers
        for each in offered.all("fault", ns=WSDL):
            self._read_action(made, "fault", each)
            message = messages.get(each.qname(each.get("message")))
            part = None if message is None else message.one("part", ns=WSDL)
            if part is not None and part.get("element"):
                made.faults.append(self.global_element(part.qname(part.get("element"))))

    @staticmethod
    def _read_action(made, way, node):
        for (ns, name), value in node.attributes.items():
            if name == "Action" and ns in ADDRESSING:
                made.addressed.setdefault(way, value)

    @staticmethod
    def _extensions(node):
        """The elements below that are of no WSDL namespace, those within MIME parts too."""
        found, todo = [], list(node.elements)
        while todo:
            at = todo.pop(0)
            found.append(at)
            if at.ns not in SOAP:
                todo += at.elements
        return found

    def _header(self, node, messages):
        message = messages[node.qname(node.get("message"))]
        part = next(each for each in message.all("part", ns=WSDL) if each.get("name") == node.get("part"))
        return self.global_element(part.qname(part.get("element")))

    def _body(self, made, way, message, body):
        parts = message.all("part", ns=WSDL)
        if body is not None and body.get("parts") is not None:
            parts = [each for each in parts if each.get("name") in body.get("parts").split()]
        if body is not None and body.get("use") == "encoded":
            raise ValueError("encoded")
        if made.style == "document":
            named = [each for each in parts if each.get("element")]
            return self.global_element(named[0].qname(named[0].get("element"))) if named else None
        wrapper = Complex()
        wrapper.base = any_type
        inside = []
        for part in parts:
            if part.get("element"):
                inside.append(Particle("element", 1, 1, self.global_element(part.qname(part.get("element")))))
                continue
            key = part.qname(part.get("type"))
            inside.append(Particle("element", 1, 1, Element(("", part.get("name")), lambda key=key: self.type(key))))
        wrapper.content = Particle("sequence", 1, 1, inside)
        name = made.name + ("" if way == "input" else "Response")
        made_element = Element(((body.get("namespace") if body is not None else None) or "", name), lambda: wrapper)
        made_element.rpc = [(part.get("name"), part.qname(part.get("type"))) for part in parts if part.get("type")]
        return made_element
